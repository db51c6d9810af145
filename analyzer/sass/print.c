/* One instruction as text, in the notation of nvdisasm, from the syntax column of its row:
 *   words are operands, separated by commas; '_' behind one: a blank behind it instead; '?': left out if it is PT, RZ
 * or 0; '!': left out if PT up to sm_90; 'b+a': a constant indexed by register a; [..]: an address of the terms named,
 * 'x[y]': a prefix x. Known differences from nvdisasm are in docs/SASS.md. */
#include "analyzer/sass/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct text {
	char s[600];
	unsigned n;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n = t->n + (unsigned)n < sizeof t->s ? t->n + (unsigned)n : (unsigned)sizeof t->s - 1;
}

static void add_hex(struct text *t, int64_t v)
{
	add(t, "%s0x%llx", v < 0 ? "-" : "", (unsigned long long)(v < 0 ? 0 - (uint64_t)v : (uint64_t)v));
}

/* The name of a value in "A B 5=C D": *n is its length, 0 if it prints nothing; NULL if it has none. */
static const char *value_name(const char *names, unsigned value, size_t *n)
{
	unsigned at = 0;
	for (const char *s = names; *s; at++) {
		*n = strcspn(s, " ");
		const char *eq = memchr(s, '=', *n);
		if (eq) {
			at = 0;
			for (const char *c = s; c < eq; c++)
				at = at * 10 + (unsigned)(*c - '0');
			*n -= (size_t)(eq + 1 - s);
			s = eq + 1;
		}
		if (at == value) {
			if (*s == '~') {
				s++;
				--*n;
			}
			if (*s == '?')
				return NULL;
			if (*n == 1 && *s == '.')
				*n = 0;
			return s;
		}
		s += *n;
		while (*s == ' ')
			s++;
	}
	return NULL;
}

static void add_value(struct text *t, const struct sass_mod *m, unsigned value)
{
	size_t n;
	const char *s = value_name(m->names, value, &n);
	if (!s)
		add(t, ".?%s=%u", m->id, value);
	else if (n)
		add(t, ".%.*s", (int)n, s);
}

static bool has_field(const struct sass_insn *i, unsigned mod, unsigned *value)
{
	for (unsigned k = 0; k < i->nmod; k++)
		if (i->mod[k].field == mod) {
			*value = i->mod[k].value;
			return true;
		}
	return false;
}

/* Modifiers behind the mnemonic (AFTER 0) or behind an operand or address (its letter). */
static void add_mods(struct text *t, const struct sass_insn *i, char after)
{
	const struct sass_table *tab = sass_table();
	for (unsigned k = 0; k < i->row->nmod; k++) {
		const struct sass_modref *r = &tab->ref[i->row->mod + k];
		unsigned v;
		if (r->after != after)
			continue;
		if (r->text)
			add(t, ".%.*s", r->n, r->text);
		for (unsigned m = r->mod; m < (unsigned)r->mod + r->count; m++)
			if (has_field(i, m, &v))
				add_value(t, &tab->mod[m], v);
	}
}

static const char *field_name(const struct sass_insn *i, const struct sass_operand *o)
{
	return sass_field_names[sass_table()->field[i->row->field + o->field].name];
}

/* NULL: the row has no such operand, or not now. */
static const struct sass_operand *operand(const struct sass_insn *i, const char *name, size_t n)
{
	for (unsigned k = 0; k < i->nop; k++) {
		const char *own = field_name(i, &i->op[k]);
		if (strlen(own) == n && !memcmp(own, name, n))
			return &i->op[k];
	}
	return NULL;
}

static void add_float(struct text *t, double v)
{
	if (isnan(v))
		add(t, "%cQNAN", signbit(v) ? '-' : '+');
	else if (isinf(v))
		add(t, "%cINF", signbit(v) ? '-' : '+');
	else
		add(t, "%.20g", v);
}

static double half_value(unsigned h, bool bf16)
{
	if (bf16) {
		uint32_t w = h << 16;
		float f;
		memcpy(&f, &w, sizeof f);
		return f;
	}
	unsigned e = h >> 10 & 31, m = h & 1023;
	double v = e ? ldexp(1024 + m, (int)e - 25) : ldexp(m, -24);

	if (e == 31)
		v = m ? NAN : INFINITY;
	return h & 0x8000 ? -v : v;
}

/* Immediates of these are written with a sign. */
static bool signed_immediate(const struct sass_insn *i)
{
	static const char *const names[] = { "IADD3", "IMAD", "UIADD3", "UIMAD", "IADD", "UIADD" };
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (!strcmp(i->row->mnemonic, names[k]))
			return true;
	return (!strcmp(i->row->mnemonic, "ISETP") || !strcmp(i->row->mnemonic, "UISETP")) &&
	       (sass_mod(i, "u32") == 1 || sass_mod(i, "u64") == 1);
}

static void add_reg(struct text *t, const struct sass_operand *o)
{
	if (o->kind == SASS_GPR) {
		if (o->reg == SASS_ZERO)
			add(t, "RZ");
		else
			add(t, "R%u", o->reg);
	} else if (o->kind == SASS_UGPR) {
		if (o->reg == SASS_ZERO)
			add(t, "URZ");
		else
			add(t, "UR%u", o->reg);
	} else if (o->reg == SASS_TRUE)
		add(t, o->kind == SASS_PRED ? "PT" : "UPT");
	else
		add(t, "%s%u", o->kind == SASS_PRED ? "P" : "UP", o->reg);
}

static void add_half(struct text *t, const struct sass_operand *o)
{
	static const char *const names[] = { "", ".F32", ".H0_H0", ".H1_H1" };
	add(t, "%s", names[o->half]);
}

static unsigned reuse_bit(const struct sass_operand *o)
{
	if (o->kind != SASS_GPR || o->write)
		return 0;
	if (o->role == SROLE_A)
		return 1;
	if (o->role == SROLE_B)
		return 2;
	return o->role == SROLE_C ? 4 : 0;
}

static void add_operand(struct text *t, const struct sass_insn *i, const struct sass_operand *o,
			const struct sass_operand *base)
{
	bool complement = o->neg && (o->kind == SASS_GPR || o->kind == SASS_UGPR || o->kind == SASS_CONST) &&
			  sass_mod(i, "x") == 1;
	if (!strcmp(i->row->mnemonic, "FLO") || !strcmp(i->row->mnemonic, "UFLO") ||
	    !strcmp(i->row->mnemonic, "POPC") || !strcmp(i->row->mnemonic, "BRA"))
		complement = o->neg && o->kind <= SASS_UGPR;
	if (complement)
		add(t, "~");
	else if (o->neg)
		add(t, o->kind == SASS_PRED || o->kind == SASS_UPRED ? "!" : "-");
	if (o->abs)
		add(t, "|");
	switch ((enum sass_kind)o->kind) {
	case SASS_GPR:
	case SASS_UGPR:
	case SASS_PRED:
	case SASS_UPRED:
		add_reg(t, o);
		break;
	case SASS_CBAR:
		if (sass_cbar_name(o->reg))
			add(t, "%s", sass_cbar_name(o->reg));
		else
			add(t, "B%u", o->reg);
		break;
	case SASS_PREDS:
		add(t, i->row->uniform ? "UPR" : "PR");
		break;
	case SASS_SREG:
		if (sass_sreg_name((unsigned)o->value))
			add(t, "%s", sass_sreg_name((unsigned)o->value));
		else
			add(t, "SR%u", (unsigned)o->value);
		break;
	case SASS_CONST:
		if (o->bindless) {
			add(t, "cx[");
			struct sass_operand u = *o;
			u.kind = SASS_UGPR;
			add_reg(t, &u);
			add(t, "][");
		} else
			add(t, "c[0x%x][", o->bank);
		if (base && base->reg != SASS_ZERO) {
			add_reg(t, base);
			int64_t v = (int16_t)o->value;
			if (v) {
				add(t, "+");
				add_hex(t, v);
			}
		} else
			add_hex(t, (int64_t)o->value);
		add(t, "]");
		break;
	case SASS_INT:
		add_hex(t, o->role != SROLE_IMM2 && signed_immediate(i) ? (int32_t)o->value : (int64_t)o->value);
		break;
	case SASS_MASK:
	case SASS_INT64:
		add(t, "0x%llx", (unsigned long long)o->value);
		break;
	case SASS_F32: {
		uint32_t w = (uint32_t)o->value;
		float f;
		memcpy(&f, &w, sizeof f);
		add_float(t, (double)f);
		break;
	}
	case SASS_F64: {
		uint64_t w = o->value << 32;
		double f;
		memcpy(&f, &w, sizeof f);
		add_float(t, f);
		break;
	}
	case SASS_F16X2: {
		bool bf16 = sass_mod(i, "hbf16") == 1 || sass_mod(i, "hsbf16") == 1;
		add_float(t, half_value((unsigned)(o->value >> 16), bf16));
		add(t, ", ");
		add_float(t, half_value((unsigned)o->value & 0xffff, bf16));
		break;
	}
	}
	add_half(t, o);
	if (o->abs)
		add(t, "|");
	if (i->control.reuse & reuse_bit(o))
		add(t, ".reuse");
}

bool sass_has_descriptor(const struct sass_insn *i)
{
	static const char *const ids[] = { "desc", "descat", "descred", "cpdesc", "desc71" };

	for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
		if (sass_mod(i, ids[k]) == 1)
			return true;
	return false;
}

static unsigned offset_bits(const struct sass_insn *i)
{
	const struct sass_table *tab = sass_table();
	for (unsigned k = 0; k < i->row->nfield; k++)
		if (tab->field[i->row->field + k].kind == FIELD_OFFSET)
			return tab->field[i->row->field + k].bits.part[0].len +
			       (tab->field[i->row->field + k].scale == 32 ? 5 : 0);
	return 64;
}

/* "[a+u+imm]" or "desc[e]", a prefix before the bracket; several may follow each other. */
static void add_address(struct text *t, const struct sass_insn *i, const char *s, size_t len)
{
	const char *end = s + len, *open = memchr(s, '[', len);
	bool global = i->space == SSPACE_GLOBAL || i->space == SSPACE_GENERIC, desc = sass_has_descriptor(i);
	add(t, "%.*s", (int)(open - s), s);
	const struct sass_operand *u = NULL;
	for (const char *c = open + 1; c < end;) { /* the descriptor stands before the address */
		size_t n = strcspn(c, "+]");
		if (n == 1 && (*c == 'u' || *c == 'v'))
			u = operand(i, c, n);
		if ((desc || (u && *c == 'v')) && u &&
		    (*c == 'v' || (*c == 'u' && !memchr(i->row->syntax, 'v', strlen(i->row->syntax))))) {
			add(t, "desc[");
			add_reg(t, u);
			add(t, "]");
		}
		c += n + 1;
	}
	add(t, "[");
	unsigned terms = 0;
	for (const char *c = open + 1; c < end;) {
		size_t n = strcspn(c, "+]");
		bool offset = n == 3 && !memcmp(c, "imm", 3);
		const struct sass_operand *o = offset ? NULL : operand(i, c, n);
		bool hidden =
			o && (*c == 'v' || (*c == 'u' && desc && !memchr(i->row->syntax, 'v', strlen(i->row->syntax))));
		int64_t off = offset ? i->imm : 0;
		if (o && !memcmp(c, "imm2", n > 4 ? 4 : n))
			off = (int64_t)o->value;
		if (offset || (n == 4 && !memcmp(c, "imm2", 4))) {
			/* alone it is an address: without a sign */
			if (off) {
				add(t, terms ? "+" : "");
				add_hex(t, terms || !offset
						   ? off
						   : (int64_t)((uint64_t)off & ((UINT64_C(1) << offset_bits(i)) - 1)));
				terms++;
			}
		} else if (o && !hidden && o->reg != SASS_ZERO) {
			add(t, terms ? "+" : "");
			add_reg(t, o);
			if (*c == 'a' && u && global)
				add(t, o->n == 2 ? ".64" : ".U32");
			if (*c == 'a' || *c == 'e')
				add_mods(t, i, 'a');
			terms++;
		}
		c += n + 1;
	}
	if (!terms)
		add(t, u && !desc ? "URZ" : "RZ");
	add(t, "]");
}

static void add_target(struct text *t, const struct sass_insn *i, const struct sass_print *how)
{
	uint64_t pc = how ? how->pc : 0;
	bool relative = !strcmp(i->row->mnemonic, "BRX") || !strcmp(i->row->mnemonic, "BRXU");
	int64_t to = i->target_absolute ? i->target : (int64_t)(pc + (uint64_t)i->target);
	const char *name =
		how && how->label && !relative && !i->target_absolute ? how->label(how->ctx, (uint64_t)to) : NULL;
	if (name)
		add(t, "%s", name);
	else
		add_hex(t, relative ? i->target - 16 : to);
}

/* IMAD as the move, addition or shift that it is used for. */
static const char *imad_alias(const struct sass_insn *i)
{
	if (i->row->base != 0x24 || sass_mod(i, "x") == 1)
		return "";
	const struct sass_operand *a = operand(i, "a", 1), *b = operand(i, "b", 1), *c = operand(i, "c", 1);
	if (!a || !b || !c)
		return "";
	if (a->kind == SASS_GPR && a->reg == SASS_ZERO && b->kind == SASS_GPR && b->reg == SASS_ZERO)
		return ".MOV";
	if (b->kind != SASS_INT)
		return "";
	if (b->value == 1)
		return ".IADD";
	return b->value && !(b->value & (b->value - 1)) && c->kind == SASS_GPR && c->reg == SASS_ZERO ? ".SHL" : "";
}

/* Numbers that have a notation of their own, by the name of their field. */
static bool add_number(struct text *t, const char *name, unsigned value)
{
	static const char *const dims[] = {
		"1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", "ARRAY_3D", "ARRAY_CUBE"
	};
	static const char *const queries[] = { "TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE",
					       "TEX_HEADER_SAMPLER_POSITION", "3" };
	if (!strcmp(name, "sb"))
		add(t, "SB%u", value);
	else if (!strcmp(name, "gsb"))
		add(t, "gsb%u", value);
	else if (!strcmp(name, "dim"))
		add(t, "%s", dims[value & 7]);
	else if (!strcmp(name, "txq"))
		add(t, "%s", queries[value & 3]);
	else
		return false;
	return true;
}

static bool left_out(const struct sass_insn *i, const struct sass_operand *o, char mark, unsigned sm)
{
	const char *name = field_name(i, o);
	if (!strcmp(name, "mask") && i->space != SSPACE_NONE)
		/* words of 256 bits, components of a texture */
		return o->value == (i->space == SSPACE_GLOBAL ? 0xff : 15);
	if (!strcmp(name, "gsb"))
		return o->value == 7;
	if (o->kind == SASS_PRED || o->kind == SASS_UPRED)
		return o->reg == SASS_TRUE && !o->neg && (mark == '?' || sm < 100);
	if (o->kind == SASS_GPR || o->kind == SASS_UGPR)
		return o->reg == SASS_ZERO;
	return o->value == 0;
}

static void add_operands(struct text *t, unsigned sm, const struct sass_insn *i, const struct sass_print *how)
{
	const char *between = " ";
	for (const char *s = i->row->syntax; *s;) {
		size_t n = strcspn(s, " "), len = n;
		char mark = 0, next = ',';
		while (len && strchr("?!_", s[len - 1])) {
			if (s[len - 1] == '_')
				next = '_';
			else
				mark = s[len - 1];
			len--;
		}
		const struct sass_operand *o = NULL;
		unsigned before = t->n;
		if (memchr(s, '[', len)) {
			add(t, "%s", between);
			add_address(t, i, s, len);
		} else if (len == 6 && !memcmp(s, "target", 6)) {
			add(t, "%s", between);
			add_target(t, i, how);
		} else if (len == 3 && !memcmp(s, "b+a", 3)) {
			add(t, "%s", between);
			add_operand(t, i, operand(i, "b", 1), operand(i, "a", 1));
		} else if ((o = operand(i, s, len)) && !(mark && left_out(i, o, mark, sm))) {
			add(t, "%s", between);
			if (!add_number(t, field_name(i, o), (unsigned)o->value))
				add_operand(t, i, o, NULL);
			if (len == 1)
				add_mods(t, i, *s);
		}
		if (t->n != before)
			between = next == '_' ? " " : ", ";
		s += n;
		while (*s == ' ')
			s++;
	}
}

const char *sass_open(const struct sass_insn *i, unsigned *at)
{
	for (; i->row && *at < i->nmod; ++*at) {
		const unsigned field = i->mod[*at].field, value = i->mod[*at].value;
		const struct sass_mod *m = field & SASS_FIELD_ABSENT ? NULL : &sass_table()->mod[field];
		size_t n;

		if (m && ((m->meaning == MEANING_OPEN && value) ||
			  (m->meaning == MEANING_FILL && !value_name(m->names, value, &n))))
			return m->id;
	}
	return NULL;
}

uint32_t sass_number(const struct sass_insn *i, enum sass_role role, enum sass_kind kind)
{
	for (unsigned n = 0; n < i->nop; n++)
		if (i->op[n].role == role && i->op[n].kind == kind)
			return (uint32_t)i->op[n].value;
	return 0;
}

bool sass_has(const struct sass_insn *i, const char *modifier)
{
	const struct sass_table *tab = sass_table();
	size_t len = strlen(modifier), n;
	if (!i->row || !len)
		return false;
	for (unsigned k = 0; k < i->row->nmod; k++) {
		const struct sass_modref *r = &tab->ref[i->row->mod + k];
		if (r->text && r->n == len && !memcmp(r->text, modifier, len))
			return true;
	}
	for (unsigned k = 0; k < i->nmod; k++) {
		if (i->mod[k].field & SASS_FIELD_ABSENT)
			continue;
		const char *s = value_name(tab->mod[i->mod[k].field].names, i->mod[k].value, &n);
		if (s && n == len && !memcmp(s, modifier, len))
			return true;
	}
	return false;
}

const char *sass_mod_name(const struct sass_insn *i, const char *id, size_t *n)
{
	const struct sass_table *tab = sass_table();

	for (unsigned k = 0; k < i->nmod; k++)
		if (!(i->mod[k].field & SASS_FIELD_ABSENT) && strcmp(tab->mod[i->mod[k].field].id, id) == 0)
			return value_name(tab->mod[i->mod[k].field].names, i->mod[k].value, n);
	*n = 0;
	return "";
}

/* "U8", "64", "U.128"; "": a word. LDG.256 and its like have a modifier of their own. */
unsigned sass_access_bytes(const struct sass_insn *i)
{
	const char *id = sass_mod(i, "cpsize") >= 0 ? "cpsize" : "size", *name;
	unsigned bits = 0;
	size_t n;

	if (sass_mod(i, "cop2") >= 0)
		return 32;
	name = sass_mod(i, id) >= 0 ? sass_mod_name(i, id, &n) : NULL;
	if (!name)
		return 0;
	for (size_t c = 0; c < n; c++)
		bits = name[c] >= '0' && name[c] <= '9' ? bits * 10 + (unsigned)(name[c] - '0') : bits;
	return n ? bits / 8 : 4;
}

char *sass_print(struct arena *a, unsigned sm, const struct sass_insn *i, const struct sass_print *how)
{
	struct text t = { .n = 0 };
	if (i->guard.reg != SASS_TRUE || i->guard.neg) {
		add(&t, "@%s", i->guard.neg ? "!" : "");
		add_reg(&t, &i->guard);
		add(&t, " ");
	}
	if (!i->row) {
		add(&t, "UNKNOWN 0x%016llx%016llx", (unsigned long long)i->unclaimed.hi,
		    (unsigned long long)i->unclaimed.lo);
		return arena_strndup(a, t.s, t.n);
	}
	add(&t, "%s%s", i->row->mnemonic, imad_alias(i));
	add_mods(&t, i, 0);
	add_operands(&t, sm, i, how);
	return arena_strndup(a, t.s, t.n);
}

void sass_print_control(char text[SASS_CONTROL_CHARS], struct control_code c)
{
	char wait[7], r = '-', w = '-';
	for (unsigned k = 0; k < 6; k++)
		wait[k] = c.wait >> k & 1 ? (char)('0' + k) : '-';
	wait[6] = 0;
	if (c.rbar < 6)
		r = (char)('0' + c.rbar);
	if (c.wbar < 6)
		w = (char)('0' + c.wbar);
	snprintf(text, SASS_CONTROL_CHARS, "[B%s:R%c:W%c:%c:S%02u]", wait, r, w, c.yield ? '-' : 'Y', c.stall & 15U);
}
