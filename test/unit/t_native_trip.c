/* Trip counts of machine code: those of the same source in PTX, divided where ptxas unrolled; what integer instructions
 * compute. */
#include "analyzer/sass/values.h"
#include "passes/slice.h"
#include "test/unit/lift_fixture.h"

#include <math.h>
#include <stdlib.h>

Suite *suite_native_trip(void);

#define BOXES \
	{ "param_2", 5 }, { "param_3", 5 }, { "param_4", 6 }
static const struct row {
	const char *file, *kernel;
	struct launch_param param[3];
	uint32_t grid[3], loop;
	double iterations;
	enum trip_source source;
} row[] = {
	/* 256 columns, 16 at a time; ptxas unrolls that by 4, and does the rest without a loop */
	{ "sgemm.sm_86", "sgemm", { { "param_4", 256 } }, { 0 }, 0, 4, TRIPS_STATIC },
	{ "sgemm.sm_86", "sgemm", { { "param_4", 640 } }, { 0 }, 0, 10, TRIPS_STATIC },
	{ "sgemm.sm_86", "sgemm", { { "param_4", 48 } }, { 0 }, 0, 0, TRIPS_STATIC },
	{ "sgemm.sm_86", "sgemm", { { NULL, 0 } }, { 0 }, 0, 8, TRIPS_ASSUMED },
	/* the neighbours of 5 x 5 x 6 boxes: 6 * 3 - 2 of 6, 5 * 3 - 2 of 5; unrolled by none */
	{ "lavamd.sm_75", "lavamd", { BOXES }, { 5, 5, 6 }, 0, 16.0 / 6, TRIPS_MEAN },
	{ "lavamd.sm_80", "lavamd", { BOXES }, { 5, 5, 6 }, 1, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_89", "lavamd", { BOXES }, { 5, 5, 6 }, 2, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_90a", "lavamd", { BOXES }, { 5, 5, 6 }, 0, 16.0 / 6, TRIPS_MEAN },
	{ "lavamd.sm_100a", "lavamd", { BOXES }, { 5, 5, 6 }, 1, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_120a", "lavamd", { BOXES }, { 5, 5, 6 }, 0, 16.0 / 6, TRIPS_MEAN },
	{ "lavamd.sm_120a", "lavamd", { BOXES }, { 5, 5, 6 }, 2, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_120a", "lavamd", { BOXES }, { 0 }, 0, 8, TRIPS_ASSUMED },
};

START_TEST(a_loop_goes_round_as_often_as_its_source_says)
{
	const struct row *x = &row[_i];
	struct kernel *k = kernel_called(lifted(arena_printf(&arena, CUBINS "%s.cubin", x->file)), x->kernel);
	struct launch_facts facts = { .grid = { x->grid[0], x->grid[1], x->grid[2] }, .param = x->param };

	while (facts.nparam < 3 && x->param[facts.nparam].name)
		facts.nparam++;
	cx.opt.launch = &facts;
	ck_assert_msg(pass_need(k, FACT_FREQ, &cx), "%s", diag.last);
	ck_assert_uint_lt(x->loop, k->freq->nloop);
	ck_assert_msg(fabs(k->freq->loop[x->loop].iterations - x->iterations) < 1e-9 &&
			      k->freq->loop[x->loop].source == x->source,
		      "%s, loop %u: %s", x->file, x->loop, freq_text(&k->freq->loop[x->loop], &arena));
}
END_TEST

/* ---- what is filled in when the code is loaded ---- */
#define EXIT_WORD                                      \
	{                                              \
		0x000000000000794d, 0x000fea0003800000 \
	}

/* A loop from UR4 to UR5, 4 at a time. */
static const struct sass_word loop[] = {
	{ 0x0000000000047882, 0x000fe20000000000 }, /* UMOV UR4, 0 */
	{ 0x0000019000057882, 0x000fe20000000000 }, /* UMOV UR5, 400 */
	{ 0x0000000400027c02, 0x000fe20008000f00 }, /* MOV R2, UR4 */
	{ 0x0000000500037c02, 0x000fe20008000f00 }, /* MOV R3, UR5 */
	{ 0x0000000402027810, 0x000fe20007ffe0ff }, /* IADD3 R2, R2, 4, RZ */
	{ 0x000000030200720c, 0x000fe40003f01070 }, /* ISETP.LT.U32.AND P0, PT, R2, R3, PT */
	{ 0xfffffffc00f40947, 0x000fea000383ffff }, /* @P0 BRA back two */
	EXIT_WORD,
};

/* In .text.widths two instructions from 0x780 on have relocations. */
START_TEST(an_immediate_that_a_relocation_changes_is_not_known)
{
	static const struct sass_word to_780[] = { { 0x0000000400dc7947, 0x000fea0003800000 } };
	struct source s;
	const struct cubin *c = cubin_of(CUBINS "memory.sm_90a.cubin", &s);
	struct kernel *k;

	put_words(&s, c, ".text.widths", 0, to_780, 1);
	put_words(&s, c, ".text.widths", _i ? 0x780 : 0, loop, sizeof loop / sizeof *loop);
	k = kernel_called(lift_checked(cubin_of_source(&s)), "widths");
	ck_assert_msg(pass_need(k, FACT_FREQ, &cx), "%s", diag.last);
	ck_assert_uint_eq(k->freq->nloop, 1);
	ck_assert_str_eq(freq_text(&k->freq->loop[0], &arena),
			 _i ? "8 iterations (assumed)" : "100 iterations (static)");
}
END_TEST

/* The kernel's first call, at 0x120, is under a predicate that is true, and behind it comes the loop. */
START_TEST(control_comes_back_from_a_call_whose_condition_holds)
{
	/* ISETP.NE.AND P0, PT, RZ, -1, PT */
	static const struct sass_word holds = { 0xffffffffff00780c, 0x000fe20003f05270 };
	struct source s;
	const struct cubin *c = cubin_of(CUBINS "control.sm_90a.cubin", &s);
	struct kernel *k = kernel_called(lift_checked(c), "calls");
	struct sass_word call = { k->native->word[18][0] & ~UINT64_C(0x7000), k->native->word[18][1] };
	unsigned found = 0;

	ck_assert_int_eq(k->insn[18].op, OP_SASS_CALL);
	put_words(&s, c, ".text.calls", 0x110, &holds, 1);
	put_words(&s, c, ".text.calls", 0x120, &call, 1);
	put_words(&s, c, ".text.calls", 0x130, loop, sizeof loop / sizeof *loop);
	k = kernel_called(lift_checked(cubin_of_source(&s)), "calls");
	ck_assert_int_eq(k->insn[18].op, OP_SASS_CALL);
	ck_assert_int_eq(k->insn[18].guard.kind, REF_REG);
	ck_assert_msg(pass_need(k, FACT_FREQ, &cx), "%s", diag.last);
	for (uint32_t l = 0; l < k->freq->nloop; l++)
		found += strcmp(freq_text(&k->freq->loop[l], &arena), "100 iterations (static)") == 0;
	ck_assert_uint_eq(found, 1);
}
END_TEST

START_TEST(a_bank_that_a_relocation_changes_is_not_known)
{
	struct source s;
	struct cubin *c = cubin_of(CUBINS "warp.sm_120a.cubin", &s);
	struct cubin_reloc in_bank = { .shndx = (uint32_t)(section_named(c, ".nv.constant2.blocks") - c->section),
				       .offset = 4 };

	ck_assert_ptr_nonnull(kernel_called(lift_checked(c), "blocks")->native->constant2);
	c->reloc = &in_bank;
	c->nreloc = 1;
	ck_assert_ptr_null(kernel_called(lift_checked(c), "blocks")->native->constant2);
	in_bank.shndx--;
	ck_assert_ptr_nonnull(kernel_called(lift_checked(c), "blocks")->native->constant2);
}
END_TEST

/* ---- single instructions ---- */
#define NOT_KNOWN UINT64_MAX
#define LAUNCH                                                                            \
	{                                                                                 \
		.block = { 64, 1, 1 }, .grid = { 10, 1, 1 }, .param = &first, .nparam = 1 \
	}
static const struct launch_param first = { "param_0", 0x123456789 };

/* Words that ptxas makes, some with another register or modifier, without their control fields: one, or two of which
 * the second reads what the first leaves. want: by hand, from what docs/SASS.md says that they compute. */
static const struct one {
	const char *text; /* of the last word */
	unsigned sm;
	struct sass_word word[2];
	struct {
		const char *in, *out;
		uint64_t want;
	} try[4];
} one[] = {
	{ "IADD3 R5, R1, R2, R3",
	  80,
	  { { 0x0000000201057210, 0x7ffe003 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0x80000108 } } },
	{ "IADD3 R5, R1, -R2, R3",
	  80,
	  { { 0x8000000201057210, 0x7ffe003 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0x80000106 } } },
	{ "IMAD R5, R1, R2, R3",
	  80,
	  { { 0x0000000201057224, 0x78e0203 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0x80000107 } } },
	{ "LOP3.LUT R5, R1, R2, R3, 0x96, !PT",
	  80,
	  { { 0x0000000201057212, 0x78e9603 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0x80000106 } } },
	{ "LEA R5, R1, R2, 0x4",
	  80,
	  { { 0x0000000201057211, 0x78e20ff } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0x80000071 } } },
	{ "SHF.R.S32.HI R5, RZ, 0x1f, R2",
	  80,
	  { { 0x0000001fff057819, 0x11402 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0xffffffff } } },
	{ "ISETP.LT.AND P0, PT, R2, R1, PT",
	  80,
	  { { 0x000000010200720c, 0x3f01270 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "P0", 1 } } },
	{ "ISETP.LT.U32.AND P0, PT, R2, R1, PT",
	  80,
	  { { 0x000000010200720c, 0x3f01070 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "P0", 0 } } },
	{ "ISETP.GE.OR P0, PT, R2, R1, P1",
	  80,
	  { { 0x000000010200720c, 0xf06670 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "P0", 1 } } },
	{ "SEL R5, R1, R2, P1",
	  80,
	  { { 0x0000000201057207, 0x800000 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 7 } } },
	{ "SEL R5, R1, R2, !P1",
	  80,
	  { { 0x0000000201057207, 0x4800000 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0x80000001 } } },
	{ "IABS R5, R2",
	  80,
	  { { 0x0000000200057213, 0x0 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", 0x7fffffff } } },
	{ "FADD R5, R1, R2",
	  80,
	  { { 0x0000000201057221, 0x0 } },
	  { { "R1=7 R2=0x80000001 R3=0x100 P1=1", "R5", NOT_KNOWN } } },
	/* carries */
	{ "IADD3 R15, P0, RZ, -R12, RZ",
	  80,
	  { { 0x8000000cff0f7210, 0x7f1e0ff } },
	  { { "R12=5", "R15", 0xfffffffb }, { "R12=5", "P0", 0 }, { "R12=0", "P0", 1 } } },
	{ "IADD3 R15, P0, R16, 0x40, RZ",
	  75,
	  { { 0x00000040100f7810, 0x7f1e0ff } },
	  { { "R16=0xffffffc0", "R15", 0 }, { "R16=0xffffffc0", "P0", 1 }, { "R16=0xffffffbf", "P0", 0 } } },
	{ "IADD3 RZ, P2, R21, R22, RZ",
	  80,
	  { { 0x0000001615ff7210, 0x7f5e0ff } },
	  { { "R21=0xffffffff R22=1", "P2", 1 }, { "R21=0xffffffff R22=0", "P2", 0 } } },
	{ "IADD3 R7, P0, P1, R14, R22, R18",
	  100,
	  { { 0x000000160e077210, 0x791e012 } },
	  { { "R14=1 R22=2 R18=4", "R7", 7 }, { "R14=1 R22=2 R18=4", "P0", NOT_KNOWN } } },
	{ "IADD3.X R15, PT, PT, R15, R23, R27, P0, P1",
	  100,
	  { { 0x000000170f0f7210, 0x7e241b } },
	  { { "R15=5 R23=6 R27=7 P0=1 P1=1", "R15", 20 }, { "R15=5 R23=6 R27=7 P0=1 P1=0", "R15", 19 } } },
	{ "IADD3.X R21, PT, PT, RZ, ~R5, RZ, P1, !PT",
	  120,
	  { { 0x80000005ff157210, 0xffe4ff } },
	  { { "R5=3 P1=1", "R21", 0xfffffffd }, { "R5=3 P1=0", "R21", 0xfffffffc } } },
	{ "IADD3.X R15, P0, R3, R15, RZ, P0, !PT",
	  86,
	  { { 0x0000000f030f7210, 0x71e4ff } },
	  { { "R3=2 R15=3 P0=1", "R15", 6 }, { "R3=2 R15=3 P0=1", "P0", NOT_KNOWN } } },
	{ "IADD3.X R15, P0, R3, R15, RZ, P0, !PT",
	  86,
	  { { 0x00000040100f7810, 0x7f1e0ff }, { 0x0000000f030f7210, 0x71e4ff } },
	  { { "R16=0xffffffff R3=2", "R15", 66 }, { "R16=0xffffff00 R3=2", "R15", 0xffffff42 } } },
	{ "IADD R5, R1, R2", 120, { { 0x0000000201057235, 0x78e0000 } }, { { "R1=7 R2=9", "R5", 16 } } },
	{ "IADD R5, P1, R1, R2",
	  120,
	  { { 0x0000000201057235, 0x7820000 } },
	  { { "R1=0xffffffff R2=1", "P1", 1 }, { "R1=0xfffffffe R2=1", "P1", 0 } } },
	{ "IADD.X R5, R1, R2, P1",
	  120,
	  { { 0x0000000201057235, 0x8e0400 } },
	  { { "R1=7 R2=9 P1=1", "R5", 17 }, { "R1=7 R2=9 P1=0", "R5", 16 } } },
	/* comparisons */
	{ "ISETP.LT.AND.EX P0, PT, R5, R9, PT, P0",
	  100,
	  { { 0x000000090500720c, 0x3f01300 } },
	  { { "R5=5 R9=5 P0=1", "P0", 1 },
	    { "R5=5 R9=5 P0=0", "P0", 0 },
	    { "R5=0xffffffff R9=0 P0=0", "P0", 1 },
	    { "R5=6 R9=5 P0=1", "P0", 0 } } },
	{ "ISETP.GE.U32.AND.EX P0, PT, R5, R9, PT, P0",
	  100,
	  { { 0x000000090500720c, 0x3f06100 } },
	  { { "R5=0xffffffff R9=0 P0=0", "P0", 1 },
	    { "R5=5 R9=5 P0=1", "P0", 1 },
	    { "R5=5 R9=5 P0=0", "P0", 0 },
	    { "R5=4 R9=5 P0=1", "P0", 0 } } },
	{ "ISETP.EQ.U32.AND.EX P0, PT, R15, RZ, PT, P0",
	  75,
	  { { 0x000000ff0f00720c, 0x3f02100 } },
	  { { "R15=0 P0=1", "P0", 1 }, { "R15=0 P0=0", "P0", 0 }, { "R15=1 P0=1", "P0", 0 } } },
	{ "ISETP.NE.AND.EX P0, PT, R5, RZ, PT, P0",
	  100,
	  { { 0x000000ff0500720c, 0x3f05300 } },
	  { { "R5=0 P0=0", "P0", 0 }, { "R5=0 P0=1", "P0", 1 }, { "R5=1 P0=0", "P0", 1 } } },
	{ "ISETP.LE.AND.EX P0, PT, R5, R9, PT, P0",
	  100,
	  { { 0x000000090500720c, 0x3f03300 } },
	  { { "R5=5 R9=5 P0=1", "P0", 1 },
	    { "R5=5 R9=5 P0=0", "P0", 0 },
	    { "R5=4 R9=5 P0=0", "P0", 1 },
	    { "R5=6 R9=5 P0=1", "P0", 0 } } },
	{ "ISETP.GT.U32.AND.EX P0, PT, R5, RZ, PT, P0",
	  100,
	  { { 0x000000ff0500720c, 0x3f04100 } },
	  { { "R5=1 P0=0", "P0", 1 }, { "R5=0 P0=0", "P0", 0 }, { "R5=0 P0=1", "P0", 1 } } },
	{ "ISETP.GE.U32.AND.EX P1, PT, R15, R9, !P1, P4",
	  75,
	  { { 0x000000090f00720c, 0x4f26140 } },
	  { { "R15=9 R9=5 P1=0 P4=0", "P1", 1 },
	    { "R15=9 R9=5 P1=1 P4=0", "P1", 0 },
	    { "R15=4 R9=5 P1=0 P4=1", "P1", 0 } } },
	{ "ISETP.LT.AND.EX P0, PT, R5, R9, PT, P0",
	  100,
	  { { 0x000000080400720c, 0x3f01070 }, { 0x000000090500720c, 0x3f01300 } },
	  { { "R4=0 R5=1 R8=0xffffffff R9=0", "P0", 0 },
	    { "R4=0xffffffff R5=0 R8=0 R9=1", "P0", 1 },
	    { "R4=1 R5=1 R8=2 R9=1", "P0", 1 } } },
	{ "ISETP.GT.S64.AND P1, PT, R2, R4, PT",
	  120,
	  { { 0x000000040200720c, 0x3f34270 } },
	  { { "R2=0 R3=0xffffffff R4=0 R5=0", "P1", 0 }, { "R2=0 R3=1 R4=0xffffffff R5=0", "P1", 1 } } },
	{ "ISETP.GE.U64.AND P0, PT, R10, R6, PT",
	  120,
	  { { 0x000000060a00720c, 0x3f16070 } },
	  { { "R10=0 R11=1 R6=5 R7=0", "P0", 1 }, { "R10=5 R11=0 R6=0 R7=0x80000000", "P0", 0 } } },
	{ "ISETP.GT.U64.AND P4, PT, R2, 0x63, PT",
	  120,
	  { { 0x000000630200780c, 0x3f94070 } },
	  { { "R2=0 R3=1", "P4", 1 }, { "R2=0x63 R3=0", "P4", 0 } } },
	{ "ISETP.GE.OR P0, PT, R2, R1, !P1",
	  80,
	  { { 0x000000010200720c, 0x4f06670 } },
	  { { "R1=7 R2=0x80000001 P1=1", "P0", 0 }, { "R1=7 R2=0x80000001 P1=0", "P0", 1 } } },
	{ "ISETP.LT.AND P0, P1, R2, R1, PT",
	  80,
	  { { 0x000000010200720c, 0x3901270 } },
	  { { "R1=7 R2=0x80000001", "P0", 1 }, { "R1=7 R2=0x80000001", "P1", 0 } } },
	{ "@P0 ISETP.LT.AND P0, P1, R2, R1, !PT",
	  80,
	  { { 0x000000010200020c, 0x7901270 } },
	  { { "R1=7 R2=9 P0=1 P1=1", "P1", NOT_KNOWN }, { "R1=7 R2=9 P0=1 P1=1", "P0", NOT_KNOWN } } },
	{ "UISETP.LT.U32.AND UP0, UPT, UR21, 0x1, UPT",
	  100,
	  { { 0x000000011500788c, 0xbf01070 } },
	  { { "UR21=0", "UP0", 1 }, { "UR21=1", "UP0", 0 } } },
	/* shifts */
	{ "SHF.L.U32 R3, R2, 0x2, RZ", 89, { { 0x0000000202037819, 0x6ff } }, { { "R2=0x40000001", "R3", 4 } } },
	{ "SHF.L.U32 R7, R7, R6, RZ",
	  75,
	  { { 0x0000000607077219, 0x6ff } },
	  { { "R7=3 R6=4", "R7", 48 }, { "R7=3 R6=33", "R7", 0 } } },
	{ "SHF.L.U64.HI R7, R6, 0x3, R7",
	  75,
	  { { 0x0000000306077819, 0x10207 } },
	  { { "R6=0xe0000000 R7=1", "R7", 15 } } },
	{ "SHF.L.U64.HI R23, R8, R29, R9",
	  80,
	  { { 0x0000001d08177219, 0x10209 } },
	  { { "R8=1 R29=1 R9=1", "R23", NOT_KNOWN } } },
	{ "SHF.R.U32.HI R3, RZ, 0x8, R3",
	  100,
	  { { 0x00000008ff037819, 0x11603 } },
	  { { "R3=0x80000100", "R3", 0x800001 } } },
	{ "SHF.R.S32.HI R23, RZ, R11, R0",
	  100,
	  { { 0x0000000bff177219, 0x11400 } },
	  { { "R0=0x80000000 R11=40", "R23", 0xffffffff }, { "R0=0x40000000 R11=30", "R23", 1 } } },
	{ "SHF.R.U64 R7, R28, 0x18, R29",
	  100,
	  { { 0x000000181c077819, 0x121d } },
	  { { "R28=0xab000000 R29=0x11223344", "R7", 0x223344ab } } },
	{ "SHF.R.U32 R4, R4, 0x10, RZ",
	  100,
	  { { 0x0000001004047819, 0x16ff } },
	  { { "R4=0xabcd1234", "R4", 0xabcd } } },
	{ "SHF.L.W.U32.HI R4, R0, 0x18, R5",
	  100,
	  { { 0x0000001800047819, 0x10e05 } },
	  { { "R0=0x22334455 R5=0x11", "R4", 0x11223344 } } },
	{ "SHF.R.W.U32.HI R19, RZ, R7, R0",
	  100,
	  { { 0x00000007ff137219, 0x11e00 } },
	  { { "R0=0x80000000 R7=31", "R19", 1 }, { "R0=0x80000000 R7=33", "R19", 0x40000000 } } },
	{ "SHF.L.W.U32.HI R17, R0, R4, R5",
	  100,
	  { { 0x0000000400117219, 0x10e05 } },
	  { { "R0=0x80000000 R5=1 R4=1", "R17", 3 },
	    { "R0=0x80000000 R5=1 R4=33", "R17", 3 },
	    { "R0=9 R5=1 R4=32", "R17", 1 } } },
	{ "SHF.L.W.U32 R4, R6, R3, RZ", 80, { { 0x0000000306047219, 0xeff } }, { { "R6=3 R3=33", "R4", 6 } } },
	{ "SHF.R.U32 R11, R0, R7, R5",
	  100,
	  { { 0x00000007000b7219, 0x1605 } },
	  { { "R0=0x80000000 R5=1 R7=31", "R11", 3 }, { "R0=0x80000000 R5=1 R7=40", "R11", 1 } } },
	{ "SHF.L.U32.HI R5, R6, R7, R3",
	  75,
	  { { 0x0000000706057219, 0x10603 } },
	  { { "R6=0x80000000 R3=1 R7=1", "R5", 3 }, { "R6=9 R3=1 R7=40", "R5", 9 } } },
	{ "USHF.L.U32 UR4, UR4, 0x2, URZ", 80, { { 0x0000000204047899, 0x800063f } }, { { "UR4=5", "UR4", 20 } } },
	/* shifts with a sum */
	{ "LEA R4, R7, R5, 0x18", 100, { { 0x0000000507047211, 0x78ec0ff } }, { { "R7=1 R5=2", "R4", 0x1000002 } } },
	{ "LEA R12, R12, 0x8, 0x2", 75, { { 0x000000080c0c7811, 0x78e10ff } }, { { "R12=3", "R12", 20 } } },
	{ "LEA.HI R2, R2, R2, RZ, 0x1",
	  100,
	  { { 0x0000000202027211, 0x78f08ff } },
	  { { "R2=0x80000003", "R2", 0x80000004 } } },
	{ "LEA.HI R0, R0, 0x1, RZ, 0x1f", 100, { { 0x0000000100007811, 0x78ff8ff } }, { { "R0=7", "R0", 4 } } },
	{ "LEA.HI R2, R2, R2, R3, 0x1",
	  100,
	  { { 0x0000000202027211, 0x78f0803 } },
	  { { "R2=0x80000000 R3=1", "R2", 0x80000003 } } },
	{ "LEA.HI.SX32 R8, R13, R8, 0x1f",
	  100,
	  { { 0x000000080d087211, 0x78ffaff } },
	  { { "R13=0x80000000 R8=1", "R8", 0xc0000001 } } },
	{ "LEA.HI.X R3, R3, R7, RZ, 0x2, P1",
	  90,
	  { { 0x0000000703037211, 0x8f14ff } },
	  { { "R3=1 R7=1 P1=1", "R3", NOT_KNOWN } } },
	{ "ULEA UR9, UR6, UR4, 0x18",
	  120,
	  { { 0x0000000406097291, 0xf8ec0ff } },
	  { { "UR6=1 UR4=3", "UR9", 0x1000003 } } },
	/* products */
	{ "IMAD.WIDE R6, R7, 0x4, R2",
	  100,
	  { { 0x0000000407067825, 0x78e0202 } },
	  { { "R7=0xffffffff R2=0 R3=1", "R6.64", 0xfffffffc } } },
	{ "IMAD.WIDE.U32 R6, R3, 0x4, R6",
	  100,
	  { { 0x0000000403067825, 0x78e0006 } },
	  { { "R3=0xffffffff R6=0 R7=1", "R6.64", 0x4fffffffc } } },
	{ "IMAD.WIDE.U32 R6, R3, 0x4, RZ",
	  100,
	  { { 0x0000000403067825, 0x78e00ff } },
	  { { "R3=0xffffffff", "R6.64", 0x3fffffffc } } },
	{ "IMAD.WIDE R6, R7, 0x4, RZ",
	  100,
	  { { 0x0000000407067825, 0x78e02ff } },
	  { { "R7=0xffffffff", "R6.64", 0xfffffffffffffffc } } },
	{ "IMAD.WIDE.U32.X R12, R5, R9, R12, P1",
	  100,
	  { { 0x00000009050c7225, 0x8e040c } },
	  { { "R5=1 R9=1 R12=1 R13=1 P1=0", "R12", NOT_KNOWN } } },
	{ "IMAD.HI.U32 R12, R12, R41, RZ",
	  75,
	  { { 0x000000290c0c7227, 0x78e00ff } },
	  { { "R12=0x80000000 R41=6", "R12", 3 } } },
	{ "IMAD.HI R2, R2, 0x55555556, RZ",
	  100,
	  { { 0x5555555602027827, 0x78e02ff } },
	  { { "R2=0xfffffffd", "R2", 0xfffffffe } } },
	{ "IMAD.HI R2, R3, -0x6db6db6d, R2",
	  75,
	  { { 0x9249249303027827, 0x78e0202 } },
	  { { "R2=0 R3=21", "R2", 12 }, { "R2=0 R3=0xffffffeb", "R2", 0xfffffff3 } } },
	{ "UIMAD.WIDE.U32 UR20, UR5, UR22, URZ",
	  120,
	  { { 0x00000016051472a5, 0xf8e00ff } },
	  { { "UR5=0x10000 UR22=0x10001", "UR20.64", 0x100010000 } } },
	/* bytes */
	{ "PRMT R15, R0, 0x8880, RZ",
	  100,
	  { { 0x00008880000f7816, 0xff } },
	  { { "R0=0x85", "R15", 0xffffff85 }, { "R0=0x75", "R15", 117 } } },
	{ "PRMT R9, R13, 0x5410, R14",
	  90,
	  { { 0x000054100d097816, 0xe } },
	  { { "R13=0x11112222 R14=0x33334444", "R9", 0x44442222 } } },
	{ "PRMT R9, R7, R4, R6",
	  75,
	  { { 0x0000000407097216, 0x6 } },
	  { { "R4=0x7654 R6=0xdeadbeef R7=1", "R9", 0xdeadbeef } } },
	{ "PRMT.F4E R9, R7, R4, R6", 75, { { 0x0000000407097216, 0x106 } }, { { "R4=0 R6=1 R7=1", "R9", NOT_KNOWN } } },
	/* the least */
	{ "IMNMX R3, R6, R3, !PT", 75, { { 0x0000000306037217, 0x7800200 } }, { { "R6=0xffffffff R3=4", "R3", 4 } } },
	{ "IMNMX.U32 R21, R7, R6, !PT",
	  75,
	  { { 0x0000000607157217, 0x7800000 } },
	  { { "R7=0xffffffff R6=4", "R21", 0xffffffff } } },
	{ "IMNMX R16, R8, R11, PT",
	  75,
	  { { 0x0000000b08107217, 0x3800200 } },
	  { { "R8=0xffffffff R11=4", "R16", 0xffffffff } } },
	{ "IMNMX.U32 R6, R10, R27, PT",
	  89,
	  { { 0x0000001b0a067217, 0x3800000 } },
	  { { "R10=0xffffffff R27=4", "R6", 4 } } },
	{ "IMNMX R16, R8, R11, P1",
	  75,
	  { { 0x0000000b08107217, 0x800200 } },
	  { { "R8=1 R11=4 P1=1", "R16", NOT_KNOWN } } },
	{ "VIMNMX.S32 R2, PT, PT, R3, R2, !PT",
	  120,
	  { { 0x0000000203027248, 0x7fe0100 } },
	  { { "R3=0xffffffff R2=4", "R2", 4 } } },
	{ "VIMNMX.U32 R0, PT, PT, R9, R3, PT",
	  100,
	  { { 0x0000000309007248, 0x3fe0000 } },
	  { { "R9=0xffffffff R3=4", "R0", 4 } } },
	{ "VIMNMX.U16x2 R12, PT, PT, R6, R8, PT",
	  120,
	  { { 0x00000008060c7248, 0x3fe0200 } },
	  { { "R6=1 R8=4", "R12", NOT_KNOWN } } },
	{ "VIMNMX3.U32 R17, R0, R5, R7, !PT",
	  90,
	  { { 0x000000050011720f, 0x7800007 } },
	  { { "R0=1 R5=9 R7=0xffffffff", "R17", 0xffffffff }, { "R0=1 R5=9 R7=2", "R17", 9 } } },
	{ "VIADDMNMX R0, R3, 0x1, R0, PT",
	  100,
	  { { 0x0000000103007846, 0x3800100 } },
	  { { "R3=4 R0=0xfffffff9", "R0", 0xfffffff9 }, { "R3=4 R0=8", "R0", 5 } } },
	{ "VIADDMNMX R17, R0, R5, R7, !PT",
	  100,
	  { { 0x0000000500117246, 0x7800107 } },
	  { { "R0=4 R5=5 R7=0xffffffff", "R17", 9 } } },
	{ "UVIMNMX.U32 UR9, UR10, 0x1, !UPT", 120, { { 0x000000010a09784a, 0xffe0000 } }, { { "UR10=0", "UR9", 1 } } },
	/* predicates */
	{ "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0",
	  75,
	  { { 0x000000000000781c, 0x3f0f008 } },
	  { { "UP0=1", "P0", 1 }, { "UP0=0", "P0", 0 } } },
	{ "PLOP3.LUT P0, PT, P0, P1, P2, 0xe0, 0x0",
	  100,
	  { { 0x000000000000781c, 0x703c20 } },
	  { { "P0=1 P1=0 P2=1", "P0", 1 },
	    { "P0=1 P1=0 P2=0", "P0", 0 },
	    { "P0=0 P1=1 P2=1", "P0", 0 },
	    { "P0=1 P1=1 P2=0", "P0", 1 } } },
	{ "PLOP3.LUT P0, PT, P1, PT, PT, 0x8, 0x0",
	  75,
	  { { 0x000000000000781c, 0xf0e170 } },
	  { { "P1=0", "P0", 1 }, { "P1=1", "P0", 0 } } },
	{ "PLOP3.LUT P1, PT, P1, P2, PT, 0x2a, 0x0",
	  75,
	  { { 0x000000000000781c, 0xf24572 } },
	  { { "P1=1 P2=1", "P1", 0 }, { "P1=1 P2=0", "P1", 1 }, { "P1=0 P2=0", "P1", 1 } } },
	{ "PLOP3.LUT P5, PT, P5, P0, PT, 0x2, 0x0",
	  75,
	  { { 0x000000000000781c, 0x2fa0072 } },
	  { { "P5=0 P0=0", "P5", 1 }, { "P5=1 P0=0", "P5", 0 }, { "P5=0 P0=1", "P5", 0 } } },
	{ "SEL R2, R8, R9, !P2",
	  100,
	  { { 0x0000000908027207, 0x5000000 } },
	  { { "R8=1 R9=2 P2=1", "R2", 2 }, { "R8=1 R9=2 P2=0", "R2", 1 } } },
	{ "@!P2 SEL R17, R21, 0x63400000, !P3",
	  100,
	  { { 0x634000001511a807, 0x5800000 } },
	  { { "R17=1 R21=2 P2=1 P3=0", "R17", 1 },
	    { "R17=1 R21=2 P2=0 P3=0", "R17", 2 },
	    { "R17=1 R21=2 P2=0 P3=1", "R17", 0x63400000 } } },
	{ "@P4 VIADD R10, R10, 0x1",
	  100,
	  { { 0x000000010a0a4836, 0x0 } },
	  { { "R10=5 P4=1", "R10", 6 }, { "R10=5 P4=0", "R10", 5 } } },
	{ "LOP3.LUT P0, RZ, R2, 0x4, RZ, 0xc0, !PT",
	  100,
	  { { 0x0000000402ff7812, 0x780c0ff } },
	  { { "R2=4", "P0", 1 }, { "R2=3", "P0", 0 } } },
	{ "USEL UR10, UR10, 0x1, !UP1",
	  80,
	  { { 0x000000010a0a7887, 0xc800000 } },
	  { { "UR10=7 UP1=0", "UR10", 7 }, { "UR10=7 UP1=1", "UR10", 1 } } },
	/* pairs */
	{ "IADD.64 R22, R22, R26",
	  120,
	  { { 0x0000001a16167235, 0x78e0200 } },
	  { { "R22=0xffffffff R23=1 R26=1 R27=0", "R22.64", 0x200000000 } } },
	{ "IADD.64 R22, R22, -R26",
	  120,
	  { { 0x8000001a16167235, 0x78e0200 } },
	  { { "R22=0 R23=1 R26=1 R27=0", "R22.64", 0xffffffff } } },
	{ "IADD.64 R18, R18, 0x24",
	  120,
	  { { 0x0000002412127835, 0x78e0200 } },
	  { { "R18=0xfffffff0 R19=0", "R18.64", 0x100000014 } } },
	{ "IADD.64 R18, R18, -0x10",
	  120,
	  { { 0xfffffff012127835, 0x78e0200 } },
	  { { "R18=8 R19=1", "R18.64", 0xfffffff8 } } },
	{ "IADD.64.X R2, RZ, R14, P1",
	  120,
	  { { 0x0000000eff027235, 0x8e0600 } },
	  { { "R14=1 R15=1 P1=0", "R2", NOT_KNOWN } } },
	{ "UIADD3.64 UR16, UR12, 0x4, URZ",
	  120,
	  { { 0x000000040c107897, 0xfffe0ff } },
	  { { "UR12=0xffffffff UR13=0", "UR16.64", 0x100000003 } } },
	{ "MOV.64 R6, R4", 120, { { 0x0000000400067202, 0x10f00 } }, { { "R4=1 R5=2", "R6.64", 0x200000001 } } },
	{ "UMOV.64 UR10, 0x123456789abcdef",
	  120,
	  { { 0x6789abcdef0a7482, 0x8012345 } },
	  { { "", "UR10.64", 0x123456789abcdef } } },
	/* moves */
	{ "HFMA2 R15, -RZ, RZ, 0, 0.00048828125", 120, { { 0x00001000ff0f7431, 0x1ff } }, { { "", "R15", 0x1000 } } },
	{ "HFMA2.MMA R11, -RZ, RZ, 0, 2.384185791015625e-07",
	  80,
	  { { 0x00000004ff0b7435, 0x1ff } },
	  { { "", "R11", 4 } } },
	{ "HFMA2.FTZ R15, -RZ, RZ, 0, 0.00048828125",
	  120,
	  { { 0x00001000ff0f7431, 0x101ff } },
	  { { "", "R15", NOT_KNOWN } } },
	{ "HFMA2 R15, -R4, RZ, 0, 0.00048828125",
	  120,
	  { { 0x00001000040f7431, 0x1ff } },
	  { { "R4=1", "R15", NOT_KNOWN } } },
	{ "HFMA2.BF16_V2 R17, R0, R5, R4",
	  100,
	  { { 0x0000000500117231, 0x200004 } },
	  { { "R0=1 R4=1 R5=1", "R17", NOT_KNOWN } } },
	{ "MOV.?quad=3 R8, R2", 80, { { 0x0000000200087202, 0x300 } }, { { "R2=1", "R8", NOT_KNOWN } } },
	{ "LDC R1, c[0x0][0x37c]", 100, { { 0x0000df00ff017b82, 0x800 } }, { { "", "R1", NOT_KNOWN } } },
	{ "LDC.64 R10, c[0x0][0x380]", 100, { { 0x0000e000ff0a7b82, 0xa00 } }, { { "", "R10.64", 0x123456789 } } },
	{ "LDC.64 R10, c[0x0][R4+0x380]", 100, { { 0x0000e000040a7b82, 0xa00 } }, { { "R4=0", "R10", NOT_KNOWN } } },
	{ "LDC R1, c[0x0][0x360]", 100, { { 0x0000d800ff017b82, 0x800 } }, { { "", "R1", 64 } } },
	{ "LDC R1, c[0x0][0x370]", 100, { { 0x0000dc00ff017b82, 0x800 } }, { { "", "R1", 10 } } },
	{ "MOV R2, c[0x0][0x0]", 80, { { 0x0000000000027a02, 0xf00 } }, { { "", "R2", 64 } } },
	{ "MOV R2, c[0x0][0xc]", 80, { { 0x0000030000027a02, 0xf00 } }, { { "", "R2", 10 } } },
	{ "MOV R6, c[0x0][0x160]", 80, { { 0x0000580000067a02, 0xf00 } }, { { "", "R6", 0x23456789 } } },
	{ "ULDC UR4, c[0x0][0x160]", 75, { { 0x0000580000047ab9, 0x800 } }, { { "", "UR4", 0x23456789 } } },
	{ "LDCU UR7, c[0x0][0x380]", 120, { { 0x00007000ff0777ac, 0x8000800 } }, { { "", "UR7", 0x23456789 } } },
	{ "LDC.U8 R22, c[0x0][0x160]", 80, { { 0x00005800ff167b82, 0x0 } }, { { "", "R22", NOT_KNOWN } } },
	{ "R2UR UR5, R11", 90, { { 0x000000000b0572ca, 0xe0000 } }, { { "R11=9", "UR5", 9 } } },
	{ "CS2R R6, SRZ", 89, { { 0x0000000000067805, 0x1ff00 } }, { { "", "R6.64", 0 } } },
	{ "ULOP3.LUT UR7, UR8, 0xfffffffd, URZ, 0xc0, !UPT",
	  100,
	  { { 0xfffffffd08077892, 0xf8ec0ff } },
	  { { "UR8=7", "UR7", 5 } } },
	{ "UIADD3 UR6, UP0, UPT, UR16, 0x4, URZ",
	  100,
	  { { 0x0000000410067890, 0xff1e0ff } },
	  { { "UR16=0xffffffff", "UR6", 3 }, { "UR16=0xffffffff", "UP0", 1 } } },
	{ "UIADD3.X UR10, UPT, UPT, URZ, UR17, URZ, UP0, !UPT",
	  100,
	  { { 0x00000011ff0a7290, 0x87fe4ff } },
	  { { "UR17=5 UP0=1", "UR10", 6 } } },
};

/* Registers by name: R1, P1, UR1, UP1. */
static uint32_t register_of(const char *name, char **end)
{
	const bool uniform = *name == 'U', pred = name[uniform] == 'P';
	const uint32_t n = (uint32_t)strtoul(name + uniform + 1, end, 10);

	if (uniform)
		return n + (pred ? MREG_UP0 : MREG_UR0);
	return n + (pred ? MREG_P0 : 0u);
}

/* MOV, UMOV, ISETP.NE or UISETP.NE of zero and an immediate. */
static struct sass_word setting(unsigned sm, uint32_t reg, uint64_t v)
{
	switch (mreg_file(reg)) {
	case FILE_GPR:
		return (struct sass_word){ v << 32 | (uint64_t)reg << 16 | 0x7802, 0xf00 };
	case FILE_UGPR:
		return (struct sass_word){ v << 32 | (uint64_t)(reg - MREG_UR0) << 16 | 0x7882, 0 };
	case FILE_PRED:
		return (struct sass_word){ v << 32 | 0xff00780c, 0x3f05070 | (uint64_t)(reg - MREG_P0) << 17 };
	case FILE_UPRED:
		return (struct sass_word){ v << 32 | (sm < 100 ? 0x3f00788c : 0xff00788c),
					   0xbf05070 | (uint64_t)(reg - MREG_UP0) << 17 };
	case FILE_CBAR:
	case FILE_COUNT:
		break;
	}
	ck_abort_msg("register %u", reg);
	return (struct sass_word){ 0 };
}

struct run {
	struct slice e;
	uint32_t end;
};

/* Instructions in the place of those of a kernel, to be asked what is in registers behind them. */
static void run_code(struct run *r, unsigned sm, struct sass_word *code, unsigned n)
{
	static const struct launch_facts facts = LAUNCH;
	struct source s;
	const struct cubin *c =
		cubin_of(arena_printf(&arena, CUBINS "lavamd.sm_%u%s.cubin", sm, sm >= 90 ? "a" : ""), &s);
	struct freq *f = new(&arena, struct freq);
	struct kernel *k;
	uint32_t *in_no_loop;

	code[n++] = (struct sass_word)EXIT_WORD;
	put_words(&s, c, ".text.lavamd", 0, code, n);
	k = kernel_called(lift_checked(cubin_of_source(&s)), "lavamd");
	ck_assert(pass_need(k, FACT_CFG | FACT_DOM, &cx));
	in_no_loop = arena_alloc(&arena, k->nblock * sizeof *in_no_loop, sizeof *in_no_loop);
	memset(in_no_loop, 0xff, k->nblock * sizeof *in_no_loop);
	ck_assert(slice_init(&r->e, k->native->values(k, &arena), f, in_no_loop, &facts, &arena));
	r->e.steps = 10000;
	r->end = slice_end(&r->e, 0) - 1;
}

/* Of "R6.64" both registers. */
static uint64_t value_of_register(struct run *r, const char *name)
{
	uint64_t low, high = 0;
	char *end;
	const uint32_t reg = register_of(name, &end);

	return slice_register(&r->e, reg, 0, r->end, &low) &&
			       (!*end || slice_register(&r->e, reg + 1, 0, r->end, &high))
		       ? high << 32 | low
		       : NOT_KNOWN;
}

/* What is in registers after the instructions, with these values in others before. */
static uint64_t value_after(const struct one *x, const char *in, const char *out)
{
	struct sass_word code[12];
	struct run r;
	unsigned n = 0;
	char *end;

	while (*in) {
		const uint32_t reg = register_of(in, &end);

		code[n++] = setting(x->sm, reg, strtoul(end + 1, &end, 0));
		in = end + (*end == ' ');
	}
	for (unsigned w = 0; w < 2 && x->word[w].lo; w++)
		code[n++] = x->word[w];
	run_code(&r, x->sm, code, n);
	return value_of_register(&r, out);
}

START_TEST(an_instruction_has_the_value_that_its_operands_give)
{
	const struct one *x = &one[_i];
	struct sass_insn s;

	ck_assert(sass_decode(x->sm, x->word[x->word[1].lo != 0], &s));
	ck_assert_str_eq(sass_print(&arena, x->sm, &s, &(struct sass_print){ 0 }), x->text);
	for (unsigned t = 0; t < 4 && x->try[t].out; t++) {
		const uint64_t v = value_after(x, x->try[t].in, x->try[t].out);

		ck_assert_msg(v == x->try[t].want, "%s with %s: %s is 0x%llx, not 0x%llx", x->text, x->try[t].in,
			      x->try[t].out, (unsigned long long)v, (unsigned long long)x->try[t].want);
	}
}
END_TEST

/* PLOP3 of P0, P1 and P2, of which row 4 a + 2 b + c of the table counts; its result in R0 to R7 by SEL, for each
 * row. */
START_TEST(a_function_of_predicates_is_its_table)
{
	for (unsigned table = (unsigned)_i; table < 256; table += 16) {
		struct sass_word code[48];
		unsigned n = 0;
		struct run r;

		for (unsigned row_of = 0; row_of < 8; row_of++) {
			for (unsigned p = 0; p < 3; p++)
				code[n++] = setting(80, MREG_P0 + p, row_of >> (2 - p) & 1);
			code[n++] = (struct sass_word){ 0x781c, 0x762020 | (table & 7) | (table >> 3) << 8 };
			/* SEL R, RZ, 0x1, !P3 */
			code[n++] = (struct sass_word){ UINT64_C(1) << 32 | 0xff007807 | row_of << 16, 0x5800000 };
		}
		run_code(&r, 80, code, n);
		for (unsigned row_of = 0; row_of < 8; row_of++)
			ck_assert_msg(value_of_register(&r, arena_printf(&arena, "R%u", row_of)) ==
					      (table >> row_of & 1),
				      "table 0x%02x, row %u", table, row_of);
	}
}
END_TEST

Suite *suite_native_trip(void)
{
	Suite *s = suite_create("native_trip");
	TCase *t = tcase_create("native_trip");

	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_loop_test(t, a_loop_goes_round_as_often_as_its_source_says, 0, sizeof row / sizeof *row);
	tcase_add_loop_test(t, an_immediate_that_a_relocation_changes_is_not_known, 0, 2);
	tcase_add_test(t, control_comes_back_from_a_call_whose_condition_holds);
	tcase_add_test(t, a_bank_that_a_relocation_changes_is_not_known);
	tcase_add_loop_test(t, an_instruction_has_the_value_that_its_operands_give, 0, sizeof one / sizeof *one);
	tcase_add_loop_test(t, a_function_of_predicates_is_its_table, 0, 16);
	suite_add_tcase(s, t);
	return s;
}
