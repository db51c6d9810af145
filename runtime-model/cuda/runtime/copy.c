/* Copies and fills, in all their forms: each makes one op with two sides and a box. */
#include "runtime-model/cuda/runtime/rt.h"

_Static_assert((int)cudaMemcpyHostToHost == CU_HOST_TO_HOST && (int)cudaMemcpyHostToDevice == CU_HOST_TO_DEVICE &&
		       (int)cudaMemcpyDeviceToHost == CU_DEVICE_TO_HOST &&
		       (int)cudaMemcpyDeviceToDevice == CU_DEVICE_TO_DEVICE && (int)cudaMemcpyDefault == CU_BY_ADDRESS,
	       "the same order");

static enum cu_status way_of(enum cu_way *way, enum cudaMemcpyKind kind)
{
	*way = (enum cu_way)kind;
	return (unsigned)kind <= cudaMemcpyDefault ? CU_OK : CU_INVALID_MEMCPY_DIRECTION;
}

static struct cu_side side_line(const void *p) { return (struct cu_side){ .addr = (uintptr_t)p }; }

static struct cu_side side_rows(const void *p, size_t pitch, size_t rows)
{
	return (struct cu_side){ .addr = (uintptr_t)p, .pitch = pitch, .rows = rows };
}

static struct cu_side side_array(cudaArray_const_t a, size_t x, size_t y)
{
	return (struct cu_side){ .array = (struct cu_array *)(uintptr_t)a, .x = x, .y = y };
}

unsigned array_element(const struct cu_array *a)
{
	struct cu_array_shape s;

	return a && cu_array_shape(&s, a) == CU_OK ? s.channels * s.bits / 8 : 0;
}

/* A copy that the host waits for: not in a capture. */
static enum cu_status copy_now(const struct op *o, cudaStream_t s)
{
	enum cu_status st = cu_capture_refuses_all();

	if (st == CU_OK)
		st = op_run(o, s);
	return st != CU_OK || o->copy.way == CU_DEVICE_TO_DEVICE ? st : cu_stream_synchronize(stream_of(s));
}

static enum cu_status op_box(struct op *o, struct cu_side to, struct cu_side from, size_t width, size_t height,
			     enum cudaMemcpyKind kind)
{
	o->kind = OP_COPY;
	o->copy.to = to;
	o->copy.from = from;
	o->copy.box = (struct cu_box){ width, height, 1 };
	return way_of(&o->copy.way, kind);
}

/* DO(now or issue, the op's status): what every copy below ends with. */
#define NOW(make)                                                \
	do {                                                     \
		struct op o;                                     \
		enum cu_status st = (make);                      \
		return done(st == CU_OK ? copy_now(&o, s) : st); \
	} while (0)
#define ISSUE(make)                                              \
	do {                                                     \
		struct op o;                                     \
		enum cu_status st = (make);                      \
		return done(st == CU_OK ? op_issue(&o, s) : st); \
	} while (0)

/* ---- lines and rows ---- */
static enum cu_status op_line(struct op *o, void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	if (n && (!to || !from))
		return CU_INVALID_VALUE;
	return op_box(o, side_line(to), side_line(from), n, n ? 1 : 0, kind);
}

DEFAULT_FN(cudaMemcpy, (to, from, n, kind), void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	NOW(op_line(&o, to, from, n, kind));
}
STREAM_FN(cudaMemcpyAsync, (to, from, n, kind, OWN(s)), void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
	  cudaStream_t s)
{
	ISSUE(op_line(&o, to, from, n, kind));
}

static enum cu_status peers(int a, int b)
{
	enum cu_status s = device_check(a);

	return s == CU_OK ? device_check(b) : s;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t s)
{
	enum cu_status st = peers(to_device, from_device);

	return st == CU_OK ? cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, s) : done(st);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t n)
{
	enum cu_status st = peers(to_device, from_device);

	return st == CU_OK ? cudaMemcpy(to, from, n, cudaMemcpyDeviceToDevice) : done(st);
}

static enum cu_status op_rows(struct op *o, void *to, size_t to_pitch, const void *from, size_t from_pitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind)
{
	if (width && height && (!to || !from))
		return CU_INVALID_VALUE;
	if (width > to_pitch || width > from_pitch)
		return CU_INVALID_PITCH_VALUE;
	return op_box(o, side_rows(to, to_pitch, height), side_rows(from, from_pitch, height), width, height, kind);
}

DEFAULT_FN(cudaMemcpy2D, (to, tp, from, fp, w, h, kind), void *to, size_t tp, const void *from, size_t fp, size_t w,
	   size_t h, enum cudaMemcpyKind kind)
{
	NOW(op_rows(&o, to, tp, from, fp, w, h, kind));
}

STREAM_FN(cudaMemcpy2DAsync, (to, tp, from, fp, w, h, kind, OWN(s)), void *to, size_t tp, const void *from, size_t fp,
	  size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s)
{
	ISSUE(op_rows(&o, to, tp, from, fp, w, h, kind));
}

/* ---- arrays: offsets in bytes and rows ---- */
static enum cu_status op_to_array(struct op *o, cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
				  size_t w, size_t h, enum cudaMemcpyKind kind)
{
	if (!to || (w && h && !from))
		return CU_INVALID_VALUE;
	if (w > pitch)
		return CU_INVALID_PITCH_VALUE;
	return op_box(o, side_array(to, x, y), side_rows(from, pitch, h), w, h, kind);
}

static enum cu_status op_from_array(struct op *o, void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
				    size_t w, size_t h, enum cudaMemcpyKind kind)
{
	if (!from || (w && h && !to))
		return CU_INVALID_VALUE;
	if (w > pitch)
		return CU_INVALID_PITCH_VALUE;
	return op_box(o, side_rows(to, pitch, h), side_array(from, x, y), w, h, kind);
}

DEFAULT_FN(cudaMemcpy2DToArray, (to, x, y, from, fp, w, h, kind), cudaArray_t to, size_t x, size_t y, const void *from,
	   size_t fp, size_t w, size_t h, enum cudaMemcpyKind kind)
{
	NOW(op_to_array(&o, to, x, y, from, fp, w, h, kind));
}

STREAM_FN(cudaMemcpy2DToArrayAsync, (to, x, y, from, fp, w, h, kind, OWN(s)), cudaArray_t to, size_t x, size_t y,
	  const void *from, size_t fp, size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s)
{
	ISSUE(op_to_array(&o, to, x, y, from, fp, w, h, kind));
}

DEFAULT_FN(cudaMemcpy2DFromArray, (to, tp, from, x, y, w, h, kind), void *to, size_t tp, cudaArray_const_t from,
	   size_t x, size_t y, size_t w, size_t h, enum cudaMemcpyKind kind)
{
	NOW(op_from_array(&o, to, tp, from, x, y, w, h, kind));
}

STREAM_FN(cudaMemcpy2DFromArrayAsync, (to, tp, from, x, y, w, h, kind, OWN(s)), void *to, size_t tp,
	  cudaArray_const_t from, size_t x, size_t y, size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s)
{
	ISSUE(op_from_array(&o, to, tp, from, x, y, w, h, kind));
}

DEFAULT_FN(cudaMemcpy2DArrayToArray, (to, tx, ty, from, fx, fy, w, h, kind), cudaArray_t to, size_t tx, size_t ty,
	   cudaArray_const_t from, size_t fx, size_t fy, size_t w, size_t h, enum cudaMemcpyKind kind)
{
	FAIL_IF(!to || !from, INVALID_VALUE);
	NOW(op_box(&o, side_array(to, tx, ty), side_array(from, fx, fy), w, h, kind));
}

/* A count of bytes that runs on over the rows of arrays: the rest of a row, whole rows, the beginning of one. Each end
 * is an array, or memory if width is 0. */
struct run {
	struct cu_side side;
	uint64_t width;
};

static struct run run_array(cudaArray_const_t a, size_t x, size_t y)
{
	struct cu_array_shape s;

	if (!a || cu_array_shape(&s, (struct cu_array *)(uintptr_t)a) != CU_OK)
		return (struct run){ .width = UINT64_MAX };
	return (struct run){ side_array(a, x, y), s.width * s.channels * s.bits / 8 };
}

static uint64_t run_rest(const struct run *r) { return r->width ? r->width - r->side.x : UINT64_MAX; }

static void run_step(struct run *r, uint64_t n)
{
	if (!r->width) {
		r->side.addr += n;
		return;
	}
	r->side.x += n;
	if (r->side.x == r->width) {
		r->side.x = 0;
		r->side.y++;
	}
}

static enum cu_status copy_run(struct run to, struct run from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s,
			       bool now)
{
	if (to.width == UINT64_MAX || from.width == UINT64_MAX || (to.width && to.side.x >= to.width) ||
	    (from.width && from.side.x >= from.width))
		return CU_INVALID_VALUE;
	while (n) {
		uint64_t part = n;
		struct op o;
		enum cu_status st;

		part = run_rest(&to) < part ? run_rest(&to) : part;
		part = run_rest(&from) < part ? run_rest(&from) : part;
		st = op_box(&o, to.side, from.side, part, 1, kind);
		if (st == CU_OK)
			st = now ? copy_now(&o, s) : op_issue(&o, s);
		if (st != CU_OK)
			return st;
		run_step(&to, part);
		run_step(&from, part);
		n -= part;
	}
	return CU_OK;
}

static struct run run_memory(const void *p) { return (struct run){ .side = side_line(p) }; }

DEFAULT_FN(cudaMemcpyToArray, (to, x, y, from, n, kind), cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
	   enum cudaMemcpyKind kind)
{
	return done(copy_run(run_array(to, x, y), run_memory(from), n, kind, s, true));
}

STREAM_FN(cudaMemcpyToArrayAsync, (to, x, y, from, n, kind, OWN(s)), cudaArray_t to, size_t x, size_t y,
	  const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s)
{
	return done(copy_run(run_array(to, x, y), run_memory(from), n, kind, s, false));
}

DEFAULT_FN(cudaMemcpyFromArray, (to, from, x, y, n, kind), void *to, cudaArray_const_t from, size_t x, size_t y,
	   size_t n, enum cudaMemcpyKind kind)
{
	return done(copy_run(run_memory(to), run_array(from, x, y), n, kind, s, true));
}

STREAM_FN(cudaMemcpyFromArrayAsync, (to, from, x, y, n, kind, OWN(s)), void *to, cudaArray_const_t from, size_t x,
	  size_t y, size_t n, enum cudaMemcpyKind kind, cudaStream_t s)
{
	return done(copy_run(run_memory(to), run_array(from, x, y), n, kind, s, false));
}

DEFAULT_FN(cudaMemcpyArrayToArray, (to, tx, ty, from, fx, fy, n, kind), cudaArray_t to, size_t tx, size_t ty,
	   cudaArray_const_t from, size_t fx, size_t fy, size_t n, enum cudaMemcpyKind kind)
{
	return done(copy_run(run_array(to, tx, ty), run_array(from, fx, fy), n, kind, s, true));
}

/* ---- three dimensions: an extent in an array's elements if there is one, else in bytes ---- */
static enum cu_status side3d(struct cu_side *out, uint64_t *element, cudaArray_t a, const struct cudaPos *at,
			     const struct cudaPitchedPtr *p)
{
	if (!a == !p->ptr)
		return CU_INVALID_VALUE;
	if (a) {
		unsigned e = array_element((struct cu_array *)a);

		if (!e)
			return CU_INVALID_HANDLE;
		*out = (struct cu_side){ .array = (struct cu_array *)a, .x = at->x * e, .y = at->y, .z = at->z };
		if (*element && *element != e)
			return CU_INVALID_VALUE;
		*element = e;
	} else {
		*out = (struct cu_side){ .addr = (uintptr_t)p->ptr,
					 .pitch = p->pitch,
					 .rows = p->ysize,
					 .x = at->x,
					 .y = at->y,
					 .z = at->z };
	}
	return CU_OK;
}

enum cu_status op_copy3d(struct op *o, const struct cudaMemcpy3DParms *p)
{
	uint64_t element = 0;
	enum cu_status s;

	o->kind = OP_COPY;
	if (!p)
		return CU_INVALID_VALUE;
	s = way_of(&o->copy.way, p->kind);
	if (s == CU_OK)
		s = side3d(&o->copy.from, &element, p->srcArray, &p->srcPos, &p->srcPtr);
	if (s == CU_OK)
		s = side3d(&o->copy.to, &element, p->dstArray, &p->dstPos, &p->dstPtr);
	o->copy.box = (struct cu_box){ p->extent.width * (element ? element : 1), p->extent.height, p->extent.depth };
	for (int i = 0; i < 2 && s == CU_OK; i++) {
		const struct cu_side *side = i ? &o->copy.to : &o->copy.from;

		if (!side->array && side->pitch < o->copy.box.width &&
		    (o->copy.box.height > 1 || o->copy.box.depth > 1))
			s = CU_INVALID_PITCH_VALUE;
	}
	return s;
}

static enum cu_status op_peer3d(struct op *o, const struct cudaMemcpy3DPeerParms *p)
{
	struct cudaMemcpy3DParms q;
	enum cu_status s;

	if (!p)
		return CU_INVALID_VALUE;
	s = peers(p->srcDevice, p->dstDevice);
	q = (struct cudaMemcpy3DParms){ p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
					p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice };
	return s == CU_OK ? op_copy3d(o, &q) : s;
}

DEFAULT_FN(cudaMemcpy3D, (p), const struct cudaMemcpy3DParms *p) { NOW(op_copy3d(&o, p)); }
STREAM_FN(cudaMemcpy3DAsync, (p, OWN(s)), const struct cudaMemcpy3DParms *p, cudaStream_t s)
{
	ISSUE(op_copy3d(&o, p));
}
DEFAULT_FN(cudaMemcpy3DPeer, (p), const struct cudaMemcpy3DPeerParms *p) { NOW(op_peer3d(&o, p)); }
STREAM_FN(cudaMemcpy3DPeerAsync, (p, OWN(s)), const struct cudaMemcpy3DPeerParms *p, cudaStream_t s)
{
	ISSUE(op_peer3d(&o, p));
}

/* ---- symbols ---- */
enum cu_status op_symbol(struct op *o, const void *symbol, size_t offset, const void *other, size_t n,
			 enum cudaMemcpyKind kind, bool to_symbol)
{
	uint64_t addr, bytes;
	enum cu_status s = symbol_need(&addr, &bytes, symbol);
	const enum cudaMemcpyKind forbidden = to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;

	if (s != CU_OK)
		return s;
	if (kind == forbidden || kind == cudaMemcpyHostToHost)
		return CU_INVALID_MEMCPY_DIRECTION;
	if (offset > bytes || n > bytes - offset || (n && !other))
		return CU_INVALID_VALUE;
	addr += offset;
	return to_symbol ? op_line(o, (void *)(uintptr_t)addr, other, n, kind)
			 : op_line(o, (void *)(uintptr_t)other, (void *)(uintptr_t)addr, n, kind);
}

DEFAULT_FN(cudaMemcpyToSymbol, (symbol, from, n, offset, kind), const void *symbol, const void *from, size_t n,
	   size_t offset, enum cudaMemcpyKind kind)
{
	NOW(op_symbol(&o, symbol, offset, from, n, kind, true));
}

STREAM_FN(cudaMemcpyToSymbolAsync, (symbol, from, n, offset, kind, OWN(s)), const void *symbol, const void *from,
	  size_t n, size_t offset, enum cudaMemcpyKind kind, cudaStream_t s)
{
	ISSUE(op_symbol(&o, symbol, offset, from, n, kind, true));
}

DEFAULT_FN(cudaMemcpyFromSymbol, (to, symbol, n, offset, kind), void *to, const void *symbol, size_t n, size_t offset,
	   enum cudaMemcpyKind kind)
{
	NOW(op_symbol(&o, symbol, offset, to, n, kind, false));
}

STREAM_FN(cudaMemcpyFromSymbolAsync, (to, symbol, n, offset, kind, OWN(s)), void *to, const void *symbol, size_t n,
	  size_t offset, enum cudaMemcpyKind kind, cudaStream_t s)
{
	ISSUE(op_symbol(&o, symbol, offset, to, n, kind, false));
}

/* ---- many at once ---- */
static enum cu_status copy_batch(void *const *to, const void *const *from, const size_t *n, size_t count,
				 const struct cudaMemcpyAttributes *attr, const size_t *which, size_t nattr,
				 size_t *failed, cudaStream_t s)
{
	size_t ignored;

	if (!failed)
		failed = &ignored;
	*failed = SIZE_MAX;
	if (!to || !from || !n || !count || !attr || !which || !nattr || nattr > count || which[0] != 0 || !s ||
	    s == cudaStreamLegacy)
		return CU_INVALID_VALUE;
	for (size_t i = 1; i < nattr; i++)
		if (which[i] <= which[i - 1] || which[i] >= count)
			return CU_INVALID_VALUE;
	for (size_t i = 0; i < nattr; i++)
		if (attr[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
		    attr[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny)
			return CU_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		struct op o;
		enum cu_status st = op_line(&o, to[i], from[i], n[i], cudaMemcpyDefault);

		if (st == CU_OK)
			st = op_issue(&o, s);
		if (st != CU_OK) {
			*failed = i;
			return st;
		}
	}
	return CU_OK;
}

static enum cu_status batch_side(struct cudaMemcpy3DOperand *p, cudaArray_t *a, struct cudaPos *at,
				 struct cudaPitchedPtr *ptr, const struct cudaExtent *e)
{
	size_t row;

	switch (p->type) {
	case cudaMemcpyOperandTypePointer:
		row = p->op.ptr.rowLength ? p->op.ptr.rowLength : e->width;
		*ptr = (struct cudaPitchedPtr){ p->op.ptr.ptr, row, row,
						p->op.ptr.layerHeight ? p->op.ptr.layerHeight : e->height };
		return CU_OK;
	case cudaMemcpyOperandTypeArray:
		*a = p->op.array.array;
		*at = (struct cudaPos){ p->op.array.offset.x, p->op.array.offset.y, p->op.array.offset.z };
		return CU_OK;
	case cudaMemcpyOperandTypeMax:
		break;
	}
	return CU_INVALID_VALUE;
}

static enum cu_status copy_batch3d(size_t n, struct cudaMemcpy3DBatchOp *list, size_t *failed, unsigned long long flags,
				   cudaStream_t s)
{
	size_t ignored;

	if (!failed)
		failed = &ignored;
	*failed = SIZE_MAX;
	if (!n || !list || flags || !s || s == cudaStreamLegacy)
		return CU_INVALID_VALUE;
	for (size_t i = 0; i < n; i++) {
		struct cudaMemcpy3DParms p = { .kind = cudaMemcpyDefault, .extent = list[i].extent };
		struct op o;
		enum cu_status st = batch_side(&list[i].src, &p.srcArray, &p.srcPos, &p.srcPtr, &p.extent);

		if (st == CU_OK)
			st = batch_side(&list[i].dst, &p.dstArray, &p.dstPos, &p.dstPtr, &p.extent);
		/* Rows are counted in elements: in bytes unless an array takes part. */
		if (p.srcArray || p.dstArray) {
			const size_t e = array_element((struct cu_array *)(p.srcArray ? p.srcArray : p.dstArray));

			p.srcPtr.pitch *= e;
			p.dstPtr.pitch *= e;
		}
		if (st == CU_OK)
			st = op_copy3d(&o, &p);
		if (st == CU_OK)
			st = op_issue(&o, s);
		if (st != CU_OK) {
			*failed = i;
			return st;
		}
	}
	return CU_OK;
}

#if CUDART == 12
STREAM_FN(cudaMemcpyBatchAsync, (to, from, n, count, attr, which, nattr, failed, OWN(s)), void **to, void **from,
	  size_t *n, size_t count, struct cudaMemcpyAttributes *attr, size_t *which, size_t nattr, size_t *failed,
	  cudaStream_t s)
{
	return done(copy_batch(to, (const void *const *)from, n, count, attr, which, nattr, failed, s));
}

STREAM_FN(cudaMemcpy3DBatchAsync, (n, list, failed, flags, OWN(s)), size_t n, struct cudaMemcpy3DBatchOp *list,
	  size_t *failed, unsigned long long flags, cudaStream_t s)
{
	return done(copy_batch3d(n, list, failed, flags, s));
}
#else
STREAM_FN(cudaMemcpyBatchAsync, (to, from, n, count, attr, which, nattr, OWN(s)), void *const *to,
	  const void *const *from, const size_t *n, size_t count, struct cudaMemcpyAttributes *attr, size_t *which,
	  size_t nattr, cudaStream_t s)
{
	return done(copy_batch(to, from, n, count, attr, which, nattr, NULL, s));
}

STREAM_FN(cudaMemcpy3DBatchAsync, (n, list, flags, OWN(s)), size_t n, struct cudaMemcpy3DBatchOp *list,
	  unsigned long long flags, cudaStream_t s)
{
	return done(copy_batch3d(n, list, NULL, flags, s));
}
#endif
