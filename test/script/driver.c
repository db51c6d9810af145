/* A libcuda.so.1 for test/script/hardware.sh, whose device executes nothing: what is not computed differs. DRIVER_SAYS
 * is "FUNCTION=STATUS" of one that fails, DRIVER_MAJOR the major number of the compute capability, DRIVER_KEEPS a file
 * for the text that it is to load. Its functions take whatever they are given. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed; /* as on a GPU, where a kernel that failed takes all that follows with it */

static int status_of(const char *name)
{
	const char *says = getenv("DRIVER_SAYS");
	const size_t n = strlen(name);

	if (says && strncmp(says, name, n) == 0 && says[n] == '=') {
		if (strcmp(name, "cuEventSynchronize") == 0)
			failed = atoi(says + n + 1);
		return atoi(says + n + 1);
	}
	return strncmp(name, "cuMem", 5) == 0 ? failed : 0;
}

static int attribute(uintptr_t which)
{
	if (which == 75)
		return getenv("DRIVER_MAJOR") ? atoi(getenv("DRIVER_MAJOR")) : 8;
	return which == 13 ? 1000000 : 6;
}

static void keep(const char *text)
{
	FILE *f = getenv("DRIVER_KEEPS") ? fopen(getenv("DRIVER_KEEPS"), "w") : NULL;

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static int answer(const char *name, uintptr_t a, uintptr_t b, uintptr_t c)
{
	const int status = status_of(name);
	static const float ms = 1;
	const int one = 1;
	const char *text = "CUDA_ERROR_OF_A_TEST";

	if (!strcmp(name, "cuGetErrorName"))
		memcpy((void *)b, &text, sizeof text);
	else if (status)
		return status;
	else if (!strcmp(name, "cuDeviceGetCount"))
		memcpy((void *)a, &one, sizeof one);
	else if (!strcmp(name, "cuDeviceGetName"))
		snprintf((char *)a, b, "idle device");
	else if (!strcmp(name, "cuDeviceGetAttribute"))
		*(int *)a = attribute(b);
	else if (!strcmp(name, "cuFuncGetAttribute"))
		*(int *)a = 10;
	else if (!strcmp(name, "cuModuleLoadDataEx"))
		keep((const char *)b);
	else if (!strcmp(name, "cuModuleGetGlobal_v2"))
		return 500;
	else if (!strcmp(name, "cuMemAlloc_v2"))
		*(void **)a = calloc(1, b);
	else if (!strcmp(name, "cuMemcpyHtoD_v2") || !strcmp(name, "cuMemcpyDtoH_v2"))
		memcpy((void *)a, (void *)b, c);
	else if (!strcmp(name, "cuEventElapsedTime"))
		memcpy((void *)a, &ms, sizeof ms);
	return 0;
}

#define DRIVER(name, takes)                              \
	int name(uintptr_t a, uintptr_t b, uintptr_t c); \
	int name(uintptr_t a, uintptr_t b, uintptr_t c) { return answer(#name, a, b, c); }
#include "runtime-model/hardware/driver.def"
