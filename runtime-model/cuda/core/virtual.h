/* Memory that programs put together by hand: ranges of addresses that are reserved, memory without an address, and
 * mappings of the one in the other, each with its access. Memory that is mapped twice is one memory. Nothing of it
 * belongs to a context; a reset of the device ends it all. */
#ifndef REGLOOM_CUDA_VIRTUAL_H
#define REGLOOM_CUDA_VIRTUAL_H

#include "runtime-model/cuda/core/pool.h"

#pragma GCC visibility push(default)

/* bytes: what is mapped, and where, is a multiple */
enum { CU_GRANULE = 2 << 20 };
struct cu_memory_props {
	int kind, handles; /* CU_KIND_PINNED; 0, or CU_HANDLE_FILE */
	struct cu_location at;
	void *security;
	struct {
		unsigned char compression, rdma;
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
};
_Static_assert(sizeof(struct cu_memory_props) == 32, "as CUmemAllocationProp");

/* OK, or why there can be no such memory: INVALID_DEVICE, INVALID_VALUE, NOT_SUPPORTED: on the host, managed, or with
 * other handles. */
enum cu_status cu_memory_props_check(const struct cu_memory_props *p);
/* At `hint` if that is free, aligned and in the device's range. INVALID_VALUE: no multiple of the host's pages. */
enum cu_status cu_reserve(uint64_t *addr, uint64_t bytes, uint64_t align, uint64_t hint);
/* INVALID_VALUE: not what was reserved, or something is mapped there */
enum cu_status cu_unreserve(uint64_t addr, uint64_t bytes);
enum cu_status cu_memory_create(uint64_t *handle, uint64_t bytes, const struct cu_memory_props *p);
/* it goes when nobody has it and it is mapped nowhere */
enum cu_status cu_memory_release(uint64_t handle);
enum cu_status cu_memory_retain(uint64_t *handle, uint64_t addr); /* of what is mapped there */
enum cu_status cu_memory_props(struct cu_memory_props *p, uint64_t handle);
/* A descriptor of a file that is the memory, which the program closes. INVALID_VALUE: memory not made with
 * CU_HANDLE_FILE */
enum cu_status cu_memory_export(int *file, uint64_t handle);
/* The memory that is the file, which stays the program's. INVALID_VALUE: none is */
enum cu_status cu_memory_import(uint64_t *handle, int file);
enum cu_status cu_map(uint64_t addr, uint64_t bytes, uint64_t offset, uint64_t handle); /* nobody may access it yet */
enum cu_status cu_unmap(uint64_t addr, uint64_t bytes); /* whole mappings, without a gap; as cu_protect() */
enum cu_status cu_protect(uint64_t addr, uint64_t bytes, const struct cu_access *access, size_t n);
enum cu_status cu_protection(int *flags, const struct cu_location *at, uint64_t addr);
/* What lies at addr, of any kind of memory: the range that was reserved or allocated, the part that is mapped, its
 * access. False: neither. */
struct cu_mapped {
	uint64_t addr, bytes, at, size, id;
	int access;
	bool mapped;
};
bool cu_mapped(struct cu_mapped *out, uint64_t addr);

#pragma GCC visibility pop
#endif
