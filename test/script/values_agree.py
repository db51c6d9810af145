#!/usr/bin/env python3
"""values_agree.py VALUES.json RUN.json LAUNCH.yaml: what `sm-model values` counts of an execution is what the timing model counts
under values=g-scalar, which meets the same records by the same rules (runtime-model/core/encode.h). The moves that the one inserts are left out: each
reads a register, writes 128 bytes and executes in the lanes that its warp was launched with: 32, or a last warp's fewer."""
import json, math, re, sys

values, run = (json.load(open(name)) for name in sys.argv[1:3])
blocks = [math.prod(map(int, b.split(","))) for b in re.findall(r"\bblock: *\[([^]]*)\]", open(sys.argv[3]).read())]
v, t = values["total"], {name: m["value"] for name, m in run["metrics"].items()}
moves, stored = t["injected_moves"], v["stored"]["parts"]
fewest = moves * (32 if all(b % 32 == 0 for b in blocks) else 1)
of_moves = min(max(t["executed_lanes"] - v["needed_lanes"], fewest), 32 * moves)
pairs = [("warp_instructions", v["warp_instructions"]), ("divergent_instructions", v["divergent"]), ("read_divergent", v["reads"]["divergent"]),
         ("executed_lanes", v["needed_lanes"] + of_moves)]
pairs += [(f"scalar_{name}", v["scalar"][part]) for name, part in (("alu", "alu"), ("sfu", "sfu"), ("mem", "mem"), ("half", "parts"), ("divergent", "divergent"))]
if not moves:
    pairs += [(f"read_same{n}", v["reads"][f"same{n}"]) for n in range(5)]
wrong = [f"{name}: {t[name]} timed, {n} executed" for name, n in pairs if t[name] != n]
sums = [("reads", sum(t[f"read_same{n}"] for n in range(5)) - moves, sum(v["reads"][f"same{n}"] for n in range(5))),
        ("writes", t["rf_operand_writes"] - moves, v["writes"]), ("stored bytes", t["stored_bytes"] - 128 * moves, stored["bytes"]),
        ("moves", moves + t["moves_elided"], stored["moves"]), ("moves elided", t["moves_elided"], stored["moves_elided"])]
wrong += [f"{name}: {a} timed, {b} executed" for name, a, b in sums if a != b]
sys.exit("\n".join(wrong) or None)
