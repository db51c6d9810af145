#!/usr/bin/env python3
"""How well block frequencies are estimated: of each example, the estimate from the code alone, the one that knows the launch
(block, grid and integer parameters of the first launch of each kernel), and what a run counts. Prints a Markdown table.
  overlap      shared part of the two distributions of executed instructions over blocks: the sum of the lesser shares, 1 the same
  rank         Spearman's correlation of the blocks' executions, ties at their mean rank
  loops        how many of the trip counts are known, by the code alone, and with the launch
Usage: freq.py BUILD"""
import json, subprocess, sys, tempfile
from common import annotate, examples, launch, source_of


def emit(build, source, *options):
    return json.loads(subprocess.run([f"{build}/ptx-annotate", source, "--emit=json", *options, "-o", "-"], check=True, capture_output=True).stdout)


def ranks(values):
    order = sorted(values)
    first = {v: order.index(v) for v in set(values)}
    return [first[v] + (order.count(v) - 1) / 2 for v in values]


def spearman(x, y):
    a, b = ranks(x), ranks(y)
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    va, vb = sum((i - ma) ** 2 for i in a), sum((j - mb) ** 2 for j in b)
    return sum((i - ma) * (j - mb) for i, j in zip(a, b)) / (va * vb) ** 0.5 if va and vb else None


def compare(kernel, counted):
    blocks = [(b["instructions"], b["executions"], c) for b, c in zip(kernel["blocks"], counted) if b["reachable"]]
    est, run = sum(n * e for n, e, _ in blocks), sum(n * c for n, _, c in blocks)
    overlap = sum(min(n * e / est, n * c / run) for n, e, c in blocks)
    return overlap, spearman([e for _, e, _ in blocks], [c for _, _, c in blocks])


def main():
    build, total = sys.argv[1], [[], []]
    print("| kernel | blocks | loops | known | with the launch | overlap | with the launch | rank | with the launch |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as tmp:
        for name in examples(build):
            rlo, prof = annotate(build, name, tmp), f"{tmp}/{name}.prof"
            subprocess.run([f"{build}/sm-model", "run", rlo, "--launch", launch(name), "--functional", "--quiet", "--profile", prof], check=True)
            plain, with_launch = ({k["name"]: k for k in emit(build, *x)["kernels"]} for x in ([rlo], [source_of(name), "--launch", launch(name)]))
            for k in json.load(open(prof))["kernels"]:
                told = with_launch[k["name"]]
                rows = [compare(x, k["executions"]) for x in (plain[k["name"]], told)]
                loops = [sum(l["source"] != "assumed" for l in x["loops"]) for x in (plain[k["name"]], told)]
                for t, r in zip(total, rows):
                    t.append(r)
                rank = ["-" if r is None else f"{r:.2f}" for _, r in rows]
                print(f"| {k['name']} | {len(k['executions'])} | {len(told['loops'])} | {loops[0]} | {loops[1]} | {rows[0][0]:.2f} | {rows[1][0]:.2f} | "
                      f"{rank[0]} | {rank[1]} |")

    def mean(values):
        values = [v for v in values if v is not None]
        return f"{sum(values) / len(values):.2f}"
    print("| mean |  |  |  |  | " + " | ".join(mean([r[0] for r in t]) for t in total) + " | " + " | ".join(mean([r[1] for r in t]) for t in total) + " |")


main()
