/* Clusters: CTAs that are in flight together and reach each other's shared memory.
 *
 * The CTAs of a cluster are numbered one after the other, by rank, and clusters along the grid, x first; so a cluster
 * takes as many slots of the window, from a multiple of its size on, and is begun when all of them are free. A CTA that
 * has exited keeps its slot, and its shared memory is no more; an access to it then is a fault, since CUDA leaves it to
 * the program that a CTA outlives what others do with its memory. */
#include "runtime-model/engine/core.h"

uint32_t launch_cluster(const struct launch *l, uint32_t n[3])
{
	const uint32_t *from = l->cluster[0] ? l->cluster : l->k->cluster;

	for (unsigned i = 0; i < 3; i++)
		n[i] = from[i] ? from[i] : 1;
	return n[0] * n[1] * n[2];
}

const char *launch_cluster_wrong(const struct launch *l, struct arena *a)
{
	const struct kernel *k = l->k;
	const uint32_t *g = l->grid;
	uint32_t n[3], ctas = launch_cluster(l, n);

	if (n[0] > CLUSTER_MAX || n[1] > CLUSTER_MAX || n[2] > CLUSTER_MAX || ctas > CLUSTER_MAX)
		return arena_printf(a, "clusters of %ux%ux%u CTAs; %d CTAs are the most", n[0], n[1], n[2],
				    CLUSTER_MAX);
	for (unsigned i = 0; i < 3; i++) {
		if (k->cluster[0] && n[i] != k->cluster[i])
			return arena_printf(
				a, "clusters of %ux%ux%u CTAs, but the kernel requires %ux%ux%u (.reqnctapercluster)",
				n[0], n[1], n[2], k->cluster[0], k->cluster[1], k->cluster[2]);
		if (g[i] % n[i])
			return arena_printf(a, "grid of %ux%ux%u CTAs, which are no whole clusters of %ux%ux%u", g[0],
					    g[1], g[2], n[0], n[1], n[2]);
	}
	if (k->max_cluster && ctas > k->max_cluster)
		return arena_printf(a, "clusters of %u CTAs, but the kernel allows %u (.maxclusterrank)", ctas,
				    k->max_cluster);
	if (k->explicit_cluster && !l->cluster[0] && !k->cluster[0])
		return "the kernel wants the size of its clusters to be given (.explicitcluster; 'cluster' in a launch "
		       "file)";
	if (ctas > 1 && (uint64_t)k->res.shared_bytes + l->dynamic_shared > CLUSTER_BYTES)
		return arena_printf(a, "needs %llu bytes of shared memory, over the limit of %u in a cluster",
				    (unsigned long long)k->res.shared_bytes + l->dynamic_shared, CLUSTER_BYTES);
	return NULL;
}

void cluster_place(const struct engine *e, struct cta *c)
{
	const uint64_t cluster = c->index / e->cluster_ctas, x = e->l.grid[0] / e->cluster[0],
		       y = e->l.grid[1] / e->cluster[1];
	const uint32_t rank = (uint32_t)(c->index % e->cluster_ctas), w = e->cluster[0], h = e->cluster[1];

	c->cluster_id[0] = (uint32_t)(cluster % x);
	c->cluster_id[1] = (uint32_t)(cluster / x % y);
	c->cluster_id[2] = (uint32_t)(cluster / x / y);
	c->in_cluster[0] = rank % w;
	c->in_cluster[1] = rank / w % h;
	c->in_cluster[2] = rank / w / h;
	for (unsigned i = 0; i < 3; i++)
		c->id[i] = c->cluster_id[i] * e->cluster[i] + c->in_cluster[i];
}

struct cta *cluster_first(const struct engine *e, const struct cta *c)
{
	return e->cta + (c - e->cta) / e->cluster_ctas * e->cluster_ctas;
}

bool cluster_gone(const struct engine *e, const struct cta *c)
{
	const struct cta *first = cluster_first(e, c);

	for (uint32_t r = 0; r < e->cluster_ctas; r++)
		if (first[r].index != UINT64_MAX)
			return false;
	return true;
}

/* A warp of c waits for other CTAs. */
static bool waits_for_cluster(const struct engine *e, const struct cta *c)
{
	for (unsigned w = 0; w < e->warps; w++)
		if (c->warp[w].state == WARP_BARRIER && c->warp[w].barrier == CLUSTER_BARRIER)
			return true;
	return false;
}

bool cluster_stuck(const struct engine *e, const struct cta *c)
{
	const struct cta *first = cluster_first(e, c);

	if (!waits_for_cluster(e, c))
		return true;
	for (uint32_t r = 0; r < e->cluster_ctas; r++)
		for (unsigned w = 0; w < e->warps; w++)
			if (first[r].warp[w].state == WARP_READY)
				return false;
	return true;
}

const struct cta *cluster_peer(const struct engine *e, const struct cta *c, uint64_t at, uint32_t *rank)
{
	const struct cta *peer;

	*rank = (uint32_t)((at - CLUSTER_OFFSET) / CLUSTER_BYTES);
	if (*rank >= e->cluster_ctas || e->cluster_ctas == 1) /* its own memory has no window */
		return NULL;
	peer = cluster_first(e, c) + *rank;
	return peer->index == UINT64_MAX ? NULL : peer;
}

unsigned char *cluster_shared(const struct engine *e, const struct cta *c, uint64_t *at)
{
	const struct cta *peer;
	uint32_t rank;

	if (*at < CLUSTER_OFFSET)
		return c->shared;
	peer = cluster_peer(e, c, *at, &rank);
	if (!peer)
		return NULL;
	*at = (*at - CLUSTER_OFFSET) % CLUSTER_BYTES;
	return peer->shared;
}
