/* Where RegMutex would acquire and release its extended set in machine code, and where that is held: by address. Where
 * they stand was chosen by weights that a reader does not have; it checks that they are right for the code. */
#include "analyzer/elf/native.h"

#include "analyzer/base/hash.h"
#include "passes/pass.h"
#include "passes/regmutex.h"

static uint64_t sum(const struct regmutex *r, uint32_t ninsn)
{
	uint64_t h = ir_hash_number(HASH_START, r->npoint);

	for (uint32_t p = 0; p < r->npoint; p++)
		h = ir_hash_number(ir_hash_number(h, r->point[p].at | (uint64_t)r->point[p].from << 32),
				   r->point[p].acquire);
	for (uint32_t i = 0; i < ninsn; i++)
		h = ir_hash_number(h, r->hold[i]);
	return h;
}

void native_encode_mutex(const struct kernel *k, const struct native_sections *s, struct arena *a,
			 struct native_mutex *out)
{
	const struct native_place *at = native_places(k, s, a);
	const struct regmutex *r = k->regmutex;

	*out = (struct native_mutex){ rlo_table_begin(RLO_R_mutex, a), rlo_table_begin(RLO_R_acquire, a),
				      rlo_table_begin(RLO_R_held, a) };
	if (!r || !r->extended)
		return;
	RLO_PUT(&out->mutex, mutex, .points = r->npoint, .held = r->held, .sum = sum(r, k->ninsn));
	for (uint32_t p = 0; p < r->npoint; p++) {
		const struct regmutex_point *x = &r->point[p];
		bool edge = x->from != REGMUTEX_NONE;

		RLO_PUT(&out->acquire, acquire, .section = at[x->at].section, .address = at[x->at].address,
			.from_section = edge ? at[x->from].section : RLO_NONE,
			.from_address = edge ? at[x->from].address : RLO_NONE, .acquire = x->acquire);
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		RLO_PUT(&out->held, held, .held = r->hold[i]);
}

/* The instruction at a place; k->ninsn: there is none. */
static uint32_t insn_at(const struct kernel *k, const struct native_place *at, uint32_t section, uint32_t address)
{
	for (uint32_t p = 0; p < k->native->npart; p++) {
		uint32_t first = k->native->part[p].first, n = k->native->part[p].n;

		if (n && at[first].section == section && address >= at[first].address &&
		    address <= at[first + n - 1].address && (address - at[first].address) % 16 == 0)
			return first + (address - at[first].address) / 16;
	}
	return k->ninsn;
}

/* From the last instruction of a block to the first of another, over an edge that is there. */
static bool is_edge(const struct kernel *k, uint32_t from, uint32_t to)
{
	const struct cfg *g = k->cfg->local;

	for (uint32_t b = 0; b < k->nblock; b++) {
		if (!k->block[b].n || k->block[b].first + k->block[b].n - 1 != from)
			continue;
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			if (k->block[g->succ[e]].n && k->block[g->succ[e]].first == to)
				return true;
	}
	return false;
}

static bool read_points(struct reader *r, const struct kernel *k, const struct native_place *at, struct regmutex *g)
{
	struct table t;

	if (!rlo_open(r, RLO_R_acquire, k->name, true, &t))
		return false;
	if (t.n != g->npoint)
		return rlo_bad(r, &t, 0, "holds %u points instead of %u", t.n, g->npoint);
	g->point = new_array(k->a, struct regmutex_point, (size_t)t.n + 1);
	for (uint32_t p = 0; p < t.n; p++) {
		struct rlo_acquire x;
		bool edge;

		RLO_GET(&t, p, acquire, &x);
		edge = x.from_section != RLO_NONE || x.from_address != RLO_NONE;
		g->point[p] =
			(struct regmutex_point){ insn_at(k, at, x.section, x.address),
						 edge ? insn_at(k, at, x.from_section, x.from_address) : REGMUTEX_NONE,
						 x.acquire };
		if (x.acquire > 1 || g->point[p].at == k->ninsn ||
		    (edge && (g->point[p].from == k->ninsn || !is_edge(k, g->point[p].from, g->point[p].at))))
			return rlo_bad(r, &t, p, "section %u, byte 0x%x, is no place for it", x.section, x.address);
	}
	return true;
}

static bool read_held(struct reader *r, const struct kernel *k, struct regmutex *g)
{
	struct table t;

	if (!rlo_open(r, RLO_R_held, k->name, false, &t))
		return false;
	if (t.n != k->ninsn)
		return rlo_bad(r, &t, 0, "is of %u instructions instead of %u", t.n, k->ninsn);
	g->hold = new_array(k->a, uint8_t, (size_t)t.n + 1);
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_held x;

		RLO_GET(&t, i, held, &x);
		if (x.held > 1)
			return rlo_bad(r, &t, i, "is neither 0 nor 1");
		g->hold[i] = x.held;
	}
	return true;
}

bool native_read_mutex(struct reader *r, const struct native_sections *s, struct kernel *k)
{
	struct regmutex *g = k->regmutex;
	struct rlo_mutex x;
	struct pass_ctx cx;
	struct table t;
	struct diag d;
	bool ok;

	if (!rlo_open(r, RLO_R_mutex, k->name, !g || !g->extended, &t))
		return false;
	if (!g || !g->extended)
		return !t.n || rlo_bad(r, &t, 0, "is of a kernel that shares no registers");
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records instead of one", t.n);
	RLO_GET(&t, 0, mutex, &x);
	g->npoint = x.points;
	if (!read_points(r, k, native_places(k, s, r->a), g) || !read_held(r, k, g))
		return false;
	if (x.sum != sum(g, k->ninsn) || x.held != g->held)
		return rlo_bad(r, &t, 0, "points and places where the set is held are not those that were written");
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	ok = regmutex_points_right(k, &cx);
	if (!ok) {
		const char *said = d.last ? strstr(d.last, "error: ") : NULL;

		rlo_bad(r, &t, 0, "not right for the code: %.*s", said ? (int)strcspn(said, "\n") - 7 : 0,
			said ? said + 7 : "");
	}
	pass_ctx_free(&cx);
	diag_free(&d);
	return ok;
}
