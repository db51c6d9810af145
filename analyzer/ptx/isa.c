/* Which PTX is supported, which is refused and why, and what an instruction needs of its module: isa.def, looked up
 * when a mnemonic is read and printed by ptx-annotate --isa. */
#include "parse.h"

#include "analyzer/ptx/ptx.h"

#include <string.h>

static const char *const base_name[] = {
#define BASE(name) name,
#include "analyzer/ptx/isa.def"
};

static const struct refused {
	const char *parts, *reason;
} refused[] = {
#define UNSUPPORTED(parts, reason) { parts, reason },
#include "analyzer/ptx/isa.def"
};

static const struct needs {
	const char *parts;
	uint16_t ptx, sm;
} needs[] = {
#define REQUIRES(parts, ptx, sm) { parts, ptx, sm },
#include "analyzer/ptx/isa.def"
	{ "", 0, 0 },
};

const char *isa_base(unsigned i) { return i < sizeof base_name / sizeof *base_name ? base_name[i] : NULL; }

unsigned isa_target_version(const char *sm, size_t len)
{
	static const struct {
		const char *sm;
		unsigned ptx;
	} row[] = {
#define TARGET(name, version) { name, version },
#include "analyzer/ptx/isa.def"
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (strlen(row[i].sm) == len && memcmp(row[i].sm, sm, len) == 0)
			return row[i].ptx;
	return 0;
}

bool isa_knows(const struct mnemonic *mn)
{
	for (size_t i = 0; i < sizeof base_name / sizeof *base_name; i++)
		if (mnemonic_is(mn, base_name[i]))
			return true;
	return false;
}

/* Is the first of PARTS the base of mn, and is each other one among its parts, or with '!' not? Types come in order. */
static bool has_parts(const struct mnemonic *mn, const char *parts)
{
	unsigned after = 1; /* types that come next are behind this part */
	size_t base = mn->part[0].len;

	if (strncmp(parts, mn->part[0].s, base) != 0 || (parts[base] && parts[base] != '.')) /* most rows */
		return false;
	for (const char *s = parts; *s;) {
		bool negated = *s == '!', type;
		size_t len = strcspn(s, ".") - negated;
		unsigned to = s == parts ? 1 : mn->nparts, i;

		s += negated;
		type = s != parts && type_find(s, len) != TY_COUNT;
		i = type ? after : 1;
		for (i = s == parts ? 0 : i; i < to; i++)
			if (mn->part[i].len == len && memcmp(mn->part[i].s, s, len) == 0)
				break;
		if ((i < to) == negated)
			return false;
		after = type ? i + 1 : after;
		s += len + (s[len] == '.');
	}
	return true;
}

static bool need(struct parser *p, const struct mnemonic *mn, unsigned ptx, unsigned sm)
{
	if (!p->m->ptx_version || !p->m->sm) /* which was said */
		return true;
	if (ptx > p->m->ptx_version)
		return parse_error(p, mn->off, "'%s' needs PTX ISA %u.%u; this module says .version %u.%u", mn->text,
				   ptx / 10, ptx % 10, p->m->ptx_version / 10, p->m->ptx_version % 10);
	if (sm > p->m->sm)
		return parse_error(p, mn->off, "'%s' needs sm_%u; this module says .target sm_%u", mn->text, sm,
				   p->m->sm);
	return true;
}

bool isa_check(struct parser *p, const struct mnemonic *mn)
{
	unsigned ptx = 0, sm = 0;

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (refused[i].parts[0] == mn->part[0].s[0] && has_parts(mn, refused[i].parts))
			return parse_error(p, mn->off, "'%s' is not supported: %s", mn->text, refused[i].reason);
	for (const struct needs *n = needs; n->ptx; n++)
		if (n->parts[0] == mn->part[0].s[0] && (n->ptx > p->m->ptx_version || n->sm > p->m->sm) &&
		    has_parts(mn, n->parts)) {
			ptx = n->ptx > ptx ? n->ptx : ptx;
			sm = n->sm > sm ? n->sm : sm;
		}
	return need(p, mn, ptx, sm);
}

/* ---- the list for people ---- */
enum { WIDTH = 110, INDENT = 16 };

/* The mnemonics of one base as its row texts without the base, in lines. */
static unsigned print_base(FILE *f, const char *base)
{
	size_t len = strlen(base), at = 0;
	unsigned n = 0;

	for (unsigned op = 0; op < OP_COUNT; op++)
		for (const char *t = op_info[op].text; t; t = strchr(t, '|') ? strchr(t, '|') + 1 : NULL) {
			size_t all = strcspn(t, "|");
			const char *rest = all > len ? t + len : "(plain)";
			int width = (int)(all > len ? all - len : strlen(rest));

			if (strncmp(t, base, len) != 0 || (t[len] && t[len] != '.' && t[len] != '|') ||
			    strncmp(t + len, ".3.", 3) == 0) /* three operands under the name of two */
				continue;
			if (!n++)
				at = (size_t)fprintf(f, "  %-*s", INDENT - 2, base);
			if (at + (size_t)width + 1 > WIDTH)
				at = (size_t)fprintf(f, "\n%*s", INDENT, "") - 1;
			at += (size_t)fprintf(f, "%.*s ", width, rest);
		}
	if (n)
		fputc('\n', f);
	return n;
}

static void print_special(FILE *f)
{
	size_t at = (size_t)fprintf(f, "  ");

	for (unsigned r = 0; r < SREG_COUNT; r++) {
		if (at + strlen(sreg_name[r]) + 1 > WIDTH)
			at = (size_t)fprintf(f, "\n  ") - 1;
		at += (size_t)fprintf(f, "%s ", sreg_name[r]);
	}
	fputc('\n', f);
}

static void print_chapter(FILE *f, const char *title) { fprintf(f, "\n%s\n", title); }

void ptx_print_isa(FILE *f)
{
	unsigned n = 0, rows = 0;

	for (unsigned op = 0; op < OP_COUNT; op++)
		rows += !(op_info[op].flags & OPF_INTERNAL);
	fprintf(f, "PTX instructions, with the modifiers and types that make a form of its own. State spaces, scopes, "
		   "cache\n"
		   "operators, vector widths, .ftz, .sat, .uni and Boolean operators combine with them as the PTX ISA "
		   "says.\n");
#define CHAPTER(title) print_chapter(f, title);
#define BASE(name) n += print_base(f, name);
#include "analyzer/ptx/isa.def"
	print_chapter(f, "special registers");
	print_special(f);
	fprintf(f, "\n%u forms in %u rows\n\nNot supported:\n", n, rows);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		fprintf(f, "  %-*s%s\n", INDENT + 16, refused[i].parts, refused[i].reason);
}
