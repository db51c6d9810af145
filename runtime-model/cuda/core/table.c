/* The table of kernels that a program ends with (docs/CUDA.md#report). */
#include "runtime-model/cuda/core/internal.h"

#include "runtime-model/core/energy.h"
#include "analyzer/base/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const char *amount(double v, struct arena *a)
{
	if (v >= 1e9)
		return arena_printf(a, "%.2f G", v / 1e9);
	if (v >= 1e6)
		return arena_printf(a, "%.2f M", v / 1e6);
	return v >= 1e4 ? arena_printf(a, "%.2f k", v / 1e3) : arena_printf(a, "%.0f", v);
}

static const char *fitting(const char *name, struct arena *a) { return kernel_short_name(name, 48, a); }

static const char *ms_text(const struct totals *t, struct arena *a)
{
	if (!t->ns)
		return "-";
	return arena_printf(a, "%s%.*f", t->estimated ? "~" : "", t->ns < 1000 ? 6 : 4, (double)t->ns / 1e6);
}

static bool any_stopped(const struct totals *t)
{
	for (unsigned c = 0; c < process.opt.configs->n; c++)
		if (t->stopped[c])
			return true;
	return false;
}

static void print_kernels(FILE *f, struct totals *const *list, unsigned n, struct arena *a)
{
	static const char *const title[] = { "kernel",        "launches", "timed", "threads",  "warp instr.",
					     "thread instr.", "time",     "code",  "registers" };
	static const char *const unit[] = { [6] = "ms", [8] = NULL };
	enum { COLUMNS = sizeof title / sizeof *title };
	struct text_table t = text_table_new(n + 2, COLUMNS, a);

	for (unsigned c = 0; c < COLUMNS; c++) {
		text_table_set(&t, 0, c, title[c]);
		text_table_set(&t, 1, c, unit[c]);
	}
	for (unsigned i = 0; i < n; i++) {
		text_table_set(&t, 2 + i, 0, fitting(list[i]->name, a));
		text_table_set(&t, 2 + i, 1, arena_printf(a, "%" PRIu64, list[i]->launches));
		text_table_set(&t, 2 + i, 2,
			       arena_printf(a, "%" PRIu64 "%s", list[i]->timed, any_stopped(list[i]) ? "*" : ""));
		text_table_set(&t, 2 + i, 3, amount((double)list[i]->threads, a));
		text_table_set(&t, 2 + i, 4, amount((double)list[i]->warp_insns, a));
		text_table_set(&t, 2 + i, 5, amount((double)list[i]->thread_insns, a));
		text_table_set(&t, 2 + i, 6, ms_text(list[i], a));
		text_table_set(&t, 2 + i, 7, list[i]->code ? list[i]->code : "-");
		text_table_set(&t, 2 + i, 8, list[i]->code ? arena_printf(a, "%u", list[i]->registers) : "-");
	}
	text_table_print(f, &t);
}

static const char *shown(const struct metric *m, struct arena *a)
{
	double scale;

	stats_shown_unit(m, &scale);
	if (!metric_known(m))
		return metric_unknown(m);
	return m->integer ? arena_printf(a, "%" PRIu64, m->count) : arena_printf(a, "%.4f", m->value * scale);
}

static const char *launches(uint64_t n, struct arena *a)
{
	return arena_printf(a, "%" PRIu64 " launch%s", n, n == 1 ? "" : "es");
}

/* What the rows of configuration c do not say. */
static void print_notes(FILE *f, const struct totals *t, unsigned c, struct arena *a)
{
	const char *const name = process.opt.configs->config[c].name, *const kernel = fitting(t->name, a);

	const char *acquires = run_acquires_text(&t->stats[c], a);

	for (const struct refusal *r = t->note[c]; r; r = r->next)
		fprintf(f, "  %s, %s: %s\n", kernel, name, r->why);
	if (acquires)
		fprintf(f, "  %s, %s: %s\n", kernel, name, acquires);
	for (const struct refusal *r = t->why[c]; r; r = r->next)
		fprintf(f, "  %s, %s: %s executed and not timed: %s\n", kernel, name, launches(r->launches, a), r->why);
	if (t->stopped[c])
		fprintf(f,
			"  * %s, %s: %s timed in part (--max-insns, --max-cycles): numbers are of that part, the time "
			"is its, extended to all instructions\n",
			kernel, name, launches(t->stopped[c], a));
	if (t->whole[c])
		fprintf(f,
			"  %s, %s: %s timed whole: --sample %" PRIu64 " takes of those that have %" PRIu64
			" CTAs or more\n",
			kernel, name, launches(t->whole[c], a), process.opt.number[CUDA_OPT_SAMPLE], t->needs[c]);
	if (t->sampled[c])
		fprintf(f, "  * %s, %s: %s estimated from a sample of CTAs, cycles +- %.2f %%%s\n", kernel, name,
			launches(t->sampled[c], a), 100 * t->error[c] / (double)t->stats[c].cycles,
			process.opt.given[CUDA_OPT_SAMPLE] ? "" : " (--exact times all)");
}

/* Why the energy of configuration c is not known, of the first kernel of which it is not; NULL: it is. */
static const char *energy_unknown(struct totals *const *list, unsigned n, unsigned c, struct arena *a)
{
	const char *why = NULL;

	for (unsigned i = 0; i < n && !why; i++)
		if (list[i]->chosen && list[i]->measured[c])
			why = energy_missing(&list[i]->stats[c], process.opt.configs->config[c].params, a);
	return why;
}

static void print_unknown_energy(FILE *f, struct totals *const *list, unsigned n, struct arena *a)
{
	const struct config_list *l = process.opt.configs;
	const char **why = new_array(a, const char *, l->n);

	for (unsigned c = 0; c < l->n; c++)
		why[c] = energy_unknown(list, n, c, a);
	for (unsigned c = 0; c < l->n; c++) {
		if (!why[c])
			continue;
		fprintf(f, "  %s", l->config[c].name);
		for (unsigned other = c + 1; other < l->n; other++)
			if (why[other] && strcmp(why[other], why[c]) == 0) {
				fprintf(f, ", %s", l->config[other].name);
				why[other] = NULL;
			}
		fprintf(f, ": %s\n", why[c]);
	}
}

static void print_timed(FILE *f, struct totals *const *list, unsigned n, struct arena *a)
{
	static const char *const metric[] = { "cycles", "ipc", "rf_reads", "rf_energy" };
	enum { METRICS = sizeof metric / sizeof *metric };
	const struct config_list *l = process.opt.configs;
	unsigned rows = 0, row = 2;
	struct text_table t;
	double scale;

	for (unsigned i = 0; i < n; i++)
		rows += list[i]->chosen ? l->n : 0;
	if (!rows)
		return;
	t = text_table_new(rows + 2, 3 + 2 * METRICS, a);
	text_table_set(&t, 0, 0, "kernel");
	text_table_set(&t, 0, 1, "configuration");
	text_table_set(&t, 0, 2, "launches");
	for (unsigned m = 0; m < METRICS; m++) {
		static const struct stats none;
		struct metric x;

		stats_find(metric[m], &none, l->config[0].params, &x);
		text_table_set(&t, 0, 3 + 2 * m, metric[m]);
		text_table_set(&t, 0, 4 + 2 * m, "ratio");
		text_table_set(&t, 1, 3 + 2 * m, stats_shown_unit(&x, &scale));
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < l->n && list[i]->chosen; c++, row++) {
			text_table_set(&t, row, 0, c ? "" : fitting(list[i]->name, a));
			text_table_set(&t, row, 1, l->config[c].name);
			text_table_set(&t, row, 2,
				       arena_printf(a, "%" PRIu64 "%s", list[i]->measured[c],
						    list[i]->stopped[c] || list[i]->sampled[c] ? "*" : ""));
			for (unsigned m = 0; m < METRICS; m++) {
				struct metric x, base;

				if (!list[i]->measured[c]) {
					text_table_set(&t, row, 3 + 2 * m, "refused");
					continue;
				}
				stats_find(metric[m], &list[i]->stats[c], l->config[c].params, &x);
				text_table_set(&t, row, 3 + 2 * m, shown(&x, a));
				stats_find(metric[m], &list[i]->stats[0], l->config[0].params, &base);
				/* Of the same launches, each as far as the other. */
				if (!list[i]->unlike[c] && metric_known(&base) && metric_known(&x) && base.value != 0)
					text_table_set(&t, row, 4 + 2 * m,
						       arena_printf(a, "%.3f", x.value / base.value));
				else
					text_table_set(&t, row, 4 + 2 * m, "-");
			}
		}
	fputc('\n', f);
	text_table_print(f, &t);
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < l->n; c++)
			print_notes(f, list[i], c, a);
	print_unknown_energy(f, list, n, a);
}

static bool any_estimated(struct totals *const *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i]->estimated)
			return true;
	return false;
}

static void print_failures(FILE *f)
{
	enum { SHOWN = 10 };
	unsigned n = 0;

	for (const struct failure *x = process.failure; x; x = x->next, n++)
		if (n < SHOWN)
			fprintf(f, "%s  launch %" PRIu64 " of %s failed: %s%s%s\n", n ? "" : "\n", x->launch, x->kernel,
				x->what, *x->where ? ", " : "", x->where);
	if (n > SHOWN)
		fprintf(f, "  ... and %u more\n", n - SHOWN);
}

static void print_refused(FILE *f, struct arena *a)
{
	const char *gap = "\n";

	for (const struct totals *t = process.totals; t; t = t->next)
		for (const struct refusal *r = t->why_not; r; r = r->next, gap = "")
			fprintf(f, "%s  %s: %s refused before %s began: %s\n", gap, fitting(t->name, a),
				launches(r->launches, a), r->launches == 1 ? "it" : "they", r->why);
}

/* Of several processes, which one. */
static const char *which(struct arena *a)
{
	return process.forks || !is_first_process() ? arena_printf(a, " (process %d)", (int)getpid()) : "";
}

/* Registers of PTX are those of a compiler that is not ptxas. */
static void print_elsewhere(FILE *f, struct totals *const *list, unsigned n)
{
	const char *has = NULL, *sm;

	for (unsigned i = 0; i < n && !has; i++)
		has = list[i]->elsewhere && *list[i]->elsewhere ? list[i]->elsewhere : NULL;
	sm = has ? strchr(has, '_') : NULL;
	if (sm)
		fprintf(f,
			"  ptx: regloom's compiler chose the registers; the program has machine code of ptxas for %s: "
			"--sm %.*s\n",
			has, (int)strcspn(sm + 1, ","), sm + 1);
}

void table_print(FILE *f, struct totals *const *list, unsigned n, struct arena *a)
{
	const struct process *p = &process;

	fprintf(f, "\nregloom  %s%s on %s (sm_%u%.1s): %s in %.2f s\n\n", program_invocation_short_name, which(a),
		p->device.name, p->opt.sm, &p->opt.suffix, launches(p->launches, a),
		(double)(clock_ns() - p->started_ns) / 1e9);
	if (n)
		print_kernels(f, list, n, a);
	if (any_estimated(list, n))
		fprintf(f, "  ~ not all of its launches were timed whole: in part estimated from warp instructions "
			   "alone, without latency and memory traffic\n");
	print_elsewhere(f, list, n);
	print_timed(f, list, n, a);
	print_failures(f);
	print_refused(f, a);
	watch_say(f);
}
