/* Findings as LLVM's optimisation remarks: a YAML document each.
 *
 * LLVM's parser (llvm/lib/Remarks/YAMLRemarkParser.cpp) takes a scalar as it stands in the text: it takes single quotes
 * away from the two ends and undoes no escape. So that it and every YAML parser read the same text, one without single
 * quotes and new lines is put in single quotes, and any other is a literal block. What still differs: it loses a single
 * quote at an end of such a text. */
#include "analyzer/emit/findings.h"

#include <string.h>

/* The length of the UTF-8 character at s; 0: that is none, or none that YAML may hold as it is. */
static unsigned printable(const unsigned char *s)
{
	uint32_t c = *s;
	unsigned n = 0;

	if (c < 0x80)
		n = 1;
	else if (c >> 5 == 6)
		n = 2;
	else if (c >> 4 == 14)
		n = 3;
	else if (c >> 3 == 30)
		n = 4;

	c &= n == 1 ? 0x7f : 0x7fu >> n;
	for (unsigned i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (n == 1)
		return c == '\n' || (c >= ' ' && c != 0x7f);
	if ((n == 2 && c < 0xa0) || (n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10ffff ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return c == 0x2028 || c == 0x2029 || c == 0xfeff || (c & 0xfffe) == 0xfffe ? 0 : n;
}

/* What no document may hold is shown as '?'. */
static char *readable(const char *s, struct arena *a)
{
	char *t = arena_strndup(a, s, strlen(s));

	for (unsigned char *p = (unsigned char *)t; *p;) {
		unsigned n = printable(p);

		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
	return t;
}

/* As every YAML parser but LLVM's takes it, which leaves quotes and escapes as they are. */
static void put_escaped(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		if (*s == '\n')
			fputs("\\n", f);
		else
			fprintf(f, "%s%c", strchr("\"\\", *s) ? "\\" : "", *s);
	fputs("\"\n", f);
}

/* KEY's value; a block is indented by `indent`, more than KEY is. */
static void put_text(FILE *f, const char *text, unsigned indent, struct arena *a)
{
	static const char *const keep[] = { "-", "",
					    "+" }; /* by the line ends at the end of the text: none, one, more */
	char *s = readable(text, a);
	size_t n = strlen(s), tail = 0;

	if (!strpbrk(s, "'\n")) {
		fprintf(f, "'%s'\n", s);
		return;
	}
	if (*s == ' ') {
		/* a block's text that begins with a blank names its indentation, of which LLVM's parser has another
		 * idea */
		put_escaped(f, s);
		return;
	}
	while (tail < n && s[n - 1 - tail] == '\n')
		tail++;
	fprintf(f, "|%s\n", keep[tail < 2 ? tail : 2]);
	for (char *line = s; line < s + n;) {
		char *end = memchr(line, '\n', (size_t)(s + n - line));
		int len = (int)((end ? end : s + n) - line);

		fprintf(f, "%*s%.*s\n", len ? (int)indent : 0, "", len, line);
		line += len + 1;
	}
}

static void put_finding(FILE *f, const struct finding *x, struct arena *a)
{
	struct finding_info info = finding_info(x->rule, a);

	fprintf(f, "--- !%s\nPass:            '%s'\nName:            '%s'\n", info.remark, info.pass, info.name);
	if (x->at.file) {
		fputs("DebugLoc:\n  File:            ", f);
		put_text(f, x->at.file, 4, a);
		fprintf(f, "  Line:            %u\n  Column:          %u\n", x->at.line, x->at.col);
	}
	fputs("Function:        ", f);
	put_text(f, x->kernel, 2, a);
	if (x->counted)
		fprintf(f, "Hotness:         %llu\n", (unsigned long long)x->runs);
	fputs("Args:\n", f);
	for (unsigned p = 0; p < x->npart; p++) {
		fprintf(f, "  - %s: ", x->part[p].key);
		put_text(f, x->part[p].text, 6, a);
	}
	fputs("...\n", f);
}

void emit_remarks(FILE *f, const struct findings *all)
{
	struct arena a;

	arena_init(&a);
	for (uint32_t n = 0; n < all->n; n++) {
		put_finding(f, &all->of[n], &a);
		arena_reset(&a);
	}
	arena_free(&a);
}
