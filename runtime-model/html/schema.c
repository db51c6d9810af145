/* JSON against the schemas of docs/, which the program carries: the keywords that these use, as test/tool/schema.py
 * knows them, but that members without a rule are none of our business. */
#include "runtime-model/html/report.h"

#include <assert.h>
#include <string.h>

/* where in the result; key NULL: an element of an array */
struct at {
	const struct at *up;
	const char *key;
	size_t index;
};

struct checker {
	json_t *schema[BUNDLE_SCHEMAS];
	const char *name;
	struct arena *a;
	struct diag *d; /* NULL: only asks */
};

/* a schema, and the file it is in */
struct rule {
	const json_t *s, *root;
};

static const char *path(const struct at *at, struct arena *a)
{
	if (!at)
		return "";
	if (!at->key)
		return arena_printf(a, "%s[%zu]", path(at->up, a), at->index);
	return arena_printf(a, "%s%s%s", path(at->up, a), at->up ? "." : "", at->key);
}

static bool wrong(const struct checker *c, const struct at *at, const char *what)
{
	if (c->d)
		diag_error_plain(c->d, c->name, "is no result that this version reads: %s%s%s", path(at, c->a),
				 at ? " " : "it ", what);
	return false;
}

/* What {"$ref": "FILE#/a/b"} is to. The schemas are ours: it is there. */
static struct rule target(const struct checker *c, const char *ref, const json_t *root)
{
	size_t n = strcspn(ref, "#");
	const char *p = ref[n] ? ref + n + 1 : "";
	struct rule r;

	for (unsigned i = 0; n && i < BUNDLE_SCHEMAS; i++)
		if (strlen(bundle_schema[i].name) == n && memcmp(bundle_schema[i].name, ref, n) == 0)
			root = c->schema[i];
	r = (struct rule){ root, root };
	while (*p == '/') {
		size_t len = strcspn(++p, "/");

		r.s = json_object_getn(r.s, p, len);
		p += len;
	}
	assert(r.s);
	return r;
}

static bool is_a(const json_t *x, const char *type)
{
	switch (json_typeof(x)) {
	case JSON_OBJECT:
		return strcmp(type, "object") == 0;
	case JSON_ARRAY:
		return strcmp(type, "array") == 0;
	case JSON_STRING:
		return strcmp(type, "string") == 0;
	case JSON_INTEGER:
		return strcmp(type, "integer") == 0 || strcmp(type, "number") == 0;
	case JSON_REAL:
		return strcmp(type, "number") == 0;
	case JSON_TRUE:
	case JSON_FALSE:
		return strcmp(type, "boolean") == 0;
	case JSON_NULL:
		return strcmp(type, "null") == 0;
	}
	return false;
}

static bool check_type(const struct checker *c, const struct at *at, const json_t *x, const json_t *type)
{
	const json_t *one;
	size_t i;

	if (!type)
		return true;
	if (json_is_string(type))
		return is_a(x, json_string_value(type)) ||
		       wrong(c, at, arena_printf(c->a, "is no %s", json_string_value(type)));
	json_array_foreach(type, i, one) if (is_a(x, json_string_value(one))) return true;
	return wrong(c, at, "has the wrong type");
}

static bool check_value(const struct checker *c, const struct at *at, const json_t *x, const json_t *s)
{
	const json_t *is = json_object_get(s, "const"), *among = json_object_get(s, "enum"), *one;
	const json_t *least = json_object_get(s, "minimum");
	size_t i;
	bool found = !among;

	if (is && !json_equal(x, is))
		return wrong(c, at,
			     json_is_string(is) ? arena_printf(c->a, "is not \"%s\"", json_string_value(is))
						: "has a value that it cannot have");
	json_array_foreach(among, i, one) found |= json_equal(x, one);
	if (!found)
		return wrong(c, at, "has a value that it cannot have");
	return !least || !json_is_number(x) || json_number_value(x) >= json_number_value(least) ||
	       wrong(c, at, "is too small");
}

static bool check(const struct checker *c, const struct at *at, const json_t *x, struct rule r);

static bool check_object(const struct checker *c, const struct at *at, const json_t *x, struct rule r)
{
	const json_t *required = json_object_get(r.s, "required"), *rules = json_object_get(r.s, "properties");
	const json_t *others = json_object_get(r.s, "additionalProperties"), *name;
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(required, i, name) if (!json_object_get(x, json_string_value(name))) return wrong(
		c, at, arena_printf(c->a, "lacks \"%s\"", json_string_value(name)));
	json_object_foreach((json_t *)x, key, v)
	{
		const json_t *s = json_object_get(rules, key);

		if (!s && json_is_object(others))
			s = others;
		if (s && !check(c, &(struct at){ at, key, 0 }, v, (struct rule){ s, r.root }))
			return false;
	}
	return true;
}

static bool check_array(const struct checker *c, const struct at *at, const json_t *x, struct rule r)
{
	const json_t *least = json_object_get(r.s, "minItems"), *most = json_object_get(r.s, "maxItems"),
		     *each = json_object_get(r.s, "items"), *v;
	json_int_t n = (json_int_t)json_array_size(x);
	size_t i;

	if ((least && n < json_integer_value(least)) || (most && n > json_integer_value(most)))
		return wrong(c, at, "has the wrong number of elements");
	json_array_foreach(x, i, v) if (each && !check(c, &(struct at){ at, NULL, i }, v,
						       (struct rule){ each, r.root })) return false;
	return true;
}

static bool check(const struct checker *c, const struct at *at, const json_t *x, struct rule r)
{
	const json_t *ref = json_object_get(r.s, "$ref"), *when = json_object_get(r.s, "if"),
		     *then = json_object_get(r.s, "then");
	struct checker ask = *c;

	if (ref)
		return check(c, at, x, target(c, json_string_value(ref), r.root));
	if (!check_type(c, at, x, json_object_get(r.s, "type")) || !check_value(c, at, x, r.s))
		return false;
	if (json_is_object(x) && !check_object(c, at, x, r))
		return false;
	if (json_is_array(x) && !check_array(c, at, x, r))
		return false;
	ask.d = NULL;
	return !when || !then || !check(&ask, at, x, (struct rule){ when, r.root }) ||
	       check(c, at, x, (struct rule){ then, r.root });
}

bool schema_check(const json_t *result, const char *name, struct diag *d)
{
	const char *given = json_string_value(json_object_get(result, "schema"));
	struct arena a;
	struct checker c = { .name = name, .a = &a, .d = d };
	const json_t *s = NULL;
	bool ok;

	arena_init(&a);
	for (unsigned i = 0; i < BUNDLE_SCHEMAS; i++) {
		const char *id;

		c.schema[i] = json_loadb(bundle_schema[i].text, (size_t)(bundle_schema[i].end - bundle_schema[i].text),
					 0, NULL);
		assert(c.schema[i]);
		id = json_string_value(json_object_get(c.schema[i], "$id"));
		s = given && strcmp(given, id) == 0 ? c.schema[i] : s;
	}
	if (s)
		ok = check(&c, NULL, result, (struct rule){ s, s });
	else
		ok = diag_error_plain(d, name, "is no result of sm-model run --json or sm-model compare --json%s",
				      given ? arena_printf(&a, ": its schema is \"%.60s\"", given) : "");
	for (unsigned i = 0; i < BUNDLE_SCHEMAS; i++)
		json_decref(c.schema[i]);
	arena_free(&a);
	return ok;
}
