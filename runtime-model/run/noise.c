#include "runtime-model/run/noise.h"
#include "analyzer/base/text_table.h"

#include <assert.h>
#include <string.h>

/* The 0.975 quantile of Student's t: from tables, and from ten degrees of freedom on by Cornish and Fisher's expansion,
 * to four digits (Abramowitz and Stegun 26.7.5). */
static double t_quantile(unsigned freedom)
{
	static const double table[] = { 12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622 };
	const double z = 1.959964, v = freedom;

	if (freedom <= sizeof table / sizeof *table)
		return table[freedom - 1];
	return z + (pow(z, 3) + z) / (4 * v) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * v * v) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * v * v * v);
}

struct noise noise_of(const double *v, unsigned n)
{
	struct noise x = { .n = n };
	double squares = 0;

	assert(n >= PERTURB_LEAST);
	for (unsigned i = 0; i < n; i++)
		x.mean += v[i] / n;
	for (unsigned i = 0; i < n; i++)
		squares += (v[i] - x.mean) * (v[i] - x.mean);
	x.sd = sqrt(squares / (n - 1));
	x.half = t_quantile(n - 1) * x.sd / sqrt(n);
	return x;
}

/* The copy of a configuration that has a seed, 1 .. opt.perturb; 0: itself. */
static unsigned copy(const struct run *r, unsigned config, unsigned seed) { return seed * r->opt.nconfig + config; }

static bool timed_all(const struct run *r, unsigned config)
{
	for (unsigned s = 0; s <= r->opt.perturb; s++)
		if (r->timing[copy(r, config, s)].failed)
			return false;
	return true;
}

/* The values of all seeds in v. False: not known, or all the same. */
static bool values(const struct run *r, unsigned config, int kernel, unsigned metric, double v[PERTURB_MOST])
{
	bool differ = false;

	if (!r->opt.perturb || !timed_all(r, config))
		return false;
	for (unsigned s = 0; s < r->opt.perturb; s++) {
		const struct metric m = run_metric(r, copy(r, config, s + 1), kernel, metric);

		if (!metric_known(&m))
			return false;
		v[s] = m.value;
		differ |= v[s] != v[0];
	}
	return differ;
}

bool run_comparable(const struct run *r, unsigned config, unsigned metric)
{
	const struct run_config *c = r->opt.config;

	return strcmp(run_metric_unit(metric), "cycles") != 0 ||
	       c[config].params->sm_mhz == c[c[config].beside].params->sm_mhz;
}

bool run_noise(const struct run *r, unsigned config, int kernel, unsigned metric, struct noise *out)
{
	const unsigned beside = r->opt.config[config].beside;
	double v[PERTURB_MOST], base[PERTURB_MOST];
	bool differ = values(r, config, kernel, metric, v);

	if (config == beside || !run_comparable(r, config, metric) || !r->opt.perturb || !timed_all(r, config) ||
	    !timed_all(r, beside))
		return false;
	differ |= values(r, beside, kernel, metric, base);
	for (unsigned s = 0; differ && s < r->opt.perturb; s++) {
		const struct metric m = run_metric(r, copy(r, config, s + 1), kernel, metric),
				    b = run_metric(r, copy(r, beside, s + 1), kernel, metric);

		if (!metric_known(&m) || !metric_known(&b) || b.value == 0)
			return false;
		v[s] = m.value / b.value;
	}
	if (differ)
		*out = noise_of(v, r->opt.perturb);
	return differ;
}

static void put_row(struct text_table *t, unsigned row, const struct run *r, unsigned config, unsigned metric,
		    const struct noise *x)
{
	text_table_set(t, row, 0, r->opt.config[config].name);
	text_table_set(t, row, 1, run_metric_name(metric));
	text_table_set(t, row, 2, arena_printf(t->a, "%.4f", x->mean));
	text_table_set(t, row, 3, arena_printf(t->a, "%.4f", x->sd));
	text_table_set(t, row, 4, arena_printf(t->a, "%.4f", x->half));
	text_table_set(t, row, 5, noise_changed(x) ? arena_printf(t->a, "%+.1f %%", 100 * (x->mean - 1)) : "no change");
}

void noise_print(FILE *out, const struct run *r, int kernel, const struct metric_choice *m)
{
	static const char *const title[] = {
		"under random delays", "metric", "ratio", "deviation", "95 % +-", "change"
	};
	enum { COLUMNS = sizeof title / sizeof *title };
	struct text_table t;
	unsigned rows = 0;
	struct noise x;
	struct arena a;

	for (unsigned k = 0; k < r->opt.nconfig; k++)
		for (unsigned i = 0; i < m->n; i++)
			rows += run_noise(r, k, kernel, m->metric[i], &x);
	if (!rows)
		return;
	arena_init(&a);
	t = text_table_new(1 + rows, COLUMNS, &a);
	for (unsigned i = 0; i < COLUMNS; i++)
		text_table_set(&t, 0, i, title[i]);
	rows = 0;
	for (unsigned k = 0; k < r->opt.nconfig; k++)
		for (unsigned i = 0; i < m->n; i++)
			if (run_noise(r, k, kernel, m->metric[i], &x))
				put_row(&t, ++rows, r, k, m->metric[i], &x);
	fputc('\n', out);
	text_table_print(out, &t);
	fprintf(out,
		"  means of %u runs of each; a change smaller than half its 95 %% interval is none; what is not here "
		"is "
		"the same in all runs\n",
		r->opt.perturb);
	arena_free(&a);
}

json_t *noise_json(const struct run *r, unsigned config, int kernel)
{
	json_t *all = r->opt.perturb ? json_object() : NULL;
	double v[PERTURB_MOST];

	for (unsigned m = 0; all && m < run_metric_count(); m++) {
		struct noise x;
		json_t *o = json_object(), *list = json_array();
		bool differ = values(r, config, kernel, m, v);

		for (unsigned s = 0; differ && s < r->opt.perturb; s++)
			json_array_append_new(list, json_real(v[s]));
		if (differ)
			json_object_set(o, "values", list);
		if (run_noise(r, config, kernel, m, &x))
			json_object_set_new(o, "ratio",
					    json_pack("{s:f, s:f, s:f, s:b}", "mean", x.mean, "deviation", x.sd,
						      "half_width", x.half, "changed", noise_changed(&x)));
		if (json_object_size(o))
			json_object_set(all, run_metric_name(m), o);
		json_decref(list);
		json_decref(o);
	}
	return all;
}
