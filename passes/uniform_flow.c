/* Uniform values, the whole kernel: what each register has in common over the lanes that execute a block together.
 *
 * Two lanes that are together somewhere came from one place together, and went the same way since, or they parted at a
 * branch and met again. A warp comes together (runtime-model/engine/simt.h) where all sides of the branch meet, at its
 * immediate post-dominator P; at instructions that yield, which lanes of several sides reach before P; and behind a
 * call, if they returned from several places. There a register that a side of the branch may have written has nothing
 * in common. That is so of divergent joins as of loops that lanes leave one after the other, whose body is a side of
 * the branch that ends them. Between branch and meeting place each side's lanes are by themselves, and a value that one
 * side computes is uniform there.
 *
 * The same is said of the threads of a CTA, and of a grid, with this difference: they do not execute together, and what
 * is compared is the k-th execution of an instruction by each warp. The k-th execution of what lies on a side of a
 * branch that warps take differently need not belong to the k-th execution of the branch, if it is in a loop or in a
 * function; and what several sides lead to before they meet may be executed once or twice. There nothing is the same
 * beyond a warp (control[]). Of a branch that each warp comes to once at most, a block of one side alone is executed by
 * those that take that side, each in the same order. The executions of a function are those of all its calls: if one of
 * several is on such a side, the next is the first for warps that did not take it.
 *
 * It is a data flow forwards over program points, from the best that could be: at the entry all registers are zero
 * everywhere. A branch that turns out to be less uniform than was thought puts caps on registers at its meeting places,
 * and on blocks of its sides. All only descends, so an end comes. Functions are entered with what all their calls have
 * in common, and their results are what their returns have; other registers are the caller's.
 *
 * Decoded machine code has registers that a warp has once. They are the same in its lanes, whatever was written; of
 * what is known beyond, the sides of a branch that lanes of one warp take are not apart: a write on one side is seen on
 * the others.
 *
 * Divergence of control from that of data: Coutinho, Sampaio, Pereira, Meira 2011 (PACT); temporal divergence:
 * Rosemann, Moll, Hack 2021 (POPL). Those are about graphs in SSA form; here the machine's own stack says where lanes
 * meet. */
#include "passes/uniform_flow.h"

#include "passes/calls.h"
#include "passes/owf.h"

#define NONE UINT32_MAX

enum { SIDES_MAX = 4, STEPS_A_BLOCK = 256, STEPS_ANYWAY = 1 << 16 };

static void set_dirty(struct uniform_flow *f, uint32_t b)
{
	if (f->k->cfg->rpo_index[b] != NONE)
		worklist_add(&f->dirty, f->k->cfg->rpo_index[b]);
}

/* ---- points ---- */
static void cap_registers(struct uniform_flow *f, struct lanes *at, const uint8_t cap[MREG_ALL])
{
	uint32_t c = 0;

	for (uint32_t r = 0; r < f->regs; r++, c++)
		at[c] = lanes_cap(at[c], cap[r]);
	for (uint32_t p = MREG_P0; p < MREG_PT; p++, c++)
		at[c] = lanes_cap(at[c], cap[p]);
	for (uint32_t r = MREG_UR0; r < MREG_UR0 + f->uregs; r++, c++)
		at[c] = lanes_cap(at[c], cap[r]);
	for (uint32_t p = MREG_UP0; p < MREG_UPT && c < f->cols; p++, c++)
		at[c] = lanes_cap(at[c], cap[p]);
}

void uniform_enter(struct uniform_flow *f, uint32_t b)
{
	memcpy(f->now, f->in + (size_t)b * f->cols, f->cols * sizeof *f->now);
	cap_registers(f, f->now, f->cap[b]);
}

void uniform_before(struct uniform_flow *f, uint32_t b, const struct insn *i)
{
	if (insn_yields(f->k, i))
		cap_registers(f, f->now, f->yield_cap[b]);
}

void uniform_step(struct uniform_flow *f, uint32_t b, const struct insn *i)
{
	const struct uniform_inputs in = uniform_read(f, i);
	struct lanes result[REG_USE_MAX];
	unsigned n;
	const struct reg_use *use = uniform_uses(f, i, &n);

	for (unsigned u = 0; u < n; u++)
		if (use[u].write)
			result[u] = lanes_cap(uniform_result(f, i, &in, use[u].slot,
							     use[u].reg - f->k->opnd[i->opnd + use[u].slot].val),
					      f->control[b]);
	for (unsigned u = 0; u < n; u++) {
		struct lanes *now;

		if (!use[u].write || !uniform_has_column(use[u].reg))
			continue;
		now = &f->now[uniform_column(f, use[u].reg)];
		if (i->guard.kind == REF_NONE && !(i->mods & MOD_MAY))
			*now = result[u];
		else if (lanes_uniform(in.guard)) /* all lanes write, or none, and may then need what was there */
			*now = lanes_cap(insn_kills_reg(i, use[u].reg) ? result[u] : lanes_meet(*now, result[u]),
					 in.guard.kind);
		else
			*now = lanes_of(LANES_VECTOR);
	}
}

/* ---- meeting places ---- */
static bool lower(uint8_t *x, uint8_t to)
{
	if (*x <= to)
		return false;
	*x = to;
	return true;
}

static bool lower_all(uint8_t cap[MREG_ALL], const uint64_t *set, uint8_t to)
{
	bool more = false;

	for (uint32_t r = bitset_next(set, 0, MREG_ALL); r < MREG_ALL; r = bitset_next(set, r + 1, MREG_ALL))
		more |= lower(&cap[r], to);
	return more;
}

/* What comes back from function p is another. */
static void set_callers_dirty(struct uniform_flow *f, uint32_t p)
{
	for (uint32_t c = f->caller_at[p]; c < f->caller_at[p + 1]; c++)
		set_dirty(f, f->caller[c]);
}

static void lower_control(struct uniform_flow *f, uint32_t b, uint8_t to)
{
	if (lower(&f->control[b], to < LANES_WARP ? LANES_WARP : to))
		set_dirty(f, b);
}

/* Lanes of several sides may meet in block x, not all of them. */
static void meet_midway(struct uniform_flow *f, uint32_t x, const uint64_t *written, uint8_t kind)
{
	lower_control(f, x, kind);
	if (kind == LANES_VECTOR && lower_all(f->yield_cap[x], written, kind))
		set_dirty(f, x);
}

/* Lanes of the warp are on another side than block x, and write registers that the warp has once. */
static void share(struct uniform_flow *f, uint32_t x, const uint64_t *written)
{
	bool more = false;

	if (!f->k->native)
		return;
	for (uint32_t r = bitset_next(written, MREG_UR0, MREG_B0); r < MREG_B0;
	     r = bitset_next(written, r + 1, MREG_B0)) {
		more |= lower(&f->cap[x][r], LANES_VECTOR);
		more |= lower(&f->yield_cap[x][r], LANES_VECTOR);
	}
	if (more)
		set_dirty(f, x);
}

static void give_up(struct uniform_flow *f)
{
	uint64_t all[WLIVE_WORDS];

	memset(all, 0xff, sizeof all);
	for (uint32_t x = 0; x < f->k->nblock; x++) {
		meet_midway(f, x, all, LANES_VECTOR);
		share(f, x, all);
	}
}

static uint32_t proc_end(const struct uniform_flow *f, uint32_t p)
{
	return p + 1 < f->k->nproc ? f->k->proc[p + 1].first : f->k->nblock;
}

/* Block x is on a side of a branch. If it ends in a call, warps that do not take the side count the executions of a
 * function that is called elsewhere too without those of this call. One that is called from here alone has none
 * elsewhere; but what it calls may. */
static void lower_called(struct uniform_flow *f, uint32_t x, uint8_t kind)
{
	uint32_t top = 0;

	f->calls[top++] = x;
	while (top) {
		const struct insn *call = ir_block_end(f->k, f->calls[--top], OPF_CALL);
		const struct ir_targets t = call ? ir_targets(f->k, call) : (struct ir_targets){ .n = 0 };

		for (uint32_t n = 0; n < t.n; n++) {
			const uint32_t p = ir_proc_of(f->k, ir_target(&t, n)), end = proc_end(f, p);

			if (!lower(&f->proc_side[p], kind))
				continue;
			for (uint32_t b = f->k->proc[p].first; b < end; b++)
				if (f->proc_calls[p] > 1) /* those that it calls follow by flow_call() */
					lower_control(f, b, kind);
				else if (ir_block_end(f->k, b, OPF_CALL))
					f->calls[top++] = b; /* once, as the function is */
		}
	}
}

/* Goes through the blocks that `from` leads to without passing p, as one of several sides. */
static void search_side(struct uniform_flow *f, uint32_t from, uint32_t p, const uint64_t *written, uint8_t kind,
			bool again, bool several, uint32_t first)
{
	uint32_t top = 0;

	if (from == p)
		return;
	f->stack[top++] = from;
	f->side[from] = f->stamp;
	while (top && f->steps) {
		const uint32_t x = f->stack[--top];

		f->steps--;
		if (again)
			lower_control(f, x, kind);
		else if (f->k->nproc)
			lower_called(f, x, kind);
		if (several || f->mark[x] >= first)
			meet_midway(f, x, written, kind);
		if (kind == LANES_VECTOR)
			share(f, x, written);
		f->mark[x] = f->stamp;
		for (uint32_t e = f->g->succ_at[x]; e < f->g->succ_at[x + 1]; e++) {
			const uint32_t to = f->g->succ[e];

			if (to != p && f->side[to] != f->stamp) {
				f->side[to] = f->stamp;
				f->stack[top++] = to;
			}
		}
	}
}

/* What the end of block b decides by has come down to `kind`: its sides go to from[n], and meet at p. */
static void part(struct uniform_flow *f, uint32_t b, const uint32_t *from, uint32_t n, uint32_t p,
		 const uint64_t *written, uint8_t kind)
{
	const uint32_t proc = f->k->nproc ? ir_proc_of(f->k, b) : 0, first = f->stamp + 1;
	const bool again = proc || f->k->cfg->depth[b];

	if (p != NONE && lower_all(f->cap[p], written, kind))
		set_dirty(f, p);
	if (p == NONE && proc && lower_all(f->proc_cap[proc], written, kind))
		set_callers_dirty(f, proc);
	if (!f->steps)
		return;
	for (uint32_t s = 0; s < n; s++) {
		if (n <= SIDES_MAX || !s)
			f->stamp++;
		search_side(f, from[s], p, written, kind, again, n > SIDES_MAX, first);
	}
	if (!f->steps)
		give_up(f);
}

/* ---- ends of blocks ---- */
static void flow_to(struct uniform_flow *f, uint32_t to, const struct lanes *from)
{
	struct lanes *in = f->in + (size_t)to * f->cols;
	bool more = !f->reached[to];

	if (more) {
		memcpy(in, from, f->cols * sizeof *in);
	} else {
		for (uint32_t c = 0; c < f->cols; c++) {
			const struct lanes m = lanes_meet(in[c], from[c]);

			more |= m.kind != in[c].kind || m.stride != in[c].stride;
			in[c] = m;
		}
	}
	f->reached[to] = true;
	if (more)
		set_dirty(f, to);
}

/* The registers that a side of block b's branch may write. */
static void written_by_sides(const struct uniform_flow *f, uint32_t b, uint64_t set[WLIVE_WORDS])
{
	struct wsum sum = { { 0 }, 0 };

	for (uint32_t e = f->g->succ_at[b]; e < f->g->succ_at[b + 1]; e++)
		if (f->g->succ[e] != reconvergence(f->k, b))
			elsewhere_side(&f->sides, e, &sum);
	memcpy(set, sum.set, sizeof sum.set);
}

static uint8_t decides(struct uniform_flow *f, const struct insn *end)
{
	const struct uniform_inputs in = uniform_read(f, end);
	const struct lanes by = op_info[end->op].flags & OPF_TABLE ? lanes_meet(in.guard, in.all) : in.guard;

	if (end->mods & MOD_MAY && !(end->mods & MOD_UNI)) /* taken by more than its guard */
		return LANES_VECTOR;
	if (lanes_uniform(by))
		return by.kind;
	return end->mods & MOD_UNI ? LANES_WARP : LANES_VECTOR; /* the engine holds it to that */
}

/* Lanes that return early wait for the others, which go on behind the block. */
static void part_return(struct uniform_flow *f, uint32_t b, uint8_t kind)
{
	const uint32_t next = b + 1;

	part(f, b, &next, 1, NONE, f->proc_writes[ir_proc_of(f->k, b)], kind);
}

static void flow_call(struct uniform_flow *f, uint32_t b, const struct insn *call, uint8_t kind)
{
	const struct ir_targets t = ir_targets(f->k, call);
	uint64_t written[WLIVE_WORDS] = { 0 };
	const bool may = !insn_kills(call); /* it may call none of them */
	bool back = may;

	for (uint32_t n = 0; n < t.n; n++) {
		const uint32_t to = ir_target(&t, n), p = ir_proc_of(f->k, to), end = proc_end(f, p);

		flow_to(f, to, f->now);
		if (lower(&f->proc_entered[p], kind))
			for (uint32_t x = f->k->proc[p].first; x < end; x++)
				lower_control(f, x, kind);
		for (unsigned w = 0; w < WLIVE_WORDS; w++)
			written[w] |= f->proc_writes[p][w];
		back |= f->proc_returns[p];
	}
	for (uint32_t r = bitset_next(written, 0, MREG_B0); r < MREG_B0; r = bitset_next(written, r + 1, MREG_B0)) {
		const uint32_t c = uniform_column(f, r);
		bool known = may;

		for (uint32_t n = 0; n < t.n; n++) {
			const uint32_t p = ir_proc_of(f->k, ir_target(&t, n));
			const struct lanes out = f->proc_out[(size_t)p * f->cols + c];

			if (f->proc_returns[p])
				f->now[c] = lanes_cap(known ? lanes_meet(f->now[c], out) : out, f->proc_cap[p][r]);
			known |= f->proc_returns[p];
		}
		f->now[c] = lanes_cap(f->now[c], kind);
	}
	if (back && b + 1 < f->k->nblock)
		flow_to(f, b + 1, f->now);
}

static void flow_return(struct uniform_flow *f, uint32_t b)
{
	const uint32_t p = ir_proc_of(f->k, b);
	struct lanes *out = f->proc_out + (size_t)p * f->cols;
	bool more = !f->proc_returns[p];

	for (uint32_t c = 0; c < f->cols; c++) {
		const struct lanes m = f->proc_returns[p] ? lanes_meet(out[c], f->now[c]) : f->now[c];

		more |= m.kind != out[c].kind || m.stride != out[c].stride;
		out[c] = m;
	}
	f->proc_returns[p] = true;
	if (more)
		set_callers_dirty(f, p);
}

static void flow_block(struct uniform_flow *f, uint32_t b)
{
	const struct kernel *k = f->k;
	const struct insn *end = ir_block_end(k, b, OPF_END);
	const uint32_t flags = end ? op_info[end->op].flags : 0;
	uint8_t kind = LANES_GRID;

	uniform_enter(f, b);
	for (uint32_t j = 0; j < k->block[b].n; j++) {
		const struct insn *i = &k->insn[k->block[b].first + j];

		uniform_before(f, b, i);
		if (i == end)
			kind = decides(f, i);
		uniform_step(f, b, i);
	}
	if (f->control[b] < kind)
		kind = f->control[b];
	if (flags & OPF_CALL) {
		f->branch[b] = kind;
		flow_call(f, b, end, kind);
		return;
	}
	if (flags & OPF_RETURN)
		flow_return(f, b);
	if (lower(&f->branch[b], kind)) {
		if (flags & OPF_RETURN && !insn_kills(end)) {
			part_return(f, b, kind);
		} else if (flags & (OPF_BRANCH | OPF_TABLE) && f->g->succ_at[b + 1] - f->g->succ_at[b] > 1) {
			uint64_t written[WLIVE_WORDS];

			written_by_sides(f, b, written);
			part(f, b, f->g->succ + f->g->succ_at[b], f->g->succ_at[b + 1] - f->g->succ_at[b],
			     reconvergence(k, b), written, kind);
		}
	}
	for (uint32_t e = f->g->succ_at[b]; e < f->g->succ_at[b + 1]; e++)
		flow_to(f, f->g->succ[e], f->now);
}

/* ---- what is written where, and called from where ---- */
static void list_callers(struct uniform_flow *f)
{
	const uint32_t procs = f->k->nproc ? f->k->nproc : 1;
	uint32_t *fill;

	f->caller_at = new_array(f->a, uint32_t, (size_t)procs + 2);
	fill = f->caller_at + 1;
	for (uint32_t b = 0; f->k->nproc && b < f->k->nblock; b++) {
		const struct ir_targets t = calls_targets(f->k, b);

		for (uint32_t n = 0; n < t.n; n++)
			f->proc_calls[ir_proc_of(f->k, ir_target(&t, n))]++;
	}
	for (uint32_t p = 0; p < procs; p++)
		fill[p + 1] = fill[p] + f->proc_calls[p];
	f->caller = new_array(f->a, uint32_t, (size_t)fill[procs] + 1);
	for (uint32_t b = 0; f->k->nproc && b < f->k->nblock; b++) {
		const struct ir_targets t = calls_targets(f->k, b);

		for (uint32_t n = 0; n < t.n; n++)
			f->caller[fill[ir_proc_of(f->k, ir_target(&t, n))]++] = b;
	}
}

static void add_writes(const struct uniform_flow *f, uint32_t b, uint64_t *set)
{
	const struct block *x = &f->k->block[b];

	for (uint32_t u = f->use_at[x->first]; u < f->use_at[x->first + x->n]; u++)
		if (f->use[u].write)
			bitset_add(set, f->use[u].reg);
}

static bool add_callees(struct uniform_flow *f, uint32_t b, uint64_t *set)
{
	const struct ir_targets t = calls_targets(f->k, b);
	uint64_t more = 0;

	for (uint32_t n = 0; n < t.n; n++) {
		const uint64_t *from = f->proc_writes[ir_proc_of(f->k, ir_target(&t, n))];

		for (unsigned w = 0; w < WLIVE_WORDS; w++) {
			more |= from[w] & ~set[w];
			set[w] |= from[w];
		}
	}
	return more != 0;
}

static void find_writes(struct uniform_flow *f)
{
	const struct kernel *k = f->k;
	const struct calls calls = calls_in_order(k, f->a);
	struct wsum *own = new_array(f->a, struct wsum, (size_t)k->nblock + 1);

	for (uint32_t b = 0; b < k->nblock; b++) {
		add_writes(f, b, own[b].set);
		for (unsigned w = 0; k->nproc && w < WLIVE_WORDS; w++)
			f->proc_writes[ir_proc_of(k, b)][w] |= own[b].set[w];
	}
	for (bool more = calls.n > 0; more;) {
		more = false;
		for (uint32_t c = 0; c < calls.n; c++)
			more |= add_callees(f, calls.block[c], f->proc_writes[ir_proc_of(k, calls.block[c])]);
	}
	for (uint32_t c = 0; c < calls.n; c++)
		add_callees(f, calls.block[c], own[calls.block[c]].set);
	f->leaving = new_array(f->a, struct wsum, (size_t)k->nblock + 1);
	elsewhere_init(&f->sides, k, f->a);
	elsewhere_sum(&f->sides, own, f->leaving);
}

static void find_uses(struct uniform_flow *f)
{
	const struct kernel *k = f->k;
	uint32_t *at = new_array(f->a, uint32_t, (size_t)k->ninsn + 1), cap = 16, n = 0;
	/* never NULL, also where no instruction has registers */
	struct reg_use *all = new_array(f->a, struct reg_use, cap);

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned m = insn_reg_uses(k, &k->insn[i], use);

		for (unsigned u = 0; u < m; u++) {
			arena_grow(f->a, all, n, cap);
			all[n++] = use[u];
		}
		at[i + 1] = n;
	}
	f->use_at = at;
	f->use = all;
}

static void *caps(struct arena *a, uint32_t n)
{
	uint8_t *x = arena_alloc(a, (size_t)n * MREG_ALL + 1, 1);

	memset(x, LANES_GRID, (size_t)n * MREG_ALL);
	return x;
}

void uniform_flow(struct uniform_flow *f, const struct kernel *k, const uint32_t block[3], struct arena *a)
{
	const uint32_t n = k->nblock, procs = k->nproc ? k->nproc : 1;

	*f = (struct uniform_flow){ .k = k,
				    .a = a,
				    .g = k->cfg->local,
				    .regs = owf_registers(k),
				    .steps = (uint64_t)n * STEPS_A_BLOCK + STEPS_ANYWAY };
	memcpy(f->block, block, sizeof f->block);
	if (k->native)
		for (uint32_t r = bitset_next(k->native->named, MREG_UR0, MREG_URZ); r < MREG_URZ;
		     r = bitset_next(k->native->named, r + 1, MREG_URZ))
			f->uregs = r - MREG_UR0 + 1;
	f->cols = f->regs + MREG_PT - MREG_P0 + (k->native ? f->uregs + MREG_UPT - MREG_UP0 : 0);
	f->now = new_array(a, struct lanes, (size_t)f->cols + 1);
	f->in = new_array(a, struct lanes, (size_t)n * f->cols + 1);
	f->reached = new_array(a, bool, (size_t)n + 1);
	f->cap = caps(a, n);
	f->yield_cap = caps(a, n);
	f->proc_cap = caps(a, procs);
	f->control = new_array(a, uint8_t, (size_t)n + 1);
	f->branch = new_array(a, uint8_t, (size_t)n + 1);
	memset(f->control, LANES_GRID, n);
	memset(f->branch, LANES_GRID, n);
	f->dirty = worklist_new(a, k->cfg->nrpo);
	f->proc_writes = arena_alloc(a, procs * sizeof *f->proc_writes, 8);
	memset(f->proc_writes, 0, procs * sizeof *f->proc_writes);
	f->proc_out = new_array(a, struct lanes, (size_t)procs * f->cols + 1);
	f->proc_returns = new_array(a, bool, (size_t)procs + 1);
	f->stack = new_array(a, uint32_t, (size_t)n + 1);
	f->mark = new_array(a, uint32_t, (size_t)n + 1);
	f->side = new_array(a, uint32_t, (size_t)n + 1);
	find_uses(f);
	find_writes(f);
	f->proc_calls = new_array(a, uint32_t, (size_t)procs + 1);
	f->proc_side = new_array(a, uint8_t, (size_t)procs + 1);
	memset(f->proc_side, LANES_GRID, procs);
	f->calls = new_array(a, uint32_t, (size_t)n + 1);
	f->proc_entered = new_array(a, uint8_t, (size_t)procs + 1);
	memset(f->proc_entered, LANES_GRID, procs);
	list_callers(f);
	if (!n)
		return;
	for (uint32_t c = 0; c < f->cols; c++)
		f->in[c] = lanes_of(LANES_GRID);
	f->reached[0] = true;
	set_dirty(f, 0);
	for (uint32_t x; worklist_take(&f->dirty, &x);)
		if (f->reached[k->cfg->rpo[x]])
			flow_block(f, k->cfg->rpo[x]);
}
