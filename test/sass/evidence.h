/* What the parts of test/sass/evidence share. */
#ifndef REGLOOM_TEST_SASS_EVIDENCE_H
#define REGLOOM_TEST_SASS_EVIDENCE_H

#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/lift.h"
#include "analyzer/sass/sass.h"
#include "passes/pass.h"

enum check { CHECK_BYTES, CHECK_REGISTERS, CHECK_TARGETS, CHECK_ALIGNMENT, CHECK_BARRIERS, CHECK_UNWRITTEN, CHECK_ENTRY, CHECK_PEAK, CHECK_COUNT };
extern const char *const check_name[CHECK_COUNT];

struct allow { char *check, *cubin, *kernel, *at, *insn; bool used; };

struct evidence {
	struct arena a;                 /* of the cubin at hand */
	struct diag d;
	const struct cubin *c;
	const char *name;               /* the file's, without folder */
	uint64_t found[CHECK_COUNT], bad[CHECK_COUNT];  /* all; those that nothing explains */
	uint64_t ninsn, nunknown, nunclaimed, ndeclared, nexact, ntarget, nlisted, nwide, npending, nread, nkernel;
	struct allow *allow; uint32_t nallow;
	FILE *csv;
	bool verbose, stale;
};

struct row { const char *kernel; uint32_t insns, declared, peak, unclaimed, unknown, unwritten, notes; };

/* AT: byte offset in the section of the kernel's or function's code. */
void violation(struct evidence *e, enum check check, const char *kernel, uint64_t at, const char *what);
struct sass_word word_at(const uint8_t *p);
const char *insn_where(const struct kernel *k, uint32_t i, uint64_t *at);        /* the section's name */
const char *reg_name(struct evidence *e, uint32_t r);
void row_add(struct evidence *e, const struct row *row);

void check_barriers(struct evidence *e, const struct kernel *k);
void check_unwritten(struct evidence *e, const struct kernel *k, struct row *row);        /* and what is live at entry */

/* Changes the bytes of S, a cubin, so that a check must fail. False if there is no place for that. */
bool break_cubin(struct evidence *e, struct source *s, const char *check);

#endif
