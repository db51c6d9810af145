/* Special registers, lanes of a warp that look at each other and barriers of the CTA, in rows of PTX. These forms are
 * about the lanes that execute: which lanes these are WARPSYNC and BSYNC have seen to. What goes to a uniform register
 * is made in a value between, and given to the warp from there. */
#include "analyzer/sass/lift.h"
#include "analyzer/sass/values_one.h"

#include <string.h>

/* Of a barrier that reduces, from BAR to B2R: values that nothing else writes. */
enum { REDUCED_WORD = VALUE_W0 + 7, REDUCED_FLAG = VALUE_P0 + 3 };

/* ---- special registers ---- */
enum {
	SR_VIRTCFG = 2,
	SR_VIRTID = 3,
	SR_SWINHI = 47,
	SR_SMEMSZ = 50,
	SR_LMEMHIOFF = 55,
	SR_CGA_SIZE = 138,
	SR_ZERO = 255,
};

/* A stack may grow down to byte SR_LMEMHIOFF of local memory, or the code of ptxas -O0 traps: all of it is stack. */
static bool special_number(const struct one *o, uint64_t number, struct ref *out)
{
	if (number == SR_ZERO || ((number == SR_CGA_SIZE || number == SR_LMEMHIOFF) && one_steps(o)))
		*out = one_imm(o, 0);
	else if (number == SR_SWINHI && one_steps(o))
		*out = one_imm(o, NATIVE_SHARED_HIGH);
	else
		return false;
	return true;
}

/* Warps stand above a field of 8 bits that nobody reads. */
static bool special_shifted(const struct one *o, uint64_t number, struct ref d)
{
	const enum sreg s = number == SR_VIRTID ? SREG_WARPID : SREG_NWARPID;

	if (!one_steps(o) || (number != SR_VIRTID && number != SR_VIRTCFG))
		return false;
	one_put1(o, OP_MOV_B32, one_word(0), (struct ref){ .kind = REF_SREG, .val = s });
	one_put2(o, OP_SHL_B32, d, one_word(0), one_imm(o, 8));
	return true;
}

/* Two registers: the counter of 64 bits that begins there. */
static enum sreg special_wide(enum sreg s)
{
	if (s == SREG_CLOCK)
		return SREG_CLOCK64;
	return s == SREG_GLOBALTIMER_LO ? SREG_GLOBALTIMER : SREG_COUNT;
}

void sem_special(const struct one *o)
{
	const struct sass_operand *x = one_role(o, SROLE_A), *d = one_role(o, SROLE_D);
	struct ref number, to = one_result(o, SROLE_D, 0);
	enum sreg s;

	if (!x || x->kind != SASS_SREG || !d) {
		one_refuse(o, "it names no special register");
		return;
	}
	if (special_number(o, x->value, &number)) {
		for (unsigned n = 0; n < d->n; n++)
			one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, n), number);
		return;
	}
	if (special_shifted(o, x->value, to))
		return;
	s = sass_special(x->value);
	if (!one_steps(o)) { /* for passes: what does not change, and is no matter of the machine */
		if ((s >= SREG_TID_X && s <= SREG_TID_Z) || (s >= SREG_CTAID_X && s <= SREG_CTAID_Z) ||
		    s == SREG_LANEID)
			one_put1(o, OP_MOV_B32, to, (struct ref){ .kind = REF_SREG, .val = s });
		return;
	}
	if (x->value == SR_SMEMSZ)
		s = SREG_TOTAL_SMEM_SIZE;
	if (s == SREG_COUNT || (d->n == 2 && special_wide(s) == SREG_COUNT)) {
		one_refuse(o, "what the special register holds is not known");
	} else if (d->n == 2) {
		struct ref pair = one_pair_result(o, SROLE_D, 0, 0);

		one_put1(o, OP_MOV_B64, pair, (struct ref){ .kind = REF_SREG, .val = special_wide(s) });
		one_put_pair(o, SROLE_D, 0, pair);
	} else {
		one_put1(o, OP_MOV_B32, to, (struct ref){ .kind = REF_SREG, .val = s });
	}
}

/* ---- to the whole warp ---- */
static void spread(const struct one *o, struct ref d, struct ref from) { one_put1(o, OP_SASS_SPREAD, d, from); }

static void spread_flag(const struct one *o, struct ref d, struct ref from)
{
	one_put1(o, OP_SASS_SPREAD_PRED, d, from);
}

/* The value of a lane that executes; a predicate holds for those that have another one: .OR adds them to what it
 * was. */
void sem_to_uniform(const struct one *o)
{
	struct ref a = one_source(o, SROLE_A), d = one_result(o, SROLE_D, 0), pd = one_result(o, SROLE_PD, 0);

	if (!one_steps(o)) {
		if (sass_mod(o->s, "r2uror") <= 0)
			one_put1(o, OP_MOV_B32, d, a);
		return;
	}
	if (pd.kind == REF_REG) {
		spread(o, one_word(0), a);
		one_put2(o, OP_SETP_NE_B32, one_flag(0), a, one_word(0));
		if (sass_mod(o->s, "r2uror") > 0)
			one_put2(o, OP_OR_PRED, one_flag(0), one_flag(0), pd);
		one_put1(o, OP_MOV_PRED, pd, one_flag(0));
	}
	spread(o, d, a);
}

/* ---- lanes that look at each other ---- */
static void vote(const struct one *o, struct ref mask, struct ref flag)
{
	const char *how = one_named(o, "vote");
	struct ref src[2] = { one_predicate(o, SROLE_PP), one_imm(o, UINT32_MAX) };
	enum op op = OP_VOTE_UNI;

	if (strcmp(how, "ALL") == 0)
		op = OP_VOTE_ALL;
	else if (strcmp(how, "ANY") == 0)
		op = OP_VOTE_ANY;
	if (mask.kind == REF_REG)
		one_row(o, OP_VOTE_BALLOT, &mask, 1, src, 2);
	if (flag.kind == REF_REG)
		one_row(o, op, &flag, 1, src, 2);
}

void sem_vote(const struct one *o)
{
	struct ref d = one_result(o, SROLE_D, 0), pd = one_result(o, SROLE_PD, 0);

	if (pd.kind == REF_REG && d.kind == REF_REG) { /* the predicate may be the source of both */
		vote(o, ref_none(), one_flag(0));
		vote(o, d, ref_none());
		one_put1(o, OP_MOV_PRED, pd, one_flag(0));
	} else {
		vote(o, d, pd);
	}
}

void sem_vote_uniform(const struct one *o)
{
	struct ref d = one_result(o, SROLE_D, 0), pd = one_result(o, SROLE_PD, 0);

	vote(o, d.kind == REF_REG ? one_word(0) : d, pd.kind == REF_REG ? one_flag(0) : pd);
	spread(o, d, one_word(0));
	spread_flag(o, pd, one_flag(0));
}

void sem_shuffle(const struct one *o)
{
	static const struct {
		const char *name;
		enum op op;
	} known[] = {
		{ "IDX", OP_SHFL_IDX }, { "UP", OP_SHFL_UP }, { "DOWN", OP_SHFL_DOWN }, { "BFLY", OP_SHFL_BFLY }
	};
	struct ref d[2] = { one_result(o, SROLE_D, 0), one_result(o, SROLE_PD, 0) },
		   src[4] = { one_source(o, SROLE_A), one_source(o, SROLE_B), one_source(o, SROLE_C),
			      one_imm(o, UINT32_MAX) };

	for (unsigned n = 0; n < sizeof known / sizeof *known; n++)
		if (strcmp(one_named(o, "shfl"), known[n].name) == 0)
			one_row(o, known[n].op, d, d[1].kind == REF_REG ? 2 : 1, src, 4);
}

void sem_match(const struct one *o)
{
	const bool wide = sass_mod(o->s, "matchu64") > 0, all = strcmp(one_named(o, "match"), "ALL") == 0;
	struct ref d[2] = { one_result(o, SROLE_D, 0), one_result(o, SROLE_PD, 0) },
		   src[2] = { wide ? one_pair(o, SROLE_A, 0) : one_source(o, SROLE_A), one_imm(o, UINT32_MAX) };

	if (all)
		one_row(o, wide ? OP_MATCH_ALL_B64 : OP_MATCH_ALL_B32, d, d[1].kind == REF_REG ? 2 : 1, src, 2);
	else
		one_row(o, wide ? OP_MATCH_ANY_B64 : OP_MATCH_ANY_B32, d, 1, src, 2);
}

static void reduce(const struct one *o, enum op op)
{
	struct ref src[2] = { one_source(o, SROLE_A), one_imm(o, UINT32_MAX) }, between = one_word(0);

	one_row(o, op, &between, 1, src, 2);
	spread(o, one_result(o, SROLE_D, 0), between);
}

void sem_reduce(const struct one *o)
{
	const char *how = one_named(o, "redux");
	const bool sign = sass_mod(o->s, "reduxs32") > 0;

	if (strcmp(how, "") == 0)
		reduce(o, OP_REDUX_AND);
	else if (strcmp(how, "OR") == 0)
		reduce(o, OP_REDUX_OR);
	else if (strcmp(how, "XOR") == 0)
		reduce(o, OP_REDUX_XOR);
	else if (strcmp(how, "SUM") == 0)
		reduce(o, OP_REDUX_ADD);
	else if (strcmp(how, "MIN") == 0)
		reduce(o, sign ? OP_REDUX_MIN_S32 : OP_REDUX_MIN_U32);
	else if (strcmp(how, "MAX") == 0)
		reduce(o, sign ? OP_REDUX_MAX_S32 : OP_REDUX_MAX_U32);
}

void sem_reduce_least(const struct one *o)
{
	const char *type = one_named(o, "creduxtype");
	const bool least = strcmp(one_named(o, "credux"), "MIN") == 0;

	if (strcmp(type, "F32") == 0)
		one_refuse(o, "PTX's reductions of floats are not executed");
	else if (strcmp(type, "S32") == 0)
		reduce(o, least ? OP_REDUX_MIN_S32 : OP_REDUX_MAX_S32);
	else
		reduce(o, least ? OP_REDUX_MIN_U32 : OP_REDUX_MAX_U32);
}

/* The first lane of those that execute, or that a mask names: the predicate is that lane's. */
void sem_elect(const struct one *o)
{
	const struct sass_operand *u = one_role(o, SROLE_U);
	struct ref d = one_result(o, SROLE_D, 0), pd = one_result(o, SROLE_PD, 0),
		   dst[2] = { one_word(0), one_flag(0) }, src[1] = { u ? one_bits32(o, u, 0) : one_imm(o, UINT32_MAX) };

	if (!u && !one_is_number(o, one_predicate(o, SROLE_PP), 1)) {
		one_refuse(o, "whom it elects under a predicate is not known");
		return;
	}
	one_row(o, OP_ELECT, dst, 2, src, 1)->mods |= u ? MOD_SYNC : 0;
	one_put1(o, OP_MOV_PRED, pd, one_flag(0));
	spread(o, d, one_word(0));
}

/* ---- barriers of the CTA ---- */
/* Its number and how many threads it waits for; in a register the count stands from bit 16 on. */
static void barrier_operands(const struct one *o, struct ref src[2])
{
	const struct sass_operand *id = one_role(o, SROLE_BAR), *count = one_role(o, SROLE_NUM),
				  *in = one_role(o, SROLE_B), *threads = one_role(o, SROLE_C);

	if (in && in->reg != SASS_ZERO) {
		one_put2(o, OP_AND_B32, one_word(0), one_bits32(o, in, 0), one_imm(o, 0xffff));
		one_put3(o, OP_BFE_U32, one_word(1), one_bits32(o, in, 0), one_imm(o, 16), one_imm(o, 12));
		src[0] = one_word(0);
		src[1] = count ? one_imm(o, count->value) : one_word(1);
		return;
	}
	src[0] = one_imm(o, id ? id->value : 0);
	src[1] = one_imm(o, count ? count->value : 0);
	if (threads && threads->reg != SASS_ZERO)
		src[1] = one_bits32(o, threads, 0);
}

void sem_barrier(const struct one *o)
{
	const char *how = one_named(o, "bar"), *op = one_named(o, "barred");
	struct ref src[3], word = ref_reg(REDUCED_WORD), flag = ref_reg(REDUCED_FLAG);

	barrier_operands(o, src);
	if (strcmp(how, "SYNC") == 0) {
		one_row(o, OP_BAR_SYNC, NULL, 0, src, 2);
	} else if (strcmp(how, "ARV") == 0) {
		one_row(o, OP_BAR_ARRIVE, NULL, 0, src, 2);
	} else if (strcmp(how, "RED") == 0) {
		src[2] = one_role(o, SROLE_PP) ? one_predicate(o, SROLE_PP) : one_imm(o, 1);
		if (strcmp(op, "POPC") == 0)
			one_row(o, OP_BAR_RED_POPC, &word, 1, src, 3);
		else
			one_row(o, strcmp(op, "AND") == 0 ? OP_BAR_RED_AND : OP_BAR_RED_OR, &flag, 1, src, 3);
	} else {
		one_refuse(o, "what this barrier does is not known");
	}
}

void sem_barrier_result(const struct one *o)
{
	if (sass_mod(o->s, "result") <= 0)
		one_refuse(o, "only results of reductions are known");
	one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, 0), ref_reg(REDUCED_WORD));
	one_put1(o, OP_MOV_PRED, one_result(o, SROLE_PD, 0), ref_reg(REDUCED_FLAG));
}

void sem_barrier_cluster(const struct one *o)
{
	one_row(o, strcmp(sass_mnemonic(o->s), "UCGABAR_ARV") == 0 ? OP_BAR_CLUSTER_ARRIVE : OP_BAR_CLUSTER_WAIT, NULL,
		0, NULL, 0);
}

void sem_fence(const struct one *o)
{
	struct insn *x = one_row(o, OP_MEMBAR, NULL, 0, NULL, 0);

	if (x && sass_has(o->s, "CTA"))
		x->mods |= MOD_CTA;
}

void sem_trap(const struct one *o)
{
	one_row(o, strcmp(one_named(o, "bpt"), "TRAP") == 0 ? OP_TRAP : OP_BRKPT, NULL, 0, NULL, 0);
}
