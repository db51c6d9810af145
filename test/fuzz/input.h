/* The bytes of a fuzzer as what readers take: a source with a NUL behind it, in memory of its own so that a sanitizer
 * sees what reads past it. */
#ifndef REGLOOM_FUZZ_INPUT_H
#define REGLOOM_FUZZ_INPUT_H

#include "analyzer/base/diag.h"

#include <stdlib.h>
#include <string.h>

/* Views go to `out`, memory that nobody looks at but `shown`. */
struct fuzz_input {
	struct source s;
	struct arena a;
	struct diag d;
	char *text, *shown;
	size_t nshown;
	FILE *out;
};

static inline void fuzz_begin(struct fuzz_input *x, const char *name, const uint8_t *data, size_t size)
{
	x->text = malloc(size + 1);
	x->shown = NULL;
	x->out = open_memstream(&x->shown, &x->nshown);
	if (!x->text || !x->out)
		abort();
	if (size)
		memcpy(x->text, data, size);
	x->text[size] = 0;
	x->s = (struct source){ .name = name, .text = x->text, .len = size };
	arena_init(&x->a);
	diag_init(&x->d, NULL);
}

static inline void fuzz_end(struct fuzz_input *x)
{
	diag_free(&x->d);
	arena_free(&x->a);
	fclose(x->out);
	free(x->shown);
	free(x->text);
}

#endif
