/* The SIMT stack: paths of a warp that have diverged, with the instruction where each meets its siblings again.
 *
 * The path that executes is w->top; below it lie the paths that wait. A branch that splits the active lanes leaves an entry
 * for the meeting point (the branch block's immediate post-dominator), unless the current path ends there as well, and one
 * entry for each side, the taken one on top. A side that is already at the meeting point needs no entry. A path that
 * reaches its meeting point is dropped; the entry below, which holds its lanes, goes on.
 *
 * Paths that must meet earlier, at a barrier or an instruction with .sync, do so by simt_yield(): the one that comes first is
 * parked, another takes its place on top, and those that stand at one instruction go on as one. That is how lanes come
 * together again behind a branch with an early return inside, which nothing post-dominates. A path that is on top or may be
 * taken there is never at its meeting point: what stands there has been dropped, or was never pushed.
 *
 * Bound: sides of a split are disjoint and not empty, and a meeting point is pushed only with a side that is a proper subset
 * of its lanes. So waiting sides number at most 31 and meeting points at most 31, loops included, and exits only remove
 * lanes: STACK_MAX is never reached.
 *
 * A call leaves an entry for the lanes' return, which begins a frame: above it the bound holds anew, and the stack grows by
 * calls alone (simt_room). A return takes its lanes from every entry of the frame; when none is left, the entry goes on behind
 * the call with all lanes that have not exited. */
#ifndef REGLOOM_ENGINE_SIMT_H
#define REGLOOM_ENGINE_SIMT_H

#include "runtime-model/engine/core.h"

#include <assert.h>
#include <string.h>

static inline void simt_push(struct warp *w, struct level v)
{
	assert(w->depth < w->room);
	w->below[w->depth++] = v;
}

/* Drops paths that have arrived where they meet the others, or that have no lanes left. False: the warp has exited. */
static inline bool simt_settle(struct warp *w)
{
	while (w->top.pc == w->top.rpc || !w->top.active) {
		if (!w->depth)
			return w->top.active != 0;
		w->top = w->below[--w->depth];
		if (w->top.frame) {             /* the lanes have come back */
			w->frame = w->top.frame - 1;
			w->top.frame = 0;
		}
	}
	return true;
}

/* The active lanes go on behind the call when they come back; until then the path is the function's. */
static inline void simt_enter(struct warp *w)
{
	struct level here = w->top;

	here.pc++;
	here.frame = w->frame + 1;
	simt_push(w, here);
	w->frame = w->depth;
	w->top.rpc = UINT32_MAX;
}

/* Where the path returns to. */
static inline uint32_t simt_return_address(const struct warp *w) { return w->below[w->frame - 1].pc; }

static inline void simt_return(struct warp *w, uint32_t lanes)
{
	w->top.active &= ~lanes;
	for (uint32_t i = w->frame; i < w->depth; i++)
		w->below[i].active &= ~lanes;
}

/* The active lanes go on at TARGET where `taken`, else at the next instruction. True if they part. */
static inline bool simt_branch(struct warp *w, uint32_t taken, uint32_t target, uint32_t rpc)
{
	struct level here = w->top;
	uint32_t next = here.pc + 1, not_taken = here.active & ~taken;

	if (!not_taken || !taken) {
		w->top.pc = taken ? target : next;
		return false;
	}
	if (rpc != here.rpc) {          /* else an entry below waits there already */
		here.pc = rpc;
		simt_push(w, here);
	}
	w->top = (struct level){ target, rpc, taken, 0 };
	if (next != rpc) {
		if (target == rpc)
			w->top = (struct level){ next, rpc, not_taken, 0 };
		else
			simt_push(w, (struct level){ next, rpc, not_taken, 0 });
	}
	return true;
}

/* Lanes that have not exited. Those that wait at an instruction which only ends them have: an early return is often a branch
 * to the last block. */
static inline uint32_t simt_live(const struct program *p, const struct warp *w)
{
	uint32_t live = w->top.active, above = live;

	for (uint32_t i = w->depth; i--; ) {
		const struct xinsn *x = &p->code[w->below[i].pc];

		if (x->kind != X_EXIT || x->guard || x->gmask)
			live |= w->below[i].active & ~above;
		above |= w->below[i].active;
	}
	return live;
}

/* The path on top has come to instruction PC, where it should not go on without the warp's other lanes. True: the path on top
 * is another one now, or the same one with lanes that waited here. False: no other path can get here.
 *
 * A path that no entry above it shares lanes with may be taken to the top, since only what lies below a meeting point's
 * sides holds it back; and paths with the same pc and the same meeting point are one path. Only paths of the same call of a
 * function are looked at. */
static inline bool simt_yield(struct warp *w, uint32_t pc)
{
	uint32_t above = w->top.active;
	bool merged = false;

	w->parked |= w->top.active;
	for (uint32_t i = w->depth; i-- > w->frame; ) {
		struct level v = w->below[i];
		bool leaf = !(v.active & above);

		above |= v.active;
		if (!leaf || v.pc != pc || v.rpc != w->top.rpc || !v.active || v.active & ~w->parked)
			continue;
		w->top.active |= v.active;
		memmove(w->below + i, w->below + i + 1, (--w->depth - i) * sizeof *w->below);
		merged = true;
	}
	if (merged) {
		w->top.pc = pc;
		return true;
	}
	above = w->top.active;
	for (uint32_t i = w->depth; i-- > w->frame; ) {
		struct level v = w->below[i];

		if (!(v.active & above) && v.active & ~w->parked) {
			assert(v.pc != v.rpc);
			memmove(w->below + i, w->below + i + 1, (w->depth - 1 - i) * sizeof *w->below);
			w->top.pc = pc;
			w->below[w->depth - 1] = w->top;
			w->top = v;
			return true;
		}
		above |= v.active;
	}
	return false;
}

/* The lanes end. */
static inline void simt_exit(struct warp *w, uint32_t lanes)
{
	w->top.active &= ~lanes;
	for (uint32_t i = 0; i < w->depth; i++)
		w->below[i].active &= ~lanes;
}

#endif
