#include "analyzer/ir/latency.h"

const char *const sass_unit_name[UNIT_COUNT] = {
#define UNIT_ID(name, what) what,
	SASS_UNITS(UNIT_ID)
#undef UNIT_ID
};

static const struct latency {
	unsigned lo, hi;
	bool predicate;
	uint8_t from;
	uint16_t to[UNIT_COUNT]; /* cycles; 0: what is least */
} latencies[] = {
#define TO(unit, cycles) [UNIT_##unit] = (cycles)
#define LATENCY(lo, hi, file, from, ...) { lo, hi, FILE_##file == FILE_PRED, UNIT_##from, { __VA_ARGS__ } },
#include "analyzer/ir/latency.def"
#undef TO
#undef LATENCY
};
enum { LATENCIES = sizeof latencies / sizeof *latencies };

/* ---- cycles ---- */
static const struct latency *find(unsigned sm, bool predicate, enum sass_unit from)
{
	for (unsigned n = 0; n < LATENCIES; n++)
		if (latencies[n].from == from && latencies[n].predicate == predicate && latencies[n].lo <= sm &&
		    latencies[n].hi >= sm)
			return &latencies[n];
	return NULL;
}

static unsigned least_before(const struct latency *l, unsigned end)
{
	unsigned least = 0;

	for (unsigned u = 0; l && u < end; u++)
		if (l->to[u] && (!least || l->to[u] < least))
			least = l->to[u];
	return least;
}

unsigned sass_latency_least(unsigned sm, bool predicate, enum sass_unit from)
{
	return least_before(find(sm, predicate, from), UNIT_COUNT);
}

unsigned sass_latency_bypass(unsigned sm, enum sass_unit from)
{
	const unsigned least = least_before(find(sm, false, from), UNIT_VOTE + 1);

	return least ? least : sass_latency_least(sm, false, from);
}

unsigned sass_latency_most(unsigned sm, bool predicate, enum sass_unit from)
{
	const struct latency *l = find(sm, predicate, from);
	unsigned most = 0;

	for (unsigned u = 0; l && u < UNIT_COUNT; u++)
		most = l->to[u] > most ? l->to[u] : most;
	return most;
}

unsigned sass_latency(unsigned sm, bool predicate, enum sass_unit from, enum sass_unit to)
{
	const struct latency *l = find(sm, predicate, from);

	return l && l->to[to] ? l->to[to] : sass_latency_least(sm, predicate, from);
}

enum sass_queue sass_queue(unsigned sm, enum sass_unit u)
{
	if (u == UNIT_MEMORY || u == UNIT_TEXTURE)
		return QUEUE_MEMORY;
	if (u == UNIT_SPECIAL)
		return QUEUE_SPECIAL;
	return u == UNIT_DOUBLE && !sass_latency(sm, false, u, u) ? QUEUE_DOUBLE : QUEUE_NONE;
}
