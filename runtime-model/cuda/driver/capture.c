/* Capturing streams (../core/capture.c), and objects that graphs hold. */
#include "runtime-model/cuda/driver/driver.h"

static CUresult begin(CUstream s, CUgraph g, const CUgraphNode *before, size_t n, int mode)
{
	READY();
	return told(cu_capture_begin(s, mode, g, before, n));
}

OF_STREAM(cuStreamBeginCapture, (CUstream s), (s), (OWN(s)), { return begin(s, NULL, NULL, 0, CAPTURE_GLOBAL); })
OF_STREAM(cuStreamBeginCapture_v2, (CUstream s, int mode), (s, mode), (OWN(s), mode),
	  { return begin(s, NULL, NULL, 0, mode); })
OF_STREAM(cuStreamBeginCaptureToGraph,
	  (CUstream s, CUgraph g, const CUgraphNode *before, const struct edge *data, size_t n, int mode),
	  (s, g, before, data, n, mode), (OWN(s), g, before, data, n, mode), {
		  (void)data;
		  return g ? begin(s, g, before, n, mode) : CU_INVALID_VALUE;
	  })

OF_STREAM(cuStreamEndCapture, (CUstream s, CUgraph *g), (s, g), (OWN(s), g), {
	READY();
	return told(cu_capture_end(s, g));
})

static CUresult ask(CUstream s, int *state, unsigned long long *id, CUgraph *g, const CUgraphNode **before,
		    const struct edge **data, size_t *n)
{
	const void *edges = NULL;
	CUresult r;

	READY();
	r = told(cu_capture_ask(s, state, id, g, before, data ? &edges : NULL, n));
	if (edges)
		*data = edges;
	return r;
}

OF_STREAM(cuStreamIsCapturing, (CUstream s, int *state), (s, state), (OWN(s), state),
	  { return ask(s, state, NULL, NULL, NULL, NULL, NULL); })
OF_STREAM(cuStreamGetCaptureInfo, (CUstream s, int *state, unsigned long long *id), (s, state, id), (OWN(s), state, id),
	  { return ask(s, state, id, NULL, NULL, NULL, NULL); })
OF_STREAM(cuStreamGetCaptureInfo_v2,
	  (CUstream s, int *state, unsigned long long *id, CUgraph *g, const CUgraphNode **before, size_t *n),
	  (s, state, id, g, before, n), (OWN(s), state, id, g, before, n),
	  { return ask(s, state, id, g, before, NULL, n); })
OF_STREAM(cuStreamGetCaptureInfo_v3,
	  (CUstream s, int *state, unsigned long long *id, CUgraph *g, const CUgraphNode **before,
	   const struct edge **data, size_t *n),
	  (s, state, id, g, before, data, n), (OWN(s), state, id, g, before, data, n),
	  { return ask(s, state, id, g, before, data, n); })

static CUresult depend(CUstream s, const CUgraphNode *node, size_t n, unsigned flags)
{
	READY();
	return flags > 1 ? CU_INVALID_VALUE : told(cu_capture_depend(s, node, n, flags));
}

OF_STREAM(cuStreamUpdateCaptureDependencies, (CUstream s, const CUgraphNode *node, size_t n, unsigned flags),
	  (s, node, n, flags), (OWN(s), node, n, flags), { return depend(s, node, n, flags); })
OF_STREAM(cuStreamUpdateCaptureDependencies_v2,
	  (CUstream s, const CUgraphNode *node, const struct edge *data, size_t n, unsigned flags),
	  (s, node, data, n, flags), (OWN(s), node, data, n, flags), {
		  (void)data;
		  return depend(s, node, n, flags);
	  })

API(cuThreadExchangeStreamCaptureMode, int *mode) { return told(cu_capture_mode(mode)); }

/* ---- objects ---- */
typedef struct CUuserObject_st *CUuserObject;

API(cuUserObjectCreate, CUuserObject *out, void *data, void (*destroy)(void *), unsigned count, unsigned flags)
{
	STARTED();
	return flags == 1 ? told(cu_object_create(out, data, destroy, count)) : CU_INVALID_VALUE;
}

API(cuUserObjectRetain, CUuserObject o, unsigned count)
{
	STARTED();
	return told(cu_object_retain(o, count));
}

API(cuUserObjectRelease, CUuserObject o, unsigned count)
{
	STARTED();
	return told(cu_object_release(o, count));
}

API(cuGraphRetainUserObject, CUgraph g, CUuserObject o, unsigned count, unsigned flags)
{
	STARTED();
	return flags & ~1u ? CU_INVALID_VALUE : told(cu_graph_retain(g, o, count, flags));
}

API(cuGraphReleaseUserObject, CUgraph g, CUuserObject o, unsigned count)
{
	STARTED();
	return told(cu_graph_release(g, o, count));
}
