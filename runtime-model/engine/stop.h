/* Stopping a run before its end, without losing what it has found out. */
#ifndef REGLOOM_STOP_H
#define REGLOOM_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why something stopped before its end; it did not fail. */
enum stop { STOP_NOT, STOP_ASKED, STOP_INSNS, STOP_CYCLES };

enum { WHERE_BYTES = 2000 };
/* a launch that did */
struct stopped {
	enum stop why;
	uint64_t ctas_done, ctas;
	/* its first warps stand: "\n" and a line for each, as many as there is room for */
	char where[WHERE_BYTES];
};

/* A flag that anybody may raise at any time, a signal handler or another thread: an int that is 0 until then. NULL:
 * nobody will. */
typedef const volatile int *stop_flag;

static inline bool stop_asked(stop_flag f) { return f != NULL && __atomic_load_n(f, __ATOMIC_RELAXED) != 0; }

#endif
