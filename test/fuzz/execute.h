/* Executes a kernel of any input, small: two CTAs of 40 threads, one buffer, few instructions. */
#ifndef REGLOOM_FUZZ_EXECUTE_H
#define REGLOOM_FUZZ_EXECUTE_H

#include "runtime-model/engine/engine.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 4096, MEMORY_MAX = 1 << 16, HEAP = 1 << 16, INSNS = 20000 };

/* Whether its memory is, too. */
static inline bool execute_small(const struct module *m)
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

/* Parameters of 64 bits are the buffer's address, others small numbers. poison: dead registers are overwritten. */
static inline void execute(const struct module *m, const struct kernel *k, bool poison, struct diag *d)
{
	struct device *dev = device_new(d);
	struct launch l = { .m = m, .k = k, .grid = { 2, 1, 1 }, .block = { 40, 1, 1 } };
	struct engine_options o = { .poison = poison, .poison_seed = 1, .max_insns = INSNS };
	struct engine *e = NULL;
	/* more than PARAM_MAX_BYTES, which the engine refuses, are there too */
	unsigned char *params = calloc(1, 2 * (UINT16_MAX + 1) + PARAM_MAX_BYTES), *p;
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

#endif
