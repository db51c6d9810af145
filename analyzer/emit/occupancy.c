/* What of a machine's SM a kernel leaves unused: CTAs and warps by block size, what limits them, what one more CTA
 * takes, and what registers that warps share (passes/regmutex.h) would give. */
#include "analyzer/emit/view.h"

enum { BLOCKS_MAX = 16 };

static const uint32_t usual[] = { 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024 };

/* Block sizes to be shown: the one that is known, or usual ones that the kernel allows. */
static unsigned blocks_of(const struct kernel *k, const struct emit_machine *m, uint32_t out[BLOCKS_MAX])
{
	uint64_t allowed = k->maxntid[0] ? 1 : 1024;
	unsigned n = 0;

	if (m->cta.threads) {
		out[0] = m->cta.threads;
		return 1;
	}
	for (unsigned i = 0; k->maxntid[0] && i < 3; i++)
		allowed *= k->maxntid[i] ? k->maxntid[i] : 1;
	for (unsigned i = 0; i < sizeof usual / sizeof *usual; i++)
		if (usual[i] <= allowed)
			out[n++] = usual[i];
	if (!n)
		out[n++] = (uint32_t)allowed;
	return n;
}

static bool same_machine(const struct sm_limits *a, const struct sm_limits *b)
{
	return a->registers == b->registers && a->granule == b->granule && a->shared_bytes == b->shared_bytes &&
	       a->threads == b->threads && a->ctas == b->ctas;
}

/* What was decided when the kernel was compiled, if it was for this machine and block, else the same without trying
 * whether values find places. */
static const struct regmutex *regmutex_of(const struct kernel *k, const struct emit_machine *m,
					  const struct regmutex_needs *needs, uint32_t threads, struct arena *a)
{
	const struct occupancy_cta cta = { threads, m->cta.dynamic_bytes };
	struct regmutex *r;

	if (k->regmutex && same_machine(&k->regmutex->sm, &m->sm) && k->regmutex->cta.threads == threads &&
	    k->regmutex->cta.dynamic_bytes == cta.dynamic_bytes)
		return k->regmutex;
	r = new(a, struct regmutex);
	regmutex_examine(k, needs, &m->sm, cta, m->rules_off, k->regmutex && k->regmutex->even, r, a);
	return r;
}

/* "30 registers are alive at bar.sync 0 at k.ptx:7:2"; NULL: nowhere. */
static const char *needs_text(const struct kernel *k, const struct regmutex *r, struct arena *a)
{
	const char *where, *most = "none";

	if (r->needs.at == REGMUTEX_NONE)
		return NULL;
	where = ir_where(a, k, &k->insn[r->needs.at]);
	if (!k->native)
		most = arena_printf(a, "%u", r->needs.waiting);
	else if (r->needs.waiting)
		most = arena_printf(a, "R%u", r->needs.waiting - 1);
	return arena_printf(a, "%s where it waits for other warps: %s %s%s%s", most,
			    r->needs.wait == WAIT_SPIN ? "in the loop of" : "at", view_insn(a, k, r->needs.at),
			    *where ? " at " : "", where);
}

static void put_blocks(FILE *f, const struct kernel *k, const struct emit_machine *m,
		       const struct regmutex_needs *needs, bool models, struct arena *a)
{
	uint32_t block[BLOCKS_MAX];
	unsigned n = blocks_of(k, m, block);

	if (models)
		fprintf(f, "  %40s  %-25s  %6s\n", "", "RegMutex", "paired");
	fprintf(f, "  %5s  %4s  %11s  %-14s", "block", "CTAs", "warps", "limited by");
	if (models)
		fprintf(f, "  %5s  %8s  %8s  %6s", "warps", "sections", "shared", "warps");
	fputs("  for one more CTA\n", f);
	for (unsigned i = 0; i < n; i++) {
		struct occupancy_query q =
			regmutex_query(k, &m->sm, (struct occupancy_cta){ block[i], m->cta.dynamic_bytes });
		struct occupancy_gain g = occupancy_gain(&q);
		struct occupancy o = occupancy_of(&q);
		const struct regmutex *r = models ? regmutex_of(k, m, needs, block[i], a) : NULL;
		const char *gain =
			o.warps == o.warp_slots ? "every warp slot can be taken" : occupancy_gain_text(&q, &g, a);

		fprintf(f, "  %5u  %4u  %5u %4.0f%%  %-14s", block[i], o.ctas, o.warps,
			view_percent(o.warps, o.warp_slots), occupancy_limit_name(o.why));
		if (r && r->chosen != REGMUTEX_NONE) {
			const struct regmutex_size *s = &r->size[r->chosen];

			fprintf(f, "  %5u  %8u  %2u of %2u  %6u", s->warps, s->sections, s->extended, r->regs,
				s->paired_warps);
		} else if (r) {
			fprintf(f, "  %5s  %8s  %8s  %6s", "-", "-", "-", "-");
		}
		fprintf(f, "  %s\n", gain);
	}
}

/* Of all even sizes those that are worth most of the ones that let in as many warps. */
static bool is_shown(const struct regmutex *r, uint32_t x)
{
	const struct regmutex_size *s = &r->size[x];

	for (uint32_t y = 0; y < r->nsize && r->even && x != r->chosen; y++) {
		const struct regmutex_size *o = &r->size[y];

		if (o->warps == s->warps && (o->progress > s->progress || (o->progress == s->progress && y < x)))
			return false;
	}
	return true;
}

static void put_sizes(FILE *f, const struct kernel *k, const struct regmutex *r, bool compiled)
{
	const struct regmutex_size *best;
	struct arena a;
	const char *needs;

	arena_init(&a);
	fprintf(f, "  RegMutex, %s: ",
		r->cta.threads ? arena_printf(&a, "in CTAs of %u threads", r->cta.threads)
			       : "in CTAs of one warp, of which only registers and warp slots limit the number");
	best = view_progress(r);
	if (r->reason == REGMUTEX_HELD && best)
		fprintf(f, "%s: with %u registers %.1f warps progress at a time, not %u\n",
			regmutex_reason_text[r->reason], best->extended, (double)best->progress / REGMUTEX_PROGRESS,
			r->warps);
	else if (r->chosen == REGMUTEX_NONE)
		fprintf(f, "%s than %u\n", regmutex_reason_text[r->reason], r->warps);
	else
		fprintf(f, "%u warps instead of %u\n", r->size[r->chosen].warps, r->warps);
	needs = needs_text(k, r, &a);
	if (k->native)
		fprintf(f, "  registers keep their numbers: %s%s%s\n",
			r->needs.most ? arena_printf(&a, "the highest that holds a value is R%u", r->needs.most - 1)
				      : "none holds a value",
			needs ? ", " : "", needs ? needs : "");
	else
		fprintf(f, "  at most %u registers are needed%s%s\n", r->needs.most, needs ? ", and " : "",
			needs ? needs : "");
	if (r->nsize)
		fprintf(f, "\n  %8s  %4s  %4s  %5s  %8s  %8s  %12s  %5s\n", "extended", "base", "CTAs", "warps",
			"sections", "progress", "paired: CTAs", "warps");
	for (uint32_t x = 0; x < r->nsize; x++) {
		const struct regmutex_size *s = &r->size[x];
		const char *verdict = s->why == SIZE_LEGAL ? "" : "  no: ";

		if (!is_shown(r, x))
			continue;
		fprintf(f, "  %8u  %4u  %4u  %5u  %8u  %8s  %12u  %5u%s%s\n", s->extended, s->base, s->ctas, s->warps,
			s->sections,
			s->progress ? arena_printf(&a, "%.1f", (double)s->progress / REGMUTEX_PROGRESS) : "-",
			s->paired_ctas, s->paired_warps, x == r->chosen ? "  chosen" : verdict,
			s->why == SIZE_LEGAL ? "" : regmutex_why_text[s->why]);
	}
	if (!compiled && r->nsize && !k->native)
		fprintf(f, "  Whether values find places in the base set, and how long the other is held, is known of "
			   "the machine and block that it was compiled for.\n");
	arena_free(&a);
}

void emit_occupancy(FILE *f, const struct kernel *k, const struct emit_machine *m, bool models)
{
	const struct regmutex *r;
	struct regmutex_needs needs;
	struct arena a;

	arena_init(&a);
	regmutex_find_needs(k, m->liveness, &needs);
	fprintf(f, "kernel %s on %s: %u registers a thread (%u allocated), %u bytes of shared memory a CTA%s%s\n",
		view_name(&a, k), m->sm.machine, k->res.regs, occupancy_allocated(&m->sm, k->res.regs),
		k->res.shared_bytes + m->cta.dynamic_bytes,
		m->cta.dynamic_bytes ? arena_printf(&a, " (%u of them by the launch)", m->cta.dynamic_bytes) : "",
		m->cta.threads ? "" : "; the block size is not known");
	fprintf(f, "an SM has %u registers, %u bytes of shared memory, %u warps, %u CTAs\n\n", m->sm.registers,
		m->sm.shared_bytes, m->sm.threads / WARP_THREADS, m->sm.ctas);
	put_blocks(f, k, m, &needs, models, &a);
	fputc('\n', f);
	if (models) {
		r = regmutex_of(k, m, &needs, m->cta.threads, &a);
		put_sizes(f, k, r, r == k->regmutex);
	} else {
		fputs("  what sharing registers between warps (RegMutex) would give is not shown: --techniques\n", f);
	}
	arena_free(&a);
}

/* ---- for tools ---- */
static json_t *size_json(const struct regmutex *r, uint32_t x)
{
	const struct regmutex_size *s = &r->size[x];
	json_t *j =
		json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b}", "extended", (json_int_t)s->extended, "base",
			  (json_int_t)s->base, "ctas", (json_int_t)s->ctas, "warps", (json_int_t)s->warps, "sections",
			  (json_int_t)s->sections, "paired_ctas", (json_int_t)s->paired_ctas, "paired_warps",
			  (json_int_t)s->paired_warps, "legal", s->why == SIZE_LEGAL, "chosen", x == r->chosen);

	if (s->progress)
		json_object_set_new(j, "progress", json_real((double)s->progress / REGMUTEX_PROGRESS));
	if (s->why != SIZE_LEGAL)
		json_object_set_new(j, "why", json_string(regmutex_why_text[s->why]));
	return j;
}

json_t *view_gain_json(const struct occupancy_gain *g)
{
	json_t *gains = json_array();

	for (unsigned i = 0; i < g->n; i++) {
		const struct occupancy_change *c = &g->change[i];
		json_t *x = json_object();

		if (c->what >> LIMIT_THREADS & 1)
			json_object_set_new(x, "threads", json_integer(c->threads));
		if (c->what >> LIMIT_REGISTERS & 1)
			json_object_set_new(x, "registers", json_integer(c->regs));
		if (c->what >> LIMIT_SHARED & 1)
			json_object_set_new(x, "shared_bytes", json_integer(c->shared_bytes));
		json_array_append_new(gains, x);
	}
	return gains;
}

static json_t *block_json(const struct kernel *k, const struct emit_machine *m, const struct regmutex_needs *needs,
			  uint32_t threads, struct arena *a)
{
	struct occupancy_query q = regmutex_query(k, &m->sm, (struct occupancy_cta){ threads, m->cta.dynamic_bytes });
	struct occupancy_gain g = occupancy_gain(&q);
	struct occupancy o = occupancy_of(&q);
	const struct regmutex *r = regmutex_of(k, m, needs, threads, a);
	json_t *sizes = json_array(), *j;

	for (uint32_t x = 0; x < r->nsize; x++)
		json_array_append_new(sizes, size_json(r, x));
	j = json_pack("{s:I, s:I, s:I, s:s, s:o, s:s, s:o}", "threads", (json_int_t)threads, "ctas", (json_int_t)o.ctas,
		      "warps", (json_int_t)o.warps, "limited_by", occupancy_limit_name(o.why), "one_more",
		      view_gain_json(&g), "regmutex", regmutex_reason_text[r->reason], "sizes", sizes);
	json_object_set_new(j, "places_tried", json_boolean(r == k->regmutex));
	return j;
}

json_t *view_occupancy_json(const struct kernel *k, const struct emit_machine *m)
{
	uint32_t block[BLOCKS_MAX];
	unsigned n = blocks_of(k, m, block);
	json_t *blocks = json_array(), *j;
	const struct regmutex *r;
	struct regmutex_needs needs;
	struct arena a;

	arena_init(&a);
	regmutex_find_needs(k, m->liveness, &needs);
	for (unsigned i = 0; i < n; i++)
		json_array_append_new(blocks, block_json(k, m, &needs, block[i], &a));
	r = regmutex_of(k, m, &needs, m->cta.threads, &a);
	j = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "machine", m->sm.machine, "rf_registers",
		      (json_int_t)m->sm.registers, "allocated", (json_int_t)occupancy_allocated(&m->sm, k->res.regs),
		      "shared_bytes", (json_int_t)m->sm.shared_bytes, "dynamic_shared_bytes",
		      (json_int_t)m->cta.dynamic_bytes, "warp_slots", (json_int_t)(m->sm.threads / WARP_THREADS),
		      "cta_slots", (json_int_t)m->sm.ctas, "registers_needed", (json_int_t)r->needs.most,
		      "registers_waiting", (json_int_t)r->needs.waiting, "blocks", blocks);
	arena_free(&a);
	return j;
}
