/* Repeated computations: each reason once, the edges of the window, what never counts, and a random stream against the
 * definition. */
#include "analyzer/base/rng.h"
#include "runtime-model/explain/counts.h"
#include "runtime-model/repeat/repeat.h"
#include "stream.h"

/* Two CTAs of two warps: slots 0, 1 and 2, 3. A value is one number; its hash is that number. */
struct bench {
	struct stream s;
	struct repeat *r;
	struct repeat_counts n;
};

static void bench_begin(struct bench *b)
{
	b->r = repeat_new(repeat_decode(b->s.k, &b->s.a), 4, &b->s.a);
	b->n = (struct repeat_counts){ .issued = 0 };
	repeat_begin(b->r);
	repeat_start(b->r, 0, 64, 10);
	repeat_start(b->r, 2, 64, 11);
}

static enum repeat_why in_lanes(struct bench *b, unsigned warp, uint32_t insn, uint32_t active, uint64_t result)
{
	const struct value_sig sig = { .hash = result };

	return repeat_step(b->r, warp, insn, active, &sig, &b->n).why;
}

static enum repeat_why step(struct bench *b, unsigned warp, uint32_t insn, uint64_t result)
{
	return in_lanes(b, warp, insn, UINT32_MAX, result);
}

static uint32_t special(struct bench *b, int dst, enum sreg s)
{
	uint32_t n = stream_insn(&b->s, OP_MOV_B32, dst, -1, -1, -1);

	insn_src(b->s.k, &b->s.k->insn[n])[0] = (struct ref){ .kind = REF_SREG, .val = s };
	return n;
}

static uint32_t constant(struct bench *b, int dst, uint64_t v)
{
	uint32_t n = stream_insn(&b->s, OP_MOV_B32, dst, -1, -1, -1);
	struct ref imm = ir_imm(b->s.k, v);

	insn_src(b->s.k, &b->s.k->insn[n])[0] = imm;
	return n;
}

/* In an order in which each reason is the first that applies. */
START_TEST(each_reason_once)
{
	struct bench b;
	uint32_t seven, tid, twice, load, again, use;

	stream_init(&b.s);
	seven = constant(&b, 1, 7);
	tid = special(&b, 2, SREG_TID_X);
	twice = stream_insn(&b.s, OP_ADD_S32, 3, 2, 2, -1);
	load = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 4, 3, -1);
	use = stream_insn(&b.s, OP_ADD_S32, 5, 4, 4, -1);
	again = stream_insn(&b.s, OP_ADD_S32, 6, 2, 2, -1);
	bench_begin(&b);

	ck_assert_int_eq(step(&b, 0, seven, 7), REPEAT_NOT);
	ck_assert_int_eq(step(&b, 1, seven, 7), REPEAT_UNIFORM);
	ck_assert_int_eq(step(&b, 0, tid, 100), REPEAT_NOT);
	ck_assert_int_eq(step(&b, 1, tid, 200), REPEAT_NOT);
	ck_assert_int_eq(step(&b, 2, tid, 100), REPEAT_CTA);
	/* as in a block of 32 x 2: from the next warp before the other CTA */
	ck_assert_int_eq(step(&b, 3, tid, 100), REPEAT_INDEX);
	ck_assert_int_eq(step(&b, 0, twice, 102), REPEAT_NOT);
	ck_assert_int_eq(step(&b, 1, twice, 202), REPEAT_NOT);
	ck_assert_int_eq(step(&b, 2, twice, 102), REPEAT_CTA);
	ck_assert_int_eq(step(&b, 0, again, 102), REPEAT_AGAIN); /* another instruction of the same warp */
	ck_assert_int_eq(step(&b, 0, twice, 102), REPEAT_LOOP);

	ck_assert_int_eq(step(&b, 0, load, 55), REPEAT_NOT);
	ck_assert_int_eq(step(&b, 1, load, 55), REPEAT_NOT); /* another address, the same value */
	ck_assert_int_eq(step(&b, 2, load, 55), REPEAT_CTA); /* the same address: follows from the index */
	ck_assert_int_eq(step(&b, 0, use, 110), REPEAT_NOT);
	ck_assert_int_eq(step(&b, 1, use, 110), REPEAT_EQUAL);
	ck_assert_int_eq(step(&b, 2, use, 110), REPEAT_ELEMENT);
	ck_assert_uint_eq(b.n.issued, 17);
	ck_assert_uint_eq(b.n.repeated, 9);
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		ck_assert_uint_eq(b.n.why[i] > 0, i != REPEAT_REWRITTEN);
	stream_free(&b.s);
}
END_TEST

/* The inputs of a loop's body stay what they are, though a register is used for two things and what the body makes is
 * written anew each time. */
START_TEST(a_body_without_new_inputs_is_invariant)
{
	struct bench b;
	uint32_t load, first, second, third;

	stream_init(&b.s);
	load = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 4, 3, -1);
	first = stream_insn(&b.s, OP_ADD_S32, 5, 4, 4, -1);
	second = stream_insn(&b.s, OP_MUL_LO_S32, 6, 5, 5, -1);
	third = stream_insn(&b.s, OP_MUL_LO_S32, 5, 6, 6, -1);
	bench_begin(&b);
	step(&b, 0, load, 1);
	for (unsigned i = 0; i < 3; i++) {
		const enum repeat_why want = i ? REPEAT_LOOP : REPEAT_NOT;

		ck_assert_int_eq(step(&b, 0, first, 2), want);
		ck_assert_int_eq(step(&b, 0, second, 4), want);
		ck_assert_int_eq(step(&b, 0, third, 16), want);
	}
	ck_assert_int_eq(step(&b, 0, load, 1), REPEAT_LOOP); /* never written: the same address */
	ck_assert_int_eq(step(&b, 0, first, 2), REPEAT_LOOP);
	step(&b, 0, load, 3); /* memory has changed, and changes back */
	step(&b, 0, load, 1);
	ck_assert_int_eq(step(&b, 0, first, 2), REPEAT_ELEMENT); /* written, with the same */
	stream_free(&b.s);
}
END_TEST

/* A tile that each iteration stores anew between two barriers: its loads may find other values, and are not to be
 * hoisted. */
START_TEST(a_load_of_a_rewritten_tile_is_not_invariant)
{
	struct bench b;
	uint32_t tid, store, barrier, load, use;

	stream_init(&b.s);
	tid = special(&b, 2, SREG_TID_X);
	store = stream_memory(&b.s, OP_ST_B32, SP_SHARED, -1, 2, 3);
	barrier = stream_insn(&b.s, OP_BAR_SYNC, -1, -1, -1, -1);
	load = stream_memory(&b.s, OP_LD_B32, SP_SHARED, 4, 2, -1);
	use = stream_insn(&b.s, OP_ADD_S32, 5, 4, 4, -1);
	bench_begin(&b);
	for (unsigned w = 0; w < 4; w++)
		step(&b, w, tid, 100 * (w % 2));
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned w = 0; w < 2; w++) {
			step(&b, w, store, 0);
			step(&b, w, barrier, 0);
			ck_assert_int_eq(step(&b, w, load, 7 + w), i ? REPEAT_REWRITTEN : REPEAT_NOT);
			ck_assert_int_eq(step(&b, w, use, 14 + w), i ? REPEAT_EQUAL : REPEAT_NOT);
			ck_assert_int_eq(step(&b, w, load, 7 + w), REPEAT_LOOP); /* nothing in between */
			ck_assert_int_eq(step(&b, w, use, 14 + w), REPEAT_LOOP);
		}
	}
	step(&b, 2, store, 0);
	step(&b, 2, barrier, 0);
	ck_assert_int_eq(step(&b, 2, load, 7), REPEAT_CTA);
	stream_free(&b.s);
}
END_TEST

/* What may change memory, for loads of which memory; and what other warps have found since is as before. */
START_TEST(memory_may_change_by_what_its_warp_does)
{
	enum {
		STORE_SHARED,
		STORE_GLOBAL,
		STORE_LOCAL,
		STORE_GENERIC,
		ATOMIC,
		BARRIER,
		ARRIVE,
		FENCE,
		NOTHING,
		EVENTS
	};
	enum { SHARED, GLOBAL, LOCAL, GENERIC, READ_ONLY, CONSTANT, LOADS };
	static const enum space space[] = { SP_SHARED, SP_GLOBAL, SP_LOCAL, SP_GENERIC };
	/* by LOADS */
	static const char *const changes[EVENTS] = { "s  g", " g g", "  lg", "sglg", " g g",
						     "sg g", "    ", "sg g", "    " };
	struct bench b;
	uint32_t event[EVENTS], load[LOADS];

	stream_init(&b.s);
	for (unsigned i = 0; i <= STORE_GENERIC; i++) {
		event[i] = stream_memory(&b.s, OP_ST_B32, space[i], -1, 2, 3);
		load[i] = stream_memory(&b.s, OP_LD_B32, space[i], 4, 2, -1);
	}
	event[ATOMIC] = stream_memory(&b.s, OP_ATOM_ADD_U32, SP_GLOBAL, 5, 2, 3);
	event[BARRIER] = stream_insn(&b.s, OP_BAR_SYNC, -1, -1, -1, -1);
	event[ARRIVE] = stream_insn(&b.s, OP_BAR_ARRIVE, -1, -1, -1, -1);
	event[FENCE] = stream_insn(&b.s, OP_MEMBAR, -1, -1, -1, -1);
	event[NOTHING] = stream_insn(&b.s, OP_ADD_S32, 6, 7, 7, -1);
	load[READ_ONLY] = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	b.s.k->insn[load[READ_ONLY]].cop = COP_NC;
	load[CONSTANT] = stream_memory(&b.s, OP_LD_B32, SP_CONST, 4, 2, -1);
	for (unsigned l = 0; l < LOADS; l++)
		for (unsigned e = 0; e < EVENTS; e++) {
			const bool changed = l < READ_ONLY && changes[e][l] != ' ';

			bench_begin(&b);
			ck_assert_int_eq(step(&b, 0, load[l], 7), REPEAT_NOT);
			step(&b, 0, event[e], 0);
			ck_assert_msg(step(&b, 0, load[l], 7) == (changed ? REPEAT_REWRITTEN : REPEAT_LOOP),
				      "load %u behind %u", l, e);
		}
	b.s.k->insn[load[GLOBAL]].mods |= MOD_VOLATILE;
	bench_begin(&b);
	step(&b, 0, load[GLOBAL], 7);
	ck_assert_int_eq(step(&b, 0, load[GLOBAL], 7), REPEAT_REWRITTEN);
	b.s.k->insn[load[GLOBAL]].mods &= ~(unsigned)MOD_VOLATILE;

	/* Another warp has loaded from the same global address: that is the reason. */
	load[GLOBAL] = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 4, MREG_RZ, -1);
	bench_begin(&b);
	step(&b, 0, load[GLOBAL], 7);
	ck_assert_int_eq(step(&b, 1, load[GLOBAL], 7), REPEAT_UNIFORM);
	step(&b, 0, event[STORE_GLOBAL], 0);
	ck_assert_int_eq(step(&b, 0, load[GLOBAL], 7), REPEAT_UNIFORM);
	stream_free(&b.s);
}
END_TEST

START_TEST(what_never_counts)
{
	struct bench b;
	uint32_t store, atomic, jump, clock, unwritten, tid, some;

	stream_init(&b.s);
	store = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 2, 3);
	atomic = stream_memory(&b.s, OP_ATOM_ADD_U32, SP_GLOBAL, 4, 2, 3);
	jump = stream_insn(&b.s, OP_BRA, -1, -1, -1, -1);
	clock = special(&b, 5, SREG_CLOCK);
	unwritten = stream_insn(&b.s, OP_ADD_S32, 6, 9, 9, -1);
	tid = special(&b, 2, SREG_TID_X);
	some = stream_insn(&b.s, OP_ADD_S32, 7, 2, 2, -1);
	bench_begin(&b);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(step(&b, 0, store, 0), REPEAT_NOT);
		ck_assert_int_eq(step(&b, 0, atomic, 8), REPEAT_NOT);
		ck_assert_int_eq(step(&b, 0, jump, 0), REPEAT_NOT);
		ck_assert_int_eq(step(&b, 0, clock, 1000 + i), REPEAT_NOT);
		ck_assert_int_eq(step(&b, i, unwritten, 0), REPEAT_NOT); /* each warp has its own nothing */
	}
	step(&b, 0, tid, 1);
	ck_assert_int_eq(step(&b, 2, tid, 1), REPEAT_CTA);
	ck_assert_int_eq(in_lanes(&b, 0, some, 0xff, 2), REPEAT_NOT);
	ck_assert_int_eq(in_lanes(&b, 2, some, 0xff0, 2), REPEAT_NOT); /* other lanes: another computation */
	ck_assert_int_eq(in_lanes(&b, 2, some, 0xff, 2), REPEAT_CTA);
	ck_assert_int_eq(repeat_step(b.r, 2, some, 0, NULL, &b.n).why, REPEAT_NOT);
	ck_assert_uint_eq(b.n.repeated, 2);
	stream_free(&b.s);
}
END_TEST

/* A predicate has no hash: with all lanes the results tell, else the computation that made it. */
START_TEST(predicates_are_known_by_results_or_by_what_made_them)
{
	struct bench b;
	uint32_t one, two, test, pick, set;

	stream_init(&b.s);
	one = constant(&b, 1, 1);
	two = constant(&b, 1, 2);
	test = stream_insn(&b.s, OP_SETP_LT_S32, MREG_P0, 1, 1, -1);
	pick = stream_insn(&b.s, OP_SELP_B32, 3, 2, 2, MREG_P0);
	set = stream_insn(&b.s, OP_NOT_PRED, MREG_P0 + 1, MREG_P0, -1, -1);
	bench_begin(&b);
	step(&b, 0, one, 1);
	ck_assert_int_eq(step(&b, 0, test, 0), REPEAT_NOT);
	step(&b, 0, pick, 5);
	step(&b, 0, set, 0);
	ck_assert_int_eq(step(&b, 0, set, 0), REPEAT_LOOP);
	step(&b, 0, two, 2);
	ck_assert_int_eq(step(&b, 0, test, 0), REPEAT_NOT);
	/* the predicate was written; the result is the same */
	ck_assert_int_eq(step(&b, 0, pick, 5), REPEAT_AGAIN);
	ck_assert_int_eq(step(&b, 0, pick, 6), REPEAT_NOT); /* it picks differently */
	ck_assert_int_eq(step(&b, 0, set, 0), REPEAT_NOT);
	stream_free(&b.s);
}
END_TEST

/* A thousand instructions back is in the window, one more is not. */
START_TEST(the_window_is_a_thousand)
{
	for (unsigned between = 998; between <= 1000; between++) {
		struct bench b;
		uint32_t seven, store;

		stream_init(&b.s);
		seven = constant(&b, 1, 7);
		store = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 2, 3);
		bench_begin(&b);
		for (unsigned i = 0; i < 77; i++)
			step(&b, 1, store, 0);
		step(&b, 0, seven, 7);
		for (unsigned i = 0; i < between; i++)
			step(&b, 1, store, 0);
		ck_assert_int_eq(step(&b, 0, seven, 7), between < REPEAT_WINDOW ? REPEAT_LOOP : REPEAT_NOT);
		stream_free(&b.s);
	}
}
END_TEST

/* Often: the eleventh in the window. In the paper's windows, which do not overlap, ten of the eleven count then, and
 * the one before is left out. */
START_TEST(often_is_more_than_ten_times)
{
	struct bench b;
	uint32_t seven, store;

	stream_init(&b.s);
	seven = constant(&b, 1, 7);
	store = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 2, 3);
	bench_begin(&b);
	for (unsigned i = 0; i < 10; i++)
		step(&b, i % 4, seven, 7);
	ck_assert_uint_eq(b.n.often, 0);
	ck_assert_uint_eq(repeat_samples(b.r)->often, 0);
	step(&b, 0, seven, 7);
	ck_assert_uint_eq(b.n.often, 1);
	ck_assert_uint_eq(b.n.repeated, 10);
	ck_assert_uint_eq(repeat_samples(b.r)->repeated, 10);
	ck_assert_uint_eq(repeat_samples(b.r)->first, 1);
	ck_assert_uint_eq(repeat_samples(b.r)->often, 10);
	step(&b, 0, seven, 7);
	ck_assert_uint_eq(repeat_samples(b.r)->often, 11);
	for (unsigned i = 12; i < REPEAT_WINDOW; i++)
		step(&b, 1, store, 0);
	/* the first of the paper's next window; ours slides */
	step(&b, 0, seven, 7);
	ck_assert_uint_eq(b.n.repeated, 12);
	ck_assert_uint_eq(repeat_samples(b.r)->repeated, 11);
	stream_free(&b.s);
}
END_TEST

/* Random additions over few registers and values: what repeats, and how often, as the definition says, and the reasons
 * sum to it. */
START_TEST(a_random_stream_counts_as_defined)
{
	enum { STEPS = 20000, REGS = 4, OPS = 3 };
	static const enum op ops[OPS] = { OP_ADD_S32, OP_SUB_S32, OP_AND_B32 };
	struct {
		uint64_t a, b;
		uint32_t op;
	} past[STEPS];
	uint64_t held[4][REGS], rng = 7 + (uint64_t)_i, sum = 0;
	struct bench b;
	struct repeat_counts want = { .issued = STEPS };

	stream_init(&b.s);
	for (int op = 0; op < OPS; op++)
		for (int d = 0; d < REGS; d++)
			for (int x = 0; x < REGS * REGS; x++)
				stream_insn(&b.s, ops[op], d, x / REGS, x % REGS, -1);
	bench_begin(&b);
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < REGS; i++)
			held[w][i] = UINT64_MAX - w * REGS - i; /* unlike any other */
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned w = rng_below(&rng, 4), op = rng_below(&rng, OPS), d = rng_below(&rng, REGS),
			 x = rng_below(&rng, REGS * REGS), times = 0;
		const uint64_t p = held[w][x / REGS], q = held[w][x % REGS],
			       result = mix64(p * 3 + q * 5 + op) % (3 + 40 * (uint64_t)_i);

		past[i].a = p;
		past[i].b = q;
		past[i].op = op;
		for (unsigned k = i > REPEAT_WINDOW ? i - REPEAT_WINDOW : 0; k < i; k++)
			times += past[k].a == p && past[k].b == q && past[k].op == op;
		want.repeated += times > 0;
		want.often += times >= REPEAT_OFTEN;
		ck_assert_int_eq(step(&b, w, (op * REGS + d) * REGS * REGS + x, result) != REPEAT_NOT, times > 0);
		held[w][d] = result;
	}
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		sum += b.n.why[i];
	ck_assert_uint_eq(b.n.issued, want.issued);
	ck_assert_uint_eq(b.n.repeated, want.repeated);
	ck_assert_uint_eq(b.n.often, want.often);
	ck_assert_uint_eq(sum, want.repeated);
	ck_assert_uint_gt(want.repeated, STEPS / 10);
	stream_free(&b.s);
}
END_TEST

/* From the SM: warps, CTAs and signatures arrive; a new launch begins with an empty window. */
START_TEST(the_model_tells_what_is_needed)
{
	static const struct value_sig sig = { .hash = 9 };
	struct stream s;
	struct explain *x;
	struct counts c;

	stream_init(&s);
	x = explain_new(true, &s.a);
	s.watcher = explain_probe(x, NULL);
	s.warps = 2;
	s.ctas = 2;
	stream_insn(&s, OP_MOV_B32, 1, -1, -1, -1);
	insn_src(s.k, &s.k->insn[0])[0] = (struct ref){ .kind = REF_SREG, .val = SREG_TID_X };
	stream_insn(&s, OP_ADD_S32, 2, 1, 1, -1);
	stream_straight(&s, 0);
	for (unsigned i = 0; i < 2; i++) {
		s.rec[0][i].nsig = 1;
		s.rec[0][i].sig = &sig;
	}
	ck_assert_uint_eq(probe_records(s.watcher), WANT_SIG);
	for (unsigned launch = 1; launch <= 2; launch++) {
		ck_assert(stream_run(&s));
		ck_assert_msg(explain_check(x, false, &s.d), "%s", s.d.last);
		counts_merge(&c, x, x->first, &s.a);
		ck_assert_uint_eq(c.repeat.issued, 8 * launch);
		ck_assert_uint_eq(c.repeat.repeated, 6 * launch);
		ck_assert_uint_eq(c.insn[0].repeat.repeated, 3 * launch);
		ck_assert_uint_eq(c.repeat.why[REPEAT_INDEX] + c.repeat.why[REPEAT_CTA], 6 * launch);
		ck_assert_uint_ge(c.repeat.why[REPEAT_INDEX], 2 * launch);
		ck_assert_uint_ge(c.repeat.why[REPEAT_CTA], 2 * launch);
		ck_assert_uint_eq(c.samples.repeated, 6 * launch);
	}
	x->first->sm[0]->insn[0]->repeat.why[REPEAT_CTA]++;
	ck_assert(!explain_check(x, false, &s.d));
	ck_assert_ptr_nonnull(strstr(s.d.last, "repeats by reason"));
	explain_free(x);
	stream_free(&s);
}
END_TEST

/* A pair of equals: the first one comes to `first`, reads `from` and has retired or not; then the second one has
 * `outcome`. */
static const struct fate {
	enum reuse_outcome first, outcome;
	uint64_t from;
	bool asked, retired, pending;
	enum became want;
} fates[] = {
	{ OUTCOME_NEW, OUTCOME_REUSED, 1, true, true, false, BECAME_REUSED },
	{ OUTCOME_NEW, OUTCOME_REUSED_LATE, 1, true, false, true, BECAME_LATE },
	{ OUTCOME_NEW, OUTCOME_NEW, 1, true, true, false, BECAME_ENTRY },
	{ OUTCOME_REUSED, OUTCOME_NEW, 1, true, true, true, BECAME_ENTRY },
	{ OUTCOME_NEW, OUTCOME_NEW, 1, true, false, true, BECAME_ENTRY }, /* it was there before its result */
	{ OUTCOME_NEW, OUTCOME_NEW, 2, true, true, false, BECAME_REGISTERS },
	{ OUTCOME_NEW, OUTCOME_NEW, 1, true, false, false, BECAME_EARLY },
	{ OUTCOME_NEW, OUTCOME_NEW, 1, false, false, true, BECAME_EARLY }, /* not even looked up */
	{ OUTCOME_PINNED, OUTCOME_NEW, 1, true, true, true, BECAME_NEVER },
	{ OUTCOME_KIND, OUTCOME_NEW, 1, true, false, false, BECAME_NEVER },
	{ OUTCOME_NEW, OUTCOME_QUEUE_FULL, 1, true, false, true, BECAME_QUEUE },
	{ OUTCOME_NEW, OUTCOME_RACE, 1, true, true, true, BECAME_RACE },
	{ OUTCOME_KIND, OUTCOME_KIND, 1, true, true, true, BECAME_KIND },
	{ OUTCOME_DIVERGENT, OUTCOME_DIVERGENT, 1, true, true, true, BECAME_DIVERGENT },
	{ OUTCOME_NEW, OUTCOME_PINNED, 1, true, true, true, BECAME_PINNED },
	{ OUTCOME_NEW, OUTCOME_UNMAPPED, 1, true, true, true, BECAME_UNMAPPED },
	{ OUTCOME_NEW, OUTCOME_STORE, 1, true, true, true, BECAME_STORE },
	{ OUTCOME_NEW, OUTCOME_BARRIERS, 1, true, true, true, BECAME_BARRIERS },
};

START_TEST(what_becomes_of_an_equal)
{
	const struct fate *f = &fates[_i];
	const struct probe_event one = { .id = 5, .where = f->first, .sources = f->from },
				 two = { .id = 6, .where = f->outcome, .sources = 1 };
	const struct repeat_found first = { .why = REPEAT_NOT, .at = 40 },
				  second = { .why = REPEAT_CTA, .at = 900, .equal = 40 };
	struct became_counts n = { .beyond = 0 };
	struct reuse_watch *w;
	struct arena a;

	arena_init(&a);
	w = reuse_watch_new(&a);
	reuse_watch_begin(w, f->pending);
	reuse_watch_issue(w, &one, &first, &n);
	if (f->asked)
		reuse_watch_outcome(w, &one, &n);
	if (f->retired)
		reuse_watch_retire(w, &one);
	ck_assert_uint_eq(n.beyond, f->first == OUTCOME_REUSED); /* reused, but no repeat */
	reuse_watch_issue(w, &two, &second, &n);
	ck_assert_uint_eq(n.of[BECAME_OPEN], 1);
	reuse_watch_outcome(w, &two, &n);
	for (unsigned i = 0; i < BECAMES; i++)
		ck_assert_uint_eq(n.of[i], i == f->want);
	ck_assert_uint_eq(became_reused(&n), f->want == BECAME_REUSED || f->want == BECAME_LATE);
	arena_free(&a);
}
END_TEST

Suite *suite_repeat(void);

Suite *suite_repeat(void)
{
	Suite *s = suite_create("repeat");
	TCase *t = tcase_create("repeat");

	tcase_add_test(t, each_reason_once);
	tcase_add_test(t, a_body_without_new_inputs_is_invariant);
	tcase_add_test(t, a_load_of_a_rewritten_tile_is_not_invariant);
	tcase_add_test(t, memory_may_change_by_what_its_warp_does);
	tcase_add_test(t, what_never_counts);
	tcase_add_test(t, predicates_are_known_by_results_or_by_what_made_them);
	tcase_add_test(t, the_window_is_a_thousand);
	tcase_add_test(t, often_is_more_than_ten_times);
	tcase_add_loop_test(t, a_random_stream_counts_as_defined, 0, 3);
	tcase_add_test(t, the_model_tells_what_is_needed);
	tcase_add_loop_test(t, what_becomes_of_an_equal, 0, sizeof fates / sizeof *fates);
	suite_add_tcase(s, t);
	return s;
}
