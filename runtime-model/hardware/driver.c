/* A real GPU, through NVIDIA's driver interface. The library is loaded at run time, so that no CUDA is needed to build
 * or to install; its types are written out here. */
#include "runtime-model/hardware/hardware.h"

#include <dlfcn.h>
#include <string.h>

/* of CUDA's cuda.h: attributes of devices and functions, options of the compiler, statuses */
enum {
	DEVICE_CLOCK_KHZ = 13,
	DEVICE_SMS = 16,
	DEVICE_MEMORY_KHZ = 36,
	DEVICE_BUS_BITS = 37,
	DEVICE_L2_BYTES = 38,
	DEVICE_THREADS_PER_SM = 39,
	DEVICE_MAJOR = 75,
	DEVICE_MINOR = 76,
	DEVICE_SHARED_PER_SM = 81,
	DEVICE_REGISTERS_PER_SM = 82,
	DEVICE_CTAS_PER_SM = 106,
	FUNCTION_SHARED = 1,
	FUNCTION_LOCAL = 3,
	FUNCTION_REGISTERS = 4,
	FUNCTION_MAX_DYNAMIC = 8,
	STATUS_NO_DEVICE = 100,
	STATUS_UNAVAILABLE = 46,
	STATUS_NOT_FOUND = 500
};
#define PARAM_POINTER ((void *)1)
#define PARAM_SIZE ((void *)2)

struct driver {
#define DRIVER(name, takes) int(*name) takes;
#include "runtime-model/hardware/driver.def"
#undef DRIVER
	void *library;
	int device;
	void *from, *to; /* events around a launch */
	unsigned seconds;
	struct hardware_code *code;
	struct piece *piece;
};

struct hardware_code {
	void *module;
	const char *name;
	struct hardware_code *next;
};

struct piece {
	uint64_t addr;
	struct piece *next;
};

static bool fails(struct hardware *h, int status, const char *what)
{
	struct driver *v = h->ctx;
	const char *text = NULL;

	if (!status)
		return false;
	if (v->cuGetErrorName(status, &text) || !text)
		text = "a status that it does not name";
	diag_error_plain(h->d, h->name, "%s: the driver says %s", what, text);
	return true;
}

/* Does PTX go on with an addition, subtraction or product of floats that names no rounding? Then its mnemonic is so
 * long, else 0. */
static size_t unrounded(const char *text)
{
	static const char *const op[] = { "add", "sub", "mul" };
	const size_t mnemonic = 3;
	const char *type = text + mnemonic;

	for (unsigned i = 0; i < 3; i++) {
		if (strncmp(text, op[i], mnemonic) != 0)
			continue;
		while (strncmp(type, ".ftz", 4) == 0 || strncmp(type, ".sat", 4) == 0)
			type += 4;
		return strncmp(type, ".f", 2) == 0 || strncmp(type, ".bf", 3) == 0 ? mnemonic : 0;
	}
	return 0;
}

/* PTX may join a product and a sum that name no rounding, which our engine never does; .rn, which is what they mean,
 * keeps them apart. Other images stay as they are. */
static char *rounded(struct hardware *h, const char *image, size_t bytes)
{
	char *text = arena_alloc(h->a, 2 * bytes + 1, 16), *to = text;

	if (memchr(image, 0, bytes)) {
		memcpy(text, image, bytes);
		return text;
	}
	for (size_t i = 0; i < bytes; i++) {
		const bool begins = !i || strchr(" \t\n;{}", image[i - 1]);
		const size_t n = begins && bytes - i > 16 ? unrounded(image + i) : 0;

		memcpy(to, image + i, n ? n : 1);
		to += n ? n : 1;
		if (n)
			to = stpcpy(to, ".rn");
		i += n ? n - 1 : 0;
	}
	*to = 0;
	return text;
}

static struct hardware_code *load(struct hardware *h, const void *image, size_t bytes, const char *name)
{
	struct driver *v = h->ctx;
	struct hardware_code *c = new(h->a, struct hardware_code);

	c->name = name;
	if (fails(h, v->cuModuleLoadDataEx(&c->module, rounded(h, image, bytes), 0, NULL, NULL), name))
		return NULL;
	c->next = v->code;
	v->code = c;
	return c;
}

static bool function(struct hardware *h, const struct hardware_code *c, const char *name, void **out)
{
	struct driver *v = h->ctx;

	return !fails(h, v->cuModuleGetFunction(out, c->module, name), name);
}

static bool kernel(struct hardware *h, struct hardware_code *c, const char *name, struct hardware_kernel *out)
{
	static const int attribute[3] = { FUNCTION_REGISTERS, FUNCTION_SHARED, FUNCTION_LOCAL };
	struct driver *v = h->ctx;
	int value[3];
	void *f;

	if (!function(h, c, name, &f))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (fails(h, v->cuFuncGetAttribute(&value[i], attribute[i], f), name))
			return false;
	*out = (struct hardware_kernel){ (unsigned)value[0], (uint64_t)value[1], (uint64_t)value[2] };
	return true;
}

static bool variable(struct hardware *h, struct hardware_code *c, const char *name, uint64_t *addr, uint64_t *bytes)
{
	struct driver *v = h->ctx;
	size_t n = 0;
	const int status = v->cuModuleGetGlobal_v2(addr, &n, c->module, name);

	*bytes = n;
	if (status == STATUS_NOT_FOUND)
		return false;
	return !fails(h, status, name);
}

static uint64_t alloc(struct hardware *h, uint64_t bytes)
{
	struct driver *v = h->ctx;
	struct piece *p = new(h->a, struct piece);

	if (fails(h, v->cuMemAlloc_v2(&p->addr, bytes), "memory for it") ||
	    fails(h, v->cuMemsetD8_v2(p->addr, 0, bytes), "clearing its memory"))
		return 0;
	p->next = v->piece;
	v->piece = p;
	return p->addr;
}

static bool write_memory(struct hardware *h, uint64_t addr, const void *from, uint64_t bytes)
{
	struct driver *v = h->ctx;

	return !bytes || !fails(h, v->cuMemcpyHtoD_v2(addr, from, bytes), "writing its memory");
}

static bool read_memory(struct hardware *h, void *to, uint64_t addr, uint64_t bytes)
{
	struct driver *v = h->ctx;

	return !bytes || !fails(h, v->cuMemcpyDtoH_v2(to, addr, bytes), "reading its memory");
}

static bool launch(struct hardware *h, struct hardware_code *c, const struct hardware_launch *l, double *ns)
{
	struct driver *v = h->ctx;
	size_t bytes = l->param_bytes;
	void *extra[] = { PARAM_POINTER, (void *)(uintptr_t)l->param, PARAM_SIZE, &bytes, NULL };
	float ms = 0;
	void *f;
	int status;

	if (!function(h, c, l->kernel, &f))
		return false;
	if (l->dynamic_shared &&
	    fails(h, v->cuFuncSetAttribute(f, FUNCTION_MAX_DYNAMIC, (int)l->dynamic_shared), l->kernel))
		return false;
	hardware_watch(l->kernel, v->seconds);
	status = v->cuEventRecord(v->from, NULL);
	if (!status)
		status = v->cuLaunchKernel(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
					   l->dynamic_shared, NULL, NULL, bytes ? extra : NULL);
	if (!status)
		status = v->cuEventRecord(v->to, NULL);
	if (!status)
		status = v->cuEventSynchronize(v->to);
	hardware_watch(l->kernel, 0);
	if (!status)
		status = v->cuEventElapsedTime(&ms, v->from, v->to);
	if (ns)
		*ns = (double)ms * 1e6;
	return !fails(h, status, l->kernel);
}

static void reset(struct hardware *h)
{
	struct driver *v = h->ctx;

	for (; v->piece; v->piece = v->piece->next)
		v->cuMemFree_v2(v->piece->addr);
	for (; v->code; v->code = v->code->next)
		v->cuModuleUnload(v->code->module);
}

static void close_driver(struct hardware *h)
{
	struct driver *v = h->ctx;

	reset(h);
	v->cuEventDestroy_v2(v->from);
	v->cuEventDestroy_v2(v->to);
	v->cuDevicePrimaryCtxRelease_v2(v->device);
}

static bool find(struct driver *v, struct diag *d)
{
	const char *missing = NULL;

	v->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!v->library)
		return diag_error_plain(d, "libcuda.so.1",
					"there is no NVIDIA driver here (%s); regloom-run puts the model in its place: "
					"regloom-run --machine rtx3080 --sm 86 --rf baseline regloom-gpu ...",
					dlerror());
#define DRIVER(name, takes)                            \
	*(void **)&v->name = dlsym(v->library, #name); \
	missing = v->name ? missing : #name;
#include "runtime-model/hardware/driver.def"
#undef DRIVER
	if (missing)
		return diag_error_plain(d, "libcuda.so.1", "this driver is too old: it has no %s", missing);
	return true;
}

static unsigned attribute(struct hardware *h, int which)
{
	struct driver *v = h->ctx;
	int value = 0;

	return v->cuDeviceGetAttribute(&value, which, v->device) || value < 0 ? 0 : (unsigned)value;
}

static void describe(struct hardware *h)
{
	h->sm = attribute(h, DEVICE_MAJOR) * 10 + attribute(h, DEVICE_MINOR);
	h->sms = attribute(h, DEVICE_SMS);
	h->sm_mhz = attribute(h, DEVICE_CLOCK_KHZ) / 1000;
	h->memory_mhz = attribute(h, DEVICE_MEMORY_KHZ) / 1000;
	h->bus_bits = attribute(h, DEVICE_BUS_BITS);
	h->threads_per_sm = attribute(h, DEVICE_THREADS_PER_SM);
	h->ctas_per_sm = attribute(h, DEVICE_CTAS_PER_SM);
	h->registers_per_sm = attribute(h, DEVICE_REGISTERS_PER_SM);
	h->shared_per_sm = attribute(h, DEVICE_SHARED_PER_SM);
	h->l2 = attribute(h, DEVICE_L2_BYTES);
}

static bool open_device(struct hardware *h, unsigned index)
{
	struct driver *v = h->ctx;
	char *name = arena_alloc(h->a, 256, 1);
	int n = 0, version = 0, status = v->cuInit(0);
	void *context;

	if (status == STATUS_NO_DEVICE)
		return diag_error_plain(h->d, h->name, "the driver finds no device");
	if (fails(h, status, "starting it") || fails(h, v->cuDriverGetVersion(&version), "its version") ||
	    fails(h, v->cuDeviceGetCount(&n), "counting devices"))
		return false;
	h->driver = arena_printf(h->a, "CUDA %d.%d", version / 1000, version % 1000 / 10);
	if (index >= (unsigned)n)
		return diag_error_plain(h->d, h->name, "there is no device %u: the driver has %d", index, n);
	if (fails(h, v->cuDeviceGet(&v->device, (int)index), "the device") ||
	    fails(h, v->cuDeviceGetName(name, 256, v->device), "its name"))
		return false;
	h->name = name;
	describe(h);
	if (h->sm < HARDWARE_SM)
		return diag_error_plain(h->d, name, "is too old: compute capability %u.%u, and 7.5 is the least",
					h->sm / 10, h->sm % 10);
	status = v->cuDevicePrimaryCtxRetain(&context, v->device);
	if (status == STATUS_UNAVAILABLE)
		return diag_error_plain(h->d, name, "is in use by another process, which has it for itself");
	return !fails(h, status, "a context") && !fails(h, v->cuCtxSetCurrent(context), "a context") &&
	       !fails(h, v->cuEventCreate(&v->from, 0), "an event") &&
	       !fails(h, v->cuEventCreate(&v->to, 0), "an event");
}

bool hardware_driver(struct hardware *h, unsigned index, unsigned seconds, struct arena *a, struct diag *d)
{
	static const struct hardware_ops ops = { load,        kernel, variable, alloc,       write_memory,
						 read_memory, launch, reset,    close_driver };
	struct driver *v = new(a, struct driver);

	*h = (struct hardware){ .ops = &ops, .ctx = v, .a = a, .d = d, .name = "libcuda.so.1" };
	v->seconds = seconds;
	return find(v, d) && open_device(h, index);
}
