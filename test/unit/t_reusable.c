/* Which instructions may be reused, what an entry of the reuse buffer says of their operands, and how loads of
 * different times and CTAs go together: Figure 10 of Kim and Ro (HPCA 2018), line by line. */
#include "runtime-model/reuse/epoch.h"

#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"

#include <check.h>
#include <string.h>

static struct arena a;
static struct diag d;
static struct kernel *k;

static void setup(void)
{
	struct module *m;

	arena_init(&a);
	diag_init(&d, NULL);
	m = module_new(&a);
	m->address_bits = 64;
	k = kernel_new(m, "reusable");
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
}

static void teardown(void)
{
	diag_free(&d);
	arena_free(&a);
}

/* ---- opcodes ---- */
/* By the start of its mnemonic, what is said of an opcode, if not that it may be reused. The first that fits counts. */
static const struct {
	const char *start;
	enum reuse_why why;
} said[] = {
	{ "mbarrier.pending_count", REUSABLE }, /* arithmetic on a state in a register */
	{ "mbarrier.", REUSE_STORE },
	{ "atom.", REUSE_STORE },
	{ "red.", REUSE_STORE },
	{ "st.", REUSE_STORE },
	{ "sust.", REUSE_STORE },
	{ "sured.", REUSE_STORE },
	{ "wmma.store.", REUSE_STORE },
	{ "stmatrix.", REUSE_STORE },
	{ "cp.async.commit_group", REUSE_CONTROL },
	{ "cp.async.wait", REUSE_CONTROL },
	{ "cp.async.", REUSE_STORE },
	{ "suld.", REUSE_SURFACE },
	{ "shfl.", REUSE_CROSS },
	{ "vote.", REUSE_CROSS },
	{ "match.", REUSE_CROSS },
	{ "redux.", REUSE_CROSS },
	{ "sass.spread.", REUSE_CROSS },
	{ "sass.arrive.", REUSE_STORE },
	{ "elect.", REUSE_CROSS },
	{ "activemask", REUSE_CROSS },
	{ "wmma.", REUSE_CROSS },
	{ "mma.", REUSE_CROSS },
	{ "ldmatrix.", REUSE_CROSS },
	{ "movmatrix.", REUSE_CROSS },
	{ "bra", REUSE_CONTROL },
	{ "ret", REUSE_CONTROL },
	{ "exit", REUSE_CONTROL },
	{ "trap", REUSE_CONTROL },
	{ "bar.", REUSE_CONTROL },
	{ "barrier.", REUSE_CONTROL },
	{ "call", REUSE_CONTROL },
	{ "host.", REUSE_CONTROL },
	{ "brx", REUSE_CONTROL },
	{ "membar", REUSE_CONTROL },
	{ "nanosleep", REUSE_CONTROL },
	{ "prefetch", REUSE_CONTROL },
	{ "applypriority", REUSE_CONTROL },
	{ "discard", REUSE_CONTROL },
	{ "griddepcontrol", REUSE_CONTROL },
	{ "setmaxnreg", REUSE_CONTROL },
	{ "pmevent", REUSE_CONTROL },
	{ "brkpt", REUSE_CONTROL },
	{ "regmutex.", REUSE_CONTROL },
};

/* What may be reused, by the first word of the mnemonic: a new kind of instruction is put here, or above, by
 * somebody. */
static const char reusable[] = " abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt cvta div dp2a dp4a "
			       "ex2 fma fns getctarank isspacep istypep ld lg2 lop3 mad mad24 madc mapa max"
			       " mbarrier min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp setp shf shl "
			       "sass shr sin slct sqrt sub subc suq szext tanh testp tex"
			       " tld4 txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 "
			       "vmax4 vmin vmin2 vmin4 vset vset2 vset4 vshl vshr"
			       " vsub vsub2 vsub4 xor ";

START_TEST(every_opcode_is_classed_on_purpose)
{
	bool met[sizeof reusable] = { 0 }; /* by where a word begins */

	for (unsigned op = 0; op < OP_COUNT; op++) {
		const char *text = op_info[op].text;
		char word[24] = " ";
		enum reuse_why why = REUSABLE;
		bool found = false;

		if (op_info[op].flags & OPF_NATIVE) /* is not executed */
			continue;
		for (size_t s = 0; !found && s < sizeof said / sizeof *said; s++)
			if (strncmp(text, said[s].start, strlen(said[s].start)) == 0) {
				why = said[s].why;
				found = true;
			}
		ck_assert_msg(reuse_why_of_op((enum op)op) == why, "%s is classed as one that %s", text,
			      reuse_why_words[reuse_why_of_op((enum op)op)]);
		snprintf(word + 1, sizeof word - 2, "%.*s", (int)strcspn(text, ".|"), text);
		strcat(word, " ");
		ck_assert_msg(why != REUSABLE || strstr(reusable, word),
			      "%s may be reused, and the test does not say so", text);
		if (why == REUSABLE)
			met[strstr(reusable, word) - reusable] = true;
	}
	for (const char *w = reusable; w[1]; w = strchr(w + 1, ' '))
		ck_assert_msg(met[w - reusable], "nothing is called%.8s", w);
}
END_TEST

/* ---- operands ---- */
static struct ref reg(unsigned r) { return ref_reg(r); }
static struct ref imm(uint64_t v) { return ir_imm(k, v); }

static struct insn *put(enum op op, unsigned ndst, unsigned nsrc, const struct ref *operand)
{
	struct insn *i = ir_append(k, op, ndst, nsrc);

	memcpy(insn_dst(k, i), operand, (ndst + nsrc) * sizeof *operand);
	return i;
}
#define PUT(op, ndst, ...) \
	put(op, ndst, sizeof(struct ref[]){ __VA_ARGS__ } / sizeof(struct ref) - (ndst), (struct ref[]){ __VA_ARGS__ })

static const struct reuse_insn *decoded(unsigned bits, unsigned n) { return &reuse_decode(k, bits, 10, &a).insn[n]; }

#define FIELDS(i, ...)                                                       \
	do {                                                                 \
		const uint32_t want_[REUSE_FIELDS] = { __VA_ARGS__ };        \
		for (unsigned f_ = 0; f_ < REUSE_FIELDS; f_++)               \
			ck_assert_uint_eq((i)->field[f_].number, want_[f_]); \
	} while (0)

START_TEST(fields_name_registers_pairs_and_numbers)
{
	const struct reuse_insn *i;

	PUT(OP_ADD_S32, 1, reg(4), reg(9), reg(7));
	PUT(OP_ADD_S32, 1, reg(4), reg(9), reg(9));
	PUT(OP_ADD_S32, 1, reg(4), reg(9), imm(511));
	PUT(OP_ADD_S32, 1, reg(4), reg(9), imm(512));
	PUT(OP_ADD_S32, 1, reg(4), reg(9), imm((uint64_t)-512));
	PUT(OP_MOV_B32, 1, reg(4), imm(1u << 29));
	PUT(OP_ADD_S64, 1, reg(4), reg(8), imm((uint64_t)-3));
	PUT(OP_MAD_WIDE_S32, 1, reg(4), reg(8), reg(9), reg(10));
	PUT(OP_ADD_S32, 1, reg(4), reg(9), ref_const(0, 0x24));
	PUT(OP_FMA_F32, 1, reg(4), reg(9), reg(7), imm(0x3f800000));
	PUT(OP_MOV_B32, 1, reg(4), reg(MREG_RZ));
	/* the paper's fields: 10 bits */
	i = decoded(10, 0);
	ck_assert(i->operation && i->ndst == 1);
	ck_assert(i->field[0].kind == FIELD_REGISTER && i->field[0].src[0] == 0 && i->field[1].kind == FIELD_REGISTER &&
		  i->field[1].src[0] == 1);
	ck_assert_int_eq(i->field[2].kind, FIELD_NONE);
	i = decoded(10, 1);
	/* named twice, in uop.src once */
	ck_assert(i->field[1].kind == FIELD_REGISTER && i->field[1].src[0] == 0);
	FIELDS(decoded(10, 2), 0, 511);
	FIELDS(decoded(10, 3), 0, 512, 0);
	FIELDS(decoded(10, 4), 0, 512);
	ck_assert_uint_eq(decoded(10, 2)->operation, decoded(10, 4)->operation);
	/* 512 in two fields is not -512 in one */
	ck_assert_uint_ne(decoded(10, 2)->operation, decoded(10, 3)->operation);
	ck_assert_int_eq(decoded(10, 5)->why, REUSE_OPERANDS); /* 31 bits with the sign */
	ck_assert_int_eq(decoded(10, 6)->why, REUSE_RESULTS);
	ck_assert_int_eq(decoded(10, 7)->why, REUSE_RESULTS);
	FIELDS(decoded(10, 8), 0, 0x24);
	ck_assert_int_eq(decoded(10, 9)->why, REUSE_OPERANDS);
	FIELDS(decoded(10, 10), 0);
	ck_assert(decoded(10, 10)->why == REUSABLE && decoded(10, 10)->field[0].kind == FIELD_NUMBER);
	/* ours: 32 */
	FIELDS(decoded(32, 5), 1u << 29);
	i = decoded(32, 6);
	ck_assert(i->why == REUSABLE && i->ndst == 2 && i->field[0].kind == FIELD_PAIR && i->field[0].src[0] == 0 &&
		  i->field[0].src[1] == 1);
	FIELDS(i, 0, 0xfffffffd);
	i = decoded(32, 7);
	ck_assert(i->why == REUSABLE && i->field[2].kind == FIELD_PAIR && i->field[2].src[0] == 2 &&
		  i->field[2].src[1] == 3);
	FIELDS(decoded(32, 9), 0, 0, 0x3f800000);
	/* no register fits */
	ck_assert_int_eq(reuse_decode(k, 10, 11, &a).insn[0].why, REUSE_OPERANDS);
}
END_TEST

START_TEST(an_operation_is_opcode_modifiers_and_forms)
{
	struct insn *i;
	const struct reuse_insn *r;

	PUT(OP_ADD_F32, 1, reg(4), reg(9), reg(7));     /* 0 */
	PUT(OP_ADD_F32, 1, reg(5), reg(1), reg(2));     /* 1: the same */
	i = PUT(OP_ADD_F32, 1, reg(5), reg(1), reg(2)); /* 2: guarded, the same */
	i->guard = reg(MREG_P0);
	i = PUT(OP_ADD_F32, 1, reg(5), reg(1), reg(2)); /* 3 */
	i->mods = MOD_FTZ;
	PUT(OP_ADD_F32, 1, reg(5), reg(1), imm(2));                     /* 4 */
	PUT(OP_SUB_F32, 1, reg(5), reg(1), reg(2));                     /* 5 */
	PUT(OP_LOP3_B32, 1, reg(5), reg(1), reg(2), reg(3), imm(0x96)); /* 6: the table says which function it is */
	PUT(OP_LOP3_B32, 1, reg(5), reg(1), reg(2), reg(3), imm(0xe8)); /* 7 */
	PUT(OP_LOP3_B32, 1, reg(6), reg(4), reg(2), reg(3), imm(0x96)); /* 8: as 6 */
	PUT(OP_UNPACK_B64, 2, reg(4), reg(5), reg(8));                  /* 9 */
	PUT(OP_UNPACK_B64, 2, reg(4), ref_none(), reg(8));              /* 10 */
	PUT(OP_UNPACK_B64, 2, ref_none(), reg(4), reg(8));              /* 11: its one result is another half */
	PUT(OP_ADD_S32, 1, reg(4), reg(9), ref_const(0, 0x24));         /* 12 */
	PUT(OP_ADD_S32, 1, reg(4), reg(9), ref_const(3, 0x24));         /* 13: another bank */
	i = PUT(OP_MOV_B32, 1, reg(4), reg(9));                         /* 14 */
	i = PUT(OP_MOV_B32, 1, reg(4), reg(9));                         /* 15: the same */
	i->mods = MOD_MOVED;
	r = reuse_decode(k, 32, 10, &a).insn;
	for (unsigned x = 0; x < 16; x++)
		ck_assert_int_eq(r[x].why, REUSABLE);
	ck_assert_uint_eq(r[0].operation, r[1].operation);
	ck_assert_uint_eq(r[0].operation, r[2].operation);
	ck_assert_uint_eq(r[6].operation, r[8].operation);
	ck_assert_uint_eq(r[14].operation, r[15].operation);
	for (unsigned x = 2; x < 15; x++)
		for (unsigned y = x + 1; y < 15; y++)
			if (!(x == 6 && y == 8))
				ck_assert_msg(r[x].operation != r[y].operation, "%u is %u", x, y);
	ck_assert_uint_eq(reuse_decode(k, 32, 10, &a).operations, 16 - 2 - 1 - 1);
	ck_assert_uint_eq(r[10].ndst, 1);
}
END_TEST

/* Where a warp is says nothing of another warp; how large grid, clusters and blocks are is one number for all. */
START_TEST(special_registers_that_all_warps_agree_on_have_entries)
{
	static const struct {
		enum sreg s;
		bool same;
	} of[] = {
		{ SREG_CTAID_Z, false },         { SREG_NCTAID_X, true },         { SREG_NTID_X, true },
		{ SREG_CLUSTERID_X, false },     { SREG_NCLUSTERID_X, true },     { SREG_CLUSTER_CTAID_X, false },
		{ SREG_CLUSTER_CTAID_Z, false }, { SREG_CLUSTER_NCTAID_X, true }, { SREG_CLUSTER_CTARANK, false },
		{ SREG_CLUSTER_NCTARANK, true },
	};
	const struct reuse_insn *r;

	for (unsigned n = 0; n < sizeof of / sizeof *of; n++)
		PUT(OP_MOV_B32, 1, reg(1), (struct ref){ .kind = REF_SREG, .val = of[n].s });
	r = reuse_decode(k, 32, 10, &a).insn;
	for (unsigned n = 0; n < sizeof of / sizeof *of; n++)
		ck_assert_msg(r[n].why == (of[n].same ? REUSABLE : REUSE_SPECIAL), "%s", sreg_name[of[n].s]);
}
END_TEST

START_TEST(what_has_no_entry_says_why)
{
	struct insn *i;
	const struct reuse_insn *r;

	PUT(OP_SETP_LT_S32, 1, reg(MREG_P0), reg(1), reg(2));      /* 0 */
	PUT(OP_SELP_B32, 1, reg(1), reg(2), reg(3), reg(MREG_P0)); /* 1 */
	/* 2: no predicate, a constant */
	PUT(OP_SELP_B32, 1, reg(1), reg(2), reg(3), reg(MREG_PT));
	PUT(OP_MOV_B32, 1, reg(1), (struct ref){ .kind = REF_SREG, .val = SREG_TID_X }); /* 3 */
	/* 4: each warp has the same */
	PUT(OP_MOV_B32, 1, reg(1), (struct ref){ .kind = REF_SREG, .val = SREG_LANEID });
	PUT(OP_MOV_B32, 1, reg(1), (struct ref){ .kind = REF_SREG, .val = SREG_CLOCK }); /* 5 */
	PUT(OP_BFI_B32, 1, reg(1), reg(2), reg(3), reg(4), reg(5));                      /* 6: four operands */
	PUT(OP_ADD_S32, 1, reg(MREG_RZ), reg(2), reg(3));                                /* 7 */
	i = PUT(OP_LD_B32, 1, reg(1), reg(2));                                           /* 8 */
	i->space = SP_LOCAL;
	i = PUT(OP_LD_B32, 1, reg(1), reg(2)); /* 9 */
	i->space = SP_GLOBAL, i->mods = MOD_VOLATILE;
	i = PUT(OP_LD_B32, 1, reg(1), reg(2)); /* 10 */
	i->space = SP_GLOBAL, i->cop = COP_CV;
	i = PUT(OP_LD_B32, 4, reg(4), reg(5), reg(6), reg(7), reg(2)); /* 11 */
	i->space = SP_GLOBAL, i->vec = 4;
	i = PUT(OP_LD_B32, 2, reg(4), reg(5), reg(2)); /* 12: two results have room */
	i->space = SP_GLOBAL, i->vec = 2;
	r = reuse_decode(k, 32, 10, &a).insn;
	ck_assert_int_eq(r[0].why, REUSE_PREDICATE);
	ck_assert_int_eq(r[1].why, REUSE_PREDICATE);
	ck_assert_int_eq(r[2].why, REUSABLE);
	ck_assert_int_eq(r[3].why, REUSE_SPECIAL);
	ck_assert_int_eq(r[4].why, REUSABLE);
	ck_assert_int_eq(r[5].why, REUSE_SPECIAL);
	ck_assert_int_eq(r[6].why, REUSE_OPERANDS);
	ck_assert_int_eq(r[7].why, REUSE_NO_RESULT);
	ck_assert_int_eq(r[8].why, REUSE_LOCAL);
	ck_assert_int_eq(r[9].why, REUSE_ORDERED);
	ck_assert_int_eq(r[10].why, REUSE_ORDERED);
	ck_assert_int_eq(r[11].why, REUSE_RESULTS);
	ck_assert_int_eq(r[12].why, REUSABLE);
	for (unsigned x = 0; x < 13; x++)
		ck_assert_msg((r[x].why == REUSABLE) == (r[x].operation != 0), "%u", x);
}
END_TEST

START_TEST(loads_say_where_from_and_how_far)
{
	static const struct {
		uint8_t space, cop;
		enum reuse_load load;
	} want[] = {
		{ SP_CONST, 0, LOAD_CONSTANT }, { SP_PARAM, 0, LOAD_CONSTANT },        { SP_SHARED, 0, LOAD_SHARED },
		{ SP_GLOBAL, 0, LOAD_GLOBAL },  { SP_GLOBAL, COP_NC, LOAD_READ_ONLY }, { SP_GENERIC, 0, LOAD_GENERIC },
	};
	const unsigned n = sizeof want / sizeof *want;
	const struct reuse_insn *r;

	for (unsigned x = 0; x < 2 * n; x++) {
		struct insn *i = PUT(OP_LD_B32, 1, reg(1), reg(2));

		i->space = want[x % n].space;
		i->cop = want[x % n].cop;
		i->offset = x < n ? 0 : -16;
	}
	r = reuse_decode(k, 32, 10, &a).insn;
	for (unsigned x = 0; x < 2 * n; x++) {
		ck_assert_int_eq(r[x].why, REUSABLE);
		ck_assert_int_eq(r[x].load, want[x % n].load);
		ck_assert_int_eq(r[x].order, 0);
		FIELDS(&r[x], 0, x < n ? 0 : 0xfffffff0);
		for (unsigned y = 0; y < x; y++)
			ck_assert_uint_ne(r[x].operation, r[y].operation);
	}
}
END_TEST

START_TEST(order_follows_from_opcode_and_space)
{
	static const struct {
		enum op op;
		uint8_t space;
		uint32_t mods;
		unsigned order;
	} want[] = {
		{ OP_ST_B32, SP_SHARED, 0, ORDER_STORE_SHARED },
		{ OP_ST_B32, SP_GLOBAL, 0, ORDER_STORE_GLOBAL },
		{ OP_ST_B32, SP_GENERIC, 0, ORDER_STORE_SHARED | ORDER_STORE_GLOBAL },
		{ OP_ST_B32, SP_LOCAL, 0, 0 },
		{ OP_ATOM_ADD_U32, SP_SHARED, 0, ORDER_STORE_SHARED },
		{ OP_RED_ADD_U32, SP_GLOBAL, 0, ORDER_STORE_GLOBAL },
		{ OP_ATOM_ADD_U32, SP_GLOBAL, MOD_ACQUIRE | MOD_RELEASE,
		  ORDER_STORE_GLOBAL | ORDER_COUNT | ORDER_OTHERS },
		{ OP_LD_B32, SP_GLOBAL, MOD_ACQUIRE, ORDER_COUNT | ORDER_OTHERS },
		{ OP_LD_B32, SP_GLOBAL, MOD_VOLATILE, 0 },
		{ OP_ST_B32, SP_GLOBAL, MOD_RELEASE, ORDER_STORE_GLOBAL },
		{ OP_MEMBAR, SP_NONE, 0, ORDER_CLEAR | ORDER_COUNT | ORDER_OTHERS },
		{ OP_BAR_SYNC, SP_NONE, 0, ORDER_CLEAR },
		{ OP_BAR_RED_AND, SP_NONE, 0, ORDER_CLEAR },
		{ OP_BAR_ARRIVE, SP_NONE, 0, 0 },
		{ OP_BAR_CLUSTER_ARRIVE, SP_NONE, 0, 0 },
		{ OP_BAR_CLUSTER_WAIT, SP_NONE, 0, ORDER_CLEAR },
		{ OP_MBARRIER_ARRIVE, SP_SHARED, 0, ORDER_STORE_SHARED },
		{ OP_MBARRIER_WAIT, SP_SHARED, 0, ORDER_COUNT },
		{ OP_CP_ASYNC, SP_SHARED, 0, ORDER_STORE_SHARED },
		{ OP_CP_BULK_LOAD, SP_SHARED, 0, ORDER_STORE_SHARED },
		{ OP_CP_BULK_SHARED, SP_SHARED, 0, ORDER_STORE_SHARED },
		{ OP_CP_BULK_STORE, SP_GLOBAL, 0, ORDER_STORE_GLOBAL },
		{ OP_CP_ASYNC_WAIT_ALL, SP_NONE, 0, ORDER_COUNT },
		{ OP_SUST_B_1D_B32, SP_NONE, 0, ORDER_STORE_GLOBAL },
		{ OP_STMATRIX_X1, SP_SHARED, 0, ORDER_STORE_SHARED },
		{ OP_BAR_WARP_SYNC, SP_NONE, 0, 0 },
		{ OP_ADD_S32, SP_NONE, 0, 0 },
		{ OP_GRIDDEPCONTROL, SP_NONE, 0, ORDER_CLEAR | ORDER_COUNT | ORDER_OTHERS },
		{ OP_PREFETCH, SP_GLOBAL, 0, 0 },
	};
	const unsigned n = sizeof want / sizeof *want;
	const struct reuse_insn *r;

	for (unsigned x = 0; x < n; x++) {
		struct insn *i = ir_append(k, want[x].op, op_info[want[x].op].ndst, op_info[want[x].op].nsrc);

		for (unsigned o = 0; o < i->ndst + (unsigned)i->nsrc; o++)
			k->opnd[i->opnd + o] = reg(MREG_RZ);
		i->space = want[x].space;
		i->mods = want[x].mods;
	}
	r = reuse_decode(k, 32, 10, &a).insn;
	for (unsigned x = 0; x < n; x++)
		ck_assert_msg(r[x].order == want[x].order, "%s: %x, not %x", op_info[want[x].op].text, r[x].order,
			      want[x].order);
}
END_TEST

/* ---- the order of memory ---- */
enum { LOADS = 16 };
/* a reuse buffer that forgets nothing, of loads from one address */
struct model {
	struct epoch *e;
	struct {
		enum reuse_load kind;
		struct epoch_load at;
	} entry[LOADS];
	unsigned n;
};

/* The load finds an entry (its number), or makes one (-1), or is not looked up (-2: its warp has stored, -3: counts are
 * used up). */
static int load(struct model *m, unsigned warp, enum reuse_load kind)
{
	struct epoch_load at;
	enum epoch_verdict v = epoch_load(m->e, warp, kind, &at);

	if (v != EPOCH_YES)
		return v == EPOCH_STORE ? -2 : -3;
	for (unsigned n = 0; n < m->n; n++)
		if (m->entry[n].kind == kind && m->entry[n].at.cta == at.cta && m->entry[n].at.count == at.count)
			return (int)n;
	ck_assert_uint_lt(m->n, LOADS);
	m->entry[m->n].kind = kind;
	m->entry[m->n++].at = at;
	return -1;
}

/* CTAs 0, 1, 2 of two warps: 0, 1; 2, 3; 4, 5. */
static struct model begin(unsigned bits)
{
	struct model m = { .e = epoch_new(6, bits, &a) };

	for (unsigned w = 0; w < 6; w++)
		epoch_warp_start(m.e, w, w & ~1u);
	return m;
}

/* TBID and WID as in the figure. Entries: i1 0, i3 1, i4 2, i6 3. */
START_TEST(figure_10)
{
	struct model m = begin(5);

	ck_assert_int_eq(load(&m, 0, LOAD_CONSTANT), -1); /* i1 */
	ck_assert_int_eq(load(&m, 2, LOAD_CONSTANT), 0);  /* i2 reuses i1 */
	ck_assert_int_eq(load(&m, 0, LOAD_SHARED), -1);   /* i3 */
	ck_assert_int_eq(load(&m, 2, LOAD_SHARED), -1);   /* i4 does not: the scratchpad of another block */
	ck_assert_int_eq(load(&m, 1, LOAD_SHARED), 1);    /* i5 reuses i3 */
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -1);   /* i6 */
	ck_assert_int_eq(load(&m, 2, LOAD_GLOBAL), 3);    /* i7 reuses i6 */
	epoch_issue(m.e, 0, ORDER_STORE_GLOBAL);          /* i8 */
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -2);   /* i9 does not: its warp has stored */
	ck_assert_int_eq(load(&m, 4, LOAD_GLOBAL), 3);    /* i10 reuses i6: i8 is invisible to it */
	ck_assert_int_eq(load(&m, 0, LOAD_SHARED), 1);    /* the other flag is clear */
	ck_assert_int_eq(load(&m, 0, LOAD_CONSTANT), 0);
	ck_assert_int_eq(load(&m, 0, LOAD_READ_ONLY), -1); /* nor has .nc flags */
}
END_TEST

START_TEST(flags_are_cleared_by_barriers_that_wait_and_by_fences)
{
	struct model m = begin(5);

	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -1);               /* entry 0, count 0 */
	epoch_issue(m.e, 0, ORDER_STORE_GLOBAL | ORDER_STORE_SHARED); /* generic */
	ck_assert_int_eq(load(&m, 0, LOAD_SHARED), -2);
	ck_assert_int_eq(load(&m, 0, LOAD_GENERIC), -2);
	epoch_issue(m.e, 0, 0); /* bar.arrive */
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -2);
	epoch_issue(m.e, 0, ORDER_CLEAR); /* bar.sync, any number of it: reached */
	epoch_issue(m.e, 1, ORDER_CLEAR);
	epoch_released(m.e, 0);
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -1); /* entry 1: count 1, so not entry 0 */
	ck_assert_int_eq(load(&m, 1, LOAD_GLOBAL), 1);
	ck_assert_int_eq(load(&m, 2, LOAD_GLOBAL), 0); /* CTA 1 has met no barrier */
	epoch_issue(m.e, 2, ORDER_CLEAR);
	epoch_issue(m.e, 3, ORDER_CLEAR);
	epoch_released(m.e, 2);
	ck_assert_int_eq(load(&m, 2, LOAD_GLOBAL), 1); /* equal counts */
	epoch_issue(m.e, 0, ORDER_STORE_SHARED);       /* an atomic, an asynchronous copy */
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), 1);
	ck_assert_int_eq(load(&m, 0, LOAD_GENERIC), -2); /* it may be shared */
	ck_assert_int_eq(load(&m, 1, LOAD_GENERIC), -1); /* entry 2, of CTA 0 */
	ck_assert_int_eq(load(&m, 2, LOAD_GENERIC), -1); /* not in CTA 1 */
}
END_TEST

/* CTA 1 reads; CTA 0 learns that it has, and writes; its barriers bring it to the count that the entry has. */
START_TEST(behind_a_fence_a_cta_is_on_its_own)
{
	struct model m = begin(5);

	epoch_issue(m.e, 2, ORDER_CLEAR);
	epoch_released(m.e, 2);
	ck_assert_int_eq(load(&m, 2, LOAD_GLOBAL), -1); /* entry 0: any CTA, count 1 */
	epoch_issue(m.e, 2, ORDER_CLEAR | ORDER_COUNT | ORDER_OTHERS);
	ck_assert_int_eq(load(&m, 2, LOAD_GLOBAL), -1); /* entry 1: CTA 1, count 2 */
	ck_assert_int_eq(load(&m, 3, LOAD_GLOBAL), 1);
	epoch_issue(m.e, 0, ORDER_COUNT | ORDER_OTHERS); /* ld.acquire */
	epoch_issue(m.e, 0, ORDER_STORE_GLOBAL);
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -2);
	ck_assert_int_eq(load(&m, 1, LOAD_GLOBAL), -1); /* count 1, and not entry 0 */
	epoch_issue(m.e, 0, ORDER_CLEAR);
	epoch_released(m.e, 0);
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -1); /* count 2, and not entry 1 */
	ck_assert_int_eq(load(&m, 4, LOAD_GLOBAL), -1); /* CTA 2: count 0 */
}
END_TEST

/* What one warp learns of others' stores by, its whole CTA goes behind. */
START_TEST(fences_acquires_and_waits_of_one_warp_are_counted_for_its_cta)
{
	/* fence, acquire, wait */
	static const unsigned order[] = { ORDER_CLEAR | ORDER_COUNT | ORDER_OTHERS, ORDER_COUNT | ORDER_OTHERS,
					  ORDER_COUNT };
	struct model m = begin(5);

	ck_assert_int_eq(load(&m, 0, LOAD_SHARED), -1); /* entry 0 */
	ck_assert_int_eq(load(&m, 1, LOAD_SHARED), 0);
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -1); /* entry 1 */
	epoch_issue(m.e, 1, order[_i]);
	ck_assert_int_eq(load(&m, 0, LOAD_SHARED), -1); /* entry 2 */
	ck_assert_int_eq(load(&m, 1, LOAD_SHARED), 2);
	ck_assert_int_eq(load(&m, 0, LOAD_GLOBAL), -1);
	ck_assert_int_eq(load(&m, 2, LOAD_GLOBAL), 1); /* another CTA */
}
END_TEST

START_TEST(a_used_up_count_ends_reuse_until_the_cta_does)
{
	struct model m = begin(2);

	for (unsigned n = 0; n < 3; n++) {
		ck_assert_int_eq(load(&m, 0, LOAD_SHARED), -1);
		ck_assert_int_eq(load(&m, 1, LOAD_SHARED), (int)n);
		epoch_released(m.e, 0);
	}
	for (unsigned n = 0; n < 3; n++) { /* 3, and it stays */
		ck_assert_int_eq(load(&m, 0, LOAD_SHARED), -3);
		ck_assert_int_eq(load(&m, 1, LOAD_GLOBAL), -3);
		ck_assert_int_eq(load(&m, 1, LOAD_READ_ONLY), n ? 3 : -1);
		epoch_released(m.e, 0);
	}
	ck_assert_int_eq(load(&m, 2, LOAD_SHARED), -1); /* another CTA */
	epoch_warp_start(m.e, 0, 0);                    /* a new one in the slot */
	epoch_warp_start(m.e, 1, 0);
	ck_assert_int_eq(load(&m, 1, LOAD_GLOBAL), -1);
}
END_TEST

Suite *suite_reusable(void);
Suite *suite_reusable(void)
{
	Suite *s = suite_create("reusable");
	TCase *t = tcase_create("reusable");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, every_opcode_is_classed_on_purpose);
	tcase_add_test(t, fields_name_registers_pairs_and_numbers);
	tcase_add_test(t, an_operation_is_opcode_modifiers_and_forms);
	tcase_add_test(t, special_registers_that_all_warps_agree_on_have_entries);
	tcase_add_test(t, what_has_no_entry_says_why);
	tcase_add_test(t, loads_say_where_from_and_how_far);
	tcase_add_test(t, order_follows_from_opcode_and_space);
	tcase_add_test(t, figure_10);
	tcase_add_test(t, flags_are_cleared_by_barriers_that_wait_and_by_fences);
	tcase_add_test(t, behind_a_fence_a_cta_is_on_its_own);
	tcase_add_loop_test(t, fences_acquires_and_waits_of_one_warp_are_counted_for_its_cta, 0, 3);
	tcase_add_test(t, a_used_up_count_ends_reuse_until_the_cta_does);
	suite_add_tcase(s, t);
	return s;
}
