/* The device, errors and versions, libraries, what is missing. */
#include "api.h"

#include "test/cuda_core/temporary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#define F(f) ((const void *)(uintptr_t)(f))

void test_device(void)
{
	struct cudaDeviceProp p;
	int n = -1, v = -1, least = 9, greatest = 9;
	unsigned flags = 0;
	size_t limit = 0;
	char id[32];
	enum cudaFuncCache cache;
	enum cudaSharedMemConfig banks;

	OK(cudaGetDeviceCount(&n));
	CHECK(n == 1);
	FAILS(cudaGetDeviceCount(NULL), InvalidValue);
	OK(cudaSetDevice(0));
	FAILS(cudaSetDevice(1), InvalidDevice);
	FAILS(cudaSetDevice(-1), InvalidDevice);
	OK(cudaGetDevice(&n));
	CHECK(n == 0);
	FAILS(cudaGetDevice(NULL), InvalidValue);
	OK(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
	FAILS(cudaInitDevice(1, 0, 0), InvalidDevice);
	FAILS(cudaInitDevice(0, 0, 2), InvalidValue);
	OK(cudaGetDeviceFlags(&flags));
	CHECK(flags == (cudaDeviceScheduleSpin | cudaDeviceMapHost));
	OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
	OK(cudaGetDeviceFlags(&flags));
	CHECK(flags == (cudaDeviceScheduleYield | cudaDeviceMapHost));
	FAILS(cudaSetDeviceFlags(0x400), InvalidValue);
	FAILS(cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceScheduleSpin), InvalidValue);
	FAILS(cudaGetDeviceFlags(NULL), InvalidValue);
	OK(cudaSetValidDevices(&n, 1));
	FAILS(cudaSetValidDevices(&(int){ 4 }, 1), InvalidDevice);
	FAILS(cudaSetValidDevices(NULL, 1), InvalidValue);
	/* Properties are attributes. */
	memset(&p, 0xff, sizeof p);
#if CUDART == 12
	OK(cudaGetDeviceProperties_v2(&p, 0));
#else
	OK(cudaGetDeviceProperties(&p, 0));
#endif
	CHECK(!strncmp(p.name, "regloom", 7) && p.warpSize == 32 && p.maxThreadsPerBlock == 1024 &&
	      p.totalConstMem == 65536 && p.totalGlobalMem > 1 << 20);
	CHECK(p.maxGridSize[0] == INT32_MAX && p.maxThreadsDim[2] == 64 && p.unifiedAddressing == 1 &&
	      p.sharedMemPerBlock == 49152 && p.reserved[0] == 0);
#define SAME(field, attribute)                                             \
	do {                                                               \
		OK(cudaDeviceGetAttribute(&v, cudaDevAttr##attribute, 0)); \
		CHECK((long long)p.field == v);                            \
	} while (0)
	SAME(multiProcessorCount, MultiProcessorCount);
	SAME(major, ComputeCapabilityMajor);
	SAME(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
	SAME(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
	SAME(maxTexture3D[1], MaxTexture3DHeight);
	SAME(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers);
	SAME(l2CacheSize, L2CacheSize);
	SAME(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
	SAME(clusterLaunch, ClusterLaunch);
#if CUDART == 12
	SAME(clockRate, ClockRate);
	SAME(memoryClockRate, MemoryClockRate);
	SAME(computeMode, ComputeMode);
	/* CUDA 11's are 728 bytes. */
	memset(&p, 0xff, sizeof p);
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(p.warpSize == 32 && p.reservedSharedMemPerBlock != SIZE_MAX &&
	      offsetof(struct cudaDeviceProp, reservedSharedMemPerBlock) + 8 == 728);
	for (unsigned i = 728; i < sizeof p; i++)
		CHECK(((const unsigned char *)&p)[i] == 0xff);
#else
	SAME(deviceNumaId, NumaId);
#endif
	FAILS(cudaGetDeviceProperties(&p, 1), InvalidDevice);
	FAILS(cudaGetDeviceProperties(NULL, 0), InvalidValue);
	FAILS(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 1), InvalidDevice);
	FAILS(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0), InvalidValue);
	FAILS(cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)9999, 0), InvalidValue);
	OK(cudaChooseDevice(&n, &p));
	CHECK(n == 0);
	FAILS(cudaChooseDevice(NULL, &p), InvalidValue);
	OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
	n = -1;
	OK(cudaDeviceGetByPCIBusId(&n, id));
	CHECK(n == 0);
	FAILS(cudaDeviceGetPCIBusId(id, 4, 0), InvalidValue);
	FAILS(cudaDeviceGetPCIBusId(id, sizeof id, 1), InvalidDevice);
	FAILS(cudaDeviceGetByPCIBusId(&n, "0000:77:00.0"), InvalidDevice);
	FAILS(cudaDeviceGetByPCIBusId(&n, "nowhere"), InvalidValue);
	OK(cudaDeviceGetTexture1DLinearMaxWidth(
		&limit, &(struct cudaChannelFormatDesc){ 32, 0, 0, 0, cudaChannelFormatKindFloat }, 0));
	CHECK(limit == 1u << 28);
	FAILS(cudaDeviceGetTexture1DLinearMaxWidth(&limit, NULL, 0), InvalidValue);
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(least == 0 && greatest == -5);
	/* Limits and preferences. */
	for (int i = 0; i < 7; i++) {
		OK(cudaDeviceGetLimit(&limit, (enum cudaLimit)i));
		if (i != cudaLimitMallocHeapSize)
			limit = i == cudaLimitDevRuntimeSyncDepth ? 3 : 64;
		OK(cudaDeviceSetLimit((enum cudaLimit)i, limit));
		OK(cudaDeviceGetLimit(&limit, (enum cudaLimit)i));
		CHECK(i == cudaLimitDevRuntimeSyncDepth ? limit == 3 : limit >= 64);
	}
	FAILS(cudaDeviceGetLimit(&limit, (enum cudaLimit)40), UnsupportedLimit);
	FAILS(cudaDeviceSetLimit((enum cudaLimit)40, 1), UnsupportedLimit);
	FAILS(cudaDeviceGetLimit(NULL, cudaLimitStackSize), InvalidValue);
	FAILS(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129), InvalidValue);
	OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
	OK(cudaDeviceGetCacheConfig(&cache));
	CHECK(cache == cudaFuncCachePreferShared);
	FAILS(cudaDeviceSetCacheConfig((enum cudaFuncCache)9), InvalidValue);
	FAILS(cudaDeviceGetCacheConfig(NULL), InvalidValue);
	OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
	OK(cudaDeviceGetSharedMemConfig(&banks));
	CHECK(banks == cudaSharedMemBankSizeFourByte);
	FAILS(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)9), InvalidValue);
	FAILS(cudaDeviceGetSharedMemConfig(NULL), InvalidValue);
	OK(cudaCtxResetPersistingL2Cache());
	/* There is no other one. */
	OK(cudaDeviceCanAccessPeer(&v, 0, 0));
	CHECK(v == 0);
	FAILS(cudaDeviceCanAccessPeer(&v, 0, 1), InvalidDevice);
	FAILS(cudaDeviceCanAccessPeer(NULL, 0, 0), InvalidValue);
	FAILS(cudaDeviceEnablePeerAccess(1, 0), InvalidDevice);
	FAILS(cudaDeviceEnablePeerAccess(1, 1), InvalidValue);
	FAILS(cudaDeviceDisablePeerAccess(0), PeerNotEnabled);
	FAILS(cudaDeviceDisablePeerAccess(1), InvalidDevice);
	FAILS(cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 1), InvalidDevice);
	FAILS(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1), InvalidValue);
	FAILS(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
						 cudaFlushGPUDirectRDMAWritesToOwner),
	      NotSupported);
#if CUDART == 13
	{
		enum cudaAtomicOperation op[2] = { cudaAtomicOperationIntegerAdd, cudaAtomicOperationFloatAdd };
		unsigned can[2] = { 9, 9 };

		OK(cudaDeviceGetHostAtomicCapabilities(can, op, 2, 0));
		CHECK(!can[0] && !can[1]);
		FAILS(cudaDeviceGetHostAtomicCapabilities(can, op, 0, 0), InvalidValue);
		FAILS(cudaDeviceGetP2PAtomicCapabilities(can, op, 2, 0, 1), InvalidDevice);
	}
#else
	OK(cudaThreadSetLimit(cudaLimitStackSize, 2048));
	OK(cudaThreadGetLimit(&limit, cudaLimitStackSize));
	CHECK(limit == 2048);
	OK(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
	OK(cudaThreadGetCacheConfig(&cache));
	CHECK(cache == cudaFuncCachePreferL1);
	OK(cudaThreadSynchronize());
	OK(cudaThreadExit());
	OK(cudaSetDoubleForDevice(&(double){ 1 }));
	OK(cudaSetDoubleForHost(&(double){ 1 }));
	FAILS(cudaSetDoubleForHost(NULL), InvalidValue);
#endif
	OK(cudaDeviceSynchronize());
	OK(cudaDeviceReset());
}

/* The process's options are damaged (cuda_api.sh): whoever asks is told that there is no device. */
void test_nothing(void)
{
	enum { NoDevice = 100 };
	int n = 5;
	void *p;
	cudaStream_t s;
	cudaEvent_t e;
	cudaLibrary_t l;
	struct cudaDeviceProp prop;

	FAILS(cudaGetDeviceCount(&n), NoDevice);
	CHECK(n == 0);
	FAILS(cudaSetDevice(0), NoDevice);
	FAILS(cudaGetDeviceProperties(&prop, 0), NoDevice);
	FAILS(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0), NoDevice);
	FAILS(cudaMalloc(&p, 4), NoDevice);
	FAILS(cudaMallocHost(&p, 4), NoDevice);
	FAILS(cudaMallocManaged(&p, 4, cudaMemAttachGlobal), NoDevice);
	FAILS(cudaMallocAsync(&p, 4, NULL), NoDevice);
	FAILS(cudaFree(NULL), NoDevice);
	FAILS(cudaMemcpy(&n, &n, 4, cudaMemcpyHostToHost), NoDevice);
	FAILS(cudaMemcpyAsync(&n, &n, 4, cudaMemcpyHostToHost, NULL), NoDevice);
	FAILS(cudaMemset(&n, 0, 4), NoDevice);
	FAILS(cudaMemcpyToSymbol(table_shadow, &n, 4, 0, cudaMemcpyHostToDevice), NoDevice);
	FAILS(cudaStreamCreate(&s), NoDevice);
	FAILS(cudaStreamSynchronize(NULL), NoDevice);
	FAILS(cudaEventCreate(&e), NoDevice);
	FAILS(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(1, 1, 1), NULL, 0, NULL), NoDevice);
	FAILS(cudaLibraryLoadData(&l, kernels, NULL, NULL, 0, NULL, NULL, 0), NoDevice);
	FAILS(cudaDeviceSynchronize(), NoDevice);
	FAILS(cudaDeviceReset(), NoDevice);
	CHECK(!__cudaInitModule(image_handle));
}

static void *other_thread(void *unused)
{
	(void)unused;
	OK(cudaGetLastError()); /* errors belong to threads */
	IS(cudaMalloc(NULL, 1), InvalidValue);
	return NULL;
}

void test_errors(void)
{
	int v = 0;
	pthread_t t;
	void *f = NULL;
	enum cudaDriverEntryPointQueryResult found;

	CHECK(!strcmp(cudaGetErrorName(0), "cudaSuccess") && !strcmp(cudaGetErrorString(0), "no error"));
	CHECK(!strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") &&
	      !strcmp(cudaGetErrorString(700), "an illegal memory access was encountered"));
	CHECK(!strcmp(cudaGetErrorString(2), "out of memory") &&
	      !strcmp(cudaGetErrorString(9), "invalid configuration argument"));
	CHECK(!strcmp(cudaGetErrorName(12345), "unrecognized error code") &&
	      !strcmp(cudaGetErrorString(-1), "unrecognized error code"));
	IS(cudaMalloc(NULL, 1), InvalidValue);
	IS(cudaSetDevice(5), InvalidDevice);
	OK(cudaSetDevice(0)); /* success forgets nothing */
	CHECK(!pthread_create(&t, NULL, other_thread, NULL) && !pthread_join(t, NULL));
	IS(cudaPeekAtLastError(), InvalidDevice);
	IS(cudaGetLastError(), InvalidDevice);
	OK(cudaPeekAtLastError());
	OK(cudaRuntimeGetVersion(&v));
	CHECK(v / 1000 == CUDART);
	OK(cudaDriverGetVersion(&v));
	CHECK(v >= CUDART * 1000);
	FAILS(cudaRuntimeGetVersion(NULL), InvalidValue);
	FAILS(cudaDriverGetVersion(NULL), InvalidValue);
	OK(cudaProfilerStart());
	OK(cudaProfilerStop());
	f = &v;
	found = (enum cudaDriverEntryPointQueryResult)9;
	OK(cudaGetDriverEntryPoint("cuNoSuchFunction", &f, cudaEnableDefault, &found));
	CHECK(!f && found == cudaDriverEntryPointSymbolNotFound);
	OK(cudaGetDriverEntryPoint("cuInit", &f, cudaEnableDefault, &found));
	CHECK(f && found == cudaDriverEntryPointSuccess);
	if (f) {
		int (*init)(unsigned);

		memcpy(&init, &f, sizeof init);
		IS(init(0), Success);
	}
	OK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &f, 12000, cudaEnableLegacyStream, NULL));
	FAILS(cudaGetDriverEntryPoint(NULL, &f, cudaEnableDefault, &found), InvalidValue);
	FAILS(cudaGetDriverEntryPointByVersion("cuInit", NULL, 12000, cudaEnableDefault, &found), InvalidValue);
}

void test_libraries(void)
{
	cudaLibrary_t l = NULL, m = NULL;
	cudaKernel_t k = NULL, all[16];
	unsigned n = 0, *x, one = 1, count = 4;
	void *p = NULL;
	size_t bytes = 0;
	const char *name;
	char path[4096], *copy = strdup(kernels);
	const void *image = make_fatbin(kernels, LZ4);
	FILE *file;

	OK(cudaMalloc((void **)&x, 16));
	OK(cudaMemset(x, 1, 16));
	OK(cudaLibraryLoadData(&l, copy, NULL, NULL, 0, NULL, NULL, 0));
	memset(copy, 'x', strlen(copy)); /* it need not last */
	free(copy);
	OK(cudaLibraryGetKernel(&k, l, "axpy"));
	OK(cudaLaunchKernel(k, d(1, 1, 1), d(4, 1, 1), ARGS(&x, &x, &one, &count), 0, NULL));
	CHECK(first_word(x) == 0x02020202);
	OK(cudaFuncGetName(&name, k));
	CHECK(!strcmp(name, "axpy"));
	FAILS(cudaLibraryGetKernel(&k, l, "nothing"), NotFound);
	FAILS(cudaLibraryGetKernel(NULL, l, "axpy"), InvalidValue);
	FAILS(cudaLibraryGetKernel(&k, (cudaLibrary_t)&n, "axpy"), InvalidHandle);
	OK(cudaLibraryGetKernelCount(&n, l));
	CHECK(n == 9);
	FAILS(cudaLibraryGetKernelCount(NULL, l), InvalidValue);
	OK(cudaLibraryEnumerateKernels(all, 16, l));
	for (unsigned i = 0; i < n; i++)
		OK(cudaFuncGetName(&name, all[i]));
	FAILS(cudaLibraryEnumerateKernels(NULL, 16, l), InvalidValue);
	OK(cudaLibraryGetGlobal(&p, &bytes, l, "counter"));
	CHECK(p && bytes == 4 && first_word(p) == 5);
	FAILS(cudaLibraryGetGlobal(&p, &bytes, l, "nothing"), NotFound);
	FAILS(cudaLibraryGetGlobal(NULL, NULL, l, "counter"), InvalidValue);
	FAILS(cudaLibraryGetManaged(&p, &bytes, l, "counter"), NotFound);
	/* From a file, and a fatbin. */
	CHECK(temporary(path));
	file = fopen(path, "w");
	CHECK(file && fputs(kernels, file) >= 0 && !fclose(file));
	OK(cudaLibraryLoadFromFile(&m, path, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryUnload(m));
	FAILS(cudaLibraryUnload(m), InvalidHandle);
	CHECK(!unlink(path));
	FAILS(cudaLibraryLoadFromFile(&m, path, NULL, NULL, 0, NULL, NULL, 0), FileNotFound);
	OK(cudaLibraryLoadData(&m, fatbin_of(image), NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&k, m, "axpy"));
	OK(cudaLaunchKernel(k, d(1, 1, 1), d(4, 1, 1), ARGS(&x, &x, &one, &count), 0, NULL));
	CHECK(first_word(x) == 0x04040404);
	OK(cudaLibraryUnload(m));
	/* it went with its library */
	FAILS(cudaLaunchKernel(k, d(1, 1, 1), d(4, 1, 1), ARGS(&x, &x, &one, &count), 0, NULL), InvalidDeviceFunction);
	IS(cudaLibraryLoadData(&m, ".version 8.0\n.target sm_80\nrubbish\n", NULL, NULL, 0, NULL, NULL, 0), InvalidPtx);
	cudaGetLastError();
	FAILS(cudaLibraryLoadData(NULL, image, NULL, NULL, 0, NULL, NULL, 0), InvalidValue);
	FAILS(cudaLibraryLoadData(&m, image, NULL, NULL, 1, NULL, NULL, 0), InvalidValue);
	OK(cudaLibraryUnload(l));
	FAILS(cudaLibraryUnload(NULL), InvalidHandle);
	OK(cudaFree(x));
	free((void *)(uintptr_t)fatbin_of(image));
	free((void *)(uintptr_t)image);
}

/* Every name that is missing, called with zeroes: says its name and fails. */
void test_missing(void)
{
	static const char *const names[] = {
#undef ONLY12
#undef ONLY13
#if CUDART == 12
#define ONLY12(...) __VA_ARGS__
#define ONLY13(...)
#else
#define ONLY12(...)
#define ONLY13(...) __VA_ARGS__
#endif
#define FN(versions, chapter, name, types)
#define FX(versions, chapter, type, name, types)
#define NO(versions, chapter, name) versions(#name, )
#include "runtime-model/cuda/runtime/cudart.def"
	};
	typedef cudaError_t any(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		void *p = dlsym(RTLD_DEFAULT, names[i]);
		any *f;

		memcpy(&f, &p, sizeof f);
		CHECK(p);
		if (p)
			FAILS(f(0, 0, 0, 0, 0, 0, 0, 0), NotSupported);
		fprintf(stderr, "called %s\n", names[i]);
	}
}
