/* What decoded instructions ask of the banks, and the model over a kernel. docs/BANKS.md says which units take how many
 * lanes. */
#include "analyzer/sass/banks.h"
#include "analyzer/sass/table.h"

#include "passes/freq.h"
#include "passes/pass.h"

#include <assert.h>
#include <string.h>

/* bit of the opcode of what has variable latency: conversions, special functions, memory */
enum { QUEUED = 0x100 };
enum unit { UNIT_NONE, UNIT_FP32, UNIT_INT, UNIT_IMAD, UNIT_HALF, UNIT_FP64, UNIT_COUNT };

/* Lanes of an SM that take in such instructions, a cycle: CUDA C++ Programming Guide, throughput of native arithmetic
 * instructions; sm_120 INT: NVIDIA RTX Blackwell whitepaper; sm_103 FP64: as many as the other two of the guide's
 * columns. An SM has four parts. */
static const struct {
	unsigned sm;
	uint8_t lanes[UNIT_COUNT];
} rates[] = {
	/*           -  FP32  INT IMAD HALF FP64 */
	{ 75, { 0, 64, 64, 64, 64, 2 } },    { 80, { 0, 64, 64, 64, 128, 32 } },   { 86, { 0, 128, 64, 64, 64, 2 } },
	{ 90, { 0, 128, 64, 64, 128, 64 } }, { 100, { 0, 128, 64, 64, 128, 64 } }, { 103, { 0, 128, 64, 64, 128, 2 } },
	{ 120, { 0, 128, 128, 64, 64, 2 } },
};

static unsigned unit_cycles(unsigned sm, enum unit u)
{
	unsigned at = 0;

	for (unsigned r = 0; r < sizeof rates / sizeof *rates; r++)
		if (rates[r].sm <= sm)
			at = r;
	/* Where FP64 has few lanes, and on sm_80, it sets dependency barriers as what is queued does. */
	return u == UNIT_NONE || (u == UNIT_FP64 && rates[at].lanes[u] < 64) ? 0 : 4 * 32 / rates[at].lanes[u];
}

/* The unit that an instruction is for, UNIT_NONE: one whose reads do not hold up issue; and whose entries of the cache
 * it uses. Halves and FP64 are told by their names, H and D. */
static enum bank_cache cache_of(const struct sass_insn *i, enum unit *u)
{
	char kind = *sass_mnemonic(i);

	*u = UNIT_NONE;
	if (i->row->base & QUEUED)
		return BANK_CACHE_NONE;
	switch (sass_class(i)) {
	case SCLASS_FADD:
	case SCLASS_FMUL:
	case SCLASS_FMAD:
		*u = UNIT_FP32;
		break;
	case SCLASS_CONVERT:
	case SCLASS_MOVE:
	case SCLASS_INT:
	case SCLASS_MINMAX:
	case SCLASS_FMINMAX:
	case SCLASS_PRED:
		*u = UNIT_INT;
		break;
	case SCLASS_IMAD:
		*u = UNIT_IMAD;
		break;
	case SCLASS_DADD:
	case SCLASS_DMUL:
	case SCLASS_DMAD:
		break;
	case SCLASS_MMA:
		return BANK_CACHE_MMA;
	case SCLASS_UNIFORM:
	case SCLASS_SPECIAL:
	case SCLASS_SFU:
	case SCLASS_SHUFFLE:
	case SCLASS_VOTE:
	case SCLASS_LOAD:
	case SCLASS_STORE:
	case SCLASS_ATOMIC:
	case SCLASS_TEXTURE:
	case SCLASS_CACHE:
	case SCLASS_FENCE:
	case SCLASS_BARRIER:
	case SCLASS_SYNC:
	case SCLASS_OTHER:
	case SCLASS_NOP:
	case SCLASS_BRANCH:
	case SCLASS_BRANCH_INDIRECT:
	case SCLASS_CALL:
	case SCLASS_CALL_INDIRECT:
	case SCLASS_RETURN:
	case SCLASS_EXIT:
	case SCLASS_BSSY:
	case SCLASS_BSYNC:
	case SCLASS_BREAK:
	case SCLASS_UNKNOWN:
	case SCLASS_COUNT:
		return BANK_CACHE_NONE;
	}
	if (kind == 'H')
		*u = UNIT_HALF;
	if (kind == 'D')
		*u = UNIT_FP64;
	if (kind == 'H')
		return BANK_CACHE_HALF;
	return kind == 'D' ? BANK_CACHE_FP64 : BANK_CACHE_CORE;
}

static bool one_negated(const struct sass_insn *i, enum sass_role r)
{
	for (unsigned o = 0; o < i->nop; o++)
		if (i->op[o].role == r)
			return i->op[o].neg;
	return false;
}

/* Sources that an instruction gives the same result for in another order, signs and all; LOP3 with another table. */
static uint8_t commutes(const struct sass_insn *i, const struct bank_operand *slot)
{
	enum { FSWZADD = 0x022, IDP = 0x026, VIADDMNMX = 0x046, IDP_2A = 1 };
	const char *name = sass_mnemonic(i);
	enum sass_class c = sass_class(i);
	uint8_t may = 0;

	if (i->row->base == IDP && sass_mod(i, "idp") == IDP_2A)
		may = 0; /* halves of a, bytes of b */
	else if (c == SCLASS_FMUL || c == SCLASS_FMAD || c == SCLASS_DMUL || c == SCLASS_DMAD || c == SCLASS_IMAD)
		may = 1;
	else if ((c == SCLASS_FADD || c == SCLASS_DADD) &&
		 i->row->base != FSWZADD) /* that adds lane by lane with other signs */
		may = 2;
	else if (i->row->base == VIADDMNMX)
		may = one_negated(i, SROLE_B) ? 0 : 1; /* a + b, and the least of that and c */
	else if (c == SCLASS_FMINMAX || c == SCLASS_MINMAX)
		may = 7;
	else if (c == SCLASS_INT && (strcmp(name, "IADD3") == 0 || strcmp(name, "LOP3") == 0))
		may = 7;
	if (slot[0].n != slot[1].n || !slot[0].n)
		may &= ~1u;
	if (slot[0].n != slot[2].n || !slot[0].n)
		may &= ~2u;
	if (slot[1].n != slot[2].n || !slot[1].n)
		may &= ~4u;
	return may;
}

void bank_request(struct bank_request *out, unsigned sm, const struct sass_insn *i)
{
	enum unit unit;
	unsigned w = 0;

	*out = (struct bank_request){ .stall = i->control.stall ? i->control.stall : 1,
				      .waits = i->control.wait != 0,
				      .unknown = !i->row };
	out->flags = i->control.reuse;
	if (!i->row)
		return;
	for (unsigned o = 0; o < i->nop; o++) {
		const struct sass_operand *x = &i->op[o];
		struct bank_operand is = { (uint8_t)x->reg, x->n };

		if (x->kind != SASS_GPR || x->reg >= MREG_RZ || !x->n)
			continue;
		if (x->reg + x->n > MREG_RZ)
			is.n = (uint8_t)(MREG_RZ - x->reg);
		if (x->write && w < BANK_WRITES)
			out->write[w++] = is;
		else if (x->write)
			out->unknown = true;
		else if (x->role >= SROLE_A && x->role <= SROLE_E)
			out->slot[x->role - SROLE_A] = is;
	}
	out->cache = (uint8_t)cache_of(i, &unit);
	out->swaps = commutes(i, out->slot);
	out->cycles = (uint8_t)unit_cycles(sm, unit);
}

const struct banks *banks_find(const struct kernel *k, struct arena *a)
{
	struct bank_request *q;
	struct banks *out;
	uint32_t most = 0;

	if (!k->native)
		return NULL;
	out = new(a, struct banks);
	out->insn = new_array(a, struct bank_use, (size_t)k->ninsn + 1);
	out->weighted = k->facts & FACT_FREQ;
	for (uint32_t b = 0; b < k->nblock; b++)
		most = k->block[b].n > most ? k->block[b].n : most;
	q = new_array(a, struct bank_request, (size_t)most + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct block *x = &k->block[b];

		for (uint32_t i = 0; i < x->n; i++) {
			struct sass_insn insn;

			sass_decode_words(k->native->sm, k->native->word[x->first + i], &insn);
			bank_request(&q[i], k->native->sm, &insn);
		}
		banks_block(q, x->n, out->insn + x->first);
#ifdef REGLOOM_DEBUG
		assert(banks_check(q, x->n, out->insn + x->first));
#endif
		for (uint32_t i = 0; i < x->n; i++) {
			bank_add(&out->code, &out->insn[x->first + i], 1);
			bank_add(&out->run, &out->insn[x->first + i], out->weighted ? k->freq->executions[b] : 1);
		}
	}
	return out;
}
