/* What kernels asked the device's runtime for (engine/device_runtime.c), done when their grid has ended, in the order
 * in which they asked, each launch with all that it asks for in turn; a grid's tail launches last. */
#include "runtime-model/cuda/core/internal.h"

#include <string.h>

struct waiting {
	struct device_request r;
	const struct cu_function *by;
};

struct children {
	struct arena a;
	struct waiting *stack; /* the next is on top */
	uint32_t n, cap;
};

/* The last goes first, below what does not wait for the tail. */
static void push(struct children *c, const struct device_request *r, uint32_t n, bool tail,
		 const struct cu_function *by)
{
	while (n--)
		if (r[n].tail == tail) {
			arena_grow(&c->a, c->stack, c->n, c->cap);
			c->stack[c->n++] = (struct waiting){ r[n], by };
		}
}

static void take(struct children *c, const struct cu_function *by)
{
	uint32_t n;
	const struct device_request *r = device_requests(process.dev, &n, &c->a);

	push(c, r, n, true, by);
	push(c, r, n, false, by);
}

/* Of the parent's module, else of any. */
static struct cu_function *find(const struct cu_function *by, uint64_t kernel)
{
	struct cu_function *f = module_kernel(by->module, kernel);

	for (struct cu_module *m = process.module; m && !f; m = m->next)
		f = module_kernel(m, kernel);
	return f;
}

/* On the stream of the launch that the host made. */
static enum cu_status launch_child(const struct waiting *w, const struct cu_launch *from, struct cu_stream *s,
				   struct arena *a)
{
	const struct device_request *r = &w->r;
	struct cu_launch l = { .f = find(w->by, r->kernel), .dynamic_shared = r->shared, .stream = from->stream };
	unsigned char *param;

	if (!l.f) {
		explain(REASON_LAUNCH, "kernel %s launches what is no kernel: 0x%llx", w->by->name,
			(unsigned long long)r->kernel);
		return CU_INVALID_DEVICE_FUNCTION;
	}
	memcpy(l.grid, r->grid, sizeof l.grid);
	memcpy(l.block, r->block, sizeof l.block);
	l.param_bytes = PARAM_MAX_BYTES;
	l.param_block = param = arena_alloc(a, PARAM_MAX_BYTES, 16);
	memcpy(param, r->param, r->param_bytes);
	return launch_function(&l, s);
}

static enum cu_status move(const struct device_request *r, struct cu_stream *s)
{
	const enum cu_status why = r->kind == REQUEST_COPY ? memory_copy(r->to, r->from, r->bytes, s)
							   : memory_set(r->to, (uint8_t)r->from, r->bytes, s);

	if (why)
		explain(REASON_COPY, "a kernel asked for %llu bytes at 0x%llx to be %s, which they cannot be",
			(unsigned long long)r->bytes, (unsigned long long)r->to,
			r->kind == REQUEST_COPY ? "copied to" : "set");
	return why ? CU_ILLEGAL_ADDRESS : CU_OK;
}

void launch_children(const struct cu_launch *from, struct cu_stream *s)
{
	struct children c = { 0 };
	enum cu_status st = CU_OK;

	for (take(&c, from->f); c.n && !st && !process.sticky;) {
		const struct waiting w = c.stack[--c.n];
		struct arena a = { 0 };

		if (w.r.kind == REQUEST_LAUNCH) {
			st = launch_child(&w, from, s, &a);
			if (!st)
				take(&c, find(w.by, w.r.kernel));
		} else if (w.r.kind == REQUEST_CONDITION) {
			condition_set(w.r.to, (uint32_t)w.r.from);
		} else {
			st = move(&w.r, s);
		}
		arena_free(&a);
	}
	if (st && !process.sticky) /* as what fails on the device is said by later calls */
		process.sticky = st;
	arena_free(&c.a);
}
