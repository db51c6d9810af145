/* What PTX leaves open, so that two devices may rightly differ: instructions of which it is. Where their values go is
 * flow.c's. The order of CTAs and of what printf and malloc do is the engine's to say (engine_ordered()). */
#include "analyzer/ir/matrix.h"
#include "analyzer/sass/table.h"
#include "runtime-model/engine/engine.h"
#include "runtime-model/engine/mufu.h"
#include "runtime-model/hardware/flow.h"

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

/* Does the modifier of that name say `text`? */
static bool says(const struct sass_insn *s, const char *mod, const char *text)
{
	size_t n = 0;
	const char *has = sass_mod_name(s, mod, &n);

	return has ? n == strlen(text) && memcmp(has, text, n) == 0 : !*text;
}

static bool decoded(const struct kernel *k, const struct insn *i, struct sass_insn *s)
{
	const uint64_t *word = k->native->word[i - k->insn];

	return sass_decode(k->native->sm, (struct sass_word){ word[0], word[1] }, s);
}

/* The function that it approximates; MUFU_COUNT: none that a table could have. */
static enum mufu function_of(const struct kernel *k, const struct insn *i)
{
	struct sass_insn s;
	unsigned id = 0;

	if (i->op != OP_SASS_SFU)
		return mufu_of((enum op)i->op);
	if (!decoded(k, i, &s))
		return MUFU_COUNT;
	while (id < MUFU_COUNT &&
	       !(says(&s, "mufu", mufu_info[id].function) && says(&s, "mufutype", mufu_info[id].type)))
		id++;
	return (enum mufu)id;
}

/* PTX gives a bound for its error, and no value; a table that the device follows gives one. */
static bool approximates(const struct kernel *k, const struct insn *i, const struct mufu_table *t)
{
	const char *text = op_info[i->op].text;
	enum mufu id;

	if (i->op != OP_SASS_SFU && !strstr(text, ".approx") && !strstr(text, ".full"))
		return false;
	id = t ? function_of(k, i) : MUFU_COUNT;
	return id == MUFU_COUNT || !mufu_has(t, id) || !mufu_follows(t, id);
}

/* A product of matrices of floats, but of doubles. */
static bool sums_matrix(const struct kernel *k, const struct insn *i)
{
	struct sass_insn s;
	struct matrix m;

	if (i->op == OP_SASS_MMA)
		return !decoded(k, i, &s) || !strchr("IBD", *sass_mnemonic(&s));
	return op_info[i->op].fu == FU_TENSOR && matrix_of((enum op)i->op, &m) &&
	       type_info[m.type[PART_D]].kind == 'f' && type_info[m.type[PART_D]].bits < 64;
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

const char *excluded(const struct kernel *k, uint32_t n, const struct mufu_table *t)
{
	const struct insn *i = &k->insn[n];

	if (reads_own(k, i))
		return "a clock, or what each device numbers as it likes";
	if (shows_warps(k, i))
		return "an atomic whose order shows in memory";
	if (approximates(k, i, t))
		return "an approximation, of which PTX has a bound and no value";
	if (sums_matrix(k, i))
		return "a product of matrices, whose rounding PTX leaves open";
	return NULL;
}
