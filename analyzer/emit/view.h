/* What all views of a kernel share: what is live and occupied at each instruction, names, and source text. */
#ifndef REGLOOM_EMIT_VIEW_H
#define REGLOOM_EMIT_VIEW_H

#include "analyzer/emit/emit.h"
#include "analyzer/sass/banks.h"
#include "analyzer/sass/sass.h"
#include "passes/corf.h"
#include "passes/orf.h"
#include "passes/pass.h"

#include <jansson.h>

/* regs: 32-bit registers; uregs, upreds: of decoded machine code */
struct view_counts {
	uint32_t regs, preds, uregs, upreds;
};

struct view_source; /* the lines of one source file */

struct view {
	const struct module *m;
	const struct kernel *k;
	struct arena a;
	uint32_t named[FILE_COUNT];      /* machine form: highest register of each file that the code names, + 1; */
	uint32_t named_from[FILE_COUNT]; /* and the lowest, if there is one */
	uint32_t words;                  /* of one set */
	uint64_t *before;                /* live before instruction i: before + i * words */
	uint64_t *after;
	struct view_counts *live;     /* before each instruction */
	struct view_counts *occupied; /* live before or after, or written: the non-blank columns of the listing */
	struct view_counts most;      /* of live; equal to k->live->max_live32, max_livep, max_liveu and max_liveup */
	uint32_t most_at, most_uregs_at; /* the first instruction before which most.regs, most.uregs are live */
	uint32_t *spill_of;              /* by instruction: index into k->spill + 1, 0: none */
	struct view_source *source;      /* by m->file, then the module's own text; indexed when first asked for */
};

/* What the code of kernel k is: "machine code for sm_90a", "PTX for sm_50" (of objects as well). In arena a. */
const char *view_code(const struct module *m, const struct kernel *k, struct arena *a);
/* Fills v for k. cost: instructions x register words of memory. */
void view_init(struct view *v, const struct module *m, const struct kernel *k);
/* Only for text: instructions, places, source lines. k needs no facts. */
void view_init_text(struct view *v, const struct module *m, const struct kernel *k);
void view_free(struct view *v);

/* S with everything but printable ASCII replaced by '?', tabs by a blank. In arena a. */
char *view_clean(struct arena *a, const char *s, size_t len);
/* The name of k for people. */
const char *view_name(struct arena *a, const struct kernel *k);
void view_put_quoted(FILE *f, const char *s);                         /* the inside of a quoted Graphviz string */
char *view_insn(struct arena *a, const struct kernel *k, uint32_t i); /* clean text of an instruction */
/* clean label, or .L3; of machine code, where no branch names it, its address */
const char *view_block(struct arena *a, const struct kernel *k, uint32_t b);
char *view_register(struct arena *a, const struct kernel *k, uint32_t r);
/* What the metadata word for pairs or alignment says: "R1+R3 R2+R4", "left R1 R2, right R3". */
char *view_pair_word(struct arena *a, uint64_t word);
char *view_align_word(struct arena *a, const struct corf_hints *h, uint32_t n);
/* Of an operand that is read or written: "MRF", "ORF1", "MRF=>ORF1", "ORF1+MRF". */
const char *view_place_of(struct arena *a, uint8_t place, bool write, enum orf_organisation org);
/* Operands of instruction i that are in upper levels, and why results are not, by orf_why(): "R4<-LRF0 R5->ORF1+MRF R6:
 * no entry";
 * "" if there are none. FACT_ORF valid. */
const char *view_places(struct arena *a, const struct kernel *k, uint32_t i, enum orf_organisation org,
			const uint8_t *why);
enum { VIEW_PLACES_LINES = 5 };
extern const char *const view_places_legend[VIEW_PLACES_LINES];
double view_percent(uint64_t part, uint64_t whole); /* 0 of nothing */
struct view_counts view_count(const struct kernel *k, const uint64_t *set);
uint32_t view_counted(struct view_counts c, enum reg_file f); /* of convergence barriers 0 */
/* FACT_STRAND: why a strand begins before i, "strand 3: loop"; whether the warp waits there; "" if neither. */
const char *view_strand(struct arena *a, const struct kernel *k, uint32_t i);
void view_put_strands(FILE *f, const struct kernel *k); /* a line of the summary */
json_t *view_strands_json(const struct kernel *k);      /* a new reference; NULL if out of memory */
/* FACT_OWF: the order in which warps share registers, the last shared first; a line of the summary (FACT_FREQ too); its
 * JSON, likewise. */
char *view_order(struct arena *a, const struct kernel *k);
void view_put_owf(FILE *f, const struct kernel *k);
json_t *view_owf_json(const struct kernel *k);
/* FACT_UNIFORM: lines of the summary; JSON of the kernel. */
void view_put_uniform(FILE *f, const struct kernel *k);
json_t *view_uniform_json(const struct kernel *k);
json_t *view_occupancy_json(const struct kernel *k, const struct emit_machine *m); /* likewise */
json_t *view_gain_json(const struct occupancy_gain *g);                            /* likewise */
/* k->regmutex: what was decided, and what came of it, in lines of the summary; its JSON, with the variant's. */
/* The size of which most warps progress at a time; NULL: of none it is known. */
const struct regmutex_size *view_progress(const struct regmutex *r);
void view_put_regmutex(FILE *f, const struct kernel *k);
json_t *view_regmutex_json(const struct kernel *k);
/* of machine code: "regmutex: acquires R16 and above before it"; "" */
const char *view_points(struct arena *a, const struct kernel *k, uint32_t i);
/* Of a variant: i carries a value between the base and the extended set, "moves R9 to the base set"; else "". */
const char *view_move(struct arena *a, const struct kernel *k, uint32_t i);
/* FACT_RFC: registers that i reads for the last time, its own results not counted; those that it writes for a shared
 * unit perhaps. */
struct view_cached {
	uint32_t last[INSN_SRC_MAX], nlast, shared[INSN_DST_MAX], nshared;
};
void view_cached(const struct kernel *k, uint32_t i, struct view_cached *out);
/* ---- decoded machine code: native.c ---- */
/* of an instruction */
enum { NATIVE_BYTES = 16 };
/* Where instruction i is: a run of k->native, and its byte offset in that section. */
const struct native_part *view_part(const struct kernel *k, uint32_t i);
uint64_t view_address(const struct kernel *k, uint32_t i);
/* How text names an instruction: "12"; of machine code "0x00c0", in another section than the kernel's "0x00c0 of
 * .text.f". */
const char *view_insn_name(struct arena *a, const struct kernel *k, uint32_t i);
struct sass_word view_word(const struct kernel *k, uint32_t i);
static inline bool view_has_control(const struct kernel *k)
{
	return k->control && (k->native || k->facts & FACT_CONTROL);
}
char *view_control(struct arena *a, const struct kernel *k, uint32_t i); /* "[B------:R-:W2:-:S01]" */
enum { VIEW_CONTROL_LINES = 2 };
extern const char *const view_control_legend[VIEW_CONTROL_LINES];
/* Which instructions a wait mask waits for, along the code: those that named its barriers since they were waited for
 * last. */
enum { VIEW_SETTERS = 4, VIEW_BARRIERS = 6 };
struct view_barriers {
	/* by the barriers of theirs that were not waited for: the last ones, and how many before them */
	struct {
		uint32_t of[VIEW_SETTERS], more;
		uint8_t n;
	} set[1 << VIEW_BARRIERS];
	uint8_t before; /* bits: named before the run of code began, on some way */
	/* by block: bits of barriers that are named and not waited for where it begins */
	const uint8_t *entry;
};
void view_barriers_init(struct view_barriers *x, const struct kernel *k, struct arena *a);
/* before the first instruction of block b, after that of b - 1 */
void view_barriers_enter(struct view_barriers *x, const struct kernel *k, uint32_t b);
/* "waits for 0x0040 0x0060 and what is before this block"; "" if nothing named the barriers. Instruction i, in
 * order. */
const char *view_waits(struct arena *a, const struct kernel *k, uint32_t i, struct view_barriers *x);
/* What could not be followed at instruction i, and is taken for the worst; "" if all could. */
const char *view_native_note(const struct kernel *k, uint32_t i);
/* Instructions that are taken to read, or read and write, all registers: not known, or going where nothing is known.
 * With any of them, what is live is an upper bound. From `from` on the first such; k->ninsn: there is none. */
uint32_t view_open(const struct kernel *k, uint32_t from);
uint32_t view_count_open(const struct kernel *k);
/* Why nothing bounds how many registers are live: some instruction is such, and no other names a general register; or
 * functions of other files are called. NULL: there is a bound. */
const char *view_live_untold(const struct view *v);
/* Why there is no bound of the local memory that a thread needs, with the functions that are called; NULL: there is
 * one, res.local_bytes. */
const char *view_unbounded(const struct kernel *k);
/* Machine code that uses local memory: it does not say what of it is spilled values. */
bool view_spills_untold(const struct kernel *k);
/* a line of the summary: source lines that made what is live at the peak */
void view_put_pressure(FILE *f, struct view *v);
void view_put_native(FILE *f, struct view *v); /* lines of the summary */
/* of the kernel; NULL if out of memory */
json_t *view_native_json(const struct kernel *k, struct arena *a);
void view_put_banks(FILE *f, const struct kernel *k, struct arena *a); /* a line of the summary */
json_t *view_banks_json(const struct banks *b);                        /* of the kernel; NULL if out of memory */
/* Instructions with a conflict, those that cost most cycles of a run first; *n of them. depth: of loops, at least. */
struct view_conflict {
	uint32_t insn, depth;
	uint64_t cycles;
};
struct view_conflict *view_conflicts(const struct kernel *k, const struct banks *b, uint32_t depth, uint32_t *n,
				     struct arena *a);
/* What would make less of the conflict of i, "R4.reuse at 0x0120", "exchange a/b"; "" if nothing of that kind does. */
const char *view_conflict_advice(const struct kernel *k, const struct banks *b, uint32_t i, struct arena *a);

/* Blocks in reverse post-order, those that are not reached behind them; PLACE: of each block in it. FACT_CFG valid. In
 * arena a. */
uint32_t *view_block_order(const struct kernel *k, uint32_t **place, struct arena *a);

/* Where an instruction comes from: its .loc, else its place in the PTX text. */
/* source: index into view.source; inlined: of module.inlined */
struct view_place {
	const char *file;
	uint32_t source, line, col;
	const char *inlined;
};
bool view_find_place(struct view *v, uint32_t i, struct view_place *p); /* false: not known */
/* The same, or the nearest to it that a reader can open: the path of a file that has that line, or NULL. */
const char *view_find_readable(struct view *v, uint32_t i, struct view_place *p);
/* "file.cl:12", without the directories; NULL where the place is not known. */
char *view_place(struct arena *a, struct view *v, uint32_t i);
/* A source file as it is: line n, from 1 to lines, is text[at[n - 1] .. at[n]) with its end. False: it cannot be had.
 * In v->a. */
struct view_file {
	const char *text;
	const uint32_t *at;
	uint32_t lines;
};
bool view_source_file(struct view *v, const struct view_place *p, struct view_file *out);
/* The text of a source line without the blanks around it, or NULL if it cannot be had. In v->a. */
const char *view_source_text(struct view *v, const struct view_place *p);

#endif
