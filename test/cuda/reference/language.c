/* Kernels that exercise the language: templates, virtual calls, recursion, structs, data. */
#include "test/cuda/reference/cuda_ref.h"

/* threads of most launches */
enum { N = 128 };

static void put(const char *dir, const char *name, uint32_t *out, size_t n)
{
	ref_write(dir, name, out, n * sizeof *out);
	free(out);
}

static void templates(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 6 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], b8 = x & 255, p = 1;
		int64_t s = (int32_t)x / 4096 - ((int32_t)x < 0 && (int32_t)x % 4096 != 0);
		uint64_t q = x, a[5] = { 0, 1, 2, 3, 4 }, b[3] = { 0, 1, 2 }, fa = 0, fb = 0;

		for (uint32_t k = 0; k < x % 8; k++) {
			a[k % 5] = x >> k & 0xffff;
			b[k % 3] = (uint64_t)x << k;
		}
		for (int k = 0; k < 5; k++)
			fa = (fa * 31 + a[k]) & 0xffff;
		for (int k = 0; k < 3; k++)
			fb = fb * 31 + b[k];
		for (int k = 0; k < 7; k++)
			p *= x;
		q = (uint64_t)x * x * x * x * x;
		out[i] = (x * x * x - 3 * x + 7) ^ ((b8 * b8 * b8 - 3 * b8 + 7) & 255);
		out[N + i] = (uint32_t)(uint64_t)((s * s * s - 3 * s + 7) >> 20);
		out[2 * N + i] = p + (uint32_t)(q >> 32);
		out[3 * N + i] = x + b8 + (uint32_t)(int16_t)x + (x >> 16) + 5;
		out[4 * N + i] = (uint32_t)fa + (uint32_t)(fb >> 32);
		out[5 * N + i] = 120;
	}
	put(dir, "templates.out.want", out, 6 * N);
	free(in);
}

static void virtual_calls(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], side = x >> 16 & 255;
		uint32_t described[3] = { (x & 255) * (x >> 8 & 255) * 16 + 4, (side * side + 1) * 16 + 4,
					  3 * (x >> 24) * (x >> 24) * 16 };

		for (uint32_t k = 0; k < 3; k++)
			out[i] = out[i] * 7 + described[(x + k) % 3];
	}
	put(dir, "virtual_calls.out.want", out, N);
	free(in);
}

static uint32_t operate(uint32_t op, uint32_t a, uint32_t b)
{
	uint64_t twice = (uint64_t)a << 32 | a;

	if (op == 0)
		return a + b;
	if (op == 1)
		return a - b;
	return op == 2 ? a * b : (uint32_t)(twice >> (32 - b % 32));
}

static void function_pointers(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], own = x & 1 ? 0 : 2, operand = x >> 3;

		out[i] = operate(x & 3, x, 0x9e3779b9);
		out[N + i] = operate(x >> 2 & 3, x, i) ^ operate(3, x, i);
		for (uint32_t k = 0; k < 4; k++)
			x = operate(own, x, operand) + operate((x + k) & 3, x, k + 1);
		out[2 * N + i] = x;
	}
	put(dir, "function_pointers.out.want", out, 3 * N);
	free(in);
}

static void lambdas(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 4 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], h = 2166136261u, most = x, calls = 0, a = (i + 1) * (x | 1);
		int lo = (int16_t)x, hi = (int16_t)(x >> 16);

		for (uint32_t k = 0; k < x % 16; k++)
			h = (h ^ x) * 16777619u + k;
		for (uint32_t k = 0; k < 5; k++) {
			uint32_t y = in[(i + k) % N];

			calls += most > y;
			most = most > y ? most : y;
		}
		out[i] = h;
		out[N + i] = most;
		out[2 * N + i] = calls + (uint32_t)(lo > hi ? lo : hi) + 1000 * (calls + (lo > hi));
		out[3 * N + i] = a ^ a >> 15;
	}
	put(dir, "lambdas.out.want", out, 4 * N);
	free(in);
}

static void printf_calls(const char *dir)
{
	uint32_t *in = full_u32(64, 1), *out = ref_new(uint32_t, 64);

	/* The device's printf returns the number of its arguments, not of characters. */
	for (int i = 0; i < 64; i++)
		out[i] = in[i] + (i % 16 == 3 ? 7 : 0);
	put(dir, "printf_calls.out.want", out, 64);
	free(in);
}

static void assert_true(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, N);

	for (int i = 0; i < N; i++)
		out[i] = (uint32_t)floor(sqrt((double)in[i]));
	put(dir, "assert_true.out.want", out, N);
	free(in);
}

static void heap(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 2 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], len = 1 + (x >> 8) % 9;

		for (int k = (int)(x % 6); k >= 0; k--)
			out[i] = out[i] * 5 + (x >> k);
		for (uint32_t k = len; k > 0; k--)
			out[N + i] = (out[N + i] ^ x * k) * 3;
	}
	put(dir, "heap.out.want", out, 2 * N);
	free(in);
}

static void local_arrays(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], r = x, deck[32], count[16] = { 0 }, byte[40], a[6] = { 0 }, b[6] = { 0 };
		uint64_t c[6] = { 0 };

		for (uint32_t k = 0; k < 32; k++)
			deck[k] = k;
		for (uint32_t k = 31; k > 0; k--) {
			uint32_t t = deck[k], j;

			r = r * 1664525 + 1013904223;
			j = r % (k + 1);
			deck[k] = deck[j];
			deck[j] = t;
		}
		for (uint32_t k = 0; k < 40; k++)
			byte[k] = (deck[k % 32] + k) & 255;
		for (uint32_t k = 0; k < 16; k++) {
			uint32_t at = deck[k] % 6;

			count[(deck[k] & 3) * 4 + (deck[k + 16] & 3)] += k;
			a[at] = (a[at] + byte[deck[k + 1]]) & 255;
			b[at] ^= x >> (k & 7) & 0xffff;
			c[at] += (uint64_t)x * k;
		}
		out[i] = deck[x & 31] << 16 | deck[x >> 5 & 31] << 8 | byte[x % 40];
		out[N + i] = count[(x & 3) * 4 + (x >> 2 & 3)] << 16 | count[(x >> 4 & 3) * 4 + (x >> 6 & 3)];
		out[2 * N + i] = a[x % 6] + (b[x % 6] << 8) + (uint32_t)(c[x % 6] >> 16);
	}
	put(dir, "local_arrays.out.want", out, 3 * N);
	free(in);
}

static uint32_t popcount(uint32_t x)
{
	uint32_t n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static uint32_t dense(uint32_t op, uint32_t x)
{
	const uint32_t nine = op == 4 ? x + 9 : x;
	const uint32_t result[12] = { x + 1,
				      x * 3,
				      x ^ 0x55555555,
				      ~x,
				      nine << 5 | nine >> 27,
				      x << 5 | x >> 27,
				      x - 77,
				      x / 3,
				      popcount(x),
				      x & (0u - x),
				      x * x,
				      x % 1000 };

	return op < 12 ? result[op] : 0;
}

static void switch_table(const char *dir)
{
	static const uint8_t program[24] = { 2,  0,  9, 1, 5, 3, 10, 4, 12, 6, 11, 8,
					     13, 14, 7, 0, 1, 2, 3,  4, 5,  6, 15, 7 };
	static const uint32_t special[7][2] = { { 3, 1 },  { 77, 1 },   { 1024, 1 }, { 4000, 2 },
						{ 17, 3 }, { 4999, 4 }, { 5000, 0 } };
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], y = (i < 16 ? i * 313 + 4 : x) % 5000, acc = x, pc = x % 8;

		out[i] = dense(x % 13, x);
		out[N + i] = y < 2500 ? 5 : 6;
		for (int k = 0; k < 7; k++)
			if (special[k][0] == y)
				out[N + i] = special[k][1];
		for (uint32_t steps = 0; steps < 40; steps++) {
			uint8_t op = program[pc % 24];

			pc++;
			if (op == 12)
				pc += acc % 2 * 2;
			else if (op == 13)
				pc += acc % 3;
			else if (op == 14)
				acc ^= pc;
			else if (op == 15)
				steps += 2;
			else
				acc = dense(op, acc) + steps;
		}
		out[2 * N + i] = acc;
	}
	put(dir, "switch_table.out.want", out, 3 * N);
	free(in);
}

static uint64_t hanoi(uint32_t n, uint32_t from, uint32_t to, uint32_t *moves)
{
	uint32_t other = 3 - from - to;
	uint64_t a, b, peg;

	if (n == 0)
		return 0;
	a = hanoi(n - 1, from, other, moves);
	++*moves;
	b = hanoi(n - 1, other, to, moves);
	if (*moves % 3 == 0)
		peg = from;
	else
		peg = *moves % 3 == 1 ? to : other;
	return a * 7 + 4 * peg + b;
}

static void recursion(const char *dir)
{
	enum { n = 64 };
	uint32_t *in = full_u32(n, 1), *out = ref_new(uint32_t, 4 * n);

	for (int i = 0; i < n; i++) {
		uint32_t x = in[i], a = 0, b = 1, k = (x >> 8) % 4, moves = 0;

		for (uint32_t j = 0; j < x % 12; j++) {
			uint32_t t = a + b;

			a = b;
			b = t;
		}
		out[i] = a;
		if (x % 3 == 0)
			out[n + i] = k + 1;
		else
			out[n + i] = x % 3 == 1 ? k + 2 : 2 * k + 3;
		out[2 * n + i] = x % 20 % 2 == 0;
		out[3 * n + i] = (uint32_t)hanoi(x % 6, 0, 2, &moves);
		out[3 * n + i] += moves << 24;
	}
	put(dir, "recursion.out.want", out, 4 * n);
	free(in);
}

static int upwards(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int by_low_byte(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x & 255) != (y & 255) ? (int)(x & 255) - (int)(y & 255) : (x < y) - (x > y);
}

static void quicksort(const char *dir)
{
	uint32_t *a = full_u32(768, 1);

	for (size_t i = 0; i < 32; i++)
		qsort(a + i * 24, 24, sizeof *a, i & 1 ? by_low_byte : upwards);
	put(dir, "quicksort.out.want", a, 768);
}

static void tree_walk(const char *dir)
{
	enum { n = 64 };
	uint32_t *in = full_u32(n, 1), *out = ref_new(uint32_t, 2 * n);

	/* Keys are below 32: a tree is its order of insertion. The depth of a key is one more than that of the deeper
	 * of its neighbours (nearest smaller and larger key) among the keys inserted before it. */
	for (int i = 0; i < n; i++) {
		uint32_t r = in[i], count[32] = { 0 }, depth[32] = { 0 }, used = 0, deepest = 0;

		for (int k = 0; k < 20; k++) {
			int key, below, above;

			r = r * 1664525 + 1013904223;
			key = (int)(r >> 27);
			if (count[key]++ > 0)
				continue;
			for (below = key - 1; below >= 0 && !depth[below];)
				below--;
			for (above = key + 1; above < 32 && !depth[above];)
				above++;
			depth[key] = 1;
			if (below >= 0)
				depth[key] = depth[below] + 1;
			if (above < 32 && depth[above] >= depth[key])
				depth[key] = depth[above] + 1;
			used++;
			if (depth[key] > deepest)
				deepest = depth[key];
		}
		for (uint32_t key = 0; key < 32; key++)
			if (count[key])
				out[i] = out[i] * 31 + key * count[key];
		out[n + i] = used << 8 | deepest;
	}
	put(dir, "tree_walk.out.want", out, 2 * n);
	free(in);
}

static void struct_params(const char *dir)
{
	static const uint32_t scale[4] = { 3, 5 + 100, 0x10001, 4294967295u };
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i];

		out[i] = (x / 32 - 300) * scale[x % 4] + 7;
		out[N + i] = (uint32_t)((x & 0xffff) * 2.75) + 200;
		out[2 * N + i] = (uint32_t)(uint64_t)(((int64_t)x * -123456789) >> 7);
	}
	put(dir, "struct_params.out.want", out, 3 * N);
	free(in);
}

static void struct_return(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N);

	for (int i = 0; i < N; i++) {
		uint32_t depth = in[i] % 4, x[4], y;
		int64_t v[3], h;
		uint64_t word[6], fold = 0;
		uint16_t tag;

		y = x[depth] = in[i];
		for (uint32_t d = depth; d > 0; d--) {
			x[d] = y;
			y = y * 5 + 1;
		}
		for (int k = 0; k < 6; k++)
			word[k] = y * (0x100000001u << k | (uint64_t)1 << (32 + k));
		tag = (uint16_t)y;
		for (int k = 0; k < 3; k++)
			v[k] = y >> (4 * k) & 15;
		for (int64_t d = 1; d <= depth; d++) {
			int64_t c[3] = { v[1] * -2 - v[2] * d, v[2] * 1 - v[0] * -2, v[0] * d - v[1] * 1 };

			word[d] ^= x[d];
			tag = (uint16_t)(tag - d);
			memcpy(v, c, sizeof v);
		}
		for (int k = 0; k < 6; k++)
			fold = fold * 3 + word[k];
		out[i] = (uint32_t)fold ^ (uint32_t)(fold >> 32);
		out[N + i] = y % 251 << 16 | tag;
		h = v[0] * 4 + v[1] * 2 + v[2];
		out[2 * N + i] = (uint32_t)h;
	}
	put(dir, "struct_return.out.want", out, 3 * N);
	free(in);
}

static void vector_loads(const char *dir)
{
	uint32_t *in = full_u32(4 * N, 1), *out = ref_new(uint32_t, 20 * N);
	const uint8_t *byte = (const uint8_t *)in;

	for (int i = 0; i < N; i++) {
		const uint32_t *v = in + 4 * i, *far = in + 4 * (i / 64 * 64 + 63 - i % 64);
		const uint8_t *q = byte + 16 * (i / 64 * 64 + (i % 64 ^ 5)) + 8, *c = byte + 16 * i;
		uint64_t lo = (uint64_t)far[1] << 32 | far[0], hi = (uint64_t)far[3] << 32 | far[2];
		uint32_t *o = out + 4 * i;

		for (int k = 0; k < 4; k++) {
			o[k] = v[3 - k];
			o[4 * N + k] = v[k ^ 1];
			o[16 * N + k] = v[k ^ 2];
		}
		o[8 * N] = (uint32_t)(hi - lo);
		o[8 * N + 1] = (uint32_t)((hi - lo) >> 32);
		o[8 * N + 2] = (uint32_t)(lo ^ hi);
		o[8 * N + 3] = (uint32_t)((lo ^ hi) >> 32);
		o[12 * N] = q[0] | (uint32_t)q[3] << 8 | (uint32_t)q[2] << 16 | (uint32_t)c[9] << 24;
		o[12 * N + 1] = v[1] >> 16 | ((v[1] & 0xffff) + (v[1] >> 16)) << 16;
		o[12 * N + 2] = v[2] + c[13];
		o[12 * N + 3] = (uint32_t)c[12] << 8 | c[15];
	}
	put(dir, "vector_loads.out.want", out, 20 * N);
	free(in);
}

static void constant_tables(const char *dir)
{
	static const uint32_t primes[16] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53 };
	static const uint32_t key[3] = { 7, 500, 65535 }, length[3] = { 3, 5, 7 }, plain[5] = { 10, 20, 30, 0, 0 };
	static const char *name[3] = { "four", "abcd", "zzzz" };
	static const float value[3] = { 0.5f, -3.25f, 1e10f };
	static const uint64_t grid[3][4] = { { 1, 0xfffffffffffffffeu, 3, 0 },
					     { (uint64_t)1 << 40, 0xffffffffffffffffu, 0, 0 },
					     { 0x7fffffffffffffff, 5, 6, 7 } };
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 4 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], r = x % 3;
		uint64_t g = grid[r][x >> 4 & 3];

		out[i] = primes[x & 15] * 1000 + primes[i / 64] + key[r] + (uint32_t)name[r][x >> 8 & 3];
		out[N + i] = f32_bits(value[r]);
		out[2 * N + i] = (uint32_t)g ^ (uint32_t)(g >> 32);
		out[3 * N + i] = 3141592653u + length[r] + plain[x % 5];
	}
	put(dir, "constant_tables.out.want", out, 4 * N);
	free(in);
}

static void global_variables(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 260), tickets = 0;

	for (int i = 0; i < N; i++) {
		out[i] = 2 * 100000 + 3 * 10000 + 4 * 1000 + 50 * 100 + 60 * 10 + 70 + 5;
		out[N + i] = 2 * in[i] + 3;
		tickets += 2 * (in[i] & 7);
	}
	out[256] = 2;
	out[257] = tickets + 6;
	put(dir, "global_variables.out.want", out, 260);
	free(in);
}

static uint32_t field(uint32_t x, int at, int bits) { return x >> at & ((1u << bits) - 1); }
static int32_t signed_field(uint32_t x, int at, int bits) { return (int32_t)(x << (32 - at - bits)) >> (32 - bits); }

static void bitfields(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], y, shift = x % 4 * 8;
		int32_t hi = (int32_t)x / 100;
		uint64_t lo;

		y = (field(x, 0, 3) + 3) % 8 | ((uint32_t)(signed_field(x, 21, 11) >> 2) & 127) << 3 |
		    (field(x, 10, 11) ^ 0x2aa) << 10 | field(x, 21, 11) << 21;
		out[i] = y;
		y = (y & ~(255u << shift)) | (~x & 255) << shift;
		out[N + i] = (uint32_t)((int16_t)(y >> (x >> 1 & 1) * 16) * 3);
		lo = ((uint64_t)x * 77 + (uint64_t)(int64_t)hi) & (((uint64_t)1 << 37) - 1);
		out[2 * N + i] = (uint32_t)(lo >> 5) ^ (uint32_t)hi;
	}
	put(dir, "bitfields.out.want", out, 3 * N);
	free(in);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_language[] = { REF(templates),
					  REF(virtual_calls),
					  REF(function_pointers),
					  REF(lambdas),
					  REF(printf_calls),
					  REF(assert_true),
					  REF(heap),
					  REF(local_arrays),
					  REF(switch_table),
					  REF(recursion),
					  REF(quicksort),
					  REF(tree_walk),
					  REF(struct_params),
					  REF(struct_return),
					  REF(vector_loads),
					  REF(constant_tables),
					  REF(global_variables),
					  REF(bitfields),
					  { NULL, NULL } };
