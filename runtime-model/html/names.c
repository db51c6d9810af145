/* Names of kernels as people read them, in a result that is to be drawn: symbols of C++ stand in it as values and as
 * keys, and become kernel_name() of them, unless two have the same or something else is called so. */
#include "runtime-model/html/report.h"
#include "analyzer/base/kernel_name.h"

#include <string.h>

struct names {
	json_t *name;   /* by symbol */
	json_t *symbol; /* by name; null: of several */
	json_t *plain;  /* what else stands there */
};

static void note(const struct names *n, const char *text, struct arena *a)
{
	const char *name;
	bool other;

	if (strncmp(text, "_Z", 2) != 0) {
		json_object_set_new(n->plain, text, json_true());
		return;
	}
	if (json_object_get(n->name, text))
		return;
	name = kernel_name(text, a);
	other = json_object_get(n->symbol, name) != NULL;
	json_object_set_new(n->name, text, json_string(name));
	json_object_set_new(n->symbol, name, other ? json_null() : json_string(text));
}

static void collect(const struct names *n, const json_t *j, struct arena *a)
{
	const char *key;
	json_t *of;
	size_t i;

	if (json_is_string(j))
		note(n, json_string_value(j), a);
	json_array_foreach(j, i, of) collect(n, of, a);
	json_object_foreach((json_t *)(uintptr_t)j, key, of)
	{
		note(n, key, a);
		collect(n, of, a);
	}
}

static const char *called(const struct names *n, const char *text)
{
	const char *name = json_string_value(json_object_get(n->name, text));
	const bool own = name && json_is_string(json_object_get(n->symbol, name)) && !json_object_get(n->plain, name);

	return own ? name : text;
}

static json_t *renamed(const struct names *n, const json_t *j)
{
	const char *key;
	json_t *of, *out;
	size_t i;

	if (json_is_string(j))
		return json_string(called(n, json_string_value(j)));
	if (!json_is_array(j) && !json_is_object(j))
		return json_incref((json_t *)(uintptr_t)j);
	out = json_is_array(j) ? json_array() : json_object();
	json_array_foreach(j, i, of) json_array_append_new(out, renamed(n, of));
	json_object_foreach((json_t *)(uintptr_t)j, key, of) json_object_set_new(out, called(n, key), renamed(n, of));
	return out;
}

json_t *report_named(const json_t *result, struct arena *a)
{
	const struct names n = { json_object(), json_object(), json_object() };
	json_t *out;

	collect(&n, result, a);
	out = renamed(&n, result);
	json_decref(n.name);
	json_decref(n.symbol);
	json_decref(n.plain);
	return out;
}
