/* Machine code of NVIDIA GPUs as the engine executes it. What an instruction computes is said in steps, instructions of
 * PTX's rows (analyzer/sass/values.h), and each becomes what it would be in PTX; one that takes a single step is that
 * step. Where control goes is decoded here, from the fields.
 *
 * Control is the machine's: a warp is a set of paths, each with a program counter and its lanes. The path on top of the
 * stack (simt.h) executes, those below it wait for their turn; no two share lanes, and none has a meeting point but
 * where the code says so, by barriers of lanes (flow.c).
 *
 * Uniform registers are registers whose lanes all hold the same, uniform predicates masks of all or none: their
 * instructions execute in all lanes, once for the path. */
#include "runtime-model/engine/native.h"

#include "analyzer/sass/sass.h"
#include "analyzer/sass/values.h"

#include <string.h>

/* a name among those of barriers (docs/SASS.md): the lanes of the path */
enum { CBAR_MACTIVE = 26 };

static bool refuse(struct decoder *dc, const char *what)
{
	return fault_in(dc->e, FAULT_ILLEGAL, NULL, NULL, dc->at, WARP_LANES, "%s", what);
}

/* ---- registers ---- */
static uint32_t place(struct decoder *dc, uint32_t first, uint32_t end, uint32_t least, uint32_t at)
{
	const struct kernel *k = dc->e->k;
	uint32_t top = first + least;

	for (uint32_t r = first; r < end; r++)
		if (!mreg_is_fixed(r) && bitset_has(k->native->named, r))
			top = r + 1;
	for (uint32_t r = first; r < top; r++)
		dc->p->slot[r] = (at + r - first) * WARP_LANES;
	return at + top - first;
}

/* Each file behind the one before; the halves of pairs lie side by side. */
static void place_registers(struct decoder *dc)
{
	struct program *p = dc->p;

	p->slot = new_array(&dc->e->a, uint32_t, VALUE_COUNT + 1);
	memset(p->slot, 0xff, VALUE_COUNT * sizeof *p->slot);
	/* functions of the driver read registers that the code may only have written */
	p->nslot = place(dc, 0, MREG_RZ, dc->e->k->native->nconstant4 ? NATIVE_ABI_REGISTERS : 0, p->nslot);
	p->nslot = place(dc, MREG_UR0, MREG_URZ, 0, p->nslot);
	p->nslot = place(dc, MREG_B0, MREG_ALL, 0, p->nslot);
	for (uint32_t r = 0; r + 1 < MREG_ALL; r++)
		if (!mreg_is_pred(r) && p->slot[r] != UINT32_MAX && p->slot[r + 1] == p->slot[r] + WARP_LANES)
			p->slot[VALUE_PAIR0 + r] = p->slot[r];
}

static uint32_t predicate(struct decoder *dc, const struct sass_operand *o)
{
	const uint32_t r = (o->kind == SASS_UPRED ? MREG_UP0 : MREG_P0) + o->reg;

	if (o->reg >= SASS_TRUE)
		return 0;
	if (dc->p->slot[r] == UINT32_MAX)
		dc->p->slot[r] = dc->p->npred++;
	return dc->p->slot[r];
}

static const struct sass_operand *operand(const struct sass_insn *s, enum sass_role role)
{
	for (unsigned n = 0; n < s->nop; n++)
		if (s->op[n].role == role)
			return &s->op[n];
	return NULL;
}

/* A general or uniform register of 32 or 64 bits, or a number. */
static int32_t source(struct decoder *dc, const struct sass_operand *o, bool pair)
{
	if (!o || o->kind == SASS_INT || o->kind == SASS_MASK)
		return decode_number(dc, o ? o->value : 0, pair);
	if (o->reg == SASS_ZERO)
		return decode_number(dc, 0, pair);
	return (int32_t)dc->p->slot[(o->kind == SASS_UGPR ? MREG_UR0 : 0) + o->reg];
}

/* ---- code addresses ---- */
static uint32_t part_of(const struct native *n, uint32_t insn)
{
	uint32_t p = 0;

	while (p + 1 < n->npart && n->part[p + 1].first <= insn)
		p++;
	return p;
}

static uint64_t address_of(const struct native *n, uint32_t insn)
{
	const uint32_t p = part_of(n, insn);

	return native_window(n->part[p].number) + n->part[p].at +
	       (uint64_t)(insn - n->part[p].first) * sizeof(struct sass_word);
}

uint32_t native_insn_at(const struct engine *e, uint64_t address)
{
	const struct native *n = e->k->native;

	for (uint32_t p = 0; p < n->npart; p++) {
		const uint64_t from = native_window(n->part[p].number) + n->part[p].at;

		if (address >= from && address - from < (uint64_t)n->part[p].n * sizeof(struct sass_word))
			return address % sizeof(struct sass_word)
				       ? UINT32_MAX
				       : n->part[p].first + (uint32_t)((address - from) / sizeof(struct sass_word));
	}
	return UINT32_MAX;
}

bool native_code_address(const struct native *n, const char *section, uint64_t at, uint64_t *address)
{
	for (uint32_t p = 0; p < n->npart; p++)
		if (strcmp(n->part[p].section, section) == 0 && at >= n->part[p].at &&
		    at - n->part[p].at < (uint64_t)n->part[p].n * sizeof(struct sass_word)) {
			*address = native_window(n->part[p].number) + at;
			return true;
		}
	return false;
}

/* ---- control ---- */
static struct xflow *flow(struct decoder *dc, struct xinsn *x, enum flow_kind kind)
{
	struct program *p = dc->p;

	arena_grow(&dc->e->a, p->flow, p->nflow, dc->flow_cap);
	x->kind = X_FLOW;
	x->target = p->nflow;
	p->flow[p->nflow] = (struct xflow){ .kind = kind };
	return &p->flow[p->nflow++];
}

/* Its predicate besides the guard, which becomes the guard where there is none. False: there are two. */
static bool only_guard(struct decoder *dc, const struct sass_insn *s, struct xinsn *x, uint32_t *pred, bool *neg)
{
	const struct sass_operand *pp = operand(s, SROLE_PP);

	*pred = pp ? predicate(dc, pp) : 0;
	*neg = pp && pp->neg;
	if (!*pred && !*neg)
		return true;
	if (x->guard || x->gmask)
		return false;
	x->guard = *pred;
	x->gmask = *neg ? UINT32_MAX : 0;
	*pred = 0;
	*neg = false;
	return true;
}

/* The instruction that a branch says. */
static bool decode_target(struct decoder *dc, const struct sass_insn *s, uint32_t *to)
{
	const uint64_t at = address_of(dc->e->k->native, dc->at);

	if (!s->has_target || s->target_absolute)
		return refuse(dc, "where it goes is a matter of relocations");
	*to = native_insn_at(dc->e, at + (uint64_t)s->target);
	return *to != UINT32_MAX || refuse(dc, "goes where there is no instruction");
}

/* .U by a predicate of lanes goes only if all of them do: ptxas skips a BSSY by it, and asks again behind that. */
static bool decode_branch(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	static const enum flow_ask of_warp[] = { ASK_LANES, ASK_ALL, ASK_APART, ASK_TOGETHER };
	const struct sass_operand *u = operand(s, SROLE_U);
	const int how = sass_mod(s, "bra");
	uint32_t pred, to;
	struct xflow *f;
	bool neg, single;

	if (!decode_target(dc, s, &to))
		return false;
	single = only_guard(dc, s, x, &pred, &neg);
	x->rpc = UINT32_MAX;
	if (single && how <= (x->guard ? 0 : 1) && sass_mod(s, "braany") <= 0) {
		x->kind = X_BRANCH;
		x->target = to;
		return true;
	}
	f = flow(dc, x, FLOW_BRANCH);
	f->to = to;
	f->pred = pred;
	f->neg = neg;
	f->ask = how < 0 || (how == 1 && !single) ? ASK_LANES : of_warp[how & 3];
	if (sass_mod(s, "braany") > 0)
		f->ask = ASK_ANY;
	f->mask = source(dc, u, false);
	f->mask_neg = !u || u->neg; /* without a mask: all lanes */
	return true;
}

/* Of BRX, JMX, RET, CALL: to what a register holds, from the section's start on or from a place that they name, or as
 * a whole address. */
static bool decode_jump(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	const struct native *n = dc->e->k->native;
	const bool absolute = strncmp(sass_mnemonic(s), "JM", 2) == 0 || sass_has(s, "ABS");
	const struct sass_operand *a = operand(s, SROLE_A);
	struct xflow *f = flow(dc, x, FLOW_JUMP);

	only_guard(dc, s, x, &f->pred, &f->neg);
	if (!a || (a->kind != SASS_GPR && a->kind != SASS_UGPR))
		return refuse(dc, "where it goes is not in a register");
	f->mask = source(dc, a, true);
	f->base = absolute ? 0 : address_of(n, dc->at) + (uint64_t)s->target;
	return true;
}

static bool decode_exit(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	uint32_t pred;
	bool neg;

	x->kind = X_EXIT;
	if (!only_guard(dc, s, x, &pred, &neg)) {
		struct xflow *f = flow(dc, x, FLOW_EXIT);

		f->pred = pred;
		f->neg = neg;
	}
	return true;
}

/* BSSY, BSYNC, BREAK: of lanes' barriers. */
static bool decode_barrier(struct decoder *dc, const struct sass_insn *s, struct xinsn *x, enum flow_kind kind)
{
	struct xflow *f = flow(dc, x, kind);

	only_guard(dc, s, x, &f->pred, &f->neg);
	for (unsigned n = 0; n < s->nop; n++)
		if (s->op[n].kind == SASS_CBAR && s->op[n].reg < MREG_ALL - MREG_B0) {
			f->bar = dc->p->slot[MREG_B0 + s->op[n].reg];
			f->number = s->op[n].reg;
			return true;
		}
	return refuse(dc, "names no barrier");
}

/* Active: MACTIVE is one of the two, the one that is written if the other is a barrier that is read. */
static bool decode_bmov(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	struct xflow *f = flow(dc, x, FLOW_MOVE);
	const struct sass_operand *to = NULL, *from = NULL;
	bool activates;

	for (unsigned n = 0; n < s->nop; n++)
		*(s->op[n].write ? &to : &from) = &s->op[n];
	if (!to || !from || sass_has(s, "64"))
		return refuse(dc, "this form is not known");
	f->clear = sass_mod(s, "bmovclear") > 0;
	if (sass_mod(s, "bmovpquad") > 0)
		f->ask = ASK_ANY; /* each four lanes of which any is named */
	activates = to->kind == SASS_CBAR && to->reg == CBAR_MACTIVE;
	if (to->kind == SASS_CBAR && to->reg < MREG_ALL - MREG_B0)
		x->dst[0] = dc->p->slot[MREG_B0 + to->reg];
	else if (to->kind == SASS_GPR)
		x->dst[0] = to->reg == SASS_ZERO ? 0 : dc->p->slot[to->reg];
	else if (!activates)
		return refuse(dc, "writes a state of the warp that is not known");
	if (from->kind != SASS_CBAR) {
		f->mask = source(dc, from, false);
	} else if (from->reg < MREG_ALL - MREG_B0) {
		f->bar = dc->p->slot[MREG_B0 + from->reg];
		f->mask = (int32_t)f->bar;
	} else if (from->reg == CBAR_MACTIVE) {
		f->active = true;
	} else {
		return refuse(dc, "reads a state of the warp that is not known");
	}
	if (activates && f->bar && !f->clear)
		f->active = true;
	else if (activates || f->ask == ASK_ANY || (f->clear && !f->bar && !f->active))
		return refuse(dc, "this form is not known");
	return true;
}

/* .COLLECTIVE says where its region ends: behind itself, or behind an ENDCOLLECTIVE. */
static bool ends_collective(const struct decoder *dc, uint32_t to)
{
	struct sass_insn last;

	if (to <= dc->at + 1)
		return to == dc->at + 1;
	sass_decode_words(dc->e->k->native->sm, dc->word[to - 1], &last);
	return last.row && strcmp(sass_mnemonic(&last), "ENDCOLLECTIVE") == 0;
}

static bool decode_warpsync(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	const struct sass_operand *mask = operand(s, SROLE_B);
	uint32_t pred, to;
	bool neg;

	if (!mask)
		mask = operand(s, SROLE_A);
	if (!only_guard(dc, s, x, &pred, &neg))
		return refuse(dc, "has two guards");
	if (s->has_target && !decode_target(dc, s, &to))
		return false;
	if (s->has_target && !ends_collective(dc, to))
		return refuse(dc, "its region does not end where an ENDCOLLECTIVE does");
	if (s->has_target && to > dc->at + 1) {
		struct xflow *f = flow(dc, x, FLOW_COLLECT);

		f->to = to;
		f->mask = mask ? source(dc, mask, false) : decode_number(dc, UINT32_MAX, false);
		return only_guard(dc, s, x, &f->pred, &f->neg) || refuse(dc, "has two guards");
	}
	if (sass_has(s, "EXCLUSIVE") && mask) {
		struct xflow *f = flow(dc, x, FLOW_MEET);

		f->mask = source(dc, mask, false);
		return only_guard(dc, s, x, &f->pred, &f->neg) || refuse(dc, "has two guards");
	}
	x->kind = X_WARP;
	x->target = OP_BAR_WARP_SYNC;
	x->rpc = 0;
	x->src[0] = sass_has(s, "ALL") || !mask ? decode_number(dc, UINT32_MAX, false) : source(dc, mask, false);
	return true;
}

static bool decode_endcollective(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	struct xflow *f = flow(dc, x, FLOW_SPREAD);

	return only_guard(dc, s, x, &f->pred, &f->neg) || refuse(dc, "has two guards");
}

static bool decode_lepc(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	const struct sass_operand *d = operand(s, SROLE_D);

	if (!d || (d->kind != SASS_GPR && d->kind != SASS_UGPR) || d->reg == SASS_ZERO)
		return refuse(dc, "has no destination");
	x->kind = X_ALU;
	x->dst[0] = dc->p->slot[(d->kind == SASS_UGPR ? MREG_UR0 : 0) + d->reg];
	x->src[0] = decode_number(dc, address_of(dc->e->k->native, dc->at) + (s->has_target ? (uint64_t)s->target : 0),
				  true);
	x->fn.lane = dc->e->lanes->fn[OP_MOV_B64];
	return true;
}

static bool decode_bssy(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	return decode_barrier(dc, s, x, FLOW_BSSY);
}

static bool decode_bsync(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	return decode_barrier(dc, s, x, FLOW_BSYNC);
}

static bool decode_break(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	return decode_barrier(dc, s, x, FLOW_BREAK);
}

/* CALL.ABS, to a function that a relocation names: of the file, or of the driver. */
static bool decode_call_abs(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	const struct native *n = dc->e->k->native;
	uint32_t r = 0;
	struct xflow *f;
	uint64_t v;

	while (r < n->naddress && !(n->address[r].call && n->address[r].at == dc->at))
		r++;
	if (r == n->naddress || !native_address_value(dc->e, &n->address[r], &v))
		return refuse(dc, "where it goes is a matter of relocations");
	f = flow(dc, x, FLOW_JUMP);
	only_guard(dc, s, x, &f->pred, &f->neg);
	f->mask = decode_number(dc, 0, true);
	f->base = v;
	return true;
}

static bool decode_call(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	if (s->has_target && s->target_absolute)
		return decode_call_abs(dc, s, x);
	return operand(s, SROLE_A) ? decode_jump(dc, s, x) : decode_branch(dc, s, x);
}

/* The mnemonics that semantics.def leaves to this file. */
static bool decode_flow(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	static const struct {
		const char *mnemonic;
		bool (*decode)(struct decoder *dc, const struct sass_insn *s, struct xinsn *x);
	} of[] = {
		{ "BMOV", decode_bmov },   { "BRA", decode_branch },
		{ "BREAK", decode_break }, { "BRX", decode_jump },
		{ "BRXU", decode_jump },   { "BSSY", decode_bssy },
		{ "BSYNC", decode_bsync }, { "CALL", decode_call },
		{ "EXIT", decode_exit },   { "ENDCOLLECTIVE", decode_endcollective },
		{ "JMP", decode_branch },  { "JMX", decode_jump },
		{ "JMXU", decode_jump },   { "KILL", decode_exit },
		{ "LEPC", decode_lepc },   { "RET", decode_jump },
		{ "ULEPC", decode_lepc },  { "WARPSYNC", decode_warpsync },
	};

	for (unsigned n = 0; n < sizeof of / sizeof *of; n++)
		if (strcmp(of[n].mnemonic, sass_mnemonic(s)) == 0)
			return of[n].decode(dc, s, x);
	return refuse(dc, "where it goes is not known");
}

/* ---- steps ---- */
static void guard(struct decoder *dc, const struct sass_insn *s, struct xinsn *x)
{
	x->guard = predicate(dc, &s->guard);
	x->gmask = s->guard.neg ? UINT32_MAX : 0;
}

static bool is_simple(const struct kernel *steps, const struct sass_steps *of)
{
	return of->n == 1 && !of->uniform && steps->insn[of->first].guard.kind == REF_NONE;
}

/* Steps of instruction dc->at, the first of which is `from` in the code. */
static bool decode_steps(struct decoder *dc, const struct sass_steps *of, struct xinsn *x, uint32_t from)
{
	struct program *p = dc->p;
	bool alu = true;

	for (uint32_t n = 0; n < of->n; n++) {
		struct xinsn *s = &p->code[from + n];

		dc->i = &dc->k->insn[of->first + n];
		p->step_of[from + n - p->ninsn] = dc->at;
		if (!decode_row(dc, s, 0))
			return false;
		/* what is read of the lanes that are there and given to the warp writes all lanes by itself */
		s->whole = of->uniform && dc->i->op != OP_SASS_SPREAD && dc->i->op != OP_SASS_SPREAD_PRED;
		alu &= s->kind == X_ALU;
	}
	x->target = (uint32_t)(&p->code[from] - x);
	x->rpc = of->n;
	x->kind = alu ? X_ALU : X_STEPS;
	x->fn.lane = alu ? native_steps : NULL;
	return true;
}

static bool decode_insn(struct decoder *dc, const struct sass_steps *of, uint32_t *from)
{
	const unsigned sm = dc->e->k->native->sm;
	struct xinsn *x = &dc->p->code[dc->at];
	struct sass_insn s;
	bool ok;

	dc->i = &dc->e->k->insn[dc->at];
	decode_registers(dc, dc->e->k, dc->i, x);
	x->kind = X_NOTHING;
	if (of->refused) {
		x->kind = X_REFUSED;
		x->target = dc->p->nrefused;
		dc->p->refused[dc->p->nrefused++] = of->refused;
		sass_decode_words(sm, dc->word[dc->at], &s);
		if (s.row)
			guard(dc, &s, x);
		return true;
	}
	sass_decode_words(sm, dc->word[dc->at], &s);
	if (of->flow) {
		guard(dc, &s, x);
		return decode_flow(dc, &s, x);
	}
	if (is_simple(dc->k, of)) {
		dc->i = &dc->k->insn[of->first];
		ok = decode_row(dc, x, 0);
	} else {
		ok = !of->n || decode_steps(dc, of, x, *from);
		*from += of->n;
	}
	if (s.row)
		guard(dc, &s, x);
	return ok;
}

/* The instructions with addresses as they are in this launch. */
static const uint64_t (*load_words(struct decoder *dc))[2]
{
	const struct kernel *k = dc->e->k;
	uint64_t(*word)[2] = arena_alloc_array(&dc->e->a, k->ninsn + 1u, sizeof *word, _Alignof(uint64_t));

	if (k->ninsn)
		memcpy(word, k->native->word, k->ninsn * sizeof *word);
	for (uint32_t n = 0; n < k->native->naddress; n++) {
		const struct native_address *to = &k->native->address[n];
		uint64_t v;

		if (!to->code || to->call || !native_address_value(dc->e, to, &v))
			continue;
		word[to->at][0] = (word[to->at][0] & UINT32_MAX) | (to->high ? v >> 32 : v & UINT32_MAX) << 32;
	}
	return (const uint64_t(*)[2])word;
}

/* Instructions that a relocation changes of which nobody knows to what. */
static void refuse_unknown(struct decoder *dc, struct sass_steps *of)
{
	const struct native *n = dc->e->k->native;
	uint64_t v;

	for (uint32_t r = 0; r < n->naddress; r++)
		if (n->address[r].code && !native_address_value(dc->e, &n->address[r], &v))
			of[n->address[r].at].refused = arena_printf(&dc->e->a, "the address of %s is not known",
								    n->address[r].name ? n->address[r].name : "?");
}

/* Functions of the driver, each as an instruction: what it reads are arguments of the ABI, from R4 on. */
static void place_runtime(struct decoder *dc, uint32_t at)
{
	struct program *p = dc->p;

	p->runtime = at;
	for (unsigned r = 0; r < HOST_COUNT; r++)
		native_runtime_decode(r, &p->code[at + r], p->slot);
}

bool native_decode(struct decoder *dc)
{
	const struct kernel *k = dc->e->k;
	struct sass_steps *of = new_array(&dc->scratch, struct sass_steps, k->ninsn + 1u);
	struct program *p = dc->p;
	uint32_t steps = 0, from = k->ninsn;
	const char *shows;
	bool must;

	dc->word = load_words(dc);
	dc->k = sass_steps(k, dc->word, &dc->e->a, of);
	refuse_unknown(dc, of);
	if (!dc->e->ordered) {
		shows = order_shows_native(k, dc->k, of, &dc->e->a, &must);
		engine_choose_order(dc->e, shows, must);
	}
	place_registers(dc);
	for (uint32_t i = 0; i < k->ninsn; i++)
		steps += is_simple(dc->k, &of[i]) ? 0 : of[i].n;
	p->code = aligned_array(&dc->e->a, k->ninsn + steps + HOST_COUNT, sizeof *p->code);
	p->step_of = new_array(&dc->e->a, uint32_t, steps + HOST_COUNT);
	p->refused = new_array(&dc->e->a, const char *, k->ninsn + 1u);
	for (dc->at = 0; dc->at < k->ninsn; dc->at++)
		if (!decode_insn(dc, &of[dc->at], &from))
			return false;
	place_runtime(dc, from);
	return true;
}

void native_steps(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t *pred, uint32_t exec)
{
	const struct xinsn *s = x + x->target;

	for (const struct xinsn *end = s + x->rpc; s < end; s++) {
		const uint32_t lanes = s->whole ? UINT32_MAX : exec;
		const uint32_t here = lanes & (pred[s->guard] ^ s->gmask);

		if (here)
			s->fn.lane(s, reg, konst, pred, here);
	}
}

void native_spread(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t *pred, uint32_t exec)
{
	const uint32_t *from = (x->src[0] < 0 ? konst : reg) + (x->src[0] & INT32_MAX);
	const uint32_t v = from[__builtin_ctz(exec)];

	(void)pred;
	for (unsigned l = 0; l < WARP_LANES; l++)
		reg[x->dst[0] + l] = v;
}

void native_spread_pred(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t *pred, uint32_t exec)
{
	const uint32_t from = pred[x->src[0]] ^ (0u - (x->sneg & 1u));

	(void)reg;
	(void)konst;
	pred[x->dst[0]] = from >> __builtin_ctz(exec) & 1 ? UINT32_MAX : 0;
}
