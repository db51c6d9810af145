/* How often a thread executes each block: once outside loops, in a loop as often as it goes round, multiplied over the
 * loops around. A branch inside takes nothing away: the papers that weigh register uses by this (CORF, section 4.2) have
 * no branch probabilities, and a block weighed as if every iteration came through is a hint in the right order.
 *
 * A loop of which nothing is known goes round FREQ_LOOP times: loop branches are taken in 88 percent of their executions
 * (Wu and Larus 1994, section 3, after Ball and Larus 1993), which is 1 / 0.12 = 8.3 iterations. A function is executed as
 * often as all calls of it together; one that may call itself counts as a loop. Everything stops at FREQ_MAX. */
#include "passes/pass.h"

#define NONE UINT32_MAX

struct count {
	struct kernel *k;
	struct freq *f;
	struct arena *a;
	uint32_t *loop_of;              /* by block: index of the innermost loop; NONE: none */
	double *times;                  /* by loop: executions of its header for one of its function */
	double *entry;                  /* by function */
};

/* The loops, those around before those inside, and what they do in a function that is entered once. */
static void list_loops(struct count *c)
{
	const struct kernel *k = c->k;
	const struct cfg *g = k->cfg;
	uint32_t *index = new_array(c->a, uint32_t, (size_t)k->nblock + 1), n = 0, deepest = 0, *at, *header;

	for (uint32_t b = 0; b < k->nblock; b++) {
		n += g->loop[b] == b;
		deepest = g->depth[b] > deepest ? g->depth[b] : deepest;
	}
	c->f->loop = new_array(k->a, struct freq_loop, (size_t)n + 1);
	c->times = new_array(c->a, double, (size_t)n + 1);
	c->loop_of = new_array(c->a, uint32_t, (size_t)k->nblock + 1);
	at = new_array(c->a, uint32_t, (size_t)deepest + 2);
	header = new_array(c->a, uint32_t, (size_t)n + 1);
	for (uint32_t b = 0; b < k->nblock; b++)
		at[g->depth[b] + 1] += g->loop[b] == b;
	for (uint32_t depth = 0; depth <= deepest; depth++)
		at[depth + 1] += at[depth];
	for (uint32_t b = 0; b < k->nblock; b++)
		if (g->loop[b] == b)
			header[at[g->depth[b]]++] = b;
	for (c->f->nloop = 0; c->f->nloop < n; c->f->nloop++) {
		uint32_t b = header[c->f->nloop];

		index[b] = c->f->nloop;
		c->f->loop[index[b]] = (struct freq_loop){ .header = b, .outer = g->outer[b] == NONE ? NONE : index[g->outer[b]] };
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		c->loop_of[b] = g->loop[b] == NONE ? NONE : index[g->loop[b]];
}

/* Executions of block b for one of its function. */
static double local_times(const struct count *c, uint32_t b)
{
	return c->loop_of[b] == NONE ? 1 : c->times[c->loop_of[b]];
}

static void multiply(struct count *c)
{
	for (uint32_t l = 0; l < c->f->nloop; l++) {
		struct freq_loop *x = &c->f->loop[l];
		double around = x->outer == NONE ? 1 : c->times[x->outer];

		c->times[l] = around * x->header_runs < FREQ_MAX ? around * x->header_runs : FREQ_MAX;
	}
}

/* Executions of each function: the calls of it are counted in reverse post-order of the call graph. A call that comes back
 * to a function still open is what makes that one recursive. */
static void count_calls(struct count *c)
{
	const struct kernel *k = c->k;
	uint32_t n = k->nproc ? k->nproc : 1, top = 0, done = 0;
	uint32_t *next = new_array(c->a, uint32_t, (size_t)n + 1), *which = new_array(c->a, uint32_t, (size_t)n + 1);
	uint32_t *stack = new_array(c->a, uint32_t, (size_t)n + 1), *post = new_array(c->a, uint32_t, (size_t)n + 1);
	uint64_t *seen = bitset_new(c->a, n), *open = bitset_new(c->a, n), *again = bitset_new(c->a, n);

	c->entry = new_array(c->a, double, (size_t)n + 1);
	c->entry[0] = 1;
	if (!k->nproc)
		return;
	for (uint32_t p = 0; p < n; p++)
		next[p] = k->proc[p].first;
	bitset_add(seen, 0);
	bitset_add(open, 0);
	stack[top++] = 0;
	while (top) {                   /* next[p], which[p]: the block, and the target of its call, to look at */
		uint32_t p = stack[top - 1], b = next[p], q;
		const struct insn *call;
		struct ir_targets t = { .n = 0 };

		if (b == (p + 1 < n ? k->proc[p + 1].first : k->nblock)) {
			bitset_del(open, p);
			post[done++] = p;
			top--;
			continue;
		}
		call = k->cfg->rpo_index[b] == NONE ? NULL : ir_block_end(k, b, OPF_CALL);
		if (call)
			t = ir_targets(k, call);
		if (which[p] == t.n) {
			which[p] = 0;
			next[p]++;
			continue;
		}
		q = ir_proc_of(k, ir_target(&t, which[p]++));
		if (bitset_has(open, q))
			bitset_add(again, q);
		if (bitset_has(seen, q))
			continue;
		bitset_add(seen, q);
		bitset_add(open, q);
		stack[top++] = q;
	}
	while (done) {
		uint32_t p = post[--done], end = p + 1 < n ? k->proc[p + 1].first : k->nblock;

		bitset_add(open, p);    /* now: counted */
		if (bitset_has(again, p))
			c->entry[p] *= FREQ_LOOP;
		if (c->entry[p] > FREQ_MAX)
			c->entry[p] = FREQ_MAX;
		for (uint32_t b = k->proc[p].first; b < end; b++) {
			const struct insn *call = k->cfg->rpo_index[b] == NONE ? NULL : ir_block_end(k, b, OPF_CALL);
			struct ir_targets t = { .n = 0 };

			if (call)
				t = ir_targets(k, call);
			for (uint32_t x = 0; x < t.n; x++) {
				uint32_t q = ir_proc_of(k, ir_target(&t, x));

				if (!bitset_has(open, q))
					c->entry[q] += c->entry[p] * local_times(c, b);
			}
		}
	}
}

enum pass_result pass_freq(struct kernel *k, struct pass_ctx *cx)
{
	struct count c = { .k = k, .a = &cx->scratch, .f = new(k->a, struct freq) };

	k->freq = c.f;
	c.f->executions = new_array(k->a, uint64_t, (size_t)k->nblock + 1);
	list_loops(&c);
	for (uint32_t l = 0; l < c.f->nloop; l++)
		c.f->loop[l].header_runs = FREQ_LOOP;
	multiply(&c);
	count_calls(&c);
	for (uint32_t b = 0; b < k->nblock; b++) {
		double times = c.entry[k->nproc ? ir_proc_of(k, b) : 0] * local_times(&c, b);

		if (k->cfg->rpo_index[b] != NONE)
			c.f->executions[b] = times >= FREQ_MAX ? FREQ_MAX : times < 1 ? 1 : (uint64_t)(times + 0.5);
	}
	return PASS_SAME;
}
