/* Executable graphs, graphs' memory and the objects that they hold: NVIDIA's interface to ../core/work.h. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

_Static_assert((int)cudaGraphInstantiateFlagAutoFreeOnLaunch == EXEC_AUTO_FREE &&
		       (int)cudaGraphInstantiateFlagUpload == EXEC_UPLOAD &&
		       (int)cudaGraphInstantiateFlagDeviceLaunch == EXEC_DEVICE &&
		       (int)cudaGraphInstantiateFlagUseNodePriority == EXEC_PRIORITY &&
		       (int)cudaGraphInstantiateInvalidStructure == INSTANTIATE_STRUCTURE &&
		       (int)cudaGraphInstantiateConditionalHandleUnused == INSTANTIATE_HANDLE_UNUSED &&
		       (int)cudaGraphExecUpdateErrorTopologyChanged == UPDATE_TOPOLOGY &&
		       (int)cudaGraphExecUpdateErrorNodeTypeChanged == UPDATE_KIND &&
		       (int)cudaGraphExecUpdateErrorParametersChanged == UPDATE_PARAMETERS &&
		       (int)cudaGraphExecUpdateErrorNotSupported == UPDATE_NOT_SUPPORTED,
	       "the same numbers");

/* ---- memory of graphs ---- */
cudaError_t cudaDeviceGraphMemTrim(int device) { return done(device_check(device)); }

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType what, void *value)
{
	enum cu_status s = device_check(device);
	uint64_t now, high;

	FAIL_IF(!value || (unsigned)what > cudaGraphMemAttrReservedMemHigh, INVALID_VALUE);
	if (s == CU_OK) {
		cu_graph_memory(&now, &high, false);
		memcpy(value,
		       what == cudaGraphMemAttrUsedMemCurrent || what == cudaGraphMemAttrReservedMemCurrent ? &now
													    : &high,
		       sizeof now);
	}
	return done(s);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType what, void *value)
{
	enum cu_status s = device_check(device);
	uint64_t v, now;

	FAIL_IF(!value || (what != cudaGraphMemAttrUsedMemHigh && what != cudaGraphMemAttrReservedMemHigh),
		INVALID_VALUE);
	memcpy(&v, value, sizeof v);
	FAIL_IF(v, INVALID_VALUE); /* a mark can only be set anew */
	if (s == CU_OK)
		cu_graph_memory(&now, &v, true);
	return done(s);
}

/* ---- user objects ---- */
cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *data, cudaHostFn_t destroy, unsigned count,
				 unsigned flags)
{
	FAIL_IF(flags != cudaUserObjectNoDestructorSync, INVALID_VALUE);
	return done(cu_object_create(out, data, destroy, count));
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t o, unsigned count) { return done(cu_object_retain(o, count)); }
cudaError_t cudaUserObjectRelease(cudaUserObject_t o, unsigned count) { return done(cu_object_release(o, count)); }

cudaError_t cudaGraphRetainUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned count, unsigned flags)
{
	FAIL_IF(flags & ~(unsigned)cudaGraphUserObjectMove, INVALID_VALUE);
	return done(cu_graph_retain(g, o, count, flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned count)
{
	return done(cu_graph_release(g, o, count));
}

/* ---- executable graphs ---- */
#ifdef CUDART11
/* The log stays empty: what is wrong is said elsewhere. */
cudaError_t cuda11_instantiate(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphNode_t *wrong, char *log, size_t bytes)
{
	int why;

	if (log && bytes)
		*log = 0;
	return done(cu_exec_create(out, g, 0, wrong ? &why : NULL, wrong));
}
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags)
{
	return done(cu_exec_create(out, g, flags, NULL, NULL));
}
#endif
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags)
{
	return done(cu_exec_create(out, g, flags, NULL, NULL));
}

STREAM_FN(cudaGraphInstantiateWithParams, (out, g, p), cudaGraphExec_t *out, cudaGraph_t g,
	  cudaGraphInstantiateParams *p)
{
	enum cu_status s;
	int why;

	FAIL_IF(!p, INVALID_VALUE);
	s = cu_exec_create(out, g, p->flags, &why, &p->errNode_out);
	p->result_out = (cudaGraphInstantiateResult)why;
	return done(s);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { return done(cu_exec_destroy(e)); }

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t e, unsigned long long *flags)
{
	FAIL_IF(!flags, INVALID_VALUE);
	return done(cu_exec_flags(e, flags));
}

#ifdef CUDART11
cudaError_t cuda11_update(cudaGraphExec_t e, cudaGraph_t g, cudaGraphNode_t *wrong,
			  enum cudaGraphExecUpdateResult *result)
{
	cudaGraphNode_t from;
	enum cu_status s;
	int why;

	FAIL_IF(!wrong || !result, INVALID_VALUE);
	s = cu_exec_update(e, g, &why, wrong, &from);
	*result = (enum cudaGraphExecUpdateResult)why;
	return done(s);
}
#else
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info)
{
	cudaGraphExecUpdateResultInfo r = { 0 };
	enum cu_status s;
	int why;

	FAIL_IF(!info, INVALID_VALUE);
	s = cu_exec_update(e, g, &why, &r.errorNode, &r.errorFromNode);
	r.result = (enum cudaGraphExecUpdateResult)why;
	*info = r;
	return done(s);
}
#endif

STREAM_FN(cudaGraphLaunch, (e, OWN(s)), cudaGraphExec_t e, cudaStream_t s)
{
	return done(cu_exec_launch(e, stream_of(s)));
}

STREAM_FN(cudaGraphUpload, (e, OWN(s)), cudaGraphExec_t e, cudaStream_t s)
{
	enum cu_status st = cu_exec_flags(e, NULL);

	if (st != CU_OK)
		return done(st);
	FAIL_IF(cu_start() != CU_OK || !cu_stream_valid(stream_of(s)), INVALID_HANDLE);
	return done(cu_sticky());
}
