/* A launch that is timed, by all configurations side by side. Kernels that share registers between warps (variants) are executed first, on
 * what will be put back, and must leave what the plain kernel leaves. Whatever becomes of the configurations, the plain kernel is executed to
 * its end. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/pool.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/memory/memory.h"

#include <string.h>
#include <sys/mman.h>

struct timing {                         /* by configuration */
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

/* ---- device memory as it was ---- */
enum { BLOCK = 4096 };
struct piece { unsigned char *live, *kept; uint64_t bytes; };
struct snapshot { struct piece *piece; uint32_t n, cap; struct arena a; };

static void keep(struct snapshot *s, unsigned char *live, uint64_t bytes)
{
	arena_grow(&s->a, s->piece, s->n, s->cap);
	s->piece[s->n++] = (struct piece){ live, NULL, bytes };
}

static bool all_zero(const unsigned char *p, uint64_t n)
{
	return !n || (!*p && memcmp(p, p + 1, n - 1) == 0);
}

/* own: those of its kernel alone; the others are its module's. */
static void keep_variables(struct snapshot *s, const struct module *m, bool own)
{
	for (uint32_t v = 0; m && v < m->nsym; v++) {
		uint64_t at = !own || m->sym[v].kernel != UINT32_MAX ? device_variable(process.dev, m, v) : 0;

		if (at)
			keep(s, device_ptr(process.dev, at, m->sym[v].size), m->sym[v].size);
	}
}

static void snapshot_take(struct snapshot *s)
{
	const struct process *p = &process;

	*s = (struct snapshot){ .n = 0 };
	arena_init(&s->a);
	for (uint32_t i = 0; i < p->nrow; i++)
		keep(s, p->row[i].host, p->row[i].bytes);
	for (const struct cu_module *m = p->module; m; m = m->next) {
		keep_variables(s, m->loaded ? m->m : NULL, false);
		for (const struct cu_function *f = m->function; f; f = f->next)
			keep_variables(s, f->k ? f->k->m : NULL, true);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		struct piece *x = &s->piece[i];

		x->kept = x->bytes ? mmap(NULL, x->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : NULL;
		for (uint64_t at = 0; x->kept != MAP_FAILED && at < x->bytes; at += BLOCK) {
			uint64_t n = x->bytes - at < BLOCK ? x->bytes - at : BLOCK;

			if (!all_zero(x->live + at, n))  /* pages that nobody wrote take no memory */
				memcpy(x->kept + at, x->live + at, n);
		}
	}
}

static bool snapshot_whole(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->piece[i].kept == MAP_FAILED)
			return false;
	return true;
}

static void snapshot_restore(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (uint64_t at = 0; at < s->piece[i].bytes; at += BLOCK) {
			const struct piece *x = &s->piece[i];
			uint64_t n = x->bytes - at < BLOCK ? x->bytes - at : BLOCK;

			if (memcmp(x->live + at, x->kept + at, n) != 0)
				memcpy(x->live + at, x->kept + at, n);
		}
}

static bool snapshot_same(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->piece[i].bytes && memcmp(s->piece[i].live, s->piece[i].kept, s->piece[i].bytes) != 0)
			return false;
	return true;
}

static void snapshot_free(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->piece[i].kept && s->piece[i].kept != MAP_FAILED)
			munmap(s->piece[i].kept, s->piece[i].bytes);
	arena_free(&s->a);
}

/* ---- jobs ---- */
struct timed_job { unsigned config; struct stats st; struct diag d; struct stopped stop; struct sample_estimate estimate; struct races races; bool bug; };

/* Of a diagnostic, without the kernel that it is about. */
static const char *one_line(const char *text, struct arena *a)
{
	const char *error = strstr(text, ": error: ");

	text = error && error < text + strcspn(text, "\n") ? error + strlen(": error: ") : text;
	return arena_strndup(a, text, strcspn(text, "\n"));
}

static uint64_t left_of(uint64_t limit, uint64_t done) { return !limit ? 0 : limit > done ? limit - done : 1; }

/* Times x, which is of a plain kernel or of its variant, by the configurations that run it. */
static bool time_program(const struct launch *x, const struct kernel *plain, struct measured *m, struct arena *a, struct diag *d)
{
	struct process *p = &process;
	const struct config_list *l = p->opt.configs;
	struct sim_job *job = new_array(a, struct sim_job, l->n + 1);
	struct timed_job *t = new_array(a, struct timed_job, l->n + 1);
	struct engine_counts counts = { 0 };
	const bool variant = x->k != plain;
	unsigned n = 0, threads = p->opt.number[CUDA_OPT_THREADS] ? (unsigned)p->opt.number[CUDA_OPT_THREADS] : pool_cores();
	bool ok;

	for (unsigned i = 0; i < l->n; i++) {
		const struct run_config *c = &l->config[i];

		if (rf_config_kernel(&c->rf, plain) != x->k || m->config[i].refused)
			continue;
		t[n].config = i;
		diag_init(&t[n].d, NULL);
		job[n] = (struct sim_job){ .st = &t[n].st, .d = &t[n].d, .o = {
			.params = c->params, .rf = c->rf, .have_anno = ANNO_ALL | ANNO_REGMUTEX, .races = &t[n].races, .bug = &t[n].bug,
			.max_insns = left_of(p->opt.number[CUDA_OPT_MAX_INSNS], p->timed_insns),
			.max_cycles = left_of(p->opt.number[CUDA_OPT_MAX_CYCLES], p->timed_cycles[i]), .stopped = &t[n].stop, .l2 = timing()->l2[i],
			.spare = &timing()->spare[i], .sample = (unsigned)p->opt.number[CUDA_OPT_SAMPLE], .estimate = &t[n].estimate,
			.progress = n ? NULL : watch_timing, .finish = !variant, .counts = &counts, .failed = variant ? NULL : measured_fault, .failed_ctx = m,
		} };
		n++;
	}
	for (unsigned i = 0; i < n; i++)
		job[i].o.threads = threads > n ? threads / n : 1;
	if (!n) {
		job->o = (struct sim_options){ .finish = true, .counts = &counts, .failed = measured_fault, .failed_ctx = m };
		if (variant)
			return true;
	}
	ok = sim_run_jobs(p->dev, x, job, n, d);
	for (unsigned i = 0; i < n; i++) {
		struct configured *c = &m->config[t[i].config];

		c->ok = ok && job[i].ok;
		c->stats = t[i].st;
		c->stopped = t[i].stop.why != STOP_NOT;
		c->sampled = t[i].estimate.launches != 0;
		c->error = t[i].estimate.error;
		c->sample_needs = t[i].estimate.whole ? t[i].estimate.whole_needs : 0;
		if (!c->ok && t[i].d.last)
			c->refused = one_line(t[i].d.last, a);
		diag_free(&t[i].d);
	}
	if (!variant) {
		m->warp_insns = counts.warp_insns;
		m->thread_insns = counts.thread_insns;
	}
	return ok;
}

static bool uses_heap(const struct kernel *k)
{
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (k->insn[i].op == OP_HOST_MALLOC || k->insn[i].op == OP_HOST_FREE)
			return true;
	return false;
}

/* The configurations of the variant; what it leaves is in *after, and memory is as before. */
static void time_variant(const struct launch *x, struct measured *m, struct snapshot *after, bool *compare, struct arena *a)
{
	struct process *p = &process;
	struct snapshot before;
	struct launch y = *x;
	struct diag d;

	*compare = false;
	y.k = x->k->variant;
	snapshot_take(&before);
	diag_init(&d, NULL);
	device_set_host(p->dev, NULL, p->limit[CU_LIMIT_HEAP]);
	if (!snapshot_whole(&before)) {
		for (unsigned i = 0; i < p->opt.configs->n; i++)
			if (p->opt.configs->config[i].rf.residency->variant)
				m->config[i].refused = "there is no memory for a copy of the device's";
	} else if (time_program(&y, x->k, m, a, &d)) {
		bool all = true;

		for (unsigned i = 0; i < p->opt.configs->n; i++)
			all &= !p->opt.configs->config[i].rf.residency->variant || (m->config[i].ok && !m->config[i].stopped);
		snapshot_take(after);
		*compare = all && snapshot_whole(after);
		if (!*compare)
			snapshot_free(after);
		snapshot_restore(&before);
	} else {
		for (unsigned i = 0; i < p->opt.configs->n; i++)
			if (p->opt.configs->config[i].rf.residency->variant)
				m->config[i].refused = arena_printf(a, "the variant of the kernel: %s", one_line(d.last ? d.last : "failed", a));
		snapshot_restore(&before);
	}
	device_set_host(p->dev, p->print, p->limit[CU_LIMIT_HEAP]);
	diag_free(&d);
	snapshot_free(&before);
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

bool launch_timed(const struct launch *x, struct measured *m, struct arena *a, struct diag *d)
{
	struct process *p = &process;
	const struct config_list *l = p->opt.configs;
	bool variant = false, compare = false, ok;
	struct snapshot after = { .n = 0 };

	m->config = new_array(a, struct configured, l->n);
	for (unsigned i = 0; i < l->n; i++)
		variant |= x->k->variant && l->config[i].rf.residency->variant;
	if (variant && uses_heap(x->k)) {
		for (unsigned i = 0; i < l->n; i++)
			if (l->config[i].rf.residency->variant)
				m->config[i].refused = "the kernel uses malloc, and its variant would be executed beside it";
		variant = false;
	}
	if (variant)
		time_variant(x, m, &after, &compare, a);
	ok = time_program(x, x->k, m, a, d);
	if (compare) {
		if (ok && !snapshot_same(&after))
			say("warning: kernel %s: its variant, which shares registers between warps, leaves other memory (do threads race?)", x->k->name);
		snapshot_free(&after);
	}
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
