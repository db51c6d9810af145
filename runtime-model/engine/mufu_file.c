/* Files with tables of the functions that a GPU approximates. A file begins with text:  regloom-mufu 1 # comments
 * function NAME ENTRIES WIDTH PACKED SHA256 ELSEWHERE DIFFER sha256 SHA256  and goes on with the functions'
 * differences in that order, each a zstd frame of PACKED bytes, with ENTRIES numbers of WIDTH bytes, signed, least
 * byte first. The SHA-256 of a function is that of its numbers, the last one that of all of the file but its own
 * line. ELSEWHERE and DIFFER: struct mufu_measured. */
#include "runtime-model/engine/mufu.h"

#include "analyzer/base/infile.h"
#include "analyzer/base/sha256.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#define MAGIC "regloom-mufu"
enum { FORMAT = 1, LEVEL = 12, LINE = 512 };

struct mufu_table {
	const char *path;
	struct packed {
		const void *bytes;
		size_t n;
		unsigned width; /* 0: it is not there */
		uint32_t differ;
	} of[MUFU_COUNT];
};

static enum mufu find(const char *name)
{
	unsigned id = 0;

	while (id < MUFU_COUNT && strcmp(mufu_info[id].name, name) != 0)
		id++;
	return (enum mufu)id;
}

static bool damaged(const char *path, const char *why, struct diag *d)
{
	return diag_error_plain(d, path, "this table of approximate functions is damaged: %s", why);
}

/* "function ...": what is behind *at belongs to it. */
static bool read_function(struct mufu_table *t, const char *line, const char **at, const char *end, struct diag *d)
{
	char name[32];
	uint64_t entries, packed;
	unsigned width;
	uint32_t differ;
	enum mufu id;

	if (sscanf(line, "function %31s %" SCNu64 " %u %" SCNu64 " %*s %*u %" SCNu32, name, &entries, &width, &packed,
		   &differ) != 5)
		return damaged(t->path, "a line of a function is none", d);
	id = find(name);
	if (id == MUFU_COUNT)
		return diag_error_plain(d, t->path, "has a function that is not known, %s", name);
	if (entries != mufu_info[id].entries || (width != 1 && width != 2 && width != 4) ||
	    packed > (uint64_t)(end - *at) || ZSTD_getFrameContentSize(*at, (size_t)packed) != entries * width)
		return damaged(t->path, "a function has another size", d);
	if (t->of[id].width)
		return damaged(t->path, "a function is there twice", d);
	t->of[id] = (struct packed){ *at, (size_t)packed, width, differ };
	*at += packed;
	return true;
}

/* The line that starts at s, without its end, into `out`; the next one. NULL: there is none, or it is too long. */
static const char *next_line(const char *s, const char *end, char out[LINE])
{
	const char *stop = memchr(s, '\n', (size_t)(end - s));

	if (!stop || stop - s >= LINE)
		return NULL;
	memcpy(out, s, (size_t)(stop - s));
	out[stop - s] = 0;
	return stop + 1;
}

/* The start of the numbers; checks what stands before them. NULL with a diagnostic. */
static const char *read_head(const struct source *s, struct diag *d)
{
	const char *end = s->text + s->len, *at = s->text, *next;
	char line[LINE], sum[SHA256_HEX];
	struct sha256 h;
	unsigned format;

	next = next_line(at, end, line);
	if (!next || sscanf(line, MAGIC " %u", &format) != 1) {
		diag_error_plain(d, s->name, "is no table of approximate functions, as regloom-gpu mufu writes them");
		return NULL;
	}
	if (format != FORMAT) {
		diag_error_plain(d, s->name, "is a table of approximate functions in format %u; %d is known", format,
				 FORMAT);
		return NULL;
	}
	do {
		at = next;
		next = next_line(at, end, line);
	} while (next && strncmp(line, "sha256 ", 7) != 0);
	if (next) {
		sha256_begin(&h);
		sha256_add(&h, s->text, (size_t)(at - s->text));
		sha256_add(&h, next, (size_t)(end - next));
		sha256_end(&h, sum);
	}
	if (next && strcmp(line + 7, sum) == 0)
		return next;
	damaged(s->name, "its SHA-256 is not the one that it names", d);
	return NULL;
}

const struct mufu_table *mufu_read(const char *path, struct arena *a, struct diag *d)
{
	struct mufu_table *t = new(a, struct mufu_table);
	const char *at, *end;
	char line[LINE];
	struct source s;

	if (!infile_source(&s, INFILE_MUFU, path, a, d))
		return NULL;
	t->path = path;
	at = read_head(&s, d);
	end = s.text + s.len;
	if (!at)
		return NULL;
	for (const char *l = s.text; (l = next_line(l, end, line)) && strncmp(line, "sha256 ", 7) != 0;)
		if (strncmp(line, "function ", 9) == 0 && !read_function(t, line, &at, end, d))
			return NULL;
	return t;
}

bool mufu_has(const struct mufu_table *t, enum mufu id) { return t->of[id].width; }
bool mufu_follows(const struct mufu_table *t, enum mufu id) { return !t->of[id].differ; }

const struct mufu_function *mufu_unpack(const struct mufu_table *t, enum mufu id, struct arena *a, struct diag *d)
{
	const size_t bytes = (size_t)mufu_info[id].entries * t->of[id].width;
	struct mufu_function *f = new(a, struct mufu_function);
	void *to = arena_alloc(a, bytes, 16);

	*f = (struct mufu_function){ id, t->of[id].width, to };
	if (ZSTD_decompress(to, bytes, t->of[id].bytes, t->of[id].n) == bytes)
		return f;
	damaged(t->path, "a function cannot be unpacked", d);
	return NULL;
}

/* ---- writing ---- */
static unsigned width_of(const struct mufu_measured *m)
{
	unsigned width = 1;

	for (uint32_t i = 0; i < mufu_info[m->id].entries && width < 4; i++) {
		const int32_t v = m->difference[i];

		if (v != (int16_t)v)
			width = 4;
		else if (v != (int8_t)v)
			width = 2;
	}
	return width;
}

bool mufu_pack(struct mufu_packed *p, const struct mufu_measured *m, struct arena *a)
{
	const struct mufu_info *info = &mufu_info[m->id];
	const unsigned width = width_of(m);
	const size_t bytes = (size_t)info->entries * width, room = ZSTD_compressBound(bytes);
	struct arena scratch;
	unsigned char *numbers;
	char sum[SHA256_HEX];
	struct sha256 h;
	void *out;

	arena_init(&scratch);
	numbers = arena_alloc(&scratch, bytes, 1);
	out = arena_alloc(&scratch, room, 1);
	for (size_t i = 0; i < bytes; i++)
		numbers[i] = (unsigned char)((uint32_t)m->difference[i / width] >> 8 * (i % width));
	sha256_begin(&h);
	sha256_add(&h, numbers, bytes);
	sha256_end(&h, sum);
	p->id = m->id;
	p->n = ZSTD_compress(out, room, numbers, bytes, LEVEL);
	if (!ZSTD_isError(p->n)) {
		p->bytes = memcpy(arena_alloc(a, p->n, 1), out, p->n);
		p->line = arena_printf(a, "function %s %" PRIu32 " %u %zu %s %" PRIu32 " %" PRIu32 "\n", info->name,
				       info->entries, width, p->n, sum, m->elsewhere, m->differ);
	}
	arena_free(&scratch);
	return p->line;
}

void mufu_write(FILE *f, const char *head, const struct mufu_packed *p, unsigned n)
{
	char first[64], sum[SHA256_HEX];
	struct sha256 h;

	snprintf(first, sizeof first, MAGIC " %d\n", FORMAT);
	sha256_begin(&h);
	sha256_add(&h, first, strlen(first));
	sha256_add(&h, head, strlen(head));
	fprintf(f, "%s%s", first, head);
	for (unsigned i = 0; i < n; i++) {
		sha256_add(&h, p[i].line, strlen(p[i].line));
		fputs(p[i].line, f);
	}
	for (unsigned i = 0; i < n; i++)
		sha256_add(&h, p[i].bytes, p[i].n);
	sha256_end(&h, sum);
	fprintf(f, "sha256 %s\n", sum);
	for (unsigned i = 0; i < n; i++)
		fwrite(p[i].bytes, 1, p[i].n, f);
}
