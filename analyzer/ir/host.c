#include "analyzer/ir/ir.h"
#include "analyzer/base/hash.h"

#include <string.h>

const struct host_info host_info[HOST_COUNT] = {
#define HOST(id, name, row, sizes) { name, OP_HOST_##row, sizes },
#include "analyzer/ir/host.def"
};

uint64_t kernel_address(const char *name, size_t n)
{
	return (uint64_t)0x4b << 56 | hash_bytes(HASH_START, name, n) >> 8;
}

enum host_function host_function(const char *name)
{
	static const char behind[] = "_ptsz";
	const size_t all = strlen(name), less = sizeof behind - 1;
	const size_t n = all > less && strcmp(name + all - less, behind) == 0 ? all - less : all;
	unsigned f = 0;

	while (f < HOST_COUNT && (strncmp(name, host_info[f].name, n) != 0 || host_info[f].name[n]))
		f++;
	return (enum host_function)f;
}
