/* Matrices between memory and registers: wmma.load, wmma.store, ldmatrix, stmatrix; and movmatrix.
 *
 * Address and stride of wmma are those of lane 0; the ISA demands the same in all lanes. A line is a row or a column as
 * it lies in memory. The ISA demands that each line is aligned to the size of a lane's fragment; 16 bytes suffice here,
 * as they do for CUDA's load_matrix_sync. Records: lines of global memory as they are first touched; passes over shared
 * memory for 32 words after another, for ldmatrix that is one tile of 8 rows. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/tensor.h"

#include <string.h>

enum { IMAGE_BYTES = 2048, LINES = 64, TILE_ROWS = 8, TILE_ROW_BYTES = 16 };

/* what has been touched, for the record */
struct lines {
	uint64_t global[IMAGE_BYTES / 4], shared[IMAGE_BYTES / 4];
	unsigned nglobal, nshared, piece; /* bytes of a global piece; shared ones are words */
};

/* Notes bytes [at, at + bytes) of a space. */
static void touch(struct lines *t, const struct span *s, unsigned bytes)
{
	if (s->space == SP_GLOBAL) {
		for (unsigned o = 0; o < bytes; o += t->piece)
			t->global[t->nglobal++] = s->at + o;
	} else {
		for (unsigned o = 0; o < bytes; o += 4)
			t->shared[t->nshared++] = s->at + o;
	}
}

static void note_lines(struct engine *e, const struct lines *t)
{
	unsigned passes = 0;

	e->nline = t->nglobal ? coalesce_pieces(t->global, t->nglobal, t->piece, e->line) : 0;
	for (unsigned first = 0; first < t->nshared; first += WARP_LANES) {
		unsigned n = t->nshared - first;

		passes += shared_passes(t->shared + first, n >= WARP_LANES ? UINT32_MAX : (1u << n) - 1, 4, false);
	}
	if (t->nshared)
		e->line[e->nline++] = memory_pass_word(SP_SHARED, t->shared[0], passes);
}

static uint64_t address(const struct engine *e, const struct warp *w, const struct xmatrix *mx, unsigned lane)
{
	const uint32_t *v = matrix_operand(e, w, mx->address);
	uint64_t at = v[lane];

	if (mx->wide)
		return (at | (uint64_t)v[lane + WARP_LANES] << 32) + (uint64_t)mx->offset;
	return (uint32_t)(at + (uint64_t)mx->offset);
}

/* ---- wmma ---- */
/* Registers from the lines in memory order, or the lines from registers. */
static void exchange(const struct engine *e, struct warp *w, const struct xmatrix *mx, const struct fragment *f,
		     unsigned regs, bool load, unsigned char *image)
{
	unsigned bytes = f->bits / 8u;

	for (unsigned r = 0; r < regs; r++) {
		const uint16_t *at = f->at + (size_t)(r % f->regs) * WARP_LANES * f->each;
		const uint32_t *src = load ? NULL : matrix_operand(e, w, mx->src[r]);

		for (unsigned l = 0; l < WARP_LANES; l++) {
			uint64_t v;
			if (load)
				v = 0;
			else
				v = bytes == 8 ? (uint64_t)src[l + WARP_LANES] << 32 | src[l] : src[l];

			for (unsigned j = 0; j < f->each; j++, at++) {
				unsigned row = *at / f->cols, col = *at % f->cols;
				unsigned char *p = image + (mx->x.col[0] ? col * f->rows + row : *at) * bytes,
					      *part = (unsigned char *)&v + j * bytes;

				memcpy(load ? part : p, load ? p : part, bytes);
			}
			if (!load)
				continue;
			w->reg[mx->dst[r] + l] = (uint32_t)v;
			if (bytes == 8)
				w->reg[mx->dst[r] + WARP_LANES + l] = (uint32_t)(v >> 32);
		}
	}
}

static bool transfer_lines(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, const struct xmatrix *mx)
{
	const struct matrix *x = &mx->x;
	const struct fragment *f = &mx->part[x->part];
	bool load = x->kind == MATRIX_WLOAD, col = x->col[0];
	unsigned regs = x->regs[x->part], n = col ? f->cols : f->rows, bytes = (col ? f->rows : f->cols) * f->bits / 8u;
	unsigned own = regs * (f->bits == 64 ? 8u : 4u), align = own < 16 ? own : 16;
	uint64_t stride =
		matrix_operand(e, w, mx->src[load ? 0 : regs])[0] * (uint64_t)type_info[x->type[x->part]].bits;
	uint64_t base = address(e, w, mx, 0);
	struct span s[LINES];
	unsigned char image[IMAGE_BYTES];
	struct lines t = { .piece = align };

	if (base % align)
		return fault_address(e, c, w, insn, 0, mx->space, base, align);
	if (stride % (align * 8))
		return fault_in(e, FAULT_MISALIGNED, c, w, insn, 0, "the stride, %llu bytes, is not a multiple of %u",
				(unsigned long long)stride / 8, align);
	for (unsigned i = 0; i < n; i++) {
		uint64_t at = base + i * (stride / 8);

		if (!memory_span(e, c, w, insn, 0, mx->space, mx->wide ? at : (uint32_t)at, bytes, !load, &s[i]))
			return false;
		if (e->recording)
			touch(&t, &s[i], bytes);
	}
	if (load)
		for (unsigned i = 0; i < n; i++)
			memcpy(image + i * bytes, s[i].host, bytes);
	exchange(e, w, mx, f, load ? regs : f->regs, load, image);
	if (!load)
		for (unsigned i = 0; i < n; i++)
			memcpy(s[i].host, image + i * bytes, bytes);
	if (e->recording)
		note_lines(e, &t);
	return true;
}

/* ---- tiles of 8 x 8 halves: row l / 4, columns 2 (l % 4) and one more are lane l's; transposed, the other way round
 * ---- */
static unsigned tile_byte(bool trans, unsigned lane, unsigned j)
{
	unsigned row = lane / 4, col = lane % 4 * 2 + j;

	return trans ? col * TILE_ROW_BYTES + row * 2 : row * TILE_ROW_BYTES + col * 2;
}

static void tile_load(const unsigned char *tile, bool trans, uint32_t d[WARP_LANES])
{
	for (unsigned l = 0; l < WARP_LANES; l++) {
		uint16_t h[2];

		for (unsigned j = 0; j < 2; j++)
			memcpy(&h[j], tile + tile_byte(trans, l, j), 2);
		d[l] = h[0] | (uint32_t)h[1] << 16;
	}
}

static void tile_store(unsigned char *tile, bool trans, const uint32_t v[WARP_LANES])
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		for (unsigned j = 0; j < 2; j++) {
			uint16_t h = (uint16_t)(v[l] >> 16 * j);

			memcpy(tile + tile_byte(trans, l, j), &h, 2);
		}
}

static bool transfer_tiles(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, const struct xmatrix *mx)
{
	bool load = mx->x.kind == MATRIX_LDMATRIX;
	unsigned rows = mx->x.tiles * (unsigned)TILE_ROWS;
	unsigned char tile[WARP_LANES * TILE_ROW_BYTES];
	struct span s[WARP_LANES];
	struct lines t = { .piece = TILE_ROW_BYTES };

	for (unsigned l = 0; l < rows; l++) {
		uint64_t at = address(e, w, mx, l);

		if (at % TILE_ROW_BYTES)
			return fault_address(e, c, w, insn, l, mx->space, at, TILE_ROW_BYTES);
		if (!memory_span(e, c, w, insn, l, mx->space, at, TILE_ROW_BYTES, !load, &s[l]))
			return false;
		if (s[l].space != SP_SHARED)
			return fault_in(e, FAULT_SPACE, c, w, insn, l, "address 0x%llx is not in shared memory",
					(unsigned long long)at);
		if (w->controls && !controls_shared(e, c, w, insn, l, s[l].at, TILE_ROW_BYTES))
			return false;
		if (load)
			memcpy(tile + l * TILE_ROW_BYTES, s[l].host, TILE_ROW_BYTES);
		if (e->recording)
			touch(&t, &s[l], TILE_ROW_BYTES);
	}
	for (unsigned i = 0; i < mx->x.tiles; i++) {
		if (load)
			tile_load(tile + i * TILE_ROWS * TILE_ROW_BYTES, mx->x.trans, w->reg + mx->dst[i]);
		else
			tile_store(tile + i * TILE_ROWS * TILE_ROW_BYTES, mx->x.trans,
				   matrix_operand(e, w, mx->src[i]));
	}
	for (unsigned l = 0; l < rows && !load; l++)
		memcpy(s[l].host, tile + l * TILE_ROW_BYTES, TILE_ROW_BYTES);
	if (e->recording)
		note_lines(e, &t);
	return true;
}

bool tensor_transfer(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, const struct xmatrix *mx)
{
	uint32_t insn = insn_of(e, x);

	return mx->x.kind == MATRIX_LDMATRIX || mx->x.kind == MATRIX_STMATRIX ? transfer_tiles(e, c, w, insn, mx)
									      : transfer_lines(e, c, w, insn, mx);
}

void tensor_move(const struct engine *e, struct warp *w, const struct xmatrix *mx)
{
	unsigned char tile[TILE_ROWS * TILE_ROW_BYTES];

	tile_store(tile, false, matrix_operand(e, w, mx->src[0]));
	tile_load(tile, true, w->reg + mx->dst[0]);
}
