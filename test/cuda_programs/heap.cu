// heap: memory from malloc and new on the device, kept over launches, a hash table of chains, freed there; limits of the heap and the stack.
// run:
// run: -keys=300 -buckets=16
// timed: -keys=64 -buckets=8
// mutant: s/atomicAdd(&e->count, 1)/atomicAdd(\&e->count, 2)/
#include "program.h"
#include <map>
#include <vector>

struct Entry { unsigned key; int count; Entry *next; };
struct Bucket { Entry *first; };

__device__ unsigned long long allocated;

__device__ Entry *find(Entry *e, unsigned key)
{
	while (e && e->key != key)
		e = e->next;
	return e;
}

// Entries come to the front of a chain by compare and swap, and stay; an entry that another thread has made first is freed again.
__global__ void insert(Bucket *table, int buckets, const unsigned *key, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		Entry **first = &table[key[i] % buckets].first, *made = nullptr, *e;
		for (;;) {
			Entry *const head = *static_cast<Entry *volatile *>(first);
			e = find(head, key[i]);
			if (e)
				break;
			if (!made)
				made = new Entry;
			*made = {key[i], 0, head};
			__threadfence();
			if (atomicCAS(reinterpret_cast<unsigned long long *>(first), reinterpret_cast<unsigned long long>(head), reinterpret_cast<unsigned long long>(made)) ==
			    reinterpret_cast<unsigned long long>(head)) {
				e = made;
				made = nullptr;
				atomicAdd(&allocated, sizeof *e);
				break;
			}
		}
		delete made;
		atomicAdd(&e->count, 1);
	}
}

__global__ void dump(const Bucket *table, int buckets, uint2 *out, int *n)
{
	const int b = blockIdx.x * blockDim.x + threadIdx.x;
	if (b < buckets)
		for (const Entry *e = table[b].first; e; e = e->next)
			out[atomicAdd(n, 1)] = make_uint2(e->key, e->count);
}

__global__ void destroy(Bucket *table, int buckets)
{
	const int b = blockIdx.x * blockDim.x + threadIdx.x;
	if (b < buckets)
		for (Entry *e = table[b].first, *next; e; e = next) {
			next = e->next;
			delete e;
		}
}

__global__ void exhaust(int *failures, size_t bytes)
{
	void *p = malloc(bytes);
	if (!p)
		atomicAdd(failures, 1);
	free(p);
}

__global__ void sums_of_squares(const int *n, long long *out)
{
	long long *part = static_cast<long long *>(malloc(sizeof *part * (n[threadIdx.x] + 1)));
	part[0] = 0;
	for (int i = 1; i <= n[threadIdx.x]; i++)
		part[i] = part[i - 1] + static_cast<long long>(i) * i;
	out[threadIdx.x] = part[n[threadIdx.x]];
	free(part);
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "keys", 2000), buckets = option(argc, argv, "buckets", 64);
	size_t heap, before;
	CHECK(cudaDeviceGetLimit(&before, cudaLimitMallocHeapSize));
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
	CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
	EXPECT(before == 8 << 20 && heap >= 1 << 20);
	std::vector<unsigned> key(n);
	std::map<unsigned, unsigned> want;
	Random random(10);
	for (unsigned &k : key)
		want[k = random.below(n / 3) * 7]++;
	Bucket *table;
	unsigned *dkey;
	uint2 *entries;
	int *count;
	CHECK(cudaMalloc(&table, buckets * sizeof *table));
	CHECK(cudaMemset(table, 0, buckets * sizeof *table));
	CHECK(cudaMalloc(&dkey, n * sizeof *dkey));
	CHECK(cudaMemcpy(dkey, key.data(), n * sizeof *dkey, cudaMemcpyHostToDevice));
	CHECK(cudaMalloc(&entries, n * sizeof *entries));
	CHECK(cudaMallocManaged(&count, sizeof *count));
	*count = 0;
	insert<<<4, 64>>>(table, buckets, dkey, n / 2);
	insert<<<4, 64>>>(table, buckets, dkey + n / 2, n - n / 2);
	dump<<<(buckets + 63) / 64, 64>>>(table, buckets, entries, count);
	destroy<<<(buckets + 63) / 64, 64>>>(table, buckets);
	CHECK(cudaDeviceSynchronize());
	unsigned long long bytes;
	CHECK(cudaMemcpyFromSymbol(&bytes, allocated, sizeof bytes));
	EXPECT(bytes == want.size() * sizeof(Entry));
	EXPECT(*count == int(want.size()));
	std::vector<uint2> got(*count);
	CHECK(cudaMemcpy(got.data(), entries, got.size() * sizeof got[0], cudaMemcpyDeviceToHost));
	for (const uint2 &e : got) {
		EXPECT(want.count(e.x) && want[e.x] == e.y);
		want.erase(e.x);
	}
	EXPECT(want.empty());

	*count = 0;
	exhaust<<<1, 4>>>(count, heap + 1);
	CHECK(cudaDeviceSynchronize());
	EXPECT(*count == 4);
	int lengths[32];
	long long *sums, result[32];
	for (int i = 0; i < 32; i++)
		lengths[i] = i * i;
	CHECK(cudaMemcpy(dkey, lengths, sizeof lengths, cudaMemcpyHostToDevice));
	CHECK(cudaMalloc(&sums, sizeof result));
	sums_of_squares<<<1, 32>>>(reinterpret_cast<int *>(dkey), sums);
	CHECK(cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost));
	for (long long i = 0; i < 32; i++) {
		const long long k = i * i;
		EXPECT(result[i] == k * (k + 1) * (2 * k + 1) / 6);
	}
	for (void *p : {static_cast<void *>(table), static_cast<void *>(dkey), static_cast<void *>(entries), static_cast<void *>(count), static_cast<void *>(sums)})
		CHECK(cudaFree(p));
	printf("%d keys, %d buckets, %llu bytes of entries\n", n, buckets, bytes);
	return verdict("heap", true);
}
