#!/usr/bin/env python3
"""native.py BUILD TABLE: the examples as machine code of ptxas -O3 for sm_86 (test/sass/native) beside what we compile of the same PTX: registers, local memory,
instructions, cycles on the same core, registers read (docs/NATIVE.md). Writes a table in Markdown."""
import json, os, statistics, subprocess, sys, tarfile, tempfile
from common import examples, source_of

MACHINE = "gtx480"


def measured(build, file, name):
    run = subprocess.run([f"{build}/sm-model", "run", file, "--launch", f"examples/{name}/{name}.yaml", "--machine", MACHINE, "--quiet", "--json", "-"],
                         check=True, capture_output=True, text=True)
    m = json.loads(run.stdout)["metrics"]
    return {k: m[k]["value"] for k in ("warp_instructions", "cycles", "operand_reads")}


def resources(build, file):
    """Registers and bytes of local memory of a thread, of the kernel that has most."""
    text = subprocess.run([f"{build}/ptx-annotate", file, "--emit=json"], check=True, capture_output=True, text=True).stdout
    kernels = json.loads(text)["kernels"]
    return max(k["resources"]["registers"] for k in kernels), max(k["resources"]["local_bytes"] for k in kernels)


def main():
    build, table = sys.argv[1:3]
    rows, ratios = [], {k: [] for k in ("warp_instructions", "cycles", "operand_reads")}
    with tempfile.TemporaryDirectory() as tmp:
        tarfile.open("test/sass/native/86-3.tar.xz").extractall(tmp)
        for name in examples(build):
            cubin, object_ = f"{tmp}/86-3/examples/{name}.cubin", f"{tmp}/{name}.rlo"
            if not os.path.exists(cubin) or name in ("heartwall", "leukocyte"):
                continue
            subprocess.run([f"{build}/ptx-annotate", source_of(name), "-q", "-o", object_], check=True)
            ours, theirs = measured(build, object_, name), measured(build, cubin, name)
            (r0, l0), (r1, l1) = resources(build, object_), resources(build, cubin)
            for k in ratios:
                ratios[k].append(theirs[k] / ours[k])
            rows.append(f"| {name} | {r0} | {r1} | {l0} | {l1} | " + " | ".join(f"{ours[k]:,} | {theirs[k] / ours[k]:.2f}" for k in ratios) + " |")
            print(rows[-1], file=sys.stderr)
    mean = [f"{statistics.geometric_mean(v):.2f}" for v in ratios.values()]
    why = """
Where machine code has over a fifth more instructions, two reasons were looked at. Division and square roots of floats are a sequence of ptxas's with a call for rare operands (`ptx-annotate --emit=listing`: FCHK, MUFU, CALL),
and one instruction here: backprop, blackscholes, euler3d, srad, srad1, tridiagonal. Short branches are guards there, so that a warp executes instructions for no lane: reduction. The others were not looked into.
"""
    with open(table, "w") as f:
        f.write(f"""# Machine code beside what we compile

`make study-native`: {len(rows)} examples as ptxas 13.0 -O3 compiled them for sm_86 ([test/sass/native](../../test/sass/README.md)), and as `ptx-annotate` compiles the same PTX, both
timed on `--machine {MACHINE}`, the core that the papers are measured on: no GPU has both. Of a program with several kernels registers and local memory are those of the kernel that has
most. Ratios are machine code to ours; below 1 ptxas has less. How it is executed: [NATIVE](../NATIVE.md).

| example | registers, ours | ptxas | local B, ours | ptxas | warp instructions, ours | ratio | cycles, ours | ratio | operands read, ours | ratio |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
""" + "\n".join(rows) + f"\n| geometric mean | | | | | | {mean[0]} | | {mean[1]} | | {mean[2]} |\n{why}")


main()
