/* Random kernels: a fixed set of variables of each class ("the pool") is set at the start, changed by random statements
 * and stored at the end. Addresses, loop counters and conditions of loops are temporaries of their own that no other
 * statement can change, so loops end and addresses stay inside. */
#include "test/prop/gen_insn.h"

#include <stdlib.h>
#include <string.h>

/* ---- threads ---- */
static void special(struct gen *g)
{
	static const char *const name[] = {
		"%tid.x",  "%tid.y",       "%ntid.x",      "%ntid.z",      "%ctaid.x",     "%ctaid.y",     "%nctaid.x",
		"%laneid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "WARP_SZ",
	};

	gen_guard(g);
	if (chance(g, 30)) {
		fprintf(g->f, "ld.param.u32 %s, [gen_param_2];\n", gen_var(g, 'W').s);
	} else if (chance(g, 10)) {
		const char *half = chance(g, 50) ? "+2" : "";

		fprintf(g->f, "ld.param.u16 %s, [gen_param_2%s];\n", gen_var(g, 'H').s, half);
	} else {
		const char *from = name[below(g, sizeof name / sizeof *name)];

		fprintf(g->f, "mov.u32 %s, %s;\n", gen_var(g, 'W').s, from);
	}
}

/* Every thread of the block writes its slot and reads another's. */
static void exchange(struct gen *g)
{
	struct text tid = gen_temp_w(g), sum = gen_temp_w(g), size = gen_temp_w(g), other = gen_temp_w(g);
	const char *bar = chance(g, 80) ? "bar.sync 0" : "barrier.sync 0";
	struct place p;

	fprintf(g->f, "\tmov.u32 %s, %%tid.x;\n", tid.s);
	p = gen_slot_place(g, tid.s);
	gen_access(g, &p, true);
	fprintf(g->f, "\t%s;\n\tadd.u32 %s, %s, %s;\n\tmov.u32 %s, %%ntid.x;\n\trem.u32 %s, %s, %s;\n", bar, sum.s,
		tid.s, gen_var(g, 'W').s, size.s, other.s, sum.s, size.s);
	p = gen_slot_place(g, other.s);
	gen_access(g, &p, false);
	fprintf(g->f, "\t%s;\n", bar);
	if (chance(g, 20)) /* lanes that went to the last block do not come */
		fprintf(g->f, "\tactivemask.b32 %s;\n\tbar.warp.sync %s;\n", sum.s, sum.s);
}

/* ---- repeats: options.repeats ---- */

/* Loads of the input, at one of a few addresses, the same in all threads. */
static void load_again(struct gen *g)
{
	const unsigned at = 16 * below(g, 3);

	for (unsigned n = 2 + below(g, 3); n--;) {
		const unsigned word = at + 4 * below(g, 2);

		fprintf(g->f, "\tld.global.u32 %s, [%%in+%u];\n", gen_var(g, 'W').s, word);
	}
}

/* Every thread of the block writes its slot, and reads that of the first one before and after barriers. */
static void exchange_again(struct gen *g)
{
	struct text tid = gen_temp_w(g), first = gen_temp_w(g);
	struct place p;

	fprintf(g->f, "\tmov.u32 %s, %%tid.x;\n\tmov.u32 %s, exchange;\n", tid.s, first.s);
	p = gen_slot_place(g, tid.s);
	gen_access(g, &p, true);
	for (unsigned n = 1 + below(g, 3); n--;) {
		fputs("\tbar.sync 0;\n", g->f);
		for (unsigned k = 2; k--;)
			fprintf(g->f, "\tld.shared.u32 %s, [%s];\n", gen_var(g, 'W').s, first.s);
	}
	fputs("\tbar.sync 0;\n", g->f);
}

/* A computation twice, the second one of the same values unless the first has overwritten them. */
static void compute_again(struct gen *g)
{
	FILE *body = g->f;
	char *text = NULL;
	size_t len = 0;

	g->f = open_memstream(&text, &len);
	if (!g->f)
		abort();
	gen_compute(g);
	if (fclose(g->f) != 0)
		abort();
	g->f = body;
	fprintf(g->f, "%s%s", text, text);
	free(text);
}

static void again(struct gen *g)
{
	if (g->depth == 0 && g->o->barriers && chance(g, 25))
		exchange_again(g);
	else if (chance(g, 40))
		load_again(g);
	else
		compute_again(g);
}

/* Most variables have one of two values in all lanes, or one for each lane that is the same in all warps. */
static void few_values(struct gen *g)
{
	static const char *const value[] = { "3", "64", "%laneid", "%tid.x" };

	for (unsigned i = 0; i < gen_pool_size(g, 'W'); i++)
		if (chance(g, 90))
			fprintf(g->f, "\tmov.u32 %%%s%u, %s;\n", gen_pool_prefix('W'), i,
				value[below(g, chance(g, 20) ? 4 : 2)]);
	for (unsigned i = 0; i < gen_pool_size(g, 'D'); i++)
		if (chance(g, 70))
			fprintf(g->f, "\tmov.u64 %%%s%u, %u;\n", gen_pool_prefix('D'), i, 5 + 2 * below(g, 2));
}

/* Votes and shuffles of whole warps. */
static void cross(struct gen *g)
{
	static const enum op vote[] = { OP_VOTE_ALL, OP_VOTE_ANY, OP_VOTE_UNI, OP_VOTE_BALLOT };
	static const enum op shfl[] = { OP_SHFL_UP, OP_SHFL_DOWN, OP_SHFL_BFLY, OP_SHFL_IDX };
	static const char *const clamp[] = { "31", "0", "0x181f", "0x1c1f", "0x1e00", "0x1807" };
	size_t len = 0;
	const char *t;

	if (chance(g, 10)) {
		fprintf(g->f, "\tactivemask.b32 %s;\n", gen_var(g, 'W').s);
	} else if (chance(g, 40)) {
		const enum op op = vote[below(g, 4)];
		struct text p;
		const char * not ;

		t = gen_spelling(g, op, true, &len);
		p = gen_var(g, 'P');
		not = chance(g, 30) ? "!" : "";
		fprintf(g->f, "\t%.*s %s, %s%s, 0xffffffff;\n", (int)len, t, gen_var(g, op_info[op].sig[0]).s, not,
			p.s);
	} else {
		t = gen_spelling(g, shfl[below(g, 4)], true, &len);
		fprintf(g->f, "\t%.*s %s", (int)len, t, gen_var(g, 'W').s);
		if (chance(g, 30))
			fprintf(g->f, "|%s", gen_var(g, 'P').s);
		fprintf(g->f, ", %s, ", gen_var(g, 'W').s);
		if (chance(g, 50))
			fprintf(g->f, "%u", below(g, 32));
		else
			fputs(gen_var(g, 'W').s, g->f);
		fprintf(g->f, ", %s, 0xffffffff;\n", clamp[below(g, 6)]);
	}
}

/* ---- control ---- */
static void statements(struct gen *g, unsigned n);

/* A predicate to branch on: one of the pool, or a comparison made for it. */
static struct text condition(struct gen *g)
{
	static const char *const cmp[] = { "setp.lt.s32", "setp.ge.u32", "setp.eq.s32", "setp.ne.u32", "setp.hi.u32" };
	struct text q, a, b;

	if (chance(g, 40))
		return gen_var(g, 'P');
	q = gen_temp_p(g);
	if (g->o->floats && chance(g, 25)) {
		b = gen_var(g, 'F');
		a = gen_var(g, 'F');
		fprintf(g->f, "\tsetp.%s.f32 %s, %s, %s;\n", chance(g, 50) ? "lt" : "geu", q.s, a.s, b.s);
	} else {
		b = chance(g, 50) ? gen_var(g, 'W') : gen_immediate(g, 'W');
		a = gen_var(g, 'W');
		fprintf(g->f, "\t%s %s, %s, %s;\n", cmp[below(g, 5)], q.s, a.s, b.s);
	}
	return q;
}

static void branch_if(struct gen *g, unsigned label)
{
	struct text p = condition(g);

	fprintf(g->f, "\t@%s%s bra L%u;\n", chance(g, 50) ? "!" : "", p.s, label);
}

static void branch(struct gen *g)
{
	unsigned end = g->nlabel++, other = chance(g, 50) ? g->nlabel++ : end;

	branch_if(g, other);
	statements(g, 1 + below(g, 6));
	if (other != end) {
		fprintf(g->f, "\tbra%s L%u;\nL%u:\n", chance(g, 70) ? ".uni" : "", end, other);
		statements(g, 1 + below(g, 6));
	}
	fprintf(g->f, "L%u:\n", end);
}

static void sides(struct gen *g, unsigned first, unsigned n, unsigned behind)
{
	for (unsigned x = 0; x < n; x++) {
		fprintf(g->f, "L%u:\n", first + x);
		statements(g, 1 + below(g, 4));
		if (x + 1 < n && chance(g, 70))
			fprintf(g->f, "\tbra L%u;\n", behind);
	}
}

/* A computed branch to some sides and, often, past them. Sometimes the lanes that take a side meet once more before the
 * others join them, and that the branch falls through past the sides, which stand before it then. */
static void computed_branch(struct gen *g, bool whole)
{
	unsigned n = 1 + below(g, 3), first = g->nlabel, end = first + n, behind = end + 1, head = end + 2,
		 past = below(g, n + 1);
	struct text at = gen_temp_w(g), among = gen_temp_w(g), goes = gen_temp_p(g);
	bool meet = whole && chance(g, 80), before = chance(g, 40), always = !before && (meet || chance(g, 60));

	g->nlabel += n + 3;
	fprintf(g->f, "\trem.u32 %s, %s, %u;\n\tsetp.ne.u32 %s, %s, %u;\n", at.s, gen_var(g, 'W').s, n + 1, goes.s,
		at.s, past);
	if (meet)
		fprintf(g->f, "\tvote.sync.ballot.b32 %s, %s, 0xffffffff;\n", among.s, goes.s);
	if (before) {
		fprintf(g->f, "\tbra.uni L%u;\n", head);
		sides(g, first, n, behind);
		fprintf(g->f, "L%u:\n", behind);
		if (meet) {
			const struct text p = gen_var(g, 'P');

			fprintf(g->f, "\tvote.sync.ballot.b32 %s, %s, %s;\n", gen_var(g, 'W').s, p.s, among.s);
		}
		fprintf(g->f, "\tbra L%u;\nL%u:\n", end, head);
	}
	fprintf(g->f, "B%u: .branchtargets ", head);
	for (unsigned x = 0; x <= n; x++)
		fprintf(g->f, "%sL%u", x ? ", " : "", x == past ? end : first + x - (x > past));
	fprintf(g->f, ";\n\t");
	if (!always)
		fprintf(g->f, "@%s ", before && (meet || chance(g, 70)) ? goes.s : gen_var(g, 'P').s);
	fprintf(g->f, "brx.idx %s, B%u;\n", at.s, head);
	if (!before) {
		sides(g, first, n, behind);
		fprintf(g->f, "L%u:\n", behind);
		if (meet)
			fprintf(g->f,
				chance(g, 50) ? "\tbar.warp.sync %s;\n" : "\tredux.sync.add.u32 %%r0, %%r1, %s;\n",
				among.s);
	}
	fprintf(g->f, "L%u:\n", end);
}

static void loop(struct gen *g)
{
	struct text count = gen_temp_w(g), next = gen_temp_p(g);
	unsigned head = g->nlabel++, end = g->nlabel++;
	bool test_first = chance(g, 50);

	fprintf(g->f, "\tand.b32 %s, %s, 3;\n", count.s, gen_var(g, 'W').s);
	if (chance(g, 20))
		fputs("\t.pragma \"nounroll\";\n", g->f);
	fprintf(g->f, "L%u:\n", head);
	if (test_first)
		fprintf(g->f, "\tsetp.eq.u32 %s, %s, 0;\n\t@%s bra L%u;\n", next.s, count.s, next.s, end);
	g->loop[g->nloop++] = end;
	statements(g, 1 + below(g, 6));
	g->nloop--;
	fprintf(g->f, "\tadd.s32 %s, %s, -1;\n", count.s, count.s);
	if (test_first)
		fprintf(g->f, "\tbra.uni L%u;\n", head);
	else
		fprintf(g->f, "\tsetp.gt.s32 %s, %s, 0;\n\t@%s bra L%u;\n", next.s, count.s, next.s, head);
	fprintf(g->f, "L%u:\n", end);
}

/* Registers of an inner scope that hide nothing outside. */
static void scope(struct gen *g)
{
	struct text r = gen_var(g, 'W'), x;

	fprintf(g->f,
		"\t{\n\t.reg .b32 inner<2>;\n\t.reg .pred %%odd;\n\tand.b32 inner0, %s, 1;\n\tsetp.ne.u32 %%odd, "
		"inner0, 0;\n",
		r.s);
	fprintf(g->f, "\t@%%odd bra LOCAL;\n\tadd.u32 %s, %s, %s;\nLOCAL:\n", r.s, r.s, gen_var(g, 'W').s);
	x = gen_var(g, 'W');
	fprintf(g->f, "\txor.b32 inner1, inner0, %s;\n\tmov.b32 %s, inner1;\n\t}\n", gen_var(g, 'W').s, x.s);
}

/* A value that only some threads have, defined once and used in another block under the same guard. */
static void partial(struct gen *g)
{
	struct text q = gen_temp_p(g), t = gen_temp_w(g), x = gen_var(g, 'W'), b = gen_var(g, 'W'), a = gen_var(g, 'W');
	unsigned end = g->nlabel++;

	fprintf(g->f, "\tsetp.lt.u32 %s, %s, %s;\n", q.s, a.s, b.s);
	b = gen_immediate(g, 'W');
	a = chance(g, 50) ? x : gen_immediate(g, 'W');
	fprintf(g->f, "\t@%s add.u32 %s, %s, %s;\n", q.s, t.s, a.s, b.s);
	branch_if(g, end);
	statements(g, 1 + below(g, 3));
	fprintf(g->f, "L%u:\n\t@%s xor.b32 %s, %s, %s;\n", end, q.s, x.s, t.s, gen_var(g, 'W').s);
}

/* Threads leave: at the top level always allowed, inside of a branch only where no later statement needs them. */
static void leave(struct gen *g)
{
	if (g->o->cross || (g->o->barriers && g->depth))
		return;
	if (chance(g, 60)) {
		struct text p = condition(g), q = condition(g), both = gen_temp_p(g);

		const char *leave = "bra STORE";

		if (!chance(g, 60))
			leave = chance(g, 50) ? "ret" : "exit";
		fprintf(g->f, "\tand.pred %s, %s, %s;\n\t@%s %s;\n", both.s, p.s, q.s, both.s, leave);
	} else {
		unsigned stay = g->nlabel++;
		struct place p;

		branch_if(g, stay);
		p = gen_own_place(g);
		gen_access(g, &p, true);
		fprintf(g->f, "\tret;\nL%u:\n", stay);
	}
}

static void statement(struct gen *g)
{
	unsigned x = below(g, 100);

	if (g->o->repeats && chance(g, 50)) {
		again(g);
		return;
	}
	if (chance(g, 10))
		fprintf(g->f, "\t.loc 1 %u 0\n", 1 + below(g, 500));
	if (g->depth == 0 && g->o->barriers && chance(g, 12)) {
		exchange(g);
	} else if (g->depth == 0 && g->o->cross && chance(g, 25)) {
		cross(g);
	} else if (x < 18 && g->depth < g->o->depth) {
		g->depth++;
		if (x < 11 || g->nloop == LOOPS_MAX)
			branch(g);
		else
			loop(g);
		g->depth--;
	} else if (x < 20 && g->nloop) {
		branch_if(g, g->loop[below(g, g->nloop)]);
	} else if (x < 22) {
		leave(g);
	} else if (x < 24) {
		scope(g);
	} else if (x < 25 && g->depth < g->o->depth) {
		g->depth++;
		partial(g);
		g->depth--;
	} else if (x < 28 && g->depth < g->o->depth) {
		g->depth++;
		computed_branch(g, g->o->cross && g->depth == 1);
		g->depth--;
	} else if (x < 30) {
		special(g);
	} else if (x < 38) {
		gen_burst(g);
	} else if (x < 48) {
		gen_memory(g);
	} else {
		gen_compute(g);
	}
}

static void statements(struct gen *g, unsigned n)
{
	while (n-- && g->left) {
		g->left--;
		statement(g);
	}
}

/* ---- start and end of the kernel ---- */
static const char letters[] = "WHDFGP";
static const char *type_of(char letter)
{
	if (letter == 'W')
		return "u32";
	if (letter == 'H')
		return "u16";
	if (letter == 'D')
		return "u64";
	return letter == 'F' ? "f32" : "f64";
}
/* Registers of 16 and 32 bits are untyped: f16 and bf16 rows take nothing else. */
static const char *register_type(char letter)
{
	if (letter == 'P')
		return "pred";
	if (letter == 'W')
		return "b32";
	return letter == 'H' ? "b16" : type_of(letter);
}
static unsigned bytes_of(char letter)
{
	if (letter == 'H')
		return 2;
	return letter == 'D' || letter == 'G' ? 8 : 4;
}

static void prologue(struct gen *g)
{
	fprintf(g->f, "\tld.param.u64 %%td0, [gen_param_0];\n\tld.param.u64 %%in, [gen_param_1];\n\tld.param.u32 %%t0, "
		      "[gen_param_2];\n");
	fprintf(g->f, "\tmov.u32 %%t1, %%ctaid.x;\n\tmov.u32 %%t2, %%ntid.x;\n\tmov.u32 %%t3, %%tid.x;\n\tmad.lo.s32 "
		      "%%t4, %%t1, %%t2, %%t3;\n");
	fprintf(g->f, "\tmov.u32 %%t5, exchange;\n\tshl.b32 %%t6, %%t3, 4;\n\tadd.s32 %%t7, %%t5, "
		      "%%t6;\n\tst.shared.v4.u32 [%%t7], {%%t3, %%t4, %%t1, %%t2};\n");
	fprintf(g->f, "\tsetp.ge.u32 %%q0, %%t4, %%t0;\n\t@%%q0 bra LEAVE;\n");
	fprintf(g->f,
		"\tcvta.to.global.u64 %%out, %%td0;\n\tmul.wide.u32 %%td1, %%t4, %u;\n\tadd.s64 %%own, %%out, "
		"%%td1;\n\tadd.s64 %%own, %%own, %u;\n",
		GEN_SLOT_BYTES, GEN_SHARED_BYTES);
	g->nt = 8;
	g->ntd = 2;
	g->nq = 1;
	for (const char *l = letters; *l != 'P'; l++) {
		struct text t = gen_temp_w(g), m = gen_temp_w(g), d = gen_temp_d(g), at = gen_temp_d(g);
		const unsigned start = 16 * below(g, 256), stride = 16 * (1 + below(g, 20));

		fprintf(g->f,
			"\tmad.lo.u32 %s, %%t4, %u, %u;\n\tand.b32 %s, %s, 4080;\n\tcvt.u64.u32 %s, %s;\n\tadd.s64 %s, "
			"%%in, %s;\n",
			t.s, stride, start, m.s, t.s, d.s, m.s, at.s, d.s);
		for (unsigned i = 0; i < gen_pool_size(g, *l); i++)
			fprintf(g->f, "\tld.global.%s %%%s%u, [%s+%u];\n", type_of(*l), gen_pool_prefix(*l), i, at.s,
				i * bytes_of(*l) % REACH);
	}
	if (g->o->repeats)
		few_values(g);
	for (unsigned i = 0; i < gen_pool_size(g, 'P'); i++)
		fprintf(g->f, "\tsetp.lt.s32 %%p%u, %%r%u, %d;\n", i, i % g->o->vars, (int)below(g, 3) * 1000);
	for (unsigned i = 0; i < LOCAL_BYTES; i += 16) {
		const struct text b = gen_var(g, 'D'), a = gen_var(g, 'D');

		fprintf(g->f, "\tst.local.v2.u64 [stack+%u], {%s, %s};\n", i, a.s, b.s);
	}
}

static void epilogue(struct gen *g)
{
	unsigned off = SCRATCH_BYTES;

	fputs("STORE:\n", g->f);
	for (const char *l = letters; *l != 'P'; l++) {
		off = (off + 7) / 8 * 8;
		for (unsigned i = 0; i < gen_pool_size(g, *l); i++, off += bytes_of(*l))
			fprintf(g->f, "\tst.global.%s [%%own+%u], %%%s%u;\n", type_of(*l), off, gen_pool_prefix(*l), i);
	}
	off = (off + 3) / 4 * 4;
	for (unsigned i = 0; i < gen_pool_size(g, 'P'); i++, off += 4) {
		struct text t = gen_temp_w(g);

		fprintf(g->f, "\tselp.u32 %s, 1, 0, %%p%u;\n\tst.global.u32 [%%own+%u], %s;\n", t.s, i, off, t.s);
	}
	fputs("LEAVE:\n\tret;\n", g->f);
}

static void put_table(FILE *f, struct gen *g, const char *space, const char *name)
{
	fprintf(f, "%s .align 16 .b32 %s[16] = {", space, name);
	for (unsigned i = 0; i < 16; i++)
		fprintf(f, "%s0x%x", i ? ", " : "",
			chance(g, 50) ? PICK(&g->rng, gen_awkward32) : (uint32_t)rng_next(&g->rng));
	fputs("};\n", f);
}

char *gen_kernel(uint64_t seed, const struct gen_options *o, struct arena *a)
{
	struct gen g = { .rng = mix64(seed), .o = o, .left = o->statements };
	char *body = NULL, *head = NULL, *out;
	size_t nbody = 0, nhead = 0;
	FILE *f = open_memstream(&head, &nhead);

	g.f = open_memstream(&body, &nbody);
	if (!f || !g.f)
		abort();
	gen_collect(&g, a);
	fputs(".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"gen.cu\"\n", f);
	put_table(f, &g, ".const", "table_c");
	put_table(f, &g, ".global", "table_g");
	fputs(".global .align 8 .u64 pointers[2] = {table_g, generic(table_g)};\n", f);
	fputs(".visible .entry gen(\n\t.param .u64 gen_param_0,\n\t.param .u64 gen_param_1,\n\t.param .u32 "
	      "gen_param_2\n)\n",
	      f);
	if (chance(&g, 30))
		fprintf(f, ".maxntid %u, 1, 1\n", o->block);
	prologue(&g);
	while (g.left)
		statements(&g, g.left);
	epilogue(&g);
	fprintf(f,
		"{\n\t.reg .b64 %%in, %%out, %%own;\n\t.reg .b32 %%t<%u>;\n\t.reg .b64 %%td<%u>;\n\t.reg .pred "
		"%%q<%u>;\n",
		g.nt, g.ntd, g.nq);
	for (const char *l = letters; *l; l++)
		fprintf(f, "\t.reg .%s %%%s<%u>;\n", register_type(*l), gen_pool_prefix(*l), gen_pool_size(&g, *l));
	fprintf(f, "\t.shared .align 16 .b8 exchange[%u];\n\t.local .align 16 .b8 stack[%u];\n", o->block * SHARED_SLOT,
		LOCAL_BYTES);
	if (fclose(g.f) != 0)
		abort();
	fprintf(f, "%s}\n", body);
	if (fclose(f) != 0)
		abort();
	out = arena_strndup(a, head, nhead);
	free(head);
	free(body);
	return out;
}

/* Of all sizes, and one in five of those whose last warp has one thread, half a warp of them, or is the only one. */
static uint32_t draw_block(uint64_t *s)
{
	static const uint32_t part[] = { 1, 16, 33, 48 };
	const uint32_t n = rng_below(s, 100);

	return n % 5 ? 1 + n : part[n / 5 % 4];
}

void gen_options_random(struct gen_options *o, uint64_t seed)
{
	uint64_t s = mix64(seed ^ 0x9e3779b9);
	uint32_t threads;

	o->repeats = false;
	o->statements = 10 + rng_below(&s, rng_below(&s, 4) ? 80 : 250);
	o->vars = 4 + rng_below(&s, rng_below(&s, 3) ? 10 : 37);
	o->depth = rng_below(&s, 5);
	o->barriers = rng_below(&s, 5) < 2;
	o->cross = rng_below(&s, 4) == 0;
	o->floats = rng_below(&s, 4) != 0;
	o->block = o->cross ? 32 * (1 + rng_below(&s, 3)) : draw_block(&s);
	o->grid = 1 + rng_below(&s, 3);
	threads = o->grid * o->block;
	o->n = o->cross || rng_below(&s, 2) ? threads : 1 + rng_below(&s, threads);
}

void gen_options_repeat(struct gen_options *o, uint64_t seed)
{
	uint64_t s = mix64(seed ^ 0x7265);

	gen_options_random(o, seed);
	o->repeats = true;
	o->statements = 10 + rng_below(&s, 60);
	o->vars = 4 + rng_below(&s, 4);
	o->depth = rng_below(&s, 3);
	o->barriers = rng_below(&s, 4) != 0;
	o->block = 32 * (2 + rng_below(&s, 3)) - (!o->cross && seed / 2 % 2 ? 16 : 0);
	o->n = o->grid * o->block;
}

static uint32_t bits32(float x)
{
	uint32_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}
static uint64_t bits64(double x)
{
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

void gen_fill(uint64_t seed, unsigned char in[GEN_IN_BYTES])
{
	uint64_t s = mix64(seed ^ 0x51);

	for (unsigned i = 0; i < GEN_IN_BYTES; i += 8) {
		uint64_t x = rng_next(&s);

		switch (rng_below(&s, 8)) {
		case 0:
			x = PICK(&s, gen_awkward64);
			break;
		case 1:
			x = PICK(&s, gen_awkward32);
			x |= (uint64_t)PICK(&s, gen_awkward32) << 32;
			break;
		case 2:
			x = rng_below(&s, 100);
			x |= (uint64_t)(rng_below(&s, 200) - 100) << 32;
			break;
		case 3:
			x = bits32((float)rng_unit(&s) * 10 - 5);
			x |= (uint64_t)bits32((float)rng_unit(&s) * 1e5f) << 32;
			break;
		case 4:
			x = bits64(rng_unit(&s) * 100 - 50);
			break;
		default:
			break;
		}
		memcpy(in + i, &x, 8);
	}
}
