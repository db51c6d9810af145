/* Families whose operands do not follow a row's signature: barriers, fences, mbarrier objects, asynchronous copies, hints,
 * clusters. A cluster is one CTA, so shared::cluster is shared memory, the other CTA of mapa is this one, and asynchronous
 * operations happen where they are issued: what they promise is the earliest completion that the ISA allows. */
#include "insn.h"

#include <string.h>

/* ---- the parts of a mnemonic, taken one by one ---- */
struct words {
	struct build *b;
	uint32_t left;                  /* bit i: part[i] has not been taken */
	const char *asked[64];          /* the words that might have been there */
	unsigned nasked, last;          /* last: the part that was taken last */
};

static bool word_from(struct words *w, unsigned from, const char *text)
{
	const struct mnemonic *mn = w->b->mn;

	if (w->nasked < sizeof w->asked / sizeof *w->asked)
		w->asked[w->nasked++] = text;
	for (unsigned i = from; i < mn->nparts; i++)
		if (w->left >> i & 1 && strlen(text) == mn->part[i].len && memcmp(text, mn->part[i].s, mn->part[i].len) == 0) {
			w->left &= ~(1u << i);
			w->last = i;
			return true;
		}
	return false;
}

static bool word(struct words *w, const char *text) { return word_from(w, 1, text); }
static bool next_word(struct words *w, const char *text) { return word_from(w, w->last + 1, text); }      /* behind the last one */

/* Takes the first word of a list that is there: its index + 1; 0: none is. */
static unsigned any_word(struct words *w, const char *const text[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (word(w, text[i]))
			return i + 1;
	return 0;
}
#define ANY_WORD(w, ...) any_word((w), (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static struct words words_of(struct build *b)
{
	return (struct words){ .b = b, .left = ((uint32_t)1 << b->mn->nparts) - 2 };
}

static bool words_end(const struct words *w)
{
	const struct mnemonic *mn = w->b->mn;
	const char *s;
	uint32_t len;

	if (!w->left)
		return true;
	s = mn->part[__builtin_ctz(w->left)].s;
	len = mn->part[__builtin_ctz(w->left)].len;
	return parse_error(w->b->p, mn->off, "'%s' has no modifier '.%.*s'%s", mn->text, (int)(len > 100 ? 100 : len), s,
	                   suggest_word(w->b->p, s, len, w->asked, w->nasked));
}

/* A modifier that must be there is not; one that nobody took may be it, misspelt. */
static bool missing(const struct words *w, const char *what)
{
	const struct mnemonic *mn = w->b->mn;
	const char *near = "";

	for (unsigned i = 1; i < mn->nparts && !*near; i++)
		if (w->left >> i & 1)
			near = suggest_word(w->b->p, mn->part[i].s, mn->part[i].len, w->asked, w->nasked);
	return parse_error(w->b->p, mn->off, "'%s' needs %s%s", mn->text, what, near);
}

/* Order and scope: one warp instruction is done before the next begins, so none asks for more. */
static void take_order(struct words *w)
{
	if (ANY_WORD(w, "relaxed", "acquire", "release", "acq_rel"))
		ANY_WORD(w, "cta", "cluster", "gpu", "sys");
}

static void take_space(struct words *w)
{
	w->b->space = ANY_WORD(w, "shared", "shared::cta", "shared::cluster") ? SP_SHARED : SP_GENERIC;
}

static bool hint_operand(const struct build *b, const struct operand *o)
{
	if (o->kind == O_CONST || (o->kind == O_REG && type_info[o->type].bits == 64))
		return true;
	return parse_error(b->p, o->off, "the last operand of an instruction with .L2::cache_hint is a policy of 64 bits");
}

/* ---- emission ---- */
static const struct operand zero = { .kind = O_CONST, .n = 1 }, one = { .kind = O_CONST, .n = 1, .k = { .i = 1 } }, sink = { .kind = O_SINK };

/* Row OP, with its operands by the letters of its signature: DST (may be NULL) and N sources. */
static bool emit(struct build *b, enum op op, const struct operand *dst, const struct operand *const src[], unsigned n)
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
		x.dst[x.ndst++] = (struct use){ dst, op_info[op].sig[0], (uint8_t)use_letter_bits(op_info[op].sig[0]), false };
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
#define EMIT(b, op, dst, ...) \
	emit((b), (op), (dst), (const struct operand *const[]){ __VA_ARGS__ }, sizeof((const struct operand *const[]){ __VA_ARGS__ }) / sizeof(void *))

/* A register made by the reader, as an operand. */
static struct operand made(struct ref r, enum scalar_type type, uint32_t off)
{
	return (struct operand){ .kind = O_REG, .type = (uint8_t)type, .n = 1, .off = off, .val = r.val };
}

/* [a] as the value of its address, in 32 or 64 bits; the offset is added. Space SP_GENERIC or the one that variables need. */
static bool address_operand(struct build *b, const struct operand *o, enum space space, bool wide, struct operand *out)
{
	struct mnemonic mn = *b->mn;
	struct build x = *b;
	struct ref r;

	mn.op = OP_LD_U8;               /* any row with an address, for its rules */
	mn.vec = 1;
	x.mn = &mn;
	x.space = space;
	if (o->kind != O_ADDRESS || o->base == O_PARAM || o->base == O_CONST)
		return parse_error(b->p, o->off, "this operand of '%s' is an address in brackets", b->mn->text);
	if (!use_address(&x, o, &r))
		return false;
	if (r.kind == REF_SYM) {        /* its address, generic if the instruction's is */
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
	*out = made(r, wide ? TY_B64 : TY_B32, o->off);
	return true;
}

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
	bool arrive = word(w, "arrive");

	if (!arrive && !word(w, "wait"))
		return missing(w, ".arrive or .wait");
	if (arrive)
		ANY_WORD(w, "release", "relaxed");
	else
		word(w, "acquire");
	word(w, "aligned");
	if (!words_end(w))
		return false;
	if (b->p->nop)
		return build_wrong_count(b, 0, 0);
	return emit(b, arrive ? OP_BAR_CLUSTER_ARRIVE : OP_BAR_CLUSTER_WAIT, NULL, NULL, 0);
}

static bool barrier(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op;

	b->space = SP_NONE;
	if (word(&w, "warp")) {
		word(&w, "sync");
		return !words_end(&w) ? false : p->nop != 1 ? build_wrong_count(b, 1, 1) : EMIT(b, OP_BAR_WARP_SYNC, NULL, &o[0]);
	}
	if (word(&w, "cluster"))
		return cluster_barrier(b, &w);
	word(&w, "cta");
	if (mnemonic_is(b->mn, "barrier"))
		word(&w, "aligned");
	if (word(&w, "sync")) {
		if (!words_end(&w))
			return false;
		if (p->nop < 1 || p->nop > 2)
			return build_wrong_count(b, 1, 2);
		return barrier_numbers_ok(b, &o[0], p->nop > 1 ? &o[1] : &zero) &&
		       EMIT(b, OP_BAR_SYNC, NULL, &o[0], p->nop > 1 ? &o[1] : &zero);
	}
	if (word(&w, "arrive")) {
		if (!words_end(&w))
			return false;
		if (p->nop != 2)
			return build_wrong_count(b, 2, 2);
		return barrier_numbers_ok(b, &o[0], &o[1]) && EMIT(b, OP_BAR_ARRIVE, NULL, &o[0], &o[1]);
	}
	if (word(&w, "red")) {
		unsigned how = ANY_WORD(&w, "popc", "and", "or");
		static const enum op row[] = { OP_BAR_RED_POPC, OP_BAR_RED_AND, OP_BAR_RED_OR };

		if (!how || !word(&w, how == 1 ? "u32" : "pred"))
			return missing(&w, ".popc.u32, .and.pred or .or.pred");
		if (!words_end(&w))
			return false;
		if (p->nop < 3 || p->nop > 4)
			return build_wrong_count(b, 3, 4);
		return barrier_numbers_ok(b, &o[1], p->nop > 3 ? &o[2] : &zero) &&
		       EMIT(b, row[how - 1], &o[0], &o[1], p->nop > 3 ? &o[2] : &zero, &o[p->nop - 1]);
	}
	return missing(&w, ".sync, .arrive or .red");
}

/* ---- fences ---- */
static bool fence(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	bool operands = false;

	b->space = SP_NONE;
	if (mnemonic_is(b->mn, "membar")) {
		if (word(&w, "proxy") ? !word(&w, "alias") : !ANY_WORD(&w, "cta", "gl", "sys"))
			return missing(&w, "a level: .cta, .gl or .sys");
	} else if (word(&w, "proxy")) {
		if (word(&w, "tensormap::generic")) {
			operands = word(&w, "acquire");
			if (!operands && !word(&w, "release"))
				return missing(&w, ".acquire or .release");
			ANY_WORD(&w, "cta", "cluster", "gpu", "sys");
		} else if (word(&w, "async::generic")) {
			ANY_WORD(&w, "acquire", "release");
			ANY_WORD(&w, "sync_restrict::shared::cluster", "sync_restrict::shared::cta");
			word(&w, "cluster");
		} else if (word(&w, "async")) {
			ANY_WORD(&w, "global", "shared::cta", "shared::cluster");
		} else {
			word(&w, "alias");
		}
	} else if (word(&w, "mbarrier_init")) {
		word(&w, "release");
		word(&w, "cluster");
	} else {
		ANY_WORD(&w, "sc", "acq_rel", "acquire", "release");
		ANY_WORD(&w, "sync_restrict::shared::cluster", "sync_restrict::shared::cta");
		if (!ANY_WORD(&w, "cta", "cluster", "gpu", "sys"))
			return missing(&w, "a scope: .cta, .cluster, .gpu or .sys");
	}
	if (!words_end(&w))
		return false;
	if (p->nop != (operands ? 2 : 0))
		return build_wrong_count(b, operands ? 2 : 0, operands ? 2 : 0);
	return emit(b, OP_MEMBAR, NULL, NULL, 0);
}

/* ---- mbarrier objects ---- */
static bool mbarrier(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op;
	unsigned op = ANY_WORD(&w, "init", "inval", "complete_tx", "arrive", "arrive_drop", "test_wait", "try_wait", "pending_count", "expect_tx");
	bool arrives = op == 4 || op == 5, expect = arrives && word(&w, "expect_tx"), no_complete = arrives && word(&w, "noComplete");
	bool parity = (op == 6 || op == 7) && word(&w, "parity");

	take_order(&w);
	take_space(&w);
	word(&w, "b64");
	if (!words_end(&w))
		return false;
	switch (op) {
	case 1: case 3: case 9:
		if (p->nop != 2)
			return build_wrong_count(b, 2, 2);
		return EMIT(b, op == 1 ? OP_MBARRIER_INIT : op == 9 ? OP_MBARRIER_EXPECT_TX : OP_MBARRIER_COMPLETE_TX, NULL, &o[0], &o[1]);
	case 2:
		if (p->nop != 1)
			return build_wrong_count(b, 1, 1);
		return EMIT(b, OP_MBARRIER_INVAL, NULL, &o[0], &zero);
	case 4: case 5:
		if (p->nop < (expect || no_complete ? 3 : 2) || p->nop > 3)
			return build_wrong_count(b, expect || no_complete ? 3 : 2, 3);
		return EMIT(b, op == 4 ? expect ? OP_MBARRIER_ARRIVE_EXPECT_TX : no_complete ? OP_MBARRIER_ARRIVE_NOCOMPLETE : OP_MBARRIER_ARRIVE
		                       : expect ? OP_MBARRIER_DROP_EXPECT_TX : no_complete ? OP_MBARRIER_DROP_NOCOMPLETE : OP_MBARRIER_DROP,
		            &o[0], &o[1], p->nop > 2 ? &o[2] : &one);
	case 6: case 7:                 /* the hint how long to wait asks for nothing: try_wait does not suspend */
		if (p->nop < 3 || p->nop > (op == 7 ? 4 : 3))
			return build_wrong_count(b, 3, op == 7 ? 4 : 3);
		return EMIT(b, parity ? OP_MBARRIER_WAIT_PARITY : OP_MBARRIER_WAIT, &o[0], &o[1], &o[2]);
	case 8:
		b->space = SP_NONE;
		return p->nop != 2 ? build_wrong_count(b, 2, 2) : EMIT(b, OP_MBARRIER_PENDING_COUNT, &o[0], &o[1]);
	default:
		return missing(&w, "an operation on the mbarrier object");
	}
}

/* ---- cp.async ---- */
static bool copy(struct build *b, struct words *w)
{
	struct parser *p = b->p;
	struct operand *o = p->op, dst, src, left, bytes = zero;
	bool cg = word(w, "cg"), hint;
	unsigned n = p->nop;
	uint64_t size;

	if (!cg && !word(w, "ca"))
		return missing(w, ".ca or .cg");
	if (!ANY_WORD(w, "shared", "shared::cta") || !next_word(w, "global"))
		return missing(w, ".shared, then .global");
	hint = word(w, "L2::cache_hint");
	ANY_WORD(w, "L2::64B", "L2::128B", "L2::256B");
	if (!words_end(w))
		return false;
	if (n < 3u + hint || n > 4u + hint)
		return build_wrong_count(b, 3u + hint, 4u + hint);
	if (hint && !hint_operand(b, &o[--n]))
		return false;
	if (o[2].kind != O_CONST || o[2].k.is_float || (size = o[2].k.i, cg ? size != 16 : size != 4 && size != 8 && size != 16))
		return parse_error(p, o[2].off, cg ? "'cp.async.cg' copies 16 bytes" : "'cp.async.ca' copies 4, 8 or 16 bytes");
	bytes.k.i = size;
	left = bytes;
	if (n == 4 && o[3].kind == O_REG && type_info[o[3].type].kind == 'p') {  /* ignore-src: nothing is read */
		struct mnemonic mn = *b->mn;
		struct build x = *b;
		struct operand t = made(ref_reg(ir_vreg(p->k, NULL, RC_32, 32)), TY_B32, o[3].off);

		mn.op = OP_SELP_B32;
		x.mn = &mn;
		x.space = SP_NONE;
		x.guard = ref_none();
		if (!EMIT(&x, OP_SELP_B32, &t, &zero, &bytes, &o[3]))
			return false;
		left = t;
	} else if (n == 4) {
		left = o[3];
		if (left.kind == O_CONST && left.k.i > size)
			return parse_error(p, left.off, "the bytes to read are at most those to write, %llu", (unsigned long long)size);
	}
	if (!address_operand(b, &o[0], SP_SHARED, false, &dst) || !address_operand(b, &o[1], SP_GLOBAL, true, &src))
		return false;
	b->space = SP_GENERIC;          /* lines of one space and passes over the other */
	return EMIT(b, OP_CP_ASYNC, NULL, &dst, &src, &bytes, &left);
}

static bool bulk_copy(struct build *b, struct words *w)
{
	struct parser *p = b->p;
	struct operand *o = p->op, at[3];
	bool hint, prefetch = word(w, "prefetch"), to_cluster, group, multicast, from_global;
	unsigned n = p->nop;

	hint = word(w, "L2::cache_hint");
	if (prefetch) {
		if (!word(w, "L2") || !next_word(w, "global"))
			return missing(w, ".L2, then .global");
		if (!words_end(w))
			return false;
		if (n != 2u + hint)
			return build_wrong_count(b, 2u + hint, 2u + hint);
		if ((hint && !hint_operand(b, &o[2])) || !address_operand(b, &o[0], SP_GLOBAL, true, &at[0]))
			return false;
		b->space = SP_NONE;
		return EMIT(b, OP_PREFETCH, NULL, &at[0]);
	}
	group = word(w, "bulk_group");
	if (group) {
		if (!word(w, "global") || !next_word(w, "shared::cta"))
			return missing(w, ".global, then .shared::cta");
		if (!words_end(w))
			return false;
		if (n != 3u + hint)
			return build_wrong_count(b, 3u + hint, 3u + hint);
		if ((hint && !hint_operand(b, &o[3])) || !address_operand(b, &o[0], SP_GLOBAL, true, &at[0]) ||
		    !address_operand(b, &o[1], SP_SHARED, false, &at[1]))
			return false;
		b->space = SP_GENERIC;
		return EMIT(b, OP_CP_BULK_STORE, NULL, &at[0], &at[1], &o[2]);
	}
	to_cluster = word(w, "shared::cluster");
	if (!to_cluster && !word(w, "shared::cta"))
		return missing(w, "the space that it writes: .shared::cluster, .shared::cta or .global");
	from_global = next_word(w, "global");
	if (!from_global && (!to_cluster || !next_word(w, "shared::cta")))
		return missing(w, to_cluster ? "the space that it reads behind the one that it writes: .global or .shared::cta"
		                             : ".global behind .shared::cta");
	if (!word(w, "mbarrier::complete_tx::bytes"))
		return missing(w, ".mbarrier::complete_tx::bytes or .bulk_group");
	multicast = word(w, "multicast::cluster");      /* the one CTA of the cluster is this one */
	if (!words_end(w))
		return false;
	if (n != 4u + hint + multicast)
		return build_wrong_count(b, 4u + hint + multicast, 4u + hint + multicast);
	if ((hint && !hint_operand(b, &o[n - 1])) || !address_operand(b, &o[0], SP_SHARED, false, &at[0]) ||
	    !address_operand(b, &o[1], from_global ? SP_GLOBAL : SP_SHARED, from_global, &at[1]) ||
	    !address_operand(b, &o[3], SP_SHARED, false, &at[2]))
		return false;
	b->space = SP_GENERIC;
	return EMIT(b, from_global ? OP_CP_BULK_LOAD : OP_CP_BULK_SHARED, NULL, &at[0], &at[1], &o[2], &at[2]);
}

static bool async_copy(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	bool bulk, commit, wait;

	if (!word(&w, "async"))
		return missing(&w, ".async");
	bulk = word(&w, "bulk");
	commit = word(&w, "commit_group");
	wait = word(&w, "wait_group");
	if (commit || wait) {
		if (bulk && wait)
			word(&w, "read");
		b->space = SP_NONE;
		if (!words_end(&w))
			return false;
		if (p->nop != (wait ? 1 : 0))
			return build_wrong_count(b, wait ? 1 : 0, wait ? 1 : 0);
		if (wait && (p->op[0].kind != O_CONST || p->op[0].k.is_float))
			return parse_error(p, p->op[0].off, "'%s' takes a constant", b->mn->text);
		return commit ? emit(b, OP_CP_ASYNC_COMMIT, NULL, NULL, 0) : EMIT(b, OP_CP_ASYNC_WAIT, NULL, &p->op[0]);
	}
	if (!bulk && word(&w, "wait_all")) {
		b->space = SP_NONE;
		return !words_end(&w) ? false : p->nop ? build_wrong_count(b, 0, 0) : emit(b, OP_CP_ASYNC_WAIT_ALL, NULL, NULL, 0);
	}
	if (!bulk && word(&w, "mbarrier")) {
		bool noinc;

		word(&w, "arrive");
		noinc = word(&w, "noinc");
		take_space(&w);
		word(&w, "b64");
		if (!words_end(&w))
			return false;
		return p->nop != 1 ? build_wrong_count(b, 1, 1)
		                   : EMIT(b, noinc ? OP_CP_ASYNC_ARRIVE_NOINC : OP_CP_ASYNC_ARRIVE, NULL, &p->op[0], noinc ? &one : &zero);
	}
	return bulk ? bulk_copy(b, &w) : copy(b, &w);
}

/* ---- st.async, red.async: the access, then the mbarrier object counts its bytes ---- */
static bool async_access(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct mnemonic mn = *b->mn;
	struct build access = *b;
	bool st = mnemonic_is(b->mn, "st");
	struct operand bytes = zero;
	const char *op[] = { "add", "inc", "dec", "min", "max", "and", "or", "xor" };
	unsigned how = 0, vec;
	enum scalar_type type;
	char key[40];

	word(&w, "async");
	ANY_WORD(&w, "weak", "relaxed");
	ANY_WORD(&w, "cluster");
	if (!word(&w, "shared::cluster") || !word(&w, "mbarrier::complete_tx::bytes"))
		return missing(&w, ".shared::cluster and .mbarrier::complete_tx::bytes");
	if (!st && !(how = any_word(&w, op, sizeof op / sizeof *op)))
		return missing(&w, "an operation: .add, .inc, .dec, .min, .max, .and, .or or .xor");
	vec = st ? ANY_WORD(&w, "v2", "v4") * 2 : 0;
	vec = vec ? vec : 1;
	if (mn.ntypes != 1)
		return missing(&w, "one type");
	type = (enum scalar_type)mn.type[0];
	word(&w, type_info[type].text);
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
	if (mn.op == OP_COUNT || type_info[type].bits < 32 || (!st && (type_info[type].kind == 'f' || (type_info[type].bits == 64 && how != 1))))
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

/* ---- hints ---- */
static bool hint(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand at, *o = p->op;
	bool is_prefetch = mnemonic_is(b->mn, "prefetch") || mnemonic_is(b->mn, "prefetchu"), known;
	enum space space;

	space = word(&w, "global") ? SP_GLOBAL : is_prefetch && word(&w, "local") ? SP_LOCAL : SP_GENERIC;
	if (is_prefetch)
		known = ANY_WORD(&w, "L1", "L2", "L2::evict_last", "L2::evict_normal");
	else
		known = mnemonic_is(b->mn, "discard") ? word(&w, "L2") : word(&w, "L2::evict_normal");
	if (!known)
		return missing(&w, is_prefetch ? ".L1, .L2 or .L2 with a priority" : mnemonic_is(b->mn, "discard") ? ".L2" : ".L2::evict_normal");
	if (!words_end(&w))
		return false;
	if (p->nop != (is_prefetch ? 1 : 2))
		return build_wrong_count(b, is_prefetch ? 1 : 2, is_prefetch ? 1 : 2);
	if (!is_prefetch && (o[1].kind != O_CONST || o[1].k.i != 128))
		return parse_error(p, o[1].off, "'%s' takes 128 bytes", b->mn->text);
	if (!address_operand(b, &o[0], space, true, &at))
		return false;
	b->space = SP_NONE;
	return EMIT(b, is_prefetch ? OP_PREFETCH : mnemonic_is(b->mn, "discard") ? OP_DISCARD : OP_APPLYPRIORITY, NULL, &at);
}

/* A policy is opaque: ours is the text of the instruction in a few bits, so that it is the same everywhere. */
static bool create_policy(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op, policy = zero;
	unsigned form = ANY_WORD(&w, "fractional", "range", "cvt"), primary = 0, secondary = 0;
	unsigned least, most;

	b->space = SP_NONE;
	if (form == 3) {
		word(&w, "L2");
	} else if (form) {
		if (form == 2)
			word(&w, "global");
		primary = ANY_WORD(&w, "L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged");
		secondary = ANY_WORD(&w, "L2::evict_first", "L2::evict_unchanged");
	}
	if (!form || (form < 3 && !primary))
		return missing(&w, ".fractional or .range with a priority, or .cvt");
	word(&w, "b64");
	if (!words_end(&w))
		return false;
	least = form == 1 ? 1 : form == 2 ? 4 : 2;
	most = form == 2 ? 4 : 2;
	if (p->nop < least || p->nop > most)
		return build_wrong_count(b, least, most);
	if (form == 3)
		return EMIT(b, OP_MOV_B64, &o[0], &o[1]);
	policy.k.i = (uint64_t)0x1000 << 48 | (uint64_t)form << 40 | (uint64_t)primary << 32 | (uint64_t)secondary << 36;
	return EMIT(b, OP_MOV_B64, &o[0], &policy);
}

/* ---- clusters of one CTA ---- */
static bool cluster_address(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op;
	bool rank = mnemonic_is(b->mn, "getctarank"), wide, shared = word(&w, "shared::cluster");

	wide = ANY_WORD(&w, "u32", "u64") == 2;
	if (!words_end(&w))
		return false;
	b->space = shared ? SP_SHARED : SP_NONE;
	if (p->nop != (rank ? 2 : 3))
		return build_wrong_count(b, rank ? 2 : 3, rank ? 2 : 3);
	if (rank)
		return EMIT(b, OP_MOV_B32, &o[0], &zero);
	return EMIT(b, wide ? OP_MOV_B64 : OP_MOV_B32, &o[0], &o[1]);
}

static bool is_space(struct build *b)
{
	struct parser *p = b->p;
	struct words w = words_of(b);
	struct operand *o = p->op, at;
	enum op row = op_find(b->mn->key, b->mn->key_len);

	b->space = SP_NONE;
	if (row == OP_COUNT) {
		ANY_WORD(&w, "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry");
		return w.last && !words_end(&w) ? false : missing(&w, "a state space: .global, .shared, .local, .const or .param");
	}
	if (p->nop != 2)
		return build_wrong_count(b, 2, 2);
	at = o[1];
	if (at.kind == O_REG && type_info[at.type].bits == 32 && type_info[at.type].kind != 'f')
		at = made(build_convert(b, OP_CVT_U64_U32, RC_64, ref_reg(at.val)), TY_B64, at.off);
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
	struct operand result[ELEMENT_MAX], was = zero;
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
	for (unsigned i = 0; i < vec; i++) {
		struct operand here = *at;

		here.addend += (int64_t)i * info->mem_bytes;
		if (old) {
			was = made(ref_reg(ir_vreg(p->k, NULL, rc, 32)), info->sig[0] == 'F' ? TY_F32 : info->sig[0] == 'H' ? TY_B16 : TY_B32,
			           p->op[0].elem[i].off);
			result[i] = was;
		}
		if (!EMIT(b, mn.op, old && p->op[0].elem[i].kind != O_SINK ? &was : NULL, &here, &data->elem[i]))
			return false;
	}
	b->space = SP_NONE;
	for (unsigned i = 0; old && i < vec; i++)
		if (p->op[0].elem[i].kind != O_SINK &&
		    !EMIT(b, info->sig[0] == 'F' ? OP_MOV_F32 : info->sig[0] == 'H' ? OP_MOV_B16 : OP_MOV_B32, &p->op[0].elem[i], &result[i]))
			return false;
	return true;
}

bool (*sync_family(const struct mnemonic *mn))(struct build *b)
{
	static const struct { const char *base; bool (*parse)(struct build *b); } family[] = {
		{ "bar", barrier }, { "barrier", barrier }, { "membar", fence }, { "fence", fence }, { "mbarrier", mbarrier },
		{ "cp", async_copy }, { "prefetch", hint }, { "prefetchu", hint }, { "applypriority", hint }, { "discard", hint },
		{ "createpolicy", create_policy }, { "mapa", cluster_address }, { "getctarank", cluster_address },
		{ "isspacep", is_space },
	};

	if (mn->nparts > 1 && mn->part[1].len == 5 && memcmp(mn->part[1].s, "async", 5) == 0 && (mnemonic_is(mn, "st") || mnemonic_is(mn, "red")))
		return async_access;
	for (size_t i = 0; i < sizeof family / sizeof *family; i++)
		if (mnemonic_is(mn, family[i].base))
			return family[i].parse;
	return NULL;
}
