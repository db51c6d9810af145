/* The paper's five structures. It leaves out what it calls trivial, and so does this: the queue of free registers (as many numbers as there are
 * registers), the retry queue, store flags and barrier counts. docs/ENERGY.md#bits-that-reuse-adds says how many those are. */
#include "runtime-model/reuse/storage.h"
#include "runtime-model/axis.h"

enum { OPERANDS = 3, OPCODE_BITS = 8, HASH_BITS = 32, COUNT_BITS = 10 };

static unsigned registers(const struct params *p) { return p->rf_registers / WARP_LANES; }

/* A result is two registers where a field holds the numbers of two. */
unsigned reuse_entry_bits(const struct params *p)
{
	const unsigned number = index_bits(registers(p)), results = p->reuse_field_bits >= 2 * number ? 2 : 1;

	return 1 + OPCODE_BITS + OPERANDS * p->reuse_field_bits + index_bits(p->ctas_per_sm + 1) + p->reuse_barrier_bits + results * number + 1;
}

unsigned reuse_storage(const struct params *p, bool signatures, bool verifies, unsigned regs, struct storage_part out[])
{
	const unsigned number = index_bits(registers(p));
	const struct storage_part all[STORAGE_PARTS] = {
		{ "rename tables",          storage_rows(p, regs) * (number + 2) },         /* valid, pin */
		{ "reuse buffer",           p->reuse_entries * reuse_entry_bits(p) },
		{ "value signature buffer", signatures ? p->vsb_entries * (HASH_BITS + number + 1) : 0 },
		{ "verify cache",           verifies ? p->verify_entries * (WARP_LANES * 32 + number + 1) : 0 },
		{ "reference counts",       registers(p) * COUNT_BITS },
	};
	unsigned n = 0;

	for (unsigned i = 0; i < STORAGE_PARTS; i++)
		if (all[i].bits)
			out[n++] = all[i];
	return n;
}
