/* Decoded machine code in the views: addresses, control fields, what a wait waits for, and what the file says of the
 * code. */
#include "view.h"

#include "analyzer/base/worklist.h"
#include "analyzer/ir/runtime.h"
#include "analyzer/sass/values.h"

#include <string.h>

const char *const view_control_legend[VIEW_CONTROL_LINES] = {
	"[B-1----:R3:W2:Y:S05] waits until barrier 1 is clear; sets 3 until operands are read and 2 until results are "
	"written; Y: the scheduler",
	"  may switch to another warp; stalls for 5 cycles. waits for: the instructions that set those barriers. UGPR, "
	"UPRED: uniform registers; BSSY: convergence barriers",
};

const struct native_part *view_part(const struct kernel *k, uint32_t i)
{
	const struct native *x = k->native;
	uint32_t low = 0;

	for (uint32_t high = x->npart; high - low > 1;) {
		uint32_t mid = low + (high - low) / 2;

		if (x->part[mid].first <= i)
			low = mid;
		else
			high = mid;
	}
	return &x->part[low];
}

uint64_t view_address(const struct kernel *k, uint32_t i)
{
	const struct native_part *p = view_part(k, i);

	return p->at + (uint64_t)(i - p->first) * NATIVE_BYTES;
}

const char *view_insn_name(struct arena *a, const struct kernel *k, uint32_t i)
{
	const struct native_part *p;

	if (!k->native)
		return arena_printf(a, "%u", i);
	p = view_part(k, i);
	if (strcmp(p->section, k->native->part[0].section) == 0)
		return arena_printf(a, "0x%04llx", (unsigned long long)view_address(k, i));
	return arena_printf(a, "0x%04llx of %s", (unsigned long long)view_address(k, i),
			    view_clean(a, p->section, strlen(p->section)));
}

struct sass_word view_word(const struct kernel *k, uint32_t i)
{
	return (struct sass_word){ k->native->word[i][0], k->native->word[i][1] };
}

char *view_control(struct arena *a, const struct kernel *k, uint32_t i)
{
	char text[SASS_CONTROL_CHARS];

	sass_print_control(text, k->control[i]);
	return arena_printf(a, "%s", text);
}

/* ---- barriers of dependences ---- */
static unsigned barrier_bit(unsigned bar) { return bar < VIEW_BARRIERS ? 1u << bar : 0; }

/* Of a block: barriers that it names and does not wait for behind that; that it waits for. */
struct named_barriers {
	uint8_t named, waits;
};

static struct named_barriers barriers_of(const struct kernel *k, uint32_t b)
{
	struct named_barriers n = { 0, 0 };

	for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
		const struct control_code c = k->control[i];

		n.named &= (uint8_t)~c.wait;
		n.waits |= c.wait;
		n.named |= (uint8_t)(barrier_bit(c.wbar) | barrier_bit(c.rbar));
	}
	return n;
}

void view_barriers_init(struct view_barriers *x, const struct kernel *k, struct arena *a)
{
	uint8_t *entry = new_array(a, uint8_t, (size_t)k->nblock + 1);
	struct named_barriers *own = new_array(a, struct named_barriers, (size_t)k->nblock + 1);
	struct worklist work = worklist_new(a, k->nblock);
	uint32_t *place, *order = view_block_order(k, &place, a), p;

	*x = (struct view_barriers){ .entry = entry };
	for (uint32_t f = 1; f < k->nproc; f++) /* a caller's, of which nothing is known */
		entry[k->proc[f].first] = (1u << VIEW_BARRIERS) - 1;
	for (uint32_t b = 0; b < k->nblock; b++) {
		own[b] = barriers_of(k, b);
		worklist_add(&work, b);
	}
	while (worklist_take(&work, &p)) {
		const uint32_t b = order[p];
		const uint8_t bits = (uint8_t)((entry[b] & ~own[b].waits) | own[b].named);

		for (uint32_t s = k->cfg->succ_at[b]; s < k->cfg->succ_at[b + 1]; s++) {
			uint8_t *to = &entry[k->cfg->succ[s]];

			if (bits & ~*to)
				worklist_add(&work, place[k->cfg->succ[s]]);
			*to |= bits;
		}
	}
}

void view_barriers_enter(struct view_barriers *x, const struct kernel *k, uint32_t b)
{
	const struct cfg *g = k->cfg;

	if (b && g->pred_at[b + 1] - g->pred_at[b] == 1 && g->pred[g->pred_at[b]] == b - 1)
		return; /* nothing but the block before leads here */
	*x = (struct view_barriers){ .entry = x->entry, .before = x->entry[b] };
}

/* Instruction i, whose barriers `bits` were not waited for; of each set the last ones stay, in the order of the
 * code. */
static void names_barriers(struct view_barriers *x, unsigned bits, uint32_t i)
{
	uint32_t *of = x->set[bits].of, n = x->set[bits].n;

	if (n == VIEW_SETTERS) {
		x->set[bits].more++;
		if (i < of[0])
			return;
		memmove(of, of + 1, (VIEW_SETTERS - 1) * sizeof *of);
		n--;
	}
	for (x->set[bits].n = (uint8_t)(n + 1); n && of[n - 1] > i; n--)
		of[n] = of[n - 1];
	of[n] = i;
}

/* Those of barriers `wait`, in the order of the code, go to `out`; what they set besides is still to be waited for.
 * Returns how many. */
static uint32_t take_setters(struct view_barriers *x, unsigned wait, uint32_t *out, uint32_t *more)
{
	uint32_t n = 0;

	for (unsigned bits = 1; wait && bits < 1u << VIEW_BARRIERS; bits++) {
		const unsigned rest = bits & ~wait;

		if (rest == bits)
			continue;
		for (unsigned s = 0; s < x->set[bits].n; s++) {
			uint32_t i = x->set[bits].of[s], at = n++;

			for (; at && out[at - 1] > i; at--)
				out[at] = out[at - 1];
			out[at] = i;
			if (rest)
				names_barriers(x, rest, i);
		}
		*more += x->set[bits].more;
		if (rest)
			x->set[rest].more += x->set[bits].more;
		x->set[bits].n = 0;
		x->set[bits].more = 0;
	}
	return n;
}

const char *view_waits(struct arena *a, const struct kernel *k, uint32_t i, struct view_barriers *x)
{
	const struct control_code c = k->control[i];
	const unsigned sets = barrier_bit(c.wbar) | barrier_bit(c.rbar);
	const bool before = (c.wait & x->before) != 0;
	uint32_t setter[VIEW_SETTERS << VIEW_BARRIERS], others = 0, n = take_setters(x, c.wait, setter, &others);
	const char *text = "";

	for (uint32_t s = 0; s < n; s++)
		text = arena_printf(a, "%s %s", text, view_insn_name(a, k, setter[s]));
	x->before &= (uint8_t)~c.wait;
	if (others)
		text = arena_printf(a, "%s and %u more", text, others);
	if (before)
		text = arena_printf(a, "%s %swhat is before this block", text, *text ? "and " : "");
	if (sets)
		names_barriers(x, sets, i);
	return *text ? arena_printf(a, "waits for%s", text) : "";
}

const char *view_native_note(const struct kernel *k, uint32_t i)
{
	const struct native *x = k->native;
	uint32_t low = 0;

	for (uint32_t high = x->nnote; low < high;) {
		uint32_t mid = low + (high - low) / 2;

		if (x->note[mid].insn < i)
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->nnote && x->note[low].insn == i ? x->note[low].what : "";
}

/* ---- the summary ---- */
struct local_access {
	uint32_t loads, stores;
};

static struct local_access local_access(const struct kernel *k)
{
	struct local_access n = { 0, 0 };

	for (uint32_t i = 0; i < k->ninsn; i++)
		if (k->insn[i].space == SP_LOCAL) {
			n.loads += (op_info[k->insn[i].op].flags & OPF_LOAD) != 0;
			n.stores += (op_info[k->insn[i].op].flags & OPF_STORE) != 0;
		}
	return n;
}

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

/* "R0 to R7", "UR4"; "" if no instruction names one. */
static const char *named(const struct view *v, enum reg_file f, struct arena *a)
{
	const char *prefix = reg_file_prefix[f];

	const uint32_t first = v->named_from[f], end = v->named[f];

	if (!end)
		return "";
	if (first + 1 < end)
		return arena_printf(a, "%s%u to %s%u", prefix, first, prefix, end - 1);
	return arena_printf(a, "%s%u", prefix, first);
}

/* The most registers that a thread asks for while it runs; 0: it keeps those that the file declares. */
static unsigned registers_taken(const struct kernel *k)
{
	unsigned most = 0;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_insn s;
		unsigned n = k->insn[i].op == OP_SASS_OTHER && sass_decode(k->native->sm, view_word(k, i), &s)
				     ? sass_takes_registers(&s)
				     : 0;

		most = n > most ? n : most;
	}
	return most;
}

static void put_named(FILE *f, struct view *v, const char *what, enum reg_file file, const char *declared)
{
	const char *text = named(v, file, &v->a);

	if (*declared && *text)
		fprintf(f, "  %-14s %s, named: %s\n", what, declared, text);
	else if (*declared || *text)
		fprintf(f, "  %-14s %s%s\n", what, declared, text);
	else
		fprintf(f, "  %-14s none\n", what);
}

uint32_t view_open(const struct kernel *k, uint32_t from)
{
	while (k->native && from < k->ninsn &&
	       (!(op_info[k->insn[from].op].flags & OPF_UNKNOWN) || insn_calls_runtime(&k->insn[from])))
		from++;
	return k->native ? from : k->ninsn;
}

uint32_t view_count_open(const struct kernel *k)
{
	uint32_t n = 0;

	for (uint32_t i = view_open(k, 0); i < k->ninsn; i = view_open(k, i + 1))
		n++;
	return n;
}

/* Those, a line for each reason: "0x0040 0x0060 ...". */
static void put_open(FILE *f, struct view *v)
{
	const struct kernel *k = v->k;
	struct reason {
		uint32_t n;
		const char *at;
	} *reason = NULL;
	uint32_t nreason = 0, cap = 0;
	struct intern whys;

	intern_init(&whys, &v->a);
	for (uint32_t i = view_open(k, 0); i < k->ninsn; i = view_open(k, i + 1)) {
		const char *why = view_native_note(k, i);
		const uint32_t id = intern_id(&whys, why, strlen(why));

		if (id == nreason) { /* numbered as they come */
			arena_grow(&v->a, reason, nreason, cap);
			reason[nreason++] = (struct reason){ 0, "" };
		}
		if (reason[id].n++ <= VIEW_SETTERS)
			reason[id].at = arena_printf(&v->a, "%s %s", reason[id].at,
						     reason[id].n > VIEW_SETTERS ? "..." : view_insn_name(&v->a, k, i));
	}
	for (uint32_t r = 0; r < nreason; r++) {
		const char *why = whys.text[r];

		const char *unknown = reason[r].n == 1 ? "instruction is not known" : "instructions are not known";

		fprintf(f, "  %-14s %u%s %s, at%s\n", r ? "" : "taken at worst", reason[r].n, *why ? ":" : "",
			*why ? view_clean(&v->a, why, strlen(why)) : unknown, reason[r].at);
	}
	if (nreason)
		fprintf(f, "  %-14s they may read and write any register, so figures of registers are \"at most\"\n",
			"");
}

/* A line for each mnemonic and reason. */
static void put_refused(FILE *f, struct view *v)
{
	struct sass_refusal *r;
	const uint32_t n = sass_refusals(&r, v->k, &v->a);

	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "  %-14s %u %s, from %s on: %s\n", i ? "" : "not executed", r[i].n, r[i].mnemonic,
			view_insn_name(&v->a, v->k, r[i].first), r[i].why);
}

void view_put_native(FILE *f, struct view *v)
{
	const struct kernel *k = v->k;
	const struct native *x = k->native;
	const struct local_access n = local_access(k);
	const unsigned taken = registers_taken(k);

	for (uint32_t p = 0, same; p < x->npart; p = same) { /* functions of one section stand together */
		uint32_t insns = 0;

		for (same = p; same < x->npart && strcmp(x->part[same].section, x->part[p].section) == 0; same++)
			insns += x->part[same].n;
		fprintf(f, "  %-14s %s: %u instruction%s, %u B\n", p ? "" : "code",
			view_clean(&v->a, x->part[p].section, strlen(x->part[p].section)), insns, plural(insns),
			insns * NATIVE_BYTES);
	}
	for (uint32_t n_proc = 1; n_proc < k->nproc; n_proc++)
		fprintf(f, "  %-14s %s%s\n", n_proc > 1 ? "" : "calls",
			view_clean(&v->a, k->proc[n_proc].name, strlen(k->proc[n_proc].name)),
			k->block[k->proc[n_proc].first].n
				? arena_printf(&v->a, " at %s",
					       view_insn_name(&v->a, k, k->block[k->proc[n_proc].first].first))
				: "");
	put_open(f, v);
	if (x->unsure)
		fprintf(f, "  %-14s %u instruction%s whose operands are not certain: see the listing\n", "uncertain",
			x->unsure, plural(x->unsure));
	put_refused(f, v);
	put_named(f, v, "registers", FILE_GPR,
		  taken ? arena_printf(&v->a, "%u a thread (32-bit) declared, up to %u taken while it runs",
				       k->res.regs, taken)
			: arena_printf(&v->a, "%u a thread (32-bit) declared", k->res.regs));
	if (v->named[FILE_GPR] > (taken > k->res.regs ? taken : k->res.regs))
		fprintf(f, "  %-14s the code names more registers than it has\n", "");
	put_named(f, v, "predicates", FILE_PRED, "");
	if (v->named[FILE_UGPR] || v->named[FILE_UPRED])
		fprintf(f, "  %-14s %s%s%s\n", "uniform", named(v, FILE_UGPR, &v->a),
			v->named[FILE_UGPR] && v->named[FILE_UPRED] ? ", " : "", named(v, FILE_UPRED, &v->a));
	if (n.loads || n.stores)
		fprintf(f, "  %-14s %u load%s, %u store%s in the code; it does not say which are spilled values\n",
			"local memory", n.loads, plural(n.loads), n.stores, plural(n.stores));
}

/* ---- JSON ---- */
json_t *view_native_json(const struct kernel *k, struct arena *a)
{
	const struct native *x = k->native;
	const struct local_access n = local_access(k);
	json_t *parts = json_array(), *functions = json_array(), *notes = json_array(), *refused = json_array();
	struct sass_refusal *r;
	const uint32_t nr = sass_refusals(&r, k, a);

	for (uint32_t i = 0; i < nr; i++)
		json_array_append_new(refused, json_pack("{s:s, s:s, s:I}", "mnemonic", r[i].mnemonic, "why", r[i].why,
							 "instructions", (json_int_t)r[i].n));
	for (uint32_t p = 0; p < x->npart; p++)
		json_array_append_new(parts,
				      json_pack("{s:s, s:I, s:I, s:I}", "name",
						view_clean(a, x->part[p].section, strlen(x->part[p].section)), "offset",
						(json_int_t)x->part[p].at, "first", (json_int_t)x->part[p].first,
						"instructions", (json_int_t)x->part[p].n));
	for (uint32_t p = 1; p < k->nproc; p++)
		json_array_append_new(functions, json_pack("{s:s, s:I}", "name",
							   view_clean(a, k->proc[p].name, strlen(k->proc[p].name)),
							   "block", (json_int_t)k->proc[p].first));
	for (uint32_t p = 0; p < x->nnote; p++)
		json_array_append_new(notes, json_pack("{s:I, s:s}", "instruction", (json_int_t)x->note[p].insn, "text",
						       view_clean(a, x->note[p].what, strlen(x->note[p].what))));
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "sm", (json_int_t)x->sm,
			 "code_bytes", (json_int_t)k->ninsn * NATIVE_BYTES, "unknown_instructions",
			 (json_int_t)x->unknown, "uncertain_instructions", (json_int_t)x->unsure, "registers_taken",
			 (json_int_t)registers_taken(k), "local_loads", (json_int_t)n.loads, "local_stores",
			 (json_int_t)n.stores, "sections", parts, "functions", functions, "notes", notes,
			 "not_executed", refused);
}
