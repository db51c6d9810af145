/* ptx-annotate --help. */
#include "analyzer/cli/options.h"
#include "analyzer/emit/figures.h"
#include "analyzer/lib/annotate.h"
#include "passes/options.h"

#include <stdio.h>

int help(void)
{
	puts("ptx-annotate reads a GPU module, compiles its kernels to registers R0.. and P0.., finds what is live\n"
	     "where, and writes the annotated kernels.\n\n"
	     "usage: ptx-annotate INPUT [-o FILE] [--emit=VIEW] [OPTION...]\n"
	     "       ptx-annotate --check LIST INPUT... [--json] [--emit=sarif] [-o FILE] [OPTION...]\n"
	     "       ptx-annotate --diff OLD NEW [--diff-fail=LIST] [--all] [--json] [-o FILE] [OPTION...]\n\n"
	     "  INPUT                PTX, LLVM IR, a cubin, a fatbin or executable with PTX or machine code inside, or "
	     "an object\n"
	     "                       written before; '-': standard input");
	options_help(stdout, &annotate_options, 0);
	puts("\nkinds of input:");
	for (unsigned i = 0; i < INPUT_COUNT; i++)
		printf("  %-20s %s\n", annotate_input_info[i].name, annotate_input_info[i].what);
	puts("\nviews:");
	for (unsigned v = 0; v < VIEW_COUNT; v++)
		if (annotate_view_info[v].name)
			printf("  %-20s %s\n", annotate_view_info[v].name, annotate_view_info[v].what);
	puts("\ngraphs, for --emit=dot --graph:");
	for (unsigned g = 0; g < DRAW_COUNT; g++)
		printf("  %-20s %s\n", annotate_graph_info[g].name, annotate_graph_info[g].what);
	puts("\nwhere the compiler keeps operands above the main register file (MRF), strand by strand, for --orf:\n"
	     "  --orf=orf            a file of a few entries, the ORF, that all units reach\n"
	     "  --orf=lrf+orf        and above it the LRF, of one entry, for arithmetic alone; or --orf=lrf\n"
	     "  --orf=split-lrf+orf  with an LRF entry for each of three operand slots (default); or --orf=split\n"
	     "  The summary estimates their shares by the executions of blocks; with --profile it has them counted.");
	pass_options_help(stdout);
	puts("\npasses, for --dump:");
	for (unsigned p = 0; p < PASS_COUNT; p++)
		printf("  %-20s %s\n", pass_info[p].id, pass_info[p].what);
	puts("\nlimits, for --check: NAME=NUMBER,... or KERNEL:NAME=NUMBER, which goes before the one without KERNEL:");
	for (unsigned f = 0; f < FIGURE_COUNT; f++)
		printf("  %s-%-18s %s: %s\n", figure_info[f].better == FIGURE_LESS ? "max" : "min", figure_info[f].name,
		       figure_info[f].unit, figure_info[f].what);
	puts("\n--diff compares these figures, without max- and min-; these must not get worse unless --diff-fail says "
	     "others:");
	for (unsigned f = 0, n = 0; f < FIGURE_COUNT; f++)
		if (figure_info[f].watched)
			printf("%s%s", n++ ? ", " : "  ", figure_info[f].name);
	puts("\n\nWithout -o, an object goes to INPUT's name with .rlo in this folder, a cubin to its name with "
	     ".annotated.cubin, and\n"
	     "a summary to standard output; every other view goes to standard output.\n\n"
	     "examples:\n"
	     "  ptx-annotate saxpy.ptx                          make saxpy.rlo, print what was found\n"
	     "  ptx-annotate saxpy.ptx --emit=listing | less    which registers are live at each instruction\n"
	     "  ptx-annotate saxpy.ptx --maxreg=16              what is spilled if a thread has 16 registers\n"
	     "  ptx-annotate saxpy.rlo --emit=dot | dot -Tsvg -o saxpy.svg\n"
	     "  ptx-annotate saxpy.ptx --emit=dot --graph=affinity | dot -Tsvg -o reads.svg\n"
	     "  ptx-annotate saxpy.ptx --emit=listing --orf=orf --orf-entries=4    what 4 entries of an ORF hold\n"
	     "  ptx-annotate saxpy.ptx --emit=dot --graph=orf | dot -Tsvg -o orf.svg    the same as a picture\n"
	     "  ptx-annotate saxpy.ptx --orf-exact --emit=summary      how much a better allocation would save\n"
	     "  ptx-annotate sgemm.ptx --emit=occupancy --block 16,16      what limits the warps of an SM\n"
	     "  ptx-annotate dwt2d.ptx --launch dwt2d.yaml      make dwt2d.rlo for these launches\n"
	     "  clang-19 --target=nvptx64 -O2 -emit-llvm -c k.c -o - | ptx-annotate - -o k.rlo\n"
	     "  ptx-annotate k.cubin --emit=listing | less      machine code with the life of all its registers, "
	     "control fields explained\n"
	     "  ptx-annotate --diff k.ptx k.cubin --machine sm_80    our registers beside those of the machine code\n"
	     "  ptx-annotate k.cubin                            make k.annotated.cubin: the same code, and what was "
	     "found\n"
	     "  ptx-annotate a.out --list                       the GPU code in an executable\n"
	     "  ptx-annotate a.out --kernel saxpy -o saxpy.rlo\n"
	     "  ptx-annotate saxpy.ptx -o - | sm-model run - --launch saxpy.yaml\n"
	     "  ptx-annotate sgemm.ptx --param sgemm_param_4=128 --block 16,16 --grid 8,8    how often its loops go "
	     "round\n"
	     "  ptx-annotate sgemm.ptx --profile sgemm.prof     weigh blocks as a run counted them\n"
	     "  ptx-annotate --check max-live=64,max-spill=0,min-occupancy=50 sgemm.ptx --block 16,16    a gate for "
	     "CI\n"
	     "  ptx-annotate --diff old.rlo sgemm.ptx --block 16,16      what got better and worse\n\n"
	     "exit status: 0 fine, 1 the input is wrong (nothing was written), a limit is broken or a kernel got "
	     "worse, "
	     "2 usage, 3 a bug, 4 out of memory");
	return EXIT_FINE;
}
