#include "runtime-model/similar/join.h"
#include "passes/pass.h"
#include "runtime-model/core/encode.h"

enum { HALVES = 2, PARTS = 2 * WARP_LANES };

struct wide_level {
	uint32_t pc, rpc;
	uint64_t active;
	uint32_t frame;
};
struct wide_part {
	uint32_t pc;
	uint64_t lanes;
};
struct wide {
	struct wide_level top, *below;
	uint32_t depth, room, frame, whole;
	uint64_t parked;
};

enum join_kind { JOIN_PLAIN, JOIN_BRANCH, JOIN_EXIT, JOIN_BARRIER, JOIN_CALL, JOIN_CALL_IND, JOIN_RETURN, JOIN_SPREAD };
struct join_insn {
	uint32_t target, rpc;
	uint8_t kind;
	bool ends;          /* it only ends the lanes that come to it */
	uint8_t nsrc, ndst; /* registers of the record's values */
};
struct join_code {
	const struct join_insn *insn;
};

#define SIMT_WARP struct wide
#define SIMT_LEVEL struct wide_level
#define SIMT_LANES uint64_t
#define SIMT_PART struct wide_part
#define SIMT_PROGRAM struct join_code
static inline bool simt_ends(const struct join_code *c, uint32_t pc) { return c->insn[pc].ends; }
#include "runtime-model/engine/simt.h"

/* Records that have been given and not taken: of each, two words, the parts, the values. */
struct queue {
	uint64_t *word;
	size_t at, n, cap;
};
struct item {
	uint32_t insn, active;
	bool local;
	unsigned nparts;
	size_t words;
	const uint64_t *parts;
	const uint32_t (*value)[WARP_LANES];
};
enum { ITEM_HEAD = 2, VALUE_WORDS = WARP_LANES / 2 };
#define ITEM_LOCAL ((uint64_t)1 << 63)

struct join {
	const struct join_code *code;
	struct wide w;
	struct queue q[HALVES];
	struct arena *a;
};

/* ---- the code ---- */
static void count_registers(const struct kernel *k, const struct insn *i, struct join_insn *x)
{
	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++) {
		struct ref r = k->opnd[i->opnd + s];
		enum reg_class rc = insn_operand_class(k, i, s);
		uint8_t *n = s < i->ndst ? &x->ndst : &x->nsrc;

		if (r.kind == REF_REG && rc != RC_PRED && insn_operand_letter(i, s) != 'L' && r.val != MREG_RZ)
			*n = (uint8_t)(*n + (rc == RC_64 ? 2 : 1));
	}
}

static uint32_t meeting_point(const struct kernel *k, uint32_t b)
{
	return reconvergence(k, b) == UINT32_MAX ? UINT32_MAX : k->block[reconvergence(k, b)].first;
}

static void decode(const struct kernel *k, uint32_t b, const struct insn *i, struct join_insn *x)
{
	uint32_t flags = op_info[i->op].flags;

	x->rpc = UINT32_MAX;
	count_registers(k, i, x);
	if (flags & OPF_RETURN) {
		x->kind = JOIN_RETURN;
	} else if (flags & (OPF_CALL | OPF_TABLE)) {
		x->kind = JOIN_CALL;
		if (flags & OPF_TABLE)
			x->kind = flags & OPF_CALL ? JOIN_CALL_IND : JOIN_SPREAD;
		if (x->kind == JOIN_CALL)
			x->target = k->block[insn_src(k, i)[0].val].first;
		if (x->kind == JOIN_SPREAD)
			x->rpc = meeting_point(k, b);
	} else if (flags & OPF_BRANCH) {
		x->kind = JOIN_BRANCH;
		x->target = k->block[insn_src(k, i)[0].val].first;
		if (i->guard.kind == REF_REG)
			x->rpc = meeting_point(k, b);
	} else if (flags & OPF_EXIT) {
		x->kind = JOIN_EXIT;
		x->ends = i->guard.kind != REF_REG;
	} else if (flags & OPF_BARRIER && i->op != OP_BAR_CLUSTER_WAIT) {
		x->kind = JOIN_BARRIER;
	}
}

struct join_code *join_decode(const struct kernel *k, struct arena *a)
{
	struct join_insn *x = new_array(a, struct join_insn, k->ninsn + (size_t)1);
	struct join_code *c = new(a, struct join_code);

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t n = 0; n < k->block[b].n; n++)
			decode(k, b, &k->insn[k->block[b].first + n], &x[k->block[b].first + n]);
	c->insn = x;
	return c;
}

/* ---- queues ---- */
static uint64_t *put(struct queue *q, size_t words, struct arena *a)
{
	uint64_t *at;

	if (q->at && (q->at == q->n || q->at > q->cap / 2)) {
		memmove(q->word, q->word + q->at, (q->n - q->at) * sizeof *q->word);
		q->n -= q->at;
		q->at = 0;
	}
	if (q->n + words > q->cap) {
		uint64_t *more;

		q->cap = 2 * (q->n + words);
		more = new_array(a, uint64_t, q->cap);

		if (q->n)
			memcpy(more, q->word, q->n * sizeof *more);
		q->word = more;
	}
	at = q->word + q->n;
	q->n += words;
	return at;
}

void join_give(struct join *j, unsigned half, const struct record *r)
{
	const struct join_insn *x = &j->code->insn[r->insn];
	unsigned parts = x->kind == JOIN_SPREAD || x->kind == JOIN_CALL_IND ? r->nline : 0,
		 regs = r->values ? x->ndst : 0;
	uint64_t *at = put(&j->q[half], ITEM_HEAD + parts + regs * (size_t)VALUE_WORDS, j->a);

	at[0] = (uint64_t)r->insn << 32 | r->active;
	at[1] = (uint64_t)parts << 32 | regs;
	for (unsigned l = parts; l < r->nline; l++)
		at[1] |= scalar_is_local(r->line[l]) ? ITEM_LOCAL : 0;
	if (parts)
		memcpy(at + ITEM_HEAD, r->line, parts * sizeof *at);
	if (regs)
		memcpy(at + ITEM_HEAD + parts, r->values + (size_t)x->nsrc * WARP_LANES,
		       regs * sizeof(uint32_t[WARP_LANES]));
}

static bool head(const struct queue *q, struct item *out)
{
	const uint64_t *at;

	if (q->at == q->n)
		return false;
	at = q->word + q->at;
	out->insn = (uint32_t)(at[0] >> 32);
	out->active = (uint32_t)at[0];
	out->local = at[1] & ITEM_LOCAL;
	out->nparts = (unsigned)((at[1] & ~ITEM_LOCAL) >> 32);
	out->words = ITEM_HEAD + out->nparts + (uint32_t)at[1] * (size_t)VALUE_WORDS;
	out->parts = at + ITEM_HEAD;
	out->value = (uint32_t)at[1] ? (void *)(q->word + q->at + ITEM_HEAD + out->nparts) : NULL;
	return true;
}

/* ---- the wide warp ---- */
struct join *join_new(const struct join_code *c, struct arena *a)
{
	struct join *j = new(a, struct join);

	j->code = c;
	j->a = a;
	return j;
}

void join_begin(struct join *j, uint64_t lanes)
{
	j->w = (struct wide){ .top = { .rpc = UINT32_MAX, .active = lanes }, .below = j->w.below, .room = j->w.room };
	for (unsigned h = 0; h < HALVES; h++)
		j->q[h].at = j->q[h].n = 0;
}

/* For what one instruction may push. */
static void make_room(struct join *j)
{
	struct wide_level *more;

	if (j->w.depth + PARTS + 2 <= j->w.room)
		return;
	j->w.room = 2 * (j->w.depth + PARTS + 2);
	more = new_array(j->a, struct wide_level, j->w.room);
	if (j->w.depth)
		memcpy(more, j->w.below, j->w.depth * sizeof *more);
	j->w.below = more;
}

static bool has(const struct item *x, unsigned from, uint32_t pc)
{
	while (from < x->nparts && x->parts[from] >> 32 != pc)
		from++;
	return from < x->nparts;
}

/* Where the lanes of both halves go. A place is one for both where the orders in which the halves go there allow it:
 * else the first half's lanes go there by themselves. */
static uint32_t meet_parts(const struct item x[HALVES], struct wide_part to[PARTS])
{
	unsigned at[HALVES] = { 0 };
	uint32_t n = 0;

	while (at[0] < x[0].nparts || at[1] < x[1].nparts) {
		bool left[HALVES] = { at[0] < x[0].nparts, at[1] < x[1].nparts };
		uint32_t pc[HALVES] = { left[0] ? (uint32_t)(x[0].parts[at[0]] >> 32) : 0,
					left[1] ? (uint32_t)(x[1].parts[at[1]] >> 32) : 0 };
		unsigned from =
			left[0] && (!left[1] || pc[0] == pc[1] || !has(&x[1], at[1], pc[0]) || has(&x[0], at[0], pc[1]))
				? 0
				: 1;

		to[n] = (struct wide_part){ .pc = pc[from] };
		for (unsigned h = 0; h < HALVES; h++)
			if (left[h] && (h == from || pc[h] == pc[from]))
				to[n].lanes |= (x[h].parts[at[h]++] & UINT32_MAX) << (h * WARP_LANES);
		n++;
	}
	return n;
}

/* The path on top has executed the instruction at its pc. */
static void go_on(struct join *j, uint64_t exec, struct item x[HALVES])
{
	uint64_t rest[HALVES];
	const struct join_insn *i = &j->code->insn[j->w.top.pc];
	struct wide_part to[PARTS];
	struct wide *w = &j->w;

	make_room(j);
	switch ((enum join_kind)i->kind) {
	case JOIN_PLAIN:
	case JOIN_BARRIER:
		w->top.pc++;
		break;
	case JOIN_BRANCH:
		simt_branch(w, exec, i->target, i->rpc);
		break;
	case JOIN_EXIT:
		w->top.pc++;
		simt_exit(w, exec);
		break;
	case JOIN_CALL:
		simt_enter(w);
		w->top.pc = i->target;
		break;
	case JOIN_CALL_IND:
		simt_enter(w);
		simt_call(w, to, meet_parts(x, to));
		break;
	case JOIN_RETURN:
		simt_return(w, exec);
		w->top.pc++;
		break;
	case JOIN_SPREAD:
		for (unsigned h = 0; h < HALVES; h++) {
			uint64_t lanes = w->top.active >> (h * WARP_LANES) & UINT32_MAX;

			if (!lanes || x[h].active)
				continue;
			/* no guard of the half is true: its record has no parts */
			rest[h] = (uint64_t)(w->top.pc + 1) << 32 | lanes;
			x[h].parts = &rest[h];
			x[h].nparts = 1;
		}
		if (exec)
			simt_spread(w, to, meet_parts(x, to), i->rpc);
		else
			w->top.pc++;
		break;
	}
}

/* The next records of the halves that the path v has lanes in. */
struct heads {
	struct item x[HALVES];
	uint64_t exec;
	unsigned halves, here; /* bits: halves with lanes, and those of them whose record is of v */
};

/* False: there is no record yet of a half that v has lanes in. */
static bool look(const struct join *j, struct wide_level v, struct heads *out)
{
	*out = (struct heads){ .exec = 0 };
	for (unsigned h = 0; h < HALVES; h++) {
		uint32_t lanes = (uint32_t)(v.active >> (h * WARP_LANES));
		struct item *x = &out->x[h];

		if (!lanes)
			continue;
		if (!head(&j->q[h], x))
			return false;
		out->halves |= 1u << h;
		if (x->insn == v.pc && !(x->active & ~lanes))
			out->here |= 1u << h;
		out->exec |= (uint64_t)x->active << (h * WARP_LANES);
	}
	return true;
}

/* The path on top is not next in a half, and no path that has not waited yet can go on. One that waits may, if it is
 * next in its halves; or the lanes of one half, if it is next in that one, since the other's paths go on in another
 * order. JOIN_OK: another path is on top. */
static enum join_status go_by_records(struct join *j, const struct heads *top)
{
	bool waits = false;
	struct wide *w = &j->w;
	uint64_t above = w->top.active, one;
	uint32_t frame = w->frame;
	struct wide_level other;
	struct heads now;

	make_room(j);
	for (uint32_t i = w->depth; i-- > w->frame;) {
		struct wide_level v = w->below[i];

		frame = simt_frame(w, i, frame);
		if (v.active && !(v.active & above)) {
			if (!look(j, v, &now)) {
				waits = true;
			} else if (now.here == now.halves) {
				simt_take(w, i);
				simt_switch(w, v, frame);
				return JOIN_OK;
			}
		}
		above |= v.active;
	}
	if (!top->here)
		return waits ? JOIN_WAITS : JOIN_LOST;
	one = top->here == 1 ? UINT32_MAX : ~(uint64_t)UINT32_MAX;
	other = w->top;
	other.active &= ~one;
	other.frame = w->frame + 1;
	simt_push(w, other);
	w->top.active &= one;
	return JOIN_OK;
}

enum join_status join_next(struct join *j, struct joined *out)
{
	struct wide *w = &j->w;

	for (;;) {
		struct heads now;
		bool here, rest;

		if (!simt_settle(w))
			return JOIN_END;
		if (!look(j, w->top, &now))
			return JOIN_WAITS;
		here = now.here == now.halves;
		/* A barrier is for all lanes that can come to it; elsewhere a half waits for its other lanes where its
		 * records say so. */
		rest = now.exec && j->code->insn[w->top.pc].kind == JOIN_BARRIER &&
		       simt_live(j->code, w) & ~w->top.active;
		if ((!here || rest) && simt_yield(w, w->top.pc))
			continue;
		if (!here) {
			enum join_status by = go_by_records(j, &now);

			if (by == JOIN_OK)
				continue;
			return by;
		}
		w->parked &= ~w->top.active;
		*out = (struct joined){
			w->top.pc, now.exec, now.x[0].local || now.x[1].local, { now.x[0].value, now.x[1].value }
		};
		for (unsigned h = 0; h < HALVES; h++)
			j->q[h].at += now.x[h].words;
		go_on(j, now.exec, now.x);
		return JOIN_OK;
	}
}

uint32_t join_at(const struct join *j) { return j->w.top.pc; }
