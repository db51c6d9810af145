/* A GPU on which kernels of ours run and are timed: a real one, through NVIDIA's driver, or the model in this process.
 * What is asked of both in the same words can be compared. */
#ifndef REGLOOM_HARDWARE_H
#define REGLOOM_HARDWARE_H

#include "analyzer/base/diag.h"
#include "runtime-model/core/params.h"

struct hardware_launch {
	const char *kernel;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared; /* bytes */
	const void *param;       /* the parameter block, laid out as the kernel has it */
	size_t param_bytes;
};

struct hardware_kernel {
	unsigned registers;     /* of a thread */
	uint64_t shared, local; /* bytes: static of a CTA; of a thread */
};

struct hardware;
struct hardware_code;

/* Each is false, NULL or 0 with a diagnostic if it fails. */
struct hardware_ops {
	/* an image that the device takes: a cubin, PTX text or a fatbin, and how messages call it */
	struct hardware_code *(*load)(struct hardware *h, const void *image, size_t bytes, const char *name);
	bool (*kernel)(struct hardware *h, struct hardware_code *c, const char *name, struct hardware_kernel *out);
	/* a variable of the image; false without a diagnostic: there is none of that name */
	bool (*variable)(struct hardware *h, struct hardware_code *c, const char *name, uint64_t *addr,
			 uint64_t *bytes);
	uint64_t (*alloc)(struct hardware *h, uint64_t bytes); /* zeros */
	bool (*write)(struct hardware *h, uint64_t addr, const void *from, uint64_t bytes);
	bool (*read)(struct hardware *h, void *to, uint64_t addr, uint64_t bytes);
	/* to its end; ns: by the device's own clock; NULL: nobody asks, and the model does not time it */
	bool (*launch)(struct hardware *h, struct hardware_code *c, const struct hardware_launch *l, double *ns);
	void (*reset)(struct hardware *h); /* memory and images go */
	void (*close)(struct hardware *h);
};

struct hardware {
	const struct hardware_ops *ops;
	void *ctx;
	struct arena *a;
	struct diag *d;
	const char *name, *driver; /* "NVIDIA H200"; "CUDA 13.0", or what stands in its place */
	unsigned sm;               /* 90 of compute capability 9.0 */
	/* what it says of itself; 0: it does not. Clocks in MHz, L2 in bytes */
	unsigned sms, sm_mhz, memory_mhz, bus_bits, threads_per_sm, ctas_per_sm, registers_per_sm, shared_per_sm, l2;
};

/* Device number `index` of the driver, which is looked for at run time. A launch that takes longer than so many seconds
 * ends the process: nothing stops a kernel on a GPU. False with a diagnostic: no driver, no device, one that is in use
 * or too old. */
bool hardware_driver(struct hardware *h, unsigned index, unsigned seconds, struct arena *a, struct diag *d);
/* The model, as machine p of compute capability `sm`; it takes PTX and cubins. seconds: likewise; 0: it waits. */
void hardware_model(struct hardware *h, const struct params *p, unsigned sm, unsigned seconds, struct arena *a,
		    struct diag *d);
/* Ends the process after so many seconds, unless it is called again, with 0 for never. */
void hardware_watch(const char *kernel, unsigned seconds);
/* What it approximates is as in that table (engine/mufu.h), which must stay. */
struct mufu_table;
void hardware_model_mufu(struct hardware *h, const struct mufu_table *t);

/* The kernels of PTX text, compiled as ptx-annotate does, or of a cubin. src must outlive them; NULL with a
 * diagnostic. */
struct module *hardware_module(const struct source *src, struct arena *a, struct diag *d);

/* Kernels in the order of their first launches, as their code lies on a device, in the caller's arena. */
struct launched {
	const struct kernel **k;
	uint32_t n, cap;
};
void launched_add(struct launched *l, const struct kernel *k, struct arena *a);
uint32_t launched_place(const struct launched *l, const struct kernel *k); /* how many lie before it */

/* the oldest compute capability that is judged */
enum { HARDWARE_SM = 75 };

#endif
