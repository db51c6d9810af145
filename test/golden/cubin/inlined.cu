/* Inlined functions in two kernels, compiled twice and linked: two line tables with several sequences each. */
#define NAMED(name) NAME(name, PART)
#define NAME(name, part) PASTE(name, part)
#define PASTE(name, part) name##part

static __device__ __forceinline__ int NAMED(thrice)(int x)
{
	return x * 3 ^ 5;
}

static __device__ __forceinline__ int NAMED(twice)(int x)
{
	return NAMED(thrice)(x) * x;
}

extern "C" __global__ void NAMED(a)(int *x)
{
	x[0] = NAMED(thrice)(x[0]);
	x[1] = NAMED(twice)(x[1]);
}

extern "C" __global__ void NAMED(b)(int *x)
{
	x[2] = NAMED(twice)(x[2]);
}
