/* A kernel decoded for timing, once for each launch: what the stages of an SM ask of its instructions. */
#ifndef REGLOOM_SM_CODE_H
#define REGLOOM_SM_CODE_H

#include "runtime-model/core/axis.h"

enum {
	/* The words of a scoreboard, at most: it has a bit for each register of a kernel. */
	SB_WORDS = (MREG_ALL + 63) / 64,
	NO_PIPE = PIPE_COUNT, /* Metadata, acquire and release enter no pipe. */
	CTA_BARRIERS = 16,    /* A CTA has so many (PTX ISA, bar). */
	CLUSTER_BARRIER = CTA_BARRIERS,
	BARRIERS, /* There is one more for barrier.cluster, since a cluster is one CTA here. */
};

enum kind {
	KIND_ALU,
	KIND_SHARED,
	KIND_CONST,
	KIND_TEXTURE,
	KIND_LOAD,
	KIND_STORE,
	KIND_ATOMIC,
	KIND_GENERIC,
	KIND_BARRIER,
	KIND_FENCE,
	KIND_ACQUIRE,
	KIND_RELEASE
};

struct dinsn {
	struct uop proto; /* A copy of it becomes an instruction in flight; warp, active and sig are then filled in. */
	uint8_t kind, pipe;
	uint8_t into; /* The pipe that it enters, or NO_PIPE. */
	bool bypass_l1, is_store, is_load, is_atomic;
	uint16_t latency, interval;
	uint16_t lanes_at;        /* The offset in struct stats of the counter of its lanes. */
	uint8_t barrier;          /* The number of its barrier. */
	uint32_t barrier_threads; /* The barrier waits for so many; 0: for all of the CTA. */
	bool barrier_in_record;   /* Number and threads are in registers, so that the record has them. */
	bool barrier_passes;      /* The warp does not wait (bar.arrive). */
	uint8_t fetched;          /* A fetch of this instruction brings so many. */
	/* Of metadata at the start of a block: the index of what comes behind it. */
	uint32_t then;
	/* Of the first instruction of such a block: the index of the block's first metadata, else 0. */
	uint32_t metadata;
	bool of_block; /* It is metadata at the start of a block. */
	bool is_point; /* An acquire or a release that is none of the instructions. */
	uint32_t at;   /* Its place in the code, in which metadata has places too; those of the preamble are below 0. */
	uint8_t strand; /* Its begin[] of the kernel's strands, if the hierarchy relies on them; else 0. */
	uint8_t uniform_reads, uniform_writes; /* Uniform registers that it names. */
	uint32_t line;                         /* The line of the instruction cache that it is in. */
	/* These include the guard and predicates, but no fixed registers. Of nearly all kernels the first words say
	   all, so that they stand where the cache has what is before them. */
	uint64_t writes[SB_WORDS], reads_writes[SB_WORDS];
	/* Where the lanes of each operand are in a record's values, in units of 32 lanes. */
	uint8_t src_at[UOP_SRC_MAX], dst_at[UOP_DST_MAX];
};

/* A kernel decoded: its instructions by index. Metadata instructions have indices below 0: first those of the preamble,
 * which lie before the kernel, below these those of its blocks. */
struct code {
	struct dinsn *insn;
	struct dinsn **place; /* By struct dinsn.at. */
	uint32_t nplace;      /* The number of places from 0 on. */
	/* Of machine code whose warps share registers: an acquire, and a release, which warps come to by
	   kernel.regmutex.hold. They lie behind the instructions. Else NULL. */
	struct dinsn *point;
	uint32_t npoint;
};
/* Decodes k, before whose instructions lie those of `preamble`; words: metadata instructions at the start of each
 * block. False with a diagnostic: an instruction that the model cannot time. */
bool decode_kernel(const struct kernel *k, const struct params *p, unsigned preamble, const uint32_t *words,
		   struct code *out, struct arena *a, struct diag *d);
/* Returns a move of each general register to itself, by register. */
struct dinsn *decode_moves(const struct params *p, struct arena *a);
/* Returns one more than the highest general register that they name. */
unsigned decode_reg_end(const struct dinsn *insn, unsigned n);
/* Gives the registers that the n instructions name new and dense numbers, there and in the moves. Returns how many
 * registers they are. */
unsigned decode_renumber(struct dinsn *insn, unsigned n, struct dinsn *move);
/* Writes the strands of k into its instructions. Those that wait for all long-latency results read bit `owed` of the
 * scoreboard. */
void decode_strands(struct dinsn *insn, const struct kernel *k, unsigned owed);

#endif
