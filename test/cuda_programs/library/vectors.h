// A library of vectors on the device, whose sources are compiled one by one, each with kernels, symbols and an image of
// its own.
#ifndef VECTORS_H
#define VECTORS_H
#include <cstddef>
#include <vector>

class Vector
{
	float *data = nullptr;
	size_t n = 0;

      public:
	explicit Vector(const std::vector<float> &from);
	explicit Vector(size_t n);
	Vector(const Vector &other);
	Vector(Vector &&other) noexcept;
	Vector &operator=(Vector other) noexcept;
	~Vector();
	size_t size() const { return n; }
	float *get() const { return data; }
	std::vector<float> host() const;
};

Vector operator+(const Vector &a, const Vector &b); // algebra.cu
Vector operator*(float s, const Vector &a);
float dot(const Vector &a, const Vector &b); // sums.cu
unsigned operations_of_algebra();            // each source counts in a __device__ variable of the same name
unsigned operations_of_sums();

#endif
