/* Fragments: the figures of the PTX ISA for mma (Matrix Fragments for mma.*), as one rule. A lane is row group l / 4
 * and column l % 4 of a tile of 8 rows (of B: columns); a register of A or B has neighbours along k, one of C or D two
 * neighbours along n; further registers follow in tiles of 8 rows, then along k, of B along k then n.
 *
 * The ISA leaves the fragments of wmma open. Here they are those of mma over the whole shape, tile after tile, and
 * where wmma has more registers than elements (f16 factors) they repeat. mma.m8n8k4 of f16 has its own figures: lanes 4
 * i .. 4 i + 3 and the 4 that are 16 above hold product i. */
#include "runtime-model/engine/tensor.h"

struct spot {
	unsigned matrix, row, col;
};

static bool is_quad(const struct matrix *x) { return !x->wmma && x->n == 8 && x->k == 4 && x->type[PART_A] == TY_F16; }

static struct spot quad_spot(const struct matrix *x, enum matrix_part p, unsigned reg, unsigned lane, unsigned j)
{
	unsigned i = reg * 2 + j, high = lane < 16 ? 0 : 4, quarter = lane % 4;
	struct spot s = { .matrix = lane % 16 / 4 };

	if (p == PART_A) {
		s.row = x->col[0] ? i + high : quarter + high;
		s.col = x->col[0] ? quarter : i;
	} else if (p == PART_B) {
		s.row = x->col[1] ? i : quarter;
		s.col = x->col[1] ? quarter + high : i + high;
	} else if (x->type[p] == TY_F16) {
		s.row = quarter + high;
		s.col = i;
	} else {
		s.row = (lane & 1) + (reg & 2) + high;
		s.col = (reg & 4) + (lane & 2) + (reg & 1);
	}
	return s;
}

/* E: elements in a register. */
static struct spot spot_of(const struct matrix *x, const struct fragment *f, enum matrix_part p, unsigned reg,
			   unsigned lane, unsigned j)
{
	/* of k, in one register of all lanes */
	unsigned group = lane / 4, quarter = lane % 4, along = f->each * 4u;
	unsigned halves = x->m == 8 ? 1 : 2; /* tiles of 8 rows that follow each other before k or n goes on */

	reg %= f->regs;
	if (is_quad(x))
		return quad_spot(x, p, reg, lane, j);
	if (p == PART_A) {
		unsigned tile = halves * (f->cols / along), q = reg % tile;

		return (struct spot){ 0, reg / tile * 8 * halves + q % halves * 8 + group,
				      q / halves * along + quarter * f->each + j };
	}
	if (p == PART_B) {
		unsigned tile = f->rows / along;

		return (struct spot){ 0, reg % tile * along + quarter * f->each + j, reg / tile * 8 + group };
	}
	unsigned pair = 2u / f->each, tile = reg / pair; /* registers of a tile of 8 x 8 */

	return (struct spot){ 0, (tile / halves / (x->n / 8u) * halves + tile % halves) * 8 + group,
			      tile / halves % (x->n / 8u) * 8 + quarter * 2 + reg % pair * f->each + j };
}

static void make(struct xmatrix *mx, enum matrix_part p, struct arena *a)
{
	const struct matrix *x = &mx->x;
	struct fragment *f = &mx->part[p];
	unsigned bits = type_info[x->type[p]].bits, shrink = 1;
	uint16_t *at;

	if (bits == 1 || (bits == 4 && x->kind != MATRIX_MMA)) { /* whole words: nothing looks inside */
		shrink = 32 / bits;
		bits = 32;
	}
	f->bits = (uint16_t)bits;
	f->rows = p == PART_B ? (uint16_t)(x->k / shrink) : x->m;
	f->cols = p == PART_A ? (uint16_t)(x->k / shrink) : x->n;
	f->each = (uint8_t)(bits >= 32 ? 1 : 32 / bits);
	f->count = is_quad(x) ? 4 : 1;
	f->regs = (uint8_t)(f->rows * (unsigned)f->cols * f->count / 32 / f->each);
	f->at = at = new_array(a, uint16_t, (size_t)f->regs * 32 * f->each);
	for (unsigned r = 0; r < f->regs; r++)
		for (unsigned l = 0; l < WARP_LANES; l++)
			for (unsigned j = 0; j < f->each; j++) {
				struct spot s = spot_of(x, f, p, r, l, j);

				*at++ = (uint16_t)((s.matrix * f->rows + s.row) * f->cols + s.col);
			}
}

void fragments_find(const struct program *p, struct xmatrix *mx, enum op op, struct arena *a)
{
	for (uint32_t i = (uint32_t)(mx - p->matrix), tries = 16; i && tries; tries--)
		if (p->matrix[--i].op == op) {
			*mx = p->matrix[i];
			return;
		}
	*mx = (struct xmatrix){ .op = (uint16_t)op };
	matrix_of(op, &mx->x);
	for (unsigned q = 0; q < PART_COUNT; q++)
		if (mx->x.regs[q])
			make(mx, q, a);
}
