/* The stages that a reuse that renames adds to the SM (sm/front.c, sm/rounds.c), with a reuse that does what each test says: which
 * instructions hit, which wait for which, and what their results do to the banks. Logical and physical registers are the same. */
#include "stream.h"

#include "runtime-model/sm/sm.h"

enum { INSNS = 256 };
#define NOBODY UINT32_MAX

struct toy {
	struct reuse_ops ops;
	const struct axes *axes;
	unsigned room, back;            /* of the queue; cycles behind execution */
	enum { MISSES, HITS, WAITS } does[INSNS];
	uint32_t on;                    /* WAITS: until a warp has retired this instruction; */
	bool lost;                      /* then it finds its entry replaced */
	const char *rounds[INSNS];      /* of each of its results: V, R, M, W; rounds end with a space; NULL: W */
	uint32_t blocked;               /* has no register until a warp has retired this other instruction: */
	uint32_t until;
	uint32_t unmapped;              /* a register that nothing was written to */
	bool awake;                     /* no cycle is skipped */
	const char *fault, *wrong;
	/* what it saw */
	bool retired[INSNS];
	uint8_t at[UOP_IDS];            /* in rounds[] */
	uint32_t unread[UOP_IDS];       /* sources of each in flight */
	unsigned bad, starts, exits, issues, looks, retries, refused, releases, ticks, waits;
	uint32_t order[64];             /* warps that stopped waiting */
	unsigned norder;
};

static struct toy t;

#define TOY(r) ((struct toy *)(void *)(r))

static struct reuse *toy_create(const struct axis_ctx *cx)
{
	t.axes = cx->axes;
	cx->stats->register_pools = 1;
	return (void *)&t;
}

static unsigned toy_front(const struct params *p) { (void)p; return 2; }
static unsigned toy_back(const struct params *p) { (void)p; return t.back; }
static unsigned toy_queue(const struct params *p) { (void)p; return t.room; }
static void toy_start(struct reuse *r, unsigned w, unsigned first, uint64_t cta) { TOY(r)->starts++; TOY(r)->bad += w < first || cta > 64; }
static void toy_exit(struct reuse *r, unsigned w) { (void)w; TOY(r)->exits++; }

static void toy_issue(struct reuse *r, const struct uop *u)
{
	TOY(r)->issues++;
	TOY(r)->bad += u->move || TOY(r)->unread[u->id];
	TOY(r)->unread[u->id] = (1u << u->nsrc) - 1;
	TOY(r)->at[u->id] = 0;
}

static unsigned place(const struct uop *u, unsigned reg) { return u->warp * 32 + reg; }

static unsigned toy_physical(const struct reuse *r, const struct uop *u, unsigned src)
{
	return u->src[src] == ((const struct toy *)(const void *)r)->unmapped ? NO_REGISTER : place(u, u->src[src]);
}

static void toy_read(struct reuse *r, const struct uop *u, uint32_t sources)
{
	TOY(r)->bad += (sources & ~TOY(r)->unread[u->id]) != 0;
	TOY(r)->unread[u->id] &= ~sources;
}

static enum reuse_verdict toy_lookup(struct reuse *r, const struct uop *u, bool room, bool retry)
{
	struct toy *x = TOY(r);

	x->looks += !retry;
	x->retries += retry;
	if (x->fault && x->does[u->insn] == HITS)
		reuse_fault(x->axes, u, x->fault);
	if (x->does[u->insn] == MISSES)
		return REUSE_MISS;
	if (x->does[u->insn] == HITS || (!retry && x->retired[x->on])) {
		x->axes->sm->st.reuse_hits_ready++;
		x->axes->sm->st.reuse_lookups++;
		return REUSE_HIT;
	}
	if (x->retired[x->on]) {
		x->order[x->norder++] = u->warp;
		x->axes->sm->st.reuse_hits_pending += !x->lost;
		x->axes->sm->st.reuse_lookups++;
		return x->lost ? REUSE_MISS : REUSE_HIT;
	}
	x->refused += !room;
	return room ? REUSE_PENDING : REUSE_MISS;
}

static enum reuse_outcome toy_outcome(const struct reuse *r, const struct uop *u)
{
	const struct toy *x = (const struct toy *)(const void *)r;

	return x->does[u->insn] == HITS ? OUTCOME_REUSED : x->does[u->insn] == MISSES ? OUTCOME_NEW : x->lost ? OUTCOME_QUEUE_FULL : OUTCOME_REUSED_LATE;
}

static enum reuse_progress toy_round(struct reuse *r, const struct uop *u, struct reuse_round *out)
{
	static const uint8_t kinds[128] = { ['V'] = REUSE_VERIFY, ['R'] = REUSE_MOVE_READ, ['M'] = REUSE_MOVE_WRITE, ['W'] = REUSE_WRITE };
	struct toy *x = TOY(r);
	struct stats *st = &x->axes->sm->st;
	const char *all = x->rounds[u->insn] ? x->rounds[u->insn] : "W", *c = all + x->at[u->id];

	x->bad += !u->active || !u->ndst || x->unread[u->id];
	if (u->insn == x->blocked && !x->retired[x->until]) {
		x->waits++;
		return ROUND_WAIT;
	}
	if (!*c)
		return ROUND_DONE;
	for (; *c && *c != ' '; c++) {
		st->verify_reads += *c == 'V';
		st->vsb_lookups += *c == 'V';
		st->hashes += *c == 'V';
		st->dummy_moves += *c == 'R';
		st->register_allocations += *c == 'R';
		out->a[out->n++] = (struct reuse_access){ .kind = kinds[(unsigned char)*c], .phys = (uint16_t)place(u, u->dst[0]),
			.from = (uint16_t)place(u, u->dst[0]), .lanes = *c == 'M' ? ~u->active : u->active };
	}
	x->at[u->id] = (uint8_t)(c + (*c == ' ') - all);
	return ROUND_ACCESS;
}

static void toy_retire(struct reuse *r, const struct uop *u)
{
	TOY(r)->retired[u->insn] = true;
	TOY(r)->bad += TOY(r)->unread[u->id] != 0;
}

static unsigned toy_mapped(const struct reuse *r, unsigned w, unsigned reg) { (void)r; return w * 32 + reg; }
static void toy_released(struct reuse *r, unsigned first) { (void)first; TOY(r)->releases++; }
static bool toy_busy(const struct reuse *r) { return ((const struct toy *)(const void *)r)->awake; }
static void toy_tick(struct reuse *r, uint64_t n) { TOY(r)->ticks += (unsigned)n; }
static void toy_account(struct reuse *r, uint64_t upto) { (void)r; (void)upto; }

static const char *toy_describe(const struct reuse *r, const struct uop *u, struct arena *a)
{
	return ((const struct toy *)(const void *)r)->blocked == u->insn ? arena_printf(a, "a physical register for R%u", u->dst[0]) : NULL;
}

static const char *toy_end(struct reuse *r) { return TOY(r)->wrong; }

static struct reuse_ops toy_ops(void)
{
	return (struct reuse_ops){
		.name = "toy", .source = "test", .create = toy_create, .renames = true, .front_cycles = toy_front, .back_cycles = toy_back,
		.queue = toy_queue, .warp_start = toy_start, .warp_exit = toy_exit, .issue = toy_issue,
		.physical = toy_physical, .sources_read = toy_read, .lookup = toy_lookup, .outcome = toy_outcome, .round = toy_round,
		.retire = toy_retire, .mapped = toy_mapped, .released = toy_released, .busy = toy_busy, .tick = toy_tick,
		.account = toy_account, .describe = toy_describe, .end = toy_end,
	};
}

/* The configuration of s. Nothing waits, and all instructions miss. */
static void toy_use(struct stream *s)
{
	t = (struct toy){ .ops = toy_ops(), .room = 16, .on = NOBODY, .blocked = NOBODY, .until = NOBODY, .unmapped = NOBODY };
	s->rf.reuse = &t.ops;
}

static void run(struct stream *s)
{
	memset(t.retired, 0, sizeof t.retired);
	memset(t.unread, 0, sizeof t.unread);
	ck_assert_msg(stream_run(s), "%s", s->d.last);
	ck_assert_uint_eq(t.bad, 0);
	ck_assert_uint_eq(t.issues, s->st.warp_instructions);
	ck_assert_uint_eq(t.looks, s->st.warp_instructions);
	ck_assert_uint_eq(t.starts, s->ctas * s->warps);
	ck_assert_uint_eq(t.exits, t.starts);
}

static cycle took(const struct stream *s, uint32_t insn, unsigned warp)
{
	return stream_when(s->finished, warp, insn, 0) - stream_when(s->issued, warp, insn, 0);
}

static bool not_first(uint64_t cta, unsigned warp) { (void)cta; return warp != 0; }

/* Issue in cycle 0, rename in 1, reuse stage in 2, and 3 is that in which it retires, or enters a collector, which was 1. */
START_TEST(a_hit_retires_three_cycles_after_its_issue_and_a_miss_takes_two_more)
{
	cycle plain[3];
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1);
	stream_insn(&s, OP_SIN_F32, 4, 1, -1, -1);
	stream_memory(&s, OP_LD_B32, SP_SHARED, 5, 4, -1);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (uint32_t i = 0; i < 3; i++)
		plain[i] = took(&s, i, 0);
	toy_use(&s);
	run(&s);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(took(&s, i, 0), plain[i] + 2);
	ck_assert_uint_eq(s.st.rf_reads, 4);
	ck_assert_uint_eq(s.st.rf_writes, 3);
	for (unsigned back = 0; back < 4; back++) {
		toy_use(&s);
		t.back = back;
		t.does[1] = HITS;
		run(&s);
		ck_assert_uint_eq(took(&s, 0, 0), plain[0] + 2 + back);
		ck_assert_uint_eq(took(&s, 1, 0), 3);
		ck_assert_uint_eq(took(&s, 2, 0), plain[2] + 2 + back);
	}
	ck_assert_uint_eq(s.st.reused_instructions, 1);
	ck_assert_uint_eq(s.st.sfu_instructions, 0);
	ck_assert_uint_eq(s.st.rf_reads, 3);
	ck_assert_uint_eq(s.st.rf_writes, 2);
	stream_free(&s);
}
END_TEST

START_TEST(a_miss_without_room_behind_holds_the_stage)
{
	struct stream s;
	uint32_t last;
	cycle free;

	stream_init(&s);
	s.p.schedulers = 1;
	for (int i = 0; i < 12; i++)    /* one after the other into a slow unit */
		stream_insn(&s, OP_SIN_F32, 10 + i, 1, -1, -1);
	last = stream_insn(&s, OP_ADD_S32, 2, 3, 3, -1);
	stream_straight(&s, 0);
	s.p.id_oc_sfu = s.p.oc_ex_sfu = s.p.collectors_sfu = s.p.units_sfu = 1;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	free = took(&s, last, 0);
	toy_use(&s);
	run(&s);
	ck_assert_uint_gt(s.st.front_stall_cycles, 20);
	ck_assert_uint_gt(s.st.slots[STALL_REUSE], 20);
	ck_assert_uint_eq(s.st.slots[STALL_COLLECTOR], 0);
	ck_assert_uint_gt(took(&s, last, 0), free + 2);          /* it issues as there is room, and waits behind one that has none */
	toy_use(&s);                    /* a hit behind it waits likewise */
	t.does[last] = HITS;
	run(&s);
	ck_assert_uint_gt(took(&s, last, 0), 3);
	stream_free(&s);
}
END_TEST

/* Warp 0 loads from global memory (instruction 0); the others wait for its result (instruction 1), from an instruction later on. */
static void waiting(struct stream *s, unsigned warps)
{
	stream_init(s);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_insn(s, OP_ADD_S32, 3, 4, -1, -1);
	stream_line(stream_record(s, 0, 0), 9, 15);
	stream_record(s, 1, 2);
	stream_line(stream_record(s, 1, 1), 9, 15);
	s->second = not_first;
	s->warps = warps;
	toy_use(s);
	t.on = 0;
	t.does[1] = WAITS;
}

START_TEST(what_waits_is_asked_in_turn_by_ports_without_instructions)
{
	struct stream s;
	cycle there, last = 0;

	waiting(&s, 9);
	run(&s);
	there = stream_when(s.finished, 0, 0, 0);
	ck_assert_uint_eq(t.norder, 8);
	ck_assert_uint_eq(s.st.reused_instructions, 8);
	ck_assert_uint_eq(s.st.l1_reads, 1);
	for (unsigned i = 0; i < 8; i++)        /* two schedulers, two a cycle, from the cycle of the result on, one cycle to retire */
		ck_assert_uint_eq(stream_when(s.finished, t.order[i], 1, 0), there + 1 + i / s.p.schedulers);
	for (unsigned i = 0; i < 8; i++)        /* a queue, wherever it has turned to */
		for (unsigned j = 0; j < i; j++)
			ck_assert_uint_ne(t.order[i], t.order[j]);
	/* each port asks in each cycle, but for those in which it had a new instruction, or nobody waited */
	for (unsigned w = 1; w < 9; w++)
		last = stream_when(s.issued, w, 1, 0) > last ? stream_when(s.issued, w, 1, 0) : last;
	ck_assert_uint_gt(there, last + 100);
	ck_assert_uint_ge(s.st.reuse_retries, s.p.schedulers * (there - last - 2));
	ck_assert_uint_lt(s.st.reuse_retries, s.p.schedulers * (there - last + 60));
	ck_assert_uint_ge(s.st.reuse_wait_cycles, 8 * (there - last - 2));
	stream_free(&s);
}
END_TEST

/* One waits alone: one port asks, the other has nobody to ask for. */
START_TEST(one_that_waits_is_asked_for_once_a_cycle)
{
	struct stream s;

	waiting(&s, 2);
	run(&s);
	ck_assert_uint_eq(s.st.reuse_retries, s.st.reuse_wait_cycles);  /* from the cycle behind that of the lookup on, to that of the hit */
	stream_free(&s);
}
END_TEST

/* The queue turns, and retries are counted, in cycles that are skipped as in others. */
START_TEST(skipped_cycles_are_like_those_stepped)
{
	uint32_t order[64];
	struct stats st;
	struct stream s;
	cycle end[8];

	waiting(&s, 4 + (unsigned)_i);
	s.p.schedulers = 1 + (unsigned)_i % 3;
	run(&s);
	ck_assert_uint_lt(t.retries, s.st.reuse_retries);       /* most were not asked, but counted */
	st = s.st;
	memcpy(order, t.order, sizeof order);
	for (unsigned w = 1; w < s.warps && w < 8; w++)
		end[w] = stream_when(s.finished, w, 1, 0);
	stream_free(&s);
	waiting(&s, 4 + (unsigned)_i);
	s.p.schedulers = 1 + (unsigned)_i % 3;
	t.awake = true;
	run(&s);
	ck_assert_uint_eq(t.retries, s.st.reuse_retries);
	ck_assert_uint_ge(t.ticks + 2, s.st.cycles);
	ck_assert_int_eq(memcmp(&st, &s.st, sizeof st), 0);
	ck_assert_int_eq(memcmp(order, t.order, sizeof order), 0);
	for (unsigned w = 1; w < s.warps && w < 8; w++)
		ck_assert_uint_eq(end[w], stream_when(s.finished, w, 1, 0));
	stream_free(&s);
}
END_TEST

START_TEST(a_full_queue_makes_a_miss)
{
	struct stream s;

	waiting(&s, 9);
	t.room = 3;
	run(&s);
	ck_assert_uint_eq(t.norder, 3);
	ck_assert_uint_eq(t.refused, 5);
	ck_assert_uint_eq(s.st.reused_instructions, 3);
	ck_assert_uint_eq(s.st.l1_reads, 6);
	stream_free(&s);
	waiting(&s, 9);                 /* no queue at all */
	t.room = 0;
	run(&s);
	ck_assert_uint_eq(t.refused, 8);
	ck_assert_uint_eq(s.st.reuse_retries, 0);
	stream_free(&s);
}
END_TEST

START_TEST(what_waited_in_vain_is_executed)
{
	struct stream s;

	waiting(&s, 9);
	t.lost = true;
	s.p.id_oc_mem = s.p.collectors_mem = s.p.oc_ex_mem = 1;  /* and finds no room at first */
	run(&s);
	ck_assert_uint_eq(t.norder, 8);
	ck_assert_uint_eq(s.st.reused_instructions, 0);
	ck_assert_uint_eq(s.st.l1_reads, 9);
	for (unsigned i = 1; i < 8; i++)        /* in the order of the queue, in which each goes to the end that has no room; all come */
		ck_assert_uint_gt(stream_when(s.finished, t.order[i], 1, 0), stream_when(s.finished, 0, 0, 0));
	stream_free(&s);
}
END_TEST

/* Each holds a buffer for its lines from its issue on, of which there are few. */
START_TEST(loads_that_are_reused_give_their_lines_up)
{
	struct stream s;

	stream_init(&s);
	for (int i = 0; i < 200; i++)
		stream_line(stream_record(&s, 0, stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1 + i % 8, 20, -1)), (unsigned)i, 15);
	toy_use(&s);
	for (unsigned i = 0; i < 200; i++)
		t.does[i] = i % 50 == 49 ? MISSES : HITS;
	run(&s);
	ck_assert_uint_eq(s.st.l1_reads, 4);
	ck_assert_uint_eq(s.st.mem_instructions, 4);
	ck_assert_uint_eq(s.st.loads, 4);
	ck_assert_uint_eq(s.st.reused_instructions, 196);
	stream_free(&s);
}
END_TEST

static unsigned reads_done;
static void count_read(struct residency *r, const struct uop *u) { (void)r; (void)u; reads_done++; }

START_TEST(residency_hears_of_operands_that_a_hit_will_not_read)
{
	struct residency_ops residency;
	struct stream s;

	stream_init(&s);
	residency = *s.rf.residency;
	residency.read_done = count_read;
	s.rf.residency = &residency;
	for (int i = 0; i < 6; i++)
		stream_insn(&s, OP_ADD_S32, 1 + i, 10, 11, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	for (unsigned i = 0; i < 6; i++)
		t.does[i] = i % 2 ? HITS : MISSES;
	reads_done = 0;
	run(&s);
	ck_assert_uint_eq(s.st.reused_instructions, 3);
	ck_assert_uint_eq(reads_done, s.st.warp_instructions);
	stream_free(&s);
}
END_TEST

/* Rounds of accesses of one result: cycles behind one that is written at once, reads and writes of banks. */
START_TEST(results_are_served_in_rounds)
{
	static const struct { const char *rounds; unsigned more, reads, writes; uint32_t active; } row[] = {
		{ "W", 0, 0, 1, UINT32_MAX }, { "V", 0, 1, 0, UINT32_MAX }, { "V W", 1, 1, 1, UINT32_MAX }, { "", 0, 0, 0, UINT32_MAX },
		{ "R MW", 2, 1, 2, 0xff },
	};
	cycle plain = 0;

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct stream s;

		stream_init(&s);
		stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1))->active = row[i].active;
		toy_use(&s);
		t.rounds[0] = row[i].rounds;
		run(&s);
		plain = i ? plain : took(&s, 0, 0);
		ck_assert_msg(took(&s, 0, 0) == plain + row[i].more, "%s: %d", row[i].rounds, (int)(took(&s, 0, 0) - plain));
		ck_assert_uint_eq(s.st.rf_reads, 2 + row[i].reads);
		ck_assert_uint_eq(s.st.rf_writes, row[i].writes);
		ck_assert_uint_eq(s.st.rf_operand_writes, row[i].writes != 0);
		stream_free(&s);
	}
}
END_TEST

/* Two results are compared with registers of one bank in one cycle: one of them waits. */
START_TEST(verifying_reads_meet_in_their_bank)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_F64, 0, 2, 4, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	t.rounds[0] = "VV";
	run(&s);
	ck_assert_uint_eq(s.st.verify_reads, 2);
	ck_assert_uint_eq(s.st.verify_conflict_cycles, 1);
	ck_assert_uint_eq(s.st.rf_conflict_cycles, 1);
	ck_assert_uint_eq(s.st.rf_bank_conflicts, 1);
	ck_assert_uint_eq(s.st.rf_write_conflicts, 0);
	stream_free(&s);
}
END_TEST

/* Instruction 1 has a result, and no register for it before instruction 0, a load that issued earlier, has retired. */
START_TEST(a_result_without_a_register_waits)
{
	struct stats st;

	for (unsigned awake = 0; awake < 2; awake++) {
		struct stream s;

		stream_load(&s, SP_GLOBAL);
		stream_insn(&s, OP_ADD_S32, 4, 5, 6, -1);
		stream_line(stream_record(&s, 0, 0), 9, 15);
		stream_record(&s, 0, 2);
		toy_use(&s);
		t.blocked = 2;
		t.until = 0;
		t.awake = awake;
		run(&s);
		ck_assert_uint_eq(stream_when(s.finished, 0, 2, 0), stream_when(s.finished, 0, 0, 0) + 1);
		ck_assert_uint_gt(t.waits, awake ? 100 : 0);
		ck_assert(!awake || memcmp(&st, &s.st, sizeof st) == 0);
		st = s.st;
		stream_free(&s);
	}
}
END_TEST

START_TEST(a_register_without_a_value_takes_no_access)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_FMA_F32, 1, 2, 3, 4);
	stream_straight(&s, 0);
	toy_use(&s);
	t.unmapped = 3;
	run(&s);
	ck_assert_uint_eq(s.st.rf_operand_reads, 3);
	ck_assert_uint_eq(s.st.unmapped_reads, 1);
	ck_assert_uint_eq(s.st.rf_reads, 2);
	stream_free(&s);
}
END_TEST

START_TEST(barriers_are_told_as_they_let_go)
{
	struct stream s;

	stream_init(&s);
	stream_barrier(&s, 0, 0);
	stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1);
	stream_barrier(&s, 0, 0);
	stream_straight(&s, 0);
	s.warps = 4;
	s.ctas = 3;
	toy_use(&s);
	run(&s);
	ck_assert_uint_eq(t.releases, 2 * 3);
	stream_free(&s);
}
END_TEST

/* An instruction that no lane executes, or that has no result, passes all stages and has no rounds. */
START_TEST(what_has_no_result_has_no_rounds)
{
	struct stream s;

	stream_init(&s);
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1))->active = 0;
	stream_line(stream_record(&s, 0, stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 1, 2)), 5, 15);
	toy_use(&s);
	run(&s);
	ck_assert_uint_eq(s.st.rf_writes, 0);
	ck_assert(t.retired[0] && t.retired[1]);
	stream_free(&s);
}
END_TEST

START_TEST(a_run_that_is_stopped_counts_what_is_in_front)
{
	uint64_t unstarted = 0;

	for (cycle at = 250; at < 560; at += 11) {
		struct stream s;

		waiting(&s, 9);
		s.max_cycles = at;
		ck_assert_msg(stream_run(&s), "%s", s.d.last);          /* stats_check() */
		unstarted += s.st.unstarted_instructions;
		stream_free(&s);
	}
	ck_assert_uint_gt(unstarted, 50);
}
END_TEST

/* ---- what is wrong is said ---- */
START_TEST(the_report_says_who_holds_what_in_front)
{
	struct stream s;

	waiting(&s, 3);                 /* that does not come */
	s.p.progress_cycles = 1000;
	stream_record(&s, 1, stream_insn(&s, OP_ADD_S32, 5, 1, 1, -1));
	t.on = 200;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "waits for the result of instruction 1, `") && strstr(s.d.last, ", in the retry queue"), "%s", s.d.last);
	stream_free(&s);
	stream_init(&s);                /* no register */
	stream_insn(&s, OP_ADD_S32, 4, 5, 6, -1);
	stream_insn(&s, OP_ADD_S32, 7, 4, 6, -1);
	stream_straight(&s, 0);
	s.p.progress_cycles = 1000;
	toy_use(&s);
	t.blocked = 0;
	t.until = 200;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, ", which waits for a physical register for R4"), "%s", s.d.last);
	stream_free(&s);
	stream_init(&s);                /* room */
	for (int i = 0; i < 40; i++)
		stream_insn(&s, OP_SIN_F32, 4 + i, 50, -1, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	s.p.id_oc_sfu = s.p.oc_ex_sfu = s.p.collectors_sfu = s.p.units_sfu = 1;
	for (s.max_cycles = 200; s.max_cycles < 500 && !strstr(s.stopped.where, "room in the rename and reuse stages, held by warp 0 with instruction ");
	     s.max_cycles += 10)
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_lt(s.max_cycles, 500);
	stream_free(&s);
}
END_TEST

START_TEST(what_reuse_finds_wrong_ends_the_run)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	t.does[0] = HITS;
	t.fault = "reuses something else";
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "internal error") && strstr(s.d.last, "of SM 0 warp 0") && strstr(s.d.last, "reuses something else"), "%s", s.d.last);
	ck_assert(s.bug);
	s.bug = false;
	toy_use(&s);
	t.wrong = "3 registers held by nobody";
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "SM 0 ends the launch with 3 registers held by nobody"), "%s", s.d.last);
	ck_assert(s.bug);
	stream_free(&s);
}
END_TEST

/* ---- checked mode: R1 = 7, then all lanes, or some, of R1 = 9, then R3 = R1 ---- */
static uint32_t seven[32], nine[32], third[2 * 32], both[2 * 32];

static void values(struct stream *s, uint32_t active)
{
	struct stream_record *r;

	for (unsigned l = 0; l < 32; l++) {
		seven[l] = 7;
		nine[l] = 9;
		third[l] = third[32 + l] = active >> l & 1 ? 9 : 7;
	}
	stream_init(s);
	toy_use(s);
	s->checked = new(&s->a, struct checked_sums);
	stream_record(s, 0, stream_insn(s, OP_MOV_B32, 1, -1, -1, -1))->values = seven;
	r = stream_record(s, 0, stream_insn(s, OP_MOV_B32, 1, -1, -1, -1));
	r->values = nine;
	r->active = active;
	stream_record(s, 0, stream_insn(s, OP_MOV_B32, 3, 1, -1, -1))->values = third;
}

START_TEST(checked_mode_compares_what_is_not_written)
{
	struct stream s;

	values(&s, UINT32_MAX);
	run(&s);
	ck_assert_uint_eq(s.checked->compared, 1);
	stream_free(&s);
	values(&s, UINT32_MAX);         /* a register that is said to hold the value, and holds another one */
	t.rounds[1] = "V";
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "stores a wrong result") && strstr(s.d.last, "writes R1, and maps it to a register that does not hold it"), "%s", s.d.last);
	stream_free(&s);
	values(&s, UINT32_MAX);         /* likewise, taken by an instruction that hits */
	t.does[1] = HITS;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "and takes a register to be reused that does not hold it"), "%s", s.d.last);
	stream_free(&s);
	values(&s, UINT32_MAX);         /* the same value: a verifying read, then a hit */
	s.rec[0][1].values = seven;
	memcpy(both, seven, sizeof seven);
	memcpy(both + 32, seven, sizeof seven);
	s.rec[0][2].values = both;
	t.rounds[1] = "V";
	run(&s);
	t.starts = t.exits = t.issues = t.looks = 0;
	t.does[1] = HITS;
	run(&s);
	ck_assert_uint_eq(s.checked->compared, 1 + 2);
	stream_free(&s);
}
END_TEST

/* The lanes of which the new register gets its value by a dummy move; garbage where there was none. */
START_TEST(checked_mode_follows_dummy_moves)
{
	struct stream s;

	values(&s, 0xffff);
	t.rounds[1] = "R MW";
	run(&s);
	ck_assert_uint_eq(s.checked->compared, 1);
	stream_free(&s);
	values(&s, 0xffff);
	t.rounds[1] = "R";              /* what it has read is not written, nor is its result */
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "maps it to a register that does not hold it"), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

static void free_now(struct reuse *r, const struct uop *u)
{
	toy_retire(r, u);
	if (u->insn == 1)
		reuse_freed(t.axes, 1);
}

START_TEST(checked_mode_makes_garbage_of_what_is_freed)
{
	struct stream s;

	values(&s, UINT32_MAX);
	t.ops.retire = free_now;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "that does not hold it") || strstr(s.d.last, "reads R1 in lane 0 as 0x"), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* ---- what watchers see ---- */
struct seen { struct gpu_probe probe; struct probe_event e[64]; unsigned n; };

static void see(void *ctx, const struct probe_event *e)
{
	struct seen *x = ctx;

	if (x->n < 64)
		x->e[x->n++] = *e;
}

START_TEST(watchers_see_lookups_and_outcomes)
{
	struct seen x = { .probe = { .ctx = &x, .want = PROBE(LOOKUP) | PROBE(REUSE), .event = see } };
	unsigned n = 0;
	struct stream s;

	waiting(&s, 2);
	s.watcher = &x.probe;
	run(&s);
	ck_assert_uint_eq(x.n, 2 * 3);
	for (unsigned i = 0; i < x.n; i++) {
		const struct probe_event *e = &x.e[i];

		if (e->insn != 1)
			continue;
		n++;
		if (e->kind == PROBE_LOOKUP) {
			ck_assert_uint_eq(e->where, REUSE_PENDING);
			ck_assert_uint_eq(e->at, stream_when(s.issued, 1, 1, 0) + 2);
		} else {
			ck_assert_uint_eq(e->where, OUTCOME_REUSED_LATE);
			ck_assert_uint_eq(e->at, stream_when(s.finished, 0, 0, 0));
			ck_assert_uint_eq(e->n, s.st.reuse_wait_cycles);
		}
	}
	ck_assert_uint_eq(n, 2);
	stream_free(&s);
}
END_TEST

Suite *suite_front(void);
Suite *suite_front(void)
{
	Suite *s = suite_create("front");
	TCase *c = tcase_create("front");

	tcase_add_test(c, a_hit_retires_three_cycles_after_its_issue_and_a_miss_takes_two_more);
	tcase_add_test(c, a_miss_without_room_behind_holds_the_stage);
	tcase_add_test(c, what_waits_is_asked_in_turn_by_ports_without_instructions);
	tcase_add_test(c, one_that_waits_is_asked_for_once_a_cycle);
	tcase_add_loop_test(c, skipped_cycles_are_like_those_stepped, 0, 6);
	tcase_add_test(c, a_full_queue_makes_a_miss);
	tcase_add_test(c, what_waited_in_vain_is_executed);
	tcase_add_test(c, loads_that_are_reused_give_their_lines_up);
	tcase_add_test(c, residency_hears_of_operands_that_a_hit_will_not_read);
	tcase_add_test(c, results_are_served_in_rounds);
	tcase_add_test(c, verifying_reads_meet_in_their_bank);
	tcase_add_test(c, a_result_without_a_register_waits);
	tcase_add_test(c, a_register_without_a_value_takes_no_access);
	tcase_add_test(c, barriers_are_told_as_they_let_go);
	tcase_add_test(c, what_has_no_result_has_no_rounds);
	tcase_add_test(c, a_run_that_is_stopped_counts_what_is_in_front);
	tcase_add_test(c, the_report_says_who_holds_what_in_front);
	tcase_add_test(c, what_reuse_finds_wrong_ends_the_run);
	tcase_add_test(c, checked_mode_compares_what_is_not_written);
	tcase_add_test(c, checked_mode_follows_dummy_moves);
	tcase_add_test(c, checked_mode_makes_garbage_of_what_is_freed);
	tcase_add_test(c, watchers_see_lookups_and_outcomes);
	suite_add_tcase(s, c);
	return s;
}
