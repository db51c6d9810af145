/* Control codes for code of ours, as a compiler for a core of today sets them: stall counts, six barriers of
 * dependence, reuse flags, the hint to yield. Of machine code they stand in its words.
 *
 * A result of fixed latency (analyzer/ir/latency.def) is kept from its readers by stall counts, late in between, so
 * that what needs not wait issues early. What is queued raises a barrier where somebody depends on it: one that is
 * lowered when its results are written, if they are read or overwritten, and one when its sources have been read, if
 * they are overwritten before that is certain for another reason. Whoever depends on it waits. Nothing is inserted:
 * where fifteen cycles a stall are not enough on the way to a reader, the result has a barrier as well.
 *
 * control_barriers.c says which barriers are raised and waited for, control_assign.c which of the six it is,
 * control_stalls.c counts, control_reuse.c sets flags. check_control.c is the oracle; --check-controls proves the same
 * while a kernel executes. After Huerta et al., MICRO 2025, section 4; what ptxas does. */
#include "passes/control.h"

static void list_accesses(struct control_work *w)
{
	const struct kernel *k = w->k;
	struct sass_access x[SASS_ACCESSES];
	uint32_t used = 0, cap = 64;

	w->access = new_array(w->a, struct sass_access, cap);
	w->access_at = new_array(w->a, uint32_t, k->ninsn + 1u);
	w->queue = new_array(w->a, uint8_t, k->ninsn + 1u);
	w->slow = new_array(w->a, bool, k->ninsn + 1u);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const unsigned n = insn_accesses(k, &k->insn[i], x);

		w->queue[i] = (uint8_t)sass_queue(w->sm, insn_unit(k, &k->insn[i]));
		for (unsigned a = 0; a < n; a++) {
			arena_grow(w->a, w->access, used, cap);
			w->access[used++] = x[a];
			w->slow[i] |= x[a].write &&
				      (w->queue[i] || !sass_latency_least(w->sm, mreg_is_pred(x[a].reg), x[a].unit));
		}
		w->access_at[i + 1] = used;
	}
}

static void clear(struct control_work *w)
{
	for (uint32_t i = 0; i < w->k->ninsn; i++)
		w->code[i] = (struct control_code){ .stall = 1, .yield = 1, .wbar = NO_BARRIER, .rbar = NO_BARRIER };
}

enum pass_result pass_control(struct kernel *k, struct pass_ctx *cx)
{
	struct control_work w = { .k = k, .a = &cx->scratch };

	k->control = k->native ? k->native->control : NULL;
	if (k->native || k->form != FORM_MACHINE)
		return PASS_SAME;
	w.sm = control_sm(k);
	w.code = new_array(k->a, struct control_code, k->ninsn + 1u);
	list_accesses(&w);
	do {
		clear(&w);
		control_barriers(&w);
	} while (!control_stalls(&w));
	control_reuse(&w);
	k->control = w.code;
	return PASS_SAME;
}
