#!/usr/bin/env python3
"""Figure 1 of Khorasani et al. (RegMutex, ISCA 2018) for the examples: how many of the registers that a thread was given are live, along the
instructions that it executes. The thread is the middle one of the launch, in the launch where it executes most; of each example the kernel that asks for most registers.
Writes FOLDER/live_registers.md (the table) and live_registers.svg (six kernels). --quick: three examples. Without a folder the table is printed.
Usage: live_registers.py BUILD [FOLDER] [--quick]"""
import csv, json, os, subprocess, tempfile
from common import annotate, arguments, each, examples, gnuplot_all, kernels_of, launch, measured, source_of

GRANULE = 4                             # registers of a thread are rounded up to a multiple of it, here and in the paper
PICTURE = ("cutcp", "dwt2d", "heartwall", "hotspot3d", "lavamd", "particlefilter")
QUICK = ("dwt2d", "lud", "sgemm")


class Way:
    """What one thread executes of a kernel: by step, the registers live before it, for the thread and for its warp."""

    def __init__(self, build, name, tmp):
        view = json.loads(subprocess.run([f"{build}/ptx-annotate", source_of(name), "--emit=json"], check=True, capture_output=True, text=True).stdout)
        launched = kernels_of(name)
        kernel = max((k for k in view["kernels"] if k["name"] in launched), key=lambda k: k["resources"]["registers"])
        grid, block = launched[kernel["name"]]
        rlo, path = annotate(build, name, tmp), f"{tmp}/{name}.path.csv"
        subprocess.run([f"{build}/sm-model", "usage", rlo, "--launch", launch(name), "--quiet", "--path", path,
                        "--path-thread", str(grid // 2 * block + block // 2)], check=True)
        with open(path, newline="") as f:
            ways = {}
            for r in csv.DictReader(f):
                if r["kernel"] == kernel["name"]:
                    ways.setdefault((r["launch"], r["round"]), []).append(r)
        way = max(ways.values(), key=len)
        self.name, self.kernel, self.registers = name, kernel["name"], kernel["resources"]["registers"]
        given = -(-self.registers // GRANULE) * GRANULE
        insns = kernel["instructions"]
        self.live = [100 * insns[int(r["instruction"])]["live"]["registers"] / given for r in way]
        self.alive = [100 * insns[int(r["instruction"])]["alive"] / given for r in way]

    def mean(self):
        return sum(self.live) / len(self.live)

    def at_least(self, percent):
        return 100 * sum(v >= percent for v in self.live) / len(self.live)


HEAD = """# Live registers along a thread's way

Written by `make study-regmutex` and `make papers`; [RegMutex](../REGMUTEX_RESULTS.md#what-is-measured) says what it shows. Percent of the registers that a thread is given (rounded up to a multiple of
4) which are live before each instruction that it executes: the middle thread, in the launch where it executes most; of each example the kernel that asks for most registers. *Alive*: what
must be kept for the warp, [conservatively about branches](../REGMUTEX.md#liveness). The last columns: of the instructions, those with that many live.

![Live registers over executed instructions](live_registers.svg)

"""


def table(ways):
    text = "| example, kernel | registers | instructions | live, mean % | least | most | alive, mean % | >= 75 % live | >= 90 % live |\n|---|" + "--:|" * 8 + "\n"
    for w in ways:
        text += (f"| {w.name}, `{w.kernel}` | {w.registers} | {len(w.live)} | {w.mean():.1f} | {min(w.live):.1f} | {max(w.live):.1f} | "
                 f"{sum(w.alive) / len(w.alive):.1f} | {w.at_least(75):.1f} | {w.at_least(90):.1f} |\n")
    n = len(ways)
    return text + (f"| **mean of {n}** | | | **{sum(w.mean() for w in ways) / n:.1f}** | | | {sum(sum(w.alive) / len(w.alive) for w in ways) / n:.1f} | "
                   f"{sum(w.at_least(75) for w in ways) / n:.1f} | {sum(w.at_least(90) for w in ways) / n:.1f} |\n")


def thin(values, n=1500):
    """No more points than a picture shows: the least and the most of each stretch."""
    step = max(1, len(values) // n * 2)
    out = []
    for at in range(0, len(values), step):
        part = values[at:at + step]
        out += [(at, min(part)), (at + len(part) - 1, max(part))] if step > 1 else [(at, part[0])]
    return [f"{x} {y:.1f}" for x, y in out]


def draw(path, ways):
    pictures = [([f"set title '{w.name}'", "set yrange [0:100]", f"set xrange [0:{len(w.live)}]", "unset key"],
                 [thin(w.alive), thin(w.live)], ["$d0 with steps lc rgb '#bbbbbb'", "$d1 with steps lc rgb '#1f5fa8'"]) for w in ways]
    gnuplot_all(path, "1000,560", (2, 3), ["set grid ytics", "set xtics autofreq", "set ylabel '% of registers'"], pictures)


def main():
    build, folder, flags = arguments("quick")
    quick = "quick" in flags
    with tempfile.TemporaryDirectory() as tmp:
        ways = measured(build, "live_registers quick" if quick else "live_registers", lambda: each(lambda n: Way(build, n, tmp), examples(build, QUICK if quick else None)))
    if not folder:
        print(table(ways), end="")
        return
    with open(f"{folder}/live_registers.md.new", "w") as f:
        f.write(HEAD + table(ways))
    os.rename(f"{folder}/live_registers.md.new", f"{folder}/live_registers.md")
    draw(f"{folder}/live_registers.svg", [w for w in ways if w.name in PICTURE])


main()
