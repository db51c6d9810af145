/* A table of strings with dense ids: equal text, equal id, equal pointer. */
#ifndef REGLOOM_INTERN_H
#define REGLOOM_INTERN_H

#include "arena.h"

struct intern {
	struct arena *a;
	const char **text; /* by id; NUL-terminated, in arena a */
	uint32_t *hash;
	uint32_t n, cap, hcap;
	uint32_t *slot; /* open addressing; id + 1, 0 is empty */
	uint32_t nslot;
};

#define INTERN_NONE UINT32_MAX

void intern_init(struct intern *t, struct arena *a);
uint32_t intern_id(struct intern *t, const char *s, size_t len);         /* adds it if new */
uint32_t intern_find(const struct intern *t, const char *s, size_t len); /* INTERN_NONE if absent */

#endif
