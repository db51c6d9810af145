/* Changes of PTX text that leave most of it PTX, for fuzz targets that want kernels to run: a mnemonic becomes another
 * of the same signature, an operand another of the file, a number an awkward one; lines are copied, dropped and
 * moved. */
#ifndef REGLOOM_FUZZ_MUTATE_H
#define REGLOOM_FUZZ_MUTATE_H

#include "analyzer/base/rng.h"
#include "analyzer/ir/ir.h"

#include <stdlib.h>
#include <string.h>

struct piece {
	size_t at, len;
};

static inline bool mutate_is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
	       c == '%' || c == '$';
}

/* The next word that starts at or after a random place, with a first byte as wanted. */
static inline bool mutate_pick(const uint8_t *s, size_t n, uint64_t *rng, bool word(unsigned char), struct piece *p)
{
	size_t from = rng_next(rng) % n;

	for (unsigned turn = 0; turn < 2; turn++, from = 0)
		for (size_t i = from; i < n; i++) {
			if (!mutate_is_word(s[i]) || (i && mutate_is_word(s[i - 1])) || !word(s[i]))
				continue;
			p->at = i;
			for (p->len = 0; i + p->len < n && mutate_is_word(s[i + p->len]);)
				p->len++;
			return true;
		}
	return false;
}

static inline bool mutate_register(unsigned char c) { return c == '%'; }
static inline bool mutate_number(unsigned char c) { return c >= '0' && c <= '9'; }
static inline bool mutate_name(unsigned char c) { return c >= 'a' && c <= 'z'; }

static inline struct piece mutate_line(const uint8_t *s, size_t n, uint64_t *rng)
{
	size_t at = rng_next(rng) % n;
	struct piece p;

	while (at && s[at - 1] != '\n')
		at--;
	p = (struct piece){ at, 0 };
	while (at + p.len < n && s[at + p.len++] != '\n')
		;
	return p;
}

/* S[p] becomes WITH; the new length, or n if it does not fit. */
static inline size_t mutate_replace(uint8_t *s, size_t n, size_t max, struct piece p, const void *with, size_t len)
{
	uint8_t *copy;

	if (n - p.len + len > max)
		return n;
	copy = malloc(len + 1);
	if (!copy)
		return n;
	memcpy(copy, with, len);
	memmove(s + p.at + len, s + p.at + p.len, n - p.at - p.len);
	memcpy(s + p.at, copy, len);
	free(copy);
	return n - p.len + len;
}

/* A row with the signature of the row called NAME, or any if there is none. */
static inline enum op mutate_row(const char *name, size_t len, uint64_t *rng)
{
	enum op row = op_find(name, len), other = (enum op)(rng_next(rng) % OP_COUNT);

	for (unsigned i = 0; row != OP_COUNT && i < OP_COUNT && strcmp(op_info[other].sig, op_info[row].sig) != 0; i++)
		other = (enum op)((other + 1) % OP_COUNT);
	return other;
}

static inline size_t mutate_ptx(uint8_t *s, size_t n, size_t max, uint64_t seed)
{
	static const char *const awkward[] = { "0",
					       "1",
					       "-1",
					       "31",
					       "32",
					       "33",
					       "64",
					       "255",
					       "4095",
					       "0x7fffffff",
					       "0x80000000",
					       "0xffffffff",
					       "4294967296",
					       "0f00000001",
					       "0f7f800000",
					       "0f7fc00001",
					       "0d7ff8000000000001",
					       "16777216" };
	uint64_t rng = mix64(seed);
	struct piece p, q;
	size_t len;
	const char *text;

	if (!n)
		return 0;
	switch (rng_next(&rng) % 8) {
	case 0:
	case 1:
		if (!mutate_pick(s, n, &rng, mutate_name, &p))
			return n;
		text = op_mnemonic(mutate_row((const char *)s + p.at, p.len, &rng), &len);
		return mutate_replace(s, n, max, p, text, len);
	case 2:
	case 3:
		if (!mutate_pick(s, n, &rng, mutate_register, &p) || !mutate_pick(s, n, &rng, mutate_register, &q))
			return n;
		return mutate_replace(s, n, max, p, s + q.at, q.len);
	case 4:
		if (!mutate_pick(s, n, &rng, mutate_number, &p))
			return n;
		text = awkward[rng_next(&rng) % (sizeof awkward / sizeof *awkward)];
		return mutate_replace(s, n, max, p, text, strlen(text));
	case 5:
		return mutate_replace(s, n, max, mutate_line(s, n, &rng), "", 0);
	case 6:
		p = mutate_line(s, n, &rng);
		q = mutate_line(s, n, &rng);
		p.len = 0;
		return mutate_replace(s, n, max, p, s + q.at, q.len);
	default:
		if (!mutate_pick(s, n, &rng, mutate_name, &p) || !mutate_pick(s, n, &rng, mutate_name, &q))
			return n;
		return mutate_replace(s, n, max, p, s + q.at, q.len);
	}
}

#endif
