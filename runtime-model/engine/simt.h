/* The SIMT stack: paths of a warp that have diverged, with the instruction where each meets its siblings again.
 *
 * The path that executes is w->top; below it lie the paths that wait. A branch that splits the active lanes leaves an
 * entry for the meeting point (the branch block's immediate post-dominator), unless the current path ends there as
 * well, and one entry for each side, the taken one on top. A side that is already at the meeting point needs no entry.
 * A path that reaches its meeting point is dropped; the entry below, which holds its lanes, goes on.
 *
 * Paths that must meet earlier, at a barrier or an instruction with .sync, do so by simt_yield(): the one that comes
 * first is parked, another takes its place on top, and those that stand at one instruction go on as one. That is how
 * lanes come together again behind a branch with an early return inside, which nothing post-dominates. A path that is
 * on top or may be taken there is never at its meeting point: what stands there has been dropped, or was never pushed.
 *
 * Bound: sides of a split are disjoint and not empty, and a meeting point is pushed only with a side that is a proper
 * subset of its lanes. So waiting sides number at most 31 and meeting points at most 31, loops included, and exits only
 * remove lanes: STACK_MAX is never reached.
 *
 * A call leaves an entry for the lanes' return, which begins a frame: above it the bound holds anew, and the stack
 * grows by calls alone (simt_room). A return takes its lanes from every entry of the frame; when none is left, the
 * entry goes on behind the call with all lanes that have not exited.
 *
 * A path that waits for lanes which wait for it, in a loop that reads memory, leaves the top as well: spin.c. Those
 * lanes need not be of the same call then; an entry that was taken from the top has its frame with it, so that entries
 * of several frames may lie in any order in which an entry lies above that where its lanes meet others. The bound
 * holds: each of its lanes' partings pushes what it did.
 *
 * The rules are for warps of any width: what includes this may define SIMT_WARP and the names beside it first, for
 * types with the same members (similar/join.c). */
#ifndef REGLOOM_ENGINE_SIMT_H
#define REGLOOM_ENGINE_SIMT_H

#include <assert.h>
#include <string.h>

#ifndef SIMT_WARP
#include "runtime-model/engine/core.h"

#define SIMT_WARP struct warp
#define SIMT_LEVEL struct level
#define SIMT_LANES uint32_t
#define SIMT_PART struct part
#define SIMT_PROGRAM struct program

/* Does the instruction only end the lanes that come to it? */
static inline bool simt_ends(const struct program *p, uint32_t pc)
{
	const struct xinsn *x = &p->code[pc];

	return x->kind == X_EXIT && !x->guard && !x->gmask;
}
#endif

static inline void simt_push(SIMT_WARP *w, SIMT_LEVEL v)
{
	assert(w->depth < w->room);
	w->below[w->depth++] = v;
}

/* Drops paths that have arrived where they meet the others, or that have no lanes left. False: the warp has exited. */
static inline bool simt_settle(SIMT_WARP *w)
{
	while (w->top.pc == w->top.rpc || !w->top.active) {
		if (!w->depth)
			return w->top.active != 0;
		w->top = w->below[--w->depth];
		if (w->top.frame) { /* the lanes have come back, or it had left the top */
			w->frame = w->top.frame - 1;
			w->top.frame = 0;
		}
	}
	return true;
}

/* The active lanes go on behind the call when they come back; until then the path is the function's. */
static inline void simt_enter(SIMT_WARP *w)
{
	SIMT_LEVEL here = w->top;

	here.pc++;
	here.frame = w->frame + 1;
	simt_push(w, here);
	w->frame = w->depth;
	w->top.rpc = UINT32_MAX;
}

/* Where the path returns to. */
static inline uint32_t simt_return_address(const SIMT_WARP *w) { return w->below[w->frame - 1].pc; }

static inline void simt_return(SIMT_WARP *w, SIMT_LANES lanes)
{
	w->top.active &= ~lanes;
	for (uint32_t i = w->frame; i < w->depth; i++)
		w->below[i].active &= ~lanes;
}

/* The active lanes go on at TARGET where `taken`, else at the next instruction. True if they part. */
static inline bool simt_branch(SIMT_WARP *w, SIMT_LANES taken, uint32_t target, uint32_t rpc)
{
	SIMT_LEVEL here = w->top;
	SIMT_LANES not_taken = here.active & ~taken;
	uint32_t next = here.pc + 1;

	if (!not_taken || !taken) {
		w->top.pc = taken ? target : next;
		return false;
	}
	if (rpc != here.rpc) { /* else an entry below waits there already */
		here.pc = rpc;
		simt_push(w, here);
	}
	w->top = (SIMT_LEVEL){ target, rpc, taken, 0 };
	if (next != rpc) {
		if (target == rpc)
			w->top = (SIMT_LEVEL){ next, rpc, not_taken, 0 };
		else
			simt_push(w, (SIMT_LEVEL){ next, rpc, not_taken, 0 });
	}
	return true;
}

/* The active lanes part, to n places: a side that is already at the meeting point waits in the entry for it. */
static inline void simt_spread(SIMT_WARP *w, const SIMT_PART *to, uint32_t n, uint32_t rpc)
{
	SIMT_LEVEL here = w->top;

	if (n == 1) {
		w->top.pc = to[0].pc;
		return;
	}
	if (rpc != here.rpc) {
		here.pc = rpc;
		simt_push(w, here);
	}
	while (n--)
		if (to[n].pc != rpc)
			simt_push(w, (SIMT_LEVEL){ to[n].pc, rpc, to[n].lanes, 0 });
	w->top = w->below[--w->depth];
}

/* Of an indirect call, behind simt_enter(). */
static inline void simt_call(SIMT_WARP *w, const SIMT_PART *to, uint32_t n)
{
	while (n-- > 1)
		simt_push(w, (SIMT_LEVEL){ to[n].pc, w->top.rpc, to[n].lanes, 0 });
	w->top.pc = to[0].pc;
	w->top.active = to[0].lanes;
}

/* Lanes that have not exited. Those that wait at an instruction which only ends them have: an early return is often a
 * branch to the last block. */
static inline SIMT_LANES simt_live(const SIMT_PROGRAM *p, const SIMT_WARP *w)
{
	SIMT_LANES live = w->top.active, above = live;

	for (uint32_t i = w->depth; i--;) {
		if (!simt_ends(p, w->below[i].pc))
			live |= w->below[i].active & ~above;
		above |= w->below[i].active;
	}
	return live;
}

/* Entry i, which no path above has lanes of, leaves the stack. */
static inline SIMT_LEVEL simt_take(SIMT_WARP *w, uint32_t i)
{
	SIMT_LEVEL v = w->below[i];

	memmove(w->below + i, w->below + i + 1, (--w->depth - i) * sizeof *w->below);
	for (uint32_t n = i; n < w->depth; n++)
		w->below[n].frame -= w->below[n].frame > i + 1;
	w->frame -= w->frame > i;
	w->whole -= w->whole > i;
	return v;
}

/* The frame of entry i, given that of the entry above it. */
static inline uint32_t simt_frame(const SIMT_WARP *w, uint32_t i, uint32_t above)
{
	return w->below[i].frame ? w->below[i].frame - 1 : above;
}

/* The path on top makes room for V, of that frame. */
static inline void simt_switch(SIMT_WARP *w, SIMT_LEVEL v, uint32_t frame)
{
	w->top.frame = w->frame + 1;
	simt_push(w, w->top);
	w->top = v;
	w->top.frame = 0;
	w->frame = frame;
}

/* The path on top waits at instruction PC, and makes room for one that does not wait yet. False: there is none.
 *
 * A path that no entry above it shares lanes with may be taken to the top, since only what lies below a meeting point's
 * sides holds it back. Only paths of the same call of a function are looked at, and of calls made in it. */
static inline bool simt_leave(SIMT_WARP *w, uint32_t pc)
{
	SIMT_LANES above = w->top.active;
	uint32_t frame = w->frame;

	w->parked |= w->top.active;
	for (uint32_t i = w->depth; i-- > w->frame;) {
		SIMT_LEVEL v = w->below[i];

		frame = simt_frame(w, i, frame);
		if (frame >= w->frame && !(v.active & above) && v.active & ~w->parked) {
			assert(v.pc != v.rpc);
			w->top.pc = pc;
			simt_take(w, i);
			simt_switch(w, v, frame);
			return true;
		}
		above |= v.active;
	}
	return false;
}

/* The path on top has come to instruction PC, where it should not go on without the warp's other lanes. True: the path
 * on top is another one now, or the same one with lanes that waited here: paths with the same pc and the same meeting
 * point are one path. False: no other path can get here. */
static inline bool simt_yield(SIMT_WARP *w, uint32_t pc)
{
	SIMT_LANES above = w->top.active;
	uint32_t frame = w->frame;
	bool merged = false;

	w->parked |= w->top.active;
	for (uint32_t i = w->depth; i-- > w->frame;) {
		SIMT_LEVEL v = w->below[i];
		bool leaf = !(v.active & above);

		frame = simt_frame(w, i, frame);
		above |= v.active;
		if (!leaf || frame != w->frame || v.pc != pc || v.rpc != w->top.rpc || !v.active ||
		    v.active & ~w->parked)
			continue;
		w->top.active |= v.active;
		simt_take(w, i);
		merged = true;
	}
	if (merged) {
		w->top.pc = pc;
		return true;
	}
	return simt_leave(w, pc);
}

/* The lanes end. */
static inline void simt_exit(SIMT_WARP *w, SIMT_LANES lanes)
{
	w->top.active &= ~lanes;
	for (uint32_t i = 0; i < w->depth; i++)
		w->below[i].active &= ~lanes;
}

#endif
