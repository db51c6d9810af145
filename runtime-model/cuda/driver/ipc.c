/* Memory and events of other processes (../core/ipc.h). */
#include "runtime-model/cuda/core/ipc.h"

#include "runtime-model/cuda/driver/driver.h"

enum { LAZY_PEER_ACCESS = 1 };
struct handle {
	char bytes[CU_HANDLE_BYTES];
};

API(cuIpcGetMemHandle, struct handle *h, CUdeviceptr addr)
{
	READY();
	return h && addr ? told(cu_ipc_share(h->bytes, addr)) : CU_INVALID_VALUE;
}

/* Memory that was opened before belongs to the context that did. */
API(cuIpcOpenMemHandle_v2, CUdeviceptr *addr, struct handle h, unsigned flags)
{
	uint64_t a = 0;
	CUresult s;

	READY();
	s = addr && flags == LAZY_PEER_ACCESS ? told(cu_ipc_open(&a, h.bytes)) : CU_INVALID_VALUE;
	if (s)
		return s;
	if (!owner(OWNED_MEMORY, a))
		own(OWNED_MEMORY, a);
	*addr = a;
	return CU_OK;
}
ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);

API(cuIpcCloseMemHandle, CUdeviceptr addr)
{
	bool last = false;
	CUresult s;

	READY();
	s = told(cu_ipc_close(addr, &last));
	if (last)
		disown(OWNED_MEMORY, addr);
	return s;
}

API(cuIpcGetEventHandle, struct handle *h, CUevent e)
{
	READY();
	return h && e ? told(cu_ipc_share_event(h->bytes, e)) : CU_INVALID_VALUE;
}

API(cuIpcOpenEventHandle, CUevent *e, struct handle h)
{
	CUresult s;

	READY();
	s = e ? told(cu_ipc_open_event(e, h.bytes)) : CU_INVALID_VALUE;
	if (!s)
		own(OWNED_EVENT, (uint64_t)(uintptr_t)*e);
	return s;
}
