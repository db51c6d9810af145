// thrust_pipeline: Thrust as programs use it: vectors, sort, reduce, transform, scan, unique, gather by permutation, a functor and a lambda.
// build: --extended-lambda
// slow:
// run:
// mutant: s/return 3 \* x + 1; }/return 3 * x; }/
#include "program.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <vector>

struct Affine { __host__ __device__ int operator()(int x) const { return 3 * x + 1; } };

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 3000);
	Random random(16);
	thrust::host_vector<int> h(n);
	for (int &x : h)
		x = int(random.below(500));
	std::vector<int> ref(h.begin(), h.end());
	thrust::device_vector<int> d = h, values(n);
	EXPECT(thrust::reduce(d.begin(), d.end()) == std::accumulate(ref.begin(), ref.end(), 0));
	EXPECT(thrust::transform_reduce(d.begin(), d.end(), Affine(), 0, thrust::maximum<int>()) == 3 * *std::max_element(ref.begin(), ref.end()) + 1);
	thrust::transform(d.begin(), d.end(), values.begin(), [] __device__(int x) { return 2 * x - 7; });
	EXPECT(values[n / 2] == 2 * ref[n / 2] - 7);

	thrust::sequence(values.begin(), values.end());
	thrust::stable_sort_by_key(d.begin(), d.end(), values.begin(), thrust::greater<int>());
	std::vector<int> order(n);
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ref[a] > ref[b]; });
	const thrust::host_vector<int> got = values;
	EXPECT(std::equal(order.begin(), order.end(), got.begin()));
	thrust::device_vector<int> original = h;
	EXPECT(thrust::inner_product(thrust::make_permutation_iterator(original.begin(), values.begin()), thrust::make_permutation_iterator(original.begin(), values.end()), d.begin(), 0ll) ==
	       std::inner_product(ref.begin(), ref.end(), ref.begin(), 0ll));

	std::map<int, int, std::greater<int>> counts;
	for (int x : ref)
		counts[x]++;
	thrust::device_vector<int> keys(n), sums(n);
	const auto ends = thrust::reduce_by_key(d.begin(), d.end(), thrust::make_constant_iterator(1), keys.begin(), sums.begin());
	EXPECT(ends.first - keys.begin() == int(counts.size()));
	int i = 0;
	for (const auto &[key, count] : counts) {
		if (i % 50 == 0)
			EXPECT(keys[i] == key && sums[i] == count);
		i++;
	}
	const auto last = thrust::unique(d.begin(), d.end());
	EXPECT(last - d.begin() == int(counts.size()));
	thrust::device_vector<long long> running(n);
	thrust::exclusive_scan(original.begin(), original.end(), running.begin(), 100ll);
	EXPECT(running[n - 1] == 100 + std::accumulate(ref.begin(), ref.end() - 1, 0ll));
	printf("%d numbers, %zu different\n", n, counts.size());
	return verdict("thrust_pipeline", true);
}
