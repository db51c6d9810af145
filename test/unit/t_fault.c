/* Execution that goes wrong or is stopped: the text of each fault, limits, progress, launches that are refused. */
#include "test/unit/engine_run.h"

#include <sys/mman.h>

Suite *suite_fault(void);

/* ---- faults: the text; blocks of 10 x 4, %r0 the linear index ---- */
#define PTX_LINEAR                                                                                           \
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mad.lo.s32 %r0, %r1, 10, %r0;\n"                          \
	"ld.param.u64 %d0, [out]; mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d0, %d2; ld.param.u64 %d1, [in]; " \
	"ld.param.u32 %r39, [n];\n"
#define FAULTY(body) PTX_MODULE("", PTX_LINEAR body " ret;")
static const struct {
	const char *ptx, *want;
	uint32_t dynamic;
} faults[] = {
	{ FAULTY("ld.global.u32 %r3, [%d1+8192];"),
	  "kernel k: ld.global.u32 %r3, [%d1+0x2000]: 4 bytes at 0x7e90d2007000 are outside memory, 8192 bytes after "
	  "the "
	  "start of in (4096 bytes at 0x7e90d2005000) in CTA (0,0,0), thread (0,0,0), lane 0 of warp 0",
	  0 },
	{ FAULTY("mul.wide.u32 %d3, %r0, 128; add.u64 %d3, %d1, %d3; st.global.u32 [%d3], %r0;"),
	  "st.global.u32 [%d3], %r0: 4 bytes at 0x7e90d2006000 are outside memory, 4096 bytes after the start of in "
	  "(4096 "
	  "bytes at 0x7e90d2005000) in CTA (0,0,0), thread (2,3,0), lane 0 of warp 1",
	  0 },
	{ FAULTY("ld.global.u32 %r3, [%d1+-4];"),
	  "4 bytes at 0x7e90d2004ffc are outside memory, 4 bytes before in (4096 bytes at 0x7e90d2005000)", 0 },
	{ FAULTY("ld.global.v2.u32 {%r3, %r4}, [%d1+4];"), "address 0x7e90d2005004 is not a multiple of 8 bytes", 0 },
	{ FAULTY("mov.u64 %d3, 0; @!%p0 ld.global.u8 %r3, [%d3+16];"), "null pointer: address 0x10 in", 0 },
	{ FAULTY("mov.u64 %d3, 0x123456789abc; ld.u32 %r3, [%d3];"), "4 bytes at 0x123456789abc are outside memory",
	  0 },
	{ FAULTY("mov.u64 %d3, 0x8000000; ld.u32 %r3, [%d3];"), "4 bytes at 0x8000000 are outside memory", 0 },
	{ PTX_MODULE("", ".shared .align 4 .b8 t[64];\n" PTX_LINEAR
			 "mov.u32 %r3, t; shl.b32 %r4, %r0, 2; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r0; ret;"),
	  "st.shared.u32 [%r3], %r0: 4 bytes at offset 0x40 are outside the 64 bytes of shared memory in CTA (0,0,0), "
	  "thread (6,1,0), lane 16 of warp 0",
	  0 },
	{ PTX_MODULE("",
		     ".shared .align 4 .b8 t[64];\n" PTX_LINEAR "mov.u32 %r3, t; ld.shared.u32 %r4, [%r3+62]; ret;"),
	  "address 0x3e is not a multiple of 4 bytes", 16 },
	{ PTX_MODULE("", ".local .align 4 .b8 t[8];\n" PTX_LINEAR "mov.u32 %r3, t; st.local.u32 [%r3+8], %r0; ret;"),
	  "4 bytes at offset 0x8 are outside the 8 bytes of local memory", 0 },
	{ PTX_MODULE(".const .align 4 .u32 c = 4;", PTX_LINEAR "mov.u32 %r3, c; ld.const.u32 %r4, [%r3+4]; ret;"),
	  "4 bytes at offset 0x4 are outside the 4 bytes of constant memory", 0 },
	{ PTX_MODULE("", ".local .align 4 .b8 t[8];\n" PTX_LINEAR
			 "mov.u64 %d3, t; cvta.local.u64 %d3, %d3; atom.add.u32 %r3, [%d3], 1; ret;"),
	  "is in a space that does not allow this", 0 },
	{ FAULTY("setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 1; A: bar.sync 0;"),
	  "kernel k: deadlock in CTA (0,0,0): none of its 2 live warps can run\n  warp 0 waits for barrier 0, where 1 "
	  "of 2 warps have arrived, at instruction 11, bar.sync 0, 0 (t.ptx:10:",
	  0 },
	{ FAULTY("bar.sync 2, 96;"), "for barrier 2, where 2 of 3 warps have arrived and only 2 live, at instruction",
	  0 },
	{ FAULTY("mov.u32 %r3, 33; bar.sync 2, %r3;"), "the barrier's thread count, 33, is not a multiple of 32", 0 },
	{ FAULTY("add.u32 %r3, %r0, 16; bar.sync %r3;"), "barrier 16 does not exist; there are 16", 0 },
	{ FAULTY("setp.eq.u32 %p0, %r0, 33; @%p0 trap;"),
	  "trap: the program asked to stop in CTA (0,0,0), thread (3,3,0), lane 1 of warp 1", 0 },
};
enum { FAULTS = sizeof faults / sizeof *faults };

static void check_fault(int row)
{
	struct rig r;

	rig_open(&r, faults[row].ptx, 0);
	r.l.block[0] = 10;
	r.l.block[1] = 4;
	r.l.dynamic_shared = faults[row].dynamic;
	ck_assert_msg(!rig_run(&r, NULL), "no fault");
	ck_assert_uint_eq(r.d.errors, 1);
	ck_assert_msg(strstr(r.d.last, faults[row].want) != NULL, "%s", r.d.last);
	ck_assert_msg(strncmp(r.d.last, "t.ptx:", 6) == 0 && strchr(r.d.last, '^'), "%s", r.d.last);
	rig_close(&r);
}

START_TEST(faults_name_the_instruction_the_thread_and_the_memory)
{
	for (int row = 0; row < FAULTS; row++)
		check_fault(row);
}
END_TEST

/* ---- the same as data ---- */
#define ASSERT_DECL                                                                                           \
	".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 " \
	"c);\n.global .b8 t[4] = { 120, 61, 49, 0 };"
#define ONE "setp.eq.u32 %p0, %r0, 33; " /* thread (3,3,0), lane 1 of warp 1 */
static const struct {
	const char *ptx;
	enum fault_kind kind;
	enum space space;
	uint64_t address;
	uint32_t bytes;
} kinds[] = {
	{ FAULTY(ONE "@%p0 ld.global.v2.u32 {%r3, %r4}, [%d1+12288]; st.global.u32 [%d0], %r3;"), FAULT_BOUNDS,
	  SP_GLOBAL, DEVICE_START + 0x8000, 8 },
	{ FAULTY(ONE "mov.u64 %d3, 8; @%p0 ld.u32 %r3, [%d3]; st.global.u32 [%d0], %r3;"), FAULT_BOUNDS, SP_GENERIC, 8,
	  4 },
	{ FAULTY(ONE "@%p0 st.global.u32 [%d1+2], %r0;"), FAULT_MISALIGNED, SP_GLOBAL, DEVICE_START + 0x5002, 4 },
	{ FAULTY(ONE "@%p0 atom.global.add.u64 %d3, [%d1+4], 1;"), FAULT_MISALIGNED, SP_GLOBAL, DEVICE_START + 0x5004,
	  8 },
	{ FAULTY(ONE "mov.u64 %d3, 0x7e90d2008200; @%p0 st.global.u8 [%d3+7], %r0;"), FAULT_FREED, SP_GLOBAL,
	  DEVICE_START + 0x8207, 1 },
	{ PTX_MODULE("", ".shared .align 4 .b8 t[64];\n" PTX_LINEAR ONE
			 "mov.u32 %r3, t; @%p0 st.shared.u32 [%r3+64], %r0; ret;"),
	  FAULT_BOUNDS, SP_SHARED, 64, 4 },
	{ FAULTY(ONE "@%p0 trap;"), FAULT_TRAP, SP_NONE, 0, 0 },
	{ PTX_MODULE(ASSERT_DECL,
		     PTX_LINEAR ONE "mov.u64 %d5, t; @%p0 call __assertfail, (%d5, %d5, 12, %d5, 1); ret;"),
	  FAULT_ASSERT, SP_NONE, 0, 0 },
	{ FAULTY(ONE "mov.u32 %r3, 16; @%p0 bar.sync %r3;"), FAULT_ILLEGAL, SP_NONE, 0, 0 },
	{ PTX_MODULE(".extern .func free(.param .b64 p);", PTX_LINEAR ONE "@%p0 call free, (%d1); ret;"), FAULT_HEAP,
	  SP_NONE, 0, 0 },
	{ FAULTY(ONE "mov.u64 %d3, 77; @%p0 tex.1d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [%d3, {%r0}]; st.global.u32 [%d0], "
		     "%r3;"),
	  FAULT_RESOURCE, SP_NONE, 0, 0 },
	{ PTX_MODULE("", ".local .align 4 .b8 t[8];\n" PTX_LINEAR ONE
			 "mov.u64 %d3, t; cvta.local.u64 %d3, %d3; @%p0 atom.add.u32 %r3, [%d3], 1; ret;"),
	  FAULT_SPACE, SP_NONE, 0, 0 },
	{ FAULTY("bar.sync 2, 96;"), FAULT_DEADLOCK, SP_NONE, 0, 0 },
	{ FAULTY("L: bra L;"), FAULT_LIVELOCK, SP_NONE, 0, 0 },
	{ FAULTY(""), FAULT_NONE, SP_NONE, 0, 0 },
};

START_TEST(faults_are_told_as_data)
{
	static const uint32_t zero[3], thread[3] = { 3, 3, 0 };

	/* once compiled, that space is known: it is not launched */
	for (unsigned form = 0; form < (kinds[_i].kind == FAULT_SPACE ? 1 : 2); form++) {
		const struct launch_fault *f;
		struct engine *e;
		struct rig r;

		rig_open(&r, kinds[_i].ptx, form ? 63 : 0);
		r.l.block[0] = 10;
		r.l.block[1] = 4;
		r.opt.patience = 64;
		/* behind in, which ends at DEVICE_START + 0x6000 */
		ck_assert_uint_eq(device_alloc(r.dev, "gone", 64), DEVICE_START + 0x7000);
		ck_assert_uint_eq(device_alloc(r.dev, "gone", 4096), DEVICE_START + 0x8200);
		device_release(r.dev, DEVICE_START + 0x8200);
		e = rig_engine(&r);
		ck_assert(engine_run(e) == (kinds[_i].kind == FAULT_NONE));
		f = engine_fault(e);
		ck_assert_int_eq(f->kind, kinds[_i].kind);
		if (f->kind) {
			ck_assert(strstr(r.d.last, f->text) && strcmp(f->kernel, "k") == 0 && f->insn < r.k->ninsn);
			ck_assert(strstr(f->source, "t.ptx:") && *f->insn_text &&
				  strncmp(f->text, "kernel k: ", 10) == 0);
			ck_assert(f->has_cta == (f->kind != FAULT_LIVELOCK) && memcmp(f->cta, zero, sizeof zero) == 0);
		}
		if (f->kind && f->kind != FAULT_DEADLOCK && f->kind != FAULT_LIVELOCK)
			ck_assert(f->has_thread && memcmp(f->thread, thread, sizeof thread) == 0 && f->warp == 1 &&
				  f->lane == 1);
		else
			ck_assert(!f->has_thread);
		ck_assert(f->has_address == (kinds[_i].bytes != 0) && f->space == kinds[_i].space &&
			  f->address == kinds[_i].address && f->bytes == kinds[_i].bytes);
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

START_TEST(a_pointer_to_the_host_is_told_from_one_beside_memory)
{
	static const struct {
		uint64_t address;
		enum fault_kind kind;
		const char *want;
	} row[] = {
		{ 0x7fff12345678, FAULT_HOST,
		  "address 0x7fff12345678 is not the device's: a pointer to memory of the host" },
		{ 0x555555555550, FAULT_HOST, "a pointer to memory of the host" },
		{ 0x600000000000 + 8192, FAULT_BOUNDS, "are outside memory, 8192 bytes after the start of x" },
		{ 0x700000000000 + 8192, FAULT_BOUNDS, "are outside memory, 8192 bytes after the start of mine" },
		{ 64, FAULT_BOUNDS, "null pointer" },
	};
	static _Alignas(16) uint32_t mine[16];
	struct device *dev;
	struct engine *e;
	struct rig r;

	rig_open(&r, KERNEL("ld.global.u32 %r3, [%d1];"), 0);
	dev = device_new_at(&r.d, 0x600000000000, 1 << 30);
	ck_assert(device_alloc(dev, "x", 64) && device_map(dev, "mine", 0x700000000000, 64, mine));
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		memcpy(r.params + 8, &row[i].address, 8);
		e = engine_new(dev, &r.l, &r.opt, &r.d);
		ck_assert(e && !engine_run(e));
		ck_assert_int_eq(engine_fault(e)->kind, row[i].kind);
		ck_assert_msg(strstr(r.d.last, row[i].want) != NULL, "%s", r.d.last);
		engine_free(e);
	}
	device_free(dev);
	rig_close(&r);
}
END_TEST

/* Of a reserved range the first granule is not mapped, the others closed, readable and open. */
START_TEST(what_is_not_mapped_or_not_allowed_is_told)
{
	static const struct {
		const char *body;
		uint32_t at;
		enum fault_kind kind;
		const char *want;
	} row[] = {
		{ "ld.global.u32 %r3, [%d1];", 2 * GRANULE_BYTES, FAULT_NONE, "" },
		{ "ld.global.u32 %r3, [%d1];", 3 * GRANULE_BYTES, FAULT_NONE, "" },
		{ "st.global.u32 [%d1], %r0;", 3 * GRANULE_BYTES, FAULT_NONE, "" },
		{ "ld.global.u32 %r3, [%d1];", 16, FAULT_UNMAPPED,
		  "4 bytes at 0x600000000010 are 16 bytes into range (8388608 bytes at 0x600000000000), where nothing "
		  "is mapped in CTA (0,0,0), thread (0,0,0)" },
		{ "st.global.u32 [%d1], %r0;", GRANULE_BYTES, FAULT_ACCESS,
		  "where memory is mapped that nobody may access" },
		{ "ld.global.u32 %r3, [%d1];", GRANULE_BYTES, FAULT_ACCESS,
		  "where memory is mapped that nobody may access" },
		{ "st.global.u32 [%d1], %r0;", 2 * GRANULE_BYTES, FAULT_ACCESS, "may be read, not written" },
		{ "atom.global.add.u32 %r3, [%d1], 1;", 2 * GRANULE_BYTES, FAULT_ACCESS, "may be read, not written" },
		{ "red.global.add.u32 [%d1], 1;", 2 * GRANULE_BYTES, FAULT_ACCESS, "may be read, not written" },
		{ "ld.global.u32 %r3, [%d1+4];", 4 * GRANULE_BYTES, FAULT_BOUNDS, "are outside memory" },
		/* rows of 64 bytes, of the first of which half is there */
		{ ".reg .f32 %f<8>; wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
		  "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%d1];",
		  4 * GRANULE_BYTES - 32, FAULT_BOUNDS,
		  "1 bytes at 0x600000800000 are outside memory, 8388608 bytes after the start of range" },
		{ "mov.u32 %r3, %tid.x; mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2; ld.global.u32 %r3, [%d1];",
		  2 * GRANULE_BYTES - 32, FAULT_ACCESS, "4 bytes at 0x6000003fffe0 are 4194272 bytes into range" },
		{ "mov.u32 %r3, %tid.x; mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2; ld.global.u32 %r3, [%d1];",
		  3 * GRANULE_BYTES - 32, FAULT_NONE, "" },
		{ "mov.u32 %r3, %tid.x; mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r3;",
		  3 * GRANULE_BYTES - 32, FAULT_ACCESS, "may be read, not written in CTA (0,0,0), thread (0,0,0)" },
		{ "mov.u32 %r3, %tid.x; mul.wide.u32 %d2, %r3, 4; sub.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r3;",
		  3 * GRANULE_BYTES + 32, FAULT_ACCESS, "may be read, not written in CTA (0,0,0), thread (9,0,0)" },
	};
	unsigned char *host =
		mmap(NULL, 4 * (size_t)GRANULE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ck_assert(host != MAP_FAILED &&
		  mprotect(host + GRANULE_BYTES, 3 * (size_t)GRANULE_BYTES, PROT_READ | PROT_WRITE) == 0);
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		static const uint64_t base = 0x600000000000;
		const uint64_t at = base + row[i].at;
		struct device *dev;
		struct engine *e;
		unsigned follow;
		struct rig r;
		char ptx[1024];

		snprintf(ptx, sizeof ptx, "%s%s%s",
			 ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out, .param .u64 in, "
			 ".param .u32 n)\n"
			 "{ .reg .b32 %r<8>; .reg .b64 %d<8>; mov.u32 %r0, 7; ld.param.u64 %d1, [in];\n",
			 row[i].body, " ret; }\n");
		rig_open(&r, ptx, 0);
		dev = device_new_at(&r.d, base, 1 << 30);
		ck_assert(!device_granular(dev) &&
			  device_reserve(dev, "range", base, 4 * (uint64_t)GRANULE_BYTES, host) &&
			  device_granular(dev));
		ck_assert(!device_reserve(dev, "another", base + 2 * GRANULE_BYTES, GRANULE_BYTES, host));
		r.d.errors = 0;
		ck_assert(!device_ptr(dev, base + 3 * GRANULE_BYTES, 4));
		device_set_granules(dev, base + GRANULE_BYTES, GRANULE_BYTES, GRANULE_CLOSED);
		device_set_granules(dev, base + 2 * GRANULE_BYTES, GRANULE_BYTES, GRANULE_READ);
		device_set_granules(dev, base + 3 * GRANULE_BYTES, GRANULE_BYTES, GRANULE_OPEN);
		ck_assert(device_ptr(dev, base + 2 * GRANULE_BYTES, 2 * GRANULE_BYTES) &&
			  !device_ptr(dev, base + 2 * GRANULE_BYTES - 4, 8));
		memcpy(r.params + 8, &at, 8);
		e = engine_new(dev, &r.l, &r.opt, &r.d);
		ck_assert(e &&
			  memory_byte(e, NULL, NULL, SP_GLOBAL, 0, base + 3 * (uint64_t)GRANULE_BYTES - 4, &follow) &&
			  follow == 4);
		ck_assert(engine_run(e) == (row[i].kind == FAULT_NONE));
		ck_assert_msg(engine_fault(e)->kind == row[i].kind, "row %u: %u", i, engine_fault(e)->kind);
		ck_assert_msg(!row[i].kind || strstr(r.d.last, row[i].want), "row %u: %s", i, r.d.last);
		engine_free(e);
		ck_assert(device_unmap(dev, base) && !device_granular(dev));
		device_free(dev);
		rig_close(&r);
	}
	munmap(host, 4 * (size_t)GRANULE_BYTES);
}
END_TEST

START_TEST(the_limit_is_exact)
{
	static const char ptx[] =
		KERNEL("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 100; @%p0 bra L; bar.sync 0;");
	struct engine_counts all, c;
	struct rig r;

	for (int less = 0; less < 400; less += 7) {
		rig_open(&r, ptx, 0);
		r.l.block[0] = 96;
		ck_assert(rig_run(&r, &all));
		r.opt.max_insns = all.warp_insns - (uint64_t)less;
		ck_assert(rig_run(&r, &c) == (less == 0));
		ck_assert_uint_eq(c.warp_insns, r.opt.max_insns);
		rig_close(&r);
	}
}
END_TEST

START_TEST(a_launch_that_is_stopped_says_where_its_warps_are)
{
	static const struct {
		const char *ptx, *want;
	} spin[] = {
		{ FAULTY("L: bra L;"), "\n  CTA (0,0,0) warp 0 is at instruction 8, bra L (t.ptx:10:" },
		{ FAULTY("setp.lt.u32 %p0, %r0, 32; @%p0 bra L; bar.sync 0; L: bra L;"),
		  "\n  CTA (0,0,0) warp 1 waits at instruction 10, bar.sync 0, 0 (t.ptx:10:" },
	};
	int stop = 1;

	for (int i = 0; i < 4; i++) {
		struct stopped s;
		struct engine *e;
		struct rig r;

		rig_open(&r, spin[i % 2].ptx, 0);
		r.l.block[0] = 40;
		r.opt.max_insns = 1000;
		r.opt.stop = i < 2 ? NULL : &stop;
		e = rig_engine(&r);
		ck_assert(!engine_run(e) && r.d.errors == 0);
		ck_assert_int_eq(engine_stopped(e), i < 2 ? STOP_INSNS : STOP_ASKED);
		engine_describe(e, &s);
		ck_assert(s.why == engine_stopped(e) && s.ctas_done == 0 && s.ctas == 1);
		ck_assert_uint_eq(engine_counts(e)->warp_insns, i < 2 ? 1000 : 0);
		ck_assert_msg(i < 2 ? strstr(s.where, spin[i].want) != NULL : !*s.where, "%s", s.where);
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

static void count_report(void *ctx, const struct engine_progress *p)
{
	uint64_t *last = ctx;

	ck_assert(p->warp_insns >= last[0] && p->ctas == 3 && p->ctas_done >= last[1] && p->ctas_done <= 3);
	last[0] = p->warp_insns;
	last[1] = p->ctas_done;
	last[2]++;
}

START_TEST(execution_reports_how_far_it_has_come)
{
	uint64_t last[3] = { 0 };
	struct engine_counts c;
	struct rig r;

	rig_open(&r, KERNEL("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 100000; @%p0 bra L;"), 0);
	r.l.grid[0] = 3;
	r.opt.progress = count_report;
	r.opt.progress_ctx = last;
	ck_assert(rig_run(&r, &c));
	ck_assert_uint_ge(last[2], 5);
	ck_assert(last[0] > c.warp_insns / 2 && last[0] <= c.warp_insns);
	rig_close(&r);
}
END_TEST

START_TEST(faults_in_machine_form_name_the_source_line)
{
	struct rig r;

	rig_open(&r,
		 PTX_MODULE(".file 1 \"a.cu\"",
			    PTX_INDEX ".loc 1 12 5\nld.global.u32 %r3, [%d1+8192]; st.global.u32 [%d0], %r3; ret;"),
		 63);
	r.m->src = NULL; /* as an object is loaded */
	ck_assert(!rig_run(&r, NULL));
	ck_assert_msg(strncmp(r.d.last, "a.cu:12:5: error: kernel k: ld.global.u32 R", 43) == 0, "%s", r.d.last);
	rig_close(&r);
}
END_TEST

/* ---- launches that are refused ---- */
static const struct {
	uint32_t grid[3], block[3], param_bytes, dynamic, reqntid, maxntid;
	const char *want;
} refused[] = {
	{ { 0, 1, 1 }, { 32, 1, 1 }, 20, 0, 0, 0, "launch of 0x1x1 CTAs of 32x1x1 threads is empty" },
	{ { 1, 1, 1 }, { 32, 33, 1 }, 20, 0, 0, 0, "block of 32x33x1 threads is over the limit of 1024" },
	{ { 1, 1, 1 }, { 1, 1, 65 }, 20, 0, 0, 0, "block of 1x1x65 threads is over the limit" },
	{ { 1, 65536, 1 }, { 1, 1, 1 }, 20, 0, 0, 0, "grid of 1x65536x1 CTAs is over the limit" },
	{ { 2147483647, 65535, 65535 }, { 1, 1, 1 }, 20, 0, 0, 0, "is over the limit" },
	{ { 1, 1, 1 }, { 32, 1, 1 }, 16, 0, 0, 0, "takes 20 bytes of parameters, the launch gives 16" },
	{ { 1, 1, 1 }, { 32, 1, 1 }, 20, 1 << 30, 0, 0, "bytes of shared memory, over the limit of 16777216" },
	{ { 1, 1, 1 }, { 32, 1, 1 }, 20, 0, 64, 0, "the kernel requires 64x1x1 (.reqntid)" },
	{ { 1, 1, 1 }, { 32, 2, 1 }, 20, 0, 0, 63, "block of 64 threads, but the kernel allows 63 (.maxntid)" },
};
enum { REFUSED = sizeof refused / sizeof *refused };

static void check_refused(int row)
{
	struct rig r;

	rig_open(&r, KERNEL(""), 0);
	memcpy(r.l.grid, refused[row].grid, sizeof r.l.grid);
	memcpy(r.l.block, refused[row].block, sizeof r.l.block);
	r.l.param_bytes = refused[row].param_bytes;
	r.l.dynamic_shared = refused[row].dynamic;
	r.k->reqntid[0] = refused[row].reqntid;
	r.k->maxntid[0] = refused[row].maxntid;
	ck_assert(engine_new(r.dev, &r.l, &r.opt, &r.d) == NULL);
	ck_assert_msg(strstr(r.d.last, refused[row].want) != NULL, "%s", r.d.last);
	ck_assert_uint_eq(r.d.errors, 1);
	rig_close(&r);
}

START_TEST(bad_launches_are_refused_with_the_reason)
{
	for (int row = 0; row < REFUSED; row++)
		check_refused(row);
}
END_TEST

START_TEST(kernels_that_records_cannot_number_are_refused)
{
	struct rig r;
	uint32_t is;

	rig_open(&r, KERNEL(""), 0);
	is = r.k->ninsn;
	r.k->ninsn = RECORD_APART + 1;
	ck_assert(engine_new(r.dev, &r.l, &r.opt, &r.d) == NULL);
	ck_assert_msg(strstr(r.d.last, "has 8388609 instructions; kernels of up to 8388608 are executed") != NULL, "%s",
		      r.d.last);
	r.k->ninsn = is;
	rig_close(&r);
}
END_TEST

Suite *suite_fault(void)
{
	Suite *s = suite_create("fault");
	TCase *t = tcase_create("fault");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, faults_name_the_instruction_the_thread_and_the_memory);
	tcase_add_loop_test(t, faults_are_told_as_data, 0, sizeof kinds / sizeof *kinds);
	tcase_add_test(t, a_pointer_to_the_host_is_told_from_one_beside_memory);
	tcase_add_test(t, what_is_not_mapped_or_not_allowed_is_told);
	tcase_add_test(t, the_limit_is_exact);
	tcase_add_test(t, a_launch_that_is_stopped_says_where_its_warps_are);
	tcase_add_test(t, execution_reports_how_far_it_has_come);
	tcase_add_test(t, faults_in_machine_form_name_the_source_line);
	tcase_add_test(t, bad_launches_are_refused_with_the_reason);
	tcase_add_test(t, kernels_that_records_cannot_number_are_refused);
	suite_add_tcase(s, t);
	return s;
}
