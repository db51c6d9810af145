/* Memory and events that several processes use: one gives a handle away, by whatever way, others open it. A handle is
 * 64 bytes, CUDA's own size. It can be opened until the process that gave it ends, or frees the memory or event. Memory
 * that was opened before keeps its contents when that process ends; when it is freed, the address stays and the
 * contents are zero, which CUDA leaves undefined. */
#ifndef REGLOOM_CUDA_IPC_H
#define REGLOOM_CUDA_IPC_H

#include "runtime-model/cuda/core/core.h"

#pragma GCC visibility push(default)

enum { CU_HANDLE_BYTES = 64 };
bool cu_ipc_can(uint64_t addr); /* it is in memory of cu_alloc(), of CU_DEVICE, and no graph's */
/* Of the memory that holds addr. INVALID_VALUE: it cannot; OPERATING_SYSTEM: the program has closed its file */
enum cu_status cu_ipc_share(char h[CU_HANDLE_BYTES], uint64_t addr);
/* INVALID_HANDLE: it was not made with CU_EVENT_INTERPROCESS, or by another process */
enum cu_status cu_ipc_share_event(char h[CU_HANDLE_BYTES], struct cu_event *e);
/* INVALID_VALUE: it is no such handle; INVALID_CONTEXT: of this process itself; MAP_FAILED: it was freed, or its
 * process ended. Memory is at the same address until it has been closed as often as opened; it is of CU_IMPORTED. */
enum cu_status cu_ipc_open(uint64_t *addr, const char h[CU_HANDLE_BYTES]);
enum cu_status cu_ipc_open_event(struct cu_event **e, const char h[CU_HANDLE_BYTES]);
enum cu_status cu_ipc_close(uint64_t addr, bool *last); /* INVALID_VALUE: it was not opened; last: it is gone now */

#pragma GCC visibility pop

#endif
