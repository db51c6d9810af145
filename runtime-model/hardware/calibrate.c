/* Measuring and fitting. The model is asked what the device was asked, in the same machine code; nowhere is there a
 * formula of what a kernel ought to take. */
#include "runtime-model/hardware/calibrate.h"
#include "runtime-model/hardware/edit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum memory { MEMORY_NONE, MEMORY_SELF, MEMORY_FAR, MEMORY_STREAM, MEMORY_FRESH, MEMORY_KINDS };
/* FAR: steps lead over rows and partitions of DRAM; as many as the rounds take. STREAM_BYTES and CTA_BYTES as
 * make.py has them */
enum {
	FAR_STEP = (1 << 16) + (4 << 10),
	FAR_STEPS = 100,
	NEAR_BYTES = 1 << 16,
	STREAM_BYTES = 1 << 15,
	ROUNDS = 3,
	STREAM_ROUNDS = 2,
	CTA_BYTES = 1024,
	WARPS_MAX = 4
};
/* in a probe's step, beside how far lanes are apart */
enum { GROUPS_OF_2 = 1 << 16 };
enum ctas { CTAS_ONE, CTAS_ALL };
/* with which the search ends, if the parameters have not settled before */
enum { ROUNDS_OF_FITS = 12, RUNS_MAX = 101 };
/* of a cycle; what an element takes is a ratio of whole numbers */
#define SAME 1e-6
enum { L2_LINE = 128 };
enum { FLUSH = 2, FLUSH_STEP = 1 << 20 };

static const struct probe {
	const char *kernel;
	enum ctas ctas;
	unsigned threads;
	const char *elements;
	enum memory memory;
	uint32_t step;
	enum edit edit;
	const char *what;
} probes[] = {
#define PROBE(id, kernel, ctas, threads, elements, memory, step, edit, what) \
	{ kernel, CTAS_##ctas, threads, elements, MEMORY_##memory, step, EDIT_##edit, what },
#define FIT(param, first, last)
#include "runtime-model/hardware/probes.def"
#undef PROBE
#undef FIT
};

static const struct {
	unsigned param, first, last;
} fits[] = {
#define PROBE(...)
#define FIT(param, first, last) { PARAM_##param, PROBE_OF_##first, PROBE_OF_##last },
#include "runtime-model/hardware/probes.def"
#undef PROBE
#undef FIT
};
enum { FITS = sizeof fits / sizeof *fits };

/* What one warp read of its clock: before its chains, between and behind them. */
struct clocks {
	uint64_t at[3], unused;
};

/* A device with the kernels of every probe loaded. */
struct bench {
	struct hardware *h;
	struct params *p; /* of the model whose parameters are tried; NULL: it is the device */
	unsigned sms;
	struct hardware_code *code;
	uint64_t result, memory[MEMORY_KINDS]; /* addresses */
	struct clocks *read;                   /* room for what a launch leaves there */
	uint64_t other;    /* of FLUSH times the L2: what is written there takes the place of what was in it */
	const void *zeros; /* FLUSH_STEP of them */
	unsigned n[PROBE_OF_COUNT][2]; /* elements of the short chain, of the long one */
};

static bool chain(struct bench *b, uint64_t at, uint64_t step, unsigned steps)
{
	bool ok = true;

	for (unsigned i = 0; ok && i < steps; i++) {
		const uint64_t next = at + (uint64_t)((i + 1) % steps) * step;

		ok = b->h->ops->write(b->h, at + i * step, &next, sizeof next);
	}
	return ok;
}

/* The L2 of the model whose parameters are tried begins each launch empty. */
static uint64_t flushed_bytes(const struct bench *b) { return b->p ? 0 : (uint64_t)b->h->l2 * FLUSH; }

static bool prepare_memory(struct bench *b, struct arena *a)
{
	const struct hardware_ops *o = b->h->ops;
	const uint64_t stream = (uint64_t)STREAM_BYTES * STREAM_ROUNDS * b->sms;
	const uint64_t bytes[MEMORY_FRESH] = { [MEMORY_NONE] = NEAR_BYTES,
					       [MEMORY_SELF] = NEAR_BYTES,
					       [MEMORY_FAR] = (uint64_t)FAR_STEP * FAR_STEPS,
					       [MEMORY_STREAM] = stream };

	b->zeros = arena_alloc(a, FLUSH_STEP, 8);

	b->read = arena_alloc(a, (size_t)b->sms * CTA_BYTES, 8);
	b->result = o->alloc(b->h, (uint64_t)b->sms * CTA_BYTES);
	for (unsigned i = 0; i < MEMORY_FRESH && b->result; i++) {
		b->memory[i] = o->alloc(b->h, bytes[i]);
		if (!b->memory[i])
			return false;
	}
	b->memory[MEMORY_FRESH] = b->memory[MEMORY_STREAM];
	b->other = b->result ? o->alloc(b->h, flushed_bytes(b) + 1) : 0; /* the last: it moves nothing else */
	return b->other && chain(b, b->memory[MEMORY_SELF], 0, 1) &&
	       chain(b, b->memory[MEMORY_FAR], FAR_STEP, FAR_STEPS);
}

/* A compiler that found a shorter way would leave elements out. */
static bool has_chains(const unsigned n[2], const struct probe *p, struct diag *d)
{
	return (n[0] && n[1] > n[0]) ||
	       diag_error_plain(d, p->kernel,
				"has %u and %u %s between its reads of the clock, and none may be missing", n[0], n[1],
				p->elements);
}

static bool prepare(struct bench *b, struct hardware *h, const struct image *image, struct arena *a, struct diag *d)
{
	const struct image mine = kernels_copy(image, a);

	b->h = h;
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++) {
		const struct probe *p = &probes[i];

		if (!kernels_edit(&mine, p->kernel, p->elements, p->edit, a, d) ||
		    !kernels_count(&mine, p->kernel, p->elements, b->n[i], a, d) || !has_chains(b->n[i], p, d))
			return false;
	}
	b->code = h->ops->load(h, mine.bytes, mine.n, image->name);
	return b->code && prepare_memory(b, a);
}

/* One warp: of its long chain beyond its short one, from which most of what reading the clock and waiting for the last
 * result costs cancels: model and device are asked alike, so no more is needed. Several: from the first read of any to
 * the last of any. */
static double per_element(const struct clocks *w, unsigned warps, double more, double all)
{
	uint64_t first = w->at[0], last = w->at[2];

	if (warps == 1)
		return ((double)(w->at[2] - w->at[1]) - (double)(w->at[1] - w->at[0])) / more;
	for (unsigned i = 1; i < warps; i++) {
		first = w[i].at[0] < first ? w[i].at[0] : first;
		last = w[i].at[2] > last ? w[i].at[2] : last;
	}
	return (double)(last - first) / all;
}

/* What probes find far away is not in the L2, whatever ran before, and what all SMs read not at first. */
static bool flush(struct bench *b)
{
	const uint64_t bytes = flushed_bytes(b);
	bool ok = true;

	for (uint64_t at = 0; ok && at < bytes; at += FLUSH_STEP)
		ok = b->h->ops->write(b->h, b->other + at, b->zeros, bytes - at < FLUSH_STEP ? bytes - at : FLUSH_STEP);
	return ok;
}

/* Launches a kernel, and reads what it left. */
static bool launch(struct bench *b, const char *kernel, unsigned ctas, unsigned threads, enum memory memory,
		   uint32_t step, double *ns)
{
	const bool streams = memory == MEMORY_STREAM || memory == MEMORY_FRESH;
	const struct {
		uint64_t out, in;
		uint32_t rounds, step;
	} param = { b->result, b->memory[memory], streams ? STREAM_ROUNDS : ROUNDS, step };
	const struct hardware_launch l = { .kernel = kernel,
					   .grid = { ctas, 1, 1 },
					   .block = { threads, 1, 1 },
					   .param = &param,
					   .param_bytes = sizeof param };

	if (b->p)
		b->p->sms = ctas; /* the others would only idle */
	return ((memory != MEMORY_FAR && !streams) || flush(b)) && b->h->ops->launch(b->h, b->code, &l, ns) &&
	       b->h->ops->read(b->h, b->read, b->result, (uint64_t)ctas * CTA_BYTES);
}

/* Cycles of an element of probe i, in one run; of several CTAs the mean. */
static bool run(struct bench *b, unsigned i, double *cycles)
{
	const struct probe *p = &probes[i];
	const unsigned ctas = p->ctas == CTAS_ALL ? b->sms : 1;
	const double more = (double)b->n[i][1] - (double)b->n[i][0], all = (double)b->n[i][1] + b->n[i][0];
	double sum = 0, ns;

	if (!launch(b, p->kernel, ctas, p->threads, p->memory, p->step, &ns))
		return false;
	for (unsigned k = 0; k < ctas; k++)
		sum += per_element(&b->read[k * (CTA_BYTES / sizeof *b->read)], p->threads / 32, more, all);
	*cycles = sum / ctas;
	return true;
}

/* Nanoseconds of a kernel that does nothing, whose code is in the L2. */
static bool run_nothing(struct bench *b, unsigned unused, double *ns)
{
	(void)unused;
	for (unsigned n = 0; n < 2; n++)
		if (!launch(b, "nothing", 1, 32, MEMORY_NONE, 0, ns))
			return false;
	return true;
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static bool measure(struct bench *b, bool (*one)(struct bench *, unsigned, double *), unsigned i, unsigned runs,
		    struct measured_probe *out)
{
	double of[RUNS_MAX];

	for (unsigned n = 0; n < runs; n++)
		if (!one(b, i, &of[n]))
			return false;
	qsort(of, runs, sizeof *of, by_value);
	*out = (struct measured_probe){ of[runs / 2], of[0], of[runs - 1] };
	return true;
}

/* ---- fitting ---- */
/* The model whose parameters are tried, one of them now. */
struct search {
	struct bench *b;
	struct params *p;
	unsigned param, first, last;
	uint64_t l2_bytes;
	double target;
	bool failed;
};

static bool is_unit(unsigned param, const char *unit) { return strcmp(params_unit(param), unit) == 0; }

/* No sets stand for a cache that has everything, which is beyond the largest, not below the smallest. */
static void range_of(unsigned param, uint32_t *low, uint32_t *high)
{
	params_range(param, low, high);
	*low += !*low && is_unit(param, "sets");
}

/* Sets of a slice of the L2, of which all have so many bytes. */
static uint32_t l2_sets_of(const struct params *p, uint64_t bytes)
{
	const uint64_t row = (uint64_t)p->partitions * p->l2_slices * p->l2_ways * L2_LINE;

	return (uint32_t)((bytes + row / 2) / row);
}

/* The L2 keeps its size, which the device tells, however many slices it has. */
static void set_value(struct search *s, uint32_t value)
{
	*params_value(s->p, s->param) = value;
	if (s->param == PARAM_l2_slices)
		s->p->l2_sets = l2_sets_of(s->p, s->l2_bytes);
}

static double tried(struct search *s, uint32_t value)
{
	double sum = 0;

	set_value(s, value);
	for (unsigned i = s->first; i <= s->last && !s->failed; i++) {
		double cycles = 0;

		s->failed = !run(s->b, i, &cycles);
		sum += cycles;
	}
	return sum;
}

/* The least value in (low, high] for which the model takes more (rising), or less, than `than` cycles, which `high`
 * does and `low` does not. */
static uint32_t first_beyond(struct search *s, uint32_t low, uint32_t high, bool rising, double than)
{
	while (high - low > 1 && !s->failed) {
		const uint32_t middle = low + (high - low) / 2;
		const double t = tried(s, middle);

		if (rising ? t > than + SAME : t < than - SAME)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* The last value from `from` towards `end` up to which the model takes as long as with `from`: in steps that double,
 * then between the last two. */
static uint32_t same_until(struct search *s, uint32_t from, uint32_t end, double takes)
{
	const bool up = end > from;
	uint32_t same = from, other = end, step = 1;

	while (same != end && !s->failed) {
		const uint32_t left = up ? end - same : same - end;
		const uint32_t far = step < left ? step : left, next = up ? same + far : same - far;

		if (fabs(tried(s, next) - takes) > SAME) {
			other = next;
			break;
		}
		same = next;
		step *= 2;
	}
	while ((up ? other - same : same - other) > 1 && !s->failed) {
		const uint32_t middle = up ? same + (other - same) / 2 : same - (same - other) / 2;

		if (fabs(tried(s, middle) - takes) > SAME)
			other = middle;
		else
			same = middle;
	}
	return same;
}

/* The value from low to high with which the model comes nearest to what the device takes. */
static uint32_t nearest_of(struct search *s, uint32_t low, uint32_t high)
{
	double best = INFINITY;
	uint32_t at = low;

	for (uint32_t v = low; v <= high && best > SAME && !s->failed; v++) {
		const double far = fabs(tried(s, v) - s->target);

		if (far < best - SAME) {
			best = far;
			at = v;
		}
	}
	return at;
}

/* A value with which the model takes as long as the device, or comes nearest to it; its time rises or falls with the
 * parameter. False: it does not depend on it. */
static bool fit(struct search *s, uint32_t *value)
{
	enum { FEW = 8, NEAR = 16 };
	uint32_t least, most, at;
	double at_least, at_most, want = s->target;
	bool rising;

	range_of(s->param, &least, &most);
	if (most - least < FEW) {
		*value = nearest_of(s, least, most);
		return true;
	}
	at_least = tried(s, least);
	at_most = tried(s, most);
	rising = at_most >= at_least;
	if (fabs(at_most - at_least) < SAME)
		return false;
	if (rising ? want < at_least : want > at_least)
		want = at_least;
	if (rising ? want > at_most : want < at_most)
		want = at_most;
	/* the first value that takes as long or longer, and the nearer of it and the one before */
	at = least;
	if (fabs(at_least - want) > SAME) {
		at = first_beyond(s, least, most, rising, rising ? want - 2 * SAME : want + 2 * SAME);
		if (fabs(tried(s, at) - want) > SAME && fabs(tried(s, at - 1) - want) < fabs(tried(s, at) - want))
			at--;
	}
	/* where requests meet in memory, time need not rise with every step of a clock */
	if (is_unit(s->param, "MHz") && fabs(tried(s, at) - s->target) > SAME)
		at = nearest_of(s, at - least > NEAR ? at - NEAR : least, most - at > NEAR ? at + NEAR : most);
	*value = at;
	return true;
}

/* The number from low to high with the most zero bits behind its last one. */
static uint32_t roundest(uint32_t low, uint32_t high)
{
	uint32_t best = high;

	for (uint32_t step = 2; step && step <= high && high / step * step >= low; step *= 2)
		best = high / step * step;
	return best;
}

/* Widths and sizes are powers of two in hardware, as a rule; times, clocks and numbers of units need not be. */
static bool is_round(unsigned param)
{
	return !is_unit(param, "cycles") && !is_unit(param, "MHz") && !is_unit(param, "slices");
}

/* Around a value, those that take as long. */
static void find_range(struct search *s, struct fitted *f, uint32_t value)
{
	uint32_t least, most;
	double takes;

	range_of(s->param, &least, &most);
	takes = tried(s, value);
	f->near = fabs(takes - s->target) > SAME;
	f->low = same_until(s, value, least, takes);
	f->high = same_until(s, value, most, takes);
}

/* Of the values that do what it was, else the one that is nearest to that; of widths the roundest. */
static bool settle(struct search *s, struct fitted *f)
{
	const uint32_t was = *params_value(s->p, s->param);
	uint32_t value = was;

	if (fabs(tried(s, was) - s->target) > SAME && fit(s, &value)) {
		find_range(s, f, value);
		if (is_round(s->param))
			value = roundest(f->low, f->high);
		else
			value = was < f->low ? f->low : f->high;
		if (was >= f->low && was <= f->high)
			value = was;
	}
	set_value(s, f->value = value);
	return value != was;
}

static struct search search_for(struct calibration *c, struct bench *model, unsigned i, uint64_t l2_bytes)
{
	struct search s = { .b = model,
			    .p = &c->machine,
			    .param = fits[i].param,
			    .first = fits[i].first,
			    .last = fits[i].last,
			    .l2_bytes = l2_bytes };

	for (unsigned k = s.first; k <= s.last; k++)
		s.target += c->on[k].cycles;
	return s;
}

static bool fit_all(struct calibration *c, struct bench *model, uint64_t l2_bytes, void (*progress)(const char *))
{
	bool changed = true;

	for (unsigned round = 0; changed && round < ROUNDS_OF_FITS; round++) {
		changed = false;
		for (unsigned i = 0; i < FITS; i++) {
			struct search s = search_for(c, model, i, l2_bytes);

			if (changed && probes[fits[i].first].ctas == CTAS_ALL)
				break; /* which take long, and hang on those before */
			if (progress)
				progress(params_id_name(fits[i].param));
			changed |= settle(&s, &c->fit[i]);
			if (s.failed)
				return false;
		}
	}
	for (unsigned i = 0; i < FITS; i++) {
		struct search s = search_for(c, model, i, l2_bytes);

		if (progress)
			progress(params_id_name(fits[i].param));
		find_range(&s, &c->fit[i], c->fit[i].value);
		set_value(&s, c->fit[i].value);
		if (s.failed)
			return false;
	}
	return true;
}

static bool ask_model(struct calibration *c, struct bench *model)
{
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++)
		if (!run(model, i, &c->model[i]))
			return false;
	return true;
}

/* The model as it became keeps its L2, too. */
static bool ask_launch(struct calibration *c, const struct image *image, struct arena *a, struct diag *d)
{
	struct bench b = { .sms = 1 };
	struct hardware h;
	bool ok;

	hardware_model(&h, &c->machine, c->device->sm, 0, a, d);
	ok = prepare(&b, &h, image, a, d) && run_nothing(&b, 0, &c->model_launch);
	h.ops->close(&h);
	return ok;
}

static bool measure_all(struct calibration *c, struct bench *device, const struct image *image, unsigned runs,
			void (*progress)(const char *), struct arena *a, struct diag *d)
{
	if (!prepare(device, (struct hardware *)c->device, image, a, d))
		return false;
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++) {
		if (progress)
			progress(probes[i].what);
		if (!measure(device, run, i, runs, &c->on[i]))
			return false;
	}
	return measure(device, run_nothing, 0, runs, &c->launch);
}

/* ---- what the device tells ---- */
static void tell(struct calibration *c, unsigned param, uint32_t value)
{
	uint32_t *now = params_value(&c->machine, param);

	if (!value || *now == value)
		return;
	*now = value;
	c->told[c->ntold++] = param;
}

static uint32_t scaled(uint32_t value, uint32_t to, uint32_t from)
{
	return (uint32_t)(((uint64_t)value * to + from / 2) / from);
}

/* Its SMs, their clock, the size of its L2. The clocks of L2 and interconnect are to that of the SMs as before; one of
 * them is fitted from there. */
static void take_told(struct calibration *c, const struct hardware *h, const struct params *base, uint64_t l2_bytes)
{
	tell(c, PARAM_sms, h->sms);
	if (h->sm_mhz) {
		tell(c, PARAM_sm_mhz, h->sm_mhz);
		tell(c, PARAM_l2_mhz, scaled(base->l2_mhz, h->sm_mhz, base->sm_mhz));
		c->machine.icnt_mhz = scaled(base->icnt_mhz, h->sm_mhz, base->sm_mhz);
	}
	c->machine.l2_sets = l2_sets_of(base, l2_bytes);
}

static uint64_t l2_bytes_of(const struct params *p)
{
	return (uint64_t)p->partitions * p->l2_slices * p->l2_sets * p->l2_ways * L2_LINE;
}

bool calibrate(struct calibration *c, struct hardware *h, const struct params *base, unsigned runs,
	       void (*progress)(const char *), struct arena *a, struct diag *d)
{
	const uint64_t l2_bytes = h->l2 ? h->l2 : l2_bytes_of(base);
	struct bench device = { .h = h }, bench = { .p = &c->machine };
	struct hardware model;
	struct image image;
	bool ok;

	*c = (struct calibration){ .device = h, .machine = *base, .base = base->machine, .nfit = FITS };
	c->fit = new_array(a, struct fitted, FITS);
	take_told(c, h, base, l2_bytes);
	device.sms = bench.sms = c->machine.sms;
	for (unsigned i = 0; i < FITS; i++)
		c->fit[i] = (struct fitted){ .param = fits[i].param,
					     .first = fits[i].first,
					     .last = fits[i].last,
					     .before = *params_value(&c->machine, fits[i].param),
					     .value = *params_value(&c->machine, fits[i].param) };
	if (!kernels_image(&image, h->sm, a, d))
		return false;
	c->sm = image.sm;
	if (!measure_all(c, &device, &image, runs < RUNS_MAX ? runs : RUNS_MAX, progress, a, d))
		return false;
	if (c->on[PROBE_OF_ffma_chain].cycles < 2) /* four on every GPU so far */
		return diag_error_plain(
			d, h->name, "has a clock that counts no cycles; under regloom-run it does with --rf baseline");
	c->machine.l2_keep = 0; /* whose size changes, and what must miss it need not be flushed */
	hardware_model(&model, &c->machine, h->sm, 0, a, d);
	/* asked for the first time in the same order, since that is how code lies */
	ok = prepare(&bench, &model, &image, a, d) && ask_model(c, &bench) && fit_all(c, &bench, l2_bytes, progress) &&
	     ask_model(c, &bench);
	c->machine.sms = bench.sms;
	c->machine.l2_keep = base->l2_keep;
	if (ok && c->machine.l2_sets != base->l2_sets)
		c->told[c->ntold++] = PARAM_l2_sets;
	model.ops->close(&model);
	return ok && ask_launch(c, &image, a, d);
}

/* ---- what is said ---- */
static bool is_fitted(const struct calibration *c, unsigned probe)
{
	for (unsigned i = 0; i < c->nfit; i++)
		if (probe >= c->fit[i].first && probe <= c->fit[i].last)
			return true;
	return false;
}

static void print_probe(FILE *f, const char *what, const struct measured_probe *m, double model, bool fitted)
{
	const double far = model - m->cycles;

	fprintf(f, "  %-60s %10.2f %8.2f %10.2f", what, m->cycles, m->high - m->low, model);
	if (fabs(far) > SAME)
		fprintf(f, "  %+.2f%s", far, fitted ? ": not met" : "");
	fprintf(f, "%s\n", fitted ? "" : "  no parameter");
}

void calibrate_print(FILE *f, const struct calibration *c)
{
	fprintf(f, "%-62s %10s %8s %10s\n", "cycles of an element", "device", "spread", "the model");
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++)
		print_probe(f, probes[i].what, &c->on[i], c->model[i], is_fitted(c, i));
	print_probe(f, "launch of a kernel that does nothing, ns, by events", &c->launch, c->model_launch, false);
	fprintf(f, "\n%-18s %8s %8s  %s\n", "parameter", c->base, "fitted", "");
	for (unsigned i = 0; i < c->nfit; i++) {
		const struct fitted *x = &c->fit[i];

		fprintf(f, "%-18s %8" PRIu32 " %8" PRIu32, params_id_name(x->param), x->before, x->value);
		if (x->low != x->high)
			fprintf(f, "  %" PRIu32 " to %" PRIu32 " measure the same", x->low, x->high);
		if (x->near)
			fputs("  the nearest: no value takes as long as the device", f);
		fputc('\n', f);
	}
	for (unsigned i = 0; i < c->ntold; i++)
		fprintf(f, "%-18s %8s %8" PRIu32 "  by what the driver tells\n", params_id_name(c->told[i]), "",
			*params_value((struct params *)&c->machine, c->told[i]));
}

void calibrate_machine(FILE *f, const struct calibration *c)
{
	fprintf(f, "# %s (%s), compute capability %u.%u, measured by machine code for sm_%u\n", c->device->name,
		c->device->driver, c->device->sm / 10, c->device->sm % 10, c->sm);
	fprintf(f, "machine: %s\n", c->base);
	for (unsigned i = 0; i < c->ntold; i++)
		fprintf(f, "   %-18s %8" PRIu32 " %-12s by what the driver tells\n", params_id_name(c->told[i]),
			*params_value((struct params *)&c->machine, c->told[i]), params_unit(c->told[i]));
	for (unsigned i = 0; i < c->nfit; i++) {
		const struct fitted *x = &c->fit[i];
		double cycles = 0, low = 0, high = 0;

		for (unsigned k = x->first; k <= x->last; k++) {
			cycles += c->on[k].cycles;
			low += c->on[k].low;
			high += c->on[k].high;
		}
		fprintf(f, "%s  %-18s %8" PRIu32 " %-12s measured: %.2f cycles (%.2f to %.2f) of %s",
			x->near ? "?" : " ", params_id_name(x->param), x->value, params_unit(x->param), cycles, low,
			high, probes[x->first].what);
		if (x->first != x->last)
			fprintf(f, " to %s", probes[x->last].what);
		if (x->low != x->high)
			fprintf(f, "; %" PRIu32 " to %" PRIu32 " take as long", x->low, x->high);
		fputc('\n', f);
	}
	fprintf(f, "# launch of a kernel that does nothing: %.0f ns (%.0f to %.0f) by events, %.0f in the model\n",
		c->launch.cycles, c->launch.low, c->launch.high, c->model_launch);
}
