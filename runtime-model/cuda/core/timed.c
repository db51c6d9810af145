/* A launch that is timed, by all configurations side by side, of a kernel that is annotated for its CTAs. Kernels that
 * share registers between warps (variants) are executed first, on a copy of device memory, and must leave what the
 * plain kernel leaves. Whatever becomes of the configurations, the plain kernel is executed to its end. */
#include "runtime-model/cuda/core/internal.h"
#include "runtime-model/core/axis.h"

#include "analyzer/base/pool.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/engine/copy.h"
#include "runtime-model/gpu/readings.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/trace/trace.h"

#include <errno.h>
#include <string.h>

/* by configuration */
struct timing {
	struct arena *spare;
	struct l2 **l2;
};

static struct timing *timing(void)
{
	struct process *p = &process;
	const unsigned n = p->opt.configs->n;

	if (p->timing)
		return p->timing;
	p->timing = new(&p->a, struct timing);
	p->timing->spare = new_array(&p->a, struct arena, n);
	p->timing->l2 = new_array(&p->a, struct l2 *, n);
	for (unsigned i = 0; i < n; i++)
		if (p->opt.configs->config[i].params->l2_keep)
			p->timing->l2[i] = l2_new(p->opt.configs->config[i].params, &p->a);
	return p->timing;
}

void timed_copied(uint64_t addr, uint64_t bytes)
{
	const struct config_list *l = process.opt.configs;

	for (unsigned i = 0; i < l->n; i++)
		if (l->config[i].params->l2_preload && timing()->l2[i])
			l2_copied(timing()->l2[i], addr, bytes);
}

/* ---- jobs ---- */
struct timed_job {
	unsigned config;
	struct stats st;
	struct diag d;
	struct stopped stop;
	struct sample_estimate estimate;
	struct races races;
	bool bug;
};

/* Of a diagnostic, without the kernel that it is about. */
static const char *one_line(const char *text, struct arena *a)
{
	const char *error = strstr(text, ": error: ");

	text = error && error < text + strcspn(text, "\n") ? error + strlen(": error: ") : text;
	return arena_strndup(a, text, strcspn(text, "\n"));
}

static uint64_t left_of(uint64_t limit, uint64_t done)
{
	if (!limit)
		return 0;
	return limit > done ? limit - done : 1;
}

/* Which of the kernels whose code is on the device it is, or will be. */
static uint32_t code_of(const struct cu_function *f)
{
	uint32_t n = 0;

	while (n < process.ncode && process.code[n] != f->code)
		n++;
	return n;
}

const struct l2 *timed_l2(void) { return process.opt.configs->n ? timing()->l2[0] : NULL; }

uint32_t timed_code_before(const struct cu_function *f)
{
	const struct run_config *c = process.opt.configs->config;
	struct sim_options o = { .before = process.code, .nbefore = code_of(f) };

	if (!process.opt.configs->n)
		return 0;
	o.params = c->params;
	o.rf = c->rf;
	return sim_code_start(&o);
}

static void note(struct configured *c, const char *text)
{
	if (text)
		c->note[c->nnote++] = text;
}

/* What sm-model says of a run. */
static void take_notes(struct configured *c, const struct run_config *config, const struct launch *x,
		       const struct kernel *plain, const struct races *races, struct arena *a)
{
	const struct occupancy_cta cta = { x->block[0] * x->block[1] * x->block[2], x->dynamic_shared };

	note(c, run_remark_of(config, plain, &cta, true, a));
	note(c, run_remark_of(config, plain, &cta, false, a));
	note(c, run_sections_text(config, plain, &cta, a));
	for (unsigned kind = 0; kind < RACE_KINDS; kind++) {
		const struct race *first = races_first(races, (enum race_kind)kind);

		note(c, first ? race_text(first, a) : NULL);
	}
}

/* The file of --records, to which each launch is added; or NULL. */
static FILE *records_open(void)
{
	const char *path = process.opt.text[CUDA_OPT_RECORDS];
	FILE *f = path ? fopen(path, "ae") : NULL;

	if (path && !f)
		say("error: %s: cannot be written: %s", path, strerror(errno));
	return f;
}

/* Who watches configuration i, and reads its clocks. */
static const struct gpu_probe *watchers(const struct shown *s, unsigned i, struct readings *clock, struct arena *a)
{
	struct gpu_probe *first;

	if (!clock)
		return shown_probe(s, i);
	first = new(a, struct gpu_probe);
	*first = *readings_probe(clock);
	first->next = shown_probe(s, i);
	return first;
}

/* Times x, which is of a plain kernel or of its variant, by the configurations that run it. clock: of a launch that is
 * executed once more, by configuration: what its clocks read; or NULL. */
static bool time_program(const struct cu_function *f, const struct launch *x, const struct kernel *plain,
			 struct measured *m, struct readings **clock, struct arena *a, struct diag *d)
{
	struct process *p = &process;
	const struct config_list *l = p->opt.configs;
	struct sim_job *job = new_array(a, struct sim_job, l->n + 1);
	struct timed_job *t = new_array(a, struct timed_job, l->n + 1);
	struct engine_counts counts = { 0 };
	const bool variant = x->k != plain;
	/* CTAs that are not timed have no clocks. */
	const unsigned sample = clock && !p->opt.given[CUDA_OPT_SAMPLE] ? 0 : p->opt.sample;
	struct records *records;
	FILE *to;
	bool written;
	unsigned n = 0,
		 threads = p->opt.number[CUDA_OPT_THREADS] ? (unsigned)p->opt.number[CUDA_OPT_THREADS] : pool_cores();
	bool ok;

	for (unsigned i = 0; i < l->n; i++) {
		const struct run_config *c = &l->config[i];

		if (rf_config_kernel(&c->rf, plain) != x->k || m->config[i].refused)
			continue;
		t[n].config = i;
		diag_init(&t[n].d, NULL);
		job[n] = (struct sim_job){ .st = &t[n].st,
					   .d = &t[n].d,
					   .o = {
						   .params = c->params,
						   .rf = c->rf,
						   .have_anno = ANNO_ALL | (plain->regmutex ? ANNO_REGMUTEX : 0),
						   .before = p->code,
						   .nbefore = code_of(f),
						   .races = &t[n].races,
						   .bug = &t[n].bug,
						   .max_insns =
							   left_of(p->opt.number[CUDA_OPT_MAX_INSNS], p->timed_insns),
						   .max_cycles = left_of(p->opt.number[CUDA_OPT_MAX_CYCLES],
									 p->timed_cycles[i]),
						   .stopped = &t[n].stop,
						   .l2 = timing()->l2[i],
						   .spare = &timing()->spare[i],
						   .sample = sample,
						   .sample_gain = p->opt.sample_gain,
						   .estimate = &t[n].estimate,
						   .progress = n ? NULL : watch_timing,
						   .executing = watch_executing,
						   .stop = watch_flag(),
						   .finish = !variant,
						   .counts = &counts,
						   .failed = variant || clock ? NULL : measured_fault,
						   .failed_ctx = m,
						   .probe = watchers(m->shown, i, clock ? clock[i] : NULL, a),
					   } };
		n++;
	}
	for (unsigned i = 0; i < n; i++)
		job[i].o.threads = threads > n ? threads / n : 1;
	if (!n) {
		job->o = (struct sim_options){ .finish = true,
					       .executing = watch_executing,
					       .stop = watch_flag(),
					       .counts = &counts,
					       .failed = measured_fault,
					       .failed_ctx = m };
		if (variant)
			return true;
	}
	to = n && !variant ? records_open() : NULL;
	records = to ? records_new(to, a) : NULL;
	if (records) {
		struct gpu_probe *probe = records_probe(records);

		probe->next = job->o.probe;
		job->o.probe = probe;
	}
	ok = sim_run_jobs(p->dev, x, job, n, d);
	written = !records || records_end(records);
	if (to && fclose(to) != 0)
		written = false;
	if (!written)
		say("error: %s: not all records could be written", p->opt.text[CUDA_OPT_RECORDS]);
	for (unsigned i = 0; i < n; i++) {
		struct configured *c = &m->config[t[i].config];

		c->ok = ok && job[i].ok;
		c->stats = t[i].st;
		c->stopped = t[i].stop.why != STOP_NOT;
		c->sampled = t[i].estimate.launches != 0;
		c->error = t[i].estimate.error;
		c->sample_needs = t[i].estimate.whole && p->opt.given[CUDA_OPT_SAMPLE] ? t[i].estimate.whole_needs : 0;
		if (c->ok)
			take_notes(c, &l->config[t[i].config], x, plain, &t[i].races, a);
		else if (t[i].d.last)
			c->refused = one_line(t[i].d.last, a);
		diag_free(&t[i].d);
	}
	if (!variant) {
		m->warp_insns = counts.warp_insns;
		m->thread_insns = counts.thread_insns;
	}
	return ok;
}

static bool calls_heap(const char *function)
{
	const enum host_function f = host_function(function);

	return f != HOST_COUNT && op_uses_heap(host_info[f].op);
}

bool kernel_uses_heap(const struct kernel *k)
{
	for (uint32_t i = 0; k->native && i < k->native->naddress; i++)
		if (k->native->address[i].what == NATIVE_RUNTIME && calls_heap(k->native->address[i].name))
			return true;
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (op_uses_heap(k->insn[i].op))
			return true;
	return false;
}

/* From now on launches are executed aside of the program, on a copy of memory: nothing is printed, nobody looks. */
static void aside(const struct process *p, bool on)
{
	device_set_host(p->dev, on ? NULL : p->print, p->limit[CU_LIMIT_HEAP]);
	device_set_sanitizer(p->dev, on ? NULL : p->sanitizer);
}

static const char *why_no_copy(const struct process *p)
{
	if (device_granular(p->dev))
		return "there is no copy of memory that is mapped by hand (cuMemMap)";
	if (device_shared(p->dev))
		return "there is no copy of memory that other processes write, too (cudaIpcGetMemHandle)";
	return "there is no memory for a copy of the device's";
}

/* The configurations of the variant, executed on a copy of device memory, which is what it left if all of it was
 * executed, else NULL. */
static struct device_copy *time_variant(const struct cu_function *f, const struct launch *x, struct measured *m,
					struct arena *a)
{
	struct process *p = &process;
	struct device_copy *c = device_copy_begin(p->dev);
	struct launch y = *x;
	struct diag d;
	bool whole = c != NULL, ok = false;

	y.k = x->k->variant;
	diag_init(&d, NULL);
	if (c) {
		aside(p, true);
		ok = time_program(f, &y, x->k, m, NULL, a, &d);
		aside(p, false);
		device_copy_end(p->dev, c);
	}
	for (unsigned i = 0; i < p->opt.configs->n; i++) {
		if (!p->opt.configs->config[i].rf.residency->variant)
			continue;
		if (!c)
			m->config[i].refused = why_no_copy(p);
		else if (!ok)
			m->config[i].refused = arena_printf(a, "the variant of the kernel: %s",
							    one_line(d.last ? d.last : "failed", a));
		whole &= m->config[i].ok && !m->config[i].stopped;
	}
	diag_free(&d);
	if (whole)
		return c;
	device_copy_free(c);
	return NULL;
}

/* c: what the variant left. The host may have written to what it shares. */
static void compare(const struct device_copy *c, const struct kernel *k)
{
	bool shared = false;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct device_piece *x = &c->piece[i];
		const struct allocation_row *r = row_find(x->addr);

		if (memcmp(x->live, x->copy, x->bytes) == 0)
			continue;
		if (r && r->seen) {
			shared = true;
			continue;
		}
		say("warning: kernel %s: its variant, which shares registers between warps, leaves other memory (do "
		    "threads race?)",
		    k->name);
		return;
	}
	if (shared)
		say("warning: kernel %s: its variant, which shares registers between warps, leaves other memory where "
		    "the host writes too (do threads race?)",
		    k->name);
}

/* What is shown of a launch that was stopped stands for all of it. */
static uint64_t ns_of(const struct configured *c, unsigned mhz, struct measured *m)
{
	const uint64_t ns = (c->stats.cycles * 1000 + mhz - 1) / mhz, part = c->stats.warp_instructions;

	if (!c->stopped)
		return ns;
	m->estimated = true;
	return part && part < m->warp_insns ? (uint64_t)((double)ns * (double)m->warp_insns / (double)part) : ns;
}

/* Times x, which reads clocks, on a copy of memory, and executes it with the cycles that the first configuration which
 * timed it has for them. */
static bool time_clocked(const struct cu_function *f, const struct launch *x, struct measured *m, struct arena *a,
			 struct diag *d)
{
	struct process *p = &process;
	const struct config_list *l = p->opt.configs;
	const unsigned threads = x->block[0] * x->block[1] * x->block[2], warps = (threads + 31) / 32;
	const uint64_t ctas = (uint64_t)x->grid[0] * x->grid[1] * x->grid[2];
	struct device_copy *c = kernel_uses_heap(x->k) ? NULL : device_copy_begin(p->dev);
	struct readings **r = new_array(a, struct readings *, l->n);
	struct engine_clock clock = { 0 };
	struct diag quiet;
	bool ok;

	if (!c) {
		ok = time_program(f, x, x->k, m, NULL, a, d);
		for (unsigned i = 0; i < l->n; i++)
			note(&m->config[i], "its clocks count instructions: there is no copy of memory to time it on");
		return ok;
	}
	for (unsigned i = 0; i < l->n; i++)
		r[i] = readings_new(x->k, ctas, warps, a);
	diag_init(&quiet, NULL);
	aside(p, true);
	time_program(f, x, x->k, m, r, a, &quiet);
	aside(p, false);
	device_copy_end(p->dev, c);
	device_copy_free(c);
	diag_free(&quiet);
	for (unsigned i = 0; i < l->n && !clock.at; i++)
		if (m->config[i].ok) {
			const unsigned mhz = l->config[i].params->sm_mhz;

			clock = readings_clock(r[i], m->start_ns * mhz / 1000, mhz);
		}
	for (unsigned i = 0; i < l->n; i++)
		if (m->config[i].sampled)
			note(&m->config[i], "its clocks count instructions in CTAs that are not in the sample");
	ok = launch_functional(x, m, clock.at ? &clock : NULL, d);
	for (unsigned i = 0; i < l->n; i++)
		readings_free(r[i]);
	return ok;
}

bool launch_timed(struct cu_function *f, const struct launch *of, struct measured *m, struct arena *a, struct diag *d)
{
	struct process *p = &process;
	const struct config_list *l = p->opt.configs;
	struct annotated *n = function_annotated(f, of);
	struct device_copy *after = NULL;
	struct launch y = *of, *x = &y;
	bool variant = false, ok;

	y.k = n->k;
	function_code(f, n->k);
	m->shown = shown_of(f, n);
	m->config = new_array(a, struct configured, l->n);
	for (unsigned i = 0; i < l->n && n->why; i++)
		if (l->config[i].rf.residency->variant)
			m->config[i].refused = n->why;
	for (unsigned i = 0; i < l->n; i++)
		variant |= x->k->variant && l->config[i].rf.residency->variant;
	if (variant && kernel_uses_heap(x->k)) {
		for (unsigned i = 0; i < l->n; i++)
			if (l->config[i].rf.residency->variant)
				m->config[i].refused =
					"the kernel uses malloc, and its variant would be executed beside it";
		variant = false;
	}
	if (variant)
		after = time_variant(f, x, m, a);
	if (readings_wanted(x->k))
		ok = time_clocked(f, x, m, a, d);
	else
		ok = time_program(f, x, x->k, m, NULL, a, d);
	if (after && ok && !readings_wanted(x->k))
		compare(after, x->k);
	device_copy_free(after);
	p->timed_insns += ok ? m->warp_insns : 0;
	for (unsigned i = 0; ok && i < l->n; i++) {
		struct configured *c = &m->config[i];

		p->timed_cycles[i] += c->ok ? c->stats.cycles : 0;
		if (c->ok)
			m->mode = MODE_TIMED;
		if (c->ok && !m->ns && c->stats.cycles)
			m->ns = ns_of(c, l->config[i].params->sm_mhz, m);
	}
	return ok;
}
