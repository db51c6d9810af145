// malloc and free on the device: a list built and taken apart by each thread, sizes that depend on data, new and delete.
#include <cstdint>
#include <cstdlib>

struct node { node *next; uint32_t value; };

extern "C" __global__ void heap(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	node *list = nullptr;
	uint32_t sum = 0;

	for (uint32_t k = 0; k < 1 + x % 6; k++) {
		node *e = (node *)malloc(sizeof *e);

		if (!e)
			break;
		e->next = list;
		e->value = x >> k;
		list = e;
	}
	while (list) {
		node *e = list;

		sum = sum * 5 + e->value;
		list = e->next;
		free(e);
	}
	out[i] = sum;

	const uint32_t len = 1 + (x >> 8) % 9;
	uint32_t *a = new uint32_t[len];

	for (uint32_t k = 0; k < len; k++)
		a[k] = x * (k + 1);
	sum = 0;
	for (uint32_t k = len; k-- > 0;)
		sum = (sum ^ a[k]) * 3;
	delete[] a;
	out[n + i] = sum;
}
