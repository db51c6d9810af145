/* Readings of clocks, collected for each SM, since SMs may run on threads of their own, and sorted by warp when asked
 * for. */
#include "runtime-model/gpu/readings.h"
#include "runtime-model/core/job.h"

struct reading {
	uint64_t warp; /* of the launch: CTA by CTA */
	cycle at;
};

/* of an SM */
struct sm_readings {
	struct arena a;
	unsigned first[PROBE_WARPS]; /* the slot of the first warp of its CTA, by slot */
	struct reading *reading;
	uint32_t n, cap;
};

struct readings {
	struct gpu_probe probe;
	struct arena a;
	const struct kernel *k;
	bool *is_read; /* by instruction */
	uint64_t warps_of_cta, warps;
	struct sm_readings **sm;
	unsigned sms;
	uint64_t *first; /* by warp, and behind the last: index of its first reading in at */
	cycle *at;
};

static bool reads_clock(const struct kernel *k, const struct insn *i)
{
	for (unsigned n = 0; n < i->nsrc; n++) {
		const struct ref r = insn_src(k, i)[n];

		if (r.kind == REF_SREG && sreg_is_clock((enum sreg)r.val))
			return true;
	}
	return false;
}

bool readings_wanted(const struct kernel *k)
{
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (reads_clock(k, &k->insn[i]))
			return true;
	return false;
}

static void start(void *ctx, const struct gpu_job *j)
{
	struct readings *r = ctx;

	r->sms = j->params->sms;
	r->sm = new_array(&r->a, struct sm_readings *, r->sms);
	for (unsigned i = 0; i < r->sms; i++) {
		r->sm[i] = new(&r->a, struct sm_readings);
		arena_init(&r->sm[i]->a);
	}
}

static void event(void *ctx, const struct probe_event *e)
{
	struct readings *r = ctx;
	struct sm_readings *s = r->sm[e->sm];

	if (e->kind == PROBE_CTA_START) {
		for (unsigned i = 0; i < e->n; i++)
			s->first[e->warp + i] = e->warp;
	} else if (!e->move && e->active && !INSN_IS_METADATA(e->insn) && r->is_read[e->insn]) {
		arena_grow(&s->a, s->reading, s->n, s->cap);
		s->reading[s->n++] = (struct reading){ e->cta * r->warps_of_cta + e->warp - s->first[e->warp], e->at };
	}
}

struct readings *readings_new(const struct kernel *k, uint64_t ctas, unsigned warps, struct arena *a)
{
	struct readings *r = new(a, struct readings);

	arena_init(&r->a);
	r->k = k;
	r->warps_of_cta = warps;
	r->warps = ctas * warps;
	r->is_read = new_array(&r->a, bool, k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++)
		r->is_read[i] = reads_clock(k, &k->insn[i]);
	r->probe =
		(struct gpu_probe){ .ctx = r, .want = PROBE(CTA_START) | PROBE(ISSUE), .event = event, .start = start };
	return r;
}

void readings_free(struct readings *r)
{
	for (unsigned i = 0; i < r->sms; i++)
		arena_free(&r->sm[i]->a);
	arena_free(&r->a);
}

const struct gpu_probe *readings_probe(struct readings *r) { return &r->probe; }

/* Readings of one warp are all of one SM, in their order. */
static void sort(struct readings *r)
{
	uint64_t *next;

	r->first = new_array(&r->a, uint64_t, r->warps + 2);
	next = r->first + 1; /* of a warp; where its next reading goes, until it is the first of the one behind it */
	for (unsigned i = 0; i < r->sms; i++)
		for (uint32_t n = 0; n < r->sm[i]->n; n++)
			next[r->sm[i]->reading[n].warp]++;
	for (uint64_t w = 0, sum = 0; w < r->warps; w++) {
		const uint64_t n = next[w];

		next[w] = sum;
		sum += n;
		r->first[r->warps + 1] = sum;
	}
	r->at = new_array(&r->a, cycle, r->first[r->warps + 1] + 1);
	for (unsigned i = 0; i < r->sms; i++)
		for (uint32_t n = 0; n < r->sm[i]->n; n++)
			r->at[next[r->sm[i]->reading[n].warp]++] = r->sm[i]->reading[n].at;
}

static bool at(const void *ctx, uint64_t cta, unsigned warp, uint64_t n, uint64_t *when)
{
	const struct readings *r = ctx;
	const uint64_t w = cta * r->warps_of_cta + warp;

	if (n >= r->first[w + 1] - r->first[w])
		return false;
	*when = r->at[r->first[w] + n];
	return true;
}

struct engine_clock readings_clock(struct readings *r, uint64_t start_cycle, unsigned mhz)
{
	sort(r);
	return (struct engine_clock){ .ctx = r, .at = at, .start = start_cycle, .mhz = mhz };
}
