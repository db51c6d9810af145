/* Memory pools, of both interfaces alike: a pool made in one is used by the other. Locations, flags and attributes have
 * CUDA's numbers and layouts. INVALID_VALUE, of all that take a pool: there is no such one. */
#ifndef REGLOOM_CUDA_POOL_H
#define REGLOOM_CUDA_POOL_H

#include "runtime-model/cuda/core/core.h"

#pragma GCC visibility push(default)

enum { CU_AT_DEVICE = 1, CU_AT_HOST = 2 };
enum { CU_KIND_PINNED = 1, CU_KIND_MANAGED = 2 };
enum { CU_HANDLE_FILE = 1 }; /* a file that another process may use */
enum { CU_ACCESS_NONE = 0, CU_ACCESS_READ = 1, CU_ACCESS_BOTH = 3 };
struct cu_location {
	int kind, id;
};
struct cu_access {
	struct cu_location at;
	int flags;
};
struct cu_pool_props {
	int kind, handles; /* CU_KIND_PINNED; 0, or CU_HANDLE_FILE */
	struct cu_location at;
	void *security;
	size_t most; /* bytes; 0: as many as there are */
	unsigned short usage;
	unsigned char reserved[54];
};
_Static_assert(sizeof(struct cu_pool_props) == 88 && sizeof(struct cu_access) == 12,
	       "as CUmemPoolProps and CUmemAccessDesc");

struct CUmemPoolHandle_st;
/* INVALID_DEVICE: no such device; NOT_SUPPORTED: on the host, or with other handles. */
enum cu_status cu_pool_create(struct CUmemPoolHandle_st **out, const struct cu_pool_props *props);
/* what it has handed out stays; INVALID_VALUE: the device's first one, too */
enum cu_status cu_pool_destroy(struct CUmemPoolHandle_st *pool);
enum cu_status cu_pool_trim(struct CUmemPoolHandle_st *pool);
enum cu_status cu_pool_set(struct CUmemPoolHandle_st *pool, int attribute, const void *value);
enum cu_status cu_pool_get(struct CUmemPoolHandle_st *pool, int attribute, void *value);
enum cu_status cu_pool_allow(struct CUmemPoolHandle_st *pool, const struct cu_access *access, size_t n);
enum cu_status cu_pool_access(int *flags, struct CUmemPoolHandle_st *pool, const struct cu_location *at);
enum cu_status cu_pool_first(struct CUmemPoolHandle_st **out); /* the device's default */
enum cu_status cu_pool_current(struct CUmemPoolHandle_st **out);
enum cu_status cu_pool_use(struct CUmemPoolHandle_st *pool);
/* NULL: the current one. OUT_OF_MEMORY: more than the pool may have. Memory of a pool is memory of CU_DEVICE, freed as
 * such. */
enum cu_status cu_pool_alloc(uint64_t *addr, uint64_t bytes, struct CUmemPoolHandle_st *pool);

/* ---- of other processes: a pool that was made with CU_HANDLE_FILE, by a file, and its memory, by 64 bytes ---- */
enum { CU_POINTER_BYTES = 64 };
/* a descriptor that the program closes */
enum cu_status cu_pool_export(int *file, struct CUmemPoolHandle_st *pool);
/* the file stays the program's; nothing is allocated from such a pool */
enum cu_status cu_pool_import(struct CUmemPoolHandle_st **out, int file);
enum cu_status cu_pool_export_pointer(char h[CU_POINTER_BYTES], uint64_t addr);
/* An address of its own each time, freed as the pool's memory. MAP_FAILED: it has been freed. */
enum cu_status cu_pool_import_pointer(uint64_t *addr, struct CUmemPoolHandle_st *pool, const char h[CU_POINTER_BYTES]);

#pragma GCC visibility pop
#endif
