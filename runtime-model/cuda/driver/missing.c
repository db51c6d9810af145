/* What the interface has and this does not: says its name and fails. */
#include "runtime-model/cuda/driver/driver.h"

#define NO(name)                         \
	API(name, void)                  \
	{                                \
		cu_missing(#name);       \
		return CU_NOT_SUPPORTED; \
	}
#include "runtime-model/cuda/driver/missing.def"
