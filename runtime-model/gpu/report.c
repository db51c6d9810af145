/* Where the warps of a model stand that makes no progress, or was stopped: which wait, at which instruction, for what,
 * and who holds it. */
#include "runtime-model/gpu/private.h"
#include "runtime-model/sm/sm.h"

#include <inttypes.h>
#include <string.h>

static const char *const pipe_name[] = { [PIPE_SP] = "SP", [PIPE_SFU] = "SFU", [PIPE_MEM] = "MEM" };
/* that have a line; the rest are counted */
enum { STUCK_WARPS = 12, STOPPED_WARPS = 6 };

/* "instruction 7", "metadata 0 of 2 before the kernel". */
static const char *number(const struct gpu *g, uint32_t insn, struct arena *a)
{
	if (INSN_IS_METADATA(insn) && g->of.code.insn[(int32_t)insn].of_block)
		return "metadata of a block";
	if (INSN_IS_METADATA(insn))
		return arena_printf(a, "metadata %" PRIu32 " of %u before the kernel", g->of.preamble + insn,
				    g->of.preamble);
	return arena_printf(a, "instruction %" PRIu32, insn);
}

/* A warp that waits for what is at this place in the code. */
static const char *fetched(const struct gpu *g, uint32_t at, struct arena *a)
{
	const bool there = (int32_t)at < (int32_t)g->of.code.nplace;
	const uint32_t insn = there ? g->of.code.place[(int32_t)at]->proto.insn : at;

	return INSN_IS_METADATA(insn) ? arena_printf(a, "the fetch of %s", number(g, insn, a))
				      : arena_printf(a, "instruction fetch at %" PRIu32, insn);
}

/* "instruction 7 `add.s32 R1, R2`". */
static const char *insn_text(const struct gpu *g, uint32_t insn, struct arena *a)
{
	if (INSN_IS_METADATA(insn))
		return number(g, insn, a);
	return arena_printf(a, "%s `%s`", number(g, insn, a), ir_print_insn(a, g->of.k, &g->of.k->insn[insn]));
}

/* Behind an instruction in flight: where reuse has it, and what it waits for there. */
static const char *under_reuse(const struct gpu *g, const struct sm *s, const struct flight *f, struct arena *a)
{
	const char *what = s->front ? g->of.rf->reuse->describe(s->ax.reuse, &f->u, a) : NULL;

	if (!s->front)
		return "";
	return arena_printf(a, "%s%s%s", front_waits(s, f->u.id) ? ", in the retry queue" : "",
			    what ? ", which waits for " : "", what ? what : "");
}

/* The instruction in flight that will write a register that warp w's next one needs. */
static const char *awaited(const struct gpu *g, const struct sm *s, unsigned w, struct arena *a)
{
	const struct dinsn *need = s->warp[w].next;

	for (unsigned i = 0; i < s->fresh && s->flights; i++) {
		const struct flight *f = &s->flight[i];

		if (!f->d || f->u.warp != w)
			continue;
		for (unsigned b = 0; b < SB_WORDS; b++)
			if (f->d->writes[b] & need->reads_writes[b] & s->warp[w].pending[b])
				return arena_printf(
					a, "the result of instruction %" PRIu32 ", `%s`, issued in cycle %" PRIu64 "%s",
					f->u.insn, ir_print_insn(a, g->of.k, &g->of.k->insn[f->u.insn]), f->issued,
					under_reuse(g, s, f, a));
	}
	return "a result that nothing in flight will write";
}

static const char *barrier(const struct gpu *g, const struct sm *s, const struct warp *x, struct arena *a)
{
	const struct cta *c = &s->cta[x->cta_slot];
	unsigned come = (unsigned)__builtin_popcountll(c->arrived[x->barrier]), need;
	const char *missing = "";

	need = c->threads[x->barrier] ? (c->threads[x->barrier] + 31) / 32 : c->running;
	for (unsigned w = 0; w < s->g->warps_per_cta; w++) {
		const struct warp *o = &s->warp[c->first_warp + w];

		if (!(c->arrived[x->barrier] & bit(c->first_warp + w)) && !o->ended) {
			missing = arena_printf(a, "; the first that has not: warp %u of the CTA, at %s", w,
					       number(g, o->rec.insn, a));
			break;
		}
	}
	return arena_printf(a, "barrier %u: %u of %u warps have come%s", x->barrier, come, need, missing);
}

/* What a warp waits for that has its registers and could issue otherwise; NULL: nothing that is known here. */
static const char *pipeline(const struct sm *s, unsigned w, struct arena *a)
{
	const struct dinsn *d = s->warp[w].next;
	const struct collector_set *set = &s->read.set[d->pipe];
	const struct flight *f = set->nid_oc ? &s->flight[set->id_oc[0]] : NULL;

	if (s->front && !front_room(s, s->warp[w].scheduler)) {
		f = &s->flight[front_first(s, s->warp[w].scheduler)];
		return arena_printf(a,
				    "room in the rename and reuse stages, held by warp %u with instruction %" PRIu32
				    ", issued in cycle %" PRIu64,
				    f->u.warp, f->u.insn, f->issued);
	}
	if (!f || set->nid_oc < set->id_oc_max)
		return NULL;
	return arena_printf(a,
			    "room before the collectors of pipeline %s, held by warp %u with instruction %" PRIu32
			    ", issued in cycle %" PRIu64,
			    pipe_name[d->pipe], f->u.warp, f->u.insn, f->issued);
}

/* "warps 0, 2 and 5". */
static const char *names(uint64_t warps, struct arena *a)
{
	const char *text = arena_printf(a, "warp%s %d", warps & (warps - 1) ? "s" : "", __builtin_ctzll(warps));

	for (warps &= warps - 1; warps; warps &= warps - 1)
		text = arena_printf(a, "%s%s%d", text, warps & (warps - 1) ? ", " : " and ", __builtin_ctzll(warps));
	return text;
}

/* Which warps they are, and where the one stands that needs another warp to go on, or else the first. */
static const char *held_by(const struct gpu *g, const struct sm *s, uint64_t holders, struct arena *a)
{
	const uint64_t stand = holders & s->in_state[WARP_BARRIER] ? holders & s->in_state[WARP_BARRIER] : holders;
	const unsigned w = (unsigned)__builtin_ctzll(stand);
	const struct warp *x = &s->warp[w];
	const char *who =
		stand == holders && !(holders & (holders - 1)) ? "" : arena_printf(a, ", of which warp %u is", w);

	return arena_printf(a, "%s%s at %s%s%s", names(holders, a), who, number(g, x->rec.insn, a),
			    x->state == WARP_BARRIER ? " and waits for " : "",
			    x->state == WARP_BARRIER ? barrier(g, s, x, a) : "");
}

/* A warp whose next instruction has no hazard: what residency says it waits for, and where the holders stand; NULL: it
 * may go on. */
static const char *resource(const struct gpu *g, const struct sm *s, unsigned w, struct arena *a)
{
	const struct residency_ops *ops = g->of.rf->residency;
	struct uop u = s->warp[w].next->proto;
	const char *what;
	uint64_t holders;

	u.warp = (uint16_t)w;
	u.active = s->warp[w].rec.active;
	u.missing = s->warp[w].missing;
	if (s->warp[w].next->pipe != NO_PIPE && levels_hazard(s, &u))
		return "an entry of an upper level that is owed a value";
	what = ops->describe ? ops->describe(s->ax.residency, &u, a) : NULL;
	if (!what)
		return s->warp[w].next->pipe == NO_PIPE ? NULL : pipeline(s, w, a);
	holders = ops->holders ? ops->holders(s->ax.residency, w) & s->live & ~bit(w) : 0;
	return holders ? arena_printf(a, "%s, held by %s", what, held_by(g, s, holders, a)) : what;
}

/* NULL: it does not wait. */
static const char *waits_for(const struct gpu *g, const struct sm *s, unsigned w, struct arena *a)
{
	const struct warp *x = &s->warp[w];

	if (x->dry)
		return "its next instruction, which was not executed any more";
	switch ((enum warp_state)x->state) {
	case WARP_READY:
	case WARP_REGISTERS:
		return resource(g, s, w, a);
	case WARP_SCOREBOARD:
	case WARP_MEMORY:
	case WARP_LONG:
		return awaited(g, s, w, a);
	case WARP_FENCE:
		return arena_printf(a, "its own memory operations: %u in flight, %u stores not acknowledged",
				    x->mem_flight, x->stores);
	case WARP_BARRIER:
		return barrier(g, s, x, a);
	case WARP_WAIT:
		return "the stall count of its last instruction";
	case WARP_CONSTANT:
		return "a constant operand";
	case WARP_FETCH:
	case WARP_FLUSH:
		return fetched(g, x->fetch_at, a);
	case WARP_DRAIN:
		return arena_printf(a, "its last results: %u instructions in flight, %u stores not acknowledged",
				    x->in_flight, x->stores);
	case WARP_STATES:
		break;
	}
	return "nothing";
}

static const char *position(const struct gpu *g, uint32_t insn, struct arena *a)
{
	const char *where = INSN_IS_METADATA(insn) ? "" : ir_source(a, g->of.k, &g->of.k->insn[insn]);

	return *where ? arena_printf(a, " (%s)", loc_base_name(where)) : "";
}

/* What warp w does. */
static const char *situation(const struct gpu *g, const struct sm *s, unsigned w, struct arena *a)
{
	const char *what = waits_for(g, s, w, a);

	return what ? arena_printf(a, "waits for %s", what) : "could issue";
}

/* A line for each of the first `most` live warps, and how many more there are. */
static const char *warp_lines(const struct gpu *g, unsigned most, struct arena *a)
{
	const char *text = "";
	unsigned live = 0;

	for (unsigned i = 0; i < g->of.p->sms; i++) {
		const struct sm *s = &g->sm[i];

		for (uint64_t m = s->live; m; m &= m - 1) {
			unsigned w = (unsigned)__builtin_ctzll(m);
			const struct warp *x = &s->warp[w];

			if (live++ >= most)
				continue;
			text = arena_printf(a, "%s\n  SM %u warp %u (CTA %" PRIu64 ", its warp %u), %s%s %s", text, i,
					    w, x->cta, x->in_cta, insn_text(g, x->rec.insn, a),
					    position(g, x->rec.insn, a), situation(g, s, w, a));
		}
	}
	return live > most ? arena_printf(a, "%s\n  and %u more warps", text, live - most) : text;
}

void report_where(const struct gpu *g, struct stopped *out)
{
	struct arena a;
	const char *text;
	size_t n;

	arena_init(&a);
	text = warp_lines(g, STOPPED_WARPS, &a);
	for (n = strlen(text); n >= sizeof out->where; n--) /* whole lines, as far as they fit */
		while (n && text[n - 1] != '\n')
			n--;
	memcpy(out->where, text, n);
	out->where[n] = '\0';
	arena_free(&a);
}

bool report_fault(const struct gpu *g)
{
	const struct sm *first = NULL;
	const struct warp *x;
	struct arena a;

	for (unsigned i = 0; i < g->of.p->sms; i++)
		if (g->sm[i].take.fault.there && (!first || g->sm[i].take.fault.at < first->take.fault.at))
			first = &g->sm[i];
	if (!first)
		return false;
	arena_init(&a);
	x = &first->warp[first->take.fault.warp];
	if (first->take.fault.bug && g->of.job->bug)
		*g->of.job->bug = true;
	if (first->take.fault.bug)
		diag_error_plain(g->of.diag, g->of.k->name,
				 "internal error: under %s %s%s of SM %u warp %u (CTA %" PRIu64
				 ", its warp %u) in cycle %" PRIu64 " %s",
				 g->of.rf_name, insn_text(g, first->take.fault.insn, &a),
				 position(g, first->take.fault.insn, &a), first->id, first->take.fault.warp, x->cta,
				 x->in_cta, first->take.fault.at, first->take.fault.bug);
	else
		diag_error_plain(g->of.diag, g->of.k->name,
				 "%s%s of SM %u warp %u (CTA %" PRIu64 ", its warp %u) names R%u in cycle %" PRIu64
				 ", but the warp holds no "
				 "extended set: its own registers are those below R%" PRIu32,
				 insn_text(g, first->take.fault.insn, &a), position(g, first->take.fault.insn, &a),
				 first->id, first->take.fault.warp, x->cta, x->in_cta, first->take.fault.reg,
				 first->take.fault.at, g->of.k->base_regs);
	arena_free(&a);
	return true;
}

bool report_stuck(const struct gpu *g, cycle progressed)
{
	struct arena a;
	uint64_t done = 0;
	bool refused = false;
	cycle now = 0;

	arena_init(&a);
	for (unsigned i = 0; i < g->of.p->sms; i++) {
		const struct sm *s = &g->sm[i];

		done += s->st.ctas;
		refused |= s->take.refused;
		now = s->now > now ? s->now : now;
	}
	diag_error_plain(g->of.diag, g->of.k->name,
			 "the model makes no progress: since cycle %" PRIu64 " (now %" PRIu64 ") no instruction "
			 "has issued or finished; CTAs finished: %" PRIu64 " of %" PRIu64 "%s%s",
			 progressed, now, done, g->of.job->ctas, refused ? "; the next CTA waits for registers" : "",
			 warp_lines(g, STUCK_WARPS, &a));
	arena_free(&a);
	return false;
}
