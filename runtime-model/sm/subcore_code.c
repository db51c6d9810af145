/* What a sub-core must know of each instruction beside its struct dinsn: its control code, its unit, the operand slots
 * of its sources, and how it goes through memory. */
#include "runtime-model/sm/subcore.h"

#include "analyzer/sass/banks.h"
#include "analyzer/sass/lift.h"

#include <math.h>
#include <string.h>

enum {
	USUAL_LATENCY = 4,
	MATRIX_CYCLES_MOST = 500,
	MATRIX_CYCLES = 16, /* Of a matrix product of PTX, whatever its shape. */
};

/* By unit of the instruction set, on a machine whose sub-cores have units for double precision of their own. */
static const uint8_t unit_of[UNIT_COUNT] = {
	[UNIT_FMA] = SUB_FMA,         [UNIT_IMAD] = SUB_FMA,        [UNIT_WIDE_LOW] = SUB_FMA,
	[UNIT_WIDE] = SUB_FMA,        [UNIT_WIDE_ADDEND] = SUB_FMA, [UNIT_WIDE_ADDEND_HIGH] = SUB_FMA,
	[UNIT_INT] = SUB_ALU,         [UNIT_SELECT] = SUB_ALU,      [UNIT_LONG] = SUB_ALU,
	[UNIT_HALF] = SUB_HALF,       [UNIT_DOUBLE] = SUB_FP64,     [UNIT_MMA_HALF] = SUB_MMA,
	[UNIT_MMA_INT] = SUB_MMA,     [UNIT_MMA_BYTE] = SUB_MMA,    [UNIT_MMA_DOUBLE] = SUB_MMA,
	[UNIT_UNIFORM] = SUB_UNIFORM, [UNIT_UMOVE] = SUB_UNIFORM,   [UNIT_UFLOAT] = SUB_UNIFORM,
	[UNIT_ACROSS] = SUB_ALU,      [UNIT_VOTE] = SUB_ALU,        [UNIT_GUARD] = SUB_CONTROL,
	[UNIT_CONTROL] = SUB_CONTROL, [UNIT_MEMORY] = SUB_MEMORY,   [UNIT_TEXTURE] = SUB_MEMORY,
	[UNIT_SPECIAL] = SUB_XU,      [UNIT_OTHER] = SUB_OTHER,
};

static enum sub_access access_of(const struct dinsn *d, bool copies)
{
	if (copies)
		return ACCESS_COPY;
	switch ((enum kind)d->kind) {
	case KIND_SHARED:
		return d->is_store && !d->is_load ? ACCESS_SHARED_STORE : ACCESS_SHARED_LOAD;
	case KIND_CONST:
		return ACCESS_CONST;
	case KIND_STORE:
		return ACCESS_STORE;
	case KIND_GENERIC:
		return d->is_store && !d->is_load ? ACCESS_STORE : ACCESS_LOAD;
	case KIND_LOAD:
	case KIND_ATOMIC:
	case KIND_TEXTURE:
		return ACCESS_LOAD;
	case KIND_ALU:
		return ACCESS_SHUFFLE;
	case KIND_BARRIER:
	case KIND_FENCE:
	case KIND_ACQUIRE:
	case KIND_RELEASE:
		break;
	}
	return ACCESS_CONST;
}

/* What waits for room behind issue. */
static enum stall refused_by(unsigned unit, const struct dinsn *d)
{
	if (unit < SUB_XU || unit == SUB_SLOW_FP64)
		return STALL_MATH;
	if (unit != SUB_MEMORY)
		return STALL_MIO;
	if (d->kind == KIND_LOAD || d->kind == KIND_STORE || d->kind == KIND_ATOMIC || d->kind == KIND_GENERIC)
		return STALL_LG;
	return d->kind == KIND_TEXTURE ? STALL_TEX : STALL_MIO;
}

static unsigned boards_of(struct control_code c) { return ((1u << c.wbar) | (1u << c.rbar)) & ((1u << BOARDS) - 1); }

/* Multiplications of 16 bits that a matrix product of M x N x K takes, narrower numbers in proportion (Huerta et
 * al., artifact: M N K bits / 2048 at its rate). Registers of A, B and C have 1024 bits: M K bits, K N bits, M N
 * accumulator. */
static double half_products(const struct sass_insn *s, const struct bank_request *q)
{
	const enum sass_unit unit = sass_unit(s);
	unsigned accumulator = 16;
	const double a = q->slot[0].n, b = q->slot[1].n, c = q->write[0].n;

	if (unit == UNIT_MMA_DOUBLE)
		accumulator = 64;
	else if (unit == UNIT_MMA_INT || sass_has(s, "F32"))
		accumulator = 32;
	return sqrt(1024 * a * 1024 * b * 1024 * c / accumulator) / 16;
}

/* Products of integers have 16 lanes of a sub-core on every target (docs/BANKS.md). Where single precision has 32,
 * those are a second path, which takes no products of integers, so that both may issue in turn (artifact; section
 * 5.1.2). */
enum { IMAD_CYCLES = 2 };

/* Cycles for which an instruction closes its unit. */
static uint16_t interval_of(const struct params *p, unsigned unit, const struct sass_insn *s,
			    const struct bank_request *q)
{
	const uint32_t by_unit[SUB_UNITS] = {
		[SUB_FMA] = p->fma_cycles,
		[SUB_IMAD] = IMAD_CYCLES,
		[SUB_ALU] = p->alu_cycles,
		[SUB_HALF] = p->half_cycles,
		[SUB_FP64] = p->fp64_cycles,
		[SUB_UNIFORM] = 2,
		[SUB_CONTROL] = 1,
		[SUB_XU] = p->xu_cycles,
		[SUB_OTHER] = 2,
		[SUB_SLOW_FP64] = p->fp64_cycles,
	};
	double cycles;

	if (unit == SUB_MMA && !s)
		return MATRIX_CYCLES;
	if (unit != SUB_MMA)
		return (uint16_t)by_unit[unit];
	cycles = half_products(s, q) / p->mma_macs;
	if (p->mma_half_rate && sass_has(s, "F32"))
		cycles *= 2;
	return (uint16_t)fmin(fmax(cycles, 1), MATRIX_CYCLES_MOST);
}

static bool reads_clock(const struct sass_insn *s)
{
	for (unsigned i = 0; i < s->nop; i++)
		if (s->op[i].kind == SASS_SREG &&
		    (sass_special(s->op[i].value) == SREG_CLOCK || sass_special(s->op[i].value) == SREG_CLOCK_HI))
			return true;
	return false;
}

/* Two reads of the clock never issue in a row (section 5.1.2), however many lanes their unit has. */
enum { CLOCK_CYCLES = 2 };

static void slots(const struct dinsn *d, const struct bank_request *q, struct sub_insn *out)
{
	const struct uop *u = &d->proto;

	memset(out->slot, SLOT_NONE, sizeof out->slot);
	for (unsigned s = SUB_SLOTS; s--;)
		for (unsigned i = 0; i < u->nsrc; i++)
			if (q->slot[s].n && u->src[i] >= q->slot[s].reg && u->src[i] < q->slot[s].reg + q->slot[s].n)
				out->slot[i] = (uint8_t)s;
}

/* Registers of data of one thread, as a store reads and a load writes them. */
static unsigned data_words(const struct dinsn *d, const struct sass_insn *s)
{
	unsigned n = d->proto.ndst;

	if (d->is_store && !d->is_load)
		for (unsigned i = 0; i < s->nop; i++)
			if (s->op[i].kind == SASS_GPR && !s->op[i].write && s->op[i].role != SROLE_A)
				n = s->op[i].n > n ? s->op[i].n : n;
	return n ? n : 1;
}

static uint32_t constant_of(const struct sass_insn *s)
{
	for (unsigned i = 0; i < s->nop; i++)
		if (s->op[i].kind == SASS_CONST && !s->op[i].bindless)
			return 1 + (uint32_t)(((uint64_t)s->op[i].bank * CONST_BANK_BYTES + s->op[i].value) /
					      CONST_LINE_BYTES);
	return 0;
}

/* What the words of machine code say beside what its IR does. */
static void decode_native(const struct params *p, unsigned sm, const struct sass_insn *s, const struct dinsn *d,
			  struct sub_insn *out)
{
	const char *name = sass_mnemonic(s);
	struct bank_request q;

	out->near_fence = strcmp(name, "MEMBAR") == 0 && sass_has(s, "CTA");
	out->copies = strcmp(name, "LDGSTS") == 0;
	out->groups = strcmp(name, "LDGDEPBAR") == 0;
	out->words = (uint8_t)data_words(d, s);
	for (unsigned i = 0; i < s->nop; i++)
		if (s->op[i].kind == SASS_GPR && s->op[i].role == SROLE_A && s->op[i].reg != SASS_ZERO)
			out->uniform = false;
	out->depbar = strcmp(name, "DEPBAR") == 0;
	if (out->depbar) {
		out->board = (uint8_t)sass_number(s, SROLE_BAR, SASS_INT);
		out->left = (uint8_t)sass_number(s, SROLE_NUM, SASS_INT);
		out->mask = (uint8_t)sass_number(s, SROLE_NUM, SASS_MASK);
	}
	if (out->unit < SUB_XU)
		out->constant = constant_of(s);
	bank_request(&q, sm, s);
	out->interval = interval_of(p, out->unit, s, &q);
	if (out->unit == SUB_ALU && out->interval < CLOCK_CYCLES && reads_clock(s))
		out->interval = CLOCK_CYCLES;
	slots(d, &q, out);
	for (unsigned i = 0; i < SUB_SLOTS && out->unit == SUB_MMA; i++)
		out->wide_reads |= q.slot[i].n >= 4;
}

/* Code of ours: general registers stand in the slots in their order, as passes/control_reuse.c has them. */
static void decode_compiled(const struct params *p, const struct kernel *k, const struct insn *i, const struct dinsn *d,
			    struct sub_insn *out)
{
	struct bank_request q = { .cycles = 0 };
	unsigned words = 0, slot = 0;

	out->near_fence = i->op == OP_MEMBAR && i->mods & MOD_CTA;
	for (unsigned s = 0; s < i->nsrc; s++) {
		const struct ref r = insn_src(k, i)[s];
		const unsigned n = insn_operand_class(k, i, i->ndst + s) == RC_64 ? 2 : 1;

		if (r.kind != REF_REG || !mreg_is_general(r.val) || mreg_is_fixed(r.val))
			continue;
		if (slot < BANK_SLOTS)
			q.slot[slot++] = (struct bank_operand){ (uint8_t)r.val, (uint8_t)n };
		out->uniform &= s != 0;
		words += s ? n : 0;
	}
	out->words = (uint8_t)(d->is_store && !d->is_load ? words : d->proto.ndst);
	out->words += !out->words;
	out->interval = interval_of(p, out->unit, NULL, &q);
	slots(d, &q, out);
}

/* The registers of machine instruction s, or of one of ours. */
static void decode_names(const struct kernel *k, const struct insn *i, const struct sass_insn *s, struct sub_insn *out,
			 struct arena *a)
{
	struct sass_access all[SASS_ACCESSES], *named;
	const unsigned n = s ? sass_accesses(s, all) : insn_accesses(k, i, all);

	named = new_array_raw(a, struct sass_access, n);
	memcpy(named, all, n * sizeof *named);
	out->named = named;
	out->nnamed = (uint16_t)n;
}

static const struct sub_ways *ways_of(unsigned sm, struct arena *a)
{
	struct sub_ways *w = new(a, struct sub_ways);

	for (unsigned p = 0; p < 2; p++)
		for (unsigned from = 0; from < UNIT_COUNT; from++) {
			w->most[p][from] = (uint8_t)sass_latency_most(sm, p, (enum sass_unit)from);
			for (unsigned to = 0; to < UNIT_COUNT; to++)
				w->latency[p][from][to] =
					(uint8_t)sass_latency(sm, p, (enum sass_unit)from, (enum sass_unit)to);
		}
	return w;
}

bool subcore_near_fence(const struct sm *s, const struct dinsn *d) { return sub_insn(s, d)->near_fence; }

bool subcore_decode(const struct kernel *k, const struct params *p, const struct dinsn *insn, struct sub_code *out,
		    struct arena *a, struct diag *d)
{
	const unsigned sm = control_sm(k);

	out->insn = new_array(a, struct sub_insn, k->ninsn + 1u);
	out->ways = p->dependences ? ways_of(sm, a) : NULL;
	if (!k->control)
		return diag_error_plain(d, k->name,
					"has no control codes, by which a core of sub-cores issues: annotate it again");
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const enum sass_unit unit = insn_unit(k, &k->insn[i]);
		struct sub_insn *x = &out->insn[i];
		struct sass_insn s;

		x->code = k->control[i];
		x->unit = insn[i].pipe == PIPE_MEM ? SUB_MEMORY : unit_of[unit];
		if (x->unit == SUB_FP64 && p->fp64_shared)
			x->unit = SUB_SLOW_FP64;
		if (x->unit == SUB_FMA && unit != UNIT_FMA && p->fma_cycles < IMAD_CYCLES)
			x->unit = SUB_IMAD;
		x->latency = (uint16_t)sass_latency_bypass(sm, unit);
		if (!x->latency)
			x->latency = USUAL_LATENCY;
		x->uniform = true;
		if (k->native) {
			sass_decode_words(sm, k->native->word[i], &s);
			decode_native(p, sm, &s, &insn[i], x);
		} else {
			decode_compiled(p, k, &k->insn[i], &insn[i], x);
		}
		if (p->dependences)
			decode_names(k, &k->insn[i], k->native ? &s : NULL, x, a);
		x->access = (uint8_t)access_of(&insn[i], x->copies);
		x->refused = (uint8_t)refused_by(x->unit, &insn[i]);
		x->boards = (uint8_t)boards_of(x->code);
	}
	return true;
}
