/* Records as text, for programs that count for themselves what a model says (docs/TRACE.md#--records). The lines of
 * an SM lie together, in the order in which it issued, whatever the number of threads: each SM has a file of its own
 * until the launch ends. */
#include "runtime-model/trace/trace.h"
#include "runtime-model/gpu/gpu.h"

#include <inttypes.h>

struct records {
	struct gpu_probe probe;
	struct arena a; /* what belongs to a launch */
	FILE *to;
	const struct kernel *k;
	struct insn_regs *regs; /* of the kernel, by instruction */
	FILE **sm;
	unsigned sms;
	bool failed;
};

/* Values that follow each other and are the same are written once, with their number. lane: NULL of an instruction
 * without an active lane. */
static void write_lanes(FILE *f, const char *mark, unsigned reg, const uint32_t *lane)
{
	fprintf(f, " %sR%u=", mark, reg);
	for (unsigned l = 0, n; lane && l < WARP_LANES; l += n) {
		for (n = 1; l + n < WARP_LANES && lane[l + n] == lane[l]; n++)
			;
		fprintf(f, n > 1 ? "%s%" PRIx32 "*%u" : "%s%" PRIx32, l ? "," : "", lane[l], n);
	}
}

static void event(void *ctx, const struct probe_event *e)
{
	struct records *r = ctx;
	const struct insn_regs *regs;
	FILE *f = r->sm[e->sm];

	if (!f || e->move || INSN_IS_METADATA(e->insn))
		return;
	if (e->kind == PROBE_CTA_START) {
		fprintf(f, "cta %" PRIu64 " %u %" PRIu64 "\n", e->cta, e->warp, e->n);
		return;
	}
	regs = &r->regs[e->insn];
	fprintf(f, "%u %" PRIu32 " %" PRIx32, e->warp, e->insn, e->active);
	for (unsigned i = 0; i < regs->nsrc; i++)
		write_lanes(f, "", regs->src[i], e->values ? e->values + regs->src_at[i] * WARP_LANES : NULL);
	for (unsigned i = 0; i < regs->ndst; i++)
		write_lanes(f, ">", regs->dst[i], e->values ? e->values + regs->dst_at[i] * WARP_LANES : NULL);
	fputc('\n', f);
}

static void drop(struct records *r)
{
	for (unsigned i = 0; i < r->sms; i++)
		if (r->sm[i])
			fclose(r->sm[i]);
	r->sms = 0;
	arena_free(&r->a);
}

static void start(void *ctx, const struct gpu_job *j)
{
	struct records *r = ctx;

	drop(r);
	arena_init(&r->a);
	r->k = j->kernel;
	r->sms = j->params->sms;
	r->sm = new_array(&r->a, FILE *, r->sms);
	r->regs = new_array(&r->a, struct insn_regs, r->k->ninsn + 1);
	for (unsigned i = 0; i < r->sms; i++)
		r->failed |= !(r->sm[i] = tmpfile());
	fprintf(r->to, "launch %s %" PRIu64 " %u\n", r->k->name, j->ctas, j->threads_per_cta);
	for (uint32_t i = 0; i < r->k->ninsn; i++) {
		ir_insn_regs(r->k, &r->k->insn[i], &r->regs[i]);
		fprintf(r->to, "insn %" PRIu32 " %s\n", i, ir_print_insn(&r->a, r->k, &r->k->insn[i]));
	}
}

static void end(void *ctx, cycle cycles, const struct stats *st)
{
	struct records *r = ctx;
	char block[1 << 14];
	size_t n;
	(void)cycles;
	(void)st;

	for (unsigned i = 0; i < r->sms; i++) {
		if (!r->sm[i])
			continue;
		fprintf(r->to, "sm %u\n", i);
		r->failed |= fflush(r->sm[i]) != 0 || ferror(r->sm[i]);
		rewind(r->sm[i]);
		while ((n = fread(block, 1, sizeof block, r->sm[i])) > 0)
			fwrite(block, 1, n, r->to);
	}
	drop(r);
}

struct records *records_new(FILE *to, struct arena *a)
{
	struct records *r = new(a, struct records);

	*r = (struct records){ .to = to };
	arena_init(&r->a);
	r->probe = (struct gpu_probe){
		.ctx = r,
		.want = PROBE(CTA_START) | PROBE(ISSUE),
		.records = WANT_VALUES,
		.event = event,
		.start = start,
		.end = end,
	};
	return r;
}

struct gpu_probe *records_probe(struct records *r) { return &r->probe; }

bool records_end(struct records *r)
{
	drop(r);
	return !r->failed && fflush(r->to) == 0 && !ferror(r->to);
}
