#!/usr/bin/env python3
"""energy.py BUILD TABLE: what the energy model of a whole GPU (docs/ENERGY.md) says of the examples on the machine of G-Scalar, beside what is published:
shares of the register file, execution and the rest, the two factors of runtime-model/core/energy.c that bring their means to those of GPUWattch, and what
becomes of G-Scalar's gain if the rest took half, or twice as much. Writes Markdown. Means are over examples, unweighted."""
import json, subprocess, sys, tempfile
from common import annotate, examples, fitted_factors, launch

PARTS = ("rf_energy", "collect_energy", "exec_energy", "front_end_energy", "sm_memory_energy", "sm_steady_energy", "interconnect_energy", "l2_energy", "dram_energy",
         "uncore_steady_energy")
HEADS = ("register file", "its collectors", "execution", "fetch, decode, schedule", "L1, shared, constants", "SMs, by time", "interconnect", "L2", "DRAM", "beyond SMs, by time")
RF, EXECUTION = 16, 24          # percent of a GPU's power: GPUWattch by G-Scalar section 1


def runs(build, name, tmp, configurations):
    out = f"{tmp}/{name}.json"
    subprocess.run([f"{build}/sm-model", "compare", annotate(build, name, tmp), "--launch", launch(name), "--machine", "g-scalar", "-q",
                    "--rf", ",".join(configurations), "--json", out], check=True)
    return {c["name"]: {k: m["value"] for k, m in c["metrics"].items()} for c in json.load(open(out))["configurations"]}


STEADY = ("sm_steady_energy", "uncore_steady_energy")
REST = PARTS[3:]


def parts(m, collect=1.0, steady=1.0, rest=1.0):
    return [m[p] * (collect if p == "collect_energy" else steady if p in STEADY else 1) * (rest if p in REST else 1) for p in PARTS]


def shares(m, *factors):
    of = parts(m, *factors)
    return [100 * x / sum(of) for x in of]


def mean(rows):
    return [sum(column) / len(column) for column in zip(*rows)]


def root(falls):
    low, high = 1e-4, 1e4
    for _ in range(60):
        x = (low * high) ** 0.5
        low, high = (x, high) if falls(x) > 0 else (low, x)
    return x


def fitted(of):
    """The factors on COLLECT and STEADY with which the means are those published: collectors bring the register file to its ratio to execution, the
    power by time both to their share."""
    collect = steady = 1.0
    for _ in range(30):
        now = lambda c, s: mean([shares(m, c, s) for m in of])
        collect = root(lambda x: RF / EXECUTION - sum(now(x, steady)[:2]) / now(x, steady)[2])
        steady = root(lambda x: sum(now(collect, x)[:3]) - RF - EXECUTION)
    return collect, steady


def gain(base, other, *factors):
    """IPC per watt over the baseline's: the work is the same, so energy alone counts."""
    return 100 * (sum(parts(base, *factors)) / sum(parts(other, *factors)) - 1)


def main(build, path):
    techniques = [c for c in ("alu-scalar", "warped-compression", "compress", "g-scalar-nodiv", "g-scalar") if subprocess.run(
        [f"{build}/sm-model", "list", "rf"], capture_output=True, text=True, check=True).stdout.find(f"  {c} ") >= 0]
    with tempfile.TemporaryDirectory() as tmp:
        of = {name: runs(build, name, tmp, ["baseline", *techniques]) for name in examples(build)}
    known = {n: r for n, r in of.items() if r["baseline"]["gpu_energy"] is not None}
    base = [r["baseline"] for r in known.values()]
    constant = fitted_factors()
    more = fitted(base)
    with open(path + ".new", "w") as f:
        f.write("# Energy of a GPU\n\n`make study-energy` writes this: percent of the energy of a GPU, baseline, `--machine g-scalar`; the model is [ENERGY](../ENERGY.md).\n"
                f"Of {len(of)} examples {len(known)} have an energy that is known.\n\n"
                f"COLLECT = {constant[0]:g}, STEADY = {constant[1]:g}; with {constant[0] * more[0]:.3f} and {constant[1] * more[1]:.3f} the mean shares of the register file with its collectors"
                f" and of execution would be {RF} and {EXECUTION} % to the digit.\n\n")
        f.write("| example | " + " | ".join(HEADS) + " | GPU, W | SMs, % |\n|---|" + "--:|" * (len(HEADS) + 2) + "\n")
        rows = {n: [*shares(r["baseline"]), r["baseline"]["gpu_power"], 100 * r["baseline"]["sm_energy"] / r["baseline"]["gpu_energy"]] for n, r in known.items()}
        for n, row in [*rows.items(), ("mean", mean(rows.values()))]:
            f.write(f"| {n} | " + " | ".join(f"{x:.1f}" for x in row) + " |\n")
        cases = {"as it is": (1, 1, 1), "rest x 0.5": (1, 1, 0.5), "rest x 2": (1, 1, 2), "nothing fitted": (0, 1 / constant[1], 1)}
        f.write("\nIPC per watt over the baseline, percent, mean; with the rest (all but register file, collectors and execution) as it is, half and twice as large"
                " (`--set rest_percent=50`, `200`), and without collectors and the factor of power by time:\n\n"
                "| configuration | " + " | ".join(cases) + " | energy of the register file | cycles |\n|---|" + "--:|" * (len(cases) + 2) + "\n")
        for c in techniques:
            both = [(r["baseline"], r[c]) for r in known.values()]
            change = lambda k: 100 * (mean([(b[k] / a[k],) for a, b in both])[0] - 1)
            cells = [mean([(gain(a, b, *x),) for a, b in both])[0] for x in cases.values()] + [change("rf_dynamic_energy"), change("cycles")]
            f.write(f"| {c} | " + " | ".join(f"{x:+.1f}" for x in cells) + " |\n")
        f.write("\nSpecial functions: percent of instructions, and of the energy of the GPU, where there are more than 5 % of them (G-Scalar section 5.3: 14 and more than 25 in BP):\n\n"
                "| example | instructions | energy |\n|---|--:|--:|\n")
        for n, r in known.items():
            m = r["baseline"]
            if m["lanes_sfu"] > 0.05 * m["executed_lanes"]:
                f.write(f"| {n} | {100 * m['lanes_sfu'] / m['executed_lanes']:.1f} | {100 * m['special_energy'] / m['gpu_energy']:.1f} |\n")
    subprocess.run(["mv", path + ".new", path], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
