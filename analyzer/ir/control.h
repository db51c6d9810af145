/* Control codes: what a compiler tells the core beside each instruction, because the core does not look itself whether
 * results are there. They stand in the words of machine code; passes/control.c makes them for code of ours. */
#ifndef REGLOOM_CONTROL_H
#define REGLOOM_CONTROL_H

#include <stdint.h>

/* stall: cycles until the warp may issue again. yield: as stored, 0 is the hint to let another warp issue next. wbar,
 * rbar: the barrier of dependence that is raised until the results are written, and until the sources are read;
 * NO_BARRIER: none. wait: bit b, that barrier b must be free before this issues. reuse: bit 0 source A, kept for the
 * next reader. */
struct control_code {
	uint8_t stall, yield, wbar, rbar, wait, reuse;
};
enum { BARRIERS_OF_DEPENDENCE = 6, NO_BARRIER = 7 };

#endif
