// device_print: printf on the device, its order at synchronisation, and an assert that fails: its message, its error, which stays.
// run:
// run: -blocks=3
// mutant: s/printf("%s %2d: v/printf("%s %2d: w/
#include "program.h"
#include <cassert>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void table(const char *, int rows)
{
	if (threadIdx.x == 0)
		printf("block %d of %u%%\n", blockIdx.x, gridDim.x);
	if (threadIdx.x < unsigned(rows) && blockIdx.x == 0)
		printf("%s %2d: v %5.2f 0x%04x %lld [%-4c] %s\n", "row", int(threadIdx.x), threadIdx.x * 1.25, 1u << threadIdx.x, -5000000000ll * threadIdx.x, int('a' + threadIdx.x),
		       threadIdx.x % 2 ? "odd" : "even");
}

__global__ void demand(const int *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	assert(i >= n || x[i] < 50);
}

// What f() prints, to either output, and how its process ends. The device is used in the children alone.
template <class F> static std::string output(F f, int *status)
{
	int pipe_ends[2];
	if (pipe(pipe_ends))
		exit(2);
	fflush(stdout);
	const pid_t child = fork();
	if (child == 0) {
		dup2(pipe_ends[1], 1);
		dup2(pipe_ends[1], 2);
		close(pipe_ends[0]);
		close(pipe_ends[1]);
		exit(f());
	}
	close(pipe_ends[1]);
	std::string all;
	char part[256];
	for (ssize_t n; (n = read(pipe_ends[0], part, sizeof part)) > 0;)
		all.append(part, n);
	close(pipe_ends[0]);
	waitpid(child, status, 0);
	return all;
}

int main(int argc, char **argv)
{
	const int blocks = option(argc, argv, "blocks", 2);
	int status;
	const std::string printed = output([=] {
		size_t bytes;
		CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
		CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 * bytes));
		table<<<blocks, 32>>>(nullptr, 4);
		CHECK(cudaDeviceSynchronize());
		printf("and the host\n");
		return 0;
	}, &status);
	EXPECT(status == 0);
	std::string rows;
	for (int i = 0; i < 4; i++) {
		char line[100];
		snprintf(line, sizeof line, "row %2d: v %5.2f 0x%04x %lld [%-4c] %s\n", i, i * 1.25, 1u << i, -5000000000ll * i, 'a' + i, i % 2 ? "odd" : "even");
		rows += line;
	}
	EXPECT(printed.find(rows) != std::string::npos);
	for (int b = 0; b < blocks; b++)
		EXPECT(printed.find("block " + std::to_string(b) + " of " + std::to_string(blocks) + "%\n") != std::string::npos);
	EXPECT(printed.size() > 13 && printed.substr(printed.size() - 13) == "and the host\n");
	if (expect_failed())
		fputs(printed.c_str(), stderr);

	const std::string complaint = output([] {
		int x[100], *d;
		for (int i = 0; i < 100; i++)
			x[i] = i == 70 ? 50 : i % 50;
		CHECK(cudaMalloc(&d, sizeof x));
		CHECK(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
		demand<<<4, 32>>>(d, 70);
		CHECK(cudaDeviceSynchronize());
		demand<<<4, 32>>>(d, 100);
		EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
		EXPECT(cudaMalloc(&d, 100) == cudaErrorAssert);                // it stays
		EXPECT(cudaGetLastError() == cudaErrorAssert);
		EXPECT(!strcmp(cudaGetErrorName(cudaErrorAssert), "cudaErrorAssert"));
		return expect_failed() ? 1 : 7;
	}, &status);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	EXPECT(complaint.find("device_print.cu") != std::string::npos && complaint.find("x[i] < 50") != std::string::npos);
	EXPECT(complaint.find("2,0,0") != std::string::npos && complaint.find("6,0,0") != std::string::npos);          // block and thread
	if (expect_failed())
		fputs(complaint.c_str(), stderr);
	return verdict("device_print", true);
}
