#!/usr/bin/env python3
"""schedule.py BUILD TABLE: what the order of the instructions is worth to an ORF with a split LRF, over the examples on the paper's machine
(docs/STRANDS.md#scheduling-for-the-orf). Writes tables in Markdown. --jobs=N: so many at once."""
import concurrent.futures, csv, json, os, subprocess, sys, tempfile
from math import exp, log
from common import annotate, examples, launch

WAYS = ("latency", "orf", "none")
COUNTERS = ("cycles", "warp_instructions", "operand_reads", "rf_operand_reads", "strand_waits", "rf_dynamic_energy")
CONFIGURATIONS = ("baseline,issue=two-level", "split-lrf+orf")


def distances(kernel):
    """In instructions, from each result to its last read in its block."""
    out, block, last = [], None, {}
    for i in kernel["instructions"]:
        if i["block"] != block:
            out += [r - w for w, r in last.values() if r is not None]
            block, last = i["block"], {}
        for register in i["places"]["reads"]:
            if register in last:
                last[register] = (last[register][0], i["index"])
        for register in i["places"]["writes"]:
            w, r = last.get(register, (0, None))
            if r is not None:
                out.append(r - w)
            last[register] = (i["index"], None)
    return out + [r - w for w, r in last.values() if r is not None]


def measure(build, name, tmp, way):
    """Of one example in one order: what the code is, and the counters without a hierarchy (plain) and with it."""
    folder = f"{tmp}/{way}"
    os.makedirs(folder, exist_ok=True)
    rlo, out = annotate(build, name, folder, f"--schedule={way}"), f"{folder}/{name}.csv"
    code = json.loads(subprocess.run([f"{build}/ptx-annotate", rlo, "--emit=json"], check=True, capture_output=True, text=True).stdout)["kernels"]
    more = [x for c in CONFIGURATIONS for x in ("--config", c)]
    subprocess.run([f"{build}/sm-model", "compare", rlo, "--launch", launch(name), "--machine", "hierarchical-rf", *more, "--quiet",
                    "--metrics", ",".join(COUNTERS), "--csv", out], check=True)
    with open(out, newline="") as f:
        plain, with_ = ({k: float(row[k]) for k in COUNTERS} for row in csv.DictReader(f))
    far = [d for k in code for d in distances(k)]
    return {"distance": sum(far) / len(far), "registers": sum(k["resources"]["registers"] for k in code),
            "waits": sum(k["strands"]["waits"] for k in code), "executed waits": 1000 * with_["strand_waits"] / with_["warp_instructions"],
            "reads": 100 * (1 - with_["rf_operand_reads"] / with_["operand_reads"]), "cycles": with_["cycles"],
            "energy": with_["rf_dynamic_energy"], "plain cycles": plain["cycles"], "plain energy": plain["rf_dynamic_energy"]}


def geometric(values):
    values = list(values)
    return exp(sum(map(log, values)) / len(values))


def write(f, of, names):
    value = lambda n, way, what: of[n, way][what]
    mean = lambda way, what: sum(value(n, way, what) for n in names) / len(names)
    total = lambda way, what: sum(value(n, way, what) for n in names)
    beside = lambda way, what, other, whose: geometric(value(n, way, what) / value(n, whose or way, other) for n in names)
    rows = (("distance from a result to its last read in its block, instructions", lambda w: f"{mean(w, 'distance'):.1f}"),
            ("reads from the upper levels, percent", lambda w: f"{mean(w, 'reads'):.1f}"),
            ("energy, over one level and the same order", lambda w: f"{beside(w, 'energy', 'plain energy', None):.3f}"),
            ("energy, over `latency`", lambda w: f"{beside(w, 'energy', 'energy', 'latency'):.3f}"),
            ("energy with one level, over `latency`", lambda w: f"{beside(w, 'plain energy', 'plain energy', 'latency'):.3f}"),
            ("cycles, over one level and the same order", lambda w: f"{beside(w, 'cycles', 'plain cycles', None):.3f}"),
            ("cycles, over `latency`", lambda w: f"{beside(w, 'cycles', 'cycles', 'latency'):.3f}"),
            ("registers, sum over kernels", lambda w: f"{total(w, 'registers'):.0f}"),
            ("waits in the code, sum over kernels", lambda w: f"{total(w, 'waits'):.0f}"),
            ("waits that warps execute, of 1000 instructions", lambda w: f"{mean(w, 'executed waits'):.1f}"))
    f.write("# The order of instructions and the ORF\n\n`make study-schedule` writes this: `ptx-annotate --schedule=WAY`, then `sm-model compare --machine "
            f"hierarchical-rf` of {' and '.join(f'`{c}`' for c in CONFIGURATIONS)},\n3 entries. Of the {len(names)} examples arithmetic means "
            "(distances, reads, executed waits) and geometric ones (ratios). Energy is `rf_dynamic_energy`.\n\n")
    f.write(f"| | {' | '.join(WAYS)} |\n|---|{'--:|' * len(WAYS)}\n")
    for what, text in rows:
        f.write(f"| {what} | {' | '.join(text(w) for w in WAYS)} |\n")
    f.write("\nBy example: reads from the upper levels in percent, waits in the code and registers as latency / orf / none; energy over one level and the same order likewise;\n"
            "energy and cycles over `latency`.\n\n| example | reads | waits | registers | energy over one level | energy, orf | none | cycles, orf | none |\n"
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
    for n in names:
        three = lambda text: " / ".join(text(of[n, w]) for w in WAYS)
        reads, waits, registers = three(lambda x: f"{x['reads']:.1f}"), three(lambda x: str(x["waits"])), three(lambda x: str(x["registers"]))
        energy = three(lambda x: f"{x['energy'] / x['plain energy']:.3f}")
        ratios = [f"{value(n, w, what) / value(n, 'latency', what):.3f}" for what in ("energy", "cycles") for w in WAYS[1:]]
        f.write(f"| {n} | {reads} | {waits} | {registers} | {energy} | {' | '.join(ratios)} |\n")


def main(build, path, jobs):
    names = examples(build)
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {(n, way): pool.submit(measure, build, n, tmp, way) for n in names for way in WAYS}
        of = {k: x.result() for k, x in futures.items()}
    with open(path + ".new", "w") as f:
        write(f, of, names)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if not a.startswith("--jobs=")]
    main(*given, next((int(a[7:]) for a in sys.argv if a.startswith("--jobs=")), 2))
