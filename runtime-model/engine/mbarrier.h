/* An mbarrier object: 64 bits of shared memory, opaque to programs but for the count in a state.
 *
 *   bits  0..19   arrivals that the current phase still waits for
 *        20..39   arrivals that each phase waits for from the next on
 *        40..61   bytes of asynchronous copies that it still waits for, signed
 *           62    set from mbarrier.init to mbarrier.inval: other memory is no object, and an operation on it is a
 *                 fault
 *           63    parity of the current phase
 *
 * A state, which arrive returns, is the object before it. A phase is complete when both counts are zero (PTX ISA,
 * mbarrier, "phase completion"); then the parity changes and the arrivals are those of bits 20..39. */
#ifndef REGLOOM_MBARRIER_H
#define REGLOOM_MBARRIER_H

#define MBARRIER_COUNT_MAX 0xfffffu

#endif
