/* Any bytes as PTX: no crash, no hang, no leak; what parses passes ir_verify (which ptx_parse() runs). */
#include "analyzer/ptx/ptx.h"
#include "test/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input x;

	fuzz_begin(&x, "fuzz.ptx", data, size);
	ptx_parse(&x.s, &x.a, &x.d);
	fuzz_end(&x);
	return 0;
}
