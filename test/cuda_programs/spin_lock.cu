// spin_lock: lanes of one warp that wait for each other: locks they take one after the other, chains of a hash table, accounts under two locks, turns told in shared memory.
// run:
// run: -items=3000 -buckets=7 -transfers=2000
// timed: -items=256 -transfers=128
// mutant: s/while (atomicCAS(word, 0, 1) != 0)/while (false)/
#include "program.h"
#include <algorithm>
#include <vector>

class Lock {                    // as many programs have it; waits longer each time
	int *word;
public:
	__device__ explicit Lock(int *w) : word(w) {}
	__device__ void take()
	{
		unsigned ns = 8;
		while (atomicCAS(word, 0, 1) != 0) {
			__nanosleep(ns);
			ns = ns < 256 ? ns * 2 : 256;
		}
		__threadfence();
	}
	__device__ void give()
	{
		__threadfence();
		atomicExch(word, 0);
	}
};

// Every thread puts keys at the head of the chain of their bucket, with loads and stores that only the lock protects.
struct Item { unsigned key; int next; };
__global__ void insert(Item *item, unsigned items, volatile int *head, volatile unsigned *length, int *lock, unsigned buckets)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < items; i += gridDim.x * blockDim.x) {
		const unsigned b = item[i].key % buckets;
		Lock l(&lock[b]);
		l.take();
		item[i].next = head[b];
		head[b] = int(i);
		length[b] = length[b] + 1;
		l.give();
	}
}

// Money goes from one account to another, under the locks of both, the lower one first.
__global__ void transfer(volatile long long *account, unsigned accounts, int *lock, const uint3 *order, unsigned orders)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < orders; i += gridDim.x * blockDim.x) {
		const unsigned from = order[i].x % accounts, to = order[i].y % accounts;
		if (from == to)
			continue;
		Lock first(&lock[min(from, to)]), second(&lock[max(from, to)]);
		first.take();
		second.take();
		account[from] = account[from] - order[i].z;
		account[to] = account[to] + order[i].z;
		second.give();
		first.give();
	}
}

// Lanes go in an order given by data: each waits until it is its turn, uses what the one before it left, and says who is next.
__global__ void turns(unsigned *out, const unsigned *place)
{
	__shared__ volatile unsigned now[8], value[8];
	const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, mine = place[threadIdx.x];

	if (lane == 0) {
		now[warp] = 0;
		value[warp] = warp + 1;
	}
	__syncwarp();
	while (now[warp] != mine)
		;
	out[blockIdx.x * blockDim.x + threadIdx.x] = value[warp];
	value[warp] = value[warp] * 31 + lane;
	__threadfence_block();
	now[warp] = mine + 1;
}

// The even lanes make, the odd ones take, through a place for one number; either side of a branch, each with a __syncwarp of its own lanes.
__global__ void pairs(unsigned *out, unsigned rounds)
{
	__shared__ volatile unsigned full[128], slot[128];
	const unsigned t = threadIdx.x, pair = t / 2;
	unsigned sum = 0;

	full[pair] = 0;
	__syncthreads();
	if (t % 2 == 0) {
		for (unsigned r = 0; r < rounds; r++) {
			while (full[pair])
				;
			slot[pair] = t * 1000 + r;
			__threadfence_block();
			full[pair] = 1;
			__syncwarp(0x55555555);
		}
	} else {
		for (unsigned r = 0; r < rounds; r++) {
			while (!full[pair])
				;
			__threadfence_block();
			sum += slot[pair] ^ r;
			full[pair] = 0;
			__syncwarp(0xaaaaaaaa);
		}
	}
	__syncthreads();
	out[blockIdx.x * blockDim.x + t] = sum;
}

int main(int argc, char **argv)
{
	const unsigned items = option(argc, argv, "items", 2000), buckets = option(argc, argv, "buckets", 37), orders = option(argc, argv, "transfers", 1000);
	const unsigned accounts = 16, rounds = 9;
	Random random(11);
	bool ok = true;
	int *lock;
	CHECK(cudaMalloc(&lock, std::max(buckets, accounts) * sizeof *lock));
	CHECK(cudaMemset(lock, 0, std::max(buckets, accounts) * sizeof *lock));

	std::vector<Item> item(items);
	for (Item &i : item)
		i = { random.next(), -1 };
	Item *ditem;
	int *head;
	unsigned *length;
	CHECK(cudaMalloc(&ditem, items * sizeof *ditem));
	CHECK(cudaMalloc(&head, buckets * sizeof *head));
	CHECK(cudaMalloc(&length, buckets * sizeof *length));
	CHECK(cudaMemcpy(ditem, item.data(), items * sizeof *ditem, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(head, 0xff, buckets * sizeof *head));
	CHECK(cudaMemset(length, 0, buckets * sizeof *length));
	insert<<<3, 96>>>(ditem, items, head, length, lock, buckets);
	std::vector<int> first(buckets);
	std::vector<unsigned> count(buckets);
	CHECK(cudaMemcpy(item.data(), ditem, items * sizeof *ditem, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(first.data(), head, buckets * sizeof *head, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(count.data(), length, buckets * sizeof *length, cudaMemcpyDeviceToHost));
	unsigned seen = 0;
	for (unsigned b = 0; b < buckets; b++) {
		unsigned n = 0;
		for (int i = first[b]; i >= 0 && n <= items; i = item[i].next, n++)
			ok &= item[i].key % buckets == b;
		ok &= n == count[b];
		seen += n;
	}
	ok &= seen == items;
	printf("%u of %u items in %u chains\n", seen, items, buckets);

	std::vector<long long> account(accounts, 100000), got(accounts);
	std::vector<uint3> order(orders);
	for (uint3 &o : order)
		o = make_uint3(random.below(accounts), random.below(accounts), random.below(500));
	for (const uint3 &o : order)
		account[o.x] -= o.z, account[o.y] += o.z;
	long long *daccount;
	uint3 *dorder;
	const std::vector<long long> start(accounts, 100000);
	CHECK(cudaMalloc(&daccount, accounts * sizeof *daccount));
	CHECK(cudaMalloc(&dorder, orders * sizeof *dorder));
	CHECK(cudaMemcpy(daccount, start.data(), accounts * sizeof *daccount, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dorder, order.data(), orders * sizeof *dorder, cudaMemcpyHostToDevice));
	transfer<<<2, 128>>>(daccount, accounts, lock, dorder, orders);
	CHECK(cudaMemcpy(got.data(), daccount, accounts * sizeof *daccount, cudaMemcpyDeviceToHost));
	ok &= same("account", got.data(), account.data(), accounts);

	const unsigned threads = 256, blocks = 2;
	std::vector<unsigned> place(threads), out(threads * blocks), want(threads * blocks);
	for (unsigned w = 0; w < threads / 32; w++) {
		unsigned *p = &place[w * 32];
		for (unsigned l = 0; l < 32; l++)
			p[l] = l;
		for (unsigned l = 31; l > 0; l--)
			std::swap(p[l], p[random.below(l + 1)]);
		unsigned value = w + 1;
		for (unsigned turn = 0; turn < 32; turn++) {
			const unsigned l = unsigned(std::find(p, p + 32, turn) - p);
			want[w * 32 + l] = want[threads + w * 32 + l] = value;
			value = value * 31 + l;
		}
	}
	unsigned *dplace, *dout;
	CHECK(cudaMalloc(&dplace, threads * sizeof *dplace));
	CHECK(cudaMalloc(&dout, out.size() * sizeof *dout));
	CHECK(cudaMemcpy(dplace, place.data(), threads * sizeof *dplace, cudaMemcpyHostToDevice));
	turns<<<blocks, threads>>>(dout, dplace);
	CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof *dout, cudaMemcpyDeviceToHost));
	ok &= same("turn", out.data(), want.data(), out.size());

	pairs<<<blocks, threads>>>(dout, rounds);
	CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof *dout, cudaMemcpyDeviceToHost));
	for (unsigned b = 0; b < blocks; b++)
		for (unsigned t = 0; t < threads; t++) {
			want[b * threads + t] = 0;
			for (unsigned r = 0; t % 2 && r < rounds; r++)
				want[b * threads + t] += ((t - 1) * 1000 + r) ^ r;
		}
	ok &= same("sum", out.data(), want.data(), out.size());
	CHECK(cudaDeviceSynchronize());
	for (void *p : { static_cast<void *>(lock), static_cast<void *>(ditem), static_cast<void *>(head), static_cast<void *>(length), static_cast<void *>(daccount),
	                 static_cast<void *>(dorder), static_cast<void *>(dplace), static_cast<void *>(dout) })
		CHECK(cudaFree(p));
	return verdict("spin_lock", ok);
}
