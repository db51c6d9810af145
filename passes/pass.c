/* The table of passes and its runner.
 *
 * A fact is a bit in k->facts and the data behind it. The runner computes the facts that a pass needs, in table order,
 * and after a pass that changed the code leaves only the facts that its row keeps; a pass that returns PASS_SAME keeps
 * them all. Every fact rests on the CFG, so without it none is kept. A pass whose facts are all valid already is not
 * run again: code that edits a kernel by hand clears k->facts, as ir_append() and rewrite_end() do. */
#include "pass.h"

#include "corf.h"
#include "orf.h"
#include "owf.h"
#include "rfc.h"
#include "strand.h"
#include "uniform.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

const struct pass_info pass_info[PASS_COUNT] = {
#define PASS(name, need, give, keep, text) \
	{ .id = #name, .what = text, .needs = need, .gives = give, .keeps = keep, .run = pass_##name },
#include "passes/passes.def"
#undef PASS
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#ifdef REGLOOM_DEBUG
static void forget_loops(struct kernel *k)
{
	if (k->cfg)
		k->cfg->depth = k->cfg->loop = k->cfg->outer = NULL;
}

/* Those of machine code stand in it. */
static void forget_control(struct kernel *k) { k->control = k->native ? k->native->control : NULL; }
#endif

/* Leaves `valid` facts. Debug builds poison the others, so that stale use crashes. */
static void keep_facts(struct kernel *k, unsigned valid)
{
	if (!(valid & FACT_CFG))
		valid = 0;
	k->facts = valid;
#ifdef REGLOOM_DEBUG
#define FACT(id, forget, check)   \
	if (!(valid & FACT_##id)) \
		forget;
#include "passes/facts.def"
#endif
}

/* ---- --dump=ID ---- */
static void dump_block_name(FILE *f, const struct kernel *k, uint32_t b)
{
	if (b == UINT32_MAX)
		fputs(" -", f);
	else if (k->block[b].label)
		fprintf(f, " %s", k->block[b].label);
	else
		fprintf(f, " .L%u", b);
}

static void dump_blocks(FILE *f, const struct kernel *k, const char *what, const uint32_t *b, uint32_t n)
{
	fprintf(f, "%s", what);
	for (uint32_t i = 0; i < n; i++)
		dump_block_name(f, k, b[i]);
}

static void dump_registers(FILE *f, const struct kernel *k, const char *what, struct live_set set, struct arena *a)
{
	fprintf(f, "%s", what);
	for (uint32_t i = 0; i < set.n; i++)
		fprintf(f, " %s",
			ir_print_ref(a, k, ref_reg(set.reg[i]),
				     k->form == FORM_MACHINE && mreg_is_pred(set.reg[i]) ? 'P' : 'W'));
}

static void dump_set(FILE *f, const struct kernel *k, const char *what, const uint64_t *set, struct arena *a)
{
	uint32_t reg[MREG_ALL], n = 0;

	for (uint32_t r = bitset_next(set, 0, MREG_ALL); r < MREG_ALL; r = bitset_next(set, r + 1, MREG_ALL))
		reg[n++] = r;
	dump_registers(f, k, what, (struct live_set){ reg, n }, a);
}

static void dump_release(FILE *f, const struct kernel *k, uint32_t b, struct arena *a)
{
	const struct release *l = k->release;

	for (uint32_t x = l->entry_at[b]; x < l->entry_at[b + 1]; x++)
		dump_registers(f, k, x == l->entry_at[b] ? " entry" : "",
			       (struct live_set){ (const uint32_t[]){ l->entry_reg[x] }, 1 }, a);
	for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
		for (uint32_t x = l->at[i]; x < l->at[i + 1]; x++)
			dump_registers(f, k, x == l->at[i] ? arena_printf(a, " | %u", i) : "",
				       (struct live_set){ (const uint32_t[]){ l->reg[x] }, 1 }, a);
}

/* "12 wait long latency": what begins before instruction 12. */
static void dump_strands(FILE *f, const struct kernel *k, uint32_t b)
{
	for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
		if (k->strand->begin[i])
			fprintf(f, " | %u%s%s%s", i, k->strand->begin[i] & STRAND_WAIT ? " wait" : "",
				k->strand->begin[i] & STRAND_BEGIN ? " " : "",
				k->strand->begin[i] & STRAND_BEGIN
					? strand_cause_name[k->strand->begin[i] & STRAND_CAUSE]
					: "");
}

/* "12 last R3 shared R4": registers that instruction 12 reads for the last time; those that it writes and a shared unit
 * may read. */
static void dump_cached(FILE *f, const struct kernel *k, uint32_t b, struct arena *a)
{
	for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
		struct insn_regs r;
		uint32_t reg[INSN_SRC_MAX], n = 0;

		ir_insn_regs(k, &k->insn[i], &r);
		if (k->rfc->last[i] | k->rfc->shared[i])
			fprintf(f, " | %u", i);
		for (unsigned s = 0; s < r.nsrc; s++)
			if (k->rfc->last[i] >> s & 1)
				reg[n++] = r.src[s];
		dump_registers(f, k, n ? " last" : "", (struct live_set){ reg, n }, a);
		n = 0;
		for (unsigned d = 0; d < r.ndst; d++)
			if (k->rfc->shared[i] >> d & 1)
				reg[n++] = r.dst[d];
		dump_registers(f, k, n ? " shared" : "", (struct live_set){ reg, n }, a);
	}
}

static void dump_affinity(FILE *f, const struct wgraph *g)
{
	for (uint32_t e = 0; e < g->m; e++)
		fprintf(f, " R%u R%u: %llu\n", g->e[e].a, g->e[e].b, (unsigned long long)g->e[e].w);
}

static void dump_hints(FILE *f, const struct corf_hints *h)
{
	static const char *const align[] = { "", " left", " right" };

	for (uint32_t r = 0; r < MREG_RZ; r++)
		if (h->partner[r] != MREG_RZ || h->align[r] != ALIGN_ANY)
			fprintf(f, h->partner[r] != MREG_RZ ? " R%u:%s with R%u\n" : " R%u:%s\n", r, align[h->align[r]],
				h->partner[r]);
}

/* Instructions with operands in upper levels, by organisation: " | 3 O0 M > M+L1", sources before results. */
static void dump_places(FILE *f, const struct kernel *k, uint32_t b)
{
	for (enum orf_organisation org = 0; org < ORG_COUNT && k->orf[org]; org++) {
		unsigned lines = 0;

		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			const struct orf *o = k->orf[org];
			struct insn_regs r;
			bool upper = false;

			ir_insn_regs(k, &k->insn[i], &r);
			for (uint32_t x = o->at[i]; x < o->at[i + 1]; x++)
				upper |= place_level(o->place[x]) != LEVEL_MRF;
			if (!upper)
				continue;
			if (!lines++)
				fprintf(f, "\n  %s:", orf_organisation_name[org]);
			fprintf(f, "%s%u", lines > 1 ? " | " : " ", i);
			for (uint32_t x = o->at[i]; x < o->at[i + 1]; x++) {
				uint8_t p = o->place[x];

				fputs(x == o->at[i] + r.nsrc ? " > " : " ", f);
				if (place_mrf(p))
					fputs(place_level(p) ? "M+" : "M", f);
				if (place_level(p) != LEVEL_MRF)
					fprintf(f, "%c%u", place_level(p) == LEVEL_L0 ? 'L' : 'O', place_entry(p));
			}
		}
	}
}

/* "12 R3 cta apart": what is proved of what instruction 12 writes, which not all lanes come to together. */
static void dump_uniform(FILE *f, const struct kernel *k, uint32_t b, struct arena *a)
{
	for (uint32_t i = k->block[b].first; k->uniform->at && i < k->block[b].first + k->block[b].n; i++) {
		struct insn_regs r;

		fprintf(f, " | %u %s%s", i, uniform_text(k, i, a),
			k->uniform->flags[i] & UNIFORM_CONVERGENT ? "" : " apart");
		ir_insn_regs(k, &k->insn[i], &r);
		for (unsigned d = 0; d < r.ndst; d++)
			if (!uniform_dst(k->uniform, i, &r, d)->dead)
				fprintf(f, " over R%u", r.dst[d]);
	}
}

/* "| 12 stall 4 waits 03 writes 2 reads 1 reuse 1": waits and reuse as bits. */
static void dump_control(FILE *f, const struct kernel *k, uint32_t b)
{
	for (uint32_t i = k->block[b].first; k->control && i < k->block[b].first + k->block[b].n; i++) {
		const struct control_code *c = &k->control[i];

		fprintf(f, " | %u stall %u%s", i, c->stall, c->yield ? "" : " yield");
		if (c->wait)
			fprintf(f, " waits %02x", c->wait);
		if (c->wbar < BARRIERS_OF_DEPENDENCE)
			fprintf(f, " writes %u", c->wbar);
		if (c->rbar < BARRIERS_OF_DEPENDENCE)
			fprintf(f, " reads %u", c->rbar);
		if (c->reuse)
			fprintf(f, " reuse %x", c->reuse);
	}
}

/* "shared last to first: R3 R0 R1". */
static void dump_order(FILE *f, const struct kernel *k, struct arena *a)
{
	uint32_t reg[256];

	for (uint32_t r = 0; r < k->owf->n; r++)
		reg[k->owf->rank[r]] = r;
	dump_registers(f, k, "shared last to first:", (struct live_set){ reg, k->form == FORM_MACHINE ? k->owf->n : 0 },
		       a);
	fputc('\n', f);
}

static void dump_facts(FILE *f, const struct kernel *k, unsigned facts, struct arena *a)
{
	const struct cfg *g = k->cfg;

	for (uint32_t l = 0; facts & FACT_FREQ && l < k->freq->nloop; l++) {
		dump_blocks(f, k, "loop at", &k->freq->loop[l].header, 1);
		fprintf(f, ": %s\n", freq_text(&k->freq->loop[l], a));
	}
	if (facts & FACT_LIVE)
		fprintf(f, "most live: %u 32-bit registers, %u predicates\n", k->live->max_live32, k->live->max_livep);
	if (facts & FACT_AFFINITY)
		dump_affinity(f, k->affinity);
	if (facts & FACT_CORF)
		dump_hints(f, k->corf);
	if (facts & FACT_OWF)
		dump_order(f, k, a);
	for (uint32_t b = 0; b < k->nblock; b++) {
		dump_block_name(f, k, b);
		fputc(':', f);
		if (facts & FACT_CFG) {
			dump_blocks(f, k, " to", g->succ + g->succ_at[b], g->succ_at[b + 1] - g->succ_at[b]);
			dump_blocks(f, k, " | from", g->pred + g->pred_at[b], g->pred_at[b + 1] - g->pred_at[b]);
			fputs(g->rpo_index[b] == UINT32_MAX ? " | unreachable" : "", f);
		}
		if (facts & FACT_DOM)
			dump_blocks(f, k, " idom", &k->dom->idom[b], 1);
		if (facts & FACT_PDOM)
			dump_blocks(f, k, " ipdom", &k->pdom->idom[b], 1);
		if (facts & FACT_LOOP)
			fprintf(f, " depth %u", g->depth[b]);
		if (facts & FACT_FREQ)
			fprintf(f, " executions %" PRIu64, k->freq->executions[b]);
		if (facts & FACT_LIVE) {
			dump_registers(f, k, " in", live_in(k, b), a);
			dump_registers(f, k, " | out", live_out(k, b), a);
		}
		if (facts & FACT_WLIVE && k->wlive->wait)
			dump_set(f, k, " wait", k->wlive->wait[b], a);
		if (facts & FACT_DLIVE && k->dlive->alive)
			dump_set(f, k, " alive", k->dlive->alive[b], a);
		if (facts & FACT_RELEASE)
			dump_release(f, k, b, a);
		for (uint32_t i = k->block[b].first; facts & FACT_KILLS && i < k->block[b].first + k->block[b].n; i++)
			if (k->insn[i].mods & (MOD_KILLS | MOD_KILLS_PREDS))
				fprintf(f, " | %u kills%s", i, k->insn[i].mods & MOD_KILLS ? "" : " predicates");
		if (facts & FACT_STRAND)
			dump_strands(f, k, b);
		if (facts & FACT_ORF)
			dump_places(f, k, b);
		if (facts & FACT_RFC)
			dump_cached(f, k, b, a);
		if (facts & FACT_UNIFORM)
			dump_uniform(f, k, b, a);
		if (facts & FACT_CONTROL)
			dump_control(f, k, b);
		fputc('\n', f);
		arena_reset(a);
	}
}

static void dump(const struct kernel *k, enum pass_id id, struct pass_ctx *cx)
{
	if (!cx->dump || cx->dump_id != id)
		return;
	fprintf(cx->dump, "after %s: ", pass_info[id].id);
	if (pass_info[id].gives) {
		fprintf(cx->dump, "kernel %s\n", k->name);
		dump_facts(cx->dump, k, pass_info[id].gives, &cx->scratch);
	} else {
		ir_print_kernel(cx->dump, k);
	}
}

static bool check_packing(const struct kernel *k, struct diag *d)
{
	return k->form != FORM_MACHINE || check_corf(k, d);
}

/* The independent oracles, for the facts in `facts`. */
static bool check_facts(const struct kernel *k, unsigned facts, struct diag *d)
{
	typedef bool oracle(const struct kernel *, struct diag *);
	static oracle *const of[FACT_COUNT] = {
#define FACT(id, forget, check) check,
#include "passes/facts.def"
	};
	oracle *done = NULL;

	for (unsigned f = 0; f < FACT_COUNT; f++)
		if (facts >> f & 1 && of[f] && of[f] != done) {
			if (!of[f](k, d))
				return false;
			done = of[f];
		}
	return true;
}

bool pass_run(struct kernel *k, enum pass_id id, struct pass_ctx *cx)
{
	const struct pass_info *p = &pass_info[id];
	unsigned before;
	enum pass_result r;
	double start;

	if (p->gives && !(p->gives & ~k->facts)) {
		dump(k, id, cx);
		return true;
	}
	if (!pass_need(k, p->needs, cx))
		return false;
	before = k->facts;
	start = seconds_now();
	r = p->run(k, cx);
	cx->seconds[id] += seconds_now() - start;
	cx->runs[id]++;
	arena_reset(&cx->scratch);
	if (r == PASS_FAILED) {
		keep_facts(k, 0);
		return false;
	}
	keep_facts(k, (r == PASS_CHANGED ? before & p->keeps : before) | p->gives);
	if (r == PASS_CHANGED && !ir_verify(k, cx->diag))
		return false;
	if (cx->opt.check && !check_facts(k, r == PASS_CHANGED ? k->facts : p->gives, cx->diag))
		return false;
	dump(k, id, cx);
	return true;
}

bool pass_need(struct kernel *k, unsigned facts, struct pass_ctx *cx)
{
	for (unsigned id = 0; id < PASS_COUNT; id++)
		if (pass_info[id].gives & facts & ~k->facts && !pass_run(k, id, cx))
			return false;
	assert(!(facts & ~k->facts));
	return true;
}

void pass_ctx_init(struct pass_ctx *cx, struct diag *d)
{
	memset(cx, 0, sizeof *cx);
	cx->diag = d;
	arena_init(&cx->scratch);
	cx->opt = (struct pass_options){ .maxreg = 63,
					 .maxpred = 7,
					 .inline_limit = INLINE_LIMIT,
					 .fold = true,
					 .schedule = SCHEDULE_LATENCY,
					 .pairs = PAIRS_GREEDY,
					 .sides = SIDES_DEFAULT,
					 .sides_seconds = 10,
					 .orf = ORF_OPTIONS_DEFAULT,
					 .regmutex = REGMUTEX_OPTIONS_DEFAULT };
#ifdef REGLOOM_DEBUG
	cx->opt.check = true;
#endif
}

void pass_ctx_free(struct pass_ctx *cx) { arena_free(&cx->scratch); }
