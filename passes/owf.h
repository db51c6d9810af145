/* The order in which registers are shared between the warps of two CTAs (Jatala, Anantpur, Karkare, HPDC 2016): a
 * register of a higher rank is touched later. Hardware that shares s registers of a thread shares those of the s
 * highest ranks; a warp owns the first ones alone, and needs the others from the first instruction on that names one of
 * them. passes/owf.c says how ranks are chosen. */
#ifndef REGLOOM_OWF_H
#define REGLOOM_OWF_H

#include <stdint.h>

struct kernel;

struct owf {
	uint32_t n; /* registers that the kernel has: their ranks are 0 .. n - 1, each once */
	/* of register n and those above, which the kernel does not name: their number */
	uint8_t rank[256];
};

uint32_t owf_registers(const struct kernel *k); /* the n of a kernel in machine form */
extern const uint8_t owf_by_number[256];        /* rank[r] == r: as the allocator numbered them */
/* Share of a thread's instructions, weighted by k->freq, before which it can have touched no register of rank `own` or
 * above. */
double owf_before(const struct kernel *k, const uint8_t rank[256], uint32_t own);

#endif
