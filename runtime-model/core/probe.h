/* Probes: what a run of the model tells those who watch it: a list of watchers, each of which says which kinds of
 * events it wants, and whether it wants the counters at intervals. A run without watchers pays a test of a mask. Calls
 * for one SM come in the order in which things happen and never overlap; those of different SMs may come from different
 * threads, and an SM may be ahead of another. */
#ifndef REGLOOM_PROBE_H
#define REGLOOM_PROBE_H

#include "passes/orf_energy.h"
#include "runtime-model/core/stats.h"

/* Metadata of a kernel (packing->preamble) lie before its first instruction: n of them have the indices -n .. -1. */
#define INSN_IS_METADATA(insn) ((int32_t)(insn) < 0)

enum probe_kind {
	PROBE_CTA_START, /* warp: its first warp slot; n: warps */
	PROBE_CTA_END,
	PROBE_FETCH, /* insn: the first of n that were fetched; they are decoded in the next cycle */
	PROBE_ISSUE, /* an instruction or a move; id names it until PROBE_RETIRE */
	/* it came to the reuse stage, if reuse renames (docs/WIR.md); where: enum reuse_verdict (axis.h), in the same
	   cycle */
	PROBE_LOOKUP,
	/* what became of it there, or in the retry queue n cycles later; where: enum reuse_outcome */
	PROBE_REUSE,
	/* It entered collector unit `where` of its pipeline. On a core of sub-cores: the allocate stage, where 0, or
	 * the queue of its unit, where 1. */
	PROBE_COLLECT,
	PROBE_READ,  /* all its operands are read; of one that reads none, in the cycle of COLLECT */
	PROBE_LEAVE, /* it left its collector unit */
	/* It entered unit n, or that of sub-core n, of pipeline `where` (enum pipe), and closes it for `cycles`; 0:
	 * until it is SENT. */
	PROBE_EXECUTE,
	/* it entered the load-store unit; where: enum probe_access; n: passes of shared memory or constants */
	PROBE_ACCESS,
	/* the load-store unit sent a line of it, of which it touches n sectors; where: enum probe_line */
	PROBE_LINE,
	/* it left the load-store unit, its last line or pass is sent; n: cycles for which it was there; 0: since its
	 * ACCESS */
	PROBE_SENT,
	PROBE_RESULT, /* its result, or its last line, is there, n cycles after its issue */
	PROBE_RETIRE, /* results written, registers released */
	/* warp's state changed: it waits for `why`; ISSUED: it could issue insn; EMPTY: it left the SM */
	PROBE_STATE,
	PROBE_FLUSH, /* its instruction buffer was emptied: control goes on at insn */
	/* the instruction, which has just issued, begins a strand, if the hierarchy relies on strands; where: enum
	   strand_cause; n: 1 if it had to wait until nothing long was outstanding */
	PROBE_STRAND,
	/* where the operands of the instruction come from, which has just issued, if a hierarchy decides */
	PROBE_LEVELS,
	/* two-level scheduling demoted the warp, which waits before or at insn; n: registers that go back */
	PROBE_SUSPEND,
	/* an access of register-file bank `where`, which had waited n cycles for it, or a packer */
	PROBE_BANK,
	/* the warp spent n cycles, from `at` on, before or at insn, for `why`; STALL_ISSUED: it could have issued, but
	   was not its scheduler's choice (then not in one piece). What ended the wait is the result, or the store, of
	   instruction `producer`, or PROBE_NO_INSN. The cycles in which it issued are those of its ISSUED slots; all
	   together are its residence. */
	PROBE_WAIT,
	/* n issue slots of scheduler `where`, one a cycle from `at` on, went to `why`; warp and insn are those that
	   issued, or came closest; PROBE_NO_WARP: no warp was there */
	PROBE_SLOT,
	PROBE_KINDS
};
enum { PROBE_NO_WARP = 0xffff, PROBE_MEMORY = 0xffff };
/* most instructions in flight, warp slots and banks of an SM */
enum { PROBE_IDS = 512, PROBE_WARPS = 64, PROBE_BANKS = 32 };
/* of its cache */
enum probe_line {
	PROBE_LINE_HIT,
	PROBE_LINE_MERGE,
	PROBE_LINE_MISS,
	PROBE_LINE_PAST,
	PROBE_LINE_STORE,
	PROBE_LINE_ATOMIC,
	PROBE_LINES
};
enum probe_access {
	PROBE_ACCESS_LINES,
	PROBE_ACCESS_SHARED,
	PROBE_ACCESS_CONST,
	PROBE_ACCESS_TEXTURE,
	PROBE_ACCESS_NONE
};
#define PROBE_NO_INSN UINT32_MAX
#define PROBE(kind) (1u << PROBE_##kind)

struct value_sig;

struct probe_event {
	enum probe_kind kind;
	unsigned sm, warp; /* warp: slot of the SM */
	uint64_t cta;
	/* index into the kernel, or metadata before it (axis.h, INSN_IS_METADATA); lanes */
	uint32_t insn, active;
	uint32_t producer;
	cycle at;
	unsigned id, where;
	uint64_t n;
	uint32_t cycles; /* EXECUTE */
	enum stall why;
	/* LEVELS: registers by enum rf_level; some lanes of one may come from another level */
	uint8_t level[RF_LEVELS];
	bool move, write; /* a move that an axis asked for, before insn; of a BANK event: a write */
	/* ISSUE: of the registers that it writes, as its record has them; NULL: the record has none, or it is a move */
	const struct value_sig *sig;
	const uint32_t *values; /* likewise, of those that it reads and writes */
	uint64_t sources;       /* REUSE: which physical registers it reads, as a set: hashed */
};

struct gpu_job;

/* a watcher; what it does not want is zero */
struct gpu_probe {
	void *ctx;
	unsigned want;    /* PROBE(kind) | ... */
	unsigned records; /* what records must have (enum record_want) */
	void (*event)(void *ctx, const struct probe_event *e);
	/* A launch begins; it has run to its end, in so many cycles, with these counters. Not called for one that
	 * fails. */
	void (*start)(void *ctx, const struct gpu_job *j);
	void (*end)(void *ctx, cycle cycles, const struct stats *st);
	/* What an SM, or the memory system behind the SMs (sm: PROBE_MEMORY), has counted in the cycles before `upto`:
	 * at each multiple of `interval` and at the end. Of a request to the memory system, all counts when the SM
	 * sends it. The counters `cycles` and `launches` belong to the launch; here they are 0. */
	cycle interval;
	void (*sample)(void *ctx, unsigned sm, cycle upto, const struct stats *st);
	const struct gpu_probe *next; /* another watcher, or NULL */
};

/* What the records of a run must have for these watchers. */
static inline unsigned probe_records(const struct gpu_probe *p)
{
	unsigned want = 0;

	for (; p; p = p->next)
		want |= p->records;
	return want;
}

struct gpu_job;
unsigned probe_wants(const struct gpu_job *j); /* PROBE(kind) | ..., of all its watchers */
/* The first end of an interval after cycle `now`, or UINT64_MAX. */
cycle probe_interval_end(const struct gpu_job *j, cycle now);
/* Tells the watchers of an interval that ends at `upto`, or all, what the SM or the memory system has counted. */
void probe_sample(const struct gpu_job *j, unsigned sm, cycle upto, bool all, const struct stats *st);

#endif
