/* Functions of the driver that machine code calls: printf, malloc, free, assert. Each has a code address that no
 * instruction has; a lane that comes there calls the host, and goes on where R20 and R21 say. Arguments stand from R4
 * on, those of 64 bits in even registers; the result in R4. */
#include "runtime-model/engine/native.h"

#include <string.h>

enum { FIRST = 4, STEP = 16 };

static const struct {
	const char *name, *arguments;
	uint16_t op;
} known[] = {
#define HOST_vprintf OP_HOST_PRINTF
#define HOST___assertfail OP_HOST_ASSERTFAIL
#define HOST_malloc OP_HOST_MALLOC
#define HOST_free OP_HOST_FREE
#define RUNTIME(name, result, arguments) { #name, arguments, HOST_##name },
#include "analyzer/sass/runtime.def"
};

bool native_runtime_address(const char *name, uint64_t *v)
{
	for (unsigned r = 0; name && r < NATIVE_RUNTIMES; r++)
		if (strcmp(known[r].name, name) == 0) {
			*v = NATIVE_RUNTIME_WINDOW + (uint64_t)r * STEP;
			return true;
		}
	return false;
}

void native_runtime_decode(unsigned r, struct xinsn *x, const uint32_t *slot)
{
	unsigned at = FIRST;

	*x = (struct xinsn){ .kind = X_HOST, .target = known[r].op };
	if (slot[FIRST] != UINT32_MAX)
		x->dst[0] = slot[FIRST];
	for (unsigned s = 0; known[r].arguments[s] && s < sizeof x->src / sizeof *x->src; s++) {
		const unsigned words = known[r].arguments[s] == 'D' ? 2 : 1;

		at = (at + words - 1) / words * words;
		if (slot[at] != UINT32_MAX)
			x->src[s] = (int32_t)slot[at];
		at += words;
	}
}
