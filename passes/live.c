/* Liveness: which registers hold a value that may still be read, at both ends of each block and, on demand, at each
 * point between two instructions.
 *
 * One register at a time, from each block that reads it before writing it, backwards over the edges until a block
 * writes it (Boissinot, Brandner, Darte, Dupont de Dinechin and Rastello 2011, "by variable"). Time and memory are
 * linear in the code and in the sets' members, not in blocks times registers: a kernel has many short-lived registers.
 *
 * In decoded machine code what a function saves for its callers must not seem to be read by it: there a register is
 * followed from a return to the calls that led there, and over a function that does not write it to its call, never to
 * another function's.
 *
 * A guarded write does not kill: the lanes whose guard is false keep the old value. A guard is read. In machine form a
 * 64-bit operand is two registers, and RZ and PT are none. A register read before any write is live into the entry. */
#include "pass.h"

void live_step_back(const struct kernel *k, const struct insn *i, uint64_t *set)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);

	for (unsigned j = 0; j < n; j++)
		if (use[j].write && insn_kills_reg(i, use[j].reg))
			bitset_del(set, use[j].reg);
	for (unsigned j = 0; j < n; j++)
		if (!use[j].write)
			bitset_add(set, use[j].reg);
}

/* Who reads a register before writing it, and who writes it for certain, by block: lists of blocks for each
 * register. */
struct occur {
	uint32_t *at, *block;
};

static void count_occurrences(struct occur *o, uint32_t nreg, uint32_t total, struct arena *a)
{
	for (uint32_t r = 0, sum = 0; r <= nreg; r++) {
		uint32_t n = r < nreg ? o->at[r] : 0;

		o->at[r] = sum;
		sum += n;
	}
	o->block = new_array(a, uint32_t, (size_t)total + 1);
}

/* Visits each (register, block) once: the exposed reads of a block and the registers that it writes unguarded. With
 * FILL, puts them into the lists; else counts them. */
static void scan_blocks(const struct kernel *k, struct occur *reads, struct occur *kills, uint32_t *read_in,
			uint32_t *killed_in, bool fill, uint32_t total[2])
{
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++) {
			const struct insn *i = &k->insn[k->block[b].first + j];
			struct reg_use use[REG_USE_MAX];
			unsigned n = insn_reg_uses(k, i, use);

			for (unsigned u = 0; u < n; u++) {
				uint32_t r = use[u].reg;

				if (use[u].write || read_in[r] == b + 1 || killed_in[r] == b + 1)
					continue;
				read_in[r] = b + 1;
				total[0]++;
				if (fill)
					reads->block[reads->at[r]++] = b;
				else
					reads->at[r]++;
			}
			for (unsigned u = 0; u < n; u++) {
				uint32_t r = use[u].reg;

				if (!use[u].write || killed_in[r] == b + 1 || !insn_kills_reg(i, r))
					continue;
				killed_in[r] = b + 1;
				total[1]++;
				if (fill)
					kills->block[kills->at[r]++] = b;
				else
					kills->at[r]++;
			}
		}
}

/* reg is live there */
struct event {
	uint32_t reg, block;
};
struct events {
	struct event *e;
	uint32_t n, cap;
};

static void add_event(struct events *ev, uint32_t r, uint32_t b, struct arena *a)
{
	arena_grow(a, ev->e, ev->n, ev->cap);
	ev->e[ev->n++] = (struct event){ r, b };
}

/* Events come in the order of their registers: a stable counting sort by block leaves each block's list ascending. */
static void by_block(const struct kernel *k, const struct events *ev, uint32_t **at, uint32_t **list)
{
	uint32_t *to = new_array(k->a, uint32_t, (size_t)k->nblock + 2),
		 *reg = new_array(k->a, uint32_t, (size_t)ev->n + 1);

	for (uint32_t n = 0; n < ev->n; n++)
		to[ev->e[n].block + 2]++;
	for (uint32_t b = 0; b < k->nblock; b++)
		to[b + 2] += to[b + 1];
	for (uint32_t n = 0; n < ev->n; n++)
		reg[to[ev->e[n].block + 1]++] = ev->e[n].reg;
	*at = to;
	*list = reg;
}

/* One walk: a register backwards through the graph. Marks are by block; r + 1 is register r's. */
struct walk {
	const struct kernel *k;
	struct arena *a;
	uint32_t r;
	uint32_t *in, *out, *kill;
	uint32_t *stack, top;
	struct events ins, outs;
	/* With calls told apart: in and out are of what is read in the function or those that it calls, in_below and
	 * out_below of what is read after it has returned; through[p]: r survives function p. call and ret: blocks that
	 * call and that end function p. */
	uint32_t *in_below, *out_below, *through;
	uint32_t *call_at, *call, *ret_at, *ret;
};

static void enter_block(struct walk *w, uint32_t b)
{
	if (w->in[b] == w->r + 1)
		return;
	w->in[b] = w->r + 1;
	w->stack[w->top++] = b;
}

static void leave_block(struct walk *w, uint32_t b)
{
	if (w->out[b] == w->r + 1)
		return;
	w->out[b] = w->r + 1;
	add_event(&w->outs, w->r, b, w->a);
	if (w->kill[b] != w->r + 1)
		enter_block(w, b);
}

static void walk_back(struct walk *w)
{
	const struct cfg *g = w->k->cfg;

	while (w->top) {
		uint32_t b = w->stack[--w->top];

		add_event(&w->ins, w->r, b, w->a);
		for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++)
			leave_block(w, g->pred[e]);
	}
}

/* ---- the same where a function returns only to the call that it was entered by (Reps, Horwitz and Sagiv 1995) ---- */
/* in the stack, of a block marked in in_below: 2b + 1 */
enum { BELOW = 1 };

static void enter_block_as(struct walk *w, uint32_t b, bool below)
{
	uint32_t *mark = below ? w->in_below : w->in;

	if (mark[b] == w->r + 1)
		return;
	if (w->in[b] != w->r + 1 && w->in_below[b] != w->r + 1)
		add_event(&w->ins, w->r, b, w->a);
	mark[b] = w->r + 1;
	w->stack[w->top++] = 2 * b + below;
}

static void leave_block_as(struct walk *w, uint32_t b, bool below)
{
	uint32_t *mark = below ? w->out_below : w->out;

	if (mark[b] == w->r + 1)
		return;
	if (w->out[b] != w->r + 1 && w->out_below[b] != w->r + 1)
		add_event(&w->outs, w->r, b, w->a);
	mark[b] = w->r + 1;
	if (w->kill[b] != w->r + 1)
		enter_block_as(w, b, below);
}

/* Block b is where a call returns to: into the functions, and over those that r survives. */
static void walk_over(struct walk *w, uint32_t b, const struct insn *call, bool below)
{
	struct ir_targets t = ir_targets(w->k, call);

	for (uint32_t n = 0; n < t.n; n++) {
		const uint32_t p = ir_proc_of(w->k, ir_target(&t, n));

		for (uint32_t x = w->ret_at[p]; x < w->ret_at[p + 1]; x++)
			leave_block_as(w, w->ret[x], true);
		if (w->through[p] == w->r + 1)
			leave_block_as(w, b - 1, below);
	}
	if (!insn_kills(call))
		leave_block_as(w, b - 1, below);
}

static void walk_to_callers(struct walk *w, uint32_t p, bool below)
{
	if (below)
		w->through[p] = w->r + 1;
	for (uint32_t x = w->call_at[p]; x < w->call_at[p + 1]; x++) {
		const uint32_t c = w->call[x];

		if (!below || w->in[c + 1] == w->r + 1)
			leave_block_as(w, c, false);
		if (below && w->in_below[c + 1] == w->r + 1)
			leave_block_as(w, c, true);
	}
}

static void walk_back_by_calls(struct walk *w)
{
	const struct kernel *k = w->k;
	const struct cfg *g = k->cfg->local;

	while (w->top) {
		const uint32_t item = w->stack[--w->top], b = item / 2, p = ir_proc_of(k, b);
		const bool below = item & BELOW;

		for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
			const struct insn *call = g->pred[e] + 1 == b ? ir_block_end(k, g->pred[e], OPF_CALL) : NULL;

			if (call)
				walk_over(w, b, call, below);
			else
				leave_block_as(w, g->pred[e], below);
		}
		if (p && k->proc[p].first == b)
			walk_to_callers(w, p, below);
	}
}

/* Blocks that call function p, and those that return from it. */
static void find_calls(struct walk *w)
{
	const struct kernel *k = w->k;

	w->call_at = new_array(w->a, uint32_t, (size_t)k->nproc + 2);
	w->ret_at = new_array(w->a, uint32_t, (size_t)k->nproc + 2);
	for (unsigned fill = 0; fill < 2; fill++) {
		for (uint32_t b = 0; b < k->nblock; b++) {
			const struct insn *i = ir_block_end(k, b, OPF_CALL | OPF_RETURN);
			struct ir_targets t = { .n = 0 };

			if (!i)
				continue;
			if (op_info[i->op].flags & OPF_CALL)
				t = ir_targets(k, i);
			else if (fill)
				w->ret[w->ret_at[ir_proc_of(k, b)]++] = b;
			else
				w->ret_at[ir_proc_of(k, b)]++;
			for (uint32_t n = 0; n < t.n; n++)
				if (fill)
					w->call[w->call_at[ir_proc_of(k, ir_target(&t, n))]++] = b;
				else
					w->call_at[ir_proc_of(k, ir_target(&t, n))]++;
		}
		if (fill)
			break;
		for (uint32_t p = 0, calls = 0, rets = 0; p <= k->nproc; p++) {
			uint32_t c = w->call_at[p], r = w->ret_at[p];

			w->call_at[p] = calls;
			w->ret_at[p] = rets;
			calls += c;
			rets += r;
		}
		w->call = new_array(w->a, uint32_t, (size_t)w->call_at[k->nproc] + 1);
		w->ret = new_array(w->a, uint32_t, (size_t)w->ret_at[k->nproc] + 1);
	}
	for (uint32_t p = k->nproc; p; p--) { /* each start is now the next one's */
		w->call_at[p] = w->call_at[p - 1];
		w->ret_at[p] = w->ret_at[p - 1];
	}
	w->call_at[0] = w->ret_at[0] = 0;
}

/* One register after the other: from each block that reads it, backwards to the blocks that write it. */
static void solve(const struct kernel *k, struct liveness *l, struct arena *a)
{
	const bool by_calls = k->native && k->nproc;
	uint32_t nreg = ir_nreg(k), total[2] = { 0, 0 }, ignored[2];
	struct occur reads = { .at = new_array(a, uint32_t, (size_t)nreg + 1) },
		     kills = { .at = new_array(a, uint32_t, (size_t)nreg + 1) };
	struct walk w = { .k = k, .a = a };

	uint32_t *read_in = new_array(a, uint32_t, (size_t)nreg + 1),
		 *killed_in = new_array(a, uint32_t, (size_t)nreg + 1);

	w.stack = new_array(a, uint32_t, 2 * (size_t)k->nblock + 1);
	w.in = new_array(a, uint32_t, (size_t)k->nblock + 1);
	w.out = new_array(a, uint32_t, (size_t)k->nblock + 1);
	w.kill = new_array(a, uint32_t, (size_t)k->nblock + 1);
	if (by_calls) {
		w.in_below = new_array(a, uint32_t, (size_t)k->nblock + 1);
		w.out_below = new_array(a, uint32_t, (size_t)k->nblock + 1);
		w.through = new_array(a, uint32_t, (size_t)k->nproc + 1);
		find_calls(&w);
	}
	scan_blocks(k, &reads, &kills, read_in, killed_in, false, total);
	count_occurrences(&reads, nreg, total[0], a);
	count_occurrences(&kills, nreg, total[1], a);
	memset(read_in, 0, nreg * sizeof *read_in);
	memset(killed_in, 0, nreg * sizeof *killed_in);
	scan_blocks(k, &reads, &kills, read_in, killed_in, true, ignored);
	for (uint32_t read = 0, killed = 0; w.r < nreg; w.r++) {
		if (read == reads.at[w.r]) { /* at[r] is now the end of r's list: where the next one starts */
			killed = kills.at[w.r];
			continue;
		}
		for (; killed < kills.at[w.r]; killed++)
			w.kill[kills.block[killed]] = w.r + 1;
		for (; read < reads.at[w.r]; read++)
			if (by_calls)
				enter_block_as(&w, reads.block[read], false);
			else
				enter_block(&w, reads.block[read]);
		if (by_calls)
			walk_back_by_calls(&w);
		else
			walk_back(&w);
	}
	by_block(k, &w.ins, &l->in_at, &l->in);
	by_block(k, &w.outs, &l->out_at, &l->out);
}

/* What of c register r counts in, and for how much; NULL: nothing. */
static uint32_t *count_of(const struct kernel *k, uint32_t r, struct live_count *c, uint32_t *one)
{
	*one = 1;
	if (k->form == FORM_VIRTUAL) {
		*one = k->vreg[r].rc == RC_64 ? 2 : 1;
		return k->vreg[r].rc == RC_PRED ? &c->preds : &c->regs;
	}
	switch (mreg_file(r)) {
	case FILE_GPR:
		return &c->regs;
	case FILE_PRED:
		return &c->preds;
	case FILE_UGPR:
		return &c->uregs;
	case FILE_UPRED:
		return &c->upreds;
	case FILE_CBAR:
	case FILE_COUNT:
		break;
	}
	return NULL;
}

void live_add(const struct kernel *k, uint64_t *set, uint32_t r, bool on, struct live_count *c)
{
	uint32_t *n, one;

	if (bitset_has(set, r) == on)
		return;
	if (on)
		bitset_add(set, r);
	else
		bitset_del(set, r);
	n = count_of(k, r, c, &one);
	if (n)
		*n = on ? *n + one : *n - one;
}

struct live_count live_put_counted(const struct kernel *k, struct live_set s, uint64_t *set)
{
	struct live_count c = { 0 };

	for (uint32_t i = 0; i < s.n; i++)
		live_add(k, set, s.reg[i], true, &c);
	return c;
}

void live_step_back_counted(const struct kernel *k, const struct insn *i, uint64_t *set, struct live_count *c)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);

	for (unsigned u = 0; u < n; u++)
		if (use[u].write && insn_kills_reg(i, use[u].reg))
			live_add(k, set, use[u].reg, false, c);
	for (unsigned u = 0; u < n; u++)
		if (!use[u].write)
			live_add(k, set, use[u].reg, true, c);
}

/* The most that is live at any one point: before each instruction and at the end of each block. */
static void find_maxima(const struct kernel *k, struct liveness *l, struct arena *a)
{
	uint64_t *set = bitset_new(a, ir_nreg(k));

	for (uint32_t b = 0; b < k->nblock; b++) {
		struct live_count c = live_put_counted(k, live_out(k, b), set);

		for (uint32_t j = k->block[b].n;; j--) {
			l->max_live32 = c.regs > l->max_live32 ? c.regs : l->max_live32;
			l->max_livep = c.preds > l->max_livep ? c.preds : l->max_livep;
			l->max_liveu = c.uregs > l->max_liveu ? c.uregs : l->max_liveu;
			l->max_liveup = c.upreds > l->max_liveup ? c.upreds : l->max_liveup;
			if (!j)
				break;
			live_step_back_counted(k, &k->insn[k->block[b].first + j - 1], set, &c);
		}
		live_take(live_in(k, b), set);
	}
}

enum pass_result pass_live(struct kernel *k, struct pass_ctx *cx)
{
	struct liveness *l = new(k->a, struct liveness);

	solve(k, l, &cx->scratch);
	k->live = l;
	find_maxima(k, l, &cx->scratch);
	return PASS_SAME;
}
