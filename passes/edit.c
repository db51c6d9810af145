/* Where an insertion on an edge goes, and the layout of new blocks.
 *
 * A new block on the edge that falls through is laid out between the two. One on the edge of a branch goes in front of
 * the block that it leads to, if nothing falls into that, else it goes behind the function's last block, with a branch
 * of its own. */
#include "passes/edit.h"

#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* Places of one old block, in this order; AT: before one of its instructions. */
enum { START, AT, BEFORE_END, AFTER_END };

struct place {
	uint32_t block, insn;  /* old ones; of a new block: block is NONE, insn its number */
	uint32_t rank, number; /* number: of the insertion */
};

/* a new block */
struct fresh {
	uint32_t from, to;
	bool jumps;
	uint32_t at; /* its number in the new layout */
};

struct put {
	struct edit *e;
	struct place *place; /* sorted */
	struct fresh *fresh;
	uint32_t nfresh;
	uint32_t *map;           /* new number of an old block */
	uint32_t *origin, *next; /* by new instruction; next place of a new block by its number */
};

void edit_begin(struct edit *e, struct kernel *k, struct arena *a)
{
	assert(k->form == FORM_MACHINE && k->facts & FACT_CFG);
	*e = (struct edit){ .k = k, .a = a };
}

static void add(struct edit *e, struct insertion i)
{
	arena_grow(e->a, e->ins, e->n, e->cap);
	e->ins[e->n++] = i;
}

void edit_before(struct edit *e, uint32_t i, enum op op, struct ref dst, struct ref src)
{
	add(e, (struct insertion){ i, NONE, (uint16_t)op, dst, src });
}

void edit_edge(struct edit *e, uint32_t from, uint32_t to, enum op op, struct ref dst, struct ref src)
{
	add(e, (struct insertion){ from, to, (uint16_t)op, dst, src });
}

static bool is_entry(const struct kernel *k, uint32_t b)
{
	return !b || (k->nproc && k->proc[ir_proc_of(k, b)].first == b);
}

static uint32_t successors(const struct kernel *k, uint32_t b)
{
	return k->cfg->local->succ_at[b + 1] - k->cfg->local->succ_at[b];
}
static uint32_t predecessors(const struct kernel *k, uint32_t b)
{
	return k->cfg->local->pred_at[b + 1] - k->cfg->local->pred_at[b];
}

/* What stands at the end of block b is executed by lanes that go to its one successor, and by no others. */
static bool end_is_edge(const struct kernel *k, uint32_t b)
{
	return successors(k, b) == 1 && !ir_block_end(k, b, OPF_CALL | OPF_TABLE | OPF_EXIT | OPF_RETURN);
}

static bool start_is_edge(const struct kernel *k, uint32_t b) { return predecessors(k, b) == 1 && !is_entry(k, b); }

bool edit_edge_is_critical(const struct kernel *k, uint32_t from, uint32_t to)
{
	return !end_is_edge(k, from) && !start_is_edge(k, to);
}

static bool falls_into(const struct kernel *k, uint32_t b) /* the next block */
{
	const struct insn *end = ir_block_end(k, b, OPF_END | OPF_CALL);

	return !end || !insn_kills(end) || op_info[end->op].flags & OPF_CALL;
}

static int by_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->rank == START && b->rank != START)
		return -1;
	if (b->rank == START && a->rank != START)
		return 1;
	if (a->insn != b->insn)
		return a->insn < b->insn ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_edge(const void *x, const void *y)
{
	const struct fresh *a = x, *b = y;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/* New blocks, each once, in the order of where they lead to. */
static void find_fresh(struct put *p)
{
	const struct edit *e = p->e;
	uint32_t n = 0;

	p->fresh = new_array(e->a, struct fresh, (size_t)e->n + 1);
	for (uint32_t x = 0; x < e->n; x++)
		if (e->ins[x].to != NONE && edit_edge_is_critical(e->k, e->ins[x].from, e->ins[x].to))
			p->fresh[n++] = (struct fresh){ .from = e->ins[x].from, .to = e->ins[x].to };
	qsort(p->fresh, n, sizeof *p->fresh, by_edge);
	for (uint32_t x = 0; x < n; x++)
		if (!x || by_edge(&p->fresh[x - 1], &p->fresh[x]))
			p->fresh[p->nfresh++] = p->fresh[x];
}

static uint32_t find_edge(const struct put *p, uint32_t from, uint32_t to)
{
	struct fresh key = { .from = from, .to = to };
	const struct fresh *f = bsearch(&key, p->fresh, p->nfresh, sizeof *p->fresh, by_edge);

	return (uint32_t)(f - p->fresh);
}

static void find_places(struct put *p, const uint32_t *block_of)
{
	const struct edit *e = p->e;
	const struct kernel *k = e->k;

	p->place = new_array(e->a, struct place, (size_t)e->n + 1);
	for (uint32_t x = 0; x < e->n; x++) {
		const struct insertion *i = &e->ins[x];
		struct place *at = &p->place[x];

		*at = (struct place){ .number = x, .rank = AT };
		if (i->to == NONE) {
			at->block = block_of[i->from];
			at->insn = i->from;
		} else if (end_is_edge(k, i->from)) {
			const struct insn *end = ir_block_end(k, i->from, OPF_BRANCH);

			at->block = i->from;
			at->insn = end ? (uint32_t)(end - k->insn) : k->block[i->from].first + k->block[i->from].n;
			at->rank = end ? BEFORE_END : AFTER_END;
		} else if (start_is_edge(k, i->to)) {
			at->block = i->to;
			at->insn = k->block[i->to].first;
			at->rank = START;
		} else {
			at->block = NONE;
			at->insn = find_edge(p, i->from, i->to);
		}
	}
	qsort(p->place, e->n, sizeof *p->place, by_place);
}

/* The layout: what comes where. order: old block, or k->nblock + number of a new one. */
static uint32_t *lay_out(struct put *p)
{
	const struct kernel *k = p->e->k;
	uint32_t n = 0, *order = new_array(p->e->a, uint32_t, (size_t)k->nblock + p->nfresh + 1);
	/* by block: number + 1 of the new one in front of it */
	uint32_t *head = new_array(p->e->a, uint32_t, (size_t)k->nblock + 1);
	uint32_t *tail = new_array(p->e->a, uint32_t, (size_t)k->nproc + 1),
		 *link = new_array(p->e->a, uint32_t, (size_t)p->nfresh + 1);

	for (uint32_t f = p->nfresh; f--;) {
		uint32_t to = p->fresh[f].to, proc = k->nproc ? ir_proc_of(k, to) : 0;
		bool falls = to && falls_into(k, to - 1);

		if (falls ? p->fresh[f].from == to - 1 && !is_entry(k, to) : !head[to] && !is_entry(k, to)) {
			head[to] = f + 1;
			continue;
		}
		p->fresh[f].jumps = true;
		link[f] = tail[proc];
		tail[proc] = f + 1;
	}
	for (uint32_t b = 0, proc = 0; b < k->nblock; b++) {
		if (head[b])
			order[n++] = k->nblock + head[b] - 1;
		order[n++] = b;
		if (b + 1 < k->nblock && !(k->nproc && proc + 1 < k->nproc && k->proc[proc + 1].first == b + 1))
			continue;
		for (uint32_t f = tail[proc]; f; f = link[f - 1])
			order[n++] = k->nblock + f - 1;
		proc++;
	}
	for (uint32_t x = 0; x < n; x++)
		if (order[x] < k->nblock)
			p->map[order[x]] = x;
		else
			p->fresh[order[x] - k->nblock].at = x;
	return order;
}

static void keep(struct put *p, struct rewrite *rw, uint32_t i)
{
	p->origin[p->e->k->ninsn] = i;
	rewrite_keep(rw, &rw->old[i]);
}

static void put_one(struct put *p, struct rewrite *rw, uint32_t number, const struct insn *like)
{
	struct edit *e = p->e;
	const struct insertion *x = &e->ins[number];
	const struct op_info *o = &op_info[x->op];
	struct insn *i;

	p->origin[e->k->ninsn] = number | EDIT_NEW;
	i = rewrite_new(rw, x->op, o->ndst, o->nsrc, like);
	i->guard = ref_none();
	if (o->ndst)
		insn_dst(e->k, i)[0] = x->dst;
	if (o->nsrc)
		insn_src(e->k, i)[0] = x->src;
}

static void put_block(struct put *p, struct rewrite *rw, const struct block *b, uint32_t number, uint32_t *at)
{
	const struct edit *e = p->e;

	for (uint32_t j = 0; j <= b->n; j++) {
		const uint32_t like = j < b->n ? j : j - 1;

		for (; *at < e->n && p->place[*at].block == number &&
		       (p->place[*at].rank == START || p->place[*at].insn == b->first + j);
		     ++*at)
			put_one(p, rw, p->place[*at].number, b->n ? &rw->old[b->first + like] : NULL);
		if (j < b->n)
			keep(p, rw, b->first + j);
	}
}

static void put_fresh(struct put *p, struct rewrite *rw, const struct fresh *f, const struct block *from, uint32_t *at)
{
	const struct edit *e = p->e;
	const struct insn *like = from->n ? &rw->old[from->first + from->n - 1] : NULL;

	for (; *at < e->n && p->place[*at].block == NONE && p->place[*at].insn == (uint32_t)(f - p->fresh); ++*at)
		put_one(p, rw, p->place[*at].number, like);
	if (f->jumps) {
		struct insn *i;

		p->origin[e->k->ninsn] = EDIT_JUMP | EDIT_NEW;
		i = rewrite_new(rw, OP_BRA, 0, 1, like);
		i->guard = ref_none();
		insn_src(e->k, i)[0] = (struct ref){ .kind = REF_BLOCK, .val = p->map[f->to] };
	}
}

/* The branch at the end of new block `from` goes to `over` where it went to `to`; a table gets a copy of its own. */
static void retarget(struct kernel *k, uint32_t from, uint32_t to, uint32_t over)
{
	struct insn *end = k->block[from].n ? &k->insn[k->block[from].first + k->block[from].n - 1] : NULL;

	if (!end || op_info[end->op].flags & OPF_CALL)
		return;
	if (op_info[end->op].flags & OPF_TABLE) {
		struct jump_table t = k->table[end->offset];

		arena_grow(k->a, k->table, k->ntable, k->table_cap);
		k->table[k->ntable] = (struct jump_table){ k->ntarget, t.n };
		end->offset = (int32_t)k->ntable++;
		for (uint32_t x = 0; x < t.n; x++) {
			struct target one = k->target[t.first + x];

			one.block = one.block == to ? over : one.block;
			arena_grow(k->a, k->target, k->ntarget, k->target_cap);
			k->target[k->ntarget++] = one;
		}
	} else if (op_info[end->op].flags & OPF_BRANCH && insn_src(k, end)[end->nsrc - 1].val == to) {
		ir_set_operands(k, end, 0, 1)[0] = (struct ref){ .kind = REF_BLOCK, .val = over };
	}
}

static void renumber(struct put *p)
{
	struct kernel *k = p->e->k;

	for (uint32_t x = 0; x < k->nopnd; x++)
		if (k->opnd[x].kind == REF_BLOCK)
			k->opnd[x].val = p->map[k->opnd[x].val] & REF_VAL_MAX;
	for (uint32_t x = 0; x < k->ntarget; x++)
		k->target[x].block = p->map[k->target[x].block];
	for (uint32_t x = 0; x < k->nproc; x++)
		k->proc[x].first = p->map[k->proc[x].first];
}

const uint32_t *edit_end(struct edit *e)
{
	struct kernel *k = e->k;
	struct put p = { .e = e };
	struct rewrite rw;
	uint32_t *block_of = new_array(e->a, uint32_t, (size_t)k->ninsn + 1), *order, nold = k->nblock, at = 0,
		 spilled = 0;
	uint32_t *fresh_at;
	struct block *old = k->block;

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			block_of[k->block[b].first + j] = b;
	find_fresh(&p);
	find_places(&p, block_of);
	p.map = new_array(e->a, uint32_t, (size_t)k->nblock + 1);
	order = lay_out(&p);
	p.origin = new_array(e->a, uint32_t, (size_t)k->ninsn + e->n + p.nfresh + 1);
	renumber(&p);
	k->nblock = k->block_cap = nold + p.nfresh;
	k->block = new_array(k->a, struct block, (size_t)k->nblock + 1);
	/* insertions into new blocks are sorted behind all others, by the number of the block */
	fresh_at = new_array(e->a, uint32_t, (size_t)p.nfresh + 1);
	for (uint32_t x = e->n; x-- && p.place[x].block == NONE;)
		fresh_at[p.place[x].insn] = x;
	rewrite_begin(&rw, k);
	for (uint32_t x = 0; x < k->nblock; x++) {
		bool is_new = order[x] >= nold;

		rewrite_block(&rw);
		if (is_new) {
			const struct fresh *f = &p.fresh[order[x] - nold];

			put_fresh(&p, &rw, f, &old[f->from], &fresh_at[order[x] - nold]);
		} else {
			k->block[x].label = old[order[x]].label;
			put_block(&p, &rw, &old[order[x]], order[x], &at);
		}
	}
	rewrite_end(&rw);
	for (uint32_t f = 0; f < p.nfresh; f++)
		retarget(k, p.map[p.fresh[f].from], p.map[p.fresh[f].to], p.fresh[f].at);
	for (uint32_t i = 0; i < k->ninsn && spilled < k->nspill; i++)
		if (p.origin[i] == k->spill[spilled].insn)
			k->spill[spilled++].insn = i;
	return p.origin;
}
