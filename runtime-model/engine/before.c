#include "runtime-model/engine/before.h"

#include <string.h>

void before_addresses(const struct engine *e, const struct warp *w, const struct xinsn *x, uint32_t exec,
		      uint64_t at[WARP_LANES])
{
	const struct xmem *m = &e->prog.mem[x->target];
	struct addr_facts f;

	e->lanes->addr((m->address < 0 ? e->prog.konst : w->reg) + (m->address & INT32_MAX), m->wide, m->offset, exec,
		       m->total, at, &f);
}

void before_save(const struct engine *e, const struct cta *c, const struct warp *w, const struct xinsn *x,
		 uint32_t exec, struct before *b)
{
	const struct xmem *m = &e->prog.mem[x->target];
	uint64_t at[WARP_LANES];

	b->n = b->used = 0;
	before_addresses(e, w, x, exec, at);
	EACH_ACTIVE(l, exec)
	for (unsigned o = 0, n; o < m->total && o < BEFORE_LANE_BYTES; o += n) {
		unsigned char *p = memory_byte(e, c, w, m->space, l, at[l] + o, &n);

		if (!p)
			break;
		n = n < m->total - o ? n : m->total - o;
		memcpy(b->old + b->used, p, n);
		b->at[b->n] = p;
		b->bytes[b->n++] = n;
		b->used += n;
	}
}

bool before_differs(const struct before *b)
{
	const unsigned char *old = b->old;

	for (unsigned i = 0; i < b->n; old += b->bytes[i++])
		if (memcmp(b->at[i], old, b->bytes[i]) != 0)
			return true;
	return false;
}
