/* The names of the axes. */
#include "runtime-model/core/axes.h"

#include <string.h>

const char *const axis_name[AXES] = { "issue", "residency", "packing", "hierarchy", "values", "reuse" };

bool axis_takes(const char *item, size_t n)
{
	const char *eq = memchr(item, '=', n);

	for (unsigned x = 0; eq && x < AXES; x++)
		if (strlen(axis_name[x]) == (size_t)(eq - item) && memcmp(item, axis_name[x], (size_t)(eq - item)) == 0)
			return true;
	return false;
}
