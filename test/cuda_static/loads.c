/* Knows nothing of CUDA: loads each library, calls its part() and unloads it, three times over. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int round = 1; round <= 3; round++)
		for (int i = 1; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
			int (*part)(int) = library ? (int (*)(int))dlsym(library, "part") : NULL;

			if (!part) {
				fprintf(stderr, "%s\n", dlerror());
				return 1;
			}
			printf("%d ", part(round * i));
			dlclose(library);
		}
	putchar('\n');
	return 0;
}
