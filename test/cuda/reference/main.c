/* cuda_reference DIR: writes what the kernels of test/cuda must compute. */
#include "test/cuda/reference/cuda_ref.h"

int main(int argc, char **argv)
{
	const struct cuda_ref *tables[] = { refs_language, refs_integer, refs_floating, refs_half,
					    refs_atomics,  refs_warp,    refs_shared,   refs_async,
					    refs_tensor,   refs_numeric, refs_codes,    refs_search };

	if (argc != 2) {
		fprintf(stderr, "usage: %s DIR\n", argv[0]);
		return 2;
	}
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct cuda_ref *r = tables[i]; r->name; r++)
			r->run(argv[1]);
	return 0;
}
