/* Latency-aware list scheduling within blocks, on virtual registers, before allocation.
 *
 * Each block is cut into pieces of at most PIECE instructions, the terminator left out. A piece becomes a dependence
 * graph: register dependences by value (a definition, or what lives in), memory dependences by state space and, where
 * base register and offsets tell, by address; barriers, fences, atomics, volatile accesses and every other OPF_SIDE row
 * keep their order among themselves and with all memory accesses; nothing crosses a clock read. Then instructions are
 * picked one a cycle: of those whose operands have arrived, the one on the longest path to the end of the piece
 * (Gibbons and Muchnick 1986), unless it would lift the number of live 32-bit registers within SLACK of the target;
 * then the one that frees most. (What frees most may need a register first.)
 *
 * The target is what the kernel needs anyway, and at least ROOMY registers (the most, in multiples of 4, with which
 * a GTX 480 SM is still full: 32768 registers, 1536 threads), and never above --maxreg. If a piece comes out
 * above both its target and its old order, the old order stays. So scheduling alone never makes a kernel spill.
 *
 * SCHEDULE_ORF instead brings producers and consumers together, for an operand register file, whose entries are few and
 * live no longer than a strand (Gebhart et al., TOCS 2012, section 8.3, says what might be gained and not how). A piece
 * is then picked from its end: of the instructions whose successors are all picked, the one that produces what was
 * consumed last, so that a value is made right before its first use: first of what needs a long-latency result, then of
 * what does not, then the long-latency operations themselves. So they stand as early as they can, each behind its
 * address, and as few strands as possible end because they are waited for. Where registers run short, they are picked
 * all the same, a batch at a time, and else what frees most; a piece that comes out above the target is scheduled by
 * latency.
 *
 * Cost: O(n) edges (anti edges are one for each read; memory edges at most WINDOW for each access), and O(PIECE) for
 * each pick. */
#include "passes/pass.h"

#define NONE UINT32_MAX

enum { PIECE = 512, WINDOW = 64, ROOMY = 20, SLACK = 3 };

/* Cycles from issue to dependent issue, which order the picks and nothing else: the units of the GTX 480 (compute
 * capability 2.0) as the baseline machine times them. FU_MEM alone differs, by intent: the machine's number is address
 * generation, with the memory on top; here it is a hit of the first level. */
static const uint16_t unit_latency[FU_COUNT] = {
	[FU_INT_ADD] = 4, [FU_INT_MINMAX] = 13, [FU_INT_MUL] = 4, [FU_INT_MAD] = 5, [FU_INT_DIV] = 145,
	[FU_FP_ADD] = 4,  [FU_FP_MINMAX] = 13,  [FU_FP_MUL] = 4,  [FU_FP_MAD] = 5,  [FU_FP_DIV] = 39,
	[FU_DP_ADD] = 8,  [FU_DP_MINMAX] = 19,  [FU_DP_MUL] = 8,  [FU_DP_MAD] = 8,  [FU_DP_DIV] = 330,
	[FU_OTHER] = 1,   [FU_SFU] = 8,         [FU_SHFL] = 32,   [FU_MEM] = 35,    [FU_CTRL] = 1,
	[FU_BAR] = 1,     [FU_TENSOR] = 54,
};

/* A load by its space: shared memory, local memory and constants hit the first level (the machine lets constants return
 * sooner still; a first touch takes longer); global loads mostly miss it, and DRAM answers after 100 to 400 cycles. */
static const uint16_t load_latency[SP_COUNT] = {
	[SP_GENERIC] = 150, [SP_GLOBAL] = 150, [SP_SHARED] = 26, [SP_LOCAL] = 35, [SP_CONST] = 35, [SP_PARAM] = 35,
};

struct edge {
	uint32_t to, next;
	uint16_t latency;
};

struct node {
	uint32_t succ;             /* first edge, NONE */
	uint32_t preds;            /* not yet picked */
	uint32_t height, earliest; /* cycles to the end; first cycle without a stall */
	uint32_t rd, nrd, df, ndf; /* runs in read[] and defs[] */
};

struct value {
	uint32_t node, reg, reads, left;
	uint8_t size, pred;
	bool out, live;
	uint32_t reader;
};

struct reader {
	uint32_t node, next;
};

struct access {
	uint32_t node, base_value;
	struct ref base;
	int64_t at;
	uint32_t bytes;
	uint8_t space;
	bool store;
};

struct sched {
	struct kernel *k;
	struct arena *a;
	unsigned target32, targetp; /* live registers not to exceed */
	int soft32;                 /* picks turn frugal above this many */
	uint32_t first, n;          /* the piece */
	struct node node[PIECE];
	struct edge *edge;
	uint32_t nedge, edge_cap;
	struct value *value;
	uint32_t nvalue, value_cap;
	struct reader *reader;
	uint32_t nreader, reader_cap;
	uint32_t *read;
	uint32_t nread, read_cap;
	uint32_t *defs;
	uint32_t ndefs, defs_cap;
	uint32_t *cur, *stamp; /* by register: its value in this piece, valid if stamp is `piece` */
	uint32_t piece;
	struct access window[WINDOW];
	unsigned nwindow;
	uint32_t ordered; /* last instruction that keeps order, NONE */
	uint32_t order[PIECE];
	struct insn copy[PIECE];
	uint32_t base32, basep; /* live before the piece */
	int after32;            /* live after it */
	bool orf;               /* SCHEDULE_ORF */
	struct edge *back;
	uint32_t nback, back_cap;           /* to predecessors; heads in pred[] */
	uint32_t pred[PIECE], succs[PIECE]; /* SCHEDULE_ORF: edges; successors not yet picked */
	/* it needs a long-latency result of the piece, or something that does needs it */
	bool behind[PIECE];
	/* when a consumer of a node's values was picked last, from 1; 0: never */
	uint32_t wanted[PIECE];
};

unsigned schedule_latency(enum fu u) { return unit_latency[u]; }

unsigned schedule_load_latency(enum space s) { return load_latency[s]; }

static unsigned latency_of(const struct insn *i)
{
	return op_info[i->op].flags & OPF_LOAD ? load_latency[i->space] : unit_latency[op_info[i->op].fu];
}

static void add_edge(struct sched *s, uint32_t from, uint32_t to, unsigned latency)
{
	if (from == NONE || from == to)
		return;
	arena_grow(s->a, s->edge, s->nedge, s->edge_cap);
	s->edge[s->nedge] = (struct edge){ to, s->node[from].succ, (uint16_t)latency };
	s->node[from].succ = s->nedge++;
	s->node[to].preds++;
}

/* ---- registers ---- */
static uint32_t new_value(struct sched *s, uint32_t r, uint32_t node)
{
	uint8_t rc = s->k->vreg[r].rc;

	arena_grow(s->a, s->value, s->nvalue, s->value_cap);
	s->value[s->nvalue] = (struct value){
		.node = node, .reg = r, .size = rc == RC_64 ? 2 : rc == RC_32, .pred = rc == RC_PRED, .reader = NONE
	};
	s->cur[r] = s->nvalue;
	s->stamp[r] = s->piece;
	return s->nvalue++;
}

static void read_value(struct sched *s, uint32_t n, uint32_t r)
{
	uint32_t v = s->stamp[r] == s->piece ? s->cur[r] : new_value(s, r, NONE);
	struct value *x = &s->value[v];

	if (x->reader != NONE && s->reader[x->reader].node == n)
		return;
	arena_grow(s->a, s->reader, s->nreader, s->reader_cap);
	s->reader[s->nreader] = (struct reader){ n, x->reader };
	x->reader = s->nreader++;
	x->reads++;
	if (x->node != NONE)
		add_edge(s, x->node, n, latency_of(&s->k->insn[s->first + x->node]));
	arena_grow(s->a, s->read, s->nread, s->read_cap);
	s->read[s->nread++] = v;
	s->node[n].nrd++;
}

static void write_value(struct sched *s, uint32_t n, uint32_t r)
{
	if (s->stamp[r] == s->piece) {
		const struct value *old = &s->value[s->cur[r]];

		add_edge(s, old->node, n, 1);
		for (uint32_t q = old->reader; q != NONE; q = s->reader[q].next)
			add_edge(s, s->reader[q].node, n, 0);
	}
	arena_grow(s->a, s->defs, s->ndefs, s->defs_cap);
	s->defs[s->ndefs++] = new_value(s, r, n);
	s->node[n].ndf++;
}

static void add_reads(struct sched *s, uint32_t n, const struct reg_use *use, unsigned nuse)
{
	bool guarded = !insn_kills(&s->k->insn[s->first + n]); /* a guarded write keeps part of the old value */

	s->node[n].rd = s->nread;
	for (unsigned u = 0; u < nuse; u++)
		if (!use[u].write || guarded)
			read_value(s, n, use[u].reg);
}

static void add_writes(struct sched *s, uint32_t n, const struct reg_use *use, unsigned nuse)
{
	s->node[n].df = s->ndefs;
	for (unsigned u = 0; u < nuse; u++)
		if (use[u].write)
			write_value(s, n, use[u].reg);
}

/* ---- memory and order ---- */
static bool reads_clock(const struct kernel *k, const struct insn *i)
{
	for (unsigned s = 0; s < i->nsrc; s++) {
		struct ref r = insn_src(k, i)[s];

		if (r.kind == REF_SREG && (r.val >= SREG_CLOCK && r.val <= SREG_GLOBALTIMER_HI))
			return true;
	}
	return false;
}

static bool keeps_order(const struct insn *i)
{
	const struct op_info *o = &op_info[i->op];

	if (o->flags & (OPF_SIDE | OPF_ATOMIC | OPF_BARRIER | OPF_FENCE | OPF_BRANCH | OPF_END))
		return true;
	if (o->mem_bytes)
		return i->mods & (MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE | MOD_RELEASE) || i->cop == COP_CV;
	return false;
}

static bool may_overlap(const struct access *a, const struct access *b)
{
	int64_t gap = a->at < b->at ? b->at - a->at : a->at - b->at;
	uint32_t low_bytes = a->at < b->at ? a->bytes : b->bytes;

	if (!a->store && !b->store)
		return false;
	if (a->space != b->space && a->space != SP_GENERIC && b->space != SP_GENERIC)
		return false;
	if (!a->bytes || !b->bytes)
		return true; /* a matrix, whose stride is in a register */
	if (a->space != b->space || a->base.kind != b->base.kind || a->base_value != b->base_value)
		return true;
	return gap < low_bytes || gap >= INT32_MAX;
}

static struct access access_of(const struct sched *s, uint32_t n)
{
	const struct kernel *k = s->k;
	const struct insn *i = &k->insn[s->first + n];
	struct access x = { .node = n,
			    .base = insn_src(k, i)[0],
			    .at = i->offset,
			    .space = i->space,
			    .bytes = (uint32_t)op_info[i->op].mem_bytes * i->vec,
			    .store = (op_info[i->op].flags & OPF_STORE) != 0 };

	if (x.base.kind == REF_REG) {
		x.base_value = s->cur[x.base.val];
	} else if (x.base.kind == REF_IMM) {
		x.at += (int64_t)(k->imm[x.base.val] & UINT32_MAX);
		x.base_value = 0;
	} else if (x.base.kind == REF_SYM) {
		x.at += k->symref[x.base.val].addend;
		x.base_value = k->symref[x.base.val].sym;
	}
	return x;
}

/* Called between the reads and the writes of n, so that the base register's value is the one that n reads. */
static void add_order(struct sched *s, uint32_t n)
{
	const struct insn *i = &s->k->insn[s->first + n];
	bool mem = insn_has_address(i), order = keeps_order(i);
	struct access x;

	if (!order && (!mem || (!(op_info[i->op].flags & OPF_STORE) && (i->space == SP_CONST || i->space == SP_PARAM))))
		return;
	add_edge(s, s->ordered, n, 1);
	if (order || s->nwindow == WINDOW) {
		for (unsigned w = 0; w < s->nwindow; w++)
			add_edge(s, s->window[w].node, n, 1);
		s->nwindow = 0;
		s->ordered = n;
		return;
	}
	x = access_of(s, n);
	for (unsigned w = 0; w < s->nwindow; w++)
		if (may_overlap(&s->window[w], &x))
			add_edge(s, s->window[w].node, n, 1);
	s->window[s->nwindow++] = x;
}

/* ---- pressure ---- */
struct pressure {
	int live32, livep, max32, maxp;
};

static void start_pressure(struct sched *s, struct pressure *p)
{
	*p = (struct pressure){ (int)s->base32, (int)s->basep, (int)s->base32, (int)s->basep };
	for (uint32_t v = 0; v < s->nvalue; v++) {
		s->value[v].left = s->value[v].reads;
		s->value[v].live = s->value[v].node == NONE;
	}
}

/* Change of live registers if n is next: what it reads for the last time dies, what it defines is born. */
static void pressure_delta(const struct sched *s, uint32_t n, int *d32, int *dp)
{
	const struct node *x = &s->node[n];

	*d32 = *dp = 0;
	for (uint32_t q = x->rd; q < x->rd + x->nrd; q++) {
		const struct value *v = &s->value[s->read[q]];

		if (v->left == 1 && !v->out && v->live) {
			*d32 -= v->size;
			*dp -= v->pred;
		}
	}
	for (uint32_t q = x->df; q < x->df + x->ndf; q++) {
		*d32 += s->value[s->defs[q]].size;
		*dp += s->value[s->defs[q]].pred;
	}
}

static void step_pressure(struct sched *s, struct pressure *p, uint32_t n)
{
	const struct node *x = &s->node[n];
	int d32, dp;

	pressure_delta(s, n, &d32, &dp);
	p->live32 += d32;
	p->livep += dp;
	if (p->live32 > p->max32)
		p->max32 = p->live32;
	if (p->livep > p->maxp)
		p->maxp = p->livep;
	for (uint32_t q = x->rd; q < x->rd + x->nrd; q++) {
		struct value *v = &s->value[s->read[q]];

		if (--v->left == 0 && !v->out)
			v->live = false;
	}
	for (uint32_t q = x->df; q < x->df + x->ndf; q++) {
		struct value *v = &s->value[s->defs[q]];

		v->live = v->left || v->out;
		if (!v->live) {
			p->live32 -= v->size;
			p->livep -= v->pred;
		}
	}
}

/* ---- picking ---- */
static bool better(const struct sched *s, uint32_t a, uint32_t b, uint32_t now)
{
	const struct node *x = &s->node[a], *y = &s->node[b];
	bool xr = x->earliest <= now, yr = y->earliest <= now;

	if (xr != yr)
		return xr;
	if (!xr && x->earliest != y->earliest)
		return x->earliest < y->earliest;
	return x->height != y->height ? x->height > y->height : a < b;
}

static unsigned pick(const struct sched *s, const struct pressure *p, const uint32_t *ready, unsigned nready,
		     uint32_t now)
{
	unsigned best = 0, lean = 0;
	int d32, dp, cost, least = 0;

	for (unsigned r = 1; r < nready; r++)
		if (better(s, ready[r], ready[best], now))
			best = r;
	pressure_delta(s, ready[best], &d32, &dp);
	if ((d32 <= 0 || p->live32 + d32 <= s->soft32) && (dp <= 0 || p->livep + dp <= (int)s->targetp))
		return best;
	for (unsigned r = 0; r < nready; r++) {
		pressure_delta(s, ready[r], &d32, &dp);
		/* only the class that is short counts */
		cost = p->live32 + d32 > s->soft32 ? d32 : 0;
		cost += p->livep + dp > (int)s->targetp ? dp * 4 : 0;
		if (cost == 0 && (d32 < 0 || dp < 0))
			cost = -1;
		if (r == 0 || cost < least || (cost == least && ready[r] < ready[lean])) {
			least = cost;
			lean = r;
		}
	}
	return lean;
}

static void list_schedule(struct sched *s, struct pressure *p)
{
	uint32_t ready[PIECE], now = 0;
	unsigned nready = 0;

	for (uint32_t n = s->n; n-- > 0;)
		for (uint32_t e = s->node[n].succ; e != NONE; e = s->edge[e].next) {
			uint32_t h = s->node[s->edge[e].to].height + s->edge[e].latency;

			if (h > s->node[n].height)
				s->node[n].height = h;
		}
	for (uint32_t n = 0; n < s->n; n++)
		if (!s->node[n].preds)
			ready[nready++] = n;
	start_pressure(s, p);
	for (uint32_t done = 0; done < s->n; done++) {
		unsigned r = pick(s, p, ready, nready, now);
		uint32_t n = ready[r];

		ready[r] = ready[--nready];
		s->order[done] = n;
		step_pressure(s, p, n);
		if (s->node[n].earliest > now)
			now = s->node[n].earliest;
		for (uint32_t e = s->node[n].succ; e != NONE; e = s->edge[e].next) {
			struct node *t = &s->node[s->edge[e].to];

			if (now + s->edge[e].latency > t->earliest)
				t->earliest = now + s->edge[e].latency;
			if (--t->preds == 0)
				ready[nready++] = s->edge[e].to;
		}
		now++;
	}
}

/* ---- picking from the end, for an operand register file ---- */
/* Change of live registers if n is next, that is before all that was picked: what it defines is not live there, what it
 * reads is. */
static int delta_backwards(const struct sched *s, uint32_t n)
{
	const struct node *x = &s->node[n];
	int d32 = 0;

	for (uint32_t q = x->df; q < x->df + x->ndf; q++)
		d32 -= s->value[s->defs[q]].live ? s->value[s->defs[q]].size : 0;
	for (uint32_t q = x->rd; q < x->rd + x->nrd; q++)
		d32 += s->value[s->read[q]].live ? 0 : s->value[s->read[q]].size;
	return d32;
}

/* batch: registers ran short, so long-latency operations are picked while there are any, all those that a strand can
 * wait for together. */
static unsigned pick_backwards(const struct sched *s, int live32, const uint32_t *ready, unsigned nready, bool *batch)
{
	unsigned best = 0;
	bool frugal = live32 > s->soft32, any = false;

	for (unsigned r = 0; r < nready; r++)
		any |= insn_is_long(&s->k->insn[s->first + ready[r]]);
	*batch = any && (*batch || frugal);
	for (unsigned r = 1; r < nready; r++) {
		uint32_t a = ready[r], b = ready[best];
		bool late_a = insn_is_long(&s->k->insn[s->first + a]), late_b = insn_is_long(&s->k->insn[s->first + b]);
		int da = delta_backwards(s, a), db = delta_backwards(s, b);

		if (late_a != late_b)
			best = late_a == *batch ? r : best;
		else if (frugal && da != db)
			best = da < db ? r : best;
		else if (s->behind[a] != s->behind[b])
			best = s->behind[a] ? r : best;
		else if (s->wanted[a] != s->wanted[b])
			best = s->wanted[a] > s->wanted[b] ? r : best;
		else if (da != db)
			best = da < db ? r : best;
		else
			best = a > b ? r : best;
	}
	return best;
}

static void list_schedule_backwards(struct sched *s)
{
	uint32_t ready[PIECE];
	unsigned nready = 0;
	int live32 = s->after32;
	bool batch = false;

	s->nback = 0;
	for (uint32_t n = 0; n < s->n; n++) {
		s->pred[n] = NONE;
		s->succs[n] = s->wanted[n] = 0;
		s->behind[n] = false;
	}
	for (uint32_t n = 0; n < s->n; n++)
		for (uint32_t e = s->node[n].succ; e != NONE; e = s->edge[e].next) {
			uint32_t to = s->edge[e].to;

			arena_grow(s->a, s->back, s->nback, s->back_cap);
			s->back[s->nback] = (struct edge){ n, s->pred[to], 0 };
			s->pred[to] = s->nback++;
			s->succs[n]++;
			s->behind[to] |= s->behind[n] || insn_is_long(&s->k->insn[s->first + n]);
		}
	for (uint32_t v = 0; v < s->nvalue; v++)
		s->value[v].live = s->value[v].out;
	for (uint32_t n = 0; n < s->n; n++)
		if (!s->succs[n])
			ready[nready++] = n;
	for (uint32_t done = 0; done < s->n; done++) {
		unsigned r = pick_backwards(s, live32, ready, nready, &batch);
		uint32_t n = ready[r];
		const struct node *x = &s->node[n];

		ready[r] = ready[--nready];
		s->order[s->n - 1 - done] = n;
		live32 += delta_backwards(s, n);
		for (uint32_t q = x->df; q < x->df + x->ndf; q++)
			s->value[s->defs[q]].live = false;
		for (uint32_t q = x->rd; q < x->rd + x->nrd; q++) {
			struct value *v = &s->value[s->read[q]];

			v->live = true;
			if (v->node == NONE)
				continue;
			s->wanted[v->node] = done + 1;
			s->behind[v->node] |= s->behind[n];
		}
		for (uint32_t e = s->pred[n]; e != NONE; e = s->back[e].next)
			if (--s->succs[s->back[e].to] == 0)
				ready[nready++] = s->back[e].to;
	}
}

/* ---- a piece ---- */
static bool too_many(const struct sched *s, const struct pressure *is, const struct pressure *was)
{
	return (is->max32 > (int)s->target32 && is->max32 > was->max32) ||
	       (is->maxp > (int)s->targetp && is->maxp > was->maxp);
}

/* Schedules [first, first + n). live: registers live after it, and their count; stepped to before it. */
static bool schedule_piece(struct sched *s, uint32_t first, uint32_t n, uint64_t *live, struct live_count *count)
{
	struct kernel *k = s->k;
	struct pressure was, is;
	bool moved = false;

	s->first = first;
	s->n = n;
	s->piece++;
	s->nedge = s->nvalue = s->nreader = s->nread = s->ndefs = 0;
	s->nwindow = 0;
	s->ordered = NONE;
	for (uint32_t j = 0; j < n; j++)
		s->node[j] = (struct node){ .succ = NONE };
	for (uint32_t j = 0; j < n; j++) {
		struct reg_use use[REG_USE_MAX];
		unsigned nuse = insn_reg_uses(k, &k->insn[first + j], use);

		add_reads(s, j, use, nuse);
		add_order(s, j);
		add_writes(s, j, use, nuse);
	}
	for (uint32_t v = 0; v < s->nvalue; v++)
		s->value[v].out = s->cur[s->value[v].reg] == v && bitset_has(live, s->value[v].reg);
	s->after32 = (int)count->regs;
	for (uint32_t j = n; j-- > 0;)
		live_step_back_counted(k, &k->insn[first + j], live, count);
	s->base32 = count->regs;
	s->basep = count->preds;
	start_pressure(s, &was);
	for (uint32_t j = 0; j < n; j++)
		step_pressure(s, &was, j);
	if (s->orf) {
		list_schedule_backwards(s);
		start_pressure(s, &is);
		for (uint32_t j = 0; j < n; j++)
			step_pressure(s, &is, s->order[j]);
	}
	if (!s->orf || too_many(s, &is, &was))
		list_schedule(s, &is);
	if (too_many(s, &is, &was))
		return false;
	for (uint32_t j = 0; j < n; j++) {
		s->copy[j] = k->insn[first + s->order[j]];
		moved |= s->order[j] != j;
	}
	memcpy(k->insn + first, s->copy, n * sizeof *s->copy);
	return moved;
}

enum pass_result pass_schedule(struct kernel *k, struct pass_ctx *cx)
{
	struct sched *s = new(&cx->scratch, struct sched);
	uint64_t *live = bitset_new(&cx->scratch, k->nvreg);
	unsigned limit = cx->opt.maxreg > 16 ? cx->opt.maxreg - 2 : cx->opt.maxreg; /* pairs may leave a gap */
	bool changed = false;

	if (k->form != FORM_VIRTUAL)
		return PASS_SAME;
	s->k = k;
	s->a = &cx->scratch;
	s->orf = cx->opt.schedule == SCHEDULE_ORF;
	s->target32 = k->live->max_live32 > ROOMY ? k->live->max_live32 : ROOMY;
	if (s->target32 > limit)
		s->target32 = limit;
	s->soft32 = (int)s->target32 - SLACK;
	s->targetp = cx->opt.maxpred;
	s->cur = new_array(s->a, uint32_t, k->nvreg + 1);
	s->stamp = new_array(s->a, uint32_t, k->nvreg + 1);
	for (uint32_t n = 0; n < k->cfg->nrpo; n++) {
		const struct block *b = &k->block[k->cfg->rpo[n]];
		uint32_t end = b->first + b->n;

		struct live_count count = live_put_counted(k, live_out(k, k->cfg->rpo[n]), live);

		if (end > b->first && op_info[k->insn[end - 1].op].flags & (OPF_BRANCH | OPF_END | OPF_EXIT))
			live_step_back_counted(k, &k->insn[--end], live, &count);
		/* last piece first: what lives into it does not depend on its order */
		while (end > b->first) {
			uint32_t len = end - b->first < PIECE ? end - b->first : PIECE;

			/* Nothing crosses a clock read: what stands between two of them is what they measure. */
			for (uint32_t j = 1; j <= len; j++)
				if (reads_clock(k, &k->insn[end - j]))
					len = j == 1 ? 1 : j - 1;
			changed |= schedule_piece(s, end - len, len, live, &count);
			end -= len;
		}
		live_take(live_in(k, k->cfg->rpo[n]), live);
	}
	return changed ? PASS_CHANGED : PASS_SAME;
}
