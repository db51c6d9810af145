/* Reuse never changes what a kernel does: random kernels under every model of WIR, on machines whose registers,
 * buffers, queues and caches are drawn small, from as many registers as one CTA names up, half of them with registers
 * that are encoded, on both cores. In checked mode each operand is the one executed, a register that is shared holds
 * what was to be written, and a result that is reused is the one that execution gives; memory is that of the functional
 * run; no run gets stuck; no register is lost and none is left (reuse_ops.end()); the sums of conserved.def hold; on
 * three threads, in other quanta and unchecked the same is counted.
 *
 * That this can fail is tested too: a tag that leaves an operand out, a comparison left out, a register given back that
 * is still read, and lanes that are not copied must be found. Every other kernel repeats itself (gen_options_repeat).
 * Usage: p_reuse [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/reuse/wir_state.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"
#include "test/prop/axes.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

static const char *model(unsigned row) { return axis_values[AXIS_REUSE].name[1 + row]; }
static unsigned rows(void) { return axis_values[AXIS_REUSE].n - 1; }

enum wrong { RIGHT, WRONG_TAG, WRONG_VALUE, WRONG_FREE, WRONG_LANES, WRONGS };
static const char *const wrong_name[] = { "", "operands left out of tags", "values not compared",
					  "registers given back too early", "lanes not copied" };

struct subject {
	uint64_t seed;
	struct gen_options o;
	struct module *m;
	struct arena *a;
	struct diag *d;
	unsigned char *out; /* of the functional run */
	struct engine_counts n;
};
struct machine {
	struct params p;
	struct rf_config rf;
};
struct tally {
	bool mistakes; /* are tried on these kernels */
	uint64_t runs, tight, compared, ready, pending, shared, moves, forced, waits, low, loads, stored, barriers,
		wrong[WRONGS], found[WRONGS];
};

static bool set(struct machine *m, const char *name, uint64_t to, struct diag *d)
{
	char text[64];

	snprintf(text, sizeof text, "%s=%u", name, (unsigned)to);
	return params_set(&m->p, text, d);
}

/* As many registers as `ctas` CTAs name, in each sub-core if there are; 1024 at least, which are 32 of a warp. */
static unsigned registers_of(const struct subject *t, const struct params *p, unsigned ctas)
{
	const unsigned subs = params_register_files(p), warps = (t->o.block + 31) / 32 * ctas;
	const unsigned regs = (t->m->kernel[0]->res.regs + p->reg_round - 1) / p->reg_round * p->reg_round;
	const unsigned need = regs * ((warps + subs - 1) / subs * subs) * 32;

	if (need < 1024)
		return 1024;
	return need > 65536 ? 65536 : need;
}

static bool draw(const struct subject *t, unsigned row, struct machine *m, bool *tight)
{
	static const unsigned tiny[] = { 0, 1, 2, 8, 256 }, enough[] = { 1, 8, 64, 256, 256 };
	static const char *const machine[] = { "gtx480", "wir", "rtx3080" };
	uint64_t rng = mix64(t->seed * rows() + row);
	char reuse[64], text[RF_TEXT];
	unsigned of;

	snprintf(reuse, sizeof reuse, "reuse=%s", model(row));
	if (!params_machine(&m->p, machine[rng_below(&rng, 3)], t->d) || !set(m, "dependences", m->p.core, t->d) ||
	    !set(m, "reg_round", m->p.core ? 8 : 1, t->d))
		return false;
	of = params_register_files(&m->p); /* which have equal shares */
	axes_draw(reuse, rng_below(&rng, 2) << AXIS_VALUES, &rng, &m->p, ANNO_ALL, text);
	*tight = rng_below(&rng, 4) >= (t->o.repeats ? 2 : 1);
	if (!rf_config_parse(&m->rf, text, &m->p, t->d) || !set(m, "sms", 1 + rng_below(&rng, 3), t->d))
		return false;
	if (*tight) {
		const unsigned need = registers_of(t, &m->p, 1 + rng_below(&rng, 3)) + 32 * rng_below(&rng, 8);
		const unsigned registers = in_whole_banks(&m->p, need);

		if (!set(m, "rf_registers", registers > 65536 ? 65536 : registers, t->d))
			return false;
	}
	return set(m, "reuse_entries", of * (t->o.repeats ? enough : tiny)[rng_below(&rng, 5)], t->d) &&
	       set(m, "vsb_entries", of * tiny[rng_below(&rng, 5)], t->d) &&
	       set(m, "verify_entries", rng_below(&rng, 3) * 4, t->d) &&
	       set(m, "reuse_queue", rng_below(&rng, 3) * (m->p.core ? 4 : 3), t->d) &&
	       set(m, "reuse_cycles", 3 + rng_below(&rng, 5), t->d) &&
	       set(m, "reuse_field_bits", rng_below(&rng, 3) ? 32 : 10, t->d) &&
	       set(m, "reuse_barrier_bits", 1 + rng_below(&rng, 5), t->d) &&
	       (m->p.core || rng_below(&rng, 3) || (set(m, "rf_banks", 2, t->d) && set(m, "collectors", 1, t->d))) &&
	       set(m, "progress_cycles", 20000, t->d);
}

static bool run(const struct subject *t, const struct machine *m, unsigned threads, struct checked_sums *sums,
		unsigned char **out, struct stats *st, struct diag *d)
{
	const struct sim_options so = { .params = &m->p,
					.rf = m->rf,
					.threads = threads,
					.quantum = threads > 1 ? 9 : 0,
					.have_anno = ANNO_ALL,
					.checked = sums };

	return gen_time(t->m, NULL, t->seed, &t->o, &so, t->a, out, st, d);
}

/* ---- mechanisms that are wrong ---- */
static struct reuse_ops right;

static struct reuse *create_with_short_tags(const struct axis_ctx *cx)
{
	struct reuse *r = right.create(cx);
	struct reuse_insn *insn = new_array(cx->arena, struct reuse_insn, cx->kernel->ninsn);

	for (uint32_t i = 0; i < cx->kernel->ninsn; i++) {
		insn[i] = r->code.insn[i];
		for (unsigned k = REUSE_FIELDS; k--;)
			if (insn[i].field[k].kind != FIELD_NONE) {
				insn[i].field[k].kind = FIELD_NONE;
				break;
			}
	}
	r->code.insn = insn;
	return r;
}

/* All values have the same hash, and the same identity. */
static struct uop equal(const struct uop *u)
{
	static const struct value_sig same[UOP_DST_MAX];
	struct uop e = *u;

	e.sig = same;
	return e;
}

static enum reuse_progress round_of_equals(struct reuse *r, const struct uop *u, struct reuse_round *out)
{
	const struct uop e = equal(u);

	return right.round(r, &e, out);
}

static void retire_equals(struct reuse *r, const struct uop *u)
{
	const struct uop e = equal(u);

	right.retire(r, &e);
}

static enum reuse_progress round_without_moves(struct reuse *r, const struct uop *u, struct reuse_round *out)
{
	const enum reuse_progress p = right.round(r, u, out);

	for (unsigned i = 0; i < out->n; i++)
		if (out->a[i].kind == REUSE_MOVE_WRITE)
			out->a[i].lanes = 0;
	return p;
}

/* Instructions that are not looked up keep no reference to what they have yet to read. */
static void issue_unheld(struct reuse *r, const struct uop *u)
{
	right.issue(r, u);
	if (!flight_of(r, u)->looks_up)
		right.sources_read(r, u, (uint32_t)(((uint64_t)1 << u->nsrc) - 1));
}

static void read_unheld(struct reuse *r, const struct uop *u, uint32_t sources)
{
	if (flight_of(r, u)->looks_up)
		right.sources_read(r, u, sources);
}

/* Makes v wrong. False: in such a run, which was right, there is nothing to go wrong. */
static bool make_wrong(struct reuse_ops *v, enum wrong how, const struct stats *st)
{
	right = *v;
	switch (how) {
	case WRONG_TAG:
		v->create = create_with_short_tags;
		return st->reuse_misses > 20 && st->reused_instructions;
	case WRONG_VALUE:
		v->round = round_of_equals;
		v->retire = retire_equals;
		return st->vsb_hits > 0;
	case WRONG_FREE:
		v->issue = issue_unheld;
		v->sources_read = read_unheld;
		return st->register_waits > 0;
	case WRONG_LANES:
		v->round = round_without_moves;
		return st->dummy_moves > 10;
	case RIGHT:
	case WRONGS:
		break;
	}
	return false;
}

static void try_wrong(const struct subject *t, const struct machine *m, const struct stats *st, struct tally *n)
{
	for (unsigned how = RIGHT + 1; how < WRONGS; how++) {
		struct reuse_ops ops = *m->rf.reuse;
		struct checked_sums sums = { 0 };
		struct machine broken = *m;
		unsigned char *out;
		struct stats ignored;
		struct diag d;

		if (!make_wrong(&ops, (enum wrong)how, st))
			continue;
		broken.rf.reuse = &ops;
		diag_init(&d, NULL);
		n->wrong[how]++;
		n->found[how] += !run(t, &broken, 1, &sums, &out, &ignored, &d);
		diag_free(&d);
	}
}

/* ---- runs ---- */
static const char *check_row(const struct subject *t, unsigned row, struct tally *n)
{
	struct checked_sums sums = { 0 };
	struct stats st, again;
	unsigned char *out;
	struct machine m;
	bool tight;

	if (!draw(t, row, &m, &tight))
		return "there is no such machine";
	if (!run(t, &m, 1, &sums, &out, &st, t->d))
		return "the checked run fails";
	if (memcmp(out, t->out, gen_out_bytes(&t->o)) != 0)
		return "memory differs from the functional run";
	if (st.warp_instructions != t->n.warp_insns || st.thread_instructions != t->n.thread_insns)
		return "instructions issued are not those executed";
	if (st.reuse_races || st.reuse_reordered)
		return "a load finds another value, in a kernel without races that no order matters to";
	if (!run(t, &m, 3, NULL, &out, &again, t->d) || memcmp(&st, &again, sizeof st) != 0)
		return "unchecked, on three threads, something else is counted";
	n->runs++;
	n->tight += tight;
	n->compared += sums.compared;
	n->ready += st.reuse_hits_ready;
	n->pending += st.reuse_hits_pending;
	n->shared += st.vsb_hits;
	n->moves += st.dummy_moves;
	n->forced += st.forced_writes;
	n->waits += st.register_waits;
	n->low += st.low_register_cycles;
	n->loads += st.reused_loads;
	n->stored += st.reuse_store_flag;
	n->barriers += st.reuse_barrier_count;
	if (n->mistakes && (t->seed + row) % 5 == 0)
		try_wrong(t, &m, &st, n);
	return NULL;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct tally *n = sums;
	struct subject t = { .seed = seed, .a = a, .d = d };
	const char *wrong = NULL;
	struct pass_ctx cx;

	(seed % 2 ? gen_options_repeat : gen_options_random)(&t.o, seed);
	t.m = gen_module(seed, &t.o, a, d);
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = seed % 2 ? 63 : 24;
	if (!t.m || !pass_compile(t.m->kernel[0], &cx) || !pass_need(t.m->kernel[0], FACT_ALL, &cx) ||
	    !gen_execute(t.m, NULL, seed, &t.o, &(struct engine_options){ .max_insns = GEN_INSNS_MAX }, a, &t.out, &t.n,
			 d))
		wrong = "the functional run fails";
	for (*at = 0; !wrong && *at < rows(); ++*at)
		wrong = check_row(&t, *at, n);
	*at -= wrong != NULL;
	pass_ctx_free(&cx);
	return wrong;
}

/* What must have happened over the default seeds, and how many times a mechanism must have been broken before its
 * findings are judged. */
enum { SEEDS = 40, CASES_MIN = 8, TIMES_MIN = 50 };

static void where(unsigned at) { printf(", reuse=%s", model(at % rows())); }

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_reuse", argc, argv, SEEDS);
	const struct seeds same = seeds_same(&s);
	struct tally n = { .mistakes = s.first == 1 }, other = { .mistakes = true };
	const struct tally *w = n.mistakes ? &n : &other;
	unsigned failed = seeds_try(&s, check, &n, where);

	if (!n.mistakes)
		failed += seeds_try(&same, check, &other, where);
	for (unsigned how = RIGHT + 1; how < WRONGS; how++) {
		printf("p_reuse: %s: %llu of %llu found\n", wrong_name[how], (unsigned long long)w->found[how],
		       (unsigned long long)w->wrong[how]);
		failed += w->wrong[how] >= CASES_MIN ? w->found[how] * 4 < w->wrong[how] + 3 : same.n >= SEEDS;
	}
	printf("p_reuse: %llu runs, %llu of few registers, %llu operands compared, %llu + %llu instructions reused, "
	       "%llu results shared, %llu dummy moves, "
	       "%llu waited for registers, %llu overwrote theirs, %llu cycles without one; "
	       "%llu loads reused, %llu not, for a store, %llu for want of barrier counts; %u failed\n",
	       (unsigned long long)n.runs, (unsigned long long)n.tight, (unsigned long long)n.compared,
	       (unsigned long long)n.ready, (unsigned long long)n.pending, (unsigned long long)n.shared,
	       (unsigned long long)n.moves, (unsigned long long)n.waits, (unsigned long long)n.forced,
	       (unsigned long long)n.low, (unsigned long long)n.loads, (unsigned long long)n.stored,
	       (unsigned long long)n.barriers, failed);
	if (!failed && s.n >= SEEDS &&
	    (n.ready < TIMES_MIN || n.pending < TIMES_MIN || n.shared < TIMES_MIN || n.moves < TIMES_MIN ||
	     n.forced < TIMES_MIN || n.waits < TIMES_MIN || n.low < TIMES_MIN || n.loads < TIMES_MIN ||
	     n.stored < TIMES_MIN || n.barriers < TIMES_MIN)) {
		printf("p_reuse: too little of that happened\n");
		failed++;
	}
	return failed != 0;
}
