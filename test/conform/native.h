#ifndef REGLOOM_CONFORM_NATIVE_H
#define REGLOOM_CONFORM_NATIVE_H

#include "analyzer/ir/ir.h"

/* HOW: "80:3", the target and ptxas's level of optimisation, which is cut at the colon; cubins are kept in FOLDER. */
bool native_set(char *how, const char *folder);
bool native_is_set(void);
/* What ptxas makes of the text for that target. NULL: *refused, it has no code for the text; or an error, told. */
struct module *native_module(const char *ptx, struct arena *a, struct diag *d, bool *refused);

#endif
