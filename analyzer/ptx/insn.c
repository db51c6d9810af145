/* Instructions: the operands as written become the slots of the row's signature, and the instruction is appended. */
#include "insn.h"

#include <stdio.h>
#include <string.h>

/* ---- whole instructions ---- */
bool insn_finish(struct build *b)
{
	struct parser *p = b->p;
	const struct mnemonic *mn = b->mn;
	const struct op_info *info = &op_info[mn->op];
	struct ref dst[ELEMENT_MAX + 1], narrow[ELEMENT_MAX + 1], src[BUILD_SRC_MAX];
	bool sx = mn->ntypes && type_info[mn->type[0]].kind == 's';
	bool sinks = info->flags & OPF_ATOMIC || mn->vec > 1 || info->ndst > 1 || b->ndst > 1;
	struct insn *i;

	for (unsigned s = 0; s < b->nsrc; s++)
		if (b->src[s].letter == 'M' ? !use_address(b, b->src[s].o, &src[s])
					    : !use_source(b, &b->src[s], &src[s]))
			return false;
	for (unsigned d = 0; d < b->ndst; d++)
		if (!use_destination(b, &b->dst[d], sinks, &dst[d], &narrow[d]))
			return false;
	i = build_append(b, mn->op, b->ndst, b->nsrc);
	i->guard = b->guard;
	i->space = (uint8_t)b->space;
	i->vec = info->mem_bytes ? mn->vec : 1;
	i->cop = mn->cop;
	i->cbool = mn->cbool;
	i->mods = mn->mods | (mn->sync && info->flags & OPF_CROSS ? MOD_SYNC : 0u);
	i->offset = b->offset;
	for (unsigned d = 0; d < b->ndst; d++)
		insn_dst(p->k, i)[d] = dst[d];
	for (unsigned s = 0; s < b->nsrc; s++)
		insn_src(p->k, i)[s] = src[s];
	if (info->flags & (OPF_BRANCH | OPF_END))
		p->closed = true;
	for (unsigned d = 0; d < b->ndst; d++)
		if (narrow[d].kind == REF_REG)
			build_emit1(b, sx ? OP_CVT_S64_S32 : OP_CVT_U64_U32, narrow[d], dst[d], b->guard);
	return true;
}

/* Operand slots for the elements of a vector, or for the one operand. */
static unsigned spread(struct use *to, const struct operand *o, char letter, bool relaxed)
{
	unsigned n = o->kind == O_VECTOR ? o->n : 1;

	for (unsigned i = 0; i < n; i++)
		to[i] = (struct use){ o->kind == O_VECTOR ? &o->elem[i] : o, letter, (uint8_t)use_letter_bits(letter),
				      relaxed };
	return n;
}

bool build_wrong_count(const struct build *b, unsigned least, unsigned most)
{
	if (least == most)
		return parse_error(b->p, b->mn->off, "'%s' takes %u operand%s; %u %s given", b->mn->text, most,
				   most == 1 ? "" : "s", b->p->nop, b->p->nop == 1 ? "is" : "are");
	return parse_error(b->p, b->mn->off, "'%s' takes %u to %u operands; %u %s given", b->mn->text, least, most,
			   b->p->nop, b->p->nop == 1 ? "is" : "are");
}

static bool memory_space_ok(struct build *b)
{
	const struct mnemonic *mn = b->mn;
	unsigned flags = op_info[mn->op].flags;
	uint32_t bytes = op_info[mn->op].mem_bytes * (uint32_t)mn->vec;

	if (flags & OPF_ATOMIC && mn->space != SP_GENERIC && mn->space != SP_GLOBAL && mn->space != SP_SHARED)
		return parse_error(b->p, mn->off, "'%s' takes .global, .shared or generic addresses", mn->text);
	if (flags & OPF_STORE && mn->space == SP_CONST)
		return parse_error(b->p, mn->off, "constant memory is not written");
	if (bytes > 32)
		return parse_error(b->p, mn->off, "a vector takes at most 32 bytes");
	return true;
}

/* ld and st: a vector operand has as many elements as the mnemonic says. */
static bool load_store(struct build *b)
{
	struct parser *p = b->p;
	const struct mnemonic *mn = b->mn;
	bool load = op_info[mn->op].flags & OPF_LOAD;
	struct operand *data = &p->op[load ? 0 : 1], *at = &p->op[load ? 1 : 0];
	char letter = load ? op_info[mn->op].sig[0] : op_info[mn->op].sig[3];
	unsigned n;

	if (p->nop != 2)
		return build_wrong_count(b, 2, 2);
	if (!memory_space_ok(b))
		return false;
	n = data->kind == O_VECTOR ? data->n : 1;
	if (n != mn->vec)
		return parse_error(p, data->off, "'%s' takes %u element%s; %u %s given", mn->text, mn->vec,
				   mn->vec > 1 ? "s" : "", n, n == 1 ? "is" : "are");
	if (data->second)
		return parse_error(p, data->off, "'%s' has one destination", mn->text);
	if (load)
		b->ndst = spread(b->dst, data, letter, true);
	b->src[b->nsrc++] = (struct use){ at, 'M', 0, false };
	if (!load)
		b->nsrc += spread(b->src + 1, data, letter, true);
	if (at->kind == O_ADDRESS && at->base == O_CPARAM && p->cparam[at->val].kind == CP_SCALAR)
		return call_access(b, at);
	return insn_finish(b);
}

/* All other rows: destination, then sources, as the signature says. */
static bool by_signature(struct build *b)
{
	static const struct operand every_lane = { .kind = O_CONST, .k = { .i = 0xffffffff } };
	struct parser *p = b->p;
	const struct mnemonic *mn = b->mn;
	const struct op_info *info = &op_info[mn->op];
	const char *letter = strchr(info->sig, '_') + 1;
	bool is_cvt = mnemonic_is(mn, "cvt") && mn->type[0] && !strchr(info->text, 'k'); /* not cvt.pack */
	/* before sm_70: every lane */
	bool no_mask = (mnemonic_is(mn, "vote") || mnemonic_is(mn, "shfl")) && !mn->sync;
	unsigned most = info->ndst + (unsigned)info->nsrc + (mn->cbool != CB_NONE) - no_mask, at = 0;

	if (p->nop != most)
		return build_wrong_count(b, most, most);
	if (info->mem_bytes && !memory_space_ok(b))
		return false;
	if (info->flags & OPF_ATOMIC && (strstr(info->text, "min.noftz") || strstr(info->text, "max.noftz")))
		return parse_error(p, mn->off, "'%s' has vector forms only, .v2, .v4 or .v8", mn->text);
	for (unsigned i = 0; i < p->nop; i++)
		if (p->op[i].kind == O_VECTOR && p->op[i].n != 1)
			return parse_error(p, p->op[i].off, "this operand of '%s' is no vector", mn->text);
	if (info->ndst) {
		struct operand *o = &p->op[at++];

		b->ndst = spread(b->dst, o, info->sig[0], is_cvt);
		if (is_cvt)
			b->dst[0].bits = type_info[mn->type[0]].bits;
		if (o->second && (!(info->flags & OPF_SETP) || half_type(mn, false, 'H') != TY_PRED))
			return parse_error(p, o->off, "'%s' has one destination", mn->text);
		if (o->second)
			b->dst[b->ndst++] = (struct use){ o->second, 'P', 1, false };
	}
	for (; at < p->nop; at++) {
		b->nsrc += spread(b->src + b->nsrc, &p->op[at], b->nsrc < info->nsrc ? letter[b->nsrc] : 'P', is_cvt);
		if (is_cvt && mn->ntypes > 1)
			b->src[b->nsrc - 1].bits = type_info[mn->type[1]].bits;
	}
	if (no_mask)
		b->src[b->nsrc++] = (struct use){ &every_lane, 'W', 32, false };
	if (mn->op == OP_LOP3_B32 && b->src[3].o->kind != O_CONST)
		return parse_error(p, b->src[3].o->off, "the truth table of '%s' is a constant", mn->text);
	return insn_finish(b);
}

/* ---- mov with vectors ---- */
static bool no_vector_form(const struct build *b, unsigned n)
{
	return parse_error(b->p, b->mn->off, "'%s' has no form with a vector of %u", b->mn->text, n);
}

/* mov.v4.u32 a, b: all elements at once, so through fresh registers. The fourth element of %tid and its like is
 * zero. */
static bool move_elements(struct build *b)
{
	struct parser *p = b->p;
	struct mnemonic mn = *b->mn;
	struct operand *d = &p->op[0], *s = &p->op[1], value[ELEMENT_MAX];
	char letter;

	mn.op = op_find(mn.key, mn.key_len);
	if (mn.op == OP_COUNT || d->kind != O_VECTOR || d->n != mn.vec || (s->kind != O_VECTOR && s->kind != O_SREG) ||
	    s->n != mn.vec)
		return no_vector_form(b, mn.vec);
	b->mn = &mn;
	letter = op_info[mn.op].sig[0];
	for (unsigned i = 0; i < mn.vec; i++) {
		const enum reg_class wide = use_letter_bits(letter) == 64 ? RC_64 : RC_32,
				     rc = letter == 'P' ? RC_PRED : wide;
		struct operand one = { .off = s->off, .n = 1 };
		struct use from = { .o = s->kind == O_VECTOR ? &s->elem[i] : &one,
				    .letter = letter,
				    .bits = (uint8_t)use_letter_bits(letter) };
		struct ref r;

		if (s->kind == O_SREG) {
			one.kind = i < 3 ? O_SREG : O_CONST;
			one.val = s->val + i;
		}
		if (!use_source(b, &from, &r))
			return false;
		value[i] = (struct operand){ .kind = O_REG, .type = mn.type[0], .n = 1, .off = from.o->off };
		value[i].val = build_convert(b, mn.op, rc, r).val;
	}
	for (unsigned i = 0; i < mn.vec; i++) {
		struct build one = { .p = p, .mn = &mn, .guard = b->guard, .ndst = 1, .nsrc = 1 };

		one.dst[0] = (struct use){ &d->elem[i], letter, (uint8_t)use_letter_bits(letter), false };
		one.src[0] = (struct use){ &value[i], letter, (uint8_t)use_letter_bits(letter), false };
		if (d->elem[i].kind != O_SINK && !insn_finish(&one))
			return false;
	}
	return true;
}

/* mov.b64 {a,b,c,d}, x with 16-bit elements, mov.b32 and mov.b16 with 8-bit ones: shifts and conversions. */
static bool unpack(struct build *b)
{
	struct parser *p = b->p;
	unsigned n = p->op[0].n, bits = type_info[b->mn->type[0]].bits, each = bits / n;
	const char letter = bits == 32 ? 'W' : 'H';
	const enum reg_class rc = bits == 64 ? RC_64 : RC_32;
	struct use from = { .o = &p->op[1], .letter = bits == 64 ? 'D' : letter, .bits = (uint8_t)bits };
	enum op shift = bits == 64 ? OP_SHR_U64 : OP_SHR_U32, cut = each == 8 ? OP_CVT_U8_W : OP_CVT_U16_D;
	struct ref x;

	if (!use_source(b, &from, &x))
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct use to = { .o = &p->op[0].elem[i], .letter = each == 8 ? 'B' : 'H', .bits = (uint8_t)each };
		struct ref d, narrow;

		if (!use_destination(b, &to, true, &d, &narrow))
			return false;
		if (d.kind == REF_NONE)
			continue;
		build_emit1(b, cut, d, i ? build_binary(b, shift, rc, x, ir_imm(p->k, each * i)) : x, b->guard);
	}
	return true;
}

static bool move_vector(struct build *b)
{
	struct parser *p = b->p;
	struct mnemonic mn = *b->mn;
	bool pack = p->op[0].kind != O_VECTOR;
	const struct operand *v = &p->op[pack ? 1 : 0];
	const char *row = NULL, *sig;

	if (p->nop != 2)
		return build_wrong_count(b, 2, 2);
	if (mn.vec > 1)
		return move_elements(b);
	if (p->op[0].kind == O_VECTOR && p->op[1].kind == O_VECTOR)
		return no_vector_form(b, p->op[1].n);
	if (mn.ntypes == 1 && mn.nparts == 2) {
		if (mn.type[0] == TY_B32 && v->n == 2)
			row = pack ? "mov.pack2.b32" : "mov.unpack2.b32";
		else if (mn.type[0] == TY_B64 && v->n == 2)
			row = pack ? "mov.pack2.b64" : "mov.unpack2.b64";
		else if (mn.type[0] == TY_B64 && v->n == 4 && pack)
			row = "mov.pack4.b64";
		else if (mn.type[0] == TY_B32 && v->n == 4 && pack)
			row = "mov.pack4.b32";
		else if (mn.type[0] == TY_B16 && v->n == 2 && pack)
			row = "mov.pack2.b16";
		else if (((mn.type[0] == TY_B64 || mn.type[0] == TY_B32) && v->n == 4) ||
			 (mn.type[0] == TY_B16 && v->n == 2))
			return unpack(b);
	}
	mn.op = row ? op_find(row, strlen(row)) : OP_COUNT;
	if (mn.op == OP_COUNT)
		return no_vector_form(b, v->n);
	b->mn = &mn;
	sig = strchr(op_info[mn.op].sig, '_');
	b->ndst = spread(b->dst, &p->op[0], op_info[mn.op].sig[0], false);
	b->nsrc = spread(b->src, &p->op[1], sig[1], false);
	return insn_finish(b);
}

/* The row says how the operands go. */
bool build_by_row(struct build *b)
{
	unsigned flags = op_info[b->mn->op].flags;

	if (flags & OPF_ATOMIC && b->mn->vec > 1)
		return sync_parse_vector_atomic(b);
	return op_info[b->mn->op].mem_bytes && !(flags & OPF_ATOMIC) ? load_store(b) : by_signature(b);
}

/* ---- the statement ---- */
static bool branch(struct build *b)
{
	struct parser *p = b->p;
	struct insn *i;
	uint32_t off = p->t.off, id;

	if (p->t.kind != T_IDENT)
		return parse_error(p, off, "expected a label");
	id = scope_id(p, &p->t);
	parse_advance(p);
	if (p->t.kind != ';')
		return parse_error(p, p->t.off, "expected ';'");
	i = build_append(b, OP_BRA, 0, 1);
	i->guard = b->guard;
	i->mods = b->mn->mods;
	insn_src(p->k, i)[0] = (struct ref){ .kind = REF_BLOCK };
	scope_refer(p, id, off, i->opnd, false);
	p->closed = true;
	return true;
}

bool insn_operands(struct parser *p)
{
	p->nop = 0;
	if (p->t.kind == ';')
		return true;
	do {
		if (p->nop == OPERAND_MAX)
			return parse_error(p, p->t.off, "an instruction has at most %d operands", OPERAND_MAX);
		if (!operand_parse(p, &p->op[p->nop], p->elem[p->nop], &p->second[p->nop]))
			return false;
		p->nop++;
	} while (parse_accept(p, ','));
	return p->t.kind == ';' ? true : parse_error(p, p->t.off, "expected ',' or ';'");
}

/* What the row does not say: forms of a mnemonic that its operands or modifiers rule out. */
static bool mnemonic_ok(struct parser *p, const struct mnemonic *mn)
{
	if (mnemonic_is(mn, "cvta") && !mn->space_given)
		return parse_error(p, mn->off, "'%s' names a state space", mn->text);
	return true;
}

/* min and max of three floats are rows of their own, which only the operands tell from those of two. */
static bool is_minmax(const struct mnemonic *mn) { return mnemonic_is(mn, "min") || mnemonic_is(mn, "max"); }

static bool three_inputs(struct parser *p, struct mnemonic *mn)
{
	char key[sizeof mn->key + 2];

	if (p->nop == 4 && op_info[mn->op].nsrc == 2) {
		int n = snprintf(key, sizeof key, "%.3s.3%s", op_info[mn->op].text, op_info[mn->op].text + 3);
		enum op op = op_find(key, (size_t)n);

		mn->op = op == OP_COUNT ? mn->op : op;
	}
	if (op_info[mn->op].nsrc == 3 && mn->nparts < PART_MAX) {
		mn->part[mn->nparts].s = "3";
		mn->part[mn->nparts++].len = 1;
	}
	return isa_check(p, mn);
}

static bool take_hint(struct parser *p)
{
	const struct operand *o = &p->op[p->nop ? p->nop - 1 : 0];

	if (!p->nop || (o->kind != O_CONST && (o->kind != O_REG || type_info[o->type].bits != 64)))
		return parse_error(p, p->nop ? o->off : p->t.off,
				   "the last operand of an instruction with .L2::cache_hint is a policy of 64 bits");
	p->nop--;
	return true;
}

/* Instructions whose operands do not follow the signature of one row. They read their operands themselves, up to the
 * ';'. */
static const struct {
	const char *base, *part;
	bool (*parse)(struct build *);
} family[] = {
	{ "add", "cc", carry_parse },
	{ "addc", NULL, carry_parse },
	{ "sub", "cc", carry_parse },
	{ "subc", NULL, carry_parse },
	{ "mad", "cc", carry_parse },
	{ "madc", NULL, carry_parse },
	{ "set", NULL, set_parse },
	{ "lop3", "and", lop3_predicate_parse },
	{ "lop3", "or", lop3_predicate_parse },
	{ "vadd", NULL, video_parse },
	{ "vsub", NULL, video_parse },
	{ "vabsdiff", NULL, video_parse },
	{ "vmin", NULL, video_parse },
	{ "vmax", NULL, video_parse },
	{ "vshl", NULL, video_parse },
	{ "vshr", NULL, video_parse },
	{ "vmad", NULL, video_parse },
	{ "vset", NULL, video_parse },
	{ "vadd2", NULL, video_parse },
	{ "vsub2", NULL, video_parse },
	{ "vavrg2", NULL, video_parse },
	{ "vabsdiff2", NULL, video_parse },
	{ "vmin2", NULL, video_parse },
	{ "vmax2", NULL, video_parse },
	{ "vset2", NULL, video_parse },
	{ "vadd4", NULL, video_parse },
	{ "vsub4", NULL, video_parse },
	{ "vavrg4", NULL, video_parse },
	{ "vabsdiff4", NULL, video_parse },
	{ "vmin4", NULL, video_parse },
	{ "vmax4", NULL, video_parse },
	{ "vset4", NULL, video_parse },
};

bool insn_parse(struct parser *p, struct ref guard)
{
	struct mnemonic mn;
	struct build b = { .p = p, .mn = &mn, .guard = guard };
	bool (*sync)(struct build * b);
	bool is_mov, vector = false, ok;

	if (!mnemonic_parse(p, &mn) || (!is_minmax(&mn) && !isa_check(p, &mn)) || !mnemonic_ok(p, &mn))
		return false;
	b.space = p->func && mn.space == SP_PARAM && mnemonic_is(&mn, "cvta") ? SP_LOCAL : (enum space)mn.space;
	for (size_t f = 0; f < sizeof family / sizeof *family; f++)
		if (mnemonic_is(&mn, family[f].base) && (!family[f].part || mnemonic_has(&mn, family[f].part))) {
			ok = family[f].parse(&b);
			if (ok)
				parse_advance(p);
			return ok;
		}
	if (texture_is(&mn)) {
		ok = texture_parse(&b);
		if (ok)
			parse_advance(p);
		return ok;
	}
	is_mov = mnemonic_is(&mn, "mov");
	sync = sync_family(&mn);
	if (sync) {
		ok = insn_operands(p) && sync(&b);
		if (ok)
			parse_advance(p);
		return ok;
	}
	if (!(is_mov && mn.vec > 1) && !mnemonic_find(p, &mn))
		return false;
	if (mn.op == OP_CALL) {
		ok = call_parse(&b);
	} else if (mn.op == OP_BRX) {
		ok = call_branch(&b);
	} else if (mn.op == OP_BRA) {
		ok = branch(&b);
	} else {
		if (!insn_operands(p) || (mn.hint && !take_hint(p)))
			return false;
		if (is_minmax(&mn) && !three_inputs(p, &mn))
			return false;
		for (unsigned i = 0; is_mov && i < p->nop; i++)
			vector |= p->op[i].kind == O_VECTOR && p->op[i].n > 1;
		if (vector || (is_mov && mn.vec > 1))
			ok = move_vector(&b);
		else if (matrix_is(&mn))
			ok = matrix_parse(&b);
		else if (op_info[mn.op].opsig == OPSIG_PP_WW)
			ok = half_setp(&b);
		else
			ok = build_by_row(&b);
	}
	if (ok)
		parse_advance(p);
	return ok;
}
