/* Sources for gnuplot: data and what to draw of it in one file, which asks for no terminal, so that a user's can be
 * any. Names of the user's are labels alone (picture_label). */
#include "runtime-model/html/report.h"

#include <string.h>

/* Of the 15 colours of M. Krzywinski's palette for colour blindness those that print apart, dark and light in turn. */
static const char *const colour[] = {
	"#004949", "#ff6db6", "#490092", "#6db6ff", "#009292", "#ffb6db", "#006ddb",
	"#b66dff", "#920000", "#24ff24", "#924900", "#db6d00", "#ffff6d", "#b6dbff",
};
enum { COLOURS = sizeof colour / sizeof *colour };

static void put_head(FILE *f, const char *what, const char *of, struct arena *a)
{
	fprintf(f,
		"# sm-model report. Into a PDF: gnuplot -e \"set terminal pdfcairo; set output 'picture.pdf'\" "
		"THIS-FILE\n"
		"set datafile separator \"\\t\"\nset datafile missing \"?\"\nset title '%s' noenhanced\nset key "
		"outside right top noenhanced\n"
		"set style fill solid 0.9 border -1\nset grid ytics\nset tics nomirror out\nset border 3\n",
		picture_label(arena_printf(a, "%s%s", what, of), a));
	for (unsigned i = 0; i < COLOURS; i++)
		fprintf(f, "set linetype %u lc rgb '%s' lw 1.5\n", i + 1, colour[i]);
	fprintf(f, "set linetype cycle %u\n", (unsigned)COLOURS);
}

static void put_labels(FILE *f, const char *text, struct arena *a) { fprintf(f, "\t%s", picture_label(text, a)); }

static void put_value(FILE *f, bool known, double v)
{
	if (known)
		fprintf(f, "\t%.6g", v);
	else
		fputs("\t?", f);
}

/* The names of the columns, a comment to gnuplot: first what a row is of, then each series. What is a table as text
 * (pictures.c) has them. */
static void put_columns(FILE *f, const char *row, const char *const *name, unsigned n, struct arena *a)
{
	fprintf(f, "$data << EOD\n#\t%s", row);
	for (unsigned i = 0; i < n; i++)
		put_labels(f, name[i], a);
	fputc('\n', f);
}

/* Columns 3 on, each a series with its name. */
static void put_series(FILE *f, const char *const *name, unsigned n, struct arena *a)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s using %u%s title '%s' noenhanced", i ? ", \\\n  ''" : "plot $data", i + 3,
			i ? "" : ":xtic(2)", picture_label(name[i], a));
	fputc('\n', f);
}

/* ---- configurations ---- */
bool plot_comparison(FILE *f, const char *title, const struct shot *s, unsigned n, struct arena *a)
{
	static const char *const metric[] = {
		"cycles",    "ipc",       "rf_reads",  "rf_writes", "rf_bank_conflicts", "rf_dynamic_energy",
		"rf_energy", "sm_energy", "gpu_energy"
	};
	const char **name = new_array(a, const char *, n);
	unsigned rows = 0;

	if (n < 2)
		return false;
	for (unsigned i = 0; i < n; i++)
		name[i] = s[i].name;
	put_head(f, title, arena_printf(a, ", relative to %s", s[0].name), a);
	fputs("set style data histograms\nset style histogram clustered gap 1\nset ylabel 'ratio'\nset yrange "
	      "[0:*]\nset xtics rotate by -25 noenhanced\n",
	      f);
	put_columns(f, "ratio of", name, n, a);
	for (unsigned m = 0; m < sizeof metric / sizeof *metric; m++) {
		double base, v;

		if (!shot_metric(&s[0], metric[m], &base) || !(base > 0))
			continue;
		fprintf(f, "%u\t%s", rows++, metric[m]);
		for (unsigned i = 0; i < n; i++) {
			bool known = shot_metric(&s[i], metric[m], &v);

			put_value(f, known, known ? v / base : 0);
		}
		fputc('\n', f);
	}
	fputs("EOD\n", f);
	put_series(f, name, n, a);
	return rows > 0;
}

enum { SERIES_MAX = 64 };
struct series {
	const char *name[SERIES_MAX];
	unsigned n;
};
/* "slots_" */
enum { SLOTS_PREFIX = 6 };

static void add_series(struct series *x, const char *name)
{
	for (unsigned i = 0; i < x->n; i++)
		if (strcmp(x->name[i], name) == 0)
			return;
	if (x->n < SERIES_MAX)
		x->name[x->n++] = name;
}

static void put_stack(FILE *f, const char *unit)
{
	fprintf(f,
		"set style data histograms\nset style histogram rowstacked\nset boxwidth 0.8\nset key invert\nset "
		"ylabel '%s'\nset yrange [0:*]\n"
		"set xtics rotate by -25 noenhanced\n",
		unit);
}

static bool is_slots(const char *name) { return strncmp(name, "slots_", SLOTS_PREFIX) == 0; }

bool plot_slots(FILE *f, const char *title, const struct shot *s, unsigned n, struct arena *a)
{
	struct series x = { .n = 0 };
	const char *reason[SERIES_MAX];
	const char *key;
	json_t *v;

	for (unsigned i = 0; i < n; i++)
		json_object_foreach((json_t *)s[i].metrics, key, v)
		{
			double m;

			if (is_slots(key) && shot_metric(&s[i], key, &m) && m > 0)
				add_series(&x, key);
		}
	if (!x.n)
		return false;
	put_head(f, "issue slots of ", title, a);
	put_stack(f, "issue slots [%]");
	for (unsigned k = 0; k < x.n; k++)
		reason[k] = x.name[k] + SLOTS_PREFIX;
	put_columns(f, "issue slots [%]", reason, x.n, a);
	for (unsigned i = 0; i < n; i++) {
		double all = 0, m;

		for (unsigned k = 0; k < x.n; k++)
			all += shot_metric(&s[i], x.name[k], &m) ? m : 0;
		fprintf(f, "%u", i);
		put_labels(f, s[i].name, a);
		for (unsigned k = 0; k < x.n; k++)
			put_value(f, true, all > 0 && shot_metric(&s[i], x.name[k], &m) ? 100 * m / all : 0);
		fputc('\n', f);
	}
	fputs("EOD\n", f);
	put_series(f, reason, x.n, a);
	return true;
}

/* ---- energy ---- */
static const json_t *parts_of(const struct shot *s)
{
	return json_object_get(json_object_get(s->detail, "energy"), "parts");
}

static bool is_part(const json_t *part, bool gpu)
{
	return (strcmp(json_string_value(json_object_get(part, "of")), "rf") != 0) == gpu;
}

/* Does every configuration know what a GPU takes? Else only register files are compared. */
static bool all_have_gpu(const struct shot *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const json_t *part;
		bool any = false;
		size_t k;

		json_array_foreach(parts_of(&s[i]), k, part) any |= is_part(part, true);
		if (!any)
			return false;
	}
	return true;
}

static const json_t *find_part(const struct shot *s, const char *name, bool gpu)
{
	const json_t *part;
	size_t k;

	json_array_foreach(parts_of(s), k, part) if (is_part(part, gpu) &&
						     strcmp(json_string_value(json_object_get(part, "name")), name) ==
							     0) return json_object_get(part, "uJ");
	return NULL;
}

bool plot_energy(FILE *f, const char *title, const struct shot *s, unsigned n, struct arena *a)
{
	bool gpu = all_have_gpu(s, n), unknown = false;
	struct series x = { .n = 0 };
	const json_t *part;
	size_t k;

	for (unsigned i = 0; i < n; i++)
		json_array_foreach(parts_of(&s[i]), k, part) if (is_part(part, gpu))
			add_series(&x, json_string_value(json_object_get(part, "name")));
	if (!x.n)
		return false;
	put_head(f, gpu ? "energy of the GPU: " : "energy of the register files: ", title, a);
	put_stack(f, "energy [uJ]");
	put_columns(f, "energy [uJ]", x.name, x.n, a);
	for (unsigned i = 0; i < n; i++) {
		bool lacks = false;

		for (unsigned c = 0; c < x.n; c++)
			lacks |= json_is_null(find_part(&s[i], x.name[c], gpu));
		unknown |= lacks;
		fprintf(f, "%u", i);
		put_labels(f, arena_printf(a, "%s%s", s[i].name, lacks ? " (*)" : ""), a);
		for (unsigned c = 0; c < x.n; c++) {
			const json_t *uj = find_part(&s[i], x.name[c], gpu);

			put_value(f, !json_is_null(uj), json_number_value(uj));
		}
		fputc('\n', f);
	}
	fputs("EOD\n", f);
	if (unknown)
		fputs("set xlabel '(*) a part is not known: the energy table lacks a cost'\n", f);
	put_series(f, x.name, x.n, a);
	return true;
}

/* ---- along the code of a kernel ---- */
static json_int_t member(const json_t *o, const char *name) { return json_integer_value(json_object_get(o, name)); }

/* Registers with which one CTA more would fit the SM, of the first block size; 0: no number of registers would do. */
static json_int_t one_more(const json_t *kernel)
{
	const json_t *change;
	size_t i;

	json_array_foreach(
		json_object_get(json_array_get(json_object_get(json_object_get(kernel, "occupancy"), "blocks"), 0),
				"one_more"),
		i, change) if (json_object_size(change) == 1 &&
			       member(change, "registers") > 0) return member(change, "registers");
	return 0;
}

bool plot_pressure(FILE *f, const json_t *kernel, struct arena *a)
{
	const json_t *insn, *list = json_object_get(kernel, "instructions");
	json_int_t used = member(json_object_get(kernel, "resources"), "registers"), fewer = one_more(kernel);
	size_t i;

	if (!json_array_size(list))
		return false;
	put_head(f, "registers of ", json_string_value(json_object_get(kernel, "name")), a);
	fprintf(f,
		"set xlabel 'instruction'\nset ylabel 'registers of a thread'\nset yrange [0:*]\nset xrange "
		"[0:%zu]\nset style fill solid 1 noborder\n$data << EOD\n",
		json_array_size(list));
	json_array_foreach(list, i, insn)
		fprintf(f, "%zu\t%lld\t%lld\n", i, (long long)member(json_object_get(insn, "live"), "registers"),
			(long long)member(json_object_get(insn, "occupied"), "registers"));
	fprintf(f,
		"EOD\nplot $data using 1:2 with fillsteps lt 4 title 'live', '' using 1:3 with steps lt 3 title "
		"'occupied', \\\n"
		"  %lld with lines lt 9 title 'allocated: %lld'",
		(long long)used, (long long)used);
	if (fewer)
		fprintf(f, ", \\\n  %lld with lines dt 2 lt 11 title 'one CTA more: %lld'", (long long)fewer,
			(long long)fewer);
	fputc('\n', f);
	return true;
}

bool plot_code(FILE *f, const json_t *explained, const struct shot *s, struct arena *a)
{
	const json_t *insn, *list = json_object_get(explained, "instructions"), *n;
	double all = 0;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)json_object_get(explained, "slots"), key, n) all += json_number_value(n);
	if (!json_array_size(list) || !(all > 0))
		return false;
	put_head(f, "issue slots along ",
		 arena_printf(a, "%s, %s", json_string_value(json_object_get(explained, "kernel")), s->name), a);
	fprintf(f,
		"set xlabel 'instruction'\nset ylabel 'issue slots [%%]'\nset yrange [0:*]\nset xrange [-1:%zu]\nset "
		"style data histograms\n"
		"set style histogram rowstacked\nset boxwidth 1\nset style fill solid 1 noborder\n$data << EOD\n",
		json_array_size(list));
	json_array_foreach(list, i, insn)
	{
		double issued = 0, stalled = 0;

		json_object_foreach((json_t *)json_object_get(insn, "slots"), key, n)
		{
			if (strcmp(key, "issued") == 0)
				issued += json_number_value(n);
			else
				stalled += json_number_value(n);
		}
		fprintf(f, "%zu\t%.6g\t%.6g\n", i, 100 * issued / all, 100 * stalled / all);
	}
	fputs("EOD\nplot $data using 2 lt 4 title 'issued', '' using 3 lt 9 title 'stalled'\n", f);
	return true;
}

/* Accesses that waited, of all, by bank. */
bool plot_banks(FILE *f, const char *kernel, const struct shot *s, unsigned n, struct arena *a)
{
	const char **name = new_array(a, const char *, n);
	size_t most = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t banks = json_array_size(json_object_get(shot_kernel(&s[i], kernel), "banks"));

		most = banks > most ? banks : most;
		name[i] = s[i].name;
	}
	if (!most)
		return false;
	put_head(f, "register-file banks of ", kernel, a);
	fputs("set style data histograms\nset style histogram clustered gap 1\nset xlabel 'bank'\nset ylabel 'accesses "
	      "that waited [%]'\nset yrange [0:*]\n"
	      "set style fill solid 0.9 noborder\n",
	      f);
	put_columns(f, "accesses that waited [%], of bank", name, n, a);
	for (size_t b = 0; b < most; b++) {
		fprintf(f, "%zu\t%zu", b, b);
		for (unsigned i = 0; i < n; i++) {
			const json_t *bank = json_array_get(json_object_get(shot_kernel(&s[i], kernel), "banks"), b);
			double all = (double)(member(bank, "reads") + member(bank, "writes"));

			put_value(f, bank != NULL,
				  all > 0 ? 100 *
						    (double)(member(bank, "reads_delayed") +
							     member(bank, "writes_delayed")) /
						    all
					  : 0);
		}
		fputc('\n', f);
	}
	fputs("EOD\n", f);
	put_series(f, name, n, a);
	return true;
}
