/* A machine's file, line by line. Each line is a word that says what it is about, and its values; what follows is where
 * they come from. */
#include "runtime-model/core/machine_file.h"
#include "analyzer/base/infile.h"
#include "runtime-model/core/axes.h"
#include "runtime-model/core/energy.h"

#include <string.h>
#include <unistd.h>

/* at: of the rest of the line, which ends at end */
struct line {
	const struct source *src;
	const char *at, *end;
};

struct reader {
	struct params *p;
	struct arena *a;
	struct diag *d;
	const char *path, *name, *base; /* name: that the file gives itself; base: that it starts from */
	bool any;                       /* a value has been given */
	bool axes;                      /* the lines of a register file have begun, which belong to no machine */
	bool given[PARAM_COUNT], unit[FU_COUNT], half[FU_COUNT][2], issue, energy;
};

static struct loc where(const struct line *l, const char *p)
{
	return (struct loc){ l->src, (uint32_t)(p - l->src->text) };
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip(struct line *l)
{
	while (l->at < l->end && blank(*l->at))
		l->at++;
}

/* The next word, without a colon or a comma behind it; NULL: there is none. */
static const char *word(struct line *l, struct arena *a, const char **at)
{
	size_t n = 0;

	skip(l);
	*at = l->at;
	while (l->at + n < l->end && !blank(l->at[n]))
		n++;
	l->at += n;
	if (n > 1 && ((*at)[n - 1] == ':' || (*at)[n - 1] == ',')) {
		n--;
		l->at -= (*at)[n] == ',';
	}
	return n ? arena_strndup(a, *at, n) : NULL;
}

/* Steps over `text` if the line goes on with it. */
static bool over(struct line *l, const char *text)
{
	size_t n = strlen(text);

	skip(l);
	if ((size_t)(l->end - l->at) < n || memcmp(l->at, text, n) != 0)
		return false;
	l->at += n;
	return true;
}

/* What stands behind a value: "inherited from gtx480: its source", or the file where nothing does. */
static struct origin source_of(struct reader *r, struct line *l)
{
	static const char inherited[] = "inherited from ";
	struct origin o = { r->path, NULL };
	const char *colon;

	over(l, ",");
	skip(l);
	if (over(l, inherited) && (colon = memchr(l->at, ':', (size_t)(l->end - l->at)))) {
		o.inherited = arena_strndup(r->a, l->at, (size_t)(colon - l->at));
		l->at = colon + 1;
		skip(l);
	}
	if (l->at < l->end)
		o.source = arena_strndup(r->a, l->at, (size_t)(l->end - l->at));
	return o;
}

/* NAME=VALUE as --set takes it; what is wrong with it is said where it stands. */
static bool assign(struct reader *r, const struct line *l, const char *at, const char *name, const char *value,
		   struct origin from)
{
	struct diag quiet;
	bool ok;

	diag_init(&quiet, NULL);
	ok = params_assign(r->p, arena_printf(r->a, "%s=%s", name, value), &from, &quiet);
	if (!ok) {
		const char *text = strstr(quiet.last, "error: ");
		const size_t n = strcspn(text + 7, "\n");

		diag_error(r->d, where(l, at), "%.*s", (int)n, text + 7);
	}
	diag_free(&quiet);
	return ok;
}

static bool once(struct reader *r, const struct line *l, const char *at, const char *name, bool *given)
{
	if (*given)
		return diag_error(r->d, where(l, at), "%s is given twice", name);
	return *given = r->any = true;
}

static bool read_param(struct reader *r, struct line *l, const char *at, const char *name)
{
	const unsigned id = params_id(name);
	bool interval = false;
	const char *value_at, *value = word(l, r->a, &value_at), *unit;
	unsigned fu = FU_COUNT;

	if (id == PARAM_COUNT && !params_half(name, &fu, &interval))
		return assign(r, l, at, name, "0", (struct origin){ NULL, NULL }); /* it says what is near it */
	if (!value)
		return diag_error(r->d, where(l, at), "%s has no value", name);
	if (!once(r, l, at, name, id < PARAM_COUNT ? &r->given[id] : &r->half[fu][interval]))
		return false;
	unit = id < PARAM_COUNT ? params_unit(id) : "cycles";
	skip(l);
	if (l->at < l->end && !over(l, unit))
		return diag_error(r->d, where(l, l->at), "the unit of %s is '%s': '%s %s %s' and then its source", name,
				  unit, name, value, unit);
	return assign(r, l, value_at, name, value, source_of(r, l));
}

/* int_add LATENCY INTERVAL PIPELINE */
static bool read_unit(struct reader *r, struct line *l, const char *at, unsigned fu, const char *name)
{
	const char *number_at[2], *pipe_at, *number[2], *pipe;
	struct origin from;
	unsigned n = 0;

	for (unsigned i = 0; i < 2; i++)
		number[i] = word(l, r->a, &number_at[i]);
	pipe = word(l, r->a, &pipe_at);
	if (!pipe)
		return diag_error(r->d, where(l, at), "%s has a latency, an interval and a pipeline, as '%s 4 1 SP'",
				  name, name);
	while (params_pipe(n) && strcmp(params_pipe(n), pipe) != 0)
		n++;
	if (!params_pipe(n))
		return diag_error(r->d, where(l, pipe_at), "no pipeline is called '%s'; there are SP, SFU and MEM",
				  pipe);
	if (!once(r, l, at, name, &r->unit[fu]))
		return false;
	from = source_of(r, l);
	r->p->unit[fu].pipe = n;
	return assign(r, l, number_at[0], arena_printf(r->a, "%s_latency", name), number[0], from) &&
	       assign(r, l, number_at[1], arena_printf(r->a, "%s_interval", name), number[1], from);
}

/* "machine: NAME" is where to start from, "machine NAME: WHAT" what this is. */
static bool read_machine(struct reader *r, struct line *l, const char *at)
{
	const bool base = at[strlen("machine")] == ':';
	const char *name_at, *name = word(l, r->a, &name_at);

	if (!name)
		return diag_error(r->d, where(l, at), "'machine: NAME' says from which machine this one starts");
	if (base ? r->base != NULL : r->name != NULL)
		return diag_error(r->d, where(l, at),
				  base ? "a machine starts from one other" : "this file has a name already");
	if (!base) {
		skip(l);
		r->name = name;
		if (l->at < l->end)
			r->p->what = arena_strndup(r->a, l->at, (size_t)(l->end - l->at));
	}
	if (base || (!r->base && params_machine_known(name))) {
		const char *what = r->p->what;
		struct diag quiet;
		bool ok;

		if (r->any)
			return diag_error(r->d, where(l, at),
					  "where a machine starts from stands before its own values");
		diag_init(&quiet, NULL);
		ok = params_machine(r->p, name, &quiet);
		if (!ok)
			diag_error(r->d, where(l, name_at), "%.*s",
				   (int)strcspn(strstr(quiet.last, "error: ") + 7, "\n"),
				   strstr(quiet.last, "error: ") + 7);
		diag_free(&quiet);
		if (!ok)
			return false;
		r->base = r->p->machine;
		if (what && !base)
			r->p->what = what;
	}
	return true;
}

static bool read_energy(struct reader *r, struct line *l, const char *at)
{
	const char *name_at, *name = word(l, r->a, &name_at);
	const struct energy_table *t;

	if (!name)
		return diag_error(r->d, where(l, at), "energy has no value");
	if (!once(r, l, at, "energy", &r->energy) || !assign(r, l, name_at, "energy", name, (struct origin){ 0 }))
		return false;
	t = r->p->energy;
	if (over(l, "(") && over(l, t->what))
		over(l, ")");
	r->p->energy_origin = source_of(r, l);
	return true;
}

/* That there is such a scheduler is for who chooses among them to say (rf_config_parse()). */
static bool read_scheduler(struct reader *r, struct line *l, const char *at)
{
	const char *name_at, *name = word(l, r->a, &name_at);

	if (!name)
		return diag_error(r->d, where(l, at), "scheduler has no value");
	if (!once(r, l, at, "scheduler", &r->issue))
		return false;
	over(l, "(--rf issue=...)");
	r->p->issue = name;
	r->p->issue_origin = source_of(r, l);
	return true;
}

static bool is_axis(const char *name)
{
	for (unsigned x = 0; x < AXES; x++)
		if (strcmp(axis_name[x], name) == 0)
			return true;
	return false;
}

static bool read_line(struct reader *r, struct line *l)
{
	const char *at, *name;
	unsigned fu;

	over(l, "?"); /* a guess */
	name = word(l, r->a, &at);
	if (!name)
		return true;
	if (strcmp(name, "machine") == 0)
		return read_machine(r, l, at);
	if (strcmp(name, "scheduler") == 0)
		return read_scheduler(r, l, at);
	if (strcmp(name, "energy") == 0)
		return read_energy(r, l, at);
	if (strcmp(name, "functional") == 0 && over(l, "units"))
		return true;
	if (strcmp(name, "register") == 0 && over(l, "file"))
		return r->axes = true;
	if (r->axes && is_axis(name))
		return true;
	if (params_fu(name, &fu))
		return read_unit(r, l, at, fu, name);
	return read_param(r, l, at, name);
}

/* Every value comes from the file, or from the machine that it starts from. */
static bool complete(const struct reader *r)
{
	const char *text = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < PARAM_COUNT; i++)
		if (!r->p->origin[i].source && n++ < 3)
			text = arena_printf(r->a, "%s%s%s", text ? text : "", text ? ", " : "", params_id_name(i));
	for (unsigned u = 0; u < FU_COUNT; u++)
		if ((!r->p->unit[u].latency || !r->p->unit[u].interval) && n++ < 3)
			text = arena_printf(r->a, "%s%s%s", text ? text : "", text ? ", " : "",
					    params_fu_name(u, r->a));
	if (!r->p->issue && n++ < 3)
		text = arena_printf(r->a, "%s%sscheduler", text ? text : "", text ? ", " : "");
	if (!r->p->energy && n++ < 3)
		text = arena_printf(r->a, "%s%senergy", text ? text : "", text ? ", " : "");
	return !text || diag_error_plain(r->d, r->path,
					 "has no value for %s%s; 'machine: NAME' in its first line takes what it does "
					 "not say from a machine that there is",
					 text, n > 3 ? arena_printf(r->a, " and %u more", n - 3) : "");
}

/* Is p, values alone, the machine of that name? */
static bool same(const struct params *p, const char *name)
{
	struct params known;
	struct diag quiet;
	bool is;

	diag_init(&quiet, NULL);
	is = params_machine(&known, name, &quiet) && params_equal(p, &known);
	diag_free(&quiet);
	return is;
}

bool machine_read_source(struct params *p, const struct source *s, struct arena *a, struct diag *d)
{
	struct reader r = { .p = p, .a = a, .d = d, .path = s->name };
	const unsigned before = d->errors;

	memset(p, 0, sizeof *p);
	for (const char *at = s->text, *all = s->text + s->len, *next; at < all && !diag_full(d); at = next) {
		const char *end = memchr(at, '\n', (size_t)(all - at));
		struct line l = { s, at, end ? end : all };

		next = l.end + 1;
		for (const char *c = l.at; c < l.end; c++) /* a comment; the text of a source may have a # inside */
			if (*c == '#' && (c == l.at || blank(c[-1])))
				l.end = c;
		while (l.end > l.at && blank(l.end[-1]))
			l.end--;
		read_line(&r, &l);
	}
	if (d->errors != before || !complete(&r))
		return false;
	if (!p->what)
		p->what = "a machine of its own";
	if (!r.name)
		p->machine = s->name;
	else if (!params_machine_known(r.name))
		p->machine = r.name;
	else if (!same(p, r.name))
		p->machine = s->name;
	return true;
}

bool machine_is_file(const char *text)
{
	return !params_machine_known(text) && (strpbrk(text, "/.") || access(text, F_OK) == 0);
}

bool machine_read(struct params *p, const char *text, struct arena *a, struct diag *d)
{
	struct source *s;

	if (!machine_is_file(text))
		return params_machine(p, text, d);
	s = new(a, struct source);
	return infile_source(s, INFILE_MACHINE, text, a, d) && machine_read_source(p, s, a, d);
}
