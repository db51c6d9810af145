/* Any bytes as a fatbin or an ELF file with fatbins: no crash, no hang, no leak; every entry unpacks or is refused. */
#include "analyzer/fatbin/fatbin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct fatbin_choice choice[] = {
		{ 0, NULL, NULL, FATBIN_CODE_ANY }, { 0, "80", "axpy", FATBIN_CODE_ANY }, { 1, NULL, NULL, FATBIN_CODE_ANY }, { 0, "86", NULL, FATBIN_CODE_SASS },
	};
	struct arena a;
	struct diag d;
	char *text = malloc(size + 1), *shown = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&shown, &n);
	struct source s = { .name = "fuzz", .text = text, .len = size }, code;
	enum fatbin_kind kind;
	struct fatbin f;

	if (!text || !out)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	arena_init(&a);
	diag_init(&d, NULL);
	if (fatbin_read(&f, &s, &a, &d)) {
		fatbin_list(out, &f, false, &a, &d);
		fatbin_list(out, &f, true, &a, &d);
		for (size_t c = 0; c < sizeof choice / sizeof *choice; c++)
			fatbin_choose(&code, &kind, &f, &choice[c], &a, &d);
	}
	fclose(out);
	free(shown);
	diag_free(&d);
	arena_free(&a);
	free(text);
	return 0;
}
