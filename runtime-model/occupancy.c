#include "runtime-model/occupancy.h"

enum { BLOCK_MAX = 1024 };              /* PTX ISA, .maxntid */

static unsigned warps_of(unsigned threads)
{
	return (threads + 31) / 32;
}

const char *occupancy_limit_name(enum occupancy_limit why)
{
	static const char *const name[LIMIT_COUNT] = {
		[LIMIT_CTAS] = "CTA slots", [LIMIT_THREADS] = "threads", [LIMIT_REGISTERS] = "registers",
		[LIMIT_SHARED] = "shared memory",
	};

	return name[why];
}

struct occupancy occupancy_of(const struct occupancy_query *q)
{
	const struct params *p = q->params;
	unsigned warps = warps_of(q->threads);
	struct occupancy o = { .why = LIMIT_CTAS, .warp_slots = params_warps(p), .by = {
		[LIMIT_CTAS] = p->ctas_per_sm,
		[LIMIT_THREADS] = params_warps(p) / warps,
		[LIMIT_REGISTERS] = q->rf->residency->max_ctas(p, q->kernel, warps),
		[LIMIT_SHARED] = q->shared_bytes ? p->shared_bytes / q->shared_bytes : OCCUPANCY_ANY,
	} };

	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		if (o.by[i] < o.by[o.why])
			o.why = (enum occupancy_limit)i;
	o.ctas = o.by[o.why];
	o.warps = o.ctas * warps;
	return o;
}

/* The largest value of one resource of a CTA, at most `now`, with which that resource admits so many CTAs; 0: none. */
static uint32_t most(const struct occupancy_query *q, enum occupancy_limit what, uint32_t now, unsigned ctas)
{
	struct kernel k = *q->kernel;
	struct occupancy_query try = *q;
	uint32_t low = 0, high = now + 1;

	try.kernel = &k;
	while (high - low > 1) {        /* low is small enough, high is not */
		uint32_t mid = low + (high - low) / 2;

		if (what == LIMIT_REGISTERS)
			k.res.regs = mid;
		else if (what == LIMIT_THREADS)
			try.threads = mid;
		else
			try.shared_bytes = mid;
		if (occupancy_of(&try).by[what] >= ctas)
			low = mid;
		else
			high = mid;
	}
	return low;
}

struct occupancy_gain occupancy_gain(const struct occupancy_query *q)
{
	struct occupancy now = occupancy_of(q);
	struct occupancy_gain g = {
		.possible = now.by[LIMIT_CTAS] > now.ctas,
		.regs = most(q, LIMIT_REGISTERS, q->kernel->res.regs, now.ctas + 1),
		.threads = most(q, LIMIT_THREADS, q->threads, now.ctas + 1),
		.shared_bytes = q->shared_bytes ? most(q, LIMIT_SHARED, q->shared_bytes, now.ctas + 1) : 0,
	};

	for (unsigned i = LIMIT_THREADS; i < LIMIT_COUNT; i++)
		g.change |= (now.by[i] == now.ctas) << i;
	g.possible &= (g.regs || q->kernel->res.regs == 0) && g.threads;
	return g;
}

unsigned occupancy_best_block(const struct occupancy_query *q)
{
	const struct kernel *k = q->kernel;
	uint64_t allowed = BLOCK_MAX;
	unsigned best = q->threads, warps = occupancy_of(q).warps;

	if (k->reqntid[0])
		return q->threads;
	for (unsigned i = 0; k->maxntid[0] && i < 3; i++)
		allowed = (i ? allowed : 1) * (k->maxntid[i] ? k->maxntid[i] : 1);
	for (unsigned t = 32; t <= allowed && t <= BLOCK_MAX; t += 32) {
		struct occupancy_query try = *q;
		unsigned w;

		try.threads = t;
		w = occupancy_of(&try).warps;
		if (w > warps || (w == warps && best != q->threads && labs((long)t - q->threads) < labs((long)best - q->threads))) {
			warps = w;
			best = t;
		}
	}
	return best;
}
