/* Operands in use: a register, constant, variable or special register is brought to the width and kind that its slot
 * wants, with conversions where they differ.
 *
 * ld, st and cvt take registers wider than their types (PTX ISA, Operand Size Exceeding Instruction-Type Size); all
 * other instructions want the exact width. In both cases a floating-point register fits .f and .b types only, an
 * integer one everything but .f, a .b register everything. */
#include "insn.h"

static const char *type_text(unsigned bits, char letter)
{
	if (letter == 'P')
		return "a predicate";
	if (letter == 'F' || letter == 'G')
		return bits == 64 ? "a floating-point value of 64 bits" : "a floating-point value of 32 bits";
	if (bits == 64 || bits == 32)
		return bits == 64 ? "64 bits" : "32 bits";
	return bits == 16 ? "16 bits" : "8 bits";
}

unsigned use_letter_bits(char letter)
{
	switch (letter) {
	case 'P':
		return 1;
	case 'B':
		return 8;
	case 'H':
		return 16;
	case 'D':
	case 'G':
		return 64;
	default:
		return 32;
	}
}

/* ---- emission ---- */
struct insn *build_append(const struct build *b, enum op op, unsigned ndst, unsigned nsrc)
{
	struct parser *p = b->p;
	struct insn *i;

	if (p->closed) {
		ir_block(p->k, NULL);
		p->closed = false;
	}
	i = ir_append(p->k, op, ndst, nsrc);
	i->where = p->where;
	i->line = p->line;
	return i;
}

static struct ref fresh(const struct build *b, enum reg_class rc)
{
	return ref_reg(ir_vreg(b->p->k, NULL, rc, reg_class_bits(rc)));
}

void build_emit1(const struct build *b, enum op op, struct ref d, struct ref s, struct ref guard)
{
	struct insn *i = build_append(b, op, 1, 1);

	i->guard = guard;
	insn_dst(b->p->k, i)[0] = d;
	insn_src(b->p->k, i)[0] = s;
}

struct ref build_binary(const struct build *b, enum op op, enum reg_class rc, struct ref x, struct ref y)
{
	struct ref d = fresh(b, rc);
	struct insn *i = build_append(b, op, 1, 2);

	insn_dst(b->p->k, i)[0] = d;
	insn_src(b->p->k, i)[0] = x;
	insn_src(b->p->k, i)[1] = y;
	return d;
}

struct ref build_convert(const struct build *b, enum op op, enum reg_class rc, struct ref s)
{
	struct ref d = fresh(b, rc);

	build_emit1(b, op, d, s, ref_none());
	return d;
}

/* ---- sources ---- */
static bool untyped(const struct mnemonic *mn, unsigned bits)
{
	for (unsigned t = 0; t < mn->ntypes; t++)
		if (type_info[mn->type[t]].kind == 'b' && type_info[mn->type[t]].bits >= bits)
			return true;
	return false;
}

/* A register of two halves as an element of a matrix. */
static bool holds_pair(const struct mnemonic *mn, uint8_t type) { return type == TY_F16X2 && matrix_is(mn); }

static bool register_fits(const struct build *b, const struct operand *o, const struct use *u, bool dst)
{
	const struct type_info *t = &type_info[o->type];
	enum scalar_type half = half_type(b->mn, dst, u->letter);

	if (u->letter == 'P' || t->kind == 'p')
		return u->letter == 'P' && t->kind == 'p';
	if (half && type_info[half].kind == 'x') /* of bf16 and smaller formats: the bits, no wider */
		return t->kind == 'b' && t->bits == u->bits;
	if (u->relaxed ? t->bits < u->bits : t->bits != u->bits)
		return false;
	if (half)
		return t->kind == 'b' || o->type == half;
	if (u->letter == 'F' || u->letter == 'G')
		return t->kind == 'b' || (t->bits == u->bits && (o->type == TY_F32 || o->type == TY_F64));
	return t->kind != 'f' || untyped(b->mn, t->bits) || holds_pair(b->mn, o->type);
}

static bool wrong_register(const struct build *b, const struct use *u, bool dst)
{
	enum scalar_type half = half_type(b->mn, dst, u->letter);
	struct parser *p = b->p;
	const struct type_info *t = &type_info[u->o->type];
	const char *pair = half == TY_F16X2 ? ".f16x2 or " : "";

	if (t->kind == 'p')
		return parse_error(p, u->o->off, "this operand of '%s' is %s; '%s' is a predicate", b->mn->text,
				   type_text(u->bits, u->letter), p->k->vreg[u->o->val].name);
	if (half)
		return parse_error(p, u->o->off, "this operand of '%s' is in a %s.b%u register; '%s' is .%s",
				   b->mn->text, half == TY_F16 ? ".f16 or " : pair, u->bits, p->k->vreg[u->o->val].name,
				   t->text);
	return parse_error(p, u->o->off, "this operand of '%s' is %s; '%s' is .%s", b->mn->text,
			   type_text(u->bits, u->letter), p->k->vreg[u->o->val].name, t->text);
}

static bool constant(const struct build *b, const struct use *u, struct ref *r)
{
	const struct konst *k = &u->o->k;
	enum scalar_type half = half_type(b->mn, false, u->letter);
	uint64_t v = k->i;

	if (half && b->mn->op != OP_SELP_B16 && b->mn->op != OP_SELP_B32) /* which set comes down to */
		return parse_error(b->p, k->off, "this operand of '%s' is a register; .%s has no constants",
				   b->mn->text, type_info[half].text);
	if (u->letter == 'F' || u->letter == 'G') {
		if (!konst_float_bits(k, u->bits, &v))
			return parse_error(b->p, k->off,
					   "this operand of '%s' is a floating-point constant; write 1.0 for 1",
					   b->mn->text);
	} else if (k->is_float) {
		if (u->letter == 'P' || u->bits < 32 || !untyped(b->mn, u->bits) || !konst_float_bits(k, u->bits, &v))
			return parse_error(b->p, k->off, "this operand of '%s' is an integer constant", b->mn->text);
	} else if (u->letter == 'P') {
		v = v != 0;
	} else if (u->bits < 64) {
		v &= ((uint64_t)1 << u->bits) - 1;
	}
	*r = ir_imm(b->p->k, v);
	if (u->letter == 'P' && op_info[b->mn->op].flags & OPF_SETP)
		*r = build_convert(b, OP_MOV_PRED, RC_PRED, *r);
	return true;
}

static bool special(const struct build *b, const struct use *u, struct ref *r)
{
	enum sreg s = (enum sreg)u->o->val;
	bool wide = sreg_bits[s] == 64, is_mov = mnemonic_is(b->mn, "mov");
	struct ref ref = { .kind = REF_SREG, .val = s };

	if (s == SREG_IS_EXPLICIT_CLUSTER && is_mov && u->letter == 'P') {
		*r = build_binary(b, OP_SETP_NE_B32, RC_PRED, build_convert(b, OP_MOV_B32, RC_32, ref),
				  ir_imm(b->p->k, 0));
		return true;
	}
	if (!is_mov && !mnemonic_is(b->mn, "cvt"))
		return parse_error(b->p, u->o->off, "'%s' takes no special register; use mov first", b->mn->text);
	if (u->o->n != 1)
		return parse_error(b->p, u->o->off,
				   "this special register is a vector; name its component .x, .y or .z");
	if (s == SREG_GRIDID)
		wide = u->letter == 'D';
	if (u->letter == 'P' || u->letter == 'F' || u->letter == 'G' || (is_mov && wide != (u->letter == 'D')) ||
	    (wide ? 64 : 32) < u->bits)
		return parse_error(b->p, u->o->off, "this operand of '%s' is %s; '%s' has %d bits", b->mn->text,
				   type_text(u->bits, u->letter), sreg_name[s], wide ? 64 : 32);
	*r = ref;
	if (is_mov && u->letter != 'H')
		return true;
	*r = build_convert(b, wide ? OP_MOV_B64 : OP_MOV_B32, wide ? RC_64 : RC_32, ref);
	if (wide && use_letter_bits(u->letter) < 64)
		*r = build_convert(b, OP_CVT_U32_D, RC_32, *r);
	return true;
}

struct ref use_symbol(const struct build *b, uint32_t sym, int64_t addend)
{
	struct parser *p = b->p;
	struct ref r;

	if (addend)
		return ir_symref(p->k, sym, addend);
	if (sym >= p->symref_cap) {
		uint32_t cap = p->symref_cap;

		while (cap <= sym)
			cap = cap ? cap * 2 : 64;
		p->symref_of = arena_alloc_array(&p->a, cap, sizeof *p->symref_of, _Alignof(uint32_t));
		p->symref_cap = cap;
	}
	if (p->symref_of[sym].kernel != p->kernel) {
		r = ir_symref(p->k, sym, 0);
		p->symref_of[sym].kernel = p->kernel;
		p->symref_of[sym].symref = r.val;
	}
	return (struct ref){ .kind = REF_SYM, .val = p->symref_of[sym].symref & REF_VAL_MAX };
}

/* A variable's or a parameter's address as a value. */
static bool address_value(const struct build *b, const struct use *u, struct ref *r)
{
	struct parser *p = b->p;
	const struct operand *o = u->o;
	bool is_mov = b->mn->op < OP_COUNT && op_info[b->mn->op].flags & OPF_MOVE, is_cvta = mnemonic_is(b->mn, "cvta");

	if ((!is_mov && !is_cvta) || (u->letter != 'W' && u->letter != 'D'))
		return parse_error(p, o->off, "this operand of '%s' is no address; use mov first", b->mn->text);
	if (o->kind == O_PARAM) {
		if (is_cvta && b->mn->space != SP_PARAM)
			return parse_error(p, o->off, "'%s' is not in the state space of '%s'",
					   p->k->param[o->val].name, b->mn->text);
		*r = ir_imm(p->k, (uint64_t)(PARAM_BASE + p->k->param[o->val].offset + o->addend));
		return true;
	}
	if (is_cvta && p->m->sym[o->val].space != b->mn->space)
		return parse_error(p, o->off, "'%s' is not in the state space of '%s'", p->m->sym[o->val].name,
				   b->mn->text);
	if (p->m->sym[o->val].space == SP_GLOBAL && use_letter_bits(u->letter) < p->m->address_bits)
		return parse_error(p, o->off, "the address of '%s' needs %u bits", p->m->sym[o->val].name,
				   p->m->address_bits);
	*r = use_symbol(b, o->val, o->addend);
	return true;
}

/* A function's or a kernel's address, a number. */
static bool function_address(const struct build *b, const struct use *u, struct ref *r)
{
	struct parser *p = b->p;

	if (!mnemonic_is(b->mn, "mov") || (u->letter != 'W' && u->letter != 'D') ||
	    use_letter_bits(u->letter) < p->m->address_bits)
		return parse_error(p, u->o->off, "the address of a function is taken with mov.u%u", p->m->address_bits);
	if (u->o->kind == O_KERNEL) {
		*r = ir_imm(p->k, kernel_address(scope_name(p, u->o->val), strlen(scope_name(p, u->o->val))));
		return true;
	}
	p->m->func[u->o->val]->address_taken = true;
	*r = ir_imm(p->k, code_address(u->o->val));
	return true;
}

bool use_source(struct build *b, const struct use *u, struct ref *r)
{
	struct parser *p = b->p;
	const struct operand *o = u->o;
	unsigned bits;

	if (o->second)
		return parse_error(p, o->off, "'|' joins two destinations");
	if (o->neg && (u->letter != 'P' || o->kind != O_REG))
		return parse_error(p, o->off, "'!' takes a predicate");
	switch ((enum operand_kind)o->kind) {
	case O_CONST:
		return constant(b, u, r);
	case O_SREG:
		return special(b, u, r);
	case O_SYM:
	case O_PARAM:
		if (!texture_is(b->mn) || u->letter != 'D') /* a handle */
			return address_value(b, u, r);
		*r = o->kind == O_SYM ? use_symbol(b, o->val, 0)
				      : ref_const(0, PARAM_BASE + p->k->param[o->val].offset);
		return true;
	case O_CPARAM:
		if (!mnemonic_is(b->mn, "mov") || (u->letter != 'W' && u->letter != 'D'))
			return parse_error(p, o->off,
					   "this operand of '%s' is a .param variable; it is read with ld.param",
					   b->mn->text);
		return call_param_address(b, o, u->letter == 'D' ? RC_64 : RC_32, r);
	case O_FUNC:
	case O_KERNEL:
		return function_address(b, u, r);
	case O_TABLE:
		return parse_error(p, o->off, "a table of targets is no operand of '%s'", b->mn->text);
	case O_SINK:
		return parse_error(p, o->off, "'_' is no source");
	case O_VECTOR:
		return parse_error(p, o->off, "this operand of '%s' is no vector", b->mn->text);
	case O_ADDRESS:
		return parse_error(p, o->off, "this operand of '%s' is no address in brackets", b->mn->text);
	case O_REG:
		break;
	}
	if (!register_fits(b, o, u, false))
		return wrong_register(b, u, false);
	*r = ref_reg(o->val);
	r->neg = o->neg;
	bits = type_info[o->type].bits;
	if (bits == 64 && use_letter_bits(u->letter) < 64)
		*r = build_convert(b, OP_CVT_U32_D, RC_32, *r);
	if (o->plus && (u->letter == 'P' || u->letter == 'F' || u->letter == 'G'))
		return parse_error(p, o->off, "a displacement is added to integers only");
	if (o->plus && u->letter == 'D')
		*r = build_binary(b, OP_ADD_S64, RC_64, *r, ir_imm(p->k, (uint64_t)o->addend));
	else if (o->plus)
		*r = build_binary(b, OP_ADD_S32, RC_32, *r, ir_imm(p->k, (uint32_t)o->addend));
	return true;
}

/* ---- addresses ---- */
static bool parameter_address(struct build *b, const struct operand *o, struct ref *r)
{
	struct parser *p = b->p;
	const struct param *q = &p->k->param[o->val];
	uint32_t bytes = op_info[b->mn->op].mem_bytes * (uint32_t)b->mn->vec;
	int64_t at = (int64_t)q->offset + o->addend;

	if (b->space != SP_PARAM)
		return parse_error(p, o->off, "'%s' is a parameter; it is read with ld.param", q->name);
	if (op_info[b->mn->op].flags & OPF_STORE)
		return parse_error(p, o->off, "'%s' is a parameter of the kernel, which is not written", q->name);
	if (at < 0 || at + bytes > p->k->res.param_bytes)
		return parse_error(p, o->off, "this reads outside the kernel's parameters, which take %u bytes",
				   p->k->res.param_bytes);
	if (at % op_info[b->mn->op].mem_bytes)
		return parse_error(p, o->off, "this address is not a multiple of %u", op_info[b->mn->op].mem_bytes);
	*r = ref_const(0, PARAM_BASE + (uint32_t)at);
	return true;
}

/* An array among the parameters of a function, or a .param variable of a body: local memory. */
static bool array_address(struct build *b, const struct operand *o, struct ref *r)
{
	struct parser *p = b->p;
	const struct cparam *c = &p->cparam[o->val];
	uint32_t each = op_info[b->mn->op].mem_bytes, bytes = each * (uint32_t)b->mn->vec;

	if (b->space != SP_PARAM || op_info[b->mn->op].flags & OPF_ATOMIC)
		return parse_error(p, o->off, "'%s' is a parameter; it is read with ld.param and written with st.param",
				   c->name);
	if (o->addend < 0 || (c->size && o->addend + bytes > c->size))
		return parse_error(p, o->off, "this is outside '%s', which takes %u bytes", c->name, c->size);
	if (o->addend % each)
		return parse_error(p, o->off, "this address is not a multiple of %u", each);
	if (op_info[b->mn->op].flags & OPF_STORE && c->formal && !c->ret)
		return parse_error(p, o->off, "'%s' is a parameter of the function, which is not written", c->name);
	b->space = SP_LOCAL;
	*r = c->kind == CP_FRAME ? use_symbol(b, c->value, 0) : ref_reg(c->value);
	return true;
}

/* name[register]: the address of the element. */
static bool indexed_address(struct build *b, const struct operand *o, enum operand_kind base, struct ref *r)
{
	struct parser *p = b->p;
	enum space space = base == O_SYM ? (enum space)p->m->sym[o->val].space : SP_PARAM;
	bool wide;
	struct ref i = ref_reg(o->index - 1);

	if (b->space == SP_GENERIC)
		b->space = space;
	if (b->space != space)
		return parse_error(p, o->off, "'%s' is not in the state space of '%s'",
				   base == O_SYM ? p->m->sym[o->val].name : p->k->param[o->val].name, b->mn->text);
	wide = p->m->address_bits == 64 && space == SP_GLOBAL;
	if (wide && !o->index_wide)
		i = build_convert(b, o->index_signed ? OP_CVT_S64_S32 : OP_CVT_U64_U32, RC_64, i);
	else if (!wide && o->index_wide)
		i = build_convert(b, OP_CVT_U32_D, RC_32, i);
	if (o->scale > 1)
		i = build_binary(b, wide ? OP_MUL_LO_S64 : OP_MUL_LO_S32, wide ? RC_64 : RC_32, i,
				 ir_imm(p->k, o->scale));
	if (base == O_SYM)
		*r = use_symbol(b, o->val, 0);
	else
		*r = ir_imm(p->k, PARAM_BASE + p->k->param[o->val].offset);
	*r = build_convert(b, wide ? OP_MOV_B64 : OP_MOV_B32, wide ? RC_64 : RC_32, *r);
	*r = build_binary(b, wide ? OP_ADD_S64 : OP_ADD_S32, wide ? RC_64 : RC_32, *r, i);
	b->offset = (int32_t)o->addend;
	return true;
}

bool use_address(struct build *b, const struct operand *o, struct ref *r)
{
	struct parser *p = b->p;
	enum operand_kind base = o->kind == O_ADDRESS ? o->base : o->kind;
	const struct symbol *s;
	bool wide;

	if (o->kind != O_ADDRESS && o->kind != O_SYM && !(o->kind == O_PARAM && o->index))
		return parse_error(p, o->off, "this operand of '%s' is an address in brackets", b->mn->text);
	b->offset = 0;
	if (o->index && (base == O_SYM || base == O_PARAM))
		return indexed_address(b, o, base, r);
	if (base == O_PARAM)
		return parameter_address(b, o, r);
	if (base == O_CONST) {
		if (b->space != SP_LOCAL)
			return parse_error(p, o->off, "only .local memory has constant addresses");
		if (o->k.i > INT32_MAX)
			return parse_error(p, o->off, "this address is out of range");
		*r = ir_imm(p->k, o->k.i);
		return true;
	}
	b->offset = (int32_t)o->addend;
	if (base == O_CPARAM)
		return array_address(b, o, r);
	if (b->space == SP_PARAM && p->func && base == O_REG)
		b->space = SP_LOCAL; /* where a function's parameters with an address are */
	if (base == O_SYM) {
		s = &p->m->sym[o->val];
		if (b->space == SP_GENERIC)
			b->space = s->space;
		if (b->space != s->space)
			return parse_error(p, o->off, "'%s' is not in the state space of '%s'", s->name, b->mn->text);
		*r = use_symbol(b, o->val, 0);
		return true;
	}
	if (type_info[o->type].bits < 32 || type_info[o->type].kind == 'f')
		return parse_error(p, o->off, "an address is in an integer register of 32 or 64 bits; '%s' is .%s",
				   p->k->vreg[o->val].name, type_info[o->type].text);
	wide = p->m->address_bits == 64 && (b->space == SP_GLOBAL || b->space == SP_GENERIC);
	*r = ref_reg(o->val);
	if (wide && type_info[o->type].bits == 32)
		*r = build_convert(b, OP_CVT_U64_U32, RC_64, *r);
	else if (!wide && type_info[o->type].bits == 64)
		*r = build_convert(b, OP_CVT_U32_D, RC_32, *r);
	return true;
}

/* ---- destinations ---- */
bool use_destination(const struct build *b, const struct use *u, bool sink_ok, struct ref *r, struct ref *narrow)
{
	const struct operand *o = u->o;

	*narrow = ref_none();
	*r = ref_none();
	if (o->kind == O_SINK)
		return sink_ok ? true : parse_error(b->p, o->off, "the destination of '%s' is a register", b->mn->text);
	if (o->kind != O_REG || o->plus || o->neg)
		return parse_error(b->p, o->off, "the destination of '%s' is a register", b->mn->text);
	if (!register_fits(b, o, u, true))
		return wrong_register(b, u, true);
	*r = ref_reg(o->val);
	if (type_info[o->type].bits == 64 && use_letter_bits(u->letter) < 64) {
		*narrow = *r;
		*r = fresh(b, RC_32);
	}
	return true;
}
