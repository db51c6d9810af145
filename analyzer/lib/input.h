/* Where code comes from: the input as it is, LLVM IR compiled to PTX, or one of the modules in a fatbin. */
#ifndef REGLOOM_INPUT_H
#define REGLOOM_INPUT_H

#include "analyzer/lib/annotate.h"

/* What the bytes are; a name that ends with .ll decides where they leave it open. Never INPUT_AUTO. */
enum annotate_input input_guess(const struct source *s);
/* Reads job->input. *src becomes what *kind says: INPUT_PTX text, or the bytes of an object (INPUT_OBJECT) or of a
 * cubin (INPUT_CUBIN). Under job->list the contents of a fatbin or cubin are written to job->output instead. False with
 * diagnostics. */
bool input_read(struct source *src, enum annotate_input *kind, const char **also, const struct annotate_job *job,
		struct arena *a, struct diag *d);

#endif
