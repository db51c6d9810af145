/* What each resident warp does in each cycle, for watchers: it issues, waits for one reason, or could issue but is not
 * chosen.
 *
 * A cycle belongs to the state in which the warp's scheduler finds the warp at its turn. So a change counts from this
 * cycle on if the turn is still to come, else from the next; a warp that leaves has spent the cycle in which it does.
 * Within the state READY, cycles in which the warp was offered and refused are counted one by one. */
#include "runtime-model/sm/sm.h"

#include <string.h>

struct probe_wait {
	cycle since; /* the state; the instruction */
	cycle launched;
	uint32_t insn;              /* the next one to issue; while a barrier or fence holds the warp, that */
	enum stall why;             /* of the last refusal, */
	cycle tried;                /* in the cycle before this one */
	cycle refused[STALL_COUNT]; /* of the cycles since `since`, */
	cycle refusals;             /* and their sum */
};

struct probe_wait *probe_wait_new(struct arena *a) { return new_array(a, struct probe_wait, WARPS_MAX); }

uint32_t probe_insn(const struct sm *s, unsigned w) { return s->watch.wait[w].insn; }

static void tell(struct sm *s, unsigned w, enum stall why, cycle n, uint32_t producer)
{
	const struct probe_wait *x = &s->watch.wait[w];

	if (n && probing(s, PROBE_WAIT))
		probe_tell(s, &(struct probe_event){
				      .kind = PROBE_WAIT,
				      .sm = s->id,
				      .warp = w,
				      .cta = s->warp[w].cta,
				      .insn = x->insn,
				      .producer = producer,
				      .at = x->since,
				      .n = n,
				      .why = why,
			      });
}

/* The cycles of a READY warp up to `upto`. */
static void tell_ready(struct sm *s, unsigned w, cycle upto)
{
	struct probe_wait *x = &s->watch.wait[w];

	tell(s, w, STALL_ISSUED, upto - x->since - x->refusals, PROBE_NO_INSN);
	if (!x->refusals)
		return;
	for (unsigned i = 0; i < STALL_COUNT; i++)
		tell(s, w, (enum stall)i, x->refused[i], PROBE_NO_INSN);
	memset(x->refused, 0, sizeof x->refused);
	x->refusals = 0;
}

static void tell_state(struct sm *s, unsigned w, enum warp_state st, cycle upto)
{
	bool producer = st != WARP_REGISTERS && st != WARP_BARRIER && st != WARP_FETCH && st != WARP_FLUSH;

	if (upto <= s->watch.wait[w].since)
		return;
	if (st == WARP_READY)
		tell_ready(s, w, upto);
	else
		tell(s, w, state_stall(s, st), upto - s->watch.wait[w].since, producer ? s->released : PROBE_NO_INSN);
	s->watch.wait[w].since = upto;
}

void probe_wait_start(struct sm *s, unsigned w)
{
	s->watch.wait[w] = (struct probe_wait){ .since = s->now, .launched = s->now, .insn = s->warp[w].rec.insn };
}

void probe_wait_state(struct sm *s, unsigned w, enum warp_state from)
{
	tell_state(s, w, from, s->now + (s->warp[w].scheduler < s->turn));
	s->watch.wait[w].insn = s->warp[w].rec.insn;
}

void probe_wait_leave(struct sm *s, unsigned w)
{
	if (s->watch.wait[w].launched < s->now)
		tell_state(s, w, (enum warp_state)s->warp[w].state, s->now + 1);
}

void probe_wait_all(struct sm *s)
{
	for (uint64_t m = s->live; m; m &= m - 1) {
		unsigned w = (unsigned)__builtin_ctzll(m);

		tell_state(s, w, (enum warp_state)s->warp[w].state, s->accounted);
	}
}

void probe_issued(struct sm *s, unsigned w)
{
	tell_state(s, w, WARP_READY, s->now);
	s->watch.wait[w].since = s->now + 1;
}

void probe_next(struct sm *s, unsigned w, uint32_t issued)
{
	s->watch.wait[w].insn = s->warp[w].state == WARP_FENCE ? issued : s->warp[w].rec.insn;
}

void probe_refused(struct sm *s, unsigned w, enum stall why)
{
	struct probe_wait *x = &s->watch.wait[w];

	x->refused[why]++;
	x->refusals++;
	x->why = why;
	x->tried = s->now + 1;
}

void probe_idle(struct sm *s, cycle n)
{
	for (uint64_t m = s->in_state[WARP_READY]; m; m &= m - 1) {
		struct probe_wait *x = &s->watch.wait[__builtin_ctzll(m)];

		if (x->tried == s->accounted) {
			x->refused[x->why] += n;
			x->refusals += n;
			x->tried += n;
		}
	}
}
