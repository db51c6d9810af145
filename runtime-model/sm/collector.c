/* Operand collection: collector units, bank queues and the arbiter.
 *
 * A unit takes an instruction and queues its bank accesses; each bank grants the oldest in its queue, one in a cycle,
 * unless a write has the bank's port or the unit's own ports are used up; a unit whose accesses are all granted may
 * leave in a later cycle. What an access is, and which operands it delivers, is the business of the hierarchy, packing
 * and values axes. The upper levels of a hierarchy have been asked at issue (levels.c); their operands come when a bank
 * without conflict would deliver. */
#include "runtime-model/sm/sm.h"

#include <string.h>

HOT void read_done(struct sm *s, unsigned n)
{
	operands_read(s, &s->flight[n].u);
	if (probing(s, PROBE_READ))
		probe_flight(s, PROBE_READ, n, 0, 0);
}

HOT void queue_read(struct sm *s, unsigned bank, uint64_t read)
{
	struct bank_queue *q = &s->read.bank[bank];

	q->v[(q->head + q->n++) & q->mask] = read;
	s->read.queued |= (uint32_t)1 << bank;
}

/* One of the reads that this unit waits for with flight n is done. */
HOT void received(struct sm *s, unsigned unit, unsigned n)
{
	if (--s->read.reading[unit] == 0) {
		s->read.set[unit / 64].ready |= bit(unit % 64);
		read_done(s, n);
	}
}

/* A read that must wait for its mapping joins the queue as if its unit had been filled then. */
static void queue_listed(struct sm *s, const struct bank_access *a, uint64_t read)
{
	if (!a->delay) {
		queue_read(s, a->bank, read);
		return;
	}
	s->read.late[s->read.nlate++] = (struct late_read){ read, a->bank };
}

static void queue_late(struct sm *s, cycle now)
{
	unsigned left = 0;

	for (unsigned i = 0; i < s->read.nlate; i++) {
		if (READ_AT(s->read.late[i].read) != (uint32_t)now)
			s->read.late[left++] = s->read.late[i];
		else if (s->read.late[i].bank != NO_BANK)
			queue_read(s, s->read.late[i].bank, s->read.late[i].read);
		else
			received(s, READ_UNIT(s->read.late[i].read), s->read.unit[READ_UNIT(s->read.late[i].read)]);
	}
	s->read.nlate = left;
	s->moved = true;
}

/* Where banks are fixed: each operand is an access. */
static unsigned list_fixed(struct sm *s, unsigned n, uint32_t among)
{
	const struct uop *u = &s->flight[n].u;
	unsigned nacc = 0;

	for (uint32_t m = among; m; m &= m - 1)
		s->acc[n][nacc++] = (struct bank_access){ .bank = s->banks->of[u->warp][u->src[__builtin_ctz(m)]],
							  .arrays = (uint8_t)s->p->rf_arrays,
							  .operands = m & -m };
	s->st.rf_operand_reads += nacc;
	return nacc;
}

/* As the axes have it. */
RARE unsigned list_asked(struct sm *s, unsigned n, uint32_t among)
{
	const struct rf_config *rf = s->ax.rf;
	const struct flight *f = &s->flight[n];
	const struct asked *asked = s->from_levels ? &s->from_levels[n] : NULL;
	const unsigned extras = asked ? asked->extras : 0;
	struct bank_access *acc = s->acc[n], extra[EXTRA_MAX];
	uint16_t phys[UOP_SRC_MAX];
	uint32_t operands = asked ? asked->from_main & among : among, nothing = operands;
	unsigned nacc;

	memcpy(extra, acc, extras * sizeof *extra);
	for (uint32_t m = operands; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		s->st.rf_operand_reads++;
		phys[i] = (uint16_t)(s->front ? rf->reuse->physical(s->ax.reuse, &f->u, i)
					      : physical(s, f->u.warp, f->u.src[i]));
		if (s->front && phys[i] == NO_REGISTER) {
			s->st.unmapped_reads++;
			operands &= ~((uint32_t)1 << i);
		}
	}
	nacc = operands ? rf->packing->read(s->ax.packing, &f->u, operands, phys, acc) : 0;
	for (unsigned i = 0; i < nacc; i++) {
		acc[i].write = false;
		nothing &= ~acc[i].operands;
		if (rf->values->read)
			rf->values->read(s->ax.values, &f->u, &acc[i]);
	}
	sources_read(s, n, nothing, READ_NOTHING, NULL);
	memcpy(acc + nacc, extra, extras * sizeof *extra);
	return nacc + extras;
}

unsigned list_reads(struct sm *s, unsigned n, uint32_t among)
{
	return s->banks && !s->watch.want ? list_fixed(s, n, among) : list_asked(s, n, among);
}

HOT void enter(struct sm *s, unsigned pipe, cycle now)
{
	struct collector_set *set = &s->read.set[pipe];
	unsigned n = set->id_oc[0], unit = (unsigned)__builtin_ctzll(set->free), reads;
	const struct uop *u = &s->flight[n].u;
	const unsigned at = pipe * 64 + unit;

	set->nid_oc--;
	for (unsigned i = 0; i < set->nid_oc; i++)
		set->id_oc[i] = set->id_oc[i + 1];
	set->free &= ~bit(unit);
	s->read.unit[at] = (uint16_t)n;
	if (probing(s, PROBE_COLLECT))
		probe_flight(s, PROBE_COLLECT, n, unit, 0);
	if (s->banks) {
		const uint8_t *bank = s->banks->of[u->warp];

		reads = u->nsrc;
		s->st.rf_operand_reads += reads;
		for (unsigned i = 0; i < reads; i++)
			queue_read(s, bank[u->src[i]], READ_WORD(at, i, (uint32_t)now));
	} else {
		reads = list_reads(s, n, all_sources(u));
		for (unsigned i = 0; i < reads; i++)
			queue_listed(s, &s->acc[n][i], READ_WORD(at, i, (uint32_t)now + s->acc[n][i].delay));
		if (s->from_levels && s->from_levels[n].port_cycles) {
			s->read.late[s->read.nlate++] =
				(struct late_read){ READ_WORD(at, 0, (uint32_t)now + s->from_levels[n].port_cycles),
						    NO_BANK };
			reads++;
		}
	}
	s->read.reading[at] = (uint8_t)reads;
	if (!reads) {
		set->ready |= bit(unit);
		read_done(s, n);
	}
	s->moved = true;
}

static void granted(struct sm *s, const struct uop *u, const struct bank_access *a, unsigned bank, unsigned waited)
{
	struct bank_access plain = { .bank = (uint16_t)bank };

	if (probing(s, PROBE_BANK))
		probe_access(s, u->warp, u->insn, a ? a : &plain, waited);
}

/* listed: s->acc says what the accesses are. */
HOT void grant(struct sm *s, cycle now, bool listed)
{
	uint8_t ports_used[PIPE_COUNT * 64];
	unsigned reads = 0, arrays = 0, conflicts = 0, waits = 0;
	const unsigned ports = s->p->oc_ports;

	if (ports)
		memset(ports_used, 0, sizeof ports_used);
	for (uint32_t m = s->read.queued & ~s->read.taken[0]; m; m &= m - 1) {
		unsigned b = (unsigned)__builtin_ctz(m), n, waited;
		struct bank_queue *q = &s->read.bank[b];
		uint64_t r = q->v[q->head];
		const unsigned unit = READ_UNIT(r);
		const struct bank_access *a;

		n = s->read.unit[unit];
		a = listed ? &s->acc[n][READ_ACC(r)] : NULL;
		if (listed && a->write ? s->read.taken[1] >> b & 1 : ports && ports_used[unit]++ >= ports)
			continue;
		q->head = (q->head + 1) & q->mask;
		if (--q->n == 0) {
			q->head = 0; /* begins anew, where the cache has it */
			s->read.queued &= ~((uint32_t)1 << b);
		}
		waited = (uint32_t)now - READ_AT(r) - 1;
		if (s->watch.want)
			granted(s, &s->flight[n].u, a, b, waited);
		if (listed && a->write) {
			count_write(s, a->arrays);
			s->st.rf_write_conflicts += waited != 0;
		} else {
			reads++;
			arrays += listed ? a->arrays : s->p->rf_arrays;
			conflicts += waited != 0;
			waits += waited;
			if (listed)
				sources_read(s, n, a->operands, READ_STORED, a);
		}
		received(s, unit, n);
		s->moved = true;
	}
	count_reads(s, reads, arrays);
	if (!waits)
		return;
	s->st.rf_bank_conflicts += conflicts;
	s->st.rf_conflict_cycles += waits;
}

HOT void leave(struct sm *s, unsigned pipe)
{
	struct collector_set *set = &s->read.set[pipe];
	unsigned unit = round_robin(set->ready, set->last), n = s->read.unit[pipe * 64 + unit];

	set->oc_ex[set->noc_ex++] = (uint16_t)n;
	set->ready &= ~bit(unit);
	set->free |= bit(unit);
	set->last = unit;
	s->moved = true;
	if (probing(s, PROBE_LEAVE))
		probe_flight(s, PROBE_LEAVE, n, unit, 0);
}

HOT void leave_ready(struct sm *s, unsigned pipe)
{
	struct collector_set *set = &s->read.set[pipe];

	for (unsigned i = 0; set->ready && i < set->out && set->noc_ex < set->oc_ex_max; i++)
		leave(s, pipe);
}

HOT void enter_waiting(struct sm *s, unsigned pipe, cycle now)
{
	struct collector_set *set = &s->read.set[pipe];

	for (unsigned i = 0; set->nid_oc && i < set->in && set->free; i++)
		enter(s, pipe, now);
}

/* Units that all pipelines share are given to them in turn. */
static void enter_shared(struct sm *s, cycle now)
{
	unsigned entered[PIPE_COUNT] = { 0 }, idle = 0, left = s->p->collectors;

	for (unsigned p = 0; p < PIPE_COUNT; p++)
		left -= s->read.set[p].units - (unsigned)__builtin_popcountll(s->read.set[p].free);
	for (unsigned p = s->read.pool_turn; left && idle < PIPE_COUNT; p = (p + 1) % PIPE_COUNT) {
		struct collector_set *set = &s->read.set[p];

		idle++;
		if (!set->nid_oc || !set->free || entered[p] == set->in)
			continue;
		enter(s, p, now);
		entered[p]++;
		left--;
		idle = 0;
		s->read.pool_turn = (p + 1) % PIPE_COUNT;
	}
}

void collect_step(struct sm *s, cycle now)
{
	leave_ready(s, PIPE_SP);
	leave_ready(s, PIPE_SFU);
	leave_ready(s, PIPE_MEM);
	if (s->read.queued && s->banks)
		grant(s, now, false);
	else if (s->read.queued)
		grant(s, now, true);
	if (!s->banks && s->read.nlate)
		queue_late(s, now);
	if (s->p->collectors) {
		enter_shared(s, now);
		return;
	}
	enter_waiting(s, PIPE_SP, now);
	enter_waiting(s, PIPE_SFU, now);
	enter_waiting(s, PIPE_MEM, now);
}
