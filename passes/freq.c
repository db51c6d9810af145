/* How often a thread executes each block: once outside loops, in a loop as often as it goes round, multiplied over the
 * loops around. A branch inside takes nothing away: the papers that weigh register uses by this (CORF, section 4.2)
 * have no branch probabilities, and a block weighed as if every iteration came through is a hint in the right order.
 *
 * How often a loop goes round is found in the code where that is possible (trip.c), with what the user says about the
 * launch (passes/freq.h). If it differs between threads, or between iterations of a loop around, it is the mean over
 * those that enter the loop. After the test that ends it, blocks execute one time less than before. No block that
 * control may come to weighs less than one execution, also where the conditions before a loop keep all out of it.
 *
 * A loop of which nothing is known goes round FREQ_LOOP times: loop branches are taken in 88 percent of their
 * executions (Wu and Larus 1994, section 3, after Ball and Larus 1993), which is 1 / 0.12 = 8.3 iterations. A function
 * is executed as often as all calls of it together; one that may call itself counts as a loop. Everything stops at
 * FREQ_MAX. */
#include "passes/slice.h"

#include <math.h>

#define NONE UINT32_MAX

/* Samples of a loop that threads or iterations go round differently: all, if there are no more than ALL_MAX. */
enum { ALL_MAX = 4096, SPREAD = 512, STEPS_KERNEL = 500000 };

struct count {
	struct kernel *k;
	struct freq *f;
	struct arena *a;
	const uint32_t *loop_of; /* f->loop_of */
	/* by loop: executions for one of its function, of its header and behind its test */
	double *times, *after;
	double *entry; /* by function */
};

/* The loops, those around before those inside, and what they do in a function that is entered once. */
static void list_loops(struct count *c)
{
	const struct kernel *k = c->k;
	const struct cfg *g = k->cfg;
	uint32_t *index = new_array(c->a, uint32_t, (size_t)k->nblock + 1),
		 *at = new_array(c->a, uint32_t, (size_t)k->nblock + 2), n = 0;

	for (uint32_t b = 0; b < k->nblock; b++) /* counted by depth, then put behind those less deep */
		if (g->loop[b] == b)
			at[g->depth[b] + 1]++;
	for (uint32_t depth = 0; depth <= k->nblock; depth++)
		at[depth + 1] += at[depth];
	for (uint32_t b = 0; b < k->nblock; b++)
		if (g->loop[b] == b) {
			index[b] = at[g->depth[b]]++;
			n++;
		}
	c->f->nloop = n;
	c->f->loop = new_array(k->a, struct freq_loop, (size_t)n + 1);
	c->f->loop_of = new_array(k->a, uint32_t, (size_t)k->nblock + 1);
	c->loop_of = c->f->loop_of;
	c->times = new_array(c->a, double, (size_t)n + 1);
	c->after = new_array(c->a, double, (size_t)n + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		c->f->loop_of[b] = g->loop[b] == NONE ? NONE : index[g->loop[b]];
		if (g->loop[b] == b)
			c->f->loop[index[b]] = (struct freq_loop){
				.header = b, .test = NONE, .outer = g->outer[b] == NONE ? NONE : index[g->outer[b]]
			};
	}
}

/* Executions of block b, in loop l, for one of its function. */
static double local_times(const struct count *c, uint32_t b, uint32_t l)
{
	uint32_t test;

	if (l == NONE)
		return 1;
	test = c->f->loop[l].test;
	return test != NONE && test != b && dominates(c->k->dom->local, test, b) ? c->after[l] : c->times[l];
}

static void multiply(struct count *c)
{
	for (uint32_t l = 0; l < c->f->nloop; l++) {
		struct freq_loop *x = &c->f->loop[l];
		double around = local_times(c, x->header, x->outer);

		c->times[l] = fmin(around * x->header_runs, FREQ_MAX);
		c->after[l] = fmin(around * (x->header_runs - 1), FREQ_MAX);
	}
}

/* ---- samples ---- */
/* A loop that the conditions before it keep every thread out of, or every one that was looked at. */
static void never_entered(struct freq_loop *x, bool all)
{
	x->header_runs = x->iterations = 0;
	x->source = all ? TRIPS_STATIC : TRIPS_SAMPLED;
}

/* The next combination of choices; false: that was the last one. */
static bool next_sample(struct slice *s)
{
	if (s->spread)
		return ++s->sample < SPREAD;
	for (unsigned n = s->nchoice; n-- > 0;)
		if (s->choice[n].value + 1 < s->choice[n].domain) {
			for (unsigned x = 0; x < n; x++)
				s->preset[x] = s->choice[x].value;
			s->preset[n] = s->choice[n].value + 1;
			s->npreset = n + 1;
			return true;
		}
	return false;
}

/* Of all samples, a thread counts once, an iteration of a loop around each time. */
static double weight(const struct slice *s)
{
	double w = 1;

	for (unsigned n = 0; n < s->nchoice; n++)
		if ((s->choice[n].kind == CHOICE_ITERATION) == s->spread)
			w = s->spread ? w * (double)s->choice[n].domain : w / (double)s->choice[n].domain;
	return w;
}

static bool too_many(const struct slice *s)
{
	double n = 1;

	for (unsigned x = 0; x < s->nchoice; x++)
		n *= (double)s->choice[x].domain;
	return n > ALL_MAX;
}

/* Whether any sample comes to the header, or may: not all are tried. */
static bool anyone_enters(struct slice *s, uint32_t header)
{
	uint64_t seen = 0;

	do {
		slice_reset(s);
		if (slice_enters(s, header) || s->guessed || too_many(s) || ++seen > ALL_MAX)
			return true;
	} while (next_sample(s));
	return false;
}

/* Whether nothing but branches lies between the test that ends a loop and its header. */
static bool tests_last(const struct kernel *k, uint32_t test, uint32_t header)
{
	const struct cfg *g = k->cfg->local;

	for (uint32_t e = g->succ_at[test]; e < g->succ_at[test + 1]; e++) {
		uint32_t b = g->succ[e];

		if (b == header ||
		    (k->block[b].n == 1 && ir_block_end(k, b, OPF_BRANCH) && g->succ[g->succ_at[b]] == header))
			return true;
	}
	return false;
}

static void sample_loop(struct slice *s, uint32_t l, struct freq_loop *x)
{
	double sum = 0, total = 0;
	uint64_t least = UINT64_MAX, most = 0, seen = 0;
	const uint64_t kept = s->steps / 2; /* to find that nobody comes to a loop that is hard */
	uint32_t test = NONE;
	bool exact = true, first = true, all = true, lost = false, alike, in;
	struct trip t;

	s->spread = false;
	s->npreset = 0;
	slice_reset(s);
	s->steps -= kept;
	t = trip_count(s, l);
	s->steps += kept;
	alike = !s->nchoice; /* in all samples */
	in = !alike || slice_enters(s, s->loop[l].header);
	if (!in && !s->nchoice) {
		never_entered(x, true);
		return;
	}
	if (alike && (s->nchoice ? in && !t.known : !t.known || t.around))
		return; /* around: what keeps it out of the loop is not known */
	if (alike && t.known && !t.around) {
		if (!in && !anyone_enters(s, s->loop[l].header)) {
			never_entered(x, true);
			return;
		}
		sum = (double)t.runs;
		total = 1;
		least = most = t.runs;
		test = t.test;
		exact = t.exact;
	} else {
		do {
			slice_reset(s);
			if (!slice_enters(s, s->loop[l].header))
				t.runs = 0;
			else if (!(t = trip_count(s, l)).known)
				return;
			if (!s->spread && (too_many(s) || ++seen > ALL_MAX)) { /* again from the start */
				s->spread = true;
				s->sample = UINT64_MAX;
				sum = total = 0;
				least = UINT64_MAX;
				most = 0;
				first = exact = true;
				continue;
			}
			all &= !s->guessed;
			lost |= t.runs && t.around;
			if (!t.runs || t.around)
				continue;
			sum += weight(s) * (double)t.runs;
			total += weight(s);
			least = t.runs < least ? t.runs : least;
			most = t.runs > most ? t.runs : most;
			exact &= t.exact;
			test = first || test == t.test ? t.test : NONE;
			first = false;
		} while (next_sample(s));
	}
	if (!(total > 0)) {
		if (!lost)
			never_entered(x, all && !s->spread);
		return;
	}
	x->header_runs = least == most ? (double)most : sum / total; /* not rounded */
	x->test = test;
	x->iterations = x->header_runs - (test != NONE && !tests_last(s->k, test, x->header));
	all &= !s->spread;
	if (!all || (!exact && least != most))
		x->source = TRIPS_SAMPLED;
	else if (!exact)
		x->source = TRIPS_BOUND;
	else
		x->source = least == most ? TRIPS_STATIC : TRIPS_MEAN;
}

const struct launch_facts *launch_facts_of(const struct launch_facts *l, const struct kernel *k)
{
	const struct launch_facts *all = NULL;

	for (; l; l = l->next) {
		if (l->kernel && strcmp(l->kernel, k->name) == 0)
			return l;
		if (!l->kernel)
			all = l;
	}
	return all;
}

struct occupancy_cta launch_cta(const struct kernel *k, const struct launch_facts *l)
{
	const struct launch_facts *of = launch_facts_of(l, k);
	const uint32_t *given = of ? of->block : NULL, *size = k->reqntid[0] ? k->reqntid : given;
	struct occupancy_cta cta = { size ? size[0] : 0, of ? of->dynamic_bytes : 0 };

	for (unsigned i = 1; cta.threads && i < 3; i++)
		cta.threads *= size[i] ? size[i] : 1;
	return cta;
}

static void count_trips(struct count *c, const struct launch_facts *facts)
{
	const struct kernel *k;
	uint64_t left = STEPS_KERNEL;
	struct slice *s;

	for (uint32_t l = 0; l < c->f->nloop; l++)
		c->f->loop[l].header_runs = c->f->loop[l].iterations = FREQ_LOOP;
	if (!c->f->nloop)
		return;
	k = c->k->native && c->k->native->values ? c->k->native->values(c->k, c->a) : c->k;
	s = new(c->a, struct slice); /* too large for a small stack */
	if (!slice_init(s, k, c->f, c->loop_of, facts, c->a))
		return;
	/* half of what is left at most: a loop that is hard leaves the others enough */
	for (uint32_t l = 0; l < c->f->nloop; l++) {
		const uint64_t most = l + 1 < c->f->nloop ? left / 2 : left;

		s->steps = most;
		sample_loop(s, l, &c->f->loop[l]);
		left -= most - s->steps;
	}
}

/* Executions of each function: the calls of it are counted in reverse post-order of the call graph. A call that comes
 * back to a function still open is what makes that one recursive. */
static void count_calls(struct count *c)
{
	const struct kernel *k = c->k;
	uint32_t n = k->nproc ? k->nproc : 1, top = 0, done = 0;
	uint32_t *next = new_array(c->a, uint32_t, (size_t)n + 1), *which = new_array(c->a, uint32_t, (size_t)n + 1);
	uint32_t *stack = new_array(c->a, uint32_t, (size_t)n + 1), *post = new_array(c->a, uint32_t, (size_t)n + 1);
	uint64_t *seen = bitset_new(c->a, n), *open = bitset_new(c->a, n), *again = bitset_new(c->a, n);

	c->entry = new_array(c->a, double, (size_t)n + 1);
	c->entry[0] = 1;
	if (!k->nproc)
		return;
	for (uint32_t p = 0; p < n; p++)
		next[p] = k->proc[p].first;
	bitset_add(seen, 0);
	bitset_add(open, 0);
	stack[top++] = 0;
	while (top) { /* next[p], which[p]: the block, and the target of its call, to look at */
		uint32_t p = stack[top - 1], b = next[p], q;
		const struct insn *call;
		struct ir_targets t = { .n = 0 };

		if (b == (p + 1 < n ? k->proc[p + 1].first : k->nblock)) {
			bitset_del(open, p);
			post[done++] = p;
			top--;
			continue;
		}
		call = k->cfg->rpo_index[b] == NONE ? NULL : ir_block_end(k, b, OPF_CALL);
		if (call)
			t = ir_targets(k, call);
		if (which[p] == t.n) {
			which[p] = 0;
			next[p]++;
			continue;
		}
		q = ir_proc_of(k, ir_target(&t, which[p]++));
		if (bitset_has(open, q))
			bitset_add(again, q);
		if (bitset_has(seen, q))
			continue;
		bitset_add(seen, q);
		bitset_add(open, q);
		stack[top++] = q;
	}
	while (done) {
		uint32_t p = post[--done], end = p + 1 < n ? k->proc[p + 1].first : k->nblock;

		bitset_add(open, p); /* now: counted */
		if (bitset_has(again, p))
			c->entry[p] *= FREQ_LOOP;
		if (c->entry[p] > FREQ_MAX)
			c->entry[p] = FREQ_MAX;
		for (uint32_t b = k->proc[p].first; b < end; b++) {
			const struct insn *call = k->cfg->rpo_index[b] == NONE ? NULL : ir_block_end(k, b, OPF_CALL);
			struct ir_targets t = { .n = 0 };

			if (call)
				t = ir_targets(k, call);
			for (uint32_t x = 0; x < t.n; x++) {
				uint32_t q = ir_proc_of(k, ir_target(&t, x));

				if (!bitset_has(open, q))
					c->entry[q] += c->entry[p] * local_times(c, b, c->loop_of[b]);
			}
		}
	}
}

/* ---- a profile ---- */
/* Whether block p is in loop l, or in one inside it: those come behind it. */
static bool in_loop(const struct count *c, uint32_t p, uint32_t l)
{
	uint32_t at = c->loop_of[p];

	while (at != NONE && at > l)
		at = c->f->loop[at].outer;
	return at == l;
}

/* How often a loop goes round each time that control comes to it. Blocks are counted, edges are not: the blocks that
 * lead back execute once an iteration, wherever the test is, and a block that leads in or past it counts as often as it
 * executes, so that warps which pass by count as having gone round no time. */
static void profile_loop(const struct count *c, uint32_t l, const uint64_t *executions)
{
	const struct cfg *g = c->k->cfg->local;
	struct freq_loop *x = &c->f->loop[l];
	double header = (double)executions[x->header], entries = 0, back = 0;

	for (uint32_t e = g->pred_at[x->header]; e < g->pred_at[x->header + 1]; e++) {
		double times = (double)executions[g->pred[e]];

		if (in_loop(c, g->pred[e], l))
			back += times;
		else
			entries += times;
	}
	if (entries == 0 || header == 0)
		return;
	x->header_runs = header / entries;
	x->iterations = (back < header ? back : header) / entries;
	x->source = TRIPS_PROFILE;
}

/* False with a diagnostic: the profile is of other code. */
static bool use_profile(struct count *c, const struct profile *p, struct diag *d)
{
	const struct kernel *k = c->k;
	uint32_t n = 0;

	while (n < p->nkernel && strcmp(p->kernel[n].name, k->name) != 0)
		n++;
	if (n == p->nkernel || k->base_regs) { /* of a variant nothing is counted: its weights are estimated */
		c->f->source = FREQ_NO_PROFILE;
		return true;
	}
	if (p->kernel[n].code != ir_hash_code(k) || p->kernel[n].nblock != k->nblock)
		return diag_error_plain(d, p->path,
					"kernel %s had other code when this was counted; annotate with the options of "
					"the object that ran, "
					"or count again",
					k->name);
	c->f->source = FREQ_PROFILE;
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint64_t times = p->kernel[n].executions[b];

		c->f->executions[b] = times > FREQ_MAX ? FREQ_MAX : times;
	}
	for (uint32_t l = 0; l < c->f->nloop; l++)
		profile_loop(c, l, p->kernel[n].executions);
	return true;
}

const char *const trip_source_name[] = {
	[TRIPS_ASSUMED] = "assumed", [TRIPS_STATIC] = "static",   [TRIPS_MEAN] = "mean",
	[TRIPS_BOUND] = "bound",     [TRIPS_SAMPLED] = "sampled", [TRIPS_PROFILE] = "profile",
};

char *freq_text(const struct freq_loop *l, struct arena *a)
{
	double n = floor(l->iterations * 100 + 0.5) / 100;
	const char *most = l->source == TRIPS_BOUND ? "at most " : "";

	if (l->source != TRIPS_PROFILE && l->header_runs == 0)
		return arena_printf(a, "never entered (%s)", trip_source_name[l->source]);
	if (n == floor(n))
		return arena_printf(a, "%s%.0f iteration%s (%s)", most, n, n == 1 ? "" : "s",
				    trip_source_name[l->source]);
	return arena_printf(a, "%s%.2f iterations (%s)", most, n, trip_source_name[l->source]);
}

static uint64_t rounded(double times)
{
	if (times >= FREQ_MAX)
		return FREQ_MAX;
	return times < 1 ? 1 : (uint64_t)(times + 0.5);
}

enum pass_result pass_freq(struct kernel *k, struct pass_ctx *cx)
{
	struct count c = { .k = k, .a = &cx->scratch, .f = new(k->a, struct freq) };

	k->freq = c.f;
	c.f->executions = new_array(k->a, uint64_t, (size_t)k->nblock + 1);
	list_loops(&c);
	count_trips(&c, launch_facts_of(cx->opt.launch, k));
	multiply(&c);
	count_calls(&c);
	for (uint32_t b = 0; b < k->nblock; b++) {
		double times = c.entry[k->nproc ? ir_proc_of(k, b) : 0] * local_times(&c, b, c.loop_of[b]);

		if (k->cfg->rpo_index[b] != NONE)
			c.f->executions[b] = rounded(times);
	}
	if (cx->opt.profile && k->form == FORM_MACHINE && !use_profile(&c, cx->opt.profile, cx->diag))
		return PASS_FAILED;
	return PASS_SAME;
}
