// runtime_compiler: kernels compiled while it runs: NVRTC to PTX and to machine code, nvJitLink of two parts of each kind and of LTO's; nothing is warned of.
// build: -lnvrtc -lnvJitLink -lcuda
// run:
// timed: -n=100
// mutant: s/return 3 \* v + 1;/return 3 * v - 1;/
// slow:
#include "program.h"
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <string>
#include <vector>

#define GOOD(call)                                                                          \
	do {                                                                                \
		const int good = int(call);                                                 \
		if (good) {                                                                 \
			fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, good); \
			exit(2);                                                            \
		}                                                                           \
	} while (0)
using Bytes = std::vector<char>;
using Options = std::vector<std::string>;

static const char *const whole = R"(
__constant__ float bias;
template <class T> __device__ T twice(T x) { return x + x; }
template <class T> __global__ void scale(T *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = twice(x[i]) + bias;
}
)";
static const char *const caller = R"(
extern __device__ float other(float);
extern "C" __global__ void apply(float *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = other(x[i]);
}
)";
static const char *const callee = "__device__ float other(float v) { return 3 * v + 1; }";

enum Kind { PTX, CUBIN, LTO };
static const char *const kinds[] = { "PTX", "machine code", "LTO" };

static std::vector<const char *> pointers(const Options &o)
{
	std::vector<const char *> p;
	for (const std::string &s : o)
		p.push_back(s.c_str());
	return p;
}

static Bytes compile(const char *source, const Options &options, Kind kind, const char *kernel, std::string *lowered)
{
	nvrtcProgram p;
	GOOD(nvrtcCreateProgram(&p, source, "source.cu", 0, nullptr, nullptr));
	if (kernel)
		GOOD(nvrtcAddNameExpression(p, kernel));
	const nvrtcResult r = nvrtcCompileProgram(p, int(options.size()), pointers(options).data());
	size_t n;
	GOOD(nvrtcGetProgramLogSize(p, &n));
	Bytes log(n), code;
	GOOD(nvrtcGetProgramLog(p, log.data()));
	if (r)
		fputs(log.data(), stderr);
	GOOD(r);
	GOOD(kind == PTX ? nvrtcGetPTXSize(p, &n) : kind == CUBIN ? nvrtcGetCUBINSize(p, &n) : nvrtcGetLTOIRSize(p, &n));
	code.resize(n);
	GOOD(kind == PTX ? nvrtcGetPTX(p, code.data()) : kind == CUBIN ? nvrtcGetCUBIN(p, code.data()) : nvrtcGetLTOIR(p, code.data()));
	const char *name;
	if (kernel) {
		GOOD(nvrtcGetLoweredName(p, kernel, &name));
		*lowered = name;
	}
	GOOD(nvrtcDestroyProgram(&p));
	return code;
}

static Bytes link(const Bytes &a, const Bytes &b, const Options &options, Kind kind)
{
	const nvJitLinkInputType type = kind == PTX ? NVJITLINK_INPUT_PTX : kind == CUBIN ? NVJITLINK_INPUT_CUBIN : NVJITLINK_INPUT_LTOIR;
	nvJitLinkHandle h;
	GOOD(nvJitLinkCreate(&h, options.size(), pointers(options).data()));
	GOOD(nvJitLinkAddData(h, type, a.data(), a.size(), "caller"));
	GOOD(nvJitLinkAddData(h, type, b.data(), b.size(), "callee"));
	GOOD(nvJitLinkComplete(h));
	size_t n;
	GOOD(nvJitLinkGetLinkedCubinSize(h, &n));
	Bytes out(n);
	GOOD(nvJitLinkGetLinkedCubin(h, out.data()));
	GOOD(nvJitLinkDestroy(&h));
	return out;
}

static bool launch(const char *what, CUfunction f, int n, float factor)
{
	std::vector<float> x(n), want(n);
	for (int i = 0; i < n; i++) {
		x[i] = float(i % 100);
		want[i] = factor * x[i] + 1;
	}
	float *d;
	CHECK(cudaMalloc(&d, n * sizeof *d));
	CHECK(cudaMemcpy(d, x.data(), n * sizeof *d, cudaMemcpyHostToDevice));
	void *arguments[] = { &d, &n };
	GOOD(cuLaunchKernel(f, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
	CHECK(cudaMemcpy(x.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(d));
	return same(what, x.data(), want.data(), n);
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 1000);
	bool ok = true;
	cudaDeviceProp device;
	CHECK(cudaSetDevice(0));
	CHECK(cudaGetDeviceProperties(&device, 0));
	const std::string number = std::to_string(10 * device.major + device.minor), real = "-arch=sm_" + number, virtually = "-arch=compute_" + number;
	for (const Kind kind : { PTX, CUBIN }) {
		std::string name;
		const Bytes code = compile(whole, { kind == PTX ? virtually : real }, kind, "scale<float>", &name);
		CUmodule m;
		CUfunction f;
		CUdeviceptr bias;
		const float one = 1;
		size_t bytes;
		GOOD(cuModuleLoadData(&m, code.data()));
		GOOD(cuModuleGetFunction(&f, m, name.c_str()));
		GOOD(cuModuleGetGlobal(&bias, &bytes, m, "bias"));
		EXPECT(bytes == sizeof one);
		GOOD(cuMemcpyHtoD(bias, &one, sizeof one));
		ok &= launch(kinds[kind], f, n, 2);
		GOOD(cuModuleUnload(m));
	}
	for (const Kind kind : { PTX, CUBIN, LTO }) {
		Options compiled = { kind == CUBIN ? real : virtually, "-rdc=true" }, linked = { real };
		if (kind == LTO) {
			compiled.push_back("-dlto");
			linked.push_back("-lto");
		}
		const Bytes code = link(compile(caller, compiled, kind, nullptr, nullptr), compile(callee, compiled, kind, nullptr, nullptr), linked, kind);
		CUlibrary library;
		CUkernel kernel;
		GOOD(cuLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
		GOOD(cuLibraryGetKernel(&kernel, library, "apply"));
		ok &= launch(kinds[kind], CUfunction(kernel), n, 3);
		GOOD(cuLibraryUnload(library));
	}
	return verdict("runtime_compiler", ok);
}
