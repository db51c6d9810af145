/* Can acquire and release, with barriers, get warps stuck? A model for spin, which visits every state (docs/REGMUTEX_HARDWARE.md#proof).
 *
 * Groups of WARPS warp slots run CTAS CTAs in turn, each at most ACTIONS actions a warp, chosen at every step: so all programs of that
 * length in all interleavings, and not only those in which warps run the same one. Instructions that touch neither sections nor other
 * warps, acquires of warps that hold and releases of warps that do not are left out: they change no state here. What is proved:
 *   SECTIONS sections of the pool, or PAIRED: one for each two neighbouring slots.
 *   Never stuck: in a state without a successor all warps have ended and all CTAs have run (invalid end states). Every action uses
 *   up one of a warp's, so no run is infinite, and each ends well.
 *   Nobody is in a section that another warp has, and none is lost (assertions).
 *   RETRY: a refused acquire is a step, tried again; then the property is that there is no fair cycle of refusals alone.
 * Broken on purpose, and found to be: RULES=0, in which warps may wait for others while they hold a section; no section at all; KEEP, in
 * which a warp that ends keeps its section. test/script/model.sh runs all of them. */
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef WARPS
#define WARPS 2                         /* of a CTA */
#endif
#ifndef CTAS
#define CTAS 3
#endif
#ifndef SECTIONS
#define SECTIONS 1
#endif
#ifndef ACTIONS
#define ACTIONS 4
#endif
#ifndef RULES
#define RULES 1
#endif
#if GROUPS > 2
#error "dispatch() knows two groups"
#endif
#define SLOTS (GROUPS * WARPS)
#define NONE 255
#ifdef PAIRED
#define POOL ((SLOTS + 1) / 2)
#else
#define POOL SECTIONS
#endif
#define POOL_MAX 4
#if POOL > POOL_MAX
#error "more sections than POOL_MAX"
#endif

byte owner[POOL_MAX] = NONE;                /* of a section: the slot that may use it */
bool taken[POOL_MAX];                   /* bitmask of the pool; still set while reads of a section that was released are under way */
byte section[SLOTS] = NONE;             /* warp status and lookup table: the section that a slot holds */
bool alive[SLOTS], waiting[SLOTS];      /* has a warp; that is at a barrier */
byte running[GROUPS];                   /* warps of the group's CTA that have not ended */
byte cta[GROUPS];                       /* which it is */
byte begun, ended;                      /* CTAs that have started, in order; that have ended (a bit for each) */
byte signalled;                         /* CTAs that have told the next one (a bit for each) */
byte n, f;

/* A barrier lets its warps go when all of the CTA that have not ended are at it. */
inline barrier_check(g) {
	n = g * WARPS;
	do
	:: n < (g + 1) * WARPS && (waiting[n] || !alive[n]) -> n++
	:: n < (g + 1) * WARPS && !waiting[n] && alive[n] -> break
	:: n == (g + 1) * WARPS ->
		do
		:: n > g * WARPS -> n--; waiting[n] = false
		:: else -> break
		od;
		break
	od;
	n = 0
}

/* Find first zero; f is NONE if there is none. Of pairs, the pair's. */
inline find_first_zero(me) {
#ifdef PAIRED
	f = (taken[me / 2] -> NONE : me / 2)
#else
	f = 0;
	do
	:: f < POOL && taken[f] -> f++
	:: f < POOL && !taken[f] -> break
	:: f >= POOL -> f = NONE; break
	od
#endif
}

inline take(me) {
	assert(!taken[f] && owner[f] == NONE && section[me] == NONE);
	taken[f] = true; owner[f] = me; section[me] = f; f = 0
}

/* From here on the warp may not use the section; it is free when drain() says so. */
inline give_back(me) {
	assert(owner[section[me]] == me);
	owner[section[me]] = NONE; section[me] = NONE
}

#ifdef PAIRED
#define FREE(me) (!taken[me / 2])
#else
#define IS_FREE(s) (s < POOL && !taken[s])
#define FREE(me) (IS_FREE(0) || IS_FREE(1) || IS_FREE(2) || IS_FREE(3))
#endif
#define HELD (section[_pid] != NONE)
#define MAY_WAIT (!RULES || !HELD)
#define G (_pid / WARPS)
#define TOLD ((signalled | ended) & (1 << (cta[G] - 1)))

active [SLOTS] proctype warp() {
	byte left;
end_idle:
	atomic { alive[_pid] -> left = ACTIONS }
	do
	:: atomic { left > 0 && !HELD -> left-- }
#ifdef RETRY
		do
		:: atomic { FREE(_pid) -> find_first_zero(_pid); take(_pid); break }
		:: !FREE(_pid)
		od
#else
		atomic { FREE(_pid) -> find_first_zero(_pid); take(_pid) }
#endif
	:: atomic { left > 0 && HELD -> left--; give_back(_pid) }
	:: atomic { left > 0 && MAY_WAIT -> left--; waiting[_pid] = true; barrier_check(G) }
		!waiting[_pid]
	/* the CTA tells the next one; a loop that waits until the one before it has, or has ended */
	:: atomic { left > 0 && cta[G] + 1 < CTAS && !(signalled & (1 << cta[G])) -> left--; signalled = signalled | (1 << cta[G]) }
	:: atomic { left > 0 && MAY_WAIT && cta[G] > 0 && !TOLD -> left-- }
		TOLD
	:: atomic {
		if
		:: HELD ->
#ifdef KEEP
			section[_pid] = NONE
#else
			give_back(_pid)
#endif
		:: else
		fi;
		left = 0; alive[_pid] = false; running[G]--;
		barrier_check(G);
		if
		:: running[G] == 0 -> ended = ended | (1 << cta[G])
		:: else
		fi;
		goto end_idle
	}
	od
}

/* Operands that were being read from a released section have been read. */
#define DRAIN(s) atomic { s < POOL && taken[s] && owner[s] == NONE -> taken[s] = false }
active proctype drain() {
end_drained:
	do
	:: DRAIN(0)
	:: DRAIN(1)
	:: DRAIN(2)
	:: DRAIN(3)
	od
}

/* CTAs start in order, each in a group of slots that is empty. */
active proctype dispatch() {
	byte g, i;
end_dispatched:
	do
	:: atomic {
		begun < CTAS && (running[0] == 0 || running[GROUPS - 1] == 0) ->
		g = (running[0] == 0 -> 0 : GROUPS - 1);
		cta[g] = begun; begun++; running[g] = WARPS;
		i = g * WARPS;
		do
		:: i < (g + 1) * WARPS -> alive[i] = true; i++
		:: else -> break
		od;
		g = 0; i = 0
	}
	od
}
