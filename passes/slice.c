/* Evaluation on demand, backwards from a use. A definition is followed to its sources; where definitions meet, the
 * condition that decides between the ways is evaluated, or all ways must agree. At a loop header a register has its
 * value of iteration k of the loop: first + k * step if an iteration only adds (trip_step), else what going through the
 * iterations gives. Used behind the loop, it has the value of the last one. Inside a loop that nobody has put into an
 * iteration, the sample chooses one.
 *
 * What differs between threads is chosen by the sample as well: thread and block numbers, the lane, and the value of
 * `unknown & 3`, of which only the range is known. */
#include "passes/slice.h"

#define NONE UINT32_MAX

enum { DEPTH_MAX = 400, RANGE_MAX = 256, SEEK_MAX = 1 << 16 };

uint32_t slice_end(const struct slice *s, uint32_t b) { return s->k->block[b].first + s->k->block[b].n; }

/* ---- choices ---- */
/* The value of a choice, chosen now if it has not been. False: too many. */
static bool choose(struct slice *s, enum choice_kind kind, uint32_t id, uint64_t domain, uint64_t *v)
{
	struct choice *c;
	uint64_t fraction;

	for (unsigned x = 0; x < s->nchoice; x++)
		if (s->choice[x].kind == kind && s->choice[x].id == id)
			return *v = s->choice[x].value, true;
	if (s->nchoice == CHOICE_MAX || !domain)
		return false;
	c = &s->choice[s->nchoice++];
	*c = (struct choice){ kind, id, domain, s->nchoice <= s->npreset ? s->preset[s->nchoice - 1] : 0 };
	/* Roberts' sequence: multiples of powers of an irrational number, one power for each choice */
	if (s->spread) {
		static const double root[CHOICE_MAX] = { 0.6180339887498949,
							 0.7548776662466927,
							 0.5698402909980532,
							 0.8191725133961645,
							 0.6710436067037893,
							 0.5497004779019703,
							 0.8566748838545029,
							 0.7338918566271260,
							 0.6287067210378087,
							 0.5385972572236101,
							 0.4614027427763899,
							 0.3953,
							 0.3387,
							 0.2901,
							 0.2486,
							 0.2130 };

		fraction = (uint64_t)(root[s->nchoice - 1] * 0x1p64) * (s->sample + 1);
		c->value = (uint64_t)((uint128)fraction * domain >> 64);
	}
	*v = c->value;
	return true;
}

void slice_reset(struct slice *s)
{
	for (unsigned n = 0; n < s->nchoice; n++)
		if (s->choice[n].kind == CHOICE_ITERATION) { /* only choosing one leaves a loop active */
			s->loop[s->choice[n].id].active = false;
			s->loop[s->choice[n].id].nphi = 0;
		}
	s->nchoice = 0;
	s->guessed = false;
	s->samples++;
}

/* ---- operands ---- */
static bool special(struct slice *s, uint32_t sreg, uint64_t *v)
{
	uint32_t d;

	if ((d = sreg - SREG_NTID_X) < 3)
		return *v = s->block[d], *v != 0;
	if ((d = sreg - SREG_NCTAID_X) < 3)
		return *v = s->grid[d], *v != 0;
	if ((d = sreg - SREG_TID_X) < 3)
		return choose(s, CHOICE_SREG, sreg, s->block[d], v);
	if ((d = sreg - SREG_CTAID_X) < 3)
		return choose(s, CHOICE_SREG, sreg, s->grid[d], v);
	if (sreg == SREG_WARP_SZ)
		return *v = 32, true;
	if (sreg == SREG_LANEID || sreg == SREG_WARPID) { /* numbered along x, then y, then z */
		uint64_t t[3], n;

		if (!s->block[0] && sreg == SREG_LANEID)
			return choose(s, CHOICE_SREG, sreg, 32, v);
		for (d = 0; d < 3; d++)
			if (!special(s, SREG_TID_X + d, &t[d]))
				return false;
		n = t[0] + s->block[0] * (t[1] + s->block[1] * t[2]);
		*v = sreg == SREG_LANEID ? n % 32 : n / 32;
		return true;
	}
	return false;
}

static bool constant(const struct slice *s, uint64_t at, unsigned bytes, uint64_t *v)
{
	*v = 0;
	for (unsigned x = 0; x < bytes; x++) {
		if (at + x >= sizeof s->bank || !s->bank_known[at + x])
			return false;
		*v |= (uint64_t)s->bank[at + x] << 8 * x;
	}
	return true;
}

bool slice_source(struct slice *s, uint32_t insn, unsigned slot, uint64_t *v)
{
	const struct kernel *k = s->k;
	const struct insn *i = &k->insn[insn];
	struct ref r = insn_src(k, i)[slot];
	char letter = insn_operand_letter(i, i->ndst + slot);
	bool wide = slice_bits(letter) == 64;
	uint64_t high = 0;

	switch (r.kind) {
	case REF_REG:
		if (!slice_register(s, r.val, s->r.block_of[insn], insn, v))
			return false;
		if (wide && k->form == FORM_MACHINE && r.val != MREG_RZ) {
			if (!slice_register(s, r.val + 1, s->r.block_of[insn], insn, &high))
				return false;
			*v |= high << 32;
		}
		break;
	case REF_IMM:
		*v = k->imm[r.val];
		break;
	case REF_CONST:
		if (const_bank(r) != 0 || !constant(s, const_offset(r), letter == 'P' ? 4 : slice_bits(letter) / 8, v))
			return false;
		break;
	case REF_SREG:
		if (!special(s, r.val, v))
			return false;
		break;
	default:
		return false;
	}
	if (r.abs)
		return false;
	*v = slice_cut(*v, letter);
	if (r.neg)
		*v = letter == 'P' ? !*v : slice_cut(0 - *v, letter);
	return true;
}

bool slice_condition(struct slice *s, struct ref guard, uint32_t b, uint64_t *v)
{
	return guard.kind == REF_REG && slice_register(s, guard.val, b, slice_end(s, b), v);
}

/* ---- instructions ---- */
/* A value of which the low bits are taken, or the remainder, is one of few. */
static bool ranged(struct slice *s, uint32_t j, uint64_t *v)
{
	const struct kernel *k = s->k;
	const struct insn *i = &k->insn[j];
	bool mask = i->op == OP_AND_B32 || i->op == OP_AND_B64, rest = i->op == OP_REM_U32 || i->op == OP_REM_U64;
	uint64_t c;

	if (!mask && !rest)
		return false;
	for (uint32_t l = s->loop_of[s->r.block_of[j]]; l != NONE; l = s->f->loop[l].outer)
		if (s->loop[l].counting || s->loop[l].moving)
			return false;
	if (!slice_source(s, j, 1, &c) && !(mask && slice_source(s, j, 0, &c)))
		return false;
	if (mask ? c >= RANGE_MAX || c & (c + 1) : !c || c > RANGE_MAX)
		return false;
	return choose(s, CHOICE_RANGE, j, mask ? c + 1 : c, v);
}

/* The upper word of v, or of machine code the lower one, or v. */
static uint64_t word_of(const struct kernel *k, bool upper, uint64_t v)
{
	if (upper)
		return v >> 32;
	return k->form == FORM_MACHINE ? (uint32_t)v : v;
}

/* A load of a parameter, or of a spilled register. */
static bool load(struct slice *s, uint32_t j, unsigned dst, unsigned half, uint64_t *v)
{
	const struct kernel *k = s->k;
	const struct insn *i = &k->insn[j];
	const struct spill *p = s->r.spill_of[j] ? &k->spill[s->r.spill_of[j] - 1] : NULL;
	struct ref at = insn_src(k, i)[0];
	unsigned bytes = op_info[i->op].mem_bytes;
	uint64_t base = 0;

	if (p && !p->store)
		return slice_register(s, reach_slot(&s->r, p->slot) + half, s->r.block_of[j], j, v);
	if (i->space != SP_PARAM || !bytes || op_info[i->op].flags & (OPF_STORE | OPF_ATOMIC))
		return false;
	if (at.kind == REF_CONST && const_bank(at) == 0)
		base = const_offset(at);
	else if (!slice_source(s, j, 0, &base))
		return false;
	if (!constant(s, base + (uint64_t)(int64_t)i->offset + dst * bytes, bytes, v))
		return false;
	if (bytes < 4 && op_info[i->op].flags & OPF_SX)
		*v = (uint32_t)((int64_t)(*v << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	*v = word_of(s->k, half, *v);
	return true;
}

static bool instruction(struct slice *s, uint32_t j, uint32_t reg, uint64_t *v)
{
	const struct kernel *k = s->k;
	const struct insn *i = &k->insn[j];
	const struct spill *p = s->r.spill_of[j] ? &k->spill[s->r.spill_of[j] - 1] : NULL;
	uint32_t b = s->r.block_of[j];
	uint64_t src[4] = { 0 }, guard;
	unsigned dst = 0, half = 0;
	bool varied = s->varied, known = i->nsrc && i->nsrc <= 4 && !(i->mods & (MOD_FTZ | MOD_SAT));

	if (i->guard.kind == REF_REG) {
		if (!slice_register(s, i->guard.val, b, j, &guard))
			return false;
		if ((guard != 0) == i->guard.neg) /* did not happen */
			return slice_register(s, reg, b, j, v);
	}
	if (p && p->store) {
		if (!slice_source(s, j, 1, v))
			return false;
		*v = word_of(k, reg != reach_slot(&s->r, p->slot), *v);
		return true;
	}
	for (unsigned d = 0; d < i->ndst; d++) {
		struct ref r = insn_dst(k, i)[d];
		bool pair = k->form == FORM_MACHINE && insn_operand_class(k, i, d) == RC_64;

		if (r.kind == REF_REG && (r.val == reg || (pair && r.val + 1u == reg))) {
			dst = d;
			half = r.val != reg;
		}
	}
	if (op_info[i->op].flags & OPF_LOAD)
		return load(s, j, dst, half, v);
	s->varied = false;
	for (unsigned n = 0; known && n < i->nsrc; n++)
		known = slice_source(s, j, n, &src[n]);
	if (known)
		known = slice_op(i, src, dst, v);
	else if (!s->varied)
		known = ranged(s, j, v);
	s->varied |= varied;
	if (known && k->form == FORM_MACHINE)
		*v = half ? *v >> 32 : (uint32_t)*v;
	return known;
}

/* ---- joins ---- */
static bool register_for(struct slice *s, uint32_t reg, uint32_t b, uint32_t before, uint32_t user, uint64_t *v);

/* Puts loop l, which the code that asks is behind, into its last iteration. False: which one that is is not known. */
static bool go_last(struct slice *s, uint32_t l)
{
	struct slice_loop *x = &s->loop[l];
	struct trip t;

	if (x->counting || !x->natural)
		return false;
	t = trip_count(s, l);
	if (!t.known || !t.exact)
		return false;
	x->active = true;
	x->symbolic = x->moving = false;
	x->k = t.runs - 1;
	x->nphi = 0;
	return true;
}

uint32_t slice_left_behind(const struct slice *s, uint32_t b, uint32_t user)
{
	uint32_t left = NONE;

	for (uint32_t l = s->loop_of[b]; l != NONE && !slice_in_loop(s, user, l); l = s->f->loop[l].outer)
		left = l;
	return left;
}

/* The condition at the end of block b for code in block `user`: of the last iteration, if b lies in a loop that is left
 * before. */
static bool condition_for(struct slice *s, struct ref guard, uint32_t b, uint32_t user, uint64_t *v)
{
	uint32_t l = slice_left_behind(s, b, user);
	struct slice_loop save;
	bool known;

	if (l == NONE)
		return slice_condition(s, guard, b, v);
	save = s->loop[l];
	known = go_last(s, l) && condition_for(s, guard, b, s->loop[l].header, v);
	s->loop[l] = save;
	return known;
}

enum { WAY_TAKEN = 1, WAY_ON = 2, WAY_KNOWN = 4 };

/* Which ways from block d, a branch that dominates block p, lead to p without coming back to d: searched from p. */
static unsigned ways_to(struct slice *s, uint32_t e, uint32_t d, uint32_t target)
{
	const struct cfg *g = s->r.g;
	uint32_t p = g->pred[e], n = 0;
	unsigned ways = 0;

	if (s->way[e] & WAY_KNOWN)
		return s->way[e];
	s->stamp++;
	s->mark[p] = s->stamp;
	s->queue[n++] = p;
	while (n) {
		uint32_t b = s->queue[--n];

		if (!s->steps)
			return WAY_TAKEN | WAY_ON;
		s->steps--;
		ways |= b == target ? WAY_TAKEN : 0u;
		ways |= b == d + 1 ? WAY_ON : 0u;
		for (uint32_t x = g->pred_at[b]; x < g->pred_at[b + 1]; x++)
			if (g->pred[x] != d && s->mark[g->pred[x]] != s->stamp) {
				s->mark[g->pred[x]] = s->stamp;
				s->queue[n++] = g->pred[x];
			}
	}
	s->way[e] = (uint8_t)(ways | WAY_KNOWN);
	return ways;
}

/* Block b, which is no loop header: the ways that the condition at its immediate dominator leaves open must agree. */
static bool join(struct slice *s, uint32_t b, uint32_t reg, uint64_t *v)
{
	const struct kernel *k = s->k;
	const struct cfg *g = s->r.g;
	uint32_t d = s->r.dom->idom[b], target = NONE;
	const struct insn *end = d == b ? NULL : ir_block_end(k, d, OPF_BRANCH);
	uint64_t x, guard;
	bool found = false, taken = false;

	if (d == b)
		return false; /* the entry of a function */
	if (end && !(op_info[end->op].flags & OPF_CALL) && end->guard.kind == REF_REG &&
	    condition_for(s, end->guard, d, b, &guard)) {
		target = insn_src(k, end)[0].val;
		taken = (guard != 0) != end->guard.neg;
	}
	for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
		uint32_t p = g->pred[e];

		if (!reach_block_reached(&s->r, p))
			continue;
		if (target != NONE && p == d && (taken ? target : d + 1) != b)
			continue;
		if (target != NONE && p != d && !(ways_to(s, e, d, target) & (taken ? WAY_TAKEN : WAY_ON)))
			continue;
		if (!register_for(s, reg, p, slice_end(s, p), b, &x) || (found && x != *v))
			return false;
		*v = x;
		found = true;
	}
	return found;
}

/* What the edges into a loop bring (back: those from inside it). */
static bool arrive(struct slice *s, uint32_t l, uint32_t reg, bool back, uint64_t *v)
{
	const struct cfg *g = s->r.g;
	uint32_t h = s->loop[l].header;
	bool found = false;
	uint64_t x;

	if (!back && s->r.dom->idom[h] == h)
		return false;
	for (uint32_t e = g->pred_at[h]; e < g->pred_at[h + 1]; e++) {
		uint32_t p = g->pred[e];

		if (!reach_block_reached(&s->r, p) || slice_in_loop(s, p, l) != back)
			continue;
		if (!register_for(s, reg, p, slice_end(s, p), h, &x) || (found && x != *v))
			return false;
		*v = x;
		found = true;
	}
	return found;
}

void slice_advance(struct slice *s, uint32_t l)
{
	struct slice_loop *x = &s->loop[l];
	struct {
		bool known;
		uint64_t value;
	} next[PHI_MAX];

	for (unsigned n = 0; n < x->nphi; n++) /* asking for one may add more */
		next[n].known = arrive(s, l, x->phi[n].reg, true, &next[n].value);
	for (unsigned n = 0; n < x->nphi; n++) {
		x->phi[n].known = next[n].known;
		x->phi[n].value = next[n].value;
	}
	x->k++;
}

bool slice_first(struct slice *s, uint32_t l, uint32_t reg, uint64_t *v)
{
	struct slice_loop *x = &s->loop[l], save = *x;
	bool known;

	x->active = false;
	known = arrive(s, l, reg, false, v);
	*x = save;
	return known;
}

/* From the value in iteration 0 to that of iteration k, if iterations only add; v: one of a pair of registers, or a
 * whole one. */
static bool added(struct slice *s, uint32_t l, uint32_t reg, uint64_t *v)
{
	bool machine = s->k->form == FORM_MACHINE, wide = !machine && s->k->vreg[reg].rc == RC_64;
	uint64_t k = s->loop[l].k, step, half;

	if ((machine && reg >= MREG_P0) || (!machine && s->k->vreg[reg].rc == RC_PRED))
		return false;
	if (trip_step(s, l, reg, wide, &step)) {
		*v += step * k;
		*v = wide ? *v : (uint32_t)*v;
		return true;
	}
	if (!machine || !trip_step(s, l, reg & ~1u, true, &step) || !slice_first(s, l, reg ^ 1, &half))
		return false;
	*v = (reg & 1 ? *v << 32 | half : half << 32 | *v) + step * k;
	*v = reg & 1 ? *v >> 32 : (uint32_t)*v;
	return true;
}

/* The value that a register has at the header in iteration k. */
static bool at_header(struct slice *s, uint32_t l, uint32_t reg, uint64_t *v)
{
	struct slice_loop *x = &s->loop[l], save;
	uint64_t first = 0;
	bool known;

	if (x->symbolic) {
		s->varied = true;
		return false;
	}
	for (unsigned n = 0; n < x->nphi; n++)
		if (x->phi[n].reg == reg) {
			*v = x->phi[n].value;
			return x->phi[n].known;
		}
	if (x->nphi == PHI_MAX)
		return false;
	save = *x;
	known = slice_first(s, l, reg, &first);
	if (known && x->k && added(s, l, reg, &first)) {
		/* there */
	} else if (known && x->k) { /* go there from the start */
		uint64_t k = x->k;

		if (x->moving || k > SEEK_MAX)
			return false;
		x->k = 0;
		x->nphi = 1;
		x->moving = true;
		x->phi[0].reg = reg;
		x->phi[0].known = true;
		x->phi[0].value = first;
		while (x->k < k && x->phi[0].known)
			slice_advance(s, l);
		known = x->phi[0].known;
		first = x->phi[0].value;
		*x = save;
	}
	x->phi[x->nphi].reg = reg;
	x->phi[x->nphi].known = known;
	x->phi[x->nphi++].value = first;
	*v = first;
	return known;
}

/* Puts the sample into an iteration of a loop around the code that asks. */
static bool enter(struct slice *s, uint32_t l)
{
	struct slice_loop *x = &s->loop[l];
	struct trip t;
	uint64_t k;

	if (x->counting)
		return false;
	t = trip_count(s, l);
	s->guessed |= !t.known;
	if (!choose(s, CHOICE_ITERATION, l, t.known ? t.runs : FREQ_LOOP, &k))
		return false;
	x->active = true;
	x->k = k;
	x->nphi = 0;
	return true;
}

static bool definition(struct slice *s, struct reach_def def, uint32_t reg, uint32_t user, uint64_t *v)
{
	const bool at_join = def.kind != REACH_INSN;
	uint32_t home = at_join ? def.at : s->r.block_of[def.at], left = slice_left_behind(s, home, user);
	struct slice_memo *m;

	if (left != NONE) {
		struct slice_loop save = s->loop[left];
		bool known = go_last(s, left) && definition(s, def, reg, s->loop[left].header, v);

		s->loop[left] = save;
		return known;
	}
	m = s->loop_of[home] == NONE ? &s->memo[(def.at * 7 + reg) % SLICE_MEMO] : NULL;
	if (m && m->sample == s->samples && m->at == def.at && m->reg == reg && m->join == at_join)
		return *v = m->value, true;
	for (uint32_t l = at_join ? s->loop_of[home] : NONE; l != NONE; l = s->f->loop[l].outer)
		if (s->loop[l].header == home) {
			if (!s->loop[l].natural || (!s->loop[l].active && !enter(s, l)))
				return false;
			return at_header(s, l, reg, v);
		}
	if (!(at_join ? join(s, home, reg, v) : instruction(s, def.at, reg, v)))
		return false;
	if (m)
		*m = (struct slice_memo){ def.at, reg, s->samples, at_join, *v };
	return true;
}

/* The value of a register at a place, for code in block `user`: what flows over an edge is asked for where the edge
 * leads, since it may leave a loop. */
static bool register_for(struct slice *s, uint32_t reg, uint32_t b, uint32_t before, uint32_t user, uint64_t *v)
{
	struct reach_def def;
	bool known;

	if (s->k->form == FORM_MACHINE && reg < MREG_ALL && mreg_is_fixed(reg)) {
		*v = reg == MREG_PT;
		return true;
	}
	if (!s->steps || s->depth == DEPTH_MAX)
		return false;
	s->steps--;
	def = reach_find(&s->r, reg, b, before);
	if (def.kind == REACH_UNKNOWN)
		return false;
	s->depth++;
	known = definition(s, def, reg, user, v);
	s->depth--;
	return known;
}

bool slice_register(struct slice *s, uint32_t reg, uint32_t b, uint32_t before, uint64_t *v)
{
	return register_for(s, reg, b, before, b, v);
}
