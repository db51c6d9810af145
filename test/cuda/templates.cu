// Templates: of types and of numbers, recursive, variadic, partially specialised, with a template member.
#include <cstdint>

template <typename T> __device__ T poly(T x) { return x * x * x - T(3) * x + T(7); }

template <int N> struct power {
	template <typename T> static __device__ T of(T x) { return x * power<N - 1>::of(x); }
};
template <> struct power<0> {
	template <typename T> static __device__ T of(T) { return T(1); }
};

template <typename T> __device__ T total(T x) { return x; }
template <typename T, typename... R> __device__ T total(T x, R... r) { return x + total<T>(T(r)...); }

template <typename T, int N> struct ring {
	T v[N];
	unsigned at;
	__device__ ring() : at(0) { for (int i = 0; i < N; i++) v[i] = T(i); }
	__device__ void push(T x) { v[at] = x; at = (at + 1) % N; }
	__device__ T fold() const { T s = 0; for (int i = 0; i < N; i++) s = T(s * T(31) + v[i]); return s; }
};
template <typename A, typename B> struct wider { static const int value = sizeof(A) > sizeof(B) ? 1 : 2; };
template <typename A> struct wider<A, A> { static const int value = 0; };

extern "C" __global__ void templates(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	ring<uint16_t, 5> a;
	ring<uint64_t, 3> b;

	for (uint32_t k = 0; k < (x & 7); k++) {
		a.push(uint16_t(x >> k));
		b.push(uint64_t(x) << k);
	}
	out[i] = poly<uint32_t>(x) ^ uint32_t(poly<uint8_t>(uint8_t(x)));
	out[n + i] = uint32_t(poly<int64_t>(int32_t(x) >> 12) >> 20);
	out[2 * n + i] = power<7>::of(x) + uint32_t(power<5>::of(uint64_t(x)) >> 32);
	out[3 * n + i] = total<uint32_t>(x, uint8_t(x), short(x), x >> 16, 5);
	out[4 * n + i] = a.fold() + uint32_t(b.fold() >> 32);
	out[5 * n + i] = wider<int, char>::value * 100 + wider<char, int>::value * 10 + wider<int, int>::value;
}
