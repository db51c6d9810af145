/* What went wrong in a running kernel, said so that the line of the program, the thread and the memory can be found. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/engine/core.h"

#include <stdio.h>
#include <string.h>

/* warps whose place a report tells */
enum { SHOWN = 4 };
/* addresses that are a null pointer's; further from any allocation: not meant for it */
enum { NULL_BYTES = 4096, FAR_BYTES = 1 << 20 };

/* The position of an instruction, as precisely as the module tells it: in *at if the PTX text is at hand, else as
 * text. */
static const char *position(struct engine *e, uint32_t insn, struct loc *at)
{
	const struct insn *i = &e->k->insn[insn];
	const struct module *m = e->k->m;
	const struct srcline *line = i->line && i->line < m->nline ? &m->line[i->line] : NULL;

	*at = (struct loc){ 0 };
	if (m->src)
		*at = (struct loc){ m->src, i->where };
	else if (line && line->line && line->file < m->nfile)
		return arena_printf(&e->a, "%s:%u%s", m->file[line->file], line->line,
				    line->col ? arena_printf(&e->a, ":%u", line->col) : "");
	else if (*ir_where(&e->a, e->k, i))
		return ir_where(&e->a, e->k, i);
	return e->k->name;
}

const char *fault_line(const struct engine *e, uint32_t insn, struct arena *a)
{
	const char *where = ir_source(a, e->k, &e->k->insn[insn]);

	return *where ? arena_printf(a, " (%s)", loc_base_name(where)) : "";
}

static bool report(struct engine *e, uint32_t insn, const char *text)
{
	struct loc at;
	const char *name = position(e, insn, &at);

	if (at.src)
		diag_error(e->d, at, "%s", text);
	else
		diag_error_plain(e->d, name, "%s", text);
	return false;
}

const struct launch_fault *engine_fault(const struct engine *e) { return &e->fault; }

/* The first one counts. */
static bool first(struct engine *e) { return !atomic_exchange(&e->failed, true); }

static void note(struct engine *e, enum fault_kind kind, uint32_t insn, const char *text)
{
	e->fault.kind = kind;
	e->fault.text = text;
	e->fault.kernel = e->k->name;
	e->fault.insn = insn;
	e->fault.insn_text = ir_print_insn(&e->a, e->k, &e->k->insn[insn]);
	e->fault.source = ir_source(&e->a, e->k, &e->k->insn[insn]);
}

static void note_thread(struct engine *e, const struct cta *c, const struct warp *w, unsigned lane)
{
	uint32_t x = e->l.block[0], y = e->l.block[1];

	e->fault.has_cta = c != NULL;
	e->fault.has_thread = w && lane < WARP_LANES;
	if (c)
		memcpy(e->fault.cta, c->id, sizeof e->fault.cta);
	if (w) {
		uint32_t t = w->index * WARP_LANES + lane;

		e->fault.warp = w->index;
		e->fault.lane = lane;
		memcpy(e->fault.thread, (uint32_t[3]){ t % x, t / x % y, t / x / y }, sizeof e->fault.thread);
	}
}

bool fault_report(struct engine *e, enum fault_kind kind, uint32_t insn, const char *text)
{
	if (!first(e))
		return false;
	note(e, kind, insn, text);
	return report(e, insn, text);
}

static const char *thread_text(struct engine *e, const struct cta *c, const struct warp *w, unsigned lane)
{
	const uint32_t *t = e->fault.thread;

	if (lane >= WARP_LANES)
		return arena_printf(&e->a, " in CTA (%u,%u,%u), warp %u", c->id[0], c->id[1], c->id[2], w->index);
	return arena_printf(&e->a, " in CTA (%u,%u,%u), thread (%u,%u,%u), lane %u of warp %u", c->id[0], c->id[1],
			    c->id[2], t[0], t[1], t[2], lane, w->index);
}

static void tell(struct engine *e, enum fault_kind kind, const struct cta *c, const struct warp *w, uint32_t insn,
		 unsigned lane, const char *what)
{
	note_thread(e, c, w, lane);
	note(e, kind, insn, NULL);
	e->fault.text = arena_printf(&e->a, "kernel %s: %s: %s%s", kernel_name(e->k->name, &e->a), e->fault.insn_text,
				     what, c ? thread_text(e, c, w, lane) : "");
}

static void take(struct engine *e, struct launch_fault *out)
{
	*out = e->fault;
	e->fault = (struct launch_fault){ .kind = FAULT_NONE };
}

void fault_describe(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
		    const char *what, struct launch_fault *out)
{
	tell(e, FAULT_NONE, c, w, insn, lane, what);
	take(e, out);
}

bool fault_in(struct engine *e, enum fault_kind kind, const struct cta *c, const struct warp *w, uint32_t insn,
	      unsigned lane, const char *fmt, ...)
{
	va_list ap;
	char *what;

	if (!first(e))
		return false;
	va_start(ap, fmt);
	what = arena_vprintf(&e->a, fmt, ap);
	va_end(ap);
	tell(e, kind, c, w, insn, lane, what);
	return report(e, insn, e->fault.text);
}

/* What is wrong with an address in the range of malloc's heap. */
static enum fault_kind heap_fault(struct engine *e, uint64_t addr, unsigned bytes, const char **what)
{
	const struct heap_block b = heap_about(e->dev, addr);
	const unsigned long long at = addr, over = addr - b.addr - b.bytes;

	e->fault.heap = b.is != HEAP_NEVER;
	if (b.is == HEAP_BEHIND && addr < b.addr + b.bytes)
		*what = arena_printf(&e->a,
				     "%u bytes at 0x%llx go over the end of the %llu bytes that malloc gave at 0x%llx",
				     bytes, at, (unsigned long long)b.bytes, (unsigned long long)b.addr);
	else if (b.is == HEAP_BEHIND)
		*what = arena_printf(
			&e->a,
			"%u bytes at 0x%llx are outside memory, %llu bytes behind the %llu that malloc gave at 0x%llx",
			bytes, at, over, (unsigned long long)b.bytes, (unsigned long long)b.addr);
	else
		*what = arena_printf(
			&e->a,
			b.is == HEAP_FREED
				? "%u bytes at 0x%llx are in memory of the heap that was freed"
				: "%u bytes at 0x%llx are outside memory, in the heap, where malloc gave nothing",
			bytes, at);
	return b.is == HEAP_FREED ? FAULT_FREED : FAULT_BOUNDS;
}

/* What is wrong with an address of global memory. */
static enum fault_kind global_fault(struct engine *e, uint64_t addr, unsigned bytes, const char **what)
{
	const struct device *dev = e->dev;
	const struct freed *f = device_around(dev, addr, 1) ? NULL : device_freed(dev, addr);
	uint32_t i = device_nearest(dev, addr);
	const struct allocation *al = i == UINT32_MAX ? NULL : &dev->alloc[i];
	unsigned long long at = addr;
	const bool inside = al && addr >= al->addr && addr - al->addr < al->bytes;
	const enum granule state =
		inside && al->granule
			? allocation_forbids(
				  al, addr,
				  bytes < al->bytes - (addr - al->addr) ? bytes : al->bytes - (addr - al->addr), true)
			: GRANULE_OPEN;
	const char *side;
	uint64_t away = UINT64_MAX;

	if (al)
		away = addr < al->addr ? al->addr - addr : addr - al->addr - al->bytes;

	if (state != GRANULE_OPEN) {
		const char *closed = state == GRANULE_CLOSED ? "where memory is mapped that nobody may access"
							     : "where memory is mapped that may be read, not written";

		*what = arena_printf(&e->a, "%u bytes at 0x%llx are %llu bytes into %s (%llu bytes at 0x%llx), %s",
				     bytes, at, (unsigned long long)(addr - al->addr), al->name,
				     (unsigned long long)al->bytes, (unsigned long long)al->addr,
				     state == GRANULE_NONE ? "where nothing is mapped" : closed);
		return state == GRANULE_NONE ? FAULT_UNMAPPED : FAULT_ACCESS;
	}
	if (f) {
		*what = arena_printf(&e->a,
				     "%u bytes at 0x%llx are in freed memory, %llu bytes into %s (%llu bytes at "
				     "0x%llx), which was freed",
				     bytes, at, (unsigned long long)(addr - f->addr), f->name,
				     (unsigned long long)f->bytes, (unsigned long long)f->addr);
		return FAULT_FREED;
	}
	if (inside && al->heap)
		return heap_fault(e, addr, bytes, what);
	if (addr < NULL_BYTES) {
		*what = arena_printf(&e->a, "null pointer: address 0x%llx", at);
		return FAULT_BOUNDS;
	}
	if (dev->placed && (addr < dev->base || addr >= dev->limit) && away > FAR_BYTES) {
		*what = arena_printf(&e->a, "address 0x%llx is not the device's: a pointer to memory of the host", at);
		return FAULT_HOST;
	}
	if (!al) {
		*what = arena_printf(&e->a, "address 0x%llx is outside memory: nothing is allocated", at);
		return FAULT_BOUNDS;
	}
	side = addr >= al->addr + al->bytes ? "after the start of" : "into";
	*what = arena_printf(&e->a, "%u bytes at 0x%llx are outside memory, %llu bytes %s %s (%llu bytes at 0x%llx)",
			     bytes, at, (unsigned long long)(addr < al->addr ? al->addr - addr : addr - al->addr),
			     addr < al->addr ? "before" : side, al->name, (unsigned long long)al->bytes,
			     (unsigned long long)al->addr);
	return FAULT_BOUNDS;
}

/* What is wrong with an address of the shared memory of other CTAs. */
static enum fault_kind cluster_fault(struct engine *e, const struct cta *c, uint64_t addr, unsigned bytes,
				     const char **what)
{
	uint32_t rank;
	const struct cta *peer = cluster_peer(e, c, addr, &rank);

	if (peer) {
		*what = arena_printf(&e->a,
				     "%u bytes at offset 0x%llx are outside the %u bytes of shared memory of CTA "
				     "(%u,%u,%u), rank %u of the cluster",
				     bytes, (unsigned long long)((addr - CLUSTER_OFFSET) % CLUSTER_BYTES),
				     e->shared_bytes, peer->id[0], peer->id[1], peer->id[2], rank);
		return FAULT_BOUNDS;
	}
	*what = rank < e->cluster_ctas
			? arena_printf(&e->a, "shared memory of a CTA that has exited, rank %u of the cluster", rank)
			: arena_printf(&e->a, "shared memory of rank %u, and the cluster has %u CTAs", rank,
				       e->cluster_ctas);
	return FAULT_CLUSTER;
}

static void tell_address(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
			 enum space s, uint64_t addr, unsigned bytes)
{
	unsigned long long at = addr;
	uint64_t size = e->mod->bank3_bytes;
	const char *name = "constant", *what;
	enum fault_kind kind = FAULT_BOUNDS;

	e->fault.has_address = true;
	e->fault.space = s;
	e->fault.address = addr;
	e->fault.bytes = bytes;
	if (s == SP_SHARED) {
		size = e->shared_bytes;
		name = "shared";
	} else if (s == SP_LOCAL) {
		size = e->local_bytes;
		name = "local";
	} else if (s == SP_PARAM) {
		size = e->bank0_bytes;
		name = "parameter";
	}
	if (addr % bytes) {
		kind = FAULT_MISALIGNED;
		what = arena_printf(&e->a, "address 0x%llx is not a multiple of %u bytes", at, bytes);
	} else if (s == SP_GLOBAL || s == SP_GENERIC) {
		kind = global_fault(e, addr, bytes, &what);
	} else if (s == SP_SHARED && addr >= CLUSTER_OFFSET && e->cluster_ctas > 1) {
		kind = cluster_fault(e, c, addr, bytes, &what);
	} else if (s == SP_LOCAL && e->k->res.stack) {
		kind = FAULT_STACK;
		what = arena_printf(
			&e->a,
			"stack overflow: %u bytes at offset 0x%llx are outside local memory, %u bytes of variables "
			"and %u of stack (%s)",
			bytes, at, e->stack_at, e->local_bytes - e->stack_at,
			e->l.stack_by ? e->l.stack_by : "the launch file's stack_bytes");
	} else {
		what = arena_printf(&e->a, "%u bytes at offset 0x%llx are outside the %llu bytes of %s memory", bytes,
				    at, (unsigned long long)size, name);
	}
	tell(e, kind, c, w, insn, lane, what);
}

bool fault_address(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
		   enum space s, uint64_t addr, unsigned bytes)
{
	if (!first(e))
		return false;
	tell_address(e, c, w, insn, lane, s, addr, bytes);
	return report(e, insn, e->fault.text);
}

void fault_describe_address(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
			    enum space s, uint64_t addr, unsigned bytes, struct launch_fault *out)
{
	tell_address(e, c, w, insn, lane, s, addr, bytes);
	take(e, out);
}

const char *fault_insn(const struct engine *e, uint32_t insn, struct arena *a)
{
	return arena_printf(a, "instruction %u, %s%s", insn, ir_print_insn(a, e->k, &e->k->insn[insn]),
			    fault_line(e, insn, a));
}

const char *fault_waiting(const struct engine *e, const struct cta *c, const struct warp *w, struct arena *a)
{
	const struct barrier *b = &c->barrier[w->barrier];
	uint32_t want = b->threads ? b->threads / WARP_LANES : c->live;

	if (w->barrier == CLUSTER_BARRIER)
		return arena_printf(a, "warp %u waits for the cluster's barrier at %s", w->index,
				    fault_insn(e, w->waits_at, a));
	return arena_printf(a, "warp %u waits for barrier %u, where %u of %u warps have arrived%s, at %s", w->index,
			    w->barrier, b->warps, want,
			    want > c->live ? arena_printf(a, " and only %u live", c->live) : "",
			    fault_insn(e, w->waits_at, a));
}

static const char *where(const struct engine *e, struct arena *a)
{
	const struct cta *c = NULL;
	const char *text = "";
	unsigned shown = 0;

	for (unsigned s = 0; s < e->window; s++)
		if (e->cta[s].index != UINT64_MAX && (!c || e->cta[s].index < c->index))
			c = &e->cta[s];
	if (!c)
		return "";
	for (unsigned n = 0; n < e->warps; n++) {
		const struct warp *w = &c->warp[n];
		bool waits = w->state == WARP_BARRIER;
		uint32_t at = waits ? w->waits_at : w->top.pc;

		if (w->state != WARP_DONE && shown++ < SHOWN)
			text = arena_printf(a, "%s\n  CTA (%u,%u,%u) warp %u %s %s", text, c->id[0], c->id[1], c->id[2],
					    n, waits ? "waits at" : "is at", fault_insn(e, at, a));
	}
	return shown > SHOWN ? arena_printf(a, "%s\n  and %u more warps of it", text, shown - SHOWN) : text;
}

void engine_describe(const struct engine *e, struct stopped *out)
{
	struct arena a;

	*out = (struct stopped){ .why = e->stopped, .ctas_done = e->done_ctas, .ctas = e->ctas };
	arena_init(&a);
	snprintf(out->where, sizeof out->where, "%s", where(e, &a));
	arena_free(&a);
}

/* No warp of the CTA can run: each that has not exited waits at a barrier that is not complete. */
bool fault_deadlock(struct engine *e, const struct cta *c)
{
	struct arena *a = &e->a;
	uint32_t insn = UINT32_MAX;
	unsigned shown = 0;
	const char *text = arena_printf(a, "kernel %s: deadlock in CTA (%u,%u,%u): none of its %u live warps can run%s",
					kernel_name(e->k->name, a), c->id[0], c->id[1], c->id[2], c->live,
					e->cluster_ctas > 1 ? ", whatever other CTAs of its cluster do" : "");

	for (unsigned w = 0; w < e->warps; w++) {
		const struct warp *wp = &c->warp[w];

		if (wp->state != WARP_BARRIER)
			continue;
		if (insn == UINT32_MAX)
			insn = wp->waits_at;
		if (shown++ < SHOWN)
			text = arena_printf(a, "%s\n  %s", text, fault_waiting(e, c, wp, a));
	}
	if (shown > SHOWN)
		text = arena_printf(a, "%s\n  and %u more", text, shown - SHOWN);
	note_thread(e, c, NULL, WARP_LANES);
	return fault_report(e, FAULT_DEADLOCK, insn, text);
}
