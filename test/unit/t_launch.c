/* Launch files: what they say, what is refused and in which words, fills, parameter blocks. Rounds and comparisons:
 * t_expect.c. The texts of errors are golden: test/golden/launch/NAME.yaml and NAME.err. BLESS=1 rewrites them. */
#include "analyzer/base/rng.h"
#include "runtime-model/run/launch_facts.h"
#include "test/unit/launch_env.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOLDEN "test/golden/launch/"

/* ---- numbers ---- */
static const struct {
	const char *text;
	bool ok, is_int, neg;
	uint64_t mag;
	double f;
} numbers[] = {
	{ "0", true, true, false, 0, 0 },
	{ "010", true, true, false, 10, 10 },
	{ "-7", true, true, true, 7, -7 },
	{ "+7", true, true, false, 7, 7 },
	{ "0xFf", true, true, false, 255, 255 },
	{ "-0x10", true, true, true, 16, -16 },
	{ "18446744073709551615", true, true, false, UINT64_MAX, 0x1p64 },
	{ "18446744073709551616", true, false, false, 0, 0x1p64 },
	{ "0xffffffffffffffff", true, true, false, UINT64_MAX, 0x1p64 },
	{ "2.5", true, false, false, 0, 2.5 },
	{ "-1e3", true, false, true, 0, -1000 },
	{ ".5", true, false, false, 0, 0.5 },
	{ "0x1p-3", true, false, false, 0, 0.125 },
	{ "inf", true, false, false, 0, INFINITY },
	{ "-.inf", true, false, true, 0, -INFINITY },
	{ "", false, false, false, 0, 0 },
	{ "-", false, false, false, 0, 0 },
	{ "--1", false, false, false, 0, 0 },
	{ "1x", false, false, false, 0, 0 },
	{ "0x", false, false, false, 0, 0 },
	{ " 1", false, false, false, 0, 0 },
	{ "1 ", false, false, false, 0, 0 },
	{ "yes", false, false, false, 0, 0 },
	{ "0xg", false, false, false, 0, 0 },
};

START_TEST(numbers_are_exact_or_refused)
{
	struct number n;

	ck_assert_msg(number_parse(&n, numbers[_i].text) == numbers[_i].ok, "'%s'", numbers[_i].text);
	if (!numbers[_i].ok)
		return;
	ck_assert_msg(n.is_int == numbers[_i].is_int && n.neg == numbers[_i].neg && n.f == numbers[_i].f, "'%s'",
		      numbers[_i].text);
	ck_assert(!n.is_int || n.mag == numbers[_i].mag);
}
END_TEST

START_TEST(nan_is_a_number_here)
{
	struct number n;

	ck_assert(number_parse(&n, "nan") && isnan(n.f) && !n.is_int);
	ck_assert(number_parse(&n, ".nan") && isnan(n.f));
	ck_assert(!number_parse(&n, "nan(1)"));
}
END_TEST

static const struct {
	const char *text;
	enum scalar_type t;
	bool fits;
} fits[] = {
	{ "255", TY_U8, true },
	{ "256", TY_U8, false },
	{ "-1", TY_U8, false },
	{ "-0", TY_U8, true },
	{ "127", TY_S8, true },
	{ "128", TY_S8, false },
	{ "-128", TY_S8, true },
	{ "-129", TY_S8, false },
	{ "255", TY_B8, true },
	{ "-128", TY_B8, true },
	{ "-129", TY_B8, false },
	{ "4294967295", TY_U32, true },
	{ "4294967296", TY_U32, false },
	{ "2147483648", TY_S32, false },
	{ "0xffffffffffffffff", TY_U64, true },
	{ "0xffffffffffffffff", TY_S64, false },
	{ "-9223372036854775808", TY_S64, true },
	{ "-9223372036854775809", TY_S64, false },
	{ "2.5", TY_U32, false },
	{ "2.5", TY_F32, true },
	{ "1e300", TY_F32, true },
};

START_TEST(a_number_fits_its_type_or_not)
{
	struct number n;

	ck_assert(number_parse(&n, fits[_i].text));
	ck_assert_msg(number_fits(&n, fits[_i].t) == fits[_i].fits, "%s as %s", fits[_i].text,
		      type_info[fits[_i].t].text);
}
END_TEST

/* ---- reading ---- */
START_TEST(a_whole_file_is_read)
{
	struct env e;
	struct launch_file *f;

	setup(&e);
	f = read_text(&e, "# comment\nbuffers:\n"
			  "  - {name: A, type: f32, count: 0x10, fill: ramp, start: -3, step: 0.5, modulo: 7}\n"
			  "  - {name: flag, type: u32, count: 1}\n"
			  "launches:\n"
			  "  - kernel: first\n    grid: [4]\n    block: [8, 4, 2]\n    shared_bytes: 128\n"
			  "    args: [{buffer: A, offset: 8}, {value: -5, type: s32}, {value: 2.5}]\n"
			  "  - {kernel: second, grid: [1, 2, 3], block: [32], args: []}\n"
			  "repeats:\n  - {first: 1, while: flag, max_rounds: 9}\n"
			  "expect:\n  - {buffer: A, file: a.bin, abs: 1e-3, rel: 0.5, allow_mismatch: 0.25}\n");
	ck_assert_msg(f, "%s", messages(&e));
	ck_assert_uint_eq(f->nbuffer, 2);
	ck_assert_uint_eq(f->buffer[0].count, 16);
	ck_assert(f->buffer[0].fill == FILL_RAMP && f->buffer[0].start.f == -3 && f->buffer[0].step.f == 0.5 &&
		  f->buffer[0].modulo.f == 7);
	ck_assert(f->buffer[1].fill == FILL_ZERO && f->buffer[1].type == TY_U32);
	ck_assert_uint_eq(f->nlaunch, 2);
	ck_assert_str_eq(f->launch[0].kernel, "first");
	ck_assert(f->launch[0].grid[0] == 4 && f->launch[0].grid[1] == 1 && f->launch[0].grid[2] == 1);
	ck_assert(f->launch[0].block[0] == 8 && f->launch[0].block[1] == 4 && f->launch[0].block[2] == 2);
	ck_assert_uint_eq(f->launch[0].shared_bytes, 128);
	ck_assert(f->launch[0].narg == 3 && f->launch[0].arg[0].buffer == 0 && f->launch[0].arg[0].offset == 8);
	ck_assert(f->launch[0].arg[1].buffer < 0 && f->launch[0].arg[1].value.neg &&
		  f->launch[0].arg[1].type == TY_S32);
	ck_assert(f->launch[0].arg[2].type == TY_COUNT);
	ck_assert(f->launch[1].grid[2] == 3 && f->launch[1].narg == 0);
	ck_assert(f->nrepeat == 1 && f->repeat[0].first == 1 && f->repeat[0].last == 1 && f->repeat[0].flag == 1 &&
		  f->repeat[0].max_rounds == 9 && f->repeat[0].counter_arg == -1);
	ck_assert(f->nexpect == 1 && f->expect[0].abs == 1e-3 && f->expect[0].rel == 0.5 &&
		  f->expect[0].allow_mismatch == 0.25);
	teardown(&e);
}
END_TEST

static char *read_whole(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *s = calloc(1, 1 << 16);

	if (f) {
		s[fread(s, 1, (1 << 16) - 1, f)] = 0;
		fclose(f);
	}
	return s;
}

START_TEST(wrong_files_are_refused_in_these_words)
{
	DIR *dir = opendir(GOLDEN);
	struct dirent *entry;
	unsigned seen = 0, wrong = 0;

	ck_assert_msg(dir, GOLDEN " is not here: run from the root of the source tree");
	while ((entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);
		char path[512], err[512], *want;
		struct env e;

		if (n < 5 || n > 200 || strcmp(entry->d_name + n - 5, ".yaml") != 0)
			continue;
		snprintf(path, sizeof path, GOLDEN "%s", entry->d_name);
		snprintf(err, sizeof err, GOLDEN "%.*s.err", (int)n - 5, entry->d_name);
		setup(&e);
		ck_assert_msg(!launch_read(path, &e.a, &e.d), "%s was accepted", path);
		ck_assert_msg(e.d.errors > 0, "%s: refused without a word", path);
		if (getenv("BLESS")) {
			FILE *f = fopen(err, "wb");

			ck_assert(f && fputs(messages(&e), f) >= 0 && fclose(f) == 0);
		}
		want = read_whole(err);
		if (strcmp(want, messages(&e)) != 0) {
			fprintf(stderr, "%s says:\n%sbut expected was:\n%s", path, messages(&e), want);
			wrong++;
		}
		free(want);
		teardown(&e);
		seen++;
	}
	closedir(dir);
	ck_assert_uint_ge(seen, 30);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(a_zero_byte_is_no_text)
{
	struct env e;
	struct source s = { "t.yaml", "launches:\n\0x", 12 };

	setup(&e);
	ck_assert(!launch_read_source(&s, &e.a, &e.d));
	ck_assert(strstr(messages(&e), "t.yaml:2:1: error: not UTF-8 text"));
	teardown(&e);
}
END_TEST

/* ---- fills ---- */
static const void *filled(struct env *e, const char *buffer, struct buffer_spec *b)
{
	const char *text = arena_printf(&e->a, "buffers:\n  - {name: A, %s}\n" LAUNCH, buffer);
	struct launch_file *f = read_text(e, text);
	void *out;

	ck_assert_msg(f, "%s", messages(e));
	*b = f->buffer[0];
	out = arena_alloc(&e->a, b->count * 8, 8);
	ck_assert_msg(launch_fill(b, f->path, out, NULL, &e->a, &e->d), "%s", messages(e));
	return out;
}

START_TEST(ramps_follow_their_formula)
{
	struct env e;
	struct buffer_spec b;
	const float *f;
	const double *g;
	const int8_t *s;
	const uint64_t *u;

	setup(&e);
	f = filled(&e, "type: f32, count: 100, fill: ramp, start: -3, step: 0.25, modulo: 7", &b);
	for (int i = 0; i < 100; i++)
		ck_assert(f[i] == (float)(-3 + fmod(i * 0.25, 7)));
	g = filled(&e, "type: f64, count: 10, fill: ramp", &b);
	for (int i = 0; i < 10; i++)
		ck_assert(g[i] == i);
	s = filled(&e, "type: s8, count: 300, fill: ramp, start: 100, step: 3, modulo: 50", &b);
	for (int i = 0; i < 300; i++)
		ck_assert(s[i] == (int8_t)(100 + i * 3 % 50));
	u = filled(&e, "type: u64, count: 5, fill: ramp, start: 0xfffffffffffffffe, step: 1", &b);
	for (unsigned i = 0; i < 5; i++)
		ck_assert(u[i] == UINT64_MAX - 1 + i);
	s = filled(&e, "type: s8, count: 20, fill: ramp, start: 0, step: -1, modulo: 4", &b);
	for (int i = 0; i < 20; i++)
		ck_assert(s[i] == -i % 4);
	teardown(&e);
}
END_TEST

START_TEST(random_values_are_those_of_splitmix64)
{
	struct env e;
	struct buffer_spec b;
	uint64_t state = 42;
	const float *f;
	const int16_t *s;
	const uint64_t *u;
	int low = 0, high = 0;

	setup(&e);
	f = filled(&e, "type: f32, count: 1000, fill: random, seed: 42, low: -2, high: 3", &b);
	for (int i = 0; i < 1000; i++)
		ck_assert(f[i] == (float)(-2 + rng_unit(&state) * 5));
	state = 7;
	s = filled(&e, "type: s16, count: 1000, fill: random, seed: 7, low: -5, high: 6", &b);
	for (int i = 0; i < 1000; i++) {
		ck_assert(s[i] == (int16_t)(-5 + (int)rng_below(&state, 11)));
		low += s[i] == -5;
		high += s[i] == 5;
	}
	ck_assert(low > 50 && high > 50);
	u = filled(&e, "type: u64, count: 1000, fill: random, seed: 1, low: 1000000000000, high: 3000000000000", &b);
	for (int i = 0; i < 1000; i++)
		ck_assert(u[i] >= 1000000000000u && u[i] < 3000000000000u);
	teardown(&e);
}
END_TEST

START_TEST(constants_have_every_bit)
{
	struct env e;
	struct buffer_spec b;
	const uint64_t *u;
	const uint16_t *h;
	const float *f;

	setup(&e);
	u = filled(&e, "type: u64, count: 3, fill: constant, value: 0xfedcba9876543211", &b);
	ck_assert(u[0] == 0xfedcba9876543211u && u[2] == u[0]);
	h = filled(&e, "type: b16, count: 3, fill: constant, value: -2", &b);
	ck_assert(h[0] == 0xfffe && h[2] == 0xfffe);
	f = filled(&e, "type: f32, count: 2, fill: constant, value: 0.1", &b);
	ck_assert(f[0] == 0.1f && f[1] == 0.1f);
	f = filled(&e, "type: f32, count: 2, fill: constant, value: .nan", &b);
	ck_assert(isnan(f[0]) && isnan(f[1]));
	teardown(&e);
}
END_TEST

START_TEST(file_fills_must_be_of_the_right_size)
{
	struct env e;
	char dir[] = "/tmp/t_launch.XXXXXX", path[64], bin[64];
	struct launch_file *f;
	FILE *out;
	uint32_t got[2];

	setup(&e);
	ck_assert(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/l.yaml", dir);
	snprintf(bin, sizeof bin, "%s/in.bin", dir);
	out = fopen(path, "w");
	fputs("buffers:\n  - {name: A, type: u32, count: 2, fill: file, file: in.bin}\n" LAUNCH, out);
	fclose(out);
	f = launch_read(path, &e.a, &e.d);
	ck_assert(f);
	ck_assert(!launch_fill(&f->buffer[0], f->path, got, NULL, &e.a, &e.d));
	ck_assert(strstr(messages(&e), "cannot open") && strstr(messages(&e), "in.bin"));
	out = fopen(bin, "w");
	fwrite("abcdefg", 1, 7, out);
	fclose(out);
	ck_assert(!launch_fill(&f->buffer[0], f->path, got, NULL, &e.a, &e.d));
	ck_assert(strstr(messages(&e), "holds 7 bytes; 2 elements of 4 bytes take 8"));
	out = fopen(bin, "w");
	fwrite("abcdefgh", 1, 8, out);
	fclose(out);
	ck_assert(launch_fill(&f->buffer[0], f->path, got, NULL, &e.a, &e.d));
	ck_assert(memcmp(got, "abcdefgh", 8) == 0);
	unlink(bin);
	unlink(path);
	rmdir(dir);
	teardown(&e);
}
END_TEST

/* ---- parameters ---- */
static struct launch_file *with_args(struct env *e, const char *args)
{
	struct launch_file *f = read_text(
		e, arena_printf(&e->a,
				"buffers:\n  - {name: A, type: f32, count: 64}\n  - {name: B, type: u8, count: 16}\n"
				"launches:\n  - kernel: k\n    grid: [1]\n    block: [32]\n    args: [%s]\n",
				args));

	ck_assert_msg(f, "%s", messages(e));
	f->buffer[0].address = 0x10000100;
	f->buffer[1].address = 0x10000400;
	return f;
}

START_TEST(arguments_are_laid_out_as_the_kernel_declares)
{
	struct env e;
	struct kernel *k;
	struct launch_file *f;
	unsigned char out[64];
	uint64_t u;
	uint32_t w;
	uint16_t h;
	double g;
	float x;

	setup(&e);
	k = kernel_with(&e, "u64 u32 f32 u8 u16 f64 u64 b32 s32", 64);
	f = with_args(&e,
		      "{buffer: A}, {value: -1, type: s32}, {value: 2}, {value: 255}, {value: 0x8000}, {value: 0.1}, "
		      "{buffer: B, offset: 5}, {value: 1.5, type: f32}, {value: -7}");
	ck_assert_uint_eq(launch_param_bytes(k), 48);
	memset(out, 0xee, sizeof out);
	ck_assert_msg(launch_params(f, 0, 0, k, out, &e.d), "%s", messages(&e));
	memcpy(&u, out, 8);
	ck_assert(u == 0x10000100);
	memcpy(&w, out + 8, 4);
	ck_assert(w == 0xffffffffu);
	memcpy(&x, out + 12, 4);
	ck_assert(x == 2.0f);
	ck_assert(out[16] == 255 && out[17] == 0);
	memcpy(&h, out + 18, 2);
	ck_assert(h == 0x8000);
	memcpy(&g, out + 24, 8);
	ck_assert(g == 0.1);
	memcpy(&u, out + 32, 8);
	ck_assert(u == 0x10000405);
	memcpy(&x, out + 40, 4);
	ck_assert(x == 1.5f);
	memcpy(&w, out + 44, 4);
	ck_assert(w == (uint32_t)-7);
	ck_assert(out[48] == 0xee);
	teardown(&e);
}
END_TEST

START_TEST(structs_are_laid_out_by_alignment)
{
	struct env e;
	struct kernel *k;
	struct launch_file *f;
	struct {
		uint8_t c;
		float x;
		uint64_t p;
		int16_t h;
	} s;
	unsigned char out[64];

	setup(&e);
	k = kernel_with(&e, "u32 b8*24", 64);
	f = with_args(&e, "{value: 9}, {fields: [{value: 3, type: u8}, {value: 2.5, type: f32}, {buffer: A, offset: "
			  "4}, {value: -2, type: s16}]}");
	ck_assert_msg(launch_params(f, 0, 0, k, out, &e.d), "%s", messages(&e));
	memcpy(&s, out + 8, sizeof s);
	ck_assert(sizeof s == 24 && s.c == 3 && s.x == 2.5f && s.p == 0x10000104 && s.h == -2);
	teardown(&e);
}
END_TEST

static const struct {
	const char *types, *args, *message;
} bad_args[] = {
	{ "u64 u32", "{buffer: A}", "kernel k takes 2 arguments, 1 are given" },
	{ "u32", "{buffer: A}", "argument 0 of k (p0): the parameter is not of the size of an address" },
	{ "u64", "{value: 1, type: u32}", "the parameter has 8 bytes (.u64), the value 4 (u32)" },
	{ "u32", "{value: 1.5}", "the value is not an integer" },
	{ "u32", "{value: 1, type: f32}", "the parameter is .u32, the value f32" },
	{ "f32", "{value: 1, type: u32}", "the parameter is .f32, the value u32" },
	{ "b32", "{value: 1}", "4 bytes and no type" },
	{ "u8", "{value: 256}", "does not fit its type" },
	{ "f16", "{value: 1}", "16-bit floats are given as bits" },
	{ "b8*8", "{value: 1, type: u64}", "give its 'fields'" },
	{ "b8*8", "{fields: [{value: 1, type: u32}]}", "the fields take 4 bytes, the parameter 8" },
	{ "b8*8", "{fields: [{value: 1, type: u32}, {value: 1, type: u64}]}", "beyond the end" },
};

START_TEST(arguments_that_do_not_match_are_refused)
{
	struct env e;
	struct kernel *k;
	struct launch_file *f;
	char out[64];

	setup(&e);
	k = kernel_with(&e, bad_args[_i].types, 64);
	f = with_args(&e, bad_args[_i].args);
	ck_assert(!launch_params(f, 0, 0, k, out, &e.d));
	ck_assert_msg(strstr(messages(&e), bad_args[_i].message), "%s", messages(&e));
	ck_assert(strstr(messages(&e), "t.yaml:"));
	teardown(&e);
}
END_TEST

START_TEST(addresses_of_32_bits_are_written_as_such)
{
	struct env e;
	struct kernel *k;
	struct launch_file *f;
	uint32_t out[2];

	setup(&e);
	k = kernel_with(&e, "u32 u32", 32);
	f = with_args(&e, "{buffer: B}, {value: 4}");
	ck_assert(launch_params(f, 0, 0, k, out, &e.d) && out[0] == 0x10000400 && out[1] == 4);
	f->buffer[1].address = (uint64_t)1 << 33;
	ck_assert(!launch_params(f, 0, 0, k, out, &e.d) && strstr(messages(&e), "above 4 GiB"));
	teardown(&e);
}
END_TEST

START_TEST(binding_names_the_kernels_there_are_and_the_bounds)
{
	struct env e;
	struct kernel *k;
	struct launch_file *f;

	setup(&e);
	k = kernel_with(&e, "", 64);
	f = read_text(&e, "launches:\n  - {kernel: other, grid: [1], block: [32]}\n");
	ck_assert(!launch_bind(f, k->m, &e.d));
	ck_assert_msg(strstr(messages(&e), "t.yaml:2:14: error: the module has no kernel 'other'; it has k\n"), "%s",
		      messages(&e));
	f = read_text(&e, LAUNCH);
	ck_assert(launch_bind(f, k->m, &e.d));
	k->reqntid[0] = 64;
	ck_assert(!launch_bind(f, k->m, &e.d) && strstr(messages(&e), "requires blocks of 64 x 1 x 1 threads"));
	k->reqntid[0] = 0;
	k->maxntid[0] = 16;
	ck_assert(!launch_bind(f, k->m, &e.d) &&
		  strstr(messages(&e), "allows blocks of 16 threads (.maxntid), not 32"));
	k->maxntid[1] = 2;
	ck_assert(launch_bind(f, k->m, &e.d));
	teardown(&e);
}
END_TEST

/* ---- what annotating knows of launches ---- */
static const char two_kernels[] = "buffers: [{name: A, type: u32, count: 4}]\n"
				  "launches:\n"
				  "  - {kernel: k, grid: [9], block: [16, 2, 3], shared_bytes: 512, args: [{buffer: "
				  "A}, {value: -5, type: s32}, {value: 2.5, type: f32}, {value: 7, type: u16}]}\n"
				  "  - {kernel: j, grid: [4, 5], block: [64]}\n"
				  "  - {kernel: k, grid: [8], block: [256], args: [{buffer: A}, {value: 6, type: s32}, "
				  "{value: 2.5, type: f32}, {value: 8, type: u16}]}\n";

/* k(u64 p0, u32 p1, f32 p2, u16 p3), j(), and i(), which is not launched. */
static struct module *three(struct env *e)
{
	struct kernel *k = kernel_with(e, "u64 u32 f32 u16", 64);

	kernel_new(k->m, "j");
	kernel_new(k->m, "i");
	return k->m;
}

static const struct launch_param *find_param(const struct launch_facts *l, const char *name)
{
	const struct launch_param *p = NULL;

	for (uint32_t n = 0; n < l->nparam; n++)
		if (strcmp(l->param[n].name, name) == 0)
			p = &l->param[n]; /* the last */
	return p;
}

START_TEST(each_kernel_has_the_facts_of_its_first_launch)
{
	static const struct launch_facts nothing = { .nparam = 0 };
	const struct launch_facts *all, *k;
	struct occupancy_cta cta;
	struct module *m;
	struct env e;

	setup(&e);
	m = three(&e);
	all = launch_facts_from(read_text(&e, two_kernels), m, false, &nothing, &e.a, &e.d);
	ck_assert_msg(all != NULL, "%s", messages(&e));
	k = launch_facts_of(all, m->kernel[0]);
	ck_assert(k->block[0] == 16 && k->block[1] == 2 && k->block[2] == 3 && k->grid[0] == 9 && k->grid[1] == 1 &&
		  k->dynamic_bytes == 512);
	ck_assert_uint_eq(k->nparam, 2); /* neither the address nor the float */
	ck_assert_uint_eq(find_param(k, "p1")->value, (uint32_t)-5);
	ck_assert_uint_eq(find_param(k, "p3")->value, 7);
	cta = launch_cta(m->kernel[0], all);
	ck_assert(cta.threads == 96 && cta.dynamic_bytes == 512);
	cta = launch_cta(m->kernel[1], all);
	ck_assert(cta.threads == 64 && cta.dynamic_bytes == 0);
	ck_assert_ptr_eq(launch_facts_of(all, m->kernel[2]), &nothing);
	ck_assert_uint_eq(launch_cta(m->kernel[2], all).threads, 0);
	ck_assert_str_eq(messages(&e), "t.yaml: note: kernel k is launched with blocks of 16,2,3, later of 256,1,1; it "
				       "is annotated for the first\n");
	teardown(&e);
}
END_TEST

START_TEST(what_is_given_goes_before_the_launch_file)
{
	static const struct launch_param p3 = { "p3", 70 };
	static const struct launch_facts given = { .block = { 128, 1, 1 }, .param = &p3, .nparam = 1 };
	const struct launch_facts *all, *k;
	struct module *m;
	struct env e;

	setup(&e);
	m = three(&e);
	all = launch_facts_from(read_text(&e, two_kernels), m, false, &given, &e.a, &e.d);
	k = launch_facts_of(all, m->kernel[0]);
	ck_assert(k->block[0] == 128 && k->block[1] == 1 && k->grid[0] == 9 && k->dynamic_bytes == 512);
	ck_assert(find_param(k, "p1")->value == (uint32_t)-5 && find_param(k, "p3")->value == 70);
	ck_assert_uint_eq(launch_cta(m->kernel[2], all).threads, 128);
	m->kernel[1]->reqntid[0] = 64; /* goes before all */
	ck_assert_uint_eq(launch_cta(m->kernel[1], all).threads, 64);
	ck_assert_str_eq(messages(&e), "");
	teardown(&e);
}
END_TEST

START_TEST(a_part_of_the_kernels_takes_a_part_of_the_launches)
{
	static const struct launch_facts nothing = { .nparam = 0 };
	struct launch_file *f;
	struct module *m;
	struct env e;

	setup(&e);
	m = kernel_with(&e, "u64 u32 f32 u16", 64)->m;
	f = read_text(&e, two_kernels);
	ck_assert(!launch_facts_from(f, m, false, &nothing, &e.a, &e.d) &&
		  strstr(messages(&e), "the module has no kernel 'j'; it has k"));
	ck_assert_uint_eq(launch_cta(m->kernel[0], launch_facts_from(f, m, true, &nothing, &e.a, &e.d)).threads, 96);
	m->kernel[0]->maxntid[0] = 64;
	ck_assert(!launch_facts_from(f, m, true, &nothing, &e.a, &e.d) &&
		  strstr(messages(&e), "allows blocks of 64 threads (.maxntid), not 96"));
	teardown(&e);
}
END_TEST

Suite *suite_launch(void);
Suite *suite_launch(void)
{
	Suite *s = suite_create("launch");
	TCase *t = tcase_create("launch");

	tcase_add_loop_test(t, numbers_are_exact_or_refused, 0, sizeof numbers / sizeof *numbers);
	tcase_add_test(t, nan_is_a_number_here);
	tcase_add_loop_test(t, a_number_fits_its_type_or_not, 0, sizeof fits / sizeof *fits);
	tcase_add_test(t, a_whole_file_is_read);
	tcase_add_test(t, wrong_files_are_refused_in_these_words);
	tcase_add_test(t, a_zero_byte_is_no_text);
	tcase_add_test(t, ramps_follow_their_formula);
	tcase_add_test(t, random_values_are_those_of_splitmix64);
	tcase_add_test(t, constants_have_every_bit);
	tcase_add_test(t, file_fills_must_be_of_the_right_size);
	tcase_add_test(t, arguments_are_laid_out_as_the_kernel_declares);
	tcase_add_test(t, structs_are_laid_out_by_alignment);
	tcase_add_loop_test(t, arguments_that_do_not_match_are_refused, 0, sizeof bad_args / sizeof *bad_args);
	tcase_add_test(t, addresses_of_32_bits_are_written_as_such);
	tcase_add_test(t, binding_names_the_kernels_there_are_and_the_bounds);
	tcase_add_test(t, each_kernel_has_the_facts_of_its_first_launch);
	tcase_add_test(t, what_is_given_goes_before_the_launch_file);
	tcase_add_test(t, a_part_of_the_kernels_takes_a_part_of_the_launches);
	suite_add_tcase(s, t);
	return s;
}
