#include "analyzer/ir/ir.h"
#include "analyzer/base/hash.h"

#include <string.h>

uint64_t kernel_address(const char *name, size_t n)
{
	return (uint64_t)0x4b << 56 | hash_bytes(HASH_START, name, n) >> 8;
}

enum device_function device_function(const char *name)
{
	static const char *const names[] = {
#define DEVICE(name, sizes) #name,
#include "analyzer/ir/device_runtime.def"
	};
	static const char before[] = "__cudaCDP2", behind[] = "_ptsz";
	unsigned f = 0;
	size_t n;

	if (strncmp(name, before, sizeof before - 1) != 0)
		return DEVICE_COUNT;
	name += sizeof before - 1;
	n = strlen(name);
	if (n >= sizeof behind && strcmp(name + n - (sizeof behind - 1), behind) == 0)
		n -= sizeof behind - 1;
	while (f < DEVICE_COUNT && (strncmp(name, names[f], n) != 0 || names[f][n]))
		f++;
	return (enum device_function)f;
}
