/* The regions of a kernel: where values of upper levels live. Strands say where one begins; what a strand leaves of
 * each block is a segment. An edge stays in the region if it leads forward, in the order of the code, to a segment of
 * the same strand that does not begin it. Every other way out of a segment is an exit, and a segment that has another
 * way in is fresh: nothing that was put into an upper level before may be looked for there. So whatever strands are
 * given, what follows from regions is right. Code that nothing reaches is not joined to any. */
#include "orf_alloc.h"
#include "orf_traffic.h"

/* The first block from b on that has instructions. */
static uint32_t filled(const struct kernel *k, uint32_t b)
{
	while (k->block[b].n == 0)
		b++;
	return b;
}

static void add_live(struct orf_segment *s, const struct kernel *k, uint32_t b)
{
	struct live_set l = live_in(k, b);

	for (uint32_t i = 0; i < l.n && l.reg[i] < MREG_RZ; i++)
		bitset_add(s->live, l.reg[i]);
}

/* Cuts blocks at the beginnings of strands. The segment before a cut is left at it, with what is live there. */
static void cut_blocks(struct orf_code *c, struct arena *a)
{
	const struct kernel *k = c->k;
	uint64_t *set = bitset_new(a, MREG_ALL);
	uint32_t cap = 0;

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, n = k->block[b].n, from = c->nseg;

		for (uint32_t j = 0; j < n; j++) {
			if (!j || k->strand->begin[first + j] & STRAND_BEGIN) {
				arena_grow(a, c->seg, c->nseg, cap);
				c->seg[c->nseg++] =
					(struct orf_segment){ .first = first + j,
							      .block = b,
							      .strand = k->strand->id[first + j],
							      .fresh = k->strand->begin[first + j] & STRAND_BEGIN ||
								       k->cfg->rpo_index[b] == UINT32_MAX,
							      .weight = orf_block_weight(k, c->o->weights, b) };
			}
			c->seg[c->nseg - 1].n++;
		}
		if (c->nseg - from < 2)
			continue;
		live_put(live_out(k, b), set);
		for (uint32_t s = c->nseg; s-- > from + 1;) {
			for (uint32_t j = c->seg[s].first + c->seg[s].n; j-- > c->seg[s].first;)
				live_step_back(k, &k->insn[j], set);
			memcpy(c->seg[s - 1].live, set, sizeof c->seg->live);
		}
		for (uint32_t j = c->seg[from].first + c->seg[from].n; j-- > c->seg[from].first;)
			live_step_back(k, &k->insn[j], set);
		live_take(live_in(k, b), set);
	}
}

/* By strand, those of one in the order of the code. */
static void sort_segments(struct orf_code *c, struct arena *a)
{
	uint32_t *at = new_array(a, uint32_t, (size_t)c->k->strand->n + 1);
	struct orf_segment *sorted = new_array(a, struct orf_segment, (size_t)c->nseg + 1);

	for (uint32_t s = 0; s < c->nseg; s++)
		at[c->seg[s].strand + 1]++;
	for (uint32_t i = 0; i < c->k->strand->n; i++)
		at[i + 1] += at[i];
	for (uint32_t s = 0; s < c->nseg; s++)
		sorted[at[c->seg[s].strand]++] = c->seg[s];
	c->seg = sorted;
}

/* The ways from segment s, the last of its block. */
static void add_edges(struct orf_code *c, uint32_t s, const uint32_t *first_of, struct arena *a)
{
	const struct kernel *k = c->k;
	struct orf_segment *seg = &c->seg[s];
	uint32_t from = k->cfg->succ_at[seg->block], n = k->cfg->succ_at[seg->block + 1] - from;
	uint32_t *succ = new_array(a, uint32_t, n);
	bool reached = k->cfg->rpo_index[seg->block] != UINT32_MAX; /* else it leads nowhere */

	seg->succ = succ;
	for (uint32_t e = 0; e < n; e++) {
		uint32_t to = first_of[filled(k, k->cfg->succ[from + e])];

		if (reached && c->o->forward_branches && to > s && c->seg[to].strand == seg->strand &&
		    !(k->strand->begin[c->seg[to].first] & STRAND_BEGIN)) {
			succ[seg->nsucc++] = to;
		} else {
			c->seg[to].fresh |= reached;
			add_live(seg, k, c->seg[to].block);
		}
	}
}

static void link_segments(struct orf_code *c, struct arena *a)
{
	const struct kernel *k = c->k;
	uint32_t *first_of = new_array(a, uint32_t, (size_t)k->nblock + 1);

	for (uint32_t s = 0; s < c->nseg; s++)
		if (c->seg[s].first == k->block[c->seg[s].block].first)
			first_of[c->seg[s].block] = s;
	if (c->nseg)
		c->seg[first_of[filled(k, 0)]].fresh = true;
	for (uint32_t s = 0; s < c->nseg; s++)
		if (c->seg[s].first + c->seg[s].n == k->block[c->seg[s].block].first + k->block[c->seg[s].block].n)
			add_edges(c, s, first_of, a);
}

void orf_code_build(struct orf_code *c, const struct kernel *k, const struct orf_options *o, struct arena *a)
{
	*c = (struct orf_code){ .k = k, .o = o };
	cut_blocks(c, a);
	sort_segments(c, a);
	link_segments(c, a);
	c->region = new_array(a, struct orf_region, (size_t)c->nseg + 1);
	for (uint32_t s = 0; s < c->nseg; s++) {
		struct orf_region *r;

		if (!s || !o->forward_branches || c->seg[s].strand != c->seg[s - 1].strand)
			c->region[c->nregion++].seg = s;
		r = &c->region[c->nregion - 1];
		r->nseg++;
		c->seg[s].point = r->npoint;
		r->npoint += c->seg[s].n;
	}
}
