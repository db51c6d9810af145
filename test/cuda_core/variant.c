/* Kernels that have a variant whose warps share registers, and what they must not be seen to do twice. */
#include "test/cuda_core/core.h"

#include "runtime-model/cuda/core/virtual.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { CTAS = 64, COUNT = CTAS * 128 };

/* What peak.ptx computes of one value. */
static float peak_of(float x, unsigned n)
{
	float f[32] = { 0 };

	for (unsigned i = 0; i < n; i++)
		f[0] = fmaf(f[0], 0.5f, x);
	f[1] = x;
	for (unsigned i = 0; i < 30; i++)
		f[i + 2] = fmaf(f[0], 0.5f, f[i + 1]);
	for (unsigned i = 0; i < 30; i++)
		f[i + 2] = fmaf(f[i + 2], f[(i * 7 + 3) % 30 + 2], f[0]);
	for (unsigned i = 0; i < 30; i++)
		f[0] += f[i + 2];
	return f[0];
}

/* peak of what is at `at`, where it lies: executed twice by mistake, it would leave something else. */
static void run_peak(struct cu_function *f, uint64_t at)
{
	unsigned n = 3;
	void *param[] = { &at, &at, &n };

	IS(launch(f, CTAS, 64, param), CU_INVALID_VALUE); /* .reqntid */
	IS(launch(f, CTAS, 128, param), CU_OK);
}

static void fill(float *value)
{
	for (unsigned i = 0; i < COUNT; i++)
		value[i] = (float)(i % 17) / 64;
}

static void compare(const float *value)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < COUNT; i++)
		bad += value[i] != peak_of((float)(i % 17) / 64, 3);
	CHECK(bad == 0);
}

static void peak(const char *path)
{
	static float value[COUNT];
	uint64_t at = 0;

	fill(value);
	IS(cu_alloc(&at, sizeof value, 0, CU_DEVICE, 0), CU_OK);
	IS(cu_copy_line(at, of(value), sizeof value, CU_HOST_TO_DEVICE, NULL), CU_OK);
	run_peak(function(module(path), "peak"), at);
	IS(cu_copy_line(of(value), at, sizeof value, CU_DEVICE_TO_HOST, NULL), CU_OK);
	compare(value);
}

/* In memory that malloc gave on the device. */
static void heap(const char *path)
{
	static float value[COUNT];
	uint64_t at = 0, got = 0, bytes = sizeof value;
	void *take[] = { &at, &bytes }, *in[] = { &got, &at, &bytes }, *out[] = { &at, &got, &bytes };
	struct cu_module *m;
	char other[4096];

	snprintf(other, sizeof other, "%.*sheap.ptx", (int)(strlen(path) - strlen("peak.ptx")), path);
	m = module(other);
	fill(value);
	IS(cu_alloc(&at, sizeof value, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(function(m, "take"), 1, 1, take), CU_OK);
	IS(cu_copy_line(of(&got), at, sizeof got, CU_DEVICE_TO_HOST, NULL), CU_OK);
	IS(cu_copy_line(at, of(value), sizeof value, CU_HOST_TO_DEVICE, NULL), CU_OK);
	IS(launch(function(m, "fetch"), 1, 1, in), CU_OK);
	run_peak(function(module(path), "peak"), got);
	IS(launch(function(m, "fetch"), 1, 1, out), CU_OK);
	IS(cu_copy_line(of(value), at, sizeof value, CU_DEVICE_TO_HOST, NULL), CU_OK);
	compare(value);
}

/* Beyond what malloc gave. */
static void beyond(const char *path)
{
	uint64_t at = 0, got = 0, bytes = 64;
	void *take[] = { &at, &bytes }, *in[] = { &at, &got, &bytes };
	struct cu_module *m;
	char other[4096];

	snprintf(other, sizeof other, "%.*sheap.ptx", (int)(strlen(path) - strlen("peak.ptx")), path);
	m = module(other);
	IS(cu_alloc(&at, 4096, 0, CU_DEVICE, 0), CU_OK);
	IS(launch(function(m, "take"), 1, 1, take), CU_OK);
	IS(cu_copy_line(of(&got), at, sizeof got, CU_DEVICE_TO_HOST, NULL), CU_OK);
	bytes = 128;
	IS(launch(function(m, "fetch"), 1, 1, in), CU_OK);
	IS(cu_synchronize(), CU_ILLEGAL_ADDRESS);
}

/* In a process that has reserved addresses, of whose memory there is no copy. */
static void reserved(const char *path)
{
	uint64_t at = 0;

	IS(cu_reserve(&at, CU_GRANULE, 0, 0), CU_OK);
	peak(path);
}

/* ---- the host writes to what it shares, while kernels run ---- */
struct counter {
	uint64_t volatile *cell[3];
	uint64_t done;
	atomic_bool stop;
};

static void *count(void *p)
{
	struct counter *c = p;

	while (!atomic_load(&c->stop)) {
		for (unsigned i = 0; i < 3; i++)
			++*c->cell[i];
		c->done++;
	}
	return NULL;
}

static void host_writes(const char *path)
{
	static uint64_t mine[512];
	struct cu_function *f = function(module(path), "peak");
	struct counter c = { .done = 0 };
	uint64_t pinned = 0, managed = 0, at = 0;
	pthread_t t;

	IS(cu_alloc(&pinned, 4096, 0, CU_PINNED, 0), CU_OK);
	IS(cu_alloc(&managed, 4096, 0, CU_MANAGED, 0), CU_OK);
	IS(cu_register(NULL, mine, sizeof mine, 0), CU_OK);
	IS(cu_alloc(&at, COUNT * sizeof(float), 0, CU_DEVICE, 0), CU_OK);
	c.cell[0] = (void *)(uintptr_t)pinned;
	c.cell[1] = (void *)(uintptr_t)managed;
	c.cell[2] = mine;
	pthread_create(&t, NULL, count, &c);
	for (unsigned i = 0; i < 3; i++)
		run_peak(f, at);
	atomic_store(&c.stop, true);
	pthread_join(t, NULL);
	for (unsigned i = 0; i < 3; i++)
		CHECK(c.done && *c.cell[i] == c.done);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "peak", peak, "peak" },
		{ "heap", heap, "peak" },
		{ "beyond", beyond, "peak" },
		{ "reserved", reserved, "peak" },
		{ "host_writes", host_writes, "peak" },
	};

	return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
