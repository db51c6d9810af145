/* Matrices held by a warp: which lane and which part of which register has which element, and the instructions on them.
 * Shared by the files of this folder only. */
#ifndef REGLOOM_ENGINE_TENSOR_H
#define REGLOOM_ENGINE_TENSOR_H

#include "analyzer/ir/matrix.h"
#include "runtime-model/engine/core.h"

enum {
	MATRIX_DST_MAX = 8,
	MATRIX_SRC_MAX = 24,
	/* most elements of one matrix (A of m16n8k64), those of one bit counted in words */
	MATRIX_ELEMENTS = 1024,
};

/* A matrix over the registers of the warp. Elements of one bit are counted in words of 32. */
struct fragment {
	uint16_t rows, cols, bits; /* of the matrix; of an element */
	uint8_t each;              /* elements in a register (a pair, if of 64 bits) */
	uint8_t regs;              /* that hold all elements once; those above repeat them */
	uint8_t count;             /* matrices: 4 for mma.m8n8k4 of f16, else 1 */
	const uint16_t *at;        /* [register][lane][element]: matrix * rows * cols + row * cols + col */
};

/* a matrix instruction */
struct xmatrix {
	uint16_t op;
	struct matrix x;
	struct fragment part[PART_COUNT];
	uint32_t dst[MATRIX_DST_MAX]; /* word offsets */
	int32_t src[MATRIX_SRC_MAX];  /* operands, address excepted */
	int32_t address;              /* operand */
	int64_t offset;
	uint8_t space;
	bool wide;
};

/* ---- fragment.c ---- */
/* Row and fragments of mx, an element of p->matrix; tables are shared with an instruction shortly before it, or new in
 * a. */
void fragments_find(const struct program *p, struct xmatrix *mx, enum op op, struct arena *a);

/* ---- tensor.c ---- */
void tensor_product(const struct engine *e, struct warp *w, const struct xmatrix *mx);

/* ---- tensor_memory.c ---- */
bool tensor_transfer(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, const struct xmatrix *mx);
void tensor_move(const struct engine *e, struct warp *w, const struct xmatrix *mx);

static inline const uint32_t *matrix_operand(const struct engine *e, const struct warp *w, int32_t at)
{
	return (at < 0 ? e->prog.konst : w->reg) + (at & INT32_MAX);
}

#endif
