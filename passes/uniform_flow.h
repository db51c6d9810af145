/* The state of passes/uniform.c while it works: what each register has in the lanes that are at a point together. */
#ifndef REGLOOM_UNIFORM_FLOW_H
#define REGLOOM_UNIFORM_FLOW_H

#include "analyzer/base/worklist.h"
#include "passes/elsewhere.h"
#include "passes/uniform.h"

/* From least to most known; LANES_WARP and above are enum uniform_level, three higher. */
enum lanes_kind { LANES_VECTOR, LANES_AFFINE, LANES_STRIDE, LANES_WARP, LANES_CTA, LANES_GRID };

/* stride: of LANES_STRIDE, and never 0; else 0 */
struct lanes {
	int32_t stride;
	uint8_t kind;
};

static inline struct lanes lanes_of(enum lanes_kind kind) { return (struct lanes){ 0, (uint8_t)kind }; }
static inline bool lanes_uniform(struct lanes a) { return a.kind >= LANES_WARP; }
static inline enum uniform_level lanes_level(struct lanes a)
{
	return lanes_uniform(a) ? (enum uniform_level)(a.kind - LANES_WARP + 1) : UNIFORM_NOT;
}
/* one or the other, the same in all lanes that are together */
struct lanes lanes_meet(struct lanes a, struct lanes b);
/* No more is known than of a branch of that level: what it decides is not the same beyond. LANES_VECTOR: nothing is. */
struct lanes lanes_cap(struct lanes a, enum lanes_kind most);

struct uniform_flow {
	const struct kernel *k;
	struct arena *a;
	uint32_t block[3];
	/* of instruction i: use[use_at[i] .. use_at[i + 1]), as insn_reg_uses() has them */
	const uint32_t *use_at;
	const struct reg_use *use;
	/* general registers; uniform ones, of decoded machine code; all columns: general registers, predicates, uniform
	 * registers, their predicates */
	uint32_t regs, uregs, cols;
	struct lanes *now; /* at the point at hand, by column */
	struct lanes *in;  /* cols of each block: before it, caps not applied */
	bool *reached;
	/* by block and register: what may be known of it at the start, where sides of branches meet; */
	uint8_t (*cap)[MREG_ALL];
	/* NULL: nowhere; and where lanes of several sides may meet at an instruction that yields */
	uint8_t (*yield_cap)[MREG_ALL];
	/* by block: LANES_WARP .. LANES_GRID, over what its k-th execution is the same one */
	uint8_t *control;
	/* by block: kind of what its end decides by; LANES_GRID if it decides nothing */
	uint8_t *branch;
	/* private to uniform_flow.c */
	const struct cfg *g;
	struct elsewhere sides;
	struct wsum *leaving;
	struct worklist dirty;                /* by place in the reverse post-order */
	uint64_t (*proc_writes)[WLIVE_WORDS]; /* by function, with those that it calls */
	struct lanes *proc_out;               /* cols of each function: at its returns */
	bool *proc_returns;
	/* by function: where lanes come back that returned from several places */
	uint8_t (*proc_cap)[MREG_ALL];
	uint32_t *caller_at, *caller; /* blocks that call function p: caller[caller_at[p] .. caller_at[p + 1]) */
	uint32_t *proc_calls;         /* by function: places that it is called from; */
	uint8_t *proc_side;           /* the kind of a branch that one of them is on a side of; */
	uint8_t *proc_entered;        /* the kind of what decides whether it is called */
	uint32_t *stack, *mark, *side, *calls, stamp;
	uint64_t steps; /* that searches of sides may still take */
};

/* Convergence barriers have none: they are of the warp. */
static inline bool uniform_has_column(uint32_t reg) { return reg < MREG_B0; }
/* Of a register that a warp has once. What is at least known of it, that it is the same in its lanes, is not in its
 * column. */
static inline bool uniform_is_of_warp(uint32_t reg) { return reg >= MREG_UR0; }
static inline uint32_t uniform_column(const struct uniform_flow *f, uint32_t reg)
{
	const uint32_t preds = MREG_PT - MREG_P0;

	switch (mreg_file(reg)) {
	case FILE_PRED:
		return f->regs + (reg - MREG_P0);
	case FILE_UGPR:
		return f->regs + preds + (reg - MREG_UR0);
	case FILE_UPRED:
		return f->regs + preds + f->uregs + (reg - MREG_UP0);
	case FILE_GPR:
	case FILE_CBAR:
	case FILE_COUNT:
		break;
	}
	return reg;
}

static inline const struct reg_use *uniform_uses(const struct uniform_flow *f, const struct insn *i, unsigned *n)
{
	const uint32_t at = (uint32_t)(i - f->k->insn);

	*n = f->use_at[at + 1] - f->use_at[at];
	return f->use + f->use_at[at];
}

/* k: machine form, FACT_CFG, FACT_PDOM and FACT_LOOP valid. Finds in[], cap[], control[] and branch[]. */
void uniform_flow(struct uniform_flow *f, const struct kernel *k, const uint32_t block[3], struct arena *a);
/* f->now becomes what is known at the start of block b; what is known before instruction i of b, if it yields; and
 * after it. */
void uniform_enter(struct uniform_flow *f, uint32_t b);
void uniform_before(struct uniform_flow *f, uint32_t b, const struct insn *i);
void uniform_step(struct uniform_flow *f, uint32_t b, const struct insn *i);

/* passes/uniform_op.c: what instruction i, before which f->now holds, reads and what it writes. */
struct uniform_inputs {
	struct lanes all; /* of all that it reads as data: uniform, or LANES_VECTOR */
	struct lanes guard;
};
struct lanes uniform_reg(const struct uniform_flow *f, uint32_t reg);
struct uniform_inputs uniform_read(const struct uniform_flow *f, const struct insn *i);
/* Of the lower (half 0) or upper 32 bits of destination `slot`, in the lanes that write; of decoded machine code of all
 * results. */
struct lanes uniform_result(const struct uniform_flow *f, const struct insn *i, const struct uniform_inputs *in,
			    unsigned slot, unsigned half);

#endif
