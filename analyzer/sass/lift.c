/* Kernels of a cubin in the IR. A kernel is its own code and, behind it, the other functions in its section and all
 * that they call, each decoded once for the kernel: a function that two kernels call is in both. */
#include "analyzer/base/range.h"
#include "analyzer/sass/latency.h"
#include "analyzer/sass/lift_code.h"
#include "analyzer/sass/values.h"

#include <stdlib.h>
#include <string.h>

/* ---- where things are ---- */
uint32_t lift_piece_at(const struct lift *l, uint32_t shndx, uint64_t at)
{
	uint32_t lo = 0, hi = l->npiece;

	while (lo < hi) { /* the first that starts behind it */
		uint32_t mid = lo + (hi - lo) / 2;
		const struct piece *p = &l->piece[mid];

		if (p->shndx < shndx || (p->shndx == shndx && p->start <= at))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && l->piece[lo - 1].shndx == shndx && at < l->piece[lo - 1].end ? lo - 1 : NOWHERE;
}

uint32_t lift_insn_at(const struct lift_kernel *x, uint32_t shndx, uint64_t at)
{
	const uint32_t p = lift_piece_at(x->l, shndx, at);
	const struct piece *pc = p == NOWHERE ? NULL : &x->l->piece[p];
	const struct lift_part *part;

	if (!pc || pc->kernel != x->number + 1 || (at - pc->start) % WORD_BYTES)
		return NOWHERE;
	part = &x->part[pc->part];
	return (at - pc->start) / WORD_BYTES < part->n ? part->first + (uint32_t)((at - pc->start) / WORD_BYTES)
						       : NOWHERE;
}

uint32_t lift_part_of(const struct lift_kernel *x, uint32_t i)
{
	return range_of(x->part, sizeof *x->part, x->npart, i);
}

uint64_t lift_address(const struct lift_kernel *x, uint32_t i)
{
	const struct lift_part *p = &x->part[lift_part_of(x, i)];

	return x->l->piece[p->piece].start + (uint64_t)(i - p->first) * WORD_BYTES;
}

void lift_want(struct lift_kernel *x, uint32_t piece)
{
	struct piece *p = &x->l->piece[piece];

	if (p->kernel == x->number + 1)
		return;
	p->kernel = x->number + 1;
	p->part = x->npart;
	arena_grow(x->l->a, x->part, x->npart, x->part_cap);
	x->part[x->npart++] = (struct lift_part){ .piece = piece };
}

void lift_note(struct lift_kernel *x, uint32_t i, const char *what)
{
	struct native_note *note = (struct native_note *)x->native->note;

	arena_grow(x->l->a, note, x->native->nnote, x->note_cap);
	note[x->native->nnote++] = (struct native_note){ i, what };
	x->native->note = note;
}

const char *lift_outside(const struct lift_kernel *x, const char *does, const struct jump *j)
{
	const int64_t to = (int64_t)j->to;

	return arena_printf(x->l->a, "%s %s0x%llx, where its section has no instruction", does, to < 0 ? "-" : "",
			    (unsigned long long)(to < 0 ? 0 - j->to : j->to));
}

/* ---- text ---- */
struct place {
	const struct kernel *k;
	const struct native_part *part;
};

static const char *label_of(void *ctx, uint64_t target)
{
	const struct place *p = ctx;
	const struct native *n = p->k->native;

	for (uint32_t x = 0; x < n->npart; x++) {
		const struct native_part *part = &n->part[x];
		uint32_t i, b;

		if (part->section != p->part->section || target < part->at ||
		    target - part->at >= (uint64_t)part->n * WORD_BYTES)
			continue;
		i = part->first + (uint32_t)((target - part->at) / WORD_BYTES);
		b = ir_block_of(p->k, i);
		return p->k->block[b].first == i ? p->k->block[b].label : NULL;
	}
	return NULL;
}

static char *print_insn(struct arena *a, const struct kernel *k, uint32_t i)
{
	const struct native *n = k->native;
	struct place place = { k, &n->part[0] };
	struct sass_print how = { .label = label_of, .ctx = &place };
	struct sass_insn s;

	for (uint32_t lo = 0, hi = n->npart; lo + 1 < hi;) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (n->part[mid].first <= i)
			lo = mid;
		else
			hi = mid;
		place.part = &n->part[lo];
	}
	how.pc = place.part->at + (uint64_t)(i - place.part->first) * WORD_BYTES;
	if (!sass_decode_words(n->sm, n->word[i], &s))
		return arena_printf(a, "unknown 0x%016llx%016llx", (unsigned long long)n->word[i][1],
				    (unsigned long long)n->word[i][0]);
	return sass_print(a, n->sm, &s, &how);
}

/* ---- a kernel ---- */
static int by_instruction(const void *a, const void *b)
{
	const struct native_note *x = a, *y = b;

	return (x->insn > y->insn) - (x->insn < y->insn);
}

/* Why an instruction may do something else than what is read of it; NULL: nothing. */
static const char *uncertainty(const struct sass_insn *s, struct arena *a)
{
	static const char *const why[] = { [SURE_NOTED] = "as others noted them",
					   [SURE_DEDUCED] = "by the rule of the operand forms",
					   [SURE_GUESS] = "guessed" };

	if (s->unclaimed.lo || s->unclaimed.hi)
		return arena_printf(a, "bits 0x%016llx%016llx not known", (unsigned long long)s->unclaimed.hi,
				    (unsigned long long)s->unclaimed.lo);
	return sass_sure(s) >= SURE_NOTED ? arena_printf(a, "operands not certain: %s", why[sass_sure(s)]) : NULL;
}

/* Instructions whose row was met neither in code with its text nor in code of our own, or that have bits that no field
 * claims, are noted, behind what else is said of them. */
static void note_unsure(struct lift_kernel *x)
{
	const uint32_t before = x->native->nnote;
	struct sass_insn s;
	uint32_t n = 0;

	if (x->native->unsure && before)
		qsort((struct native_note *)x->native->note, before, sizeof *x->native->note, by_instruction);
	for (uint32_t i = 0; x->native->unsure && i < x->k->ninsn; i++) {
		struct native_note *note = (struct native_note *)x->native->note;
		const char *what;

		if (!sass_decode_words(x->native->sm, x->word[i], &s))
			continue;
		what = uncertainty(&s, x->l->a);
		if (!what)
			continue;
		while (n < before && note[n].insn < i)
			n++;
		if (n < before && note[n].insn == i)
			note[n].what = arena_printf(x->l->a, "%s; %s", note[n].what, what);
		else
			lift_note(x, i, what);
	}
}

static void describe(struct kernel *k, const struct cubin_func *f, const struct native *n)
{
	for (unsigned d = 0; d < 3; d++) {
		k->maxntid[d] = f->maxntid[d];
		k->reqntid[d] = f->reqntid[d];
		k->cluster[d] = f->cluster[d];
	}
	k->res.regs = f->regs;
	/* of sm_90 and later; occupancy knows what the driver takes */
	k->res.shared_bytes = f->shared_bytes - f->shared_reserved;
	k->res.param_bytes = f->param_bytes;
	k->res.barriers = f->barriers;
	for (uint32_t r = bitset_next(n->named, 0, MREG_PT); r < MREG_PT; r = bitset_next(n->named, r + 1, MREG_PT))
		if (r >= MREG_P0)
			k->res.preds = r - MREG_P0 + 1;
	for (uint32_t p = 0; p < f->nparam; p++) {
		static const uint8_t type_of[9] = { [1] = TY_B8, [2] = TY_B16, [4] = TY_B32, [8] = TY_B64 };
		const struct cubin_param *q = &f->param[p];
		const bool scalar = q->size <= 8 && type_of[q->size];

		arena_grow(k->a, k->param, k->nparam, k->param_cap);
		k->param[k->nparam++] = (struct param){
			.name = arena_printf(k->a, "param_%u", q->ordinal),
			.offset = q->offset,
			.size = q->size,
			.align = scalar ? q->size : 1,
			.type = scalar ? type_of[q->size] : TY_B8,
			.array = !scalar,
		};
	}
}

/* What a core is told of each instruction, the unit that it is for, and how much of memory it is about. */
static void find_controls(struct lift_kernel *x)
{
	struct control_code *of = new_array(x->l->a, struct control_code, x->k->ninsn + 1u);
	uint8_t *unit = new_array(x->l->a, uint8_t, x->k->ninsn + 1u);
	uint8_t *access = new_array(x->l->a, uint8_t, x->k->ninsn + 1u);
	struct sass_insn s;

	for (uint32_t i = 0; i < x->k->ninsn; i++) {
		sass_decode(x->native->sm, (struct sass_word){ x->word[i][0], x->word[i][1] }, &s);
		of[i] = s.control;
		unit[i] = (uint8_t)sass_unit(&s);
		access[i] = (uint8_t)sass_access_bytes(&s);
	}
	x->native->control = x->k->control = of;
	x->native->unit = unit;
	x->native->access = access;
}

static bool lift_kernel(struct lift *l, uint32_t number, uint32_t func, uint32_t piece)
{
	const struct cubin_func *f = &l->c->func[func];
	struct kernel *k = kernel_new(l->m, f->name);
	struct native *n = new(l->a, struct native);
	struct lift_kernel x = { .l = l, .k = k, .native = n, .f = f, .number = number };
	struct native_part *part;

	k->form = FORM_MACHINE;
	n->sm = l->c->sm;
	n->print = print_insn;
	n->values = sass_values;
	n->param_base = f->param_base;
	n->constant2 = lift_reloc(l, l->constants[f->shndx], 0, UINT64_MAX)
			       ? NULL
			       : l->c->section[l->constants[f->shndx]].bytes;
	n->nconstant2 = n->constant2 ? l->c->section[l->constants[f->shndx]].size : 0;
	k->native = n;
	ir_block(k, NULL);
	lift_want(&x, piece);
	for (uint32_t p = piece + 1;
	     p < l->npiece && l->piece[p].shndx == f->shndx && !l->c->func[l->piece[p].func].entry; p++)
		lift_want(&x, p);
	for (uint32_t p = 0; p < x.npart;) {
		while (p < x.npart)
			lift_decode(&x, p++);
		lift_want_taken(&x);
	}
	n->word = (const uint64_t(*)[2])x.word;
	find_controls(&x);
	lift_flow(&x);
	lift_reach(&x);
	lift_addresses(&x);
	note_unsure(&x);
	part = new_array(l->a, struct native_part, x.npart);
	for (uint32_t p = 0; p < x.npart; p++)
		part[p] = (struct native_part){ l->c->section[l->piece[x.part[p].piece].shndx].name,
						l->piece[x.part[p].piece].start, x.part[p].first, x.part[p].n,
						l->piece[x.part[p].piece].shndx };
	n->part = part;
	n->npart = x.npart;
	if (n->nnote)
		qsort((struct native_note *)n->note, n->nnote, sizeof *n->note, by_instruction);
	describe(k, f, n);
	lift_stack(&x);
	return ir_verify(k, l->d);
}

/* ---- a file ---- */
static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx > y->shndx ? 1 : -1;
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	return (x->func > y->func) - (x->func < y->func);
}

static bool find_pieces(struct lift *l)
{
	const struct cubin *c = l->c;
	uint32_t n = 0;

	l->piece = new_array(l->a, struct piece, (size_t)c->nfunc + 1);
	for (uint32_t f = 0; f < c->nfunc; f++) {
		const struct cubin_section *sec = c->func[f].shndx < c->nsection ? &c->section[c->func[f].shndx] : NULL;

		if (!sec || !sec->bytes)
			return diag_error_plain(l->d, c->name, "function %s is in no section with code",
						c->func[f].name);
		if (c->func[f].offset >= sec->size || c->func[f].offset % WORD_BYTES ||
		    sec->size - c->func[f].offset < WORD_BYTES)
			return diag_error_bin(l->d, c->name, sec->name, c->func[f].offset,
					      "function %s is no place of an instruction of this section of %llu bytes",
					      c->func[f].name, (unsigned long long)sec->size);
		l->piece[n++] = (struct piece){
			c->func[f].shndx, f, c->func[f].offset, sec->size / WORD_BYTES * WORD_BYTES, 0, 0
		};
	}
	qsort(l->piece, n, sizeof *l->piece, by_place);
	for (uint32_t p = 0; p < n; p++) {
		const struct piece *was = l->npiece ? &l->piece[l->npiece - 1] : NULL;

		if (was && was->shndx == l->piece[p].shndx && was->start == l->piece[p].start)
			continue; /* another name of it */
		if (was && was->shndx == l->piece[p].shndx)
			l->piece[l->npiece - 1].end = l->piece[p].start;
		l->piece[l->npiece++] = l->piece[p];
	}
	l->symbol_piece = new_array(l->a, uint32_t, (size_t)c->nsymbol + 1);
	memset(l->symbol_piece, 0xff, ((size_t)c->nsymbol + 1) * sizeof *l->symbol_piece);
	for (uint32_t f = 0; f < c->nfunc; f++)
		l->symbol_piece[c->func[f].symbol] = lift_piece_at(l, c->func[f].shndx, c->func[f].offset);
	return true;
}

static void find_lines(struct lift *l)
{
	const struct cubin *c = l->c;

	l->section_line = new_array(l->a, uint32_t, (size_t)c->nsection + 1);
	l->line = new_array(l->a, uint32_t, (size_t)c->nline + 1);
	for (uint32_t n = c->nline; n--;)
		if (c->line[n].shndx < c->nsection)
			l->section_line[c->line[n].shndx] = n;
	for (uint32_t r = 0; r < c->nreloc && !l->code_relocs; r++)
		/* SHF_EXECINSTR */
		l->code_relocs = c->reloc[r].shndx < c->nsection && c->section[c->reloc[r].shndx].flags & 4;
}

static void find_constants(struct lift *l)
{
	const struct cubin *c = l->c;

	l->constants = new_array(l->a, uint32_t, (size_t)c->nsection + 1);
	for (uint32_t s = 1; s < c->nsection; s++)
		if (strncmp(c->section[s].name, ".nv.constant2.", 14) == 0 && c->section[s].info < c->nsection)
			l->constants[c->section[s].info] = s;
	l->constants[0] = 0;
}

struct module *sass_lift_any(const struct cubin *c, struct arena *a, struct diag *d)
{
	struct lift l = { .c = c, .a = a, .d = d, .m = module_new(a) };

	if (!sass_sm_known(c->sm)) {
		diag_error_plain(d, c->name, "is machine code for sm_%u, which is not known: sm_75 to sm_121 are",
				 c->sm);
		return NULL;
	}
	l.m->src_name = l.m->path = c->name;
	l.m->sm = c->sm;
	l.m->address_bits = 64;
	snprintf(l.m->target, sizeof l.m->target, "%s", cubin_arch(c, a));
	if (!find_pieces(&l))
		return NULL;
	find_lines(&l);
	find_constants(&l);
	lift_variables(&l);
	for (uint32_t f = 0; f < c->nfunc; f++) {
		uint32_t p = lift_piece_at(&l, c->func[f].shndx, c->func[f].offset);

		if (!c->func[f].entry)
			continue;
		if (!lift_kernel(&l, l.m->nkernel, f, p))
			return NULL;
	}
	return l.m;
}

struct module *sass_lift(const struct cubin *c, struct arena *a, struct diag *d)
{
	struct module *m = sass_lift_any(c, a, d);

	if (!m || m->nkernel)
		return m;
	diag_error_plain(d, c->name, "has no kernel");
	return NULL;
}
