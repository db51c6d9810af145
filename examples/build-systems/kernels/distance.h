/* Read by clang, nvcc and what watches dependencies. */
#define DISTANCE 3
