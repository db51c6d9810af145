/* Modules of nvcc -rdc=true as one: their PTX texts, put one behind the other. Prototypes go first, variables next,
 * bodies last; of what several modules declare or weakly define one stays; what is local to a module gets another name
 * where modules share it; files of line information are numbered anew. Debug sections are left out. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/intern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum sort { PROTOTYPE, VARIABLE, BODY, FILE_LINE, DROPPED };
/* same: the item before of that name, + 1 */
struct item {
	const char *text;
	size_t n;
	enum sort sort;
	const char *name;
	bool is_extern, weak, local;
	unsigned module;
	uint32_t same;
};
struct linker {
	struct arena *a;
	struct item *item;
	uint32_t n, cap;
	struct intern names;
	uint32_t *newest, newest_cap;
	unsigned version, sm;
	const char *target;
	char *out;
	size_t len, room;
};

static void add(struct linker *l, struct item x)
{
	if (x.name) {
		const uint32_t id = intern_id(&l->names, x.name, strlen(x.name));

		while (id >= l->newest_cap)
			l->newest = arena_regrow(l->a, l->newest, sizeof *l->newest, l->newest_cap, &l->newest_cap);
		x.same = l->newest[id];
		l->newest[id] = l->n + 1;
	}
	arena_grow(l->a, l->item, l->n, l->cap);
	l->item[l->n++] = x;
}

/* The items of a name: for (i = newest(...); i; i = item[i - 1].same). */
static uint32_t newest(const struct linker *l, const char *s, size_t n)
{
	const uint32_t id = intern_find(&l->names, s, n);

	return id == INTERN_NONE ? 0 : l->newest[id];
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%'; }

static const char *skip_space(const char *s)
{
	for (;;) {
		s += strspn(s, " \t\r\n");
		if (s[0] == '/' && s[1] == '/')
			s += strcspn(s, "\n");
		else if (s[0] == '/' && s[1] == '*')
			s = strstr(s + 2, "*/") ? strstr(s + 2, "*/") + 2 : s + strlen(s);
		else
			return s;
	}
}

/* Behind a word, a string or a single character. */
static const char *skip_token(const char *s)
{
	const char *end = s;

	if (*s == '"')
		return s[1 + strcspn(s + 1, "\"")] ? s + 2 + strcspn(s + 1, "\"") : s + strlen(s);
	while (in_word(*end))
		end++;
	return end > s ? end : s + (*s != 0);
}

static bool is(const char *s, const char *end, const char *word)
{
	return (size_t)(end - s) == strlen(word) && strncmp(s, word, strlen(word)) == 0;
}

/* One item at s, which is no space. */
static const char *read_item(struct linker *l, const char *s, unsigned module)
{
	struct item x = { .text = s, .sort = VARIABLE, .local = true, .module = module };
	bool function = false, section = false, closed = false;
	const char *end = skip_token(s), *last = NULL, *after;
	int depth = 0;

	if (is(s, end, ".version") || is(s, end, ".target") || is(s, end, ".address_size") || is(s, end, ".file")) {
		x.n = strcspn(s, "\n");
		x.sort = is(s, end, ".file") ? FILE_LINE : DROPPED;
		if (is(s, end, ".version")) {
			unsigned v = (unsigned)(strtod(end, NULL) * 10 + 0.5);

			l->version = v > l->version ? v : l->version;
		} else if (is(s, end, ".target")) {
			const char *arch = skip_space(end);
			unsigned sm = strncmp(arch, "sm_", 3) == 0 ? (unsigned)strtoul(arch + 3, NULL, 10) : 0;

			if (!l->target || sm > l->sm) {
				l->sm = sm;
				l->target = arena_strndup(l->a, s, x.n);
			}
		}
		add(l, x);
		return s + x.n;
	}
	for (after = s; *after; after = skip_space(end)) {
		end = skip_token(after);
		if (!depth && !last) {
			function |= is(after, end, ".func") || is(after, end, ".entry");
			section |= is(after, end, ".section");
			x.is_extern |= is(after, end, ".extern");
			x.weak |= is(after, end, ".weak") || is(after, end, ".common");
			x.local &= !is(after, end, ".visible") && !is(after, end, ".extern") &&
				   !is(after, end, ".weak") && !is(after, end, ".common") && !is(after, end, ".entry");
		}
		if (!depth && !last && *after != '.' && in_word(*after) && !isdigit((unsigned char)*after)) {
			last = after;
			x.name = arena_strndup(l->a, after, (size_t)(end - after));
		}
		depth += *after == '{' || *after == '(' || *after == '[';
		depth -= *after == '}' || *after == ')' || *after == ']';
		closed = *after == '}' && !depth && (function || section);
		if (closed || (*after == ';' && !depth))
			break;
	}
	x.n = (size_t)(end - s);
	x.sort = DROPPED;
	if (!section && x.name && !function)
		x.sort = VARIABLE;
	else if (!section && x.name)
		x.sort = closed ? BODY : PROTOTYPE;
	if (x.name && x.name[0] == '.')
		x.sort = DROPPED;
	add(l, x);
	return end;
}

static void append(struct linker *l, const char *s, size_t n)
{
	if (l->len + n + 1 > l->room) {
		char *wider = arena_alloc(l->a, l->room = 2 * (l->len + n + 1), 1);

		if (l->len)
			memcpy(wider, l->out, l->len);
		l->out = wider;
	}
	memcpy(l->out + l->len, s, n);
	l->len += n;
	l->out[l->len] = 0;
}

/* Is it a local name that a module before has too? */
static bool shared_name(const struct linker *l, unsigned module, const char *s, size_t n)
{
	bool mine = false, theirs = false;

	for (uint32_t i = newest(l, s, n); i; i = l->item[i - 1].same) {
		mine |= l->item[i - 1].module == module && l->item[i - 1].local;
		theirs |= l->item[i - 1].module < module;
	}
	return mine && theirs;
}

/* numbers of .file of a module */
enum { FILES_EACH = 10000 };

static void copy_item(struct linker *l, const struct item *x)
{
	const char *s = x->text, *stop = x->text + x->n, *end, *next;
	bool file = false;

	for (; s < stop; s = next) {
		next = skip_space(s);
		append(l, s, (size_t)((next < stop ? next : stop) - s));
		if (next >= stop)
			break;
		s = next;
		next = end = skip_token(s);
		if (file && isdigit((unsigned char)*s)) {
			const char *text =
				arena_printf(l->a, "%lu", strtoul(s, NULL, 10) + (unsigned long)x->module * FILES_EACH);

			append(l, text, strlen(text));
		} else {
			append(l, s, (size_t)(end - s));
			if (in_word(*s) && *s != '.' && *s != '%' && !isdigit((unsigned char)*s) &&
			    shared_name(l, x->module, s, (size_t)(end - s))) {
				const char *text = arena_printf(l->a, "$module%u", x->module);

				append(l, text, strlen(text));
			}
		}
		file = is(s, end, ".file") || is(s, end, ".loc") || is(s, end, "inlined_at");
	}
	append(l, "\n", 1);
}

/* Does another item stand for this one? *clash: two that are strong. */
static bool superseded(const struct linker *l, uint32_t i, bool *clash)
{
	const struct item *x = &l->item[i];
	const bool declares = x->sort == PROTOTYPE || x->is_extern;

	for (uint32_t k = newest(l, x->name, strlen(x->name)); k; k = l->item[k - 1].same) {
		const uint32_t j = k - 1;
		const struct item *y = &l->item[j];
		const bool other_declares = y->sort == PROTOTYPE || y->is_extern;

		if (j == i || y->sort == DROPPED || (x->module != y->module && (x->local || y->local)))
			continue;
		if (declares && other_declares && j < i)
			return true;
		if (x->sort == VARIABLE && declares && !other_declares)
			return true;
		if (declares || other_declares)
			continue;
		if (x->weak && (!y->weak || j < i))
			return true;
		*clash |= !x->weak && !y->weak && x->module != y->module;
	}
	return false;
}

const char *link_modules(const struct source *ptx, unsigned n, const char **clash, struct arena *a)
{
	static const enum sort order[] = { FILE_LINE, PROTOTYPE, VARIABLE, BODY };
	struct linker l = { .a = a };
	const char *head;

	*clash = NULL;
	intern_init(&l.names, a);
	for (unsigned m = 0; m < n; m++)
		for (const char *s = skip_space(arena_strndup(a, ptx[m].text, ptx[m].len)); *s; s = skip_space(s))
			s = read_item(&l, s, m);
	head = arena_printf(a, ".version %u.%u\n%s\n.address_size 64\n", l.version / 10, l.version % 10,
			    l.target ? l.target : ".target sm_50");
	append(&l, head, strlen(head));
	for (unsigned o = 0; o < sizeof order / sizeof *order; o++)
		for (uint32_t i = 0; i < l.n; i++) {
			bool twice = false;

			if (l.item[i].sort != order[o] || (l.item[i].name && superseded(&l, i, &twice)))
				continue;
			if (twice)
				*clash = l.item[i].name;
			copy_item(&l, &l.item[i]);
		}
	return l.out;
}
