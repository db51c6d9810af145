/* Cubins of our own kernels in the IR: places, functions, branches, damage; every pass with its oracle. Run from the
 * root of the tree. */
#include "test/unit/lift_fixture.h"

#include <glob.h>

Suite *suite_lift(void);

/* Part, word and text of each instruction belong together, and no general register is used beyond those declared, or
 * taken while it runs. */
static void check_places(const struct kernel *k)
{
	const struct native *n = k->native;
	uint32_t at = 0, has = k->res.regs;

	ck_assert(n && n->npart);
	for (uint32_t p = 0; p < n->npart; p++) {
		ck_assert_uint_eq(n->part[p].first, at);
		ck_assert_uint_eq(n->part[p].at % 16, 0);
		at += n->part[p].n;
	}
	ck_assert_uint_eq(at, k->ninsn);
	ck_assert_str_eq(ir_where(&arena, k, &k->insn[0]),
			 arena_printf(&arena, "%s+0x%llx", n->part[0].section, (unsigned long long)n->part[0].at));
	if (n->npart > 1)
		ck_assert_str_eq(
			ir_where(&arena, k, &k->insn[n->part[1].first + 1]),
			arena_printf(&arena, "%s+0x%llx", n->part[1].section, (unsigned long long)n->part[1].at + 16));
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_insn s;

		sass_decode_words(n->sm, n->word[i], &s);
		has = sass_takes_registers(&s) > has ? sass_takes_registers(&s) : has;
		if (s.has_target && sass_class(&s) == SCLASS_BRANCH && k->insn[i].op == OP_SASS_BRANCH) {
			const uint32_t to = k->block[insn_src(k, &k->insn[i])[k->insn[i].nsrc - 1].val].first;
			uint32_t from = 0, into = 0;

			while (from + 1 < n->npart && n->part[from + 1].first <= i)
				from++;
			while (into + 1 < n->npart && n->part[into + 1].first <= to)
				into++;
			ck_assert_uint_eq(from, into);
			ck_assert_int_eq(16 * ((int64_t)to - (int64_t)i), s.target);
		}
	}
	ck_assert_uint_le(k->live->max_live32, has);
}

START_TEST(every_cubin_is_analysed_and_every_oracle_agrees)
{
	static const char *const which[] = { CUBINS "*.sm_75.cubin", CUBINS "*.sm_90a.cubin" };
	glob_t g;

	ck_assert_int_eq(glob(which[_i], 0, NULL, &g), 0);
	for (size_t f = 0; f < g.gl_pathc; f++) {
		struct module *m = lifted(g.gl_pathv[f]);

		ck_assert_uint_gt(m->nkernel, 0);
		for (uint32_t k = 0; k < m->nkernel; k++) {
			ck_assert_msg(ir_verify(m->kernel[k], &diag) && pass_need(m->kernel[k], FACT_ALL, &cx), "%s",
				      diag.last);
			check_places(m->kernel[k]);
		}
		arena_reset(&arena);
	}
	globfree(&g);
}
END_TEST

static uint32_t count(const struct kernel *k, enum op op)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->ninsn; i++)
		n += k->insn[i].op == op;
	return n;
}

START_TEST(control_flow_is_what_the_code_says)
{
	struct module *m = lifted(CUBINS "control.sm_80.cubin");
	uint32_t tables = 0, calls = 0, returns = 0, procs = 0;

	for (uint32_t n = 0; n < m->nkernel; n++) {
		const struct kernel *k = m->kernel[n];

		tables += count(k, OP_SASS_TABLE);
		calls += count(k, OP_SASS_CALL);
		returns += count(k, OP_SASS_RETURN);
		procs += k->nproc;
		for (uint32_t t = 0; t < k->ntable; t++)
			ck_assert_uint_gt(k->table[t].n, 1);
		for (uint32_t i = 0; i < k->ninsn; i++)
			if (op_info[k->insn[i].op].flags & OPF_EXIT && k->insn[i].guard.kind == REF_NONE)
				ck_assert(insn_kills(&k->insn[i]));
		ck_assert_uint_eq(k->native->unknown, 0);
	}
	ck_assert_uint_gt(tables, 0);
	ck_assert_uint_gt(calls, 0);
	ck_assert_uint_ge(returns, 1);
	ck_assert_uint_gt(procs, 1);
}
END_TEST

/* Byte offset in the file of the first instruction of such a row in some kernel, with that constant if it is not 0. */
static uint64_t place_of(const struct cubin *c, const struct module *m, enum op op, uint32_t constant)
{
	for (uint32_t n = 0; n < m->nkernel; n++)
		for (uint32_t i = 0; i < m->kernel[n]->native->part[0].n; i++)
			if (m->kernel[n]->insn[i].op == op &&
			    (!constant || m->kernel[n]->native->word[i][0] >> 32 == constant))
				for (uint32_t s = 0; s < c->nsection; s++)
					if (strcmp(c->section[s].name, m->kernel[n]->native->part[0].section) == 0)
						return c->section[s].offset + m->kernel[n]->native->part[0].at +
						       16 * (uint64_t)i;
	ck_abort_msg("no such instruction");
	return 0;
}

/* The cubin with bits of its first such instruction changed: `set` and `clear` of the low half, then of the high
 * one. */
static struct module *changed(enum op op, uint32_t constant, const uint64_t set[2], const uint64_t clear[2])
{
	struct source s;
	struct cubin *c = cubin_of(CUBINS "control.sm_80.cubin", &s);
	const struct module *m = lift_checked(c);
	uint64_t at;

	at = place_of(c, m, op, constant);
	ck_assert_uint_le(at + 16, s.len);
	for (unsigned byte = 0; byte < 16; byte++) {
		char *p = (char *)(uintptr_t)s.text + at + byte;

		*p = (char)((*p & ~(clear[byte / 8] >> byte % 8 * 8)) | set[byte / 8] >> byte % 8 * 8);
	}
	return sass_lift(cubin_of_source(&s), &arena, &diag);
}
#define BIT(n) (UINT64_C(1) << (n) % 64)

static const char *note_of(const struct kernel *k, uint32_t i)
{
	for (uint32_t n = 0; n < k->native->nnote; n++)
		if (k->native->note[n].insn == i)
			return k->native->note[n].what;
	return "";
}

static bool in_set(struct live_set s, uint32_t r)
{
	for (uint32_t n = 0; n < s.n; n++)
		if (s.reg[n] == r)
			return true;
	return false;
}

/* What lives across a call of whatever a register names lives in each function that it may be, as far as that does not
 * write it. */
static unsigned check_calls_of_any(const struct kernel *k)
{
	unsigned found = 0;

	for (uint32_t b = 0; b + 1 < k->nblock; b++) {
		const struct insn *call = ir_block_end(k, b, OPF_CALL);

		if (!call || call->op != OP_SASS_CALLX)
			continue;
		ck_assert_uint_gt(ir_targets(k, call).n, 0);
		for (uint32_t p = 1; p < k->nproc; p++) {
			const struct ir_targets targets = ir_targets(k, call);
			const uint32_t first = k->proc[p].first,
				       end = p + 1 < k->nproc ? k->proc[p + 1].first : k->nblock;
			const struct live_set behind = live_in(k, b + 1);
			uint32_t among = 0;

			ck_assert_uint_ne(k->cfg->rpo_index[first], UINT32_MAX);
			while (among < targets.n && ir_target(&targets, among) != first)
				among++;
			for (uint32_t n = 0; n < behind.n && among < targets.n; n++) {
				bool written = false;

				for (uint32_t i = k->block[first].first;
				     i < (end < k->nblock ? k->block[end].first : k->ninsn) && !written; i++) {
					struct reg_use use[REG_USE_MAX];

					for (unsigned u = insn_reg_uses(k, &k->insn[i], use); u-- > 0;)
						written |= use[u].write && use[u].reg == behind.reg[n];
				}
				ck_assert_msg(written || in_set(live_in(k, first), behind.reg[n]),
					      "%s, function %u, register %u", k->name, p, behind.reg[n]);
				found += !written;
			}
		}
	}
	return found;
}

START_TEST(functions_are_entered_by_calls_of_what_a_register_names)
{
	unsigned found = 0;
	glob_t g;

	ck_assert_int_eq(glob(CUBINS "control.*.cubin", 0, NULL, &g), 0);
	for (size_t f = 0; f < g.gl_pathc; f++) {
		struct module *m = lifted(g.gl_pathv[f]);

		for (uint32_t k = 0; k < m->nkernel; k++) {
			ck_assert(pass_need(m->kernel[k], FACT_CFG | FACT_LIVE, &cx));
			found += check_calls_of_any(m->kernel[k]);
		}
		arena_reset(&arena);
	}
	globfree(&g);
	ck_assert_uint_gt(found, 0);
}
END_TEST

START_TEST(a_branch_out_of_its_section_is_noted_and_reads_everything)
{
	const struct module *was = lifted(CUBINS "control.sm_80.cubin"),
			    *m = changed(OP_SASS_BRANCH, 0, (const uint64_t[]){ BIT(60), 0 },
					 (const uint64_t[]){ 0, 0 });
	uint32_t met = 0;

	ck_assert_msg(m, "%s", diag.last);
	for (uint32_t n = 0; n < m->nkernel; n++)
		for (uint32_t i = 0; i < m->kernel[n]->ninsn; i++) {
			const struct kernel *k = m->kernel[n];
			const char *note = note_of(k, i);

			if (k->native->word[i][0] == was->kernel[n]->native->word[i][0])
				continue;
			met++;
			ck_assert_uint_eq(k->insn[i].op, OP_SASS_LEAVE);
			ck_assert_msg(strstr(note, "branches to 0x") &&
					      strstr(note, "where its section has no instruction"),
				      "%s", note);
		}
	ck_assert_uint_eq(met, 1);
	ck_assert_uint_eq(diag.errors, 0);
}
END_TEST

/* ptxas writes some branches so: no return address is kept (.NOINC, bit 86), and none is given. */
START_TEST(a_call_into_its_own_function_is_a_branch)
{
	const struct module *was = lifted(CUBINS "control.sm_80.cubin");

	for (unsigned noinc = 0; noinc < 2; noinc++) {
		const struct module *m = changed(OP_SASS_BRANCH, 0, (const uint64_t[]){ 0, noinc ? BIT(86) : 0 },
						 (const uint64_t[]){ 3, BIT(86) });
		unsigned found = 0;

		ck_assert_msg(m, "%s", diag.last);
		for (uint32_t n = 0; n < m->nkernel; n++)
			for (uint32_t i = 0; i < m->kernel[n]->ninsn; i++) {
				const struct kernel *k = m->kernel[n], *w = was->kernel[n];
				const enum op called = k->nproc ? OP_SASS_CALLX : OP_SASS_UNKNOWN;

				if (k->native->word[i][0] == w->native->word[i][0])
					continue;
				found++;
				ck_assert_uint_eq(k->insn[i].op, noinc ? OP_SASS_BRANCH : called);
				ck_assert_uint_eq(k->native->nnote, w->native->nnote + !noinc);
				if (noinc)
					ck_assert_uint_eq(insn_src(k, &k->insn[i])[k->insn[i].nsrc - 1].val,
							  insn_src(w, &w->insn[i])[w->insn[i].nsrc - 1].val);
				else
					ck_assert_str_eq(note_of(k, i), "calls into the middle of a function");
			}
		ck_assert_uint_eq(found, 1);
	}
}
END_TEST

/* Before its first call the kernel `calls` has MOV R20, 0xe0, which is where the function returns to. */
START_TEST(a_return_address_that_is_not_behind_the_call_is_not_followed)
{
	const struct module *was = lifted(CUBINS "control.sm_80.cubin");
	const struct module *m =
		changed(OP_SASS_MOVE, 0xe0, (const uint64_t[]){ BIT(36), 0 }, (const uint64_t[]){ 0, 0 });
	unsigned found = 0;

	ck_assert_msg(m, "%s", diag.last);
	for (uint32_t n = 0; n < m->nkernel; n++)
		for (uint32_t i = 0; i < m->kernel[n]->ninsn; i++) {
			if (was->kernel[n]->insn[i].op != OP_SASS_CALL || m->kernel[n]->insn[i].op == OP_SASS_CALL)
				continue;
			found++;
			ck_assert_uint_eq(m->kernel[n]->insn[i].op, OP_SASS_CALLX);
			ck_assert_str_eq(note_of(m->kernel[n], i),
					 "is given another return address than that of the next instruction");
		}
	ck_assert_uint_eq(found, 1);
}
END_TEST

static bool written_before(const struct kernel *k, uint32_t i, uint32_t r)
{
	for (uint32_t j = 0; j < i; j++)
		for (unsigned n = 0; n < k->insn[j].ndst; n++)
			if (insn_dst(k, &k->insn[j])[n].val == r || op_info[k->insn[j].op].flags & OPF_UNKNOWN)
				return true;
	return false;
}

START_TEST(an_unknown_opcode_is_conservative)
{
	struct module *m = changed(OP_SASS_IMAD, 0, (const uint64_t[]){ BIT(8), 0 }, (const uint64_t[]){ 0, 0 });
	uint32_t unknown = 0;

	ck_assert_msg(m, "%s", diag.last);
	for (uint32_t n = 0; n < m->nkernel; n++)
		for (uint32_t i = 0; i < m->kernel[n]->ninsn; i++) {
			struct kernel *k = m->kernel[n];
			struct reg_use use[REG_USE_MAX];
			unsigned uses, written = 0;

			if (k->insn[i].op != OP_SASS_UNKNOWN || !(k->insn[i].mods & MOD_MAY) || !k->native->unknown)
				continue;
			unknown++;
			uses = insn_reg_uses(k, &k->insn[i], use);
			for (unsigned u = 0; u < uses; u++)
				written += use[u].write;
			ck_assert_uint_eq(written, bitset_count(k->native->named, MREG_ALL));
			ck_assert_uint_le(uses, 2 * written);
			ck_assert_msg(pass_need(k, FACT_ALL, &cx), "%s", diag.last);
			/* in the first block: nothing that was not written yet */
			for (unsigned u = 0; u < uses && i < k->block[0].n; u++)
				ck_assert(use[u].write || written_before(k, i, use[u].reg));
		}
	ck_assert_uint_ge(unknown, 1);
}
END_TEST

/* Words put in the place of an IMAD: which registers they read (or write) for certain. */
#define CONTROL (BIT(105) | BIT(109) | UINT64_C(63) << 46)
static const struct {
	const char *what;
	uint64_t word[2];
	enum op op;
	uint32_t reads[3], writes[3], not ;
	bool deduced;
} partly[] = {
	{ "UR2UP writes uniform predicates",
	  { 0x0000007f04007884, BIT(91) | CONTROL },
	  OP_SASS_UNIFORM,
	  { MREG_UR0 + 4 },
	  { MREG_UP0, MREG_UP0 + 6 },
	  MREG_P0,
	  true },
	{ "BREAK takes lanes from what the barrier has",
	  { 0x7942, UINT64_C(7) << 23 | CONTROL },
	  OP_SASS_SYNC,
	  { MREG_B0 },
	  { MREG_B0 },
	  MREG_B0 + 1,
	  false },
	{ "R2P by a mask in a register",
	  { 0x0000000504007204, CONTROL },
	  OP_SASS_PRED,
	  { 4, 5, MREG_P0 + 6 },
	  { MREG_P0, MREG_P0 + 6 },
	  MREG_UP0,
	  true },
};

START_TEST(registers_of_which_a_part_is_written_are_read)
{
	struct module *m = changed(OP_SASS_IMAD, 0, partly[_i].word, (const uint64_t[]){ UINT64_MAX, UINT64_MAX });
	bool met = false;

	ck_assert_msg(m, "%s", diag.last);
	for (uint32_t n = 0; n < m->nkernel; n++)
		for (uint32_t i = 0; i < m->kernel[n]->ninsn; i++) {
			const struct kernel *k = m->kernel[n];
			struct reg_use use[REG_USE_MAX];
			unsigned uses, reads = 0, writes = 0;

			if (k->native->word[i][0] != partly[_i].word[0])
				continue;
			met = true;
			ck_assert_uint_eq(k->insn[i].op, partly[_i].op);
			if (partly[_i].deduced) {
				ck_assert_uint_eq(k->native->unsure, 1);
				ck_assert_str_eq(note_of(k, i),
						 "operands not certain: by the rule of the operand forms");
			}
			uses = insn_reg_uses(k, &k->insn[i], use);
			for (unsigned u = 0; u < uses; u++) {
				ck_assert_msg(use[u].reg != partly[_i].not, "%s", partly[_i].what);
				for (unsigned x = 0; x < 3; x++) {
					reads |= (unsigned)(!use[u].write && use[u].reg == partly[_i].reads[x]) << x;
					writes |= (unsigned)(use[u].write && use[u].reg == partly[_i].writes[x]) << x;
				}
			}
			for (unsigned x = 0; x < 3; x++) {
				ck_assert_msg(!partly[_i].reads[x] || reads >> x & 1, "%s: source %u", partly[_i].what,
					      x);
				ck_assert_msg((!partly[_i].writes[x] && x) || writes >> x & 1, "%s: result %u",
					      partly[_i].what, x);
			}
		}
	ck_assert(met);
}
END_TEST

START_TEST(an_absolute_target_is_not_followed)
{
	const uint64_t word[] = { 0x794a | UINT64_C(0x28) << 34, UINT64_C(7) << 23 | CONTROL }; /* JMP 0xa0 */
	struct module *m = changed(OP_SASS_IMAD, 0, word, (const uint64_t[]){ UINT64_MAX, UINT64_MAX });
	uint32_t met = 0;

	ck_assert_msg(m, "%s", diag.last);
	for (uint32_t n = 0; n < m->nkernel; n++)
		for (uint32_t i = 0; i < m->kernel[n]->ninsn; i++)
			if (m->kernel[n]->native->word[i][0] == word[0]) {
				met++;
				ck_assert_msg(strstr(note_of(m->kernel[n], i), "not known"), "%s",
					      note_of(m->kernel[n], i));
			}
	ck_assert_uint_eq(met, 1);
}
END_TEST

/* BMOV.CLEAR leaves the barrier empty, and into RZ reads nothing; a branch with bit 33 or 84 is decided by the lanes
 * together, whatever its predicate says. */
START_TEST(barriers_are_emptied_and_lanes_decide_together)
{
	const struct sass_word word[] = {
		{ 0x0000000006117355, 0x001e220000100000 }, { 0x0000000006ff7355, 0x000fe20000100000 },
		{ 0x0000000006117355, 0x001e220000000000 }, { 0x0000003200000947, 0x000fea0003800000 },
		{ 0x0000003000000947, 0x000fea0003900000 }, { 0x0000003000000947, 0x000fea0003800000 },
	};
	static const struct {
		unsigned ndst, nsrc;
	} is[] = { { 2, 1 }, { 1, 0 }, { 1, 1 } };
	struct source s;
	struct cubin *c = cubin_of(CUBINS "saxpy.sm_75.cubin", &s);
	const struct kernel *k;

	put_words(&s, c, ".text.saxpy", 0, word, 6);
	k = lift_checked(cubin_of_source(&s))->kernel[0];
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(k->insn[i].ndst, is[i].ndst);
		ck_assert_uint_eq(k->insn[i].nsrc, is[i].nsrc);
	}
	ck_assert_uint_eq(insn_dst(k, &k->insn[1])[0].val, MREG_B0 + 6);
	for (uint32_t i = 3; i < 6; i++)
		ck_assert_int_eq((k->insn[i].mods & MOD_MAY) != 0, i < 5);
	ck_assert_int_eq(k->insn[5].guard.kind, REF_REG);
}
END_TEST

/* BRA UR4, and under a guard, and with a predicate besides: none of the two alone decides, and both are read. */
START_TEST(a_branch_on_a_uniform_register_may_be_taken)
{
	static const struct sass_word word[] = {
		{ 0x0000003004007947, 0x000fea000b800000 },
		{ 0x0000003004000947, 0x000fea000b800000 },
		{ 0x0000003004007947, 0x000fea0008800000 },
	};
	static const uint32_t reads[][2] = { { MREG_UR0 + 4, MREG_UR0 + 4 },
					     { MREG_UR0 + 4, MREG_P0 },
					     { MREG_UR0 + 4, MREG_P0 + 1 } };
	struct source s;
	struct cubin *c = cubin_of(CUBINS "saxpy.sm_75.cubin", &s);
	const struct kernel *k;

	put_words(&s, c, ".text.saxpy", 0, word, 3);
	k = lift_checked(cubin_of_source(&s))->kernel[0];
	for (uint32_t i = 0; i < 3; i++) {
		struct reg_use use[REG_USE_MAX];
		const unsigned n = insn_reg_uses(k, &k->insn[i], use);
		unsigned found = 0;

		ck_assert_int_eq(k->insn[i].op, OP_SASS_BRANCH);
		ck_assert_int_eq(k->insn[i].guard.kind, REF_NONE);
		ck_assert(k->insn[i].mods & MOD_MAY);
		for (unsigned u = 0; u < n; u++)
			found |= (unsigned)(use[u].reg == reads[i][0]) | (unsigned)(use[u].reg == reads[i][1]) << 1;
		ck_assert_uint_eq(found, 3);
	}
}
END_TEST

/* The first call of the kernel `calls` is of a function that now writes R60 alone: what is not known may read it behind
 * the call, and not before. */
START_TEST(what_a_function_writes_may_be_read_behind_its_call)
{
	enum { R60 = 60 };
	struct source s;
	struct cubin *c = cubin_of(CUBINS "control.sm_80.cubin", &s);
	const struct kernel *k = kernel_called(lift_checked(c), "calls");
	const struct sass_word unknown = { 0x71ff, CONTROL };
	uint32_t call = 0, at, into, found = 0;

	while (k->insn[call].op != OP_SASS_CALL)
		call++;
	at = _i ? call + 1 : 0;
	into = k->block[insn_src(k, &k->insn[call])[k->insn[call].nsrc - 1].val].first;
	ck_assert(!bitset_has(k->native->named, R60));
	put_words(&s, c, ".text.calls", 16 * (uint64_t)at, &unknown, 1);
	put_words(&s, c, ".text.calls", 16 * (uint64_t)into,
		  &(struct sass_word){ 0x00000001003c7802, UINT64_C(0xf00) | CONTROL }, 1);
	k = kernel_called(lift_checked(cubin_of_source(&s)), "calls");
	for (uint32_t n = 0; n < k->native->nreach; n++)
		if (k->native->reach[n].insn == at) {
			ck_assert_int_eq(bitset_has(k->native->reach[n].set, R60), _i);
			found++;
		}
	ck_assert_uint_eq(found, 1);
}
END_TEST

/* A call of what is not known, where the kernel has no function that it could be, in place of a branch: behind it what
 * is not known may read the registers of arguments and results as well. */
START_TEST(an_unknown_function_writes_its_results)
{
	enum { FIRST = 4, LAST = 15 };
	const struct sass_word unknown = { 0x71ff, CONTROL };
	struct source s;
	struct cubin *c = cubin_of(CUBINS "control.sm_80.cubin", &s);
	const struct module *m = lift_checked(c);
	const struct kernel *k = NULL;
	const uint64_t *before = NULL, *behind = NULL;
	uint32_t at = 0;

	for (uint32_t n = 0; n < m->nkernel && !k; n++)
		for (at = 0; !m->kernel[n]->nproc && !k && at < m->kernel[n]->ninsn; at++)
			if (m->kernel[n]->insn[at].op == OP_SASS_BRANCH) {
				k = m->kernel[n];
				break;
			}
	ck_assert_ptr_nonnull(k);
	put_words(&s, c, arena_printf(&arena, ".text.%s", k->name), 16 * (uint64_t)at,
		  (const struct sass_word[]){
			  { k->native->word[at][0] & ~UINT64_C(3), k->native->word[at][1] & ~BIT(86) }, unknown },
		  2);
	k = kernel_called(lift_checked(cubin_of_source(&s)), k->name);
	for (uint32_t n = 0; n < k->native->nreach; n++) {
		before = k->native->reach[n].insn == at ? k->native->reach[n].set : before;
		behind = k->native->reach[n].insn == at + 1 ? k->native->reach[n].set : behind;
	}
	ck_assert(before && behind);
	for (uint32_t r = 0; r < 32; r++)
		ck_assert_int_eq(bitset_has(behind, r), bitset_has(before, r) || (r >= FIRST && r <= LAST));
}
END_TEST

/* The last instruction of the kernel `calls` is in turn EXIT, @P0 EXIT, MOV R60, 1, the kernel's first call, and one
 * that is not known. */
START_TEST(a_function_is_left_where_control_would_run_on_behind_it)
{
	struct source s;
	struct cubin *c = cubin_of(CUBINS "control.sm_80.cubin", &s);
	const struct kernel *k = kernel_called(lift_checked(c), "calls");
	const uint32_t last = k->native->part[0].n - 1;
	struct sass_word word[] = { { 0x794d, UINT64_C(7) << 23 | CONTROL },
				    { 0x094d, UINT64_C(7) << 23 | CONTROL },
				    { 0x00000001003c7802, UINT64_C(0xf00) | CONTROL },
				    { 0, 0 },
				    { 0x71ff, CONTROL } };
	uint32_t call = 0;

	while (k->insn[call].op != OP_SASS_CALL)
		call++;
	/* its target is relative to it */
	word[3] = (struct sass_word){ k->native->word[call][0] - ((uint64_t)(last - call) << 36),
				      k->native->word[call][1] };
	put_words(&s, c, ".text.calls", 16 * (uint64_t)last, &word[_i], 1);
	k = kernel_called(lift_checked(cubin_of_source(&s)), "calls");
	ck_assert_int_eq(k->insn[last].op, _i ? OP_SASS_LEAVE : OP_SASS_EXIT);
	ck_assert_str_eq(note_of(k, last), _i ? "control runs on behind the function" : "");
	ck_assert_int_eq(k->insn[last].guard.kind, REF_NONE);
	ck_assert_uint_eq(k->insn[last].mods & MOD_MAY, 0);
	ck_assert(insn_kills(&k->insn[last]));
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
}
END_TEST

Suite *suite_lift(void)
{
	Suite *s = suite_create("lift");
	TCase *t = tcase_create("lift");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_loop_test(t, every_cubin_is_analysed_and_every_oracle_agrees, 0, 2);
	tcase_add_test(t, control_flow_is_what_the_code_says);
	tcase_add_test(t, functions_are_entered_by_calls_of_what_a_register_names);
	tcase_add_test(t, a_branch_out_of_its_section_is_noted_and_reads_everything);
	tcase_add_test(t, a_call_into_its_own_function_is_a_branch);
	tcase_add_test(t, a_return_address_that_is_not_behind_the_call_is_not_followed);
	tcase_add_test(t, an_unknown_opcode_is_conservative);
	tcase_add_loop_test(t, registers_of_which_a_part_is_written_are_read, 0, sizeof partly / sizeof *partly);
	tcase_add_test(t, barriers_are_emptied_and_lanes_decide_together);
	tcase_add_test(t, a_branch_on_a_uniform_register_may_be_taken);
	tcase_add_loop_test(t, what_a_function_writes_may_be_read_behind_its_call, 0, 2);
	tcase_add_test(t, an_unknown_function_writes_its_results);
	tcase_add_test(t, an_absolute_target_is_not_followed);
	tcase_add_loop_test(t, a_function_is_left_where_control_would_run_on_behind_it, 0, 5);
	suite_add_tcase(s, t);
	return s;
}
