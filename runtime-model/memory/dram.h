/* One DRAM partition: banks with open rows, a data bus, bank groups and a first-ready scheduler, as accumulated
 * work. */
#ifndef REGLOOM_DRAM_H
#define REGLOOM_DRAM_H

#include "runtime-model/core/stats.h"

enum { DRAM_BANKS_MAX = 16, DRAM_BATCHES = 4 };

/* requests to one row; in DRAM cycles */
struct dram_batch {
	uint64_t row;
	uint64_t data, end;
	bool used, write, wrote;
};
struct dram_bank {
	struct dram_batch batch[DRAM_BATCHES];
	unsigned newest;
	uint64_t next_activate;
};
struct dram {
	const struct params *p;
	struct stats *st;
	uint64_t bus;                   /* DRAM cycle up to which the data bus has work */
	uint64_t group[DRAM_BANKS_MAX]; /* likewise each bank group */
	bool writing;                   /* direction of the bus */
	uint64_t next_activate;         /* of any bank (RRD) */
	struct dram_bank bank[DRAM_BANKS_MAX];
	uint64_t *leaves; /* ring over the scheduler's queue: when each of the last entries left it */
	unsigned nleave;
};

void dram_init(struct dram *d, const struct params *p, struct stats *st, struct arena *a);
/* `requests` requests, `bytes` of useful data in all, of one row at a partition-local byte address, arriving in SM
 * cycle `at`. Returns the SM cycle of the last byte. */
cycle dram_access(struct dram *d, cycle at, uint64_t address, unsigned requests, unsigned bytes, bool write);

#endif
