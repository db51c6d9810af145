/* The six axes of a register-file configuration (DESIGN section 4). The pipeline (sm.c) knows a technique only through
 * these structs of function pointers; each value of an axis is one file in the folder of its axis and one row in that
 * folder's list.def. State is per SM, made by create() in the arena given. The null value of each axis is its smallest
 * valid file. A value states what it needs: annotations of the object (enum anno), record parts (enum record_want).
 *
 * The life of an operand: issue picks a warp; residency says whether the warp may issue and which physical register each
 * architected one is; hierarchy says which level serves each read; packing turns the reads that reach the main register
 * file into bank accesses, coalescing some; values says how many arrays each access activates and how many lanes execute;
 * reuse may let the instruction skip operand read and execution altogether. Writes go the same way. */
#ifndef REGLOOM_AXIS_H
#define REGLOOM_AXIS_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/record.h"
#include "runtime-model/params.h"
#include "runtime-model/stats.h"

enum { UOP_SRC_MAX = 32, UOP_DST_MAX = 16, ACCESS_MAX = 32 };

struct uop {                            /* one warp instruction in the pipeline */
	uint32_t insn;                  /* index into the kernel */
	uint16_t warp;                  /* warp slot of the SM */
	uint8_t  fu;                    /* enum fu */
	uint8_t  nsrc, ndst;            /* distinct 32-bit general registers read; written */
	uint8_t  src[UOP_SRC_MAX], dst[UOP_DST_MAX];     /* architected numbers; an operand named twice appears once */
	uint32_t active;
	const struct value_sig *sig;    /* one for each dst, if the configuration asked for signatures; else NULL */
};

struct bank_access {                    /* one access of one bank of the main register file */
	uint16_t bank;
	uint16_t entry;                 /* row of the bank */
	uint8_t  arrays;                /* byte-sliced arrays activated, of params.rf_arrays */
	uint32_t operands;              /* which of uop->src it delivers (bit i), or which dst it writes */
};

struct axis_ctx {                       /* what create() gets */
	const struct params *params;
	const struct kernel *kernel;
	struct stats *stats;            /* counters of this SM */
	struct arena *arena;
	struct diag *diag;
	unsigned warps;                 /* warp slots of the SM */
	unsigned warps_per_cta;
};

/* ---- issue: which warp issues ---- */
enum stall {                            /* why a warp could not issue in a cycle; sums to the stalled slots */
#define STALL(id, what) STALL_##id,
#include "runtime-model/stall.def"
#undef STALL
	STALL_COUNT
};

struct issue;
struct issue_ops {
	const char *name, *source;      /* --rf issue=NAME; where the rules come from */
	unsigned needs_anno, needs_record;
	struct issue *(*create)(const struct axis_ctx *cx, unsigned scheduler);
	void     (*warp_start)(struct issue *s, unsigned warp, uint64_t age);    /* age: launch order, smaller is older */
	void     (*warp_exit)(struct issue *s, unsigned warp);
	/* Writes the scheduler's warps to out in the order in which they may try this cycle; returns how many. */
	unsigned (*order)(struct issue *s, uint64_t now, uint16_t out[]);
	void     (*issued)(struct issue *s, unsigned warp, const struct uop *u, uint64_t now);
	/* The warp waits for a value of a long-latency operation (two-level scheduling suspends it). */
	void     (*waits_long)(struct issue *s, unsigned warp, uint64_t now);
};

/* ---- residency: which physical registers a warp holds, when ---- */
struct residency;
struct residency_ops {
	const char *name, *source;
	unsigned needs_anno, needs_record;
	struct residency *(*create)(const struct axis_ctx *cx);
	/* CTAs that the register file admits at once; 0: the kernel does not fit. */
	unsigned (*max_ctas)(const struct params *p, const struct kernel *k, unsigned warps_per_cta);
	bool     (*cta_start)(struct residency *r, unsigned first_warp, unsigned nwarp);         /* false: no room now */
	void     (*warp_exit)(struct residency *r, unsigned warp);
	/* May u issue now? False with *why: nothing is taken. True: whatever it needs is taken. */
	bool     (*issue)(struct residency *r, const struct uop *u, enum stall *why);
	/* Physical register of an architected one: index over the SM's warp registers (1024 of 32 lanes in 128 KB). */
	unsigned (*map)(struct residency *r, unsigned warp, unsigned reg);
	void     (*read_done)(struct residency *r, const struct uop *u);         /* operands have been read: release points */
};

/* ---- packing: which bytes of which entry hold a register; which reads coalesce ---- */
struct packing;
struct packing_ops {
	const char *name, *source;
	unsigned needs_anno, needs_record;
	struct packing *(*create)(const struct axis_ctx *cx);
	/* Bank accesses that deliver the sources in `operands` (bit i: u->src[i]); phys[i]: their physical registers. */
	unsigned (*read)(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[], struct bank_access out[]);
	unsigned (*write)(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys, struct bank_access out[]);
	void     (*warp_exit)(struct packing *pk, unsigned warp);
};

/* ---- hierarchy: which level an operand is read from or written to ---- */
struct hierarchy;
struct hierarchy_ops {
	const char *name, *source;
	unsigned needs_anno, needs_record;
	struct hierarchy *(*create)(const struct axis_ctx *cx);
	uint32_t (*read)(struct hierarchy *h, const struct uop *u);      /* sources that the main register file must deliver */
	uint32_t (*write)(struct hierarchy *h, const struct uop *u);     /* destinations that go to the main register file */
	void     (*suspend)(struct hierarchy *h, unsigned warp);
	void     (*warp_exit)(struct hierarchy *h, unsigned warp);
};

/* ---- values: how many arrays an access activates; how many lanes execute ---- */
struct values;
struct values_ops {
	const char *name, *source;
	unsigned needs_anno, needs_record;
	struct values *(*create)(const struct axis_ctx *cx);
	void     (*read)(struct values *v, const struct uop *u, struct bank_access *a);
	void     (*write)(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a);
	unsigned (*lanes)(struct values *v, const struct uop *u);        /* lanes that execute, 0..32 */
	unsigned extra_cycles;          /* pipeline depth that it adds */
	void     (*warp_exit)(struct values *v, unsigned warp);
};

/* ---- reuse: which instructions skip the back end ---- */
enum reuse_verdict { REUSE_MISS, REUSE_HIT, REUSE_WAIT };
struct reuse;
struct reuse_ops {
	const char *name, *source;
	unsigned needs_anno, needs_record;
	struct reuse *(*create)(const struct axis_ctx *cx);
	enum reuse_verdict (*lookup)(struct reuse *r, const struct uop *u);
	void     (*retire)(struct reuse *r, const struct uop *u);        /* u wrote its results */
	unsigned extra_cycles;
	void     (*warp_exit)(struct reuse *r, unsigned warp);
};

/* ---- a configuration ---- */
struct rf_config {                      /* one value on each axis, as --rf names it */
	const struct issue_ops *issue;
	const struct residency_ops *residency;
	const struct packing_ops *packing;
	const struct hierarchy_ops *hierarchy;
	const struct values_ops *values;
	const struct reuse_ops *reuse;
};

/* Parses "baseline", "baseline,issue=lrr", "issue=gto,packing=none": a preset and axis=value pairs. Refuses unknown names
 * and meaningless combinations with one line that says why. False with a diagnostic. */
bool rf_config_parse(struct rf_config *c, const char *text, struct diag *d);
char *rf_config_name(const struct rf_config *c, struct arena *a);        /* the shortest text that parses to c */
/* Checks that k carries what c needs (annotations `have`: enum anno). False with a diagnostic. */
bool rf_config_check(const struct rf_config *c, unsigned have, const char *object, struct diag *d);
unsigned rf_config_records(const struct rf_config *c);                   /* enum record_want */
void rf_config_list(FILE *f);                                            /* for sm-model list */

#endif
