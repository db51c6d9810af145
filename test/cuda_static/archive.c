/* What NVIDIA's archive is to a program: functions of all names that version CUDART of the runtime has, some of them
 * hidden, none of which is ever to run. In two parts, and behind the first a name that cudart.def has not. */
#include <stdio.h>
#include <stdlib.h>

static void ran(const char *name)
{
	fprintf(stderr, "%s of the archive ran\n", name);
	_Exit(99);
}

#define ENTRY(name, seen) \
	__attribute__((visibility(seen), used, noinline)) void name(void) { ran(#name); }
#define BOTH(...) __VA_ARGS__
#if CUDART == 12
#define ONLY12(...) __VA_ARGS__
#define ONLY13(...)
#else
#define ONLY12(...)
#define ONLY13(...) __VA_ARGS__
#endif
#if PART == 1
#define FN(versions, chapter, name, types) versions(ENTRY(name, "hidden"))
#define FX(versions, chapter, type, name, types) versions(ENTRY(name, "default"))
#define NO(versions, chapter, name)
#else
#define FN(versions, chapter, name, types)
#define FX(versions, chapter, type, name, types)
#define NO(versions, chapter, name) versions(ENTRY(name, "default"))
#endif
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "runtime-model/cuda/runtime/cudart.def"
#if PART == 1
ENTRY(cudaBindTexture, "hidden")
#endif
