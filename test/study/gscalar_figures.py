"""The tables of gscalar.py: what they show of an example, and of all of them beside the paper's claims. An example has name, get(counter, design) and
values[lanes], what sm-model values says (values["unfolded"]: of those in PAPER). Averages are arithmetic over examples, as the paper's over benchmarks."""
from common import Measured, by_reading, energy_read, under_seeds
from tables import Benchmarks, line, mean, number, percent

SHORT = {"btree": "BT", "backprop": "BP", "heartwall": "HW", "hotspot": "HS", "leukocyte": "LC", "pathfinder": "PF", "srad1": "SR1", "srad": "SR2", "cutcp": "CC",
         "channel": "LBM", "gridding": "MG", "mriq": "MQ", "sad": "SAD", "sgemm": "MM", "spmv": "MV", "stencil": "ST", "tpacf": "ACF"}
PAPER = tuple(SHORT)                    # Table 2's order
BENCHMARKS = Benchmarks("g-scalar", SHORT)
CLAIMS, claim, table = BENCHMARKS.claims, BENCHMARKS.claim, BENCHMARKS.table

HEAD = """# Values that are alike, on the examples

Written by `make study-gscalar` and `make papers`; rules and choices are in [G-Scalar](../GSCALAR.md), what differs from the paper and why [there](../GSCALAR_RESULTS.md#what-differs). The machine is
`--machine g-scalar`. A row is an example, all its launches together; the {n} are named as the benchmarks of the paper's Table 2 that they are after, written anew from the algorithm
and with far smaller inputs. [All examples](gscalar_all.md) have a page of their own. Every average is arithmetic. *claim* is the paper's number, from [claims.csv](../claims.csv), with its id.
Counters behind the tables are in [gscalar.csv](gscalar.csv).

![Eligible instructions, IPC per watt and register-file power](gscalar.svg)

"""


HEAD_ALL = """# Values that are alike: all examples

Written by `make study-gscalar ALL=1`; [gscalar](gscalar.md) says what is measured, and on which machine, and its claims need nothing of this. Means of the {m} examples there, which are after the paper's benchmarks, and of all {n}.

"""


# ---- of one example ----
def shares(x, design="g-scalar"):
    """Percent of instructions executed as scalars: ALU, SFU, memory, half, divergent."""
    n = x.get("warp_instructions", design)
    return [percent(x.get(f"scalar_{c}", design), n) for c in ("alu", "sfu", "mem", "half", "divergent")]


def eligible(x, design):
    return sum(shares(x, design))


def efficiency(x, design, over="baseline"):
    return x.get("ipc_per_watt", design) / x.get("ipc_per_watt", over)


def gain(x, design, over="baseline"):
    """In percent."""
    return 100 * (efficiency(x, design, over) - 1)


def gain_read(x, design, reading, over="baseline"):
    """gain() by a reading of the energies; the work is the same, so energy alone counts."""
    return 100 * (energy_read(x.c[over], "gpu_energy", reading) / energy_read(x.c[design], "gpu_energy", reading) - 1)


def rest_times(x, design, factor):
    """gain() if all but register file and execution took so many times what it is taken to."""
    energy = lambda d: x.get("gpu_energy", d) + (factor - 1) * x.get("rest_energy", d)
    return 100 * (energy("baseline") / energy(design) - 1)


def takes(x, design, of):
    """Percent of the baseline's energy: the register file with what follows it, execution, or the rest."""
    energy = {"exec": x.get("exec_energy", design), "rest": x.get("rest_energy", design)}
    energy["rf"] = x.get("gpu_energy", design) - sum(energy.values())
    return 100 * energy[of] / x.get("gpu_energy", "baseline")


def rf_power(x, design, compressors=True):
    """Dynamic, of the baseline's."""
    power = lambda d: (x.get("rf_dynamic_energy", d) - (0 if compressors else x.get("compressor_energy", d))) / x.get("cycles", d)
    return power(design) / power("baseline") if power("baseline") else 1.0


def ipc(x, design):
    """Instructions of the program a cycle, of the baseline's; moves are not the program's."""
    return x.get("cycles", "baseline") / x.get("cycles", design)


def loss(x, design):
    return 100 * (1 - ipc(x, design))


def ratio(x, scheme):
    v = x.values[32]
    stored = v["stored"][scheme]["bytes"]
    return 128 * v["writes"] / stored if stored else None


def moves(x, design):
    return percent(x.get("injected_moves", design), x.get("warp_instructions", design))


def parts(x, lanes):
    return None if lanes not in x.values else percent(x.values[lanes]["scalar"]["parts"], x.values[lanes]["warp_instructions"])


def proof(x, what):
    """found, proven or both: of all classes."""
    return sum(x.values[32]["proofs"][c][what] for c in ("alu", "sfu", "mem", "divergent"))


# ---- figures ----
def figure_1(xs):
    return table(xs, {"divergent, % of instructions": lambda x: percent(x.get("divergent_instructions", "g-scalar"), x.get("warp_instructions", "g-scalar")),
                      "of these scalar, %": lambda x: percent(x.get("scalar_divergent", "g-scalar"), x.get("divergent_instructions", "g-scalar"))
                      if x.get("divergent_instructions", "g-scalar") else None},
                 ["GS-1", claim("GS-1", "divergent_share", "baseline"), claim("GS-1", "divergent_scalar_share", "g-scalar")])


def figure_8(xs):
    def share(key):
        return lambda x: percent(x.values[32]["reads"][key], sum(x.values[32]["reads"].values()))
    c = lambda n: claim("GS-2", f"read_same{n}", "baseline")
    return table(xs, {"scalar": share("same4"), "3-byte": share("same3"), "2-byte": share("same2"), "1-byte": share("same1"), "none": share("same0"), "divergent": share("divergent")},
                 ["GS-2", c(4), c(3), c(2), c(1), "", ""])


def figure_9(xs):
    part = lambda i: lambda x: shares(x)[i]
    c = lambda m, d: claim("GS-3", m, d)
    return table(xs, {"ALU": part(0), "SFU": part(1), "memory": part(2), "half": part(3), "divergent": part(4), "all": lambda x: eligible(x, "g-scalar"),
                      "ALU scalar finds": lambda x: eligible(x, "alu-scalar"), "without divergent finds": lambda x: eligible(x, "nodiv")},
                 ["GS-3", c("eligible", "alu-scalar"), c("eligible_sfu", "g-scalar"), f"with SFU {c('eligible_sfu_mem', 'g-scalar')}", c("eligible_half", "g-scalar"),
                  c("eligible_divergent", "g-scalar"), c("eligible", "g-scalar"), c("eligible", "alu-scalar"), ""])


def unfolded(xs):
    """What there is to find where nothing was folded into an instruction, as in a simulator that executes PTX."""
    of = lambda c: lambda x: percent(sum(v for k, v in x.values["unfolded"]["scalar"].items() if k in c), x.values["unfolded"]["warp_instructions"]) if "unfolded" in x.values else None
    reads = lambda x: percent(x.values["unfolded"]["reads"]["same4"], sum(x.values["unfolded"]["reads"].values())) if "unfolded" in x.values else None
    c = lambda m, d: claim("GS-3", m, d)
    return table(xs, {"ALU": of(("alu",)), "SFU": of(("sfu",)), "memory": of(("mem",)), "half": of(("parts",)), "divergent": of(("divergent",)), "all": of(("alu", "sfu", "mem", "parts", "divergent")),
                      "reads of scalars, % of reads": reads},
                 ["GS-3", c("eligible", "alu-scalar"), c("eligible_sfu", "g-scalar"), f"with SFU {c('eligible_sfu_mem', 'g-scalar')}", c("eligible_half", "g-scalar"),
                  c("eligible_divergent", "g-scalar"), c("eligible", "g-scalar"), f"GS-2 {claim('GS-2', 'read_same4', 'baseline')}"], every=False)


def figure_10(xs):
    return table(xs, {"half, warps of 32": lambda x: parts(x, 32), "quarter, warps of 64": lambda x: parts(x, 64)},
                 ["GS-4", claim("GS-4", "eligible_half", "warp 32"), claim("GS-4", "eligible_half", "warp 64")]) + [
                     line for x in xs if x.refused for line in (f"Not as warps of 64: {x.refused}", "")]


def figure_11(xs):
    return table(xs, {"ALU scalar": lambda x: gain(x, "alu-scalar"), "without divergent": lambda x: gain(x, "nodiv"), "G-Scalar": lambda x: gain(x, "g-scalar"),
                      "G-Scalar over ALU scalar": lambda x: gain(x, "g-scalar", "alu-scalar"), "proofs alone": lambda x: gain(x, "static"), "G-Scalar, IPC": lambda x: -loss(x, "g-scalar"),
                      "baseline, W": lambda x: x.get("gpu_power", "baseline"), "G-Scalar, W": lambda x: x.get("gpu_power", "g-scalar")},
                 ["GS-5", "", "", claim("GS-5", "efficiency", "g-scalar", "baseline"), claim("GS-5", "efficiency", "g-scalar", "alu-scalar"), "",
                  claim("GS-9", "ipc_loss", "g-scalar", sign="-"), "", ""])


def energies(xs):
    """What the gain is of, and how much of it hangs on what the rest of the GPU is taken to draw."""
    share = lambda of, d="baseline": lambda x: takes(x, d, of)
    return table(xs, {"register file": share("rf"), "execution": share("exec"), "the rest": share("rest"), "G-Scalar: register file": share("rf", "g-scalar"), "execution ": share("exec", "g-scalar"),
                      "the rest ": share("rest", "g-scalar"), "gain with half the rest": lambda x: rest_times(x, "g-scalar", 0.5), "as it is": lambda x: rest_times(x, "g-scalar", 1),
                      "with twice": lambda x: rest_times(x, "g-scalar", 2)}, ["section 1", "16", "24", "", "", "", "", "", claim("GS-5", "efficiency", "g-scalar", "baseline"), ""])


def figure_12(xs):
    saved = lambda d: lambda x: 100 * (1 - rf_power(x, d))
    c = lambda d: claim("GS-7", "rf_power_reduction", d)
    return table(xs, {"scalar file": saved("alu-scalar"), "Warped-Compression": saved("bdi"), "compression alone": saved("compress"), "without divergent": saved("nodiv"),
                      "G-Scalar": saved("g-scalar"), "whole registers": saved("whole"), "proofs alone": saved("static"),
                      "G-Scalar but compressors": lambda x: 100 * (1 - rf_power(x, "g-scalar", False)), "Warped-Compression but compressors": lambda x: 100 * (1 - rf_power(x, "bdi", False))},
                 ["GS-7", c("alu-scalar"), "", "", "", c("g-scalar"), "", "", "", ""])


def section_5_3(xs):
    c = lambda d: claim("GS-8", "compression_ratio", d)
    return table(xs, {"bytes, halves": lambda x: ratio(x, "parts"), "bytes, whole registers": lambda x: ratio(x, "whole"), "differences": lambda x: ratio(x, "bdi")},
                 ["GS-8", c("g-scalar"), "", c("warped-compression")], digits=2)


def section_5_4(xs):
    return table(xs, {"compression alone": lambda x: loss(x, "compress"), "without divergent": lambda x: loss(x, "nodiv"), "G-Scalar": lambda x: loss(x, "g-scalar"),
                      "with every move": lambda x: loss(x, "all moves"), "Warped-Compression": lambda x: loss(x, "bdi")},
                 ["GS-9", "", "", claim("GS-9", "ipc_loss", "g-scalar"), "", ""], digits=2)


def section_3_3(xs):
    return table(xs, {"every move": lambda x: moves(x, "all moves"), "without dead ones": lambda x: moves(x, "g-scalar"), "whole registers": lambda x: moves(x, "whole"),
                      "Warped-Compression": lambda x: moves(x, "bdi")}, ["GS-10", claim("GS-10", "moves", "g-scalar"), "", "", ""], digits=2)


def banks(xs):
    """One bank of scalars, where every warp meets, against sixteen."""
    waits = lambda d: lambda x: percent(x.get("rf_bank_conflicts", d), x.get("rf_reads", d))
    return table(xs, {"cycles, one bank": lambda x: loss(x, "alu-scalar"), "cycles, 16 banks": lambda x: loss(x, "alu-scalar 16"), "reads that wait, baseline": waits("baseline"),
                      "one bank": waits("alu-scalar"), "16 banks": waits("alu-scalar 16"), "efficiency, one bank": lambda x: gain(x, "alu-scalar"),
                      "efficiency, 16 banks": lambda x: gain(x, "alu-scalar 16")}, ["none", "", "", "", "", "", "", ""], digits=2)


def missed(x):
    """Percent of what hardware finds that the compiler does not prove."""
    found = proof(x, "found")
    return 100 - percent(proof(x, "both"), found) if found else None


def statics(xs):
    of = lambda *k: lambda x: percent(sum(x.values[32]["proofs"][c]["both"] for c in k), sum(x.values[32]["proofs"][c]["found"] for c in k)) if any(x.values[32]["proofs"][c]["found"] for c in k) else None
    every = ("alu", "sfu", "mem", "divergent")
    return table(xs, {"found, % of instructions": lambda x: percent(proof(x, "found"), x.values[32]["warp_instructions"]), "also proven, % of found": of(*every), "ALU": of("alu"), "SFU": of("sfu"),
                      "memory": of("mem"), "divergent": of("divergent"), "missed": missed,
                      "executed by proofs alone, % of instructions": lambda x: eligible(x, "static")},
                 ["GS-12", "", "", "", "", "", "", claim("GS-12", "static_missed", "static-scalar"), ""])


# ---- single claims, order, everything ----
def singles(xs):
    by = {x.name: x for x in xs}
    rows = []

    def add(id_, what, metric, configuration, scope, name, value):
        if name in by:
            bound = {"=": "", "<": "below ", ">": "above "}[CLAIMS[id_, metric, configuration, scope][1]]
            rows.append(line([id_, what, name, bound + claim(id_, metric, configuration, scope), number(value(by[name]), 1)]))
    for scope, name in (("HS", "hotspot"), ("LBM", "lbm"), ("LBM", "channel"), ("SAD", "sad")):
        add("GS-11", f"{scope}: divergent scalar, % of instructions", "eligible_divergent", "g-scalar", scope, name, lambda x: shares(x)[4])
    add("GS-3", "BP: half scalar, % of instructions", "eligible_half", "g-scalar", "BP", "backprop", lambda x: shares(x)[3])
    for scope, name in (("BP", "backprop"), ("LBM", "lbm"), ("LBM", "channel"), ("LC", "leukocyte")):
        add("GS-6", f"{scope}: more IPC per watt, %", "efficiency", "g-scalar", scope, name, lambda x: gain(x, "g-scalar"))
    return [line(["claim", "what", "example", "paper", "here"]), "|---|---|---|--:|--:|"] + rows + [""]


def order(xs):
    """Baseline < ALU scalar < without divergent < G-Scalar in eligible instructions and in efficiency: every example that breaks it, and what changes there."""
    eligibles, efficiencies, equal = [], [], {}
    ranks = ("baseline", "alu-scalar", "nodiv", "g-scalar")
    name = {"baseline": "the baseline", "alu-scalar": "ALU scalar", "nodiv": "without divergent", "g-scalar": "G-Scalar"}
    kept = {"eligible": 0, "efficiency": 0}
    for x in xs:
        found = [0.0] + [eligible(x, d) for d in ranks[1:]]
        same = [b for a, b, u, v in zip(ranks, ranks[1:], found, found[1:]) if v == u]
        fewer = [b for b, u, v in zip(ranks[1:], found, found[1:]) if v < u]
        kept["eligible"] += not same and not fewer
        for d in same:
            equal.setdefault(d, []).append(x.name)
        eligibles += [f"{x.name}: {name[d]} finds fewer." for d in fewer]
        values = [efficiency(x, d) for d in ranks]
        bad = [(a, b) for a, b, u, v in zip(ranks, ranks[1:], values, values[1:]) if v < u]
        kept["efficiency"] += not bad
        for a, b in bad:
            change = lambda of: takes(x, b, of) - takes(x, a, of)
            efficiencies.append(line([x.name, f"{name[b]} below {name[a]}", f"{efficiency(x, a):.3f}, {efficiency(x, b):.3f}", *(f"{change(of):+.1f}" for of in ("rf", "exec", "rest")),
                                      f"{100 * (x.get('cycles', b) / x.get('cycles', a) - 1):+.1f}"]))
    why = {"alu-scalar": "nothing is scalar in ALUs", "nodiv": "no special function and no memory instruction that all lanes execute has one value in all of them", "g-scalar": "neither halves nor divergent instructions are scalar"}
    return [f"Each finds more instructions than the one before in {kept['eligible']} of {len(xs)} examples; in the others:", ""] + [
        f"- {name[d]} finds as many as the one before, as {why[d]}: {', '.join(equal[d])}." for d in ranks[1:] if d in equal] + [f"- {e}" for e in eligibles] + ["",
        f"No efficiency is below that of the one before in {kept['efficiency']}. The others; changes are in percent of the baseline's energy, of the cycles those themselves.", "",
        line(["example", "exception", "efficiencies", "register file", "execution", "the rest", "cycles"]), "|---|---|--:|--:|--:|--:|--:|"] + efficiencies + [""]


def everything(xs):
    head = ["example", "instructions", "divergent, %", "ALU", "SFU", "memory", "half", "divergent scalar", "eligible, %", "efficiency: ALU scalar, %", "without divergent", "G-Scalar", "RF power saved: scalar file, %",
            "Warped-Compression", "G-Scalar", "IPC lost, %"]
    rows = [line([x.name, f"{x.get('warp_instructions', 'baseline'):.0f}", number(percent(x.get("divergent_instructions", "g-scalar"), x.get("warp_instructions", "g-scalar")), 1)]
                 + [number(v, 1) for v in (*shares(x), eligible(x, "g-scalar"), gain(x, "alu-scalar"), gain(x, "nodiv"), gain(x, "g-scalar"), 100 * (1 - rf_power(x, "alu-scalar")),
                                           100 * (1 - rf_power(x, "bdi")), 100 * (1 - rf_power(x, "g-scalar")), loss(x, "g-scalar"))]) for x in xs]
    return [line(head), "|---" + "|--:" * (len(head) - 1) + "|"] + rows + [""]


def say(xs):
    """What is measured for each claim, of the examples after the paper's."""
    said, mine, by = Measured("g-scalar"), BENCHMARKS.of(xs), {x.name: x for x in xs}

    def average(id_, metric, configuration, value, scope="average", what="", **more):
        said.say(id_, metric, configuration, scope, mean([value(x) for x in mine]), len(mine), what, of={SHORT[x.name]: value(x) for x in mine}, **more)

    def of(id_, metric, configuration, scope, name, value, **more):
        said.say(id_, metric, configuration, scope, value(by[name]) if name in by else None, 1, name, **more)

    def read(some, over="baseline"):
        return by_reading(some, lambda x, reading: gain_read(x, "g-scalar", reading, over), lambda x: x.get("resident_warps", "baseline"))
    reads = lambda key: lambda x: percent(x.values[32]["reads"][key], sum(x.values[32]["reads"].values()))
    part = lambda *i: lambda x: sum(shares(x)[n] for n in i)
    average("GS-1", "divergent_share", "baseline", lambda x: percent(x.get("divergent_instructions", "g-scalar"), x.get("warp_instructions", "g-scalar")))
    average("GS-1", "divergent_scalar_share", "g-scalar", lambda x: percent(x.get("scalar_divergent", "g-scalar"), x.get("divergent_instructions", "g-scalar"))
            if x.get("divergent_instructions", "g-scalar") else None)
    for n in (4, 3, 2, 1):
        average("GS-2", f"read_same{n}", "baseline", reads(f"same{n}"))
    average("GS-3", "eligible", "alu-scalar", lambda x: eligible(x, "alu-scalar"))
    for metric, parts_ in (("eligible_sfu_mem", (1, 2)), ("eligible_half", (3,)), ("eligible_divergent", (4,)), ("eligible", range(5)), ("eligible_sfu", (1,))):
        average("GS-3", metric, "g-scalar", part(*parts_))
    of("GS-3", "eligible_half", "g-scalar", "BP", "backprop", part(3))
    for lanes in (32, 64):
        average("GS-4", "eligible_half", f"warp {lanes}", lambda x: parts(x, lanes))
    average("GS-5", "efficiency", "g-scalar", lambda x: gain(x, "g-scalar"), "baseline", more=read(mine))
    average("GS-5", "efficiency", "g-scalar", lambda x: gain(x, "g-scalar", "alu-scalar"), "alu-scalar", more=read(mine, "alu-scalar"))
    of("GS-6", "sfu_share", "baseline", "BP", "backprop", lambda x: percent(x.get("sfu_instructions", "baseline"), x.get("warp_instructions", "baseline")))
    for scope, name in (("BP", "backprop"), ("LBM", "channel"), ("LC", "leukocyte")):
        of("GS-6", "efficiency", "g-scalar", scope, name, lambda x: gain(x, "g-scalar"), more=read([by[name]]) if name in by else None)
    for design in ("alu-scalar", "g-scalar"):
        average("GS-7", "rf_power_reduction", design, lambda x: 100 * (1 - rf_power(x, design)))
    average("GS-8", "compression_ratio", "g-scalar", lambda x: ratio(x, "parts"), what="halves of registers, each by its own bytes")
    average("GS-8", "compression_ratio", "warped-compression", lambda x: ratio(x, "bdi"))
    average("GS-9", "ipc_loss", "g-scalar", lambda x: loss(x, "g-scalar"), seeds=[mean([loss(x, "g-scalar") for x in some]) for some in under_seeds(mine)])
    average("GS-10", "moves", "g-scalar", lambda x: moves(x, "all moves"), what="every move, of dead registers too")
    for scope, name in (("HS", "hotspot"), ("LBM", "channel"), ("SAD", "sad")):
        of("GS-11", "eligible_divergent", "g-scalar", scope, name, part(4))
    average("GS-12", "static_missed", "static-scalar", missed, what="the paper's number is of other programs, of a GPU of AMD: near it by chance")
    return said


def report(xs):
    sections = (("Figure 1: divergent instructions, and those among them that one lane can execute", figure_1(xs)),
                ("Figure 8: reads of registers by what lanes share, %", figure_8(xs)),
                ("Figure 9: instructions eligible for scalar execution, %", figure_9(xs)),
                ("Figure 9 of PTX: the same with nothing folded (`ptx-annotate --no-fold`)", unfolded(xs)),
                ("Figure 10: parts of a warp, of 16 lanes each, % of instructions", figure_10(xs)),
                ("Figure 11: IPC per watt, % more than the baseline", figure_11(xs)),
                ("What takes the energy, % of the baseline's, and what the rest of the GPU is worth", energies(xs)),
                ("Figure 12: dynamic power of the register file, % less than the baseline", figure_12(xs)),
                ("Section 5.3: compression ratio of what is written", section_5_3(xs)),
                ("Section 5.4: instructions a cycle lost to longer pipelines and moves, %", section_5_4(xs)),
                ("Section 3.3: decompression moves, % of instructions", section_3_3(xs)),
                ("One bank of scalars against sixteen, %", banks(xs)),
                ("Section 6: what the compiler proves of what hardware finds, %", statics(xs)),
                ("Single benchmarks", singles(xs)),
                ("Order", order(xs)),
                ("All examples", everything(xs)))
    return sections_text(sections)


def sections_text(sections):
    return "\n".join("\n".join([f"## {title}", "", *body]) for title, body in sections)


def report_all(xs):
    BENCHMARKS.brief = True
    means = (("Divergent instructions, and those among them that one lane can execute", figure_1(xs)),
             ("Reads of registers by what lanes share, %", figure_8(xs)),
             ("Instructions eligible for scalar execution, %", figure_9(xs)),
             ("Parts of a warp, of 16 lanes each, % of instructions", figure_10(xs)),
             ("IPC per watt, % more than the baseline", figure_11(xs)),
             ("What takes the energy, % of the baseline's, and what the rest of the GPU is worth", energies(xs)),
             ("Dynamic power of the register file, % less than the baseline", figure_12(xs)),
             ("Compression ratio of what is written", section_5_3(xs)),
             ("Instructions a cycle lost to longer pipelines and moves, %", section_5_4(xs)),
             ("Decompression moves, % of instructions", section_3_3(xs)),
             ("One bank of scalars against sixteen, %", banks(xs)),
             ("What the compiler proves of what hardware finds, %", statics(xs)))
    BENCHMARKS.brief = False
    return sections_text((*means, ("Single benchmarks", singles(xs)), ("Order", order(xs)), ("All examples", everything(xs))))
