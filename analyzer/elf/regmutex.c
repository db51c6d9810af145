/* What was decided of sharing a kernel's registers between warps, in an object. Divisions are checked against the
 * kernel, and what the code tells against its variant; what the machine admits and the weights are not to be known from
 * the code, so a sum is over all. */
#include "analyzer/base/hash.h"
#include "analyzer/elf/format.h"
#include "passes/pass.h"
#include "passes/regmutex.h"

static uint64_t sum(const struct rlo_regmutex *x, const char *machine, const struct rlo_regsize *size, uint32_t n)
{
	const uint64_t number[] = {
		x->regs,
		x->asked,
		x->base,
		x->extended,
		x->threads,
		x->ctas,
		x->warps,
		x->chosen,
		x->demand,
		x->needs,
		x->needs_at,
		x->acquires,
		x->releases,
		x->moves,
		x->held,
		x->acquires_weighted,
		x->releases_weighted,
		x->moves_weighted,
		x->held_weighted,
		x->all_weighted,
		x->plain_weighted,
		x->limit,
		x->reason,
		x->flags,
		x->needs_wait,
		x->registers,
		x->granule,
		x->shared_bytes,
		x->sm_threads,
		x->sm_ctas,
		x->dynamic_bytes,
		n,
	};
	uint64_t h = HASH_START;

	for (unsigned i = 0; i < sizeof number / sizeof *number; i++)
		h = ir_hash_number(h, number[i]);
	for (; *machine; machine++)
		h = ir_hash_number(h, (unsigned char)*machine);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t of[] = { size[i].extended, size[i].base,        size[i].ctas,         size[i].warps,
					size[i].sections, size[i].paired_ctas, size[i].paired_warps, size[i].progress,
					size[i].why,      size[i].at,          size[i].needs };

		for (unsigned f = 0; f < sizeof of / sizeof *of; f++)
			h = ir_hash_number(h, of[f]);
	}
	return h;
}

static struct rlo_regsize pack(const struct regmutex_size *s)
{
	return (struct rlo_regsize){ .extended = s->extended,
				     .base = s->base,
				     .ctas = s->ctas,
				     .warps = s->warps,
				     .sections = s->sections,
				     .paired_ctas = s->paired_ctas,
				     .paired_warps = s->paired_warps,
				     .progress = s->progress,
				     .why = s->why,
				     .at = s->at,
				     .needs = s->needs };
}

void rlo_encode_regmutex(const struct kernel *k, uint32_t machine, struct arena *a, struct rlo_regmutex_tables *out)
{
	const struct regmutex *g = k->regmutex;
	struct rlo_regmutex x;
	struct rlo_regsize *size;

	*out = (struct rlo_regmutex_tables){ rlo_table_begin(RLO_R_regmutex, a), rlo_table_begin(RLO_R_regsize, a) };
	if (!g)
		return;
	size = new_array(a, struct rlo_regsize, g->nsize + 1);
	x = (struct rlo_regmutex){
		.regs = g->regs,
		.asked = g->asked,
		.base = g->base,
		.extended = g->extended,
		.threads = g->cta.threads,
		.ctas = g->ctas,
		.warps = g->warps,
		.chosen = g->chosen,
		.demand = g->needs.most,
		.needs_wait = (uint8_t)g->needs.wait,
		.needs = g->needs.waiting,
		.needs_at = g->needs.at,
		.acquires = g->acquires,
		.releases = g->releases,
		.moves = g->moves,
		.held = g->held,
		.acquires_weighted = g->acquires_weighted,
		.releases_weighted = g->releases_weighted,
		.moves_weighted = g->moves_weighted,
		.held_weighted = g->held_weighted,
		.all_weighted = g->all_weighted,
		.plain_weighted = g->plain_weighted,
		.limit = (uint8_t)g->limit,
		.reason = (uint8_t)g->reason,
		.flags = (uint8_t)((g->rules_off ? RLO_REGMUTEX_RULES_OFF : 0) | (g->even ? RLO_REGMUTEX_EVEN : 0)),
		.machine = machine,
		.registers = g->sm.registers,
		.granule = g->sm.granule,
		.shared_bytes = g->sm.shared_bytes,
		.sm_threads = g->sm.threads,
		.sm_ctas = g->sm.ctas,
		.dynamic_bytes = g->cta.dynamic_bytes,
	};
	for (uint32_t i = 0; i < g->nsize; i++) {
		size[i] = pack(&g->size[i]);
		rlo_io_regsize(&(struct io){ buf_room(&out->sizes, RLO_BYTES_regsize), true }, &size[i]);
	}
	x.sum = sum(&x, g->sm.machine, size, g->nsize);
	rlo_io_regmutex(&(struct io){ buf_room(&out->decision, RLO_BYTES_regmutex), true }, &x);
}

static bool read_sizes(struct reader *r, const struct kernel *k, struct regmutex *g, struct rlo_regsize **stored)
{
	struct table t;

	if (!rlo_open(r, RLO_R_regsize, k->name, true, &t))
		return false;
	g->size = new_array(k->a, struct regmutex_size, t.n + 1);
	g->nsize = t.n;
	*stored = new_array(k->a, struct rlo_regsize, t.n + 1);
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_regsize *x = &(*stored)[i];

		RLO_GET(&t, i, regsize, x);
		if (!x->extended || (uint64_t)x->extended + x->base != g->regs || x->why >= SIZE_WHY_COUNT ||
		    ((x->why == SIZE_WAITS || x->why == SIZE_COMPACT || x->why == SIZE_WORK) && x->at >= k->ninsn &&
		     x->at != REGMUTEX_NONE))
			return rlo_bad(
				r, &t, i,
				"%u registers of %u are shared, and %u not; ruled out for reason %u at instruction %u",
				x->extended, g->regs, x->base, x->why, x->at);
		g->size[i] = (struct regmutex_size){ .extended = x->extended,
						     .base = x->base,
						     .ctas = x->ctas,
						     .warps = x->warps,
						     .sections = x->sections,
						     .paired_ctas = x->paired_ctas,
						     .paired_warps = x->paired_warps,
						     .progress = x->progress,
						     .why = x->why,
						     .at = x->at,
						     .needs = x->needs };
	}
	return true;
}

bool rlo_read_regmutex(struct reader *r, struct kernel *k)
{
	struct rlo_regsize *size;
	struct rlo_regmutex x;
	struct regmutex *g;
	const char *machine;
	struct table t;

	if (!rlo_open(r, RLO_R_regmutex, k->name, true, &t))
		return false;
	if (!t.n)
		return true;
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records instead of one", t.n);
	RLO_GET(&t, 0, regmutex, &x);
	if (!rlo_string(r, &r->strings, x.machine, true, &machine))
		return rlo_bad(r, &t, 0, "names no machine");
	if (x.asked > MREG_RZ || x.regs < x.asked || x.regs > RLO_REGMUTEX_REGS ||
	    (uint64_t)x.base + x.extended != x.regs || (x.extended && !x.base))
		return rlo_bad(r, &t, 0, "%u registers, of which %u are a warp's own and %u are shared", x.regs, x.base,
			       x.extended);
	if (x.limit >= LIMIT_COUNT || x.reason >= REGMUTEX_REASON_COUNT || x.flags & ~RLO_REGMUTEX_FLAGS ||
	    x.needs_wait > WAIT_SPIN)
		return rlo_bad(r, &t, 0, "limit %u, reason %u, flags 0x%x, a wait of kind %u", x.limit, x.reason,
			       x.flags, x.needs_wait);
	g = k->regmutex = new(k->a, struct regmutex);
	*g = (struct regmutex){
		.regs = x.regs,
		.asked = x.asked,
		.cta = { x.threads, x.dynamic_bytes },
		.ctas = x.ctas,
		.warps = x.warps,
		.limit = x.limit,
		.reason = x.reason,
		.sm = { .machine = machine,
			.registers = x.registers,
			.granule = x.granule,
			.shared_bytes = x.shared_bytes,
			.threads = x.sm_threads,
			.ctas = x.sm_ctas },
		.base = x.base,
		.extended = x.extended,
		.chosen = x.chosen,
		.needs = { x.demand, x.needs, x.needs_at, x.needs_wait },
		.rules_off = x.flags & RLO_REGMUTEX_RULES_OFF,
		.even = x.flags & RLO_REGMUTEX_EVEN,
		.acquires = x.acquires,
		.releases = x.releases,
		.moves = x.moves,
		.acquires_weighted = x.acquires_weighted,
		.releases_weighted = x.releases_weighted,
		.moves_weighted = x.moves_weighted,
		.held = x.held,
		.held_weighted = x.held_weighted,
		.all_weighted = x.all_weighted,
		.plain_weighted = x.plain_weighted,
	};
	if (!read_sizes(r, k, g, &size))
		return false;
	if (x.chosen != REGMUTEX_NONE && (x.chosen >= g->nsize || g->size[x.chosen].extended != x.extended))
		return rlo_bad(r, &t, 0, "size %u of %u is chosen, and %u registers are shared", x.chosen, g->nsize,
			       x.extended);
	if (x.needs_at != REGMUTEX_NONE && x.needs_at >= k->ninsn)
		return rlo_bad(r, &t, 0, "instruction %u of %u needs %u registers", x.needs_at, k->ninsn, x.needs);
	return x.sum == sum(&x, machine, size, g->nsize)
		       ? true
		       : rlo_bad(r, &t, 0, "the sum over the decision is not that of its numbers; damaged");
}

static bool same_params(const struct kernel *v, const struct kernel *k)
{
	for (uint32_t p = 0; p < k->nparam; p++) {
		const struct param *x = &k->param[p], *y = &v->param[p];

		if (strcmp(x->name, y->name) != 0 || x->offset != y->offset || x->size != y->size ||
		    x->type != y->type || x->array != y->array)
			return false;
	}
	return true;
}

bool rlo_check_variant(struct reader *r, const struct kernel *v, const struct kernel *k)
{
	const char *section = arena_printf(r->a, "%s%s", rlo_table[RLO_R_regmutex].section, k->name);
	const struct resources *x = &v->res, *y = &k->res;
	const struct regmutex *g = k->regmutex;
	uint32_t acquires = 0, releases = 0, moves = 0;

	for (uint32_t i = 0; i < v->ninsn; i++) {
		acquires += v->insn[i].op == OP_RF_ACQUIRE;
		releases += v->insn[i].op == OP_RF_RELEASE;
		moves += (v->insn[i].mods & MOD_MOVED) != 0;
	}
	if (x->shared_bytes != y->shared_bytes || x->local_bytes != y->local_bytes ||
	    x->param_bytes != y->param_bytes || x->barriers != y->barriers || x->stack != y->stack ||
	    memcmp(v->maxntid, k->maxntid, sizeof v->maxntid) != 0 ||
	    memcmp(v->reqntid, k->reqntid, sizeof v->reqntid) != 0 ||
	    memcmp(v->cluster, k->cluster, sizeof v->cluster) != 0 || v->max_cluster != k->max_cluster ||
	    v->explicit_cluster != k->explicit_cluster || v->nparam != k->nparam || !same_params(v, k))
		return diag_error_bin(r->d, r->name, section, 0, "the variant does not take what the kernel takes");
	if (x->regs != g->regs)
		return diag_error_bin(r->d, r->name, section, 0, "the variant has %u registers instead of %u", x->regs,
				      g->regs);
	if (acquires != g->acquires || releases != g->releases || moves != g->moves || g->held > v->ninsn)
		return diag_error_bin(r->d, r->name, section, 0,
				      "the variant acquires at %u places, releases at %u and moves values at %u, not "
				      "at %u, %u and %u",
				      acquires, releases, moves, g->acquires, g->releases, g->moves);
	if ((uint64_t)k->ninsn + acquires + releases + moves > v->ninsn)
		return diag_error_bin(r->d, r->name, section, 0,
				      "the variant has %u instructions, with %u acquires, %u releases and %u moves, "
				      "and the kernel %u",
				      v->ninsn, acquires, releases, moves, k->ninsn);
	if (v->nimm != k->nimm || (v->nimm && memcmp(v->imm, k->imm, v->nimm * sizeof *v->imm) != 0))
		return diag_error_bin(r->d, r->name, section, 0, "the variant has other immediates than the kernel");
	return true;
}
