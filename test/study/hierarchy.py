#!/usr/bin/env python3
"""Figures 15 and 18 to 26, sections 4.1, 7 and 8 of Gebhart et al. (TOCS 2012) for the examples, on the paper's machine: register-file
caches and operand register files of 1 to 8 entries, with one and two levels; as PTX, and as scheduled machine code. Each object is executed once and timed by all its
configurations: one object for each number of entries, one for each variant of the allocation. What the paper says comes from
docs/claims.csv. Writes FOLDER/hierarchy.md (the tables), hierarchy.csv (the counters behind them), hierarchy.svg (figure 24) and
hierarchy_kernels.svg (figure 26), and hierarchy.claims.csv. --all: FOLDER/hierarchy_all.md instead, which no claim needs: all examples, other forms of
the code, all variants of the allocation. --quick: few examples and sizes. Without a folder the tables are printed.
Usage: hierarchy.py BUILD [FOLDER] [--quick] [--all]"""
import csv, os, subprocess, sys, tempfile
from common import SWEPT, annotate, arguments, each, examples, gnuplot, launch, measured
from hierarchy_figures import CLAIMED_VARIANTS, CODE, DESIGNS, FORMS, PARTS, PTX, SOFTWARE, energy, mean, part, report, report_all, saving, say

MACHINE = "hierarchical-rf"
QUICK_EXAMPLES, QUICK_SIZES, OTHER_SIZES = ("fwt", "reduction", "scalarprod", "srad1"), (3, 6, 8), (3, 6)
SIZES = (1, 2, 3, 4, 5, 6, 7, 8)
COUNTERS = ("cycles", "warp_instructions", "operand_reads", "operand_writes", "rf_operand_reads", "rf_operand_writes", "rf_reads", "rf_writes",
            "rf_l0_reads", "rf_l0_writes", "rf_l1_reads", "rf_l1_writes", "rf_l1_shared_reads", "rf_l1_shared_writes", "rf_fills", "rf_both_writes",
            "rf_split_reads", "rf_dropped_writes", "rf_l0_evictions", "rf_l1_evictions", "rf_l0_flushes", "rf_flushes", "rf_dead_evictions",
            "tag_checks", "strands", "strand_waits", "suspensions", "rf_read_energy", "rf_write_energy", "rf_main_wire_energy",
            "rf_l1_read_energy", "rf_l1_write_energy", "rf_l1_wire_energy", "rf_l0_read_energy", "rf_l0_write_energy", "rf_l0_wire_energy",
            "rf_access_energy", "rf_wire_energy", "rf_dynamic_energy")
BASE_SIZE = 3                           # of the object that everything is timed with that has no entries or other numbers of them
FREE = "issue=gto,rf_flush=0,rfc_bypass=0"      # section 7.1: "independent of the two-level warp scheduler and ignoring RFC flushes"

# Variants of the allocation: name, options of ptx-annotate, entries, parameters of the machine
VARIANTS = (
    ("basic", ("--no-orf-partial", "--no-orf-read-operands"), 3, ""),
    ("no partial ranges", ("--no-orf-partial",), 3, ""),
    ("no read operands", ("--no-orf-read-operands",), 3, ""),
    ("blocks alone", ("--no-orf-branches",), 3, ""),
    ("one level", ("--orf-writes=one",), 3, ""),
    ("L0 and MRF", ("--orf-writes=l0",), 3, ""),
    ("8 at 3", ("--orf-cost-entries=3",), 8, "rf_cost_entries=3"),
    ("5 at 3", ("--orf-cost-entries=3",), 5, "rf_cost_entries=3"),
    ("never flush", ("--orf-never-flush",), 3, "rf_flush=0"),
    ("past barriers", ("--orf-past-barriers",), 3, "rf_flush=2"),
    ("by frequency", ("--orf-weights=freq",), 3, ""),
    ("ranges of the paper", ("--orf-ranges=paper",), 3, ""),
)

BOUNDS = ("8 at 3", "5 at 3", "never flush")     # are bounds for the run that a profile counted
PRICES = (0, 5, 10, 20, 40)             # of an entry of the pool of orf-variable; the best for each example counts


def caches(sizes):
    """(name, configuration) of section 7.1 to 7.4."""
    out = [(f"rfc {n}{what}{end}", f"hierarchy=rfc,rf_l1_entries={n},rfc_hints={hints}{more}") for n in sizes for hints, what in ((1, ""), (0, ", no hints")) for end, more in (("", ""), (", free", f",{FREE}"))]
    if 6 in sizes:
        out.append(("rfc 6, no hints, free, LRU", f"hierarchy=rfc,rf_l1_entries=6,rfc_hints=0,rfc_policy=1,{FREE}"))
    if 8 in sizes:
        out.append(("rfc 8, no hints, free, sources", f"hierarchy=rfc,rf_l1_entries=8,rfc_hints=0,rfc_sources=1,{FREE}"))
    return out


LIMITS = [("rfc 3, flushed at branches", "hierarchy=rfc,rf_l1_entries=3,rfc_flush_branches=1"), ("rfc2 6, flushed at branches", "hierarchy=rfc2,rf_l1_entries=6,rfc_flush_branches=1"),
          ("all-l0", "hierarchy=all-l0"), ("all-l1 5", "hierarchy=all-l1,rf_l1_entries=5")]      # of section 8, that need no allocation


def measure(build, rlo, name, tmp, configurations):
    """{configuration: {counter: value}}"""
    out = f"{tmp}/{name}.csv"
    more = [x for label, text in configurations for x in ("--config", f"{text},name={label.replace(',', ';')}")]
    done = subprocess.run([f"{build}/sm-model", "compare", rlo, "--launch", launch(name), "--machine", MACHINE, *more, "--quiet",
                           "--metrics", ",".join(COUNTERS), "--csv", out], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    with open(out, newline="") as f:
        return {label: {k: float(row[k]) for k in COUNTERS} for (label, _), row in zip(configurations, csv.DictReader(f))}


class Example:
    """What was measured of one, in one form of its code: c[configuration][counter]. more: configurations that need no allocation; pools: entries that
    warps share; variants: {variant: designs}."""

    def __init__(self, build, name, tmp, sizes, form, more, pools, variants):
        self.name, self.c = name, {}
        tmp, code = f"{tmp}/{form}", FORMS[form]
        os.makedirs(tmp, exist_ok=True)
        for n in sizes:
            rlo = annotate(build, name, tmp, f"--orf-entries={n}", *code)
            configurations = [(f"{d} {n}", f"hierarchy={d},rf_l1_entries={n}") for d in DESIGNS]
            if n == BASE_SIZE:
                configurations += [("none", "hierarchy=none")] + [c for c in more if c[0] not in dict(configurations)]
            self.c.update(measure(build, rlo, name, tmp, configurations))
        if pools:
            self.pools(build, name, tmp, code)
        for variant, options, n, params in VARIANTS:
            designs = variants.get(variant, ())
            if designs:
                profile = ("--profile", self.profile(build, name, tmp, code)) if variant in BOUNDS else ()
                rlo = annotate(build, name, tmp, f"--orf-entries={n}", *options, *profile, *code)
                self.c.update(measure(build, rlo, name, tmp, [(f"{o} {n}, {variant}", f"hierarchy={o},rf_l1_entries={n}" + (f",{params}" if params else "")) for o in designs]))

    def profile(self, build, name, tmp, code):
        """How often each block executes in a run."""
        path = f"{tmp}/{name}.profile"
        if not os.path.exists(path):
            subprocess.run([f"{build}/sm-model", "run", annotate(build, name, tmp, *code), "--launch", launch(name), "--functional", "--quiet", "--profile", path],
                           check=True, stdout=subprocess.DEVNULL)
        return path

    def pools(self, build, name, tmp, code):
        rlo = annotate(build, name, tmp, "--orf-entries=8", "--orf-cost-entries=3", "--profile", self.profile(build, name, tmp, code), *code)
        pool = [(f"orf-variable {p}", f"hierarchy=orf-variable,rf_l1_entries=3,orf_price={p}") for p in PRICES]
        pool.append(("orf-variable, no end", "hierarchy=orf-variable,rf_l1_entries=3,orf_pool=64"))
        self.c.update(measure(build, rlo, name, tmp, pool))
        best = min((label for label, _ in pool[:-1]), key=lambda c: self.c[c]["rf_dynamic_energy"])
        self.c["orf-variable"] = self.c[best]

    def get(self, counter, configuration="none"):
        return self.c[configuration][counter]


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def write_csv(path, lists):
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["form", "example", "configuration", *COUNTERS])
        for form, list_ in lists.items():
            for e in list_:
                for label in (x for x in ["none"] + [f"{d} {n}" for d in DESIGNS for n in SIZES] if x in e.c):
                    w.writerow([form, e.name, label] + [f"{e.get(k, label):.10g}" for k in COUNTERS])


HEAD = """# The register-file hierarchy on the examples

Written by `make study-hierarchy` and `make papers`; rules and choices are in [the register-file hierarchy](../HIERARCHY.md), what differs from the paper and why
[there](../HIERARCHY_RESULTS.md#what-differs). The machine is `--machine hierarchical-rf`, with two-level scheduling and 8 active warps, its energies those of `--set energy=hrf`. Every average
is the arithmetic mean over the {count} examples of what is normalised to the example's run without a hierarchy, as in the paper; [all examples](hierarchy_all.md), other forms of the code and all variants of the
allocation have a page of their own. The paper's numbers are from [claims.csv](../claims.csv) (HRF-19 and above are numbers of its text that have no claim of their own in the list of claims). The counters
behind figures 22 to 26 are in [hierarchy.csv](hierarchy.csv). `rfc 3`: a cache with 3 entries and hints; `rfc2 3`: the same with an L0 above it.

*PTX*: each instruction of the PTX is one, in its order (`{ptx}`), which is what the paper's sections 7.5 to 8 are of; *machine code*: parameters and multiplications with additions are one instruction, and
loads stand before their uses (the default), as in the traces of sections 4.1 and 7.1 to 7.4.

![Energy over entries](hierarchy.svg)

![Energy of each example](hierarchy_kernels.svg)

"""


HEAD_ALL = """# The register-file hierarchy: all examples, forms of the code, variants

Written by `make study-hierarchy ALL=1`; what is measured, and on which machine, is said in [hierarchy](hierarchy.md), whose claims need nothing of this. The {count} examples of that page, and the {others} others. *PTX* and *machine
code* are that page's; *folded*: in the PTX's order, with the instructions of machine code (`--schedule=none`); *for the ORF*: with these in an order for it (`--schedule=orf`).

"""


def draw_sizes(path, list_, sizes):
    """Figure 24."""
    colours = dict(zip(DESIGNS, ("#c8692b", "#e0a678", "#7fa7d6", "#3f78bd", "#123f78")))
    blocks = [[f"{n} {mean(list_, lambda e: energy(e, f'{d} {n}')):.4f}" for n in sizes] for d in DESIGNS]
    plots = [f"$d{i} with linespoints lw 2 pt 7 ps 0.6 lc rgb '{colours[d]}' title '{d}'" for i, d in enumerate(DESIGNS)]
    gnuplot(path, "720,440", ["set xlabel 'entries of the L1'", "set ylabel 'energy over a single level'", "set xrange [0.5:8.5]", "set yrange [0.3:1]",
                              "set grid ytics", "set key top right"], blocks, plots)


def draw_kernels(path, list_, c):
    """Figure 26: energy by level, access and wires, stacked; the last bar is the mean."""
    list_ = sorted(list_, key=saving(c))
    bars = [[part(e, c, k) for _, k in PARTS] for e in list_]
    bars.append([sum(b[i] for b in bars) / len(list_) for i in range(len(PARTS))])
    colours = ("#123f78", "#7fa7d6", "#2f7d4f", "#9fd0b0", "#c8692b", "#eec49d")
    blocks = [[f"{n} {sum(b[:i + 1]):.4f}" for n, b in enumerate(bars)] for i in range(len(PARTS))]
    plots = [f"$d{i} with boxes fs solid 1 lc rgb '{colours[i]}' title '{PARTS[i][0]}'" for i in reversed(range(len(PARTS)))]
    tics = ", ".join(f"'{e}' {n}" for n, e in enumerate([e.name for e in list_] + ["mean"]))
    gnuplot(path, "1000,440", ["set ylabel 'energy over a single level'", "set boxwidth 0.7", f"set xtics ({tics}) rotate by -40 scale 0", "set yrange [0:1]",
                               f"set xrange [-0.6:{len(bars) - 0.4}]", "set grid ytics", "set key outside top center horizontal"], blocks, plots)


def study_all(build, names, tmp):
    """{form: examples of the sweeps}, and the others as PTX; with few sizes."""
    jobs = [(form, n) for form in FORMS for n in names if n in SWEPT or form == PTX]

    def study(job):
        form, n = job
        variants = {v: SOFTWARE for v, *_ in VARIANTS} if n in SWEPT and form in (PTX, CODE) else {}
        return Example(build, n, tmp, OTHER_SIZES, form, [], n in SWEPT and form == CODE, variants)
    found = list(zip(jobs, each(study, jobs)))
    return {form: [e for (f, n), e in found if f == form and n in SWEPT] for form in FORMS}, [e for (_, n), e in found if n not in SWEPT]


def study_sizes(build, names, sizes, tmp):
    """{form: examples}: what the paper has of PTX in all sizes, and what it has of machine code, with 3 and 6 entries of the rest."""
    def study(job):
        form, n = job
        if form == PTX:
            return Example(build, n, tmp, sizes, form, LIMITS, True, CLAIMED_VARIANTS)
        return Example(build, n, tmp, OTHER_SIZES, form, caches(sizes), False, {"basic": ("orf",)})
    jobs = [(form, n) for form in (PTX, CODE) for n in names]
    found = list(zip(jobs, each(study, jobs)))
    return {form: [e for (f, _), e in found if f == form] for form in (PTX, CODE)}


def main():
    build, folder, flags = arguments("quick", "all")
    quick, all_ = "quick" in flags, "all" in flags
    names = examples(build, QUICK_EXAMPLES if quick else None if all_ else SWEPT)
    sizes = QUICK_SIZES if quick else SIZES
    with tempfile.TemporaryDirectory() as tmp:
        found = measured(build, " ".join(["hierarchy", *sorted(flags)]), lambda: study_all(build, names, tmp) if all_ else study_sizes(build, names, sizes, tmp))
    text = report_all(*found, OTHER_SIZES, [(v, n) for v, _, n, _ in VARIANTS]) if all_ else report(found, sizes)
    if not folder:
        print(text)
    elif all_:
        write(f"{folder}/hierarchy_all.md", HEAD_ALL.format(count=len(found[0][PTX]), others=len(found[1])) + text)
    else:
        write(f"{folder}/hierarchy.md", HEAD.format(count=len(found[PTX]), ptx=" ".join(FORMS[PTX])) + text)
        write_csv(f"{folder}/hierarchy.csv", found)
        draw_sizes(f"{folder}/hierarchy.svg", found[PTX], sizes)
        draw_kernels(f"{folder}/hierarchy_kernels.svg", found[PTX], "split-lrf+orf 3")
        say(found, sizes).write(folder, "hierarchy")


main()
