/* What the values of the packing axis that look registers up in the renaming table share: reads that coalesce, writes
 * that allocate, grow and shrink, and in checked mode the packer and the unpacker (Asghari Esfeden et al., CORF, ASPLOS
 * 2019, sections 4.3, 5.2, 5.3 and 6; docs/CORF_HARDWARE.md#registers-in-entries). Each value is a policy: where a
 * register goes. */
#ifndef REGLOOM_PACKED_H
#define REGLOOM_PACKED_H

#include "passes/corf.h"
#include "runtime-model/core/rename.h"

/* of which an SM may have hints at once (CORF section 6) */
enum { PACK_KERNELS = 8 };
enum { SUBCORE_BANKS = 2 };

struct packing;

struct pack_policy {
	/* Maps a register of `width` bytes, which is mapped nowhere. */
	void (*allocate)(struct packing *pk, unsigned warp, unsigned reg, unsigned width);
	bool whole; /* nothing is packed: every register takes an entry, whatever its value */
	/* All registers of a warp in one bank, warp mod banks. An array holds the same byte of many lanes, and two
	 * addresses reach it: operands coalesce whose bytes do not overlap. Otherwise those in one entry. */
	bool byte_sliced;
};

struct packing {
	const struct pack_policy *policy;
	struct rename *r;
	struct stats *st;
	uint64_t *by_width[SLOT_BYTES]; /* counters of operations of 1, 2, 3, 4 bytes */
	const struct corf_hints *hints; /* of the kernel; NULL: the policy asks for none */
	unsigned banks, arrays, lookup_cycles;
	unsigned subs; /* sub-cores, of whose two banks a warp has its registers in; 0: in any bank */
	bool gate;     /* an access activates the arrays of its bytes alone */
	bool keep;     /* bytes that a register sheds stay with it until it leaves its entry */
	bool partial;  /* a write of some lanes activates their arrays alone */
	bool near;     /* searches begin in the register's own bank, (register + warp) mod banks */
};

struct packing *packed_create(const struct axis_ctx *cx, const struct pack_policy *policy,
			      const struct corf_hints *hints);
/* The bank in which a register is looked for, and room for it, behind `skip` others; there are packed_reach() of
 * them. Its own is the first, (register + warp) mod banks; or bank register mod 2 of the warp's sub-core. If all of
 * a warp are in one, that of the warp. */
unsigned packed_bank(const struct packing *pk, unsigned warp, unsigned reg, unsigned skip);
static inline unsigned packed_reach(const struct packing *pk) { return pk->subs ? SUBCORE_BANKS : pk->banks; }
/* The first entry that has room, of the whole file, or of the register's own bank, then of the next. */
struct slot packed_search(const struct packing *pk, unsigned warp, unsigned reg, unsigned width, enum fit fit);
void packed_first_fit(struct packing *pk, unsigned warp, unsigned reg, unsigned width); /* maps it there */

/* As in struct packing_ops. */
unsigned packed_read(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
		     struct bank_access out[]);
unsigned packed_write(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys, struct bank_access out[]);
void packed_warp_exit(struct packing *pk, unsigned warp);
void packed_store(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned dst);
const char *packed_deliver(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned src,
			   uint32_t lane[WARP_LANES]);

/* Of n operands, meet[i] those that i may share an access with: partner[i], or i. No choice of pairs has more, for
 * slots of up to four bytes. */
void packed_pair(const uint32_t meet[], unsigned n, uint8_t partner[]);

#endif
