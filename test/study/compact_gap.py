#!/usr/bin/env python3
"""compact_gap.py BUILD TABLE: how many MOVs index compaction puts in, beside the fewest that an integer program finds and what none can go below, over
the kernels in examples/ and the sizes of the extended set that RegMutex considers (docs/REGMUTEX_CODE.md#compaction). Writes a table in Markdown."""
import concurrent.futures, csv, os, subprocess, sys
from common import examples, source_of

SECONDS = 4


def rows(build, name):
    text = subprocess.run([f"{build}/test/p_compact", "--gap", str(SECONDS), source_of(name)], check=True, capture_output=True, text=True).stdout
    return [{k: v if k == "kernel" else int(v) for k, v in r.items()} for r in csv.DictReader(text.splitlines())]


def main(build, path):
    names = [n for n in examples(build) if n != "micro" and source_of(n).endswith(".ptx")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        all_rows = [r for of in pool.map(lambda n: rows(build, n), names) for r in of]
    moves = [r for r in all_rows if r["greedy"]]
    proved = [r for r in all_rows if r["best"] == r["bound"]]
    best = [r for r in proved if r["greedy"] == r["best"]]
    with open(path + ".new", "w") as f:
        f.write("# How far the MOVs of index compaction are from the fewest\n\n`make study-compact` writes this. Executions of MOVs by a thread (estimated): of the "
                "heuristic, of the best placement\nthat was found in %d s, and what no placement goes below. The extended set is held exactly where more registers are "
                "occupied than the\nbase set has, and where the heuristic asks for more; kernels without such places are left out.\n\n" % SECONDS)
        f.write("%d kernels and sizes; %d without any MOV; %d proved, the heuristic is best in %d of them. Of all together: heuristic %d, best %d, bound %d.\n\n"
                % (len(all_rows), len(all_rows) - len(moves), len(proved), len(best), *(sum(r[c] for r in all_rows) for c in ("greedy", "best", "bound"))))
        f.write("Those with MOVs:\n\n| kernel | registers | extended | instructions | of them held | MOVs | heuristic | best | bound | |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
        for r in moves:
            f.write("| {kernel} | {registers} | {extended} | {instructions} | {held} | {moves} | {greedy} | {best} | {bound} | ".format(**r)
                    + ("proved" if r["best"] == r["bound"] else "open") + " |\n")
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main(*sys.argv[1:3])
