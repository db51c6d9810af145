/* Memory of the process: what arenas and JSON take, against one limit, which a command sets. A limit is of the process
 * as malloc() is, so this is the one place of the libraries that keeps a state of its own. Any thread may call. */
#ifndef REGLOOM_RAM_H
#define REGLOOM_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the exit status of a command that has no memory; bytes of ram_why() */
enum { RAM_EXIT = 4, RAM_TEXT = 160 };

/* At most so many bytes; 0, as at first: as many as the system gives. */
void ram_limit(uint64_t bytes);
uint64_t ram_limited(void);
bool ram_limit_mib(uint64_t mib); /* the same in MiB; false: it is over 2^30 */
/* Is called before the process ends for lack of memory, by whichever thread; set while there is only one. */
void ram_tidy(void (*tidy)(void));
/* The limit unless the user sets one: three quarters of what the machine has, or the control group that the process is
 * in. */
uint64_t ram_share(void);
/* The same of a machine of so many bytes, with the groups of a file like /proc/self/cgroup, whose limits are below
 * `root`. */
uint64_t ram_share_of(uint64_t machine, const char *groups, const char *root);

void *ram_take(size_t bytes);         /* zeroed; NULL: there is no more */
void ram_give(void *p, size_t bytes); /* what ram_take() gave; p NULL: nothing */
/* Bytes that come from elsewhere. False: the limit forbids it. */
bool ram_count(uint64_t bytes);
void ram_uncount(uint64_t bytes);
uint64_t ram_left(void); /* UINT64_MAX: there is no limit */
/* As malloc() and free(), counted, but never NULL. */
void *ram_malloc(size_t bytes);
void ram_free(void *p);

/* Why there was no more: which limit, and the option that sets it. */
const char *ram_why(char text[RAM_TEXT]);
/* Says that, calls ram_tidy()'s function and ends the process with RAM_EXIT. */
_Noreturn void ram_out(void);
bool ram_is_out(void); /* it is ending so: locks may be held */
/* The exit status of a command that fails with `code`: 1 becomes RAM_EXIT if it was memory that it did not get. */
int ram_exit(int code);

#endif
