#include "passes/occupancy.h"
#include "analyzer/base/near.h"

#include <stdlib.h>
#include <string.h>

/* PTX ISA, .maxntid */
enum { BLOCK_MAX = 1024 };

static unsigned warps_of(unsigned threads) { return (threads + WARP_THREADS - 1) / WARP_THREADS; }

const char *occupancy_limit_name(enum occupancy_limit why)
{
	static const char *const name[LIMIT_COUNT] = {
		[LIMIT_CTAS] = "CTA slots",
		[LIMIT_THREADS] = "threads",
		[LIMIT_REGISTERS] = "registers",
		[LIMIT_SHARED] = "shared memory",
	};

	return name[why];
}

/* ---- real GPUs ---- */
enum { REAL_REGISTERS = 65536, REAL_GRANULE = 8, REAL_PARTS = 4, KIB = 1024 };

static const struct {
	unsigned sm;
	struct sm_limits limits;
} real[] = {
#define SM_LIMITS(sm, threads, ctas, shared, reserved, granule, barriers)                                        \
	{ sm,                                                                                                    \
	  { "sm_" #sm, REAL_REGISTERS, REAL_GRANULE, (shared)*KIB, threads, ctas, REAL_PARTS, granule, reserved, \
	    barriers } },
#include "passes/sm_limits.def"
#undef SM_LIMITS
};

bool occupancy_sm(unsigned sm, struct sm_limits *out)
{
	size_t n = sizeof real / sizeof *real;

	while (n && real[n - 1].sm > sm)
		n--;
	if (!n || real[n - 1].sm / 10 != sm / 10)
		return false;
	*out = real[n - 1].limits;
	return true;
}

bool occupancy_sm_named(const char *name, struct sm_limits *out)
{
	const unsigned n = names_find(NAMES_IN(real, limits.machine), name);

	if (n == sizeof real / sizeof *real)
		return false;
	*out = real[n].limits;
	return true;
}

const char *occupancy_sm_name(unsigned i) { return i < sizeof real / sizeof *real ? real[i].limits.machine : NULL; }

/* ---- registers ---- */
uint32_t occupancy_allocated(const struct sm_limits *m, uint32_t regs)
{
	return ((regs ? regs : 1) + m->granule - 1) / m->granule * m->granule;
}

bool occupancy_same(const struct sm_limits *a, const struct sm_limits *b)
{
	return a->registers == b->registers && a->granule == b->granule && a->shared_bytes == b->shared_bytes &&
	       a->threads == b->threads && a->ctas == b->ctas && a->parts == b->parts &&
	       a->shared_granule == b->shared_granule && a->cta_shared == b->cta_shared && a->barriers == b->barriers;
}

unsigned occupancy_static(const struct sm_limits *m, uint32_t regs, unsigned warps_per_cta)
{
	uint32_t warp = occupancy_allocated(m, regs) * WARP_THREADS, parts = m->parts;

	if (parts) { /* a launch is refused as if every partition held as many of the CTA's warps */
		if ((uint64_t)warp * ((warps_per_cta + parts - 1) / parts * parts) > m->registers)
			return 0;
		return m->registers / parts / warp * parts / warps_per_cta;
	}
	return (unsigned)(m->registers / ((uint64_t)occupancy_allocated(m, regs) * WARP_THREADS * warps_per_cta));
}

/* Warp registers of one of the `files` that the SM has, a register file for each partition, in two banks by the
 * parity of a register's number, or one in all (banks 1). */
struct file {
	uint32_t files, banks, rows;
};

static struct file file_of(const struct sm_limits *m)
{
	const uint32_t files = m->parts ? m->parts : 1, banks = m->parts ? 2 : 1;

	return (struct file){ files, banks, m->registers / WARP_THREADS / files / banks };
}

/* Of registers 0 .. n - 1 those in that bank. */
static uint32_t in_bank(const struct file *f, uint32_t n, uint32_t bank)
{
	return (n + f->banks - 1 - bank) / f->banks;
}

/* Sections that each bank of one file has room for beside the base sets of so many warps; UINT32_MAX: those have
 * none. */
static uint32_t sections_beside(const struct file *f, uint32_t base, uint32_t extended, uint32_t warps)
{
	uint32_t most = UINT32_MAX - 1;

	for (uint32_t b = 0; b < f->banks; b++) {
		const uint32_t own = in_bank(f, base, b), shared = in_bank(f, base + extended, b) - own;
		const uint64_t all = (uint64_t)own * warps;

		if (all > f->rows)
			return UINT32_MAX;
		if (shared && (f->rows - all) / shared < most)
			most = (uint32_t)((f->rows - all) / shared);
	}
	return most;
}

/* Of `warps`, which are dealt to the files in turn, those that come to file i. */
static uint32_t warps_of_file(const struct file *f, unsigned warps, uint32_t i)
{
	return (warps + f->files - 1 - i) / f->files;
}

/* The most CTAs that leave each file so many sections as they need: one, or one for each two of its warps. The
 * first file has the most warps. */
static unsigned most_ctas(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps_per_cta,
			  bool paired)
{
	const struct file f = file_of(m);

	for (unsigned ctas = 0;; ctas++) {
		const uint32_t warps = warps_of_file(&f, (ctas + 1) * warps_per_cta, 0),
			       n = sections_beside(&f, base, extended, warps);

		if (n == UINT32_MAX || n < (paired ? (warps + 1) / 2 : 1))
			return ctas;
	}
}

unsigned occupancy_regmutex(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps_per_cta)
{
	const struct file f = file_of(m);

	if (!base)
		return sections_beside(&f, 0, extended, 0) ? m->threads / WARP_THREADS / warps_per_cta : 0;
	return most_ctas(m, base, extended, warps_per_cta, false);
}

unsigned occupancy_paired(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps_per_cta)
{
	return most_ctas(m, base, extended, warps_per_cta, true);
}

uint32_t occupancy_sections_of(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps,
			       unsigned part)
{
	const struct file f = file_of(m);
	const uint32_t mine = warps_of_file(&f, warps, part),
		       n = extended ? sections_beside(&f, base, extended, mine) : 0;

	if (n == UINT32_MAX)
		return 0;
	return n < mine ? n : mine;
}

uint32_t occupancy_sections(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps)
{
	uint32_t all = 0;

	for (unsigned i = 0; i < (m->parts ? m->parts : 1); i++)
		all += occupancy_sections_of(m, base, extended, warps, i);
	return all;
}

/* ---- all limits ---- */
static uint32_t granule_of(const struct sm_limits *m) { return m->shared_granule ? m->shared_granule : 1; }

static unsigned by_shared(const struct sm_limits *m, uint32_t bytes)
{
	uint32_t granule = granule_of(m);
	uint64_t all = ((uint64_t)bytes + m->cta_shared + granule - 1) / granule * granule;

	return bytes ? (unsigned)(m->shared_bytes / all) : OCCUPANCY_ANY;
}

/* The most shared memory with which so many CTAs have room. */
static uint32_t shared_for(const struct sm_limits *m, unsigned ctas)
{
	uint32_t all = m->shared_bytes / ctas / granule_of(m) * granule_of(m);

	return all > m->cta_shared ? all - m->cta_shared : 0;
}

/* Slots, and what named barriers they share. */
static unsigned by_slots(const struct occupancy_query *q)
{
	uint32_t used = q->sm.barriers && q->kernel ? q->kernel->res.barriers : 0,
		 ctas = used ? q->sm.barriers / used : q->sm.ctas;

	return ctas < q->sm.ctas ? ctas : q->sm.ctas;
}

struct occupancy occupancy_of(const struct occupancy_query *q)
{
	unsigned warps = warps_of(q->threads), slots = q->sm.threads / WARP_THREADS;
	struct occupancy o = { .why = LIMIT_CTAS,
			       .warp_slots = slots,
			       .by = {
				       [LIMIT_CTAS] = by_slots(q),
				       [LIMIT_THREADS] = slots / warps,
				       [LIMIT_REGISTERS] = q->by_registers ? q->by_registers(q, warps)
									   : occupancy_static(&q->sm, q->regs, warps),
				       [LIMIT_SHARED] = by_shared(&q->sm, q->shared_bytes),
			       } };

	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		if (o.by[i] < o.by[o.why])
			o.why = (enum occupancy_limit)i;
	o.ctas = o.by[o.why];
	o.warps = o.ctas * warps;
	return o;
}

/* CTAs that an SM would hold, by all limits or by one. */
static unsigned ctas_with(const struct occupancy_query *q, const struct occupancy_change *c, enum occupancy_limit by)
{
	struct occupancy_query try = *q;
	struct occupancy o;

	try.regs = c->regs;
	try.threads = c->threads;
	try.shared_bytes = c->shared_bytes;
	o = occupancy_of(&try);
	return by == LIMIT_COUNT ? o.ctas : o.by[by];
}

/* Lowers *value, of c, to the largest with which there is room for so many CTAs. False: there is none. */
static bool lower(const struct occupancy_query *q, const struct occupancy_change *c, unsigned *value,
		  enum occupancy_limit by, unsigned ctas)
{
	for (; *value; --*value)
		if (ctas_with(q, c, by) >= ctas)
			return true;
	return false;
}

static void take(struct occupancy_gain *g, const struct occupancy_query *q, struct occupancy_change c)
{
	c.what = (unsigned)(c.threads != q->threads) << LIMIT_THREADS |
		 (unsigned)(c.regs != q->regs) << LIMIT_REGISTERS |
		 (unsigned)(c.shared_bytes != q->shared_bytes) << LIMIT_SHARED;
	for (unsigned i = 0; i < g->n; i++)
		if (g->change[i].what == c.what)
			return;
	g->change[g->n++] = c;
}

/* Shared memory limits CTAs by itself, so if it does it must change, and by how much does not depend on the rest. A
 * smaller block helps with threads and registers alike; fewer registers may let the block be larger, or stay. */
struct occupancy_gain occupancy_gain(const struct occupancy_query *q)
{
	struct occupancy now = occupancy_of(q);
	struct occupancy_change base = { .threads = q->threads < BLOCK_MAX ? q->threads : BLOCK_MAX,
					 .regs = q->regs,
					 .shared_bytes = q->shared_bytes },
				c;
	struct occupancy_gain g = { .n = 0 };
	unsigned ctas = now.ctas + 1;

	if (now.by[LIMIT_CTAS] < ctas)
		return g;
	if (now.by[LIMIT_SHARED] < ctas)
		base.shared_bytes = shared_for(&q->sm, ctas);
	c = base;
	if (lower(q, &c, &c.threads, LIMIT_THREADS, ctas) && lower(q, &c, &c.regs, LIMIT_COUNT, ctas))
		take(&g, q, c);
	c = base;
	if (lower(q, &c, &c.threads, LIMIT_COUNT, ctas))
		take(&g, q, c);
	return g;
}

static const char *change_text(const struct occupancy_query *q, const struct occupancy_change *c, struct arena *a)
{
	const char *t = "";

	if (c->what >> LIMIT_THREADS & 1)
		t = arena_printf(a, "blocks of %u threads (%u now)", c->threads, q->threads);
	if (c->what >> LIMIT_REGISTERS & 1)
		t = arena_printf(a, "%s%s%u registers a thread (%u now)", t, *t ? " and " : "", c->regs, q->regs);
	if (c->what >> LIMIT_SHARED & 1)
		t = arena_printf(a, "%s%s%u bytes of shared memory a CTA (%u now)", t, *t ? " and " : "",
				 c->shared_bytes, q->shared_bytes);
	return t;
}

const char *occupancy_gain_text(const struct occupancy_query *q, const struct occupancy_gain *g, struct arena *a)
{
	struct occupancy now = occupancy_of(q);
	const char *t = "at most ";

	if (!g->n)
		return now.ctas == now.by[LIMIT_CTAS] ? "an SM has no more CTA slots" : "not by this kernel";
	for (unsigned i = 0; i < g->n; i++)
		t = arena_printf(a, "%s%s%s", t, i ? "; or " : "", change_text(q, &g->change[i], a));
	return t;
}

unsigned occupancy_best_block(const struct occupancy_query *q)
{
	const struct kernel *k = q->kernel;
	uint64_t allowed = BLOCK_MAX;
	unsigned best = q->threads, warps = occupancy_of(q).warps;

	if (k->reqntid[0])
		return q->threads;
	if (k->maxntid[0])
		allowed = k->maxntid[0];
	for (unsigned i = 1; k->maxntid[0] && i < 3; i++)
		allowed *= k->maxntid[i] ? k->maxntid[i] : 1;
	for (unsigned t = 32; t <= allowed && t <= BLOCK_MAX; t += 32) {
		struct occupancy_query try = *q;
		unsigned w;

		try.threads = t;
		w = occupancy_of(&try).warps;
		if (w > warps ||
		    (w == warps && best != q->threads && labs((long)t - q->threads) < labs((long)best - q->threads))) {
			warps = w;
			best = t;
		}
	}
	return best;
}
