/* A program that carries a runtime (archive.c): which one it runs with, a function that no runtime of ours has, and one
 * of its own that is called as the runtime's are. The constructor is called before main(), as registration is. */
#include <stdio.h>

int cudaRuntimeGetVersion(int *version);
int cudaBindTexture(void);
int cudaGetLastError(void);
int cudaOfMyOwn(void);

static int early;
__attribute__((constructor)) static void start(void) { cudaRuntimeGetVersion(&early); }

int main(void)
{
	int version, missing, last;

	cudaRuntimeGetVersion(&version);
	missing = cudaBindTexture();
	last = cudaGetLastError();
	printf("%d %d %d %d %d\n", early / 1000, version / 1000, missing, last, cudaOfMyOwn());
	return 0;
}

int cudaOfMyOwn(void) { return 7; }
