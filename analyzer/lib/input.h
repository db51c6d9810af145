/* Where PTX comes from: the input as it is, LLVM IR compiled to PTX, or one of the modules in a fatbin. */
#ifndef REGLOOM_INPUT_H
#define REGLOOM_INPUT_H

#include "analyzer/lib/annotate.h"

/* What the bytes are; a name that ends with .ll decides where they leave it open. Never INPUT_AUTO. */
enum annotate_input input_guess(const struct source *s);
/* Reads job->input. *src becomes PTX text, or, with *object true, the bytes of an object. Under job->list the contents of a
 * fatbin are written to job->output instead. False with diagnostics. */
bool input_read(struct source *src, bool *object, const struct annotate_job *job, struct arena *a, struct diag *d);

#endif
