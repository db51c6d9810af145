/* Any bytes as the file of a sweep: accepted or refused with a message; what is accepted has something to run. */
#include "runtime-model/sweep/sweep.h"
#include "test/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct fuzz_input x;
	struct sweep w;

	fuzz_begin(&x, "fuzz.yaml", data, n);
	if (sweep_read_source(&w, &x.s, &x.a, &x.d) != !diag_failed(&x.d))
		abort();
	if (!diag_failed(&x.d) && (!w.nkernel || !w.nmachine || !w.nrf || !w.metrics.n || !*w.out))
		abort();
	fuzz_end(&x);
	return 0;
}
