/* The oracle of control codes: from each instruction along every path, until what it writes is written and what it
 * reads is read. Nothing on the way may read, or spoil, what is not there yet. Knows the core's rules
 * (analyzer/ir/latency.h), and nothing of how the codes were found. */
#include "passes/pass.h"

#include "analyzer/ir/latency.h"

struct checker {
	const struct kernel *k;
	struct diag *d;
	unsigned sm;
	struct sass_access *access;
	uint32_t *at;
	uint32_t from;        /* whose results, or sources, are followed */
	uint64_t (*been)[2];  /* by instruction: masks of barriers that were seen there, all visible or not */
	uint32_t *age;        /* by instruction: the least age that was seen there, + 1; 0: none */
	uint32_t *visited, n; /* of either */
	struct place {
		uint32_t insn, age;
		uint8_t stand, fresh; /* barriers of later ones of the queue; those that are not visible yet */
	} * todo;
	uint32_t ntodo, cap;
	struct arena a;
};

static enum sass_queue queue_of(const struct checker *c, uint32_t i)
{
	return sass_queue(c->sm, insn_unit(c->k, &c->k->insn[i]));
}

static uint8_t barriers(const struct control_code *x, bool reads_too)
{
	const unsigned w = x->wbar < BARRIERS_OF_DEPENDENCE ? 1u << x->wbar : 0;
	const unsigned r = x->rbar < BARRIERS_OF_DEPENDENCE ? 1u << x->rbar : 0;

	return (uint8_t)(reads_too ? w | r : w);
}

static bool wrong(struct checker *c, uint32_t i, const struct sass_access *a, bool write)
{
	return diag_error_plain(c->d, c->k->name, "control codes: instruction %u %s register %u that %u still %s", i,
				a->write ? "writes" : "reads", a->reg, c->from, write ? "writes" : "reads");
}

/* ---- paths ---- */
static void push(struct checker *c, uint32_t insn, uint32_t age, uint8_t stand, uint8_t fresh)
{
	if (c->age) {
		if (c->age[insn] && c->age[insn] <= age + 1)
			return;
		if (!c->age[insn])
			c->visited[c->n++] = insn;
		c->age[insn] = age + 1;
	} else {
		uint64_t *been = &c->been[insn][fresh != 0];

		if (*been >> (stand | fresh) & 1)
			return;
		if (!c->been[insn][0] && !c->been[insn][1])
			c->visited[c->n++] = insn;
		*been |= (uint64_t)1 << (stand | fresh);
	}
	arena_grow(&c->a, c->todo, c->ntodo, c->cap);
	c->todo[c->ntodo++] = (struct place){ insn, age, stand, fresh };
}

static void push_block(struct checker *c, uint32_t b, const struct place *p, uint32_t *depth)
{
	const struct cfg *g = c->k->cfg;

	if (c->k->block[b].n) {
		push(c, c->k->block[b].first, p->age, p->stand, p->fresh);
		return;
	}
	if (++*depth > c->k->nblock)
		return; /* round and round empty blocks */
	for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
		push_block(c, g->succ[e], p, depth);
}

static void go_on(struct checker *c, const struct place *p)
{
	const uint32_t b = ir_block_of(c->k, p->insn);
	const struct cfg *g = c->k->cfg;
	uint32_t depth = 0;

	if (p->insn + 1 < c->k->block[b].first + c->k->block[b].n) {
		push(c, p->insn + 1, p->age, p->stand, p->fresh);
		return;
	}
	for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
		push_block(c, g->succ[e], p, &depth);
}

static void forget(struct checker *c)
{
	for (uint32_t n = 0; n < c->n; n++) {
		if (c->age)
			c->age[c->visited[n]] = 0;
		else
			memset(c->been[c->visited[n]], 0, sizeof *c->been);
	}
	c->n = c->ntodo = 0;
}

/* ---- fixed latency ---- */
static bool stays(const struct checker *c, uint32_t i, const struct sass_access *what, uint32_t age, bool *ok)
{
	const struct control_code *x = &c->k->control[i];
	const bool pred = mreg_is_pred(what->reg);
	bool kept = true;

	for (uint32_t n = c->at[i]; n < c->at[i + 1]; n++) {
		const struct sass_access *a = &c->access[n];
		const unsigned least = sass_latency_least(c->sm, pred, what->unit);
		const unsigned own = x->wbar < BARRIERS_OF_DEPENDENCE ? 0 : sass_latency_least(c->sm, pred, a->unit);

		if (a->reg != what->reg)
			continue;
		if (!a->write && age < sass_latency(c->sm, pred, what->unit, a->unit))
			*ok = false;
		if (a->write && own && age + own < least)
			*ok = false;
		kept &= !(a->write && insn_kills(&c->k->insn[i]));
	}
	return kept;
}

static bool check_fixed(struct checker *c, const struct sass_access *what)
{
	const unsigned most = sass_latency_most(c->sm, mreg_is_pred(what->reg), what->unit);
	struct place p = { c->from, sass_stall_cycles(c->k->control[c->from]), 0, 0 };
	bool ok = true;

	go_on(c, &p);
	while (c->ntodo && ok) {
		p = c->todo[--c->ntodo];
		if (p.age >= most || !stays(c, p.insn, what, p.age, &ok))
			continue;
		p.age += sass_stall_cycles(c->k->control[p.insn]);
		go_on(c, &p);
	}
	return ok || wrong(c, p.insn, what, true);
}

/* ---- queued ---- */
/* Whether the path goes on with something outstanding. */
static bool outstanding(struct checker *c, const struct place *p, bool write, const struct sass_access *what, bool own,
			bool *ok)
{
	const enum sass_queue queue = queue_of(c, c->from);
	bool kept = true;

	if (c->k->control[p->insn].wait & p->stand)
		return false;
	for (uint32_t n = c->at[p->insn]; n < c->at[p->insn + 1]; n++) {
		const struct sass_access *a = &c->access[n];

		if (a->reg != what->reg || (!a->write && !write))
			continue;
		if (a->write && queue && queue == queue_of(c, p->insn) && (!write || !own))
			kept &= !insn_kills(&c->k->insn[p->insn]);
		else
			*ok = false;
	}
	return kept;
}

static bool check_queued(struct checker *c, const struct sass_access *what)
{
	const struct control_code *x = &c->k->control[c->from];
	const enum sass_queue queue = queue_of(c, c->from);
	const bool write = what->write, own = barriers(x, !write) != 0;
	struct place p = { c->from, 0, 0, barriers(x, !write) };
	bool ok = true;

	if (x->stall >= BARRIER_SET_CYCLES) {
		p.stand = p.fresh;
		p.fresh = 0;
	}
	go_on(c, &p);
	while (c->ntodo && ok) {
		const struct control_code *y;
		uint8_t more = 0;

		p = c->todo[--c->ntodo];
		if (!outstanding(c, &p, write, what, own, &ok))
			continue;
		y = &c->k->control[p.insn];
		if (queue && queue_of(c, p.insn) == queue && !(write && own))
			more = barriers(y, !write);
		p.stand |= p.fresh;
		p.fresh = 0;
		if (sass_stall_cycles(*y) >= BARRIER_SET_CYCLES)
			p.stand |= more;
		else
			p.fresh = more & (uint8_t)~p.stand;
		go_on(c, &p);
	}
	return ok || wrong(c, p.insn, what, write);
}

static bool check_insn(struct checker *c, uint32_t *age, uint32_t i)
{
	const struct control_code *x = &c->k->control[i];
	bool ok = true;

	c->from = i;
	for (uint32_t n = c->at[i]; n < c->at[i + 1] && ok; n++) {
		const struct sass_access *a = &c->access[n];
		const bool pred = mreg_is_pred(a->reg), queued = queue_of(c, i) != QUEUE_NONE;
		const bool fixed = a->write && x->wbar >= BARRIERS_OF_DEPENDENCE && !queued &&
				   sass_latency_least(c->sm, pred, a->unit);

		if (!a->write && !(queued && mreg_is_general(a->reg)))
			continue; /* read at issue */
		c->age = fixed ? age : NULL;
		ok = fixed ? check_fixed(c, a) : check_queued(c, a);
		forget(c);
	}
	return ok;
}

bool check_control(const struct kernel *k, struct diag *d)
{
	struct checker c = { .k = k, .d = d };
	struct sass_access x[SASS_ACCESSES];
	uint32_t used = 0, cap = 64, *age;
	bool ok = true;

	if (k->native || k->form != FORM_MACHINE)
		return true;
	arena_init(&c.a);
	c.sm = control_sm(k);
	c.access = new_array(&c.a, struct sass_access, cap);
	c.at = new_array(&c.a, uint32_t, k->ninsn + 1u);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const unsigned n = insn_accesses(k, &k->insn[i], x);

		for (unsigned a = 0; a < n; a++) {
			arena_grow(&c.a, c.access, used, cap);
			c.access[used++] = x[a];
		}
		c.at[i + 1] = used;
	}
	c.been = arena_alloc(&c.a, (k->ninsn + 1u) * sizeof *c.been, 8);
	c.visited = new_array(&c.a, uint32_t, k->ninsn + 1u);
	age = new_array(&c.a, uint32_t, k->ninsn + 1u);
	for (uint32_t n = 0; n < k->cfg->nrpo && ok; n++) {
		const struct block *b = &k->block[k->cfg->rpo[n]];

		for (uint32_t i = b->first; i < b->first + b->n && ok; i++)
			ok = check_insn(&c, age, i);
	}
	arena_free(&c.a);
	return ok;
}
