/* What is inside a fatbin, for people and for tools. */
#include "fatbin.h"

#include "analyzer/base/text.h"

#include <jansson.h>
#include <string.h>

enum { COLUMNS = 10, SHOWN_MAX = 60 };

static const char *packing_name(enum fatbin_packing p)
{
	static const char *const name[] = { [PACKED_NO] = "none", [PACKED_LZ4] = "lz4", [PACKED_ZSTD] = "zstd" };

	return name[p];
}

static json_t *text(const char *s)
{
	json_t *t = json_string(s);

	return t ? t : json_string(""); /* not UTF-8 */
}

/* why: of an entry, NULL or why its kernels are not known. */
static bool list_json(FILE *out, const struct fatbin *f, const char ***kernel, const uint32_t *nkernel,
		      const char **why, struct arena *a)
{
	json_t *root = json_object(), *modules = json_array();
	bool ok;

	for (uint32_t i = 0; i < f->n; i++) {
		const struct fatbin_entry *e = &f->entry[i];
		json_t *m = json_object(), *names = json_array();

		json_object_set_new(m, "module", json_integer(e->number));
		json_object_set_new(m, "container", json_integer(e->container));
		json_object_set_new(m, "kind", json_string(fatbin_kind_name(e->kind)));
		json_object_set_new(m, "arch", json_string(fatbin_arch_name(e, a)));
		if (e->kind == FATBIN_PTX)
			json_object_set_new(m, "ptx_version",
					    json_string(arena_printf(a, "%u.%u", e->version / 10, e->version % 10)));
		json_object_set_new(m, "compression", json_string(packing_name(e->packing)));
		json_object_set_new(m, "stored_bytes", json_integer((json_int_t)e->stored));
		json_object_set_new(m, "bytes", json_integer((json_int_t)e->size));
		json_object_set_new(m, "section", e->section ? json_string(e->section) : json_null());
		json_object_set_new(m, "offset", json_integer((json_int_t)e->off));
		json_object_set_new(m, "source", text(e->name));
		json_object_set_new(m, "options", text(e->options));
		json_object_set_new(m, "debug", json_boolean(e->debug));
		for (uint32_t k = 0; k < nkernel[i]; k++)
			json_array_append_new(names, text(kernel[i][k]));
		json_object_set_new(m, "kernels", names);
		if (why[i])
			json_object_set_new(m, "error", text(why[i]));
		json_array_append_new(modules, m);
	}
	json_object_set_new(root, "file", text(f->name));
	json_object_set_new(root, "modules", modules);
	ok = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
	json_decref(root);
	return ok;
}

static const char *clean(const char *s, struct arena *a) { return text_shown(a, s, strlen(s), ""); }

static const char *shorten(const char **kernel, uint32_t n, struct arena *a)
{
	char *names = arena_strndup(a, "", 0);
	uint32_t k = 0;

	for (; k < n && strlen(names) < SHOWN_MAX; k++)
		names = arena_printf(a, "%s%s%s", names, k ? " " : "", clean(kernel[k], a));
	if (k < n)
		return arena_printf(a, "%s and %u more", names, n - k);
	return n ? names : "-";
}

/* Columns as wide as their widest cell, numbers to the right, the last one unpadded. */
static void list_table(FILE *out, const struct fatbin *f, const char ***kernel, const uint32_t *nkernel,
		       const char **why, struct arena *a)
{
	static const char *const head[COLUMNS] = { "module",  "container",  "kind",     "arch",    "PTX",
						   "packing", "stored [B]", "size [B]", "options", "kernels" };
	const char *(*cell)[COLUMNS] = arena_alloc_array(a, f->n + 1, sizeof *cell, _Alignof(const char *));
	int width[COLUMNS] = { 0 };

	memcpy(cell[0], head, sizeof head);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct fatbin_entry *e = &f->entry[i];
		const char **c = cell[i + 1];

		c[0] = arena_printf(a, "%u", e->number);
		c[1] = arena_printf(a, "%u", e->container);
		c[2] = fatbin_kind_name(e->kind);
		c[3] = fatbin_arch_name(e, a);
		c[4] = e->kind == FATBIN_PTX ? arena_printf(a, "%u.%u", e->version / 10, e->version % 10) : "-";
		c[5] = packing_name(e->packing);
		c[6] = arena_printf(a, "%llu", (unsigned long long)e->stored);
		c[7] = arena_printf(a, "%llu", (unsigned long long)e->size);
		c[8] = *e->options ? clean(e->options, a) : "-";
		c[9] = why[i] ? "(cannot be read)" : shorten(kernel[i], nkernel[i], a);
	}
	for (uint32_t i = 0; i <= f->n; i++)
		for (int c = 0; c < COLUMNS; c++)
			if ((int)strlen(cell[i][c]) > width[c])
				width[c] = (int)strlen(cell[i][c]);
	for (uint32_t i = 0; i <= f->n; i++)
		for (int c = 0; c < COLUMNS; c++)
			if (c + 1 == COLUMNS)
				fprintf(out, "%s\n", cell[i][c]);
			else
				fprintf(out, "%*s  ", c < 2 || c == 6 || c == 7 ? width[c] : -width[c], cell[i][c]);
}

/* Names of the kernels of an entry, in A; what is unpacked goes with `scratch`. A cubin that is not one of those read
 * here does not keep the others from being listed. */
static bool find_kernels(const struct fatbin *f, const struct fatbin_entry *e, const char ***names, uint32_t *n,
			 const char **why, struct arena *scratch, struct arena *a, struct diag *d)
{
	const char **found = NULL;
	struct source code;
	struct diag quiet;

	if (!fatbin_unpack(&code, f, e, scratch, d))
		return false;
	diag_init(&quiet, NULL);
	if (!fatbin_entry_kernels(&code, e->kind, &found, n, scratch, &quiet))
		*why = arena_strndup(a, quiet.last, strcspn(quiet.last, "\n"));
	diag_free(&quiet);
	*names = new_array(a, const char *, *n + 1);
	for (uint32_t k = 0; k < *n; k++)
		(*names)[k] = arena_strndup(a, found[k], strlen(found[k]));
	arena_recycle(scratch);
	return true;
}

bool fatbin_list(FILE *out, const struct fatbin *f, bool json, struct arena *a, struct diag *d)
{
	const char ***kernel = new_array(a, const char **, f->n + 1), **why = new_array(a, const char *, f->n + 1);
	uint32_t *nkernel = new_array(a, uint32_t, f->n + 1);
	struct arena scratch;
	bool ok = true;

	arena_init(&scratch);
	for (uint32_t i = 0; ok && i < f->n; i++)
		if (f->entry[i].kind == FATBIN_PTX || f->entry[i].kind == FATBIN_CUBIN)
			ok = find_kernels(f, &f->entry[i], &kernel[i], &nkernel[i], &why[i], &scratch, a, d);
	arena_free(&scratch);
	if (!ok)
		return false;
	if (!json)
		list_table(out, f, kernel, nkernel, why, a);
	else if (!list_json(out, f, kernel, nkernel, why, a))
		return diag_error_plain(d, f->name, "the list could not be written");
	return true;
}
