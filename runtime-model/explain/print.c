/* The explanation for people: per kernel, a section each. Shares are of the kernel's issue slots unless they say
 * otherwise. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/explain/page.h"

#include <inttypes.h>
#include <string.h>

/* UPPER: a column's width */
enum { TOP_LINES = 10, TOP_PRODUCERS = 6, TOP_BANKS = 5, UPPER = 9 };

static const char *const section_name[EXPLAIN_SECTIONS] = {
	[EXPLAIN_SLOTS] = "slots",   [EXPLAIN_LINES] = "lines",         [EXPLAIN_PRODUCERS] = "producers",
	[EXPLAIN_MEMORY] = "memory", [EXPLAIN_WARPS] = "warps",         [EXPLAIN_SMS] = "sms",
	[EXPLAIN_BANKS] = "banks",   [EXPLAIN_OCCUPANCY] = "occupancy", [EXPLAIN_LISTING] = "listing",
	[EXPLAIN_REUSE] = "reuse",
};

/* The sections that the item p, of n characters, names; 0: none. */
static unsigned sections_of(const char *p, size_t n)
{
	if (n == strlen("all") && strncmp(p, "all", n) == 0)
		return (1u << EXPLAIN_SECTIONS) - 1;
	for (unsigned i = 0; i < EXPLAIN_SECTIONS; i++)
		if (strlen(section_name[i]) == n && strncmp(section_name[i], p, n) == 0)
			return 1u << i;
	return 0;
}

/* What the list names; if an item of it names nothing, that one in *wrong. */
static unsigned all_sections(const char *list, const char **wrong)
{
	unsigned sections = 0, some;

	*wrong = NULL;
	for (const char *p = list; *p; p += *p == ',') {
		const size_t n = strcspn(p, ",");

		if (!(some = sections_of(p, n))) {
			*wrong = p;
			break;
		}
		sections |= some;
		p += n;
	}
	return sections;
}

bool explain_is_list(const char *text)
{
	const char *wrong;

	return all_sections(text, &wrong) && !wrong;
}

bool explain_names_some(const char *text)
{
	for (; *text; text += strcspn(text, ","), text += *text == ',')
		if (sections_of(text, strcspn(text, ",")))
			return true;
	return false;
}

bool explain_parse(unsigned *sections, const char *list, struct diag *d)
{
	const char *wrong;

	*sections = all_sections(list, &wrong) | (*list ? EXPLAIN_DETAIL : EXPLAIN_DEFAULT);
	if (wrong)
		return diag_error_plain(
			d, NULL,
			"--explain: there is no '%.*s'; there are slots, lines, producers, memory, warps, sms, banks, "
			"occupancy, listing, reuse, all",
			(int)strcspn(wrong, ","), wrong);
	return true;
}

/* ---- reasons ---- */
/* For whose pipelines instructions found no room. */
static void collectors(struct page *p, const struct explain *x)
{
	static const char *const name[PIPE_COUNT] = { [PIPE_SP] = "SP", [PIPE_SFU] = "SFU", [PIPE_MEM] = "MEM" };
	const struct kernel *k = p->c.kernel->k;
	uint64_t n[PIPE_COUNT] = { 0 };

	for (uint32_t i = 0; i < k->ninsn; i++)
		n[x->params->unit[op_info[k->insn[i].op].fu].pipe] += p->c.insn[i].slots[STALL_COLLECTOR];
	fprintf(p->f, "%25s", "");
	for (unsigned i = 0; i < PIPE_COUNT; i++)
		fprintf(p->f, "%s%s %.2f%%", i ? ", " : "", name[i], page_share(n[i], p->c.all_slots));
	fputc('\n', p->f);
}

/* Columns for the reasons that there are, and for the two longest of them with their shares. */
static void measure(struct page *p)
{
	enum { REASON_LEAST = 11, STALLED_LEAST = 40, SHARES = 16 };
	int first = 0, second = 0;

	for (unsigned i = 0; i < STALL_COUNT; i++) {
		const int n = p->c.slots[i] || p->c.cycles[i] ? (int)strlen(reason_name((enum stall)i)) : 0;

		second = n > first ? first : second;
		second = n <= first && n > second ? n : second;
		first = n > first ? n : first;
	}
	p->reason = first > REASON_LEAST ? first : REASON_LEAST;
	p->stalled = first + second + SHARES > STALLED_LEAST && first > REASON_LEAST ? first + second + SHARES
										     : STALLED_LEAST;
}

static void section_slots(struct page *p, const struct explain *x)
{
	const struct counts *c = &p->c;

	fprintf(p->f, "\n  where issue slots went\n");
	for (unsigned i = 0; i < STALL_COUNT; i++) {
		if (c->slots[i])
			fprintf(p->f, "    %6.2f%%  %-*s %s\n", page_share(c->slots[i], c->all_slots), p->reason,
				reason_name((enum stall)i), reason_what((enum stall)i));
		if (c->slots[i] && i == STALL_COLLECTOR)
			collectors(p, x);
	}
	fprintf(p->f, "\n  what resident warps did                 of %" PRIu64 " warp cycles\n", c->all_cycles);
	fprintf(p->f, "    %6.2f%%  %-*s an instruction\n", page_share(c->slots[STALL_ISSUED], c->all_cycles),
		p->reason, "issued");
	for (unsigned i = 0; i < STALL_COUNT; i++)
		if (c->cycles[i])
			fprintf(p->f, "    %6.2f%%  %-*s %s\n", page_share(c->cycles[i], c->all_cycles), p->reason,
				i == STALL_ISSUED ? "not chosen" : reason_name((enum stall)i),
				i == STALL_ISSUED ? "could issue, but another warp of the scheduler did"
						  : reason_what((enum stall)i));
}

/* The two largest reasons other than ISSUED: "memory 12.3%, scoreboard 4.0%". */
static const char *main_stalls(struct page *p, const uint64_t n[STALL_COUNT], uint64_t of)
{
	unsigned most = 0, second = 0;

	for (unsigned i = STALL_ISSUED + 1; i < STALL_COUNT; i++) {
		if (!most || n[i] > n[most]) {
			second = most;
			most = i;
		} else if (!second || n[i] > n[second]) {
			second = i;
		}
	}
	if (page_share(n[most], of) < 0.05)
		return "";
	if (page_share(n[second], of) < 0.05)
		return arena_printf(&p->a, "%s %.1f%%", reason_name((enum stall)most), page_share(n[most], of));
	return arena_printf(&p->a, "%s %.1f%%, %s %.1f%%", reason_name((enum stall)most), page_share(n[most], of),
			    reason_name((enum stall)second), page_share(n[second], of));
}

/* ---- lines ---- */
static void section_lines(struct page *p)
{
	struct ranked *r = new_array(&p->a, struct ranked, p->l.n + 1);
	uint32_t shown = p->detail || p->l.n <= TOP_LINES + 1 ? p->l.n : TOP_LINES;
	uint64_t rest = 0;

	for (uint32_t i = 0; i < p->l.n; i++)
		r[i] = (struct ranked){ sum_reasons(p->l.v[i].n.slots), i };
	page_rank(r, p->l.n);
	fprintf(p->f, "\n  lines with most slots\n      slots   issued  %-*s memory            line\n", p->stalled,
		"stalled");
	for (uint32_t i = 0; i < shown; i++) {
		const struct line_counts *l = &p->l.v[r[i].at];

		fprintf(p->f, "    %6.2f%%  %6.2f%%  %-*s %-17s %-18s ", page_share(r[i].by, p->c.all_slots),
			page_share(l->n.slots[STALL_ISSUED], p->c.all_slots), p->stalled,
			main_stalls(p, l->n.slots, p->c.all_slots), page_access_text(p, &l->n.memory),
			page_line_name(p, l));
		page_text(p, l->text ? l->text : "", TEXT);
	}
	for (uint32_t i = shown; i < p->l.n; i++)
		rest += r[i].by;
	if (shown < p->l.n)
		fprintf(p->f, "    %6.2f%%  on %u lines more\n", page_share(rest, p->c.all_slots), p->l.n - shown);
	if (p->c.slots[STALL_EMPTY])
		fprintf(p->f, "    %6.2f%%  without a warp\n", page_share(p->c.slots[STALL_EMPTY], p->c.all_slots));
}

static void section_producers(struct page *p)
{
	uint32_t ninsn = p->c.kernel->k->ninsn, n = 0;
	struct ranked *r = new_array(&p->a, struct ranked, ninsn + 1);

	for (uint32_t i = 0; i < ninsn; i++)
		if (p->c.insn[i].slots_for || p->c.insn[i].cycles_for)
			r[n++] = (struct ranked){ p->c.insn[i].slots_for, i };
	if (!n)
		return;
	page_rank(r, n);
	fprintf(p->f, "\n  results waited for most\n      slots  warp cycles  instruction\n");
	for (uint32_t i = 0; i < n && i < (p->detail ? TOP_DETAIL : TOP_PRODUCERS); i++) {
		const struct insn_counts *x = &p->c.insn[r[i].at];

		fprintf(p->f, "    %6.2f%%      %6.2f%%  %-18s [%04u] ", page_share(x->slots_for, p->c.all_slots),
			page_share(x->cycles_for, p->c.all_cycles), page_insn_name(p, r[i].at), r[i].at);
		page_text(p, page_insn_text(p, r[i].at), TEXT);
	}
	if (p->c.slots_for_none)
		fprintf(p->f, "    %6.2f%%               (what no instruction's result ended)\n",
			page_share(p->c.slots_for_none, p->c.all_slots));
}

/* ---- warps and SMs ---- */
/* Columns for the reasons that are in `used`; not_chosen: and one for that, of warps' cycles. */
static void reason_heads(const struct page *p, const uint64_t used[STALL_COUNT], bool not_chosen, const char *first)
{
	fprintf(p->f, "    %-8s %11s", first, "issued");
	if (not_chosen)
		fprintf(p->f, " %11s", "not chosen");
	for (unsigned i = STALL_ISSUED + 1; i < STALL_COUNT; i++)
		if (used[i])
			fprintf(p->f, " %11s", reason_name((enum stall)i));
	fputc('\n', p->f);
}

static void reason_row(const struct page *p, const uint64_t used[STALL_COUNT], unsigned first, uint64_t issued,
		       const uint64_t *not_chosen, const uint64_t n[STALL_COUNT], uint64_t of)
{
	fprintf(p->f, "    %-8u %10.2f%%", first, page_share(issued, of));
	if (not_chosen)
		fprintf(p->f, " %10.2f%%", page_share(*not_chosen, of));
	for (unsigned i = STALL_ISSUED + 1; i < STALL_COUNT; i++)
		if (used[i])
			fprintf(p->f, " %10.2f%%", page_share(n[i], of));
	fputc('\n', p->f);
}

struct spread {
	uint64_t least, most;
	unsigned least_at, most_at;
};

static struct spread spread(const uint64_t n[], unsigned count)
{
	struct spread s = { n[0], n[0], 0, 0 };

	for (unsigned i = 1; i < count; i++) {
		if (n[i] < s.least) {
			s.least = n[i];
			s.least_at = i;
		}
		if (n[i] > s.most) {
			s.most = n[i];
			s.most_at = i;
		}
	}
	return s;
}

static void print_spread(const struct page *p, const char *what, const uint64_t n[], unsigned count)
{
	struct spread s = spread(n, count);
	uint64_t all = 0;

	for (unsigned i = 0; i < count; i++)
		all += n[i];
	if (s.least == s.most)
		fprintf(p->f, "    %" PRIu64 " each\n", s.most);
	else
		fprintf(p->f, "    mean %.0f; least %" PRIu64 " (%s %u), most %" PRIu64 " (%s %u)\n",
			page_ratio(all, count), s.least, what, s.least_at, s.most, what, s.most_at);
}

static void section_warps(struct page *p)
{
	unsigned n = p->c.kernel->most_warps;
	uint64_t issued[PROBE_WARPS] = { 0 }, used[STALL_COUNT];

	if (!p->detail && n == 1)
		return;
	for (unsigned w = 0; w < n; w++)
		issued[w] = p->c.of_cta[w].slots[STALL_ISSUED];
	fprintf(p->f, "\n  instructions issued, by warp of its CTA\n");
	print_spread(p, "warp", issued, n);
	if (!p->detail)
		return;
	fprintf(p->f, "\n  by warp of its CTA: what it did, of its own cycles\n");
	reason_heads(p, p->c.cycles, true, "warp");
	for (unsigned w = 0; w < n; w++) {
		const struct warp_counts *x = &p->c.of_cta[w];

		reason_row(p, p->c.cycles, w, issued[w], &x->cycles[STALL_ISSUED], x->cycles,
			   sum_reasons(x->cycles) + issued[w]);
	}
	fprintf(p->f, "\n  by warp slot of the SMs: what its warps did, of their own cycles\n");
	reason_heads(p, p->c.cycles, true, "slot");
	for (unsigned w = 0; w < PROBE_WARPS; w++) {
		const struct warp_counts *x = &p->c.slot[w];
		uint64_t did = x->slots[STALL_ISSUED];

		if (sum_reasons(x->slots) || sum_reasons(x->cycles))
			reason_row(p, p->c.cycles, w, did, &x->cycles[STALL_ISSUED], x->cycles,
				   sum_reasons(x->cycles) + did);
	}
	fprintf(p->f,
		"\n  by warp slot of the SMs, of all issue slots: of warps equally close to issuing one was drawn\n");
	memcpy(used, p->c.slots, sizeof used);
	used[STALL_EMPTY] = 0;
	reason_heads(p, used, false, "slot");
	for (unsigned w = 0; w < PROBE_WARPS; w++)
		if (sum_reasons(p->c.slot[w].slots))
			reason_row(p, used, w, p->c.slot[w].slots[STALL_ISSUED], NULL, p->c.slot[w].slots,
				   p->c.all_slots);
}

static void section_sms(struct page *p, const struct explain *x)
{
	unsigned n = x->params->sms;
	uint64_t *issued = new_array(&p->a, uint64_t, n);

	for (unsigned i = 0; i < n; i++)
		issued[i] = p->c.kernel->sm[i]->slots[STALL_ISSUED];
	fprintf(p->f, "\n  instructions issued, by SM\n");
	print_spread(p, "SM", issued, n);
	if (!p->detail)
		return;
	fprintf(p->f, "\n  by SM, of its slots\n");
	reason_heads(p, p->c.slots, false, "SM");
	for (unsigned i = 0; i < n; i++)
		reason_row(p, p->c.slots, i, issued[i], NULL, p->c.kernel->sm[i]->slots,
			   sum_reasons(p->c.kernel->sm[i]->slots));
}

/* ---- banks ---- */
static void heat(const struct page *p, const char *what, const uint64_t n[], unsigned banks)
{
	static const char glyph[] = " .:-=+*#%@";
	struct spread s = spread(n, banks);
	uint64_t all = 0;

	for (unsigned b = 0; b < banks; b++)
		all += n[b];
	fprintf(p->f, "    %-16s |", what);
	for (unsigned b = 0; b < banks; b++)
		fputc(s.most ? glyph[(n[b] * 9 + s.most / 2) / s.most] : ' ', p->f);
	fprintf(p->f, "| %10" PRIu64, all);
	if (all)
		fprintf(p->f, "; least %.1f%% (bank %u), most %.1f%% (bank %u)", page_share(s.least, all), s.least_at,
			page_share(s.most, all), s.most_at);
	fputc('\n', p->f);
}

static void bank_table(const struct page *p, unsigned banks)
{
	fprintf(p->f, "\n    %-5s %11s %11s %14s %14s %14s %14s\n", "bank", "reads", "writes", "reads delayed",
		"cycles", "writes delayed", "cycles");
	for (unsigned b = 0; b < banks; b++) {
		const struct bank_counts *n = &p->c.bank[b];

		fprintf(p->f,
			"    %-5u %11" PRIu64 " %11" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64
			"\n",
			b, n->accesses[0], n->accesses[1], n->delayed[0], n->delay[0], n->delayed[1], n->delay[1]);
	}
}

/* Under a hierarchy: where operands come from, and which instructions read most of those that no upper level has. */
static void operand_levels(struct page *p)
{
	const uint32_t ninsn = p->c.kernel->k->ninsn;
	struct ranked *r = new_array(&p->a, struct ranked, ninsn + 1);
	uint64_t from[RF_LEVELS] = { 0 }, all = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < ninsn; i++) {
		const uint64_t *level = p->c.insn[i].level;

		for (unsigned l = 0; l < RF_LEVELS; l++) {
			from[l] += level[l];
			all += level[l];
		}
		if (level[LEVEL_MRF])
			r[n++] = (struct ranked){ level[LEVEL_MRF], i };
	}
	if (!all)
		return;
	fprintf(p->f, "\n    operands come from the L0 %.1f%%, the L1 %.1f%%, the main register file %.1f%%\n",
		page_share(from[LEVEL_L0], all), page_share(from[LEVEL_L1], all), page_share(from[LEVEL_MRF], all));
	if (!n)
		return;
	page_rank(r, n);
	fputs("    what reads the main register file: share of all its reads; share of the instruction's own operands "
	      "that come from it\n"
	      "      of reads   of operands   instruction\n",
	      p->f);
	for (uint32_t i = 0; i < n && i < (p->detail ? TOP_DETAIL : TOP_BANKS); i++) {
		const uint64_t *level = p->c.insn[r[i].at].level;

		fprintf(p->f, "      %7.2f%%       %7.2f%%   %-18s [%04u] ",
			page_share(level[LEVEL_MRF], from[LEVEL_MRF]),
			page_share(level[LEVEL_MRF], level[LEVEL_MRF] + level[LEVEL_L1] + level[LEVEL_L0]),
			page_insn_name(p, r[i].at), r[i].at);
		page_text(p, page_insn_text(p, r[i].at), TEXT);
	}
}

static void section_banks(struct page *p, const struct explain *x)
{
	const unsigned banks = x->banks;
	uint32_t ninsn = p->c.kernel->k->ninsn, n = 0;
	struct ranked *r = new_array(&p->a, struct ranked, ninsn + 1);
	uint64_t v[4][PROBE_BANKS] = { { 0 } }, all = 0;

	for (unsigned b = 0; b < banks; b++) {
		v[0][b] = p->c.bank[b].accesses[0];
		v[1][b] = p->c.bank[b].accesses[1];
		v[2][b] = p->c.bank[b].delay[0];
		v[3][b] = p->c.bank[b].delay[1];
	}
	fprintf(p->f, "\n  register-file banks, 0 to %u%s: darkest is the most\n", banks - 1,
		banks == x->params->rf_banks ? ""
					     : arena_printf(&p->a, ", from %u on for scalars", x->params->rf_banks));
	heat(p, "reads", v[0], banks);
	heat(p, "writes", v[1], banks);
	heat(p, "cycles of reads", v[2], banks);
	heat(p, "cycles of writes", v[3], banks);
	if (p->detail)
		bank_table(p, banks);
	operand_levels(p);
	for (uint32_t i = 0; i < ninsn; i++) {
		all += p->c.insn[i].delay;
		if (p->c.insn[i].delay)
			r[n++] = (struct ranked){ p->c.insn[i].delay, i };
	}
	if (!n)
		return;
	page_rank(r, n);
	fprintf(p->f, "\n    of cycles  accesses delayed  instruction\n");
	for (uint32_t i = 0; i < n && i < (p->detail ? TOP_DETAIL : TOP_BANKS); i++) {
		const struct insn_counts *c = &p->c.insn[r[i].at];

		fprintf(p->f, "      %6.2f%%           %6.2f%%  %-18s [%04u] ", page_share(c->delay, all),
			page_share(c->delayed, c->accesses), page_insn_name(p, r[i].at), r[i].at);
		page_text(p, page_insn_text(p, r[i].at), TEXT);
	}
}

/* ---- the listing ---- */
static void listing_slots(struct page *p, const struct insn_counts *n)
{
	if (sum_reasons(n->slots))
		fprintf(p->f, "    %6.2f%%  %6.2f%%  %-*s", page_share(sum_reasons(n->slots), p->c.all_slots),
			page_share(n->slots[STALL_ISSUED], p->c.all_slots), p->stalled,
			main_stalls(p, n->slots, p->c.all_slots));
	else
		fprintf(p->f, "%*s", 22 + p->stalled, "");
}

static uint64_t sum_levels(const struct insn_counts *n)
{
	uint64_t all = 0;

	for (unsigned l = 0; l < RF_LEVELS; l++)
		all += n->level[l];
	return all;
}

/* Under a hierarchy: of the operands that it read, those that upper levels delivered. */
static void listing_upper(struct page *p, const struct insn_counts *n)
{
	if (sum_levels(n))
		fprintf(p->f, "  %6.2f%%", page_share(sum_levels(n) - n->level[LEVEL_MRF], sum_levels(n)));
	else
		fprintf(p->f, "%*s", UPPER, "");
}

static void section_listing(struct page *p)
{
	const struct kernel *k = p->c.kernel->k;
	uint32_t line = UINT32_MAX;
	int wide = 0;

	for (uint32_t i = 0; i < k->ninsn; i++)
		if (sum_levels(&p->c.insn[i]))
			wide = UPPER;
	fprintf(p->f,
		"\n  listing: slots of warps that stood there; slots that waited for its result; %slines or passes of "
		"an access / ideal\n"
		"      slots   issued  %-*s waited for%s   memory\n",
		wide ? "its operands from upper levels; " : "", p->stalled - 1, "stalled", wide ? "  upper" : "");
	if (sum_reasons(p->c.insn[k->ninsn].slots)) {
		listing_slots(p, &p->c.insn[k->ninsn]);
		fprintf(p->f, "%*s(metadata before the kernel)\n", 27 + wide, "");
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		if (k->block[b].label)
			fprintf(p->f, "%*s%s:\n", 55 + p->stalled + wide, "", view_block(&p->a, k, b));
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			const struct insn_counts *n = &p->c.insn[i];
			struct view_place at;

			if (view_find_place(&p->v, i, &at) && at.line != line) {
				const char *source = view_source_text(&p->v, &at);

				line = at.line;
				fprintf(p->f, "%*s// %s:%u  ", 88 + wide, "", loc_base_name(at.file), at.line);
				page_text(p, source ? source : "", TEXT);
			}
			listing_slots(p, n);
			if (n->slots_for)
				fprintf(p->f, "%6.2f%%", page_share(n->slots_for, p->c.all_slots));
			else
				fprintf(p->f, "%7s", "");
			if (wide)
				listing_upper(p, n);
			fprintf(p->f, "   %-17s [%04u]  %s\n", page_access_text(p, &n->memory), i,
				page_insn_text(p, i));
		}
	}
}

static void print_kernel(FILE *f, const struct explain *x, const struct module *m, const struct kernel_counts *k,
			 unsigned sections)
{
	struct page p = { .f = f, .detail = sections & EXPLAIN_DETAIL };
	const char *sampled = "", *name;

	arena_init(&p.a);
	name = kernel_name(k->k->name, &p.a);
	view_init_text(&p.v, m, k->k);
	counts_merge(&p.c, x, k, &p.a);
	counts_lines(&p.l, &p.c, &p.v, &p.a);
	measure(&p);
	if (k->timed_ctas < k->ctas)
		sampled = arena_printf(&p.a, " of the %" PRIu64 " CTAs that were timed of %" PRIu64, k->timed_ctas,
				       k->ctas);
	fprintf(f, "\nexplain  %s: %" PRIu64 " launch%s, %" PRIu64 " cycles%s, %" PRIu64 " issue slots of %u SM%s\n",
		view_clean(&p.a, name, strlen(name)), k->st.launches, k->st.launches > 1 ? "es" : "", k->st.cycles,
		sampled, p.c.all_slots, x->params->sms, x->params->sms == 1 ? "" : "s");
	if (sections >> EXPLAIN_SLOTS & 1)
		section_slots(&p, x);
	if (sections >> EXPLAIN_LINES & 1)
		section_lines(&p);
	if (sections >> EXPLAIN_PRODUCERS & 1)
		section_producers(&p);
	if (sections >> EXPLAIN_MEMORY & 1)
		page_memory(&p);
	if (sections >> EXPLAIN_WARPS & 1)
		section_warps(&p);
	if (sections >> EXPLAIN_SMS & 1)
		section_sms(&p, x);
	if (sections >> EXPLAIN_BANKS & 1)
		section_banks(&p, x);
	if (sections >> EXPLAIN_OCCUPANCY & 1)
		page_occupancy(&p, x);
	if (sections >> EXPLAIN_REUSE & 1)
		page_reuse(&p, x, sections >> EXPLAIN_LISTING & 1);
	if (sections >> EXPLAIN_LISTING & 1)
		section_listing(&p);
	view_free(&p.v);
	arena_free(&p.a);
}

void explain_print(FILE *f, const struct explain *x, const struct module *m, unsigned sections)
{
	for (const struct kernel_counts *k = x->first; k; k = k->next)
		if (k->st.launches)
			print_kernel(f, x, m, k, sections);
}
