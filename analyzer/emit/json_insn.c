/* One instruction of --emit=json as a line of text. There are as many of them as instructions, and each has some
 * hundred values: they are written as text at once, without an object for each value. */
#include "json_insn.h"

#include "passes/strand.h"

#include <string.h>

void json_insn_begin(struct json_insn *t, struct view *v, const struct banks *banks,
		     const uint8_t *const why[ORG_COUNT], struct arena *item)
{
	memset(t, 0, sizeof *t);
	t->v = v;
	t->k = v->k;
	t->banks = banks;
	t->item = item;
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++)
		t->why[org] = why[org];
}

/* ---- text ---- */
static void put(struct json_insn *t, const char *s, size_t n)
{
	if (t->cap - t->n < n) {
		size_t cap = (t->cap + n) * 2;
		char *p = arena_alloc(&t->v->a, cap, 1);

		if (t->n)
			memcpy(p, t->p, t->n);
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->n, s, n);
	t->n += n;
}

static void put_char(struct json_insn *t, char c) { put(t, &c, 1); }

/* Between two values of an object or a list. */
static void comma(struct json_insn *t)
{
	if (t->n && !strchr("{[:", t->p[t->n - 1]))
		put_char(t, ',');
}

static void open(struct json_insn *t, char bracket)
{
	comma(t);
	put_char(t, bracket);
}

static void key(struct json_insn *t, const char *name)
{
	comma(t);
	put_char(t, '"');
	put(t, name, strlen(name));
	put(t, "\":", 2);
}

static void literal(struct json_insn *t, const char *s)
{
	comma(t);
	put(t, s, strlen(s));
}

static void put_digits(struct json_insn *t, uint64_t n)
{
	char digits[20];
	unsigned at = sizeof digits;

	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	put(t, digits + at, sizeof digits - at);
}

static void number(struct json_insn *t, uint64_t n)
{
	comma(t);
	put_digits(t, n);
}

/* Printable ASCII. */
static void string(struct json_insn *t, const char *s)
{
	comma(t);
	put_char(t, '"');
	for (;;) {
		size_t plain = strcspn(s, "\"\\");

		put(t, s, plain);
		s += plain;
		if (!*s)
			break;
		put_char(t, '\\');
		put_char(t, *s++);
	}
	put_char(t, '"');
}

static void hex(struct json_insn *t, uint64_t n, unsigned digits)
{
	comma(t);
	put(t, "\"0x", 3);
	while (digits < 16 && n >> 4 * digits)
		digits++;
	while (digits--)
		put_char(t, "0123456789abcdef"[n >> 4 * digits & 15]);
	put_char(t, '"');
}

static void hex128(struct json_insn *t, uint64_t high, uint64_t low)
{
	hex(t, high, 16);
	t->n--; /* the lower half goes on before the quote */
	for (unsigned digits = 16; digits--;)
		put_char(t, "0123456789abcdef"[low >> 4 * digits & 15]);
	put_char(t, '"');
}

static void key_number(struct json_insn *t, const char *name, uint64_t n)
{
	key(t, name);
	number(t, n);
}

static void key_string(struct json_insn *t, const char *name, const char *s)
{
	key(t, name);
	string(t, s);
}

static void key_bool(struct json_insn *t, const char *name, bool is)
{
	key(t, name);
	literal(t, is ? "true" : "false");
}

static void reg(struct json_insn *t, uint32_t r)
{
	if (t->k->form != FORM_MACHINE) {
		string(t, view_register(t->item, t->k, r));
		return;
	}
	if (!t->name[r])
		t->name[r] = view_register(&t->v->a, t->k, r);
	string(t, t->name[r]);
}

static void register_list(struct json_insn *t, const char *name, const uint32_t *list, uint32_t n)
{
	key(t, name);
	open(t, '[');
	for (uint32_t x = 0; x < n; x++)
		reg(t, list[x]);
	put_char(t, ']');
}

/* ---- machine code ---- */
static void control(struct json_insn *t, struct control_code c)
{
	key(t, "control");
	open(t, '{');
	key(t, "wait");
	open(t, '[');
	for (unsigned bar = 0; bar < VIEW_BARRIERS; bar++)
		if (c.wait >> bar & 1)
			number(t, bar);
	put_char(t, ']');
	for (unsigned n = 0; n < 2; n++) {
		const unsigned bar = n ? c.wbar : c.rbar;

		key(t, n ? "write_barrier" : "read_barrier");
		if (bar < VIEW_BARRIERS)
			number(t, bar);
		else
			literal(t, "null");
	}
	key_bool(t, "yield", !c.yield);
	key_number(t, "stall", c.stall);
	key(t, "reuse");
	open(t, '[');
	for (unsigned slot = 0; slot < 4; slot++)
		if (c.reuse >> slot & 1)
			number(t, slot);
	put(t, "]}", 2);
}

static void numbered(struct json_insn *t, const char *prefix, unsigned n)
{
	comma(t);
	put_char(t, '"');
	put(t, prefix, strlen(prefix));
	put_digits(t, n);
	put_char(t, '"');
}

static void operand_registers(struct json_insn *t, const struct sass_operand *o)
{
	static const enum reg_file file[] = { [SASS_GPR] = FILE_GPR,
					      [SASS_UGPR] = FILE_UGPR,
					      [SASS_PRED] = FILE_PRED,
					      [SASS_UPRED] = FILE_UPRED,
					      [SASS_CBAR] = FILE_CBAR };
	const bool pred = o->kind == SASS_PRED || o->kind == SASS_UPRED;

	key(t, "registers");
	open(t, '[');
	if (o->kind == SASS_PREDS) {
		for (unsigned p = 0; p < SASS_TRUE; p++)
			if (o->value >> p & 1)
				numbered(t, "P", p);
	} else if ((pred && o->reg == SASS_TRUE) || (!pred && o->kind != SASS_CBAR && o->reg == SASS_ZERO)) {
		const char *prefix = reg_file_prefix[file[o->kind]];

		comma(t);
		put_char(t, '"');
		put(t, prefix, strlen(prefix));
		put(t, pred ? "T\"" : "Z\"", 2);
	} else {
		for (unsigned r = 0; r < (o->n ? o->n : 1u); r++)
			numbered(t, reg_file_prefix[file[o->kind]], o->reg + r);
	}
	put_char(t, ']');
}

/* Of roles that are plain numbers, shifts and truth tables, nothing is said: the text has them. */
static void operand(struct json_insn *t, const struct sass_operand *o)
{
	static const char *const kind[] = {
		[SASS_GPR] = "register",     [SASS_UGPR] = "uniform_register",
		[SASS_PRED] = "predicate",   [SASS_UPRED] = "uniform_predicate",
		[SASS_PREDS] = "predicates", [SASS_CBAR] = "convergence_barrier",
		[SASS_INT] = "integer",      [SASS_F32] = "f32",
		[SASS_F64] = "f64_high",     [SASS_F16X2] = "f16x2",
		[SASS_INT64] = "integer64",  [SASS_MASK] = "mask",
		[SASS_CONST] = "constant",   [SASS_SREG] = "special_register",
	};
	static const char *const role[SROLE_COUNT] = {
		[SROLE_D] = "d",   [SROLE_F] = "f",   [SROLE_PD] = "pd", [SROLE_PE] = "pe", [SROLE_A] = "a",
		[SROLE_B] = "b",   [SROLE_C] = "c",   [SROLE_E] = "e",   [SROLE_U] = "u",   [SROLE_V] = "v",
		[SROLE_PP] = "pp", [SROLE_PQ] = "pq", [SROLE_PR] = "pr",
	};

	if (!role[o->role])
		return;
	open(t, '{');
	key_string(t, "role", role[o->role]);
	key_string(t, "kind", kind[o->kind]);
	key_bool(t, "written", o->write);
	if (o->kind <= SASS_CBAR) {
		operand_registers(t, o);
	} else if (o->kind == SASS_CONST && o->bindless) {
		key(t, "handle");
		if (o->reg == SASS_ZERO)
			string(t, "URZ");
		else
			numbered(t, "UR", o->reg);
	} else if (o->kind == SASS_CONST) {
		key_number(t, "bank", o->bank);
	}
	if (o->kind > SASS_CBAR) { /* as text: JSON's numbers are not exact above 2^53 */
		key(t, "value");
		hex(t, o->value, 1);
	}
	if (o->neg)
		key_bool(t, "negated", true);
	if (o->abs)
		key_bool(t, "absolute", true);
	put_char(t, '}');
}

static void slots(struct json_insn *t, const char *name, unsigned bits)
{
	char text[5];
	unsigned n = 0;

	for (unsigned s = 0; s < 4; s++)
		if (bits >> s & 1)
			text[n++] = (char)('a' + s);
	text[n] = '\0';
	key_string(t, name, text);
}

static void bank_use(struct json_insn *t, const struct bank_use *u)
{
	key(t, "banks");
	open(t, '{');
	key_number(t, "even", u->read[0]);
	key_number(t, "odd", u->read[1]);
	key_number(t, "conflict", u->conflict);
	key_number(t, "bound", u->bound);
	key_number(t, "put_back", u->delay);
	slots(t, "flags", u->flags);
	slots(t, "useless", u->useless);
	slots(t, "hits", u->hit);
	slots(t, "missed", u->missed);
	key_string(t, "exchange", bank_swap_name(u->swap));
	put_char(t, '}');
}

static void native(struct json_insn *t, uint32_t i)
{
	const struct sass_word w = view_word(t->k, i);
	struct sass_insn x;
	const bool known = sass_decode(t->k->native->sm, w, &x);

	key_number(t, "address", view_address(t->k, i));
	key(t, "encoding");
	hex128(t, w.hi, w.lo);
	control(t, t->k->control[i]);
	key(t, "opcode");
	if (known)
		string(t, sass_mnemonic(&x));
	else
		literal(t, "null");
	key(t, "operands");
	open(t, '[');
	for (unsigned n = 0; known && n < x.nop; n++)
		operand(t, &x.op[n]);
	put_char(t, ']');
	if (x.unclaimed.lo || x.unclaimed.hi) {
		key(t, "unclaimed_bits");
		hex128(t, x.unclaimed.hi, x.unclaimed.lo);
	}
	bank_use(t, &t->banks->insn[i]);
}

/* ---- what the passes found ---- */
static void counts(struct json_insn *t, const char *name, struct view_counts c)
{
	key(t, name);
	open(t, '{');
	key_number(t, "registers", c.regs);
	key_number(t, "predicates", c.preds);
	if (t->k->native) {
		key_number(t, "uniform_registers", c.uregs);
		key_number(t, "uniform_predicates", c.upreds);
	}
	put_char(t, '}');
}

static void source(struct json_insn *t, uint32_t i)
{
	struct view_place p;

	if (!view_find_place(t->v, i, &p))
		return;
	key(t, "source");
	open(t, '{');
	key_string(t, "file", view_clean(t->item, p.file, strlen(p.file)));
	key_number(t, "line", p.line);
	key_number(t, "column", p.col);
	put_char(t, '}');
}

static const char *place_name(struct json_insn *t, uint8_t place, bool write, enum orf_organisation org)
{
	const char **name = &t->place[org][write][place];

	if (!*name)
		*name = view_place_of(&t->v->a, place, write, org);
	return *name;
}

/* Where the operands of an instruction are: those read, then those written, for each organisation. */
static void places(struct json_insn *t, uint32_t i)
{
	const struct kernel *k = t->k;
	struct insn_regs regs;
	unsigned all;

	ir_insn_regs(k, &k->insn[i], &regs);
	all = (unsigned)regs.nsrc + regs.ndst;
	key(t, "places");
	open(t, '{');
	key(t, "reads");
	open(t, '[');
	for (unsigned n = 0; n < regs.nsrc; n++)
		reg(t, regs.src[n]);
	put_char(t, ']');
	key(t, "writes");
	open(t, '[');
	for (unsigned n = 0; n < regs.ndst; n++)
		reg(t, regs.dst[n]);
	put_char(t, ']');
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		key(t, orf_organisation_name[org]);
		open(t, '[');
		for (unsigned n = 0; n < all; n++)
			string(t, place_name(t, k->orf[org]->place[k->orf[org]->at[i] + n], n >= regs.nsrc, org));
		put_char(t, ']');
	}
	key(t, "why_mrf");
	open(t, '{');
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		key(t, orf_organisation_name[org]);
		open(t, '[');
		for (unsigned n = 0; n < all; n++) {
			enum orf_why why = t->why[org][k->orf[org]->at[i] + n];

			if (why == ORF_WHY_NOT)
				literal(t, "null");
			else
				string(t, orf_why_name[why]);
		}
		put_char(t, ']');
	}
	put(t, "}}", 2);
}

static void lanes(struct json_insn *t, uint32_t i)
{
	const struct uniform *u = t->k->uniform;
	struct insn_regs r;

	ir_insn_regs(t->k, &t->k->insn[i], &r);
	key(t, "lanes");
	open(t, '{');
	key_bool(t, "together", u->flags[i] & UNIFORM_CONVERGENT);
	key_string(t, "operands", uniform_level_name[uniform_inputs(u, i)]);
	key_string(t, "guard", uniform_level_name[uniform_guard(u, i)]);
	key(t, "reads");
	open(t, '[');
	for (unsigned s = 0; s < r.nsrc; s++)
		string(t, uniform_value_text(uniform_src(u, i, s), t->item));
	put_char(t, ']');
	key(t, "writes");
	open(t, '[');
	for (unsigned d = 0; d < r.ndst; d++)
		string(t, uniform_value_text(uniform_dst(u, i, &r, d), t->item));
	put_char(t, ']');
	key(t, "dead");
	open(t, '[');
	for (unsigned d = 0; d < r.ndst; d++)
		if (uniform_dst(u, i, &r, d)->dead)
			reg(t, r.dst[d]);
	put(t, "]}", 2);
}

static void strand(struct json_insn *t, uint32_t i)
{
	const struct strands *s = t->k->strand;

	key_number(t, "strand", s->id[i]);
	if (s->begin[i] & STRAND_BEGIN) {
		key(t, "strand_begins");
		open(t, '[');
		for (enum strand_cause c = 0; c < STRAND_CAUSES; c++)
			if (strand_begins_for(s, i, c))
				string(t, strand_cause_name[c]);
		put_char(t, ']');
	}
	if (s->begin[i] & STRAND_WAIT)
		key_bool(t, "deschedule", true);
}

void json_insn_put(FILE *f, struct json_insn *t, uint32_t b, uint32_t i)
{
	const struct view *v = t->v;
	const struct kernel *k = t->k;
	struct live_ends e;

	t->n = 0;
	open(t, '{');
	live_find_ends(k, &k->insn[i], v->after + (size_t)i * v->words, &e);
	key_number(t, "index", i);
	key_number(t, "block", b);
	key_string(t, "text", view_insn(t->item, k, i));
	if (k->native)
		native(t, i);
	else if (view_has_control(k))
		control(t, k->control[i]);
	source(t, i);
	counts(t, "live", v->live[i]);
	counts(t, "occupied", v->occupied[i]);
	if (k->form == FORM_MACHINE && k->facts & FACT_DLIVE)
		key_number(t, "alive", dlive_count(v->before + (size_t)i * v->words, k->dlive->alive[b]));
	register_list(t, "last_read", e.last, e.nlast);
	register_list(t, "release", e.release, e.nrelease);
	if (k->facts & FACT_RELEASE) {
		key(t, "warp_release");
		open(t, '[');
		for (uint32_t x = k->release->at[i]; x < k->release->at[i + 1]; x++)
			reg(t, k->release->reg[x]);
		put_char(t, ']');
	}
	if (k->facts & FACT_ORF)
		places(t, i);
	if (k->facts & FACT_STRAND)
		strand(t, i);
	if (k->facts & FACT_RFC) {
		struct view_cached c;

		view_cached(k, i, &c);
		register_list(t, "cached_last_read", c.last, c.nlast);
		register_list(t, "shared_unit_may_read", c.shared, c.nshared);
	}
	if (k->facts & FACT_UNIFORM && k->form == FORM_MACHINE)
		lanes(t, i);
	if (v->spill_of[i])
		key_number(t, "spill", v->spill_of[i] - 1);
	put_char(t, '}');
	fwrite(t->p, 1, t->n, f);
	arena_reset(t->item);
}
