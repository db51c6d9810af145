/* RegMutex's hardware on written-out streams: where registers lie, who gets a section when, what it costs, and what
 * goes wrong. */
#include "passes/regmutex.h"
#include "stream.h"
#include "runtime-model/core/checked.h"

extern const struct residency_ops regmutex_residency, regmutex_paired_residency, static_residency, rfv_residency;

enum { BASE = 8, REGS = 12 };

static void use(struct stream *s, const char *rf)
{
	ck_assert_msg(rf_config_parse(&s->rf, rf, &s->p, &s->d), "%s", s->d.last);
}

/* A variant of 8 registers and 4 more, in a file that has room for so many warps and `sections` sections. */
static void variant(struct stream *s, const char *rf, unsigned warps, unsigned ctas, unsigned sections)
{
	stream_init(s);
	s->k->res.regs = REGS;
	s->k->base_regs = BASE;
	s->warps = warps;
	s->ctas = ctas;
	s->p.rf_registers = WARP_LANES * (warps * ctas * BASE + sections * (REGS - BASE));
	s->p.icache_sets = 0;
	use(s, rf);
}

/* The section of the program in which a warp holds its extended set: two instructions that depend on each other. */
static void section(struct stream *s)
{
	stream_insn(s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(s, OP_ADD_S32, BASE, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, 2, BASE, 1, -1);
	stream_insn(s, OP_RF_RELEASE, -1, -1, -1, -1);
}

/* ---- where registers lie ---- */
struct bench {
	struct stream s;
	struct stats st;
	struct axes ax;
	uint64_t now;
	const struct residency_ops *ops;
	struct residency *r;
	unsigned warps;
};

static void bench_on(struct bench *b, const char *machine, const struct residency_ops *ops, unsigned regs,
		     unsigned base, unsigned resident)
{
	memset(b, 0, sizeof *b);
	stream_init(&b->s);
	if (machine)
		ck_assert(params_machine(&b->s.p, machine, &b->s.d));
	b->s.k->res.regs = regs;
	b->s.k->base_regs = base;
	b->ops = ops;
	b->ax.rf = &b->s.rf;
	b->warps = resident;
	b->r = ops->create(&(struct axis_ctx){ .params = &b->s.p,
					       .kernel = b->s.k,
					       .stats = &b->st,
					       .arena = &b->s.a,
					       .diag = &b->s.d,
					       .axes = &b->ax,
					       .warps = 48,
					       .resident = resident,
					       .warps_per_cta = 1,
					       .now = &b->now });
	ck_assert_ptr_nonnull(b->r);
}

static void bench(struct bench *b, const struct residency_ops *ops, unsigned regs, unsigned base, unsigned resident)
{
	bench_on(b, NULL, ops, regs, base, resident);
}

/* RegMutex section III-A2: 24 registers, 48 warps, 32 K registers. */
START_TEST(the_pool_has_the_sections_of_the_worked_example)
{
	static const struct {
		unsigned base, sections;
	} row[] = { { 20, 16 }, { 18, 26 }, { 16, 32 } };
	struct stream s;

	stream_init(&s);
	s.k->res.regs = 24;
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		s.k->base_regs = row[i].base;
		ck_assert_uint_eq(regmutex_residency.sections(&s.p, s.k, 48), row[i].sections);
		ck_assert_uint_ge(regmutex_residency.max_ctas(&s.p, s.k, 1), 48);
	}
	s.k->base_regs = 4; /* no more than warps */
	ck_assert_uint_eq(regmutex_residency.sections(&s.p, s.k, 8), 8);
	s.k->base_regs = 0;
	ck_assert_uint_eq(regmutex_residency.sections(&s.p, s.k, 42), 0);
	stream_free(&s);
}
END_TEST

/* Figure 6: base sets one behind the other, then the sections. Each set is rotated, so it holds the same registers in
 * another order. */
START_TEST(registers_lie_where_figure_6_has_them)
{
	const struct residency_ops *ops = _i ? &regmutex_paired_residency : &regmutex_residency;
	enum { R = 24, B = 18, E = R - B, WARPS = 40, OFFSET = B * WARPS };
	unsigned holds[64], n = 0;
	bool used[1024] = { false };
	struct bench b;

	bench(&b, ops, R, B, WARPS);
	for (unsigned w = 0; w < WARPS; w++) {
		holds[w] = UINT32_MAX;
		if (_i ? w % 2 == 0 : w % 3 != 1) {
			ck_assert_int_eq(ops->acquire(b.r, w), ACQUIRE_TAKEN);
			holds[w] = _i ? w / 2 : n++; /* the first free one */
			ck_assert_int_eq(ops->acquire(b.r, w), ACQUIRE_HELD);
		}
	}
	for (unsigned w = 0; w < WARPS; w++)
		for (unsigned x = 0; x < (holds[w] == UINT32_MAX ? B : R); x++) {
			unsigned y = ops->map(b.r, w, x), from = x < B ? w * B : OFFSET + holds[w] * E,
				 size = x < B ? B : E;

			ck_assert_uint_ge(y, from);
			ck_assert_uint_lt(y, from + size);
			ck_assert(!used[y]);
			used[y] = true;
			if (y != from) /* one after the other, from the set's first bank on */
				ck_assert_uint_eq(ops->map(b.r, w, x < B ? (x + B - 1) % B : B + (x - B + E - 1) % E),
						  y - 1);
		}
	stream_free(&b.s);
}
END_TEST

/* On a core of sub-cores: even and odd registers in the two banks of the warp's own, whatever set they are in, and none
 * twice. */
START_TEST(registers_stay_in_the_banks_of_their_sub_core)
{
	const struct residency_ops *ops = _i % 2 ? &regmutex_paired_residency : &regmutex_residency;
	enum { R = 24, WARPS = 42, SUBS = 4 };
	const unsigned base = 17 + (unsigned)_i / 2;
	bool used[2048] = { false };
	struct bench b;

	bench_on(&b, "rtx3080", ops, R, base, WARPS);
	for (unsigned w = 0; w < WARPS; w++) {
		const bool holds = w / SUBS % 2 == 0;

		if (holds)
			ck_assert_int_eq(ops->acquire(b.r, w), ACQUIRE_TAKEN);
		for (unsigned x = 0; x < (holds ? R : base); x++) {
			const unsigned y = ops->map(b.r, w, x);

			ck_assert_uint_lt(y, 2048);
			ck_assert_uint_eq(y % 8, w % SUBS * 2 + x % 2);
			ck_assert(!used[y]);
			used[y] = true;
		}
	}
	stream_free(&b.s);
}
END_TEST

/* Base sets of 40 registers of 12 warps leave each sub-core one section of 24: its warps wait for each other, no others
 * do. A pair is of one sub-core. */
START_TEST(warps_of_a_sub_core_share_its_sections)
{
	const struct residency_ops *ops = _i ? &regmutex_paired_residency : &regmutex_residency;
	struct bench b;

	bench_on(&b, "rtx3080", ops, 64, 40, _i ? 32 : 48);
	if (!_i) {
		ck_assert_uint_eq(ops->max_ctas(&b.s.p, b.s.k, 1), 48);
		ck_assert_uint_eq(ops->sections(&b.s.p, b.s.k, 48), 4);
	}
	ck_assert_int_eq(ops->acquire(b.r, 1), ACQUIRE_TAKEN);
	ck_assert_int_eq(ops->acquire(b.r, 5), ACQUIRE_NONE);
	ck_assert_uint_eq(ops->holders(b.r, 5), 1u << 1);
	ck_assert_int_eq(ops->acquire(b.r, 0), ACQUIRE_TAKEN);
	ck_assert_int_eq(ops->acquire(b.r, 6), ACQUIRE_TAKEN);
	ck_assert_int_eq(ops->acquire(b.r, 9), _i ? ACQUIRE_TAKEN : ACQUIRE_NONE);
	stream_free(&b.s);
}
END_TEST

/* As under static allocation: register x of warp w in bank (x + w) mod 16, where the set does not wrap round. */
START_TEST(a_plain_kernel_lies_as_under_static_allocation)
{
	struct bench a, b;

	bench(&a, &static_residency, 20, 0, 48);
	bench(&b, _i ? &regmutex_paired_residency : &regmutex_residency, 20, 0, 48);
	for (unsigned w = 0; w < 48; w++)
		for (unsigned x = 0; x < 20; x++)
			ck_assert_uint_eq(b.ops->map(b.r, w, x), a.ops->map(a.r, w, x));
	for (unsigned n = 1; n <= 48; n++)
		ck_assert_uint_eq(b.ops->max_ctas(&b.s.p, b.s.k, n), a.ops->max_ctas(&a.s.p, a.s.k, n));
	stream_free(&a.s);
	stream_free(&b.s);
}
END_TEST

/* ---- CTAs ---- */
START_TEST(an_sm_holds_the_ctas_whose_base_sets_and_least_sections_fit)
{
	struct stream s;

	stream_init(&s);
	s.k->res.regs = REGS;
	s.k->base_regs = BASE;
	for (unsigned room = 0; room < 60; room++)
		for (unsigned w = 1; w < 5; w++) {
			unsigned one = 0, pairs = 0;

			s.p.rf_registers = WARP_LANES * room;
			while ((one + 1) * w * BASE + 4 <= room)
				one++;
			while ((pairs + 1) * w * BASE + ((pairs + 1) * w + 1) / 2 * 4 <= room)
				pairs++;
			ck_assert_uint_eq(regmutex_residency.max_ctas(&s.p, s.k, w), one);
			ck_assert_uint_eq(regmutex_paired_residency.max_ctas(&s.p, s.k, w), pairs);
		}
	stream_free(&s);
}
END_TEST

/* ---- acquire and release ---- */
START_TEST(a_warp_waits_while_another_one_holds_the_only_section)
{
	struct stream s;
	cycle got, back;

	variant(&s, _i ? "regmutex-paired" : "regmutex", 2, 1, 1);
	section(&s);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires, 2);
	ck_assert_uint_eq(s.st.rf_releases, 2);
	ck_assert_uint_eq(s.st.rf_acquires_held, 0);
	ck_assert_uint_eq(s.st.rf_acquires_first, 1);
	ck_assert_uint_eq(s.st.rf_acquire_tries, 3);
	got = stream_when(s.issued, 1, 0, 0);
	back = stream_when(s.issued, 0, 3, 0);
	ck_assert_uint_gt(got, back);
	/* from its first try, a cycle behind the other's */
	ck_assert_uint_eq(got - stream_when(s.issued, 0, 0, 0) - 1, s.st.rf_acquire_wait_cycles);
	ck_assert_uint_gt(s.st.slots[STALL_RESIDENCY], 0);
	ck_assert_uint_ge(s.st.rf_acquire_wait_cycles, s.st.slots[STALL_RESIDENCY]);
	ck_assert_uint_eq(s.st.warp_instructions, 8);
	ck_assert_uint_eq(s.st.sp_instructions, 4);
	stream_free(&s);
}
END_TEST

START_TEST(warps_with_a_section_each_never_wait)
{
	struct stream s;
	cycle alone;

	variant(&s, "regmutex", 2, 1, 2);
	section(&s);
	section(&s);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires_first, 4);
	ck_assert_uint_eq(s.st.rf_acquire_tries, 4);
	ck_assert_uint_eq(s.st.rf_acquire_wait_cycles, 0);
	ck_assert_uint_eq(s.st.slots[STALL_RESIDENCY], 0);
	alone = s.st.cycles;
	s.p.rf_registers -= WARP_LANES * (REGS - BASE);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(s.st.cycles, alone);
	stream_free(&s);
}
END_TEST

/* Machine code: an instruction without the set, two that want it, one without. */
static void native(struct stream *s, unsigned sections)
{
	static const uint8_t hold[] = { 0, 1, 1, 0 };

	variant(s, "regmutex", 2, 1, sections);
	s->k->native = new(&s->a, struct native);
	s->k->regmutex = new(&s->a, struct regmutex);
	s->k->regmutex->hold = memcpy(new_array(&s->a, uint8_t, sizeof hold), hold, sizeof hold);
	stream_insn(s, OP_ADD_S32, 3, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, BASE, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, 2, BASE, 1, -1);
	stream_insn(s, OP_ADD_S32, 4, 1, 1, -1);
	stream_straight(s, 0);
}

START_TEST(machine_code_holds_it_where_it_is_to_without_instructions_for_that)
{
	struct stream s;

	native(&s, 1);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires, 2);
	ck_assert_uint_eq(s.st.rf_releases, 2);
	ck_assert_uint_eq(s.st.rf_points, 4);
	ck_assert_uint_eq(s.st.rf_acquires_first, 1);
	ck_assert_uint_eq(s.st.warp_instructions, 8);
	ck_assert_uint_eq(s.st.slots[STALL_ISSUED], 8 + 4);
	/* the second one goes on when the first has given the set back, a slot before its last instruction */
	ck_assert_uint_gt(stream_when(s.issued, 1, 1, 0), stream_when(s.finished, 0, 1, 0));
	ck_assert_uint_gt(stream_when(s.issued, 0, 3, 0), stream_when(s.finished, 0, 1, 0));
	ck_assert_uint_gt(s.st.rf_acquire_wait_cycles, 0);
	stream_free(&s);

	native(&s, 2);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires_first, 2);
	ck_assert_uint_eq(s.st.rf_acquire_wait_cycles, 0);
	stream_free(&s);

	native(&s, 2); /* others may be where it is needed: it is kept */
	s.rec[0][3].apart = true;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires, 2);
	ck_assert_uint_eq(s.st.rf_releases, 0);
	stream_free(&s);
}
END_TEST

/* A load to an extended register is outstanding when the warp comes to its release. */
START_TEST(a_release_waits_for_writes_and_frees_the_section_behind_reads)
{
	struct stream s;
	cycle loaded;

	variant(&s, "regmutex", 2, 1, 1);
	stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, BASE, 1, -1);
	stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, 2, 1, 1, -1);
	stream_straight(&s, 0);
	stream_line(&s.rec[0][1], 7, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	loaded = stream_when(s.finished, 0, 1, 0);
	ck_assert_uint_gt(loaded, stream_when(s.issued, 0, 1, 0) + 100);
	ck_assert_uint_gt(stream_when(s.issued, 0, 3, 0), loaded); /* behind the release */
	ck_assert_uint_gt(stream_when(s.issued, 1, 1, 0), loaded);
	stream_free(&s);

	/* Of a store the release waits for nothing, but the section is read until the store has its operand. */
	variant(&s, "regmutex", 2, 1, 1);
	stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, BASE, 1, 1, -1);
	for (unsigned i = 0; i < 4; i++)
		stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 1, BASE);
	stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, 2, 1, 1, -1);
	stream_straight(&s, 0);
	for (unsigned i = 2; i < 6; i++)
		for (unsigned l = 0; l < 8; l++)
			stream_line(&s.rec[0][i], 8 * i + l, 15);
	s.p.collectors_mem = 1;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(stream_when(s.issued, 1, 1, 0), stream_when(s.issued, 0, 7, 0) + 4);
	stream_free(&s);
}
END_TEST

/* What it holds goes with the warp; what is acquired twice is released once. */
START_TEST(exit_gives_the_section_back)
{
	struct stream s;

	variant(&s, _i ? "regmutex-paired" : "regmutex", 2, 1, 1);
	for (unsigned i = 0; i < 2; i++)
		stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, BASE, 1, 1, -1);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires, 4);
	ck_assert_uint_eq(s.st.rf_acquires_held, 2);
	ck_assert_uint_eq(s.st.rf_acquires_first, 1);
	ck_assert_uint_gt(stream_when(s.issued, 1, 2, 0), stream_when(s.finished, 0, 2, 0));
	ck_assert_uint_ge(s.st.rf_section_cycles, s.st.rf_acquire_wait_cycles);
	stream_free(&s);
}
END_TEST

/* Its own section, which is still read, is not given to another warp in between. */
START_TEST(a_warp_takes_back_what_is_still_read)
{
	struct bench b;
	const struct uop read = { .warp = 1, .nsrc = 2, .src = { 18, 20 } };

	bench(&b, &regmutex_residency, 24, 18, 2);
	ck_assert_int_eq(b.ops->acquire(b.r, 0), ACQUIRE_TAKEN);
	ck_assert_int_eq(b.ops->acquire(b.r, 1), ACQUIRE_TAKEN);
	b.ops->issue(b.r, &read);
	b.ops->issue(b.r, &read);
	b.ops->release(b.r, 1);
	ck_assert_uint_eq(b.ops->missing(b.r, &read), 18);
	b.ops->read_done(b.r, &read);
	ck_assert_uint_eq(b.ops->map(b.r, 1, 18) >= 2 * 18 + 6, 1);
	ck_assert_int_eq(b.ops->acquire(b.r, 1), ACQUIRE_TAKEN);
	b.ops->read_done(b.r, &read);
	ck_assert_uint_eq(b.ops->missing(b.r, &read), NO_REGISTER);
	stream_free(&b.s);
}
END_TEST

START_TEST(a_plain_kernel_takes_the_cycles_of_static_allocation)
{
	static const char *const with[] = { "issue=gto", "issue=lrr", "issue=two-level" };
	struct stats plain;
	struct stream s;

	stream_traffic(&s, 2, 6, 20, 5);
	s.p.active_warps = 4;
	use(&s, with[_i / 2]);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	plain = s.st;
	s.rf.residency = _i % 2 ? &regmutex_paired_residency : &regmutex_residency;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_mem_eq(&plain, &s.st, sizeof plain);
	stream_free(&s);
}
END_TEST

struct waits {
	uint64_t all, registers, issued, slots;
};

static void count_wait(void *ctx, const struct probe_event *e)
{
	struct waits *w = ctx;

	if (e->kind == PROBE_WAIT) {
		w->all += e->n;
		w->registers += e->why == STALL_RESIDENCY ? e->n : 0;
	} else if (e->kind == PROBE_SLOT) {
		w->issued += e->why == STALL_ISSUED ? e->n : 0;
		w->slots += e->why == STALL_RESIDENCY ? e->n : 0;
	}
}

/* Nothing that is counted depends on who watches, or on how long SMs run alone; and each cycle of a warp is accounted
 * for. */
START_TEST(waiting_is_the_same_however_the_model_runs)
{
	struct waits waits = { 0 };
	const struct gpu_probe all = { .ctx = &waits, .want = PROBE(WAIT) | PROBE(SLOT), .event = count_wait };
	struct stats first;
	struct stream s;

	variant(&s, _i ? "regmutex-paired" : "regmutex", 3, 2, 3);
	stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, BASE, 1, -1);
	stream_insn(&s, OP_ADD_S32, 2, BASE, 1, -1);
	stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1);
	stream_barrier(&s, 0, 0);
	for (unsigned i = 0; i < 3; i++)
		stream_straight(&s, 0);
	for (unsigned i = 0; i < 3; i++)
		stream_line(&s.rec[0][5 * i + 1], 64 * i, 15);
	s.ctas = 7;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(s.st.rf_acquire_wait_cycles, 100);
	first = s.st;
	s.quantum = 1;
	s.watcher = &all;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_mem_eq(&first, &s.st, sizeof first);
	ck_assert_uint_eq(waits.all + waits.issued, s.st.resident_warp_cycles);
	ck_assert_uint_eq(waits.slots, s.st.slots[STALL_RESIDENCY]);
	/* the rest: it could have tried again, but another issued */
	ck_assert_uint_ge(waits.registers, s.st.rf_acquire_wait_cycles * 9 / 10);
	stream_free(&s);
}
END_TEST

/* One place for active warps: those that wait for a section must not keep it from the one that has it, which waits for
 * memory meanwhile. */
START_TEST(two_level_scheduling_demotes_a_warp_that_waits)
{
	struct stream s;

	variant(&s, _i ? "regmutex-paired,issue=two-level" : "regmutex,issue=two-level", 8, 1, 4);
	s.p.active_warps = 1;
	s.p.schedulers = 1;
	stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, BASE, 1, -1);
	stream_insn(&s, OP_ADD_S32, 2, BASE, 1, -1);
	stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1);
	stream_straight(&s, 0);
	stream_line(&s.rec[0][1], 7, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(s.st.rf_acquire_wait_cycles, 0);
	ck_assert_uint_gt(s.st.suspensions, 8);
	stream_free(&s);
}
END_TEST

/* ---- what goes wrong ---- */
START_TEST(an_extended_register_that_is_not_held_is_named)
{
	struct stream s;

	variant(&s, "regmutex", 2, 1, 1);
	section(&s);
	stream_insn(&s, OP_ADD_S32, 3, 1, BASE + 1, -1);
	stream_straight(&s, 0);
	ck_assert(!stream_run(&s));
	ck_assert_msg(
		strstr(s.d.last,
		       "instruction 4 `add.s32 R3, R1, R9` of SM 0 warp 0 (CTA 0, its warp 0) names R9 in cycle ") &&
			strstr(s.d.last, "but the warp holds no extended set: its own registers are those below R8"),
		"%s", s.d.last);
	ck_assert_uint_eq(s.d.errors, 1);
	stream_free(&s);

	variant(&s, "baseline", 1, 1, 1);
	section(&s);
	stream_straight(&s, 0);
	ck_assert(!stream_run(&s));
	ck_assert_msg(
		strstr(s.d.last,
		       "is a variant whose warps share registers above R7, and residency=static has none to share"),
		"%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* Rule 2 is broken: a warp waits at a barrier with the section that the others need to get there. */
START_TEST(a_deadlock_names_who_holds_what_and_waits_for_whom)
{
	struct stream s;

	variant(&s, _i ? "regmutex-paired" : "regmutex", 2, 1, 1);
	stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, BASE, 1, 1, -1);
	stream_barrier(&s, 0, 0);
	stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1);
	stream_straight(&s, 0);
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "the model makes no progress"), "%s", s.d.last);
	ck_assert_msg(strstr(s.d.last, "SM 0 warp 0 (CTA 0, its warp 0), instruction 2 `bar.sync 0, 0` waits for "
				       "barrier 0: 1 of 2 warps have come; "
				       "the first that has not: warp 1 of the CTA, at instruction 0") ||
			      strstr(s.d.last, "waits for barrier 0: 1 of 2 warps have come; the first that has not: "
					       "warp 1 of the CTA, at instruction 0"),
		      "%s", s.d.last);
	ck_assert_msg(strstr(s.d.last, _i ? "SM 0 warp 1 (CTA 0, its warp 1), instruction 0 `regmutex.acquire` waits "
					    "for the extended set of 4 registers of warps 0 and 1, held by "
					    "warp 0 at instruction 2 and waits for barrier 0: 1 of 2 warps have come"
					  : "SM 0 warp 1 (CTA 0, its warp 1), instruction 0 `regmutex.acquire` waits "
					    "for an extended set of 4 registers: there is 1, held by "
					    "warp 0 at instruction 2 and waits for barrier 0: 1 of 2 warps have come"),
		      "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* ---- checked mode ---- */
/* R8 = R1 + R1 in the section; after a release another warp's value is there, or garbage. */
static uint32_t values[5][3 * WARP_LANES];

static void checked_program(struct stream *s, unsigned warps)
{
	variant(s, "regmutex", warps, 1, 1);
	stream_insn(s, OP_ADD_S32, 1, 0, 0, -1);
	stream_insn(s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(s, OP_ADD_S32, BASE, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, 2, BASE, 1, -1);
	stream_insn(s, OP_RF_RELEASE, -1, -1, -1, -1);
	stream_straight(s, 0);
	for (uint32_t l = 0; l < WARP_LANES; l++) {
		const uint32_t v[5][3] = { { 5, 5, 10 + l },
					   { 0 },
					   { 10 + l, 10 + l, 20 + 2 * l },
					   { 20 + 2 * l, 10 + l, 30 + 3 * l },
					   { 0 } };

		for (unsigned i = 0; i < 5; i++)
			for (unsigned j = 0; j < 3; j++)
				values[i][j * WARP_LANES + l] = v[i][j];
	}
	for (unsigned i = 0; i < 5; i++)
		s->rec[0][i].values = i == 1 || i == 4 ? NULL : values[i];
	s->checked = new(&s->a, struct checked_sums);
}

START_TEST(values_are_right_through_remapping_and_dead_behind_a_release)
{
	static uint32_t stale[3 * WARP_LANES];
	struct stats plain;
	struct stream s;

	checked_program(&s, 3);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.checked->compared, 3 * 3);
	ck_assert_uint_eq(s.checked->poisoned_bytes, 3 * 4 * WARP_LANES * (REGS - BASE));
	plain = s.st;
	s.checked = NULL;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_mem_eq(&plain, &s.st, sizeof plain);

	/* It acquires again and reads what it had there: dead, though no other warp has written it. */
	s.checked = new(&s.a, struct checked_sums);
	stream_record(&s, 0, 1);
	for (unsigned l = 0; l < WARP_LANES; l++)
		stale[l] = 20 + 2 * l;
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 3, BASE, -1, -1))->values = stale;
	s.warps = 1;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "register file regmutex delivers a wrong operand") &&
			      strstr(s.d.last, "reads R8 in lane 0 as 0x"),
		      "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* A warp that releases what it no longer holds leaves alone what is there now: another warp's values. */
START_TEST(a_release_of_nothing_leaves_values_alone)
{
	struct stream s;

	checked_program(&s, 3);
	for (unsigned i = 0; i < 20; i++)
		stream_record(&s, 0, stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1));
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_releases, 3 * 21);
	ck_assert_uint_eq(s.checked->compared, 3 * 3);
	ck_assert_uint_eq(s.checked->poisoned_bytes, 3 * 4 * WARP_LANES * (REGS - BASE));
	stream_free(&s);
}
END_TEST

/* ---- combinations ---- */
START_TEST(what_has_no_meaning_together_is_refused)
{
	static const struct {
		const char *rf, *says;
	} row[] = {
		{ "regmutex,packing=first-fit", "residency=regmutex says where each register is, and packing=first-fit "
						"has a table for that: choose one" },
		{ "regmutex-paired,packing=corf", "residency=regmutex-paired says where" },
		{ "rfc,residency=regmutex", "residency=regmutex gives registers back at a point of the program, and "
					    "hierarchy=rfc writes some back later: choose one" },
	};
	struct stream s;

	stream_init(&s);
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		use(&s, row[i].rf);
		ck_assert(!rf_config_check(&s.rf, &s.p, ~0u, "object", &s.d));
		ck_assert_msg(strstr(s.d.last, row[i].says), "%s", s.d.last);
	}
	use(&s, "regmutex");
	ck_assert(!rf_config_check(&s.rf, &s.p, 0, "object", &s.d));
	ck_assert_msg(strstr(s.d.last, "residency=regmutex needs annotations that the object lacks"), "%s", s.d.last);
	use(&s, "orf,residency=regmutex");
	ck_assert_msg(rf_config_check(&s.rf, &s.p, ~0u, "object", &s.d), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* What was chosen for another SM, or other CTAs, is not what fits here. */
START_TEST(a_size_for_another_machine_or_cta_is_remarked)
{
	static const struct {
		uint32_t registers, granule, threads, cta;
		enum regmutex_reason reason;
		uint32_t extended;
		const char *says;
	} row[] = {
		{ 32768, 4, 1536, 96, REGMUTEX_CHOSEN, 4, NULL },
		{ 32768, 4, 1536, 32, REGMUTEX_CHOSEN, 4, "share, 4 registers, was chosen for CTAs of " },
		{ 32768, 4, 1536, 32, REGMUTEX_GIVEN, 4, NULL },
		{ 32768, 4, 1536, 32, REGMUTEX_NO_GAIN, 0, NULL }, /* there is none here either */
		{ 16384, 4, 1536, 96, REGMUTEX_CHOSEN, 4, "with 16384 registers in multiples of 4 and 48 warps" },
		{ 32768, 8, 1536, 96, REGMUTEX_CHOSEN, 4, "in multiples of 8 and 48 warps, and this one has 32768" },
		{ 32768, 4, 1024, 96, REGMUTEX_CHOSEN, 4, "in multiples of 4 and 32 warps" },
	};
	const struct occupancy_cta launched = { .threads = 96 };
	struct stream s;

	stream_init(&s);
	ck_assert_ptr_null(regmutex_residency.remark(&s.p, s.k, &launched, &s.a));
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct regmutex m = { .regs = 8,
				      .asked = 8,
				      .sm = params_limits(&s.p),
				      .cta = { .threads = row[i].cta },
				      .reason = row[i].reason,
				      .extended = row[i].extended };
		const char *says;

		m.sm.registers = row[i].registers;
		m.sm.granule = row[i].granule;
		m.sm.threads = row[i].threads;
		s.k->regmutex = &m;
		says = regmutex_residency.remark(&s.p, s.k, &launched, &s.a);
		ck_assert_msg(row[i].says ? says && strstr(says, row[i].says) : !says, "row %u: %s", i, says);
	}
	stream_free(&s);
}
END_TEST

Suite *suite_regmutex_hw(void);
Suite *suite_regmutex_hw(void)
{
	Suite *s = suite_create("regmutex_hw");
	TCase *t = tcase_create("hardware");

	tcase_add_test(t, the_pool_has_the_sections_of_the_worked_example);
	tcase_add_loop_test(t, registers_stay_in_the_banks_of_their_sub_core, 0, 4);
	tcase_add_loop_test(t, warps_of_a_sub_core_share_its_sections, 0, 2);
	tcase_add_loop_test(t, registers_lie_where_figure_6_has_them, 0, 2);
	tcase_add_loop_test(t, a_plain_kernel_lies_as_under_static_allocation, 0, 2);
	tcase_add_test(t, an_sm_holds_the_ctas_whose_base_sets_and_least_sections_fit);
	tcase_add_loop_test(t, a_warp_waits_while_another_one_holds_the_only_section, 0, 2);
	tcase_add_test(t, warps_with_a_section_each_never_wait);
	tcase_add_test(t, machine_code_holds_it_where_it_is_to_without_instructions_for_that);
	tcase_add_test(t, a_release_waits_for_writes_and_frees_the_section_behind_reads);
	tcase_add_loop_test(t, exit_gives_the_section_back, 0, 2);
	tcase_add_test(t, a_warp_takes_back_what_is_still_read);
	tcase_add_loop_test(t, a_plain_kernel_takes_the_cycles_of_static_allocation, 0, 6);
	tcase_add_loop_test(t, waiting_is_the_same_however_the_model_runs, 0, 2);
	tcase_add_loop_test(t, two_level_scheduling_demotes_a_warp_that_waits, 0, 2);
	tcase_add_test(t, an_extended_register_that_is_not_held_is_named);
	tcase_add_loop_test(t, a_deadlock_names_who_holds_what_and_waits_for_whom, 0, 2);
	tcase_add_test(t, values_are_right_through_remapping_and_dead_behind_a_release);
	tcase_add_test(t, a_release_of_nothing_leaves_values_alone);
	tcase_add_test(t, what_has_no_meaning_together_is_refused);
	tcase_add_test(t, a_size_for_another_machine_or_cta_is_remarked);
	suite_add_tcase(s, t);
	return s;
}
