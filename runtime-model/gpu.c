/* The GPU: occupancy, dispatch of CTAs, and the clock. SMs are stepped in order in every cycle in which one of them has
 * something to do; cycles in which none has are skipped. */
#include "runtime-model/sm.h"

#include <inttypes.h>

enum { PROGRESS_CYCLES = 1 << 18 };

static unsigned warps_of(const struct gpu_job *j)
{
	return (j->threads_per_cta + 31) / 32;
}

unsigned gpu_max_ctas(const struct gpu_job *j, enum occupancy_limit *why)
{
	const struct params *p = j->params;
	unsigned n = p->ctas_per_sm, warps = warps_of(j), by;

	*why = LIMIT_CTAS;
	by = params_warps(p) / warps;
	if (by < n) {
		n = by;
		*why = LIMIT_THREADS;
	}
	by = j->rf->residency->max_ctas(p, j->kernel, warps);
	if (by < n) {
		n = by;
		*why = LIMIT_REGISTERS;
	}
	by = j->shared_bytes ? p->shared_bytes / j->shared_bytes : n;
	if (by < n) {
		n = by;
		*why = LIMIT_SHARED;
	}
	return n;
}

const char *occupancy_limit_name(enum occupancy_limit why)
{
	static const char *const name[] = {
		[LIMIT_CTAS] = "CTA slots", [LIMIT_THREADS] = "threads", [LIMIT_REGISTERS] = "registers",
		[LIMIT_SHARED] = "shared memory",
	};

	return name[why];
}

static bool fits(const struct gpu_job *j, unsigned *max, struct diag *d)
{
	const struct params *p = j->params;
	enum occupancy_limit why;

	*max = gpu_max_ctas(j, &why);
	if (*max)
		return true;
	return diag_error_plain(d, j->kernel->name, "a CTA of %u threads, %u registers a thread and %" PRIu32 " bytes of shared "
				"memory does not fit an SM (%" PRIu32 " threads, %" PRIu32 " registers, %" PRIu32 " bytes): %s",
				j->threads_per_cta, j->kernel->res.regs, j->shared_bytes, p->threads_per_sm, p->rf_registers,
				p->shared_bytes, occupancy_limit_name(why));
}

/* At most one CTA a cycle and SM, in index order, to SMs in turn as they have room. Returns the cycle at which it should be
 * tried again for reasons of time alone. */
static cycle dispatch(struct gpu *g, unsigned *turn)
{
	cycle again = NEVER;
	unsigned from = *turn;

	g->refused = false;
	for (unsigned i = 0; i < g->p->sms && g->next_cta < g->job->ctas; i++) {
		unsigned id = (from + i) % g->p->sms;
		struct sm *s = &g->sm[id];

		if (s->ctas == g->max_ctas)
			continue;
		if (s->next_launch > g->now) {
			again = s->next_launch < again ? s->next_launch : again;
			continue;
		}
		if (!sm_start_cta(s, g->next_cta, g->now)) {
			g->refused = true;
			continue;
		}
		g->next_cta++;
		g->progressed = g->now;
		s->next_launch = g->now + g->p->cta_launch_cycles;
		*turn = (id + 1) % g->p->sms;
		if (s->ctas < g->max_ctas && s->next_launch < again)
			again = s->next_launch;
	}
	return again;
}

static void progress(const struct gpu *g)
{
	struct sim_progress pr = { g->ctas_done, g->job->ctas, 0, g->now };

	for (unsigned i = 0; i < g->p->sms; i++)
		pr.warp_insns += g->sm[i].st.warp_instructions;
	g->job->progress(g->job->progress_ctx, &pr);
}

/* Runs to the end of the last CTA. */
static bool run(struct gpu *g)
{
	cycle told = 0, again = 0;
	unsigned turn = 0;
	uint64_t freed = 0;

	for (;;) {
		cycle next = NEVER;

		if (g->next_cta < g->job->ctas && (again <= g->now || freed != g->freed)) {
			freed = g->freed;
			again = dispatch(g, &turn);
		}
		for (unsigned i = 0; i < g->p->sms; i++) {
			struct sm *s = &g->sm[i];

			if (s->wake <= g->now)
				sm_step(s, g->now);
			if (s->wake < next)
				next = s->wake;
		}
		if (g->failed)
			return false;
		if (g->ctas_done == g->job->ctas)
			return true;
		if (g->next_cta < g->job->ctas) {
			if (freed != g->freed)
				next = g->now + 1;
			else if (again < next)
				next = again;
		}
		if (next == NEVER || next - g->progressed > g->p->progress_cycles)
			return report_stuck(g);
		if (g->job->progress && next - told >= PROGRESS_CYCLES) {
			told = next;
			progress(g);
		}
		g->now = next > g->now ? next : g->now + 1;
	}
}

bool gpu_run(const struct gpu_job *j, struct stats *st, struct diag *d)
{
	struct gpu g = { .job = j, .p = j->params, .rf = j->rf, .k = j->kernel, .diag = d };
	bool ok;

	arena_init(&g.a);
	g.warps_per_cta = warps_of(j);
	ok = fits(j, &g.max_ctas, d) && (g.dinsn = decode_kernel(j->kernel, j->params, j->rf, &g.a, d));
	if (ok) {
		g.move = decode_moves(j->params, &g.a);
		g.memory = memory_new(g.p, &g.st, &g.a);
		g.sm = new_array(&g.a, struct sm, g.p->sms);
		for (unsigned i = 0; ok && i < g.p->sms; i++)
			ok = sm_init(&g.sm[i], &g, i);
	}
	ok = ok && run(&g);
	if (ok) {
		cycle end = g.now + 1;

		g.st.cycles = end;
		g.st.launches = 1;
		for (unsigned i = 0; i < g.p->sms; i++) {
			sm_account(&g.sm[i], end);
			stats_merge(&g.st, &g.sm[i].st);
		}
#ifdef REGLOOM_DEBUG
		ok = stats_check(&g.st, d);
		assert(ok);
#endif
		stats_merge(st, &g.st);
	}
	arena_free(&g.a);
	return ok;
}
