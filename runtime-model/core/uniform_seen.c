/* Proofs against values seen. Over a warp each record speaks for itself. What is the same over a CTA, or over a grid,
 * is the value of the k-th execution of an instruction by each warp, records without a lane counted: the first warp
 * that has one leaves it for the others. */
#include "runtime-model/core/uniform_seen.h"

#include "passes/pass.h"
#include "passes/uniform.h"

/* of one register that an instruction names: bit k: value[k] is known */
struct first {
	uint64_t seen;
	uint32_t *value;
};

struct uniform_seen {
	const struct kernel *k;
	uint32_t threads, warps, nvalue;
	struct first *grid; /* by value of the annotation */
	uint64_t compared;
	struct arena *a;
};

struct uniform_cta {
	const struct uniform_seen *s;
	uint32_t *times; /* warps x instructions: executions so far */
	struct first *cta;
};

struct uniform_seen *uniform_seen_new(const struct kernel *k, uint32_t threads, struct arena *a)
{
	struct uniform_seen *s = new(a, struct uniform_seen);

	*s = (struct uniform_seen){ .k = k,
				    .threads = threads,
				    .warps = (threads + WARP_LANES - 1) / WARP_LANES,
				    .nvalue = k->uniform->at[k->ninsn],
				    .a = a };
	s->grid = new_array(a, struct first, (size_t)s->nvalue + 1);
	return s;
}

struct uniform_cta *uniform_cta_new(const struct uniform_seen *s, struct arena *a)
{
	struct uniform_cta *c = new(a, struct uniform_cta);

	*c = (struct uniform_cta){ .s = s,
				   .times = new_array(a, uint32_t, (size_t)s->warps * s->k->ninsn + 1),
				   .cta = new_array(a, struct first, (size_t)s->nvalue + 1) };
	return c;
}

void uniform_cta_begin(struct uniform_cta *c)
{
	memset(c->times, 0, (size_t)c->s->warps * c->s->k->ninsn * sizeof *c->times);
	for (uint32_t v = 0; v < c->s->nvalue; v++)
		c->cta[v].seen = 0;
}

/* Value x is that of the k-th execution, for the first one who says so. */
static bool agrees(struct first *f, uint32_t k, uint32_t x, struct arena *a)
{
	if (k >= UNIFORM_TIMES)
		return true;
	if (!f->value)
		f->value = new_array(a, uint32_t, UNIFORM_TIMES);
	if (f->seen >> k & 1)
		return f->value[k] == x;
	f->seen |= UINT64_C(1) << k;
	f->value[k] = x;
	return true;
}

static const char *seen(struct arena *a, const char *what, const uint32_t *x, unsigned l, unsigned m)
{
	return arena_printf(a, "%s (lane %u has 0x%x, lane %u has 0x%x)", what, l, x[l], m, x[m]);
}

/* The lanes of one register. */
static const char *contradicts(const struct uniform_value *v, const uint32_t *x, uint32_t lanes, struct first *cta,
			       struct first *grid, uint32_t k, struct arena *a)
{
	const unsigned first = (unsigned)__builtin_ctz(lanes), last = 31 - (unsigned)__builtin_clz(lanes);

	for (unsigned l = first; l <= last; l++) {
		if (!(lanes >> l & 1))
			continue;
		if (v->level && x[l] != x[first])
			return seen(a, "not the same in the lanes that execute", x, first, l);
		if (v->known && x[l] - x[first] != (uint32_t)v->stride * (l - first))
			return seen(a, "not affine with that stride", x, first, l);
	}
	/* neighbours give the stride; without any, none is looked for */
	for (unsigned l = first + 1; v->affine && l < last; l++)
		if ((lanes >> (l - 1) & 7) == 7 && x[l + 1] - x[l] != x[l] - x[l - 1])
			return seen(a, "not affine", x, l - 1, l + 1);
	if (v->level >= UNIFORM_CTA && !agrees(cta, k, x[first], a))
		return arena_printf(a, "not the same over the CTA (0x%x, and 0x%x before)", x[first], cta->value[k]);
	return v->level == UNIFORM_GRID && !agrees(grid, k, x[first], a)
		       ? arena_printf(a, "not the same over the grid (0x%x, and 0x%x before)", x[first], grid->value[k])
		       : NULL;
}

const char *uniform_seen_step(struct uniform_seen *s, struct uniform_cta *c, unsigned warp, const struct record *r,
			      struct arena *a)
{
	const struct uniform *u = s->k->uniform;
	const uint32_t i = r->insn, k = c->times[(size_t)warp * s->k->ninsn + i]++;
	const struct insn *x = &s->k->insn[i];
	struct insn_regs g;

	if (u->flags[i] & UNIFORM_CONVERGENT && (r->active | missing_lanes(s->threads, warp)) != UINT32_MAX &&
	    (r->active ? uniform_guard(u, i) != UNIFORM_NOT : insn_kills(x)))
		return arena_printf(a, "instruction %u, %s: not all lanes come to it together", i,
				    ir_print_insn(a, s->k, x));
	if (!r->active || !r->values)
		return NULL;
	ir_insn_regs(s->k, x, &g);
	for (unsigned v = 0; v < g.nsrc + (unsigned)g.ndst; v++) {
		const uint32_t at = u->at[i] + v;
		const unsigned value = v < g.nsrc ? g.src_at[v] : g.dst_at[v - g.nsrc];
		const char *wrong;

		s->compared += u->value[at].level || u->value[at].affine || u->value[at].known;
		wrong = contradicts(&u->value[at], r->values + (size_t)value * WARP_LANES, r->active, &c->cta[at],
				    &s->grid[at], k, s->a);

		if (wrong)
			return arena_printf(a,
					    "instruction %u, %s: what it %s R%u is %s (execution %u of warp %u), as %s",
					    i, ir_print_insn(a, s->k, x), v < g.nsrc ? "reads in" : "writes to",
					    v < g.nsrc ? g.src[v] : g.dst[v - g.nsrc], wrong, k, warp,
					    v < g.nsrc ? "its annotation says" : uniform_text(s->k, i, a));
	}
	return NULL;
}

uint64_t uniform_seen_compared(const struct uniform_seen *s) { return s->compared; }
