/* Video instructions: parts of registers as operands (a.b0, a.h1, d.b3210), and a control word that says what the
 * mnemonic and these selectors do (analyzer/ir/video.h). */
#include "insn.h"

#include "analyzer/ir/video.h"

struct selector {
	const char *s;
	uint32_t len, off;
};

/* [-]operand[.selector] */
static bool part_operand(struct parser *p, unsigned n, bool *neg, struct selector *sel)
{
	*neg = p->t.kind == '-' && lex_ahead(&p->lx).kind == T_IDENT;
	if (*neg)
		parse_advance(p);
	p->selectors = true;
	p->selector.len = 0;
	if (!operand_parse(p, &p->op[n], p->elem[n], &p->second[n])) {
		p->selectors = false;
		return false;
	}
	p->selectors = false;
	*sel = (struct selector){ p->src->text + p->selector.off + 1, p->selector.len ? p->selector.len - 1 : 0,
				  p->selector.off };
	return true;
}

static bool bad_selector(struct parser *p, const struct selector *s, const char *what)
{
	return parse_error(p, s->off, "'.%.*s' selects no part here; %s", (int)(s->len > 20 ? 20 : s->len), s->s, what);
}

static bool part_of(struct parser *p, const struct selector *s, enum video_part *part)
{
	*part = PART_ALL;
	if (!s->len)
		return true;
	if (s->len == 2 && s->s[0] == 'b' && s->s[1] >= '0' && s->s[1] <= '3')
		*part = (enum video_part)(PART_B0 + s->s[1] - '0');
	else if (s->len == 2 && s->s[0] == 'h' && s->s[1] >= '0' && s->s[1] <= '1')
		*part = (enum video_part)(PART_H0 + s->s[1] - '0');
	else
		return bad_selector(p, s, "parts are .b0 to .b3, .h0 and .h1");
	return true;
}

static bool lanes_of(struct parser *p, const struct selector *s, unsigned lanes, unsigned first, uint8_t sel[4])
{
	const char *what = lanes == 2 ? "lanes are .hxy with x and y from 0 to 3"
				      : "lanes are .bxyzw with x, y, z and w from 0 to 7";

	for (unsigned i = 0; i < lanes; i++)
		sel[i] = (uint8_t)(first + i);
	if (!s->len)
		return true;
	if (s->len != lanes + 1 || s->s[0] != (lanes == 2 ? 'h' : 'b'))
		return bad_selector(p, s, what);
	for (unsigned i = 0; i < lanes; i++) {
		unsigned digit = (unsigned)(s->s[lanes - i] - '0');

		if (digit >= 2 * lanes)
			return bad_selector(p, s, what);
		sel[i] = (uint8_t)digit;
	}
	return true;
}

static bool mask_of(struct parser *p, const struct selector *s, unsigned lanes, uint8_t *mask)
{
	const char *what = lanes == 2 ? "masks are .h0, .h1 and .h10" : "masks are .b and digits from 3 to 0, falling";
	unsigned before = lanes;

	*mask = (uint8_t)((1u << lanes) - 1);
	if (!s->len)
		return true;
	*mask = 0;
	for (uint32_t i = 1; i < s->len; i++) {
		unsigned digit = (unsigned)(s->s[i] - '0');

		if (digit >= before)
			return bad_selector(p, s, what);
		*mask = (uint8_t)(*mask | 1u << digit);
		before = digit;
	}
	if (s->s[0] != (lanes == 2 ? 'h' : 'b') || !*mask)
		return bad_selector(p, s, what);
	return true;
}

/* Everything behind the base that is no type. */
static bool modifiers(struct parser *p, const struct mnemonic *mn, struct video *v, bool *has_cmp, bool *has_mode)
{
	static const char *const cmp[] = { "eq", "ne", "lt", "le", "gt", "ge" }, *const second[] = { "", "add", "min",
												     "max" };
	bool shifts = v->op == VIDEO_SHL || v->op == VIDEO_SHR, mad = v->op == VIDEO_MAD, set = v->op == VIDEO_SET;

	*has_cmp = *has_mode = false;
	for (unsigned i = 1; i < mn->nparts; i++) {
		bool known = type_find(mn->part[i].s, mn->part[i].len) != TY_COUNT;

		for (unsigned c = 0; set && c < 6; c++)
			if (mnemonic_part_is(mn, i, cmp[c])) {
				v->cmp = (enum video_cmp)c;
				known = *has_cmp = true;
			}
		for (unsigned c = 1; !mad && c < (v->lanes > 1 ? 2 : 4); c++)
			if (mnemonic_part_is(mn, i, second[c])) {
				v->second = (enum video_second)c;
				known = true;
			}
		if (!set && mnemonic_part_is(mn, i, "sat"))
			v->sat = known = true;
		if (shifts && (mnemonic_part_is(mn, i, "wrap") || mnemonic_part_is(mn, i, "clamp"))) {
			v->wrap = mnemonic_part_is(mn, i, "wrap");
			known = *has_mode = true;
		}
		if (mad && mnemonic_part_is(mn, i, "po"))
			v->po = known = true;
		if (mad && (mnemonic_part_is(mn, i, "shr7") || mnemonic_part_is(mn, i, "shr15"))) {
			v->shift = mnemonic_part_is(mn, i, "shr7") ? 7 : 15;
			known = true;
		}
		if (!known)
			return parse_error(p, mn->off, "'.%.*s' is no modifier of '%.*s'", (int)mn->part[i].len,
					   mn->part[i].s, (int)mn->part[0].len, mn->part[0].s);
	}
	return true;
}

static bool types(struct parser *p, const struct mnemonic *mn, struct video *v)
{
	unsigned n = v->op == VIDEO_SET ? 2 : 3;

	if (mn->ntypes != n)
		return parse_error(p, mn->off, "'%s' names %u types, each .u32 or .s32", mn->text, n);
	for (unsigned t = 0; t < n; t++)
		if (mn->type[t] != TY_U32 && mn->type[t] != TY_S32)
			return parse_error(p, mn->off, "'%s' names %u types, each .u32 or .s32", mn->text, n);
	v->dsign = n == 3 && mn->type[0] == TY_S32;
	v->asign = mn->type[n - 2] == TY_S32;
	v->bsign = mn->type[n - 1] == TY_S32;
	if ((v->op == VIDEO_SHL || v->op == VIDEO_SHR) && v->bsign)
		return parse_error(p, mn->off, "the amount of '%s' is .u32", mn->text);
	return true; /* vmad: the sign of the result follows from the operands */
}

bool video_parse(struct build *b)
{
	static const struct operand zero = { .kind = O_CONST, .n = 1 };
	struct parser *p = b->p;
	struct mnemonic mn = *b->mn;
	struct operand control = { .kind = O_CONST, .n = 1 };
	struct video v = { .lanes = 1 };
	struct selector sel[4] = { { 0 } };
	bool neg[4] = { false }, cmp, mode;
	unsigned third, first = 0;

	mn.op = op_find(mn.part[0].s, mn.part[0].len);
	if (mn.op == OP_COUNT || !video_row(mn.op, &v.op, &v.lanes))
		return parse_error(p, mn.off, "unknown instruction '%s'", mn.text);
	if (!modifiers(p, &mn, &v, &cmp, &mode) || !types(p, &mn, &v))
		return false;
	if (v.op == VIDEO_SET && !cmp)
		return parse_error(p, mn.off, "'%s' names a comparison: .eq, .ne, .lt, .le, .gt or .ge", mn.text);
	if ((v.op == VIDEO_SHL || v.op == VIDEO_SHR) && !mode)
		return parse_error(p, mn.off, "'%s' names a mode: .clamp or .wrap", mn.text);
	if (v.lanes > 1 && v.sat && v.second)
		return parse_error(p, mn.off, "'%s' saturates or accumulates, not both", mn.text);
	for (p->nop = 0; p->nop < 4;) {
		if (!part_operand(p, p->nop, &neg[p->nop], &sel[p->nop]))
			return false;
		p->nop++;
		if (!parse_accept(p, ','))
			break;
	}
	if (p->t.kind != ';')
		return parse_error(p, p->t.off, "expected ',' or ';'");
	third = v.lanes > 1 || v.op == VIDEO_MAD || v.second || sel[0].len ? 4 : 3;
	if (p->nop != third)
		return build_wrong_count(b, third, third);
	while (first < 3 && !neg[first])
		first++;
	if (neg[0] || ((neg[1] || neg[2] || neg[3]) && (v.op != VIDEO_MAD || v.po)))
		return parse_error(p, p->op[first].off,
				   v.po ? "operands of '%s' are not negated" : "only vmad negates operands, not '%s'",
				   mn.text);
	if (neg[3] && neg[1] != neg[2])
		return parse_error(p, p->op[3].off, "'%s' negates the product or the addend, not both", mn.text);
	if (p->op[0].second)
		return parse_error(p, p->op[0].off, "'%s' has one destination", mn.text);
	if (sel[3].len)
		return bad_selector(p, &sel[3], "the last operand is a whole register");
	if (v.op == VIDEO_MAD && sel[0].len)
		return bad_selector(p, &sel[0], "the destination is a whole register");
	if (v.lanes == 1 && v.second && sel[0].len)
		return bad_selector(p, &sel[0], "the result is merged or combined, not both");
	v.third = third == 4;
	v.aneg = neg[1];
	v.bneg = neg[2];
	v.cneg = neg[3];
	if (v.lanes == 1 ? !part_of(p, &sel[0], &v.d) || !part_of(p, &sel[1], &v.a) || !part_of(p, &sel[2], &v.b)
			 : !mask_of(p, &sel[0], v.lanes, &v.mask) || !lanes_of(p, &sel[1], v.lanes, 0, v.asel) ||
				   !lanes_of(p, &sel[2], v.lanes, v.lanes, v.bsel))
		return false;
	control.k.i = video_pack(&v);
	b->mn = &mn;
	b->dst[b->ndst++] = (struct use){ &p->op[0], 'W', 32, false };
	b->src[b->nsrc++] = (struct use){ &p->op[1], 'W', 32, false };
	b->src[b->nsrc++] = (struct use){ &p->op[2], 'W', 32, false };
	b->src[b->nsrc++] = (struct use){ v.third ? &p->op[3] : &zero, 'W', 32, false };
	b->src[b->nsrc++] = (struct use){ &control, 'D', 64, false };
	return insn_finish(b);
}
