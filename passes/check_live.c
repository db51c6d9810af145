/* Oracle for liveness, by the definition: a register is live at a point if a path leads from there to a read of it with
 * no killing write between. From each read the paths are searched backwards, one instruction at a time, with edges
 * taken from the code itself. The set found at every point is compared with the one that live_step_back() gives there.
 *
 * cost  points x registers steps. Above CHECK_MAX of them the kernel is accepted unchecked. */
#include "pass.h"

enum { CHECK_MAX = 4 << 20 };

/* Points are numbered as the instructions: point i lies before instruction i. An empty block has no point of its own,
 * so each block also has an end point, ninsn + b. */
struct search {
	const struct kernel *k;
	struct arena a;
	uint32_t npoint, nreg;
	uint64_t *live;      /* npoint x nreg bits */
	struct reg_use *use; /* of all instructions; use_at[i] .. use_at[i + 1] */
	uint32_t *use_at;
	uint32_t *block_of;       /* by point */
	uint32_t *into_at, *into; /* blocks that lead to a block */
	struct context *context;  /* of decoded machine code: the calls that a path has gone back into; 0: none */
	uint32_t ncontext, context_cap;
	struct state *seen;
	uint32_t nseen; /* open hash */
	bool truncated;
};
struct context {
	uint32_t outer, call, depth;
};
/* point + 1 */
struct state {
	uint32_t point, context;
};

static uint32_t target_of(const struct kernel *k, const struct insn *i) { return insn_src(k, i)[i->nsrc - 1].val; }

static bool in_table(const struct kernel *k, const struct insn *i, uint32_t low, uint32_t high)
{
	const struct jump_table *t = &k->table[i->offset];

	for (uint32_t n = 0; n < t->n; n++)
		if (k->target[t->first + n].block >= low && k->target[t->first + n].block <= high)
			return true;
	return false;
}

/* Whether the block before `to` calls the function that block `from` is in. */
static bool comes_back(const struct kernel *k, uint32_t from, uint32_t to)
{
	const struct block *bb = &k->block[to - 1];
	const struct insn *call = bb->n ? &k->insn[bb->first + bb->n - 1] : NULL;
	uint32_t low = 0, high = k->nblock - 1;

	if (!call || !(op_info[call->op].flags & OPF_CALL))
		return false;
	for (uint32_t p = 0; p < k->nproc; p++) {
		if (k->proc[p].first <= from)
			low = k->proc[p].first;
		else if (k->proc[p].first <= high)
			high = k->proc[p].first - 1;
	}
	if (op_info[call->op].flags & OPF_TABLE)
		return in_table(k, call, low, high);
	return target_of(k, call) >= low && target_of(k, call) <= high;
}

static bool leads_to(const struct kernel *k, uint32_t from, uint32_t to)
{
	const struct block *bb = &k->block[from];
	const struct insn *last;

	if (!bb->n)
		return to == from + 1;
	last = &k->insn[bb->first + bb->n - 1];
	if (op_info[last->op].flags & OPF_BRANCH && target_of(k, last) == to)
		return true;
	if (op_info[last->op].flags & OPF_TABLE && in_table(k, last, to, to))
		return true;
	if (op_info[last->op].flags & OPF_RETURN && to && comes_back(k, from, to))
		return true;
	return to == from + 1 &&
	       (!(op_info[last->op].flags & OPF_END) || last->guard.kind != REF_NONE || last->mods & MOD_MAY);
}

static void prepare(struct search *s)
{
	const struct kernel *k = s->k;
	uint32_t cap = 0, n = 0, m = 0, ninto = 0;

	s->live = new_array(&s->a, uint64_t, bitset_words(s->nreg) * (size_t)s->npoint + 1);
	s->use_at = new_array(&s->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned c = insn_reg_uses(k, &k->insn[i], use);

		for (unsigned j = 0; j < c; j++) {
			arena_grow(&s->a, s->use, n, cap);
			s->use[n++] = use[j];
		}
		s->use_at[i + 1] = n;
	}
	s->block_of = new_array(&s->a, uint32_t, (size_t)s->npoint + 1);
	s->into_at = new_array(&s->a, uint32_t, (size_t)k->nblock + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		s->block_of[k->ninsn + b] = b;
		for (uint32_t j = 0; j < k->block[b].n; j++)
			s->block_of[k->block[b].first + j] = b;
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		for (uint32_t p = 0; p < k->nblock; p++)
			if (leads_to(k, p, b)) {
				arena_grow(&s->a, s->into, m, ninto);
				s->into[m++] = p;
			}
		s->into_at[b + 1] = m;
	}
}

static uint64_t *point_set(const struct search *s, uint32_t p) { return s->live + (size_t)p * bitset_words(s->nreg); }

static bool touches(const struct search *s, uint32_t i, uint32_t r, bool write)
{
	for (uint32_t u = s->use_at[i]; u < s->use_at[i + 1]; u++)
		if (s->use[u].reg == r && s->use[u].write == write)
			return true;
	return false;
}

/* Whether the instruction leaves nothing of r's old value, by the definition. */
static bool replaces(const struct search *s, uint32_t i, uint32_t r)
{
	const struct insn *x = &s->k->insn[i];
	const bool pred = s->k->form == FORM_MACHINE && mreg_is_pred(r);

	if (!touches(s, i, r, true))
		return false;
	return x->guard.kind == REF_NONE ? !(x->mods & MOD_MAY)
					 : x->mods & MOD_KILLS || (pred && x->mods & MOD_KILLS_PREDS);
}

/* Marks r live at point p and at every point from which p is reached without a killing write of r. */
static void search_back(const struct search *s, uint32_t p, uint32_t r, uint32_t *stack)
{
	const struct kernel *k = s->k;
	uint32_t top = 0;

	stack[top++] = p;
	while (top) {
		uint32_t b;

		p = stack[--top];
		if (bitset_has(point_set(s, p), r))
			continue;
		bitset_add(point_set(s, p), r);
		b = s->block_of[p];
		if (p < k->ninsn && p > k->block[b].first) {
			if (!replaces(s, p - 1, r))
				stack[top++] = p - 1;
		} else if (p >= k->ninsn && k->block[b].n) {
			uint32_t last = k->block[b].first + k->block[b].n - 1;

			if (!replaces(s, last, r))
				stack[top++] = last;
		} else {
			for (uint32_t e = s->into_at[b]; e < s->into_at[b + 1]; e++)
				if (!bitset_has(point_set(s, k->ninsn + s->into[e]), r))
					stack[top++] = k->ninsn + s->into[e];
		}
	}
}

/* ---- decoded machine code with functions: a path returns to the call that it came by ---- */
enum { DEPTH_MAX = 6, SEEN_MAX = 1 << 16 };

static uint32_t context_in(struct search *s, uint32_t outer, uint32_t call)
{
	for (uint32_t c = 1; c < s->ncontext; c++)
		if (s->context[c].outer == outer && s->context[c].call == call)
			return c;
	arena_grow(&s->a, s->context, s->ncontext, s->context_cap);
	s->context[s->ncontext] = (struct context){ outer, call, s->context[outer].depth + 1 };
	return s->ncontext++;
}

static bool is_new(struct search *s, struct state at)
{
	uint32_t h = (at.point * 0x9e3779b1u ^ at.context * 0x85ebca6bu) & (4 * SEEN_MAX - 1);

	for (; s->seen[h].point; h = (h + 1) & (4 * SEEN_MAX - 1))
		if (s->seen[h].point == at.point + 1 && s->seen[h].context == at.context)
			return false;
	if (s->nseen == SEEN_MAX) {
		s->truncated = true;
		return false;
	}
	s->nseen++;
	s->seen[h] = (struct state){ at.point + 1, at.context };
	return true;
}

static bool is_entry(const struct kernel *k, uint32_t b)
{
	for (uint32_t p = 1; p < k->nproc; p++)
		if (k->proc[p].first == b)
			return true;
	return false;
}

static bool calls(const struct kernel *k, const struct insn *end, uint32_t entry)
{
	return op_info[end->op].flags & OPF_TABLE ? in_table(k, end, entry, entry) : target_of(k, end) == entry;
}

static void search_back_by_calls(struct search *s, uint32_t r, struct state *todo)
{
	const struct kernel *k = s->k;
	uint32_t top = 0;

	s->nseen = 0;
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (touches(s, i, r, false))
			todo[top++] = (struct state){ i, 0 };
	if (top)
		memset(s->seen, 0, 4 * SEEN_MAX * sizeof *s->seen);
	while (top) {
		const struct state at = todo[--top];
		const uint32_t b = s->block_of[at.point], first = k->block[b].first, last = first + k->block[b].n - 1;

		if (!is_new(s, at))
			continue;
		bitset_add(point_set(s, at.point), r);
		if (at.point < k->ninsn && at.point > first) {
			if (!replaces(s, at.point - 1, r))
				todo[top++] = (struct state){ at.point - 1, at.context };
			continue;
		}
		if (at.point >= k->ninsn && k->block[b].n) {
			if (!replaces(s, last, r))
				todo[top++] = (struct state){ last, at.context };
			continue;
		}
		for (uint32_t e = s->into_at[b]; e < s->into_at[b + 1]; e++) {
			const uint32_t p = s->into[e];
			const struct insn *end = k->block[p].n ? &k->insn[k->block[p].first + k->block[p].n - 1] : NULL;
			uint32_t context = at.context;

			if (end && op_info[end->op].flags & OPF_RETURN && p + 1 != b) {
				if (s->context[context].depth == DEPTH_MAX) {
					s->truncated = true;
					continue;
				}
				context = context_in(s, context, b - 1);
			} else if (end && op_info[end->op].flags & OPF_CALL && is_entry(k, b) && calls(k, end, b)) {
				if (context && s->context[context].call != p)
					continue;
				context = context ? s->context[context].outer : 0;
			}
			todo[top++] = (struct state){ k->ninsn + p, context };
		}
	}
}

static bool differs(const struct search *s, const char *where, uint32_t n, const uint64_t *found, const uint64_t *given,
		    struct diag *d)
{
	for (uint32_t r = 0; r < s->nreg; r++)
		if (bitset_has(found, r) != bitset_has(given, r)) {
			struct arena a;

			arena_init(&a);
			diag_error_plain(d, s->k->name, "liveness is wrong %s %u: a path search finds %s %s", where, n,
					 ir_print_ref(&a, s->k, ref_reg(r), 'W'),
					 bitset_has(found, r) ? "live" : "dead");
			arena_free(&a);
			return true;
		}
	return false;
}

/* RC_COUNT: a uniform register. */
static enum reg_class class_of(const struct kernel *k, uint32_t r)
{
	if (k->form == FORM_VIRTUAL)
		return k->vreg[r].rc;
	if (r < MREG_RZ)
		return RC_32;
	return r < MREG_PT ? RC_PRED : RC_COUNT;
}

static void count_live(const struct search *s, const uint64_t *set, uint32_t *most32, uint32_t *mostp)
{
	const struct kernel *k = s->k;
	uint32_t n32 = 0, np = 0;

	for (uint32_t r = 0; r < s->nreg; r++) {
		enum reg_class rc = class_of(k, r);

		if (bitset_has(set, r)) {
			n32 += rc == RC_64 ? 2 : rc == RC_32;
			np += rc == RC_PRED;
		}
	}
	*most32 = n32 > *most32 ? n32 : *most32;
	*mostp = np > *mostp ? np : *mostp;
}

static bool compare(const struct search *s, struct diag *d)
{
	const struct kernel *k = s->k;
	struct arena a = { 0 };
	uint64_t *set, *given;
	uint32_t most32 = 0, mostp = 0;
	bool ok = true;

	arena_init(&a);
	set = bitset_new(&a, s->nreg);
	given = bitset_new(&a, s->nreg);
	for (uint32_t b = 0; ok && b < k->nblock; b++) {
		live_copy(set, live_out(k, b), s->nreg);
		ok = !differs(s, "at the end of block", b, point_set(s, k->ninsn + b), set, d);
		count_live(s, point_set(s, k->ninsn + b), &most32, &mostp);
		for (uint32_t j = k->block[b].n; ok && j-- > 0;) {
			uint32_t i = k->block[b].first + j;

			live_step_back(k, &k->insn[i], set);
			ok = !differs(s, "before instruction", i, point_set(s, i), set, d);
			count_live(s, point_set(s, i), &most32, &mostp);
		}
		live_copy(given, live_in(k, b), s->nreg);
		ok = ok && !differs(s, "at the start of block", b, set, given, d);
	}
	if (ok && (most32 != k->live->max_live32 || mostp != k->live->max_livep))
		ok = diag_error_plain(d, k->name,
				      "most registers live at one point: %u and %u predicates, a path search finds "
				      "%u and %u",
				      k->live->max_live32, k->live->max_livep, most32, mostp);
	arena_free(&a);
	return ok;
}

bool check_live(const struct kernel *k, struct diag *d)
{
	struct search s = { .k = k, .npoint = k->ninsn + k->nblock, .nreg = ir_nreg(k) };
	uint32_t *stack;
	bool ok;

	if ((uint64_t)s.npoint * s.nreg > CHECK_MAX || (uint64_t)k->nblock * k->nblock > CHECK_MAX)
		return true;
	arena_init(&s.a);
	prepare(&s);
	if (k->native && k->nproc) {
		struct state *todo;

		s.seen = new_array(&s.a, struct state, 4 * SEEN_MAX);
		todo = new_array(&s.a, struct state, (size_t)k->ninsn + (size_t)SEEN_MAX * 8);
		arena_grow(&s.a, s.context, s.ncontext, s.context_cap);
		s.ncontext = 1;
		for (uint32_t r = 0; r < s.nreg; r++)
			search_back_by_calls(&s, r, todo);
		ok = s.truncated || compare(&s, d);
		arena_free(&s.a);
		return ok;
	}
	/* a point is left at most once for each register, each time adding at most the blocks that lead to it */
	stack = new_array(&s.a, uint32_t, (size_t)s.npoint + s.into_at[k->nblock] + 1);
	for (uint32_t i = 0; i < k->ninsn; i++)
		for (uint32_t u = s.use_at[i]; u < s.use_at[i + 1]; u++)
			if (!s.use[u].write)
				search_back(&s, i, s.use[u].reg, stack);
	ok = compare(&s, d);
	arena_free(&s.a);
	return ok;
}
