/* Memory and events of other processes (../core/ipc.h). */
#include "runtime-model/cuda/core/ipc.h"

#include "runtime-model/cuda/runtime/rt.h"

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *h, void *p)
{
	FAIL_IF(!h || !p, INVALID_VALUE);
	return done(cu_ipc_share(h->reserved, (uintptr_t)p));
}

cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t h, unsigned flags)
{
	uint64_t addr;
	enum cu_status s;

	FAIL_IF(!p || flags != cudaIpcMemLazyEnablePeerAccess, INVALID_VALUE);
	s = cu_ipc_open(&addr, h.reserved);
	if (s == CU_OK)
		*p = (void *)(uintptr_t)addr;
	return done(s);
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
	bool last;

	return done(cu_ipc_close((uintptr_t)p, &last));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *h, cudaEvent_t e)
{
	FAIL_IF(!h || !e, INVALID_VALUE);
	return done(cu_ipc_share_event(h->reserved, (struct cu_event *)e));
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *e, cudaIpcEventHandle_t h)
{
	struct cu_event *opened;
	enum cu_status s;

	FAIL_IF(!e, INVALID_VALUE);
	s = cu_ipc_open_event(&opened, h.reserved);
	if (s == CU_OK)
		*e = (cudaEvent_t)opened;
	return done(s);
}
