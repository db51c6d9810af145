/* Strands and hints for caches for people and tools: notes of the listing, rows of the summary, members of the JSON. */
#include "view.h"

#include "passes/rfc.h"
#include "passes/strand.h"

const char *view_strand(struct arena *a, const struct kernel *k, uint32_t i)
{
	uint8_t x = k->strand->begin[i];

	if (!(x & STRAND_BEGIN))
		return x & STRAND_WAIT ? "waits" : "";
	if ((x & (STRAND_WAIT | STRAND_CAUSE)) == (STRAND_WAIT | STRAND_LONG))
		return arena_printf(a, "strand %u: waits: long latency", k->strand->id[i]);
	return arena_printf(a, "strand %u: %s%s", k->strand->id[i], strand_cause_name[x & STRAND_CAUSE],
			    x & STRAND_WAIT ? ", waits: long latency" : "");
}

void view_cached(const struct kernel *k, uint32_t i, struct view_cached *out)
{
	struct insn_regs r;

	out->nlast = out->nshared = 0;
	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned s = 0; s < r.nsrc && s < RFC_SOURCES; s++)
		if (k->rfc->last[i] >> s & 1)
			out->last[out->nlast++] = r.src[s];
	for (unsigned d = 0; d < r.ndst && d < RFC_RESULTS; d++)
		if (k->rfc->shared[i] >> d & 1)
			out->shared[out->nshared++] = r.dst[d];
}

void view_put_strands(FILE *f, const struct kernel *k)
{
	const struct strands *t = k->strand;
	const char *sep = "; ";

	fprintf(f, "  %-14s %u of %.1f instructions, %u of them after a wait", "strands", t->n,
		t->n ? (double)k->ninsn / t->n : 0, t->waits);
	for (unsigned c = 0; c < STRAND_CAUSES; c++)
		if (t->count[c]) {
			fprintf(f, "%s%s %u", sep, strand_cause_name[c], t->count[c]);
			sep = ", ";
		}
	if (t->never_flush)
		fputs("; a descheduled warp keeps its entries", f);
	else if (t->past_barriers)
		fputs("; a warp keeps its entries where it waits at a barrier", f);
	fputc('\n', f);
}

json_t *view_strands_json(const struct kernel *k)
{
	const struct strands *t = k->strand;
	json_t *causes = json_object();

	for (unsigned c = 0; c < STRAND_CAUSES; c++)
		if (json_object_set_new(causes, strand_cause_name[c], json_integer(t->count[c])) != 0) {
			json_decref(causes);
			return NULL;
		}
	return json_pack("{s:I, s:I, s:b, s:b, s:o}", "count", (json_int_t)t->n, "waits", (json_int_t)t->waits,
			 "never_flush", t->never_flush, "past_barriers", t->past_barriers, "causes", causes);
}
