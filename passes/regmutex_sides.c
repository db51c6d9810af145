/* How a warp comes to places with or without the extended set. One state belongs to a warp, while its lanes may be on
 * several paths: it executes one of them, until that has met others, ended, or is left at a barrier or an instruction
 * with .sync (passes/wlive.c), and goes on with another in the state that it has then. So states follow edges of the
 * control-flow graph and, where sides of a branch b meet at P, go from where a side is left (it arrives at P, exits,
 * returns, or may be left midway) to where others begin, and to P.
 *
 * If a path is left midway for another one, that may go on far beyond, and whatever ends then has the first one
 * executed again: in code of such sides any state may come back (`midway`), and go to any block where sides of its
 * branches begin or meet.
 *
 * Barriers. A warp that waits for others must have released. That is easy on the way to a barrier, where a release can
 * stand. But lanes may wait at one while others of the warp execute another side of a branch; when these leave that,
 * the warp is at the barrier again, and nothing stands in between. So these must leave in the released state: at the
 * end of their side; and everywhere in it, if it can be left midway (where its parts are left, in which order, is not
 * followed). */
#include "passes/regmutex_place.h"

#include <string.h>

#define NONE UINT32_MAX

/* of wsum.flags, beside STATE_*; leaves: lanes exit or return */
enum { LEFT_YIELDS = 4, LEFT_WAITS = 8, LEFT_LEAVES = 16 };

struct sides {
	const struct kernel *k;
	const struct cfg *g;
	struct arena *a;
	struct elsewhere e;
	struct wsum *own, *leaving;
	/* by function: flags of its blocks; states in which lanes exit in it or in what it calls */
	uint64_t *proc, *proc_exits;
	/* by function: states in which it or what it calls is left in any way, and LEFT_YIELDS; for arrivals.midway */
	uint64_t *inside, *midway;
	uint32_t *mark, stamp, *stack, *found, nfound;
};

static uint32_t procs(const struct kernel *k) { return k->nproc ? k->nproc : 1; }
static uint32_t first_of(const struct kernel *k, uint32_t p) { return k->nproc ? k->proc[p].first : 0; }
static uint32_t end_of(const struct kernel *k, uint32_t p)
{
	return p + 1 < procs(k) ? k->proc[p + 1].first : k->nblock;
}

static void sides_init(struct sides *s, const struct kernel *k, struct arena *a)
{
	size_t n = (size_t)k->nblock + 1;

	*s = (struct sides){
		.k = k,
		.g = k->cfg->local,
		.a = a,
		.own = new_array(a, struct wsum, n),
		.leaving = new_array(a, struct wsum, n),
		.proc = new_array(a, uint64_t, procs(k)),
		.proc_exits = new_array(a, uint64_t, procs(k)),
		.inside = new_array(a, uint64_t, procs(k)),
		.midway = new_array(a, uint64_t, procs(k)),
		.mark = new_array(a, uint32_t, n),
		.stack = new_array(a, uint32_t, n),
		.found = new_array(a, uint32_t, n),
	};
	elsewhere_init(&s->e, k, a);
}

/* What blocks do themselves. hold, waits: NULL if they do not matter. */
static void find_own(struct sides *s, const uint8_t *hold, const uint8_t *waits)
{
	const struct kernel *k = s->k;

	for (uint32_t p = 0; p < procs(k); p++)
		for (uint32_t b = first_of(k, p); b < end_of(k, p); b++) {
			for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
				uint32_t flags = op_info[k->insn[i].op].flags;
				uint64_t state = hold && hold[i] ? STATE_HELD : STATE_RELEASED;

				if (flags & (OPF_EXIT | OPF_RETURN))
					s->own[b].flags |= state | LEFT_LEAVES;
				if (flags & OPF_EXIT && k->cfg->rpo_index[b] != NONE)
					s->proc_exits[p] |= state;
				if (insn_yields(k, &k->insn[i]))
					s->own[b].flags |= state | LEFT_YIELDS;
				if (waits && waits[i])
					s->own[b].flags |= LEFT_WAITS;
			}
			s->proc[p] |= s->own[b].flags;
		}
}

/* What called functions do is done by the block that calls: lanes exit, lanes wait for other warps. */
static void add_calls(struct sides *s)
{
	const struct kernel *k = s->k;

	for (bool more = k->nproc > 1; more;) {
		more = false;
		for (uint32_t p = 0; p < procs(k); p++)
			for (uint32_t b = first_of(k, p); b < end_of(k, p); b++) {
				const struct insn *call = ir_block_end(k, b, OPF_CALL);
				struct ir_targets t = { .n = 0 };
				uint64_t exits = 0, flags = 0;

				if (call && k->cfg->rpo_index[b] != NONE)
					t = ir_targets(k, call);
				for (uint32_t x = 0; x < t.n; x++) {
					exits |= s->proc_exits[ir_proc_of(k, ir_target(&t, x))];
					flags |= s->proc[ir_proc_of(k, ir_target(&t, x))] & LEFT_WAITS;
				}
				flags |= exits | (exits ? LEFT_LEAVES : 0);
				more |= (flags & ~s->own[b].flags) != 0 || (exits & ~s->proc_exits[p]) != 0 ||
					(flags & ~s->proc[p]) != 0;
				s->own[b].flags |= flags;
				s->proc_exits[p] |= exits;
				s->proc[p] |= flags;
			}
	}
}

static struct ir_targets calls_of(const struct kernel *k, uint32_t b)
{
	const struct insn *call = k->cfg->rpo_index[b] != NONE ? ir_block_end(k, b, OPF_CALL) : NULL;

	return call ? ir_targets(k, call) : (struct ir_targets){ .n = 0 };
}

static void find_inside(struct sides *s)
{
	const struct kernel *k = s->k;

	for (uint32_t p = 0; p < procs(k); p++)
		s->inside[p] = s->proc[p] & (STATE_ANY | LEFT_YIELDS);
	for (bool more = k->nproc > 1; more;) {
		more = false;
		for (uint32_t b = 0; b < k->nblock; b++) {
			struct ir_targets t = calls_of(k, b);
			uint64_t *in = &s->inside[ir_proc_of(k, b)], was = *in;

			for (uint32_t x = 0; x < t.n; x++)
				*in |= s->inside[ir_proc_of(k, ir_target(&t, x))];
			more |= *in != was;
		}
	}
}

/* The blocks that `from` leads to without passing meet: s->found. */
static void find_region(struct sides *s, uint32_t from, uint32_t meet)
{
	uint32_t top = 0;

	s->nfound = 0;
	s->stamp++;
	if (from == meet)
		return;
	s->mark[from] = s->stamp;
	s->stack[top++] = from;
	while (top) {
		uint32_t b = s->stack[--top];

		s->found[s->nfound++] = b;
		for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++) {
			uint32_t to = s->g->succ[e];

			if (to == meet || s->mark[to] == s->stamp)
				continue;
			s->mark[to] = s->stamp;
			s->stack[top++] = to;
		}
	}
}

static uint32_t last_insn(const struct kernel *k, uint32_t b) { return k->block[b].first + k->block[b].n - 1; }

/* Flags of the side that begins with edge e. */
static uint64_t side_flags(const struct sides *s, uint32_t e)
{
	struct wsum sum = { .flags = 0 };

	elsewhere_side(&s->e, e, &sum);
	return sum.flags;
}

/* ---- where it must not be held ---- */
/* Side e of a branch, another side of which waits for other warps. */
static void bar_side(struct sides *s, uint32_t e, uint32_t meet, uint8_t *never)
{
	const struct kernel *k = s->k;
	bool everywhere = side_flags(s, e) & LEFT_YIELDS;

	find_region(s, s->g->succ[e], meet);
	for (uint32_t x = 0; x < s->nfound; x++) {
		const struct block *b = &k->block[s->found[x]];
		bool ends = s->own[s->found[x]].flags & LEFT_LEAVES;

		for (uint32_t y = s->g->succ_at[s->found[x]]; y < s->g->succ_at[s->found[x] + 1]; y++)
			ends |= s->g->succ[y] == meet;
		for (uint32_t i = b->first; i < b->first + b->n; i++)
			if (everywhere || op_info[k->insn[i].op].flags & (OPF_EXIT | OPF_RETURN) ||
			    (ends && i == b->first + b->n - 1))
				never[i] = 1;
	}
}

static void bar_function(const struct kernel *k, uint32_t p, uint8_t *never)
{
	for (uint32_t b = first_of(k, p); b < end_of(k, p); b++)
		memset(never + k->block[b].first, 1, k->block[b].n);
}

void regmutex_never(const struct kernel *k, const uint8_t *waits, struct arena *a, uint8_t *never, uint8_t *low)
{
	struct sides s;
	bool exits = false;

	sides_init(&s, k, a);
	find_own(&s, NULL, waits);
	add_calls(&s);
	elsewhere_sum(&s.e, s.own, s.leaving);
	for (uint32_t i = 0; i < k->ninsn; i++)
		never[i] |= waits[i] != 0;
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = s.g->succ_at[b], end = s.g->succ_at[b + 1], meet = reconvergence(k, b), waiting = 0;
		const struct insn *call = ir_block_end(k, b, OPF_CALL);

		if (call && k->cfg->rpo_index[b] != NONE) {
			struct ir_targets t = ir_targets(k, call);

			for (uint32_t x = 0; x < t.n; x++)
				waiting += (s.proc[ir_proc_of(k, ir_target(&t, x))] & LEFT_WAITS) != 0;
			for (uint32_t x = 0; waiting && t.n > 1 && x < t.n; x++)
				bar_function(k, ir_proc_of(k, ir_target(&t, x)), never);
			if (waiting)
				low[last_insn(k, b)] = 1;
			continue;
		}
		if (!warp_parts(k, b))
			continue;
		for (uint32_t e = first; e < end; e++)
			waiting += s.g->succ[e] != meet && side_flags(&s, e) & LEFT_WAITS;
		if (!waiting)
			continue;
		low[last_insn(k, b)] = 1;
		if (meet != NONE && k->block[meet].n)
			low[k->block[meet].first] = 1;
		for (uint32_t e = first; e < end; e++)
			if (s.g->succ[e] != meet && waiting > ((side_flags(&s, e) & LEFT_WAITS) != 0))
				bar_side(&s, e, meet, never);
	}
	/* lanes that exit in functions leave others of their warp wherever these are */
	for (uint32_t i = 0; i < k->ninsn; i++)
		exits |= waits[i] != 0;
	for (uint32_t p = 1; exits && p < procs(k); p++)
		for (uint32_t i = k->block[first_of(k, p)].first;
		     i <= last_insn(k, end_of(k, p) - 1) && end_of(k, p) > first_of(k, p); i++)
			never[i] |= (op_info[k->insn[i].op].flags & OPF_EXIT) != 0;
}

/* ---- arrivals ---- */
static void find_first(const struct kernel *k, uint32_t *first)
{
	uint32_t next = k->ninsn;

	for (uint32_t b = k->nblock; b--;) {
		if (k->block[b].n)
			next = k->block[b].first;
		first[b] = next;
	}
}

static uint64_t state_of(const uint8_t *hold, uint32_t i) { return hold[i] ? STATE_HELD : STATE_RELEASED; }

static uint64_t out_state(const struct kernel *k, const uint8_t *hold, uint32_t b)
{
	return k->block[b].n ? state_of(hold, last_insn(k, b)) : STATE_ANY;
}

/* Machine code waits there for the lanes of the other sides, before what stands between it and the meeting point. */
static bool waits_at_end(const struct kernel *k, uint32_t b)
{
	return k->native && k->block[b].n && k->insn[last_insn(k, b)].op == OP_SASS_SYNC;
}

static void find_leaving(struct sides *s, const uint8_t *hold, const uint32_t *first)
{
	for (uint32_t b = 0; b < s->k->nblock; b++)
		for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++)
			if (s->g->succ[e] == reconvergence(s->k, b)) {
				uint32_t at = first[s->g->succ[e]];

				s->leaving[b].flags |= out_state(s->k, hold, b);
				if (!waits_at_end(s->k, b))
					s->leaving[b].flags |= at < s->k->ninsn ? state_of(hold, at) : STATE_ANY;
			}
}

/* Sides of b may be left midway: the states in which anything in them may be left, to all of it. */
static void send_midway(struct sides *s, uint32_t b, uint32_t meet, struct arrivals *out)
{
	uint64_t states = 0;

	for (unsigned way = 0; way < 2; way++) {
		for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++) {
			find_region(s, s->g->succ[e], meet);
			for (uint32_t x = 0; x < s->nfound; x++) {
				states |= s->own[s->found[x]].flags | s->leaving[s->found[x]].flags;
				if (way)
					out->midway[s->found[x]] |= states & STATE_ANY;
			}
		}
		out->midway[b] |= states & STATE_ANY;
	}
}

/* To each side of b from the others; and if some of them can be left midway, to all of it. */
static void send_sides(struct sides *s, uint32_t b, struct arrivals *out)
{
	uint32_t first = s->g->succ_at[b], n = s->g->succ_at[b + 1] - first, meet = reconvergence(s->k, b), sides = 0;
	bool yields = false;

	for (unsigned way = 0; way < 2; way++) {
		uint64_t others = 0;

		for (uint32_t x = 0; x < n; x++) {
			uint32_t e = first + (way ? n - 1 - x : x);
			uint64_t here;

			if (s->g->succ[e] == meet)
				continue;
			sides += !way;
			here = side_flags(s, e) | s->leaving[s->e.top[e]].flags;
			yields |= (here & LEFT_YIELDS) != 0;
			out->edge[e] |= others & STATE_ANY;
			others |= here;
		}
		if (meet != NONE && s->k->nproc > 1) /* all lanes of a side may exit in what it calls */
			out->start[meet] |= others & STATE_ANY;
	}
	if (yields && sides > 1)
		send_midway(s, b, meet, out);
}

static void pass_on(struct sides *s, uint32_t b, struct arrivals *out)
{
	if (!out->midway[b] || !warp_parts(s->k, b))
		return;
	for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++)
		out->edge[e] |= out->midway[b];
	if (reconvergence(s->k, b) != NONE)
		out->start[reconvergence(s->k, b)] |= out->midway[b];
}

static void send_calls(struct sides *s, uint32_t b, const struct insn *call, const uint8_t *hold, struct arrivals *out)
{
	const struct kernel *k = s->k;
	struct ir_targets t = ir_targets(k, call);
	uint64_t back = insn_kills(call) ? 0 : out_state(k, hold, b), states = out_state(k, hold, b);

	/* lanes with one target wait while those with another one execute it, until that is left */
	for (uint32_t x = 0; t.n > 1 && x < t.n; x++)
		states |= s->inside[ir_proc_of(k, ir_target(&t, x))];
	for (uint32_t x = 0; x < t.n; x++) {
		uint32_t p = ir_proc_of(k, ir_target(&t, x));

		out->start[first_of(k, p)] |= states & STATE_ANY;
		back |= s->proc_exits[p] | (s->proc[p] & STATE_ANY);
		if (t.n > 1 && states & LEFT_YIELDS)
			s->midway[p] |= states & STATE_ANY;
	}
	for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++)
		out->edge[e] = (uint8_t)back;
}

/* What holds for a function that is left midway does for those that it calls. */
static void send_functions(struct sides *s, struct arrivals *out)
{
	const struct kernel *k = s->k;

	for (bool more = k->nproc > 1; more;) {
		more = false;
		for (uint32_t b = 0; b < k->nblock; b++) {
			struct ir_targets t = calls_of(k, b);
			uint64_t from = s->midway[ir_proc_of(k, b)];

			for (uint32_t x = 0; x < t.n; x++) {
				uint64_t *to = &s->midway[ir_proc_of(k, ir_target(&t, x))];

				more |= (from & ~*to) != 0;
				*to |= from;
			}
		}
	}
	for (uint32_t p = 0; p < procs(k); p++)
		for (uint32_t b = first_of(k, p); b < end_of(k, p); b++)
			out->midway[b] |= (uint8_t)s->midway[p];
}

void regmutex_arrivals(const struct kernel *k, const uint8_t *hold, struct arena *a, struct arrivals *out)
{
	struct sides s;

	sides_init(&s, k, a);
	*out = (struct arrivals){
		.edge = new_array(a, uint8_t, (size_t)s.g->succ_at[k->nblock] + 1),
		.start = new_array(a, uint8_t, (size_t)k->nblock + 1),
		.midway = new_array(a, uint8_t, (size_t)k->nblock + 1),
		.first = new_array(a, uint32_t, (size_t)k->nblock + 1),
	};
	find_first(k, out->first);
	find_own(&s, hold, NULL);
	add_calls(&s);
	find_inside(&s);
	find_leaving(&s, hold, out->first);
	elsewhere_sum(&s.e, s.own, s.leaving);
	if (k->nblock)
		out->start[0] = STATE_RELEASED;
	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct insn *call = ir_block_end(k, b, OPF_CALL);

		if (k->cfg->rpo_index[b] == NONE)
			continue;
		if (call) {
			send_calls(&s, b, call, hold, out);
			continue;
		}
		for (uint32_t e = s.g->succ_at[b]; e < s.g->succ_at[b + 1]; e++)
			out->edge[e] |= (uint8_t)out_state(k, hold, b);
		if (warp_parts(k, b))
			send_sides(&s, b, out);
	}
	send_functions(&s, out);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (k->cfg->rpo_index[b] != NONE)
			pass_on(&s, b, out);
}
