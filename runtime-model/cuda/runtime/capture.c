/* Capturing streams: NVIDIA's interface to ../core/capture.c. */
#include "runtime-model/cuda/runtime/rt.h"

_Static_assert((int)cudaStreamCaptureModeGlobal == CAPTURE_GLOBAL &&
		       (int)cudaStreamCaptureModeThreadLocal == CAPTURE_THREAD &&
		       (int)cudaStreamCaptureModeRelaxed == CAPTURE_RELAXED &&
		       (int)cudaStreamCaptureStatusActive == CAPTURE_ACTIVE &&
		       (int)cudaStreamCaptureStatusInvalidated == CAPTURE_INVALIDATED,
	       "the same numbers");

STREAM_FN(cudaStreamBeginCapture, (OWN(s), mode), cudaStream_t s, enum cudaStreamCaptureMode mode)
{
	return done(cu_capture_begin(stream_of(s), (int)mode, NULL, NULL, 0));
}

STREAM_FN(cudaStreamBeginCaptureToGraph, (OWN(s), g, before, data, n, mode), cudaStream_t s, cudaGraph_t g,
	  const cudaGraphNode_t *before, const cudaGraphEdgeData *data, size_t n, enum cudaStreamCaptureMode mode)
{
	(void)data;
	FAIL_IF(!g, INVALID_VALUE);
	return done(cu_capture_begin(stream_of(s), (int)mode, g, before, n));
}

STREAM_FN(cudaStreamEndCapture, (OWN(s), out), cudaStream_t s, cudaGraph_t *out)
{
	return done(cu_capture_end(stream_of(s), out));
}

/* ---- asking ---- */
static enum cu_status ask(cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,
			  const cudaGraphNode_t **before, const cudaGraphEdgeData **data, size_t *n)
{
	const void *edges = NULL;
	int state = CAPTURE_NONE;
	enum cu_status st =
		cu_capture_ask(stream_of(s), status ? &state : NULL, id, g, before, data ? &edges : NULL, n);

	if (edges)
		*data = edges;
	if (status && (st == CU_OK || edges))
		*status = (enum cudaStreamCaptureStatus)state;
	return st;
}

STREAM_FN(cudaStreamIsCapturing, (OWN(s), status), cudaStream_t s, enum cudaStreamCaptureStatus *status)
{
	return done(ask(s, status, NULL, NULL, NULL, NULL, NULL));
}

static cudaError_t set_dependencies(cudaStream_t s, const cudaGraphNode_t *node, size_t n, unsigned flags)
{
	FAIL_IF(flags > cudaStreamSetCaptureDependencies, INVALID_VALUE);
	return done(cu_capture_depend(stream_of(s), node, n, flags == cudaStreamSetCaptureDependencies));
}

#define WHOLE                                                                                         \
	cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g, \
		const cudaGraphNode_t **before, const cudaGraphEdgeData **data, size_t *n
#if CUDART == 12
STREAM_FN(cudaStreamGetCaptureInfo, (OWN(s), status, id), cudaStream_t s, enum cudaStreamCaptureStatus *status,
	  unsigned long long *id)
{
	return done(ask(s, status, id, NULL, NULL, NULL, NULL));
}
STREAM_FN(cudaStreamGetCaptureInfo_v2, (OWN(s), status, id, g, before, n), cudaStream_t s,
	  enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **before,
	  size_t *n)
{
	return done(ask(s, status, id, g, before, NULL, n));
}
STREAM_FN(cudaStreamGetCaptureInfo_v3, (OWN(s), status, id, g, before, data, n), WHOLE)
{
	return done(ask(s, status, id, g, before, data, n));
}
STREAM_FN(cudaStreamUpdateCaptureDependencies, (OWN(s), node, n, flags), cudaStream_t s, cudaGraphNode_t *node,
	  size_t n, unsigned int flags)
{
	return set_dependencies(s, node, n, flags);
}
STREAM_FN(cudaStreamUpdateCaptureDependencies_v2, (OWN(s), node, data, n, flags), cudaStream_t s, cudaGraphNode_t *node,
	  const cudaGraphEdgeData *data, size_t n, unsigned int flags)
{
	(void)data;
	return set_dependencies(s, node, n, flags);
}
#else
STREAM_FN(cudaStreamGetCaptureInfo, (OWN(s), status, id, g, before, data, n), WHOLE)
{
	return done(ask(s, status, id, g, before, data, n));
}
STREAM_FN(cudaStreamUpdateCaptureDependencies, (OWN(s), node, data, n, flags), cudaStream_t s, cudaGraphNode_t *node,
	  const cudaGraphEdgeData *data, size_t n, unsigned int flags)
{
	(void)data;
	return set_dependencies(s, node, n, flags);
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	int m = mode ? (int)*mode : -1;
	enum cu_status s = cu_capture_mode(&m);

	if (s == CU_OK)
		*mode = (enum cudaStreamCaptureMode)m;
	return done(s);
}
