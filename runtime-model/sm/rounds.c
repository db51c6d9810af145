/* What the results of an instruction do to the banks under a reuse that renames, round by round: the reuse axis lists
 * accesses, they are served like any others of write-back, and it is asked again: a verifying read may find another
 * value, which is then written; a dummy move writes what it has read. When it is done the instruction retires. No
 * register may be free: the results wait then, and ask again in each cycle behind one in which something has happened,
 * as nothing else can free one. */
#include "runtime-model/sm/sm.h"

/* The access of one of u's results. */
static struct bank_access access_of(const struct sm *s, const struct uop *u, const struct reuse_access *how)
{
	const struct values_ops *values = s->ax.rf->values;
	const bool write = how->kind == REUSE_WRITE || how->kind == REUSE_MOVE_WRITE;
	struct bank_access a = {
		.bank = (uint16_t)(how->phys % s->p->rf_banks),
		.entry = (uint16_t)(how->phys / s->p->rf_banks),
		.write = write,
		.arrays = (uint8_t)(write && s->p->rf_partial_writes ? lane_arrays(s->p->rf_arrays, how->lanes)
								     : s->p->rf_arrays),
	};

	if (how->kind == REUSE_WRITE)
		a.operands = (uint32_t)1 << how->dst;
	if (how->kind == REUSE_WRITE && values->write)
		values->write(s->ax.values, u, how->dst, &a);
	else if (how->kind != REUSE_WRITE && values->compare)
		values->compare(s->ax.values, u, how, &a);
	return a;
}

void rounds_next(struct sm *s, unsigned flight)
{
	struct flight *f = &s->flight[flight];
	struct reuse_round *round = &s->round[flight];
	enum reuse_progress how;

	round->n = 0;
	how = s->ax.rf->reuse->round(s->ax.reuse, &f->u, round);
	f->more = how != ROUND_DONE;
	f->held = how == ROUND_WAIT;
	f->waited = 0;
	f->acc_left = 0;
	if (how != ROUND_ACCESS)
		return;
	assert(round->n && round->n <= REUSE_ROUND_MAX);
	for (unsigned i = 0; i < round->n; i++) {
		s->acc[flight][i] = access_of(s, &f->u, &round->a[i]);
		s->st.rf_operand_writes += round->a[i].kind == REUSE_WRITE;
	}
	f->acc_left = bit(round->n) - 1;
}

void rounds_retire(struct sm *s, unsigned flight)
{
	s->ax.rf->reuse->retire(s->ax.reuse, &s->flight[flight].u);
	if (s->checked)
		checked_mapped(s, flight);
}

void reuse_fault(const struct axes *ax, const struct uop *u, const char *wrong)
{
	struct sm *s = ax->sm;

	if (!s->take.fault.there)
		s->take.fault =
			(struct fault){ .there = true, .at = s->now, .warp = u->warp, .insn = u->insn, .bug = wrong };
	s->take.failed = true;
}

void reuse_race(const struct axes *ax, const struct uop *u, uint32_t insn, unsigned warp, uint64_t cta, uint64_t at,
		bool ordered)
{
	const struct sm *s = ax->sm;

	if (s)
		races_add(s->races,
			  &(struct race){ .k = s->g->k,
					  .kind = ordered ? RACE_ORDER : RACE_DATA,
					  .times = 1,
					  .was = { insn, warp % s->g->warps_per_cta, cta, at },
					  .is = { u->insn, s->warp[u->warp].in_cta, s->warp[u->warp].cta, s->now } });
}
