/* Cubins: what the file is. */
#include "analyzer/cubin/cubin.h"

#include <string.h>

enum { EM_NVIDIA = 190 };               /* EM_CUDA of the ELF registry */

bool cubin_is(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	return n >= 20 && memcmp(p, "\177ELF", 4) == 0 && p[18] == EM_NVIDIA && p[19] == 0;
}
