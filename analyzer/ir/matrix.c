/* Matrix rows: their text, taken apart. */
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

static bool word_is(const char *s, size_t n, const char *word) { return strlen(word) == n && memcmp(s, word, n) == 0; }

/* m16n8k16 */
static bool take_shape(struct matrix *x, const char *s, size_t n)
{
	char *end;

	if (n < 4 || s[0] != 'm' || s[1] < '0' || s[1] > '9')
		return false;
	x->m = (uint16_t)strtoul(s + 1, &end, 10);
	if (*end == 'n')
		x->n = (uint16_t)strtoul(end + 1, &end, 10);
	if (*end == 'k')
		x->k = (uint16_t)strtoul(end + 1, &end, 10);
	return true;
}

static bool take_word(struct matrix *x, const char *s, size_t n, unsigned *ncol)
{
	if (word_is(s, n, "row") || word_is(s, n, "col")) {
		if (*ncol < 2)
			x->col[(*ncol)++] = s[0] == 'c';
	} else if (word_is(s, n, "load")) {
		x->kind = MATRIX_WLOAD;
	} else if (word_is(s, n, "store")) {
		x->kind = MATRIX_WSTORE;
	} else if (word_is(s, n, "mma")) {
		x->kind = MATRIX_MMA;
	} else if (word_is(s, n, "satfinite")) {
		x->satfinite = true;
	} else if (word_is(s, n, "and")) {
		x->and = true;
	} else if (word_is(s, n, "trans")) {
		x->trans = true;
	} else if (n == 2 && s[0] == 'r') {
		x->round = s[1];
	} else if (n == 2 && s[0] == 'x') {
		x->tiles = (uint8_t)(s[1] - '0');
	} else if (n == 1) {
		x->part = s[0] >= 'a' && s[0] <= 'c' ? (uint8_t)(PART_A + (s[0] - 'a')) : PART_D;
	} else {
		return take_shape(x, s, n);
	}
	return true;
}

/* The types in the order of the text: one of a load or store, D A B C of a product; of wmma with f16 factors, D and
 * C. */
static void place_types(struct matrix *x, const enum scalar_type type[4], unsigned n)
{
	if (x->kind != MATRIX_MMA) {
		x->type[x->part] = type[0];
		return;
	}
	x->type[PART_D] = type[0];
	x->type[PART_A] = n == 4 ? type[1] : TY_F16;
	x->type[PART_B] = n == 4 ? type[2] : TY_F16;
	x->type[PART_C] = type[n - 1];
}

/* Registers of a lane for a part: its elements over the lanes. wmma holds A and B of f16 in eight registers, whatever
 * the shape, and mma.m8n8k4 of f16 is four products at once. */
static unsigned registers(const struct matrix *x, enum matrix_part p)
{
	unsigned bits = type_info[x->type[p]].bits, rows, columns, all;

	if (x->wmma && p <= PART_B && x->type[p] == TY_F16)
		return 8;
	rows = p == PART_B ? x->k : x->m;
	columns = p == PART_A ? x->k : x->n;
	all = rows * columns;
	if (x->m == 8 && x->n == 8 && x->k == 4 && x->type[PART_A] == TY_F16)
		all *= 4;
	return all / 32 * bits / (bits == 64 ? 64 : 32);
}

static enum matrix_kind kind_of(const char *s, size_t n)
{
	static const struct {
		const char *name;
		enum matrix_kind kind;
	} kinds[] = { { "mma", MATRIX_MMA },
		      { "ldmatrix", MATRIX_LDMATRIX },
		      { "stmatrix", MATRIX_STMATRIX },
		      { "movmatrix", MATRIX_MOVE } };

	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (word_is(s, n, kinds[i].name))
			return kinds[i].kind;
	return MATRIX_NONE;
}

bool matrix_of(enum op op, struct matrix *x)
{
	const char *text = op_info[op].text, *end, *s = text;
	enum scalar_type type[4];
	unsigned ntype = 0, ncol = 0;
	size_t len;

	*x = (struct matrix){ .round = 'n' };
	op_mnemonic(op, &len);
	end = text + len;
	for (bool base = true; s < end; base = false) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		size_t n = (size_t)((dot ? dot : end) - s);
		enum scalar_type t = base ? TY_COUNT : type_find(s, n);

		if (base) {
			x->wmma = word_is(s, n, "wmma");
			x->kind = kind_of(s, n);
			if (x->kind == MATRIX_NONE && !x->wmma)
				return false;
		} else if (t != TY_COUNT && ntype < 4) {
			type[ntype++] = t;
		} else if (!word_is(s, n, "sync") && !word_is(s, n, "aligned") && !word_is(s, n, "popc") &&
			   !word_is(s, n, "xor")) {
			take_word(x, s, n, &ncol);
		}
		s += n + 1;
	}
	if (x->kind == MATRIX_LDMATRIX || x->kind == MATRIX_STMATRIX || x->kind == MATRIX_MOVE || !ntype)
		return true;
	place_types(x, type, ntype);
	for (unsigned p = 0; p < PART_COUNT; p++)
		if (x->kind == MATRIX_MMA || p == x->part)
			x->regs[p] = (uint8_t)registers(x, p);
	return true;
}

unsigned matrix_group(enum op op, const struct matrix *x, unsigned g, bool *lone)
{
	const struct op_info *o = &op_info[op];
	unsigned nsrc = o->nsrc;

	*lone = false;
	switch (x->kind) {
	case MATRIX_MMA: {
		static const enum matrix_part part[] = { PART_D, PART_A, PART_B, PART_C };

		return g < 4 ? x->regs[part[g]] : 0;
	}
	case MATRIX_WLOAD:
	case MATRIX_LDMATRIX: /* d, [p], stride */
		*lone = g > 0;
		return g == 0 ? o->ndst : g <= nsrc;
	case MATRIX_WSTORE:
	case MATRIX_STMATRIX: /* [p], a, stride */
		*lone = g != 1;
		return g == 1 ? nsrc - 1 - (x->kind == MATRIX_WSTORE) : g < 2 + (unsigned)(x->kind == MATRIX_WSTORE);
	case MATRIX_MOVE:
	case MATRIX_NONE:
		break;
	}
	*lone = true;
	return g < 2;
}
