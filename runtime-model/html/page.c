/* The page: the template that the program carries, with title and data in place of its two markers. Data are JSON in a
 * script element that is not run, and hold no character with a meaning in HTML. */
#include "runtime-model/html/report.h"
#include "analyzer/base/outfile.h"

#include <assert.h>
#include <string.h>

/* bytes of the kernels' names in a title */
enum { TITLE_NAMES = 80 };

bool report_detailed(const struct report_file *f) { return json_object_get(f->result, "detail") != NULL; }

const char *report_title(const struct report *r, struct arena *a)
{
	const json_t *first = r->file[0].result, *configs = json_object_get(first, "configurations");
	const char *kernel = json_string_value(json_object_get(first, "kernel"));
	const char *machine =
		json_string_value(json_object_get(configs ? json_array_get(configs, 0) : first, "machine"));
	int n = (int)strlen(kernel), most = n;

	if (n > TITLE_NAMES)
		for (most = TITLE_NAMES; most && (kernel[most] & 0xc0) == 0x80;)
			most--;
	return arena_printf(a, "%.*s%s%s%s%s", most, kernel, most < n ? "..." : "", machine ? " on " : "",
			    machine ? machine : "", r->n > 1 ? arena_printf(a, ", and %u more", r->n - 1) : "");
}

static void put_title(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '>')
			fputs("&gt;", f);
		else if (*s == '&')
			fputs("&amp;", f);
		else
			fputc(*s, f);
}

/* JSON in ASCII, of which only strings hold these characters. */
static int put_data(const char *buffer, size_t n, void *ctx)
{
	FILE *f = ctx;

	for (size_t i = 0; i < n; i++)
		if (strchr("<>&", buffer[i]) && buffer[i])
			fprintf(f, "\\u%04x", (unsigned)buffer[i]);
		else
			fputc(buffer[i], f);
	return ferror(f) ? -1 : 0;
}

static json_t *data_of(const struct report *r)
{
	json_t *files = json_array();

	for (unsigned i = 0; i < r->n; i++)
		json_array_append_new(files,
				      json_pack("{s:s, s:O}", "name", r->file[i].name, "result", r->file[i].result));
	return json_pack("{s:s, s:s, s:o}", "schema", "regloom-report-1", "title", r->title, "files", files);
}

/* The template up to a marker, which is there. Returns what is behind it. */
static const char *put_until(FILE *f, const char *from, const char *end, const char *marker)
{
	const char *at = memmem(from, (size_t)(end - from), marker, strlen(marker));

	assert(at);
	fwrite(from, 1, (size_t)(at - from), f);
	return at + strlen(marker);
}

bool report_write_page(const struct report *r, const char *path, struct arena *a, struct diag *d)
{
	json_t *data = data_of(r);
	const char *p = bundle_page.text;
	struct outfile out;

	if (!data)
		return diag_error_plain(d, path, "a name or the title is no UTF-8 text");
	if (!outfile_open(&out, path, a, d)) {
		json_decref(data);
		return false;
	}
	p = put_until(out.f, p, bundle_page.end, "<!--regloom:title-->");
	put_title(out.f, r->title);
	p = put_until(out.f, p, bundle_page.end, "<!--regloom:data-->");
	json_dump_callback(data, put_data, out.f, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
	fwrite(p, 1, (size_t)(bundle_page.end - p), out.f);
	json_decref(data);
	return outfile_commit(&out);
}
