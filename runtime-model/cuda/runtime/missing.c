/* What cudart.def lists as missing, and what programs that carry a runtime of another version call beside it
 * (../static): says its name and fails. */
#include "runtime-model/cuda/runtime/rt.h"

cudaError_t cudart_missing(const char *name)
{
	cu_missing(name);
	return done(CU_NOT_SUPPORTED);
}

#define FN(versions, chapter, name, types)
#define FX(versions, chapter, type, name, types)
#define NO(versions, chapter, name) versions(cudaError_t name(void) { return cudart_missing(#name); })
#include "runtime-model/cuda/runtime/cudart.def"
