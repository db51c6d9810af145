/* What is proved of an instruction, in words: "R4 cta, R5 affine 4, P0 ..." for what it writes. */
#include "passes/uniform.h"

const char *const uniform_level_name[4] = { "vector", "warp", "cta", "grid" };

/* ", R4 grid", or nothing if nothing is proved. */
static char *add(struct arena *a, char *text, uint32_t reg, const struct uniform_value *v)
{
	const char *sep = *text ? ", " : "";

	if (v->level)
		return arena_printf(a, "%s%sR%u %s", text, sep, reg, uniform_level_name[v->level]);
	if (v->known)
		return arena_printf(a, "%s%sR%u affine %d", text, sep, reg, v->stride);
	return v->affine ? arena_printf(a, "%s%sR%u affine", text, sep, reg) : text;
}

char *uniform_text(const struct kernel *k, uint32_t i, struct arena *a)
{
	const struct uniform *u = k->uniform;
	char *text = arena_printf(a, "%s", "");
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned d = 0; d < r.ndst; d++)
		text = add(a, text, r.dst[d], uniform_dst(u, i, &r, d));
	return text;
}
