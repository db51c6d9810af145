/* Registration, launches, what is known of kernels, occupancy; faults of kernels, and what later calls say. */
#include "api.h"

#include <pthread.h>

#define F(f) ((const void *)(uintptr_t)(f))

static unsigned word = 1;

void test_registration(void)
{
	cudaKernel_t k = NULL, l = NULL;
	cudaFunction_t f = NULL;
	cudaStream_t s = (cudaStream_t)5;
	size_t shared = 0;
	dim3 grid, block;
	unsigned *x, one = 1;

	OK(__cudaGetKernel(&k, F(axpy)));
	OK(cudaGetKernel(&l, F(axpy)));
	CHECK(k && k == l);
	FAILS(cudaGetKernel(&k, F(stranger)), InvalidDeviceFunction);
	FAILS(cudaGetKernel(NULL, F(axpy)), InvalidValue);
	OK(cudaGetFuncBySymbol(&f, F(axpy)));
	FAILS(cudaGetFuncBySymbol(&f, F(stranger)), InvalidDeviceFunction);
	FAILS(cudaGetFuncBySymbol(&f, F(absent)), InvalidDeviceFunction);
	CHECK(__cudaInitModule(image_handle));
	CHECK(managed_shadow && *managed_shadow == 7);
	/* <<< >>> */
	FAILS(__cudaPopCallConfiguration(&grid, &block, &shared, &s), MissingConfiguration);
	CHECK(__cudaPushCallConfiguration(d(1, 2, 3), d(4, 5, 6), 7, cudaStreamPerThread) == 0);
	CHECK(__cudaPushCallConfiguration(d(9, 9, 9), d(9, 9, 9), 0, NULL) == 0);
	OK(__cudaPopCallConfiguration(&grid, &block, &shared, &s));
	CHECK(grid.x == 9 && block.z == 9 && !shared && !s);
	OK(__cudaPopCallConfiguration(&grid, &block, &shared, &s));
	CHECK(grid.x == 1 && grid.y == 2 && grid.z == 3 && block.x == 4 && block.y == 5 && block.z == 6 &&
	      shared == 7 && s == cudaStreamPerThread);
	FAILS(__cudaPopCallConfiguration(&grid, &block, &shared, &s), MissingConfiguration);
	/* A kernel by its handle. */
	OK(cudaMalloc((void **)&x, 256));
	OK(cudaMemset(x, 1, 256));
	OK(__cudaLaunchKernel(l, d(1, 1, 1), d(32, 1, 1), ARGS(&x, &x, &one, &one), 0, NULL));
	CHECK(first_word(x) == 0x02020202);
	OK(cudaLaunchKernel(l, d(1, 1, 1), d(32, 1, 1), ARGS(&x, &x, &one, &one), 0, NULL));
	CHECK(first_word(x) == 0x04040404);
	OK(cudaFree(x));
	for (int i = 0; i < 40; i++)
		if (__cudaPushCallConfiguration(d(1, 1, 1), d(1, 1, 1), 0, NULL)) {
			CHECK(i == 32);
			cudaGetLastError();
			break;
		}
#if CUDART == 12
	__cudaRegisterTexture(image_handle, &one, NULL, "t", 2, 0, 0);
	__cudaRegisterSurface(image_handle, &one, NULL, "s", 2, 0);
#endif
}

/* Of kernels that there are not, by <<< >>> and by attributes; a launch after one that failed has that one's error. */
void test_refusals(void)
{
	cudaLaunchAttribute none = { .id = (cudaLaunchAttributeID)99 };
	cudaLaunchConfig_t c = { d(2, 1, 1), d(32, 1, 1), 0, NULL, &none, 0 };
	unsigned *x, one = 1;

	OK(cudaMalloc((void **)&x, 256));
	FAILS(cudaLaunchKernel(F(absent), d(1, 1, 1), d(32, 1, 1), NULL, 0, NULL), InvalidDeviceFunction);
	FAILS(cudaLaunchKernelExC(&c, F(absent), NULL), InvalidDeviceFunction);
	FAILS(cudaLaunchKernel(F(stranger), d(1, 1, 1), d(32, 1, 1), NULL, 0, NULL), InvalidDeviceFunction);
	FAILS(cudaLaunchKernel(NULL, d(1, 1, 1), d(32, 1, 1), NULL, 0, NULL), InvalidDeviceFunction);
	c.numAttrs = 1;
	FAILS(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &one)), InvalidValue);
	FAILS(cudaLaunchKernel(F(axpy), d(1, 1, 1), d(32, 0, 1), ARGS(&x, &x, &one, &one), 0, NULL),
	      InvalidConfiguration);
	OK(cudaLaunchKernel(F(axpy), d(1, 1, 1), d(32, 1, 1), ARGS(&x, &x, &one, &one), 0, NULL));
	OK(cudaLaunchKernel(F(traps), d(1, 1, 1), d(1, 1, 1), NULL, 0, NULL));
	IS(cudaLaunchKernel(F(absent), d(1, 1, 1), d(1, 1, 1), NULL, 0, NULL), LaunchFailure);
}

static void *configuration_of_thread(void *unused)
{
	dim3 g;
	size_t n;
	cudaStream_t s;

	(void)unused;
	IS(__cudaPopCallConfiguration(&g, &g, &n, &s), MissingConfiguration); /* that of another thread is not seen */
	IS(cudaGetLastError(), MissingConfiguration);
	return NULL;
}

static int sum;
static void add_ten(void *data) { sum += *(int *)data; }

/* Launches in clusters, of a kernel that knows nothing of them; x: n words. */
static void clusters(unsigned *x, unsigned n)
{
	cudaLaunchAttribute cluster = { .id = cudaLaunchAttributeClusterDimension, .val.clusterDim = { 2, 1, 1 } };
	cudaLaunchConfig_t c = { d(4, 1, 1), d(64, 1, 1), 0, NULL, NULL, 0 };
	struct cudaFuncAttributes a;
	unsigned one = 1;
	int fit = -1, half = -1, most = -1;

	/* How large, and how many fit. */
	FAILS(cudaOccupancyMaxActiveClusters(&fit, F(axpy), &c), InvalidClusterSize);
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	OK(cudaOccupancyMaxPotentialClusterSize(&most, F(axpy), &c));
	CHECK(most == 16);
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
	OK(cudaOccupancyMaxPotentialClusterSize(&most, F(axpy), &c));
	CHECK(most == 8);
	c.attrs = &cluster;
	c.numAttrs = 1;
	OK(cudaOccupancyMaxActiveClusters(&half, F(axpy), &c));
	cluster.val.clusterDim.x = 1;
	OK(cudaOccupancyMaxActiveClusters(&fit, F(axpy), &c));
	CHECK(half > 0 && half == fit / 2);
	c.dynamicSmemBytes = 40000;
	OK(cudaOccupancyMaxActiveClusters(&half, F(axpy), &c));
	CHECK(half > 0 && half < fit);
	c.dynamicSmemBytes = 0;
	c.blockDim.x = 0;
	FAILS(cudaOccupancyMaxActiveClusters(&fit, F(axpy), &c), InvalidValue);
	c.blockDim.x = 64;
	FAILS(cudaOccupancyMaxActiveClusters(NULL, F(axpy), &c), InvalidValue);
	FAILS(cudaOccupancyMaxPotentialClusterSize(&fit, F(axpy), NULL), InvalidValue);
	FAILS(cudaOccupancyMaxPotentialClusterSize(&fit, F(stranger), &c), InvalidDeviceFunction);
	/* Launches. */
	for (unsigned size = 0; size <= 17; size++) {
		const bool whole = size && size != 17 && 48 % size == 0, allowed = size <= 8;

		cluster.val.clusterDim.x = size;
		c.gridDim.x = 48;
		OK(cudaMemset(x, 0, n * 4));
		if (whole && allowed)
			OK(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)));
		else
			FAILS(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)), InvalidClusterSize);
		OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
		if (whole)
			OK(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)));
		else
			FAILS(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)), InvalidClusterSize);
		OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
	}
	/* A size that the function wants. */
	c.gridDim.x = 4;
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeRequiredClusterWidth, 4));
	cluster.val.clusterDim.x = 4;
	FAILS(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)), InvalidClusterSize); /* its height is none */
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeRequiredClusterHeight, 1));
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeRequiredClusterDepth, 1));
	OK(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)));
	cluster.val.clusterDim.x = 2;
	FAILS(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)), InvalidClusterSize);
	OK(cudaLaunchKernel(F(axpy), d(8, 1, 1), d(64, 1, 1), ARGS(&x, &x, &one, &n), 0, NULL));
	FAILS(cudaLaunchKernel(F(axpy), d(6, 1, 1), d(64, 1, 1), ARGS(&x, &x, &one, &n), 0, NULL), InvalidClusterSize);
	OK(cudaFuncGetAttributes(&a, F(axpy)));
	CHECK(a.requiredClusterWidth == 4 && a.requiredClusterHeight == 1 && a.requiredClusterDepth == 1 &&
	      !a.clusterDimMustBeSet);
	OK(cudaOccupancyMaxPotentialClusterSize(&most, F(axpy), &c));
	CHECK(most == 4);
	for (int what = cudaFuncAttributeRequiredClusterWidth; what <= cudaFuncAttributeRequiredClusterDepth; what++)
		OK(cudaFuncSetAttribute(F(axpy), (enum cudaFuncAttribute)what, 0));
}

void test_launches(void)
{
	unsigned *x, *out, one = 1, n = 100, bytes = 40000;
	struct cudaFuncAttributes a;
	const char *name = NULL;
	size_t offset = 0, size = 0, most = 0;
	int ctas = -1, optin, limit;
	pthread_t t;
	cudaStream_t s;
	cudaEvent_t e;
	cudaLaunchAttribute attr[3] = { { .id = cudaLaunchAttributeCooperative, .val.cooperative = 0 },
					{ .id = cudaLaunchAttributePriority, .val.priority = -1 },
					{ .id = cudaLaunchAttributeClusterDimension, .val.clusterDim = { 1, 1, 1 } } };
	cudaLaunchConfig_t c = { d(2, 1, 1), d(64, 1, 1), 0, NULL, attr, 3 };

	OK(cudaMalloc((void **)&x, 400));
	OK(cudaMalloc((void **)&out, 4));
	OK(cudaMemset(x, 0, 400));
	OK(cudaStreamCreate(&s));
	/* What a launch may be. */
	OK(cudaLaunchKernel(F(axpy), d(2, 1, 1), d(64, 1, 1), ARGS(&x, &x, &one, &n), 0, s));
	FAILS(cudaLaunchKernel(F(stranger), d(1, 1, 1), d(1, 1, 1), ARGS(&x), 0, NULL), InvalidDeviceFunction);
	FAILS(cudaLaunchKernel(F(absent), d(1, 1, 1), d(1, 1, 1), ARGS(&x), 0, NULL), InvalidDeviceFunction);
	FAILS(cudaLaunchKernel(NULL, d(1, 1, 1), d(1, 1, 1), ARGS(&x), 0, NULL), InvalidDeviceFunction);
	FAILS(cudaLaunchKernel(F(at_most_64), d(0, 1, 1), d(1, 1, 1), NULL, 0, NULL), InvalidConfiguration);
	FAILS(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(0, 1, 1), NULL, 0, NULL), InvalidConfiguration);
	FAILS(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(1025, 1, 1), NULL, 0, NULL), InvalidConfiguration);
	FAILS(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(1, 1, 65), NULL, 0, NULL), InvalidConfiguration);
	FAILS(cudaLaunchKernel(F(at_most_64), d(1, 65536, 1), d(1, 1, 1), NULL, 0, NULL), InvalidConfiguration);
	FAILS(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(65, 1, 1), NULL, 0, NULL), OutOfResources);
	OK(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(64, 1, 1), NULL, 0, NULL));
	FAILS(cudaLaunchKernel(F(axpy), d(1, 1, 1), d(1, 1, 1), ARGS(&x, &x, &one, &n), 0, (cudaStream_t)&sum),
	      InvalidHandle);
	/* Dynamic shared memory: more than 48 KiB only after the attribute is set. */
	OK(cudaLaunchKernel(F(uses_shared), d(1, 1, 1), d(1, 1, 1), ARGS(&out, &bytes), bytes, NULL));
	CHECK(first_word(out) == 42);
	bytes = 60000;
	FAILS(cudaLaunchKernel(F(uses_shared), d(1, 1, 1), d(1, 1, 1), ARGS(&out, &bytes), bytes, NULL), InvalidValue);
	OK(cudaMemset(out, 0, 4));
	OK(cudaFuncSetAttribute(F(uses_shared), cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
	OK(cudaLaunchKernel(F(uses_shared), d(1, 1, 1), d(1, 1, 1), ARGS(&out, &bytes), bytes, NULL));
	CHECK(first_word(out) == 42);
	OK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
	FAILS(cudaFuncSetAttribute(F(uses_shared), cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1),
	      InvalidValue);
	FAILS(cudaFuncSetAttribute(F(uses_shared), cudaFuncAttributeMaxDynamicSharedMemorySize, -1), InvalidValue);
	FAILS(cudaFuncSetAttribute(F(stranger), cudaFuncAttributeMaxDynamicSharedMemorySize, 1), InvalidDeviceFunction);
	FAILS(cudaFuncSetAttribute(F(axpy), cudaFuncAttributePreferredSharedMemoryCarveout, 101), InvalidValue);
	FAILS(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeRequiredClusterWidth, -1), InvalidValue);
	FAILS(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeClusterDimMustBeSet, 1), InvalidValue);
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributePreferredSharedMemoryCarveout, 50));
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	OK(cudaFuncSetAttribute(F(axpy), cudaFuncAttributeClusterSchedulingPolicyPreference,
				cudaClusterSchedulingPolicySpread));
	/* Attributes. */
	OK(cudaFuncGetAttributes(&a, F(axpy)));
	CHECK(a.numRegs > 0 && a.numRegs < 256 && a.maxThreadsPerBlock == 1024 && a.preferredShmemCarveout == 50 &&
	      a.nonPortableClusterSizeAllowed == 1 && a.ptxVersion == 80);
	OK(cudaFuncGetAttributes(&a, F(at_most_64)));
	CHECK(a.maxThreadsPerBlock == 64);
	OK(cudaFuncGetAttributes(&a, F(uses_shared)));
	CHECK(a.maxDynamicSharedSizeBytes == 60000 && a.constSizeBytes >= 16);
	FAILS(cudaFuncGetAttributes(&a, F(stranger)), InvalidDeviceFunction);
	FAILS(cudaFuncGetAttributes(NULL, F(axpy)), InvalidValue);
	OK(cudaFuncSetCacheConfig(F(axpy), cudaFuncCachePreferL1));
	FAILS(cudaFuncSetCacheConfig(F(axpy), (enum cudaFuncCache)4), InvalidValue);
	FAILS(cudaFuncSetCacheConfig(F(stranger), cudaFuncCachePreferL1), InvalidDeviceFunction);
	OK(cudaFuncSetSharedMemConfig(F(axpy), cudaSharedMemBankSizeEightByte));
	FAILS(cudaFuncSetSharedMemConfig(F(axpy), (enum cudaSharedMemConfig)3), InvalidValue);
	OK(cudaFuncGetName(&name, F(axpy)));
	CHECK(name && !strcmp(name, "axpy"));
	FAILS(cudaFuncGetName(NULL, F(axpy)), InvalidValue);
	OK(cudaFuncGetParamInfo(F(axpy), 2, &offset, &size));
	CHECK(offset == 16 && size == 4);
	OK(cudaFuncGetParamInfo(F(axpy), 1, &offset, NULL));
	CHECK(offset == 8);
	FAILS(cudaFuncGetParamInfo(F(axpy), 4, &offset, &size), InvalidValue);
	FAILS(cudaFuncGetParamInfo(F(axpy), 0, NULL, &size), InvalidValue);
	{
		cudaKernel_t k;

		OK(cudaGetKernel(&k, F(axpy)));
		OK(cudaKernelSetAttributeForDevice(k, cudaFuncAttributePreferredSharedMemoryCarveout, 25, 0));
		FAILS(cudaKernelSetAttributeForDevice(k, cudaFuncAttributePreferredSharedMemoryCarveout, 25, 1),
		      InvalidDevice);
		OK(cudaFuncGetAttributes(&a, F(axpy)));
		CHECK(a.preferredShmemCarveout == 25);
	}
	/* Launches with attributes. */
	OK(cudaMemset(x, 1, 400));
	OK(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)));
	CHECK(first_word(x) == 0x02020202);
	c.stream = s;
	OK(cudaEventCreate(&e));
	attr[1] = (cudaLaunchAttribute){ .id = cudaLaunchAttributeLaunchCompletionEvent,
					 .val.launchCompletionEvent = { e, 0 } };
	OK(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)));
	CHECK(first_word(x) == 0x04040404);
	OK(cudaEventQuery(e));
	FAILS(cudaLaunchKernelExC(NULL, F(axpy), ARGS(&x)), InvalidValue);
	attr[0].id = (cudaLaunchAttributeID)99;
	FAILS(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)), InvalidValue);
	c.attrs = NULL;
	FAILS(cudaLaunchKernelExC(&c, F(axpy), ARGS(&x, &x, &one, &n)), InvalidValue);
	/* Cooperative ones fit the device at once. */
	OK(cudaLaunchCooperativeKernel(F(axpy), d(2, 1, 1), d(64, 1, 1), ARGS(&x, &x, &one, &n), 0, s));
	FAILS(cudaLaunchCooperativeKernel(F(axpy), d(1000000, 1, 1), d(1024, 1, 1), ARGS(&x, &x, &one, &n), 0, NULL),
	      720);
#if CUDART == 12
	{
		void *args[] = { &x, &x, &one, &n };
		struct cudaLaunchParams p = { (void *)(uintptr_t)axpy, d(2, 1, 1), d(64, 1, 1), args, 0, NULL };

		OK(cudaLaunchCooperativeKernelMultiDevice(&p, 1, 0));
		FAILS(cudaLaunchCooperativeKernelMultiDevice(&p, 2, 0), InvalidValue);
	}
#endif
	/* Host functions, at their place. */
	sum = 0;
	OK(cudaLaunchHostFunc(s, add_ten, &(int){ 10 }));
	OK(cudaStreamSynchronize(s));
	CHECK(sum == 10);
	FAILS(cudaLaunchHostFunc(s, NULL, NULL), InvalidValue);
	/* Occupancy. */
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, F(axpy), 64, 0));
	CHECK(ctas > 0);
	OK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
	CHECK(ctas <= limit / 64);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&ctas, F(axpy), 1024, 0,
								  cudaOccupancyDisableCachingOverride));
	CHECK(ctas == limit / 1024);
	FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&ctas, F(axpy), 64, 0, 2), InvalidValue);
	FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, F(axpy), 0, 0), InvalidValue);
	FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, F(axpy), 64, 0), InvalidValue);
	FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, F(stranger), 64, 0), InvalidDeviceFunction);
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&most, F(axpy), 1, 64));
	CHECK(most > 0);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, F(axpy), 64, most));
	CHECK(ctas >= 1);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, F(axpy), 64, most + 1));
	CHECK(ctas == 0);
	FAILS(cudaOccupancyAvailableDynamicSMemPerBlock(&most, F(axpy), 0, 64), InvalidValue);
	FAILS(cudaOccupancyAvailableDynamicSMemPerBlock(NULL, F(axpy), 1, 64), InvalidValue);
	FAILS(cudaOccupancyAvailableDynamicSMemPerBlock(&most, F(axpy), 10000, 64), InvalidValue);
	clusters(x, n);
	CHECK(__cudaPushCallConfiguration(d(1, 1, 1), d(1, 1, 1), 0, NULL) == 0);
	CHECK(!pthread_create(&t, NULL, configuration_of_thread, NULL) && !pthread_join(t, NULL));
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(s));
	OK(cudaFree(x));
	OK(cudaFree(out));
}

static void dies(const void *kernel, void **args, cudaError_t want)
{
	int n;
	void *p;
	cudaStream_t s;

	OK(cudaLaunchKernel(kernel, d(1, 1, 1), d(1, 1, 1), args, 0, NULL));
	OK(cudaGetLastError()); /* the launch itself went well */
	IS(cudaDeviceSynchronize(), want);
	IS(cudaGetLastError(), want);
	IS(cudaGetLastError(), want); /* for good */
	IS(cudaMalloc(&p, 4), want);
	IS(cudaStreamCreate(&s), want);
	IS(cudaMemcpy(&n, &word, 4, cudaMemcpyHostToHost), want);
	IS(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(1, 1, 1), NULL, 0, NULL), want);
	IS(cudaFree(NULL), want);
	OK(cudaDeviceReset());
	OK(cudaGetLastError());
	OK(cudaLaunchKernel(F(at_most_64), d(1, 1, 1), d(1, 1, 1), NULL, 0, NULL));
	OK(cudaDeviceSynchronize());
}

void test_faults(void)
{
	char *p, *nowhere = (char *)8;
	unsigned v = 0;

	CHECK(!setvbuf(stdout, NULL, _IOLBF, 0));
	OK(cudaMalloc((void **)&p, 64));
	dies(F(pokes), ARGS(&nowhere), IllegalAddress);
	OK(cudaMalloc((void **)&p, 64));
	dies(F(pokes), ARGS(&(char *){ p + 64 }), IllegalAddress); /* just behind it */
	OK(cudaMalloc((void **)&p, 64));
	dies(F(pokes), ARGS(&(char *){ p + 2 }), Misaligned);
	dies(F(traps), NULL, LaunchFailure);
	/* The device starts anew: variables are as at first, managed ones have a place again. */
	CHECK(__cudaInitModule(image_handle) && managed_shadow && *managed_shadow == 7);
	OK(cudaMemcpyFromSymbol(&v, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
	CHECK(v == 5);
	OK(cudaLaunchKernel(F(prints), d(1, 1, 1), d(1, 1, 1), ARGS(&(unsigned){ 12 }), 0, NULL));
	OK(cudaDeviceSynchronize());
}
