// A binary search tree made of pointers in local memory: insertion by pointer to pointer, a recursive walk, depth.
#include <cstdint>

struct leaf { leaf *left, *right; uint32_t key, count; };

__device__ __noinline__ void walk(const leaf *t, uint32_t depth, uint32_t *hash, uint32_t *deepest)
{
	if (!t)
		return;
	*deepest = max(*deepest, depth);
	walk(t->left, depth + 1, hash, deepest);
	*hash = *hash * 31 + t->key * t->count;
	walk(t->right, depth + 1, hash, deepest);
}

extern "C" __global__ void tree_walk(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = threadIdx.x, n = blockDim.x;
	uint32_t r = in[i], used = 0, hash = 0, deepest = 0;
	leaf pool[20], *root = nullptr;

	for (int k = 0; k < 20; k++) {
		const uint32_t key = (r = r * 1664525 + 1013904223) >> 27;
		leaf **at = &root;

		while (*at && (*at)->key != key)
			at = key < (*at)->key ? &(*at)->left : &(*at)->right;
		if (*at) {
			(*at)->count++;
		} else {
			pool[used] = { nullptr, nullptr, key, 1 };
			*at = &pool[used++];
		}
	}
	walk(root, 1, &hash, &deepest);
	out[i] = hash;
	out[n + i] = used << 8 | deepest;
}
