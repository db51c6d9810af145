"""The tables of wir.py: what they show of an example, and of all of them beside the paper's claims. An example has name, get(counter, design), has(design),
repeats, became and kinds (what sm-model run --explain=reuse says), peak and storage. Averages are arithmetic over examples, as the paper's over benchmarks."""
from common import Measured, by_reading, energy_read, under_seeds
from tables import Benchmarks, line, mean, number, percent, table

SHORT = {"sobel": "SF", "btree": "BT", "gaussian": "GA", "backprop": "BP", "pathfinder": "PF", "binomial": "BO", "stencil": "ST", "srad": "S2", "lud": "LU", "kmeans": "KM", "dwt2d": "DW",
         "nw": "NW", "spmv": "SV", "cutcp": "CU", "mriq": "MQ", "sgemm": "SG", "fdtd3d": "FD", "montecarlo": "MC", "sad": "SD", "srad1": "S1", "channel": "LB", "hotspot": "HS", "scan": "SN",
         "dct8x8": "DC", "fwt": "WT", "bfs": "BF", "euler3d": "CF", "dxtc": "DX", "streamcluster": "SC", "leukocyte": "LK", "blackscholes": "BS", "heartwall": "HW"}
WRITTEN = ("dxtc", "fdtd3d", "streamcluster", "blackscholes")       # after benchmarks of the paper, with inputs that were made to repeat
PAPER = tuple(SHORT)                    # Table I's order: by repeated computations, column by column
BENCHMARKS = Benchmarks("wir", SHORT)
claim, examples_table = BENCHMARKS.claim, BENCHMARKS.table
MODELS = {"novsb": "NoVSB", "r": "R", "rl": "RL", "rlp": "RLP", "rlpv": "RLPV", "rpv": "RPV", "rlpvc": "RLPVc"}
PARTS = {"register file": "rf_dynamic_energy", "collectors": "collect_energy", "execution": "exec_energy", "reuse": "reuse_logic_energy", "front end": "front_end_energy",
         "memory in SMs": "sm_memory_energy", "SMs, by time": "sm_steady_energy", "interconnect": "interconnect_energy", "L2": "l2_energy", "DRAM": "dram_energy",
         "the rest, by time": "uncore_steady_energy"}

HEAD = """# Instructions that are not executed again, on the examples

Written by `make study-wir` and `make papers`; rules and choices are in [WIR](../WIR.md), what differs from the paper and why [there](../WIR_RESULTS.md#what-differs). The machine is `--machine wir`. A row is an example,
all its launches together; the {m} are named as the benchmarks of the paper's Table I that they are after, written anew from the algorithm and with far smaller inputs. [All examples](wir_all.md) have a page of their
own. Every average is arithmetic, of what is normalised to the example's baseline. *claim* is the paper's number, from [claims.csv](../claims.csv), with its id. Counters behind the tables, but for the sweeps, are in
[wir.csv](wir.csv).

![Repeated, reused, energy, speedup](wir.svg)

"""


HEAD_ALL = """# Instructions that are not executed again: all examples

Written by `make study-wir ALL=1`; [wir](wir.md) says what is measured, and on which machine, and its claims need nothing of this. Means of the {m} examples there, which are after the paper's benchmarks, and of all {n}; and the {m} on fewer
SMs, which have more CTAs then.

"""


# ---- of one example ----
def share(x, counter, design, of="warp_instructions"):
    return percent(x.get(counter, design), x.get(of, design))


def reused(x, design):
    return share(x, "reused_instructions", design)


def repeated(x, *keys):
    """Percent of instructions; without keys as the paper samples, but for the first of each computation."""
    return percent(sum(x.repeats[k] for k in keys or ("sampled_repeated",)), x.repeats["issued"])


def moves(x, design):
    return share(x, "dummy_moves", design)


def over(x, counter, design, base="base"):
    """Percent of the baseline's."""
    return percent(x.get(counter, design), x.get(counter, base)) if x.get(counter, base) else None


def fewer(x, counter, design, base="base"):
    value = over(x, counter, design, base)
    return None if value is None else 100 - value


def energy(x, design, counter):
    return x.get(counter, design) / x.get(counter, "base")


def saving(x, design, counter):
    return 100 * (1 - energy(x, design, counter))


def saving_read(x, design, counter, reading):
    return 100 * (1 - energy_read(x.c[design], counter, reading) / energy_read(x.c["base"], counter, reading))


def saving_dynamic(x, design):
    """Of the SMs' energy but for what goes by time."""
    dynamic = lambda d: x.get("sm_energy", d) - x.get("sm_steady_energy", d)
    return 100 * (1 - dynamic(design) / dynamic("base"))


def speedup(x, design, base="base"):
    return x.get("cycles", base) / x.get("cycles", design)


def faster(x, design, base="base"):
    """In percent."""
    return 100 * (speedup(x, design, base) - 1)


def verified(x, design):
    """Percent of the results that would be written and are verified by a read of a bank, or by the verify cache."""
    return percent(x.get("vsb_hits", design), x.get("vsb_hits", design) + x.get("rf_writes", design))


def waits(x, design):
    """Times that an access is tried again: cycles that it waits for its bank."""
    return x.get("rf_conflict_cycles", design) / x.get("rf_reads", design) if x.get("rf_reads", design) else None


def accesses(x, design):
    """Percent of the baseline's accesses of banks: reads, writes, verify-reads; and verify-reads that the cache served."""
    base = x.get("rf_reads", "base") + x.get("rf_writes", "base")
    kinds = (x.get("rf_reads", design) - x.get("verify_reads", design), x.get("rf_writes", design), x.get("verify_reads", design), x.get("verify_cache_hits", design))
    return [percent(n, base) for n in kinds]


def held(x, design):
    """Physical registers in use: mean and most."""
    if design == "base":
        return x.get("rf_held_registers", "base") / x.get("sm_cycles", "base"), x.peak
    return x.get("phys_registers", design), x.get("phys_peak", design)


# ---- figures ----
def means_table(xs, first, rows, columns, digits=1):
    """Of the paper's examples; rows: {heading: design}, columns: {heading: value of an example and a design}."""
    mine = BENCHMARKS.of(xs)
    have = {name: d for name, d in rows.items() if all(x.has(d) for x in mine)}
    return table([first, *columns], [[name] + [number(mean([f(x, d) for x in mine]), digits) for f in columns.values()] for name, d in have.items()])


def figure_2(xs):
    """In windows end to end: of n that compute the same, n - 1, or all n; and looking back from each instruction."""
    c = (claim("WIR-1", "repeated", "baseline"), claim("WIR-2", "repeated_10", "baseline"))
    return examples_table(xs, {"but the first": repeated, "with the first": lambda x: repeated(x, "sampled_repeated", "sampled_first"), "looking back": lambda x: repeated(x, "repeated"),
                               "more than ten times": lambda x: repeated(x, "sampled_often"), "ten or more, looking back": lambda x: repeated(x, "often"), "RLPV reuses": lambda x: reused(x, "rlpv")},
                          ["WIR-1, 2, 3", c[0], c[0], c[0], c[1], c[1], claim("WIR-3", "reused", "wir-rlpv")])


def figure_12(xs):
    return examples_table(xs, {"executed": lambda x: 100 - reused(x, "rlpv"), "reused": lambda x: reused(x, "rlpv"), "of these waited, %": lambda x: share(x, "reuse_hits_pending", "rlpv", "reused_instructions"),
                               "dummy MOVs": lambda x: moves(x, "rlpv")},
                          ["WIR-3, 4", number(100 - float(claim("WIR-3", "reused", "wir-rlpv"))), claim("WIR-3", "reused", "wir-rlpv"), "", claim("WIR-4", "dummy_moves", "wir-rlpv")])


def figure_13(xs):
    kinds = {"instructions": lambda x, d: 100 - reused(x, d), "SP": lambda x, d: over(x, "sp_instructions", d), "SFU": lambda x, d: over(x, "sfu_instructions", d),
             "memory": lambda x, d: over(x, "mem_instructions", d), "lanes": lambda x, d: over(x, "executed_lanes", d), "bank reads": lambda x, d: over(x, "rf_reads", d),
             "bank writes": lambda x, d: over(x, "rf_writes", d)}
    return means_table(xs, "of the baseline's, %", {"Affine": "affine", **{v: k for k, v in MODELS.items()}, "Affine+RLPV": "affine+rlpv"}, kinds)


def models(xs):
    return examples_table(xs, {**{v: lambda x, d=k: reused(x, d) for k, v in MODELS.items()}, "memory instructions fewer, RLPV than RPV": lambda x: fewer(x, "mem_instructions", "rlpv", "rpv")},
                          ["WIR-7, 3, 8", f"below {claim('WIR-7', 'reused', 'wir-novsb')}", "", "", "", claim("WIR-3", "reused", "wir-rlpv"), "", "", f"up to {claim('WIR-8', 'memory_removed', 'wir-rlpv', 'best')}"])


def why_not(xs):
    of = lambda c: lambda x: share(x, c, "rlpv")
    return examples_table(xs, {"reused": of("reused_instructions"), "not found": of("reuse_misses"), "queue full": of("reuse_queue_full"), "kind": of("reuse_kind"), "divergent": of("reuse_divergent"),
                               "pinned": of("reuse_pinned"), "never written": of("reuse_unmapped"), "store flag": of("reuse_store_flag"), "barriers": of("reuse_barrier_count"), "races": of("reuse_races")},
                          ["none"] + [""] * 10)


def became(xs):
    """Of computations that repeat, looking back from each: what RLPV makes of them."""
    of = lambda *keys: lambda x: percent(sum(x.became.get(k, 0) for k in keys), x.became["issued"])
    named = {"reused": of("reused", "reused_late"), "entry replaced": of("replaced"), "other registers": of("registers"), "equal without entry": of("never_entered"), "equal still under way": of("too_early"), "queue full": of("queue_full"),
             "kind": of("kind"), "divergent": of("divergent"), "pinned": of("pinned"), "store flag": of("store_flag"), "barriers": of("barrier_count")}
    return examples_table(xs, named, ["none"] + [""] * len(named), every=False)


def kinds(xs):
    """What is not looked up for its kind, of the computations that repeat, looking back."""
    named = {"predicates": "predicate", "special registers": "special_register"}
    of = lambda *whys: lambda x: percent(sum(n for why, n in x.kinds.items() if why in whys), x.became["issued"])
    other = lambda x: percent(sum(n for why, n in x.kinds.items() if why not in named.values()), x.became["issued"])
    columns = {"all": lambda x: percent(x.became.get("kind", 0), x.became["issued"]), **{what: of(why) for what, why in named.items()}, "other": other}
    return examples_table(xs, columns, ["none"] + [""] * len(columns), digits=2, every=False)


def halves(xs):
    """{scope of WIR-6: (what it is, examples)}: by how much repeats."""
    order = sorted(BENCHMARKS.of(xs), key=repeated, reverse=True)
    half = (len(order) + 1) // 2
    return {"upper half": (f"the {half} with most repeated computations", order[:half]), "lower half": (f"the other {len(order) - half}", order[half:])}


def figure_14(xs):
    mine = BENCHMARKS.of(xs)
    part = lambda d: lambda c: mean([100 * x.get(c, d) / x.get("gpu_energy", "base") for x in mine])
    designs = {"Base": "base", "RPV": "rpv", "RLPV": "rlpv"}
    rows = [[name] + [number(part(d)(c)) for d in designs.values()] for name, c in PARTS.items()]
    rows.append(["**all**"] + [f"**{number(part(d)('gpu_energy'))}**" for d in designs.values()])
    split = [[what, number(mean([saving(x, "rlpv", "gpu_energy") for x in some])), claim("WIR-6", "gpu_saving", "wir-rlpv", scope)]
             for scope, (what, some) in halves(xs).items() if some]
    return (table(["percent of the baseline's energy", *designs], rows)
            + examples_table(xs, {"RPV saves": lambda x: saving(x, "rpv", "gpu_energy"), "RLPV saves": lambda x: saving(x, "rlpv", "gpu_energy"), "RLPVc saves": lambda x: saving(x, "rlpvc", "gpu_energy")},
                             ["WIR-6", claim("WIR-6", "gpu_saving", "wir-rpv"), claim("WIR-6", "gpu_saving", "wir-rlpv"), ""])
            + table(["RLPV saves, %", "here", "claim WIR-6"], split))


def figure_15(xs):
    kinds = ("l1_read_hits", "l1_read_merges", "l1_read_misses")
    of = lambda c, d: lambda x: percent(x.get(c, d), x.get("l1_reads", "base")) if x.get("l1_reads", "base") else None
    head = {f"{d}: {what}": of(c, k) for d, k in (("Base", "base"), ("RLPV", "rlpv")) for c, what in zip(kinds, ("hits", "merged", "misses"))}
    return examples_table(xs, {**head, "fewer misses, %": lambda x: fewer(x, "l1_read_misses", "rlpv"), "fewer accesses, %": lambda x: fewer(x, "l1_reads", "rlpv")},
                          ["WIR-10", "", "", "", "", "", "", f"LK {claim('WIR-10', 'l1_misses', 'wir-rlpv', 'LK')}", ""])


def figure_16(xs):
    saved = lambda d: lambda x: saving(x, d, "sm_energy")
    c = lambda d: claim("WIR-5", "sm_saving", d)
    return examples_table(xs, {"RPV": saved("rpv"), "RLPV": saved("rlpv"), "RLPVc": saved("rlpvc"), "Affine": saved("affine"), "Affine+RLPV": saved("affine+rlpv"), "but for what goes by time: RLPV": lambda x: saving_dynamic(x, "rlpv"),
                               "Affine ": lambda x: saving_dynamic(x, "affine"), "Affine+RLPV ": lambda x: saving_dynamic(x, "affine+rlpv"),
                               "by time, of the baseline's": lambda x: share(x, "sm_steady_energy", "base", "sm_energy")},
                          ["WIR-5", "", c("wir-rlpv"), "", c("affine"), c("affine+wir-rlpv"), "", "", "", ""])


def figure_17(xs):
    return examples_table(xs, {MODELS[d]: lambda x, d=d: faster(x, d) for d in ("novsb", "r", "rl", "rlp", "rlpv", "rpv", "rlpvc")},
                          ["WIR-10", "", "", "", "", f"LK {claim('WIR-10', 'speedup', 'wir-rlpv', 'LK')}", "", ""])


def figure_18(xs):
    rows = {"Base": "base", "NoVSB": "novsb", "R": "r", "RL": "rl", "RLP": "rlp", "RLPV, 4 registers": "verify 4", "RLPV, 8": "rlpv", "RLPV, 16": "verify 16"}
    part = lambda i: lambda x, d: accesses(x, d)[i]
    out = means_table(xs, "of the baseline's accesses, %", rows, {"reads": part(0), "writes": part(1), "verify-reads": part(2), "of the verify cache": part(3)})
    out += means_table(xs, "tries again", rows, {"a request": waits}, digits=3)
    return out


def figure_19(xs):
    designs = {"Base": "base", "RLPV": "rlpv", "RLPVc": "rlpvc"}
    return examples_table(xs, {f"{name}, {what}": lambda x, d=d, i=i: held(x, d)[i] for i, what in enumerate(("average", "peak")) for name, d in designs.items()}, ["none"] + [""] * 6, digits=0)


def figure_20(xs):
    rate = lambda x, d: percent(x.get("vsb_hits", d), x.get("hashes", d)) if x.get("hashes", d) else None
    rows = {str(n): "rlpv" if n == 256 else f"vsb {n}" for n in (0, 128, 256, 512, 1024, 4096)}
    one = lambda name, f: lambda x, d: f(x, d) if x.name == name else None
    return means_table(xs, "entries", rows, {"hits, % of results of all lanes": rate, "reused, %": reused, "SM energy saved, %": lambda x, d: saving(x, d, "sm_energy"),
                                             "low-register mode, % of cycles": lambda x, d: share(x, "low_register_cycles", d, "sm_cycles"),
                                             **{f"{name}: {what}": one(name, f) for name in ("sad", "stencil") for what, f in (("hits", rate), ("reused", reused))}}) + [
        f"Claim WIR-13: of 128 entries more than {claim('WIR-13', 'vsb_hit_rate', '128 entries')} %.", ""]


def figure_21(xs):
    mine = BENCHMARKS.of(xs)
    rows = []
    for n in (64, 128, 256, 512):
        rl, rlpv = ("rl", "rlpv") if n == 256 else (f"rl {n}", f"buffer {n}")
        if all(x.has(rlpv) for x in mine):
            rows.append([str(n)] + [number(mean([f(x) for x in mine])) for f in (lambda x: reused(x, rl), lambda x: reused(x, rlpv), lambda x: share(x, "reuse_hits_pending", rlpv))])
    return table(["entries", "RL: reused, %", "RLPV: reused, %", "of all, those that waited, %"], rows) + [
        f"Claim WIR-14: {claim('WIR-14', 'reused', '256 entries')} % with 256, more than {claim('WIR-14', 'reused', '512 entries')} % with 512.", ""]


def figure_22(xs):
    rows = {f"D{n}": "rlpv" if n == 4 else f"cycles {n}" for n in (3, 4, 6, 7)}
    return means_table(xs, "cycles added", rows, {"speedup, %": faster, "reused, %": reused, "of these waited, %": lambda x, d: share(x, "reuse_hits_pending", d, "reused_instructions")}, digits=2)


def slots(xs, counts):
    """Issue slots that RLPV has more than the baseline, by what they were lost to, % of the baseline's; and for how long a read waits for its bank."""
    counts = {n: d for n, d in counts.items() if all(x.has(d[1]) for x in BENCHMARKS.of(xs))}
    causes = {"scoreboard": ("slots_scoreboard",), "collectors, stages": ("slots_collector", "slots_reuse"), "fetch": ("slots_fetch",), "memory": ("slots_memory",)}
    more = lambda base, d, keys: lambda x: percent(sum(x.get(k, d) - x.get(k, base) for k in keys), x.get("issue_slots", base))
    columns = {}
    for i, (n, (base, d)) in enumerate(counts.items()):
        mark = "" if i == 0 else " "        # a heading of its own
        columns[f"{n}: all"] = more(base, d, ("issue_slots",))
        columns.update({what + mark: more(base, d, keys) for what, keys in causes.items()})
        columns[f"cycles that a read waits for its bank: baseline{mark}"] = lambda x, base=base: waits(x, base)
        columns[f"RLPV{mark}"] = lambda x, d=d: waits(x, d)
    return examples_table(xs, columns, ["none"] + [""] * len(columns), digits=2, every=False)


def fields(xs):
    return examples_table(xs, {"reused, entries of 135 bits": lambda x: reused(x, "rlpv"), "of 59": lambda x: reused(x, "fields of 10"), "not looked up for their kind, 135": lambda x: share(x, "reuse_kind", "rlpv"),
                               "59": lambda x: share(x, "reuse_kind", "fields of 10")}, ["WIR-3", claim("WIR-3", "reused", "wir-rlpv"), claim("WIR-3", "reused", "wir-rlpv"), "", ""])


def launches(xs):
    """More CTAs on an SM, as a larger launch has: the same launch on fewer SMs."""
    counts = [n for n in (4, 1) if all(x.has(f"rlpv on {n}") for x in BENCHMARKS.of(xs))]
    columns = {"reused, 15 SMs": lambda x: reused(x, "rlpv")}
    columns.update({f"{n}": lambda x, n=n: reused(x, f"rlpv on {n}") for n in counts})
    columns["speedup, 15 SMs"] = lambda x: faster(x, "rlpv")
    columns.update({f"{n} ": lambda x, n=n: faster(x, f"rlpv on {n}", f"base on {n}") for n in counts})
    many = {"15 SMs": "{}", **{str(n): f"{{}} on {n}" for n in counts}}
    columns.update({f"SM energy saved, {n}": lambda x, d=d: 100 * (1 - x.get("sm_energy", d.format("rlpv")) / x.get("sm_energy", d.format("base")))
                    for n, d in many.items()})
    columns.update({f"resident warps, {n}": lambda x, d=d: x.get("resident_warps", d.format("base")) for n, d in many.items()})
    return examples_table(xs, columns, ["none"] + [""] * len(columns), every=False)


def storage(xs):
    bits = xs[0].storage
    return table(["", "KB an SM", "claim WIR-15"], [["entries of 59 bits, the paper's", number(bits["fields of 10"] / 8192, 2), claim("WIR-15", "storage", "wir-rlpv", "SM")],
                                                  ["entries of 135 bits", number(bits["rlpv"] / 8192, 2), ""]])


def order(xs):
    """NoVSB, R, RL and RLP in this order, RPV and RLPVc below RLPV: every example that breaks it."""
    out, kept = [], 0
    ranks = [("novsb", "r"), ("r", "rl"), ("rl", "rlp"), ("rpv", "rlpv"), ("rlpvc", "rlpv")]
    for x in xs:
        bad = [(a, b) for a, b in ranks if reused(x, b) < reused(x, a) - 0.05]
        kept += not bad
        out += [line([x.name, f"{MODELS[b]} below {MODELS[a]}", number(reused(x, a), 2), number(reused(x, b), 2)]) for a, b in bad]
    return [f"In {kept} of {len(xs)} examples no model reuses less than the one before (by more than 0.05 % of instructions): R after NoVSB, RL after R, RLP after RL, RLPV after RPV and RLPVc.", ""] + (
        [line(["example", "exception", "reused, %", "and"]), "|---|---|--:|--:|"] + out + [""] if out else [])


def everything(xs):
    head = ["example", "instructions", "repeated, %", "reused: R, %", "RLPV, %", "dummy MOVs, %", "VSB hits, %", "speedup, RLPV, %", "SM energy saved: RLPV, %", "Affine", "Affine+RLPV", "GPU energy saved: RLPV, %",
            "races"]
    return table(head, [[x.name, f"{x.get('warp_instructions', 'base'):.0f}"] + [number(v) for v in (
        repeated(x), reused(x, "r"), reused(x, "rlpv"), moves(x, "rlpv"), percent(x.get("vsb_hits", "rlpv"), x.get("vsb_lookups", "rlpv")), faster(x, "rlpv"), saving(x, "rlpv", "sm_energy"),
        saving(x, "affine", "sm_energy"), saving(x, "affine+rlpv", "sm_energy"), saving(x, "rlpv", "gpu_energy"))] + [f"{x.get('reuse_races', 'rlpv'):.0f}"] for x in xs])


def ratio_of_means(xs, more, less, of, base=None):
    """Percent by which the mean of `more` is above that of `less`; base: of what lies between `more` and base."""
    a, b, c = (mean([of(x, d) for x in xs]) for d in (more, less, base or less))
    return percent(a - b, a - c if base else b)


NARROW, WIDE = "fields of 10", "; entries of 135 bits"      # RLPV with entries of the paper's 59 bits; what has the default ones says so


def claim_rows():
    """(id, metric, configuration, scope, what, its value of some examples[, the same with entries of 135 bits])"""
    one = lambda name, f: lambda some: next((f(x) for x in some if x.name == name), None)
    of = lambda f: lambda some: mean([f(x) for x in some])
    rate = lambda d: of(lambda x: percent(x.get("vsb_hits", d), x.get("hashes", d)) if x.has(d) and x.get("hashes", d) else None)
    swept = lambda d: of(lambda x: reused(x, d) if x.has(d) else None)
    entries = lambda f: [of(lambda x, d=d: f(x, d)) for d in (NARROW, "rlpv")]
    return [("WIR-1", "repeated", "baseline", "average", "computations that repeat, % of instructions", of(repeated)),
            ("WIR-2", "repeated_10", "baseline", "average", "more than ten times, %", of(lambda x: repeated(x, "sampled_often"))),
            ("WIR-3", "reused", "wir-rlpv", "average", "RLPV: reused, %", *entries(reused)),
            ("WIR-4", "dummy_moves", "wir-rlpv", "average", "RLPV: dummy MOVs, %", *entries(moves)),
            ("WIR-5", "sm_saving", "wir-rlpv", "average", "wir-rlpv: energy of the SMs saved, %", *entries(lambda x, d: saving(x, d, "sm_energy"))),
            *(("WIR-5", "sm_saving", c, "average", f"{c}: energy of the SMs saved, %{wide}", of(lambda x, d=d: saving(x, d, "sm_energy")))
              for c, d, wide in (("affine", "affine", ""), ("affine+wir-rlpv", "affine+rlpv", WIDE))),
            ("WIR-6", "gpu_saving", "wir-rpv", "average", f"RPV: energy of the GPU saved, %{WIDE}", of(lambda x: saving(x, "rpv", "gpu_energy"))),
            ("WIR-6", "gpu_saving", "wir-rlpv", "average", "RLPV: energy of the GPU saved, %", *entries(lambda x, d: saving(x, d, "gpu_energy"))),
            ("WIR-7", "reused", "wir-novsb", "average", f"NoVSB: reused, % (the paper: below){WIDE}", of(lambda x: reused(x, "novsb"))),
            ("WIR-8", "memory_removed", "wir-rlpv", "best", f"memory instructions fewer with RLPV than with RPV, %, at most{WIDE}", lambda some: max(fewer(x, "mem_instructions", "rlpv", "rpv") or 0 for x in some)),
            ("WIR-9", "more_hits", "wir-rlp", "average", f"hits more in RLP than in RL, % (of the means){WIDE}", lambda some: ratio_of_means(some, "rlp", "rl", reused)),
            ("WIR-10", "speedup", "wir-rlpv", "LK", "LK: RLPV faster, %", *(one("leukocyte", lambda x, d=d: faster(x, d)) for d in (NARROW, "rlpv"))),
            ("WIR-10", "l1_misses", "wir-rlpv", "LK", "LK: misses of the L1 fewer, %", *(one("leukocyte", lambda x, d=d: fewer(x, "l1_read_misses", d)) for d in (NARROW, "rlpv"))),
            ("WIR-11", "verified_writes", "wir-rlp", "average", f"RLP: writes that became verify-reads, %{WIDE}", of(lambda x: verified(x, "rlp"))),
            ("WIR-12", "conflicts_removed", "wir-rlpv", "average", f"of the tries again that RLP adds, removed by 8 registers, % (of the means){WIDE}", lambda some: ratio_of_means(some, "rlp", "rlpv", waits, "base")),
            ("WIR-13", "vsb_hit_rate", "128 entries", "average", f"VSB of 128: hits, % of results of all lanes (the paper: above){WIDE}", rate("vsb 128")),
            ("WIR-14", "reused", "256 entries", "average", "256 entries: reused, %", *entries(reused)),
            ("WIR-14", "reused", "512 entries", "average", "512 entries: reused, % (the paper: above)", swept(f"512 {NARROW}"), swept("buffer 512")),
            ("WIR-15", "storage", "wir-rlpv", "SM", "KB that an SM is given, entries of 59 bits", lambda some: some[0].storage["fields of 10"] / 8192)]


def claims(xs):
    """Each claim beside the same of the paper's examples, and of all if there are others."""
    rows, mine = claim_rows(), BENCHMARKS.of(xs)
    found, others = [x for x in mine if x.name not in WRITTEN], len(xs) > len(mine)
    return [line(["claim", "what", "paper", f"these {len(mine)}", f"without four: {len(found)}", *[f"all {len(xs)}"] * others, f"these {len(mine)}, entries of 135 bits"]), "|---|---|--:|--:|--:|--:|" + "--:|" * others] + [
        line([id_, what, claim(id_, metric, configuration, scope), number(f(mine)), "" if single else number(f(found)), *["" if single or configuration.endswith("entries") else number(f(xs))] * others,
              number(wide[0](mine)) if wide else ""])
        for id_, metric, configuration, scope, what, f, *wide in rows for single in [scope in ("LK", "SM")]] + [
        "", f"Entries of the reuse buffer have the paper's 59 bits (`reuse_field_bits=10`), but in rows that say otherwise; everywhere else on this page they have the default 135. Without four: without {', '.join(WRITTEN[:-1])} and {WRITTEN[-1]}, whose inputs were written to show computations that repeat.", ""]


def energy_readings(xs, configuration, counter):
    design = {"wir-rlpv": NARROW, "wir-rpv": "rpv", "affine": "affine", "affine+wir-rlpv": "affine+rlpv"}[configuration]
    return by_reading(xs, lambda x, reading: saving_read(x, design, counter, reading), lambda x: x.get("resident_warps", "base"))


def say(xs):
    """What is measured for each claim, of the examples after the paper's."""
    said, mine = Measured("wir"), BENCHMARKS.of(xs)
    found = [x for x in mine if x.name not in WRITTEN]
    for id_, metric, configuration, scope, what, f, *wide in claim_rows():
        others = [f"with entries of 135 bits {number(wide[0](mine))}"] if wide else []
        if scope == "average":
            others += [f"without the four {number(f(found))}"] if len(found) < len(mine) else []
        single = scope in ("LK", "SM", "best")
        by = {} if single or "(of the means)" in what else {SHORT[x.name]: f([x]) for x in mine}
        more = energy_readings(mine, configuration, "sm_energy" if id_ == "WIR-5" else "gpu_energy") if id_ in ("WIR-5", "WIR-6") else {}
        seeds = [f(some) for some in under_seeds(mine)] if metric == "speedup" else None
        said.say(id_, metric, configuration, scope, f(mine), 1 if single else len(mine), "; ".join([what, *others]), of=by, seeds=seeds if seeds and seeds[0] is not None else None, more=more)
    for scope, (what, some) in halves(xs).items():
        if not some:
            continue
        of = lambda d: mean([saving(x, d, "gpu_energy") for x in some])
        said.say("WIR-6", "gpu_saving", "wir-rlpv", scope, of(NARROW), len(some), f"{what}; with entries of 135 bits {number(of('rlpv'))}",
                 of={SHORT[x.name]: saving(x, NARROW, "gpu_energy") for x in some}, more=energy_readings(some, "wir-rlpv", "gpu_energy"))
    return said


def report(xs):
    sections = (("Claims", claims(xs)),
                ("Figure 2: computations that repeat within 1000 instructions of an SM, % of instructions", figure_2(xs)),
                ("Figure 12: instructions that the back end executes, % of instructions", figure_12(xs)),
                ("Figure 13: what the back end does, % of the baseline", figure_13(xs)),
                ("Figure 13: instructions reused by model, %", models(xs)),
                ("What becomes of instructions under RLPV, %", why_not(xs)),
                ("What becomes of computations that repeat under RLPV, % of instructions", became(xs)),
                ("Of these, what is never looked up for its kind, % of instructions", kinds(xs)),
                ("Figure 14: energy of the GPU", figure_14(xs)),
                ("Figure 15: accesses of the L1, % of the baseline's", figure_15(xs)),
                ("Figure 16: energy of the SMs saved, %", figure_16(xs)),
                ("Figure 17: speedup, %", figure_17(xs)),
                ("Figure 18: accesses of the register file, and bank conflicts", figure_18(xs)),
                ("Figure 19: physical registers in use, of 1024: average by time, peaks of each launch and SM averaged", figure_19(xs)),
                ("Figure 20: entries of the value signature buffer", figure_20(xs)),
                ("Figure 21: entries of the reuse buffer", figure_21(xs)),
                ("Figure 22: cycles that reuse adds", figure_22(xs)),
                ("Issue slots that RLPV takes more, % of the baseline's", slots(xs, {"15 SMs": ("base", "rlpv")})),
                ("Operand fields of 10 and of 32 bits", fields(xs)),
                ("Section 7.5: storage", storage(xs)),
                ("Order", order(xs)),
                ("All examples", everything(xs)))
    return sections_text(sections)


def sections_text(sections):
    return "\n".join("\n".join([f"## {title}", "", *body]) for title, body in sections)


def report_all(xs):
    BENCHMARKS.brief = True
    means = (("Claims", [l for l in claims(xs) if "VSB of 128" not in l and "512 entries" not in l]),
             ("Computations that repeat within 1000 instructions of an SM, % of instructions", figure_2(xs)),
             ("Instructions that the back end executes, % of instructions", figure_12(xs)),
             ("Instructions reused by model, %", models(xs)),
             ("What becomes of instructions under RLPV, %", why_not(xs)),
             ("Energy of the GPU", figure_14(xs)),
             ("Accesses of the L1, % of the baseline's", figure_15(xs)),
             ("Energy of the SMs saved, %", figure_16(xs)),
             ("Speedup, %", figure_17(xs)),
             ("Physical registers in use, of 1024: average by time, peaks of each launch and SM averaged", figure_19(xs)),
             ("Operand fields of 10 and of 32 bits", fields(xs)))
    BENCHMARKS.brief = False
    return sections_text((*means, ("Launches on fewer SMs", launches(xs)),
                          ("Issue slots that RLPV takes more on one SM, % of the baseline's", slots(xs, {"1 SM": ("base on 1", "rlpv on 1")})),
                          ("Order", order(xs)), ("All examples", everything(xs))))
