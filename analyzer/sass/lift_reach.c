/* What an instruction that may read everything can find: the registers that something on a way to it may have written. In any other there is nothing
 * that could be read, though a function that is called may save it. Without this, an unknown callee would make every register live from the start of the
 * kernel on.
 *
 * Forwards over the kernel's own code: sets of registers by block, which only grow. A call of a function in the file leaves what any function
 * writes; one of an unknown function the registers that results are returned in, by the ABI; an unknown instruction everything. Functions are taken to
 * be entered with everything written. Where control leaves to a place that is not known, it may come back anywhere, and nothing is said. */
#include "analyzer/sass/lift_code.h"

#include <string.h>

enum { ABI_FIRST = 4, ABI_LAST = 15 };    /* registers of arguments and results */
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

	if (op_info[i->op].flags & OPF_UNKNOWN && !sass_decode(k->native->sm, (struct sass_word){ word[0], word[1] }, &s))
		add_all(set, k->native->named);
	else if (op_info[i->op].flags & OPF_UNKNOWN)
		for (uint32_t r = ABI_FIRST; r <= ABI_LAST; r++)
			bitset_add(set, r);
	else if (op_info[i->op].flags & OPF_CALL)
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

/* Block b's last set goes to the blocks that control runs into inside the kernel's own code, the first NOWN. */
static bool pass_on(const struct kernel *k, uint32_t b, uint32_t nown, uint64_t (*in)[WORDS], bool *todo, const uint64_t *out)
{
	const struct insn *end = ir_block_end(k, b, OPF_END);
	const bool call = end && op_info[end->op].flags & OPF_CALL;
	struct ir_targets t = { .n = 0 };
	bool more = false;

	if (end && !call && op_info[end->op].flags & (OPF_BRANCH | OPF_TABLE))
		t = ir_targets(k, end);
	if (b + 1 < nown && (!end || call || !insn_kills(end)) && join(in[b + 1], out))
		todo[b + 1] = more = true;
	for (uint32_t n = 0; n < t.n; n++)
		if (ir_target(&t, n) < nown && join(in[ir_target(&t, n)], out))
			todo[ir_target(&t, n)] = more = true;
	return more;
}

/* True if there is an instruction that may read everything, and control leaves the kernel at its ends alone. */
static bool of_use(const struct kernel *k)
{
	bool any = false;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		if (k->insn[i].op == OP_SASS_LEAVE)
			return false;
		any |= k->insn[i].op == OP_SASS_UNKNOWN;
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
	uint64_t (*in)[WORDS];
	struct arena scratch;
	bool *todo, more = true;

	if (!of_use(k))
		return;
	arena_init(&scratch);
	in = (uint64_t (*)[WORDS])new_array(&scratch, uint64_t, ((size_t)nown + 1) * WORDS);
	todo = new_array(&scratch, bool, (size_t)nown + 1);
	memset(todo, 1, nown);
	for (uint32_t b = nown; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			step(k, &k->insn[k->block[b].first + j], by_functions, by_functions);
	while (more) {
		more = false;
		for (uint32_t b = 0; b < nown; b++) {
			if (!todo[b])
				continue;
			todo[b] = false;
			memcpy(set, in[b], sizeof set);
			for (uint32_t j = 0; j < k->block[b].n; j++)
				step(k, &k->insn[k->block[b].first + j], set, by_functions);
			more |= pass_on(k, b, nown, in, todo, set);
		}
	}
	for (uint32_t b = 0; b < nown; b++) {
		memcpy(set, in[b], sizeof set);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			if (k->insn[i].op == OP_SASS_UNKNOWN) {
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
