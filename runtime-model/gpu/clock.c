/* The clock: SMs in quanta.
 *
 * SMs influence each other through the memory system and the dispatch of CTAs alone. No reply can be at an SM sooner
 * than the shortest round trip after its request; so each SM runs that many cycles, a quantum, without the others, and
 * puts what it sends into its outbox. Then the memory system takes the requests of all in the order of (cycle, SM), in
 * which stepping the SMs in turn would have made them.
 *
 * CTAs start in index order, at most one a cycle and SM, on the SMs in turn that have room. An SM that could take one
 * waits in that cycle until all others have come so far; decisions are made in order of (cycle, turn). Once no CTA
 * remains nobody waits. So results are those of stepping all SMs in every cycle, whatever the quantum, and whatever
 * threads run the SMs. */
#include "analyzer/base/pool.h"
#include "runtime-model/core/perturb.h"
#include "runtime-model/gpu/sample.h"
#include "runtime-model/gpu/private.h"
#include "runtime-model/sm/sm.h"

#include <string.h>

enum {
	QUANTUM_MAX = 512, /* less than the least progress_cycles, which is looked at between quanta */
	PROGRESS_CYCLES = 1 << 14,
	QUANTA_ALONE = 16, /* some milliseconds */
};

void clock_init(struct gpu *g)
{
	cycle q = memory_round_trip(g->of.p);

	g->quantum = q < QUANTUM_MAX ? q : QUANTUM_MAX;
	if (g->of.job->quantum && g->of.job->quantum < g->quantum)
		g->quantum = g->of.job->quantum;
	g->threads = g->of.job->threads ? g->of.job->threads : pool_cores();
	if (g->threads > g->of.p->sms)
		g->threads = g->of.p->sms;
	g->task = new_array(&g->of.a, struct sm *, g->of.p->sms);
	g->merge = new_array_raw(&g->of.a, uint32_t, (size_t)g->of.p->sms * RESPONSES);
	g->bucket = new_array(&g->of.a, unsigned, g->quantum + 1);
}

void clock_free(struct gpu *g) { pool_free(g->pool); }

static bool more(const struct gpu *g) { return g->next_cta < g->of.job->ctas; }

/* ---- threads ---- */
static unsigned run_one(void *ctx, unsigned i)
{
	struct gpu *g = ctx;

	return sm_run(g->task[i], g->end, g->more);
}

/* Every SM that can goes on. A launch of a few quanta is over before threads have been started. */
static void run_all(struct gpu *g)
{
	unsigned n = 0;

	g->more = more(g);
	for (unsigned i = 0; i < g->of.p->sms; i++)
		if (sm_can_run(&g->sm[i], g->end, g->more))
			g->task[n++] = &g->sm[i];
	if (n > 1 && g->threads > 1 && ++g->busy == QUANTA_ALONE)
		g->pool = pool_new(&g->of.a, g->threads, run_one, g);
	if (g->pool && n > 1)
		pool_run(g->pool, n);
	else
		for (unsigned i = 0; i < n; i++)
			run_one(g, i);
}

/* ---- dispatch ---- */
static void offer(struct gpu *g, struct sm *s, cycle at)
{
	s->take.open = NEVER;
	if (!sm_start_cta(s, g->of.job->sample ? sample_cta(g->of.job->sample->plan, g->next_cta) : g->next_cta, at)) {
		s->take.refused = true;
		return;
	}
	g->next_cta++;
	g->turn = (s->id + 1) % g->of.p->sms;
	s->progressed = at;
	s->take.next_launch = at + g->of.p->cta_launch_cycles;
	if (s->ctas < g->of.max_ctas)
		s->take.open = s->take.next_launch;
}

/* All SMs have come to the end of the quantum or wait for a CTA. Those that wait in the first such cycle are offered
 * one in their turn. False: none waits. */
static bool dispatch(struct gpu *g)
{
	cycle at = NEVER;
	unsigned from = g->turn;

	for (unsigned i = 0; i < g->of.p->sms; i++)
		at = g->sm[i].take.open < at ? g->sm[i].take.open : at;
	if (at >= g->end)
		return false;
	for (unsigned i = 0; i < g->of.p->sms && more(g); i++) {
		struct sm *s = &g->sm[(from + i) % g->of.p->sms];

		if (s->take.open == at)
			offer(g, s, at);
	}
	return true;
}

/* ---- memory ---- */
/* The outboxes, sorted by cycle; those of one cycle by SM, those of one SM as it sent them. */
static unsigned merge(struct gpu *g, cycle from)
{
	unsigned *bucket = g->bucket, n = 0;

	for (unsigned i = 0; i < g->of.p->sms; i++)
		n += g->sm[i].port.nout;
	if (!n)
		return 0;
	memset(bucket, 0, (g->quantum + 1) * sizeof *bucket);
	for (unsigned i = 0; i < g->of.p->sms; i++)
		for (unsigned j = 0; j < g->sm[i].port.nout; j++)
			bucket[g->sm[i].port.outbox[j].made - from + 1]++;
	for (unsigned c = 1; c < g->quantum; c++)
		bucket[c] += bucket[c - 1];
	for (unsigned i = 0; i < g->of.p->sms; i++)
		for (unsigned j = 0; j < g->sm[i].port.nout; j++)
			g->merge[bucket[g->sm[i].port.outbox[j].made - from]++] = i * RESPONSES + j;
	return n;
}

static void arrived(void *ctx, unsigned sm, const struct response *r)
{
	struct gpu *g = ctx;

	lsu_answered(&g->sm[sm], r);
}

static void answer(struct gpu *g, cycle from)
{
	unsigned n = merge(g, from);

	for (unsigned i = 0; i < n; i++) {
		unsigned sm = g->merge[i] / RESPONSES;
		struct request *r = &g->sm[sm].port.outbox[g->merge[i] % RESPONSES];
		cycle ready;

		probe_sample_memory(g, r->made);
		ready = memory_request(g->memory, r->at, (enum memory_kind)r->kind, r->line, r->sectors) +
			perturb_delay(g->of.p, g->of.job->launch, PERTURB_REPLY, g->nrequest++);
		g->sm[sm].port.away++;
		/* what is not acknowledged is away until it could be */
		if (g->of.p->memory_fixed || r->kind == MEMORY_WRITEBACK) {
			r->reply.at = ready + (g->of.p->memory_fixed ? 0 : network_least(g->network));
			lsu_answered(&g->sm[sm], &r->reply);
		} else {
			network_reply(g->network, memory_slice(g->of.p, r->line), sm, ready, &r->reply);
		}
	}
	for (unsigned i = 0; i < g->of.p->sms; i++)
		g->sm[i].port.nout = 0;
}

/* ---- quanta ---- */
struct state {
	cycle next, progressed;
	uint64_t done, warp_insns;
	bool failed, dry;
};

static struct state look(const struct gpu *g)
{
	struct state st = { .next = network_next(g->network) };
	bool waiting = more(g);

	for (unsigned i = 0; i < g->of.p->sms; i++) {
		const struct sm *s = &g->sm[i];

		if (s->live && s->wake < st.next)
			st.next = s->wake;
		if (waiting && s->take.open < st.next)
			st.next = s->take.open;
		st.progressed = s->progressed > st.progressed ? s->progressed : st.progressed;
		st.done += s->st.ctas;
		st.warp_insns += s->st.warp_instructions;
		st.failed |= s->take.failed;
		st.dry |= s->take.dry;
	}
	return st;
}

static enum stop must_stop(const struct gpu_job *j, const struct state *st)
{
	if (st->dry || stop_asked(j->stop))
		return STOP_ASKED;
	if (j->max_insns && st->warp_insns > j->max_insns)
		return STOP_INSNS;
	return j->max_cycles && st->next >= j->max_cycles && st->next != NEVER ? STOP_CYCLES : STOP_NOT;
}

/* Between quanta. */
static bool stop(struct gpu *g, const struct state *st, enum stop why)
{
	const struct gpu_job *j = g->of.job;

	*j->stopped = (struct stopped){ .why = why, .ctas_done = st->done, .ctas = j->ctas };
	report_where(g, j->stopped);
	g->stopped_at = st->next > g->end && st->next != NEVER ? st->next : g->end;
	if (j->max_cycles && g->stopped_at > j->max_cycles)
		g->stopped_at = j->max_cycles;
	return true;
}

/* Counters up to the end of the last quantum, at each mark that has been passed in it. */
static void mark(struct gpu *g)
{
	struct sample_marks *m = g->of.job->sample;

	while (m->n < 2 * m->plan->clusters && g->next_cta >= sample_mark_at(m->plan, m->n)) {
		struct stats *at = &m->at[m->n++];

		*at = g->st;
		at->cycles = g->end;
		for (unsigned i = 0; i < g->of.p->sms; i++) {
			sm_account(&g->sm[i], g->end);
			stats_merge(at, &g->sm[i].st);
			at->unstarted_instructions += sm_unstarted(&g->sm[i]);
		}
	}
}

/* Cycles without progress that are a standstill: nothing that is on its way takes longer. */
static cycle patience(const struct params *p)
{
	return (cycle)p->progress_cycles + p->memory_fixed + p->cta_launch_cycles + p->l2_latency + p->dram_latency +
	       p->perturb_cycles;
}

bool clock_run(struct gpu *g)
{
	const cycle most = g->of.job->max_cycles ? g->of.job->max_cycles : NEVER;
	cycle told = 0;

	for (;;) {
		struct state st = look(g);
		enum stop why;

		if (st.failed)
			return !report_fault(g) && checked_report(g->sm, g->of.p->sms);
		if (g->of.job->sample)
			mark(g);
		if (st.done == g->of.job->ctas)
			return true;
		why = must_stop(g->of.job, &st);
		if (why)
			return stop(g, &st, why);
		if (st.next == NEVER || st.next - st.progressed > patience(g->of.p))
			return report_stuck(g, st.progressed);
		if (g->of.job->progress && st.next - told >= PROGRESS_CYCLES) {
			told = st.next;
			g->of.job->progress(g->of.job->progress_ctx,
					    &(struct sim_progress){ st.done, g->of.job->ctas, st.warp_insns, st.next });
		}
		g->end = most - st.next < g->quantum ? most : st.next + g->quantum;
		network_run(g->network, g->end, arrived, g);
		run_all(g);
		while (more(g) && dispatch(g))
			run_all(g);
		answer(g, st.next);
	}
}
