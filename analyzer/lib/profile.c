/* Reading what sm-model run --profile wrote. Nothing in it is trusted. */
#include "analyzer/lib/facts.h"

#include "analyzer/base/infile.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILE_VERSION = 1 };

static bool bad(struct diag *d, const char *path, const char *what)
{
	return diag_error_plain(d, path, "is no profile of sm-model run --profile: %s", what);
}

/* False with a diagnostic: j has a key that is none of the list. */
static bool known_keys(json_t *j, const char *const *key, unsigned n, const char *path, struct arena *a, struct diag *d)
{
	const char *name;
	json_t *value;

	json_object_foreach(j, name, value)
	{
		unsigned k = 0;

		while (k < n && strcmp(key[k], name) != 0)
			k++;
		if (k == n)
			return bad(d, path, arena_printf(a, "unknown key \"%.40s\"", name));
	}
	return true;
}

static bool read_kernel(json_t *j, struct profile_kernel *k, const char *path, struct arena *a, struct diag *d)
{
	static const char *const keys[] = { "name", "code", "executions" };
	const char *name = json_string_value(json_object_get(j, "name")),
		   *code = json_string_value(json_object_get(j, "code"));
	const json_t *list = json_object_get(j, "executions");
	uint64_t *n;
	char *end;

	if (!name || !code || !json_is_array(list))
		return bad(d, path, "a kernel wants name, code and executions");
	if (!known_keys(j, keys, sizeof keys / sizeof *keys, path, a, d))
		return false;
	k->name = arena_strndup(a, name, strlen(name));
	k->code = strtoull(code, &end, 16);
	if (strlen(code) != 16 || *end || strspn(code, "0123456789abcdef") != 16)
		return bad(d, path, "the hash of code has 16 digits");
	k->nblock = (uint32_t)json_array_size(list);
	k->executions = n = new_array(a, uint64_t, (size_t)k->nblock + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		const json_t *v = json_array_get(list, b);

		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return bad(d, path, "executions are whole numbers");
		n[b] = (uint64_t)json_integer_value(v);
	}
	return true;
}

struct profile *profile_read(const char *path, struct arena *a, struct diag *d)
{
	static const char *const keys[] = { "format", "version", "object", "partial", "kernels" };
	struct profile *p = new(a, struct profile);
	struct profile_kernel *kernel;
	const char *format;
	const json_t *list, *version, *object;
	json_error_t e;
	struct source s;
	json_t *root;
	bool ok = true;

	if (!infile_source(&s, INFILE_JSON, path, a, d))
		return NULL;
	root = json_loadb(s.text, s.len, JSON_REJECT_DUPLICATES, &e);
	if (!root) {
		diag_error_plain(d, s.name, "line %d is not JSON: %s", e.line, e.text);
		return NULL;
	}
	p->path = s.name;
	format = json_string_value(json_object_get(root, "format"));
	list = json_object_get(root, "kernels");
	version = json_object_get(root, "version");
	object = json_object_get(root, "object");
	if (!format || strcmp(format, "regloom-profile") != 0 || !json_is_array(list))
		ok = bad(d, s.name, "its format is another");
	else if (!json_is_integer(version))
		ok = bad(d, s.name, "its version is no whole number");
	else if (json_integer_value(version) != PROFILE_VERSION)
		ok = diag_error_plain(d, s.name,
				      "is a profile of version %" JSON_INTEGER_FORMAT "; this program reads version %d",
				      json_integer_value(version), PROFILE_VERSION);
	else if (!json_is_string(object) && !json_is_null(object))
		ok = bad(d, s.name, "its object is no name");
	else
		ok = known_keys(root, keys, sizeof keys / sizeof *keys, s.name, a, d);
	p->nkernel = ok ? (uint32_t)json_array_size(list) : 0;
	p->kernel = kernel = new_array(a, struct profile_kernel, (size_t)p->nkernel + 1);
	for (uint32_t k = 0; ok && k < p->nkernel; k++)
		ok = read_kernel(json_array_get(list, k), &kernel[k], s.name, a, d);
	for (uint32_t k = 0; ok && k < p->nkernel; k++)
		for (uint32_t other = 0; ok && other < k; other++)
			if (strcmp(kernel[k].name, kernel[other].name) == 0)
				ok = bad(d, s.name, "a kernel is there twice");
	json_decref(root);
	return ok ? p : NULL;
}
