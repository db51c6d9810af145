/* Annotated PTX: the input text, byte for byte, with a .pragma "regloom ..." at the start of each kernel's body and
 * comments that say what is live (docs/ANNOTATED_PTX.md). An assembler makes the same machine code of it as of the
 * input: a pragma that it does not know has no effect, and comments are put where a line ends or starts, which is blank
 * space to PTX wherever it falls. */
#include "lex.h"
#include "ptx.h"

#include "passes/corf.h"
#include "passes/orf_traffic.h"
#include "passes/pass.h"

#include <stdlib.h>

/* of a block's live-in registers */
enum { NAMES_MAX = 32 };

/* on the instruction at a byte of the text */
struct note {
	uint32_t where, regs, preds;
	const struct kernel *k;
	uint32_t block; /* that starts here, else UINT32_MAX */
};

/* Operands of the machine code of the instruction at a byte of the text. */
struct levels {
	uint32_t where, reads, upper_reads, writes, upper_writes;
};

/* An acquire or release of the variant, at the instruction of the text that it stands beside. */
struct mark {
	uint32_t where, order;
	const char *what;
};

/* behind the '{' of a kernel */
struct body {
	uint32_t off;
	const struct kernel *k, *machine;
};

struct writer {
	FILE *f;
	const struct module *m;
	struct arena a;
	struct note *note;
	uint32_t nnote, note_cap;
	struct levels *levels;
	uint32_t nlevels, levels_cap;
	struct body *body;
	uint32_t nbody;
	struct mark *mark;
	uint32_t nmark, mark_cap;
};

/* Notes on the instructions of block b, last first in w->note. What is counted is occupied: live before or after the
 * instruction, or written by it. Of several IR instructions from one in the text, the most. */
static void note_block(struct writer *w, const struct kernel *k, uint32_t b, uint64_t *set)
{
	const struct block *bb = &k->block[b];
	struct live_count c = live_put_counted(k, live_out(k, b), set);
	struct note *last = NULL;

	for (uint32_t j = bb->n; j--;) {
		const struct insn *i = &k->insn[bb->first + j];
		struct reg_use use[REG_USE_MAX];
		unsigned nuse = insn_reg_uses(k, i, use);
		bool unread[REG_USE_MAX];

		/* a write whose value nobody reads occupies its register here and nowhere else, guarded or not */
		for (unsigned u = 0; u < nuse; u++) {
			unread[u] = use[u].write && !bitset_has(set, use[u].reg);
			live_add(k, set, use[u].reg, true, &c);
		}
		if (!last || last->where != i->where) {
			arena_grow(&w->a, w->note, w->nnote, w->note_cap);
			last = &w->note[w->nnote++];
			*last = (struct note){ .where = i->where, .k = k, .block = UINT32_MAX };
		}
		if (c.regs > last->regs)
			last->regs = c.regs;
		if (c.preds > last->preds)
			last->preds = c.preds;
		for (unsigned u = 0; u < nuse; u++)
			if (use[u].write && (insn_kills(i) || unread[u]))
				live_add(k, set, use[u].reg, false, &c);
		for (unsigned u = 0; u < nuse; u++)
			if (!use[u].write)
				live_add(k, set, use[u].reg, true, &c);
	}
	live_take(live_in(k, b), set);
	if (last)
		last->block = b;
}

/* How many operands of the machine code are in upper levels, instruction by instruction of the text. */
static void note_levels(struct writer *w, const struct kernel *k)
{
	const struct orf *o = k->orf[ORG_SPLIT];

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct levels *l;
		struct insn_regs regs;

		ir_insn_regs(k, &k->insn[i], &regs);
		arena_grow(&w->a, w->levels, w->nlevels, w->levels_cap);
		l = &w->levels[w->nlevels++];
		*l = (struct levels){ .where = k->insn[i].where, .reads = regs.nsrc, .writes = regs.ndst };
		for (uint32_t n = 0; n < (uint32_t)regs.nsrc + regs.ndst; n++) {
			uint8_t place = o->place[o->at[i] + n];

			if (n < regs.nsrc)
				l->upper_reads += !place_mrf(place);
			else
				l->upper_writes += place_level(place) != LEVEL_MRF;
		}
	}
}

static int by_where(const void *a, const void *b)
{
	const struct levels *x = a, *y = b;

	return (x->where > y->where) - (x->where < y->where);
}

/* One for each place of the text. */
static void join_levels(struct writer *w)
{
	uint32_t n = 0;

	if (w->nlevels)
		qsort(w->levels, w->nlevels, sizeof *w->levels, by_where);
	for (uint32_t i = 0; i < w->nlevels; i++) {
		const struct levels *x = &w->levels[i];

		if (n && w->levels[n - 1].where == x->where) {
			struct levels *to = &w->levels[n - 1];

			*to = (struct levels){ x->where, to->reads + x->reads, to->upper_reads + x->upper_reads,
					       to->writes + x->writes, to->upper_writes + x->upper_writes };
		} else {
			w->levels[n++] = *x;
		}
	}
	w->nlevels = n;
}

static void write_levels(const struct writer *w, uint32_t where)
{
	const struct levels key = { .where = where };
	const struct levels *l = w->nlevels ? bsearch(&key, w->levels, w->nlevels, sizeof *w->levels, by_where) : NULL;

	if (l && l->upper_reads + l->upper_writes)
		fprintf(w->f, " (upper levels: %u of %u read, %u of %u written)", l->upper_reads, l->reads,
			l->upper_writes, l->writes);
}

static int by_place(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	return (x->where > y->where) - (x->where < y->where);
}

/* ---- registers that warps share in turn ---- */
static int by_mark(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->where != y->where)
		return x->where < y->where ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Acquires and releases of variant c of kernel k. What stands beside code of an inlined function has no place in k's
 * own text. */
static void note_marks(struct writer *w, const struct kernel *k, const struct kernel *c)
{
	for (uint32_t i = 0; i < c->ninsn; i++) {
		const struct note key = { .where = c->insn[i].where };
		const struct note *n;

		if (!(op_info[c->insn[i].op].flags & OPF_REGMUTEX) || !w->nnote)
			continue;
		n = bsearch(&key, w->note, w->nnote, sizeof *w->note, by_place);
		if (!n || n->k != k)
			continue;
		arena_grow(&w->a, w->mark, w->nmark, w->mark_cap);
		w->mark[w->nmark] =
			(struct mark){ key.where, w->nmark, c->insn[i].op == OP_RF_ACQUIRE ? "acquire" : "release" };
		w->nmark++;
	}
}

/* The byte behind the '{' that opens k's body. */
static uint32_t body_start(const struct kernel *k, struct diag *quiet)
{
	struct lexer lx;
	struct token t;

	lex_init(&lx, k->m->src, quiet);
	lx.at = k->at.off;
	do
		lex_next(&lx, &t);
	while (t.kind != '{' && t.kind != T_END);
	return lx.at;
}

static void write_words(FILE *f, const char *key, const uint64_t *word, uint32_t n)
{
	fprintf(f, " %s=%s", key, n ? "" : "none");
	for (uint32_t w = 0; w < n; w++)
		fprintf(f, "%s0x%016llx", w ? "," : "", (unsigned long long)word[w]);
}

/* Static counts: each instruction of the machine code once. */
static void write_orf(FILE *f, const struct kernel *k)
{
	const struct orf *o = k->orf[ORG_SPLIT];
	struct orf_traffic t;

	orf_traffic_count(&t, k, o, ORF_WEIGHTS_STATIC);
	fprintf(f, " orf_entries=%u", o->entries);
	for (enum rf_level l = 0; l < RF_LEVELS; l++)
		fprintf(f, "%s%.0f", l ? "," : " split_lrf_orf_reads=", t.read[l][0] + t.read[l][1]);
	for (enum rf_level l = 0; l < RF_LEVELS; l++)
		fprintf(f, "%s%.0f", l ? "," : " split_lrf_orf_writes=", t.write[l][0] + t.write[l][1]);
}

static void write_pragma(struct writer *w, const struct body *b)
{
	const struct resources *r = &b->machine->res;
	const struct liveness *l = b->k->live;
	const struct corf_hints *c = b->machine->corf;

	fprintf(w->f,
		"\n\t.pragma \"regloom version=1 registers=%u predicates=%u shared_bytes=%u local_bytes=%u "
		"param_bytes=%u "
		"barriers=%u spill_loads=%u spill_stores=%u spill_bytes=%u max_live=%u max_live_predicates=%u",
		r->regs, r->preds, r->shared_bytes, r->local_bytes, r->param_bytes, r->barriers, r->spill_loads,
		r->spill_stores, r->spill_bytes, l->max_live32, l->max_livep);
	write_words(w->f, "corf", c->pair_word, c->npair_word);
	write_words(w->f, "corf_alignment", c->align_word, c->nalign_word);
	if (b->machine->facts & FACT_ORF)
		write_orf(w->f, b->machine);
	fputs("\";", w->f);
	if (b->machine->variant)
		fprintf(w->f, "\n\t.pragma \"regloom regmutex base=%u extended=%u\";", b->machine->variant->base_regs,
			b->machine->variant->res.regs - b->machine->variant->base_regs);
}

static void write_block(struct writer *w, const struct note *n)
{
	const struct kernel *k = n->k;
	struct live_set in = live_in(k, n->block);
	uint32_t shown = 0;

	fprintf(w->f, "\t// block %u live-in %u:", n->block, in.n);
	for (; shown < in.n && shown < NAMES_MAX; shown++) {
		uint32_t r = in.reg[shown];

		if (k->vreg[r].name)
			fprintf(w->f, " %.200s", k->vreg[r].name);
		else
			fprintf(w->f, " %%v%u", r);
	}
	fprintf(w->f, in.n > shown ? " and %u more\n" : "\n", in.n - shown);
}

/* One line of the text, [at, end), without its line end. */
static void write_line(struct writer *w, uint32_t at, uint32_t end, uint32_t *note, uint32_t *body, uint32_t *mark)
{
	const char *text = w->m->src->text;
	uint32_t first = *note, last = first, from = at;

	while (last < w->nnote && w->note[last].where < end)
		last++;
	*note = last;
	for (uint32_t i = first; i < last; i++)
		if (w->note[i].block != UINT32_MAX)
			write_block(w, &w->note[i]);
	for (;;) {
		bool opens = *body < w->nbody && w->body[*body].off <= end,
		     marks = *mark < w->nmark && w->mark[*mark].where < end;
		uint32_t to = marks ? w->mark[*mark].where : 0;

		if (opens && !(marks && to < w->body[*body].off))
			to = w->body[*body].off;

		if (!opens && !marks)
			break;
		fwrite(text + from, 1, to - from, w->f);
		from = to;
		if (opens && to == w->body[*body].off)
			write_pragma(w, &w->body[(*body)++]);
		else
			fprintf(w->f, ".pragma \"regloom regmutex %s\"; ", w->mark[(*mark)++].what);
	}
	fwrite(text + from, 1, end - from, w->f);
	for (uint32_t i = first; i < last; i++) {
		fprintf(w->f, i == first ? " // live %u" : ", %u", w->note[i].regs);
		if (w->note[i].preds)
			fprintf(w->f, "+%up", w->note[i].preds);
		write_levels(w, w->note[i].where);
	}
}

static void write_text(struct writer *w)
{
	const struct source *s = w->m->src;
	uint32_t note = 0, body = 0, mark = 0, len = (uint32_t)s->len;

	for (uint32_t at = 0; at < len;) {
		const char *nl = memchr(s->text + at, '\n', len - at);
		uint32_t next = nl ? (uint32_t)(nl - s->text) + 1 : len, end = nl ? next - 1 : len;

		if (nl && end > at && s->text[end - 1] == '\r')
			end--;
		write_line(w, at, end, &note, &body, &mark);
		fwrite(s->text + end, 1, next - end, w->f);
		at = next;
	}
}

bool ptx_write_annotated(FILE *f, const struct module *m, struct kernel *const machine[])
{
	struct writer w = { .f = f, .m = m };
	struct diag quiet;
	uint32_t keep = 0;

	arena_init(&w.a);
	diag_init(&quiet, NULL);
	w.body = new_array(&w.a, struct body, (size_t)m->nkernel + 1);
	for (uint32_t i = 0; i < m->nkernel; i++) {
		const struct kernel *k = m->kernel[i];
		uint64_t *set = bitset_new(&w.a, ir_nreg(k));

		w.body[w.nbody++] = (struct body){ body_start(k, &quiet), k, machine[i] };
		for (uint32_t b = 0; b < k->nblock; b++)
			note_block(&w, k, b, set);
		if (machine[i]->facts & FACT_ORF)
			note_levels(&w, machine[i]);
	}
	join_levels(&w);
	/* A return that stands for the closing brace has no text of its own. */
	for (uint32_t i = 0; i < w.nnote; i++)
		if (w.note[i].where < m->src->len && m->src->text[w.note[i].where] != '}')
			w.note[keep++] = w.note[i];
	w.nnote = keep;
	if (keep)
		qsort(w.note, keep, sizeof *w.note, by_place);
	for (uint32_t i = 0; i < m->nkernel; i++)
		if (machine[i]->variant)
			note_marks(&w, m->kernel[i], machine[i]->variant);
	if (w.nmark)
		qsort(w.mark, w.nmark, sizeof *w.mark, by_mark);
	write_text(&w);
	diag_free(&quiet);
	arena_free(&w.a);
	return !ferror(f);
}
