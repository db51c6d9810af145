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
/* The address of a byte of a section of code. False: the kernel has no instruction there. */
bool native_code_address(const struct native *n, const char *section, uint64_t at, uint64_t *address);
/* All paths of w wait. Those at a BSYNC wait no more for lanes that wait at another instruction. False: there is no
 * such path. PC: where the path on top waits. */
bool flow_release(struct engine *e, struct warp *w, uint32_t pc);
/* X_FLOW: w->top is at the instruction, `to` what it parts into. */
enum step flow_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		       struct parts *to);
/* The lanes that entry i of w->below, which waits, waits for at a barrier of lanes; UINT32_MAX: it waits at another
 * place. */
uint32_t flow_awaited(const struct engine *e, struct warp *w, uint32_t i);
/* All paths wait, that on top at instruction PC, and lanes have gone ahead: one that is at a barrier of lanes goes on.
 * False: there is none. */
bool flow_hurry(const struct engine *e, struct warp *w, uint32_t pc);

/* ---- controls.c: with engine_options.controls ---- */
void controls_list(struct engine *e); /* e->prog.controls */
/* Of a warp that begins; the same memory again if it has had any. */
struct controls *controls_start(struct engine *e, struct controls *c);
/* Of an instruction, before it executes in these lanes: what it waits for. */
void controls_wait(struct engine *e, const struct warp *w, uint32_t insn, uint32_t active);
/* An instruction that `active` lanes have come to and `exec` execute. False: its control codes, or those of one before,
 * let it touch what is not delivered; reported. */
bool controls_step(struct engine *e, const struct cta *c, struct warp *w, uint32_t insn, uint32_t active,
		   uint32_t exec);
/* A lane's LDGSTS to shared memory, in bytes [at, at + bytes); an access there. False: it may not have arrived;
 * reported. */
void controls_copy(struct engine *e, const struct warp *w, uint32_t insn, unsigned lane, uint64_t at, uint32_t bytes);
bool controls_shared(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
		     uint64_t at, uint32_t bytes);

/* ---- bank.c: what the driver puts into constant bank 0 ---- */
void native_bind(struct engine *e); /* e->bank0, e->bank4, and which bytes of them are known */
/* False: nobody knows it. */
bool native_address_value(const struct engine *e, const struct native_address *to, uint64_t *v);
/* resource.c: the handle of a texture or surface; 0: there is none. */
uint64_t resource_named(const struct device *dev, const char *name);

/* ---- runtime.c: functions that the host serves ---- */
enum { NATIVE_ABI_REGISTERS = 22 }; /* arguments from R4 on, the return address in R20 and R21 */
/* Code addresses that no section has. */
#define NATIVE_RUNTIME_WINDOW UINT64_C(0xffffff0000000000)
bool native_runtime_address(const char *name, uint64_t *v);
/* Function f as an instruction; slot: word offsets of registers. */
void native_runtime_decode(enum host_function f, struct xinsn *x, const uint32_t *slot);

#endif
