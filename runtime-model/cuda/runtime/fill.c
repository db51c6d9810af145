/* Fills: memset in one, two and three dimensions, of bytes. */
#include "runtime-model/cuda/runtime/rt.h"

static enum cu_status op_fill(struct op *o, struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
	if (e.width && e.height && e.depth && !p.ptr)
		return CU_INVALID_VALUE;
	if (e.height * e.depth > 1 && p.pitch < e.width)
		return CU_INVALID_PITCH_VALUE;
	o->kind = OP_FILL;
	o->fill.addr = (uintptr_t)p.ptr;
	o->fill.pitch = p.pitch;
	o->fill.rows = p.ysize;
	o->fill.value = (unsigned char)value;
	o->fill.element = 1;
	o->fill.box = (struct cu_box){ e.width, e.height, e.depth };
	return CU_OK;
}

static enum cu_status fill_now(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t s)
{
	struct op o;
	enum cu_status st = op_fill(&o, p, value, e);

	if (st == CU_OK)
		st = cu_capture_refuses_all();
	return st == CU_OK ? op_run(&o, s) : st;
}

static enum cu_status fill_issue(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t s)
{
	struct op o;
	enum cu_status st = op_fill(&o, p, value, e);

	return st == CU_OK ? op_issue(&o, s) : st;
}

#define LINE(p, n) \
	(struct cudaPitchedPtr){ p, n, n, 1 }, value, (struct cudaExtent) { n, 1, 1 }
#define ROWS(p, pitch, w, h) \
	(struct cudaPitchedPtr){ p, pitch, w, h }, value, (struct cudaExtent) { w, h, 1 }

DEFAULT_FN(cudaMemset, (p, value, n), void *p, int value, size_t n) { return done(fill_now(LINE(p, n), s)); }
STREAM_FN(cudaMemsetAsync, (p, value, n, OWN(s)), void *p, int value, size_t n, cudaStream_t s)
{
	return done(fill_issue(LINE(p, n), s));
}
DEFAULT_FN(cudaMemset2D, (p, pitch, value, w, h), void *p, size_t pitch, int value, size_t w, size_t h)
{
	return done(fill_now(ROWS(p, pitch, w, h), s));
}
STREAM_FN(cudaMemset2DAsync, (p, pitch, value, w, h, OWN(s)), void *p, size_t pitch, int value, size_t w, size_t h,
	  cudaStream_t s)
{
	return done(fill_issue(ROWS(p, pitch, w, h), s));
}
DEFAULT_FN(cudaMemset3D, (p, value, e), struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
	return done(fill_now(p, value, e, s));
}
STREAM_FN(cudaMemset3DAsync, (p, value, e, OWN(s)), struct cudaPitchedPtr p, int value, struct cudaExtent e,
	  cudaStream_t s)
{
	return done(fill_issue(p, value, e, s));
}
