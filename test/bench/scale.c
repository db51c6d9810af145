/* Does time grow linearly, what memory does an instruction cost, and is annotating faster than assembling?
 *
 *   scale PTX-ANNOTATE WORK-DIR [INSTRUCTIONS...]        default 100000 1000000
 *
 * For each shape of code and each size: one generated kernel, annotated by the command as a user would, and assembled
 * by ptxas where that is in PATH or in /usr/local/cuda/bin. Shapes:
 *
 *   compiler   as nvcc writes: a fresh register for each result, short live ranges and some long ones, a diamond or a
 *              loop every few dozen instructions
 *   unrolled   as nvcc -O3 unrolls: basic blocks of 2,000 instructions without a branch
 *   registers  few registers, written again and again in loops, as hand-written code does */
#include "process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* seconds; it is given up after these */
enum { PTXAS_LIMIT = 30 };
enum shape { COMPILER, UNROLLED, REGISTERS, SHAPES };
static const char *const shape_name[SHAPES] = { "compiler", "unrolled", "registers" };

static unsigned long long noise = 88172645463325252ull;
static unsigned draw(unsigned n)
{
	noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
	return (unsigned)(noise % n);
}

/* Registers that hold a value on every path to here, the latest last. */
struct recent {
	unsigned r[12];
};

static void define(struct recent *w, unsigned r)
{
	memmove(w->r, w->r + 1, sizeof w->r - sizeof *w->r);
	w->r[11] = r;
}

/* One instruction that reads results of the last few, now and then one of the kernel's first. */
static unsigned fresh(FILE *f, unsigned r, struct recent *w)
{
	unsigned a = w->r[11 - draw(4)], b = draw(16) ? w->r[draw(12)] : draw(16), what = draw(16);
	const char *other = what < 12 ? "sub" : "min";

	if (what == 1) {
		fprintf(f, "st.global.u32 [%%rd3+%u], %%r%u;\n", draw(64) * 4, a);
		return r;
	}
	if (what == 0)
		fprintf(f, "ld.global.u32 %%r%u, [%%rd3+%u];\n", r, draw(64) * 4);
	else if (what == 2)
		fprintf(f, "mad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%u;\n", r, a, b, w->r[11]);
	else
		fprintf(f, "%s.s32 %%r%u, %%r%u, %%r%u;\n", what < 8 ? "add" : other, r, a, b);
	define(w, r);
	return r + 1;
}

static void generate(FILE *f, enum shape s, unsigned n)
{
	struct recent w = { { 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } }, outside;
	unsigned r = 16, label = 0;

	fprintf(f,
		".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .pred %%p<3>;\n.reg .b32 %%r<%u>;\n.reg .b64 %%rd<4>;\n"
		"ld.param.u64 %%rd1, [p];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%rd2, %%r0, 4;\nadd.s64 %%rd3, %%rd1, "
		"%%rd2;\n",
		s == REGISTERS ? 40 : n + 32);
	for (unsigned i = 1; i < (s == REGISTERS ? 40 : 16); i++)
		fprintf(f, "add.s32 %%r%u, %%r0, %u;\n", i, i);
	for (unsigned i = 20; i < n;) {
		if (s == REGISTERS) {
			unsigned from = i;

			fprintf(f, "L%u:\n", ++label);
			for (unsigned end = i + 40; i < end; i++)
				fprintf(f, "%s.s32 %%r%u, %%r%u, %%r%u;\n", i % 3 ? "add" : "sub", 1 + draw(39),
					1 + draw(39), 1 + draw(39));
			fprintf(f, "st.global.u32 [%%rd3+%u], %%r%u;\nsetp.lt.u32 %%p1, %%r%u, %u;\n@%%p1 bra L%u;\n",
				draw(64) * 4, 1 + draw(39), 1 + draw(39), from, label);
			i += 3;
			continue;
		}
		for (unsigned end = i + (s == UNROLLED ? 2000 : 20 + draw(20)); i < end; i++)
			r = fresh(f, r, &w);
		label++;
		outside = w;
		if (draw(2)) { /* a diamond; the register that both sides write is the last */
			fprintf(f, "setp.gt.s32 %%p1, %%r%u, %u;\n@%%p1 bra E%u;\n", w.r[11], draw(100), label);
			for (unsigned end = i + 8; i < end; i++)
				r = fresh(f, r, &w);
			fprintf(f, "mov.u32 %%r%u, %%r%u;\nbra J%u;\nE%u:\nmov.u32 %%r%u, %%r%u;\nJ%u:\n", r, w.r[11],
				label, label, r, draw(16), label);
			w = outside;
		} else { /* a loop */
			unsigned c = r++;

			fprintf(f, "mov.u32 %%r%u, 0;\nH%u:\n", c, label);
			for (unsigned end = i + 8; i < end; i++)
				r = fresh(f, r, &w);
			fprintf(f,
				"add.s32 %%r%u, %%r%u, 1;\nsetp.lt.u32 %%p2, %%r%u, 10;\n@%%p2 bra H%u;\nmov.u32 "
				"%%r%u, %%r%u;\n",
				c, c, c, label, r, w.r[11]);
		}
		define(&w, r);
		r++;
		i += 5;
	}
	fprintf(f, "st.global.u32 [%%rd3], %%r%u;\nret;\n}\n", s == REGISTERS ? 1 : w.r[11]);
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

/* Runs argv with its output dropped. Processor seconds, and the most memory that it held, in bytes; -1 if it failed.
 * After LIMIT seconds (0: none) it is stopped, and those are the seconds. */
static double measure(char *const argv[], unsigned limit, double *bytes)
{
	struct rusage use;
	bool stopped;

	if (!process_run(argv, "/dev/null", limit, &use, &stopped))
		return -1;
	*bytes = process_peak_bytes(&use);
	return stopped ? limit : seconds(use.ru_utime) + seconds(use.ru_stime);
}

int main(int argc, char **argv)
{
	unsigned size[8] = { 100000, 1000000 }, sizes = 2;
	char *path = getenv("PATH"), with[4096], file[1024], object[1024], cubin[1024];

	if (argc < 3 || argc > 11) {
		fprintf(stderr, "usage: scale PTX-ANNOTATE WORK-DIR [INSTRUCTIONS...]\n");
		return 2;
	}
	if (argc > 3)
		for (sizes = 0; (int)sizes < argc - 3; sizes++)
			size[sizes] = (unsigned)strtoul(argv[3 + sizes], NULL, 10);
	snprintf(with, sizeof with, "%s:/usr/local/cuda/bin", path ? path : "");
	setenv("PATH", with, 1);
	snprintf(file, sizeof file, "%s/scale.ptx", argv[2]);
	snprintf(object, sizeof object, "%s/scale.rlo", argv[2]);
	snprintf(cubin, sizeof cubin, "%s/scale.cubin", argv[2]);
	puts("shape       instructions   annotate  growth   memory of one      ptxas   ptxas / annotate");
	for (enum shape s = 0; s < SHAPES; s++) {
		double before = 0;

		for (unsigned i = 0; i < sizes; i++) {
			char *annotate[] = { argv[1], file, "-q", "-o", object, NULL };
			char *ptxas[] = { "ptxas", "-arch=sm_80", file, "-o", cubin, NULL };
			double took, bytes = 0, theirs, unused;
			FILE *f = fopen(file, "w");

			if (!f) {
				perror(file);
				return 1;
			}
			generate(f, s, size[i]);
			fclose(f);
			took = measure(annotate, 0, &bytes);
			if (took < 0) {
				fprintf(stderr, "scale: %s failed\n", argv[1]);
				return 1;
			}
			printf("%-10s  %12u  %7.2f s  ", shape_name[s], size[i], took);
			printf(before > 0 ? "%5.1f x" : "      -", took / (before > 0 ? before : 1));
			printf("  %7.0f bytes", bytes / size[i]);
			fflush(stdout);
			theirs = measure(ptxas, PTXAS_LIMIT, &unused);
			if (theirs < 0)
				puts("          -                  -");
			else
				printf("%c %7.2f s  %c%14.1f\n", theirs < PTXAS_LIMIT ? ' ' : '>', theirs,
				       theirs < PTXAS_LIMIT ? ' ' : '>', theirs / took);
			fflush(stdout);
			before = took;
		}
	}
	unlink(file);
	unlink(object);
	unlink(cubin);
	return 0;
}
