// to[i] = from[(i + DISTANCE) mod n], in one block of n threads.
#include "distance.h"

kernel void shift(global int *to, global const int *from, int n)
{
	int i = __nvvm_read_ptx_sreg_tid_x();

	if (i < n)
		to[i] = from[(i + DISTANCE) % n];
}
