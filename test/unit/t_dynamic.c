/* Extern shared memory lies behind the static one of the kernel that runs: what its neighbours in the module have does
 * not matter. */
#include "passes/occupancy.h"
#include "test/unit/engine_run.h"

Suite *suite_dynamic(void);

/* k has no static shared memory, its neighbour much; k writes all that the launch gives it, backwards in the first word
 * of each thread. */
static const char neighbour[] = PTX_MODULE(
	".extern .shared .align 16 .b8 dyn[];\n", PTX_INDEX
	"mov.u32 %r3, dyn; shl.b32 %r4, %r0, 2; add.u32 %r4, %r3, %r4; st.shared.u32 [%r4], %r0; bar.sync 0;\n"
	"sub.u32 %r5, 31, %r0; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5]; st.global.u32 "
	"[%d0], %r6; st.global.u32 [%d1], %r3; ret;") ".visible .entry large() { .shared .align 4 .b8 t[30000]; .reg "
						      ".b32 %r<3>; mov.u32 %r1, t; st.shared.u32 [%r1+29996], %r1; "
						      "ret; }\n";
/* Its own static memory, of 20 bytes, and the array named by a function alone, on a multiple of 128. */
static const char by_call[] =
	PTX_MODULE(".extern .shared .align 128 .b8 dyn[];\n.func (.reg .b32 %o) where() { mov.u32 %o, dyn; ret; }\n",
		   PTX_INDEX ".shared .align 4 .b8 own[20]; call (%r3), where, (); st.shared.u32 [%r3], 7; mov.u32 "
			     "%r4, own; st.shared.u32 [%r4+16], 9; ld.shared.u32 %r5, [%r3];\n"
			     "add.u32 %r5, %r5, %r3; st.global.u32 [%d0], %r5; ret;");

START_TEST(a_neighbour_takes_nothing)
{
	for (int way = 0; way < WAYS; way++) {
		struct rig r;

		rig_way(&r, neighbour, way);
		ck_assert_uint_eq(r.k->res.shared_bytes, 0);
		ck_assert_uint_eq(module_find_kernel(r.m, "large")->res.shared_bytes, 30000);
		r.l.dynamic_shared = 128;
		ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
		for (uint32_t i = 0; i < 32; i++)
			ck_assert_uint_eq(r.out[i], 31 - i);
		ck_assert_uint_eq(r.in[0], 0);
		r.l.dynamic_shared = 124; /* no more than is given */
		ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "outside the 124 bytes of shared memory"));
		rig_close(&r);
	}
}
END_TEST

START_TEST(occupancy_follows)
{
	struct occupancy_query q = { .sm = SM_LIMITS_DEFAULT, .regs = 16, .threads = 64 };
	struct rig r;

	rig_open(&r, neighbour, 0);
	q.shared_bytes = module_find_kernel(r.m, "k")->res.shared_bytes + 1024;
	ck_assert_uint_eq(occupancy_of(&q).ctas, 8); /* as many as there is room for by their number */
	q.shared_bytes = module_find_kernel(r.m, "large")->res.shared_bytes;
	ck_assert_uint_eq(occupancy_of(&q).ctas, 1);
	rig_close(&r);
}
END_TEST

START_TEST(functions_name_it_too)
{
	for (int way = 0; way < WAYS; way++) {
		struct rig r;

		rig_open_inlining(&r, by_call, way < 2 ? 0 : 63, way % 2 ? 0 : INLINE_LIMIT);
		ck_assert_uint_eq(r.k->res.shared_bytes, 128);
		r.l.dynamic_shared = 4;
		ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
		ck_assert_uint_eq(r.out[3], 128 + 7);
		rig_close(&r);
	}
}
END_TEST

Suite *suite_dynamic(void)
{
	Suite *s = suite_create("dynamic");
	TCase *t = tcase_create("dynamic");

	tcase_add_test(t, a_neighbour_takes_nothing);
	tcase_add_test(t, occupancy_follows);
	tcase_add_test(t, functions_name_it_too);
	suite_add_tcase(s, t);
	return s;
}
