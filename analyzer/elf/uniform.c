/* Uniform values in an object. A reader makes them again from the code, for the CTAs that the object names, and
 * compares. */
#include "analyzer/base/hash.h"
#include "analyzer/elf/format.h"
#include "passes/pass.h"
#include "passes/uniform.h"

static uint8_t kind(const struct uniform_value *x)
{
	return (uint8_t)(x->level | x->affine << 2 | x->known << 3 | x->dead << 4);
}

/* Over the block, and what is proved for it: another block may have the same proofs. */
static uint64_t sum(const struct uniform *u, uint32_t ninsn)
{
	uint64_t x = HASH_START;

	for (unsigned n = 0; n < 3; n++)
		x = ir_hash_number(x, u->block[n]);
	for (uint32_t i = 0; i < ninsn; i++)
		x = ir_hash_number(x, u->flags[i]);
	for (uint32_t v = 0; v < u->at[ninsn]; v++)
		x = ir_hash_number(x, kind(&u->value[v]) | (uint64_t)(uint32_t)u->value[v].stride << 32);
	return x;
}

void rlo_encode_uniform(const struct kernel *k, struct arena *a, struct rlo_uniform_tables *out)
{
	const struct uniform *u = k->uniform;

	*out = (struct rlo_uniform_tables){ rlo_table_begin(RLO_R_shape, a), rlo_table_begin(RLO_R_scalar, a),
					    rlo_table_begin(RLO_R_lanes, a) };
	RLO_PUT(&out->shape, shape, .block = { u->block[0], u->block[1], u->block[2] }, .sum = sum(u, k->ninsn));
	for (uint32_t i = 0; i < k->ninsn; i++)
		RLO_PUT(&out->scalar, scalar, .flags = u->flags[i]);
	for (uint32_t v = 0; v < u->at[k->ninsn]; v++)
		RLO_PUT(&out->lanes, lanes, .kind = kind(&u->value[v]), .stride = u->value[v].stride);
	rlo_table_end(&out->shape, RLO_R_shape);
	rlo_table_end(&out->scalar, RLO_R_scalar);
	rlo_table_end(&out->lanes, RLO_R_lanes);
}

bool rlo_read_shape(struct reader *r, const struct kernel *k, uint32_t block[3])
{
	struct rlo_shape x;
	struct table t;

	if (!rlo_open(r, RLO_R_shape, k->name, false, &t))
		return false;
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records, not one", t.n);
	RLO_GET(&t, 0, shape, &x);
	if (!x.block[0] != !x.block[1] || !x.block[0] != !x.block[2])
		return rlo_bad(r, &t, 0, "CTAs of %u,%u,%u threads", x.block[0], x.block[1], x.block[2]);
	memcpy(block, x.block, sizeof x.block);
	return true;
}
