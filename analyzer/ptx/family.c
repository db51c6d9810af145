/* What families of instructions share whose operands do not follow a row's signature (sync.c, async.c): taking a
 * mnemonic apart, and emitting rows. */
#include "family.h"

#include <string.h>

/* ---- the parts of a mnemonic, taken one by one ---- */
static bool word_from(struct words *w, unsigned from, const char *text)
{
	const struct mnemonic *mn = w->b->mn;

	if (w->nasked < sizeof w->asked / sizeof *w->asked)
		w->asked[w->nasked++] = text;
	for (unsigned i = from; i < mn->nparts; i++)
		if (w->left >> i & 1 && strlen(text) == mn->part[i].len &&
		    memcmp(text, mn->part[i].s, mn->part[i].len) == 0) {
			w->left &= ~(1u << i);
			w->last = i;
			return true;
		}
	return false;
}

bool words_take(struct words *w, const char *text) { return word_from(w, 1, text); }
bool words_next(struct words *w, const char *text) { return word_from(w, w->last + 1, text); }

unsigned words_any(struct words *w, const char *const text[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (words_take(w, text[i]))
			return i + 1;
	return 0;
}

struct words words_of(struct build *b) { return (struct words){ .b = b, .left = ((uint32_t)1 << b->mn->nparts) - 2 }; }

bool words_end(const struct words *w)
{
	const struct mnemonic *mn = w->b->mn;
	const char *s;
	uint32_t len;

	if (!w->left)
		return true;
	s = mn->part[__builtin_ctz(w->left)].s;
	len = mn->part[__builtin_ctz(w->left)].len;
	return parse_error(w->b->p, mn->off, "'%s' has no modifier '.%.*s'%s", mn->text, (int)(len > 100 ? 100 : len),
			   s, suggest_word(w->b->p, s, len, w->asked, w->nasked));
}

bool words_missing(const struct words *w, const char *what)
{
	const struct mnemonic *mn = w->b->mn;
	const char *near = "";

	for (unsigned i = 1; i < mn->nparts && !*near; i++)
		if (w->left >> i & 1)
			near = suggest_word(w->b->p, mn->part[i].s, mn->part[i].len, w->asked, w->nasked);
	return parse_error(w->b->p, mn->off, "'%s' needs %s%s", mn->text, what, near);
}

/* Order and scope: one warp instruction is done before the next begins, so none asks for more. */
void words_order(struct words *w)
{
	if (WORDS_ANY(w, "relaxed", "acquire", "release", "acq_rel"))
		WORDS_ANY(w, "cta", "cluster", "gpu", "sys");
}

void words_space(struct words *w)
{
	w->b->space = WORDS_ANY(w, "shared", "shared::cta", "shared::cluster") ? SP_SHARED : SP_GENERIC;
}

bool family_policy(const struct build *b, const struct operand *o)
{
	if (o->kind == O_CONST || (o->kind == O_REG && type_info[o->type].bits == 64))
		return true;
	return parse_error(b->p, o->off,
			   "the last operand of an instruction with .L2::cache_hint is a policy of 64 bits");
}

/* ---- emission ---- */
static const struct operand sink = { .kind = O_SINK };
const struct operand family_zero = { .kind = O_CONST, .n = 1 },
		     family_one = { .kind = O_CONST, .n = 1, .k = { .i = 1 } };

bool family_emit(struct build *b, enum op op, const struct operand *dst, const struct operand *const src[], unsigned n)
{
	struct mnemonic mn = *b->mn;
	struct build x = *b;
	const char *letter = strchr(op_info[op].sig, '_') + 1;
	bool ok;

	mn.op = op;
	mn.vec = 1;
	x.mn = &mn;
	x.ndst = x.nsrc = 0;
	if (dst) {
		x.dst[x.ndst++] =
			(struct use){ dst, op_info[op].sig[0], (uint8_t)use_letter_bits(op_info[op].sig[0]), false };
		if (dst->second)
			x.dst[x.ndst++] = (struct use){ dst->second, 'P', 1, false };
	} else if (op_info[op].ndst) {
		x.dst[x.ndst++] = (struct use){ &sink, op_info[op].sig[0], 0, false };
	}
	for (unsigned i = 0; i < n; i++)
		x.src[x.nsrc++] = (struct use){ src[i], letter[i], (uint8_t)use_letter_bits(letter[i]), false };
	ok = insn_finish(&x);
	return ok;
}

struct operand family_register(struct ref r, enum scalar_type type, uint32_t off)
{
	return (struct operand){ .kind = O_REG, .type = (uint8_t)type, .n = 1, .off = off, .val = r.val };
}

bool family_address(struct build *b, const struct operand *o, enum space space, bool wide, struct operand *out)
{
	struct mnemonic mn = *b->mn;
	struct build x = *b;
	struct ref r;

	mn.op = OP_LD_U8; /* any row with an address, for its rules */
	mn.vec = 1;
	x.mn = &mn;
	x.space = space;
	if (o->kind != O_ADDRESS || o->base == O_PARAM || o->base == O_CONST)
		return parse_error(b->p, o->off, "this operand of '%s' is an address in brackets", b->mn->text);
	if (!use_address(&x, o, &r))
		return false;
	if (r.kind == REF_SYM) { /* its address, generic if the instruction's is */
		enum space home = b->p->m->sym[o->val].space;

		r = build_convert(b, wide ? OP_MOV_B64 : OP_MOV_B32, wide ? RC_64 : RC_32, r);
		if (space == SP_GENERIC) {
			struct insn *i;
			struct ref to = ref_reg(ir_vreg(b->p->k, NULL, wide ? RC_64 : RC_32, wide ? 64 : 32));

			i = build_append(b, wide ? OP_CVTA_U64 : OP_CVTA_U32, 1, 1);
			i->space = (uint8_t)home;
			insn_dst(b->p->k, i)[0] = to;
			insn_src(b->p->k, i)[0] = r;
			r = to;
		}
	} else {
		bool is_wide = b->p->m->address_bits == 64 && (space == SP_GLOBAL || space == SP_GENERIC);

		if (wide && !is_wide)
			r = build_convert(b, OP_CVT_U64_U32, RC_64, r);
	}
	if (x.offset)
		r = build_binary(b, wide ? OP_ADD_S64 : OP_ADD_S32, wide ? RC_64 : RC_32, r,
				 ir_imm(b->p->k, wide ? (uint64_t)(int64_t)x.offset : (uint32_t)x.offset));
	*out = family_register(r, wide ? TY_B64 : TY_B32, o->off);
	return true;
}
