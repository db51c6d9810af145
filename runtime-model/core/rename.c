/* Renaming table and free map. Entries with room of a kind are kept in bit sets, one for each kind, bank by bank, which
 * change only when the free bytes of an entry do: a search looks at one word for each 64 rows. */
#include "runtime-model/core/rename.h"

#include "analyzer/base/bitset.h"

#include <string.h>

enum { REGS = 256 };

enum { RELEASE_WRITE = 2, RELEASE_READS = 4, RELEASED = 8 };

/* Reads and writes are counted modulo 2^16, from when the warp began. */
struct reg {
	struct slot slot;
	uint8_t held; /* bytes of its entry: those of the slot, and those kept for it */
	uint8_t flags;
	uint16_t reads, read;     /* issued; delivered */
	uint16_t writes, written; /* likewise */
	/* under RELEASE_WRITE and RELEASE_READS: so many writes and reads had been issued when it was released */
	uint16_t last, until;
};

/* Of a register that an instruction writes: so many reads and writes of it had been issued then. */
struct older {
	uint16_t reads, writes;
};

/* bytes; reserved for: warp * REGS + register */
struct entry {
	uint8_t held, reserved;
	uint16_t holder;
};

/* Kinds of room: a run of 1, 2, 3 bytes, that many at the high end, at the low end, and all four. */
enum { ROOM_ANY, ROOM_LEFT = 3, ROOM_RIGHT = 6, ROOM_ALL = 9, ROOMS };

struct port {
	uint64_t at;
	unsigned used;
};

struct rename {
	struct stats *stats;
	unsigned banks, entries, words;     /* words of a bank's set of rows */
	struct reg *reg;                    /* by warp * REGS + register */
	struct older (*older)[UOP_DST_MAX]; /* by instruction in flight */
	uint64_t (*mapped)[REGS / 64];      /* by warp: registers that have a slot */
	struct entry *entry;
	unsigned used; /* entries that hold a byte */
	const struct axes *axes;
	uint16_t *held;                 /* by warp: registers that have a slot or a write outstanding */
	unsigned held_all;              /* of all warps */
	uint64_t *room;                 /* (kind * banks + bank) * words: rows */
	uint16_t rooms[SLOT_WHOLE + 1]; /* by free bytes of an entry: rooms_of() */
	const uint8_t *partner;         /* NULL: no pairs */
	const uint64_t *now;
	unsigned ports;
	struct port *port;                       /* by bank of the table: the cycle that it is booked up to */
	uint8_t (*byte)[SLOT_BYTES][WARP_LANES]; /* checked mode: of each entry; else NULL */
	uint64_t poisoned;
};

/* ---- slots ---- */
static uint8_t run(unsigned width, unsigned low) { return (uint8_t)(((1u << width) - 1) << low); }

static unsigned low_byte(struct slot s) { return (unsigned)__builtin_ctz(s.mask); }

/* The bytes of `room` that fit `width` takes; 0: it has none. */
static uint8_t fit_bytes(uint8_t room, unsigned width, enum fit fit)
{
	unsigned from = fit == FIT_LEFT ? SLOT_BYTES - width : 0, to = fit == FIT_ANY ? SLOT_BYTES - width : from;

	if (fit == FIT_EMPTY && room != SLOT_WHOLE)
		return 0;
	for (unsigned low = from; low <= to; low++)
		if ((room & run(width, low)) == run(width, low))
			return run(width, low);
	return 0;
}

static unsigned room_kind(unsigned width, enum fit fit)
{
	if (fit == FIT_EMPTY || width == SLOT_BYTES)
		return ROOM_ALL;
	if (fit == FIT_LEFT)
		return ROOM_LEFT + width - 1;
	return (fit == FIT_RIGHT ? ROOM_RIGHT : ROOM_ANY) + width - 1;
}

/* Bit k: `room` has room of kind k. */
static unsigned rooms_of(uint8_t room)
{
	static const enum fit fit[] = { FIT_ANY, FIT_LEFT, FIT_RIGHT };
	unsigned out = (unsigned)(room == SLOT_WHOLE) << ROOM_ALL;

	for (unsigned f = 0; f < 3; f++)
		for (unsigned w = 1; w < SLOT_BYTES; w++)
			out |= (unsigned)(fit_bytes(room, w, fit[f]) != 0) << room_kind(w, fit[f]);
	return out;
}

static uint8_t room_of(const struct entry *e) { return (uint8_t)(SLOT_WHOLE & ~(e->held | e->reserved)); }

static uint64_t *rows(const struct rename *r, unsigned kind, unsigned bank)
{
	return r->room + (kind * r->banks + bank) * r->words;
}

static void set_entry(struct rename *r, unsigned entry, uint8_t held, uint8_t reserved)
{
	struct entry *e = &r->entry[entry];
	uint8_t before = room_of(e);
	unsigned bank = entry % r->banks, row = entry / r->banks;

	assert(!(held & reserved));
	r->used += (held != 0) - (e->held != 0);
	e->held = held;
	e->reserved = reserved;
	if (room_of(e) != before)
		for (unsigned m = r->rooms[before] ^ r->rooms[room_of(e)]; m; m &= m - 1)
			rows(r, (unsigned)__builtin_ctz(m), bank)[row / 64] ^= (uint64_t)1 << row % 64;
}

struct rename *rename_new(const struct axis_ctx *cx)
{
	struct rename *r = new(cx->arena, struct rename);
	unsigned entries = cx->params->rf_registers / WARP_LANES;

	r->stats = cx->stats;
	r->axes = cx->axes;
	r->held = new_array(cx->arena, uint16_t, cx->warps);
	r->banks = cx->params->rf_banks;
	r->entries = entries;
	r->words = bitset_words((entries + r->banks - 1) / r->banks);
	r->reg = new_array(cx->arena, struct reg, (size_t)cx->warps * REGS);
	r->older = arena_alloc(cx->arena, UOP_IDS * sizeof *r->older, _Alignof(struct older));
	r->mapped = arena_alloc(cx->arena, cx->warps * sizeof *r->mapped, sizeof(uint64_t));
	r->entry = new_array(cx->arena, struct entry, entries);
	r->room = new_array(cx->arena, uint64_t, (size_t)ROOMS * r->banks * r->words);
	r->now = cx->now;
	r->ports = cx->params->rename_ports;
	r->port = new_array(cx->arena, struct port, r->banks);
	if (cx->checked)
		r->byte = arena_alloc(cx->arena, entries * sizeof *r->byte, 8);
	for (unsigned room = 0; room <= SLOT_WHOLE; room++)
		r->rooms[room] = (uint16_t)rooms_of((uint8_t)room);
	for (unsigned e = 0; e < entries; e++)
		for (unsigned kind = 0; kind < ROOMS; kind++)
			bitset_add(rows(r, kind, e % r->banks), e / r->banks);
	return r;
}

static unsigned index_of(unsigned warp, unsigned reg) { return warp * REGS + reg; }

const struct slot *rename_find(const struct rename *r, unsigned warp, unsigned reg)
{
	return &r->reg[index_of(warp, reg)].slot;
}

unsigned rename_entries(const struct rename *r) { return r->used; }

/* ---- searches ---- */
static struct slot found(const struct rename *r, unsigned entry, unsigned width, enum fit fit)
{
	return (struct slot){ (uint16_t)entry, fit_bytes(room_of(&r->entry[entry]), width, fit) };
}

struct slot rename_search_bank(const struct rename *r, unsigned bank, unsigned width, enum fit fit)
{
	const uint64_t *room = rows(r, room_kind(width, fit), bank);

	for (unsigned w = 0; w < r->words; w++)
		if (room[w])
			return found(r, (w * 64 + (unsigned)__builtin_ctzll(room[w])) * r->banks + bank, width, fit);
	return (struct slot){ 0, 0 };
}

struct slot rename_search_banks(const struct rename *r, unsigned first, unsigned n, unsigned width, enum fit fit)
{
	const uint64_t *room = rows(r, room_kind(width, fit), 0);

	for (unsigned w = 0; w < r->words; w++) {
		unsigned lowest = UINT16_MAX + 1;

		for (unsigned b = first; b < first + n; b++)
			if (room[b * r->words + w]) {
				unsigned entry =
					(w * 64 + (unsigned)__builtin_ctzll(room[b * r->words + w])) * r->banks + b;

				lowest = entry < lowest ? entry : lowest;
			}
		if (lowest <= UINT16_MAX)
			return found(r, lowest, width, fit);
	}
	return (struct slot){ 0, 0 };
}

struct slot rename_search_file(const struct rename *r, unsigned width, enum fit fit)
{
	return rename_search_banks(r, 0, r->banks, width, fit);
}

struct slot rename_search_beside(const struct rename *r, unsigned warp, unsigned beside, unsigned reg, unsigned width)
{
	unsigned entry = rename_find(r, warp, beside)->entry;
	const struct entry *e = &r->entry[entry];
	uint8_t room = (uint8_t)(SLOT_WHOLE & ~e->held);

	if (e->holder != index_of(warp, reg))
		room &= (uint8_t)~e->reserved;
	return (struct slot){ (uint16_t)entry, fit_bytes(room, width, FIT_ANY) };
}

/* ---- checked mode ---- */
/* What a byte holds that nobody has written; it differs from lane to lane. */
static uint8_t garbage(unsigned entry, unsigned byte, unsigned lane)
{
	return (uint8_t)((entry * 4 + byte) * 167 + lane * 59 + 0xa5);
}

static void spoil(struct rename *r, struct slot s)
{
	for (unsigned b = 0; r->byte && b < SLOT_BYTES; b++)
		for (unsigned l = 0; s.mask >> b & 1 && l < WARP_LANES; l++)
			r->byte[s.entry][b][l] = garbage(s.entry, b, l);
}

static void pack(struct rename *r, struct slot s, const uint32_t lane[WARP_LANES], uint32_t active)
{
	for (unsigned b = 0; r->byte && b < slot_width(s); b++)
		for (unsigned l = 0; l < WARP_LANES; l++)
			if (active >> l & 1)
				r->byte[s.entry][low_byte(s) + b][l] = (uint8_t)(lane[l] >> b * 8);
}

void rename_store(struct rename *r, unsigned warp, unsigned reg, const uint32_t lane[WARP_LANES], uint32_t active)
{
	pack(r, *rename_find(r, warp, reg), lane, active);
}

static void unpack(const struct rename *r, struct slot s, uint32_t lane[WARP_LANES])
{
	const unsigned low = low_byte(s), width = slot_width(s);

	for (unsigned l = 0; l < WARP_LANES; l++) {
		lane[l] = r->byte[s.entry][low + width - 1][l] & 0x80 ? UINT32_MAX : 0;
		for (unsigned b = width; b-- > 0;)
			lane[l] = lane[l] << 8 | r->byte[s.entry][low + b][l];
	}
}

bool rename_load(const struct rename *r, unsigned warp, unsigned reg, uint32_t lane[WARP_LANES])
{
	const struct reg *x = &r->reg[index_of(warp, reg)];

	if (!r->byte)
		return false;
	for (unsigned l = 0; l < WARP_LANES; l++)
		lane[l] = 0x01010101u * garbage(reg, warp, l);
	if (x->slot.mask)
		unpack(r, x->slot, lane);
	return x->slot.mask || x->flags & RELEASED;
}

/* The slot that operand n of an access has, 0 or 1. */
static struct slot access_slot(const struct rename *r, const struct bank_access *a, unsigned n)
{
	return (struct slot){ (uint16_t)((n ? a->entry2 : a->entry) * r->banks + a->bank), a->mask[n] };
}

static bool exists(const struct rename *r, const struct bank_access *a, unsigned n)
{
	return a->bank < r->banks && (n ? a->entry2 : a->entry) * r->banks + a->bank < r->entries;
}

void rename_write_access(struct rename *r, const struct bank_access *a, const uint32_t lane[WARP_LANES],
			 uint32_t active)
{
	if (exists(r, a, 0))
		pack(r, access_slot(r, a, 0), lane, active);
}

const char *rename_read_access(const struct rename *r, const struct uop *u, const struct bank_access *a, unsigned src,
			       uint32_t lane[WARP_LANES])
{
	const unsigned n = (unsigned)__builtin_popcount(a->operands & (((uint32_t)1 << src) - 1));
	const struct slot *is = rename_find(r, u->warp, u->src[src]);
	struct slot s;

	if (__builtin_popcount(a->operands) > 2)
		return "nothing, one of more than two operands of an access";
	if (a->mask[0] & a->mask[1])
		return "nothing, as it overlaps with another operand of its access";
	if (!r->byte || !exists(r, a, n) || !a->mask[n])
		return "nothing";
	s = access_slot(r, a, n);
	if (s.entry != is->entry || s.mask != is->mask)
		return "nothing, as its access goes to another place";
	unpack(r, s, lane);
	return NULL;
}

void rename_poison(struct rename *r, unsigned warp, unsigned reg)
{
	const struct slot s = *rename_find(r, warp, reg);

	r->poisoned += r->byte ? slot_width(s) * WARP_LANES : 0;
	spoil(r, s);
}

uint64_t rename_poisoned(const struct rename *r) { return r->poisoned; }

/* ---- mapping ---- */
void rename_pairs(struct rename *r, const uint8_t partner[256]) { r->partner = partner; }

/* MREG_RZ: none. */
static unsigned partner_of(const struct rename *r, unsigned reg) { return r->partner ? r->partner[reg] : MREG_RZ; }

/* What is reserved in the entry of the partner of reg, or of reg itself, is not any more. */
static void end_reservation(struct rename *r, unsigned entry, unsigned holder)
{
	if (r->entry[entry].reserved && r->entry[entry].holder == holder)
		set_entry(r, entry, r->entry[entry].held, 0);
}

void rename_map(struct rename *r, unsigned warp, unsigned reg, struct slot s)
{
	struct reg *x = &r->reg[index_of(warp, reg)];
	unsigned partner = partner_of(r, reg);

	assert(s.mask && !x->slot.mask && !(r->entry[s.entry].held & s.mask));
	if (partner != MREG_RZ && rename_find(r, warp, partner)->mask)
		end_reservation(r, rename_find(r, warp, partner)->entry, index_of(warp, reg));
	set_entry(r, s.entry, r->entry[s.entry].held | s.mask, r->entry[s.entry].reserved);
	x->slot = s;
	x->held = s.mask;
	x->flags &= (uint8_t)~RELEASED;
	bitset_add(r->mapped[warp], reg);
	spoil(r, s);
}

void rename_reserve(struct rename *r, unsigned warp, unsigned reg)
{
	unsigned entry = rename_find(r, warp, reg)->entry;
	struct entry *e = &r->entry[entry];

	assert(partner_of(r, reg) != MREG_RZ);
	if (e->reserved) /* for another register */
		return;
	e->holder = (uint16_t)index_of(warp, partner_of(r, reg));
	set_entry(r, entry, e->held, (uint8_t)(SLOT_WHOLE & ~e->held));
}

/* Gives back bytes of a register; those in the entry of its partner, if that is there alone, are kept for it. */
static void give_back(struct rename *r, unsigned warp, unsigned reg, struct slot s)
{
	struct entry *e = &r->entry[s.entry];
	unsigned partner = partner_of(r, reg);
	uint8_t kept = 0;

	if (partner != MREG_RZ && !e->reserved) {
		const struct slot *p = rename_find(r, warp, partner);

		if (p->mask && p->entry == s.entry) {
			e->holder = (uint16_t)index_of(warp, reg);
			kept = s.mask;
		}
	}
	spoil(r, s);
	set_entry(r, s.entry, e->held & (uint8_t)~s.mask, e->reserved | kept);
}

void rename_unmap(struct rename *r, unsigned warp, unsigned reg)
{
	struct reg *x = &r->reg[index_of(warp, reg)];
	const struct slot s = { x->slot.entry, x->held };

	assert(s.mask);
	if (partner_of(r, reg) != MREG_RZ)
		end_reservation(r, s.entry, index_of(warp, partner_of(r, reg)));
	x->slot.mask = x->held = 0;
	bitset_del(r->mapped[warp], reg);
	give_back(r, warp, reg, s);
}

void rename_shrink(struct rename *r, unsigned warp, unsigned reg, unsigned width, bool high, bool keep)
{
	struct reg *x = &r->reg[index_of(warp, reg)];
	struct slot *s = &x->slot, gone = *s;
	struct entry *e = &r->entry[s->entry];
	unsigned partner = partner_of(r, reg);

	assert(width && width < slot_width(*s));
	s->mask = run(width, low_byte(*s) + (high ? slot_width(*s) - width : 0));
	gone.mask ^= s->mask;
	spoil(r, gone);
	if (keep)
		return;
	x->held = s->mask;
	if (partner != MREG_RZ && e->reserved && e->holder == index_of(warp, partner))
		set_entry(r, s->entry, e->held & (uint8_t)~gone.mask, e->reserved | gone.mask);
	else
		set_entry(r, s->entry, e->held & (uint8_t)~gone.mask, e->reserved);
}

bool rename_regrow(struct rename *r, unsigned warp, unsigned reg, unsigned width, bool high)
{
	struct reg *x = &r->reg[index_of(warp, reg)];
	const struct slot all = { x->slot.entry, x->held };

	if (slot_width(all) < width)
		return false;
	x->slot.mask = run(width, low_byte(all) + (high ? slot_width(all) - width : 0));
	return true;
}

/* ---- what is outstanding ---- */
/* Some read that had been issued when it was released is outstanding. */
static bool still_read(const struct reg *x) { return (int16_t)(x->read - x->until) < 0; }

static bool writing(const struct reg *x) { return x->written != x->writes; }

static bool is_held(const struct reg *x) { return x->slot.mask || writing(x); }

bool rename_holds(const struct rename *r, unsigned warp, unsigned reg) { return is_held(&r->reg[index_of(warp, reg)]); }

unsigned rename_held(const struct rename *r) { return r->held_all; }

unsigned rename_held_by(const struct rename *r, unsigned warp) { return r->held[warp]; }

static void tell_freed(const struct rename *r)
{
	if (r->axes->rf->residency->freed)
		r->axes->rf->residency->freed(r->axes->residency);
}

/* A register that was held is perhaps not any more. */
static void let_go(struct rename *r, unsigned warp, const struct reg *x)
{
	if (is_held(x))
		return;
	r->held[warp]--;
	r->held_all--;
	tell_freed(r);
}

void rename_issue(struct rename *r, const struct uop *u)
{
	for (unsigned i = 0; i < u->nsrc; i++)
		r->reg[index_of(u->warp, u->src[i])].reads++;
	for (unsigned i = 0; i < u->ndst; i++) {
		struct reg *x = &r->reg[index_of(u->warp, u->dst[i])];

		r->held[u->warp] = (uint16_t)(r->held[u->warp] + !is_held(x));
		r->held_all += !is_held(x);
		r->older[u->id][i] = (struct older){ x->reads, x->writes++ };
	}
}

static void end_life(struct rename *r, unsigned warp, unsigned reg)
{
	struct reg *x = &r->reg[index_of(warp, reg)];

	x->flags &= (uint8_t)~RELEASE_READS;
	if (!x->slot.mask)
		return;
	r->poisoned += r->byte ? slot_width(x->slot) * WARP_LANES : 0;
	rename_unmap(r, warp, reg);
	x->flags |= RELEASED;
	r->stats->rename_updates++;
	let_go(r, warp, x);
}

void rename_read(struct rename *r, unsigned warp, unsigned reg)
{
	struct reg *x = &r->reg[index_of(warp, reg)];

	assert(x->read != x->reads);
	x->read++;
	if (x->flags & RELEASE_READS && !still_read(x))
		end_life(r, warp, reg);
}

/* Younger reads come behind the write, so those that have been delivered are older ones. */
bool rename_may_write(struct rename *r, const struct uop *u)
{
	for (unsigned i = 0; i < u->ndst; i++)
		if ((int16_t)(r->reg[index_of(u->warp, u->dst[i])].read - r->older[u->id][i].reads) < 0)
			return false;
	for (unsigned i = 0; i < u->ndst; i++) {
		struct reg *x = &r->reg[index_of(u->warp, u->dst[i])];

		x->flags &= (uint8_t)~RELEASE_READS;
		if (x->flags & RELEASE_WRITE && (int16_t)(r->older[u->id][i].writes - x->last) >= 0)
			x->flags &= (uint8_t)~RELEASE_WRITE;
	}
	return true;
}

static void release_read(struct rename *r, unsigned warp, unsigned reg)
{
	struct reg *x = &r->reg[index_of(warp, reg)];

	if (still_read(x))
		x->flags |= RELEASE_READS;
	else
		end_life(r, warp, reg);
}

void rename_written(struct rename *r, unsigned warp, unsigned reg)
{
	struct reg *x = &r->reg[index_of(warp, reg)];
	assert(writing(x));
	x->written++;
	if (!x->slot.mask) /* no lane has written it */
		let_go(r, warp, x);
	if (x->flags & RELEASE_WRITE && x->written == x->last) {
		x->flags &= (uint8_t)~RELEASE_WRITE;
		release_read(r, warp, reg);
	}
}

void rename_release(struct rename *r, unsigned warp, unsigned reg)
{
	struct reg *x = &r->reg[index_of(warp, reg)];

	x->until = x->reads;
	if (!writing(x)) {
		release_read(r, warp, reg);
		return;
	}
	x->flags |= RELEASE_WRITE;
	x->last = x->writes;
}

void rename_warp_exit(struct rename *r, unsigned warp)
{
	for (unsigned reg = bitset_next(r->mapped[warp], 0, REGS); reg < REGS;
	     reg = bitset_next(r->mapped[warp], reg + 1, REGS))
		rename_unmap(r, warp, reg);
	memset(r->reg + index_of(warp, 0), 0, REGS * sizeof *r->reg);
	r->held_all -= r->held[warp];
	r->held[warp] = 0;
	tell_freed(r);
}

/* ---- ports ---- */
unsigned rename_port(struct rename *r, unsigned bank)
{
	struct port *p = &r->port[bank];

	if (p->at < *r->now) {
		p->at = *r->now;
		p->used = 0;
	} else if (p->used == r->ports) {
		p->at++;
		p->used = 0;
	}
	p->used++;
	return (unsigned)(p->at - *r->now);
}
