/* How alike the values of a warp's lanes are, and which instructions fewer lanes could execute: the measurements of
 * G-Scalar (Liu et al., HPCA 2017, Figures 1, 8, 9 and 10, section 5.3), of an execution without timing. The rules are
 * those of the register file that is timed (encode.h), so that `values=g-scalar` counts the same; for warps of 64 lanes
 * the same rules in four parts of 16 lanes (wide.c). docs/SIMILARITY.md. */
#ifndef REGLOOM_SIMILAR_H
#define REGLOOM_SIMILAR_H

#include "runtime-model/core/encode.h"
#include "runtime-model/engine/engine.h"
#include "runtime-model/similar/join.h"

#include <jansson.h>
#include <stdio.h>

/* How registers are stored: as bytes that all lanes of 16 share, of all lanes of a warp, or as differences from lane 0
 * (Warped-Compression). */
enum similar_scheme { STORED_HALVES, STORED_WHOLE, STORED_BDI, STORED_SCHEMES };
/* By all lanes for themselves; by one lane; by one for each part of 16 lanes that is alike, or for some of them; by one
 * for the active ones. */
enum similar_how { SIMILAR_VECTOR, SIMILAR_SCALAR, SIMILAR_PARTS, SIMILAR_DIVERGENT, SIMILAR_HOWS };

/* of one instruction, sums over the warps that issue it; counters alone */
struct similar_insn {
	uint64_t issued, idle; /* times; of these, without an active lane */
	uint64_t divergent;
	uint64_t how[SIMILAR_HOWS]; /* of issued */
	uint64_t lanes, needed;     /* active; those that would execute */
	/* general registers: of instructions with all lanes, or none, by bytes that the lanes share, 0 too for those
	 * that are a vector otherwise; of others */
	uint64_t read[SAME_ALL + 1], read_divergent;
	uint64_t writes, stored[STORED_SCHEMES]; /* of registers; the bytes that they take */
	/* of compressed registers that it writes in part, all; where nothing reads the other lanes again */
	uint64_t moves[STORED_SCHEMES], elided[STORED_SCHEMES];
	/* in launches that the object's proofs are of: SIMILAR_SCALAR; SIMILAR_DIVERGENT */
	uint64_t found[2];
	/* in these, times issued with an active lane where the object proves that its inputs are the same: all lanes,
	 * some */
	uint64_t proven[2];
	uint64_t both[2]; /* of proven, found */
};
void similar_add(struct similar_insn *sum, const struct similar_insn *x);

struct similar_code; /* a kernel, decoded */
struct similar_kernel {
	const struct kernel *k;
	struct similar_insn *insn; /* by instruction */
	uint32_t ninsn;
	/* values that were held against a proof; launches that no proof is of, as it is of blocks of another size */
	uint64_t compared, apart;
	/* Lanes of instructions that no warp of 64 lanes has: from where lanes of one of its halves wait for each
	 * other. */
	uint64_t left_out;
};
struct similar_kernel similar_kernel_new(const struct kernel *k, struct arena *a);
/* Of all instructions of a class; class SCALAR_CLASSES: of all. */
enum { SCALAR_CLASSES = SCALAR_MEM + 1 };
struct similar_insn similar_sum(const struct similar_kernel *s, unsigned class);

/* ---- warp.c, wide.c: one warp at a time ---- */
/* k in machine form, in arena a. */
struct similar_code *similar_decode(const struct kernel *k, struct arena *a);
struct similar_warp;
struct similar_warp *similar_warp_new(const struct similar_code *c, struct arena *a); /* has begun, with 32 threads */
/* In the place of one that has come to its end, or of nobody; missing: its lanes that have no thread. */
void similar_warp_begin(struct similar_warp *w, uint32_t missing);
/* It issues an instruction; sums are added to insn[]. False: the rules say that fewer lanes can execute it, and its
 * results in them differ: a bug. r has signatures. */
bool similar_step(struct similar_warp *w, const struct record *r, struct similar_insn *insn);
struct similar_wide;
struct similar_wide *similar_wide_new(const struct similar_code *c, struct arena *a);
void similar_wide_begin(struct similar_wide *w, uint64_t missing);
bool similar_wide_step(struct similar_wide *w, const struct joined *x, struct similar_insn *insn);

/* ---- launch.c ---- */
struct similar_options {
	unsigned lanes; /* of a warp: 32 or 64 */
	/* compare all that the object proves with the values seen; else, of what is written, levels of a warp and
	 * strides */
	bool proofs;
	stop_flag stop;
	uint64_t max_insns;                                           /* stops after so many records; 0: no limit */
	void (*progress)(void *ctx, const struct engine_progress *p); /* often; or NULL */
	void *progress_ctx;
};
/* What e's records must have. */
unsigned similar_wants(const struct similar_options *o);
/* Reads all records of e, which executes launch l of s->k, in machine form, and has no other consumer. *n: what was
 * read. False with a diagnostic: e failed, a value contradicts a proof, or a rule was broken (*bug). */
bool similar_launch(struct engine *e, const struct launch *l, const struct similar_options *o, struct similar_kernel *s,
		    struct engine_counts *n, struct stopped *stopped, bool *bug, struct diag *d);

/* ---- report.c, lines.c ---- */
/* n kernels together */
void similar_print(FILE *f, const struct similar_kernel *s, unsigned n, unsigned lanes);
/* docs/values.schema.json; a new reference, NULL if out of memory */
json_t *similar_json(const struct similar_kernel *s, unsigned n, unsigned lanes);
/* by source line, what a scalar unit saves most first */
void similar_print_lines(FILE *f, const struct module *m, const struct similar_kernel *s);
void similar_print_legend(FILE *f); /* of its columns */
json_t *similar_lines_json(const struct module *m, const struct similar_kernel *s);

#endif
