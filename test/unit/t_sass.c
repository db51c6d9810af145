/* Machine code: the tables are sound, encoding gives back what decoding read, and the text is that of nvdisasm. */
#include "analyzer/base/rng.h"
#include "analyzer/sass/table.h"

#include <check.h>

static const unsigned sms[] = { 75, 80, 86, 89, 90, 100, 103, 110, 120, 121 };
enum { NSM = sizeof sms / sizeof *sms };

static const char *text(struct arena *a, unsigned sm, uint64_t lo, uint64_t hi, uint64_t pc)
{
	struct sass_insn i;
	struct sass_print how = { .pc = pc };

	ck_assert_msg(sass_decode(sm, (struct sass_word){ lo, hi }, &i), "sm_%u %016lx %016lx", sm, (unsigned long)lo,
		      (unsigned long)hi);
	ck_assert_msg(!i.unclaimed.lo && !i.unclaimed.hi, "sm_%u %s: unclaimed %lx %lx", sm,
		      sass_print(a, sm, &i, &how), (unsigned long)i.unclaimed.lo, (unsigned long)i.unclaimed.hi);
	struct sass_word w = sass_encode(sm, &i);
	ck_assert_msg(w.lo == lo && w.hi == hi, "sm_%u %s: encoded as %016lx %016lx", sm, sass_print(a, sm, &i, &how),
		      (unsigned long)w.lo, (unsigned long)w.hi);
	return sass_print(a, sm, &i, &how);
}

/* Encodings that ptxas makes, and what nvdisasm writes for them. */
static const struct {
	unsigned sm;
	uint64_t lo, hi, pc;
	const char *text;
} facts[] = {
#define FACT(sm, lo, hi, pc, text) { sm, UINT64_C(lo), UINT64_C(hi), pc, text },
#include "test/unit/sass_facts.def"
};

START_TEST(text_is_that_of_nvdisasm)
{
	struct arena a;

	arena_init(&a);
	ck_assert_str_eq(text(&a, facts[_i].sm, facts[_i].lo, facts[_i].hi, facts[_i].pc), facts[_i].text);
	arena_free(&a);
}
END_TEST

START_TEST(tables_have_no_mistake)
{
	const struct sass_table *t = sass_table();

	if (t->error)
		ck_abort_msg("%s", t->error);
	ck_assert_uint_gt(t->nrow, 700);
	for (unsigned m = 1; m < t->nmod; m++) /* ALSO stands below the row of its id */
		ck_assert(t->mod[m].first == m || t->mod[m].first == t->mod[m - 1].first);
}
END_TEST

/* A word that the row takes: random, with the bits that select the row set. */
static struct sass_word word_for(const struct sass_row *r, uint64_t *g)
{
	struct sass_word w = { rng_next(g), rng_next(g) };

	w.lo = (w.lo & ~r->match.mlo) | r->match.vlo;
	w.hi = (w.hi & ~r->match.mhi) | r->match.vhi;
	sass_put(&w, 0, 12, r->base | (unsigned)r->form << 9);
	sass_put(&w, 91, 1, r->ext);
	return w;
}

/* Every bit is either read by a field and written by it again, or reported. */
/* Whether a field or a modifier is there must not depend on a bit that encoding loses. */
START_TEST(conditions_are_about_bits_that_some_field_claims)
{
	const struct sass_table *t = sass_table();

	for (unsigned n = 0; n < t->nrow; n++) {
		const struct sass_row *r = &t->row[n];
		struct sass_word claimed = { r->claimed.lo | r->match.mlo, r->claimed.hi | r->match.mhi },
				 asked = { 0, 0 };

		for (unsigned f = 0; f < r->nfield; f++) {
			asked.lo |= t->field[r->field + f].cond.mlo;
			asked.hi |= t->field[r->field + f].cond.mhi;
		}
		for (unsigned m = 0; m < r->nmod; m++) {
			const struct sass_modref *ref = &t->ref[r->mod + m];

			for (unsigned c = 0; !ref->text && c < ref->count; c++) {
				const struct sass_mod *mod = &t->mod[ref->mod + c];

				if (mod->hi < r->lo || mod->lo > r->hi)
					continue;
				asked.lo |= mod->cond.mlo;
				asked.hi |= mod->cond.mhi;
				sass_put_bits(&claimed, &mod->bits, UINT64_MAX);
			}
		}
		ck_assert_msg(!(asked.lo & ~claimed.lo) && !(asked.hi & ~claimed.hi),
			      "%s %03x, form %u, sm_%u: bits %lx %lx", r->mnemonic, r->base, r->form, r->lo,
			      (unsigned long)(asked.hi & ~claimed.hi), (unsigned long)(asked.lo & ~claimed.lo));
	}
}
END_TEST

START_TEST(encoding_gives_back_every_claimed_bit)
{
	const struct sass_table *t = sass_table();
	uint64_t g = 7;

	for (unsigned n = 0; n < t->nrow; n++)
		for (unsigned k = 0; k < NSM; k++) {
			if (sms[k] < t->row[n].lo || sms[k] > t->row[n].hi)
				continue;
			struct sass_word w = word_for(&t->row[n], &g), e;
			struct sass_insn i;

			ck_assert(sass_decode(sms[k], w, &i));
			e = sass_encode(sms[k], &i);
			if (e.lo != (w.lo & ~i.unclaimed.lo) || e.hi != (w.hi & ~i.unclaimed.hi))
				ck_abort_msg("sm_%u %s form %u: %016lx %016lx became %016lx %016lx", sms[k],
					     i.row->mnemonic, i.row->form, (unsigned long)w.lo, (unsigned long)w.hi,
					     (unsigned long)e.lo, (unsigned long)e.hi);
			ck_assert_uint_lt(i.nmod, SASS_MODS);
		}
}
END_TEST

static struct sass_insn decoded(unsigned sm, uint64_t lo, uint64_t hi)
{
	struct sass_insn i;

	ck_assert(sass_decode(sm, (struct sass_word){ lo, hi }, &i));
	return i;
}

static const struct sass_operand *with_role(const struct sass_insn *i, unsigned role)
{
	for (unsigned k = 0; k < i->nop; k++)
		if (i->op[k].role == role)
			return &i->op[k];
	ck_abort_msg("%s has no operand of role %u", sass_mnemonic(i), role);
}

/* How many registers each operand names, by role: D A B C; '-': not looked at. */
static const struct {
	unsigned sm;
	uint64_t lo, hi;
	const char *n;
} widths[] = {
	/* IMAD.WIDE R2, R12, R3, c[][]: the constant is a pair, no registers */
	{ 75, 0x00005a000c027625, 0x000fd000078e0003, "211-" },
	{ 90, 0x0000000403057227, 0x000fc800078e0006, "1112" },  /* IMAD.HI R5, R3, R4, R6: c is a pair */
	{ 75, 0x0000000a06047223, 0x000fc80000000008, "1111" },  /* FFMA */
	{ 75, 0x000000040404722b, 0x00321e0000000004, "2222" },  /* DFMA */
	{ 80, 0x0000000e0c04723f, 0x020e260000000004, "4224" },  /* DMMA.884 */
	{ 90, 0x000000081008723f, 0x003fc00000003020, "8-88" },  /* DMMA.16x8x16: a has sixteen */
	{ 75, 0x0000002b0e08723c, 0x00321e0000001008, "4214" },  /* HMMA.1688.F32 */
	{ 80, 0x0000000008047981, 0x000ea2000c1e1d00, "42--" },  /* LDG.E.128 */
	{ 75, 0x00000001001f7305, 0x000e220000201000, "1-1-" },  /* F2I.U32 */
	{ 120, 0x0000000604047235, 0x000fc800078e0200, "222-" }, /* IADD.64 */
	{ 89, 0x000000060806727a, 0x003fc00000002c08, "4424" },  /* QMMA.16832.F32 */
	{ 80, 0x0000000608047237, 0x003fde0000005404, "2112" },  /* IMMA.8816 */
	{ 80, 0x0000000010087237, 0x044fe80000445408, "4214" },  /* IMMA.16816 */
	{ 80, 0x0000000c080c7237, 0x000fe20000444c04, "4424" },  /* IMMA.16832, s8 */
	{ 100, 0x0001160a08047237, 0x003fc00000405d04, "4224" }, /* IMMA.SP.16832, s8 */
	{ 100, 0x000000140804723c, 0x000fe20000081004, "4424" }, /* HMMA.1688, tf32: two in b */
	{ 86, 0x0000001c1608723c, 0x000fe60000085008, "4214" },  /* HMMA.1684, tf32 */
	/* HGMMA.64x8x16.F16: a in four uniform registers */
	{ 90, 0x00000000082479f0, 0x0000000008000024, "24-2" },
	{ 90, 0x40000000083079f0, 0x000000000c0008ff, "44--" }, /* HGMMA.64x8x16.F32 */
	/* RED.F16x2: one register, though bits 90:87 look like EXCH */
	{ 80, 0x000000160600798e, 0x0033de000c10e984, "-21-" },
	/* TEX.B.LL, 3D without .SCR: three coordinates, handle and lod */
	{ 75, 0x4800000c040e7361, 0x00321e00019e01ff, "132-" },
};

START_TEST(tuples_have_as_many_registers_as_the_modifiers_say)
{
	struct sass_insn i = decoded(widths[_i].sm, widths[_i].lo, widths[_i].hi);
	static const unsigned roles[] = { SROLE_D, SROLE_A, SROLE_B, SROLE_C };

	for (unsigned k = 0; k < 4; k++)
		if (widths[_i].n[k] != '-')
			ck_assert_msg(with_role(&i, roles[k])->n == (unsigned)(widths[_i].n[k] - '0'),
				      "%s: role %u has %u registers", sass_mnemonic(&i), roles[k],
				      with_role(&i, roles[k])->n);
}
END_TEST

/* Tuples whose length a field says: an instruction by its low 16 bits, the field by its lowest bit in the high half,
 * the operand by its role, and how many registers that has with values of the field from `first` on. Guard PT,
 * registers at multiples of four. sm_100. */
static const struct {
	const char *what;
	unsigned opcode;
	uint64_t lo, hi;
	unsigned at, role, first;
	uint8_t n[6];
} lengths[] = {
	{ "UTMALDG: shared address, mbarrier and coordinates, by dimensions",
	  0x75b4,
	  0x0404080000,
	  0,
	  79,
	  SROLE_B,
	  0,
	  { 3, 4, 5, 6, 7 } },
	{ "UTMALDG with a mask of CTAs", 0x73b4, 0x0404080000, 4, 79, SROLE_B, 0, { 3, 4, 5, 6, 7 } },
	{ "UTMASTG: shared address and coordinates", 0x73b5, 0x0404080000, 0, 79, SROLE_B, 0, { 2, 3, 4, 5, 6 } },
	{ "UTMAREDG: likewise", 0x73b6, 0x0404080000, 0, 79, SROLE_B, 0, { 2, 3, 4, 5, 6 } },
	{ "UTMAPF: coordinates", 0x75b8, 0x0404080000, 0, 79, SROLE_B, 0, { 1, 2, 3, 4, 5 } },
	{ "REDAS: the value, by type", 0x7dbe, 0x0400000408000000, 1, 73, SROLE_B, 0, { 1, 1, 2 } },
	{ "TEX of sm_100: lod or bias", 0x7f60, 0x2000040408000000, 0, 87, SROLE_B, 0, { 1, 1 } },
	{ "TEX of sm_100, with an offset", 0x7f60, 0x2100040408000000, 0, 87, SROLE_B, 0, { 1, 2 } },
	{ "TLD4: the component is no lod",
	  0x7f63,
	  0x2000040408000000,
	  UINT64_C(1) << (76 - 64),
	  87,
	  SROLE_B,
	  0,
	  { 1, 1, 1, 1 } },
	{ "FFMA2: a pair, a pair swapped, one register", 0x7249, 0x0000000408000000, 0, 81, SROLE_A, 0, { 2, 2, 1 } },
	{ "FFMA2: c", 0x7249, 0x0000000408000000, 8, 84, SROLE_C, 0, { 2, 2, 1 } },
	{ "FFMA2: b", 0x7249, 0x0000000408000000, 8, 87, SROLE_B, 0, { 2, 2, 1 } },
	{ "LDG.256: words of the first tuple that the mask names",
	  0x797e,
	  0x1e00000408000000,
	  1 << (75 - 64),
	  90,
	  SROLE_D,
	  0,
	  { 4 } },
	{ "UTMALDG: the tensor map's address", 0x75b4, 0x0404080000, 0, 79, SROLE_A, 0, { 2, 2, 2, 2, 2 } },
};

START_TEST(a_field_says_how_long_a_tuple_is)
{
	/* bit 91 belongs to the opcode: 1 but of 249 */
	const uint64_t ext = lengths[_i].opcode == 0x7249 ? 0 : UINT64_C(1) << (91 - 64);
	const unsigned bits = lengths[_i].opcode == 0x7249 ? 2 : 3;

	for (unsigned v = 0; lengths[_i].n[v]; v++) {
		struct sass_word w = { lengths[_i].lo | lengths[_i].opcode, lengths[_i].hi | ext };
		struct sass_insn i;

		sass_put(&w, lengths[_i].at, lengths[_i].at == 90 ? 1 : bits, lengths[_i].first + v);
		i = decoded(100, w.lo, w.hi);
		ck_assert_msg(with_role(&i, lengths[_i].role)->n == lengths[_i].n[v], "%s, %u: %u registers",
			      lengths[_i].what, lengths[_i].first + v, with_role(&i, lengths[_i].role)->n);
	}
}
END_TEST

/* What semantics.def says, of the mnemonics that the decoder has: each has a row, and they are in the order in which
 * they are sought. */
START_TEST(every_mnemonic_has_a_meaning)
{
	static const char *const row[] = {
#define SEM(mnemonic, name, how) #mnemonic,
#define FLOW(mnemonic) #mnemonic,
#define NOTHING(mnemonic) #mnemonic,
#define REFUSED(mnemonic, why) #mnemonic,
#include "analyzer/sass/semantics.def"
	};
	const unsigned n = sizeof row / sizeof *row;
	const struct sass_table *t = sass_table();

	for (unsigned r = 0; r + 1 < n; r++)
		ck_assert_msg(strcmp(row[r], row[r + 1]) < 0, "%s stands before %s", row[r], row[r + 1]);
	for (unsigned m = 0; m < t->nrow; m++) {
		bool found = false;

		for (unsigned r = 0; r < n && !found; r++)
			found = strcmp(row[r], t->row[m].mnemonic) == 0;
		ck_assert_msg(found, "%s has no row", t->row[m].mnemonic);
	}
	for (unsigned r = 0; r < n; r++) {
		bool found = false;

		for (unsigned m = 0; m < t->nrow && !found; m++)
			found = strcmp(row[r], t->row[m].mnemonic) == 0;
		ck_assert_msg(found, "%s is no mnemonic of insns.def", row[r]);
	}
}
END_TEST

/* SUST.P: a mask of components says how many are stored; in each of its three forms. */
START_TEST(a_formatted_store_reads_what_its_mask_says)
{
	static const unsigned opcode[] = { 0x7b9b, 0x7f9b, 0x799c };
	static const struct {
		unsigned mask, n;
	} of[] = { { 1, 1 }, { 3, 2 }, { 15, 4 }, { 7, 4 } };

	for (unsigned o = 0; o < 3; o++)
		for (unsigned m = 0; m < 4; m++) {
			const struct sass_insn i =
				decoded(80, 0x0000000408000000 | opcode[o],
					(uint64_t)(opcode[o] == 0x7f9b) << (91 - 64) | of[m].mask << (72 - 64));

			ck_assert_str_eq(sass_mnemonic(&i), "SUST");
			ck_assert_uint_eq(with_role(&i, SROLE_B)->n, of[m].n);
		}
}
END_TEST

/* A texture that a uniform register names: texture and sampler, a pair. */
START_TEST(a_texture_named_by_uniform_registers_reads_two)
{
	static const unsigned opcode[] = { 0x7f60, 0x7f63, 0x7f66, 0x7f6c, 0x7f6f };

	for (unsigned o = 0; o < sizeof opcode / sizeof *opcode; o++) {
		const struct sass_insn i = decoded(90, 0x0000080408000000 | opcode[o], UINT64_C(1) << (91 - 64));

		ck_assert_uint_eq(with_role(&i, SROLE_U)->kind, SASS_UGPR);
		ck_assert_uint_eq(with_role(&i, SROLE_U)->reg, 8);
		ck_assert_uint_eq(with_role(&i, SROLE_U)->n, 2);
	}
}
END_TEST

/* Fields whose meaning is not known, and slots that are not used and hold something: the instruction is not wholly
 * understood. */
START_TEST(what_is_not_understood_is_said)
{
	struct sass_insn i = decoded(75, 0x0000000302007223, 0x0000000000000004); /* FFMA */
	unsigned at = 0;

	ck_assert_ptr_null(sass_open(&i, &at));
	ck_assert_int_eq(sass_sure(&i), SURE_SEEN);
	/* IMAD, PT in the slot of a carry that it does not write */
	i = decoded(75, 0x0000000302007224, 0x00000000078e0004);
	at = 0;
	ck_assert_ptr_null(sass_open(&i, &at));
	i = decoded(75, 0x0000000302007224, 0x00000000078a0004); /* P5 there */
	at = 0;
	ck_assert_str_eq(sass_open(&i, &at), "rpd");
	at++;
	ck_assert_ptr_null(sass_open(&i, &at));
	i = decoded(90, 0x00000000ff0075a7, 0x000ea20008000046); /* SYNCS.PHASECHK */
	at = 0;
	ck_assert_str_eq(sass_open(&i, &at), "b70");
	i = decoded(75, 0x0000000304007203, 0); /* P2R with a mask in a register */
	ck_assert_int_eq(sass_sure(&i), SURE_DEDUCED);
}
END_TEST

/* 63 is URZ up to sm_90 and an ordinary uniform register from sm_100 on, where URZ is 255. */
START_TEST(uniform_registers_grew)
{
	struct sass_insn old = decoded(90, 0x0000000605057290, 0x000fd2000fffe03f),
			 now = decoded(100, 0x0000000605057290, 0x000fd2000fffe0ff),
			 ordinary = decoded(100, 0x0000000605057290, 0x000fd2000fffe03f);
	struct sass_word w;

	ck_assert_uint_eq(with_role(&old, SROLE_C)->reg, SASS_ZERO);
	ck_assert_uint_eq(with_role(&old, SROLE_C)->n, 0);
	ck_assert_uint_eq(with_role(&now, SROLE_C)->reg, SASS_ZERO);
	ck_assert_uint_eq(with_role(&ordinary, SROLE_C)->reg, 63);
	w = sass_encode(100, &old); /* what the fields say, in the layout asked for */
	ck_assert_uint_eq(w.hi & 0xff, 0xff);
}
END_TEST

START_TEST(branches_count_from_the_next_instruction)
{
	struct sass_insn i = decoded(75, 0xffffff6000000947, 0x000fea000383ffff);
	static const unsigned at[] = { 75, 89, 90, 120 };

	ck_assert(i.has_target && !i.target_absolute);
	ck_assert_int_eq(i.target, 0x4b0 - 0x540);
	for (unsigned k = 0; k < 4; k++)
		for (unsigned bit = 2; bit < 48; bit++)
			for (int sign = -1; sign <= 1; sign += 2) {
				struct sass_insn j = decoded(at[k], 0x0000000000000947, 0x000fea0003800000), back;

				j.target = sign * (INT64_C(1) << bit);
				ck_assert(sass_decode(at[k], sass_encode(at[k], &j), &back));
				ck_assert_int_eq(back.target, j.target);
			}
	i = decoded(75, 0x0000004000067945, 0x000fe20003800000);
	ck_assert_int_eq(i.target, 0x230 - 0x1e0);
	ck_assert_int_eq(sass_class(&i), SCLASS_BSSY);
	ck_assert_uint_eq(with_role(&i, SROLE_D)->kind, SASS_CBAR);
	ck_assert_uint_eq(with_role(&i, SROLE_D)->reg, 6);
}
END_TEST

START_TEST(fields_are_found_by_name)
{
	struct sass_insn i = decoded(80, 0x0000001002007981, 0x008ea8000c1e1900);

	ck_assert_int_eq(sass_mod(&i, "e"), 1);
	ck_assert_int_eq(sass_mod(&i, "desc"), 1);
	ck_assert_int_eq(sass_mod(&i, "x"), -1);
	ck_assert(sass_has(&i, "E"));
	ck_assert(!sass_has(&i, "CONSTANT"));
	ck_assert(!sass_has(&i, ""));
	ck_assert_int_eq(i.space, SSPACE_GLOBAL);
	ck_assert_int_eq(sass_class(&i), SCLASS_LOAD);
	ck_assert_uint_eq(with_role(&i, SROLE_A)->n, 2);
	ck_assert_uint_eq(with_role(&i, SROLE_U)->reg, 16);
}
END_TEST

/* R2P writes the predicates that its mask names, P2R reads them. */
/* USETMAXREG.TRY_ALLOC, DEALLOC; MOV. */
START_TEST(registers_are_taken_by_one_instruction_and_given_back_by_another)
{
	static const struct {
		struct sass_word w;
		unsigned n;
	} is[] = {
		{ { 0x00000038000079c8, 0x000e240008000600 }, 56 },
		{ { 0x00000018000079c8, 0x000e0000080e0500 }, 0 },
		{ { 0x0000003800007802, 0x000fe40000000f00 }, 0 },
	};

	for (unsigned n = 0; n < sizeof is / sizeof *is; n++) {
		struct sass_insn i;

		ck_assert(sass_decode(90, is[n].w, &i));
		ck_assert_uint_eq(sass_takes_registers(&i), is[n].n);
	}
}
END_TEST

START_TEST(sets_of_predicates_are_operands)
{
	struct sass_insn r2p = decoded(80, 0x0000000306007804, 0x000fe20000000000),
			 p2r = decoded(75, 0x00000040ff127803, 0x000fd00000000000);

	ck_assert_uint_eq(with_role(&r2p, SROLE_PREDS)->value, 3);
	ck_assert(with_role(&r2p, SROLE_PREDS)->write);
	ck_assert_uint_eq(with_role(&p2r, SROLE_PREDS)->value, 0x40);
	ck_assert(!with_role(&p2r, SROLE_PREDS)->write);
}
END_TEST

/* A bit that no field of the row has. */
START_TEST(bits_without_a_field_are_reported)
{
	/* S2R with bit 92 set */
	struct sass_insn i = decoded(75, 0x00000000000c7919, 0x000e220000002100 | 1u << 28);

	ck_assert_uint_eq(i.unclaimed.lo, 0);
	ck_assert_uint_eq(i.unclaimed.hi, 1u << 28);
}
END_TEST

START_TEST(control_fields_are_read_and_written)
{
	/* wait for barriers 0 and 5, set 2 on writing and 1 on reading, no yield, stall 11, reuse A and C */
	struct sass_word w = { 0x0000000302007223,
			       (uint64_t)(5 << 17 | 0x21 << 11 | 1 << 8 | 2 << 5 | 1 << 4 | 11) << 41 | 0x4 };
	struct control_code c = sass_control(w);
	char s[SASS_CONTROL_CHARS];

	ck_assert_uint_eq(c.stall, 11);
	ck_assert_uint_eq(c.yield, 1);
	ck_assert_uint_eq(c.wbar, 2);
	ck_assert_uint_eq(c.rbar, 1);
	ck_assert_uint_eq(c.wait, 0x21);
	ck_assert_uint_eq(c.reuse, 5);
	sass_print_control(s, c);
	ck_assert_str_eq(s, "[B0----5:R1:W2:-:S11]");
	sass_print_control(s, (struct control_code){ .wbar = 7, .rbar = 7, .stall = 1 });
	ck_assert_str_eq(s, "[B------:R-:W-:Y:S01]");
}
END_TEST

START_TEST(an_unknown_opcode_is_unknown_and_keeps_its_control)
{
	struct sass_insn i;
	struct sass_word w = { 0x00000000000079ff, 0x000fe20003800000 };

	ck_assert(!sass_decode(80, w, &i));
	ck_assert_ptr_null(i.row);
	ck_assert_int_eq(sass_class(&i), SCLASS_UNKNOWN);
	ck_assert_uint_eq(i.control.stall, 1);
	ck_assert_uint_eq(i.unclaimed.lo, w.lo);
	ck_assert(!sass_sm_known(70));
	ck_assert(sass_sm_known(120));
}
END_TEST

Suite *suite_sass(void);
Suite *suite_sass(void)
{
	Suite *s = suite_create("sass");
	TCase *t = tcase_create("sass");

	tcase_add_test(t, tables_have_no_mistake);
	tcase_add_test(t, every_mnemonic_has_a_meaning);
	tcase_add_test(t, conditions_are_about_bits_that_some_field_claims);
	tcase_add_test(t, encoding_gives_back_every_claimed_bit);
	tcase_add_test(t, control_fields_are_read_and_written);
	tcase_add_test(t, an_unknown_opcode_is_unknown_and_keeps_its_control);
	tcase_add_loop_test(t, tuples_have_as_many_registers_as_the_modifiers_say, 0,
			    (int)(sizeof widths / sizeof *widths));
	tcase_add_loop_test(t, a_field_says_how_long_a_tuple_is, 0, (int)(sizeof lengths / sizeof *lengths));
	tcase_add_test(t, a_formatted_store_reads_what_its_mask_says);
	tcase_add_test(t, a_texture_named_by_uniform_registers_reads_two);
	tcase_add_test(t, what_is_not_understood_is_said);
	tcase_add_test(t, uniform_registers_grew);
	tcase_add_test(t, branches_count_from_the_next_instruction);
	tcase_add_test(t, fields_are_found_by_name);
	tcase_add_test(t, registers_are_taken_by_one_instruction_and_given_back_by_another);
	tcase_add_test(t, sets_of_predicates_are_operands);
	tcase_add_test(t, bits_without_a_field_are_reported);
	tcase_add_loop_test(t, text_is_that_of_nvdisasm, 0, (int)(sizeof facts / sizeof *facts));
	suite_add_tcase(s, t);
	return s;
}
