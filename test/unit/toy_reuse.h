/* A reuse that renames and does what a test says: which instructions hit, which wait for which, and what their results
 * do to the banks. Logical and physical registers are the same. */
#ifndef REGLOOM_TEST_TOY_REUSE_H
#define REGLOOM_TEST_TOY_REUSE_H

#include "stream.h"

#include "runtime-model/sm/sm.h"

enum { INSNS = 256 };
#define NOBODY UINT32_MAX

struct toy {
	struct reuse_ops ops;
	const struct axes *axes;
	unsigned room, back; /* of the queue; cycles behind execution */
	enum { MISSES, HITS, WAITS } does[INSNS];
	uint32_t on;               /* WAITS: until a warp has retired this instruction; */
	bool lost;                 /* then it finds its entry replaced */
	const char *rounds[INSNS]; /* of each of its results: V, R, M, W; rounds end with a space; NULL: W */
	uint32_t blocked;          /* has no register until a warp has retired this other instruction: */
	uint32_t until;
	uint32_t unmapped; /* a register that nothing was written to */
	bool awake;        /* no cycle is skipped */
	const char *fault, *wrong;
	/* what it saw */
	bool retired[INSNS];
	uint8_t at[UOP_IDS];      /* in rounds[] */
	uint32_t unread[UOP_IDS]; /* sources of each in flight */
	unsigned bad, starts, exits, issues, looks, retries, refused, releases, ticks, waits;
	uint32_t order[64]; /* warps that stopped waiting */
	unsigned norder;
};

static struct toy t;

#define TOY(r) ((struct toy *)(void *)(r))

static inline struct reuse *toy_create(const struct axis_ctx *cx)
{
	t.axes = cx->axes;
	cx->stats->register_pools = 1;
	return (void *)&t;
}

static inline unsigned toy_front(const struct params *p)
{
	(void)p;
	return 2;
}
static inline unsigned toy_back(const struct params *p)
{
	(void)p;
	return t.back;
}
static inline unsigned toy_registers(const struct params *p) { return p->rf_registers / WARP_LANES; }
static inline unsigned toy_parts(const struct params *p)
{
	(void)p;
	return 1;
}
static inline unsigned toy_queue(const struct params *p)
{
	(void)p;
	return t.room;
}
static inline void toy_start(struct reuse *r, unsigned w, unsigned first, uint64_t cta)
{
	TOY(r)->starts++;
	TOY(r)->bad += w < first || cta > 64;
}
static inline void toy_exit(struct reuse *r, unsigned w)
{
	(void)w;
	TOY(r)->exits++;
}

static inline void toy_issue(struct reuse *r, const struct uop *u)
{
	TOY(r)->issues++;
	TOY(r)->bad += u->move || TOY(r)->unread[u->id];
	TOY(r)->unread[u->id] = (1u << u->nsrc) - 1;
	TOY(r)->at[u->id] = 0;
}

static inline unsigned place(const struct uop *u, unsigned reg) { return u->warp * 32 + reg; }

static inline unsigned toy_physical(const struct reuse *r, const struct uop *u, unsigned src)
{
	return u->src[src] == ((const struct toy *)(const void *)r)->unmapped ? NO_REGISTER : place(u, u->src[src]);
}

static inline void toy_read(struct reuse *r, const struct uop *u, uint32_t sources)
{
	TOY(r)->bad += (sources & ~TOY(r)->unread[u->id]) != 0;
	TOY(r)->unread[u->id] &= ~sources;
}

static inline enum reuse_verdict toy_lookup(struct reuse *r, const struct uop *u, bool room, bool retry)
{
	struct toy *x = TOY(r);

	x->looks += !retry;
	x->retries += retry;
	if (x->fault && x->does[u->insn] == HITS)
		reuse_fault(x->axes, u, x->fault);
	if (x->does[u->insn] == MISSES)
		return REUSE_MISS;
	if (x->does[u->insn] == HITS || (!retry && x->retired[x->on])) {
		x->axes->sm->st.reuse_hits_ready++;
		x->axes->sm->st.reuse_lookups++;
		return REUSE_HIT;
	}
	if (x->retired[x->on]) {
		x->order[x->norder++] = u->warp;
		x->axes->sm->st.reuse_hits_pending += !x->lost;
		x->axes->sm->st.reuse_lookups++;
		return x->lost ? REUSE_MISS : REUSE_HIT;
	}
	x->refused += !room;
	return room ? REUSE_PENDING : REUSE_MISS;
}

static inline enum reuse_outcome toy_outcome(const struct reuse *r, const struct uop *u)
{
	const struct toy *x = (const struct toy *)(const void *)r;

	if (x->does[u->insn] == HITS)
		return OUTCOME_REUSED;
	if (x->does[u->insn] == MISSES)
		return OUTCOME_NEW;
	return x->lost ? OUTCOME_QUEUE_FULL : OUTCOME_REUSED_LATE;
}

static inline enum reuse_progress toy_round(struct reuse *r, const struct uop *u, struct reuse_round *out)
{
	static const uint8_t kinds[128] = {
		['V'] = REUSE_VERIFY, ['R'] = REUSE_MOVE_READ, ['M'] = REUSE_MOVE_WRITE, ['W'] = REUSE_WRITE
	};
	struct toy *x = TOY(r);
	struct stats *st = &x->axes->sm->st;
	const char *all = x->rounds[u->insn] ? x->rounds[u->insn] : "W", *c = all + x->at[u->id];

	x->bad += !u->active || !u->ndst || x->unread[u->id];
	if (u->insn == x->blocked && !x->retired[x->until]) {
		x->waits++;
		return ROUND_WAIT;
	}
	if (!*c)
		return ROUND_DONE;
	for (; *c && *c != ' '; c++) {
		st->verify_reads += *c == 'V';
		st->vsb_lookups += *c == 'V';
		st->hashes += *c == 'V';
		st->dummy_moves += *c == 'R';
		st->register_allocations += *c == 'R';
		out->a[out->n++] = (struct reuse_access){ .kind = kinds[(unsigned char)*c],
							  .phys = (uint16_t)place(u, u->dst[0]),
							  .from = (uint16_t)place(u, u->dst[0]),
							  .lanes = *c == 'M' ? ~u->active : u->active };
	}
	x->at[u->id] = (uint8_t)(c + (*c == ' ') - all);
	return ROUND_ACCESS;
}

static inline void toy_retire(struct reuse *r, const struct uop *u)
{
	TOY(r)->retired[u->insn] = true;
	TOY(r)->bad += TOY(r)->unread[u->id] != 0;
}

static inline unsigned toy_mapped(const struct reuse *r, unsigned w, unsigned reg)
{
	(void)r;
	return w * 32 + reg;
}
static inline void toy_released(struct reuse *r, unsigned first)
{
	(void)first;
	TOY(r)->releases++;
}
static inline bool toy_busy(const struct reuse *r) { return ((const struct toy *)(const void *)r)->awake; }
static inline void toy_tick(struct reuse *r, uint64_t n) { TOY(r)->ticks += (unsigned)n; }
static inline void toy_account(struct reuse *r, uint64_t upto)
{
	(void)r;
	(void)upto;
}

static inline const char *toy_describe(const struct reuse *r, const struct uop *u, struct arena *a)
{
	return ((const struct toy *)(const void *)r)->blocked == u->insn
		       ? arena_printf(a, "a physical register for R%u", u->dst[0])
		       : NULL;
}

static inline const char *toy_end(struct reuse *r) { return TOY(r)->wrong; }

static inline struct reuse_ops toy_ops(void)
{
	return (struct reuse_ops){
		.name = "toy",
		.source = "test",
		.create = toy_create,
		.renames = true,
		.front_cycles = toy_front,
		.back_cycles = toy_back,
		.queue = toy_queue,
		.parts = toy_parts,
		.registers = toy_registers,
		.warp_start = toy_start,
		.warp_exit = toy_exit,
		.issue = toy_issue,
		.physical = toy_physical,
		.sources_read = toy_read,
		.lookup = toy_lookup,
		.outcome = toy_outcome,
		.round = toy_round,
		.retire = toy_retire,
		.mapped = toy_mapped,
		.released = toy_released,
		.busy = toy_busy,
		.tick = toy_tick,
		.account = toy_account,
		.describe = toy_describe,
		.end = toy_end,
	};
}

/* The configuration of s. Nothing waits, and all instructions miss. */
static inline void toy_use(struct stream *s)
{
	t = (struct toy){
		.ops = toy_ops(), .room = 16, .on = NOBODY, .blocked = NOBODY, .until = NOBODY, .unmapped = NOBODY
	};
	s->rf.reuse = &t.ops;
}

static inline void run(struct stream *s)
{
	memset(t.retired, 0, sizeof t.retired);
	memset(t.unread, 0, sizeof t.unread);
	ck_assert_msg(stream_run(s), "%s", s->d.last);
	ck_assert_uint_eq(t.bad, 0);
	ck_assert_uint_eq(t.issues, s->st.warp_instructions);
	ck_assert_uint_eq(t.looks, s->st.warp_instructions);
	ck_assert_uint_eq(t.starts, s->ctas * s->warps);
	ck_assert_uint_eq(t.exits, t.starts);
}

static inline cycle took(const struct stream *s, uint32_t insn, unsigned warp)
{
	return stream_when(s->finished, warp, insn, 0) - stream_when(s->issued, warp, insn, 0);
}

static inline bool not_first(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp != 0;
}

/* Warp 0 loads from global memory (instruction 0); the others wait for its result (instruction 1), from an instruction
 * later on. */
static inline void waiting(struct stream *s, unsigned warps)
{
	stream_init(s);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_insn(s, OP_ADD_S32, 3, 4, -1, -1);
	stream_line(stream_record(s, 0, 0), 9, 15);
	stream_record(s, 1, 2);
	stream_line(stream_record(s, 1, 1), 9, 15);
	s->second = not_first;
	s->warps = warps;
	toy_use(s);
	t.on = 0;
	t.does[1] = WAITS;
}

#endif
