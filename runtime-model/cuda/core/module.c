/* Modules: compiled at first need, their variables placed, their kernels found by name. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/sha256.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/fatbin/fatbin.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"

#include <errno.h>

#include <stdlib.h>
#include <string.h>

/* ---- compiling ---- */
/* List: "\nname\nname\n". */
static bool listed(const char *list, const char *name)
{
	const size_t n = strlen(name);

	for (const char *s = strstr(list, name); s; s = strstr(s + 1, name))
		if (s > list && s[-1] == '\n' && s[n] == '\n')
			return true;
	return false;
}

static bool not_listed(const char *symbol, const char *list) { return !listed(list, symbol); }
static bool is_named(const char *symbol, const char *name) { return strcmp(symbol, name) == 0; }

static void pass_options(struct pass_ctx *cx)
{
	cx->opt.regmutex.sm = params_limits(process.opt.configs->n ? process.opt.configs->config[0].params : process.opt.machine);
}

/* The kernels that are not listed, compiled; NULL, and *bad is one that cannot be, or NULL if that is not it. */
static struct module *compile(const struct source *ptx, const char *refused, const char **bad, struct arena *a, struct diag *d)
{
	struct module *m = *refused ? ptx_parse_kernel(ptx, refused, not_listed, a, d) : ptx_parse(ptx, a, d);
	struct pass_ctx cx;
	bool ok = m != NULL;

	*bad = NULL;
	pass_ctx_init(&cx, d);
	pass_options(&cx);
	for (uint32_t k = 0; ok && k < m->nkernel; k++) {
		ok = pass_compile(m->kernel[k], &cx);
		if (!ok)
			*bad = m->kernel[k]->name;
	}
	pass_ctx_free(&cx);
	return ok ? m : NULL;
}

/* Of the kernels that are not listed, those whose text has errors are added. *n: how many. */
static const char *find_bad(const struct source *ptx, const char *refused, uint32_t *n, struct arena *a)
{
	uint32_t names;
	const char **name = fatbin_kernels(ptx, &names, a);

	*n = 0;
	for (uint32_t k = 0; k < names; k++) {
		struct arena scratch;
		struct diag quiet;

		if (listed(refused, name[k]))
			continue;
		arena_init(&scratch);
		diag_init(&quiet, NULL);
		if (!ptx_parse_kernel(ptx, name[k], is_named, &scratch, &quiet)) {
			refused = arena_printf(a, "%s%s\n", *refused ? refused : "\n", name[k]);
			++*n;
		}
		diag_free(&quiet);
		arena_free(&scratch);
	}
	return refused;
}

static bool make(struct object *o, const struct cu_module *m, struct arena *a, struct diag *d)
{
	struct module *x = NULL;
	struct diag quiet;
	const char *bad;
	uint32_t n;

	o->refused = "";
	diag_init(&quiet, NULL);
	for (unsigned tries = 0; !x; tries++) {
		x = compile(&m->ptx, o->refused, &bad, a, &quiet);
		if (x)
			break;
		if (bad) {
			o->refused = arena_printf(a, "%s%s\n", *o->refused ? o->refused : "\n", bad);
			continue;
		}
		o->refused = find_bad(&m->ptx, o->refused, &n, a);
		if (!n || tries) {
			diag_replay(d, quiet.last ? quiet.last : "", 1);
			diag_free(&quiet);
			return false;
		}
	}
	diag_free(&quiet);
	return rlo_encode(x, a, &o->bytes, &o->n, d);
}

static void key_of(const struct cu_module *m, char hex[SHA256_HEX])
{
	const struct params *p = process.opt.configs->n ? process.opt.configs->config[0].params : process.opt.machine;
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, REGLOOM_VERSION, sizeof REGLOOM_VERSION);
	sha256_add(&s, m->name, strlen(m->name) + 1);   /* diagnostics and places in it have this */
	sha256_add(&s, p->machine, strlen(p->machine) + 1);
	sha256_add(&s, p->changes, strlen(p->changes) + 1);
	sha256_add(&s, m->ptx.text, m->ptx.len);
	sha256_end(&s, hex);
}

bool object_make(struct object *o, const struct cu_module *m, struct arena *a, struct diag *d)
{
	char key[SHA256_HEX];
	bool ok;
	int lock;

	key_of(m, key);
	if (cache_get(o, key, a))
		return true;
	lock = cache_lock(key);
	ok = lock >= 0 && cache_get(o, key, a);          /* somebody made it while we waited */
	if (!ok && (ok = make(o, m, a, d)) && lock >= 0)
		cache_put(o, key);
	cache_unlock(lock);
	return ok;
}

/* ---- at first need ---- */
static enum cu_status prepare(struct cu_module *m)
{
	struct process *p = &process;
	enum cu_status s = image_read(m);
	struct object o;

	if (s)
		return s;
	if (!object_make(&o, m, &m->a, &p->d) || !(m->m = rlo_read_memory(o.bytes, o.n, m->name, &m->a, &p->d))) {
		fputs(last_error(), stderr);
		return CU_INVALID_PTX;
	}
	m->refused = o.refused;
	snprintf(m->target, sizeof m->target, "%s", m->m->target);
	return CU_OK;
}

static enum cu_status load(struct cu_module *m)
{
	struct process *p = &process;
	struct placed *placed = new_array(&m->a, struct placed, m->nplace + 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nplace; i++)
		for (uint32_t s = 0; s < m->m->nsym; s++)
			if (m->m->sym[s].space == SP_GLOBAL && !m->m->sym[s].external && strcmp(m->m->sym[s].name, m->place[i].name) == 0) {
				const struct allocation_row *r = row_find(m->place[i].addr);

				if (!r || m->place[i].addr != r->addr || m->m->sym[s].size > r->bytes)
					return CU_INVALID_VALUE;
				device_unmap(p->dev, r->addr);   /* it is the variable from now on */
				placed[n++] = (struct placed){ s, r->addr, r->host };
			}
	if (!device_load_at(p->dev, m->m, placed, n)) {
		fputs(last_error(), stderr);
		return CU_OUT_OF_MEMORY;
	}
	m->loaded = true;
	return CU_OK;
}

enum cu_status module_need(struct cu_module *m)
{
	struct cu_module *x = process.module;

	while (x && x != m)
		x = x->next;
	if (!x)
		return CU_INVALID_HANDLE;
	if (m->state == MODULE_NEW) {
		m->why = prepare(m);
		m->state = m->why ? MODULE_BAD : MODULE_READY;
	}
	return m->why ? m->why : m->loaded ? CU_OK : load(m);
}

void modules_reset(void)
{
	for (struct cu_module *m = process.module; m; m = m->next)
		m->loaded = false;
}

/* ---- the interface ---- */
enum cu_status cu_module_load(struct cu_module **out, const void *image, const char *name)
{
	enum cu_status s = enter_registration();
	struct cu_module *m;

	if (s)
		return s;
	if (!out || !image)
		return leave(CU_INVALID_VALUE);
	m = calloc(1, sizeof *m);
	if (!m)
		return leave(CU_OUT_OF_MEMORY);
	arena_init(&m->a);
	m->name = arena_printf(&m->a, "%s", name ? name : program_invocation_short_name);
	m->image = image;
	m->refused = "";
	m->next = process.module;
	*out = process.module = m;
	return leave(CU_OK);
}

enum cu_status cu_module_check(struct cu_module *m)
{
	enum cu_status s = enter();

	return s ? s : leave(module_need(m));
}

enum cu_status cu_module_unload(struct cu_module *m)
{
	enum cu_status s = enter_anyway();
	struct cu_module **at;

	if (s)
		return s;
	for (at = &process.module; *at && *at != m; at = &(*at)->next)
		;
	if (!*at)
		return leave(CU_INVALID_HANDLE);
	*at = m->next;
	flush_prints();
	if (m->loaded)
		device_unload(process.dev, m->m);
	for (uint32_t i = 0; i < m->nplace && m->loaded; i++) {          /* they are the program's again */
		struct allocation_row *r = row_find(m->place[i].addr);

		if (r)
			device_map(process.dev, m->place[i].name, r->addr, r->bytes, r->host);
	}
	while (m->function) {
		struct cu_function *f = m->function;

		m->function = f->next;
		free(f);
	}
	arena_free(&m->a);
	free(m);
	return leave(CU_OK);
}

/* A kernel that could not be compiled: why. */
static enum cu_status refuse(const struct cu_module *m, const char *name)
{
	struct arena a;
	struct diag d;
	struct module *x;

	arena_init(&a);
	diag_init(&d, stderr);
	say("kernel %s cannot be run:", name);
	x = ptx_parse_kernel(&m->ptx, name, is_named, &a, &d);
	if (x && x->nkernel) {
		struct pass_ctx cx;

		pass_ctx_init(&cx, &d);
		pass_options(&cx);
		pass_compile(x->kernel[0], &cx);
		pass_ctx_free(&cx);
	}
	diag_free(&d);
	arena_free(&a);
	return CU_INVALID_PTX;
}

static struct cu_function *function_of(struct cu_module *m, const struct kernel *k)
{
	struct cu_function *f = m->function;

	while (f && f->k != k)
		f = f->next;
	if (f)
		return f;
	f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	*f = (struct cu_function){ .module = m, .name = k->name, .k = k, .next = m->function, .set.carveout = -1 };
	f->set.max_dynamic_shared = function_shared(f) < process.device.shared_per_cta ? process.device.shared_per_cta - function_shared(f) : 0;
	return m->function = f;
}

enum cu_status cu_module_function(struct cu_function **out, struct cu_module *m, const char *name)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!out || !name)
		return leave(CU_INVALID_VALUE);
	s = module_need(m);
	if (s)
		return leave(s);
	for (uint32_t k = 0; k < m->m->nkernel; k++)
		if (strcmp(m->m->kernel[k]->name, name) == 0) {
			*out = function_of(m, m->m->kernel[k]);
			return leave(*out ? CU_OK : CU_OUT_OF_MEMORY);
		}
	return leave(listed(m->refused, name) ? refuse(m, name) : CU_NOT_FOUND);
}

enum cu_status cu_module_count(unsigned *n, struct cu_module *m)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = n ? module_need(m) : CU_INVALID_VALUE;
	if (!s)
		*n = m->m->nkernel;
	return leave(s);
}

enum cu_status cu_module_nth(struct cu_function **out, struct cu_module *m, unsigned i)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = out ? module_need(m) : CU_INVALID_VALUE;
	if (!s)
		s = i < m->m->nkernel && (*out = function_of(m, m->m->kernel[i])) ? CU_OK : CU_INVALID_VALUE;
	return leave(s);
}

enum cu_status cu_module_variable(uint64_t *addr, uint64_t *bytes, struct cu_module *m, const char *name)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = name ? module_need(m) : CU_INVALID_VALUE;
	if (s)
		return leave(s);
	for (uint32_t i = 0; i < m->m->nsym; i++) {
		const struct symbol *x = &m->m->sym[i];
		uint64_t at;

		if ((x->space != SP_GLOBAL && x->space != SP_CONST) || x->external || x->kernel != UINT32_MAX || strcmp(x->name, name) != 0)
			continue;
		at = x->space == SP_GLOBAL ? device_variable(process.dev, m->m, i) : device_constant(process.dev, m->m, i);
		if (addr)
			*addr = at;
		if (bytes)
			*bytes = x->size;
		return leave(at ? CU_OK : CU_NOT_FOUND);
	}
	return leave(CU_NOT_FOUND);
}

enum cu_status cu_module_place(struct cu_module *m, const char *name, uint64_t addr)
{
	enum cu_status s = enter_registration();
	const struct allocation_row *r;

	if (s)
		return s;
	r = row_find(addr);
	if (!m || !name || m->loaded || !r || r->addr != addr)
		return leave(CU_INVALID_VALUE);
	for (uint32_t i = 0; i < m->nplace; i++)
		if (strcmp(m->place[i].name, name) == 0) {      /* the device was reset since */
			m->place[i].addr = addr;
			return leave(CU_OK);
		}
	arena_grow(&m->a, m->place, m->nplace, m->place_cap);
	m->place[m->nplace++] = (struct place){ arena_printf(&m->a, "%s", name), addr };
	return leave(CU_OK);
}
