/* Lanes of a warp that wait for each other. Since sm_70 each lane of a warp makes progress by itself; a stack of paths
 * lets one path go on alone until it meets the others, and if it spins on a lock that one of these has, for ever.
 *
 * So a path that waits lets others go. It waits if it comes round to a branch back, in the same lanes, again and again,
 * and in each round reads the same memory, finds the same there and changes none (a reduction of global memory counts
 * as a change). That is not looked for all the time: the path is watched from its 16th branch back on while other lanes
 * wait, from the 32nd, 64th and so on, and from each 1024th, until it does something else. EQUAL_STRONG rounds alike
 * are enough where one of the reads is an atomic, volatile, relaxed, acquiring or of an mbarrier, as those by which
 * threads tell each other something are; EQUAL_PLAIN where none is, since a loop may read a word twice. Rounds may be
 * alike in turns, up to PERIODS of them. Registers do not count: a loop may count its attempts. A path that has gone
 * round FAR times with strong reads lets others go whatever it does; so each lane gets on in the end.
 *
 * What may go on: a path that no path above it shares lanes with, or the lanes that have come to a meeting point and
 * wait there for those above. These part from the entry, which waits for the rest; the next meeting point, which lies
 * below, is for all of them. Of several the path that has the next lane, in the order of the lanes and round, so that
 * each gets its turn. A path that waits at a barrier or an instruction with .sync is not let go, its lanes cannot go
 * on; nor are lanes whose next instruction only ends them. Machine code waits at barriers of lanes as well (flow.c): a
 * path there goes on, once all others have had a turn, if it waits for none but paths that wait for others themselves.
 *
 * From then on until its lanes are together again the warp is apart: its lanes are not where the structure of the code
 * has them, and what the compiler says of the warp as a whole (registers that are dead in all lanes, values that are
 * the same in all) does not hold. */
#include "runtime-model/engine/before.h"
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/simt.h"

#include "analyzer/base/rng.h"

#include <string.h>

enum { SM_PROGRESS = 70, EQUAL_STRONG = 4, EQUAL_PLAIN = 64, PERIODS = 4, ROUND_INSNS = 1 << 14, FAR = 1 << 20 };

struct spin {
	/* the branch back that ends a round, once something was read, and the lanes that execute it */
	uint32_t pc, active;
	uint64_t since;                  /* w->insns at the start of the round */
	uint64_t seen;                   /* a hash of what it has read, and where */
	uint64_t past[PERIODS];          /* that of the rounds before */
	uint32_t rounds, equal[PERIODS]; /* rounds that were like the one so many before */
	bool reads, strong, far;
};

/* ---- who may go on ---- */
/* of machine code, the first there is: who has not yielded; who waits for those that have alone; who has yielded */
enum rank { RANK_READY, RANK_AWAITS, RANK_YIELDED, RANK_WAITS };

struct choice {
	uint32_t at, lanes, frame;
	enum rank rank;
};

static enum rank rank_of(const struct engine *e, struct warp *w, uint32_t i, uint32_t lanes)
{
	const uint32_t yielded = w->yielded | w->top.active;

	if (lanes & ~w->parked)
		return e->k->native && !(lanes & ~yielded) ? RANK_YIELDED : RANK_READY;
	return e->k->native && !(flow_awaited(e, w, i) & ~yielded) ? RANK_AWAITS : RANK_WAITS;
}

static bool choose(const struct engine *e, struct warp *w, struct choice *best)
{
	uint32_t above = w->top.active, frame = w->frame, nearest = WARP_LANES;

	best->rank = RANK_WAITS;
	for (uint32_t i = w->depth; i--;) {
		uint32_t lanes = w->below[i].active & ~above, away;
		enum rank rank;

		frame = simt_frame(w, i, frame);
		above |= w->below[i].active;
		if (!lanes || simt_ends(&e->prog, w->below[i].pc))
			continue;
		rank = rank_of(e, w, i, lanes);
		away = ((uint32_t)__builtin_ctz(lanes) - w->turn) % WARP_LANES;
		if (rank < best->rank || (rank == best->rank && rank != RANK_WAITS && away < nearest)) {
			nearest = away;
			*best = (struct choice){ i, lanes, frame, rank };
		}
	}
	return best->rank != RANK_WAITS;
}

/* The entry in which both sets of lanes meet, which lies below entry i; 0 if there is none. */
static uint32_t meeting(const struct warp *w, uint32_t i, uint32_t lanes)
{
	while (i && lanes & ~w->below[i - 1].active)
		i--;
	return i ? i - 1 : 0;
}

/* Entries say which frame they are of, whatever lies above them. */
static void mark_frames(struct warp *w)
{
	uint32_t frame = w->frame;

	for (uint32_t i = w->depth; i--;) {
		frame = simt_frame(w, i, frame);
		w->below[i].frame = frame + 1;
	}
}

bool spin_switch(struct engine *e, struct warp *w)
{
	struct choice to;
	struct level v;
	uint32_t whole;

	w->rounds = 0;
	w->watching = false;
	if (e->k->m->sm < SM_PROGRESS || !choose(e, w, &to) || !levels_room(e, w))
		return false;
	w->yielded |= w->top.active;
	w->unawaited = to.rank == RANK_AWAITS ? w->yielded : 0;
	if (to.rank != RANK_READY) /* all have had a turn */
		w->yielded = 0;
	mark_frames(w);
	whole = meeting(w, to.at, to.lanes | w->top.active);
	w->whole = w->apart && w->whole < whole ? w->whole : whole;
	w->apart = true;
	v = w->below[to.at];
	if (v.active == to.lanes)
		simt_take(w, to.at);
	else
		w->below[to.at].active &= ~to.lanes;
	v.active = to.lanes;
	simt_switch(w, v, to.frame);
	w->turn = ((uint32_t)__builtin_ctz(to.lanes) + 1) % WARP_LANES;
	simt_settle(w); /* behind a call may be a meeting point */
	spin_together(w);
	return true;
}

void spin_together(struct warp *w)
{
	for (uint32_t i = w->whole; i < w->depth; i++)
		if (w->below[i].active & ~w->top.active)
			return;
	w->apart = false;
	w->yielded = w->ahead = 0;
}

/* ---- who waits ---- */
static void watch(struct engine *e, struct warp *w, uint32_t pc)
{
	struct choice to;

	if (e->k->m->sm < SM_PROGRESS || !choose(e, w, &to))
		return;
	if (!w->spin)
		w->spin = new(&e->a, struct spin);
	*w->spin = (struct spin){ .pc = pc, .active = w->top.active, .since = w->insns, .far = w->rounds >= FAR };
	w->watching = true;
}

void spin_look(struct engine *e, struct warp *w, uint32_t pc)
{
	struct spin *s = w->spin;
	uint32_t equal = 0;

	if (!w->watching) {
		watch(e, w, pc);
		return;
	}
	if (w->insns - s->since > ROUND_INSNS) {
		w->watching = false;
		return;
	}
	if (s->pc != pc || s->active != w->top.active || !s->reads)
		return;
	for (uint32_t p = 1; p <= PERIODS; p++) {
		s->equal[p - 1] =
			s->rounds >= p && s->past[(s->rounds - p) % PERIODS] == s->seen ? s->equal[p - 1] + 1 : 0;
		equal = s->equal[p - 1] > equal ? s->equal[p - 1] : equal;
	}
	if ((s->far && s->strong) || equal >= (s->strong ? EQUAL_STRONG : EQUAL_PLAIN)) {
		spin_switch(e, w);
		return;
	}
	if (s->far || (s->rounds >= PERIODS && !equal)) {
		w->watching = false;
		return;
	}
	s->past[s->rounds++ % PERIODS] = s->seen;
	s->seen = 0;
	s->reads = s->strong = false;
	s->since = w->insns;
}

void spin_changes(struct warp *w) { w->watching = w->spin->far; }

static uint64_t mix(uint64_t h, uint64_t v) { return mix64(h ^ v) + 1; }

static const uint32_t *source(const struct engine *e, const struct warp *w, const struct xinsn *x, unsigned s)
{
	return (x->src[s] < 0 ? e->prog.konst : w->reg) + (x->src[s] & INT32_MAX);
}

/* Where it reads, and what an atomic does with what there is. */
static uint64_t hash_asked(const struct engine *e, const struct warp *w, const struct xinsn *x, uint32_t exec,
			   const uint64_t at[WARP_LANES])
{
	uint64_t h = mix(w->spin->seen, (uint64_t)insn_of(e, x) << 32 | exec);

	EACH_ACTIVE(l, exec)
	h = mix(h, at[l]);
	for (unsigned s = 1; e->prog.mem[x->target].atomic && s < e->prog.mem[x->target].nsrc; s++)
		EACH_ACTIVE(l, exec)
	h = mix(h, source(e, w, x, s)[l]);
	return h;
}

static uint64_t mix_bytes(uint64_t h, const unsigned char *p, unsigned n)
{
	for (unsigned o = 0; o < n; o += 8) {
		uint64_t v = 0;

		memcpy(&v, p + o, n - o < 8 ? n - o : 8);
		h = mix(h, v);
	}
	return h;
}

/* Does it read what the lanes see? A reduction does not. */
static bool gives(const struct xmem *m, const struct xinsn *x)
{
	return m->atomic && !m->mbarrier ? x->dst[0] != 0 : m->load;
}

/* Global memory that other threads of the host change meanwhile, by the host's atomics: what has been read is in
 * registers. */
static bool shared_out(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xmem *m = &e->prog.mem[x->target];
	unsigned words = m->bytes == 8 ? 2 : 1;

	if (!memory_access(e, c, w, x, exec))
		return false;
	for (unsigned v = 0; gives(m, x) && !m->mbarrier && v < (m->atomic ? 1u : m->vec); v++) {
		const uint32_t *got = w->reg + (m->atomic ? x->dst[0] : m->data[v]);

		EACH_ACTIVE(l, exec)
		w->spin->seen = mix(w->spin->seen, words == 1 ? got[l] : (uint64_t)got[l + WARP_LANES] << 32 | got[l]);
	}
	if (m->atomic && (w->atoms_changed || !gives(m, x)))
		spin_changes(w);
	return true;
}

bool spin_memory(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xmem *m = &e->prog.mem[x->target];
	uint64_t at[WARP_LANES];
	struct before b;
	enum space in;
	bool changes;

	before_addresses(e, w, x, exec, at);
	in = memory_space(m->space, at[__builtin_ctz(exec)]);
	if (in != SP_GLOBAL && in != SP_SHARED)
		return memory_access(e, c, w, x, exec);
	if (gives(m, x)) {
		w->spin->seen = hash_asked(e, w, x, exec, at);
		w->spin->reads = true;
		w->spin->strong |= e->prog.mem[x->target].strong;
	}
	if (e->together && in == SP_GLOBAL && (m->atomic || m->load))
		return shared_out(e, c, w, x, exec);
	before_save(e, c, w, x, exec, &b);
	if (gives(m, x))
		w->spin->seen = mix_bytes(w->spin->seen, b.old, b.used);
	if (!memory_access(e, c, w, x, exec))
		return false;
	if (m->atomic && !m->mbarrier) /* whether a reduction changes what there is depends on the order of the CTAs */
		changes = w->atoms_changed || (in == SP_GLOBAL && !gives(m, x));
	else
		changes = (m->atomic || !m->load) && before_differs(&b);
	if (changes)
		spin_changes(w);
	return true;
}
