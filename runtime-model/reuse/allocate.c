/* The register allocation stage (Kim and Ro, HPCA 2018, sections V-A and V-D, Figures 6 and 7): where the results of an
 * instruction go.
 *
 * A result of all lanes is hashed and looked up; a register of the same hash is read and compared (not if the verify
 * cache has it), and if it holds the value, is the result's. Otherwise, and for results of some lanes, a register is
 * taken from the pool; or the one that they have is overwritten: if it is pinned, or if there is none in the pool and
 * nobody else refers to it.
 *
 * An instruction takes all the registers that it needs at once, or none. So what waits holds none, and as there are as
 * many registers as the live warps have of their own, once the buffers have given up theirs one of those that wait can
 * go on: it has a register that nobody else refers to, or one of its results has none of its own and the pool has one
 * left (docs/WIR.md#registers). */
#include "runtime-model/reuse/wir_state.h"

static unsigned old_of(const struct reuse *r, const struct uop *u, unsigned d)
{
	return mapping_of(r, u->warp, u->dst[d])->phys;
}
static bool pinned(const struct reuse *r, const struct uop *u, unsigned d)
{
	return mapping_of(r, u->warp, u->dst[d])->pin;
}

static void list(const struct pool *p, struct reuse_round *out, enum reuse_access_kind kind, unsigned d, unsigned phys,
		 unsigned from, uint32_t lanes)
{
	assert(out->n < REUSE_ROUND_MAX);
	out->a[out->n++] = (struct reuse_access){ .kind = (uint8_t)kind,
						  .dst = (uint8_t)d,
						  .phys = (uint16_t)pool_name(p, phys),
						  .from = (uint16_t)pool_name(p, from),
						  .lanes = lanes };
}

static void found(struct reuse *r, struct wir_flight *f, unsigned d)
{
	f->same |= (uint16_t)(1u << d);
	r->stats->vsb_hits++;
}

/* Looks a result of all lanes up. Of what the buffer finds, a reference is taken. */
static void look_up(struct reuse *r, const struct uop *u, struct wir_flight *f, unsigned d, struct reuse_round *out)
{
	const struct identity is = identity_of(u, d);
	struct part *t = part_of(r, u->warp);
	unsigned phys;

	r->stats->hashes++;
	r->stats->vsb_lookups++;
	t->signatures_used = *r->now;
	phys = signatures_find(&t->signatures, is.h3);
	if (phys == NO_REGISTER) {
		if (pool_low(&t->pool))
			r->stats->low_evictions += signatures_evict(&t->signatures, is.h3);
		return;
	}
	if (!t->verify.n || !verify_find(&t->verify, phys)) {
		pool_hold(&t->pool, phys, HOLD_FLIGHT);
		f->to[d] = (uint16_t)phys;
		f->verified |= (uint16_t)(1u << d);
		r->stats->verify_reads++;
		list(&t->pool, out, REUSE_VERIFY, d, phys, NO_REGISTER, UINT32_MAX);
		return;
	}
	r->stats->verify_cache_hits++;
	if (!same_identity(t->pool.reg[phys].is, is)) {
		r->stats->vsb_false++;
		return;
	}
	pool_hold(&t->pool, phys, HOLD_FLIGHT);
	f->to[d] = (uint16_t)phys;
	found(r, f, d);
}

/* The registers read have been compared. */
static void compare(struct reuse *r, const struct uop *u, struct wir_flight *f)
{
	struct part *t = part_of(r, u->warp);

	for (unsigned d = 0; d < u->ndst; d++) {
		if (!(f->verified >> d & 1))
			continue;
		if (t->verify.n) {
			verify_fill(&t->verify, f->to[d]);
			r->stats->verify_cache_fills++;
		}
		if (same_identity(t->pool.reg[f->to[d]].is, identity_of(u, d))) {
			found(r, f, d);
			continue;
		}
		r->stats->vsb_false++;
		pool_drop(&t->pool, f->to[d], HOLD_FLIGHT);
		f->to[d] = NO_REGISTER;
	}
}

/* Nobody refers to the register of result d but this instruction's own results, which all get others or this one. */
static bool own_alone(const struct reuse *r, const struct uop *u, unsigned d)
{
	const unsigned phys = old_of(r, u, d);
	unsigned own = 0;

	for (unsigned i = 0; phys != NO_REGISTER && i < u->ndst; i++)
		own += old_of(r, u, i) == phys;
	return own && part_seen(r, u->warp)->pool.reg[phys].refs == own;
}

/* Gives result d the register of result `of`, which it overwrites. */
static void overwrite(struct reuse *r, const struct uop *u, struct wir_flight *f, unsigned d, unsigned of)
{
	f->to[d] = (uint16_t)old_of(r, u, of);
	pool_hold(&part_of(r, u->warp)->pool, f->to[d], HOLD_FLIGHT);
}

/* Registers are short. Results get those that they have alone; those of all lanes any that the instruction's results
 * have alone. What is then missing is in the pool, or nothing changes. */
static bool force(struct reuse *r, const struct uop *u, struct wir_flight *f, uint32_t need)
{
	uint32_t alone = 0, own = 0, got;
	uint8_t from[UOP_DST_MAX];
	unsigned left = 0;

	for (unsigned d = 0; d < u->ndst; d++) {
		bool first = true;

		for (unsigned i = 0; i < d; i++)
			first &= old_of(r, u, i) != old_of(r, u, d);
		if (first && own_alone(r, u, d))
			alone |= 1u << d;
	}
	for (uint32_t m = need & alone; m; m &= m - 1)
		from[__builtin_ctz(m)] = (uint8_t)__builtin_ctz(m);
	own = need & alone;
	alone &= ~own;
	got = own;
	for (uint32_t m = need & ~own; m; m &= m - 1) {
		const unsigned d = (unsigned)__builtin_ctz(m);

		if (!uop_convergent(u) || !alone) {
			left++;
			continue;
		}
		from[d] = (uint8_t)__builtin_ctz(alone);
		alone &= alone - 1;
		got |= 1u << d;
	}
	if (left > pool_left(&part_of(r, u->warp)->pool))
		return false;
	for (uint32_t m = got; m; m &= m - 1) {
		const unsigned d = (unsigned)__builtin_ctz(m);

		overwrite(r, u, f, d, from[d]);
		r->stats->forced_writes++;
	}
	f->last |= uop_convergent(u) ? 0 : (uint16_t)got;
	return true;
}

static void starve(struct pool *p, struct wir_flight *f, bool starved)
{
	if (f->starved != starved)
		pool_starve(p, starved);
	f->starved = starved;
}

/* Takes a register for each result that lacks one. False: there are too few, and nothing has changed. */
static bool allocate(struct reuse *r, const struct uop *u, struct wir_flight *f)
{
	struct part *t = part_of(r, u->warp);
	uint32_t need = 0, in_place = 0;

	for (unsigned d = 0; d < u->ndst; d++) {
		if (!uop_convergent(u) && pinned(r, u, d)) {
			if (t->pool.reg[old_of(r, u, d)].refs > 1)
				return false; /* an older instruction has yet to read it */
			in_place |= 1u << d;
		} else if (f->to[d] == NO_REGISTER) {
			need |= 1u << d;
		}
	}
	if ((unsigned)__builtin_popcount(need) > pool_left(&t->pool)) {
		wir_drop_tag(t, f);
		if ((unsigned)__builtin_popcount(need) > pool_left(&t->pool) && !force(r, u, f, need)) {
			starve(&t->pool, f, true);
			return false;
		}
	}
	starve(&t->pool, f, false);
	for (; in_place; in_place &= in_place - 1) {
		overwrite(r, u, f, (unsigned)__builtin_ctz(in_place), (unsigned)__builtin_ctz(in_place));
		r->stats->pinned_writes++;
	}
	for (unsigned d = 0; d < u->ndst; d++)
		if (f->to[d] == NO_REGISTER) {
			f->to[d] = (uint16_t)pool_take(&t->pool);
			f->fresh |= (uint16_t)(1u << d);
		}
	return true;
}

static void write_result(struct reuse *r, const struct uop *u, const struct wir_flight *f, unsigned d,
			 struct reuse_round *out)
{
	struct part *t = part_of(r, u->warp);

	t->pool.reg[f->to[d]].is = identity_of(u, d);
	verify_written(&t->verify, f->to[d]);
	list(&t->pool, out, REUSE_WRITE, d, f->to[d], NO_REGISTER, u->active);
}

/* A register that is new to result d, of some lanes, gets the others from the one before. One that is overwritten,
 * though it was not pinned, may be encoded as a whole: it gets its own, lane by lane. */
static bool moves(const struct reuse *r, const struct uop *u, const struct wir_flight *f, unsigned d)
{
	return !uop_convergent(u) && old_of(r, u, d) != NO_REGISTER &&
	       (f->fresh >> d & 1 || (f->last >> d & 1 && r->axes->rf->values->issue));
}

static bool written(const struct wir_flight *f, unsigned d) { return !(f->same >> d & 1); }

/* What follows f->step, in out; the next step. */
static enum step step(struct reuse *r, const struct uop *u, struct wir_flight *f, struct reuse_round *out)
{
	const struct part *t = part_of(r, u->warp);

	switch ((enum step)f->step) {
	case STEP_NEW:
		for (unsigned d = 0; uop_convergent(u) && t->signatures.n && d < u->ndst; d++)
			look_up(r, u, f, d, out);
		return STEP_VERIFY;
	case STEP_VERIFY:
		compare(r, u, f);
		return STEP_ALLOCATE;
	case STEP_ALLOCATE:
		if (!allocate(r, u, f))
			return STEP_ALLOCATE;
		for (unsigned d = 0; d < u->ndst; d++) {
			if (moves(r, u, f, d))
				list(&t->pool, out, REUSE_MOVE_READ, d, old_of(r, u, d), NO_REGISTER, UINT32_MAX);
			if (written(f, d) && !(f->last >> d & 1))
				write_result(r, u, f, d, out);
		}
		return STEP_MOVE;
	case STEP_MOVE:
		for (unsigned d = 0; d < u->ndst; d++)
			if (moves(r, u, f, d)) {
				r->stats->dummy_moves++;
				list(&t->pool, out, REUSE_MOVE_WRITE, d, f->to[d], old_of(r, u, d),
				     ~(u->active | u->missing));
			}
		return STEP_LAST;
	case STEP_LAST:
		for (unsigned d = 0; d < u->ndst; d++)
			if (f->last >> d & 1)
				write_result(r, u, f, d, out);
		return STEP_DONE;
	case STEP_DONE:
		break;
	}
	return STEP_DONE;
}

enum reuse_progress wir_round(struct reuse *r, const struct uop *u, struct reuse_round *out)
{
	struct wir_flight *f = flight_of(r, u);

	out->n = 0;
	while (!out->n && f->step != STEP_DONE) {
		const enum step next = step(r, u, f, out);

		if (next == STEP_ALLOCATE && f->step == STEP_ALLOCATE) {
			r->stats->register_waits += !f->waits;
			f->waits = true;
			return ROUND_WAIT;
		}
		f->step = (uint8_t)next;
	}
	f->waits = false;
	return out->n ? ROUND_ACCESS : ROUND_DONE;
}
