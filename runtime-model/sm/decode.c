/* Decodes a kernel once for timing: what each instruction reads and writes, its pipeline, latency and kind. */
#include "runtime-model/sm/code.h"

#include "analyzer/base/bits.h"
#include "analyzer/ir/texture.h"
#include "passes/strand.h"

#include <string.h>

#define LANES(fu, counter) [FU_##fu] = offsetof(struct stats, counter),
static const uint16_t lanes_at[FU_COUNT] = {
#include "runtime-model/core/lanes.def"
};
#undef LANES
#define LANES(fu, counter) +1
_Static_assert(0
#include "runtime-model/core/lanes.def"
		       == (int)FU_COUNT,
	       "lanes.def must name every class of units once");
#undef LANES

static enum kind kind_of(const struct insn *i, uint32_t flags)
{
	struct texture x;

	if (flags & OPF_BARRIER)
		return KIND_BARRIER;
	if (flags & OPF_FENCE)
		return KIND_FENCE;
	if (flags & OPF_REGMUTEX)
		return i->op == OP_RF_ACQUIRE ? KIND_ACQUIRE : KIND_RELEASE;
	if (!(flags & (OPF_LOAD | OPF_STORE)))
		return KIND_ALU;
	if (texture_of((enum op)i->op, &x) &&
	    (x.kind == TEXTURE_FETCH || x.kind == TEXTURE_GATHER || x.kind == SURFACE_LOAD))
		return KIND_TEXTURE;
	switch ((enum space)i->space) {
	case SP_SHARED:
		return KIND_SHARED;
	case SP_CONST:
	case SP_PARAM:
		return KIND_CONST;
	case SP_GENERIC:
		return KIND_GENERIC;
	case SP_NONE:
	case SP_GLOBAL:
	case SP_LOCAL:
	case SP_COUNT:
		break;
	}
	if (flags & OPF_ATOMIC)
		return KIND_ATOMIC;
	return flags & OPF_STORE ? KIND_STORE : KIND_LOAD;
}

/* Number and thread count of a barrier: as written, or of each record. */
static bool decode_barrier(const struct kernel *k, const struct insn *i, struct dinsn *out, struct diag *d)
{
	uint64_t v[2] = { 0, 0 };
	const struct ref *src = insn_src(k, i);
	bool reduction = i->op == OP_BAR_RED_POPC || i->op == OP_BAR_RED_AND || i->op == OP_BAR_RED_OR;

	out->barrier_passes = i->op == OP_BAR_ARRIVE;
	if (i->op == OP_BAR_CLUSTER_WAIT) {
		out->barrier = CLUSTER_BARRIER;
		return true;
	}
	for (unsigned n = 0; n < 2 && n + reduction < i->nsrc; n++) {
		if (src[n].kind == REF_IMM)
			v[n] = k->imm[src[n].val];
		else if (src[n].kind == REF_REG && !mreg_is_fixed(src[n].val))
			out->barrier_in_record = true;
		else if (src[n].kind != REF_NONE && src[n].kind != REF_REG)
			return diag_error_plain(
				d, k->name,
				"instruction %u: a barrier whose number or thread count is neither a constant "
				"nor in a register cannot be timed",
				(unsigned)(i - k->insn));
	}
	if (v[0] >= CTA_BARRIERS)
		return diag_error_plain(d, k->name, "instruction %u: barrier %llu does not exist; a CTA has %d",
					(unsigned)(i - k->insn), (unsigned long long)v[0], CTA_BARRIERS);
	out->barrier = (uint8_t)v[0];
	out->barrier_threads = (uint32_t)v[1];
	return true;
}

/* SP and MEM pipelines that are narrower than a warp take an instruction over several cycles. */
static uint16_t interval_of(const struct params *p, const struct unit_time *t)
{
	return (uint16_t)(t->pipe == PIPE_SFU ? t->interval
					      : t->interval * ((WARP_LANES + p->simt_lanes - 1) / p->simt_lanes));
}

/* Of the instruction at this place behind the start of preamble and kernel. */
static uint32_t line_of(const struct params *p, uint32_t insn)
{
	return (uint32_t)((uint64_t)insn * p->insn_bytes / LINE_BYTES);
}

/* A fetch brings what the instruction buffer takes, and the line and the kernel, of n instructions with its preamble,
 * have. */
static void fetch_of(const struct params *p, uint32_t at, uint32_t n, struct dinsn *out)
{
	uint32_t end = at + p->ibuffer_entries;

	if (end > n)
		end = n;
	out->line = line_of(p, at);
	while (end > at + 1 && line_of(p, end - 1) != out->line)
		end--;
	out->fetched = (uint8_t)(end - at);
}

/* Those that the instruction names, each once: as machine code has them, with the halves of pairs. */
static void count_uniform(const struct kernel *k, const struct insn *i, struct dinsn *out)
{
	uint64_t seen[SB_WORDS] = { 0 };

	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++) {
		const struct ref r = k->opnd[i->opnd + s];
		const bool write = s < i->ndst;

		if (r.kind != REF_REG || mreg_is_fixed(r.val) || mreg_file(r.val) != FILE_UGPR)
			continue;
		if (write || !(seen[r.val / 64] >> r.val % 64 & 1))
			*(write ? &out->uniform_writes : &out->uniform_reads) += 1;
		if (!write)
			seen[r.val / 64] |= bit(r.val % 64);
	}
}

static bool decode_insn(const struct kernel *k, const struct params *p, unsigned index, struct dinsn *out,
			struct diag *d)
{
	const struct insn *i = &k->insn[index];
	const struct op_info *op = &op_info[i->op];
	const struct unit_time *t = &p->unit[op->fu];
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);
	struct uop *u = &out->proto;
	struct insn_regs regs;

	u->insn = index;
	u->fu = op->fu;
	out->kind = (uint8_t)kind_of(i, op->flags);
	out->pipe = (uint8_t)t->pipe;
	out->latency = (uint16_t)t->latency;
	out->interval = interval_of(p, t);
	out->lanes_at = lanes_at[op->fu];
	out->is_load = op->flags & OPF_LOAD;
	out->is_store = op->flags & OPF_STORE;
	out->is_atomic = op->flags & OPF_ATOMIC;
	out->bypass_l1 = i->cop == COP_CG || i->cop == COP_CV ||
			 (i->mods & (MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE | MOD_RELEASE));
	for (unsigned j = 0; j < n; j++) {
		out->reads_writes[use[j].reg / 64] |= bit(use[j].reg % 64);
		if (use[j].write)
			out->writes[use[j].reg / 64] |= bit(use[j].reg % 64);
	}
	ir_named_regs(k, i, &regs); /* as a record has them */
	if (regs.nsrc > UOP_SRC_MAX || regs.ndst > UOP_DST_MAX)
		return diag_error_plain(d, k->name, "instruction %u: names %u registers, more than can be timed", index,
					regs.nsrc + regs.ndst);
	u->nsrc = regs.nsrc;
	u->ndst = regs.ndst;
	memcpy(u->src, regs.src, regs.nsrc);
	memcpy(u->dst, regs.dst, regs.ndst);
	memcpy(out->src_at, regs.src_at, regs.nsrc);
	memcpy(out->dst_at, regs.dst_at, regs.ndst);
	count_uniform(k, i, out);
	if (out->kind == KIND_ACQUIRE || out->kind == KIND_RELEASE)
		out->pipe = NO_PIPE;
	out->into = out->pipe;
	return out->kind != KIND_BARRIER || decode_barrier(k, i, out, d);
}

/* A release waits until no write of an extended register is outstanding: it names all that are written. */
static void decode_releases(struct code *c, const struct kernel *k)
{
	struct dinsn *insn = c->insn;
	uint64_t extended[SB_WORDS] = { 0 };

	for (unsigned i = 0; i < k->ninsn; i++)
		for (unsigned d = 0; d < insn[i].proto.ndst; d++)
			if (insn[i].proto.dst[d] >= k->base_regs)
				extended[insn[i].proto.dst[d] / 64] |= bit(insn[i].proto.dst[d] % 64);
	for (unsigned i = 0; i < k->ninsn + c->npoint; i++)
		if (insn[i].kind == KIND_RELEASE)
			memcpy(insn[i].reads_writes, extended, sizeof extended);
}

enum { POINTS = 2 };

static void decode_points(struct code *c, const struct kernel *k)
{
	c->point = c->insn + k->ninsn;
	c->npoint = POINTS;
	for (unsigned i = 0; i < POINTS; i++)
		c->point[i] = (struct dinsn){
			.kind = i ? KIND_RELEASE : KIND_ACQUIRE, .pipe = NO_PIPE, .into = NO_PIPE, .is_point = true
		};
}

static void put(struct code *c, struct dinsn *d)
{
	d->at = c->nplace;
	c->place[c->nplace++] = d;
}

/* The metadata of each block, which has indices from `word` on, before its first instruction. */
static void lay_out(const struct kernel *k, const uint32_t *words, uint32_t word, struct code *c)
{
	for (uint32_t b = 0; b < k->nblock; b++) {
		const uint32_t first = k->block[b].first, end = word + (k->block[b].n ? words[b] : 0);

		if (word != end)
			c->insn[first].metadata = word;
		for (; word != end; word++) {
			c->insn[(int32_t)word].of_block = true;
			c->insn[(int32_t)word].then = word + 1 == end ? first : word + 1;
		}
	}
	for (uint32_t i = 0; i < k->ninsn; i++) {
		for (uint32_t w = c->insn[i].metadata; INSN_IS_METADATA(w); w = c->insn[(int32_t)w].then)
			put(c, &c->insn[(int32_t)w]);
		put(c, &c->insn[i]);
	}
}

bool decode_kernel(const struct kernel *k, const struct params *p, unsigned preamble, const uint32_t *words,
		   struct code *out, struct arena *a, struct diag *d)
{
	uint32_t nmeta = preamble, n;
	struct dinsn *all;

	if (k->form != FORM_MACHINE)
		return diag_error_plain(d, k->name, "only a kernel in machine form can be timed; annotate it first");
	for (uint32_t b = 0; b < k->nblock; b++)
		nmeta += k->block[b].n ? words[b] : 0;
	n = nmeta + k->ninsn;
	all = new_array(a, struct dinsn, (size_t)n + 1 + POINTS);
	*out = (struct code){ .insn = all + nmeta, .place = new_array(a, struct dinsn *, (size_t)n + 1) };
	out->place += preamble;
	for (uint32_t i = 0; i < nmeta; i++) {
		all[i].proto.insn = i - nmeta;
		all[i].kind = KIND_ALU;
		all[i].pipe = all[i].into = NO_PIPE;
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (!decode_insn(k, p, i, &out->insn[i], d))
			return false;
	if (k->native && k->base_regs)
		decode_points(out, k);
	if (k->base_regs)
		decode_releases(out, k);
	for (uint32_t i = 0; i < preamble; i++) {
		struct dinsn *x = &out->insn[(int32_t)(i - preamble)];

		x->at = i - preamble;
		out->place[(int32_t)x->at] = x;
	}
	lay_out(k, words, 0 - nmeta, out);
	for (uint32_t i = 0; i < n; i++)
		fetch_of(p, i, n, out->place[(int32_t)(i - preamble)]);
	return true;
}

struct dinsn *decode_moves(const struct params *p, struct arena *a)
{
	struct dinsn *out = new_array(a, struct dinsn, MREG_RZ);
	enum fu fu = (enum fu)op_info[OP_MOV_B32].fu;

	for (unsigned r = 0; r < MREG_RZ; r++) {
		struct dinsn *d = &out[r];

		d->proto = (struct uop){
			.fu = (uint8_t)fu,
			.nsrc = 1,
			.ndst = 1,
			.src = { (uint8_t)r },
			.dst = { (uint8_t)r },
			.active = UINT32_MAX,
			.move = true,
		};
		d->reads_writes[r / 64] = d->writes[r / 64] = bit(r % 64);
		d->kind = KIND_ALU;
		d->pipe = (uint8_t)p->unit[fu].pipe;
		d->latency = (uint16_t)p->unit[fu].latency;
		d->interval = interval_of(p, &p->unit[fu]);
		d->lanes_at = lanes_at[fu];
	}
	return out;
}

unsigned decode_reg_end(const struct dinsn *insn, unsigned n)
{
	unsigned end = 0;

	for (; n; n--, insn++) {
		for (unsigned i = 0; i < insn->proto.nsrc; i++)
			end = insn->proto.src[i] >= end ? insn->proto.src[i] + 1u : end;
		for (unsigned i = 0; i < insn->proto.ndst; i++)
			end = insn->proto.dst[i] >= end ? insn->proto.dst[i] + 1u : end;
	}
	return end;
}

static void renumber(uint64_t set[SB_WORDS], const uint16_t number[SB_WORDS * 64])
{
	uint64_t out[SB_WORDS] = { 0 };

	for (unsigned i = 0; i < SB_WORDS; i++)
		for (uint64_t m = set[i]; m; m &= m - 1) {
			unsigned n = number[i * 64 + (unsigned)__builtin_ctzll(m)];

			if (n != UINT16_MAX)
				out[n / 64] |= bit(n % 64);
		}
	memcpy(set, out, sizeof out);
}

unsigned decode_renumber(struct dinsn *insn, unsigned n, struct dinsn *move)
{
	uint64_t used[SB_WORDS] = { 0 };
	uint16_t number[SB_WORDS * 64], next = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < SB_WORDS; j++)
			used[j] |= insn[i].reads_writes[j];
	for (unsigned r = 0; r < SB_WORDS * 64; r++)
		number[r] = used[r / 64] >> r % 64 & 1 ? next++ : UINT16_MAX;
	for (unsigned i = 0; i < n + MREG_RZ; i++) {
		struct dinsn *d = i < n ? &insn[i] : &move[i - n];

		renumber(d->reads_writes, number);
		renumber(d->writes, number);
	}
	return next;
}

void decode_strands(struct dinsn *insn, const struct kernel *k, unsigned owed)
{
	for (uint32_t i = 0; i < k->ninsn; i++) {
		insn[i].strand = k->strand->begin[i];
		if (insn[i].strand & STRAND_WAIT)
			insn[i].reads_writes[owed / 64] |= bit(owed % 64);
	}
}
