#!/usr/bin/env python3
"""Figures 1 and 8 to 12 of Liu et al. (G-Scalar, HPCA 2017) and its sections 3.3, 5.3 and 5.4 for the examples that are after the paper's, on its machine, beside what
the paper compares with and the compiler's proofs. A row is an example, all its launches together, as the paper's are benchmarks. What the paper says
comes from docs/claims.csv. The order of the designs is checked for each example, and exceptions are named. Writes FOLDER/gscalar.md (the tables),
gscalar.csv (the counters behind them), gscalar.svg (figures 9, 11 and 12) and gscalar.claims.csv. --all: FOLDER/gscalar_all.md instead, which no claim needs: all
examples. --quick: few examples. --narrow: with addresses of 32 bits, as the paper's were. Without a folder the tables are printed.
Usage: gscalar.py BUILD [FOLDER] [--quick] [--all] | gscalar.py BUILD --narrow"""
import json, os, sys, tempfile
from common import annotate, arguments, bars, call, each, examples, gnuplot_all, launch, measured, narrow_addresses, perturbed, timed, write_csv
from gscalar_figures import BENCHMARKS, HEAD, HEAD_ALL, PAPER, SHORT, eligible, efficiency, report, report_all, rf_power, say, shares

MACHINE = "g-scalar"
DESIGNS = {"baseline": "baseline", "alu-scalar": "alu-scalar", "alu-scalar 16": "alu-scalar,scalar_banks=16", "compress": "compress", "nodiv": "g-scalar-nodiv",
           "g-scalar": "g-scalar", "all moves": "g-scalar,gs_moves=1", "whole": "g-scalar,gs_half=0", "bdi": "warped-compression", "static": "static-scalar"}
QUICK = ("backprop", "lud", "srad1")
COUNTERS = ("cycles", "warp_instructions", "ipc", "divergent_instructions", "sfu_instructions", "scalar_alu", "scalar_sfu", "scalar_mem", "scalar_half", "scalar_divergent",
            "rf_operand_reads", "read_same4", "read_same3", "read_same2", "read_same1", "read_same0", "read_divergent", "rf_operand_writes", "stored_bytes",
            "compressions", "decompressions", "bvr_reads", "bvr_writes", "injected_moves", "moves_elided", "rf_bank_conflicts", "rf_reads", "rf_writes",
            "rf_dynamic_energy", "compressor_energy", "exec_energy", "rest_energy", "gpu_energy", "gpu_power", "ipc_per_watt", "collect_energy",
            "sm_steady_energy", "uncore_steady_energy", "rf_read_arrays", "resident_warps")
LABELS = {"alu-scalar": "ALU scalar", "nodiv": "without divergent", "g-scalar": "G-Scalar", "bdi": "Warped-Compression", "compress": "compression alone"}
COLOURS = {"alu-scalar": "#e0a678", "nodiv": "#7fa7d6", "g-scalar": "#123f78", "bdi": "#2f7d4f", "compress": "#bbbbbb"}


class Example:
    """What was measured of an example: c[design][counter], and values[lanes of a warp], what sm-model values says of its execution; values["unfolded"]:
    of one with an instruction for each of PTX's."""

    def __init__(self, name):
        self.name, self.c, self.values = name, {}, {}
        self.refused = None             # why there are no values of warps of 64 lanes

    def get(self, counter, design):
        return self.c[design][counter]


def study(build, name, tmp, narrow, unfolded):
    x, out = Example(name), f"{tmp}/{name}.json"
    source = narrow_addresses(name, tmp) if narrow else None
    rlo = annotate(build, name, tmp, source=source)
    x.c = timed(build, rlo, name, MACHINE, DESIGNS, COUNTERS, out)
    x.noise = perturbed(build, rlo, name, MACHINE, {d: DESIGNS[d] for d in ("baseline", "g-scalar")}, out) if not narrow and unfolded else {}
    for lanes in (32, 64):
        failed = call([f"{build}/sm-model", "values", rlo, "--launch", launch(name), f"--warp={lanes}", "--quiet", "--json", out], name)
        if failed and lanes == 32:
            sys.exit(failed)
        if failed:
            x.refused = failed
            continue
        with open(out) as f:
            x.values[lanes] = json.load(f)["total"]
    if unfolded:
        rlo = annotate(build, name, tmp, "--no-fold", source=source)
        failed = call([f"{build}/sm-model", "values", rlo, "--launch", launch(name), "--quiet", "--json", out], name)
        if failed:
            sys.exit(failed)
        with open(out) as f:
            x.values["unfolded"] = json.load(f)["total"]
    return x


def draw(path, xs):
    mine = BENCHMARKS.of(xs)
    names = [SHORT[x.name] for x in mine]
    parts = {"ALU": "#bbbbbb", "SFU": "#e0a678", "memory": "#2f7d4f", "half": "#7fa7d6", "divergent": "#123f78"}
    stacked = {label: [shares(x)[i] for x in mine] for i, label in enumerate(parts)}
    by = lambda of, designs: ({LABELS[d]: [of(x, d) for x in mine] for d in designs}, {LABELS[d]: COLOURS[d] for d in designs})
    gnuplot_all(path, "1000,1080", (3, 1), ["set grid ytics"], [
        bars("Figure 9: instructions eligible for scalar execution", "% of instructions", names, stacked, parts, stacked=True),
        bars("Figure 11: IPC per watt", "of the baseline", names, *by(efficiency, ("alu-scalar", "nodiv", "g-scalar"))),
        bars("Figure 12: dynamic power of the register file", "of the baseline", names, *by(rf_power, ("alu-scalar", "bdi", "compress", "g-scalar")))])


def main():
    build, folder, flags = arguments("quick", "narrow", "all")
    all_, narrow = "all" in flags, "narrow" in flags
    names = examples(build, QUICK if "quick" in flags else None if all_ else PAPER)
    with tempfile.TemporaryDirectory() as tmp:
        xs = measured(build, " ".join(["gscalar", *sorted(flags)]), lambda: each(lambda n: study(build, n, tmp, narrow, not all_), names))
    text = (report_all if all_ else report)(xs)
    if not folder:
        print(text)
        return
    page = f"{folder}/gscalar{'_all' * all_}.md"
    with open(f"{page}.new", "w") as f:
        f.write((HEAD_ALL if all_ else HEAD).format(n=len(xs), m=len(BENCHMARKS.of(xs))) + text)
    os.rename(f"{page}.new", page)
    if all_:
        return
    write_csv(f"{folder}/gscalar.csv", xs, COUNTERS)
    draw(f"{folder}/gscalar.svg", xs)
    say(xs).write(folder, "gscalar")


main()
