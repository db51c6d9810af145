/* Every interleaving of small programs of acquires, releases, barriers and exits, on the code of the residency axis and
 * the model's own waking of warps: programs that keep the rule (no barrier while the extended set is held) always come
 * to their end; those that break it are found stuck, and only those. A warp that was refused sleeps until
 * residency_wake(), so a wake that is forgotten shows too. */
#include "stream.h"
#include "runtime-model/sm/warp.h"

extern const struct residency_ops regmutex_residency, regmutex_paired_residency;

enum { WARPS = 4, STEPS = 5, STATES = 1 << 14, BASE = 4, EXTENDED = 2 };

/* What warp w does next, 'A', 'R', 'B' or 'X' at its end, is program[w][at[w]]. */
struct world {
	struct sm sm;
	struct axes ax;
	struct rf_config rf;
	struct params p;
	struct kernel k;
	struct stats st;
	struct diag d;
	struct arena a;
	uint64_t now;
	const struct residency_ops *ops;
	struct residency *r;
	unsigned warps, per_cta;
	const char *program[WARPS];
	/* as of the last replay */
	uint8_t at[WARPS];
	unsigned ended, arrived;
};

static void begin(struct world *x)
{
	static const struct dinsn nothing;

	memset(x->sm.in_state, 0, sizeof x->sm.in_state);
	for (unsigned w = 0; w < x->warps; w++) {
		x->sm.warp[w] = (struct warp){ .state = WARP_READY, .ibuf_n = 1, .next = &nothing };
		x->sm.in_state[WARP_READY] |= bit(w);
		x->at[w] = 0;
	}
	x->ended = x->arrived = 0;
	x->now = 0;
	arena_reset(&x->a);
	memset(&x->st, 0, sizeof x->st);
	x->r = x->ops->create(&(struct axis_ctx){ .params = &x->p,
						  .kernel = &x->k,
						  .stats = &x->st,
						  .arena = &x->a,
						  .diag = &x->d,
						  .axes = &x->ax,
						  .warps = WARPS,
						  .resident = x->warps,
						  .warps_per_cta = x->per_cta,
						  .now = &x->now });
}

static void try_barrier(struct world *x, unsigned cta)
{
	unsigned all = ((1u << x->per_cta) - 1) << cta * x->per_cta, run = all & ~x->ended;

	if (!(x->arrived & all) || (x->arrived & all) != run)
		return;
	for (unsigned w = 0; w < x->warps; w++)
		x->at[w] = (uint8_t)(x->at[w] + (x->arrived & run) / (1u << w) % 2);
	x->arrived &= ~all;
}

static bool can_step(const struct world *x, unsigned w)
{
	return !((x->ended | x->arrived) >> w & 1) && x->sm.warp[w].state == WARP_READY;
}

static void step(struct world *x, unsigned w)
{
	const char what = x->program[w][x->at[w]];

	x->now++;
	if (what == 'A' && x->ops->acquire(x->r, w) == ACQUIRE_NONE) {
		x->sm.warp[w].refused = true;
		warp_update(&x->sm, w);
		ck_assert(x->ops->holders(x->r, w) != 0 && !(x->ops->holders(x->r, w) & bit(w)));
		return;
	}
	if (what == 'R')
		x->ops->release(x->r, w);
	if (what == 'B') {
		x->arrived |= 1u << w;
		try_barrier(x, w / x->per_cta);
		return;
	}
	if (what == 'X') {
		x->ended |= 1u << w;
		x->ops->warp_exit(x->r, w);
		try_barrier(x, w / x->per_cta);
		return;
	}
	x->at[w]++;
}

/* Where everybody is, who sleeps, and which section whose extended set is in. */
static uint64_t key(const struct world *x)
{
	uint64_t out = x->ended | x->arrived << 4;

	for (unsigned w = 0; w < x->warps; w++) {
		const bool sleeps = x->sm.warp[w].state == WARP_REGISTERS;
		unsigned place =
			x->ops->missing(x->r, &(struct uop){ .warp = (uint16_t)w, .ndst = 1, .dst = { BASE } }) ==
					NO_REGISTER
				? 1 + (x->ops->map(x->r, w, BASE) - x->warps * BASE) / EXTENDED
				: 0;

		out |= (uint64_t)(x->at[w] | sleeps << 3 | place << 4) << (8 + 8 * w);
	}
	return out;
}

/* Can the warps come to where none goes on and not all have ended? Visits every state that they can be in. */
static bool can_stick(struct world *x)
{
	static uint64_t seen[2 * STATES];
	static struct path {
		uint8_t warp[64], n;
	} todo[STATES];
	unsigned ntodo = 1, states = 0;
	bool stuck = false;

	memset(seen, 0, sizeof seen);
	todo[0].n = 0;
	while (ntodo && !stuck) {
		const struct path from = todo[--ntodo];
		unsigned can = 0;

		for (unsigned w = 0; w < x->warps; w++) {
			uint64_t k;
			unsigned h;

			begin(x);
			for (unsigned i = 0; i < from.n; i++)
				step(x, from.warp[i]);
			if (!can_step(x, w))
				continue;
			can++;
			step(x, w);
			k = key(x) | bit(63);
			for (h = (unsigned)(k * UINT64_C(0x9e3779b97f4a7c15) >> 40);
			     seen[h % (2 * STATES)] && seen[h % (2 * STATES)] != k; h++)
				;
			if (seen[h % (2 * STATES)])
				continue;
			seen[h % (2 * STATES)] = k;
			ck_assert(++states < STATES && from.n < 63);
			todo[ntodo] = from;
			todo[ntodo++].warp[from.n] = (uint8_t)w;
			todo[ntodo - 1].n = (uint8_t)(from.n + 1);
		}
		stuck = !can && x->ended != (1u << x->warps) - 1;
	}
	return stuck;
}

/* Does it wait at a barrier with the extended set? */
static bool breaks_the_rule(const char *program)
{
	bool held = false;

	for (; *program; program++) {
		held = *program == 'A' || (held && *program != 'R');
		if (held && *program == 'B')
			return true;
	}
	return false;
}

static void world(struct world *x, const struct residency_ops *ops, unsigned warps, unsigned per_cta)
{
	memset(x, 0, sizeof *x);
	arena_init(&x->a);
	diag_init(&x->d, NULL);
	ck_assert(params_machine(&x->p, "gtx480", &x->d));
	x->p.reg_round = 1;
	x->ops = ops;
	x->warps = warps;
	x->per_cta = per_cta;
	x->k = (struct kernel){ .name = "test", .form = FORM_MACHINE, .res.regs = BASE + EXTENDED, .base_regs = BASE };
	x->sm.sb_words = 1;
	ck_assert(rf_config_parse(&x->rf, "baseline", &x->p, &x->d));
	x->ax.sm = &x->sm;
	x->sm.ax.rf = &x->rf;
}

static void set_sections(struct world *x, unsigned n)
{
	x->p.rf_registers = WARP_LANES * (x->warps * BASE + n * EXTENDED);
}

static void free_world(struct world *x)
{
	diag_free(&x->d);
	arena_free(&x->a);
}

/* The n-th word of up to `most` letters over A, R, B, with X behind it; false: there are fewer. */
static bool word(unsigned n, unsigned most, char out[STEPS + 2])
{
	unsigned len = 0, all = 1;

	while (len < most && n >= all) {
		n -= all;
		all *= 3;
		len++;
	}
	if (n >= all)
		return false;
	for (unsigned i = 0; i < len; i++, n /= 3)
		out[i] = "ARB"[n % 3];
	memcpy(out + len, "X", 2);
	return true;
}

/* Two warps, of one CTA or of two, run any two words of up to four letters; one section, or two. */
START_TEST(two_warps_with_any_programs)
{
	const struct residency_ops *ops = _i & 1 ? &regmutex_paired_residency : &regmutex_residency;
	static struct world x;
	unsigned keep = 0, stuck = 0;
	char a[STEPS + 2], b[STEPS + 2];

	world(&x, ops, 2, _i & 2 ? 1 : 2);
	x.program[0] = a;
	x.program[1] = b;
	for (unsigned i = 0; word(i, 4, a); i++)
		for (unsigned j = 0; j <= i && word(j, 4, b); j++) {
			const bool legal = !breaks_the_rule(a) && !breaks_the_rule(b);
			bool sticks;

			set_sections(&x, 1);
			sticks = can_stick(&x);
			ck_assert_msg(!(legal && sticks), "%s and %s get stuck", a, b);
			keep += legal;
			stuck += sticks;
			if (_i || i % 7)
				continue;
			set_sections(&x, 2);
			ck_assert_msg(!can_stick(&x), "%s and %s get stuck with a section each", a, b);
		}
	ck_assert_uint_gt(keep, 1000);
	if (x.per_cta == 2)
		ck_assert_uint_gt(stuck, 100);
	else
		ck_assert_uint_eq(stuck, 0); /* each has its barriers to itself */
	free_world(&x);
}
END_TEST

static const char *const keeps[] = { "X", "ARX", "AX", "ARBARX", "BARX", "AARRX", "ARBX", "ARARX" };
static const char *const breaks[] = { "ABRX", "BABRX" };
enum { KEEPS = sizeof keeps / sizeof *keeps, BREAKS = sizeof breaks / sizeof *breaks };

/* Three warps of a CTA, or of three, and two CTAs of two, with one section to three; a pair may have warps of two
 * CTAs. */
START_TEST(more_warps_with_programs_that_keep_the_rule)
{
	static const struct {
		unsigned warps, per_cta, most;
	} shape[] = { { 3, 3, 3 }, { 3, 1, 2 }, { 4, 2, 3 } };
	const struct residency_ops *ops = _i & 1 ? &regmutex_paired_residency : &regmutex_residency;
	const unsigned warps = shape[_i / 2].warps;
	static struct world x;
	unsigned all = 1;

	world(&x, ops, warps, shape[_i / 2].per_cta);
	for (unsigned w = 0; w < warps; w++)
		all *= KEEPS;
	for (unsigned sections = 1; sections <= (_i & 1 ? 1 : shape[_i / 2].most); sections++) {
		set_sections(&x, _i & 1 ? (warps + 1) / 2 : sections);
		for (unsigned n = 0; n < all; n += warps == 4 ? 61 : 1) {
			for (unsigned w = 0, left = n; w < warps; w++, left /= KEEPS)
				x.program[w] = keeps[left % KEEPS];
			ck_assert_msg(!can_stick(&x), "%s, %s, %s, %s: stuck with %u", x.program[0], x.program[1],
				      x.program[2], warps > 3 ? x.program[3] : "", sections);
		}
	}
	free_world(&x);
}
END_TEST

START_TEST(a_broken_rule_is_found_among_more_warps)
{
	static struct world x;

	world(&x, &regmutex_residency, 4, 2);
	set_sections(&x, 2);
	for (unsigned i = 0; i < BREAKS; i++) {
		for (unsigned w = 0; w < 4; w++)
			x.program[w] = breaks[i];
		ck_assert(can_stick(&x)); /* one of each CTA waits at its barrier with a section */
		x.program[3] = x.program[2] = "ARX";
		/* the second section goes round, and comes to whom the first CTA's barrier waits for */
		ck_assert(!can_stick(&x));
		set_sections(&x, 1);
		ck_assert(can_stick(&x));
		set_sections(&x, 2);
	}
	free_world(&x);
}
END_TEST

Suite *suite_regmutex_stuck(void);
Suite *suite_regmutex_stuck(void)
{
	Suite *s = suite_create("regmutex_stuck");
	TCase *t = tcase_create("interleavings");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, two_warps_with_any_programs, 0, 4);
	tcase_add_loop_test(t, more_warps_with_programs_that_keep_the_rule, 0, 6);
	tcase_add_test(t, a_broken_rule_is_found_among_more_warps);
	suite_add_tcase(s, t);
	return s;
}
