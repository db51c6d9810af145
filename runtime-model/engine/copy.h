/* A copy of a device's memory that launches are executed on, while the memory itself stays as it is: allocations,
 * variables, the heap's contents, and what a caller has mapped and may go on writing. What malloc() has given is not
 * copied: kernels that call it are not for this. */
#ifndef REGLOOM_COPY_H
#define REGLOOM_COPY_H

#include "analyzer/base/arena.h"

struct device;
/* an allocation */
struct device_piece {
	uint64_t addr, bytes;
	unsigned char *live, *copy;
	void *map;
	uint64_t map_bytes;
};
struct device_copy {
	struct arena a;
	struct device_piece *piece;
	uint32_t n;
};

/* From now on, until device_copy_end(), launches see the copy. NULL: this machine has no memory for it. Nothing is
 * allocated or freed before its end. */
struct device_copy *device_copy_begin(struct device *dev);
void device_copy_end(struct device *dev, struct device_copy *c); /* what launches left stays in the copy */
void device_copy_free(struct device_copy *c);
/* To memory that is zeroed: pages that hold nothing but zeros are not touched. */
void copy_used(unsigned char *to, const unsigned char *from, uint64_t bytes);

#endif
