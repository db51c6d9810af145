/* The places of operands in an object, for the three organisations side by side, with the options that they were chosen
 * by. A reader knows from the code how many operands there are, and follows what each entry holds: an operand is where
 * the places say, whichever way a thread went. That they are the ones that the options choose it does not ask: energies
 * may have changed since. */
#include "analyzer/base/hash.h"
#include "analyzer/elf/format.h"
#include "passes/orf.h"
#include "passes/pass.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(double x)
{
	uint64_t b;

	memcpy(&b, &x, sizeof b);
	return b;
}

static double number_of(uint64_t b)
{
	double x;

	memcpy(&x, &b, sizeof x);
	return x;
}

/* A sum of energies: 0 or a number of full precision, as no energy is so small as the numbers below that. */
static bool is_saving(double x) { return x == 0 || (x > 0 && isnormal(x)); }

/* Over all that is stored: weights are not to be known from the code, and one place that saves something may be as
 * right as another. */
static uint64_t sum(const struct kernel *k, const struct rlo_orf *x)
{
	uint64_t h = HASH_START;

	h = ir_hash_number(h, x->entries | (uint64_t)x->warps << 8 | (uint64_t)x->cost_entries << 16 |
				      (uint64_t)x->writes << 24 | (uint64_t)x->ranges << 32 |
				      (uint64_t)x->weights << 40 | (uint64_t)x->flags << 48);
	for (unsigned o = 0; o < ORG_COUNT; o++)
		h = ir_hash_number(ir_hash_number(ir_hash_number(h, x->greedy[o]), x->saved[o]), x->bound[o]);
	for (uint32_t n = 0; n < k->orf[0]->at[k->ninsn]; n++) {
		uint64_t places = 0;

		for (unsigned o = 0; o < ORG_COUNT; o++)
			places |= (uint64_t)k->orf[o]->place[n] << 8 * o;
		h = ir_hash_number(h, places);
	}
	return h;
}

static uint16_t flags_of(const struct orf_options *o)
{
	uint16_t flags = 0;

	flags |= o->partial ? RLO_ORF_PARTIAL : 0;
	flags |= o->read_operands ? RLO_ORF_READ_OPERANDS : 0;
	flags |= o->forward_branches ? RLO_ORF_BRANCHES : 0;
	flags |= o->never_flush ? RLO_ORF_NEVER_FLUSH : 0;
	flags |= o->past_barriers ? RLO_ORF_PAST_BARRIERS : 0;
	flags |= o->exact ? RLO_ORF_EXACT : 0;
	return flags;
}

void rlo_encode_places(const struct kernel *k, struct arena *a, struct rlo_places *out)
{
	const struct orf_options *o = &k->orf[0]->options;
	struct rlo_orf x = { .entries = (uint8_t)o->entries,
			     .warps = (uint8_t)o->warps,
			     .cost_entries = (uint8_t)o->cost_entries,
			     .writes = (uint8_t)o->writes,
			     .ranges = (uint8_t)o->ranges,
			     .weights = (uint8_t)o->weights,
			     .flags = flags_of(o) };
	struct buf *b = &out->orf;

	*out = (struct rlo_places){ rlo_table_begin(RLO_R_orf, a), rlo_table_begin(RLO_R_place, a) };
	for (unsigned g = 0; g < ORG_COUNT; g++) {
		x.greedy[g] = bits_of(k->orf[g]->greedy);
		x.saved[g] = bits_of(k->orf[g]->saved);
		x.bound[g] = bits_of(k->orf[g]->bound);
	}
	x.sum = sum(k, &x);
	rlo_io_orf(&(struct io){ buf_room(b, RLO_BYTES_orf), true }, &x);
	for (uint32_t n = 0; n < k->orf[0]->at[k->ninsn]; n++)
		RLO_PUT(&out->places, place,
			.place = { k->orf[0]->place[n], k->orf[1]->place[n], k->orf[2]->place[n] });
}

bool rlo_read_orf(struct reader *r, const struct kernel *k, struct orf orf[ORG_COUNT])
{
	struct rlo_orf x;
	struct table t;

	if (!rlo_open(r, RLO_R_orf, k->name, false, &t))
		return false;
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records instead of one", t.n);
	RLO_GET(&t, 0, orf, &x);
	if (!x.entries || x.entries > ORF_ENTRIES_MAX || !x.warps || x.warps > ORF_WARPS_MAX ||
	    x.cost_entries > ORF_ENTRIES_MAX)
		return rlo_bad(r, &t, 0, "%u entries for each thread of %u warps, with the energies of %u", x.entries,
			       x.warps, x.cost_entries);
	if (x.writes >= ORF_WRITES_COUNT || x.ranges >= ORF_RANGES_COUNT || x.weights >= ORF_WEIGHTS_COUNT ||
	    x.flags & ~RLO_ORF_FLAGS)
		return rlo_bad(r, &t, 0, "writes of kind %u, ranges of kind %u, weights of kind %u, flags 0x%x",
			       x.writes, x.ranges, x.weights, x.flags);
	for (unsigned o = 0; o < ORG_COUNT; o++) {
		double greedy = number_of(x.greedy[o]), saved = number_of(x.saved[o]), bound = number_of(x.bound[o]);

		if (!is_saving(greedy) || !is_saving(saved) || !is_saving(bound))
			return rlo_bad(r, &t, 0,
				       "%s: 0x%016" PRIx64 ", 0x%016" PRIx64 " and 0x%016" PRIx64
				       " are no energies saved",
				       orf_organisation_name[o], x.greedy[o], x.saved[o], x.bound[o]);
		if (!(greedy <= saved && saved <= bound) || (!(x.flags & RLO_ORF_EXACT) && bound > 0))
			return rlo_bad(r, &t, 0, "%s: savings of %g, %g, and at most %g", orf_organisation_name[o],
				       greedy, saved, bound);
		orf[o] = (struct orf){ .entries = x.entries,
				       .greedy = greedy,
				       .saved = saved,
				       .bound = bound,
				       .options = { .entries = x.entries,
						    .warps = x.warps,
						    .cost_entries = x.cost_entries,
						    .partial = x.flags & RLO_ORF_PARTIAL,
						    .read_operands = x.flags & RLO_ORF_READ_OPERANDS,
						    .forward_branches = x.flags & RLO_ORF_BRANCHES,
						    .never_flush = x.flags & RLO_ORF_NEVER_FLUSH,
						    .past_barriers = x.flags & RLO_ORF_PAST_BARRIERS,
						    .exact = x.flags & RLO_ORF_EXACT,
						    .writes = x.writes,
						    .ranges = x.ranges,
						    .weights = x.weights } };
	}
	return true;
}

/* How many operands there are is known from the code. */
static uint32_t *uses(const struct kernel *k)
{
	uint32_t *at = new_array(k->a, uint32_t, (size_t)k->ninsn + 1);
	struct insn_regs regs;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs);
		at[i + 1] = at[i] + regs.nsrc + regs.ndst;
	}
	return at;
}

static bool read_places(struct reader *r, const struct kernel *k, const struct table *t, const uint32_t *at,
			unsigned entries, uint8_t *place[ORG_COUNT])
{
	struct insn_regs regs;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs);
		for (uint32_t n = at[i]; n < at[i + 1]; n++) {
			struct rlo_place x;

			RLO_GET(t, n, place, &x);
			for (unsigned o = 0; o < ORG_COUNT; o++) {
				if (!place_valid(x.place[o], o, entries))
					return rlo_bad(r, t, n, "%s: 0x%x is no place that instruction %u %s",
						       orf_organisation_name[o], x.place[o], i,
						       n - at[i] < regs.nsrc ? "can read from" : "can write to");
				place[o][n] = x.place[o];
			}
		}
	}
	return true;
}

/* What check_orf() says against the places; NULL: nothing. */
static const char *wrong_place(const struct kernel *k)
{
	char *text = NULL;
	const char *said = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct diag d;

	diag_init(&d, f);
	if (!check_orf(k, &d))
		said = "an operand is not where it is said to be";
	diag_free(&d);
	if (f && fclose(f) == 0 && said && strstr(text, "error: ")) {
		const char *begin = strstr(text, "error: ") + strlen("error: ");

		said = arena_strndup(k->a, begin, strcspn(begin, "\n"));
	}
	free(text);
	return said;
}

bool rlo_read_places(struct reader *r, struct kernel *k, const struct orf orf[ORG_COUNT])
{
	uint32_t *at = uses(k);
	uint8_t *place[ORG_COUNT];
	const char *wrong;
	struct rlo_orf x;
	struct table t;

	if (!rlo_open(r, RLO_R_place, k->name, true, &t))
		return false;
	if (t.n != at[k->ninsn])
		return rlo_bad(r, &t, 0, "holds the places of %u operands where the code has %u", t.n, at[k->ninsn]);
	for (unsigned o = 0; o < ORG_COUNT; o++)
		place[o] = new_array(k->a, uint8_t, (size_t)t.n + 1);
	if (!read_places(r, k, &t, at, orf[0].entries, place))
		return false;
	for (unsigned o = 0; o < ORG_COUNT; o++) {
		k->orf[o] = new(k->a, struct orf);
		*k->orf[o] = orf[o];
		k->orf[o]->at = at;
		k->orf[o]->place = place[o];
	}
	wrong = wrong_place(k);
	if (wrong)
		return rlo_bad(r, &t, 0, "%s", wrong);
	if (!rlo_open(r, RLO_R_orf, k->name, false, &t))
		return false;
	RLO_GET(&t, 0, orf, &x);
	if (x.sum != sum(k, &x))
		return rlo_bad(r, &t, 0, "the places of operands are not those that were written");
	k->facts |= FACT_ORF;
	return true;
}
