/* Registers that warps share without instructions for it never change what a kernel does: random kernels under
 * residency owf and rfv-shared, in register files from the registers of one CTA up, with packings, issue policies,
 * parameters and compiler options drawn from the seed. In checked mode each operand is the one executed; memory is that
 * of the functional run; no run gets stuck; the sums of conserved.def hold; on other threads, in other quanta and
 * unchecked the same is counted. A kernel for which owf has nothing to share takes as many cycles as under
 * residency=static.
 *
 * That this can fail is tested too: pairs of warps that take no turns must be found. Usage: p_share [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/core/occupancy.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"
#include "test/prop/axes.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

/* The residencies that need no instructions for it, but for the static one, are tried each so many times: alone, again,
 * with packings and with hierarchies that go with it. */
enum { ALONE, AGAIN, PACKED, LEVELS, TIMES, RESIDENCIES_MAX = 32, SIZES = 48 };
static const char *residency[RESIDENCIES_MAX];
static unsigned rows; /* TIMES for each residency */

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
};

struct tally {
	uint64_t compared, locks, locks_waited, throttled, pairs, alone, sizes, broken, found;
};

static bool set(struct machine *m, const char *name, unsigned value, struct diag *d)
{
	char text[64];

	snprintf(text, sizeof text, "%s=%u", name, value);
	return params_set(&m->p, text, d);
}

/* The machine: one or two SMs, so that CTAs meet, with entries for the registers of one CTA, or somewhat more. */
static bool draw(const struct subject *t, unsigned r, struct machine *m)
{
	const struct kernel *k = t->m->kernel[0];
	uint64_t rng = t->seed * 64 + r;
	unsigned least, warps = (t->o.block + 31) / 32;
	static const unsigned drawn[TIMES] = { [PACKED] = 1 << AXIS_PACKING, [LEVELS] = 1 << AXIS_HIERARCHY };
	static const char *const machine[] = { "corf", "gtx480", "rtx3080" };
	char name[64], text[RF_TEXT];
	bool ok;

	if (!params_machine(&m->p, machine[rng_below(&rng, 3)], t->d) || !set(m, "dependences", m->p.core, t->d))
		return false;
	snprintf(name, sizeof name, "residency=%s", residency[r / TIMES]);
	axes_draw(name, drawn[r % TIMES], &rng, &m->p, ANNO_ALL, text);
	ok = rf_config_parse(&m->rf, text, &m->p, t->d) && set(m, "sms", 1 + rng_below(&rng, 2), t->d) &&
	     set(m, "active_warps", 1 + rng_below(&rng, 8), t->d) &&
	     set(m, "owf_shared", rng_below(&rng, 2) ? 0 : rng_below(&rng, 40), t->d) &&
	     set(m, "rfv_reserve", rng_below(&rng, 4), t->d);
	warps = (warps + params_register_files(&m->p) - 1) / params_register_files(&m->p) *
		params_register_files(&m->p);
	least = warps * (strcmp(residency[r / TIMES], "rfv-shared")
				 ? (k->res.regs + m->p.reg_round - 1) / m->p.reg_round * m->p.reg_round
				 : k->res.regs);
	least += rng_below(&rng, 3) ? rng_below(&rng, 2 * least) : 0;
	least *= WARP_LANES;
	least = in_whole_banks(&m->p, least < 1024 ? 1024 : least);
	return ok && set(m, "rf_registers", least > 65536 ? 65536 : least, t->d);
}

static bool run(const struct subject *t, const struct machine *m, bool checked, unsigned threads, unsigned char **out,
		struct stats *st, struct checked_sums *sums, struct diag *d)
{
	const struct sim_options so = { .params = &m->p,
					.rf = m->rf,
					.threads = threads,
					.quantum = threads > 1 ? 9 : 0,
					.have_anno = ANNO_ALL,
					.checked = checked ? sums : NULL };

	return gen_time(t->m, NULL, t->seed, &t->o, &so, t->a, out, st, d);
}

static bool execute(struct subject *t)
{
	return gen_execute(t->m, NULL, t->seed, &t->o, &(struct engine_options){ .max_insns = GEN_INSNS_MAX }, t->a,
			   &t->out, &t->n, t->d);
}

/* As many CTAs as without sharing: then nothing is shared, and the cycles are those of static allocation. */
static const char *check_alone(const struct subject *t, const struct machine *m, const struct stats *st,
			       struct tally *n)
{
	const struct kernel *k = t->m->kernel[0];
	struct occupancy_query q = occupancy_query_of(&m->p, &m->rf, k, t->o.block, k->res.shared_bytes);
	const unsigned ctas = occupancy_of(&q).ctas;
	struct machine plain = *m;
	unsigned char *out;
	struct stats base;

	if (!rf_config_parse(&plain.rf, "residency=static", &plain.p, t->d))
		return "residency=static is unknown";
	plain.rf.issue = m->rf.issue;
	plain.rf.packing = m->rf.packing;
	plain.rf.hierarchy = m->rf.hierarchy;
	q = occupancy_query_of(&m->p, &plain.rf, k, t->o.block, k->res.shared_bytes);
	n->pairs += ctas - occupancy_of(&q).ctas;
	if (ctas > occupancy_of(&q).ctas || m->rf.issue->asks_owners)
		return ctas < occupancy_of(&q).ctas ? "fewer CTAs than without sharing" : NULL;
	n->alone++;
	if (!run(t, &plain, false, 1, &out, &base, NULL, t->d))
		return "the run under residency=static fails";
	return memcmp(st, &base, sizeof base)
		       ? "nothing is shared, and something else is counted than under residency=static"
		       : NULL;
}

/* Both warps of a pair use the registers that they share as they please. */
static bool try_broken(const struct subject *t, const struct machine *m, struct tally *n)
{
	struct residency_ops ops = *m->rf.residency;
	struct machine broken = *m;
	struct checked_sums sums = { 0 };
	unsigned char *out;
	struct stats st;
	struct diag d;

	ops.may_issue = NULL;
	broken.rf.residency = &ops;
	diag_init(&d, NULL);
	n->broken++;
	n->found += !run(t, &broken, true, 1, &out, &st, &sums, &d) && strstr(d.last, " delivers a wrong operand ");
	diag_free(&d);
	return true;
}

static const char *check_row(struct subject *t, unsigned r, struct tally *n)
{
	struct checked_sums sums = { 0 };
	struct machine m;
	struct stats st, again;
	unsigned char *out;
	const char *wrong;

	if (!draw(t, r, &m))
		return "the machine cannot be made";
	if (!run(t, &m, true, 1, &out, &st, &sums, t->d))
		return "the checked run fails";
	if (memcmp(out, t->out, gen_out_bytes(&t->o)) != 0)
		return "memory differs from the functional run";
	if (st.warp_instructions != t->n.warp_insns || st.thread_instructions != t->n.thread_insns)
		return "instructions issued are not those executed";
	if (!run(t, &m, false, 3, &out, &again, NULL, t->d) || memcmp(&st, &again, sizeof st) != 0)
		return "unchecked, on three threads, something else is counted";
	n->compared += sums.compared;
	n->locks += st.owf_locks;
	n->locks_waited += st.owf_locks_waited;
	n->throttled += st.rfv_throttled;
	if (m.rf.residency->owners && (wrong = check_alone(t, &m, &st, n)))
		return wrong;
	if (m.rf.residency->owners && !m.rf.hierarchy->read && !m.rf.packing->renames && st.owf_locks_waited)
		try_broken(t, &m, n);
	return NULL;
}

/* Every size of the file, from the registers of one CTA up, under rfv-shared with the packings in turn. */
static const char *check_sizes(struct subject *t, struct tally *n)
{
	const unsigned least = (t->o.block + 31) / 32 * t->m->kernel[0]->res.regs, from = least < 32 ? 32 : least;

	for (unsigned entries = from; entries < from + SIZES && entries <= 2048; entries++) {
		const struct axis_values *packing = &axis_values[AXIS_PACKING];
		struct checked_sums sums = { 0 };
		struct machine m;
		struct stats st;
		unsigned char *out;
		char text[64];

		snprintf(text, sizeof text, "rfv-shared,packing=%s", packing->name[entries % packing->n]);
		if (!params_machine(&m.p, "gtx480", t->d) || !axes_go(text, &m.p, ANNO_ALL, &m.rf) ||
		    !set(&m, "sms", 1, t->d) || !set(&m, "rfv_reserve", entries / 4 % 3, t->d) ||
		    !set(&m, "rf_registers", entries * WARP_LANES, t->d))
			return "the machine cannot be made";
		if (!run(t, &m, true, 1, &out, &st, &sums, t->d))
			return "in a small file the checked run fails";
		if (memcmp(out, t->out, gen_out_bytes(&t->o)) != 0)
			return "in a small file memory differs from the functional run";
		n->throttled += st.rfv_throttled;
		n->sizes++;
	}
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
	t.cx.opt.maxreg = gen_maxreg(seed);
	if (!t.m || !pass_compile(t.m->kernel[0], &t.cx) || !pass_need(t.m->kernel[0], FACT_ALL, &t.cx) || !execute(&t))
		wrong = "the functional run fails";
	for (*at = 0; !wrong && *at < rows; ++*at)
		wrong = check_row(&t, *at, n);
	*at -= wrong != NULL;
	if (!wrong && seed % 8 == 0)
		wrong = check_sizes(&t, n);
	pass_ctx_free(&t.cx);
	return wrong;
}

static void where(unsigned at)
{
	static const char *const with[] = { "alone", "alone again", "packed", "under levels" };

	printf(", residency=%s %s", residency[at % rows / TIMES], with[at % TIMES]);
}

static bool make_rows(void)
{
	const struct axis_values *v = &axis_values[AXIS_RESIDENCY];
	struct params p;
	struct rf_config rf;
	char text[64];

	if (!params_machine(&p, "gtx480", NULL))
		return false;
	for (unsigned i = 1; i < v->n; i++) {
		snprintf(text, sizeof text, "baseline,residency=%s", v->name[i]);
		if (axes_go(text, &p, ANNO_ALL, &rf) && rows / TIMES < RESIDENCIES_MAX) {
			residency[rows / TIMES] = v->name[i];
			rows += TIMES;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_share", argc, argv, 100);
	struct tally n = { 0 };
	unsigned failed = make_rows() ? seeds_try(&s, check, &n, where) : 1;

	printf("p_share: %llu kernels under %u configurations, %llu operands compared; %llu CTAs more than without "
	       "sharing, %llu warps took registers, %llu of them "
	       "waited; %llu instructions throttled; %llu runs with nothing to share, %llu in files of every size; "
	       "without turns %llu of %llu runs found wrong; %u failed\n",
	       (unsigned long long)s.n, rows, (unsigned long long)n.compared, (unsigned long long)n.pairs,
	       (unsigned long long)n.locks, (unsigned long long)n.locks_waited, (unsigned long long)n.throttled,
	       (unsigned long long)n.alone, (unsigned long long)n.sizes, (unsigned long long)n.found,
	       (unsigned long long)n.broken, failed);
	if (s.n >= 8 && (!n.locks_waited || !n.throttled || !n.alone || n.found * 2 < n.broken)) {
		printf("p_share: too little of that happened\n");
		failed++;
	}
	return failed != 0;
}
