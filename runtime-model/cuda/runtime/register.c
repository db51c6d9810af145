/* What the constructors of a program register: images, kernels and variables by the addresses of their host shadows.
 * All of it happens before main(), in programs that may never use a GPU, so nothing is looked at here: an image is read
 * when something in it is first needed. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

struct runtime rt = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((constructor)) static void enter(void) { cu_runtime_enter(); }

struct managed {
	struct managed *next;
	void **shadow;
	const char *name;
	uint64_t bytes;
};
/* behind the void ** that registration hands around */
struct rt_module {
	struct cu_module *m;
	enum cu_status why; /* of loading */
	struct managed *managed;
	bool placed;
	struct rt_module *next;
};
struct rt_function {
	const void *host;     /* NULL: of a library */
	struct rt_module *of; /* NULL: of a library */
	struct cu_module *m;
	const char *name;
	struct cu_function *_Atomic f; /* NULL: not needed yet */
};
struct rt_variable {
	const void *host;
	struct rt_module *of;
	const char *name;
	uint64_t bytes;
	bool managed;
};

/* Open addressing by host address; half empty at least. Nothing leaves but what a library or an image takes with it, by
 * being rebuilt. */
struct table {
	const void **key;
	void **value;
	uint32_t n, cap;
};
static struct table functions, handles, variables;
static struct rt_module *modules;

static uint32_t slot(const struct table *t, const void *key)
{
	uint32_t i = (uint32_t)(((uintptr_t)key >> 2) * 0x9e3779b97f4a7c15u >> 32) & (t->cap - 1);

	while (t->key[i] && t->key[i] != key)
		i = (i + 1) & (t->cap - 1);
	return i;
}

static void *table_get(const struct table *t, const void *key) { return t->n ? t->value[slot(t, key)] : NULL; }

static void table_put(struct table *t, const void *key, void *value)
{
	uint32_t i;

	if (2 * (t->n + 1) > t->cap) {
		struct table big = { .cap = t->cap ? 2 * t->cap : 64 };

		big.key = new_array(&rt.a, const void *, big.cap);
		big.value = new_array(&rt.a, void *, big.cap);
		for (i = 0; i < t->cap; i++)
			if (t->key[i] && t->value[i]) {
				uint32_t j = slot(&big, t->key[i]);

				big.key[j] = t->key[i];
				big.value[j] = t->value[i];
				big.n++;
			}
		*t = big;
	}
	i = slot(t, key);
	t->n += !t->key[i];
	t->key[i] = key;
	t->value[i] = value;
}

/* ---- registration ---- */
void **__cudaRegisterFatBinary(void *image)
{
	struct rt_module *r;

	LOCKED({
		r = new(&rt.a, struct rt_module);
		r->next = modules;
		modules = r;
	});
	r->why = cu_module_load(&r->m, image, NULL);
	return (void **)r;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

void __cudaUnregisterFatBinary(void **handle)
{
	struct rt_module *r = (struct rt_module *)handle;

	if (!r)
		return;
	LOCKED({
		for (uint32_t i = 0; i < functions.cap; i++)
			if (functions.value[i] && ((struct rt_function *)functions.value[i])->of == r) {
				handles.value[slot(&handles, functions.value[i])] = NULL;
				functions.value[i] = NULL;
			}
		for (uint32_t i = 0; i < variables.cap; i++)
			if (variables.value[i] && ((struct rt_variable *)variables.value[i])->of == r)
				variables.value[i] = NULL;
		for (struct rt_module **p = &modules; *p; p = &(*p)->next)
			if (*p == r) {
				*p = r->next;
				break;
			}
	});
	if (r->m)
		cu_module_unload(r->m);
	r->m = NULL;
	r->why = CU_INVALID_IMAGE;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
			    void *bid, void *block, void *grid, int *warp)
{
	(void)device;
	(void)limit;
	(void)tid;
	(void)bid;
	(void)block;
	(void)grid;
	(void)warp;
	if (!handle || !host || !name)
		return;
	LOCKED({
		struct rt_function *f = new(&rt.a, struct rt_function);

		f->host = host;
		f->of = (struct rt_module *)handle;
		f->name = name;
		table_put(&functions, host, f);
		table_put(&handles, f, f);
	});
}

static struct rt_variable *register_variable(void **handle, const void *host, const char *name, size_t bytes,
					     bool managed)
{
	struct rt_variable *v;

	v = new(&rt.a, struct rt_variable);
	*v = (struct rt_variable){ host, (struct rt_module *)handle, name, bytes, managed };
	table_put(&variables, host, v);
	return v;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes, int constant,
		       int global)
{
	(void)device;
	(void)ext;
	(void)constant;
	(void)global;
	if (handle && host && name)
		LOCKED(register_variable(handle, host, name, bytes, false));
}

void __cudaRegisterManagedVar(void **handle, void **shadow, char *device, const char *name, int ext, size_t bytes,
			      int constant, int global)
{
	struct rt_module *r = (struct rt_module *)handle;

	(void)device;
	(void)ext;
	(void)constant;
	(void)global;
	if (!handle || !shadow || !name)
		return;
	LOCKED({
		struct managed *m = new(&rt.a, struct managed);

		*m = (struct managed){ r->managed, shadow, name, bytes };
		r->managed = m;
		register_variable(handle, shadow, name, bytes, true);
	});
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
	(void)handle;
	(void)name;
	(void)host;
	(void)bytes;
}

#if CUDART == 12
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
			   int normalized, int ext)
{
	(void)handle;
	(void)host;
	(void)device;
	(void)dim;
	(void)normalized;
	(void)ext;
	(void)name;
	cu_missing("texture references");
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext)
{
	(void)handle;
	(void)host;
	(void)device;
	(void)dim;
	(void)ext;
	(void)name;
	cu_missing("surface references");
}
#endif

/* ---- first need ---- */
/* Managed variables of an image get their memory, and their shadows say where it is. No thread goes on before they
 * have. */
static pthread_mutex_t placing = PTHREAD_MUTEX_INITIALIZER;

static enum cu_status module_place(struct rt_module *r)
{
	enum cu_status s = r->why;

	pthread_mutex_lock(&placing);
	for (struct managed *m = r->placed ? NULL : r->managed; m && s == CU_OK; m = m->next) {
		uint64_t addr;

		s = cu_alloc_variable(&addr, m->bytes, cudaMemAttachGlobal);
		if (s == CU_OK)
			s = cu_module_place(r->m, m->name, addr);
		if (s == CU_OK)
			*m->shadow = (void *)(uintptr_t)addr;
	}
	r->placed |= s == CU_OK;
	pthread_mutex_unlock(&placing);
	return s;
}

char __cudaInitModule(void **handle)
{
	struct rt_module *r = (struct rt_module *)handle;
	enum cu_status s = r ? module_place(r) : CU_INVALID_IMAGE;

	/* The host reads managed variables without asking: what they start with is there once the image has been
	 * compiled. */
	if (s == CU_OK && r->managed)
		s = cu_module_check(r->m);
	done(s);
	return s == CU_OK;
}

void managed_forget(void)
{
	pthread_mutex_lock(&placing);
	LOCKED({
		for (struct rt_module *r = modules; r; r = r->next)
			r->placed = false;
	});
	pthread_mutex_unlock(&placing);
}

struct rt_function *function_find(const void *f)
{
	struct rt_function *r;

	LOCKED({
		r = table_get(&functions, f);
		if (!r)
			r = table_get(&handles, f);
	});
	return r;
}

enum cu_status function_need(struct cu_function **out, const void *p)
{
	struct rt_function *f = p ? function_find(p) : NULL;
	struct cu_function *x = f ? f->f : NULL;
	enum cu_status s = cu_start();

	if (s != CU_OK)
		return s;
	if (!f)
		return CU_INVALID_DEVICE_FUNCTION;
	s = f->of ? module_place(f->of) : CU_OK;
	if (s == CU_OK && !x)
		s = cu_module_function(&x, f->of->m, f->name);
	if (s != CU_OK)
		return s == CU_NOT_FOUND ? CU_INVALID_DEVICE_FUNCTION : s;
	f->f = x;
	*out = x;
	return CU_OK;
}

enum cu_status launch_refused(const struct cu_launch *l, const void *f, enum cu_status s)
{
	const struct rt_function *r = f ? function_find(f) : NULL;

	if (!r)
		return cu_launch_refused(l, NULL, NULL, s, NULL);
	return cu_launch_refused(l, r->of ? r->of->m : r->m, r->name, s, NULL);
}

struct rt_function *function_of(struct cu_function *f, struct cu_module *m)
{
	struct rt_function *r;
	const char *name;

	LOCKED(r = table_get(&functions, f));
	if (r)
		return r;
	if (cu_function_name(&name, NULL, f) != CU_OK)
		return NULL;
	LOCKED({
		r = new(&rt.a, struct rt_function);
		r->m = m;
		r->f = f;
		r->name = arena_strndup(&rt.a, name, strlen(name));
		table_put(&functions, f, r); /* a driver interface's handle may be launched too */
		table_put(&handles, r, r);
	});
	return r;
}

void functions_drop(struct cu_module *m)
{
	LOCKED({
		for (uint32_t i = 0; i < functions.cap; i++) {
			struct rt_function *f = functions.value[i];

			if (f && !f->of && f->m == m) {
				handles.value[slot(&handles, f)] = NULL;
				functions.value[i] = NULL;
			}
		}
	});
}

enum cu_status symbol_need(uint64_t *addr, uint64_t *bytes, const void *symbol)
{
	struct rt_variable *v = NULL;
	enum cu_status s = cu_start();

	if (s != CU_OK)
		return s;
	LOCKED({
		v = symbol ? table_get(&variables, symbol) : NULL;
		/* A managed variable is named by where it is. */
		for (uint32_t i = 0; !v && symbol && i < variables.cap; i++) {
			struct rt_variable *w = variables.value[i];

			if (w && w->managed && *(void *const *)w->host == symbol)
				v = w;
		}
	});
	if (!v)
		return CU_INVALID_SYMBOL;
	s = module_place(v->of);
	if (s == CU_OK)
		s = cu_module_variable(addr, bytes, v->of->m, v->name);
	if (s == CU_OK && *bytes > v->bytes && v->bytes)
		*bytes = v->bytes;
	return s == CU_NOT_FOUND ? CU_INVALID_SYMBOL : s;
}

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
	uint64_t addr, bytes;
	enum cu_status s;

	FAIL_IF(!p, INVALID_VALUE);
	s = symbol_need(&addr, &bytes, symbol);
	if (s == CU_OK)
		*p = (void *)(uintptr_t)addr;
	return done(s);
}

cudaError_t cudaGetSymbolSize(size_t *n, const void *symbol)
{
	uint64_t addr, bytes;
	enum cu_status s;

	FAIL_IF(!n, INVALID_VALUE);
	s = symbol_need(&addr, &bytes, symbol);
	if (s == CU_OK)
		*n = bytes;
	return done(s);
}
