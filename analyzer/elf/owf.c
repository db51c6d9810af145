/* The order in which warps share registers, in an object. It was chosen by weights that the object does not have: a
 * reader checks that it is an order of the registers that the code has. */
#include "analyzer/elf/format.h"
#include "passes/owf.h"
#include "passes/pass.h"

struct buf rlo_encode_owf(const struct kernel *k, struct arena *a)
{
	struct buf b = rlo_table_begin(RLO_R_owf, a);

	for (uint32_t r = 0; r < k->owf->n; r++)
		RLO_PUT(&b, owf, .rank = k->owf->rank[r]);
	rlo_table_end(&b, RLO_R_owf);
	return b;
}

bool rlo_read_owf(struct reader *r, struct kernel *k)
{
	struct owf *o = k->owf = new(k->a, struct owf);
	bool taken[256] = { false };
	struct table t;

	memcpy(o->rank, owf_by_number, sizeof o->rank);
	o->n = owf_registers(k);
	if (!rlo_open(r, RLO_R_owf, k->name, !o->n, &t))
		return false;
	if (t.n != o->n)
		return rlo_bad(r, &t, 0, "orders %u registers where the code has %u", t.n, o->n);
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_owf x;

		RLO_GET(&t, i, owf, &x);
		if (x.rank >= o->n || taken[x.rank])
			return rlo_bad(r, &t, i, "R%u has rank %u of %u, which is none, or another register's", i,
				       x.rank, o->n);
		taken[x.rank] = true;
		o->rank[i] = x.rank;
	}
	k->facts |= FACT_OWF;
	return true;
}
