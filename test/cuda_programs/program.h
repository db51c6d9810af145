// What the programs share: checked calls, options as the samples of CUDA have them, numbers from a seed, and the
// verdict, which is a line of its own and the exit status.
#ifndef PROGRAM_H
#define PROGRAM_H
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                        \
	do {                                                                               \
		const cudaError_t check_error = (call);                                    \
		if (check_error != cudaSuccess) {                                          \
			fprintf(stderr, "%s:%d: %s: %s (%d)\n", __FILE__, __LINE__, #call, \
				cudaGetErrorString(check_error), int(check_error));        \
			exit(2);                                                           \
		}                                                                          \
	} while (0)

// A condition that the program relies on; what it was is said once it fails.
#define EXPECT(condition)                                                                       \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			expect_failed()++;                                                      \
		}                                                                               \
	} while (0)
inline int &expect_failed()
{
	static int n;
	return n;
}

// -NAME=VALUE or --NAME=VALUE among the arguments, else what stands in `otherwise`.
inline const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];
		while (*a == '-')
			a++;
		const size_t n = strlen(name);
		if (a != argv[i] && !strncmp(a, name, n) && (a[n] == '=' || !a[n]))
			return a[n] ? a + n + 1 : "1";
	}
	return otherwise;
}

inline int option(int argc, char **argv, const char *name, int otherwise)
{
	const char *s = option(argc, argv, name, static_cast<const char *>(nullptr));
	return s ? atoi(s) : otherwise;
}

class Random
{ // a permuted congruential generator, 32 bits of 64
	uint64_t state;

      public:
	explicit Random(uint64_t seed) : state(seed * 2 + 0x9e3779b97f4a7c15u) { next(); }
	uint32_t next()
	{
		const uint64_t s = state;
		state = s * 6364136223846793005u + 1442695040888963407u;
		const uint32_t x = uint32_t(((s >> 18) ^ s) >> 27), r = uint32_t(s >> 59);
		return x >> r | x << (-r & 31);
	}
	uint32_t below(uint32_t n) { return uint32_t(uint64_t(next()) * n >> 32); }
	float unit() { return float(next() >> 8) * 0x1p-24f; } // [0, 1)
	float between(float a, float b) { return a + (b - a) * unit(); }
};

inline bool close_to(double got, double want, double relative, double absolute = 0)
{
	return std::fabs(got - want) <= absolute + relative * std::fabs(want); // false if one is no number
}

// Compares arrays of any numbers; the first few that differ are said.
template <class T>
bool same(const char *what, const T *got, const T *want, size_t n, double relative = 0, double absolute = 0)
{
	size_t wrong = 0;
	for (size_t i = 0; i < n; i++)
		if (!(relative == 0 && absolute == 0 ? got[i] == want[i]
						     : close_to(double(got[i]), double(want[i]), relative, absolute)) &&
		    wrong++ < 4)
			fprintf(stderr, "%s[%zu]: %.9g, not %.9g\n", what, i, double(got[i]), double(want[i]));
	if (wrong)
		fprintf(stderr, "%s: %zu of %zu differ\n", what, wrong, n);
	return wrong == 0;
}

class Timer
{ // by events of a stream, in milliseconds
	cudaEvent_t from, to;
	cudaStream_t stream;

      public:
	explicit Timer(cudaStream_t s = 0) : stream(s)
	{
		CHECK(cudaEventCreate(&from));
		CHECK(cudaEventCreate(&to));
		CHECK(cudaEventRecord(from, stream));
	}
	Timer(const Timer &) = delete;
	~Timer()
	{
		cudaEventDestroy(from);
		cudaEventDestroy(to);
	}
	float ms()
	{
		float t = -1;
		CHECK(cudaEventRecord(to, stream));
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaEventElapsedTime(&t, from, to));
		return t;
	}
};

// What the same computation takes in plain code, for `make bench`.
template <class F> void timed_on_host(F f)
{
	const auto start = std::chrono::steady_clock::now();
	f();
	printf("on the host: %.6f s\n",
	       std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

inline int verdict(const char *program, bool ok)
{
	ok = ok && !expect_failed();
	printf("%s: %s\n", program, ok ? "PASS" : "FAIL");
	return ok ? 0 : 1;
}

#endif
