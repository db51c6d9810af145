/* The paper's five structures. It leaves out what it calls trivial, and so does this: the queue of free registers (as
 * many numbers as there are registers), the retry queue, store flags and barrier counts.
 * docs/STORAGE.md#bits-that-reuse-adds says how many those are. */
#include "runtime-model/reuse/storage.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/reuse/wir.h"

enum { HASH_BITS = 32, COUNT_BITS = 10 };

unsigned reuse_storage(const struct params *p, bool signatures, bool verifies, unsigned regs, struct storage_part out[])
{
	const unsigned number = index_bits(wir_registers(p));
	const struct storage_part all[STORAGE_PARTS] = {
		{ "rename tables", storage_rows(p, regs) * (number + 2) }, /* valid, pin */
		{ "reuse buffer", p->reuse_entries * reuse_entry_bits(p) },
		{ "value signature buffer", signatures ? p->vsb_entries * (HASH_BITS + number + 1) : 0 },
		{ "verify cache", verifies ? p->verify_entries * (WARP_LANES * 32 + number + 1) : 0 },
		{ "reference counts", storage_entries(p) * COUNT_BITS },
	};
	unsigned n = 0;

	for (unsigned i = 0; i < STORAGE_PARTS; i++)
		if (all[i].bits)
			out[n++] = all[i];
	return n;
}
