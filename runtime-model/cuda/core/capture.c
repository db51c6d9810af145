/* Capturing streams: what is issued becomes nodes of a graph. A capture begins at one stream; others join it by waiting
 * for an event that was recorded in it, and have been joined again when it ends. */
#include "runtime-model/cuda/core/graph.h"

struct list {
	struct CUgraphNode_st **node;
	uint32_t n, cap;
};
struct capture {
	struct capture *next;
	bool live, invalid, given; /* given: the graph is the program's own */
	struct cu_stream *origin;
	int mode;
	pthread_t thread;
	uint64_t id;
	struct CUgraph_st *graph;
};
/* last: what the next node depends on */
struct stream_row {
	struct cu_stream *s;
	struct capture *c;
	struct list last;
};
struct event_row {
	struct cu_event *e;
	struct capture *c;
	struct list last;
};
static struct capture *_Atomic captures;
static struct {
	struct stream_row *row;
	uint32_t n, cap;
} streams;
static struct {
	struct event_row *row;
	uint32_t n, cap;
} events;
static uint64_t ids;
static _Thread_local int thread_mode = CAPTURE_GLOBAL;

static struct cu_stream *plain(struct cu_stream *s) { return s == CU_STREAM_LEGACY ? NULL : s; }

static struct stream_row *row_of(struct cu_stream *s)
{
	for (uint32_t i = 0; i < streams.n; i++)
		if (streams.row[i].s == plain(s))
			return &streams.row[i];
	return NULL;
}

static struct event_row *event_of(const struct cu_event *e)
{
	for (uint32_t i = 0; i < events.n; i++)
		if (events.row[i].e == e)
			return &events.row[i];
	return NULL;
}

static void list_add(struct list *l, struct CUgraphNode_st *n, struct arena *a)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->node[i] == n)
			return;
	arena_grow(a, l->node, l->n, l->cap);
	l->node[l->n++] = n;
}

static void list_join(struct list *l, const struct list *m, struct arena *a)
{
	for (uint32_t i = 0; i < m->n; i++)
		list_add(l, m->node[i], a);
}

static void end(struct capture *c)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < streams.n; i++)
		if (streams.row[i].c != c)
			streams.row[kept++] = streams.row[i];
	streams.n = kept;
	kept = 0;
	for (uint32_t i = 0; i < events.n; i++)
		if (events.row[i].c != c)
			events.row[kept++] = events.row[i];
	events.n = kept;
	c->live = false;
}

void cu_capture_forget(struct cu_stream *s)
{
	LOCKED({
		for (struct capture *c = captures; c; c = c->next)
			if (c->live && (!s || c->origin == s))
				end(c);
	});
}

/* ---- what calls ask ---- */
enum cu_status cu_capture_refuses(struct cu_stream *s)
{
	struct stream_row *r;
	enum cu_status st = CU_OK;

	LOCKED({
		r = row_of(s);
		if (r) {
			st = r->c->invalid ? CU_STREAM_CAPTURE_INVALIDATED : CU_STREAM_CAPTURE_UNSUPPORTED;
			r->c->invalid = true;
		} else if (!plain(s)) {
			for (struct capture *c = captures; c; c = c->next)
				if (c->live && !c->invalid && thread_mode != CAPTURE_RELAXED) {
					st = CU_STREAM_CAPTURE_IMPLICIT;
					c->invalid = true;
				}
		}
	});
	return st;
}

/* A capture of mode `global` forbids it to all threads whose own mode is global; of mode `thread-local`, to the thread
 * that began it. */
enum cu_status cu_capture_refuses_all(void)
{
	enum cu_status st = CU_OK;

	if (captures)
		LOCKED({
			for (struct capture *c = captures; c; c = c->next) {
				const bool own = pthread_equal(c->thread, pthread_self());

				if (!c->live || c->mode == CAPTURE_RELAXED || thread_mode == CAPTURE_RELAXED)
					continue;
				if (own || (c->mode == CAPTURE_GLOBAL && thread_mode == CAPTURE_GLOBAL)) {
					st = CU_STREAM_CAPTURE_UNSUPPORTED;
					c->invalid = true;
				}
			}
		});
	return st;
}

static enum cu_status node_of(struct stream_row *r, struct op *o)
{
	struct capture *c = r->c;
	struct CUgraphNode_st *n = graph_add(c->graph, o->kind);
	enum cu_status s = CU_OK;

	n->op = *o;
	if (o->kind == OP_KERNEL) {
		s = node_kernel(n, o, o->launch.f);
	} else if (o->kind == OP_GRAPH) {
		if (graph_conditional(o->graph))
			s = graph_refuse("a graph with a conditional node cannot be the child of another");
		else
			n->op.graph = graph_clone_for(n, o->graph);
	} else if (o->kind == OP_ALLOC) {
		s = graph_memory(&o->memory.addr, o->memory.bytes);
		n->op = *o;
	} else if (o->kind == OP_FREE) {
		s = graph_owns(o->memory.addr) ? CU_OK : CU_INVALID_VALUE;
	}
	if (s != CU_OK) {
		n->dead = true;
		c->invalid = true;
		return s;
	}
	for (uint32_t i = 0; i < r->last.n; i++)
		node_depend(n, r->last.node[i]);
	r->last = (struct list){ 0 };
	list_add(&r->last, n, &c->graph->a);
	return CU_OK;
}

static struct stream_row *stream_add(struct cu_stream *s, struct capture *c)
{
	arena_grow(&works.a, streams.row, streams.n, streams.cap);
	streams.row[streams.n] = (struct stream_row){ .s = plain(s), .c = c };
	return &streams.row[streams.n++];
}

static enum cu_status take(struct op *o, struct cu_stream *s, bool *taken)
{
	struct stream_row *r = row_of(s);
	struct event_row *e = o->kind == OP_WAIT ? event_of(o->event) : NULL;

	*taken = r || e;
	if (!*taken) {
		if (o->kind == OP_RECORD && (e = event_of(o->event))) /* it is recorded anew, outside */
			*e = events.row[--events.n];
		for (struct capture *c = captures; c && !plain(s); c = c->next)
			if (c->live && c->origin != CU_STREAM_PER_THREAD) {
				unsigned flags;
				int priority;
				uint64_t id;

				if (cu_stream_get(c->origin, &flags, &priority, &id) == CU_OK &&
				    !(flags & CU_STREAM_NON_BLOCKING)) {
					*taken = true;
					c->invalid = true;
					return CU_STREAM_CAPTURE_IMPLICIT;
				}
			}
		return CU_OK;
	}
	if ((r && r->c->invalid) || (e && e->c->invalid))
		return CU_STREAM_CAPTURE_INVALIDATED;
	if (o->kind == OP_WAIT) {
		if (!e) {
			r->c->invalid = true;
			return CU_STREAM_CAPTURE_ISOLATION;
		}
		if (r && r->c != e->c) {
			r->c->invalid = e->c->invalid = true;
			return CU_STREAM_CAPTURE_MERGE;
		}
		r = r ? r : stream_add(s, e->c);
		list_join(&r->last, &e->last, &r->c->graph->a);
		return CU_OK;
	}
	if (o->kind == OP_RECORD) {
		e = event_of(o->event);
		if (!e) {
			arena_grow(&works.a, events.row, events.n, events.cap);
			e = &events.row[events.n++];
		}
		*e = (struct event_row){ .e = o->event, .c = r->c };
		list_join(&e->last, &r->last, &r->c->graph->a);
		return CU_OK;
	}
	return node_of(r, o);
}

enum cu_status cu_capture_op(struct op *o, struct cu_stream *s, bool *taken)
{
	enum cu_status st = CU_OK;

	*taken = false;
	if (captures) /* never NULL again once there was one */
		LOCKED(st = take(o, s, taken));
	return st;
}

/* ---- beginning and ending ---- */
enum cu_status cu_capture_begin(struct cu_stream *s, int mode, struct CUgraph_st *g,
				struct CUgraphNode_st *const before[], size_t n)
{
	enum cu_status st = cu_start();

	if (st == CU_OK)
		st = cu_sticky();
	if (st != CU_OK)
		return st;
	if (mode < 0 || mode > CAPTURE_RELAXED || (n && !before))
		return CU_INVALID_VALUE;
	if (!cu_stream_valid(s))
		return CU_INVALID_HANDLE;
	if (!plain(s))
		return CU_STREAM_CAPTURE_UNSUPPORTED;
	LOCKED({
		struct capture *c = captures;

		if (row_of(s))
			st = CU_ILLEGAL_STATE;
		else
			st = g && !graph_live(g) ? CU_INVALID_VALUE : CU_OK;
		for (size_t i = 0; i < n && st == CU_OK; i++)
			if (!node_live(before[i]) || before[i]->graph != g)
				st = CU_INVALID_VALUE;
		if (st == CU_OK) {
			while (c && c->live)
				c = c->next;
			if (!c) {
				c = new(&works.a, struct capture);
				c->next = captures;
				captures = c;
			}
			*c = (struct capture){ c->next, true,           false, g != NULL,           s,
					       mode,    pthread_self(), ++ids, g ? g : graph_make() };
			stream_add(s, c);
			for (size_t i = 0; i < n; i++)
				list_add(&row_of(s)->last, before[i], &c->graph->a);
		}
	});
	return st;
}

static bool depended_on(struct CUgraph_st *g, struct CUgraphNode_st *x)
{
	for (uint32_t i = 0; i < g->nnode; i++)
		for (uint32_t j = 0; !g->node[i]->dead && j < g->node[i]->nbefore; j++)
			if (g->node[i]->before[j] == x)
				return true;
	return false;
}

/* Work of another stream that the origin has not waited for. */
static bool unjoined(const struct capture *c)
{
	const struct stream_row *o = row_of(c->origin);

	for (uint32_t i = 0; i < streams.n; i++) {
		const struct stream_row *r = &streams.row[i];

		for (uint32_t k = 0; r->c == c && r != o && k < r->last.n; k++) {
			bool waited = depended_on(c->graph, r->last.node[k]);

			for (uint32_t m = 0; m < o->last.n && !waited; m++)
				waited = o->last.node[m] == r->last.node[k];
			if (!waited)
				return true;
		}
	}
	return false;
}

enum cu_status cu_capture_end(struct cu_stream *s, struct CUgraph_st **out)
{
	struct CUgraph_st *bad = NULL;
	enum cu_status st;

	if (out)
		*out = NULL;
	LOCKED({
		struct stream_row *r = row_of(s);

		if (!out && !(r && r->c->given))
			st = CU_INVALID_VALUE;
		else if (!r)
			st = CU_ILLEGAL_STATE;
		else if (r->c->origin != s)
			st = CU_STREAM_CAPTURE_UNMATCHED;
		else
			st = r->c->mode != CAPTURE_RELAXED && !pthread_equal(r->c->thread, pthread_self())
				     ? CU_STREAM_CAPTURE_WRONG_THREAD
				     : CU_OK;
		if (st == CU_OK) {
			struct capture *c = r->c;

			if (c->invalid)
				st = CU_STREAM_CAPTURE_INVALIDATED;
			else
				st = unjoined(c) ? CU_STREAM_CAPTURE_UNJOINED : CU_OK;
			if (st == CU_OK && out)
				*out = c->graph;
			if (st != CU_OK && !c->given)
				bad = c->graph;
			end(c);
		}
	});
	if (bad)
		graph_free(bad);
	return st;
}

/* ---- asking ---- */
struct captured {
	int state;
	uint64_t id;
	struct CUgraph_st *graph;
	struct CUgraphNode_st *const *before;
	size_t n;
};

static enum cu_status captured(struct cu_stream *s, struct captured *out)
{
	if (!cu_stream_valid(s))
		return CU_INVALID_HANDLE;
	LOCKED({
		const struct stream_row *r = row_of(s);

		*out = (struct captured){ .state = CAPTURE_NONE };
		if (r) {
			out->state = r->c->invalid ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
			out->id = r->c->id;
			out->graph = r->c->graph;
			out->before = r->last.node;
			out->n = r->last.n;
		}
	});
	return CU_OK;
}

enum cu_status cu_capture_ask(struct cu_stream *s, int *state, unsigned long long *id, struct CUgraph_st **g,
			      struct CUgraphNode_st *const **before, const void **data, size_t *n)
{
	static const uint64_t plain[64]; /* as every edge is */
	struct captured x;
	enum cu_status st = cu_start();

	if (st == CU_OK)
		st = state ? captured(s, &x) : CU_INVALID_VALUE;
	if (st != CU_OK)
		return st;
	*state = x.state;
	if (x.state == CAPTURE_NONE)
		return CU_OK;
	if (id)
		*id = x.id;
	if (g)
		*g = x.graph;
	if (before)
		*before = x.before;
	if (data)
		*data = plain;
	if (n)
		*n = x.n;
	return data && x.n > sizeof plain / sizeof *plain ? CU_LOSSY_QUERY : CU_OK;
}

enum cu_status cu_capture_depend(struct cu_stream *s, struct CUgraphNode_st *const node[], size_t n, bool set)
{
	enum cu_status st = CU_OK;

	if (n && !node)
		return CU_INVALID_VALUE;
	LOCKED({
		struct stream_row *r = row_of(s);

		if (!r)
			st = CU_ILLEGAL_STATE;
		else
			st = r->c->invalid ? CU_STREAM_CAPTURE_INVALIDATED : CU_OK;
		for (size_t i = 0; i < n && st == CU_OK; i++)
			if (!node_live(node[i]) || node[i]->graph != r->c->graph)
				st = CU_INVALID_VALUE;
		if (st == CU_OK) {
			if (set)
				r->last = (struct list){ 0 };
			for (size_t i = 0; i < n; i++)
				list_add(&r->last, node[i], &r->c->graph->a);
		}
	});
	return st;
}

enum cu_status cu_capture_mode(int *mode)
{
	const int old = thread_mode;

	if (!mode || *mode < 0 || *mode > CAPTURE_RELAXED)
		return CU_INVALID_VALUE;
	thread_mode = *mode;
	*mode = old;
	return CU_OK;
}
