/* Warp instruction reuse and warp register reuse (Kim and Ro, HPCA 2018): the mechanism of all its models. Those differ
 * in what they have (models.c). docs/WIR.md. */
#ifndef REGLOOM_REUSE_WIR_H
#define REGLOOM_REUSE_WIR_H

#include "runtime-model/core/axis.h"

struct wir_model {
	bool loads;      /* L: loads are reused (section VI-A) */
	bool pending;    /* P: entries are reserved, and instructions wait for them (section VI-B) */
	bool verify;     /* V: a verify cache (section VI-C) */
	bool capped;     /* c: no more registers than the live warps' own (section V-E) */
	bool signatures; /* results of equal value share a register (section V-A) */
};

struct reuse *wir_create(const struct axis_ctx *cx, const struct wir_model *m);
unsigned wir_front_cycles(const struct params *p);
unsigned wir_back_cycles(const struct params *p);
unsigned wir_queue(const struct params *p);
unsigned wir_parts(const struct params *p);
unsigned wir_registers(const struct params *p);
void wir_warp_start(struct reuse *r, unsigned warp, unsigned first, uint64_t cta);
void wir_warp_exit(struct reuse *r, unsigned warp);
void wir_issue(struct reuse *r, const struct uop *u);
unsigned wir_physical(const struct reuse *r, const struct uop *u, unsigned src);
void wir_sources_read(struct reuse *r, const struct uop *u, uint32_t sources);
enum reuse_verdict wir_lookup(struct reuse *r, const struct uop *u, bool room, bool retry);
enum reuse_outcome wir_outcome(const struct reuse *r, const struct uop *u);
enum reuse_progress wir_round(struct reuse *r, const struct uop *u, struct reuse_round *out);
void wir_retire(struct reuse *r, const struct uop *u);
unsigned wir_mapped(const struct reuse *r, unsigned warp, unsigned reg);
void wir_released(struct reuse *r, unsigned first);
bool wir_busy(const struct reuse *r);
void wir_tick(struct reuse *r, uint64_t n);
void wir_account(struct reuse *r, uint64_t upto);
const char *wir_describe(const struct reuse *r, const struct uop *u, struct arena *a);
const char *wir_end(struct reuse *r);

#endif
