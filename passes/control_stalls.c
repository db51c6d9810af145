/* Stall counts. A walk along each block knows when what was issued before was issued, and has whoever reads or
 * overwrites a result of fixed latency too soon wait longer behind the instruction before it; where fifteen cycles are
 * reached there, behind those before that. At the ends of blocks what is still to come goes on to all successors, where
 * a reader may put the cycles behind the end of its predecessors. Counts only ever grow, until nothing changes, so
 * loops are right. */
#include "passes/control.h"

/* STALL_FLOW: as ptxas counts behind branches and what ends a thread. */
enum { STALL_MOST = 15, STALL_FLOW = 5, BLOCKS_BACK = 16 };

/* A result that is not everywhere yet. */
struct coming {
	uint32_t insn;
	uint16_t reg;
	uint8_t unit;
	int issued; /* when, counted from the start of the block */
};
struct coming_list {
	struct coming *p;
	uint32_t n, cap;
};

struct stalls {
	struct control_work *w;
	const struct kernel *k;
	struct coming_list *out, now; /* out: by block, counted from its end */
	int *time;                    /* by instruction, from the start of its block */
	bool changed, restart, slow;
};

static unsigned most(const struct stalls *s, const struct coming *x)
{
	return sass_latency_most(s->w->sm, mreg_is_pred(x->reg), x->unit);
}

/* ---- more cycles ---- */
/* Behind the instructions of block b before END, the last one first, `behind` at most as far as instruction `writer`.
 * Returns how many did not fit. */
static unsigned stall_behind(struct stalls *s, uint32_t b, uint32_t end, unsigned cycles, uint32_t writer, bool *found)
{
	const uint32_t first = s->k->block[b].first;

	for (uint32_t i = end; cycles && i-- > first;) {
		uint8_t *stall = &s->w->code[i].stall;
		const unsigned more =
			cycles < (unsigned)(STALL_MOST - *stall) ? cycles : (unsigned)(STALL_MOST - *stall);

		*stall = (uint8_t)(*stall + more);
		cycles -= more;
		s->changed |= more != 0;
		s->restart |= more && i + 1 < end;
		if (i == writer) {
			*found = true;
			return cycles;
		}
	}
	return cycles;
}

static struct coming *find(const struct coming_list *l, const struct coming *x)
{
	for (uint32_t n = 0; n < l->n; n++)
		if (l->p[n].insn == x->insn && l->p[n].reg == x->reg)
			return &l->p[n];
	return NULL;
}

/* Block b begins so many cycles too early for X, behind those of its predecessors that X comes from. What these hand on
 * is older then; the next round counts it anew. False: there is no room. */
static bool stall_before(struct stalls *s, uint32_t b, unsigned cycles, const struct coming *x, unsigned depth)
{
	const struct cfg *g = s->k->cfg;

	for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
		const uint32_t from = g->pred[e];
		const struct block *p = &s->k->block[from];
		const struct coming *y = find(&s->out[from], x);
		const int late = y ? (int)cycles - (x->issued - y->issued) : 0;
		bool found = false;
		unsigned left;

		if (late <= 0)
			continue;
		left = stall_behind(s, from, p->first + p->n, (unsigned)late, x->insn, &found);
		if (left && (found || !depth || !stall_before(s, from, left, y, depth - 1)))
			return false;
		for (uint32_t n = 0; n < s->out[from].n; n++)
			s->out[from].p[n].issued -= late;
	}
	return true;
}

/* Instruction i of block b may touch X only `cycles` later. */
static void delay(struct stalls *s, uint32_t b, uint32_t i, unsigned cycles, const struct coming *x)
{
	const struct coming y = *x;
	bool found = false;
	unsigned left = stall_behind(s, b, i, cycles, y.insn, &found);

	if (left && !found) {
		s->restart = true;
		left = !stall_before(s, b, left, &y, BLOCKS_BACK);
	}
	if (left)
		s->w->slow[y.insn] = s->slow = true;
}

/* ---- a walk ---- */
static void put(struct stalls *s, struct coming_list *l, const struct coming *x)
{
	struct coming *same = find(l, x);

	if (same) {
		same->issued = same->issued > x->issued ? same->issued : x->issued;
		return;
	}
	arena_grow(s->w->a, l->p, l->n, l->cap);
	l->p[l->n++] = *x;
}

/* Cycles that must lie between the issue of X and an access of its register. */
static unsigned needed(const struct stalls *s, const struct coming *x, const struct sass_access *a, uint32_t i)
{
	const unsigned sm = s->w->sm;
	const bool pred = mreg_is_pred(x->reg);
	unsigned least, own;

	if (!a->write)
		return sass_latency(sm, pred, x->unit, a->unit);
	least = sass_latency_least(sm, pred, x->unit);
	own = s->w->slow[i] ? 0 : sass_latency_least(sm, pred, a->unit);
	return own && least > own ? least - own : 0;
}

/* False: counts before i have changed. */
static bool touch(struct stalls *s, uint32_t b, uint32_t i)
{
	const struct sass_access *a = control_first(s->w, i);
	struct coming_list *l = &s->now;
	uint32_t kept = 0;

	for (unsigned n = 0; n < control_accesses(s->w, i); n++)
		for (uint32_t x = 0; x < l->n; x++) {
			const struct coming *c = &l->p[x];
			unsigned need;
			int age;

			if (c->reg != a[n].reg)
				continue;
			need = needed(s, c, &a[n], i);
			age = s->time[i] - c->issued;
			if (age >= (int)need)
				continue;
			delay(s, b, i, need - (unsigned)age, c);
			if (s->restart || s->slow)
				return false;
			s->time[i] += (int)need - age;
		}
	for (uint32_t x = 0; x < l->n; x++) {
		bool gone = s->time[i] - l->p[x].issued >= (int)most(s, &l->p[x]);

		for (unsigned n = 0; insn_kills(&s->k->insn[i]) && n < control_accesses(s->w, i); n++)
			gone |= a[n].write && a[n].reg == l->p[x].reg;
		if (!gone)
			l->p[kept++] = l->p[x];
	}
	l->n = kept;
	for (unsigned n = 0; n < control_accesses(s->w, i) && !s->w->slow[i]; n++)
		if (a[n].write)
			put(s, l, &(struct coming){ i, a[n].reg, a[n].unit, s->time[i] });
	return true;
}

static void enter(struct stalls *s, uint32_t b)
{
	const struct cfg *g = s->k->cfg;

	s->now.n = 0;
	for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++)
		for (uint32_t n = 0; n < s->out[g->pred[e]].n; n++)
			put(s, &s->now, &s->out[g->pred[e]].p[n]);
}

static void leave(struct stalls *s, uint32_t b, int end)
{
	struct coming_list *out = &s->out[b];
	uint32_t was = out->n, n = 0;

	out->n = 0;
	for (uint32_t x = 0; x < s->now.n; x++) {
		struct coming c = s->now.p[x];

		c.issued -= end;
		if (c.issued + (int)most(s, &c) <= 0)
			continue;
		s->changed |=
			n >= was || out->p[n].insn != c.insn || out->p[n].reg != c.reg || out->p[n].issued != c.issued;
		put(s, out, &c);
		n++;
	}
	s->changed |= n != was;
}

static void walk(struct stalls *s, uint32_t b)
{
	const struct block *x = &s->k->block[b];
	int end = 0;

	do {
		s->restart = false;
		enter(s, b);
		end = 0;
		for (uint32_t i = x->first; i < x->first + x->n; i++) {
			s->time[i] = end;
			if (!touch(s, b, i))
				break;
			end = s->time[i] + s->w->code[i].stall;
		}
	} while (s->restart && !s->slow);
	if (!s->slow)
		leave(s, b, end);
}

/* Whoever waits for a barrier sees it only some cycles behind who raises it. */
static void show_barriers(struct control_work *w, const struct block *b)
{
	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		struct control_code *c = &w->code[i];
		const unsigned set =
			(c->wbar != NO_BARRIER ? 1u << c->wbar : 0) | (c->rbar != NO_BARRIER ? 1u << c->rbar : 0);
		const bool last = i + 1 == b->first + b->n;

		if (set && (last || w->code[i + 1].wait & set) && c->stall < BARRIER_SET_CYCLES)
			c->stall = BARRIER_SET_CYCLES;
	}
}

static unsigned usual(const struct insn *i)
{
	return op_info[i->op].flags & (OPF_BRANCH | OPF_END | OPF_EXIT) ? STALL_FLOW : 1;
}

bool control_stalls(struct control_work *w)
{
	const struct kernel *k = w->k;
	struct stalls s = { .w = w, .k = k, .changed = true };

	s.out = new_array(w->a, struct coming_list, k->nblock + 1u);
	s.time = new_array(w->a, int, k->ninsn + 1u);
	for (uint32_t i = 0; i < k->ninsn; i++)
		w->code[i].stall = (uint8_t)usual(&k->insn[i]);
	for (uint32_t b = 0; b < k->nblock; b++)
		show_barriers(w, &k->block[b]);
	while (s.changed && !s.slow) {
		s.changed = false;
		for (uint32_t n = 0; n < k->cfg->nrpo && !s.slow; n++)
			walk(&s, k->cfg->rpo[n]);
	}
	return !s.slow;
}
