/* Machine code, on a device of compute capability 7.5: cubins as they are, versions in fatbins, and what is damaged. */
#include "driver.h"

#include "test/cuda_core/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS, SHARED, CONSTANT, LOCAL, REGISTERS, PTX_VERSION, BINARY_VERSION };
enum { N = 1000, THREADS = 64 };

static char *read_file(const char *folder, const char *name, size_t *n)
{
	char path[4096], *bytes = NULL;
	FILE *f;

	snprintf(path, sizeof path, "%s/../%s", folder, name);
	f = fopen(path, "rb");
	CHECK(f && fseek(f, 0, SEEK_END) == 0);
	*n = f ? (size_t)ftell(f) : 0;
	rewind(f);
	bytes = malloc(*n);
	CHECK(fread(bytes, 1, *n, f) == *n);
	fclose(f);
	return bytes;
}

static void *load(const char *folder, const char *name)
{
	char path[4096];
	void *m = NULL;

	snprintf(path, sizeof path, "%s/../%s", folder, name);
	IS(cuModuleLoad(&m, path), 0);
	return m;
}

static int attribute(void *f, int which)
{
	int v = -1;

	IS(cuFuncGetAttribute(&v, which, f), 0);
	return v;
}

/* y = a x + y by KERNEL of m. */
static void axpy(float *out, void *m, const char *kernel)
{
	float x[N], y[N], a = 2.5f;
	unsigned n = N - 3;
	ptr dx = 0, dy = 0;
	void *param[] = { &dy, &dx, &a, &n }, *f = NULL;

	for (unsigned i = 0; i < N; i++) {
		x[i] = (float)i / 4;
		y[i] = 1.25f - (float)i;
	}
	IS(cuMemAlloc_v2(&dx, sizeof x), 0);
	IS(cuMemAlloc_v2(&dy, sizeof y), 0);
	IS(cuMemcpyHtoD_v2(dx, x, sizeof x), 0);
	IS(cuMemcpyHtoD_v2(dy, y, sizeof y), 0);
	IS(cuModuleGetFunction(&f, m, kernel), 0);
	IS(cuLaunchKernel(f, (N + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuMemcpyDtoH_v2(out, dy, sizeof y), 0);
	IS(cuMemFree_v2(dx), 0);
	IS(cuMemFree_v2(dy), 0);
}

/* Memory is as PTX leaves it. */
static void as_ptx(const char *folder)
{
	float y[N], z[N];
	void *cubin = load(folder, "sass/cubin/saxpy.sm_75.cubin"), *ptx = load(folder, "../examples/saxpy/saxpy.ptx"),
	     *f = NULL;

	axpy(y, ptx, "saxpy");
	axpy(z, cubin, "saxpy");
	IS(memcmp(y, z, sizeof y), 0);
	CHECK(y[7] == 2.5f * 1.75f + (1.25f - 7) && y[N - 3] == 1.25f - (N - 3));
	IS(cuModuleGetFunction(&f, cubin, "saxpy"), 0);
	IS(attribute(f, BINARY_VERSION), 75);
	IS(attribute(f, REGISTERS), 10);
	IS(cuModuleGetFunction(&f, cubin, "other"), 500);
	IS(cuModuleUnload(cubin), 0);
	IS(cuModuleUnload(ptx), 0);
}

/* Variables with what they begin as, by name; an address of one in another. */
static void variables(const char *folder)
{
	static const float want[8] = { 1, 2, 3, 5, 8 };
	void *m = load(folder, "sass/cubin/memory.sm_75.cubin"), *library = NULL;
	char path[4096];
	float table[64];
	size_t bytes = 0;
	ptr at = 0, start = 0, counter = 0;
	uint64_t v = 0;

	IS(cuModuleGetGlobal_v2(&at, &bytes, m, "table"), 0);
	IS(bytes, sizeof table);
	IS(cuMemcpyDtoH_v2(table, at, sizeof table), 0);
	IS(memcmp(table, want, sizeof want), 0);
	IS(cuModuleGetGlobal_v2(&counter, &bytes, m, "counter"), 0);
	IS(bytes, 8);
	IS(cuMemcpyDtoH_v2(&v, counter, 8), 0);
	IS(v, 42);
	IS(cuModuleGetGlobal_v2(&start, NULL, m, "start"), 0);
	IS(cuMemcpyDtoH_v2(&v, start, 8), 0);
	CHECK(v == counter);
	IS(cuModuleGetGlobal_v2(&start, NULL, m, "widths"), 500);
	snprintf(path, sizeof path, "%s/../sass/cubin/memory.sm_75.cubin", folder);
	IS(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), 0);
	IS(cuLibraryGetGlobal(&start, &bytes, library, "counter"), 0);
	CHECK(start != counter);
	IS(cuLibraryUnload(library), 0);
	IS(cuModuleUnload(m), 0);
}

/* calls.cu: constants, variables, shared memory, a function that is called, launch bounds. */
static void calls(const char *folder)
{
	void *m = load(folder, "golden/cubin/calls_75.cubin"), *f = NULL, *library = NULL, *k = NULL;
	int n = 2;
	char c = 5;
	float p[THREADS], table[16];
	size_t offset = 0, bytes = 0, size;
	char *image = read_file(folder, "golden/cubin/calls_75.cubin", &size);
	unsigned off = 0;
	ptr at = 0, constant = 0;
	void *param[] = { &at, &n, &c };

	IS(cuModuleGetFunction(&f, m, "calls"), 0);
	IS(attribute(f, MAX_THREADS), 128);
	IS(attribute(f, SHARED), 256);
	IS(attribute(f, CONSTANT), 64);
	IS(attribute(f, PTX_VERSION), 75);
	for (unsigned i = 0; i < 16; i++)
		table[i] = 100 * (float)i;
	for (unsigned i = 0; i < THREADS; i++)
		p[i] = 1 + (float)i;
	IS(cuModuleGetGlobal_v2(&constant, &bytes, m, "table"), 0);
	IS(bytes, sizeof table);
	IS(cuMemcpyHtoD_v2(constant, table, sizeof table), 0);
	IS(cuMemAlloc_v2(&at, sizeof p), 0);
	IS(cuMemcpyHtoD_v2(at, p, sizeof p), 0);
	IS(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuMemcpyDtoH_v2(p, at, sizeof p), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		const float x = 1 + (float)((i + 1) % THREADS), sum = 1 / x + 1 / (x + 1);

		off += p[i] != sum + 500 + 3;
	}
	IS(off, 0);
	IS(cuLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, NULL, param, NULL), 701); /* of 128 at most */
	IS(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0), 0);
	free(image); /* it was copied */
	IS(cuLibraryGetKernel(&k, library, "calls"), 0);
	IS(cuKernelGetParamInfo(k, 2, &offset, &bytes), 0);
	CHECK(offset == 12 && bytes == 1);
	IS(cuKernelGetParamInfo(k, 3, &offset, &bytes), 1);
	IS(cuLibraryUnload(library), 0);
	IS(cuMemFree_v2(at), 0);
	IS(cuModuleUnload(m), 0);
}

void native(const char *folder)
{
	void *m = NULL, *c = context();
	char path[4096];

	as_ptx(folder);
	variables(folder);
	calls(folder);
	snprintf(path, sizeof path, "%s/../sass/cubin/sgemm.sm_86.cubin", folder);
	IS(cuModuleLoad(&m, path), 209);
	IS(cuCtxDestroy_v2(c), 0);
}

/* What a fatbin has for 7.5, machine code or PTX, gives the same; what a kernel takes tells which it was. */
void versions(const char *folder)
{
	void *m = NULL, *f = NULL, *c = context();
	float y[N];

	m = load(folder, "golden/fatbin/raw.fatbin");
	axpy(y, m, "axpy");
	CHECK(y[6] == 2.5f * 1.5f + (1.25f - 6) && y[N - 3] == 1.25f - (N - 3));
	IS(cuModuleGetFunction(&f, m, "axpy"), 0);
	printf("registers %d\n", attribute(f, REGISTERS));
	IS(cuCtxDestroy_v2(c), 0);
}

/* Of another kind of image, for another device or of no target that there is: 218, 209. */
static bool damaged_status(int s) { return s == 0 || s == 200 || s == 209 || s == 218; }

/* Bytes that are other ones, at places all over the file: an image is read, or is none. */
static unsigned changed(const char *folder, const char *name, size_t step)
{
	unsigned refused = 0;
	size_t n;
	char *image = read_file(folder, name, &n);

	for (size_t i = 0; i < n; i += step) {
		void *m = NULL, *f[4];
		unsigned count = 0;
		int s;

		image[i] = (char)~image[i];
		s = cuModuleLoadData(&m, image);
		CHECK(damaged_status(s));
		refused += s == 200;
		if (!s) {
			IS(cuModuleGetFunctionCount(&count, m), 0);
			IS(cuModuleEnumerateFunctions(f, count < 4 ? count : 4, m), 0);
			for (unsigned k = 0; k < count && k < 4; k++)
				CHECK(attribute(f[k], MAX_THREADS) >= 0);
			IS(cuModuleUnload(m), 0);
		}
		image[i] = (char)~image[i];
	}
	free(image);
	return refused;
}

static void cut(const char *folder, const char *name)
{
	char path[4096];
	size_t n;
	char *image = read_file(folder, name, &n);
	void *m = NULL;

	CHECK(temporary(path));
	for (size_t i = 4; i < n; i += n / 50) {
		FILE *f = fopen(path, "wb");

		fwrite(image, 1, i, f);
		fclose(f);
		IS(cuModuleLoad(&m, path), 200);
	}
	CHECK(remove(path) == 0);
	free(image);
}

void damaged(const char *folder)
{
	void *c = context();

	CHECK(changed(folder, "golden/cubin/calls_75.cubin", 29) > 20);
	CHECK(changed(folder, "golden/fatbin/many.fatbin", 7) > 20);
	cut(folder, "golden/cubin/calls_75.cubin");
	cut(folder, "golden/fatbin/raw.fatbin");
	IS(cuCtxDestroy_v2(c), 0);
}
