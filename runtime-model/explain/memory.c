/* What memory instructions ask of the load-store unit: events to counts. */
#include "runtime-model/explain/counts.h"

static uint64_t in_lines(uint64_t bytes) { return (bytes + LINE_BYTES - 1) / LINE_BYTES; }

static unsigned bytes_of(const struct kernel *k, uint32_t at)
{
	const struct insn *i = &k->insn[at];

	if (k->native)
		return k->native->access[at];
	return op_info[i->op].mem_bytes * (i->vec ? i->vec : 1u);
}

/* The instruction's lanes, and what they would need at best, which is not known of those that do not say how much
 * memory they are about. */
static void enter(struct memory_counts *m, const struct kernel *k, const struct probe_event *e)
{
	unsigned lanes = (unsigned)__builtin_popcount(e->active);
	uint64_t bytes = (uint64_t)lanes * bytes_of(k, e->insn);

	m->times++;
	m->lanes += lanes;
	m->lined +=
		e->where == PROBE_ACCESS_LINES || e->where == PROBE_ACCESS_CONST || e->where == PROBE_ACCESS_TEXTURE;
	if (e->where == PROBE_ACCESS_LINES)
		m->ideal_lines += in_lines(bytes);
	if (e->where == PROBE_ACCESS_CONST) {
		m->uniform++;
		m->addresses += e->n;
	} else if (e->n) { /* of a generic access that wants lines too, it is not known for which lanes: one at least */
		m->passed++;
		m->passes += e->n;
		if (e->where != PROBE_ACCESS_SHARED)
			m->ideal_passes++;
		else
			m->ideal_passes += bytes ? in_lines(bytes) : e->n;
	}
}

void memory_count(struct insn_counts *n, struct sm_counts *s, const struct kernel *k, const struct probe_event *e)
{
	struct memory_counts *m = &n->memory;

	if (e->kind == PROBE_ACCESS) {
		enter(m, k, e);
		s->unit_since = e->at;
	} else if (e->kind == PROBE_LINE) {
		m->lines++;
		m->sectors += e->n;
		m->how[e->where]++;
	} else if (e->kind == PROBE_SENT) {
		m->cycles += e->n ? e->n : e->at - s->unit_since;
	} else if (k->insn[e->insn].ndst) {
		m->results++;
		m->latency += e->n;
	}
}

void memory_add(struct memory_counts *into, const struct memory_counts *from)
{
	uint64_t *to = (uint64_t *)(void *)into;
	const uint64_t *n = (const uint64_t *)(const void *)from;

	for (size_t i = 0; i < sizeof *into / sizeof *to; i++)
		to[i] += n[i];
}

bool memory_check(const struct memory_counts *n, const struct stats *st, struct diag *d)
{
	uint64_t lines = 0;

	for (unsigned i = 0; i < PROBE_LINES; i++)
		lines += n->how[i];
	return counts_same(d, "memory instructions = mem_instructions", n->times, st->mem_instructions) &&
	       counts_same(d, "lines by what became of them = lines", lines, n->lines) &&
	       counts_same(d, "lines that hit = hits of the caches", n->how[PROBE_LINE_HIT],
			   st->l1_read_hits + st->const_read_hits + st->const_l15_hits - st->const_operand_hits +
				   st->tex_read_hits) &&
	       counts_same(d, "lines that merged = merges of the caches", n->how[PROBE_LINE_MERGE],
			   st->l1_read_merges + st->const_read_merges - st->const_operand_merges) &&
	       counts_same(d, "lines that missed = misses of the caches", n->how[PROBE_LINE_MISS],
			   st->l1_read_misses + st->const_read_misses - st->const_operand_misses +
				   st->tex_read_misses) &&
	       counts_same(d, "lines past the L1 = l1_bypasses", n->how[PROBE_LINE_PAST], st->l1_bypasses) &&
	       counts_same(d, "lines stored = l1_writes", n->how[PROBE_LINE_STORE], st->l1_writes) &&
	       counts_same(d, "lines of atomics = sent_atomics", n->how[PROBE_LINE_ATOMIC], st->sent_atomics) &&
	       counts_same(d, "passes = shared_passes", n->passes, st->shared_passes);
}
