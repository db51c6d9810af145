/* Families whose operands do not follow a row's signature: barriers, fences, mbarrier objects, hints, clusters;
 * asynchronous copies are in async.c. An address in shared::cluster is one in shared memory, ir.h. */
#include "family.h"

#include <string.h>

/* ---- barriers of a CTA ---- */
static bool barrier_numbers_ok(struct build *b, const struct operand *id, const struct operand *threads)
{
	if (id->kind == O_CONST && id->k.i > 15)
		return parse_error(b->p, id->off, "a barrier's number is 0 to 15");
	if (threads->kind == O_CONST && threads->k.i % 32)
		return parse_error(b->p, threads->off, "a barrier's thread count is a multiple of 32");
	return true;
}

static bool cluster_barrier(struct build *b, struct words *w)
{
	bool arrive = words_take(w, "arrive");

	if (!arrive && !words_take(w, "wait"))
		return words_missing(w, ".arrive or .wait");
	if (arrive)
		WORDS_ANY(w, "release", "relaxed");
	else
		words_take(w, "acquire");
	words_take(w, "aligned");
	if (!words_end(w))
		return false;
	if (b->p->nop)
		return build_wrong_count(b, 0, 0);
	return family_emit(b, arrive ? OP_BAR_CLUSTER_ARRIVE : OP_BAR_CLUSTER_WAIT, NULL, NULL, 0);
}

static bool barrier(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op;

	b->space = SP_NONE;
	if (words_take(&w, "warp")) {
		words_take(&w, "sync");
		if (!words_end(&w))
			return false;
		return p->nop != 1 ? build_wrong_count(b, 1, 1) : EMIT(b, OP_BAR_WARP_SYNC, NULL, &o[0]);
	}
	if (words_take(&w, "cluster"))
		return cluster_barrier(b, &w);
	words_take(&w, "cta");
	if (mnemonic_is(b->mn, "barrier"))
		words_take(&w, "aligned");
	if (words_take(&w, "sync")) {
		if (!words_end(&w))
			return false;
		if (p->nop < 1 || p->nop > 2)
			return build_wrong_count(b, 1, 2);
		return barrier_numbers_ok(b, &o[0], p->nop > 1 ? &o[1] : &family_zero) &&
		       EMIT(b, OP_BAR_SYNC, NULL, &o[0], p->nop > 1 ? &o[1] : &family_zero);
	}
	if (words_take(&w, "arrive")) {
		if (!words_end(&w))
			return false;
		if (p->nop != 2)
			return build_wrong_count(b, 2, 2);
		return barrier_numbers_ok(b, &o[0], &o[1]) && EMIT(b, OP_BAR_ARRIVE, NULL, &o[0], &o[1]);
	}
	if (words_take(&w, "red")) {
		unsigned how = WORDS_ANY(&w, "popc", "and", "or");
		static const enum op row[] = { OP_BAR_RED_POPC, OP_BAR_RED_AND, OP_BAR_RED_OR };

		if (!how || !words_take(&w, how == 1 ? "u32" : "pred"))
			return words_missing(&w, ".popc.u32, .and.pred or .or.pred");
		if (!words_end(&w))
			return false;
		if (p->nop < 3 || p->nop > 4)
			return build_wrong_count(b, 3, 4);
		return barrier_numbers_ok(b, &o[1], p->nop > 3 ? &o[2] : &family_zero) &&
		       EMIT(b, row[how - 1], &o[0], &o[1], p->nop > 3 ? &o[2] : &family_zero, &o[p->nop - 1]);
	}
	return words_missing(&w, ".sync, .arrive or .red");
}

/* ---- fences ---- */
static bool fence(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	bool operands = false;
	unsigned scope = 0; /* 1: .cta */
	struct mnemonic mn = *b->mn;
	struct build x = *b;

	b->space = SP_NONE;
	if (mnemonic_is(b->mn, "membar")) {
		if (words_take(&w, "proxy") ? !words_take(&w, "alias") : !(scope = WORDS_ANY(&w, "cta", "gl", "sys")))
			return words_missing(&w, "a level: .cta, .gl or .sys");
	} else if (words_take(&w, "proxy")) {
		if (words_take(&w, "tensormap::generic")) {
			operands = words_take(&w, "acquire");
			if (!operands && !words_take(&w, "release"))
				return words_missing(&w, ".acquire or .release");
			WORDS_ANY(&w, "cta", "cluster", "gpu", "sys");
		} else if (words_take(&w, "async::generic")) {
			WORDS_ANY(&w, "acquire", "release");
			WORDS_ANY(&w, "sync_restrict::shared::cluster", "sync_restrict::shared::cta");
			words_take(&w, "cluster");
		} else if (words_take(&w, "async")) {
			WORDS_ANY(&w, "global", "shared::cta", "shared::cluster");
		} else {
			words_take(&w, "alias");
		}
	} else if (words_take(&w, "mbarrier_init")) {
		words_take(&w, "release");
		words_take(&w, "cluster");
	} else {
		WORDS_ANY(&w, "sc", "acq_rel", "acquire", "release");
		WORDS_ANY(&w, "sync_restrict::shared::cluster", "sync_restrict::shared::cta");
		scope = WORDS_ANY(&w, "cta", "cluster", "gpu", "sys");
		if (!scope)
			return words_missing(&w, "a scope: .cta, .cluster, .gpu or .sys");
	}
	if (!words_end(&w))
		return false;
	if (p->nop != (operands ? 2 : 0))
		return build_wrong_count(b, operands ? 2 : 0, operands ? 2 : 0);
	mn.mods |= scope == 1 ? MOD_CTA : 0u;
	x.mn = &mn;
	x.space = SP_NONE;
	return family_emit(&x, OP_MEMBAR, NULL, NULL, 0);
}

/* ---- mbarrier objects ---- */
static bool mbarrier(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op;
	unsigned op = WORDS_ANY(&w, "init", "inval", "complete_tx", "arrive", "arrive_drop", "test_wait", "try_wait",
				"pending_count", "expect_tx");
	bool arrives = op == 4 || op == 5, expect = arrives && words_take(&w, "expect_tx"),
	     no_complete = arrives && words_take(&w, "noComplete");
	bool parity = (op == 6 || op == 7) && words_take(&w, "parity");
	enum op row;

	words_order(&w);
	words_space(&w);
	words_take(&w, "b64");
	if (!words_end(&w))
		return false;
	switch (op) {
	case 1:
	case 3:
	case 9:
		if (p->nop != 2)
			return build_wrong_count(b, 2, 2);
		if (op == 1)
			return EMIT(b, OP_MBARRIER_INIT, NULL, &o[0], &o[1]);
		return EMIT(b, op == 9 ? OP_MBARRIER_EXPECT_TX : OP_MBARRIER_COMPLETE_TX, NULL, &o[0], &o[1]);
	case 2:
		if (p->nop != 1)
			return build_wrong_count(b, 1, 1);
		return EMIT(b, OP_MBARRIER_INVAL, NULL, &o[0], &family_zero);
	case 4:
	case 5:
		if (p->nop < (expect || no_complete ? 3 : 2) || p->nop > 3)
			return build_wrong_count(b, expect || no_complete ? 3 : 2, 3);
		row = op == 4 ? OP_MBARRIER_ARRIVE : OP_MBARRIER_DROP;
		if (expect)
			row = op == 4 ? OP_MBARRIER_ARRIVE_EXPECT_TX : OP_MBARRIER_DROP_EXPECT_TX;
		else if (no_complete)
			row = op == 4 ? OP_MBARRIER_ARRIVE_NOCOMPLETE : OP_MBARRIER_DROP_NOCOMPLETE;
		return EMIT(b, row, &o[0], &o[1], p->nop > 2 ? &o[2] : &family_one);
	case 6:
	case 7: /* the hint how long to wait asks for nothing: try_wait does not suspend */
		if (p->nop < 3 || p->nop > (op == 7 ? 4 : 3))
			return build_wrong_count(b, 3, op == 7 ? 4 : 3);
		return EMIT(b, parity ? OP_MBARRIER_WAIT_PARITY : OP_MBARRIER_WAIT, &o[0], &o[1], &o[2]);
	case 8:
		b->space = SP_NONE;
		return p->nop != 2 ? build_wrong_count(b, 2, 2) : EMIT(b, OP_MBARRIER_PENDING_COUNT, &o[0], &o[1]);
	default:
		return words_missing(&w, "an operation on the mbarrier object");
	}
}

/* ---- hints ---- */
static bool hint(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand at, *o = p->op;
	const bool discard = mnemonic_is(b->mn, "discard");
	bool is_prefetch = mnemonic_is(b->mn, "prefetch") || mnemonic_is(b->mn, "prefetchu"), known;
	const char *want = discard ? ".L2" : ".L2::evict_normal";
	const enum op row = discard ? OP_DISCARD : OP_APPLYPRIORITY;
	enum space space;

	if (words_take(&w, "global"))
		space = SP_GLOBAL;
	else
		space = is_prefetch && words_take(&w, "local") ? SP_LOCAL : SP_GENERIC;
	if (is_prefetch)
		known = WORDS_ANY(&w, "L1", "L2", "L2::evict_last", "L2::evict_normal");
	else
		known = discard ? words_take(&w, "L2") : words_take(&w, "L2::evict_normal");
	if (!known)
		return words_missing(&w, is_prefetch ? ".L1, .L2 or .L2 with a priority" : want);
	if (!words_end(&w))
		return false;
	if (p->nop != (is_prefetch ? 1 : 2))
		return build_wrong_count(b, is_prefetch ? 1 : 2, is_prefetch ? 1 : 2);
	if (!is_prefetch && (o[1].kind != O_CONST || o[1].k.i != 128))
		return parse_error(p, o[1].off, "'%s' takes 128 bytes", b->mn->text);
	if (!family_address(b, &o[0], space, true, &at))
		return false;
	b->space = SP_NONE;
	return EMIT(b, is_prefetch ? OP_PREFETCH : row, NULL, &at);
}

/* A policy is opaque: ours is the text of the instruction in a few bits, so that it is the same everywhere. */
static bool create_policy(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op, policy = family_zero;
	unsigned form = WORDS_ANY(&w, "fractional", "range", "cvt"), primary = 0, secondary = 0;
	unsigned least, most;

	b->space = SP_NONE;
	if (form == 3) {
		words_take(&w, "L2");
	} else if (form) {
		if (form == 2)
			words_take(&w, "global");
		primary = WORDS_ANY(&w, "L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged");
		secondary = WORDS_ANY(&w, "L2::evict_first", "L2::evict_unchanged");
	}
	if (!form || (form < 3 && !primary))
		return words_missing(&w, ".fractional or .range with a priority, or .cvt");
	words_take(&w, "b64");
	if (!words_end(&w))
		return false;
	least = form == 2 ? 4 : 2;
	if (form == 1)
		least = 1;
	most = form == 2 ? 4 : 2;
	if (p->nop < least || p->nop > most)
		return build_wrong_count(b, least, most);
	if (form == 3)
		return EMIT(b, OP_MOV_B64, &o[0], &o[1]);
	policy.k.i =
		(uint64_t)0x1000 << 48 | (uint64_t)form << 40 | (uint64_t)primary << 32 | (uint64_t)secondary << 36;
	return EMIT(b, OP_MOV_B64, &o[0], &policy);
}

/* ---- addresses in a cluster ---- */
/* The operand in `bits`; a variable's address is a move of its own. */
static bool address_operand(struct build *b, const struct operand *o, unsigned bits, struct operand *out)
{
	struct parser *p = b->p;
	const bool wide = o->kind == O_REG ? type_info[o->type].bits == 64 : bits == 64;

	*out = *o;
	if (o->kind == O_SYM) {
		*out = family_register(ref_reg(ir_vreg(p->k, NULL, wide ? RC_64 : RC_32, bits)), wide ? TY_B64 : TY_B32,
				       o->off);
		if (!EMIT(b, wide ? OP_MOV_B64 : OP_MOV_B32, out, o))
			return false;
	}
	if (out->kind == O_REG && wide != (bits == 64))
		*out = family_register(
			build_convert(b, wide ? OP_CVT_U32_D : OP_CVT_U64_U32, wide ? RC_32 : RC_64, ref_reg(out->val)),
			wide ? TY_B32 : TY_B64, o->off);
	return true;
}

/* The type is that of the address; in shared::cluster it has 32 bits that count, elsewhere it is generic. */
static bool cluster_address(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op, at, to, own;
	const struct ref ctarank = { .kind = REF_SREG, .val = SREG_CLUSTER_CTARANK };
	bool rank = mnemonic_is(b->mn, "getctarank"), wide, shared = words_take(&w, "shared::cluster");
	unsigned type = WORDS_ANY(&w, "u32", "u64");

	if (!type)
		return words_missing(&w, "the type of the address, .u32 or .u64");
	if (!words_end(&w))
		return false;
	wide = type == 2;
	b->space = SP_NONE;
	if (p->nop != (rank ? 2 : 3))
		return build_wrong_count(b, rank ? 2 : 3, rank ? 2 : 3);
	if (o[1].kind == O_REG && type_info[o[1].type].bits != (wide ? 64 : 32))
		return parse_error(p, o[1].off, "this operand of '%s' is %s bits", b->mn->text, wide ? "64" : "32");
	if (!address_operand(b, &o[1], shared ? 32 : 64, &at))
		return false;
	own = family_register(build_convert(b, OP_MOV_B32, RC_32, ctarank), TY_B32, o->off);
	if (rank)
		return EMIT(b, shared ? OP_GETCTARANK_U32 : OP_GETCTARANK_U64, &o[0], &at, &own);
	if (shared != wide)
		return EMIT(b, shared ? OP_MAPA_U32 : OP_MAPA_U64, &o[0], &at, &o[2], &own);
	to = family_register(ref_reg(ir_vreg(p->k, NULL, wide ? RC_32 : RC_64, wide ? 32 : 64)), wide ? TY_B32 : TY_B64,
			     o->off);
	return EMIT(b, shared ? OP_MAPA_U32 : OP_MAPA_U64, &to, &at, &o[2], &own) &&
	       EMIT(b, wide ? OP_CVT_U64_U32 : OP_CVT_U32_D, &o[0], &to);
}

static bool is_space(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op, at;
	enum op row = op_find(b->mn->key, b->mn->key_len);

	b->space = SP_NONE;
	if (row == OP_COUNT) {
		WORDS_ANY(&w, "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param",
			  "param::entry");
		return w.last && !words_end(&w)
			       ? false
			       : words_missing(&w, "a state space: .global, .shared, .local, .const or .param");
	}
	if (p->nop != 2)
		return build_wrong_count(b, 2, 2);
	at = o[1];
	if (at.kind == O_REG && type_info[at.type].bits == 32 && type_info[at.type].kind != 'f')
		at = family_register(build_convert(b, OP_CVT_U64_U32, RC_64, ref_reg(at.val)), TY_B64, at.off);
	return EMIT(b, row, &o[0], &at);
}

/* atom.v4.f32 and the like: an atomic for each element, as the ISA has it; old values by way of fresh registers, for an
 * element's destination may be another's operand. */
bool sync_parse_vector_atomic(struct build *b)
{
	struct parser *p = b->p;
	struct mnemonic mn = *b->mn;
	const struct op_info *info = &op_info[mn.op];
	bool old = info->ndst != 0;
	struct operand *at = &p->op[old ? 1 : 0], *data = &p->op[old ? 2 : 1];
	unsigned vec = mn.vec;
	enum scalar_type bits_type;
	enum op bits_mov;
	struct operand result[ELEMENT_MAX], was = family_zero;
	enum reg_class rc = RC_32;

	if (p->nop != (old ? 3 : 2))
		return build_wrong_count(b, old ? 3 : 2, old ? 3 : 2);
	if (b->space != SP_GLOBAL && b->space != SP_GENERIC)
		return parse_error(p, mn.off, "'%s' takes .global or generic addresses", mn.text);
	if (old && (p->op[0].kind != O_VECTOR || p->op[0].n != vec))
		data = &p->op[0];
	if (data->kind != O_VECTOR || data->n != vec)
		return parse_error(p, data->off, "'%s' takes vectors of %u elements", mn.text, vec);
	if (info->mem_bytes * vec > 16)
		return parse_error(p, mn.off, "a vector of an atomic takes at most 16 bytes");
	if (at->kind != O_ADDRESS)
		return parse_error(p, at->off, "this operand of '%s' is an address in brackets", mn.text);
	mn.vec = 1;
	b->mn = &mn;
	bits_type = info->sig[0] == 'H' ? TY_B16 : TY_B32;
	bits_mov = info->sig[0] == 'H' ? OP_MOV_B16 : OP_MOV_B32;
	for (unsigned i = 0; i < vec; i++) {
		struct operand here = *at;

		here.addend += (int64_t)i * info->mem_bytes;
		if (old) {
			was = family_register(ref_reg(ir_vreg(p->k, NULL, rc, 32)),
					      info->sig[0] == 'F' ? TY_F32 : bits_type, p->op[0].elem[i].off);
			result[i] = was;
		}
		if (!EMIT(b, mn.op, old && p->op[0].elem[i].kind != O_SINK ? &was : NULL, &here, &data->elem[i]))
			return false;
	}
	b->space = SP_NONE;
	for (unsigned i = 0; old && i < vec; i++)
		if (p->op[0].elem[i].kind != O_SINK &&
		    !EMIT(b, info->sig[0] == 'F' ? OP_MOV_F32 : bits_mov, &p->op[0].elem[i], &result[i]))
			return false;
	return true;
}

bool (*sync_family(const struct mnemonic *mn))(struct build *b)
{
	static const struct {
		const char *base;
		bool (*parse)(struct build *b);
	} family[] = {
		{ "bar", barrier },
		{ "barrier", barrier },
		{ "membar", fence },
		{ "fence", fence },
		{ "mbarrier", mbarrier },
		{ "cp", sync_parse_copy },
		{ "prefetch", hint },
		{ "prefetchu", hint },
		{ "applypriority", hint },
		{ "discard", hint },
		{ "createpolicy", create_policy },
		{ "mapa", cluster_address },
		{ "getctarank", cluster_address },
		{ "isspacep", is_space },
	};

	if (mn->nparts > 1 && mn->part[1].len == 5 && memcmp(mn->part[1].s, "async", 5) == 0 &&
	    (mnemonic_is(mn, "st") || mnemonic_is(mn, "red")))
		return sync_parse_access;
	for (size_t i = 0; i < sizeof family / sizeof *family; i++)
		if (mnemonic_is(mn, family[i].base))
			return family[i].parse;
	return NULL;
}
