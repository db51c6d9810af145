/* Work on a stream: a call makes an op, which is done at once or, if its stream is being captured, becomes a node of a graph. */
#include "runtime-model/cuda/runtime/rt.h"

struct cu_stream *stream_of(cudaStream_t s) { return (struct cu_stream *)s; }

enum cu_status op_run(const struct op *o, cudaStream_t s)
{
	struct cu_stream *on = stream_of(s);
	struct cu_launch launch;

	switch (o->kind) {
	case OP_EMPTY: return CU_OK;
	case OP_KERNEL:
		launch = o->launch;
		launch.stream = on;
		return cu_launch(&launch);
	case OP_COPY: return cu_copy(&o->copy.to, &o->copy.from, &o->copy.box, o->copy.way, on);
	case OP_FILL: return cu_fill(o->fill.addr, o->fill.pitch, o->fill.rows, o->fill.value, o->fill.element, &o->fill.box, on);
	case OP_HOST: return cu_stream_host(on, o->host.f, o->host.data);
	case OP_RECORD: return cu_event_record(o->event, on);
	case OP_WAIT: return cu_stream_wait(on, o->event);
	case OP_FREE: return pool_free(o->memory.addr, CU_DEVICE);
	case OP_ALLOC:                                  /* graph.c and pool.c do these two themselves */
	case OP_GRAPH: break;
	}
	return CU_NOT_SUPPORTED;
}

enum cu_status op_issue(const struct op *o, cudaStream_t s)
{
	bool taken = false;
	enum cu_status st = cu_start();

	if (st != CU_OK)
		return st;
	if (!cu_stream_valid(stream_of(s)))
		return CU_INVALID_HANDLE;
	st = capture_op(o, s, &taken);
	return taken ? st : op_run(o, s);
}
