/* Events to counts, SM by SM, and the check that they add up. */
#include "runtime-model/core/occupancy.h"
#include "runtime-model/explain/counts.h"
#include "runtime-model/gpu/sample.h"

#include <inttypes.h>
#include <string.h>

static const struct {
	const char *metric, *what;
} reason[STALL_COUNT] = {
#define STALL(id, metric, what) { #metric, what },
#include "runtime-model/core/stall.def"
#undef STALL
};

const char *reason_name(enum stall why) { return reason[why].metric + strlen("slots_"); }

const char *reason_what(enum stall why) { return reason[why].what; }

/* Some instruction's result ends the wait. */
static bool waits_result(enum stall why)
{
	return why == STALL_SCOREBOARD || why == STALL_MEMORY || why == STALL_DRAIN || why == STALL_SHORT ||
	       why == STALL_LONG || why == STALL_MEMBAR;
}

uint64_t sum_reasons(const uint64_t n[STALL_COUNT])
{
	uint64_t all = 0;

	for (unsigned i = 0; i < STALL_COUNT; i++)
		all += n[i];
	return all;
}

/* ---- events ---- */
static struct insn_counts *at_insn(struct sm_counts *s, uint32_t insn)
{
	if (INSN_IS_METADATA(insn))
		insn = s->ninsn;
	if (!s->insn[insn])
		s->insn[insn] = new(&s->a, struct insn_counts);
	return s->insn[insn];
}

static void count_slot(struct sm_counts *s, const struct probe_event *e, unsigned in_cta)
{
	s->slots[e->why] += e->n;
	if (e->warp == PROBE_NO_WARP)
		return;
	at_insn(s, e->insn)->slots[e->why] += e->n;
	s->slot[e->warp].slots[e->why] += e->n;
	s->of_cta[in_cta].slots[e->why] += e->n;
	if (waits_result(e->why))
		s->open[e->warp][e->why] += e->n;
}

static void count_wait(struct sm_counts *s, const struct probe_event *e, unsigned in_cta)
{
	at_insn(s, e->insn)->cycles[e->why] += e->n;
	s->slot[e->warp].cycles[e->why] += e->n;
	s->of_cta[in_cta].cycles[e->why] += e->n;
	if (!waits_result(e->why))
		return;
	if (e->producer == PROBE_NO_INSN) {
		s->slots_for_none += s->open[e->warp][e->why];
	} else {
		struct insn_counts *p = at_insn(s, e->producer);

		p->slots_for += s->open[e->warp][e->why];
		p->cycles_for += e->n;
	}
	s->open[e->warp][e->why] = 0;
}

static void count_access(struct sm_counts *s, const struct probe_event *e)
{
	struct bank_counts *b = &s->bank[e->where];
	struct insn_counts *i = at_insn(s, e->insn);

	b->accesses[e->write]++;
	i->accesses++;
	if (!e->n)
		return;
	b->delayed[e->write]++;
	b->delay[e->write] += e->n;
	i->delayed++;
	i->delay += e->n;
}

static void count_levels(struct sm_counts *s, const struct probe_event *e)
{
	for (unsigned i = 0; i < RF_LEVELS; i++)
		at_insn(s, e->insn)->level[i] += e->level[i];
}

static void count_memory(const struct explain *x, struct sm_counts *s, const struct probe_event *e)
{
	const struct insn *i = &x->now->k->insn[e->insn];

	if (!e->move && x->params->unit[op_info[i->op].fu].pipe == PIPE_MEM)
		memory_count(at_insn(s, e->insn), s, x->now->k, e);
}

static void count_issue(struct sm_counts *s, const struct probe_event *e, bool renames)
{
	struct repeat_found found;
	struct insn_counts *n;

	if (e->move || INSN_IS_METADATA(e->insn))
		return;
	n = at_insn(s, e->insn);
	found = repeat_step(s->repeat, e->warp, e->insn, e->active, e->sig, &n->repeat);
	if (renames)
		reuse_watch_issue(s->reuse, e, &found, &n->became);
}

static void count_retire(const struct explain *x, struct sm_counts *s, const struct probe_event *e)
{
	if (x->renames && !e->move)
		reuse_watch_retire(s->reuse, e);
}

static void event(void *ctx, const struct probe_event *e)
{
	struct explain *x = ctx;
	struct sm_counts *s = x->now->sm[e->sm];
	unsigned in_cta = e->warp == PROBE_NO_WARP ? 0 : x->now->in_cta[e->warp];

	if (e->kind == PROBE_SLOT)
		count_slot(s, e, in_cta);
	else if (e->kind == PROBE_WAIT)
		count_wait(s, e, in_cta);
	else if (e->kind == PROBE_BANK)
		count_access(s, e);
	else if (e->kind == PROBE_LEVELS)
		count_levels(s, e);
	else if (e->kind == PROBE_ISSUE)
		count_issue(s, e, x->renames);
	else if (e->kind == PROBE_CTA_START)
		repeat_start(s->repeat, e->warp, x->threads_per_cta, e->cta);
	else if (e->kind == PROBE_REUSE)
		reuse_watch_outcome(s->reuse, e, &at_insn(s, e->insn)->became);
	else if (e->kind == PROBE_RETIRE)
		count_retire(x, s, e);
	else
		count_memory(x, s, e);
}

static struct kernel_counts *find_kernel(struct explain *x, const struct gpu_job *j)
{
	struct kernel_counts **at = &x->first, *k;
	struct repeat_code *code;

	while (*at && (*at)->k != j->kernel)
		at = &(*at)->next;
	if (*at)
		return *at;
	k = *at = new(&x->a, struct kernel_counts);
	k->k = j->kernel;
	code = x->reuse ? repeat_decode(j->kernel, &x->a) : NULL;
	k->sm = new_array(&x->a, struct sm_counts *, j->params->sms);
	for (unsigned i = 0; i < j->params->sms; i++) {
		k->sm[i] = new(&x->a, struct sm_counts);
		arena_init(&k->sm[i]->a);
		k->sm[i]->ninsn = j->kernel->ninsn;
		k->sm[i]->insn = new_array(&k->sm[i]->a, struct insn_counts *, j->kernel->ninsn + 1);
		k->sm[i]->repeat = code ? repeat_new(code, params_warps(j->params), &k->sm[i]->a) : NULL;
		k->sm[i]->reuse = x->renames ? reuse_watch_new(&k->sm[i]->a) : NULL;
	}
	return k;
}

static void start(void *ctx, const struct gpu_job *j)
{
	const struct occupancy_query q =
		occupancy_query_of(j->params, j->rf, j->kernel, j->threads_per_cta, j->shared_bytes);
	struct explain *x = ctx;
	struct kernel_counts *k;
	const struct occupancy_gain gain = occupancy_gain(&q);
	struct occupancy_query best = q;
	struct launch_counts *l;
	unsigned n = 0, warps = (j->threads_per_cta + 31) / 32;
	uint64_t ctas;

	x->params = j->params;
	x->threads_per_cta = j->threads_per_cta;
	x->renames = x->reuse && j->rf->reuse->renames;
	if (x->renames)
		x->id_bits = index_bits(j->rf->reuse->registers(j->params));
	k = x->now = find_kernel(x, j);
	x->banks = rf_config_banks(j->rf, j->params);
	for (unsigned i = 0; x->reuse && i < j->params->sms; i++) {
		repeat_begin(k->sm[i]->repeat);
		if (x->renames)
			reuse_watch_begin(k->sm[i]->reuse, j->rf->reuse->queue(j->params) > 0);
	}
	for (unsigned w = 0; w < PROBE_WARPS; w++)
		k->in_cta[w] = (uint8_t)(w % warps);
	if (warps > k->most_warps)
		k->most_warps = warps;
	while (n < k->nlaunch &&
	       (k->launch[n].threads != j->threads_per_cta || k->launch[n].shared_bytes != j->shared_bytes))
		n++;
	if (n == k->nlaunch) {
		arena_grow(&x->a, k->launch, k->nlaunch, k->launch_cap);
		best.threads = occupancy_best_block(&q);
		k->launch[k->nlaunch++] = (struct launch_counts){
			.threads = j->threads_per_cta,
			.shared_bytes = j->shared_bytes,
			.occupancy = occupancy_of(&q),
			.gain = gain,
			.gain_text = occupancy_gain_text(&q, &gain, &x->a),
			.best_block = best.threads,
			.best = occupancy_of(&best),
		};
	}
	l = &k->launch[n];
	l->launches++;
	ctas = j->sample ? j->sample->plan->ctas : j->ctas;
	l->ctas += ctas;
	k->ctas += ctas;
	k->timed_ctas += j->ctas;
	k->at = n;
}

static void end(void *ctx, cycle cycles, const struct stats *st)
{
	struct explain *x = ctx;
	struct launch_counts *l = &x->now->launch[x->now->at];

	l->cycles += cycles;
	l->sm_cycles += st->sm_cycles;
	l->warp_cycles += st->resident_warp_cycles;
	stats_merge(&x->now->st, st);
}

struct explain *explain_new(bool reuse, struct arena *a)
{
	struct explain *x = new(a, struct explain);

	arena_init(&x->a);
	x->reuse = reuse;
	x->probe = (struct gpu_probe){
		.ctx = x,
		.event = event,
		.start = start,
		.end = end,
		.want = PROBE(SLOT) | PROBE(WAIT) | PROBE(BANK) | PROBE(ACCESS) | PROBE(LINE) | PROBE(SENT) |
			PROBE(RESULT) | PROBE(LEVELS),
	};
	if (reuse) {
		x->probe.want |= PROBE(ISSUE) | PROBE(CTA_START) | PROBE(REUSE) | PROBE(RETIRE);
		x->probe.records = WANT_SIG;
	}
	return x;
}

void explain_free(struct explain *x)
{
	for (struct kernel_counts *k = x->first; k; k = k->next)
		for (unsigned i = 0; i < x->params->sms; i++)
			arena_free(&k->sm[i]->a);
	arena_free(&x->a);
}

const struct gpu_probe *explain_probe(struct explain *x, const struct gpu_probe *next)
{
	x->probe.next = next;
	return &x->probe;
}

/* ---- the sum over SMs ---- */
static void add(uint64_t *into, const uint64_t *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		into[i] += from[i];
}

void counts_add_insn(struct insn_counts *into, const struct insn_counts *from)
{
	add(into->slots, from->slots, STALL_COUNT);
	add(into->cycles, from->cycles, STALL_COUNT);
	into->slots_for += from->slots_for;
	into->cycles_for += from->cycles_for;
	into->accesses += from->accesses;
	into->delayed += from->delayed;
	into->delay += from->delay;
	add(into->level, from->level, RF_LEVELS);
	memory_add(&into->memory, &from->memory);
	repeat_add(&into->repeat, &from->repeat);
	became_add(&into->became, &from->became);
}

static void add_warps(struct warp_counts *into, const struct warp_counts *from)
{
	for (unsigned w = 0; w < PROBE_WARPS; w++) {
		add(into[w].slots, from[w].slots, STALL_COUNT);
		add(into[w].cycles, from[w].cycles, STALL_COUNT);
	}
}

void counts_merge(struct counts *c, const struct explain *x, const struct kernel_counts *k, struct arena *a)
{
	*c = (struct counts){ .kernel = k, .insn = new_array(a, struct insn_counts, k->k->ninsn + 1) };
	for (unsigned i = 0; i < x->params->sms; i++) {
		const struct sm_counts *s = k->sm[i];

		for (uint32_t n = 0; n <= k->k->ninsn; n++)
			if (s->insn[n])
				counts_add_insn(&c->insn[n], s->insn[n]);
		add(c->slots, s->slots, STALL_COUNT);
		add_warps(c->slot, s->slot);
		add_warps(c->of_cta, s->of_cta);
		for (unsigned b = 0; b < PROBE_BANKS; b++)
			for (unsigned w = 0; w < 2; w++) {
				c->bank[b].accesses[w] += s->bank[b].accesses[w];
				c->bank[b].delayed[w] += s->bank[b].delayed[w];
				c->bank[b].delay[w] += s->bank[b].delay[w];
			}
		c->slots_for_none += s->slots_for_none;
		if (s->repeat)
			repeat_add_samples(&c->samples, repeat_samples(s->repeat));
	}
	for (uint32_t n = 0; n <= k->k->ninsn; n++) {
		repeat_add(&c->repeat, &c->insn[n].repeat);
		became_add(&c->became, &c->insn[n].became);
	}
	for (unsigned w = 0; w < PROBE_WARPS; w++)
		add(c->cycles, c->slot[w].cycles, STALL_COUNT);
	c->all_slots = sum_reasons(c->slots);
	c->all_cycles = sum_reasons(c->cycles) + c->slots[STALL_ISSUED];
}

/* ---- everything adds up ---- */
bool counts_same(struct diag *d, const char *what, uint64_t a, uint64_t b)
{
	return a == b ||
	       diag_error_plain(d, "sm-model", "the explanation does not add up: %s, but %" PRIu64 " is not %" PRIu64,
				what, a, b);
}

static bool check_repeats(const struct counts *c, bool renames, struct diag *d)
{
	uint64_t why = 0, became = 0;

	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		why += c->repeat.why[i];
	for (unsigned i = 0; i < BECAMES; i++)
		became += c->became.of[i];
	return counts_same(d, "instructions looked at for repeats = warp_instructions", c->repeat.issued,
			   c->kernel->st.warp_instructions) &&
	       counts_same(d, "repeats by reason = repeats", why, c->repeat.repeated) &&
	       (!renames ||
		(counts_same(d, "repeats by what became of them = repeats", became, c->repeat.repeated) &&
		 counts_same(d, "reused ones = reused_instructions", became_reused(&c->became) + c->became.beyond,
			     c->kernel->st.reused_instructions)));
}

/* Accesses that wait when a run is stopped are counted as delayed, and watchers hear of them when their bank takes
 * them. */
static bool counts_granted(struct diag *d, const char *what, uint64_t granted, uint64_t counted, bool stopped)
{
	return (stopped && granted < counted) || counts_same(d, what, granted, counted);
}

static bool check_kernel(const struct counts *c, bool reuse, bool renames, bool stopped, struct diag *d)
{
	const struct stats *st = &c->kernel->st;
	struct insn_counts insn = { .slots_for = 0 };
	struct warp_counts slot = { .slots = { 0 } }, of_cta = { .slots = { 0 } };
	struct bank_counts bank = { .accesses = { 0 } };
	uint64_t waited = 0;
	bool ok = true;

	for (uint32_t i = 0; i <= c->kernel->k->ninsn; i++)
		counts_add_insn(&insn, &c->insn[i]);
	for (unsigned w = 0; w < PROBE_WARPS; w++) {
		add(slot.slots, c->slot[w].slots, STALL_COUNT);
		add(of_cta.slots, c->of_cta[w].slots, STALL_COUNT);
		add(of_cta.cycles, c->of_cta[w].cycles, STALL_COUNT);
	}
	for (unsigned b = 0; b < PROBE_BANKS; b++) {
		add(bank.accesses, c->bank[b].accesses, 2);
		add(bank.delayed, c->bank[b].delayed, 2);
		add(bank.delay, c->bank[b].delay, 2);
	}
	for (unsigned i = 0; i < STALL_COUNT; i++) {
		uint64_t placed = c->slots[i] - (i == STALL_EMPTY ? c->slots[i] : 0);

		ok &= counts_same(d, "slots by SM = slots", c->slots[i], st->slots[i]) &&
		      counts_same(d, "slots by instruction = slots", insn.slots[i], placed) &&
		      counts_same(d, "slots by warp slot = slots", slot.slots[i], placed) &&
		      counts_same(d, "slots by warp of a CTA = slots", of_cta.slots[i], placed) &&
		      counts_same(d, "cycles by instruction = cycles by warp", insn.cycles[i], c->cycles[i]) &&
		      counts_same(d, "cycles by warp of a CTA = cycles by warp slot", of_cta.cycles[i], c->cycles[i]);
		waited += waits_result((enum stall)i) ? c->slots[i] : 0;
	}
	return ok && (!reuse || check_repeats(c, renames, d)) &&
	       counts_same(d, "cycles of warps = resident_warp_cycles", c->all_cycles, st->resident_warp_cycles) &&
	       counts_same(d, "slots by what they waited for = slots that waited for results",
			   insn.slots_for + c->slots_for_none, waited) &&
	       counts_same(d, "reads by bank = rf_reads", bank.accesses[0], st->rf_reads) &&
	       counts_same(d, "writes by bank = rf_writes", bank.accesses[1], st->rf_writes) &&
	       counts_granted(d, "delayed reads by bank = rf_bank_conflicts", bank.delayed[0], st->rf_bank_conflicts,
			      stopped) &&
	       counts_granted(d, "delayed writes by bank = rf_write_conflicts + packer_conflicts", bank.delayed[1],
			      st->rf_write_conflicts + st->packer_conflicts, stopped) &&
	       counts_granted(d, "cycles waited by bank = rf_conflict_cycles", bank.delay[0], st->rf_conflict_cycles,
			      stopped) &&
	       counts_same(d, "accesses by instruction = accesses", insn.accesses, st->rf_reads + st->rf_writes) &&
	       counts_same(d, "delayed accesses by instruction = by bank", insn.delayed,
			   bank.delayed[0] + bank.delayed[1]) &&
	       counts_same(d, "cycles waited by instruction = by bank", insn.delay, bank.delay[0] + bank.delay[1]) &&
	       counts_same(d, "operands of the L1 by instruction = rf_l1_reads", insn.level[LEVEL_L1],
			   st->rf_l1_reads) &&
	       counts_same(d, "operands of the L0 by instruction = rf_l0_reads", insn.level[LEVEL_L0],
			   st->rf_l0_reads) &&
	       memory_check(&insn.memory, st, d);
}

bool explain_check(const struct explain *x, bool stopped, struct diag *d)
{
	bool ok = true;

	for (const struct kernel_counts *k = x->first; k && ok; k = k->next) {
		struct counts c;
		struct arena a;

		arena_init(&a);
		counts_merge(&c, x, k, &a);
		ok = check_kernel(&c, x->reuse, x->renames, stopped, d);
		arena_free(&a);
	}
	return ok;
}
