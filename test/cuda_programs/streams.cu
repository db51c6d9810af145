// streams: work that three streams do in turn, ordered by events and waits; priorities, queries, callbacks on the host, times between events.
// run:
// run: -n=5000 -rounds=2
// timed: -n=1000 -rounds=1
// mutant: s/x\[i\] \* 3 + k/x[i] * 2 + k/
#include "program.h"
#include <vector>

__global__ void scale(int *x, int n, int k)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		x[i] = x[i] * 3 + k;
}

__global__ void add(const int *a, const int *b, int *sum, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum[i] = a[i] + b[i];
}

struct Note { int calls, status, rounds; const int *sum; int first; };

static void CUDART_CB noted(cudaStream_t, cudaError_t status, void *data)
{
	Note *note = static_cast<Note *>(data);
	note->calls++;
	note->status |= status;
}

static void CUDART_CB round_ended(void *data)
{
	Note *note = static_cast<Note *>(data);
	note->rounds++;
	note->first = note->sum[0];             // the copy to the host came before
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 20000), rounds = option(argc, argv, "rounds", 3);
	int least, greatest;
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	EXPECT(greatest <= least);
	cudaStream_t left, right, both;
	CHECK(cudaStreamCreateWithPriority(&left, cudaStreamNonBlocking, greatest));
	CHECK(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
	CHECK(cudaStreamCreate(&both));
	int priority;
	unsigned flags;
	CHECK(cudaStreamGetPriority(left, &priority));
	CHECK(cudaStreamGetFlags(left, &flags));
	EXPECT(priority == greatest && flags == cudaStreamNonBlocking);
	cudaEvent_t left_done, right_done, sum_done, start, stop;
	CHECK(cudaEventCreateWithFlags(&left_done, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&right_done, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&sum_done, cudaEventDisableTiming | cudaEventBlockingSync));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));

	const size_t bytes = n * sizeof(int);
	int *a, *b, *sum, *host;
	CHECK(cudaHostAlloc(&host, 3 * bytes, cudaHostAllocDefault));
	int *host_b = host + n, *host_sum = host_b + n;
	CHECK(cudaMalloc(&a, bytes));
	CHECK(cudaMalloc(&b, bytes));
	CHECK(cudaMalloc(&sum, bytes));
	std::vector<int> want(n);
	for (int i = 0; i < n; i++) {
		host[i] = i;
		host_b[i] = 7 * i + 1;
		int x = i, y = 7 * i + 1;
		for (int r = 0; r < rounds; r++) {
			x = x * 3 + r;
			y = y * 3 + 2 * r;
		}
		want[i] = x + y;
	}
	Note note = {0, 0, 0, host_sum, 0};
	CHECK(cudaEventRecord(start, both));
	CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, left));
	CHECK(cudaMemcpyAsync(b, host_b, bytes, cudaMemcpyHostToDevice, right));
	for (int r = 0; r < rounds; r++) {
		if (r > 0) {
			CHECK(cudaStreamWaitEvent(left, sum_done, 0));
			CHECK(cudaStreamWaitEvent(right, sum_done, 0));
		}
		scale<<<8, 128, 0, left>>>(a, n, r);
		CHECK(cudaEventRecord(left_done, left));
		CHECK(cudaStreamAddCallback(left, noted, &note, 0));
		scale<<<8, 128, 0, right>>>(b, n, 2 * r);
		CHECK(cudaEventRecord(right_done, right));
		CHECK(cudaStreamWaitEvent(both, left_done, 0));
		CHECK(cudaStreamWaitEvent(both, right_done, 0));
		add<<<8, 128, 0, both>>>(a, b, sum, n);
		CHECK(cudaEventRecord(sum_done, both));
		CHECK(cudaMemcpyAsync(host_sum, sum, bytes, cudaMemcpyDeviceToHost, both));
		CHECK(cudaLaunchHostFunc(both, round_ended, &note));
	}
	CHECK(cudaEventRecord(stop, both));
	const cudaError_t state = cudaEventQuery(stop);
	EXPECT(state == cudaSuccess || state == cudaErrorNotReady);
	CHECK(cudaEventSynchronize(stop));
	CHECK(cudaStreamSynchronize(left));
	float ms;
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	EXPECT(ms > 0);
	EXPECT(cudaEventElapsedTime(&ms, left_done, stop) == cudaErrorInvalidResourceHandle);           // made without times
	EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
	EXPECT(note.calls == rounds && note.status == cudaSuccess && note.rounds == rounds && note.first == want[0]);
	const bool ok = same("sum", host_sum, want.data(), n);
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	printf("%d numbers, %d rounds, %.3f ms\n", n, rounds, ms);
	for (cudaStream_t s : {left, right, both})
		CHECK(cudaStreamDestroy(s));
	for (cudaEvent_t e : {left_done, right_done, sum_done, start, stop})
		CHECK(cudaEventDestroy(e));
	for (int *p : {a, b, sum})
		CHECK(cudaFree(p));
	CHECK(cudaFreeHost(host));
	return verdict("streams", ok);
}
