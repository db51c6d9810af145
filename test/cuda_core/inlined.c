/* A fault in memory that a function of CUDA's header allocated, inlined here: this line is meant, and not the
 * header's. */
#include "runtime-model/cuda/core/core.h"

#include "cuda_runtime.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	static char text[1 << 20];
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	struct cu_module *m;
	struct cu_launch l = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
	uint64_t at = 0;
	void *param[] = { &at };

	if (!f || !fread(text, 1, sizeof text - 1, f) || cu_module_load(&m, text, "k") ||
	    cu_module_function(&l.f, m, "poke"))
		return 1;
	l.param = param;
	if (inlined_malloc(&at, 100)) /* here */
		return 1;
	at += 100;
	return cu_launch(&l) || cu_synchronize() != CU_ILLEGAL_ADDRESS;
}
