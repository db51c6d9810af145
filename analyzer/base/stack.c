#include "analyzer/base/stack.h"

#include "analyzer/base/ram.h"

#include <signal.h>
#include <stdint.h>

bool stack_thread(pthread_t *t, void *(*f)(void *), void *ctx)
{
	pthread_attr_t a;
	bool ok;

	if (pthread_attr_init(&a) != 0)
		return false;
	ok = pthread_attr_setstacksize(&a, STACK_BYTES) == 0 && pthread_create(t, &a, f, ctx) == 0;
	pthread_attr_destroy(&a);
	return ok;
}

/* Where the stack of this thread ends, asked for once: of the first thread the answer is in a file. */
static bool roomy(void)
{
	static _Thread_local uintptr_t end;
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	pthread_attr_t a;
	size_t bytes;
	void *low;

	if (!end && pthread_getattr_np(pthread_self(), &a) == 0) {
		end = pthread_attr_getstack(&a, &low, &bytes) == 0 ? (uintptr_t)low : UINTPTR_MAX;
		pthread_attr_destroy(&a);
	}
	return end && here > end && here - end >= STACK_NEED;
}

struct call {
	void (*f)(void *);
	void *ctx;
	sigset_t signals;
};

static void *call(void *ctx)
{
	const struct call *c = ctx;

	pthread_sigmask(SIG_SETMASK, &c->signals, NULL);
	c->f(c->ctx);
	return NULL;
}

void stack_run(void (*f)(void *), void *ctx)
{
	struct call c = { .f = f, .ctx = ctx };
	sigset_t all;
	pthread_t t;

	if (roomy()) {
		f(ctx);
		return;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &c.signals);
	if (!stack_thread(&t, call, &c))
		ram_out();
	pthread_join(t, NULL);
	pthread_sigmask(SIG_SETMASK, &c.signals, NULL);
}

struct program {
	int (*f)(int argc, char **argv);
	int argc;
	char **argv;
	int code;
};

static void run_program(void *ctx)
{
	struct program *p = ctx;

	p->code = p->f(p->argc, p->argv);
}

int stack_main(int (*f)(int argc, char **argv), int argc, char **argv)
{
	struct program p = { .f = f, .argc = argc, .argv = argv };

	stack_run(run_program, &p);
	return p.code;
}
