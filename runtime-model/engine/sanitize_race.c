/* Data races: accesses of two threads to a byte, one of them at least a write, not both strong, that nothing orders.
 *
 * Each word of memory has its last write and two reads of different threads, with the bytes that they touched (of
 * accesses that are smaller than a word only the last is known). What orders two accesses is over-estimated, so that
 * what is found is none that a program has ordered:
 *
 *   of a CTA        vector clocks of its warps (Lamport 1978; Fidge 1988), joined at barriers by those that arrive
 *                   there; and by each release (a strong store, an atomic, an arrival at an mbarrier object) of any and
 *                   each acquire (a strong load, an atomic that returns a value, a wait at one) of any warp, whatever
 *                   the addresses, with or without a fence
 *   of a warp       any of these, and any instruction with .sync. In machine code, where ptxas leaves out what is not
 *                   needed, and below sm_70 lanes of a warp are not compared
 *   of two CTAs     that of the earlier access has released since, and that of the later one has acquired since
 *
 * A write of what is there already is no race with the write before it, nor a compare-and-swap with a read, which may
 * be its first guess, nor are lanes of one instruction. */
#include "runtime-model/engine/sanitize.h"

#include <string.h>

enum { READS = 2, RELEASED_MAX = 1 << 20, PAGE_WORDS = 256, WORD_BYTES = 4, SM_LANES_APART = 70 };

/* launch 0: none */
struct race_access {
	uint32_t cta, time, launch;
	uint32_t thread : 10, insn : 22;
};
struct race_word {
	struct race_access write, read[READS];
	uint8_t bytes[1 + READS], strong[1 + READS];
	bool cas;    /* the write */
	bool object; /* of an mbarrier object, on which machine code waits by loads like any others */
};

void race_begin(struct engine *e, struct sanitizing *z)
{
	const uint64_t ctas = e->ctas < RELEASED_MAX ? e->ctas : RELEASED_MAX;

	z->time = 1;
	z->lockstep = e->k->native || e->k->m->sm < SM_LANES_APART;
	z->released = new_array(&e->a, uint32_t, ctas);
}

void race_cta(struct engine *e, struct shadow *x, bool fresh)
{
	const size_t words = e->shared_bytes / WORD_BYTES + 1u, warps = e->warps;
	const size_t clocks = warps * (warps + 2 + BARRIERS);

	if (fresh) {
		x->word = new_array(&e->a, struct race_word, words);
		x->known = new_array(&e->a, uint32_t, clocks);
		x->object = x->known + warps * warps;
		x->gone = x->object + warps;
		x->arrived = x->gone + warps;
		return;
	}
	memset(x->word, 0, words * sizeof *x->word);
	memset(x->known, 0, clocks * sizeof *x->known);
	x->acquired = 0;
}

/* ---- what orders ---- */
static uint32_t *released(const struct engine *e, uint64_t cta) { return &e->sanitizing->released[cta % RELEASED_MAX]; }
static uint32_t *known(const struct engine *e, const struct cta *c, const struct warp *w)
{
	return c->shadow->known + w->index * e->warps;
}

static void join(const struct engine *e, uint32_t *to, const uint32_t *from)
{
	for (unsigned i = 0; i < e->warps; i++)
		to[i] = to[i] > from[i] ? to[i] : from[i];
}

/* What the warp has done up to now is told from what it does from now on. Time that has run out orders all. */
static void tick(struct engine *e, const struct cta *c, const struct warp *w)
{
	uint32_t *time = &e->sanitizing->time;

	known(e, c, w)[w->index] = *time;
	*time += *time != UINT32_MAX;
}

static bool on(const struct engine *e) { return sanitizes(e, SANITIZE_RACE); }

void race_meet(struct engine *e, struct cta *c, struct warp *w)
{
	if (on(e))
		tick(e, c, w);
}

void race_release(struct engine *e, struct cta *c, struct warp *w)
{
	if (!on(e))
		return;
	*released(e, c->index) = e->sanitizing->time;
	tick(e, c, w);
	join(e, c->shadow->object, known(e, c, w));
}

void race_acquire(struct engine *e, struct cta *c, struct warp *w)
{
	if (!on(e))
		return;
	join(e, known(e, c, w), c->shadow->object);
	c->shadow->acquired = e->sanitizing->time;
}

void race_arrive(struct engine *e, struct cta *c, struct warp *w, unsigned barrier)
{
	if (!on(e))
		return;
	tick(e, c, w);
	join(e, c->shadow->arrived + barrier * e->warps, known(e, c, w));
}

void race_complete(struct engine *e, struct cta *c, unsigned barrier)
{
	uint32_t *arrived;

	if (!on(e))
		return;
	arrived = c->shadow->arrived + barrier * e->warps;
	for (unsigned i = 0; i < e->warps; i++) {
		struct warp *w = &c->warp[i];

		if (w->state != WARP_BARRIER || w->barrier != barrier)
			continue;
		join(e, known(e, c, w), arrived);
		join(e, known(e, c, w), c->shadow->gone);
	}
	memset(arrived, 0, e->warps * sizeof *arrived);
}

void race_exit(struct engine *e, struct cta *c, struct warp *w)
{
	if (!on(e))
		return;
	tick(e, c, w);
	join(e, c->shadow->gone, known(e, c, w));
}

static bool ordered(const struct touch *t, const struct race_access *r)
{
	const struct sanitizing *z = t->e->sanitizing;

	if (r->cta != (uint32_t)t->c->index)
		return *released(t->e, r->cta) >= r->time && t->c->shadow->acquired > r->time;
	if (r->thread / WARP_LANES == t->w->index && z->lockstep)
		return true;
	return known(t->e, t->c, t->w)[r->thread / WARP_LANES] >= r->time;
}

/* ---- accesses ---- */
static uint32_t thread_of(const struct touch *t) { return t->w->index * WARP_LANES + t->lane; }

static bool same_thread(const struct touch *t, const struct race_access *r)
{
	return r->cta == (uint32_t)t->c->index && r->thread == thread_of(t);
}

static bool current(const struct touch *t, const struct race_access *r)
{
	return r->launch == t->e->sanitizing->launch;
}

/* Of one execution of one instruction. */
static bool same_insn(const struct touch *t, const struct race_access *r)
{
	return r->cta == (uint32_t)t->c->index && r->thread / WARP_LANES == t->w->index && r->insn == t->insn &&
	       r->time == t->e->sanitizing->time;
}

static void tell(const struct touch *t, const struct race_access *r, bool wrote)
{
	struct engine *e = t->e;
	const uint32_t x = e->l.block[0], y = e->l.block[1];
	struct cta other = { .index = r->cta };
	const char *whose;

	cluster_place(e, &other);
	whose = r->cta == (uint32_t)t->c->index
			? "of its CTA"
			: arena_printf(&e->a, "of CTA (%u,%u,%u)", other.id[0], other.id[1], other.id[2]);
	sanitize_tell(t, SANITIZE_RACE,
		      "%s %s, after thread (%u,%u,%u) %s has %s it by %s, with nothing that orders them,",
		      t->write ? "writes" : "reads", sanitize_place(t), r->thread % x, r->thread / x % y,
		      r->thread / x / y, whose, wrote ? "written" : "read", fault_insn(e, r->insn, &e->a));
}

/* i: 0 the write, then reads. */
static struct race_access *access_of(struct race_word *x, unsigned i) { return i ? &x->read[i - 1] : &x->write; }

static bool forgiven(const struct touch *t, const struct race_word *x, unsigned i)
{
	if (i)
		return t->cas;
	return t->write ? t->silent : x->cas;
}

/* Whether the access races with what is known of a word, which is told. */
static bool races(const struct touch *t, struct race_word *x, uint8_t bytes)
{
	for (unsigned i = 0; !x->object && i < (t->write ? 1 + READS : 1); i++) {
		const struct race_access *r = access_of(x, i);

		if (!current(t, r) || !(x->bytes[i] & bytes) || (x->strong[i] && t->strong) || same_thread(t, r) ||
		    same_insn(t, r) || forgiven(t, x, i) || ordered(t, r))
			continue;
		if (sanitize_first(t->e, SANITIZE_RACE, t->insn))
			tell(t, r, !i);
		return true;
	}
	return false;
}

static void note(const struct touch *t, struct race_word *x, unsigned i, uint8_t bytes)
{
	struct race_access *r = access_of(x, i);

	/* the other bytes of the word that it has just touched */
	if (current(t, r) && same_thread(t, r) && r->time == t->e->sanitizing->time && x->strong[i] == t->strong)
		bytes |= x->bytes[i];
	*r = (struct race_access){
		.cta = (uint32_t)t->c->index,
		.time = t->e->sanitizing->time,
		.launch = t->e->sanitizing->launch,
		.thread = thread_of(t) & 1023,
		.insn = t->insn & ((1u << 22) - 1),
	};
	x->bytes[i] = bytes;
	x->strong[i] = t->strong;
}

/* In place of a read that can race with nothing that this one cannot, else of the later one. */
static unsigned place_of_read(const struct touch *t, const struct race_word *x)
{
	const struct race_access *r = &x->read[0];

	return !current(t, r) || same_thread(t, r) || ordered(t, r) ? 1 : 2;
}

void race_forget(struct allocation *al, uint64_t at, uint64_t bytes)
{
	const uint64_t end = (at + bytes + WORD_BYTES - 1) / WORD_BYTES;

	for (uint64_t n = at / WORD_BYTES; al->race && n < end; n++)
		if (al->race[n / PAGE_WORDS])
			al->race[n / PAGE_WORDS][n % PAGE_WORDS] = (struct race_word){ .cas = false };
}

static struct race_word *word_of(const struct touch *t, uint64_t n)
{
	struct allocation *al = t->p.al;
	struct race_word **page;

	if (t->p.space == SP_SHARED)
		return &t->p.owner->shadow->word[n];
	if (!al->race)
		al->race = new_array(&al->a, struct race_word *, al->bytes / WORD_BYTES / PAGE_WORDS + 1);
	page = &al->race[n / PAGE_WORDS];
	if (!*page)
		*page = new_array(&al->a, struct race_word, PAGE_WORDS);
	return &(*page)[n % PAGE_WORDS];
}

void race_access(const struct touch *t)
{
	const uint64_t end = t->p.at + t->bytes;
	bool told = false;

	for (uint64_t at = t->p.at, next; at < end; at = next) {
		struct race_word *x = word_of(t, at / WORD_BYTES);
		uint8_t bytes;

		next = at / WORD_BYTES * WORD_BYTES + WORD_BYTES;
		next = next < end ? next : end;
		bytes = (uint8_t)(((1u << (next - at)) - 1) << at % WORD_BYTES);
		x->object |= t->object;
		if (x->object && t->read)
			race_acquire(t->e, t->c, t->w);
		told = told || races(t, x, bytes);
		if (t->write) {
			note(t, x, 0, bytes);
			x->cas = t->cas;
		}
		if (t->read)
			note(t, x, place_of_read(t, x), bytes);
	}
}
