/* The oracle for places: what each entry and the main register file hold, for one thread on whichever way it came.
 * Forwards over the whole graph until nothing changes: an entry holds the current value of at most one register, the
 * main register file that of many; where ways meet only what both say stays; where a strand begins no entry holds
 * anything. A guarded write leaves other threads what they had, so the place then holds the current value of all
 * threads only if it did before. Each read must find its value where its place says. It knows nothing of values,
 * regions or savings. */
#include "orf.h"

#include "pass.h"
#include "strand.h"

/* the entries: L0, then L1 */
enum { L1_AT = 3, PLACES = L1_AT + ORF_ENTRIES_MAX, EMPTY = MREG_RZ };

struct state {
	uint64_t mrf[4];       /* registers whose current value the main register file holds */
	uint8_t entry[PLACES]; /* register whose current value the entry holds, or EMPTY */
	bool reached;
};

struct check {
	const struct kernel *k;
	const struct orf *o;
	enum orf_organisation org;
	struct diag *d;
	struct state *in; /* by block */
};

static bool bad(const struct check *c, uint32_t i, const char *what, unsigned reg, uint8_t place)
{
	return diag_error_plain(c->d, c->k->name, "instruction %u, %s: R%u: %s (level %u, entry %u%s)", i,
				orf_organisation_name[c->org], reg, what, (unsigned)place_level(place),
				place_entry(place), place_mrf(place) ? ", main register file" : "");
}

static unsigned entry_at(uint8_t place)
{
	return place_level(place) == LEVEL_L0 ? place_entry(place) : L1_AT + place_entry(place);
}

/* What the levels allow. slot: of a source, else NO_SLOT; then it is a result. */
static const char *forbidden(const struct check *c, const struct insn *i, uint8_t place, bool source, unsigned slot)
{
	if (place & ~(PLACE_LEVEL | PLACE_ENTRY | PLACE_MRF))
		return "no place";
	switch ((unsigned)place_level(place)) {
	case LEVEL_MRF:
		return place == place_of(LEVEL_MRF, 0, true) ? NULL : "nowhere";
	case LEVEL_L1:
		if (place_entry(place) >= c->o->entries)
			return "an entry that there is not";
		break;
	case LEVEL_L0:
		if (c->org == ORG_ORF || place_entry(place) >= (c->org == ORG_SPLIT ? 3 : 1))
			return "an entry that there is not";
		if (insn_is_shared(i))
			return "a shared unit does not reach L0";
		if (source && c->org == ORG_SPLIT && slot != place_entry(place))
			return "L0 of another operand slot";
		break;
	default:
		return "no level";
	}
	return !source && insn_is_long(i) ? "a long-latency result goes to the main register file" : NULL;
}

static void forget(struct state *s, unsigned reg, unsigned but)
{
	for (unsigned e = 0; e < PLACES; e++)
		if (s->entry[e] == reg && e != but)
			s->entry[e] = EMPTY;
}

/* An instruction puts the current value of reg into an entry. Threads that do not execute it keep what they have. */
static void put(struct state *s, unsigned e, unsigned reg, bool guarded)
{
	if (!guarded || s->entry[e] != reg)
		s->entry[e] = guarded ? EMPTY : (uint8_t)reg;
}

static bool step(const struct check *c, uint32_t i, struct state *s, bool report)
{
	const struct insn *insn = &c->k->insn[i];
	const uint8_t *place = c->o->place + c->o->at[i];
	bool some = insn->guard.kind != REF_NONE, guarded = !insn_kills(insn); /* some: threads execute it */
	unsigned written = 0;                                                  /* entries */
	struct insn_regs r;

	if (c->k->strand->begin[i] & STRAND_BEGIN)
		memset(s->entry, EMPTY, sizeof s->entry);
	ir_insn_regs(c->k, insn, &r);
	for (unsigned x = 0; x < r.nsrc && report; x++) {
		const char *why = forbidden(c, insn, place[x], true, r.slot[x]);

		if (why)
			return bad(c, i, why, r.src[x], place[x]);
		if (place_mrf(place[x]) && !bitset_has(s->mrf, r.src[x]))
			return bad(c, i, "is read where its value may not be", r.src[x], place[x]);
		if (!place_mrf(place[x]) && s->entry[entry_at(place[x])] != r.src[x])
			return bad(c, i, "is read where its value may not be", r.src[x], place[x]);
	}
	for (unsigned x = 0; x < r.nsrc; x++)
		if (place_mrf(place[x]) && place_level(place[x]) != LEVEL_MRF) {
			if (report && written & 1u << entry_at(place[x]))
				return bad(c, i, "goes to an entry that the instruction writes twice", r.src[x],
					   place[x]);
			written |= 1u << entry_at(place[x]);
			put(s, entry_at(place[x]), r.src[x], some);
		}
	for (unsigned x = 0; x < r.ndst; x++) {
		uint8_t p = place[r.nsrc + x];
		const char *why = report ? forbidden(c, insn, p, false, NO_SLOT) : NULL;
		bool level = place_level(p) != LEVEL_MRF;

		if (why)
			return bad(c, i, why, r.dst[x], p);
		if (level && report && written & 1u << entry_at(p))
			return bad(c, i, "goes to an entry that the instruction writes twice", r.dst[x], p);
		forget(s, r.dst[x], level ? entry_at(p) : PLACES);
		if (level) {
			written |= 1u << entry_at(p);
			put(s, entry_at(p), r.dst[x], guarded);
		}
		if (!place_mrf(p))
			bitset_del(s->mrf, r.dst[x]);
		else if (!guarded)
			bitset_add(s->mrf, r.dst[x]);
	}
	return true;
}

/* Only what both say stays. True if that changes to. */
static bool meet(struct state *to, const struct state *from)
{
	bool changed = !to->reached;

	if (!to->reached) {
		*to = *from;
		to->reached = true;
		return true;
	}
	for (unsigned w = 0; w < 4; w++) {
		changed |= (to->mrf[w] & ~from->mrf[w]) != 0;
		to->mrf[w] &= from->mrf[w];
	}
	for (unsigned e = 0; e < PLACES; e++)
		if (to->entry[e] != from->entry[e] && to->entry[e] != EMPTY) {
			to->entry[e] = EMPTY;
			changed = true;
		}
	return changed;
}

static bool check_places(struct check *c, struct arena *a)
{
	const struct kernel *k = c->k;
	const struct cfg *g = k->cfg;
	struct state start = { .reached = true };
	bool more = true;

	c->in = new_array(a, struct state, (size_t)k->nblock + 1);
	memset(start.mrf, 0xff, sizeof start.mrf);
	memset(start.entry, EMPTY, sizeof start.entry);
	c->in[0] = start;
	while (more) {
		more = false;
		for (uint32_t x = 0; x < g->nrpo; x++) {
			uint32_t b = g->rpo[x];
			struct state s = c->in[b];

			for (uint32_t j = 0; j < k->block[b].n; j++)
				step(c, k->block[b].first + j, &s, false);
			for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
				more |= meet(&c->in[g->succ[e]], &s);
		}
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		struct state s = c->in[b];

		if (!s.reached) /* nothing leads there: each of its blocks begins with empty entries */
			s = start;
		for (uint32_t j = 0; j < k->block[b].n; j++)
			if (!step(c, k->block[b].first + j, &s, true))
				return false;
	}
	return true;
}

bool check_orf(const struct kernel *k, struct diag *d)
{
	struct arena a;
	bool ok = true;

	/* in decoded code, values need not survive returns to calls that the function was not entered by; here they
	 * would have to */
	if (k->form != FORM_MACHINE || (k->native && k->nproc))
		return true;
	arena_init(&a);
	for (enum orf_organisation org = 0; org < ORG_COUNT && ok; org++) {
		struct check c = { .k = k, .o = k->orf[org], .org = org, .d = d };

		ok = check_places(&c, &a);
	}
	arena_free(&a);
	return ok;
}
