/* Conditions of graphs, and the nodes that go by them: a handle is made for a graph, a node of it or of a graph inside
 * it takes the handle and gets bodies, kernels set its value. */
#include "runtime-model/cuda/core/graph.h"

/* BODIES_MOST: of a switch, so that its bodies have room */
enum { BODIES_MOST = 1 << 20, HANDLE_TAG = 'C', HANDLE_TAG_SHIFT = 56 };

static struct condition *_Atomic conditions;

static struct condition *of_handle(uint64_t handle)
{
	struct condition *c = handle ? conditions : NULL;

	while (c && c->handle != handle)
		c = c->next;
	return c;
}

/* ---- while kernels run: without the lock ---- */
bool condition_there(uint64_t handle) { return of_handle(handle) != NULL; }

void condition_set(uint64_t handle, uint32_t value)
{
	struct condition *c = of_handle(handle);

	if (c) {
		c->value = value;
		c->set = true;
	}
}

uint32_t condition_value(struct condition *c)
{
	if (!c->set)
		explain_outside(REASON_CONDITION,
				"a graph comes to a conditional node whose handle has no default, and which "
				"no kernel has set since the graph was launched: its value is "
				"undefined, and is taken as 0");
	return c->value;
}

enum cu_status graph_refuse(const char *why)
{
	explain_outside(REASON_GRAPH, why);
	return CU_INVALID_VALUE;
}

/* ---- handles ---- */
enum cu_status cu_condition_create(uint64_t *handle, struct CUgraph_st *g, const void *context, uint32_t value,
				   bool assigned)
{
	static uint64_t number;
	bool live;

	LOCKED({
		struct condition *c = conditions;

		live = g && graph_live(g);
		while (live && c && c->handle)
			c = c->next;
		if (live && !c) {
			c = new(&works.a, struct condition);
			c->next = conditions;
			conditions = c;
		}
		if (live) {
			c->initial = value;
			c->assigned = assigned;
			c->context = context;
			c->graph = g;
			c->node = NULL;
			c->nodes = 0;
			c->value = 0;
			c->set = false;
			*handle = (uint64_t)HANDLE_TAG << HANDLE_TAG_SHIFT | ++number;
			c->handle = *handle;
		}
	});
	return live ? CU_OK : CU_INVALID_VALUE;
}

/* It is there as long as its graph or a node that goes by it. */
static void end_unless_used(struct condition *c)
{
	if (!c->graph && !c->nodes)
		c->handle = 0;
}

void conditions_leave(struct CUgraph_st *g)
{
	for (struct condition *c = conditions; c; c = c->next)
		if (c->graph == g) {
			c->graph = NULL;
			end_unless_used(c);
		}
}

bool conditions_used(const struct CUgraph_st *g)
{
	for (const struct condition *c = conditions; c; c = c->next)
		if (c->graph && !c->node && graph_inside(c->graph, g))
			return false;
	return true;
}

/* ---- nodes ---- */
void conditional_join(struct CUgraphNode_st *n, struct condition *on)
{
	on->nodes++;
	n->op.conditional.on = on;
	n->op.conditional.handle = on->handle;
}

void conditional_leave(struct CUgraphNode_st *n)
{
	struct condition *c = n->op.conditional.on;

	c->node = c->node == n ? NULL : c->node;
	c->nodes--;
	end_unless_used(c);
}

static bool has_size(int kind, uint32_t n)
{
	switch (kind) {
	case CONDITIONAL_IF:
		return n == 1 || n == 2;
	case CONDITIONAL_WHILE:
		return n == 1;
	case CONDITIONAL_SWITCH:
		return n != 0;
	default:
		return false;
	}
}

enum cu_status conditional_make(struct CUgraphNode_st *n, struct op *o)
{
	struct condition *c = of_handle(o->conditional.handle);
	const void *context = o->conditional.context;

	if (!c || !graph_inside(n->graph, c->graph))
		return graph_refuse(
			"a conditional node is given a handle that was not made for its graph, or for one that "
			"this is inside");
	if (c->node)
		return graph_refuse("a conditional node is given a handle that another has");
	if (!has_size(o->conditional.kind, o->conditional.n) || (context && c->context && context != c->context))
		return CU_INVALID_VALUE;
	if (o->conditional.n > BODIES_MOST)
		return CU_OUT_OF_MEMORY;
	o->conditional.body = new_array(&n->graph->a, struct CUgraph_st *, o->conditional.n);
	for (uint32_t i = 0; i < o->conditional.n; i++) {
		struct CUgraph_st *body = graph_make();

		body->owned = true;
		body->in = n->graph;
		o->conditional.body[i] = body;
	}
	n->op = *o;
	conditional_join(n, c);
	c->node = n;
	return CU_OK;
}

void conditional_clone(struct CUgraphNode_st *n, const struct CUgraphNode_st *from)
{
	n->op.conditional.body = new_array(&n->graph->a, struct CUgraph_st *, from->op.conditional.n);
	for (uint32_t i = 0; i < from->op.conditional.n; i++)
		n->op.conditional.body[i] = graph_clone_for(n, from->op.conditional.body[i]);
	conditional_join(n, from->op.conditional.on);
}

/* ---- what bodies may have ---- */
/* Memory that the device has, or sees at an address of its own. */
static bool is_seen(const struct cu_side *s)
{
	struct cu_range r;

	return !s->array && cu_find(&r, s->addr);
}

static const char *why_not(const struct CUgraphNode_st *n)
{
	switch (n->op.kind) {
	case OP_EMPTY:
	case OP_KERNEL:
	case OP_FILL:
	case OP_GRAPH:
	case OP_CONDITIONAL:
		return NULL;
	case OP_COPY:
		if (is_seen(&n->op.copy.to) && is_seen(&n->op.copy.from))
			return NULL;
		return "the body of a conditional node copies arrays or pageable memory of the host, which it may not";
	case OP_HOST:
	case OP_RECORD:
	case OP_WAIT:
	case OP_ALLOC:
	case OP_FREE:
		break;
	}
	return "the body of a conditional node may have kernels, copies, fills, graphs and conditional nodes, and "
	       "nothing else";
}

static bool allowed(struct CUgraph_st *g, bool inside, struct CUgraphNode_st **at)
{
	for (uint32_t i = 0; i < g->nnode; i++) {
		struct CUgraphNode_st *n = g->node[i];
		const char *why = inside && !n->dead ? why_not(n) : NULL;
		uint32_t ninner;
		struct CUgraph_st **inner = node_graphs(n, &ninner);

		*at = n;
		if (why)
			return graph_refuse(why) == CU_OK;
		for (uint32_t j = 0; j < ninner; j++)
			if (!allowed(inner[j], inside || n->op.kind == OP_CONDITIONAL, at))
				return false;
	}
	*at = NULL;
	return true;
}

bool conditional_bodies(struct CUgraph_st *g, struct CUgraphNode_st **at) { return allowed(g, false, at); }

/* ---- launching ---- */
void conditions_begin(struct CUgraph_st *g)
{
	for (uint32_t i = 0; i < g->nnode; i++) {
		struct CUgraphNode_st *n = g->node[i];
		uint32_t ninner;
		struct CUgraph_st **inner = node_graphs(n, &ninner);

		if (n->op.kind == OP_CONDITIONAL && !n->dead) {
			struct condition *c = n->op.conditional.on;

			c->value = c->assigned ? c->initial : 0;
			c->set = c->assigned;
		}
		for (uint32_t j = 0; j < ninner; j++)
			conditions_begin(inner[j]);
	}
}
