/* Names of kernels as people read them, in a result that is to be drawn: symbols of C++ stand in it as values and as
 * keys, and become kernel_name() of them, unless two have the same. */
#include "runtime-model/html/report.h"
#include "analyzer/base/kernel_name.h"

#include <string.h>

/* names: by symbol what it is called; symbols: by that the symbol, null if there are several. */
static void note(const char *symbol, json_t *names, json_t *symbols, struct arena *a)
{
	const char *name;
	const json_t *other;

	if (strncmp(symbol, "_Z", 2) != 0 || json_object_get(names, symbol))
		return;
	name = kernel_name(symbol, a);
	other = json_object_get(symbols, name);
	json_object_set_new(names, symbol, json_string(name));
	json_object_set_new(symbols, name, other ? json_null() : json_string(symbol));
}

static void collect(const json_t *j, json_t *names, json_t *symbols, struct arena *a)
{
	const char *key;
	json_t *of;
	size_t i;

	if (json_is_string(j))
		note(json_string_value(j), names, symbols, a);
	json_array_foreach(j, i, of) collect(of, names, symbols, a);
	json_object_foreach((json_t *)(uintptr_t)j, key, of)
	{
		note(key, names, symbols, a);
		collect(of, names, symbols, a);
	}
}

static const char *called(const char *symbol, const json_t *names, const json_t *symbols)
{
	const char *name = json_string_value(json_object_get(names, symbol));

	return name && json_is_string(json_object_get(symbols, name)) ? name : symbol;
}

static json_t *renamed(const json_t *j, const json_t *names, const json_t *symbols)
{
	const char *key;
	json_t *of, *out;
	size_t i;

	if (json_is_string(j))
		return json_string(called(json_string_value(j), names, symbols));
	if (!json_is_array(j) && !json_is_object(j))
		return json_incref((json_t *)(uintptr_t)j);
	out = json_is_array(j) ? json_array() : json_object();
	json_array_foreach(j, i, of) json_array_append_new(out, renamed(of, names, symbols));
	json_object_foreach((json_t *)(uintptr_t)j, key, of)
		json_object_set_new(out, called(key, names, symbols), renamed(of, names, symbols));
	return out;
}

json_t *report_named(const json_t *result, struct arena *a)
{
	json_t *names = json_object(), *symbols = json_object(), *out;

	collect(result, names, symbols, a);
	out = renamed(result, names, symbols);
	json_decref(names);
	json_decref(symbols);
	return out;
}
