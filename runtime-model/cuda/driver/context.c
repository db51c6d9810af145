/* Initialisation and contexts. There is one device; contexts own what is made in them, and a thread works in the one on
 * top of its stack. Where the runtime library is in the process too, threads begin with the primary context, as they do
 * there. */
#include "runtime-model/cuda/driver/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 13000, STACK_DEPTH = 64 };

struct cu_context {
	struct cu_context *next;
	unsigned flags, retained;
	bool primary;
	unsigned long long id;
	int cache, banks;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cu_context primary = { .primary = true, .id = 1 }, *contexts;
static unsigned long long ids = 1;
static bool initialised;
static __thread struct {
	struct cu_context *of[STACK_DEPTH];
	unsigned n;
	bool begun;
} stack;

CUresult told(enum cu_status s)
{
	if (s == CU_INVALID_CONFIGURATION || s == CU_INVALID_PITCH_VALUE || s == CU_INVALID_MEMCPY_DIRECTION)
		return CU_INVALID_VALUE;
	return s == CU_INVALID_DEVICE_FUNCTION ? CU_INVALID_HANDLE : (CUresult)s;
}

static bool alive(const struct cu_context *c)
{
	const struct cu_context *x = contexts;

	if (c == &primary)
		return primary.retained != 0;
	while (x && x != c)
		x = x->next;
	return x != NULL;
}

static struct cu_context *current(void)
{
	if (!stack.begun) {
		stack.begun = true;
		if (cu_runtime_here()) {
			primary.retained += !primary.retained;
			stack.of[stack.n++] = &primary;
		}
	}
	return stack.n && alive(stack.of[stack.n - 1]) ? stack.of[stack.n - 1] : NULL;
}

CUresult ready(void)
{
	CUresult s = initialised || cu_runtime_here() ? CU_OK : CU_NOT_INITIALIZED;

	if (s)
		return s;
	pthread_mutex_lock(&lock);
	s = current() ? CU_OK : CU_INVALID_CONTEXT;
	pthread_mutex_unlock(&lock);
	return s;
}

CUcontext context_now(void)
{
	CUcontext c;

	pthread_mutex_lock(&lock);
	c = current();
	pthread_mutex_unlock(&lock);
	return c;
}

bool context_alive(CUcontext c)
{
	bool there;

	pthread_mutex_lock(&lock);
	there = alive(c);
	pthread_mutex_unlock(&lock);
	return there;
}

CUresult device_ok(CUdevice d)
{
	if (!initialised && !cu_runtime_here())
		return CU_NOT_INITIALIZED;
	return d ? CU_INVALID_DEVICE : CU_OK;
}

API(cuInit, unsigned flags)
{
	CUresult s;

	if (flags)
		return CU_INVALID_VALUE;
	s = cu_start();
	initialised |= !s;
	return s;
}

API(cuDriverGetVersion, int *version)
{
	if (!version)
		return CU_INVALID_VALUE;
	*version = VERSION;
	return CU_OK;
}

API(cuGetErrorString, CUresult s, const char **text)
{
	if (!text)
		return CU_INVALID_VALUE;
	*text = cu_status_driver_name(s) ? cu_status_text(s) : NULL;
	return *text ? CU_OK : CU_INVALID_VALUE;
}

API(cuGetErrorName, CUresult s, const char **text)
{
	if (!text)
		return CU_INVALID_VALUE;
	*text = cu_status_driver_name(s);
	return *text ? CU_OK : CU_INVALID_VALUE;
}

/* The newest form of a name that there is; threads' own default streams if `flags` asks for them. */
static void *find(const char *symbol, unsigned long long flags)
{
	static const char *const form[] = { "_v4", "_v3", "_v2", "" }, *const own[] = { "_ptsz", "_ptds", "" };
	char name[256];
	Dl_info info;
	void *self = dladdr((void *)(uintptr_t)find, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL,
	     *f = NULL;

	for (unsigned o = flags & 2 ? 0 : 2; self && o < 3 && !f; o++)
		for (unsigned v = 0; v < 4 && !f; v++) {
			snprintf(name, sizeof name, "%s%s%s", symbol, form[v], own[o]);
			f = dlsym(self, name);
		}
	if (self)
		dlclose(self);
	return f;
}

API(cuGetProcAddress, const char *symbol, void **f, int version, unsigned long long flags)
{
	if (!symbol || !f || version < 0)
		return CU_INVALID_VALUE;
	*f = find(symbol, flags);
	return *f ? CU_OK : CU_NOT_FOUND;
}

API(cuGetProcAddress_v2, const char *symbol, void **f, int version, unsigned long long flags, int *status)
{
	CUresult s = cuGetProcAddress(symbol, f, version, flags);

	if (status && s != CU_INVALID_VALUE)
		*status = s ? 1 : 0; /* not found */
	return s == CU_NOT_FOUND && status ? CU_OK : s;
}

/* ---- the primary context ---- */
API(cuDevicePrimaryCtxRetain, CUcontext *c, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s || !c)
		return s ? s : CU_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	primary.retained++;
	pthread_mutex_unlock(&lock);
	*c = &primary;
	return CU_OK;
}

API(cuDevicePrimaryCtxRelease_v2, CUdevice d)
{
	CUresult s = device_ok(d);
	bool last;

	if (s)
		return s;
	pthread_mutex_lock(&lock);
	s = primary.retained ? CU_OK : CU_INVALID_CONTEXT;
	primary.retained -= primary.retained != 0;
	last = !s && !primary.retained;
	pthread_mutex_unlock(&lock);
	if (last)
		owned_end(&primary, false);
	return s;
}
ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

API(cuDevicePrimaryCtxReset_v2, CUdevice d)
{
	CUresult s = device_ok(d);

	if (s)
		return s;
	owned_end(&primary, true);
	cu_capture_forget(NULL);
	cu_graph_memory_forget();
	return told(cu_reset());
}
ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

API(cuDevicePrimaryCtxSetFlags_v2, CUdevice d, unsigned flags)
{
	CUresult s = device_ok(d);

	if (!s)
		primary.flags = flags;
	return s;
}
ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

API(cuDevicePrimaryCtxGetState, CUdevice d, unsigned *flags, int *active)
{
	CUresult s = device_ok(d);

	if (s || !flags || !active)
		return s ? s : CU_INVALID_VALUE;
	*flags = primary.flags;
	*active = primary.retained != 0;
	return CU_OK;
}

/* ---- contexts ---- */
API(cuCtxCreate_v2, CUcontext *c, unsigned flags, CUdevice d)
{
	CUresult s = device_ok(d);
	struct cu_context *x;

	if (s || !c)
		return s ? s : CU_INVALID_VALUE;
	x = calloc(1, sizeof *x);
	if (!x)
		return CU_OUT_OF_MEMORY;
	pthread_mutex_lock(&lock);
	current();
	s = stack.n < STACK_DEPTH ? CU_OK : CU_OUT_OF_MEMORY;
	if (!s) {
		*x = (struct cu_context){ .next = contexts, .flags = flags, .id = ++ids };
		contexts = stack.of[stack.n++] = *c = x;
	}
	pthread_mutex_unlock(&lock);
	if (s)
		free(x);
	return s;
}
ALIAS(cuCtxCreate, cuCtxCreate_v2);
API(cuCtxCreate_v3, CUcontext *c, void *affinity, int n, unsigned flags, CUdevice d)
{
	(void)affinity;
	(void)n;
	return cuCtxCreate_v2(c, flags, d);
}
API(cuCtxCreate_v4, CUcontext *c, void *params, unsigned flags, CUdevice d)
{
	(void)params;
	return cuCtxCreate_v2(c, flags, d);
}

API(cuCtxDestroy_v2, CUcontext c)
{
	struct cu_context **at;
	CUresult s;

	pthread_mutex_lock(&lock);
	for (at = &contexts; *at && *at != c; at = &(*at)->next)
		;
	if (!*at) {
		pthread_mutex_unlock(&lock);
		return CU_INVALID_CONTEXT;
	}
	*at = c->next;
	if (stack.n && stack.of[stack.n - 1] == c)
		stack.n--;
	pthread_mutex_unlock(&lock);
	s = told(cu_synchronize());
	owned_end(c, false);
	free(c);
	return s;
}
ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

API(cuCtxPushCurrent_v2, CUcontext c)
{
	CUresult s;

	pthread_mutex_lock(&lock);
	current();
	s = stack.n == STACK_DEPTH ? CU_OUT_OF_MEMORY : CU_OK;
	if (!alive(c))
		s = CU_INVALID_CONTEXT;
	if (!s)
		stack.of[stack.n++] = c;
	pthread_mutex_unlock(&lock);
	return s;
}
ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);

API(cuCtxPopCurrent_v2, CUcontext *c)
{
	CUresult s;

	pthread_mutex_lock(&lock);
	s = current() ? CU_OK : CU_INVALID_CONTEXT;
	if (!s && c)
		*c = stack.of[stack.n - 1];
	stack.n -= !s;
	pthread_mutex_unlock(&lock);
	return s;
}
ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

API(cuCtxSetCurrent, CUcontext c)
{
	CUresult s;

	pthread_mutex_lock(&lock);
	current();
	s = c && !alive(c) ? CU_INVALID_CONTEXT : CU_OK;
	if (!s && stack.n)
		stack.n--;
	if (!s && c)
		stack.of[stack.n++] = c;
	pthread_mutex_unlock(&lock);
	return s;
}

API(cuCtxGetCurrent, CUcontext *c)
{
	if (!c)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	*c = current();
	pthread_mutex_unlock(&lock);
	return CU_OK;
}

API(cuCtxGetDevice, CUdevice *d)
{
	READY();
	if (!d)
		return CU_INVALID_VALUE;
	*d = 0;
	return CU_OK;
}

API(cuCtxGetDevice_v2, CUdevice *d, CUcontext c)
{
	bool lives;

	READY();
	pthread_mutex_lock(&lock);
	lives = !c || alive(c);
	pthread_mutex_unlock(&lock);
	if (!d || !lives)
		return d ? CU_INVALID_CONTEXT : CU_INVALID_VALUE;
	*d = 0;
	return CU_OK;
}

/* Both ways of naming a context's user are gone since CUDA 4: a context lives until it is destroyed. */
API(cuCtxAttach, CUcontext *c, unsigned flags)
{
	READY();
	if (!c || flags)
		return CU_INVALID_VALUE;
	*c = context_now();
	return CU_OK;
}

/* An event of what all streams have been given, and streams that wait for one: those of all contexts, which have one
 * device. */
static CUresult of_context(CUcontext c, CUevent e, bool own_event)
{
	CUcontext of = e ? owner(OWNED_EVENT, (uint64_t)(uintptr_t)e) : NULL;

	READY();
	if (!c || !context_alive(c))
		return CU_INVALID_CONTEXT;
	return !e || (own_event && of && of != c) ? CU_INVALID_HANDLE : told(cu_capture_refuses_all());
}

API(cuCtxRecordEvent, CUcontext c, CUevent e)
{
	CUresult s = of_context(c, e, true);

	return s ? s : told(cu_event_record_all(e));
}

API(cuCtxWaitEvent, CUcontext c, CUevent e)
{
	CUresult s = of_context(c, e, false);

	return s ? s : told(cu_event_wait_all(e));
}

API(cuCtxSetFlags, unsigned flags)
{
	READY();
	if (flags & ~0xffu)
		return CU_INVALID_VALUE;
	current()->flags = flags;
	return CU_OK;
}

API(cuCtxResetPersistingL2Cache, void)
{
	READY();
	return CU_OK;
}

API(cuCtxEnablePeerAccess, CUcontext c, unsigned flags)
{
	READY();
	if (flags)
		return CU_INVALID_VALUE;
	return !c || c == context_now() ? CU_INVALID_CONTEXT : CU_PEER_ACCESS_UNSUPPORTED;
}

API(cuCtxDisablePeerAccess, CUcontext c)
{
	READY();
	return c ? CU_PEER_ACCESS_NOT_ENABLED : CU_INVALID_CONTEXT;
}

API(cuCtxGetFlags, unsigned *flags)
{
	READY();
	if (!flags)
		return CU_INVALID_VALUE;
	*flags = current()->flags;
	return CU_OK;
}

API(cuCtxGetId, CUcontext c, unsigned long long *id)
{
	READY();
	c = c ? c : current();
	if (!id || !alive(c))
		return id ? CU_INVALID_CONTEXT : CU_INVALID_VALUE;
	*id = c->id;
	return CU_OK;
}

API(cuCtxGetApiVersion, CUcontext c, unsigned *version)
{
	(void)c;
	READY();
	if (!version)
		return CU_INVALID_VALUE;
	*version = VERSION;
	return CU_OK;
}

API(cuCtxSynchronize, void)
{
	CUresult s;

	READY();
	s = told(cu_capture_refuses_all());
	return s ? s : told(cu_synchronize());
}

API(cuCtxSynchronize_v2, CUcontext c)
{
	CUdevice d;
	CUresult s = cuCtxGetDevice_v2(&d, c);

	return s ? s : cuCtxSynchronize();
}

/* Limits of CUDA by number; those that the core does not have are taken and mean nothing. */
static bool limit_of(int limit, enum cu_limit *l)
{
	*l = limit == 1 ? CU_LIMIT_PRINTF : CU_LIMIT_HEAP;
	if (limit == 0)
		*l = CU_LIMIT_STACK;
	return limit >= 0 && limit <= 2;
}

API(cuCtxSetLimit, int limit, size_t bytes)
{
	enum cu_limit l;

	READY();
	if (limit_of(limit, &l))
		return told(cu_limit_set(l, bytes));
	return limit > 0 && limit < 10 ? CU_NOT_SUPPORTED : CU_INVALID_VALUE;
}

API(cuCtxGetLimit, size_t *bytes, int limit)
{
	enum cu_limit l;
	uint64_t n = 0;
	CUresult s;

	READY();
	if (!bytes)
		return CU_INVALID_VALUE;
	if (!limit_of(limit, &l))
		return limit > 0 && limit < 10 ? CU_NOT_SUPPORTED : CU_INVALID_VALUE;
	s = told(cu_limit_get(l, &n));
	*bytes = n;
	return s;
}

API(cuCtxGetCacheConfig, int *config)
{
	READY();
	if (!config)
		return CU_INVALID_VALUE;
	*config = current()->cache;
	return CU_OK;
}

API(cuCtxSetCacheConfig, int config)
{
	READY();
	current()->cache = config;
	return CU_OK;
}

API(cuCtxGetSharedMemConfig, int *config)
{
	READY();
	if (!config)
		return CU_INVALID_VALUE;
	*config = current()->banks;
	return CU_OK;
}

API(cuCtxSetSharedMemConfig, int config)
{
	READY();
	current()->banks = config;
	return CU_OK;
}

API(cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
	READY();
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return CU_OK;
}

API(cuProfilerStart, void)
{
	READY();
	cu_mark(true);
	return CU_OK;
}

API(cuProfilerStop, void)
{
	READY();
	cu_mark(false);
	return CU_OK;
}
