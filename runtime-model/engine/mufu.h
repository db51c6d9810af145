/* Tables of the functions that a GPU approximates (mufu.def), in units of the last place from the correctly rounded
 * result, as regloom-gpu mufu writes them (docs/HARDWARE.md#mufu), and results of the functions by such a table. */
#ifndef REGLOOM_ENGINE_MUFU_H
#define REGLOOM_ENGINE_MUFU_H

#include "analyzer/base/diag.h"
#include "analyzer/ir/ops.h"
#include "runtime-model/engine/lanes.h"

enum mufu {
#define MUFU(id, ...) MUFU_##id,
#include "runtime-model/engine/mufu.def"
#undef MUFU
	MUFU_COUNT
};
/* what its arguments and results are: floats, high words of doubles, or 16 bits in the low half */
enum mufu_kind { MUFU_F32, MUFU_HIGH, MUFU_F16, MUFU_BF16 };

struct mufu_info {
	const char *name, *function, *type, *arguments;
	enum mufu_kind kind;
	uint32_t entries;
};
extern const struct mufu_info mufu_info[MUFU_COUNT];

/* One function's differences: entry by entry, of so many bytes each. */
struct mufu_function {
	enum mufu id;
	unsigned width; /* 1, 2, 4 */
	const void *difference;
};

/* ---- mufu.c ---- */
uint32_t mufu_argument(enum mufu id, uint32_t index); /* whose result entry `index` is */
/* Where in order a result stands: differences of these are units of the last place. And back. */
int64_t mufu_order(enum mufu id, uint32_t result);
uint32_t mufu_result(enum mufu id, int64_t order);
/* What MUFU makes of a; NaNs, infinities and zeros go as without a table. */
uint32_t mufu_value(const struct mufu_function *f, uint32_t a);
/* The function that the row needs; MUFU_COUNT: none. */
enum mufu mufu_of(enum op op);
/* Executes a row by a table: its operands first, then, as numbers, the row and the address of its mufu_function. */
enum { MUFU_SRC_ROW = 2, MUFU_SRC_FUNCTION = 3 };
lane_fn mufu_lanes;

/* ---- mufu_exact.c ---- */
/* The correctly rounded result of an argument of the table; to 20 fraction bits of high words. */
uint32_t mufu_exact(enum mufu id, uint32_t a);

/* ---- mufu_file.c ---- */
struct mufu_table;
/* NULL with a diagnostic: it is damaged, or no such table. In arena a. */
const struct mufu_table *mufu_read(const char *path, struct arena *a, struct diag *d);
bool mufu_has(const struct mufu_table *t, enum mufu id);
bool mufu_follows(const struct mufu_table *t, enum mufu id); /* what was tried elsewhere follows from it, all of it */
/* What it has of a function, in arena a. NULL with a diagnostic: it cannot be unpacked. */
const struct mufu_function *mufu_unpack(const struct mufu_table *t, enum mufu id, struct arena *a, struct diag *d);

/* One function of a table to be written. */
struct mufu_measured {
	enum mufu id;
	const int32_t *difference; /* by entry */
	uint32_t elsewhere,
		differ; /* arguments anywhere that were tried; that gave what does not follow from the table */
};
struct mufu_packed {
	enum mufu id;
	const char *line; /* of it, in the file */
	const void *bytes;
	size_t n;
};
/* In arena a. False: it could not be packed. */
bool mufu_pack(struct mufu_packed *p, const struct mufu_measured *m, struct arena *a);
void mufu_write(FILE *f, const char *head, const struct mufu_packed *p, unsigned n); /* HEAD: lines of comment */

#endif
