/* Any bytes as the file of a sweep: accepted or refused with a message; what is accepted has something to run. */
#include "runtime-model/sweep/sweep.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct source s = { .name = "fuzz.yaml", .len = n };
	struct sweep w;
	struct arena a;
	struct diag d;
	char *text;

	arena_init(&a);
	diag_init(&d, NULL);
	text = new_array(&a, char, n + 1);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)data[i];
	s.text = text;
	if (sweep_read_source(&w, &s, &a, &d) != !diag_failed(&d))
		abort();
	if (!diag_failed(&d) && (!w.nkernel || !w.nmachine || !w.nrf || !w.metrics.n || !*w.out))
		abort();
	diag_free(&d);
	arena_free(&a);
	return 0;
}
