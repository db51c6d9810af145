/* Each value of an axis says what it adds. The renaming table is shared by residency and packing, which "amortizes" it
 * (CORF sections 1 and 4.3). */
#include "runtime-model/core/axis.h"

/* An entry number for each register of each warp, and whether each entry is free: 30240 and 1024 bits of a Fermi SM
 * (RegMutex, ISCA 2018, section III-B). Under packing the bytes of the entry too, a bit each, and which bytes of each
 * entry are free: 14 bits a register, 5.16 KB, and 512 bytes (CORF sections 4.3, 6 and 8). */
static unsigned renaming(const struct rf_config *c, const struct params *p, unsigned regs, struct storage_part out[])
{
	const unsigned entries = storage_entries(p), bytes = c->packing->renames ? 4 : 0;

	if (!rf_config_renames(c))
		return 0;
	out[0] = (struct storage_part){ "renaming table", storage_rows(p, regs) * (index_bits(entries) + bytes) };
	out[1] = (struct storage_part){ "free map", entries * (bytes ? bytes : 1) };
	return 2;
}

unsigned rf_config_storage_parts(const struct rf_config *c, const struct params *p, unsigned regs,
				 struct storage_part out[STORAGE_ALL])
{
	unsigned n = renaming(c, p, regs, out);

	if (c->residency->storage)
		n += c->residency->storage(p, regs, out + n);
	if (c->packing->storage)
		n += c->packing->storage(p, regs, out + n);
	if (c->hierarchy->storage)
		n += c->hierarchy->storage(p, regs, out + n);
	if (c->values->storage)
		n += c->values->storage(p, regs, out + n);
	if (c->reuse->storage)
		n += c->reuse->storage(p, regs, out + n);
	assert(n <= STORAGE_ALL);
	return n;
}

unsigned rf_config_storage(const struct rf_config *c, const struct params *p, unsigned regs)
{
	struct storage_part part[STORAGE_ALL];
	const unsigned n = rf_config_storage_parts(c, p, regs, part);
	unsigned bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits += part[i].bits;
	return bits;
}

/* A result is two registers where a field holds the numbers of two. */
unsigned reuse_entry_bits(const struct params *p)
{
	enum { OPERANDS = 3, OPCODE_BITS = 8 };
	const unsigned number = index_bits(storage_entries(p)), results = p->reuse_field_bits >= 2 * number ? 2 : 1;

	return 1 + OPCODE_BITS + OPERANDS * p->reuse_field_bits + index_bits(p->ctas_per_sm + 1) +
	       p->reuse_barrier_bits + results * number + 1;
}
