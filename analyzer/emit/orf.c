/* Places of operands in the levels that the compiler controls, for people: marks beside an instruction, and a picture
 * of who is in which entry when, for Graphviz.
 *
 * The picture has a table for each strand: a row for each instruction, a column for each entry that the strand uses,
 * and a box from below the instruction that puts a value there to the one that reads it last, in the order of the code.
 * Edges are the ways that a thread may go from strand to strand. */
#include "view.h"

#include "passes/orf.h"
#include "passes/orf_why.h"
#include "passes/strand.h"

#include <string.h>

/* An entry: "ORF1", "LRF", "LRF2", "MRF". */
static const char *entry_name(struct arena *a, uint8_t place, enum orf_organisation org)
{
	switch (place_level(place)) {
	case LEVEL_L1:
		return arena_printf(a, "ORF%u", place_entry(place));
	case LEVEL_L0:
		return org == ORG_LRF ? "LRF" : arena_printf(a, "LRF%u", place_entry(place));
	case LEVEL_MRF:
	case RF_LEVELS:
		break;
	}
	return "MRF";
}

const char *view_place_of(struct arena *a, uint8_t place, bool write, enum orf_organisation org)
{
	const char *entry = entry_name(a, place, org);

	if (place_level(place) == LEVEL_MRF || !place_mrf(place))
		return entry;
	return write ? arena_printf(a, "%s+MRF", entry) : arena_printf(a, "MRF=>%s", entry);
}

const char *view_places(struct arena *a, const struct kernel *k, uint32_t i, enum orf_organisation org,
			const uint8_t *why)
{
	const struct orf *o = k->orf[org];
	const uint8_t *place = o->place + o->at[i];
	struct insn_regs regs;
	const char *text = "";

	ir_insn_regs(k, &k->insn[i], &regs);
	for (unsigned n = 0; n < (unsigned)regs.nsrc + regs.ndst; n++) {
		bool read = n < regs.nsrc;
		unsigned r = read ? regs.src[n] : regs.dst[n - regs.nsrc];
		const char *arrow = "->";

		if (place_level(place[n]) == LEVEL_MRF) {
			bool more = !read && n + 1 < (unsigned)regs.nsrc + regs.ndst &&
				    why[o->at[i] + n + 1] == why[o->at[i] + n];

			if (!read) /* "R2 R3: no entry" */
				text = arena_printf(a, "%s%sR%u%s%s", text, *text ? " " : "", r, more ? "" : ": ",
						    more ? "" : orf_why_name[why[o->at[i] + n]]);
			continue;
		}
		if (read)
			arrow = place_mrf(place[n]) ? "=>" : "<-";
		text = arena_printf(a, "%s%sR%u%s%s%s", text, *text ? " " : "", r, arrow, entry_name(a, place[n], org),
				    !read && place_mrf(place[n]) ? "+MRF" : "");
	}
	return text;
}

const char *const view_places_legend[VIEW_PLACES_LINES] = {
	"R1<-ORF0 read from entry 0 of the ORF; R1=>ORF0 read from the main register file (MRF), and kept in entry 0",
	"R1->ORF0 written to entry 0 alone; R1->ORF0+MRF to both; other operands are in the MRF alone",
	"LRF: one entry above the ORF, LRF0 to LRF2: one for each operand slot; in sm-model's metrics LRF is L0, ORF "
	"is L1",
	"R1: why a result is in the MRF alone: of long latency; read behind a call or in another strand only (or where "
	"not all ways bring it)",
	"no entry: others save more; saves nothing: its reads there save no more than writing it costs; one level: "
	"--orf-writes",
};

/* ---- the picture ---- */
enum { COLUMNS_MAX = 3 + 8, COLOURS = 8 };

/* rows */
struct stay {
	uint32_t from, to;
	uint8_t reg;
	bool fill, mrf;
};
struct column {
	struct stay *stay;
	uint32_t n, cap;
};
struct picture {
	FILE *f;
	const struct kernel *k;
	enum orf_organisation org;
	struct arena a;
	uint32_t *row, nrow; /* instructions of the strand */
	struct column column[COLUMNS_MAX];
};

static uint8_t entry_of_column(const struct picture *p, unsigned c)
{
	unsigned l0 = orf_l0_entries(p->org);

	return c < l0 ? place_of(LEVEL_L0, c, false) : place_of(LEVEL_L1, c - l0, false);
}

static unsigned column_of(const struct picture *p, uint8_t place)
{
	unsigned l0 = orf_l0_entries(p->org);

	return place_entry(place) + (place_level(place) == LEVEL_L0 ? 0 : l0);
}

/* Who is in the entries of the strand, in the order of the code: from below the row that puts it there to the one that
 * reads it last, which may put the next one there, so that no two of an entry share a row. What nobody reads gets one
 * row. */
static void find_stays(struct picture *p)
{
	const struct orf *o = p->k->orf[p->org];

	for (uint32_t row = 0; row < p->nrow; row++) {
		uint32_t i = p->row[row];
		struct insn_regs regs;

		ir_insn_regs(p->k, &p->k->insn[i], &regs);
		for (unsigned n = 0; n < (unsigned)regs.nsrc + regs.ndst; n++) {
			uint8_t place = o->place[o->at[i] + n];
			bool write = n >= regs.nsrc, mrf = place_mrf(place);
			struct column *c = &p->column[column_of(p, place)];
			struct stay *last = c->n ? &c->stay[c->n - 1] : NULL;

			if (place_level(place) == LEVEL_MRF)
				continue;
			if (!write && !mrf && last) {
				last->to = row > last->from ? row : last->from;
				continue;
			}
			arena_grow(&p->a, c->stay, c->n, c->cap);
			c->stay[c->n++] = (struct stay){ row + 1, row + 1,
							 write ? regs.dst[n - regs.nsrc] : regs.src[n], !write, mrf };
		}
	}
}

static void put_html(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '<' || *s == '>' || *s == '&' || *s == '"')
			fprintf(f, "&#%d;", *s);
		else
			fputc(*s, f);
}

static void put_stay(const struct picture *p, const struct stay *s)
{
	static const char *const colour[COLOURS] = {
		"lightblue", "navajowhite", "palegreen", "thistle", "khaki", "lightpink", "paleturquoise", "wheat",
	};

	const char *mrf = s->mrf ? " +MRF" : "";

	fprintf(p->f, "<td rowspan=\"%u\" bgcolor=\"%s\">R%u%s</td>", s->to - s->from + 1, colour[s->reg % COLOURS],
		s->reg, s->fill ? " =&#62;" : mrf);
}

static void put_row(struct picture *p, uint32_t row, uint32_t next[COLUMNS_MAX])
{
	if (row < p->nrow) {
		fprintf(p->f, "<tr><td align=\"right\">%u</td><td align=\"left\">", p->row[row]);
		put_html(p->f, view_insn(&p->a, p->k, p->row[row]));
		fputs("</td>", p->f);
	} else {
		fputs("<tr><td></td><td align=\"left\"><i>end</i></td>", p->f);
	}
	for (unsigned c = 0; c < COLUMNS_MAX; c++) {
		const struct column *x = &p->column[c];

		if (!x->n)
			continue;
		while (next[c] < x->n && x->stay[next[c]].to < row)
			next[c]++;
		if (next[c] == x->n || x->stay[next[c]].from > row)
			fputs("<td></td>", p->f);
		else if (x->stay[next[c]].from == row)
			put_stay(p, &x->stay[next[c]]);
	}
	fputs("</tr>\n", p->f);
}

static void put_strand(struct picture *p, uint32_t id)
{
	uint32_t next[COLUMNS_MAX] = { 0 };
	uint8_t begin = p->k->strand->begin[p->row[0]];
	uint32_t rows = p->nrow;

	memset(p->column, 0, sizeof p->column);
	find_stays(p);
	fprintf(p->f,
		"  s%u [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">\n"
		"<tr><td></td><td align=\"left\"><b>strand %u</b> (%s%s)</td>",
		id, id, strand_cause_name[begin & STRAND_CAUSE], begin & STRAND_WAIT ? ", the warp waits" : "");
	for (unsigned c = 0; c < COLUMNS_MAX; c++)
		if (p->column[c].n)
			fprintf(p->f, "<td><b>%s</b></td>", entry_name(&p->a, entry_of_column(p, c), p->org));
	fputs("</tr>\n", p->f);
	for (unsigned c = 0; c < COLUMNS_MAX; c++)
		if (p->column[c].n && p->column[c].stay[p->column[c].n - 1].to == p->nrow)
			rows = p->nrow + 1; /* the last instruction puts something there */
	for (uint32_t row = 0; row < rows; row++)
		put_row(p, row, next);
	fputs("</table>>];\n", p->f);
}

/* Each way from one strand to another once. */
static void put_ways(struct picture *p)
{
	const struct kernel *k = p->k;
	const struct cfg *g = k->cfg;
	uint64_t *seen = bitset_new(&p->a, k->ninsn);

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t end = k->block[b].first + k->block[b].n;

		for (uint32_t i = k->block[b].first; i + 1 < end; i++)
			if (k->strand->id[i] != k->strand->id[i + 1])
				fprintf(p->f, "  s%u -> s%u;\n", k->strand->id[i], k->strand->id[i + 1]);
		memset(seen, 0, bitset_words(k->ninsn) * sizeof *seen);
		for (uint32_t e = g->succ_at[b]; k->block[b].n && e < g->succ_at[b + 1]; e++) {
			uint32_t to = g->succ[e];

			while (to < k->nblock && !k->block[to].n)
				to++;
			if (to == k->nblock ||
			    (k->strand->id[k->block[to].first] == k->strand->id[end - 1] &&
			     !k->strand->begin[k->block[to].first]) ||
			    bitset_has(seen, k->strand->id[k->block[to].first]))
				continue;
			bitset_add(seen, k->strand->id[k->block[to].first]);
			fprintf(p->f, "  s%u -> s%u%s;\n", k->strand->id[end - 1], k->strand->id[k->block[to].first],
				to <= b ? " [style=dashed]" : "");
		}
	}
}

void emit_dot_orf(FILE *f, const struct kernel *k, enum orf_organisation org)
{
	struct picture p = { .f = f, .k = k, .org = org };
	uint32_t *at, *row;

	arena_init(&p.a);
	fputs("digraph \"", f);
	view_put_quoted(f, view_name(&p.a, k));
	fputs("\" {\n  label=\"", f);
	view_put_quoted(f, view_name(&p.a, k));
	fprintf(f,
		": %s, who is in which entry, strand by strand: from below the instruction that puts it there to the "
		"last that reads it\n+MRF: also in the main register file; =>: read from there "
		"and kept; dashed: a backward branch\";\n  fontsize=9;\n  node [shape=plain, fontname=monospace, "
		"fontsize=9];\n",
		orf_organisation_name[org]);
	at = new_array(&p.a, uint32_t, (size_t)k->strand->n + 2);
	row = new_array(&p.a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++)
		at[k->strand->id[i] + 2]++;
	for (uint32_t s = 0; s < k->strand->n; s++)
		at[s + 2] += at[s + 1];
	for (uint32_t i = 0; i < k->ninsn; i++)
		row[at[k->strand->id[i] + 1]++] = i;
	for (uint32_t s = 0; s < k->strand->n; s++) {
		p.row = row + at[s];
		p.nrow = at[s + 1] - at[s];
		if (p.nrow)
			put_strand(&p, s);
	}
	put_ways(&p);
	fputs("}\n", f);
	arena_free(&p.a);
}
