/* A program of CUDA 11, which has other arguments under some names: executable graphs, entry points of the driver, a
 * shorter structure of properties. */
#include <stdio.h>
#include <string.h>

typedef void *handle;
enum { PROPERTIES = 728 };

int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties(void *properties, int device);
int cudaGraphCreate(handle *graph, unsigned flags);
int cudaGraphAddEmptyNode(handle *node, handle graph, const handle *before, size_t n);
int cudaGraphInstantiate(handle *exec, handle graph, handle *wrong, char *log, size_t bytes);
int cudaGraphExecUpdate(handle exec, handle graph, handle *wrong, int *result);
int cudaGraphLaunch(handle exec, handle stream);
int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags);

int main(void)
{
	char properties[PROPERTIES + 4], log[8] = "log";
	handle graph, more, exec = NULL, node, wrong = NULL, function = NULL;
	int version = 0, result = -1, n = 0;

	memset(properties, 0x5a, sizeof properties);
	n += cudaRuntimeGetVersion(&version) == 0 && version == 11080;
	n += cudaGetDeviceProperties(properties, 0) == 0 && memcmp(properties + PROPERTIES, "ZZZZ", 4) == 0;
	n += cudaGraphCreate(&graph, 0) == 0 && cudaGraphAddEmptyNode(&node, graph, NULL, 0) == 0;
	n += cudaGraphInstantiate(&exec, graph, &wrong, log, sizeof log) == 0 && exec && !log[0];
	n += cudaGraphExecUpdate(exec, graph, &wrong, &result) == 0 && result == 0;
	n += cudaGraphCreate(&more, 0) == 0 && cudaGraphAddEmptyNode(&node, more, NULL, 0) == 0 &&
	     cudaGraphAddEmptyNode(&node, more, NULL, 0) == 0;
	n += cudaGraphExecUpdate(exec, more, &wrong, &result) == 910 && result == 2; /* another topology */
	n += cudaGraphLaunch(exec, NULL) == 0;
	n += cudaGetDriverEntryPoint("cuInit", &function, 0) == 0 && function;
	n += cudaGetDriverEntryPoint("cuNothing", &function, 0) == 500 && !function;
	printf("%d of 10\n", n);
	return 0;
}
