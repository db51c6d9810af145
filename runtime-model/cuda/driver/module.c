/* Modules, functions, launches. */
#include "runtime-model/cuda/driver/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Images that were given must outlive their modules: copies of those that belong to the caller. */
struct image { struct image *next; CUmodule m; char *bytes; };
static struct image *images;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Bytes of an image: a container, the wrapper around one, an ELF file, or PTX text. */
static size_t size_of(const void *image)
{
	const unsigned char *p = image;
	uint64_t bytes, at;
	uint16_t n, each;

	if (memcmp(p, "\x50\xed\x55\xba", 4) == 0) {
		memcpy(&bytes, p + 8, sizeof bytes);
		return 16 + bytes;
	}
	if (memcmp(p, "\xb1\x43\x62\x46", 4) == 0)
		return 32;              /* its container is static data of the program */
	if (memcmp(p, "\177ELF", 4) == 0) {
		memcpy(&at, p + 40, sizeof at);
		memcpy(&each, p + 58, sizeof each);
		memcpy(&n, p + 60, sizeof n);
		return at + (size_t)each * n;
	}
	return strlen(image) + 1;
}

static CUresult load(CUmodule *m, char *bytes, const char *name)
{
	struct image *x = malloc(sizeof *x);
	CUresult s = x && bytes ? told(cu_module_load(m, bytes, name)) : CU_OUT_OF_MEMORY;

	if (!s && (s = told(cu_module_check(*m))))
		cu_module_unload(*m);
	if (s) {
		free(x);
		free(bytes);
		return s;
	}
	pthread_mutex_lock(&lock);
	*x = (struct image){ images, *m, bytes };
	images = x;
	pthread_mutex_unlock(&lock);
	return CU_OK;
}

API(cuModuleLoadData, CUmodule *m, const void *image)
{
	char *bytes;
	size_t n;

	READY();
	if (!m || !image)
		return CU_INVALID_VALUE;
	n = size_of(image);
	bytes = malloc(n);
	if (bytes)
		memcpy(bytes, image, n);
	return load(m, bytes, NULL);
}
ALIAS(cuModuleLoadFatBinary, cuModuleLoadData);

API(cuModuleLoadDataEx, CUmodule *m, const void *image, unsigned n, int *option, void **value)
{
	for (unsigned i = 0; i < n && option && value; i++)
		if ((option[i] == 4 || option[i] == 6) && i)     /* bytes of a log: none was written */
			value[i] = NULL;
	return cuModuleLoadData(m, image);
}

API(cuModuleLoad, CUmodule *m, const char *path)
{
	char *bytes = NULL;
	FILE *f;
	long n;

	READY();
	if (!m || !path)
		return CU_INVALID_VALUE;
	f = fopen(path, "rb");
	if (!f)
		return CU_FILE_NOT_FOUND;
	if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0 && (bytes = calloc(1, (size_t)n + 64)) &&
	    fread(bytes, 1, (size_t)n, f) != (size_t)n) {
		free(bytes);
		bytes = NULL;
	}
	fclose(f);
	return bytes ? load(m, bytes, path) : CU_INVALID_IMAGE;
}

API(cuModuleUnload, CUmodule m)
{
	struct image **at, *x;
	CUresult s;

	READY();
	s = told(cu_module_unload(m));
	if (s)
		return s;
	pthread_mutex_lock(&lock);
	for (at = &images; *at && (*at)->m != m; at = &(*at)->next)
		;
	x = *at;
	if (x) {
		*at = x->next;
		free(x->bytes);
		free(x);
	}
	pthread_mutex_unlock(&lock);
	return CU_OK;
}

API(cuModuleGetFunction, CUfunction *f, CUmodule m, const char *name)
{
	READY();
	return told(cu_module_function(f, m, name));
}

API(cuModuleGetFunctionCount, unsigned *n, CUmodule m)
{
	READY();
	return told(cu_module_count(n, m));
}

API(cuModuleEnumerateFunctions, CUfunction *f, unsigned n, CUmodule m)
{
	unsigned there = 0;
	CUresult s;

	READY();
	s = f ? told(cu_module_count(&there, m)) : CU_INVALID_VALUE;
	for (unsigned i = 0; !s && i < n && i < there; i++)
		s = told(cu_module_nth(&f[i], m, i));
	return s;
}

API(cuModuleGetGlobal_v2, CUdeviceptr *addr, size_t *bytes, CUmodule m, const char *name)
{
	uint64_t a = 0, n = 0;
	CUresult s;

	READY();
	if (!addr && !bytes)
		return CU_INVALID_VALUE;
	s = told(cu_module_variable(&a, &n, m, name));
	if (!s && addr)
		*addr = a;
	if (!s && bytes)
		*bytes = n;
	return s;
}

API(cuModuleGetLoadingMode, int *mode)
{
	if (!mode)
		return CU_INVALID_VALUE;
	*mode = 2;                      /* lazy */
	return CU_OK;
}

/* ---- functions ---- */
API(cuFuncGetAttribute, int *value, int attribute, CUfunction f)
{
	struct cu_function_info x;
	CUresult s;

	READY();
	if (!value)
		return CU_INVALID_VALUE;
	s = told(cu_function_info(&x, f));
	if (s)
		return s;
	switch (attribute) {
	case 0: *value = (int)x.max_threads; break;
	case 1: *value = (int)x.shared; break;
	case 2: *value = (int)x.constant; break;
	case 3: *value = (int)x.local; break;
	case 4: *value = (int)x.registers; break;
	case 5: *value = x.ptx; break;
	case 6: *value = x.binary; break;
	case 7: *value = 0; break;
	case 8: *value = (int)x.max_dynamic_shared; break;
	case 9: *value = x.carveout; break;
	case 10: case 11: case 12: case 13: case 15: *value = 0; break;
	case 14: *value = x.nonportable_cluster; break;
	default: return CU_INVALID_VALUE;
	}
	return CU_OK;
}

API(cuFuncSetAttribute, CUfunction f, int attribute, int value)
{
	READY();
	return attribute == 8 ? told(cu_function_set(f, CU_MAX_DYNAMIC_SHARED, value)) : attribute == 9 ? told(cu_function_set(f, CU_CARVEOUT, value)) :
	       attribute == 14 ? told(cu_function_set(f, CU_NONPORTABLE_CLUSTER, value)) : CU_INVALID_VALUE;
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
	struct cu_function_info x;
	CUresult s;

	READY();
	s = m ? told(cu_function_info(&x, f)) : CU_INVALID_VALUE;
	if (!s)
		*m = x.module;
	return s;
}

API(cuFuncGetName, const char **name, CUfunction f)
{
	struct cu_function_info x;
	CUresult s;

	READY();
	s = name ? told(cu_function_info(&x, f)) : CU_INVALID_VALUE;
	if (!s)
		*name = x.name;
	return s;
}

API(cuFuncGetParamInfo, CUfunction f, size_t i, size_t *offset, size_t *bytes)
{
	uint64_t at = 0, n = 0;
	CUresult s;

	READY();
	s = told(cu_function_param(f, (unsigned)i, &at, &n));
	if (!s && offset)
		*offset = at;
	if (!s && bytes)
		*bytes = n;
	return s;
}

API(cuFuncIsLoaded, int *state, CUfunction f)
{
	READY();
	(void)f;
	if (!state)
		return CU_INVALID_VALUE;
	*state = 1;
	return CU_OK;
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

API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *ctas, CUfunction f, int threads, size_t dynamic_shared, unsigned flags)
{
	return flags & ~1u ? CU_INVALID_VALUE : cuOccupancyMaxActiveBlocksPerMultiprocessor(ctas, f, threads, dynamic_shared);
}

API(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, CUfunction f, size_t (*shared_of)(int), size_t dynamic_shared, int limit)
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

API(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block, CUfunction f, size_t (*shared_of)(int), size_t dynamic_shared, int limit, unsigned flags)
{
	return flags & ~1u ? CU_INVALID_VALUE : cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, dynamic_shared, limit);
}

/* ---- launches ---- */
/* A list of pairs that ends with 0: 1, the block of parameters; 2, the address of its size. */
static bool read_extra(void **extra, struct cu_launch *l)
{
	for (; extra && *extra; extra += 2)
		switch ((uintptr_t)*extra) {
		case 1: l->param_block = extra[1]; break;
		case 2: l->param_bytes = *(size_t *)extra[1]; break;
		default: return false;
		}
	return true;
}

static CUresult start(struct cu_launch *l, void **param, void **extra)
{
	READY();
	if (param && extra)
		return CU_INVALID_VALUE;
	l->param = param;
	if (!read_extra(extra, l))
		return CU_INVALID_VALUE;
	return told(cu_launch(l));
}

#define SHAPE unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned dynamic_shared, CUstream s
#define LAUNCH(s_, together) { .f = f, .grid = { gx, gy, gz }, .block = { bx, by, bz }, .dynamic_shared = dynamic_shared, .stream = s_, .cooperative = together }

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

struct attribute { int id; char pad[8 - sizeof(int)]; union { char room[64]; struct { unsigned x, y, z; } cluster; int cooperative; } value; };
struct config { unsigned grid[3], block[3], dynamic_shared; CUstream s; struct attribute *attribute; unsigned n; };
_Static_assert(sizeof(struct attribute) == 72 && sizeof(struct config) == 56, "as CUlaunchConfig");

static CUresult start_config(const struct config *c, CUstream s, CUfunction f, void **param, void **extra)
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
