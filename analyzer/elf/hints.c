/* CORF's hints in an object. The metadata words are the hints; the graph beside them is what they were chosen from, so
 * that views of an object show it, and its weights stay those of the options that the object was made with. A reader
 * knows from the code which edges there must be, and checks that the words are hints for this graph. */
#include "analyzer/base/hash.h"
#include "analyzer/elf/format.h"
#include "passes/corf.h"
#include "passes/pass.h"

/* Over the graph and all that was chosen from it and for it. Weights are not to be known from the code, so nothing else
 * finds a bit of one that has changed. */
static uint64_t sum(const struct kernel *k)
{
	const struct corf_hints *h = k->corf;
	uint64_t x = HASH_START;

	for (uint32_t e = 0; e < k->affinity->m; e++)
		x = ir_hash_number(ir_hash_number(x, k->affinity->e[e].a | (uint64_t)k->affinity->e[e].b << 32),
				   k->affinity->e[e].w);
	x = ir_hash_number(ir_hash_number(ir_hash_number(x, h->greedy_kept), h->matching_kept), h->align_bound);
	x = ir_hash_number(x, (uint64_t)h->pairs | (uint64_t)h->sides << 8 | (uint64_t)h->limited << 16 |
				      (uint64_t)h->counted << 24);
	for (uint32_t w = 0; w < h->npair_word; w++)
		x = ir_hash_number(x, h->pair_word[w]);
	for (uint32_t w = 0; w < h->nalign_word; w++)
		x = ir_hash_number(x, h->align_word[w]);
	return x;
}

void rlo_encode_hints(const struct kernel *k, struct arena *a, struct rlo_hints *out)
{
	const struct corf_hints *h = k->corf;

	*out = (struct rlo_hints){ rlo_table_begin(RLO_R_affinity, a), rlo_table_begin(RLO_R_corf, a),
				   rlo_table_begin(RLO_R_pairs, a), rlo_table_begin(RLO_R_align, a) };
	for (uint32_t e = 0; e < k->affinity->m; e++)
		RLO_PUT(&out->affinity, affinity, .a = (uint16_t)k->affinity->e[e].a,
			.b = (uint16_t)k->affinity->e[e].b, .weight = k->affinity->e[e].w);
	RLO_PUT(&out->corf, corf, .greedy_kept = h->greedy_kept, .matching_kept = h->matching_kept,
		.align_bound = h->align_bound, .pairs = (uint8_t)h->pairs, .sides = (uint8_t)h->sides,
		.limited = h->limited, .counted = h->counted, .sum = sum(k));
	for (uint32_t w = 0; w < h->npair_word; w++)
		RLO_PUT(&out->pairs, pairs, .word = h->pair_word[w]);
	for (uint32_t w = 0; w < h->nalign_word; w++)
		RLO_PUT(&out->align, align, .word = h->align_word[w]);
}

/* The edges are those of the code; the weights are not to be known from it. */
static bool read_graph(struct reader *r, struct kernel *k)
{
	struct wgraph *g = k->affinity = new(k->a, struct wgraph);
	struct table t;

	affinity_build(k, NULL, k->a, g);
	if (!rlo_open(r, RLO_R_affinity, k->name, true, &t))
		return false;
	if (t.n != g->m)
		return rlo_bad(r, &t, 0, "holds %u edges where the code has %u", t.n, g->m);
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_affinity x;

		RLO_GET(&t, i, affinity, &x);
		if (x.a != g->e[i].a || x.b != g->e[i].b || x.weight > GRAPH_WEIGHT_MAX)
			return rlo_bad(r, &t, i,
				       "edge %u: R%u and R%u with weight %llu, where the code has R%u and R%u", i, x.a,
				       x.b, (unsigned long long)x.weight, g->e[i].a, g->e[i].b);
		g->e[i].w = x.weight;
	}
	return true;
}

static bool read_words(struct reader *r, struct kernel *k, enum rlo_record id, uint64_t **word, uint32_t *n)
{
	struct table t;

	if (!rlo_open(r, id, k->name, true, &t))
		return false;
	if (t.n > 256) /* more than there are registers */
		return rlo_bad(r, &t, 0, "%u metadata words", t.n);
	*word = new_array(k->a, uint64_t, t.n + 1);
	*n = t.n;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_pairs x; /* of one shape with rlo_align */

		RLO_GET(&t, i, pairs, &x);
		(*word)[i] = x.word;
	}
	return true;
}

bool rlo_read_hints(struct reader *r, struct kernel *k)
{
	struct corf_hints *h = k->corf = new(k->a, struct corf_hints);
	struct rlo_corf x;
	struct table t;

	if (!read_graph(r, k) || !rlo_open(r, RLO_R_corf, k->name, false, &t))
		return false;
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records instead of one", t.n);
	RLO_GET(&t, 0, corf, &x);
	if (x.pairs >= PAIRS_COUNT || x.sides >= SIDES_COUNT || x.limited > 1 || x.counted > 1)
		return rlo_bad(r, &t, 0, "pairs of kind %u, alignment of kind %u", x.pairs, x.sides);
	h->pairs = x.pairs;
	h->sides = x.sides;
	h->limited = x.limited;
	h->counted = x.counted;
	h->greedy_kept = x.greedy_kept;
	h->matching_kept = x.matching_kept;
	h->align_bound = x.align_bound;
	if (!read_words(r, k, RLO_R_pairs, &h->pair_word, &h->npair_word) ||
	    !read_words(r, k, RLO_R_align, &h->align_word, &h->nalign_word))
		return false;
	if (!corf_decode(h, k->affinity->n))
		return rlo_bad(r, &t, 0, "the metadata words of %s are none", k->name);
	if (!corf_weigh(h, k->affinity))
		return rlo_bad(r, &t, 0, "pairs or alignment are not for registers that the code reads together");
	if (h->pair_kept != (h->pairs == PAIRS_GREEDY ? h->greedy_kept : h->matching_kept) ||
	    h->greedy_kept > h->matching_kept || h->matching_kept > h->total ||
	    h->align_bound > h->total - h->align_kept)
		return rlo_bad(r, &t, 0, "weights are not those of the hints");
	if (x.sum != sum(k))
		return rlo_bad(r, &t, 0, "the graph or the hints are not those that were written");
	k->facts |= FACT_AFFINITY | FACT_CORF;
	return true;
}
