/* The opcode table and the look-up of mnemonics.
 *
 * A mnemonic is a base, a set of semantic modifiers and a sequence of types: "setp.lt.s32". PTX leaves the order of the
 * modifiers free, so both the table's texts and the text looked up are brought to one canonical key (modifiers sorted,
 * then layouts of matrices and types in order, after the base) and found by hash. */
#include "ops.h"

#include "analyzer/base/hash.h"
#include "analyzer/base/near.h"

#include <pthread.h>
#include <string.h>

enum {
#define SIG(name, ndst, nsrc, bytes) NDST_##name = ndst, NSRC_##name = nsrc, BYTES_##name = bytes,
#include "analyzer/ir/sigs.def"
#undef SIG
};

const struct op_info op_info[OP_COUNT] = {
#define OP(name, mnemonic, signature, unit, flag, ...) \
	{ .id = #name,                                 \
	  .text = mnemonic,                            \
	  .sig = #signature,                           \
	  .expr = "" #__VA_ARGS__,                     \
	  .flags = (flag),                             \
	  .fu = FU_##unit,                             \
	  .ndst = NDST_##signature,                    \
	  .nsrc = NSRC_##signature,                    \
	  .mem_bytes = BYTES_##signature,              \
	  .opsig = OPSIG_##signature },
#include "analyzer/ir/ops.def"
};

const char *const sreg_name[SREG_COUNT] = {
#define SREG(id, text, bits) text,
#include "analyzer/ir/sregs.def"
#undef SREG
};

const uint8_t sreg_bits[SREG_COUNT] = {
#define SREG(id, text, bits) bits,
#include "analyzer/ir/sregs.def"
#undef SREG
};

const struct type_info type_info[TY_COUNT] = {
#define TYPE(id, text, bits, kind) { text, bits, kind },
#include "analyzer/ir/types.def"
#undef TYPE
};

enum scalar_type type_find(const char *text, size_t len)
{
	if (len < 2 || !memchr("busfpte", text[0], 7))
		return TY_COUNT;
	for (unsigned t = 0; t < TY_COUNT; t++)
		if (type_info[t].text[0] == text[0] && type_info[t].text[1] == text[1] &&
		    strncmp(type_info[t].text, text, len) == 0 && !type_info[t].text[len])
			return t;
	return TY_COUNT;
}

enum sreg sreg_find(const char *name, size_t len)
{
	for (unsigned s = 0; s < SREG_COUNT; s++)
		if (strlen(sreg_name[s]) == len && memcmp(sreg_name[s], name, len) == 0)
			return s;
	return SREG_COUNT;
}

enum { KEY_MAX = 96, PART_MAX = 16, SLOTS = 16384 };

struct part {
	const char *s;
	size_t len;
};

static int part_cmp(struct part a, struct part b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = memcmp(a.s, b.s, n);

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

static bool is_layout(struct part x)
{
	return x.len == 3 && (memcmp(x.s, "row", 3) == 0 || memcmp(x.s, "col", 3) == 0);
}

/* Canonical key of a mnemonic; returns its length, 0 if it is too long to be one. */
static size_t canonical(const char *text, size_t len, char key[KEY_MAX])
{
	struct part mod[PART_MAX], type[PART_MAX], layout[2];
	unsigned nmod = 0, ntype = 0, nlayout = 0;
	const char *end = text + len, *p = text;
	size_t n = 0;

	if (len >= KEY_MAX)
		return 0;
	for (bool base = true; p <= end; base = false) {
		const char *dot = memchr(p, '.', (size_t)(end - p));
		struct part x = { p, (size_t)((dot ? dot : end) - p) };

		if (base) {
			memcpy(key, x.s, x.len);
			n = x.len;
		} else if (nmod == PART_MAX || ntype == PART_MAX) {
			return 0;
		} else if (type_find(x.s, x.len) != TY_COUNT) {
			type[ntype++] = x;
		} else if (is_layout(x) && nlayout < 2) {
			layout[nlayout++] = x;
		} else {
			unsigned i = nmod++;

			for (; i && part_cmp(x, mod[i - 1]) < 0; i--)
				mod[i] = mod[i - 1];
			mod[i] = x;
		}
		if (!dot)
			break;
		p = dot + 1;
	}
	for (unsigned i = 0; i < nmod + nlayout + ntype; i++) {
		struct part x;
		if (i < nmod)
			x = mod[i];
		else
			x = i < nmod + nlayout ? layout[i - nmod] : type[i - nmod - nlayout];

		key[n++] = '.';
		memcpy(key + n, x.s, x.len);
		n += x.len;
	}
	return n;
}

static uint32_t hash_key(const char *s, size_t n)
{
	uint32_t h = hash_text(s, n);

	return h ^ h >> 15;
}

/* Built once, read-only afterwards. */
static struct {
	uint16_t op[SLOTS];
	uint8_t len[SLOTS];
	char key[SLOTS][KEY_MAX];
} index_of;
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void index_build(void)
{
	for (unsigned op = 0; op < OP_COUNT; op++) {
		const char *t = op_info[op].text;

		for (;;) {
			const char *bar = strchr(t, '|');
			char key[KEY_MAX];
			size_t n = canonical(t, bar ? (size_t)(bar - t) : strlen(t), key);
			uint32_t i = hash_key(key, n) % SLOTS;

			while (index_of.len[i])
				i = (i + 1) % SLOTS;
			index_of.op[i] = (uint16_t)op;
			index_of.len[i] = (uint8_t)n;
			memcpy(index_of.key[i], key, n);
			if (!bar)
				break;
			t = bar + 1;
		}
	}
}

enum op op_find(const char *text, size_t len)
{
	char key[KEY_MAX];
	size_t n = canonical(text, len, key);
	uint32_t i;

	if (!n)
		return OP_COUNT;
	pthread_once(&index_once, index_build);
	for (i = hash_key(key, n) % SLOTS; index_of.len[i]; i = (i + 1) % SLOTS)
		if (index_of.len[i] == n && memcmp(index_of.key[i], key, n) == 0)
			return index_of.op[i];
	return OP_COUNT;
}

const char *op_mnemonic(enum op op, size_t *len)
{
	const char *t = op_info[op].text, *bar = strchr(t, '|');

	*len = bar ? (size_t)(bar - t) : strlen(t);
	return t;
}

unsigned op_suggest(const char *text, size_t len, enum op best[], unsigned max)
{
	unsigned n = 0, limit = len < 6 ? 1 : 3, score[8] = { 0 };

	if (max > 8)
		max = 8;
	for (unsigned op = 0; op < OP_COUNT; op++) {
		size_t tlen;
		const char *t = op_mnemonic(op, &tlen);
		unsigned d = near_distance(text, len, t, tlen, limit), i;

		if (d > limit || op_info[op].flags & OPF_INTERNAL) /* not in PTX */
			continue;
		for (i = n < max ? n++ : max; i && score[i - 1] > d; i--)
			if (i < max) {
				score[i] = score[i - 1];
				best[i] = best[i - 1];
			}
		if (i < max) {
			score[i] = d;
			best[i] = op;
		}
	}
	return n;
}
