/* Textures and surfaces: faults, lines in records. What the rows compute is tested by test/conform/kernels/texture_*, surface_*; what
 * launch files refuse by test/golden/launch. */
#include "test/unit/engine_run.h"

#include "analyzer/ir/texture.h"

Suite *suite_texture(void);

#define MODULE(body) \
	".version 8.0\n.target sm_80\n.address_size 64\n.global .texref t;\n.global .surfref s;\n.global .texref lost;\n" \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n" \
	".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>;\n" PTX_INDEX body " ret;\n}\n"

/* t: 16 x 4 texels of four floats on `in`; s: 64 x 4 of u32 there. */
static void bind(struct rig *r)
{
	struct resource t = { .name = "t", .reference = REFERENCE_TEXTURE, .dims = 2, .size = { 16, 4, 1 }, .layers = 1, .channels = 4,
	                      .type = TY_F32, .sampler = { .address = { ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP } }, .data = r->in_addr };
	struct resource s = { .name = "s", .reference = REFERENCE_SURFACE, .dims = 2, .size = { 64, 4, 1 }, .layers = 1, .channels = 1,
	                      .type = TY_U32, .data = r->in_addr };

	ck_assert(device_load(r->dev, r->m));
	ck_assert(device_resource(r->dev, &t) && device_resource(r->dev, &s));
	t.size[0] = 1 << 20;
	ck_assert_uint_eq(device_resource(r->dev, &t), 0);      /* not so large */
}

START_TEST(lines_are_those_of_the_texels)
{
	static const struct { const char *ptx; enum op op; unsigned lines, sectors; } row[] = {
		/* texels of 16 bytes: 16 of the 32 lanes have their own, the rest the last one: 256 bytes */
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r0,%r9}]; st.f32 [%d0], %f0;"), OP_TEX_2D_S_F32, 2, 15 },
		/* a column: rows of 256 bytes, a sector of each */
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r9,%r0}]; st.f32 [%d0], %f0;"), OP_TEX_2D_S_F32, 4, 1 },
		{ MODULE("mov.u32 %r9, 1; shl.b32 %r8, %r0, 2; sust.b.2d.b32.trap [s, {%r8,%r9}], %r0;"), OP_SUST_B_2D_B32, 1, 15 },
		/* outside: nothing is touched */
		{ MODULE("mov.u32 %r9, 7; shl.b32 %r8, %r0, 2; suld.b.2d.b32.zero %r7, [s, {%r8,%r9}]; st.u32 [%d0], %r7;"), OP_SULD_2D_B32, 0, 0 },
	};

	for (unsigned form = 0; form < 2; form++) {
		struct record rec;
		struct engine *e;
		struct rig r;
		bool found = false;

		rig_open(&r, row[_i].ptx, form ? 63 : 0);
		bind(&r);
		r.opt.consumers = 1;
		e = rig_engine(&r);
		while (!found && engine_next(e, 0, 0, 0, &rec) == RECORD_OK)
			found = r.k->insn[rec.insn].op == row[_i].op;
		ck_assert(found);
		ck_assert_uint_eq(rec.nline, row[_i].lines);
		for (unsigned l = 0; l < rec.nline; l++)
			ck_assert_uint_eq(line_sectors(rec.line[l]), row[_i].sectors);
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

START_TEST(wrong_accesses_fault)
{
	static const struct { const char *ptx, *says; } row[] = {
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%d1, {%r0,%r9}]; st.f32 [%d0], %f0;"), "handle of no texture" },
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [lost, {%r0,%r9}]; st.f32 [%d0], %f0;"), "handle of no texture" },
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, %d1, {%r0,%r9}]; st.f32 [%d0], %f0;"), "handle of no sampler" },
		{ MODULE("tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r0}]; st.f32 [%d0], %f0;"), "'t' has another shape" },
		{ MODULE("mov.u64 %d5, t; suq.width.b32 %r9, [%d5]; st.u32 [%d0], %r9;"), "handle of no surface" },
		{ MODULE("mov.u64 %d5, t; suld.b.1d.b32.zero %r9, [%d5, {%r0}]; st.u32 [%d0], %r9;"), "handle of no surface" },
		{ MODULE("suld.b.1d.b32.zero %r9, [s, {%r0}]; st.u32 [%d0], %r9;"), "'s' has another shape" },
		{ MODULE("mov.u32 %r9, 4; sust.b.2d.b32.trap [s, {%r9,%r9}], %r0;"), "coordinate 4 is outside the surface 's'" },
		{ MODULE("mov.u32 %r9, 1; sust.b.2d.b32.clamp [s, {%r9,%r9}], %r0;"), "byte 1 of the surface 's' is not aligned to 4" },
	};

	for (unsigned form = 0; form < 2; form++) {
		struct rig r;

		rig_open(&r, row[_i].ptx, form ? 63 : 0);
		bind(&r);
		ck_assert(!rig_run(&r, NULL));
		ck_assert_msg(strstr(r.d.last, row[_i].says) != NULL, "%s", r.d.last);
		rig_close(&r);
	}
}
END_TEST

Suite *suite_texture(void)
{
	Suite *s = suite_create("texture");
	TCase *t = tcase_create("engine");

	suite_add_tcase(s, t);
	tcase_add_loop_test(t, lines_are_those_of_the_texels, 0, 4);
	tcase_add_loop_test(t, wrong_accesses_fault, 0, 9);
	return s;
}
