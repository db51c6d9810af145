/* PTX in, and annotated PTX out. */
#ifndef REGLOOM_PTX_H
#define REGLOOM_PTX_H

#include "analyzer/ir/ir.h"

/* Parses a whole PTX module into virtual form, width-consistent (a register used at another width than its own gets an
 * explicit cvt), laid out (ir_layout) and verified. Reports up to DIAG_MAX errors; NULL if there was any. SRC must
 * outlive the module. Memory in arena a. */
struct module *ptx_parse(const struct source *src, struct arena *a, struct diag *d);
/* The same for the kernels that `named` says `kernel` stands for: the bodies of others are passed over, whatever is in
 * them, but for the functions whose addresses they take. What is at module level is the same, in the same order,
 * whichever kernels are read. NULL for `kernel`: all. */
typedef bool kernel_named(const char *symbol, const char *kernel);
struct module *ptx_parse_kernel(const struct source *src, const char *kernel, kernel_named *named, struct arena *a,
				struct diag *d);

/* The input text with .pragma "regloom ..." lines and comments added: ptxas warns of the unknown pragma and makes the
 * same machine code. m as parsed; machine[i]: the compiled twin of m->kernel[i], with
 * FACT_CORF valid; what FACT_ORF says is in it where that is valid. */
bool ptx_write_annotated(FILE *f, const struct module *m, struct kernel *const machine[]);

/* Every supported mnemonic by chapter, and what is refused with its reason: a list for people. */
void ptx_print_isa(FILE *f);

#endif
