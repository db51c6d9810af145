/* What of a kernel cannot be executed, counted by mnemonic and reason. */
#include "analyzer/sass/table.h"
#include "analyzer/sass/values.h"

#include "analyzer/base/intern.h"

#include <stdlib.h>
#include <string.h>

static int most_first(const void *pa, const void *pb)
{
	const struct sass_refusal *a = pa, *b = pb;
	const int name = strcmp(a->mnemonic, b->mnemonic);

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return name ? name : strcmp(a->why, b->why);
}

uint32_t sass_refusals(struct sass_refusal **list, const struct kernel *k, struct arena *a)
{
	struct sass_steps *of = new_array(a, struct sass_steps, k->ninsn + 1u);
	struct sass_refusal *found = NULL;
	uint32_t n = 0, cap = 0;
	struct intern names;

	intern_init(&names, a);
	sass_steps(k, k->native->word, a, of);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const uint64_t *w = k->native->word[i];
		struct sass_insn s;
		const char *mnemonic, *key;
		uint32_t id;

		if (!of[i].refused)
			continue;
		mnemonic = sass_decode_words(k->native->sm, w, &s) ? sass_mnemonic(&s) : "?";
		key = arena_printf(a, "%s %s", mnemonic, of[i].refused);
		id = intern_id(&names, key, strlen(key));
		if (id == n) { /* numbered as they come */
			arena_grow(a, found, n, cap);
			found[n++] = (struct sass_refusal){ mnemonic, of[i].refused, 0, i };
		}
		found[id].n++;
	}
	if (n)
		qsort(found, n, sizeof *found, most_first);
	*list = found;
	return n;
}
