/* Functions that machine code calls and the host serves (analyzer/ir/host.def). Each has a code address that no
 * instruction has; a lane that comes there calls the host, and goes on where R20 and R21 say. Arguments stand from R4
 * on, those of 64 bits in even registers; the result in R4. */
#include "runtime-model/engine/native.h"

enum { FIRST = 4, STEP = 16 };

bool native_runtime_address(const char *name, uint64_t *v)
{
	const enum host_function f = name ? host_function(name) : HOST_COUNT;

	if (f == HOST_COUNT)
		return false;
	*v = NATIVE_RUNTIME_WINDOW + (uint64_t)f * STEP;
	return true;
}

void native_runtime_decode(enum host_function f, struct xinsn *x, const uint32_t *slot)
{
	const char *argument = host_info[f].sizes + 1;
	unsigned s = host_info[f].op == OP_HOST_DEVICE; /* the function itself is the first */

	*x = (struct xinsn){ .kind = X_HOST, .target = host_info[f].op, .rpc = f };
	if (slot[FIRST] != UINT32_MAX)
		x->dst[0] = slot[FIRST];
	for (unsigned at = FIRST; *argument && s < sizeof x->src / sizeof *x->src; s++, argument++) {
		const unsigned words = host_words(*argument);

		at += words == 2 && at % 2;
		if (at < NATIVE_ABI_REGISTERS && slot[at] != UINT32_MAX)
			x->src[s] = (int32_t)slot[at];
		at += words;
	}
}
