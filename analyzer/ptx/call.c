/* Calls: the statement, and the .param variables that carry its arguments.
 *
 * A scalar .param variable is a virtual register, and st.param and ld.param of it are moves; of a part of it, inserts
 * and extracts. An array is memory in the frame. OP_CALL has the registers as operands (struct call, ir.h). */
#include "insn.h"

#include "analyzer/ir/limits.h"

struct call_list {
	struct operand op[CALL_OPERANDS_MAX], elem[CALL_OPERANDS_MAX][ELEMENT_MAX], second;
	struct ref ref[CALL_OPERANDS_MAX];
	unsigned nret, narg;
	uint32_t ret_off, arg_off;
};

/* ---- variables ---- */
uint32_t call_add_param(struct parser *p, const struct cparam *c)
{
	arena_grow(&p->a, p->cparam, p->ncparam, p->cparam_cap);
	p->cparam[p->ncparam] = *c;
	return p->ncparam++;
}

/* .param .b64 param0;  .param .align 8 .b8 retval0[16]; */
bool call_param(struct parser *p)
{
	enum scalar_type type;
	unsigned vec;
	uint32_t align;

	parse_advance(p);
	if (!data_type(p, &type, &vec, &align))
		return false;
	do {
		uint32_t off = p->t.off, id;
		struct cparam c = { .type = (uint8_t)type, .off = off };
		uint64_t n = 1;
		bool array = vec > 1;
		struct binding *b;
		struct konst k;

		if (p->t.kind != T_IDENT)
			return parse_error(p, off, "expected the variable's name");
		if (type_info[type].kind == 'o' || type_info[type].kind == 'p' || type_info[type].bits > 64)
			return parse_error(p, off, "'.%s' is not the type of a .param variable", type_info[type].text);
		id = scope_id(p, &p->t);
		parse_advance(p);
		while (parse_accept(p, '[')) {
			array = true;
			if (!expr_parse_int(p, &k))
				return false;
			if (!k.i || k.i > PARAM_MAX_BYTES || n * k.i > PARAM_MAX_BYTES)
				return parse_error(p, off, "a .param variable takes 1 to %d bytes", PARAM_MAX_BYTES);
			n *= k.i;
			if (!parse_expect(p, ']', "']'"))
				return false;
		}
		c.name = scope_name(p, id);
		c.size = (uint32_t)n * vec * (type_info[type].bits / 8u);
		c.align = align ? align : type_info[type].bits / 8u * vec;
		c.kind = array ? CP_FRAME : CP_SCALAR;
		b = scope_declare(p, id, B_CPARAM, off, 0);
		if (!b)
			return false;
		if (array) /* aligned for any vector access, whatever the parameter that it is for wants */
			c.value = data_local(p, c.name, c.size, c.align > 16 ? c.align : 16, off);
		else
			c.value =
				ir_vreg(p->k, c.name, type_info[type].bits == 64 ? RC_64 : RC_32, type_info[type].bits);
		b->value = call_add_param(p, &c);
	} while (parse_accept(p, ','));
	return parse_expect(p, ';', "';' after a declaration");
}

/* ---- ld.param and st.param of scalars ---- */
static bool is_wide(const struct cparam *c) { return c->size == 8; }

/* The variable's bytes [at, at + bytes) as the low bits of a register. */
static struct ref extract(struct build *b, const struct cparam *c, uint32_t at, uint32_t bytes)
{
	struct ref v = ref_reg(c->value);

	if (at)
		v = build_binary(b, is_wide(c) ? OP_SHR_U64 : OP_SHR_U32, is_wide(c) ? RC_64 : RC_32, v,
				 ir_imm(b->p->k, 8 * at));
	return is_wide(c) && bytes < 8 ? build_convert(b, OP_CVT_U32_D, RC_32, v) : v;
}

static void insert(struct build *b, const struct cparam *c, uint32_t at, uint32_t bytes, struct ref v)
{
	struct kernel *k = b->p->k;
	struct insn *i;

	if (bytes == c->size) {
		build_emit1(b, is_wide(c) ? OP_MOV_B64 : OP_MOV_B32, ref_reg(c->value), v, b->guard);
		return;
	}
	if (is_wide(c) && v.kind == REF_REG)
		v = build_convert(b, OP_CVT_U64_U32, RC_64, v);
	i = build_append(b, is_wide(c) ? OP_BFI_B64 : OP_BFI_B32, 1, 4);
	i->guard = b->guard;
	insn_dst(k, i)[0] = ref_reg(c->value);
	insn_src(k, i)[0] = v;
	insn_src(k, i)[1] = ref_reg(c->value);
	insn_src(k, i)[2] = ir_imm(k, 8 * at);
	insn_src(k, i)[3] = ir_imm(k, 8 * bytes);
}

bool call_access(struct build *b, const struct operand *at)
{
	struct parser *p = b->p;
	const struct cparam *c = &p->cparam[at->val];
	const struct op_info *o = &op_info[b->mn->op];
	bool load = o->flags & OPF_LOAD, sx = o->flags & OPF_SX;
	uint32_t bytes = o->mem_bytes;

	if (b->space != SP_PARAM)
		return parse_error(p, at->off,
				   "'%s' is a parameter; it is read with ld.param and written with st.param", c->name);
	if (at->addend < 0 || at->addend + bytes * b->mn->vec > c->size)
		return parse_error(p, at->off, "this is outside '%s', which takes %u byte%s", c->name, c->size,
				   c->size == 1 ? "" : "s");
	if (at->addend % bytes)
		return parse_error(p, at->off, "this address is not a multiple of %u", bytes);
	if (!load && c->formal && !c->ret)
		return parse_error(p, at->off, "'%s' is a parameter of the function, which is not written", c->name);
	for (unsigned e = 0; e < b->mn->vec; e++) {
		uint32_t off = (uint32_t)at->addend + e * bytes;
		struct ref v, d, narrow;
		enum op op;

		if (!load) {
			if (!use_source(b, &b->src[1 + e], &v))
				return false;
			insert(b, c, off, bytes, v);
			continue;
		}
		if (!use_destination(b, &b->dst[e], b->mn->vec > 1, &d, &narrow))
			return false;
		if (d.kind == REF_NONE)
			continue;
		if (bytes >= 4)
			op = bytes == 8 ? OP_MOV_B64 : OP_MOV_B32;
		else if (bytes == 2)
			op = sx ? OP_CVT_S32_S16 : OP_CVT_U32_U16;
		else
			op = sx ? OP_CVT_S32_S8 : OP_CVT_U32_U8;
		build_emit1(b, op, d, extract(b, c, off, bytes), b->guard);
		if (narrow.kind == REF_REG)
			build_emit1(b, type_info[b->mn->type[0]].kind == 's' ? OP_CVT_S64_S32 : OP_CVT_U64_U32, narrow,
				    d, b->guard);
	}
	return true;
}

/* The address of c in local memory: a 32-bit value. */
static struct ref local_address(struct build *b, const struct cparam *c)
{
	if (c->kind == CP_CALLERS)
		return ref_reg(c->value);
	return build_convert(b, OP_MOV_B32, RC_32, use_symbol(b, c->value, 0));
}

bool call_param_address(struct build *b, const struct operand *o, enum reg_class rc, struct ref *r)
{
	struct parser *p = b->p;
	struct cparam *c = &p->cparam[o->val];

	if (!c->formal)
		return parse_error(p, o->off, "'%s' has no address: mov takes the address of a function's parameter",
				   c->name);
	if (c->ret && c->kind == CP_SCALAR)
		return parse_error(p, o->off, "the address of '%s', a return value in a register, is not supported",
				   c->name);
	if (!c->ret && !c->size)
		return parse_error(p, o->off, "the address of '%s', an array of open length, is not supported",
				   c->name);
	if (!c->ret && !c->copy)
		c->copy = data_local(p, c->name, c->size, c->align > 16 ? c->align : 16, c->off) + 1;
	*r = c->ret ? ref_reg(c->value) : build_convert(b, OP_MOV_B32, RC_32, use_symbol(b, c->copy - 1, 0));
	if (o->addend)
		*r = build_binary(b, OP_ADD_S32, RC_32, *r, ir_imm(p->k, (uint32_t)o->addend));
	if (rc == RC_64)
		*r = build_convert(b, OP_CVT_U64_U32, RC_64, *r);
	return true;
}

/* ---- tables ---- */
bool call_table(struct parser *p, uint32_t id, uint32_t off, bool *taken)
{
	bool branches = token_is(p, ".branchtargets"), functions = token_is(p, ".calltargets"),
	     prototype = token_is(p, ".callprototype");
	struct label_list l = { .n = 0 };
	struct binding *b;
	uint32_t cap = 0;

	*taken = branches || functions || prototype;
	if (!*taken)
		return true;
	parse_advance(p);
	if (!branches)
		l.proto = new(p->m->a, struct proto);
	if (prototype && !func_prototype(p, l.proto))
		return false;
	while (!prototype) {
		uint32_t at = p->t.off, name;
		const struct kernel *f;

		if (p->t.kind != T_IDENT)
			return parse_error(p, at, branches ? "expected a label" : "expected the name of a function");
		name = scope_id(p, &p->t);
		if (functions) {
			b = scope_find_module(p, name);
			if (b && b->kind == B_BROKEN)
				return false;
			if (!b || b->kind != B_FUNC)
				return parse_error(p, at, "'%s' is no function that is declared before%s",
						   scope_name(p, name), suggest_name(p, name, 1 << B_FUNC));
			f = p->m->func[b->value];
			if (!l.n) {
				l.proto->formal = f->formal;
				l.proto->nret = f->nret;
				l.proto->narg = f->narg;
				l.proto->listed = true;
			}
			p->m->func[b->value]->address_taken = true;
			name = b->value;
		}
		arena_grow(&p->a, l.id, l.n, cap);
		l.id[l.n][0] = name;
		l.id[l.n++][1] = at;
		parse_advance(p);
		if (!parse_accept(p, ',')) {
			if (!parse_expect(p, ';', "',' or ';'"))
				return false;
			break;
		}
	}
	if (functions) {
		l.proto->list = new_array(p->m->a, uint32_t, l.n);
		l.proto->nlist = l.n;
		for (uint32_t i = 0; i < l.n; i++)
			l.proto->list[i] = l.id[i][0];
	}
	b = scope_declare(p, id, B_TABLE, off, 0);
	if (b) {
		b->value = p->ntable;
		arena_grow(&p->a, p->table, p->ntable, p->table_cap);
		p->table[p->ntable++] = l;
	}
	return true;
}

/* The table named at the current token; branches: one of labels, else one of what may be called. */
static const struct label_list *table(struct parser *p, bool branches)
{
	uint32_t off = p->t.off;
	struct binding *b = p->t.kind == T_IDENT ? scope_find(p, scope_id(p, &p->t)) : NULL;

	if (!b || b->kind != B_TABLE || (p->table[b->value].proto == NULL) != branches) {
		if (!b || b->kind != B_BROKEN)
			parse_error(p, off,
				    branches ? "expected the label of .branchtargets"
					     : "expected the label of .callprototype or .calltargets");
		return NULL;
	}
	parse_advance(p);
	return &p->table[b->value];
}

bool call_branch(struct build *b)
{
	struct parser *p = b->p;
	struct operand index, elem[ELEMENT_MAX], second;
	struct use u = { &index, 'W', 32, false };
	const struct label_list *l;
	struct kernel *k = p->k;
	struct insn *i;
	struct ref r;

	if (!operand_parse(p, &index, elem, &second) || !use_source(b, &u, &r) || !parse_expect(p, ',', "','"))
		return false;
	l = table(p, true);
	if (!l)
		return false;
	if (p->t.kind != ';')
		return parse_error(p, p->t.off, "expected ';'");
	if (l->n > IR_TARGETS_MAX - k->ntarget) {
		if (p->many_targets)
			return false;
		p->many_targets = true;
		return parse_error(p, p->t.off,
				   "the branches of this kernel through tables have more than %d labels in all, "
				   "the limit",
				   IR_TARGETS_MAX);
	}
	i = build_append(b, OP_BRX, 0, 1);
	i->guard = b->guard;
	i->mods = b->mn->mods;
	i->offset = (int32_t)k->ntable;
	insn_src(k, i)[0] = r;
	arena_grow(k->a, k->table, k->ntable, k->table_cap);
	k->table[k->ntable++] = (struct jump_table){ k->ntarget, l->n };
	for (uint32_t n = 0; n < l->n; n++) {
		arena_grow(k->a, k->target, k->ntarget, k->target_cap);
		scope_refer(p, l->id[n][0], l->id[n][1], k->ntarget, true);
		k->target[k->ntarget++] = (struct target){ n, 0 };
	}
	p->closed = true;
	return true;
}

/* ---- call ---- */
/* ( operands ) or nothing; n registers are left for them. */
static bool list(struct parser *p, struct call_list *l, unsigned first, unsigned *n, uint32_t *off)
{
	*off = p->t.off;
	*n = 0;
	if (!parse_expect(p, '(', "'('"))
		return false;
	if (parse_accept(p, ')'))
		return true;
	do {
		unsigned at = first + *n;

		if (at == CALL_OPERANDS_MAX)
			return parse_error(p, p->t.off, "a call with more than %d arguments is not supported",
					   CALL_OPERANDS_MAX);
		if (!operand_parse(p, &l->op[at], l->elem[at], &l->second))
			return false;
		if (l->op[at].second)
			return parse_error(p, l->op[at].off, "'|' joins two destinations");
		if (l->op[at].kind == O_VECTOR) { /* the elements of a .reg vector are passed one by one */
			struct operand v = l->op[at];

			if (at + v.n > CALL_OPERANDS_MAX)
				return parse_error(p, p->t.off, "a call with more than %d arguments is not supported",
						   CALL_OPERANDS_MAX);
			for (unsigned e = 0; e < v.n; e++)
				l->op[at + e] = v.elem[e];
			*n += v.n;
		} else {
			++*n;
		}
	} while (parse_accept(p, ','));
	return parse_expect(p, ')', "',' or ')'");
}

static const char *size_text(struct parser *p, const struct formal *f)
{
	if (f->rc == RC_PRED)
		return "a predicate";
	return arena_printf(&p->a, "%s%u byte%s", f->array ? "an array of " : "a scalar of ", f->size,
			    f->size == 1 ? "" : "s");
}

/* The register of an actual scalar; false if it does not fit the formal one. */
static bool scalar(struct build *b, const struct operand *o, const struct formal *f, bool ret, struct ref *r)
{
	static const enum op mov[RC_COUNT] = { [RC_PRED] = OP_MOV_PRED, [RC_32] = OP_MOV_B32, [RC_64] = OP_MOV_B64 };
	struct parser *p = b->p;
	uint64_t v;

	if (o->kind == O_CPARAM && !o->addend) {
		const struct cparam *c = &p->cparam[o->val];

		*r = ref_reg(c->value);
		return c->kind == CP_SCALAR && c->size == f->size && f->rc != RC_PRED;
	}
	if (o->kind == O_REG && !o->plus && !o->neg) {
		*r = ref_reg(o->val);
		return p->k->vreg[o->val].rc == f->rc &&
		       (f->size < 4 || p->k->vreg[o->val].bits == (f->rc == RC_PRED ? 1 : f->size * 8));
	}
	if (o->kind == O_SINK && ret) {
		*r = ref_none();
		return true;
	}
	if (o->kind != O_CONST || ret)
		return false;
	v = o->k.i;
	if (type_info[f->type].kind == 'f' || o->k.is_float) {
		if (f->size < 4 || !konst_float_bits(&o->k, f->size * 8, &v))
			return false;
	}
	if (f->rc == RC_PRED)
		v = v != 0;
	else if (f->size < 8)
		v &= ((uint64_t)1 << 8 * f->size) - 1;
	*r = build_convert(b, mov[f->rc], f->rc, ir_imm(p->k, v));
	return true;
}

static bool actual(struct build *b, const char *name, const struct operand *o, const struct formal *f, bool ret,
		   struct ref *r)
{
	struct parser *p = b->p;
	const struct cparam *c = o->kind == O_CPARAM ? &p->cparam[o->val] : NULL;

	if (!f->array) {
		if (scalar(b, o, f, ret, r))
			return true;
	} else if (c && c->kind != CP_SCALAR && !o->addend && (c->size == f->size || !f->size || !c->size)) {
		*r = local_address(b, c);
		return true;
	}
	return parse_error(p, o->off, ret ? "'%s' returns %s here" : "'%s' takes %s here", name, size_text(p, f));
}

static bool same_variable(const struct call_list *l, unsigned x, unsigned y)
{
	return l->op[x].kind == O_CPARAM && l->op[y].kind == O_CPARAM && l->op[x].val == l->op[y].val;
}

struct callee {
	const char *name;
	uint32_t off, func;
	const struct proto *proto;
	struct ref address;
	const struct formal *formal;
	uint32_t nret, narg;
};

/* Emits the call. A guarded one is branched around. */
static bool emit(struct build *b, struct call_list *l, const struct callee *f)
{
	struct parser *p = b->p;
	unsigned ndst = 0, nsrc = f->proto != NULL, n = f->nret + f->narg;
	uint32_t off = f->off, jump = UINT32_MAX;
	struct insn *i;

	if (l->nret != f->nret)
		return parse_error(p, l->nret ? l->ret_off : off, "'%s' returns %u value%s; %u %s taken", f->name,
				   f->nret, f->nret == 1 ? "" : "s", l->nret, l->nret == 1 ? "is" : "are");
	if (l->narg != f->narg)
		return parse_error(p, l->narg ? l->arg_off : off, "'%s' takes %u argument%s; %u %s given", f->name,
				   f->narg, f->narg == 1 ? "" : "s", l->narg, l->narg == 1 ? "is" : "are");
	for (unsigned x = 0; x < f->nret; x++)
		for (unsigned y = x + 1; y < n; y++)
			if (f->formal[x].array && same_variable(l, x, y))
				return parse_error(p, l->op[y].off, "'%s' takes a return value of this call already",
						   p->cparam[l->op[y].val].name);
	if (b->guard.kind == REF_REG) {
		i = build_append(b, OP_BRA, 0, 1);
		i->guard = b->guard;
		i->guard.neg = !b->guard.neg;
		jump = i->opnd;
		p->closed = true;
		b->guard = ref_none();
	}
	for (unsigned x = 0; x < n; x++) {
		if (!actual(b, f->name, &l->op[x], &f->formal[x], x < f->nret, &l->ref[x]))
			return false;
		if (x < f->nret && !f->formal[x].array)
			ndst++;
		else
			nsrc++;
	}
	i = build_append(b, OP_CALL, ndst, nsrc);
	i->mods = b->mn->mods;
	i->offset = (int32_t)p->k->ncall;
	arena_grow(p->k->a, p->k->call, p->k->ncall, p->k->call_cap);
	p->k->call[p->k->ncall++] = (struct call){ .func = f->func, .proto = f->proto };
	ndst = nsrc = 0;
	if (f->proto)
		insn_src(p->k, i)[nsrc++] = f->address;
	for (unsigned x = 0; x < n; x++)
		if (x < f->nret && !f->formal[x].array)
			insn_dst(p->k, i)[ndst++] = l->ref[x];
		else
			insn_src(p->k, i)[nsrc++] = l->ref[x];
	if (jump != UINT32_MAX) { /* the next statement starts a block */
		p->closed = true;
		p->k->opnd[jump] = (struct ref){ .kind = REF_BLOCK, .val = p->k->nblock & REF_VAL_MAX };
	}
	return true;
}

bool call_parse(struct build *b)
{
	struct parser *p = b->p;
	struct call_list *l;
	struct operand target;
	struct callee f;
	bool again = false;
	uint32_t off;

	if (!p->call)
		p->call = new(&p->a, struct call_list);
	l = p->call;
	l->nret = l->narg = 0;
	if (p->t.kind == '(' && (!list(p, l, 0, &l->nret, &l->ret_off) || !parse_expect(p, ',', "','")))
		return false;
	off = p->t.off;
	if (p->t.kind != T_IDENT)
		return parse_error(p, off, "expected the name of a function");
	if (!operand_parse(p, &target, l->elem[0], &l->second))
		return false;
	f = (struct callee){ .off = off,
			     .name = arena_strndup(&p->a, p->src->text + off,
						   p->t.off - off > 200 ? 200 : p->t.off - off) };
	if (target.kind == O_FUNC) {
		const struct kernel *k = p->m->func[target.val];

		f = (struct callee){ .name = k->name,
				     .off = off,
				     .func = target.val,
				     .formal = k->formal,
				     .nret = k->nret,
				     .narg = k->narg };
	} else if (target.kind != O_REG || target.plus || type_info[target.type].bits < p->m->address_bits ||
		   type_info[target.type].kind == 'f') {
		return parse_error(
			p, off, "'%s' is no function that is declared before, and no register with an address", f.name);
	}
	if (parse_accept(p, ',')) {
		if (p->t.kind == '(') {
			if (!list(p, l, l->nret, &l->narg, &l->arg_off))
				return false;
			again = parse_accept(p, ',');
		} else {
			again = true;
		}
	}
	if (target.kind == O_FUNC && again)
		return parse_error(p, p->t.off, "a call of a function by its name has no prototype");
	if (target.kind == O_REG) {
		const struct label_list *t;

		if (!again)
			return parse_error(p, p->t.off,
					   "a call through a register names a .callprototype or .calltargets");
		t = table(p, false);
		if (!t)
			return false;
		f.proto = t->proto;
		f.formal = t->proto->formal;
		f.nret = t->proto->nret;
		f.narg = t->proto->narg;
		f.address = ref_reg(target.val);
		if (type_info[target.type].bits == 32)
			f.address = build_convert(b, OP_CVT_U64_U32, RC_64, f.address);
	}
	if (p->t.kind != ';')
		return parse_error(p, p->t.off, "expected ';'");
	return emit(b, l, &f);
}
