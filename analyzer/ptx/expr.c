/* Constant expressions: the C operators over 64-bit integers, signed or unsigned by C's rules, and + - * / and
 * comparisons over floating-point numbers; the two kinds do not mix (PTX ISA, Constant Expressions). */
#include "parse.h"

#include <string.h>

static bool ternary(struct parser *p, struct konst *k);
static bool unary(struct parser *p, struct konst *k);

static struct konst int_konst(uint32_t off, uint64_t v, bool uns)
{
	return (struct konst){ .off = off, .i = v, .uns = uns };
}

static bool primary(struct parser *p, struct konst *k)
{
	struct token t = p->t;
	double f;
	float f32;

	*k = int_konst(t.off, t.value, t.uns);
	switch (t.kind) {
	case T_INT:
		break;
	case T_F32:
		k->is_float = true;
		k->lit = 1;
		k->f32 = (uint32_t)t.value;
		memcpy(&f32, &k->f32, sizeof f32);
		k->f = (double)f32;
		break;
	case T_F64:
	case T_FLOAT:
		k->is_float = true;
		memcpy(&f, &t.value, sizeof f);
		k->f = f;
		break;
	case T_IDENT:
		if (!token_is(p, "WARP_SZ"))
			return parse_error(p, t.off, "'%.*s' is not a constant", (int)(t.len > 200 ? 200 : t.len),
					   token_text(p));
		k->i = 32;
		break;
	case '(':
		parse_advance(p);
		if (!ternary(p, k))
			return false;
		k->off = t.off;
		return parse_expect(p, ')', "')'");
	default:
		return parse_error(p, t.off, "expected a constant");
	}
	parse_advance(p);
	return true;
}

/* Is the token behind the current '(' a type? */
static bool at_cast(const struct parser *p) { return p->t.kind == '(' && lex_ahead(&p->lx).kind == T_DOT; }

static bool cast(struct parser *p, struct konst *k)
{
	bool uns;

	parse_advance(p);
	uns = token_is(p, ".u64");
	if (!uns && !token_is(p, ".s64"))
		return parse_error(p, p->t.off, "a constant is cast to .s64 or .u64");
	parse_advance(p);
	if (!parse_expect(p, ')', "')'") || !unary(p, k))
		return false;
	if (k->is_float)
		return parse_error(p, k->off, "a floating-point constant has no integer cast");
	k->uns = uns;
	return true;
}

static bool prefixed(struct parser *p, struct konst *k)
{
	int op = p->t.kind;
	uint32_t off = p->t.off;

	if (at_cast(p))
		return cast(p, k);
	if (op != '-' && op != '+' && op != '~' && op != '!')
		return primary(p, k);
	parse_advance(p);
	if (!unary(p, k))
		return false;
	k->off = off;
	if (k->is_float) {
		if (op == '~' || op == '!')
			return parse_error(p, off, "'%c' takes an integer", op);
		if (op == '-') {
			k->f = -k->f;
			k->f32 ^= 1u << 31;
		}
		return true;
	}
	if (op == '-')
		k->i = -k->i;
	else if (op == '~')
		k->i = ~k->i;
	else if (op == '!')
		*k = int_konst(off, !k->i, false);
	return true;
}

static bool unary(struct parser *p, struct konst *k)
{
	bool ok;

	if (++p->expr_depth > EXPR_MAX)
		return parse_error(p, p->t.off, "this expression is nested deeper than %d", EXPR_MAX);
	ok = prefixed(p, k);
	p->expr_depth--;
	return ok;
}

/* Binding strength of a binary operator; 0: the token is none. */
static unsigned strength(int op)
{
	switch (op) {
	case '*':
	case '/':
	case '%':
		return 10;
	case '+':
	case '-':
		return 9;
	case T_SHL:
	case T_SHR:
		return 8;
	case '<':
	case '>':
	case T_LE:
	case T_GE:
		return 7;
	case T_EQ:
	case T_NE:
		return 6;
	case '&':
		return 5;
	case '^':
		return 4;
	case '|':
		return 3;
	case T_ANDAND:
		return 2;
	case T_OROR:
		return 1;
	default:
		return 0;
	}
}

static bool combine_float(struct parser *p, uint32_t at, int op, struct konst *a, const struct konst *b)
{
	double x = a->f, y = b->f;

	a->lit = 0;
	switch (op) {
	case '*':
		a->f = x * y;
		return true;
	case '/':
		a->f = x / y;
		return true;
	case '+':
		a->f = x + y;
		return true;
	case '-':
		a->f = x - y;
		return true;
	case '<':
		*a = int_konst(a->off, x < y, false);
		return true;
	case '>':
		*a = int_konst(a->off, x > y, false);
		return true;
	case T_LE:
		*a = int_konst(a->off, x <= y, false);
		return true;
	case T_GE:
		*a = int_konst(a->off, x >= y, false);
		return true;
	case T_EQ:
		*a = int_konst(a->off, x == y, false);
		return true;
	case T_NE:
		*a = int_konst(a->off, x < y || x > y || x != x || y != y, false);
		return true;
	default:
		return parse_error(p, at, "this operator takes integers");
	}
}

static uint64_t divide(uint64_t x, uint64_t y, bool uns, bool rest)
{
	if (uns)
		return rest ? x % y : x / y;
	if (y == UINT64_MAX) /* -1: INT64_MIN / -1 wraps */
		return rest ? 0 : -x;
	return (uint64_t)(rest ? (int64_t)x % (int64_t)y : (int64_t)x / (int64_t)y);
}

static uint64_t shift(uint64_t x, uint64_t n, bool uns, bool left)
{
	bool sign = !uns && (int64_t)x < 0;

	if (n > 63)
		return left || !sign ? 0 : UINT64_MAX;
	if (left)
		return x << n;
	return x >> n | (sign && n ? ~(UINT64_MAX >> n) : 0);
}

static bool combine(struct parser *p, uint32_t at, int op, struct konst *a, const struct konst *b)
{
	bool uns = a->uns || b->uns, less, compare = true;
	uint64_t x = a->i, y = b->i, v = 0;

	if (a->is_float != b->is_float)
		return parse_error(p, at, "this operator mixes an integer and a floating-point constant");
	if (a->is_float)
		return combine_float(p, at, op, a, b);
	if ((op == '/' || op == '%') && !y)
		return parse_error(p, at, "division by zero");
	less = uns ? x < y : (int64_t)x < (int64_t)y;
	switch (op) {
	case '<':
		v = less;
		break;
	case '>':
		v = !less && x != y;
		break;
	case T_LE:
		v = less || x == y;
		break;
	case T_GE:
		v = !less;
		break;
	case T_EQ:
		v = x == y;
		break;
	case T_NE:
		v = x != y;
		break;
	case T_ANDAND:
		v = x && y;
		break;
	case T_OROR:
		v = x || y;
		break;
	default:
		compare = false;
	}
	switch (op) {
	case '*':
		v = x * y;
		break;
	case '/':
	case '%':
		v = divide(x, y, uns, op == '%');
		break;
	case '+':
		v = x + y;
		break;
	case '-':
		v = x - y;
		break;
	case T_SHL:
	case T_SHR:
		uns = a->uns;
		v = shift(x, y, uns, op == T_SHL);
		break;
	case '&':
		v = x & y;
		break;
	case '^':
		v = x ^ y;
		break;
	case '|':
		v = x | y;
		break;
	default:
		break;
	}
	*a = int_konst(a->off, v, !compare && uns);
	return true;
}

static bool binary(struct parser *p, struct konst *k, unsigned least)
{
	struct konst right;

	if (!unary(p, k))
		return false;
	for (;;) {
		int op = p->t.kind;
		uint32_t at = p->t.off;
		unsigned s = strength(op);

		if (!s || s < least)
			return true;
		parse_advance(p);
		if (!binary(p, &right, s + 1) || !combine(p, at, op, k, &right))
			return false;
	}
}

static bool ternary(struct parser *p, struct konst *k)
{
	struct konst yes, no;

	if (!binary(p, k, 1))
		return false;
	if (p->t.kind != '?')
		return true;
	if (k->is_float)
		return parse_error(p, k->off, "a condition is an integer");
	if (++p->expr_depth > EXPR_MAX)
		return parse_error(p, p->t.off, "this expression is nested deeper than %d", EXPR_MAX);
	parse_advance(p);
	if (!ternary(p, &yes) || !parse_expect(p, ':', "':'") || !ternary(p, &no))
		return false;
	p->expr_depth--;
	yes.off = no.off = k->off;
	*k = k->i ? yes : no;
	return true;
}

bool expr_parse(struct parser *p, struct konst *k)
{
	p->expr_depth = 0;
	return ternary(p, k);
}

bool expr_parse_int(struct parser *p, struct konst *k)
{
	if (!expr_parse(p, k))
		return false;
	return k->is_float ? parse_error(p, k->off, "expected an integer") : true;
}

bool konst_float_bits(const struct konst *k, unsigned bits, uint64_t *v)
{
	float f = (float)k->f;
	uint32_t w;

	if (!k->is_float)
		return false;
	if (bits == 64) {
		memcpy(v, &k->f, sizeof *v);
		return true;
	}
	memcpy(&w, &f, sizeof w);
	*v = k->lit ? k->f32 : w;
	return bits == 32;
}
