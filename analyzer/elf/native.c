/* Liveness, releases and blocks of decoded machine code, made from the facts for writing, and made again for comparing.
 * As in live.c, but registers come from all files, places are bytes of code sections, and what a reader would have to
 * decode instructions for, which registers each reads and writes, stands beside. */
#include "analyzer/elf/native.h"

#include "analyzer/base/hash.h"
#include "analyzer/base/sha256.h"
#include "passes/pass.h"

#include <elf.h>

enum { WORD_BYTES = 16 };

struct encoder {
	const struct kernel *k;
	struct arena *a;
	const struct native_place *at;
	uint16_t *last, *release; /* of all instructions, from the last one to the first */
	uint32_t nlast, last_cap, nrelease, release_cap;
};

bool native_is_code(const struct cubin_section *s) { return s->bytes && s->flags & SHF_EXECINSTR; }

void native_digest(const struct cubin_section *s, uint8_t sha256[NATIVE_DIGEST])
{
	static const char digits[] = "0123456789abcdef";
	char hex[SHA256_HEX];
	struct sha256 h;

	sha256_begin(&h);
	sha256_add(&h, s->bytes, s->size);
	sha256_end(&h, hex);
	for (unsigned b = 0; b < NATIVE_DIGEST; b++)
		sha256[b] = (uint8_t)((strchr(digits, hex[2 * b]) - digits) << 4 |
				      (strchr(digits, hex[2 * b + 1]) - digits));
}

uint64_t native_strings_sum(const uint8_t *p, size_t n)
{
	uint64_t h = HASH_START;

	for (size_t b = 0; b < n; b++)
		h = ir_hash_number(h, p[b]);
	return h;
}

void native_sections_init(struct native_sections *s, const struct cubin *c, struct arena *a)
{
	*s = (struct native_sections){ .cap = 0 };
	intern_init(&s->names, a);
	for (uint32_t n = 1; n < c->nsection; n++) {
		uint32_t id;

		if (!native_is_code(&c->section[n]))
			continue;
		id = intern_id(&s->names, c->section[n].name, strlen(c->section[n].name));
		while (s->cap <= id)
			arena_grow(a, s->at, s->cap, s->cap);
		if (!s->at[id])
			s->at[id] = n;
	}
}

static uint32_t section_of(const struct native_sections *s, const char *name)
{
	uint32_t id = intern_find(&s->names, name, strlen(name));

	return id == INTERN_NONE ? 0 : s->at[id];
}

const struct native_place *native_places(const struct kernel *k, const struct native_sections *s, struct arena *a)
{
	struct native_place *at = new_array(a, struct native_place, (size_t)k->ninsn + 1);
	const struct native *n = k->native;

	for (uint32_t p = 0; p < n->npart; p++) {
		uint32_t section = section_of(s, n->part[p].section);

		for (uint32_t i = 0; i <= n->part[p].n; i++) /* what is behind is the next part's */
			at[n->part[p].first + i] =
				(struct native_place){ section, (uint32_t)n->part[p].at + i * WORD_BYTES };
	}
	return at;
}

static void put_parts(const struct encoder *e, struct buf *out)
{
	const struct native *n = e->k->native;

	for (uint32_t p = 0; p < n->npart; p++) {
		const struct native_place *x = &e->at[n->part[p].first];

		RLO_PUT(out, part, .section = x->section, .address = x->address, .first = n->part[p].first,
			.insns = n->part[p].n);
	}
}

static void put_block(const struct encoder *e, struct native_tables *out, uint32_t b)
{
	const struct kernel *k = e->k;
	const struct native_place *at = &e->at[k->block[b].first];
	struct rlo_nlive r = { .in = { 0 } };

	RLO_PUT(&out->block, nblock, .section = at->section, .address = at->address, .first = k->block[b].first,
		.insns = k->block[b].n, .depth = k->cfg->depth[b], .idom = k->dom->idom[b], .ipdom = k->pdom->idom[b]);
	live_copy(r.in, live_in(k, b), MREG_ALL);
	live_copy(r.out, live_out(k, b), MREG_ALL);
	live_find_entry_release(k, b, r.entry_release);
	rlo_io_nlive(&(struct io){ buf_room(&out->live, RLO_BYTES_nlive), true }, &r);
}

static void list_add(struct arena *a, uint16_t **list, uint32_t *n, uint32_t *cap, uint32_t r)
{
	arena_grow(a, *list, *n, *cap);
	(*list)[(*n)++] = (uint16_t)r;
}

/* Instruction i, with *set live after it; then before it. */
static struct rlo_npoint point(struct encoder *e, uint32_t i, uint64_t *set, struct live_count *count)
{
	const struct insn *x = &e->k->insn[i];
	struct rlo_npoint p = { .section = e->at[i].section, .address = e->at[i].address };
	struct live_ends ends;

	live_find_ends(e->k, x, set, &ends);
	live_step_back_counted(e->k, x, set, count);
	p.live32 = (uint16_t)count->regs;
	p.livep = (uint16_t)count->preds;
	p.liveu = (uint16_t)count->uregs;
	p.liveup = (uint16_t)count->upreds;
	p.last_reads = (uint16_t)ends.nlast;
	p.releases = (uint16_t)ends.nrelease;
	while (ends.nlast)
		list_add(e->a, &e->last, &e->nlast, &e->last_cap, ends.last[--ends.nlast]);
	while (ends.nrelease)
		list_add(e->a, &e->release, &e->nrelease, &e->release_cap, ends.release[--ends.nrelease]);
	return p;
}

static void put_points(struct encoder *e, struct native_tables *out)
{
	const struct kernel *k = e->k;
	struct rlo_npoint *p = new_array(e->a, struct rlo_npoint, (size_t)k->ninsn + 1);
	struct insn_regs regs;

	for (uint32_t b = k->nblock; b-- > 0;) {
		uint64_t set[RLO_NATIVE_WORDS] = { 0 };
		struct live_count count = live_put_counted(k, live_out(k, b), set);

		for (uint32_t i = k->block[b].first + k->block[b].n; i-- > k->block[b].first;)
			p[i] = point(e, i, set, &count);
	}
	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs);
		p[i].reads = regs.nsrc;
		p[i].writes = regs.ndst;
		for (unsigned s = 0; s < regs.nsrc; s++)
			RLO_PUT(&out->operand, operand, .reg = regs.src[s]);
		for (unsigned s = 0; s < regs.ndst; s++)
			RLO_PUT(&out->operand, operand, .reg = regs.dst[s]);
		rlo_io_npoint(&(struct io){ buf_room(&out->point, RLO_BYTES_npoint), true }, &p[i]);
	}
	while (e->nlast)
		RLO_PUT(&out->lastread, lastread, .reg = e->last[--e->nlast]);
	while (e->nrelease)
		RLO_PUT(&out->release, release, .reg = e->release[--e->nrelease]);
}

static void put_waits(const struct encoder *e, struct native_tables *out)
{
	const struct kernel *k = e->k;
	const struct release *l = k->release;

	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct native_place *at = &e->at[k->block[b].first];
		struct rlo_nwait r;

		memcpy(r.wait, k->wlive->wait[b], sizeof r.wait);
		rlo_io_nwait(&(struct io){ buf_room(&out->wait, RLO_BYTES_nwait), true }, &r);
		for (uint32_t x = l->entry_at[b]; x < l->entry_at[b + 1]; x++)
			RLO_PUT(&out->wfree, nfree, .section = at->section, .address = at->address,
				.reg = l->entry_reg[x], .entry = 1);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			for (uint32_t x = l->at[i]; x < l->at[i + 1]; x++)
				RLO_PUT(&out->wfree, nfree, .section = e->at[i].section, .address = e->at[i].address,
					.reg = l->reg[x]);
	}
}

void native_encode(const struct kernel *k, const struct native_sections *s, struct arena *a, struct native_tables *out)
{
	struct encoder e = { .k = k, .a = a, .at = native_places(k, s, a) };

	*out = (struct native_tables){
		.native = rlo_table_begin(RLO_R_native, a),
		.part = rlo_table_begin(RLO_R_part, a),
		.block = rlo_table_begin(RLO_R_nblock, a),
		.live = rlo_table_begin(RLO_R_nlive, a),
		.point = rlo_table_begin(RLO_R_npoint, a),
		.lastread = rlo_table_begin(RLO_R_lastread, a),
		.release = rlo_table_begin(RLO_R_release, a),
		.operand = rlo_table_begin(RLO_R_operand, a),
		.wait = rlo_table_begin(RLO_R_nwait, a),
		.wfree = rlo_table_begin(RLO_R_nfree, a),
	};
	RLO_PUT(&out->native, native, .insns = k->ninsn, .blocks = k->nblock, .unknown = k->native->unknown,
		.regs = k->res.regs, .max_live32 = k->live->max_live32, .max_livep = k->live->max_livep,
		.max_liveu = k->live->max_liveu, .max_liveup = k->live->max_liveup);
	put_parts(&e, &out->part);
	for (uint32_t b = 0; b < k->nblock; b++)
		put_block(&e, out, b);
	put_points(&e, out);
	put_waits(&e, out);
	rlo_table_end(&out->native, RLO_R_native);
	rlo_table_end(&out->part, RLO_R_part);
	rlo_table_end(&out->block, RLO_R_nblock);
	rlo_table_end(&out->live, RLO_R_nlive);
	rlo_table_end(&out->point, RLO_R_npoint);
	rlo_table_end(&out->lastread, RLO_R_lastread);
	rlo_table_end(&out->release, RLO_R_release);
	rlo_table_end(&out->operand, RLO_R_operand);
	rlo_table_end(&out->wait, RLO_R_nwait);
	rlo_table_end(&out->wfree, RLO_R_nfree);
}
