/* A small evaluator: the integer operations that address arithmetic consists of, over immediates. The semantics are
 * those of ops.def, computed here in 64 bits and cut. */
#include "passes/fold.h"

bool fold_eval(enum op op, const uint64_t src[3], uint64_t *d, bool *wide)
{
	uint64_t a = src[0], b = src[1], c = src[2];
	uint64_t sa = (uint64_t)(int64_t)(int32_t)a, sb = (uint64_t)(int64_t)(int32_t)b, za = (uint32_t)a,
		 zb = (uint32_t)b;

	*wide = false;
	if (op == OP_ADD_S32) {
		*d = a + b;
		return true;
	}
	if (op == OP_SUB_S32) {
		*d = a - b;
		return true;
	}
	if (op == OP_NEG_S32) {
		*d = 0 - a;
		return true;
	}
	if (op == OP_MUL_LO_S32) {
		*d = a * b;
		return true;
	}
	if (op == OP_MAD_LO_S32) {
		*d = a * b + c;
		return true;
	}
	if (op == OP_AND_B32) {
		*d = a & b;
		return true;
	}
	if (op == OP_OR_B32) {
		*d = a | b;
		return true;
	}
	if (op == OP_XOR_B32) {
		*d = a ^ b;
		return true;
	}
	if (op == OP_NOT_B32) {
		*d = ~a;
		return true;
	}
	if (op == OP_SHL_B32) {
		*d = zb > 31 ? 0 : za << zb;
		return true;
	}
	if (op == OP_SHR_U32) {
		*d = zb > 31 ? 0 : za >> zb;
		return true;
	}
	if (op == OP_SHR_S32) {
		*d = (uint64_t)((int64_t)sa >> (zb > 31 ? 31 : zb));
		return true;
	}
	if (op == OP_CVT_U32_D || op == OP_CVT_S32_D) {
		*d = a;
		return true;
	}
	*wide = true;
	if (op == OP_ADD_S64) {
		*d = a + b;
		return true;
	}
	if (op == OP_SUB_S64) {
		*d = a - b;
		return true;
	}
	if (op == OP_NEG_S64) {
		*d = 0 - a;
		return true;
	}
	if (op == OP_MUL_LO_S64) {
		*d = a * b;
		return true;
	}
	if (op == OP_MAD_LO_S64) {
		*d = a * b + c;
		return true;
	}
	if (op == OP_MUL_WIDE_U32) {
		*d = za * zb;
		return true;
	}
	if (op == OP_MUL_WIDE_S32) {
		*d = sa * sb;
		return true;
	}
	if (op == OP_MAD_WIDE_U32) {
		*d = za * zb + c;
		return true;
	}
	if (op == OP_MAD_WIDE_S32) {
		*d = sa * sb + c;
		return true;
	}
	if (op == OP_AND_B64) {
		*d = a & b;
		return true;
	}
	if (op == OP_OR_B64) {
		*d = a | b;
		return true;
	}
	if (op == OP_XOR_B64) {
		*d = a ^ b;
		return true;
	}
	if (op == OP_NOT_B64) {
		*d = ~a;
		return true;
	}
	if (op == OP_SHL_B64) {
		*d = zb > 63 ? 0 : a << zb;
		return true;
	}
	if (op == OP_SHR_U64) {
		*d = zb > 63 ? 0 : a >> zb;
		return true;
	}
	if (op == OP_CVT_U64_U32) {
		*d = za;
		return true;
	}
	if (op == OP_CVT_S64_S32) {
		*d = sa;
		return true;
	}
	return false;
}

int fold_identity(enum op op, unsigned s, uint64_t v)
{
	bool slim = op == OP_ADD_S32 || op == OP_SUB_S32 || op == OP_OR_B32 || op == OP_XOR_B32 || op == OP_SHL_B32 ||
		    op == OP_SHR_U32 || op == OP_SHR_S32 || op == OP_MUL_LO_S32 || op == OP_AND_B32;
	bool add = op == OP_ADD_S32 || op == OP_ADD_S64 || op == OP_OR_B32 || op == OP_OR_B64 || op == OP_XOR_B32 ||
		   op == OP_XOR_B64;
	bool right = op == OP_SUB_S32 || op == OP_SUB_S64 || op == OP_SHL_B32 || op == OP_SHL_B64 || op == OP_SHR_U32 ||
		     op == OP_SHR_U64 || op == OP_SHR_S32 || op == OP_SHR_S64;
	bool shift = right && op != OP_SUB_S32 && op != OP_SUB_S64;

	if (slim || shift)
		v = (uint32_t)v;
	if (add && v == 0)
		return s == 0 ? 1 : 0;
	if (right && s == 1 && v == 0)
		return 0;
	if ((op == OP_MUL_LO_S32 || op == OP_MUL_LO_S64) && v == 1)
		return s == 0 ? 1 : 0;
	if ((op == OP_AND_B32 && v == UINT32_MAX) || (op == OP_AND_B64 && v == UINT64_MAX))
		return s == 0 ? 1 : 0;
	return -1;
}
