/* Pictures of a report: which there are, and running gnuplot and Graphviz on their sources, without a shell and whole
 * or not at all. */
#include "runtime-model/html/report.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/signals.h"
#include "analyzer/base/text_table.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { STEM_BYTES = 60, SAID_BYTES = 2000 };

static const char *const format_name[PICTURE_FORMATS] = {
	[PICTURE_SVG] = "svg", [PICTURE_PNG] = "png", [PICTURE_TXT] = "txt"
};

unsigned picture_formats(const char *list)
{
	unsigned formats = 0;

	if (!list)
		return 1u << PICTURE_SVG;
	for (;; list++) {
		size_t n = strcspn(list, ",");
		unsigned i = 0;

		while (i < PICTURE_FORMATS && (strlen(format_name[i]) != n || memcmp(format_name[i], list, n) != 0))
			i++;
		if (i == PICTURE_FORMATS)
			return 0;
		formats |= 1u << i;
		list += n;
		if (!*list)
			return formats;
	}
}

const char *picture_label(const char *text, struct arena *a)
{
	char *t = arena_printf(a, "%s", text);

	for (char *p = t; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(" ,.=+-/:_()[]<>*#", *p))
			*p = '?';
	return t;
}

/* ---- what results hold ---- */
/* Those that did not fail, in arena a. */
static struct shot *find_shots(const json_t *result, unsigned *n, struct arena *a)
{
	const json_t *configs = json_object_get(result, "configurations"),
		     *detail = json_object_get(json_object_get(result, "detail"), "configurations");
	const json_t *baseline = json_object_get(result, "baseline"), *c;
	struct shot *s = new_array(a, struct shot, json_array_size(configs) + 2);
	size_t i;

	*n = 0;
	json_array_foreach(configs, i, c) if (json_is_false(json_object_get(c, "failed"))) s[(*n)++] =
		(struct shot){ json_string_value(json_object_get(c, "name")), json_object_get(c, "metrics"),
			       json_array_get(detail, i) };
	if (configs || !json_is_string(json_object_get(result, "rf")))
		return s;
	if (baseline) /* what ratios are to comes first */
		s[(*n)++] =
			(struct shot){ "baseline", json_object_get(baseline, "metrics"), json_array_get(detail, 1) };
	s[(*n)++] = (struct shot){ json_string_value(json_object_get(result, "rf")), json_object_get(result, "metrics"),
				   json_array_get(detail, 0) };
	return s;
}

bool shot_metric(const struct shot *s, const char *name, double *v)
{
	const json_t *x = json_object_get(json_object_get(s->metrics, name), "value");

	*v = json_number_value(x);
	return json_is_number(x);
}

const json_t *shot_kernel(const struct shot *s, const char *kernel)
{
	const json_t *k;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(s->detail, "explain"), "kernels"), i,
			   k) if (strcmp(json_string_value(json_object_get(k, "kernel")), kernel) == 0) return k;
	return NULL;
}

/* ---- sources ---- */
/* items: configurations beside each other; 0: none are. partial: why the run stopped; NULL: it did not. */
struct picture {
	const char *stem, *partial;
	bool graph;
	unsigned items;
	char *text;
	size_t n;
};
struct pictures {
	struct picture *v;
	uint32_t n, cap;
	const char *partial;
	struct arena *a;
};

/* A name of a file: of letters, digits and ".-_", not like another's. */
static const char *stem(const struct pictures *p, const char *prefix, const char *name)
{
	char *t = arena_printf(p->a, "%s%s%.*s", prefix, *prefix && *name ? "-" : "", STEM_BYTES, name);
	const char *is = t;

	for (char *c = t; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	*t = *t == '.' || *t == '-' ? '_' : *t;
	for (unsigned again = 2;; again++) {
		uint32_t i = 0;

		while (i < p->n && strcmp(p->v[i].stem, is) != 0)
			i++;
		if (i == p->n)
			return is;
		is = arena_printf(p->a, "%s-%u", t, again);
	}
}

/* Where the source of a picture is written, and kept if there is something to draw. */
struct writing {
	FILE *f;
	char *text;
	size_t n;
};

static void begin(struct writing *w, const struct pictures *p, bool graph)
{
	*w = (struct writing){ .f = NULL };
	w->f = open_memstream(&w->text, &w->n);
	if (!w->f)
		abort(); /* no memory */
	if (p->partial && graph)
		fprintf(w->f, "// partial: %s\n", p->partial);
	else if (p->partial)
		fprintf(w->f, "# partial: %s\nset label 'partial: %s' at screen 0.01, screen 0.98 noenhanced\n",
			p->partial, p->partial);
}

static void keep(struct pictures *p, struct writing *w, bool drawn, const char *prefix, const char *name, bool graph,
		 unsigned items)
{
	fclose(w->f);
	if (drawn) {
		arena_grow(p->a, p->v, p->n, p->cap);
		p->v[p->n] = (struct picture){
			stem(p, prefix, name), p->partial, graph, items, arena_strndup(p->a, w->text, w->n), w->n
		};
		p->n++;
	}
	free(w->text);
}

static void draw_kernel(struct pictures *p, const char *prefix, const json_t *kernel, const struct shot *s, unsigned n)
{
	const char *name = json_string_value(json_object_get(kernel, "name"));
	const json_t *explained = n ? shot_kernel(&s[0], name) : NULL;
	struct writing w;
	bool drawn;

	begin(&w, p, false);
	drawn = plot_pressure(w.f, kernel, p->a);
	keep(p, &w, drawn, prefix, arena_printf(p->a, "%.*s-pressure", STEM_BYTES - 12, name), false, 0);
	begin(&w, p, false);
	drawn = explained && plot_code(w.f, explained, &s[0], p->a);
	keep(p, &w, drawn, prefix, arena_printf(p->a, "%.*s-code", STEM_BYTES - 12, name), false, 0);
	begin(&w, p, false);
	drawn = plot_banks(w.f, name, s, n, p->a);
	keep(p, &w, drawn, prefix, arena_printf(p->a, "%.*s-banks", STEM_BYTES - 12, name), false, n);
	begin(&w, p, true);
	drawn = graph_affinity(w.f, kernel, p->a);
	keep(p, &w, drawn, prefix, arena_printf(p->a, "%.*s-affinity", STEM_BYTES - 12, name), true, 0);
}

static void draw_file(struct pictures *p, const char *prefix, const json_t *result)
{
	const char *title = json_string_value(json_object_get(result, "kernel"));
	const json_t *k;
	struct writing w;
	struct shot *s;
	unsigned n;
	bool drawn;
	size_t i;

	p->partial = json_string_value(json_object_get(json_object_get(result, "partial"), "why"));
	s = find_shots(result, &n, p->a);
	begin(&w, p, false);
	drawn = plot_comparison(w.f, title, s, n, p->a);
	keep(p, &w, drawn, prefix, "comparison", false, n);
	begin(&w, p, false);
	drawn = plot_slots(w.f, title, s, n, p->a);
	keep(p, &w, drawn, prefix, "slots", false, n);
	begin(&w, p, false);
	drawn = plot_energy(w.f, title, s, n, p->a);
	keep(p, &w, drawn, prefix, "energy", false, n);
	json_array_foreach(
		json_object_get(json_object_get(json_object_get(result, "detail"), "annotations"), "kernels"), i, k)
		draw_kernel(p, prefix, k, s, n);
}

/* ---- running a program ---- */
/* Its standard output goes to `out`, what it says into `said`. 0, or an error number; *status as of waitpid(). */
static int run(char *const argv[], int out, int said, int *status)
{
	posix_spawn_file_actions_t act;
	int error = posix_spawn_file_actions_init(&act);

	if (error)
		return error;
	error = posix_spawn_file_actions_addopen(&act, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&act, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&act, said, STDERR_FILENO);
	if (!error)
		error = signals_spawn(argv[0], argv, &act, status);
	posix_spawn_file_actions_destroy(&act);
	return error;
}

/* What a program said, on one line. */
static const char *said_text(int fd, struct arena *a)
{
	char *t = arena_alloc(a, SAID_BYTES + 1, 1), *p = t;
	ssize_t n = pread(fd, t, SAID_BYTES, 0);
	size_t len = n > 0 ? (size_t)n : 0;

	while (len && isspace((unsigned char)t[len - 1]))
		len--;
	t[len] = 0;
	for (; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return t;
}

/* Runs it into PATH. */
static bool draw(char *const argv[], const char *package, const char *path, struct arena *a, struct diag *d)
{
	int said = memfd_create("regloom", MFD_CLOEXEC), error, status = 0;
	struct outfile out;
	bool ok;

	if (said < 0)
		return diag_error_plain(d, path, "no room for what %s says: %s", argv[0], strerror(errno));
	if (!outfile_open(&out, path, a, d)) {
		close(said);
		return false;
	}
	error = run(argv, fileno(out.f), said, &status);
	if (error == ENOENT)
		ok = diag_error_plain(d, NULL, "%s is not there; the package %s has it: apt-get install %s", argv[0],
				      package, package);
	else if (error)
		ok = diag_error_plain(d, NULL, "%s cannot be started: %s", argv[0], strerror(error));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		ok = true;
	else
		ok = diag_error_plain(d, path, "%s failed (%s %d): %s", argv[0],
				      WIFSIGNALED(status) ? "signal" : "exit status",
				      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), said_text(said, a));
	close(said);
	if (ok)
		return outfile_commit(&out);
	outfile_discard(&out);
	return false;
}

/* What stands side by side is a table as text: the picture's data. */
static bool write_table(const struct picture *p, const char *path, struct arena *a, struct diag *d)
{
	const char *from = strstr(p->text, "$data << EOD\n") + strlen("$data << EOD\n"),
		   *end = strstr(from, "\nEOD\n") + 1;
	unsigned rows = 0, columns = 1, row = 0;
	struct text_table t;
	struct outfile out;

	for (const char *c = from; c < end; c++) {
		rows += *c == '\n';
		columns += *c == '\t' && !rows;
	}
	t = text_table_new(rows, columns - 1, a); /* without the first, which numbers them */
	for (const char *c = from; c < end; row++) {
		unsigned column = 0;

		for (bool more = true; more; column++) {
			size_t n = strcspn(c, "\t\n");

			if (column)
				text_table_set(&t, row, column - 1, arena_strndup(a, c, n));
			more = c[n] == '\t';
			c += n + 1;
		}
	}
	if (!outfile_open(&out, path, a, d))
		return false;
	if (p->partial)
		fprintf(out.f, "partial: %s\n", p->partial);
	text_table_print(out.f, &t);
	return outfile_commit(&out);
}

static bool draw_plot(const struct picture *p, char *source, const char *path, enum picture_format format,
		      struct arena *a, struct diag *d)
{
	unsigned wide = 900 + (p->items > 6 ? 40 * (p->items - 6) : 0);
	char *terminal = NULL; /* for gnuplot */

	wide = wide > 4000 ? 4000 : wide;
	switch (format) {
	case PICTURE_SVG:
		terminal = arena_printf(a, "set terminal svg size %u,480 noenhanced background 'white' font 'sans,12'",
					wide);
		break;
	case PICTURE_PNG:
		terminal = arena_printf(a, "set terminal pngcairo size %u,720 noenhanced font 'sans,13'", wide * 3 / 2);
		break;
	case PICTURE_TXT:
	case PICTURE_FORMATS:
		if (p->items)
			return write_table(p, path, a, d);
		terminal = "set terminal dumb 120,32 noenhanced";
		break;
	}
	return draw((char *[]){ "gnuplot", "-d", "-e", terminal, source, NULL }, "gnuplot-nox", path, a, d);
}

static bool write_picture(const struct picture *p, const char *dir, unsigned formats, struct arena *a, struct diag *d)
{
	const char *source = arena_printf(a, "%s/%s.%s", dir, p->stem, p->graph ? "dot" : "gp");
	/* for gnuplot what begins with '<' is a command, with '-' an option */
	char *named = arena_printf(a, "%s%s", *source == '/' ? "" : "./", source);
	struct outfile out;
	bool ok = true;

	if (!outfile_open(&out, source, a, d))
		return false;
	fwrite(p->text, 1, p->n, out.f);
	if (!outfile_commit(&out))
		return false;
	for (enum picture_format i = 0; i < PICTURE_FORMATS && ok; i++) {
		const char *path = arena_printf(a, "%s/%s.%s", dir, p->stem, format_name[i]);

		/* Graphviz has no text that people read */
		if (!(formats >> i & 1) || (p->graph && i == PICTURE_TXT))
			continue;
		ok = p->graph ? draw((char *[]){ "dot", i == PICTURE_SVG ? "-Tsvg" : "-Tpng", named, NULL }, "graphviz",
				     path, a, d)
			      : draw_plot(p, named, path, i, a, d);
	}
	return ok;
}

bool pictures_write(const struct report *r, const char *dir, unsigned formats, unsigned *count, struct arena *a,
		    struct diag *d)
{
	struct pictures p = { .a = a };

	for (unsigned i = 0; i < r->n; i++) {
		const char *name = loc_base_name(r->file[i].name), *dot = strrchr(name, '.');
		size_t n = dot && dot != name ? (size_t)(dot - name) : strlen(name);

		draw_file(&p, r->n > 1 ? arena_strndup(a, name, n) : "", r->file[i].result);
	}
	if (!p.n)
		return diag_error_plain(d, r->file[0].name, "holds nothing to draw: it was not timed");
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return diag_error_plain(d, dir, "cannot be made: %s", strerror(errno));
	for (uint32_t i = 0; i < p.n; i++)
		if (!write_picture(&p.v[i], dir, formats, a, d))
			return false;
	*count = p.n;
	return true;
}
