/* What a memory instruction costs: lines of global and local memory, passes over the banks of shared memory.
 *
 * Shared memory has 32 banks of 4 bytes. Lanes that read one word share a pass, lanes that need different words of one
 * bank do not. Accesses of 8 bytes go by half-warps and of 16 by quarter-warps, as on Fermi (CUDA C Programming Guide,
 * compute capability 2.x, shared memory), each part with its own passes. An atomic is a read and a write for each lane,
 * so lanes with the same word do not share. */
#include "runtime-model/engine/core.h"

#include "analyzer/base/rng.h"

enum { BANKS = 32 };

static uint64_t line_word(uint64_t line, unsigned first_byte, unsigned bytes)
{
	unsigned from = first_byte / SECTOR_BYTES, to = (first_byte + bytes - 1) / SECTOR_BYTES;

	return line | (uint64_t)((2u << to) - (1u << from)) << 60;
}

/* A set of lines with the order of insertion; the table is open addressing over twice the lines there can be. */
enum { LINE_SLOTS = 512 };
struct line_set {
	uint64_t *line;
	unsigned n;
	uint16_t slot[LINE_SLOTS];
};

static void line_add(struct line_set *s, uint64_t word)
{
	uint64_t key = word << 4 >> 4;
	unsigned h;

	if (s->n && s->line[s->n - 1] << 4 >> 4 == key) {
		s->line[s->n - 1] |= word;
		return;
	}
	for (h = (unsigned)mix64(key) & (LINE_SLOTS - 1); s->slot[h]; h = (h + 1) & (LINE_SLOTS - 1))
		if (s->line[s->slot[h] - 1] << 4 >> 4 == key) {
			s->line[s->slot[h] - 1] |= word;
			return;
		}
	s->line[s->n++] = word;
	s->slot[h] = (uint16_t)s->n;
}

static unsigned lines_of_any(const uint64_t addr[32], uint32_t exec, unsigned bytes, uint64_t line[])
{
	struct line_set s = { .line = line };

	EACH_ACTIVE(l, exec)
	line_add(&s, line_word(addr[l] / LINE_BYTES, addr[l] % LINE_BYTES, bytes));
	return s.n;
}

unsigned coalesce_lines(const uint64_t addr[32], uint32_t exec, unsigned bytes, uint64_t line[])
{
	unsigned l0 = (unsigned)__builtin_ctz(exec), n = 1;
	uint64_t sector = (addr[l0] + bytes - 1) / SECTOR_BYTES; /* the last one of the lane before */

	/* The common case: lanes ascend, so that a line is never met again after another. */
	line[0] = line_word(addr[l0] / LINE_BYTES, addr[l0] % LINE_BYTES, bytes);
	EACH_ACTIVE(l, exec & (exec - 1))
	{
		uint64_t w, last, end = (addr[l] + bytes - 1) / SECTOR_BYTES;

		if (addr[l] / SECTOR_BYTES == sector && end == sector)
			continue;
		sector = end;
		w = line_word(addr[l] / LINE_BYTES, addr[l] % LINE_BYTES, bytes);
		last = line[n - 1] << 4 >> 4;
		if (last == w << 4 >> 4)
			line[n - 1] |= w;
		else if (last < w << 4 >> 4)
			line[n++] = w;
		else
			return lines_of_any(addr, exec, bytes, line);
	}
	return n;
}

unsigned coalesce_span(uint64_t first, unsigned bytes, uint64_t line[])
{
	unsigned n = 0;

	while (bytes) {
		unsigned at = first % LINE_BYTES, here = LINE_BYTES - at < bytes ? LINE_BYTES - at : bytes;

		line[n++] = line_word(first / LINE_BYTES, at, here);
		first += here;
		bytes -= here;
	}
	return n;
}

unsigned coalesce_pieces(const uint64_t addr[], unsigned n, unsigned bytes, uint64_t line[])
{
	struct line_set s = { .line = line };

	for (unsigned i = 0; i < n; i++)
		line_add(&s, line_word(addr[i] / LINE_BYTES, addr[i] % LINE_BYTES, bytes));
	return s.n;
}

unsigned coalesce_local(uint64_t base, const uint64_t offset[32], uint32_t exec, unsigned bytes, uint64_t line[])
{
	struct line_set s = { .line = line };

	for (unsigned o = 0; o < bytes; o += 4)
		EACH_ACTIVE(l, exec)
	line_add(&s, line_word(base / LINE_BYTES + (offset[l] + o) / 4, l * 4, bytes < 4 ? bytes : 4));
	return s.n;
}

/* Of atomics, whose words each take a pass of their bank: passes, and in the high half how many words. */
static unsigned atomic_passes(const uint64_t offset[32], uint32_t exec, unsigned words)
{
	uint8_t count[BANKS] = { 0 }, most = 0;

	for (unsigned w = 0; w < words; w++)
		EACH_ACTIVE(l, exec)
	count[(offset[l] / 4 + w) % BANKS]++;
	for (unsigned b = 0; b < BANKS; b++)
		most = count[b] > most ? count[b] : most;
	return most | (unsigned)__builtin_popcount(exec) * words << 16;
}

/* As passes(), wherever the words lie. */
static unsigned passes_of_any(const uint64_t offset[32], uint32_t exec, unsigned words)
{
	uint64_t word[BANKS][WARP_LANES]; /* of each bank, those that differ */
	uint8_t count[BANKS] = { 0 };
	unsigned n = 0, most = 0;

	EACH_ACTIVE(l, exec)
	for (unsigned w = 0; w < words; w++) {
		uint64_t at = offset[l] / 4 + w, *in = word[at % BANKS];
		unsigned have = count[at % BANKS], i = 0;

		while (i < have && in[i] != at)
			i++;
		if (i < have)
			continue;
		in[have] = at;
		count[at % BANKS] = (uint8_t)++have;
		most = have > most ? have : most;
		n++;
	}
	return most | n << 16;
}

/* Different words in the accesses of `words` each, of which all lie in the 32 from byte `low` on. */
static unsigned different_words(const uint64_t offset[32], uint32_t exec, uint64_t low, unsigned words)
{
	uint64_t each = ((uint64_t)1 << words) - 1, seen = 0;

	EACH_ACTIVE(l, exec)
	seen |= each << (offset[l] - low) / 4;
	return (unsigned)__builtin_popcountll(seen);
}

/* Passes of the lanes in `exec` for the first `bytes` of each, `words` words, and in the high half how many words
 * differ. */
static unsigned passes(const uint64_t offset[32], uint32_t exec, unsigned bytes, unsigned words)
{
	uint64_t low = UINT64_MAX, high = 0;

	EACH_ACTIVE(l, exec)
	{
		low = offset[l] < low ? offset[l] : low;
		high = offset[l] > high ? offset[l] : high;
	}
	low &= ~(uint64_t)3;
	/* 32 neighbouring words lie in different banks */
	if (exec && high - low + bytes <= LINE_BYTES)
		return 1 | different_words(offset, exec, low, words) << 16;
	return passes_of_any(offset, exec, words);
}

/* Do the lanes of each pair, where both are active, want the same words? */
static bool pairs_agree(const uint64_t offset[32], uint32_t exec)
{
	const uint32_t even = 0x55555555;

	EACH_ACTIVE(l, exec & exec >> 1 & even)
	if (offset[l] != offset[l + 1])
		return false;
	return true;
}

unsigned merged_passes(const uint64_t offset[32], uint32_t exec, unsigned bytes)
{
	const unsigned words = bytes / 4, lanes = 2 * WARP_LANES / (words ? words : 1);
	unsigned n = 0;

	if (words < 2 || !pairs_agree(offset, exec))
		return 0;
	for (unsigned first = 0; first < WARP_LANES; first += lanes) {
		const uint32_t mask = exec & (lanes == WARP_LANES ? UINT32_MAX : ((1u << lanes) - 1) << first);

		if (!mask)
			continue;
		if (smem_passes(passes(offset, mask, bytes, words)) > 1)
			return 0;
		n++;
	}
	return n << SMEM_MERGED;
}

unsigned shared_passes(const uint64_t offset[32], uint32_t exec, unsigned bytes, bool atomic)
{
	unsigned parts = bytes > 4 ? bytes / 4 : 1, lanes = WARP_LANES / parts, n = 0;

	for (unsigned p = 0; p < parts; p++) {
		uint32_t mask = exec & (lanes == WARP_LANES ? UINT32_MAX : ((1u << lanes) - 1) << p * lanes);

		if (atomic)
			n += atomic_passes(offset, mask, parts);
		else
			n += passes(offset, mask, bytes, parts);
	}
	return n;
}

/* A constant cache delivers one address in a pass. */
unsigned const_passes(const uint64_t offset[32], uint32_t exec)
{
	uint64_t seen[WARP_LANES];
	unsigned n = 0;

	EACH_ACTIVE(l, exec)
	{
		unsigned i = 0;

		while (i < n && seen[i] != offset[l])
			i++;
		if (i == n)
			seen[n++] = offset[l];
	}
	return n;
}
