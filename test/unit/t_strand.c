/* Strands and hints for caches: the paper's examples, by hand, and random code against the oracles. */
#include "passes/pass.h"
#include "passes/rfc.h"
#include "passes/strand.h"
#include "test/unit/cfg_spec.h"
#include "test/unit/pass_fixture.h"

#include <check.h>

#define HEAD                                                                                         \
	".visible .entry k(.param .u64 out)\n{\n.reg .pred %p, %q; .reg .b32 %r<9>; .reg .b64 %d;\n" \
	"ld.param.u64 %d, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 5;\nSTART: "
#define TAIL " ret;\n}\n"

/* Where strands begin, behind the first: "USE+0 wait, LOOP+0 loop": "wait" is the deschedule bit, else the cause.
 * Labels that no branch names are not in the code: such places count from the label before. */
static const char *begins(const struct kernel *k)
{
	const char *text = "", *label = "";
	uint32_t from = 0;

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			uint8_t x = k->strand->begin[i];

			if (i == k->block[b].first && k->block[b].label) {
				label = k->block[b].label;
				from = i;
			}
			if (x && i)
				text = arena_printf(&arena, "%s%s%s+%u%s%s%s", text, *text ? ", " : "", label, i - from,
						    x & STRAND_WAIT ? " wait" : "",
						    x & STRAND_BEGIN && !(x & STRAND_WAIT) ? " " : "",
						    x & STRAND_BEGIN && !(x & STRAND_WAIT)
							    ? strand_cause_name[x & STRAND_CAUSE]
							    : "");
		}
	ck_assert(k->strand->begin[0] == (STRAND_BEGIN | STRAND_ENTRY));
	return text;
}

/* Section 5.1, Figure 9(a): a load whose value is used, then a loop. The first strand ends by descheduling, the others
 * because of the backward branch. */
START_TEST(figure_9a_long_latency_and_a_backward_branch)
{
	struct kernel *k =
		compile(HEAD "bra B1;\nB1: ld.global.u32 %r2, [%d]; add.u32 %r3, %r1, 1; add.u32 %r4, %r2, %r3;\n"
			     "LOOP: add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, 40; @%p bra LOOP;\n"
			     "st.global.u32 [%d], %r4; bra END;\nEND: " TAIL);

	ck_assert_str_eq(begins(k), "B1+2 wait, LOOP+0 loop, LOOP+3 loop");
	ck_assert_uint_eq(k->strand->n, 4);
	ck_assert_uint_eq(k->strand->waits, 1);
	ck_assert(k->strand->count[STRAND_LONG] == 1 && k->strand->count[STRAND_LOOP] == 2 &&
		  k->strand->count[STRAND_ENTRY] == 1);
	ck_assert_uint_eq(k->strand->id[k->ninsn - 1], 3);
}
END_TEST

START_TEST(a_strand_may_begin_for_two_causes)
{
	struct kernel *k = compile(HEAD "ld.global.u32 %r2, [%d]; bra LOOP;\nLOOP: add.u32 %r2, %r2, 1; setp.lt.u32 "
					"%p, %r2, 40; @%p bra LOOP;\n"
					"st.global.u32 [%d], %r2; bra END;\nEND: " TAIL);
	uint32_t loop = k->block[1].first;

	ck_assert_str_eq(begins(k), "LOOP+0 wait, LOOP+3 loop");
	ck_assert_uint_eq(k->strand->begin[loop], STRAND_BEGIN | STRAND_WAIT | STRAND_LOOP);
	ck_assert(strand_begins_for(k->strand, loop, STRAND_LONG) && strand_begins_for(k->strand, loop, STRAND_LOOP) &&
		  !strand_begins_for(k->strand, loop, STRAND_MERGE));
	ck_assert(k->strand->n == 3 && k->strand->waits == 1 && k->strand->count[STRAND_LONG] == 1 &&
		  k->strand->count[STRAND_LOOP] == 2);
	ck_assert(!strand_begins_for(k->strand, loop + 1, STRAND_LONG));
}
END_TEST

/* Figure 9(b): one side waits for a load, so where the sides meet it is uncertain what is pending, and a strand begins
 * without a wait. What may be pending there still is so, if lanes came by the other side: its first use waits. B2
 * begins one too, as its lanes may stand there while those of B3 wait. */
START_TEST(figure_9b_an_event_that_is_uncertain)
{
	struct kernel *k = compile(
		HEAD
		"bra B1;\nB1: ld.global.u32 %r2, [%d]; ld.global.u32 %r5, [%d+4]; add.u32 %r3, %r1, 1; @%p bra B3;\n"
		"B2: add.u32 %r4, %r3, 2; bra B4;\nB3: add.u32 %r4, %r2, 3;\n"
		"B4: st.global.u32 [%d], %r4; st.global.u32 [%d+4], %r5; bra END;\nEND: " TAIL);

	ck_assert_str_eq(begins(k), "B2+0 lanes, B3+0 wait, B4+0 merge, B4+1 wait");
}
END_TEST

START_TEST(an_operation_on_one_side_is_no_uncertainty)
{
	/* Both sides are in the strand; whichever way lanes came, the first use waits. */
	struct kernel *k = compile(
		HEAD "mov.u32 %r4, 7; @%p bra B3;\nB2: add.u32 %r5, %r1, 2; bra B4;\nB3: ld.global.u32 %r4, [%d];\n"
		     "B4: add.u32 %r3, %r1, 1; st.global.u32 [%d], %r4; bra END;\nEND: " TAIL);

	ck_assert_str_eq(begins(k), "B4+1 wait");
	/* a write of what is pending waits too: the scoreboard is the warp's */
	k = compile(HEAD "ld.global.u32 %r4, [%d]; @%p bra B3;\nB2: mov.u32 %r4, 2;\nB3: st.global.u32 [%d], %r1; bra "
			 "END;\nEND: st.global.u32 [%d], %r4;" TAIL);
	ck_assert_uint_eq(k->strand->waits, 2);
}
END_TEST

START_TEST(what_one_side_issues_is_pending_on_the_other)
{
	/* T goes first or F does: what T loads may be owed while F executes, which writes the register */
	struct kernel *k = compile(HEAD "@%p bra T;\nF: mov.u32 %r4, 2; bra J;\nT: ld.global.u32 %r4, [%d]; mov.u32 "
					"%r3, 1;\nJ: mov.u32 %r5, 3; st.global.u32 [%d], %r4;"
					"st.global.u32 [%d], %r3; st.global.u32 [%d], %r5; bra END;\nEND: " TAIL);
	uint32_t f = k->block[1].first;

	ck_assert(k->strand->begin[f] & STRAND_WAIT);
	ck_assert_str_eq(strand_cause_name[k->strand->begin[f] & STRAND_CAUSE], "long latency");
	/* not if the branch says that lanes stay together */
	k = compile(HEAD "@%p bra.uni T;\nF: mov.u32 %r4, 2; bra J;\nT: ld.global.u32 %r4, [%d]; mov.u32 %r3, 1;\nJ: "
			 "mov.u32 %r5, 3; st.global.u32 [%d], %r4;"
			 "st.global.u32 [%d], %r3; st.global.u32 [%d], %r5; bra END;\nEND: " TAIL);
	ck_assert_str_eq(begins(k), "J+1 wait");
}
END_TEST

START_TEST(lanes_that_left_a_loop_lose_what_they_hold_when_others_wait)
{
	/* Figure-9-like, but the test stands first: the way out is no backward branch, and nothing merges there. */
	struct kernel *k = compile(
		HEAD "mov.u32 %r3, 0; bra LOOP;\nLOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, %r1; @%p bra OUT;\n"
		     "ld.global.u32 %r4, [%d]; add.u32 %r5, %r4, 1; bra LOOP;\nOUT: st.global.u32 [%d], %r3; bra "
		     "END;\nEND: " TAIL);

	ck_assert_str_eq(begins(k), "LOOP+0 loop, LOOP+4 wait, OUT+0 lanes");
	/* without a wait inside, the strand of the test goes on outside */
	k = compile(HEAD
		    "mov.u32 %r3, 0; bra LOOP;\nLOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, %r1; @%p bra OUT;\n"
		    "add.u32 %r5, %r3, 1; bra LOOP;\nOUT: st.global.u32 [%d], %r3; bra END;\nEND: " TAIL);
	ck_assert_str_eq(begins(k), "LOOP+0 loop");
}
END_TEST

START_TEST(guarded_loads_owe_and_guarded_uses_wait)
{
	struct kernel *k = compile(HEAD "mov.u32 %r2, 7; @%p ld.global.u32 %r2, [%d]; mov.u32 %r3, 1; @!%p add.u32 "
					"%r4, %r2, 1; @%p mov.u32 %r4, 3;"
					"st.global.u32 [%d], %r4; bra END;\nEND: " TAIL);

	ck_assert_str_eq(begins(k), "+6 wait");
	/* a load of a predicate's condition: the guard itself is owed by nothing, the comparison waits */
	k = compile(HEAD "ld.global.u32 %r2, [%d]; mov.u32 %r3, 1; setp.eq.u32 %q, %r2, 0; @%q st.global.u32 [%d], "
			 "%r3; bra END;\nEND: " TAIL);
	ck_assert_uint_eq(k->strand->waits, 1);
}
END_TEST

START_TEST(what_is_no_long_latency_does_not_wait)
{
	struct kernel *k = compile(".shared .b32 s[4];\n" HEAD
				   "ld.shared.u32 %r2, [s]; add.u32 %r3, %r2, 1; st.shared.u32 [s+4], %r3;"
				   "red.global.add.u32 [%d], %r3; add.u32 %r4, %r3, 1; atom.shared.add.u32 %r5, [s], "
				   "%r4; add.u32 %r6, %r5, 1;"
				   "st.global.u32 [%d], %r6; bra END;\nEND: " TAIL);

	ck_assert_str_eq(begins(k), "");
	/* an atomic with a result, local memory and a generic address may be */
	k = compile(HEAD "atom.global.add.u32 %r2, [%d], 1; add.u32 %r3, %r2, 1; ld.u32 %r4, [%d]; add.u32 %r5, %r4, "
			 "%r3; st.global.u32 [%d], %r5; bra END;\nEND: " TAIL);
	ck_assert_uint_eq(k->strand->waits, 2);
	k = compile(".visible .entry k(.param .u64 out)\n{\n.local .b32 l[2]; .reg .b32 %r<5>; .reg .b64 %d; "
		    "ld.param.u64 %d, [out];"
		    "mov.u32 %r1, %tid.x; st.local.u32 [l], %r1; ld.local.u32 %r2, [l]; add.u32 %r3, %r2, 1; "
		    "st.global.u32 [%d], %r3;" TAIL);
	ck_assert_uint_eq(k->strand->waits, 1);
}
END_TEST

START_TEST(a_wait_is_for_everything)
{
	struct kernel *k = compile(
		HEAD "ld.global.u32 %r2, [%d]; ld.global.u32 %r3, [%d+4]; add.u32 %r4, %r2, 1; add.u32 %r5, %r3, 1;"
		     "st.global.u32 [%d], %r4; st.global.u32 [%d], %r5; bra END;\nEND: " TAIL);

	ck_assert_uint_eq(k->strand->waits, 1);
	/* what is loaded in one round and used in the next waits at the first use, of all that is owed; and so does a
	 * write of it */
	k = compile(HEAD "mov.u32 %r2, 0; mov.u32 %r3, 0; bra LOOP;\nLOOP: add.u32 %r4, %r2, 1; add.u32 %r5, %r3, %r4; "
			 "ld.global.u32 %r2, [%d];"
			 "ld.global.u32 %r3, [%d+4]; setp.lt.u32 %p, %r1, 40; @%p bra LOOP;\nst.global.u32 [%d], %r4; "
			 "st.global.u32 [%d], %r5; bra END;\nEND: " TAIL);
	ck_assert_str_eq(begins(k), "LOOP+0 wait, LOOP+6 loop");
}
END_TEST

START_TEST(barriers_and_fences_end_strands)
{
	struct kernel *k = compile(HEAD "ld.global.u32 %r2, [%d]; bar.sync 0; mov.u32 %r3, 1; add.u32 %r4, %r2, %r3; "
					"membar.gl; st.global.u32 [%d], %r4; bra END;\nEND: " TAIL);

	/* a barrier does not wait for loads, a fence does */
	ck_assert_str_eq(begins(k), "+5 barrier, +6 wait, +8 barrier");
	k = compile(HEAD "ld.global.u32 %r2, [%d]; mov.u32 %r3, 1; membar.gl; add.u32 %r4, %r2, %r3; st.global.u32 "
			 "[%d], %r4; bra END;\nEND: " TAIL);
	ck_assert_str_eq(begins(k), "+6 barrier");
	/* while some lanes are at a barrier, others stand where the sides meet */
	k = compile(HEAD "mov.u32 %r3, 1; @%p bra J;\nbar.sync 0;\nJ: st.global.u32 [%d], %r3; bra END;\nEND: " TAIL);
	ck_assert_str_eq(begins(k), "J+0 merge");
}
END_TEST

START_TEST(a_side_that_is_left_midway_begins_wherever_lanes_stand)
{
	/* F is left at its instruction with .sync while T waits for its load */
	struct kernel *k = compile(HEAD "mov.u32 %r3, 1; @%p bra T;\nF: add.u32 %r4, %r1, 1; bar.warp.sync 0xffffffff; "
					"st.global.u32 [%d], %r4; bra J;\n"
					"T: ld.global.u32 %r5, [%d]; add.u32 %r6, %r5, 1; st.global.u32 [%d+4], "
					"%r6;\nJ: st.global.u32 [%d+8], %r3; bra END;\nEND: " TAIL);
	uint32_t f = k->block[1].first;

	ck_assert(k->insn[f + 1].op == OP_BAR_WARP_SYNC);
	ck_assert_uint_eq(k->strand->begin[f], STRAND_BEGIN | STRAND_LANES);
	ck_assert_uint_eq(k->strand->begin[f + 1], STRAND_BEGIN | STRAND_LANES);
	ck_assert_uint_eq(k->strand->begin[f + 2], 0);
	/* nothing waits in T: nothing begins */
	k = compile(HEAD "mov.u32 %r3, 1; @%p bra T;\nF: add.u32 %r4, %r1, 1; bar.warp.sync 0xffffffff; st.global.u32 "
			 "[%d], %r4; bra J;\n"
			 "T: add.u32 %r6, %r1, 1; st.global.u32 [%d+4], %r6;\nJ: st.global.u32 [%d+8], %r3; bra "
			 "END;\nEND: " TAIL);
	ck_assert_str_eq(begins(k), "");
}
END_TEST

#define FUNC \
	".func (.reg .b32 %v) f(.reg .b32 %x)\n{\n.reg .b32 %y; add.u32 %y, %x, 3; mul.lo.u32 %v, %y, %x; ret;\n}\n"
START_TEST(calls_and_functions_begin_strands)
{
	struct kernel *k;
	uint32_t site = UINT32_MAX;

	cx.opt.inline_limit = 0;
	k = compile(FUNC HEAD "ld.global.u32 %r2, [%d]; mov.u32 %r3, 1; call (%r4), f, (%r3); st.global.u32 [%d], %r4; "
			      "st.global.u32 [%d+4], %r2; bra END;\nEND: " TAIL);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (ir_block_end(k, b, OPF_CALL))
			site = b + 1;
	ck_assert(site != UINT32_MAX && k->nproc == 2);
	ck_assert_uint_eq(k->strand->begin[k->block[site].first], STRAND_BEGIN | STRAND_CALL);
	ck_assert_uint_eq(k->strand->begin[k->block[k->proc[1].first].first], STRAND_BEGIN | STRAND_ENTRY);
	/* %r2 is owed through the call */
	ck_assert_uint_eq(k->strand->waits, 1);
}
END_TEST

START_TEST(a_warp_that_never_flushes_has_longer_strands)
{
	struct kernel *k;

	cx.opt.orf.never_flush = true;
	k = compile(HEAD "ld.global.u32 %r2, [%d]; bar.sync 0; add.u32 %r4, %r2, 1; st.global.u32 [%d], %r4; bra "
			 "END;\nEND: " TAIL);
	ck_assert_str_eq(begins(k), "+5 wait");
	ck_assert(k->strand->n == 1 && k->strand->waits == 1 && k->strand->never_flush);
	ck_assert_uint_eq(k->strand->begin[5], STRAND_WAIT | STRAND_LONG);
}
END_TEST

/* Random control flow, irreducible and endless, with loads, barriers, fences and instructions with .sync: the oracle
 * agrees (cx.opt.check). */
static struct kernel *wild(uint64_t seed)
{
	struct kernel *k = spec_random(&arena, FORM_MACHINE, 2 + (uint32_t)seed % 9, 4, seed);
	uint64_t rng = mix64(seed);

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn *n = &k->insn[i];

		if (n->op == OP_BRA && rng_below(&rng, 5) == 0)
			n->mods |= MOD_UNI;
		if (op_info[n->op].flags & (OPF_BRANCH | OPF_EXIT) || rng_below(&rng, 5))
			continue;
		switch (rng_below(&rng, 3)) {
		case 0:
			n->op = OP_BAR_SYNC;
			ir_set_operands(k, n, 0, 2)[0] = ir_imm(k, 0);
			insn_src(k, n)[1] = ir_imm(k, 0);
			break;
		case 1:
			n->op = OP_MEMBAR;
			ir_set_operands(k, n, 0, 0);
			break;
		case 2:
			n->op = OP_BAR_WARP_SYNC;
			ir_set_operands(k, n, 0, 1)[0] = ir_imm(k, UINT32_MAX);
			break;
		}
		n->space = SP_NONE;
		n->vec = 1;
	}
	return k;
}

START_TEST(random_control_flow_agrees_with_the_oracle)
{
	for (uint64_t seed = 40 * (uint64_t)_i; seed < 40 * (uint64_t)_i + 40; seed++) {
		struct kernel *k = wild(seed);

		ck_assert(ir_verify(k, &diag));
		ck_assert_msg(pass_need(k, FACT_STRAND | FACT_RFC, &cx), "seed %u: %s", (unsigned)seed, diag.last);
	}
}
END_TEST

/* Takes one beginning or wait away, or a whole strand together with the one before it. */
START_TEST(the_oracle_sees_every_beginning_that_is_missing)
{
	unsigned seen = 0, all = 0;

	for (uint64_t seed = 0; seed < 120; seed++) {
		struct kernel *k = wild(seed);
		uint8_t *begin;

		ck_assert(pass_need(k, FACT_STRAND, &cx));
		begin = (uint8_t *)(uintptr_t)k->strand->begin;
		for (uint32_t i = 0; i < k->ninsn; i++) {
			uint8_t was = begin[i];

			if (!(was & STRAND_WAIT))
				continue;
			begin[i] = STRAND_BEGIN;
			k->strand->waits--;
			all++;
			seen += !check_strand(k, &diag);
			begin[i] = was;
			k->strand->waits++;
		}
	}
	/* some waits are for paths that no warp takes: a may-analysis cannot know */
	ck_assert_uint_gt(all, 60);
	ck_assert_msg(seen * 20 >= all * 19, "%u of %u", seen, all);
}
END_TEST

START_TEST(last_reads_and_shared_units)
{
	struct kernel *k = compile(HEAD "mov.u32 %r2, 7; add.u32 %r3, %r2, %r1; mul.lo.u32 %r4, %r3, %r1; @%p mov.u32 "
					"%r2, 9; add.u32 %r4, %r4, %r2;"
					"st.global.u32 [%d], %r4; bra END;\nEND: " TAIL);
	struct insn_regs r;
	uint32_t i = 3;

	/* mov r2; add r3, r2, r1; mul r4, r3, r1; @p mov r2; add r4, r4, r2; st [d], r4 */
	ck_assert_uint_eq(k->rfc->last[i + 1], 0); /* the guarded write keeps r2 */
	ck_assert_uint_eq(k->rfc->last[i + 2], 3);
	ir_insn_regs(k, &k->insn[i + 4], &r);
	ck_assert_uint_eq(r.nsrc, 2);
	ck_assert_uint_eq(k->rfc->last[i + 4], 3); /* r4 is overwritten by its reader */
	ck_assert_uint_eq(k->rfc->last[i + 5], 7);
	ck_assert_uint_eq(k->rfc->shared[i] | k->rfc->shared[i + 1] | k->rfc->shared[i + 2] | k->rfc->shared[i + 3], 0);
	ck_assert_uint_eq(k->rfc->shared[i + 4], 1);
	/* the address: both halves, from a private unit */
	ck_assert_uint_eq(k->rfc->shared[0], 3);
}
END_TEST

START_TEST(the_oracle_sees_wrong_hints)
{
	struct kernel *k =
		compile(HEAD "mov.u32 %r2, 7; add.u32 %r3, %r2, %r1; st.global.u32 [%d], %r3; bra END;\nEND: " TAIL);
	uint32_t *last = (uint32_t *)(uintptr_t)k->rfc->last;
	uint16_t *shared = (uint16_t *)(uintptr_t)k->rfc->shared;

	ck_assert(check_rfc(k, &diag));
	last[4] ^= 1;
	ck_assert(!check_rfc(k, &diag));
	last[4] ^= 1;
	shared[4] ^= 1;
	ck_assert(!check_rfc(k, &diag));
	shared[4] ^= 1;
	last[4] |= 8;
	ck_assert(!check_rfc(k, &diag));
}
END_TEST

/* 10,000 loops inside each other, or branches to one place, or sides with barriers: nearly linear, so this is over at
 * once. */
START_TEST(deep_nests_take_no_longer_than_flat_code)
{
	struct arena a;
	char *text;
	size_t n = 0, cap = 2 << 20;

	arena_init(&a);
	text = arena_alloc(&a, cap, 1);
	for (unsigned b = 0; b < 20000; b++) {
		unsigned to;
		if (_i == 0)
			to = b < 10000 ? 0 : 19999 - b;
		else if (_i == 1)
			to = 19999;
		else
			to = b + 3 < 20000 ? b + 3 : 19999;

		n += (size_t)snprintf(text + n, cap - n, _i == 0 && b < 10000 ? "f " : "c%u ", to);
	}
	snprintf(text + n, cap - n, "r");
	{
		struct kernel *k = spec_kernel(&a, text);

		k->form = FORM_MACHINE;
		for (uint32_t i = 0; i < k->ninsn; i++)
			if (k->insn[i].guard.kind == REF_REG)
				k->insn[i].guard = ref_reg(MREG_P0);
		cx.opt.check = false;
		ck_assert(pass_need(k, FACT_STRAND, &cx));
		ck_assert_uint_gt(k->strand->n, 0);
		ck_assert(cx.seconds[PASS_ID_strand] < 2);
	}
	arena_free(&a);
}
END_TEST

Suite *suite_strand(void);
Suite *suite_strand(void)
{
	Suite *s = suite_create("strand");
	TCase *t = tcase_create("strand");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_test(t, figure_9a_long_latency_and_a_backward_branch);
	tcase_add_test(t, a_strand_may_begin_for_two_causes);
	tcase_add_test(t, figure_9b_an_event_that_is_uncertain);
	tcase_add_test(t, an_operation_on_one_side_is_no_uncertainty);
	tcase_add_test(t, what_one_side_issues_is_pending_on_the_other);
	tcase_add_test(t, lanes_that_left_a_loop_lose_what_they_hold_when_others_wait);
	tcase_add_test(t, guarded_loads_owe_and_guarded_uses_wait);
	tcase_add_test(t, what_is_no_long_latency_does_not_wait);
	tcase_add_test(t, a_wait_is_for_everything);
	tcase_add_test(t, barriers_and_fences_end_strands);
	tcase_add_test(t, a_side_that_is_left_midway_begins_wherever_lanes_stand);
	tcase_add_test(t, calls_and_functions_begin_strands);
	tcase_add_test(t, a_warp_that_never_flushes_has_longer_strands);
	tcase_add_loop_test(t, random_control_flow_agrees_with_the_oracle, 0, 10);
	tcase_add_test(t, the_oracle_sees_every_beginning_that_is_missing);
	tcase_add_test(t, last_reads_and_shared_units);
	tcase_add_test(t, the_oracle_sees_wrong_hints);
	tcase_add_loop_test(t, deep_nests_take_no_longer_than_flat_code, 0, 3);
	suite_add_tcase(s, t);
	return s;
}
