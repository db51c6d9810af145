/* Changes of cubins that leave most of them cubins: fields of headers, symbols, relocations, attributes and constants
 * become awkward, an instruction becomes as another, a bit of one changes. */
#ifndef REGLOOM_FUZZ_MUTATE_CUBIN_H
#define REGLOOM_FUZZ_MUTATE_CUBIN_H

#include "test/fuzz/awkward.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

static inline size_t mutate_cubin(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	uint64_t rng = mix64(seed), shoff = 0;
	uint16_t nsec = 0;
	uint8_t *head;
	uint64_t offset, bytes;

	if (size >= 64) {
		memcpy(&shoff, data + 40, 8);
		memcpy(&nsec, data + 60, 2);
	}
	if (size < 128 || shoff > size || !nsec || (size - shoff) / 64 < nsec || rng_next(&rng) % 8 == 0)
		return LLVMFuzzerMutate(data, size, max);
	head = data + shoff + 64 * (rng_next(&rng) % nsec);
	memcpy(&offset, head + 24, 8);
	memcpy(&bytes, head + 32, 8);
	/* a field of a section's header, which are words and doublewords; or of the file's */
	if (rng_next(&rng) % 3 == 0) {
		if (rng_next(&rng) % 8 == 0)
			awkward(data + 16 + 4 * (rng_next(&rng) % 12), 4, &rng, size);
		else
			awkward(head + 4 * (rng_next(&rng) % 16), 4, &rng, size);
		return size;
	}
	if (bytes < 8 || offset > size || size - offset < bytes)
		return size;
	if (bytes >= 32 && rng_next(&rng) % 3 == 0) { /* in code, an instruction becomes as another */
		memmove(data + offset + 16 * (rng_next(&rng) % (bytes / 16)),
			data + offset + 16 * (rng_next(&rng) % (bytes / 16)), 16);
		return size;
	}
	awkward(data + offset + 4 * (rng_next(&rng) % (bytes / 4)), 4, &rng, size);
	return size;
}

#endif
