/* The Chrome trace event format, JSON object form ("Trace Event Format", the Chromium project), as Perfetto and
 * chrome://tracing read it. A cycle is a microsecond of the format.
 *
 * Process 1 is the GPU, process 2 + n is SM n. Slices of one track must nest, so instructions of a warp that overlap
 * lie on tracks of their own below it, as many as it ever has in flight. Events of a process may stand anywhere in the
 * file: each SM writes to a temporary file of its own while the run goes on, from whatever thread it runs on, and
 * chrome_close() puts them together. So memory does not grow, and the bytes do not depend on how SMs were
 * interleaved. */
#include "runtime-model/trace/trace.h"
#include "runtime-model/core/axis.h"
#include "analyzer/base/outfile.h"
#include "runtime-model/gpu/gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	COUNTER_CYCLES = 100, /* between two points of a counter track */
	WARPS = 64,
	LANES = 64, /* instructions of a warp in flight */
	PIPE_TRACKS = 8,
	SET_TRACKS = 64,
	/* numbers of tracks, which are also their order: units, collector units, then each warp with its
	 * instructions */
	TRACK_LAUNCH = 1,
	TRACK_UNIT = 1,
	TRACK_SET = 100,
	TRACK_WARP = 1000,
	TRACKS_OF_WARP = 100,
};

enum stamp { ISSUED, LOOKED_UP, DECIDED, COLLECTED, READ, EXECUTED, RESULT, RETIRED, STAMPS };
/* NULL: on its way to where its operands are read */
static const char *const stage_name[STAMPS - 1] = {
	[LOOKED_UP] = "wait for a result to reuse",
	[COLLECTED] = "read operands",
	[READ] = "to its unit",
	[EXECUTED] = "execute",
	[RESULT] = "write back",
};
static const char *const pipe_name[PIPE_COUNT] = { [PIPE_SP] = "SP", [PIPE_SFU] = "SFU", [PIPE_MEM] = "MEM" };
static const char *const wait_name[STALL_COUNT] = {
	[STALL_ISSUED] = "ready",
	[STALL_COLLECTOR] = "collector",
	[STALL_RESIDENCY] = "registers",
	[STALL_REUSE] = "reuse",
	[STALL_SCOREBOARD] = "result",
	[STALL_MEMORY] = "memory",
	[STALL_BARRIER] = "barrier",
	[STALL_FETCH] = "fetch",
	[STALL_DRAIN] = "drain",
	[STALL_DISPATCH] = "dispatch",
	[STALL_MATH] = "math pipe",
	[STALL_IMC] = "constant",
	[STALL_MIO] = "MIO",
	[STALL_LG] = "LG",
	[STALL_TEX] = "TEX",
	[STALL_PENDING] = "pending",
	[STALL_WAIT] = "wait",
	[STALL_SHORT] = "short scoreboard",
	[STALL_LONG] = "long scoreboard",
	[STALL_MEMBAR] = "membar",
	[STALL_EMPTY] = "",
};

/* an instruction in flight */
struct flying {
	bool on;
	uint32_t insn, active;
	uint8_t warp, lane, pipe, unit;
	bool move, reused;
	unsigned lines, hits;
	cycle at[STAMPS]; /* UINT64_MAX: not yet */
};

/* a warp slot */
struct track {
	bool live, open;        /* it has a warp; its slice has begun */
	uint64_t cta, lanes;    /* lanes: tracks in use by instructions */
	unsigned in_cta, named; /* named: tracks that have a name */
	cycle start, since;     /* of the CTA; of the state, after the last issue */
	enum stall why;
	uint32_t insn;
};

/* what one process of the trace consists of */
struct stream {
	FILE *f;
	unsigned process;
	cycle last; /* seen */
	bool unit_named[PIPE_COUNT][PIPE_TRACKS], set_named[PIPE_COUNT][SET_TRACKS];
	struct track warp[WARPS];
	struct flying fly[PROBE_IDS];
	struct stats before; /* of the last sample */
	cycle sampled;
};

struct chrome {
	struct gpu_probe probe;
	struct trace_window w;
	cycle end; /* of the window */
	struct arena *a;
	struct outfile out;
	unsigned sms;
	struct stream *gpu, **sm; /* an SM that is not wanted: NULL */
	const struct params *p;
	const struct kernel *k;
	const struct trace_text *text, *texts; /* of the kernel; of all so far */
	cycle base;                            /* cycles of the launches before */
	uint64_t launches;
	bool in_launch;
	int error; /* of a temporary file */
};

/* ---- writing ---- */
static FILE *temporary(const struct outfile *out, struct arena *a)
{
	const char *slash = out->whole ? strrchr(out->target, '/') : NULL;
	int fd;

	if (!out->whole) /* standard output, a device: no folder of ours */
		return tmpfile();
	fd = outfile_unnamed(slash ? arena_strndup(a, out->target, (size_t)(slash - out->target) + 1) : ".");
	return fd < 0 ? NULL : fdopen(fd, "w+b");
}

static struct stream *stream_new(struct chrome *c, unsigned process)
{
	struct stream *s = new(c->a, struct stream);

	s->process = process;
	s->f = temporary(&c->out, c->a);
	if (!s->f)
		c->error = errno;
	return s->f ? s : NULL;
}

static void name_track(struct stream *s, unsigned track, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void name_track(struct stream *s, unsigned track, const char *fmt, ...)
{
	va_list ap;

	fprintf(s->f, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"",
		s->process, track);
	va_start(ap, fmt);
	vfprintf(s->f, fmt, ap);
	va_end(ap);
	fprintf(s->f,
		"\"}},\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}"
		"}",
		s->process, track, track);
}

/* A slice; the caller adds its args and the brace. */
static void slice(struct stream *s, unsigned track, cycle from, cycle to, const char *name)
{
	fprintf(s->f, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"name\":\"%s\"",
		s->process, track, from, to - from, name);
}

static void args(const struct chrome *c, struct stream *s, uint32_t insn)
{
	fprintf(s->f, ",\"args\":{\"instruction\":\"%s\",\"at\":\"%s\"", c->text->text[trace_row(c->k, insn)],
		c->text->where[trace_row(c->k, insn)]);
}

static void counter(struct stream *s, cycle at, const char *name, double value)
{
	fprintf(s->f, ",\n{\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":%.6g}}",
		s->process, at, name, value);
}

/* ---- tracks of warps ---- */
static unsigned warp_track(unsigned w) { return TRACK_WARP + w * TRACKS_OF_WARP; }

/* The warp's slice begins before the first that lies in it is written. */
static void open_warp(struct chrome *c, struct stream *s, unsigned w)
{
	struct track *t = &s->warp[w];

	if (t->open)
		return;
	if (!t->named) {
		t->named = 1;
		name_track(s, warp_track(w), "warp %u", w);
	}
	t->open = true;
	fprintf(s->f,
		",\n{\"ph\":\"B\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"name\":\"CTA %" PRIu64 ", warp %u\"}",
		s->process, warp_track(w), t->start > c->w.from ? t->start : c->w.from, t->cta, t->in_cta);
}

static void close_warp(struct chrome *c, struct stream *s, unsigned w, cycle at)
{
	struct track *t = &s->warp[w];

	if (t->open)
		fprintf(s->f, ",\n{\"ph\":\"E\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 "}", s->process, warp_track(w),
			at < c->end ? at : c->end);
	t->open = t->live = false;
}

/* The warp's state ends; what there is of it in the window becomes a slice. */
static void close_state(struct chrome *c, struct stream *s, unsigned w, cycle at)
{
	struct track *t = &s->warp[w];
	cycle from = t->since > c->w.from ? t->since : c->w.from, to = at < c->end ? at : c->end;

	if (to > from && t->why != STALL_EMPTY) {
		open_warp(c, s, w);
		slice(s, warp_track(w), from, to, wait_name[t->why]);
		args(c, s, t->insn);
		fputs("}}", s->f);
	}
	if (at > t->since)
		t->since = at;
}

static void state(struct chrome *c, struct stream *s, const struct probe_event *e, cycle at)
{
	struct track *t = &s->warp[e->warp];

	close_state(c, s, e->warp, at);
	t->why = e->why;
	t->insn = e->insn;
}

static void start_warps(struct stream *s, const struct probe_event *e, cycle at)
{
	for (unsigned i = 0; i < e->n; i++) {
		struct track *t = &s->warp[e->warp + i];

		*t = (struct track){ .live = true,
				     .cta = e->cta,
				     .in_cta = i,
				     .named = t->named,
				     .start = at,
				     .since = at,
				     .why = STALL_FETCH };
	}
}

static void end_warps(struct chrome *c, struct stream *s, unsigned first, unsigned n, cycle at)
{
	for (unsigned w = first; w < first + n; w++)
		if (s->warp[w].live) {
			close_state(c, s, w, at);
			close_warp(c, s, w, at);
		}
}

/* ---- instructions ---- */
static const char *name_of(const struct chrome *c, const struct flying *f)
{
	return f->move ? "move" : c->text->name[f->insn];
}

static void issue(struct chrome *c, struct stream *s, const struct probe_event *e, cycle at)
{
	struct track *t = &s->warp[e->warp];
	struct flying *f = &s->fly[e->id];
	const struct unit_time *u = &c->p->unit[op_info[e->move ? OP_MOV_B32 : c->k->insn[e->insn].op].fu];

	f->on = at >= c->w.from && at < c->end && ~t->lanes;
	if (!f->on)
		return;
	*f = (struct flying){ .on = true,
			      .insn = e->insn,
			      .active = e->active,
			      .warp = (uint8_t)e->warp,
			      .move = e->move,
			      .pipe = (uint8_t)u->pipe,
			      .lane = (uint8_t)__builtin_ctzll(~t->lanes) };
	memset(f->at, 0xff, sizeof f->at);
	f->at[ISSUED] = at;
	t->lanes |= (uint64_t)1 << f->lane;
	close_state(c, s, e->warp, at);
	open_warp(c, s, e->warp);
	slice(s, warp_track(e->warp), at, at + 1, name_of(c, f));
	args(c, s, e->insn);
	fprintf(s->f, ",\"lanes\":\"%08x\"}}", e->active);
	t->since = at + 1;
}

/* A moment on the warp's track. */
static void mark(struct chrome *c, struct stream *s, const struct probe_event *e, cycle at, const char *name)
{
	if (at < c->w.from || at >= c->end)
		return;
	open_warp(c, s, e->warp);
	fprintf(s->f, ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\"",
		s->process, warp_track(e->warp), at, name);
	args(c, s, e->insn);
	if (e->kind == PROBE_SUSPEND)
		fprintf(s->f, ",\"registers\":%" PRIu64, e->n);
	fputs("}}", s->f);
}

/* What lies between two stamps. */
static const char *stage(const struct chrome *c, const struct flying *f, unsigned from, unsigned to)
{
	if (to == LOOKED_UP)
		return "rename";
	if (from == DECIDED && f->reused)
		return "reuse";
	if (stage_name[from])
		return stage_name[from];
	return c->p->core ? "control" : "to a collector";
}

static void retire(struct chrome *c, struct stream *s, unsigned id)
{
	struct flying *f = &s->fly[id];
	struct track *t = &s->warp[f->warp];
	unsigned track = warp_track(f->warp) + 1 + f->lane, from = ISSUED;

	for (; t->named <= f->lane + 1u; t->named++)
		name_track(s, warp_track(f->warp) + t->named, "warp %u in flight %u", f->warp, t->named);
	slice(s, track, f->at[ISSUED], f->at[RETIRED], name_of(c, f));
	args(c, s, f->insn);
	fprintf(s->f, ",\"lanes\":\"%08x\"", f->active);
	if (f->at[READ] != UINT64_MAX && f->at[READ] > f->at[COLLECTED] + 1)
		fprintf(s->f, ",\"bank_wait_cycles\":%" PRIu64, f->at[READ] - f->at[COLLECTED] - 1);
	if (f->reused)
		fputs(",\"reused\":true", s->f);
	if (f->lines)
		fprintf(s->f, ",\"lines\":%u,\"l1_hits\":%u", f->lines, f->hits);
	fputs("}}", s->f);
	for (unsigned to = ISSUED + 1; to < STAMPS; to++) {
		if (f->at[to] == UINT64_MAX)
			continue;
		if (f->at[to] > f->at[from]) {
			slice(s, track, f->at[from], f->at[to], stage(c, f, from, to));
			fputc('}', s->f);
		}
		from = to;
	}
	t->lanes &= ~((uint64_t)1 << f->lane);
	f->on = false;
}

static void unit_slice(struct chrome *c, struct stream *s, const struct flying *f, cycle from, cycle to)
{
	unsigned track = TRACK_UNIT + f->pipe * PIPE_TRACKS + f->unit;

	if (!s->unit_named[f->pipe][f->unit]) {
		s->unit_named[f->pipe][f->unit] = true;
		if (c->p->core)
			name_track(s, track, "sub-core %u %s", f->unit, pipe_name[f->pipe]);
		else
			name_track(s, track, "%s %u", pipe_name[f->pipe], f->unit);
	}
	slice(s, track, from, to, name_of(c, f));
	fprintf(s->f, ",\"args\":{\"warp\":%u}}", f->warp);
}

static void collector_slice(struct chrome *c, struct stream *s, const struct flying *f, unsigned unit, cycle to)
{
	unsigned track = TRACK_SET + f->pipe * SET_TRACKS + unit;

	if (!s->set_named[f->pipe][unit]) {
		s->set_named[f->pipe][unit] = true;
		name_track(s, track, "%s collector %u", pipe_name[f->pipe], unit);
	}
	slice(s, track, f->at[COLLECTED], to, name_of(c, f));
	fprintf(s->f, ",\"args\":{\"warp\":%u}}", f->warp);
}

static void execute(struct chrome *c, struct stream *s, struct flying *f, const struct probe_event *e, cycle at)
{
	f->at[EXECUTED] = at;
	f->pipe = (uint8_t)e->where;
	f->unit = (uint8_t)e->n;
	if (e->cycles)
		unit_slice(c, s, f, at, at + e->cycles);
}

/* Of an instruction that issued in the window. */
static void flight_event(struct chrome *c, struct stream *s, const struct probe_event *e, cycle at)
{
	struct flying *f = &s->fly[e->id];

	if (!f->on)
		return;
	switch (e->kind) {
	case PROBE_LOOKUP:
		f->at[LOOKED_UP] = at;
		break;
	case PROBE_REUSE:
		f->at[DECIDED] = at;
		f->reused = e->where == OUTCOME_REUSED || e->where == OUTCOME_REUSED_LATE;
		break;
	case PROBE_COLLECT:
		f->at[COLLECTED] = at;
		break;
	case PROBE_READ:
		f->at[READ] = at;
		break;
	case PROBE_LEAVE:
		collector_slice(c, s, f, e->where, at);
		break;
	case PROBE_EXECUTE:
		execute(c, s, f, e, at);
		break;
	case PROBE_LINE:
		f->lines++;
		f->hits += e->where == PROBE_LINE_HIT;
		break;
	case PROBE_SENT:
		unit_slice(c, s, f, f->at[EXECUTED], at > f->at[EXECUTED] ? at : at + 1);
		break;
	case PROBE_RESULT:
		f->at[RESULT] = at;
		break;
	case PROBE_RETIRE:
		f->at[RETIRED] = at;
		retire(c, s, e->id);
		break;
	case PROBE_CTA_START:
	case PROBE_CTA_END:
	case PROBE_FETCH:
	case PROBE_ISSUE:
	case PROBE_ACCESS:
	case PROBE_STATE:
	case PROBE_FLUSH:
	case PROBE_STRAND:
	case PROBE_LEVELS:
	case PROBE_SUSPEND:
	case PROBE_BANK:
	case PROBE_WAIT:
	case PROBE_SLOT:
	case PROBE_KINDS:
		break;
	}
}

static void event(void *ctx, const struct probe_event *e)
{
	struct chrome *c = ctx;
	struct stream *s = c->sm[e->sm];
	cycle at = c->base + e->at;

	if (!s)
		return;
	s->last = at + 1;
	if (e->kind == PROBE_CTA_START)
		start_warps(s, e, at);
	else if (e->kind == PROBE_CTA_END)
		end_warps(c, s, e->warp, (unsigned)e->n, at);
	else if (e->kind == PROBE_STATE)
		state(c, s, e, at);
	else if (e->kind == PROBE_ISSUE)
		issue(c, s, e, at);
	else if (e->kind == PROBE_STRAND)
		mark(c, s, e, at, e->n ? "strand, after all of memory" : "strand");
	else if (e->kind == PROBE_SUSPEND)
		mark(c, s, e, at, "suspended");
	else
		flight_event(c, s, e, at);
}

/* ---- counters ---- */
static double per(uint64_t n, uint64_t of) { return of ? (double)n / (double)of : 0; }

static void sample_sm(struct stream *s, cycle at, cycle n, const struct stats *st)
{
	const struct stats *b = &s->before;

	counter(s, at, "instructions a cycle", per(st->warp_instructions - b->warp_instructions, n));
	counter(s, at, "resident warps", per(st->resident_warp_cycles - b->resident_warp_cycles, n));
	if (st->rf_acquires)
		counter(s, at, "extended sets held", per(st->rf_section_cycles - b->rf_section_cycles, n));
	counter(s, at, "reads that wait for a bank, a cycle", per(st->rf_bank_conflicts - b->rf_bank_conflicts, n));
	counter(s, at, "L1 hit rate", per(st->l1_read_hits - b->l1_read_hits, st->l1_reads - b->l1_reads));
}

static void sample_memory(const struct chrome *c, struct stream *s, cycle at, cycle n, const struct stats *st)
{
	const struct stats *b = &s->before;
	uint64_t lines = st->dram_reads + st->dram_writes - b->dram_reads - b->dram_writes;

	counter(s, at, "DRAM, GB/s", per(lines * 128, n) * c->p->sm_mhz / 1000);
	counter(s, at, "L2 hit rate", per(st->l2_read_hits - b->l2_read_hits, st->l2_reads - b->l2_reads));
}

static void sample(void *ctx, unsigned sm, cycle upto, const struct stats *st)
{
	struct chrome *c = ctx;
	struct stream *s = sm == PROBE_MEMORY ? c->gpu : c->sm[sm];
	cycle from = c->base + (s ? s->sampled : 0), to = c->base + upto;

	if (!s)
		return;
	if (to > from && from < c->end && to > c->w.from) {
		cycle shown = from > c->w.from ? from : c->w.from;

		if (sm == PROBE_MEMORY)
			sample_memory(c, s, shown, to - from, st);
		else
			sample_sm(s, shown, to - from, st);
	}
	s->before = *st;
	s->sampled = upto;
	s->last = to > s->last ? to : s->last;
}

/* ---- launches ---- */
static void process_name(struct stream *s, const char *fmt, unsigned n)
{
	fprintf(s->f, ",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"", s->process);
	fprintf(s->f, fmt, n);
	fprintf(s->f, "\"}},\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}",
		s->process, s->process);
}

static void make_streams(struct chrome *c, unsigned sms)
{
	c->sm = new_array(c->a, struct stream *, sms);
	c->sms = sms;
	for (unsigned i = 0; i < sms; i++) {
		if (c->w.sm != TRACE_ALL_SMS && c->w.sm != i)
			continue;
		c->sm[i] = stream_new(c, i + 2);
		if (c->sm[i])
			process_name(c->sm[i], "SM %u", i);
	}
}

static void start(void *ctx, const struct gpu_job *j)
{
	struct chrome *c = ctx;

	if (!c->launches++) {
		make_streams(c, j->params->sms);
		name_track(c->gpu, TRACK_LAUNCH, "launches");
	}
	c->text = trace_text(&c->texts, j->kernel, true, c->a);
	c->k = j->kernel;
	c->p = j->params;
	c->in_launch = true;
	c->gpu->last = c->base;
	for (unsigned i = 0; i < c->sms; i++)
		if (c->sm[i])
			c->sm[i]->last = c->base;
}

/* What the launch has left open ends at `at`, and so do the counters. */
static void finish(struct chrome *c, cycle at)
{
	cycle from = c->base > c->w.from ? c->base : c->w.from, to = at < c->end ? at : c->end;

	for (unsigned i = 0; i < c->sms; i++) {
		struct stream *s = c->sm[i];

		if (!s)
			continue;
		for (unsigned id = 0; id < PROBE_IDS; id++)
			if (s->fly[id].on) {
				s->fly[id].at[RETIRED] = at;
				retire(c, s, id);
			}
		end_warps(c, s, 0, WARPS, at);
		if (to > from)
			sample_sm(s, to, 0, &s->before);
		s->before = (struct stats){ 0 };
		s->sampled = 0;
	}
	if (to > from) {
		slice(c->gpu, TRACK_LAUNCH, from, to, c->text->kernel);
		fprintf(c->gpu->f, ",\"args\":{\"launch\":%" PRIu64 ",\"cycles\":%" PRIu64 "}}", c->launches - 1,
			at - c->base);
		sample_memory(c, c->gpu, to, 0, &c->gpu->before);
	}
	c->gpu->before = (struct stats){ 0 };
	c->gpu->sampled = 0;
	c->in_launch = false;
}

static void end(void *ctx, cycle cycles, const struct stats *st)
{
	struct chrome *c = ctx;

	(void)st;
	finish(c, c->base + cycles);
	c->base += cycles;
}

/* ---- the file ---- */
struct chrome *chrome_open(const char *path, const struct trace_window *w, struct arena *a, struct diag *d)
{
	struct chrome *c = new(a, struct chrome);

	c->a = a;
	c->w = *w;
	c->end = trace_window_end(w);
	c->probe = (struct gpu_probe){
		.ctx = c,
		.event = event,
		.start = start,
		.end = end,
		.sample = sample,
		.interval = COUNTER_CYCLES,
		.want = PROBE(CTA_START) | PROBE(CTA_END) | PROBE(STATE) | PROBE(ISSUE) | PROBE(LOOKUP) | PROBE(REUSE) |
			PROBE(COLLECT) | PROBE(READ) | PROBE(LEAVE) | PROBE(EXECUTE) | PROBE(LINE) | PROBE(SENT) |
			PROBE(RESULT) | PROBE(RETIRE) | PROBE(STRAND) | PROBE(SUSPEND),
	};
	if (!outfile_open(&c->out, path, a, d))
		return NULL;
	c->gpu = stream_new(c, 1);
	if (c->gpu)
		return c;
	outfile_discard(&c->out);
	diag_error_plain(d, path, "cannot write: %s", strerror(c->error));
	return NULL;
}

struct gpu_probe *chrome_probe(struct chrome *c) { return &c->probe; }

/* Appends what the stream has written, and closes it. */
static void append(struct chrome *c, struct stream *s)
{
	char block[1 << 14];
	size_t n;

	if (fflush(s->f) != 0 || ferror(s->f))
		c->error = errno ? errno : EIO;
	rewind(s->f);
	while (!c->error && (n = fread(block, 1, sizeof block, s->f)) > 0)
		fwrite(block, 1, n, c->out.f);
	if (ferror(s->f))
		c->error = errno ? errno : EIO;
	fclose(s->f);
}

bool chrome_close(struct chrome *c, const char *partial)
{
	cycle last = c->base;

	for (unsigned i = 0; i < c->sms; i++)
		if (c->sm[i] && c->sm[i]->last > last)
			last = c->sm[i]->last;
	if (c->in_launch)
		finish(c, last);
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us of this file is 1 cycle of the SM clock\"",
	      c->out.f);
	if (c->p)
		fprintf(c->out.f, ",\"sm_mhz\":%u,\"machine\":\"%s\"", c->p->sm_mhz, c->p->machine);
	if (partial)
		fprintf(c->out.f, ",\"partial\":\"%s\"", partial);
	fputs("},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"GPU\"}}",
	      c->out.f);
	append(c, c->gpu);
	for (unsigned i = 0; i < c->sms; i++)
		if (c->sm[i])
			append(c, c->sm[i]);
	fputs("\n]}\n", c->out.f);
	if (c->launches && !c->error)
		return outfile_commit(&c->out);
	outfile_discard(&c->out);
	return !c->error || diag_error_plain(c->out.d, c->out.path, "cannot write: %s", strerror(c->error));
}
