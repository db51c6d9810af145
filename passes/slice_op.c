/* What an integer instruction makes of known sources: the rows that counters, bounds and conditions of loops are made
 * of, as ops.def defines them. Sources come as the low bits that their letters read, the result goes out as a register
 * holds it. */
#include "passes/slice.h"

static unsigned letter_bits(char letter)
{
	switch (letter) {
	case 'P':
		return 1;
	case 'B':
		return 8;
	case 'H':
		return 16;
	case 'D':
		return 64;
	}
	return 32;
}

static uint64_t low(uint64_t v, unsigned bits) { return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v; }
static int64_t extend(uint64_t v, unsigned bits) { return (int64_t)(v << (64 - bits)) >> (64 - bits); }

/* "SETP_LT_S32": relation and type of an integer comparison. */
bool slice_compare(enum op op, struct slice_compare *c)
{
	static const struct {
		char name[3];
		enum slice_relation rel;
	} relation[] = {
		{ "EQ", REL_EQ }, { "NE", REL_NE }, { "LT", REL_LT },
		{ "LE", REL_LE }, { "GT", REL_GT }, { "GE", REL_GE },
	};
	const char *id = op_info[op].id;

	if (!(op_info[op].flags & OPF_SETP) || strncmp(id, "SETP_", 5) != 0 || id[7] != '_' ||
	    (id[8] != 'B' && id[8] != 'S' && id[8] != 'U'))
		return false;
	for (unsigned r = 0; r < sizeof relation / sizeof *relation; r++)
		if (strncmp(id + 5, relation[r].name, 2) == 0) {
			*c = (struct slice_compare){ relation[r].rel, letter_bits(op_info[op].sig[2]), id[8] == 'S' };
			return true;
		}
	return false;
}

static bool holds(enum slice_relation rel, bool less, bool equal)
{
	switch (rel) {
	case REL_EQ:
		return equal;
	case REL_NE:
		return !equal;
	case REL_LT:
		return less;
	case REL_LE:
		return less || equal;
	case REL_GT:
		return !less && !equal;
	case REL_GE:
		return !less;
	}
	return false;
}

static bool compare(const struct insn *i, const uint64_t *s, unsigned dst, uint64_t *out)
{
	struct slice_compare c;
	bool p;

	if (!slice_compare(i->op, &c))
		return false;
	p = holds(c.rel, c.sign ? extend(s[0], c.bits) < extend(s[1], c.bits) : s[0] < s[1], s[0] == s[1]);
	if (dst == 1)
		p = !p;
	switch ((enum cmp_bool)i->cbool) {
	case CB_NONE:
		break;
	case CB_AND:
		p = p && s[2];
		break;
	case CB_OR:
		p = p || s[2];
		break;
	case CB_XOR:
		p = p != (s[2] != 0);
		break;
	}
	*out = p;
	return true;
}

static uint64_t literal(uint64_t x, bool holds) { return holds ? x : ~x; }

static uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, uint64_t table)
{
	uint64_t d = 0;

	for (unsigned n = 0; n < 8; n++)
		if (table >> n & 1)
			d |= literal(a, n & 4) & literal(b, n & 2) & literal(c, n & 1);
	return d;
}

static uint64_t divide(uint64_t a, uint64_t b, unsigned bits, bool sign, bool rest)
{
	int64_t x = extend(a, bits), y = extend(b, bits);

	if (!b)
		return rest ? a : UINT64_MAX;
	if (!sign)
		return rest ? a % b : a / b;
	if (y == -1)
		return rest ? 0 : 0 - (uint64_t)x;
	return (uint64_t)(rest ? x % y : x / y);
}

/* Of the two registers a (low) and b, moved by n bits; the upper word of a left shift, the lower one of a right
 * shift. */
static uint64_t funnel(uint64_t a, uint64_t b, uint64_t n, bool left)
{
	uint64_t both = b << 32 | a;

	if (n > 31)
		return left ? a : b;
	return left ? (both << n) >> 32 : both >> n;
}

/* Bytes of the two registers a (low) and b, or their signs, by a digit of c each. */
static uint64_t permute(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t both = b << 32 | a, d = 0;

	for (unsigned n = 0; n < 4; n++) {
		unsigned digit = (unsigned)(c >> 4 * n) & 15;
		uint64_t byte = both >> 8 * (digit & 7) & 255;

		if (digit & 8) /* its sign */
			byte = byte & 128 ? 255 : 0;
		d |= byte << 8 * n;
	}
	return d;
}

bool slice_op(const struct insn *i, const uint64_t *s, unsigned dst, uint64_t *out)
{
	const struct op_info *o = &op_info[i->op];
	unsigned bits = letter_bits(insn_operand_letter(i, i->ndst)), to = letter_bits(insn_operand_letter(i, dst));
	uint64_t a = s[0], b = s[1], c = s[2], d;
	int64_t sa = extend(a, bits), sb = extend(b, bits);

	if (o->flags & OPF_SETP)
		return compare(i, s, dst, out);
	switch (i->op) {
	case OP_ADD_U16:
	case OP_ADD_S16:
	case OP_ADD_S32:
	case OP_ADD_S64:
		d = a + b;
		break;
	case OP_SUB_U16:
	case OP_SUB_S16:
	case OP_SUB_S32:
	case OP_SUB_S64:
		d = a - b;
		break;
	case OP_NEG_S16:
	case OP_NEG_S32:
	case OP_NEG_S64:
		d = 0 - a;
		break;
	case OP_ABS_S16:
	case OP_ABS_S32:
	case OP_ABS_S64:
		d = sa < 0 ? 0 - (uint64_t)sa : a;
		break;
	case OP_MUL_LO_U16:
	case OP_MUL_LO_S16:
	case OP_MUL_LO_S32:
	case OP_MUL_LO_S64:
	case OP_MUL_WIDE_U16:
	case OP_MUL_WIDE_U32:
		d = a * b;
		break;
	case OP_MUL_WIDE_S16:
	case OP_MUL_WIDE_S32:
		d = (uint64_t)sa * (uint64_t)sb;
		break;
	case OP_MAD_LO_U16:
	case OP_MAD_LO_S16:
	case OP_MAD_LO_S32:
	case OP_MAD_LO_S64:
	case OP_MAD_WIDE_U16:
	case OP_MAD_WIDE_U32:
		d = a * b + c;
		break;
	case OP_MAD_WIDE_S16:
	case OP_MAD_WIDE_S32:
		d = (uint64_t)sa * (uint64_t)sb + c;
		break;
	case OP_MUL_HI_U32:
		d = a * b >> 32;
		break;
	case OP_MUL_HI_S32:
		d = (uint64_t)((int64_t)((uint64_t)sa * (uint64_t)sb) >> 32);
		break;
	case OP_MUL_HI_U64:
		d = (uint64_t)((uint128)a * b >> 64);
		break;
	case OP_MAD_HI_U32:
		d = (a * b >> 32) + c;
		break;
	case OP_MUL24_LO_U32:
		d = (a & 0xffffff) * (b & 0xffffff);
		break;
	case OP_MAD24_LO_U32:
		d = (a & 0xffffff) * (b & 0xffffff) + c;
		break;
	case OP_DIV_U16:
	case OP_DIV_U32:
	case OP_DIV_U64:
		d = divide(a, b, bits, false, false);
		break;
	case OP_DIV_S16:
	case OP_DIV_S32:
	case OP_DIV_S64:
		d = divide(a, b, bits, true, false);
		break;
	case OP_REM_U16:
	case OP_REM_U32:
	case OP_REM_U64:
		d = divide(a, b, bits, false, true);
		break;
	case OP_REM_S16:
	case OP_REM_S32:
	case OP_REM_S64:
		d = divide(a, b, bits, true, true);
		break;
	case OP_MIN_U16:
	case OP_MIN_U32:
	case OP_MIN_U64:
		d = a < b ? a : b;
		break;
	case OP_MAX_U16:
	case OP_MAX_U32:
	case OP_MAX_U64:
		d = a > b ? a : b;
		break;
	case OP_MIN_S16:
	case OP_MIN_S32:
	case OP_MIN_S64:
		d = sa < sb ? a : b;
		break;
	case OP_MAX_S16:
	case OP_MAX_S32:
	case OP_MAX_S64:
		d = sa > sb ? a : b;
		break;
	case OP_AND_PRED:
	case OP_AND_B16:
	case OP_AND_B32:
	case OP_AND_B64:
		d = a & b;
		break;
	case OP_OR_PRED:
	case OP_OR_B16:
	case OP_OR_B32:
	case OP_OR_B64:
		d = a | b;
		break;
	case OP_XOR_PRED:
	case OP_XOR_B16:
	case OP_XOR_B32:
	case OP_XOR_B64:
		d = a ^ b;
		break;
	case OP_NOT_PRED:
	case OP_NOT_B16:
	case OP_NOT_B32:
	case OP_NOT_B64:
		d = ~a;
		break;
	case OP_CNOT_B16:
	case OP_CNOT_B32:
	case OP_CNOT_B64:
		d = a == 0;
		break;
	case OP_LOP3_B32:
		d = lop3(a, b, c, s[3]);
		break;
	case OP_SHL_B16:
	case OP_SHL_B32:
	case OP_SHL_B64:
		d = b >= bits ? 0 : a << b;
		break;
	case OP_SHR_U16:
	case OP_SHR_U32:
	case OP_SHR_U64:
		d = b >= bits ? 0 : a >> b;
		break;
	case OP_SHR_S16:
	case OP_SHR_S32:
	case OP_SHR_S64:
		d = (uint64_t)(sa >> (b >= bits ? bits - 1 : b));
		break;
	case OP_SHF_L_CLAMP:
		d = funnel(a, b, c, true);
		break;
	case OP_SHF_L_WRAP:
		d = c & 31 ? funnel(a, b, c & 31, true) : b;
		break;
	case OP_SHF_R_CLAMP:
		d = funnel(a, b, c, false);
		break;
	case OP_SHF_R_WRAP:
		d = funnel(a, b, c & 31, false);
		break;
	case OP_POPC_B32:
	case OP_POPC_B64:
		d = (uint64_t)__builtin_popcountll(a);
		break;
	case OP_CLZ_B32:
		d = a ? (uint64_t)__builtin_clz((uint32_t)a) : 32;
		break;
	case OP_CLZ_B64:
		d = a ? (uint64_t)__builtin_clzll(a) : 64;
		break;
	case OP_BFIND_U32:
		d = a ? 31 - (uint64_t)__builtin_clz((uint32_t)a) : UINT32_MAX;
		break;
	case OP_SELP_B16:
	case OP_SELP_B32:
	case OP_SELP_B64:
		d = c ? a : b;
		break;
	case OP_PRMT_B32:
		d = permute(a, b, c);
		break;
	case OP_SLCT_B32_S32:
		d = (int32_t)c >= 0 ? a : b;
		break;
	case OP_PACK_B32:
		d = b << 16 | a;
		break;
	case OP_PACK_B64:
		d = b << 32 | a;
		break;
	case OP_UNPACK_B32:
		d = a >> 16 * dst;
		break;
	case OP_UNPACK_B64:
		d = a >> 32 * dst;
		break;
	case OP_CVT_U8_B:
	case OP_CVT_U8_H:
	case OP_CVT_U8_W:
	case OP_CVT_U8_D:
		d = (uint8_t)a;
		break;
	case OP_CVT_S8_B:
	case OP_CVT_S8_H:
	case OP_CVT_S8_W:
	case OP_CVT_S8_D:
	case OP_CVT_S16_S8:
	case OP_CVT_S32_S8:
	case OP_CVT_S64_S8:
		d = (uint64_t)(int8_t)a;
		break;
	case OP_CVT_U16_U8:
	case OP_CVT_U32_U8:
	case OP_CVT_U64_U8:
	case OP_CVT_U16_W:
	case OP_CVT_U16_D:
	case OP_CVT_U16_H:
	case OP_CVT_U32_U16:
	case OP_CVT_U64_U16:
	case OP_CVT_U32_W:
	case OP_CVT_S32_W:
	case OP_CVT_U32_D:
	case OP_CVT_S32_D:
	case OP_CVT_U64_U32:
	case OP_CVT_U64_D:
	case OP_CVT_S16_W:
	case OP_CVT_S16_D:
	case OP_CVT_S16_H:
		d = a;
		break;
	case OP_CVT_S32_S16:
	case OP_CVT_S64_S16:
		d = (uint64_t)(int16_t)a;
		break;
	case OP_CVT_S64_S32:
		d = (uint64_t)(int32_t)a;
		break;
	default:
		if (!(o->flags & OPF_MOVE))
			return false;
		d = a;
		break;
	}
	d = low(d, to);
	if (to == 16 && o->flags & OPF_SX)
		d = (uint32_t)extend(d, 16);
	*out = d;
	return true;
}

uint64_t slice_cut(uint64_t v, char letter) { return low(v, letter_bits(letter)); }
unsigned slice_bits(char letter) { return letter_bits(letter); }
