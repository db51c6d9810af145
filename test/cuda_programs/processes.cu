// processes: memory and events of several processes: a child that is forked first and one that is started anew open handles; a buffer that goes round, atomics of all at once, kernels that wait for each other
// run:
// run: -n=1000 -rounds=3 -turns=10
// timed: -n=512 -rounds=1 -turns=0
// mutant: s/atomicAdd(&sums->all, 1u)/sums->all += 1u/
#include "program.h"
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

enum { CHILDREN = 2, BINS = 16, TRIES = 1 << 24 };

struct Sums { // of all processes
	unsigned all, bin[BINS];
	unsigned long long most;
	float whole;
	unsigned turn, gave_up;
};

__global__ void fill(unsigned *x, unsigned n)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = i * 2654435761u;
}

__host__ __device__ inline unsigned stepped(unsigned v, unsigned who, unsigned round) { return (v ^ (v >> 7)) * (2 * who + 3) + round; }

__global__ void step(unsigned *x, unsigned n, unsigned who, unsigned round)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = stepped(x[i], who, round);
}

__global__ void count(Sums *sums, unsigned n, unsigned who)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	atomicAdd(&sums->all, 1u);
	atomicAdd(&sums->bin[(i * 7 + who) % BINS], i % 5 + 1);
	atomicMax(&sums->most, static_cast<unsigned long long>(i) << 8 | who);
	atomicAdd(&sums->whole, 1.0f);
}

// Two kernels take turns: each waits for the number that the other leaves.
__global__ void take_turns(Sums *sums, unsigned who, unsigned turns)
{
	volatile unsigned *turn = &sums->turn;
	for (unsigned t = who; t < turns; t += 2) {
		unsigned tries = 0;
		while (*turn != t)
			if (++tries == TRIES) {
				atomicAdd(&sums->gave_up, 1u);
				return;
			}
		__threadfence_system();
		*turn = t + 1;
	}
}

struct Work {
	unsigned n, rounds, turns;
	unsigned blocks() const { return (n + 127) / 128; }
};

// What one process tells another, over a socket.
struct Handles {
	cudaIpcMemHandle_t buffer, sums;
	cudaIpcEventHandle_t event;
};
template <class T> void tell(int to, const T &x)
{
	if (send(to, &x, sizeof x, MSG_NOSIGNAL) != ssize_t(sizeof x))
		exit(3);
}
template <class T> T hear(int from)
{
	T x;
	if (read(from, &x, sizeof x) != ssize_t(sizeof x))
		exit(3);
	return x;
}
enum { GO = 'g', DONE = 'd' };
void wait_for(int from, char what) { EXPECT(hear<char>(from) == what); }

cudaEvent_t new_event(cudaIpcEventHandle_t *handle)
{
	cudaEvent_t e;
	CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventInterprocess));
	CHECK(cudaIpcGetEventHandle(handle, e));
	return e;
}

template <class T> T *opened(const cudaIpcMemHandle_t &handle)
{
	void *p;
	CHECK(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess));
	return static_cast<T *>(p);
}

int child(int parent, unsigned who, const Work &w)
{
	const Handles h = hear<Handles>(parent);
	unsigned *x = opened<unsigned>(h.buffer);
	Sums *sums = opened<Sums>(h.sums);
	cudaIpcEventHandle_t handle;
	const cudaEvent_t mine = new_event(&handle);
	cudaEvent_t before;
	cudaStream_t s;
	CHECK(cudaIpcOpenEventHandle(&before, h.event));
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	EXPECT(opened<unsigned>(h.buffer) == x);
	CHECK(cudaIpcCloseMemHandle(x));
	tell(parent, handle);
	for (unsigned r = 0; r < w.rounds; r++) {
		wait_for(parent, GO);
		CHECK(cudaStreamWaitEvent(s, before, 0));
		step<<<w.blocks(), 128, 0, s>>>(x, w.n, who, r);
		CHECK(cudaEventRecord(mine, s));
		tell(parent, char(DONE));
	}
	wait_for(parent, GO);
	for (unsigned r = 0; r < w.rounds; r++)
		count<<<w.blocks(), 128, 0, s>>>(sums, w.n, who);
	if (who == 1)
		take_turns<<<1, 1, 0, s>>>(sums, 1, w.turns);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(s));
	CHECK(cudaIpcCloseMemHandle(x));
	CHECK(cudaIpcCloseMemHandle(sums));
	CHECK(cudaEventDestroy(before));
	tell(parent, char(DONE));
	wait_for(parent, GO); // its event is in use until then
	CHECK(cudaEventDestroy(mine));
	CHECK(cudaStreamDestroy(s));
	return expect_failed() ? 1 : 0;
}

bool parent(const int (&to)[CHILDREN], const Work &w)
{
	unsigned *x;
	Sums *sums, got;
	Handles h;
	cudaEvent_t theirs[CHILDREN];
	CHECK(cudaMalloc(&x, w.n * sizeof *x));
	CHECK(cudaMalloc(&sums, sizeof *sums));
	CHECK(cudaMemset(sums, 0, sizeof *sums));
	fill<<<w.blocks(), 128>>>(x, w.n);
	CHECK(cudaIpcGetMemHandle(&h.buffer, x));
	CHECK(cudaIpcGetMemHandle(&h.sums, sums));
	const cudaEvent_t mine = new_event(&h.event);
	for (const int c : to)
		tell(c, h);
	for (int c = 0; c < CHILDREN; c++)
		CHECK(cudaIpcOpenEventHandle(&theirs[c], hear<cudaIpcEventHandle_t>(to[c])));
	for (unsigned r = 0; r < w.rounds; r++) {
		step<<<w.blocks(), 128>>>(x, w.n, 0, r);
		CHECK(cudaEventRecord(mine));
		for (int c = 0; c < CHILDREN; c++) { // one after the other
			tell(to[c], char(GO));
			wait_for(to[c], DONE);
			CHECK(cudaEventSynchronize(theirs[c]));
			CHECK(cudaEventQuery(theirs[c]));
		}
	}
	for (const int c : to)
		tell(c, char(GO));
	for (unsigned r = 0; r < w.rounds; r++)
		count<<<w.blocks(), 128>>>(sums, w.n, 0);
	take_turns<<<1, 1>>>(sums, 0, w.turns);
	CHECK(cudaDeviceSynchronize());
	for (const int c : to)
		wait_for(c, DONE);
	std::vector<unsigned> out(w.n), want(w.n);
	CHECK(cudaMemcpy(out.data(), x, w.n * sizeof *x, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&got, sums, sizeof got, cudaMemcpyDeviceToHost));
	for (int c = 0; c < CHILDREN; c++) {
		CHECK(cudaEventDestroy(theirs[c]));
		tell(to[c], char(GO));
	}
	CHECK(cudaEventDestroy(mine));
	CHECK(cudaFree(x));
	CHECK(cudaFree(sums));

	unsigned bin[BINS] = {};
	for (unsigned i = 0; i < w.n; i++) {
		want[i] = i * 2654435761u;
		for (unsigned r = 0; r < w.rounds; r++)
			for (unsigned who = 0; who <= CHILDREN; who++) {
				want[i] = stepped(want[i], who, r);
				bin[(i * 7 + who) % BINS] += i % 5 + 1;
			}
	}
	const unsigned all = w.n * w.rounds * (CHILDREN + 1);
	printf("%u numbers went round %u times, %u were counted, %u turns\n", w.n, w.rounds, got.all, got.turn);
	EXPECT(got.all == all);
	EXPECT(got.whole == float(all));
	EXPECT(got.most == (static_cast<unsigned long long>(w.n - 1) << 8 | CHILDREN));
	EXPECT(got.turn == w.turns && got.gave_up == 0);
	return same("numbers", out.data(), want.data(), w.n) & same("counters", got.bin, bin, BINS);
}

int main(int argc, char **argv)
{
	const Work w = { unsigned(option(argc, argv, "n", 20000)), unsigned(option(argc, argv, "rounds", 5)),
			 unsigned(option(argc, argv, "turns", 40)) };
	const int socket = option(argc, argv, "socket", -1);
	int to[CHILDREN];
	pid_t pid[CHILDREN];
	if (socket >= 0)
		return child(socket, 2, w);
	// The first child goes on from here, the second begins as a program of its own; neither, nor this process, has used CUDA yet.
	for (int c = 0; c < CHILDREN; c++) {
		int pair[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 3;
		pid[c] = fork();
		if (pid[c] == 0) {
			close(pair[0]);
			for (int d = 0; d < c; d++)
				close(to[d]);
			if (c == 0)
				return child(pair[1], 1, w);
			const std::string number = "-socket=" + std::to_string(pair[1]);
			std::vector<char *> args(argv, argv + argc);
			args.push_back(const_cast<char *>(number.c_str()));
			args.push_back(nullptr);
			execvp(argv[0], args.data());
			return 3;
		}
		close(pair[1]);
		to[c] = pair[0];
	}
	bool ok = parent(to, w);
	for (const pid_t p : pid) {
		int status = -1;
		ok &= waitpid(p, &status, 0) == p && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	return verdict("processes", ok);
}
