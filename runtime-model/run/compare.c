/* Reports on several configurations: a table for people, JSON, CSV. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/run/compare.h"
#include "runtime-model/core/axis.h"
#include "analyzer/base/near.h"
#include "analyzer/base/outfile.h"
#include "runtime-model/run/chip.h"
#include "runtime-model/run/noise.h"
#include "runtime-model/core/energy.h"
#include "analyzer/base/text_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const main_metric[] = { "cycles", "occupancy", "rf_reads", "rf_bank_conflicts", "rf_energy" };
enum { MAIN_METRICS = sizeof main_metric / sizeof *main_metric };
/* that stand side by side */
enum { COLUMN_METRICS = 6, COLUMN_CONFIGS = 4 };

static bool no_metric(const char *name, struct diag *d)
{
	char hint[NEAR_HINT];
	struct near near;

	near_begin(&near, name, strlen(name));
	run_metric_near(&near);
	return diag_error_plain(d, NULL, "no metric is called '%s'; `sm-model list metrics` names them%s", name,
				near_hint(&near, hint));
}

bool metric_choice_parse(struct metric_choice *m, const char *text, struct arena *a, struct diag *d)
{
	*m = (struct metric_choice){ 0, new_array(a, unsigned, run_metric_count()), !text };
	for (unsigned i = 0; !text && i < MAIN_METRICS; i++)
		run_metric_index(main_metric[i], &m->metric[m->n++]);
	while (text) {
		size_t n = strcspn(text, ",");
		const char *name = arena_strndup(a, text, n);
		unsigned at;

		if (!run_metric_index(name, &at))
			return no_metric(name, d);
		for (unsigned i = 0; i < m->n; i++)
			if (m->metric[i] == at)
				return diag_error_plain(d, NULL, "the metric '%s' is named twice", name);
		m->metric[m->n++] = at;
		text = text[n] ? text + n + 1 : NULL;
	}
	return true;
}

void metric_choice_all(struct metric_choice *m, struct arena *a)
{
	*m = (struct metric_choice){ run_metric_count(), new_array(a, unsigned, run_metric_count()), false };
	for (unsigned i = 0; i < m->n; i++)
		m->metric[i] = i;
}

/* ---- for people ---- */
static const char *number(const struct metric *m, struct arena *a)
{
	double scale;

	stats_shown_unit(m, &scale);
	if (!metric_known(m))
		return metric_unknown(m);
	return m->integer ? arena_printf(a, "%" PRIu64, m->count) : arena_printf(a, "%.4f", m->value * scale);
}

/* The value and its ratio to that of the configuration which this one stands beside, in two cells. */
static void set_value(struct text_table *t, const struct run *r, int kernel, unsigned row, unsigned column,
		      unsigned config, unsigned metric)
{
	const unsigned beside = r->opt.config[config].beside;
	struct metric m = run_metric(r, config, kernel, metric), base = run_metric(r, beside, kernel, metric);

	if (r->timing[config].failed) {
		text_table_set(t, row, column, "failed");
		return;
	}
	text_table_set(t, row, column, number(&m, t->a));
	if (!run_comparable(r, config, metric))
		return;
	text_table_set(t, row, column + 1,
		       r->timing[beside].failed || base.value == 0 || !metric_known(&base) || !metric_known(&m)
			       ? "-"
			       : arena_printf(t->a, "%.3f", m.value / base.value));
}

static void print_by_config(FILE *out, const struct run *r, int kernel, const struct metric_choice *c, struct arena *a)
{
	struct text_table t = text_table_new(r->opt.nconfig + 2, 1 + 2 * c->n, a);
	double scale;

	text_table_set(&t, 0, 0, "configuration");
	for (unsigned i = 0; i < c->n; i++) {
		struct metric m = run_metric(r, 0, kernel, c->metric[i]);

		text_table_set(&t, 0, 1 + 2 * i, m.name);
		text_table_set(&t, 0, 2 + 2 * i, "ratio");
		text_table_set(&t, 1, 1 + 2 * i, stats_shown_unit(&m, &scale));
	}
	for (unsigned k = 0; k < r->opt.nconfig; k++) {
		text_table_set(&t, 2 + k, 0, r->opt.config[k].name);
		for (unsigned i = 0; i < c->n; i++)
			set_value(&t, r, kernel, 2 + k, 1 + 2 * i, k, c->metric[i]);
	}
	text_table_print(out, &t);
}

/* Some configurations side by side. */
static void print_by_metric(FILE *out, const struct run *r, int kernel, const struct metric_choice *c, unsigned from,
			    unsigned n, struct arena *a)
{
	struct text_table t = text_table_new(c->n + 1, 2 + 2 * n, a);
	double scale;

	text_table_set(&t, 0, 0, "metric");
	text_table_set(&t, 0, 1, "unit");
	for (unsigned k = 0; k < n; k++) {
		text_table_set(&t, 0, 2 + 2 * k, r->opt.config[from + k].name);
		text_table_set(&t, 0, 3 + 2 * k, "ratio");
	}
	for (unsigned i = 0; i < c->n; i++) {
		struct metric m = run_metric(r, 0, kernel, c->metric[i]);

		text_table_set(&t, 1 + i, 0, m.name);
		text_table_set(&t, 1 + i, 1, stats_shown_unit(&m, &scale));
		for (unsigned k = 0; k < n; k++)
			set_value(&t, r, kernel, 1 + i, 2 + 2 * k, from + k, c->metric[i]);
	}
	text_table_print(out, &t);
}

static bool clocks_differ(const struct run *r)
{
	for (unsigned i = 1; i < r->opt.nconfig; i++)
		if (r->opt.config[i].params->sm_mhz != r->opt.config[r->opt.config[i].beside].params->sm_mhz)
			return true;
	return false;
}

/* ---- over kernels ---- */
static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ratios of the kernels that have one, ascending, in v. Returns how many. */
static unsigned kernel_ratios(const struct run *r, unsigned config, unsigned metric, double *v)
{
	const unsigned beside = r->opt.config[config].beside;
	unsigned n = 0;

	if (r->timing[config].failed || r->timing[beside].failed || !run_comparable(r, config, metric))
		return 0;
	for (unsigned k = 0; k < r->nkernel; k++) {
		const struct metric m = run_metric(r, config, (int)k, metric),
				    base = run_metric(r, beside, (int)k, metric);

		if (metric_known(&m) && metric_known(&base) && base.value != 0)
			v[n++] = m.value / base.value;
	}
	qsort(v, n, sizeof *v, ascending);
	return n;
}

/* Arithmetic and geometric mean and median of the kernels' ratios, each kernel once. */
static void print_means(FILE *out, const struct run *r, const struct metric_choice *m, struct arena *a)
{
	static const char *const title[] = { "over kernels", "metric", "kernels", "mean", "median", "geometric" };
	enum { COLUMNS = sizeof title / sizeof *title };
	struct text_table t = text_table_new(1 + r->opt.nconfig * m->n, COLUMNS, a);
	double *v = new_array(a, double, r->nkernel);
	unsigned row = 0;

	for (unsigned i = 0; i < COLUMNS; i++)
		text_table_set(&t, 0, i, title[i]);
	for (unsigned i = 0; i < r->opt.nconfig * m->n; i++) {
		const unsigned config = i / m->n, metric = m->metric[i % m->n];
		const unsigned n = config == r->opt.config[config].beside ? 0 : kernel_ratios(r, config, metric, v);
		double sum = 0, logs = 0;

		if (!n)
			continue;
		for (unsigned k = 0; k < n; k++) {
			sum += v[k];
			logs += log(v[k]);
		}
		text_table_set(&t, ++row, 0, r->opt.config[config].name);
		text_table_set(&t, row, 1, run_metric_name(metric));
		text_table_set(&t, row, 2, arena_printf(a, "%u", n));
		text_table_set(&t, row, 3, arena_printf(a, "%.4f", sum / n));
		text_table_set(&t, row, 4, arena_printf(a, "%.4f", (v[(n - 1) / 2] + v[n / 2]) / 2));
		text_table_set(&t, row, 5, v[0] > 0 ? arena_printf(a, "%.4f", exp(logs / n)) : "-");
	}
	t.rows = row + 1;
	fputc('\n', out);
	if (row)
		text_table_print(out, &t);
}

static void print_tables(FILE *out, const struct run *r, int kernel, const struct metric_choice *m, struct arena *a)
{
	if (m->n <= COLUMN_METRICS) {
		print_by_config(out, r, kernel, m, a);
		return;
	}
	for (unsigned k = 0; k < r->opt.nconfig; k += COLUMN_CONFIGS) {
		unsigned left = r->opt.nconfig - k;

		if (k)
			fputc('\n', out);
		print_by_metric(out, r, kernel, m, k, left < COLUMN_CONFIGS ? left : COLUMN_CONFIGS, a);
	}
}

/* ---- what energy saved in upper levels is of the chip ---- */
static unsigned encoding_bits(const struct run_config *c)
{
	return c->rf.hierarchy->encoding_bits ? c->rf.hierarchy->encoding_bits(c->params) : 0;
}

static bool has_levels(const struct run *r)
{
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		if (r->opt.config[i].rf.hierarchy->read)
			return true;
	return false;
}

/* NAN: not known, as it failed, or its energy table lacks something. */
static double dynamic_energy(const struct run *r, unsigned i)
{
	return r->timing[i].failed ? (double)NAN
				   : energy_sum(ENERGY_DYNAMIC, &r->timing[i].stats, r->opt.config[i].params);
}

/* Of configuration i against the one that it stands beside. False: not known. */
static bool saving_of(const struct run *r, unsigned i, struct chip_saving *c)
{
	const unsigned beside = r->opt.config[i].beside;
	double before = dynamic_energy(r, beside), after = dynamic_energy(r, i);

	*c = chip_saving(before, after, encoding_bits(&r->opt.config[beside]), encoding_bits(&r->opt.config[i]));
	return !isnan(before) && !isnan(after);
}

static void print_savings(FILE *out, const struct run *r, struct arena *a)
{
	static const char *const title[] = {
		"dynamic energy saved", "register file", "of an SM", "of the chip", "bits", "encoding", "net", ""
	};
	static const char *const unit[] = { NULL, "%", "%", "%", "an insn.", "%", "%", "W of 130" };
	enum { COLUMNS = sizeof title / sizeof *title };
	struct text_table t = text_table_new(r->opt.nconfig + 2, COLUMNS, a);
	struct chip_saving c;

	for (unsigned i = 0; i < COLUMNS; i++) {
		text_table_set(&t, 0, i, title[i]);
		text_table_set(&t, 1, i, unit[i]);
	}
	for (unsigned k = 0; k < r->opt.nconfig; k++) {
		text_table_set(&t, 2 + k, 0, r->opt.config[k].name);
		if (saving_of(r, k, &c)) {
			const double share[] = { c.rf, c.sm, c.chip, 0, c.encoding, c.net };

			for (unsigned i = 0; i < sizeof share / sizeof *share; i++)
				text_table_set(&t, 2 + k, 1 + i, arena_printf(a, "%.2f", 100 * share[i] + 0.0));
			text_table_set(&t, 2 + k, 4, arena_printf(a, "%u", encoding_bits(&r->opt.config[k])));
			text_table_set(&t, 2 + k, 7, arena_printf(a, "%.2f", c.watts));
		} else {
			text_table_set(&t, 2 + k, 1, r->timing[k].failed ? "failed" : "not known");
		}
	}
	fputc('\n', out);
	text_table_print(out, &t);
	fputs("  the chip is that of Gebhart et al., section 6.3: 130 W, of which a third leaks; SMs have 70 % of the "
	      "rest, the register file 15 % of an SM;\n"
	      "  encoding counts the paper's bits of an instruction, not those of an object\n",
	      out);
}

static json_t *saving_json(const struct run *r, unsigned i)
{
	struct chip_saving c;

	if (!saving_of(r, i, &c))
		return json_null();
	return json_pack("{s:f, s:f, s:f, s:i, s:f, s:f, s:f}", "register_file", c.rf, "sm", c.sm, "chip", c.chip,
			 "encoding_bits", (int)encoding_bits(&r->opt.config[i]), "encoding", c.encoding, "net", c.net,
			 "net_watts", c.watts);
}

static uint64_t fact_of(const struct run *r, unsigned config, const char *name)
{
	unsigned at;

	run_metric_index(name, &at);
	return run_metric(r, config, RUN_ALL_KERNELS, at).count;
}

static bool adds_something(const struct run *r)
{
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		if (fact_of(r, i, "storage_bits") || fact_of(r, i, "code_bytes") != fact_of(r, 0, "code_bytes"))
			return true;
	return false;
}

/* If some configuration adds any. */
static void print_storage(FILE *out, const struct run *r, struct arena *a)
{
	static const char *const title[] = { "added to an SM and to code", "storage", "of the registers", "code",
					     "ratio" };
	static const char *const unit[] = { NULL, "bits", "%", "bytes", NULL };
	enum { COLUMNS = sizeof title / sizeof *title };
	struct text_table t = text_table_new(r->opt.nconfig + 2, COLUMNS, a);

	if (!adds_something(r))
		return;
	for (unsigned i = 0; i < COLUMNS; i++) {
		text_table_set(&t, 0, i, title[i]);
		text_table_set(&t, 1, i, unit[i]);
	}
	for (unsigned k = 0; k < r->opt.nconfig; k++) {
		const uint64_t bits = fact_of(r, k, "storage_bits"), code = fact_of(r, k, "code_bytes");

		text_table_set(&t, 2 + k, 0, r->opt.config[k].name);
		text_table_set(&t, 2 + k, 1, arena_printf(a, "%" PRIu64, bits));
		text_table_set(
			&t, 2 + k, 2,
			arena_printf(a, "%.2f", 100 * (double)bits / (r->opt.config[k].params->rf_registers * 32.)));
		text_table_set(&t, 2 + k, 3, arena_printf(a, "%" PRIu64, code));
		text_table_set(&t, 2 + k, 4,
			       arena_printf(a, "%.3f",
					    (double)code / (double)fact_of(r, r->opt.config[k].beside, "code_bytes")));
	}
	fputc('\n', out);
	text_table_print(out, &t);
}

/* After a sweep of several configurations. */
static void print_beside(FILE *out, const struct run *r)
{
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		if (r->opt.config[i].beside) {
			fprintf(out,
				"\nratios are to the first of the configurations that were swept, with the same "
				"values: of %s to %s\n",
				r->opt.config[i].name, r->opt.config[r->opt.config[i].beside].name);
			return;
		}
}

static bool any_renames(const struct run *r)
{
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		if (r->opt.config[i].rf.reuse->renames)
			return true;
	return false;
}

static bool any_gpu_energy(const struct run *r)
{
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		if (energy_has_gpu(r->opt.config[i].params))
			return true;
	return false;
}

/* The main metrics, and what these configurations are about beside them. */
static struct metric_choice main_metrics(const struct run *r, const struct metric_choice *m, struct arena *a)
{
	struct metric_choice x = { 0, new_array(a, unsigned, m->n + 3), true };

	if (clocks_differ(r))
		stats_index("seconds", &x.metric[x.n++]);
	memcpy(x.metric + x.n, m->metric, m->n * sizeof *m->metric);
	x.n += m->n;
	if (any_renames(r)) {
		stats_index("reuse_rate", &x.metric[x.n++]);
		if (any_gpu_energy(r))
			stats_index("sm_energy", &x.metric[x.n++]);
	}
	return x;
}

void compare_print(FILE *out, const struct run *r, const struct metric_choice *m, bool per_kernel)
{
	struct metric_choice unasked;
	struct arena a;

	arena_init(&a);
	if (m->main) {
		unasked = main_metrics(r, m, &a);
		m = &unasked;
	}
	fprintf(out, "kernel   %s\n", run_kernel_names(r, &a));
	run_print_launches(out, r, NULL);
	run_print_result(out, r);
	fprintf(out, "\n");
	print_tables(out, r, RUN_ALL_KERNELS, m, &a);
	print_beside(out, r);
	noise_print(out, r, RUN_ALL_KERNELS, m);
	if (has_levels(r))
		print_savings(out, r, &a);
	print_storage(out, r, &a);
	for (unsigned k = 0; per_kernel && k < r->nkernel; k++) {
		fprintf(out, "\nkernel   %s\n", kernel_name(r->kernel[k], &a));
		print_tables(out, r, (int)k, m, &a);
		noise_print(out, r, (int)k, m);
	}
	if (per_kernel && r->nkernel > 1)
		print_means(out, r, m, &a);
	if (clocks_differ(r))
		fprintf(out, "\nSM clocks differ: compare seconds; cycles of another clock have no ratio\n");
	arena_free(&a);
}

/* ---- for tools ---- */
static json_t *config_json(const struct run *r, unsigned i, struct arena *a)
{
	const struct run_config *c = &r->opt.config[i];
	const struct run_timing *t = &r->timing[i];
	json_t *launches = json_array(), *o;

	o = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:b}", "name", c->name, "machine", c->params->machine, "program",
		      run_program_name(t->program), "rf", rf_config_name(&c->rf, c->params, a), "axes",
		      rf_config_json(&c->rf), "config", params_json(c->params), "failed", t->failed);
	if (!t->failed) {
		for (unsigned l = 0; l < r->f->nlaunch; l++)
			json_array_append_new(launches, json_integer((json_int_t)t->cycles[l]));
		json_object_set(o, "launch_cycles", launches);
		json_object_set_new(o, "metrics", stats_json(&t->stats, c->params));
		json_object_set_new(o, "kernels", run_json_kernels(r, i));
		if (r->opt.perturb)
			json_object_set_new(o, "perturbed", noise_json(r, i, RUN_ALL_KERNELS));
		json_object_set_new(o, "registers", run_json_shared(r, i));
		if (has_levels(r))
			json_object_set_new(o, "saved", saving_json(r, i));
	}
	json_decref(launches);
	return o;
}

json_t *compare_json(const struct run *r)
{
	json_t *o = run_json_result(r, "regloom-compare-1", NULL), *list = json_array();
	struct arena a;

	arena_init(&a);
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		json_array_append_new(list, config_json(r, i, &a));
	json_object_set_new(o, "configurations", list);
	arena_free(&a);
	return o;
}

/* One line; kernel: NULL if the table has no such column. */
static void csv_line(FILE *f, const struct run *r, unsigned config, const char *kernel, int number,
		     const struct metric_choice *m, struct arena *a)
{
	const struct run_config *c = &r->opt.config[config];

	csv_text(f, c->name);
	fputc(',', f);
	csv_text(f, c->params->machine);
	fputc(',', f);
	csv_text(f, rf_config_name(&c->rf, c->params, a));
	fprintf(f, ",%d,%s", r->timing[config].failed, run_stop_why(r) ? run_stop_why(r) : "");
	if (kernel) {
		fputc(',', f);
		csv_text(f, kernel);
	}
	for (unsigned i = 0; i < m->n; i++) {
		struct metric v = run_metric(r, config, number, m->metric[i]);

		if (r->timing[config].failed || !metric_known(&v))
			fputc(',', f);
		else if (v.integer)
			fprintf(f, ",%" PRIu64, v.count);
		else
			fprintf(f, ",%.12g", v.value);
	}
	fputc('\n', f);
}

bool compare_write_csv(const struct run *r, const struct metric_choice *m, bool per_kernel, const char *path,
		       struct arena *a, struct diag *d)
{
	struct outfile out;

	if (!outfile_open(&out, path, a, d))
		return false;
	fprintf(out.f, "configuration,machine,rf,failed,partial%s", per_kernel ? ",kernel" : "");
	for (unsigned i = 0; i < m->n; i++)
		fprintf(out.f, ",%s", run_metric(r, 0, RUN_ALL_KERNELS, m->metric[i]).name);
	fputc('\n', out.f);
	for (unsigned c = 0; c < r->opt.nconfig; c++) {
		csv_line(out.f, r, c, per_kernel ? "" : NULL, RUN_ALL_KERNELS, m, a);
		for (unsigned k = 0; per_kernel && k < r->nkernel; k++)
			csv_line(out.f, r, c, r->kernel[k], (int)k, m, a);
	}
	return outfile_commit(&out);
}
