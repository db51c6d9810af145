#include "analyzer/base/kernel_name.h"
#include "diag.h"

#include "analyzer/base/text.h"

#include <string.h>

/* of the source line; C++ names reach 1,600 characters */
enum { SHOWN_COLUMNS = 160 };

void diag_init(struct diag *d, FILE *out)
{
	*d = (struct diag){ .out = out };
	arena_init(&d->a);
}

void diag_free(struct diag *d) { arena_free(&d->a); }

const char *loc_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void loc_line_col(struct loc at, unsigned *line, unsigned *col)
{
	const char *p = at.src->text, *end = p + (at.off < at.src->len ? at.off : at.src->len);
	const char *bol = p;

	*line = 1;
	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		++*line;
		bol = ++p;
	}
	*col = (unsigned)(end - bol) + 1;
}

/* The source line and a caret below it. Long lines are cut to a window around the caret; tabs are kept as they are. */
static char *caret(struct arena *a, struct loc at, unsigned col)
{
	const char *bol = at.src->text + at.off - (col - 1);
	const char *end = memchr(bol, '\n', at.src->len - (size_t)(bol - at.src->text));
	size_t len = end ? (size_t)(end - bol) : at.src->len - (size_t)(bol - at.src->text);
	size_t from = 0, pad = col - 1;
	char *mark, *text;

	if (len && bol[len - 1] == '\r')
		len--;
	if (pad > SHOWN_COLUMNS - 40)
		from = pad - (SHOWN_COLUMNS - 40);
	pad -= from;
	len = len > from ? len - from : 0;
	if (len > SHOWN_COLUMNS)
		len = SHOWN_COLUMNS;
	text = arena_alloc(a, len + 1, 1);
	memcpy(text, bol + from, len);
	text_mask(text, len);
	mark = arena_alloc(a, pad + 1, 1);
	for (size_t i = 0, n = 0; i < pad; i++)
		if (i >= len || ((unsigned char)text[i] & 0xc0) != 0x80) /* UTF-8: one column a character */
			mark[n++] = i < len && text[i] == '\t' ? '\t' : ' ';
	return arena_printf(a, "%s\n%s^\n", text, mark);
}

static void show(struct diag *d, char *text)
{
	d->last = text = text_shown(&d->a, text, strlen(text), "\n\t");
	if (++d->errors > DIAG_MAX)
		return;
	if (!d->out)
		return;
	fputs(text, d->out);
	if (d->errors == DIAG_MAX)
		fputs("too many errors; stopped\n", d->out);
}

bool diag_replay(struct diag *d, const char *text, unsigned errors)
{
	for (unsigned i = 0; i + 1 < errors && !diag_full(d); i++)
		d->errors++; /* one text stands for them all */
	show(d, arena_printf(&d->a, "%s", text));
	return false;
}

/* A message without a position; name: of a file, or NULL. */
static void show_plain(struct diag *d, const char *name, const char *msg)
{
	if (!name)
		name = d->program;
	show(d, arena_printf(&d->a, "%s%serror: %s\n", name ? name : "", name ? ": " : "", msg));
}

static void report(struct diag *d, struct loc at, const char *fmt, va_list ap)
{
	const char *msg = arena_vprintf(&d->a, fmt, ap);
	unsigned line, col;

	if (!at.src) {
		show_plain(d, NULL, msg);
		return;
	}
	if (at.off > at.src->len)
		at.off = (uint32_t)at.src->len;
	loc_line_col(at, &line, &col);
	show(d, arena_printf(&d->a, "%s:%u:%u: error: %s\n%s", at.src->name, line, col, msg, caret(&d->a, at, col)));
}

bool diag_error(struct diag *d, struct loc at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(d, at, fmt, ap);
	va_end(ap);
	return false;
}

bool diag_error_bin(struct diag *d, const char *name, const char *section, uint64_t off, const char *fmt, ...)
{
	va_list ap;
	const char *msg;

	va_start(ap, fmt);
	msg = arena_vprintf(&d->a, fmt, ap);
	va_end(ap);
	show(d, arena_printf(&d->a, "%s: %s+0x%llx: error: %s\n", name, section ? section : "file",
			     (unsigned long long)off, msg));
	return false;
}

bool diag_error_plain(struct diag *d, const char *name, const char *fmt, ...)
{
	va_list ap;
	const char *msg;

	va_start(ap, fmt);
	msg = arena_vprintf(&d->a, fmt, ap);
	va_end(ap);
	show_plain(d, name ? kernel_name(name, &d->a) : NULL, msg);
	return false;
}
