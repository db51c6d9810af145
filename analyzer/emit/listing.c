/* The listing: nvdisasm's life-range view for our instructions.
 *
 *     [0002]  ld.global.f32 R4, [R2];          // |  4 ::v^  |  0   |     (the index between comment marks)
 *
 * Each row counts the registers that are occupied at the instruction: live before or after it, or written by it. Notes at
 * its right say what is spilled there, where most is live, and what the thread reads no more. */
#include "view.h"

#include "passes/orf_why.h"
#include "passes/owf.h"
#include "passes/regmutex.h"
#include "passes/strand.h"
#include "passes/uniform.h"

#include <string.h>

enum { TEXT_MIN = 40, TEXT_MAX = 80 };  /* columns for the instruction; a longer one gets a line to itself */

struct page {
	FILE *f;
	struct view *v;
	struct arena a;                 /* text of one line */
	int width;                      /* of the text column */
	uint32_t block;                 /* whose instructions are shown */
	int gpr, pred;                  /* of the register columns, the count included */
	enum orf_organisation org;
	const uint8_t *why;             /* orf_why(), where FACT_ORF is valid */
	const uint8_t *held;            /* of a variant: regmutex_held() */
};

static void rule(const struct page *p)
{
	fprintf(p->f, "%*s // +", p->width, "");
	for (int i = 0; i < p->gpr + 2; i++)
		fputc('-', p->f);
	fputc('+', p->f);
	for (int i = 0; i < p->pred + 2; i++)
		fputc('-', p->f);
	fputs("+\n", p->f);
}

/* A line of text with empty register columns and a note; a text too long for its column goes without columns, before the
 * note. */
static void text_line(const struct page *p, const char *text, const char *note)
{
	if ((int)strlen(text) > p->width) {
		fprintf(p->f, "%s\n", text);
		text = "";
		if (!*note)
			return;
	}
	fprintf(p->f, "%-*s // | %*s | %*s |%s%s\n", p->width, text, p->gpr, "", p->pred, "", *note ? " " : "", note);
}

static const char *add_note(struct page *p, const char *notes, const char *note)
{
	return *notes ? arena_printf(&p->a, "%s, %s", notes, note) : note;
}

/* "frees R2 R4-R6": runs of three and more are drawn together. */
static const char *list(struct page *p, const char *what, const uint32_t *reg, uint32_t n)
{
	const struct kernel *k = p->v->k;
	char *t = arena_printf(&p->a, "%s", what);

	for (uint32_t i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && reg[i + run] == reg[i] + run;)
			run++;
		t = arena_printf(&p->a, "%s %s", t, view_register(&p->a, k, reg[i]));
		if (run < 3)
			run = 1;
		else
			t = arena_printf(&p->a, "%s-%s", t, view_register(&p->a, k, reg[i + run - 1]));
	}
	return t;
}

static const char *gives(struct page *p, const uint16_t *reg, uint32_t from, uint32_t to)
{
	uint32_t wide[MREG_ALL], n = 0;

	while (from < to)
		wide[n++] = reg[from++];
	return list(p, "warp frees", wide, n);
}

static void digits(const struct page *p, uint32_t n, uint32_t scale, const char *lead)
{
	fprintf(p->f, "%s", lead);
	for (uint32_t r = 0; r < n; r++)
		if (scale == 1 || n > scale)
			fputc('0' + (char)(r / scale % 10), p->f);
		else
			fputc(' ', p->f);
}

/* Register numbers, read downwards. */
static void head(const struct page *p)
{
	const struct view *v = p->v;
	uint32_t scale = 1;

	while (scale * 10 < v->ngpr)
		scale *= 10;
	rule(p);
	fprintf(p->f, "%*s // | %-*s | %-*s |\n", p->width, "", p->gpr, "GPR", p->pred, "PRED");
	for (; scale; scale /= 10) {
		fprintf(p->f, "%*s // | ", p->width, "");
		digits(p, v->ngpr, scale, scale == 1 ? "  # " : "    ");
		fprintf(p->f, "%*s | ", p->gpr - 4 - (int)v->ngpr, "");
		digits(p, v->npred, scale, scale == 1 ? "  # " : "    ");
		fprintf(p->f, "%*s |\n", p->pred - 4 - (int)v->npred, "");
	}
	rule(p);
}

static void columns(const struct page *p, uint32_t i, uint32_t first, uint32_t n, uint32_t count, int width)
{
	const struct view *v = p->v;
	const uint64_t *before = v->before + (size_t)i * v->words, *after = v->after + (size_t)i * v->words;
	struct reg_use use[REG_USE_MAX];
	unsigned m = insn_reg_uses(v->k, &v->k->insn[i], use);

	fprintf(p->f, "%3u ", count);
	for (uint32_t r = first; r < first + n; r++) {
		bool read = false, write = false;

		for (unsigned u = 0; u < m; u++) {
			read |= use[u].reg == r && !use[u].write;
			write |= use[u].reg == r && use[u].write;
		}
		fputc(read && write ? 'x' : read ? 'v' : write ? '^' : bitset_has(before, r) || bitset_has(after, r) ? ':' :
		      v->k->facts & FACT_DLIVE && bitset_has(v->k->dlive->alive[p->block], r) ? '.' : ' ', p->f);
	}
	fprintf(p->f, "%*s", width - 4 - (int)n, "");
}

static void insn_line(struct page *p, uint32_t i)
{
	struct view *v = p->v;
	const struct kernel *k = v->k;
	char *text = arena_printf(&p->a, "  %c /*%04u*/  %s;", p->held && p->held[i] ? '|' : ' ', i, view_insn(&p->a, k, i));
	const char *notes = "";
	struct live_ends e;

	if ((int)strlen(text) > p->width) {
		fprintf(p->f, "%s\n", text);
		text = arena_printf(&p->a, "%s", "");
	}
	fprintf(p->f, "%-*s // | ", p->width, text);
	columns(p, i, 0, v->ngpr, v->occupied[i].regs, p->gpr);
	fputs(" | ", p->f);
	columns(p, i, MREG_P0, v->npred, v->occupied[i].preds, p->pred);
	fputs(" |", p->f);
	if (k->facts & FACT_ORF)
		notes = view_places(&p->a, k, i, p->org, p->why);
	if (k->facts & FACT_STRAND && k->strand->begin[i])
		notes = *notes ? add_note(p, view_strand(&p->a, k, i), notes) : view_strand(&p->a, k, i);
	if (*view_move(&p->a, k, i))
		notes = add_note(p, notes, view_move(&p->a, k, i));
	if (v->spill_of[i]) {
		const struct spill *s = &k->spill[v->spill_of[i] - 1];

		notes = add_note(p, notes, arena_printf(&p->a, "spill %s %s", s->store ? "store" : "load",
		                                        s->name ? view_clean(&p->a, s->name, strlen(s->name)) : ""));
	}
	if (i == v->most_at && v->most.regs)
		notes = add_note(p, notes, arena_printf(&p->a, "most live: %u", v->most.regs));
	live_find_ends(k, &k->insn[i], v->after + (size_t)i * v->words, &e);
	if (e.nrelease)
		notes = add_note(p, notes, list(p, "frees", e.release, e.nrelease));
	if (k->facts & FACT_RELEASE && k->release->at[i + 1] > k->release->at[i])
		notes = add_note(p, notes, gives(p, k->release->reg, k->release->at[i], k->release->at[i + 1]));
	if (k->facts & FACT_UNIFORM && *uniform_text(k, i, &p->a))
		notes = add_note(p, notes, arena_printf(&p->a, "lanes: %s", uniform_text(k, i, &p->a)));
	fprintf(p->f, "%s%s\n", *notes ? " " : "", notes);
}

static const char *members(struct page *p, const char *notes, const char *what, const uint64_t *set)
{
	uint32_t reg[MREG_ALL], n = 0;

	for (uint32_t r = bitset_next(set, 0, MREG_ALL); r < MREG_ALL; r = bitset_next(set, r + 1, MREG_ALL))
		reg[n++] = r;
	return n ? add_note(p, notes, list(p, what, reg, n)) : notes;
}

static void block_line(struct page *p, uint32_t b)
{
	const struct kernel *k = p->v->k;
	const char *note = k->cfg->rpo_index[b] == UINT32_MAX ? "  // unreachable" : "";
	uint64_t *set = bitset_new(&p->a, MREG_ALL);
	const char *notes = "";

	if (k->facts & FACT_WLIVE)
		notes = members(p, notes, "waiting lanes read", k->wlive->wait[b]);
	live_find_entry_release(k, b, set);
	notes = members(p, notes, "frees", set);
	if (k->facts & FACT_RELEASE && k->release->entry_at[b + 1] > k->release->entry_at[b])
		notes = add_note(p, notes, gives(p, k->release->entry_reg, k->release->entry_at[b], k->release->entry_at[b + 1]));
	if (k->facts & FACT_LOOP && k->cfg->depth[b])
		note = arena_printf(&p->a, "  // loop depth %u", k->cfg->depth[b]);
	if (k->facts & FACT_FREQ && k->cfg->loop[b] == b)
		note = arena_printf(&p->a, "%s, %s", note, freq_text(&k->freq->loop[k->freq->loop_of[b]], &p->a));
	text_line(p, arena_printf(&p->a, "%s:%s", view_block(&p->a, k, b), note), notes);
}

/* The source line of instruction i, if it is not the one shown last. */
static void source_line(struct page *p, uint32_t i, struct view_place *shown)
{
	struct view_place at;
	const char *text;
	char *place;

	if (!view_find_place(p->v, i, &at) || (at.source == shown->source && at.line == shown->line))
		return;
	*shown = at;
	place = view_place(&p->a, p->v, i);
	text = view_source_text(p->v, &at);
	text_line(p, text ? arena_printf(&p->a, "    //## %s: %s", place, text) : arena_printf(&p->a, "    //## %s", place), "");
}

/* The instructions that hardware which packs registers gets before the first one. */
static void metadata(struct page *p)
{
	const struct corf_hints *h = p->v->k->corf;
	const bool order = p->v->k->facts & FACT_OWF && p->v->k->owf->n;

	for (uint32_t w = 0; w < h->npair_word; w++)
		fprintf(p->f, "    /*corf*/    0x%016llx;  // pairs %s\n", (unsigned long long)h->pair_word[w], view_pair_word(&p->a, h->pair_word[w]));
	for (uint32_t w = 0; w < h->nalign_word; w++)
		fprintf(p->f, "    /*corf++*/  0x%016llx;  // %s\n", (unsigned long long)h->align_word[w], view_align_word(&p->a, h, w));
	if (order)
		fprintf(p->f, "    /*owf*/     // %s: warps of two CTAs share from the last on\n", view_order(&p->a, p->v->k));
	if (h->npair_word + h->nalign_word || order)
		fputc('\n', p->f);
	arena_reset(&p->a);
}

static void code(struct page *p)
{
	const struct kernel *k = p->v->k;

	head(p);
	for (uint32_t b = 0; b < k->nblock; b++) {
		struct view_place shown = { .source = UINT32_MAX };     /* a block may be entered from anywhere: say it again */

		p->block = b;
		block_line(p, b);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			source_line(p, i, &shown);
			insn_line(p, i);
			arena_reset(&p->a);
		}
	}
	rule(p);
	fprintf(p->f, "%*s // ^ written  v read  x read and written  : live  # registers occupied\n"
	        "%*s // . alive for other lanes of the warp only: another side of a branch needs it, or the block where the sides meet\n"
	        "%*s // frees: the thread needs their values no more (at a label: on entry); other lanes of its warp may\n"
	        "%*s // warp frees: no lane of the warp needs them; waiting lanes read: while the block executes, others of the warp may\n"
	        "%*s // strand N: begins before it, and why; waits: the warp, for all its long-latency results\n"
	        "%*s // lanes: R1 warp, cta, grid: it writes the same to R1 in all lanes that execute it together, or all threads of that; affine N: by N more in each next lane\n",
	        p->width, "", p->width, "", p->width, "", p->width, "", p->width, "", p->width, "");
	if (p->held)
		fprintf(p->f, "%*s // | before an instruction: the warp may hold the registers that it shares\n", p->width, "");
	if (k->facts & FACT_ORF)
		for (unsigned line = 0; line < VIEW_PLACES_LINES; line++)
			fprintf(p->f, "%*s // %s%s\n", p->width, "", line ? "  " : arena_printf(&p->a, "%s: ", orf_organisation_name[p->org]),
			        view_places_legend[line]);
}

void emit_listing(FILE *f, const struct module *m, const struct kernel *k, enum orf_organisation org)
{
	struct page p = { .f = f, .width = TEXT_MIN, .org = org };
	struct view v;

	if (k->form != FORM_MACHINE) {
		ir_print_kernel(f, k);
		return;
	}
	view_init(&v, m, k);
	arena_init(&p.a);
	p.v = &v;
	if (k->facts & FACT_ORF)
		p.why = orf_why(k, org, &v.a);
	if (k->plain) {
		uint8_t *held = new_array(&v.a, uint8_t, (size_t)k->ninsn + 1);

		regmutex_held(k, &v.a, held);
		p.held = held;
	}
	p.gpr = 4 + (int)(v.ngpr > 4 ? v.ngpr : 4);
	p.pred = 4 + (int)(v.npred > 4 ? v.npred : 4);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		int n = (int)strlen(view_insn(&p.a, k, i)) + 15;

		p.width = n > p.width && n <= TEXT_MAX ? n : p.width;
		arena_reset(&p.a);
	}
	emit_summary(f, m, k);
	fputc('\n', f);
	if (k->facts & FACT_CORF)
		metadata(&p);
	code(&p);
	arena_free(&p.a);
	view_free(&v);
	if (k->variant) {
		fputc('\n', f);
		emit_listing(f, m, k->variant, org);
	}
}
