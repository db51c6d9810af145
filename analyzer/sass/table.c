/* Makes flat tables of the rows of insns.def, mods.def and widths.def, and an index by (bits 11:0, bit 91), once
 * (pthread_once). The words of a row are row.h's, and checked by the compiler; what only all of a row shows to be wrong
 * is said in error, and the table is empty then. */
#include "analyzer/sass/row.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
	MOD_NONE,
#define MOD(id, bits, cond, lo, hi, names) MOD_##id,
#define ALSO(id, bits, cond, lo, hi, names) MOD_ALSO(__LINE__),
#define MOD_ALSO(line) MOD_ALSO_AT(line)
#define MOD_ALSO_AT(line) MOD_also_##line
#define OPEN MOD
#define FILL MOD
#include "analyzer/sass/mods.def"
	NMOD,
	MOD__Bool = MOD_bool /* a list of modifiers has its macros expanded */
};
static const struct sass_mod mod[] = {
	{ .id = "" },
#define MOD(id, bits, cond, lo, hi, names) { #id, names, lo + MUST(lo <= hi), hi, MOD_##id, MEANING_KNOWN, bits, cond },
#define OPEN(id, bits, cond, lo, hi, names) { #id, names, lo + MUST(lo <= hi), hi, MOD_##id, MEANING_OPEN, bits, cond },
#define FILL(id, bits, cond, lo, hi, names) { #id, names, lo + MUST(lo <= hi), hi, MOD_##id, MEANING_FILL, bits, cond },
#define ALSO MOD
#include "analyzer/sass/mods.def"
};
#define RULE(rule, otherwise, rows) \
	static const struct sass_width width_##rule[] = { rows{ ALWAYS, REGISTERS(otherwise) } };
#define WIDTH(bits, ...) { WHEN(__VA_ARGS__), REGISTERS(bits) },
#include "analyzer/sass/widths.def"
struct insn_def {
	const char *mnemonic;
	unsigned base;
	const uint8_t *forms;
	unsigned ext, lo, hi;
	struct sass_cond match;
	enum sass_class class;
	enum sass_space space;
	bool uniform;
	const struct operand_def *operands;
	const struct mod_ref_def *mods;
	const char *syntax;
	enum sass_sure sure;
	const char *note;
};
static const struct insn_def insn_defs[] = {
#define INSN(mnemonic, base, forms, ext, lo, hi, match, class, space, guard, operands, mods, syntax, sure, note) \
	{ mnemonic,                                                                                              \
	  base + MUST(base < 512),                                                                               \
	  forms,                                                                                                 \
	  EXT_##ext,                                                                                             \
	  lo + MUST(lo <= hi),                                                                                   \
	  hi,                                                                                                    \
	  match,                                                                                                 \
	  SCLASS_##class,                                                                                        \
	  SSPACE_##space,                                                                                        \
	  UNIFORM_##guard,                                                                                       \
	  operands,                                                                                              \
	  mods,                                                                                                  \
	  syntax,                                                                                                \
	  SURE_##sure,                                                                                           \
	  note },
#include "analyzer/sass/insns.def"
};
static const struct {
	uint16_t value;
	const char *name;
} sreg_defs[] = {
#define SREG(value, name, ptx) { value, name },
#include "analyzer/sass/sregs.def"
};

enum { NINSN = sizeof insn_defs / sizeof *insn_defs };
enum { MAX_ROWS = NINSN * 9, MAX_FIELDS = MAX_ROWS * 8, MAX_REFS = MAX_ROWS * 6, KEYS = 1 << 13 };

static const struct {
	const char *text;
	uint8_t role, lo, neg;
} named[] = {
#define NAME(name, role, lo, neg) { #name, SROLE_##role, lo, neg },
	SASS_NAMES(NAME)
};
#define NAME_TEXT(name, role, lo, neg) #name,
const char *const sass_field_names[] = { SASS_NAMES(NAME_TEXT) NULL };

static struct sass_row row[MAX_ROWS];
static struct sass_field field[MAX_FIELDS];
static struct sass_modref ref[MAX_REFS];
static uint16_t first[KEYS + 1], list[MAX_ROWS];
static char error[200];
static struct sass_table table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void wrong(const struct insn_def *d, const char *what)
{
	if (!table.error)
		snprintf(error, sizeof error, "%s: %s", d->mnemonic, what);
	table.error = error;
}

static void claim(struct sass_word *w, unsigned lo, unsigned len) { sass_put(w, lo, len, ~UINT64_C(0)); }
static void claim_bits(struct sass_word *w, const struct sass_bits *b) { sass_put_bits(w, b, ~UINT64_C(0)); }

static void one_part(struct sass_bits *b, unsigned lo, unsigned len)
{
	*b = (struct sass_bits){ 1, { { (uint8_t)lo, (uint8_t)len } } };
}

enum { AT_A = 24, AT_WIDE = 32, AT_C = 64 };

/* Registers and constants: by the slot the bits of negation, absolute value and half, as far as the row has them. */
static void place(struct sass_field *f, unsigned at, const struct operand_def *o)
{
	static const struct {
		unsigned at;
		bool half;
		uint8_t neg_bit, abs_bit, half_bit;
	} slot[] = {
		{ AT_A, false, 72, 73, 74 },   { AT_A, true, 72, 73, 74 },  { AT_WIDE, false, 63, 62, 60 },
		{ AT_WIDE, true, 63, 62, 60 }, { AT_C, false, 75, 74, 81 }, { AT_C, true, 84, 83, 81 },
	};

	at = at == 40 ? AT_WIDE : at;
	for (unsigned i = 0; i < sizeof slot / sizeof *slot; i++)
		if (slot[i].at == at && slot[i].half == o->half) {
			f->neg = o->neg ? slot[i].neg_bit : f->neg;
			f->abs = o->abs ? slot[i].abs_bit : f->abs;
			if (o->half_at)
				f->half = o->half_at;
			else if (o->half)
				f->half = slot[i].half_bit;
		}
}

static void immediate(struct sass_field *f, unsigned kind)
{
	f->kind = kind ? (uint8_t)kind : SASS_INT;
	f->n = 0;
	f->width = NULL;
	f->neg = f->abs = f->half = 0;
	one_part(&f->bits, 32, 32);
}

static void constant(struct sass_field *f, bool bindless)
{
	f->kind = SASS_CONST;
	f->bank = 54;
	f->scale = 4;
	f->bindless = bindless;
	one_part(&f->bits, 40, 14);
}

static bool in_wide_slot(const struct operand_def *o, unsigned role, unsigned form)
{
	return o->wide || (role == SROLE_B) == (form == 1 || form == 4 || form == 5 || form == 6);
}

/* A register, or what the form has in its place: an immediate, a constant, a uniform register. */
static void register_or_other(struct sass_field *f, const struct operand_def *o, unsigned lo, bool wide, unsigned form,
			      bool bindless)
{
	if (wide && (form == 2 || form == 4)) {
		immediate(f, o->imm);
		return;
	}
	if (wide && (form == 3 || form == 5)) {
		constant(f, bindless);
		place(f, AT_WIDE, o);
		return;
	}
	if (wide && (form == 6 || form == 7))
		f->kind = SASS_UGPR;
	if (!o->neg_at)
		place(f, lo, o);
}

/* One operand of a row, for one form. */
static struct sass_field field_of(const struct insn_def *d, const struct operand_def *o, unsigned form, bool bindless)
{
	const unsigned role = named[o->name].role;
	const bool reg = o->kind == SASS_GPR || o->kind == SASS_UGPR, target = o->kind >= FIELD_TARGET;
	const bool by_form = reg && !o->bits.n && (role == SROLE_B || role == SROLE_C);
	const bool wide = by_form ? in_wide_slot(o, role, form) : o->wide;
	unsigned lo = o->bits.n ? o->bits.part[0].lo : named[o->name].lo;
	struct sass_field f = { .kind = o->kind,
				.role = (uint8_t)role,
				.name = o->name,
				.n = o->n ? o->n : 1,
				.width = o->width,
				.write = o->write || (role <= SROLE_PE && o->name != NAME_B16),
				.inverted = o->inverted,
				.derived = o->derived,
				.conditional = o->conditional,
				.is_signed = o->is_signed,
				.scale = o->scale ? o->scale : 1,
				.bits = o->bits,
				.cond = o->cond };

	if (by_form)
		lo = wide ? AT_WIDE : AT_C;
	if (!lo && !target && !o->immediate && !o->constant)
		wrong(d, "an operand has no bits");
	if (o->neg_at)
		f.neg = o->neg_at;
	else
		f.neg = o->bits.n || by_form || f.write ? 0 : named[o->name].neg;
	if (o->len && (!f.bits.n || f.bits.part[0].len == 1))
		one_part(&f.bits, lo, o->name == NAME_B24 ? 5 : o->len);
	if (o->immediate)
		immediate(&f, o->imm);
	else if (o->constant) {
		constant(&f, o->bindless);
		place(&f, AT_WIDE, o);
	} else if (o->kind == SASS_CONST)
		f.bank = 54;
	else if (o->is_signed && o->name == NAME_imm)
		f.kind = FIELD_OFFSET;
	else if (reg)
		register_or_other(&f, o, lo, wide, form, bindless);
	return f;
}

static void claim_field(struct sass_word *w, const struct sass_field *f, unsigned sm_lo)
{
	switch (f->kind) {
	case FIELD_TARGET:
	case FIELD_TARGET_ABS:
		claim(w, 34, 48);
		if (sm_lo >= 90)
			claim(w, 16, 8);
		break;
	case FIELD_TARGET_SSY:
		claim(w, 34, 30);
		break;
	case FIELD_TARGET_PC:
		claim(w, 24, 58);
		break;
	case SASS_UGPR:
		if (sm_lo >= 100)
			claim_bits(w, &f->bits);
		else
			claim(w, f->bits.part[0].lo, 6);
		break;
	default:
		claim_bits(w, &f->bits);
		if (f->bank && !f->bindless)
			claim(w, f->bank, 5);
		if (f->bindless)
			claim(w, 32, sm_lo >= 100 ? 8 : 6);
	}
	if (f->neg)
		claim(w, f->neg, 1);
	if (f->abs)
		claim(w, f->abs, 1);
	if (f->half)
		claim(w, f->half, 2);
}

static uint16_t nfield, nref;

/* A selector of part of an operand is not there where the operand is an immediate. */
static bool names_immediate(const struct sass_row *r, char operand)
{
	for (unsigned k = 0; k < r->nfield; k++) {
		const struct sass_field *f = &field[r->field + k];
		if (sass_field_names[f->name][0] == operand && !sass_field_names[f->name][1])
			return f->kind > SASS_CBAR && f->kind < SASS_CONST;
	}
	return false;
}

static void add_mod(struct sass_row *r, const struct insn_def *d, const struct mod_ref_def *m)
{
	unsigned count = 0;

	if (m->after && names_immediate(r, m->after))
		return;
	if (nref == MAX_REFS) {
		wrong(d, "too many modifiers");
		return;
	}
	while (m->mod && m->mod + count < NMOD && mod[m->mod + count].first == m->mod)
		count++;
	ref[nref++] = (struct sass_modref){ .mod = m->mod,
					    .count = (uint16_t)count,
					    .text = m->text,
					    .n = m->text ? (uint8_t)strlen(m->text) : 0,
					    .after = m->after };
	r->nmod++;
}

static void expand(const struct insn_def *d, uint16_t def, unsigned form, unsigned ext, unsigned lo, unsigned hi)
{
	const bool bindless = form & FORM_BINDLESS, deduced = form & FORM_DEDUCED && d->sure <= SURE_OWN;
	struct sass_row *r = &row[table.nrow];

	if (table.nrow == MAX_ROWS) {
		wrong(d, "too many rows");
		return;
	}
	form &= FORM_BITS;
	table.nrow++;
	*r = (struct sass_row){ .mnemonic = d->mnemonic,
				.syntax = d->syntax,
				.note = d->note,
				.match = d->match,
				.base = (uint16_t)d->base,
				.form = (uint8_t)form,
				.ext = (uint8_t)ext,
				.bindless = bindless,
				.lo = (uint16_t)lo,
				.hi = (uint16_t)hi,
				.class = (uint8_t)d->class,
				.space = (uint8_t)d->space,
				.sure = (uint8_t)(deduced ? SURE_DEDUCED : d->sure),
				.uniform = d->uniform,
				.field = nfield,
				.mod = nref,
				.claimed = { d->match.mlo, d->match.mhi },
				.def = def };
	claim(&r->claimed, 0, 16);
	claim(&r->claimed, 91, 1);
	claim(&r->claimed, 105, 21);
	for (const struct operand_def *o = d->operands; o->name != NAMES; o++) {
		if (nfield == MAX_FIELDS || r->nfield == SASS_OPERANDS) {
			wrong(d, "too many operands");
			return;
		}
		field[nfield] = field_of(d, o, form, bindless);
		if (!field[nfield].derived)
			claim_field(&r->claimed, &field[nfield], lo);
		nfield++;
		r->nfield++;
	}
	for (const struct mod_ref_def *m = d->mods; m->mod || m->text; m++)
		add_mod(r, d, m);
}

/* Rows over SMs of both sides of a change of layout are split there. */
static void expand_forms(const struct insn_def *d, uint16_t def)
{
	static const unsigned edges[] = { 75, 90, 100, 1000 };

	for (const uint8_t *form = d->forms; *form; form++) {
		const bool high = *form & FORM_BINDLESS || (*form & FORM_BITS) >= 6;
		const unsigned from = d->ext == EXT_1 || (d->ext == EXT_FORM && high), to = d->ext == EXT_ANY || from;

		for (unsigned ext = from; ext <= to; ext++)
			for (size_t e = 0; e + 1 < sizeof edges / sizeof *edges; e++) {
				const unsigned lo = d->lo > edges[e] ? d->lo : edges[e],
					       hi = d->hi < edges[e + 1] - 1 ? d->hi : edges[e + 1] - 1;

				if (lo <= hi)
					expand(d, def, *form, ext, lo, hi);
			}
	}
}

static void index_rows(void)
{
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < table.nrow; i++) {
			unsigned key = row[i].base | (unsigned)row[i].form << 9 | (unsigned)row[i].ext << 12;
			if (!pass)
				first[key + 1]++;
			else
				list[first[key]++] = (uint16_t)i;
		}
		if (!pass)
			for (unsigned k = 0; k < KEYS; k++)
				first[k + 1] = (uint16_t)(first[k + 1] + first[k]);
	}
	for (unsigned k = KEYS; k > 0; k--)
		first[k] = first[k - 1];
	first[0] = 0;
}

static void build(void)
{
	for (unsigned i = 0; i < NINSN; i++)
		expand_forms(&insn_defs[i], (uint16_t)i);
	if (table.error)
		table.nrow = 0;
	index_rows();
	table.row = row;
	table.field = field;
	table.ref = ref;
	table.mod = mod;
	table.nmod = NMOD;
	table.ndef = NINSN;
	table.first = first;
	table.list = list;
}

const struct sass_table *sass_table(void)
{
	pthread_once(&once, build);
	return &table;
}

unsigned sass_width(const struct sass_field *f, struct sass_word w)
{
	const struct sass_width *width = f->width;

	if (!width)
		return f->n;
	while (!sass_holds(&width->cond, w))
		width++;
	return width->n;
}

const char *sass_sreg_name(unsigned value)
{
	for (size_t i = 0; i < sizeof sreg_defs / sizeof *sreg_defs; i++)
		if (sreg_defs[i].value == value)
			return sreg_defs[i].name;
	return NULL;
}

const char *sass_cbar_name(unsigned reg)
{
	static const char *const names[] = { "THREAD_STATE_ENUM.0",
					     "THREAD_STATE_ENUM.1",
					     "THREAD_STATE_ENUM.2",
					     "THREAD_STATE_ENUM.3",
					     "THREAD_STATE_ENUM.4",
					     "TRAP_RETURN_PC.LO",
					     "TRAP_RETURN_PC.HI",
					     "TRAP_RETURN_MASK",
					     "MEXITED",
					     "MKILL",
					     "MACTIVE",
					     "MATEXIT",
					     "OPT_STACK",
					     "API_CALL_DEPTH",
					     "ATEXIT_PC.LO",
					     "ATEXIT_PC.HI" };
	return reg >= 16 && reg < 32 ? names[reg - 16] : NULL;
}
