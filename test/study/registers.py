#!/usr/bin/env python3
"""registers.py BUILD TABLE: the examples' kernels by what register files of 128 and 64 KB let onto an SM of the GTX 480, and by how many registers are
alive while they run. Writes a table in Markdown."""
import json, os, subprocess, sys, tempfile
from common import annotate, examples, launch, source_of

SIZES = {"128 KB": 32768, "64 KB": 16384}
FULL = 20               # registers of a thread with which all warp slots of 128 KB are taken
LEAST = 0.1             # of an example's warp instructions: kernels with less have no row
HEADS = ("example", "kernel", "registers", "spills", "block", "warps, 128 KB", "limited by", "warps, 64 KB", "limited by", "alive, mean", f"over {FULL}",
         "at barriers", "half")


def run(build, rlo, name, tmp, registers):
    out = f"{tmp}/{name}.json"
    subprocess.run([f"{build}/sm-model", "run", rlo, "--launch", launch(name), "--machine", "gtx480", "--set", f"rf_registers={registers}", "--explain",
                    "--json", out], check=True, stdout=subprocess.DEVNULL)
    return json.load(open(out))


def alive(build, rlo, name, tmp):
    """By kernel: mean of registers alive over those allocated, and the share of instructions at more than FULL, both as executed; the most at a barrier."""
    profile, out, found = f"{tmp}/{name}.profile", f"{tmp}/{name}.alive.json", {}
    subprocess.run([f"{build}/sm-model", "run", rlo, "--launch", launch(name), "--functional", "--profile", profile], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([f"{build}/ptx-annotate", source_of(name), "--profile", profile, "--emit=json", "-o", out], check=True)
    for k in json.load(open(out))["kernels"]:
        times = [b["executions"] for b in k["blocks"]]
        rows = [(times[i["block"]], i["occupied"]["registers"], i["text"]) for i in k["instructions"]]
        all = sum(n for n, _, _ in rows)
        barriers = [live for n, live, text in rows if n and text.split()[0].startswith("bar")]
        found[k["name"]] = (sum(n * live for n, live, _ in rows) / all / k["resources"]["registers"] if all else 0,
                            sum(n for n, live, _ in rows if live > FULL) / all if all else 0, max(barriers, default=None),
                            k["resources"]["spill_bytes"])
    return found


def rows_of(build, name, tmp):
    rlo = annotate(build, name, tmp)
    runs = {size: run(build, rlo, name, tmp, registers) for size, registers in SIZES.items()}
    by_size = {size: {k["kernel"]: k["occupancy"][0] for k in r["explain"]["kernels"]} for size, r in runs.items()}
    cycles = {size: {k: r["kernels"][k]["metrics"]["cycles"]["value"] for k in r["kernels"]} for size, r in runs.items()}
    work = {k: runs["128 KB"]["kernels"][k]["metrics"]["warp_instructions"]["value"] for k in runs["128 KB"]["kernels"]}
    live = alive(build, rlo, name, tmp)
    for kernel, n in work.items():
        if n < LEAST * sum(work.values()):
            continue
        full, half = by_size["128 KB"][kernel], by_size["64 KB"][kernel]
        mean, over, barrier, spilled = live[kernel]
        yield {"first": full["limited_by"] == "registers", "second": half["limited_by"] == "registers",
               "cells": (name, kernel, full["registers"], f"{spilled} B" if spilled else "", full["threads"], full["warps"], full["limited_by"],
                         half["warps"], half["limited_by"], f"{100 * mean:.0f}", f"{100 * over:.0f}", "" if barrier is None else barrier,
                         f"{100 * (cycles['64 KB'][kernel] / cycles['128 KB'][kernel] - 1):+.0f}")}


def main(build, path):
    with tempfile.TemporaryDirectory() as tmp:
        rows = [r for name in examples(build) for r in rows_of(build, name, tmp)]
    parts = (("Limited by registers at 128 KB", [r for r in rows if r["first"]]),
             ("Limited by registers at 64 KB only", [r for r in rows if r["second"] and not r["first"]]),
             ("Not limited by registers", [r for r in rows if not r["second"]]))
    with open(path + ".new", "w") as f:
        f.write("# Registers of the examples\n\n`make study-registers` writes this: kernels with a tenth of their example's warp instructions or more, on the machine gtx480 "
                "(48 warps, 8 CTAs, 48 KB of shared memory an SM) as it is and with half of its registers. Registers of a thread, and bytes of them in local "
                "memory; threads of a block; warps that an SM has room for, and what limits them. As instructions are executed: percent of a thread's registers "
                f"that are occupied in the mean, and of instructions while more than {FULL} are, the most with which all warps find room; the most occupied "
                "at a barrier. Percent of cycles that half the register file adds.\n")
        for title, part in parts:
            f.write(f"\n## {title}\n\n| " + " | ".join(HEADS) + " |\n|" + "---|" * 2 + "--:|" * 4 + "---|--:|---|" + "--:|" * 4 + "\n")
            f.writelines("| " + " | ".join(str(c) for c in r["cells"]) + " |\n" for r in sorted(part, key=lambda r: -r["cells"][2]))
    os.rename(path + ".new", path)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
