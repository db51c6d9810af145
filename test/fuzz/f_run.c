/* Any bytes as PTX that is compiled, written as an object, read again and executed, small: no crash, no hang, no leak.
 * A kernel may be refused or fault; but no oracle may find a pass wrong, and an object that was written is read. */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "test/fuzz/execute.h"
#include "test/fuzz/input.h"
#include "test/fuzz/mutate.h"

enum { KERNELS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	for (unsigned i = 0; i <= seed % 3; i++)
		size = mutate_ptx(data, size, max, seed + i);
	return size;
}

/* What the passes' oracles say, of which nothing may be true. */
static bool is_bug(const char *said)
{
	static const char *const oracle[] = {
		"allocation: ",          "liveness is wrong", "liveness or release is wrong",
		"no control flow leads", " wrong: ",          ", operand "
	};

	for (size_t i = 0; said && i < sizeof oracle / sizeof *oracle; i++)
		if (strstr(said, oracle[i]))
			return true;
	return false;
}

/* Compiles every kernel, at a register limit that the input's size chooses. */
static bool compile(struct module *m, size_t size, struct diag *d)
{
	static const unsigned limit[] = { 63, 16, 254, 24 };
	struct pass_ctx cx;
	bool ok = m->nkernel > 0;

	pass_ctx_init(&cx, d);
	cx.opt.maxreg = limit[size % 4];
	cx.opt.schedule = size / 4 % 2;
	cx.opt.inline_limit = size / 8 % 2 ? cx.opt.inline_limit : 0;
	cx.opt.check = true;
	for (uint32_t k = 0; ok && k < m->nkernel; k++)
		ok = pass_compile(m->kernel[k], &cx) && pass_need(m->kernel[k], FACT_ALL, &cx);
	pass_ctx_free(&cx);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input x;
	struct module *m;
	void *bytes;
	size_t n;

	fuzz_begin(&x, "fuzz.ptx", data, size);
	m = ptx_parse(&x.s, &x.a, &x.d);
	if (m && compile(m, size, &x.d) && execute_small(m) && rlo_encode(m, &x.a, &bytes, &n, &x.d)) {
		m = rlo_read_memory(bytes, n, "fuzz.rlo", &x.a, &x.d);
		if (!m)
			abort();
		for (uint32_t k = 0; k < m->nkernel && k < KERNELS; k++)
			execute(m, m->kernel[k], true, &x.d);
	} else if (m && is_bug(x.d.last)) {
		abort();
	}
	fuzz_end(&x);
	return 0;
}
