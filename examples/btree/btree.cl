/* Look-ups in a B+ tree, one a thread: the value of a key, and how many keys lie in a range. A node holds up to 16 keys in order.
 * In an inner node, slots are the numbers of the children and keys the least keys below them; in a leaf, slots are values.
 * Nodes are numbered from the root, 0, level by level, so the leaf after a leaf is the next node. */
#include "examples/gpu.cl.h"

#define ORDER 16
#define NONE 0xffff

/* How many of a node's keys are not greater. */
static u32 btree_rank(__global const u32 *key, u32 used, u32 wanted)
{
	u32 low = 0, high = used;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (key[middle] <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The leaf in which a key is or would be. */
static u32 btree_leaf(__global const u32 *key, __global const u16 *slot, __global const u8 *used, u32 levels, u32 wanted)
{
	u32 node = 0;

	for (u32 level = 1; level < levels; level++) {
		u32 rank = btree_rank(key + node * ORDER, used[node], wanted);

		node = slot[node * ORDER + (rank ? rank - 1 : 0)];
	}
	return node;
}

__kernel void btree_find(__global const u32 *key, __global const u16 *slot, __global const u8 *used, u32 levels,
                         __global const u32 *query, __global u16 *found, u32 n)
{
	u32 q = GLOBAL_X;

	if (q >= n)
		return;

	u32 wanted = query[q], leaf = btree_leaf(key, slot, used, levels, wanted);
	u32 rank = btree_rank(key + leaf * ORDER, used[leaf], wanted);

	found[q] = rank && key[leaf * ORDER + rank - 1] == wanted ? slot[leaf * ORDER + rank - 1] : NONE;
}

/* Counts the keys from `from` to `from + length - 1`. */
__kernel void btree_count(__global const u32 *key, __global const u16 *slot, __global const u8 *used, u32 levels, u32 nodes,
                          __global const u32 *from, __global const u8 *length, __global u8 *count, u32 n)
{
	u32 q = GLOBAL_X;

	if (q >= n)
		return;

	u32 first = from[q], end = first + length[q], seen = 0;

	for (u32 leaf = btree_leaf(key, slot, used, levels, first); leaf < nodes && key[leaf * ORDER] < end; leaf++)
		for (u32 i = 0; i < used[leaf]; i++)
			seen += key[leaf * ORDER + i] >= first && key[leaf * ORDER + i] < end;
	count[q] = seen;
}
