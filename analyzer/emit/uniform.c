/* What is proved of lanes, in the views. */
#include "analyzer/emit/view.h"
#include "passes/pass.h"
#include "passes/uniform.h"

struct sums {
	uint64_t written, level[4], affine, dead, apart, one_lane;
};

static struct sums sum(const struct kernel *k)
{
	const struct uniform *u = k->uniform;
	struct sums n = { 0 };

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn_regs r;

		ir_insn_regs(k, &k->insn[i], &r);
		for (unsigned d = 0; d < r.ndst; d++) {
			const struct uniform_value *v = uniform_dst(u, i, &r, d);

			n.written++;
			n.level[v->level]++;
			n.affine += v->affine;
			n.dead += v->dead;
		}
		n.apart += !(u->flags[i] & UNIFORM_CONVERGENT);
		n.one_lane += uniform_inputs(u, i) != UNIFORM_NOT;
	}
	return n;
}

void view_put_uniform(FILE *f, const struct kernel *k)
{
	const struct sums n = sum(k);
	const uint32_t *b = k->uniform->block;

	fprintf(f,
		"  %-14s of %llu registers written %llu are the same in all threads of the grid, %llu of a CTA, %llu "
		"of a warp; %llu affine; %llu overwrite what no other lane reads",
		"lanes", (unsigned long long)n.written, (unsigned long long)n.level[UNIFORM_GRID],
		(unsigned long long)n.level[UNIFORM_CTA], (unsigned long long)n.level[UNIFORM_WARP],
		(unsigned long long)n.affine, (unsigned long long)n.dead);
	if (b[0])
		fprintf(f, "; in blocks of %u,%u,%u", b[0], b[1], b[2]);
	fprintf(f,
		"\n  %-14s %llu instructions read the same in all lanes; lanes of a warp may execute %llu at different "
		"times\n",
		"", (unsigned long long)n.one_lane, (unsigned long long)n.apart);
}

json_t *view_uniform_json(const struct kernel *k)
{
	const struct sums n = sum(k);
	const uint32_t *b = k->uniform->block;
	json_t *j =
		json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "written", (json_int_t)n.written, "grid",
			  (json_int_t)n.level[UNIFORM_GRID], "cta", (json_int_t)n.level[UNIFORM_CTA], "warp",
			  (json_int_t)n.level[UNIFORM_WARP], "affine", (json_int_t)n.affine, "dead", (json_int_t)n.dead,
			  "uniform_operands", (json_int_t)n.one_lane, "apart", (json_int_t)n.apart);

	if (b[0])
		json_object_set_new(j, "block",
				    json_pack("[I, I, I]", (json_int_t)b[0], (json_int_t)b[1], (json_int_t)b[2]));
	return j;
}
