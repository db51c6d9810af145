/* Any bytes as a cubin whose kernels are executed, small: what its code does ends in results, in a fault or at the
 * limit of instructions; no crash, no hang, no leak, and no memory but the device's. Of small ones all that is known of
 * registers is found before, and dead ones are overwritten. */
#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"
#include "test/fuzz/execute.h"
#include "test/fuzz/input.h"
#include "test/fuzz/mutate_cubin.h"

enum { KERNELS = 4, WHOLE = 200 /* instructions */ };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	for (unsigned i = 0; i <= seed % 2; i++)
		size = mutate_cubin(data, size, max, seed + i);
	return size;
}

static bool know(struct module *m, struct diag *d)
{
	struct pass_ctx cx;
	uint32_t insns = 0;
	bool ok = true;

	for (uint32_t k = 0; k < m->nkernel; k++)
		insns += m->kernel[k]->ninsn;
	if (insns > WHOLE)
		return false;
	pass_ctx_init(&cx, d);
	cx.opt.regmutex.size = REGMUTEX_OFF;
	for (uint32_t k = 0; ok && k < m->nkernel; k++)
		ok = pass_compile_for(m->kernel[k], FACT_ALL, false, &cx);
	pass_ctx_free(&cx);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input x;
	struct cubin *c;
	struct module *m;

	fuzz_begin(&x, "fuzz.cubin", data, size);
	c = cubin_read(&x.s, &x.a, &x.d);
	m = c ? sass_lift(c, &x.a, &x.d) : NULL;
	if (m && execute_small(m)) {
		bool known = know(m, &x.d);

		for (uint32_t k = 0; k < m->nkernel && k < KERNELS; k++)
			execute(m, m->kernel[k], known, &x.d);
	}
	fuzz_end(&x);
	return 0;
}
