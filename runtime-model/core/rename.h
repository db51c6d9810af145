/* The renaming table and the free map of one SM: which bytes of which entry of the register file hold a register of a
 * warp, and which bytes hold none. A mechanism: what is put where is decided by the values of the packing axis, when a
 * register dies by those of residency, and the SM says what is outstanding (Asghari Esfeden et al., CORF, ASPLOS 2019,
 * sections 4.3 and 6).
 *
 * Entry p is in bank p mod rf_banks. A slot is a run of bytes of one entry, byte 0 the least significant; a register's
 * own least significant byte is in the lowest byte of its slot. A byte is held by one register, or reserved for one
 * that may come, or free. Every register takes one entry at most, a reservation lies in the entry of a register that is
 * there, and there are never more registers than entries that have a slot or a write outstanding: residency starts a
 * CTA only if the file has an entry for each of its registers, or lets an instruction issue only if it has one for each
 * that is then held. So whoever asks for a slot finds one. */
#ifndef REGLOOM_RENAME_H
#define REGLOOM_RENAME_H

#include "runtime-model/core/axis.h"

enum { SLOT_BYTES = 4, SLOT_WHOLE = 15 };

/* mask: contiguous bytes, bit 0 the lowest; 0: nothing is mapped */
struct slot {
	uint16_t entry;
	uint8_t mask;
};

/* Where in an entry: anywhere, lowest bytes first; its most, its least significant bytes; the lowest bytes of an entry
 * that holds nothing. */
enum fit { FIT_ANY, FIT_LEFT, FIT_RIGHT, FIT_EMPTY };

struct rename;

struct rename *rename_new(const struct axis_ctx *cx);

static inline unsigned slot_width(struct slot s)
{
	static const uint8_t bits[] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };

	return bits[s.mask];
}

/* Where a register is; mask 0: nowhere. Good until it is mapped or given back. */
const struct slot *rename_find(const struct rename *r, unsigned warp, unsigned reg);
/* that hold at least one byte; the others can be switched off */
unsigned rename_entries(const struct rename *r);

/* ---- what is outstanding: the SM says so ---- */
void rename_issue(struct rename *r, const struct uop *u); /* u->id is its own from here to its last write */
/* one of the reads issued has been delivered */
void rename_read(struct rename *r, unsigned warp, unsigned reg);
/* u has its results. No older read of what it writes is outstanding: it may be mapped. What was released there before u
 * issued, and waits for an older write still, stays where it is for u. */
bool rename_may_write(struct rename *r, const struct uop *u);
void rename_written(struct rename *r, unsigned warp,
		    unsigned reg); /* a write issued is done, the oldest, or was none */
/* The register's value is dead for the whole warp after the instruction just issued. It is given back when a write of
 * it that is outstanding is done, else when no read is outstanding; a younger write waits for those, as for all.
 * Nothing is mapped: nothing. */
void rename_release(struct rename *r, unsigned warp, unsigned reg);
void rename_warp_exit(struct rename *r, unsigned warp);
/* Registers that are held: which have a slot, or a write outstanding, which may give them one. When one is not any
 * more, residency_ops.freed() hears of it. */
bool rename_holds(const struct rename *r, unsigned warp, unsigned reg);
unsigned rename_held(const struct rename *r);
unsigned rename_held_by(const struct rename *r, unsigned warp);

/* ---- allocation: by the values of the packing axis ---- */
/* The first entry with room for `width` bytes, in one bank or, by its number, in n banks or the whole file. Mask 0:
 * none. */
struct slot rename_search_bank(const struct rename *r, unsigned bank, unsigned width, enum fit fit);
struct slot rename_search_banks(const struct rename *r, unsigned first, unsigned n, unsigned width, enum fit fit);
struct slot rename_search_file(const struct rename *r, unsigned width, enum fit fit);
/* Room in the entry of register `beside`, which is mapped, for `reg` of the same warp: the lowest bytes that are free
 * or reserved for it. */
struct slot rename_search_beside(const struct rename *r, unsigned warp, unsigned beside, unsigned reg, unsigned width);
/* Exclusive pairs: partner[partner[r]] == r, MREG_RZ none. What the entry of one has left when the other leaves it is
 * reserved for that one, until it is mapped again, or the first leaves too. */
void rename_pairs(struct rename *r, const uint8_t partner[256]);
/* not mapped now; the slot was found by a search */
void rename_map(struct rename *r, unsigned warp, unsigned reg, struct slot s);
/* the rest of its entry, for the partner of reg */
void rename_reserve(struct rename *r, unsigned warp, unsigned reg);
void rename_unmap(struct rename *r, unsigned warp, unsigned reg);
/* Leaves `width` of its bytes mapped: the high ones or the low ones. The others are free, or kept for it until it is
 * unmapped. */
void rename_shrink(struct rename *r, unsigned warp, unsigned reg, unsigned width, bool high, bool keep);
/* Maps more of the bytes kept for it: the high ones or the low ones of all. False: they are too few. */
bool rename_regrow(struct rename *r, unsigned warp, unsigned reg, unsigned width, bool high);

/* ---- ports: the table has a bank for each of the file's, each with rename_ports a cycle ---- */
/* An access of the table's bank: how many cycles later than this one it finds a port. */
unsigned rename_port(struct rename *r, unsigned bank);

/* ---- checked mode: the bytes themselves; otherwise nothing is stored, and there is nothing to load ---- */
/* Packs the lanes in `active` into the register's slot, and only there. */
void rename_store(struct rename *r, unsigned warp, unsigned reg, const uint32_t lane[WARP_LANES], uint32_t active);
/* What its slot unpacks to: shifted down and sign-extended. Never mapped: false. Given back by rename_release():
 * garbage. */
bool rename_load(const struct rename *r, unsigned warp, unsigned reg, uint32_t lane[WARP_LANES]);
/* The same for an access: a write puts lanes into its bytes. A read takes each byte of a row from its first address, or
 * from the second one if its second operand has the byte, and the slice of operand u->src[src] is unpacked from that
 * row. NULL, or in words what is there instead, if the access has no such bytes, or is none that one bank can make for
 * the registers where they are. */
void rename_write_access(struct rename *r, const struct bank_access *a, const uint32_t lane[WARP_LANES],
			 uint32_t active);
const char *rename_read_access(const struct rename *r, const struct uop *u, const struct bank_access *a, unsigned src,
			       uint32_t lane[WARP_LANES]);
void rename_poison(struct rename *r, unsigned warp, unsigned reg); /* its value is dead: its slot holds garbage */
/* bytes of registers that were released or poisoned, and overwritten */
uint64_t rename_poisoned(const struct rename *r);

#endif
