/* Trip counts: how often a loop goes round in one sample (slice.h).
 *
 * A loop is left at its exits. One that every iteration comes to, with one predicate as its condition, is counted:
 * where the condition compares values that grow by a constant in each iteration, the first iteration in which it holds
 * is the solution of an inequality, or of a congruence for == and != (modulo 2^32 or 2^64, so wrapping counters are
 * right); the constant is the sum of all additions on the way from the header back to it, which an unrolled body has
 * several of. Any other condition that can be evaluated (shifts, products, several conditions) is tried iteration by
 * iteration, as LLVM's ScalarEvolution does (computeExitCountExhaustively), up to TRY_MAX. The earliest exit counts;
 * one that depends on data only makes it a bound. */
#include "passes/slice.h"

#define NONE UINT32_MAX

enum { TRY_MAX = 1 << 16, WALK_MAX = 64 };

enum ask { ASK_KNOWN, ASK_VARIES, ASK_UNKNOWN };

/* A source of an instruction in loop l: the same in all iterations, different, or not known. */
static enum ask invariant(struct slice *s, uint32_t l, uint32_t j, unsigned slot, uint64_t *v)
{
	struct slice_loop *x = &s->loop[l], save = *x;
	bool varied = s->varied, known;
	enum ask a;

	x->active = x->symbolic = true;
	s->varied = false;
	known = slice_source(s, j, slot, v);
	a = ASK_KNOWN;
	if (!known)
		a = s->varied ? ASK_VARIES : ASK_UNKNOWN;
	*x = save;
	s->varied = varied;
	return a;
}

static bool definition_of(struct slice *s, uint32_t reg, bool wide, uint32_t b, uint32_t before, struct reach_def *d)
{
	struct reach_def high;

	if (s->k->form == FORM_MACHINE && reg < MREG_ALL && mreg_is_fixed(reg))
		return false;
	*d = reach_find(&s->r, reg, b, before);
	if (!wide || s->k->form != FORM_MACHINE)
		return d->kind != REACH_UNKNOWN;
	high = reach_find(&s->r, reg + 1, b, before);
	return d->kind != REACH_UNKNOWN && d->kind == high.kind && d->at == high.at;
}

/* An unguarded instruction of loop l, outside the loops inside it, that makes a register of this width. */
static const struct insn *plain(const struct slice *s, uint32_t l, struct reach_def d, bool wide)
{
	const struct insn *i = &s->k->insn[d.at];

	if (d.kind != REACH_INSN || s->loop_of[s->r.block_of[d.at]] != l || !insn_kills(i) || i->ndst != 1)
		return NULL;
	return s->k->form == FORM_VIRTUAL || (insn_operand_class(s->k, i, 0) == RC_64) == wide ? i : NULL;
}

/* ---- what an iteration adds ---- */
struct walk {
	uint32_t l, reg;
	bool wide;
	unsigned left;
};

static bool walk(struct slice *s, struct walk *w, uint32_t reg, uint32_t b, uint32_t before, uint64_t *sum);

static bool walk_source(struct slice *s, struct walk *w, uint32_t j, unsigned slot, uint64_t *sum)
{
	const struct insn *i = &s->k->insn[j];
	struct ref r = insn_src(s->k, i)[slot];

	return r.kind == REF_REG && !r.neg && !r.abs && walk(s, w, r.val, s->r.block_of[j], j, sum);
}

/* The sum of what is added between the header's value of w->reg and this one. */
static bool walk(struct slice *s, struct walk *w, uint32_t reg, uint32_t b, uint32_t before, uint64_t *sum)
{
	const struct insn *i;
	struct reach_def d;
	uint64_t x, y;

	if (!w->left || !definition_of(s, reg, w->wide, b, before, &d))
		return false;
	w->left--;
	if (d.kind == REACH_JOIN) {
		const struct cfg *g = s->r.g;
		bool found = false;

		if (d.at == s->loop[w->l].header) {
			*sum = 0;
			return reg == w->reg;
		}
		if (s->loop_of[d.at] != w->l)
			return false;
		for (uint32_t e = g->pred_at[d.at]; e < g->pred_at[d.at + 1]; e++) {
			uint32_t p = g->pred[e];

			if (!reach_block_reached(&s->r, p))
				continue;
			if (!walk(s, w, reg, p, slice_end(s, p), &x) || (found && x != *sum))
				return false;
			*sum = x;
			found = true;
		}
		return found;
	}
	i = plain(s, w->l, d, w->wide);
	if (!i)
		return false;
	switch (i->op) {
	case OP_MOV_B32:
	case OP_MOV_B64:
		return walk_source(s, w, d.at, 0, sum);
	case OP_ADD_S32:
	case OP_ADD_S64:
		for (unsigned slot = 0; slot < 2; slot++)
			if (invariant(s, w->l, d.at, !slot, &x) == ASK_KNOWN && walk_source(s, w, d.at, slot, sum)) {
				*sum += x;
				return true;
			}
		return false;
	case OP_SUB_S32:
	case OP_SUB_S64:
		if (invariant(s, w->l, d.at, 1, &x) != ASK_KNOWN || !walk_source(s, w, d.at, 0, sum))
			return false;
		*sum -= x;
		return true;
	case OP_MAD_LO_S32:
	case OP_MAD_LO_S64:
		if (invariant(s, w->l, d.at, 0, &x) != ASK_KNOWN || invariant(s, w->l, d.at, 1, &y) != ASK_KNOWN ||
		    !walk_source(s, w, d.at, 2, sum))
			return false;
		*sum += x * y;
		return true;
	}
	return false;
}

bool trip_step(struct slice *s, uint32_t l, uint32_t reg, bool wide, uint64_t *step)
{
	const struct cfg *g = s->r.g;
	uint32_t h = s->loop[l].header;
	struct walk w = { l, reg, wide, WALK_MAX };
	bool found = false;
	uint64_t x;

	for (uint32_t e = g->pred_at[h]; e < g->pred_at[h + 1]; e++) {
		uint32_t p = g->pred[e];

		if (!slice_in_loop(s, p, l))
			continue;
		if (!walk(s, &w, reg, p, slice_end(s, p), &x) || (found && x != *step))
			return false;
		*step = x;
		found = true;
	}
	return found;
}

/* ---- values that grow evenly ---- */
/* In iteration k: first + k * step modulo 2^bits, for k up to valid. */
struct affine {
	uint64_t first, step, valid;
	unsigned bits;
};

static uint64_t cut(uint64_t v, unsigned bits) { return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v; }
static int64_t extend(uint64_t v, unsigned bits) { return (int64_t)(v << (64 - bits)) >> (64 - bits); }

static int128 value_of(uint64_t v, unsigned bits, bool sign)
{
	return sign ? (int128)extend(v, bits) : (int128)cut(v, bits);
}

/* The last k for which first + k * step stays in the type. */
static uint64_t last_before_wrap(const struct affine *x, bool sign)
{
	int128 low = sign ? -((int128)1 << (x->bits - 1)) : 0, high = ((int128)1 << (x->bits - (sign ? 1 : 0))) - 1;
	int128 first = value_of(x->first, x->bits, sign), step = extend(x->step, x->bits), n;

	if (!step)
		return UINT64_MAX;
	n = step > 0 ? (high - first) / step : (first - low) / -step;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static bool affine_source(struct slice *s, uint32_t l, uint32_t j, unsigned slot, unsigned depth, struct affine *x);

static bool affine_insn(struct slice *s, uint32_t l, uint32_t j, unsigned depth, struct affine *x)
{
	const struct insn *i = &s->k->insn[j];
	struct affine y, z;
	bool sign = i->op == OP_CVT_S64_S32 || i->op == OP_MUL_WIDE_S32 || i->op == OP_MAD_WIDE_S32;

	if (!affine_source(s, l, j, 0, depth, x) || (i->nsrc > 1 && !affine_source(s, l, j, 1, depth, &y)) ||
	    i->nsrc > 3 || (i->nsrc > 2 && !affine_source(s, l, j, 2, depth, &z)))
		return false;
	switch (i->op) {
	case OP_MOV_B32:
	case OP_MOV_B64:
		return true;
	case OP_NEG_S32:
	case OP_NEG_S64:
		x->first = 0 - x->first;
		x->step = 0 - x->step;
		return true;
	case OP_SUB_S32:
	case OP_SUB_S64:
		y.first = 0 - y.first;
		y.step = 0 - y.step;
		/* fall through */
	case OP_ADD_S32:
	case OP_ADD_S64:
		x->first += y.first;
		x->step += y.step;
		x->valid = x->valid < y.valid ? x->valid : y.valid;
		return true;
	case OP_SHL_B32:
	case OP_SHL_B64:
		if (y.step || y.first >= x->bits)
			return false;
		x->first <<= y.first;
		x->step <<= y.first;
		return true;
	case OP_CVT_U32_D:
	case OP_CVT_S32_D:
		x->bits = 32;
		return true;
	case OP_CVT_U64_U32:
	case OP_CVT_S64_S32:
	case OP_MUL_WIDE_U32:
	case OP_MUL_WIDE_S32:
	case OP_MAD_WIDE_U32:
	case OP_MAD_WIDE_S32:
		for (unsigned n = 0; n < (i->nsrc > 1 ? 2u : 1u); n++) {
			struct affine *p = n ? &y : x;
			uint64_t last = last_before_wrap(p, sign);

			p->valid = last < p->valid ? last : p->valid;
			p->first = sign ? (uint64_t)extend(p->first, 32) : cut(p->first, 32);
			p->step = (uint64_t)extend(p->step, 32);
			p->bits = 64;
		}
		if (i->nsrc == 1)
			return true;
		/* fall through */
	case OP_MUL_LO_S32:
	case OP_MUL_LO_S64:
	case OP_MAD_LO_S32:
	case OP_MAD_LO_S64:
		if (x->step && y.step)
			return false;
		x->step = x->first * y.step + x->step * y.first; /* one of them is 0 */
		x->first *= y.first;
		x->valid = x->valid < y.valid ? x->valid : y.valid;
		if (i->nsrc > 2) {
			x->first += z.first;
			x->step += z.step;
			x->valid = x->valid < z.valid ? x->valid : z.valid;
		}
		return true;
	}
	return false;
}

static bool affine_register(struct slice *s, uint32_t l, uint32_t reg, bool wide, uint32_t b, uint32_t before,
			    unsigned depth, struct affine *x)
{
	struct reach_def d;
	uint64_t high = 0;

	if (!depth || !definition_of(s, reg, wide, b, before, &d))
		return false;
	x->bits = wide ? 64 : 32;
	x->valid = UINT64_MAX;
	if (d.kind == REACH_JOIN) {
		if (d.at != s->loop[l].header || !slice_first(s, l, reg, &x->first) ||
		    !trip_step(s, l, reg, wide, &x->step))
			return false;
		if (wide && s->k->form == FORM_MACHINE) {
			if (!slice_first(s, l, reg + 1, &high))
				return false;
			x->first |= high << 32;
		}
		return true;
	}
	return plain(s, l, d, wide) && affine_insn(s, l, d.at, depth - 1, x) && x->bits == (wide ? 64u : 32u);
}

static bool affine_source(struct slice *s, uint32_t l, uint32_t j, unsigned slot, unsigned depth, struct affine *x)
{
	const struct insn *i = &s->k->insn[j];
	unsigned bits = slice_bits(insn_operand_letter(i, i->ndst + slot));
	struct ref r = insn_src(s->k, i)[slot];

	if (bits != 32 && bits != 64)
		return false;
	*x = (struct affine){ .valid = UINT64_MAX, .bits = bits };
	switch (invariant(s, l, j, slot, &x->first)) {
	case ASK_KNOWN:
		return true;
	case ASK_UNKNOWN:
		return false;
	case ASK_VARIES:
		break;
	}
	return r.kind == REF_REG && !r.neg && !r.abs &&
	       affine_register(s, l, r.val, bits == 64, s->r.block_of[j], j, depth, x);
}

/* ---- the first iteration in which a condition holds ---- */
/* try: can be evaluated, but not solved */
enum first_how { FIRST_AT, FIRST_NEVER, FIRST_UNKNOWN, FIRST_TRY };
struct first {
	enum first_how how;
	uint64_t k;
	bool bound;  /* another condition may hold before */
	bool around; /* struct trip */
};

/* n such that odd * n is 1 modulo 2^64: each round doubles the bits that are right. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t n = odd;

	for (unsigned r = 0; r < 6; r++)
		n *= 2 - odd * n;
	return n;
}

static uint64_t magnitude(uint64_t step, unsigned bits) { return extend(step, bits) < 0 ? cut(0 - step, bits) : step; }

static struct first equal(const struct affine *x, const struct affine *y, bool want)
{
	uint64_t d = cut(x->first - y->first, x->bits), step = cut(x->step - y->step, x->bits), k;
	unsigned twos;

	if (!want && !d)
		return step ? (struct first){ .how = FIRST_AT, .k = 1 } : (struct first){ .how = FIRST_NEVER };
	if (!want)
		return (struct first){ .how = FIRST_AT };
	if (!d)
		return (struct first){ .how = FIRST_AT };
	if (!step || (twos = (unsigned)__builtin_ctzll(step)) > (unsigned)__builtin_ctzll(d))
		return (struct first){ .how = FIRST_NEVER };
	k = cut(((0 - d) >> twos) * inverse(step >> twos), x->bits - twos);
	return (struct first){ .how = FIRST_AT,
			       .k = k,
			       .around = (uint128)k * magnitude(step, x->bits) >> (x->bits - 1) != 0 };
}

static struct first solve(struct slice_compare c, const struct affine *x, const struct affine *y)
{
	int128 d = value_of(x->first, c.bits, c.sign) - value_of(y->first, c.bits, c.sign), k = 0;
	int128 step = (int128)extend(x->step, c.bits) - extend(y->step, c.bits);
	struct first f;
	uint64_t last;

	if (c.rel == REL_EQ || c.rel == REL_NE) {
		f = equal(x, y, c.rel == REL_EQ);
		return f.how == FIRST_AT && (f.k > x->valid || f.k > y->valid) ? (struct first){ .how = FIRST_TRY } : f;
	}
	if (c.rel == REL_GT || c.rel == REL_GE) { /* x > y: -d < 0 */
		d = -d;
		step = -step;
	}
	if (c.rel == REL_LE || c.rel == REL_GE) /* d <= 0: d - 1 < 0 */
		d--;
	if (d >= 0) {
		if (step >= 0) /* only by wrapping */
			return (struct first){ .how = x->step || y->step ? FIRST_TRY : FIRST_NEVER };
		k = d / -step + 1;
	}
	last = x->valid < y->valid ? x->valid : y->valid;
	for (unsigned n = 0; n < 2; n++) {
		uint64_t wrap = last_before_wrap(n ? y : x, c.sign);

		last = wrap < last ? wrap : last;
	}
	return k > last ? (struct first){ .how = FIRST_TRY } : (struct first){ .how = FIRST_AT, .k = (uint64_t)k };
}

/* Of two conditions one of which is enough. */
static struct first either(struct first a, struct first b)
{
	if (a.how == FIRST_TRY || b.how == FIRST_TRY)
		return (struct first){ .how = FIRST_TRY };
	if (a.how == FIRST_UNKNOWN || b.how == FIRST_UNKNOWN) {
		a = a.how == FIRST_UNKNOWN ? b : a;
		a.bound = true;
		return a.how == FIRST_AT ? a : (struct first){ .how = FIRST_UNKNOWN };
	}
	if (a.how == FIRST_NEVER || (b.how == FIRST_AT && b.k < a.k))
		return b;
	return a;
}

/* Of two that must hold together: only a condition that always holds, or never, says something. */
static struct first both(struct first a, struct first b, bool always_a, bool always_b)
{
	if (a.how == FIRST_NEVER || b.how == FIRST_NEVER)
		return (struct first){ .how = FIRST_NEVER };
	if (always_a)
		return b;
	if (always_b)
		return a;
	return (struct first){ .how = a.how == FIRST_UNKNOWN || b.how == FIRST_UNKNOWN ? FIRST_UNKNOWN : FIRST_TRY };
}

static struct first first_register(struct slice *s, uint32_t l, uint32_t reg, uint32_t b, uint32_t before, bool want,
				   unsigned depth);

/* Predicate source `slot` of instruction j. *always: in every iteration. */
static struct first first_source(struct slice *s, uint32_t l, uint32_t j, unsigned slot, bool want, unsigned depth,
				 bool *always)
{
	struct ref r = insn_src(s->k, &s->k->insn[j])[slot];
	uint64_t v;

	*always = false;
	switch (invariant(s, l, j, slot, &v)) {
	case ASK_KNOWN:
		*always = (v != 0) == want;
		return (struct first){ .how = *always ? FIRST_AT : FIRST_NEVER };
	case ASK_UNKNOWN:
		return (struct first){ .how = FIRST_UNKNOWN };
	case ASK_VARIES:
		break;
	}
	return r.kind == REF_REG ? first_register(s, l, r.val, s->r.block_of[j], j, want != r.neg, depth)
				 : (struct first){ .how = FIRST_TRY };
}

static struct first first_pair(struct slice *s, uint32_t l, uint32_t j, bool one, bool want, unsigned depth)
{
	bool always_a, always_b;
	struct first a = first_source(s, l, j, 0, want, depth, &always_a),
		     b = first_source(s, l, j, 1, want, depth, &always_b);

	return one ? either(a, b) : both(a, b, always_a, always_b);
}

/* A predicate that is not the same in all iterations. */
static struct first first_register(struct slice *s, uint32_t l, uint32_t reg, uint32_t b, uint32_t before, bool want,
				   unsigned depth)
{
	struct first try = { .how = FIRST_TRY }, f, other;
	struct slice_compare c;
	struct affine x, y;
	const struct insn *i;
	struct reach_def d;
	bool always;

	if (!depth || !definition_of(s, reg, false, b, before, &d) || d.kind != REACH_INSN)
		return try;
	i = &s->k->insn[d.at];
	if (s->loop_of[s->r.block_of[d.at]] != l || !insn_kills(i))
		return try;
	if (slice_compare(i->op, &c)) {
		enum { NOT = REL_GE + 1 };
		static const enum slice_relation inverse_of[NOT] = { REL_NE, REL_EQ, REL_GE, REL_GT, REL_LE, REL_LT };
		struct ref q = i->ndst > 1 ? insn_dst(s->k, i)[1] : ref_none();

		if (q.kind == REF_REG && q.val == reg) { /* the complement; not of what cbool combines */
			if (i->cbool != CB_NONE)
				return try;
			want = !want;
		}
		if (i->cbool == CB_XOR)
			return try;
		if (!want)
			c.rel = inverse_of[c.rel];
		if (c.bits != 32 && c.bits != 64)
			return try;
		f = affine_source(s, l, d.at, 0, WALK_MAX, &x) && affine_source(s, l, d.at, 1, WALK_MAX, &y)
			    ? solve(c, &x, &y)
			    : try;
		if (i->cbool == CB_NONE)
			return f;
		other = first_source(s, l, d.at, 2, want, depth - 1, &always);
		if ((i->cbool == CB_AND) == want)
			return both(f, other, f.how == FIRST_AT && !f.k && !x.step && !y.step, always);
		return either(f, other);
	}
	switch (i->op) {
	case OP_MOV_PRED:
		return first_source(s, l, d.at, 0, want, depth - 1, &always);
	case OP_NOT_PRED:
		return first_source(s, l, d.at, 0, !want, depth - 1, &always);
	case OP_AND_PRED:
		return first_pair(s, l, d.at, !want, want, depth - 1);
	case OP_OR_PRED:
		return first_pair(s, l, d.at, want, want, depth - 1);
	}
	return try;
}

static struct first first_exit(struct slice *s, uint32_t l, const struct loop_exit *e)
{
	struct slice_loop *x = &s->loop[l], save = *x;
	bool varied = s->varied, known;
	struct first f;
	uint64_t v = 0;

	x->active = x->symbolic = true;
	s->varied = false;
	known = slice_condition(s, e->guard, e->block, &v);
	if (known)
		f = (struct first){ .how = (v != 0) == e->want ? FIRST_AT : FIRST_NEVER };
	else if (!s->varied)
		f = (struct first){ .how = FIRST_UNKNOWN };
	*x = save;
	if (!known && s->varied)
		f = first_register(s, l, e->guard.val, e->block, slice_end(s, e->block), e->want, WALK_MAX);
	s->varied = varied;
	return f;
}

/* ---- the loop ---- */
/* Iteration by iteration, up to t->runs where that is known. */
static void try_iterations(struct slice *s, uint32_t l, struct trip *t)
{
	struct slice_loop *x = &s->loop[l];
	uint64_t limit = t->known && t->runs < TRY_MAX ? t->runs : TRY_MAX, v;

	x->active = x->moving = true;
	x->symbolic = false;
	x->nphi = 0;
	for (x->k = 0; x->k < limit && s->steps;) {
		bool any = false;

		for (uint32_t e = 0; e < x->nexit; e++) {
			if (!x->exit[e].counted)
				continue;
			if (!slice_condition(s, x->exit[e].guard, x->exit[e].block, &v)) {
				t->exact = false;
				continue;
			}
			any = true;
			if ((v != 0) == x->exit[e].want) {
				*t = (struct trip){
					.known = true, .exact = t->exact, .runs = x->k + 1, .test = x->exit[e].block
				};
				return;
			}
		}
		if (!any)
			break; /* no condition can be evaluated: it will not become better */
		slice_advance(s, l);
	}
	t->exact &= x->k >= t->runs; /* an iteration that was not tried may be the last one */
}

struct trip trip_count(struct slice *s, uint32_t l)
{
	struct slice_loop *x = &s->loop[l], save = *x;
	struct trip t = { .exact = true, .test = NONE };
	bool try = false, varied = s->varied;

	if (!x->natural || x->counting)
		return (struct trip){ .test = NONE };
	x->counting = true;
	x->active = false;
	x->nphi = 0;
	x->k = 0;
	for (uint32_t e = 0; e < x->nexit; e++) {
		struct first f = { .how = FIRST_UNKNOWN };

		if (x->exit[e].counted)
			f = first_exit(s, l, &x->exit[e]);
		try |= f.how == FIRST_TRY;
		t.exact &= f.how != FIRST_UNKNOWN && !f.bound;
		if (f.how == FIRST_AT && f.k < FREQ_MAX && (!t.known || f.k + 1 < t.runs)) {
			t.known = true;
			t.runs = f.k + 1;
			t.test = x->exit[e].block;
			t.around = f.around;
		}
	}
	if (try)
		try_iterations(s, l, &t);
	*x = save;
	s->varied = varied;
	return t;
}
