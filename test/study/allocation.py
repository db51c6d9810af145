#!/usr/bin/env python3
"""What each part of the allocation to the ORF is worth, from the code of the examples: reads and writes by level and energy, each block as
often as it is estimated, or was counted, to execute; means over kernels, each counting as much.
--variants prints instead what becomes of partial ranges and read operands with 32-bit addresses, as the paper's GPUs had them.
Usage: allocation.py BUILD [OUTPUT.md] | allocation.py BUILD --variants"""
import concurrent.futures, json, os, re, subprocess, sys, tempfile
from common import annotate, examples, launch, narrow_addresses, source_of

BASIC = ["--no-orf-partial", "--no-orf-read-operands"]
WAYS = [
    ("as it is", []),
    ("whole ranges only (no 5.3)", ["--no-orf-partial"]),
    ("no read operands (no 5.4)", ["--no-orf-read-operands"]),
    ("neither", BASIC),
    ("values end with their block (no 5.5)", ["--no-orf-branches"]),
    ("none of the three (5.2)", BASIC + ["--no-orf-branches"]),
    ("the best allocation", ["--orf-exact=60", "--orf-weights=freq"]),
    ("L1 or MRF, not both (7.9)", ["--orf-writes=l0"]),
    ("results to one level (7.9)", ["--orf-writes=one"]),
] + [(f"{n} entr{'y' if n == 1 else 'ies'}", [f"--orf-entries={n}"]) for n in (1, 2, 4, 5, 6, 7, 8)]
COUNTED = [("as it is", []), ("weights are block frequencies", ["--orf-weights=freq"]), ("the best allocation", ["--orf-exact=60", "--orf-weights=freq"])]
PTX = ["--no-fold", "--schedule=none"]
FREE = "--orf-never-flush"
CASES = [
    ("as it is", []), ("no strand ends at a wait or a barrier", [FREE]),
    ("`--schedule=orf`", ["--schedule=orf"]), ("and no strand ends at a wait or a barrier", ["--schedule=orf", FREE]),
    ("`--schedule=none`", ["--schedule=none"]), ("and no strand ends at a wait or a barrier", ["--schedule=none", FREE]),
    ("PTX: `--no-fold --schedule=none`", PTX), ("and no strand ends at a wait or a barrier", PTX + [FREE]), ("PTX, 8 entries at the energy of 3", PTX + ["--orf-entries=8", "--orf-cost-entries=3"]),
    ("and no strand ends at a wait or a barrier", PTX + ["--orf-entries=8", "--orf-cost-entries=3", FREE]),
    ("5 entries at the energy of 3", ["--orf-entries=5", "--orf-cost-entries=3"]),
    ("8 entries at the energy of 3", ["--orf-entries=8", "--orf-cost-entries=3"]),
]
ORGS = ("orf", "lrf+orf", "split-lrf+orf")
LONG = re.compile(r"(@\S+ )?((ld|atom)\.(?!shared|const|param)|tex|tld4|suld)")


def kernels(build, source, options):
    out = subprocess.run([f"{build}/ptx-annotate", source, "--emit=json", *options], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)["kernels"]


def shares(k, org):
    """In percent: energy, reads of MRF, ORF, LRF, writes of them."""
    t = k["orf"][org]
    return [100 * (t["access_pj"] + t["wire_pj"]) / t["without_pj"]] + [100 * t["reads"][x] / t["operands_read"] for x in ("mrf", "orf", "lrf")] \
        + [100 * t["writes"][x] / t["operands_written"] for x in ("mrf", "orf", "lrf")]


def origins(k):
    """In percent of what is read: values from before the strand, read there for the first time, and again; results of the strand. In the order of the code;
    what a long-latency operation brings is from before, as no entry takes it."""
    strand, of, count = None, {}, {"first": 0, "again": 0, "result": 0}
    for i in k["instructions"]:
        if i["strand"] != strand:
            strand, of = i["strand"], {}
        for register in i["places"]["reads"]:
            count[of.get(register, "first")] += k["blocks"][i["block"]]["executions"]
            of.setdefault(register, "again")
        for register in i["places"]["writes"]:
            of[register] = "result"
            if LONG.match(i["text"]):
                del of[register]
    return [100 * x / max(sum(count.values()), 1) for x in count.values()]


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def table(rows):
    """rows: (what, kernels)"""
    out = ""
    for org in ORGS:
        out += f"\n**{org}**, 3 entries unless it says otherwise\n\n| | energy | reads MRF | ORF | LRF | writes MRF | ORF | LRF |\n|---|--:|--:|--:|--:|--:|--:|--:|\n"
        for what, of in rows:
            energy, *rest = mean([shares(k, org) for k in of])
            out += f"| {what} | {energy:.2f} | " + " | ".join(f"{x:.1f}" for x in rest) + " |\n"
    return out


def case(what, without, with_):
    cells = mean([origins(k) for k in with_])
    for org in ("orf", "split-lrf+orf"):
        before, after = (mean([shares(k, org) for k in of]) for of in (without, with_))
        less = lambda column: 100 * (1 - after[column] / before[column])
        cells += [before[1], after[1], less(1), -less(5), less(0)]
    return f"| {what} | " + " | ".join(f"{x:.1f}" for x in cells) + " |\n"


CASE_HEAD = "| | first | again | results |" + " MRF reads without | with | fewer | more ORF writes | less energy |" * 2 + "\n|---|" + "--:|" * 13 + "\n"


def profiled(build, name, tmp):
    """The options that give each kernel of the example the block counts of a run."""
    prof = f"{tmp}/{name}.prof"
    subprocess.run([f"{build}/sm-model", "run", annotate(build, name, tmp), "--launch", launch(name), "--functional", "--quiet", "--profile", prof], check=True)
    return [f"--profile={prof}"]


def main():
    build, names, vary = sys.argv[1], examples(sys.argv[1]), "--variants" in sys.argv
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def measure(options, sources, more=None):
            futures = [pool.submit(kernels, build, s, options + (more[n] if more else [])) for n, s in sources.items()]
            return lambda: [k for f in futures for k in f.result()]

        def cases(sources):
            asked = [(what, measure(options + BASIC, sources), measure(options, sources)) for what, options in CASES]
            return CASE_HEAD + "".join(case(what, without(), with_()) for what, without, with_ in asked)
        sources = {n: source_of(n) for n in names}
        if vary:
            sources = {n: s for n, s in sources.items() if s.endswith(".ptx")}
            print(f"{len(sources)} examples, addresses of 64 bits\n\n{cases(sources)}\nof 32 bits\n")
            print(cases({n: narrow_addresses(n, tmp) for n in sources}), end="")
            return
        profile = {n: profiled(build, n, tmp) for n in names}
        plain = [(what, measure(options, sources)) for what, options in WAYS]
        counted = [(what, measure(options, sources, profile)) for what, options in COUNTED]
        n = len(plain[0][1]())
        text = (f"<!-- make study-allocation: {n} kernels of {len(names)} examples, percent; energy of access and wires against the MRF alone, reads and writes"
                " against the operands read and written -->\n\nMeans over kernels, each block as often as it is estimated to execute:\n"
                + table([(what, of()) for what, of in plain])
                + "\n## Block counts of a run\n\nEach block as often as it executes (`sm-model run --profile`, `ptx-annotate --profile`):\n"
                + table([(what, of()) for what, of in counted])
                + "\n## Partial ranges and read operands\n\nWhat they do (5.3, 5.4; without both, with both) in other circumstances. First, again: reads of a value from before the strand, the "
                "first one of\nthe strand and those after it; results: reads of a value that the strand computes. Percent of all reads, in the order of the code. Then for `orf`, and for\n"
                "`split-lrf+orf`: MRF reads in percent of all; how many fewer, ORF writes more, and energy less, in percent of what it is without.\n\n" + cases(sources))
    if len(sys.argv) < 3:
        print(text, end="")
        return
    with open(sys.argv[2] + ".new", "w") as f:
        f.write(text)
    os.replace(sys.argv[2] + ".new", sys.argv[2])


main()
