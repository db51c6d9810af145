/* Stacks of a size of our own. The system's limit (ulimit -s) is that of the calling thread, and what threads get that
 * do not say. */
#ifndef REGLOOM_STACK_H
#define REGLOOM_STACK_H

#include <pthread.h>
#include <stdbool.h>

/* Of a thread; what a compilation or a run wants of it at most, deep recursions included. */
enum { STACK_BYTES = 8 << 20, STACK_NEED = 2 << 20 };

/* pthread_create(), with STACK_BYTES of stack. */
bool stack_thread(pthread_t *t, void *(*f)(void *), void *ctx);
/* Calls f, on the stack of the caller if STACK_NEED bytes are left there, else on that of a thread, whose end it waits
 * for. Signals go to that thread meanwhile. Where the system gives no thread the process ends as if it had no
 * memory. */
void stack_run(void (*f)(void *), void *ctx);
/* What f returns, called by stack_run() with the arguments of a program. */
int stack_main(int (*f)(int argc, char **argv), int argc, char **argv);

#endif
