/* Execution and write-back.
 *
 * A unit takes an instruction from the register behind the collectors, is closed for its initiation interval, and
 * reserves the result bus for the cycle in which the result appears; completions wait on a wheel of buckets, one for
 * each cycle ahead. Write-back writes one register a cycle and bank, before any read of the bank, and releases the
 * scoreboard when the last is written. Extra accesses of an instruction are served like its writes; those of suspended
 * warps after them. */
#include "runtime-model/sm/warp.h"

cycle wheel_next(const struct sm *s, cycle now)
{
	for (unsigned i = 0; i <= WHEEL / 64; i++) {
		unsigned from = (unsigned)((now + 1) % WHEEL), w = (from / 64 + i) % (WHEEL / 64);
		uint64_t m = s->exec.wheel_used[w];

		if (i == 0)
			m &= ~(uint64_t)0 << (from % 64);
		else if (i == WHEEL / 64)
			m &= ~(~(uint64_t)0 << (from % 64));
		if (m) {
			unsigned b = w * 64 + (unsigned)__builtin_ctzll(m);

			return now + 1 + (b + WHEEL - from) % WHEEL;
		}
	}
	return NEVER;
}

/* All of f's work is done and its registers are written. */
HOT void finish(struct sm *s, unsigned n, cycle now, bool listed)
{
	struct flight *f = &s->flight[n];
	unsigned w = f->u.warp;

	if (listed && s->front)
		rounds_retire(s, n);
	if (probing(s, PROBE_RETIRE))
		probe_flight(s, PROBE_RETIRE, n, 0, 0);
	if (listed && s->checked)
		checked_done(s, &f->u);
	for (unsigned i = 0; listed && s->ax.rename && i < f->u.ndst; i++)
		rename_written(s->ax.rename, w, f->u.dst[i]);
	s->released = f->u.insn;
	warp_release(s, &s->warp[w], f->d);
	flight_landed(s, n, now);
}

/* As list_fixed() in collector.c. */
static unsigned list_fixed(struct sm *s, unsigned n)
{
	const struct uop *u = &s->flight[n].u;
	const unsigned arrays = s->p->rf_partial_writes ? lane_arrays(s->p->rf_arrays, u->active) : s->p->rf_arrays;

	for (unsigned i = 0; i < u->ndst; i++)
		s->acc[n][i] = (struct bank_access){ .bank = s->banks->of[u->warp][u->dst[i]],
						     .write = true,
						     .arrays = (uint8_t)arrays,
						     .operands = (uint32_t)1 << i };
	s->st.rf_operand_writes += u->ndst;
	return u->ndst;
}

/* As the axes have it. */
RARE unsigned list_asked(struct sm *s, unsigned flight)
{
	const struct rf_config *rf = s->ax.rf;
	const struct flight *f = &s->flight[flight];
	struct bank_access *acc = s->acc[flight];
	unsigned nacc = 0;
	uint32_t dsts;
	struct extra x;

	x.n = 0;
	dsts = (uint32_t)(((uint64_t)1 << f->u.ndst) - 1);
	if (rf->hierarchy->write) {
		uint32_t all = dsts;

		dsts = rf->hierarchy->write(s->ax.hierarchy, &f->u, dsts, &x);
		s->exec.held &= ~bit(f->u.warp);
		if (s->checked)
			checked_levels(s, &f->u, all & ~dsts);
	}
	for (uint32_t m = dsts; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m), phys = physical(s, f->u.warp, f->u.dst[i]), n;

		s->st.rf_operand_writes++;
		n = rf->packing->write(s->ax.packing, &f->u, i, phys, acc + nacc);
		assert(n && n <= 2);
		for (unsigned j = 0; j < n; j++) {
			acc[nacc + j].write |= acc[nacc + j].operands != 0;
			if (rf->values->write && acc[nacc + j].write)
				rf->values->write(s->ax.values, &f->u, i, &acc[nacc + j]);
		}
		nacc += n;
	}
	for (unsigned i = 0; i < x.n; i++)
		acc[nacc++] = x.a[i];
	return nacc;
}

unsigned list_writes(struct sm *s, unsigned n)
{
	return s->banks && !s->watch.want ? list_fixed(s, n) : list_asked(s, n);
}

/* listed: writes are in s->acc. */
HOT void complete(struct sm *s, unsigned n, bool listed)
{
	struct flight *f = &s->flight[n];

	if (f->d->pipe == PIPE_MEM && (f->kind == KIND_LOAD || f->kind == KIND_ATOMIC) && f->nline &&
	    f->verdict != REUSE_HIT) {
		s->st.loads++;
		s->st.load_cycles += s->now - f->issued;
	}
	if (probing(s, PROBE_RESULT))
		probe_flight(s, PROBE_RESULT, n, 0, s->now - f->issued);
	f->acc_left = 0;
	f->held = f->more = false;
	if (!f->u.ndst || !f->u.active)
		return;
	if (!listed) {
		s->st.rf_operand_writes += f->u.ndst;
		f->acc_left = bit(f->u.ndst) - 1;
	} else if (s->front) {
		f->held = f->verdict != REUSE_HIT; /* asks as it comes to write */
	} else if (s->ax.rename && !rename_may_write(s->ax.rename, &f->u)) {
		/* It may move a register when it is written: no older instruction has yet to read it then. */
		f->held = true;
		s->st.war_waits++;
	} else {
		f->acc_left = bit(list_writes(s, n)) - 1;
	}
}

void complete_now(struct sm *s, unsigned n)
{
	complete(s, n, !s->banks);
	queue_push(&s->exec.writeback, n);
}

/* The port of a bank for this cycle, of which there may be one for reads and one for writes; false: another access has
 * it. */
HOT bool take_port(struct sm *s, unsigned bank, bool write)
{
	uint32_t b = (uint32_t)1 << bank, *taken = &s->read.taken[write & s->p->rf_read_write];

	if (*taken & b)
		return false;
	*taken |= b;
	return true;
}

static bool take_bank(struct sm *s, unsigned warp, uint32_t insn, const struct bank_access *a, unsigned waited)
{
	if (!take_port(s, a->bank, a->write))
		return false;
	if (a->write)
		count_write(s, a->arrays);
	else
		count_reads(s, 1, a->arrays);
	if (probing(s, PROBE_BANK))
		probe_access(s, warp, insn, a, waited);
	return true;
}

/* A write of a register: packers align it, if they have to. */
static bool is_packed(const struct sm *s, const struct bank_access *a)
{
	return a->write && a->operands && s->exec.packers != UINT_MAX;
}

/* One of the accesses that flight n has left: the write of that dst, if it has no list. */
HOT bool take_left(struct sm *s, unsigned n, unsigned acc, bool listed)
{
	const struct flight *f = &s->flight[n];
	unsigned bank;

	if (listed) {
		const struct bank_access *a = &s->acc[n][acc];

		if ((is_packed(s, a) && !s->exec.packers) || !take_bank(s, f->u.warp, f->u.insn, a, f->waited))
			return false;
		s->exec.packers -= is_packed(s, a);
		if (s->front && s->checked)
			checked_access(s, n, acc);
		else
			for (uint32_t m = a->write && s->checked ? a->operands : 0; m; m &= m - 1)
				checked_store(s, &f->u, a, (unsigned)__builtin_ctz(m));
		return true;
	}
	bank = s->banks->of[f->u.warp][f->u.dst[acc]];
	if (!take_port(s, bank, true))
		return false;
	count_write(s, s->p->rf_partial_writes ? lane_arrays(s->p->rf_arrays, f->u.active) : s->p->rf_arrays);
	if (probing(s, PROBE_BANK))
		probe_access(s, f->u.warp, f->u.insn, &(struct bank_access){ .bank = (uint16_t)bank, .write = true },
			     f->waited);
	return true;
}

/* What suspended warps held goes to the banks that no result is written to; that it waits for those is no conflict. */
static void flush_step(struct sm *s)
{
	for (uint64_t m = s->exec.flushing; m; m &= m - 1) {
		unsigned w = (unsigned)__builtin_ctzll(m), left = 0;
		struct extra *x = &s->exec.flush[w];

		for (unsigned i = 0; i < x->n; i++)
			if (!take_bank(s, w, s->warp[w].rec.insn, &x->a[i], 0))
				x->a[left++] = x->a[i];
		x->n = left;
		if (left)
			continue;
		s->exec.flushing &= ~bit(w);
		warp_try_end(s, w);
	}
	s->moved = true;
}

/* Of the accesses that found their bank taken in this cycle, those of an axis may be reads. */
static void count_waiting(struct sm *s, unsigned n)
{
	const struct flight *f = &s->flight[n];

	for (uint64_t m = f->acc_left; m; m &= m - 1) {
		const struct bank_access *a = s->banks ? NULL : &s->acc[n][__builtin_ctzll(m)];
		bool write = !a || a->write,
		     packer = a && is_packed(s, a) && !(s->read.taken[s->p->rf_read_write] >> a->bank & 1);

		s->st.packer_conflicts += packer && !f->waited;
		s->st.rf_write_conflicts += write && !packer && !f->waited;
		s->st.rf_bank_conflicts += !write && !f->waited;
		s->st.rf_conflict_cycles += !write;
		s->st.verify_conflict_cycles += !write && s->front;
	}
}

/* What flight n has left goes to the banks that are free. */
HOT void write_back(struct sm *s, unsigned n, cycle now, bool listed)
{
	struct flight *f = &s->flight[n];
	uint64_t left;

	if (listed && f->held && s->front) {
		rounds_next(s, n);
		if (f->held) {
			queue_push(&s->exec.writeback, n);
			return;
		}
	} else if (listed && f->held) {
		s->moved = true;
		if (!rename_may_write(s->ax.rename, &f->u)) {
			queue_push(&s->exec.writeback, n);
			return;
		}
		f->held = false;
		f->acc_left = bit(list_writes(s, n)) - 1;
	}
	left = f->acc_left;
	for (uint64_t m = left; m; m &= m - 1)
		if (take_left(s, n, (unsigned)__builtin_ctzll(m), listed))
			left ^= m & -m;
	f->acc_left = left;
	if (left) {
		count_waiting(s, n);
		f->waited++;
		queue_push(&s->exec.writeback, n);
	} else {
		if (listed && f->more)
			rounds_next(s, n);
		if (listed && f->more)
			queue_push(&s->exec.writeback, n);
		else
			finish(s, n, now, listed);
	}
	s->moved = true;
}

/* First what waited, then what completes in this cycle. Axes and watchers learn of all that complete before any is
 * written. */
void writeback_step(struct sm *s, cycle now)
{
	unsigned b = (unsigned)(now % WHEEL), waited, direct = NO_FLIGHT;

	s->read.taken[0] = s->read.taken[1] = 0;
	s->exec.packers = s->ax.rf->packing->packed ? s->p->packers : UINT_MAX;
	if (s->exec.wheel[b] == NO_FLIGHT && !s->exec.writeback.n && !s->exec.flushing)
		return;
	if (s->banks && !s->watch.want)
		direct = s->exec.wheel[b];
	else
		for (unsigned f = s->exec.wheel[b]; f != NO_FLIGHT; f = s->flight[f].next)
			complete_now(s, f);
	waited = s->exec.writeback.n;
	for (unsigned i = 0; i < waited; i++) {
		unsigned f = queue_pop(&s->exec.writeback);

		if (s->banks)
			write_back(s, f, now, false);
		else
			write_back(s, f, now, true);
	}
	while (direct != NO_FLIGHT) {
		unsigned f = direct;

		direct = s->flight[f].next;
		complete(s, f, false);
		write_back(s, f, now, false);
	}
	s->exec.wheel[b] = NO_FLIGHT;
	s->exec.wheel_used[b / 64] &= ~bit(b % 64);
	s->exec.bus[b] = 0;
	if (s->exec.flushing)
		flush_step(s);
}

static void note(struct sm *s, cycle at)
{
	if (at < s->timed)
		s->timed = at;
}

/* A free unit takes the first waiting instruction, if the result bus is free when its result comes. */
HOT void start(struct sm *s, unsigned pipe, unsigned unit, cycle now)
{
	struct collector_set *set = &s->read.set[pipe];
	unsigned n = set->oc_ex[0];
	struct flight *f = &s->flight[n];
	cycle result = now + f->d->latency + s->depth;

	if (s->exec.unit_free[pipe][unit] > now) {
		note(s, s->exec.unit_free[pipe][unit]);
		return;
	}
	if (s->exec.bus[result % WHEEL] >= s->p->ex_wb) {
		s->st.result_bus_stalls++;
		s->moved = true;
		return;
	}
	set->noc_ex--;
	for (unsigned i = 0; i < set->noc_ex; i++)
		set->oc_ex[i] = set->oc_ex[i + 1];
	s->exec.unit_free[pipe][unit] = now + f->d->interval;
	count_lanes(s, f);
	if (pipe == PIPE_SP)
		s->st.sp_instructions++;
	else
		s->st.sfu_instructions++;
	if (probing(s, PROBE_EXECUTE))
		probe_execute(s, n, unit, f->d->interval);
	complete_at(s, n, result, true);
	s->moved = true;
}

void execute_step(struct sm *s, cycle now)
{
	const bool memory = s->mem.flight != NO_FLIGHT || s->read.set[PIPE_MEM].noc_ex;

	if (!memory && !s->read.set[PIPE_SP].noc_ex && !s->read.set[PIPE_SFU].noc_ex)
		return;
	for (unsigned u = 0; s->read.set[PIPE_SP].noc_ex && u < s->p->units_sp; u++)
		start(s, PIPE_SP, u, now);
	for (unsigned u = 0; s->read.set[PIPE_SFU].noc_ex && u < s->p->units_sfu; u++)
		start(s, PIPE_SFU, u, now);
	if (memory)
		lsu_step(s, now);
}
