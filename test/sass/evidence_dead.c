/* Evidence against a read that the decoder misses: results that nobody reads.
 *
 * ptxas removes code whose results are not used, so that a register which an instruction writes is read on some way
 * behind it, or stands beside one that is: of a pair, a wider tuple or several results an instruction writes all, used
 * or not. A decoder that knows too few registers of an operand, or not that there is one, leaves results behind that
 * seem unused. So each such register is reported: by the operand that it is in, its place there, and whether anything
 * else that the instruction writes is used ("part") or not ("whole"):
 *
 *     R5 is read by nobody: part d2/2 IMAD.WIDE.U32 R4, R0, R3, R6
 *
 * "for-a-call": a register that the ABI passes arguments in, set before a call of a function in the file that does not
 * read it. Behind the instruction stands what explains some of them: "half-of-a-pair", "source-read-later" of copies,
 * "again" of what is computed elsewhere too. "in-a-function": a load from the stack in a function that is called: what
 * it restores for its callers may be nothing to those that there are.
 *
 * Of a file whose note says that ptxas was run with -O 0 or -g nothing is asked: there it keeps what is not used.
 * What calls through a register or out of the file may read is everything, and code that nothing leads to says
 * nothing. */
#include "analyzer/sass/table.h"
#include "test/sass/evidence.h"

#include <string.h>

/* The operand that is register r's, and r's place in it from 1 on; "?": it has none. */
static const char *place(struct evidence *e, const struct sass_insn *s, uint32_t r)
{
	for (unsigned o = 0; o < s->nop; o++) {
		const struct sass_operand *p = &s->op[o];
		const char *name = sass_field_names[sass_table()->field[s->row->field + p->field].name];
		static const uint32_t base[] = {
			[SASS_GPR] = 0, [SASS_UGPR] = MREG_UR0, [SASS_PRED] = MREG_P0, [SASS_UPRED] = MREG_UP0
		};

		if (!p->write)
			continue;
		if (p->kind == SASS_PREDS)
			return name;
		if (p->kind <= SASS_UPRED && r - base[p->kind] - p->reg < p->n)
			return arena_printf(&e->a, "%s%u/%u", name, r - base[p->kind] - p->reg + 1, p->n);
	}
	return "?";
}

/* R4 to R15 hold arguments; set in a block that ends in a call, and not again before that. */
static bool for_a_call(const struct kernel *k, uint32_t b, uint32_t i, uint32_t r)
{
	const uint32_t end = k->block[b].first + k->block[b].n - 1;

	if (k->insn[end].op != OP_SASS_CALL || r < 4 || r > 15)
		return false;
	for (uint32_t j = i + 1; j < end; j++)
		for (unsigned d = 0; d < k->insn[j].ndst; d++)
			if (insn_dst(k, &k->insn[j])[d].val == r)
				return false;
	return true;
}

/* ---- what stands around it, behind the instruction in the report ---- */
/* Whether r is read behind instruction i of block b, before it is written again. */
static bool read_behind(const struct kernel *k, uint32_t b, uint32_t i, uint32_t r)
{
	struct reg_use use[REG_USE_MAX];
	struct live_set out = live_out(k, b);

	for (uint32_t j = i + 1; j < k->block[b].first + k->block[b].n; j++) {
		const unsigned n = insn_reg_uses(k, &k->insn[j], use);

		for (unsigned u = 0; u < n; u++)
			if (use[u].reg == r && !use[u].write)
				return true;
		for (unsigned u = 0; u < n; u++)
			if (use[u].reg == r && insn_kills(&k->insn[j]))
				return false;
	}
	for (uint32_t x = 0; x < out.n; x++)
		if (out.reg[x] == r)
			return true;
	return false;
}

/* Instruction i copies register *from to *to, and does nothing else: MOV, R2UR, IMAD.MOV. */
static bool copies(struct evidence *e, const struct kernel *k, uint32_t i, uint32_t *from, uint32_t *to)
{
	const char *text = k->native->print(&e->a, k, i);
	struct reg_use use[REG_USE_MAX];
	const unsigned n = insn_reg_uses(k, &k->insn[i], use);
	unsigned reads = 0, writes = 0;

	if (*text == '@' && strchr(text, ' '))
		text = strchr(text, ' ') + 1;
	if (strncmp(text, "MOV ", 4) != 0 && strncmp(text, "R2UR ", 5) != 0 && strncmp(text, "IMAD.MOV.U32 ", 13) != 0)
		return false;
	for (unsigned u = 0; u < n; u++) {
		if (!use[u].write && k->insn[i].guard.kind == REF_REG && use[u].reg == k->insn[i].guard.val)
			continue;
		if (use[u].write)
			*to = use[u].reg;
		else
			*from = use[u].reg;
		reads += !use[u].write;
		writes += use[u].write;
	}
	return reads == 1 && writes == 1;
}

/* One of two copies, of the halves of a pair, of which the other half is used. */
static bool half_of_a_pair(struct evidence *e, const struct kernel *k, uint32_t b, uint32_t i)
{
	uint32_t from, to, f, t;

	if (!copies(e, k, i, &from, &to))
		return false;
	for (uint32_t j = k->block[b].first; j < k->block[b].first + k->block[b].n; j++)
		if (j != i && copies(e, k, j, &f, &t) && f == (from ^ 1) && t == (to ^ 1) && read_behind(k, b, j, t))
			return true;
	return false;
}

/* The instruction without the numbers of its general registers, and without when it is issued. */
static struct sass_word shape(struct evidence *e, const struct kernel *k, uint32_t i)
{
	struct sass_insn s;
	struct sass_word w;

	if (!sass_decode(e->c->sm, insn_word(k, i), &s))
		return (struct sass_word){ i, ~UINT64_C(0) };
	for (unsigned o = 0; o < s.nop; o++)
		if (s.op[o].kind == SASS_GPR && s.op[o].reg != SASS_ZERO)
			s.op[o].reg = 0;
	w = sass_encode(e->c->sm, &s);
	w.hi &= (UINT64_C(1) << 41) - 1;
	return w;
}

/* The same is computed elsewhere, of the same constants, perhaps in other registers. Of copies that says nothing. */
static bool again(struct evidence *e, const struct kernel *k, uint32_t i)
{
	const struct sass_word w = shape(e, k, i);
	uint32_t from, to;

	for (uint32_t j = 0; !copies(e, k, i, &from, &to) && j < k->ninsn; j++) {
		const struct sass_word v = shape(e, k, j);

		if (j != i && v.lo == w.lo && v.hi == w.hi)
			return true;
	}
	return false;
}

static const char *around(struct evidence *e, const struct kernel *k, uint32_t b, uint32_t i)
{
	uint32_t from, to;

	return arena_printf(&e->a, "%s%s%s", half_of_a_pair(e, k, b, i) ? " half-of-a-pair" : "",
			    copies(e, k, i, &from, &to) && read_behind(k, b, i, from) ? " source-read-later" : "",
			    again(e, k, i) ? " again" : "");
}

/* LIVE: registers read behind instruction i of block b. */
static void check_insn(struct evidence *e, const struct kernel *k, uint32_t b, uint32_t i, const uint64_t *live)
{
	struct reg_use use[REG_USE_MAX];
	const unsigned n = insn_reg_uses(k, &k->insn[i], use);
	unsigned written = 0, dead = 0;
	struct sass_insn s;
	uint64_t at;

	if (op_info[k->insn[i].op].flags & (OPF_UNKNOWN | OPF_CALL))
		return;
	for (unsigned u = 0; u < n; u++)
		if (use[u].write && mreg_file(use[u].reg) != FILE_CBAR) {
			written++;
			dead += !bitset_has(live, use[u].reg);
		}
	e->nresult += written;
	if (!dead)
		return;
	sass_decode(e->c->sm, insn_word(k, i), &s);
	for (unsigned u = 0; u < n; u++) {
		const uint32_t r = use[u].reg;
		const char *where, *what;

		if (!use[u].write || mreg_file(r) == FILE_CBAR || bitset_has(live, r))
			continue;
		where = insn_where(k, i, &at);
		if (for_a_call(k, b, i, r))
			what = "for-a-call ";
		else
			what = k->insn[i].space == SP_LOCAL && ir_proc_of(k, b) ? "in-a-function " : "";
		violation(e, CHECK_DEAD, where, at,
			  arena_printf(&e->a, "%s is read by nobody: %s %s %s%s%s", reg_name(e, r),
				       dead == written ? "whole" : "part", place(e, &s, r), what,
				       k->native->print(&e->a, k, i), around(e, k, b, i)));
	}
}

/* Whether ptxas, whose command stands in a note (sm_75 and later, CUDA 13), left everything as it was. */
static bool unoptimised(const struct cubin *c)
{
	for (uint32_t x = 0; x < c->nsection; x++) {
		const struct cubin_section *s = &c->section[x];

		if (s->bytes && strncmp(s->name, ".note", 5) == 0 &&
		    (memmem(s->bytes, s->size, "-O 0 ", 5) || memmem(s->bytes, s->size, " -g ", 4)))
			return true;
	}
	return false;
}

void check_dead(struct evidence *e, const struct kernel *k)
{
	uint64_t *live = bitset_new(&e->a, MREG_ALL);

	if (unoptimised(e->c)) {
		e->nkept += !e->quiet;
		return;
	}

	for (uint32_t x = 0; x < k->cfg->nrpo; x++) {
		const uint32_t b = k->cfg->rpo[x];

		live_copy(live, live_out(k, b), MREG_ALL);
		for (uint32_t j = k->block[b].n; j--;) {
			check_insn(e, k, b, k->block[b].first + j, live);
			live_step_back(k, &k->insn[k->block[b].first + j], live);
		}
	}
}
