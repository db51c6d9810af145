/* What a matrix row of the opcode table (ops/tensor.def) says in its text: kind, shape, layouts, types, and how many
 * registers of a lane hold each matrix. */
#ifndef REGLOOM_MATRIX_H
#define REGLOOM_MATRIX_H

#include "analyzer/ir/ops.h"

enum matrix_kind {
	MATRIX_NONE,
	MATRIX_WLOAD,
	MATRIX_WSTORE,
	MATRIX_MMA,
	MATRIX_LDMATRIX,
	MATRIX_STMATRIX,
	MATRIX_MOVE
};
enum matrix_part { PART_A, PART_B, PART_C, PART_D, PART_COUNT };

struct matrix {
	enum matrix_kind kind;
	enum matrix_part part; /* wmma.load and wmma.store: which matrix */
	uint16_t m, n, k;
	bool wmma, col[2], satfinite, and, trans; /* col: of A and B; of a load or store, col[0] is its layout */
	char round;                               /* of f64: n z m p */
	enum scalar_type type[PART_COUNT];
	uint8_t regs[PART_COUNT]; /* operands of each; a load or store has one part */
	uint8_t tiles;            /* ldmatrix, stmatrix: matrices of 8 x 8 */
};

/* False: the row is none of tensor.def. */
bool matrix_of(enum op op, struct matrix *x);
/* Operands of group g, destinations first: as they stand in PTX between braces; 0: no more groups. Address and stride
 * are groups of one, *lone says so. */
unsigned matrix_group(enum op op, const struct matrix *x, unsigned g, bool *lone);

#endif
