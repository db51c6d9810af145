/* Libraries: images that a program loads itself, and their kernels and variables; handles of kernels. */
#include "runtime-model/cuda/runtime/rt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct CUlib_st {
	struct CUlib_st *next;
	struct cu_module *m;
	struct arena a;
	bool live;
};
static struct CUlib_st *libraries;

static bool library_live(cudaLibrary_t l)
{
	struct CUlib_st *q;

	LOCKED({
		q = libraries;
		while (q && q != l)
			q = q->next;
	});
	return q && q->live;
}

/* nvcc's wrapper points to the container. */
static const void *unwrap(const void *image)
{
	struct {
		uint32_t magic, version;
		const void *data;
	} w;

	memcpy(&w.magic, image, sizeof w.magic);
	if (w.magic != 0x466243b1)
		return image;
	memcpy(&w, image, sizeof w);
	return w.data;
}

static enum cu_status load(cudaLibrary_t *out, struct arena *a, const void *image, const char *name)
{
	struct cu_module *m;
	enum cu_status s = cu_module_load(&m, image, name);

	if (s == CU_OK) {
		s = cu_module_check(m);
		if (s != CU_OK)
			cu_module_unload(m);
	}
	if (s != CU_OK) {
		arena_free(a);
		return s;
	}
	LOCKED({
		struct CUlib_st *l = new(&rt.a, struct CUlib_st);

		*l = (struct CUlib_st){ libraries, m, *a, true };
		libraries = l;
		*out = l;
	});
	return CU_OK;
}

static enum cu_status options_check(const enum cudaJitOption *jit, void **jit_value, unsigned njit,
				    const enum cudaLibraryOption *lib, void **lib_value, unsigned nlib)
{
	if ((njit && (!jit || !jit_value)) || (nlib && (!lib || !lib_value)))
		return CU_INVALID_VALUE;
	for (unsigned i = 0; i < nlib; i++)
		if (lib[i] != cudaLibraryBinaryIsPreserved)
			return lib[i] == cudaLibraryHostUniversalFunctionAndDataTable ? CU_NOT_SUPPORTED
										      : CU_INVALID_VALUE;
	return cu_start();
}

/* Options of the compiler are hints: registers, optimization, where its messages go (which go to stderr). */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *jit, void **jit_value,
				unsigned njit, enum cudaLibraryOption *lib, void **lib_value, unsigned nlib)
{
	struct arena a = { 0 };
	size_t n;
	char *copy;
	enum cu_status s;

	FAIL_IF(!out || !code, INVALID_VALUE);
	s = options_check(jit, jit_value, njit, lib, lib_value, nlib);
	if (s != CU_OK)
		return done(s);
	code = unwrap(code);
	n = code ? cu_image_bytes(code, 0) : 0;
	FAIL_IF(!n, INVALID_IMAGE);
	copy = arena_alloc(&a, n, 16);
	memcpy(copy, code, n);
	return done(load(out, &a, copy, NULL));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, enum cudaJitOption *jit, void **jit_value,
				    unsigned njit, enum cudaLibraryOption *lib, void **lib_value, unsigned nlib)
{
	struct arena a = { 0 };
	char *bytes = NULL;
	size_t n = 0;
	long size;
	enum cu_status s;
	FILE *f;

	FAIL_IF(!out || !path, INVALID_VALUE);
	s = options_check(jit, jit_value, njit, lib, lib_value, nlib);
	if (s != CU_OK)
		return done(s);
	f = fopen(path, "rb");
	FAIL_IF(!f, FILE_NOT_FOUND);
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET)) {
		bytes = arena_alloc(&a, (size_t)size + 16, 16); /* zeroes behind: PTX need not end with one */
		n = fread(bytes, 1, (size_t)size, f);
		n = n == (size_t)size ? n : 0;
	}
	fclose(f);
	if (!n || n < 4 || unwrap(bytes) != bytes || !cu_image_bytes(bytes, n)) {
		arena_free(&a);
		return done(CU_INVALID_IMAGE);
	}
	return done(load(out, &a, bytes, path));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t l)
{
	enum cu_status s = cu_start();

	if (s != CU_OK)
		return done(s);
	FAIL_IF(!l || !library_live(l), INVALID_HANDLE);
	functions_drop(l->m);
	s = cu_module_unload(l->m);
	l->live = false;
	arena_free(&l->a);
	return done(s);
}

static enum cu_status kernel(cudaKernel_t *out, struct cu_function *f, struct cu_module *m)
{
	struct rt_function *r = function_of(f, m);

	*out = (cudaKernel_t)r;
	return r ? CU_OK : CU_INVALID_VALUE;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t l, const char *name)
{
	struct cu_function *f;
	enum cu_status s = cu_start();

	FAIL_IF(!out || !name, INVALID_VALUE);
	if (s != CU_OK)
		return done(s);
	FAIL_IF(!l || !library_live(l), INVALID_HANDLE);
	s = cu_module_function(&f, l->m, name);
	return done(s == CU_OK ? kernel(out, f, l->m) : s);
}

cudaError_t cudaLibraryGetKernelCount(unsigned *n, cudaLibrary_t l)
{
	FAIL_IF(!n, INVALID_VALUE);
	FAIL_IF(!l || !library_live(l), INVALID_HANDLE);
	return done(cu_module_count(n, l->m));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *out, unsigned n, cudaLibrary_t l)
{
	unsigned all;
	enum cu_status s;

	FAIL_IF(!out || !n, INVALID_VALUE);
	FAIL_IF(!l || !library_live(l), INVALID_HANDLE);
	s = cu_module_count(&all, l->m);
	for (unsigned i = 0; i < n && i < all && s == CU_OK; i++) {
		struct cu_function *f;

		s = cu_module_nth(&f, l->m, i);
		if (s == CU_OK)
			s = kernel(&out[i], f, l->m);
	}
	return done(s);
}

static enum cu_status variable(struct cu_range *r, cudaLibrary_t l, const char *name)
{
	enum cu_status s;

	if (!l || !library_live(l))
		return CU_INVALID_HANDLE;
	s = cu_module_variable(&r->addr, &r->bytes, l->m, name);
	return s;
}

static cudaError_t get_variable(void **p, size_t *n, cudaLibrary_t l, const char *name, bool managed)
{
	struct cu_range v, at;
	enum cu_status s;

	FAIL_IF(!name || (!p && !n), INVALID_VALUE);
	s = variable(&v, l, name);
	if (s == CU_OK && managed && (!cu_find(&at, v.addr) || at.kind != CU_MANAGED))
		s = CU_NOT_FOUND;
	if (s == CU_OK && p)
		*p = (void *)(uintptr_t)v.addr;
	if (s == CU_OK && n)
		*n = v.bytes;
	return done(s);
}

cudaError_t cudaLibraryGetGlobal(void **p, size_t *n, cudaLibrary_t l, const char *name)
{
	return get_variable(p, n, l, name, false);
}
cudaError_t cudaLibraryGetManaged(void **p, size_t *n, cudaLibrary_t l, const char *name)
{
	return get_variable(p, n, l, name, true);
}

/* ---- handles ---- */
cudaError_t cudaGetKernel(cudaKernel_t *out, const void *f)
{
	struct rt_function *r = f ? function_find(f) : NULL;

	FAIL_IF(!out, INVALID_VALUE);
	FAIL_IF(!r, INVALID_DEVICE_FUNCTION);
	*out = (cudaKernel_t)r;
	return done(CU_OK);
}

/* Asked by static initializers, before the image is needed. */
cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *f) { return cudaGetKernel(out, f); }

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *f)
{
	struct cu_function *g;
	enum cu_status s;

	FAIL_IF(!out, INVALID_VALUE);
	s = function_need(&g, f);
	if (s == CU_OK)
		*out = (cudaFunction_t)g;
	return done(s);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t f, enum cudaFuncAttribute what, int value, int device)
{
	enum cu_status s = device_check(device);

	return s == CU_OK ? cudaFuncSetAttribute(f, what, value) : done(s);
}
