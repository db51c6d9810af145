#include "runtime-model/run/run.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/pool.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/run/run_program.h"

#include <pthread.h>
#include <string.h>

#define POISON_SEED HASH_GOLDEN

struct pass;
/* a configuration in the launch under way */
struct timed {
	struct pass *pass;
	unsigned index;
	struct stats st;
	struct checked_sums checked;
	struct races races;
	struct diag d;
	struct stopped stop;
	bool bug, began;
	struct {
		uint64_t cycles, warp_insns, ctas;
	} at; /* of the launch; pass->now has them */
};

/* one execution of the whole launch file */
struct pass {
	struct run *r;
	enum run_part part;
	enum run_program program;
	bool timed_run;
	struct device *dev;
	struct run_launch *launch; /* NULL: not wanted */
	uint64_t nlaunch;          /* that have ended, of this execution */
	struct run_progress now;
	pthread_mutex_t lock;         /* of progress */
	struct timed *timed;          /* by configuration */
	struct l2 **l2;               /* likewise: for its next launch; NULL: a cold one */
	struct arena *spare;          /* likewise: memory of its model */
	struct sim_job *job;          /* those that have not failed */
	const struct kernel **kernel; /* plain ones, in the order of their first launches */
	uint64_t *spent, spent_all;   /* of the guards: by entry of the launch file */
	/* of all launches, < 0: not known; of those that have ended; of this one */
	double threads, threads_done, threads_now;
	struct arena *a;
	struct diag *d;
};

/* Is configuration i timed in this execution, and has it not failed? */
static bool times(const struct pass *p, unsigned i)
{
	return p->r->timing[i].program == p->program && !p->r->timing[i].failed;
}

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
/* What is left of a guard; UINT64_MAX: there is none. */
static uint64_t guard_left(uint64_t guard, uint64_t spent)
{
	if (!guard)
		return UINT64_MAX;
	return spent < guard ? guard - spent : 0;
}

/* Instructions that the next round may execute, of limits that have not been reached; 0: as many as it likes. Sets
 * r->stop.guard and .all. */
static uint64_t insns_left(struct pass *p, uint64_t done)
{
	const struct run_options *o = &p->r->opt;
	struct run_stop *s = &p->r->stop;
	const uint64_t each = guard_left(o->guard_insns, p->spent[s->launch]),
		       all = guard_left(o->guard_all, p->spent_all);
	const uint64_t guard = each < all ? each : all, max = o->max_insns ? o->max_insns - done : UINT64_MAX;

	s->guard = guard < max;
	s->all = all < each;
	if (s->guard)
		return guard;
	return o->max_insns ? max : 0;
}

static enum stop limit_of(const struct run_options *o, uint64_t warp_insns, uint64_t cycles)
{
	if (o->max_insns && warp_insns >= o->max_insns)
		return STOP_INSNS;
	return o->max_cycles && cycles >= o->max_cycles ? STOP_CYCLES : STOP_NOT;
}

/* Before a launch. True: no more than has been done was asked for. */
static bool limits_reached(struct pass *p)
{
	const struct run_options *o = &p->r->opt;
	struct run_stop *s = &p->r->stop;

	s->at = (struct stopped){ .why = STOP_NOT }; /* where the launch before ended */
	if (stop_asked(o->stop))
		s->at.why = STOP_ASKED;
	else if (!p->timed_run)
		s->at.why = limit_of(o, p->now.warp_insns, 0);
	for (unsigned i = 0; p->timed_run && !s->at.why && i < p->r->ntimed; i++) {
		const struct stats *st = &p->r->timing[i].stats;

		if (!times(p, i))
			continue;
		s->at.why = limit_of(o, st->warp_instructions, st->cycles);
		s->config = i;
	}
	s->guard = !s->at.why &&
		   (!guard_left(o->guard_insns, p->spent[s->launch]) || !guard_left(o->guard_all, p->spent_all));
	s->all = s->guard && !guard_left(o->guard_all, p->spent_all);
	if (s->guard)
		s->at.why = STOP_INSNS;
	return s->at.why != STOP_NOT;
}

/* ---- one launch ---- */
/* Takes over what configuration i counted in a launch, or what was wrong with it. */
static bool keep(struct pass *p, unsigned i, const struct sim_job *job, unsigned launch, struct run_launch *sum)
{
	struct run_timing *t = &p->r->timing[i];
	const struct stats *st = &p->timed[i].st;

	t->failed = !job->ok;
	p->r->bug |= p->timed[i].bug;
	if (job->ok && !t->estimate.launches && !stats_check(st, job->d))
		t->failed = p->r->bug = true;
	if (job->d->errors)
		diag_replay(p->d,
			    p->r->ntimed > 1
				    ? arena_printf(p->a, "configuration %s: %s", p->r->opt.config[i].name, job->d->last)
				    : job->d->last,
			    job->d->errors);
	if (t->failed && !p->timed[i].began && job->d->last)
		t->refused = arena_printf(p->a, "%s", job->d->last);
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
	for (unsigned n = 0; n < p->timed[i].races.n; n++)
		p->timed[i].races.race[n].launch = launch;
	races_merge(&t->races, &p->timed[i].races);
	stats_merge(&t->stats, st);
	stats_merge(&t->kernel[p->r->launch[launch].kernel], st);
	t->cycles[launch] += st->cycles;
	if (!sum->thread_insns) /* of the first; in a launch that stopped, others may have come farther */
		*sum = (struct run_launch){ .rounds = 1,
					    .warp_insns = st->warp_instructions,
					    .thread_insns = st->thread_instructions };
	return true;
}

/* One execution, timed by all configurations that have not failed yet. Counts of one that ends are the same for all of
 * them. */
static bool time_launch(struct pass *p, const struct launch *l, unsigned launch, struct run_launch *sum)
{
	const struct run_options *o = &p->r->opt;
	unsigned n = 0, alive = 0, configs = 0, threads = o->threads ? o->threads : pool_cores();
	bool ok;

	for (unsigned i = 0; i < p->r->ntimed; i++)
		configs += p->r->timing[i].program == p->program;
	threads = threads > configs ? threads / configs : 1; /* of a configuration */
	for (unsigned i = 0; i < p->r->ntimed; i++) {
		struct timed *t = &p->timed[i];

		if (!times(p, i))
			continue;
		*t = (struct timed){ .pass = p, .index = i };
		diag_init(&t->d, NULL);
		p->job[n++] =
			(struct sim_job){ .st = &t->st,
					  .d = &t->d,
					  .o = {
						  .params = o->config[i].params,
						  .rf = o->config[i].rf,
						  .have_anno = o->have_anno,
						  .before = p->kernel,
						  .nbefore = p->r->launch[launch].kernel,
						  .code_before = p->r->f->launch[launch].code_before,
						  .max_insns = insns_left(p, p->r->timing[i].stats.warp_instructions),
						  .max_cycles = o->max_cycles
									? o->max_cycles - p->r->timing[i].stats.cycles
									: 0,
						  .stop = o->stop,
						  .stopped = &t->stop,
						  .bug = &t->bug,
						  .began = &t->began,
						  .progress = o->progress ? sim_report : NULL,
						  .progress_ctx = t,
						  .checked = o->checked ? &t->checked : NULL,
						  .races = &t->races,
						  .probe = i ? o->config[i].probe : o->probe,
						  .threads = threads,
						  .launch = p->nlaunch,
						  .l2 = p->l2[i],
						  .spare = &p->spare[i],
						  .sample = o->sample,
						  .estimate = o->sample ? &p->r->timing[i].estimate : NULL,
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

struct path_at {
	const struct run_path *path;
	const struct kernel *k;
	unsigned launch;
	uint64_t round;
};

static void path_step(void *ctx, uint32_t insn)
{
	const struct path_at *at = ctx;

	at->path->step(at->path->ctx, at->k, at->launch, at->round, insn);
}

/* Executes and counts how values are used. *n: what was read of the records, no more than max_insns. */
static bool read_usage(struct pass *p, struct engine *e, const struct launch *l, unsigned launch, uint64_t max_insns,
		       struct usage *sum, struct engine_counts *n)
{
	const struct run_path *path = p->r->opt.path;
	struct path_at at = { path, l->k, launch, p->r->launch[launch].rounds };
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	struct usage_options o = {
		.stop = p->r->opt.stop,
		.max_insns = max_insns,
		.progress = p->r->opt.progress ? engine_report : NULL,
		.progress_ctx = p,
		.step = path ? path_step : NULL,
		.step_ctx = &at,
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
		.profile = p->r->profile && (p->part == RUN_MAIN || p->part == RUN_PROFILE)
				   ? p->r->profile[p->r->launch[launch].kernel]
				   : NULL,
		.poison = p->part == RUN_POISON,
		.poison_seed = POISON_SEED,
		.controls = p->part == RUN_CONTROLS,
		.stop = p->r->opt.stop,
		.max_insns = insns_left(p, p->now.warp_insns),
		.progress = p->r->opt.progress ? engine_report : NULL,
		.progress_ctx = p,
		.threads = p->r->opt.threads ? p->r->opt.threads : pool_cores(),
	};
	struct usage *usage = p->r->usage && p->part == RUN_MAIN ? &p->r->usage[p->r->launch[launch].kernel] : NULL;
	struct similar_kernel *similar =
		p->r->similar && p->part == RUN_MAIN ? &p->r->similar[p->r->launch[launch].kernel] : NULL;
	const struct similar_options so = { p->r->opt.similar, p->r->opt.proofs, o.stop,
					    o.max_insns,       o.progress,       o.progress_ctx };
	struct engine_counts *c = &p->r->counts, read = { 0 };
	const struct engine_counts *n = &read;
	struct engine *e;
	bool ok;

	o.consumers = usage || similar;
	o.want = similar ? similar_wants(&so) : 0;
	e = engine_new(p->dev, l, &o, p->d);
	if (usage) {
		ok = e && read_usage(p, e, l, launch, o.max_insns, usage, &read);
	} else if (similar) {
		ok = e && similar_launch(e, l, &so, similar, &read, &p->r->stop.at, &p->r->bug, p->d);
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
	const struct kernel *plain = module_find_kernel(p->r->m, s->kernel);
	const struct kernel *k = p->program == PROGRAM_VARIANT && plain->variant ? plain->variant : plain;
	uint32_t bytes = launch_param_bytes(k);
	void *params = arena_alloc(p->a, bytes + 1, 8);
	struct launch l = { .m = p->r->m,
			    .k = k,
			    .dynamic_shared = s->shared_bytes,
			    .stack_bytes = s->stack_bytes,
			    .cooperative = s->cooperative,
			    .params = params,
			    .param_bytes = bytes };
	struct run_launch sum = { .rounds = 1 };
	uint64_t spent = 0;

	memcpy(l.grid, s->grid, sizeof l.grid);
	memcpy(l.block, s->block, sizeof l.block);
	memcpy(l.cluster, s->cluster, sizeof l.cluster);
	p->now.kernel = s->kernel;
	p->now.ctas_done = p->now.ctas = 0;
	p->threads_now = threads_of(s);
	report(p);
	p->now.ctas = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2];
	if (!launch_params(f, c->launch, c->round, k, params, p->d))
		return false;
	if (!(p->timed_run ? time_launch(p, &l, c->launch, &sum) : execute_launch(p, &l, c->launch, &sum)))
		return false;
	if (p->r->opt.guard_all)
		spent = sum.warp_insns > RUN_ROUND_INSNS ? sum.warp_insns : RUN_ROUND_INSNS;
	p->spent[c->launch] += spent;
	p->spent_all += spent;
	p->now.launches_done++;
	p->nlaunch++;
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

/* What the launch found in it that was saved, each line in L2_LINE_BYTES. False with a diagnostic. */
static bool restore_l2(struct l2 *l, const struct launch_file *f, struct arena *a, struct diag *d)
{
	uint64_t bytes = 0;
	const unsigned char *p = launch_read_zipped(f, f->l2, f->l2_at, &bytes, a, d);
	const uint32_t n = (uint32_t)(bytes / L2_LINE_BYTES);
	struct l2_line *line = p ? new_array(a, struct l2_line, n + 1u) : NULL;

	if (!p || bytes % L2_LINE_BYTES)
		return p && diag_error(d, f->l2_at, "%s holds no whole lines of an L2", f->l2);
	for (uint32_t i = 0; i < n; i++)
		line[i] = l2_line_unpack(p + (size_t)i * L2_LINE_BYTES);
	l2_hold(l, line, n);
	return true;
}

/* The L2 before the first launch: what was saved, else what a host program that fills the buffers in order, and leaves
 * alone those that begin as zeros, would have sent through it. */
static bool prepare_l2(struct l2 **out, const struct params *params, const struct launch_file *f, struct arena *a,
		       struct diag *d)
{
	struct l2 *l = *out = l2_new(params, a);

	if (f->l2)
		return restore_l2(l, f, a, d);
	for (unsigned i = 0; params->l2_preload && i < f->nbuffer; i++) {
		const struct buffer_spec *b = &f->buffer[i];

		if (b->fill != FILL_ZERO && b->fill != FILL_NONE)
			l2_copied(l, b->address, b->count * (type_info[b->type].bits / 8));
	}
	return true;
}

/* f is prepared anew: the address of every buffer is the same each time, as a device gives them in order. */
static bool run_pass(struct pass *p, struct launch_file *f)
{
	struct launch_cursor c = { 0 };
	enum launch_step step;

	p->r->stop = (struct run_stop){ .part = p->part };
	p->now.part = p->part;
	p->nlaunch = 0;
	p->spent = new_array(p->a, uint64_t, f->nlaunch);
	p->spent_all = 0;
	if (!launch_load(f, p->r->m, p->dev, p->a, p->d) || !launch_prepare(f, p->dev, p->a, p->d))
		return false;
	for (unsigned i = 0; p->timed_run && i < p->r->ntimed; i++) {
		const struct params *params = p->r->opt.config[i].params;

		if (!times(p, i))
			continue;
		if ((params->l2_keep || params->l2_preload) && !prepare_l2(&p->l2[i], params, f, p->a, p->d))
			return false;
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

/* ---- after the launches ---- */
/* The launches of a program again, as `p` says, on a device of its own; NULL: it could not be run. */
static bool again(struct pass *p, struct launch_file *f)
{
	p->dev = device_new_for(p->r->m, p->d);
	p->threads = threads_of_file(f);
	if (p->dev) {
		device_set_host(p->dev, NULL, f->heap_bytes);
		device_set_mufu(p->dev, f->mufu);
	}
	return p->dev && run_pass(p, f);
}

/* With garbage in dead registers: every buffer must come out the same. */
static bool check_poison(struct run *r, enum run_program program, struct launch_file *f, struct arena *a,
			 struct diag *d)
{
	struct pass p = { .r = r, .part = RUN_POISON, .program = program, .a = a, .d = d };
	struct memory_difference x = { 0 };
	bool ok = again(&p, f);

	if (ok && !r->stop.at.why)
		x = memory_compare(f, r->m, r->device[program], p.dev);
	if (x.where && !r->differs) {
		r->differs = true;
		diag_error_plain(d, r->m->src_name,
				 "%s differs when dead registers are overwritten%s: "
				 "the object's liveness or release is wrong, or a kernel reads what it never wrote (a "
				 "register, or another lane's that "
				 "is no member of the shuffle)",
				 memory_difference_text(&x, a),
				 program == PROGRAM_VARIANT ? " in variants of kernels" : "");
	}
	if (p.dev)
		device_free(p.dev);
	return ok;
}

static bool prove_controls(struct run *r, struct launch_file *f, struct arena *a, struct diag *d)
{
	struct pass p = { .r = r, .part = RUN_CONTROLS, .a = a, .d = d };
	bool ok = again(&p, f);

	if (p.dev)
		device_free(p.dev);
	return ok;
}

/* To count. What stopped them before their end, and where, stays as it was. */
static bool count_profile(struct run *r, struct launch_file *f, struct arena *a, struct diag *d)
{
	struct pass p = { .r = r, .part = RUN_PROFILE, .a = a, .d = d };
	struct run_stop before = r->stop;
	bool ok = again(&p, f);

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
	if (run_both_programs(r) && !run_judge_variant(r, f, a, d))
		return false;
	for (enum run_program x = 0; x < PROGRAMS && r->opt.checked && !r->stop.at.why; x++)
		if (r->device[x] && !check_poison(r, x, f, a, d))
			return false;
	if (r->opt.controls && !r->stop.at.why && !prove_controls(r, f, a, d))
		return false;
	if (r->differs)
		r->check = CHECK_FAIL;
	else if (r->stop.at.why)
		r->check = CHECK_PARTIAL;
	return true;
}

/* ---- programs ---- */
/* Have all configurations of a program failed, which the others need not mind? */
static bool all_failed(const struct run *r, enum run_program program)
{
	unsigned n = 0, failed = 0;

	for (unsigned i = 0; i < r->ntimed; i++)
		if (r->timing[i].program == program) {
			n++;
			failed += r->timing[i].failed;
		}
	return n && failed == n;
}

static unsigned alive(const struct run *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->ntimed; i++)
		n += !r->timing[i].failed;
	return n;
}

/* What a program has left that did not come to its end. */
static void forget(struct run *r, enum run_program x)
{
	if (r->dev == r->device[x]) {
		for (unsigned i = 0; i < r->f->nlaunch; i++)
			r->launch[i] = (struct run_launch){ .kernel = r->launch[i].kernel };
		r->dev = NULL;
	}
	device_free(r->device[x]);
	r->device[x] = NULL;
}

/* One after the other; kernels print in the first. A run that was stopped says where it was first. */
static bool run_programs(struct pass *p, const bool used[PROGRAMS], struct launch_file *f)
{
	struct run *r = p->r;
	struct run_stop first = { 0 };
	double threads = threads_of_file(f);

	p->threads = threads * (used[PROGRAM_PLAIN] + used[PROGRAM_VARIANT]);
	for (enum run_program x = 0; x < PROGRAMS; x++) {
		if (!used[x] || (first.at.why == STOP_ASKED && r->dev))
			continue;
		p->program = x;
		p->dev = r->device[x] = device_new_for(r->m, p->d);
		if (!p->dev)
			return false;
		device_set_host(p->dev, r->dev ? NULL : r->opt.print, f->heap_bytes);
		device_set_mufu(p->dev, f->mufu);
		device_set_sanitizer(p->dev, r->dev ? NULL : r->opt.sanitizer);
		p->launch = r->dev ? NULL : r->launch;
		r->dev = r->dev ? r->dev : p->dev;
		if (!run_pass(p, f)) {
			if (r->bug || !all_failed(r, x) || !alive(r))
				return false;
			forget(r, x);
		}
		if (first.at.why)
			r->stop = first;
		first = r->stop;
		p->threads_done = threads;
	}
	return true;
}

/* ---- copies ---- */
/* The configurations that were given, and behind them those of each seed. False with a diagnostic: too many. */
static bool copy_configs(struct run *r, struct arena *a, struct diag *d)
{
	const struct run_config *given = r->opt.config;
	const unsigned n = r->opt.nconfig;
	struct run_config *all;

	if ((uint64_t)n * (1 + r->opt.perturb) > SIM_JOBS_MAX)
		return diag_error_plain(d, NULL, "%u configurations and %u perturbed runs of each are more than %d", n,
					r->opt.perturb, SIM_JOBS_MAX);
	r->ntimed = n * (1 + r->opt.perturb);
	all = new_array(a, struct run_config, r->ntimed);
	for (unsigned i = 0; i < r->ntimed; i++) {
		struct params *p;

		all[i] = given[i % n];
		if (i < n)
			continue;
		p = new(a, struct params);
		*p = *given[i % n].params;
		p->perturb = i / n;
		all[i].params = p;
		all[i].probe = NULL;
		all[i].name = arena_printf(a, "%s, perturb=%u", given[i % n].name, i / n);
	}
	r->opt.config = all;
	return true;
}

bool run_launches(struct run *r, const struct module *m, struct launch_file *f, const struct run_options *o,
		  struct arena *a, struct diag *d)
{
	struct pass p = { .r = r, .timed_run = o->nconfig != 0, .lock = PTHREAD_MUTEX_INITIALIZER, .a = a, .d = d };
	bool ok, used[PROGRAMS] = { false };

	*r = (struct run){ .m = m,
			   .f = f,
			   .opt = *o,
			   .launch = new_array(a, struct run_launch, f->nlaunch),
			   .expect = new_array(a, struct expect_result, f->nexpect) };
	if (!launch_name_kernels(f, m, d) || !copy_configs(r, a, d))
		return false;
	o = &r->opt;
	r->timing = new_array(a, struct run_timing, r->ntimed);
	p.timed = new_array(a, struct timed, r->ntimed);
	p.job = new_array(a, struct sim_job, r->ntimed);
	p.kernel = new_array(a, const struct kernel *, f->nlaunch);
	p.l2 = new_array(a, struct l2 *, r->ntimed);
	p.spare = new_array(a, struct arena, r->ntimed);
	run_name_kernels(r, a);
	f->stop = o->stop;
	for (unsigned i = 0; i < r->ntimed; i++)
		r->timing[i].cycles = new_array(a, uint64_t, f->nlaunch);
	if (!launch_bind(f, m, d) || !run_choose_programs(r, used, d))
		return false;
	for (unsigned i = 0; i < o->nconfig; i++) /* the object lacks something: said before anything runs */
		if (!rf_config_check(&o->config[i].rf, o->config[i].params, r->opt.have_anno, m->src_name, d) ||
		    !params_fit(o->config[i].params, o->nconfig > 1 ? o->config[i].name : NULL, d))
			return false;
	for (unsigned k = 0; k < r->nkernel; k++)
		p.kernel[k] = module_find_kernel(m, r->kernel[k]);
	ok = run_programs(&p, used, f);
	for (unsigned i = 0; i < r->ntimed; i++)
		arena_free(&p.spare[i]);
	return ok && judge(r, f, a, d) && (!r->profile || !p.timed_run || count_profile(r, f, a, d));
}

void run_free(struct run *r)
{
	for (enum run_program x = 0; x < PROGRAMS; x++) {
		if (r->device[x])
			device_free(r->device[x]);
		r->device[x] = NULL;
	}
	r->dev = NULL;
}
