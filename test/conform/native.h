#ifndef REGLOOM_CONFORM_NATIVE_H
#define REGLOOM_CONFORM_NATIVE_H

#include "test/conform/conform.h"

/* HOW: "80:3", the target and ptxas's level of optimisation, which is cut at the colon; cubins are kept in FOLDER. */
bool native_set(char *how, const char *folder);
bool native_is_set(void);
unsigned native_sm(void); /* 75 */
/* What ptxas makes of the text for that target. NULL: *refused, it has no code for the text; or an error, told. */
struct module *native_module(const char *ptx, struct arena *a, struct diag *d, bool *refused);
/* Has ptxas refused the last text? */
bool native_refused(void);

/* ---- differs.c: where ptxas's code rightly differs from the oracles ---- */
/* One execution of the trial gave `got`, not t->want. */
bool native_differs(const struct trial *t, const uint64_t got[2]);
bool native_may_differ(const char *text); /* some executions of this text, for some target */
/* The products of matrices with this mnemonic are sums in an order of their own. */
bool native_sums_differ(const char *mnemonic);
/* Prints those that nothing has met. Their number. */
unsigned native_unmet(void);

#endif
