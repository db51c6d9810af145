/* A libcuda.so.1 for test/script/hardware.sh, whose device executes nothing: what is not computed differs. DRIVER_SAYS
 * is "FUNCTION=STATUS" of one that fails, DRIVER_MAJOR the major number of the compute capability, DRIVER_KEEPS a file
 * for the text that it is to load. Its functions take whatever they are given. DRIVER_MATRIX "TERMS,BITS": matrix_f16
 * alone is executed, for D[0][0], as published measurements of matrix units have it: so many terms at a time, with what
 * the terms before gave, are shifted to the exponent of the largest and lose what is below so many fraction bits; sums
 * are truncated. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed; /* as on a GPU, where a kernel that failed takes all that follows with it */

static int status_of(const char *name)
{
	const char *says = getenv("DRIVER_SAYS");
	const size_t n = strlen(name);

	if (says && strncmp(says, name, n) == 0 && says[n] == '=') {
		if (strcmp(name, "cuEventSynchronize") == 0)
			failed = atoi(says + n + 1);
		return atoi(says + n + 1);
	}
	return strncmp(name, "cuMem", 5) == 0 ? failed : 0;
}

static int attribute(uintptr_t which)
{
	if (which == 75)
		return getenv("DRIVER_MAJOR") ? atoi(getenv("DRIVER_MAJOR")) : 8;
	return which == 13 ? 1000000 : 6;
}

static void keep(const char *text)
{
	FILE *f = getenv("DRIVER_KEEPS") ? fopen(getenv("DRIVER_KEEPS"), "w") : NULL;

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static double half(uint32_t h)
{
	const int e = h >> 10 & 31, m = h & 1023;
	const double v = e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);

	return h & 0x8000 ? -v : v;
}

/* Term k of row 0 of A and column 0 of B of m16n8k16, whose registers are in a lane's words 0 to 3 and 4 and 5. */
static double product(uint32_t in[32][10], unsigned k)
{
	const uint32_t *lane = in[k % 8 / 2];
	const unsigned shift = k % 2 * 16;

	return half(lane[k / 8 * 2] >> shift & 0xffff) * half(lane[4 + k / 8] >> shift & 0xffff);
}

/* v without what is below that power of two. */
static double cut(double v, int least) { return ldexp(trunc(ldexp(v, -least)), least); }

static void add_up(uint32_t in[32][10], float *out)
{
	enum { TERMS = 16, BITS = 23 };
	unsigned each = 1;
	int bits = 0;
	float c;
	double sum;

	memcpy(&c, &in[0][6], sizeof c);
	sum = c;
	if (sscanf(getenv("DRIVER_MATRIX"), "%u,%d", &each, &bits) != 2 || !each)
		return;
	for (unsigned k = 0; k < TERMS; k += each) {
		double all = 0;
		int top = sum != 0 ? ilogb(sum) : -1000;

		for (unsigned i = k; i < k + each; i++)
			if (product(in, i) != 0 && ilogb(product(in, i)) > top)
				top = ilogb(product(in, i));
		all = cut(sum, top - bits);
		for (unsigned i = k; i < k + each; i++)
			all += cut(product(in, i), top - bits);
		sum = all != 0 && ilogb(all) > -126 ? cut(all, ilogb(all) - BITS) : all;
	}
	*out = (float)sum;
}

static void launch(const char *kernel, void **extra)
{
	uintptr_t param[2];

	if (!getenv("DRIVER_MATRIX") || strcmp(kernel, "matrix_f16") != 0)
		return;
	memcpy(param, extra[1], sizeof param);
	add_up((void *)param[1], (void *)param[0]);
}

static int answer(const char *name, uintptr_t a, uintptr_t b, uintptr_t c)
{
	const int status = status_of(name);
	static const float ms = 1;
	const int one = 1;
	const char *text = "CUDA_ERROR_OF_A_TEST";

	if (!strcmp(name, "cuGetErrorName"))
		memcpy((void *)b, &text, sizeof text);
	else if (status)
		return status;
	else if (!strcmp(name, "cuDeviceGetCount"))
		memcpy((void *)a, &one, sizeof one);
	else if (!strcmp(name, "cuDeviceGetName"))
		snprintf((char *)a, b, "idle device");
	else if (!strcmp(name, "cuDeviceGetAttribute"))
		*(int *)a = attribute(b);
	else if (!strcmp(name, "cuFuncGetAttribute"))
		*(int *)a = 10;
	else if (!strcmp(name, "cuModuleLoadDataEx"))
		keep((const char *)b);
	else if (!strcmp(name, "cuModuleGetFunction"))
		memcpy((void *)a, &c, sizeof c);
	else if (!strcmp(name, "cuModuleGetGlobal_v2"))
		return 500;
	else if (!strcmp(name, "cuMemAlloc_v2"))
		*(void **)a = calloc(1, b);
	else if (!strcmp(name, "cuMemcpyHtoD_v2") || !strcmp(name, "cuMemcpyDtoH_v2"))
		memcpy((void *)a, (void *)b, c);
	else if (!strcmp(name, "cuEventElapsedTime"))
		memcpy((void *)a, &ms, sizeof ms);
	return 0;
}

int cuLaunchKernel(uintptr_t kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		   unsigned shared, uintptr_t stream, uintptr_t param, void **extra);
int cuLaunchKernel(uintptr_t kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		   unsigned shared, uintptr_t stream, uintptr_t param, void **extra)
{
	const uintptr_t unused = gx + gy + gz + bx + by + bz + shared + stream + param;
	const int status = answer("cuLaunchKernel", kernel, unused, 0);

	if (!status)
		launch((const char *)kernel, extra);
	return status;
}

#define cuLaunchKernel none /* in the list, too */
#define DRIVER(name, takes)                              \
	int name(uintptr_t a, uintptr_t b, uintptr_t c); \
	int name(uintptr_t a, uintptr_t b, uintptr_t c) { return answer(#name, a, b, c); }
#include "runtime-model/hardware/driver.def"
