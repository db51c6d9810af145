/* Encoded registers never change what a kernel does, and lose none of its values: random kernels under every value of
 * the values axis, with halves, moves, banks for scalars, residencies and machines drawn from the seed, some of two
 * banks and one collector. In checked mode the register file has bytes where the encoding says, each operand that it
 * delivers is the one executed, and so is what one lane computes for others; memory is that of the functional run; the
 * sums of conserved.def hold; on four threads, in other quanta and unchecked the same is counted.
 *
 * That this can fail is tested too: moves that are left out, dead writes that are not dead, fewer arrays than the bytes
 * are in, one lane that executes what differs, a base that is said to have more bytes or a stride, and bits turned over
 * must be found. Usage: p_values [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "passes/uniform.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"
#include "runtime-model/values/encoded.h"
#include "test/prop/axes.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

/* a value each, plain and with variants of kernels */
static const char *const residency[] = { "static", "regmutex" };
static const char *value(unsigned row) { return axis_values[AXIS_VALUES].name[1 + row / 2]; }
static unsigned rows(void) { return (axis_values[AXIS_VALUES].n - 1) * 2; }

enum wrong { RIGHT, WRONG_MOVES, WRONG_DEAD, WRONG_ARRAYS, WRONG_LANE, WRONG_BASE, WRONG_BIT, WRONGS };
static const char *const wrong_name[] = { "",
					  "moves left out",
					  "writes called dead",
					  "arrays left out",
					  "one lane for others",
					  "bases that say too much",
					  "bits turned over" };

struct subject {
	uint64_t seed;
	struct gen_options o;
	struct module *m;
	struct arena *a;
	struct diag *d;
	unsigned char *out;             /* of the functional run */
	struct engine_counts n, shared; /* shared: of the variant, if there is one */
};
struct machine {
	struct params p;
	struct rf_config rf;
	bool variant;
};
struct tally {
	bool mistakes; /* are tried on these kernels */
	uint64_t compared, overtaken, moves, elided, scalar, stored, written, wrong[WRONGS], found[WRONGS];
};

static bool set(struct machine *m, const char *name, unsigned to, struct diag *d)
{
	char text[64];

	snprintf(text, sizeof text, "%s=%u", name, to);
	return params_set(&m->p, text, d);
}

static bool draw(const struct subject *t, unsigned row, struct machine *m)
{
	uint64_t rng = mix64(t->seed * rows() + row);
	char text[128];
	bool ok;

	snprintf(text, sizeof text, "baseline,issue=%s,values=%s,residency=%s", rng_below(&rng, 3) ? "gto" : "lrr",
		 value(row), residency[row % 2]);
	m->variant = row % 2 && t->m->kernel[0]->variant;
	ok = params_machine(&m->p, rng_below(&rng, 2) ? "g-scalar" : "gtx480", t->d) &&
	     rf_config_parse(&m->rf, text, &m->p, t->d) && set(m, "gs_half", rng_below(&rng, 2), t->d) &&
	     set(m, "gs_moves", 1 + rng_below(&rng, 2), t->d) &&
	     set(m, "scalar_banks", 1 + rng_below(&rng, 16), t->d) &&
	     set(m, "rf_partial_writes", rng_below(&rng, 2), t->d);
	if (ok && rng_below(&rng, 3) == 0)
		ok = set(m, "sms", 1 + rng_below(&rng, 3), t->d) && set(m, "rf_banks", 2, t->d) &&
		     set(m, "collectors", 1, t->d);
	return ok;
}

static bool execute(const struct subject *t, const struct kernel *k, unsigned char **out, struct engine_counts *n)
{
	return gen_execute(t->m, k, t->seed, &t->o, &(struct engine_options){ .max_insns = GEN_INSNS_MAX }, t->a, out,
			   n, t->d);
}

static bool run(const struct subject *t, const struct machine *m, unsigned threads, struct checked_sums *sums,
		unsigned char **out, struct stats *st, struct diag *d)
{
	const struct sim_options so = { .params = &m->p,
					.rf = m->rf,
					.threads = threads,
					.quantum = threads > 1 ? 9 : 0,
					.have_anno = ANNO_ALL | ANNO_REGMUTEX,
					.checked = sums };

	return gen_time(t->m, NULL, t->seed, &t->o, &so, t->a, out, st, d);
}

/* ---- values that are wrong ---- */
static void read_fewer(struct values *v, const struct uop *u, struct bank_access *a)
{
	encoded_read(v, u, a);
	a->arrays -= a->arrays != 0;
}

/* The first lane executes whatever all have come to. */
static const char *issue_one_lane(struct values *v, const struct uop *u)
{
	const char *wrong = encoded_issue(v, u);

	if (!u->move && u->active == UINT32_MAX)
		v->latched[u->id].how = HOW_SCALAR;
	return wrong;
}

static const char *issue_longer_base(struct values *v, const struct uop *u)
{
	const char *wrong = encoded_issue(v, u);

	for (unsigned i = 0; u->active == UINT32_MAX && i < u->ndst; i++) {
		struct encoding *e = &v->latched[u->id].dst[i];

		e->all = (e->all + (e->all < SAME_ALL)) & 7;
		e->lo = (e->lo + (e->lo < SAME_ALL)) & 7;
		e->hi = (e->hi + (e->hi < SAME_ALL)) & 7;
		e->bdi = e->bdi > BDI_0 ? (e->bdi - 1) & 3 : e->bdi;
		e->affine = true;
	}
	return wrong;
}

static const char *deliver_wrong(struct values *v, const struct uop *u, const struct bank_access *a, unsigned src,
				 uint32_t lane[WARP_LANES])
{
	const char *instead = encoded_deliver(v, u, a, src, lane);

	for (unsigned l = 0; l < WARP_LANES; l++)
		lane[l] ^= 1;
	return instead;
}

static void call_all_dead(struct subject *t, struct kernel *k)
{
	struct uniform *u = new(t->a, struct uniform);
	struct uniform_value *x = new_array(t->a, struct uniform_value, k->uniform->at[k->ninsn] + 1);

	*u = *k->uniform;
	for (uint32_t i = 0; i < u->at[k->ninsn]; i++) {
		x[i] = k->uniform->value[i];
		x[i].dead = true;
	}
	u->value = x;
	k->uniform = u;
}

/* Makes v wrong, or the kernel. False: in such a run, which was right, there is nothing to go wrong. */
static bool make_wrong(struct subject *t, const struct machine *m, struct values_ops *v, enum wrong how,
		       const struct stats *right)
{
	switch (how) {
	case WRONG_MOVES:
		v->move = NULL;
		return right->injected_moves > 0;
	case WRONG_DEAD:
		if (!right->injected_moves || m->p.gs_moves == 1)
			return false;
		call_all_dead(t, m->variant ? t->m->kernel[0]->variant : t->m->kernel[0]);
		return true;
	case WRONG_ARRAYS:
		v->read = read_fewer;
		return right->rf_read_arrays > 0 && m->p.rf_arrays == BYTE_ARRAYS;
	case WRONG_LANE:
		v->issue = issue_one_lane;
		return right->warp_instructions > right->divergent_instructions;
	case WRONG_BASE:
		v->issue = issue_longer_base;
		return strcmp(v->name, "alu-scalar") != 0 && right->compressions > 0;
	case WRONG_BIT:
		v->deliver = deliver_wrong;
		return right->rf_operand_reads > 0;
	case RIGHT:
	case WRONGS:
		break;
	}
	return false;
}

static void try_wrong(struct subject *t, const struct machine *right, const struct stats *st, struct tally *n)
{
	for (unsigned how = RIGHT + 1; how < WRONGS; how++) {
		struct uniform *plain = t->m->kernel[0]->uniform,
			       *shared = t->m->kernel[0]->variant ? t->m->kernel[0]->variant->uniform : NULL;
		struct values_ops values = *right->rf.values;
		struct checked_sums sums = { 0 };
		struct machine m = *right;
		unsigned char *out;
		struct stats ignored;
		struct diag d;

		m.rf.values = &values;
		if (!make_wrong(t, right, &values, (enum wrong)how, st))
			continue;
		diag_init(&d, NULL);
		n->wrong[how]++;
		if (!run(t, &m, 1, &sums, &out, &ignored, &d))
			n->found[how] += strstr(d.last, " delivers a wrong operand ") ||
					 strstr(d.last, " stores a wrong result ");
		diag_free(&d);
		t->m->kernel[0]->uniform = plain;
		if (shared)
			t->m->kernel[0]->variant->uniform = shared;
	}
}

/* ---- runs ---- */
/* With gs_moves=1 each move is made that gs_moves=2 makes or leaves out; what registers hold behind them is the same.
 * Of registers that warps share it is not: which warp has left what in them depends on time. */
static bool moves_add_up(const struct subject *t, const struct machine *m, const struct stats *st, struct diag *d)
{
	struct machine other = *m;
	unsigned char *out;
	struct stats o;

	other.p.gs_moves = 3 - m->p.gs_moves;
	return run(t, &other, 1, NULL, &out, &o, d) &&
	       st->injected_moves + st->moves_elided == o.injected_moves + o.moves_elided &&
	       (m->p.gs_moves == 1 ? st : &o)->moves_elided == 0;
}

static const char *check_row(struct subject *t, unsigned row, struct tally *n)
{
	struct checked_sums sums = { 0 };
	const struct engine_counts *want;
	struct stats st, again;
	unsigned char *out;
	struct machine m;

	if (!draw(t, row, &m))
		return "there is no such machine";
	if (!run(t, &m, 1, &sums, &out, &st, t->d))
		return "the checked run fails";
	if (memcmp(out, t->out, gen_out_bytes(&t->o)) != 0)
		return "memory differs from the functional run";
	want = m.variant ? &t->shared : &t->n;
	if (st.warp_instructions != want->warp_insns || st.thread_instructions != want->thread_insns)
		return "instructions issued are not those executed";
	if (st.operand_reads && !sums.compared)
		return "no operand was compared";
	if (!run(t, &m, 4, NULL, &out, &again, t->d) || memcmp(&st, &again, sizeof st) != 0)
		return "unchecked, on four threads, something else is counted";
	if (row % 2 == 0 && (t->seed + row / 2) % 4 == 0 && !moves_add_up(t, &m, &st, t->d))
		return "moves that are made and left out are not those of the other gs_moves";
	n->compared += sums.compared;
	n->overtaken += sums.overtaken;
	n->moves += st.injected_moves;
	n->elided += st.moves_elided;
	n->scalar +=
		st.scalar_alu + st.scalar_sfu + st.scalar_mem + st.scalar_half + st.scalar_divergent + st.scalar_affine;
	n->stored += st.stored_bytes;
	n->written += st.stored_bytes ? 128 * st.rf_operand_writes : 0;
	if (n->mistakes && m.rf.values->deliver == encoded_deliver && (t->seed + row) % 5 == 0)
		try_wrong(t, &m, &st, n);
	return NULL;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct tally *n = sums;
	struct subject t = { .seed = seed, .a = a, .d = d };
	const char *wrong = NULL;
	struct pass_ctx cx;

	gen_options_random(&t.o, seed);
	t.m = gen_module(seed, &t.o, a, d);
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = seed % 2 ? 63 : 24;
	if (!t.m || !pass_compile(t.m->kernel[0], &cx) || !pass_need(t.m->kernel[0], FACT_ALL, &cx) ||
	    !execute(&t, t.m->kernel[0], &t.out, &t.n) ||
	    (t.m->kernel[0]->variant && !execute(&t, t.m->kernel[0]->variant, &t.out, &t.shared)))
		wrong = "the functional run fails";
	for (*at = 0; !wrong && *at < rows(); ++*at)
		wrong = check_row(&t, *at, n);
	*at -= wrong != NULL;
	pass_ctx_free(&cx);
	return wrong;
}

/* A wrong bit is found wherever an operand is compared; for the others, the kernel must read what is wrong.  Few
 * kernels are no sample. */
static bool enough(const struct tally *n, uint64_t seeds)
{
	bool ok = true;

	for (unsigned how = RIGHT + 1; how < WRONGS; how++) {
		const bool sure = how == WRONG_BIT || how == WRONG_ARRAYS;
		const bool few = sure ? n->found[how] * 20 < n->wrong[how] * 19
				      : seeds >= 8 && n->found[how] * 4 < n->wrong[how];

		printf("p_values: %s: %llu of %llu found\n", wrong_name[how], (unsigned long long)n->found[how],
		       (unsigned long long)n->wrong[how]);
		ok &= !few && (seeds < 8 || n->wrong[how]);
	}
	return ok;
}

static void where(unsigned at) { printf(", values=%s, residency=%s", value(at % rows()), residency[at % 2]); }

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_values", argc, argv, 40);
	const struct seeds same = seeds_same(&s);
	struct tally n = { .mistakes = s.first == 1 }, wrong = { .mistakes = true };
	unsigned failed = seeds_try(&s, check, &n, where);

	if (!n.mistakes)
		failed += seeds_try(&same, check, &wrong, where);
	failed += !enough(n.mistakes ? &n : &wrong, same.n);
	printf("p_values: %llu kernels under %u configurations, %llu operands compared, %llu overtaken, %llu moves, "
	       "%llu elided, %llu instructions of one lane, "
	       "%llu bytes stored as %llu, %u failed\n",
	       (unsigned long long)s.n, rows(), (unsigned long long)n.compared, (unsigned long long)n.overtaken,
	       (unsigned long long)n.moves, (unsigned long long)n.elided, (unsigned long long)n.scalar,
	       (unsigned long long)n.written, (unsigned long long)n.stored, failed);
	return failed != 0;
}
