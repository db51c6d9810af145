/* RegMutex: warps share the upper registers of a kernel in turn. Khorasani, Asghari Esfeden, Farmahini-Farahani,
 * Jayasena, Sarkar, "RegMutex: Inter-Warp GPU Register Time-Sharing", ISCA 2018, sections III-A and III-C;
 * docs/REGMUTEX.md, REGMUTEX_CODE.md.
 *
 * A thread's registers R0 .. R(base - 1) are the base set, R(base) .. R(n - 1) the extended set: n is what the kernel
 * uses, rounded up to the machine's granule. A warp has the first for itself and the second while it holds one of the
 * SM's sections. Predicates play no part. k->regmutex, on the plain kernel, says what was decided; k->variant is the
 * kernel with acquire and release. */
#ifndef REGLOOM_REGMUTEX_H
#define REGLOOM_REGMUTEX_H

#include "passes/pass.h"

/* why there is a variant, or none */
enum regmutex_reason {
	REGMUTEX_CHOSEN,       /* the size was chosen */
	REGMUTEX_GIVEN,        /* the size was given */
	REGMUTEX_NO_CANDIDATE, /* too few registers to divide */
	REGMUTEX_NO_GAIN,      /* no candidate lets more warps in */
	REGMUTEX_NOT_LEGAL,    /* those that would may deadlock, or values have no place */
	REGMUTEX_HELD,         /* those that would hold the extended set so long that fewer warps progress */
	REGMUTEX_REASON_COUNT
};
extern const char *const regmutex_reason_text[REGMUTEX_REASON_COUNT];

/* is a size legal? */
enum regmutex_why {
	SIZE_LEGAL,
	SIZE_NO_SECTION, /* rule 1: no room for one extended set beside the base sets of one CTA */
	/* rule 2: more registers are alive than the base set has where a warp waits for others */
	SIZE_WAITS,
	SIZE_COMPACT, /* values have no place in the base set where it is not held */
	/* it was not found out in so many steps whether they have: the code is too large */
	SIZE_WORK,
	/* calls take warps to places where they may be in either state: check_regmutex() says */
	SIZE_CALLS,
	SIZE_WHY_COUNT
};
extern const char *const regmutex_why_text[SIZE_WHY_COUNT];

struct regmutex_size {
	uint32_t extended, base;
	uint32_t ctas, warps; /* of an SM, by base sets and one section, and by all that is not registers */
	uint32_t sections;    /* then */
	uint32_t paired_ctas, paired_warps; /* of an SM with paired warps */
	/* warps that progress at a time, in parts of REGMUTEX_PROGRESS; of a size that was not made at most; 0: not
	 * known */
	uint32_t progress;
	enum regmutex_why why;
	/* SIZE_WAITS, SIZE_COMPACT, SIZE_WORK: the instruction of the plain kernel, and the registers that it needs;
	 * REGMUTEX_NONE, 0: found in the variant */
	uint32_t at, needs;
};

#define REGMUTEX_NONE UINT32_MAX
enum { REGMUTEX_PROGRESS = 100 };
/* for other warps: at this instruction; in this loop */
enum regmutex_wait { WAIT_NONE, WAIT_BARRIER, WAIT_SPIN };
/* registers that a warp needs */
struct regmutex_needs {
	uint32_t most; /* at any instruction */
	/* where it waits for other warps, so in the base set (rule 2), and that instruction; 0 and REGMUTEX_NONE */
	uint32_t waiting, at;
	enum regmutex_wait wait; /* how it waits there */
};
/* Of decoded machine code: acquire or release before instruction `at`; from: only by lanes that come to it from that
 * instruction, over an edge; REGMUTEX_NONE: whichever way they came. */
struct regmutex_point {
	uint32_t at, from;
	bool acquire;
};
struct regmutex {
	uint32_t regs, asked; /* n, and what the kernel asks for */
	struct sm_limits sm;
	/* threads 0: not known, then CTAs are one warp and only registers and warp slots limit them */
	struct occupancy_cta cta;
	uint32_t ctas, warps;       /* of the plain kernel on an SM */
	enum occupancy_limit limit; /* of them */
	enum regmutex_reason reason;
	uint32_t base, extended; /* extended 0: no variant, and then base is n */
	/* candidates, small extended sets first; or the one that was given */
	struct regmutex_size *size;
	uint32_t nsize;
	uint32_t chosen; /* index in size, or REGMUTEX_NONE */
	struct regmutex_needs needs;
	bool rules_off;
	bool even; /* the candidates were all even sizes, not the paper's */
	/* Of the variant, when it is made (regmutex_make()): instructions, and these weighted by k->freq. */
	uint32_t acquires, releases, moves;
	uint64_t acquires_weighted, releases_weighted, moves_weighted;
	/* Instructions of the variant that may execute with the extended set held, and those weighted; all of the
	 * variant's, and of the plain kernel's, by the same estimates. */
	uint32_t held;
	uint64_t held_weighted, all_weighted, plain_weighted;
	/* Of decoded machine code, which has no variant: where they would stand, ascending, and by instruction whether
	 * the set is held. */
	struct regmutex_point *point;
	uint32_t npoint;
	uint8_t *hold;
};

/* ---- passes/regmutex_demand.c ---- */
/* Registers that a warp occupies while instruction i executes: live before or after it, written, or, by way of `how`,
 * alive because of other lanes. Of decoded machine code, whose values stay where they are, the highest of these and all
 * below it. demand: k->ninsn of them. k: machine form; FACT_CFG | FACT_LIVE | FACT_WLIVE, and FACT_DLIVE for the
 * paper's way. */
void regmutex_demand(const struct kernel *k, enum regmutex_liveness how, uint16_t *demand);

/* ---- passes/regmutex_points.c ---- */
/* Whether k->regmutex's points and hold are right for k, decoded machine code: the set is held wherever it is named or
 * alive, and each change of that has its point; beyond that check_regmutex() says. False with a diagnostic. */
bool regmutex_points_right(struct kernel *k, struct pass_ctx *cx);

/* ---- passes/regmutex_waits.c ---- */
/* Where a warp waits for other warps, and so must not hold the extended set: wait[i], an enum regmutex_wait, of
 * k->ninsn. k: machine form, FACT_CFG | FACT_PDOM | FACT_LOOP. */
void regmutex_waits(const struct kernel *k, struct arena *a, uint8_t *wait);

/* ---- passes/regmutex_size.c ---- */
/* By regmutex_demand() and regmutex_waits(), with the facts that they want. */
void regmutex_find_needs(const struct kernel *k, enum regmutex_liveness how, struct regmutex_needs *out);
/* What is decided before a variant is made: k->regmutex new, in the kernel's arena, with candidates, what is legal of
 * them by rules 1 and 2, and the choice. False with a diagnostic: a size that was given is not legal. */
bool regmutex_decide(struct kernel *k, struct pass_ctx *cx);
/* The chosen size turned out not to be legal: takes the next best, or none. False with a diagnostic: it was given. */
bool regmutex_drop(struct kernel *k, enum regmutex_why why, uint32_t at, uint32_t needs, struct pass_ctx *cx);
/* The same decision for another machine or CTA, apart from k->regmutex: *out, its sizes in arena a. No size is
 * given; even: the candidates are all even sizes, not the paper's. */
void regmutex_examine(const struct kernel *k, const struct regmutex_needs *needs, const struct sm_limits *sm,
		      struct occupancy_cta cta, bool rules_off, bool even, struct regmutex *out, struct arena *a);
/* Chooses of r->size[], and says why: of the legal ones that let most warps in, if those are more than the plain
 * kernel's, the smallest extended set of which more than half of the warps find a section, else the one with most
 * sections, of equals the smallest. */
void regmutex_choose(struct regmutex *r);
/* The plain kernel in such CTAs, as for struct regmutex.cta. */
struct occupancy_query regmutex_query(const struct kernel *k, const struct sm_limits *sm, struct occupancy_cta cta);

/* ---- passes/regmutex.c, regmutex_insert.c ---- */
/* held[i] of k->ninsn: the warp may hold the extended set when it comes to instruction i. k: a variant, FACT_CFG. */
void regmutex_held(const struct kernel *k, struct arena *a, uint8_t *held);
/* need[i]: it must, see docs/REGMUTEX_CODE.md. k: FACT_CFG | FACT_LIVE | FACT_WLIVE. */
void regmutex_required(const struct kernel *k, struct arena *a, uint8_t *need);
/* Oracle (check_regmutex.c): wherever the warp may be without the extended set, nothing of it is named or alive; and,
 * by RULES, where it waits for others it is without. *all: it went through every state; or NULL. k: a variant;
 * FACT_CFG, FACT_PDOM, FACT_LIVE, FACT_LOOP. */
/* (instructions + blocks) * MREG_ALL: larger kernels are accepted unseen */
enum { CHECK_REGMUTEX_MAX = 4 << 20 };
bool check_regmutex(const struct kernel *k, bool rules, bool *all, struct diag *d);

#endif
