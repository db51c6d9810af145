#include "analyzer/ir/ir.h"
#include "analyzer/base/hash.h"

#include <string.h>

uint64_t ir_hash_number(uint64_t h, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		h = hash_step(h, v >> 8 * i & 0xff);
	return h;
}

static uint64_t add_text(uint64_t h, const char *s) { return hash_bytes(h, s, strlen(s) + 1); }

static uint64_t add_ref(uint64_t h, const struct kernel *k, struct ref r)
{
	h = ir_hash_number(h, (uint64_t)r.kind | (uint64_t)r.neg << 8 | (uint64_t)r.abs << 9);
	switch ((enum ref_kind)r.kind) {
	case REF_NONE:
		return h;
	case REF_IMM:
		return ir_hash_number(h, k->imm[r.val]);
	case REF_SREG:
		return add_text(h, sreg_name[r.val]);
	case REF_SYM:
		return ir_hash_number(add_text(h, k->m->sym[k->symref[r.val].sym].name),
				      (uint64_t)k->symref[r.val].addend);
	case REF_REG:
	case REF_CONST:
	case REF_BLOCK:
		break;
	}
	return ir_hash_number(h, r.val);
}

uint64_t ir_hash_code(const struct kernel *k)
{
	uint64_t h = HASH_START;

	for (uint32_t b = 0; b < k->nblock; b++) {
		h = ir_hash_number(h, k->block[b].n);
		for (uint32_t j = k->block[b].first; j < k->block[b].first + k->block[b].n; j++) {
			const struct insn *i = &k->insn[j];

			h = add_text(h, op_info[i->op].text);
			h = ir_hash_number(h, (uint64_t)i->ndst | (uint64_t)i->nsrc << 8 | (uint64_t)i->space << 16 |
						      (uint64_t)i->vec << 24 | (uint64_t)i->cop << 32 |
						      (uint64_t)i->cbool << 40);
			h = ir_hash_number(h, (uint64_t)(uint32_t)i->offset << 32 | i->mods);
			h = add_ref(h, k, i->guard);
			for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++)
				h = add_ref(h, k, k->opnd[i->opnd + s]);
			if (!(op_info[i->op].flags & OPF_TABLE))
				continue;
			h = ir_hash_number(h, k->table[i->offset].n);
			for (uint32_t t = 0; t < k->table[i->offset].n; t++) {
				const struct target *x = &k->target[k->table[i->offset].first + t];

				h = ir_hash_number(ir_hash_number(h, x->key), x->block);
			}
		}
	}
	return h;
}
