/* One timed launch: the engine as the record source of the modelled GPU. */
#include "runtime-model/sim.h"
#include "runtime-model/gpu.h"

enum { BLOCK_LIMIT = 1 << 20 };

static enum record_status next(void *ctx, uint64_t cta, unsigned warp, struct record *out)
{
	return engine_next(ctx, 0, cta, warp, out);
}

bool sim_run(struct device *dev, const struct launch *l, const struct sim_options *o, struct stats *st, struct diag *d)
{
	struct gpu_job j = {
		.params = o->params, .rf = &o->rf, .kernel = l->k,
		.shared_bytes = l->k->res.shared_bytes + l->dynamic_shared, .progress = o->progress, .progress_ctx = o->progress_ctx,
		.probe = o->probe,
	};
	struct engine_options eo = { .want = rf_config_records(&o->rf), .consumers = 1, .max_insns = o->max_insns };
	enum occupancy_limit why;
	uint64_t threads = 1;
	struct engine *e;
	bool ok;

	if (!rf_config_check(&o->rf, o->have_anno, l->k->name, d))
		return false;
	if (l->k->form != FORM_MACHINE)
		return diag_error_plain(d, l->k->name, "only a kernel in machine form can be timed; annotate it first");
	for (unsigned i = 0; i < 3; i++)        /* saturates: a block larger than an SM does not fit, whatever its size */
		threads = threads * l->block[i] > BLOCK_LIMIT ? BLOCK_LIMIT : threads * l->block[i];
	if (!threads)
		return diag_error_plain(d, l->k->name, "a block without threads cannot be launched");
	j.threads_per_cta = (unsigned)threads;
	/* one CTA beyond what is resident: a finished CTA's successor can then start at once */
	eo.window = (gpu_max_ctas(&j, &why) + 1) * o->params->sms;
	e = engine_new(dev, l, &eo, d);
	if (!e)
		return false;
	j.ctas = engine_ctas(e);
	j.source = (struct record_source){ e, next };
	ok = gpu_run(&j, st, d);
	engine_free(e);
	return ok;
}
