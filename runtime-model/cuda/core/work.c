/* Work on a stream: a call makes an op, which is done at once or, if its stream is being captured, becomes a node of a
 * graph. */
#include "runtime-model/cuda/core/graph.h"

enum cu_status cu_op_run(const struct op *o, struct cu_stream *s)
{
	struct cu_launch launch;

	switch (o->kind) {
	case OP_EMPTY:
		return CU_OK;
	case OP_KERNEL:
		launch = o->launch;
		launch.stream = s;
		return cu_launch(&launch);
	case OP_COPY:
		return cu_copy(&o->copy.to, &o->copy.from, &o->copy.box, o->copy.way, s);
	case OP_FILL:
		return cu_fill(o->fill.addr, o->fill.pitch, o->fill.rows, o->fill.value, o->fill.element, &o->fill.box,
			       s);
	case OP_HOST:
		return cu_stream_host(s, o->host.f, o->host.data);
	case OP_RECORD:
		return cu_event_record(o->event, s);
	case OP_WAIT:
		return cu_stream_wait(s, o->event);
	case OP_FREE:
		return cu_graph_owns(o->memory.addr) ? cu_sticky() : o->memory.release(o->memory.addr);
	case OP_ALLOC: /* whoever asks does it */
	case OP_GRAPH: /* exec.c */
	case OP_CONDITIONAL:
		break;
	}
	return CU_NOT_SUPPORTED;
}

enum cu_status cu_op_issue(const struct op *o, struct cu_stream *s)
{
	struct op copy = *o;
	bool taken = false;
	enum cu_status st = cu_start();

	if (st != CU_OK)
		return st;
	if (!cu_stream_valid(s))
		return o->kind == OP_KERNEL ? cu_op_run(o, s) : CU_INVALID_HANDLE;
	st = cu_capture_op(&copy, s, &taken);
	return taken ? st : cu_op_run(o, s);
}
