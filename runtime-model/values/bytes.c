/* Where the values axis has the bytes of a register: bytes.h. Nothing but the encoding says which bytes are where. */
#include "runtime-model/values/bytes.h"

#include "runtime-model/core/checked.h"

static void put(struct stored *r, unsigned at, unsigned byte, unsigned *touched)
{
	r->array[at / ARRAY_BYTES][at % ARRAY_BYTES] = (uint8_t)byte;
	*touched |= 1u << at / ARRAY_BYTES;
}

static uint32_t get(const struct stored *r, unsigned at, unsigned *touched)
{
	*touched |= 1u << at / ARRAY_BYTES;
	return r->array[at / ARRAY_BYTES][at % ARRAY_BYTES];
}

static void put_word(struct stored *r, unsigned at, uint32_t word, unsigned *touched)
{
	for (unsigned b = 0; b < 4; b++)
		put(r, at + b, word >> 8 * b & 255, touched);
}

static uint32_t get_word(const struct stored *r, unsigned at, unsigned *touched)
{
	uint32_t word = 0;

	for (unsigned b = 0; b < 4; b++)
		word |= get(r, at + b, touched) << 8 * b;
	return word;
}

/* Byte b of lane l; lane by lane, and byte by byte. */
static unsigned by_word(unsigned l, unsigned b) { return 4 * l + b; }
static unsigned by_byte(unsigned l, unsigned b) { return (2 * b + l / HALF_LANES) * ARRAY_BYTES + l % HALF_LANES; }

static unsigned store_words(struct stored *r, unsigned (*place)(unsigned l, unsigned b), uint32_t lanes,
			    const unsigned n[2], const uint32_t v[WARP_LANES])
{
	unsigned touched = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);

		for (unsigned b = 0; b < n[l / HALF_LANES]; b++)
			put(r, place(l, b), v[l] >> 8 * b & 255, &touched);
	}
	return touched;
}

/* The n lowest bytes of each half's lanes; those above them are the base's. */
static unsigned load_words(const struct stored *r, unsigned (*place)(unsigned l, unsigned b), const unsigned n[2],
			   const uint32_t base[2], uint32_t v[WARP_LANES])
{
	unsigned touched = 0;

	for (unsigned l = 0; l < WARP_LANES; l++) {
		const unsigned own = n[l / HALF_LANES];

		v[l] = own < 4 ? base[l / HALF_LANES] >> 8 * own << 8 * own : 0;
		for (unsigned b = 0; b < own; b++)
			v[l] |= get(r, place(l, b), &touched) << 8 * b;
	}
	return touched;
}

/* Bytes of each lane that a half has in its arrays. */
static void own_bytes(struct encoding e, bool half, unsigned n[2])
{
	n[0] = 4u - (half ? e.lo : e.all);
	n[1] = 4u - (half ? e.hi : e.all);
	if (e.divergent)
		n[0] = n[1] = 4;
}

static const unsigned whole[2] = { 4, 4 };

static unsigned store_sliced(struct stored *r, struct encoding e, bool half, const uint32_t v[WARP_LANES])
{
	unsigned n[2];

	r->base[0] = e.divergent ? e.lanes : v[0];
	if (!e.divergent && half)
		r->base[1] = v[HALF_LANES];
	own_bytes(e, half, n);
	return store_words(r, by_byte, e.lanes, n, v);
}

static unsigned store_bdi(struct stored *r, struct encoding e, const uint32_t v[WARP_LANES])
{
	const unsigned n = e.bdi - BDI_0;
	unsigned touched = 0;

	put_word(r, 0, v[0], &touched);
	for (unsigned l = 1; l < WARP_LANES; l++)
		for (unsigned b = 0; b < n; b++)
			put(r, 4 + (l - 1) * n + b, (v[l] - v[0]) >> 8 * b & 255, &touched);
	return touched;
}

static unsigned load_bdi(const struct stored *r, struct encoding e, uint32_t v[WARP_LANES])
{
	const unsigned n = e.bdi - BDI_0;
	unsigned touched = 0;

	v[0] = get_word(r, 0, &touched);
	for (unsigned l = 1; l < WARP_LANES; l++) {
		uint32_t delta = 0;

		for (unsigned b = 0; b < n; b++)
			delta |= get(r, 4 + (l - 1) * n + b, &touched) << 8 * b;
		if (n && delta >> (8 * n - 1))
			delta |= UINT32_MAX << 8 * n;
		v[l] = v[0] + delta;
	}
	return touched;
}

static unsigned store_affine(struct stored *r, const uint32_t v[WARP_LANES])
{
	unsigned touched = 0;

	put_word(r, 0, v[0], &touched);
	put_word(r, 4, v[1] - v[0], &touched);
	return touched;
}

static unsigned load_affine(const struct stored *r, uint32_t v[WARP_LANES])
{
	unsigned touched = 0;
	const uint32_t base = get_word(r, 0, &touched), stride = get_word(r, 4, &touched);

	for (unsigned l = 0; l < WARP_LANES; l++)
		v[l] = base + l * stride;
	return touched;
}

unsigned bytes_store(struct stored *r, enum bytes_layout layout, struct encoding e, bool half,
		     const uint32_t v[WARP_LANES])
{
	if (layout == LAYOUT_SLICED)
		return store_sliced(r, e, half, v);
	if (layout == LAYOUT_BDI && e.bdi != BDI_NONE)
		return store_bdi(r, e, v);
	if (layout == LAYOUT_AFFINE && e.affine)
		return store_affine(r, v);
	if (layout == LAYOUT_SCALAR && encoding_is_scalar(e)) {
		r->base[0] = v[0];
		return 0;
	}
	return store_words(r, by_word, e.lanes, whole, v);
}

unsigned bytes_load(const struct stored *r, enum bytes_layout layout, struct encoding e, bool half,
		    uint32_t v[WARP_LANES])
{
	const uint32_t base[2] = { r->base[0], r->base[half] };
	unsigned n[2];

	if (layout == LAYOUT_SLICED) {
		own_bytes(e, half, n);
		return load_words(r, by_byte, n, base, v);
	}
	if (layout == LAYOUT_BDI && e.bdi != BDI_NONE)
		return load_bdi(r, e, v);
	if (layout == LAYOUT_AFFINE && e.affine)
		return load_affine(r, v);
	if (layout == LAYOUT_SCALAR && encoding_is_scalar(e)) {
		for (unsigned l = 0; l < WARP_LANES; l++)
			v[l] = r->base[0];
		return 0;
	}
	return load_words(r, by_word, whole, base, v);
}

void bytes_poison(struct stored *r, unsigned phys)
{
	for (unsigned i = 0; i < BYTE_ARRAYS * ARRAY_BYTES; i++)
		r->array[i / ARRAY_BYTES][i % ARRAY_BYTES] = (uint8_t)(checked_garbage(phys, i / 4) >> 8 * (i % 4));
	r->base[0] = ~checked_garbage(phys, 0);
	r->base[1] = ~checked_garbage(phys, HALF_LANES);
}
