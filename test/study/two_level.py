#!/usr/bin/env python3
"""How many active warps a two-level scheduler needs: IPC of the examples on the machine of Gebhart et al. (TOCS 2012), for several
sizes of the active set, over that of a scheduler that may choose among all 32 warps. Writes FOLDER/two_level.md (the tables) and
two_level.svg (the curve), and two_level.claims.csv. The claims are those of section 7.2. The examples are those of the sweeps; --quick: three of them.
Usage: two_level.py BUILD FOLDER [--quick]"""
import csv, statistics, subprocess, tempfile
from common import SWEPT, Measured, annotate, arguments, each, examples, gnuplot, launch, measured

ACTIVE = (32, 2, 4, 6, 8, 12, 16)       # the first is what the others are compared with
QUICK = ("histogram", "options", "reduction")
ALL, ISSUES = ACTIVE[0], ("two-level", "two-level-rr")
ALU_LATENCY = 8                         # of the machine, from an instruction to a dependent one

HEAD = """# IPC over the number of active warps

Written by `make study-two-level` and `make papers`; [TWO_LEVEL](../TWO_LEVEL.md) says what it shows. The {count} examples on `--machine hierarchical-rf`, figure 18 of Gebhart et al. (TOCS 2012).

![IPC over active warps](two_level.svg)

Columns of numbers are IPC over that with 32 active. *Independent*: instructions that a warp issues in the 8 cycles of ALU latency, 4 x IPC
with 2 active warps. *Pending*: share of issue slots lost, at 6, while a warp was ready and had no place. *Round robin*: all 32 active, in turn,
over the same greedy 32.
"""


def measure(build, name, tmp):
    """{(issue, active): row of the CSV} of one example."""
    out = f"{tmp}/{name}.csv"
    subprocess.run([f"{build}/sm-model", "compare", annotate(build, name, tmp), "--launch", launch(name), "--machine", "hierarchical-rf",
                    "--sweep", "issue=" + ",".join(ISSUES), "--sweep", "active_warps=" + ",".join(map(str, ACTIVE)),
                    "--metrics", "ipc,resident_warps,slots_pending,issue_slots", "--csv", out, "--quiet"], check=True)
    rows = list(csv.DictReader(open(out)))
    return {(i, a): {k: float(rows[n * len(ACTIVE) + m][k]) for k in ("ipc", "resident_warps", "slots_pending", "issue_slots")}
            for n, i in enumerate(ISSUES) for m, a in enumerate(ACTIVE)}


def draw(path, sizes, examples, mean):
    blocks = [[f"{a} {v}" for a, v in zip(sizes, values)] for values in examples + [mean]]
    plots = [f"$d{i} with lines lc rgb '#bbbbbb' " + ("title 'each example'" if i == 0 else "notitle") for i in range(len(examples))]
    plots.append(f"$d{len(examples)} with linespoints lw 3 lc rgb '#1f5fa8' title 'mean'")
    gnuplot(path, "720,440", ["set xlabel 'active warps'", f"set ylabel 'IPC over that of {ALL} active'", f"set xtics ({','.join(map(str, sizes))})",
                              "set xrange [1:33]", "set yrange [0.2:1.1]", "set key bottom right", "set grid ytics"], blocks, plots)


def main():
    (build, folder, flags), sizes = arguments("quick"), sorted(ACTIVE)
    quick = "quick" in flags
    names = examples(build, QUICK if quick else SWEPT)
    with tempfile.TemporaryDirectory() as tmp:
        result = measured(build, "two_level quick" if quick else "two_level", lambda: dict(zip(names, each(lambda n: measure(build, n, tmp), names))))

    def ratio(name, active, issue=ISSUES[0]):
        return result[name][issue, active]["ipc"] / result[name][ISSUES[0], ALL]["ipc"]

    def mean(active, issue=ISSUES[0]):
        return sum(ratio(n, active, issue) for n in names) / len(names)

    lines = [HEAD.format(count=len(names)),
             f"| example | warps | IPC, {ALL} active | independent | " + " | ".join(map(str, sizes)) + " | pending, 6 | round robin, 32 |",
             "|---" * (len(sizes) + 6) + "|"]
    for n in names:
        few, all_, six = (result[n][ISSUES[0], a] for a in (2, ALL, 6))
        lines.append(f"| {n} | {all_['resident_warps']:.1f} | {all_['ipc']:.3f} | {few['ipc'] * ALU_LATENCY / 2:.1f} | "
                     + " | ".join(f"{ratio(n, a):.3f}" for a in sizes) + f" | {six['slots_pending'] / six['issue_slots']:.1%} | {ratio(n, ALL, ISSUES[1]):.3f} |")
    lines.append("| **mean** | | | | " + " | ".join(f"**{mean(a):.3f}**" for a in sizes) + f" | | {mean(ALL, ISSUES[1]):.3f} |")
    for what, average in (("median", statistics.median), ("geometric mean", statistics.geometric_mean)):
        lines.append(f"| {what} | | | | " + " | ".join(f"{average(ratio(n, a) for n in names):.3f}" for a in sizes) + f" | | {average(ratio(n, ALL, ISSUES[1]) for n in names):.3f} |")
    lines.append("| claim | | | | | | 0.99 | about 1 | | | 1 | | |")
    lines += ["", f"Means over the same greedy {ALL}, by the order inside the active set:", "", "| inside | " + " | ".join(map(str, sizes)) + " |",
              "|---" * (len(sizes) + 1) + "|"]
    for issue, what in zip(ISSUES, ("greedy", "round robin")):
        lines.append(f"| {what} | " + " | ".join(f"{mean(a, issue):.3f}" for a in sizes) + " |")
    with open(f"{folder}/two_level.md", "w") as f:
        f.write("\n".join(lines) + "\n")
    said = Measured("hierarchical-rf")
    for id_, active in (("HRF-5", 8), ("HRF-6", 6)):
        said.say(id_, "ipc", f"two-level {active}", "all", 100 * mean(active), len(names), of={n: 100 * ratio(n, active) for n in names})
    said.write(folder, "two_level")
    draw(f"{folder}/two_level.svg", sizes, [[ratio(n, a) for a in sizes] for n in names], [mean(a) for a in sizes])


main()
