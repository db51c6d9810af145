/* Is the machine code of a cubin read rightly? What a compiler always keeps says so, without a second decoder:
 *
 *   bytes      decoded and encoded again, every instruction is the same 128 bits, and no bit is left that no field
 *              explains
 *   registers  the highest register that a kernel's code names is below the number that the file declares, or that it
 *              takes (USETMAXREG)
 *   targets    branches stay in their section and lead to an instruction; exits and jump tables are where the file
 *              lists them
 *   alignment  a tuple of two registers begins at an even one, a longer one at a multiple of four
 *   barriers   no register is read or written while an instruction before holds it under a scoreboard that nobody
 *              waited for
 *   stalls     no register is read before the stall counts since let it be written, block by block (evidence_stalls.c)
 *   unwritten  no register is read that no instruction on any way there writes
 *   entry      no register but those is live where a kernel begins
 *   peak       no more registers are live at a point than that
 *   dead       what an instruction writes, some instruction reads (evidence_dead.c)
 *   entered    in a kernel that calls functions of its own through a register, control can come to every function: one
 *              that nobody calls by name has its address taken, and whoever misses how finds no way to it
 *
 * evidence [--csv FILE] [--allow FILE] [--break CHECK] [--open] [--forget] [--gaps] CUBIN...: a line for each
 * violation, and one for each check at the end. --allow names what is known and explained: lines "CHECK CUBIN KERNEL
 * OFFSET OPCODE why", each a pattern; '#' begins a comment. --break changes the first cubin in memory so that CHECK
 * must fail. --open lists what is not understood (evidence_open.c), --forget which reads the check of dead results
 * would miss (evidence_forget.c), --gaps the least cycles between what writes and what reads, as rows of latency.def.
 * Exit code 0 if every check holds, else 1. */
#include "test/sass/evidence.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char *const check_name[CHECK_COUNT] = { "bytes",     "registers", "targets", "alignment", "barriers", "stalls",
					      "unwritten", "entry",     "peak",    "dead",      "entered" };

static bool fits(const char *pattern, const char *s) { return fnmatch(pattern, s, 0) == 0; }

static bool allowed(struct evidence *e, enum check check, const char *kernel, uint64_t at, const char *what)
{
	char where[32];

	snprintf(where, sizeof where, "0x%llx", (unsigned long long)at);
	for (uint32_t i = 0; i < e->nallow; i++) {
		struct allow *w = &e->allow[i];

		if (fits(w->check, check_name[check]) && fits(w->cubin, e->name) && fits(w->kernel, kernel) &&
		    fits(w->at, where) && fits(w->insn, what)) {
			w->used = true;
			return true;
		}
	}
	return false;
}

void violation(struct evidence *e, enum check check, const char *kernel, uint64_t at, const char *what)
{
	bool known = allowed(e, check, kernel, at, what);

	e->found[check]++;
	if (known)
		return;
	e->bad[check]++;
	if (!e->quiet && (e->bad[check] <= 40 || e->verbose))
		printf("%s %s %s 0x%llx %s\n", check_name[check], e->name, kernel, (unsigned long long)at, what);
}

/* ---- instruction by instruction, as the sections hold them ---- */
struct sass_word word_at(const uint8_t *p)
{
	struct sass_word w;

	memcpy(&w.lo, p, 8);
	memcpy(&w.hi, p + 8, 8);
	return w;
}

static const char *text(struct evidence *e, uint64_t pc, const struct sass_insn *i)
{
	struct sass_print how = { .pc = pc };

	return i->row ? sass_print(&e->a, e->c->sm, i, &how) : "?";
}

/* Highest general register that an instruction names, + 1. */
static uint32_t highest(const struct sass_insn *i)
{
	uint32_t most = 0;

	for (unsigned o = 0; o < i->nop; o++)
		if (i->op[o].kind == SASS_GPR && i->op[o].reg != SASS_ZERO && i->op[o].n &&
		    i->op[o].reg + i->op[o].n > most)
			most = i->op[o].reg + i->op[o].n;
	return most;
}

static void check_bytes(struct evidence *e, const char *name, uint64_t pc, struct sass_word w,
			const struct sass_insn *i)
{
	struct sass_word again;

	e->ninsn++;
	if (!i->row) {
		e->nunknown++;
		violation(e, CHECK_BYTES, name, pc,
			  arena_printf(&e->a, "no row fits opcode 0x%03x, bit 91 %u: %016llx %016llx",
				       (unsigned)(w.lo & 0xfff), (unsigned)(w.hi >> 27 & 1), (unsigned long long)w.hi,
				       (unsigned long long)w.lo));
		return;
	}
	if (i->unclaimed.lo | i->unclaimed.hi) {
		e->nunclaimed++;
		violation(e, CHECK_BYTES, name, pc,
			  arena_printf(&e->a, "bits that no field explains, %016llx %016llx: %s",
				       (unsigned long long)i->unclaimed.hi, (unsigned long long)i->unclaimed.lo,
				       text(e, pc, i)));
		return;
	}
	note_open(e, i);
	again = sass_encode(e->c->sm, i);
	if (again.lo != w.lo || again.hi != w.hi)
		violation(e, CHECK_BYTES, name, pc,
			  arena_printf(&e->a, "encoded again differs by %016llx %016llx: %s",
				       (unsigned long long)(again.hi ^ w.hi), (unsigned long long)(again.lo ^ w.lo),
				       text(e, pc, i)));
}

static void check_alignment(struct evidence *e, const char *name, uint64_t pc, const struct sass_insn *i)
{
	for (unsigned o = 0; o < i->nop; o++) {
		const struct sass_operand *p = &i->op[o];
		uint32_t by;
		if (p->n <= 1)
			by = 1;
		else
			by = p->n == 2 ? 2 : 4;

		if ((p->kind != SASS_GPR && p->kind != SASS_UGPR) || p->reg == SASS_ZERO || by == 1)
			continue;
		e->nwide++;
		if (p->reg % (p->kind == SASS_UGPR ? 2 : by))
			violation(e, CHECK_ALIGNMENT, name, pc,
				  arena_printf(&e->a, "%u registers from %s%u on: %s", p->n,
					       p->kind == SASS_GPR ? "R" : "UR", p->reg, text(e, pc, i)));
	}
}

static bool relocated(const struct cubin *c, uint32_t shndx, uint64_t pc)
{
	for (uint32_t r = 0; r < c->nreloc; r++)
		if (c->reloc[r].shndx == shndx && c->reloc[r].offset / 16 == pc / 16)
			return true;
	return false;
}

static void check_target(struct evidence *e, const struct cubin_section *s, const char *name, uint64_t pc,
			 const struct sass_insn *i)
{
	enum sass_class class = sass_class(i);
	uint64_t to = pc + (uint64_t)i->target;

	if (!i->has_target || i->target_absolute || class == SCLASS_BRANCH_INDIRECT || class == SCLASS_CALL_INDIRECT ||
	    class == SCLASS_RETURN || relocated(e->c, s->shndx, pc))
		return;
	e->ntarget++;
	if (to >= s->size || to % 16)
		violation(e, CHECK_TARGETS, name, pc,
			  arena_printf(&e->a, "leads to 0x%llx, the section has 0x%llx bytes: %s",
				       (unsigned long long)to, (unsigned long long)s->size, text(e, pc, i)));
}

/* Places that .nv.info lists: offsets of exits and of indirect branches with what they may go to. */
static void check_listed(struct evidence *e, const struct cubin_section *s, const struct cubin_func *f)
{
	struct sass_insn i;

	for (uint32_t x = 0; x < f->nexit; x++) {
		e->nlisted++;
		if (f->exit[x] + 16 > s->size || !sass_decode(e->c->sm, word_at(s->bytes + f->exit[x]), &i) ||
		    sass_class(&i) != SCLASS_EXIT)
			violation(e, CHECK_TARGETS, f->name, f->exit[x], "listed as an exit, and is none");
	}
	for (uint32_t r = 0; r < f->nrange; r++) {
		const struct cubin_range *g = &f->range[r];

		e->nlisted++;
		if (g->offset + 16 > s->size || !sass_decode(e->c->sm, word_at(s->bytes + g->offset), &i) ||
		    (sass_class(&i) != SCLASS_BRANCH_INDIRECT && sass_class(&i) != SCLASS_CALL_INDIRECT))
			violation(e, CHECK_TARGETS, f->name, g->offset, "listed as an indirect branch, and is none");
		for (uint32_t t = 0; t < g->ntarget; t++)
			if (e->c->target[g->target_first + t] % 16 || e->c->target[g->target_first + t] >= s->size)
				violation(e, CHECK_TARGETS, f->name, g->offset,
					  "a target of its list is outside the section");
	}
}

static const struct cubin_func *owner_of(const struct cubin *c, uint32_t shndx)
{
	const struct cubin_func *best = NULL;

	for (uint32_t f = 0; f < c->nfunc; f++)
		if (c->func[f].shndx == shndx && (!best || (c->func[f].owner && !best->owner)))
			best = &c->func[f];
	return best;
}

static void check_section(struct evidence *e, const struct cubin_section *s)
{
	const struct cubin_func *f = owner_of(e->c, s->shndx);
	const char *name = f ? f->name : s->name;
	uint32_t most = 0, has = f ? f->regs : 0;
	uint64_t most_at = 0;
	struct sass_insn i;

	for (uint64_t pc = 0; pc + 16 <= s->size; pc += 16) {
		struct sass_word w = word_at(s->bytes + pc);

		sass_decode(e->c->sm, w, &i);
		check_bytes(e, name, pc, w, &i);
		check_alignment(e, name, pc, &i);
		check_target(e, s, name, pc, &i);
		has = sass_takes_registers(&i) > has ? sass_takes_registers(&i) : has;
		if (highest(&i) > most) {
			most = highest(&i);
			most_at = pc;
		}
	}
	if (!f)
		return;
	check_listed(e, s, f);
	if (!f->regs)
		return;
	e->ndeclared++;
	e->nexact += most + 2 == f->regs;
	if (most + 2 != f->regs)
		printf("note %s %s: names R%d at most, declares %u\n", e->name, name, (int)most - 1, f->regs);
	if (most > has)
		violation(e, CHECK_REGISTERS, name, most_at,
			  arena_printf(&e->a, "names R%u, %u are declared", most - 1, f->regs));
}

/* ---- kernels, as the IR has them ---- */
struct sass_word insn_word(const struct kernel *k, uint32_t i)
{
	return (struct sass_word){ k->native->word[i][0], k->native->word[i][1] };
}

const char *insn_where(const struct kernel *k, uint32_t i, uint64_t *at)
{
	const struct native *n = k->native;

	for (uint32_t p = 0; p < n->npart; p++)
		if (i - n->part[p].first < n->part[p].n) {
			*at = n->part[p].at + 16 * (uint64_t)(i - n->part[p].first);
			return n->part[p].section;
		}
	*at = 0;
	return "?";
}

const char *reg_name(struct evidence *e, uint32_t r)
{
	enum reg_file f = mreg_file(r);

	return arena_printf(&e->a, "%s%u", reg_file_prefix[f], r - mreg_first(f));
}

/* A call through a register, relative to the section: of a function in it. */
static bool calls_own(struct sass_word w, unsigned sm)
{
	struct sass_insn s;

	return sass_decode(sm, w, &s) && sass_class(&s) == SCLASS_CALL_INDIRECT && s.has_target;
}

static void check_entered(struct evidence *e, const struct kernel *k)
{
	bool through_register = false;
	uint64_t at;

	for (uint32_t i = 0; i < k->ninsn; i++)
		through_register |= k->insn[i].op == OP_SASS_CALLX || calls_own(insn_word(k, i), e->c->sm);
	for (uint32_t p = 1; p < k->nproc && through_register; p++) {
		const char *section = insn_where(k, k->block[k->proc[p].first].first, &at);

		e->nfunction++;
		if (k->cfg->rpo_index[k->proc[p].first] == UINT32_MAX)
			violation(
				e, CHECK_ENTERED, k->name, at,
				arena_printf(&e->a, "no way leads to the function %s in %s", k->proc[p].name, section));
	}
}

static void check_kernel(struct evidence *e, struct kernel *k, const struct cubin_func *f)
{
	struct row row = { .kernel = k->name,
			   .insns = k->ninsn,
			   .declared = f ? f->regs : 0,
			   .unknown = k->native->unknown,
			   .notes = k->native->nnote };
	uint32_t has = row.declared;
	struct pass_ctx cx;

	pass_ctx_init(&cx, &e->d);
	if (!pass_need(k, FACT_CFG | FACT_LIVE, &cx)) {
		violation(e, CHECK_PEAK, k->name, 0, "no liveness");
		pass_ctx_free(&cx);
		return;
	}
	row.peak = k->live->max_live32;
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_insn s;

		row.unclaimed += sass_decode(e->c->sm, insn_word(k, i), &s) && (s.unclaimed.lo | s.unclaimed.hi);
		has = sass_takes_registers(&s) > has ? sass_takes_registers(&s) : has;
	}
	if (row.declared && row.peak > has)
		violation(e, CHECK_PEAK, k->name, 0,
			  arena_printf(&e->a, "%u registers are live at a point, %u are declared", row.peak,
				       row.declared));
	check_barriers(e, k);
	check_stalls(e, k);
	check_unwritten(e, k, &row);
	check_dead(e, k);
	check_entered(e, k);
	if (e->forget)
		forget_reads(e, k, &cx);
	row_add(e, &row);
	pass_ctx_free(&cx);
}

static const struct cubin_func *entry_named(const struct cubin *c, const char *name)
{
	for (uint32_t f = 0; f < c->nfunc; f++)
		if (c->func[f].entry && strcmp(c->func[f].name, name) == 0)
			return &c->func[f];
	return NULL;
}

static bool has_entry(const struct cubin *c)
{
	for (uint32_t f = 0; f < c->nfunc; f++)
		if (c->func[f].entry)
			return true;
	return false;
}

static bool examine_in(struct evidence *e, const char *path, const char *broken)
{
	struct source s;
	struct module *m;

	e->c = source_read(&s, path, &e->a, &e->d) ? cubin_read(&s, &e->a, &e->d) : NULL;
	if (e->c && broken) {
		if (!break_cubin(e, &s, broken))
			return false;
		e->c = cubin_read(&s, &e->a, &e->d);
	}
	if (!e->c)
		return false;
	for (uint32_t x = 0; x < e->c->nsection; x++)
		if (e->c->section[x].bytes && strncmp(e->c->section[x].name, ".text", 5) == 0 &&
		    e->c->section[x].type == 1)
			check_section(e, &e->c->section[x]);
	if (!has_entry(e->c))
		return true;
	m = sass_lift(e->c, &e->a, &e->d);
	for (uint32_t k = 0; m && k < m->nkernel; k++)
		check_kernel(e, m->kernel[k], entry_named(e->c, m->kernel[k]->name));
	return m != NULL;
}

static bool examine(struct evidence *e, const char *path, const char *broken)
{
	bool ok;

	arena_init(&e->a);
	diag_init(&e->d, stderr);
	e->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	ok = examine_in(e, path, broken);
	diag_free(&e->d);
	arena_free(&e->a);
	return ok;
}

/* ---- what the command is told ---- */
static bool read_allowed(struct evidence *e, const char *path)
{
	char line[400], check[32], cubin[128], kernel[128], at[32], insn[128], pattern[160];
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '#' || sscanf(line, "%31s %127s %127s %31s %127s", check, cubin, kernel, at, insn) != 5)
			continue;
		snprintf(pattern, sizeof pattern, strcmp(insn, "*") == 0 ? "*" : "*: *%s*", insn);
		e->allow = realloc(e->allow, (e->nallow + 1) * sizeof *e->allow);
		if (!e->allow)
			abort();
		e->allow[e->nallow++] = (struct allow){ strdup(check), strdup(cubin),   strdup(kernel),
							strdup(at),    strdup(pattern), false };
	}
	fclose(f);
	return true;
}

static void count_line(const struct evidence *e, enum check c, unsigned long long of, const char *what)
{
	printf("%-10s %8llu %-42s %llu violations, %llu explained\n", check_name[c], of, what,
	       (unsigned long long)e->bad[c], (unsigned long long)(e->found[c] - e->bad[c]));
}

static int summary(struct evidence *e)
{
	uint64_t bad = 0;

	count_line(e, CHECK_BYTES, e->ninsn, "instructions decoded and encoded");
	count_line(e, CHECK_REGISTERS, e->ndeclared, "functions that declare registers");
	count_line(e, CHECK_TARGETS, e->ntarget + e->nlisted, "targets and listed places");
	count_line(e, CHECK_ALIGNMENT, e->nwide, "tuples");
	count_line(e, CHECK_BARRIERS, e->npending, "registers seen under a scoreboard");
	count_line(e, CHECK_STALLS, e->nstall, "reads of results of fixed latency");
	count_line(e, CHECK_UNWRITTEN, e->nread, "registers read");
	count_line(e, CHECK_ENTRY, e->nkernel, "kernels");
	count_line(e, CHECK_PEAK, e->nkernel, "kernels");
	count_line(e, CHECK_DEAD, e->nresult, "registers written");
	count_line(e, CHECK_ENTERED, e->nfunction, "functions of kernels that call through registers");
	if (e->list_open)
		print_open(e);
	if (e->forget)
		print_forgotten(e);
	if (e->list_gaps)
		print_gaps(e);
	if (e->nkept)
		printf("not asked for dead results: %llu kernels that ptxas did not optimise\n",
		       (unsigned long long)e->nkept);
	printf("not wholly understood %llu instructions, operands not certain %llu\n", (unsigned long long)e->nvague,
	       (unsigned long long)e->nunsure);
	printf("unknown opcodes %llu, with bits unexplained %llu; registers declared are those named and 2 more in "
	       "%llu of %llu\n",
	       (unsigned long long)e->nunknown, (unsigned long long)e->nunclaimed, (unsigned long long)e->nexact,
	       (unsigned long long)e->ndeclared);
	for (unsigned c = 0; c < CHECK_COUNT; c++)
		bad += e->bad[c];
	for (uint32_t i = 0; i < e->nallow && e->stale; i++)
		if (!e->allow[i].used) {
			printf("allowed, and no longer there: %s %s %s %s %s\n", e->allow[i].check, e->allow[i].cubin,
			       e->allow[i].kernel, e->allow[i].at, e->allow[i].insn);
			bad++;
		}
	return bad ? 1 : 0;
}

static void forget(struct evidence *e)
{
	for (uint32_t i = 0; i < e->nallow; i++) {
		free(e->allow[i].check);
		free(e->allow[i].cubin);
		free(e->allow[i].kernel);
		free(e->allow[i].at);
		free(e->allow[i].insn);
	}
	free(e->allow);
	free(e->open);
	free(e->forgotten);
	free(e->gaps);
	if (e->csv)
		fclose(e->csv);
}

int main(int argc, char **argv)
{
	struct evidence e = { .nallow = 0 };
	const char *broken = NULL;
	bool whole = true;
	int i = 1, bad = 2;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--verbose") == 0) {
			e.verbose = true;
		} else if (strcmp(argv[i], "--stale") == 0) {
			e.stale = true;
		} else if (strcmp(argv[i], "--open") == 0) {
			e.list_open = true;
		} else if (strcmp(argv[i], "--gaps") == 0) {
			e.list_gaps = true;
		} else if (strcmp(argv[i], "--forget") == 0) {
			e.forget = true;
		} else if (i + 1 < argc && strcmp(argv[i], "--csv") == 0 && (e.csv = fopen(argv[i + 1], "w"))) {
			fprintf(e.csv,
				"cubin,sm,kernel,instructions,declared,peak,unclaimed,unknown,unwritten,notes\n");
			i++;
		} else if (i + 1 < argc && strcmp(argv[i], "--allow") == 0 && read_allowed(&e, argv[i + 1])) {
			i++;
		} else if (i + 1 < argc && strcmp(argv[i], "--break") == 0) {
			broken = argv[++i];
		} else {
			fprintf(stderr, "evidence: %s\n", argv[i]);
			goto out;
		}
	}
	for (; i < argc && whole; i++) {
		whole = examine(&e, argv[i], broken);
		if (!whole)
			printf("%s: cannot be examined\n", argv[i]);
	}
	bad = summary(&e) || !whole;
out:
	forget(&e);
	return bad;
}
