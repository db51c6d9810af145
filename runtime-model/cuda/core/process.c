/* The process: its one lock, its start, what every call looks at first. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/ram.h"
#include "analyzer/base/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct process process = { .lock = PTHREAD_MUTEX_INITIALIZER, .report = { .fd = -1 } };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started;
/* forked: this is a child of a process that has used the device, and has none itself */
static atomic_bool used, forked;

void say(const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof text)
		strcpy(text + sizeof text - 4, "...");
	fprintf(stderr, "regloom: %s\n", text);
	heard("regloom: ");
	heard(text);
	heard("\n");
}

bool explains(enum explained e)
{
	const struct process *p = &process;

	return !(p->explained & 1u << e) && p->opt.wrapped && !p->opt.given[CUDA_OPT_QUIET];
}

void explain(enum explained e, const char *fmt, ...)
{
	struct process *p = &process;
	char text[512];
	va_list ap;

	if (!explains(e))
		return;
	p->explained |= 1u << e;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say("note: %s", text);
}

void explain_outside(enum explained e, const char *why)
{
	if (enter_anyway())
		return;
	explain(e, "%s", why);
	leave(CU_OK);
}

void handle_gone(void *handle)
{
	struct process *p = &process;
	void **at = &p->gone[p->ngone++ % (sizeof p->gone / sizeof *p->gone)];

	free(*at);
	*at = handle;
}

uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- statuses ---- */
static const struct {
	int number;
	const char *runtime, *driver, *text;
} status[] = {
#define STATUS(id, number, runtime, driver, text) { number, runtime, driver, text },
#include "runtime-model/cuda/core/status.def"
#undef STATUS
};

static int status_row(int s)
{
	for (unsigned i = 0; i < sizeof status / sizeof *status; i++)
		if (status[i].number == s)
			return (int)i;
	return -1;
}

const char *cu_status_runtime_name(int s) { return status_row(s) < 0 ? NULL : status[status_row(s)].runtime; }
const char *cu_status_driver_name(int s) { return status_row(s) < 0 ? NULL : status[status_row(s)].driver; }
const char *cu_status_text(int s) { return status_row(s) < 0 ? NULL : status[status_row(s)].text; }

/* ---- what kernels print ---- */
/* Kept until the program waits, as on a GPU; more is shown at once, where a GPU would lose it. */
enum { PRINT_BYTES = 1 << 20 };

static void show_prints(struct process *p)
{
	fwrite(p->printed, 1, p->nprinted, stdout);
	p->nprinted = 0;
}

static ssize_t keep_print(void *ctx, const char *text, size_t n)
{
	struct process *p = ctx;
	const uint64_t most = p->opt.number[CUDA_OPT_MAX_PRINTF] << 20;
	size_t left = most && n > most - p->print_total ? (size_t)(most - p->print_total) : n;

	if (left < n && !p->print_cut) {
		say("warning: kernels have printed more than %llu MiB, and the rest is lost; --max-printf MIB sets "
		    "another "
		    "limit, 0 none",
		    (unsigned long long)(most >> 20));
		p->print_cut = p->cut = true;
	}
	p->print_total += left;
	while (left) {
		const size_t fits = left < PRINT_BYTES - p->nprinted ? left : PRINT_BYTES - p->nprinted;

		memcpy(p->printed + p->nprinted, text, fits);
		p->nprinted += fits;
		text += fits;
		left -= fits;
		if (p->nprinted == PRINT_BYTES)
			show_prints(p);
	}
	return (ssize_t)n;
}

void flush_prints(void)
{
	struct process *p = &process;

	if (p->print && fflush(p->print) == 0)
		show_prints(p);
}

/* ---- start ---- */
static void before_fork(void)
{
	pthread_mutex_lock(&process.lock);
	watch_hold();
}

static void in_parent(void)
{
	process.forks = true;
	watch_release();
	pthread_mutex_unlock(&process.lock);
}

static void in_child(void)
{
	struct process *p = &process;

	forked |= used;
	if (p->report.fd >= 0) { /* for a lock of its own */
		if (own_is(&p->report))
			close(p->report.fd);
		own_set(&p->report, open(p->opt.text[CUDA_OPT_REPORT], O_WRONLY | O_APPEND | O_CLOEXEC));
	}
	watch_release();
	pthread_mutex_unlock(&p->lock);
}

/* The device in CUDA's terms. What a machine description does not say is what every GPU of these compute capabilities
 * has. */
static void describe_device(struct process *p)
{
	const struct params *m = p->opt.machine;
	char *name = arena_printf(&p->a, "regloom %s%s%s", m->machine, *m->changes ? ", " : "", m->changes);
	/* What is timed must fit the machine; what is executed alone only has the limits of its compute capability. */
	const bool timed = p->opt.configs->n != 0;
	const unsigned per_sm = timed ? m->shared_bytes : p->opt.shared_sm,
		       optin = p->opt.shared_cta < per_sm ? p->opt.shared_cta : per_sm;
	struct params *sm = new(&p->a, struct params);

	*sm = *m;
	sm->shared_bytes = per_sm;
	sm->rf_registers = timed || m->rf_registers > 65536 ? m->rf_registers : 65536;
	p->sm = sm;
	p->device = (struct cu_device){
		.name = name,
		.major = p->opt.sm / 10,
		.minor = p->opt.sm % 10,
		.sms = m->sms,
		.threads_per_sm = m->threads_per_sm,
		.ctas_per_sm = m->ctas_per_sm,
		.warp = 32,
		.threads_per_cta = 1024,
		.block = { 1024, 1024, 64 },
		.grid = { INT32_MAX, 65535, 65535 },
		.registers_per_sm = sm->rf_registers,
		.registers_per_cta = sm->rf_registers < 65536 ? sm->rf_registers : 65536,
		.memory = p->bytes / 4,
		.constant = 65536,
		.l2 = (uint64_t)m->partitions * m->l2_slices * m->l2_sets * m->l2_ways * 128,
		.shared_per_sm = per_sm,
		.shared_per_cta = per_sm < 49152 ? per_sm : 49152,
		.shared_optin = optin,
		.shared_reserved = timed || p->opt.sm < 80 ? 0 : 1024,
		.clock_khz = m->sm_mhz * 1000,
		.memory_clock_khz = m->dram_mhz * 1000,
		.bus_bits = m->partitions * m->dram_bytes_cycle * 4,
		.copy_engines = 2,
		.texture_align = 256,
		.pitch_align = 512,
		.surface_align = 512,
		.pci_bus = 1,
		.uuid = "regloom\0model\0\0",
	};
}

static bool read_options(struct process *p)
{
	const char *json = getenv(CUDA_ENVIRONMENT);
	int rest;

	return json && *json ? cuda_options_environment(&p->opt, json, &p->a, &p->d)
			     : cuda_options_parse(&p->opt, 0, NULL, &rest, &p->a, &p->d);
}

static void open_report(struct process *p)
{
	const char *path = p->opt.text[CUDA_OPT_REPORT];

	own_set(&p->report, path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1);
	if (path && p->report.fd < 0)
		say("error: %s: cannot be written: %s; there is no report", path, strerror(errno));
}

static void keep_status(int code, void *ctx)
{
	(void)ctx;
	process.status = code;
}

bool is_first_process(void)
{
	const char *first = getenv(CUDA_FIRST_PROCESS);

	return !first || strtol(first, NULL, 10) == (long)getpid();
}

/* The one device is the first that a program may see, whatever its number: CUDA_VISIBLE_DEVICES may only hide it. */
static bool is_hidden(void)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");

	return visible && (!*visible || *visible == '-');
}

static void make_ready(struct process *p)
{
	arena_init(&p->a);
	diag_init(&p->d, NULL);
	p->started_ns = clock_ns();
	p->legacy.id = ++p->ids;
	p->limit[CU_LIMIT_STACK] = STACK_DEFAULT;
	p->limit[CU_LIMIT_PRINTF] = 1 << 20;
	p->limit[CU_LIMIT_HEAP] = HEAP_DEFAULT;
	pthread_atfork(before_fork, in_parent, in_child);
	if (!read_options(p) || !host_reserve(p)) {
		fputs(p->d.last ? p->d.last : "", stderr);
		say("there is no device: the error above");
		p->dead = CU_NO_DEVICE;
		return;
	}
	if (is_hidden()) {
		p->dead = CU_NO_DEVICE;
		return;
	}
	ram_limit(p->opt.given[CUDA_OPT_MAX_MEMORY] ? p->opt.number[CUDA_OPT_MAX_MEMORY] << 20 : ram_share());
	describe_device(p);
	p->printed = new_array_raw(&p->a, char, PRINT_BYTES);
	p->print = fopencookie(p, "w", (cookie_io_functions_t){ .write = keep_print });
	p->dev = device_new_at(&p->d, p->base, p->bytes);
	device_serve_requests(p->dev, condition_there);
	device_set_host(p->dev, p->print, 0);
	device_set_mufu(p->dev, p->opt.mufu);
	if (p->opt.sanitize)
		p->sanitizer = sanitizer_new(p->opt.sanitize, finding_say, NULL);
	device_set_sanitizer(p->dev, p->sanitizer);
	p->timed_cycles = new_array(&p->a, uint64_t, p->opt.configs->n + 1);
	open_report(p);
	on_exit(keep_status, NULL);
	host_watch();
	watch_start();
	host_check_libraries();
	started = true;
}

static void start(void)
{
	locale_t theirs;

	process.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	theirs = uselocale(process.plain);
	make_ready(&process);
	uselocale(theirs);
}

enum cu_status cu_start(void)
{
	if (forked)
		return CU_NOT_INITIALIZED;
	pthread_once(&once, start);
	return process.dead;
}

const struct cu_device *cu_device(void)
{
	if (cu_start() == CU_NO_DEVICE) {
		static const struct cu_device none = { .name = "none" };

		return &none;
	}
	return &process.device;
}

enum cu_status enter_anyway(void)
{
	enum cu_status s = ram_is_out() ? CU_OUT_OF_MEMORY : cu_start();

	/* Once memory is out the lock may be held by whoever ends the process; what is called meanwhile finds no
	 * device. */
	if (!s) {
		pthread_mutex_lock(&process.lock);
		process.theirs = uselocale(process.plain);
	}
	return s;
}

enum cu_status enter_registration(void)
{
	enum cu_status s = enter_anyway();

	if (s)
		return s;
	return process.sticky ? leave(process.sticky) : CU_OK;
}

enum cu_status enter(void)
{
	used |= !forked;
	return enter_registration();
}

enum cu_status leave(enum cu_status s)
{
	uselocale(process.theirs);
	pthread_mutex_unlock(&process.lock);
	return s;
}

enum cu_status cu_sticky(void)
{
	enum cu_status s = enter_anyway();

	return s ? s : leave(process.sticky);
}

static _Thread_local struct {
	char *at;
	size_t room;
} listener;

void cu_listen(char *text, size_t room)
{
	listener.at = room ? text : NULL;
	listener.room = room;
	if (listener.at)
		*listener.at = 0;
}

void heard(const char *text)
{
	const size_t n = strlen(text), cut = n < listener.room ? n : listener.room - 1, fits = listener.at ? cut : 0;

	if (!listener.at)
		return;
	memcpy(listener.at, text, fits);
	listener.at += fits;
	listener.room -= fits;
	*listener.at = 0;
}

struct stacked {
	void (*f)(void *);
	void *ctx;
	char **at;
	size_t *room;
};

/* Perhaps on another thread, which has a locale of its own, and where nobody listens. */
static void stacked(void *ctx)
{
	const struct stacked *c = ctx;
	const locale_t before = uselocale(process.plain);

	listener.at = *c->at;
	listener.room = *c->room;
	c->f(c->ctx);
	*c->at = listener.at;
	*c->room = listener.room;
	uselocale(before);
}

void with_stack(void (*f)(void *), void *ctx)
{
	stack_run(stacked, &(struct stacked){ f, ctx, &listener.at, &listener.room });
}

const char *last_error(void)
{
	struct process *p = &process;
	const char *text = p->d.last ? arena_strndup(&p->a, p->d.last, strlen(p->d.last)) : "";

	heard(text);
	diag_free(&p->d);
	diag_init(&p->d, NULL);
	return text;
}

/* ---- waiting ---- */
enum cu_status cu_synchronize(void)
{
	enum cu_status s = enter_anyway();

	if (s)
		return s;
	flush_prints();
	stream_wait_host(NULL);
	return leave(process.sticky);
}

enum cu_status cu_reset(void)
{
	enum cu_status s = enter_anyway();
	struct process *p = &process;

	if (s)
		return s;
	flush_prints();
	arrays_reset();
	virtual_reset();
	memory_reset();
	pools_reset();
	streams_reset();
	device_free(p->dev);
	p->dev = device_new_at(&p->d, p->base, p->bytes);
	device_serve_requests(p->dev, condition_there);
	device_set_host(p->dev, p->print, p->limit[CU_LIMIT_HEAP]);
	device_set_mufu(p->dev, p->opt.mufu);
	device_set_sanitizer(p->dev, p->sanitizer);
	modules_reset();
	p->sticky = CU_OK;
	return leave(CU_OK);
}

static bool runtime_here;
void cu_runtime_enter(void) { runtime_here = true; }
bool cu_runtime_here(void) { return runtime_here; }

void cu_missing(const char *function)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const char *said[512];
	static unsigned n;
	bool again = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n; i++)
		again |= strcmp(said[i], function) == 0;
	if (!again && n < 512)
		said[n++] = function;
	pthread_mutex_unlock(&lock);
	host_check_libraries(); /* another's runtime asks for more than programs do */
	if (again)
		return;
	if (strstr(function, "GetExportTable"))
		say("%s is not there yet: it returns an error. What asks for it is a library of NVIDIA's (cuBLAS, "
		    "cuFFT, cuSPARSE, cuDNN, ...) or a runtime that is linked in and stripped of its names: "
		    "these do not run on the model, and what the program computes with them fails",
		    function);
	else
		say("%s is not there yet: it returns an error", function);
}

void cu_mark(bool on)
{
	if (!enter_anyway()) {
		report_mark(on);
		leave(CU_OK);
	}
}

/* ---- limits ---- */
enum cu_status cu_limit_set(enum cu_limit l, uint64_t bytes)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (l >= CU_LIMIT_COUNT || (l == CU_LIMIT_STACK && bytes > 512 << 10))
		return leave(CU_INVALID_VALUE);
	if (l == CU_LIMIT_HEAP && !device_set_heap(process.dev, bytes))
		return leave(CU_INVALID_VALUE);
	process.limit[l] = bytes;
	return leave(CU_OK);
}

enum cu_status cu_limit_get(enum cu_limit l, uint64_t *bytes)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (l >= CU_LIMIT_COUNT || !bytes)
		return leave(CU_INVALID_VALUE);
	*bytes = process.limit[l];
	return leave(CU_OK);
}

/* ---- end ---- */
__attribute__((destructor)) static void end(void)
{
	struct process *p = &process;
	int code = p->status;
	bool found;

	if (!started || forked || !p->launches || ram_is_out())
		return;
	if (enter_anyway())
		return;
	watch_stop();
	flush_prints();
	report_end(true);
	found = p->sanitizer && sanitizer_findings(p->sanitizer);
	if ((p->failure || p->not_launched || found) && p->opt.given[CUDA_OPT_ERROR_EXIT])
		code = (int)p->opt.number[CUDA_OPT_ERROR_EXIT];
	else if (!code && (p->report_lost || p->cut))
		code = 1;
	leave(CU_OK);
	if (code != p->status) {
		fflush(NULL);
		_exit(code);
	}
}
