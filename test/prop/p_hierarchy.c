/* Hierarchies of the register file never change what a kernel does and carry its values: random kernels, under every
 * value of the hierarchy axis with entries, policies, schedulers, active warps and options of the compiler drawn from
 * the seed. In checked mode each operand that a level delivers is the one executed; memory is that of the functional
 * run; the sums of conserved.def hold; on other threads, in other quanta and unchecked the same is counted; warps are
 * demoted where the compiler says and nowhere else.
 *
 * That this can fail is tested too: places that name another entry, places that are read after their strand, strands
 * that do not end where a warp waits, deschedule bits that are missing, and hints that each read is the last must be
 * found. Usage: p_hierarchy [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "analyzer/elf/rlo.h"
#include "passes/orf.h"
#include "passes/pass.h"
#include "passes/rfc.h"
#include "passes/strand.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"
#include "test/prop/axes.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

/* what annotations can make wrong of a hierarchy: hints of last reads, nothing, places of operands */
enum { CACHE, IDEAL, PLACES };
enum { ROWS_MAX = 64, DRAWN = 3 };
static struct row {
	const char *hierarchy; /* NULL: one is drawn, with a residency and a packing */
	bool keeps;            /* warps keep what they have while they wait */
} row[ROWS_MAX];
static unsigned rows;

enum wrong { RIGHT, WRONG_ENTRY, WRONG_STRAND, WRONG_END, WRONG_BIT, WRONG_HINT, WRONGS };
static const char *const wrong_name[] = {
	"", "entries", "reads after a strand", "strands across a wait", "missing deschedule bits", "hints of last reads"
};

struct subject {
	uint64_t seed;
	struct gen_options o;
	struct module *m;
	struct pass_ctx cx;
	struct arena *a;
	struct diag *d;
	unsigned char *out; /* of the functional run */
	struct engine_counts n;
};

struct machine {
	struct params p;
	struct rf_config rf;
	unsigned kind;
	bool pool;                 /* of entries */
	enum orf_organisation org; /* of PLACES */
};

static bool set(struct machine *m, const char *name, unsigned value, struct diag *d)
{
	char text[64];

	snprintf(text, sizeof text, "%s=%u", name, value);
	return params_set(&m->p, text, d);
}

static void describe(struct machine *m)
{
	const unsigned needs = m->rf.hierarchy->needs_anno;

	m->kind = needs & ANNO_ORF ? PLACES : IDEAL;
	if (needs & ANNO_RFC)
		m->kind = CACHE;
	m->pool = rf_config_reads(&m->rf, "orf_pool");
	m->org = strcmp(m->rf.hierarchy->name, "lrf+orf") == 0 ? ORG_LRF : ORG_ORF;
	if (strcmp(m->rf.hierarchy->name, "split-lrf+orf") == 0)
		m->org = ORG_SPLIT;
}

/* The machine and the options of the compiler for row r. */
static bool draw(const struct subject *t, const struct row *r, struct machine *m, struct orf_options *orf)
{
	uint64_t rng = t->seed * 64 + (uint64_t)(r - row);
	const unsigned entries = 1 + rng_below(&rng, 8);
	static const struct {
		const char *name;
		unsigned choices;
	} caches[] = {
		{ "rfc_policy", 2 }, { "rfc_hints", 3 },          { "rfc_sources", 2 },
		{ "rfc_bypass", 2 }, { "rfc_flush_branches", 2 },
	};
	char name[64] = "reuse=none", text[RF_TEXT];
	unsigned drawn = 1 << AXIS_HIERARCHY | 1 << AXIS_RESIDENCY | 1 << AXIS_PACKING;
	bool ok;

	if (!params_machine(&m->p, rng_below(&rng, 2) ? "gtx480" : "hierarchical-rf", t->d) ||
	    !set(m, "rf_l1_entries", entries, t->d) || !set(m, "active_warps", 1 + rng_below(&rng, 8), t->d) ||
	    !set(m, "rf_flush", r->keeps ? 0 : 1 + rng_below(&rng, 2), t->d))
		return false;
	if (r->hierarchy) {
		snprintf(name, sizeof name, "hierarchy=%s", r->hierarchy);
		drawn = 0;
	}
	axes_draw(name, drawn, &rng, &m->p, ANNO_ALL, text);
	ok = rf_config_parse(&m->rf, text, &m->p, t->d);
	describe(m);
	for (unsigned i = 0; ok && m->kind == CACHE && i < sizeof caches / sizeof *caches; i++)
		ok = set(m, caches[i].name, rng_below(&rng, caches[i].choices), t->d);
	if (ok && m->pool)
		ok = set(m, "orf_pool", rng_below(&rng, 20), t->d) &&
		     set(m, "orf_price", rng_below(&rng, 3) * 20, t->d);
	*orf = (struct orf_options)ORF_OPTIONS_DEFAULT;
	orf->entries = m->pool ? 8 : entries;
	orf->warps = m->p.active_warps;
	orf->partial = rng_below(&rng, 4);
	orf->read_operands = rng_below(&rng, 4);
	orf->forward_branches = rng_below(&rng, 4);
	orf->never_flush = r->keeps;
	orf->past_barriers = m->p.rf_flush == 2;
	orf->writes = rng_below(&rng, 2) ? ORF_WRITES_BOTH : (enum orf_writes)rng_below(&rng, ORF_WRITES_COUNT);
	orf->ranges = (enum orf_ranges)rng_below(&rng, ORF_RANGES_COUNT);
	orf->weights = (enum orf_weights)rng_below(&rng, ORF_WEIGHTS_COUNT);
	return ok;
}

static bool annotate(struct subject *t, const struct orf_options *orf)
{
	struct kernel *k = t->m->kernel[0];

	if (k->facts & FACT_STRAND &&
	    (t->cx.opt.orf.never_flush != orf->never_flush || t->cx.opt.orf.past_barriers != orf->past_barriers))
		k->facts &= ~(unsigned)FACT_STRAND;
	k->facts &= ~(unsigned)FACT_ORF;
	t->cx.opt.orf = *orf;
	return pass_need(k, FACT_STRAND | FACT_RFC | FACT_ORF, &t->cx);
}

/* ---- annotations that are wrong ---- */
static uint8_t *places(struct subject *t, enum orf_organisation org)
{
	const struct kernel *k = t->m->kernel[0];
	struct orf *o = new(t->a, struct orf);
	uint8_t *place = (uint8_t *)arena_alloc(t->a, k->orf[org]->at[k->ninsn] + 1u, 1);

	memcpy(place, k->orf[org]->place, k->orf[org]->at[k->ninsn]);
	*o = *k->orf[org];
	o->place = place;
	t->m->kernel[0]->orf[org] = o;
	return place;
}

static uint8_t *begins(struct subject *t, uint32_t **id)
{
	const struct kernel *k = t->m->kernel[0];
	struct strands *s = new(t->a, struct strands);
	uint8_t *begin = (uint8_t *)arena_alloc(t->a, k->ninsn + 1u, 1);

	*id = new_array(t->a, uint32_t, k->ninsn + 1);
	memcpy(begin, k->strand->begin, k->ninsn);
	memcpy(*id, k->strand->id, k->ninsn * sizeof **id);
	*s = *k->strand;
	s->begin = begin;
	s->id = *id;
	t->m->kernel[0]->strand = s;
	return begin;
}

/* Every read of the ORF finds another entry; of one entry, or of the LRF, the main register file. */
static void swap_entries(struct subject *t, enum orf_organisation org)
{
	const struct kernel *k = t->m->kernel[0];
	const unsigned entries = k->orf[org]->entries;
	uint8_t *place = places(t, org);
	struct insn_regs r;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &r);
		for (unsigned s = 0; s < r.nsrc; s++) {
			uint8_t *p = &place[k->orf[org]->at[i] + s];

			if (place_level(*p) && !place_mrf(*p))
				*p = place_level(*p) == LEVEL_L1 && entries > 1
					     ? place_of(LEVEL_L1, (place_entry(*p) + 1) % entries, false)
					     : PLACE_MRF;
		}
	}
}

/* The first source of each instruction that begins a strand comes from an entry, where there is nothing. */
static void read_after_strand(struct subject *t, enum orf_organisation org)
{
	const struct kernel *k = t->m->kernel[0];
	uint8_t *place = places(t, org);
	struct insn_regs r;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &r);
		if (k->strand->begin[i] & STRAND_BEGIN && r.nsrc)
			place[k->orf[org]->at[i]] = place_of(LEVEL_L1, 0, false);
	}
}

/* The strand at hand goes on where one begins, inside a block, because its warp waits; then values are placed anew. */
static bool drop_ends(struct subject *t)
{
	struct kernel *k = t->m->kernel[0];
	uint32_t *id;
	uint8_t *begin = begins(t, &id);

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first + 1; i < k->block[b].first + k->block[b].n; i++)
			if (begin[i] & STRAND_WAIT) {
				const uint32_t gone = id[i];

				begin[i] &= (uint8_t)~STRAND_BEGIN;
				for (uint32_t j = 0; j < k->ninsn; j++)
					id[j] = id[j] == gone ? id[i - 1] : id[j];
			}
	k->facts &= ~(unsigned)FACT_ORF;
	return pass_need(k, FACT_ORF, &t->cx);
}

static void drop_bits(struct subject *t)
{
	const struct kernel *k = t->m->kernel[0];
	uint32_t *id;
	uint8_t *begin = begins(t, &id);

	for (uint32_t i = 0; i < k->ninsn; i++)
		begin[i] &= (uint8_t)~STRAND_WAIT;
}

static void die_at_once(struct subject *t)
{
	struct kernel *k = t->m->kernel[0];
	struct rfc_hints *hints = new(t->a, struct rfc_hints);
	uint32_t *last = new_array(t->a, uint32_t, k->ninsn + 1);
	struct insn_regs r;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &r);
		last[i] = (uint32_t)(((uint64_t)1 << r.nsrc) - 1);
	}
	*hints = *k->rfc;
	hints->last = last;
	k->rfc = hints;
}

static bool make_wrong(struct subject *t, enum orf_organisation org, enum wrong how)
{
	switch (how) {
	case WRONG_ENTRY:
		swap_entries(t, org);
		return true;
	case WRONG_STRAND:
		read_after_strand(t, org);
		return true;
	case WRONG_END:
		return drop_ends(t);
	case WRONG_BIT:
		drop_bits(t);
		return true;
	case WRONG_HINT:
		die_at_once(t);
		return true;
	case RIGHT:
	case WRONGS:
		break;
	}
	return true;
}

/* Whether it is for this machine, in whose run there was something to go wrong. */
static bool may_go_wrong(const struct machine *m, enum wrong how, const struct stats *right)
{
	const bool upper = right->rf_l1_reads + right->rf_l0_reads > 0;

	switch (how) {
	case WRONG_ENTRY:
		return m->kind == PLACES && upper;
	case WRONG_STRAND:
	case WRONG_END:
		return m->kind == PLACES && right->strands > 0;
	case WRONG_BIT:
		return m->kind == PLACES && right->suspensions > right->barrier_waits + right->fences;
	case WRONG_HINT:
		return m->kind == CACHE && m->p.rfc_hints && upper;
	case RIGHT:
	case WRONGS:
		break;
	}
	return false;
}

/* ---- runs ---- */
static bool run(const struct subject *t, const struct machine *m, bool checked, unsigned threads, unsigned char **out,
		struct stats *st, struct checked_sums *sums, struct diag *d)
{
	const struct sim_options so = { .params = &m->p,
					.rf = m->rf,
					.threads = threads,
					.quantum = threads > 1 ? 9 : 0,
					.have_anno = ANNO_ALL | ANNO_STRAND | ANNO_RFC | ANNO_ORF,
					.checked = checked ? sums : NULL };

	return gen_time(t->m, NULL, t->seed, &t->o, &so, t->a, out, st, d);
}

static bool execute(struct subject *t)
{
	return gen_execute(t->m, NULL, t->seed, &t->o, &(struct engine_options){ .max_insns = GEN_INSNS_MAX }, t->a,
			   &t->out, &t->n, t->d);
}

struct tally {
	bool mistakes; /* are tried on these kernels */
	uint64_t compared[RF_LEVELS], suspensions, waits, dropped, wrong[WRONGS], found[WRONGS];
};

/* Counts what was wrong and what was found of it. An entry that nobody reads, or a strand that no warp waits in, cannot
 * be. */
static bool try_wrong(struct subject *t, const struct machine *m, const struct orf_options *orf,
		      const struct stats *right, struct tally *n)
{
	for (unsigned how = RIGHT + 1; how < WRONGS; how++) {
		struct checked_sums sums = { 0 };
		unsigned char *out;
		struct stats st;
		struct diag d;
		bool passed;

		if (!may_go_wrong(m, (enum wrong)how, right))
			continue;
		diag_init(&d, NULL);
		if (!annotate(t, orf) || !make_wrong(t, m->org, (enum wrong)how))
			return false;
		passed = run(t, m, true, 1, &out, &st, &sums, &d);
		n->wrong[how]++;
		n->found[how] += !passed && (strstr(d.last, " delivers a wrong operand ") ||
					     strstr(d.last, " loses what its upper levels hold "));
		diag_free(&d);
		t->m->kernel[0]->facts &= ~(unsigned)(FACT_STRAND | FACT_RFC | FACT_ORF);
	}
	return true;
}

/* What does not hold of row r, or NULL. */
static const char *check_row(struct subject *t, const struct row *r, struct tally *n)
{
	struct checked_sums sums = { 0 };
	struct orf_options orf;
	struct machine m;
	struct stats st, again;
	unsigned char *out;

	if (!draw(t, r, &m, &orf) || !annotate(t, &orf))
		return "the kernel is not annotated";
	if (!run(t, &m, true, 1, &out, &st, &sums, t->d))
		return "the checked run fails";
	if (memcmp(out, t->out, gen_out_bytes(&t->o)) != 0)
		return "memory differs from the functional run";
	if (st.warp_instructions != t->n.warp_insns || st.thread_instructions != t->n.thread_insns)
		return "instructions issued are not those executed";
	if (!run(t, &m, false, 3, &out, &again, NULL, t->d) || memcmp(&st, &again, sizeof st) != 0)
		return "unchecked, on three threads, something else is counted";
	if (m.kind == PLACES && !r->keeps && st.suspensions > st.strand_waits + st.barrier_waits + st.fences)
		return "warps are demoted where no strand ends";
	n->compared[LEVEL_MRF] += sums.compared - sums.l1 - sums.l0;
	n->compared[LEVEL_L1] += sums.l1;
	n->compared[LEVEL_L0] += sums.l0;
	n->suspensions += st.suspensions;
	n->waits += st.strand_waits;
	n->dropped += st.rf_dropped_writes;
	if (n->mistakes && m.kind != IDEAL && !m.pool && !r->keeps && !try_wrong(t, &m, &orf, &st, n))
		return "a wrong annotation cannot be made";
	return NULL;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct tally *n = sums;
	struct subject t = { .seed = seed, .a = a, .d = d };
	const char *wrong = NULL;

	gen_options_random(&t.o, seed);
	t.m = gen_module(seed, &t.o, a, d);
	pass_ctx_init(&t.cx, d);
	t.cx.opt.maxreg = seed % 2 ? 63 : 20;
	if (!t.m || !pass_compile(t.m->kernel[0], &t.cx) || !pass_need(t.m->kernel[0], FACT_ALL, &t.cx) || !execute(&t))
		wrong = "the functional run fails";
	for (*at = 0; !wrong && *at < rows; ++*at)
		wrong = check_row(&t, &row[*at], n);
	*at -= wrong != NULL;
	pass_ctx_free(&t.cx);
	return wrong;
}

/* A wrong entry, and a read after a strand, delivers a wrong value unless two are equal by chance; that a warp waits,
 * or that a value lives across its wait, is a matter of the kernel.  Of few kernels some may be odd, so half of what is
 * wrong is asked for. */
static bool enough(const struct tally *n, uint64_t seeds)
{
	bool ok = true;

	for (unsigned how = RIGHT + 1; how < WRONGS; how++) {
		const bool few =
			how == WRONG_END ? seeds >= 8 && !n->found[how] : n->found[how] * 10 < n->wrong[how] * 9;

		printf("p_hierarchy: %s: %llu of %llu found\n", wrong_name[how], (unsigned long long)n->found[how],
		       (unsigned long long)n->wrong[how]);
		ok &= !few;
	}
	return ok;
}

static void where(unsigned at)
{
	const struct row *r = &row[at % rows];

	printf(", row %u, %s%s", at, r->hierarchy ? r->hierarchy : "drawn", r->keeps ? " that keeps its entries" : "");
}

/* Each hierarchy, and those that annotations make wrong keeping what warps have; then some that are drawn. */
static bool make_rows(void)
{
	const struct axis_values *v = &axis_values[AXIS_HIERARCHY];
	struct machine m;
	char text[RF_TEXT];

	if (!params_machine(&m.p, "gtx480", NULL))
		return false;
	for (unsigned i = 1; i < v->n && rows < ROWS_MAX - DRAWN - 1; i++) {
		snprintf(text, sizeof text, "baseline,issue=two-level,hierarchy=%s", v->name[i]);
		if (!axes_go(text, &m.p, ANNO_ALL, &m.rf))
			return false;
		describe(&m);
		row[rows++].hierarchy = v->name[i];
		if (m.kind != IDEAL && !m.pool)
			row[rows++] = (struct row){ v->name[i], true };
	}
	rows += DRAWN;
	return true;
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_hierarchy", argc, argv, 60);
	const struct seeds same = seeds_same(&s);
	struct tally n = { .mistakes = s.first == 1 }, wrong = { .mistakes = true };
	unsigned failed = make_rows() ? seeds_try(&s, check, &n, where) : 1;

	if (!n.mistakes)
		failed += seeds_try(&same, check, &wrong, where);
	failed += !enough(n.mistakes ? &n : &wrong, same.n);
	printf("p_hierarchy: %llu kernels under %u configurations, %llu operands of the MRF, %llu of L1, %llu of L0 "
	       "compared, %llu suspensions, %llu waits, "
	       "%llu dropped, %u failed\n",
	       (unsigned long long)s.n, rows, (unsigned long long)n.compared[LEVEL_MRF],
	       (unsigned long long)n.compared[LEVEL_L1], (unsigned long long)n.compared[LEVEL_L0],
	       (unsigned long long)n.suspensions, (unsigned long long)n.waits, (unsigned long long)n.dropped, failed);
	return failed != 0;
}
