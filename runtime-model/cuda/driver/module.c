/* Modules and libraries. */
#include "runtime-model/cuda/driver/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Images that were given must outlive their modules: copies of those that belong to the caller. A library is a module
 * that no context owns. */
struct image {
	struct image *next;
	CUmodule m;
	char *bytes;
	bool library;
};
static struct image *images;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult load(CUmodule *m, char *bytes, const char *name, bool library)
{
	struct image *x = malloc(sizeof *x);
	CUresult s = x && bytes ? told(cu_module_load(m, bytes, name)) : CU_OUT_OF_MEMORY;

	if (!s && (s = told(cu_module_check(*m))))
		cu_module_unload(*m);
	if (s) {
		free(x);
		free(bytes);
		return s;
	}
	pthread_mutex_lock(&lock);
	*x = (struct image){ images, *m, bytes, library };
	images = x;
	pthread_mutex_unlock(&lock);
	if (!library)
		own(OWNED_MODULE, (uint64_t)(uintptr_t)*m);
	return CU_OK;
}

static CUresult load_data(CUmodule *m, const void *image, bool library)
{
	char *bytes;
	size_t n;

	if (!m || !image)
		return CU_INVALID_VALUE;
	n = cu_image_bytes(image, 0);
	if (!n)
		return CU_INVALID_IMAGE;
	bytes = malloc(n);
	if (bytes)
		memcpy(bytes, image, n);
	return load(m, bytes, NULL, library);
}

API(cuModuleLoadData, CUmodule *m, const void *image)
{
	READY();
	return load_data(m, image, false);
}
ALIAS(cuModuleLoadFatBinary, cuModuleLoadData);

char *file_read(const char *path, size_t *size, CUresult *why)
{
	FILE *f = fopen(path, "rb");
	char *bytes = NULL;
	long n = 0;

	*why = f ? CU_INVALID_IMAGE : CU_FILE_NOT_FOUND;
	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0 &&
	    (bytes = calloc(1, (size_t)n + 64)) && fread(bytes, 1, (size_t)n, f) != (size_t)n) {
		free(bytes);
		bytes = NULL;
	}
	fclose(f);
	/* a wrapper's pointers are none in a file */
	if (bytes && (!cu_image_bytes(bytes, (size_t)n) || memcmp(bytes, "\xb1\x43\x62\x46", 4) == 0)) {
		free(bytes);
		bytes = NULL;
	}
	*size = (size_t)n;
	return bytes;
}

static CUresult load_file(CUmodule *m, const char *path, bool library)
{
	char *bytes;
	CUresult s;
	size_t n;

	if (!m || !path)
		return CU_INVALID_VALUE;
	bytes = file_read(path, &n, &s);
	return bytes ? load(m, bytes, path, library) : s;
}

API(cuModuleLoad, CUmodule *m, const char *path)
{
	READY();
	return load_file(m, path, false);
}

void module_end(CUmodule m)
{
	struct image **at, *x;

	if (cu_module_unload(m))
		return;
	disown(OWNED_MODULE, (uint64_t)(uintptr_t)m);
	pthread_mutex_lock(&lock);
	for (at = &images; *at && (*at)->m != m; at = &(*at)->next)
		;
	x = *at;
	if (x) {
		*at = x->next;
		free(x->bytes);
		free(x);
	}
	pthread_mutex_unlock(&lock);
}

/* Options of the compiler: 3 and 5 are buffers of what it says and of errors, 4 and 6 their bytes, which become what
 * was written. */
void jit_logs(unsigned n, const int *option, void **value, const char *errors)
{
	for (unsigned i = 0; i < n && option && value; i++)
		for (unsigned k = 0; k < n && (option[i] == 3 || option[i] == 5); k++)
			if (option[k] == option[i] + 1) {
				const size_t room = (size_t)(uintptr_t)value[k],
					     text = option[i] == 5 ? strlen(errors) : 0,
					     fits = room && text >= room ? room - 1 : text;

				if (value[i] && room) {
					memcpy(value[i], errors, fits);
					((char *)value[i])[fits] = 0;
				}
			}
	for (unsigned i = 0; i < n && option && value; i++)
		/* in: room, out: what was written; also if there is nowhere to write */
		if (option[i] == 4 || option[i] == 6) {
			size_t written = 0;

			for (unsigned k = 0; k < n; k++)
				if (option[k] == option[i] - 1 && value[k] && value[i])
					written = strlen(value[k]);
			value[i] = (void *)(uintptr_t)written;
		}
}

/* The kernels of an image whose errors are asked for are compiled at once. It is good if one of them is. */
static CUresult compile_all(CUmodule m)
{
	CUresult s = CU_OK;
	unsigned n = 0, good = 0;

	if (cu_module_count(&n, m))
		return CU_OK;
	for (unsigned i = 0; i < n; i++) {
		struct cu_function_info info;
		CUfunction f;
		CUresult x = told(cu_module_nth(&f, m, i));

		x = x ? x : told(cu_function_info(&info, f));
		good += !x;
		s = x ? x : s;
	}
	return good ? CU_OK : s;
}

static CUresult load_with(CUmodule *m, const void *image, const char *path, unsigned n, const int *option, void **value,
			  bool library)
{
	char errors[4096] = "";
	bool asked = false;
	CUresult s;

	for (unsigned i = 0; i < n && option; i++)
		asked |= option[i] == 5;
	cu_listen(errors, sizeof errors);
	s = path ? load_file(m, path, library) : load_data(m, image, library);
	if (!s && asked && (s = compile_all(*m)))
		module_end(*m);
	cu_listen(NULL, 0);
	jit_logs(n, option, value, errors);
	return s;
}

API(cuModuleLoadDataEx, CUmodule *m, const void *image, unsigned n, int *option, void **value)
{
	READY();
	return load_with(m, image, NULL, n, option, value, false);
}

/* It was loaded as one, or as a library. */
static bool loaded_as(CUmodule m, bool library)
{
	const struct image *x;

	pthread_mutex_lock(&lock);
	for (x = images; x && x->m != m; x = x->next)
		;
	pthread_mutex_unlock(&lock);
	return x && x->library == library;
}

API(cuModuleUnload, CUmodule m)
{
	READY();
	if (!loaded_as(m, false))
		return CU_INVALID_HANDLE;
	module_end(m);
	return CU_OK;
}

API(cuModuleGetFunction, CUfunction *f, CUmodule m, const char *name)
{
	READY();
	return told(cu_module_function(f, m, name));
}

API(cuModuleGetFunctionCount, unsigned *n, CUmodule m)
{
	READY();
	return told(cu_module_count(n, m));
}

static CUresult enumerate(CUfunction *f, unsigned n, CUmodule m)
{
	unsigned there = 0;
	CUresult s = f ? told(cu_module_count(&there, m)) : CU_INVALID_VALUE;
	for (unsigned i = 0; !s && i < n && i < there; i++)
		s = told(cu_module_nth(&f[i], m, i));
	return s;
}

API(cuModuleEnumerateFunctions, CUfunction *f, unsigned n, CUmodule m)
{
	READY();
	return enumerate(f, n, m);
}

static CUresult variable(CUdeviceptr *addr, size_t *bytes, CUmodule m, const char *name)
{
	uint64_t a = 0, n = 0;
	CUresult s;

	if (!addr && !bytes)
		return CU_INVALID_VALUE;
	s = told(cu_module_variable(&a, &n, m, name));
	if (!s && addr)
		*addr = a;
	if (!s && bytes)
		*bytes = n;
	return s;
}

API(cuModuleGetGlobal_v2, CUdeviceptr *addr, size_t *bytes, CUmodule m, const char *name)
{
	READY();
	return variable(addr, bytes, m, name);
}

API(cuModuleGetLoadingMode, int *mode)
{
	if (!mode)
		return CU_INVALID_VALUE;
	*mode = 2; /* lazy */
	return CU_OK;
}

/* ---- libraries: images that need no context; a kernel's handle may be launched as a function ---- */
API(cuLibraryLoadData, CUmodule *l, const void *image, int *option, void **value, unsigned n, int *library_option,
    void **library_value, unsigned more)
{
	STARTED();
	if ((n && (!option || !value)) || (more && !library_option))
		return CU_INVALID_VALUE;
	(void)library_value;
	return load_with(l, image, NULL, n, option, value, true);
}

API(cuLibraryLoadFromFile, CUmodule *l, const char *path, int *option, void **value, unsigned n, int *library_option,
    void **library_value, unsigned more)
{
	STARTED();
	if ((n && (!option || !value)) || (more && !library_option))
		return CU_INVALID_VALUE;
	(void)library_value;
	if (!path)
		return CU_INVALID_VALUE;
	return load_with(l, NULL, path, n, option, value, true);
}

API(cuLibraryUnload, CUmodule l)
{
	STARTED();
	if (!loaded_as(l, true))
		return CU_INVALID_HANDLE;
	module_end(l);
	return CU_OK;
}

API(cuLibraryGetModule, CUmodule *m, CUmodule l)
{
	READY();
	if (!m || !loaded_as(l, true))
		return m ? CU_INVALID_HANDLE : CU_INVALID_VALUE;
	*m = l;
	return CU_OK;
}

API(cuLibraryGetKernel, CUfunction *f, CUmodule l, const char *name)
{
	STARTED();
	return loaded_as(l, true) ? told(cu_module_function(f, l, name)) : CU_INVALID_HANDLE;
}

API(cuLibraryGetKernelCount, unsigned *n, CUmodule l)
{
	STARTED();
	return loaded_as(l, true) ? told(cu_module_count(n, l)) : CU_INVALID_HANDLE;
}

API(cuLibraryEnumerateKernels, CUfunction *f, unsigned n, CUmodule l)
{
	STARTED();
	return loaded_as(l, true) ? enumerate(f, n, l) : CU_INVALID_HANDLE;
}

API(cuLibraryGetGlobal, CUdeviceptr *addr, size_t *bytes, CUmodule l, const char *name)
{
	READY();
	return loaded_as(l, true) ? variable(addr, bytes, l, name) : CU_INVALID_HANDLE;
}

/* A managed variable of an image lies where the host sees it only if the runtime has registered it. */
API(cuLibraryGetManaged, CUdeviceptr *addr, size_t *bytes, CUmodule l, const char *name)
{
	CUdeviceptr at = 0;
	struct cu_range r;
	CUresult s;

	READY();
	s = loaded_as(l, true) ? variable(&at, bytes, l, name) : CU_INVALID_HANDLE;
	if (s || !cu_find(&r, at) || r.kind != CU_MANAGED)
		return s ? s : CU_NOT_FOUND;
	if (addr)
		*addr = at;
	return CU_OK;
}

API(cuKernelGetFunction, CUfunction *f, CUfunction k)
{
	CUresult s;

	READY();
	s = f ? told(cu_function_name(NULL, NULL, k)) : CU_INVALID_VALUE;
	if (!s)
		*f = k;
	return s;
}

API(cuKernelGetLibrary, CUmodule *l, CUfunction k)
{
	CUmodule m = NULL;
	CUresult s;

	STARTED();
	s = l ? told(cu_function_name(NULL, &m, k)) : CU_INVALID_VALUE;
	if (s || !loaded_as(m, true))
		return s ? s : CU_INVALID_HANDLE;
	*l = m;
	return CU_OK;
}

API(cuKernelGetName, const char **name, CUfunction k)
{
	STARTED();
	return name ? told(cu_function_name(name, NULL, k)) : CU_INVALID_VALUE;
}

API(cuKernelGetParamInfo, CUfunction k, size_t i, size_t *offset, size_t *bytes)
{
	STARTED();
	return offset ? function_parameter(k, i, offset, bytes) : CU_INVALID_VALUE;
}

API(cuKernelGetAttribute, int *value, int attribute, CUfunction k, CUdevice d)
{
	CUresult s = device_ok(d);

	return s ? s : function_attribute(value, attribute, k);
}

API(cuKernelSetAttribute, int attribute, int value, CUfunction k, CUdevice d)
{
	CUresult s = device_ok(d);

	return s ? s : function_set(k, attribute, value);
}

API(cuKernelSetCacheConfig, CUfunction k, int config, CUdevice d)
{
	CUresult s = device_ok(d);

	return s ? s : told(cu_function_set(k, CU_CACHE, config));
}
