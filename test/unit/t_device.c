/* Device memory: addresses that are used again, memory of the caller, what was freed, modules that come and go. */
#include "test/unit/engine_run.h"

#include "analyzer/base/rng.h"
#include "analyzer/ir/texture.h"

#include <stdlib.h>

Suite *suite_device(void);

/* ---- addresses ---- */
enum { BLOCKS = 400, STEPS = 20000, RED = 4096, ALIGN = 512, SMALL = 1 << 20 };
struct piece {
	uint64_t addr, bytes;
	bool mapped;
};

static int by_address(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static uint64_t up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

/* The lowest address that fits, found by going through all blocks; 0: none. What is large begins a granule and has all
 * of those that it touches; what is small lies in one. */
static uint64_t oracle(struct piece *b, unsigned n, uint64_t base, uint64_t limit, uint64_t bytes, uint64_t align)
{
	uint64_t at = base;

	qsort(b, n, sizeof *b, by_address);
	for (unsigned i = 0; i <= n; i++) {
		uint64_t end = i < n ? b[i].addr - RED : limit, start = up(at, bytes > SMALL ? GRANULE_BYTES : align);

		if (start / GRANULE_BYTES != (start + bytes - 1) / GRANULE_BYTES)
			start = up(start, GRANULE_BYTES);
		end = end < limit ? end : limit;
		if (start < end && bytes <= end - start)
			return start;
		if (i < n && b[i].addr + b[i].bytes + RED > base)
			at = up(b[i].addr + b[i].bytes + RED, b[i].bytes > SMALL ? GRANULE_BYTES : 1);
	}
	return 0;
}

START_TEST(addresses_are_the_lowest_that_fit)
{
	const uint64_t base = (uint64_t)0x7e << 40, limit = base + (40 << 20);
	static unsigned char memory[1 << 16];
	struct piece b[BLOCKS];
	struct device *dev;
	struct diag d;
	uint64_t rng = 7, refused = 0, reused = 0;
	unsigned n = 0;

	diag_init(&d, NULL);
	dev = device_new_at(&d, base, limit - base);
	for (int step = 0; step < STEPS; step++) {
		uint64_t r = rng_next(&rng), bytes = r % 16 ? r >> 8 & 0xfff : r >> 8 & 0x3ffff, want;

		if (r % 64 == 0)
			bytes = r >> 8 & 0x3fffff;
		bytes += !bytes;
		if (n == BLOCKS || (n && r >> 60 < 7)) {
			unsigned x = (unsigned)((r >> 32) % n);

			ck_assert(!(b[x].mapped ? device_release : device_unmap)(dev, b[x].addr));
			ck_assert(!device_release(dev, b[x].addr + 1) && device_ptr(dev, b[x].addr, b[x].bytes));
			ck_assert((b[x].mapped ? device_unmap : device_release)(dev, b[x].addr));
			ck_assert(!device_ptr(dev, b[x].addr, 1) && !device_release(dev, b[x].addr) &&
				  !device_unmap(dev, b[x].addr));
			b[x] = b[--n];
		} else if (r >> 60 == 7) { /* somewhere, where a caller has memory */
			uint64_t at = base + (r >> 20) % (limit - base) / 16 * 16;
			bool ok = true;

			bytes %= sizeof memory;
			bytes += !bytes;
			for (unsigned i = 0; i < n; i++)
				ok &= b[i].addr + b[i].bytes <= at || at + bytes <= b[i].addr;
			ck_assert_msg(device_map(dev, "mapped", at, bytes, memory) == ok, "0x%llx",
				      (unsigned long long)at);
			if (ok)
				b[n++] = (struct piece){ at, bytes, true };
		} else {
			uint64_t align = r >> 59 & 1 ? 4096 : 1;

			ck_assert_uint_eq(device_place(dev, bytes, align),
					  oracle(b, n, base, limit, bytes, align < ALIGN ? ALIGN : align));
			want = oracle(b, n, base, limit, bytes, ALIGN);
			ck_assert_uint_eq(device_alloc(dev, "block", bytes), want);
			refused += !want;
			for (unsigned i = 0; i < n; i++)
				reused += want && b[i].addr > want;
			if (want) {
				ck_assert(((unsigned char *)device_ptr(dev, want, bytes))[bytes - 1] == 0);
				memset(device_ptr(dev, want, bytes), 0xee, bytes);
				b[n++] = (struct piece){ want, bytes, false };
			}
		}
		if (n) {
			unsigned x = (unsigned)((r >> 16) % n);
			uint64_t o = (r >> 24) % (b[x].bytes + 64);

			ck_assert((device_ptr(dev, b[x].addr + o, 8) != NULL) == (o + 8 <= b[x].bytes));
		}
	}
	ck_assert(refused && reused);
	device_free(dev);
	diag_free(&d);
}
END_TEST

START_TEST(memory_begins_where_a_driver_has_it)
{
	struct device *dev;
	struct module m = { .address_bits = 32 };
	struct diag d;
	uint64_t a, b, c;

	diag_init(&d, NULL);
	dev = device_new(&d);
	a = device_alloc(dev, "small", 1000);
	b = device_alloc(dev, "large", SMALL + 1);
	c = device_alloc(dev, "small too", SMALL / 2);
	ck_assert(a == DEVICE_START && a % GRANULE_BYTES == 0 && b == a + GRANULE_BYTES);
	ck_assert(c > a && c < b && c % 512 == 0);
	/* four bytes and two, as numbers with a sign */
	ck_assert((int32_t)(uint32_t)a >> 23 != 0 && (int32_t)(uint32_t)a >> 23 != -1);
	ck_assert(a >> 32 > INT8_MAX && a >> 32 <= INT16_MAX);
	device_free(dev);
	dev = device_new_for(&m, &d);
	ck_assert_uint_eq(device_alloc(dev, "narrow", 4), GLOBAL_START);
	ck_assert_uint_eq(device_alloc(dev, "too much", (uint64_t)1 << 32), 0);
	device_free(dev);
	diag_free(&d);
}
END_TEST

START_TEST(many_allocations_are_found_fast)
{
	enum { MANY = 60000 };
	static uint64_t at[MANY];
	struct device *dev;
	struct diag d;
	uint64_t rng = 3;

	diag_init(&d, NULL);
	dev = device_new(&d);
	for (unsigned i = 0; i < MANY; i++)
		at[i] = device_alloc(dev, "x", 16);
	for (unsigned i = 0; i < MANY; i += 2)
		ck_assert(device_release(dev, at[i]));
	for (unsigned i = 0; i < MANY; i++)
		ck_assert((device_ptr(dev, at[i], 16) != NULL) == (i % 2 == 1));
	for (unsigned i = 0; i < MANY; i += 2)
		ck_assert_uint_eq(device_alloc(dev, "y", 1 + rng_next(&rng) % 256), at[i]);
	device_free(dev);
	diag_free(&d);
}
END_TEST

START_TEST(what_the_program_did_not_ask_for_keeps_off_what_it_freed)
{
	enum { BYTES = 1 << 20 };
	uint64_t a, b, high;
	struct device *dev;
	struct diag d;

	diag_init(&d, NULL);
	dev = device_new_at(&d, GLOBAL_START, BYTES);
	a = device_alloc(dev, "a", 10000);
	b = device_alloc(dev, "b", 1000);
	ck_assert_uint_eq(device_place_apart(dev, 16, 0), device_place(dev, 16, 0)); /* nothing was freed */
	ck_assert(device_release(dev, a));
	ck_assert_uint_eq(device_place(dev, 16, 0), a);
	high = device_place_apart(dev, 16, 4096);
	ck_assert(high > b + 1000 && high % 4096 == 0);
	/* it would not lie there anyway */
	ck_assert_uint_eq(device_place_apart(dev, 20000, 0), device_place(dev, 20000, 0));
	ck_assert(device_release(dev, b));
	ck_assert(device_place_apart(dev, 16, 0) > b + 1000);
	high = device_place_apart(dev, 16, 0);
	ck_assert_uint_eq(device_alloc_apart(dev, "c", 16), high);
	ck_assert(device_place_apart(dev, 16, 0) > high + 16); /* behind what is there */
	/* No room elsewhere. */
	ck_assert(device_release(dev, high));
	a = device_alloc(dev, "rest", 900000);
	ck_assert(a && device_release(dev, a));
	ck_assert_uint_eq(device_place_apart(dev, 800000, 0), a);
	device_free(dev);
	diag_free(&d);
}
END_TEST

START_TEST(places_that_are_none_are_refused)
{
	static unsigned char memory[256] __attribute__((aligned(16)));
	static const struct {
		uint64_t addr, bytes, off;
		const char *want;
	} bad[] = {
		{ 0x1000, 16, 0, "m: error: 16 bytes at 0x1000 are no place for memory of a device\n" },
		{ 0x20000000, 0, 0, "m: error: 0 bytes at 0x20000000 are no place for memory of a device\n" },
		{ (uint64_t)1 << 47, 16, 0,
		  "m: error: 16 bytes at 0x800000000000 are no place for memory of a device\n" },
		{ 0x20000008, 16, 0, NULL },
		{ 0x20000000, 16, 1, NULL },
		{ GLOBAL_START + 8, 8, 8, "m: error: 8 bytes at 0x10000008 overlap x (100 bytes at 0x10000000)\n" },
	};
	struct device *dev;
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(!device_new_at(&d, 4096, 4096) && !device_new_at(&d, GLOBAL_START + 1, 4096) &&
		  !device_new_at(&d, GLOBAL_START, UINT64_MAX));
	ck_assert(!device_new_at(&d, (uint64_t)1 << 46, ((uint64_t)1 << 46) + 1));
	dev = device_new_at(&d, GLOBAL_START, 1 << 20);
	ck_assert_uint_eq(device_alloc(dev, "x", 100), GLOBAL_START);
	ck_assert_uint_eq(device_alloc(dev, "y", 1 << 20), 0);
	ck_assert_str_eq(d.last, "y: error: 1048576 bytes do not fit the 1 MiB of device memory\n");
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert(!device_map(dev, "m", bad[i].addr, bad[i].bytes, memory + bad[i].off));
		ck_assert_msg(!bad[i].want || strcmp(d.last, bad[i].want) == 0, "%s", d.last);
	}
	ck_assert(!device_release(dev, 0) && !device_unmap(dev, 0) && !device_release(dev, GLOBAL_START + 1));
	device_free(dev);
	diag_free(&d);
}
END_TEST

/* Without a byte between them, on both sides; with one byte of it they overlap. */
START_TEST(places_of_callers_may_touch)
{
	static unsigned char memory[256] __attribute__((aligned(16)));
	struct device *dev;
	struct diag d;

	diag_init(&d, NULL);
	dev = device_new_at(&d, GLOBAL_START, 1 << 20);
	ck_assert(device_map(dev, "m", GLOBAL_START + 4096, 64, memory));
	ck_assert(!device_map(dev, "m", GLOBAL_START + 4096 + 48, 64, memory + 64));
	ck_assert(!device_map(dev, "m", GLOBAL_START + 4096 - 64, 65, memory + 64));
	ck_assert(device_map(dev, "m", GLOBAL_START + 4096 + 64, 64, memory + 64));
	ck_assert(device_map(dev, "m", GLOBAL_START + 4096 - 64, 64, memory + 128));
	ck_assert_ptr_eq(device_ptr(dev, GLOBAL_START + 4096 + 64, 1), memory + 64);
	device_free(dev);
	diag_free(&d);
}
END_TEST

/* ---- what kernels see ---- */
static void set_param(struct rig *r, unsigned at, uint64_t v) { memcpy(r->params + at, &v, 8); }

START_TEST(kernels_use_memory_of_the_caller)
{
	struct rig r;
	uint32_t *mine = aligned_alloc(4096, 8192);
	uint64_t addr = (uint64_t)(uintptr_t)mine;

	rig_open(
		&r,
		KERNEL("mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3]; add.u32 %r3, %r3, 1;"
		       "st.global.u32 [%d0], %r3; atom.global.add.u32 %r4, [%d3], 5;"),
		63);
	ck_assert(device_map(r.dev, "mine", addr, 8192, mine));
	for (uint32_t i = 0; i < 2048; i++)
		mine[i] = i * 3;
	set_param(&r, 8, addr);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert(mine[i] == i * 3 + (i < 32 ? 5 : 0) && r.out[i] == (i < 32 ? i * 3 + 1 : 0));
	set_param(&r, 8, addr + 8192 - 64);
	ck_assert(!rig_run(&r, NULL) &&
		  strstr(r.d.last, "are outside memory, 8192 bytes after the start of mine (8192 bytes"));
	ck_assert(device_unmap(r.dev, addr));
	set_param(&r, 8, addr);
	ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "are in freed memory, 0 bytes into mine (8192 bytes at 0x"));
	rig_close(&r);
	free(mine);
}
END_TEST

static void *add_up(void *ctx)
{
	struct rig *r = ctx;

	for (int i = 0; i < 20; i++)
		ck_assert_msg(rig_run(r, NULL), "%s", r->d.last);
	return NULL;
}

/* As two processes have it, each with a device of its own. */
START_TEST(atomics_of_two_devices_on_one_memory_are_whole)
{
	uint32_t *in = aligned_alloc(4096, IN_WORDS * 4);
	pthread_t other;
	struct rig r[2];

	for (int i = 0; i < 2; i++) {
		rig_open(&r[i],
			 KERNEL("mov.u32 %r3, 0; L: red.global.add.u32 [%d1], 1; atom.global.add.u32 %r4, [%d1+4], 2; "
				"add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 1000; @%p1 bra L;"),
			 0);
		r[i].l.block[0] = 64;
		r[i].l.grid[0] = 2;
		memset(in, 0, IN_WORDS * 4);
		device_move(r[i].dev, r[i].in_addr, in);
		device_share(r[i].dev, r[i].in_addr);
	}
	memset(in, 0, IN_WORDS * 4);
	ck_assert(pthread_create(&other, NULL, add_up, &r[1]) == 0);
	add_up(&r[0]);
	pthread_join(other, NULL);
	ck_assert_uint_eq(in[0], 2 * 20 * 128 * 1000);
	ck_assert_uint_eq(in[1], 2 * 20 * 128 * 1000 * 2);
	for (int i = 0; i < 2; i++)
		rig_close(&r[i]);
	free(in);
}
END_TEST

START_TEST(freed_memory_faults_until_it_is_used_again)
{
	static const char text[] = KERNEL("ld.global.u32 %r3, [%d1+8]; st.global.u32 [%d0], %r3;");
	struct rig r;
	uint64_t a, b;

	rig_open(&r, text, 0);
	a = device_alloc(r.dev, "first", 100);
	b = device_alloc(r.dev, "second", 100);
	ck_assert(device_release(r.dev, a) && device_release(r.dev, b));
	set_param(&r, 8, b);
	ck_assert(!rig_run(&r, NULL));
	ck_assert_msg(strstr(r.d.last, "4 bytes at 0x1000800c") == NULL &&
			      strstr(r.d.last, "are in freed memory, 8 bytes into second (100 bytes at 0x") &&
			      strstr(r.d.last, "), which was freed in CTA (0,0,0), thread (0,0,0)"),
		      "%s", r.d.last);
	set_param(&r, 8, b + 4096);
	ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "are outside memory"));
	for (unsigned i = 0; i < 511; i++) /* as many as are remembered, with the two above */
		ck_assert(device_release(r.dev, device_alloc(r.dev, "more", 50)));
	set_param(&r, 8, b);
	ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "into second"));
	ck_assert(device_release(r.dev, device_alloc(r.dev, "more", 50)));
	ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "are outside memory"));
	ck_assert_uint_eq(device_alloc(r.dev, "again", 100), a);
	set_param(&r, 8, a);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	rig_close(&r);
}
END_TEST

#define VARIABLES                                                                                                    \
	".global .align 4 .u32 total = 40; .global .align 8 .u64 where = total; .const .align 4 .u32 step[2] = {3, " \
	"9}; .global .align 4 .b8 many[1000];"

START_TEST(modules_are_loaded_where_one_says_and_unloaded)
{
	static const char text[] = PTX_MODULE(
		VARIABLES, PTX_INDEX "mov.u64 %d3, where; ld.global.u64 %d3, [%d3]; ld.const.u32 %r4, [step+4];"
				     "atom.global.add.u32 %r3, [%d3], %r4; st.global.u32 [%d0], %r3; ret;");
	_Alignas(16) uint32_t mine[4] = { 1, 1, 1, 1 };
	struct rig r;
	struct placed p = { .addr = (uint64_t)1 << 40, .host = mine };
	uint64_t bytes, many = 0, before, constant;
	uint32_t c = 0;

	rig_open(&r, text, 63);
	while (strcmp(r.m->sym[p.sym].name, "total") != 0)
		p.sym++;
	while (strcmp(r.m->sym[c].name, "step") != 0)
		c++;
	ck_assert(!device_unload(r.dev, r.m) && device_constant(r.dev, r.m, c) == 0);
	for (unsigned turn = 0; turn < 3; turn++) {
		ck_assert(device_load_at(r.dev, r.m, &p, 1));
		ck_assert(device_variable(r.dev, r.m, p.sym) == p.addr && mine[0] == 40 && mine[1] == 1);
		before = many;
		many = device_symbol(r.dev, "many", &bytes);
		/* not where it was */
		ck_assert(many > before && bytes == 1000 && *(char *)device_ptr(r.dev, many, 1000) == 0);
		ck_assert(rig_run(&r, NULL));
		ck_assert_uint_eq(mine[0], 40 + 32 * 9);
		constant = device_constant(r.dev, r.m, c);
		ck_assert(constant && constant == device_constant(r.dev, r.m, c) &&
			  device_constant(r.dev, r.m, p.sym) == 0);
		((uint32_t *)device_ptr(r.dev, constant, 8))[1] = 10; /* as the host sets it */
		ck_assert(rig_run(&r, NULL));
		ck_assert_uint_eq(mine[0], 40 + 32 * 19);
		memset(device_ptr(r.dev, many, 1000), 0xff, 1000);
		ck_assert(device_unload(r.dev, r.m) && !device_unload(r.dev, r.m));
		ck_assert(!device_ptr(r.dev, many, 1) && !device_ptr(r.dev, p.addr, 1) &&
			  !device_ptr(r.dev, constant, 1));
		ck_assert(device_symbol(r.dev, "many", &bytes) == 0);
	}
	mine[3] = 77;
	p.addr = r.in_addr; /* where there is something already */
	ck_assert(!device_load_at(r.dev, r.m, &p, 1) && strstr(r.d.last, "total: error: 4 bytes at 0x"));
	ck_assert(device_symbol(r.dev, "many", &bytes) == 0 && device_load(r.dev, r.m) &&
		  device_symbol(r.dev, "many", &bytes));
	ck_assert(!device_unmap(r.dev, many));
	rig_close(&r);
}
END_TEST

START_TEST(memory_goes_where_one_says_and_is_found_in_order)
{
	struct diag d;
	struct device *dev;
	struct device_memory m = { .bytes = 0 };
	static const uint64_t at[] = { 0x20000000, (uint64_t)1 << 40, ((uint64_t)1 << 40) + 1000 };
	uint64_t own;

	diag_init(&d, NULL);
	dev = device_new(&d);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(device_alloc_at(dev, "there", at[2 - i], 1000));
	ck_assert(!device_alloc_at(dev, "over", at[1] + 8, 1) &&
		  strstr(d.last, "1 bytes at 0x10000000008 overlap there"));
	ck_assert(!device_alloc_at(dev, "none", 4096, 8) && !device_alloc_at(dev, "none", at[0], 0));
	own = device_alloc(dev, "own", 50);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(device_memory_from(dev, m.addr + m.bytes, &m) && m.addr == at[i] && m.bytes == 1000);
		ck_assert(m.host == device_ptr(dev, at[i], 1000) && (at[i] ^ (uintptr_t)m.host) % 16 == 0);
	}
	ck_assert(device_memory_from(dev, m.addr + m.bytes, &m) && m.addr == own && m.bytes == 50 && !m.heap);
	ck_assert(device_memory_from(dev, own + 20, &m) && m.addr == own + 20 && m.bytes == 30);
	ck_assert(!device_memory_from(dev, own + 50, &m));
	ck_assert(device_release(dev, at[1]) && !device_ptr(dev, at[1], 1));
	device_free(dev);
	diag_free(&d);
}
END_TEST

START_TEST(the_heap_can_be_set_until_it_is_used)
{
	struct rig r;

	rig_open(&r,
		 PTX_MODULE(".extern .func (.param .b64 r) malloc (.param .b64 n);",
			    PTX_INDEX "{ .param .b64 p; .param .b64 q; st.param.b64 [p], 4096; call.uni (q), malloc, "
				      "(p); ld.param.b64 %d3, [q]; }\n"
				      "cvt.u32.u64 %r3, %d3; st.global.u32 [%d0], %r3; ret;"),
		 63);
	ck_assert(device_set_heap(r.dev, 20 * 4096) && device_set_heap(r.dev, 10 * 4096));
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert((r.out[i] != 0) == (i < 10));
	ck_assert(!device_set_heap(r.dev, 4096));
	rig_close(&r);
}
END_TEST

/* ---- cooperative launches ---- */
/* As CUDA's cooperative groups do it: CTAs count in the word behind the address in %envreg1 (high) and 2; the first one
 * fills it up to the top bit, for whose change all wait. */
#define GRID_SYNC(label)                                                                                           \
	"bar.sync 0; @!%p0 bra " label "_ALL; sub.u32 %r20, %r11, 1; sub.u32 %r20, 0x80000000, %r20; setp.eq.u32 " \
	"%p1, %r10, 0; selp.u32 %r20, %r20, 1, %p1;\n"                                                             \
	"atom.add.release.gpu.u32 %r21, [%d9+4], %r20; " label                                                     \
	"_L: ld.acquire.gpu.u32 %r22, [%d9+4]; xor.b32 %r22, %r21, %r22; setp.ge.s32 %p1, %r22, 0;\n"              \
	"@%p1 bra " label "_L; " label "_ALL: bar.sync 0;\n"
static const char rounds[] =
	PTX_MODULE("", PTX_INDEX "mov.u32 %r10, %ctaid.x; mov.u32 %r11, %nctaid.x; mov.u32 %r12, %tid.x; "
				 "setp.eq.u32 %p0, %r12, 0; mov.u32 %r30, %envreg1; mov.u32 %r31, %envreg2;\n"
				 "mov.b64 %d9, {%r31, %r30}; mov.u32 %r13, 0; ld.param.u64 %d10, [out]; "
				 "mul.lo.u32 %r14, %r11, 32; add.u32 %r15, %r0, 32; rem.u32 %r15, %r15, %r14;\n"
				 "mul.wide.u32 %d11, %r15, 4; add.u64 %d11, %d10, %d11;\n"
				 /* five times: what the neighbour CTA has, and one */
				 "ROUND: ld.volatile.global.u32 %r16, [%d11]; " GRID_SYNC(
					 "A") "add.u32 %r16, %r16, 1; st.volatile.global.u32 [%d0], "
					      "%r16; " GRID_SYNC("B") "add.u32 %r13, %r13, 1; setp.lt.u32 %p2, "
								      "%r13, 5; @%p2 bra ROUND; ret;");

START_TEST(grids_meet_in_cooperative_launches)
{
	for (unsigned form = 0; form < 2; form++) {
		struct rig r;

		rig_open(&r, rounds, form ? 63 : 0);
		r.l.grid[0] = 100;
		r.opt.window = 7;
		r.opt.patience = 1 << 12;
		ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "null pointer")); /* not a cooperative one */
		r.l.cooperative = true;
		for (unsigned turn = 1; turn < 4; turn++) {
			ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
			for (uint32_t i = 0; i < 3200; i++)
				ck_assert_uint_eq(r.out[i], 5 * turn);
		}
		r.l.grid[0] = 1 << 30;
		ck_assert(!engine_new(r.dev, &r.l, &r.opt, &r.d));
		ck_assert_msg(strstr(r.d.last, "a cooperative launch has all of its 1073741824 CTAs in flight at once"),
			      "%s", r.d.last);
		r.l.grid[0] = 1 << 20;
		r.l.dynamic_shared = 1 << 23;
		ck_assert(!engine_new(r.dev, &r.l, &r.opt, &r.d) &&
			  strstr(r.d.last, "in flight at once; their registers and memory take 8"));
		rig_close(&r);
	}
}
END_TEST

/* ---- textures ---- */
START_TEST(textures_have_a_pitch_and_can_be_removed)
{
	enum { WIDTH = 5, HEIGHT = 6, PITCH = 48 };
	struct resource t = { .name = "t",
			      .reference = REFERENCE_TEXTURE,
			      .dims = 2,
			      .size = { WIDTH, HEIGHT, 1 },
			      .layers = 1,
			      .channels = 1,
			      .type = TY_U32,
			      .pitch = PITCH };
	struct resource s = t;
	uint64_t h[3], surface;
	struct rig r;

	rig_open(&r,
		 KERNEL("rem.u32 %r3, %r0, 5; div.u32 %r4, %r0, 5; tex.2d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%d1, {%r3, "
			"%r4}]; st.global.u32 [%d0], %r5;"
			"mov.u64 %d4, 0; setp.ne.u32 %p1, %r39, 0; cvt.u64.u32 %d4, %r39; shl.b32 %r3, %r3, 2; "
			"setp.lt.u32 %p0, %r0, 30; and.pred %p0, %p0, %p1;"
			"@%p0 sust.b.2d.b32.trap [%d4, {%r3, %r4}], %r0;"),
		 63);
	t.data = device_alloc(r.dev, "pitched", PITCH * HEIGHT - PITCH + WIDTH * 4);
	s.reference = REFERENCE_SURFACE;
	s.data = t.data;
	for (uint32_t i = 0; i < (PITCH * HEIGHT - PITCH + WIDTH * 4) / 4; i++)
		((uint32_t *)device_ptr(r.dev, t.data, 4))[i] = i;
	t.pitch = 17;
	ck_assert(!device_resource(r.dev, &t));
	t.pitch = 16;
	ck_assert(!device_resource(r.dev, &t));
	t.pitch = PITCH + 4;
	ck_assert(!device_resource(r.dev, &t));
	t.pitch = PITCH;
	for (unsigned i = 0; i < 3; i++)
		ck_assert((h[i] = device_resource(r.dev, &t)) != 0);
	surface = device_resource(r.dev, &s);
	ck_assert(h[0] != h[1] && surface && !device_resource_free(r.dev, h[1] + 1) && !device_resource_free(r.dev, 0));
	ck_assert(device_resource_free(r.dev, h[1]) && !device_resource_free(r.dev, h[1]));
	set_param(&r, 8, h[2]);
	memcpy(r.params + 16, &surface, 4);
	r.l.block[0] = WIDTH * HEIGHT;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		ck_assert_uint_eq(r.out[i], i % WIDTH + i / WIDTH * (PITCH / 4));
		ck_assert_uint_eq(((uint32_t *)device_ptr(r.dev, t.data, 4))[i % WIDTH + i / WIDTH * (PITCH / 4)], i);
	}
	set_param(&r, 8, h[1]);
	ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "is the handle of no texture of this launch"));
	ck_assert_uint_eq(device_resource(r.dev, &t), h[1]);
	ck_assert(rig_run(&r, NULL));
	ck_assert(device_release(r.dev, t.data));
	ck_assert(!rig_run(&r, NULL) && strstr(r.d.last, "the memory of 't' has been freed"));
	ck_assert(device_resource_free(r.dev, h[1]) && device_resource_free(r.dev, h[0]) &&
		  device_resource_free(r.dev, surface));
	rig_close(&r);
}
END_TEST

Suite *suite_device(void)
{
	Suite *s = suite_create("device");
	TCase *t = tcase_create("device");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, addresses_are_the_lowest_that_fit);
	tcase_add_test(t, memory_begins_where_a_driver_has_it);
	tcase_add_test(t, many_allocations_are_found_fast);
	tcase_add_test(t, what_the_program_did_not_ask_for_keeps_off_what_it_freed);
	tcase_add_test(t, places_that_are_none_are_refused);
	tcase_add_test(t, places_of_callers_may_touch);
	tcase_add_test(t, kernels_use_memory_of_the_caller);
	tcase_add_test(t, atomics_of_two_devices_on_one_memory_are_whole);
	tcase_add_test(t, freed_memory_faults_until_it_is_used_again);
	tcase_add_test(t, modules_are_loaded_where_one_says_and_unloaded);
	tcase_add_test(t, memory_goes_where_one_says_and_is_found_in_order);
	tcase_add_test(t, the_heap_can_be_set_until_it_is_used);
	tcase_add_test(t, grids_meet_in_cooperative_launches);
	tcase_add_test(t, textures_have_a_pitch_and_can_be_removed);
	suite_add_tcase(s, t);
	return s;
}
