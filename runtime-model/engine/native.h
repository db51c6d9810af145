/* Machine code in the engine: native.c decodes it, flow.c goes where control goes, bank.c has what the driver gives. */
#ifndef REGLOOM_ENGINE_NATIVE_H
#define REGLOOM_ENGINE_NATIVE_H

#include "runtime-model/engine/decoder.h"

/* The steps of an instruction all of which are lane loops. */
lane_fn native_steps;
/* OP_SASS_SPREAD, OP_SASS_SPREAD_PRED */
lane_fn native_spread, native_spread_pred;
/* The instruction at a code address; UINT32_MAX: there is none. */
uint32_t native_insn_at(const struct engine *e, uint64_t address);
/* X_FLOW: w->top is at the instruction, `to` what it parts into. */
enum step flow_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		       struct parts *to);


/* ---- bank.c: what the driver puts into constant bank 0 ---- */
void native_bind(struct engine *e); /* e->bank0, e->bank0_known */

#endif
