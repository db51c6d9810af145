/* Any bytes as an annotated cubin: its annotations are refused with a diagnostic, or they are taken over, and written
 * again make a file that is read again and written the same. Under libFuzzer most changes are to the sections of
 * annotations: their code has a digest. */
#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/annotated.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"
#include "test/fuzz/awkward.h"
#include "test/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

/* instructions of a kernel of which every analysis is made, as reading does */
enum { SMALL = 500 };

static bool small(const struct module *m)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < m->nkernel; k++)
		n += m->kernel[k]->ninsn;
	return n < SMALL;
}

/* The file again, from what was read of it; NULL: it was refused. */
static void *again(const struct source *s, size_t *n, struct fuzz_input *x)
{
	struct cubin *c = cubin_read(s, &x->a, &x->d);
	struct module *m = c && annotated_has(c) ? sass_lift(c, &x->a, &x->d) : NULL;
	void *out;

	if (!m || !small(m))
		return NULL;
	if (!annotated_read(m, c, &x->d)) {
		if (!diag_failed(&x->d))
			abort();
		return NULL;
	}
	for (uint32_t k = 0; k < m->nkernel; k++)
		if ((m->kernel[k]->facts & FACT_OBJECT) != FACT_OBJECT)
			return NULL; /* a kernel without annotations */
	return annotated_write(m, c, s, &x->a, &out, n, &x->d) ? out : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nonce, ntwice;
	struct fuzz_input x;
	void *once, *twice;

	fuzz_begin(&x, "fuzz", data, size);
	once = again(&x.s, &nonce, &x);
	if (once) {
		const struct source s = { .name = "again", .text = once, .len = nonce };

		twice = again(&s, &ntwice, &x);
		if (!twice || nonce != ntwice || memcmp(once, twice, nonce) != 0)
			abort();
	}
	fuzz_end(&x);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	uint64_t rng = mix64(seed), shoff = 0, offset, bytes, names;
	uint16_t nsec = 0, strndx = 0;
	uint8_t *head;
	uint32_t name;

	if (size >= 64) {
		memcpy(&shoff, data + 40, 8);
		memcpy(&nsec, data + 60, 2);
		memcpy(&strndx, data + 62, 2);
	}
	if (size < 128 || shoff > size || !nsec || (size - shoff) / 64 < nsec || strndx >= nsec ||
	    rng_next(&rng) % 16 == 0)
		return LLVMFuzzerMutate(data, size, max);
	memcpy(&names, data + shoff + 64 * strndx + 24, 8);
	for (unsigned turn = 0; turn < 64; turn++) { /* a section whose name begins as ours do */
		head = data + shoff + 64 * (rng_next(&rng) % nsec);
		memcpy(&name, head, 4);
		memcpy(&offset, head + 24, 8);
		memcpy(&bytes, head + 32, 8);
		if (names > size || name > size - names || size - names - name < 9 ||
		    memcmp(data + names + name, ".regloom.", 9) != 0)
			continue;
		if (rng_next(&rng) % 16 == 0)
			awkward(head + 4 * (rng_next(&rng) % 16), 4, &rng, size);
		else if (bytes >= 8 && offset <= size && size - offset >= bytes)
			awkward(data + offset + rng_next(&rng) % (bytes - 3), 1 + (unsigned)(rng_next(&rng) % 4), &rng,
				size);
		return size;
	}
	return size;
}
