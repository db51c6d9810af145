/* Evidence from the control flow: scoreboards, registers that nobody wrote, and what is live at the start. */
#include "analyzer/sass/latency.h"
#include "test/sass/evidence.h"

#include <string.h>

enum { WORDS = (MREG_ALL + 63) / 64, SCOREBOARDS = BARRIERS_OF_DEPENDENCE };

/* ---- scoreboards ----
 * On every way to an instruction: the registers that instructions before it will still write, or still read, by the
 * scoreboard that they raised and that none between has waited for. Functions begin with none, and a call leaves all as
 * they are: what a callee does with its caller's is not followed. What is known of the machine, each met in the test
 * cubins again and again:
 *   - predicates and uniform registers are read at issue: no scoreboard holds them for reading; convergence barriers
 * have none;
 *   - who waits for the result has waited for the reading as well (tied);
 *   - memory instructions read their operands in order, and so do those of double precision: a later one may write what
 * an earlier one reads;
 *   - the predicate of an atomic (whether the address was one that it can serve) is there when its operands are read;
 *   - what lanes write under a predicate does not stand in the way of the other lanes. */
struct pending {
	uint64_t write[SCOREBOARDS][WORDS], read[SCOREBOARDS][WORDS], tied[SCOREBOARDS][WORDS];
};

static bool join(struct pending *to, const struct pending *from)
{
	uint64_t *t = &to->write[0][0];
	const uint64_t *f = &from->write[0][0];
	bool more = false;

	for (size_t i = 0; i < sizeof *to / sizeof *t; i++) {
		more |= (f[i] & ~t[i]) != 0;
		t[i] |= f[i];
	}
	return more;
}

static void wait_for(struct pending *p, unsigned board)
{
	for (unsigned b = 0; b < SCOREBOARDS; b++)
		for (unsigned x = 0; x < WORDS; x++)
			p->read[b][x] &= ~p->tied[board][x];
	memset(p->write[board], 0, sizeof p->write[board]);
	memset(p->read[board], 0, sizeof p->read[board]);
	memset(p->tied[board], 0, sizeof p->tied[board]);
}

static int held(uint64_t set[SCOREBOARDS][WORDS], uint32_t r)
{
	for (int b = 0; b < SCOREBOARDS; b++)
		if (bitset_has(set[b], r))
			return b;
	return -1;
}

/* Who reads operands in the order of its instructions. */
static enum sass_queue queue_of(const struct kernel *k, uint32_t i)
{
	struct sass_insn s;

	sass_decode(k->native->sm, insn_word(k, i), &s);
	return sass_queue(k->native->sm, sass_unit(&s));
}

static bool touches(const struct kernel *k, uint32_t i, uint32_t r, bool write)
{
	struct reg_use use[REG_USE_MAX];
	const unsigned n = insn_reg_uses(k, &k->insn[i], use);

	for (unsigned u = 0; u < n; u++)
		if (use[u].reg == r && use[u].write == write)
			return true;
	return false;
}

/* The instruction of block b before i by which scoreboard BOARD holds r; i itself if it is in another block. */
static uint32_t holder(const struct kernel *k, uint32_t b, uint32_t i, unsigned board, uint32_t r, bool write)
{
	for (uint32_t j = i; j-- > k->block[b].first;) {
		const struct control_code c = sass_control(insn_word(k, j));

		if ((write ? c.wbar : c.rbar) == board && touches(k, j, r, write))
			return j;
	}
	return i;
}

/* Whether j, of the same block, is executed by lanes that do not execute i. */
static bool other_lanes(const struct kernel *k, uint32_t j, uint32_t i)
{
	const struct ref a = k->insn[j].guard, b = k->insn[i].guard;

	if (a.kind != REF_REG || b.kind != REF_REG || a.val != b.val || a.neg == b.neg)
		return false;
	for (uint32_t x = j; x < i; x++)
		if (touches(k, x, a.val, true))
			return false;
	return true;
}

/* One instruction: what it waits for, what it must not touch yet, what it leaves behind. E not NULL: violations are
 * reported. */
static void step(struct evidence *e, const struct kernel *k, uint32_t b, uint32_t i, struct pending *p)
{
	const struct sass_word w = insn_word(k, i);
	const struct control_code c = sass_control(w);
	struct reg_use use[REG_USE_MAX];
	unsigned n;
	uint64_t at;

	for (unsigned s = 0; s < SCOREBOARDS; s++)
		if (c.wait >> s & 1)
			wait_for(p, s);
	/* DEPBAR.LE SBn, k {mask}: of k > 0 those that are left are not known, so none is taken to be */
	if ((w.lo & 0xfff) == 0x91a) {
		if ((w.lo >> 44 & 7) < SCOREBOARDS)
			wait_for(p, w.lo >> 44 & 7);
		for (unsigned s = 0; s < SCOREBOARDS; s++)
			if (w.lo >> (32 + s) & 1)
				wait_for(p, s);
	}
	if (op_info[k->insn[i].op].flags & (OPF_UNKNOWN | OPF_CALL))
		return;
	n = insn_reg_uses(k, &k->insn[i], use);
	for (unsigned u = 0; e && u < n; u++) {
		const uint32_t r = use[u].reg;
		int writes = held(p->write, r), reads = use[u].write ? held(p->read, r) : -1;

		if (writes >= 0 && other_lanes(k, holder(k, b, i, (unsigned)writes, r, true), i))
			writes = -1;
		if (reads >= 0) {
			const uint32_t j = holder(k, b, i, (unsigned)reads, r, false);

			if ((queue_of(k, i) && queue_of(k, i) == queue_of(k, j)) || other_lanes(k, j, i))
				reads = -1;
		}
		if (writes >= 0 || reads >= 0) {
			const char *where = insn_where(k, i, &at);

			violation(e, CHECK_BARRIERS, where, at,
				  arena_printf(&e->a, "%s %s, which scoreboard %d still holds to be %s: %s",
					       use[u].write ? "writes" : "reads", reg_name(e, r),
					       writes >= 0 ? writes : reads, writes >= 0 ? "written" : "read",
					       k->native->print(&e->a, k, i)));
		}
	}
	for (unsigned u = 0; u < n; u++) {
		const uint32_t r = use[u].reg;
		const bool early = mreg_is_pred(r) && k->insn[i].op == OP_SASS_ATOMIC && c.rbar < SCOREBOARDS;
		const unsigned board = early ? c.rbar : c.wbar;

		if (use[u].write && board < SCOREBOARDS && mreg_file(r) != FILE_CBAR) {
			bitset_add(p->write[board], r);
			if (e)
				e->npending++;
		}
		if (!use[u].write && c.rbar < SCOREBOARDS && mreg_file(r) == FILE_GPR) {
			bitset_add(p->read[c.rbar], r);
			if (c.wbar < SCOREBOARDS)
				bitset_add(p->tied[c.wbar], r);
			if (e)
				e->npending++;
		}
	}
}

void check_barriers(struct evidence *e, const struct kernel *k)
{
	const struct cfg *g = k->cfg->local;
	struct pending *in = new_array(&e->a, struct pending, k->nblock + 1), now;
	bool *again = new_array(&e->a, bool, k->nblock + 1), any = true;

	memset(again, 1, k->nblock);
	while (any) {
		any = false;
		for (uint32_t b = 0; b < k->nblock; b++) {
			if (!again[b])
				continue;
			again[b] = false;
			now = in[b];
			for (uint32_t i = 0; i < k->block[b].n; i++)
				step(NULL, k, b, k->block[b].first + i, &now);
			for (uint32_t s = g->succ_at[b]; s < g->succ_at[b + 1]; s++)
				if (join(&in[g->succ[s]], &now))
					again[g->succ[s]] = any = true;
		}
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		now = in[b];
		for (uint32_t i = 0; i < k->block[b].n; i++)
			step(e, k, b, k->block[b].first + i, &now);
	}
}

/* ---- registers that nothing wrote ---- */
static void note_writes(const struct kernel *k, uint32_t b, uint64_t set[WORDS])
{
	struct reg_use use[REG_USE_MAX];

	for (uint32_t i = 0; i < k->block[b].n; i++)
		for (unsigned u = 0, n = insn_reg_uses(k, &k->insn[k->block[b].first + i], use); u < n; u++)
			if (use[u].write)
				bitset_add(set, use[u].reg);
}

/* A function saves registers that are its caller's, whether or not the caller has something in them. */
static bool saves(const struct kernel *k, uint32_t b, uint32_t i)
{
	return k->nproc > 1 && b >= k->proc[1].first && k->insn[i].op == OP_SASS_STORE && k->insn[i].space == SP_LOCAL;
}

static void read_unwritten(struct evidence *e, const struct kernel *k, uint32_t b, uint32_t i, uint32_t r,
			   struct row *row)
{
	uint64_t at;
	const char *where = insn_where(k, i, &at);

	if (op_info[k->insn[i].op].flags & (OPF_UNKNOWN | OPF_CALL))
		return;
	if (saves(k, b, i)) {
		e->found[CHECK_UNWRITTEN]++;
		return;
	}
	row->unwritten++;
	violation(e, CHECK_UNWRITTEN, where, at,
		  arena_printf(&e->a, "reads %s, which nothing before writes: %s", reg_name(e, r),
			       k->native->print(&e->a, k, i)));
}

/* The first instruction on a way from the entry on which nothing writes r in every lane, that reads it. */
static uint32_t first_read(struct evidence *e, const struct kernel *k, uint32_t r)
{
	const struct cfg *g = k->cfg;
	uint32_t *queue = new_array(&e->a, uint32_t, k->nblock + 1), n = 1;
	bool *seen = new_array(&e->a, bool, k->nblock + 1);

	seen[0] = true;
	for (uint32_t q = 0; q < n; q++) {
		const uint32_t b = queue[q], end = k->block[b].first + k->block[b].n;
		bool killed = false;

		for (uint32_t i = k->block[b].first; i < end && !killed; i++) {
			struct reg_use use[REG_USE_MAX];
			const unsigned uses = insn_reg_uses(k, &k->insn[i], use);

			for (unsigned u = 0; u < uses; u++)
				if (use[u].reg == r && !use[u].write)
					return i;
			for (unsigned u = 0; u < uses; u++)
				killed |= use[u].reg == r && use[u].write && insn_kills(&k->insn[i]);
		}
		for (uint32_t s = g->succ_at[b]; !killed && s < g->succ_at[b + 1]; s++)
			if (!seen[g->succ[s]]) {
				seen[g->succ[s]] = true;
				queue[n++] = g->succ[s];
			}
	}
	return 0;
}

void check_unwritten(struct evidence *e, const struct kernel *k, struct row *row)
{
	const struct cfg *g = k->cfg;
	uint64_t(*in)[WORDS] = (uint64_t(*)[WORDS])new_array(&e->a, uint64_t, (k->nblock + 1) * (size_t)WORDS),
	now[WORDS], never[WORDS] = { 0 };
	struct live_set entry;
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t x = 0; x < g->nrpo; x++) {
			const uint32_t b = g->rpo[x];

			memcpy(now, in[b], sizeof now);
			note_writes(k, b, now);
			for (uint32_t s = g->succ_at[b]; s < g->succ_at[b + 1]; s++)
				for (unsigned w = 0; w < WORDS; w++) {
					again |= (now[w] & ~in[g->succ[s]][w]) != 0;
					in[g->succ[s]][w] |= now[w];
				}
		}
	}
	for (uint32_t x = 0; x < g->nrpo; x++) {
		const uint32_t b = g->rpo[x];
		struct reg_use use[REG_USE_MAX];

		memcpy(now, in[b], sizeof now);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			const unsigned n = insn_reg_uses(k, &k->insn[i], use);

			for (unsigned u = 0; u < n; u++) {
				if (use[u].write || mreg_file(use[u].reg) == FILE_CBAR)
					continue;
				e->nread++;
				if (!bitset_has(now, use[u].reg)) {
					bitset_add(never, use[u].reg);
					read_unwritten(e, k, b, i, use[u].reg, row);
				}
			}
			for (unsigned u = 0; u < n; u++)
				if (use[u].write)
					bitset_add(now, use[u].reg);
		}
	}
	e->nkernel++;
	entry = live_in(k, 0);
	for (uint32_t r = 0; r < entry.n; r++) {
		uint32_t i;
		uint64_t at;

		if (bitset_has(never, entry.reg[r]) || mreg_file(entry.reg[r]) == FILE_CBAR)
			continue;
		i = first_read(e, k, entry.reg[r]);
		insn_where(k, i, &at);
		/* what a call may read: arguments by the ABI, and what it saves */
		if (saves(k, ir_block_of(k, i), i) || (op_info[k->insn[i].op].flags & (OPF_CALL | OPF_UNKNOWN))) {
			e->found[CHECK_ENTRY]++;
			continue;
		}
		violation(e, CHECK_ENTRY, k->name, at,
			  arena_printf(&e->a, "%s is live at the entry, and read here: %s", reg_name(e, entry.reg[r]),
				       k->native->print(&e->a, k, i)));
	}
}

void row_add(struct evidence *e, const struct row *row)
{
	if (e->csv)
		fprintf(e->csv, "%s,%u,%s,%u,%u,%u,%u,%u,%u,%u\n", e->name, e->c->sm, row->kernel, row->insns,
			row->declared, row->peak, row->unclaimed, row->unknown, row->unwritten, row->notes);
}
