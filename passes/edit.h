/* Inserting instructions into machine code: before others, and on edges of the control-flow graph, with new blocks
 * where an edge needs one. All are noted first and put in by edit_end(). */
#ifndef REGLOOM_EDIT_H
#define REGLOOM_EDIT_H

#include "passes/pass.h"

struct insertion {
	uint32_t from, to; /* blocks of the edge; to UINT32_MAX: before instruction `from` */
	uint16_t op;
	struct ref dst, src; /* as many as the opcode's row has: at most one of each */
};

struct edit {
	struct kernel *k;
	struct arena *a;
	struct insertion *ins;
	uint32_t n, cap;
};

/* k: machine form, FACT_CFG valid. A is for the notes, and holds what edit_end() returns. */
void edit_begin(struct edit *e, struct kernel *k, struct arena *a);
/* What goes to one place goes there in the order in which it was noted. */
void edit_before(struct edit *e, uint32_t i, enum op op, struct ref dst, struct ref src);
/* FROM to TO: an edge of k->cfg->local. Executed by those lanes only that take it: at the end of FROM if it leads
 * nowhere else, at the start of TO if nothing else leads there, in a new block else. */
void edit_edge(struct edit *e, uint32_t from, uint32_t to, enum op op, struct ref dst, struct ref src);
bool edit_edge_is_critical(const struct kernel *k, uint32_t from, uint32_t to); /* it would take a new block */

enum { EDIT_JUMP = 0x7fffffff };
/* Puts everything in. By new instruction: the old one that it is; of one put in, its number (in the order of the calls)
 * | EDIT_NEW; of a branch that ends a new block, EDIT_JUMP | EDIT_NEW. No fact is valid then. */
#define EDIT_NEW 0x80000000u
const uint32_t *edit_end(struct edit *e);

#endif
