/* What an instruction that may read everything can find: the registers that something on a way to it may have written.
 * In any other there is nothing that could be read, though a function that is called may save it. Without this, an
 * unknown callee would make every register live from the start of the kernel on.
 *
 * Forwards over the kernel's own code: sets of registers by block, which only grow, in the order of a search from its
 * start. A call of a function in the file leaves what any function writes; one of an unknown function the registers
 * that results are returned in, by the ABI; an unknown instruction everything. Functions are taken to be entered with
 * everything written. Where control leaves to a place that is not known, it may come back anywhere, and nothing is
 * said. */
#include "analyzer/base/worklist.h"
#include "analyzer/sass/lift_code.h"

#include <string.h>

/* registers of arguments and results */
enum { ABI_FIRST = 4, ABI_LAST = 15 };
enum { WORDS = sizeof(((struct native_reach *)0)->set) / sizeof(uint64_t) };

static void add_all(uint64_t *to, const uint64_t *from)
{
	for (unsigned w = 0; w < WORDS; w++)
		to[w] |= from[w];
}

/* Instruction i, behind which SET holds what may have been written. */
static void step(const struct kernel *k, const struct insn *i, uint64_t *set, const uint64_t *by_functions)
{
	const uint64_t *word = k->native->word[i - k->insn];
	struct sass_insn s;

	if (op_info[i->op].flags & OPF_UNKNOWN && !sass_decode_words(k->native->sm, word, &s))
		add_all(set, k->native->named);
	else if (op_info[i->op].flags & OPF_UNKNOWN)
		for (uint32_t r = ABI_FIRST; r <= ABI_LAST; r++)
			bitset_add(set, r);
	if (op_info[i->op].flags & OPF_CALL)
		add_all(set, by_functions);
	for (unsigned d = 0; d < i->ndst; d++)
		bitset_add(set, insn_dst(k, i)[d].val);
}

static bool join(uint64_t *to, const uint64_t *from)
{
	bool more = false;

	for (unsigned w = 0; w < WORDS; w++) {
		more |= (from[w] & ~to[w]) != 0;
		to[w] |= from[w];
	}
	return more;
}

/* The blocks that control runs into from block b inside the kernel's own code, the first NOWN: the one behind it, then
 * targets. */
struct next {
	bool behind;
	struct ir_targets t;
};

static struct next next_of(const struct kernel *k, uint32_t b, uint32_t nown)
{
	const struct insn *end = ir_block_end(k, b, OPF_END);
	const bool call = end && op_info[end->op].flags & OPF_CALL;
	struct next x = { .behind = b + 1 < nown && (!end || call || !insn_kills(end)) };

	if (end && !call && op_info[end->op].flags & (OPF_BRANCH | OPF_TABLE))
		x.t = ir_targets(k, end);
	return x;
}

/* Number n of them; NOWHERE: it is not the kernel's own. */
static uint32_t next_block(const struct next *x, uint32_t n, uint32_t b, uint32_t nown)
{
	const uint32_t to = x->behind && !n ? b + 1 : ir_target(&x->t, n - x->behind);

	return to < nown ? to : NOWHERE;
}

/* Places of blocks in a reverse post-order from the first block, then from others that it does not lead to. */
static uint32_t *find_order(const struct kernel *k, uint32_t nown, uint32_t **place, struct arena *a)
{
	uint32_t *order = new_array(a, uint32_t, (size_t)nown + 1), *stack = new_array(a, uint32_t, (size_t)nown + 1),
		 *done = new_array(a, uint32_t, (size_t)nown + 1), left = nown;
	bool *seen = new_array(a, bool, (size_t)nown + 1);

	*place = new_array(a, uint32_t, (size_t)nown + 1);
	for (uint32_t root = 0; root < nown; root++) {
		uint32_t top = 0;

		if (seen[root])
			continue;
		seen[root] = true;
		stack[top++] = root;
		while (top) {
			const uint32_t b = stack[top - 1];
			const struct next x = next_of(k, b, nown);
			const uint32_t to = done[b] < x.t.n + x.behind ? next_block(&x, done[b]++, b, nown) : b;

			if (to == b && done[b] == x.t.n + x.behind) {
				order[--left] = b;
				top--;
			} else if (to != NOWHERE && !seen[to]) {
				seen[to] = true;
				stack[top++] = to;
			}
		}
	}
	for (uint32_t p = 0; p < nown; p++)
		(*place)[order[p]] = p;
	return order;
}

/* True if there is an instruction that may read everything, and control leaves the kernel at its ends alone. */
static bool of_use(const struct kernel *k)
{
	bool any = false;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		if (k->insn[i].op == OP_SASS_LEAVE)
			return false;
		any |= op_info[k->insn[i].op].flags & OPF_UNKNOWN;
	}
	return any;
}

void lift_reach(struct lift_kernel *x)
{
	struct kernel *k = x->k;
	const uint32_t nown = k->nproc ? k->proc[1].first : k->nblock;
	uint64_t by_functions[WORDS] = { 0 }, set[WORDS];
	struct native_reach *reach = NULL;
	uint32_t n = 0, cap = 0;
	uint64_t(*in)[WORDS], (*own)[WORDS];
	uint32_t *order, *place, p;
	struct worklist work;
	struct arena scratch;

	if (!of_use(k))
		return;
	arena_init(&scratch);
	in = (uint64_t(*)[WORDS])new_array(&scratch, uint64_t, ((size_t)nown + 1) * WORDS);
	own = (uint64_t(*)[WORDS])new_array(&scratch, uint64_t, ((size_t)nown + 1) * WORDS);
	order = find_order(k, nown, &place, &scratch);
	work = worklist_new(&scratch, nown);
	for (uint32_t b = nown; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			step(k, &k->insn[k->block[b].first + j], by_functions, by_functions);
	for (uint32_t b = 0; b < nown; b++) {
		for (uint32_t j = 0; j < k->block[b].n; j++) /* it only adds */
			step(k, &k->insn[k->block[b].first + j], own[b], by_functions);
		worklist_add(&work, b);
	}
	while (worklist_take(&work, &p)) {
		const uint32_t b = order[p];
		const struct next next = next_of(k, b, nown);

		memcpy(set, in[b], sizeof set);
		add_all(set, own[b]);
		for (uint32_t e = 0; e < next.t.n + next.behind; e++) {
			const uint32_t to = next_block(&next, e, b, nown);

			if (to != NOWHERE && join(in[to], set))
				worklist_add(&work, place[to]);
		}
	}
	for (uint32_t b = 0; b < nown; b++) {
		memcpy(set, in[b], sizeof set);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			if (op_info[k->insn[i].op].flags & OPF_UNKNOWN) {
				arena_grow(x->l->a, reach, n, cap);
				reach[n].insn = i;
				memcpy(reach[n++].set, set, sizeof set);
			}
			step(k, &k->insn[i], set, by_functions);
		}
	}
	x->native->reach = reach;
	x->native->nreach = n;
	arena_free(&scratch);
}
