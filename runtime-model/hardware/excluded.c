/* What PTX leaves open, so that two devices may rightly differ: seen from a kernel's instructions, and therefore for
 * the worst. The order of CTAs and of what printf and malloc do is the engine's to say (engine_ordered()). */
#include "runtime-model/hardware/walk.h"

#include <string.h>

static bool has_result(const struct kernel *k, const struct insn *i)
{
	return i->ndst && insn_dst(k, i)[0].kind != REF_NONE;
}

/* An atomic of shared memory, whose order is that of the CTA's warps. */
static bool shows_warps(const struct kernel *k, const struct insn *i)
{
	const struct op_info *o = &op_info[i->op];

	return o->flags & OPF_ATOMIC && i->space != SP_GLOBAL &&
	       (k->native || has_result(k, i) || strstr(o->text, ".f") || strstr(o->text, ".bf"));
}

/* PTX gives a bound for its error, and no value. */
static bool approximates(const struct insn *i)
{
	const char *text = op_info[i->op].text;

	return i->op == OP_SASS_SFU || strstr(text, ".approx") || strstr(text, ".full");
}

/* A special register that the device fills as it likes, or that tells the time. */
static bool is_own(enum sreg s)
{
	return sreg_is_of_warp(s) || sreg_is_clock(s) || s == SREG_NWARPID || s == SREG_SMID || s == SREG_NSMID ||
	       s == SREG_GRIDID || (s >= SREG_ENVREG0 && s <= SREG_ENVREG31);
}

static bool reads_own(const struct kernel *k, const struct insn *i)
{
	for (unsigned n = 0; n < i->nsrc; n++)
		if (insn_src(k, i)[n].kind == REF_SREG && is_own((enum sreg)insn_src(k, i)[n].val))
			return true;
	return false;
}

static const char *why(const struct kernel *k, const struct insn *i)
{
	if (reads_own(k, i))
		return "a clock, or what each device numbers as it likes";
	if (shows_warps(k, i))
		return "an atomic whose order shows in memory";
	if (approximates(i))
		return "an approximation, of which PTX has a bound and no value";
	return NULL;
}

const char *excluded(const struct kernel *k, const char *ordered, struct arena *a)
{
	for (uint32_t n = 0; n < k->ninsn && !ordered; n++)
		if (why(k, &k->insn[n]))
			ordered = arena_printf(a, "%s: %s", ir_print_insn(a, k, &k->insn[n]), why(k, &k->insn[n]));
	return ordered;
}
