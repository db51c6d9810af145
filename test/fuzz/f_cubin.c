/* Any bytes as a cubin: refused with a diagnostic, or listed as text and JSON, lifted into the IR, where its kernels pass their checks, and
 * analysed. Under libFuzzer most changes are to what the container says: fields of headers, symbols, relocations, attributes. */
#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"
#include "test/fuzz/awkward.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

enum { SMALL = 3000 };                  /* instructions of a kernel that every analysis is made of */

static void analyse(struct module *m, struct diag *d)
{
	struct pass_ctx cx;

	pass_ctx_init(&cx, d);
	for (uint32_t k = 0; k < m->nkernel; k++) {
		if (!ir_verify(m->kernel[k], d))
			abort();
		if (!pass_need(m->kernel[k], FACT_CFG | FACT_LIVE | (m->kernel[k]->ninsn < SMALL ? FACT_DOM | FACT_PDOM | FACT_LOOP | FACT_STRAND : 0), &cx))
			abort();
	}
	pass_ctx_free(&cx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct diag d;
	char *text = malloc(size + 1), *shown = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&shown, &n);
	struct source s = { .name = "fuzz", .text = text, .len = size };
	struct cubin *c;
	struct module *m;

	if (!text || !out)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	arena_init(&a);
	diag_init(&d, NULL);
	c = cubin_read(&s, &a, &d);
	if (!c != diag_failed(&d))
		abort();
	if (c) {
		cubin_list(out, c, false, &a);
		cubin_list(out, c, true, &a);
		m = sass_lift(c, &a, &d);
		if (!m != diag_failed(&d))
			abort();
		if (m)
			analyse(m, &d);
	}
	fclose(out);
	free(shown);
	diag_free(&d);
	arena_free(&a);
	free(text);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
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
	if (rng_next(&rng) % 3 == 0) {  /* a field of a section's header, which are words and doublewords; or of the file's */
		if (rng_next(&rng) % 8 == 0)
			awkward(data + 16 + 4 * (rng_next(&rng) % 12), 4, &rng, size);
		else
			awkward(head + 4 * (rng_next(&rng) % 16), 4, &rng, size);
		return size;
	}
	if (bytes < 8 || offset > size || size - offset < bytes)
		return size;
	awkward(data + offset + 4 * (rng_next(&rng) % (bytes / 4)), 4, &rng, size);
	return size;
}
