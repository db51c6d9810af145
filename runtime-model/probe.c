#include "runtime-model/sm.h"

void probe_flight(struct sm *s, enum probe_kind kind, unsigned n, unsigned where, uint64_t count, bool write)
{
	const struct flight *f = &s->flight[n];
	const struct gpu_probe *p = s->g->job->probe;

	p->event(p->ctx, &(struct probe_event){
		.kind = kind, .sm = s->id, .warp = f->u.warp, .cta = s->warp[f->u.warp].cta, .insn = f->u.insn, .active = f->u.active,
		.at = s->now, .id = n, .where = where, .n = count, .move = f->u.move, .write = write,
	});
}

void probe_warp(struct sm *s, enum probe_kind kind, unsigned w, uint32_t insn, uint64_t count)
{
	const struct gpu_probe *p = s->g->job->probe;

	p->event(p->ctx, &(struct probe_event){
		.kind = kind, .sm = s->id, .warp = w, .cta = s->warp[w].cta, .insn = insn, .at = s->now, .n = count,
	});
}

void probe_slot(struct sm *s, unsigned scheduler, cycle from, uint64_t count)
{
	const struct gpu_probe *p = s->g->job->probe;
	struct slot_use *u = &s->slot[scheduler];

	p->event(p->ctx, &(struct probe_event){
		.kind = PROBE_SLOT, .sm = s->id, .warp = u->warp, .cta = u->cta, .insn = u->insn, .at = from, .where = scheduler,
		.n = count, .why = u->why,
	});
}
