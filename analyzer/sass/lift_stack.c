/* Local memory that a thread needs, with the functions that are called: the linker's figure (MIN_STACK_SIZE), and what
 * it leaves out. Of functions inside a kernel's section ptxas counts the frames with the kernel's, but of those that
 * recurse none, nor what the code takes by a computed number (alloca); files that are not linked have no figure. So
 * calls are followed here, and R1 is looked at, which is the stack pointer where the kernel loads it from the driver's
 * constants. What functions of the driver's need is not counted. */
#include "analyzer/sass/lift_code.h"

/* a register; in constant bank 0 */
enum { STACK_POINTER = 1, STACK_TOP = 0x28, STACK_TOP_SM_100 = 0x37c };
#define STACK_MAX (UINT32_MAX - 1)

/* on the way from the kernel: what of the part comes next */
struct frame {
	uint32_t part, insn, target;
};

struct walk {
	const struct lift_kernel *x;
	struct frame *on;
	uint32_t depth;
	uint64_t *bytes;         /* by part: with what it calls */
	uint64_t *begun, *ended; /* parts */
	bool by_register;        /* calls through registers count, not those by name alone */
	bool recurses;
};

static bool is_call(const struct insn *i) { return (op_info[i->op].flags & OPF_CALL) != 0; }

static const struct cubin_func *func_of(const struct lift_kernel *x, uint32_t part)
{
	return &x->l->c->func[x->l->piece[x->part[part].piece].func];
}

/* That of a function inside a section is in its kernel's. */
static uint32_t own_bytes(const struct lift_kernel *x, uint32_t part)
{
	return !part || func_of(x, part)->owner ? func_of(x, part)->frame_bytes : 0;
}

static void enter(struct walk *w, uint32_t part)
{
	bitset_add(w->begun, part);
	w->bytes[part] = own_bytes(w->x, part);
	w->on[w->depth++] = (struct frame){ part, w->x->part[part].first, 0 };
}

/* The next function that the part on top calls; NOWHERE: no more. */
static uint32_t next_callee(struct walk *w)
{
	const struct lift_kernel *x = w->x;
	struct frame *f = &w->on[w->depth - 1];

	for (; f->insn < x->part[f->part].first + x->part[f->part].n; f->insn++, f->target = 0) {
		const struct insn *i = &x->k->insn[f->insn];
		struct ir_targets t;

		if (!is_call(i))
			continue;
		t = ir_targets(x->k, i);
		if (f->target < t.n)
			return lift_part_of(x, x->k->block[ir_target(&t, f->target++)].first);
	}
	return NOWHERE;
}

/* Whether a way back is one that the linker did not see, or had to say so itself: of the functions with sections of
 * their own that a register may name it knows better, by their types, which can be called. */
static bool closes(const struct walk *w, uint32_t callee)
{
	const struct frame *f = &w->on[w->depth - 1];

	return w->by_register || w->x->k->insn[f->insn].op == OP_SASS_CALL || !func_of(w->x, callee)->owner;
}

static void walk_calls(struct walk *w)
{
	enter(w, 0);
	while (w->depth) {
		const uint32_t part = w->on[w->depth - 1].part, to = next_callee(w);
		uint32_t from;

		if (to != NOWHERE && !bitset_has(w->begun, to)) {
			enter(w, to);
		} else if (to != NOWHERE && !bitset_has(w->ended, to)) {
			w->recurses |= closes(w, to);
		} else if (to != NOWHERE) {
			const bool counts =
				w->by_register || w->x->k->insn[w->on[w->depth - 1].insn].op == OP_SASS_CALL;
			const uint64_t all = own_bytes(w->x, part) + w->bytes[to];

			w->bytes[part] = counts && all > w->bytes[part] ? all : w->bytes[part];
		} else {
			bitset_add(w->ended, part);
			if (--w->depth) { /* the caller asks for the same target again, and finds it ended */
				from = w->depth - 1;
				w->on[from].target--;
			}
		}
	}
}

static bool loads_stack_pointer(const struct lift_kernel *x)
{
	const uint32_t at = x->l->c->sm >= 100 ? STACK_TOP_SM_100 : STACK_TOP;

	for (uint32_t i = x->part[0].first; i < x->part[0].first + x->part[0].n; i++) {
		const struct insn *n = &x->k->insn[i];

		if (n->ndst == 1 && n->nsrc == 1 && insn_dst(x->k, n)->val == STACK_POINTER &&
		    insn_src(x->k, n)->kind == REF_CONST && insn_src(x->k, n)->val == ref_const(0, at).val)
			return true;
	}
	return false;
}

/* R1 becomes a sum of itself and another register, or some such. */
static bool computes_stack(const struct lift_kernel *x, uint32_t part)
{
	for (uint32_t i = x->part[part].first; i < x->part[part].first + x->part[part].n; i++) {
		const struct insn *n = &x->k->insn[i];
		bool to = false, from = false, other = false;

		for (unsigned d = 0; d < n->ndst; d++)
			to |= insn_dst(x->k, n)[d].val == STACK_POINTER;
		for (unsigned s = 0; to && s < n->nsrc; s++) {
			const struct ref *r = &insn_src(x->k, n)[s];
			const enum reg_file file = r->kind == REF_REG ? mreg_file(r->val) : FILE_PRED;

			from |= r->kind == REF_REG && r->val == STACK_POINTER;
			other |= (file == FILE_GPR || file == FILE_UGPR) && !mreg_is_fixed(r->val) &&
				 r->val != STACK_POINTER;
		}
		if (to && from && other)
			return true;
	}
	return false;
}

/* A call or a branch out of the file. */
static bool leaves(const struct lift_kernel *x, const struct jump *j)
{
	const struct insn *i = &x->k->insn[j->insn];

	if (j->class == SCLASS_CALL || j->class == SCLASS_CALL_INDIRECT)
		return op_info[i->op].flags & OPF_UNKNOWN;
	return j->class == SCLASS_BRANCH && i->op == OP_SASS_LEAVE;
}

static const char *why_unbounded(const struct lift_kernel *x, const struct walk *w)
{
	const bool pointer = loads_stack_pointer(x);

	if (w->recurses)
		return "functions that it calls recurse";
	for (uint32_t p = 0; pointer && p < x->npart; p++)
		if (bitset_has(w->begun, p) && computes_stack(x, p))
			return "the code takes as much stack as it computes";
	return x->f->min_stack == UINT32_MAX || x->f->max_stack == UINT32_MAX ? "the linker found no bound of the stack"
									      : x->native->elsewhere;
}

static const char *find_elsewhere(const struct lift_kernel *x, const struct walk *w)
{
	for (uint32_t n = 0; x->l->c->relocatable && n < x->njump; n++)
		if (bitset_has(w->begun, lift_part_of(x, x->jump[n].insn)) && leaves(x, &x->jump[n]))
			return "it may call functions of other files";
	return NULL;
}

void lift_stack(struct lift_kernel *x)
{
	const uint32_t given = x->f->min_stack == UINT32_MAX ? 0 : x->f->min_stack;
	struct arena scratch;
	struct walk w = { .x = x, .by_register = !x->f->stack_given };
	uint64_t all;

	arena_init(&scratch);
	w.on = new_array(&scratch, struct frame, (size_t)x->npart + 1);
	w.bytes = new_array(&scratch, uint64_t, (size_t)x->npart + 1);
	w.begun = bitset_new(&scratch, x->npart);
	w.ended = bitset_new(&scratch, x->npart);
	walk_calls(&w);
	x->native->elsewhere = find_elsewhere(x, &w);
	x->native->unbounded = why_unbounded(x, &w);
	all = w.bytes[0] > given ? w.bytes[0] : given;
	x->k->res.local_bytes = all < STACK_MAX ? (uint32_t)all : STACK_MAX;
	arena_free(&scratch);
}
