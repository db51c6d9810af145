/* Operand collection: collector units, bank queues and the arbiter.
 *
 * A unit takes an instruction and queues its bank accesses; each bank grants the oldest in its queue, one in a cycle, unless
 * a write has the bank's port or the unit's own ports are used up; a unit whose accesses are all granted may leave in a later
 * cycle. What an access is, and which operands it delivers, is the business of the hierarchy, packing and values axes. */
#include "runtime-model/sm.h"

#include <string.h>

static inline void read_done(struct sm *s, unsigned n)
{
	operands_read(s, &s->flight[n].u);
	if (probing(s, PROBE_READ))
		probe_flight(s, PROBE_READ, n, 0, 0);
}

static inline void queue_read(struct sm *s, unsigned bank, unsigned unit, unsigned pipe, unsigned acc, cycle now)
{
	struct bank_queue *q = &s->bank[bank];

	q->v[(q->head + q->n++) & q->mask] = (struct bank_read){ (uint8_t)unit, (uint8_t)pipe, (uint8_t)acc, (uint32_t)now };
	s->queued |= (uint32_t)1 << bank;
}

/* The accesses of flight n as the axes have them: how many. */
static unsigned list_reads(struct sm *s, unsigned n)
{
	const struct rf_config *rf = s->ax.rf;
	const struct flight *f = &s->flight[n];
	struct bank_access *acc = s->acc[n];
	uint16_t phys[UOP_SRC_MAX];
	uint32_t operands = (uint32_t)(((uint64_t)1 << f->u.nsrc) - 1);
	unsigned nacc;
	struct extra x;

	x.n = 0;
	if (operands && rf->hierarchy->read)
		operands = rf->hierarchy->read(s->ax.hierarchy, &f->u, &x);
	for (uint32_t m = operands; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		s->st.rf_operand_reads++;
		phys[i] = (uint16_t)physical(s, f->u.warp, f->u.src[i]);
	}
	nacc = operands ? rf->packing->read(s->ax.packing, &f->u, operands, phys, acc) : 0;
	for (unsigned i = 0; i < nacc; i++) {
		acc[i].write = false;
		if (rf->values->read)
			rf->values->read(s->ax.values, &f->u, &acc[i]);
	}
	for (unsigned i = 0; i < x.n; i++)
		acc[nacc++] = x.a[i];
	return nacc;
}

static void enter(struct sm *s, struct collector_set *set, unsigned pipe, cycle now)
{
	unsigned n = set->id_oc[0], unit = (unsigned)__builtin_ctzll(set->free), reads;
	const struct uop *u = &s->flight[n].u;

	set->nid_oc--;
	for (unsigned i = 0; i < set->nid_oc; i++)
		set->id_oc[i] = set->id_oc[i + 1];
	set->free &= ~bit(unit);
	set->unit[unit] = (uint16_t)n;
	if (probing(s, PROBE_COLLECT))
		probe_flight(s, PROBE_COLLECT, n, unit, 0);
	if (s->banks) {
		const uint8_t *bank = s->banks->of[u->warp];

		reads = u->nsrc;
		s->st.rf_operand_reads += reads;
		for (unsigned i = 0; i < reads; i++)
			queue_read(s, bank[u->src[i]], unit, pipe, i, now);
	} else {
		reads = list_reads(s, n);
		for (unsigned i = 0; i < reads; i++)
			queue_read(s, s->acc[n][i].bank, unit, pipe, i, now);
	}
	set->pending[unit] = (uint16_t)reads;
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

static void grant(struct sm *s, cycle now)
{
	uint8_t received[PIPE_COUNT][64];
	unsigned reads = 0, arrays = 0, conflicts = 0, waits = 0;
	const unsigned ports = s->p->oc_ports;

	if (ports)
		memset(received, 0, sizeof received);
	for (uint32_t m = s->queued & ~s->taken[0]; m; m &= m - 1) {
		unsigned b = (unsigned)__builtin_ctz(m), n, waited;
		struct bank_queue *q = &s->bank[b];
		struct bank_read r = q->v[q->head];
		struct collector_set *set = &s->set[r.set];
		const struct bank_access *a;

		n = set->unit[r.unit];
		a = s->banks ? NULL : &s->acc[n][r.acc];
		if (a && a->write ? s->taken[1] >> b & 1 : ports && received[r.set][r.unit]++ >= ports)
			continue;
		q->head = (q->head + 1) & q->mask;
		if (--q->n == 0) {
			q->head = 0;            /* begins anew, where the cache has it */
			s->queued &= ~((uint32_t)1 << b);
		}
		waited = (uint32_t)now - r.at - 1;
		if (s->probe)
			granted(s, &s->flight[n].u, a, b, waited);
		if (a && a->write) {
			count_write(s, a->arrays);
			s->st.rf_write_conflicts += waited != 0;
		} else {
			reads++;
			arrays += a ? a->arrays : s->p->rf_arrays;
			conflicts += waited != 0;
			waits += waited;
		}
		if (--set->pending[r.unit] == 0) {
			set->ready |= bit(r.unit);
			read_done(s, n);
		}
		s->moved = true;
	}
	count_reads(s, reads, arrays);
	s->st.rf_bank_conflicts += conflicts;
	s->st.rf_conflict_cycles += waits;
}

static void leave(struct sm *s, struct collector_set *set)
{
	uint64_t after = set->last == 63 ? 0 : set->ready & ~(uint64_t)0 << (set->last + 1);
	unsigned unit = (unsigned)__builtin_ctzll(after ? after : set->ready);

	set->oc_ex[set->noc_ex++] = set->unit[unit];
	set->ready &= ~bit(unit);
	set->free |= bit(unit);
	set->last = unit;
	s->moved = true;
	if (probing(s, PROBE_LEAVE))
		probe_flight(s, PROBE_LEAVE, set->unit[unit], unit, 0);
}

void collect_step(struct sm *s, cycle now)
{
	for (unsigned p = 0; p < PIPE_COUNT; p++) {
		struct collector_set *set = &s->set[p];

		for (unsigned i = 0; i < set->out && set->ready && set->noc_ex < set->oc_ex_max; i++)
			leave(s, set);
	}
	if (s->queued)
		grant(s, now);
	for (unsigned p = 0; p < PIPE_COUNT; p++) {
		struct collector_set *set = &s->set[p];

		for (unsigned i = 0; i < set->in && set->nid_oc && set->free; i++)
			enter(s, set, p, now);
	}
}
