/* What a long launch takes: time and memory of the whole timed run.
 *
 *   long PTX-ANNOTATE SM-MODEL WORK-DIR SHAPE|all MILLIONS [OPTIONS of sm-model run...]
 *
 * 720 warps, all resident, in loops without barriers, MILLIONS of warp instructions together, so that nothing keeps
 * warps from drifting apart under the scheduler. Shapes: arithmetic; loads, one in eight instructions, of a line that
 * the L1 has mostly; scattered, the same with 32 lines for each load; uneven, where some warps go through the loop of
 * loads 15 times as often as others. */
#include "process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { CTAS = 90, THREADS = 256, WARPS = CTAS * THREADS / 32, BODY = 16, OPTIONS_MAX = 32 };
enum shape { ARITHMETIC, LOADS, SCATTERED, UNEVEN, SHAPES };
static const char *const shape_name[SHAPES] = { "arithmetic", "loads", "scattered", "uneven" };

static void generate(FILE *f, enum shape s)
{
	fprintf(f,
		".version 7.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
		".reg .pred %%q;\n.reg .b32 %%r<16>;\n.reg .b64 %%d<4>;\n"
		"ld.param.u64 %%d0, [p];\nld.param.u32 %%r1, [n];\nmov.u32 %%r2, %%tid.x;\nmov.u32 %%r3, %%ctaid.x;\n"
		"and.b32 %%r4, %%r2, 31;\n");
	if (s == SCATTERED)
		fprintf(f, "shl.b32 %%r4, %%r4, 7;\n");
	fprintf(f, "mul.wide.u32 %%d1, %%r4, 4;\nadd.s64 %%d1, %%d0, %%d1;\n");
	if (s == UNEVEN)
		fprintf(f, "shr.u32 %%r5, %%r2, 5;\nadd.u32 %%r5, %%r5, %%r3;\nand.b32 %%r5, %%r5, 14;\nadd.u32 %%r5, "
			   "%%r5, 1;\n"
			   "mul.lo.u32 %%r1, %%r1, %%r5;\nshr.u32 %%r1, %%r1, 3;\n");
	fprintf(f, "mov.u32 %%r6, %%r2;\nmov.u32 %%r7, %%r3;\nmov.u32 %%r0, 0;\nL:\n");
	for (unsigned i = 2; i < BODY; i++) /* the last two count and jump */
		if (s != ARITHMETIC && i % 8 == 4)
			fprintf(f, "ld.global.u32 %%r%u, [%%d1+%u];\n", 8 + i / 8, i * 512);
		else
			fprintf(f, "%s.%s %%r%u, %%r%u, %%r%u;\n", i % 3 ? "add" : "xor", i % 3 ? "u32" : "b32",
				6 + i % 2, 6 + (i + 1) % 2, i % 5 ? 2u : 8 + i / 8);
	fprintf(f, "add.u32 %%r0, %%r0, 1;\nsetp.lt.u32 %%q, %%r0, %%r1;\n@%%q bra L;\nst.global.u32 [%%d1], "
		   "%%r7;\nret;\n}\n");
}

static FILE *create(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

static double now(void)
{
	struct timeval t;

	gettimeofday(&t, NULL);
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* Runs it, its output in OUT. Peak memory in MB, negative if it failed. */
static double measure(char *const argv[], const char *out)
{
	struct rusage use;
	bool stopped;

	return process_run(argv, out, 0, &use, &stopped) ? process_peak_bytes(&use) / 1e6 : -1;
}

static double counted(const char *out, const char *name)
{
	char word[128];
	double v = 0;
	FILE *f = fopen(out, "r");

	while (f && fscanf(f, "%127s", word) == 1)
		if (strcmp(word, name) == 0 && fscanf(f, "%lf", &v) == 1)
			break;
	if (f)
		fclose(f);
	return v;
}

int main(int argc, char **argv)
{
	char ptx[1024], rlo[1024], yaml[1024], out[1024], *run[OPTIONS_MAX + 8];
	double millions = argc > 5 ? atof(argv[5]) : 0;

	if (argc < 6 || argc > 6 + OPTIONS_MAX || millions <= 0) {
		fprintf(stderr,
			"usage: long PTX-ANNOTATE SM-MODEL WORK-DIR SHAPE|all MILLIONS [OPTIONS of sm-model run...]\n");
		return 2;
	}
	snprintf(ptx, sizeof ptx, "%s/long.ptx", argv[3]);
	snprintf(rlo, sizeof rlo, "%s/long.rlo", argv[3]);
	snprintf(yaml, sizeof yaml, "%s/long.yaml", argv[3]);
	snprintf(out, sizeof out, "%s/long.out", argv[3]);
	puts("shape        million insns      cycles   seconds  million/s   peak memory");
	for (enum shape s = 0; s < SHAPES; s++) {
		char *annotate[] = { argv[1], ptx, "-q", "-o", rlo, NULL };
		FILE *f = create(ptx);
		double bytes, from;
		unsigned n = 0;

		if (strcmp(argv[4], "all") != 0 && strcmp(argv[4], shape_name[s]) != 0) {
			fclose(f);
			continue;
		}
		generate(f, s);
		fclose(f);
		f = create(yaml);
		fprintf(f,
			"buffers: [{name: p, type: u32, count: 65536, fill: zero}]\nlaunches:\n  - {kernel: k, grid: "
			"[%d], block: [%d], "
			"args: [{buffer: p}, {value: %.0f, type: u32}]}\n",
			CTAS, THREADS, millions * 1e6 / WARPS / (BODY + 1));
		fclose(f);
		run[n++] = argv[2];
		run[n++] = "run";
		run[n++] = rlo;
		run[n++] = "--launch";
		run[n++] = yaml;
		for (int i = 6; i < argc; i++)
			run[n++] = argv[i];
		run[n] = NULL;
		if (measure(annotate, "/dev/null") < 0) {
			fprintf(stderr, "long: %s failed\n", argv[1]);
			return 1;
		}
		from = now();
		bytes = measure(run, out);
		if (bytes < 0) {
			fprintf(stderr, "long: %s failed\n", argv[2]);
			return 1;
		}
		from = now() - from;
		printf("%-11s  %13.1f  %10.0f  %8.1f  %9.2f  %8.0f MB\n", shape_name[s],
		       counted(out, "warp_instructions") / 1e6, counted(out, "cycles"), from,
		       counted(out, "warp_instructions") / 1e6 / from, bytes);
		fflush(stdout);
	}
	unlink(ptx);
	unlink(rlo);
	unlink(yaml);
	unlink(out);
	return 0;
}
