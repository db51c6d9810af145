/* regloom-gpu predict: what launches take on the device, and on the model. */
#include "analyzer/base/text_table.h"
#include "runtime-model/hardware/command.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/run/run.h"

#include <inttypes.h>
#include <stdlib.h>

enum { RUNS_MAX = 101 };

/* An entry of a launch file; sums over its rounds. */
struct prediction {
	const char *name, *kernel;
	unsigned rounds, registers[2]; /* of a thread: the device's, the model's */
	double ns, cycles[2];          /* the device's: of its events, and its clock */
	uint64_t warp_insns;           /* the model's: a driver gives none */
};

struct predictions {
	struct prediction *of;
	uint32_t n, cap;
	const struct params *machine;
	struct l2 *l2; /* the machine's, from launch to launch, as the device has one; or NULL */
	unsigned runs;
};

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Each run begins with the same memory. Of two, the one that finds code and data in the caches. */
static bool median_of(struct walk *w, unsigned runs, double *ns)
{
	double of[RUNS_MAX];

	for (unsigned i = 0; i < runs; i++)
		if (!walk_device(w, &of[i]))
			return false;
	qsort(of, runs, sizeof *of, by_value);
	*ns = of[(runs - 1) / 2];
	return true;
}

static bool predict_launch(struct prediction *p, struct walk *w, const struct predictions *all)
{
	struct hardware_kernel k;
	struct stats st;
	double ns;

	stats_reset(&st);
	if (!w->h->ops->kernel(w->h, w->code, w->l.k->name, &k) || !median_of(w, all->runs, &ns) ||
	    !(all->runs > 1 ? walk_timed_twice : walk_timed)(w, all->machine, all->l2, &st))
		return false;
	p->kernel = w->l.k->name;
	p->rounds++;
	p->registers[0] = k.registers;
	p->registers[1] = w->l.k->res.regs;
	p->ns += ns;
	p->cycles[0] += ns * w->h->sm_mhz / 1000;
	p->cycles[1] += (double)st.cycles;
	p->warp_insns += st.warp_instructions;
	return true;
}

static bool predict_pair(struct predictions *all, const struct pair *pair, struct hardware *h, struct arena *a,
			 struct diag *d)
{
	struct prediction *of;
	enum launch_step step = LAUNCH_FAILED;
	struct walk w;
	bool ok = walk_read(&w, pair, NULL, a, d);

	if (ok && walk_unasked(&w))
		ok = diag_error_plain(d, pair->launch, "has %s, which no device is asked for", walk_unasked(&w));
	ok = ok && walk_place(&w, h);
	of = new_array(a, struct prediction, ok ? w.f->nlaunch : 1);
	while (ok && (step = walk_next(&w)) == LAUNCH_RUN)
		ok = predict_launch(&of[w.at.launch], &w, all);
	for (unsigned i = 0; ok && step == LAUNCH_DONE && i < w.f->nlaunch; i++) {
		if (!of[i].rounds)
			continue;
		arena_grow(a, all->of, all->n, all->cap);
		of[i].name = pair->name;
		all->of[all->n++] = of[i];
	}
	walk_close(&w);
	return ok && step == LAUNCH_DONE;
}

/* ---- reports ---- */
/* Of the model, as a part of what the device takes. */
static double error_of(const struct prediction *p) { return (p->cycles[1] - p->cycles[0]) / p->cycles[0]; }

static struct prediction sum_of(const struct predictions *x)
{
	struct prediction sum = { .name = "all", .kernel = "" };

	for (uint32_t i = 0; i < x->n; i++) {
		sum.rounds += x->of[i].rounds;
		sum.ns += x->of[i].ns;
		sum.cycles[0] += x->of[i].cycles[0];
		sum.cycles[1] += x->of[i].cycles[1];
		sum.warp_insns += x->of[i].warp_insns;
	}
	return sum;
}

static void set_row(struct text_table *t, unsigned row, const struct prediction *p, struct arena *a)
{
	unsigned c = 0;

	text_table_set(t, row, c++, p->name);
	text_table_set(t, row, c++, p->kernel);
	text_table_set(t, row, c++, arena_printf(a, "%u", p->rounds));
	text_table_set(t, row, c++, arena_printf(a, "%.0f", p->cycles[0]));
	text_table_set(t, row, c++, arena_printf(a, "%.0f", p->cycles[1]));
	text_table_set(t, row, c++, arena_printf(a, "%+.1f%%", 100 * error_of(p)));
	if (p->registers[0])
		text_table_set(t, row, c, arena_printf(a, "%u", p->registers[0]));
	if (p->registers[1])
		text_table_set(t, row, c + 1, arena_printf(a, "%u", p->registers[1]));
	text_table_set(t, row, c + 2, arena_printf(a, "%" PRIu64, p->warp_insns));
}

static void print(FILE *f, const struct predictions *x, const struct hardware *h, struct arena *a)
{
	static const char *const head[] = { "file",  "kernel",    "launches", "cycles",      "model",
					    "error", "registers", "model",    "instructions" };
	enum { COLUMNS = sizeof head / sizeof *head };
	struct text_table t = text_table_new(x->n + 2, COLUMNS, a);
	const struct prediction sum = sum_of(x);

	fprintf(f, "%s, %s, %u MHz, and the model of %s\n", h->name, h->driver, h->sm_mhz, x->machine->machine);
	for (unsigned c = 0; c < COLUMNS; c++)
		text_table_set(&t, 0, c, head[c]);
	for (uint32_t i = 0; i < x->n; i++)
		set_row(&t, i + 1, &x->of[i], a);
	set_row(&t, x->n + 1, &sum, a);
	text_table_print(f, &t);
	fputs("instructions: of warps, as the model counts them; a driver tells none\n", f);
}

static json_t *prediction_json(const struct prediction *p)
{
	return json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:i, s:i, s:I}", "name", p->name, "kernel", p->kernel,
			 "launches", (int)p->rounds, "ns", p->ns, "cycles", p->cycles[0], "model_cycles", p->cycles[1],
			 "error", error_of(p), "registers", (int)p->registers[0], "model_registers",
			 (int)p->registers[1], "model_warp_instructions", (json_int_t)p->warp_insns);
}

static bool write(const char *path, const struct predictions *x, const struct hardware *h, struct arena *a,
		  struct diag *d)
{
	const struct prediction sum = sum_of(x);
	json_t *o = device_json(h), *list = json_array();

	for (uint32_t i = 0; i < x->n; i++)
		json_array_append_new(list, prediction_json(&x->of[i]));
	json_object_set_new(o, "machine", json_string(x->machine->machine));
	json_object_set_new(o, "changes", json_string(x->machine->changes));
	json_object_set_new(o, "predictions", list);
	json_object_set_new(o, "all", prediction_json(&sum));
	return run_write_json(o, path, a, d);
}

int command_predict(const struct options *o, struct arena *a, struct diag *d)
{
	struct params machine;
	struct predictions all = { .machine = &machine, .runs = (unsigned)o->number[OPT_RUNS] };
	struct hardware h;
	struct pair *pair;
	unsigned n;
	int code = pairs_given(&pair, &n, o, a, d);
	bool ok;

	if (code != EXIT_FINE)
		return code;
	if (!open_hardware(&h, o, a, d))
		return EXIT_INPUT;
	ok = fitting_machine(&machine, o->value[OPT_MACHINE], &h, o, a, d);
	if (ok && machine.l2_keep)
		all.l2 = l2_new(&machine, a);
	for (unsigned i = 0; ok && i < n; i++) {
		say_progress(pair[i].name);
		ok = predict_pair(&all, &pair[i], &h, a, d);
	}
	h.ops->close(&h);
	say_progress(NULL);
	if (ok && !o->given[OPT_QUIET])
		print(stdout, &all, &h, a);
	return ok && (!o->given[OPT_JSON] || write(o->value[OPT_JSON], &all, &h, a, d)) ? EXIT_FINE : EXIT_INPUT;
}
