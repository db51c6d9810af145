/* Textures and surfaces: faults, lines in records. What the rows compute is tested by test/conform/kernels/texture_*,
 * surface_*; what launch files refuse by test/golden/launch. */
#include "test/unit/engine_run.h"

#include "analyzer/ir/texture.h"

#include <math.h>
#include <sys/mman.h>

Suite *suite_texture(void);

#define MODULE(body)                                                                                               \
	".version 8.0\n.target sm_80\n.address_size 64\n.global .texref t;\n.global .surfref s;\n.global .texref " \
	"lost;\n"                                                                                                  \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"                                   \
	".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>;\n" PTX_INDEX body " ret;\n}\n"

/* t: 16 x 4 texels of four floats on `in`; s: 64 x 4 of u32 there. */
static void bind(struct rig *r)
{
	struct resource t = { .name = "t",
			      .reference = REFERENCE_TEXTURE,
			      .dims = 2,
			      .size = { 16, 4, 1 },
			      .layers = 1,
			      .channels = 4,
			      .type = TY_F32,
			      .sampler = { .address = { ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP } },
			      .data = r->in_addr };
	struct resource s = { .name = "s",
			      .reference = REFERENCE_SURFACE,
			      .dims = 2,
			      .size = { 64, 4, 1 },
			      .layers = 1,
			      .channels = 1,
			      .type = TY_U32,
			      .data = r->in_addr };

	ck_assert(device_load(r->dev, r->m));
	ck_assert(device_resource(r->dev, &t) && device_resource(r->dev, &s));
	t.size[0] = 1 << 20;
	ck_assert_uint_eq(device_resource(r->dev, &t), 0); /* not so large */
}

START_TEST(lines_are_those_of_the_texels)
{
	static const struct {
		const char *ptx;
		enum op op;
		unsigned lines, sectors;
	} row[] = {
		/* texels of 16 bytes: 16 of the 32 lanes have their own, the rest the last one: 256 bytes */
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r0,%r9}]; st.f32 [%d0], %f0;"),
		  OP_TEX_2D_S_F32, 2, 15 },
		/* a column: rows of 256 bytes, a sector of each */
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r9,%r0}]; st.f32 [%d0], %f0;"),
		  OP_TEX_2D_S_F32, 4, 1 },
		{ MODULE("mov.u32 %r9, 1; shl.b32 %r8, %r0, 2; sust.b.2d.b32.trap [s, {%r8,%r9}], %r0;"),
		  OP_SUST_B_2D_B32, 1, 15 },
		/* outside: nothing is touched */
		{ MODULE("mov.u32 %r9, 7; shl.b32 %r8, %r0, 2; suld.b.2d.b32.zero %r7, [s, {%r8,%r9}]; st.u32 [%d0], "
			 "%r7;"),
		  OP_SULD_2D_B32, 0, 0 },
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
	static const struct {
		const char *ptx, *says;
	} row[] = {
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%d1, {%r0,%r9}]; st.f32 [%d0], %f0;"),
		  "handle of no texture" },
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [lost, {%r0,%r9}]; st.f32 [%d0], %f0;"),
		  "handle of no texture" },
		{ MODULE("mov.u32 %r9, 0; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, %d1, {%r0,%r9}]; st.f32 [%d0], "
			 "%f0;"),
		  "handle of no sampler" },
		{ MODULE("tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r0}]; st.f32 [%d0], %f0;"),
		  "'t' has another shape" },
		{ MODULE("mov.u64 %d5, t; suq.width.b32 %r9, [%d5]; st.u32 [%d0], %r9;"), "handle of no surface" },
		{ MODULE("mov.u64 %d5, s; txq.width.b32 %r9, [%d5]; st.u32 [%d0], %r9;"), "handle of no texture" },
		{ MODULE("mov.u64 %d5, t; suld.b.1d.b32.zero %r9, [%d5, {%r0}]; st.u32 [%d0], %r9;"),
		  "handle of no surface" },
		{ MODULE("suld.b.1d.b32.zero %r9, [s, {%r0}]; st.u32 [%d0], %r9;"), "'s' has another shape" },
		{ MODULE("mov.u32 %r9, 0; suld.b.a2d.b32.zero %r8, [s, {%r9,%r0,%r9,%r9}]; st.u32 [%d0], %r8;"),
		  "'s' has another shape" },
		{ MODULE("mov.u32 %r9, 0; tex.a2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r9,%r0,%r9,%r9}]; st.f32 [%d0], "
			 "%f0;"),
		  "'t' has another shape" },
		{ MODULE("mov.u32 %r9, 4; sust.b.2d.b32.trap [s, {%r9,%r9}], %r0;"),
		  "coordinate 4 is outside the surface 's'" },
		{ MODULE("mov.u32 %r9, 1; sust.b.2d.b32.clamp [s, {%r9,%r9}], %r0;"),
		  "byte 1 of the surface 's' is not aligned to 4" },
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

/* Level l of layer, face or slice n is 100 n + l; what a cube's gradients and lanes' levels come to. */
START_TEST(levels_of_detail)
{
	static const struct {
		uint8_t dims;
		bool array, cube, between;
		uint32_t size[3];
		const char *ptx;
		float want[6], bias, low, high;
	} row[] = {
		/* the face +x: z grows against its first axis, 2 texels for 1 */
		{ 2,
		  false,
		  true,
		  false,
		  { 4, 4, 1 },
		  MODULE("mov.f32 %f4, 0f3F800000; mov.f32 %f5, 0f3DCCCCCD; mov.f32 %f6, 0f3E4CCCCD; cvt.rn.f32.u32 "
			 "%f7, %r0; mov.f32 %f8, 0f00000000;"
			 "tex.grad.cube.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f4,%f5,%f6,%f6}], {%f8,%f8,%f7,%f7}, "
			 "{%f8,%f8,%f8,%f8}; st.f32 [%d0], %f0;"),
		  { 0, 1, 2, 2, 2, 2 },
		  .high = 9 },
		/* along x the place on it moves by 0.1 and 0.05 of 4 texels */
		{ 2,
		  false,
		  true,
		  true,
		  { 4, 4, 1 },
		  MODULE("mov.f32 %f4, 0f3F800000; mov.f32 %f5, 0f3DCCCCCD; mov.f32 %f6, 0f3E4CCCCD; cvt.rn.f32.u32 "
			 "%f7, %r0; mov.f32 %f8, 0f00000000;"
			 "tex.grad.cube.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f4,%f5,%f6,%f6}], {%f8,%f8,%f8,%f8}, "
			 "{%f7,%f8,%f8,%f8}; st.f32 [%d0], %f0;"),
		  { 0, 0, 0, 0.4258f, 0.8398f, 1.1602f },
		  .high = 9 },
		/* and on the face -x */
		{ 2,
		  false,
		  true,
		  true,
		  { 4, 4, 1 },
		  MODULE("mov.f32 %f4, 0fBF800000; mov.f32 %f5, 0f3DCCCCCD; mov.f32 %f6, 0f3E4CCCCD; cvt.rn.f32.u32 "
			 "%f7, %r0; mov.f32 %f8, 0f00000000;"
			 "tex.grad.cube.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f4,%f5,%f6,%f6}], {%f8,%f8,%f8,%f8}, "
			 "{%f7,%f8,%f8,%f8}; st.f32 [%d0], %f0;"),
		  { 100, 100, 100, 100.4258f, 100.8398f, 101.1602f },
		  .high = 9 },
		/* layer 2, level the thread's */
		{ 2,
		  true,
		  false,
		  false,
		  { 4, 2, 1 },
		  MODULE("mov.f32 %f4, 0f3F000000; cvt.rn.f32.u32 %f7, %r0; mov.u32 %r9, 2;"
			 "tex.level.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%r9,%f4,%f4,%f4}], %f7; st.f32 [%d0], %f0;"),
		  { 200, 201, 202, 202, 202, 202 },
		  .high = 9 },
		/* of three dimensions level 0 is a mean of slices, 1 one of two, 2 one slice; integers name texels */
		{ 3,
		  false,
		  false,
		  true,
		  { 4, 4, 4 },
		  MODULE("mov.f32 %f4, 0f3F000000; cvt.rn.f32.u32 %f7, %r0;"
			 "tex.level.3d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f4,%f4,%f4,%f4}], %f7; st.f32 [%d0], %f0;"),
		  { 150, 51, 2, 2, 2, 2 },
		  .high = 9 },
		{ 3,
		  false,
		  false,
		  true,
		  { 4, 4, 4 },
		  MODULE("mov.u32 %r9, 1;"
			 "tex.level.3d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r9,%r9,%r9,%r9}], %r0; st.f32 [%d0], %f0;"),
		  { 100, 101, 2, 2, 2, 2 },
		  .high = 9 },
		/* 16 texels of each lane, of which records have 8 */
		{ 3,
		  false,
		  false,
		  true,
		  { 4, 4, 4 },
		  MODULE("mov.f32 %f4, 0f3F000000;"
			 "tex.level.3d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f4,%f4,%f4,%f4}], %f4; st.f32 [%d0], %f0;"),
		  { 100.5f, 100.5f, 100.5f, 100.5f, 100.5f, 100.5f },
		  .high = 9 },
		/* between levels too: half a level more is the next one */
		{ 3,
		  false,
		  false,
		  true,
		  { 4, 4, 4 },
		  MODULE("mov.u32 %r9, 1;"
			 "tex.level.3d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r9,%r9,%r9,%r9}], %r0; st.f32 [%d0], %f0;"),
		  { 101, 2, 2, 2, 2, 2 },
		  .bias = 0.5f,
		  .high = 9 },
		/* 1 / 2048 less than halves become halves */
		{ 2,
		  true,
		  false,
		  false,
		  { 4, 2, 1 },
		  MODULE("mov.f32 %f4, 0f3F000000; cvt.rn.f32.u32 %f7, %r0; mul.f32 %f7, %f7, 0f3EFFC000; mov.u32 %r9, "
			 "0;"
			 "tex.level.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%r9,%f4,%f4,%f4}], %f7; st.f32 [%d0], %f0;"),
		  { 0, 1, 1, 2, 2, 2 },
		  .high = 9 },
		/* not a number is 0, before the bias; no more than `high`, and then no less than `low` */
		{ 2,
		  true,
		  false,
		  false,
		  { 4, 2, 1 },
		  MODULE("mov.f32 %f4, 0f3F000000; mov.f32 %f7, 0f7FC00000; mov.u32 %r9, 0;"
			 "tex.level.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%r9,%f4,%f4,%f4}], %f7; st.f32 [%d0], %f0;"),
		  { 1, 1, 1, 1, 1, 1 },
		  .bias = 1,
		  .high = 9 },
		{ 2,
		  true,
		  false,
		  false,
		  { 4, 2, 1 },
		  MODULE("mov.f32 %f4, 0f3F000000; cvt.rn.f32.u32 %f7, %r0; mov.u32 %r9, 0;"
			 "tex.level.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%r9,%f4,%f4,%f4}], %f7; st.f32 [%d0], %f0;"),
		  { 2, 2, 2, 2, 2, 2 },
		  .low = 2,
		  .high = 1 },
		{ 2,
		  true,
		  false,
		  false,
		  { 4, 2, 1 },
		  MODULE("mov.f32 %f4, 0f3F000000; cvt.rn.f32.u32 %f7, %r0; mov.u32 %r9, 0;"
			 "tex.level.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%r9,%f4,%f4,%f4}], %f7; st.f32 [%d0], %f0;"),
		  { 0, 1, 1, 1, 1, 1 },
		  .high = 1 },
		{ 3,
		  false,
		  false,
		  true,
		  { 4, 4, 4 },
		  MODULE("txq.level.depth.b32 %r9, [t], %r0; cvt.rn.f32.u32 %f0, %r9; st.f32 [%d0], %f0;"),
		  { 4, 2, 1, 1, 1, 1 },
		  .high = 9 },
	};

	for (unsigned form = 0; form < 2; form++) {
		struct resource t = { .name = "t",
				      .reference = REFERENCE_TEXTURE,
				      .dims = row[_i].dims,
				      .array = row[_i].array,
				      .cube = row[_i].cube,
				      .layers = row[_i].array ? 3 : 1,
				      .channels = 1,
				      .type = TY_F32,
				      .levels = 3 },
				x;
		struct rig r;

		rig_open(&r, row[_i].ptx, form ? 63 : 0);
		memcpy(t.size, row[_i].size, sizeof t.size);
		t.sampler = (struct sampler){ .linear = row[_i].dims == 3,
					      .normalized = true,
					      .address = { ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP },
					      .mip_linear = row[_i].between,
					      .bias = row[_i].bias,
					      .low = row[_i].low,
					      .high = row[_i].high };
		t.data = r.in_addr;
		for (unsigned l = 0; l < 3; l++) {
			unsigned parts;
			if (row[_i].cube)
				parts = 6;
			else
				parts = row[_i].array ? 3 : 0;

			x = device_level(&t, l);
			ck_assert(x.size[0] == t.size[0] >> l && x.data % 256 == 0);
			parts = parts ? parts : x.size[2];
			for (unsigned n = 0, each = x.size[0] * x.size[1]; n < parts * each; n++) {
				float v = (float)(100 * (n / each) + l);

				memcpy((unsigned char *)r.in + (x.data - t.data) + n * 4, &v, 4);
			}
		}
		ck_assert(device_load(r.dev, r.m) && device_resource(r.dev, &t));
		ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
		for (unsigned i = 0; i < 6; i++) {
			float v;

			memcpy(&v, &r.out[i], 4);
			ck_assert_msg(fabsf(v - row[_i].want[i]) < 0.002f, "row %d, form %u, thread %u: %g, not %g", _i,
				      form, i, (double)v, (double)row[_i].want[i]);
		}
		t.levels = 9;
		t.size[0] = 1 << 11;
		ck_assert_uint_eq(device_resource(r.dev, &t), 0); /* not so large */
		rig_close(&r);
	}
}
END_TEST

/* A texture over two granules, and a bit: with either of them the texels go. */
START_TEST(texels_that_are_no_longer_mapped_are_gone)
{
	static const uint64_t base = 0x600000000000;
	const size_t bytes = 3 * (size_t)GRANULE_BYTES;
	struct resource t = { .name = "t",
			      .reference = REFERENCE_TEXTURE,
			      .dims = 2,
			      .size = { 1024, 1024, 1 },
			      .layers = 1,
			      .channels = 1,
			      .type = TY_F32,
			      .sampler = { .address = { ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP } },
			      .data = base + 512 };

	for (uint64_t gone = 0; gone < 4; gone++) {
		unsigned char *host =
			mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		struct engine *e;
		struct rig r;

		ck_assert(host != MAP_FAILED);
		rig_open(&r, MODULE("mov.u32 %r9, 600; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r9,%r9}];"), 0);
		device_free(r.dev);
		r.dev = device_new_at(&r.d, base, 1 << 30);
		ck_assert(device_reserve(r.dev, "range", base, bytes, host) && device_load(r.dev, r.m));
		device_set_granules(r.dev, base, bytes, GRANULE_OPEN);
		ck_assert(device_resource(r.dev, &t));
		t.data = base + 2 * (uint64_t)GRANULE_BYTES + 512;
		ck_assert(!device_resource(r.dev, &t));
		t.data = base + 512;
		if (gone < 3) {
			device_set_granules(r.dev, base + gone * GRANULE_BYTES, GRANULE_BYTES, GRANULE_NONE);
			ck_assert(mprotect(host + gone * GRANULE_BYTES, GRANULE_BYTES, PROT_NONE) == 0);
		}
		e = rig_engine(&r);
		ck_assert_msg(engine_run(e) == (gone == 3), "granule %u: %s", (unsigned)gone, r.d.last);
		ck_assert_int_eq(engine_fault(e)->kind, gone == 3 ? FAULT_NONE : FAULT_FREED);
		engine_free(e);
		rig_close(&r);
		munmap(host, bytes);
	}
}
END_TEST

Suite *suite_texture(void)
{
	Suite *s = suite_create("texture");
	TCase *t = tcase_create("engine");

	suite_add_tcase(s, t);
	tcase_add_loop_test(t, lines_are_those_of_the_texels, 0, 4);
	tcase_add_loop_test(t, wrong_accesses_fault, 0, 12);
	tcase_add_loop_test(t, levels_of_detail, 0, 13);
	tcase_add_test(t, texels_that_are_no_longer_mapped_are_gone);
	return s;
}
