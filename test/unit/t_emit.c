/* The views: listing, dot, JSON against its schema, summary. */
#include "analyzer/emit/emit.h"
#include "test/unit/cfg_spec.h"

#include <check.h>
#include <jansson.h>
#include <unistd.h>

static struct arena arena;
static struct diag diag;
static struct pass_ctx cx;
static struct module *m;
static struct kernel *k;
static char source_path[] = "/tmp/regloom-emit-XXXXXX";

static void setup(void)
{
	arena_init(&arena);
	diag_init(&diag, NULL);
	pass_ctx_init(&cx, &diag);
	m = module_new(&arena);
	m->address_bits = 64;
	m->ptx_version = 83;
	strcpy(m->target, "sm_75");
	m->src_name = "sum.ptx";
	k = kernel_new(m, "sum");
	k->form = FORM_MACHINE;
}

static void teardown(void)
{
	pass_ctx_free(&cx);
	diag_free(&diag);
	arena_free(&arena);
}

static struct insn *put(enum op op, uint32_t line, struct ref a, struct ref b, struct ref c, struct ref d)
{
	struct insn *i = ir_append(k, op, op_info[op].ndst, op_info[op].nsrc);
	struct ref v[4] = { a, b, c, d };

	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++)
		k->opnd[i->opnd + s] = v[s];
	i->space = op_info[op].mem_bytes ? SP_GLOBAL : SP_NONE;
	i->line = line;
	return i;
}

#define R(n) ref_reg(n)
#define P(n) ref_reg(MREG_P0 + (n))
#define IMM(x) ir_imm(k, x)
#define NO ref_none()

static struct ref to_block(uint32_t b) { return (struct ref){ .kind = REF_BLOCK, .val = b & REF_VAL_MAX }; }

/* Adds up squares in a loop; a spill by hand. */
static void build_sum(const char *file)
{
	uint32_t f = module_file(m, file), l3 = module_line(m, f, 3, 5), l4 = module_line(m, f, 4, 7),
		 l9 = module_line(m, f, 9, 1);

	ir_block(k, NULL);
	put(OP_MOV_B32, l3, R(0), (struct ref){ .kind = REF_SREG, .val = SREG_TID_X }, NO, NO);
	put(OP_MOV_B64, l3, R(2), ref_const(0, 0x20), NO, NO);
	put(OP_SETP_GE_S32, l3, P(0), R(0), ref_const(0, 0x28), NO);
	put(OP_BRA, l3, to_block(2), NO, NO, NO)->guard = P(0);
	ir_block(k, "loop");
	put(OP_LD_F32, l4, R(4), R(2), NO, NO)->offset = 16;
	put(OP_FMA_F32, l4, R(1), R(4), R(4), R(1));
	put(OP_ADD_S64, l4, R(2), R(2), IMM(4), NO);
	put(OP_ADD_S32, l4, R(0), R(0), IMM(-1), NO);
	put(OP_SETP_NE_B32, l3, P(1), R(0), IMM(0), NO);
	put(OP_BRA, l3, to_block(1), NO, NO, NO)->guard = P(1);
	ir_block(k, "done");
	put(OP_ST_F32, l9, IMM(0), R(1), NO, NO)->space = SP_LOCAL;
	k->insn[k->ninsn - 1].offset = 8;
	put(OP_ST_F32, 0, R(2), R(1), NO, NO);
	put(OP_EXIT, 0, NO, NO, NO, NO);
	k->spill = new_array(&arena, struct spill, 1);
	k->spill[0] = (struct spill){ .insn = 10, .store = true, .rc = RC_32, .slot = 8, .name = "%f1" };
	k->nspill = 1;
	k->res = (struct resources){ .regs = 5,
				     .preds = 2,
				     .param_bytes = 12,
				     .local_bytes = 12,
				     .spill_stores = 1,
				     .spill_bytes = 4,
				     .virtual_regs = 9,
				     .virtual_insns = 15 };
}

static void analyse(void)
{
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	ck_assert_msg(pass_need(k, FACT_ALL, &cx), "%s", diag.last);
}

enum view { LISTING, DOT, SUMMARY, JSON };

static char *text_of(enum view what)
{
	char *text = NULL, *copy;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (what == LISTING)
		emit_listing(f, m, k, ORG_SPLIT, true);
	else if (what == DOT)
		emit_dot(f, m, k, true);
	else if (what == SUMMARY)
		emit_summary(f, m, k, true);
	else
		ck_assert(emit_json(f, m, &cx.opt.regmutex, NULL));
	fclose(f);
	copy = arena_strndup(&arena, text, n);
	free(text);
	return copy;
}

static const char summary[] =
	"kernel sum (PTX for sm_75)\n"
	"  instructions   13 in 3 blocks; 15 in the input; loops nest 1 deep\n"
	"  registers      5 a thread (32-bit), for 9 virtual registers\n"
	"  predicates     2\n"
	"  most live      5 registers before instruction 5, no-such.cl:4; 1 predicate\n"
	"  most alive     5 with what waiting lanes of the warp read, 5 on all sides of branches (RegMutex, III-A1)\n"
	"  memory         shared 0 B a block, local 12 B a thread, parameters 12 B\n"
	"  warp releases  5 points; as metadata 2 words of flags, 1 of registers\n"
	"  strands        4 of 3.2 instructions, 1 of them after a wait; long latency 1, entry 1, loop 2\n"
	"  lanes          of 8 registers written 2 are the same in all threads of the grid, 0 of a CTA, 4 of a warp; 0 "
	"affine; 5 overwrite what no other lane reads\n"
	"                 7 instructions read the same in all lanes; lanes of a warp may execute 6 at different times\n"
	"  loops          loop, no-such.cl:4: 8 iterations (assumed)\n"
	"  spills         1 store, 0 loads, 4 B of local memory a thread\n"
	"                 %f1      at local+8    stored 1x (no-such.cl:9), loaded 0x\n"
	"  read together  4 pairs of registers, 27 times by a thread (estimated)\n"
	"  corf           2 exclusive pairs keep 92.6% (greedy; greedy 92.6%, matching 92.6%); 1 metadata word, code "
	"+7.7%\n"
	"  corf++         2 left, 2 right, lost 3.70% (default; the least); 1 metadata word, code +7.7%\n"
	"  orf            energy 96.5% of the MRF alone (estimated); reads MRF 85.5% ORF 14.5%, results MRF 100.0% ORF "
	"20.9% (two levels 20.9%); fills 1.4% of reads\n"
	"                 results in the MRF alone: long latency 1, other strand 5\n"
	"  lrf+orf        energy 94.0% of the MRF alone (estimated); reads MRF 85.5% ORF 1.4% LRF 13.0%, results MRF "
	"100.0% ORF 0.0% LRF 20.9% (two levels 20.9%); fills 1.4% of reads\n"
	"                 results in the MRF alone: long latency 1, other strand 5\n"
	"  split-lrf+orf  energy 94.0% of the MRF alone (estimated); reads MRF 85.5% ORF 1.4% LRF 13.0%, results MRF "
	"100.0% ORF 0.0% LRF 20.9% (two levels 20.9%); fills 1.4% of reads\n"
	"                 results in the MRF alone: long latency 1, other strand 5\n"
	"  encoding       1 bit to deschedule; 11 names instead of 5: 4 bits instead of 3; a second place, 3 bits, of "
	"1 source, 2 results\n"
	"                 sm-model compare charges what the paper counts, the 1 bit of each instruction\n"
	"  shared order   work before one is touched, if warps share 1 registers: 7.3% (by number 7.3%), 2 registers: "
	"7.3% (by number 1.8%), 4 registers: 1.8% (by number 1.8%)\n";

START_TEST(summary_says_what_was_found_and_where)
{
	build_sum("dir/no-such.cl");
	analyse();
	ck_assert_str_eq(text_of(SUMMARY), summary);
}
END_TEST

START_TEST(summary_does_not_call_the_best_what_is_not_proved)
{
	const char *text;

	build_sum("dir/no-such.cl");
	cx.opt.orf.exact = true;
	analyse();
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		k->orf[org]->greedy = 1000;
		k->orf[org]->saved = org == ORG_ORF ? 1000 : 1250;
		k->orf[org]->bound = org == ORG_SPLIT ? 1250 : 2000;
	}
	k->orf[ORG_LRF]->options.weights = ORF_WEIGHTS_FREQ;
	text = text_of(SUMMARY);
	ck_assert(strstr(text, "  orf            the best allocation found saves 1 pJ (each instruction once), as the "
			       "greedy one does; "
			       "not proved: none saves more than 2 pJ\n"));
	ck_assert(strstr(text, "  lrf+orf        the best allocation found saves 1.25 pJ (as often as blocks execute), "
			       "the greedy one 20.0% less; "
			       "not proved: none saves more than 2 pJ\n"));
	ck_assert(strstr(text, "  split-lrf+orf  the best allocation saves 1.25 pJ (each instruction once), the greedy "
			       "one 20.0% less\n"));
}
END_TEST

static const char listing_rows[] =
	".L0:                                            // |           |          |\n"
	"    //## no-such.cl:3                           // |           |          |\n"
	"    /*0000*/  mov.u32 R0, %tid.x;               // |   2 ^:    |   0      | strand 0: entry, R0->LRF0+MRF\n"
	"    /*0001*/  mov.u64 R2, c[0x0][0x20];         // |   4 ::^^  |   0      | R2 R3: other strand, lanes: R2 "
	"grid, R3 grid\n"
	"    /*0002*/  setp.ge.s32 P0, R0, c[0x0][0x28]; // |   4 v:::  |   1 ^    | R0<-LRF0\n"
	"    /*0003*/  @P0 bra done;                     // |   4 ::::  |   1 v    | frees P0\n"
	"loop:  // loop depth 1, 8 iterations (assumed)  // |           |          | waiting lanes read R1-R3\n"
	"    //## no-such.cl:4                           // |           |          |\n"
	"    /*0004*/  ld.global.f32 R4, [R2+0x10];      // |   5 ::vv^ |   0      | strand 1: loop, R4: long latency, "
	"lanes: R4 warp\n"
	"    /*0005*/  fma.rn.f32 R1, R4, R4, R1;        // |   5 :x::v |   0      | strand 2: waits: long latency, "
	"R1: other strand, most live: 5, frees R4, warp frees R4, lanes: R1 warp\n"
	"    /*0006*/  add.s64 R2, R2, 4;                // |   4 ::xx  |   0      | R2 R3: other strand, lanes: R2 "
	"warp, R3 warp\n"
	"    /*0007*/  add.s32 R0, R0, -1;               // |   4 x:::  |   0      | R0->LRF0+MRF\n"
	"    //## no-such.cl:3                           // |           |          |\n"
	"    /*0008*/  setp.ne.s32 P1, R0, 0;            // |   4 v:::  |   1  ^   | R0<-LRF0\n"
	"    /*0009*/  @P1 bra loop;                     // |   4 ::::  |   1  v   | frees P1\n"
	"done:                                           // |           |          | frees R0, warp frees R0\n"
	"    //## no-such.cl:9                           // |           |          |\n"
	"    /*0010*/  st.local.f32 [0x8], R1;           // |   3  v::  |   0      | strand 3: loop, R1=>ORF0, spill "
	"store %f1\n"
	"    /*0011*/  st.global.f32 [R2], R1;           // |   3  vvv  |   0      | R1<-ORF0, frees R1-R3, warp frees "
	"R1-R3\n"
	"    /*0012*/  exit;                             // |   0       |   0      |\n"
	"                                                // +-----------+----------+\n"
	"                                                // ^ written  v read  x read and written  : live  # registers "
	"occupied\n"
	"                                                // . alive for other lanes of the warp only: another side of "
	"a branch needs it, or the block where the sides meet\n"
	"                                                // frees: the thread needs their values no more (at a label: "
	"on entry); other lanes of its warp may\n"
	"                                                // warp frees: no lane of the warp needs them; waiting lanes "
	"read: while the block executes, others of the warp may\n"
	"                                                // strand N: begins before it, and why; waits: the warp, for "
	"all its long-latency results\n"
	"                                                // lanes: R1 warp, cta, grid: it writes the same to R1 in all "
	"lanes that execute it together, or all threads of that; affine N: by N more in each next lane\n"
	"                                                // split-lrf+orf: R1<-ORF0 read from entry 0 of the ORF; "
	"R1=>ORF0 read from the main register file (MRF), and kept in entry 0\n"
	"                                                //   R1->ORF0 written to entry 0 alone; R1->ORF0+MRF to both; "
	"other operands are in the MRF alone\n"
	"                                                //   LRF: one entry above the ORF, LRF0 to LRF2: one for each "
	"operand slot; in sm-model's metrics LRF is L0, ORF is L1\n"
	"                                                //   R1: why a result is in the MRF alone: of long latency; "
	"read behind a call or in another strand only (or where not all ways bring it)\n"
	"                                                //   no entry: others save more; saves nothing: its reads "
	"there save no more than writing it costs; one level: --orf-writes\n";

START_TEST(listing_shows_life_ranges_by_register)
{
	char *t;

	build_sum("dir/no-such.cl");
	analyse();
	k->facts &= ~(unsigned)FACT_CONTROL; /* control codes are in the listings of test/golden/views */
	t = text_of(LISTING);
	ck_assert_msg(strncmp(t, summary, strlen(summary)) == 0, "%s", t);
	t = strstr(t, ".L0:");
	ck_assert_ptr_nonnull(t);
	ck_assert_str_eq(t, listing_rows);
}
END_TEST

START_TEST(listing_shows_the_source_text)
{
	int fd = mkstemp(source_path);
	static const char text[] = "a\nb\n\tfor (;;)\t\\x1b[31m\x1b[0m\n  s += x * x;\n";

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	build_sum(source_path);
	analyse();
	char *t = text_of(LISTING);

	ck_assert_ptr_null(strstr(t, "s += x * x;")); /* neither beside the input nor below the current folder */
	m->path = source_path;
	t = text_of(LISTING);

	unlink(source_path);
	ck_assert_ptr_nonnull(strstr(t, ":4: s += x * x;"));
	ck_assert_ptr_nonnull(strstr(t, ":3: for (;;) \\x1b[31m?[0m")); /* no control character gets through */
	ck_assert_ptr_null(strchr(t, 0x1b));
	ck_assert_ptr_nonnull(strstr(t, ":9 ")); /* a line past the end has no text */
}
END_TEST

START_TEST(without_loc_the_place_is_that_in_the_ptx_text)
{
	static const char ptx[] = ".version 8.3\n\tmov.u32 %r0, %tid.x;\n  exit;";
	const struct source text = { "dir/sum.ptx", ptx, strlen(ptx) };
	char *t;

	ir_block(k, NULL);
	put(OP_MOV_B32, 0, R(0), (struct ref){ .kind = REF_SREG, .val = SREG_TID_X }, NO, NO)->where =
		(uint32_t)(strstr(ptx, "mov") - ptx);
	put(OP_ST_F32, 0, R(2), R(0), NO, NO);
	put(OP_EXIT, 0, NO, NO, NO, NO)->where = (uint32_t)(strstr(ptx, "exit") - ptx);
	m->src = &text;
	analyse();
	t = text_of(LISTING);
	ck_assert_ptr_nonnull(strstr(t, "//## sum.ptx:2: mov.u32 %r0, %tid.x; "));
	ck_assert_ptr_nonnull(strstr(t, "//## sum.ptx:3: exit; "));
	k->insn[2].line = module_line(m, module_file(m, "none.cl"), 0, 0); /* .loc with line 0: no line */
	ck_assert_ptr_null(strstr(text_of(LISTING), "none.cl"));
	t = text_of(JSON);
	ck_assert_ptr_nonnull(strstr(t, "\"source\":{\"file\":\"dir/sum.ptx\",\"line\":2,\"column\":2}"));
	ck_assert_ptr_nonnull(strstr(t, "\"source\":{\"file\":\"dir/sum.ptx\",\"line\":3,\"column\":3}"));
	m->src = NULL; /* as loaded from an object */
	k->insn[0].where = module_line(m, module_file(m, "x.ptx"), 70, 3);
	k->insn[2].where = k->insn[2].line = 0;
	t = text_of(LISTING);
	ck_assert_ptr_nonnull(strstr(t, "//## x.ptx:70 "));
	ck_assert_ptr_null(strstr(t, "sum.ptx"));
}
END_TEST

START_TEST(listing_of_many_registers_numbers_them_downwards)
{
	char *t;

	ir_block(k, "a_label_that_is_longer_than_the_whole_column_of_text_and_so_gets_no_register_columns_after_it");
	put(OP_ADD_S32, 0, R(62), R(10), R(9), NO);
	put(OP_ST_F32, 0, R(60), R(62), NO, NO);
	put(OP_EXIT, 0, NO, NO, NO, NO);
	analyse();
	t = text_of(LISTING);
	ck_assert_ptr_nonnull(
		strstr(t, "// |     000000000011111111112222222222333333333344444444445555555555666 |          |\n"));
	ck_assert_ptr_nonnull(
		strstr(t, "// |   # 012345678901234567890123456789012345678901234567890123456789012 |   #      |\n"));
	ck_assert_ptr_nonnull(
		strstr(t, "// |   5          vv                                                 ::^ |   0      |"));
}
END_TEST

START_TEST(dot_draws_every_block_and_edge)
{
	build_sum("no-such.cl");
	k->block[2].label = "say \"x\\y\"";
	analyse();
	ck_assert_str_eq(text_of(DOT),
			 "digraph \"sum\" {\n  node [shape=box, fontname=monospace, fontsize=10];\n  edge "
			 "[fontname=monospace, fontsize=10];\n"
			 "  exit [shape=ellipse];\n"
			 "  b0 [label=\".L0   live-in: 1 registers, 0 predicates\\l---- strand 0: entry\\l0  mov.u32 "
			 "R0, %tid.x\\l1  mov.u64 R2, c[0x0][0x20]\\l"
			 "2  setp.ge.s32 P0, R0, c[0x0][0x28]\\l3  @P0 bra say \\\"x\\\\y\\\"\\l\"];\n"
			 "  b1 [label=\"loop   live-in: 4 registers, 0 predicates   loop depth 1\\l---- strand 1: "
			 "loop\\l4  ld.global.f32 R4, [R2+0x10]\\l"
			 "---- strand 2: waits: long latency\\l5  fma.rn.f32 R1, R4, R4, R1\\l6  add.s64 R2, R2, 4\\l7 "
			 " add.s32 R0, R0, -1\\l8  setp.ne.s32 P1, R0, 0\\l9  @P1 bra loop\\l\"];\n"
			 "  b2 [label=\"say \\\"x\\\\y\\\"   live-in: 3 registers, 0 predicates\\l---- strand 3: "
			 "loop\\l10  st.local.f32 [0x8], R1\\l"
			 "11  st.global.f32 [R2], R1\\l12  exit\\l\"];\n"
			 "  b0 -> b1 [label=\"F\"];\n  b0 -> b2 [label=\"T\"];\n  b1 -> b2 [label=\"F\"];\n  b1 -> b1 "
			 "[label=\"T\", style=dashed];\n"
			 "  b2 -> exit;\n}\n");
}
END_TEST

/* Graphviz reads it, where Graphviz is. */
START_TEST(dot_is_accepted_by_graphviz)
{
	if (system("command -v dot >/dev/null 2>&1") != 0)
		return;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		FILE *p = popen("dot -Tsvg >/dev/null", "w");

		ck_assert_ptr_nonnull(p);
		k = spec_random(&arena, FORM_MACHINE, 12, 4, seed);
		analyse();
		emit_dot(p, k->m, k, true);
		ck_assert_int_eq(pclose(p), 0);
	}
}
END_TEST

/* ---- JSON: as much of JSON Schema 2020-12 as docs/annotate.schema.json uses; any other keyword is an error ---- */
static bool has_type(const json_t *j, const char *type)
{
	if (strcmp(type, "object") == 0)
		return json_is_object(j);
	if (strcmp(type, "array") == 0)
		return json_is_array(j);
	if (strcmp(type, "string") == 0)
		return json_is_string(j);
	if (strcmp(type, "integer") == 0)
		return json_is_integer(j);
	if (strcmp(type, "number") == 0)
		return json_is_number(j);
	return strcmp(type, "boolean") == 0 ? json_is_boolean(j) : strcmp(type, "null") == 0 && json_is_null(j);
}

static bool one_of(const json_t *j, json_t *list, bool types)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *x = json_array_get(list, i);

		if (types ? has_type(j, json_string_value(x)) : json_equal(j, x))
			return true;
	}
	return false;
}

static bool valid(json_t *j, json_t *rule, json_t *schema)
{
	const char *key;
	json_t *want, *x;
	size_t n;

	json_object_foreach(rule, key, want)
	{
		if (strcmp(key, "$ref") == 0) {
			ck_assert_int_eq(strncmp(json_string_value(want), "#/$defs/", 8), 0);
			x = json_object_get(json_object_get(schema, "$defs"), json_string_value(want) + 8);
			ck_assert_ptr_nonnull(x);
			if (!valid(j, x, schema))
				return false;
		} else if (strcmp(key, "type") == 0) {
			if (json_is_string(want) ? !has_type(j, json_string_value(want)) : !one_of(j, want, true))
				return false;
		} else if (strcmp(key, "const") == 0) {
			if (!json_equal(j, want))
				return false;
		} else if (strcmp(key, "enum") == 0) {
			if (!one_of(j, want, false))
				return false;
		} else if (strcmp(key, "minimum") == 0) {
			if (json_is_integer(j) && json_integer_value(j) < json_integer_value(want))
				return false;
		} else if (strcmp(key, "required") == 0) {
			json_array_foreach(want, n, x) if (!json_object_get(j, json_string_value(x))) return false;
		} else if (strcmp(key, "additionalProperties") == 0) {
			const char *name;

			json_object_foreach(j, name, x) if (!json_object_get(json_object_get(rule, "properties"),
									     name)) return false;
		} else if (strcmp(key, "properties") == 0) {
			const char *name;

			json_object_foreach(j, name, x)
			{
				json_t *r = json_object_get(want, name);

				if (r && !valid(x, r, schema))
					return false;
			}
		} else if (strcmp(key, "items") == 0) {
			json_array_foreach(j, n, x) if (!valid(x, want, schema)) return false;
		} else if (key[0] != '$' && strcmp(key, "title") != 0 && strcmp(key, "description") != 0) {
			ck_abort_msg("the schema uses %s, which this test does not know", key);
		}
	}
	return true;
}

static json_t *schema(void)
{
	json_error_t e;
	json_t *j = json_load_file("docs/annotate.schema.json", 0, &e);

	ck_assert_msg(j != NULL, "%s:%d: %s", e.source, e.line, e.text);
	return j;
}

static char *names(const json_t *list)
{
	char *t = arena_strndup(&arena, "", 0);

	for (size_t n = 0; n < json_array_size(list); n++)
		t = arena_printf(&arena, "%s%s%s", t, *t ? " " : "", json_string_value(json_array_get(list, n)));
	return t;
}

START_TEST(json_follows_its_schema)
{
	json_t *j, *s = schema(), *kernel, *insn;

	build_sum("dir/no-such.cl");
	k->param = new_array(&arena, struct param, 1);
	k->param[0] = (struct param){ .name = "p", .size = 8, .align = 8, .type = TY_U64 };
	k->nparam = 1;
	analyse();
	j = json_loads(text_of(JSON), JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(j);
	ck_assert(valid(j, s, s));
	kernel = json_array_get(json_object_get(j, "kernels"), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(kernel, "instructions")), k->ninsn);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(kernel, "max_live"), "registers")),
			 k->live->max_live32);
	insn = json_array_get(json_object_get(kernel, "instructions"), 10);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(insn, "live"), "registers")), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(insn, "source"), "line")), 9);
	ck_assert_int_eq(json_integer_value(json_object_get(insn, "spill")), 0);
	ck_assert_str_eq(names(json_object_get(insn, "last_read")), "");
	ck_assert_str_eq(names(json_object_get(insn, "release")), "");
	insn = json_array_get(json_object_get(kernel, "instructions"), 7); /* R0 goes on with another value */
	ck_assert_str_eq(names(json_object_get(insn, "last_read")), "R0");
	ck_assert_str_eq(names(json_object_get(insn, "release")), "");
	insn = json_array_get(json_object_get(kernel, "instructions"), 11);
	ck_assert_str_eq(names(json_object_get(insn, "last_read")), "R1 R2 R3");
	ck_assert_str_eq(names(json_object_get(insn, "release")), "R1 R2 R3");
	insn = json_array_get(json_object_get(kernel, "blocks"), 2);
	ck_assert_str_eq(names(json_object_get(insn, "entry_release")), "R0");
	insn = json_array_get(json_object_get(kernel, "instructions"), 10);
	json_object_set_new(insn, "live", json_integer(3));
	ck_assert(!valid(j, s, s));
	json_decref(j);
	json_decref(s);
}
END_TEST

START_TEST(json_of_random_kernels_agrees_with_liveness)
{
	json_t *s = schema();

	for (uint64_t seed = 1; seed <= 20; seed++) {
		json_int_t most = 0, mostp = 0;
		json_t *j, *kernel, *insn;
		size_t n;

		k = spec_random(&arena, FORM_MACHINE, 10, 5, seed);
		m = k->m;
		m->file = new_array(&arena, const char *, 1);
		m->file[0] = "caf\xe9 \"q\"\n";
		m->nfile = 1;
		m->src_name = "\xff";
		for (uint32_t i = 0; i < k->ninsn; i++)
			k->insn[i].line = module_line(m, 0, i / 2 + 1, 1);
		analyse();
		j = json_loads(text_of(JSON), JSON_REJECT_DUPLICATES, NULL);
		ck_assert_ptr_nonnull(j);
		ck_assert(valid(j, s, s));
		kernel = json_array_get(json_object_get(j, "kernels"), 0);
		json_array_foreach(json_object_get(kernel, "instructions"), n, insn)
		{
			json_int_t r = json_integer_value(json_object_get(json_object_get(insn, "live"), "registers"));
			json_int_t p = json_integer_value(json_object_get(json_object_get(insn, "live"), "predicates"));

			most = r > most ? r : most;
			mostp = p > mostp ? p : mostp;
		}
		ck_assert_int_eq(most, k->live->max_live32);
		ck_assert_int_eq(mostp, k->live->max_livep);
		json_decref(j);
	}
	json_decref(s);
}
END_TEST

/* The set of machine registers that a member names, each once and ascending. */
static void get_set(json_t *object, const char *key, uint64_t *set)
{
	json_t *list = json_object_get(object, key), *x;
	uint32_t last = 0;
	size_t n;

	memset(set, 0, bitset_words(MREG_COUNT) * sizeof *set);
	ck_assert(json_is_array(list));
	json_array_foreach(list, n, x)
	{
		const char *name = json_string_value(x);
		uint32_t r = (uint32_t)strtoul(name + 1, NULL, 10) + (*name == 'P' ? MREG_P0 : 0);

		ck_assert_msg(r < MREG_COUNT && r != MREG_RZ && r != MREG_PT && (!n || r > last), "%s: %s", key, name);
		bitset_add(set, last = r);
	}
}

/* A thread that walks through the code holds what is live: it gets what it writes and loses what is released. */
static void walk(json_t *block, json_t *insns)
{
	uint32_t b = (uint32_t)json_integer_value(json_object_get(block, "index"));
	uint64_t held[8], out[8], set[8], last[8];

	get_set(block, "live_out", out);
	get_set(block, "live_in", held);
	for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
		json_t *insn = json_array_get(insns, i);
		struct reg_use use[REG_USE_MAX];
		unsigned n = insn_reg_uses(k, &k->insn[i], use);
		uint64_t read[8] = { 0 }, written[8] = { 0 };

		get_set(insn, "release", set);
		get_set(insn, "last_read", last);
		for (unsigned u = 0; u < n; u++) {
			ck_assert(use[u].write || bitset_has(held, use[u].reg));
			bitset_add(use[u].write ? written : read, use[u].reg);
		}
		for (uint32_t r = 0; r < MREG_COUNT; r++) {
			bool ends = bitset_has(set, r) || (insn_kills(&k->insn[i]) && bitset_has(written, r));

			ck_assert(!bitset_has(set, r) || bitset_has(held, r) || bitset_has(written, r));
			ck_assert_int_eq(bitset_has(last, r), bitset_has(read, r) && ends);
			if (bitset_has(written, r))
				bitset_add(held, r);
			if (bitset_has(set, r))
				bitset_del(held, r);
		}
	}
	ck_assert_mem_eq(held, out, bitset_words(MREG_COUNT) * sizeof *held);
}

START_TEST(a_thread_holds_what_is_live_and_loses_what_is_released)
{
	unsigned entry_releases = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		json_t *j, *kernel, *blocks, *block, *to;
		size_t n, e;

		k = spec_random(&arena, FORM_MACHINE, 10, 5, seed);
		m = k->m;
		analyse();
		j = json_loads(text_of(JSON), JSON_REJECT_DUPLICATES, NULL);
		ck_assert_ptr_nonnull(j);
		kernel = json_array_get(json_object_get(j, "kernels"), 0);
		blocks = json_object_get(kernel, "blocks");
		json_array_foreach(blocks, n, block)
		{
			uint64_t out[8], in[8], lost[8], any[8] = { 0 };

			walk(block, json_object_get(kernel, "instructions"));
			get_set(block, "live_in", in);
			get_set(block, "entry_release", lost);
			json_array_foreach(json_object_get(block, "predecessors"), e, to)
			{
				get_set(json_array_get(blocks, (size_t)json_integer_value(to)), "live_out", out);
				for (uint32_t w = 0; w < bitset_words(MREG_COUNT); w++) {
					ck_assert_uint_eq(out[w] & ~lost[w], in[w]);
					any[w] |= out[w];
				}
			}
			for (uint32_t w = 0; w < bitset_words(MREG_COUNT); w++)
				ck_assert_uint_eq(lost[w] & ~any[w], 0);
			entry_releases += bitset_count(lost, MREG_COUNT);
		}
		json_decref(j);
	}
	ck_assert_uint_gt(entry_releases, 10);
}
END_TEST

START_TEST(a_full_device_is_reported)
{
	FILE *f = fopen("/dev/full", "w");
	bool ok;

	build_sum("no-such.cl");
	analyse();
	if (!f)
		return;
	setvbuf(f, NULL, _IONBF, 0);
	ok = emit_json(f, m, &cx.opt.regmutex, NULL);
	fclose(f);
	ck_assert(!ok);
}
END_TEST

Suite *suite_emit(void);
Suite *suite_emit(void)
{
	Suite *s = suite_create("emit");
	TCase *t = tcase_create("emit");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, summary_says_what_was_found_and_where);
	tcase_add_test(t, summary_does_not_call_the_best_what_is_not_proved);
	tcase_add_test(t, listing_shows_life_ranges_by_register);
	tcase_add_test(t, listing_shows_the_source_text);
	tcase_add_test(t, without_loc_the_place_is_that_in_the_ptx_text);
	tcase_add_test(t, listing_of_many_registers_numbers_them_downwards);
	tcase_add_test(t, dot_draws_every_block_and_edge);
	tcase_add_test(t, dot_is_accepted_by_graphviz);
	tcase_add_test(t, json_follows_its_schema);
	tcase_add_test(t, json_of_random_kernels_agrees_with_liveness);
	tcase_add_test(t, a_thread_holds_what_is_live_and_loses_what_is_released);
	tcase_add_test(t, a_full_device_is_reported);
	suite_add_tcase(s, t);
	return s;
}
