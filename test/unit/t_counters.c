/* A run that moves every counter, the same twice, and how counters are shown to people. */
#include "passes/owf.h"
#include "passes/pass.h"
#include "passes/regmutex.h"
#include "passes/uniform.h"
#include "levels.h"
#include "stub.h"

#include "passes/corf.h"
#include "passes/strand.h"

#include <stdlib.h>

/* One of everything: a stream over which each counter of stats.def and each kind of slot must move, with stubs that
 * refuse and move. */
static void everything(struct stream *s, struct stub *t)
{
	static const enum op op[] = { OP_ADD_S32, OP_SHFL_IDX, OP_ADD_S32, OP_MIN_S32 };
	uint32_t n;

	stream_init(s);
	stub_use(t, s);
	t->value_move = 4;
	t->refuse_every = 5;
	t->packing.preamble = stub_preamble;
	s->p.sms = 1;
	s->ctas = 24;
	s->warps = 8;
	s->k->res.regs = 60;
	for (int i = 0; i < 4; i++)
		stream_insn(s, OP_FMA_F32, 1 + i, 2, 18, 34); /* three reads of one bank */
	for (int i = 0; i < 8; i++)
		stream_insn(s, i % 2 ? OP_ADD_F64 : OP_SIN_F32, 20 + 16 * (i % 2), 8, 10, -1);
	for (int i = 0; i < 16; i++)
		stream_insn(s, op[i % 4], 40 + i, 0, 0, -1);
	stream_straight(s, 0);
	n = stream_barrier(s, 0, 0);
	stream_record(s, 0, n);
	n = stream_memory(s, OP_LD_B32, SP_SHARED, 1, 2, -1);
	stream_record(s, 0, n)->nline = 1;
	s->rec[0][s->n[0] - 1].line[0] = 5;
	n = stream_memory(s, OP_LD_B32, SP_CONST, 1, 2, -1);
	stream_line(stream_record(s, 0, n), (uint64_t)SP_CONST << 56 | 1, 0);
	stream_line(stream_record(s, 0, n), (uint64_t)SP_CONST << 56 | 1, 0);
	n = stream_insn(s, OP_TEX_1D_F_F32, 4, -1, -1, -1);
	stream_line(stream_record(s, 0, n), 7, 15);
	stream_line(stream_record(s, 0, n), 7, 15);
	n = stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	for (unsigned i = 0; i < 60; i++)
		stream_line(stream_line(stream_record(s, 0, n), 64 * i, 15), 1000 + i, 15);
	n = stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 1, 2);
	for (unsigned i = 0; i < 60; i++) /* many lines of a few L2 sets, dirty */
		stream_line(stream_record(s, 0, n), i * 12 * 64, 15);
	n = stream_memory(s, OP_ST_B32, SP_LOCAL, -1, 1, 2);
	for (unsigned i = 0; i < 20; i++)
		stream_line(stream_record(s, 0, n), LOCAL_LINES / LINE_BYTES + i * 32, 15);
	n = stream_memory(s, OP_ATOM_ADD_U32, SP_GLOBAL, 1, 2, 3);
	stream_line(stream_record(s, 0, n), 3, 1);
	n = stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	s->k->insn[n].cop = COP_CG;
	stream_line(stream_record(s, 0, n), 5, 15);
	n = stream_insn(s, OP_MEMBAR, -1, -1, -1, -1);
	stream_record(s, 0, n);
	stream_record(s, 0, 2); /* control goes back */
}

/* Renaming and packing: pairs that meet, values of all widths that grow in some lanes and shrink, three lookups of a
 * bank. */
static void packed(struct stream *s)
{
	static const struct value_sig sig[] = { { .width = 1 }, { .width = 2 }, { .width = 3 }, { .width = 4 } };
	static const struct {
		uint8_t dst, width;
		uint32_t active;
	} write[] = {
		{ 1, 1, UINT32_MAX }, { 2, 2, UINT32_MAX }, { 18, 4, UINT32_MAX },
		{ 3, 1, UINT32_MAX }, { 1, 3, 1 },          { 1, 1, UINT32_MAX },
	};
	static struct corf_hints hints;

	stream_init(s);
	memset(hints.partner, MREG_RZ, sizeof hints.partner);
	hints.partner[1] = 2;
	hints.partner[2] = 1;
	s->k->corf = &hints;
	s->k->res.regs = 36;
	s->warps = 8;
	s->p.packers = 1;
	ck_assert(rf_config_parse(&s->rf, "packing=corf", &s->p, &s->d));
	for (unsigned i = 0; i < sizeof write / sizeof *write; i++) {
		struct stream_record *r = stream_record(s, 0, stream_insn(s, OP_MIN_S32, write[i].dst, -1, -1, -1));

		r->active = write[i].active;
		r->nsig = 1;
		r->sig = &sig[write[i].width - 1];
		if (i == 1)
			stream_record(s, 0, stream_insn(s, OP_ST_B32, -1, 1, 2, -1));
	}
	stream_record(s, 0, stream_insn(s, OP_FMA_F32, -1, 2, 18, 34));
}

/* Levels above the main register file: what they hold, and lose when memory keeps the warp waiting. */
static void hierarchy(struct stream *s, struct levels *t)
{
	static const uint8_t begin[9] = {
		[0] = STRAND_BEGIN | STRAND_ENTRY, [8] = STRAND_BEGIN | STRAND_WAIT | STRAND_LONG
	};
	static struct strands strands = { .begin = begin };

	stream_init(s);
	ck_assert(rf_config_parse(&s->rf, "issue=two-level", &s->p, &s->d));
	levels_use(t, s);
	s->k->strand = &strands;
	t->ops.waits = true;
	t->fill = true;
	t->dead = 6;
	t->drop = 7;
	t->both = 3;
	stream_insn(s, OP_ADD_S32, 1, 2, 2, -1);
	stream_insn(s, OP_SIN_F32, 3, 2, -1, -1);
	stream_insn(s, OP_ADD_S32, 4, 1, 3, -1);
	stream_insn(s, OP_ADD_S32, 6, 4, 3, -1);
	stream_insn(s, OP_ADD_S32, 8, 6, 4, -1);
	stream_insn(s, OP_ADD_S32, 9, 8, 6, -1);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 10, 9, -1);
	stream_insn(s, OP_SQRT_F32, 7, 8, -1, -1);
	stream_insn(s, OP_ADD_S32, 11, 10, 10, -1);
	for (uint32_t i = 0; i < s->k->ninsn; i++) {
		struct stream_record *r = stream_record(s, 0, i);

		r->active = i == 3 ? 0xffff : UINT32_MAX; /* R6 is partly in the main register file */
		if (i == 6)
			stream_line(r, 9, 15);
	}
}

/* Two warps that acquire twice each share one section. */
static void shared(struct stream *s)
{
	stream_init(s);
	ck_assert(rf_config_parse(&s->rf, "regmutex", &s->p, &s->d));
	s->warps = 2;
	s->k->res.regs = 12;
	s->k->base_regs = 8;
	s->p.rf_registers = WARP_LANES * (2 * 8 + 4);
	stream_insn(s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(s, OP_ADD_S32, 8, 1, 1, -1);
	stream_insn(s, OP_RF_RELEASE, -1, -1, -1, -1);
	stream_straight(s, 0);
}

/* Machine code, which has no such instructions. */
static void points(struct stream *s)
{
	s->k->native = new(&s->a, struct native);
	s->k->regmutex = new(&s->a, struct regmutex);
	s->k->regmutex->hold = new_array(&s->a, uint8_t, s->k->ninsn);
	s->k->regmutex->hold[2] = 1;
}

/* Two CTAs of one warp in a file that holds one and a quarter: they share registers, or the second finds no entries to
 * write to. */
static void pairs(struct stream *s, bool throttled)
{
	struct owf *order;
	struct release *none;

	stream_init(s);
	for (int r = 0; r < 16; r++)
		stream_insn(s, OP_ADD_S32, r, 0, 0, -1);
	stream_straight(s, 0);
	order = new(&s->a, struct owf);
	memcpy(order->rank, owf_by_number, sizeof order->rank);
	order->n = 16;
	none = new(&s->a, struct release);
	*none = (struct release){ .at = new_array(&s->a, uint32_t, s->k->ninsn + 1),
				  .entry_at = new_array(&s->a, uint32_t, 2) };
	s->k->owf = order;
	s->k->release = none;
	s->k->facts |= FACT_OWF | FACT_RELEASE;
	s->ctas = 2;
	s->p.ctas_per_sm = 2;
	s->p.rf_registers = 20 * WARP_LANES;
	ck_assert(rf_config_parse(&s->rf, throttled ? "rfv-shared" : "owf", &s->p, &s->d));
}

/* Values: one lane for all, for halves, for the active lanes, on bases and strides; registers of each similarity; a
 * move, and one that nobody needs. */
static void values(struct stream *s, const char *rf)
{
	enum { INSNS = 10 };
#define SAME(n)                                                             \
	{                                                                   \
		.same_all = n, .same_lo = n, .same_hi = n, .same_active = n \
	}
	static const struct value_sig sig[INSNS] = { SAME(4),
						     SAME(4),
						     SAME(4),
						     { .affine = 1, .same_all = 3, .same_lo = 4, .same_hi = 4 },
						     { .affine = 1, .same_all = 2, .same_lo = 4, .same_hi = 4 },
						     { .affine = 1, .same_all = 1, .same_lo = 4, .same_hi = 4 },
						     SAME(0),
						     SAME(0),
						     SAME(4),
						     SAME(4) };
#undef SAME
	static struct uniform_value value[INSNS * 3];
	static uint32_t at[INSNS];
	static struct uniform u = { .at = at, .value = value };

	stream_init(s);
	ck_assert(rf_config_parse(&s->rf, rf, &s->p, &s->d));
	stream_insn(s, OP_MOV_B32, 1, -1, -1, -1);
	stream_insn(s, OP_SIN_F32, 2, 1, -1, -1);
	stream_memory(s, OP_LD_B32, SP_SHARED, 8, 1, -1);
	stream_insn(s, OP_ADD_S32, 3, 10, -1, -1);
	stream_insn(s, OP_ADD_S32, 4, 3, 3, -1);
	stream_insn(s, OP_ADD_S32, 5, 4, -1, -1);
	stream_insn(s, OP_ADD_S32, 6, 5, 10, -1);
	stream_insn(s, OP_ADD_S32, 7, 6, 3, -1);
	stream_insn(s, OP_ADD_S32, 5, 1, -1, -1);
	stream_insn(s, OP_ADD_S32, 4, 5, -1, -1);
	for (uint32_t i = 0; i < INSNS; i++) {
		struct stream_record *r = stream_record(s, 0, i);

		r->nsig = 1;
		r->sig = &sig[i];
		r->active = i < INSNS - 2 ? UINT32_MAX : 0xff;
		at[i] = 3 * i;
	}
	value[3 * (INSNS - 1) + 1].dead = true;
	s->k->uniform = &u;
}

/* An instruction of each class of units that the streams above lack. */
static void units(struct stream *s)
{
	enum op op[] = { OP_MUL_LO_S32, OP_REM_U32, OP_ADD_F32, OP_DIV_F32, OP_DIV_F64, OP_BRA, (enum op)0 };

	for (enum op *tensor = &op[6]; op_info[*tensor].fu != FU_TENSOR; ++*tensor)
		;
	stream_init(s);
	for (unsigned i = 0; i < sizeof op / sizeof *op; i++)
		stream_insn(s, op[i], 2, 4, 6, -1);
	stream_straight(s, 0);
}

/* Values that are shared, and a false positive; loads behind stores and barriers, and one that sees another value in
 * the second CTA; writes of some lanes, and a read of what they wrote. In one way with one bank, in two others with as
 * many registers as the warps have, which are shared or not. */
static bool second_cta(uint64_t cta, unsigned warp)
{
	(void)warp;
	return cta == 1;
}

static void reuse(struct stream *s, unsigned way)
{
	enum {
		A,
		A_TOO,
		PRODUCT,
		FALSE_HIT,
		SHARED,
		LOAD,
		TWICE,
		PART,
		LATE,
		PART_AGAIN,
		OF_PART,
		STORE,
		BEHIND,
		BARRIER,
		AT_MAXIMUM,
		OTHER,
		INSNS
	};
	static const struct value_sig sig[INSNS] = {
		[A] = { .h3 = 1, .hash = 1 },          [A_TOO] = { .h3 = 1, .hash = 1 },
		[PRODUCT] = { .h3 = 2, .hash = 2 },    [FALSE_HIT] = { .h3 = 2, .hash = 3 },
		[SHARED] = { .h3 = 4, .hash = 4 },     [LOAD] = { .h3 = 5, .hash = 5 },
		[TWICE] = { .h3 = 6, .hash = 6 },      [PART] = { .h3 = 7, .hash = 7 },
		[PART_AGAIN] = { .h3 = 8, .hash = 8 }, [OF_PART] = { .h3 = 9, .hash = 9 },
		[BEHIND] = { .h3 = 5, .hash = 5 },     [AT_MAXIMUM] = { .h3 = 5, .hash = 5 },
		[OTHER] = { .h3 = 10, .hash = 10 },
	};
	static const struct value_sig changed = { .h3 = 11, .hash = 11 };

	stream_init(s);
	s->ctas = 2;
	s->warps = 6;
	s->second = second_cta;
	s->k->res.regs = 11;
	ck_assert(rf_config_parse(&s->rf, way ? "wir-rlpvc" : "wir-rlpv", &s->p, &s->d));
	ck_assert(params_set(&s->p, "reuse_queue=2", &s->d) && params_set(&s->p, "reuse_barrier_bits=1", &s->d));
	ck_assert(way || (params_set(&s->p, "rf_banks=1", &s->d) && params_set(&s->p, "collectors_mem=1", &s->d)));
	ck_assert(!way ||
		  (params_set(&s->p, "reuse_entries=2", &s->d) && params_set(&s->p, "rf_registers=2304", &s->d)));
	ck_assert(way != 1 || params_set(&s->p, "vsb_entries=0", &s->d));
	stream_insn(s, OP_MOV_B32, 1, 0, -1, -1);
	stream_insn(s, OP_MOV_B32, 2, 0, -1, -1);
	stream_insn(s, OP_MUL_LO_S32, 3, 1, 2, -1);
	stream_insn(s, OP_SUB_S32, 4, 1, 2, -1);
	stream_memory(s, OP_LD_B32, SP_SHARED, 5, 1, -1);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 6, 1, -1);
	stream_insn(s, OP_SUB_S32, 7, 3, 4, -1);
	stream_insn(s, OP_ADD_S32, 3, 1, 2, -1);
	stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 3, 1);
	stream_insn(s, OP_ADD_S32, 3, 2, 2, -1);
	stream_insn(s, OP_ADD_S32, 8, 3, 2, -1);
	stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 1, 2);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 9, 1, -1);
	stream_barrier(s, 0, 0);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 9, 1, -1);
	stream_insn(s, OP_MUL_LO_S32, 10, 4, 8, -1);
	for (unsigned which = 0; which < 2; which++)
		for (uint32_t n = 0; n < 3 * INSNS; n++) {
			const uint32_t i = n % INSNS;
			struct stream_record *r = stream_record(s, which, i);

			r->nsig = i != LATE && i != STORE && i != BARRIER;
			r->sig = which && i == LOAD ? &changed : &sig[i];
			r->active = i == PART || i == PART_AGAIN ? 0xff : UINT32_MAX;
			if (i == SHARED)
				r->line[r->nline++] = (uint64_t)SP_SHARED << 56 | 1 << 16 | 1;
			else if (s->k->insn[i].space == SP_GLOBAL)
				stream_line(r, 3, 15);
		}
}

/* Behind a fence the second warp of a CTA finds what the first has loaded, and memory has another value. */
static bool second_warp(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp == 1;
}

static void reordered(struct stream *s)
{
	static const struct value_sig sig[3] = { { .h3 = 1, .hash = 1 },
						 { .h3 = 2, .hash = 2 },
						 { .h3 = 3, .hash = 3 } };

	stream_init(s);
	s->warps = 2;
	s->second = second_warp;
	ck_assert(rf_config_parse(&s->rf, "wir-rlpv", &s->p, &s->d));
	stream_insn(s, OP_MOV_B32, 1, 0, -1, -1);
	stream_insn(s, OP_MEMBAR, -1, -1, -1, -1);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 2, 1, -1);
	for (unsigned which = 0; which < 2; which++)
		for (uint32_t i = 0; i < 3; i++) {
			struct stream_record *r = stream_record(s, which, i);

			r->nsig = i != 1;
			r->sig = i == 2 ? &sig[1 + which] : &sig[0];
			if (i == 2)
				stream_line(r, 3, 15);
		}
}

/* Two that the instruction names twice, and one general register. */
static void uniform(struct stream *s)
{
	stream_init(s);
	stream_insn(s, OP_MAD_LO_S32, MREG_UR0, MREG_UR0 + 1, MREG_UR0 + 1, 2);
	stream_insn(s, OP_MOV_B32, MREG_UR0 + 1, MREG_UR0, -1, -1);
	stream_insn(s, OP_MOV_B32, 3, 2, -1, -1);
	for (unsigned i = 0; i < 3; i++)
		stream_record(s, 0, i);
}

START_TEST(uniform_registers_are_no_operands_of_the_register_file)
{
	struct stream s;

	uniform(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.uniform_reads, 2);
	ck_assert_uint_eq(s.st.uniform_writes, 2);
	ck_assert_uint_eq(s.st.operand_reads, 2);
	ck_assert_uint_eq(s.st.operand_writes, 1);
	ck_assert_uint_eq(s.st.rf_reads, 2);
	ck_assert_uint_eq(s.st.rf_writes, 1);
	stream_free(&s);
}
END_TEST

/* Metrics of sub-cores, which none of these runs has: test/script/counters.sh runs kernels on some. */
static bool of_subcores(const char *what) { return strstr(what, "(core 1)") != NULL; }

START_TEST(a_run_moves_every_counter)
{
	struct levels levels;
	struct stats all, plain, part = { 0 }, reused = { 0 };
	struct params hrf, gpu, wir;
	struct stub t;
	struct stream s;

	everything(&s, &t);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert(s.stopped.why == STOP_NOT && s.st.unstarted_instructions == 0);
	all = plain = s.st;
	for (s.max_cycles = 1; s.max_cycles < all.cycles; s.max_cycles += s.max_cycles / 4 + 1) {
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert(s.stopped.why == STOP_CYCLES && s.st.cycles == s.max_cycles);
		part.unstarted_instructions += s.st.unstarted_instructions;
	}
	stats_merge(&all, &part);
	stream_free(&s);
	stream_init(&s); /* what excludes the above: memory of fixed latency, one active warp */
	s.warps = 8;
	ck_assert(params_set(&s.p, "memory_fixed=10", &s.d) && params_set(&s.p, "active_warps=1", &s.d));
	ck_assert(rf_config_parse(&s.rf, "issue=two-level", &s.p, &s.d));
	stream_insn(&s, OP_SIN_F32, 1, 1, -1, -1);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 1, 2);
	stream_memory(&s, OP_ATOM_ADD_U32, SP_GLOBAL, 1, 2, 3);
	for (unsigned i = 0; i < 4; i++)
		stream_record(&s, 0, 0);
	for (unsigned i = 1; i < 4; i++)
		stream_line(stream_record(&s, 0, i), 7, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stats_merge(&all, &s.st);
	stream_free(&s);
	packed(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stats_merge(&all, &s.st);
	stream_free(&s);
	units(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stats_merge(&all, &s.st);
	stream_free(&s);
	uniform(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stats_merge(&all, &s.st);
	stream_free(&s);
	stream_init(&s); /* registers that are renamed */
	stub_use(&t, &s);
	t.packing.renames = true;
	stub_late_reader(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stats_merge(&all, &s.st);
	stream_free(&s);
	for (unsigned native = 0; native < 2; native++) {
		shared(&s);
		if (native)
			points(&s);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		stats_merge(&all, &s.st);
		stream_free(&s);
	}
	for (unsigned throttled = 0; throttled < 2; throttled++) {
		pairs(&s, throttled);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		stats_merge(&all, &s.st);
		stream_free(&s);
	}
	for (unsigned i = 0; i < 3; i++) {
		static const char *const rf[] = { "g-scalar", "warped-compression", "affine" };

		values(&s, rf[i]);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		stats_merge(&all, &s.st);
		stats_merge(&plain, &s.st);
		stream_free(&s);
	}
	for (unsigned i = 0; i < 3; i++) {
		reuse(&s, i);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		stats_merge(&all, &s.st);
		stats_merge(&reused, &s.st);
		stream_free(&s);
	}
	reordered(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert(s.st.reuse_reordered == 1 && s.st.reuse_races == 0);
	stats_merge(&all, &s.st);
	stream_free(&s);
	hierarchy(&s, &levels);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stats_merge(&all, &s.st);
	for (levels.all = 0; levels.all < 2; levels.all++) {
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		stats_merge(&all, &s.st);
	}
	hrf = gpu = wir = s.p;
	/* no table gives every cost; sums are known of levels alone, */
	ck_assert(params_set(&hrf, "energy=hrf", &s.d));
	ck_assert(params_set(&gpu, "energy=g-scalar", &s.d)); /* or of all but levels, renaming and matrices */
	ck_assert(params_set(&wir, "energy=wir", &s.d));      /* or of reuse */
	for (unsigned i = 0; i < stats_count(); i++)
		ck_assert_msg(stats_metric(i, &all, &s.p).value > 0 || stats_metric(i, &all, &hrf).value > 0 ||
				      stats_metric(i, &s.st, &hrf).value > 0 ||
				      stats_metric(i, &plain, &gpu).value > 0 ||
				      stats_metric(i, &reused, &wir).value > 0 ||
				      of_subcores(stats_metric(i, &all, &s.p).what),
			      "%s stays 0", stats_metric(i, &all, &hrf).name);
	stream_free(&s);
}
END_TEST

START_TEST(the_same_run_counts_the_same)
{
	struct stub t;
	struct stats first;
	struct stream s;

	everything(&s, &t);
	ck_assert(stream_run(&s));
	first = s.st;
	stream_free(&s);
	everything(&s, &t);
	ck_assert(stream_run(&s));
	ck_assert_mem_eq(&first, &s.st, sizeof first);
	stream_free(&s);
}
END_TEST

static char *printed(const struct stats *s, const struct params *p, const struct stats *base, bool all)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	stats_print(f, s, p, base, all);
	fclose(f);
	return text;
}

/* The number that the text shows behind a metric's name. */
static double shown(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	ck_assert_ptr_nonnull(at);
	return strtod(at + strlen(name), NULL);
}

START_TEST(the_text_for_people_names_units_and_slots)
{
	struct stub t;
	struct stream s;
	struct metric m;
	char *text;

	everything(&s, &t);
	ck_assert(stream_run(&s));
	text = printed(&s.st, &s.p, NULL, false);
	ck_assert_ptr_nonnull(strstr(text, "rf_dynamic_energy"));
	ck_assert_ptr_nonnull(strstr(text, " uJ "));
	ck_assert(stats_find("rf_dynamic_energy", &s.st, &s.p, &m) && m.value > 0);
	/* pJ in the table, uJ for people */
	ck_assert_double_eq_tol(shown(text, " rf_dynamic_energy"), m.value * 1e-6, 1e-4);
	ck_assert(stats_find("seconds", &s.st, &s.p, &m) && m.value > 0);
	ck_assert_double_eq_tol(shown(text, " seconds"), m.value * 1e6, 1e-4);
	ck_assert_ptr_nonnull(strstr(text, "slots_memory"));
	ck_assert_ptr_null(strstr(text, "values that lanes share"));
	free(text);
	text = printed(&s.st, &s.p, &s.st, false);
	ck_assert_ptr_nonnull(strstr(text, "   1.000 "));
	free(text);
	s.st.stored_bytes = 1;
	s.st.injected_moves = 12;
	text = printed(&s.st, &s.p, NULL, false);
	ck_assert_ptr_nonnull(strstr(text, "values that lanes share\n"));
	ck_assert_double_eq_tol(shown(text, " injected_moves"), 12, 0.5);
	free(text);
	text = printed(&s.st, &s.p, NULL, true);
	for (unsigned i = 0; i < stats_count(); i++)
		ck_assert_ptr_nonnull(strstr(text, stats_metric(i, &s.st, &s.p).name));
	free(text);
	stream_free(&s);
}
END_TEST

Suite *suite_counters(void);
Suite *suite_counters(void)
{
	Suite *s = suite_create("counters");
	TCase *c = tcase_create("counters");

	tcase_add_test(c, uniform_registers_are_no_operands_of_the_register_file);
	tcase_add_test(c, a_run_moves_every_counter);
	tcase_add_test(c, the_same_run_counts_the_same);
	tcase_add_test(c, the_text_for_people_names_units_and_slots);
	suite_add_tcase(s, c);
	return s;
}
