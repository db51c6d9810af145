/* Findings as SARIF 2.1.0 ("Static Analysis Results Interchange Format", OASIS Standard, 27 March 2020), for code
 * scanning in CI. Rules of level "none" tell nothing that anybody must look at, and are left out. A location names a
 * file that can be read and a line that it has, or the input alone. */
#include "analyzer/emit/findings.h"
#include "analyzer/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

/* Bytes of UTF-8 that are no character become U+FFFD: JSON holds text. */
static json_t *text(const char *s, struct arena *a)
{
	json_t *j = json_string(s);
	char *out, *to;

	if (j)
		return j;
	to = out = new_array(a, char, 3 * strlen(s) + 1);
	for (; *s; s++) {
		json_t *one = NULL;
		unsigned n = 0;

		while (!one && n < 4 && s[n])
			one = json_stringn(s, ++n);
		memcpy(to, one ? s : "\357\277\275", one ? n : 3);
		to += one ? n : 3;
		s += one ? n - 1 : 0;
		json_decref(one);
	}
	return json_string(out);
}

/* The path of a URI reference (RFC 3986): everything but unreserved characters and '/' escaped; what is in the current
 * folder is relative to it. */
static char *uri(const char *path, struct arena *a)
{
	static const char hex[] = "0123456789ABCDEF";
	char here[4096], *out, *to,
		*real = strncmp(path, "../", 3) == 0 || strstr(path, "/../") ? realpath(path, NULL) : NULL;
	size_t n;

	if (real)
		path = arena_strndup(a, real, strlen(real));
	free(real);
	to = out = new_array(a, char, 3 * strlen(path) + sizeof "file://");
	if (getcwd(here, sizeof here) && (n = strlen(here)) > 1 && strncmp(path, here, n) == 0 && path[n] == '/')
		path += n + 1;
	while (strncmp(path, "./", 2) == 0)
		path += 2 + strspn(path + 2, "/");
	if (*path == '/')
		to += sprintf(to, "file://");
	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		if (strchr("/-._~", *p) || (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
		    (*p >= 'a' && *p <= 'z')) {
			*to++ = (char)*p;
		} else {
			*to++ = '%';
			*to++ = hex[*p >> 4];
			*to++ = hex[*p & 15];
		}
	}
	return out;
}

/* The NUL counts, so that "a", "b" is not "ab". */
static uint64_t mix(uint64_t h, const char *s) { return hash_bytes(h, s, strlen(s) + 1); }

/* The same when lines above were added or removed: of what it says, in which kernel, of which text. nth: of several
 * alike. */
static char *fingerprint(const struct finding *x, const char *rule, const struct findings *all, struct arena *a)
{
	uint64_t h = mix(mix(mix(mix(HASH_START, rule), x->kernel), x->identity), x->at.text ? x->at.text : "");
	unsigned nth = 0;

	for (const struct finding *y = all->of; y < x; y++)
		nth += y->rule == x->rule && strcmp(y->kernel, x->kernel) == 0 &&
		       strcmp(y->identity, x->identity) == 0 &&
		       strcmp(y->at.text ? y->at.text : "", x->at.text ? x->at.text : "") == 0;
	return arena_printf(a, "%016llx:%u", (unsigned long long)h, nth + 1);
}

static json_t *said(const char *s, struct arena *a) { return json_pack("{s:o}", "text", text(s, a)); }

static bool can_read(const char *path)
{
	struct stat st;

	return path && strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static json_t *location(const struct finding *x, struct arena *a)
{
	const char *input = can_read(x->input) ? x->input : NULL, *path = x->at.path ? x->at.path : input;
	json_t *logical = json_pack("{s:o, s:s}", "name", text(x->kernel, a), "kind", "function");
	json_t *j = json_pack("{s:[o]}", "logicalLocations", logical), *physical, *region;

	if (!path)
		return j;
	physical = json_pack("{s:{s:s}}", "artifactLocation", "uri", uri(path, a));
	if (x->at.path) {
		region = json_pack("{s:I}", "startLine", (json_int_t)x->at.path_line);
		if (x->at.path_col)
			json_object_set_new(region, "startColumn", json_integer(x->at.path_col));
		json_object_set_new(physical, "region", region);
	}
	json_object_set_new(j, "physicalLocation", physical);
	return j;
}

static json_t *rule_json(const struct finding_info *i, struct arena *a)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:{s:s}}", "id", i->rule, "name", i->name, "shortDescription",
			 said(i->what, a), "help", said(i->help, a), "defaultConfiguration", "level", i->level);
}

static json_t *results(const struct findings *all, json_t *rules, struct arena *a)
{
	json_t *out = json_array();
	int index[ALL_RULES];

	memset(index, -1, sizeof index);
	for (uint32_t n = 0; n < all->n; n++) {
		const struct finding *x = &all->of[n];
		struct finding_info i = finding_info(x->rule, a);

		if (strcmp(i.level, "none") == 0)
			continue;
		if (index[x->rule] < 0) {
			index[x->rule] = (int)json_array_size(rules);
			json_array_append_new(rules, rule_json(&i, a));
		}
		json_array_append_new(out, json_pack("{s:s, s:i, s:s, s:o, s:[o], s:{s:s}}", "ruleId", i.rule,
						     "ruleIndex", index[x->rule], "level", i.level, "message",
						     said(finding_message(x, a), a), "locations", location(x, a),
						     "partialFingerprints", "regloomFinding/v1",
						     fingerprint(x, i.rule, all, a)));
	}
	return out;
}

static json_t *artifacts(const struct sarif_run *run, struct arena *a)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < run->ninput; i++)
		if (can_read(run->input[i]))
			json_array_append_new(out, json_pack("{s:{s:s}, s:[s]}", "location", "uri",
							     uri(run->input[i], a), "roles", "analysisTarget"));
	return out;
}

bool emit_sarif(FILE *f, const struct findings *all, const struct sarif_run *run)
{
	json_t *rules = json_array(), *found, *j;
	struct arena a;
	bool ok;

	arena_init(&a);
	found = results(all, rules, &a);
	j = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:[{s:b, s:i}], s:o, s:s, s:o}]}", "$schema",
		      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		      "version", "2.1.0", "runs", "tool", "driver", "name", "regloom", "version", REGLOOM_VERSION,
		      "rules", rules, "invocations", "executionSuccessful", 1, "exitCode", run->exit_code, "artifacts",
		      artifacts(run, &a), "columnKind", "utf16CodeUnits", "results", found);
	ok = j && json_dumpf(j, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
	json_decref(j);
	arena_free(&a);
	return ok && !ferror(f);
}
