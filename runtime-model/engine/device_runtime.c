/* What kernels ask of the device's runtime: launches (CUDA dynamic parallelism, as of CUDA 12: no kernel waits for what
 * it launches), and values of the conditions of graphs. A kernel gets
 * a buffer for the parameters, on the heap, writes them, and launches; what it has launched waits until its grid has
 * ended, which the programming guide allows of all streams but the tail's, where it demands it. Then the owner of the
 * device does it, in the order in which it was asked for: streams and events demand nothing more.
 *
 * An error is the result of the call, and of cudaGetLastError() until the next of the grid's calls of that. */
#include "runtime-model/engine/host.h"

#include <string.h>

enum { PARAM_ROOM = 4096, PENDING_MOST = 2048, STREAM_TAIL = 3, FIRST_HANDLE = 16, THREADS_MAX = 1024 };
/* The most that may wait is the default of cudaLimitDevRuntimePendingLaunchCount; of cudaError_t: */
enum { SUCCESS = 0, INVALID_VALUE = 1, MEMORY_ALLOCATION = 2, INVALID_CONFIGURATION = 9, PENDING_EXCEEDED = 69 };

static const char not_served[] =
	"launches from kernels, and what else the device's runtime does, are served to programs "
	"alone (regloom-run):";

/* A buffer that has been given, and waits for its launch. */
struct buffer {
	uint64_t at;
	struct device_request launch;
};

struct requests {
	struct arena a; /* of what waits */
	struct device_request *waiting;
	uint32_t nwaiting, waiting_cap, launches;
	struct buffer *buffer;
	uint32_t nbuffer, buffer_cap;
	uint64_t handles;
	uint32_t error;
	bool (*is_condition)(uint64_t handle);
};

void device_serve_requests(struct device *dev, bool (*is_condition)(uint64_t handle))
{
	dev->requests = new(&dev->a, struct requests);
	dev->requests->is_condition = is_condition;
}

void requests_free(struct device *dev)
{
	if (dev->requests)
		arena_free(&dev->requests->a);
}

struct device_request *device_requests(struct device *dev, uint32_t *n, struct arena *a)
{
	struct requests *q = dev->requests;
	struct device_request *all;

	*n = q->nwaiting;
	all = new_array(a, struct device_request, (size_t)*n + 1);
	for (uint32_t i = 0; i < *n; i++) {
		all[i] = q->waiting[i];
		all[i].param = arena_alloc(a, all[i].param_bytes + 1u, 16);
		if (all[i].param_bytes)
			memcpy((void *)(uintptr_t)all[i].param, q->waiting[i].param, all[i].param_bytes);
	}
	for (uint32_t i = 0; i < q->nbuffer; i++)
		heap_free(dev, q->buffer[i].at);
	arena_free(&q->a);
	*q = (struct requests){ .handles = q->handles, .is_condition = q->is_condition };
	return all;
}

static void add(struct requests *q, struct device_request r)
{
	arena_grow(&q->a, q->waiting, q->nwaiting, q->waiting_cap);
	q->waiting[q->nwaiting++] = r;
}

/* Three numbers: argument s is their address in local memory or, of machine code, the first of them, as in the ABI. */
static bool read_vector(const struct lane_call *h, unsigned s, uint32_t v[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t word;

		if (h->e->k->native)
			word = h->w->reg[(uint32_t)h->x->src[s] + i * WARP_LANES + h->lane];
		else if (!host_read(h, space_window(SP_LOCAL) + host_argument(h, s, false) + 4 * i, 4, &word))
			return false;
		v[i] = (uint32_t)word;
	}
	return true;
}

bool host_parameters(const struct lane_call *h)
{
	struct requests *q = h->e->dev->requests;
	struct buffer b = { .launch = { .kind = REQUEST_LAUNCH,
					.kernel = host_argument(h, 0, true),
					.shared = (uint32_t)host_argument(h, 3, false) } };

	if (!q)
		return host_fault(h, FAULT_ILLEGAL, not_served, b.launch.kernel);
	if (!read_vector(h, 1, b.launch.grid) || !read_vector(h, 2, b.launch.block))
		return false;
	b.at = heap_alloc(h->e->dev, PARAM_ROOM);
	if (b.at) {
		device_unwritten(h->e->dev, b.at, PARAM_ROOM);
		arena_grow(&q->a, q->buffer, q->nbuffer, q->buffer_cap);
		q->buffer[q->nbuffer++] = b;
	} else {
		q->error = MEMORY_ALLOCATION;
	}
	host_result(h, b.at, true);
	return true;
}

static bool is_shape(const struct device_request *r)
{
	const uint64_t threads = (uint64_t)r->block[0] * r->block[1];

	return r->grid[0] && r->grid[1] && r->grid[2] && threads && threads <= THREADS_MAX && r->block[2] &&
	       threads * r->block[2] <= THREADS_MAX;
}

static uint32_t launch(const struct lane_call *h, uint64_t at, uint64_t stream)
{
	struct requests *q = h->e->dev->requests;
	uint32_t i = q->nbuffer;
	struct device_request r;
	unsigned char *param;

	while (i && q->buffer[i - 1].at != at)
		i--;
	if (!i)
		return INVALID_VALUE;
	r = q->buffer[i - 1].launch;
	q->buffer[i - 1] = q->buffer[--q->nbuffer];
	if (is_shape(&r) && q->launches < PENDING_MOST) {
		param = arena_alloc(&q->a, PARAM_ROOM, 16);
		memcpy(param, host_byte(h, at), PARAM_ROOM);
		for (r.param_bytes = PARAM_ROOM; r.param_bytes && !param[r.param_bytes - 1];)
			r.param_bytes--;
		r.param = param;
		r.tail = stream == STREAM_TAIL;
		add(q, r);
		q->launches++;
	}
	heap_free(h->e->dev, at);
	if (!is_shape(&r))
		return INVALID_CONFIGURATION;
	return r.param ? SUCCESS : PENDING_EXCEEDED;
}

/* What a function that gives a number through a pointer gives. */
static bool put(const struct lane_call *h, uint64_t at, unsigned bytes, uint64_t v, uint32_t *status)
{
	*status = v || bytes < 8 ? SUCCESS : MEMORY_ALLOCATION;
	return host_write(h, at, bytes, v);
}

static bool serve(const struct lane_call *h, enum host_function f, uint32_t *status)
{
	const uint64_t a = host_argument(h, 1, true), b = host_argument(h, 2, true), c = host_argument(h, 3, true);
	struct requests *q = h->e->dev->requests;
	uint64_t at;

	*status = SUCCESS;
	switch (f) {
	case HOST_launch:
		*status = launch(h, a, b);
		return true;
	case HOST_copy:
		add(q, (struct device_request){ .kind = REQUEST_COPY, .to = a, .from = b, .bytes = c });
		return true;
	case HOST_fill:
		add(q, (struct device_request){ .kind = REQUEST_FILL, .to = a, .from = b & 0xff, .bytes = c });
		return true;
	case HOST_new_stream:
	case HOST_new_event:
		return put(h, a, 8, FIRST_HANDLE + q->handles++, status);
	case HOST_device:
		return put(h, a, 4, 0, status);
	case HOST_devices:
		return put(h, a, 4, 1, status);
	case HOST_device_malloc:
		at = heap_alloc(h->e->dev, b);
		if (at)
			device_unwritten(h->e->dev, at, b);
		return put(h, a, 8, at, status);
	case HOST_device_free:
		*status = heap_free(h->e->dev, a) ? SUCCESS : INVALID_VALUE;
		return true;
	case HOST_condition:
		if (!q->is_condition(a))
			return host_fault(h, FAULT_RESOURCE, "no graph has the conditional handle", a);
		add(q, (struct device_request){ .kind = REQUEST_CONDITION, .to = a, .from = b });
		return true;
	case HOST_last_error: /* host_device() says it */
	case HOST_peek_error:
	case HOST_end_stream: /* streams and events are numbers, and what is asked of them has happened */
	case HOST_stream_wait:
	case HOST_record:
	case HOST_end_event:
	case HOST_printf: /* have rows of their own */
	case HOST_assertfail:
	case HOST_malloc:
	case HOST_free:
	case HOST_parameters:
	case HOST_COUNT:
		break;
	}
	return true;
}

bool host_device(const struct lane_call *h)
{
	struct requests *q = h->e->dev->requests;
	const enum host_function f = (enum host_function)h->x->rpc;
	uint32_t status;

	if (!q)
		return host_fault(h, FAULT_ILLEGAL, not_served, f);
	if (!serve(h, f, &status))
		return false;
	if (status)
		q->error = status;
	if (f == HOST_last_error || f == HOST_peek_error)
		status = q->error;
	if (f == HOST_last_error)
		q->error = SUCCESS;
	if (*host_info[f].sizes != '-')
		host_result(h, status, false);
	return true;
}
