/* Golden answers as files: JSON, of which FORMAT is the version. */
#include "runtime-model/hardware/answers.h"
#include "runtime-model/run/run.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { FORMAT = 2 };

/* ---- writing ---- */
static json_t *places_json(const struct answer *x)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < x->nplace; i++) {
		char hex[32];

		snprintf(hex, sizeof hex, "0x%" PRIx64, x->place[i]);
		json_array_append_new(list, json_string(hex));
	}
	return list;
}

static json_t *launch_json(const struct answer *x, unsigned launch)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < x->npiece; i++)
		json_array_append_new(list, json_string(x->memory[launch * x->npiece + i]));
	return list;
}

static json_t *memory_json(const struct answer *x)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < x->nlaunch; i++)
		json_array_append_new(list, launch_json(x, i));
	return list;
}

static json_t *difference_json(const struct answer *x)
{
	const struct walk_difference *d = &x->differs;
	json_t *o;

	if (!x->kernel || !d->piece)
		return NULL;
	o = json_pack("{s:s, s:i, s:s, s:I, s:I, s:I, s:s, s:s}", "kernel", x->kernel, "launch", (int)x->launch,
		      "memory", d->piece->name, "element", (json_int_t)d->element, "mismatches",
		      (json_int_t)d->mismatches, "of", (json_int_t)d->of, "device", d->theirs, "here", d->ours);
	if (o && d->floats && x->ulps != UINT64_MAX)
		json_object_set_new(o, "ulps", json_integer((json_int_t)x->ulps));
	return o;
}

static json_t *answer_json(const struct answer *x)
{
	return json_pack("{s:s, s:s, s:s*, s:s, s:s, s:o, s:o, s:o*}", "name", x->name, "result",
			 verdict_text[x->verdict], "why", x->why, "code", x->code, "launch_file", x->text, "places",
			 places_json(x), "memory", memory_json(x), "first_difference", difference_json(x));
}

json_t *device_json(const struct hardware *h)
{
	const time_t now = time(NULL);
	struct tm tm;
	char date[16];

	gmtime_r(&now, &tm);
	strftime(date, sizeof date, "%Y-%m-%d", &tm);
	return json_pack("{s:i, s:s, s:s, s:i, s:i, s:i, s:i, s:s}", "format", FORMAT, "device", h->name, "driver",
			 h->driver, "compute_capability", (int)h->sm, "sms", (int)h->sms, "sm_mhz", (int)h->sm_mhz,
			 "memory_mhz", (int)h->memory_mhz, "date", date);
}

bool answers_write(const char *path, const struct hardware *h, const struct answer *x, unsigned n, struct arena *a,
		   struct diag *d)
{
	json_t *o = device_json(h), *list = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(list, answer_json(&x[i]));
	json_object_set_new(o, "answers", list);
	return run_write_json(o, path, a, d);
}

/* ---- reading ---- */
static enum verdict verdict_of(const char *text)
{
	unsigned v = 0;

	while (v < VERDICT_COUNT && strcmp(verdict_text[v], text) != 0)
		v++;
	return (enum verdict)v;
}

static bool is_hash(const char *text)
{
	return strlen(text) == WALK_HASH - 1 && strspn(text, "0123456789abcdef") == WALK_HASH - 1;
}

/* Each launch has as many hashes. */
static bool read_memory(struct answer *x, json_t *memory, struct arena *a)
{
	const size_t launches = json_array_size(memory), pieces = json_array_size(json_array_get(memory, 0));
	char(*hash)[WALK_HASH] = arena_alloc_array(a, launches * pieces + 1, sizeof *hash, 1);

	for (size_t i = 0; i < launches; i++) {
		json_t *of = json_array_get(memory, i);

		if (json_array_size(of) != pieces)
			return false;
		for (size_t k = 0; k < pieces; k++) {
			const char *text = json_string_value(json_array_get(of, k));

			if (!text || !is_hash(text))
				return false;
			memcpy(hash[i * pieces + k], text, WALK_HASH);
		}
	}
	x->memory = (const char(*)[WALK_HASH])hash;
	x->nlaunch = (unsigned)launches;
	x->npiece = (unsigned)pieces;
	return true;
}

static bool read_places(struct answer *x, json_t *places, struct arena *a)
{
	uint64_t *place = new_array(a, uint64_t, json_array_size(places) + 1);

	for (size_t i = 0; i < json_array_size(places); i++) {
		const char *text = json_string_value(json_array_get(places, i));

		if (!text || sscanf(text, "0x%" SCNx64, &place[i]) != 1)
			return false;
	}
	x->place = place;
	x->nplace = (unsigned)json_array_size(places);
	return true;
}

static bool read_answer(struct answer *x, json_t *o, struct arena *a)
{
	const char *name, *result, *code, *text, *why = NULL;
	json_t *places, *memory;

	if (json_unpack(o, "{s:s, s:s, s?s, s:s, s:s, s:o, s:o}", "name", &name, "result", &result, "why", &why, "code",
			&code, "launch_file", &text, "places", &places, "memory", &memory) != 0)
		return false;
	*x = (struct answer){ .name = arena_printf(a, "%s", name), .verdict = verdict_of(result) };
	if (x->verdict == VERDICT_COUNT || (*code && !is_hash(code)) || (*text && !is_hash(text)))
		return false;
	memcpy(x->code, code, strlen(code) + 1);
	memcpy(x->text, text, strlen(text) + 1);
	x->why = why ? arena_printf(a, "%s", why) : NULL;
	return read_places(x, places, a) && read_memory(x, memory, a);
}

static bool read_all(json_t *o, const char *path, struct answer **list, unsigned *n, const char **from, struct arena *a,
		     struct diag *d)
{
	const char *device, *driver, *date;
	json_t *answers;
	int format;

	if (json_unpack(o, "{s:i, s:s, s:s, s:s, s:o}", "format", &format, "device", &device, "driver", &driver, "date",
			&date, "answers", &answers) != 0 ||
	    !json_is_array(answers))
		return diag_error_plain(d, path, "has no golden answers, which regloom-gpu verify --json writes");
	if (format != FORMAT)
		return diag_error_plain(d, path, "is of format %d, and this program reads format %d", format, FORMAT);
	*from = arena_printf(a, "%s, %s, %s", device, driver, date);
	*n = (unsigned)json_array_size(answers);
	*list = new_array(a, struct answer, *n + 1);
	for (unsigned i = 0; i < *n; i++)
		if (!read_answer(&(*list)[i], json_array_get(answers, i), a))
			return diag_error_plain(d, path, "answer %u is damaged", i + 1);
	return true;
}

bool answers_read(const char *path, struct answer **list, unsigned *n, const char **from, struct arena *a,
		  struct diag *d)
{
	struct source src;
	json_error_t wrong;
	json_t *o;
	bool ok;

	if (!source_read(&src, path, a, d))
		return false;
	o = json_loadb(src.text, src.len, 0, &wrong);
	if (!o)
		return diag_error_plain(d, path, "is no JSON: line %d: %s", wrong.line, wrong.text);
	ok = read_all(o, path, list, n, from, a, d);
	json_decref(o);
	return ok;
}
