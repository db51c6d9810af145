#include "runtime-model/packing/packed.h"

struct packing *packed_create(const struct axis_ctx *cx, const struct pack_policy *policy,
			      const struct corf_hints *hints)
{
	struct packing *pk = new(cx->arena, struct packing);
	struct stats *st = cx->stats;

	*pk = (struct packing){
		.policy = policy,
		.r = cx->axes->rename,
		.st = st,
		.hints = hints,
		.by_width = { &st->width1_operations, &st->width2_operations, &st->width3_operations,
			      &st->width4_operations },
		.banks = cx->params->rf_banks,
		.subs = params_sub_cores(cx->params),
		.arrays = cx->params->rf_arrays,
		.lookup_cycles = cx->params->rename_cycles,
		.gate = policy->byte_sliced && cx->params->rf_gate_slices,
		.near = policy->whole || cx->params->pack_search,
		.keep = cx->params->pack_shrink == 0,
		.partial = policy->whole && cx->params->rf_partial_writes,
	};
	return pk;
}

unsigned packed_bank(const struct packing *pk, unsigned warp, unsigned reg, unsigned skip)
{
	const unsigned first = pk->policy->byte_sliced ? 0 : reg;

	if (!pk->subs)
		return (warp + first + skip) % pk->banks;
	return warp % pk->subs * SUBCORE_BANKS +
	       ((pk->policy->byte_sliced ? warp / pk->subs : first) + skip) % SUBCORE_BANKS;
}

struct slot packed_search(const struct packing *pk, unsigned warp, unsigned reg, unsigned width, enum fit fit)
{
	struct slot s = { 0, 0 };

	if (!pk->near)
		return rename_search_banks(pk->r, pk->subs ? warp % pk->subs * SUBCORE_BANKS : 0, packed_reach(pk),
					   width, fit);
	for (unsigned b = 0; !s.mask && b < packed_reach(pk); b++)
		s = rename_search_bank(pk->r, packed_bank(pk, warp, reg, b), width, fit);
	return s;
}

void packed_first_fit(struct packing *pk, unsigned warp, unsigned reg, unsigned width)
{
	rename_map(pk->r, warp, reg, packed_search(pk, warp, reg, width, FIT_ANY));
}

/* Of one slot, or of two in one bank. */
static struct bank_access access_of(const struct packing *pk, struct slot s, struct slot second, uint32_t operands)
{
	unsigned arrays = pk->arrays;

	if (pk->gate)
		arrays = (arrays * slot_width((struct slot){ .mask = s.mask | second.mask }) + SLOT_BYTES - 1) /
			 SLOT_BYTES;
	return (struct bank_access){
		.bank = (uint16_t)(s.entry % pk->banks),
		.entry = (uint16_t)(s.entry / pk->banks),
		.entry2 = (uint16_t)(second.entry / pk->banks),
		.mask = { s.mask, second.mask },
		.arrays = (uint8_t)arrays,
		.operands = operands,
	};
}

static struct bank_access access_one(const struct packing *pk, struct slot s, uint32_t operands)
{
	return access_of(pk, s, (struct slot){ s.entry, 0 }, operands);
}

/* A lookup of the table: the cycles that it takes beyond those of the way to the collector. */
static unsigned lookup(struct packing *pk, unsigned warp, unsigned reg)
{
	pk->st->rename_lookups++;
	return rename_port(pk->r, packed_bank(pk, warp, reg, 0));
}

static void update(struct packing *pk, unsigned warp, unsigned reg)
{
	pk->st->rename_updates++;
	rename_port(pk->r, packed_bank(pk, warp, reg, 0));
}

/* ---- reads ---- */
struct operand {
	struct slot slot;
	uint8_t src;
	unsigned delay;
};

static bool share(const struct packing *pk, struct slot a, struct slot b)
{
	if (pk->policy->byte_sliced)
		return a.entry % pk->banks == b.entry % pk->banks && !(a.mask & b.mask);
	return a.entry == b.entry;
}

/* The operand with the fewest that it could go with takes that one of them which has the fewest. */
void packed_pair(const uint32_t meet[], unsigned n, uint8_t partner[])
{
	uint32_t left = 0;

	for (unsigned i = 0; i < n; i++) {
		partner[i] = (uint8_t)i;
		left |= (uint32_t)(meet[i] != 0) << i;
	}
	while (left) {
		unsigned at[2] = { 0, 0 };
		uint32_t from = left;

		for (unsigned k = 0; k < 2; k++) {
			int fewest = 33;

			for (uint32_t m = from; m; m &= m - 1) {
				unsigned i = (unsigned)__builtin_ctz(m);
				int degree = __builtin_popcount(meet[i] & left);

				if (degree < fewest && degree) {
					fewest = degree;
					at[k] = i;
				}
			}
			if (fewest == 33)
				return;
			from = meet[at[0]] & left;
		}
		partner[at[0]] = (uint8_t)at[1];
		partner[at[1]] = (uint8_t)at[0];
		left &= ~((uint32_t)1 << at[0] | (uint32_t)1 << at[1]);
	}
}

static void pair_up(const struct packing *pk, const struct operand op[], unsigned n, uint8_t partner[])
{
	uint32_t meet[UOP_SRC_MAX] = { 0 };

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i + 1; j < n; j++)
			if (share(pk, op[i].slot, op[j].slot)) {
				meet[i] |= (uint32_t)1 << j;
				meet[j] |= (uint32_t)1 << i;
			}
	packed_pair(meet, n, partner);
}

/* Whether the two narrowest fit one entry. */
static bool could_coalesce(const struct operand op[], unsigned n)
{
	unsigned narrow[2] = { SLOT_BYTES, SLOT_BYTES };

	for (unsigned i = 0; i < n; i++) {
		unsigned w = slot_width(op[i].slot);

		if (w < narrow[0]) {
			narrow[1] = narrow[0];
			narrow[0] = w;
		} else if (w < narrow[1]) {
			narrow[1] = w;
		}
	}
	return narrow[0] + narrow[1] <= SLOT_BYTES;
}

static unsigned look_up(struct packing *pk, const struct uop *u, uint32_t operands, struct operand op[])
{
	unsigned n = 0;

	for (uint32_t m = operands; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m), wait = lookup(pk, u->warp, u->src[i]);
		struct slot s = *rename_find(pk->r, u->warp, u->src[i]);

		pk->st->rename_conflicts += wait != 0;
		if (!s.mask) { /* no byte of it was ever written */
			pk->st->unmapped_reads++;
			continue;
		}
		if (!pk->policy->whole)
			++*pk->by_width[slot_width(s) - 1];
		wait += pk->lookup_cycles;
		op[n++] = (struct operand){ s, (uint8_t)i, wait };
	}
	return n;
}

unsigned packed_read(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
		     struct bank_access out[])
{
	struct operand op[UOP_SRC_MAX];
	uint8_t partner[UOP_SRC_MAX];
	unsigned n = look_up(pk, u, operands, op), nout = 0;

	(void)phys;
	if (u->nsrc >= 2) {
		pk->st->multi_operand_instructions++;
		pk->st->multi_operand_reads += u->nsrc;
		pk->st->coalescable_instructions += !pk->policy->whole && could_coalesce(op, n);
	}
	if (pk->policy->whole)
		for (unsigned i = 0; i < n; i++)
			partner[i] = (uint8_t)i;
	else
		pair_up(pk, op, n, partner);
	for (unsigned i = 0; i < n; i++) {
		const struct operand *a = &op[i], *b = &op[partner[i]];
		unsigned delay = a->delay > b->delay ? a->delay : b->delay;

		if (b < a)
			continue;
		if (a == b)
			out[nout] = access_one(pk, a->slot, (uint32_t)1 << a->src);
		else
			out[nout] = access_of(pk, a->slot, b->slot, (uint32_t)1 << a->src | (uint32_t)1 << b->src);
		out[nout++].delay = (uint8_t)(delay < UINT8_MAX ? delay : UINT8_MAX);
	}
	pk->st->coalesced_operands += 2 * (n - nout);
	pk->st->coalesced_instructions += nout < n;
	return nout;
}

/* ---- writes ---- */
static unsigned width_of(const struct packing *pk, const struct uop *u, unsigned dst, struct slot now)
{
	if (pk->policy->whole)
		return SLOT_BYTES;
	if (u->sig)
		return u->sig[dst].width;
	return u->move && now.mask ? slot_width(now) : SLOT_BYTES; /* a move to itself changes no value */
}

/* Of a register that is mapped nowhere. Whether a pair comes together is counted here (paper, Figure 6): once for each
 * time that both are there, as one that grows later is no other attempt of the compiler's. */
static void allocate(struct packing *pk, unsigned warp, unsigned reg, unsigned width)
{
	unsigned partner = pk->hints && !pk->policy->byte_sliced ? pk->hints->partner[reg] : MREG_RZ;

	pk->policy->allocate(pk, warp, reg, width);
	if (partner != MREG_RZ && rename_find(pk->r, warp, partner)->mask) {
		pk->st->pair_allocations++;
		pk->st->pair_packed += rename_find(pk->r, warp, partner)->entry == rename_find(pk->r, warp, reg)->entry;
	}
}

static bool is_left(const struct packing *pk, unsigned reg)
{
	return pk->policy->byte_sliced && pk->hints->align[reg] == ALIGN_LEFT;
}

/* In the bytes kept for it, if they are enough; else its bytes are given up first, so that it may find them again.
 * Those of lanes that u does not write are carried over, which takes a read of where they were. */
static unsigned grow(struct packing *pk, const struct uop *u, unsigned reg, unsigned width, struct bank_access out[])
{
	const struct slot was = *rename_find(pk->r, u->warp, reg);
	bool carry = !uop_convergent(u), there;
	uint32_t lane[WARP_LANES];
	const struct slot *is;

	there = carry && rename_load(pk->r, u->warp, reg, lane);
	if (!rename_regrow(pk->r, u->warp, reg, width, is_left(pk, reg))) {
		rename_unmap(pk->r, u->warp, reg);
		pk->policy->allocate(pk, u->warp, reg, width);
		is = rename_find(pk->r, u->warp, reg);
		pk->st->reallocations += is->entry != was.entry || (is->mask & -is->mask) != (was.mask & -was.mask);
	}
	if (!carry)
		return 0;
	if (there)
		rename_store(pk->r, u->warp, reg, lane, UINT32_MAX);
	pk->st->merge_reads++;
	out[0] = access_one(pk, was, 0);
	return 1;
}

/* Bytes stay where they are unless all are written. */
static void shrink(struct packing *pk, const struct uop *u, unsigned reg, unsigned width)
{
	rename_shrink(pk->r, u->warp, reg, width, is_left(pk, reg) && uop_convergent(u), pk->keep);
}

unsigned packed_write(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys, struct bank_access out[])
{
	unsigned reg = u->dst[dst], n = 0, width, has;
	struct slot s = *rename_find(pk->r, u->warp, reg);

	(void)phys;
	width = width_of(pk, u, dst, s);
	has = slot_width(s);
	lookup(pk, u->warp, reg);
	if (!pk->policy->whole) {
		pk->st->packed_writes++;
		++*pk->by_width[width - 1];
	}
	if (!has) {
		allocate(pk, u->warp, reg, width);
	} else if (width > has) {
		pk->st->size_grows++;
		n = grow(pk, u, reg, width, out);
	} else if (width < has) {
		pk->st->size_shrinks++;
		shrink(pk, u, reg, width);
	}
	if (width != has)
		update(pk, u->warp, reg);
	s = *rename_find(pk->r, u->warp, reg);
	out[n++] = access_one(pk, s, (uint32_t)1 << dst);
	return n;
}

void packed_warp_exit(struct packing *pk, unsigned warp) { rename_warp_exit(pk->r, warp); }

void packed_store(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned dst)
{
	rename_write_access(pk->r, a, u->dst_value[dst], u->active);
}

/* Only banks with two addresses read two entries at once. */
const char *packed_deliver(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned src,
			   uint32_t lane[WARP_LANES])
{
	if (a->mask[1] && a->entry != a->entry2 && !pk->policy->byte_sliced)
		return "nothing, as its access is of two entries";
	return rename_read_access(pk->r, u, a, src, lane);
}
