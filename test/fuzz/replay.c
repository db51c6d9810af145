/* Replays corpus files through one fuzz target without a fuzzer: replay_f_NAME FILE... prints how many it ran. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		uint8_t *data;
		long n;

		if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0) {
			perror(argv[i]);
			return 1;
		}
		rewind(f);
		data = malloc((size_t)n + 1);
		if (!data || fread(data, 1, (size_t)n, f) != (size_t)n) {
			perror(argv[i]);
			return 1;
		}
		fclose(f);
		LLVMFuzzerTestOneInput(data, (size_t)n);
		free(data);
	}
	printf("replayed %d inputs\n", argc - 1);
	return 0;
}
