/* The core of today: its making, and one cycle of it. */
#include "runtime-model/sm/subcore.h"

struct subcore *subcore_new(struct sm *s)
{
	struct arena *a = &s->g->a;
	struct subcore *c = new(a, struct subcore);

	s->sub = c;
	c->insn = s->g->sub_code.insn;
	c->move = (struct sub_insn){
		.code = { .stall = 1, .yield = 1, .wbar = BOARDS + 1, .rbar = BOARDS + 1 },
		.unit = SUB_ALU,
		.refused = STALL_MATH,
		.latency = 4,
		.interval = (uint16_t)s->p->alu_cycles,
	};
	for (unsigned i = 0; i < UOP_SRC_MAX; i++)
		c->move.slot[i] = SLOT_NONE;
	c->readers = arena_alloc(a, WARPS_MAX * sizeof *c->readers, 1);
	if (s->p->dependences)
		c->recent = arena_alloc_raw(a, WARPS_MAX, sizeof *c->recent, _Alignof(struct recent));
	for (unsigned i = 0; i < s->p->schedulers; i++) {
		struct sub *k = &c->sub[i];

		k->id = i;
		k->control = k->alloc = NO_FLIGHT;
		k->last = WARPS_MAX;
		for (unsigned j = 0; j < PORT_CYCLES; j++)
			k->port[j].at = NEVER;
		queue_init(&k->results, FLIGHTS, a);
		queue_init(&k->late, FLIGHTS, a);
	}
	subcore_fetch_init(s);
	subcore_memory_init(s);
	return c;
}

/* Stages from the last to the first, so that each sees what the one behind it left. One that has nothing to do is left
 * out. */
void subcore_step(struct sm *s, cycle now)
{
	struct subcore *c = s->sub;

	if (c->next_coming <= now)
		subcore_coming(s, now);
	sub_note(s, c->next_coming);
	if (s->exec.wheel[now % WHEEL] != NO_FLIGHT || c->writing || s->exec.flushing)
		subcore_write(s, now);
	if (c->sending != NO_FLIGHT || c->memory_at <= now)
		subcore_memory(s, now);
	sub_note(s, c->memory_at > c->shared_free ? c->memory_at : c->shared_free);
	if (c->reading)
		subcore_read(s, now);
	if (c->nreader)
		subcore_readers(s, now);
	if (s->front)
		front_step(s);
	subcore_issue(s, now);
	subcore_fetch(s, now);
	if (c->raisers)
		subcore_raised(s);
}
