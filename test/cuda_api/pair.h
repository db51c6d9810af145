/* A parent and its child that talk over a socket, of tests of memory and events of other processes. CHECK is the
 * includer's. */
#ifndef REGLOOM_TEST_PAIR_H
#define REGLOOM_TEST_PAIR_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void tell(int to, const void *p, size_t n) { CHECK(write(to, p, n) == (ssize_t)n); }
static inline void hear(int from, void *p, size_t n)
{
	if (read(from, p, n) != (ssize_t)n)
		exit(1);
}

/* Each gets its end of the socket; the child's status says whether anything was wrong with it. */
static inline void two_processes(void (*parent)(int), void (*child)(int))
{
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	fflush(stdout);
	if (!fork()) {
		close(pair[0]);
		child(pair[1]);
		fflush(stdout);
		_exit(wrong != 0);
	}
	close(pair[1]);
	parent(pair[0]);
	close(pair[0]);
}

#endif
