/* Kernels that spin for ever, found by proof.
 *
 * As long as no memory changes, no barrier is arrived at, no lane exits and no CTA starts, a warp depends on nothing
 * but its own state: the paths of its stack, its registers and predicates. If such a warp comes to a state that it has
 * been in before, it will repeat what lies between. Of its registers only those count that decide what it does there:
 * where control goes, what memory it reads and what it leaves, and those that these are computed from; a count of
 * attempts that nothing is asked of does not. If every warp that can run does, and what each of them repeats
 * changes nothing, then nothing will ever change: the launch can neither end nor go on.
 *
 * A warp that repeats itself is found by comparing its state with a remembered one, which is taken anew after 1, 2, 4,
 * ... of its instructions (Brent, BIT 20:176, 1980). While this is looked for, warps go instruction by instruction, in
 * the order in which they would anyway, and a store or atomic counts as a change only if a byte differs after it. The
 * search begins when FIRST instructions have executed since a warp or CTA began or ended or a barrier was passed, lasts
 * for a SHARE of them at most, ends with the first change, and begins again after twice as many; so a launch that does
 * get on pays next to nothing.
 *
 * Where the proof is complete, other lanes of the warps may still wait for those that repeat themselves. In a module
 * for sm_70 and above these go on first (spin.c), one path of each warp after the other, and nothing is reported before
 * all have repeated themselves.
 *
 * Not found: loops that read a clock or what others than the launch may write, count to an end, meet at barriers, call
 * host functions, write texels or matrices, or move a lock to and fro. What limits those is the limit of instructions.
 * Under poison, dead registers never repeat; what a launch does then it has done before without. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/engine/before.h"

#include <string.h>

enum {
	FIRST = 1 << 22,
	SHARE = 16,
	GROUPS = 4,
	SINKS = 2,
};

/* a warp that can run */
struct suspect {
	bool remembered, repeats;
	uint64_t power, left; /* instructions to the next remembering, and of these left */
	struct level top, *below;
	uint32_t depth, room, frame, parked, result, cluster_arrived;
	bool reduced;
	uint32_t *reg, *pred;
	uint32_t low, high; /* instructions seen since */
	/* by register: it decides what instructions `from` to `to` do, the last that were looked at */
	uint64_t *decides;
	uint32_t from, to;
	uint32_t reads, lane; /* instruction that has read global or shared memory last, or NONE */
	uint64_t address;
};
#define NONE UINT32_MAX

struct livelock {
	struct arena a;
	struct suspect *warp; /* by place in the window, then in the CTA */
	uint64_t unproven;    /* warps that can run and have not repeated themselves */
	uint64_t end;         /* instruction at which the search is given up */
	bool changed;
};

static struct suspect *suspect(const struct engine *e, const struct cta *c, const struct warp *w)
{
	return &e->livelock->warp[(size_t)(c - e->cta) * e->warps + w->index];
}

/* ---- states ---- */
static size_t register_words(const struct engine *e) { return (size_t)(e->prog.nslot - SINKS) * WARP_LANES; }

static void remember(struct engine *e, struct suspect *s, const struct warp *w)
{
	struct arena *a = &e->livelock->a;

	if (!s->reg) {
		s->reg = new_array(a, uint32_t, register_words(e));
		s->pred = new_array(a, uint32_t, e->prog.npred);
	}
	if (w->depth > s->room) {
		s->room = w->depth * 2;
		s->below = new_array(a, struct level, s->room);
	}
	s->remembered = true;
	s->top = w->top;
	if (w->depth)
		memcpy(s->below, w->below, w->depth * sizeof *w->below);
	s->depth = w->depth;
	s->frame = w->frame;
	s->parked = w->parked;
	s->result = w->result;
	s->reduced = w->reduced;
	s->cluster_arrived = w->cluster_arrived;
	memcpy(s->reg, w->reg + SINKS * WARP_LANES, register_words(e) * sizeof *s->reg);
	memcpy(s->pred, w->pred, e->prog.npred * sizeof *s->pred);
	s->low = s->high = w->top.pc;
	s->reads = NONE;
	s->from = NONE;
}

static uint32_t registers(const struct kernel *k) { return k->form == FORM_VIRTUAL ? k->nvreg : MREG_ALL; }

/* Does an instruction nothing but write registers? */
static bool only_computes(enum xkind kind) { return kind == X_ALU || kind == X_SREG || kind == X_NOTHING; }

/* Backwards again and again: sets of registers grow only. */
static void find_decides(const struct engine *e, struct suspect *s)
{
	const struct kernel *k = e->k;
	struct reg_use use[REG_USE_MAX];
	bool more = s->from != s->low || s->to != s->high;

	if (!s->decides)
		s->decides = bitset_new(&e->livelock->a, registers(k));
	if (s->from == NONE)
		memset(s->decides, 0, bitset_words(registers(k)) * sizeof *s->decides);
	s->from = s->low;
	s->to = s->high;
	while (more) {
		more = false;
		for (uint32_t i = s->high + 1; i-- > s->low;) {
			const unsigned n = insn_reg_uses(k, &k->insn[i], use);
			bool decides = !only_computes((enum xkind)e->prog.code[i].kind);

			for (unsigned u = 0; u < n; u++)
				decides |= use[u].write && bitset_has(s->decides, use[u].reg);
			for (unsigned u = 0; u < n && decides; u++)
				if (!use[u].write && !bitset_has(s->decides, use[u].reg)) {
					bitset_add(s->decides, use[u].reg);
					more = true;
				}
		}
	}
}

/* What register r holds, in all lanes, is as it was. */
static bool same_register(const struct engine *e, const struct suspect *s, const struct warp *w, uint32_t r)
{
	const uint32_t at = e->prog.slot[r];
	const bool virtual = e->k->form == FORM_VIRTUAL;

	if (at == UINT32_MAX)
		return true;
	if (virtual ? e->k->vreg[r].rc == RC_PRED : mreg_is_pred(r))
		return s->pred[at] == w->pred[at];
	return memcmp(s->reg + at - SINKS * WARP_LANES, w->reg + at,
		      (virtual && e->k->vreg[r].rc == RC_64 ? 2 : 1) * WARP_LANES * sizeof *w->reg) == 0;
}

static bool same(const struct engine *e, struct suspect *s, const struct warp *w)
{
	const uint32_t n = registers(e->k);

	if (s->top.pc != w->top.pc || s->top.rpc != w->top.rpc || s->top.active != w->top.active ||
	    s->depth != w->depth || s->frame != w->frame || s->parked != w->parked || s->reduced != w->reduced ||
	    s->cluster_arrived != w->cluster_arrived || (s->reduced && s->result != w->result))
		return false;
	if (s->depth && memcmp(s->below, w->below, w->depth * sizeof *w->below) != 0)
		return false;
	find_decides(e, s);
	for (uint32_t r = bitset_next(s->decides, 0, n); r < n; r = bitset_next(s->decides, r + 1, n))
		if (!same_register(e, s, w, r))
			return false;
	return true;
}

/* Before w executes an instruction. */
static void compare(struct engine *e, struct suspect *s, const struct warp *w)
{
	if (s->repeats)
		return;
	if (s->remembered && same(e, s, w)) {
		s->repeats = true;
		e->livelock->unproven--;
		return;
	}
	if (s->left-- == 0 || !s->remembered) {
		s->power *= 2;
		s->left = s->power - 1;
		remember(e, s, w);
	}
}

/* ---- one instruction ---- */
static void note_read(const struct engine *e, struct suspect *s, const struct warp *w, const struct xinsn *x,
		      uint32_t exec)
{
	const struct xmem *m = &e->prog.mem[x->target];
	uint64_t at[WARP_LANES];
	enum space in;

	before_addresses(e, w, x, exec, at);
	s->lane = (uint32_t)__builtin_ctz(exec);
	in = memory_space(m->space, at[s->lane]);
	if (in != SP_GLOBAL && in != SP_SHARED)
		return;
	s->reads = (uint32_t)(x - e->prog.code);
	s->address = at[s->lane];
}

/* Whether x, executed, may change anything but its own warp's state; stores and atomics are looked at one by one. */
static bool changes(const struct engine *e, const struct xinsn *x, uint32_t exec)
{
	switch ((enum xkind)x->kind) {
	case X_ALU:
	case X_BRANCH:
	case X_WARP:
	case X_NOTHING:
	case X_CALL:
	case X_CALL_IND:
	case X_RETURN:
	case X_BRX:
	case X_MEM:
	case X_FLOW:
	case X_REFUSED:
		return false;
	case X_STEPS:
		for (const struct xinsn *s = x + x->target, *end = s + x->rpc; exec && s < end; s++)
			if (s->kind == X_MEM ? !e->prog.mem[s->target].load || e->prog.mem[s->target].atomic ||
						       device_shared(e->dev)
					     : changes(e, s, exec))
				return true;
		return false;
	case X_SREG:
		return exec && sreg_is_clock((enum sreg)x->target);
	case X_EXIT:
	case X_BARRIER:
	case X_COPY:
	case X_TRAP:
	case X_MATRIX:
	case X_TEXTURE:
	case X_HOST:
		break;
	}
	return exec != 0;
}

/* Is some of what it accesses memory that others may write? */
static bool is_shared(const struct engine *e, const struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const enum space s = (enum space)e->prog.mem[x->target].space;
	uint64_t at[WARP_LANES];

	if (!device_shared(e->dev))
		return false;
	before_addresses(e, w, x, exec, at);
	for (; exec; exec &= exec - 1) {
		const uint64_t addr = at[__builtin_ctz(exec)];
		const struct allocation *al =
			memory_space(s, addr) == SP_GLOBAL ? device_around(e->dev, addr, 1) : NULL;

		if (al && al->shared)
			return true;
	}
	return false;
}

static void step(struct engine *e, struct cta *c, struct warp *w)
{
	const struct xinsn *x = &e->prog.code[w->top.pc];
	uint32_t exec = w->top.active & (w->pred[x->guard] ^ x->gmask);
	bool access = x->kind == X_MEM && exec,
	     writes = access && (e->prog.mem[x->target].atomic || !e->prog.mem[x->target].load);
	struct suspect *s = suspect(e, c, w);
	struct before b;

	compare(e, s, w);
	s->low = w->top.pc < s->low ? w->top.pc : s->low;
	s->high = w->top.pc > s->high ? w->top.pc : s->high;
	if (access && (e->prog.mem[x->target].atomic || !writes))
		note_read(e, s, w, x, exec);
	if (access)
		e->livelock->changed |= is_shared(e, w, x, exec);
	if (writes)
		before_save(e, c, w, x, exec, &b);
	warp_run(e, c, w);
	e->livelock->changed |= changes(e, x, exec) || (writes && before_differs(&b));
}

void livelock_run(struct engine *e, struct cta *c, struct warp *w)
{
	uint32_t left = w->budget;

	while (left && w->state == WARP_READY && !e->livelock->changed &&
	       !atomic_load_explicit(&e->failed, memory_order_relaxed)) {
		w->budget = 1;
		step(e, c, w);
		left -= 1 - w->budget;
	}
	w->budget = left;
	if (left && w->state == WARP_READY && !atomic_load_explicit(&e->failed, memory_order_relaxed))
		warp_run(e, c, w);
	if (w->stream) /* once, so that what has executed in line stays one word */
		recorder_publish(&e->rec, w->stream, w->state == WARP_DONE);
}

/* ---- the report ---- */
static const char *read_text(const struct engine *e, const struct cta *c, const struct warp *w, const struct suspect *s,
			     struct arena *a)
{
	const struct xmem *m = &e->prog.mem[e->prog.code[s->reads].target];
	enum space in = memory_space(m->space, s->address);
	uint32_t i = in == SP_GLOBAL ? device_nearest(e->dev, s->address) : NONE;
	unsigned n, bytes = m->total < 8 ? m->total : 8;
	uint64_t value = 0;
	unsigned char *p = memory_byte(e, c, w, m->space, s->lane, s->address, &n);
	const char *where;
	if (in == SP_SHARED)
		where = "of shared memory";
	else
		where = i == NONE ? "" : arena_printf(a, "of %s", e->dev->alloc[i].name);
	uint64_t offset;
	if (in == SP_SHARED)
		offset = s->address - (m->space == SP_GENERIC ? space_window(SP_SHARED) : 0);
	else
		offset = i == NONE ? s->address : s->address - e->dev->alloc[i].addr;

	if (p)
		memcpy(&value, p, n < bytes ? n : bytes);
	return arena_printf(a, ";\n    it reads 0x%llx from offset 0x%llx %s, by %s", (unsigned long long)value,
			    (unsigned long long)offset, where, fault_insn(e, s->reads, a));
}

/* The lanes of paths that wait for those that run, and where. */
static const char *waiting_lanes(const struct engine *e, const struct warp *w, struct arena *a)
{
	uint32_t above = w->top.active;
	const char *text = "";

	for (uint32_t i = w->depth; i--;) {
		uint32_t lanes = w->below[i].active & ~above;

		above |= w->below[i].active;
		if (lanes)
			text = arena_printf(a, "%s;\n    its lanes 0x%08x wait for lanes 0x%08x at %s", text, lanes,
					    w->top.active, fault_insn(e, w->below[i].pc, a));
	}
	return text;
}

static const char *warp_text(const struct engine *e, const struct cta *c, const struct warp *w, struct arena *a)
{
	const struct suspect *s = suspect(e, c, w);
	const char *cta = arena_printf(a, "CTA (%u,%u,%u)", c->id[0], c->id[1], c->id[2]);

	if (w->state == WARP_BARRIER)
		return arena_printf(a, "%s %s", cta, fault_waiting(e, c, w, a));
	return arena_printf(a, "%s warp %u, lanes 0x%08x, repeats instructions %u%s to %u%s%s%s", cta, w->index,
			    w->top.active, s->low, fault_line(e, s->low, a), s->high, fault_line(e, s->high, a),
			    s->reads == NONE ? "" : read_text(e, c, w, s, a), waiting_lanes(e, w, a));
}

/* Warps that stand alike are told of once: those that wait at one instruction, and those that repeat the same
 * instructions. */
static uint64_t kind_of(const struct engine *e, const struct cta *c, const struct warp *w)
{
	const struct suspect *s = suspect(e, c, w);

	return w->state == WARP_BARRIER ? (uint64_t)w->waits_at << 32 | NONE : (uint64_t)s->low << 32 | s->high;
}

static void report(struct engine *e)
{
	struct {
		uint64_t kind, warps;
		const char *text;
	} group[GROUPS];
	uint64_t others = 0, waiting = e->ctas - e->next_cta;
	const char *text = "";
	struct arena *a = &e->a;
	uint32_t insn = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < e->window * e->warps; i++) {
		const struct cta *c = &e->cta[i / e->warps];
		const struct warp *w = c->index == UINT64_MAX ? NULL : &c->warp[i % e->warps];
		unsigned g = 0;

		if (!w || w->state == WARP_DONE)
			continue;
		while (g < n && group[g].kind != kind_of(e, c, w))
			g++;
		if (g == GROUPS) {
			others++;
			continue;
		}
		if (g == n) {
			group[n].kind = kind_of(e, c, w);
			group[n].text = warp_text(e, c, w, a);
			group[n++].warps = 0;
			if (w->state == WARP_READY && !insn)
				insn = suspect(e, c, w)->reads == NONE ? suspect(e, c, w)->low
								       : suspect(e, c, w)->reads;
		}
		group[g].warps++;
	}
	for (unsigned g = 0; g < n; g++)
		text = arena_printf(a, "%s\n  %s%s", text, group[g].text,
				    group[g].warps == 1 ? ""
							: arena_printf(a, ";\n    %llu more like it",
								       (unsigned long long)group[g].warps - 1));
	if (others)
		text = arena_printf(a, "%s\n  and %llu more warps", text, (unsigned long long)others);
	if (waiting)
		text = arena_printf(a, "%s\n  %llu CTAs have not started: one does when one of the %u in flight ends",
				    text, (unsigned long long)waiting, e->window);
	fault_report(
		e, FAULT_LIVELOCK, insn,
		arena_printf(
			a,
			"kernel %s: livelock: its warps repeat what they have done, and nothing can change any more%s",
			kernel_name(e->k->name, a), text));
}

/* ---- when to look ---- */
static void end(struct engine *e)
{
	struct arena a = e->livelock->a; /* it holds e->livelock itself */

	arena_free(&a);
	e->livelock = NULL;
}

static void begin(struct engine *e)
{
	struct arena a;
	struct livelock *x;

	arena_init(&a);
	x = new(&a, struct livelock);
	x->warp = new_array(&a, struct suspect, (size_t)e->window * e->warps);
	x->end = e->counts.warp_insns + e->patience / SHARE;
	x->a = a;
	e->livelock = x;
	for (unsigned i = 0; i < e->window * e->warps; i++) {
		const struct cta *c = &e->cta[i / e->warps];

		x->warp[i].power = 1;
		x->unproven += c->index != UINT64_MAX && c->warp[i % e->warps].state == WARP_READY;
	}
}

void livelock_begin(struct engine *e)
{
	e->events_seen = e->events;
	e->look_at = e->counts.warp_insns;
	begin(e);
}

/* Other lanes of warps go on. False: there are none, or all have. */
static bool let_go(struct engine *e)
{
	bool any = false;

	if (e->let_go++ == WARP_LANES)
		return false;
	for (unsigned i = 0; i < e->window * e->warps; i++) {
		struct cta *c = &e->cta[i / e->warps];
		struct warp *w = c->index == UINT64_MAX ? NULL : &c->warp[i % e->warps];

		any |= w && w->state == WARP_READY && spin_switch(e, w);
	}
	return any;
}

void livelock_look(struct engine *e)
{
	struct livelock *x = e->livelock;
	bool calm = e->events == e->events_seen;

	if (x && (!calm || x->changed))
		e->let_go = 0;
	if (x && calm && !x->changed && !x->unproven) {
		if (let_go(e)) {
			end(e);
			begin(e);
			return;
		}
		report(e);
		end(e);
	} else if (x && calm && !x->changed && e->counts.warp_insns < x->end) {
		return;
	} else if (x) {
		end(e);
		e->patience *= 2;
		e->look_at = e->counts.warp_insns + e->patience;
	} else if (calm && e->patience) {
		begin(e);
		return;
	}
	if (!calm || !e->patience) {
		e->events_seen = e->events;
		e->patience = e->opt.patience ? e->opt.patience : FIRST;
		e->look_at = e->counts.warp_insns + e->patience;
	}
}

void livelock_free(struct engine *e)
{
	if (e->livelock)
		end(e);
}
