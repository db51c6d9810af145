/* Value usage of one warp. What is known of the values in a register is a handful of 32-bit masks, bit l for lane l:
 * counters that saturate, a bit of each in a mask. So an instruction costs a few operations for each register that it
 * names, whichever lanes execute it. Ages are kept only until a value is too old to matter: a warp has a list of the
 * few registers with a young value in some lane. */
#include "runtime-model/usage/usage.h"

#include <string.h>

/* those of a register */
struct values {
	uint32_t held;                  /* lanes that have written it */
	uint32_t reads_lo, reads_hi;    /* 0, 1, 2, 3 for more */
	uint32_t life_lo, life_hi;      /* age at the first read: 1, 2, 3; 0 for older, or not read */
	uint32_t to_shared, of_shared;  /* a shared unit has read it; has written it */
	uint32_t young, age_lo, age_hi; /* where young: instructions since it was written, 0 to 3 */
};

struct usage_warp {
	unsigned nyoung;
	uint8_t young[256]; /* registers with values.young != 0, in any order */
	struct values reg[];
};

struct usage_code usage_decode(const struct kernel *k, struct arena *a)
{
	struct usage_insn *insn = new_array(a, struct usage_insn, (size_t)k->ninsn + 1);
	struct insn_regs regs;
	uint32_t n = 0;
	unsigned nreg = 0;
	uint8_t *reg;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs);
		insn[i] = (struct usage_insn){ n, regs.nsrc, regs.ndst, insn_is_shared(&k->insn[i]) };
		n += (uint32_t)regs.nsrc + regs.ndst;
	}
	reg = new_array(a, uint8_t, (size_t)n + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs);
		memcpy(reg + insn[i].first, regs.src, regs.nsrc);
		memcpy(reg + insn[i].first + regs.nsrc, regs.dst, regs.ndst);
	}
	for (uint32_t i = 0; i < n; i++)
		nreg = reg[i] >= nreg ? reg[i] + 1u : nreg;
	return (struct usage_code){ insn, reg, nreg };
}

struct usage_warp *usage_warp_new(const struct usage_code *c, struct arena *a)
{
	return arena_alloc(a, sizeof(struct usage_warp) + c->nreg * sizeof(struct values), _Alignof(struct usage_warp));
}

/* Lanes of a mask, most of which are all or none. The machine that we build for need not have an instruction for it. */
static inline unsigned lanes(uint32_t m)
{
	if (m + 1 <= 1)
		return m ? WARP_LANES : 0;
	m -= m >> 1 & 0x55555555;
	m = (m & 0x33333333) + (m >> 2 & 0x33333333);
	return ((m + (m >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* The values in these lanes have come to their end. */
static void count_each(const struct values *v, uint32_t m, struct usage *u)
{
	uint32_t once = m & v->reads_lo & ~v->reads_hi, shared = m & v->to_shared;

	u->by_reads[0] += lanes(m & ~v->reads_lo & ~v->reads_hi);
	u->by_reads[1] += lanes(once);
	u->by_reads[2] += lanes(m & ~v->reads_lo & v->reads_hi);
	u->by_reads[3] += lanes(m & v->reads_lo & v->reads_hi);
	u->by_life[0] += lanes(once & v->life_lo & ~v->life_hi);
	u->by_life[1] += lanes(once & ~v->life_lo & v->life_hi);
	u->by_life[2] += lanes(once & v->life_lo & v->life_hi);
	u->by_life[3] += lanes(once & ~v->life_lo & ~v->life_hi);
	u->by_shared += lanes(shared);
	u->by_shared_of_private += lanes(shared & ~v->of_shared);
}

static inline bool alike(uint32_t x, uint32_t m) { return !(x & m) || (x & m) == m; }

/* The same at once where all lanes have used their values alike. */
static inline void count(const struct values *v, uint32_t m, struct usage *u)
{
	static const uint8_t life_at[] = { 3, 0, 1, 2 };
	unsigned n, reads;

	if (!m)
		return;
	if (!alike(v->reads_lo, m) || !alike(v->reads_hi, m) || !alike(v->life_lo, m) || !alike(v->life_hi, m) ||
	    !alike(v->to_shared, m) || !alike(v->of_shared, m)) {
		count_each(v, m, u);
		return;
	}
	n = lanes(m);
	reads = ((v->reads_lo & m) != 0) + 2 * ((v->reads_hi & m) != 0);
	u->by_reads[reads] += n;
	if (reads == 1)
		u->by_life[life_at[((v->life_lo & m) != 0) + 2 * ((v->life_hi & m) != 0)]] += n;
	if (v->to_shared & m) {
		u->by_shared += n;
		u->by_shared_of_private += v->of_shared & m ? 0 : n;
	}
}

/* One instruction more for these lanes. */
static inline void grow(struct usage_warp *w, uint32_t active)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nyoung; i++) {
		struct values *v = &w->reg[w->young[i]];
		uint32_t older = v->young & active, carry = v->age_lo & older;

		v->young &= ~(v->age_hi & carry);
		v->age_lo ^= older;
		v->age_hi ^= carry;
		w->young[n] = w->young[i];
		n += v->young != 0;
	}
	w->nyoung = n;
}

static inline void value_read(struct values *v, uint32_t m, bool shared)
{
	uint32_t first = m & ~v->reads_lo & ~v->reads_hi & v->young, more = m & ~(v->reads_lo & v->reads_hi);

	v->life_lo |= first & v->age_lo;
	v->life_hi |= first & v->age_hi;
	v->reads_hi ^= v->reads_lo & more;
	v->reads_lo ^= more;
	v->to_shared |= shared ? m : 0;
}

static inline void value_write(struct usage_warp *w, uint8_t r, uint32_t m, bool shared, struct usage *u)
{
	struct values *v = &w->reg[r];

	count(v, m & v->held, u);
	if (!v->young)
		w->young[w->nyoung++] = r;
	v->held |= m;
	v->young |= m;
	v->reads_lo &= ~m;
	v->reads_hi &= ~m;
	v->life_lo &= ~m;
	v->life_hi &= ~m;
	v->age_lo &= ~m;
	v->age_hi &= ~m;
	v->to_shared &= ~m;
	v->of_shared = (v->of_shared & ~m) | (shared ? m : 0);
}

void usage_step(struct usage_warp *w, const struct usage_code *c, uint32_t insn, uint32_t active, struct usage *u)
{
	const struct usage_insn *i = &c->insn[insn];
	const uint8_t *reg = c->reg + i->first;
	unsigned n = lanes(active);

	u->warp_insns++;
	if (!active)
		return;
	u->thread_insns += n;
	u->reads += (uint64_t)n * i->nsrc;
	u->writes += (uint64_t)n * i->ndst;
	grow(w, active);
	for (unsigned s = 0; s < i->nsrc; s++) {
		struct values *v = &w->reg[reg[s]];

		u->unwritten += lanes(active & ~v->held);
		value_read(v, active & v->held, i->shared);
	}
	for (unsigned d = 0; d < i->ndst; d++)
		value_write(w, reg[i->nsrc + d], active, i->shared, u);
}

void usage_end(struct usage_warp *w, const struct usage_code *c, struct usage *u)
{
	for (unsigned r = 0; r < c->nreg; r++)
		count(&w->reg[r], w->reg[r].held, u);
	w->nyoung = 0;
	memset(w->reg, 0, c->nreg * sizeof *w->reg);
}

void usage_add(struct usage *sum, const struct usage *x)
{
	uint64_t *to = (uint64_t *)(void *)sum;
	const uint64_t *from = (const uint64_t *)(const void *)x;

	_Static_assert(sizeof *x % sizeof *from == 0, "counters alone");
	for (size_t i = 0; i < sizeof *x / sizeof *from; i++)
		to[i] += from[i];
}
