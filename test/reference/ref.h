/* What the reference programs share. A reference is the same computation as an example in plain C, written for clarity:
 * it makes the expected results, and is the "plain C on one core" side of `make bench`.
 *
 *   NAME DIR         writes the files that the example's launch file names into DIR
 *   NAME --time N    prints the seconds that one computation takes, the least of N
 *
 * The fills are those of docs/LAUNCH.md, so that both sides start from the same numbers. */
#ifndef REGLOOM_REF_H
#define REGLOOM_REF_H

#include "analyzer/base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ref_new(type, n) ((type *)ref_alloc((n) * sizeof(type)))

static inline void *ref_alloc(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(3);
	}
	return p;
}

/* x, but 0 at least and `most` at most: where a picture goes on as it ends. */
static inline int ref_clamp(int x, int most)
{
	x = x < most ? x : most;
	return x < 0 ? 0 : x;
}

static inline double ref_ramp(size_t i, double start, double step, double modulo)
{
	double x = (double)i * step;

	return start + (modulo > 0 ? fmod(x, modulo) : x);
}

static inline float *ref_ramp_f32(size_t n, double start, double step, double modulo)
{
	float *p = ref_new(float, n);

	for (size_t i = 0; i < n; i++)
		p[i] = (float)ref_ramp(i, start, step, modulo);
	return p;
}

static inline float *ref_random_f32(size_t n, uint64_t seed, double low, double high)
{
	float *p = ref_new(float, n);

	for (size_t i = 0; i < n; i++)
		p[i] = (float)(low + rng_unit(&seed) * (high - low));
	return p;
}

static inline double *ref_random_f64(size_t n, uint64_t seed, double low, double high)
{
	double *p = ref_new(double, n);

	for (size_t i = 0; i < n; i++)
		p[i] = low + rng_unit(&seed) * (high - low);
	return p;
}

static inline int32_t *ref_random_s32(size_t n, uint64_t seed, int32_t low, int32_t high)
{
	int32_t *p = ref_new(int32_t, n);

	for (size_t i = 0; i < n; i++)
		p[i] = low + (int32_t)rng_below(&seed, (uint32_t)(high - low));
	return p;
}

static inline uint8_t *ref_random_u8(size_t n, uint64_t seed, uint8_t low, unsigned high)
{
	uint8_t *p = ref_new(uint8_t, n);

	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(low + rng_below(&seed, high - low));
	return p;
}

/* Writes raw little-endian elements to DIR/NAME; stops the program if that fails. The machines we build on are
 * little-endian, which is checked. */
static inline void ref_write(const char *dir, const char *name, const void *data, size_t bytes)
{
	const uint16_t one = 1;
	char path[4096];
	FILE *f;

	if (*(const uint8_t *)&one != 1) {
		fprintf(stderr, "%s: this machine is big-endian\n", name);
		exit(3);
	}
	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path || !(f = fopen(path, "wb"))) {
		perror(name);
		exit(1);
	}
	if (fwrite(data, 1, bytes, f) != bytes) {
		perror(path);
		exit(1);
	}
	if (fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

/* The main program of a reference: COMPUTE works on STATE, WRITE writes the files. */
static inline int ref_main(int argc, char **argv, void *state, void (*compute)(void *),
			   void (*write)(void *, const char *dir))
{
	if (argc == 2 && argv[1][0] != '-') {
		compute(state);
		write(state, argv[1]);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--time") == 0 && atoi(argv[2]) > 0) {
		double best = HUGE_VAL;

		for (int n = atoi(argv[2]); n > 0; n--) {
			struct timespec a, b;
			double s;

			clock_gettime(CLOCK_MONOTONIC, &a);
			compute(state);
			__asm__ volatile("" ::: "memory");
			clock_gettime(CLOCK_MONOTONIC, &b);
			s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
			if (s < best)
				best = s;
		}
		printf("%.9f\n", best);
		return 0;
	}
	fprintf(stderr, "usage: %s DIR | --time N\n", argv[0]);
	return 2;
}

#endif
