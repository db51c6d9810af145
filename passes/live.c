/* Liveness: which registers hold a value that may still be read, at both ends of each block and, on demand, at each point
 * between two instructions.
 *
 * One register at a time, from each block that reads it before writing it, backwards over the edges until a block writes it
 * (Boissinot, Brandner, Darte, Dupont de Dinechin and Rastello 2011, "by variable"). Time and memory are linear in the code
 * and in the sets' members, not in blocks times registers: a kernel has many short-lived registers.
 *
 * A guarded write does not kill: the lanes whose guard is false keep the old value. A guard is read. In machine form a
 * 64-bit operand is two registers, and RZ and PT are none. A register read before any write is live into the entry. */
#include "pass.h"

void live_step_back(const struct kernel *k, const struct insn *i, uint64_t *set)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);

	if (insn_kills(i))
		for (unsigned j = 0; j < n; j++)
			if (use[j].write)
				bitset_del(set, use[j].reg);
	for (unsigned j = 0; j < n; j++)
		if (!use[j].write)
			bitset_add(set, use[j].reg);
}

/* Who reads a register before writing it, and who writes it for certain, by block: lists of blocks for each register. */
struct occur { uint32_t *at, *block; };

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
static void scan_blocks(const struct kernel *k, struct occur *reads, struct occur *kills, uint32_t *read_in, uint32_t *killed_in,
                        bool fill, uint32_t total[2])
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
			for (unsigned u = 0; u < n && insn_kills(i); u++) {
				uint32_t r = use[u].reg;

				if (!use[u].write || killed_in[r] == b + 1)
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

struct event { uint32_t reg, block; };          /* reg is live there */
struct events { struct event *e; uint32_t n, cap; };

static void add_event(struct events *ev, uint32_t r, uint32_t b, struct arena *a)
{
	arena_grow(a, ev->e, ev->n, ev->cap);
	ev->e[ev->n++] = (struct event){ r, b };
}

/* Events come in the order of their registers: a stable counting sort by block leaves each block's list ascending. */
static void by_block(const struct kernel *k, const struct events *ev, uint32_t **at, uint32_t **list)
{
	uint32_t *to = new_array(k->a, uint32_t, (size_t)k->nblock + 2), *reg = new_array(k->a, uint32_t, (size_t)ev->n + 1);

	for (uint32_t n = 0; n < ev->n; n++)
		to[ev->e[n].block + 2]++;
	for (uint32_t b = 0; b < k->nblock; b++)
		to[b + 2] += to[b + 1];
	for (uint32_t n = 0; n < ev->n; n++)
		reg[to[ev->e[n].block + 1]++] = ev->e[n].reg;
	*at = to;
	*list = reg;
}

/* One register after the other: from each block that reads it, backwards to the blocks that write it. */
static void solve(const struct kernel *k, struct liveness *l, struct arena *a)
{
	const struct cfg *g = k->cfg;
	uint32_t nreg = ir_nreg(k), *stack = new_array(a, uint32_t, (size_t)k->nblock + 1);
	uint32_t *in = new_array(a, uint32_t, (size_t)k->nblock + 1), *out = new_array(a, uint32_t, (size_t)k->nblock + 1);
	uint32_t *kill = new_array(a, uint32_t, (size_t)k->nblock + 1), total[2] = { 0, 0 }, ignored[2];
	struct occur reads = { .at = new_array(a, uint32_t, (size_t)nreg + 1) }, kills = { .at = new_array(a, uint32_t, (size_t)nreg + 1) };
	struct events ins = { 0 }, outs = { 0 };

	uint32_t *read_in = new_array(a, uint32_t, (size_t)nreg + 1), *killed_in = new_array(a, uint32_t, (size_t)nreg + 1);

	scan_blocks(k, &reads, &kills, read_in, killed_in, false, total);
	count_occurrences(&reads, nreg, total[0], a);
	count_occurrences(&kills, nreg, total[1], a);
	memset(read_in, 0, nreg * sizeof *read_in);
	memset(killed_in, 0, nreg * sizeof *killed_in);
	scan_blocks(k, &reads, &kills, read_in, killed_in, true, ignored);
	for (uint32_t r = 0, read = 0, killed = 0; r < nreg; r++) {
		uint32_t top = 0;

		if (read == reads.at[r]) {      /* at[r] is now the end of r's list: where the next one starts */
			killed = kills.at[r];
			continue;
		}
		for (; killed < kills.at[r]; killed++)
			kill[kills.block[killed]] = r + 1;
		for (; read < reads.at[r]; read++) {
			in[reads.block[read]] = r + 1;
			stack[top++] = reads.block[read];
		}
		while (top) {
			uint32_t b = stack[--top];

			add_event(&ins, r, b, a);
			for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
				uint32_t p = g->pred[e];

				if (out[p] == r + 1)
					continue;
				out[p] = r + 1;
				add_event(&outs, r, p, a);
				if (kill[p] == r + 1 || in[p] == r + 1)
					continue;
				in[p] = r + 1;
				stack[top++] = p;
			}
		}
	}
	by_block(k, &ins, &l->in_at, &l->in);
	by_block(k, &outs, &l->out_at, &l->out);
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
	case FILE_GPR:   return &c->regs;
	case FILE_PRED:  return &c->preds;
	case FILE_UGPR:  return &c->uregs;
	case FILE_UPRED: return &c->upreds;
	case FILE_CBAR: case FILE_COUNT: break;
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

	for (unsigned u = 0; u < n && insn_kills(i); u++)
		if (use[u].write)
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
