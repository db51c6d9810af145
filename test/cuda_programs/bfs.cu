// bfs: breadth-first search of a graph from a file, two kernels a level, again until a flag stays down; distances to a file.
// before: generate 3000 6 11 graph.txt
// run: graph.txt result.txt
// before: generate 500 2 5 small.txt
// timed: small.txt small.out
// mutant: s/cost\[i\] + 1/cost[i] + 2/
#include "program.h"
#include <queue>
#include <string>
#include <vector>

struct Node { int first, edges; };

__global__ void expand(const Node *node, const int *edge, bool *frontier, bool *updating, const bool *visited, int *cost, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && frontier[i]) {
		frontier[i] = false;
		for (int e = node[i].first; e < node[i].first + node[i].edges; e++) {
			const int to = edge[e];
			if (!visited[to]) {
				cost[to] = cost[i] + 1;
				updating[to] = true;
			}
		}
	}
}

__global__ void settle(bool *frontier, bool *updating, bool *visited, bool *again, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && updating[i]) {
		frontier[i] = visited[i] = true;
		updating[i] = false;
		*again = true;
	}
}

static int generate(int n, int degree, int seed, const char *path)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return perror(path), 1;
	Random random(seed);
	std::vector<std::vector<int>> to(n);
	for (int i = 0; i < n; i++)
		for (int k = random.below(2 * degree); k > 0; k--)
			to[i].push_back(random.below(n));
	fprintf(f, "%d\n", n);
	int total = 0;
	for (const auto &t : to) {
		fprintf(f, "%d %zu\n", total, t.size());
		total += int(t.size());
	}
	fprintf(f, "\n0\n\n%d\n", total);
	for (const auto &t : to)
		for (int x : t)
			fprintf(f, "%d 1\n", x);
	return fclose(f) != 0;
}

template <class T> static T *to_device(const std::vector<T> &v)
{
	T *p;
	CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
	CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "generate"))
		return generate(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), argv[5]);
	if (argc != 3) {
		fprintf(stderr, "usage: bfs GRAPH RESULT | bfs generate NODES DEGREE SEED GRAPH\n");
		return 2;
	}
	FILE *f = fopen(argv[1], "r");
	int n, source, edges;
	if (!f || fscanf(f, "%d", &n) != 1)
		return perror(argv[1]), 2;
	std::vector<Node> node(n);
	for (Node &x : node)
		if (fscanf(f, "%d %d", &x.first, &x.edges) != 2)
			return 2;
	if (fscanf(f, "%d %d", &source, &edges) != 2)
		return 2;
	std::vector<int> edge(edges);
	int weight;
	for (int &e : edge)
		if (fscanf(f, "%d %d", &e, &weight) != 2)
			return 2;
	fclose(f);

	std::vector<int> cost(n, -1), want(n, -1);
	std::queue<int> queue;
	queue.push(source);
	cost[source] = want[source] = 0;
	for (; !queue.empty(); queue.pop())
		for (int e = 0, i = queue.front(); e < node[i].edges; e++) {
			const int to = edge[node[i].first + e];
			if (want[to] < 0) {
				want[to] = want[i] + 1;
				queue.push(to);
			}
		}

	Node *dnode = to_device(node);
	int *dedge = to_device(edge), *dcost = to_device(cost);
	bool *mask, *again;             // frontier, updating, visited
	const bool yes = true, no = false;
	CHECK(cudaMalloc(&mask, 3 * n));
	CHECK(cudaMalloc(&again, 1));
	CHECK(cudaMemset(mask, 0, 3 * n));
	CHECK(cudaMemcpy(mask + source, &yes, 1, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(mask + 2 * n + source, &yes, 1, cudaMemcpyHostToDevice));
	const int block = n < 512 ? n : 512, grid = (n + block - 1) / block;
	int levels = 0;
	for (bool more = true; more; levels++) {
		CHECK(cudaMemcpy(again, &no, 1, cudaMemcpyHostToDevice));
		expand<<<grid, block>>>(dnode, dedge, mask, mask + n, mask + 2 * n, dcost, n);
		settle<<<grid, block>>>(mask, mask + n, mask + 2 * n, again, n);
		CHECK(cudaMemcpy(&more, again, 1, cudaMemcpyDeviceToHost));
	}
	CHECK(cudaMemcpy(cost.data(), dcost, n * sizeof *dcost, cudaMemcpyDeviceToHost));
	printf("%d nodes, %d edges, %d levels\n", n, edges, levels);
	f = fopen(argv[2], "w");
	if (!f)
		return perror(argv[2]), 2;
	for (int i = 0; i < n; i++)
		fprintf(f, "%d) cost:%d\n", i, cost[i]);
	fclose(f);
	for (void *p : {static_cast<void *>(dnode), static_cast<void *>(dedge), static_cast<void *>(dcost), static_cast<void *>(mask), static_cast<void *>(again)})
		CHECK(cudaFree(p));
	return verdict("bfs", same("cost", cost.data(), want.data(), n));
}
