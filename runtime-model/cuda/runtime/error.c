/* Errors and versions. The last error belongs to a thread; that of a launch that failed belongs to the process, from
 * the first call that returns it until the device is reset. */
#include "runtime-model/cuda/runtime/rt.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#ifdef CUDART11
enum { VERSION = 11080 };
#else
enum { VERSION = CUDART == 12 ? 12090 : 13000 };
#endif

static _Thread_local enum cu_status last;
static atomic_bool sticky_seen;

cudaError_t done(enum cu_status s)
{
	if (s != CU_OK && s != CU_NOT_READY) {
		last = s;
		if (cu_start() == CU_OK && s == cu_sticky())
			atomic_store(&sticky_seen, true);
	}
	return (cudaError_t)s;
}

void errors_forget(void)
{
	last = CU_OK;
	atomic_store(&sticky_seen, false);
}

cudaError_t cudaPeekAtLastError(void)
{
	return (cudaError_t)(atomic_load(&sticky_seen) && cu_sticky() != CU_OK ? cu_sticky() : last);
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t e = cudaPeekAtLastError();

	last = CU_OK;
	return e;
}

const char *cudaGetErrorName(cudaError_t e)
{
	const char *s = cu_status_runtime_name(e);

	return s ? s : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t e)
{
	return cu_status_runtime_name(e) ? cu_status_text(e) : "unrecognized error code";
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	FAIL_IF(!version, INVALID_VALUE);
	*version = VERSION;
	return done(CU_OK);
}

cudaError_t cudaDriverGetVersion(int *version)
{
	FAIL_IF(!version, INVALID_VALUE);
	*version = 13000;
	return done(CU_OK);
}

cudaError_t cudaProfilerStart(void)
{
	enum cu_status s = cu_start();

	if (s == CU_OK)
		cu_mark(true);
	return done(s);
}

cudaError_t cudaProfilerStop(void)
{
	enum cu_status s = cu_start();

	if (s == CU_OK)
		cu_mark(false);
	return done(s);
}

#if CUDART == 12
cudaError_t cudaSetDoubleForDevice(double *d) { return done(d ? CU_OK : CU_INVALID_VALUE); }
cudaError_t cudaSetDoubleForHost(double *d) { return done(d ? CU_OK : CU_INVALID_VALUE); }
#endif

/* ---- the driver interface, if its library lies beside this one ---- */
static void *driver_library(void)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info us;

	if (!dladdr(&last, &us) && !dladdr((void *)(uintptr_t)cudaGetLastError, &us))
		return NULL;
	slash = strrchr(us.dli_fname, '/');
	snprintf(path, sizeof path, "%.*slibcuda.so.1", slash ? (int)(slash + 1 - us.dli_fname) : 0, us.dli_fname);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

STREAM_FN(cudaGetDriverEntryPointByVersion,
	  (symbol, f, version, flags | (flags == cudaEnableDefault ? (unsigned)cudaEnablePerThreadDefaultStream : 0),
	   found),
	  const char *symbol, void **f, unsigned int version, unsigned long long flags,
	  enum cudaDriverEntryPointQueryResult *found)
{
	typedef int ask(const char *, void **, int, unsigned long long, int *);
	void *lib;
	int answer = cudaDriverEntryPointSymbolNotFound;
	ask *get;

	FAIL_IF(!symbol || !f || flags > cudaEnablePerThreadDefaultStream, INVALID_VALUE);
	*f = NULL;
	lib = driver_library();
	if (lib) {
		void *p = dlsym(lib, "cuGetProcAddress_v2");

		memcpy(&get, &p, sizeof get);
		if (!p || get(symbol, f, (int)version, flags, &answer) != 0)
			*f = dlsym(lib, symbol);
		answer = *f ? cudaDriverEntryPointSuccess : answer;
	}
	if (found)
		*found = (enum cudaDriverEntryPointQueryResult)answer;
	return done(CU_OK);
}

#ifdef CUDART11
cudaError_t cuda11_entry_point(const char *symbol, void **f, unsigned long long flags)
{
	cudaError_t e = cudaGetDriverEntryPointByVersion(symbol, f, VERSION, flags, NULL);

	return e == 0 && !*f ? done(CU_NOT_FOUND) : e;
}
cudaError_t cuda11_entry_point_ptsz(const char *symbol, void **f, unsigned long long flags)
{
	return cuda11_entry_point(symbol, f,
				  flags == cudaEnableDefault ? (unsigned)cudaEnablePerThreadDefaultStream : flags);
}
#else
STREAM_FN(cudaGetDriverEntryPoint,
	  (symbol, f, flags | (flags == cudaEnableDefault ? (unsigned)cudaEnablePerThreadDefaultStream : 0), found),
	  const char *symbol, void **f, unsigned long long flags, enum cudaDriverEntryPointQueryResult *found)
{
	return cudaGetDriverEntryPointByVersion(symbol, f, VERSION, flags, found);
}
#endif
