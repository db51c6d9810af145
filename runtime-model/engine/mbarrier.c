/* Operations on mbarrier objects (mbarrier.h has the layout), lane after lane. Every operation is done when it is
 * issued, and try_wait answers at once: a warp that spins on it uses up its visit, and the others go on. */
#include "runtime-model/engine/core.h"
#include "runtime-model/engine/mbarrier.h"

#include <string.h>

struct object {
	uint32_t pending, expected;
	int32_t tx;
	bool parity;
};

struct at {
	struct engine *e;
	struct cta *c;
	const struct warp *w;
	uint32_t insn;
	unsigned lane;
};

enum { VALID_BIT = 62, PARITY_BIT = 63, TX_MAX = 0xfffff };

static bool unpack(const struct at *a, uint64_t v, struct object *o)
{
	*o = (struct object){
		.pending = v & MBARRIER_COUNT_MAX,
		.expected = v >> 20 & MBARRIER_COUNT_MAX,
		.tx = (int32_t)((uint32_t)(v >> 40) << 10) >> 10,
		.parity = v >> PARITY_BIT,
	};
	return v >> VALID_BIT & 1 ? true
				  : fault_in(a->e, FAULT_ILLEGAL, a->c, a->w, a->insn, a->lane,
					     "no mbarrier object is at this address");
}

static uint64_t pack(const struct object *o)
{
	return o->pending | (uint64_t)o->expected << 20 | (uint64_t)((uint32_t)o->tx & 0x3fffff) << 40 |
	       (uint64_t)1 << VALID_BIT | (uint64_t)o->parity << PARITY_BIT;
}

static void complete(struct object *o)
{
	if (o->pending || o->tx)
		return;
	o->parity = !o->parity;
	o->pending = o->expected;
}

static bool expect(const struct at *a, struct object *o, int64_t bytes)
{
	if (o->tx + bytes > TX_MAX || o->tx + bytes < -TX_MAX)
		return fault_in(a->e, FAULT_ILLEGAL, a->c, a->w, a->insn, a->lane,
				"the mbarrier object cannot count %lld bytes more", (long long)bytes);
	o->tx += (int32_t)bytes;
	return true;
}

static bool arrive(const struct at *a, struct object *o, uint32_t count, bool drop, bool may_complete)
{
	if (!count || count > o->pending)
		return fault_in(a->e, FAULT_ILLEGAL, a->c, a->w, a->insn, a->lane,
				"%u arrivals at an mbarrier object that waits for %u", count, o->pending);
	o->pending -= count;
	if (drop)
		o->expected -= count < o->expected ? count : o->expected;
	if (!may_complete && !o->pending && !o->tx)
		return fault_in(a->e, FAULT_ILLEGAL, a->c, a->w, a->insn, a->lane,
				"a .noComplete arrival completes the phase");
	complete(o);
	return true;
}

bool mbarrier_complete_tx(struct engine *e, struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
			  unsigned char *mem, uint32_t bytes)
{
	struct at a = { e, c, w, insn, lane };
	struct object o;
	uint64_t v;

	memcpy(&v, mem, sizeof v);
	if (!unpack(&a, v, &o) || !expect(&a, &o, -(int64_t)bytes))
		return false;
	if (e->sanitizing)
		race_release(e, c, &c->warp[w->index]);
	complete(&o);
	v = pack(&o);
	memcpy(mem, &v, sizeof v);
	return true;
}

/* One lane; *result: a state, or whether the phase is over. */
static bool operate(const struct at *a, enum op op, unsigned char *mem, uint64_t operand, uint64_t *result)
{
	struct object o = { 0 };
	uint32_t n = (uint32_t)operand;
	uint64_t v;
	bool ok = true;

	memcpy(&v, mem, sizeof v);
	*result = v;
	if (op == OP_MBARRIER_INIT) {
		if (!n || n > MBARRIER_COUNT_MAX)
			return fault_in(a->e, FAULT_ILLEGAL, a->c, a->w, a->insn, a->lane,
					"an mbarrier object counts 1 to %u arrivals, not %u", MBARRIER_COUNT_MAX, n);
		o.pending = o.expected = n;
	} else if (!unpack(a, v, &o)) {
		return false;
	}
	if (op == OP_MBARRIER_EXPECT_TX || op == OP_MBARRIER_ARRIVE_EXPECT_TX || op == OP_MBARRIER_DROP_EXPECT_TX) {
		ok = expect(a, &o, n);
		n = 1;
	}
	if (op == OP_MBARRIER_COMPLETE_TX) {
		ok = expect(a, &o, -(int64_t)n);
		complete(&o);
	} else if (op == OP_MBARRIER_ARRIVE || op == OP_MBARRIER_ARRIVE_EXPECT_TX || op == OP_CP_ASYNC_ARRIVE_NOINC) {
		ok = ok && arrive(a, &o, n, false, true);
	} else if (op == OP_MBARRIER_ARRIVE_NOCOMPLETE) {
		ok = arrive(a, &o, n, false, false);
	} else if (op == OP_MBARRIER_DROP || op == OP_MBARRIER_DROP_EXPECT_TX || op == OP_MBARRIER_DROP_NOCOMPLETE) {
		ok = ok && arrive(a, &o, n, true, op != OP_MBARRIER_DROP_NOCOMPLETE);
	} else if (op == OP_MBARRIER_WAIT) {
		*result = (operand >> PARITY_BIT) != o.parity;
		return true;
	} else if (op == OP_MBARRIER_WAIT_PARITY) {
		*result = (n & 1) != o.parity;
		return true;
	} else if (op == OP_CP_ASYNC_ARRIVE) { /* one arrival more, and it has come: all copies before it are made */
		return true;
	}
	v = op == OP_MBARRIER_INVAL ? 0 : pack(&o);
	memcpy(mem, &v, sizeof v);
	return ok;
}

bool mbarrier_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		      uint32_t global, unsigned char *const mem[WARP_LANES])
{
	enum op op = (enum op)e->prog.mem[x->target].mbarrier;
	struct at a = { e, c, w, insn_of(e, x), 0 };
	const uint32_t *src = (x->src[1] < 0 ? e->prog.konst : w->reg) + (x->src[1] & INT32_MAX);
	bool wait = op == OP_MBARRIER_WAIT || op == OP_MBARRIER_WAIT_PARITY;

	if (global)
		return fault_in(e, FAULT_ILLEGAL, c, w, a.insn, (unsigned)__builtin_ctz(global),
				"an mbarrier object is in shared memory");
	EACH_ACTIVE(l, exec)
	{
		uint64_t operand = op == OP_MBARRIER_WAIT ? (uint64_t)src[l + WARP_LANES] << 32 | src[l] : src[l],
			 result;

		a.lane = l;
		if (!operate(&a, op, mem[l], operand, &result))
			return false;
		if (wait) {
			w->pred[x->dst[0]] = (w->pred[x->dst[0]] & ~(1u << l)) | (uint32_t)result << l;
		} else {
			w->reg[x->dst[0] + l] = (uint32_t)result;
			w->reg[x->dst[0] + l + WARP_LANES] = (uint32_t)(result >> 32);
		}
	}
	return true;
}
