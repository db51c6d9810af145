// library: several sources, compiled apart and linked: classes whose kernels live elsewhere, symbols and kernels of one name in two images.
// run:
// run: -n=10
// timed: -n=100
// mutant: s/b ? a\[i\] + b\[i\]/b ? a[i] - b[i]/
#include "../program.h"
#include "vectors.h"

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 1000);
	std::vector<float> x(n), y(n), want(n);
	double product = 0;
	for (int i = 0; i < n; i++) {
		x[i] = float(i % 9);
		y[i] = float(i % 7) - 3;
		want[i] = 2 * x[i] + y[i];
		product += want[i] * y[i];
	}
	const Vector a(x), b(y);
	Vector sum = 2 * a + b, copy = sum;
	sum = 0 * sum;
	const bool ok = same("2a + b", copy.host().data(), want.data(), n);
	EXPECT(dot(copy, b) == float(product));
	EXPECT(dot(sum, b) == 0);
	EXPECT(operations_of_algebra() == 3);
	EXPECT(operations_of_sums() == 2);
	printf("%d elements, product %g\n", n, product);
	return verdict("library", ok);
}
