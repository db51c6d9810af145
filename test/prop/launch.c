#include "test/prop/launch.h"

#include "analyzer/ptx/ptx.h"

#include <string.h>

struct module *gen_module(uint64_t seed, const struct gen_options *o, struct arena *a, struct diag *d)
{
	struct source *src = new(a, struct source);

	*src = (struct source){ "random.ptx", gen_kernel(seed, o, a), 0 };
	src->len = strlen(src->text);
	return ptx_parse(src, a, d);
}

bool gen_launch(struct device *dev, const struct module *m, uint64_t seed, const struct gen_options *o,
		struct gen_params *p, struct launch *l)
{
	if (!dev || !device_load(dev, m))
		return false;
	p->out = device_alloc(dev, "out", gen_out_bytes(o));
	p->in = device_alloc(dev, "in", GEN_IN_BYTES);
	p->n = o->n;
	if (!p->out || !p->in)
		return false;
	gen_fill(seed, device_ptr(dev, p->in, GEN_IN_BYTES));
	*l = (struct launch){ .m = m,
			      .k = m->kernel[0],
			      .grid = { o->grid, 1, 1 },
			      .block = { o->block, 1, 1 },
			      .params = p,
			      .param_bytes = 20 };
	return true;
}

/* Frees dev; the launch has come to its end if ok says so. */
static bool leave(struct device *dev, bool ok, const struct gen_options *o, const struct gen_params *p, struct arena *a,
		  unsigned char **out)
{
	if (ok) {
		*out = (unsigned char *)arena_alloc(a, gen_out_bytes(o), 8);
		memcpy(*out, device_ptr(dev, p->out, gen_out_bytes(o)), gen_out_bytes(o));
	}
	if (dev)
		device_free(dev);
	return ok;
}

bool gen_execute(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
		 const struct engine_options *eo, struct arena *a, unsigned char **out, struct engine_counts *n,
		 struct diag *d)
{
	struct device *dev = device_new(d);
	struct engine *e = NULL;
	struct gen_params p;
	struct launch l;
	bool ok = gen_launch(dev, m, seed, o, &p, &l);

	if (ok && k)
		l.k = k;
	ok = ok && (e = engine_new(dev, &l, eo, d)) && engine_run(e);
	if (ok && n)
		*n = *engine_counts(e);
	if (e)
		engine_free(e);
	return leave(dev, ok, o, &p, a, out);
}

bool gen_time(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
	      const struct sim_options *so, struct arena *a, unsigned char **out, struct stats *st, struct diag *d)
{
	struct device *dev = device_new(d);
	struct gen_params p;
	struct launch l;
	bool ok = gen_launch(dev, m, seed, o, &p, &l);

	if (ok && k)
		l.k = k;
	stats_reset(st);
	ok = ok && sim_run(dev, &l, so, st, d) && stats_check(st, d);
	return leave(dev, ok, o, &p, a, out);
}
