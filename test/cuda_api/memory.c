/* Memory, pools, copies, fills, symbols, and programs that misuse them. */
#include "api.h"

#include <sys/wait.h>
#include <unistd.h>

#define F(f) ((const void *)(uintptr_t)(f))

void test_memory(void)
{
	void *p = NULL, *q = NULL, *h = NULL;
	char *host = aligned_alloc(4096, 8192);
	size_t before, after, total, pitch = 0;
	struct cudaPitchedPtr box;
	struct cudaPointerAttributes a;
	unsigned flags = 99;

	OK(cudaMemGetInfo(&before, &total));
	CHECK(before <= total && total > 1 << 20);
	FAILS(cudaMemGetInfo(NULL, &total), InvalidValue);
	OK(cudaMalloc(&p, 1 << 20));
	CHECK(p && (uintptr_t)p % 256 == 0);
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before - after >= 1 << 20);
	FAILS(cudaMalloc(NULL, 4), InvalidValue);
	FAILS(cudaMalloc(&q, total + 1), OutOfMemory);
	FAILS(cudaMalloc(&q, SIZE_MAX), OutOfMemory);
	q = p;
	OK(cudaMalloc(&q, 0));
	CHECK(!q);
	OK(cudaFree(NULL));
	FAILS(cudaFree((char *)p + 256), InvalidValue);
	FAILS(cudaFree(host), InvalidValue);
	OK(cudaFree(p));
	FAILS(cudaFree(p), InvalidValue); /* twice */
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before == after);
	/* Rows and boxes. */
	OK(cudaMallocPitch(&p, &pitch, 100, 10));
	CHECK(pitch >= 100 && pitch % 32 == 0);
	OK(cudaFree(p));
	FAILS(cudaMallocPitch(&p, NULL, 100, 10), InvalidValue);
	OK(cudaMalloc3D(&box, (struct cudaExtent){ 100, 10, 3 }));
	CHECK(box.ptr && box.pitch >= 100 && box.xsize == 100 && box.ysize == 10);
	OK(cudaFree(box.ptr));
	FAILS(cudaMalloc3D(NULL, (struct cudaExtent){ 100, 10, 3 }), InvalidValue);
	FAILS(cudaMalloc3D(&box, (struct cudaExtent){ SIZE_MAX / 2, 10, 3 }), OutOfMemory);
	/* Host memory. */
	OK(cudaMallocHost(&h, 4096));
	memset(h, 1, 4096);
	OK(cudaPointerGetAttributes(&a, (char *)h + 8));
	CHECK(a.type == cudaMemoryTypeHost && a.device == 0 && a.hostPointer == (char *)h + 8 && a.devicePointer);
	FAILS(cudaFree(h), InvalidValue);
	OK(cudaFreeHost(h));
	FAILS(cudaFreeHost(h), InvalidValue);
	OK(cudaFreeHost(NULL));
	OK(cudaHostAlloc(&h, 64, cudaHostAllocMapped | cudaHostAllocWriteCombined));
	OK(cudaHostGetFlags(&flags, h));
	CHECK(flags == (cudaHostAllocMapped | cudaHostAllocWriteCombined));
	OK(cudaHostGetDevicePointer(&p, h, 0));
	*(unsigned *)h = 5;
	OK(cudaLaunchKernel(F(pokes), d(1, 1, 1), d(1, 1, 1), ARGS(&p), 0, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(*(unsigned *)h == 1);
	FAILS(cudaHostGetDevicePointer(&p, h, 1), InvalidValue);
	FAILS(cudaHostGetDevicePointer(NULL, h, 0), InvalidValue);
	FAILS(cudaHostGetDevicePointer(&p, host, 0), InvalidValue);
	FAILS(cudaHostGetFlags(&flags, host), InvalidValue);
	FAILS(cudaHostGetFlags(NULL, h), InvalidValue);
	OK(cudaFreeHost(h));
	FAILS(cudaHostAlloc(&h, 64, 8), InvalidValue);
	/* Memory of the program's own. */
	OK(cudaHostRegister(host, 8192, cudaHostRegisterMapped));
	FAILS(cudaHostRegister(host + 4096, 4096, cudaHostRegisterDefault), AlreadyRegistered);
	OK(cudaHostGetDevicePointer(&p, host + 16, 0));
	memset(host, 0, 8192);
	OK(cudaLaunchKernel(F(pokes), d(1, 1, 1), d(1, 1, 1), ARGS(&p), 0, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(host[16] == 1);
	OK(cudaHostUnregister(host));
	FAILS(cudaHostUnregister(host), NotRegistered);
	FAILS(cudaHostRegister(NULL, 8192, 0), InvalidValue);
	FAILS(cudaHostRegister(host, 0, 0), InvalidValue);
	FAILS(cudaHostRegister(host, 8192, 64), InvalidValue);
	FAILS(cudaHostUnregister(NULL), InvalidValue);
	/* What an address is. */
	OK(cudaPointerGetAttributes(&a, host));
	CHECK(a.type == cudaMemoryTypeUnregistered && a.device == cudaInvalidDeviceId && !a.devicePointer);
	OK(cudaMalloc(&p, 64));
	OK(cudaPointerGetAttributes(&a, (char *)p + 63));
	CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == (char *)p + 63 && !a.hostPointer);
	FAILS(cudaPointerGetAttributes(NULL, p), InvalidValue);
	OK(cudaFree(p));
	free(host);
}

void test_managed(void)
{
	unsigned *p = NULL;
	int v = 9, by[3], values[2];
	void *to[2] = { &values[0], &values[1] };
	size_t sizes[2] = { 4, 4 };
	enum cudaMemRangeAttribute what[2] = { cudaMemRangeAttributeReadMostly,
					       cudaMemRangeAttributeLastPrefetchLocation };
	struct cudaPointerAttributes a;
	cudaStream_t s;
	unsigned one = 1, n = 64;

	OK(cudaStreamCreate(&s));
	OK(cudaMallocManaged((void **)&p, 8192, cudaMemAttachGlobal));
	FAILS(cudaMallocManaged((void **)&p, 8192, 0), InvalidValue);
	FAILS(cudaMallocManaged((void **)&p, 0, cudaMemAttachGlobal), InvalidValue);
	for (unsigned i = 0; i < n; i++)
		p[i] = i;
	run_axpy(p, p, one, n, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(p[63] == 126);
	OK(cudaPointerGetAttributes(&a, p));
	CHECK(a.type == cudaMemoryTypeManaged && a.hostPointer == p && a.devicePointer == p);
	OK(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachSingle));
	OK(cudaStreamAttachMemAsync(s, p, 8192, cudaMemAttachGlobal));
	FAILS(cudaStreamAttachMemAsync(s, p, 16, cudaMemAttachGlobal), InvalidValue);
	FAILS(cudaStreamAttachMemAsync(s, p, 0, 3), InvalidValue);
	FAILS(cudaStreamAttachMemAsync(s, &v, 0, cudaMemAttachGlobal), InvalidValue);
#if CUDART == 12
#define PLACE(device) device
	OK(cudaMemAdvise_v2(p, 8192, cudaMemAdviseSetReadMostly,
			    (struct cudaMemLocation){ cudaMemLocationTypeDevice, 0 }));
	OK(cudaMemPrefetchAsync_v2(p, 8192, (struct cudaMemLocation){ cudaMemLocationTypeDevice, 0 }, 0, s));
	FAILS(cudaMemPrefetchAsync_v2(p, 8192, (struct cudaMemLocation){ cudaMemLocationTypeDevice, 0 }, 1, s),
	      InvalidValue);
	OK(cudaMemPrefetchAsync(p, 4096, cudaCpuDeviceId, s));
	FAILS(cudaMemPrefetchAsync(p, 4096, 3, s), InvalidDevice);
#else
#define PLACE(device)                                                                                  \
	((struct cudaMemLocation){ (device) < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, \
				   (device) < 0 ? 0 : (device) })
	void *ps[2] = { p, p + 1024 };
	size_t ns[2] = { 4096, 4096 }, which[1] = { 0 };
	struct cudaMemLocation there = PLACE(0);

	OK(cudaMemAdvise(p, 8192, cudaMemAdviseSetReadMostly, PLACE(0)));
	OK(cudaMemPrefetchBatchAsync(ps, ns, 2, &there, which, 1, 0, s));
	FAILS(cudaMemPrefetchBatchAsync(ps, ns, 2, &there, which, 0, 0, s), InvalidValue);
	OK(cudaMemDiscardBatchAsync(ps, ns, 2, 0, s));
	OK(cudaMemDiscardAndPrefetchBatchAsync(ps, ns, 2, &there, which, 1, 0, s));
	FAILS(cudaMemDiscardBatchAsync(ps, ns, 0, 0, s), InvalidValue);
	FAILS(cudaMemDiscardAndPrefetchBatchAsync(ps, ns, 2, NULL, which, 1, 0, s), InvalidValue);
	ps[1] = &v;
	FAILS(cudaMemDiscardBatchAsync(ps, ns, 2, 0, s), InvalidValue);
	OK(cudaMemPrefetchAsync(p, 4096, PLACE(cudaCpuDeviceId), 0, s));
	FAILS(cudaMemPrefetchAsync(p, 4096, PLACE(3), 0, s), InvalidDevice);
	FAILS(cudaMemPrefetchAsync(p, 4096, PLACE(0), 1, s), InvalidValue);
#endif
	OK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, 8192));
	CHECK(v == 1);
	OK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeLastPrefetchLocation, p, 4096));
	CHECK(v == cudaCpuDeviceId);
	OK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeLastPrefetchLocation, p, 8192));
	CHECK(v == cudaInvalidDeviceId); /* not the same of all of it */
	OK(cudaMemRangeGetAttributes(to, sizes, what, 2, p + 1024, 4096));
	CHECK(values[0] == 1 && values[1] == 0);
	OK(cudaMemAdvise(p, 4096, cudaMemAdviseUnsetReadMostly, PLACE(0)));
	OK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, 8192));
	CHECK(v == 0);
	OK(cudaMemAdvise(p, 8192, cudaMemAdviseSetPreferredLocation, PLACE(cudaCpuDeviceId)));
	OK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributePreferredLocation, p, 8192));
	CHECK(v == cudaCpuDeviceId);
	OK(cudaMemAdvise(p, 8192, cudaMemAdviseUnsetPreferredLocation, PLACE(0)));
	OK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributePreferredLocation, p, 8192));
	CHECK(v == cudaInvalidDeviceId);
	OK(cudaMemAdvise(p, 8192, cudaMemAdviseSetAccessedBy, PLACE(0)));
	OK(cudaMemAdvise(p, 8192, cudaMemAdviseSetAccessedBy, PLACE(cudaCpuDeviceId)));
	OK(cudaMemRangeGetAttribute(by, 12, cudaMemRangeAttributeAccessedBy, p, 8192));
	CHECK(by[0] == 0 && by[1] == cudaCpuDeviceId && by[2] == cudaInvalidDeviceId);
	OK(cudaMemAdvise(p, 8192, cudaMemAdviseUnsetAccessedBy, PLACE(0)));
	OK(cudaMemRangeGetAttribute(by, 12, cudaMemRangeAttributeAccessedBy, p, 8192));
	CHECK(by[0] == cudaCpuDeviceId);
	FAILS(cudaMemAdvise(p, 8192, (enum cudaMemoryAdvise)9, PLACE(0)), InvalidValue);
	FAILS(cudaMemAdvise(p, 9000, cudaMemAdviseSetReadMostly, PLACE(0)), InvalidValue);
	FAILS(cudaMemAdvise(&v, 4, cudaMemAdviseSetReadMostly, PLACE(0)), InvalidValue);
	FAILS(cudaMemAdvise(p, 8192, cudaMemAdviseSetPreferredLocation, PLACE(7)), InvalidDevice);
	FAILS(cudaMemRangeGetAttribute(&v, 3, cudaMemRangeAttributeReadMostly, p, 8192), InvalidValue);
	FAILS(cudaMemRangeGetAttribute(&v, 4, (enum cudaMemRangeAttribute)20, p, 8192), InvalidValue);
	FAILS(cudaMemRangeGetAttributes(to, sizes, what, 0, p, 4096), InvalidValue);
	/* A variable. */
	CHECK(__cudaInitModule(image_handle));
	*managed_shadow = 30;
	OK(cudaLaunchKernel(F(variables), d(1, 1, 1), d(1, 1, 1), ARGS(&(unsigned){ 2 }), 0, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(*managed_shadow == 33);
	OK(cudaFree(p));
	FAILS(cudaFree(p), InvalidValue);
	OK(cudaStreamDestroy(s));
}

static unsigned char from[4096], to[4096];

static void refill(void)
{
	for (unsigned i = 0; i < sizeof from; i++)
		from[i] = (unsigned char)(i * 7 + 1);
	memset(to, 0, sizeof to);
}

void test_copies(void)
{
	unsigned char *p, *q;
	cudaStream_t s;
	struct cudaPitchedPtr box;
	struct cudaMemcpy3DParms three = { 0 };
	struct cudaMemcpy3DPeerParms peer = { 0 };

	refill();
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaMalloc((void **)&p, 4096));
	OK(cudaMalloc((void **)&q, 4096));
	OK(cudaMemcpy(p, from, 4096, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(q, p, 4096, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(to, q, 4096, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(from, to, 4096));
	refill();
	OK(cudaMemcpy(to, from, 100, cudaMemcpyHostToHost));
	OK(cudaMemcpy(to + 100, p + 100, 3996, cudaMemcpyDefault));
	CHECK(!memcmp(from, to, 4096));
	FAILS(cudaMemcpy(to, p, 4, (enum cudaMemcpyKind)5), InvalidDirection);
	FAILS(cudaMemcpy(to, p, 4, cudaMemcpyHostToDevice), InvalidValue); /* the wrong way round */
	FAILS(cudaMemcpy(p, from, 4, cudaMemcpyDeviceToHost), InvalidValue);
	FAILS(cudaMemcpy(p, from, 4097, cudaMemcpyHostToDevice), InvalidValue); /* beyond its end */
	FAILS(cudaMemcpy(NULL, from, 4, cudaMemcpyHostToDevice), InvalidValue);
	FAILS(cudaMemcpy(p, NULL, 4, cudaMemcpyHostToDevice), InvalidValue);
	OK(cudaMemcpy(p, from, 0, cudaMemcpyHostToDevice));
	OK(cudaMemcpyAsync(q, from + 1, 100, cudaMemcpyHostToDevice, s));
	OK(cudaMemcpyAsync(to, q, 100, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	CHECK(!memcmp(to, from + 1, 100));
	FAILS(cudaMemcpyAsync(q, from, 100, cudaMemcpyHostToDevice, (cudaStream_t)from), InvalidHandle);
	OK(cudaMemcpyPeer(p, 0, q, 0, 64));
	OK(cudaMemcpyPeerAsync(p, 0, q, 0, 64, s));
	FAILS(cudaMemcpyPeer(p, 0, q, 1, 64), InvalidDevice);
	FAILS(cudaMemcpyPeerAsync(p, 1, q, 0, 64, s), InvalidDevice);
	/* Rows. */
	refill();
	OK(cudaMemset(p, 0, 4096));
	OK(cudaMemcpy2D(p, 64, from, 32, 20, 10, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DAsync(to, 20, p, 64, 20, 10, cudaMemcpyDeviceToHost, s));
	CHECK(!memcmp(to, from, 20) && !memcmp(to + 20, from + 32, 20) && !memcmp(to + 180, from + 288, 20) &&
	      !to[200]);
	FAILS(cudaMemcpy2D(p, 16, from, 32, 20, 10, cudaMemcpyHostToDevice), InvalidPitch);
	FAILS(cudaMemcpy2DAsync(p, 64, from, 16, 20, 10, cudaMemcpyHostToDevice, s), InvalidPitch);
	FAILS(cudaMemcpy2D(p, 64, from, 32, 20, 65, cudaMemcpyHostToDevice), InvalidValue);
	FAILS(cudaMemcpy2D(NULL, 64, from, 32, 20, 6, cudaMemcpyHostToDevice), InvalidValue);
	/* Boxes. */
	refill();
	OK(cudaMalloc3D(&box, (struct cudaExtent){ 16, 4, 3 }));
	OK(cudaMemset3D(box, 9, (struct cudaExtent){ 16, 4, 3 }));
	three.srcPtr = (struct cudaPitchedPtr){ from, 16, 16, 4 };
	three.dstPtr = box;
	three.dstPos = (struct cudaPos){ 2, 1, 1 };
	three.extent = (struct cudaExtent){ 8, 2, 2 };
	three.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&three));
	memset(&three, 0, sizeof three);
	three.srcPtr = box;
	three.dstPtr = (struct cudaPitchedPtr){ to, 16, 16, 4 };
	three.extent = (struct cudaExtent){ 16, 4, 3 };
	three.kind = cudaMemcpyDefault;
	OK(cudaMemcpy3DAsync(&three, s));
	CHECK(to[0] == 9 && to[63] == 9 && !memcmp(to + 64 + 16 + 2, from, 8) && to[64 + 16 + 10] == 9 &&
	      !memcmp(to + 128 + 32 + 2, from + 64 + 16, 8));
	three.dstPtr.pitch = 8;
	FAILS(cudaMemcpy3D(&three), InvalidPitch);
	three.dstPtr.pitch = 16;
	three.kind = (enum cudaMemcpyKind)7;
	FAILS(cudaMemcpy3D(&three), InvalidDirection);
	three.kind = cudaMemcpyDefault;
	three.dstPtr.ptr = NULL;
	FAILS(cudaMemcpy3DAsync(&three, s), InvalidValue);
	FAILS(cudaMemcpy3D(NULL), InvalidValue);
	peer.srcPtr = box;
	peer.dstPtr = (struct cudaPitchedPtr){ p, 16, 16, 4 };
	peer.extent = (struct cudaExtent){ 16, 4, 3 };
	OK(cudaMemcpy3DPeer(&peer));
	OK(cudaMemcpy3DPeerAsync(&peer, s));
	peer.srcDevice = 2;
	FAILS(cudaMemcpy3DPeer(&peer), InvalidDevice);
	FAILS(cudaMemcpy3DPeerAsync(NULL, s), InvalidValue);
	/* Fills. */
	OK(cudaMemset(p, 0x11, 4096));
	OK(cudaMemsetAsync(p + 1, 0x22, 6, s));
	OK(cudaMemset2D(p + 64, 64, 0x33, 3, 4));
	OK(cudaMemset2DAsync(p + 512, 64, 0x44, 5, 2, s));
	OK(cudaMemset3DAsync((struct cudaPitchedPtr){ p + 1024, 16, 16, 4 }, 0x155, (struct cudaExtent){ 2, 2, 2 }, s));
	OK(cudaMemcpy(to, p, 4096, cudaMemcpyDeviceToHost));
	CHECK(to[0] == 0x11 && to[1] == 0x22 && to[6] == 0x22 && to[7] == 0x11 && to[64] == 0x33 && to[67] == 0x11 &&
	      to[256] == 0x33 && to[320] == 0x11 && to[580] == 0x44 && to[581] == 0x11);
	CHECK(to[1024] == 0x55 && to[1026] == 0x11 && to[1040] == 0x55 && to[1056] == 0x11 && to[1088] == 0x55 &&
	      to[1105] == 0x55);
	FAILS(cudaMemset(p, 0, 4097), InvalidValue);
	FAILS(cudaMemset(from, 0, 4), InvalidValue);
	FAILS(cudaMemset(NULL, 0, 4), InvalidValue);
	FAILS(cudaMemsetAsync(p, 0, 4, (cudaStream_t)from), InvalidHandle);
	FAILS(cudaMemset2D(p, 4, 0, 5, 2), InvalidPitch);
	/* Many at once. */
	{
		void *tos[2] = { p, q };
		const void *froms[2] = { from, from + 64 };
		size_t ns[2] = { 64, 32 }, which[1] = { 0 };
		struct cudaMemcpyAttributes attr = { .srcAccessOrder = cudaMemcpySrcAccessOrderStream };
		struct cudaMemcpy3DBatchOp op = { .src = { .type = cudaMemcpyOperandTypePointer,
							   .op.ptr = { p, 0, 0, { cudaMemLocationTypeDevice, 0 } } },
						  .dst = { .type = cudaMemcpyOperandTypePointer,
							   .op.ptr = { to, 16, 0, { cudaMemLocationTypeHost, 0 } } },
						  .extent = { 8, 4, 1 },
						  .srcAccessOrder = cudaMemcpySrcAccessOrderStream };
#if CUDART == 12
		size_t failed = 7;
#define BATCH(n, s) cudaMemcpyBatchAsync(tos, (void **)froms, ns, n, &attr, which, 1, &failed, s)
#define BATCH3(s) cudaMemcpy3DBatchAsync(1, &op, &failed, 0, s)
#else
#define BATCH(n, s) cudaMemcpyBatchAsync(tos, froms, ns, n, &attr, which, 1, s)
#define BATCH3(s) cudaMemcpy3DBatchAsync(1, &op, 0, s)
#endif
		refill();
		OK(BATCH(2, s));
		OK(cudaMemcpy(to, q, 32, cudaMemcpyDeviceToHost));
		CHECK(!memcmp(to, from + 64, 32));
		FAILS(BATCH(0, s), InvalidValue);
		OK(BATCH3(s));
		CHECK(!memcmp(to, from, 8) && !memcmp(to + 16, from + 8, 8) && !memcmp(to + 48, from + 24, 8));
		ns[1] = 5000;
		FAILS(BATCH(2, s), InvalidValue);
		op.src.type = (enum cudaMemcpy3DOperandType)9;
		FAILS(BATCH3(s), InvalidValue);
	}
	OK(cudaFree(box.ptr));
	OK(cudaFree(p));
	OK(cudaFree(q));
	OK(cudaStreamDestroy(s));
}

void test_symbols(void)
{
	void *p = NULL;
	size_t n = 0;
	unsigned v = 0, four[4] = { 10, 20, 30, 40 };
	cudaStream_t s;

	OK(cudaStreamCreate(&s));
	OK(cudaGetSymbolAddress(&p, &counter_shadow));
	OK(cudaGetSymbolSize(&n, table_shadow));
	CHECK(p && n == 16);
	FAILS(cudaGetSymbolAddress(&p, &stranger_shadow), InvalidSymbol);
	FAILS(cudaGetSymbolAddress(&p, NULL), InvalidSymbol);
	FAILS(cudaGetSymbolAddress(NULL, &counter_shadow), InvalidValue);
	FAILS(cudaGetSymbolSize(&n, &stranger_shadow), InvalidSymbol);
	FAILS(cudaGetSymbolSize(NULL, table_shadow), InvalidValue);
	OK(cudaMemcpyFromSymbol(&v, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
	CHECK(v == 5);
	OK(cudaMemcpyToSymbol(table_shadow, four, 16, 0, cudaMemcpyHostToDevice));
	OK(cudaMemcpyToSymbolAsync(table_shadow, &(unsigned){ 77 }, 4, 8, cudaMemcpyDefault, s));
	OK(cudaLaunchKernel(F(variables), d(1, 1, 1), d(1, 1, 1), ARGS(&(unsigned){ 2 }), 0, s));
	OK(cudaMemcpyFromSymbolAsync(&v, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	CHECK(v == 82);
	FAILS(cudaMemcpyToSymbol(table_shadow, four, 16, 4, cudaMemcpyHostToDevice), InvalidValue);
	FAILS(cudaMemcpyToSymbol(table_shadow, four, 16, 0, cudaMemcpyDeviceToHost), InvalidDirection);
	FAILS(cudaMemcpyFromSymbol(four, table_shadow, 16, 0, cudaMemcpyHostToDevice), InvalidDirection);
	FAILS(cudaMemcpyToSymbolAsync(&stranger_shadow, four, 4, 0, cudaMemcpyHostToDevice, s), InvalidSymbol);
	FAILS(cudaMemcpyFromSymbolAsync(four, table_shadow, 17, 0, cudaMemcpyDeviceToHost, s), InvalidValue);
	/* The managed variable by its address too. */
	CHECK(__cudaInitModule(image_handle));
	OK(cudaMemcpyToSymbol(managed_shadow, four, 4, 0, cudaMemcpyHostToDevice));
	CHECK(*managed_shadow == 10);
	OK(cudaGetSymbolAddress(&p, managed_shadow));
	CHECK(p == managed_shadow);
	OK(cudaStreamDestroy(s));
}

void test_pools(void)
{
	cudaMemPool_t first = NULL, pool = NULL, got = NULL;
	struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned,
					  .location = { cudaMemLocationTypeDevice, 0 } };
	struct cudaMemAccessDesc access = { { cudaMemLocationTypeDevice, 0 }, cudaMemAccessFlagsProtReadWrite };
	enum cudaMemAccessFlags flags;
	cudaStream_t s;
	uint64_t v = 0;
	int n = 7;
	void *p = NULL, *q = NULL;

	OK(cudaStreamCreate(&s));
	OK(cudaDeviceGetDefaultMemPool(&first, 0));
	OK(cudaDeviceGetMemPool(&got, 0));
	CHECK(first && got == first);
	FAILS(cudaDeviceGetDefaultMemPool(&got, 1), InvalidDevice);
	FAILS(cudaDeviceGetMemPool(NULL, 0), InvalidValue);
	OK(cudaMallocAsync(&p, 1000, s));
	OK(cudaMemsetAsync(p, 3, 1000, s));
	CHECK(first_word(p) == 0x03030303);
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemCurrent, &v));
	CHECK(v == 1000);
	OK(cudaFreeAsync(p, s));
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemCurrent, &v));
	CHECK(v == 0);
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemHigh, &v));
	CHECK(v == 1000);
	v = 0;
	OK(cudaMemPoolSetAttribute(first, cudaMemPoolAttrUsedMemHigh, &v));
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemHigh, &v));
	CHECK(v == 0);
	v = 1;
	FAILS(cudaMemPoolSetAttribute(first, cudaMemPoolAttrUsedMemHigh, &v), InvalidValue);
	FAILS(cudaMemPoolSetAttribute(first, cudaMemPoolAttrUsedMemCurrent, &v), InvalidValue);
	FAILS(cudaFreeAsync(p, s), InvalidValue); /* twice */
	FAILS(cudaFreeAsync(NULL, s), InvalidValue);
	FAILS(cudaMallocAsync(NULL, 1000, s), InvalidValue);
	FAILS(cudaMallocAsync(&p, 1000, (cudaStream_t)&v), InvalidHandle);
	OK(cudaMallocAsync(&p, 64, s));
	OK(cudaMallocAsync(&q, 36, s));
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemCurrent, &v));
	CHECK(v == 100);
	OK(cudaFree(p)); /* the plain way is allowed */
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemCurrent, &v));
	CHECK(v == 36);
	OK(cudaFreeAsync(q, s));
	OK(cudaMalloc(&p, 64));
	OK(cudaFreeAsync(p, s));
	v = 1 << 20;
	OK(cudaMemPoolSetAttribute(first, cudaMemPoolAttrReleaseThreshold, &v));
	v = 0;
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrReleaseThreshold, &v));
	CHECK(v == 1 << 20);
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolReuseAllowOpportunistic, &n));
	CHECK(n == 1);
	n = 0;
	OK(cudaMemPoolSetAttribute(first, cudaMemPoolReuseAllowOpportunistic, &n));
	n = 5;
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolReuseAllowOpportunistic, &n));
	CHECK(n == 0);
	FAILS(cudaMemPoolGetAttribute(first, (enum cudaMemPoolAttr)99, &v), InvalidValue);
	FAILS(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemHigh, NULL), InvalidValue);
	/* One of the program's own. */
	props.maxSize = 4096;
	OK(cudaMemPoolCreate(&pool, &props));
	OK(cudaMallocFromPoolAsync(&p, 4000, pool, s));
	FAILS(cudaMallocFromPoolAsync(&q, 200, pool, s), OutOfMemory);
	FAILS(cudaMallocFromPoolAsync(&q, 200, NULL, s), InvalidValue);
	OK(cudaMemPoolTrimTo(pool, 0));
	OK(cudaMemPoolSetAccess(pool, &access, 1));
	OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
	CHECK(flags == cudaMemAccessFlagsProtReadWrite);
	access.location.id = 1;
	FAILS(cudaMemPoolSetAccess(pool, &access, 1), InvalidDevice);
	FAILS(cudaMemPoolGetAccess(&flags, pool, &access.location), InvalidValue);
	OK(cudaDeviceSetMemPool(0, pool));
	OK(cudaDeviceGetMemPool(&got, 0));
	CHECK(got == pool);
	FAILS(cudaDeviceSetMemPool(1, pool), InvalidDevice);
#if CUDART == 13
	{
		struct cudaMemLocation here = { cudaMemLocationTypeDevice, 0 };

		OK(cudaMemGetMemPool(&got, &here, cudaMemAllocationTypePinned));
		CHECK(got == pool);
		OK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, first));
		OK(cudaMemGetDefaultMemPool(&got, &here, cudaMemAllocationTypePinned));
		CHECK(got == first);
		FAILS(cudaMemGetDefaultMemPool(&got, NULL, cudaMemAllocationTypePinned), InvalidValue);
		FAILS(cudaMemGetMemPool(&got, &here, cudaMemAllocationTypeManaged), NotSupported);
		OK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
	}
#endif
	OK(cudaMemPoolDestroy(pool));
	OK(cudaDeviceGetMemPool(&got, 0));
	CHECK(got == first);
	FAILS(cudaMemPoolDestroy(pool), InvalidValue);
	FAILS(cudaMemPoolDestroy(first), InvalidValue);
	FAILS(cudaMemPoolTrimTo(pool, 0), InvalidValue);
	OK(cudaFreeAsync(p, s)); /* what it handed out stays good */
	FAILS(cudaMemPoolCreate(&pool, NULL), InvalidValue);
	props.location.id = 3;
	FAILS(cudaMemPoolCreate(&pool, &props), InvalidDevice);
	props.location = (struct cudaMemLocation){ cudaMemLocationTypeDevice, 0 };
	props.handleTypes = cudaMemHandleTypeFabric;
	FAILS(cudaMemPoolCreate(&pool, &props), NotSupported);
	OK(cudaStreamDestroy(s));
}

/* A program that does about everything wrong, and goes on. */
void test_misuse(void)
{
	void *leaked[8], *p;
	cudaStream_t s, many[20];
	cudaEvent_t e, more[20];
	int status;

	for (int i = 0; i < 8; i++)
		OK(cudaMalloc(&leaked[i], 1000)); /* never freed */
	OK(cudaStreamCreate(&s));
	OK(cudaEventCreate(&e));
	for (int i = 0; i < 3; i++) {
		IS(cudaFree(leaked[0]), i ? InvalidValue : Success);
		IS(cudaStreamDestroy(s), i ? InvalidHandle : Success);
		IS(cudaEventDestroy(e), i ? InvalidHandle : Success);
	}
	IS(cudaGetLastError(), InvalidHandle);
	for (int i = 0; i < 60; i++) { /* their memory is not given to others at once */
		cudaStream_t *const x = &many[i % 20];
		cudaEvent_t *const y = &more[i % 20];

		if (i >= 20 && i < 40) {
			OK(cudaStreamDestroy(*x));
			OK(cudaEventDestroy(*y));
			continue;
		}
		OK(cudaStreamCreate(i < 20 ? x : &s));
		OK(cudaEventCreate(i < 20 ? y : &e));
		for (int k = 0; i >= 40 && k < 20; k++)
			CHECK(s != many[k] && e != more[k]);
		if (i >= 40) {
			OK(cudaStreamDestroy(s));
			OK(cudaEventDestroy(e));
		}
	}
	FAILS(cudaMemcpy(leaked[0], from, 4, cudaMemcpyHostToDevice), InvalidValue); /* freed */
	FAILS(cudaMemcpy((void *)16, from, 4, cudaMemcpyHostToDevice), InvalidValue);
	FAILS(cudaStreamSynchronize(s), InvalidHandle);
	FAILS(cudaEventRecord(e, NULL), InvalidHandle);
	FAILS(cudaMemset((char *)leaked[1] + 999, 0, 2), InvalidValue);
	FAILS(cudaLaunchKernel(F(pokes), d(70000, 70000, 1), d(1, 1, 1), ARGS(&leaked[1]), 0, NULL),
	      InvalidConfiguration);
	OK(cudaFree(leaked[5]));
	OK(cudaLaunchKernel(F(pokes), d(1, 1, 1), d(1, 1, 1), ARGS(&leaked[5]), 0, NULL));
	IS(cudaDeviceSynchronize(), IllegalAddress);
	IS(cudaMalloc(&p, 4), IllegalAddress);
	/* A child of a process that has used the device has none. */
	fflush(stdout);
	if (!fork())
		_exit(cudaMalloc(&p, 4) == 3 && cudaGetLastError() == 3 ? 0 : 1);
	CHECK(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
}
