/* The tables of an object, and the annotations of liveness and release: made from the facts for writing, and made again
 * for comparing.
 *
 * A register is released at a point if it held a value that the thread does not read any more (passes/ends.c). On every
 * path that a thread takes, each register that is written is so released once for each time it becomes live. A warp may
 * take both sides of a branch, one after the other: when it may give a physical register back is the release
 * annotation. */
#include "analyzer/elf/format.h"

#include "passes/pass.h"

const struct rlo_table rlo_table[RLO_R_COUNT] = {
#define R(t, magic, version, section, kernel) [RLO_R_##t] = { magic, section, version, RLO_BYTES_##t, kernel },
	RLO_RECORDS(R)
#undef R
};

uint8_t *buf_room(struct buf *b, size_t bytes)
{
	uint8_t *at;

	if (b->cap - b->n < bytes) {
		uint8_t *wider;

		b->cap = (b->cap ? b->cap * 2 : 256) + bytes;
		wider = arena_alloc(b->a, b->cap, 8);
		if (b->n)
			memcpy(wider, b->p, b->n);
		b->p = wider;
	}
	at = b->p + b->n;
	b->n += bytes;
	return at;
}

struct buf rlo_table_begin(enum rlo_record t, struct arena *a)
{
	struct buf b = { .a = a };

	memcpy(buf_room(&b, RLO_HEAD_BYTES), rlo_table[t].magic, 4);
	return b;
}

void rlo_table_end(struct buf *b, enum rlo_record t)
{
	struct io io = { b->p + 4, true };

	io_int(&io, rlo_table[t].version, 2);
	io_int(&io, rlo_table[t].bytes, 2);
	io_int(&io, (b->n - RLO_HEAD_BYTES) / rlo_table[t].bytes, 8);
}

static void put_block(struct buf *out, const struct kernel *k, uint32_t b)
{
	struct rlo_live r = { .in = { 0 } };
	struct io io = { buf_room(out, RLO_BYTES_live), true };

	live_copy(r.in, live_in(k, b), MREG_COUNT);
	live_copy(r.out, live_out(k, b), MREG_COUNT);
	live_find_entry_release(k, b, r.entry_release);
	rlo_io_live(&io, &r);
}

static void put_point(struct rlo_liveness *out, struct rlo_point *pt, const struct kernel *k, const struct insn *i,
		      uint64_t *set)
{
	struct live_ends e;

	live_find_ends(k, i, set, &e);
	live_step_back(k, i, set);
	pt->live32 = (uint16_t)bitset_count(set, MREG_RZ);
	pt->livep = (uint16_t)(bitset_count(set, MREG_COUNT) - pt->live32);
	pt->last_read = e.last_operands | (uint32_t)e.last_guard << RLO_GUARD_BIT;
	pt->releases = (uint16_t)e.nrelease;
	/* blocks are walked backwards, so the list is made from its end and reversed at last */
	while (e.nrelease)
		RLO_PUT(&out->release, release, .reg = (uint16_t)e.release[--e.nrelease]);
}

static void reverse_releases(struct buf *b)
{
	uint8_t *lo = b->p + RLO_HEAD_BYTES, *hi = b->p + b->n - RLO_BYTES_release;

	for (; lo < hi; lo += RLO_BYTES_release, hi -= RLO_BYTES_release)
		for (unsigned x = 0; x < RLO_BYTES_release; x++) {
			uint8_t t = lo[x];

			lo[x] = hi[x];
			hi[x] = t;
		}
}

void rlo_encode_liveness(const struct kernel *k, struct arena *a, struct rlo_liveness *out)
{
	struct rlo_point *pt = new_array(a, struct rlo_point, k->ninsn + 1);

	out->live = rlo_table_begin(RLO_R_live, a);
	out->point = rlo_table_begin(RLO_R_point, a);
	out->release = rlo_table_begin(RLO_R_release, a);
	for (uint32_t b = 0; b < k->nblock; b++)
		put_block(&out->live, k, b);
	for (uint32_t b = k->nblock; b-- > 0;) {
		uint64_t set[RLO_SET_WORDS];

		live_copy(set, live_out(k, b), MREG_COUNT);
		for (uint32_t i = k->block[b].first + k->block[b].n; i-- > k->block[b].first;)
			put_point(out, &pt[i], k, &k->insn[i], set);
	}
	reverse_releases(&out->release);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct io io = { buf_room(&out->point, RLO_BYTES_point), true };

		rlo_io_point(&io, &pt[i]);
	}
	rlo_table_end(&out->live, RLO_R_live);
	rlo_table_end(&out->point, RLO_R_point);
	rlo_table_end(&out->release, RLO_R_release);
}

void rlo_encode_release(const struct kernel *k, struct arena *a, struct rlo_releases *out)
{
	const struct release *l = k->release;

	out->wait = rlo_table_begin(RLO_R_wait, a);
	out->wfree = rlo_table_begin(RLO_R_wfree, a);
	for (uint32_t b = 0; b < k->nblock; b++) {
		struct rlo_wait r;
		struct io io = { buf_room(&out->wait, RLO_BYTES_wait), true };

		memcpy(r.wait, k->wlive->wait[b], sizeof r.wait);
		rlo_io_wait(&io, &r);
		for (uint32_t x = l->entry_at[b]; x < l->entry_at[b + 1]; x++)
			RLO_PUT(&out->wfree, wfree, .at = b, .reg = l->entry_reg[x], .entry = 1);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			for (uint32_t x = l->at[i]; x < l->at[i + 1]; x++)
				RLO_PUT(&out->wfree, wfree, .at = i, .reg = l->reg[x]);
	}
	rlo_table_end(&out->wait, RLO_R_wait);
	rlo_table_end(&out->wfree, RLO_R_wfree);
}
