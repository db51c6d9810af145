/* The sweep itself: which points are still to be timed, in which units, what became of each, and how far it is. */
#ifndef REGLOOM_SWEEP_FRONT_H
#define REGLOOM_SWEEP_FRONT_H

#include "runtime-model/sweep/sweep.h"

#include <time.h>

enum front_engine { ENGINE_LOCAL, ENGINE_SLURM, ENGINE_PARALLEL, ENGINES };

/* base.unit, .rows, .err, .exit */
struct unit {
	unsigned *point, n;
	char *base;
	bool ended;
};

struct front {
	struct sweep *w;
	const struct points *p;
	struct journal *j;
	enum front_engine engine;
	unsigned jobs; /* units at once; 0: one for each processor, slurm: as many as there are */
	/* The option that says how much memory a unit may have; NULL: a share of the machine that runs it. */
	const char *memory;
	unsigned from, to;  /* points to run, [from, to) */
	const char *folder; /* OUT.d, an absolute path */
	const char *name;   /* of this sweep's files in it, of no other's */
	bool quiet, terminal;
	volatile const int *stop;
	struct arena *a;
	struct diag *d;
	/* ---- as it goes on ---- */
	unsigned *tries;     /* of a point, alone */
	const char **why;    /* it failed last */
	unsigned todo, done; /* points: to be timed when it began; of these done, failures included */
	struct timespec began, drawn;
	bool broken; /* the journal cannot be written */
	bool shown;
};

/* Has every point of [from, to) timed that has no result, each failed one again. False with a diagnostic: it could not
 * go on; also if it was asked to stop. */
bool front_run(struct front *f);

/* ---- for engines ---- */
/* The unit has ended by itself: status as waitpid() gives it; < 0: nobody knows how. Takes over its rows. */
void front_ended(struct front *f, struct unit *u, int status);
/* A status from an exit code as a shell gives it: 128 + n for signal n. */
int front_shell_status(int code);
void front_progress(struct front *f);
static inline bool front_stopped(const struct front *f) { return *f->stop || f->broken; }

/* Run units, calling front_ended() for each; return when all have ended or front_stopped(), leaving none at work. False
 * with a diagnostic. */
bool local_run(struct front *f, struct unit *u, unsigned n);
bool slurm_run(struct front *f, struct unit *u, unsigned n);
bool parallel_run(struct front *f, struct unit *u, unsigned n);
/* Forgets the jobs of a sweep that was killed; cancels: and takes them from the queue. */
void slurm_forget(struct front *f, bool cancels);
/* A shell script that runs the unit whose base is that of u without its number, and $1 behind it, and keeps its
 * messages and exit code. */
bool front_script(struct front *f, const char *path, const struct unit *u, const char *head);
const char *front_quote(const char *word, struct arena *a); /* as one word of a shell */
/* Tells front_ended() of a unit that such a script has ended. */
void front_look(struct front *f, struct unit *u);

#endif
