/* What a decoder that forgets a read would be told: of every operand that a mnemonic reads in a kernel, its last
 * register is no longer read, and the check of dead results is made again. It must find results that nobody reads and
 * nothing explains; where it does not, others read the same register, or what made it is explained. */
#include "analyzer/sass/table.h"
#include "test/sass/evidence.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct sass_insn *s, const struct sass_operand *o)
{
	return sass_field_names[sass_table()->field[s->row->field + o->field].name];
}

/* The last register that an operand reads, in the IR's numbers; UINT32_MAX: it reads none, or another operand does
 * too. */
static uint32_t last_read(const struct sass_insn *s, unsigned o)
{
	static const uint32_t base[] = {
		[SASS_GPR] = 0, [SASS_UGPR] = MREG_UR0, [SASS_PRED] = MREG_P0, [SASS_UPRED] = MREG_UP0
	};
	const struct sass_operand *p = &s->op[o];
	uint32_t last;

	if (p->write || p->kind > SASS_UPRED || !p->n)
		return UINT32_MAX;
	last = (uint32_t)p->reg + p->n - 1;
	for (unsigned x = 0; x < s->nop; x++)
		if (x != o && !s->op[x].write && s->op[x].kind == p->kind && last - s->op[x].reg < s->op[x].n)
			return UINT32_MAX;
	return base[p->kind] + last;
}

static struct forgotten *find(struct evidence *e, const struct sass_insn *s, unsigned o)
{
	const char *operand = name_of(s, &s->op[o]);

	for (uint32_t f = 0; f < e->nforgotten; f++)
		if (strcmp(e->forgotten[f].mnemonic, sass_mnemonic(s)) == 0 &&
		    strcmp(e->forgotten[f].operand, operand) == 0)
			return &e->forgotten[f];
	e->forgotten = realloc(e->forgotten, (e->nforgotten + 1) * sizeof *e->forgotten);
	if (!e->forgotten)
		abort();
	e->forgotten[e->nforgotten] = (struct forgotten){ sass_mnemonic(s), operand, 0, 0, false };
	return &e->forgotten[e->nforgotten++];
}

/* Operands of the kernel that read: each mnemonic and operand once. */
static void note_operands(struct evidence *e, const struct kernel *k)
{
	for (uint32_t f = 0; f < e->nforgotten; f++)
		e->forgotten[f].here = false;
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_insn s;

		if (!sass_decode(e->c->sm, insn_word(k, i), &s) ||
		    op_info[k->insn[i].op].flags & (OPF_UNKNOWN | OPF_CALL))
			continue;
		for (unsigned o = 0; o < s.nop; o++)
			if (last_read(&s, o) != UINT32_MAX)
				find(e, &s, o)->here = true;
	}
}

/* The reads that F names are there, or not. */
static void set_reads(struct evidence *e, struct kernel *k, const struct forgotten *f, bool there)
{
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_insn s;

		if (!sass_decode(e->c->sm, insn_word(k, i), &s) || strcmp(sass_mnemonic(&s), f->mnemonic) != 0 ||
		    op_info[k->insn[i].op].flags & (OPF_UNKNOWN | OPF_CALL))
			continue;
		for (unsigned o = 0; o < s.nop; o++) {
			const uint32_t r =
				strcmp(name_of(&s, &s.op[o]), f->operand) == 0 ? last_read(&s, o) : UINT32_MAX;

			for (unsigned x = 0; x < k->insn[i].nsrc; x++) {
				struct ref *ref = &insn_src(k, &k->insn[i])[x];

				if (ref->val == r && ref->kind == (there ? REF_NONE : REF_REG))
					ref->kind = there ? REF_REG : REF_NONE;
			}
		}
	}
}

void forget_reads(struct evidence *e, struct kernel *k, struct pass_ctx *cx)
{
	e->quiet = true;
	note_operands(e, k);
	for (uint32_t f = 0; f < e->nforgotten; f++) {
		const uint64_t found = e->found[CHECK_DEAD], bad = e->bad[CHECK_DEAD];

		if (!e->forgotten[f].here)
			continue;
		set_reads(e, k, &e->forgotten[f], false);
		k->facts = 0;
		if (pass_need(k, FACT_CFG | FACT_LIVE, cx))
			check_dead(e, k);
		e->forgotten[f].kernels++;
		e->forgotten[f].noticed += e->bad[CHECK_DEAD] > bad;
		set_reads(e, k, &e->forgotten[f], true);
		e->found[CHECK_DEAD] = found;
		e->bad[CHECK_DEAD] = bad;
	}
	e->quiet = false;
}

static int by_name(const void *a, const void *b)
{
	const struct forgotten *x = a, *y = b;
	const int name = strcmp(x->mnemonic, y->mnemonic);

	return name ? name : strcmp(x->operand, y->operand);
}

void print_forgotten(struct evidence *e)
{
	uint32_t noticed = 0;

	if (e->nforgotten)
		qsort(e->forgotten, e->nforgotten, sizeof *e->forgotten, by_name);
	for (uint32_t f = 0; f < e->nforgotten; f++) {
		const struct forgotten *x = &e->forgotten[f];

		noticed += x->noticed != 0;
		printf("forget %-12s %-4s noticed in %u of %u kernels\n", x->mnemonic, x->operand, x->noticed,
		       x->kernels);
	}
	printf("reads forgotten: %u of %u operands are noticed\n", noticed, e->nforgotten);
}
