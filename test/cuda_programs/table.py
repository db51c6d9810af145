#!/usr/bin/env python3
"""table.py SOURCES BUILT: docs/results/cuda_programs.md, of what test/cuda/cuda_programs.sh has left in BUILT: each program's first run."""
import glob
import json
import os
import re
import sys

sources, built = sys.argv[1:]
print("# CUDA programs\n\nWhole programs of our own, built by nvcc and run as they are, each of which verifies its results itself ([how they are tested](../../test/cuda_programs/README.md)).\n"
      "`make check-cuda` runs them all and writes this page to `build/cuda_programs.md`: of each program's first run, functionally, the launches, the instructions of warps,\n"
      "and the seconds of the whole process with what it computes on the host.\n")
print("| program | what it shows | launches | warp instructions | seconds |\n|---|---|---:|---:|---:|")
for path in sorted(glob.glob(f"{sources}/*.cu") + glob.glob(f"{sources}/*/*.cu")):
    name = os.path.basename(path)[:-3]
    folder = f"{built}/{name}.d"
    text = re.match(r"// (\w+): (.*)\n", open(path).readline())
    if not text or text[1] != name or not os.path.exists(f"{folder}/seconds"):
        continue
    with open(f"{folder}/report.0.json") as f:
        launches = [r for r in map(json.loads, f) if r["type"] == "launch"]
    what = text[2].rstrip(".")
    print(f"| `{name}` | {what} | {len(launches)} | {sum(r['warp_instructions'] for r in launches):,} | {float(open(f'{folder}/seconds').read()):.2f} |")
