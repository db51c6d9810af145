/* Streams, events, arrays with textures and surfaces. */
#include "api.h"

#include <pthread.h>

#define F(f) ((const void *)(uintptr_t)(f))

static cudaStream_t called_for;
static int called;

static void callback(cudaStream_t s, cudaError_t e, void *data)
{
	called_for = s;
	called += e == Success ? *(int *)data : 1000;
}

void test_streams(void)
{
	cudaStream_t s = NULL, t = NULL;
	unsigned flags = 9;
	int priority = 9, device = 9;
	unsigned long long id = 0, id2 = 0;
	cudaEvent_t e;
	cudaLaunchAttributeValue v = { .syncPolicy = cudaSyncPolicySpin }, w;

	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -100));
	FAILS(cudaStreamCreate(NULL), InvalidValue);
	FAILS(cudaStreamCreateWithFlags(&t, 2), InvalidValue);
	OK(cudaStreamGetFlags(t, &flags));
	CHECK(flags == cudaStreamNonBlocking);
	OK(cudaStreamGetPriority(t, &priority));
	CHECK(priority == -5);
	OK(cudaStreamGetId(s, &id));
	OK(cudaStreamGetId(t, &id2));
	CHECK(id != id2);
	OK(cudaStreamGetDevice(t, &device));
	CHECK(device == 0);
	OK(cudaStreamGetFlags(NULL, &flags));
	CHECK(flags == cudaStreamDefault);
	FAILS(cudaStreamGetFlags(t, NULL), InvalidValue);
	FAILS(cudaStreamGetPriority(t, NULL), InvalidValue);
	FAILS(cudaStreamGetId(t, NULL), InvalidValue);
	FAILS(cudaStreamGetDevice(t, NULL), InvalidValue);
	FAILS(cudaStreamGetFlags((cudaStream_t)&e, &flags), InvalidHandle);
	OK(cudaStreamQuery(s));
	OK(cudaStreamSynchronize(NULL));
	OK(cudaStreamSynchronize(cudaStreamPerThread));
	FAILS(cudaStreamQuery((cudaStream_t)&e), InvalidHandle);
	OK(cudaEventCreate(&e));
	OK(cudaEventRecord(e, s));
	OK(cudaStreamWaitEvent(t, e, cudaEventWaitDefault));
	FAILS(cudaStreamWaitEvent(t, NULL, 0), InvalidHandle);
	FAILS(cudaStreamWaitEvent(t, e, 8), InvalidValue);
	OK(cudaStreamAddCallback(s, callback, &(int){ 3 }, 0));
	OK(cudaStreamSynchronize(s));
	CHECK(called == 3 && called_for == s);
	FAILS(cudaStreamAddCallback(s, NULL, NULL, 0), InvalidValue);
	FAILS(cudaStreamAddCallback(s, callback, NULL, 1), InvalidValue);
	/* Attributes. */
	OK(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
	OK(cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &w));
	CHECK(w.syncPolicy == cudaSyncPolicyAuto);
	OK(cudaStreamCopyAttributes(t, s));
	OK(cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &w));
	CHECK(w.syncPolicy == cudaSyncPolicySpin);
	OK(cudaStreamGetAttribute(t, cudaLaunchAttributePriority, &w));
	CHECK(w.priority == -5);
	v.syncPolicy = (enum cudaSynchronizationPolicy)77;
	FAILS(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v), InvalidValue);
	FAILS(cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &v), InvalidValue);
	FAILS(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, NULL), InvalidValue);
	FAILS(cudaStreamCopyAttributes(t, (cudaStream_t)&e), InvalidHandle);
	OK(cudaStreamDestroy(s));
	FAILS(cudaStreamDestroy(s), InvalidHandle);
	FAILS(cudaStreamDestroy(NULL), InvalidHandle);
	FAILS(cudaStreamDestroy(cudaStreamPerThread), InvalidHandle);
	FAILS(cudaStreamSynchronize(s), InvalidHandle);
	OK(cudaStreamDestroy(t));
	OK(cudaEventDestroy(e));
}

void test_events(void)
{
	cudaEvent_t a = NULL, b = NULL, untimed = NULL, never = NULL;
	float ms = -1;
	unsigned *x, one = 1, n = 4096;
	cudaStream_t s;

	OK(cudaStreamCreate(&s));
	OK(cudaEventCreate(&a));
	OK(cudaEventCreateWithFlags(&b, cudaEventBlockingSync));
	OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
	OK(cudaEventCreateWithFlags(&never, cudaEventDefault));
	FAILS(cudaEventCreate(NULL), InvalidValue);
	FAILS(cudaEventCreateWithFlags(&b, 16), InvalidValue);
	FAILS(cudaEventCreateWithFlags(&b, cudaEventInterprocess), InvalidValue); /* only without timing */
	OK(cudaMalloc((void **)&x, 4 * n));
	OK(cudaEventRecord(a, s));
	run_axpy(x, x, one, n, s);
	OK(cudaEventRecordWithFlags(b, s, cudaEventRecordDefault));
	OK(cudaEventRecord(untimed, s));
	OK(cudaEventSynchronize(b));
	OK(cudaEventQuery(b));
	OK(cudaEventQuery(never));
	OK(cudaEventElapsedTime(&ms, a, b));
	CHECK(ms > 0 && ms < 1000);
	OK(cudaEventElapsedTime(&ms, a, a));
	CHECK(ms == 0);
	FAILS(cudaEventElapsedTime(&ms, a, untimed), InvalidHandle);
	FAILS(cudaEventElapsedTime(&ms, a, never), InvalidHandle);
	FAILS(cudaEventElapsedTime(&ms, a, NULL), InvalidHandle);
	FAILS(cudaEventElapsedTime(NULL, a, b), InvalidValue);
#if CUDART == 12
	OK(cudaEventElapsedTime_v2(&ms, a, b));
	CHECK(ms > 0);
#endif
	FAILS(cudaEventRecordWithFlags(a, s, 2), InvalidValue);
	FAILS(cudaEventRecord(NULL, s), InvalidHandle);
	FAILS(cudaEventRecord(a, (cudaStream_t)&ms), InvalidHandle);
	FAILS(cudaEventQuery(NULL), InvalidHandle);
	FAILS(cudaEventSynchronize((cudaEvent_t)&ms), InvalidHandle);
	OK(cudaEventDestroy(a));
	FAILS(cudaEventDestroy(a), InvalidHandle);
	FAILS(cudaEventDestroy(NULL), InvalidHandle);
	OK(cudaEventDestroy(b));
	OK(cudaEventDestroy(untimed));
	OK(cudaEventDestroy(never));
	OK(cudaFree(x));
	OK(cudaStreamDestroy(s));
}

/* Several threads, each with its own stream, memory, errors and captures. All of them are the first that need the
 * managed variable. */
static pthread_barrier_t all_there;

static void *works(void *number)
{
	const unsigned me = (unsigned)(uintptr_t)number;
	unsigned *x, back[64], n = 64, one = 1, three = 3;
	unsigned long bad = 0;
	cudaGraphExec_t run;
	cudaGraph_t g;
	cudaStream_t s;

	pthread_barrier_wait(&all_there);
	bad += cudaLaunchKernel(F(variables), d(1, 1, 1), d(1, 1, 1), ARGS(&three), 0, cudaStreamPerThread) != Success;
	bad += cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != Success;
	bad += cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) != Success;
	bad += cudaLaunchKernel(F(variables), d(1, 1, 1), d(1, 1, 1), ARGS(&three), 0, s) != Success;
	bad += cudaStreamEndCapture(s, &g) != Success;
	bad += cudaGraphInstantiate(&run, g, 0) != Success;
	bad += cudaGraphLaunch(run, s) != Success || cudaGraphExecDestroy(run) != Success ||
	       cudaGraphDestroy(g) != Success;
	for (unsigned i = 0; i < 20; i++) {
		bad += cudaMallocAsync((void **)&x, sizeof back, s) != Success;
		for (unsigned k = 0; k < 64; k++)
			back[k] = 1000 * me + i + k;
		bad += cudaMemcpyAsync(x, back, sizeof back, cudaMemcpyHostToDevice, s) != Success;
		bad += cudaLaunchKernel(F(axpy), d(1, 1, 1), d(64, 1, 1), ARGS(&x, &x, &one, &n), 0, s) != Success;
		bad += cudaMemcpyAsync(back, x, sizeof back, cudaMemcpyDeviceToHost, s) != Success;
		bad += cudaStreamSynchronize(s) != Success;
		for (unsigned k = 0; k < 64; k++)
			bad += back[k] != 2 * (1000 * me + i + k);
		bad += cudaFreeAsync(x, s) != Success;
		/* not x again: that address may be another thread's by now */
		bad += me % 2 && cudaFreeAsync(back, s) != InvalidValue;
		bad += cudaGetLastError() != (me % 2 ? (cudaError_t)InvalidValue : (cudaError_t)Success);
	}
	bad += cudaStreamDestroy(s) != Success;
	return (void *)bad;
}

void test_threads(void)
{
	pthread_t t[4];
	cudaMemPool_t pool;
	uint64_t used = 1;
	void *bad;

	pthread_barrier_init(&all_there, NULL, 4);
	for (unsigned i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, works, (void *)(uintptr_t)i));
	for (unsigned i = 0; i < 4; i++) {
		CHECK(!pthread_join(t[i], &bad));
		IS((long long)(uintptr_t)bad, 0);
	}
	pthread_barrier_destroy(&all_there);
	OK(cudaGetLastError());
	OK(cudaDeviceSynchronize());
	CHECK(*managed_shadow == 7 + 4 * 2 * 4);
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	CHECK(used == 0);
}

void test_arrays(void)
{
	enum { W = 8, H = 4 };
	const struct cudaChannelFormatDesc word = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned),
					   bad = cudaCreateChannelDesc(32, 16, 0, 0, cudaChannelFormatKindFloat);
	struct cudaChannelFormatDesc c;
	struct cudaExtent e;
	struct cudaArraySparseProperties sparse;
	struct cudaArrayMemoryRequirements needs;
	cudaArray_t a = NULL, b = NULL, cube = NULL;
	unsigned from[H][W], to[H][W], flags = 9, *out, *framed;
	struct cudaMemcpy3DParms three = { 0 };
	struct cudaResourceDesc r = { .resType = cudaResourceTypeArray }, got;
	struct cudaResourceViewDesc view;
	struct cudaTextureDesc t = { .addressMode = { cudaAddressModeClamp, cudaAddressModeClamp,
						      cudaAddressModeClamp } },
			       got_t;
	cudaTextureObject_t texture = 0, other = 0;
	cudaSurfaceObject_t surface = 0;
	cudaStream_t s;

	for (unsigned i = 0; i < W * H; i++)
		from[i / W][i % W] = 100 + i;
	OK(cudaStreamCreate(&s));
	OK(cudaMallocArray(&a, &word, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMallocArray(&b, &word, W, H, cudaArrayDefault));
	FAILS(cudaMallocArray(&cube, &bad, W, H, 0), InvalidChannel);
	FAILS(cudaMallocArray(&cube, &word, 0, H, 0), InvalidValue);
	FAILS(cudaMallocArray(NULL, &word, W, H, 0), InvalidValue);
	FAILS(cudaMallocArray(&cube, &word, W, H, 0x1000), InvalidValue);
	OK(cudaArrayGetInfo(&c, &e, &flags, a));
	CHECK(c.x == 32 && !c.y && c.f == cudaChannelFormatKindUnsigned && e.width == W && e.height == H && !e.depth &&
	      flags == cudaArraySurfaceLoadStore);
	OK(cudaGetChannelDesc(&c, b));
	CHECK(c.x == 32);
	FAILS(cudaGetChannelDesc(NULL, b), InvalidValue);
	FAILS(cudaArrayGetInfo(&c, &e, &flags, NULL), InvalidHandle);
	FAILS(cudaArrayGetPlane(&cube, a, 0), InvalidValue); /* it has none of its own */
	FAILS(cudaArrayGetSparseProperties(&sparse, a), InvalidValue);
	FAILS(cudaArrayGetMemoryRequirements(&needs, a, 0), InvalidValue);
	FAILS(cudaArrayGetMemoryRequirements(&needs, a, 1), InvalidDevice);
	FAILS(cudaArrayGetSparseProperties(&sparse, NULL), InvalidHandle);
	/* Copies: offsets are bytes and rows. */
	OK(cudaMemcpy2DToArray(a, 0, 0, from, sizeof *from, sizeof *from, H, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DFromArray(to, sizeof *to, a, 0, 0, sizeof *to, H, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(from, to, sizeof to));
	memset(to, 0, sizeof to);
	OK(cudaMemcpy2DFromArrayAsync(to, sizeof *to, a, 8, 1, 12, 2, cudaMemcpyDeviceToHost, s));
	CHECK(to[0][0] == 110 && to[1][2] == 120 && !to[0][3]);
	OK(cudaMemcpy2DToArrayAsync(b, 4, 1, from, sizeof *from, 8, 2, cudaMemcpyHostToDevice, s));
	OK(cudaMemcpy2DArrayToArray(b, 0, 3, a, 0, 0, sizeof *from, 1, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy2DFromArray(to, sizeof *to, b, 0, 0, sizeof *to, H, cudaMemcpyDeviceToHost));
	CHECK(!to[1][0] && to[1][1] == 100 && to[2][2] == 109 && to[3][7] == 107);
	FAILS(cudaMemcpy2DToArray(a, 0, 1, from, sizeof *from, sizeof *from, H, cudaMemcpyHostToDevice), InvalidValue);
	FAILS(cudaMemcpy2DToArray(a, 0, 0, from, 4, sizeof *from, H, cudaMemcpyHostToDevice), InvalidPitch);
	FAILS(cudaMemcpy2DFromArray(NULL, sizeof *to, a, 0, 0, sizeof *to, H, cudaMemcpyDeviceToHost), InvalidValue);
	/* Runs of bytes over the ends of rows. */
	OK(cudaMemcpyToArray(b, 16, 0, from, 48, cudaMemcpyHostToDevice));
	OK(cudaMemcpyToArrayAsync(b, 0, 2, from, 4, cudaMemcpyHostToDevice, s));
	OK(cudaMemcpyFromArray(to, b, 0, 0, sizeof to, cudaMemcpyDeviceToHost));
	CHECK(to[0][4] == 100 && to[0][7] == 103 && to[1][0] == 104 && to[1][7] == 111 && to[2][0] == 100);
	OK(cudaMemcpyFromArrayAsync(to, b, 28, 0, 8, cudaMemcpyDeviceToHost, s));
	CHECK(to[0][0] == 103 && to[0][1] == 104);
	OK(cudaMemcpyArrayToArray(b, 4, 0, a, 28, 0, 36, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpyFromArray(to, b, 0, 0, sizeof to, cudaMemcpyDeviceToHost));
	CHECK(to[0][1] == 107 && to[0][2] == 108 && to[1][0] == 114 && to[1][1] == 115);
	FAILS(cudaMemcpyToArray(b, 32, 0, from, 4, cudaMemcpyHostToDevice), InvalidValue);
	FAILS(cudaMemcpyFromArray(to, NULL, 0, 0, 4, cudaMemcpyDeviceToHost), InvalidValue);
	FAILS(cudaMemcpyFromArray(to, b, 0, 0, sizeof to + 4, cudaMemcpyDeviceToHost), InvalidValue);
	/* Three dimensions, in elements. */
	OK(cudaMalloc3DArray(&cube, &word, (struct cudaExtent){ W, 2, 2 }, cudaArrayDefault));
	three.srcPtr = (struct cudaPitchedPtr){ from, sizeof *from, W, 2 };
	three.dstArray = cube;
	three.extent = (struct cudaExtent){ W, 2, 2 };
	three.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&three));
	memset(&three, 0, sizeof three);
	three.srcArray = cube;
	three.srcPos = (struct cudaPos){ 3, 1, 1 };
	three.dstPtr = (struct cudaPitchedPtr){ to, sizeof *to, W, 2 };
	three.extent = (struct cudaExtent){ 2, 1, 1 };
	three.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&three));
	CHECK(to[0][0] == 127 && to[0][1] == 128 && to[0][2] != 129);
	FAILS(cudaMalloc3DArray(&cube, &word, (struct cudaExtent){ 4, 4, 5 }, cudaArrayCubemap), InvalidValue);
	/* A texture and a surface. */
	r.res.array.array = a;
	OK(cudaCreateTextureObject(&texture, &r, &t, NULL));
	OK(cudaCreateSurfaceObject(&surface, &r));
	OK(cudaMalloc((void **)&out, sizeof to));
	OK(cudaLaunchKernel(F(samples), d(1, 1, 1), d(W, H, 1), ARGS(&texture, &surface, &out, &(unsigned){ W }), 0,
			    s));
	OK(cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(to, from, sizeof to));
	OK(cudaMemcpy2DFromArray(to, sizeof *to, a, 0, 0, sizeof *to, H, cudaMemcpyDeviceToHost));
	CHECK(to[0][0] == 200 && to[3][7] == 262);
	OK(cudaGetTextureObjectResourceDesc(&got, texture));
	CHECK(got.resType == cudaResourceTypeArray && got.res.array.array == a);
	OK(cudaGetTextureObjectTextureDesc(&got_t, texture));
	CHECK(got_t.addressMode[0] == cudaAddressModeClamp);
	OK(cudaGetTextureObjectResourceViewDesc(&view, texture));
	OK(cudaGetSurfaceObjectResourceDesc(&got, surface));
	CHECK(got.res.array.array == a);
	FAILS(cudaGetTextureObjectResourceDesc(&got, 0xdead), InvalidValue);
	FAILS(cudaGetTextureObjectTextureDesc(NULL, texture), InvalidValue);
	FAILS(cudaGetTextureObjectResourceViewDesc(&view, 0xdead), InvalidValue);
	FAILS(cudaGetSurfaceObjectResourceDesc(&got, 0xdead), InvalidValue);
	r.res.array.array = b;
	FAILS(cudaCreateSurfaceObject(&surface, &r), InvalidValue); /* it was not made for one */
	t.filterMode = cudaFilterModeLinear;
	FAILS(cudaCreateTextureObject(&other, &r, &t, NULL), InvalidFilter);
	t.filterMode = cudaFilterModePoint;
	t.readMode = cudaReadModeNormalizedFloat;
	FAILS(cudaCreateTextureObject(&other, &r, &t, NULL), InvalidNorm);
	t.readMode = cudaReadModeElementType;
	FAILS(cudaCreateTextureObject(&other, NULL, &t, NULL), InvalidValue);
	r = (struct cudaResourceDesc){ .resType = cudaResourceTypePitch2D, .res.pitch2D = { out, word, W, H, 48 } };
	FAILS(cudaCreateTextureObject(&other, &r, &t, NULL), InvalidValue); /* the pitch is no multiple of 32 */
	r.res.pitch2D.pitchInBytes = 32;
	OK(cudaCreateTextureObject(&other, &r, &t, NULL));
	OK(cudaDestroyTextureObject(other));
	/* A border: of integers that are read as such it has the bits. */
	r.res.pitch2D.height = H - 1;
	t.addressMode[0] = t.addressMode[1] = cudaAddressModeBorder;
	memcpy(t.borderColor, &(unsigned){ 0xabcdef01 }, 4);
	OK(cudaCreateTextureObject(&other, &r, &t, NULL));
	OK(cudaMalloc((void **)&framed, sizeof to));
	OK(cudaLaunchKernel(F(samples), d(1, 1, 1), d(W, H, 1), ARGS(&other, &surface, &framed, &(unsigned){ W }), 0,
			    s));
	OK(cudaMemcpy(to, framed, sizeof to, cudaMemcpyDeviceToHost));
	CHECK(to[H - 1][3] == 0xabcdef01 && to[H - 2][3] != 0xabcdef01);
	OK(cudaFree(framed));
	OK(cudaDestroyTextureObject(other));
	OK(cudaDestroyTextureObject(texture));
	OK(cudaDestroySurfaceObject(surface));
	FAILS(cudaGetTextureObjectResourceDesc(&got, texture), InvalidValue);
	OK(cudaFreeArray(a));
	FAILS(cudaFreeArray(a), InvalidHandle);
	OK(cudaFreeArray(NULL));
	OK(cudaFreeArray(b));
	OK(cudaFreeArray(cube));
	OK(cudaFree(out));
	OK(cudaStreamDestroy(s));
}

/* Levels of detail: what they hold is read back from each; textures of them are of test/cuda_core/driver_mipmap.c, but
 * for the first level. */
void test_mipmaps(void)
{
	enum { W = 8, H = 4, LEVELS = 4 };
	const struct cudaChannelFormatDesc word = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned),
					   real = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	struct cudaResourceViewDesc view = { .format = cudaResViewFormatUnsignedInt1,
					     .width = W,
					     .height = H,
					     .firstMipmapLevel = 1,
					     .lastMipmapLevel = 3 },
				    got;
	struct cudaResourceDesc r = { .resType = cudaResourceTypeMipmappedArray },
				one = { .resType = cudaResourceTypeArray };
	struct cudaTextureDesc t = { .normalizedCoords = 1 };
	struct cudaArrayMemoryRequirements needs;
	struct cudaArraySparseProperties sparse;
	struct cudaChannelFormatDesc c;
	cudaMipmappedArray_t m = NULL, other = NULL;
	cudaTextureObject_t texture = 0;
	cudaSurfaceObject_t surface = 0;
	cudaArray_t level = NULL;
	struct cudaExtent e;
	unsigned flags = 9, from[H][W], to[H][W], *out;

	for (unsigned i = 0; i < W * H; i++)
		from[i / W][i % W] = 100 + i;
	/* 4: the largest side is 8 */
	OK(cudaMallocMipmappedArray(&m, &word, (struct cudaExtent){ W, H, 0 }, 9, cudaArraySurfaceLoadStore));
	FAILS(cudaMallocMipmappedArray(NULL, &word, (struct cudaExtent){ W, H, 0 }, 2, 0), InvalidValue);
	FAILS(cudaMallocMipmappedArray(&other, NULL, (struct cudaExtent){ W, H, 0 }, 2, 0), InvalidValue);
	FAILS(cudaMallocMipmappedArray(&other, &word, (struct cudaExtent){ 0, H, 0 }, 2, 0), InvalidValue);
	FAILS(cudaMallocMipmappedArray(&other, &word, (struct cudaExtent){ W, H, 0 }, 2, cudaArraySparse),
	      NotSupported);
	for (unsigned l = 0; l < LEVELS; l++) {
		const unsigned w = W >> l, h = H >> l ? H >> l : 1;

		OK(cudaGetMipmappedArrayLevel(&level, m, l));
		OK(cudaArrayGetInfo(&c, &e, &flags, level));
		CHECK(e.width == w && e.height == h && !e.depth && c.x == 32 && flags == cudaArraySurfaceLoadStore);
		OK(cudaMemcpy2DToArray(level, 0, 0, &from[0][l], sizeof *from, w * 4, h, cudaMemcpyHostToDevice));
		FAILS(cudaMemcpy2DToArray(level, 0, 1, from, sizeof *from, w * 4, h, cudaMemcpyHostToDevice),
		      InvalidValue);
	}
	for (unsigned l = 0; l < LEVELS; l++) {
		OK(cudaGetMipmappedArrayLevel(&level, m, l));
		OK(cudaMemcpy2DFromArray(to, sizeof *to, level, 0, 0, (W >> l) * 4, 1, cudaMemcpyDeviceToHost));
		CHECK(to[0][0] == 100 + l && to[0][(W >> l) - 1] == 100 + l + (W >> l) - 1);
	}
	FAILS(cudaGetMipmappedArrayLevel(&level, m, LEVELS), InvalidValue);
	FAILS(cudaGetMipmappedArrayLevel(NULL, m, 0), InvalidValue);
	FAILS(cudaGetMipmappedArrayLevel(&level, NULL, 0), InvalidHandle);
	FAILS(cudaGetMipmappedArrayLevel(&level, (cudaMipmappedArray_t)&flags, 0), InvalidHandle);
	OK(cudaGetMipmappedArrayLevel(&level, m, 1));
	FAILS(cudaFreeArray(level), InvalidValue); /* it goes with the others */
	FAILS(cudaMipmappedArrayGetSparseProperties(&sparse, m), InvalidValue);
	FAILS(cudaMipmappedArrayGetSparseProperties(&sparse, NULL), InvalidHandle);
	FAILS(cudaMipmappedArrayGetMemoryRequirements(&needs, m, 0), InvalidValue);
	FAILS(cudaMipmappedArrayGetMemoryRequirements(&needs, m, 1), InvalidDevice);
	/* A texture of the levels from 1 on; without a level it is the first that is taken, a surface is of one. */
	r.res.mipmap.mipmap = m;
	OK(cudaCreateTextureObject(&texture, &r, &t, &view));
	OK(cudaGetTextureObjectResourceViewDesc(&got, texture));
	CHECK(got.firstMipmapLevel == 1 && got.lastMipmapLevel == 3);
	one.res.array.array = level;
	OK(cudaCreateSurfaceObject(&surface, &one));
	FAILS(cudaCreateSurfaceObject(&surface, &r), InvalidValue);
	OK(cudaMalloc((void **)&out, sizeof to));
	OK(cudaLaunchKernel(F(samples), d(1, 1, 1), d(W / 2, H / 2, 1),
			    ARGS(&texture, &surface, &out, &(unsigned){ W / 2 }), 0, NULL));
	OK(cudaMemcpy(to, out, W / 2 * (H / 2) * 4, cudaMemcpyDeviceToHost));
	CHECK(to[0][0] == 101 && to[0][3] == 104 && to[0][4] == 109 && to[0][7] == 112);
	OK(cudaMemcpy2DFromArray(to, sizeof *to, level, 0, 0, W / 2 * 4, H / 2, cudaMemcpyDeviceToHost));
	CHECK(to[0][0] == 202 && to[1][3] == 224);
	OK(cudaDestroyTextureObject(texture));
	OK(cudaDestroySurfaceObject(surface));
	view.lastMipmapLevel = LEVELS;
	FAILS(cudaCreateTextureObject(&texture, &r, &t, &view), InvalidValue);
	view.lastMipmapLevel = 0;
	FAILS(cudaCreateTextureObject(&texture, &r, &t, &view), InvalidValue);
	view.lastMipmapLevel = 1;
	view.width = W / 2;
	FAILS(cudaCreateTextureObject(&texture, &r, &t, &view), InvalidValue);
	view.format = cudaResViewFormatFloat1;
	FAILS(cudaCreateTextureObject(&texture, &r, &t, &view), NotSupported);
	t.mipmapFilterMode = cudaFilterModeLinear;
	FAILS(cudaCreateTextureObject(&texture, &r, &t, NULL), InvalidFilter);
	t = (struct cudaTextureDesc){ 0 };
	FAILS(cudaCreateTextureObject(&texture, &r, &t, NULL), InvalidValue); /* coordinates must be normalized */
	r.res.mipmap.mipmap = NULL;
	FAILS(cudaCreateTextureObject(&texture, &r, &t, NULL), InvalidHandle);
	OK(cudaMallocMipmappedArray(&other, &real, (struct cudaExtent){ W, W, 6 }, 0, cudaArrayCubemap));
	FAILS(cudaGetMipmappedArrayLevel(&level, other, 1), InvalidValue); /* one, at least */
	OK(cudaFreeMipmappedArray(other));
	FAILS(cudaFreeMipmappedArray(other), InvalidHandle);
	OK(cudaFreeMipmappedArray(NULL));
	OK(cudaFreeMipmappedArray(m));
	FAILS(cudaArrayGetInfo(&c, &e, &flags, level), InvalidHandle);
	OK(cudaFree(out));
}
