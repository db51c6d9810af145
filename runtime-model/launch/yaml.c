/* Launch file text to raw structs (yaml.h). libcyaml takes its memory from the arena, so nothing is freed. Aliases are
 * refused: a few lines of them can stand for gigabytes. */
#include "runtime-model/launch/yaml.h"

#include <ctype.h>
#include <cyaml/cyaml.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* deeper than the schema */
enum { NEST_MAX = 16 };

/* ---- the schema ---- */
#define TEXT(key, type, member) CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, type, member, 1, CYAML_UNLIMITED)
#define TEXT_OPT(key, type, member) \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, 1, CYAML_UNLIMITED)
#define LIST(key, flags, type, member, entry, min, max) \
	CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER | (flags), type, member, n##member, entry, min, max)

static const cyaml_schema_field_t buffer_fields[] = { TEXT("name", struct raw_buffer, name),
						      TEXT("type", struct raw_buffer, type),
						      TEXT("count", struct raw_buffer, count),
						      TEXT_OPT("fill", struct raw_buffer, fill),
						      TEXT_OPT("value", struct raw_buffer, value),
						      TEXT_OPT("start", struct raw_buffer, start),
						      TEXT_OPT("step", struct raw_buffer, step),
						      TEXT_OPT("modulo", struct raw_buffer, modulo),
						      TEXT_OPT("low", struct raw_buffer, low),
						      TEXT_OPT("high", struct raw_buffer, high),
						      TEXT_OPT("seed", struct raw_buffer, seed),
						      TEXT_OPT("file", struct raw_buffer, file),
						      TEXT_OPT("address", struct raw_buffer, address),
						      TEXT_OPT("variable", struct raw_buffer, variable),
						      CYAML_FIELD_END };
static const cyaml_schema_field_t field_fields[] = {
	TEXT_OPT("buffer", struct raw_field, buffer),   TEXT_OPT("offset", struct raw_field, offset),
	TEXT_OPT("value", struct raw_field, value),     TEXT_OPT("type", struct raw_field, type),
	TEXT_OPT("texture", struct raw_field, texture), TEXT_OPT("surface", struct raw_field, surface),
	TEXT_OPT("sampler", struct raw_field, sampler), CYAML_FIELD_END
};
static const cyaml_schema_value_t field_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_field,
								      field_fields) };
static const cyaml_schema_field_t arg_fields[] = { TEXT_OPT("buffer", struct raw_arg, buffer),
						   TEXT_OPT("offset", struct raw_arg, offset),
						   TEXT_OPT("value", struct raw_arg, value),
						   TEXT_OPT("type", struct raw_arg, type),
						   TEXT_OPT("texture", struct raw_arg, texture),
						   TEXT_OPT("surface", struct raw_arg, surface),
						   TEXT_OPT("sampler", struct raw_arg, sampler),
						   LIST("fields", CYAML_FLAG_OPTIONAL, struct raw_arg, field,
							&field_value, 1, CYAML_UNLIMITED),
						   CYAML_FIELD_END };
static const cyaml_schema_value_t arg_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_arg, arg_fields) };
static const cyaml_schema_value_t text_value = { CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED) };
#define RESOURCE_SHAPE                                                                                            \
	TEXT("name", struct raw_resource, name), TEXT("buffer", struct raw_resource, buffer),                     \
		TEXT("width", struct raw_resource, width), TEXT_OPT("height", struct raw_resource, height),       \
		TEXT_OPT("depth", struct raw_resource, depth), TEXT_OPT("layers", struct raw_resource, layers),   \
		TEXT_OPT("cube", struct raw_resource, cube), TEXT_OPT("channels", struct raw_resource, channels), \
		TEXT_OPT("format", struct raw_resource, format), TEXT_OPT("handle", struct raw_resource, handle), \
		TEXT_OPT("offset", struct raw_resource, offset), TEXT_OPT("pitch", struct raw_resource, pitch),   \
		TEXT_OPT("levels", struct raw_resource, levels)
#define RESOURCE_SAMPLER                                                                                          \
	TEXT_OPT("filter", struct raw_resource, filter), TEXT_OPT("normalized", struct raw_resource, normalized), \
		LIST("address", CYAML_FLAG_OPTIONAL, struct raw_resource, address, &text_value, 1, 3),            \
		LIST("border", CYAML_FLAG_OPTIONAL, struct raw_resource, border, &text_value, 4, 4),              \
		TEXT_OPT("between", struct raw_resource, between), TEXT_OPT("bias", struct raw_resource, bias),   \
		TEXT_OPT("low", struct raw_resource, low), TEXT_OPT("high", struct raw_resource, high)
static const cyaml_schema_field_t texture_fields[] = { RESOURCE_SHAPE, RESOURCE_SAMPLER,
						       TEXT_OPT("read", struct raw_resource, read), CYAML_FIELD_END };
static const cyaml_schema_field_t surface_fields[] = { RESOURCE_SHAPE, CYAML_FIELD_END };
static const cyaml_schema_field_t sampler_fields[] = { TEXT("name", struct raw_resource, name),
						       TEXT_OPT("handle", struct raw_resource, handle),
						       RESOURCE_SAMPLER, CYAML_FIELD_END };
static const cyaml_schema_value_t texture_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_resource,
									texture_fields) };
static const cyaml_schema_value_t surface_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_resource,
									surface_fields) };
static const cyaml_schema_value_t sampler_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_resource,
									sampler_fields) };
static const cyaml_schema_field_t launch_fields[] = {
	TEXT("kernel", struct raw_launch, kernel),
	LIST("grid", 0, struct raw_launch, grid, &text_value, 1, 3),
	LIST("block", 0, struct raw_launch, block, &text_value, 1, 3),
	LIST("cluster", CYAML_FLAG_OPTIONAL, struct raw_launch, cluster, &text_value, 1, 3),
	TEXT_OPT("shared_bytes", struct raw_launch, shared_bytes),
	TEXT_OPT("stack_bytes", struct raw_launch, stack_bytes),
	TEXT_OPT("cooperative", struct raw_launch, cooperative),
	TEXT_OPT("code_before", struct raw_launch, code_before),
	LIST("args", CYAML_FLAG_OPTIONAL, struct raw_launch, arg, &arg_value, 0, CYAML_UNLIMITED),
	CYAML_FIELD_END
};
static const cyaml_schema_field_t repeat_fields[] = { TEXT("first", struct raw_repeat, first),
						      TEXT_OPT("last", struct raw_repeat, last),
						      TEXT_OPT("while", struct raw_repeat, flag),
						      TEXT_OPT("counter_arg", struct raw_repeat, counter_arg),
						      TEXT_OPT("max_rounds", struct raw_repeat, max_rounds),
						      TEXT_OPT("rounds", struct raw_repeat, rounds),
						      CYAML_FIELD_END };
static const cyaml_schema_field_t expect_fields[] = { TEXT("buffer", struct raw_expect, buffer),
						      TEXT_OPT("file", struct raw_expect, file),
						      TEXT_OPT("other", struct raw_expect, other),
						      TEXT_OPT("abs", struct raw_expect, abs),
						      TEXT_OPT("rel", struct raw_expect, rel),
						      TEXT_OPT("allow_mismatch", struct raw_expect, allow_mismatch),
						      CYAML_FIELD_END };
static const cyaml_schema_value_t buffer_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_buffer,
								       buffer_fields) };
static const cyaml_schema_value_t launch_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_launch,
								       launch_fields) };
static const cyaml_schema_value_t repeat_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_repeat,
								       repeat_fields) };
static const cyaml_schema_value_t expect_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_expect,
								       expect_fields) };
static const cyaml_schema_field_t file_fields[] = {
	TEXT_OPT("heap_bytes", struct raw_file, heap_bytes),
	TEXT_OPT("sha256", struct raw_file, sha256),
	TEXT_OPT("object_sha256", struct raw_file, object_sha256),
	TEXT_OPT("memory", struct raw_file, memory),
	TEXT_OPT("l2", struct raw_file, l2),
	TEXT_OPT("grid_barrier", struct raw_file, grid_barrier),
	LIST("buffers", CYAML_FLAG_OPTIONAL, struct raw_file, buffer, &buffer_value, 0, CYAML_UNLIMITED),
	LIST("textures", CYAML_FLAG_OPTIONAL, struct raw_file, texture, &texture_value, 0, CYAML_UNLIMITED),
	LIST("surfaces", CYAML_FLAG_OPTIONAL, struct raw_file, surface, &surface_value, 0, CYAML_UNLIMITED),
	LIST("samplers", CYAML_FLAG_OPTIONAL, struct raw_file, sampler, &sampler_value, 0, CYAML_UNLIMITED),
	LIST("launches", 0, struct raw_file, launch, &launch_value, 1, CYAML_UNLIMITED),
	LIST("repeats", CYAML_FLAG_OPTIONAL, struct raw_file, repeat, &repeat_value, 0, CYAML_UNLIMITED),
	LIST("expect", CYAML_FLAG_OPTIONAL, struct raw_file, expect, &expect_value, 0, CYAML_UNLIMITED),
	CYAML_FIELD_END
};
static const cyaml_schema_value_t file_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_file,
								     file_fields) };

/* ---- memory for libcyaml ---- */
/* before each piece: its capacity */
enum { HEAD_BYTES = 16 };

/* realloc and free over an arena. It grows by doubling, as libcyaml adds list entries one by one. */
static void *arena_mem(void *ctx, void *p, size_t bytes)
{
	char *old = p, *wider;
	size_t cap = 0;

	if (!bytes)
		return NULL;
	if (old)
		memcpy(&cap, old - HEAD_BYTES, sizeof cap);
	if (bytes <= cap)
		return old;
	if (bytes < 2 * cap)
		bytes = 2 * cap;
	wider = arena_alloc(ctx, HEAD_BYTES + bytes, HEAD_BYTES);
	memcpy(wider, &bytes, sizeof bytes);
	wider += HEAD_BYTES;
	if (old)
		memcpy(wider, old, cap);
	return wider;
}

/* ---- errors of libcyaml ---- */
/* the first message, and the two innermost places that the backtrace after it names */
struct complaint {
	struct arena *a;
	const char *text;
	struct {
		unsigned line, col;
	} at[2]; /* from 1 */
	unsigned n;
};

static void listen(cyaml_log_t level, void *ctx, const char *fmt, va_list ap)
{
	struct complaint *c = ctx;
	char *s = arena_vprintf(c->a, fmt, ap), *at;
	size_t n = strlen(s);

	(void)level;
	if (n && s[n - 1] == '\n')
		s[n - 1] = 0;
	if (strncmp(s, "Load: ", 6) == 0)
		s += 6;
	at = strstr(s, " (line: ");
	if (s[0] == ' ' && at) {
		if (c->n < 2 && sscanf(at, " (line: %u, column: %u)", &c->at[c->n].line, &c->at[c->n].col) == 2 &&
		    c->at[c->n].line && c->at[c->n].col)
			c->n++;
	} else if (!c->text && strcmp(s, "Backtrace:") != 0) {
		c->text = s;
	}
}

/* A place in a text, line and column from 0, and where its line starts; NULL: none yet. */
struct line_start {
	size_t line, col;
	const char *start, *p;
};

/* Byte offset of a line and column (from 0, columns counted in characters). *from: any place on that line, or on one
 * before it. */
static uint32_t offset_of(const struct source *s, size_t line, size_t col, struct line_start *from)
{
	const char *end = s->text + s->len;

	if (!from->start)
		from->start = from->p = s->text;
	if (from->line < line || from->col > col) {
		from->p = from->start;
		from->col = 0;
	}
	for (; from->line < line; from->line++) {
		const char *nl = memchr(from->p, '\n', (size_t)(end - from->p));

		if (!nl)
			break;
		from->start = from->p = nl + 1;
	}
	for (; from->col < col && from->p < end && *from->p != '\n'; from->col++)
		do
			from->p++;
		while (from->p < end && ((unsigned char)*from->p & 0xc0) == 0x80);
	return (uint32_t)(from->p - s->text);
}

/* Offset of KEY written as a key at or after `from`; `from` if there is none. */
static uint32_t find_key(const struct source *s, uint32_t from, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = s->text + from; n && (p = strstr(p, key)); p++) {
		const char *q = p + n;

		while (*q == ' ' || *q == '"' || *q == '\'')
			q++;
		if (*q == ':' && (p == s->text || !isalnum((unsigned char)p[-1])))
			return (uint32_t)(p - s->text);
	}
	return from;
}

/* Our words for what libcyaml and libyaml say. key: the message ends in the name of a key. */
static const struct {
	const char *theirs, *ours;
	bool key;
} wording[] = {
	{ "Unexpected key: ", "unknown key", true },
	{ "Mapping field already seen: ", "this key is given twice:", true },
	{ "Missing required mapping field: ", "a key is missing here:", false },
	{ "STRING length < 1", "a value is missing here", false },
	{ "Excessive entries (3 max) in sequence.", "more than three dimensions", false },
	{ "Insufficient entries", "this list must not be empty", false },
	{ "Expecting SEQUENCE, got event: ", "a list in [] was expected, not a", false },
	{ "Expecting MAPPING, got event: ", "a mapping in {} was expected, not a", false },
	{ "Expecting STRING, got event: ", "a single value was expected, not a", false },
};

static const struct {
	const char *theirs, *ours;
} event_words[] = {
	{ "SCALAR", "single value" },
	{ "SEQUENCE_START", "list" },
	{ "MAPPING_START", "mapping" },
	{ "ALIAS", "alias" },
};

/* What libyaml itself says of a text that it refuses, at the place that it means: libcyaml keeps only the text. */
static bool complain_syntax(const struct source *s, struct diag *d)
{
	struct line_start top = { 0 };
	struct loc at = { s, 0 };
	yaml_parser_t p;
	yaml_event_t e;
	bool end = false;

	if (!yaml_parser_initialize(&p))
		return diag_error(d, at, "not YAML");
	yaml_parser_set_input_string(&p, (const unsigned char *)s->text, s->len);
	while (!end && yaml_parser_parse(&p, &e)) {
		end = e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
	if (p.problem_mark.line || p.problem_mark.column)
		at.off = offset_of(s, p.problem_mark.line, p.problem_mark.column, &top);
	else if (p.problem_offset < s->len)
		at.off = (uint32_t)p.problem_offset; /* of bytes that are not UTF-8 */
	diag_error(d, at, "not YAML: %s", p.problem ? p.problem : "cannot be read");
	yaml_parser_delete(&p);
	return false;
}

static bool complain(const struct complaint *c, cyaml_err_t err, const struct source *s, struct diag *d)
{
	bool outer = err == CYAML_ERR_MAPPING_FIELD_MISSING; /* the innermost place is a value that is there */
	struct line_start top = { 0 };
	struct loc at = { s, c->n > outer ? offset_of(s, c->at[outer].line - 1, c->at[outer].col - 1, &top) : 0 };

	if (err == CYAML_ERR_LIBYAML_PARSER)
		return complain_syntax(s, d);
	if (err == CYAML_ERR_ALIAS)
		return diag_error(d, at, "aliases (*name) are not accepted in launch files");
	for (size_t w = 0; c->text && w < sizeof wording / sizeof *wording; w++) {
		size_t n = strlen(wording[w].theirs);
		const char *rest = c->text + n;

		if (strncmp(c->text, wording[w].theirs, n) != 0)
			continue;
		if (wording[w].key)
			at.off = find_key(s, at.off, rest);
		for (size_t e = 0; e < sizeof event_words / sizeof *event_words; e++)
			if (strcmp(rest, event_words[e].theirs) == 0)
				rest = event_words[e].ours;
		if (wording[w].theirs[n - 1] != ' ')
			rest = "";
		return diag_error(d, at, "%s%s%s", wording[w].ours, *rest ? " " : "", rest);
	}
	return diag_error(d, at, "%s", c->text ? c->text : cyaml_strerror(err));
}

/* ---- positions ---- */
struct walk {
	yaml_parser_t parser;
	struct yaml_marks *m;
	struct arena *a;
	struct line_start last; /* marks come in the order of the text */
};

static void mark(struct walk *w, const char *path, const yaml_event_t *e)
{
	uint32_t id = intern_id(&w->m->paths, path, strlen(path));

	while (id >= w->m->cap)
		arena_grow(w->a, w->m->off, w->m->cap, w->m->cap);
	w->m->off[id] = offset_of(w->m->src, e->start_mark.line, e->start_mark.column, &w->last);
}

/* Marks the value that comes next, and all inside it. False at the end of a list or mapping, or on an error. */
static bool walk_value(struct walk *w, const char *path, unsigned depth)
{
	yaml_event_t e;
	yaml_event_type_t type;
	bool ok = true;

	if (depth > NEST_MAX || !yaml_parser_parse(&w->parser, &e))
		return false;
	type = e.type;
	if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
		mark(w, path, &e);
	else
		ok = false;
	yaml_event_delete(&e);
	if (type == YAML_SEQUENCE_START_EVENT) {
		for (unsigned i = 0; walk_value(w, arena_printf(w->a, "%s[%u]", path, i), depth + 1); i++)
			;
	} else if (type == YAML_MAPPING_START_EVENT) {
		while (yaml_parser_parse(&w->parser, &e)) {
			bool key = e.type == YAML_SCALAR_EVENT;
			const char *dot = *path ? "." : "";
			char *child = key ? arena_printf(w->a, "%s%s%s", path, dot, (char *)e.data.scalar.value) : NULL;

			yaml_event_delete(&e);
			if (!key || !walk_value(w, child, depth + 1))
				break;
		}
	}
	return ok;
}

static void walk_text(struct yaml_marks *m, struct arena *a)
{
	struct walk w = { .m = m, .a = a };
	yaml_event_t e;
	bool more = true;

	if (!yaml_parser_initialize(&w.parser))
		return;
	yaml_parser_set_input_string(&w.parser, (const unsigned char *)m->src->text, m->src->len);
	for (int i = 0; more && i < 2; i++) { /* start of stream, start of document */
		more = yaml_parser_parse(&w.parser, &e) != 0;
		if (more)
			yaml_event_delete(&e);
	}
	if (more)
		walk_value(&w, "", 0);
	yaml_parser_delete(&w.parser);
}

/* The library's time grows with the square of the depth of brackets, so this stops where it gets deep. Of a text that
 * is not YAML the library says why. */
bool yaml_depth(const struct source *s, unsigned most, struct diag *d)
{
	struct line_start top = { 0 };
	unsigned depth = 0;
	bool end = false;
	yaml_parser_t p;
	yaml_event_t e;

	if (!yaml_parser_initialize(&p))
		return diag_error_plain(d, s->name, "out of memory");
	yaml_parser_set_input_string(&p, (const unsigned char *)s->text, s->len);
	while (!end && depth <= most && yaml_parser_parse(&p, &e)) {
		depth += e.type == YAML_SEQUENCE_START_EVENT || e.type == YAML_MAPPING_START_EVENT;
		depth -= e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT;
		end = e.type == YAML_STREAM_END_EVENT;
		if (depth > most)
			diag_error(d, (struct loc){ s, offset_of(s, e.start_mark.line, e.start_mark.column, &top) },
				   "lists and mappings nest deeper than %u, the limit", most);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&p);
	return depth <= most;
}

struct loc yaml_at(const struct yaml_marks *m, struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *path;
	size_t n;

	va_start(ap, fmt);
	path = arena_vprintf(a, fmt, ap);
	va_end(ap);
	n = strlen(path);
	for (;;) {
		uint32_t id = intern_find(&m->paths, path, n);

		if (id != INTERN_NONE)
			return (struct loc){ m->src, m->off[id] };
		if (!n)
			return (struct loc){ m->src, 0 };
		while (n && path[n - 1] != '.' && path[n - 1] != '[')
			n--;
		n -= n > 0;
	}
}

struct raw_file *yaml_read(const struct source *s, struct yaml_marks *marks, struct arena *a, struct diag *d)
{
	struct complaint c = { .a = a };
	const char *nul = memchr(s->text, 0, s->len);
	cyaml_config_t cfg = { .log_level = CYAML_LOG_ERROR,
			       .log_fn = listen,
			       .log_ctx = &c,
			       .mem_fn = arena_mem,
			       .mem_ctx = a,
			       .flags = CYAML_CFG_NO_ALIAS };
	cyaml_data_t *data = NULL;
	cyaml_err_t err;

	*marks = (struct yaml_marks){ .src = s };
	intern_init(&marks->paths, a);
	if (nul) {
		diag_error(d, (struct loc){ s, (uint32_t)(nul - s->text) }, "not UTF-8 text: a zero byte");
		return NULL;
	}
	if (!yaml_depth(s, NEST_MAX, d))
		return NULL;
	err = cyaml_load_data((const uint8_t *)s->text, s->len, &cfg, &file_value, &data, 0);
	if (err != CYAML_OK) {
		complain(&c, err, s, d);
		return NULL;
	}
	if (!data) {
		diag_error(d, (struct loc){ s, 0 }, "the file says nothing: 'launches' is missing");
		return NULL;
	}
	walk_text(marks, a);
	return (struct raw_file *)data;
}
