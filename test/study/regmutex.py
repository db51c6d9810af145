#!/usr/bin/env python3
"""Figures 7 to 13, Table I and section III-B of Khorasani et al. (RegMutex, ISCA 2018) for the examples, on the paper's machine: registers that
warps share, with a register file of 128 KB and with one of 64, beside what the paper compares with. Rows are kernels: of each example
every kernel whose occupancy registers limit. What the paper says comes from docs/claims.csv. Writes FOLDER/regmutex.md (the tables),
regmutex.csv (the counters behind them), regmutex.svg (figures 9 and 12) and regmutex.claims.csv. Registers of Table I's programs (RM-8) are also said with addresses of 32 bits (clang). --quick: few kernels and sizes. Without a folder the tables are printed.
Usage: regmutex.py BUILD [FOLDER] [--quick]"""
import csv, json, os, subprocess, sys, tempfile
from common import annotate, arguments, each, examples, gnuplot_all, kernels_of, launch, measured, narrow_addresses, perturbed, source_of
from regmutex_figures import EIGHT, HEAD, NAMES, report, say, shorter

MACHINE, SMS, RULE = "regmutex", 15, "--regmutex=paper"          # the size by the paper's rule
FILES = {"full": (), "half": ("rf_registers=16384",)}            # parameters of the machine
DESIGNS = {"static": "baseline", "owf": "owf", "rfv": "rfv-shared", "regmutex": "regmutex", "paired": "regmutex-paired"}
BASE = {"static": DESIGNS["static"]}    # on the whole file: what all is beside
COLOURS = {"static": "#bbbbbb", "owf": "#e0a678", "rfv": "#2f7d4f", "regmutex": "#123f78", "paired": "#7fa7d6"}
BOUND = "full bound"                    # twice the registers of the machine, and nothing shared
LEAST = "--maxreg=least"                # the fair baseline: as few registers as nothing is spilled with, and nothing shared
OTHERS = {"place=paper": "--regmutex-place=paper", "liveness=paper": "--regmutex-liveness=paper"}
SIZES = (2, 4, 6, 8, 10, 12)            # figures 10 and 11
TABLE_ONE = "BFS CUTCP DWT2D HotSpot3D MRI-Q ParticleFilter RadixSort SAD Gaussian HeartWall LavaMD MergeSort MonteCarlo SPMV SRAD TPACF".split()
QUICK_EXAMPLES, QUICK_SIZES = ("lud", "radixsort"), (8,)        # of each register file one
COUNTERS = ("cycles", "warp_instructions", "resident_warps", "ipc", "rf_acquires", "rf_acquires_held", "rf_acquires_first", "rf_acquire_tries",
            "rf_acquire_wait_cycles", "rf_releases", "resident_warp_cycles", "issue_slots", "slots_issued", "slots_residency", "slots_memory",
            "slots_scoreboard", "slots_barrier", "slots_collector", "slots_empty", "l1_hit_rate", "l2_hit_rate", "dram_bandwidth", "load_latency", "rf_reads",
            "rf_writes", "rf_dynamic_energy", "rf_leakage_energy", "rf_energy", "rf_bank_conflicts")


def settings(file):
    return [x for p in FILES[file] for x in ("--set", p)]


class Kernel:
    """A kernel of an example that registers limit, and what was measured of it: c[configuration][counter], a configuration being the
    register file, the design and what differs in annotating, as in "half regmutex 6"."""

    def __init__(self, example, name, block, facts):
        self.example, self.name, self.block, self.facts, self.c, self.noise = example, name, block, facts, {}, {}
        self.sized = {}                 # by size of the extended set, what annotating with that size says
        self.limited = next(f for f in FILES if facts[f]["limit"] == "registers")     # "full", or "half" alone

    def get(self, counter, configuration):
        return self.c[configuration][counter]

    def has(self, configuration):
        return configuration in self.c


def view(build, name, block, file, *options, source=None):
    """{kernel: what annotating for the machine says of its occupancy, of its variant and of all sizes of the extended set}"""
    out = subprocess.run([f"{build}/ptx-annotate", source or source_of(name), "--emit=json", "--machine", MACHINE, *settings(file), f"--block={block}", *(options or [RULE])],
                         capture_output=True, text=True, check=True)
    facts = {}
    for k in json.loads(out.stdout)["kernels"]:
        here = next(b for b in k["occupancy"]["blocks"] if b["threads"] == block)
        size = next((s for s in here["sizes"] if s["chosen"]), None)
        facts[k["name"]] = {"limit": here["limited_by"], "asked": k["resources"]["registers"], "registers": k["occupancy"]["allocated"], "ctas": here["ctas"], "warps": here["warps"],
                            "reason": here["regmutex"], "sizes": here["sizes"], "chosen": size, "extended": size["extended"] if size else 0,
                            "base": size["base"] if size else k["occupancy"]["allocated"], "variant": k.get("regmutex")}
    return facts


def kernels(build, name):
    """Those of an example whose occupancy registers limit, with a file of either size."""
    of = kernels_of(name)
    facts = {b: {f: view(build, name, b, f) for f in FILES} for b in {block for _, block in of.values()}}
    out = []
    for kernel, (ctas, block) in of.items():
        mine = {f: facts[block][f][kernel] for f in FILES}
        limited = next((f for f in FILES if mine[f]["limit"] == "registers"), None)
        if limited and ctas > SMS * mine[limited]["ctas"]:       # and there are more CTAs than they let in
            out.append(Kernel(name, kernel, block, mine))
    return out


def measure(build, rlo, name, tmp, configurations, bits=None):
    """{configuration: {kernel: {counter: value}}}; configurations: (label, text, register file). bits: by label, what each adds to an SM."""
    out = f"{tmp}/{name}.json"
    more = [x for label, text, file in configurations for x in ("--config", ",".join([text, *FILES[file], f"name={label}"]))]
    done = subprocess.run([f"{build}/sm-model", "compare", rlo, "--launch", launch(name), "--machine", MACHINE, *more, "--quiet", "--per-kernel",
                           "--json", out], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{name}: {done.stderr.splitlines()[0]}", file=sys.stderr)        # of one configuration: the others are there
        if done.returncode != 1 or not os.path.exists(out):
            sys.exit(1)
    with open(out) as f:
        timed = [c for c in json.load(f)["configurations"] if not c["failed"]]
    if bits is not None:
        bits.update({c["name"].split()[1]: c["registers"]["storage_bits"] for c in timed if c["name"].startswith("full") and c["name"].split()[1] in DESIGNS})
    return {c["name"]: {k: {x: float(of["metrics"][x]["value"]) for x in COUNTERS} for k, of in c["kernels"].items()} for c in timed}


def keep(ks, result):
    for label, of in result.items():
        for k in ks:
            if k.name in of:
                k.c[label] = of[k.name]


def study(build, name, tmp, sizes, bits):
    """The kernels of one example, measured. Kernels with CTAs of one size share an object."""
    ks = kernels(build, name)
    for block in sorted({k.block for k in ks}):
        mine = [k for k in ks if k.block == block]
        at = [f"--block={block}", "--machine", MACHINE]
        for file in FILES:
            mine_here = [k for k in mine if k.limited == file]
            designs = DESIGNS if mine_here else BASE if file == "full" else {}
            timed = [(f"{file} {d}", text, file) for d, text in designs.items()] + [(BOUND, DESIGNS["static"] + ",rf_registers=65536", file)] * (file == "full" and bool(mine_here))
            if timed:
                rlo = annotate(build, name, tmp, *at, *settings(file), RULE)
                result = measure(build, rlo, name, tmp, timed, bits)
                keep(mine_here, result)
                judged = [k for k in mine if name in EIGHT[k.limited]]
                again = {label: ",".join((text, *FILES[f])) for label, text, f in timed if label != BOUND}
                for label, of in (perturbed(build, rlo, name, MACHINE, again, f"{tmp}/{name}.json", kernels=True) if judged else {}).items():
                    for k in judged:
                        k.noise[label] = of[k.name]
                keep([k for k in mine if k not in mine_here], {f"{file} {d}": result[f"{file} {d}"] for d in BASE if file == "full"})
            if mine_here:
                rlo = annotate(build, name, tmp, *at, *settings(file), LEAST, "--regmutex=off")
                keep(mine_here, measure(build, rlo, name, tmp, [(f"{file} least", DESIGNS["static"], file)]))
                for k in mine_here:
                    k.least = view(build, name, block, file, LEAST, "--regmutex=off")[k.name]["asked"]
            for what, option in OTHERS.items() if mine_here else ():
                rlo = annotate(build, name, tmp, *at, *settings(file), RULE, option)
                keep(mine_here, measure(build, rlo, name, tmp, [(f"{file} regmutex {what}", DESIGNS["regmutex"], file)]))
            for k in mine_here if file == "full" else ():
                for size in sizes:
                    try:
                        rlo = annotate(build, name, tmp, *at, *settings(file), f"--regmutex={size}", f"--regmutex-kernel={k.name}", quiet=True)
                    except subprocess.CalledProcessError:
                        continue        # not legal
                    k.sized[size] = view(build, name, block, file, f"--regmutex={size}", f"--regmutex-kernel={k.name}")[k.name]
                    keep([k], measure(build, rlo, name, tmp, [(f"{file} regmutex {size}", DESIGNS["regmutex"], file)]))
    return ks


def table_one(build, names, tmp, narrow):
    """{name in Table I: (kernel, registers, rounded, base set)} of the examples with these names: of each the launched kernel with most registers. narrow: it also says how many these are
    with addresses of 32 bits."""
    out = {}
    for i, short in enumerate(TABLE_ONE):
        name = short.lower().replace("-", "")
        if name in names:           # the base sets of the first eight are for the whole register file, those of the others for half of it
            facts = {k: view(build, name, block, "full" if i < 8 else "half")[k] for k, (_, block) in kernels_of(name).items()}
            k = max(facts, key=lambda k: facts[k]["asked"])
            what = f"{name}, {k}"
            if narrow and os.path.exists(f"examples/{name}/{name}.cl"):
                what += f"; {view(build, name, kernels_of(name)[k][1], 'full', source=narrow_addresses(name, tmp))[k]['asked']} with addresses of 32 bits"
            out[short] = what, facts[k]["asked"], facts[k]["registers"], facts[k]["base"] if facts[k]["extended"] else None
    return out


def worked_example(build):
    """Section III-A2 has 24 registers and 48 warps: so has a kernel of lud with CTAs of 192 threads."""
    f = view(build, "lud", 192, "full")["lud_edges"]
    assert f["registers"] == 24, f
    return {"of": "lud, lud_edges, 192 threads", "sections": {s["extended"]: s["sections"] for s in f["sizes"] if s["extended"] > 2}, "chosen": f["extended"]}


def write_csv(path, ks):
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["example", "kernel", "block", "configuration", *COUNTERS])
        for k in ks:
            for label, c in k.c.items():
                w.writerow([k.example, k.name, k.block, label] + [f"{c[x]:.10g}" for x in COUNTERS])


def draw(path, ks):
    """Figures 9 and 12: means of the designs, and each kernel with RegMutex."""
    pictures = []
    for file, what in (("full", "fewer cycles, %"), ("half", "more cycles, %")):
        mine = [k for k in ks if k.limited == file]
        if not mine:
            continue
        designs = [d for d in DESIGNS if (file, d) != ("full", "static") and all(k.has(f"{file} {d}") for k in mine)]
        sign = 1 if file == "full" else -1
        blocks = [[f"{n} {sign * shorter(k, f'{file} {d}'):.2f}" for n, k in enumerate(mine)] for d in designs]
        for b in blocks:
            b.append(f"{len(mine)} {sum(float(x.split()[1]) for x in b) / len(mine):.2f}")
        width = 0.8 / len(designs)
        plots = [f"$d{i} using ($1+{(i - (len(designs) - 1) / 2) * width:.3f}):2 with boxes fs solid 1 lc rgb '{COLOURS[d]}' title '{NAMES[d]}'" for i, d in enumerate(designs)]
        tics = ", ".join(f"'{t}' {n}" for n, t in enumerate([k.example for k in mine] + ["mean"]))
        pictures.append(([f"set title 'registers: {file} file'", f"set ylabel '{what}'", f"set boxwidth {width:.3f}", f"set xtics ({tics}) rotate by -40 scale 0",
                          f"set xrange [-0.6:{len(mine) + 0.6}]", f"set yrange {'[-50:30]' if file == 'full' else '[-30:100]'}", "set key outside top right horizontal"], blocks, plots))
    gnuplot_all(path, "1000,760", (len(pictures), 1), ["set grid ytics", "set xzeroaxis lt 1 lc rgb 'black'"], pictures)


def main():
    build, folder, flags = arguments("quick")
    quick = "quick" in flags
    sizes = QUICK_SIZES if quick else SIZES

    def measure_all():
        bits = {}
        of = each(lambda n: study(build, n, tmp, sizes, bits), examples(build, QUICK_EXAMPLES if quick else None))
        return [k for ks in of for k in ks], bits, table_one(build, examples(build), tmp, not quick), worked_example(build)
    with tempfile.TemporaryDirectory() as tmp:
        ks, bits, named, example = measured(build, "regmutex quick" if quick else "regmutex", measure_all)
    text = report(ks, sizes, bits)
    if not folder:
        print(text)
        return
    with open(f"{folder}/regmutex.md.new", "w") as f:
        f.write(HEAD.format(**{file: sum(k.limited == file for k in ks) for file in FILES}) + text)
    os.rename(f"{folder}/regmutex.md.new", f"{folder}/regmutex.md")
    write_csv(f"{folder}/regmutex.csv", ks)
    draw(f"{folder}/regmutex.svg", ks)
    say(ks, bits, named, example).write(folder, "regmutex")


main()
