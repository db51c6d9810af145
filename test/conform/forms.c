/* Texts without a row of their own: the reader makes other rows of them. */
#include "test/conform/conform.h"

/* set: compared as setp does, written as the type of the result has it. */
#define SET_OF(cmp, stype, HH) \
	{ "set." cmp ".u32." stype "|set." cmp ".s32." stype, "W_" HH, 0 }, { "set." cmp ".f32." stype, "F_" HH, 0 },
#define SET_ORDERED(stype, HH) \
	SET_OF("lt", stype, HH) SET_OF("le", stype, HH) SET_OF("gt", stype, HH) SET_OF("ge", stype, HH)
#define SET_EQUAL(stype, HH) SET_OF("eq", stype, HH) SET_OF("ne", stype, HH)
/* set on f16 and bf16, alone and in pairs */
#define SET_HALF(cmp, t, FL)                                                                        \
	{ "set." cmp ".u32." t "|set." cmp ".s32." t, "W_HH", FL },                                 \
		{ "set." cmp ".u16." t "|set." cmp ".s16." t "|set." cmp "." t "." t, "H_HH", FL }, \
		{ "set." cmp "." t "x2." t "x2|set." cmp ".u32." t "x2|set." cmp ".s32." t "x2", "W_WW", FL },
#define SET_HALVES(cmp) SET_HALF(cmp, "f16", OPF_FTZ) SET_HALF(cmp, "bf16", 0)

#define SET_FLOAT(cmp)                                                                                              \
	{ "set." cmp ".u32.f32|set." cmp ".s32.f32", "W_FF", OPF_FTZ }, { "set." cmp ".f32.f32", "F_FF", OPF_FTZ }, \
		{ "set." cmp ".u32.f64|set." cmp ".s32.f64", "W_GG", 0 }, { "set." cmp ".f32.f64", "F_GG", 0 },

const struct text_form forms[] = {
	SET_FLOAT("eq") SET_FLOAT("ne") SET_FLOAT("lt") SET_FLOAT("le") SET_FLOAT("gt") SET_FLOAT("ge") SET_FLOAT(
		"num") SET_FLOAT("equ") SET_FLOAT("neu") SET_FLOAT("ltu") SET_FLOAT("leu") SET_FLOAT("gtu")
		SET_FLOAT("geu") SET_FLOAT("nan") SET_HALVES("eq") SET_HALVES("ne") SET_HALVES("lt") SET_HALVES(
			"le") SET_HALVES("gt") SET_HALVES("ge") SET_HALVES("equ") SET_HALVES("neu") SET_HALVES("ltu")
			SET_HALVES("leu") SET_HALVES("gtu") SET_HALVES("geu") SET_HALVES("num") SET_HALVES("nan")
				SET_EQUAL("b16", "HH") SET_EQUAL("b32", "WW") SET_EQUAL("b64", "DD")
					SET_EQUAL("u16", "HH") SET_EQUAL("u32", "WW") SET_EQUAL("u64", "DD")
						SET_EQUAL("s16", "HH") SET_EQUAL("s32", "WW") SET_EQUAL("s64", "DD")
							SET_ORDERED("u16", "HH") SET_ORDERED("u32", "WW") SET_ORDERED(
								"u64", "DD") SET_ORDERED("s16", "HH")
								SET_ORDERED("s32", "WW") SET_ORDERED("s64", "DD"){
									"lop3.and.b32|lop3.or.b32", "WP_WWWP", 0 },
	{ NULL, NULL, 0 },
};
