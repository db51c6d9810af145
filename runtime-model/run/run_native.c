/* What ptx-annotate would have said of machine code, for configurations in which warps share registers. */
#include "passes/pass.h"
#include "passes/regmutex.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/run/launch_facts.h"
#include "runtime-model/run/run.h"

/* The same code, of which a warp holds the extended set where k->regmutex->hold says so. */
static void make_variant(struct kernel *k)
{
	struct kernel *v = new(k->a, struct kernel);

	*v = *k;
	v->plain = k;
	v->variant = NULL;
	v->base_regs = k->regmutex->base;
	k->variant = v;
}

/* The first configuration whose warps share registers, or o->nconfig. */
static unsigned sharing(const struct run_options *o)
{
	unsigned i = 0;

	while (i < o->nconfig && !o->config[i].rf.residency->variant)
		i++;
	return i;
}

bool run_share_native(struct module *m, const struct launch_file *f, const struct run_options *o, struct arena *a,
		      struct diag *d)
{
	static const struct launch_facts nothing = { .nparam = 0 };
	const unsigned config = sharing(o);
	struct pass_ctx cx;
	bool ok = true;

	if (!m->nkernel || !m->kernel[0]->native || config == o->nconfig)
		return true;
	pass_ctx_init(&cx, d);
	cx.opt.regmutex.sm = params_limits(o->config[config].params);
	cx.opt.launch = launch_facts_from(f, m, false, &nothing, a, d);
	ok = cx.opt.launch != NULL;
	for (uint32_t k = 0; ok && k < m->nkernel; k++) {
		ok = regmutex_make(m->kernel[k], &cx);
		if (ok && m->kernel[k]->regmutex->extended)
			make_variant(m->kernel[k]);
	}
	pass_ctx_free(&cx);
	return ok;
}
