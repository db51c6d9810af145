/* DRAM with first-ready, first-come scheduling (Rixner et al., ISCA 2000), without stepping it.
 *
 * A bank keeps the last few batches of requests, a batch being those to one row. A request joins the batch of its row if
 * that row is the bank's open one, or if the batch is still being served when the request arrives: the scheduler would
 * have picked it before closing the row. Otherwise it opens a new batch, after the bank's previous one has ended.
 * The data bus is an amount of work: it serves whatever is ready, so that a request that waits for its row does not block
 * those behind it. It turns round between reads and writes once for a batch. Limits: no refresh, no bound on the queue. */
#include "runtime-model/dram.h"

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void dram_init(struct dram *d, const struct params *p, struct stats *st)
{
	*d = (struct dram){ .p = p, .st = st };
}

/* Address bits from the low end: 7 in a line's half or slice, 1 of the bank, 3 of the column, 3 of the bank, then the row:
 * 2 KB of a row are consecutive but for the slice bit, as the peer's address map has it. */
static unsigned bank_of(const struct dram *d, uint64_t address)
{
	return (unsigned)((address >> 7 & 1) | (address >> 11 & 7) << 1) % d->p->dram_banks;
}

cycle dram_access(struct dram *d, cycle at, uint64_t address, unsigned bytes, bool write)
{
	const struct params *p = d->p;
	struct dram_bank *b = &d->bank[bank_of(d, address)];
	uint64_t row = address >> 14, t = (at * p->dram_mhz + p->sm_mhz - 1) / p->sm_mhz;
	uint64_t burst = (bytes + p->dram_bytes_cycle - 1) / p->dram_bytes_cycle, ready;
	struct dram_batch *q = NULL;
	bool fresh;

	for (unsigned i = 0; i < DRAM_BATCHES; i++)
		if (b->batch[i].used && b->batch[i].row == row && (i == b->newest || b->batch[i].end >= t))
			q = &b->batch[i];
	fresh = !q;
	if (q) {
		d->st->dram_row_hits++;
		ready = max64(t + p->dram_cl, q->data);
	} else {
		struct dram_batch *last = &b->batch[b->newest];
		uint64_t act = max64(max64(t, b->next_activate), d->next_activate);

		d->st->dram_row_misses++;
		if (last->used)
			act = max64(act, last->end) + p->dram_rp;
		d->next_activate = max64(d->next_activate, t) + p->dram_rrd;
		b->next_activate = act + p->dram_rc;
		b->newest = (b->newest + 1) % DRAM_BATCHES;
		q = &b->batch[b->newest];
		*q = (struct dram_batch){ .row = row, .used = true, .data = act + p->dram_rcd + p->dram_cl };
		ready = q->data;
	}
	if (write != q->write || fresh) {
		if (write != d->writing)
			d->bus += write ? p->dram_rtw : p->dram_cdlr + p->dram_cl;
		d->writing = q->write = write;
	}
	d->bus = max64(d->bus, t) + burst;
	q->end = max64(q->end, max64(d->bus, ready + burst));
	if (write)
		d->st->dram_writes++;
	else
		d->st->dram_reads++;
	return (max64(d->bus, ready + burst) * p->sm_mhz + p->dram_mhz - 1) / p->dram_mhz;
}
