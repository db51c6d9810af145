/* Machine code for tests of the core of today: instructions of sm_86 from a word of each kind, put in front of a
 * kernel of a cubin, and a machine of the GPUs on which Huerta et al. (MICRO 2025) measured. Run from the root of
 * the tree. */
#ifndef REGLOOM_SUBCORE_CODE_H
#define REGLOOM_SUBCORE_CODE_H

#include "test/unit/lift_fixture.h"
#include "test/unit/stream.h"

enum { CODE_MAX = 80, RZ = 255, NO_BOARD = 7, NO_STALL = 16 };

struct asm_word {
	const char *name;
	struct sass_word word;
};
/* With registers and control codes that the tests put into them. */
static const struct asm_word asm_words[] = {
	{ "FFMA", { 0x0000000000007223, 0x0000000000000000 } },
	{ "FADD", { 0x0000000000007221, 0x0000000000000000 } },
	{ "FMUL", { 0x0000000000007220, 0x0000000000400000 } },
	{ "IMAD", { 0x0000000000007224, 0x00000000078e0200 } },
	{ "IADD3", { 0x0000000000007210, 0x0000000007ffe000 } },
	{ "ISETP", { 0x000000000000720c, 0x0000000003f06270 } },   /* .GE.AND P0 */
	{ "FADD P0", { 0x0000000000000221, 0x0000000000000000 } }, /* @P0 */
	{ "MOV", { 0x0000000000007202, 0x0000000000000f00 } },
	{ "HADD2", { 0x3c003c0000007430, 0x0000000000000000 } },
	{ "DADD", { 0x0000000000007229, 0x0000000000000000 } },
	{ "MEMBAR", { 0x0000000000007992, 0x0000000000002000 } },     /* .SC.GPU */
	{ "MEMBAR.CTA", { 0x0000000000007992, 0x0000000000000000 } }, /* .SC.CTA */
	{ "FADD c", { 0x0000650000007621, 0x0000000000000000 } },     /* c[0x0][0x194] */
	{ "HMMA.F16", { 0x000000000000723c, 0x0000000000000800 } },   /* .16816.F16 */
	{ "HMMA.F32", { 0x000000000000723c, 0x0000000000001800 } },   /* .16816.F32 */
	{ "IMMA", { 0x0000000000007237, 0x0000000000445400 } },       /* .16816.S8.S8 */
	{ "DMMA", { 0x000000000000723f, 0x0000000000000000 } },       /* .884 */
	{ "CS2R", { 0x0000000000007805, 0x0000000000015000 } },       /* SR_CLOCKLO */
	{ "NOP", { 0x0000000000007918, 0x0000000000000000 } },
	{ "BAR", { 0x0000000000007b1d, 0x0000000000010000 } }, /* .SYNC.DEFER_BLOCKING 0x0 */
	{ "MUFU", { 0x0000000000007308, 0x0000000000000800 } },
	{ "SHFL", { 0x00001f0000007589, 0x00000000000e0000 } }, /* .IDX, lane in a register */
	{ "LDG", { 0x0000000400007981, 0x000000000c1e1900 } },
	{ "LDG.SM", { 0x0000000400007981, 0x000000000c1eb900 } },  /* .STRONG.SM */
	{ "LDG.GPU", { 0x0000000400007981, 0x000000000c1ef900 } }, /* .STRONG.GPU */
	{ "LDG.64", { 0x0000000400007981, 0x000000000c1e1b00 } },
	{ "LDG.128", { 0x0000000400007981, 0x000000000c1e1d00 } },
	{ "STG", { 0x0000000000007986, 0x000000000c101904 } },
	{ "STG.64", { 0x0000000000007986, 0x000000000c101b04 } },
	{ "STG.128", { 0x0000000000007986, 0x000000000c101d04 } },
	{ "LDS", { 0x0000000000007984, 0x0000000000000800 } },
	{ "LDS.64", { 0x0000000000007984, 0x0000000000000a00 } },
	{ "LDS.128", { 0x0000000000007984, 0x0000000000000c00 } },
	{ "STS", { 0x0000000000007388, 0x0000000000000800 } },
	{ "STS.64", { 0x0000000000007388, 0x0000000000000a00 } },
	{ "STS.128", { 0x0000000000007388, 0x0000000000000c00 } },
	{ "ATOMG", { 0x00000000000079a8, 0x00000000081ee1c4 } }, /* .E.ADD */
	{ "LDC", { 0x00c0000000007b82, 0x0000000000000800 } },   /* c[0x3][...] */
	{ "LDGSTS", { 0x0000000000007fae, 0x000000000b921844 } },
	{ "LDGDEPBAR", { 0x00000000000079af, 0x0000000000000000 } },
	{ "DEPBAR", { 0x000080400000791a, 0x0000000000000000 } }, /* .LE SB0, 0x1 */
};

/* Zero is: no register, stall 1, none of the barriers. A reuse bit for each slot. */
struct asm_insn {
	const char *name;
	uint8_t d, a, b, c;
	uint8_t stall, yields, sets, reads, waits, reuse; /* sets, reads: 1 + the barrier */
};

static const struct asm_insn warm = { .name = "NOP", .stall = 12 }; /* while it waits the buffer fills */
#define CLOCK(r)                         \
	{                                \
		.name = "CS2R", .d = (r) \
	}
#define NOP                   \
	{                     \
		.name = "NOP" \
	}
#define LOOP(array) (int)(sizeof(array) / sizeof *(array))

static inline struct sass_word asm_word(const struct asm_insn *i)
{
	const uint64_t stall = i->stall ? i->stall % NO_STALL : 1, sets = i->sets ? i->sets - 1u : NO_BOARD,
		       reads = i->reads ? i->reads - 1u : NO_BOARD;
	const bool control = strcmp(i->name, "NOP") == 0 || strstr(i->name, "BAR"),
		   store = strncmp(i->name, "ST", 2) == 0, matrix = strstr(i->name, "MMA") != NULL;
	struct sass_word w = { 0, 0 };

	for (unsigned n = 0; n < sizeof asm_words / sizeof *asm_words && !w.lo; n++)
		if (strcmp(asm_words[n].name, i->name) == 0)
			w = asm_words[n].word;
	ck_assert_msg(w.lo, "%s", i->name);
	if (!control) {
		w.lo |= (uint64_t)(store ? 0 : i->d) << 16 | (uint64_t)i->a << 24;
		if ((w.lo >> 32 & 0xff) == 0 && (strchr("AFIMS", i->name[0]) || matrix || store) &&
		    !strstr(i->name, " c"))
			w.lo |= (uint64_t)i->b << 32;
		if (strcmp(i->name, "FFMA") == 0 || strcmp(i->name, "IMAD") == 0 || strcmp(i->name, "IADD3") == 0 ||
		    strcmp(i->name, "DADD") == 0 || matrix)
			w.hi |= i->c;
	}
	w.hi |= stall << 41 | (uint64_t)!i->yields << 45 | sets << 46 | reads << 49 | (uint64_t)i->waits << 52 |
		(uint64_t)i->reuse << 58;
	return w;
}

/* The kernel that a stream runs is n instructions; one record for each, of which memory instructions get a line, or
 * passes, from the caller. */
static inline void asm_kernel(struct stream *s, const struct asm_insn *i, unsigned n)
{
	static const char *const section = ".text.sgemm";
	struct sass_word w[CODE_MAX];
	struct source src;
	struct cubin *c = cubin_of(CUBINS "sgemm.sm_86.cubin", &src);

	ck_assert_uint_le(n, CODE_MAX);
	for (unsigned k = 0; k < n; k++)
		w[k] = asm_word(&i[k]);
	put_words(&src, c, section, 0, w, n);
	s->k = kernel_called(lift_checked(cubin_of_source(&src)), "sgemm");
}

/* The Ampere of the paper, every fetch and constant at hand. */
static inline void asm_machine(struct stream *s)
{
	stream_init(s);
	ck_assert(params_machine(&s->p, "gtx480", &s->d));
	s->p.core = 1;
	s->p.schedulers = 4;
	s->p.rf_banks = 8;
	s->p.rf_registers = 65536;
	s->p.reg_round = 8;
	s->p.threads_per_sm = 1536;
	s->p.ctas_per_sm = 16;
	s->p.insn_bytes = 16;
	s->p.ibuffer_entries = 3;
	s->p.l1_latency = 32;
	s->p.shared_latency = 24;
	s->p.const_latency = 26;
	s->p.l1_bytes_cycle = 64;
	s->p.fma_cycles = 1;
	s->p.icache_ways = 32;
	s->p.issue = "cggty";
	ck_assert(rf_config_parse(&s->rf, "baseline", &s->p, &s->d));
	s->p.sms = 1;
	s->p.icache_sets = s->p.l0c_sets = s->p.const_sets = 0;
}

#endif
