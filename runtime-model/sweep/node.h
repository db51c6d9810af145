/* A YAML text as a tree whose every value knows where it stands. For files whose keys are not known before, which
 * libcyaml's schemas cannot describe: parameters of the machine are keys of a sweep. */
#ifndef REGLOOM_SWEEP_NODE_H
#define REGLOOM_SWEEP_NODE_H

#include "analyzer/base/diag.h"

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP };
struct node {
	enum node_kind kind;
	struct loc at;
	const char *text; /* of NODE_TEXT */
	unsigned n;
	struct node *item;      /* of a list or a map */
	const struct node *key; /* of a map: n texts */
};

/* The one document of s, in arena a. NULL with a diagnostic. */
const struct node *node_read(const struct source *s, struct arena *a, struct diag *d);
/* The value of a key; NULL: there is none. */
const struct node *node_get(const struct node *map, const char *key);
/* Is n a map of no other keys than these, none of them twice? False with a diagnostic. what: "a kernel". */
bool node_keys(const struct node *n, const char *what, const char *const *key, unsigned nkey, struct diag *d);
bool node_once(const struct node *map, struct diag *d); /* no key is there twice */

#endif
