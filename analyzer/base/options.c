#include "analyzer/base/options.h"

#include "analyzer/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const char *program, const char *command, const char *fmt, const char *what)
{
	struct arena a;

	arena_init(&a);
	fprintf(stderr, "%s: error: ", program);
	fprintf(stderr, fmt, text_shown(&a, what, strlen(what), ""));
	fprintf(stderr, "; see %s%s%s --help\n", program, *command ? " " : "", command);
	arena_free(&a);
	return EXIT_USAGE;
}

int usage_unknown(const char *program, const char *command, const char *what, const char *given, near_name *name,
		  unsigned n)
{
	struct arena a;
	int code;

	arena_init(&a);
	code = usage_error(program, command, "%s",
			   arena_printf(&a, "%s: %s", arena_printf(&a, what, given), near_list(given, name, n, &a)));
	arena_free(&a);
	return code;
}

/* ---- values ---- */
bool option_whole(const char *text, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && errno == 0;
}

bool option_source_dir(struct options *o, const char *value, uint64_t *number)
{
	(void)number;
	return source_dir_add(o->sources, value);
}

bool option_max_memory(struct options *o, const char *value, uint64_t *number)
{
	(void)o;
	(void)value;
	return ram_limit_mib(*number);
}

static const char *say(const struct options *o, const char *fmt, const char *what)
{
	return arena_printf(o->a, fmt, what);
}

static const char *read_number(const struct options *o, const struct option_row *r, const char *text, uint64_t *v)
{
	const uint64_t high = r->high ? r->high : UINT64_MAX;

	if (!option_whole(text, v))
		return r->wrong ? say(o, r->wrong, text)
				: arena_printf(o->a, "--%s wants a whole number below 2^64, not '%s'", r->name, text);
	if ((*v >= r->low && *v <= high) || (r->or_zero && !*v))
		return NULL;
	if (r->outside || r->wrong)
		return say(o, r->outside ? r->outside : r->wrong, text);
	return arena_printf(o->a, "--%s wants %llu to %llu, not %llu", r->name, (unsigned long long)r->low,
			    (unsigned long long)high, (unsigned long long)*v);
}

const char *option_read(const struct options *o, unsigned id, unsigned *v)
{
	const struct option_row *r = &o->table->row[id];
	const char *text = o->value[id];
	long long n;
	char *end;

	if (!o->given[id])
		return NULL;
	for (unsigned w = 0; w < r->words; w++)
		if (r->word(w) && strcmp(r->word(w), text) == 0) {
			*v = w;
			return NULL;
		}
	if (r->words)
		return arena_printf(o->a, "%s: %s", say(o, r->wrong, text), near_list(text, r->word, r->words, o->a));
	n = strtoll(text, &end, 10);
	if (end == text || *end || n < (long long)r->low || n > (long long)r->high)
		return say(o, r->wrong, text);
	*v = (unsigned)n;
	return NULL;
}

/* called: the option as a message says it */
static const char *take_value(struct options *o, unsigned id, const char *called, const char *value)
{
	const struct option_row *r = &o->table->row[id];
	const unsigned most = r->most ? r->most : OPTION_REPEATS;
	const char *wrong = NULL;

	if (r->kind >= OPTION_LIST && o->given[id] == most)
		return say(o, o->table->many, called);
	if (r->kind == OPTION_PAIR && !strchr(value, '='))
		return arena_printf(o->a, "--%s wants %s, not '%s'", r->name, r->arg, value);
	if (r->kind == OPTION_NUMBER)
		wrong = read_number(o, r, value, &o->number[id]);
	if (!wrong && r->take && !r->take(o, value, &o->number[id]))
		wrong = say(o, r->outside ? r->outside : r->wrong, value);
	if (wrong)
		return wrong;
	if (r->kind >= OPTION_LIST) {
		if (!o->list[id])
			o->list[id] = new_array(o->a, const char *, most);
		o->list[id][o->given[id]] = value;
	}
	o->given[id]++;
	o->value[id] = value;
	return NULL;
}

/* ---- words ---- */
static unsigned find_name(const struct options *o, const char *name, size_t n)
{
	const struct option_row *row = o->table->row;
	unsigned i = 0;

	while (i < o->table->n &&
	       ((row[i].of && !(row[i].of & o->of)) || strlen(row[i].name) != n || strncmp(row[i].name, name, n) != 0))
		i++;
	return i;
}

/* The option that a word names, and the value in it or NULL. A whole name behind one dash is none, and no letter with a
 * value either. */
static unsigned find(const struct options *o, const char *word, const char **value)
{
	const struct option_table *t = o->table;
	const bool joined = t->style & OPTIONS_JOINED;
	size_t n = strcspn(word + 1, "=");

	*value = NULL;
	if (word[1] == '-') {
		*value = word[1 + n] ? word + 2 + n : NULL;
		return find_name(o, word + 2, n - 1);
	}
	if (joined && n > 1 && find_name(o, word + 1, n) < t->n)
		return t->n;
	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].letter && word[1] == t->row[i].letter && (joined || !word[2]) &&
		    (!t->row[i].of || t->row[i].of & o->of)) {
			*value = word[2] ? word + 2 : NULL;
			return i;
		}
	return t->n;
}

static const char *unknown(const struct options *o, const char *word)
{
	const struct option_table *t = o->table;
	const char *name = word + strspn(word, "-");
	struct near near;

	near_begin(&near, name, strcspn(name, "="));
	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].what && (!t->row[i].of || t->row[i].of & o->of))
			near_offer(&near, t->row[i].name);
	return arena_printf(o->a, "unknown option '%s'%s", word,
			    near_meant(&near) ? say(o, t->meant, near_meant(&near)) : "");
}

static const char *take_option(struct options *o, int argc, char *const argv[])
{
	const char *word = argv[o->rest], *value, *called;
	const unsigned id = find(o, word, &value), style = o->table->style;
	const struct option_row *r = &o->table->row[id];
	bool again;

	if (id == o->table->n)
		return unknown(o, word);
	again = o->given[id] && r->kind < OPTION_LIST && (r->kind != OPTION_FLAG || style & OPTIONS_ONCE_FLAGS);
	if (again && style & OPTIONS_ONCE_FIRST)
		return say(o, "--%s is given twice", r->name);
	called = style & OPTIONS_WRITTEN ? word : say(o, "--%s", r->name);
	if (value && !*value && r->kind == OPTION_MAYBE && style & OPTIONS_WRITTEN)
		return say(o, "'%s' lacks what follows the equals sign", word);
	if (value && r->kind == OPTION_FLAG)
		return say(o, style & OPTIONS_WRITTEN ? "'%s' takes no value" : "%s takes no value", called);
	if (!value && r->next && o->rest + 1 < argc && r->next(argv[o->rest + 1]))
		value = argv[++o->rest];
	o->bare[0] = !value && r->kind == OPTION_MAYBE ? r : NULL;
	if (!value && r->kind != OPTION_FLAG && r->kind != OPTION_MAYBE) {
		if (++o->rest == argc)
			return say(o, "%s needs a value", called);
		value = argv[o->rest];
	}
	if (again)
		return say(o, "%s is given twice", called);
	return take_value(o, id, called, value);
}

static const char *take_input(struct options *o, const char *word)
{
	o->bare[1] = o->bare[0] ? o->bare[0] : o->bare[1];
	o->bare[0] = NULL;
	if (o->ninput < o->inputs) {
		o->input[o->ninput++] = word;
		return NULL;
	}
	return arena_printf(o->a, "%s%s", say(o, o->more, word),
			    o->inputs == 1 && o->bare[1]
				    ? arena_printf(o->a, "; a value of --%s follows an equals sign", o->bare[1]->name)
				    : "");
}

const char *options_parse(struct options *o, int argc, char *const argv[])
{
	const bool dashes = !(o->table->style & OPTIONS_NO_DASHES);
	const char *wrong = NULL;
	bool plain = false; /* after "--" */

	o->input = new_array(o->a, const char *, (size_t)argc + 1);
	for (unsigned i = 0; i < o->table->n; i++)
		o->number[i] = o->table->row[i].def;
	for (o->rest = 0; o->rest < argc && !wrong; o->rest++) {
		const char *word = argv[o->rest];

		if (!plain && dashes && strcmp(word, "--") == 0)
			plain = true;
		else if (!plain && word[0] == '-' && (word[1] || !dashes))
			wrong = take_option(o, argc, argv);
		else if (!o->inputs)
			break;
		else
			wrong = take_input(o, word);
	}
	return wrong;
}

void options_help(FILE *f, const struct option_table *t, unsigned of)
{
	const bool joined = t->style & OPTIONS_JOINED;

	for (unsigned i = 0; i < t->n; i++) {
		const struct option_row *r = &t->row[i];
		const bool maybe = r->kind == OPTION_MAYBE;
		const char letter[] = { '-', r->letter, ',', ' ', 0 }, *join = joined || maybe ? "=" : " ";
		char text[64];

		if (!r->what || (r->of && !(r->of & of)))
			continue;
		snprintf(text, sizeof text, "%s--%s%s%s%s%s", joined && r->letter ? letter : "", r->name,
			 maybe ? "[" : "", r->arg ? join : "", r->arg ? r->arg : "", maybe ? "]" : "");
		fprintf(f, "  %-*s %s\n", t->column, text, r->what);
	}
}
