/* Functions, occupancy, launches. */
#include "runtime-model/cuda/driver/driver.h"

#include <string.h>

CUresult function_attribute(int *value, int attribute, CUfunction f)
{
	struct cu_function_info x;
	CUresult s;

	if (!value)
		return CU_INVALID_VALUE;
	s = told(cu_function_info(&x, f));
	if (s)
		return s;
	switch (attribute) {
	case 0:
		*value = (int)x.max_threads;
		break;
	case 1:
		*value = (int)x.shared;
		break;
	case 2:
		*value = (int)x.constant;
		break;
	case 3:
		*value = (int)x.local;
		break;
	case 4:
		*value = (int)x.registers;
		break;
	case 5:
		*value = x.ptx;
		break;
	case 6:
		*value = x.binary;
		break;
	case 7:
		*value = 0;
		break;
	case 8:
		*value = (int)x.max_dynamic_shared;
		break;
	case 9:
		*value = x.carveout;
		break;
	case 10:
		*value = x.cluster_must_be_set;
		break;
	case 11:
	case 12:
	case 13:
		*value = (int)x.cluster[attribute - 11];
		break;
	case 15:
		*value = 0;
		break;
	case 14:
		*value = x.nonportable_cluster;
		break;
	default:
		return CU_INVALID_VALUE;
	}
	return CU_OK;
}

API(cuFuncGetAttribute, int *value, int attribute, CUfunction f)
{
	READY();
	return function_attribute(value, attribute, f);
}

CUresult function_set(CUfunction f, int attribute, int value)
{
	if (attribute == 8)
		return told(cu_function_set(f, CU_MAX_DYNAMIC_SHARED, value));
	if (attribute == 9)
		return told(cu_function_set(f, CU_CARVEOUT, value));
	if (attribute >= 11 && attribute <= 13)
		return told(cu_function_set(f, (enum cu_setting)(CU_CLUSTER_WIDTH + attribute - 11), value));
	return attribute == 14 ? told(cu_function_set(f, CU_NONPORTABLE_CLUSTER, value)) : CU_INVALID_VALUE;
}

API(cuFuncSetAttribute, CUfunction f, int attribute, int value)
{
	READY();
	return function_set(f, attribute, value);
}

API(cuFuncSetCacheConfig, CUfunction f, int config)
{
	READY();
	return told(cu_function_set(f, CU_CACHE, config));
}

API(cuFuncSetSharedMemConfig, CUfunction f, int config)
{
	struct cu_function_info x;

	READY();
	(void)config;
	return told(cu_function_info(&x, f));
}

API(cuFuncGetModule, CUmodule *m, CUfunction f)
{
	READY();
	return m ? told(cu_function_name(NULL, m, f)) : CU_INVALID_VALUE;
}

API(cuFuncGetName, const char **name, CUfunction f)
{
	READY();
	return name ? told(cu_function_name(name, NULL, f)) : CU_INVALID_VALUE;
}

CUresult function_parameter(CUfunction f, size_t i, size_t *offset, size_t *bytes)
{
	uint64_t at = 0, n = 0;
	CUresult s = i > UINT32_MAX ? CU_INVALID_VALUE : told(cu_function_param(f, (unsigned)i, &at, &n));
	if (!s && offset)
		*offset = at;
	if (!s && bytes)
		*bytes = n;
	return s;
}

API(cuFuncGetParamInfo, CUfunction f, size_t i, size_t *offset, size_t *bytes)
{
	READY();
	return function_parameter(f, i, offset, bytes);
}

API(cuFuncIsLoaded, int *state, CUfunction f)
{
	CUresult s;

	READY();
	s = state ? told(cu_function_name(NULL, NULL, f)) : CU_INVALID_VALUE;
	if (!s)
		*state = cu_function_ready(f);
	return s;
}

API(cuFuncLoad, CUfunction f)
{
	struct cu_function_info x;

	READY();
	return told(cu_function_info(&x, f));
}

/* ---- occupancy ---- */
API(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *ctas, CUfunction f, int threads, size_t dynamic_shared)
{
	unsigned n = 0;
	CUresult s;

	READY();
	if (!ctas || threads <= 0)
		return CU_INVALID_VALUE;
	s = told(cu_occupancy(&n, f, (unsigned)threads, dynamic_shared));
	*ctas = (int)n;
	return s;
}

API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *ctas, CUfunction f, int threads, size_t dynamic_shared,
    unsigned flags)
{
	return flags & ~1u ? CU_INVALID_VALUE
			   : cuOccupancyMaxActiveBlocksPerMultiprocessor(ctas, f, threads, dynamic_shared);
}

API(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, CUfunction f, size_t (*shared_of)(int),
    size_t dynamic_shared, int limit)
{
	struct cu_function_info x;
	int best = 0, most = 0;
	CUresult s;

	READY();
	s = grid && block ? told(cu_function_info(&x, f)) : CU_INVALID_VALUE;
	if (s)
		return s;
	most = limit > 0 && limit < (int)x.max_threads ? limit : (int)x.max_threads;
	for (int threads = most < 32 ? most : most / 32 * 32; threads > 0; threads -= 32) {
		unsigned n = 0;

		s = told(cu_occupancy(&n, f, (unsigned)threads, shared_of ? shared_of(threads) : dynamic_shared));
		if (s)
			return s;
		if ((int)n * threads > best) {
			best = (int)n * threads;
			*block = threads;
			*grid = (int)(n * cu_device()->sms);
		}
	}
	return best ? CU_OK : CU_INVALID_VALUE;
}

API(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block, CUfunction f, size_t (*shared_of)(int),
    size_t dynamic_shared, int limit, unsigned flags)
{
	return flags & ~1u ? CU_INVALID_VALUE
			   : cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, dynamic_shared, limit);
}

API(cuOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, CUfunction f, int ctas, int threads)
{
	uint64_t fits = 0, not = cu_device()->shared_per_sm + 1;
	unsigned n = 0;
	CUresult s;

	READY();
	s = bytes && ctas > 0 && threads > 0 ? told(cu_occupancy(&n, f, (unsigned)threads, 0)) : CU_INVALID_VALUE;
	if (s || n < (unsigned)ctas)
		return s ? s : CU_INVALID_VALUE;
	while (not -fits > 1) {
		const uint64_t middle = fits + (not -fits) / 2;

		if (!cu_occupancy(&n, f, (unsigned)threads, middle) && n >= (unsigned)ctas)
			fits = middle;
		else
			not = middle;
	}
	*bytes = fits;
	return CU_OK;
}

/* ---- launches ---- */
/* A list of pairs that ends with 0: 1, the block of parameters; 2, the address of its size. */
static bool read_extra(void **extra, struct cu_launch *l)
{
	for (; extra && *extra; extra += 2)
		switch ((uintptr_t)*extra) {
		case 1:
			l->param_block = extra[1];
			break;
		case 2:
			l->param_bytes = *(size_t *)extra[1];
			break;
		default:
			return false;
		}
	return true;
}

CUresult read_launch(struct cu_launch *l, void **param, void **extra)
{
	if (param && extra)
		return CU_INVALID_VALUE;
	l->param = param;
	return read_extra(extra, l) ? CU_OK : CU_INVALID_VALUE;
}

static CUresult start(struct cu_launch *l, void **param, void **extra)
{
	CUresult s;

	READY();
	s = read_launch(l, param, extra);
	if (s)
		return told(cu_launch_refused(l, NULL, NULL, (enum cu_status)s,
					      "its parameters are given twice, or by what is no list of them"));
	return issue(&(struct op){ .kind = OP_KERNEL, .launch = *l }, l->stream, false);
}

#define SHAPE                                                                                                  \
	unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned dynamic_shared, \
		CUstream s
#define LAUNCH(s_, together)                                                                               \
	{                                                                                                  \
		.f = f, .grid = { gx, gy, gz }, .block = { bx, by, bz }, .dynamic_shared = dynamic_shared, \
		.stream = s_, .cooperative = together                                                      \
	}

API(cuLaunchKernel, CUfunction f, SHAPE, void **param, void **extra)
{
	struct cu_launch l = LAUNCH(s, false);

	return start(&l, param, extra);
}

API(cuLaunchKernel_ptsz, CUfunction f, SHAPE, void **param, void **extra)
{
	struct cu_launch l = LAUNCH(OWN(s), false);

	return start(&l, param, extra);
}

API(cuLaunchCooperativeKernel, CUfunction f, SHAPE, void **param)
{
	struct cu_launch l = LAUNCH(s, true);

	return start(&l, param, NULL);
}

API(cuLaunchCooperativeKernel_ptsz, CUfunction f, SHAPE, void **param)
{
	struct cu_launch l = LAUNCH(OWN(s), true);

	return start(&l, param, NULL);
}

struct attribute {
	int id;
	char pad[8 - sizeof(int)];
	union {
		char room[64];
		struct {
			unsigned x, y, z;
		} cluster;
		int cooperative;
	} value;
};
struct config {
	unsigned grid[3], block[3], dynamic_shared;
	CUstream s;
	struct attribute *attribute;
	unsigned n;
};
_Static_assert(sizeof(struct attribute) == 72 && sizeof(struct config) == 56, "as CUlaunchConfig");

static struct cu_launch configured(const struct config *c, CUstream s, CUfunction f)
{
	struct cu_launch l = { .f = f, .dynamic_shared = c->dynamic_shared, .stream = s };

	memcpy(l.grid, c->grid, sizeof l.grid);
	memcpy(l.block, c->block, sizeof l.block);
	for (unsigned i = 0; i < c->n; i++) {
		const struct attribute *a = &c->attribute[i];

		if (a->id == 2)
			l.cooperative = a->value.cooperative != 0;
		if (a->id == 4) {
			l.cluster[0] = a->value.cluster.x;
			l.cluster[1] = a->value.cluster.y;
			l.cluster[2] = a->value.cluster.z;
		}
	}
	return l;
}

static CUresult start_config(const struct config *c, CUstream s, CUfunction f, void **param, void **extra)
{
	struct cu_launch l = configured(c, s, f);

	return start(&l, param, extra);
}

API(cuLaunchKernelEx, const struct config *c, CUfunction f, void **param, void **extra)
{
	return c ? start_config(c, c->s, f, param, extra) : CU_INVALID_VALUE;
}

API(cuLaunchKernelEx_ptsz, const struct config *c, CUfunction f, void **param, void **extra)
{
	return c ? start_config(c, OWN(c->s), f, param, extra) : CU_INVALID_VALUE;
}

/* ---- clusters ---- */
static CUresult cluster_count(int *n, CUfunction f, const struct config *c,
			      enum cu_status count(unsigned *n, const struct cu_launch *l))
{
	struct cu_launch l;
	unsigned is = 0;
	CUresult s;

	READY();
	if (!n || !c)
		return CU_INVALID_VALUE;
	l = configured(c, NULL, f);
	s = told(count(&is, &l));
	if (!s)
		*n = (int)is;
	return s;
}

API(cuOccupancyMaxActiveClusters, int *clusters, CUfunction f, const struct config *c)
{
	return cluster_count(clusters, f, c, cu_occupancy_clusters);
}
API(cuOccupancyMaxPotentialClusterSize, int *ctas, CUfunction f, const struct config *c)
{
	return cluster_count(ctas, f, c, cu_occupancy_cluster_size);
}
