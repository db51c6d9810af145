#include "passes/strand.h"
#include "runtime-model/sm/sm.h"

void probe_tell(const struct sm *s, const struct probe_event *e)
{
	for (const struct gpu_probe *p = s->g->job->probe; p; p = p->next)
		if (p->want >> e->kind & 1)
			p->event(p->ctx, e);
}

static struct probe_event of_flight(const struct sm *s, enum probe_kind kind, unsigned n, unsigned where,
				    uint64_t count)
{
	const struct flight *f = &s->flight[n];

	return (struct probe_event){
		.kind = kind,
		.sm = s->id,
		.warp = f->u.warp,
		.cta = s->warp[f->u.warp].cta,
		.insn = f->u.insn,
		.active = f->u.active,
		.at = s->now,
		.id = n,
		.where = where,
		.n = count,
		.move = f->u.move,
	};
}

void probe_flight(struct sm *s, enum probe_kind kind, unsigned n, unsigned where, uint64_t count)
{
	const struct probe_event e = of_flight(s, kind, n, where, count);

	probe_tell(s, &e);
}

void probe_execute(struct sm *s, unsigned n, unsigned unit, unsigned cycles)
{
	struct probe_event e = of_flight(s, PROBE_EXECUTE, n, s->flight[n].d->pipe, unit);

	e.cycles = cycles;
	probe_tell(s, &e);
}

void probe_issue(struct sm *s, unsigned n)
{
	const struct flight *f = &s->flight[n];
	const uint8_t strand = f->d->strand;
	const struct warp *w = &s->warp[f->u.warp];

	if (probing(s, PROBE_ISSUE))
		probe_tell(s, &(struct probe_event){
				      .kind = PROBE_ISSUE,
				      .sm = s->id,
				      .warp = f->u.warp,
				      .cta = w->cta,
				      .insn = f->u.insn,
				      .active = f->u.active,
				      .at = s->now,
				      .id = n,
				      .move = f->u.move,
				      .sig = w->rec.nsig && !f->u.move ? w->rec.sig : NULL,
				      .values = f->u.move ? NULL : w->rec.values,
			      });
	if (s->from_levels && s->flight[n].verdict != REUSE_HIT && probing(s, PROBE_LEVELS))
		levels_tell(s, n);
	if (strand && probing(s, PROBE_STRAND))
		probe_flight(s, PROBE_STRAND, n, strand & STRAND_CAUSE, (strand & STRAND_WAIT) != 0);
}

void probe_warp(struct sm *s, enum probe_kind kind, unsigned w, uint32_t insn, uint64_t count)
{
	probe_tell(s, &(struct probe_event){
			      .kind = kind,
			      .sm = s->id,
			      .warp = w,
			      .cta = s->warp[w].cta,
			      .insn = insn,
			      .at = s->now,
			      .n = count,
		      });
}

void probe_state(struct sm *s, unsigned w, enum stall why)
{
	probe_tell(s, &(struct probe_event){
			      .kind = PROBE_STATE,
			      .sm = s->id,
			      .warp = w,
			      .cta = s->warp[w].cta,
			      .insn = s->warp[w].rec.insn,
			      .at = s->now,
			      .why = why,
		      });
}

void probe_slot(struct sm *s, unsigned scheduler, cycle from, uint64_t count)
{
	const struct slot_use *u = &s->slot[scheduler];

	probe_tell(s, &(struct probe_event){
			      .kind = PROBE_SLOT,
			      .sm = s->id,
			      .warp = u->warp,
			      .cta = u->cta,
			      .insn = u->insn,
			      .at = from,
			      .where = scheduler,
			      .n = count,
			      .why = u->why,
		      });
}

void probe_access(struct sm *s, unsigned w, uint32_t insn, const struct bank_access *a, uint64_t waited)
{
	probe_tell(s, &(struct probe_event){
			      .kind = PROBE_BANK,
			      .sm = s->id,
			      .warp = w,
			      .cta = s->warp[w].cta,
			      .insn = insn,
			      .at = s->now,
			      .where = a->bank,
			      .n = waited,
			      .write = a->write,
		      });
}

void probe_sample_sm(struct sm *s)
{
	cycle upto = s->watch.sample_at;

	s->watch.sample_at = probe_interval_end(s->g->job, upto);
	probe_sample(s->g->job, s->id, upto, false, &s->st);
}
