/* Matrices of a warp: lines and passes in records, registers in checked records, faults. What the rows compute is
 * tested by test/conform/matrix.c. */
#include "test/unit/engine_run.h"

#include "analyzer/elf/rlo.h"
#include "runtime-model/engine/tensor.h"

Suite *suite_tensor(void);

#define MODULE(body)                                                                                                   \
	".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param "    \
	".u32 n)\n{\n"                                                                                                 \
	".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>; .reg .f64 %g<40>; .shared .align 128 " \
	".b8 s[4096];\n" PTX_INDEX body " ret;\n}\n"

/* The record of the first instruction of a row. */
static bool record_of(struct rig *r, enum op op, struct record *rec, uint64_t line[], uint32_t values[])
{
	struct engine *e;
	bool found = false;

	r->opt.consumers = 1;
	e = rig_engine(r);
	while (!found && engine_next(e, 0, 0, 0, rec) == RECORD_OK)
		if (r->k->insn[rec->insn].op == op) {
			const struct xinsn *x = &e->prog.code[rec->insn];

			found = true;
			if (rec->nline)
				memcpy(line, rec->line, rec->nline * sizeof *line);
			if (rec->values)
				memcpy(values, rec->values, x->nval * WARP_LANES * sizeof *values);
			line[rec->nline] = x->nval;
		}
	engine_free(e);
	return found;
}

START_TEST(lines_of_a_matrix_are_its_rows)
{
	static const struct {
		const char *ptx;
		enum op op;
		unsigned lines, passes, sectors;
	} row[] = {
		/* 16 rows of 32 bytes, without gaps: four lines */
		{ MODULE("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, "
			 "[%d1], 16;"
			 "st.u32 [%d0], %r10;"),
		  OP_WMMA_LOAD_A_M16N16K16_F16_ROW, 4, 0, 15 },
		/* rows 256 bytes apart: a sector of a line each */
		{ MODULE("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, "
			 "[%d1], 128;"
			 "st.u32 [%d0], %r10;"),
		  OP_WMMA_LOAD_A_M16N16K16_F16_ROW, 16, 0, 1 },
		/* 512 bytes in a row: four passes */
		{ MODULE("mov.u64 %d9, s; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
			 "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%d9];"
			 "st.u32 [%d0], %r10;"),
		  OP_WMMA_LOAD_A_M16N16K16_F16_ROW, 1, 4, 0 },
		/* rows 128 bytes apart: the eight words of a row lie in the banks of the four rows in its pass */
		{ MODULE("mov.u64 %d9, s; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
			 "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%d9], 64;"
			 "st.u32 [%d0], %r10;"),
		  OP_WMMA_LOAD_A_M16N16K16_F16_ROW, 1, 16, 0 },
		/* tiles whose rows follow each other: a pass each; rows a line apart: eight passes */
		{ MODULE("shl.b32 %r9, %r0, 4; mov.u32 %r8, s; add.u32 %r9, %r9, %r8;"
			 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r9]; st.u32 [%d0], %r10;"),
		  OP_LDMATRIX_X4, 1, 4, 0 },
		{ MODULE("shl.b32 %r9, %r0, 7; mov.u32 %r8, s; add.u32 %r9, %r9, %r8;"
			 "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r10,%r11,%r12,%r13}, [%r9]; st.u32 [%d0], "
			 "%r10;"),
		  OP_LDMATRIX_X4_TRANS, 1, 32, 0 },
		/* the last of what there is */
		{ MODULE("mov.u32 %r9, 4080; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r9]; st.u32 [%d0], "
			 "%r10;"),
		  OP_LDMATRIX_X1, 1, 1, 0 },
		{ MODULE("wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%d1], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
			 "32;"),
		  OP_WMMA_STORE_D_M16N16K16_F32_COL, 16, 0, 3 },
	};

	for (unsigned i = 0; i < 2 * (sizeof row / sizeof *row); i++) {
		uint64_t line[64];
		struct record rec;
		struct rig r;

		rig_open(&r, row[i / 2].ptx, i % 2 ? 63 : 0);
		ck_assert_msg(record_of(&r, row[i / 2].op, &rec, line, NULL), "%u: %s", i, r.d.last);
		ck_assert_uint_eq(rec.nline, row[i / 2].lines);
		ck_assert_uint_eq(line_sectors(line[0]), row[i / 2].sectors);
		if (row[i / 2].passes)
			ck_assert_uint_eq(smem_passes(line[0]), row[i / 2].passes);
		rig_close(&r);
	}
}
END_TEST

/* 40 registers of 32 lanes do not fit the header's eight bits. */
START_TEST(a_record_holds_all_registers_of_a_product)
{
	static uint32_t values[VALUES_MAX * WARP_LANES];
	static const char ptx[] = MODULE(
		"ld.param.u64 %d1, [in]; ld.global.v2.f64 {%g0, %g1}, [%d1]; ld.global.v2.f64 {%g2, %g3}, [%d1+16];"
		"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%g20,%g21,%g22,%g23}, "
		"{%g0,%g1,%g2,%g3,%g0,%g1,%g2,%g3},"
		"{%g0,%g1,%g2,%g3}, {%g0,%g1,%g2,%g3};"
		"st.v2.f64 [%d1], {%g20, %g23};");
	uint64_t line[64];
	struct record rec;
	struct rig r;

	rig_open(&r, ptx, 0);
	r.opt.want = WANT_SIG | WANT_VALUES;
	ck_assert_msg(record_of(&r, OP_MMA_M16N8K16_F64, &rec, line, values), "%s", r.d.last);
	ck_assert_uint_eq(rec.nline, 0);
	ck_assert_uint_eq(rec.nsig, 8);
	ck_assert_uint_eq(line[0], 40);
	ck_assert_uint_eq(values[0], 0 * 2654435761u);
	ck_assert_uint_eq(values[WARP_LANES], 1 * 2654435761u);
	ck_assert_uint_eq(values[31 * WARP_LANES], 7 * 2654435761u); /* the high word of the last source */
	rig_close(&r);
}
END_TEST

START_TEST(faults_say_what_is_wrong)
{
	static const struct {
		const char *ptx, *text;
		unsigned block;
	} row[] = {
		{ MODULE("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r0]; st.u32 [%d0], %r9;"),
		  "not a multiple of 16", 32 },
		{ MODULE("shl.b32 %r8, %r0, 12; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8]; st.u32 [%d0], "
			 "%r9;"),
		  "16 bytes at offset 0x1000 are outside the 4096 bytes", 32 },
		{ MODULE("mov.u32 %r8, 4112; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8]; st.u32 [%d0], "
			 "%r9;"),
		  "16 bytes at offset 0x1010 are outside the 4096 bytes", 32 },
		{ MODULE("ldmatrix.sync.aligned.m8n8.x1.b16 {%r9}, [%d1]; st.u32 [%d0], %r9;"), "not in shared memory",
		  32 },
		{ MODULE("movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r0; st.u32 [%d0], %r9;"), "only those of 0xfffff",
		  20 },
		{ MODULE("setp.lt.u32 %p1, %r0, 4; @%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r0; st.u32 [%d0], "
			 "%r9;"),
		  "only those of 0xf ", 32 },
		{ MODULE("wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%g1}, [%d1], 1000; st.f64 [%d1], %g1;"),
		  "outside memory", 32 },
		{ MODULE("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%d1], "
			 "18; st.f32 [%d1], %f1;"),
		  "the stride, 72 bytes, is not a multiple of 16", 32 },
		{ MODULE("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
			 "[%d1+8]; st.f32 [%d1], %f1;"),
		  "not a multiple of 16", 32 },
	};

	for (unsigned i = 0; i < 2 * (sizeof row / sizeof *row); i++) {
		struct rig r;

		rig_open(&r, row[i / 2].ptx, i % 2 ? 63 : 0);
		r.l.block[0] = row[i / 2].block;
		ck_assert(!rig_run(&r, NULL));
		ck_assert_msg(strstr(r.d.last, row[i / 2].text) != NULL, "%u: %s", i, r.d.last);
		rig_close(&r);
	}
}
END_TEST

/* Where no lane takes it, nothing happens. */
START_TEST(a_false_guard_skips_it)
{
	struct rig r;

	rig_open(&r,
		 MODULE("setp.ge.u32 %p1, %r0, 64; mov.u32 %r9, 5; @%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r9, "
			"%r0; st.u32 [%d0], %r9;"),
		 63);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	ck_assert_uint_eq(r.out[3], 5);
	rig_close(&r);
}
END_TEST

/* Immediates and sinks as elements; poison and few registers change nothing. */
START_TEST(all_ways_give_the_same)
{
	static const char ptx[] = MODULE("mov.b32 %r9, 0x3c003c00;"
					 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,_,%f2,%f3}, "
					 "{%r9,%r9,%r9,0x40004000}, {%r9,0}, {0f3F800000,%f8,0f00000000,%f8};"
					 "st.f32 [%d0], %f0; st.f32 [%d0+128], %f2;");

	for (int way = 0; way < WAYS; way++) {
		struct rig r;

		rig_way(&r, ptx, way);
		ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
		for (unsigned l = 0; l < 32; l++) {
			ck_assert_uint_eq(r.out[l], 0x41100000); /* 8 ones of k 0..7, and 1 */
			ck_assert_uint_eq(r.out[32 + l], 0x41000000);
		}
		rig_close(&r);
	}
}
END_TEST

/* More operands than an instruction's record has room for. */
START_TEST(objects_hold_all_operands)
{
	static const char ptx[] =
		MODULE("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, "
		       "[%d1], 16;"
		       "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}, "
		       "[%d1], 16;"
		       "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%r30,%r31,%r32,%r33}, "
		       "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17},"
		       "{%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}, {%r10,%r11,%r20,%r21};"
		       "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%r30,%r31,%r32,%r33}, "
		       "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17},"
		       "{%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}, {%r30,%r31,%r32,%r33};"
		       "wmma.store.d.sync.aligned.col.m16n16k16.global.f16 [%d0], {%r30,%r31,%r32,%r33};");
	struct module *again;
	struct rig r;
	void *bytes;
	size_t n;

	rig_open(&r, ptx, 63);
	ck_assert(pass_need(r.k, FACT_ALL, &r.cx));
	ck_assert_msg(rlo_encode(r.m, &r.a, &bytes, &n, &r.d), "%s", r.d.last);
	again = rlo_read_memory(bytes, n, "t.rlo", &r.a, &r.d);
	ck_assert_msg(again != NULL, "%s", r.d.last);
	for (uint32_t i = 0; i < r.k->ninsn; i++)
		ck_assert_str_eq(ir_print_insn(&r.a, r.k, &r.k->insn[i]),
				 ir_print_insn(&r.a, again->kernel[0], &again->kernel[0]->insn[i]));
	rig_close(&r);
}
END_TEST

Suite *suite_tensor(void)
{
	Suite *s = suite_create("tensor");
	TCase *t = tcase_create("tensor");

	tcase_add_test(t, lines_of_a_matrix_are_its_rows);
	tcase_add_test(t, a_record_holds_all_registers_of_a_product);
	tcase_add_test(t, faults_say_what_is_wrong);
	tcase_add_test(t, a_false_guard_skips_it);
	tcase_add_test(t, all_ways_give_the_same);
	tcase_add_test(t, objects_hold_all_operands);
	suite_add_tcase(s, t);
	return s;
}
