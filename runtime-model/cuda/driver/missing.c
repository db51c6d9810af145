/* What the interface has and this does not: says its name and fails. NVIDIA's compilers (NVRTC, nvJitLink) ask for such
 * functions too, and do without: nothing is said of these. */
#include "runtime-model/cuda/driver/driver.h"

#include <dlfcn.h>
#include <string.h>

static bool is_compiler(const void *caller)
{
	static const char *const names[] = { "libnvrtc", "libnvJitLink", "libnvptxcompiler", "libnvvm" };
	const char *slash;
	Dl_info from;

	if (!dladdr(caller, &from) || !from.dli_fname)
		return false;
	slash = strrchr(from.dli_fname, '/');
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(slash ? slash + 1 : from.dli_fname, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

#define NO(name)                                               \
	API(name, void)                                        \
	{                                                      \
		if (!is_compiler(__builtin_return_address(0))) \
			cu_missing(#name);                     \
		return CU_NOT_SUPPORTED;                       \
	}
#include "runtime-model/cuda/driver/missing.def"
