/* Memory and events of other processes: a child that is forked before anything was used, and what both are refused. */
#include "api.h"
#include "pair.h"

enum { LAZY = cudaIpcMemLazyEnablePeerAccess, Uninitialized = 201, MapFailed = 205, OperatingSystem = 304 };

static void turn(int other) { tell(other, "x", 1); }
static void wait_turn(int other)
{
	char c;

	hear(other, &c, 1);
}

/* what the parent gives the child */
struct given {
	cudaIpcMemHandle_t memory, freed;
	cudaIpcEventHandle_t event;
};

static void child(int parent)
{
	struct given g;
	cudaIpcMemHandle_t mine, own;
	cudaEvent_t e, f;
	float ms;
	void *p = NULL, *q = NULL, *x = NULL;
	struct cudaPointerAttributes a;
	unsigned word = 7, one = 1, n = 64;
	size_t before, after, total;

	hear(parent, &g, sizeof g);
	OK(cudaMemGetInfo(&before, &total));
	FAILS(cudaIpcOpenMemHandle(NULL, g.memory, LAZY), InvalidValue);
	FAILS(cudaIpcOpenMemHandle(&p, g.memory, 0), InvalidValue);
	FAILS(cudaIpcOpenMemHandle(&p, g.memory, 3), InvalidValue);
	FAILS(cudaIpcOpenMemHandle(&p, (cudaIpcMemHandle_t){ "nothing" }, LAZY), InvalidValue);
	memcpy(&own, &g.event, sizeof own);
	FAILS(cudaIpcOpenMemHandle(&p, own, LAZY), InvalidValue); /* an event's */
	FAILS(cudaIpcOpenMemHandle(&p, g.freed, LAZY), MapFailed);
	own = g.memory;
	own.reserved[30] ^= 1; /* of the key */
	FAILS(cudaIpcOpenMemHandle(&p, own, LAZY), MapFailed);
	OK(cudaIpcOpenMemHandle(&p, g.memory, LAZY));
	OK(cudaIpcOpenMemHandle(&q, g.memory, LAZY));
	CHECK(p && p == q);
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before == after); /* it is the parent's */
	OK(cudaPointerGetAttributes(&a, (char *)p + 4));
	CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == (char *)p + 4 && !a.hostPointer);
	CHECK(first_word(p) == 100);
	FAILS(cudaFree(p), InvalidValue);
	FAILS(cudaIpcGetMemHandle(&own, p), InvalidValue); /* not one's own */
	FAILS(cudaIpcCloseMemHandle((char *)p + 4), InvalidValue);
	FAILS(cudaIpcCloseMemHandle(NULL), InvalidValue);
	OK(cudaMalloc(&x, 256));
	FAILS(cudaIpcCloseMemHandle(x), InvalidValue);
	OK(cudaMemset(x, 1, 256));
	run_axpy(p, x, one, n, NULL);
	OK(cudaDeviceSynchronize());
	OK(cudaIpcCloseMemHandle(p));
	OK(cudaMemcpy((char *)p + 252, &word, 4, cudaMemcpyHostToDevice)); /* it was opened twice */
	OK(cudaIpcCloseMemHandle(p));
	FAILS(cudaIpcCloseMemHandle(p), InvalidValue);
	FAILS(cudaMemcpy(p, &word, 4, cudaMemcpyHostToDevice), InvalidValue);

	FAILS(cudaIpcOpenEventHandle(NULL, g.event), InvalidValue);
	FAILS(cudaIpcOpenEventHandle(&e, (cudaIpcEventHandle_t){ "nothing" }), InvalidValue);
	OK(cudaIpcOpenEventHandle(&e, g.event));
	FAILS(cudaIpcGetEventHandle(&g.event, e), InvalidHandle); /* not one's own */
	OK(cudaEventQuery(e));
	OK(cudaEventSynchronize(e));
	OK(cudaStreamWaitEvent(NULL, e, 0));
	OK(cudaEventRecord(e, NULL));
	OK(cudaEventCreate(&f));
	OK(cudaEventRecord(f, NULL));
	FAILS(cudaEventElapsedTime(&ms, e, f), InvalidHandle);
	OK(cudaEventDestroy(e));
	FAILS(cudaEventQuery(e), InvalidHandle);

	/* What the other has opened stays when this process ends. */
	OK(cudaIpcGetMemHandle(&mine, x));
	FAILS(cudaIpcOpenMemHandle(&q, mine, LAZY), Uninitialized);
	tell(parent, &mine, sizeof mine);
	wait_turn(parent);
	OK(cudaMemset(x, 2, 256));
	turn(parent);
}

/* The handles of memory of all kinds that are none. */
static void refused(void)
{
	cudaIpcMemHandle_t h;
	char *p, *q = malloc(4096);
	cudaStream_t s;

	FAILS(cudaIpcGetMemHandle(&h, NULL), InvalidValue);
	FAILS(cudaIpcGetMemHandle(&h, q), InvalidValue);
	OK(cudaMalloc((void **)&p, 64));
	FAILS(cudaIpcGetMemHandle(NULL, p), InvalidValue);
	OK(cudaFree(p));
	FAILS(cudaIpcGetMemHandle(&h, p), InvalidValue);
	OK(cudaMallocManaged((void **)&p, 64, cudaMemAttachGlobal));
	FAILS(cudaIpcGetMemHandle(&h, p), InvalidValue);
	OK(cudaFree(p));
	OK(cudaMallocHost((void **)&p, 64));
	FAILS(cudaIpcGetMemHandle(&h, p), InvalidValue);
	OK(cudaFreeHost(p));
	OK(cudaHostRegister(q, 4096, 0));
	FAILS(cudaIpcGetMemHandle(&h, q), InvalidValue);
	OK(cudaHostUnregister(q));
	OK(cudaGetSymbolAddress((void **)&p, &counter_shadow));
	FAILS(cudaIpcGetMemHandle(&h, p), InvalidValue);
	OK(cudaStreamCreate(&s));
	OK(cudaMallocAsync((void **)&p, 64, s));
	FAILS(cudaIpcGetMemHandle(&h, p), InvalidValue);
	OK(cudaFreeAsync(p, s));
	OK(cudaStreamDestroy(s));
	free(q);
}

static void refused_events(cudaEvent_t e)
{
	cudaIpcEventHandle_t h;
	cudaEvent_t f;

	FAILS(cudaIpcGetEventHandle(NULL, e), InvalidValue);
	FAILS(cudaIpcGetEventHandle(&h, NULL), InvalidValue);
	OK(cudaEventCreate(&f));
	FAILS(cudaIpcGetEventHandle(&h, f), InvalidHandle);
	OK(cudaEventDestroy(f));
	OK(cudaEventCreateWithFlags(&f, cudaEventDisableTiming));
	FAILS(cudaIpcGetEventHandle(&h, f), InvalidHandle);
	OK(cudaEventDestroy(f));
	FAILS(cudaIpcGetEventHandle(&h, f), InvalidHandle);
	OK(cudaIpcGetEventHandle(&h, e));
	FAILS(cudaIpcOpenEventHandle(&f, h), Uninitialized);
}

/* A pool that others may have, by a file: here this process itself. */
static void pools(void)
{
	const enum cudaMemAllocationHandleType file = cudaMemHandleTypePosixFileDescriptor;
	struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned,
					  .handleTypes = cudaMemHandleTypePosixFileDescriptor,
					  .location = { cudaMemLocationTypeDevice, 0 } };
	struct cudaMemPoolPtrExportData data = { { 0 } };
	cudaMemPool_t pool, imported;
	int fd = -1, types = 0;
	void *p, *q;

	OK(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
	CHECK(types == (int)file);
	OK(cudaMemPoolCreate(&pool, &props));
	FAILS(cudaMemPoolExportToShareableHandle(NULL, pool, file, 0), InvalidValue);
	FAILS(cudaMemPoolExportToShareableHandle(&fd, pool, file, 1), InvalidValue);
	FAILS(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypeWin32, 0), NotSupported);
	OK(cudaMemPoolExportToShareableHandle(&fd, pool, file, 0));
	OK(cudaMallocFromPoolAsync(&p, 64, pool, NULL));
	FAILS(cudaMemPoolExportPointer(NULL, p), InvalidValue);
	FAILS(cudaMemPoolExportPointer(&data, (char *)p + 1), InvalidValue);
	OK(cudaMemPoolExportPointer(&data, p));
	FAILS(cudaMemPoolImportFromShareableHandle(NULL, (void *)(intptr_t)fd, file, 0), InvalidValue);
	FAILS(cudaMemPoolImportFromShareableHandle(&imported, NULL, file, 0), InvalidValue);
	FAILS(cudaMemPoolImportFromShareableHandle(&imported, NULL, cudaMemHandleTypeFabric, 0), NotSupported);
	OK(cudaMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd, file, 0));
	close(fd);
	FAILS(cudaMallocFromPoolAsync(&q, 64, imported, NULL), InvalidValue);
	FAILS(cudaMemPoolImportPointer(NULL, imported, &data), InvalidValue);
	FAILS(cudaMemPoolImportPointer(&q, pool, &data), InvalidValue);
	OK(cudaMemPoolImportPointer(&q, imported, &data));
	CHECK(q != p);
	OK(cudaMemset(p, 3, 64));
	CHECK(first_word(q) == 0x03030303);
	OK(cudaFreeAsync(q, NULL));
	OK(cudaFreeAsync(p, NULL));
	FAILS(cudaMemPoolImportPointer(&q, imported, &data), MapFailed);
	OK(cudaMemPoolDestroy(imported));
	OK(cudaMemPoolDestroy(pool));
}

static void parent(int other)
{
	struct given g;
	cudaIpcMemHandle_t again, theirs;
	unsigned *p, *q, one = 1, got[64];
	void *opened;
	cudaEvent_t e;
	int supported = 0;

	OK(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, 0));
	CHECK(supported == 1);
	refused();
	pools();
	OK(cudaMalloc((void **)&p, 256));
	OK(cudaMalloc((void **)&q, 256));
	OK(cudaMemset(p, 0, 256));
	OK(cudaMemcpy(p, &(unsigned){ 100 }, 4, cudaMemcpyHostToDevice));
	OK(cudaIpcGetMemHandle(&g.memory, p));
	OK(cudaIpcGetMemHandle(&again, p + 3)); /* that of all of it */
	CHECK(!memcmp(&again, &g.memory, sizeof again));
	CHECK(first_word(p) == 100);
	FAILS(cudaIpcOpenMemHandle(&opened, g.memory, LAZY), Uninitialized);
	OK(cudaIpcGetMemHandle(&g.freed, q));
	OK(cudaFree(q));
	OK(cudaMalloc((void **)&q, 256));
	OK(cudaIpcGetMemHandle(&again, q));
	CHECK(memcmp(&again, &g.freed, sizeof again) != 0);
	OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventInterprocess));
	OK(cudaEventRecord(e, NULL));
	refused_events(e);
	OK(cudaIpcGetEventHandle(&g.event, e));
	tell(other, &g, sizeof g);

	hear(other, &theirs, sizeof theirs);
	OK(cudaMemcpy(got, p, 256, cudaMemcpyDeviceToHost));
	CHECK(got[0] == 100 + 0x01010101 && got[1] == 0x01010101 && got[63] == 7);
	OK(cudaEventSynchronize(e));
	OK(cudaIpcOpenMemHandle(&opened, theirs, LAZY));
	CHECK(first_word(opened) == 0x01010101);
	turn(other);
	wait_turn(other);
	CHECK(wait(&supported) > 0 && WIFEXITED(supported) && !WEXITSTATUS(supported));
	CHECK(first_word(opened) == 0x02020202);
	run_axpy(p, opened, one, 64, NULL);
	CHECK(first_word(p) == 100 + 0x03030303);
	OK(cudaIpcCloseMemHandle(opened));
	FAILS(cudaIpcOpenMemHandle(&opened, theirs, LAZY), MapFailed);
	OK(cudaFree(q));
	/* The file that it all lies in is closed, as by a program that closes what it does not know. */
	for (int fd = 3; fd < 1024; fd++)
		if (fd != other)
			close(fd);
	FAILS(cudaIpcGetMemHandle(&again, p), OperatingSystem);
	FAILS(cudaIpcGetEventHandle(&g.event, e), OperatingSystem);
	OK(cudaEventDestroy(e));
	OK(cudaFree(p));
	OK(cudaMalloc((void **)&p, 256));
	OK(cudaIpcGetMemHandle(&again, p));
	CHECK(memcmp(&again, &g.memory, sizeof again) != 0);
	OK(cudaDeviceReset());
}

void test_processes(void) { two_processes(parent, child); }
