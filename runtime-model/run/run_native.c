/* Machine code as it is: read with all that ptx-annotate would have said of it, and what warps share, for
 * configurations in which they do. */
#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"
#include "passes/regmutex.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/run/launch_facts.h"
#include "runtime-model/run/run.h"

static const struct launch_facts nothing = { .nparam = 0 };

struct module *run_read_native(const struct source *src, bool facts, const struct launch_file *f, struct arena *a,
			       struct diag *d)
{
	struct cubin *c = cubin_read(src, a, d);
	struct module *m = c ? sass_lift(c, a, d) : NULL;
	struct pass_ctx cx;
	bool ok = m != NULL;

	pass_ctx_init(&cx, d);
	cx.opt.regmutex.size = REGMUTEX_OFF; /* run_share_native() */
	if (ok && f && f->object_sha256) {
		cx.opt.launch = launch_facts_from(f, m, false, &nothing, a, d);
		ok = cx.opt.launch != NULL;
	}
	for (uint32_t k = 0; ok && facts && k < m->nkernel; k++)
		ok = pass_compile_for(m->kernel[k], FACT_ALL, false, &cx);
	pass_ctx_free(&cx);
	return ok ? m : NULL;
}

struct module *run_read_object(const char *path, struct arena *a, struct diag *d)
{
	struct source src;

	if (!source_read(&src, path, a, d))
		return NULL;
	return cubin_is(src.text, src.len) ? run_read_native(&src, true, NULL, a, d)
					   : rlo_read_memory(src.text, src.len, src.name, a, d);
}

/* The same code, of which a warp holds the extended set where k->regmutex->hold says so. */
void run_vary_native(struct kernel *k)
{
	struct kernel *v = new(k->a, struct kernel);

	*v = *k;
	v->plain = k;
	v->variant = NULL;
	v->base_regs = k->regmutex->base;
	k->variant = v;
}

/* The first configuration from `i` on whose warps share registers, or o->nconfig. */
static unsigned sharing(const struct run_options *o, unsigned i)
{
	while (i < o->nconfig && !o->config[i].rf.residency->variant)
		i++;
	return i;
}

/* There is one variant of a kernel, for one register file. */
static bool all_have(const struct sm_limits *sm, const struct run_options *o, unsigned first, struct diag *d)
{
	for (unsigned i = sharing(o, first + 1); i < o->nconfig; i = sharing(o, i + 1)) {
		const struct sm_limits other = params_limits(o->config[i].params);

		if (!occupancy_same(sm, &other))
			return diag_error_plain(d, NULL,
						"%s and %s: machine code gets its extended sets for the machine of one "
						"configuration, and these have SMs with room for something else: "
						"run them one by one, with --set",
						o->config[first].name, o->config[i].name);
	}
	return true;
}

bool run_share_native(struct module *m, const struct launch_file *f, const struct run_options *o, struct arena *a,
		      struct diag *d)
{
	const unsigned config = sharing(o, 0);
	struct pass_ctx cx;
	bool ok = true;

	if (!m->nkernel || !m->kernel[0]->native || config == o->nconfig)
		return true;
	pass_ctx_init(&cx, d);
	cx.opt.regmutex.sm = params_limits(o->config[config].params);
	cx.opt.launch = launch_facts_from(f, m, false, &nothing, a, d);
	ok = cx.opt.launch && all_have(&cx.opt.regmutex.sm, o, config, d);
	for (uint32_t k = 0; ok && k < m->nkernel; k++) {
		ok = regmutex_make(m->kernel[k], &cx);
		if (ok && m->kernel[k]->regmutex->extended)
			run_vary_native(m->kernel[k]);
	}
	pass_ctx_free(&cx);
	return ok;
}
