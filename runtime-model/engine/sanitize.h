/* The inside of the sanitizer. Where engine.sanitizing is NULL nothing of it is called. */
#ifndef REGLOOM_SANITIZE_H
#define REGLOOM_SANITIZE_H

#include "runtime-model/engine/core.h"
#include "runtime-model/engine/sanitizer.h"

/* of a launch */
struct sanitizing {
	struct sanitizer *s;
	struct finding **found; /* [kind][instruction] */
	/* sanitize_race.c */
	uint32_t launch, time;
	uint32_t *released; /* by CTA: time of its last release */
	bool lockstep;      /* lanes of a warp need not be compared */
};

/* of a CTA in flight */
struct shadow {
	unsigned char *unwritten; /* of shared memory, a bit for each byte; of local memory: */
	unsigned char *local;     /* [warp][lane] */
	struct race_word *word;   /* of shared memory */
	uint32_t acquired;        /* time of the CTA's last acquire */
	uint32_t *known;          /* [warp][warp]: time up to which the first knows what the second did */
	uint32_t *object, *gone;  /* [warp]: what was released to all; what warps that have exited knew */
	uint32_t *arrived;        /* [barrier][warp] */
};

/* An access of one lane. */
struct touch {
	struct engine *e;
	struct cta *c;
	struct warp *w;
	uint32_t insn;
	unsigned lane;
	struct memory_place p;
	uint64_t addr; /* as the program has it */
	uint32_t bytes;
	bool read, write;
	bool strong; /* atomic, volatile, relaxed and so on */
	bool silent; /* it writes what was there */
	bool cas;    /* compares first: a read before it may be a guess */
	bool object; /* on an mbarrier object */
};

/* ---- sanitizer.c ---- */
bool sanitizer_looks(const struct sanitizer *s, enum sanitize kind); /* for such findings */
bool sanitizes(const struct engine *e, enum sanitize kind);
/* Counts a finding. True: it is to be told. */
bool sanitize_first(struct engine *e, enum sanitize kind, uint32_t insn);
/* Tells it, as fault_in(). */
void sanitize_tell(const struct touch *t, enum sanitize kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "4 bytes of shared memory at offset 0x10, 16 bytes into tile", in the engine's arena. */
const char *sanitize_place(const struct touch *t);

/* The variable of shared or local memory that holds byte `at`; NULL: none is known. */
const struct symbol *sanitize_variable(const struct engine *e, enum space s, uint64_t at);

/* ---- sanitize_init.c, sanitize_race.c ---- */
void init_cta(struct engine *e, struct shadow *x, bool fresh);
void init_access(const struct touch *t);
void race_begin(struct engine *e, struct sanitizing *z);
void race_cta(struct engine *e, struct shadow *x, bool fresh);
void race_access(const struct touch *t);
void race_forget(struct allocation *al, uint64_t at, uint64_t bytes); /* what was done to memory that is given anew */

#endif
