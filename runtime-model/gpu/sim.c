/* One timed launch: the engine as the record source of modelled GPUs. */
#include "runtime-model/gpu/sim.h"
#include "runtime-model/gpu/sample.h"
#include "runtime-model/core/probe.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/gpu/gpu.h"

#include "analyzer/base/stack.h"
#include "analyzer/elf/rlo.h"
#include "passes/uniform.h"

#include <pthread.h>

enum { BLOCK_LIMIT = 1 << 20 };

/* a job as it runs */
struct consumer {
	struct stats st;
	struct sample_marks marks;
	struct sim_job *job;
	struct engine *e;
	unsigned index; /* of the engine's consumers */
	struct gpu_job gpu;
	pthread_t thread;
	bool started;
};

static enum record_status next(void *ctx, uint64_t cta, unsigned warp, struct record *out)
{
	const struct consumer *c = ctx;

	return engine_next(c->e, c->index, cta, warp, out);
}

static void *consume(void *ctx)
{
	struct consumer *c = ctx;

	c->job->ok = gpu_run(&c->gpu, &c->st, c->job->d);
	engine_leave(c->e, c->index);
	return NULL;
}

/* Instructions of the kernels before this one, each with its metadata and rounded up to whole lines of instructions of
 * any size: of those that the configuration runs. */
uint32_t sim_code_start(const struct sim_options *o)
{
	uint32_t at = o->code_before;

	for (unsigned i = 0; i < o->nbefore; i++) {
		const struct kernel *x = rf_config_kernel(&o->rf, o->before[i]);
		uint32_t n = x->ninsn + rf_config_preamble(&o->rf, o->params, x);

		for (uint32_t b = 0; b < x->nblock; b++)
			n += rf_config_block_words(&o->rf, o->params, x, b);
		at += (n + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	}
	return at;
}

/* Does the configuration run this code? */
static bool runs(const struct sim_options *o, const struct kernel *k, struct diag *d)
{
	if (k->base_regs && !o->rf.residency->variant)
		return diag_error_plain(
			d, k->name,
			"residency=%s gives every warp all of its registers, and this is the variant that shares some",
			o->rf.residency->name);
	return rf_config_kernel(&o->rf, k) == k ||
	       diag_error_plain(
		       d, k->name,
		       "residency=%s runs the variant of this kernel: another program than the one that is launched",
		       o->rf.residency->name);
}

/* What its annotations say of lanes is said of CTAs of some shape. */
static bool lanes_fit(const struct sim_options *o, const struct launch *l, struct diag *d)
{
	const struct uniform *u = l->k->uniform;

	if (!(o->rf.values->needs_anno & ANNO_SCALAR) || uniform_holds(u, l->block))
		return true;
	return diag_error_plain(d, l->k->name,
				"values=%s takes what the object proves of lanes, of blocks of %u,%u,%u threads, and "
				"this launch has %u,%u,%u: annotate "
				"it for these, or for none",
				o->rf.values->name, u->block[0], u->block[1], u->block[2], l->block[0], l->block[1],
				l->block[2]);
}

static bool prepare(struct consumer *c, struct sim_job *job, const struct launch *l, unsigned threads)
{
	const struct sim_options *o = &job->o;
	uint32_t cluster[3];

	*c = (struct consumer){ .job = job };
	job->ok = false;
	c->gpu = (struct gpu_job){
		.params = o->params,
		.rf = &o->rf,
		.kernel = l->k,
		.code_start = sim_code_start(o),
		.threads_per_cta = threads,
		.shared_bytes = l->k->res.shared_bytes + l->dynamic_shared,
		.progress = o->progress,
		.progress_ctx = o->progress_ctx,
		.launch = o->launch,
		.l2 = o->l2,
		.spare = o->spare,
		.threads = o->threads,
		.quantum = o->quantum,
		.checked = o->checked,
		.races = o->races,
		.probe = o->probe,
		.stop = o->stop,
		.max_insns = o->max_insns,
		.max_cycles = o->max_cycles,
		.stopped = o->stopped,
		.bug = o->bug,
		.began = o->began,
	};
	if (o->stopped)
		*o->stopped = (struct stopped){ .why = STOP_NOT };
	if (launch_cluster(l, cluster) > 1)
		return diag_error_plain(job->d, l->k->name,
					"is launched in clusters of %ux%ux%u CTAs, which no configuration times "
					"(--functional executes it)",
					cluster[0], cluster[1], cluster[2]);
	return runs(o, l->k, job->d) && rf_config_check(&o->rf, o->params, o->have_anno, l->k->name, job->d) &&
	       lanes_fit(o, l, job->d);
}

/* The first in this thread, the others each in its own. */
static void consume_all(struct consumer *c, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		c[i].started = stack_thread(&c[i].thread, consume, &c[i]);
		if (!c[i].started) {
			engine_leave(c[i].e, c[i].index);
			diag_error_plain(c[i].job->d, c[i].gpu.kernel->name,
					 "the system has no thread for this configuration");
		}
	}
	consume(&c[0]);
	for (unsigned i = 1; i < n; i++)
		if (c[i].started)
			pthread_join(c[i].thread, NULL);
}

/* A model stops when it is asked to; if the execution did, and nobody asked, that is why. If only the execution did, in
 * CTAs that no model times, that is where. */
static void describe(const struct engine *e, struct stopped *s)
{
	if (s->why && engine_stopped(e))
		s->why = engine_stopped(e);
	else if (engine_stopped(e))
		engine_describe(e, s);
}

/* The counters of one job go to its owner: as they are, or extended to the launch, if it was not stopped. */
static void take(struct consumer *c, const struct engine *e, bool sampled, uint64_t needs)
{
	const struct engine_counts *n = engine_counts(e);
	struct sim_job *job = c->job;

	if (job->ok && sampled && !job->o.stopped->why) {
		if (!stats_check(&c->st, job->d))
			job->ok = false;
		else
			sample_extend(&c->marks, n->warp_insns, n->thread_insns, &c->st, job->o.estimate);
	} else if (job->ok && job->o.sample && !sampled) {
		sample_whole(job->o.estimate, engine_ctas(e), needs);
	}
	stats_merge(job->st, &c->st);
}

static bool wanted(const void *plan, uint64_t cta) { return sample_has(plan, cta); }

/* What c times is the sample of a plan; its marks are in arena a. */
static void time_sample(struct consumer *c, const struct sample_plan *p, struct arena *a)
{
	c->marks = (struct sample_marks){ .plan = p, .at = new_array(a, struct stats, 2 * p->clusters) };
	c->gpu.sample = &c->marks;
	c->gpu.ctas = p->timed;
}

static bool run_jobs(struct device *dev, const struct launch *l, struct sim_job *job, unsigned n, struct arena *a,
		     struct diag *d)
{
	const bool finish = job[0].o.finish;
	struct engine_options eo = { .max_insns = finish ? 0 : job[0].o.max_insns,
				     .stop = job[0].o.stop,
				     .window = WINDOW_DEFAULT,
				     .progress = job[0].o.executing };
	struct consumer *c = new_array(a, struct consumer, n);
	enum occupancy_limit why;
	unsigned errors = d->errors;
	uint64_t threads = 1;
	struct sample_plan plan = { 0 };
	const unsigned sample = job[0].o.sample, gain = job[0].o.sample_gain ? job[0].o.sample_gain : SAMPLE_GAIN;
	uint64_t wave = 0, ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	struct engine *e;

	if (l->k->form != FORM_MACHINE)
		return diag_error_plain(d, l->k->name, "only a kernel in machine form can be timed; annotate it first");
	/* saturates: a block larger than an SM does not fit, whatever its size */
	for (unsigned i = 0; i < 3; i++)
		threads = threads * l->block[i] > BLOCK_LIMIT ? BLOCK_LIMIT : threads * l->block[i];
	if (!threads)
		return diag_error_plain(d, l->k->name, "a block without threads cannot be launched");
	for (unsigned i = 0; i < n; i++) {
		struct consumer *x = &c[eo.consumers];
		unsigned window;

		if (!prepare(x, &job[i], l, (unsigned)threads))
			continue;
		/* One CTA beyond what is resident: a finished CTA's successor can then start at once. The window
		 * decides the order of execution, so it is the same for all machines that it is large enough for. */
		window = (gpu_max_ctas(&x->gpu, &why) + 1) * job[i].o.params->sms;
		while (eo.window < window)
			eo.window *= 2;
		wave = window - job[i].o.params->sms > wave ? window - job[i].o.params->sms : wave;
		eo.want |= rf_config_records(&job[i].o.rf) | probe_records(job[i].o.probe) |
			   (job[i].o.checked ? WANT_VALUES : 0);
		x->index = eo.consumers++;
	}
	if (!eo.consumers && !finish)
		return true;
	if (wave && sample_plan(&plan, ctas, wave, sample, gain, a)) {
		eo.wanted = wanted;
		eo.wanted_ctx = &plan;
	}
	e = engine_new(dev, l, &eo, d);
	if (!e)
		return false;
	for (unsigned i = 0; i < eo.consumers; i++) {
		c[i].e = e;
		c[i].gpu.local_lines = engine_local_lines(e);
		c[i].gpu.ctas = engine_ctas(e);
		if (plan.clusters)
			time_sample(&c[i], &plan, a);
		c[i].gpu.source = (struct record_source){ &c[i], next };
	}
	if (eo.consumers)
		consume_all(c, eo.consumers);
	if ((plan.clusters || finish) && d->errors == errors && !engine_stopped(e))
		engine_finish(e); /* the CTAs that nobody times, or the rest */
	if (finish)
		*job[0].o.counts = *engine_counts(e);
	if (job[0].o.failed && engine_fault(e)->kind)
		job[0].o.failed(job[0].o.failed_ctx, engine_fault(e));
	for (unsigned i = 0; i < eo.consumers; i++) {
		if (c[i].job->o.stopped && c[i].job->ok)
			describe(e, c[i].job->o.stopped);
		take(&c[i], e, plan.clusters != 0, sample_needs(wave, sample, gain));
	}
	engine_free(e);
	return d->errors == errors;
}

bool sim_run_jobs(struct device *dev, const struct launch *l, struct sim_job *job, unsigned n, struct diag *d)
{
	struct arena a;
	bool ok;

	arena_init(&a);
	ok = run_jobs(dev, l, job, n, &a, d);
	arena_free(&a);
	return ok;
}

bool sim_run(struct device *dev, const struct launch *l, const struct sim_options *o, struct stats *st, struct diag *d)
{
	struct sim_job job = { .o = *o, .st = st, .d = d };
	struct launch mine = *l;

	mine.k = rf_config_kernel(&o->rf, l->k);
	return sim_run_jobs(dev, &mine, &job, 1, d) && job.ok;
}
