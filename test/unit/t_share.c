/* Registers shared without instructions for it: residency owf with issue owf, residency rfv-shared. How many CTAs,
 * which registers where, who waits for whom, and that nobody waits for ever: every interleaving of small programs is
 * tried on the real code. */
#include "analyzer/elf/rlo.h"
#include "passes/owf.h"
#include "passes/pass.h"
#include "runtime-model/core/occupancy.h"
#include "runtime-model/core/rename.h"
#include "runtime-model/sm/sm.h"
#include "stream.h"

extern const struct residency_ops owf_residency, rfv_shared_residency, static_residency;
extern const struct issue_ops owf_issue;

/* ---- the residency alone, on an SM that does nothing ---- */
struct bench {
	struct arena a, run; /* run: what an exploration makes */
	struct diag d;
	struct params p;
	struct kernel k;
	struct owf order;
	struct stats st;
	struct rf_config rf;
	struct axes ax;
	struct axis_ctx cx;
	uint64_t now;
};

static struct bench b;
static struct sm sm; /* no warp of it waits, none is woken */

static void setup(void)
{
	memset(&b, 0, sizeof b);
	arena_init(&b.a);
	diag_init(&b.d, NULL);
	arena_init(&b.run);
	ck_assert(params_machine(&b.p, "gtx480", &b.d));
	ck_assert(rf_config_parse(&b.rf, "owf", &b.p, &b.d));
	memcpy(b.order.rank, owf_by_number, sizeof b.order.rank);
	b.k = (struct kernel){ .name = "k", .form = FORM_MACHINE, .facts = FACT_OWF | FACT_RELEASE, .owf = &b.order };
	b.ax = (struct axes){ .rf = &b.rf, .sm = &sm };
}

static void teardown(void)
{
	diag_free(&b.d);
	arena_free(&b.run);
	arena_free(&b.a);
}

static struct residency *make(const struct residency_ops *ops, unsigned regs, unsigned warps, unsigned ctas)
{
	b.k.res.regs = b.order.n = regs;
	b.cx = (struct axis_ctx){ .params = &b.p,
				  .kernel = &b.k,
				  .stats = &b.st,
				  .arena = &b.run,
				  .diag = &b.d,
				  .axes = &b.ax,
				  .warps = params_warps(&b.p),
				  .resident = ctas * warps,
				  .warps_per_cta = warps,
				  .now = &b.now };
	return ops->create(&b.cx);
}

/* 36 registers, 8 warps: three CTAs take 864 of 1024 entries, and 160 are left for the registers that three more have
 * alone. */
START_TEST(ctas_that_find_room_beside_those_that_fit)
{
	static const struct {
		unsigned regs, warps, shared, slots, ctas;
	} row[] = {
		{ 36, 8, 0, 48, 6 },  { 33, 8, 0, 48, 6 },  { 36, 8, 16, 48, 4 },  { 36, 8, 26, 48, 5 },
		{ 36, 8, 30, 48, 6 }, { 36, 8, 35, 48, 6 }, { 36, 8, 200, 48, 6 }, { 36, 8, 30, 40, 5 },
		{ 32, 8, 0, 48, 4 },  { 32, 8, 31, 48, 4 }, { 20, 8, 0, 48, 6 },   { 40, 8, 0, 48, 5 },
		{ 63, 8, 0, 48, 2 },  { 60, 8, 0, 48, 3 },  { 64, 24, 0, 48, 0 },
	};

	b.p.owf_shared = row[_i].shared;
	b.p.threads_per_sm = row[_i].slots * 32;
	b.k.res.regs = row[_i].regs;
	ck_assert_uint_eq(owf_residency.max_ctas(&b.p, &b.k, row[_i].warps), row[_i].ctas);
}
END_TEST

/* No two warps have a register in one place, but those of a pair what they share: the highest ranks. */
START_TEST(only_pairs_share_and_only_the_last_ranks)
{
	static const struct {
		unsigned regs, warps, ctas, first, pairs, shared;
	} row[] = {
		{ 36, 8, 6, 3, 3, 30 }, { 36, 8, 4, 3, 1, 16 }, { 36, 8, 5, 3, 2, 26 }, { 33, 8, 6, 3, 3, 30 },
		{ 36, 8, 3, 3, 0, 0 },  { 20, 7, 6, 6, 0, 0 },  { 44, 5, 6, 4, 2, 30 },
	};
	const unsigned R = (row[_i].regs + 3) / 4 * 4, own = R - row[_i].shared, alone = row[_i].first - row[_i].pairs;
	static uint16_t who[1024][2];
	struct residency *r;

	memset(who, 0, sizeof who);
	for (unsigned x = 0; x < row[_i].regs; x++)
		b.order.rank[x] = (uint8_t)(row[_i].regs - 1 - x);
	b.p.owf_shared = row[_i].shared;
	r = make(&owf_residency, row[_i].regs, row[_i].warps, row[_i].ctas);
	for (unsigned w = 0; w < row[_i].ctas * row[_i].warps; w++)
		for (unsigned x = 0; x < row[_i].regs; x++) {
			const unsigned at = owf_residency.map(r, w, x), cta = w / row[_i].warps;
			const bool shares = row[_i].pairs && cta >= alone && b.order.rank[x] >= own;

			ck_assert_uint_lt(at, 1024);
			ck_assert_uint_lt(who[at][1], shares ? 2 : 1);
			if (who[at][1] == 1) {
				const unsigned other = who[at][0] / 64 / row[_i].warps;

				ck_assert_uint_eq(who[at][0] % 64, x);
				ck_assert_uint_eq(cta >= row[_i].first ? cta - row[_i].first : 99, other - alone);
			}
			who[at][0] = (uint16_t)(w * 64 + x);
			who[at][1]++;
		}
	for (unsigned i = 0; row[_i].pairs && i < row[_i].warps; i++)
		for (unsigned x = 0; x < row[_i].regs; x++)
			ck_assert_int_eq(owf_residency.map(r, alone * row[_i].warps + i, x) ==
						 owf_residency.map(r, row[_i].first * row[_i].warps + i, x),
					 b.order.rank[x] >= own);
}
END_TEST

/* ---- every interleaving (without ck_assert, which tells the parent process each time): two CTAs that share, and a
 * third that follows the first of them that ends ---- */
enum { CTAS = 3, STEPS = 4, MOST_WARPS = 3, KEYS = 1 << 13, DEPTH = 64 };

/* 't': touches a shared register; 'b': a barrier of its CTA */
struct program {
	unsigned n;
	char op[STEPS];
};

struct world {
	struct program of[CTAS][MOST_WARPS];
	unsigned warps;
	/* where it stands */
	struct residency *r;
	unsigned next, slot_cta[2], pc[2][MOST_WARPS]; /* next: CTA to start; slot_cta: CTAS: none */
	bool at[2][MOST_WARPS], left[2][MOST_WARPS];
	uint8_t way[DEPTH]; /* warps that moved, */
	unsigned n;         /* so many */
	uint64_t *seen;
	unsigned nseen;
	bool stuck;
};

static struct uop touch(unsigned warp)
{
	return (struct uop){ .warp = (uint16_t)warp, .active = UINT32_MAX, .ndst = 1, .dst = { 15 } };
}

static void start_cta(struct world *w, unsigned slot)
{
	w->slot_cta[slot] = w->next < CTAS ? w->next++ : CTAS;
	for (unsigned i = 0; i < w->warps; i++) {
		w->pc[slot][i] = 0;
		w->at[slot][i] = false;
		w->left[slot][i] = w->slot_cta[slot] == CTAS;
	}
	if (w->slot_cta[slot] != CTAS)
		owf_residency.cta_start(w->r, slot * w->warps, w->warps);
}

static void restart(struct world *w)
{
	arena_reset(&b.run);
	w->r = make(&owf_residency, 16, w->warps, 2);
	w->next = 0;
	start_cta(w, 0);
	start_cta(w, 1);
}

/* Warps of the CTA that wait at its barrier go on if none of it still runs. */
static void pass_barrier(struct world *w, unsigned slot)
{
	for (unsigned i = 0; i < w->warps; i++)
		if (!w->left[slot][i] && !w->at[slot][i])
			return;
	for (unsigned i = 0; i < w->warps; i++)
		if (w->at[slot][i]) {
			w->at[slot][i] = false;
			w->pc[slot][i]++;
		}
}

/* The warp makes its next step; false: it cannot. */
static bool move(struct world *w, unsigned warp)
{
	const unsigned slot = warp / w->warps, i = warp % w->warps;
	const struct program *p = &w->of[w->slot_cta[slot] % CTAS][i];
	const struct uop u = touch(warp);

	if (w->left[slot][i] || w->at[slot][i])
		return false;
	if (w->pc[slot][i] == p->n) {
		w->left[slot][i] = true;
		owf_residency.warp_exit(w->r, warp);
		pass_barrier(w, slot);
		for (unsigned j = 0; j < w->warps; j++)
			if (!w->left[slot][j])
				return true;
		start_cta(w, slot);
		return true;
	}
	if (p->op[w->pc[slot][i]] == 'b') {
		w->at[slot][i] = true;
		pass_barrier(w, slot);
		return true;
	}
	if (!owf_residency.may_issue(w->r, &u))
		return false;
	owf_residency.issue(w->r, &u);
	w->pc[slot][i]++;
	return true;
}

static uint64_t key(const struct world *w)
{
	uint64_t owners, others, x = w->next;

	owf_residency.owners(w->r, &owners, &others);
	for (unsigned s = 0; s < 2; s++) {
		x = x * 4 + w->slot_cta[s];
		for (unsigned i = 0; i < w->warps; i++)
			x = ((x * (STEPS + 1) + w->pc[s][i]) * 2 + w->at[s][i]) * 2 + w->left[s][i];
	}
	return (x << 2 * w->warps | owners) << 2 * w->warps | others;
}

static bool is_new(struct world *w, uint64_t x)
{
	uint64_t h = x * UINT64_C(0x9e3779b97f4a7c15) >> 51;

	for (; w->seen[h]; h = (h + 1) % KEYS)
		if (w->seen[h] == x + 1)
			return false;
	if (++w->nseen == KEYS / 2)
		ck_abort_msg("more states than there is room for");
	w->seen[h] = x + 1;
	return true;
}

/* From where w stands, in every way; w->way leads here. */
static void explore(struct world *w)
{
	bool moved = false;

	for (unsigned warp = 0; !w->stuck && warp < 2 * w->warps; warp++) {
		restart(w);
		for (unsigned i = 0; i < w->n; i++)
			move(w, w->way[i]);
		if (!move(w, warp))
			continue;
		moved = true;
		if (!is_new(w, key(w)))
			continue;
		if (w->n == DEPTH)
			ck_abort_msg("a longer way than there is room for");
		w->way[w->n++] = (uint8_t)warp;
		explore(w);
		w->n--;
	}
	if (moved || w->stuck)
		return;
	restart(w);
	for (unsigned i = 0; i < w->n; i++)
		move(w, w->way[i]);
	w->stuck = w->slot_cta[0] != CTAS || w->slot_cta[1] != CTAS;
}

/* Program `t` of those with so many barriers: it touches before barrier t, or never. */
static struct program program(unsigned barriers, unsigned t)
{
	struct program p = { 0 };

	for (unsigned i = 0; i <= barriers; i++) {
		if (t == i)
			p.op[p.n++] = 't';
		if (i < barriers)
			p.op[p.n++] = 'b';
	}
	return p;
}

/* All programs of all CTAs, whose warps meet at so many barriers: how many worlds, how many with a way to get stuck. */
static void try_all(unsigned warps, unsigned barriers, unsigned *worlds, unsigned *stuck)
{
	const unsigned kinds = barriers + 2;
	static uint64_t seen[KEYS];
	unsigned all = 1;

	for (unsigned i = 0; i < CTAS * warps; i++)
		all *= kinds;
	for (unsigned x = 0; x < all; x++) {
		struct world w = { .warps = warps };
		unsigned y = x;

		for (unsigned i = 0; i < CTAS * warps; i++, y /= kinds)
			w.of[i / warps][i % warps] = program(barriers, y % kinds);
		memset(seen, 0, sizeof seen);
		w.seen = seen;
		explore(&w);
		*stuck += w.stuck;
		++*worlds;
	}
}

START_TEST(no_interleaving_gets_stuck)
{
	static const struct {
		unsigned warps, barriers;
	} row[] = { { 1, 1 }, { 2, 0 }, { 2, 1 }, { 2, 2 } };
	unsigned worlds = 0, stuck = 0;

	/* 20 entries: one CTA of a warp of 16 registers, and another that has 4 for itself; likewise more warps */
	b.p.ctas_per_sm = 2;
	b.p.rf_registers = 20 * WARP_LANES * row[_i / 2].warps;
	b.p.owf_shared = 12;
	b.p.owf_rules = _i % 2 == 0;
	try_all(row[_i / 2].warps, row[_i / 2].barriers, &worlds, &stuck);
	ck_assert_uint_gt(worlds, 26);
	if (b.p.owf_rules || row[_i / 2].warps == 1 || !row[_i / 2].barriers)
		ck_assert_uint_eq(stuck, 0);
	else
		ck_assert_uint_gt(stuck, 0);
}
END_TEST

/* ---- owner warp first ---- */
static void some_owners(const struct residency *r, uint64_t *owners, uint64_t *others)
{
	(void)r;
	*owners = 1 << 4;
	*others = 1 << 0 | 1 << 2;
}

/* A core of sub-cores with half the registers of a GPU of today: 128 rows in each of two banks of a sub-core. */
static void use_subcores(void)
{
	ck_assert(params_machine(&b.p, "rtx3080", &b.d));
	b.p.rf_registers = 32768;
}

/* 40 registers, 8 warps, two of them in a sub-core: three CTAs take 120 rows, and two more share with two of these
 * all but 4 registers of a thread (29 of the 33 that a kernel names), one more all but 8. Of seven warps those of
 * the same number may be in two sub-cores. */
static const struct {
	unsigned regs, warps, shared, ctas, first, pairs, shares;
} on_subcores[] = {
	{ 40, 8, 0, 5, 3, 2, 36 }, { 40, 8, 32, 4, 3, 1, 32 }, { 40, 8, 33, 4, 3, 1, 32 }, { 40, 8, 16, 3, 3, 0, 0 },
	{ 33, 8, 0, 5, 3, 2, 29 }, { 40, 7, 36, 3, 3, 0, 0 },  { 72, 4, 0, 6, 3, 3, 60 },
};

START_TEST(pairs_of_ctas_share_within_each_sub_core)
{
	const unsigned warps = on_subcores[_i].warps, ctas = on_subcores[_i].ctas, first = on_subcores[_i].first,
		       alone = first - on_subcores[_i].pairs;
	static uint8_t who[1024][2]; /* warp and register, each plus 1 */
	unsigned shares = 0;
	struct residency *r;

	use_subcores();
	memset(who, 0, sizeof who);
	for (unsigned x = 0; x < 256; x++)
		b.order.rank[x] = (uint8_t)(x < on_subcores[_i].regs ? on_subcores[_i].regs - 1 - x : x);
	b.p.owf_shared = on_subcores[_i].shared;
	r = make(&owf_residency, on_subcores[_i].regs, warps, ctas);
	ck_assert_uint_eq(owf_residency.max_ctas(&b.p, &b.k, warps), ctas);
	for (unsigned w = 0; w < ctas * warps; w++)
		for (unsigned x = 0; x < on_subcores[_i].regs; x++) {
			const unsigned at = owf_residency.map(r, w, x);

			ck_assert_uint_lt(at, 1024);
			ck_assert_uint_eq(at % 2, x % 2);
			ck_assert_uint_eq(at / 2 % 4, w % 4);
			if (who[at][0]) {
				ck_assert_uint_eq(who[at][0] - 1, w - (first - alone) * warps);
				ck_assert_uint_eq(who[at][1] - 1, x);
				ck_assert_uint_ge(w, first * warps);
				shares++;
			}
			who[at][0] = (uint8_t)(w + 1);
			who[at][1] = (uint8_t)(x + 1);
		}
	ck_assert_uint_eq(shares, on_subcores[_i].pairs * warps * on_subcores[_i].shares);
}
END_TEST

START_TEST(owners_go_first_and_those_that_wait_for_them_last)
{
	struct residency_ops ops = { .name = "some", .owners = some_owners };
	struct issue *s;
	struct uop u = { .warp = 6 };

	make(&owf_residency, 16, 1, 2);
	b.rf.residency = &ops;
	s = owf_issue.create(&b.cx, 0);
	for (unsigned w = 0; w <= 8; w += 2)
		owf_issue.warp_start(s, w, w);
	ck_assert_uint_eq(owf_issue.pick(s, 0x155), 4);
	ck_assert_uint_eq(owf_issue.pick(s, 0x145), 6); /* shares with no owner; the oldest of them */
	ck_assert_uint_eq(owf_issue.pick(s, 0x105), 8);
	ck_assert_uint_eq(owf_issue.pick(s, 5), 0);
	owf_issue.issued(s, 8, &u, 0);
	ck_assert_uint_eq(owf_issue.pick(s, 0x145), 8); /* greedy */
	owf_issue.issued(s, 2, &u, 0);
	ck_assert_uint_eq(owf_issue.pick(s, 5), 2);
	owf_issue.warp_exit(s, 2);
	ck_assert_uint_eq(owf_issue.pick(s, 1), 0);
}
END_TEST

/* ---- on an SM ---- */
static struct stream s;

static bool odd(uint64_t cta, unsigned warp) { return (cta ^ warp) & 1; }

/* Two CTAs of two warps, in a file with room for one and a half. Instruction 0 names registers of its own, 1 shared
 * ones, 2 is a barrier. Warps with an even number of the first CTA, and odd of the second, touch at once; the others
 * after twenty instructions. */
static void cross(void)
{
	struct kernel *k;
	struct owf *order;

	stream_init(&s);
	k = s.k;
	order = new(&s.a, struct owf);
	stream_insn(&s, OP_ADD_S32, 0, 1, 1, -1);
	stream_insn(&s, OP_ADD_S32, 15, 1, 1, -1);
	stream_barrier(&s, 0, 0);
	memcpy(order->rank, owf_by_number, sizeof order->rank);
	order->n = 16;
	k->owf = order;
	k->facts |= FACT_OWF;
	s.warps = 2;
	s.ctas = 2;
	s.p.ctas_per_sm = 2;
	s.p.rf_registers = 40 * WARP_LANES;
	s.second = odd;
	for (unsigned i = 0; i < 20; i++)
		stream_record(&s, 1, 0);
	for (unsigned which = 0; which < 2; which++) {
		stream_record(&s, which, 1);
		stream_record(&s, which, 2);
	}
	ck_assert(rf_config_parse(&s.rf, "owf", &s.p, &s.d));
}

START_TEST(the_second_cta_waits_until_the_first_needs_them_no_more)
{
	cross();
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.owf_locks, 4);
	ck_assert_uint_eq(s.st.owf_locks_waited, 2);
	ck_assert_uint_gt(s.st.owf_wait_cycles, 20);
	ck_assert_uint_gt(s.st.slots[STALL_RESIDENCY], 0);
	stream_free(&s);
}
END_TEST

START_TEST(without_rules_a_deadlock_is_reported)
{
	cross();
	s.p.owf_rules = 0;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "the 12 registers that it shares with warp 0, which has them until it ends, "
				       "held by warp 0 at ") != NULL,
		      "%s", s.d.last);
	ck_assert_msg(strstr(s.d.last, "the 12 registers that it shares with warp 3, which has them until it ends, "
				       "held by warp 3 at ") != NULL,
		      "%s", s.d.last);
	stream_free(&s);
}
END_TEST

START_TEST(a_configuration_that_cannot_be_is_refused)
{
	static const struct {
		const char *rf, *why;
	} row[] = {
		{ "issue=owf",
		  "issue=owf prefers warps that own what they share with others, and under residency=static none do" },
		{ "residency=owf,packing=corf", NULL },
		{ "orf,residency=owf", "residency=owf may hold a warp up at any instruction" },
		{ "orf,residency=rfv-shared", "residency=rfv-shared may hold a warp up at any instruction" },
		{ "rfc,residency=rfv-shared",
		  "residency=rfv-shared gives a register its place when an instruction writes it" },
		{ "rfc,residency=owf", NULL },
	};
	struct rf_config rf;
	bool ok;

	ck_assert(rf_config_parse(&rf, row[_i].rf, &b.p, &b.d));
	ok = rf_config_check(&rf, &b.p, ANNO_ALL, "k.rlo", &b.d);
	ck_assert_msg(ok == !row[_i].why && (ok || strstr(b.d.last, row[_i].why)), "%s", b.d.last);
}
END_TEST

/* ---- rfv-shared: 20 entries, warps with 10 registers ---- */
static struct residency *shared_bench(unsigned reserve, unsigned warps, unsigned ctas)
{
	struct residency *r;

	ck_assert(rf_config_parse(&b.rf, "rfv-shared", &b.p, &b.d));
	b.k.release = new(&b.a, struct release);
	*b.k.release = (struct release){ .at = new_array(&b.a, uint32_t, 4), .entry_at = new_array(&b.a, uint32_t, 4) };
	b.k.ninsn = 1;
	b.p.rf_registers = 20 * WARP_LANES;
	b.p.rfv_reserve = reserve;
	make(&static_residency, 10, warps, ctas);
	b.ax.rename = rename_new(&b.cx);
	r = b.ax.residency = rfv_shared_residency.create(&b.cx);
	for (unsigned c = 0; c < ctas; c++)
		ck_assert(rfv_shared_residency.cta_start(r, c * warps, warps));
	return r;
}

/* The warp writes register reg, whose write stays outstanding: may it? */
static bool writes(struct residency *r, unsigned warp, unsigned reg)
{
	const struct uop u = { .warp = (uint16_t)warp, .active = UINT32_MAX, .ndst = 1, .dst = { (uint8_t)reg } };

	if (!rfv_shared_residency.may_issue(r, &u))
		return false;
	rename_issue(b.ax.rename, &u);
	rfv_shared_residency.issue(r, &u);
	return true;
}

static unsigned write_all(struct residency *r, unsigned warp)
{
	unsigned n = 0;

	while (n < 10 && writes(r, warp, n))
		n++;
	return n;
}

START_TEST(entries_are_kept_for_older_ctas)
{
	struct residency *r = shared_bench(1, 1, 3);

	ck_assert_uint_eq(write_all(r, 2), 10); /* the two before it need ten each, one after the other */
	ck_assert_uint_eq(write_all(r, 1), 0);  /* else nothing would be left for warp 0 */
	ck_assert_uint_eq(write_all(r, 0), 10);
	rfv_shared_residency.warp_exit(r, 0);
	rename_warp_exit(b.ax.rename, 0);
	ck_assert_uint_eq(write_all(r, 1), 10);
	ck_assert_uint_eq(b.st.rfv_throttled, 1);
}
END_TEST

/* Of the three, two find room side by side. */
START_TEST(as_many_as_fit_are_never_throttled)
{
	struct residency *r = shared_bench(32, 1, 3);

	ck_assert_uint_eq(write_all(r, 2), 0);
	ck_assert_uint_eq(write_all(r, 1), 10);
	ck_assert_uint_eq(write_all(r, 0), 10);
	rfv_shared_residency.warp_exit(r, 1);
	rename_warp_exit(b.ax.rename, 1);
	ck_assert_uint_eq(write_all(r, 2), 10);
}
END_TEST

/* A CTA may come to need less than the next one, as warps of it end: what is kept is enough for either. */
START_TEST(entries_are_kept_for_the_next_cta_too)
{
	struct residency *r = shared_bench(32, 2, 3);

	rfv_shared_residency.warp_exit(r, 0);
	rename_warp_exit(b.ax.rename, 0);
	/* 10 would be left for warp 1, not 20 for warps 2 and 3 behind it */
	ck_assert_uint_eq(write_all(r, 4), 0);
	ck_assert_uint_eq(write_all(r, 2), 10);
	ck_assert_uint_eq(write_all(r, 1), 10);
	rfv_shared_residency.warp_exit(r, 1);
	rename_warp_exit(b.ax.rename, 1);
	ck_assert_uint_eq(write_all(r, 4), 0);
	ck_assert_uint_eq(write_all(r, 3), 10);
}
END_TEST

/* Whoever lacks fewest may take all that it needs; the others may while that is so. */
START_TEST(or_for_the_one_that_lacks_fewest)
{
	struct residency *r = shared_bench(0, 1, 3);

	ck_assert_uint_eq(write_all(r, 2), 10);
	ck_assert_uint_eq(write_all(r, 1), 10); /* warp 2 lacks none */
	ck_assert_uint_eq(write_all(r, 0), 0);  /* the file is full */
	rfv_shared_residency.warp_exit(r, 2);
	rename_warp_exit(b.ax.rename, 2);
	ck_assert_uint_eq(write_all(r, 0), 10);
}
END_TEST

/* A write that no lane executes, a register that dies, a second write of one that is there. */
START_TEST(what_is_held)
{
	struct residency *r = shared_bench(1, 1, 1);
	const struct value_sig sig = { .width = 4 };
	const struct uop u = { .warp = 0, .active = UINT32_MAX, .ndst = 1, .dst = { 3 }, .sig = &sig };

	ck_assert(writes(r, 0, 3));
	ck_assert_uint_eq(rename_held(b.ax.rename), 1);
	rename_written(b.ax.rename, 0, 3);
	ck_assert_uint_eq(rename_held(b.ax.rename), 0);
	ck_assert(writes(r, 0, 3));
	rename_map(b.ax.rename, 0, 3, rename_search_file(b.ax.rename, 4, FIT_ANY));
	rename_written(b.ax.rename, 0, 3);
	ck_assert_uint_eq(rename_held(b.ax.rename), 1);
	rename_issue(b.ax.rename, &(struct uop){ .warp = 0, .nsrc = 1, .src = { 3 } });
	rename_release(b.ax.rename, 0, 3); /* once it has been read; before that it is written again, */
	rename_issue(b.ax.rename, &u);
	ck_assert_uint_eq(rename_held_by(b.ax.rename, 0), 1);
	rename_read(b.ax.rename, 0, 3);
	ck_assert_uint_eq(rename_find(b.ax.rename, 0, 3)->mask, 0);
	ck_assert_uint_eq(rename_held(b.ax.rename), 1); /* for which the entry is promised */
	ck_assert(rename_holds(b.ax.rename, 0, 3));
	rename_release(b.ax.rename, 0, 3);
	rename_map(b.ax.rename, 0, 3, rename_search_file(b.ax.rename, 4, FIT_ANY));
	rename_written(b.ax.rename, 0, 3);
	ck_assert_uint_eq(rename_held(b.ax.rename), 0);
}
END_TEST

START_TEST(one_cta_must_fit)
{
	b.k.res.regs = 33;
	b.p.rf_registers = 33 * 8 * WARP_LANES;
	ck_assert_uint_eq(rfv_shared_residency.max_ctas(&b.p, &b.k, 8), OCCUPANCY_ANY);
	b.p.rf_registers -= WARP_LANES;
	ck_assert_uint_eq(rfv_shared_residency.max_ctas(&b.p, &b.k, 8), 0);
}
END_TEST

Suite *suite_share(void);
Suite *suite_share(void)
{
	Suite *suite = suite_create("share");
	TCase *t = tcase_create("share");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, ctas_that_find_room_beside_those_that_fit, 0, 15);
	tcase_add_loop_test(t, only_pairs_share_and_only_the_last_ranks, 0, 7);
	tcase_add_loop_test(t, pairs_of_ctas_share_within_each_sub_core, 0, sizeof on_subcores / sizeof *on_subcores);
	tcase_add_loop_test(t, no_interleaving_gets_stuck, 0, 8);
	tcase_add_test(t, owners_go_first_and_those_that_wait_for_them_last);
	tcase_add_test(t, the_second_cta_waits_until_the_first_needs_them_no_more);
	tcase_add_test(t, without_rules_a_deadlock_is_reported);
	tcase_add_loop_test(t, a_configuration_that_cannot_be_is_refused, 0, 6);
	tcase_add_test(t, entries_are_kept_for_older_ctas);
	tcase_add_test(t, as_many_as_fit_are_never_throttled);
	tcase_add_test(t, entries_are_kept_for_the_next_cta_too);
	tcase_add_test(t, or_for_the_one_that_lacks_fewest);
	tcase_add_test(t, what_is_held);
	tcase_add_test(t, one_cta_must_fit);
	suite_add_tcase(suite, t);
	return suite;
}
