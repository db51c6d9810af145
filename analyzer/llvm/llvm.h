/* LLVM IR in: text (.ll) or bitcode (.bc) becomes PTX text, for the PTX reader. The work is done by the program
 * regloom-llvm (main.c), so that nothing else of regloom loads LLVM and nothing LLVM does ends the caller's process. */
#ifndef REGLOOM_LLVM_H
#define REGLOOM_LLVM_H

#include "analyzer/base/diag.h"

struct llvm_options {
	unsigned level; /* of optimisation, 0 .. 3 */
	/* "80", "90a": the architecture to compile for; NULL: the module's own, else 52 */
	const char *sm;
};

/* Bitcode by its first bytes: 'BC' 0xC0DE, or the wrapper 0x0B17C0DE. */
bool llvm_is_bitcode(const struct source *ir);
/* Compiles IR; *ptx is named "NAME (PTX)", in arena a. False with one diagnostic: of LLVM, with line and caret where
 * the text does not parse, or that regloom-llvm is missing, ended early or took more than 600 s or 16 GiB. The
 * environment variable REGLOOM_LLVM names the program; without it, it is beside the running program or library. */
bool llvm_to_ptx(struct source *ptx, const struct source *ir, const struct llvm_options *o, struct arena *a,
		 struct diag *d);

#endif
