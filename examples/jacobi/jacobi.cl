/* Jacobi's iteration for (I + R) x = b in double precision, R sparse in compressed rows of uneven lengths, one row a thread:
 * the entries of row i are value[row[i]] .. value[row[i + 1] - 1], in the columns of the same numbers. */
#include "examples/gpu.cl.h"

__kernel void jacobi(__global const u16 *row, __global const u16 *column, __global const double *value, __global const double *b,
                     __global const double *from, __global double *to, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;

	double rest = b[i];

	for (u32 e = row[i], end = row[i + 1]; e < end; e++)
		rest -= value[e] * from[column[e]];
	to[i] = rest;
}
