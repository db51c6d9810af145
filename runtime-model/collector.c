/* Operand collection: collector units, bank queues and the arbiter.
 *
 * A unit takes an instruction and queues its bank accesses; each bank grants the oldest in its queue, one in a cycle, unless
 * a write has the bank's port or the unit's own ports are used up; a unit whose accesses are all granted may leave in a later
 * cycle. What an access is, and which operands it delivers, is the business of the hierarchy, packing and values axes. */
#include "runtime-model/sm.h"

#include <string.h>

static void read_done(struct sm *s, unsigned n)
{
	operands_read(s, &s->flight[n].u);
	if (probing(s, PROBE_READ))
		probe_flight(s, PROBE_READ, n, 0, 0);
}

static void enter(struct sm *s, struct collector_set *set, unsigned pipe, cycle now)
{
	const struct rf_config *rf = s->ax.rf;
	unsigned n = set->id_oc[0], unit = (unsigned)__builtin_ctzll(set->free);
	struct flight *f = &s->flight[n];
	uint16_t phys[UOP_SRC_MAX];
	uint32_t operands;
	struct extra x;

	set->nid_oc--;
	for (unsigned i = 0; i < set->nid_oc; i++)
		set->id_oc[i] = set->id_oc[i + 1];
	set->free &= ~bit(unit);
	set->unit[unit] = (uint16_t)n;
	if (probing(s, PROBE_COLLECT))
		probe_flight(s, PROBE_COLLECT, n, unit, 0);
	x.n = 0;
	operands = (uint32_t)(((uint64_t)1 << f->u.nsrc) - 1);
	if (operands && rf->hierarchy->read)
		operands = rf->hierarchy->read(s->ax.hierarchy, &f->u, &x);
	for (uint32_t m = operands; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		s->st.rf_operand_reads++;
		phys[i] = (uint16_t)physical(s, f->u.warp, f->u.src[i]);
	}
	f->nacc = (uint8_t)(operands ? rf->packing->read(s->ax.packing, &f->u, operands, phys, f->acc) : 0);
	for (unsigned i = 0; i < f->nacc; i++) {
		f->acc[i].write = false;
		if (rf->values->read)
			rf->values->read(s->ax.values, &f->u, &f->acc[i]);
	}
	for (unsigned i = 0; i < x.n; i++)
		f->acc[f->nacc++] = x.a[i];
	set->pending[unit] = f->nacc;
	if (!f->nacc) {
		set->ready |= bit(unit);
		read_done(s, n);
	}
	for (unsigned i = 0; i < f->nacc; i++) {
		struct bank_queue *q = &s->bank[f->acc[i].bank];

		q->v[(q->head + q->n++) & q->mask] = (struct bank_read){ (uint16_t)unit, (uint16_t)pipe, (uint16_t)i, (uint32_t)now };
		s->queued |= (uint32_t)1 << f->acc[i].bank;
	}
	s->moved = true;
}

static void grant(struct sm *s, cycle now)
{
	uint8_t received[PIPE_COUNT][64];

	if (s->p->oc_ports)
		memset(received, 0, sizeof received);
	for (uint32_t m = s->queued & ~s->taken[0]; m; m &= m - 1) {
		unsigned b = (unsigned)__builtin_ctz(m), waited;
		struct bank_queue *q = &s->bank[b];
		struct bank_read r = q->v[q->head];
		struct collector_set *set = &s->set[r.set];
		struct flight *f = &s->flight[set->unit[r.unit]];

		if (f->acc[r.acc].write ? s->taken[1] >> b & 1 : s->p->oc_ports && received[r.set][r.unit]++ >= s->p->oc_ports)
			continue;
		q->head = (q->head + 1) & q->mask;
		if (--q->n == 0) {
			q->head = 0;            /* begins anew, where the cache has it */
			s->queued &= ~((uint32_t)1 << b);
		}
		waited = (uint32_t)now - r.at - 1;
		count_access(s, &f->acc[r.acc]);
		if (probing(s, PROBE_BANK))
			probe_access(s, f->u.warp, f->u.insn, &f->acc[r.acc], waited);
		if (f->acc[r.acc].write) {
			s->st.rf_write_conflicts += waited != 0;
		} else {
			s->st.rf_bank_conflicts += waited != 0;
			s->st.rf_conflict_cycles += waited;
		}
		if (--set->pending[r.unit] == 0) {
			set->ready |= bit(r.unit);
			read_done(s, set->unit[r.unit]);
		}
		s->moved = true;
	}
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
