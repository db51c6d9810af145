/* The model as a GPU, in this process: each launch is timed as machine p's baseline, and its reads of clocks give the
 * modelled cycles. */
#include "runtime-model/hardware/hardware.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/engine/copy.h"
#include "runtime-model/gpu/readings.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/run/run.h"

#include <string.h>
#include <sys/sysinfo.h>

struct model {
	const struct params *p;
	struct rf_config rf;
	struct device *dev;
	const struct mufu_table *mufu;
	struct arena spare; /* of the launches */
	struct hardware_code *code;
	struct launched launched;
	unsigned seconds;
	struct l2 *l2; /* from launch to launch; NULL: each begins with a cold one */
};

struct hardware_code {
	struct arena a;
	struct source src;
	struct module *m;
	struct hardware_code *next;
};

void launched_add(struct launched *l, const struct kernel *k, struct arena *a)
{
	if (launched_place(l, k) < l->n)
		return;
	arena_grow(a, l->k, l->n, l->cap);
	l->k[l->n++] = k;
}

uint32_t launched_place(const struct launched *l, const struct kernel *k)
{
	uint32_t i = 0;

	while (i < l->n && l->k[i] != k)
		i++;
	return i;
}

struct module *hardware_module(const struct source *src, struct arena *a, struct diag *d)
{
	struct pass_ctx cx;
	struct module *m;
	bool ok;

	if (cubin_is(src->text, src->len))
		return run_read_native(src, true, NULL, a, d);
	m = ptx_parse(src, a, d);
	ok = m != NULL;
	pass_ctx_init(&cx, d);
	cx.opt.regmutex.size = REGMUTEX_OFF;
	for (uint32_t k = 0; ok && k < m->nkernel; k++)
		ok = pass_compile(m->kernel[k], &cx);
	pass_ctx_free(&cx);
	return ok ? m : NULL;
}

static struct hardware_code *load(struct hardware *h, const void *image, size_t bytes, const char *name)
{
	struct model *v = h->ctx;
	struct hardware_code *c = new(h->a, struct hardware_code);

	arena_init(&c->a);
	c->src = (struct source){ name, arena_strndup(&c->a, image, bytes), bytes };
	c->m = hardware_module(&c->src, &c->a, h->d);
	if (!c->m || !device_load(v->dev, c->m)) {
		arena_free(&c->a);
		return NULL;
	}
	c->next = v->code;
	v->code = c;
	return c;
}

static const struct kernel *find(struct hardware *h, const struct hardware_code *c, const char *name)
{
	for (uint32_t k = 0; k < c->m->nkernel; k++)
		if (strcmp(c->m->kernel[k]->name, name) == 0)
			return c->m->kernel[k];
	diag_error_plain(h->d, name, "there is no such kernel");
	return NULL;
}

static bool kernel(struct hardware *h, struct hardware_code *c, const char *name, struct hardware_kernel *out)
{
	const struct kernel *k = find(h, c, name);

	if (k)
		*out = (struct hardware_kernel){ k->res.regs, k->res.shared_bytes, k->res.local_bytes };
	return k != NULL;
}

static bool variable(struct hardware *h, struct hardware_code *c, const char *name, uint64_t *addr, uint64_t *bytes)
{
	struct model *v = h->ctx;
	(void)c;
	*addr = device_symbol(v->dev, name, bytes);
	return *addr != 0;
}

static uint64_t alloc(struct hardware *h, uint64_t bytes)
{
	struct model *v = h->ctx;

	return device_alloc(v->dev, "memory", bytes);
}

static bool write_memory(struct hardware *h, uint64_t addr, const void *from, uint64_t bytes)
{
	struct model *v = h->ctx;

	void *to = device_ptr(v->dev, addr, bytes);

	if (to)
		memcpy(to, from, bytes);
	if (to && v->l2 && v->p->l2_preload)
		l2_copied(v->l2, addr, bytes);
	return to || diag_error_plain(h->d, h->name, "there is no such memory");
}

static bool read_memory(struct hardware *h, void *to, uint64_t addr, uint64_t bytes)
{
	struct model *v = h->ctx;

	const void *from = device_ptr(v->dev, addr, bytes);

	if (from)
		memcpy(to, from, bytes);
	return from || diag_error_plain(h->d, h->name, "there is no such memory");
}

/* Times l on a copy of memory. */
static bool time_copy(struct model *v, const struct launch *l, struct readings *r, struct stats *st, struct diag *d)
{
	struct device_copy *c = device_copy_begin(v->dev);
	const struct sim_options o = {
		.params = v->p,
		.rf = v->rf,
		.before = v->launched.k,
		.nbefore = launched_place(&v->launched, l->k),
		.probe = readings_probe(r),
		.l2 = v->l2,
		.spare = &v->spare,
		.threads = 1,
	};
	bool ok;

	if (!c)
		return diag_error_plain(d, l->k->name, "there is no memory for a copy of the device's");
	ok = sim_run(v->dev, l, &o, st, d);
	device_copy_end(v->dev, c);
	device_copy_free(c);
	return ok;
}

static bool execute(struct model *v, const struct launch *l, const struct engine_clock *clock, struct diag *d)
{
	const struct engine_options o = { .clock = clock, .threads = clock ? 0 : (unsigned)get_nprocs() };
	struct engine *e = engine_new(v->dev, l, &o, d);
	const bool ok = e && engine_run(e);

	engine_free(e);
	return ok;
}

static bool run(struct hardware *h, struct hardware_code *c, const struct hardware_launch *l, double *ns)
{
	struct model *v = h->ctx;
	struct launch x = { .m = c->m,
			    .k = find(h, c, l->kernel),
			    .dynamic_shared = l->dynamic_shared,
			    .params = l->param,
			    .param_bytes = (uint32_t)l->param_bytes };
	const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	const unsigned warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
	struct engine_clock clock;
	struct readings *r;
	struct stats st = { 0 };
	bool ok;

	if (!x.k)
		return false;
	memcpy(x.grid, l->grid, sizeof x.grid);
	memcpy(x.block, l->block, sizeof x.block);
	if (!ns)
		return execute(v, &x, NULL, h->d);
	launched_add(&v->launched, x.k, h->a);
	r = readings_new(x.k, ctas, warps, h->a);
	ok = time_copy(v, &x, r, &st, h->d);
	if (ok) {
		clock = readings_clock(r, 0, v->p->sm_mhz);
		ok = execute(v, &x, &clock, h->d);
	}
	readings_free(r);
	*ns = (double)st.cycles * 1000 / v->p->sm_mhz;
	return ok;
}

static bool launch(struct hardware *h, struct hardware_code *c, const struct hardware_launch *l, double *ns)
{
	const struct model *v = h->ctx;
	bool ok;

	if (v->seconds)
		hardware_watch(l->kernel, v->seconds);
	ok = run(h, c, l, ns);
	if (v->seconds)
		hardware_watch(l->kernel, 0);
	return ok;
}

static void forget(struct model *v)
{
	device_free(v->dev);
	for (; v->code; v->code = v->code->next)
		arena_free(&v->code->a);
	v->launched.n = 0;
}

static void reset(struct hardware *h)
{
	struct model *v = h->ctx;

	forget(v);
	v->dev = device_new(h->d);
	device_set_mufu(v->dev, v->mufu);
}

void hardware_model_mufu(struct hardware *h, const struct mufu_table *t)
{
	struct model *v = h->ctx;

	v->mufu = t;
	device_set_mufu(v->dev, t);
}

static void close_model(struct hardware *h)
{
	struct model *v = h->ctx;

	forget(v);
	arena_free(&v->spare);
}

void hardware_model(struct hardware *h, const struct params *p, unsigned sm, unsigned seconds, struct arena *a,
		    struct diag *d)
{
	static const struct hardware_ops ops = { load,        kernel, variable, alloc,      write_memory,
						 read_memory, launch, reset,    close_model };
	struct model *v = new(a, struct model);
	struct params mine = *p;

	*h = (struct hardware){ .ops = &ops,
				.ctx = v,
				.a = a,
				.d = d,
				.name = p->machine,
				.driver = "the model",
				.sm = sm,
				.sms = p->sms,
				.sm_mhz = p->sm_mhz,
				.l2 = p->partitions * p->l2_slices * p->l2_sets * p->l2_ways * LINE_BYTES };
	v->p = p;
	v->seconds = seconds;
	v->l2 = p->l2_keep ? l2_new(p, a) : NULL;
	arena_init(&v->spare);
	rf_config_parse(&v->rf, "baseline", &mine, d);
	v->dev = device_new(d);
}
