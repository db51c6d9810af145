/* What the host references of the CUDA kernels share. Each kernel has a function here that computes what must come out,
 * in plain C and from the same inputs (the fills of its launch file), and writes it to DIR/KERNEL.BUFFER.want. */
#ifndef REGLOOM_CUDA_REF_H
#define REGLOOM_CUDA_REF_H

#include "test/reference/ref.h"

struct cuda_ref {
	const char *name;
	void (*run)(const char *dir);
};

extern const struct cuda_ref refs_language[], refs_integer[], refs_floating[], refs_half[], refs_atomics[], refs_warp[],
	refs_shared[], refs_async[], refs_tensor[], refs_numeric[], refs_codes[], refs_search[];

/* Random integers over the whole type: `low: 0, high: 4294967296` and so on in the launch file. */
static inline uint32_t *full_u32(size_t n, uint64_t seed)
{
	uint32_t *p = ref_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		p[i] = (uint32_t)(rng_next(&seed) >> 32);
	return p;
}

static inline uint32_t *below_u32(size_t n, uint64_t seed, uint32_t low, uint32_t high)
{
	uint32_t *p = ref_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		p[i] = low + rng_below(&seed, high - low);
	return p;
}

static inline double *random_f64(size_t n, uint64_t seed, double low, double high)
{
	double *p = ref_new(double, n);

	for (size_t i = 0; i < n; i++)
		p[i] = low + rng_unit(&seed) * (high - low);
	return p;
}

static inline uint32_t f32_bits(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return u;
}
static inline float f32_of(uint32_t u)
{
	float x;
	memcpy(&x, &u, 4);
	return x;
}
static inline uint64_t f64_bits(double x)
{
	uint64_t u;
	memcpy(&u, &x, 8);
	return u;
}

/* IEEE half and bfloat16 by their definitions: exact decoding, encoding to nearest even. */
double half_value(uint16_t h);
uint16_t half_near(double x);
double bf16_value(uint16_t b);
uint16_t bf16_near(double x);

#endif
