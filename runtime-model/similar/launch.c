/* A launch: its records, to warps of either width. */
#include "runtime-model/similar/code.h"

#include "passes/uniform.h"
#include "runtime-model/engine/feed.h"
#include "runtime-model/core/uniform_seen.h"

#include <inttypes.h>

struct reading {
	struct similar_kernel *s;
	struct similar_code *code;
	struct join_code *join;    /* NULL: of 32 lanes */
	struct similar_insn *insn; /* of this launch */
	unsigned block, warps;     /* threads and warps of a CTA */
	uint64_t lanes_of_last;    /* that have a thread, of the last warp of a CTA */
	bool proofs;               /* what the object proves is of such launches */
	struct uniform_seen *seen; /* NULL: it is compared with signatures alone */
	uint64_t records, threads;
	uint64_t lost; /* lanes of records that were not joined, of pairs that are not apart */
	/* apart: a warp was, so that what is proved of warps that come together need not hold */
	bool failed, bug, apart;
	struct arena a;
	struct diag *d;
};

struct pair {
	struct join *join;
	struct similar_wide *wide;
	uint64_t given, joined; /* lanes of the halves' records, and of what the wide warp issued */
	bool apart;             /* no longer looked at */
};
struct cta {
	struct similar_warp **warp; /* of 32 lanes; */
	struct pair *pair;          /* or of 64 */
	struct uniform_cta *seen;
	unsigned left; /* warps that have not ended */
};

static void begin_pair(const struct reading *r, struct cta *c, unsigned n)
{
	const uint64_t lanes = 2 * n + 2 < r->warps ? UINT64_MAX : r->lanes_of_last;

	join_begin(c->pair[n].join, lanes);
	similar_wide_begin(c->pair[n].wide, ~lanes);
	c->pair[n].given = 0;
	c->pair[n].joined = 0;
	c->pair[n].apart = false;
}

static void begin_warp(const struct reading *r, struct cta *c, unsigned n)
{
	similar_warp_begin(c->warp[n], missing_lanes(r->block, n));
}

static void *cta_new(void *ctx, struct arena *a)
{
	struct reading *r = ctx;
	struct cta *c = new(a, struct cta);

	c->left = r->warps;
	c->seen = r->seen ? uniform_cta_new(r->seen, a) : NULL;
	if (!r->join) {
		c->warp = new_array(a, struct similar_warp *, r->warps);
		for (unsigned i = 0; i < r->warps; i++) {
			c->warp[i] = similar_warp_new(r->code, a);
			begin_warp(r, c, i);
		}
		return c;
	}
	c->pair = new_array(a, struct pair, (r->warps + 1) / 2);
	for (unsigned n = 0; 2 * n < r->warps; n++) {
		c->pair[n] = (struct pair){ .join = join_new(r->join, a), .wide = similar_wide_new(r->code, a) };
		begin_pair(r, c, n);
	}
	return c;
}

/* Said once. */
static void fail(struct reading *r, uint64_t cta, const char *what)
{
	if (!r->failed)
		diag_error_plain(r->d, r->s->k->name, "%s; in CTA %" PRIu64, what, cta);
	r->failed = true;
}

static void broken(struct reading *r, uint64_t cta, unsigned warp, uint32_t insn, const char *what)
{
	fail(r, cta,
	     arena_printf(&r->a, "instruction %" PRIu32 ", %s, of warp %u: %s", insn,
			  ir_print_insn(&r->a, r->s->k, &r->s->k->insn[insn]), warp, what));
	r->bug = true;
}

static const char *const not_same =
	"fewer lanes could execute it by the rules, and its results in those that they stand for are not the same";

static void take_pair(struct reading *r, struct pair *p, uint64_t cta, unsigned warp, const struct record *rec)
{
	struct joined x;
	enum join_status got;

	p->apart |= rec->apart; /* whose lanes wait for each other: how 64 would is not known */
	p->given += (unsigned)__builtin_popcount(rec->active);
	if (p->apart)
		return;
	join_give(p->join, warp & 1, rec);
	while ((got = join_next(p->join, &x)) == JOIN_OK) {
		p->joined += (unsigned)__builtin_popcountll(x.active);
		if (!similar_wide_step(p->wide, &x, r->insn))
			broken(r, cta, warp, x.insn, not_same);
	}
	if (got == JOIN_END && p->given != p->joined)
		broken(r, cta, warp, join_at(p->join), "a warp of 64 lanes ends before its halves do");
	if (got == JOIN_LOST)
		broken(r, cta, warp, join_at(p->join),
		       "the paths of its two halves cannot be those of one warp of 64 lanes");
}

/* Is a destination what the object proves of it, as far as a signature can say? missing: lanes without a thread. */
static const char *contradicts(const struct uniform_value *v, const struct value_sig *sig, uint32_t active,
			       uint32_t missing)
{
	const bool all = (active | missing) == UINT32_MAX;

	if (v->level && sig->same_active != SAME_ALL)
		return "is not the same in the lanes that execute";
	if (all && (v->affine || v->known) && !sig->affine)
		return "is not affine";
	if (all && v->known && !(missing & 2) && sig->stride != (uint32_t)v->stride)
		return "has another stride";
	return NULL;
}

static void check_proofs(struct reading *r, struct cta *c, uint64_t cta, unsigned warp, const struct record *rec)
{
	const struct kernel *k = r->s->k;
	const struct similar_operands *o = &r->code->operands[rec->insn];
	const uint32_t missing = missing_lanes(r->block, warp);
	const char *wrong;

	if (r->seen) {
		wrong = uniform_seen_step(r->seen, c->seen, warp, rec, &r->a);
		if (wrong)
			fail(r, cta, wrong);
		return;
	}
	for (unsigned d = 0; rec->active && d < o->ndst; d++) {
		const struct uniform_value *v = &k->uniform->value[k->uniform->at[rec->insn] + o->nsrc + d];

		r->s->compared += v->level || ((rec->active | missing) == UINT32_MAX && (v->affine || v->known));
		wrong = contradicts(v, &rec->sig[d], rec->active, missing);
		if (wrong)
			fail(r, cta,
			     arena_printf(&r->a,
					  "instruction %" PRIu32 ", %s, of warp %u, in lanes 0x%08" PRIx32
					  ": R%u %s, as %s; --proofs says more",
					  rec->insn, ir_print_insn(&r->a, k, &k->insn[rec->insn]), warp, rec->active,
					  r->code->reg[o->first + o->nsrc + d], wrong,
					  uniform_text(k, rec->insn, &r->a)));
	}
}

static void take(void *ctx, void *state, uint64_t cta, unsigned warp, const struct record *rec)
{
	struct reading *r = ctx;
	struct cta *c = state;

	r->records++;
	r->threads += rec->active == UINT32_MAX ? WARP_LANES : (unsigned)__builtin_popcount(rec->active);
	if (r->failed)
		return;
	r->apart |= rec->apart;
	if (r->proofs && !r->apart)
		check_proofs(r, c, cta, warp, rec);
	if (r->join)
		take_pair(r, &c->pair[warp / 2], cta, warp, rec);
	else if (!similar_step(c->warp[warp], rec, r->insn))
		broken(r, cta, warp, rec->insn, not_same);
}

static void end(void *ctx, void *state, unsigned warp)
{
	struct reading *r = ctx;
	struct cta *c = state;

	if (!r->join)
		begin_warp(r, c, warp);
	if (--c->left)
		return;
	for (unsigned n = 0; r->join && 2 * n < r->warps; n++) {
		*(c->pair[n].apart ? &r->s->left_out : &r->lost) += c->pair[n].given - c->pair[n].joined;
		begin_pair(r, c, n);
	}
	if (c->seen)
		uniform_cta_begin(c->seen);
	c->left = r->warps;
}

unsigned similar_wants(const struct similar_options *o)
{
	if (o->lanes > WARP_LANES)
		return WANT_SIG | WANT_VALUES | WANT_PARTS;
	return o->proofs ? WANT_SIG | WANT_VALUES : WANT_SIG;
}

/* How often what the object proves held, and how often the rules found the same. */
static void count_proofs(const struct reading *r)
{
	const struct kernel *k = r->s->k;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct similar_insn *n = &r->insn[i];

		n->found[0] = n->how[SIMILAR_SCALAR];
		n->found[1] = n->how[SIMILAR_DIVERGENT];
		if (r->code->insn[i].class == SCALAR_NEVER || uniform_inputs(k->uniform, i) == UNIFORM_NOT)
			continue;
		n->proven[1] = n->divergent;
		n->proven[0] = n->issued - n->idle - n->divergent;
		n->both[0] = n->found[0];
		n->both[1] = n->found[1];
	}
}

bool similar_launch(struct engine *e, const struct launch *l, const struct similar_options *o, struct similar_kernel *s,
		    struct engine_counts *n, struct stopped *stopped, bool *bug, struct diag *d)
{
	struct reading r = { .s = s, .warps = engine_warps_per_cta(e), .d = d };
	const struct feed_reader to = { &r, cta_new, take, end };
	uint32_t block = l->block[0] * l->block[1] * l->block[2], last = block % o->lanes ? block % o->lanes : o->lanes;
	bool ok;

	arena_init(&r.a);
	r.block = block;
	r.lanes_of_last = last == 64 ? UINT64_MAX : ((uint64_t)1 << last) - 1;
	r.code = similar_decode(s->k, &r.a);
	r.join = o->lanes > WARP_LANES ? join_decode(s->k, &r.a) : NULL;
	r.insn = new_array(&r.a, struct similar_insn, (size_t)s->ninsn + 1);
	r.proofs = s->k->facts & FACT_UNIFORM && uniform_holds(s->k->uniform, l->block);
	r.seen = r.proofs && o->proofs ? uniform_seen_new(s->k, block, &r.a) : NULL;
	ok = feed_launch(e, &to, &(struct feed_options){ o->stop, o->max_insns, o->progress, o->progress_ctx },
			 stopped);
	if (ok && !r.failed && r.lost && stopped->why == STOP_NOT) {
		fail(&r, 0, "warps of 64 lanes end before their halves do");
		r.bug = true;
	}
	if (r.proofs)
		count_proofs(&r);
	s->compared += r.seen ? uniform_seen_compared(r.seen) : 0;
	s->apart += s->k->facts & FACT_UNIFORM && !r.proofs;
	for (uint32_t i = 0; i < s->ninsn; i++)
		similar_add(&s->insn[i], &r.insn[i]);
	*n = (struct engine_counts){ .warp_insns = r.records, .thread_insns = r.threads };
	*bug |= r.bug;
	arena_free(&r.a);
	return ok && !r.failed;
}
