#include "runtime-model/usage/usage.h"

#include <inttypes.h>

/* columns of 100 % */
enum { BAR = 40 };

static double part(uint64_t n, uint64_t of) { return of ? (double)n / (double)of : 0; }

static void row(FILE *f, const char *what, uint64_t n, uint64_t of)
{
	static const char bar[BAR + 1] = "########################################";

	int wide = (int)(part(n, of) * BAR + 0.5);

	fprintf(f, "  %-24s %14" PRIu64 " %6.1f%%%s%.*s\n", what, n, 100 * part(n, of), wide ? "  " : "", wide, bar);
}

void usage_print(FILE *f, const struct usage *u)
{
	static const char *const reads[USAGE_READS] = { "read never", "read once", "read twice", "read more often" };
	static const char *const lives[USAGE_LIVES] = { "by the next instruction", "by the second", "by the third",
							"later" };
	uint64_t values = usage_values(u), soon = u->by_life[0] + u->by_life[1] + u->by_life[2];

	fprintf(f, "values   %" PRIu64 ", each of a 32-bit register of a thread\n", values);
	for (unsigned i = 0; i < USAGE_READS; i++)
		row(f, reads[i], u->by_reads[i], values);
	fprintf(f, "once     %" PRIu64 " values that are read once\n", u->by_reads[1]);
	for (unsigned i = 0; i < USAGE_LIVES; i++)
		row(f, lives[i], u->by_life[i], u->by_reads[1]);
	fprintf(f, "units    of all values\n");
	row(f, "read once within three", soon, values);
	row(f, "read by shared units", u->by_shared, values);
	row(f, "  of these, made by ALUs", u->by_shared_of_private, u->by_shared);
	fprintf(f, "operands %.2f read and %.2f written by an instruction of a thread, of %" PRIu64 "\n",
		part(u->reads, u->thread_insns), part(u->writes, u->thread_insns), u->thread_insns);
}

json_t *usage_json(const struct usage *u)
{
	const uint64_t *n = u->by_reads, *l = u->by_life;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I}, s:{s:I, s:I, s:I, s:I}, s:I, s:I}",
			 "warp_instructions", (json_int_t)u->warp_insns, "thread_instructions",
			 (json_int_t)u->thread_insns, "operand_reads", (json_int_t)u->reads, "operand_writes",
			 (json_int_t)u->writes, "unwritten_reads", (json_int_t)u->unwritten, "values",
			 (json_int_t)usage_values(u), "by_reads", "never", (json_int_t)n[0], "once", (json_int_t)n[1],
			 "twice", (json_int_t)n[2], "more", (json_int_t)n[3], "once_by_lifetime", "1", (json_int_t)l[0],
			 "2", (json_int_t)l[1], "3", (json_int_t)l[2], "more", (json_int_t)l[3], "by_shared_units",
			 (json_int_t)u->by_shared, "by_shared_units_of_private", (json_int_t)u->by_shared_of_private);
}
