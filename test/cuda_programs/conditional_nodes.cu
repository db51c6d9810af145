// conditional_nodes: graphs that decide and repeat: if, else, while and switch nodes, in one another, with bodies that were captured; updated.
// run:
// run: -n=27 -numbers=100
// timed: -n=3 -numbers=40
// mutant: s/g, 1, cudaGraphCondAssignDefault/g, 1, 0/
#include "program.h"
#include <vector>

using Handle = cudaGraphConditionalHandle;

__global__ void ask_more(const unsigned *x, Handle more) { cudaGraphSetConditional(more, *x != 1); }
__global__ void ask_odd(const unsigned *x, Handle odd) { cudaGraphSetConditional(odd, *x & 1); }
__global__ void triple(unsigned *x) { *x = 3 * *x + 1; }
__global__ void halve(unsigned *x) { *x /= 2; }
__global__ void count(const unsigned *x, unsigned *steps, Handle more)
{
	++*steps;
	cudaGraphSetConditional(more, *x != 1);
}

__global__ void choose(const unsigned *which, Handle chosen) { cudaGraphSetConditional(chosen, *which); }
__global__ void add(unsigned *x, unsigned by) { *x += by; }

__global__ void shrink(unsigned *x, unsigned by, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && x[i] > by)
		x[i] -= by;
}
__global__ void largest(const unsigned *x, unsigned *most, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicMax(most, x[i]);
}
__global__ void decide(const unsigned *most, unsigned *rounds, unsigned limit, Handle again)
{
	++*rounds;
	if (*most <= limit) // else it stays as it is
		cudaGraphSetConditional(again, 0);
}

static cudaGraphNode_t node(cudaGraph_t g, cudaGraphNode_t after, cudaGraphNodeParams *p)
{
	cudaGraphNode_t n;
#if CUDART_VERSION >= 13000
	CHECK(cudaGraphAddNode(&n, g, &after, nullptr, after ? 1 : 0, p));
#else
	CHECK(cudaGraphAddNode(&n, g, &after, after ? 1 : 0, p));
#endif
	return n;
}

template <typename... P> static cudaKernelNodeParams one_thread(void (*f)(P...), void **arguments)
{
	cudaKernelNodeParams k = {};
	k.func = reinterpret_cast<void *>(f);
	k.gridDim = k.blockDim = dim3(1);
	k.kernelParams = arguments;
	return k;
}

template <typename... P> static cudaGraphNode_t kernel(void (*f)(P...), cudaGraph_t g, cudaGraphNode_t after, P... values)
{
	void *arguments[] = {&values...};
	const cudaKernelNodeParams k = one_thread(f, arguments);
	cudaGraphNode_t n;
	CHECK(cudaGraphAddKernelNode(&n, g, &after, after ? 1 : 0, &k));
	return n;
}

static cudaGraphNode_t conditional(cudaGraph_t g, cudaGraphNode_t after, Handle h, cudaGraphConditionalNodeType type,
				   unsigned size, cudaGraph_t **bodies)
{
	cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
	p.conditional.handle = h;
	p.conditional.type = type;
	p.conditional.size = size;
	const cudaGraphNode_t n = node(g, after, &p);
	*bodies = p.conditional.phGraph_out;
	return n;
}

// while (x != 1) { x = x odd ? 3 x + 1 : x / 2; steps++; }
static cudaGraph_t collatz(unsigned *x, unsigned *steps)
{
	cudaGraph_t g, *loop, *bodies;
	Handle more, odd;
	CHECK(cudaGraphCreate(&g, 0));
	CHECK(cudaGraphConditionalHandleCreate(&more, g, 0, 0));
	conditional(g, kernel(ask_more, g, nullptr, static_cast<const unsigned *>(x), more), more, cudaGraphCondTypeWhile, 1, &loop);
	CHECK(cudaGraphConditionalHandleCreate(&odd, loop[0], 0, 0));
	const cudaGraphNode_t asked = kernel(ask_odd, loop[0], nullptr, static_cast<const unsigned *>(x), odd);
	const cudaGraphNode_t stepped = conditional(loop[0], asked, odd, cudaGraphCondTypeIf, 2, &bodies);
	kernel(triple, bodies[0], nullptr, x);
	kernel(halve, bodies[1], nullptr, x);
	kernel(count, loop[0], stepped, static_cast<const unsigned *>(x), steps, more);
	return g;
}

static unsigned collatz_steps(unsigned x)
{
	unsigned steps = 0;
	for (; x != 1; steps++)
		x = x & 1 ? 3 * x + 1 : x / 2;
	return steps;
}

static void put(unsigned *at, unsigned v) { CHECK(cudaMemcpy(at, &v, sizeof v, cudaMemcpyHostToDevice)); }
static unsigned get(const unsigned *at)
{
	unsigned v;
	CHECK(cudaMemcpy(&v, at, sizeof v, cudaMemcpyDeviceToHost));
	return v;
}
static bool is(const char *what, unsigned got, unsigned expected)
{
	if (got != expected)
		printf("%s: %u, expected %u\n", what, got, expected);
	return got == expected;
}

// A loop in a loop with an if and an else, of several starts; then of other memory, by an update.
static bool loops(unsigned *memory, unsigned n)
{
	bool ok = true;
	unsigned *const x = memory, *const steps = memory + 1, *const x2 = memory + 2, *const steps2 = memory + 3;
	const cudaGraph_t g = collatz(x, steps), other = collatz(x2, steps2);
	cudaGraphExec_t run;
	CHECK(cudaGraphInstantiate(&run, g, 0));
	for (unsigned start = 1; start <= n; start++) {
		put(x, start);
		put(steps, 0);
		CHECK(cudaGraphLaunch(run, 0));
		CHECK(cudaDeviceSynchronize());
		ok &= is("x", get(x), 1) & is("steps", get(steps), collatz_steps(start));
	}
	put(x, n);
	put(x2, n);
	put(steps2, 0);
	cudaGraphExecUpdateResultInfo info;
	CHECK(cudaGraphExecUpdate(run, other, &info));
	CHECK(cudaGraphDestroy(g)); // an executable graph needs neither
	CHECK(cudaGraphDestroy(other));
	CHECK(cudaGraphLaunch(run, 0));
	ok &= is("x of the first", get(x), n) & is("x of the other", get(x2), 1) & is("its steps", get(steps2), collatz_steps(n));
	CHECK(cudaGraphExecDestroy(run));
	return ok;
}

// if without else, and a switch of which the last value has no body; a body's node of the executable graph is changed.
static bool choices(unsigned *memory)
{
	bool ok = true;
	unsigned *const x = memory, *const which = memory + 1;
	const unsigned *const read = which;
	cudaGraph_t g, *only, *bodies;
	cudaGraphExec_t run;
	cudaGraphNode_t of[3];
	Handle chosen, any;
	CHECK(cudaGraphCreate(&g, 0));
	CHECK(cudaGraphConditionalHandleCreate(&chosen, g, 0, 0));
	CHECK(cudaGraphConditionalHandleCreate(&any, g, 0, 0));
	const cudaGraphNode_t asked = kernel(choose, g, kernel(choose, g, nullptr, read, chosen), read, any);
	const cudaGraphNode_t first = conditional(g, asked, any, cudaGraphCondTypeIf, 1, &only);
	kernel(add, only[0], nullptr, x, 1000u);
	conditional(g, first, chosen, cudaGraphCondTypeSwitch, 3, &bodies);
	for (unsigned i = 0; i < 3; i++)
		of[i] = kernel(add, bodies[i], nullptr, x, 10 + i);
	CHECK(cudaGraphInstantiate(&run, g, 0));
	for (int changed = 0; changed < 2; changed++) {
		for (unsigned w = 0; w < 5; w++) {
			put(x, 0);
			put(which, w);
			CHECK(cudaGraphLaunch(run, 0));
			ok &= is("chosen", get(x), (w ? 1000 : 0) + (w < 3 ? 10 + w : 0) + (changed && w == 2 ? 88 : 0));
		}
		unsigned *to = x, by = 100;
		void *arguments[] = {&to, &by};
		const cudaKernelNodeParams k = one_thread(add, arguments);
		CHECK(cudaGraphExecKernelNodeSetParams(run, of[2], &k));
	}
	CHECK(cudaGraphExecDestroy(run));
	CHECK(cudaGraphDestroy(g));
	return ok;
}

// A loop whose body a stream recorded, and which runs at least once, in a graph that another stream records.
static bool recorded(int numbers)
{
	const unsigned limit = 7, by = 5;
	const int grid = (numbers + 63) / 64;
	unsigned *x, *most, *rounds;
	std::vector<unsigned> start(numbers), expected, got(numbers);
	CHECK(cudaMalloc(&x, numbers * sizeof(unsigned)));
	CHECK(cudaMalloc(&most, 3 * sizeof(unsigned)));
	rounds = most + 1;
	for (int i = 0; i < numbers; i++)
		start[i] = i * 7 % 61;
	expected = start;
	unsigned count = 0, left;
	do {
		left = 0;
		for (unsigned &v : expected) {
			v -= v > by ? by : 0;
			left = v > left ? v : left;
		}
		count++;
	} while (left > limit);

	cudaStream_t outer, inner;
	cudaGraph_t g, *body;
	cudaGraphExec_t run;
	Handle again;
	CHECK(cudaStreamCreateWithFlags(&outer, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&inner, cudaStreamNonBlocking));
	CHECK(cudaStreamBeginCapture(outer, cudaStreamCaptureModeRelaxed));
	CHECK(cudaMemsetAsync(rounds, 0, sizeof *rounds, outer));
	cudaStreamCaptureStatus status;
	const cudaGraphNode_t *before;
	size_t nbefore;
#if CUDART_VERSION >= 13000
	CHECK(cudaStreamGetCaptureInfo(outer, &status, nullptr, &g, &before, nullptr, &nbefore));
#else
	CHECK(cudaStreamGetCaptureInfo_v2(outer, &status, nullptr, &g, &before, &nbefore));
#endif
	EXPECT(nbefore == 1);
	CHECK(cudaGraphConditionalHandleCreate(&again, g, 1, cudaGraphCondAssignDefault));
	cudaGraphNode_t loop = conditional(g, before[0], again, cudaGraphCondTypeWhile, 1, &body);
	CHECK(cudaStreamBeginCaptureToGraph(inner, body[0], nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
	CHECK(cudaMemsetAsync(most, 0, sizeof *most, inner));
	shrink<<<grid, 64, 0, inner>>>(x, by, numbers);
	largest<<<grid, 64, 0, inner>>>(x, most, numbers);
	CHECK(cudaMemcpyAsync(most + 2, most, sizeof *most, cudaMemcpyDeviceToDevice, inner));
	decide<<<1, 1, 0, inner>>>(most + 2, rounds, limit, again);
	CHECK(cudaStreamEndCapture(inner, nullptr));
#if CUDART_VERSION >= 13000
	CHECK(cudaStreamUpdateCaptureDependencies(outer, &loop, nullptr, 1, cudaStreamSetCaptureDependencies));
#else
	CHECK(cudaStreamUpdateCaptureDependencies(outer, &loop, 1, cudaStreamSetCaptureDependencies));
#endif
	CHECK(cudaMemcpyAsync(got.data(), x, numbers * sizeof(unsigned), cudaMemcpyDeviceToHost, outer));
	CHECK(cudaStreamEndCapture(outer, &g));
	size_t nodes;
	cudaGraphNodeType type;
	CHECK(cudaGraphGetNodes(body[0], nullptr, &nodes));
	CHECK(cudaGraphNodeGetType(loop, &type));
	EXPECT(nodes == 5 && type == cudaGraphNodeTypeConditional);
	CHECK(cudaGraphInstantiate(&run, g, 0));
	bool ok = true;
	for (int launch = 0; launch < 2; launch++) { // the second time too the loop begins with 1
		CHECK(cudaMemcpy(x, start.data(), numbers * sizeof(unsigned), cudaMemcpyHostToDevice));
		CHECK(cudaGraphLaunch(run, outer));
		CHECK(cudaStreamSynchronize(outer));
		ok &= same("x", got.data(), expected.data(), numbers) & is("rounds", get(rounds), count);
	}
	printf("%d numbers, %u rounds\n", numbers, count);
	CHECK(cudaGraphExecDestroy(run));
	CHECK(cudaGraphDestroy(g));
	CHECK(cudaStreamDestroy(outer));
	CHECK(cudaStreamDestroy(inner));
	CHECK(cudaFree(x));
	CHECK(cudaFree(most));
	return ok;
}

int main(int argc, char **argv)
{
	const unsigned n = option(argc, argv, "n", 7);
	unsigned *memory;
	CHECK(cudaMalloc(&memory, 4 * sizeof *memory));
	const bool ok = loops(memory, n) & choices(memory) & recorded(option(argc, argv, "numbers", 300));
	CHECK(cudaFree(memory));
	return verdict("conditional_nodes", ok);
}
