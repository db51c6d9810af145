/* The clock report: what a kernel that reads %clock would have measured. Execution knows no time (the engine's %clock
 * counts instructions), but the model sees when each of these reads issues. Pairs are kept for each SM and put together
 * when asked for, so that SMs may run on threads of their own. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/trace/trace.h"
#include "runtime-model/gpu/gpu.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WARPS = 64, SLOTS = 64 };

struct node {
	struct clock_pair p;
	struct node *next;
};

/* of an SM */
struct reads {
	struct arena a;
	struct {
		bool any;
		uint32_t insn;
		cycle at;
	} last[WARPS];
	struct node *slot[SLOTS]; /* of the launch's kernel; by a hash of the pair */
};

/* a kernel */
struct launched {
	const struct kernel *k;
	bool *is_read; /* by its instructions */
	struct node *slot[SLOTS];
	struct launched *next;
};

struct clocks {
	struct gpu_probe probe;
	struct arena *a;
	struct launched *now; /* the launch's */
	struct reads **sm;
	unsigned sms;
	struct launched *first, **last;
};

static bool reads_clock(const struct kernel *k, const struct insn *i)
{
	for (unsigned n = 0; n < i->nsrc; n++) {
		struct ref r = insn_src(k, i)[n];

		if (r.kind == REF_SREG && (r.val == SREG_CLOCK || r.val == SREG_CLOCK64))
			return true;
	}
	return false;
}

static struct clock_pair *pair(struct node **slot, const struct kernel *k, uint32_t from, uint32_t to, struct arena *a)
{
	struct node **n = &slot[(from * 31 + to) % SLOTS];

	while (*n && ((*n)->p.from != from || (*n)->p.to != to))
		n = &(*n)->next;
	if (!*n) {
		*n = new(a, struct node);
		(*n)->p = (struct clock_pair){ .k = k, .from = from, .to = to, .min = UINT64_MAX };
	}
	return &(*n)->p;
}

static void add(struct clock_pair *p, uint64_t times, uint64_t min, uint64_t max, uint64_t sum)
{
	p->times += times;
	p->sum += sum;
	p->min = min < p->min ? min : p->min;
	p->max = max > p->max ? max : p->max;
}

static void event(void *ctx, const struct probe_event *e)
{
	struct clocks *c = ctx;
	struct reads *r = c->sm[e->sm];

	if (e->kind == PROBE_CTA_START) {
		for (unsigned i = 0; i < e->n; i++)
			r->last[e->warp + i].any = false;
	} else if (!e->move && e->active && c->now->is_read[e->insn]) {
		if (r->last[e->warp].any) {
			uint64_t n = e->at - r->last[e->warp].at;

			add(pair(r->slot, c->now->k, r->last[e->warp].insn, e->insn, &r->a), 1, n, n, n);
		}
		r->last[e->warp].any = true;
		r->last[e->warp].insn = e->insn;
		r->last[e->warp].at = e->at;
	}
}

static struct launched *find(struct clocks *c, const struct kernel *k)
{
	struct launched *l;

	for (l = c->first; l; l = l->next)
		if (l->k == k)
			return l;
	l = *c->last = new(c->a, struct launched);
	l->k = k;
	l->is_read = new_array(c->a, bool, k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++)
		l->is_read[i] = reads_clock(k, &k->insn[i]);
	c->last = &l->next;
	return l;
}

static void start(void *ctx, const struct gpu_job *j)
{
	struct clocks *c = ctx;

	if (!c->sm) {
		c->sms = j->params->sms;
		c->sm = new_array(c->a, struct reads *, c->sms);
		for (unsigned i = 0; i < c->sms; i++)
			arena_init(&(c->sm[i] = new(c->a, struct reads))->a);
	}
	c->now = find(c, j->kernel);
}

static void end(void *ctx, cycle cycles, const struct stats *st)
{
	struct clocks *c = ctx;
	(void)cycles;
	(void)st;
	for (unsigned i = 0; i < c->sms; i++) {
		struct reads *r = c->sm[i];

		for (unsigned s = 0; s < SLOTS; s++) {
			for (const struct node *n = r->slot[s]; n; n = n->next)
				add(pair(c->now->slot, c->now->k, n->p.from, n->p.to, c->a), n->p.times, n->p.min,
				    n->p.max, n->p.sum);
			r->slot[s] = NULL;
		}
		arena_free(&r->a);
	}
}

struct clocks *clocks_new(struct arena *a)
{
	struct clocks *c = new(a, struct clocks);

	c->a = a;
	c->last = &c->first;
	c->probe = (struct gpu_probe){
		.ctx = c, .want = PROBE(CTA_START) | PROBE(ISSUE), .event = event, .start = start, .end = end
	};
	return c;
}

void clocks_free(struct clocks *c)
{
	for (unsigned i = 0; i < c->sms; i++)
		arena_free(&c->sm[i]->a);
	c->sms = 0;
}

struct gpu_probe *clocks_probe(struct clocks *c) { return &c->probe; }

static int order(const void *x, const void *y)
{
	const struct clock_pair *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

const struct clock_pair *clocks_pairs(const struct clocks *c, unsigned *n, struct arena *a)
{
	struct clock_pair *all;
	unsigned at = 0;

	*n = 0;
	for (const struct launched *l = c->first; l; l = l->next)
		for (unsigned s = 0; s < SLOTS; s++)
			for (const struct node *x = l->slot[s]; x; x = x->next)
				++*n;
	all = new_array(a, struct clock_pair, *n + 1);
	for (const struct launched *l = c->first; l; l = l->next) {
		unsigned from = at;

		for (unsigned s = 0; s < SLOTS; s++)
			for (const struct node *x = l->slot[s]; x; x = x->next)
				all[at++] = x->p;
		qsort(all + from, at - from, sizeof *all, order);
	}
	return all;
}

static const char *place(const struct clock_pair *p, uint32_t insn, const struct trace_text **list, struct arena *a)
{
	const char *where = trace_text(list, p->k, false, a)->where[insn];

	return *where ? where : arena_printf(a, "instruction %" PRIu32, insn);
}

void clocks_print(FILE *f, const struct clocks *c)
{
	const struct trace_text *list = NULL;
	const struct clock_pair *p;
	struct arena a;
	unsigned n;

	arena_init(&a);
	p = clocks_pairs(c, &n, &a);
	if (!n)
		fputs("\nno warp read %clock twice\n", f);
	else
		fprintf(f, "\n%-40s %12s %8s %10s %8s\n", "modelled cycles between two reads of %clock", "times", "min",
			"mean", "max");
	for (unsigned i = 0; i < n; i++, p++)
		fprintf(f, "  %-40s  %12" PRIu64 " %8" PRIu64 " %10.1f %8" PRIu64 "\n",
			arena_printf(&a, "%s: %s to %s", kernel_name(p->k->name, &a),
				     loc_base_name(place(p, p->from, &list, &a)),
				     loc_base_name(place(p, p->to, &list, &a))),
			p->times, p->min, (double)p->sum / (double)p->times, p->max);
	arena_free(&a);
}

json_t *clocks_json(const struct clocks *c)
{
	const struct trace_text *list = NULL;
	json_t *out = json_array();
	const struct clock_pair *p;
	struct arena a;
	unsigned n;

	arena_init(&a);
	p = clocks_pairs(c, &n, &a);
	for (unsigned i = 0; i < n; i++, p++)
		json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:I}", "kernel", p->k->name,
						     "from", place(p, p->from, &list, &a), "to",
						     place(p, p->to, &list, &a), "times", (json_int_t)p->times, "min",
						     (json_int_t)p->min, "max", (json_int_t)p->max, "mean",
						     (double)p->sum / (double)p->times, "sum", (json_int_t)p->sum));
	arena_free(&a);
	return out;
}
