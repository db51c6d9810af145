/* What the parts of the register allocator share: intervals (interval.c), the linear scan (scan.c), spilling (spill.c);
 * allocate.c goes round them. All of it lives in the scratch arena of one run of the pass.
 *
 * Positions: instruction j reads at 2j and writes at 2j + 1, so a result may take the register of an operand that
 * dies. */
#ifndef REGLOOM_ALLOC_H
#define REGLOOM_ALLOC_H

#include "passes/pass.h"

#define ALLOC_NONE UINT32_MAX

/* positions [from, to); next: index in alloc.span, ALLOC_NONE */
struct span {
	uint32_t from, to, next;
};

/* what became of a virtual register */
enum spill_how { KEPT, TO_SLOT, TO_REG, RECOMPUTED };

/* of one virtual register */
struct life {
	uint32_t span;   /* its first span, ALLOC_NONE: never live */
	uint32_t end;    /* end of its last span */
	uint32_t length; /* positions that it is live */
	uint32_t hint;   /* the other side of a move, ALLOC_NONE */
	uint64_t cost;   /* accesses that spilling adds, weighted by loop depth */
	uint32_t ndef;   /* definitions */
	uint16_t reg;    /* machine register; MREG_COUNT: none */
	bool constant;   /* a definition of it moves a constant */
	bool fixed;      /* spilling it would not help: it lives from one instruction to the next */
	bool spill;      /* chosen in this round */
};

/* of one virtual register, over all rounds */
struct fate {
	uint8_t how; /* enum spill_how */
	bool temp;   /* made by spilling */
	/* a temporary whose old value nobody reads: even a guarded write starts its life */
	bool fresh;
	uint32_t to; /* TO_SLOT: byte offset in the local frame; TO_REG: the general register */
	uint32_t op;
	struct ref from; /* RECOMPUTED: the move that makes it */
};

struct alloc {
	struct kernel *k;
	struct pass_ctx *cx;
	struct arena *a;
	uint32_t nlive; /* registers that k->live knows: those before any spilling */
	struct fate *fate;
	uint32_t fate_cap; /* by virtual register, all rounds */
	uint32_t *origin;  /* by instruction: its index before allocation; ALLOC_NONE: spill code */
	struct life *life; /* by virtual register, this round */
	struct span *span;
	uint32_t nspan, span_cap;
	uint32_t local_bytes; /* of the frame, spill slots included */
	const char **slot_name;
	uint8_t *slot_rc;
	uint32_t nslot, slot_cap, rc_cap; /* by 4-byte slot from slot_base */
	uint32_t slot_base;
};

/* Where virtual register v is now: itself, the register that a spilled predicate went to, or ALLOC_NONE. */
static inline uint32_t alloc_resolve(const struct alloc *x, uint32_t v)
{
	while (x->fate[v].how == TO_REG)
		v = x->fate[v].to;
	return x->fate[v].how == KEPT ? v : ALLOC_NONE;
}

/* An unguarded move of something that does not change: its result can be computed again anywhere. */
bool alloc_is_constant(const struct kernel *k, const struct insn *i);
void alloc_intervals(struct alloc *x); /* fills x->life and x->span for the code as it is */
/* Gives each live register a machine register, or marks it in life[].spill. Returns how many are marked; ALLOC_NONE
 * with a diagnostic if some instruction needs more registers than there are. */
uint32_t alloc_scan(struct alloc *x);
/* Rewrites the code so that the marked registers live elsewhere. False with a diagnostic if the local frame is full. */
bool alloc_spill(struct alloc *x);

/* The whole pass. *origin: by machine instruction, the virtual one it came from, UINT32_MAX for spill code; in
 * cx->scratch. */
enum pass_result alloc_run(struct kernel *k, struct pass_ctx *cx, const uint32_t **origin);

#endif
