#include "passes/pass.h"
#include "runtime-model/similar/similar.h"

#include <inttypes.h>

/* columns of 100 % */
enum { BAR = 40 };

struct sums {
	struct similar_insn all, of[SCALAR_CLASSES];
	uint64_t compared, apart, left_out;
	bool proofs;
};

static void add_up(struct sums *x, const struct similar_kernel *s, unsigned n)
{
	*x = (struct sums){ .proofs = false };
	for (unsigned k = 0; k < n; k++) {
		for (unsigned c = 0; c < SCALAR_CLASSES; c++) {
			struct similar_insn of = similar_sum(&s[k], c);

			similar_add(&x->of[c], &of);
			similar_add(&x->all, &of);
		}
		x->proofs |= s[k].k->facts & FACT_UNIFORM;
		x->compared += s[k].compared;
		x->apart += s[k].apart;
		x->left_out += s[k].left_out;
	}
}

static double part(uint64_t n, uint64_t of) { return of ? (double)n / (double)of : 0; }

static void row(FILE *f, const char *what, uint64_t n, uint64_t of)
{
	static const char bar[BAR + 1] = "########################################";
	int wide = (int)(part(n, of) * BAR + 0.5);

	fprintf(f, "  %-26s %14" PRIu64 " %6.1f%%%s%.*s\n", what, n, 100 * part(n, of), wide ? "  " : "", wide, bar);
}

static uint64_t scalars(const struct similar_insn *n)
{
	return n->how[SIMILAR_SCALAR] + n->how[SIMILAR_PARTS] + n->how[SIMILAR_DIVERGENT];
}

static uint64_t reads(const struct similar_insn *n)
{
	uint64_t sum = n->read_divergent;

	for (unsigned b = 0; b <= SAME_ALL; b++)
		sum += n->read[b];
	return sum;
}

static const char *const scheme_name[][STORED_SCHEMES] = {
	{ "bytes, halves of 16 lanes", "bytes, all 32 lanes", "differences (BDI)" },
	{ "bytes, parts of 16 lanes", "bytes, all 64 lanes", "differences (BDI)" },
};

static void print_stored(FILE *f, const struct similar_insn *n, unsigned lanes)
{
	fprintf(f,
		"stored   %" PRIu64
		" registers of %u bytes; moves before writes of some lanes, in %% of instructions\n",
		n->writes, 4 * lanes);
	fprintf(f, "  %-26s %9s %14s %7s %14s\n", "compressed as", "ratio", "moves", "", "of them needed");
	for (unsigned s = 0; s < STORED_SCHEMES; s++)
		fprintf(f, "  %-26s %9.2f %14" PRIu64 " %6.1f%% %14" PRIu64 "\n", scheme_name[lanes > WARP_LANES][s],
			part(4 * lanes * n->writes, n->stored[s]), n->moves[s], 100 * part(n->moves[s], n->issued),
			n->moves[s] - n->elided[s]);
}

/* Instructions that hardware finds, that the object proves, and both; divergent ones apart. */
static void print_proof(FILE *f, const char *what, uint64_t found, uint64_t proven, uint64_t both)
{
	fprintf(f, "  %-26s %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %6.1f%%\n", what, found, proven, both,
		100 * part(both, found));
}

static void print_proofs(FILE *f, const struct sums *x)
{
	static const char *const name[] = {
		[SCALAR_ALU] = "ALU", [SCALAR_SFU] = "special functions", [SCALAR_MEM] = "memory"
	};
	const struct similar_insn *n = &x->all;

	fprintf(f,
		"proofs   of the object: inputs are the same in all lanes that execute; %" PRIu64 " values compared\n",
		x->compared);
	fprintf(f, "  %-26s %14s %14s %14s %7s\n", "", "found", "proven", "both", "of found");
	for (unsigned c = SCALAR_ALU; c <= SCALAR_MEM; c++)
		print_proof(f, name[c], x->of[c].found[0], x->of[c].proven[0], x->of[c].both[0]);
	print_proof(f, "divergent", n->found[1], n->proven[1], n->both[1]);
	print_proof(f, "all", n->found[0] + n->found[1], n->proven[0] + n->proven[1], n->both[0] + n->both[1]);
}

void similar_print(FILE *f, const struct similar_kernel *s, unsigned kernels, unsigned lanes)
{
	static const char *const same[] = { "no byte alike", "1 byte alike", "2 bytes alike", "3 bytes alike",
					    "scalar" };
	struct sums x;
	const struct similar_insn *n = &x.all;

	add_up(&x, s, kernels);
	fprintf(f, "values   %" PRIu64 " instructions of warps of %u lanes, %" PRIu64 " without an active lane\n",
		n->issued, lanes, n->idle);
	if (x.left_out)
		fprintf(f,
			"  not in them: %" PRIu64
			" lanes of instructions, from where lanes of a warp wait for each other\n",
			x.left_out);
	row(f, "divergent", n->divergent, n->issued);
	row(f, "  of these, scalar", n->how[SIMILAR_DIVERGENT], n->divergent);
	fprintf(f, "reads    %" PRIu64 " of registers, by the bytes that all lanes share\n", reads(n));
	for (unsigned b = SAME_ALL + 1; b-- > 0;)
		row(f, same[b], n->read[b], reads(n));
	row(f, "by divergent instructions", n->read_divergent, reads(n));
	fprintf(f, "scalar   instructions that fewer lanes could execute, of all\n");
	row(f, "ALU", x.of[SCALAR_ALU].how[SIMILAR_SCALAR], n->issued);
	row(f, "special functions", x.of[SCALAR_SFU].how[SIMILAR_SCALAR], n->issued);
	row(f, "memory", x.of[SCALAR_MEM].how[SIMILAR_SCALAR], n->issued);
	row(f, lanes > WARP_LANES ? "quarters, or one" : "halves, or one", n->how[SIMILAR_PARTS], n->issued);
	row(f, "divergent", n->how[SIMILAR_DIVERGENT], n->issued);
	row(f, "all", scalars(n), n->issued);
	row(f, "lanes that execute then", n->needed, n->lanes);
	print_stored(f, n, lanes);
	if (x.proofs)
		print_proofs(f, &x);
}

/* ---- JSON ---- */
static json_t *proof_json(uint64_t found, uint64_t proven, uint64_t both)
{
	return json_pack("{s:I, s:I, s:I}", "found", (json_int_t)found, "proven", (json_int_t)proven, "both",
			 (json_int_t)both);
}

static json_t *stored_json(const struct similar_insn *n, enum similar_scheme s)
{
	return json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)n->stored[s], "moves", (json_int_t)n->moves[s],
			 "moves_elided", (json_int_t)n->elided[s]);
}

json_t *similar_json(const struct similar_kernel *s, unsigned kernels, unsigned lanes)
{
	struct sums x;
	const struct similar_insn *n = &x.all;
	json_t *o, *proofs;

	add_up(&x, s, kernels);
	o = json_pack(
		"{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:{s:I, s:I, s:I, s:I, s:I}, "
		"s:I, s:{s:o, s:o, s:o}}",
		"lanes_of_warp", (int)lanes, "warp_instructions", (json_int_t)n->issued, "without_active_lane",
		(json_int_t)n->idle, "divergent", (json_int_t)n->divergent, "active_lanes", (json_int_t)n->lanes,
		"needed_lanes", (json_int_t)n->needed, "lanes_left_out", (json_int_t)x.left_out, "reads", "same4",
		(json_int_t)n->read[4], "same3", (json_int_t)n->read[3], "same2", (json_int_t)n->read[2], "same1",
		(json_int_t)n->read[1], "same0", (json_int_t)n->read[0], "divergent", (json_int_t)n->read_divergent,
		"scalar", "alu", (json_int_t)x.of[SCALAR_ALU].how[SIMILAR_SCALAR], "sfu",
		(json_int_t)x.of[SCALAR_SFU].how[SIMILAR_SCALAR], "mem",
		(json_int_t)x.of[SCALAR_MEM].how[SIMILAR_SCALAR], "parts", (json_int_t)n->how[SIMILAR_PARTS],
		"divergent", (json_int_t)n->how[SIMILAR_DIVERGENT], "writes", (json_int_t)n->writes, "stored", "parts",
		stored_json(n, STORED_HALVES), "whole", stored_json(n, STORED_WHOLE), "bdi",
		stored_json(n, STORED_BDI));
	if (!o || !x.proofs)
		return o;
	proofs = json_pack(
		"{s:I, s:I, s:o, s:o, s:o, s:o}", "compared", (json_int_t)x.compared, "launches_apart",
		(json_int_t)x.apart, "alu",
		proof_json(x.of[SCALAR_ALU].found[0], x.of[SCALAR_ALU].proven[0], x.of[SCALAR_ALU].both[0]), "sfu",
		proof_json(x.of[SCALAR_SFU].found[0], x.of[SCALAR_SFU].proven[0], x.of[SCALAR_SFU].both[0]), "mem",
		proof_json(x.of[SCALAR_MEM].found[0], x.of[SCALAR_MEM].proven[0], x.of[SCALAR_MEM].both[0]),
		"divergent", proof_json(n->found[1], n->proven[1], n->both[1]));
	json_object_set_new(o, "proofs", proofs);
	return o;
}
