/* Replies cross an input-queued crossbar with one first-in, first-out queue for each slice, as the peer's network of a
 * single virtual channel has it: a reply whose SM's port is taken waits, and those behind it wait with it (head-of-line
 * blocking; Karol, Hluchyj and Morgan, IEEE Trans. Communications, 1987). Replies join their slice's queue as they
 * become ready. An SM that several slices wait for takes them in turn, as iSLIP does. The packets of one reply stay
 * together.
 *
 * Nothing is stepped: the next reply to leave is the one that can leave first. */
#include "runtime-model/memory/network.h"

struct waiting {
	cycle ready;
	uint64_t order;
	unsigned sm;
	struct response r;
};
/* heap: by ready, then as they were made */
struct input {
	struct waiting *heap;
	uint32_t n, cap;
	cycle free;
};

struct network {
	const struct params *p;
	struct arena *a;
	unsigned inputs;
	cycle way, least;    /* least: of a flit that leaves at once */
	struct input *input; /* by slice */
	cycle *free;         /* by SM: its port */
	unsigned *turn;      /* by SM: the slice that has the first turn */
	uint64_t order;
};

static cycle in_sm_cycles(const struct params *p, uint64_t n)
{
	return (n * p->sm_mhz + p->icnt_mhz - 1) / p->icnt_mhz;
}

struct network *network_new(const struct params *p, struct arena *a)
{
	struct network *n = new(a, struct network);

	n->p = p;
	n->a = a;
	n->inputs = p->partitions * p->l2_slices;
	n->way = in_sm_cycles(p, p->icnt_latency);
	n->least = n->way + in_sm_cycles(p, 1);
	n->input = new_array(a, struct input, n->inputs);
	n->free = new_array(a, cycle, p->sms);
	n->turn = new_array(a, unsigned, p->sms);
	return n;
}

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->ready != b->ready ? a->ready < b->ready : a->order < b->order;
}

void network_reply(struct network *n, unsigned slice, unsigned sm, cycle ready, const struct response *r)
{
	struct input *in = &n->input[slice];
	struct waiting w = { ready, n->order++, sm, *r };
	uint32_t i;

	arena_grow(n->a, in->heap, in->n, in->cap);
	for (i = in->n++; i && before(&w, &in->heap[(i - 1) / 2]); i = (i - 1) / 2)
		in->heap[i] = in->heap[(i - 1) / 2];
	in->heap[i] = w;
}

static void drop_first(struct input *in)
{
	struct waiting last = in->heap[--in->n];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < in->n) {
		if (child + 1 < in->n && before(&in->heap[child + 1], &in->heap[child]))
			child++;
		if (!before(&in->heap[child], &last))
			break;
		in->heap[i] = in->heap[child];
		i = child;
	}
	in->heap[i] = last;
}

/* When the first reply of a slice can leave. */
static cycle leaves(const struct network *n, const struct input *in)
{
	cycle t = in->heap[0].ready, port = n->free[in->heap[0].sm];

	t = in->free > t ? in->free : t;
	return port > t ? port : t;
}

/* The slice whose reply leaves next, and when; n->inputs: none has one. */
static unsigned first(const struct network *n, cycle *when)
{
	unsigned best = n->inputs, best_turn = 0;

	*when = UINT64_MAX;
	for (unsigned i = 0; i < n->inputs; i++) {
		unsigned turn;
		cycle t;

		if (!n->input[i].n)
			continue;
		t = leaves(n, &n->input[i]);
		if (t > *when)
			continue;
		turn = n->turn[n->input[i].heap[0].sm];
		turn = i >= turn ? i - turn : i + n->inputs - turn;
		if (t < *when || turn < best_turn) {
			*when = t;
			best = i;
			best_turn = turn;
		}
	}
	return best;
}

cycle network_least(const struct network *n) { return n->least; }

cycle network_next(const struct network *n)
{
	cycle when;

	return first(n, &when) < n->inputs ? when + n->least : UINT64_MAX;
}

void network_run(struct network *n, cycle end, void (*arrived)(void *ctx, unsigned sm, const struct response *r),
		 void *ctx)
{
	for (;;) {
		cycle when;
		unsigned slice = first(n, &when), sm;
		struct input *in;
		struct response r;

		if (slice == n->inputs || when + n->least >= end)
			return;
		in = &n->input[slice];
		r = in->heap[0].r;
		sm = in->heap[0].sm;
		in->free = n->free[sm] = when + in_sm_cycles(n->p, r.flits);
		n->turn[sm] = (slice + 1) % n->inputs;
		r.at = in->free + n->way;
		drop_first(in);
		arrived(ctx, sm, &r);
	}
}
