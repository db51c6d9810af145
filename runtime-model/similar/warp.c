/* A warp of 32 lanes: the rules of encode.h, in the order of execution. */
#include "runtime-model/similar/code.h"

#include "passes/uniform.h"

#include <string.h>

struct similar_warp {
	const struct similar_code *code;
	uint32_t missing;
	struct scalar_warp w;
	struct encoding reg[];
};

/* ---- the code ---- */
static uint32_t dead_writes(const struct kernel *k, uint32_t i, const struct insn_regs *r)
{
	uint32_t dead = 0;

	if (k->facts & FACT_UNIFORM)
		for (unsigned d = 0; d < r->ndst; d++)
			dead |= (uint32_t)uniform_dst(k->uniform, i, r, d)->dead << d;
	return dead;
}

struct similar_code *similar_decode(const struct kernel *k, struct arena *a)
{
	struct similar_operands *o = new_array(a, struct similar_operands, (size_t)k->ninsn + 1);
	struct similar_code *c = new(a, struct similar_code);
	bool *generic = new_array(a, bool, (size_t)k->ninsn + 1), *of_warp = new_array(a, bool, (size_t)k->ninsn + 1);
	struct insn_regs regs;
	uint32_t n = 0;
	uint8_t *reg;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs);
		o[i] = (struct similar_operands){ n, regs.nsrc, regs.ndst, dead_writes(k, i, &regs) };
		generic[i] = k->insn[i].space == SP_GENERIC;
		for (unsigned s = 0; s < k->insn[i].nsrc; s++)
			of_warp[i] |= insn_src(k, &k->insn[i])[s].kind == REF_SREG &&
				      sreg_is_of_warp((enum sreg)insn_src(k, &k->insn[i])[s].val);
		n += (uint32_t)regs.nsrc + regs.ndst;
	}
	reg = new_array(a, uint8_t, (size_t)n + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs);
		memcpy(reg + o[i].first, regs.src, regs.nsrc);
		memcpy(reg + o[i].first + regs.nsrc, regs.dst, regs.ndst);
	}
	*c = (struct similar_code){
		.insn = scalar_decode(k, a), .operands = o, .reg = reg, .generic = generic, .of_warp = of_warp
	};
	for (uint32_t i = 0; i < n; i++)
		c->nreg = reg[i] >= c->nreg ? reg[i] + 1u : c->nreg;
	return c;
}

/* ---- a warp ---- */
struct similar_warp *similar_warp_new(const struct similar_code *c, struct arena *a)
{
	struct similar_warp *w = arena_alloc(a, sizeof *w + c->nreg * sizeof w->reg[0], _Alignof(struct similar_warp));

	w->code = c;
	return w;
}

void similar_warp_begin(struct similar_warp *w, uint32_t missing)
{
	w->missing = missing;
	w->w = (struct scalar_warp){ .divergent = false };
	memset(w->reg, 0, w->code->nreg * sizeof w->reg[0]);
}

/* A register is about to be written in part: the schemes that have compressed it decompress it before, in all lanes,
 * unless nothing reads the others again. What follows finds it as bytes by halves leave it then. */
static void decompress(struct encoding *e, bool dead, struct similar_insn *n)
{
	const bool stored[STORED_SCHEMES] = {
		[STORED_HALVES] = encoding_is_compressed(*e, true),
		[STORED_WHOLE] = encoding_is_compressed(*e, false),
		[STORED_BDI] = e->bdi != BDI_NONE,
	};

	for (unsigned s = 0; s < STORED_SCHEMES; s++) {
		n->moves[s] += stored[s];
		n->elided[s] += stored[s] && dead;
	}
	if (stored[STORED_HALVES] && !dead)
		*e = encoding_plain();
}

static bool is_local(const struct record *r)
{
	for (unsigned l = 0; l < r->nline; l++)
		if (scalar_is_local(r->line[l]))
			return true;
	return false;
}

bool similar_step(struct similar_warp *w, const struct record *r, struct similar_insn *insn)
{
	static const uint8_t how_of[] = {
		[HOW_VECTOR] = SIMILAR_VECTOR, [HOW_SCALAR] = SIMILAR_SCALAR, [HOW_LOW] = SIMILAR_PARTS,
		[HOW_HIGH] = SIMILAR_PARTS,    [HOW_HALVES] = SIMILAR_PARTS,  [HOW_DIVERGENT] = SIMILAR_DIVERGENT,
	};
	const struct similar_operands *o = &w->code->operands[r->insn];
	const uint8_t *reg = w->code->reg + o->first;
	struct similar_insn *n = &insn[r->insn];
	struct encoding src[EXEC_SRC_MAX];
	struct scalar_case c = { .insn = &w->code->insn[r->insn],
				 .active = r->active,
				 .missing = w->missing,
				 .local = w->code->generic[r->insn] && is_local(r),
				 .n = o->nsrc,
				 .src = src };
	const bool in_part = r->active && !scalar_convergent(&c);
	enum scalar_how how;
	bool agrees = true;

	n->issued++;
	for (unsigned d = 0; in_part && d < o->ndst; d++)
		decompress(&w->reg[reg[o->nsrc + d]], !r->apart && o->dead >> d & 1, n);
	for (unsigned s = 0; s < o->nsrc; s++)
		src[s] = w->reg[reg[s]];
	n->divergent += scalar_divergent(&w->w, &c);
	how = scalar_how(&w->w, &c, RULE_ALL);
	n->how[how_of[how]]++;
	scalar_issued(&w->w, &c, how);
	if (in_part)
		n->read_divergent += o->nsrc;
	else
		for (unsigned s = 0; s < o->nsrc; s++)
			n->read[src[s].divergent ? 0 : src[s].all]++;
	if (!r->active) {
		n->idle++;
		return true;
	}
	n->lanes += r->active == UINT32_MAX ? WARP_LANES : (unsigned)__builtin_popcount(r->active);
	n->needed += scalar_lanes(how, r->active);
	for (unsigned d = 0; d < o->ndst; d++) {
		struct encoding *e = &w->reg[reg[o->nsrc + d]];

		agrees &= scalar_agrees(how, &r->sig[d]);
		*e = encoding_of(&r->sig[d], r->active, w->missing);
		n->writes++;
		n->stored[STORED_HALVES] += encoding_bytes(*e, true);
		n->stored[STORED_WHOLE] += encoding_bytes(*e, false);
		n->stored[STORED_BDI] += bdi_bytes((enum bdi)e->bdi, WARP_LANES);
	}
	return agrees;
}

/* ---- sums ---- */
void similar_add(struct similar_insn *sum, const struct similar_insn *x)
{
	uint64_t *to = (uint64_t *)(void *)sum;
	const uint64_t *from = (const uint64_t *)(const void *)x;

	_Static_assert(sizeof *x % sizeof *from == 0, "counters alone");
	for (size_t i = 0; i < sizeof *x / sizeof *from; i++)
		to[i] += from[i];
}

struct similar_kernel similar_kernel_new(const struct kernel *k, struct arena *a)
{
	return (struct similar_kernel){ .k = k,
					.insn = new_array(a, struct similar_insn, (size_t)k->ninsn + 1),
					.ninsn = k->ninsn };
}

struct similar_insn similar_sum(const struct similar_kernel *s, unsigned class)
{
	struct similar_insn sum = { 0 };
	struct arena a;
	const struct scalar_insn *of;

	arena_init(&a);
	of = scalar_decode(s->k, &a);
	for (uint32_t i = 0; i < s->ninsn; i++)
		if (class == SCALAR_CLASSES || of[i].class == class)
			similar_add(&sum, &s->insn[i]);
	arena_free(&a);
	return sum;
}
