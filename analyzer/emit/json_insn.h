/* Instructions of --emit=json, a line of text each (docs/annotate.schema.json). */
#ifndef REGLOOM_EMIT_JSON_INSN_H
#define REGLOOM_EMIT_JSON_INSN_H

#include "analyzer/emit/view.h"
#include "passes/orf_why.h"
#include "passes/uniform.h"

struct json_insn {
	struct view *v;
	const struct kernel *k;
	const struct banks *banks;     /* of machine code; else NULL */
	const uint8_t *why[ORG_COUNT]; /* orf_why(), where FACT_ORF is valid */
	struct arena *item;            /* reset behind each instruction */
	char *p;
	size_t n, cap; /* the line; in v->a, as are names */
	/* of registers and places, as far as they were asked for */
	const char *name[MREG_ALL], *place[ORG_COUNT][2][256];
};

void json_insn_begin(struct json_insn *t, struct view *v, const struct banks *banks,
		     const uint8_t *const why[ORG_COUNT], struct arena *item);
void json_insn_put(FILE *f, struct json_insn *t, uint32_t b, uint32_t i);

#endif
