/* Checking choices of places, and shrinking their problems. */
#include "places.h"

#include "analyzer/base/bitset.h"

int64_t places_gain(const struct places *p, const struct places_choice *c)
{
	int64_t gain = 0;
	uint32_t most = 0;
	uint64_t *taken;
	struct arena a;

	for (uint32_t b = 0; b < p->nbank; b++)
		most = p->entries[b] > most ? p->entries[b] : most;
	arena_init(&a);
	taken = bitset_new(&a, p->nbank * p->npoint * most);
	for (uint32_t v = 0; v < p->nvalue && gain >= 0; v++) {
		const struct places_stay *s;

		if (c[v].stay == PLACES_NONE)
			continue;
		s = c[v].stay < p->nstay ? &p->stay[c[v].stay] : NULL;
		if (!s || s->value != v || c[v].step < s->first || c[v].step - s->first >= s->n ||
		    c[v].entry >= p->entries[s->bank]) {
			gain = -1;
			break;
		}
		gain += p->step[c[v].step].gain;
		for (uint32_t t = s->first; t <= c[v].step && gain >= 0; t++)
			for (uint32_t i = p->step[t].first; i < p->step[t].first + p->step[t].n; i++) {
				uint32_t bit = (s->bank * most + c[v].entry) * p->npoint + p->point[i];

				if (bitset_has(taken, bit))
					gain = -1;
				bitset_add(taken, bit);
			}
	}
	arena_free(&a);
	return gain;
}

struct places places_reduce(const struct places *p, struct arena *a, uint32_t **stay_of, uint32_t **step_of)
{
	struct places_stay *stay = new_array(a, struct places_stay, (size_t)p->nstay + 1);
	struct places_step *step = new_array(a, struct places_step, (size_t)p->nstep + 1);
	uint32_t npoint = 0, *point;
	struct places out = *p;

	for (uint32_t s = 0; s < p->nstep; s++)
		npoint += p->step[s].n;
	point = new_array(a, uint32_t, (size_t)npoint + 1);
	*stay_of = new_array(a, uint32_t, (size_t)p->nstay + 1);
	*step_of = new_array(a, uint32_t, (size_t)p->nstep + 1);
	out.nstay = out.nstep = npoint = 0;
	for (uint32_t s = 0; s < p->nstay; s++) {
		struct places_stay *to = &stay[out.nstay];
		uint32_t begin = npoint; /* of the step that is being put together */
		int64_t best = 0;

		*to = (struct places_stay){ p->stay[s].value, p->stay[s].bank, out.nstep, 0 };
		for (uint32_t t = p->stay[s].first; t < p->stay[s].first + p->stay[s].n; t++) {
			for (uint32_t i = 0; i < p->step[t].n; i++)
				point[npoint++] = p->point[p->step[t].first + i];
			if (p->step[t].gain <= best)
				continue;
			best = p->step[t].gain;
			if (npoint == begin) { /* as many points as the step before, and better */
				step[out.nstep - 1].gain = best;
			} else {
				step[out.nstep++] = (struct places_step){ begin, npoint - begin, best };
				to->n++;
				begin = npoint;
			}
			(*step_of)[out.nstep - 1] = t;
		}
		npoint = begin;
		if (to->n)
			(*stay_of)[out.nstay++] = s;
	}
	out.stay = stay;
	out.step = step;
	out.point = point;
	return out;
}
