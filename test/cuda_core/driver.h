/* The names of the driver interface that are called, and what its test programs share. */
#ifndef TEST_CUDA_DRIVER_H
#define TEST_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long ptr;
extern int cuInit(unsigned), cuDriverGetVersion(int *), cuGetErrorName(int, const char **),
	cuGetErrorString(int, const char **);
extern int cuDeviceGet(int *, int), cuDeviceGetCount(int *), cuDeviceGetName(char *, int, int),
	cuDeviceGetAttribute(int *, int, int), cuDeviceTotalMem_v2(size_t *, int);
extern int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *), cuCtxGetCurrent(void **),
	cuCtxSetCurrent(void *), cuCtxPopCurrent_v2(void **), cuCtxPushCurrent_v2(void *);
extern int cuCtxSynchronize(void), cuDevicePrimaryCtxRetain(void **, int), cuDevicePrimaryCtxRelease_v2(int),
	cuCtxSetLimit(int, size_t), cuCtxGetLimit(size_t *, int), cuCtxGetDevice(int *);
extern int cuMemAlloc_v2(ptr *, size_t), cuMemFree_v2(ptr), cuMemcpyHtoD_v2(ptr, const void *, size_t),
	cuMemcpyDtoH_v2(void *, ptr, size_t), cuMemsetD32_v2(ptr, unsigned, size_t);
extern int cuMemAllocManaged(ptr *, size_t, unsigned), cuMemHostAlloc(void **, size_t, unsigned), cuMemFreeHost(void *),
	cuPointerGetAttribute(void *, int, ptr), cuMemGetInfo_v2(size_t *, size_t *);
extern int cuMemAllocPitch_v2(ptr *, size_t *, size_t, size_t, unsigned),
	cuMemsetD2D8_v2(ptr, size_t, unsigned char, size_t, size_t), cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *);
extern int cuModuleLoad(void **, const char *), cuModuleLoadData(void **, const void *), cuModuleUnload(void *),
	cuModuleGetFunction(void **, void *, const char *);
extern int cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **);
extern int cuModuleGetGlobal_v2(ptr *, size_t *, void *, const char *), cuFuncGetAttribute(int *, int, void *),
	cuFuncSetAttribute(void *, int, int), cuModuleGetFunctionCount(unsigned *, void *);
extern int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
			  void **);
extern int cuLaunchKernel_ptsz(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
			       void **, void **);
extern int cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *), cuStreamSynchronize(void *),
	cuEventCreate(void **, unsigned), cuEventRecord(void *, void *);
extern int cuEventElapsedTime(float *, void *, void *), cuEventSynchronize(void *),
	cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t);
extern int cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *), cuMemcpy2D_v2(const void *);
extern int cuLibraryLoadData(void **, const void *, int *, void **, unsigned, int *, void **, unsigned),
	cuLibraryLoadFromFile(void **, const char *, int *, void **, unsigned, int *, void **, unsigned);
extern int cuLibraryUnload(void *), cuLibraryGetModule(void **, void *),
	cuLibraryGetKernel(void **, void *, const char *), cuLibraryGetKernelCount(unsigned *, void *);
extern int cuLibraryEnumerateKernels(void **, unsigned, void *),
	cuLibraryGetGlobal(ptr *, size_t *, void *, const char *),
	cuLibraryGetManaged(ptr *, size_t *, void *, const char *);
extern int cuKernelGetFunction(void **, void *), cuKernelGetLibrary(void **, void *),
	cuKernelGetName(const char **, void *), cuKernelGetParamInfo(void *, size_t, size_t *, size_t *);
extern int cuKernelGetAttribute(int *, int, void *, int), cuKernelSetAttribute(int, int, void *, int),
	cuKernelSetCacheConfig(void *, int, int), cuFuncIsLoaded(int *, void *), cuFuncLoad(void *);
extern int cuLinkCreate_v2(unsigned, int *, void **, void **),
	cuLinkAddData_v2(void *, int, void *, size_t, const char *, unsigned, int *, void **),
	cuLinkAddFile_v2(void *, int, const char *, unsigned, int *, void **);
extern int cuLinkComplete(void *, void **, size_t *), cuLinkDestroy(void *),
	cuModuleEnumerateFunctions(void **, unsigned, void *), cuFuncGetName(const char **, void *),
	cuFuncGetModule(void **, void *);
extern int cuArrayCreate_v2(void **, const void *), cuArray3DCreate_v2(void **, const void *),
	cuArrayGetDescriptor_v2(void *, void *), cuArray3DGetDescriptor_v2(void *, void *), cuArrayDestroy(void *);
extern int cuArrayGetPlane(void **, void *, unsigned), cuArrayGetSparseProperties(void *, void *),
	cuMemcpyHtoA_v2(void *, size_t, const void *, size_t), cuMemcpyAtoH_v2(void *, void *, size_t, size_t);
extern int cuMemcpyDtoA_v2(void *, size_t, ptr, size_t), cuMemcpyAtoD_v2(ptr, void *, size_t, size_t),
	cuMemcpyAtoA_v2(void *, size_t, void *, size_t, size_t);
extern int cuMemcpyHtoAAsync_v2(void *, size_t, const void *, size_t, void *),
	cuMemcpyAtoHAsync_v2_ptsz(void *, void *, size_t, size_t, void *),
	cuMemcpyAtoH_v2_ptds(void *, void *, size_t, size_t);
extern int cuTexObjectCreate(ptr *, const void *, const void *, const void *), cuTexObjectDestroy(ptr),
	cuTexObjectGetResourceDesc(void *, ptr), cuTexObjectGetTextureDesc(void *, ptr);
extern int cuTexObjectGetResourceViewDesc(void *, ptr), cuSurfObjectCreate(ptr *, const void *),
	cuSurfObjectDestroy(ptr), cuSurfObjectGetResourceDesc(void *, ptr);
extern int cuStreamGetCtx(void *, void **), cuStreamGetCtx_v2(void *, void **, void **),
	cuStreamGetDevice(void *, int *), cuStreamAttachMemAsync(void *, ptr, size_t, unsigned);
extern int cuPointerGetAttributes(unsigned, int *, void **, ptr), cuMemAdvise(ptr, size_t, int, int),
	cuMemPrefetchAsync(ptr, size_t, int, void *), cuMemcpyPeer(ptr, void *, ptr, void *, size_t);
struct location {
	int kind, id;
};
extern int cuMemAdvise_v2(ptr, size_t, int, struct location),
	cuMemPrefetchAsync_v2(ptr, size_t, struct location, unsigned, void *), cuMemcpy3DPeer(const void *);
extern int cuDeviceGetByPCIBusId(int *, const char *), cuDeviceGetPCIBusId(char *, int, int),
	cuDeviceGetProperties(void *, int), cuDeviceGetP2PAttribute(int *, int, int, int);
extern int cuCtxSetFlags(unsigned), cuCtxGetFlags(unsigned *), cuCtxAttach(void **, unsigned),
	cuCtxGetDevice_v2(int *, void *), cuCtxSynchronize_v2(void *), cuCtxEnablePeerAccess(void *, unsigned);
extern int cuCtxDisablePeerAccess(void *), cuCtxResetPersistingL2Cache(void),
	cuOccupancyAvailableDynamicSMemPerBlock(size_t *, void *, int, int), cuEventDestroy_v2(void *),
	cuDevicePrimaryCtxReset_v2(int);
struct ipc {
	char bytes[64];
};
extern int cuIpcGetMemHandle(struct ipc *, ptr), cuIpcOpenMemHandle_v2(ptr *, struct ipc, unsigned),
	cuIpcOpenMemHandle(ptr *, struct ipc, unsigned), cuIpcCloseMemHandle(ptr),
	cuIpcGetEventHandle(struct ipc *, void *), cuIpcOpenEventHandle(void **, struct ipc), cuEventQuery(void *);

extern unsigned checks, wrong;
void is(long long got, long long want, const char *what, int line);
#define IS(x, want) is((long long)(x), (long long)(want), #x, __LINE__)
#define CHECK(x) is((x) != 0, 1, #x, __LINE__)
void *module(const char *folder); /* of kernels.ptx */
void *context(void);

extern int cuDeviceGetLuid(char *, unsigned *, int), cuDeviceTotalMem(unsigned *, int),
	cuDeviceGetTexture1DLinearMaxWidth(size_t *, int, unsigned, int), cuPointerSetAttribute(const void *, int, ptr);
extern int cuDeviceGetHostAtomicCapabilities(unsigned *, const int *, unsigned, int),
	cuDeviceGetP2PAtomicCapabilities(unsigned *, const int *, unsigned, int, int);
extern int cuDeviceGetExecAffinitySupport(int *, int, int), cuCtxRecordEvent(void *, void *),
	cuCtxWaitEvent(void *, void *), cuStreamDestroy(void *), cuEventDestroy(void *);
extern int cuMemsetD32Async(ptr, unsigned, size_t, void *);
extern int cuOccupancyMaxActiveClusters(int *, void *, const void *),
	cuOccupancyMaxPotentialClusterSize(int *, void *, const void *);

void images(const char *folder), libraries(const char *folder), linking(const char *folder),
	textures(const char *folder), captures(const char *folder), graphs(const char *folder),
	pools(const char *folder), mappings(const char *folder), unmapped(const char *folder),
	mipmaps(const char *folder), processes(const char *folder), by_files(const char *folder);
void native(const char *folder), versions(const char *folder), damaged(const char *folder);
void clusters(const char *folder), no_clusters(const char *folder), room_of_clusters(const char *folder);

#endif
