/* How a kernel's registers are divided for RegMutex: what ptx-annotate --regmutex-... says. */
#ifndef REGLOOM_REGMUTEX_OPTIONS_H
#define REGLOOM_REGMUTEX_OPTIONS_H

#include "passes/occupancy.h"

/* P(id, name, what); the first of each is the default. */
#define REGMUTEX_PLACES(P)                                                                                         \
	P(COST, "cost", "acquire and release where they cost least: regions merged, moved out of loops (default)") \
	P(PAPER, "paper", "right before and right after each region (section III-A3)")
#define REGMUTEX_LIVENESS(P)                                                              \
	P(WARP, "warp", "what the executing lanes or those that wait may read (default)") \
	P(PAPER, "paper", "what a side of a branch uses is alive on all sides until they meet (section III-A1)")

enum regmutex_place {
#define P(id, name, what) REGMUTEX_PLACE_##id,
	REGMUTEX_PLACES(P)
#undef P
		REGMUTEX_PLACE_COUNT
};
enum regmutex_liveness {
#define P(id, name, what) REGMUTEX_LIVENESS_##id,
	REGMUTEX_LIVENESS(P)
#undef P
		REGMUTEX_LIVENESS_COUNT
};
extern const char *const regmutex_place_name[REGMUTEX_PLACE_COUNT],
	*const regmutex_liveness_name[REGMUTEX_LIVENESS_COUNT];
/* By name; _COUNT if there is none. */
enum regmutex_place regmutex_place_find(const char *name);
enum regmutex_liveness regmutex_liveness_find(const char *name);

/* of search, unless it is said for how long */
enum { REGMUTEX_SECONDS = 10 };
enum { REGMUTEX_AUTO = 0, REGMUTEX_OFF = -1, REGMUTEX_PAPER = -2, REGMUTEX_MAX = 253 };
/* "auto", "paper", "off" or a number from 1 to REGMUTEX_MAX. False: text is none of them. */
bool regmutex_size_parse(const char *text, int *size);

struct regmutex_options {
	/* of the extended set: REGMUTEX_AUTO, by what progresses; REGMUTEX_PAPER, by the paper's rule; REGMUTEX_OFF; or
	 * so many registers */
	int size;
	/* that is the size of this one, and of the others REGMUTEX_AUTO; NULL: of all */
	const char *kernel;
	enum regmutex_place place;
	enum regmutex_liveness liveness;
	/* of search for the fewest MOVs in each kernel and size, about; 0: those of the heuristic */
	double exact_seconds;
	/* sets that may deadlock at barriers are not ruled out: for the deadlock report */
	bool rules_off;
	struct sm_limits sm; /* the machine that the size is chosen for */
};
#define REGMUTEX_OPTIONS_DEFAULT                               \
	{                                                      \
		.size = REGMUTEX_AUTO, .sm = SM_LIMITS_DEFAULT \
	}

#endif
