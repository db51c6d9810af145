// managed: one pointer for host and device: classes whose new is managed memory, linked structures, variables of the module, hints.
// run:
// run: -items=300
// timed: -items=40
// mutant: s/item->weight \* item->name.length()/item->weight + item->name.length()/
#include "program.h"
#include <cstddef>

struct Managed {
	static void *operator new(size_t bytes)
	{
		void *p;
		CHECK(cudaMallocManaged(&p, bytes));
		return p;
	}
	static void *operator new[](size_t bytes) { return operator new(bytes); }
	static void operator delete(void *p) { CHECK(cudaDeviceSynchronize()); CHECK(cudaFree(p)); }
	static void operator delete[](void *p) { operator delete(p); }
};

class Name : public Managed {           // its characters lie in managed memory, too
	char *text;
	int bytes;
public:
	Name() : text(nullptr), bytes(0) {}
	~Name() { if (text) CHECK(cudaFree(text)); }
	Name(const Name &) = delete;
	void set(const char *s)
	{
		bytes = int(strlen(s));
		CHECK(cudaMallocManaged(&text, bytes + 1));
		memcpy(text, s, bytes + 1);
	}
	__host__ __device__ int length() const { return bytes; }
	__host__ __device__ char &operator[](int i) { return text[i]; }
	const char *c_str() const { return text; }
};

struct Item : Managed {
	Name name;
	double weight;
	Item *next;
};

__managed__ int visits;
__managed__ double total = 0.5;
__device__ __managed__ int table[4] = {1, 2, 3, 4};

__global__ void walk(Item *first)
{
	for (Item *item = first; item; item = item->next) {
		total += item->weight * item->name.length();
		visits++;
		for (int i = 0; i < item->name.length(); i++)
			if (item->name[i] >= 'a' && item->name[i] <= 'z')
				item->name[i] += 'A' - 'a';
	}
}

__global__ void twice(int *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = 2 * x[i] + table[i % 4];
}

int main(int argc, char **argv)
{
	const int items = option(argc, argv, "items", 100);
	int concurrent;
	CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrManagedMemory, 0));
	if (!concurrent)
		return fprintf(stderr, "managed: this device has no managed memory\n"), 2;
	Item *first = nullptr;
	double want = 0.5;
	for (int i = 0; i < items; i++) {
		char text[32];
		snprintf(text, sizeof text, "item number %d", i * i);
		Item *item = new Item;
		item->name.set(text);
		item->weight = i * 0.25;
		item->next = first;
		first = item;
		want += item->weight * double(strlen(text));
	}
	visits = 100;
	walk<<<1, 1>>>(first);
	CHECK(cudaDeviceSynchronize());
	EXPECT(visits == 100 + items);
	EXPECT(total == want);
	int i = items;
	for (Item *item = first, *next; item; item = next) {
		char text[32];
		snprintf(text, sizeof text, "ITEM NUMBER %d", (i - 1) * (i - 1));
		i--;
		EXPECT(!strcmp(item->name.c_str(), text));
		next = item->next;
		delete item;
	}

	const int n = 1000;
	int *x, device = 0;
	CHECK(cudaMallocManaged(&x, n * sizeof *x, cudaMemAttachGlobal));
	for (int k = 0; k < n; k++)
		x[k] = k;
#if CUDART_VERSION >= 13000
	const cudaMemLocation here = {cudaMemLocationTypeDevice, device}, there = {cudaMemLocationTypeHost, 0};
	CHECK(cudaMemAdvise(x, n * sizeof *x, cudaMemAdviseSetPreferredLocation, here));
	CHECK(cudaMemPrefetchAsync(x, n * sizeof *x, here, 0));
	twice<<<8, 128>>>(x, n);
	CHECK(cudaMemPrefetchAsync(x, n * sizeof *x, there, 0));
#else
	CHECK(cudaMemAdvise(x, n * sizeof *x, cudaMemAdviseSetPreferredLocation, device));
	CHECK(cudaMemPrefetchAsync(x, n * sizeof *x, device));
	twice<<<8, 128>>>(x, n);
	CHECK(cudaMemPrefetchAsync(x, n * sizeof *x, cudaCpuDeviceId));
#endif
	CHECK(cudaDeviceSynchronize());
	table[2] = 100;                 // seen by the next launch
	twice<<<8, 128>>>(x, n);
	CHECK(cudaDeviceSynchronize());
	for (int k = 0; k < n; k++) {
		const int before[4] = {1, 2, 3, 4}, then[4] = {1, 2, 100, 4};
		EXPECT(x[k] == 2 * (2 * k + before[k % 4]) + then[k % 4]);
	}
	int copy[4];
	CHECK(cudaMemcpyFromSymbol(copy, table, sizeof copy));
	EXPECT(copy[2] == 100);
	CHECK(cudaFree(x));
	printf("%d items, total %.2f\n", items, total);
	return verdict("managed", true);
}
