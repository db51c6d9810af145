/* The hierarchy axis in the SM: upper levels of the register file, which are read as an instruction issues, and given
 * up when two-level scheduling demotes a warp (Gebhart et al., TOCS 2012, sections 4.1 and 4.6). What each level holds
 * is the business of the axis; when its operands come to the collector, and what goes to the banks, is decided here. */
#include "passes/strand.h"
#include "runtime-model/sm/sm.h"

#include <string.h>

/* of an upper level, each 32 lanes wide (section 4.5) */
enum { READ_PORTS = 3 };

bool levels_hazard(const struct sm *s, const struct uop *u)
{
	const struct hierarchy_ops *ops = s->ax.rf->hierarchy;

	return ops->hazard && ops->hazard(s->ax.hierarchy, u);
}

/* The levels of one instruction are read side by side. */
static uint8_t port_cycles(unsigned l1, unsigned l0)
{
	return (uint8_t)(((l1 > l0 ? l1 : l0) + READ_PORTS - 1) / READ_PORTS);
}

void levels_issue(struct sm *s, unsigned n)
{
	const struct hierarchy_ops *ops = s->ax.rf->hierarchy;
	const uint64_t l1 = s->st.rf_l1_reads, l0 = s->st.rf_l0_reads;
	const struct flight *f = &s->flight[n];
	uint32_t sources = all_sources(&f->u);
	struct asked *asked;
	struct extra x;

	s->st.strands += (f->d->strand & STRAND_BEGIN) != 0;
	s->st.strand_waits += (f->d->strand & STRAND_WAIT) != 0;
	if (!s->from_levels)
		return;
	asked = &s->from_levels[n];
	x.n = 0;
	asked->from_main = ops->read(s->ax.hierarchy, &f->u, &x);
	assert(!(asked->from_main & ~sources));
	asked->l1 = (uint8_t)(s->st.rf_l1_reads - l1);
	asked->l0 = (uint8_t)(s->st.rf_l0_reads - l0);
	asked->port_cycles = port_cycles(asked->l1, asked->l0);
	asked->extras = (uint8_t)x.n;
	memcpy(s->acc[n], x.a, x.n * sizeof *x.a);
	if (s->checked)
		checked_latched(s, n);
	sources_read(s, n, sources & ~asked->from_main, READ_ELSEWHERE, NULL);
}

void levels_tell(struct sm *s, unsigned n)
{
	const struct asked *asked = &s->from_levels[n];
	const struct uop *u = &s->flight[n].u;

	probe_tell(s, &(struct probe_event){
			      .kind = PROBE_LEVELS,
			      .sm = s->id,
			      .warp = u->warp,
			      .cta = s->warp[u->warp].cta,
			      .insn = u->insn,
			      .active = u->active,
			      .at = s->now,
			      .id = n,
			      .level = { [LEVEL_MRF] = (uint8_t)__builtin_popcount(asked->from_main),
					 [LEVEL_L1] = asked->l1,
					 [LEVEL_L0] = asked->l0 },
			      .move = u->move,
		      });
}

/* Where the compiler places operands a warp is descheduled by the bit of an instruction. What a path owes that waits
 * for other lanes is no part of what the compiler knows of the path that goes on (engine/spin.c), so that one may wait
 * at any instruction: it does in its place. */
bool levels_keep_place(const struct sm *s, unsigned w)
{
	const struct warp *x = &s->warp[w];

	return x->state == WARP_LONG && x->rec.apart && s->ax.rf->hierarchy->waits && s->p->rf_flush &&
	       !(x->next->strand & STRAND_WAIT);
}

/* What the warp held goes to the banks: flush_step in execute.c. */
void levels_suspend(struct sm *s, unsigned w)
{
	const struct hierarchy_ops *ops = s->ax.rf->hierarchy;
	unsigned flushed = 0;

	s->st.suspensions++;
	if (s->checked && ops->waits && s->p->rf_flush && s->warp[w].state == WARP_LONG &&
	    !(s->warp[w].next->strand & STRAND_WAIT))
		checked_no_strand(s, w);
	/* a warp that is being suspended has not issued since */
	if (ops->suspend && s->p->rf_flush && !(s->exec.flushing & bit(w)) &&
	    !(s->p->rf_flush == 2 && s->warp[w].state == WARP_BARRIER)) {
		s->exec.flush[w].n = 0;
		ops->suspend(s->ax.hierarchy, w, &s->exec.flush[w]);
		flushed = s->exec.flush[w].n;
	}
	if (flushed)
		s->exec.flushing |= bit(w);
	if (probing(s, PROBE_SUSPEND))
		probe_warp(s, PROBE_SUSPEND, w, s->warp[w].rec.insn, flushed);
}

void extra_write_back(struct extra *x, const struct axes *ax, unsigned warp, unsigned reg, uint32_t lanes,
		      const uint32_t value[WARP_LANES])
{
	const struct rf_config *rf = ax->rf;
	struct uop u = { .warp = (uint16_t)warp,
			 .ndst = 1,
			 .dst = { (uint8_t)reg },
			 .active = lanes,
			 .missing = ax->sm->warp[warp].missing };
	struct bank_access a[2];
	unsigned n;

	if (ax->sm->checked)
		u.dst_value = (const uint32_t(*)[WARP_LANES])(const void *)value;
	n = rf->packing->write(ax->packing, &u, 0, physical(ax->sm, warp, reg), a);
	assert(n && n <= 2);
	for (unsigned i = 0; i < n; i++) {
		bool write = a[i].write || a[i].operands;

		if (rf->values->write && write)
			rf->values->write(ax->values, &u, 0, &a[i]);
		if (ax->sm->checked && write)
			checked_store(ax->sm, &u, &a[i], 0);
		extra_add(x, a[i], write);
	}
}
