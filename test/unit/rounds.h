/* How many of n random cases a loop test takes: all, or every fifth of them where QUICK is set, as it is under
 * sanitizers. */
#ifndef REGLOOM_TEST_ROUNDS_H
#define REGLOOM_TEST_ROUNDS_H

#include <stdlib.h>

static inline int rounds(int n) { return getenv("QUICK") ? (n + 4) / 5 : n; }

#endif
