/* Occupancy of real GPUs by passes/sm_limits.def against NVIDIA's own calculator, the header that a toolkit installs:
 * every SM, block size, number of registers, and some sizes of shared memory and numbers of barriers. Prints how many
 * cases were compared. */
#include "passes/occupancy.h"

#include <cuda_occupancy.h>
#include <stdio.h>

static int wrong;
static unsigned long cases;

static void compare(const struct sm_limits *m, unsigned sm, unsigned threads, unsigned regs, uint32_t shared,
		    uint32_t barriers)
{
	struct kernel k = { .res.barriers = barriers };
	struct occupancy_query q = { .sm = *m, .kernel = &k, .threads = threads, .regs = regs, .shared_bytes = shared };
	struct cudaOccDeviceProp p = {
		.computeMajor = (int)(sm / 10),
		.computeMinor = (int)(sm % 10),
		.maxThreadsPerBlock = 1024,
		.maxThreadsPerMultiprocessor = (int)m->threads,
		.regsPerBlock = 65536,
		.regsPerMultiprocessor = 65536,
		.warpSize = 32,
		.sharedMemPerBlock = 49152,
		.sharedMemPerMultiprocessor = m->shared_bytes,
		.numSms = 1,
		.sharedMemPerBlockOptin = m->shared_bytes - m->cta_shared,
		.reservedSharedMemPerBlock = m->cta_shared,
	};
	struct cudaOccFuncAttributes f = {
		.maxThreadsPerBlock = 1024,
		.numRegs = (int)regs,
		.sharedSizeBytes = shared,
		.partitionedGCConfig = PARTITIONED_GC_OFF,
		.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
		.maxDynamicSharedSizeBytes = 0,
		.numBlockBarriers = (int)barriers,
	};
	struct cudaOccDeviceState s = { .cacheConfig = CACHE_PREFER_SHARED,
					.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED };
	struct cudaOccResult r;
	unsigned ours = occupancy_of(&q).ctas;

	cases++;
	if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, (int)threads, 0) != CUDA_OCC_SUCCESS)
		printf("sm_%u: NVIDIA's calculator does not know it\n", sm), wrong++;
	else if ((unsigned)r.activeBlocksPerMultiprocessor != ours && wrong++ < 10)
		printf("sm_%u, %u threads of %u registers, %u bytes of shared memory, %u barriers: %u CTAs, not %d\n",
		       sm, threads, regs, shared, barriers, ours, r.activeBlocksPerMultiprocessor);
}

int main(void)
{
	static const unsigned sms[] = { 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121 };
	static const uint32_t shared[] = { 0, 1, 128, 1000, 4096, 16384, 20000, 32768, 48128, 65536, 100000, 102400 };

	for (unsigned n = 0; n < sizeof sms / sizeof *sms; n++) {
		struct sm_limits m;

		if (!occupancy_sm(sms[n], &m))
			return 2;
		for (unsigned threads = 32; threads <= 1024; threads += 32)
			for (unsigned regs = 1; regs <= 255; regs += 3)
				compare(&m, sms[n], threads, regs, 0, 0);
		for (unsigned x = 0; x < sizeof shared / sizeof *shared; x++)
			for (uint32_t barriers = 0; barriers <= 16; barriers++)
				if (shared[x] + m.cta_shared <= m.shared_bytes)
					compare(&m, sms[n], 33 + 31 * barriers, 24, shared[x], barriers);
	}
	printf("%lu cases\n", cases);
	return wrong != 0;
}
