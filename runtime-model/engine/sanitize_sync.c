/* Barriers that not all come to who should: lanes of a warp, warps of a CTA at another instruction, members of a mask
 * that have exited. What would read or wait for lanes that never come is a fault without being asked for. */
#include "runtime-model/engine/sanitize.h"
#include "runtime-model/engine/simt.h"

static struct touch who(struct engine *e, struct cta *c, struct warp *w, uint32_t insn)
{
	return (struct touch){ .e = e, .c = c, .w = w, .insn = insn, .lane = WARP_LANES };
}

/* Where one of the lanes is that have not come. */
static const char *elsewhere(struct engine *e, const struct warp *w, uint32_t missing)
{
	if (missing & w->top.active)
		return "whose guard is false";
	for (uint32_t i = w->depth; i--;)
		if (w->below[i].active & missing)
			return arena_printf(&e->a, "which are at %s", fault_insn(e, w->below[i].pc, &e->a));
	return "which are elsewhere";
}

void sync_arrive(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t exec, unsigned id,
		 uint32_t threads)
{
	const struct barrier *b = &c->barrier[id];
	const uint32_t missing = simt_live(&e->prog, w) & ~exec;
	const struct touch t = who(e, c, w, insn);

	race_arrive(e, c, w, id);
	if (threads || !sanitizes(e, SANITIZE_SYNC))
		return;
	if (missing && sanitize_first(e, SANITIZE_SYNC, insn))
		sanitize_tell(&t, SANITIZE_SYNC,
			      "barrier %u is for all threads of the CTA: lanes 0x%x do not come, %s,", id, missing,
			      elsewhere(e, w, missing));
	if (!missing && b->warps && b->insn != insn && sanitize_first(e, SANITIZE_SYNC, insn))
		sanitize_tell(&t, SANITIZE_SYNC, "barrier %u is for all threads of the CTA: others wait for it at %s,",
			      id, fault_insn(e, b->insn, &e->a));
}

void sync_members(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t mask, uint32_t live)
{
	const uint32_t exited = mask & e->first_active[w->index] & ~live;
	const struct touch t = who(e, c, w, insn);

	race_meet(e, c, w);
	if (exited && sanitizes(e, SANITIZE_SYNC) && sanitize_first(e, SANITIZE_SYNC, insn))
		sanitize_tell(&t, SANITIZE_SYNC, "the member mask 0x%x names lanes 0x%x, which have exited,", mask,
			      exited);
}
