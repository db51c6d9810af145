/* Any bytes as PTX: no crash, no hang, no leak; what parses passes ir_verify (which ptx_parse() runs). */
#include "analyzer/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct diag d;
	char *text = malloc(size + 1);
	struct source s = { .name = "fuzz.ptx", .text = text, .len = size };

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	arena_init(&a);
	diag_init(&d, NULL);
	ptx_parse(&s, &a, &d);
	diag_free(&d);
	arena_free(&a);
	free(text);
	return 0;
}
