/* What went wrong in a kernel, as a memory checker says it. */
#include "runtime-model/cuda/core/internal.h"

#include <string.h>

enum cu_status fault_say(const struct cu_function *f, const struct cu_launch *l)
{
	const char *text = last_error();
	struct arena a;

	(void)l;
	arena_init(&a);
	fprintf(stderr, "regloom: error in kernel %s\n%s", kernel_name(f->name, &a), text);
	arena_free(&a);
	return strstr(text, "not a multiple") ? CU_MISALIGNED_ADDRESS : strstr(text, "assertion") ? CU_ASSERT : CU_ILLEGAL_ADDRESS;
}
