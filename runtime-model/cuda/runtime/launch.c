/* Launches, the configuration that <<< >>> pushes, what is known of a kernel, and occupancy. */
#include "runtime-model/cuda/runtime/rt.h"

#include <limits.h>
#include <string.h>

/* ---- <<< >>>: pushed by the call, popped by the kernel's host function, per thread ---- */
struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};
static _Thread_local struct configuration pushed[32];
static _Thread_local unsigned npushed;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
	if (npushed == sizeof pushed / sizeof *pushed)
		return (unsigned)done(CU_INVALID_CONFIGURATION);
	pushed[npushed++] = (struct configuration){ grid, block, shared, stream };
	return CU_OK;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	const struct configuration *c;

	FAIL_IF(!npushed, MISSING_CONFIGURATION);
	c = &pushed[--npushed];
	FAIL_IF(!grid || !block || !shared || !stream, INVALID_VALUE);
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	memcpy(stream, &c->stream, sizeof c->stream);
	return CU_OK;
}

/* ---- launches ---- */
static cudaError_t launch(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
			  bool cooperative)
{
	struct op o = { .kind = OP_KERNEL,
			.launch = { .grid = { grid.x, grid.y, grid.z },
				    .block = { block.x, block.y, block.z },
				    .dynamic_shared = shared,
				    .param = args,
				    .cooperative = cooperative } };
	enum cu_status s = function_need(&o.launch.f, f);

	return done(s == CU_OK ? op_issue(&o, stream) : launch_refused(&o.launch, f, s));
}

STREAM_FN(cudaLaunchKernel, (f, grid, block, args, shared, OWN(s)), const void *f, dim3 grid, dim3 block, void **args,
	  size_t shared, cudaStream_t s)
{
	return launch(f, grid, block, args, shared, s, false);
}

STREAM_FN(__cudaLaunchKernel, (f, grid, block, args, shared, OWN(s)), cudaKernel_t f, dim3 grid, dim3 block,
	  void **args, size_t shared, cudaStream_t s)
{
	return launch(f, grid, block, args, shared, s, false);
}

STREAM_FN(cudaLaunchCooperativeKernel, (f, grid, block, args, shared, OWN(s)), const void *f, dim3 grid, dim3 block,
	  void **args, size_t shared, cudaStream_t s)
{
	return launch(f, grid, block, args, shared, s, true);
}

enum cu_status launch_attributes(struct cu_launch *l, const cudaLaunchAttribute *attr, unsigned n, cudaEvent_t *record)
{
	*record = NULL;
	if (n && !attr)
		return CU_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++) {
		const cudaLaunchAttributeValue *v = &attr[i].val;

		switch (attr[i].id) {
		case cudaLaunchAttributeCooperative:
			l->cooperative = v->cooperative != 0;
			break;
		case cudaLaunchAttributeClusterDimension:
			l->cluster[0] = v->clusterDim.x;
			l->cluster[1] = v->clusterDim.y;
			l->cluster[2] = v->clusterDim.z;
			break;
		case cudaLaunchAttributeProgrammaticEvent:
			*record = v->programmaticEvent.event;
			break;
		case cudaLaunchAttributeLaunchCompletionEvent:
			*record = v->launchCompletionEvent.event;
			break;
		/* Hints, and leave to begin before the kernel ahead has ended. */
		case cudaLaunchAttributeIgnore:
		case cudaLaunchAttributeAccessPolicyWindow:
		case cudaLaunchAttributeSynchronizationPolicy:
		case cudaLaunchAttributeClusterSchedulingPolicyPreference:
		case cudaLaunchAttributeProgrammaticStreamSerialization:
		case cudaLaunchAttributePriority:
		case cudaLaunchAttributeMemSyncDomainMap:
		case cudaLaunchAttributeMemSyncDomain:
		case cudaLaunchAttributePreferredClusterDimension:
		case cudaLaunchAttributePreferredSharedMemoryCarveout:
		case cudaLaunchAttributeNvlinkUtilCentricScheduling:
			break;
		case cudaLaunchAttributeDeviceUpdatableKernelNode:
			return CU_NOT_SUPPORTED;
		default:
			return CU_INVALID_VALUE;
		}
	}
	return CU_OK;
}

STREAM_FN(cudaLaunchKernelExC,
	  (!c || c->stream ? c
			   : &(cudaLaunchConfig_t){ c->gridDim, c->blockDim, c->dynamicSmemBytes, cudaStreamPerThread,
						    c->attrs, c->numAttrs },
	   f, args),
	  const cudaLaunchConfig_t *c, const void *f, void **args)
{
	struct op o = { .kind = OP_KERNEL };
	cudaEvent_t record;
	enum cu_status s;

	FAIL_IF(!c, INVALID_VALUE);
	memcpy(o.launch.grid, &c->gridDim, sizeof o.launch.grid);
	memcpy(o.launch.block, &c->blockDim, sizeof o.launch.block);
	o.launch.dynamic_shared = c->dynamicSmemBytes;
	o.launch.param = args;
	s = function_need(&o.launch.f, f);
	if (s != CU_OK)
		return done(launch_refused(&o.launch, f, s));
	s = launch_attributes(&o.launch, c->attrs, c->numAttrs, &record);
	if (s != CU_OK)
		return done(cu_launch_refused(&o.launch, NULL, NULL, s,
					      "one of its attributes is none that is known or supported"));
	s = op_issue(&o, c->stream);
	if (s == CU_OK && record)
		s = op_issue(&(struct op){ .kind = OP_RECORD, .event = (struct cu_event *)record }, c->stream);
	return done(s);
}

#if CUDART == 12
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *p, unsigned n, unsigned flags)
{
	FAIL_IF(!p || n != 1 || flags > 3, INVALID_VALUE);
	return launch(p->func, p->gridDim, p->blockDim, p->args, p->sharedMem, p->stream, true);
}
#endif

STREAM_FN(cudaLaunchHostFunc, (OWN(s), f, data), cudaStream_t s, cudaHostFn_t f, void *data)
{
	FAIL_IF(!f, INVALID_VALUE);
	return done(op_issue(&(struct op){ .kind = OP_HOST, .host = { f, data } }, s));
}

/* ---- what is known of a kernel ---- */
static enum cu_status info_of(struct cu_function_info *i, const void *f)
{
	struct cu_function *g;
	enum cu_status s = function_need(&g, f);

	return s == CU_OK ? cu_function_info(i, g) : s;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *f)
{
	struct cu_function_info i;
	enum cu_status s;

	FAIL_IF(!a, INVALID_VALUE);
	s = info_of(&i, f);
	if (s == CU_OK)
		*a = (struct cudaFuncAttributes){ .sharedSizeBytes = i.shared,
						  .constSizeBytes = i.constant,
						  .localSizeBytes = i.local,
						  .maxThreadsPerBlock = (int)i.max_threads,
						  .numRegs = (int)i.registers,
						  .ptxVersion = i.ptx,
						  .binaryVersion = i.binary,
						  .maxDynamicSharedSizeBytes = (int)i.max_dynamic_shared,
						  .preferredShmemCarveout = i.carveout,
						  .clusterDimMustBeSet = i.cluster_must_be_set,
						  .requiredClusterWidth = (int)i.cluster[0],
						  .requiredClusterHeight = (int)i.cluster[1],
						  .requiredClusterDepth = (int)i.cluster[2],
						  .nonPortableClusterSizeAllowed = i.nonportable_cluster };
	return done(s);
}

static enum cu_status set(const void *f, enum cu_setting what, int64_t value)
{
	struct cu_function *g;
	enum cu_status s = function_need(&g, f);

	return s == CU_OK ? cu_function_set(g, what, value) : s;
}

cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute what, int value)
{
	switch (what) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		FAIL_IF(value < 0, INVALID_VALUE);
		return done(set(f, CU_MAX_DYNAMIC_SHARED, value));
	case cudaFuncAttributePreferredSharedMemoryCarveout:
		FAIL_IF(value < -1 || value > 100, INVALID_VALUE);
		return done(set(f, CU_CARVEOUT, value));
	case cudaFuncAttributeNonPortableClusterSizeAllowed:
		return done(set(f, CU_NONPORTABLE_CLUSTER, value != 0));
	case cudaFuncAttributeClusterSchedulingPolicyPreference: {
		struct cu_function *g;

		FAIL_IF(value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing, INVALID_VALUE);
		return done(function_need(&g, f)); /* a hint */
	}
	case cudaFuncAttributeRequiredClusterWidth:
		return done(set(f, CU_CLUSTER_WIDTH, value));
	case cudaFuncAttributeRequiredClusterHeight:
		return done(set(f, CU_CLUSTER_HEIGHT, value));
	case cudaFuncAttributeRequiredClusterDepth:
		return done(set(f, CU_CLUSTER_DEPTH, value));
	case cudaFuncAttributeClusterDimMustBeSet:
	case cudaFuncAttributeMax:
		break;
	}
	return done(CU_INVALID_VALUE);
}

cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache cache)
{
	FAIL_IF((unsigned)cache > cudaFuncCachePreferEqual, INVALID_VALUE);
	return done(set(f, CU_CACHE, (int)cache));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig banks)
{
	struct cu_function *g;

	FAIL_IF((unsigned)banks > cudaSharedMemBankSizeEightByte, INVALID_VALUE);
	return done(function_need(&g, f)); /* banks have had one width since compute capability 5.0 */
}

cudaError_t cudaFuncGetName(const char **name, const void *f)
{
	struct cu_function_info i;
	enum cu_status s;

	FAIL_IF(!name, INVALID_VALUE);
	s = info_of(&i, f);
	if (s == CU_OK)
		*name = i.name;
	return done(s);
}

cudaError_t cudaFuncGetParamInfo(const void *f, size_t i, size_t *offset, size_t *bytes)
{
	struct cu_function *g;
	uint64_t o, n;
	enum cu_status s;

	FAIL_IF(!offset || i > UINT_MAX, INVALID_VALUE);
	s = function_need(&g, f);
	if (s == CU_OK)
		s = cu_function_param(g, (unsigned)i, &o, &n);
	if (s == CU_OK) {
		*offset = o;
		if (bytes)
			*bytes = n;
	}
	return done(s);
}

/* ---- occupancy ---- */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas, const void *f, int threads, size_t shared,
								   unsigned flags)
{
	struct cu_function *g;
	unsigned n = 0;
	enum cu_status s;

	FAIL_IF(!ctas || threads <= 0 || flags & ~(unsigned)cudaOccupancyDisableCachingOverride, INVALID_VALUE);
	s = function_need(&g, f);
	if (s == CU_OK)
		s = cu_occupancy(&n, g, (unsigned)threads, shared);
	if (s == CU_OK)
		*ctas = (int)n;
	return done(s);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, const void *f, int threads, size_t shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, f, threads, shared, cudaOccupancyDefault);
}

/* The most dynamic shared memory with which so many CTAs still fit: by bisection, as more memory never lets more in. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *f, int ctas, int threads)
{
	struct cu_function *g;
	unsigned n = 0;
	uint64_t fits = 0, not = cu_device()->shared_per_sm + 1;
	enum cu_status s;

	FAIL_IF(!shared || ctas <= 0 || threads <= 0, INVALID_VALUE);
	s = function_need(&g, f);
	if (s == CU_OK)
		s = cu_occupancy(&n, g, (unsigned)threads, 0);
	if (s != CU_OK)
		return done(s);
	FAIL_IF(n < (unsigned)ctas, INVALID_VALUE);
	while (not -fits > 1) {
		const uint64_t middle = fits + (not -fits) / 2;

		s = cu_occupancy(&n, g, (unsigned)threads, middle);
		if (s == CU_OK && n >= (unsigned)ctas)
			fits = middle;
		else
			not = middle;
	}
	*shared = fits;
	return done(CU_OK);
}

/* ---- clusters ---- */
static enum cu_status cluster_launch(struct cu_launch *l, const void *f, const cudaLaunchConfig_t *c)
{
	cudaEvent_t record;
	enum cu_status s = function_need(&l->f, f);

	if (s == CU_OK)
		s = launch_attributes(l, c->attrs, c->numAttrs, &record);
	memcpy(l->block, &c->blockDim, sizeof l->block);
	l->dynamic_shared = c->dynamicSmemBytes;
	return s;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *f, const cudaLaunchConfig_t *c)
{
	struct cu_launch l = { 0 };
	unsigned n = 0;
	enum cu_status s;

	FAIL_IF(!clusters || !c, INVALID_VALUE);
	s = cluster_launch(&l, f, c);
	if (s == CU_OK)
		s = cu_occupancy_clusters(&n, &l);
	if (s == CU_OK)
		*clusters = (int)n;
	return done(s);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *ctas, const void *f, const cudaLaunchConfig_t *c)
{
	struct cu_launch l = { 0 };
	unsigned n = 0;
	enum cu_status s;

	FAIL_IF(!ctas || !c, INVALID_VALUE);
	s = cluster_launch(&l, f, c);
	if (s == CU_OK)
		s = cu_occupancy_cluster_size(&n, &l);
	if (s == CU_OK)
		*ctas = (int)n;
	return done(s);
}
