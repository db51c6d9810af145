#!/usr/bin/env python3
"""Figures 2 and 12 to 22 of Kim and Ro (WIR, HPCA 2018) for the examples that are after the paper's benchmarks, on the paper's machine. A row is an example,
all its launches together, as the paper's are benchmarks. What the paper says comes from docs/claims.csv. The order of the designs is
checked for each example, and exceptions are named. Writes FOLDER/wir.md (the tables), wir.csv (the counters behind those that are no sweep) and wir.svg
(figures 2, 12, 13, 16 and 17), and wir.claims.csv. --all: FOLDER/wir_all.md instead, which no claim needs: the means of all examples, and launches on fewer SMs.
--quick: few examples and sizes. Without a folder the tables are printed.
Usage: wir.py BUILD [FOLDER] [--quick] [--all]"""
import json, os, subprocess, sys, tempfile
from common import annotate, arguments, bars, call, each, examples, gnuplot_all, launch, measured, perturbed, source_of, timed, write_csv
from wir_figures import BENCHMARKS, HEAD, HEAD_ALL, PAPER, SHORT, energy, report, report_all, repeated, reused, say, speedup

MACHINE, SMS = "wir", 15
DESIGNS = {"base": "baseline", "novsb": "wir-novsb", "r": "wir-r", "rl": "wir-rl", "rlp": "wir-rlp", "rlpv": "wir-rlpv", "rpv": "wir-rpv", "rlpvc": "wir-rlpvc",
           "affine": "affine", "affine+rlpv": "affine+wir-rlpv", "fields of 10": "wir-rlpv,reuse_field_bits=10"}
SIGNATURES, ENTRIES, VERIFIED, CYCLES, FEWER = (0, 128, 512, 1024, 4096), (64, 128, 512), (4, 16), (3, 6, 7), (4, 1)
SWEEPS = {**{f"vsb {n}": f"wir-rlpv,vsb_entries={n}" for n in SIGNATURES}, **{f"rl {n}": f"wir-rl,reuse_entries={n}" for n in ENTRIES},
          **{f"buffer {n}": f"wir-rlpv,reuse_entries={n}" for n in ENTRIES}, **{f"verify {n}": f"wir-rlpv,verify_entries={n}" for n in VERIFIED},
          **{f"cycles {n}": f"wir-rlpv,reuse_cycles={n}" for n in CYCLES}, "512 fields of 10": "wir-rlpv,reuse_field_bits=10,reuse_entries=512"}
ON_FEWER = {**{f"{d} on {n}": f"{c},sms={n}" for n in FEWER for d, c in (("base", "baseline"), ("rlpv", "wir-rlpv"))}}
QUICK, QUICK_SWEEPS = ("backprop", "sad", "sobel", "stencil"), ("vsb 0", "vsb 128", "vsb 4096", "rl 64", "buffer 64", "cycles 7")
COUNTERS = ("cycles", "sm_cycles", "warp_instructions", "sp_instructions", "sfu_instructions", "mem_instructions", "reused_instructions", "reused_loads", "reuse_hits_ready",
            "reuse_hits_pending", "reuse_lookups", "reuse_retries", "reuse_misses", "reuse_queue_full", "reuse_races", "reuse_kind", "reuse_divergent", "reuse_pinned",
            "reuse_unmapped", "reuse_store_flag", "reuse_barrier_count", "hashes", "vsb_lookups", "vsb_hits", "vsb_false", "verify_reads", "verify_cache_hits", "dummy_moves", "pinned_writes",
            "forced_writes", "register_allocations", "register_waits", "low_register_cycles", "phys_registers", "phys_peak", "rf_held_registers", "rf_reads", "rf_writes",
            "rf_bank_conflicts", "rf_conflict_cycles", "executed_lanes", "l1_reads", "l1_read_hits", "l1_read_misses", "l1_read_merges", "loads", "load_latency", "sm_energy", "gpu_energy",
            "rf_dynamic_energy", "collect_energy", "exec_energy", "reuse_logic_energy", "front_end_energy", "sm_memory_energy", "sm_steady_energy", "interconnect_energy", "l2_energy",
            "dram_energy", "uncore_steady_energy", "rf_read_arrays", "rf_operand_reads", "resident_warps", "issue_slots", "slots_scoreboard", "slots_collector", "slots_reuse", "slots_fetch", "slots_memory")
LABELS = {"novsb": "NoVSB", "r": "R", "rl": "RL", "rlp": "RLP", "rlpv": "RLPV", "affine": "Affine", "affine+rlpv": "Affine+RLPV"}
COLOURS = {"novsb": "#bbbbbb", "r": "#e0a678", "rl": "#7fa7d6", "rlp": "#2f7d4f", "rlpv": "#123f78", "affine": "#e0a678", "affine+rlpv": "#2f7d4f"}


class Example:
    """What was measured of an example: c[design][counter], repeats, became and kinds (what --explain=reuse says), peak() of the baseline's registers, storage[design]."""

    def __init__(self, name):
        self.name = name

    def get(self, counter, design):
        return self.c[design][counter]

    def has(self, design):
        return design in self.c


def peak(build, name, launches):
    """Registers that the baseline has allocated, the most of a launch, mean over launches and SMs with work: CTAs that it lets in times their registers."""
    facts, total, pools = {}, 0, 0
    for l in launches:
        threads, ctas = (s[0] * s[1] * s[2] for s in (l["block"], l["grid"]))
        if threads not in facts:
            out = subprocess.run([f"{build}/ptx-annotate", source_of(name), "--emit=json", "--machine", MACHINE, "--launch", launch(name), f"--block={threads}"],
                                 capture_output=True, text=True, check=True)
            facts[threads] = {k["name"]: k for k in json.loads(out.stdout)["kernels"]}
        k = facts[threads][l["kernel"]]
        room = next(b for b in k["occupancy"]["blocks"] if b["threads"] == threads)["ctas"]
        for sm in range(min(ctas, SMS)):
            total += l["rounds"] * min(room, -(-(ctas - sm) // SMS)) * -(-threads // 32) * k["resources"]["registers"]
        pools += l["rounds"] * min(ctas, SMS)
    return total / pools


def sum_repeats(kernels):
    """Of all kernels: issued; repeated and often of them, looking back; sampled_repeated, sampled_often and sampled_first of windows end to end."""
    out = {}
    for k in kernels:
        for key, n in (*k["repeats"].items(), *((f"sampled_{key}", n) for key, n in k["sampled_repeats"].items())):
            if key != "why":
                out[key] = out.get(key, 0) + n
    return out


def sum_became(kernels):
    """Of all kernels: issued, and what RLPV makes of computations that repeat (looking back)."""
    out = {"issued": sum(k["repeats"]["issued"] for k in kernels)}
    for k in kernels:
        for key, n in k["became"]["repeated"].items():
            out[key] = out.get(key, 0) + n
    return out


def sum_kinds(kernels):
    """{reason: instructions} of what repeats and is of a kind that is not looked up."""
    out = {}
    for k in kernels:
        for why, n in k["became_kinds"].items():
            out[why] = out.get(why, 0) + n
    return out


def explained(build, rlo, name, rf, out):
    """What sm-model run --explain=reuse says of an example's kernels."""
    failed = call([f"{build}/sm-model", "run", rlo, "--launch", launch(name), "--machine", MACHINE, "--rf", rf, "--explain=reuse", "--quiet", "--json", out], name)
    if failed:
        sys.exit(failed)
    with open(out) as f:
        return json.load(f)["explain"]["kernels"]


def study(build, name, tmp, sweeps, became):
    """became: what becomes of what repeats is asked too."""
    x, out = Example(name), f"{tmp}/{name}.json"
    rlo = annotate(build, name, tmp)
    x.c = timed(build, rlo, name, MACHINE, {**DESIGNS, **(sweeps if name in PAPER else {})}, COUNTERS, out)
    with open(out) as f:
        result = json.load(f)
    x.noise = perturbed(build, rlo, name, MACHINE, {d: DESIGNS[d] for d in ("base", "fields of 10")}, out) if became and name == "leukocyte" else {}   # WIR-10
    x.peak = peak(build, name, result["launches"])
    x.storage = {c["name"]: c["registers"]["storage_bits"] for c in result["configurations"]}
    x.repeats = sum_repeats(explained(build, rlo, name, "baseline", out))
    made = explained(build, rlo, name, "wir-rlpv", out) if became else []
    x.became, x.kinds = sum_became(made), sum_kinds(made)
    return x


def draw(path, xs):
    mine = BENCHMARKS.of(xs)
    names = [SHORT[x.name] for x in mine]
    by = lambda of, designs: ({LABELS[d]: [of(x, d) for x in mine] for d in designs}, {LABELS[d]: COLOURS[d] for d in designs})
    twice = {"repeated": "#7fa7d6", "reused by RLPV": "#123f78"}
    gnuplot_all(path, "1000,1400", (4, 1), ["set grid ytics"], [
        bars("Figures 2 and 12: computations that repeat, and instructions reused", "% of instructions", names,
             {"repeated": [repeated(x) for x in mine], "reused by RLPV": [reused(x, "rlpv") for x in mine]}, twice),
        bars("Figure 13: instructions reused", "% of instructions", names, *by(reused, ("novsb", "r", "rl", "rlp", "rlpv"))),
        bars("Figure 16: energy of the SMs", "of the baseline", names, *by(lambda x, d: energy(x, d, "sm_energy"), ("rlpv", "affine", "affine+rlpv"))),
        bars("Figure 17: speedup", "of the baseline", names, *by(speedup, ("r", "rl", "rlp", "rlpv")))])


def main():
    build, folder, flags = arguments("quick", "all")
    quick, all_ = "quick" in flags, "all" in flags
    names = examples(build, QUICK if quick else None if all_ else PAPER)
    sweeps = ON_FEWER if all_ else {k: v for k, v in SWEEPS.items() if not quick or k in QUICK_SWEEPS}
    with tempfile.TemporaryDirectory() as tmp:
        xs = measured(build, " ".join(["wir", *sorted(flags)]), lambda: each(lambda n: study(build, n, tmp, sweeps, not all_), names))
    text = (report_all if all_ else report)(xs)
    page = f"{folder}/wir{'_all' * all_}.md"
    if not folder:
        print(text)
        return
    with open(f"{page}.new", "w") as f:
        f.write((HEAD_ALL if all_ else HEAD).format(n=len(xs), m=len(BENCHMARKS.of(xs))) + text)
    os.rename(f"{page}.new", page)
    if all_:
        return
    write_csv(f"{folder}/wir.csv", xs, COUNTERS, DESIGNS)
    draw(f"{folder}/wir.svg", xs)
    say(xs).write(folder, "wir")


main()
