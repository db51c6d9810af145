/* Bits that reuse adds to an SM, structure by structure: WIR section VII-E and Figures 6 and 9. */
#ifndef REGLOOM_REUSE_STORAGE_H
#define REGLOOM_REUSE_STORAGE_H

#include "runtime-model/core/storage.h"

/* Those that hold anything, at most STORAGE_PARTS; how many. Without value signatures and without a verify cache if it
 * has none. regs: of a thread, in the largest kernel; rename tables have a row for each, and for 63 where there are
 * fewer. */
unsigned reuse_storage(const struct params *p, bool signatures, bool verifies, unsigned regs,
		       struct storage_part out[]);

#endif
