/* One warp, one kernel, two buffers. */
#include "test/conform/matrix.h"
#include "test/conform/native.h"

#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/engine/engine.h"

#include <stdio.h>
#include <string.h>

bool matrix_run(const char *ptx, const void *in, size_t in_bytes, void *out, size_t out_bytes, bool machine,
		bool covered[OP_COUNT])
{
	struct arena a;
	struct diag d;
	struct pass_ctx cx;
	struct source src = { "matrix.ptx", ptx, strlen(ptx) };
	struct module *m;
	bool ok = false, refused = false;

	arena_init(&a);
	diag_init(&d, stdout);
	pass_ctx_init(&cx, &d);
	cx.opt.check = true;
	m = native_is_set() ? native_module(ptx, &a, &d, &refused) : ptx_parse(&src, &a, &d);
	if (m && (!machine || native_is_set() || pass_compile(m->kernel[0], &cx)) &&
	    pass_need(m->kernel[0], FACT_CFG | FACT_PDOM | FACT_LIVE, &cx)) {
		const struct kernel *k = m->kernel[0];
		struct device *dev = device_new(&d);
		uint64_t param[2] = { device_alloc(dev, "out", out_bytes), device_alloc(dev, "in", in_bytes) };
		struct launch l = {
			.m = m, .k = k, .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .params = param, .param_bytes = 16
		};
		struct engine_options opt = { .controls = k->native != NULL };
		struct engine *e = NULL;

		if (device_load(dev, m)) {
			memcpy(device_ptr(dev, param[1], in_bytes), in, in_bytes);
			e = engine_new(dev, &l, &opt, &d);
		}
		ok = e && engine_run(e);
		engine_free(e);
		memcpy(out, device_ptr(dev, param[0], out_bytes), out_bytes);
		for (uint32_t i = 0; ok && covered && i < k->ninsn; i++)
			covered[k->insn[i].op] = true;
		device_free(dev);
	}
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return ok;
}
