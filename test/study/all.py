#!/usr/bin/env python3
"""Every technique, and the combinations that mean something, on the same work: the examples, on one machine, with one table of energies (docs/ENERGY.md, One table
for all). One execution of an example times all configurations; those that run other code have an execution of their own. Writes FOLDER/all.csv (counters of each example
under each configuration), and from it all.md (tables) and all.svg. --tables: writes those two anew from all.csv, and times nothing. --quick: two examples;
without a folder few configurations of these, printed.
Usage: all.py BUILD FOLDER [--tables] [--quick] | all.py BUILD --quick"""
import concurrent.futures, csv, os, subprocess, sys, tempfile
from all_figures import HEAD, QUICK, TECHNIQUES, draw, report
from common import annotate, arguments, examples, launch

MACHINE, ENERGY = "gtx480", "all"
QUICK_EXAMPLES = ("pathfinder", "saxpy")
COUNTERS = ("cycles", "warp_instructions", "thread_instructions", "rf_reads", "rf_writes", "operand_reads", "operand_writes", "rf_operand_reads", "rf_operand_writes", "rf_read_arrays",
            "rf_write_arrays", "rf_bank_conflicts", "coalesced_instructions", "reused_instructions", "executed_lanes", "rf_powered_entries", "rf_held_registers", "resident_warps", "verify_reads", "dummy_moves", "pack_logic_energy",
            "rf_dynamic_energy", "rf_leakage_energy", "collect_energy", "exec_energy", "reuse_logic_energy", "front_end_energy", "sm_memory_energy", "sm_steady_energy", "sm_energy",
            "storage_bits", "code_bytes")


def timed(build, name, tmp, designs):
    """{design: {counter: value}} of an example, those of one object in one execution; of an energy that is not known None. A design that cannot run it is not there, and why is said."""
    objects = {}
    for d in designs:
        objects.setdefault(TECHNIQUES[d].options, []).append(d)
    got = {}
    for options, mine in objects.items():
        got |= timed_object(build, name, tmp, options, mine)
    return {d: got[d] for d in designs if d in got}


def timed_object(build, name, tmp, options, designs):
    rlo, out = annotate(build, name, tmp, "--machine", MACHINE, "--launch", launch(name), *options), f"{tmp}/{name}.csv"
    if os.path.exists(out):
        os.remove(out)
    more = [a for d in designs for a in ("--config", f"{TECHNIQUES[d].rf},name={d}")]
    done = subprocess.run([f"{build}/sm-model", "compare", rlo, "--launch", launch(name), "--machine", MACHINE, "--set", f"energy={ENERGY}", *more, "--quiet",
                           "--metrics", ",".join(COUNTERS), "--csv", out], stderr=subprocess.PIPE, text=True)
    rows = []
    if os.path.exists(out):
        with open(out, newline="") as f:
            rows = list(csv.DictReader(f))
    if done.returncode:
        print(f"{name}: {(done.stderr.splitlines() or ['failed'])[0]}", file=sys.stderr)
        if not any(r["failed"] == "1" for r in rows):       # stopped before its end, or wrong
            sys.exit(1)
    return {r["configuration"]: {m: float(r[m]) if r[m] else None for m in COUNTERS} for r in rows if r["failed"] == "0"}


def write_csv(path, xs):
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["example", "configuration", *COUNTERS])
        for name, x in xs.items():
            for design, c in x.items():
                w.writerow([name, design] + ["" if c[m] is None else f"{c[m]:.6g}" if m.endswith("energy") else f"{c[m]:.10g}" for m in COUNTERS])


def read_csv(path):
    xs = {}
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            xs.setdefault(r["example"], {})[r["configuration"]] = {m: float(r[m]) if r[m] else None for m in COUNTERS}
    return xs


def main():
    build, folder, flags = arguments("quick", "tables")
    quick = "quick" in flags
    designs = list(TECHNIQUES) if folder else QUICK
    if "tables" in flags:
        xs = read_csv(f"{folder}/all.csv")
    else:
        names = examples(build, QUICK_EXAMPLES if quick else None)
        with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            xs = dict(zip(names, pool.map(lambda n: timed(build, n, tmp, designs), names)))
    if not folder:
        print(report(xs))
        return
    write_csv(f"{folder}/all.csv.new", xs)
    os.rename(f"{folder}/all.csv.new", f"{folder}/all.csv")
    with open(f"{folder}/all.md.new", "w") as f:
        f.write(HEAD.format(n=len(xs), m=len(designs)) + report(xs))
    os.rename(f"{folder}/all.md.new", f"{folder}/all.md")
    draw(f"{folder}/all.svg", xs)


main()
