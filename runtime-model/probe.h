/* Probes: what a run of the model tells whoever watches it, event by event. A watcher says which kinds it wants; a run
 * without one pays a test of a mask. Events of one SM come in the order in which they happen and never overlap; those of
 * different SMs may come from different threads, and an SM may be ahead of another. */
#ifndef REGLOOM_PROBE_H
#define REGLOOM_PROBE_H

#include "runtime-model/stats.h"

typedef uint64_t cycle;                 /* of the SM clock, from the start of the launch */

enum probe_kind {
	PROBE_CTA_START,                /* warp: its first warp slot; n: warps */
	PROBE_CTA_END,
	PROBE_FETCH,                    /* insn: the first of n that were fetched; they are decoded in the next cycle */
	PROBE_ISSUE,                    /* an instruction or a move; id names it until PROBE_RETIRE */
	PROBE_COLLECT,                  /* it entered collector unit `where` */
	PROBE_EXECUTE,                  /* it left the collectors and entered pipeline `where` (enum pipe) */
	PROBE_RESULT,                   /* its result, or its last line, is there */
	PROBE_RETIRE,                   /* results written, registers released */
	PROBE_BANK,                     /* an access of register-file bank `where` that had waited n cycles for it */
	PROBE_SLOT,                     /* n issue slots of scheduler `where`, one a cycle from `at` on, went to `why`; warp and
	                                 * insn are those that issued, or came closest; PROBE_NO_WARP: no warp was there */
	PROBE_KINDS
};
enum { PROBE_NO_WARP = 0xffff };
#define PROBE(kind) (1u << PROBE_##kind)

struct probe_event {
	enum probe_kind kind;
	unsigned sm, warp;              /* warp: slot of the SM */
	uint64_t cta;
	uint32_t insn, active;          /* index into the kernel; lanes */
	cycle at;
	unsigned id, where;
	uint64_t n;
	enum stall why;
	bool move, write;               /* a move that an axis asked for, before insn; of a BANK event: a write */
};

struct gpu_probe {
	void *ctx;
	unsigned want;                  /* PROBE(kind) | ... */
	void (*event)(void *ctx, const struct probe_event *e);
};

#endif
