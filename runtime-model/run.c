#include "runtime-model/run.h"
#include "analyzer/base/pool.h"
#include "runtime-model/memory/memory.h"

#include <pthread.h>
#include <string.h>

#define POISON_SEED 0x9e3779b97f4a7c15u

struct pass;
struct timed {                          /* a configuration in the launch under way */
	struct pass *pass;
	unsigned index;
	struct stats st;
	struct checked_sums checked;
	struct diag d;
	struct stopped stop;
	struct { uint64_t cycles, warp_insns, ctas; } at;        /* of the launch; pass->now has them */
};

struct pass {                           /* one execution of the whole launch file */
	struct run *r;
	enum run_part part;
	bool timed_run;
	struct device *dev;
	struct run_launch *launch;      /* NULL: not wanted */
	struct run_progress now;
	pthread_mutex_t lock;           /* of progress */
	struct timed *timed;            /* by configuration */
	struct l2 **l2;                 /* likewise: for its next launch; NULL: a cold one */
	struct arena *spare;            /* likewise: memory of its model */
	struct sim_job *job;            /* those that have not failed */
	double threads, threads_done, threads_now;       /* of all launches, < 0: not known; of those that have ended; of this one */
	struct arena *a;
	struct diag *d;
};

/* ---- progress ---- */
static double threads_of(const struct launch_spec *s)
{
	double n = 1;

	for (unsigned i = 0; i < 3; i++)
		n *= (double)s->grid[i] * s->block[i];
	return n;
}

/* Of all rounds of all launches; -1 where a flag decides how many there are. */
static double threads_of_file(const struct launch_file *f)
{
	double sum = 0;

	for (unsigned i = 0; i < f->nlaunch; i++) {
		uint32_t rounds = 1;

		for (unsigned n = 0; n < f->nrepeat; n++) {
			const struct repeat_spec *t = &f->repeat[n];

			if (i < t->first || i > t->last)
				continue;
			if (t->flag >= 0)
				return -1;
			rounds = t->max_rounds;
		}
		sum += threads_of(&f->launch[i]) * rounds;
	}
	return sum;
}

static void report(struct pass *p)
{
	double done = p->threads_done;

	if (!p->r->opt.progress)
		return;
	if (p->now.ctas)
		done += p->threads_now * (double)p->now.ctas_done / (double)p->now.ctas;
	p->now.share = p->threads > 0 ? done / p->threads : -1;
	p->r->opt.progress(p->r->opt.progress_ctx, &p->now);
}

/* Adds what configuration i has timed of the launch under way, by what it had at the last call. */
static void advance(struct timed *t, uint64_t cycles, uint64_t warp_insns, uint64_t ctas)
{
	struct pass *p = t->pass;

	pthread_mutex_lock(&p->lock);
	p->now.cycles += cycles - t->at.cycles;
	p->now.warp_insns += warp_insns - t->at.warp_insns;
	t->at.cycles = cycles;
	p->now.ctas_done += ctas - t->at.ctas;
	t->at.warp_insns = warp_insns;
	t->at.ctas = ctas;
	report(p);
	pthread_mutex_unlock(&p->lock);
}

static void sim_report(void *ctx, const struct sim_progress *s)
{
	advance(ctx, s->cycles, s->warp_insns, s->ctas_done);
}

static void engine_report(void *ctx, const struct engine_progress *s)
{
	struct pass *p = ctx;
	struct run_progress before = p->now;

	p->now.ctas_done = s->ctas_done;
	p->now.warp_insns += s->warp_insns;
	report(p);
	p->now = before;
}

/* ---- limits ---- */
/* Instructions that the next launch may execute, of a limit that has not been reached. *guard: because of the guard. */
static uint64_t insns_left(const struct pass *p, uint64_t done, bool *guard)
{
	uint64_t each = p->r->opt.guard_insns, max = p->r->opt.max_insns;

	*guard = each && (!max || each < max - done);
	return *guard ? each : max ? max - done : 0;
}

static enum stop limit_of(const struct run_options *o, uint64_t warp_insns, uint64_t cycles)
{
	return o->max_insns && warp_insns >= o->max_insns ? STOP_INSNS : o->max_cycles && cycles >= o->max_cycles ? STOP_CYCLES : STOP_NOT;
}

/* Before a launch. True: no more than has been done was asked for. */
static bool limits_reached(struct pass *p)
{
	const struct run_options *o = &p->r->opt;
	struct run_stop *s = &p->r->stop;

	if (stop_asked(o->stop))
		s->at.why = STOP_ASKED;
	else if (!p->timed_run)
		s->at.why = limit_of(o, p->now.warp_insns, 0);
	for (unsigned i = 0; p->timed_run && !s->at.why && i < o->nconfig; i++) {
		const struct stats *st = &p->r->timing[i].stats;

		if (!p->r->timing[i].failed)
			s->at.why = limit_of(o, st->warp_instructions, st->cycles);
		s->config = i;
	}
	s->guard = false;
	return s->at.why != STOP_NOT;
}

/* ---- one launch ---- */
/* Takes over what configuration i counted in a launch, or what was wrong with it. */
static bool keep(struct pass *p, unsigned i, const struct sim_job *job, unsigned launch, struct run_launch *sum)
{
	struct run_timing *t = &p->r->timing[i];
	const struct stats *st = &p->timed[i].st;

	t->failed = !job->ok;
	if (job->ok && !t->estimate.launches && !stats_check(st, job->d))
		t->failed = p->r->bug = true;
	if (job->d->errors)
		diag_replay(p->d, p->r->opt.nconfig > 1 ? arena_printf(p->a, "configuration %s: %s", p->r->opt.config[i].name, job->d->last)
		                                        : job->d->last, job->d->errors);
	if (t->failed)
		return false;
	if (!p->r->opt.config[i].params->l2_keep)
		p->l2[i] = NULL;
	t->stop = p->timed[i].stop;
	if (t->stop.why && !p->r->stop.at.why) {
		p->r->stop.at = t->stop;
		p->r->stop.config = i;
	}
	advance(&p->timed[i], st->cycles, st->warp_instructions, st->ctas);
	checked_add(&t->checked, &p->timed[i].checked);
	stats_merge(&t->stats, st);
	stats_merge(&t->kernel[p->r->launch[launch].kernel], st);
	t->cycles[launch] += st->cycles;
	if (!sum->thread_insns)         /* of the first; in a launch that stopped, others may have come farther */
		*sum = (struct run_launch){ .rounds = 1, .warp_insns = st->warp_instructions, .thread_insns = st->thread_instructions };
	return true;
}

/* One execution, timed by all configurations that have not failed yet. Counts of one that ends are the same for all of them. */
static bool time_launch(struct pass *p, const struct launch *l, unsigned launch, struct run_launch *sum)
{
	const struct run_options *o = &p->r->opt;
	unsigned n = 0, alive = 0, threads = o->threads ? o->threads : pool_cores();
	bool ok;

	threads = threads > o->nconfig ? threads / o->nconfig : 1;      /* of a configuration */
	for (unsigned i = 0; i < o->nconfig; i++) {
		struct timed *t = &p->timed[i];

		if (p->r->timing[i].failed)
			continue;
		*t = (struct timed){ .pass = p, .index = i };
		diag_init(&t->d, NULL);
		p->job[n++] = (struct sim_job){ .st = &t->st, .d = &t->d, .o = {
			.params = o->config[i].params, .rf = o->config[i].rf, .have_anno = o->have_anno,
			.max_insns = insns_left(p, p->r->timing[i].stats.warp_instructions, &p->r->stop.guard),
			.max_cycles = o->max_cycles ? o->max_cycles - p->r->timing[i].stats.cycles : 0, .stop = o->stop, .stopped = &t->stop,
			.progress = o->progress ? sim_report : NULL, .progress_ctx = t,
			.checked = o->checked ? &t->checked : NULL, .probe = i ? NULL : o->probe, .threads = threads, .l2 = p->l2[i], .spare = &p->spare[i],
			.sample = o->sample, .estimate = o->sample ? &p->r->timing[i].estimate : NULL,
		} };
	}
	p->now.ctas *= n;
	ok = sim_run_jobs(p->dev, l, p->job, n, p->d);
	for (unsigned j = 0; j < n; j++) {
		const struct timed *t = p->job[j].o.progress_ctx;

		alive += ok && keep(p, t->index, &p->job[j], launch, sum);
		diag_free(p->job[j].d);
	}
	return alive && !p->r->bug;
}

struct path_at { const struct run_path *path; const struct kernel *k; unsigned launch; uint64_t round; };

static void path_step(void *ctx, uint32_t insn)
{
	const struct path_at *at = ctx;

	at->path->step(at->path->ctx, at->k, at->launch, at->round, insn);
}

/* Executes and counts how values are used. *n: what was read of the records, no more than max_insns. */
static bool read_usage(struct pass *p, struct engine *e, const struct launch *l, unsigned launch, uint64_t max_insns, struct usage *sum,
                       struct engine_counts *n)
{
	const struct run_path *path = p->r->opt.path;
	struct path_at at = { path, l->k, launch, p->r->launch[launch].rounds };
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	struct usage_options o = {
		.stop = p->r->opt.stop, .max_insns = max_insns, .progress = p->r->opt.progress ? engine_report : NULL, .progress_ctx = p,
		.step = path ? path_step : NULL, .step_ctx = &at,
	};
	struct usage u = { 0 };
	bool ok;

	if (path) {
		o.step_cta = path->thread / threads;
		o.step_warp = (unsigned)(path->thread % threads / WARP_LANES);
		o.step_lane = (unsigned)(path->thread % threads % WARP_LANES);
	}
	ok = usage_launch(e, l->k, &o, &u, &p->r->stop.at);
	*n = (struct engine_counts){ .warp_insns = u.warp_insns, .thread_insns = u.thread_insns };
	usage_add(sum, &u);
	return ok;
}

static bool execute_launch(struct pass *p, const struct launch *l, unsigned launch, struct run_launch *sum)
{
	struct engine_options o = {
		.profile = p->r->profile && p->part != RUN_POISON ? p->r->profile[p->r->launch[launch].kernel] : NULL,
		.poison = p->part == RUN_POISON, .poison_seed = POISON_SEED, .stop = p->r->opt.stop,
		.max_insns = insns_left(p, p->now.warp_insns, &p->r->stop.guard),
		.progress = p->r->opt.progress ? engine_report : NULL, .progress_ctx = p,
	};
	struct usage *usage = p->r->usage && p->part == RUN_MAIN ? &p->r->usage[p->r->launch[launch].kernel] : NULL;
	struct engine_counts *c = &p->r->counts, read;
	const struct engine_counts *n = &read;
	struct engine *e;
	bool ok;

	o.consumers = usage != NULL;
	e = engine_new(p->dev, l, &o, p->d);
	if (usage) {
		ok = e && read_usage(p, e, l, launch, o.max_insns, usage, &read);
	} else {
		ok = e && (engine_run(e) || engine_stopped(e));
		n = ok ? engine_counts(e) : n;
		if (ok)
			engine_describe(e, &p->r->stop.at);
	}
	if (ok) {
		sum->warp_insns += n->warp_insns;
		sum->thread_insns += n->thread_insns;
		if (p->part == RUN_MAIN) {
			c->warp_insns += n->warp_insns;
			c->thread_insns += n->thread_insns;
			c->branches += n->branches;
			c->divergent += n->divergent;
		}
	}
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
	p->now.ctas_done = p->now.ctas = 0;
	p->threads_now = threads_of(s);
	report(p);
	p->now.ctas = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2];
	if (!launch_params(f, c->launch, c->round, k, params, p->d))
		return false;
	if (!(p->timed_run ? time_launch(p, &l, c->launch, &sum) : execute_launch(p, &l, c->launch, &sum)))
		return false;
	p->now.launches_done++;
	p->threads_done += p->threads_now;
	if (!p->timed_run)
		p->now.warp_insns += sum.warp_insns;
	if (p->launch) {
		struct run_launch *t = &p->launch[c->launch];

		t->rounds++;
		t->warp_insns += sum.warp_insns;
		t->thread_insns += sum.thread_insns;
	}
	return true;
}

/* The L2 before the first launch: what a host program that fills the buffers in order, and leaves alone those that begin as
 * zeros, would have sent through it. */
static struct l2 *prepare_l2(const struct params *params, const struct launch_file *f, struct arena *a)
{
	struct l2 *l = l2_new(params, a);

	for (unsigned i = 0; params->l2_preload && i < f->nbuffer; i++) {
		const struct buffer_spec *b = &f->buffer[i];

		if (b->fill != FILL_ZERO)
			l2_copied(l, b->address, b->count * (type_info[b->type].bits / 8));
	}
	return l;
}

/* f is prepared anew: the address of every buffer is the same each time, as a device gives them in order. */
static bool run_pass(struct pass *p, struct launch_file *f)
{
	struct launch_cursor c = { 0 };
	enum launch_step step;

	p->r->stop = (struct run_stop){ .part = p->part };
	p->now.part = p->part;
	p->threads = threads_of_file(f);
	if (!device_load(p->dev, p->r->m) || !launch_prepare(f, p->dev, p->a, p->d))
		return false;
	for (unsigned i = 0; p->timed_run && i < p->r->opt.nconfig; i++) {
		const struct params *params = p->r->opt.config[i].params;

		if (params->l2_keep || params->l2_preload)
			p->l2[i] = prepare_l2(params, f, p->a);
	}
	while ((step = launch_advance(f, p->dev, &c, p->d)) == LAUNCH_RUN) {
		p->r->stop.launch = c.launch;
		p->r->stop.round = c.round;
		if (limits_reached(p))
			return true;
		if (!run_one(p, &c))
			return false;
		if (p->r->stop.at.why)
			return true;
	}
	return step == LAUNCH_DONE;
}

/* The launches again with garbage in dead registers: every buffer must come out the same. */
static bool check_poison(struct run *r, struct launch_file *f, struct arena *a, struct diag *d)
{
	struct pass p = { .r = r, .part = RUN_POISON, .dev = device_new(d), .a = a, .d = d };
	bool ok;

	if (p.dev)
		device_set_host(p.dev, NULL, f->heap_bytes);
	ok = p.dev && run_pass(&p, f);
	for (unsigned i = 0; ok && i < f->nbuffer && !r->differs && !r->stop.at.why; i++) {
		const struct buffer_spec *b = &f->buffer[i];
		uint64_t bytes = b->count * (type_info[b->type].bits / 8), at = 0;
		const char *x = device_ptr(r->dev, b->address, bytes), *y = device_ptr(p.dev, b->address, bytes);

		if (memcmp(x, y, bytes) == 0)
			continue;
		while (x[at] == y[at])
			at++;
		r->differs = true;
		diag_error_plain(d, r->m->src_name, "buffer %s differs from element %llu on when dead registers are overwritten: "
		                 "the object's liveness or release is wrong, or a kernel reads what it never wrote (a register, or another lane's that "
		                 "is no member of the shuffle)", b->name, (unsigned long long)(at / (type_info[b->type].bits / 8)));
	}
	if (p.dev)
		device_free(p.dev);
	return ok;
}

/* The launches again, to count. What stopped them before their end, and where, stays as it was. */
static bool count_profile(struct run *r, struct launch_file *f, struct arena *a, struct diag *d)
{
	struct pass p = { .r = r, .part = RUN_PROFILE, .dev = device_new(d), .a = a, .d = d };
	struct run_stop before = r->stop;
	bool ok;

	if (p.dev)
		device_set_host(p.dev, NULL, f->heap_bytes);
	ok = p.dev && run_pass(&p, f);
	if (before.at.why)
		r->stop = before;
	if (r->stop.at.why && r->check == CHECK_PASS)
		r->check = CHECK_PARTIAL;
	if (p.dev)
		device_free(p.dev);
	return ok;
}

static bool judge(struct run *r, struct launch_file *f, struct arena *a, struct diag *d)
{
	r->check = r->stop.at.why ? CHECK_PARTIAL : launch_check(f, r->dev, r->expect, a, d);
	if (r->check == CHECK_ERROR)
		return false;
	if (r->check == CHECK_PARTIAL) {
		if (!r->stop.at.why)
			r->stop.at.why = STOP_ASKED;
		return true;
	}
	if (r->opt.checked && !check_poison(r, f, a, d))
		return false;
	if (r->differs)
		r->check = CHECK_FAIL;
	else if (r->stop.at.why)
		r->check = CHECK_PARTIAL;
	return true;
}

/* Numbers the kernels by name. */
static void name_kernels(struct run *r, struct arena *a)
{
	r->kernel = new_array(a, const char *, r->f->nlaunch);
	for (unsigned i = 0; i < r->f->nlaunch; i++) {
		const char *name = r->f->launch[i].kernel;
		unsigned k = 0;

		while (k < r->nkernel && strcmp(r->kernel[k], name) != 0)
			k++;
		if (k == r->nkernel)
			r->kernel[r->nkernel++] = name;
		r->launch[i].kernel = k;
	}
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		r->timing[i].kernel = new_array(a, struct stats, r->nkernel);
	r->usage = r->opt.usage ? new_array(a, struct usage, r->nkernel) : NULL;
	r->profile = r->opt.profile ? new_array(a, uint64_t *, r->nkernel) : NULL;
	for (unsigned k = 0; r->profile && k < r->nkernel; k++) {
		const struct kernel *x = module_find_kernel(r->m, r->kernel[k]);

		r->profile[k] = new_array(a, uint64_t, (x ? x->ninsn : 0) + (size_t)1);         /* none: launch_bind() says so */
	}
}

bool run_launches(struct run *r, const struct module *m, struct launch_file *f, const struct run_options *o, struct arena *a,
                  struct diag *d)
{
	struct pass p = { .r = r, .timed_run = o->nconfig != 0, .lock = PTHREAD_MUTEX_INITIALIZER, .a = a, .d = d };
	bool ok;

	*r = (struct run){ .m = m, .f = f, .opt = *o, .launch = new_array(a, struct run_launch, f->nlaunch),
	                   .expect = new_array(a, struct expect_result, f->nexpect), .timing = new_array(a, struct run_timing, o->nconfig) };
	p.timed = new_array(a, struct timed, o->nconfig);
	p.job = new_array(a, struct sim_job, o->nconfig);
	p.l2 = new_array(a, struct l2 *, o->nconfig);
	p.spare = new_array(a, struct arena, o->nconfig);
	name_kernels(r, a);
	p.launch = r->launch;
	f->stop = o->stop;
	for (unsigned i = 0; i < o->nconfig; i++)
		r->timing[i].cycles = new_array(a, uint64_t, f->nlaunch);
	if (!launch_bind(f, m, d))
		return false;
	for (unsigned i = 0; i < o->nconfig; i++)       /* the object lacks something: said before anything runs */
		if (!rf_config_check(&o->config[i].rf, o->config[i].params, o->have_anno, m->src_name, d) ||
		    !params_fit(o->config[i].params, o->nconfig > 1 ? o->config[i].name : NULL, d))
			return false;
	p.dev = r->dev = device_new(d);
	if (r->dev)
		device_set_host(r->dev, o->print, f->heap_bytes);
	ok = r->dev && run_pass(&p, f);
	for (unsigned i = 0; i < o->nconfig; i++)
		arena_free(&p.spare[i]);
	return ok && judge(r, f, a, d) && (!r->profile || !p.timed_run || count_profile(r, f, a, d));
}

static const char *remark(const struct run *r, const struct run_config *c,
                          const char *(*says)(const struct params *p, const struct kernel *k, struct arena *a), struct arena *a)
{
	const char *text = NULL;
	unsigned more = 0;

	for (unsigned n = 0; says && n < r->nkernel; n++) {
		const char *of = says(c->params, module_find_kernel(r->m, r->kernel[n]), a);

		more += text && of;
		text = text ? text : of;
	}
	return more ? arena_printf(a, "%s; so with %u kernel%s more", text, more, more > 1 ? "s" : "") : text;
}

const char *run_remark(const struct run *r, unsigned config, struct arena *a)
{
	const struct run_config *c = &r->opt.config[config];
	const char *levels = remark(r, c, c->rf.hierarchy->remark, a), *registers = remark(r, c, c->rf.residency->remark, a);

	return levels && registers ? arena_printf(a, "%s; %s", levels, registers) : levels ? levels : registers;
}

void run_free(struct run *r)
{
	if (r->dev)
		device_free(r->dev);
	r->dev = NULL;
}
