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

/* Bytes of each argument, of functions of the device's runtime. */
static const char *const sizes_of[] = {
#define DEVICE(name, sizes) &(sizes)[1],
#include "analyzer/ir/device_runtime.def"
};

bool native_runtime_address(const char *name, uint64_t *v)
{
	const enum device_function d = name ? device_function(name) : DEVICE_COUNT;
	unsigned r = d == DEVICE_COUNT ? 0 : NATIVE_DEVICE + d;

	while (name && r < NATIVE_DEVICE && strcmp(known[r].name, name) != 0)
		r++;
	if (!name || (r == NATIVE_DEVICE && d == DEVICE_COUNT))
		return false;
	*v = NATIVE_RUNTIME_WINDOW + (uint64_t)r * STEP;
	return true;
}

static unsigned words_of(char argument)
{
	if (argument == 'v')
		return 3;
	return argument == 'D' || argument == '8' ? 2 : 1;
}

/* Operand s, and those behind it: arguments as letters, or as their bytes. */
static void place_arguments(struct xinsn *x, unsigned s, const char *arguments, const uint32_t *slot)
{
	for (unsigned at = FIRST; *arguments && s < sizeof x->src / sizeof *x->src; s++, arguments++) {
		const unsigned words = words_of(*arguments);

		if (words == 2)
			at = (at + 1) / 2 * 2;
		if (at < NATIVE_ABI_REGISTERS && slot[at] != UINT32_MAX)
			x->src[s] = (int32_t)slot[at];
		at += words;
	}
}

void native_runtime_decode(unsigned r, struct xinsn *x, const uint32_t *slot)
{
	const unsigned device = r - NATIVE_DEVICE;

	*x = (struct xinsn){ .kind = X_HOST };
	if (slot[FIRST] != UINT32_MAX)
		x->dst[0] = slot[FIRST];
	if (r < NATIVE_DEVICE) {
		x->target = known[r].op;
		place_arguments(x, 0, known[r].arguments, slot);
		return;
	}
	x->target = device == DEVICE_GetParameterBufferV2 ? OP_HOST_PARAMETERS : OP_HOST_DEVICE;
	x->rpc = device;
	place_arguments(x, x->target == OP_HOST_DEVICE, sizes_of[device], slot);
}
