/* What rows of insns.def, mods.def and widths.def are written in: their words as initialisers, checked by the compiler.
 * A name that there is not, bits that do not fit, a value too large for its bits and anything said twice do not
 * compile. For table.c. */
#ifndef REGLOOM_SASS_ROW_H
#define REGLOOM_SASS_ROW_H

#include "analyzer/sass/table.h"

/* 0; an error of the compiler if C is false. */
#define MUST(c) (0 * sizeof(struct { int must_hold : (c) ? 1 : -1; }))

/* M(x) for each of 1 to 16 further arguments. */
#define EACH(m, ...) EACH_OF(COUNT(__VA_ARGS__), m, __VA_ARGS__)
#define EACH_OF(n, m, ...) EACH_N(n, m, __VA_ARGS__)
#define EACH_N(n, m, ...) EACH_##n(m, __VA_ARGS__)
#define COUNT(...) COUNT_OF(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define COUNT_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count
#define EACH_1(m, x) m(x)
#define EACH_2(m, x, ...) m(x) EACH_1(m, __VA_ARGS__)
#define EACH_3(m, x, ...) m(x) EACH_2(m, __VA_ARGS__)
#define EACH_4(m, x, ...) m(x) EACH_3(m, __VA_ARGS__)
#define EACH_5(m, x, ...) m(x) EACH_4(m, __VA_ARGS__)
#define EACH_6(m, x, ...) m(x) EACH_5(m, __VA_ARGS__)
#define EACH_7(m, x, ...) m(x) EACH_6(m, __VA_ARGS__)
#define EACH_8(m, x, ...) m(x) EACH_7(m, __VA_ARGS__)
#define EACH_9(m, x, ...) m(x) EACH_8(m, __VA_ARGS__)
#define EACH_10(m, x, ...) m(x) EACH_9(m, __VA_ARGS__)
#define EACH_11(m, x, ...) m(x) EACH_10(m, __VA_ARGS__)
#define EACH_12(m, x, ...) m(x) EACH_11(m, __VA_ARGS__)
#define EACH_13(m, x, ...) m(x) EACH_12(m, __VA_ARGS__)
#define EACH_14(m, x, ...) m(x) EACH_13(m, __VA_ARGS__)
#define EACH_15(m, x, ...) m(x) EACH_14(m, __VA_ARGS__)
#define EACH_16(m, x, ...) m(x) EACH_15(m, __VA_ARGS__)

/* A range is written as in the manuals, 79:75, which is what ?: takes. */
#define HIGH(range) (1 ? range)
#define LOW(range) (0 ? range)
#define ONES(range) (~UINT64_C(0) >> (63 - (HIGH(range) - LOW(range))))
#define IN_A_WORD(range) (HIGH(range) / 64 == LOW(range) / 64 && HIGH(range) < 128)
#define IN_LOW_WORD(range, v) (LOW(range) < 64 ? (uint64_t)(v) << (LOW(range) & 63) : 0)
#define IN_HIGH_WORD(range, v) (LOW(range) < 64 ? 0 : (uint64_t)(v) << (LOW(range) & 63))

/* struct sass_bits, struct sass_cond */
#define PART(range) { LOW(range), HIGH(range) - LOW(range) + 1 + MUST(LOW(range) <= HIGH(range) && HIGH(range) < 128) },
#define BITS(...)                                               \
	{                                                       \
		COUNT(__VA_ARGS__), { EACH(PART, __VA_ARGS__) } \
	}
#define BIT(b) BITS(b : b)
#define ALWAYS             \
	{                  \
		0, 0, 0, 0 \
	}
#define WHEN(...)                                                                                                  \
	{                                                                                                          \
		EACH(MASK_LOW, __VA_ARGS__)                                                                        \
		0, EACH(MASK_HIGH, __VA_ARGS__) 0, EACH(VALUE_LOW, __VA_ARGS__) 0, EACH(VALUE_HIGH, __VA_ARGS__) 0 \
	}
#define MASK_LOW(test) MASK_LOW_##test |
#define MASK_LOW_ON(b) MASK_LOW_IS(b : b, 1)
#define MASK_LOW_OFF(b) MASK_LOW_IS(b : b, 0)
#define MASK_LOW_IS(range, v) IN_LOW_WORD(range, ONES(range))
#define MASK_HIGH(test) MASK_HIGH_##test |
#define MASK_HIGH_ON(b) MASK_HIGH_IS(b : b, 1)
#define MASK_HIGH_OFF(b) MASK_HIGH_IS(b : b, 0)
#define MASK_HIGH_IS(range, v) IN_HIGH_WORD(range, ONES(range))
#define VALUE_LOW(test) VALUE_LOW_##test |
#define VALUE_LOW_ON(b) VALUE_LOW_IS(b : b, 1)
#define VALUE_LOW_OFF(b) VALUE_LOW_IS(b : b, 0)
#define VALUE_LOW_IS(range, v) IN_LOW_WORD(range, (v) + MUST((v) <= ONES(range) && IN_A_WORD(range)))
#define VALUE_HIGH(test) VALUE_HIGH_##test |
#define VALUE_HIGH_ON(b) VALUE_HIGH_IS(b : b, 1)
#define VALUE_HIGH_OFF(b) VALUE_HIGH_IS(b : b, 0)
#define VALUE_HIGH_IS(range, v) IN_HIGH_WORD(range, v)

#define REGISTERS(bits) ((bits) / 32 + MUST((bits) % 32 == 0))

/* Operand forms: bits 11:9, x with a bindless constant, D deduced. */
enum { FORM_BITS = 7, FORM_BINDLESS = 8, FORM_DEDUCED = 16 };
#define FORM_NAMES(n) FORM_##n = n, FORM_##n##x = n | 8, FORM_D##n = n | 16, FORM_D##n##x = n | 8 | 16
enum { FORM_NAMES(1), FORM_NAMES(2), FORM_NAMES(3), FORM_NAMES(4), FORM_NAMES(5), FORM_NAMES(6), FORM_NAMES(7) };
#define FORMS(...) \
	(const uint8_t[]) { EACH(FORM_WORD, __VA_ARGS__) 0 }
#define FORM_WORD(form) FORM_##form,

enum { EXT_0, EXT_1, EXT_ANY, EXT_FORM };
enum { UNIFORM_P, UNIFORM_Q };

/* Names of operands: role, low bit where it stands if a row does not say it (0: none), bit of its negation. */
#define SASS_NAMES(N)        \
	N(d, D, 16, 0)       \
	N(f, F, 64, 0)       \
	N(pd, PD, 81, 0)     \
	N(pe, PE, 84, 0)     \
	N(a, A, 24, 0)       \
	N(b, B, 0, 0)        \
	N(c, C, 0, 0)        \
	N(e, E, 0, 0)        \
	N(u, U, 0, 0)        \
	N(v, V, 0, 0)        \
	N(pp, PP, 87, 90)    \
	N(pq, PQ, 77, 80)    \
	N(pr, PR, 68, 71)    \
	N(imm, NUM, 0, 0)    \
	N(imm2, IMM2, 0, 0)  \
	N(sh, SHIFT, 0, 0)   \
	N(lut, LUT, 0, 0)    \
	N(lut2, LUT2, 0, 0)  \
	N(bi, B, 0, 0)       \
	N(ci, C, 0, 0)       \
	N(bar, BAR, 0, 0)    \
	N(cnt, NUM, 0, 0)    \
	N(sb, BAR, 0, 0)     \
	N(swz, NUM, 0, 0)    \
	N(mask, NUM, 0, 0)   \
	N(num, NUM, 0, 0)    \
	N(dim, NUM, 0, 0)    \
	N(txq, NUM, 0, 0)    \
	N(sid, NUM, 0, 0)    \
	N(tid, NUM, 0, 0)    \
	N(gsb, BAR, 0, 0)    \
	N(target, NUM, 0, 0) \
	N(s, A, 72, 0)       \
	N(PR, PREDS, 32, 0)  \
	N(B16, D, 16, 0)     \
	N(B24, A, 24, 0)
#define NAME_ID(name, role, lo, neg) NAME_##name,
enum { SASS_NAMES(NAME_ID) NAMES };

struct operand_def {
	uint8_t name, kind; /* NAME_*; enum sass_kind or FIELD_* */
	uint8_t len;        /* bits, where only the lowest is said; 0: the row says them */
	uint8_t n;          /* registers; 0: 1 */
	uint8_t imm;        /* enum sass_kind of its immediate; 0: SASS_INT */
	uint8_t scale, neg_at, half_at;
	bool immediate, constant, bindless, neg, abs, half, inverted, derived, write, wide, conditional, is_signed;
	const struct sass_width *width;
	struct sass_bits bits;
	struct sass_cond cond;
};
#define OPERANDS(...)                                             \
	(const struct operand_def[])                              \
	{                                                         \
		EACH(OPERAND_WORD, __VA_ARGS__) { .name = NAMES } \
	}
#define OPERAND_WORD(word) OPERAND_##word
#define OPERAND_NONE
#define OPERAND(what, name_, ...) { .name = NAME_##name_, what, __VA_ARGS__ },
#define JUST(...) __VA_ARGS__
#define OPERAND_R(...) OPERAND(JUST(.kind = SASS_GPR, .len = 8), __VA_ARGS__, )
#define OPERAND_U(...) OPERAND(JUST(.kind = SASS_UGPR, .len = 8), __VA_ARGS__, )
#define OPERAND_P(...) OPERAND(JUST(.kind = SASS_PRED, .len = 3), __VA_ARGS__, )
#define OPERAND_Q(...) OPERAND(JUST(.kind = SASS_UPRED, .len = 3), __VA_ARGS__, )
#define OPERAND_B(...) OPERAND(JUST(.kind = SASS_CBAR, .len = 4), __VA_ARGS__, )
#define OPERAND_S(...) OPERAND(JUST(.kind = SASS_SREG, .len = 8), __VA_ARGS__, )
#define OPERAND_L(...) OPERAND(JUST(.kind = SASS_INT64, .len = 64), __VA_ARGS__, )
#define OPERAND_N(...) OPERAND(.kind = SASS_INT, __VA_ARGS__, )
#define OPERAND_M(...) OPERAND(.kind = SASS_MASK, __VA_ARGS__, )
#define OPERAND_J(...) OPERAND(JUST(.kind = SASS_INT, .is_signed = true), __VA_ARGS__, )
#define OPERAND_O(...) OPERAND(JUST(.kind = SASS_INT, .is_signed = true, .scale = 32), __VA_ARGS__, )
#define OPERAND_C(...) OPERAND(JUST(.kind = SASS_CONST, .constant = true), __VA_ARGS__, )
#define OPERAND_X(...) OPERAND(JUST(.kind = SASS_CONST, .constant = true, .bindless = true), __VA_ARGS__, )
#define OPERAND_K(...) OPERAND(.kind = SASS_CONST, __VA_ARGS__, )
#define OPERAND_i(...) OPERAND(JUST(.immediate = true, .imm = SASS_INT), __VA_ARGS__, )
#define OPERAND_I(...) OPERAND(JUST(.immediate = true, .imm = SASS_MASK), __VA_ARGS__, )
#define OPERAND_T(...) OPERAND(.kind = FIELD_TARGET, __VA_ARGS__, )
#define OPERAND_Y(...) OPERAND(.kind = FIELD_TARGET_SSY, __VA_ARGS__, )
#define OPERAND_Z(...) OPERAND(.kind = FIELD_TARGET_PC, __VA_ARGS__, )
#define OPERAND_A(...) OPERAND(.kind = FIELD_TARGET_ABS, __VA_ARGS__, )
#define OPERAND_PREDS(...) OPERAND(JUST(.kind = SASS_PREDS, .len = 7, .derived = true), __VA_ARGS__, )
#define W(bits) .n = REGISTERS(bits)
#define BY(rule) .width = width_##rule
#define FROM(b) .bits = BIT(b)
#define AT(...) .bits = BITS(__VA_ARGS__)
#define WIDE .wide = true
#define NEG .neg = true
#define ABS .abs = true
#define HALF .half = true
#define NEG_AT(b) .neg_at = b
#define HALF_AT(b) .half = true, .half_at = b
#define INVERTED .inverted = true
#define NEXT .derived = true
#define WRITTEN .write = true
#define IMM(type) .imm = SASS_##type
#define IF(...) .conditional = true, .cond = WHEN(__VA_ARGS__)

/* Modifiers: 0 is none, then the rows of mods.def. */
struct mod_ref_def {
	uint16_t mod;
	const char *text;
	char after;
};
#define MODS(...)                                               \
	(const struct mod_ref_def[])                            \
	{                                                       \
		EACH(MOD_WORD, __VA_ARGS__) { .mod = MOD_NONE } \
	}
#define MOD_WORD(word) { .mod = MOD_##word },
#define MOD_TEXT(string) MOD_NONE, .text = string
#define MOD_BEHIND(letter, id) MOD_##id, .after = letter

#endif
