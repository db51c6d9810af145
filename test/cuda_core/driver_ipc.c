/* Memory and events of another process, with the driver interface: a child that is forked before cuInit(). */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAZY = 1, INTERPROCESS = 6, IPC_CAPABLE = 10, EVENT_SUPPORTED = 125 };

static void tell(int to, const void *p, size_t n) { CHECK(write(to, p, n) == (ssize_t)n); }
static void hear(int from, void *p, size_t n)
{
	if (read(from, p, n) != (ssize_t)n)
		exit(1);
}

struct given {
	struct ipc memory, event;
};

static void child(int parent)
{
	void *c, *other = NULL, *e = NULL;
	unsigned word = 8;
	struct given g;
	ptr p = 0, q = 0;
	int can = 9;

	hear(parent, &g, sizeof g);
	IS(cuIpcOpenMemHandle_v2(&p, g.memory, LAZY), 3);
	c = context();
	IS(cuIpcOpenMemHandle_v2(NULL, g.memory, LAZY), 1);
	IS(cuIpcOpenMemHandle_v2(&p, g.memory, 0), 1);
	IS(cuIpcOpenMemHandle_v2(&p, g.event, LAZY), 1);
	IS(cuIpcOpenMemHandle_v2(&p, g.memory, LAZY), 0);
	IS(cuIpcOpenMemHandle(&q, g.memory, LAZY), 0);
	CHECK(p == q);
	IS(cuPointerGetAttribute(&can, IPC_CAPABLE, p), 0);
	IS(can, 0);
	IS(cuPointerGetAttribute(&other, 1, p), 0);
	CHECK(other == c);
	IS(cuMemFree_v2(p), 1);
	IS(cuIpcCloseMemHandle(p + 4), 1);
	IS(cuIpcCloseMemHandle(p), 0);
	IS(cuMemcpyDtoH_v2(&word, p, 4), 0);
	IS(word, 5);
	IS(cuIpcCloseMemHandle(p), 0);
	IS(cuIpcCloseMemHandle(p), 1);
	/* It goes with the context that opened it, as do events. */
	IS(cuCtxCreate_v2(&other, 0, 0), 0);
	IS(cuIpcOpenMemHandle_v2(&p, g.memory, LAZY), 0);
	IS(cuIpcOpenEventHandle(&e, g.event), 0);
	IS(cuMemsetD32_v2(p, 6, 1), 0);
	IS(cuEventRecord(e, NULL), 0);
	IS(cuCtxDestroy_v2(other), 0);
	IS(cuIpcCloseMemHandle(p), 1);
	IS(cuMemcpyDtoH_v2(&word, p, 4), 1);
	IS(cuEventQuery(e), 400);
	IS(cuCtxDestroy_v2(c), 0);
	IS(cuIpcCloseMemHandle(p), 201);
}

static void parent(int other)
{
	void *e = NULL, *c = context();
	unsigned word = 0;
	struct given g;
	ptr p = 0, managed = 0;
	int can = 9, status = 9;

	IS(cuDeviceGetAttribute(&can, EVENT_SUPPORTED, 0), 0);
	IS(can, 1);
	IS(cuMemAlloc_v2(&p, 64), 0);
	IS(cuMemAllocManaged(&managed, 64, 1), 0);
	IS(cuPointerGetAttribute(&can, IPC_CAPABLE, p + 4), 0);
	IS(can, 1);
	IS(cuPointerGetAttribute(&can, IPC_CAPABLE, managed), 0);
	IS(can, 0);
	IS(cuMemsetD32_v2(p, 5, 16), 0);
	IS(cuIpcGetMemHandle(NULL, p), 1);
	IS(cuIpcGetMemHandle(&g.memory, 0), 1);
	IS(cuIpcGetMemHandle(&g.memory, managed), 1);
	IS(cuIpcGetMemHandle(&g.memory, p), 0);
	IS(cuIpcOpenMemHandle_v2(&managed, g.memory, LAZY), 201);
	IS(cuEventCreate(&e, 2), 0);
	IS(cuIpcGetEventHandle(&g.event, e), 400);
	IS(cuEventDestroy_v2(e), 0);
	IS(cuEventCreate(&e, INTERPROCESS), 0);
	IS(cuIpcGetEventHandle(NULL, e), 1);
	IS(cuIpcGetEventHandle(&g.event, NULL), 1);
	IS(cuIpcGetEventHandle(&g.event, e), 0);
	tell(other, &g, sizeof g);
	CHECK(wait(&status) > 0 && WIFEXITED(status));
	IS(WEXITSTATUS(status), 0);
	IS(cuEventSynchronize(e), 0);
	IS(cuMemcpyDtoH_v2(&word, p, 4), 0);
	IS(word, 6);
	IS(cuCtxDestroy_v2(c), 0);
}

void processes(const char *folder)
{
	int pair[2];

	(void)folder;
	IS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	fflush(stdout);
	if (!fork()) {
		close(pair[0]);
		child(pair[1]);
		fflush(stdout);
		_exit(wrong != 0);
	}
	close(pair[1]);
	parent(pair[0]);
}
