/* Any bytes as a cubin: refused with a diagnostic, or listed as text and JSON, lifted into the IR, where its kernels
 * pass their checks, and analysed; of small ones every view is written and limits are judged, and the JSON of them is
 * JSON. Under libFuzzer most changes are to what the container says: fields of headers, symbols, relocations,
 * attributes; others to instructions. */
#include "analyzer/cubin/cubin.h"
#include "analyzer/lib/annotate.h"
#include "analyzer/lib/gate.h"
#include "analyzer/sass/lift.h"
#include "passes/freq.h"
#include "test/fuzz/input.h"
#include "test/fuzz/mutate_cubin.h"

#include <jansson.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return mutate_cubin(data, size, max, seed);
}

/* instructions of a module of which weights and strands are found, views are written, all is done */
enum { SMALL = 3000, SHOWN = 400, WHOLE = 100 };
#define WEIGHTS (FACT_CFG | FACT_LIVE | FACT_DOM | FACT_PDOM | FACT_LOOP | FACT_STRAND | FACT_FREQ)
#define VIEWS (FACT_ALL & ~(FACT_AFFINITY | FACT_CORF | FACT_ORF | FACT_OWF)) /* those take long */

/* A launch, for the trip counts of loops: parameters that may count them are all the same. */
static const struct launch_facts *launch_of(const struct module *m, struct arena *a)
{
	struct launch_facts *l = new(a, struct launch_facts);
	struct launch_param *p;
	uint32_t at = 0;

	for (uint32_t k = 0; k < m->nkernel; k++)
		at += m->kernel[k]->nparam;
	p = new_array(a, struct launch_param, (size_t)at + 1);
	*l = (struct launch_facts){ .block = { 48, 2, 1 }, .grid = { 7, 1, 1 }, .param = p };
	for (uint32_t k = 0; k < m->nkernel; k++)
		for (uint32_t n = 0; n < m->kernel[k]->nparam; n++)
			p[l->nparam++] = (struct launch_param){ m->kernel[k]->param[n].name, 100 };
	return l;
}

/* What is written of kernels that all is known of. */
static void show_whole(struct fuzz_input *x, struct module *m, const struct pass_ctx *cx)
{
	struct limits limits = { .n = 0 };
	struct gate gate = { .a = &x->a };
	struct findings all = { .a = &x->a };
	struct diag quiet;

	if (limits_add(&limits,
		       "max-live=20,max-registers=30,max-spill=0,max-local=8,min-occupancy=50,max-bank-conflicts=1,max-"
		       "code=100",
		       &x->a))
		abort();
	diag_init(&quiet, NULL);
	for (uint32_t n = 0; n < m->nkernel; n++) {
		const struct emit_machine machine = annotate_machine(m->kernel[n], &cx->opt);
		struct kernel_figures *f = new(&x->a, struct kernel_figures);
		struct view v;

		view_init(&v, m, m->kernel[n]);
		figures_find(f, &v, &machine, FIGURES_ALL, &x->a);
		gate_add(&gate, &limits, f, "fuzz", &quiet);
		findings_find(&all, &v, f, "fuzz");
		emit_occupancy(x->out, m->kernel[n], &machine, n % 2 == 0);
		emit_dot_affinity(x->out, m->kernel[n]);
		emit_dot_orf(x->out, m->kernel[n], ORG_SPLIT);
		view_free(&v);
	}
	gate_write(x->out, &gate);
	if (!gate_write_json(x->out, &gate))
		abort();
	gate_findings(&gate, &all);
	emit_remarks(x->out, &all);
	diag_free(&quiet);
}

static void show(struct fuzz_input *x, struct module *m, const struct pass_ctx *cx)
{
	long from, to;
	json_t *j;

	for (uint32_t n = 0; n < m->nkernel; n++) {
		emit_listing(x->out, m, m->kernel[n], ORG_SPLIT, n % 2);
		emit_pressure(x->out, m, m->kernel[n]);
		emit_banks(x->out, m, m->kernel[n]);
		emit_dot(x->out, m, m->kernel[n], n % 2);
	}
	from = ftell(x->out);
	if (!emit_json(x->out, m, &cx->opt.regmutex, cx->opt.launch) || fflush(x->out) != 0)
		abort();
	to = ftell(x->out);
	j = json_loadb(x->shown + from, (size_t)(to - from), JSON_REJECT_DUPLICATES, NULL);
	if (!j)
		abort();
	json_decref(j);
}

static void analyse(struct fuzz_input *x, struct module *m)
{
	struct pass_ctx cx;
	uint32_t insns = 0;
	unsigned needs = FACT_CFG | FACT_LIVE;

	pass_ctx_init(&cx, &x->d);
	cx.opt.launch = launch_of(m, &x->a);
	for (uint32_t k = 0; k < m->nkernel; k++)
		insns += m->kernel[k]->ninsn;
	cx.opt.check = insns < WHOLE;
	if (insns < SHOWN)
		needs = VIEWS;
	else if (insns < SMALL)
		needs = WEIGHTS;
	for (uint32_t k = 0; k < m->nkernel; k++) {
		if (!ir_verify(m->kernel[k], &x->d))
			abort();
		if (!(insns < WHOLE ? pass_compile(m->kernel[k], &cx) : pass_need(m->kernel[k], needs, &cx)))
			abort();
	}
	if (insns < SHOWN)
		show(x, m, &cx);
	if (insns < WHOLE)
		show_whole(x, m, &cx);
	pass_ctx_free(&cx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input x;
	struct cubin *c;
	struct module *m;

	fuzz_begin(&x, "fuzz", data, size);
	c = cubin_read(&x.s, &x.a, &x.d);
	if (!c != diag_failed(&x.d))
		abort();
	if (c) {
		cubin_list(x.out, c, false, &x.a);
		cubin_list(x.out, c, true, &x.a);
		m = sass_lift(c, &x.a, &x.d);
		if (!m != diag_failed(&x.d))
			abort();
		if (m)
			analyse(&x, m);
	}
	fuzz_end(&x);
	return 0;
}
