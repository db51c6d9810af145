/* Ways back from the peak to the writes that its values come from, and on to the reads of each, over the control-flow
 * graph. All registers are followed together: a block is walked again only for registers that it was not walked for. */
#include "analyzer/emit/pressure.h"

#include "analyzer/base/worklist.h"

#include <string.h>

enum { WORDS = (MREG_RZ + 63) / 64, LINES_SHOWN = 5 };

struct set {
	uint64_t w[WORDS];
};

/* ---- ways ---- */
struct walk {
	const struct kernel *k;
	bool back;                 /* to writes; else on to reads */
	uint32_t from;             /* the peak */
	struct set *seen, *todo;   /* by block: walked for, from its end or beginning; to be walked for */
	uint32_t *block, *place;   /* in the order of the walk, and where each is in it */
	struct worklist work;      /* places with something to do */
	struct pressure_ends *end; /* by register */
};

static bool empty(const struct set *s)
{
	uint64_t any = 0;

	for (unsigned w = 0; w < WORDS; w++)
		any |= s->w[w];
	return !any;
}

static void reach(const struct walk *x, struct pressure_ends *e, uint32_t i)
{
	const bool side = (i < x->from) == x->back, was = e->n && (e->near < x->from) == x->back;
	bool nearer = !e->n || side;

	if (e->n && side == was)
		nearer = x->back && side ? i > e->near : i < e->near;
	if (nearer)
		e->near = i;
	e->first = !e->n || i < e->first ? i : e->first;
	e->n++;
}

/* Takes from *s what instruction i is an end for. A guarded write may leave the value that was there, if anything reads
 * it then; what reads a register needs no other read. */
static void meet(struct walk *x, uint32_t i, struct set *s)
{
	const struct insn *n = &x->k->insn[i];
	struct reg_use use[REG_USE_MAX];
	unsigned uses = insn_reg_uses(x->k, n, use);
	struct set found = { { 0 } }, gone = { { 0 } };

	for (unsigned u = 0; u < uses; u++)
		if (use[u].reg < MREG_RZ && bitset_has(s->w, use[u].reg)) {
			if (use[u].write == x->back)
				bitset_add(found.w, use[u].reg);
			if ((!x->back && !use[u].write) || (use[u].write && insn_kills_reg(n, use[u].reg)))
				bitset_add(gone.w, use[u].reg);
		}
	for (uint32_t r = bitset_next(found.w, 0, MREG_RZ); r < MREG_RZ; r = bitset_next(found.w, r + 1, MREG_RZ))
		reach(x, &x->end[r], i);
	for (unsigned w = 0; w < WORDS; w++)
		s->w[w] &= ~gone.w[w];
}

static void go_on(struct walk *x, uint32_t b, const struct set *s)
{
	const struct cfg *g = x->k->cfg;
	const uint32_t *at = x->back ? g->pred_at : g->succ_at, *to = x->back ? g->pred : g->succ;

	for (uint32_t e = at[b]; e < at[b + 1]; e++) {
		uint64_t more = 0;

		for (unsigned w = 0; w < WORDS; w++) {
			more |= s->w[w] & ~x->seen[to[e]].w[w];
			x->todo[to[e]].w[w] |= s->w[w] & ~x->seen[to[e]].w[w];
		}
		if (more)
			worklist_add(&x->work, x->place[to[e]]);
	}
	for (uint32_t r = bitset_next(s->w, 0, MREG_RZ); x->back && b == 0 && r < MREG_RZ;
	     r = bitset_next(s->w, r + 1, MREG_RZ))
		x->end[r].start = true;
}

/* From instruction `from` of block b, on or back, for s. */
static void walk_block(struct walk *x, uint32_t b, uint32_t from, struct set s)
{
	const struct block *l = &x->k->block[b];

	if (x->back)
		for (uint32_t i = from; i-- > l->first && !empty(&s);)
			meet(x, i, &s);
	else
		for (uint32_t i = from; i < l->first + l->n && !empty(&s); i++)
			meet(x, i, &s);
	if (!empty(&s))
		go_on(x, b, &s);
}

static void walk_from(struct walk *x, uint32_t at, const struct set *live)
{
	const struct kernel *k = x->k;
	uint32_t p;

	walk_block(x, ir_block_of(k, at), at, *live);
	while (worklist_take(&x->work, &p)) {
		const uint32_t b = x->block[p];
		const struct set s = x->todo[b];

		for (unsigned w = 0; w < WORDS; w++)
			x->seen[b].w[w] |= s.w[w];
		x->todo[b] = (struct set){ { 0 } };
		walk_block(x, b, x->back ? k->block[b].first + k->block[b].n : k->block[b].first, s);
	}
}

/* The ends of each register of `live`, by register. */
static struct pressure_ends *find_ends(const struct kernel *k, bool back, uint32_t at, const struct set *live,
				       struct arena *a)
{
	struct walk x = { .k = k, .back = back, .from = at };

	x.block = view_block_order(k, &x.place, a);
	for (uint32_t b = 0; back && b < k->nblock; b++)
		x.place[b] = k->nblock - 1 - x.place[b];
	for (uint32_t b = 0; back && b < k->nblock; b++)
		x.block[x.place[b]] = b;
	x.work = worklist_new(a, k->nblock);
	x.seen = new_array(a, struct set, (size_t)k->nblock + 1);
	x.todo = new_array(a, struct set, (size_t)k->nblock + 1);
	x.end = new_array(a, struct pressure_ends, MREG_RZ);
	walk_from(&x, at, live);
	return x.end;
}

struct pressure_value *pressure_find(const struct view *v, uint32_t *n, struct arena *a)
{
	struct pressure_value *out = new_array(a, struct pressure_value, MREG_RZ);
	struct pressure_ends *made, *read;
	struct set live = { { 0 } };

	*n = 0;
	if (!v->most.regs)
		return out;
	for (uint32_t r = 0; r < MREG_RZ; r++)
		if (bitset_has(v->before + (size_t)v->most_at * v->words, r))
			bitset_add(live.w, r);
	made = find_ends(v->k, true, v->most_at, &live, a);
	read = find_ends(v->k, false, v->most_at, &live, a);
	for (uint32_t r = bitset_next(live.w, 0, MREG_RZ); r < MREG_RZ; r = bitset_next(live.w, r + 1, MREG_RZ))
		out[(*n)++] = (struct pressure_value){ r, made[r], read[r] };
	return out;
}

/* ---- the view ---- */
enum { COLUMNS = 4 };

static bool same_ends(const struct pressure_ends *a, const struct pressure_ends *b)
{
	return a->first == b->first && a->n == b->n && a->start == b->start;
}

static const char *insn_name(struct view *v, uint32_t i)
{
	return arena_printf(&v->a, "%s%s", v->k->native ? "" : "instruction ", view_insn_name(&v->a, v->k, i));
}

/* "0x0120  k.cu:4" */
static const char *at_text(struct view *v, uint32_t i)
{
	const char *place = view_place(&v->a, v, i);

	return arena_printf(&v->a, "%s%s%s", insn_name(v, i), place ? "  " : "", place ? place : "");
}

static const char *ends_text(struct view *v, const struct pressure_ends *e)
{
	const char *rest = e->n > 1 ? arena_printf(&v->a, ", and at %u more", e->n - 1) : "";

	if (!e->n)
		return e->start ? "nowhere: nothing writes it" : "nowhere";
	return arena_printf(&v->a, "%s%s%s", at_text(v, e->first), rest, e->start ? ", or not yet" : "");
}

void emit_pressure(FILE *f, const struct module *m, const struct kernel *k)
{
	const char *(*cell)[COLUMNS];
	struct pressure_value *p;
	const char *place;
	int width[COLUMNS] = { 0 };
	uint32_t n, rows = 1;
	struct view v;

	view_init(&v, m, k);
	p = pressure_find(&v, &n, &v.a);
	place = n ? view_place(&v.a, &v, v.most_at) : NULL;
	fprintf(f, "kernel %s (%s)\n", view_name(&v.a, k), view_code(m, k, &v.a));
	if (!n) {
		fprintf(f, "  %s\n",
			view_live_untold(&v) ? view_live_untold(&v) : "no general register is live anywhere");
		view_free(&v);
		return;
	}
	fprintf(f, "  %s%u general register%s live before %s%s, the first place with so many%s; a thread has %u\n\n",
		view_open(k, 0) < k->ninsn ? "at most " : "", n, n == 1 ? " is" : "s are", insn_name(&v, v.most_at),
		place ? arena_printf(&v.a, ", %s", place) : "",
		view_live_untold(&v) ? ", functions of other files not counted" : "", k->res.regs);
	cell = arena_alloc_array(&v.a, (size_t)n + 1, sizeof *cell, _Alignof(const char *));
	memcpy(cell[0], (const char *const[COLUMNS]){ "register", "made at", "by", "read next at" }, sizeof cell[0]);
	for (uint32_t i = 0, run; i < n; i += run, rows++) {
		for (run = 1; i + run < n && p[i + run].reg == p[i].reg + run &&
			      same_ends(&p[i].made, &p[i + run].made) && same_ends(&p[i].read, &p[i + run].read);)
			run++;
		cell[rows][0] = run > 1 ? arena_printf(&v.a, "R%u-R%u", p[i].reg, p[i].reg + run - 1)
					: arena_printf(&v.a, "R%u", p[i].reg);
		cell[rows][1] = ends_text(&v, &p[i].made);
		cell[rows][2] = p[i].made.n ? view_insn(&v.a, k, p[i].made.first) : "-";
		cell[rows][3] = ends_text(&v, &p[i].read);
	}
	for (uint32_t r = 0; r < rows; r++)
		for (unsigned c = 0; c < COLUMNS; c++)
			width[c] = (int)strlen(cell[r][c]) > width[c] ? (int)strlen(cell[r][c]) : width[c];
	for (uint32_t r = 0; r < rows; r++)
		fprintf(f, "  %-*s  %-*s  %-*s  %s\n", width[0], cell[r][0], width[1], cell[r][1], width[2], cell[r][2],
			cell[r][3]);
	view_free(&v);
}

/* ---- the summary ---- */
struct line {
	const char *place;
	uint32_t n;
};

void view_put_pressure(FILE *f, struct view *v)
{
	uint32_t n, lines = 0;
	const struct pressure_value *p = pressure_find(v, &n, &v->a);
	struct line *line = new_array(&v->a, struct line, (size_t)n + 1);

	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const char *place = p[i].made.n ? view_place(&v->a, v, p[i].made.first) : NULL;
		uint32_t l = 0;

		while (place && l < lines && strcmp(line[l].place, place) != 0)
			l++;
		if (!place)
			continue;
		line[l].place = place;
		line[l].n++;
		lines += l == lines;
	}
	if (!lines) {
		fprintf(f, "  %-14s --emit=pressure says what made each\n", "");
		return;
	}
	fprintf(f, "  %-14s ", "made at");
	for (uint32_t shown = 0, best; shown < lines && shown < LINES_SHOWN; shown++) {
		best = 0;
		for (uint32_t l = 1; l < lines; l++)
			best = line[l].n > line[best].n ? l : best;
		fprintf(f, "%s %u, ", line[best].place, line[best].n);
		line[best].n = 0;
	}
	fprintf(f, "%seach: --emit=pressure\n", lines > LINES_SHOWN ? "...; " : "");
}
