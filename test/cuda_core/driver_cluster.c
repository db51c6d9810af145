/* Clusters of blocks: what kernels, functions and launches say of them, and what comes of it. */
#include "driver.h"

#include <stdio.h>

struct attribute {
	int id, pad;
	unsigned size[16];
};
struct config {
	unsigned grid[3], block[3], dynamic_shared;
	void *stream;
	struct attribute *attribute;
	unsigned n;
};
extern int cuLaunchKernelEx(const struct config *, void *, void **, void **);
enum { CTAS = 32, CLUSTER = 4, MUST_BE_SET = 10, WIDTH, HEIGHT, DEPTH, NONPORTABLE };

static ptr out;
static struct attribute size = { .id = CLUSTER };
static struct config config = { .grid = { 8, 1, 1 }, .block = { 1, 1, 1 }, .attribute = &size, .n = 1 };

static int launch(void *f, unsigned x, unsigned y, unsigned z)
{
	size.size[0] = x;
	size.size[1] = y;
	size.size[2] = z;
	return cuLaunchKernelEx(&config, f, (void *[]){ &out }, NULL);
}

static void grid(unsigned x, unsigned y, unsigned z)
{
	config.grid[0] = x;
	config.grid[1] = y;
	config.grid[2] = z;
}

/* The last launch along x had clusters of so many blocks, named or not. */
static void had(unsigned ctas, unsigned named, int line)
{
	unsigned word[CTAS], bad = 0;

	IS(cuMemcpyDtoH_v2(word, out, sizeof word), 0);
	for (unsigned i = 0; i < config.grid[0]; i++)
		bad += word[i] != 10000 * ctas + 100 * (i % ctas) + named;
	is(bad, 0, "wrong words", line);
	IS(cuMemsetD32_v2(out, 0, CTAS), 0);
}
#define HAD(ctas, named) had(ctas, named, __LINE__)

static int told(void *f, int attribute)
{
	int v = -1;

	IS(cuFuncGetAttribute(&v, attribute, f), 0);
	return v;
}

static int largest(void *f)
{
	int v = -1;

	IS(cuOccupancyMaxPotentialClusterSize(&v, f, &config), 0);
	return v;
}

static void *open_kernels(const char *folder, const char *file)
{
	char path[4096];
	void *m = NULL;

	context();
	IS(cuMemAlloc_v2(&out, CTAS * 4), 0);
	snprintf(path, sizeof path, "%s/%s", folder, file);
	IS(cuModuleLoad(&m, path), 0);
	return m;
}

static void *function(void *m, const char *name)
{
	void *f = NULL;

	IS(cuModuleGetFunction(&f, m, name), 0);
	return f;
}

void clusters(const char *folder)
{
	void *m = open_kernels(folder, "cluster.ptx"), *any = function(m, "any"), *two = function(m, "two"),
	     *four = function(m, "four"), *given = function(m, "given"), *prints = function(m, "prints");
	void *param[] = { &out };
	int fit = -1;

	/* Of any size, by the launch or by the function. */
	config.n = 0;
	IS(launch(any, 0, 0, 0), 0);
	HAD(1, 0);
	config.n = 1;
	IS(launch(any, 4, 1, 1), 0);
	HAD(4, 1);
	IS(launch(any, 3, 1, 1), 912);
	IS(launch(any, 4, 0, 1), 912);
	IS(launch(any, 65536, 65536, 1), 912);
	launch(any, 1u << 22, 1u << 21, 1u << 21); /* 0 in 64 bits */
	IS(cuOccupancyMaxActiveClusters(&fit, any, &config), 912);
	IS(told(any, MUST_BE_SET), 0);
	IS(cuFuncSetAttribute(any, WIDTH, 2), 0);
	IS(cuFuncSetAttribute(any, HEIGHT, 1), 0);
	IS(cuFuncSetAttribute(any, DEPTH, 1), 0);
	IS(cuLaunchKernel(any, 8, 1, 1, 1, 1, 1, 0, NULL, param, NULL), 0);
	HAD(2, 1);
	for (int i = WIDTH; i <= DEPTH; i++)
		IS(cuFuncSetAttribute(any, i, 0), 0);
	grid(2, 2, 4);
	IS(launch(any, 2, 2, 2), 0);
	IS(launch(any, 2, 2, 4), 912);
	IS(cuFuncSetAttribute(any, NONPORTABLE, 1), 0);
	IS(launch(any, 2, 2, 4), 0);
	IS(largest(any), 16);
	grid(8, 1, 1);
	/* As the kernel says. */
	IS(told(two, MUST_BE_SET), 1);
	CHECK(told(two, WIDTH) == 2 && told(two, HEIGHT) == 1 && told(two, DEPTH) == 1);
	IS(cuFuncSetAttribute(two, WIDTH, 2), 800);
	IS(cuLaunchKernel(two, 8, 1, 1, 1, 1, 1, 0, NULL, param, NULL), 0);
	HAD(2, 1);
	IS(cuLaunchKernel(two, 7, 1, 1, 1, 1, 1, 0, NULL, param, NULL), 912);
	IS(launch(two, 2, 1, 1), 0);
	HAD(2, 1);
	IS(launch(two, 4, 1, 1), 912);
	IS(launch(two, 1, 1, 1), 912);
	IS(largest(two), 2);
	/* Up to a size, and of one that must be given. */
	IS(launch(four, 4, 1, 1), 0);
	HAD(4, 1);
	IS(launch(four, 8, 1, 1), 912);
	IS(largest(four), 4);
	IS(told(four, MUST_BE_SET), 0);
	IS(cuLaunchKernel(given, 8, 1, 1, 1, 1, 1, 0, NULL, param, NULL), 912);
	IS(launch(given, 1, 1, 1), 0);
	HAD(1, 1);
	IS(launch(given, 8, 1, 1), 0);
	HAD(8, 1);
	IS(told(given, MUST_BE_SET), 1);
	IS(told(given, WIDTH), 0);
	/* A text in the memory of another block. */
	grid(2, 1, 1);
	IS(launch(prints, 2, 1, 1), 0);
	IS(cuCtxSynchronize(), 0);
}

/* Of compute capability 8.0. */
void no_clusters(const char *folder)
{
	void *m = open_kernels(folder, "lazy.ptx"), *f = function(m, "apply");
	int v = -1;

	IS(cuDeviceGetAttribute(&v, 120, 0), 0);
	IS(v, 0);
	IS(cuFuncSetAttribute(f, WIDTH, 2), 1);
	IS(launch(f, 2, 1, 1), 801);
	IS(cuOccupancyMaxActiveClusters(&v, f, &config), 801);
	IS(largest(f), 1);
}

/* Of one SM. */
void room_of_clusters(const char *folder)
{
	void *m = open_kernels(folder, "cluster.ptx"), *any = function(m, "any");
	int room = 0, v = -1;

	config.block[0] = 512;
	IS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&room, any, 512, 0), 0);
	CHECK(room >= 2 && room < 8);
	IS(largest(any), room);
	IS(launch(any, 2, 1, 1), 0);
	HAD(2, 1);
	IS(cuOccupancyMaxActiveClusters(&v, any, &config), 0);
	IS(v, room / 2);
	IS(launch(any, 8, 1, 1), 912);
}
