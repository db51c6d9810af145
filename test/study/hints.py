#!/usr/bin/env python3
"""hints.py BUILD TABLE: what each way to choose CORF's pairs and alignment keeps and loses, and how much code the metadata adds, of each
kernel in examples/ (docs/HINTS.md). Writes a table in Markdown."""
import json, os, subprocess, sys, tempfile
from common import annotate, examples

WAYS = ("paper", "default", "exact")


def kernels(build, name, tmp):
    """The hints of each kernel, by way to align."""
    of = {}
    for way in WAYS:
        rlo = annotate(build, name, tmp, f"--align={way}")
        text = subprocess.run([f"{build}/ptx-annotate", rlo, "--emit=json"], check=True, capture_output=True, text=True).stdout
        for k in json.loads(text)["kernels"]:
            of.setdefault(k["name"], {})[way] = k["corf"]
    return of


def main(build, path):
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        for name in examples(build):
            for kernel, of in kernels(build, name, tmp).items():
                best = of["exact"]
                part = lambda w: 100 * w / best["total"] if best["total"] else 0.0
                rows.append((kernel, len(best["affinity"]), part(best["pairs"]["greedy_kept"]), part(best["pairs"]["matching_kept"]),
                             *(part(of[w]["alignment"]["lost"]) for w in WAYS), part(best["alignment"]["gap"]),
                             best["pairs"]["code_increase"], best["alignment"]["code_increase"]))
    mean = [sum(r[c] for r in rows) / len(rows) for c in range(2, 10)]
    with open(path + ".new", "w") as f:
        f.write("# Pairs and alignment of the examples' kernels\n\n`make study-hints` writes this. Percent of the reads of two registers together "
                "that pairs keep and that each\nalignment loses, the gap of the exact one to what is proved, and instructions that the metadata adds to "
                "the code.\n\n| kernel | edges | greedy keeps | matching keeps | paper loses | default loses | exact loses | gap | code, CORF | code, CORF++ |\n"
                "|---|---|---|---|---|---|---|---|---|---|\n")
        for r in rows:
            f.write(f"| {r[0]} | {r[1]} | " + " | ".join(f"{x:.1f}" for x in r[2:]) + " |\n")
        f.write(f"| mean of {len(rows)} | | " + " | ".join(f"{x:.1f}" for x in mean) + " |\n")
    os.rename(path + ".new", path)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
