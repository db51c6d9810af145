/* An SM: its making, one cycle of it, CTA launch, and the account of issue slots. */
#include "passes/regmutex.h"
#include "runtime-model/core/perturb.h"
#include "runtime-model/sm/warp.h"

static void init_set(const struct sm *s, struct collector_set *set, unsigned units, unsigned in, unsigned out,
		     unsigned id_oc, unsigned oc_ex)
{
	set->units = units;
	set->in = in;
	set->out = out;
	set->id_oc_max = id_oc;
	set->issue_max = s->front ? UINT_MAX : id_oc;
	set->oc_ex_max = oc_ex;
	set->free = ~(uint64_t)0 >> (64 - units);
	set->last = 63;
}

/* Each operand is one access of a bank that follows from its warp and register, and no axis looks at it or leaves it
 * out. */
static bool banks_are_fixed(const struct rf_config *rf)
{
	return !rf_config_renames(rf) && rf->packing->whole && rf->residency->fixed && !rf->hierarchy->read &&
	       !rf->hierarchy->write && !rf->hierarchy->hazard && !rf->values->read && !rf->values->write &&
	       !rf->reuse->renames;
}

/* How the operands of this SM's instructions come to their banks, and the banks' queues. The first SM knows for all. */
static void init_reads(struct sm *s, const struct axis_ctx *cx)
{
	const struct params *p = s->p;
	struct sm_shared *g = s->g;
	unsigned most = (p->collectors_sp + p->collectors_sfu + p->collectors_mem) * ACCESS_MAX, entries;

	if (banks_are_fixed(g->rf) && !g->job->checked) {
		if (!g->banks) {
			g->banks = new_array_raw(&g->a, struct bank_map, 1);
			for (unsigned w = 0; w < cx->warps; w++)
				for (unsigned r = 0; r < g->reg_end; r++)
					g->banks->of[w][r] = (uint8_t)(physical(s, w, r) % p->rf_banks);
		}
		s->banks = g->banks;
	}
	if (!s->banks || p->core)
		s->acc = arena_alloc_raw(&g->a, FLIGHTS, sizeof *s->acc, _Alignof(struct bank_access));
	for (entries = 1; entries < most; entries *= 2)
		;
	s->read.late = new_array_raw(&g->a, struct late_read, entries);
	for (unsigned b = 0; b < rf_config_banks(g->rf, p); b++) {
		s->read.bank[b].v = new_array_raw(&g->a, uint64_t, entries);
		s->read.bank[b].mask = entries - 1;
	}
}

bool sm_init(struct sm *s, struct sm_shared *g, unsigned id)
{
	const struct params *p = g->p;
	const struct rf_config *rf = g->rf;
	struct axis_ctx cx = {
		.params = p,
		.kernel = g->k,
		.stats = &s->st,
		.arena = &g->a,
		.diag = g->diag,
		.axes = &s->ax,
		.warps = params_warps(p),
		.resident = g->max_ctas * g->warps_per_cta,
		.warps_per_cta = g->warps_per_cta,
		.now = &s->now,
		.checked = g->job->checked != NULL,
	};

	s->g = g;
	s->p = p;
	s->id = id;
	s->ax.rf = rf;
	s->ax.sm = s;
	s->dinsn = g->code.insn;
	s->first_insn = 0 - (uint32_t)g->preamble;
	s->sb_words = g->sb_words;
	if (g->owed != UINT_MAX) {
		s->owed_word = g->owed / 64;
		s->owed_bit = bit(g->owed % 64);
	}
	s->wake = NEVER;
	s->watch.want = probe_wants(g->job);
	s->watch.sample_at = probe_interval_end(g->job, 0);
	s->released = PROBE_NO_INSN;
	if (probing(s, PROBE_WAIT) || probing(s, PROBE_SLOT))
		s->watch.wait = probe_wait_new(&g->a);
	s->fetch.last = 63;
	cache_init(&s->fetch.icache, p->icache_sets, p->icache_ways, false, &g->a);
	s->flight = new_array_raw(&g->a, struct flight, FLIGHTS);
	s->free_flight = NO_FLIGHT;
	if (g->records & (WANT_SIG | WANT_H3))
		s->sig = new_array(&g->a, struct value_sig, (size_t)FLIGHTS * UOP_DST_MAX);
	if (g->job->checked || g->records & WANT_VALUES)
		s->val = new_array(&g->a, struct uop_values, FLIGHTS);
	if (rf->hierarchy->read)
		s->from_levels = new_array_raw(&g->a, struct asked, FLIGHTS);
	s->ninsn = g->k->ninsn;
	if (g->code.npoint) {
		s->hold = g->k->regmutex->hold;
		s->point = new_array_raw(&g->a, struct dinsn, WARPS_MAX);
	}
	s->asked = s->sig || s->val || rf->values->issue || rf->values->move || rf->reuse->renames ||
		   rf->residency->may_issue || rf->residency->issue || rf->residency->missing || rf->hierarchy->read ||
		   rf->hierarchy->write || rf->hierarchy->hazard || rf_config_renames(rf);
	s->deeper = rf->values->extra_cycles + (rf->reuse->renames ? rf->reuse->back_cycles(p) : 0);
	s->depth = 2 + s->deeper;
	s->picks = !p->core && !s->watch.wait && rf->issue->pick && !rf->reuse->renames;
	s->exec.flush = new_array_raw(&g->a, struct extra, WARPS_MAX);
	for (unsigned i = 0; i < WHEEL; i++)
		s->exec.wheel[i] = NO_FLIGHT;
	queue_init(&s->exec.writeback, FLIGHTS, &g->a);
	if (rf->reuse->renames) {
		s->front = front_new(s, &g->a);
		s->races = new(&g->a, struct races);
		s->round = new_array_raw(&g->a, struct reuse_round, FLIGHTS);
	}
	init_set(s, &s->read.set[PIPE_SP], p->collectors_sp, p->oc_in_sp, p->oc_out_sp, p->id_oc_sp, p->oc_ex_sp);
	init_set(s, &s->read.set[PIPE_SFU], p->collectors_sfu, p->oc_in_sfu, p->oc_out_sfu, p->id_oc_sfu, p->oc_ex_sfu);
	init_set(s, &s->read.set[PIPE_MEM], p->collectors_mem, p->oc_in_mem, p->oc_out_mem, p->id_oc_mem, p->oc_ex_mem);
	lsu_init(s, &g->a);
	if (p->core)
		subcore_new(s);
	read_only_init(s, &g->a);
	if (rf_config_renames(rf))
		s->ax.rename = rename_new(&cx);
	for (unsigned sch = 0; sch < p->schedulers; sch++) {
		for (unsigned w = sch; w < cx.warps; w += p->schedulers)
			s->sched_warps[sch] |= bit(w);
		s->slot[sch] = (struct slot_use){ .why = STALL_EMPTY, .warp = PROBE_NO_WARP };
		if (!(s->ax.issue[sch] = rf->issue->create(&cx, sch)))
			return false;
	}
	if (!(s->ax.residency = rf->residency->create(&cx)) || !(s->ax.packing = rf->packing->create(&cx)) ||
	    !(s->ax.hierarchy = rf->hierarchy->create(&cx)) || !(s->ax.values = rf->values->create(&cx)) ||
	    !(s->ax.reuse = rf->reuse->create(&cx)))
		return false;
	init_reads(s, &cx);
	if (g->job->checked)
		s->checked = checked_new(&cx);
	return true;
}

/* What is not counted cycle by cycle, up to s->accounted. Where registers are renamed, entries are. */
static void account_spans(struct sm *s)
{
	const cycle n = s->st.issue_slots / s->p->schedulers;

	for (unsigned sch = 0; sch < s->p->schedulers; sch++)
		slots_count(s, sch, s->accounted);
	s->st.rf_held_registers = s->st.resident_warp_cycles * s->g->k->res.regs;
	if (!s->ax.rename)
		s->st.rf_powered_entries = n * (s->p->rf_registers / WARP_LANES);
	if (s->ax.rename)
		s->st.rename_powered_cycles = n;
	if (s->ax.rf->packing->renames)
		s->st.pack_powered_cycles = n;
	if (s->ax.rf->residency->account)
		s->ax.rf->residency->account(s->ax.residency, s->accounted);
	if (s->front)
		s->ax.rf->reuse->account(s->ax.reuse, s->accounted);
}

static void account_renamed(struct sm *s, cycle n)
{
	if (!s->ax.rename)
		return;
	s->st.rf_powered_entries += n * rename_entries(s->ax.rename);
	s->st.rf_mapped_registers += n * rename_held(s->ax.rename);
}

/* Cycles since the last step, in which nothing changed, go to the reasons that stood then. */
static void account(struct sm *s, cycle upto)
{
	cycle n = upto - s->accounted;

	if (upto <= s->accounted)
		return;
	for (unsigned sch = 0; !s->live && sch < s->p->schedulers; sch++) {
		slots_count(s, sch, s->accounted);
		s->slot[sch] = (struct slot_use){ .why = STALL_EMPTY, .warp = PROBE_NO_WARP, .from = s->accounted };
	}
	for (unsigned sch = 0; probing(s, PROBE_SLOT) && sch < s->p->schedulers; sch++)
		probe_slot(s, sch, s->accounted, n);
	if (s->watch.wait)
		probe_idle(s, n);
	if (s->front)
		front_idle(s, n);
	s->st.issue_slots += n * s->p->schedulers;
	account_renamed(s, n);
	if (s->live) {
		s->st.sm_cycles += n;
		s->st.resident_warp_cycles += n * s->nlive;
	}
	s->accounted = upto;
}

void sm_account(struct sm *s, cycle upto)
{
	while (s->watch.sample_at <= upto) {
		account(s, s->watch.sample_at);
		account_spans(s);
		probe_sample_sm(s);
	}
	account(s, upto);
	account_spans(s);
}

static void step(struct sm *s, cycle now)
{
	if (s->watch.sample_at <= now)
		sm_account(s, now);
	else if (s->accounted < now)
		account(s, now);
	s->moved = false;
	s->timed = NEVER;
	s->turn = 0;
	s->st.sm_cycles += s->live != 0;
	s->st.resident_warp_cycles += s->nlive;
	account_renamed(s, 1);

	if (s->port.nheap || s->mem.nhit || s->mem.filled.n || s->ro.ntex)
		lsu_responses(s, now);
	if (s->sub) {
		subcore_step(s, now);
	} else {
		writeback_step(s, now);
		execute_step(s, now);
		collect_step(s, now);
		if (s->front)
			front_step(s);
		schedule_step(s, now);
		fetch_step(s, now);
	}

	s->st.issue_slots += s->p->schedulers;
	s->accounted = now + 1;
	if (s->moved) {
		s->wake = now + 1;
	} else {
		cycle w = wheel_next(s, now), l = lsu_next(s, now);

		s->wake = w < l ? w : l;
		if (s->timed < s->wake)
			s->wake = s->timed;
	}
}

uint64_t sm_unstarted(const struct sm *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < PIPE_COUNT; i++)
		n += s->read.set[i].units - (unsigned)__builtin_popcountll(s->read.set[i].free) +
		     s->read.set[i].nid_oc + s->read.set[i].noc_ex;
	return s->front ? n + front_held(s) : n;
}

bool sm_start_cta(struct sm *s, uint64_t id, cycle now)
{
	const cycle late = perturb_delay(s->p, s->g->job->launch, PERTURB_CTA, id);
	unsigned slot = 0, first, n = s->g->warps_per_cta;
	struct cta *c;

	if (s->wake < s->accounted) /* it stood idle, and its slots are counted up to there */
		s->wake = s->accounted;
	while (s->wake < now) {
		s->now = s->wake;
		step(s, s->wake);
	}
	s->now = now;
	while (s->cta[slot].live)
		slot++;
	c = &s->cta[slot];
	first = slot * n;
	if (s->ax.rf->residency->cta_start && !s->ax.rf->residency->cta_start(s->ax.residency, first, n))
		return false;
	sm_account(s, now);
	*c = (struct cta){ .live = true, .id = id, .first_warp = first, .left = n, .running = n };
	s->ctas++;
	for (unsigned w = 0; w < n; w++)
		s->warp[first + w] =
			(struct warp){ .cta = id,
				       .cta_slot = (uint8_t)slot,
				       .in_cta = (uint8_t)w,
				       .missing =
					       s->p->missing_diverge ? 0 : missing_lanes(s->g->job->threads_per_cta, w),
				       .scheduler = (uint8_t)((first + w) % s->p->schedulers) };
	for (unsigned w = first; w < first + n; w++)
		warp_start(s, w);
	if (probing(s, PROBE_CTA_START))
		probe_warp(s, PROBE_CTA_START, first, 0, n);
	for (unsigned w = first; w < first + n; w++)
		warp_try_end(s, w);
	for (uint64_t m = late ? s->fetch.ready : 0; m; m &= m - 1) {
		const unsigned w = (unsigned)__builtin_ctzll(m);

		if (w >= first && w < first + n)
			lsu_starts(s, w, now + late);
	}
	s->wake = now;
	return true;
}

bool sm_can_run(const struct sm *s, cycle end, bool more)
{
	return s->live && s->wake < end && !s->take.failed && !(more && s->take.open <= s->wake);
}

unsigned sm_run(struct sm *s, cycle end, bool more)
{
	unsigned steps = 0;

	for (; sm_can_run(s, end, more); steps++) {
		s->now = s->wake;
		step(s, s->wake);
	}
	return steps;
}
