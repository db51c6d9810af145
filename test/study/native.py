#!/usr/bin/env python3
"""native.py BUILD TABLE: the examples as machine code of ptxas -O3 for sm_86 (test/sass/native) beside what we compile of the same PTX: registers, local memory,
instructions, cycles on the same core, registers read (docs/NATIVE.md). Writes a table in Markdown."""
import json, os, statistics, subprocess, sys, tarfile, tempfile
from common import examples, source_of

MACHINE = "gtx480"
COMPARED = ("warp_instructions", "cycles", "operand_reads")
KINDS = {"integer": ("lanes_int",), "integer multiply": ("lanes_imul",), "divide": ("lanes_idiv", "lanes_fdiv", "lanes_ddiv"), "float": ("lanes_fp", "lanes_fmul"),
         "double": ("lanes_dp",), "special": ("lanes_sfu",), "memory": ("lanes_mem",), "control": ("lanes_control",)}


def measured(build, file, name):
    run = subprocess.run([f"{build}/sm-model", "run", file, "--launch", f"examples/{name}/{name}.yaml", "--machine", MACHINE, "--quiet", "--json", "-"],
                         check=True, capture_output=True, text=True)
    m = json.loads(run.stdout)["metrics"]
    return {k: v["value"] for k, v in m.items() if v["value"] is not None}


def where(ours, theirs):
    """Of a row with a ratio beyond a fifth: executed lanes by kind of instruction, in percent of all of ours; lanes of an instruction; resident warps; the two
    reasons of issue slots that changed most, in percent of our slots."""
    lanes, slots = ours["executed_lanes"], ours["issue_slots"]
    kinds = [100 * sum(theirs.get(c, 0) - ours.get(c, 0) for c in of) / lanes for of in KINDS.values()]
    width = [m["thread_instructions"] / m["warp_instructions"] for m in (ours, theirs)]
    warps = [m["resident_warps"] for m in (ours, theirs)]
    reasons = {k[6:]: 100 * (theirs[k] - ours[k]) / slots for k in ours if k.startswith("slots_")}
    most = sorted(reasons, key=lambda k: -abs(reasons[k]))[:2]
    return " | ".join([f"{k:+.0f}" if abs(k) >= 0.5 else "" for k in kinds] + [f"{width[0]:.1f} / {width[1]:.1f}", f"{warps[0]:.1f} / {warps[1]:.1f}"] +
                      [", ".join(f"{k} {reasons[k]:+.0f}" for k in most)])


def resources(build, file):
    """Registers and bytes of local memory of a thread, of the kernel that has most."""
    text = subprocess.run([f"{build}/ptx-annotate", file, "--emit=json"], check=True, capture_output=True, text=True).stdout
    kernels = json.loads(text)["kernels"]
    return max(k["resources"]["registers"] for k in kernels), max(k["resources"]["local_bytes"] for k in kernels)


def main():
    build, table = sys.argv[1:3]
    rows, far, ratios = [], [], {k: [] for k in COMPARED}
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
            if any(not 1 / 1.2 < theirs[k] / ours[k] < 1.2 for k in ratios):
                far.append(f"| {name} | {where(ours, theirs)} |")
            print(rows[-1], file=sys.stderr)
    mean = [f"{statistics.geometric_mean(v):.2f}" for v in ratios.values()]
    why = f"""
## Where they differ by more than a fifth

Executed lanes by kind of instruction, machine code less ours, in percent of all of ours; lanes that an instruction has on average, and warps that are resident, ours / ptxas; the two kinds of
issue slots that changed most, in percent of our slots.

| example | {" | ".join(KINDS)} | lanes | warps | slots |
|---|{"--:|" * (len(KINDS) + 2)}---|
""" + "\n".join(far) + """

What the columns say, with what stands in the listings (`ptx-annotate --emit=listing`):

- *Divide down*: an integer or float division, or a square root, is one instruction here, and of ptxas a sequence of integer, float and special ones with a call for rare operands (FCHK, MUFU, CALL).
- *Integer multiply up*: IMAD also moves, shifts and adds (IMAD.MOV, IMAD.SHL, IMAD.IADD), to spread work over two units that this machine does not have apart.
- *Fewer lanes an instruction*: short branches are guards in machine code, so warps execute instructions for few lanes or none.
- *Memory down*: loads of neighbours are one (LDS.128, LDG.128), or nothing is in local memory.
- *Slots*: cycles follow instructions where `issued` grew. `memory` and `scoreboard` fall where ptxas has loads of several iterations in flight; `fetch` follows the length of the code and its
  jumps; `empty` says that warps ended at other times, or that fewer are resident (*warps*), which the registers decide.
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
