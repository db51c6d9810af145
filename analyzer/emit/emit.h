/* Views of a compiled module for people and tools. The kernels are in machine form with FACT_CFG and FACT_LIVE valid;
 * where FACT_LOOP, FACT_DOM, FACT_PDOM, FACT_WLIVE, FACT_RELEASE or FACT_CORF are valid too, loop depths, dominators,
 * what a warp releases or hints for packing are shown. Nothing here changes a kernel, and the text depends on nothing
 * but the module and the source files that its .file names point to. */
#ifndef REGLOOM_EMIT_H
#define REGLOOM_EMIT_H

#include "analyzer/ir/ir.h"
#include "passes/orf.h"
#include "passes/regmutex.h"

/* Text listing after nvdisasm's life-range view: one column for each register (^ written, v read, x both, : live), the
 * number of registers occupied, the registers freed (for this thread: passes/ends.c; for its warp: passes/release.c),
 * and above the instructions the source line, with its text where the file can be read. org: whose places of operands
 * it shows, where FACT_ORF is valid. models: with what register files of papers would do with the code; of machine code
 * that need not be shown. A kernel in virtual form is printed without columns. */
void emit_listing(FILE *f, const struct module *m, const struct kernel *k, enum orf_organisation org, bool models);
/* Graphviz: the CFG; models: with strands */
void emit_dot(FILE *f, const struct module *m, const struct kernel *k, bool models);
/* Graphviz: the register-affinity graph, edges as wide as they weigh, with the pairs and the alignment chosen.
 * FACT_CORF valid. */
void emit_dot_affinity(FILE *f, const struct kernel *k);
/* Graphviz: for each strand who is in which entry of the upper levels from where to where. FACT_STRAND and FACT_ORF
 * valid. */
void emit_dot_orf(FILE *f, const struct kernel *k, enum orf_organisation org);
/* What occupancy is shown for: a machine, threads of a block (0: not known), and how RegMutex's sizes are judged. */
struct emit_machine {
	struct sm_limits sm;
	struct occupancy_cta cta;
	enum regmutex_liveness liveness;
	bool rules_off;
};
/* models: with what RegMutex would give */
void emit_occupancy(FILE *f, const struct kernel *k, const struct emit_machine *m, bool models);
/* docs/annotate.schema.json, one instruction a line. launch: of the kernels, for occupancy; NULL: not known.
 * False if memory or F failed. */
bool emit_json(FILE *f, const struct module *m, const struct regmutex_options *o, const struct launch_facts *launch);
/* Machine code: operands by register bank, conflicts and reuse flags (docs/BANKS.md). k->native is not NULL. */
void emit_banks(FILE *f, const struct module *m, const struct kernel *k);
/* The registers that are live where most are: by what each was made, and where it is read next. */
void emit_pressure(FILE *f, const struct module *m, const struct kernel *k);
/* what the passes found, for people */
void emit_summary(FILE *f, const struct module *m, const struct kernel *k, bool models);

#endif
