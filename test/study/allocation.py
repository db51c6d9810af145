#!/usr/bin/env python3
"""What each part of the allocation to the ORF is worth, from the code of the examples alone: reads and writes by level and energy, each block as
often as it is estimated to execute; means over kernels, each counting as much. Usage: allocation.py BUILD [OUTPUT.md]"""
import json, os, subprocess, sys
from common import examples, source_of

WAYS = [
    ("as it is", []),
    ("whole ranges only (no 5.3)", ["--no-orf-partial"]),
    ("no read operands (no 5.4)", ["--no-orf-read-operands"]),
    ("neither", ["--no-orf-partial", "--no-orf-read-operands"]),
    ("values end with their block (no 5.5)", ["--no-orf-branches"]),
    ("none of the three (5.2)", ["--no-orf-partial", "--no-orf-read-operands", "--no-orf-branches"]),
    ("ranges in the order of the code", ["--orf-ranges=paper"]),
    ("weights are block frequencies", ["--orf-weights=freq"]),
    ("L1 or MRF, not both (7.9)", ["--orf-writes=l0"]),
    ("results to one level (7.9)", ["--orf-writes=one"]),
] + [(f"{n} entr{'y' if n == 1 else 'ies'}", [f"--orf-entries={n}"]) for n in (1, 2, 4, 5, 6, 7, 8)]
ORGS = ("orf", "lrf+orf", "split-lrf+orf")


def measure(build, names, options):
    """By organisation the means over kernels: energy, reads of MRF, ORF, LRF, writes of them, all as shares."""
    sums, kernels = {o: [0.0] * 7 for o in ORGS}, 0
    for name in names:
        out = subprocess.run([f"{build}/ptx-annotate", source_of(name), "--emit=json", *options], check=True, stdout=subprocess.PIPE).stdout
        for k in json.loads(out)["kernels"]:
            kernels += 1
            for o in ORGS:
                t = k["orf"][o]
                row = [(t["access_pj"] + t["wire_pj"]) / t["without_pj"]]
                row += [t["reads"][x] / t["operands_read"] for x in ("mrf", "orf", "lrf")]
                row += [t["writes"][x] / t["operands_written"] for x in ("mrf", "orf", "lrf")]
                sums[o] = [a + b for a, b in zip(sums[o], row)]
    return {o: [100 * x / kernels for x in sums[o]] for o in ORGS}, kernels


def main():
    build, names = sys.argv[1], examples(sys.argv[1])
    out = open(sys.argv[2] + ".new", "w") if len(sys.argv) > 2 else sys.stdout
    results = [(what, *measure(build, names, options)) for what, options in WAYS]
    print(f"<!-- make study-allocation: {results[0][2]} kernels of {len(names)} examples, percent; energy of access and wires against the MRF alone, reads and writes"
          " against the operands read and written -->", file=out)
    for o in ORGS:
        print(f"\n**{o}**, 3 entries unless it says otherwise\n", file=out)
        print("| | energy | reads MRF | ORF | LRF | writes MRF | ORF | LRF |\n|---|--:|--:|--:|--:|--:|--:|--:|", file=out)
        for what, shares, _ in results:
            print(f"| {what} | " + " | ".join(f"{x:.1f}" for x in shares[o]) + " |", file=out)
    if out is not sys.stdout:
        out.close()
        os.replace(sys.argv[2] + ".new", sys.argv[2])


main()
