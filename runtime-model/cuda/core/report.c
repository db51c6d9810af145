/* What the program's launches came to: a line of JSON for each as it ends, and at the end a table of kernels (docs/CUDA.md#report). */
#include "runtime-model/cuda/core/internal.h"

#include "runtime-model/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct totals {                         /* of a kernel, over its launches */
	struct totals *next;
	const char *symbol, *name;
	uint64_t launches, timed, warp_insns, thread_insns, threads, ns;
	bool estimated;                 /* some of ns */
	struct stats *stats;            /* by configuration */
	uint64_t *measured, *refused, *cut;      /* launches, likewise: that were timed; that the configuration could not run; that were stopped or sampled */
	const char **why;               /* of a refusal */
};

/* ---- names ---- */
/* A length and that many characters of a mangled name; NULL: it is none. */
static const char *part(const char *s, const char **text, size_t *n)
{
	char *end;
	unsigned long len = *s >= '1' && *s <= '9' ? strtoul(s, &end, 10) : 0;

	if (!len || len > strlen(end))
		return NULL;
	*text = end;
	*n = len;
	return end + len;
}

const char *kernel_name(const char *symbol, struct arena *a)
{
	const char *s = symbol, *text, *name = "";
	const bool nested = strncmp(s, "_ZN", 3) == 0;
	size_t n;

	if (strncmp(s, "_Z", 2) != 0)
		return symbol;
	s += nested ? 3 : 2;
	for (s += *s == 'L'; (s = part(s, &text, &n)); ) {
		const bool hidden = n > 10 && strncmp(text, "_GLOBAL__N", 10) == 0;

		name = arena_printf(a, "%s%s%.*s", name, *name ? "::" : "", hidden ? 21 : (int)n, hidden ? "(anonymous namespace)" : text);
		if (!nested || *s == 'I')
			break;
	}
	return !*name ? symbol : s && *s == 'I' ? arena_printf(a, "%s<>", name) : name;
}

/* ---- lines of JSON ---- */
static const char *const main_metric[] = {
	"cycles", "seconds", "ctas", "warp_instructions", "thread_instructions", "ipc", "occupancy", "operand_reads", "operand_writes", "rf_reads",
	"rf_writes", "rf_bank_conflicts", "rf_energy", "sm_energy", "gpu_energy",
};

static json_t *metrics(const struct stats *st, const struct params *p)
{
	json_t *o = process.opt.given[CUDA_OPT_ALL] ? stats_json(st, p) : json_object();

	for (unsigned i = 0; o && !process.opt.given[CUDA_OPT_ALL] && i < sizeof main_metric / sizeof *main_metric; i++) {
		struct metric m;

		if (stats_find(main_metric[i], st, p, &m))
			json_object_set_new(o, m.name, json_pack("{s:o, s:s}", "value", metric_json(&m), "unit", m.unit));
	}
	return o;
}

/* Whole lines, one process at a time. */
static void write_line(json_t *o)
{
	struct process *p = &process;
	char *text = o ? json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
	size_t n = text ? strlen(text) : 0, at = 0;

	json_decref(o);
	if (!text)
		return;
	text[n++] = '\n';               /* over the NUL */
	flock(p->report, LOCK_EX);
	while (at < n) {
		ssize_t put = write(p->report, text + at, n - at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			say("error: the report cannot be written: %s", strerror(errno));
			flock(p->report, LOCK_UN);
			close(p->report);
			p->report = -1;
			free(text);
			return;
		}
		at += (size_t)put;
	}
	flock(p->report, LOCK_UN);
	free(text);
}

static json_t *three(const unsigned v[3]) { return json_pack("[i, i, i]", (int)v[0], (int)v[1], (int)v[2]); }

static json_t *configuration(const struct configured *c, const struct run_config *r)
{
	json_t *o = json_pack("{s:s, s:s, s:s}", "name", r->name, "machine", r->params->machine,
	                      "status", !c->ok ? "refused" : c->stopped ? "stopped" : c->sampled ? "sampled" : "timed");

	if (!c->ok && c->refused)
		json_object_set_new(o, "why", json_string(c->refused));
	if (c->ok && c->sampled)
		json_object_set_new(o, "cycles_error", json_real(c->error));
	if (c->ok)
		json_object_set_new(o, "metrics", metrics(&c->stats, r->params));
	return o;
}

static void write_launch(const struct cu_function *f, const struct cu_launch *l, const struct measured *m, uint64_t number, uint64_t start)
{
	const struct config_list *list = process.opt.configs;
	uint64_t threads = 1, stream;
	json_t *o, *configs = json_array();
	struct arena a;

	arena_init(&a);
	for (unsigned i = 0; i < 3; i++)
		threads *= (uint64_t)l->grid[i] * l->block[i];
	stream = stream_of(l->stream)->id;
	o = json_pack("{s:s, s:i, s:I, s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:i, s:I, s:I, s:I, s:s, s:I, s:I, s:b, s:f}",
	              "type", "launch", "pid", (int)getpid(), "launch", (json_int_t)number, "kernel", f->name, "name", kernel_name(f->name, &a),
	              "module", f->module->name, "grid", three(l->grid), "block", three(l->block), "shared_bytes", (json_int_t)f->k->res.shared_bytes,
	              "dynamic_shared_bytes", (json_int_t)l->dynamic_shared, "registers", (int)f->k->res.regs, "stream", (json_int_t)stream,
	              "threads", (json_int_t)threads, "warp_instructions", (json_int_t)m->warp_insns, "mode", m->mode == MODE_TIMED ? "timed" : "functional",
	              "start_ns", (json_int_t)start, "modelled_ns", (json_int_t)m->ns, "estimated", m->estimated, "host_seconds", m->seconds);
	json_object_set_new(o, "thread_instructions", json_integer((json_int_t)m->thread_insns));
	for (unsigned i = 0; m->config && i < list->n; i++)
		json_array_append_new(configs, configuration(&m->config[i], &list->config[i]));
	json_object_set_new(o, "configurations", configs);
	arena_free(&a);
	write_line(o);
}

void report_mark(bool on)
{
	if (process.report >= 0)
		write_line(json_pack("{s:s, s:i, s:b, s:I}", "type", "mark", "pid", (int)getpid(), "on", on, "after_launch", (json_int_t)process.launches));
}

/* ---- sums ---- */
static struct totals *totals_of(struct cu_function *f)
{
	struct process *p = &process;
	const unsigned n = p->opt.configs->n;
	struct totals **at, *t;

	for (at = &p->totals; *at && strcmp((*at)->symbol, f->name) != 0; at = &(*at)->next)
		;
	if (*at)
		return *at;
	t = *at = new(&p->a, struct totals);
	t->symbol = arena_printf(&p->a, "%s", f->name);
	t->name = kernel_name(t->symbol, &p->a);
	t->stats = new_array(&p->a, struct stats, n + 1);
	t->measured = new_array(&p->a, uint64_t, n + 1);
	t->refused = new_array(&p->a, uint64_t, n + 1);
	t->cut = new_array(&p->a, uint64_t, n + 1);
	t->why = new_array(&p->a, const char *, n + 1);
	return t;
}

void report_launch(struct cu_function *f, const struct cu_launch *l, const struct measured *m, uint64_t number, uint64_t start)
{
	struct totals *t = f->totals = f->totals ? f->totals : totals_of(f);
	uint64_t threads = 1;

	for (unsigned i = 0; i < 3; i++)
		threads *= (uint64_t)l->grid[i] * l->block[i];
	t->launches++;
	t->timed += m->mode == MODE_TIMED;
	t->threads += threads;
	t->warp_insns += m->warp_insns;
	t->thread_insns += m->thread_insns;
	t->ns += m->ns;
	t->estimated |= m->estimated;
	for (unsigned i = 0; m->config && i < process.opt.configs->n; i++) {
		const struct configured *c = &m->config[i];

		if (c->ok) {
			stats_merge(&t->stats[i], &c->stats);
			t->measured[i]++;
			t->cut[i] += c->stopped || c->sampled;
		} else {
			t->refused[i]++;
			if (!t->why[i] && c->refused)
				t->why[i] = arena_printf(&process.a, "%s", c->refused);
		}
	}
	if (process.report >= 0)
		write_launch(f, l, m, number, start);
}

/* ---- at the end ---- */
static int by_insns(const void *x, const void *y)
{
	const struct totals *a = *(struct totals *const *)x, *b = *(struct totals *const *)y;

	if (a->warp_insns != b->warp_insns)
		return a->warp_insns < b->warp_insns ? 1 : -1;
	return strcmp(a->symbol, b->symbol);
}

static struct totals **sorted(unsigned *n, struct arena *a)
{
	struct totals **list = NULL;
	uint32_t cap = 0, count = 0;

	for (struct totals *t = process.totals; t; t = t->next) {
		arena_grow(a, list, count, cap);
		list[count++] = t;
	}
	if (count)
		qsort(list, count, sizeof *list, by_insns);
	*n = count;
	return list;
}

static void write_kernel(const struct totals *t)
{
	const struct config_list *l = process.opt.configs;
	json_t *configs = json_array();
	json_t *o = json_pack("{s:s, s:i, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "type", "kernel", "pid", (int)getpid(), "kernel", t->symbol, "name", t->name,
	                      "launches", (json_int_t)t->launches, "timed_launches", (json_int_t)t->timed, "threads", (json_int_t)t->threads,
	                      "warp_instructions", (json_int_t)t->warp_insns, "thread_instructions", (json_int_t)t->thread_insns, "modelled_ns", (json_int_t)t->ns,
	                      "estimated", t->estimated);

	for (unsigned i = 0; t->timed && i < l->n; i++) {
		json_t *c = json_pack("{s:s, s:s, s:I, s:I}", "name", l->config[i].name, "machine", l->config[i].params->machine,
		                      "launches", (json_int_t)t->measured[i], "refused", (json_int_t)t->refused[i]);

		if (t->measured[i])
			json_object_set_new(c, "metrics", metrics(&t->stats[i], l->config[i].params));
		json_array_append_new(configs, c);
	}
	json_object_set_new(o, "configurations", configs);
	write_line(o);
}

static const char *amount(double v, struct arena *a)
{
	return v >= 1e9 ? arena_printf(a, "%.2f G", v / 1e9) : v >= 1e6 ? arena_printf(a, "%.2f M", v / 1e6) : v >= 1e4 ? arena_printf(a, "%.2f k", v / 1e3) :
	       arena_printf(a, "%.0f", v);
}

static const char *fitting(const char *name, struct arena *a)
{
	return strlen(name) > 48 ? arena_printf(a, "%.45s...", name) : name;
}

static const char *ms_text(const struct totals *t, struct arena *a)
{
	return arena_printf(a, "%s%.4f", t->estimated ? "~" : "", (double)t->ns / 1e6);
}

static void print_kernels(FILE *f, struct totals *const *list, unsigned n, struct arena *a)
{
	static const char *const title[] = { "kernel", "launches", "timed", "threads", "warp instr.", "thread instr.", "time" };
	static const char *const unit[] = { NULL, NULL, NULL, NULL, NULL, NULL, "ms" };
	enum { COLUMNS = sizeof title / sizeof *title };
	struct text_table t = text_table_new(n + 2, COLUMNS, a);

	for (unsigned c = 0; c < COLUMNS; c++) {
		text_table_set(&t, 0, c, title[c]);
		text_table_set(&t, 1, c, unit[c]);
	}
	for (unsigned i = 0; i < n; i++) {
		text_table_set(&t, 2 + i, 0, fitting(list[i]->name, a));
		text_table_set(&t, 2 + i, 1, arena_printf(a, "%" PRIu64, list[i]->launches));
		text_table_set(&t, 2 + i, 2, arena_printf(a, "%" PRIu64, list[i]->timed));
		text_table_set(&t, 2 + i, 3, amount((double)list[i]->threads, a));
		text_table_set(&t, 2 + i, 4, amount((double)list[i]->warp_insns, a));
		text_table_set(&t, 2 + i, 5, amount((double)list[i]->thread_insns, a));
		text_table_set(&t, 2 + i, 6, ms_text(list[i], a));
	}
	text_table_print(f, &t);
}

static const char *shown(const struct metric *m, struct arena *a)
{
	double scale;

	stats_shown_unit(m, &scale);
	return !metric_known(m) ? metric_unknown(m) : m->integer ? arena_printf(a, "%" PRIu64, m->count) : arena_printf(a, "%.4f", m->value * scale);
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
		rows += list[i]->timed ? l->n : 0;
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
		for (unsigned c = 0; c < l->n && list[i]->timed; c++, row++) {
			text_table_set(&t, row, 0, c ? "" : fitting(list[i]->name, a));
			text_table_set(&t, row, 1, l->config[c].name);
			text_table_set(&t, row, 2, arena_printf(a, "%" PRIu64 "%s", list[i]->measured[c], list[i]->cut[c] ? "*" : ""));
			for (unsigned m = 0; m < METRICS; m++) {
				struct metric x, base;

				if (!list[i]->measured[c]) {
					text_table_set(&t, row, 3 + 2 * m, "refused");
					continue;
				}
				stats_find(metric[m], &list[i]->stats[c], l->config[c].params, &x);
				text_table_set(&t, row, 3 + 2 * m, shown(&x, a));
				stats_find(metric[m], &list[i]->stats[0], l->config[0].params, &base);
				/* Of the same launches, of the same clock. */
				if (list[i]->measured[0] == list[i]->measured[c] && metric_known(&base) && metric_known(&x) && base.value != 0)
					text_table_set(&t, row, 4 + 2 * m, arena_printf(a, "%.3f", x.value / base.value));
				else
					text_table_set(&t, row, 4 + 2 * m, "-");
			}
		}
	fputc('\n', f);
	text_table_print(f, &t);
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < l->n; c++) {
			if (list[i]->refused[c])
				fprintf(f, "  %s, %s: %" PRIu64 " launches executed and not timed: %s\n", fitting(list[i]->name, a), l->config[c].name, list[i]->refused[c],
				        list[i]->why[c] ? list[i]->why[c] : "refused");
			if (list[i]->cut[c])
				fprintf(f, "  * %s, %s: %" PRIu64 " launches timed in part (--sample, --max-insns, --max-cycles)\n", fitting(list[i]->name, a), l->config[c].name,
				        list[i]->cut[c]);
		}
}

static bool any_estimated(struct totals *const *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i]->estimated)
			return true;
	return false;
}

static void print(FILE *f, struct totals *const *list, unsigned n, struct arena *a)
{
	const struct process *p = &process;

	fprintf(f, "\nregloom  %s on %s (sm_%u%.1s): %" PRIu64 " launches in %.2f s\n\n", program_invocation_short_name, p->device.name, p->opt.sm, &p->opt.suffix, p->launches,
	        (double)(clock_ns() - p->started_ns) / 1e9);
	print_kernels(f, list, n, a);
	if (any_estimated(list, n))
		fprintf(f, "  ~ in part estimated from warp instructions: not all launches were timed\n");
	print_timed(f, list, n, a);
}

void report_end(void)
{
	struct process *p = &process;
	const char *path = p->opt.text[CUDA_OPT_SUMMARY];
	struct totals **list;
	struct arena a;
	unsigned n;
	FILE *f;

	arena_init(&a);
	list = sorted(&n, &a);
	for (unsigned i = 0; p->report >= 0 && i < n; i++)
		write_kernel(list[i]);
	f = path && strcmp(path, "-") != 0 ? fopen(path, "ae") : stderr;
	if (!f)
		say("error: %s: cannot be written: %s", path, strerror(errno));
	if (f && n && !p->opt.given[CUDA_OPT_QUIET] && (p->opt.wrapped || path))
		print(f, list, n, &a);
	if (f && f != stderr)
		fclose(f);
	arena_free(&a);
}
