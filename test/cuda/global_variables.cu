// Module variables: initialised data, pointers to data, static locals, counters that outlive a launch, volatile access.
#include <cstdint>

struct header { const uint32_t *data; uint32_t count; const header *next; };

__device__ uint32_t first[4] = { 1, 2, 3, 4 }, second[3] = { 50, 60, 70 };
__device__ header tail = { second, 3, nullptr };
__device__ header head = { first + 1, 3, &tail };
__device__ uint32_t launches_seen, tickets;
__device__ volatile uint32_t flag = 5;

__device__ __noinline__ uint32_t *scratch()
{
	static __device__ uint32_t words[128];
	return words;
}

extern "C" __global__ void global_variables(uint32_t *out, const uint32_t *in, uint32_t round)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	uint32_t sum = 0;

	for (const header *h = &head; h; h = h->next)
		for (uint32_t k = 0; k < h->count; k++)
			sum = sum * 10 + h->data[k];
	if (i == 0)
		launches_seen++;
	atomicAdd(&tickets, x & 7);
	scratch()[i] += x + round;
	out[i] = sum + flag;
	out[n + i] = scratch()[i];
	if (round == 2 && i == 0)
		out[2 * n] = launches_seen;
}

extern "C" __global__ void global_variables_end(uint32_t *out)
{
	flag = flag + 1;
	out[257] = tickets + flag;
}
