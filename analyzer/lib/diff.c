/* Two versions of kernels, figure by figure. */
#include "analyzer/base/kernel_name.h"
#include "analyzer/lib/diff.h"

#include "analyzer/base/near.h"

#include <math.h>
#include <string.h>

static const char *const verdict_name[] = {
	[DIFF_SAME] = "same", [DIFF_BETTER] = "better", [DIFF_WORSE] = "worse", [DIFF_UNKNOWN] = "unknown"
};

/* ---- which figures count ---- */
uint32_t diff_watched(void)
{
	uint32_t bits = 0;

	for (unsigned f = 0; f < FIGURE_COUNT; f++)
		bits |= (uint32_t)figure_info[f].watched << f;
	return bits;
}

const char *diff_counts(const char *list, uint32_t *counts, struct arena *a)
{
	*counts = 0;
	if (strcmp(list, "none") == 0)
		return NULL;
	if (strcmp(list, "all") == 0) {
		*counts = (1u << FIGURE_COUNT) - 1;
		return NULL;
	}
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		char hint[NEAR_HINT];
		struct near near;
		unsigned f = 0;

		while (f < FIGURE_COUNT && (strncmp(figure_info[f].name, p, n) != 0 || figure_info[f].name[n]))
			f++;
		if (f == FIGURE_COUNT) {
			near_begin(&near, p, n);
			for (f = 0; f < FIGURE_COUNT; f++)
				near_offer(&near, figure_info[f].name);
			return arena_printf(a, "'%.*s' is not compared, nor is it 'none' or 'all'%s", (int)n, p,
					    near_hint(&near, hint));
		}
		*counts |= 1u << f;
		p += n;
		if (!*p)
			return NULL;
	}
}

/* ---- comparing ---- */
/* What a machine has to do with, of two machines. */
static bool machines_differ(const struct kernel_figures *old, const struct kernel_figures *new, enum figure f)
{
	return (f == FIGURE_ALLOCATED && old->occupancy.sm.granule != new->occupancy.sm.granule) ||
	       (f == FIGURE_OCCUPANCY && strcmp(old->machine, new->machine) != 0);
}

static enum diff_verdict compare(const struct kernel_figures *old, const struct kernel_figures *new, enum figure f)
{
	double change = new->value[f] - old->value[f];

	if (old->missing[f] && new->missing[f])
		return DIFF_SAME;
	if (f == FIGURE_LOCAL && (old->missing[f] || new->missing[f])) /* no bound is more than any number */
		return new->missing[f] ? DIFF_WORSE : DIFF_BETTER;
	if (old->missing[f] || new->missing[f] || machines_differ(old, new, f))
		return DIFF_UNKNOWN;
	if (fabs(change) < 1e-9)
		return DIFF_SAME;
	return (change < 0) == (figure_info[f].better == FIGURE_LESS) ? DIFF_BETTER : DIFF_WORSE;
}

/* Whether figure f of k may not get worse. Machine code does not say which of its local memory holds spilled values:
 * then all of it stands for them. */
static bool watched(const struct diff *x, const struct diff_kernel *k, enum figure f)
{
	return x->counts >> f & 1 ||
	       (f == FIGURE_LOCAL && x->counts >> FIGURE_SPILL & 1 && k->new && k->new->missing[FIGURE_SPILL]);
}

void diff_find(struct diff *x, const struct figures_list *old, const struct figures_list *new, uint32_t counts,
	       struct arena *a)
{
	bool *found = new_array(a, bool, (size_t)old->n + 1);

	x->counts = counts;
	x->of = new_array(a, struct diff_kernel, (size_t)old->n + new->n + 1);
	x->n = 0;
	for (uint32_t n = 0; n < new->n; n++) {
		struct diff_kernel *k = &x->of[x->n++];
		uint32_t o = 0;

		k->new = &new->of[n];
		while (o < old->n && (found[o] || strcmp(old->of[o].name, k->new->name) != 0))
			o++;
		if (o == old->n)
			continue;
		found[o] = true;
		k->old = &old->of[o];
		for (enum figure f = 0; f < FIGURE_COUNT; f++) {
			k->verdict[f] = compare(k->old, k->new, f);
			k->differs |= k->verdict[f] != DIFF_SAME;
			k->worse |= k->verdict[f] == DIFF_WORSE && watched(x, k, f);
		}
	}
	for (uint32_t o = 0; o < old->n; o++)
		if (!found[o])
			x->of[x->n++].old = &old->of[o];
}

uint32_t diff_worse(const struct diff *x)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < x->n; k++)
		n += x->of[k].worse;
	return n;
}

static uint32_t count(const struct diff *x, bool old, bool new)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < x->n; k++)
		n += (x->of[k].old != NULL) == old && (x->of[k].new != NULL) == new;
	return n;
}

uint32_t diff_common(const struct diff *x) { return count(x, true, true); }

/* ---- for people ---- */
static const char *clean(const char *s, struct arena *a) { return view_clean(a, s, strlen(s)); }

static const char *value_text(const struct kernel_figures *x, enum figure f, struct arena *a)
{
	return x->missing[f] ? "-" : figure_text(f, x->value[f], false, a);
}

/* Figures that only machine code has. */
static bool only_native(enum figure f)
{
	return f == FIGURE_UNIFORM || f == FIGURE_UNIFORM_PREDICATES || f == FIGURE_CONFLICTS || f == FIGURE_REUSE;
}

/* Figures of what register files of papers would do. */
static bool of_models(enum figure f) { return f == FIGURE_PAIRS || f == FIGURE_ALIGNED || f == FIGURE_UPPER; }

/* Whether people see figure f of k; all: where it is the same, too. */
static bool shown(const struct diff *x, const struct diff_kernel *k, enum figure f, bool all)
{
	const bool native = k->old->native || k->new->native;

	if (native && of_models(f) && !x->models && !(x->counts >> f & 1))
		return false;
	return k->verdict[f] != DIFF_SAME || (all && (native || !only_native(f)));
}

static bool any_shown(const struct diff *x, const struct diff_kernel *k, bool all)
{
	for (enum figure f = 0; f < FIGURE_COUNT; f++)
		if (shown(x, k, f, all))
			return true;
	return false;
}

/* The first kernel that both have. */
static const struct diff_kernel *any_common(const struct diff *x)
{
	for (uint32_t n = 0; n < x->n; n++)
		if (x->of[n].old && x->of[n].new)
			return &x->of[n];
	return NULL;
}

/* What is compared, where it is of two kinds, and what else the files hold. */
static void write_head(FILE *f, const struct diff *x)
{
	const struct diff_kernel *k = any_common(x);
	bool kinds = k && k->old->native != k->new->native,
	     gpus = k && k->old->native && k->new->native &&strcmp(k->old->target, k->new->target) != 0;

	if (kinds)
		fprintf(f, "old: %s%s; new: %s%s: code of two compilers\n", k->old->code,
			k->old->native ? "" : ", compiled here", k->new->code, k->new->native ? "" : ", compiled here");
	else if (gpus)
		fprintf(f, "old: %s; new: %s: code for two GPUs\n", k->old->code, k->new->code);
	if (k && k->old->also)
		fprintf(f, "also there in old: %s\n", k->old->also);
	if (k && k->new->also)
		fprintf(f, "also there in new: %s\n", k->new->also);
}

static void write_figure(FILE *f, const struct diff *x, const struct diff_kernel *k, enum figure i, struct arena *a)
{
	double change = k->new->value[i] - k->old->value[i];
	bool known = k->verdict[i] != DIFF_UNKNOWN && !k->old->missing[i] && !k->new->missing[i];
	const char *why = k->new->missing[i] ? k->new->missing[i] : k->old->missing[i], *end = "", *changed = "-";

	if (!why && !known)
		why = arena_printf(a, "of %s and %s: --machine says one", k->old->machine, k->new->machine);

	if (k->verdict[i] == DIFF_WORSE)
		end = watched(x, k, i) ? "worse" : "worse, does not count";
	else if (k->verdict[i] == DIFF_BETTER)
		end = "better";
	if (known && k->verdict[i] == DIFF_SAME)
		changed = "0";
	else if (known)
		changed = arena_printf(a, "%+.*f", *figure_info[i].unit == '%' ? 1 : 0, change);
	fprintf(f, "  %-18s %10s %10s %10s ", figure_info[i].name, value_text(k->old, i, a), value_text(k->new, i, a),
		changed);
	if (!known)
		end = *end ? arena_printf(a, "%s; %s", end, why) : why;
	if (i == FIGURE_LIVE && (k->old->peak.file || k->new->peak.file)) {
		const char *was = figure_place_text(&k->old->peak, a), *is = figure_place_text(&k->new->peak, a);

		end = arena_printf(a, "%-6s  %s%s%s", end, was, strcmp(was, is) == 0 ? "" : " -> ",
				   strcmp(was, is) == 0 ? "" : is);
	}
	if (*end)
		fprintf(f, "%-12s  %s\n", figure_info[i].unit, end);
	else
		fprintf(f, "%s\n", figure_info[i].unit);
}

void diff_write(FILE *f, const struct diff *x, bool all)
{
	uint32_t same = 0, both = diff_common(x);
	struct arena a;

	arena_init(&a);
	write_head(f, x);
	for (uint32_t n = 0; n < x->n; n++) {
		const struct diff_kernel *k = &x->of[n];

		if (!k->old || !k->new) {
			fprintf(f, "kernel %s: %s\n", clean(kernel_name(k->old ? k->old->name : k->new->name, &a), &a),
				k->old ? "removed" : "added");
			continue;
		}
		same += !any_shown(x, k, false);
		if (!any_shown(x, k, all))
			continue;
		fprintf(f, "kernel %s", clean(kernel_name(k->new->name, &a), &a));
		if (strcmp(k->old->code, k->new->code) == 0)
			fprintf(f, " (%s)", k->new->code);
		if (k->new->occupancy.threads)
			fprintf(f, ", in blocks of %u threads", k->new->occupancy.threads);
		if (strcmp(k->old->machine, k->new->machine) == 0)
			fprintf(f, " on %s", k->new->machine);
		else
			fprintf(f, ", old on %s, new on %s", k->old->machine, k->new->machine);
		if (k->old->unknown || k->new->unknown)
			fprintf(f, "; instructions taken at worst, old %u and new %u: registers at most",
				k->old->unknown, k->new->unknown);
		fprintf(f, "\n  %-18s %10s %10s %10s\n", "", "old", "new", "change");
		for (enum figure i = 0; i < FIGURE_COUNT; i++)
			if (shown(x, k, i, all))
				write_figure(f, x, k, i, &a);
		arena_reset(&a);
	}
	fprintf(f, "diff: of %u kernel%s in both, %u differ%s and %u %s worse", both, both == 1 ? "" : "s", both - same,
		both - same == 1 ? "s" : "", diff_worse(x), diff_worse(x) == 1 ? "is" : "are");
	if (count(x, false, true) || count(x, true, false))
		fprintf(f, "; %u added, %u removed", count(x, false, true), count(x, true, false));
	for (uint32_t n = 0; n < x->n; n++)
		if (x->of[n].new && x->of[n].new->missing[FIGURE_OCCUPANCY]) {
			fputs("; occupancy is not compared: the block size is not known (--block, --launch)", f);
			break;
		}
	fputc('\n', f);
	arena_free(&a);
}

/* ---- for tools ---- */
static json_t *value_json(const struct kernel_figures *x, enum figure f)
{
	return !x || x->missing[f] ? json_null() : json_real(x->value[f]);
}

static void set_peak(json_t *j, const char *key, const struct kernel_figures *x, struct arena *a)
{
	if (x && x->peak.file)
		json_object_set_new(j, key,
				    json_pack("{s:s, s:I, s:I}", "file", clean(x->peak.file, a), "line",
					      (json_int_t)x->peak.line, "column", (json_int_t)x->peak.col));
}

static const char *state_of(const struct diff_kernel *k)
{
	if (!k->old)
		return "added";
	if (!k->new)
		return "removed";
	return k->differs ? "differs" : "same";
}

static json_t *kernel_json(const struct diff *x, const struct diff_kernel *k, struct arena *a)
{
	const struct kernel_figures *any = k->new ? k->new : k->old;
	json_t *figures = json_array();
	json_t *j = json_pack("{s:s, s:s, s:s, s:b}", "name", clean(any->name, a), "state", state_of(k), "machine",
			      any->machine, "worse", k->worse);

	if (k->old && k->new &&strcmp(k->old->machine, k->new->machine) != 0)
		json_object_set_new(j, "old_machine", json_string(k->old->machine));
	if (k->old)
		json_object_set_new(j, "old_code", json_string(k->old->code));
	if (k->new)
		json_object_set_new(j, "new_code", json_string(k->new->code));
	if (k->old && k->old->also)
		json_object_set_new(j, "old_also_there", json_string(k->old->also));
	if (k->new && k->new->also)
		json_object_set_new(j, "new_also_there", json_string(k->new->also));
	if (any->occupancy.threads)
		json_object_set_new(j, "block_threads", json_integer(any->occupancy.threads));
	for (enum figure f = 0; f < FIGURE_COUNT; f++) {
		const struct figure_info *i = &figure_info[f];
		json_t *one = json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "name", i->name, "unit", i->unit, "better",
					i->better == FIGURE_LESS ? "less" : "more", "counts", watched(x, k, f), "old",
					value_json(k->old, f), "new", value_json(k->new, f));

		if (k->old && k->new)
			json_object_set_new(one, "verdict", json_string(verdict_name[k->verdict[f]]));
		json_array_append_new(figures, one);
	}
	json_object_set_new(j, "figures", figures);
	set_peak(j, "old_peak", k->old, a);
	set_peak(j, "new_peak", k->new, a);
	return j;
}

bool diff_write_json(FILE *f, const struct diff *x)
{
	json_t *kernels = json_array(), *j;
	struct arena a;
	bool ok;

	arena_init(&a);
	for (uint32_t n = 0; n < x->n; n++)
		json_array_append_new(kernels, kernel_json(x, &x->of[n], &a));
	j = json_pack("{s:s, s:i, s:s, s:s, s:b, s:o}", "format", "regloom-diff", "version", 1, "old",
		      clean(x->old_path, &a), "new", clean(x->new_path, &a), "worse", diff_worse(x) != 0, "kernels",
		      kernels);
	ok = j && json_dumpf(j, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
	json_decref(j);
	arena_free(&a);
	return ok && !ferror(f);
}
