/* Matrix instructions: wmma, mma, ldmatrix, stmatrix, movmatrix. Each matrix is a vector in braces of as many registers
 * as the row says; wmma's stride may be left out, for the matrix stored without gaps. */
#include "insn.h"

#include "analyzer/ir/matrix.h"

/* d, {..}: exactly n elements, in braces even if there is one. */
static bool vector_of(struct build *b, const struct operand *o, unsigned n, struct use *to, const char *letter)
{
	struct parser *p = b->p;

	if (o->kind != O_VECTOR)
		return parse_error(p, o->off, "this operand of '%s' is a vector of %u register%s, in braces",
				   b->mn->text, n, n > 1 ? "s" : "");
	if (o->n != n)
		return parse_error(p, o->off, "this operand of '%s' is a vector of %u; %u %s given", b->mn->text, n,
				   o->n, o->n == 1 ? "is" : "are");
	for (unsigned i = 0; i < n; i++)
		to[i] = (struct use){ .o = &o->elem[i],
				      .letter = letter[i],
				      .bits = (uint8_t)use_letter_bits(letter[i]) };
	return true;
}

/* Elements from the start of a row, or a column, to the start of the next, where there are no gaps. */
static unsigned tight_stride(const struct matrix *x)
{
	switch (x->part) {
	case PART_A:
		return x->col[0] ? x->m : x->k;
	case PART_B:
		return x->col[0] ? x->k : x->n;
	case PART_C:
	case PART_D:
	case PART_COUNT:
		break;
	}
	return x->col[0] ? x->m : x->n;
}

static bool space_ok(struct build *b, const struct matrix *x)
{
	bool tile = x->kind == MATRIX_LDMATRIX || x->kind == MATRIX_STMATRIX;

	if (!b->mn->space_given)
		b->space = SP_GENERIC;
	if (b->space == SP_GENERIC || b->space == SP_SHARED || (b->space == SP_GLOBAL && !tile))
		return true;
	return parse_error(b->p, b->mn->off,
			   tile ? "'%s' takes .shared or generic addresses"
				: "'%s' takes .global, .shared or generic addresses",
			   b->mn->text);
}

static bool product(struct build *b, const struct matrix *x)
{
	const struct op_info *o = &op_info[b->mn->op];
	const char *src = o->sig + o->ndst + 1;
	static const enum matrix_part part[] = { PART_A, PART_B, PART_C };

	if (b->p->nop != 4)
		return build_wrong_count(b, 4, 4);
	if (!vector_of(b, &b->p->op[0], x->regs[PART_D], b->dst, o->sig))
		return false;
	b->ndst = o->ndst;
	for (unsigned i = 0; i < 3; i++) {
		if (!vector_of(b, &b->p->op[1 + i], x->regs[part[i]], b->src + b->nsrc, src + b->nsrc))
			return false;
		b->nsrc += x->regs[part[i]];
	}
	return insn_finish(b);
}

static bool transfer(struct build *b, const struct matrix *x)
{
	const struct op_info *o = &op_info[b->mn->op];
	bool wmma = x->wmma, load = o->flags & OPF_LOAD;
	unsigned n = load ? o->ndst : o->nsrc - 1u - wmma;
	struct operand *data = &b->p->op[load ? 0 : 1], *at = &b->p->op[load ? 1 : 0];
	struct operand stride = { .kind = O_CONST, .n = 1, .off = b->mn->off, .k = { .i = tight_stride(x) } };

	if (b->p->nop < 2 || b->p->nop > 2u + wmma)
		return build_wrong_count(b, 2, 2u + wmma);
	if (!space_ok(b, x))
		return false;
	b->src[0] = (struct use){ .o = at, .letter = 'M' };
	if (!vector_of(b, data, n, load ? b->dst : b->src + 1, load ? o->sig : o->sig + 3))
		return false;
	b->ndst = load ? n : 0;
	b->nsrc = load ? 1 : 1 + n;
	if (wmma)
		b->src[b->nsrc++] =
			(struct use){ .o = b->p->nop == 3 ? &b->p->op[2] : &stride, .letter = 'W', .bits = 32 };
	return insn_finish(b);
}

bool matrix_is(const struct mnemonic *mn)
{
	static const char *const base[] = { "wmma", "mma", "ldmatrix", "stmatrix", "movmatrix" };

	for (unsigned i = 0; i < sizeof base / sizeof *base; i++)
		if (mnemonic_is(mn, base[i]))
			return true;
	return false;
}

bool matrix_parse(struct build *b)
{
	struct matrix x;

	if (!matrix_of(b->mn->op, &x))
		return false;
	if (x.kind == MATRIX_MMA)
		return product(b, &x);
	if (x.kind != MATRIX_MOVE)
		return transfer(b, &x);
	if (b->p->nop != 2)
		return build_wrong_count(b, 2, 2);
	for (unsigned i = 0; i < 2; i++)
		if (b->p->op[i].kind != O_REG)
			return parse_error(b->p, b->p->op[i].off, "this operand of '%s' is a register", b->mn->text);
	b->dst[b->ndst++] = (struct use){ .o = &b->p->op[0], .letter = 'W', .bits = 32 };
	b->src[b->nsrc++] = (struct use){ .o = &b->p->op[1], .letter = 'W', .bits = 32 };
	return insn_finish(b);
}
