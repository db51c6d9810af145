/* Hints for a cache of the register file (Gebhart et al., TOCS 2012, sections 4.1 and 4.4), by instruction and in the
 * order of ir_insn_regs(). Facts of one thread: hardware marks dead what the lanes hold that execute the
 * instruction. */
#ifndef REGLOOM_RFC_H
#define REGLOOM_RFC_H

#include <stdint.h>

/* that have a bit; machine code may read and write more registers */
enum { RFC_SOURCES = 32, RFC_RESULTS = 16 };
struct rfc_hints {
	/* bit s: no thread that executes it reads again what its source register s holds */
	const uint32_t *last;
	/* bit d: a shared unit may read what it writes to its destination d, which is not for the L0 */
	const uint16_t *shared;
};

#endif
