/* The Kanata log, version 0004, as Konata reads it ("Kanata Log Format", the Konata project): one row for each
 * instruction of one SM, from its fetch on; the thread is the warp slot.
 *
 *   lane 0   F fetch, D decoded, Is issued (and, if reuse renames: Rn renamed, Ru in the reuse stage, Rw waits for a
 *            result to reuse), Oc in a collector unit, Wu waits for its unit, Ex or Mem, Wb writes back; of a core of
 *            sub-cores Is is the control stage, and in place of Oc and Wu there are Al, the allocate stage, and Qu, the
 *            queue of a unit
 *   lane 1   why it waits in D or Oc: dep a result, mem memory, bar a barrier, bk a register bank
 *   W        from the instruction that waited for a register to the one that wrote it
 *
 * A log cannot go back in time, so what is known only later is written when its cycle comes: an instruction turns to D
 * in the cycle after its fetch, to bk at the end of the cycle after it entered its unit if operands are still missing,
 * and ends after the cycle in which its last result is written. */
#include "runtime-model/trace/trace.h"
#include "runtime-model/core/axis.h"
#include "analyzer/base/outfile.h"
#include "runtime-model/gpu/gpu.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
	WARPS = 64,
	FETCHED = 16, /* rows of a warp that have not issued */
	/* one for each of them; BANK of two cycles, WRITTEN and NEXT of one for each flight */
	DUES = WARPS * FETCHED + 4 * PROBE_IDS,
};

/* at: of its fetch */
struct row {
	uint64_t id;
	uint32_t insn;
	cycle at;
};

/* the last writer of a register and when its results were written */
struct reader {
	uint64_t id;
	cycle done;
};

/* of a warp */
struct slot {
	struct row row[FETCHED];
	unsigned nrow;
	const char *wait; /* stage of lane 1 of the first row; NULL: none */
	enum stall why;
	uint64_t cta;
	unsigned in_cta;
	struct reader reg[MREG_COUNT];
};

struct flying {
	bool on, collecting, bank, writing; /* bank: lane 1 says so */
	uint64_t id;
	uint32_t insn;
	unsigned warp;
	bool move, memory;
	const char *stage;
};

enum due_kind {
	DUE_DECODE,  /* as the cycle begins: a fetched row turns to D */
	DUE_WRITTEN, /* as it begins: a row whose results were written in the cycle before ends */
	/* as it begins: one that has issued turns to Rn, or one that was found pending to Rw */
	DUE_NEXT,
	DUE_BANK, /* as it ends: one that still collects waits for a bank */
};
/* where: warp, or id of the flight */
struct due {
	enum due_kind kind;
	unsigned where;
	uint64_t id;
	cycle at;
};

struct kanata {
	struct gpu_probe probe;
	struct trace_window w;
	cycle end, base, last; /* last: seen */
	cycle now, written;    /* the cycle that the log is in, and the last that it names */
	struct arena *a;
	struct outfile out;
	const struct gpu_job *job;
	const struct trace_text *text, *texts;
	bool in_launch, begun;
	uint64_t ids, retired, live; /* given out; rows that have not ended */
	struct slot slot[WARPS];
	struct flying fly[PROBE_IDS];
	struct due due[DUES]; /* in this cycle and the next */
	unsigned ndue;
};

/* ---- the log ---- */
/* All that is written: a cycle is named when something happens in it. */
static void put(struct kanata *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct kanata *k, const char *fmt, ...)
{
	va_list ap;

	if (!k->begun)
		fprintf(k->out.f, "C=\t%" PRIu64 "\n", k->now);
	else if (k->now > k->written)
		fprintf(k->out.f, "C\t%" PRIu64 "\n", k->now - k->written);
	k->begun = true;
	k->written = k->now;
	va_start(ap, fmt);
	vfprintf(k->out.f, fmt, ap);
	va_end(ap);
}

static void start_stage(struct kanata *k, uint64_t id, unsigned lane, const char *name)
{
	put(k, "S\t%" PRIu64 "\t%u\t%s\n", id, lane, name);
}

static void end_stage(struct kanata *k, uint64_t id, unsigned lane, const char *name)
{
	put(k, "E\t%" PRIu64 "\t%u\t%s\n", id, lane, name);
}

static void retire_row(struct kanata *k, uint64_t id, bool flushed)
{
	put(k, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", id, flushed ? k->retired : k->retired++, flushed);
	k->live--;
}

static void new_row(struct kanata *k, unsigned w, uint64_t id, uint32_t insn, bool move)
{
	const struct slot *s = &k->slot[w];
	const uint32_t n = trace_row(k->job->kernel, insn);

	k->live++;
	put(k, "I\t%" PRIu64 "\t%" PRIu32 "\t%u\nL\t%" PRIu64 "\t0\t%s%s%s%s\n", id, n, w, id, k->text->where[n],
	    *k->text->where[n] ? ": " : "", move ? "move of a register before " : "", k->text->text[n]);
	put(k, "L\t%" PRIu64 "\t1\tCTA %" PRIu64 ", warp %u\n", id, s->cta, s->in_cta);
}

static void set_stage(struct kanata *k, struct flying *f, const char *stage)
{
	if (f->stage)
		end_stage(k, f->id, 0, f->stage);
	f->stage = stage;
	if (stage)
		start_stage(k, f->id, 0, stage);
}

static void deal(struct kanata *k, const struct due *u)
{
	const struct slot *s = u->kind == DUE_DECODE ? &k->slot[u->where] : NULL;
	struct flying *f = &k->fly[u->where];

	if (u->kind == DUE_WRITTEN) {
		end_stage(k, u->id, 0, "Wb");
		retire_row(k, u->id, false);
	}
	if (u->kind == DUE_NEXT && f->on && f->id == u->id)
		set_stage(k, f, strcmp(f->stage, "Is") == 0 ? "Rn" : "Rw");
	if (u->kind == DUE_BANK && f->on && f->id == u->id && f->collecting) {
		f->bank = true;
		start_stage(k, f->id, 1, "bk");
	}
	for (unsigned i = 0; u->kind == DUE_DECODE && i < s->nrow; i++)
		if (s->row[i].id == u->id) {
			end_stage(k, u->id, 0, "F");
			start_stage(k, u->id, 0, "D");
		}
}

/* What is due as the cycle begins, or as it ends. */
static void deal_all(struct kanata *k, bool begins)
{
	unsigned left = 0;

	for (unsigned i = 0; i < k->ndue; i++) {
		if ((k->due[i].kind != DUE_BANK) == begins && k->due[i].at == k->now)
			deal(k, &k->due[i]);
		else
			k->due[left++] = k->due[i];
	}
	k->ndue = left;
}

/* Cycles that have something due are visited, the others passed over. */
static void go_to(struct kanata *k, cycle at)
{
	while (at > k->now) {
		deal_all(k, false);
		k->now += k->ndue ? 1 : at - k->now;
		deal_all(k, true);
	}
}

static void later(struct kanata *k, enum due_kind kind, unsigned where, uint64_t id)
{
	assert(k->ndue < DUES);
	k->due[k->ndue++] = (struct due){ kind, where, id, k->now + 1 };
}

/* ---- before issue ---- */
static void end_wait(struct kanata *k, unsigned w)
{
	struct slot *s = &k->slot[w];

	if (s->wait && s->nrow)
		end_stage(k, s->row[0].id, 1, s->wait);
	s->wait = NULL;
}

static void begin_wait(struct kanata *k, unsigned w)
{
	static const char *const name[STALL_COUNT] = {
		[STALL_SCOREBOARD] = "dep", [STALL_MEMORY] = "mem", [STALL_BARRIER] = "bar",
		[STALL_SHORT] = "dep",      [STALL_LONG] = "mem",   [STALL_MEMBAR] = "mem",
	};
	struct slot *s = &k->slot[w];

	if (s->nrow && name[s->why]) {
		s->wait = name[s->why];
		start_stage(k, s->row[0].id, 1, s->wait);
	}
}

/* The first n rows of w will not issue: control went elsewhere, or they go no further (metadata). */
static void drop_rows(struct kanata *k, unsigned w, unsigned n, bool flushed)
{
	struct slot *s = &k->slot[w];

	if (n)
		end_wait(k, w);
	for (unsigned i = 0; i < n; i++)
		retire_row(k, s->row[i].id, flushed);
	s->nrow -= n;
	memmove(s->row, s->row + n, s->nrow * sizeof *s->row);
}

static void fetched(struct kanata *k, const struct probe_event *e)
{
	struct slot *s = &k->slot[e->warp];

	for (uint32_t i = 0; i < e->n && s->nrow < FETCHED && k->now < k->end; i++) {
		struct row *r = &s->row[s->nrow++];

		*r = (struct row){ k->ids++, e->insn + i, k->now };
		new_row(k, e->warp, r->id, r->insn, false);
		start_stage(k, r->id, 0, "F");
		later(k, DUE_DECODE, e->warp, r->id);
	}
}

static void changed(struct kanata *k, const struct probe_event *e)
{
	end_wait(k, e->warp);
	k->slot[e->warp].why = e->why;
	if (e->why == STALL_DRAIN || e->why == STALL_EMPTY)
		drop_rows(k, e->warp, k->slot[e->warp].nrow, true);
	else
		begin_wait(k, e->warp);
}

/* ---- from issue on ---- */
/* Registers that it waited for since its fetch, and those that it will write. */
static void depend(struct kanata *k, const struct flying *f, cycle since)
{
	const struct kernel *kernel = k->job->kernel;
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(kernel, &kernel->insn[f->insn], use);
	struct slot *s = &k->slot[f->warp];

	for (unsigned i = 0; i < n; i++) {
		const struct reader *r = &s->reg[use[i].reg];
		bool again = false;

		for (unsigned j = 0; j < i; j++)
			again |= !use[j].write && s->reg[use[j].reg].id == r->id;
		if (!use[i].write && !again && r->id && r->done >= since)
			put(k, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", f->id, r->id - 1);
	}
	for (unsigned i = 0; i < n; i++)
		if (use[i].write)
			s->reg[use[i].reg] = (struct reader){ f->id + 1, UINT64_MAX };
}

/* A row that was fetched, or a new one if that was before the window; a move has none. False: it is not shown. */
static bool take_row(struct kanata *k, const struct probe_event *e, struct row *out)
{
	struct slot *s = &k->slot[e->warp];
	unsigned i = 0;

	while (!e->move && i < s->nrow && s->row[i].insn != e->insn)
		i++;
	if (!e->move && i < s->nrow) {
		drop_rows(k, e->warp, i, false);
		*out = s->row[0];
		end_wait(k, e->warp);
		end_stage(k, out->id, 0, k->now > out->at ? "D" : "F");
		s->nrow--;
		memmove(s->row, s->row + 1, s->nrow * sizeof *s->row);
		return true;
	}
	if (k->now >= k->end)
		return false;
	*out = (struct row){ k->ids++, e->insn, k->now };
	new_row(k, e->warp, out->id, e->insn, e->move);
	return true;
}

static void issued(struct kanata *k, const struct probe_event *e)
{
	struct flying *f = &k->fly[e->id];
	struct row r;

	f->on = take_row(k, e, &r);
	if (!f->on)
		return;
	*f = (struct flying){ .on = true, .id = r.id, .insn = e->insn, .warp = e->warp, .move = e->move };
	f->memory = !e->move && k->job->params->unit[op_info[k->job->kernel->insn[e->insn].op].fu].pipe == PIPE_MEM;
	put(k, "L\t%" PRIu64 "\t1\t, lanes %08x\n", f->id, e->active);
	set_stage(k, f, "Is");
	if (k->job->rf->reuse->renames)
		later(k, DUE_NEXT, e->id, f->id);
	if (!e->move)
		depend(k, f, r.at);
}

static void end_bank(struct kanata *k, struct flying *f)
{
	if (f->bank)
		end_stage(k, f->id, 1, "bk");
	f->collecting = f->bank = false;
}

static void retired(struct kanata *k, struct flying *f, bool cut)
{
	struct slot *s = &k->slot[f->warp];

	end_bank(k, f);
	if (f->writing && !cut) {
		later(k, DUE_WRITTEN, 0, f->id);
	} else {
		set_stage(k, f, NULL);
		retire_row(k, f->id, cut);
	}
	for (unsigned i = 0; i < MREG_COUNT; i++)
		if (s->reg[i].id == f->id + 1)
			s->reg[i].done = k->now;
	f->on = false;
}

/* It comes to where operands are read. That a bank lets it wait cannot be told of a queue. */
static void collected(struct kanata *k, struct flying *f, const struct probe_event *e, bool subcores)
{
	const bool queued = subcores && e->where;

	if (queued)
		set_stage(k, f, "Qu");
	else
		set_stage(k, f, subcores ? "Al" : "Oc");
	f->collecting = !queued;
	if (!queued)
		later(k, DUE_BANK, e->id, f->id);
}

static void flight_event(struct kanata *k, const struct probe_event *e)
{
	struct flying *f = &k->fly[e->id];

	if (!f->on)
		return;
	if (e->kind == PROBE_LOOKUP) {
		set_stage(k, f, "Ru");
		if (e->where == REUSE_PENDING)
			later(k, DUE_NEXT, e->id, f->id);
	} else if (e->kind == PROBE_REUSE) {
		if (e->where == OUTCOME_REUSED || e->where == OUTCOME_REUSED_LATE)
			put(k, "L\t%" PRIu64 "\t1\t, reused\n", f->id);
	} else if (e->kind == PROBE_COLLECT) {
		collected(k, f, e, k->job->params->core != 0);
	} else if (e->kind == PROBE_STRAND) {
		put(k, "L\t%" PRIu64 "\t1\t, begins a strand%s\n", f->id, e->n ? " after all of memory" : "");
	} else if (e->kind == PROBE_READ) {
		end_bank(k, f);
	} else if (e->kind == PROBE_LEAVE) {
		set_stage(k, f, "Wu");
	} else if (e->kind == PROBE_EXECUTE) {
		set_stage(k, f, f->memory ? "Mem" : "Ex");
	} else if (e->kind == PROBE_RESULT) {
		set_stage(k, f, "Wb");
		f->writing = true;
	} else if (e->kind == PROBE_RETIRE) {
		retired(k, f, false);
	}
}

/* The row that the warp waits with, if it is shown. */
static void suspended(struct kanata *k, const struct probe_event *e)
{
	const struct slot *s = &k->slot[e->warp];

	if (s->nrow)
		put(k, "L\t%" PRIu64 "\t1\t, suspended before it in cycle %" PRIu64 "\n", s->row[0].id, k->now);
}

static void started(struct kanata *k, const struct probe_event *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		struct slot *s = &k->slot[e->warp + i];

		memset(s, 0, sizeof *s);
		s->cta = e->cta;
		s->in_cta = i;
		s->why = STALL_FETCH;
	}
}

static void event(void *ctx, const struct probe_event *e)
{
	struct kanata *k = ctx;
	cycle at = k->base + e->at;

	if (e->sm != k->w.sm)
		return;
	k->last = at + 1;
	if (e->kind == PROBE_CTA_START)
		started(k, e);
	if (at < k->w.from || (at >= k->end && !k->live))
		return;
	go_to(k, at);
	if (e->kind == PROBE_FETCH)
		fetched(k, e);
	else if (e->kind == PROBE_FLUSH)
		drop_rows(k, e->warp, k->slot[e->warp].nrow, true);
	else if (e->kind == PROBE_STATE)
		changed(k, e);
	else if (e->kind == PROBE_ISSUE)
		issued(k, e);
	else if (e->kind == PROBE_SUSPEND)
		suspended(k, e);
	else
		flight_event(k, e);
}

/* ---- launches ---- */
static void start(void *ctx, const struct gpu_job *j)
{
	struct kanata *k = ctx;

	k->job = j;
	k->text = trace_text(&k->texts, j->kernel, false, k->a);
	k->in_launch = true;
	k->last = k->base;
}

/* Rows that the launch has left, as one that fails does. */
static void finish(struct kanata *k, cycle at)
{
	go_to(k, at);
	for (unsigned i = 0; i < k->ndue; i++)
		if (k->due[i].kind == DUE_WRITTEN)
			deal(k, &k->due[i]);
	k->ndue = 0;
	for (unsigned w = 0; w < WARPS; w++)
		drop_rows(k, w, k->slot[w].nrow, true);
	for (unsigned i = 0; i < PROBE_IDS; i++)
		if (k->fly[i].on)
			retired(k, &k->fly[i], true);
	k->in_launch = false;
}

static void end(void *ctx, cycle cycles, const struct stats *st)
{
	struct kanata *k = ctx;

	(void)st;
	finish(k, k->base + cycles);
	k->base += cycles;
}

struct kanata *kanata_open(const char *path, const struct trace_window *w, struct arena *a, struct diag *d)
{
	struct kanata *k = new(a, struct kanata);

	k->a = a;
	k->w = *w;
	k->w.sm = w->sm == TRACE_ALL_SMS ? 0 : w->sm;
	k->end = trace_window_end(w);
	k->probe = (struct gpu_probe){
		.ctx = k,
		.event = event,
		.start = start,
		.end = end,
		.want = PROBE(CTA_START) | PROBE(FETCH) | PROBE(FLUSH) | PROBE(STATE) | PROBE(ISSUE) | PROBE(LOOKUP) |
			PROBE(REUSE) | PROBE(COLLECT) | PROBE(READ) | PROBE(LEAVE) | PROBE(EXECUTE) | PROBE(RESULT) |
			PROBE(RETIRE) | PROBE(STRAND) | PROBE(SUSPEND),
	};
	if (!outfile_open(&k->out, path, a, d))
		return NULL;
	fputs("Kanata\t0004\n", k->out.f);
	return k;
}

struct gpu_probe *kanata_probe(struct kanata *k) { return &k->probe; }

/* The format has no place for remarks: a row of its own, flushed as soon as it is there. */
static void say_partial(struct kanata *k, const char *why)
{
	uint64_t id = k->ids++;

	k->live++;
	put(k, "I\t%" PRIu64 "\t0\t0\nL\t%" PRIu64 "\t0\tpartial: %s\n", id, id, why);
	start_stage(k, id, 0, "F");
	retire_row(k, id, true);
}

bool kanata_close(struct kanata *k, const char *partial)
{
	if (k->in_launch)
		finish(k, k->last);
	if (k->job && partial)
		say_partial(k, partial);
	if (k->job)
		return outfile_commit(&k->out);
	outfile_discard(&k->out);
	return true;
}
