/* Threads that share out the tasks of one function, again and again: tasks take microseconds to milliseconds. */
#ifndef REGLOOM_POOL_H
#define REGLOOM_POOL_H

#include "analyzer/base/arena.h"

struct pool;
typedef unsigned pool_task(void *ctx, unsigned i); /* returns the work done, in a unit of its own */
/* threads: the caller and those started now. In arena a, which must outlive it. NULL if it is 1, or none could be
 * started. */
struct pool *pool_new(struct arena *a, unsigned threads, pool_task *task, void *ctx);
/* task(ctx, 0) .. task(ctx, n - 1), in any order, on any thread; returns when all are done. Where the threads do not
 * get processors of their own and the caller alone has been faster, it does them alone, and tries the threads again at
 * times. */
void pool_run(struct pool *p, unsigned n);
void pool_free(struct pool *p);
/* Processors that this process may use. */
unsigned pool_cores(void);

#endif
