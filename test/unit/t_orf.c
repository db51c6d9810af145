/* Allocation to the upper levels of the register file: the paper's examples, and what the rules forbid. */
#include "passes/orf_alloc.h"
#include "passes/orf_traffic.h"
#include "passes/orf_why.h"

#include "test/unit/pass_fixture.h"
#include <stdlib.h>

Suite *suite_orf(void);

static struct kernel *k;

/* ---- kernels as text ---- */
static const struct {
	const char *name;
	enum op op;
	unsigned ndst, nsrc;
	enum space space;
} words[] = {
	{ "add", OP_ADD_S32, 1, 2, SP_NONE },  { "add64", OP_ADD_S64, 1, 2, SP_NONE },
	{ "fma", OP_FMA_F32, 1, 3, SP_NONE },  { "wide", OP_MUL_WIDE_U32, 1, 2, SP_NONE },
	{ "ex2", OP_EX2_F32, 1, 1, SP_NONE },  { "lds", OP_LD_B32, 1, 1, SP_SHARED },
	{ "ldg", OP_LD_B32, 1, 1, SP_GLOBAL }, { "st", OP_ST_B32, 0, 2, SP_SHARED },
	{ "bra", OP_BRA, 0, 1, SP_NONE },      { "exit", OP_EXIT, 0, 0, SP_NONE },
};

static struct ref operand(char **p)
{
	unsigned long v;

	if (**p == '#') {
		++*p;
		v = strtoul(*p, p, 10);
		return ir_imm(k, v);
	}
	v = strtoul(*p, p, 10);
	return ref_reg(v & 255);
}

/* Instructions "add 1 2 3" end with ';', '#': an immediate; '@' guards by P0; '!' begins a strand; '|' begins a block;
 * "bra 2" goes to block 2. */
static void make(const char *text)
{
	struct module *m = module_new(&arena);
	uint8_t *begin = new_array(&arena, uint8_t, 1000);
	uint32_t *id = new_array(&arena, uint32_t, 1000), strand = 0;
	char *p = arena_strndup(&arena, text, strlen(text));
	struct strands *st = new(&arena, struct strands);

	m->address_bits = 32;
	k = kernel_new(m, "test");
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	begin[0] = STRAND_BEGIN;
	while (*(p += strspn(p, " ;"))) {
		bool guard = false;
		struct insn *i;
		size_t n, x = 0;

		if (*p == '|') {
			ir_block(k, NULL);
			p++;
			continue;
		}
		if (*p == '!') {
			strand += k->ninsn != 0;
			begin[k->ninsn] = STRAND_BEGIN;
			p++;
		}
		guard = *p == '@';
		p += guard;
		n = strcspn(p, " ;");
		while (strncmp(words[x].name, p, n) != 0 || words[x].name[n])
			x++;
		p += n;
		id[k->ninsn] = strand;
		i = ir_append(k, words[x].op, words[x].ndst, words[x].nsrc);
		i->space = words[x].space;
		for (unsigned o = 0; o < words[x].ndst + words[x].nsrc; o++) {
			struct ref r;

			p += strspn(p, " ");
			r = operand(&p);
			k->opnd[i->opnd + o] =
				words[x].op == OP_BRA ? (struct ref){ .kind = REF_BLOCK, .val = r.val } : r;
		}
		if (guard)
			i->guard = ref_reg(MREG_P0);
	}
	*st = (struct strands){ .id = id, .begin = begin, .n = strand + 1 };
	k->facts = 0;
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	ck_assert(pass_need(k, FACT_CFG, &cx));
	k->strand = st;
	k->facts |= FACT_STRAND;
}

static void allocate(const char *text)
{
	make(text);
	ck_assert(pass_need(k, FACT_LIVE | FACT_FREQ, &cx));
	orf_allocate(k, &cx.opt.orf, &cx.scratch);
	ck_assert_msg(check_orf(k, &diag), "%s", diag.last);
}

/* "M O0 M+O1 > M+O0": sources, then results; M+O0 of a source is a fill, of a result a write to both. */
static const char *places(enum orf_organisation org, uint32_t i)
{
	const struct orf *o = k->orf[org];
	struct insn_regs r;
	char *s = arena_strndup(&arena, "", 0);

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned x = 0; x < r.nsrc + (unsigned)r.ndst; x++) {
		uint8_t p = o->place[o->at[i] + x];
		bool level = place_level(p) != LEVEL_MRF;
		const char *between = x ? " " : "";

		if (x == r.nsrc)
			between = *s ? " > " : "> ";
		s = arena_printf(
			&arena, "%s%s%s%s%s", s, between, place_mrf(p) ? "M" : "", place_mrf(p) && level ? "+" : "",
			!level ? ""
			       : arena_printf(&arena, "%c%u", place_level(p) == LEVEL_L1 ? 'O' : 'L', place_entry(p)));
	}
	return s;
}
#define IS(org, i, text) ck_assert_str_eq(places(org, i), text)

/* ---- savings: Figures 10, 11 and 13 ---- */
static struct orf_code code;
static struct orf_work work;

static void find_values(const char *text)
{
	make(text);
	ck_assert(pass_need(k, FACT_LIVE | FACT_FREQ, &cx));
	orf_code_build(&code, k, &cx.opt.orf, &arena);
	orf_work_init(&work, &code, &arena);
	orf_values_find(&work, &code.region[0]);
}

static struct orf_cut cut(uint32_t v, uint32_t n, enum rf_level level)
{
	struct orf_cut c;

	orf_cut(&work, &work.value[v], n, (struct orf_bank){ level, 0, NO_SLOT }, &c);
	return c;
}

/* With wires, private datapath, 3 entries and 8 warps, pJ: MRF read 124.8, write 148.8; L1 read 21.76, write 47.36; L0
 * read 8.64, write 19.04. To shared units L1 read 33.92, write 59.52. */
START_TEST(savings_are_those_of_figure_10)
{
	struct orf_cut c;

	find_values("add 1 #1 #2; add 2 1 #1; add 3 1 2; st 9 3; exit");
	ck_assert_uint_eq(work.nvalue, 3); /* R1, R2, R3 */
	c = cut(0, 2, LEVEL_L1);
	ck_assert_double_eq(c.saved, 2 * (124800 - 21760) - 47360 + 148800);
	ck_assert_double_eq(c.slots, 2);
	/* a partial range: the other read needs the main register file, so that is written */
	c = cut(0, 1, LEVEL_L1);
	ck_assert_double_eq(c.saved, (124800 - 21760) - 47360);
	ck_assert_double_eq(c.slots, 1);
	c = cut(0, 2, LEVEL_L0);
	ck_assert_double_eq(c.saved, 2 * (124800 - 8640) - 19040 + 148800);
	c = cut(2, 1, LEVEL_L1); /* read by a shared unit */
	ck_assert_double_eq(c.saved, (124800 - 33920) - 47360 + 148800);
	ck_assert(!cut(2, 1, LEVEL_L0).possible);
}
END_TEST

START_TEST(what_outlives_its_strand_is_written_to_the_main_register_file_too)
{
	struct orf_cut c;

	find_values("add 1 #1 #2; add 2 1 #1; st 9 2; !add 3 1 #1; st 9 3; exit");
	c = cut(0, 1, LEVEL_L1);
	ck_assert_double_eq(c.saved, (124800 - 21760) - 47360);
	ck_assert(c.used[0] && c.mrf[0]);
}
END_TEST

START_TEST(a_read_operand_saves_what_figure_13_says)
{
	struct orf_cut c;

	find_values("add 1 8 #1; add 2 8 #1; add 3 8 #1; st 9 1; st 9 2; st 9 3; exit");
	ck_assert_uint_eq(work.value[0].reg, 8);
	ck_assert(work.write[work.value[0].write].fill);
	c = cut(0, 2, LEVEL_L1); /* 3 reads */
	ck_assert_double_eq(c.saved, 2 * (124800 - 21760) - 47360);
	ck_assert_double_eq(c.slots, 2);
}
END_TEST

START_TEST(a_result_that_nobody_reads_takes_one_slot)
{
	struct orf_cut c;

	find_values("add 1 #1 #1; exit");
	ck_assert_uint_eq(work.nvalue, 1);
	c = cut(0, 0, LEVEL_L0);
	ck_assert_double_eq(c.saved, 148800 - 19040);
	ck_assert_double_eq(c.slots, 1);
	allocate("add 1 #1 #1; exit");
	IS(ORG_ORF, 0, "> O0");
	IS(ORG_LRF, 0, "> L0");
}
END_TEST

/* ---- Figure 12 ---- */
static const char figure_12a[] = "add 1 2 #3; add 3 1 #3; add 4 1 #3; add 5 3 4; add 6 5 #1; add 7 6 #1; add 8 7 #1; "
				 "add 9 8 #1; add 10 9 #1; add 11 10 1; st 20 11; exit";

START_TEST(a_partial_range_ends_where_another_value_takes_the_entry)
{
	cx.opt.orf.entries = 1;
	cx.opt.orf.read_operands = false;
	allocate(figure_12a);
	IS(ORG_ORF, 0, "M > M+O0");
	IS(ORG_ORF, 1, "O0 > M");
	IS(ORG_ORF, 2, "O0 > O0");
	IS(ORG_ORF, 3, "M O0 > O0");
	IS(ORG_ORF, 9, "O0 M > O0");
	cx.opt.orf.partial = false;
	allocate(figure_12a);
	IS(ORG_ORF, 0, "M > M");
	IS(ORG_ORF, 1, "M > M"); /* R3 would overlap R4, which saves as much in half the time */
	IS(ORG_ORF, 2, "M > O0");
}
END_TEST

START_TEST(a_read_operand_stays_after_its_first_read)
{
	static const char figure_12b[] = "add 1 0 #3; add 2 0 #3; add 3 0 #3; add 4 0 #3; exit";

	allocate(figure_12b);
	IS(ORG_ORF, 0, "M+O1 > O0"); /* the results are dead; they save more in a slot, so they come first */
	IS(ORG_ORF, 1, "O1 > O0");
	IS(ORG_ORF, 3, "O1 > O0");
	cx.opt.orf.read_operands = false;
	allocate(figure_12b);
	IS(ORG_ORF, 0, "M > O0");
	IS(ORG_ORF, 3, "M > O0");
}
END_TEST

/* ---- Figure 14: R1 comes from a strand before. Blocks 1 and 2 are the sides, 3 the merge ---- */
START_TEST(a_value_written_on_one_side_is_not_in_the_orf_at_the_merge)
{
	cx.opt.orf.read_operands = false;
	allocate("add 5 #1 #1; @bra 2; | add 1 #1 #2; bra 3; | add 6 #1 #1; st 9 6; | add 7 1 #1; st 9 7; exit");
	IS(ORG_ORF, 2, "> M");
	IS(ORG_ORF, 6, "M > O0");
}
END_TEST

START_TEST(but_on_its_own_side_it_is)
{
	cx.opt.orf.read_operands = false;
	allocate("add 5 #1 #1; @bra 2; | add 1 #1 #2; add 8 1 #1; st 9 8; bra 3; | add 6 #1 #1; st 9 6; | add 7 1 #1; "
		 "st 9 7; exit");
	IS(ORG_ORF, 2, "> M+O0");
	IS(ORG_ORF, 3, "O0 > O0");
	IS(ORG_ORF, 8, "M > O0");
}
END_TEST

static const char figure_14c[] = "add 5 #1 #1; @bra 2; | add 1 #1 #2; bra 3; | add 1 #1 #1; | add 7 1 #1; st 9 7; exit";

START_TEST(a_value_written_on_both_sides_is_in_one_entry)
{
	allocate(figure_14c);
	IS(ORG_ORF, 2, "> O0");
	IS(ORG_ORF, 4, "> O0");
	IS(ORG_ORF, 5, "O0 > O0");
	IS(ORG_SPLIT, 2, "> L0");
	IS(ORG_SPLIT, 5, "L0 > O0");
	cx.opt.orf.forward_branches = false;
	allocate(figure_14c);
	IS(ORG_ORF, 2, "> M");
	IS(ORG_ORF, 4, "> M");
	IS(ORG_ORF, 5, "M > O0");
}
END_TEST

START_TEST(a_fill_on_one_side_and_a_result_on_the_other_serve_the_merge)
{
	allocate("add 5 #1 #1; @bra 2; | add 1 #1 #2; bra 3; | add 6 1 #1; st 9 6; | add 7 1 #1; add 8 1 7; st 9 8; "
		 "exit");
	IS(ORG_ORF, 2, "> O1");
	IS(ORG_ORF, 4, "M+O1 > O0");
	IS(ORG_ORF, 6, "O1 > O0");
	IS(ORG_ORF, 7, "O1 O0 > O0");
}
END_TEST

/* ---- lanes ---- */
START_TEST(a_guarded_result_joins_what_was_there)
{
	allocate("add 1 #1 #2; @add 1 #3 #4; add 2 1 #1; st 9 2; exit");
	IS(ORG_ORF, 0, "> O0");
	IS(ORG_ORF, 1, "> O0");
	IS(ORG_ORF, 2, "O0 > O0");
	allocate("@add 1 #3 #4; add 2 1 #1; st 9 2; exit"); /* lanes without it have the old value */
	IS(ORG_ORF, 0, "> M");
	IS(ORG_ORF, 1, "M > O0");
}
END_TEST

START_TEST(a_guarded_read_fills_nothing)
{
	allocate("@add 1 8 #1; add 2 8 #1; add 3 8 #1; st 9 2; st 9 3; exit");
	IS(ORG_ORF, 0, "M > O0");
	IS(ORG_ORF, 1, "M+O1 > O0");
	IS(ORG_ORF, 2, "O1 > O1");
}
END_TEST

/* ---- levels ---- */
START_TEST(long_latency_results_go_to_the_main_register_file_alone)
{
	allocate("ldg 1 9; add 2 #1 #1; st 9 2; !add 3 1 #1; st 9 3; exit");
	IS(ORG_SPLIT, 0, "M+O1 > M");
	IS(ORG_SPLIT, 3, "M > O0");
}
END_TEST

START_TEST(shared_units_reach_l1_only)
{
	allocate("lds 1 9; add 2 1 #1; ex2 3 2; st 9 3; exit");
	IS(ORG_SPLIT, 0, "M+O1 > O0");
	IS(ORG_SPLIT, 1, "O0 > O0");
	IS(ORG_SPLIT, 2, "O0 > O0");
	IS(ORG_SPLIT, 3, "O1 O0");
}
END_TEST

START_TEST(a_split_l0_serves_one_operand_slot_each)
{
	allocate("add 1 #1 #1; add 2 #1 #1; add 3 #1 #1; fma 4 1 2 3; fma 5 4 4 4; add 6 5 #1; add 7 #1 5; st 9 6; st "
		 "9 7; exit");
	IS(ORG_SPLIT, 0, "> L0");
	IS(ORG_SPLIT, 1, "> L1");
	IS(ORG_SPLIT, 2, "> L2");
	IS(ORG_SPLIT, 3, "L0 L1 L2 > O0"); /* R4 is read in all slots */
	IS(ORG_SPLIT, 4, "O0 > O0");       /* R5 in two */
	IS(ORG_LRF, 0, "> O1");
	IS(ORG_LRF, 2, "> L0");
	IS(ORG_LRF, 3, "O1 O0 L0 > L0");
}
END_TEST

START_TEST(a_64_bit_value_takes_two_entries)
{
	allocate("wide 2 #3 #4; add64 4 2 #1; add 6 4 5; st 9 6; exit");
	IS(ORG_ORF, 0, "> O0 O1");
	IS(ORG_ORF, 1, "O0 O1 > O0 O1");
	IS(ORG_ORF, 2, "O0 O1 > O0");
	IS(ORG_SPLIT, 0, "> L0 O0"); /* both are read in slot 0, which has one entry */
}
END_TEST

/* ---- one-level writes, section 7.9 ---- */
START_TEST(results_may_be_held_to_one_level)
{
	static const char text[] = "add 1 #1 #2; add 2 1 #1; st 9 2; !add 3 1 #1; st 9 3; exit";

	allocate(text);
	IS(ORG_ORF, 0, "> M+O0");
	IS(ORG_LRF, 0, "> M+L0");
	cx.opt.orf.writes = ORF_WRITES_L0;
	allocate(text);
	IS(ORG_ORF, 0, "> M");
	IS(ORG_LRF, 0, "> M+L0");
	cx.opt.orf.writes = ORF_WRITES_ONE;
	allocate(text);
	IS(ORG_ORF, 0, "> M");
	IS(ORG_LRF, 0, "> M");
}
END_TEST

/* ---- entries ---- */
START_TEST(both_sides_of_a_branch_may_have_one_entry)
{
	cx.opt.orf.entries = 1;
	allocate(
		"lds 1 9; @bra 2; | add 2 #1 #1; add 3 2 #1; st 9 3; bra 3; | add 4 #1 #1; add 5 4 #1; st 9 5; | exit");
	IS(ORG_ORF, 3, "O0 > O0");
	IS(ORG_ORF, 7, "O0 > O0");
}
END_TEST

/* R1 is read on the side that comes second in the code: it is dead on the other one. */
static const char one_side[] =
	"add 1 #1 #1; @bra 2; | add 2 #1 #1; add 3 2 #1; st 9 3; exit; | add 5 1 #1; st 9 5; exit";

START_TEST(exact_ranges_leave_an_entry_where_its_value_is_dead)
{
	cx.opt.orf.entries = 1;
	cx.opt.orf.read_operands = false;
	allocate(one_side);
	IS(ORG_ORF, 0, "> O0");
	IS(ORG_ORF, 3, "O0 > O0");
	IS(ORG_ORF, 6, "O0 > O0");
	cx.opt.orf.ranges = ORF_RANGES_PAPER;
	allocate(one_side);
	IS(ORG_ORF, 0, "> M");
	IS(ORG_ORF, 3, "O0 > O0");
	IS(ORG_ORF, 6, "M > O0");
}
END_TEST

START_TEST(a_value_goes_to_l0_if_it_can_and_to_l1_if_not)
{
	allocate("add 1 #1 #1; add 2 1 #1; add 3 1 2; st 9 3; exit");
	IS(ORG_LRF, 0, "> O0"); /* R2 saves as much in half the time */
	IS(ORG_LRF, 1, "O0 > L0");
	IS(ORG_LRF, 2, "O0 L0 > O0");
	IS(ORG_SPLIT, 0, "> L0");
	IS(ORG_SPLIT, 1, "L0 > L1");
	IS(ORG_SPLIT, 2, "L0 L1 > O0");
}
END_TEST

START_TEST(read_operands_may_go_to_l0)
{
	allocate("add 1 8 #1; add 2 8 #1; st 9 1; st 9 2; exit");
	IS(ORG_SPLIT, 0, "M+L0 > O0");
	IS(ORG_SPLIT, 1, "L0 > O1");
	allocate("add 1 8 #1; add 2 #1 8; st 9 1; st 9 2; exit"); /* in two slots */
	IS(ORG_SPLIT, 0, "M+O1 > O0");
	IS(ORG_LRF, 0, "M+L0 > O0");
}
END_TEST

START_TEST(nothing_is_read_from_an_entry_of_another_strand)
{
	allocate("add 1 #1 #1; !add 2 1 #1; st 9 2; exit");
	IS(ORG_ORF, 0, "> M");
	IS(ORG_ORF, 1, "M > O0");
}
END_TEST

/* The block that both sides lead to is in the strand, but so it is said to be from elsewhere too. */
START_TEST(a_merge_with_another_strand_finds_nothing)
{
	allocate("add 1 #1 #1; @bra 2; | !add 2 #1 #1; st 9 2; bra 2; | add 3 1 #1; st 9 3; exit");
	IS(ORG_ORF, 0, "> M");
	IS(ORG_ORF, 5, "M > O0");
}
END_TEST

START_TEST(what_a_profile_counts_can_weigh)
{
	static const char text[] =
		"lds 1 9; @bra 2; | add 2 1 #1; add 3 1 2; st 9 3; exit; | add 4 1 1; add 5 4 1; st 9 5; exit";
	struct orf_cut c;

	cx.opt.orf.weights = ORF_WEIGHTS_FREQ;
	make(text);
	ck_assert(pass_need(k, FACT_LIVE | FACT_FREQ, &cx));
	k->freq->executions[0] = 10;
	k->freq->executions[1] = 7;
	k->freq->executions[2] = 0; /* weighs as if one had */
	orf_code_build(&code, k, &cx.opt.orf, &arena);
	orf_work_init(&work, &code, &arena);
	orf_values_find(&work, &code.region[0]);
	ck_assert_uint_eq(work.value[1].reg, 1);
	c = cut(1, 4, LEVEL_L1);
	ck_assert_double_eq(c.saved, (2 * 7 + 2) * (124800 - 21760.) + 10 * (148800 - 59520.));
	ck_assert_double_eq(c.slots, 10 * 2 + 7 * 1 + 1 * 1);
}
END_TEST

/* ---- what it comes to ---- */
START_TEST(traffic_and_encoding_are_counted)
{
	struct orf_traffic t;
	struct orf_encoding e;
	struct orf_spent s;

	allocate("add 1 8 #1; add 2 8 1; st 9 2; !add 3 2 #1; st 9 3; exit");
	IS(ORG_ORF, 0, "M+O1 > O0");
	IS(ORG_ORF, 1, "O1 O0 > M+O0");
	IS(ORG_ORF, 2, "M O0");
	IS(ORG_ORF, 3, "M > O0");
	IS(ORG_ORF, 4, "M O0");
	orf_traffic_count(&t, k, k->orf[ORG_ORF], ORF_WEIGHTS_STATIC);
	ck_assert_double_eq(t.operands_read[0], 4);
	ck_assert_double_eq(t.operands_read[1], 4);
	ck_assert_double_eq(t.operands_written[0], 3);
	ck_assert_double_eq(t.operands_written[1], 0);
	ck_assert_double_eq(t.read[LEVEL_MRF][0], 2);
	ck_assert_double_eq(t.read[LEVEL_MRF][1], 2);
	ck_assert_double_eq(t.read[LEVEL_L1][0], 2);
	ck_assert_double_eq(t.read[LEVEL_L1][1], 2);
	ck_assert_double_eq(t.write[LEVEL_L1][0], 4);
	ck_assert_double_eq(t.write[LEVEL_MRF][0], 1);
	ck_assert_double_eq(t.fills, 1);
	ck_assert_double_eq(t.both, 1);
	s = orf_traffic_energy(&t, &cx.opt.orf);
	ck_assert_double_eq_tol(s.base_access, 8 * (8 * 8 + 3 * 11), 1e-9);
	ck_assert_double_eq_tol(s.base_wire, 32 * 1.9 * 11, 1e-9);
	ck_assert_double_eq_tol(s.access, 8 * (4 * 8 + 4 * 1.2 + 4 * 4.4 + 11), 1e-9);
	ck_assert_double_eq_tol(s.wire, 32 * 1.9 * (5 + 6 * 0.2 + 2 * 0.4), 1e-9);
	k->res.regs = 10;
	e = orf_encoding(k, k->orf[ORG_ORF], ORG_ORF);
	ck_assert_uint_eq(e.names, 13);
	ck_assert_uint_eq(e.name_bits, 4);
	ck_assert_uint_eq(e.name_bits_before, 4);
	ck_assert_uint_eq(e.second_bits, 2);
	ck_assert_uint_eq(e.second_sources, 1);
	ck_assert_uint_eq(e.second_results, 1);
	e = orf_encoding(k, k->orf[ORG_SPLIT], ORG_SPLIT);
	ck_assert_uint_eq(e.names, 16);
	ck_assert_uint_eq(e.second_bits, 3);
}
END_TEST

/* Of operand x of instruction i: sources, then results. */
static const char *why(enum orf_organisation org, uint32_t i, unsigned x)
{
	return orf_why_name[orf_why(k, org, &arena)[k->orf[org]->at[i] + x]];
}

START_TEST(it_is_said_why_an_operand_is_in_the_main_register_file_alone)
{
	uint32_t n[ORF_WHYS];

	cx.opt.orf.entries = 1;
	cx.opt.orf.read_operands = false;
	allocate(figure_12a);
	ck_assert_str_eq(why(ORG_ORF, 0, 0), "other strand");
	ck_assert_str_eq(why(ORG_ORF, 0, 1), ""); /* in both */
	ck_assert_str_eq(why(ORG_ORF, 1, 1), "no entry");
	/* a last read, which is left to the main register file */
	ck_assert_str_eq(why(ORG_ORF, 9, 1), "no entry");
	orf_why_count(k, ORG_ORF, orf_why(k, ORG_ORF, &arena), n);
	ck_assert(n[ORF_WHY_ENTRY] == 1 && n[ORF_WHY_NOT] == 9 && n[ORF_WHY_STRAND] == 0);
	allocate("ldg 1 9; add 2 #1 #1; st 9 2; !add 3 1 #1; add 4 3 #1; !st 9 4; exit");
	ck_assert_str_eq(why(ORG_ORF, 0, 1), "long latency");
	ck_assert_str_eq(why(ORG_ORF, 3, 0), "other strand");
	ck_assert_str_eq(why(ORG_ORF, 4, 1), "other strand");
	/* three writes of what is read once there and once later */
	cx.opt.orf.entries = 3;
	allocate("add 1 #1 #2; @add 1 #1 #3; @add 1 #1 #4; st 9 1; !add 3 1 #1; st 9 3; exit");
	ck_assert_str_eq(why(ORG_ORF, 0, 0), "saves nothing");
	ck_assert_str_eq(why(ORG_ORF, 3, 1), "saves nothing");
	cx.opt.orf.writes = ORF_WRITES_ONE;
	allocate("add 1 #1 #2; add 2 1 #1; st 9 2; !add 3 1 #1; st 9 3; exit");
	ck_assert_str_eq(why(ORG_LRF, 0, 0), "one level");
	ck_assert_str_eq(why(ORG_LRF, 1, 0), "one level");
}
END_TEST

Suite *suite_orf(void)
{
	Suite *s = suite_create("orf");
	TCase *t = tcase_create("allocation");

	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_test(t, savings_are_those_of_figure_10);
	tcase_add_test(t, what_outlives_its_strand_is_written_to_the_main_register_file_too);
	tcase_add_test(t, a_read_operand_saves_what_figure_13_says);
	tcase_add_test(t, a_result_that_nobody_reads_takes_one_slot);
	tcase_add_test(t, a_partial_range_ends_where_another_value_takes_the_entry);
	tcase_add_test(t, a_read_operand_stays_after_its_first_read);
	tcase_add_test(t, a_value_written_on_one_side_is_not_in_the_orf_at_the_merge);
	tcase_add_test(t, but_on_its_own_side_it_is);
	tcase_add_test(t, a_value_written_on_both_sides_is_in_one_entry);
	tcase_add_test(t, a_fill_on_one_side_and_a_result_on_the_other_serve_the_merge);
	tcase_add_test(t, a_guarded_result_joins_what_was_there);
	tcase_add_test(t, a_guarded_read_fills_nothing);
	tcase_add_test(t, long_latency_results_go_to_the_main_register_file_alone);
	tcase_add_test(t, shared_units_reach_l1_only);
	tcase_add_test(t, a_split_l0_serves_one_operand_slot_each);
	tcase_add_test(t, a_64_bit_value_takes_two_entries);
	tcase_add_test(t, results_may_be_held_to_one_level);
	tcase_add_test(t, both_sides_of_a_branch_may_have_one_entry);
	tcase_add_test(t, exact_ranges_leave_an_entry_where_its_value_is_dead);
	tcase_add_test(t, a_value_goes_to_l0_if_it_can_and_to_l1_if_not);
	tcase_add_test(t, read_operands_may_go_to_l0);
	tcase_add_test(t, nothing_is_read_from_an_entry_of_another_strand);
	tcase_add_test(t, a_merge_with_another_strand_finds_nothing);
	tcase_add_test(t, what_a_profile_counts_can_weigh);
	tcase_add_test(t, traffic_and_encoding_are_counted);
	tcase_add_test(t, it_is_said_why_an_operand_is_in_the_main_register_file_alone);
	suite_add_tcase(s, t);
	return s;
}
