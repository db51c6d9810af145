/* Which functions of a kernel a call through a register can enter: those whose address is taken. What ptxas and
 * nvlink 13.0 make of an address (docs/LIFT.md has what was compiled to see it):
 *
 *   - a function with a section of its own is called by its address, which only a relocation can supply: in code, in
 * data, in constant banks. What another file may name counts as well, in a file that is not linked.
 *   - a function in the kernel's section is called relative to the section (CALL.REL): its address is its offset there,
 * a plain number without a relocation. It stands as an immediate in the code, in a variable's first value, or in bank
 * 2, where ptxas has a table of these for each kernel if there are several; the pointers are then offsets in the table.
 *   - LEPC names a place, or its own, from which the code subtracts that as a number and adds another.
 *
 * So a number is sought that is the offset of a function: it may be there by chance, and the function counts all the
 * same. An address that a program puts together from other numbers is not found; no compiler was seen to do that. Where
 * the search says nothing (an opcode that is not known, a base that is not the section), every function counts. A place
 * behind a call is where that returns to, and no function's address. */
#include "analyzer/sass/lift_code.h"
#include "analyzer/sass/table.h"

#include <string.h>

enum { LEPC = 0x14e, ULEPC = 0x1ce };
/* sh_flags */
enum { EXECUTABLE = 4, LOADED = 2 };

/* of a file */
struct lift_taken {
	/* by piece, by section: a relocation puts its address somewhere, or one of somewhere in the section */
	uint64_t *address, *section;
	uint64_t *number;        /* by number / 16: it stands in data that every kernel can read */
	uint32_t numbers;        /* bits of it: no function ends behind them */
	bool relocates, overlap; /* overlap: of sections, so that not all were read */
};

/* Of a kernel. */
struct search {
	struct lift_kernel *x;
	const struct lift_taken *file;
	uint64_t *number;             /* as above: in its own code and constants */
	uint64_t *part;               /* the result */
	bool relative, absolute, own; /* calls that there are; an instruction says its own place */
	const char *why;
};

static bool is_call(enum sass_class c) { return c == SCLASS_CALL || c == SCLASS_CALL_INDIRECT; }

static enum sass_class class_at(const struct lift *l, uint32_t shndx, uint64_t at, struct sass_insn *s)
{
	const struct cubin_section *sec = &l->c->section[shndx];
	struct sass_word w;

	if (!sec->bytes || sec->size < WORD_BYTES || at > sec->size - WORD_BYTES)
		return SCLASS_UNKNOWN;
	memcpy(&w.lo, sec->bytes + at, 8);
	memcpy(&w.hi, sec->bytes + at + 8, 8);
	sass_decode(l->c->sm, w, s);
	return sass_class(s);
}

static bool behind_a_call(const struct lift *l, uint32_t shndx, uint64_t at)
{
	struct sass_insn s;

	return at % WORD_BYTES == 0 && is_call(class_at(l, shndx, at - WORD_BYTES, &s));
}

/* The function that an address in a register can be used to enter, when it is this place; NOWHERE: none, or where a
 * call returns to. */
static uint32_t function_of(const struct lift *l, uint32_t shndx, uint64_t at)
{
	const uint32_t p = lift_piece_at(l, shndx, at);

	return p != NOWHERE && l->piece[p].start != at && behind_a_call(l, shndx, at) ? NOWHERE : p;
}

/* ---- of a file ---- */
static void add_numbers(uint64_t *set, uint32_t numbers, const uint8_t *bytes, uint64_t n)
{
	for (uint64_t at = 0; n >= 4 && at <= n - 4; at++) { /* at any byte: of a packed structure */
		const uint32_t v = bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16 |
				   (uint32_t)bytes[at + 3] << 24;

		if (v % WORD_BYTES == 0 && v / WORD_BYTES < numbers)
			bitset_add(set, v / WORD_BYTES);
	}
}

static bool begins(const char *s, const char *with) { return s && strncmp(s, with, strlen(with)) == 0; }

/* What kernels can read, but for the parameters of one and the constants that the compiler made for one. */
static bool is_data(const struct cubin_section *s)
{
	return s->bytes && s->flags & LOADED && !(s->flags & EXECUTABLE) && !begins(s->name, ".nv.constant0.") &&
	       !begins(s->name, ".nv.constant2.") && !begins(s->name, ".nv.merc") && !begins(s->name, ".nv.capmerc");
}

static void read_data(const struct lift *l, struct lift_taken *t)
{
	const struct cubin *c = l->c;
	uint64_t end = 0, all = 0;

	for (uint32_t s = 1; s < c->nsection; s++) {
		const struct cubin_section *x = &c->section[s];

		if (x->bytes && x->offset + x->size > end)
			end = x->offset + x->size;
		all += is_data(x) ? x->size : 0;
	}
	for (uint32_t p = 0; p < l->npiece; p++)
		t->numbers = l->piece[p].end / WORD_BYTES > t->numbers ? (uint32_t)(l->piece[p].end / WORD_BYTES)
								       : t->numbers;
	t->number = bitset_new(l->a, t->numbers);
	t->overlap = all > end;
	for (uint32_t s = 1; s < c->nsection && !t->overlap; s++)
		if (is_data(&c->section[s]))
			add_numbers(t->number, t->numbers, c->section[s].bytes, c->section[s].size);
}

static void add_address(const struct lift *l, struct lift_taken *t, const struct cubin_reloc *r)
{
	const struct cubin_symbol *sym = &l->c->symbol[r->symbol];
	const struct cubin_section *at = &l->c->section[r->shndx];
	struct sass_insn s;
	uint32_t p;

	if (!(at->flags & LOADED) || sym->shndx >= l->c->nsection)
		return;
	t->relocates = true;
	if (!sym->shndx || !(l->c->section[sym->shndx].flags & EXECUTABLE))
		return;
	if (at->flags & EXECUTABLE && class_at(l, r->shndx, r->offset / WORD_BYTES * WORD_BYTES, &s) == SCLASS_CALL)
		return; /* it is called by name */
	/* what is added stands in a field that depends on the type */
	if (r->in_place && l->symbol_piece[r->symbol] == NOWHERE)
		bitset_add(t->section, sym->shndx);
	p = r->in_place ? l->symbol_piece[r->symbol] : function_of(l, sym->shndx, sym->value + (uint64_t)r->addend);
	if (p != NOWHERE)
		bitset_add(t->address, p);
}

static const struct lift_taken *of_file(struct lift *l)
{
	const struct cubin *c = l->c;
	struct lift_taken *t;

	if (l->taken)
		return l->taken;
	t = new(l->a, struct lift_taken);
	t->address = bitset_new(l->a, l->npiece);
	t->section = bitset_new(l->a, c->nsection);
	for (uint32_t r = 0; r < c->nreloc; r++)
		add_address(l, t, &c->reloc[r]);
	for (uint32_t f = 0; f < c->nfunc && c->relocatable; f++)
		if (c->symbol[c->func[f].symbol].bind) /* not local */
			bitset_add(t->address, lift_piece_at(l, c->func[f].shndx, c->func[f].offset));
	read_data(l, t);
	return l->taken = t;
}

/* ---- of a kernel ---- */
/* A call of an address, which only a relocation can have supplied, unless it is of the driver's. */
static bool calls_address(struct lift_kernel *x)
{
	struct arena scratch;
	bool found = false;

	arena_init(&scratch);
	lift_runtime(x, &scratch);
	arena_free(&scratch);
	for (uint32_t n = 0; n < x->njump && !found; n++) {
		const struct jump *j = &x->jump[n];
		struct sass_insn s;

		found = j->class == SCLASS_CALL_INDIRECT && !j->runtime &&
			sass_decode_words(x->l->c->sm, x->word[j->insn], &s) && !s.has_target;
	}
	return found;
}

void lift_want_taken(struct lift_kernel *x)
{
	struct lift *l = x->l;
	const struct lift_taken *t;

	if (l->c->relocatable || !calls_address(x))
		return;
	t = of_file(l);
	for (uint32_t p = 0; p < l->npiece; p++)
		if (!l->c->func[l->piece[p].func].entry && (t->overlap || !t->relocates || bitset_has(t->address, p) ||
							    bitset_has(t->section, l->piece[p].shndx)))
			lift_want(x, p);
}

static void add_number(struct search *q, uint64_t v)
{
	if (v % WORD_BYTES == 0 && v / WORD_BYTES < q->file->numbers)
		bitset_add(q->number, (uint32_t)(v / WORD_BYTES));
}

static void add_immediates(struct search *q, const struct sass_insn *s, const uint64_t word[2])
{
	for (unsigned o = 0; o < s->nop; o++)
		switch ((enum sass_kind)s->op[o].kind) {
		case SASS_INT:
		case SASS_F32:
		case SASS_F64:
		case SASS_F16X2:
		case SASS_MASK:
			/* as the wide slot holds it: a constant may be moved as a half or a float */
			add_number(q, word[0] >> 32);
			break;
		case SASS_INT64:
			add_number(q, s->op[o].value & UINT32_MAX);
			add_number(q, s->op[o].value >> 32);
			break;
		case SASS_GPR:
		case SASS_UGPR:
		case SASS_PRED:
		case SASS_UPRED:
		case SASS_PREDS:
		case SASS_CBAR:
		case SASS_CONST:
		case SASS_SREG:
			break;
		}
}

static bool is_place(const struct sass_insn *s) { return s->row->base == LEPC || s->row->base == ULEPC; }

/* The function that the instruction names a place of, if it is the kernel's. */
static void add_place(struct search *q, uint32_t shndx, uint64_t to)
{
	const uint32_t p = function_of(q->x->l, shndx, to);

	if (p != NOWHERE && q->x->l->piece[p].kernel == q->x->number + 1)
		bitset_add(q->part, q->x->l->piece[p].part);
}

static void read_part(struct search *q, uint32_t part)
{
	struct lift_kernel *x = q->x;
	const struct lift_part *p = &x->part[part];
	const uint32_t shndx = x->l->piece[p->piece].shndx;

	for (uint32_t i = p->first; i < p->first + p->n; i++) {
		const uint64_t at = x->l->piece[p->piece].start + (uint64_t)(i - p->first) * WORD_BYTES;
		struct sass_insn s;

		if (!sass_decode_words(x->l->c->sm, x->word[i], &s)) {
			q->why = "an instruction is not known";
			continue;
		}
		add_immediates(q, &s, x->word[i]);
		if (is_place(&s) && s.has_target)
			add_place(q, shndx, at + (uint64_t)s.target);
		q->own |= is_place(&s) && !s.has_target;
		if (sass_class(&s) != SCLASS_CALL_INDIRECT)
			continue;
		q->relative |= s.has_target;
		q->absolute |= !s.has_target;
		if (s.has_target && at + (uint64_t)s.target)
			q->why = "it adds another place than the start of the section";
	}
}

/* LEPC without a place: its own is subtracted as a number, or nobody knows what becomes of it. */
static void check_own_places(struct search *q, uint32_t part)
{
	struct lift_kernel *x = q->x;
	const struct lift_part *p = &x->part[part];

	for (uint32_t i = p->first; i < p->first + p->n; i++) {
		const uint64_t at = x->l->piece[p->piece].start / WORD_BYTES + (i - p->first);
		struct sass_insn s;

		if (sass_decode_words(x->l->c->sm, x->word[i], &s) && is_place(&s) && !s.has_target &&
		    !bitset_has(q->number, (uint32_t)at))
			q->why = "it may be computed from the place of an instruction";
	}
}

/* Bank 2 of the kernel and of each section that functions of it are in. */
static void read_constants(struct search *q, struct arena *a)
{
	const struct lift *l = q->x->l;
	uint64_t *done = bitset_new(a, l->c->nsection);

	for (uint32_t p = 0; p < q->x->npart; p++) {
		const uint32_t shndx = l->piece[q->x->part[p].piece].shndx;
		const struct cubin_section *s = &l->c->section[l->constants[shndx]];

		if (s->bytes && !bitset_has(done, shndx))
			add_numbers(q->number, q->file->numbers, s->bytes, s->size);
		bitset_add(done, shndx);
	}
}

static bool is_taken(const struct search *q, uint32_t piece)
{
	const struct piece *p = &q->x->l->piece[piece];

	return q->why || bitset_has(q->file->address, piece) || bitset_has(q->file->section, p->shndx) ||
	       ((q->relative || q->own) && p->start && bitset_has(q->number, (uint32_t)(p->start / WORD_BYTES)));
}

uint64_t *lift_taken(struct lift_kernel *x, struct arena *a, const char **why)
{
	struct search q = { .x = x, .file = of_file(x->l) };

	q.number = bitset_new(a, q.file->numbers);
	q.part = bitset_new(a, x->npart);
	memcpy(q.number, q.file->number, bitset_words(q.file->numbers) * sizeof *q.number);
	for (uint32_t p = 0; p < x->npart; p++)
		read_part(&q, p);
	read_constants(&q, a);
	for (uint32_t p = 0; q.own && p < x->npart; p++)
		check_own_places(&q, p);
	if (q.file->overlap)
		q.why = "sections lie over each other";
	else if (q.absolute && !q.file->relocates)
		q.why = "the file has no relocations";
	for (uint32_t p = 1; p < x->npart; p++)
		if (is_taken(&q, x->part[p].piece))
			bitset_add(q.part, p);
	*why = q.why;
	return q.part;
}
