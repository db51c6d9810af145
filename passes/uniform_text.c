/* What is proved of an instruction, in words: "R4 cta, R5 affine 4, P0 ..." for what it writes. */
#include "passes/uniform.h"

const char *const uniform_level_name[4] = { "vector", "warp", "cta", "grid" };

const char *uniform_value_text(const struct uniform_value *v, struct arena *a)
{
	if (v->known)
		return arena_printf(a, "affine %d", v->stride);
	return v->affine ? "affine" : uniform_level_name[v->level];
}

char *uniform_text(const struct kernel *k, uint32_t i, struct arena *a)
{
	const struct uniform *u = k->uniform;
	char *text = arena_printf(a, "%s", "");
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned d = 0; d < r.ndst; d++)
		if (uniform_dst(u, i, &r, d)->level || uniform_dst(u, i, &r, d)->affine)
			text = arena_printf(a, "%s%sR%u %s", text, *text ? ", " : "", r.dst[d],
					    uniform_value_text(uniform_dst(u, i, &r, d), a));
	return text;
}
