/* Measuring and fitting. The model is asked what the device was asked, in the same machine code; nowhere is there a
 * formula of what a kernel ought to take. */
#include "runtime-model/hardware/calibrate.h"
#include "runtime-model/hardware/edit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum memory { MEMORY_NONE, MEMORY_SELF, MEMORY_FAR };
/* FAR: steps lead over pages, rows and partitions of DRAM; as many as the rounds take */
enum {
	FAR_STEP = (1 << 20) + (4 << 10),
	FAR_STEPS = 100,
	NEAR_BYTES = 1 << 16,
	ROUNDS = 3,
	RESULT_BYTES = 4096,
	WARPS_MAX = 4
};
/* with which the search ends, if the parameters have not settled before */
enum { ROUNDS_OF_FITS = 6, RUNS_MAX = 101 };
/* of a cycle; what an element takes is a ratio of whole numbers */
#define SAME 1e-6
enum { FLUSH = 2, FLUSH_STEP = 1 << 20 };

static const struct probe {
	const char *kernel;
	unsigned threads;
	const char *elements;
	enum memory memory;
	enum edit edit;
	const char *what;
} probes[] = {
#define PROBE(id, kernel, threads, elements, memory, edit, what) \
	{ kernel, threads, elements, MEMORY_##memory, EDIT_##edit, what },
#define FIT(param, probe)
#include "runtime-model/hardware/probes.def"
#undef PROBE
#undef FIT
};

static const struct {
	unsigned param, probe;
} fits[] = {
#define PROBE(...)
#define FIT(param, probe) { PARAM_##param, PROBE_OF_##probe },
#include "runtime-model/hardware/probes.def"
#undef PROBE
#undef FIT
};
enum { FITS = sizeof fits / sizeof *fits };

/* A device with the kernels of every probe loaded. */
struct bench {
	struct hardware *h;
	struct hardware_code *code[PROBE_OF_COUNT];
	uint64_t result, memory[3]; /* addresses */
	uint64_t other;             /* of FLUSH times the L2: what is written there takes the place of what was in it */
	const void *zeros;          /* FLUSH_STEP of them */
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

static bool prepare_memory(struct bench *b, struct arena *a)
{
	const struct hardware_ops *o = b->h->ops;

	b->zeros = arena_alloc(a, FLUSH_STEP, 8);
	b->other = o->alloc(b->h, (uint64_t)b->h->l2 * FLUSH + 1);

	b->result = o->alloc(b->h, RESULT_BYTES);
	b->memory[MEMORY_NONE] = b->result ? o->alloc(b->h, NEAR_BYTES) : 0;
	b->memory[MEMORY_SELF] = b->memory[MEMORY_NONE] ? o->alloc(b->h, NEAR_BYTES) : 0;
	b->memory[MEMORY_FAR] = b->memory[MEMORY_SELF] ? o->alloc(b->h, (uint64_t)FAR_STEP * FAR_STEPS) : 0;
	return b->other && b->memory[MEMORY_FAR] && chain(b, b->memory[MEMORY_SELF], 0, 1) &&
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
	b->h = h;
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++) {
		const struct probe *p = &probes[i];
		struct image mine;

		if (!kernels_count(image, p->kernel, p->elements, b->n[i], a, d) || !has_chains(b->n[i], p, d) ||
		    !kernels_edit(&mine, image, p->kernel, p->elements, p->edit, a, d))
			return false;
		b->code[i] = h->ops->load(h, mine.bytes, mine.n, image->name);
		if (!b->code[i])
			return false;
	}
	return prepare_memory(b, a);
}

/* What one warp read of its clock: before its chains, between and behind them. */
struct clocks {
	uint64_t at[3], unused;
};

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

/* What probes find far away is not in the L2, whatever ran before. */
static bool flush(struct bench *b)
{
	const uint64_t bytes = (uint64_t)b->h->l2 * FLUSH;
	bool ok = true;

	for (uint64_t at = 0; ok && at < bytes; at += FLUSH_STEP)
		ok = b->h->ops->write(b->h, b->other + at, b->zeros, bytes - at < FLUSH_STEP ? bytes - at : FLUSH_STEP);
	return ok;
}

/* Cycles of an element of probe i, in one run. */
static bool run(struct bench *b, unsigned i, double *cycles)
{
	const struct probe *p = &probes[i];
	struct {
		uint64_t out, in;
		uint32_t rounds;
	} param = { b->result, b->memory[p->memory], ROUNDS };
	const struct hardware_launch l = { .kernel = p->kernel,
					   .grid = { 1, 1, 1 },
					   .block = { p->threads, 1, 1 },
					   .param = &param,
					   .param_bytes = offsetof(__typeof__(param), rounds) + sizeof param.rounds };
	const unsigned warps = p->threads / 32;
	struct clocks read[WARPS_MAX];
	double ns;

	if ((p->memory == MEMORY_FAR && !flush(b)) || !b->h->ops->launch(b->h, b->code[i], &l, &ns) ||
	    !b->h->ops->read(b->h, read, b->result, warps * sizeof *read))
		return false;
	*cycles = per_element(read, warps, (double)b->n[i][1] - (double)b->n[i][0], (double)b->n[i][1] + b->n[i][0]);
	return true;
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static bool measure(struct bench *b, unsigned i, unsigned runs, struct measured_probe *out)
{
	double of[RUNS_MAX];

	for (unsigned n = 0; n < runs; n++)
		if (!run(b, i, &of[n]))
			return false;
	qsort(of, runs, sizeof *of, by_value);
	*out = (struct measured_probe){ of[runs / 2], of[0], of[runs - 1] };
	return true;
}

/* ---- fitting ---- */
/* The model whose parameters are tried: *value is the one that is being fitted. */
struct search {
	struct bench *b;
	struct params *p;
	unsigned param, probe;
	double target;
	bool failed;
};

static uint32_t *value_of(struct params *p, unsigned param)
{
	switch ((enum param_id)param) {
#define PARAM(name, type, unit, def, min, max, what) \
	case PARAM_##name:                           \
		return &p->name;
#include "runtime-model/core/params.def"
#undef PARAM
	case PARAM_COUNT:
		break;
	}
	return NULL;
}

static void range_of(unsigned param, uint32_t *low, uint32_t *high)
{
	static const struct {
		uint32_t low, high;
	} range[] = {
#define PARAM(name, type, unit, def, min, max, what) { min, max },
#include "runtime-model/core/params.def"
#undef PARAM
	};

	*low = range[param].low;
	*high = range[param].high;
}

static double tried(struct search *s, uint32_t value)
{
	double cycles = 0;

	*value_of(s->p, s->param) = value;
	if (!run(s->b, s->probe, &cycles))
		s->failed = true;
	return cycles;
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

/* The range of values with which the model takes `target` cycles, or comes nearest to it; the probe's time rises or
 * falls with the parameter. */
static void fit(struct search *s, struct fitted *out)
{
	uint32_t least, most;
	double at_least, at_most, want = s->target;
	bool rising;

	range_of(s->param, &least, &most);
	at_least = tried(s, least);
	at_most = tried(s, most);
	rising = at_most >= at_least;
	if (fabs(at_most - at_least) < SAME) { /* the probe does not depend on it */
		out->low = least;
		out->high = most;
		out->near = fabs(at_least - want) > SAME;
		return;
	}
	if (rising ? want < at_least : want > at_least)
		want = at_least;
	if (rising ? want > at_most : want < at_most)
		want = at_most;
	/* the first value that takes as long or longer, and the nearer of it and the one before */
	out->low = least;
	if (fabs(at_least - want) > SAME) {
		const double just = rising ? want - 2 * SAME : want + 2 * SAME;

		out->low = first_beyond(s, least, most, rising, just);
		if (fabs(tried(s, out->low) - want) > SAME &&
		    fabs(tried(s, out->low - 1) - want) < fabs(tried(s, out->low) - want))
			out->low--;
	}
	want = tried(s, out->low);
	out->near = fabs(want - s->target) > SAME;
	out->high = most;
	if (fabs(at_most - want) > SAME)
		out->high = first_beyond(s, out->low, most, rising, want) - 1;
	if (out->near && out->low > least) /* where it went back a step, the range may begin before */
		out->low = first_beyond(s, least - (least > 0), out->low, rising,
					rising ? want - 2 * SAME : want + 2 * SAME);
}

/* The number from low to high with the most zero bits behind its last one. */
static uint32_t roundest(uint32_t low, uint32_t high)
{
	uint32_t best = high;

	for (uint32_t step = 2; step && step <= high && high / step * step >= low; step *= 2)
		best = high / step * step;
	return best;
}

/* Of the values that do what it was, else the one that is nearest to that; of widths, which are powers of two in
 * hardware, the roundest. */
static bool settle(struct search *s, struct fitted *f)
{
	const uint32_t was = *value_of(s->p, s->param);

	fit(s, f);
	f->value = was;
	if ((was < f->low || was > f->high) && strcmp(params_unit(s->param), "cycles") != 0)
		f->value = roundest(f->low, f->high);
	else if (was < f->low)
		f->value = f->low;
	else if (was > f->high)
		f->value = f->high;
	*value_of(s->p, s->param) = f->value;
	return f->value != was;
}

static bool fit_all(struct calibration *c, struct bench *model, void (*progress)(const char *))
{
	bool changed = true;

	for (unsigned round = 0; changed && round < ROUNDS_OF_FITS; round++) {
		changed = false;
		for (unsigned i = 0; i < FITS; i++) {
			struct search s = { .b = model,
					    .p = &c->machine,
					    .param = fits[i].param,
					    .probe = fits[i].probe,
					    .target = c->on[fits[i].probe].cycles };

			if (progress)
				progress(params_id_name(fits[i].param));
			changed |= settle(&s, &c->fit[i]);
			if (s.failed)
				return false;
		}
	}
	return true;
}

static bool ask_model(struct calibration *c, struct bench *model, unsigned which)
{
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++)
		if (!run(model, i, &c->model[i][which]))
			return false;
	return true;
}

static bool measure_all(struct calibration *c, struct hardware *h, const struct image *image, unsigned runs,
			void (*progress)(const char *), struct arena *a, struct diag *d)
{
	struct bench device;

	if (!prepare(&device, h, image, a, d))
		return false;
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++) {
		if (progress)
			progress(probes[i].what);
		if (!measure(&device, i, runs, &c->on[i]))
			return false;
	}
	return true;
}

bool calibrate(struct calibration *c, struct hardware *h, const struct params *base, unsigned runs,
	       void (*progress)(const char *), struct arena *a, struct diag *d)
{
	struct hardware model;
	struct bench bench;
	struct image image;
	bool ok;

	*c = (struct calibration){ .device = h, .machine = *base, .base = base->machine, .nfit = FITS };
	c->fit = new_array(a, struct fitted, FITS);
	for (unsigned i = 0; i < FITS; i++) {
		c->fit[i].param = fits[i].param;
		c->fit[i].probe = fits[i].probe;
		c->fit[i].before = *value_of(&c->machine, fits[i].param);
	}
	if (!kernels_image(&image, h->sm, a, d))
		return false;
	c->sm = image.sm;
	if (!measure_all(c, h, &image, runs < RUNS_MAX ? runs : RUNS_MAX, progress, a, d))
		return false;
	if (c->on[PROBE_OF_ffma_chain].cycles < 2) /* four on every GPU so far */
		return diag_error_plain(
			d, h->name, "has a clock that counts no cycles; under regloom-run it does with --rf baseline");
	c->machine.sms = 1; /* one CTA: the others would only idle */
	hardware_model(&model, &c->machine, h->sm, a, d);
	ok = prepare(&bench, &model, &image, a, d) && ask_model(c, &bench, 0) && fit_all(c, &bench, progress) &&
	     ask_model(c, &bench, 1);
	c->machine.sms = base->sms;
	model.ops->close(&model);
	return ok;
}

/* ---- what is said ---- */
void calibrate_print(FILE *f, const struct calibration *c)
{
	fprintf(f, "cycles of an element%55s %8s %8s %8s\n", "", "device", "spread", c->base);
	for (unsigned i = 0; i < PROBE_OF_COUNT; i++)
		fprintf(f, "  %-64s %14.2f %8.2f %8.2f%s\n", probes[i].what, c->on[i].cycles,
			c->on[i].high - c->on[i].low, c->model[i][1],
			fabs(c->model[i][1] - c->on[i].cycles) > SAME ? "  not met" : "");
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
}

void calibrate_machine(FILE *f, const struct calibration *c)
{
	fprintf(f, "# %s (%s), compute capability %u.%u, measured by machine code for sm_%u\n", c->device->name,
		c->device->driver, c->device->sm / 10, c->device->sm % 10, c->sm);
	fprintf(f, "machine: %s\n", c->base);
	for (unsigned i = 0; i < c->nfit; i++) {
		const struct fitted *x = &c->fit[i];
		const struct measured_probe *m = &c->on[x->probe];

		fprintf(f, "%s  %-18s %8" PRIu32 " %-12s measured: %.2f cycles (%.2f to %.2f) of %s",
			x->near ? "?" : " ", params_id_name(x->param), x->value, params_unit(x->param), m->cycles,
			m->low, m->high, probes[x->probe].what);
		if (x->low != x->high)
			fprintf(f, "; %" PRIu32 " to %" PRIu32 " take as long", x->low, x->high);
		fputc('\n', f);
	}
}
