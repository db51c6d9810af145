/* Any bytes as PTX that is compiled, written as an object, read again and executed, small: no crash, no hang, no leak. A kernel
 * may be refused or fault; but no oracle may find a pass wrong, and an object that was written is read. */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/engine/engine.h"
#include "test/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 4096, MEMORY_MAX = 1 << 16, HEAP = 1 << 16, INSNS = 20000, KERNELS = 2 };

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
	static const char *const oracle[] = { "allocation: ", "liveness is wrong", "no control flow leads", " wrong: ", ", operand " };

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

static bool small(const struct module *m)
{
	uint64_t bytes = 0;

	for (uint32_t s = 0; s < m->nsym; s++)
		if (m->sym[s].size > MEMORY_MAX || (bytes += m->sym[s].size) > MEMORY_MAX)
			return false;
	for (uint32_t k = 0; k < m->nkernel; k++)
		if (m->kernel[k]->res.local_bytes > MEMORY_MAX / 16 || m->kernel[k]->res.shared_bytes > MEMORY_MAX)
			return false;
	return true;
}

/* Parameters of 64 bits are the buffer's address, others small numbers. */
static void execute(const struct module *m, const struct kernel *k, struct diag *d)
{
	struct device *dev = device_new(d);
	struct launch l = { .m = m, .k = k, .grid = { 2, 1, 1 }, .block = { 40, 1, 1 } };
	struct engine_options o = { .poison = true, .poison_seed = 1, .max_insns = INSNS };
	struct engine *e = NULL;
	unsigned char *params = calloc(1, PARAM_MAX_BYTES), *p;
	uint64_t buffer;

	if (!dev || !params)
		abort();
	device_set_host(dev, NULL, HEAP);
	buffer = device_alloc(dev, "buffer", BUFFER);
	p = device_ptr(dev, buffer, BUFFER);
	for (unsigned i = 0; i < BUFFER; i++)
		p[i] = (unsigned char)(i * 37 >> 3);
	for (uint32_t i = 0; i < k->nparam; i++) {
		const struct param *q = &k->param[i];
		uint32_t end = q->offset + q->size;

		for (uint32_t at = q->offset; at + 8 <= end; at += 8)
			memcpy(params + at, &buffer, 8);
		if (q->size && q->size < 8)
			params[q->offset] = 64;
		l.param_bytes = end > l.param_bytes ? end : l.param_bytes;
	}
	for (unsigned i = 0; i < 3; i++)
		if (k->reqntid[0])
			l.block[i] = k->reqntid[i] ? k->reqntid[i] : 1;
	l.params = params;
	l.dynamic_shared = 256;
	e = engine_new(dev, &l, &o, d);
	if (e)
		engine_run(e);
	engine_free(e);
	device_free(dev);
	free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct diag d;
	struct module *m;
	char *text = malloc(size + 1);
	struct source s = { .name = "fuzz.ptx", .text = text, .len = size };
	void *bytes;
	size_t n;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	arena_init(&a);
	diag_init(&d, NULL);
	m = ptx_parse(&s, &a, &d);
	if (m && compile(m, size, &d) && small(m) && rlo_encode(m, &a, &bytes, &n, &d)) {
		m = rlo_read_memory(bytes, n, "fuzz.rlo", &a, &d);
		if (!m)
			abort();
		for (uint32_t k = 0; k < m->nkernel && k < KERNELS; k++)
			execute(m, m->kernel[k], &d);
	} else if (m && is_bug(d.last)) {
		abort();
	}
	diag_free(&d);
	arena_free(&a);
	free(text);
	return 0;
}
