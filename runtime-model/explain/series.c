#include "runtime-model/explain/series.h"
#include "analyzer/base/outfile.h"
#include "runtime-model/gpu/gpu.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

struct series {
	struct gpu_probe probe;
	struct arena a;
	struct series_row *row;
	unsigned n, cap;
	unsigned shift; /* a row is 2^shift intervals */
	uint64_t launch;
	const char *kernel;
	uint64_t base; /* intervals of the launches before, each rounded up to rows */
	unsigned sms;
	struct stats *last;   /* of each SM, then the memory system, at its last sample in this launch */
	pthread_mutex_t lock; /* of all the above: SMs may be on threads of their own */
};

static void halve(struct series *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (i % 2)
			stats_merge(&s->row[i / 2].st, &s->row[i].st);
		else
			s->row[i / 2] = s->row[i];
	s->n = (s->n + 1) / 2;
	s->shift++;
}

/* The row of interval i of this launch; those between are made too. */
static struct series_row *row_of(struct series *s, uint64_t i)
{
	while ((s->base + i) >> s->shift >= SERIES_ROWS)
		halve(s);
	while (s->n <= (s->base + i) >> s->shift) {
		uint64_t first = (uint64_t)s->n << s->shift;

		arena_grow(&s->a, s->row, s->n, s->cap);
		s->row[s->n++] = (struct series_row){
			.kernel = s->kernel,
			.launch = s->launch,
			.from = first > s->base ? (first - s->base) * s->probe.interval : 0,
		};
	}
	return &s->row[(s->base + i) >> s->shift];
}

static void start(void *ctx, const struct gpu_job *j)
{
	struct series *s = ctx;

	if (s->sms != j->params->sms) {
		s->sms = j->params->sms;
		s->last = new_array(&s->a, struct stats, s->sms + 1);
	}
	memset(s->last, 0, (s->sms + 1) * sizeof *s->last);
	s->kernel = arena_strndup(&s->a, j->kernel->name, strlen(j->kernel->name));
}

static void sample(void *ctx, unsigned sm, cycle upto, const struct stats *st)
{
	struct series *s = ctx;
	struct stats *last = &s->last[sm == PROBE_MEMORY ? s->sms : sm];

	pthread_mutex_lock(&s->lock);
	stats_add_since(&row_of(s, (upto - 1) / s->probe.interval)->st, st, last);
	pthread_mutex_unlock(&s->lock);
	*last = *st;
}

static void end(void *ctx, cycle cycles, const struct stats *st)
{
	struct series *s = ctx;
	uint64_t n = (cycles - 1) / s->probe.interval + 1;

	(void)st;
	for (uint64_t i = 0; i < n; i++)
		row_of(s, i)->st.cycles += i + 1 < n ? s->probe.interval : cycles - i * s->probe.interval;
	row_of(s, n - 1)->st.launches++;
	s->base = (uint64_t)s->n << s->shift;
	s->launch++;
}

struct series *series_new(cycle interval, struct arena *a)
{
	struct series *s = new(a, struct series);

	arena_init(&s->a);
	s->probe = (struct gpu_probe){ .ctx = s, .start = start, .end = end, .sample = sample, .interval = interval };
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void series_free(struct series *s)
{
	pthread_mutex_destroy(&s->lock);
	arena_free(&s->a);
}

const struct gpu_probe *series_probe(struct series *s, const struct gpu_probe *next)
{
	s->probe.next = next;
	return &s->probe;
}

const struct series_row *series_rows(const struct series *s, unsigned *n)
{
	*n = s->n;
	return s->row;
}

cycle series_interval(const struct series *s) { return s->probe.interval << s->shift; }

static void write_rows(FILE *f, const struct series *s, const struct params *p, const char *partial)
{
	struct stats none;

	stats_reset(&none);
	fputs("launch,kernel,from,partial", f);
	for (unsigned i = 0; i < stats_count(); i++)
		fprintf(f, ",%s", stats_metric(i, &none, p).name);
	fputc('\n', f);
	for (unsigned r = 0; r < s->n; r++) {
		const struct series_row *row = &s->row[r];

		fprintf(f, "%" PRIu64 ",%s,%" PRIu64 ",%s", row->launch, row->kernel, row->from,
			partial ? partial : "");
		for (unsigned i = 0; i < stats_count(); i++) {
			struct metric m = stats_metric(i, &row->st, p);

			if (m.integer)
				fprintf(f, ",%" PRIu64, m.count);
			else if (!metric_known(&m))
				fputc(',', f);
			else
				fprintf(f, ",%.9g", m.value);
		}
		fputc('\n', f);
	}
}

bool series_write_csv(const struct series *s, const struct params *p, const char *partial, const char *path,
		      struct arena *a, struct diag *d)
{
	struct outfile out;

	if (!outfile_open(&out, path, a, d))
		return false;
	write_rows(out.f, s, p, partial);
	return outfile_commit(&out);
}

static void put(json_t *list, json_t *v) { json_array_append_new(list, v); }

json_t *series_json(const struct series *s, const struct params *p)
{
	json_t *columns = json_pack("[s, s, s]", "launch", "kernel", "from"),
	       *units = json_pack("[s, s, s]", "number", "name", "cycles");
	json_t *rows = json_array();
	struct stats none;

	stats_reset(&none);
	for (unsigned i = 0; i < stats_count(); i++) {
		struct metric m = stats_metric(i, &none, p);

		put(columns, json_string(m.name));
		put(units, json_string(m.unit));
	}
	for (unsigned r = 0; r < s->n; r++) {
		const struct series_row *row = &s->row[r];
		json_t *v = json_pack("[I, s, I]", (json_int_t)row->launch, row->kernel, (json_int_t)row->from);

		for (unsigned i = 0; i < stats_count(); i++) {
			struct metric m = stats_metric(i, &row->st, p);

			put(v, metric_json(&m));
		}
		put(rows, v);
	}
	return json_pack("{s:I, s:o, s:o, s:o}", "interval", (json_int_t)series_interval(s), "columns", columns,
			 "units", units, "rows", rows);
}
