/* A call that the host serves for one lane. */
#ifndef REGLOOM_HOST_H
#define REGLOOM_HOST_H

#include "runtime-model/engine/core.h"

struct lane_call {
	struct engine *e;
	struct cta *c;
	struct warp *w;
	const struct xinsn *x;
	unsigned lane;
};

uint64_t host_argument(const struct lane_call *h, unsigned s, bool wide);
void host_result(const struct lane_call *h, uint64_t v, bool wide);
/* Always false; `what`, and the address behind it. */
bool host_fault(const struct lane_call *h, enum fault_kind kind, const char *what, uint64_t at);
/* The byte at a generic address; NULL: there is none. */
unsigned char *host_byte(const struct lane_call *h, uint64_t at);
/* n bytes, at most 8, from a generic address, or to one. False: a fault, reported. */
bool host_read(const struct lane_call *h, uint64_t at, unsigned n, uint64_t *v);
bool host_write(const struct lane_call *h, uint64_t at, unsigned n, uint64_t v);

/* ---- device_runtime.c ---- */
bool host_parameters(const struct lane_call *h);
bool host_device(const struct lane_call *h);

#endif
