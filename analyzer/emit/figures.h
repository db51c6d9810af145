/* A compiled kernel in numbers, with the places that they come from: all that a gate or a comparison of two versions
 * needs to know. */
#ifndef REGLOOM_EMIT_FIGURES_H
#define REGLOOM_EMIT_FIGURES_H

#include "analyzer/emit/view.h"

enum figure {
#define FIGURE(id, name, unit, better, watched, what) FIGURE_##id,
#include "analyzer/emit/figures.def"
#undef FIGURE
	FIGURE_COUNT
};
#define FIGURES_ALL ((1u << FIGURE_COUNT) - 1)
enum figure_better { FIGURE_LESS, FIGURE_MORE };
struct figure_info {
	const char *name, *unit;
	enum figure_better better;
	bool watched;
	const char *what;
};
extern const struct figure_info figure_info[FIGURE_COUNT];

/* A place in a source. path: the same where the file can be read and has the line, perhaps another place that is
 * nearest; NULL: none. */
struct figure_place {
	const char *file;
	uint32_t line, col; /* as the compiler named it; NULL: not known */
	/* the column in UTF-16 code units, as SARIF counts; col: as the compiler does, in bytes */
	const char *path;
	uint32_t path_line, path_col;
	const char *text; /* of the line at `path`, without the blanks around it */
};

enum { FIGURE_WAITS = 3 };
/* Live at the peak, made and read next there, as --emit=pressure finds it: a line of the source, else an instruction,
 * "0x0120". made "": nothing does; read "": in the next turn of a loop around the peak. */
struct figure_wait {
	const char *reg, *made, *read;
};

struct kernel_figures {
	const char *name;
	bool native;                      /* decoded machine code */
	const char *code, *target, *also; /* view_code(); "sm_90a", or ""; module.also */
	bool elsewhere;                   /* it may call functions of other files */
	/* instructions of it that are taken at worst (view_open()), so that registers live are so many at most */
	uint32_t unknown;
	double value[FIGURE_COUNT];
	const char *missing[FIGURE_COUNT]; /* why there is no value; NULL: there is one */
	const char *machine;               /* whose occupancy it is */
	struct occupancy_query occupancy;  /* threads 0: the block size is not known */
	const char *limited_by, *gain;     /* what limits occupancy; what would let in one more CTA, in words */
	/* the kernel's first instruction; where most registers are live; where the value that is stored and loaded most
	 * often is so most often */
	struct figure_place start, peak, spill;
	const char *peak_at; /* of machine code: "0x00c0"; else NULL */
	const char *spilled; /* which value that is; NULL: none */
	/* at the peak: what is live and read last, latest first */
	struct figure_wait wait[FIGURE_WAITS];
	uint32_t nwait;
	struct figure_place pair;     /* where the reads are that pairs lose most by */
	const char *pair_text;        /* "R1 and R2, 64 times"; NULL: none are lost */
	struct figure_place conflict; /* where register banks cost most cycles */
	const char *conflict_text;    /* "0x0120: FFMA R0, R2, R4, R6"; NULL: nowhere */
	uint64_t conflict_bound;      /* what other register numbers leave of all, at least */
	const char *shared_text;      /* the largest variables there, "tile (2048 bytes)"; NULL: none */
};

/* Of instruction i. Strings in arena a. */
struct figure_place figure_place(struct view *v, uint32_t i, struct arena *a);
/* Facts that some figures are made of: bits of enum figure. */
unsigned figures_facts(uint32_t wanted);
/* Of v->k, in machine form with those facts: of what is not wanted and takes long values are 0. Strings in arena a; v
 * and a live as long as x is used. */
void figures_find(struct kernel_figures *x, struct view *v, const struct emit_machine *m, uint32_t wanted,
		  struct arena *a);
/* The instruction that reads both registers and executes most often; UINT32_MAX: none. */
uint32_t figure_read_together(const struct kernel *k, uint32_t ra, uint32_t rb);
/* "17", "66.7 %", "48 bytes", "1 instruction", in arena a. */
const char *figure_text(enum figure f, double value, bool unit, struct arena *a);
/* A name like "sgemm.cl:19"; "" where the place is not known. */
const char *figure_place_text(const struct figure_place *p, struct arena *a);

#endif
