/* Control codes of code of ours: by hand, by spoiling each, and the choice of barriers against all choices. */
#include "analyzer/base/rng.h"
#include "passes/control.h"
#include "test/unit/pass_fixture.h"
#include "test/unit/rounds.h"

Suite *suite_control(void);

static const unsigned targets[] = { 70, 75, 80, 86, 90, 100, 120 };
enum { TARGETS = sizeof targets / sizeof *targets };

static struct kernel *compile_for(unsigned sm, const char *text)
{
	struct source *src = new(&arena, struct source);
	struct module *m;

	src->name = "k.ptx";
	src->text = arena_printf(&arena, ".version 8.0\n.target sm_80\n.address_size 64\n%s", text);
	src->len = strlen(src->text);
	m = ptx_parse(src, &arena, &diag);
	ck_assert_msg(m != NULL, "%s", diag.last);
	m->sm = sm;
	ck_assert_msg(pass_compile_for(m->kernel[0], FACT_CONTROL, false, &cx), "%s", diag.last);
	return m->kernel[0];
}

#define HEAD                                                                                                           \
	".visible .entry k(.param .u64 p)\n{\n.reg .pred %q<4>; .reg .b32 %r<32>; .reg .f32 %f<32>; .reg .b64 %d<8>; " \
	".reg .f64 %g<8>;\nld.param.u64 %d1, [p];\n"

static uint32_t nth(const struct kernel *k, const char *mnemonic, unsigned n)
{
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (strncmp(op_info[k->insn[i].op].text, mnemonic, strlen(mnemonic)) == 0 && !n--)
			return i;
	ck_abort_msg("there is no %s", mnemonic);
	return 0;
}

static bool found_if(struct kernel *k, uint32_t i, struct control_code c)
{
	struct control_code *all = new_array(&arena, struct control_code, k->ninsn);
	const struct control_code *was = k->control;
	struct diag d;
	bool right;

	memcpy(all, was, k->ninsn * sizeof *all);
	all[i] = c;
	k->control = all;
	diag_init(&d, NULL);
	right = check_control(k, &d);
	diag_free(&d);
	k->control = was;
	return !right;
}

#define STRAIGHT                                                                                                   \
	HEAD "mov.u32 %r1, %tid.x; ld.global.u32 %r2, [%d1]; ld.global.f32 %f1, [%d1+4]; add.s32 %r3, %r1, %r2;\n" \
	     "mad.lo.s32 %r4, %r3, %r3, %r2; fma.rn.f32 %f2, %f1, %f1, %f1; sin.approx.f32 %f3, %f2;\n"            \
	     "mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d1, %d2; st.global.f32 [%d3], %f3; mov.u32 %r4, 7;\n"        \
	     "setp.lt.s32 %q1, %r3, 9; @%q1 st.global.u32 [%d3+8], %r4; ld.global.f64 %g1, [%d3+16];\n"            \
	     "fma.rn.f64 %g2, %g1, %g1, %g1; st.global.f64 [%d3+16], %g2; popc.b32 %r5, %r4;\n"                    \
	     "add.s32 %r6, %r5, %r3; xor.b32 %r7, %r6, %r5; st.global.u32 [%d3+24], %r7; ret;\n}\n"

/* Of code in one block each wait is needed, and each cycle of a stall count. */
START_TEST(nothing_waits_longer_than_it_must)
{
	struct kernel *k = compile_for(targets[_i], STRAIGHT);
	unsigned stalls = 0, waits = 0;

	for (uint32_t i = 0; i + 1 < k->ninsn; i++) {
		struct control_code c = k->control[i];

		if (c.stall > 1) {
			c.stall--;
			ck_assert_msg(found_if(k, i, c), "the stall count of instruction %u on sm_%u", i, targets[_i]);
			stalls++;
		}
		for (unsigned b = 0; b < BARRIERS_OF_DEPENDENCE; b++) {
			c = k->control[i];
			if (!(c.wait >> b & 1))
				continue;
			c.wait &= (uint8_t) ~(1u << b);
			ck_assert_msg(found_if(k, i, c), "a wait of instruction %u on sm_%u", i, targets[_i]);
			waits++;
		}
	}
	ck_assert_uint_ge(stalls, 5);
	ck_assert_uint_ge(waits, 5);
}
END_TEST

START_TEST(a_loop_waits_for_what_it_has_loaded_before)
{
	struct kernel *k = compile_for(targets[_i], HEAD "mov.u32 %r1, 0; ld.global.u32 %r2, [%d1];\nL:\n"
							 "add.s32 %r1, %r1, %r2; ld.global.u32 %r2, [%d1+4];\n"
							 "setp.lt.s32 %q1, %r1, 100; @%q1 bra L;\n"
							 "st.global.u32 [%d1], %r1; ret;\n}\n");
	const uint32_t add = nth(k, "add.s32", 0), load = nth(k, "ld.u32", 1);
	struct control_code c = k->control[add];

	ck_assert_uint_lt(k->control[load].wbar, BARRIERS_OF_DEPENDENCE);
	ck_assert_uint_ne(c.wait >> k->control[load].wbar & 1, 0);
	c.wait &= (uint8_t) ~(1u << k->control[load].wbar);
	ck_assert(found_if(k, add, c));
	/* the compare is not read before its guard may be */
	ck_assert_uint_ge(k->control[nth(k, "setp", 0)].stall, targets[_i] == 75 ? 12 : 13);
}
END_TEST

/* Who reads first in a block waits behind the end of the block that the result comes from, and no barrier tells. A
 * branch to the block from elsewhere has other results, and issues as any. */
START_TEST(who_reads_first_in_a_block_waits_at_the_end_of_the_one_before)
{
	struct kernel *k;
	uint32_t writer;

	k = compile_for(targets[_i],
			HEAD "ld.global.u32 %r1, [%d1]; setp.lt.s32 %q1, %r1, 9; mov.u32 %r2, 3;\n@%q1 bra L;\n"
			     "add.s32 %r2, %r1, 5;\nL:\nadd.s32 %r3, %r2, %r1; st.global.u32 [%d1], %r3; ret;\n}\n");
	writer = nth(k, "add.s32", 0);
	ck_assert_uint_eq(k->control[writer].stall, sass_latency(control_sm(k), false, UNIT_INT, UNIT_INT));
	ck_assert_uint_eq(k->control[writer].wbar, NO_BARRIER);
	ck_assert_uint_eq(k->control[nth(k, "bra", 0)].stall, 5);

	/* of two ways each has the cycles of its own guard, wherever its block stands */
	k = compile_for(targets[_i], HEAD "ld.global.u32 %r1, [%d1]; setp.lt.s32 %q1, %r1, 9;\n@%q1 bra M;\n"
					  "setp.lt.s32 %q2, %r1, 17;\nbra L;\nM:\nsetp.gt.s32 %q2, %r1, 5;\n"
					  "L:\n@%q2 st.global.u32 [%d1], %r1; ret;\n}\n");
	ck_assert_uint_eq(k->control[nth(k, "bra", 1)].stall + 1u,
			  sass_latency(control_sm(k), true, UNIT_INT, UNIT_GUARD));
	ck_assert_uint_eq(k->control[nth(k, "setp", 2)].stall, sass_latency(control_sm(k), true, UNIT_INT, UNIT_GUARD));
}
END_TEST

START_TEST(a_store_has_read_its_sources_before_they_change)
{
	struct kernel *k =
		compile_for(targets[_i], HEAD "ld.global.u32 %r1, [%d1];\nL:\nadd.s32 %r1, %r1, 1; "
					      "st.global.u32 [%d1], %r1; setp.lt.s32 %q1, %r1, 9; @%q1 bra L;\n"
					      "ret;\n}\n");
	const uint32_t store = nth(k, "st.u32", 0), add = nth(k, "add.s32", 0);

	ck_assert_uint_eq(k->control[store].wbar, NO_BARRIER);
	ck_assert_uint_lt(k->control[store].rbar, BARRIERS_OF_DEPENDENCE);
	ck_assert_uint_ne(k->control[add].wait >> k->control[store].rbar & 1, 0);
}
END_TEST

START_TEST(what_reads_and_overwrites_a_result_waits_for_it)
{
	struct kernel *k =
		compile_for(targets[_i], HEAD "ld.global.u32 %r1, [%d1]; atom.global.add.u32 %r1, [%d1], %r1;\n"
					      "st.global.u32 [%d1], %r1; ret;\n}\n");
	const uint32_t load = nth(k, "ld.u32", 0), atom = nth(k, "atom", 0);

	ck_assert_uint_eq(insn_dst(k, &k->insn[load])->val, insn_dst(k, &k->insn[atom])->val);
	ck_assert_uint_lt(k->control[load].wbar, BARRIERS_OF_DEPENDENCE);
	ck_assert_uint_ne(k->control[atom].wait >> k->control[load].wbar & 1, 0);
}
END_TEST

/* The load issues behind the store of the round before, in the same queue: who waits for what it loads need not wait
 * until that store has read its data, which it overwrites. */
START_TEST(a_store_of_the_round_before_has_read_its_sources)
{
	struct kernel *k = compile_for(targets[_i], HEAD "mov.u32 %r3, 0;\nL:\nld.global.u32 %r2, [%d1];\n"
							 "add.s32 %r3, %r3, %r2; st.global.u32 [%d1+4], %r3;\n"
							 "setp.lt.s32 %q1, %r2, 100; @%q1 bra L;\nret;\n}\n");
	const uint32_t add = nth(k, "add.s32", 0), store = nth(k, "st.u32", 0);

	ck_assert_uint_eq(insn_dst(k, &k->insn[add])->val, insn_src(k, &k->insn[store])[1].val);
	ck_assert_uint_eq(k->control[store].rbar, NO_BARRIER);
}
END_TEST

START_TEST(what_nobody_depends_on_raises_nothing)
{
	struct kernel *k =
		compile_for(targets[_i], HEAD "ld.global.u32 %r1, [%d1]; st.global.u32 [%d1+4], %r1; ret;\n}\n");

	ck_assert_uint_eq(k->control[nth(k, "st.u32", 0)].rbar, NO_BARRIER);
	/* its address is overwritten by nobody */
	ck_assert_uint_eq(k->control[nth(k, "ld.u32", 0)].rbar, NO_BARRIER);
	ck_assert_uint_lt(k->control[nth(k, "ld.u32", 0)].wbar, BARRIERS_OF_DEPENDENCE);

	/* a guard is no general register: it has been read when its instruction issues, and may be overwritten */
	k = compile_for(targets[_i], HEAD "ld.global.u32 %r1, [%d1]; setp.lt.s32 %q1, %r1, 9;\n"
					  "@%q1 st.global.u32 [%d1+4], %r1; setp.lt.s32 %q1, %r1, 7;\n"
					  "@%q1 st.global.u32 [%d1+8], %r1; ret;\n}\n");
	ck_assert_uint_eq(k->insn[nth(k, "st.u32", 0)].guard.val, k->insn[nth(k, "st.u32", 1)].guard.val);
	ck_assert_uint_eq(k->control[nth(k, "st.u32", 0)].rbar, NO_BARRIER);
}
END_TEST

/* A load whose address changes before its result is there raises two barriers, of which the first to be waited for must
 * not wait for the other. It would be the cheapest to share with: the five sums that have the rest take longer. */
START_TEST(sources_and_results_of_one_instruction_have_barriers_of_their_own)
{
	const struct control_code *c;
	struct kernel *k;

	cx.opt.schedule = false;
	k = compile_for(86, HEAD "ld.global.f64 %g1, [%d1+8]; mov.u64 %d2, %d1;\n"
				 "ld.global.u32 %r1, [%d1]; add.f64 %g2, %g1, %g1; mul.f64 %g3, %g1, %g1;\n"
				 "fma.rn.f64 %g4, %g1, %g1, %g1; sub.f64 %g5, %g1, 0d4000000000000000; add.f64 %g6, "
				 "%g1, 0d4008000000000000;\n"
				 "add.s64 %d1, %d1, 64; st.global.u32 [%d2], %r1; st.global.f64 [%d2+8], %g2;\n"
				 "st.global.f64 [%d2+16], %g3; st.global.f64 [%d2+24], %g4;\n"
				 "st.global.f64 [%d2+32], %g5; st.global.f64 [%d2+40], %g6;\n"
				 "st.global.u64 [%d2+48], %d1; ret;\n}\n");
	c = &k->control[nth(k, "ld.u32", 0)];
	ck_assert_uint_lt(c->wbar, BARRIERS_OF_DEPENDENCE);
	ck_assert_uint_lt(c->rbar, BARRIERS_OF_DEPENDENCE);
	ck_assert_uint_ne(c->wbar, c->rbar);
}
END_TEST

START_TEST(where_stall_counts_are_too_short_a_barrier_tells)
{
	struct kernel *k = compile_for(
		86, HEAD "ld.global.u32 %r1, [%d1]; ld.global.f32 %f1, [%d1+4];\n"
			 "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r1,%r1}, {%r1}, "
			 "{%f1,%f1,%f1,%f1};\n"
			 "add.f32 %f6, %f2, %f3; st.global.f32 [%d1], %f6; ret;\n}\n");
	const uint32_t mma = nth(k, "mma", 0);

	ck_assert_uint_gt(sass_latency(86, false, UNIT_MMA_HALF, UNIT_FMA), 15);
	ck_assert_uint_lt(k->control[mma].wbar, BARRIERS_OF_DEPENDENCE);
	ck_assert_uint_ne(k->control[nth(k, "add.f32", 0)].wait >> k->control[mma].wbar & 1, 0);
}
END_TEST

/* A guarded move overwrites a result of a product, and must not be there before it; nobody reads it in between. The
 * additions last until the guard is there. */
START_TEST(a_short_write_comes_behind_a_long_one)
{
	struct kernel *k;
	unsigned behind = 0;

	cx.opt.schedule = false;
	k = compile_for(86, HEAD "ld.global.u32 %r1, [%d1]; setp.lt.s32 %q1, %r1, 9; add.s32 %r6, %r1, %r1;\n"
				 "add.s32 %r6, %r6, %r6; add.s32 %r6, %r6, %r6; add.s32 %r6, %r6, %r6;\n"
				 "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r2,%r3,%r4,%r5}, {%r1,%r1}, {%r1}, "
				 "{%r1,%r1,%r1,%r1};\n@%q1 mov.u32 %r2, 7; st.global.u32 [%d1], %r2;\n"
				 "st.global.u32 [%d1+4], %r6; ret;\n}\n");
	for (uint32_t i = nth(k, "mma", 0); k->insn[i].guard.kind == REF_NONE; i++)
		behind += k->control[i].stall;
	ck_assert_uint_eq(behind,
			  sass_latency_least(86, false, UNIT_MMA_INT) - sass_latency_least(86, false, UNIT_SELECT));
}
END_TEST

/* The flag of slot a of the first of these, and whether that of slot b is set. */
#define FMAS(second)                                                                                                 \
	HEAD "ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d1+4]; ld.global.f32 %f3, [%d1+8]; ld.global.f32 %f4, " \
	     "[%d1+12];\nfma.rn.f32 %f5, %f1, %f2, %f3; " second                                                     \
	     "\nst.global.f32 [%d1], %f5; st.global.f32 [%d1+4], %f6; st.global.f32 [%d1+8], %f4; ret;\n}\n"

#define BETWEEN(f) "fma.rn.f32 %f5, %f" f ", %f4, %f5; "
#define PAIRS                                                                                                    \
	HEAD "ld.global.u64 %d2, [%d1]; ld.global.f32 %f1, [%d1+8]; ld.global.f32 %f2, [%d1+12];\nadd.s64 %d3, " \
	     "%d2, %d1; add.f32 %f3, %f2, %f1; add.s64 %d4, %d2, %d1; st.global.u64 [%d1], %d4;\n"               \
	     "st.global.u64 [%d1+8], %d3; st.global.f32 [%d1+16], %f3; ret;\n}\n"

START_TEST(an_operand_is_kept_for_the_same_slot)
{
	static const struct {
		const char *text;
		unsigned reuse;
	} row[] = {
		{ FMAS("fma.rn.f32 %f6, %f1, %f4, %f4;"), 1 },
		{ FMAS("fma.rn.f32 %f6, %f1, %f2, %f4;"), 3 },
		{ FMAS("fma.rn.f32 %f6, %f4, %f1, %f4;"), 0 },
		{ FMAS("add.f32 %f6, %f1, %f4;"), 1 },
		{ FMAS("sin.approx.f32 %f6, %f1;"), 0 }, /* looks at no flag */
		/* the other bank's keep nothing from it, but the fifth that looks is too far behind */
		{ FMAS(BETWEEN("4") BETWEEN("4") BETWEEN("4") "fma.rn.f32 %f6, %f1, %f4, %f5;"), 1 },
		{ FMAS(BETWEEN("4") BETWEEN("4") BETWEEN("4") BETWEEN("4") "fma.rn.f32 %f6, %f1, %f4, %f5;"), 0 },
		{ FMAS(BETWEEN("3") "fma.rn.f32 %f6, %f1, %f4, %f5;"), 0 }, /* of its bank */
		{ PAIRS, 0 }, /* a register of either bank is in that of a pair */
	};
	const struct control_code *c;
	struct kernel *k;

	cx.opt.schedule = false;
	k = compile_for(86, row[_i].text);
	c = &k->control[_i < 8 ? nth(k, "fma.rn.f32", 0) : nth(k, "add.s64", 0)];
	ck_assert_uint_eq(c->reuse, row[_i].reuse);
	ck_assert(!c->reuse || (c->yield && c->stall <= 11)); /* flags are illegal with the hint to yield */
}
END_TEST

/* ---- the choice of barriers ---- */
/* Instruction 9, which executes 8 times, waits for event 0 while event 1 is outstanding, which is 32 cycles late. That
 * costs nothing where event 1 is certainly done when event 0 is: it came before it, in the same queue and the block of
 * who waits, and is no result where event 0 tells of sources alone. */
START_TEST(a_wait_costs_what_is_not_needed_and_not_done)
{
	static const struct {
		uint8_t barrier[2], queue[2], write[2];
		uint32_t insn[2], block_first;
		double cost;
	} row[] = {
		{ { 0, 1 }, { 1, 2 }, { 1, 1 }, { 5, 4 }, 0, 0 },   /* barriers of their own */
		{ { 0, 0 }, { 1, 2 }, { 1, 1 }, { 5, 4 }, 0, 256 }, /* another queue */
		{ { 0, 0 }, { 0, 0 }, { 1, 1 }, { 5, 4 }, 0, 256 }, /* no queue */
		{ { 0, 0 }, { 1, 1 }, { 1, 1 }, { 5, 4 }, 0, 0 },   /* before it in its queue */
		{ { 0, 0 }, { 1, 1 }, { 1, 1 }, { 4, 5 }, 0, 256 }, /* behind it */
		{ { 0, 0 }, { 1, 1 }, { 1, 1 }, { 5, 4 }, 5, 0 },   /* before the block, too */
		{ { 0, 0 }, { 1, 1 }, { 1, 1 }, { 5, 4 }, 6, 256 }, /* who knows on which way event 0 came */
		{ { 0, 0 }, { 1, 1 }, { 1, 1 }, { 9, 4 }, 0, 256 }, /* of the iteration before */
		{ { 0, 0 }, { 1, 1 }, { 1, 1 }, { 5, 9 }, 0, 0 },   /* event 1 is of the iteration before */
		{ { 0, 0 }, { 1, 1 }, { 0, 1 }, { 5, 4 }, 0, 256 }, /* read is not yet written */
		{ { 0, 0 }, { 1, 1 }, { 1, 0 }, { 5, 4 }, 0, 0 },
		{ { 0, 0 }, { 1, 1 }, { 0, 0 }, { 5, 4 }, 0, 0 },
		{ { 0, NO_BARRIER }, { 1, 2 }, { 1, 1 }, { 5, 4 }, 0, 0 },
	};
	uint32_t both[] = { 0, 1 };

	for (unsigned n = 0; n < sizeof row / sizeof *row; n++) {
		struct barrier_event e[2];
		struct barrier_point x = {
			.nwait = 1, .n = 2, .insn = 9, .block_first = row[n].block_first, .weight = 8
		};
		struct barrier_problem p = {
			.event = e, .point = &x, .nevent = 2, .npoint = 1, .list = both, .nlist = 2
		};
		double cost;

		for (unsigned i = 0; i < 2; i++)
			e[i] = (struct barrier_event){ .insn = row[n].insn[i],
						       .write = row[n].write[i],
						       .late = 32,
						       .queue = row[n].queue[i],
						       .barrier = row[n].barrier[i],
						       .twin = UINT32_MAX };
		cost = barriers_cost(&p);
		ck_assert_msg(cost <= row[n].cost && cost >= row[n].cost, "row %u: %g, not %g", n, cost, row[n].cost);
	}
}
END_TEST

/* So many instructions begin something, in one of the queues, and as many wait for one of what is outstanding each.
 * With fewer than nine, six barriers are always enough. */
static struct barrier_problem random_problem(uint64_t *r, uint32_t events)
{
	struct barrier_problem p = { .event = new_array(&arena, struct barrier_event, events),
				     .point = new_array(&arena, struct barrier_point, events),
				     .list = new_array(&arena, uint32_t, (size_t)events * events) };
	uint32_t *out = new_array(&arena, uint32_t, events), n = 0;

	for (uint32_t i = 0; i < 2 * events; i++) {
		struct barrier_point *x = &p.point[p.npoint];
		uint32_t at;

		if (p.nevent < events && (n < 7 || !rng_below(r, 2))) {
			const uint8_t queue = (uint8_t)rng_below(r, 3);

			p.event[p.nevent] = (struct barrier_event){ .insn = i,
								    .write = rng_below(r, 4) != 0,
								    .late = (uint8_t)(8 + rng_below(r, 32)),
								    .queue = queue,
								    .barrier = NO_BARRIER,
								    .twin = UINT32_MAX };
			out[n++] = p.nevent++;
			continue;
		}
		*x = (struct barrier_point){ p.nlist, 1, n, i, 0, 1 + rng_below(r, 8) };
		at = rng_below(r, n);
		p.list[p.nlist++] = out[at];
		out[at] = out[--n];
		for (uint32_t d = 0; d < n; d++)
			p.list[p.nlist++] = out[d];
		p.npoint++;
	}
	return p;
}

/* The least cost of all choices, from event e on, with so many barriers in use. */
static double least_cost(struct barrier_problem *p, uint32_t e, unsigned used)
{
	double least = -1;

	if (e == p->nevent)
		return barriers_cost(p);
	for (unsigned b = 0; b <= used && b < BARRIERS_OF_DEPENDENCE; b++) {
		double cost;

		p->event[e].barrier = (uint8_t)b;
		cost = least_cost(p, e + 1, used > b ? used : b + 1);
		least = least < 0 || cost < least ? cost : least;
	}
	return least;
}

START_TEST(barriers_are_shared_where_it_costs_least)
{
	uint64_t r = 1;
	double sum = 0, least = 0;
	unsigned exact = 0, n = (unsigned)rounds(60);

	for (unsigned x = 0; x < n; x++) {
		struct barrier_problem p = random_problem(&r, 9);
		double cost, best;

		barriers_assign(&p, &arena);
		for (uint32_t e = 0; e < p.nevent; e++)
			ck_assert_uint_lt(p.event[e].barrier, BARRIERS_OF_DEPENDENCE);
		cost = barriers_cost(&p);
		best = least_cost(&p, 0, 0);
		ck_assert(best <= cost);
		exact += best >= cost;
		sum += cost;
		least += best;
	}
	if (getenv("VERBOSE"))
		printf("barriers: %u of %u exact, %.0f cycles of the least %.0f\n", exact, n, sum, least);
	ck_assert_msg(exact * 20 >= n * 19, "%u of %u are exact", exact, n);
	ck_assert_msg(sum <= 1.02 * least + 1, "%g of %g", sum, least);
}
END_TEST

/* No event is cheaper with another barrier, the rest being as it is. */
static bool none_moves(struct barrier_problem *p)
{
	const double cost = barriers_cost(p);
	bool moves = false;

	for (uint32_t e = 0; e < p->nevent; e++) {
		const uint8_t was = p->event[e].barrier;

		for (unsigned b = 0; b < BARRIERS_OF_DEPENDENCE; b++) {
			p->event[e].barrier = (uint8_t)b;
			moves |= barriers_cost(p) < cost;
		}
		p->event[e].barrier = was;
	}
	return !moves;
}

/* However rarely code is executed: no choice depends on how often, only on how much oftener than other code. */
START_TEST(barriers_depend_on_no_unit_of_time)
{
	enum { EVENTS = 9, PROBLEMS = 60 };

	for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
		uint64_t r = seed, again = seed;
		struct barrier_problem p = random_problem(&r, EVENTS), rare = random_problem(&again, EVENTS);

		for (uint32_t x = 0; x < rare.npoint; x++)
			rare.point[x].weight /= 1 << 20;
		barriers_assign(&p, &arena);
		barriers_assign(&rare, &arena);
		for (uint32_t e = 0; e < p.nevent; e++)
			ck_assert_uint_eq(p.event[e].barrier, rare.event[e].barrier);
	}
}
END_TEST

/* With more than 24 events none is pushed, but single ones still move while that is cheaper: four rounds, which are
 * enough for nearly all. */
START_TEST(no_event_of_many_is_cheaper_elsewhere)
{
	enum { EVENTS = 40, PROBLEMS = 50 };
	unsigned still = 0;
	uint64_t r = 1;

	for (unsigned x = 0; x < PROBLEMS; x++) {
		struct barrier_problem p = random_problem(&r, EVENTS);

		barriers_assign(&p, &arena);
		still += none_moves(&p);
	}
	if (getenv("VERBOSE"))
		printf("barriers: in %u of %u nothing moves\n", still, PROBLEMS);
	ck_assert_msg(still * 10 >= PROBLEMS * 9, "in %u of %u nothing moves", still, PROBLEMS);
}
END_TEST

/* Pushing takes the square of their number, which would be minutes here. */
START_TEST(long_code_takes_no_square_of_its_events)
{
	enum { EVENTS = 800 };
	uint64_t r = 1;
	struct barrier_problem p = random_problem(&r, EVENTS);

	barriers_assign(&p, &arena);
	for (uint32_t e = 0; e < EVENTS; e++)
		ck_assert_uint_lt(p.event[e].barrier, BARRIERS_OF_DEPENDENCE);
}
END_TEST

Suite *suite_control(void)
{
	Suite *s = suite_create("control");
	TCase *t = tcase_create("codes");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, nothing_waits_longer_than_it_must, 0, TARGETS);
	tcase_add_loop_test(t, a_loop_waits_for_what_it_has_loaded_before, 0, TARGETS);
	tcase_add_loop_test(t, who_reads_first_in_a_block_waits_at_the_end_of_the_one_before, 0, TARGETS);
	tcase_add_loop_test(t, a_store_has_read_its_sources_before_they_change, 0, TARGETS);
	tcase_add_loop_test(t, what_reads_and_overwrites_a_result_waits_for_it, 0, TARGETS);
	tcase_add_loop_test(t, a_store_of_the_round_before_has_read_its_sources, 0, TARGETS);
	tcase_add_loop_test(t, what_nobody_depends_on_raises_nothing, 0, TARGETS);
	tcase_add_test(t, sources_and_results_of_one_instruction_have_barriers_of_their_own);
	tcase_add_test(t, where_stall_counts_are_too_short_a_barrier_tells);
	tcase_add_test(t, a_short_write_comes_behind_a_long_one);
	tcase_add_loop_test(t, an_operand_is_kept_for_the_same_slot, 0, 9);
	tcase_add_test(t, a_wait_costs_what_is_not_needed_and_not_done);
	tcase_add_test(t, barriers_are_shared_where_it_costs_least);
	tcase_add_test(t, barriers_depend_on_no_unit_of_time);
	tcase_add_test(t, no_event_of_many_is_cheaper_elsewhere);
	tcase_add_test(t, long_code_takes_no_square_of_its_events);
	suite_add_tcase(s, t);
	return s;
}
