/* Fuzz target of the object reader: any bytes are refused with a diagnostic, or are a module that can be written, and
 * read back, to the same bytes, and whose first kernel can be executed: to its end, a fault or the limit. */
#include "analyzer/elf/rlo.h"
#include "test/fuzz/execute.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a;
	struct diag d;
	struct module *m;

	arena_init(&a);
	diag_init(&d, NULL);
	m = rlo_read_memory(data, n, "fuzz.rlo", &a, &d);
	if (!m != diag_failed(&d))
		abort();
	if (m) {
		void *once, *twice;
		size_t nonce, ntwice;

		if (!rlo_encode(m, &a, &once, &nonce, &d))
			abort();
		m = rlo_read_memory(once, nonce, "again.rlo", &a, &d);
		if (!m || !rlo_encode(m, &a, &twice, &ntwice, &d))
			abort();
		if (nonce != ntwice || memcmp(once, twice, nonce) != 0)
			abort();
		if (m->nkernel && execute_small(m))
			execute(m, m->kernel[0], true, &d);
	}
	arena_free(&a);
	diag_free(&d);
	return 0;
}
