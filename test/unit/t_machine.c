/* The machines of the papers, measured from outside: what their latencies and widths come to. */
#include "stream.h"

#include "runtime-model/memory/memory.h"
#include "runtime-model/memory/network.h"

static void open_stream(struct stream *s, const char *machine)
{
	stream_init(s);
	ck_assert(params_machine(&s->p, machine, &s->d));
	s->p.sms = 1;
	ck_assert(rf_config_parse(&s->rf, "baseline", &s->p, &s->d));
}

/* Cycles from the issue of an instruction to that of one that needs its result, the instruction having run once before
 * to warm the instruction cache up. */
static cycle distance(struct stream *s, uint32_t insn, uint64_t first, uint64_t second)
{
	uint32_t use = stream_insn(s, OP_ADD_S32, 4, 1, -1, -1);
	struct stream_record *r;
	cycle at;

	for (unsigned i = 0; i < 2; i++) {
		r = stream_record(s, 0, insn);
		if (first)
			r->line[r->nline++] = i ? second : first;
		stream_record(s, 0, use);
		stream_record(s, 0, use);
	}
	ck_assert_msg(stream_run(s), "%s", s->d.last);
	at = stream_when(s->issued, 0, use, 2) - stream_when(s->issued, 0, insn, 1);
	stream_free(s);
	return at;
}

#define WORDS(passes, words) ((uint64_t)(words) << 16 | (passes))
#define LINE(n, sectors) ((uint64_t)(n) | (uint64_t)(sectors) << 60)

/* Hierarchical RF, Table I and section 7.2: 8 cycles, 20, 20, and 400 beyond the SM. */
START_TEST(hierarchical_rf_has_the_latencies_of_its_table)
{
	struct stream s;

	open_stream(&s, "hierarchical-rf");
	ck_assert_uint_eq(distance(&s, stream_insn(&s, OP_FMA_F32, 1, 2, 3, 5), 0, 0), 8);
	open_stream(&s, "hierarchical-rf");
	ck_assert_uint_eq(distance(&s, stream_insn(&s, OP_ADD_S32, 1, 2, -1, -1), 0, 0), 8);
	open_stream(&s, "hierarchical-rf");
	ck_assert_uint_eq(distance(&s, stream_insn(&s, OP_SIN_F32, 1, 2, -1, -1), 0, 0), 20);
	open_stream(&s, "hierarchical-rf");
	ck_assert_uint_eq(distance(&s, stream_memory(&s, OP_LD_B32, SP_SHARED, 1, 2, -1), WORDS(1, 32), WORDS(1, 32)),
			  20);
	open_stream(&s, "hierarchical-rf");
	ck_assert_uint_eq(distance(&s, stream_memory(&s, OP_LD_B32, SP_SHARED, 1, 2, -1), WORDS(1, 1), WORDS(1, 1)),
			  17);
	open_stream(&s, "hierarchical-rf"); /* a line of 4 sectors, then one again: there is no cache */
	ck_assert_uint_eq(distance(&s, stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1), LINE(9, 15), LINE(9, 15)),
			  400 + 4 + 5);
	open_stream(&s, "hierarchical-rf");
	ck_assert_uint_eq(distance(&s, stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1), LINE(9, 1), LINE(9, 1)),
			  400 + 1 + 5);
}
END_TEST

/* Textures take as long as other memory; constants and instructions are always there. */
START_TEST(hierarchical_rf_has_no_caches)
{
	struct stream s;
	uint32_t tex, use, con;

	open_stream(&s, "hierarchical-rf");
	tex = stream_insn(&s, OP_TEX_2D_F_S32, 1, 2, 3, -1);
	use = stream_insn(&s, OP_ADD_S32, 5, 1, -1, -1);
	con = stream_memory(&s, OP_LD_B32, SP_CONST, 6, 7, -1);
	for (unsigned i = 0; i < 2; i++) {
		stream_line(stream_record(&s, 0, tex), 9, 15);
		stream_record(&s, 0, use);
		stream_record(&s, 0, con)->nline = 1;
		s.rec[0][s.n[0] - 1].line[0] = (uint64_t)SP_CONST << 56 | 1;
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_eq(stream_when(s.issued, 0, use, i) - stream_when(s.issued, 0, tex, i), 400 + 4 + 5);
	ck_assert_uint_eq(s.st.fixed_reads, 2);
	ck_assert_uint_eq(s.st.const_accesses, 2);
	ck_assert_uint_eq(s.st.tex_reads + s.st.const_read_misses + s.st.icache_misses + s.st.l1_reads, 0);
	stream_free(&s);
}
END_TEST

/* n loads of all warps: the channel moves 32 bytes a cycle, as many as ask for it. */
static cycle stream_of_loads(unsigned sectors, enum space space, uint64_t words, unsigned bytes_cycle)
{
	struct stream s;
	uint32_t ld;
	cycle c;

	open_stream(&s, "hierarchical-rf");
	s.p.memory_bytes_cycle = s.p.shared_bytes_cycle = bytes_cycle;
	s.warps = 16;
	ld = stream_memory(&s, OP_LD_B32, space, -1, 2, -1); /* to no register: none waits for another */
	for (unsigned i = 0; i < 20; i++) {
		struct stream_record *r = stream_record(&s, 0, ld);

		if (sectors)
			stream_line(r, 100 + i, sectors);
		else
			r->line[r->nline++] = words;
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	if (sectors)
		ck_assert_uint_eq(s.st.fixed_bytes, 16u * 20 * 32 * (unsigned)__builtin_popcount(sectors));
	ck_assert_uint_eq(s.st.l1_reads + s.st.l2_reads + s.st.icache_misses, 0);
	c = s.st.cycles;
	stream_free(&s);
	return c;
}

START_TEST(hierarchical_rf_memory_is_bound_by_its_width)
{
	cycle lines = stream_of_loads(15, SP_GLOBAL, 0, 32), sectors = stream_of_loads(1, SP_GLOBAL, 0, 32);
	cycle wide = stream_of_loads(15, SP_GLOBAL, 0, 64);

	ck_assert_uint_ge(lines, 16 * 20 * 4 + 400);
	ck_assert_uint_lt(lines, 16 * 20 * 4 + 500);
	ck_assert_uint_ge(wide, 16 * 20 * 2 + 400);
	ck_assert_uint_lt(wide, lines - 600);
	ck_assert_uint_lt(sectors, wide);
	lines = stream_of_loads(0, SP_SHARED, WORDS(1, 32), 32);
	ck_assert_uint_ge(lines, 16 * 20 * 4);
	ck_assert_uint_lt(lines, 16 * 20 * 5 + 100);
	ck_assert_uint_lt(stream_of_loads(0, SP_SHARED, WORDS(1, 8), 32), 16 * 20 * 3);
	/* four-way conflicts cost nothing more */
	ck_assert_uint_eq(stream_of_loads(0, SP_SHARED, WORDS(4, 32), 32), lines);
}
END_TEST

/* WIR Table II: an L2 hit after 200 cycles, DRAM after 440, as seen by a dependent instruction of an idle machine. */
START_TEST(wir_has_the_memory_latencies_of_its_table)
{
	struct stream s;
	uint32_t ld;

	open_stream(&s, "wir");
	ck_assert_uint_eq(distance(&s, stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1), LINE(9, 15), LINE(7777, 15)),
			  440);
	open_stream(&s, "wir");
	ld = stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	s.k->insn[ld].cop = COP_CG; /* past the L1 */
	ck_assert_uint_eq(distance(&s, ld, LINE(9, 15), LINE(9, 15)), 200);
}
END_TEST

/* n independent instructions of many warps: cycles each. */
static double interval(const char *machine, enum op op, unsigned units)
{
	struct stream s;
	uint32_t n;
	double c;

	open_stream(&s, machine);
	s.p.units_sp = units;
	s.warps = 16;
	for (int i = 0; i < 4; i++)
		stream_insn(&s, op, 1 + i, 8 + i, 9 + i, op == OP_FMA_F32 ? 10 + i : -1);
	for (n = 0; n < 400; n++)
		stream_record(&s, 0, n % 4);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	c = (double)s.st.cycles / (16 * n);
	stream_free(&s);
	return c;
}

START_TEST(pipelines_of_16_lanes_take_two_cycles)
{
	double narrow = interval("g-scalar", OP_ADD_S32, 1), wide = interval("gtx480", OP_ADD_S32, 1);

	ck_assert_double_eq_tol(narrow, 2, 0.1);
	ck_assert_double_eq_tol(wide, 1, 0.2);
	ck_assert_double_eq_tol(interval("g-scalar", OP_SIN_F32, 2), 8, 0.1);
	ck_assert_double_eq_tol(interval("wir", OP_SIN_F32, 2), 1, 0.2);
	ck_assert_double_eq_tol(interval("wir", OP_MUL_LO_S32, 1), 1, 0.2);
	ck_assert_double_eq_tol(interval("gtx480", OP_MUL_LO_S32, 1), 2, 0.1);
	ck_assert_double_eq_tol(interval("hierarchical-rf", OP_SIN_F32, 1), 4, 0.1);
}
END_TEST

/* Cycles of an idle L2 that hits, or of DRAM whose bank has another row open, from where a miss leaves the L1 to where
 * its data are back. */
static cycle beyond(const struct params *p, bool hit)
{
	const uint64_t first = 64, other = first + (uint64_t)p->partitions * 2 * 256; /* the next row of its bank */
	struct stats st = { 0 };
	struct arena a;
	struct memory *m;
	cycle c;

	arena_init(&a);
	m = memory_new(p, &st, NULL, &a);
	memory_request(m, 0, MEMORY_READ, first, 1);
	c = memory_request(m, 100000, MEMORY_READ, hit ? first : other, 1) - 100000;
	ck_assert_uint_eq(st.l2_read_hits, hit);
	ck_assert_uint_eq(st.dram_row_misses, hit ? 1 : 2);
	c += network_least(network_new(p, &a));
	arena_free(&a);
	return c;
}

/* Chases of pointers, published: cycles of a hit in the L1, of one in the L2, of one in neither; 0: no figure. */
static const struct {
	const char *machine;
	unsigned l1, l2, dram;
} chase[] = {
	{ "rtx2080ti", 32, 236, 0 },   { "a100", 36, 206, 573 },  { "rtx4090", 36, 285, 541 },
	{ "h100-pcie", 34, 265, 654 }, { "rtx5090", 36, 313, 0 },
};

START_TEST(an_idle_memory_takes_what_was_measured)
{
	struct params p;
	struct diag d;
	cycle l2, dram;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, chase[_i].machine, &d));
	l2 = chase[_i].l1 + beyond(&p, true);
	dram = chase[_i].l1 + beyond(&p, false);
	ck_assert_msg(l2 + 3 > chase[_i].l2 && l2 < chase[_i].l2 + 3u, "%s: L2 after %u", p.machine, (unsigned)l2);
	ck_assert_msg(!chase[_i].dram || (dram + 6 > chase[_i].dram && dram < chase[_i].dram + 6u), "%s: DRAM after %u",
		      p.machine, (unsigned)dram);
	diag_free(&d);
}
END_TEST

Suite *suite_machine(void);
Suite *suite_machine(void)
{
	Suite *s = suite_create("machine");
	TCase *c = tcase_create("machine");

	tcase_add_test(c, hierarchical_rf_has_the_latencies_of_its_table);
	tcase_add_test(c, hierarchical_rf_has_no_caches);
	tcase_add_test(c, hierarchical_rf_memory_is_bound_by_its_width);
	tcase_add_test(c, wir_has_the_memory_latencies_of_its_table);
	tcase_add_test(c, pipelines_of_16_lanes_take_two_cycles);
	tcase_add_loop_test(c, an_idle_memory_takes_what_was_measured, 0, sizeof chase / sizeof *chase);
	suite_add_tcase(s, c);
	return s;
}
