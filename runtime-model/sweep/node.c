#include "runtime-model/sweep/node.h"
#include "analyzer/base/near.h"
#include "runtime-model/launch/yaml.h"

#include <string.h>
#include <yaml.h>

/* deeper than the format; aliases can make much of little */
enum { DEPTH_MAX = 8, NODES_MAX = 1 << 20 };

struct tree {
	const struct source *s;
	const char **line; /* where each begins */
	uint32_t nline;
	yaml_document_t doc;
	unsigned nodes;
	struct {
		size_t line, column;
		const char *p;
	} last; /* marks come in the order of the text */
	struct arena *a;
	struct diag *d;
};

static void find_lines(struct tree *t)
{
	const char *p = t->s->text;
	uint32_t cap = 0;

	while (p) {
		const char *nl = memchr(p, '\n', (size_t)(t->s->text + t->s->len - p));

		arena_grow(t->a, t->line, t->nline, cap);
		t->line[t->nline++] = p;
		p = nl ? nl + 1 : NULL;
	}
}

/* Columns are counted in characters. */
static struct loc loc_of(struct tree *t, yaml_mark_t m)
{
	const bool onward = t->last.p && t->last.line == m.line && t->last.column <= m.column;
	const char *p, *end = t->s->text + t->s->len;

	if (m.line >= t->nline)
		return (struct loc){ t->s, (uint32_t)t->s->len };
	p = onward ? t->last.p : t->line[m.line];
	for (size_t column = onward ? t->last.column : 0; column < m.column && p < end && *p != '\n'; column++)
		do
			p++;
		while (p < end && ((unsigned char)*p & 0xc0) == 0x80);
	t->last.line = m.line;
	t->last.column = m.column;
	t->last.p = p;
	return (struct loc){ t->s, (uint32_t)(p - t->s->text) };
}

static bool convert(struct tree *t, int index, struct node *out, unsigned depth)
{
	const yaml_node_t *y = yaml_document_get_node(&t->doc, index);

	*out = (struct node){ .at = loc_of(t, y->start_mark) };
	if (depth > DEPTH_MAX || ++t->nodes > NODES_MAX)
		return diag_error(t->d, out->at, depth > DEPTH_MAX ? "nested too deep" : "too many values");
	if (y->type == YAML_SCALAR_NODE) {
		out->text = arena_strndup(t->a, (const char *)y->data.scalar.value, y->data.scalar.length);
		return strlen(out->text) == y->data.scalar.length || diag_error(t->d, out->at, "a zero byte in a text");
	}
	if (y->type == YAML_SEQUENCE_NODE) {
		out->kind = NODE_LIST;
		out->n = (unsigned)(y->data.sequence.items.top - y->data.sequence.items.start);
		out->item = new_array(t->a, struct node, out->n);
		for (unsigned i = 0; i < out->n; i++)
			if (!convert(t, y->data.sequence.items.start[i], &out->item[i], depth + 1))
				return false;
	} else {
		struct node *key;

		out->kind = NODE_MAP;
		out->n = (unsigned)(y->data.mapping.pairs.top - y->data.mapping.pairs.start);
		out->item = new_array(t->a, struct node, out->n);
		out->key = key = new_array(t->a, struct node, out->n);
		for (unsigned i = 0; i < out->n; i++) {
			if (!convert(t, y->data.mapping.pairs.start[i].key, &key[i], depth + 1) ||
			    !convert(t, y->data.mapping.pairs.start[i].value, &out->item[i], depth + 1))
				return false;
			if (key[i].kind != NODE_TEXT)
				return diag_error(t->d, key[i].at, "a key must be a single value");
		}
	}
	return true;
}

static bool complain(struct tree *t, const yaml_parser_t *p)
{
	struct loc at = loc_of(t, p->problem_mark);

	if (!p->problem_mark.line && !p->problem_mark.column && p->problem_offset < t->s->len)
		at.off = (uint32_t)p->problem_offset; /* of bytes that are not UTF-8 */
	return diag_error(t->d, at, "not YAML: %s", p->problem ? p->problem : "cannot be read");
}

static bool load(struct tree *t, yaml_parser_t *p, struct node *root)
{
	const yaml_node_t *y;
	bool ok;

	if (!yaml_parser_load(p, &t->doc))
		return complain(t, p);
	y = yaml_document_get_root_node(&t->doc);
	ok = y ? convert(t, 1, root, 0)
	       : diag_error(t->d, (struct loc){ t->s, 0 }, "the file says nothing: 'kernels' is missing");
	yaml_document_delete(&t->doc);
	if (!ok)
		return false;
	if (!yaml_parser_load(p, &t->doc))
		return complain(t, p);
	y = yaml_document_get_root_node(&t->doc);
	if (y)
		ok = diag_error(t->d, loc_of(t, y->start_mark), "a second document begins here; one is read");
	yaml_document_delete(&t->doc);
	return ok;
}

const struct node *node_read(const struct source *s, struct arena *a, struct diag *d)
{
	struct tree t = { .s = s, .a = a, .d = d };
	struct node *root = new(a, struct node);
	yaml_parser_t p;
	bool ok;

	if (!yaml_depth(s, DEPTH_MAX + 1, d))
		return NULL;
	find_lines(&t);
	if (!yaml_parser_initialize(&p)) {
		diag_error_plain(d, s->name, "out of memory");
		return NULL;
	}
	yaml_parser_set_input_string(&p, (const unsigned char *)s->text, s->len);
	ok = load(&t, &p, root);
	yaml_parser_delete(&p);
	return ok ? root : NULL;
}

const struct node *node_get(const struct node *map, const char *key)
{
	for (unsigned i = 0; i < map->n; i++)
		if (strcmp(map->key[i].text, key) == 0)
			return &map->item[i];
	return NULL;
}

bool node_once(const struct node *map, struct diag *d)
{
	for (unsigned i = 0; i < map->n; i++)
		for (unsigned j = 0; j < i; j++)
			if (strcmp(map->key[i].text, map->key[j].text) == 0)
				return diag_error(d, map->key[i].at, "the key '%s' is given twice", map->key[i].text);
	return true;
}

bool node_keys(const struct node *n, const char *what, const char *const *key, unsigned nkey, struct diag *d)
{
	char hint[NEAR_HINT];
	struct near near;

	if (n->kind != NODE_MAP)
		return diag_error(d, n->at, "%s is a mapping of keys and values, not a %s", what,
				  n->kind == NODE_TEXT ? "single value" : "list");
	for (unsigned i = 0; i < n->n; i++) {
		if (name_find(key, nkey, n->key[i].text) < nkey)
			continue;
		near_begin(&near, n->key[i].text, strlen(n->key[i].text));
		near_offer_all(&near, (struct names){ key, nkey, sizeof *key });
		return diag_error(d, n->key[i].at, "%s has no key '%s'%s", what, n->key[i].text,
				  near_hint(&near, hint));
	}
	return node_once(n, d);
}
