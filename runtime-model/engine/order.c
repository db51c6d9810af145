/* Whether the order in which a launch's CTAs go can show in what it leaves, for a kernel without data races; from its
 * code alone, and therefore for the worst. Where it can, the order is the canonical one (engine.h). */
#include "runtime-model/engine/core.h"
#include "runtime-model/engine/texture.h"

#include "analyzer/sass/values.h"

/* Reductions that give the same in every order, each with itself alone. */
/* clang-format off */
#define COMMUTE(X) X(ADD_U64) X(MIN_U32) X(MIN_S32) X(MIN_U64) X(MIN_S64) X(MAX_U32) X(MAX_S32) X(MAX_U64) X(MAX_S64) \
	X(AND_B32) X(OR_B32) X(XOR_B32) X(AND_B64) X(OR_B64) X(XOR_B64)
/* clang-format on */
static enum op commuting(uint16_t op)
{
	switch ((unsigned)op) {
	case OP_ATOM_ADD_U32:
	case OP_RED_ADD_U32:
	case OP_ATOM_ADD_S32:
	case OP_RED_ADD_S32:
		return OP_RED_ADD_U32;
#define ROW(id)            \
	case OP_ATOM_##id: \
	case OP_RED_##id:  \
		return OP_RED_##id;
		COMMUTE(ROW)
#undef ROW
	default:
		return OP_COUNT;
	}
}

static bool reads(const struct kernel *k, const struct insn *i, uint32_t r, bool *writes)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);
	bool read = false;

	*writes = false;
	for (unsigned u = 0; u < n; u++)
		if (use[u].reg == r && use[u].write)
			*writes = true;
		else
			read |= use[u].reg == r;
	return read;
}

/* Whether anything may read register r behind instruction n of block b. */
static bool read_behind(const struct kernel *k, uint32_t b, uint32_t n, uint32_t r)
{
	struct live_set out;
	bool writes;

	for (; n < k->block[b].n; n++) {
		const struct insn *i = &k->insn[k->block[b].first + n];

		if (reads(k, i, r, &writes))
			return true;
		if (writes && insn_kills(i))
			return false;
	}
	if (k->facts & FACT_LIVE) {
		out = live_out(k, b);
		for (uint32_t m = 0; m < out.n; m++)
			if (out.reg[m] == r)
				return true;
		return false;
	}
	if (k->form == FORM_MACHINE)
		return !ir_block_end(k, b, OPF_EXIT);
	for (uint32_t m = 0; m < k->ninsn; m++) /* anywhere */
		if (reads(k, &k->insn[m], r, &writes))
			return true;
	return false;
}

static bool result_read(const struct kernel *k, uint32_t b, uint32_t n)
{
	struct reg_use use[REG_USE_MAX];
	unsigned nuse = insn_reg_uses(k, &k->insn[k->block[b].first + n], use);

	for (unsigned u = 0; u < nuse; u++)
		if (use[u].write && read_behind(k, b, n + 1, use[u].reg))
			return true;
	return false;
}

/* the one that global memory is reduced by, or OP_COUNT */
struct seen {
	enum op reduces;
};

/* Why instruction n of block b, which does i, shows the order; NULL: it does not. */
static const char *why(const struct kernel *k, uint32_t b, uint32_t n, const struct insn *i, struct seen *s, bool *must)
{
	uint32_t flags = op_info[i->op].flags;
	bool global = i->space == SP_GLOBAL || i->space == SP_GENERIC;
	struct texture t;
	enum op op;

	if (op_is_host(i->op) && i->op != OP_HOST_ASSERTFAIL) {
		*must = true;
		return "the host does it in the order of the CTAs";
	}
	if (i->op == OP_MEMBAR)
		return i->mods & MOD_CTA ? NULL : "a fence, which makes flags between CTAs";
	if (texture_of(i->op, &t))
		return t.kind == SURFACE_REDUCE ? "a reduction on a surface" : NULL;
	if (!global || !op_info[i->op].mem_bytes)
		return NULL;
	if (!(flags & OPF_ATOMIC))
		return flags & OPF_LOAD && (i->mods & (MOD_VOLATILE | MOD_ACQUIRE | MOD_RELAXED) || i->cop == COP_CV)
			       ? "a load that sees what other CTAs are about to store"
			       : NULL;
	op = commuting(i->op);
	if (op == OP_COUNT)
		return "an atomic whose order shows in memory";
	if (s->reduces != OP_COUNT && s->reduces != op)
		return "a second kind of reduction, which may meet the first";
	s->reduces = op;
	return result_read(k, b, n) ? "an atomic whose result is read" : NULL;
}

const char *order_shows_native(const struct kernel *k, const struct kernel *steps, const struct sass_steps *of,
			       struct arena *a, bool *must)
{
	struct seen s = { OP_COUNT };
	const char *first = NULL;

	*must = k->native->nconstant4 != 0;
	for (uint32_t i = 0; i < k->native->naddress; i++)
		*must |= k->native->address[i].what == NATIVE_RUNTIME;
	if (*must)
		return "functions of the driver may be called, which the host does in the order of the CTAs";
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t n = 0; n < k->block[b].n && !first; n++) {
			const uint32_t at = k->block[b].first + n;
			const char *text = NULL;

			for (uint32_t x = 0; x < of[at].n && !text; x++)
				text = why(k, b, n, &steps->insn[of[at].first + x], &s, must);
			if (text)
				first = arena_printf(a, "%s: %s", ir_print_insn(a, k, &k->insn[at]), text);
		}
	return first;
}

const char *order_shows(const struct kernel *k, struct arena *a, bool *must)
{
	struct seen s = { OP_COUNT };
	const char *first = NULL;

	*must = false;
	for (uint32_t b = 0; b < k->nblock && !*must; b++)
		for (uint32_t n = 0; n < k->block[b].n; n++) {
			const struct insn *i = &k->insn[k->block[b].first + n];
			const char *text = why(k, b, n, i, &s, must);

			if (text && (!first || *must))
				first = arena_printf(a, "%s: %s", ir_print_insn(a, k, i), text);
			if (*must)
				break;
		}
	return first;
}
