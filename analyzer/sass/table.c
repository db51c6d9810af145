/* Reads the specs of insns.def, mods.def and widths.def once (pthread_once) into flat tables, and an index by (bits
 * 11:0, bit 91). The grammar of each is at the head of its file. A mistake in a spec is kept as text in error, and the
 * table is empty. */
#include "analyzer/sass/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct insn_def {
	const char *mnemonic;
	unsigned base;
	const char *forms;
	char ext;
	unsigned lo, hi;
	const char *match;
	enum sass_class class;
	enum sass_space space;
	char guard;
	const char *operands, *mods, *syntax;
	enum sass_sure sure;
	const char *note;
};
static const struct insn_def insn_defs[] = {
#define INSN(mnemonic, base, forms, ext, lo, hi, match, class, space, guard, operands, mods, syntax, sure, note) \
	{ mnemonic,       base,  forms,    ext,  lo,     hi,          match, SCLASS_##class,                     \
	  SSPACE_##space, guard, operands, mods, syntax, SURE_##sure, note },
#include "analyzer/sass/insns.def"
};
struct mod_def {
	const char *id, *bits, *cond;
	unsigned lo, hi;
	const char *names;
	enum sass_meaning meaning;
};
static const struct mod_def mod_defs[] = {
#define MOD(id, bits, cond, lo, hi, names) { #id, bits, cond, lo, hi, names, MEANING_KNOWN },
#define OPEN(id, bits, cond, lo, hi, names) { #id, bits, cond, lo, hi, names, MEANING_OPEN },
#define FILL(id, bits, cond, lo, hi, names) { #id, bits, cond, lo, hi, names, MEANING_FILL },
#include "analyzer/sass/mods.def"
};
struct width_def {
	const char *rule, *cond;
	unsigned bits;
};
static const struct width_def width_defs[] = {
#define WIDTH(rule, cond, bits) { #rule, cond, bits },
#include "analyzer/sass/widths.def"
};
static const struct {
	uint16_t value;
	const char *name;
} sreg_defs[] = {
#define SREG(value, name) { value, name },
#include "analyzer/sass/sregs.def"
};

enum {
	NINSN = sizeof insn_defs / sizeof *insn_defs,
	NMOD = sizeof mod_defs / sizeof *mod_defs,
	NWIDTH = sizeof width_defs / sizeof *width_defs
};
enum { MAX_ROWS = NINSN * 9, MAX_FIELDS = MAX_ROWS * 8, MAX_REFS = MAX_ROWS * 6, KEYS = 1 << 13 };

const char *const sass_field_names[] = { "d",   "f",      "pd", "pe",  "a",    "b",   "c",   "e",    "u",   "v",
					 "pp",  "pq",     "pr", "imm", "imm2", "sh",  "lut", "lut2", "bi",  "ci",
					 "bar", "cnt",    "sb", "swz", "mask", "num", "dim", "txq",  "sid", "tid",
					 "gsb", "target", "s",  "PR",  "B16",  "B24", NULL };
static const uint8_t field_roles[] = { SROLE_D,   SROLE_F,   SROLE_PD,   SROLE_PE,    SROLE_A,   SROLE_B,
				       SROLE_C,   SROLE_E,   SROLE_U,    SROLE_V,     SROLE_PP,  SROLE_PQ,
				       SROLE_PR,  SROLE_NUM, SROLE_IMM2, SROLE_SHIFT, SROLE_LUT, SROLE_LUT2,
				       SROLE_B,   SROLE_C,   SROLE_BAR,  SROLE_NUM,   SROLE_BAR, SROLE_NUM,
				       SROLE_NUM, SROLE_NUM, SROLE_NUM,  SROLE_NUM,   SROLE_NUM, SROLE_NUM,
				       SROLE_BAR, SROLE_NUM, SROLE_A,    SROLE_PREDS, SROLE_D,   SROLE_A };

static struct sass_row row[MAX_ROWS];
static struct sass_field field[MAX_FIELDS];
static struct sass_modref ref[MAX_REFS];
static struct sass_mod mod[NMOD];
static struct sass_cond width_cond[NWIDTH];
static uint16_t first[KEYS + 1], list[MAX_ROWS];
static char error[200];
static struct sass_table table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void wrong(const char *what, const char *spec)
{
	if (!table.error)
		snprintf(error, sizeof error, "%s in '%s'", what, spec);
	table.error = error;
}

/* "hi:lo,bit,..." up to the first other character. */
static const char *read_bits(const char *s, struct sass_bits *b, const char *spec)
{
	b->n = 0;
	for (;;) {
		char *end;
		unsigned long hi = strtoul(s, &end, 10), lo = hi;
		if (end == s) {
			wrong("a bit number is missing", spec);
			return s;
		}
		if (*end == ':' && end[1] >= '0' && end[1] <= '9')
			lo = strtoul(end + 1, &end, 10);
		if (hi > 127 || lo > hi || b->n == SASS_PARTS) {
			wrong("bad bits", spec);
			return end;
		}
		b->part[b->n].lo = (uint8_t)lo;
		b->part[b->n++].len = (uint8_t)(hi - lo + 1);
		s = end;
		if (*s != ',')
			return s;
		s++;
	}
}

static void claim(struct sass_word *w, unsigned lo, unsigned len) { sass_put(w, lo, len, ~UINT64_C(0)); }
static void claim_bits(struct sass_word *w, const struct sass_bits *b) { sass_put_bits(w, b, ~UINT64_C(0)); }

/* "bits=value&bits=value" */
static struct sass_cond read_cond(const char *s, const char *spec)
{
	struct sass_word m = { 0, 0 }, v = { 0, 0 };
	while (*s) {
		struct sass_bits b;
		s = read_bits(s, &b, spec);
		if (*s != '=') {
			wrong("'=' is missing", spec);
			break;
		}
		char *end;
		unsigned long x = strtoul(s + 1, &end, 10);
		claim_bits(&m, &b);
		sass_put_bits(&v, &b, x);
		s = end;
		if (*s == '&')
			s++;
		else if (*s && *s != ' ') {
			wrong("bad condition", spec);
			break;
		} else
			break;
	}
	return (struct sass_cond){ m.lo, m.hi, v.lo, v.hi };
}

static int name_index(const char *s, size_t n)
{
	for (int i = 0; sass_field_names[i]; i++)
		if (strlen(sass_field_names[i]) == n && !memcmp(sass_field_names[i], s, n))
			return i;
	return -1;
}

static void one_part(struct sass_bits *b, unsigned lo, unsigned len)
{
	*b = (struct sass_bits){ 1, { { (uint8_t)lo, (uint8_t)len } } };
}

enum { AT_A = 24, AT_WIDE = 32, AT_C = 64 };

/* Registers and constants: which slot, and there negation, absolute value and half by the slot. LETTERS: what the spec
 * allows. */
static void place(struct sass_field *f, unsigned at, bool n, bool a, bool h)
{
	bool wide = at == AT_WIDE || at == 40, low = at == AT_C;
	if (n)
		f->neg = at == AT_A ? 72 : wide ? 63 : low && h ? 84 : low ? 75 : 0;
	if (a)
		f->abs = at == AT_A ? 73 : wide ? 62 : low && h ? 83 : low ? 74 : 0;
	if (h)
		f->half = at == AT_A ? 74 : wide ? 60 : low ? 81 : 0;
}

static void immediate(struct sass_field *f, char kind)
{
	f->kind = kind == 'F'   ? SASS_F32
		  : kind == 'D' ? SASS_F64
		  : kind == 'H' ? SASS_F16X2
		  : kind == 'I' ? SASS_MASK
				: SASS_INT;
	f->n = 0;
	f->width = 0;
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

static const char *field_width(struct sass_field *f, const char *s, const char *spec)
{
	f->n = 1;
	if (*s == '[') {
		const char *end = strchr(s, ']');
		size_t n = end ? (size_t)(end - s - 1) : 0;
		for (unsigned i = 0; i < NWIDTH && end; i++)
			if (strlen(width_defs[i].rule) == n && !memcmp(width_defs[i].rule, s + 1, n)) {
				f->width = (uint16_t)(i + 1);
				return end + 1;
			}
		wrong("no such width rule", spec);
		return end ? end + 1 : s + 1;
	}
	if (*s >= '0' && *s <= '9') {
		char *end;
		f->n = (uint8_t)(strtoul(s, &end, 10) / 32);
		return end;
	}
	return s;
}

/* One operand of a spec, for one form. FALSE at the end. */
static bool read_field(const char **at, const struct insn_def *d, char form, bool bindless, struct sass_field *f)
{
	const char *s = *at, *spec = d->operands;
	while (*s == ' ')
		s++;
	if (!*s)
		return false;
	const char *name = s;
	while ((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == 'P' || *s == 'R' || *s == 'B')
		s++;
	int index = name_index(name, (size_t)(s - name));
	*f = (struct sass_field){ .scale = 1 };
	if (index < 0) {
		wrong("no such operand", spec);
		*at = s + strcspn(s, " ");
		return true;
	}
	f->name = (uint8_t)index;
	f->role = field_roles[index];
	f->write = f->role <= SROLE_PE && index != name_index("B16", 3);
	char kind = 'P';
	if (*s == '=') {
		kind = s[1];
		s += 2;
	} else if (d->guard == 'Q' && *name == 'p')
		kind = 'Q';
	if (*name == 'P' || *name == 'B')
		kind = *name == 'P' ? '*' : 'B';
	int slot = -1;
	char imm = 'i';
	bool n = false, a = false, h = false, explicit_bits = false;
	s = field_width(f, s, spec);
	if (*s == '@') {
		if (s[1] == 'W') {
			slot = AT_WIDE;
			s += 2;
			if (form == '1')
				explicit_bits = false;
		} else {
			s = read_bits(s + 1, &f->bits, spec);
			slot = f->bits.part[0].lo;
			explicit_bits = true;
		}
	}
	unsigned neg_at = 0;
	if (*s == ':')
		for (s++; *s && *s != ' ' && *s != '/' && *s != '?'; s++)
			switch (*s) {
			case 'n':
				n = true;
				if (s[1] >= '0' && s[1] <= '9') {
					char *end;
					neg_at = (unsigned)strtoul(s + 1, &end, 10);
					s = end - 1;
				}
				break;
			case 'a':
				a = true;
				break;
			case 'h':
				h = true;
				break;
			case 'i':
				f->inverted = true;
				break;
			case 'p':
				f->derived = true;
				break;
			case 'w':
				f->write = true;
				break;
			default:
				wrong("unknown letter", spec);
			}
	if (*s == '/') {
		imm = s[1];
		s += 2;
	}
	if (*s == '?') {
		f->conditional = true;
		f->cond = read_cond(s + 1, spec);
		s += strcspn(s, " ");
	}
	if (*s && *s != ' ') {
		wrong("something behind an operand", spec);
		s += strcspn(s, " ");
	}
	*at = s;

	bool by_form = slot < 0 && (f->role == SROLE_B || f->role == SROLE_C) && (kind == 'R' || kind == 'U');
	bool wide = slot == AT_WIDE && !explicit_bits;
	if (by_form) {
		wide = (f->role == SROLE_B) == (form == '1' || form == '4' || form == '5' || form == '6');
		slot = wide ? AT_WIDE : AT_C;
	}
	static const struct {
		const char *name;
		uint8_t lo, neg;
	} homes[] = { { "d", 16, 0 },   { "f", 64, 0 },   { "a", 24, 0 },   { "s", 72, 0 },
		      { "pd", 81, 0 },  { "pe", 84, 0 },  { "pp", 87, 90 }, { "pq", 77, 80 },
		      { "pr", 68, 71 }, { "B16", 16, 0 }, { "B24", 24, 0 }, { "PR", 32, 0 } };
	if (slot < 0) {
		for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
			if (!strcmp(homes[i].name, sass_field_names[index])) {
				slot = homes[i].lo;
				f->neg = homes[i].neg;
			}
		if (slot < 0) {
			wrong("no bits", spec);
			return true;
		}
	}
	if (neg_at)
		f->neg = (uint8_t)neg_at;
	unsigned lo = (unsigned)slot;
	switch (kind) {
	case 'R':
	case 'U':
		f->kind = kind == 'R' ? SASS_GPR : SASS_UGPR;
		if (wide && (form == '2' || form == '4')) {
			immediate(f, imm);
			return true;
		}
		if (wide && (form == '3' || form == '5')) {
			constant(f, bindless);
			place(f, AT_WIDE, n, a, h);
			return true;
		}
		if (wide && (form == '6' || form == '7'))
			f->kind = SASS_UGPR;
		/* hi:lo if it has fewer: all ones are URZ */
		if (!explicit_bits || f->bits.part[0].len == 1)
			one_part(&f->bits, lo, 8);
		if (!neg_at)
			place(f, lo, n, a, h);
		break;
	case 'P':
	case 'Q':
		f->kind = kind == 'P' ? SASS_PRED : SASS_UPRED;
		if (f->write)
			f->neg = 0;
		one_part(&f->bits, lo, 3);
		break;
	case 'i':
	case 'F':
	case 'D':
	case 'H':
	case 'I':
		immediate(f, kind);
		break;
	case 'L':
		f->kind = SASS_INT64;
		one_part(&f->bits, lo, 64);
		break;
	case 'C':
	case 'X':
		constant(f, kind == 'X');
		place(f, AT_WIDE, n, a, h);
		break;
	case 'K':
		constant(f, false);
		f->scale = 1;
		one_part(&f->bits, lo, 54 - lo);
		break;
	case 'S':
		f->kind = SASS_SREG;
		one_part(&f->bits, lo, 8);
		break;
	case 'N':
		f->kind = SASS_INT;
		break;
	case 'M':
		f->kind = SASS_MASK;
		break;
	case 'J':
	case 'O':
		f->kind = index == name_index("imm", 3) ? FIELD_OFFSET : SASS_INT;
		f->is_signed = true;
		f->scale = kind == 'O' ? 32 : 1;
		break;
	case 'B':
		f->kind = SASS_CBAR;
		one_part(&f->bits, lo, lo == 24 ? 5 : 4);
		break;
	case '*':
		f->kind = SASS_PREDS;
		f->derived = true;
		one_part(&f->bits, 32, 7);
		break;
	case 'T':
		f->kind = FIELD_TARGET;
		break;
	case 'Y':
		f->kind = FIELD_TARGET_SSY;
		break;
	case 'Z':
		f->kind = FIELD_TARGET_PC;
		break;
	case 'A':
		f->kind = FIELD_TARGET_ABS;
		break;
	default:
		wrong("unknown kind", spec);
	}
	return true;
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

static void expand(const struct insn_def *d, uint16_t def, char form, bool bindless, unsigned ext, unsigned lo,
		   unsigned hi, enum sass_sure sure)
{
	if (table.nrow == MAX_ROWS) {
		wrong("too many rows", d->mnemonic);
		return;
	}
	struct sass_row *r = &row[table.nrow++];
	*r = (struct sass_row){ .mnemonic = d->mnemonic,
				.operands = d->operands,
				.syntax = d->syntax,
				.note = d->note,
				.base = (uint16_t)d->base,
				.form = (uint8_t)(form - '0'),
				.ext = (uint8_t)ext,
				.bindless = bindless,
				.lo = (uint16_t)lo,
				.hi = (uint16_t)hi,
				.class = (uint8_t)d->class,
				.space = (uint8_t)d->space,
				.sure = (uint8_t)sure,
				.uniform = d->guard == 'Q',
				.field = nfield,
				.mod = nref,
				.def = def };
	r->match = read_cond(d->match, d->match);
	r->claimed = (struct sass_word){ r->match.mlo, r->match.mhi };
	claim(&r->claimed, 0, 16);
	claim(&r->claimed, 91, 1);
	claim(&r->claimed, 105, 21);
	const char *s = d->operands;
	for (struct sass_field f; nfield < MAX_FIELDS && read_field(&s, d, form, bindless, &f); r->nfield++) {
		if (!f.derived)
			claim_field(&r->claimed, &f, lo);
		field[nfield++] = f;
	}
	if (r->nfield > SASS_OPERANDS)
		wrong("too many operands", d->operands);
	for (s = d->mods; *s;) {
		size_t n = strcspn(s, " @");
		if (nref == MAX_REFS) {
			wrong("too many modifiers", d->mods);
			return;
		}
		struct sass_modref *m = &ref[nref++];
		*m = (struct sass_modref){ .text = *s == '.' ? s + 1 : NULL, .n = (uint8_t)(*s == '.' ? n - 1 : 0) };
		for (unsigned i = 0; *s != '.' && i < NMOD; i++)
			if (strlen(mod_defs[i].id) == n && !memcmp(mod_defs[i].id, s, n)) {
				if (!m->count)
					m->mod = (uint16_t)i;
				else if (m->mod + m->count != i)
					wrong("rows of a modifier are not side by side", mod_defs[i].id);
				m->count++;
			}
		if (*s != '.' && !m->count)
			wrong("no such modifier", d->mods);
		s += n;
		if (*s == '@') {
			m->after = s[1];
			s += 2;
		}
		if (m->after && names_immediate(r, m->after))
			nref--;
		while (*s == ' ')
			s++;
		r->nmod = (uint8_t)(nref - r->mod);
	}
}

/* forms: digits of the operand forms, 'x' behind one: its bindless constant; behind '+': deduced, not met. ext: bit 91,
 * '-' as the form says, 'x' either. Rows over SMs of both sides of a change of layout are split there. */
static void expand_forms(const struct insn_def *d, uint16_t def)
{
	static const unsigned edges[] = { 75, 90, 100, 1000 };
	bool deduced = false;
	for (const char *s = d->forms; *s; s++) {
		if (*s == '+') {
			deduced = true;
			continue;
		}
		char form = *s;
		bool bindless = s[1] == 'x';
		if (bindless)
			s++;
		unsigned from = bindless || d->ext == '1' || (d->ext == '-' && (form == '6' || form == '7')),
			 to = d->ext == 'x' ? 1 : from;
		for (unsigned ext = d->ext == 'x' ? 0 : from; ext <= to; ext++)
			for (size_t e = 0; e + 1 < sizeof edges / sizeof *edges; e++) {
				unsigned lo = d->lo > edges[e] ? d->lo : edges[e],
					 hi = d->hi < edges[e + 1] - 1 ? d->hi : edges[e + 1] - 1;
				if (lo <= hi)
					expand(d, def, form, bindless, ext, lo, hi,
					       deduced && d->sure <= SURE_OWN ? SURE_DEDUCED : d->sure);
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
	for (unsigned i = 0; i < NMOD; i++) {
		const struct mod_def *d = &mod_defs[i];
		mod[i] = (struct sass_mod){ .id = d->id,
					    .names = d->names,
					    .lo = (uint16_t)d->lo,
					    .hi = (uint16_t)d->hi,
					    .meaning = (uint8_t)d->meaning,
					    .cond = read_cond(d->cond, d->cond) };
		if (*read_bits(d->bits, &mod[i].bits, d->bits))
			wrong("something behind the bits", d->bits);
	}
	for (unsigned i = 0; i < NWIDTH; i++)
		width_cond[i] = read_cond(width_defs[i].cond, width_defs[i].cond);
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
	if (!f->width)
		return f->n;
	unsigned i = f->width - 1U;
	while (!sass_holds(&width_cond[i], w))
		i++;
	return width_defs[i].bits / 32;
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
