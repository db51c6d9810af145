/* What cudart.def lists as missing: says its name and fails. */
#include "runtime-model/cuda/runtime/rt.h"

static cudaError_t missing(const char *name)
{
	cu_missing(name);
	return done(CU_NOT_SUPPORTED);
}

#define FN(versions, chapter, name, types)
#define FX(versions, chapter, type, name, types)
#define NO(versions, chapter, name) versions(cudaError_t name(void) { return missing(#name); })
#include "runtime-model/cuda/runtime/cudart.def"
