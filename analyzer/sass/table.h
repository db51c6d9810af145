/* The tables of machine code, expanded: what the rows of insns.def, mods.def and widths.def say, ready for decode.c,
 * encode.c and print.c. A row of insns.def with several operand forms becomes one struct sass_row for each; every field
 * of it is described once, here, and both read and written by that description. Built by the first caller, the same for
 * all threads, never changed afterwards. */
#ifndef REGLOOM_SASS_TABLE_H
#define REGLOOM_SASS_TABLE_H

#include "analyzer/sass/sass.h"

enum { SASS_PARTS = 3, SASS_FIELD_ABSENT = 0x8000 };

/* holds if (word & m) == v */
struct sass_cond {
	uint64_t mlo, mhi, vlo, vhi;
};
/* most significant part first; n 0: none */
struct sass_bits {
	uint8_t n;
	struct {
		uint8_t lo, len;
	} part[SASS_PARTS];
};

/* Registers of a tuple, in a list whose last always holds. */
struct sass_width {
	struct sass_cond cond;
	uint8_t n;
};

/* What a field of a row holds beyond enum sass_kind. */
enum { FIELD_OFFSET = 64, FIELD_TARGET, FIELD_TARGET_SSY, FIELD_TARGET_PC, FIELD_TARGET_ABS };

struct sass_field {
	/* kind: enum sass_kind or FIELD_*; name: index into sass_field_names */
	uint8_t kind, role, name;
	uint8_t n;                      /* registers */
	const struct sass_width *width; /* NULL; else they depend on other fields, as the first that holds says */
	uint8_t neg, abs, bank;         /* bit numbers; 0: none. bank: of a constant, the low bit of five */
	uint8_t half;                   /* low bit of two */
	bool write, inverted, derived, conditional, bindless, is_signed;
	uint8_t scale; /* of a constant's offset, or of an address's */
	struct sass_bits bits;
	struct sass_cond cond;
};

/* Of a modifier field: known; not known what it says; a slot that is not used. */
enum sass_meaning { MEANING_KNOWN, MEANING_OPEN, MEANING_FILL };

struct sass_mod {
	const char *id, *names;
	uint16_t lo, hi; /* SMs */
	uint16_t first;  /* row with the same id */
	uint8_t meaning; /* enum sass_meaning */
	struct sass_bits bits;
	struct sass_cond cond;
};

struct sass_row {
	const char *mnemonic, *syntax, *note;
	struct sass_cond match;
	uint16_t base; /* bits 8:0 */
	uint8_t form;  /* bits 11:9 */
	uint8_t ext;   /* bit 91 */
	bool bindless;
	uint16_t lo, hi; /* SMs */
	uint8_t class, space, sure;
	bool uniform; /* the guard is a uniform predicate */
	uint8_t nfield, nmod;
	uint16_t field, mod; /* first in the pools */
	/* by opcode, guard, control, match and fields; those of modifiers come on top */
	struct sass_word claimed;
	uint16_t def; /* row of insns.def */
};

/* A place in the list of modifiers: an id of mods.def (first row with it, and those behind it), or text that is always
 * written. */
struct sass_modref {
	uint16_t mod, count;
	const char *text;
	uint8_t n;
	char after;
};

struct sass_table {
	/* NULL; else what is wrong with a row: a mistake of the tables, which a unit test looks for */
	const char *error;
	unsigned nrow, nmod, ndef;
	const struct sass_row *row;
	const struct sass_field *field;
	const struct sass_modref *ref;
	const struct sass_mod *mod;
	/* rows of key k = bits 11:0 | bit 91 << 12: list[first[k]] .. list[first[k + 1] - 1] */
	const uint16_t *first, *list;
};

const struct sass_table *sass_table(void);
unsigned sass_width(const struct sass_field *f, struct sass_word w); /* registers of a tuple that starts there */
const char *sass_sreg_name(unsigned value);                          /* "SR_TID.X"; NULL */
const char *sass_cbar_name(unsigned reg);                            /* "MACTIVE" of 26; NULL of B0 .. B15 */
extern const char *const sass_field_names[];                         /* "d", "imm2", "lut" ...; NULL at the end */

static inline bool sass_holds(const struct sass_cond *c, struct sass_word w)
{
	return (w.lo & c->mlo) == c->vlo && (w.hi & c->mhi) == c->vhi;
}
static inline uint64_t sass_get(struct sass_word w, unsigned lo, unsigned len)
{
	uint64_t v;
	if (lo >= 64)
		v = w.hi >> (lo - 64);
	else
		v = lo ? w.lo >> lo | w.hi << (64 - lo) : w.lo;
	return len < 64 ? v & ((UINT64_C(1) << len) - 1) : v;
}
static inline void sass_put(struct sass_word *w, unsigned lo, unsigned len, uint64_t v)
{
	uint64_t m = len < 64 ? (UINT64_C(1) << len) - 1 : ~UINT64_C(0);
	v &= m;
	if (lo >= 64) {
		w->hi = (w->hi & ~(m << (lo - 64))) | v << (lo - 64);
		return;
	}
	w->lo = (w->lo & ~(m << lo)) | v << lo;
	if (lo + len > 64)
		w->hi = (w->hi & ~(m >> (64 - lo))) | v >> (64 - lo);
}
static inline uint64_t sass_get_bits(struct sass_word w, const struct sass_bits *b)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < b->n; i++)
		v = (b->part[i].len < 64 ? v << b->part[i].len : 0) | sass_get(w, b->part[i].lo, b->part[i].len);
	return v;
}
static inline void sass_put_bits(struct sass_word *w, const struct sass_bits *b, uint64_t v)
{
	for (unsigned i = b->n; i-- > 0;) {
		sass_put(w, b->part[i].lo, b->part[i].len, v);
		v = b->part[i].len < 64 ? v >> b->part[i].len : 0;
	}
}

#endif
