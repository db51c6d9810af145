/* What the parts of test/sass/evidence share. */
#ifndef REGLOOM_TEST_SASS_EVIDENCE_H
#define REGLOOM_TEST_SASS_EVIDENCE_H

#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/lift.h"
#include "analyzer/sass/sass.h"
#include "passes/pass.h"

enum check {
	CHECK_BYTES,
	CHECK_REGISTERS,
	CHECK_TARGETS,
	CHECK_ALIGNMENT,
	CHECK_BARRIERS,
	CHECK_STALLS,
	CHECK_UNWRITTEN,
	CHECK_ENTRY,
	CHECK_PEAK,
	CHECK_DEAD,
	CHECK_ENTERED,
	CHECK_COUNT
};
extern const char *const check_name[CHECK_COUNT];

/* Instructions of a row that have a field set which is not understood, or whose operands are not certain: `what` says
 * which. */
/* lo, hi: SMs */
struct open {
	const char *mnemonic, *what;
	unsigned base, form, lo, hi;
	uint64_t n;
};

/* An operand whose reads were left out: in how many kernels, and in how many of them the check of dead results says
 * so. */
struct forgotten {
	const char *mnemonic, *operand;
	uint32_t kernels, noticed;
	bool here;
};

struct allow {
	char *check, *cubin, *kernel, *at, *insn;
	bool used;
};

struct evidence {
	struct arena a; /* of the cubin at hand */
	struct diag d;
	const struct cubin *c;
	const char *name;                              /* the file's, without folder */
	uint64_t found[CHECK_COUNT], bad[CHECK_COUNT]; /* all; those that nothing explains */
	uint64_t ninsn, nunknown, nunclaimed, ndeclared, nexact, ntarget, nlisted, nwide, npending, nread, nkernel,
		nresult, nfunction, nkept, nvague, nunsure, nstall;
	struct open *open;
	uint32_t nopen;
	struct forgotten *forgotten;
	uint32_t nforgotten;
	struct allow *allow;
	uint32_t nallow;
	FILE *csv;
	struct gaps *gaps; /* NULL: none was seen */
	bool verbose, stale, list_open, list_gaps, forget, quiet;
};

struct row {
	const char *kernel;
	uint32_t insns, declared, peak, unclaimed, unknown, unwritten, notes;
};

/* AT: byte offset in the section of the kernel's or function's code. */
void violation(struct evidence *e, enum check check, const char *kernel, uint64_t at, const char *what);
struct sass_word word_at(const uint8_t *p);
struct sass_word insn_word(const struct kernel *k, uint32_t i);
const char *insn_where(const struct kernel *k, uint32_t i, uint64_t *at); /* the section's name */
const char *reg_name(struct evidence *e, uint32_t r);
void row_add(struct evidence *e, const struct row *row);

void check_barriers(struct evidence *e, const struct kernel *k);
void check_stalls(struct evidence *e, const struct kernel *k);
void print_gaps(const struct evidence *e);
/* and what is live at entry */
void check_unwritten(struct evidence *e, const struct kernel *k, struct row *row);
void check_dead(struct evidence *e, const struct kernel *k);

void note_open(struct evidence *e, const struct sass_insn *i);
void print_open(struct evidence *e);
void forget_reads(struct evidence *e, struct kernel *k, struct pass_ctx *cx); /* changes k's facts */
void print_forgotten(struct evidence *e);

/* Changes the bytes of S, a cubin, so that a check must fail. False if there is no place for that. */
bool break_cubin(struct evidence *e, struct source *s, const char *check);

#endif
