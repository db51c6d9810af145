/* Repeated computations of a run, in the order in which an SM issues (Kim and Ro, HPCA 2018, section III): which warp
 * instructions compute what one of the last thousand has computed, and why. What is found is a matter of values, not of
 * any hardware; the same under every register file that issues in the same order. docs/WIR_REPEATS.md#why-it-repeats.
 *
 * A computation is an operation (opcode, modifiers, immediates, lanes) with the values of its sources, all lanes of
 * each. Registers are known by the hash of their last write; predicates, of which no hash tells, by the computation
 * that wrote them. Where something else goes in, memory or a special register, results must be alike too. Control flow,
 * barriers, fences, stores, atomics and whatever has no result never count as repeated. */
#ifndef REGLOOM_REPEAT_H
#define REGLOOM_REPEAT_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/record.h"

enum repeat_why {
#define REPEAT(id, name, what, remedy) REPEAT_##id,
#include "runtime-model/repeat/why.def"
#undef REPEAT
	REPEAT_WHYS,
	REPEAT_NOT = REPEAT_WHYS /* it does not repeat */
};
struct repeat_text {
	const char *name, *what, *remedy;
};
extern const struct repeat_text repeat_text[REPEAT_WHYS];

/* The window: so many instructions before this one. Often: more than so many times there, this one included. */
enum { REPEAT_WINDOW = 1000, REPEAT_OFTEN = 10 };

/* counters alone */
struct repeat_counts {
	uint64_t issued, repeated, often; /* warp instructions; often: of the repeated */
	uint64_t why[REPEAT_WHYS];        /* of the repeated */
};
_Static_assert(sizeof(struct repeat_counts) % sizeof(uint64_t) == 0, "counters and nothing else");
void repeat_add(struct repeat_counts *sum, const struct repeat_counts *x);

/* The same as the paper samples it: windows of a thousand that do not overlap. A computation that occurs n > 1 times in
 * one counts n - 1 times; `first` counts those left out, one for each such computation. */
struct repeat_samples {
	uint64_t repeated, often, first;
};
void repeat_add_samples(struct repeat_samples *sum, const struct repeat_samples *x);

struct repeat_code;
struct repeat;                                                              /* an SM */
struct repeat_code *repeat_decode(const struct kernel *k, struct arena *a); /* k in machine form */
struct repeat *repeat_new(const struct repeat_code *c, unsigned warps, struct arena *a);
void repeat_begin(struct repeat *r); /* a launch: as new */
/* The warps of a CTA of so many threads begin, from slot `first` on. */
void repeat_start(struct repeat *r, unsigned first, unsigned threads, uint64_t cta);
/* A warp instruction has issued, number `at` of its SM in the launch; the latest in the window that was the same
 * computation. */
struct repeat_found {
	enum repeat_why why;
	uint64_t at, equal;
};
/* It issues; sig: of its destinations, as records have them; NULL if no lane is active. Counts it in *n. */
struct repeat_found repeat_step(struct repeat *r, unsigned warp, uint32_t insn, uint32_t active,
				const struct value_sig *sig, struct repeat_counts *n);
const struct repeat_samples *repeat_samples(const struct repeat *r); /* since repeat_new() */

#endif
