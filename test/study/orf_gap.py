#!/usr/bin/env python3
"""orf_gap.py BUILD TABLE: how much less the greedy allocation to the ORF and LRF saves than the best one, over the kernels in examples/,
by entries and organisation (docs/ORF_ALLOCATION.md#how-far-from-optimal). Writes tables in Markdown. --jobs=N: so many at once."""
import concurrent.futures, json, os, subprocess, sys
from common import examples, source_of

ENTRIES = (1, 2, 3, 4, 6, 8)
ORGANISATIONS = ("orf", "lrf+orf", "split-lrf+orf")
VARIANTS = (("ranges as in the paper", ("--orf-ranges=paper",)), ("values end at branches", ("--no-orf-branches",)),
            ("no partial ranges", ("--no-orf-partial",)), ("nor read operands", ("--no-orf-partial", "--no-orf-read-operands")))
SECONDS = 60


def without(kernel):
    """pJ of one warp with all operands in the main register file, each instruction counted once: eight accesses of 128 bits and 32 words over
    1 mm for each (Table V)."""
    uses = [i["places"] for i in kernel["instructions"]]
    return sum(len(p["reads"]) * (8 * 8 + 32 * 1.9) + len(p["writes"]) * (8 * 11 + 32 * 1.9) for p in uses)


def kernels(build, name, *options):
    """(kernel, organisation) -> what its places come to."""
    text = subprocess.run([f"{build}/ptx-annotate", source_of(name), "--emit=json", f"--orf-exact={SECONDS}", *options], check=True,
                          capture_output=True, text=True).stdout
    return {(k["name"], org): {**k["orf"][org], "without": without(k)} for k in json.loads(text)["kernels"] for org in ORGANISATIONS}


def gap(x):
    return 100 * (1 - x["greedy_pj"] / x["saved_pj"]) if x["saved_pj"] else 0.0


def row(of, org):
    """Mean, of all together, worst, number with the optimum, points of energy, energy that the best takes less than the greedy one, proved."""
    xs = {k: x for (k, o), x in of.items() if o == org}
    gaps = {k: gap(x) for k, x in xs.items()}
    saved, greedy = (sum(x[f] for x in xs.values()) for f in ("saved_pj", "greedy_pj"))
    base = sum(x["without"] for x in xs.values())
    worst = max(gaps, key=gaps.get)
    return (sum(gaps.values()) / len(gaps), 100 * (1 - greedy / saved), f"{gaps[worst]:.1f} ({worst})",
            f"{sum(g < 1e-9 for g in gaps.values())} of {len(gaps)}", 100 * greedy / base, 100 * saved / base,
            100 * (saved - greedy) / (base - greedy), sum(x["bound_pj"] > x["saved_pj"] * (1 + 1e-9) for x in xs.values()))


def write(f, first, of, org):
    mean, together, worst, optimal, greedy, best, less, open_ = row(of, org)
    f.write(f"| {first} | {org} | {mean:.1f} | {together:.1f} | {worst} | {optimal} | {greedy:.1f} | {best:.1f} | {less:.1f} | {open_ or 'all'} |\n")


HEAD = ("| {} | organisation | mean | together | worst | greedy is optimal | greedy saves | best saves | less energy | proved |\n"
        "|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")


def main(build, path, jobs):
    names = examples(build)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        run = lambda options: [pool.submit(kernels, build, n, *options) for n in names]
        size = {e: run((f"--orf-entries={e}",)) for e in ENTRIES}
        variant = {v: run(options) for v, options in VARIANTS}
        of = lambda futures: {k: x for f in futures for k, x in f.result().items()}
        with open(path + ".new", "w") as f:
            f.write("# How far the greedy allocation is from the best one\n\n`make study-orf` writes this. Percent of what the best allocation of the same "
                    "values saves that the greedy one does not: mean over the kernels\nof the examples, of all of them together, and the worst. What both save is in percent "
                    "of the energy with all operands in the main register\nfile. Each instruction counts once.\n\n")
            f.write(HEAD.format("entries"))
            for e in ENTRIES:
                for org in ORGANISATIONS:
                    write(f, e, of(size[e]), org)
            f.write("\nVariants, with 3 entries:\n\n" + HEAD.format("variant"))
            for v, _ in VARIANTS:
                for org in ORGANISATIONS:
                    write(f, v, of(variant[v]), org)
            f.write("\nBy kernel, 3 entries:\n\n| kernel | " + " | ".join(ORGANISATIONS) + " |\n|---|--:|--:|--:|\n")
            three = of(size[3])
            for kernel in dict.fromkeys(k for k, _ in three):
                f.write(f"| {kernel} | " + " | ".join(f"{gap(three[kernel, org]):.1f}" for org in ORGANISATIONS) + " |\n")
    os.rename(path + ".new", path)


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if not a.startswith("--jobs=")]
    main(*given, next((int(a[7:]) for a in sys.argv if a.startswith("--jobs=")), 2))
