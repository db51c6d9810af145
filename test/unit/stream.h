/* Written-out record streams for tests of the timing model: a kernel of machine instructions built one by one, and for
 * each warp the records that an engine would have made. By default every warp runs the kernel from top to bottom. */
#ifndef REGLOOM_TEST_STREAM_H
#define REGLOOM_TEST_STREAM_H

#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/probe.h"
#include "runtime-model/gpu/gpu.h"

#include <check.h>
#include <string.h>

enum { STREAM_RECORDS = 4096, STREAM_EVENTS = 1 << 14 };

struct stream_record {
	uint32_t insn, active;
	bool apart;
	unsigned nline;
	uint64_t line[8];
	const uint32_t *values;
	unsigned nsig;
	const struct value_sig *sig;
};

struct stream_log {
	struct probe_event e[STREAM_EVENTS];
	unsigned n;
};

struct stream {
	struct arena a;
	struct diag d;
	struct module *m;
	struct kernel *k;
	struct params p;
	struct rf_config rf;
	/* Two programs; warps for which `second` holds run the other one. */
	struct stream_record *rec[2];
	unsigned n[2];
	bool (*second)(uint64_t cta, unsigned warp);
	unsigned *at; /* cursor by CTA * warps + warp */
	unsigned warps;
	uint64_t ctas;
	unsigned threads_per_cta; /* 0: all of its warps */
	uint32_t shared_bytes;
	uint64_t local_lines;
	unsigned quantum, threads; /* threads: 0: one; more: nothing is logged */
	cycle max_cycles;
	struct stopped stopped;
	bool bug;
	struct checked_sums *checked; /* or NULL */
	struct stream_log *issued, *finished;
	const struct gpu_probe *watcher; /* others that watch, or NULL */
	struct stats st;
};

static inline void stream_init(struct stream *s)
{
	memset(s, 0, sizeof *s);
	arena_init(&s->a);
	diag_init(&s->d, NULL);
	s->m = module_new(&s->a);
	s->k = kernel_new(s->m, "test");
	s->k->form = FORM_MACHINE;
	s->k->res.regs = 16;
	ir_block(s->k, NULL);
	ck_assert(params_machine(&s->p, "gtx480", &s->d));
	ck_assert(rf_config_parse(&s->rf, "baseline", &s->p, &s->d));
	s->p.sms = 1;
	for (unsigned i = 0; i < 2; i++)
		s->rec[i] = new_array(&s->a, struct stream_record, STREAM_RECORDS);
	s->issued = new(&s->a, struct stream_log);
	s->finished = new(&s->a, struct stream_log);
	s->warps = 1;
	s->ctas = 1;
}

static inline void stream_free(struct stream *s)
{
	diag_free(&s->d);
	arena_free(&s->a);
}

/* An instruction over registers; -1: no operand. Up to one destination and three sources; returns its index. */
static inline uint32_t stream_insn(struct stream *s, enum op op, int d, int a, int b, int c)
{
	const int src[3] = { a, b, c };
	struct insn *i = ir_append(s->k, op, op_info[op].ndst, op_info[op].nsrc);

	i->vec = 1;
	if (op_info[op].ndst && d >= 0)
		insn_dst(s->k, i)[0] = ref_reg((uint32_t)d);
	for (unsigned n = 0; n < op_info[op].nsrc && n < 3; n++)
		if (src[n] >= 0)
			insn_src(s->k, i)[n] = ref_reg((uint32_t)src[n]);
	return (uint32_t)(i - s->k->insn);
}

static inline uint32_t stream_memory(struct stream *s, enum op op, enum space space, int d, int a, int b)
{
	uint32_t n = stream_insn(s, op, d, a, b, -1);

	s->k->insn[n].space = (uint8_t)space;
	return n;
}

static inline uint32_t stream_barrier(struct stream *s, uint64_t number, uint64_t threads)
{
	uint32_t n = stream_insn(s, OP_BAR_SYNC, -1, -1, -1, -1);
	struct ref num = ir_imm(s->k, number), thr = ir_imm(s->k, threads);

	insn_src(s->k, &s->k->insn[n])[0] = num;
	if (threads)
		insn_src(s->k, &s->k->insn[n])[1] = thr;
	return n;
}

/* Appends a record to program `which`. Lines or passes are added by the caller. */
static inline struct stream_record *stream_record(struct stream *s, unsigned which, uint32_t insn)
{
	struct stream_record *r = &s->rec[which][s->n[which]++];

	ck_assert_uint_lt(s->n[which], STREAM_RECORDS);
	*r = (struct stream_record){ .insn = insn, .active = UINT32_MAX };
	return r;
}

static inline struct stream_record *stream_line(struct stream_record *r, uint64_t line, unsigned sectors)
{
	ck_assert_uint_lt(r->nline, sizeof r->line / sizeof *r->line);
	r->line[r->nline++] = line | (uint64_t)sectors << 60;
	return r;
}

static inline enum record_status stream_next(void *ctx, uint64_t cta, unsigned warp, struct record *out)
{
	struct stream *s = ctx;
	unsigned which = s->second && s->second(cta, warp), *at = &s->at[cta * s->warps + warp];
	const struct stream_record *r = &s->rec[which][*at];

	if (*at == s->n[which])
		return RECORD_END;
	++*at;
	*out = (struct record){ .insn = r->insn,
				.active = r->active,
				.apart = r->apart,
				.nline = r->nline,
				.line = r->line,
				.values = r->values,
				.nsig = r->nsig,
				.sig = r->sig };
	return RECORD_OK;
}

/* Instructions of the program as they issue and retire; moves are left out. */
static inline void stream_log(void *ctx, const struct probe_event *e)
{
	struct stream *s = ctx;
	struct stream_log *l = e->kind == PROBE_ISSUE ? s->issued : s->finished;

	if (!e->move && l->n < STREAM_EVENTS)
		l->e[l->n++] = *e;
}

static inline bool stream_run(struct stream *s)
{
	struct gpu_probe probe = {
		.ctx = s, .want = PROBE(ISSUE) | PROBE(RETIRE), .event = stream_log, .next = s->watcher
	};
	struct gpu_job j = {
		.params = &s->p,
		.rf = &s->rf,
		.kernel = s->k,
		.source = { s, stream_next },
		.ctas = s->ctas,
		.threads_per_cta = s->threads_per_cta ? s->threads_per_cta : s->warps * 32,
		.shared_bytes = s->shared_bytes,
		.local_lines = s->local_lines,
		.probe = s->threads > 1 ? s->watcher : &probe,
		.checked = s->checked,
		.quantum = s->quantum,
		.threads = s->threads ? s->threads : 1,
		.max_cycles = s->max_cycles,
		.stopped = &s->stopped,
		.bug = &s->bug,
	};

	s->at = new_array(&s->a, unsigned, s->ctas * s->warps + 1);
	s->issued->n = s->finished->n = 0;
	stats_reset(&s->st);
	s->stopped.why = STOP_NOT;
	return gpu_run(&j, &s->st, &s->d) && stats_check(&s->st, &s->d);
}

/* The straight-line program: one record for each instruction of the kernel, without memory lines. */
static inline void stream_straight(struct stream *s, unsigned which)
{
	for (uint32_t i = 0; i < s->k->ninsn; i++)
		stream_record(s, which, i);
}

/* Many CTAs, each of whose warps loads a line, adds and stores to another, so many times over. */
static inline void stream_traffic(struct stream *s, unsigned sms, unsigned warps, unsigned ctas, unsigned times)
{
	stream_init(s);
	s->p.sms = sms;
	s->warps = warps;
	s->ctas = ctas;
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(s, OP_ADD_S32, 5, 4, 4, -1);
	stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 2, 5);
	for (unsigned i = 0; i < times; i++)
		for (uint32_t n = 0; n < 3; n++) {
			struct stream_record *r = stream_record(s, 0, n);

			if (n != 1)
				stream_line(r, i * 64 + n, 15);
		}
}

/* Starts the program of a load of one line and an instruction that needs it. */
static inline void stream_load(struct stream *s, enum space space)
{
	stream_init(s);
	stream_memory(s, OP_LD_B32, space, 1, 2, -1);
	stream_insn(s, OP_ADD_S32, 3, 1, 1, -1);
}

/* Cycle in which warp w of SM 0 issued (or finished) instruction `insn` for the n-th time; fails the test if never. */
static inline cycle stream_when(const struct stream_log *l, unsigned w, uint32_t insn, unsigned n)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->e[i].warp == w && l->e[i].insn == insn && n-- == 0)
			return l->e[i].at;
	ck_abort_msg("warp %u never did instruction %u", w, insn);
	return 0;
}

#endif
