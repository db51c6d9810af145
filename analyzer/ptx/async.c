/* Asynchronous copies and accesses: cp.async, cp.async.bulk, st.async, red.async. They happen where they are issued:
 * what they promise is the earliest completion that the ISA allows. */
#include "family.h"

#include <string.h>

/* ---- cp.async ---- */
static bool copy(struct build *b, struct words *w)
{
	struct parser *p = b->p;
	struct operand *o = p->op, dst, src, left, bytes = family_zero;
	bool cg = words_take(w, "cg"), hint;
	unsigned n = p->nop;
	uint64_t size;

	if (!cg && !words_take(w, "ca"))
		return words_missing(w, ".ca or .cg");
	if (!WORDS_ANY(w, "shared", "shared::cta") || !words_next(w, "global"))
		return words_missing(w, ".shared, then .global");
	hint = words_take(w, "L2::cache_hint");
	WORDS_ANY(w, "L2::64B", "L2::128B", "L2::256B");
	if (!words_end(w))
		return false;
	if (n < 3u + hint || n > 4u + hint)
		return build_wrong_count(b, 3u + hint, 4u + hint);
	if (hint && !family_policy(b, &o[--n]))
		return false;
	if (o[2].kind != O_CONST || o[2].k.is_float ||
	    (size = o[2].k.i, cg ? size != 16 : size != 4 && size != 8 && size != 16))
		return parse_error(p, o[2].off,
				   cg ? "'cp.async.cg' copies 16 bytes" : "'cp.async.ca' copies 4, 8 or 16 bytes");
	bytes.k.i = size;
	left = bytes;
	if (n == 4 && o[3].kind == O_REG && type_info[o[3].type].kind == 'p') { /* ignore-src: nothing is read */
		struct mnemonic mn = *b->mn;
		struct build x = *b;
		struct operand t = family_register(ref_reg(ir_vreg(p->k, NULL, RC_32, 32)), TY_B32, o[3].off);

		mn.op = OP_SELP_B32;
		x.mn = &mn;
		x.space = SP_NONE;
		x.guard = ref_none();
		if (!EMIT(&x, OP_SELP_B32, &t, &family_zero, &bytes, &o[3]))
			return false;
		left = t;
	} else if (n == 4) {
		left = o[3];
		if (left.kind == O_CONST && left.k.i > size)
			return parse_error(p, left.off, "the bytes to read are at most those to write, %llu",
					   (unsigned long long)size);
	}
	if (!family_address(b, &o[0], SP_SHARED, false, &dst) || !family_address(b, &o[1], SP_GLOBAL, true, &src))
		return false;
	b->space = SP_GENERIC; /* lines of one space and passes over the other */
	return EMIT(b, OP_CP_ASYNC, NULL, &dst, &src, &bytes, &left);
}

static bool bulk_copy(struct build *b, struct words *w)
{
	struct parser *p = b->p;
	struct operand *o = p->op, at[3];
	bool hint, prefetch = words_take(w, "prefetch"), to_cluster, group, multicast, from_global;
	unsigned n = p->nop;

	hint = words_take(w, "L2::cache_hint");
	if (prefetch) {
		if (!words_take(w, "L2") || !words_next(w, "global"))
			return words_missing(w, ".L2, then .global");
		if (!words_end(w))
			return false;
		if (n != 2u + hint)
			return build_wrong_count(b, 2u + hint, 2u + hint);
		if ((hint && !family_policy(b, &o[2])) || !family_address(b, &o[0], SP_GLOBAL, true, &at[0]))
			return false;
		b->space = SP_NONE;
		return EMIT(b, OP_PREFETCH, NULL, &at[0]);
	}
	group = words_take(w, "bulk_group");
	if (group) {
		if (!words_take(w, "global") || !words_next(w, "shared::cta"))
			return words_missing(w, ".global, then .shared::cta");
		if (!words_end(w))
			return false;
		if (n != 3u + hint)
			return build_wrong_count(b, 3u + hint, 3u + hint);
		if ((hint && !family_policy(b, &o[3])) || !family_address(b, &o[0], SP_GLOBAL, true, &at[0]) ||
		    !family_address(b, &o[1], SP_SHARED, false, &at[1]))
			return false;
		b->space = SP_GENERIC;
		return EMIT(b, OP_CP_BULK_STORE, NULL, &at[0], &at[1], &o[2]);
	}
	to_cluster = words_take(w, "shared::cluster");
	if (!to_cluster && !words_take(w, "shared::cta"))
		return words_missing(w, "the space that it writes: .shared::cluster, .shared::cta or .global");
	from_global = words_next(w, "global");
	if (!from_global && (!to_cluster || !words_next(w, "shared::cta")))
		return words_missing(
			w, to_cluster ? "the space that it reads behind the one that it writes: .global or .shared::cta"
				      : ".global behind .shared::cta");
	if (!words_take(w, "mbarrier::complete_tx::bytes"))
		return words_missing(w, ".mbarrier::complete_tx::bytes or .bulk_group");
	multicast = words_take(w, "multicast::cluster");
	if (!words_end(w))
		return false;
	if (n != 4u + hint + multicast)
		return build_wrong_count(b, 4u + hint + multicast, 4u + hint + multicast);
	if ((hint && !family_policy(b, &o[n - 1])) || !family_address(b, &o[0], SP_SHARED, false, &at[0]) ||
	    !family_address(b, &o[1], from_global ? SP_GLOBAL : SP_SHARED, from_global, &at[1]) ||
	    !family_address(b, &o[3], SP_SHARED, false, &at[2]))
		return false;
	b->space = SP_GENERIC;
	if (multicast && (!from_global || !to_cluster))
		return parse_error(p, b->mn->off, "'%s' copies from .global to .shared::cluster", b->mn->text);
	if (multicast && o[4].kind == O_REG && type_info[o[4].type].bits != 16)
		return parse_error(p, o[4].off, "the CTAs of '%s' are a mask of 16 bits", b->mn->text);
	if (multicast) {
		struct operand ctas = o[4],
			       both = family_register(ref_reg(ir_vreg(p->k, NULL, RC_64, 64)), TY_B64, o[3].off);

		if (ctas.kind == O_REG)
			ctas = family_register(build_convert(b, OP_CVT_U32_U16, RC_32, ref_reg(ctas.val)), TY_B32,
					       ctas.off);
		return EMIT(b, OP_PACK_B64, &both, &at[2], &ctas) &&
		       EMIT(b, OP_CP_BULK_MULTICAST, NULL, &at[0], &at[1], &o[2], &both);
	}
	return EMIT(b, from_global ? OP_CP_BULK_LOAD : OP_CP_BULK_SHARED, NULL, &at[0], &at[1], &o[2], &at[2]);
}

bool sync_parse_copy(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	bool bulk, commit, wait;

	if (!words_take(&w, "async"))
		return words_missing(&w, ".async");
	bulk = words_take(&w, "bulk");
	commit = words_take(&w, "commit_group");
	wait = words_take(&w, "wait_group");
	if (commit || wait) {
		if (bulk && wait)
			words_take(&w, "read");
		b->space = SP_NONE;
		if (!words_end(&w))
			return false;
		if (p->nop != (wait ? 1 : 0))
			return build_wrong_count(b, wait ? 1 : 0, wait ? 1 : 0);
		if (wait && (p->op[0].kind != O_CONST || p->op[0].k.is_float))
			return parse_error(p, p->op[0].off, "'%s' takes a constant", b->mn->text);
		return commit ? family_emit(b, OP_CP_ASYNC_COMMIT, NULL, NULL, 0)
			      : EMIT(b, OP_CP_ASYNC_WAIT, NULL, &p->op[0]);
	}
	if (!bulk && words_take(&w, "wait_all")) {
		b->space = SP_NONE;
		if (!words_end(&w))
			return false;
		return p->nop ? build_wrong_count(b, 0, 0) : family_emit(b, OP_CP_ASYNC_WAIT_ALL, NULL, NULL, 0);
	}
	if (!bulk && words_take(&w, "mbarrier")) {
		bool noinc;

		words_take(&w, "arrive");
		noinc = words_take(&w, "noinc");
		words_space(&w);
		words_take(&w, "b64");
		if (!words_end(&w))
			return false;
		if (p->nop != 1)
			return build_wrong_count(b, 1, 1);
		return EMIT(b, noinc ? OP_CP_ASYNC_ARRIVE_NOINC : OP_CP_ASYNC_ARRIVE, NULL, &p->op[0],
			    noinc ? &family_one : &family_zero);
	}
	return bulk ? bulk_copy(b, &w) : copy(b, &w);
}

/* ---- st.async, red.async: the access, then the mbarrier object counts its bytes ---- */
bool sync_parse_access(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct mnemonic mn = *b->mn;
	struct build access = *b;
	bool st = mnemonic_is(b->mn, "st");
	struct operand bytes = family_zero;
	const char *op[] = { "add", "inc", "dec", "min", "max", "and", "or", "xor" };
	unsigned how = 0, vec;
	enum scalar_type type;
	char key[40];

	words_take(&w, "async");
	WORDS_ANY(&w, "weak", "relaxed");
	WORDS_ANY(&w, "cluster");
	if (!words_take(&w, "shared::cluster") || !words_take(&w, "mbarrier::complete_tx::bytes"))
		return words_missing(&w, ".shared::cluster and .mbarrier::complete_tx::bytes");
	if (!st && !(how = words_any(&w, op, sizeof op / sizeof *op)))
		return words_missing(&w, "an operation: .add, .inc, .dec, .min, .max, .and, .or or .xor");
	vec = st ? WORDS_ANY(&w, "v2", "v4") * 2 : 0;
	vec = vec ? vec : 1;
	if (mn.ntypes != 1)
		return words_missing(&w, "one type");
	type = (enum scalar_type)mn.type[0];
	words_take(&w, type_info[type].text);
	if (!words_end(&w))
		return false;
	if (p->nop != 3)
		return build_wrong_count(b, 3, 3);
	mn.key_len = 0;
	strcpy(key, st ? "st." : "red.");
	if (!st)
		strcat(strcat(key, op[how - 1]), ".");
	strcat(key, type_info[type].text);
	mn.op = op_find(key, strlen(key));
	if (mn.op == OP_COUNT || type_info[type].bits < 32 ||
	    (!st && (type_info[type].kind == 'f' || (type_info[type].bits == 64 && how != 1))))
		return parse_error(p, b->mn->off, "'%s' does not take this type", b->mn->text);
	mn.vec = (uint8_t)vec;
	mn.cop = COP_DEFAULT;
	mn.mods = 0;
	access.mn = &mn;
	access.space = SP_SHARED;
	p->nop = 2;
	if (!build_by_row(&access))
		return false;
	bytes.k.i = type_info[type].bits / 8u * vec;
	b->space = SP_SHARED;
	return EMIT(b, OP_MBARRIER_COMPLETE_TX, NULL, &p->op[2], &bytes);
}
