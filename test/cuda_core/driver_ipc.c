/* Memory and events of another process, with the driver interface, by handles and by files: a child that is forked
 * before cuInit(). */
#include "driver.h"

#include "test/cuda_api/pair.h"

#include <string.h>

enum { MIB2 = 2 << 20, FILES = 1 };
#define FILE_OF(fd) ((void *)(intptr_t)(fd))
enum { LAZY = 1, INTERPROCESS = 6, IPC_CAPABLE = 10, EVENT_SUPPORTED = 125 };

extern int cuMemAddressReserve(ptr *, size_t, size_t, ptr, unsigned long long), cuMemAddressFree(ptr, size_t),
	cuMemCreate(unsigned long long *, size_t, const void *, unsigned long long), cuMemRelease(unsigned long long);
extern int cuMemMap(ptr, size_t, size_t, unsigned long long, unsigned long long), cuMemUnmap(ptr, size_t),
	cuMemSetAccess(ptr, size_t, const void *, size_t);
extern int cuMemExportToShareableHandle(void *, unsigned long long, int, unsigned long long),
	cuMemImportFromShareableHandle(unsigned long long *, void *, int);

extern int cuMemPoolExportToShareableHandle(void *, void *, int, unsigned long long),
	cuMemPoolImportFromShareableHandle(void **, void *, int, unsigned long long),
	cuMemPoolExportPointer(struct ipc *, ptr), cuMemPoolImportPointer(ptr *, void *, struct ipc *);
extern int cuMemPoolCreate(void **, const void *), cuMemPoolDestroy(void *), cuDeviceSetMemPool(int, void *),
	cuMemAllocFromPoolAsync(ptr *, size_t, void *, void *), cuMemFreeAsync(ptr, void *);

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

/* A descriptor, or -1. */
static void tell_file(int to, int fd)
{
	char room[CMSG_SPACE(sizeof fd)] = { 0 };
	struct iovec x = { "f", 1 };
	struct msghdr m = { .msg_iov = &x, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd) };
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	CHECK(sendmsg(to, &m, 0) == 1);
}

static int hear_file(int from)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec x = { &byte, 1 };
	struct msghdr m = { .msg_iov = &x, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
	int fd = -1;

	CHECK(recvmsg(from, &m, 0) == 1 && CMSG_FIRSTHDR(&m));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}

/* Memory without an address, at one; 0: there is none. */
static ptr map(unsigned long long m)
{
	const struct {
		struct location at;
		int flags;
	} both = { { 1, 0 }, 3 };
	ptr p = 0;

	IS(cuMemAddressReserve(&p, MIB2, 0, 0, 0), 0);
	IS(cuMemMap(p, MIB2, 0, m, 0), 0);
	IS(cuMemSetAccess(p, MIB2, &both, 1), 0);
	return p;
}

static void unmap(ptr p)
{
	IS(cuMemUnmap(p, MIB2), 0);
	IS(cuMemAddressFree(p, MIB2), 0);
}

static size_t left(void)
{
	size_t f = 0, t = 0;

	IS(cuMemGetInfo_v2(&f, &t), 0);
	return f;
}

static unsigned word_at(ptr p)
{
	unsigned word = 99;

	IS(cuMemcpyDtoH_v2(&word, p, 4), 0);
	return word;
}

static void file_child(int parent)
{
	unsigned long long m = 0, again = 0;
	void *pool = NULL, *c = context();
	const int memory = hear_file(parent), pools = hear_file(parent);
	struct ipc h, gone;
	ptr p, q = 0;
	size_t before;
	int fd = -1;

	hear(parent, &h, sizeof h);
	hear(parent, &gone, sizeof gone);
	before = left();
	IS(cuMemImportFromShareableHandle(NULL, FILE_OF(memory), FILES), 1);
	IS(cuMemImportFromShareableHandle(&m, FILE_OF(memory), 8), 801);
	IS(cuMemImportFromShareableHandle(&m, FILE_OF(parent), FILES), 1);
	IS(cuMemImportFromShareableHandle(&m, FILE_OF(-1), FILES), 1);
	IS(cuMemImportFromShareableHandle(&m, FILE_OF(pools), FILES), 1);
	IS(cuMemPoolImportFromShareableHandle(&pool, FILE_OF(memory), FILES, 0), 1);
	IS(cuMemImportFromShareableHandle(&m, FILE_OF(memory), FILES), 0);
	IS(cuMemImportFromShareableHandle(&again, FILE_OF(memory), FILES), 0);
	close(memory);
	CHECK(left() == before); /* it is the parent's */
	p = map(m);
	IS(word_at(p), 11);
	IS(cuMemsetD32_v2(p, 12, 1), 0);
	IS(cuMemRelease(m), 0);
	IS(word_at(p), 12);
	q = map(again);
	IS(word_at(q), 12);
	IS(cuMemRelease(again), 0);
	unmap(p);
	unmap(q);

	IS(cuMemPoolImportFromShareableHandle(NULL, FILE_OF(pools), FILES, 0), 1);
	IS(cuMemPoolImportFromShareableHandle(&pool, FILE_OF(pools), 8, 0), 801);
	IS(cuMemPoolImportFromShareableHandle(&pool, FILE_OF(parent), FILES, 0), 1);
	IS(cuMemPoolImportFromShareableHandle(&pool, FILE_OF(pools), FILES, 0), 0);
	close(pools);
	IS(cuMemAllocFromPoolAsync(&p, 64, pool, NULL), 1); /* it is the parent's */
	IS(cuDeviceSetMemPool(0, pool), 1);
	IS(cuMemPoolExportToShareableHandle(&fd, pool, FILES, 0), 1);
	IS(cuMemPoolImportPointer(NULL, pool, &h), 1);
	IS(cuMemPoolImportPointer(&p, pool, NULL), 1);
	IS(cuMemPoolImportPointer(&p, pool, &(struct ipc){ "nothing" }), 1);
	IS(cuMemPoolImportPointer(&p, pool, &gone), 205);
	IS(cuMemPoolImportPointer(&p, pool, &h), 0);
	IS(cuMemPoolImportPointer(&q, pool, &h), 0);
	IS(cuMemPoolExportPointer(&gone, p), 1);
	CHECK(p != q);
	CHECK(left() == before); /* the parent's, too */
	IS(word_at(p), 13);
	IS(cuMemsetD32_v2(q, 14, 1), 0);
	IS(word_at(p), 14);
	IS(cuMemFreeAsync(p, NULL), 0);
	IS(cuMemFree_v2(q), 0);
	IS(cuMemFree_v2(q), 1);
	IS(cuMemPoolDestroy(pool), 0);
	CHECK(left() == before);
	IS(cuCtxDestroy_v2(c), 0);
}

/* The program has closed all that it does not know, and its own files have the numbers. */
static void closed_files(int other, const void *shared, const void *plain)
{
	const char text[] = "the program's";
	unsigned long long own = 0, common = 0, next = 0;
	char got[sizeof text];
	int own_file[64], fd = -1;
	FILE *f = tmpfile();

	CHECK(f && dup2(fileno(f), 200) == 200 && write(200, text, sizeof text) == (ssize_t)sizeof text);
	IS(cuMemCreate(&own, MIB2, shared, 0), 0);
	IS(cuMemCreate(&common, MIB2, plain, 0), 0);
	for (int i = 3; i < 200; i++)
		if (i != other)
			close(i);
	for (int i = 0; i < 64; i++)
		own_file[i] = dup(200);
	IS(cuMemExportToShareableHandle(&fd, own, FILES, 0), 304);
	IS(cuMemRelease(own), 0);
	IS(cuMemRelease(common), 0);
	IS(cuMemCreate(&next, MIB2, plain, 0), 0);
	unmap(map(next));
	IS(cuMemRelease(next), 0);
	CHECK(pread(200, got, sizeof got, 0) == (ssize_t)sizeof got && !memcmp(got, text, sizeof got));
	IS((int)lseek(200, 0, SEEK_END), (int)sizeof text);
	for (int i = 0; i < 64; i++)
		IS(close(own_file[i]), 0);
	close(200);
}

static void file_parent(int other)
{
	const struct {
		int kind, handles;
		struct location at;
		void *security;
		size_t rest[8];
	} props = { 1, FILES, { 1, 0 }, NULL, { 0 } }, plain = { 1, 0, { 1, 0 }, NULL, { 0 } };
	unsigned long long m = 0;
	void *pool = NULL, *closed = NULL, *c = context();
	int fd = -1, can = 0, status = 9;
	struct ipc h, gone;
	ptr p, q = 0;

	IS(cuDeviceGetAttribute(&can, 103, 0), 0);
	IS(can, 1);
	IS(cuDeviceGetAttribute(&can, 119, 0), 0);
	IS(can, FILES);
	IS(cuMemCreate(&m, MIB2, &props, 0), 0);
	p = map(m);
	IS(cuMemsetD32_v2(p, 11, 1), 0);
	IS(cuMemExportToShareableHandle(&fd, m, FILES, 0), 0);
	tell_file(other, fd);
	close(fd);
	IS(cuMemRelease(m), 0);

	IS(cuMemPoolCreate(&closed, &plain), 0);
	IS(cuMemPoolExportToShareableHandle(&fd, closed, FILES, 0), 1);
	IS(cuMemAllocFromPoolAsync(&q, 64, closed, NULL), 0);
	IS(cuMemPoolExportPointer(&h, q), 1);
	IS(cuMemPoolCreate(&pool, &props), 0);
	IS(cuMemPoolExportToShareableHandle(NULL, pool, FILES, 0), 1);
	IS(cuMemPoolExportToShareableHandle(&fd, pool, FILES, 1), 1);
	IS(cuMemPoolExportToShareableHandle(&fd, pool, 8, 0), 801);
	IS(cuMemPoolExportToShareableHandle(&fd, pool, FILES, 0), 0);
	tell_file(other, fd);
	close(fd);
	IS(cuMemAllocFromPoolAsync(&q, 64, pool, NULL), 0);
	IS(cuMemPoolExportPointer(&gone, q), 0);
	IS(cuMemFreeAsync(q, NULL), 0);
	IS(cuMemAllocFromPoolAsync(&q, 5000, pool, NULL), 0);
	IS(word_at(q), 0);
	IS(cuMemsetD32_v2(q, 13, 1), 0);
	IS(cuMemPoolExportPointer(NULL, q), 1);
	IS(cuMemPoolExportPointer(&h, q + 4), 1);
	IS(cuMemPoolExportPointer(&h, q), 0);
	IS(cuIpcGetMemHandle(&(struct ipc){ "" }, q), 1); /* the pool's */
	tell(other, &h, sizeof h);
	tell(other, &gone, sizeof gone);
	CHECK(wait(&status) > 0 && WIFEXITED(status));
	IS(WEXITSTATUS(status), 0);
	IS(word_at(p), 12);
	IS(word_at(q), 14);
	IS(cuMemFreeAsync(q, NULL), 0);
	IS(cuMemPoolDestroy(pool), 0);
	unmap(p);
	closed_files(other, &props, &plain);
	IS(cuCtxDestroy_v2(c), 0);
}

void processes(const char *folder)
{
	(void)folder;
	two_processes(parent, child);
}

void by_files(const char *folder)
{
	(void)folder;
	two_processes(file_parent, file_child);
}
