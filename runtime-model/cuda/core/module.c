/* Modules: their variables are placed at first need, their kernels compiled one by one when somebody asks for them, and
 * annotated when they are timed, for CTAs of each shape. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/intern.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/fatbin/fatbin.h"
#include "analyzer/ptx/ptx.h"
#include "passes/options.h"
#include "passes/regmutex.h"
#include "runtime-model/run/launch_facts.h"
#include "runtime-model/run/run.h"

#include <errno.h>

#include <stdlib.h>
#include <string.h>

/* ---- compiling ---- */
static bool is_named(const char *symbol, const char *name) { return strcmp(symbol, name) == 0; }
static bool no_kernel(const char *symbol, const char *name) { return !symbol || !name; }

/* The code is the same whatever is known of launches. */
static void pass_options(struct pass_ctx *cx)
{
	const struct pass_options *o = &process.opt.pass;

	cx->opt.maxreg = o->maxreg;
	cx->opt.inline_limit = o->inline_limit;
	cx->opt.fold = o->fold;
	cx->opt.schedule = o->schedule;
	cx->opt.regmutex.size = REGMUTEX_OFF;
}

static bool compile(struct module *m, struct diag *d)
{
	struct pass_ctx cx;
	bool ok = true;

	pass_ctx_init(&cx, d);
	pass_options(&cx);
	for (uint32_t k = 0; ok && k < m->nkernel; k++)
		ok = pass_compile(m->kernel[k], &cx);
	pass_ctx_free(&cx);
	return ok;
}

/* "\nname\nname\n": each once. */
static const char *list_of(const char *const *name, uint32_t n, struct arena *a)
{
	struct intern seen;
	size_t bytes = 2, at = 1;
	char *list;

	intern_init(&seen, a);
	for (uint32_t k = 0; k < n; k++)
		bytes += strlen(name[k]) + 1;
	list = arena_alloc(a, bytes, 1);
	list[0] = '\n';
	for (uint32_t k = 0; k < n; k++)
		if (intern_find(&seen, name[k], strlen(name[k])) == INTERN_NONE) {
			intern_id(&seen, name[k], strlen(name[k]));
			at += (size_t)sprintf(list + at, "%s\n", name[k]);
		}
	return list;
}

/* The kernels of PTX text, of machine code. */
static const char *names_of(const struct source *ptx, struct arena *a)
{
	uint32_t n;
	const char **name = fatbin_kernels(ptx, &n, a);

	return list_of(name, n, a);
}

static const char *native_names_of(const struct module *m, struct arena *a)
{
	const char **name = new_array(a, const char *, m->nkernel + 1);

	for (uint32_t k = 0; k < m->nkernel; k++)
		name[k] = m->kernel[k]->name;
	return list_of(name, m->nkernel, a);
}

/* Variables of the module are in its own object: a kernel's knows only what they are called and where they lie. */
static void strip(struct module *m)
{
	for (uint32_t i = 0; i < m->nsym; i++)
		if (m->sym[i].kernel == UINT32_MAX) {
			m->sym[i].init = NULL;
			m->sym[i].nreloc = 0;
		}
}

/* An object has a kernel: that of the variables does nothing. */
static void add_nothing(struct module *m)
{
	struct kernel *k = kernel_new(m, "nothing");

	ir_block(k, NULL);
	ir_append(k, OP_EXIT, 0, 0);
}

/* kernel NULL: the variables. */
static bool make(struct object *o, const struct cu_module *m, const char *kernel, struct arena *a, struct diag *d)
{
	struct module *x = ptx_parse_kernel(&m->code, kernel ? kernel : "", kernel ? is_named : no_kernel, a, d);

	if (!x)
		return false;
	if (kernel)
		strip(x);
	else
		add_nothing(x);
	if (!compile(x, d))
		return false;
	o->names = kernel ? "" : names_of(&m->code, a);
	return rlo_encode(x, a, &o->bytes, &o->n, d);
}

static void hash(struct cu_module *m)
{
	const struct cuda_options *o = &process.opt;
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, REGLOOM_VERSION, sizeof REGLOOM_VERSION);
	m->uncached = !cache_compiler(&s);
	sha256_add(&s, m->name, strlen(m->name) + 1); /* diagnostics and places in it have this */
	for (unsigned i = CUDA_OPT_MAXREG; i < CUDA_OPT_MAXREG + PASS_OPT_CODE_END; i++) {
		const char *text = o->text[i] ? o->text[i] : "";

		sha256_add(&s, &o->given[i], sizeof o->given[i]);
		sha256_add(&s, text, strlen(text) + 1);
	}
	sha256_add(&s, m->code.text, m->code.len);
	sha256_end(&s, m->hash);
}

static void key_of(const struct cu_module *m, const char *kernel, char hex[SHA256_HEX])
{
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, m->hash, sizeof m->hash);
	sha256_add(&s, kernel ? kernel : "", kernel ? strlen(kernel) : 0);
	sha256_end(&s, hex);
}

/* From the cache, or made and put there. */
static bool get(struct object *o, const struct cu_module *m, const char *kernel, struct arena *a, struct diag *d)
{
	char key[SHA256_HEX];
	bool ok;
	int lock;

	if (m->uncached)
		return make(o, m, kernel, a, d);
	key_of(m, kernel, key);
	if (cache_get(o, key, a))
		return true;
	lock = cache_lock(key);
	ok = lock >= 0 && cache_get(o, key, a); /* somebody made it while we waited */
	if (!ok && (ok = make(o, m, kernel, a, d)) && lock >= 0)
		cache_put(o, key);
	cache_unlock(lock);
	return ok;
}

/* In arena m->a; *names too, unless it is NULL. */
static struct module *read_object(struct cu_module *m, const char *kernel, const char **names, struct diag *d)
{
	struct module *x = NULL;
	struct object o;
	struct arena a;

	arena_init(&a);
	if (get(&o, m, kernel, &a, d)) {
		void *bytes = arena_alloc(&m->a, o.n + 1, 8);

		memcpy(bytes, o.bytes, o.n);
		x = rlo_read_memory(bytes, o.n, m->name, &m->a, d);
		if (names)
			*names = arena_strndup(&m->a, o.names, strlen(o.names));
	}
	arena_free(&a);
	return x;
}

/* ---- at first need ---- */
static enum cu_status prepare(struct cu_module *m)
{
	enum cu_status s = image_read(m);

	if (s)
		return s;
	hash(m);
	if (m->native)
		m->names = native_names_of(m->m, &m->a);
	else
		m->m = read_object(m, NULL, &m->names, &process.d);
	if (!m->m)
		return image_bad(m, CU_INVALID_PTX);
	for (const char *c = m->names + 1; *c; c++)
		m->nkernel += *c == '\n';
	return CU_OK;
}

/* A kernel that cannot be compiled: why. */
static enum cu_status refuse(struct cu_function *f)
{
	struct cu_module *m = f->module;
	struct arena a;
	struct diag d;
	struct module *x;

	arena_init(&a);
	diag_init(&d, stderr);
	say("kernel %s cannot be run:", f->name);
	x = ptx_parse_kernel(&m->code, f->name, is_named, &a, &d);
	if (x)
		compile(x, &d);
	if (d.last) {
		heard(d.last);
		f->reason = arena_printf(&m->a, "it cannot be compiled: %.*s", (int)strcspn(d.last, "\n"), d.last);
	}
	diag_free(&d);
	arena_free(&a);
	return CU_INVALID_PTX;
}

static enum cu_status compile_kernel(struct cu_function *f)
{
	struct diag quiet;
	struct module *x;

	diag_init(&quiet, NULL);
	x = read_object(f->module, f->name, NULL, &quiet);
	diag_free(&quiet);
	if (!x)
		return refuse(f);
	f->k = x->nkernel ? x->kernel[0] : NULL;
	return CU_OK;
}

static enum cu_status prepare_kernel(struct cu_function *f)
{
	enum cu_status s = CU_OK;

	if (f->module->native)
		f->k = module_find_kernel(f->module->m, f->name);
	else
		s = compile_kernel(f);
	if (s || !f->k)
		return s ? s : CU_NOT_FOUND; /* it is only declared */
	f->set.max_dynamic_shared = function_shared(f) < process.device.shared_per_cta
					    ? process.device.shared_per_cta - function_shared(f)
					    : 0;
	return CU_OK;
}

/* ---- annotations ---- */
static uint64_t value_of(const struct launch *x, const struct param *p)
{
	uint64_t v = 0;

	memcpy(&v, (const char *)x->params + p->offset, p->size);
	return v;
}

/* What a launch file would say of x: addresses are no numbers. */
static struct launch_facts facts_of(const struct launch *x, struct arena *a)
{
	struct launch_param *out = new_array(a, struct launch_param, x->k->nparam + 1u);
	struct launch_facts f = { .dynamic_bytes = x->dynamic_shared, .param = out };

	memcpy(f.block, x->block, sizeof f.block);
	memcpy(f.grid, x->grid, sizeof f.grid);
	for (uint32_t i = 0; i < x->k->nparam; i++) {
		const struct param *p = &x->k->param[i];

		if (launch_facts_integer(p) && !row_find(value_of(x, p)))
			out[f.nparam++] = (struct launch_param){ p->name, value_of(x, p) };
	}
	return f;
}

/* NULL with a diagnostic. */
static const struct kernel *annotate(struct cu_function *f, const struct launch_facts *facts, bool shared,
				     struct diag *d)
{
	struct kernel *k;
	struct pass_ctx cx;

	pass_ctx_init(&cx, d);
	cx.opt = process.opt.pass;
	cx.opt.launch = facts;
	if (!shared)
		cx.opt.regmutex.size = REGMUTEX_OFF;
	k = pass_annotate(f->k, &f->module->a, &cx);
	pass_ctx_free(&cx);
	if (k && k->native && k->regmutex && k->regmutex->extended)
		run_vary_native(k);
	return k;
}

struct annotated *function_annotated(struct cu_function *f, const struct launch *x)
{
	struct annotated *n = f->annotated;
	struct launch_facts facts;
	struct arena a;
	struct diag d;

	while (n && (n->dynamic_shared != x->dynamic_shared || memcmp(n->block, x->block, sizeof n->block) != 0))
		n = n->next;
	if (n)
		return n;
	arena_init(&a);
	diag_init(&d, NULL);
	n = new(&f->module->a, struct annotated);
	n->dynamic_shared = x->dynamic_shared;
	memcpy(n->block, x->block, sizeof n->block);
	facts = facts_of(x, &a);
	n->k = annotate(f, &facts, true, &d);
	if (!n->k) { /* a size that was given is not legal for this kernel: nothing is shared */
		n->why = arena_printf(&f->module->a, "%.*s", (int)strcspn(d.last, "\n"), d.last);
		n->k = annotate(f, &facts, false, &d);
	}
	diag_free(&d);
	arena_free(&a);
	if (!n->k)
		n->k = f->k;
	n->next = f->annotated;
	f->annotated = n;
	return n;
}

void function_code(struct cu_function *f, const struct kernel *k)
{
	struct process *p = &process;

	if (f->code)
		return;
	f->code = k;
	arena_grow(&p->a, p->code, p->ncode, p->code_cap);
	p->code[p->ncode++] = k;
}

/* The code of f is on the device no more. */
static void forget_code(const struct cu_function *f)
{
	struct process *p = &process;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ncode; i++)
		if (p->code[i] != f->code)
			p->code[n++] = p->code[i];
	p->ncode = n;
}

static enum cu_status load(struct cu_module *m)
{
	struct process *p = &process;
	struct placed *placed = new_array(&m->a, struct placed, m->nplace + 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nplace; i++)
		for (uint32_t s = 0; s < m->m->nsym; s++)
			if (m->m->sym[s].space == SP_GLOBAL && !m->m->sym[s].external &&
			    strcmp(m->m->sym[s].name, m->place[i].name) == 0) {
				const struct allocation_row *r = row_find(m->place[i].addr);

				if (!r || m->place[i].addr != r->addr || m->m->sym[s].size > r->bytes)
					return CU_INVALID_VALUE;
				device_unmap(p->dev, r->addr); /* it is the variable from now on */
				placed[n++] = (struct placed){ s, r->addr, r->host };
			}
	if (!device_load_at(p->dev, m->m, placed, n)) {
		fputs(last_error(), stderr);
		return CU_OUT_OF_MEMORY;
	}
	m->loaded = true;
	return CU_OK;
}

/* Its variables are there. */
static void prepare_module(void *ctx)
{
	struct cu_module *m = ctx;

	m->why = prepare(m);
}

static void prepare_function(void *ctx)
{
	struct cu_function *f = ctx;

	f->why = prepare_kernel(f);
}

static enum cu_status module_need(struct cu_module *m)
{
	struct cu_module *x = process.module;

	while (x && x != m)
		x = x->next;
	if (!x)
		return CU_INVALID_HANDLE;
	if (m->state == MODULE_NEW) {
		with_stack(prepare_module, m);
		m->state = m->why ? MODULE_BAD : MODULE_READY;
	}
	if (m->why)
		return m->why;
	return m->loaded ? CU_OK : load(m);
}

enum cu_status function_need(struct cu_function *f)
{
	enum cu_status s = module_need(f->module);

	if (!s && !f->k && !f->why)
		with_stack(prepare_function, f);
	if (s || f->why)
		return s ? s : f->why;
	if (f->module->native || device_load_with(process.dev, f->k->m, f->module->m))
		return CU_OK;
	fputs(last_error(), stderr);
	return CU_OUT_OF_MEMORY;
}

const char *kernel_reason(const struct cu_module *m, const char *name, enum cu_status s)
{
	const struct cu_function *f = m ? m->function : NULL;

	if (!m)
		return "what it is given is no kernel of the program";
	if (m->state == MODULE_BAD && m->reason)
		return m->reason;
	while (f && strcmp(f->name, name) != 0)
		f = f->next;
	if (f && f->reason)
		return f->reason;
	return s == CU_INVALID_DEVICE_FUNCTION ? "its image has no kernel of that name" : cu_status_text((int)s);
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
	m->next = process.module;
	*out = process.module = m;
	return leave(CU_OK);
}

enum cu_status cu_module_check(struct cu_module *m)
{
	enum cu_status s = enter();

	return s ? s : leave(module_need(m));
}

/* Something will be shown of its kernels. */
static bool is_shown(const struct cu_module *m)
{
	for (const struct cu_function *f = m->function; f; f = f->next)
		for (const struct annotated *n = f->annotated; n; n = n->next)
			if (n->shown)
				return true;
	return false;
}

enum cu_status cu_module_unload(struct cu_module *m)
{
	enum cu_status s = enter_anyway();
	struct cu_module **at;
	bool kept;

	if (s)
		return s;
	for (at = &process.module; *at && *at != m; at = &(*at)->next)
		;
	if (!*at)
		return leave(CU_INVALID_HANDLE);
	*at = m->next;
	flush_prints();
	for (const struct cu_function *f = m->function; f; f = f->next)
		if (f->k && !m->native)
			device_unload(process.dev, f->k->m);
	if (m->loaded)
		device_unload(process.dev, m->m);
	for (uint32_t i = 0; i < m->nplace && m->loaded; i++) { /* they are the program's again */
		struct allocation_row *r = row_find(m->place[i].addr);

		if (r)
			device_map(process.dev, m->place[i].name, r->addr, r->bytes, r->host);
	}
	kept = is_shown(m);
	while (m->function) {
		struct cu_function *f = m->function;

		m->function = f->next;
		forget_code(f);
		free(f);
	}
	if (!kept)
		arena_free(&m->a);
	free(m);
	return leave(CU_OK);
}

/* name: in m->names, n bytes. */
static struct cu_function *function_of(struct cu_module *m, const char *name, size_t n)
{
	struct cu_function *f = m->function;

	while (f && (strncmp(f->name, name, n) != 0 || f->name[n]))
		f = f->next;
	if (f)
		return f;
	f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	*f = (struct cu_function){
		.module = m, .name = arena_strndup(&m->a, name, n), .next = m->function, .set.carveout = -1
	};
	return m->function = f;
}

struct cu_function *module_kernel(struct cu_module *m, uint64_t address)
{
	for (const char *at = module_need(m) ? "" : m->names; *at && at[1];) {
		const size_t n = strcspn(++at, "\n");

		if (kernel_address(at, n) == address)
			return function_of(m, at, n);
		at += n;
	}
	return NULL;
}

enum cu_status cu_module_function(struct cu_function **out, struct cu_module *m, const char *name)
{
	enum cu_status s = enter();
	struct cu_function *f;
	const char *at;
	size_t n;

	if (s)
		return s;
	if (!out || !name)
		return leave(CU_INVALID_VALUE);
	s = module_need(m);
	if (s)
		return leave(s);
	n = strlen(name);
	at = n && !strchr(name, '\n') ? strstr(m->names, name) : NULL;
	while (at && (at[-1] != '\n' || at[n] != '\n'))
		at = strstr(at + 1, name);
	if (!at)
		return leave(CU_NOT_FOUND);
	f = function_of(m, at, n);
	s = f ? function_need(f) : CU_OUT_OF_MEMORY;
	if (!s)
		*out = f;
	return leave(s);
}

enum cu_status cu_module_count(unsigned *n, struct cu_module *m)
{
	enum cu_status s = enter();

	if (s)
		return s;
	s = n ? module_need(m) : CU_INVALID_VALUE;
	if (!s)
		*n = m->nkernel;
	return leave(s);
}

enum cu_status cu_module_nth(struct cu_function **out, struct cu_module *m, unsigned i)
{
	enum cu_status s = enter();
	const char *at;

	if (s)
		return s;
	s = out ? module_need(m) : CU_INVALID_VALUE;
	if (s || i >= m->nkernel)
		return leave(s ? s : CU_INVALID_VALUE);
	at = m->names + 1;
	while (i--)
		at = strchr(at, '\n') + 1;
	*out = function_of(m, at, strcspn(at, "\n"));
	return leave(*out ? CU_OK : CU_OUT_OF_MEMORY);
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

		if ((x->space != SP_GLOBAL && x->space != SP_CONST) || x->external || x->kernel != UINT32_MAX ||
		    strcmp(x->name, name) != 0)
			continue;
		at = x->space == SP_GLOBAL ? device_variable(process.dev, m->m, i)
					   : device_constant(process.dev, m->m, i);
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
		if (strcmp(m->place[i].name, name) == 0) { /* the device was reset since */
			m->place[i].addr = addr;
			return leave(CU_OK);
		}
	arena_grow(&m->a, m->place, m->nplace, m->place_cap);
	m->place[m->nplace++] = (struct place){ arena_printf(&m->a, "%s", name), addr };
	return leave(CU_OK);
}
