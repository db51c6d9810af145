/* The core's interface from a plain C program: core CASE. Each case prints its count of checks; a check that fails says
 * where, and the exit status is 1. */
#include "test/cuda_core/core.h"

#include "runtime-model/cuda/core/work.h"

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 5000 };

static void saxpy(struct cu_module *m, unsigned times)
{
	float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), a = 2;
	unsigned n = N, bad = 0;
	uint64_t dx = 0, dy = 0;
	void *param[] = { &dx, &dy, &a, &n };
	struct cu_function *f = function(m, "saxpy");

	for (unsigned i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	IS(cu_alloc(&dx, N * sizeof *x, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_alloc(&dy, N * sizeof *y, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_copy_line(dx, of(x), N * sizeof *x, CU_HOST_TO_DEVICE, NULL), CU_OK);
	IS(cu_copy_line(dy, of(y), N * sizeof *y, CU_BY_ADDRESS, NULL), CU_OK);
	for (unsigned i = 0; i < times; i++)
		IS(launch(f, (N + 255) / 256, 256, param), CU_OK);
	IS(cu_synchronize(), CU_OK);
	IS(cu_copy_line(of(y), dy, N * sizeof *y, CU_DEVICE_TO_HOST, NULL), CU_OK);
	for (unsigned i = 0; i < N; i++)
		bad += y[i] != 1 + (float)times * 2 * (float)i;
	CHECK(bad == 0);
	IS(cu_free(dx, CU_DEVICE), CU_OK);
	IS(cu_free(dy, CU_DEVICE), CU_OK);
	free(x);
	free(y);
}

static void run(const char *path) { saxpy(module(path), 3); }

/* With --check init: the last of x, and its copy, are read twice before anybody has written them. */
static void unwritten(const char *path)
{
	const uint64_t bytes = N * sizeof(float);
	const struct cu_box all = { bytes, 1, 1 }, last = { sizeof(float), 1, 1 };
	struct cu_function *f = function(module(path), "saxpy");
	uint64_t dx = 0, dy = 0, managed = 0, copy = 0, from;
	void *param[] = { &from, &dy, &(float){ 2 }, &(unsigned){ N } };
	float *x = calloc(N, sizeof *x);

	IS(cu_alloc(&dx, bytes, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_alloc(&dy, bytes, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_alloc(&copy, bytes, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_alloc(&managed, bytes, 0, CU_MANAGED, 0), CU_OK);
	IS(cu_fill(dy, 0, 0, 0, 4, &all, NULL), CU_OK);
	IS(cu_copy_line(dx, of(x), bytes - sizeof *x, CU_HOST_TO_DEVICE, NULL), CU_OK);
	IS(cu_copy_line(copy, dx, bytes, CU_DEVICE_TO_DEVICE, NULL), CU_OK);
	from = dx;
	IS(launch(f, (N + 255) / 256, 256, param), CU_OK);
	IS(cu_fill(dx + bytes - sizeof *x, 0, 0, 0, 4, &last, NULL), CU_OK);
	IS(launch(f, (N + 255) / 256, 256, param), CU_OK);
	from = managed;
	IS(launch(f, (N + 255) / 256, 256, param), CU_OK);
	from = copy;
	IS(launch(f, (N + 255) / 256, 256, param), CU_OK);
	IS(cu_copy_line(copy, dx, bytes, CU_BY_ADDRESS, NULL), CU_OK);
	IS(launch(f, (N + 255) / 256, 256, param), CU_OK);
	free(x);
}

static void variables(const char *path)
{
	struct cu_module *m = module(path), *other = module(path), *placed = NULL;
	uint64_t at = 0, total = 0, bytes = 0, table = 0, seven = 0;
	uint32_t v = 0, four[4] = { 10, 20, 30, 40 };

	IS(cu_module_variable(&total, &bytes, m, "total"), CU_OK);
	CHECK(bytes == 4);
	IS(cu_module_variable(&table, &bytes, m, "table"), CU_OK);
	CHECK(bytes == 16);
	IS(cu_module_variable(&seven, NULL, m, "seven"), CU_OK);
	IS(cu_module_variable(&seven, NULL, m, "eight"), CU_NOT_FOUND);
	IS(launch(function(m, "sum"), 1, 8, NULL), CU_OK);
	IS(cu_copy_line(of(&v), total, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	IS(v, 8 * 7 + 2 * (1 + 2 + 3 + 4));
	IS(cu_copy_line(table, of(four), 16, CU_HOST_TO_DEVICE, NULL), CU_OK);
	v = 100;
	IS(cu_copy_line(seven, of(&v), 4, CU_HOST_TO_DEVICE, NULL), CU_OK);
	IS(cu_fill(total, 0, 0, 0, 4, &(struct cu_box){ 4, 1, 1 }, NULL), CU_OK);
	IS(launch(function(m, "sum"), 1, 8, NULL), CU_OK);
	IS(cu_copy_line(of(&v), total, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	IS(v, 8 * 100 + 2 * 100);
	IS(cu_copy_line(of(&v), total + 4, 4, CU_DEVICE_TO_HOST, NULL), CU_INVALID_VALUE);
	/* Another module of the same text has its own. */
	IS(launch(function(other, "sum"), 1, 4, NULL), CU_OK);
	IS(cu_module_variable(&total, NULL, other, "total"), CU_OK);
	IS(cu_copy_line(of(&v), total, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	IS(v, 4 * 7 + 10);
	/* Managed variables do not come where something was freed. */
	IS(cu_alloc(&at, 4096, 0, CU_MANAGED, 0), CU_OK);
	IS(cu_free(at, CU_MANAGED), CU_OK);
	IS(cu_alloc_variable(&seven, 4, 0), CU_OK);
	CHECK(seven > at + 4096 && *(uint32_t *)(uintptr_t)seven == 0);
	IS(cu_free(seven, CU_MANAGED), CU_OK);
	IS(cu_alloc_variable(&seven, 0, 0), CU_INVALID_VALUE);
	/* A variable in managed memory of the program. */
	IS(cu_module_load(&placed, read_text(path), path), CU_OK);
	IS(cu_alloc(&at, 4, 0, CU_MANAGED, 0), CU_OK);
	IS(cu_module_place(placed, "total", at), CU_OK);
	IS(launch(function(placed, "sum"), 1, 4, NULL), CU_OK);
	CHECK(*(uint32_t *)(uintptr_t)at == 4 * 7 + 10);
	IS(cu_module_place(placed, "seven", at), CU_INVALID_VALUE);
	IS(cu_module_unload(placed), CU_OK);
	IS(cu_free(at, CU_MANAGED), CU_OK);
	IS(cu_module_unload(other), CU_OK);
	IS(cu_copy_line(of(&v), total, 4, CU_DEVICE_TO_HOST, NULL), CU_INVALID_VALUE);
	IS(cu_module_unload(other), CU_INVALID_HANDLE);
}

/* Textures over memory as it lies: a line may be longer than an array. */
static void linear(void)
{
	enum { TEXELS = 200000 };
	struct cu_texture t = { .shape = { .width = TEXELS, .channels = 1, .bits = 32, .kind = 'f' },
				.address = { CU_CLAMP, CU_CLAMP, CU_CLAMP } };
	struct cu_array *array = NULL;
	uint64_t x = 0;

	IS(cu_array_create(&array, &t.shape), CU_INVALID_VALUE);
	IS(cu_alloc(&t.addr, 4 * TEXELS, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_texture_create(&x, &t), CU_OK);
	IS(cu_texture_destroy(x), CU_OK);
	t.shape.width = TEXELS + 1; /* more than there is */
	IS(cu_texture_create(&x, &t), CU_INVALID_VALUE);
	t.shape.width = ((uint64_t)1 << 28) + 1;
	IS(cu_texture_create(&x, &t), CU_INVALID_VALUE);
	t.shape.width = 0;
	IS(cu_texture_create(&x, &t), CU_INVALID_VALUE);
	IS(cu_free(t.addr, CU_DEVICE), CU_OK);
}

static void memory(const char *path)
{
	struct cu_module *m = module(path);
	struct cu_function *f = function(m, "reverse");
	uint64_t a = 0, b = 0, pinned = 0, managed = 0, mine = 0, free_bytes, total;
	uint32_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *param[] = { &managed };
	struct cu_function_info info;
	struct cu_range r;

	IS(cu_alloc(&a, 0, 0, CU_DEVICE, 0), CU_INVALID_VALUE);
	IS(cu_alloc(&a, 1000, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_alloc(&b, 1000, 65536, CU_DEVICE, 0), CU_OK);
	CHECK(b % 65536 == 0 && a % 256 == 0);
	CHECK(cu_find(&r, b + 999) && r.addr == b && r.bytes == 1000 && r.kind == CU_DEVICE && !r.host);
	CHECK(!cu_find(&r, b + 1000) && !cu_find(&r, of(&r)));
	IS(cu_free(a + 4, CU_DEVICE), CU_INVALID_VALUE);
	IS(cu_free(a, CU_PINNED), CU_INVALID_VALUE);
	IS(cu_free(a, CU_DEVICE), CU_OK);
	IS(cu_free(a, CU_DEVICE), CU_INVALID_VALUE);
	IS(cu_alloc(&a, (uint64_t)1 << 60, 0, CU_DEVICE, 0), CU_OUT_OF_MEMORY);
	IS(cu_memory_info(&free_bytes, &total), CU_OK);
	CHECK(total - free_bytes == 1000 && total == cu_device()->memory);
	IS(cu_alloc(&managed, 4096 * 4, 0, CU_MANAGED, 0), CU_OK);
	CHECK(cu_find(&r, managed + 5) && r.host == (void *)(uintptr_t)managed);
	IS(cu_memory_info(&free_bytes, &total), CU_OK);
	CHECK(total - free_bytes == 1000 + 4096 * 4);
	IS(cu_launch(&(struct cu_launch){
		   .f = f, .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .dynamic_shared = 256, .param = param }),
	   CU_OK);
	CHECK(((uint32_t *)(uintptr_t)managed)[0] == 63 && ((uint32_t *)(uintptr_t)managed)[63] == 0);
	IS(cu_alloc(&pinned, 256, 0, CU_PINNED, 0), CU_OK);
	param[0] = &pinned;
	IS(cu_launch(&(struct cu_launch){
		   .f = f, .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .dynamic_shared = 256, .param = param }),
	   CU_OK);
	CHECK(((uint32_t *)(uintptr_t)pinned)[1] == 62);
	IS(cu_register(&mine, page, 8192, 0), CU_OK);
	IS(cu_register(NULL, page + 8, 16, 0), CU_HOST_MEMORY_ALREADY_REGISTERED);
	param[0] = &mine;
	IS(cu_launch(&(struct cu_launch){
		   .f = f, .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .dynamic_shared = 256, .param = param }),
	   CU_OK);
	CHECK(page[2] == 61);
	IS(cu_free(of(page), CU_REGISTERED), CU_OK);
	IS(cu_free(of(page), CU_REGISTERED), CU_HOST_MEMORY_NOT_REGISTERED);
	linear();
	/* What other kernels of the module have is not taken off. */
	CHECK(cu_function_info(&info, f) == CU_OK && info.shared == 0 && info.max_dynamic_shared == 49152);
	CHECK(cu_function_info(&info, function(m, "wide")) == CU_OK && info.shared == 40000 &&
	      info.max_dynamic_shared == 9152);
	param[0] = &managed;
	IS(cu_launch(&(struct cu_launch){
		   .f = f, .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .dynamic_shared = 49152, .param = param }),
	   CU_OK);
	/* Too much shared memory: without the attribute, and above all. */
	IS(cu_launch(&(struct cu_launch){
		   .f = f, .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .dynamic_shared = 50000, .param = param }),
	   CU_INVALID_VALUE);
	IS(cu_function_set(f, CU_MAX_DYNAMIC_SHARED, 1 << 20), CU_INVALID_VALUE);
	IS(cu_function_set(f, CU_MAX_DYNAMIC_SHARED, 50000), CU_OK);
	IS(cu_launch(&(struct cu_launch){
		   .f = f, .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .dynamic_shared = 50000, .param = param }),
	   CU_OK);
	/* Dimensions. */
	IS(launch(f, 0, 32, param), CU_INVALID_CONFIGURATION);
	IS(launch(f, 1, 1025, param), CU_INVALID_CONFIGURATION);
	IS(launch(f, 1, 0, param), CU_INVALID_CONFIGURATION);
	IS(cu_free(managed, CU_MANAGED), CU_OK);
	IS(cu_free(pinned, CU_PINNED), CU_OK);
}

static void boxes(const char *path)
{
	unsigned char host[64 * 8] = { 0 }, back[64 * 8] = { 0 };
	struct cu_side device = { .pitch = 100, .rows = 8 }, h = { .addr = of(host), .pitch = 64 },
		       g = { .addr = of(back), .pitch = 64 };
	uint64_t a = 0;
	bool same = true;

	(void)path;
	for (unsigned i = 0; i < sizeof host; i++)
		host[i] = (unsigned char)(i * 7);
	IS(cu_alloc(&a, 100 * 8 * 2, 0, CU_DEVICE, 0), CU_OK);
	device.addr = a;
	device.z = 1;
	IS(cu_copy(&device, &h, &(struct cu_box){ 50, 8, 1 }, CU_HOST_TO_DEVICE, NULL), CU_OK);
	IS(cu_copy(&g, &device, &(struct cu_box){ 50, 8, 1 }, CU_DEVICE_TO_HOST, NULL), CU_OK);
	for (unsigned i = 0; i < sizeof host; i++)
		same &= back[i] == (i % 64 < 50 ? host[i] : 0);
	CHECK(same);
	IS(cu_copy(&device, &h, &(struct cu_box){ 50, 9, 1 }, CU_HOST_TO_DEVICE, NULL), CU_INVALID_VALUE);
	IS(cu_copy(&device, &h, &(struct cu_box){ 101, 2, 1 }, CU_HOST_TO_DEVICE, NULL), CU_INVALID_PITCH_VALUE);
	IS(cu_copy(&device, &h, &(struct cu_box){ 0, 2, 1 }, CU_HOST_TO_DEVICE, NULL), CU_OK);
	IS(cu_copy(&device, &h, &(struct cu_box){ 1, 1, 1 }, (enum cu_way)9, NULL), CU_INVALID_MEMCPY_DIRECTION);
	IS(cu_copy(&h, &device, &(struct cu_box){ 1, 1, 1 }, CU_HOST_TO_DEVICE, NULL), CU_INVALID_VALUE);
	IS(cu_fill(a, 100, 8, 0xabcd, 2, &(struct cu_box){ 10, 3, 2 }, NULL), CU_OK);
	IS(cu_copy_line(of(back), a + 100, 16, CU_DEVICE_TO_HOST, NULL), CU_OK);
	CHECK(back[0] == 0xcd && back[9] == 0xab && back[10] == 0);
}

/* The legacy stream joins the others; one that does not block overlaps; events see it. */
/* Modelled ms that the host has waited from `from` on: t does not wait for anybody else. */
static double host_ms(struct cu_event *from, struct cu_stream *t)
{
	struct cu_event *now = NULL;
	double ms = -1;

	IS(cu_event_create(&now, 0), CU_OK);
	IS(cu_event_record(now, t), CU_OK);
	IS(cu_event_elapsed(&ms, from, now), CU_OK);
	IS(cu_event_destroy(now), CU_OK);
	return ms;
}

/* An event of all that was issued to any stream, and what waits for it in all of them. */
static void all_streams(uint64_t a, uint64_t b, struct cu_stream *s, struct cu_stream *t, double ms)
{
	struct cu_event *from = NULL, *all = NULL, *now = NULL, *last = NULL;
	struct cu_stream *idle = NULL;
	double took = -1;

	IS(cu_event_create(&from, 0), CU_OK);
	IS(cu_synchronize(), CU_OK);
	IS(cu_event_record(from, t), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, s), CU_OK);
	IS(cu_stream_synchronize(NULL), CU_OK); /* s blocks: the default stream waits for it */
	CHECK(host_ms(from, t) == ms);
	IS(cu_event_record(from, t), CU_OK);
	IS(cu_event_create(&all, 0), CU_OK);
	IS(cu_event_create(&now, 0), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, t), CU_OK);
	IS(cu_event_record_all(all), CU_OK);
	IS(cu_event_elapsed(&took, from, all), CU_OK);
	CHECK(took == ms);
	IS(cu_event_record(now, s), CU_OK);
	IS(cu_event_elapsed(&took, from, now), CU_OK);
	CHECK(took == 0);
	IS(cu_event_wait_all(all), CU_OK);
	IS(cu_event_record(now, s), CU_OK);
	IS(cu_event_elapsed(&took, from, now), CU_OK);
	CHECK(took == ms);
	IS(cu_event_wait_all(from), CU_OK); /* an older one changes nothing */
	IS(cu_event_create(&last, 0), CU_OK);
	IS(cu_stream_create(&idle, CU_STREAM_NON_BLOCKING, 0), CU_OK);
	IS(cu_event_record(last, idle), CU_OK);
	IS(cu_event_elapsed(&took, from, last), CU_OK);
	CHECK(took == ms);
	IS(cu_stream_destroy(idle), CU_OK);
	IS(cu_event_destroy(last), CU_OK);
	IS(cu_event_destroy(from), CU_OK);
	IS(cu_event_destroy(all), CU_OK);
	IS(cu_event_destroy(now), CU_OK);
}

/* What the host waits for, s a blocking stream and t none; a copy of 1 MiB from b to a takes ms. It destroys s. */
static void waits(uint64_t a, uint64_t b, struct cu_stream *s, struct cu_stream *t, double ms)
{
	struct cu_event *from = NULL, *mid = NULL;
	uint64_t c = 0;

	IS(cu_event_create(&from, 0), CU_OK);
	IS(cu_event_create(&mid, 0), CU_OK);
	IS(cu_synchronize(), CU_OK);
	IS(cu_event_record(from, t), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, s), CU_OK);
	IS(cu_event_record(mid, s), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, NULL), CU_OK);
	CHECK(host_ms(from, t) == 0);
	IS(cu_stream_synchronize(s), CU_OK); /* not for what came later in another */
	CHECK(host_ms(from, t) == ms);
	IS(cu_stream_synchronize(NULL), CU_OK);
	CHECK(host_ms(from, t) == 2 * ms);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, s), CU_OK);
	IS(cu_event_record(mid, s), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, s), CU_OK);
	IS(cu_event_query(mid), CU_OK); /* it says that it is done */
	CHECK(host_ms(from, t) == 3 * ms);
	IS(cu_alloc(&c, 16, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_give_back(c, CU_DEVICE), CU_OK);
	CHECK(host_ms(from, t) == 3 * ms);
	IS(cu_alloc(&c, 16, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_free(c, CU_DEVICE), CU_OK);
	CHECK(host_ms(from, t) == 4 * ms);
	/* A stream that is gone: its work is waited for. */
	IS(cu_event_record(from, t), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, s), CU_OK);
	IS(cu_stream_destroy(s), CU_OK);
	IS(cu_event_record(mid, NULL), CU_OK);
	IS(cu_event_elapsed(&ms, from, mid), CU_OK);
	CHECK(ms > 0 && host_ms(from, t) == 0);
	IS(cu_synchronize(), CU_OK);
	CHECK(host_ms(from, t) == ms);
}

static void clocks(const char *path)
{
	struct cu_stream *s = NULL, *t = NULL;
	struct cu_event *e[4];
	uint64_t a = 0, b = 0, pinned = 0;
	double ms = -1, both = -1;

	(void)path;
	IS(cu_alloc(&a, 1 << 20, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_alloc(&b, 1 << 20, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_stream_create(&s, 0, 0), CU_OK);
	IS(cu_stream_create(&t, CU_STREAM_NON_BLOCKING, -1), CU_OK);
	for (unsigned i = 0; i < 4; i++)
		IS(cu_event_create(&e[i], 0), CU_OK);
	IS(cu_event_elapsed(&ms, e[0], e[1]), CU_INVALID_HANDLE);
	IS(cu_event_record(e[0], s), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, s), CU_OK);
	IS(cu_event_record(e[1], s), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, t), CU_OK);
	IS(cu_event_record(e[2], t), CU_OK);
	IS(cu_copy_line(a, b, 1 << 20, CU_DEVICE_TO_DEVICE, NULL), CU_OK);
	IS(cu_event_record(e[3], NULL), CU_OK);
	IS(cu_event_elapsed(&ms, e[0], e[1]), CU_OK);
	CHECK(ms > 0);
	IS(cu_event_elapsed(&both, e[0], e[2]), CU_OK);
	CHECK(both == ms);
	IS(cu_event_elapsed(&both, e[0], e[3]), CU_OK);
	CHECK(both == 2 * ms);
	/* Half the bandwidth of the machine's memory, which moves data twice in a clock: bits x 2 / 8 bytes. */
	CHECK(fabs(ms * 1e6 - (1 << 20) / (cu_device()->memory_clock_khz * 1e-6 * cu_device()->bus_bits / 4 / 2)) <= 1);
	/* Memory of the host that the device sees is the host's: 1 MiB at 12 GB/s. */
	IS(cu_alloc(&pinned, 1 << 20, 0, CU_PINNED, 0), CU_OK);
	IS(cu_synchronize(), CU_OK);
	IS(cu_event_record(e[0], t), CU_OK);
	IS(cu_copy_line(a, pinned, 1 << 20, CU_HOST_TO_DEVICE, t), CU_OK);
	IS(cu_event_record(e[1], t), CU_OK);
	IS(cu_event_elapsed(&both, e[0], e[1]), CU_OK);
	CHECK(fabs(both * 1e6 - (1 << 20) / 12.0) <= 1);
	IS(cu_free(pinned, CU_PINNED), CU_OK);
	all_streams(a, b, s, t, ms);
	waits(a, b, s, t, ms);
	IS(cu_stream_destroy(s), CU_INVALID_HANDLE);
	CHECK(!cu_stream_valid(s) && cu_stream_valid(t) && cu_stream_valid(NULL));
}

static void bad_kernel(const char *path)
{
	struct cu_module *m = module(path);
	struct cu_function *f = NULL;
	uint64_t at = 0;
	uint32_t v = 0;
	static uint32_t words[32752 / 4];
	void *param[] = { &at };

	IS(cu_module_function(&f, m, "wrong"), CU_INVALID_PTX);
	IS(cu_module_function(&f, m, "absent"), CU_NOT_FOUND);
	IS(cu_alloc(&at, 4, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(function(m, "good"), 1, 1, param), CU_OK);
	IS(cu_copy_line(of(&v), at, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	IS(v, 42);
	IS(cu_module_function(&f, m, "wide"), CU_INVALID_PTX);
	words[sizeof words / sizeof *words - 1] = 4711;
	IS(launch(function(m, "most"), 1, 1, (void *[]){ words, &at }), CU_OK);
	IS(cu_copy_line(of(&v), at, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	IS(v, 4711);
}

static uint32_t word(uint64_t at)
{
	uint32_t v = 0;

	IS(cu_copy_line(of(&v), at, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	return v;
}

/* Kernels are compiled when they are asked for; what they share is one all the same. */
static void lazy(const char *path)
{
	static const char *const names[] = { "choose", "apply", "count", "other", "wrong", "outside" };
	struct cu_module *m = module(path), *of_it = NULL, *again = module(path);
	struct cu_function *f[6], *apply;
	uint64_t total = 0, there = 0;
	uint32_t which = 1, five = 5;
	void *param[] = { &which };
	struct cu_function_info info;
	const char *name = "";
	unsigned n = 0;

	IS(cu_module_count(&n, m), CU_OK);
	IS(n, 6);
	for (unsigned i = 0; i < n; i++) {
		IS(cu_module_nth(&f[i], m, i), CU_OK);
		IS(cu_function_name(&name, &of_it, f[i]), CU_OK);
		CHECK(strcmp(name, names[i]) == 0 && of_it == m && !cu_function_ready(f[i]));
	}
	IS(cu_module_nth(&f[0], m, 6), CU_INVALID_VALUE);
	IS(cu_function_name(&name, NULL, (struct cu_function *)m), CU_INVALID_DEVICE_FUNCTION);
	IS(cu_module_function(&apply, m, "appl"), CU_NOT_FOUND);
	IS(cu_module_function(&apply, m, ""), CU_NOT_FOUND);
	IS(cu_module_function(&apply, m, "choose\napply"), CU_NOT_FOUND);
	/* A function that one kernel chose, another calls. */
	IS(launch(f[0], 1, 1, param), CU_OK);
	CHECK(cu_function_ready(f[0]) && !cu_function_ready(f[1]));
	apply = function(m, "apply");
	CHECK(apply == f[1] && cu_function_ready(apply));
	IS(launch(apply, 1, 1, NULL), CU_OK);
	IS(cu_module_variable(&total, NULL, m, "total"), CU_OK);
	IS(word(total), 300);
	which = 0;
	IS(launch(f[0], 1, 1, param), CU_OK);
	IS(launch(apply, 1, 1, NULL), CU_OK);
	IS(word(total), 600);
	/* Variables of kernels, beside the module's, which the host changes in between. */
	IS(launch(f[2], 1, 1, NULL), CU_OK);
	IS(word(total), 600 * 3 + 7 + 11);
	IS(cu_module_variable(&there, NULL, m, "factor"), CU_OK);
	IS(cu_copy_line(there, of(&five), 4, CU_HOST_TO_DEVICE, NULL), CU_OK);
	IS(launch(f[3], 1, 1, NULL), CU_OK);
	IS(word(total), 9 + 5 + 4);
	IS(launch(f[2], 1, 1, NULL), CU_OK);
	IS(word(total), 18 * 5 + 7 + 12);
	IS(cu_module_variable(&there, NULL, m, "count"), CU_NOT_FOUND);
	/* Bad ones spoil nothing, and say so to whoever asks. */
	IS(cu_function_info(&info, f[4]), CU_INVALID_PTX);
	IS(cu_module_function(&apply, m, "wrong"), CU_INVALID_PTX);
	IS(launch(f[4], 1, 1, NULL), CU_INVALID_PTX);
	IS(cu_function_info(&info, f[5]), CU_INVALID_PTX);
	IS(cu_function_info(&info, f[3]), CU_OK);
	CHECK(info.constant == 4 + 4 + 16 && info.nparam == 0);
	IS(launch(f[2], 1, 1, NULL), CU_OK);
	/* Another module of the same text; after a reset all is as at first. */
	IS(launch(function(again, "count"), 1, 1, NULL), CU_OK);
	IS(cu_module_variable(&there, NULL, again, "total"), CU_OK);
	IS(word(there), 100 * 3 + 7 + 11);
	IS(cu_module_unload(again), CU_OK);
	IS(cu_reset(), CU_OK);
	IS(launch(f[2], 1, 1, NULL), CU_OK);
	IS(cu_module_variable(&total, NULL, m, "total"), CU_OK);
	IS(word(total), 100 * 3 + 7 + 11);
	IS(cu_module_unload(m), CU_OK);
	IS(launch(f[2], 1, 1, NULL), CU_INVALID_DEVICE_FUNCTION);
	IS(cu_function_name(&name, NULL, f[2]), CU_INVALID_DEVICE_FUNCTION);
}

static void faults(const char *path)
{
	struct cu_module *m = module(path);
	uint64_t a = 0, at = 0;
	void *param[] = { &at };
	int here = 0;

	IS(cu_alloc(&a, 100, 0, CU_DEVICE, 0), CU_OK);
	at = a + 100;
	IS(launch(function(m, "poke"), 1, 1, param), CU_OK); /* as in CUDA the launch does not say so */
	IS(cu_synchronize(), CU_ILLEGAL_ADDRESS);
	IS(cu_alloc(&a, 100, 0, CU_DEVICE, 0), CU_ILLEGAL_ADDRESS);
	IS(cu_reset(), CU_OK);
	IS(cu_alloc(&a, 100, 0, CU_DEVICE, 0), CU_OK);
	at = a + 2;
	IS(launch(function(m, "poke"), 1, 1, param), CU_OK);
	IS(cu_sticky(), CU_MISALIGNED_ADDRESS);
	IS(cu_reset(), CU_OK);
	at = of(&here);
	IS(launch(function(m, "poke"), 1, 1, param), CU_OK);
	IS(cu_sticky(), CU_ILLEGAL_ADDRESS);
	CHECK(here == 0);
	IS(cu_reset(), CU_OK);
	IS(cu_alloc(&a, 100, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_free(a, CU_DEVICE), CU_OK);
	at = a;
	/* the variables of its module come now, and elsewhere */
	IS(launch(function(m, "poke"), 1, 1, param), CU_OK);
	IS(cu_sticky(), CU_ILLEGAL_ADDRESS);
	IS(cu_reset(), CU_OK);
	saxpy(m, 1);
}

/* A null pointer, and what was freed among others. */
static void lost(const char *path)
{
	struct cu_function *poke = function(module(path), "poke");
	uint64_t a = 0, b = 0, at = 16;
	void *param[] = { &at };

	IS(cu_alloc(&a, 100, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(poke, 1, 1, param), CU_OK);
	IS(cu_sticky(), CU_ILLEGAL_ADDRESS);
	IS(cu_reset(), CU_OK);
	IS(cu_alloc(&a, 100, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_alloc(&b, 3000, 0, CU_MANAGED, 0), CU_OK);
	IS(cu_free(b, CU_MANAGED), CU_OK);
	IS(cu_free(a, CU_DEVICE), CU_OK);
	at = b + 40;
	IS(launch(poke, 1, 1, param), CU_OK);
	IS(cu_sticky(), CU_ILLEGAL_ADDRESS);
	IS(cu_reset(), CU_OK);
}

/* What is told of the device is what occupancy and launches go by. */
static void device(const char *path)
{
	const struct cu_device *d = cu_device();
	struct cu_function *f = function(module(path), "saxpy");
	unsigned one = 9, none = 9, most = 9;

	printf("shared %llu %llu %llu %llu registers %u %u\n", (unsigned long long)d->shared_per_sm,
	       (unsigned long long)d->shared_per_cta, (unsigned long long)d->shared_optin,
	       (unsigned long long)d->shared_reserved, d->registers_per_sm, d->registers_per_cta);
	printf("memory %llu\n", (unsigned long long)d->memory >> 20);
	CHECK(d->shared_optin + d->shared_reserved <= d->shared_per_sm && d->registers_per_cta <= d->registers_per_sm);
	IS(cu_occupancy(&one, f, 32, d->shared_optin), CU_OK);
	IS(cu_occupancy(&none, f, 32, d->shared_optin + 1), CU_OK);
	IS(cu_occupancy(&most, f, 32, d->shared_per_sm / 4 - d->shared_reserved), CU_OK);
	CHECK(one == 1 && none == 0 && most == 4);
	IS(cu_function_set(f, CU_MAX_DYNAMIC_SHARED, (int64_t)d->shared_optin), CU_OK);
	IS(cu_function_set(f, CU_MAX_DYNAMIC_SHARED, (int64_t)d->shared_optin + 1), CU_INVALID_VALUE);
}

/* Kernels of templates. */
static void names(const char *path)
{
	struct cu_module *m = module(path);
	uint64_t at = 0;
	void *param[] = { &at };

	IS(launch(function(m, "_ZN2ns9transposeIfLi32ELi8EEEvPf"), 1, 1, param), CU_OK);
	IS(launch(function(m, "_ZN5outer5inner4wideIJfffffffffffffffdEEEvv"), 1, 1, NULL), CU_OK);
}

/* Calls that fail, each kind twice. */
static void explained(const char *path)
{
	struct cu_function *f = function(module(path), "counts");
	uint64_t a = 0, n = 1;
	void *param[] = { &n };

	for (unsigned i = 0; i < 2; i++) {
		IS(launch(f, 1, 1025 + i, param), CU_INVALID_CONFIGURATION);
		IS(cu_launch(&(struct cu_launch){ .f = f,
						  .grid = { 1, 1, 1 },
						  .block = { 1, 1, 1 },
						  .dynamic_shared = 60000,
						  .param = param }),
		   CU_INVALID_VALUE);
		IS(cu_function_set(f, CU_MAX_DYNAMIC_SHARED, 1 << 20), CU_INVALID_VALUE);
		IS(cu_alloc(&a, 100, 0, CU_DEVICE, 0), CU_OK);
		IS(cu_copy_line(a, of(path), 101, CU_HOST_TO_DEVICE, NULL), CU_INVALID_VALUE);
		IS(cu_free(a, CU_DEVICE), CU_OK);
		IS(cu_free(a, CU_DEVICE), CU_INVALID_VALUE);
		IS(cu_alloc(&a, (uint64_t)1 << 40, 0, CU_DEVICE, 0), CU_OUT_OF_MEMORY);
	}
}

/* Machine code that the device does not take. */
static struct cu_module *another_device(const char *path)
{
	char name[4096];
	struct cu_module *m = NULL;

	snprintf(name, sizeof name, "%.*s../sass/cubin/saxpy.sm_75.cubin", (int)(strrchr(path, '/') + 1 - path), path);
	IS(cu_module_load(&m, read_text(name), "cubin"), CU_OK);
	return m;
}

/* Launches that were asked for and cannot be, each for another reason; the last is one that can. */
static void uncompiled(const char *path)
{
	struct cu_module *m = module(path), *sass = another_device(path);
	struct cu_launch l = { .f = NULL, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
	struct cu_function *good = function(m, "apply"), *bad = NULL;
	const char *name = "";
	struct cu_stream *s;

	for (unsigned i = 0; strcmp(name, "wrong") != 0; i++) {
		IS(cu_module_nth(&bad, m, i), CU_OK);
		IS(cu_function_name(&name, NULL, bad), CU_OK);
	}
	IS(launch(bad, 1, 1, NULL), CU_INVALID_PTX);
	IS(launch(bad, 2, 1, NULL), CU_INVALID_PTX);
	IS(cu_launch_refused(&l, m, "elsewhere", CU_INVALID_DEVICE_FUNCTION, NULL), CU_INVALID_DEVICE_FUNCTION);
	IS(cu_module_function(&bad, sass, "k"), CU_NO_BINARY_FOR_GPU);
	IS(cu_launch_refused(&l, sass, "k", CU_NO_BINARY_FOR_GPU, NULL), CU_NO_BINARY_FOR_GPU);
	IS(cu_launch(&l), CU_INVALID_DEVICE_FUNCTION);
	IS(launch(good, 0, 1, NULL), CU_INVALID_CONFIGURATION);
	IS(launch(good, 4294967295u, 1, NULL), CU_INVALID_CONFIGURATION);
	IS(cu_stream_create(&s, 0, 0), CU_OK);
	IS(cu_stream_destroy(s), CU_OK);
	l.f = good;
	l.stream = s;
	IS(cu_launch(&l), CU_INVALID_HANDLE);
	IS(cu_op_issue(&(struct op){ .kind = OP_KERNEL, .launch = l }, s), CU_INVALID_HANDLE);
	l.stream = NULL;
	IS(cu_launch(&l), CU_OK);
	IS(cu_synchronize(), CU_ILLEGAL_INSTRUCTION);
	/* what failed before is why */
	IS(cu_launch_refused(&l, m, "wrong", CU_INVALID_PTX, NULL), CU_ILLEGAL_INSTRUCTION);
}

/* Closes every file that it does not know, and opens one of its own under all the numbers that these had. */
static void closes(const char *path)
{
	struct cu_module *m = module(path);
	struct stat mine, at;
	int own, status = -1;
	pid_t child;

	saxpy(m, 1);
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	if (getenv("GONE"))
		CHECK(unlink(getenv("GONE")) == 0);
	own = open(getenv("OWN"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(own >= 0 && write(own, "mine", 4) == 4 && lseek(own, 0, SEEK_SET) == 0);
	for (int fd = 3; fd < 64; fd++)
		CHECK(dup(own) > 0);
	child = fork();
	if (!child) { /* it has them all, and no other in the place of one */
		bool all = fstat(own, &mine) == 0;

		for (int fd = 3; fd < 64; fd++)
			all &= fstat(fd, &at) == 0 && at.st_ino == mine.st_ino && at.st_dev == mine.st_dev;
		_exit(!all);
	}
	waitpid(child, &status, 0);
	IS(status, 0);
	saxpy(m, 2);
}

static void *half_of(void *f)
{
	float v = 0;
	uint64_t at = 0;
	void *param[] = { &at };

	IS(cu_alloc(&at, 4, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(f, 1, 1, param), CU_OK);
	IS(cu_copy_line(of(&v), at, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	CHECK(v == 0.5f && strcmp(localeconv()->decimal_point, ",") == 0); /* which stays the program's */
	return NULL;
}

/* A program that writes its numbers with a comma: those in PTX have a point, and so have ours. */
static void comma(const char *path)
{
	static const char half[] = ".version 8.3\n.target sm_80\n.address_size 64\n"
				   ".visible .entry half(.param .u64 p) { .reg .b64 %d; .reg .f32 %f; ld.param.u64 %d, "
				   "[p]; mov.f32 %f, 0.5; st.global.f32 [%d], %f; ret; }\n";
	struct cu_module *m = NULL;
	struct cu_function *f;
	pthread_t t;

	(void)path;
	CHECK(setlocale(LC_ALL, ""));
	IS(cu_module_load(&m, half, NULL), CU_OK);
	f = function(m, "half");
	half_of(f);
	pthread_create(&t, NULL, half_of, f);
	pthread_join(t, NULL);
}

/* assert() on the device, of the second thread. */
static void asserts(const char *path)
{
	static const char text[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.extern .func __assertfail(.param .b64 a, .param .b64 "
		"b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
		".global .b8 what[] = {110,32,61,61,32,48,0}; .global .b8 where[] = {97,112,112,46,99,117,0}; .global "
		".b8 who[] = {99,104,101,99,107,0};\n"
		".visible .entry check() { .reg .pred %p; .reg .b32 %r; .reg .b64 %d<3>; mov.u32 %r, %tid.x; "
		"setp.ne.u32 %p, %r, 1; @%p ret;\n"
		"mov.u64 %d0, what; cvta.global.u64 %d0, %d0; mov.u64 %d1, where; cvta.global.u64 %d1, %d1; mov.u64 "
		"%d2, who; cvta.global.u64 %d2, %d2;\n"
		"{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %d0; "
		"st.param.b64 [b], %d1; st.param.b32 [c], 77;\n"
		"st.param.b64 [d], %d2; st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); } ret; }\n";
	struct cu_module *m = NULL;

	(void)path;
	IS(cu_module_load(&m, text, NULL), CU_OK);
	IS(launch(function(m, "check"), 1, 32, NULL), CU_OK);
	IS(cu_synchronize(), CU_ASSERT);
	IS(cu_sticky(), CU_ASSERT);
	IS(cu_reset(), CU_OK);
	IS(cu_sticky(), CU_OK);
}

/* Launches of one kernel of which an SM holds many CTAs, and few. */
static void sizes(const char *path)
{
	struct cu_function *f = function(module(path), "counts");
	uint64_t n = 10;
	void *param[] = { &n };

	IS(launch(f, 2, 32, param), CU_OK);
	IS(launch(f, 2, 1024, param), CU_OK);
}

/* As many CTAs as are sampled unasked where an SM holds one, one less, and as many that read clocks. */
static void wide(const char *path)
{
	enum { NEEDS = 208 };
	struct cu_module *m = module(path);
	uint64_t n = 10, at = 0;

	IS(cu_alloc(&at, sizeof at, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(function(m, "counts"), NEEDS, 32, (void *[]){ &n }), CU_OK);
	IS(launch(function(m, "counts"), NEEDS - 1, 32, (void *[]){ &n }), CU_OK);
	IS(launch(function(m, "reads_clock"), NEEDS, 32, (void *[]){ &at }), CU_OK);
}

/* Never ends. */
static void forever(const char *path)
{
	struct cu_module *m = module(path);
	uint64_t n = 10;
	void *param[] = { &n };

	IS(launch(function(m, "counts"), 2, 32, param), CU_OK);
	n = UINT64_MAX;
	IS(launch(function(m, "counts"), 2, 32, param), CU_OK);
}

static void touch(const char *path)
{
	uint64_t a = 0;

	(void)path;
	IS(cu_alloc(&a, 64, 0, CU_DEVICE, 0), CU_OK);
	*(volatile int *)(uintptr_t)(a + 8) = 1;
}

static void fork_it(const char *path)
{
	uint64_t a = 0;
	int status = -1;
	pid_t child;

	saxpy(module(path), 1);
	child = fork();
	if (!child)
		_exit(cu_alloc(&a, 4, 0, CU_DEVICE, 0) == CU_NOT_INITIALIZED && cu_sticky() == CU_NOT_INITIALIZED ? 0
														  : 1);
	waitpid(child, &status, 0);
	IS(status, 0);
	IS(cu_alloc(&a, 4, 0, CU_DEVICE, 0), CU_OK);
}

/* Registration is no use of the device: a fork after it alone has one, in both. */
static void fork_early(const char *path)
{
	struct cu_module *m = module(path);
	int status = -1;
	pid_t child = fork();

	saxpy(m, 2);
	if (!child)
		_exit(wrong != 0);
	waitpid(child, &status, 0);
	IS(status, 0);
}

static void print(const char *path)
{
	struct cu_module *m = module(path);

	puts("before");
	IS(launch(function(m, "say"), 3, 1, NULL), CU_OK);
	puts("issued");
	IS(cu_synchronize(), CU_OK);
	puts("after");
}

static void *many(void *m)
{
	saxpy(m, 20);
	return NULL;
}

/* Registered memory that the program has taken away: the next look at it is its own fault. */
static void unmapped(const char *path)
{
	unsigned char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), byte;
	uint64_t at = 0;

	(void)path;
	IS(cu_register(&at, page, 8192, 0), CU_OK);
	munmap(page, 8192);
	cu_copy_line(of(&byte), at + 5, 1, CU_DEVICE_TO_HOST, NULL);
}

static void threads(const char *path)
{
	struct cu_module *m = module(path);
	pthread_t t[4];

	for (unsigned i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, many, m);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

/* Kernels that never end: what stops them says so to the program, as a watchdog would. */
static void stopped(struct cu_function *f, void **param)
{
	IS(launch(f, 2, 64, param), CU_OK);
	IS(cu_synchronize(), CU_LAUNCH_TIMEOUT);
	IS(launch(f, 2, 64, param), CU_LAUNCH_TIMEOUT);
}

static void endless(const char *path)
{
	uint64_t n = UINT64_MAX;

	stopped(function(module(path), "counts"), (void *[]){ &n });
}

static void hungry(const char *path) { stopped(function(module(path), "hungry"), NULL); }

/* Each launch is short, and all of them are too much. */
static void often(const char *path)
{
	struct cu_function *f = function(module(path), "counts");
	uint64_t n = 20000;
	void *param[] = { &n };
	unsigned done = 0;

	while (done < 100 && launch(f, 2, 64, param) == CU_OK && cu_synchronize() == CU_OK)
		done++;
	printf("%u launches\n", done);
	IS(cu_reset(), CU_OK); /* which forgets the error, not what is spent */
	IS(launch(f, 2, 64, param), CU_OK);
	IS(cu_synchronize(), done < 100 ? CU_LAUNCH_TIMEOUT : CU_OK);
}

static void prints(const char *path)
{
	IS(launch(function(module(path), "prints"), 1000, 768, NULL), CU_OK);
	IS(cu_synchronize(), CU_OK);
	puts("");
}

/* With --max-memory 64. */
static void starved(const char *path)
{
	uint64_t at = 0, left = 0, total = 0;
	enum { MIB = 1 << 20 };

	IS(cu_alloc(&at, 100 * MIB, 0, CU_DEVICE, 0), CU_OUT_OF_MEMORY);
	IS(cu_alloc(&at, 100 * MIB, 0, CU_MANAGED, 0), CU_OUT_OF_MEMORY);
	IS(cu_alloc(&at, 100 * MIB, 4096, CU_DEVICE, 0), CU_OUT_OF_MEMORY);
	IS(cu_memory_info(&left, &total), CU_OK);
	CHECK(left <= 64 * MIB && left > 40 * MIB && total > left);
	for (unsigned i = 0; i < 8; i++) { /* what is given back can be had again */
		IS(cu_alloc(&at, 30 * MIB, i & 1 ? 4096 : 0, i & 2 ? CU_MANAGED : CU_DEVICE, 0), CU_OK);
		IS(cu_free(at, i & 2 ? CU_MANAGED : CU_DEVICE), CU_OK);
	}
	saxpy(module(path), 1);
}

/* A program that frees when it ends, as globals of C++ do, runs out of memory in a launch. */
static void free_at_end(void) { cu_free(4096, CU_DEVICE); }

static void farewell(const char *path)
{
	atexit(free_at_end);
	run(path);
}

enum { CHAIN = 1000 };

/* A thread of little stack has a kernel compiled whose loop ends where a long chain of instructions says, and launches
 * it. */
static void *once(void *text)
{
	struct cu_module *m = NULL;
	uint64_t at = 0;
	uint32_t turns = 0, want = 0;

	IS(cu_alloc(&at, 4, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_module_load(&m, text, "chain"), CU_OK);
	IS(launch(function(m, "chain"), 1, 1, (void *[]){ &at }), CU_OK);
	IS(cu_copy_line(of(&turns), at, 4, CU_DEVICE_TO_HOST, NULL), CU_OK);
	for (unsigned i = 0; i < CHAIN; i++)
		want = i & 1 ? want * 3 + 1 : want ^ 5;
	IS(turns, want & 7 ? want & 7 : 1);
	return NULL;
}

static void little(const char *path)
{
	enum { LINE = 80 };
	char *text = calloc(CHAIN + 20, LINE), *end = text;
	pthread_attr_t a;
	pthread_t t;

	(void)path;
	end += sprintf(end, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry chain(.param .u64 x) {\n"
			    ".reg .u32 %%r<3>;\n.reg .pred %%p;\n.reg .u64 %%d;\nld.param.u64 %%d, [x];\n"
			    "ld.global.u32 %%r1, [%%d];\nmov.u32 %%r0, 0;\n");
	for (unsigned i = 0; i < CHAIN; i++)
		end += sprintf(end, i & 1 ? "mad.lo.u32 %%r1, %%r1, 3, 1;\n" : "xor.b32 %%r1, %%r1, 5;\n");
	sprintf(end, "and.b32 %%r1, %%r1, 7;\nagain: add.u32 %%r0, %%r0, 1;\nsetp.lt.u32 %%p, %%r0, %%r1;\n"
		     "@%%p bra again;\nst.global.u32 [%%d], %%r0;\nret;\n}\n");
	pthread_attr_init(&a);
	IS(pthread_attr_setstacksize(&a, 64 << 10), 0);
	IS(pthread_create(&t, &a, once, text), 0);
	pthread_join(t, NULL);
	free(text);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "run", run, "kernels" },
		{ "variables", variables, "kernels" },
		{ "unwritten", unwritten, "kernels" },
		{ "memory", memory, "kernels" },
		{ "boxes", boxes, "kernels" },
		{ "clocks", clocks, "kernels" },
		{ "bad", bad_kernel, "bad" },
		{ "lazy", lazy, "lazy" },
		{ "faults", faults, "kernels" },
		{ "touch", touch, "kernels" },
		{ "lost", lost, "kernels" },
		{ "device", device, "kernels" },
		{ "names", names, "kernels" },
		{ "explained", explained, "kernels" },
		{ "uncompiled", uncompiled, "lazy" },
		{ "forever", forever, "kernels" },
		{ "sizes", sizes, "kernels" },
		{ "wide", wide, "kernels" },
		{ "comma", comma, "kernels" },
		{ "asserts", asserts, "kernels" },
		{ "closes", closes, "kernels" },
		{ "fork", fork_it, "kernels" },
		{ "fork_early", fork_early, "kernels" },
		{ "print", print, "kernels" },
		{ "threads", threads, "kernels" },
		{ "unmapped", unmapped, "kernels" },
		{ "endless", endless, "limits" },
		{ "hungry", hungry, "limits" },
		{ "often", often, "limits" },
		{ "prints", prints, "limits" },
		{ "starved", starved, "kernels" },
		{ "farewell", farewell, "kernels" },
		{ "little", little, "kernels" },
	};

	return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
