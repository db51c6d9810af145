/* A cubin made wrong in one place, so that a check that looks there must say so. */
#include "test/sass/evidence.h"

#include <string.h>

static char *byte_at(struct source *s, const struct cubin_section *x, uint64_t pc)
{
	return (char *)(uintptr_t)s->text + x->offset + pc;
}

static void put(struct source *s, const struct cubin_section *x, uint64_t pc, struct sass_word w)
{
	memcpy(byte_at(s, x, pc), &w.lo, 8);
	memcpy(byte_at(s, x, pc + 8), &w.hi, 8);
}

/* Whether i, at PC, was changed. */
static bool change(struct evidence *e, enum check what, const struct cubin_func *f, struct sass_insn *i,
		   struct sass_word *w)
{
	const unsigned sm = e->c->sm;
	const enum sass_class class = sass_class(i);

	if (what == CHECK_BYTES) {
		w->hi |= UINT64_C(1) << 63;
		return true;
	}
	if (what == CHECK_TARGETS) {
		if (!i->has_target || class != SCLASS_BRANCH)
			return false;
		i->target += 0x100000;
	} else if (what == CHECK_ENTRY) { /* written under a predicate, so perhaps not */
		if (class != SCLASS_SPECIAL || !i->nop || i->op[0].kind != SASS_GPR || i->op[0].n != 1 ||
		    i->guard.reg != SASS_TRUE)
			return false;
		i->guard.reg = 6;
	} else if (what == CHECK_BARRIERS) {
		if (!i->control.wait || (class != SCLASS_FMAD && class != SCLASS_IMAD && class != SCLASS_INT))
			return false;
		i->control.wait = 0;
	} else if (what == CHECK_STALLS) { /* whose result the next instructions read, as chains of sums do */
		if (i->control.stall < 4 || (class != SCLASS_FMAD && class != SCLASS_FADD && class != SCLASS_IMAD))
			return false;
		i->control.stall = 1;
	} else {
		for (unsigned o = 0; o < i->nop; o++) {
			struct sass_operand *p = &i->op[o];

			if (p->kind != SASS_GPR || p->reg == SASS_ZERO || i->guard.reg != SASS_TRUE)
				continue;
			if (what == CHECK_DEAD && p->write && p->n == 1 &&
			    (class == SCLASS_FMAD || class == SCLASS_IMAD)) {
				p->reg = (uint16_t)(f->regs - 1); /* as below: nobody reads it */
			} else if (what == CHECK_REGISTERS && p->write && p->n == 1) {
				p->reg = (uint16_t)(f->regs + 3);
			} else if (what == CHECK_ALIGNMENT && p->n == 2) {
				p->reg++;
			} else if (what == CHECK_UNWRITTEN && !p->write && p->n == 1 && class == SCLASS_FMAD) {
				/* declared, and by the compiler's habit never named */
				p->reg = (uint16_t)(f->regs - 1);
			} else {
				continue;
			}
			*w = sass_encode(sm, i);
			return true;
		}
		return false;
	}
	*w = sass_encode(sm, i);
	return true;
}

/* EIATTR_REGCOUNT of every function becomes 2. */
static bool declare_less(struct evidence *e, struct source *s)
{
	static const uint8_t head[4] = { 4, 0x2f, 8, 0 };
	bool done = false;

	for (uint32_t x = 0; x < e->c->nsection; x++) {
		const struct cubin_section *n = &e->c->section[x];

		for (uint64_t at = 0; strcmp(n->name, ".nv.info") == 0 && at + 12 <= n->size; at += 4)
			if (memcmp(n->bytes + at, head, 4) == 0) {
				*byte_at(s, n, at + 8) = 2;
				done = true;
			}
	}
	return done;
}

/* The variables of bank 3 become zero, and the numbers of functions there with them. */
static bool forget_numbers(struct evidence *e, struct source *s)
{
	for (uint32_t x = 0; x < e->c->nsection; x++)
		if (strcmp(e->c->section[x].name, ".nv.constant3") == 0 && e->c->section[x].bytes) {
			memset(byte_at(s, &e->c->section[x], 0), 0, e->c->section[x].size);
			return true;
		}
	return false;
}

bool break_cubin(struct evidence *e, struct source *s, const char *check)
{
	unsigned what = 0;

	while (what < CHECK_COUNT && strcmp(check_name[what], check) != 0)
		what++;
	if (what == CHECK_PEAK)
		return declare_less(e, s);
	if (what == CHECK_ENTERED)
		return forget_numbers(e, s);
	for (uint32_t n = 0; n < e->c->nfunc; n++) {
		const struct cubin_func *f = &e->c->func[n];
		const struct cubin_section *x = &e->c->section[f->shndx];

		if (!f->entry || !f->owner)
			continue;
		for (uint64_t pc = 0; pc + 16 <= x->size; pc += 16) {
			struct sass_word w = word_at(x->bytes + pc);
			struct sass_insn i;

			if (!sass_decode(e->c->sm, w, &i) || !change(e, what, f, &i, &w))
				continue;
			put(s, x, pc, w);
			return true;
		}
	}
	return false;
}
