#include "runtime-model/run.h"

#include <string.h>

#define POISON_SEED 0x9e3779b97f4a7c15u

enum mode { MODE_TIMED, MODE_FUNCTIONAL, MODE_POISON };

struct pass {                           /* one execution of the whole launch file */
	struct run *r;
	enum mode mode;
	struct rf_config rf;
	struct device *dev;
	struct stats *stats;
	struct run_launch *launch;      /* NULL: not wanted */
	const struct gpu_probe *probe;
	struct run_progress now;
	struct arena *a;
	struct diag *d;
};

static void report(struct pass *p)
{
	if (p->r->opt.progress)
		p->r->opt.progress(p->r->opt.progress_ctx, &p->now);
}

static void sim_report(void *ctx, const struct sim_progress *s)
{
	struct pass *p = ctx;
	struct run_progress before = p->now;

	p->now.cycles += s->cycles;
	p->now.warp_insns += s->warp_insns;
	report(p);
	p->now = before;
}

static bool time_launch(struct pass *p, const struct launch *l, struct run_launch *sum)
{
	struct sim_options o = {
		.params = p->r->opt.params, .rf = p->rf, .have_anno = p->r->opt.have_anno, .max_insns = p->r->opt.max_insns,
		.probe = p->probe,
	};
	struct stats st;

	if (p->r->opt.progress) {
		o.progress = sim_report;
		o.progress_ctx = p;
	}
	stats_reset(&st);
	if (!sim_run(p->dev, l, &o, &st, p->d))
		return false;
	if (!stats_check(&st, p->d)) {
		p->r->bug = true;
		return false;
	}
	stats_merge(p->stats, &st);
	sum->cycles += st.cycles;
	sum->warp_insns += st.warp_instructions;
	sum->thread_insns += st.thread_instructions;
	return true;
}

static bool execute_launch(struct pass *p, const struct launch *l, struct run_launch *sum)
{
	struct engine_options o = {
		.poison = p->mode == MODE_POISON, .poison_seed = POISON_SEED, .max_insns = p->r->opt.max_insns,
	};
	struct engine *e = engine_new(p->dev, l, &o, p->d);
	struct engine_counts *c = &p->r->counts;
	bool ok = e && engine_run(e);

	if (ok) {
		const struct engine_counts *n = engine_counts(e);

		sum->warp_insns += n->warp_insns;
		sum->thread_insns += n->thread_insns;
		if (p->mode == MODE_FUNCTIONAL) {
			c->warp_insns += n->warp_insns;
			c->thread_insns += n->thread_insns;
			c->branches += n->branches;
			c->divergent += n->divergent;
		}
	}
	if (e)
		engine_free(e);
	return ok;
}

static bool run_one(struct pass *p, const struct launch_cursor *c)
{
	const struct launch_file *f = p->r->f;
	const struct launch_spec *s = &f->launch[c->launch];
	const struct kernel *k = module_find_kernel(p->r->m, s->kernel);
	uint32_t bytes = launch_param_bytes(k);
	void *params = arena_alloc(p->a, bytes + 1, 8);
	struct launch l = { .m = p->r->m, .k = k, .dynamic_shared = s->shared_bytes, .stack_bytes = s->stack_bytes,
	                    .params = params, .param_bytes = bytes };
	struct run_launch sum = { .rounds = 1 };

	memcpy(l.grid, s->grid, sizeof l.grid);
	memcpy(l.block, s->block, sizeof l.block);
	p->now.kernel = s->kernel;
	report(p);
	if (!launch_params(f, c->launch, c->round, k, params, p->d))
		return false;
	if (!(p->mode == MODE_TIMED ? time_launch : execute_launch)(p, &l, &sum))
		return false;
	p->now.launches_done++;
	p->now.cycles += sum.cycles;
	p->now.warp_insns += sum.warp_insns;
	if (p->launch) {
		struct run_launch *t = &p->launch[c->launch];

		t->rounds++;
		t->cycles += sum.cycles;
		t->warp_insns += sum.warp_insns;
		t->thread_insns += sum.thread_insns;
	}
	return true;
}

/* f is prepared anew: the address of every buffer is the same each time, as a device gives them in order. */
static bool run_pass(struct pass *p, struct launch_file *f)
{
	struct launch_cursor c = { 0 };
	enum launch_step step;

	if (!device_load(p->dev, p->r->m) || !launch_prepare(f, p->dev, p->a, p->d))
		return false;
	while ((step = launch_advance(f, p->dev, &c, p->d)) == LAUNCH_RUN)
		if (!run_one(p, &c))
			return false;
	return step == LAUNCH_DONE;
}

static bool time_baseline(struct run *r, struct launch_file *f, const struct rf_config *base, struct arena *a, struct diag *d)
{
	struct pass p = { .r = r, .mode = MODE_TIMED, .rf = *base, .dev = device_new(d), .stats = &r->base, .a = a, .d = d };

	stats_reset(&r->base);
	if (p.dev)
		device_set_host(p.dev, NULL, f->heap_bytes);
	r->has_base = p.dev && run_pass(&p, f);
	if (p.dev)
		device_free(p.dev);
	return r->has_base;
}

/* The launches again with garbage in dead registers: every buffer must come out the same. */
static bool check_poison(struct run *r, struct launch_file *f, struct arena *a, struct diag *d)
{
	struct pass p = { .r = r, .mode = MODE_POISON, .dev = device_new(d), .a = a, .d = d };
	bool ok;

	if (p.dev)
		device_set_host(p.dev, NULL, f->heap_bytes);
	ok = p.dev && run_pass(&p, f);
	for (unsigned i = 0; ok && i < f->nbuffer && !r->differs; i++) {
		const struct buffer_spec *b = &f->buffer[i];
		uint64_t bytes = b->count * (type_info[b->type].bits / 8), at = 0;
		const char *x = device_ptr(r->dev, b->address, bytes), *y = device_ptr(p.dev, b->address, bytes);

		if (memcmp(x, y, bytes) == 0)
			continue;
		while (x[at] == y[at])
			at++;
		r->differs = true;
		diag_error_plain(d, r->m->src_name, "buffer %s differs from element %llu on when dead registers are overwritten: "
		                 "the object's liveness is wrong", b->name, (unsigned long long)(at / (type_info[b->type].bits / 8)));
	}
	if (p.dev)
		device_free(p.dev);
	return ok;
}

bool run_launches(struct run *r, const struct module *m, struct launch_file *f, const struct run_options *o, struct arena *a,
                  struct diag *d)
{
	struct pass p = { .r = r, .mode = o->functional ? MODE_FUNCTIONAL : MODE_TIMED, .rf = o->rf, .stats = &r->stats, .a = a, .d = d };
	struct rf_config base;

	*r = (struct run){ .m = m, .f = f, .opt = *o, .launch = new_array(a, struct run_launch, f->nlaunch),
	                   .expect = new_array(a, struct expect_result, f->nexpect) };
	stats_reset(&r->stats);
	p.launch = r->launch;
	p.probe = o->probe;
	if (!launch_bind(f, m, d) || (!o->functional && !rf_config_check(&o->rf, o->have_anno, m->src_name, d)))
		return false;
	p.dev = r->dev = device_new(d);
	if (r->dev)
		device_set_host(r->dev, o->print, f->heap_bytes);
	if (!r->dev || !run_pass(&p, f))
		return false;
	r->check = launch_check(f, r->dev, r->expect, a, d);
	if (r->check == CHECK_ERROR)
		return false;
	if (o->checked && !check_poison(r, f, a, d))
		return false;
	if (r->differs)
		r->check = CHECK_FAIL;
	if (o->functional || !o->baseline)
		return true;
	if (!rf_config_parse(&base, "baseline", d))
		return false;
	return memcmp(&base, &o->rf, sizeof base) == 0 || time_baseline(r, f, &base, a, d);
}

void run_free(struct run *r)
{
	if (r->dev)
		device_free(r->dev);
	r->dev = NULL;
}
