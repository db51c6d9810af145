/* Parameters above 4 KiB are declared by another attribute; and clusters. */
struct large { int x[2000]; };
extern "C" __global__ void __cluster_dims__(2, 1, 1) large(struct large l, int *p)
{
	p[threadIdx.x] = l.x[threadIdx.x];
}
