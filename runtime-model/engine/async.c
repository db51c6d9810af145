/* cp.async and cp.async.bulk, made where they are issued. The ISA says when such a copy is seen at the latest (the
 * wait, or the phase of the mbarrier object), not at the earliest, and a program may not touch source or destination in
 * between; so this is one of its executions, and waiting for it is nothing. Bulk copies go past the load-store unit:
 * their records have no lines. */
#include "runtime-model/engine/core.h"
#include "runtime-model/engine/lane_int.h"
#include "runtime-model/engine/native.h"

#include <string.h>

enum { BULK_ALIGN = 16 };

struct copy {
	struct engine *e;
	struct cta *c;
	struct warp *w;
	uint32_t insn;
	unsigned lane;
};

static const uint32_t *operand(const struct engine *e, const struct warp *w, const struct xinsn *x, unsigned s)
{
	return (x->src[s] < 0 ? e->prog.konst : w->reg) + (x->src[s] & INT32_MAX);
}

static uint64_t pair(const uint32_t *p, unsigned l) { return (uint64_t)p[l + WARP_LANES] << 32 | p[l]; }

/* Of the own CTA or, in a cluster, of another. */
static unsigned char *in_shared(const struct copy *x, uint32_t addr, uint32_t bytes, unsigned align)
{
	uint64_t at = addr;
	unsigned char *mem = cluster_shared(x->e, x->c, &at);

	if (mem && at % align == 0 && bytes <= x->e->shared_bytes && at <= x->e->shared_bytes - bytes)
		return mem + at;
	mem = x->e->sanitizing ? sanitize_outside(x->e, x->c, x->w, x->insn, x->lane, SP_SHARED, addr, align, bytes)
			       : NULL;
	if (mem)
		return mem;
	fault_address(x->e, x->c, x->w, x->insn, x->lane, SP_SHARED, addr, align);
	return NULL;
}

static unsigned char *in_global(const struct copy *x, uint64_t at, uint32_t bytes, unsigned align, bool write)
{
	return memory_global(x->e, x->c, x->w, x->insn, x->lane, at, bytes, align, write);
}

/* cp.async: sources in w's registers: destination, source, bytes to write, bytes to read; the rest is zeros. */
static bool copy(struct copy *y, const struct xinsn *x, uint32_t exec)
{
	struct engine *e = y->e;
	const uint32_t *dst = operand(e, y->w, x, 0), *src = operand(e, y->w, x, 1), *left = operand(e, y->w, x, 3);
	uint32_t bytes = operand(e, y->w, x, 2)[__builtin_ctz(exec)], reads = 0;
	uint64_t from[WARP_LANES], to[WARP_LANES];

	EACH_ACTIVE(l, exec)
	{
		unsigned char *put, *get = NULL;

		y->lane = l;
		from[l] = pair(src, l);
		to[l] = dst[l];
		if (left[l] > bytes)
			return fault_in(e, FAULT_ILLEGAL, y->c, y->w, y->insn, l, "%u bytes to read for %u to write",
					left[l], bytes);
		put = in_shared(y, dst[l], bytes, bytes);
		if (!put || (left[l] && !(get = in_global(y, from[l], left[l], bytes, false))))
			return false;
		if (e->sanitizing)
			sanitize_span(e, y->c, y->w, y->insn, l, SP_SHARED, dst[l], bytes, true);
		if (left[l])
			memcpy(put, get, left[l]);
		memset(put + left[l], 0, bytes - left[l]);
		if (y->w->controls && e->k->native)
			controls_copy(e, y->w, y->insn, l, dst[l], bytes);
		reads |= (uint32_t)(left[l] != 0) << l;
	}
	if (e->recording) {
		e->nline = reads ? coalesce_lines(from, reads, bytes, e->line) : 0;
		e->line[e->nline++] =
			memory_pass_word(SP_SHARED, to[__builtin_ctz(exec)], shared_passes(to, exec, bytes, false));
	}
	return true;
}

static bool bulk_size_ok(const struct copy *y, uint32_t bytes)
{
	return bytes % BULK_ALIGN == 0
		       ? true
		       : fault_in(y->e, FAULT_ILLEGAL, y->c, y->w, y->insn, y->lane,
				  "a bulk copy of %u bytes, which is not a multiple of %d", bytes, BULK_ALIGN);
}

/* To the same place in each CTA of a mask, whose mbarrier object at the same place counts the bytes. */
static bool multicast(struct copy *y, const unsigned char *from, uint32_t to, uint32_t bytes, uint64_t object_and_ctas)
{
	const uint32_t object = (uint32_t)object_and_ctas, ctas = (uint32_t)(object_and_ctas >> 32) & 0xffff;

	EACH_ACTIVE(rank, ctas)
	{
		const uint32_t own = (uint32_t)(y->c->index % y->e->cluster_ctas);
		unsigned char *at = in_shared(y, mapa(to, rank, own), bytes, BULK_ALIGN), *count;

		if (!at)
			return false;
		memmove(at, from, bytes);
		if (y->e->sanitizing)
			sanitize_span(y->e, y->c, y->w, y->insn, y->lane, SP_SHARED, mapa(to, rank, own), bytes, true);
		count = in_shared(y, mapa(object, rank, own), 8, 8);
		if (!count || !mbarrier_complete_tx(y->e, y->c, y->w, y->insn, y->lane, count, bytes))
			return false;
	}
	return true;
}

bool async_copy(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	struct copy y = { e, c, w, insn_of(e, x), 0 };
	const uint32_t *a = operand(e, w, x, 0), *b = operand(e, w, x, 1), *size = operand(e, w, x, 2);

	if (x->target == OP_CP_ASYNC)
		return copy(&y, x, exec);
	EACH_ACTIVE(l, exec)
	{
		unsigned char *to, *from, *object;
		bool store = x->target == OP_CP_BULK_STORE;

		y.lane = l;
		if (!bulk_size_ok(&y, size[l]))
			return false;
		if (x->target == OP_CP_BULK_MULTICAST) {
			from = in_global(&y, pair(b, l), size[l], BULK_ALIGN, false);
			if (!from || !multicast(&y, from, a[l], size[l], pair(operand(e, w, x, 3), l)))
				return false;
			continue;
		}
		to = store ? in_global(&y, pair(a, l), size[l], BULK_ALIGN, true)
			   : in_shared(&y, a[l], size[l], BULK_ALIGN);
		if (!to)
			from = NULL;
		else
			from = x->target == OP_CP_BULK_LOAD ? in_global(&y, pair(b, l), size[l], BULK_ALIGN, false)
							    : in_shared(&y, b[l], size[l], BULK_ALIGN);
		if (!from)
			return false;
		memmove(to, from, size[l]);
		if (e->sanitizing && x->target != OP_CP_BULK_LOAD)
			sanitize_span(e, c, w, y.insn, l, SP_SHARED, b[l], size[l], false);
		if (e->sanitizing && !store)
			sanitize_span(e, c, w, y.insn, l, SP_SHARED, a[l], size[l], true);
		if (store)
			continue;
		object = in_shared(&y, operand(e, w, x, 3)[l], 8, 8);
		if (!object || !mbarrier_complete_tx(e, c, w, y.insn, l, object, size[l]))
			return false;
	}
	return true;
}
