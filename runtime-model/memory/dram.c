/* DRAM with first-ready, first-come scheduling (Rixner et al., ISCA 2000), without stepping it.
 *
 * A bank keeps the last few batches of requests, a batch being those to one row. A request joins the batch of its row
 * if that row is the bank's open one, or if the batch is still being served when the request enters the scheduler's
 * queue: the scheduler would have picked it before closing the row. Otherwise it opens a new batch, after the bank's
 * previous one has ended. The data bus, and the column commands of each bank group, are amounts of work: they serve
 * whatever is ready, so that a request that waits for its row does not block those behind it. The bus turns round
 * between reads and writes once for a batch. The queue holds dram_queue requests; its entries are taken to leave in the
 * order in which they came. Limits: no refresh. */
#include "runtime-model/memory/dram.h"

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

void dram_init(struct dram *d, const struct params *p, struct stats *st, struct arena *a)
{
	*d = (struct dram){ .p = p, .st = st, .leaves = new_array(a, uint64_t, p->dram_queue + 1) };
}

/* Address bits of a partition, from the low end, as the peer's address map has them: 8 of the column, 1 of the bank, 4
 * of the column, 3 of the bank, then the row. The slices of the L2 alternate with the lowest bit of the bank. */
static unsigned bank_of(const struct dram *d, uint64_t address)
{
	return (unsigned)((address >> 8 & 1) | (address >> 13 & 7) << 1) % d->p->dram_banks;
}

/* When the next of the queue's entries is free for a request that comes at t. */
static uint64_t enter_queue(const struct dram *d, uint64_t t)
{
	return d->p->dram_queue ? max64(t, d->leaves[d->nleave % d->p->dram_queue]) : t;
}

cycle dram_access(struct dram *d, cycle at, uint64_t address, unsigned requests, unsigned bytes, bool write)
{
	const struct params *p = d->p;
	unsigned bank = bank_of(d, address), group = bank % p->dram_groups;
	struct dram_bank *b = &d->bank[bank];
	uint64_t row = address >> 16, t = enter_queue(d, (at * p->dram_mhz + p->sm_mhz - 1) / p->sm_mhz);
	uint64_t burst = (p->dram_burst_bytes + p->dram_bytes_cycle - 1) / p->dram_bytes_cycle,
		 apart = max64(burst, p->dram_ccdl);
	unsigned each = (bytes / requests + p->dram_burst_bytes - 1) / p->dram_burst_bytes,
		 bursts = requests * (each ? each : 1);
	uint64_t command = write ? p->dram_wl : p->dram_cl, ready, end;
	struct dram_batch *q = NULL;
	bool fresh;

	for (unsigned i = 0; i < DRAM_BATCHES; i++)
		if (b->batch[i].used && b->batch[i].row == row && (i == b->newest || b->batch[i].end >= t))
			q = &b->batch[i];
	fresh = !q;
	if (q) {
		d->st->dram_row_hits++;
	} else {
		struct dram_batch *last = &b->batch[b->newest];
		uint64_t act = max64(max64(t, b->next_activate), d->next_activate);

		d->st->dram_row_misses++;
		/* a read's data may still be on their way when its row is closed; a write's must be in */
		if (last->used) {
			const uint64_t begun = last->end < p->dram_cl ? 0 : last->end - p->dram_cl;
			const uint64_t close = last->wrote ? last->end + p->dram_wr : begun;

			act = max64(act, max64(t, close) + p->dram_rp);
		}
		d->next_activate = max64(d->next_activate, t) + p->dram_rrd;
		b->next_activate = act + max64(p->dram_rc, p->dram_ras + p->dram_rp);
		b->newest = (b->newest + 1) % DRAM_BATCHES;
		q = &b->batch[b->newest];
		*q = (struct dram_batch){ .row = row, .used = true, .data = act + p->dram_rcd };
	}
	ready = max64(t, q->data) + command;
	if (write != q->write || fresh) {
		if (write != d->writing)
			d->bus += write ? p->dram_rtw : p->dram_cdlr + p->dram_cl;
		d->writing = q->write = write;
	}
	q->wrote |= write;
	d->bus = max64(d->bus, t) + bursts * burst;
	d->group[group] = max64(d->group[group], t) + bursts * apart;
	end = max64(max64(d->bus, d->group[group]), ready + (bursts - 1) * apart + burst);
	q->end = max64(q->end, end);
	for (unsigned i = 0; p->dram_queue && i < requests; i++)
		d->leaves[d->nleave++ % p->dram_queue] = end;
	if (write)
		d->st->dram_writes += requests;
	else
		d->st->dram_reads += requests;
	d->st->dram_row_hits += requests - 1;
	d->st->dram_bytes += bytes;
	d->st->dram_bursts += bursts;
	return (end * p->sm_mhz + p->dram_mhz - 1) / p->dram_mhz;
}
