/* The GPU: its making, and the sums at the end. clock.c runs it. */
#include "runtime-model/gpu/private.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/occupancy.h"
#include "runtime-model/sm/sm.h"

#include <inttypes.h>

static unsigned warps_of(const struct gpu_job *j) { return (j->threads_per_cta + 31) / 32; }

unsigned gpu_max_ctas(const struct gpu_job *j, enum occupancy_limit *why)
{
	struct occupancy_query q = occupancy_query_of(j->params, j->rf, j->kernel, j->threads_per_cta, j->shared_bytes);
	struct occupancy o = occupancy_of(&q);

	*why = o.why;
	return o.ctas;
}

static bool fits(const struct gpu_job *j, unsigned *max, struct diag *d)
{
	const struct params *p = j->params;
	enum occupancy_limit why;

	*max = gpu_max_ctas(j, &why);
	if (*max)
		return true;
	return diag_error_plain(d, j->kernel->name,
				"a CTA of %u threads, %u registers a thread and %" PRIu32 " bytes of shared "
				"memory does not fit an SM (%" PRIu32 " threads, %" PRIu32 " registers, %" PRIu32
				" bytes): %s",
				j->threads_per_cta, j->kernel->res.regs, j->shared_bytes, p->threads_per_sm,
				p->rf_registers, p->shared_bytes, occupancy_limit_name(why));
}

static bool can_share(const struct gpu_job *j, struct diag *d)
{
	if (!j->kernel->base_regs || j->rf->residency->acquire)
		return true;
	return diag_error_plain(d, j->kernel->name,
				"is a variant whose warps share registers above R%" PRIu32
				", and residency=%s has none to share",
				j->kernel->base_regs - 1, j->rf->residency->name);
}

/* What follows from the cycles alone: st of a whole job, or of its part until it was stopped. */
static bool cycles_agree(const struct gpu_job *j, const struct stats *st, struct diag *d)
{
	const struct params *p = j->params;
	const uint64_t slots = st->cycles * p->schedulers * p->sms,
		       entries = st->cycles * p->sms * (p->rf_registers / WARP_LANES);

	if (st->issue_slots != slots)
		return diag_error_plain(d, "sm-model",
					"counters do not add up: %" PRIu64 " issue slots in %" PRIu64
					" cycles of %" PRIu32 " SMs with %" PRIu32 " schedulers",
					st->issue_slots, st->cycles, p->sms, p->schedulers);
	if (rf_config_renames(j->rf) ? st->rf_powered_entries > entries : st->rf_powered_entries != entries)
		return diag_error_plain(d, "sm-model",
					"counters do not add up: %" PRIu64
					" entries of register files switched on, of %" PRIu64,
					st->rf_powered_entries, entries);
	return true;
}

/* Each operand of a job that has ended has come from a level and gone to one: in part from two, or to two, or to
 * none. */
static bool levels_agree(const struct rf_config *rf, const struct stats *st, struct diag *d)
{
	const uint64_t reads =
		st->rf_operand_reads + st->rf_l0_reads + st->rf_l1_reads - st->rf_split_reads + st->reuse_cache_reads;
	const uint64_t writes = st->rf_operand_writes + st->rf_l0_writes + st->rf_l1_writes - st->rf_fills -
				st->rf_both_writes + st->rf_dropped_writes;

	if (rf->reuse->renames)
		return true;
	if (st->operand_reads != reads || st->operand_writes != writes)
		return diag_error_plain(d, "sm-model",
					"counters do not add up: %" PRIu64 " operands read and %" PRIu64
					" written, but %" PRIu64 " and %" PRIu64 " at all levels of the register file",
					st->operand_reads, st->operand_writes, reads, writes);
	return true;
}

/* Where no axis adds others, each access of a job that has ended was that of an operand, but two that coalesced were
 * one, and what holds no value is none; or it wrote back what an upper level held; or it compared a value, or moved
 * one. */
static bool accesses_agree(const struct stats *st, struct diag *d)
{
	const uint64_t reads = st->rf_operand_reads - st->unmapped_reads - st->coalesced_operands / 2 +
			       st->merge_reads + st->verify_reads + st->dummy_moves;
	const uint64_t writes = st->rf_operand_writes + st->rf_l1_evictions + st->rf_l0_flushes + st->dummy_moves;

	if (st->rf_reads != reads || st->rf_writes != writes)
		return diag_error_plain(d, "sm-model",
					"counters do not add up: %" PRIu64 " reads and %" PRIu64
					" writes of banks for %" PRIu64 " and %" PRIu64 " operands and evictions",
					st->rf_reads, st->rf_writes, reads, writes);
	return true;
}

/* The scoreboard has a bit for each register, and one more where instructions wait for all that long-latency operations
 * owe. */
static void number_registers(struct gpu *g)
{
	unsigned bits = decode_renumber(g->of.code.insn, g->of.k->ninsn + g->of.code.npoint, g->of.move);

	g->of.owed = UINT_MAX;
	if (g->of.rf->hierarchy->waits)
		decode_strands(g->of.code.insn, g->of.k, g->of.owed = bits++);
	g->of.sb_words = (bits + 63) / 64;
}

/* What the reuse of an SM held is given up at the end of a launch. */
static bool reuse_ends(const struct gpu *g, const struct sm *s)
{
	const char *wrong = g->of.rf->reuse->end(s->ax.reuse);
	struct arena a;

	if (!wrong)
		return true;
	if (g->of.job->bug)
		*g->of.job->bug = true;
	arena_init(&a);
	diag_error_plain(g->of.diag, g->of.k->name, "internal error: under %s SM %u ends the launch with %s",
			 g->of.rf_name, s->id, wrong);
	arena_free(&a);
	return false;
}

/* Metadata instructions at the start of each block. */
static const uint32_t *words_of(struct gpu *g)
{
	const struct kernel *k = g->of.k;
	uint32_t *words = new_array(&g->of.a, uint32_t, (size_t)k->nblock + 1);

	for (uint32_t b = 0; b < k->nblock; b++)
		words[b] = rf_config_block_words(g->of.rf, g->of.p, k, b);
	return words;
}

bool gpu_run(const struct gpu_job *j, struct stats *st, struct diag *d)
{
	struct gpu g = { .of = { .job = j,
				 .p = j->params,
				 .rf = j->rf,
				 .records = rf_config_records(j->rf),
				 .k = j->kernel,
				 .diag = d } };
	bool ok;

	arena_init(&g.of.a);
	if (j->spare)
		g.of.a = *j->spare;
	g.of.rf_name = rf_config_name(j->rf, j->params, &g.of.a);
	g.of.code_line = (uint64_t)j->code_start * j->params->insn_bytes / LINE_BYTES;
	g.of.warps_per_cta = warps_of(j);
	g.of.preamble = rf_config_preamble(j->rf, j->params, j->kernel);
	ok = can_share(j, d) && fits(j, &g.of.max_ctas, d) &&
	     decode_kernel(j->kernel, j->params, g.of.preamble, words_of(&g), &g.of.code, &g.of.a, d);
	ok = ok &&
	     (!j->params->core || subcore_decode(j->kernel, j->params, g.of.code.insn, &g.of.sub_code, &g.of.a, d));
	if (ok) {
		g.of.move = decode_moves(j->params, &g.of.a);
		g.of.reg_end = decode_reg_end(g.of.code.insn, j->kernel->ninsn);
		number_registers(&g);
		g.memory = memory_new(g.of.p, &g.st, j->l2, &g.of.a);
		g.network = network_new(g.of.p, &g.of.a);
		g.sm = new_array(&g.of.a, struct sm, g.of.p->sms);
		for (unsigned i = 0; ok && i < g.of.p->sms; i++)
			ok = sm_init(&g.sm[i], &g.of, i);
	}
	g.sample_at = probe_interval_end(j, 0);
	if (ok) {
		clock_init(&g);
		probe_start(&g);
		if (j->began)
			*j->began = true;
	}
	ok = ok && clock_run(&g);
	if (ok) {
		cycle end = 0;

		for (unsigned i = 0; i < g.of.p->sms; i++)
			end = g.sm[i].take.ended + 1 > end ? g.sm[i].take.ended + 1 : end;
		end = g.stopped_at ? g.stopped_at : end;
		for (unsigned i = 0; i < g.of.p->sms; i++)
			sm_account(&g.sm[i], end);
		for (unsigned i = 0; i < g.of.p->sms && g.sm[i].watch.wait; i++)
			probe_wait_all(&g.sm[i]);
		for (unsigned i = 0; ok && i < g.of.p->sms && j->rf->reuse->renames && !g.stopped_at; i++)
			ok = reuse_ends(&g, &g.sm[i]);
		for (unsigned i = 0; i < g.of.p->sms; i++)
			g.sm[i].st.unstarted_instructions = sm_unstarted(&g.sm[i]);
		for (unsigned i = 0; i < g.of.p->sms && j->checked; i++)
			checked_sum(&g.sm[i], j->checked);
		for (unsigned i = 0; i < g.of.p->sms && j->races && j->rf->reuse->renames; i++)
			races_merge(j->races, g.sm[i].races);
		probe_last_samples(&g, end);
		g.st.cycles = end;
		g.st.launches = 1;
		for (unsigned i = 0; i < g.of.p->sms; i++)
			stats_merge(&g.st, &g.sm[i].st);
#ifdef REGLOOM_DEBUG
		if (!stats_check(&g.st, d))
			assert(!"counters of one launch agree");
#endif
		probe_end(&g);
		stats_merge(st, &g.st);
	}
	clock_free(&g);
	ok = ok && cycles_agree(j, &g.st, d) &&
	     (g.stopped_at || (levels_agree(j->rf, &g.st, d) && accesses_agree(&g.st, d)));
	if (j->spare) {
		arena_recycle(&g.of.a);
		*j->spare = g.of.a;
	} else {
		arena_free(&g.of.a);
	}
	return ok;
}
