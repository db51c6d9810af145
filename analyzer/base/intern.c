#include "intern.h"
#include "hash.h"

#include <string.h>

void intern_init(struct intern *t, struct arena *a) { *t = (struct intern){ .a = a }; }

static uint32_t lookup(const struct intern *t, const char *s, size_t len, uint32_t h)
{
	uint32_t i = h & (t->nslot - 1);

	while (t->slot[i]) {
		uint32_t id = t->slot[i] - 1;

		if (t->hash[id] == h && strncmp(t->text[id], s, len) == 0 && !t->text[id][len])
			break;
		i = (i + 1) & (t->nslot - 1);
	}
	return i;
}

uint32_t intern_find(const struct intern *t, const char *s, size_t len)
{
	uint32_t i;

	if (!t->nslot)
		return INTERN_NONE;
	i = lookup(t, s, len, hash_text(s, len));
	return t->slot[i] ? t->slot[i] - 1 : INTERN_NONE;
}

uint32_t intern_id(struct intern *t, const char *s, size_t len)
{
	uint32_t h = hash_text(s, len), i;

	if (t->n * 2 >= t->nslot) {
		t->nslot = t->nslot ? t->nslot * 2 : 16;
		t->slot = new_array(t->a, uint32_t, t->nslot);
		for (uint32_t id = 0; id < t->n; id++) {
			i = t->hash[id] & (t->nslot - 1);
			while (t->slot[i])
				i = (i + 1) & (t->nslot - 1);
			t->slot[i] = id + 1;
		}
	}
	i = lookup(t, s, len, h);
	if (t->slot[i])
		return t->slot[i] - 1;
	arena_grow(t->a, t->text, t->n, t->cap);
	arena_grow(t->a, t->hash, t->n, t->hcap);
	t->text[t->n] = arena_strndup(t->a, s, len);
	t->hash[t->n] = h;
	t->slot[i] = ++t->n;
	return t->n - 1;
}
