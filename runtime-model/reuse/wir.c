/* The rename and reuse stages, retirement, the low-register mode. In the order of an instruction's life. */
#include "runtime-model/reuse/storage.h"
#include "runtime-model/reuse/wir_state.h"

/* A sub-core reaches its own registers alone. */
unsigned wir_parts(const struct params *p) { return params_register_files(p); }

/* Of one part, in all of its banks alike if it is not the only one. */
unsigned wir_registers(const struct params *p)
{
	const unsigned parts = wir_parts(p), n = p->rf_registers / WARP_LANES;

	return parts > 1 ? n / p->rf_banks * (p->rf_banks / parts) : n;
}

/* Part i of r->parts has an equal share of everything. */
static void make_part(struct reuse *r, const struct axis_ctx *cx, unsigned i)
{
	const struct params *p = cx->params;
	const struct wir_model *m = r->model;
	struct part *t = &r->part[i];

	*t = (struct part){ .buffer_used = UINT64_MAX, .signatures_used = UINT64_MAX, .random = i + 1 };
	pool_init(&t->pool, cx, wir_registers(p));
	t->pool.all = p->rf_banks;
	t->pool.banks = p->rf_banks / r->parts;
	t->pool.bank = i * t->pool.banks;
	tables_init(&t->tables, &t->pool, (cx->warps + r->parts - 1) / r->parts, r->regs, cx->arena);
	buffer_init(&t->buffer, &t->pool, p->reuse_entries / r->parts, cx->arena);
	signatures_init(&t->signatures, &t->pool, m->signatures ? p->vsb_entries / r->parts : 0, cx->arena);
	verify_init(&t->verify, m->verify ? p->verify_entries / r->parts : 0, cx->arena);
	if (m->capped)
		pool_limit(&t->pool, 0);
}

struct reuse *wir_create(const struct axis_ctx *cx, const struct wir_model *m)
{
	struct reuse *r = new(cx->arena, struct reuse);
	const struct params *p = cx->params;

	*r = (struct reuse){ .model = m,
			     .stats = cx->stats,
			     .arena = cx->arena,
			     .axes = cx->axes,
			     .now = cx->now,
			     .regs = cx->kernel->res.regs,
			     .parts = wir_parts(p) };
	for (unsigned i = 0; i < r->parts; i++)
		make_part(r, cx, i);
	r->code = reuse_decode(cx->kernel, p->reuse_field_bits, index_bits(wir_registers(p)), cx->arena);
	r->epoch = epoch_new(cx->warps, p->reuse_barrier_bits, cx->arena);
	r->flight = new_array(cx->arena, struct wir_flight, UOP_IDS);
	r->cta = new_array(cx->arena, uint64_t, cx->warps);
	return r;
}

/* Rename and reuse are a stage each (section VII-E); what else reuse takes lies behind execution. */
enum { FRONT_CYCLES = 2 };
unsigned wir_front_cycles(const struct params *p)
{
	(void)p;
	return FRONT_CYCLES;
}
unsigned wir_back_cycles(const struct params *p) { return p->reuse_cycles - FRONT_CYCLES; }
unsigned wir_queue(const struct params *p) { return p->reuse_queue; }

static void warps_live(struct reuse *r, struct part *t, unsigned more)
{
	t->live += more;
	if (r->model->capped)
		pool_limit(&t->pool, t->live * r->regs);
}

void wir_warp_start(struct reuse *r, unsigned warp, unsigned first, uint64_t cta)
{
	epoch_warp_start(r->epoch, warp, first);
	for (unsigned i = 0; warp == first && i < r->parts; i++)
		buffer_end_cta(&r->part[i].buffer, first);
	r->cta[warp] = cta;
	warps_live(r, part_of(r, warp), 1);
}

void wir_warp_exit(struct reuse *r, unsigned warp)
{
	tables_exit(&part_of(r, warp)->tables, warp / r->parts);
	warps_live(r, part_of(r, warp), -1u);
}

/* ---- rename ---- */

/* Why it is not looked up, or OUTCOME_NEW: it will be. */
static enum reuse_outcome eligible(const struct reuse *r, const struct uop *u, struct wir_flight *f)
{
	const struct reuse_insn *c = &r->code.insn[u->insn];
	bool pinned = false;

	if (c->why != REUSABLE || (c->load != LOAD_NONE && (!r->model->loads || u->local)))
		return OUTCOME_KIND;
	if (!uop_convergent(u))
		return OUTCOME_DIVERGENT;
	for (unsigned i = 0; i < u->nsrc; i++) {
		if (f->src[i] == NO_REGISTER)
			return OUTCOME_UNMAPPED;
		pinned |= mapping_of(r, u->warp, u->src[i])->pin;
	}
	if (pinned)
		return OUTCOME_PINNED;
	f->load = c->load != LOAD_NONE;
	f->ordered = f->load && epoch_ordered(r->epoch, u->warp);
	f->when = (struct epoch_load){ .cta = EPOCH_ANY_CTA };
	if (!f->load)
		return OUTCOME_NEW;
	switch (epoch_load(r->epoch, u->warp, c->load, &f->when)) {
	case EPOCH_YES:
		return OUTCOME_NEW;
	case EPOCH_STORE:
		return OUTCOME_STORE;
	case EPOCH_BARRIERS:
		return OUTCOME_BARRIERS;
	}
	return OUTCOME_KIND;
}

void wir_issue(struct reuse *r, const struct uop *u)
{
	struct wir_flight *f = flight_of(r, u);

	*f = (struct wir_flight){ 0 };
	for (unsigned i = 0; i < u->nsrc; i++) {
		f->src[i] = mapping_of(r, u->warp, u->src[i])->phys;
		if (f->src[i] != NO_REGISTER)
			pool_hold(&part_of(r, u->warp)->pool, f->src[i], HOLD_FLIGHT);
	}
	for (unsigned i = 0; i < u->ndst; i++)
		f->to[i] = NO_REGISTER;
	r->stats->rename_table_reads += u->nsrc + u->ndst;
	f->outcome = (uint8_t)eligible(r, u, f);
	f->looks_up = f->outcome == OUTCOME_NEW;
	if (u->active)
		epoch_issue(r->epoch, u->warp, r->code.insn[u->insn].order);
}

unsigned wir_physical(const struct reuse *r, const struct uop *u, unsigned src)
{
	return pool_name(&part_seen(r, u->warp)->pool, flight_of(r, u)->src[src]);
}

void wir_sources_read(struct reuse *r, const struct uop *u, uint32_t sources)
{
	const struct wir_flight *f = flight_of(r, u);

	for (; sources; sources &= sources - 1) {
		const unsigned phys = f->src[__builtin_ctz(sources)];

		if (phys != NO_REGISTER)
			pool_drop(&part_of(r, u->warp)->pool, phys, HOLD_FLIGHT);
	}
}

/* ---- reuse ---- */

static void make_tag(struct reuse *r, const struct uop *u, struct wir_flight *f)
{
	const struct reuse_insn *c = &r->code.insn[u->insn];

	f->tag = (struct tag){
		.operation = c->operation, .cta = f->when.cta, .count = f->when.count, .part = u->missing != 0
	};
	for (unsigned i = 0; i < REUSE_FIELDS; i++) {
		const struct reuse_field *d = &c->field[i];
		const unsigned n = d->kind == FIELD_PAIR ? 2 : d->kind == FIELD_REGISTER;

		if (d->kind == FIELD_NUMBER)
			f->tag.field[i] = d->number;
		for (unsigned k = 0; k < n; k++) {
			f->regs.phys[f->regs.n++] = f->src[d->src[k]];
			f->tag.field[i] |= (uint32_t)f->src[d->src[k]] << 16 * k;
		}
	}
	f->entry = buffer_at(&part_of(r, u->warp)->buffer, &f->tag);
}

static struct made made(const struct reuse *r, const struct uop *u)
{
	return (struct made){ u->insn, u->warp, flight_of(r, u)->ordered, r->cta[u->warp], *r->now };
}

/* An instruction that was not found will be executed. Its entry is reserved, or written when it retires: its operands
 * are kept until then. */
static void miss(struct reuse *r, const struct uop *u, struct wir_flight *f)
{
	struct part *t = part_of(r, u->warp);

	if (!f->entry)
		return;
	if (pool_low(&t->pool)) {
		r->stats->low_evictions += buffer_evict(&t->buffer, f->entry);
	} else if (r->model->pending) {
		buffer_reserve(&t->buffer, f->entry, &f->tag, &f->regs, u->id, made(r, u));
		f->reserved = true;
		r->stats->reuse_reservations++;
	} else {
		for (unsigned i = 0; i < f->regs.n; i++)
			pool_hold(&t->pool, f->regs.phys[i], HOLD_FLIGHT);
		f->holds_tag = true;
	}
}

void wir_drop_tag(struct part *t, struct wir_flight *f)
{
	if (!f->holds_tag)
		return;
	f->holds_tag = false;
	for (unsigned i = 0; i < f->regs.n; i++)
		pool_drop(&t->pool, f->regs.phys[i], HOLD_FLIGHT);
}

static bool finds_its_value(const struct pool *p, const struct uop *u, const struct reuse_entry *e)
{
	for (unsigned d = 0; d < e->nresult; d++)
		if (!same_identity(p->reg[e->result[d]].is, identity_of(u, d)))
			return false;
	return true;
}

static void hit(struct reuse *r, struct pool *p, struct wir_flight *f, bool late)
{
	f->outcome = late ? OUTCOME_REUSED_LATE : OUTCOME_REUSED;
	for (unsigned d = 0; d < f->entry->nresult; d++) {
		f->to[d] = f->entry->result[d];
		pool_hold(p, f->to[d], HOLD_FLIGHT);
	}
	if (late)
		r->stats->reuse_hits_pending++;
	else
		r->stats->reuse_hits_ready++;
	r->stats->reused_loads += f->load;
}

static void count_ineligible(struct stats *s, enum reuse_outcome o)
{
	switch (o) {
	case OUTCOME_KIND:
		s->reuse_kind++;
		break;
	case OUTCOME_DIVERGENT:
		s->reuse_divergent++;
		break;
	case OUTCOME_PINNED:
		s->reuse_pinned++;
		break;
	case OUTCOME_UNMAPPED:
		s->reuse_unmapped++;
		break;
	case OUTCOME_STORE:
		s->reuse_store_flag++;
		break;
	case OUTCOME_BARRIERS:
		s->reuse_barrier_count++;
		break;
	case OUTCOME_REUSED:
	case OUTCOME_REUSED_LATE:
	case OUTCOME_NEW:
	case OUTCOME_QUEUE_FULL:
	case OUTCOME_RACE:
	case OUTCOMES:
		assert(!"it is looked up");
	}
}

/* An entry is there, with a result that is not the one that executing u gives. */
static void differs(struct reuse *r, const struct uop *u, struct wir_flight *f)
{
	const enum reuse_load load = (enum reuse_load)r->code.insn[u->insn].load;
	const struct made *by = &f->entry->by;
	/* What .nc promises that nothing changes, no order excuses. */
	const bool ordered = load != LOAD_READ_ONLY && (f->ordered || by->ordered);

	if (load == LOAD_NONE || load == LOAD_CONSTANT) {
		reuse_fault(r->axes, u, "its operands are those of an older instruction, and its results differ");
		return;
	}
	f->outcome = OUTCOME_RACE;
	if (ordered)
		r->stats->reuse_reordered++;
	else
		r->stats->reuse_races++;
	reuse_race(r->axes, u, by->insn, by->warp, by->cta, by->at, ordered);
}

enum reuse_verdict wir_lookup(struct reuse *r, const struct uop *u, bool room, bool retry)
{
	struct wir_flight *f = flight_of(r, u);
	struct part *t = part_of(r, u->warp);

	if (!f->looks_up) {
		count_ineligible(r->stats, f->outcome);
		return REUSE_MISS;
	}
	if (!retry) {
		make_tag(r, u, f);
		if (f->entry) { /* there is a buffer */
			r->stats->reuse_lookups++;
			t->buffer_used = *r->now;
		}
	}
	if (f->entry && buffer_match(f->entry, &f->tag)) {
		if (f->entry->pending && r->model->pending) {
			if (room)
				return REUSE_PENDING;
			f->outcome = OUTCOME_QUEUE_FULL;
			r->stats->reuse_queue_full++;
			return REUSE_MISS;
		}
		if (finds_its_value(&t->pool, u, f->entry)) {
			hit(r, &t->pool, f, retry);
			return REUSE_HIT;
		}
		differs(r, u, f);
	}
	r->stats->reuse_misses += f->outcome == OUTCOME_NEW;
	miss(r, u, f);
	return REUSE_MISS;
}

enum reuse_outcome wir_outcome(const struct reuse *r, const struct uop *u) { return flight_of(r, u)->outcome; }

/* ---- retirement ---- */

static void enter(struct reuse *r, const struct uop *u, struct wir_flight *f)
{
	struct part *t = part_of(r, u->warp);
	struct reuse_entry *e = f->entry;
	const unsigned n = r->code.insn[u->insn].ndst;

	if (f->reserved && e->valid && e->pending && e->owner == u->id) {
		if (!pool_low(&t->pool)) {
			buffer_result(&t->buffer, e, f->to, n);
			return;
		}
		r->stats->low_evictions += buffer_evict(&t->buffer, e);
	} else if (f->holds_tag && !pool_low(&t->pool)) {
		buffer_reserve(&t->buffer, e, &f->tag, &f->regs, u->id, made(r, u));
		r->stats->reuse_updates--; /* tag and result are one write */
		buffer_result(&t->buffer, e, f->to, n);
		return;
	}
	r->stats->reuse_dropped++;
}

void wir_retire(struct reuse *r, const struct uop *u)
{
	struct wir_flight *f = flight_of(r, u);
	struct part *t = part_of(r, u->warp);
	const bool executed = f->outcome != OUTCOME_REUSED && f->outcome != OUTCOME_REUSED_LATE;

	if (!u->active)
		return;
	for (unsigned d = 0; d < u->ndst; d++) {
		const bool known = !executed || f->same >> d & 1;

		tables_map(&t->tables, u->warp / r->parts, u->dst[d], f->to[d], !uop_convergent(u));
		if (uop_convergent(u) && !known && t->signatures.n && !pool_low(&t->pool))
			signatures_set(&t->signatures, identity_of(u, d).h3, f->to[d]);
	}
	if (executed && f->looks_up && f->outcome != OUTCOME_QUEUE_FULL && f->entry)
		enter(r, u, f);
	wir_drop_tag(t, f);
	for (unsigned d = 0; d < u->ndst; d++)
		pool_drop(&t->pool, f->to[d], HOLD_FLIGHT);
}

unsigned wir_mapped(const struct reuse *r, unsigned warp, unsigned reg)
{
	return pool_name(&part_seen(r, warp)->pool, mapping_of(r, warp, reg)->phys);
}
void wir_released(struct reuse *r, unsigned first) { epoch_released(r->epoch, first); }

/* ---- the low-register mode ---- */

static bool is_busy(const struct part *t) { return pool_low(&t->pool) && (t->buffer.used || t->signatures.used); }

bool wir_busy(const struct reuse *r)
{
	for (unsigned i = 0; i < r->parts; i++)
		if (is_busy(&r->part[i]))
			return true;
	return false;
}

static uint32_t next_random(struct part *t)
{
	t->random ^= t->random << 13; /* xorshift32 */
	t->random ^= t->random >> 17;
	t->random ^= t->random << 5;
	return t->random;
}

/* A table that nothing has looked up in this cycle gives an entry up. While a result waits for a register each does so
 * in every cycle: others may never stop looking up. */
static void tick(struct reuse *r, struct part *t, uint64_t n)
{
	for (uint64_t at = *r->now; n && is_busy(t); n--, at++) {
		const uint32_t random = next_random(t);

		if (t->buffer_used != at || t->pool.starved)
			r->stats->low_evictions += buffer_evict_from(&t->buffer, random);
		if (t->signatures_used != at || t->pool.starved)
			r->stats->low_evictions += signatures_evict_from(&t->signatures, random);
	}
}

void wir_tick(struct reuse *r, uint64_t n)
{
	for (unsigned i = 0; i < r->parts; i++)
		tick(r, &r->part[i], n);
}

void wir_account(struct reuse *r, uint64_t upto)
{
	for (unsigned i = 0; i < r->parts; i++)
		pool_account(&r->part[i].pool, upto);
}

/* ---- reports ---- */

const char *wir_describe(const struct reuse *r, const struct uop *u, struct arena *a)
{
	const struct wir_flight *f = flight_of(r, u);
	const struct part *t = part_seen(r, u->warp);

	if (f->waits && !f->starved)
		return arena_printf(a, "older instructions to read the register that it overwrites");
	if (f->waits)
		return arena_printf(
			a,
			"a register for its result: %u of %u are in use, %u entries of the buffers could give one up",
			t->pool.used, t->pool.limit, t->buffer.used + t->signatures.used);
	if (f->outcome == OUTCOME_NEW && f->entry && !f->reserved && buffer_match(f->entry, &f->tag) &&
	    f->entry->pending)
		return arena_printf(a, "the result of instruction %u of warp %u, which computes the same",
				    f->entry->by.insn, f->entry->by.warp);
	return NULL;
}

const char *wir_end(struct reuse *r)
{
	const char *wrong = NULL;

	for (unsigned i = 0; i < r->parts && !wrong; i++) {
		struct part *t = &r->part[i];

		while (buffer_evict_from(&t->buffer, 0))
			;
		while (signatures_evict_from(&t->signatures, 0))
			;
		wrong = pool_end(&t->pool, r->arena);
	}
	return wrong;
}
