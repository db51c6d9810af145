// graphs: a stream captured, with a fork and a join, into a graph that runs many times; a graph of nodes made by hand.
// run:
// run: -steps=3 -n=300
// mutant: s/0.5f \* (x\[i\] + y\[i\]);/0.5f * (x[i] - y[i]);/
#include "program.h"
#include <vector>

__global__ void average(float *x, const float *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = 0.5f * (x[i] + y[i]);
}

__global__ void increase(float *y, float by, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += by;
}

static void CUDART_CB counted(void *n) { ++*static_cast<int *>(n); }

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 2000), steps = option(argc, argv, "steps", 20), grid = (n + 127) / 128;
	const size_t bytes = n * sizeof(float);
	std::vector<float> x(n), y(n), got(n), got_y(n);
	for (int i = 0; i < n; i++) {
		x[i] = i % 8;
		y[i] = i % 5;
	}
	float *dx, *dy;
	CHECK(cudaMalloc(&dx, bytes));
	CHECK(cudaMalloc(&dy, bytes));
	CHECK(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice));
	cudaStream_t main_stream, side;
	cudaEvent_t forked, joined;
	CHECK(cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
	int calls = 0;
	cudaGraph_t graph;
	cudaGraphExec_t run;
	CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
	average<<<grid, 128, 0, main_stream>>>(dx, dy, n);
	CHECK(cudaEventRecord(forked, main_stream));
	CHECK(cudaStreamWaitEvent(side, forked, 0));
	increase<<<grid, 128, 0, side>>>(dy, 1, n);
	CHECK(cudaEventRecord(joined, side));
	increase<<<grid, 128, 0, main_stream>>>(dx, 0.25f, n);
	CHECK(cudaStreamWaitEvent(main_stream, joined, 0));
	CHECK(cudaMemcpyAsync(got.data(), dx, bytes, cudaMemcpyDeviceToHost, main_stream));
	CHECK(cudaLaunchHostFunc(main_stream, counted, &calls));
	cudaStreamCaptureStatus status;
	CHECK(cudaStreamIsCapturing(main_stream, &status));
	EXPECT(status == cudaStreamCaptureStatusActive);
	CHECK(cudaStreamEndCapture(main_stream, &graph));
	EXPECT(calls == 0);                             // nothing has run
	size_t nodes;
	CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
	EXPECT(nodes == 5);
	CHECK(cudaGraphInstantiate(&run, graph, 0));
	for (int s = 0; s < steps; s++)
		CHECK(cudaGraphLaunch(run, main_stream));
	CHECK(cudaStreamSynchronize(main_stream));
	EXPECT(calls == steps);
	CHECK(cudaMemcpy(got_y.data(), dy, bytes, cudaMemcpyDeviceToHost));
	for (int s = 0; s < steps; s++)
		for (int i = 0; i < n; i++) {
			x[i] = 0.5f * (x[i] + y[i]) + 0.25f;
			y[i] += 1;
		}
	bool ok = same("x", got.data(), x.data(), n) & same("y", got_y.data(), y.data(), n);
	CHECK(cudaGraphExecDestroy(run));
	CHECK(cudaGraphDestroy(graph));

	cudaGraphNode_t clear, add;
	cudaGraph_t made;
	CHECK(cudaGraphCreate(&made, 0));
	cudaMemsetParams zero = {};
	zero.dst = dx;
	zero.elementSize = 4;
	zero.width = n;
	zero.height = 1;
	CHECK(cudaGraphAddMemsetNode(&clear, made, nullptr, 0, &zero));
	float by = 2.5f;
	int count = n;
	void *arguments[] = {&dx, &by, &count};
	cudaKernelNodeParams kernel = {};
	kernel.func = reinterpret_cast<void *>(increase);
	kernel.gridDim = dim3(grid);
	kernel.blockDim = dim3(128);
	kernel.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&add, made, &clear, 1, &kernel));
	by = 100;                                       // the node has its own copy
	CHECK(cudaGraphInstantiate(&run, made, 0));
	CHECK(cudaGraphLaunch(run, 0));
	CHECK(cudaGraphLaunch(run, 0));
	CHECK(cudaMemcpy(got.data(), dx, bytes, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		ok &= got[i] == 2.5f;
	CHECK(cudaGraphExecDestroy(run));
	CHECK(cudaGraphDestroy(made));
	for (cudaStream_t s : {main_stream, side})
		CHECK(cudaStreamDestroy(s));
	for (cudaEvent_t e : {forked, joined})
		CHECK(cudaEventDestroy(e));
	CHECK(cudaFree(dx));
	CHECK(cudaFree(dy));
	printf("%d numbers, %d launches of a graph of %zu nodes\n", n, steps, nodes);
	return verdict("graphs", ok);
}
