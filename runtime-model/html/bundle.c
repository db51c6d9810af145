/* Files that the program carries, so that a report needs nothing installed beside it: made by the assembler, from the
 * folder that make runs in. */
#include "runtime-model/html/report.h"

#define CARRY(symbol, file)                         \
	extern const char symbol[], symbol##_end[]; \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" file "\"\n" #symbol "_end:\n.byte 0\n.popsection\n")

CARRY(carried_page, "runtime-model/html/web/dist/page.html");
CARRY(carried_run, "docs/run.schema.json");
CARRY(carried_compare, "docs/compare.schema.json");
CARRY(carried_detail, "docs/detail.schema.json");
CARRY(carried_annotate, "docs/annotate.schema.json");

const struct bundled bundle_page = { "page.html", carried_page, carried_page_end };
const struct bundled bundle_schema[BUNDLE_SCHEMAS] = {
	{ "run.schema.json", carried_run, carried_run_end },
	{ "compare.schema.json", carried_compare, carried_compare_end },
	{ "detail.schema.json", carried_detail, carried_detail_end },
	{ "annotate.schema.json", carried_annotate, carried_annotate_end },
};
