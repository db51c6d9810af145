/* The listing: nvdisasm's life-range view, for our instructions and for decoded machine code.
 *
 *     [0002]  ld.global.f32 R4, [R2];          // |  4 ::v^  |  0   |     (the index between comment marks)
 *
 * Each row counts the registers that are occupied at the instruction: live before or after it, or written by it. Notes
 * at its right say what is spilled there, where most is live, and what the thread reads no more. */
#include "view.h"

#include "analyzer/ir/runtime.h"
#include "passes/orf_why.h"
#include "passes/owf.h"
#include "passes/regmutex.h"
#include "passes/strand.h"
#include "passes/uniform.h"

#include <string.h>

/* columns for the instruction; a longer one gets a line to itself */
enum { TEXT_MIN = 40, TEXT_MAX = 80, NATIVE_MAX = 120 };
enum { COUNT_DIGITS = 3, COUNT_WIDTH = COUNT_DIGITS + 1 };

/* width: the count included */
struct columns {
	const char *title;
	enum reg_file file;
	uint32_t first, n;
	int width;
};

struct page {
	FILE *f;
	struct view *v;
	struct arena a; /* text of one line */
	int width;      /* of the text column */
	uint32_t block; /* whose instructions are shown */
	struct columns column[FILE_COUNT];
	unsigned ncolumn;
	char mark[MREG_ALL];           /* of the instruction at hand */
	struct view_barriers barriers; /* where there are control codes */
	bool models;                   /* what register files of papers would do is shown */
	enum orf_organisation org;
	const uint8_t *why;  /* orf_why(), where FACT_ORF is valid */
	const uint8_t *held; /* of a variant: regmutex_held(); of machine code what would be held */
};

static void rule(const struct page *p)
{
	fprintf(p->f, "%*s // ", p->width, "");
	for (unsigned c = 0; c < p->ncolumn; c++) {
		fputc('+', p->f);
		for (int i = 0; i < p->column[c].width + 2; i++)
			fputc('-', p->f);
	}
	fputs("+\n", p->f);
}

/* A line of text with empty register columns and a note; a text too long for its column goes without columns, before
 * the note. */
static void text_line(const struct page *p, const char *text, const char *note)
{
	if ((int)strlen(text) > p->width) {
		fprintf(p->f, "%s\n", text);
		text = "";
		if (!*note)
			return;
	}
	fprintf(p->f, "%-*s // ", p->width, text);
	for (unsigned c = 0; c < p->ncolumn; c++)
		fprintf(p->f, "| %*s ", p->column[c].width, "");
	fprintf(p->f, "|%s%s\n", *note ? " " : "", note);
}

static const char *add_note(struct page *p, const char *notes, const char *note)
{
	if (!*notes)
		return note;
	return *note ? arena_printf(&p->a, "%s, %s", notes, note) : notes;
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

static void digits(const struct page *p, const struct columns *c, uint32_t scale)
{
	fputs(scale == 1 ? "  # " : "    ", p->f);
	for (uint32_t r = 0; r < c->n; r++)
		fputc(scale == 1 || c->n > scale ? '0' + (char)(r / scale % 10) : ' ', p->f);
	fprintf(p->f, "%*s", c->width - COUNT_WIDTH - (int)c->n, "");
}

static void head(const struct page *p)
{
	uint32_t most = 1, scale = 1;

	for (unsigned c = 0; c < p->ncolumn; c++)
		most = p->column[c].n > most ? p->column[c].n : most;
	while (scale * 10 < most)
		scale *= 10;
	rule(p);
	fprintf(p->f, "%*s // ", p->width, "");
	for (unsigned c = 0; c < p->ncolumn; c++)
		fprintf(p->f, "| %-*s ", p->column[c].width, p->column[c].title);
	fputs("|\n", p->f);
	for (; scale; scale /= 10) {
		fprintf(p->f, "%*s // ", p->width, "");
		for (unsigned c = 0; c < p->ncolumn; c++) {
			fputs("| ", p->f);
			digits(p, &p->column[c], scale);
			fputc(' ', p->f);
		}
		fputs("|\n", p->f);
	}
	rule(p);
}

/* p->mark: what instruction i does to each register. */
static void find_marks(struct page *p, uint32_t i)
{
	const struct view *v = p->v;
	const uint64_t *before = v->before + (size_t)i * v->words, *after = v->after + (size_t)i * v->words;
	uint32_t nreg = ir_nreg(v->k);
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(v->k, &v->k->insn[i], use);

	memset(p->mark, ' ', sizeof p->mark);
	if (v->k->facts & FACT_DLIVE)
		for (uint32_t r = bitset_next(v->k->dlive->alive[p->block], 0, nreg); r < nreg;
		     r = bitset_next(v->k->dlive->alive[p->block], r + 1, nreg))
			p->mark[r] = '.';
	for (uint32_t w = 0; w < v->words; w++)
		for (uint64_t live = before[w] | after[w]; live; live &= live - 1)
			p->mark[64 * w + (uint32_t)__builtin_ctzll(live)] = ':';
	for (unsigned u = 0; u < n; u++) {
		char *mark = &p->mark[use[u].reg];

		if (use[u].write)
			*mark = *mark == 'v' || *mark == 'x' ? 'x' : '^';
		else
			*mark = *mark == '^' || *mark == 'x' ? 'x' : 'v';
	}
}

static void put_marks(const struct page *p, const struct columns *c, uint32_t i)
{
	uint32_t count = view_counted(p->v->occupied[i], c->file);

	for (uint32_t r = c->first; c->file == FILE_CBAR && r < c->first + c->n; r++)
		count += p->mark[r] != ' ' && p->mark[r] != '.';
	fprintf(p->f, "| %*u %.*s%*s ", COUNT_DIGITS, count, (int)c->n, p->mark + c->first,
		c->width - COUNT_WIDTH - (int)c->n, "");
}

/* An instruction without its columns: control fields, and its index, or, of machine code, address and guard as nvdisasm
 * writes them. */
static char *insn_text(struct page *p, uint32_t i)
{
	const struct kernel *k = p->v->k;
	const char *text = view_insn(&p->a, k, i), *code;

	if (!k->native)
		return arena_printf(&p->a, "%s  %c /*%04u*/  %s;", view_has_control(k) ? view_control(&p->a, k, i) : "",
				    p->held && p->held[i] ? '|' : ' ', i, text);
	code = *text == '@' && strchr(text, ' ') ? strchr(text, ' ') + 1 : text;
	return arena_printf(&p->a, "%s %c/*%04llx*/  %6.*s%s ;", view_control(&p->a, k, i),
			    p->held && p->held[i] ? '|' : ' ', (unsigned long long)view_address(k, i),
			    (int)(code - text), text, code);
}

static void insn_line(struct page *p, uint32_t i)
{
	struct view *v = p->v;
	const struct kernel *k = v->k;
	char *text = insn_text(p, i);
	const char *notes = "";
	struct live_ends e;

	if ((int)strlen(text) > p->width) {
		fprintf(p->f, "%s\n", text);
		text = arena_printf(&p->a, "%s", "");
	}
	find_marks(p, i);
	fprintf(p->f, "%-*s // ", p->width, text);
	for (unsigned c = 0; c < p->ncolumn; c++)
		put_marks(p, &p->column[c], i);
	fputc('|', p->f);
	if (k->native && (k->insn[i].op == OP_SASS_UNKNOWN || k->insn[i].op == OP_SASS_CALLX)) {
		notes = arena_printf(&p->a, "%s: taken to %swrite every register that others name",
				     *view_native_note(k, i) ? view_native_note(k, i) : "not known",
				     insn_calls_runtime(&k->insn[i]) ? "" : "read and ");
		fprintf(p->f, " %s\n", add_note(p, notes, view_waits(&p->a, k, i, &p->barriers)));
		return;
	}
	if (p->models && k->facts & FACT_ORF)
		notes = view_places(&p->a, k, i, p->org, p->why);
	if (p->models && k->facts & FACT_STRAND && k->strand->begin[i])
		notes = *notes ? add_note(p, view_strand(&p->a, k, i), notes) : view_strand(&p->a, k, i);
	if (*view_move(&p->a, k, i))
		notes = add_note(p, notes, view_move(&p->a, k, i));
	if (v->spill_of[i]) {
		const struct spill *s = &k->spill[v->spill_of[i] - 1];

		notes = add_note(p, notes,
				 arena_printf(&p->a, "spill %s %s", s->store ? "store" : "load",
					      s->name ? view_clean(&p->a, s->name, strlen(s->name)) : ""));
	}
	if (i == v->most_at && v->most.regs)
		notes = add_note(p, notes, arena_printf(&p->a, "most live: %u", v->most.regs));
	live_find_ends(k, &k->insn[i], v->after + (size_t)i * v->words, &e);
	if (e.nrelease)
		notes = add_note(p, notes, list(p, "frees", e.release, e.nrelease));
	if (p->models && k->facts & FACT_RELEASE && k->release->at[i + 1] > k->release->at[i])
		notes = add_note(p, notes, gives(p, k->release->reg, k->release->at[i], k->release->at[i + 1]));
	if (k->facts & FACT_UNIFORM && *uniform_text(k, i, &p->a))
		notes = add_note(p, notes, arena_printf(&p->a, "lanes: %s", uniform_text(k, i, &p->a)));
	if (view_has_control(k))
		notes = add_note(p, notes, view_waits(&p->a, k, i, &p->barriers));
	if (k->native) {
		if (p->models)
			notes = add_note(p, notes, view_points(&p->a, k, i));
		notes = add_note(p, notes, view_native_note(k, i));
	}
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

	if (p->models && k->facts & FACT_WLIVE)
		notes = members(p, notes, "waiting lanes read", k->wlive->wait[b]);
	live_find_entry_release(k, b, set);
	notes = members(p, notes, "frees", set);
	if (p->models && k->facts & FACT_RELEASE && k->release->entry_at[b + 1] > k->release->entry_at[b])
		notes = add_note(p, notes,
				 gives(p, k->release->entry_reg, k->release->entry_at[b], k->release->entry_at[b + 1]));
	if (k->facts & FACT_LOOP && k->cfg->depth[b])
		note = arena_printf(&p->a, "  // loop depth %u", k->cfg->depth[b]);
	if (k->facts & FACT_FREQ && k->cfg->loop[b] == b)
		note = arena_printf(&p->a, "%s, %s", note, freq_text(&k->freq->loop[k->freq->loop_of[b]], &p->a));
	if (k->native && b && ir_proc_of(k, b) != ir_proc_of(k, b - 1))
		note = arena_printf(&p->a, "  // a function that is called%s%s", *note ? ", " : "",
				    *note ? note + strlen("  // ") : "");
	if (!k->native || k->block[b].label)
		text_line(p, arena_printf(&p->a, "%s:%s", view_block(&p->a, k, b), note), notes);
	else if (*note || *notes) /* no branch names it */
		text_line(p, note, notes);
}

/* Machine code: the section that begins with block b. */
static void section_line(struct page *p, uint32_t b)
{
	const struct kernel *k = p->v->k;
	const struct native_part *part = k->block[b].n ? view_part(k, k->block[b].first) : NULL;
	if (part && part->first == k->block[b].first &&
	    (part == k->native->part || strcmp(part->section, part[-1].section) != 0))
		text_line(p,
			  arena_printf(&p->a, "//--------------------- %s (%s) ---------------------",
				       view_clean(&p->a, part->section, strlen(part->section)), k->m->target),
			  "");
}

/* The source line of instruction i, if it is not the one shown last. */
static void source_line(struct page *p, uint32_t i, struct view_place *shown)
{
	struct view_place at;
	const char *text;
	char *place;

	if (!view_find_place(p->v, i, &at) ||
	    (at.source == shown->source && at.line == shown->line && at.inlined == shown->inlined))
		return;
	*shown = at;
	place = view_place(&p->a, p->v, i);
	if (at.inlined)
		place = arena_printf(&p->a, "%s (%s)", place, view_clean(&p->a, at.inlined, strlen(at.inlined)));
	text = view_source_text(p->v, &at);
	text_line(p,
		  text ? arena_printf(&p->a, "    //## %s: %s", place, text)
		       : arena_printf(&p->a, "    //## %s", place),
		  "");
}

/* The instructions that hardware which packs registers gets before the first one. */
static void metadata(struct page *p)
{
	const struct corf_hints *h = p->v->k->corf;
	const bool order = p->v->k->facts & FACT_OWF && p->v->k->owf->n;

	for (uint32_t w = 0; w < h->npair_word; w++)
		fprintf(p->f, "    /*corf*/    0x%016llx;  // pairs %s\n", (unsigned long long)h->pair_word[w],
			view_pair_word(&p->a, h->pair_word[w]));
	for (uint32_t w = 0; w < h->nalign_word; w++)
		fprintf(p->f, "    /*corf++*/  0x%016llx;  // %s\n", (unsigned long long)h->align_word[w],
			view_align_word(&p->a, h, w));
	if (order)
		fprintf(p->f, "    /*owf*/     // %s: warps of two CTAs share from the last on\n",
			view_order(&p->a, p->v->k));
	if (h->npair_word + h->nalign_word || order)
		fputc('\n', p->f);
	arena_reset(&p->a);
}

static void legend(struct page *p)
{
	static const struct {
		const char *text;
		bool models;
	} marks[] = {
		{ "^ written  v read  x read and written  : live  # registers occupied", false },
		{ ". alive for other lanes of the warp only: another side of a branch needs it, or the block where the "
		  "sides meet",
		  false },
		{ "frees: the thread needs their values no more (at a label: on entry); other lanes of its warp may",
		  false },
		{ "warp frees: no lane of the warp needs them; waiting lanes read: while the block executes, others of "
		  "the warp may",
		  true },
		{ "strand N: begins before it, and why; waits: the warp, for all its long-latency results", true },
		{ "lanes: R1 warp, cta, grid: it writes the same to R1 in all lanes that execute it together, or all "
		  "threads of that; affine N: by N more in each next lane",
		  false },
	};
	const struct kernel *k = p->v->k;

	rule(p);
	for (unsigned line = 0; line < sizeof marks / sizeof *marks; line++)
		if (p->models || !marks[line].models)
			fprintf(p->f, "%*s // %s\n", p->width, "", marks[line].text);
	for (unsigned line = 0; view_has_control(k) && line < VIEW_CONTROL_LINES; line++)
		fprintf(p->f, "%*s // %s\n", p->width, "", view_control_legend[line]);
	if (p->held)
		fprintf(p->f, "%*s // | before an instruction: the warp may hold the registers that it shares\n",
			p->width, "");
	if (p->models && k->facts & FACT_ORF)
		for (unsigned line = 0; line < VIEW_PLACES_LINES; line++)
			fprintf(p->f, "%*s // %s%s\n", p->width, "",
				line ? "  " : arena_printf(&p->a, "%s: ", orf_organisation_name[p->org]),
				view_places_legend[line]);
}

static void code(struct page *p)
{
	const struct kernel *k = p->v->k;

	head(p);
	for (uint32_t b = 0; b < k->nblock; b++) {
		/* a block may be entered from anywhere: say it again */
		struct view_place shown = { .source = UINT32_MAX };

		p->block = b;
		if (k->native)
			section_line(p, b);
		if (view_has_control(k))
			view_barriers_enter(&p->barriers, k, b);
		block_line(p, b);
		arena_reset(&p->a);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			source_line(p, i, &shown);
			insn_line(p, i);
			arena_reset(&p->a);
		}
	}
	legend(p);
}

static void column(struct page *p, const char *title, enum reg_file file, bool always)
{
	uint32_t n = p->v->named[file];

	if (n || always)
		p->column[p->ncolumn++] =
			(struct columns){ title, file, mreg_first(file), n, COUNT_WIDTH + (int)(n > 4 ? n : 4) };
}

void emit_listing(FILE *f, const struct module *m, const struct kernel *k, enum orf_organisation org, bool models)
{
	struct page p = { .f = f, .width = TEXT_MIN, .org = org, .models = models };
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
	} else if (models && k->native && k->regmutex && k->regmutex->npoint) {
		p.held = k->regmutex->hold;
	}
	if (view_has_control(k))
		view_barriers_init(&p.barriers, k, &v.a);
	column(&p, "GPR", FILE_GPR, true);
	column(&p, "PRED", FILE_PRED, true);
	column(&p, "UGPR", FILE_UGPR, false);
	column(&p, "UPRED", FILE_UPRED, false);
	column(&p, "BSSY", FILE_CBAR, false);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		int n = (int)strlen(insn_text(&p, i));

		if (n > p.width && n <= (view_has_control(k) ? NATIVE_MAX : TEXT_MAX))
			p.width = n;
		arena_reset(&p.a);
	}
	emit_summary(f, m, k, models);
	fputc('\n', f);
	if (models && k->facts & FACT_CORF)
		metadata(&p);
	code(&p);
	arena_free(&p.a);
	view_free(&v);
	if (k->variant) {
		fputc('\n', f);
		emit_listing(f, m, k->variant, org, models);
	}
}
