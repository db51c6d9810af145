/* What lives as long as graphs do: memory that they allocate, objects that they hold for the program; and their end. */
#include "runtime-model/cuda/core/graph.h"

#include <string.h>

/* ---- memory of graphs: there from the node's making; given back with the last graph ---- */
static struct {
	uint64_t *row;
	uint32_t n, cap;
	uint64_t bytes, high;
} memory;

enum cu_status graph_memory(uint64_t *addr, uint64_t bytes)
{
	enum cu_status s = cu_alloc(addr, bytes, 0, CU_DEVICE, 0);

	if (s == CU_OK) {
		arena_grow(&works.a, memory.row, memory.n, memory.cap);
		memory.row[memory.n++] = *addr;
		memory.bytes += bytes;
		memory.high = memory.bytes > memory.high ? memory.bytes : memory.high;
	}
	return s;
}

bool graph_owns(uint64_t addr)
{
	for (uint32_t i = 0; i < memory.n; i++)
		if (memory.row[i] == addr)
			return true;
	return false;
}

bool cu_graph_owns(uint64_t addr)
{
	bool owned;

	LOCKED(owned = graph_owns(addr));
	return owned;
}

void cu_graph_memory(uint64_t *now, uint64_t *high, bool mark)
{
	LOCKED({
		memory.high = mark ? memory.bytes : memory.high;
		*now = memory.bytes;
		*high = memory.high;
	});
}

void cu_graph_memory_forget(void)
{
	LOCKED({
		memory.n = 0;
		memory.bytes = 0;
	});
}

static void memory_give_back(const uint64_t *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct cu_range r;

		if (cu_find(&r, row[i]) && cu_give_back(row[i], CU_DEVICE) == CU_OK)
			LOCKED(memory.bytes -= r.bytes);
	}
}

/* ---- user objects ---- */
enum cu_status cu_object_create(struct CUuserObject_st **out, void *data, void (*destroy)(void *), unsigned count)
{
	if (!out || !destroy || !count || count > INT32_MAX)
		return CU_INVALID_VALUE;
	LOCKED({
		*out = new(&works.a, struct CUuserObject_st);
		**out = (struct CUuserObject_st){ data, destroy, count };
	});
	return CU_OK;
}

enum cu_status cu_object_release(struct CUuserObject_st *o, unsigned count)
{
	bool good, last;

	LOCKED({
		good = o && count && o->count >= count;
		if (good)
			o->count -= count;
		last = good && !o->count;
	});
	if (last)
		o->destroy(o->data);
	return good ? CU_OK : CU_INVALID_VALUE;
}

enum cu_status cu_object_retain(struct CUuserObject_st *o, unsigned count)
{
	if (!o || !count || count > INT32_MAX || !o->count)
		return CU_INVALID_VALUE;
	LOCKED(o->count += count);
	return CU_OK;
}

enum cu_status cu_graph_retain(struct CUgraph_st *g, struct CUuserObject_st *o, unsigned count, bool move)
{
	bool good;

	if (!o || !count || count > INT32_MAX)
		return CU_INVALID_VALUE;
	LOCKED({
		good = g && graph_live(g) && o->count && (!move || o->count >= count);
		if (good) {
			uint32_t i = 0;

			while (i < g->nheld && g->held[i].object != o)
				i++;
			if (i == g->nheld) {
				arena_grow(&g->a, g->held, g->nheld, g->held_cap);
				g->held[g->nheld++] = (struct held){ o, 0 };
			}
			g->held[i].count += count;
			o->count += move ? 0 : count;
		}
	});
	return good ? CU_OK : CU_INVALID_VALUE;
}

enum cu_status cu_graph_release(struct CUgraph_st *g, struct CUuserObject_st *o, unsigned count)
{
	bool good = false;

	LOCKED({
		for (uint32_t i = 0; g && graph_live(g) && i < g->nheld && !good; i++)
			if (g->held[i].object == o && g->held[i].count >= count && count) {
				g->held[i].count -= count;
				good = true;
			}
	});
	return good ? cu_object_release(o, count) : CU_INVALID_VALUE;
}

/* ---- the end of a graph ---- */
/* Whether another graph still names that memory. */
static bool named_elsewhere(uint64_t addr, struct CUgraph_st *but);

void graph_free(struct CUgraph_st *g)
{
	struct arena a, scratch = { 0 };
	struct CUgraph_st **child;
	struct held *held;
	uint64_t *row;
	uint32_t nchild = 0, child_cap = 0, nheld, nrow = 0;

	LOCKED({
		child = NULL;
		row = new_array(&scratch, uint64_t, g->nnode + 1);
		for (uint32_t i = 0; i < g->nnode; i++) {
			uint32_t n;
			struct CUgraph_st **inner = node_graphs(g->node[i], &n);

			for (uint32_t j = 0; j < n; j++) {
				arena_grow(&scratch, child, nchild, child_cap);
				child[nchild++] = inner[j];
			}
			if (g->node[i]->op.kind == OP_CONDITIONAL && !g->node[i]->dead)
				conditional_leave(g->node[i]);
			if (g->node[i]->op.kind == OP_ALLOC && graph_owns(g->node[i]->op.memory.addr) &&
			    !named_elsewhere(g->node[i]->op.memory.addr, g))
				row[nrow++] = g->node[i]->op.memory.addr;
		}
		for (uint32_t i = 0; i < nrow; i++)
			for (uint32_t j = 0; j < memory.n; j++)
				if (memory.row[j] == row[i])
					memory.row[j] = memory.row[--memory.n];
		nheld = g->nheld;
		held = new_array(&scratch, struct held, nheld + 1);
		if (nheld)
			memcpy(held, g->held, nheld * sizeof *held);
		conditions_leave(g);
		for (struct CUgraph_st *q = graphs_first(); q; q = q->next)
			q->source = q->source == g ? NULL : q->source;
		a = g->a;
		g->live = false;
		g->nnode = 0;
		g->a = (struct arena){ 0 };
	});
	arena_free(&a);
	for (uint32_t i = 0; i < nchild; i++)
		graph_free(child[i]);
	memory_give_back(row, nrow);
	for (uint32_t i = 0; i < nheld; i++)
		cu_object_release(held[i].object, held[i].count);
	arena_free(&scratch);
}

static bool names(struct CUgraph_st *g, uint64_t addr)
{
	for (uint32_t i = 0; g->live && i < g->nnode; i++)
		if (g->node[i]->op.kind == OP_ALLOC && g->node[i]->op.memory.addr == addr)
			return true;
	return false;
}

static bool named_elsewhere(uint64_t addr, struct CUgraph_st *but)
{
	for (struct CUgraph_st *g = graphs_first(); g; g = g->next)
		if (g != but && names(g, addr))
			return true;
	return false;
}
