#!/usr/bin/env python3
"""Table 1 and figures 2, 4, 6 and 13 to 19 of CORF (ASPLOS 2019) for the examples, on the paper's machine: packing by first-fit, CORF
and CORF++, each with and without register virtualization, timed from one execution of each example. The paper's averages, with the
number of the claim, come from docs/claims.csv. The ends of an entry for CORF++ are chosen by the paper's heuristic (--align=paper). Examples in OpenCL C
are measured with addresses of 32 bits as well (clang). Writes FOLDER/corf.md (the tables), corf.csv (the counters that they are made of) and corf.svg;
--variants: FOLDER/corf_variants.md, what choices of the compiler and of the machine change. corf.claims.csv says what is measured for each claim.
--quick: four examples, 64-bit addresses alone. Without a folder the tables are printed.
Usage: corf.py BUILD [FOLDER] [--quick] | corf.py BUILD FOLDER --variants"""
import csv, json, os, subprocess, sys, tempfile
from math import prod
from statistics import mean, median, stdev
from common import Measured, annotate, arguments, each, examples, gnuplot, half_width, launch, measured, narrow_addresses, perturbed, under_seeds
from tables import far, line

MACHINE = "corf"
PACKINGS = ("none", "first-fit", "corf", "corf++")
RESIDENCIES = ("static", "rfv")
QUICK = ("bfs", "lud", "pathfinder", "sad")
VARIED = ("bfs btree collatz conv gaussian histogram hotspot jacobi kmeans lud mandel nbody nw options pathfinder reduction sad saxpy sgemm sha256 sobel").split()
FLOAT_SHARE = 0.1       # of the instructions executed: an example with more floating-point arithmetic counts as a float one
NO_ARITHMETIC = ("ld", "st", "atom", "red", "mov", "bar", "bra", "cvta", "selp", "shfl")
COUNTERS = ("cycles", "warp_instructions", "metadata_instructions", "ipc", "operand_reads", "operand_writes", "rf_reads", "rf_writes",
            "multi_operand_instructions", "multi_operand_reads", "coalescable_instructions", "coalesced_instructions", "coalesced_operands",
            "width1_operations", "width2_operations", "width3_operations", "width4_operations", "pair_allocations", "pair_packed",
            "packed_writes", "size_grows", "size_shrinks", "reallocations", "merge_reads", "unmapped_reads", "rename_lookups", "rename_updates",
            "rename_conflicts", "packer_conflicts", "war_waits", "rf_bank_conflicts", "rf_powered_entries", "rf_mapped_registers", "rf_held_registers",
            "rf_dynamic_energy", "rename_energy", "pack_logic_energy", "rf_leakage_energy", "rename_leakage", "pack_leakage",
            "occupancy", "slots_issued", "slots_collector", "slots_scoreboard", "slots_memory", "issue_slots")


PAPER = ("--align=paper",)
NARROW = (("none", "static"), ("first-fit", "static"), ("corf", "static"), ("corf", "rfv"), ("corf++", "rfv"))      # measured with addresses of 32 bits
JUDGED = (("none", "static"), ("corf", "rfv"), ("corf++", "rfv"))    # of which the paper claims IPC
FREE = "free"           # the baseline's register file with a bank for every register and as many ports as reads


class Variant:
    def __init__(self, title, annotate=PAPER, machine=(), profile=False):
        self.title, self.annotate, self.machine, self.profile = title, annotate, [x for m in machine for x in ("--set", m)], profile


class Example:
    """What was measured of one: c[packing, residency][counter], and its code. bits: of addresses."""

    def __init__(self, build, name, tmp, variant=Variant("default"), bits=64):
        self.name = name
        if bits == 32:
            tmp = f"{tmp}/32"
            os.makedirs(tmp, exist_ok=True)
        out = f"{tmp}/{name}.json"
        source = narrow_addresses(name, tmp) if bits == 32 else None
        rlo = annotate(build, name, tmp, *variant.annotate, source=source)
        model = [f"{build}/sm-model"]
        machine = ["--launch", launch(name), "--machine", MACHINE, *variant.machine, "--quiet"]
        if variant.profile:
            run(model + ["run", rlo, *machine, "--functional", "--profile", f"{tmp}/{name}.profile"])
            rlo = annotate(build, name, tmp, *variant.annotate, "--profile", f"{tmp}/{name}.profile", source=source)
        run(model + ["run", rlo, *machine, "--functional", "--profile", f"{tmp}/{name}.profile"])
        code = json.loads(subprocess.run([f"{build}/ptx-annotate", rlo, "--emit=json"], check=True, capture_output=True).stdout)["kernels"]
        self.float_share = float_share(code, json.load(open(f"{tmp}/{name}.profile"))["kernels"])
        designs = [f"packing={p},residency={r},name={p} {r}" for p in PACKINGS for r in RESIDENCIES if bits == 64 or (p, r) in NARROW] + [f"rf_banks=32,oc_ports=0,name={FREE}"]
        run(model + ["compare", rlo, *machine, "--json", out] + [a for d in designs for a in ("--config", d)])
        result = json.load(open(out))
        self.warps = sum(l["rounds"] * prod(l["grid"]) * ((prod(l["block"]) + 31) // 32) for l in result["launches"])
        self.c = {}
        for conf in result["configurations"]:
            assert not conf["failed"], (name, conf["name"])
            packing = FREE if conf["name"] == FREE else conf["axes"]["packing"]
            self.c[packing, conf["axes"]["residency"]] = {k: conf["metrics"][k]["value"] for k in COUNTERS}
        self.code = code_size(code)
        judged = {} if variant.title != "default" or bits == 32 else {f"{p} {r}": f"packing={p},residency={r}" for p, r in JUDGED}
        noise = perturbed(build, rlo, name, MACHINE, judged, out) if judged else {}
        self.noise = {tuple(d.split()): v for d, v in noise.items()}

    @property
    def group(self):
        return "float" if self.float_share >= FLOAT_SHARE else "integer"

    def get(self, counter, packing="none", residency="static"):
        return self.c[packing, residency][counter]

    def ratio(self, counter, packing, residency="static"):
        return share(self.get(counter, packing, residency), self.get(counter))


def in_opencl(name):
    return os.path.exists(f"examples/{name}/{name}.cl") and os.path.exists(f"examples/{name}/{name}.ptx")


def share(a, b):
    return a / b if b else 0.0


def run(command):
    """Its notes, that the baseline has no use for a parameter of packing, are not shown."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)


def float_share(code, profile):
    """Of the warp instructions executed, those that compute in floating point."""
    times, all_, some = {k["name"]: k["executions"] for k in profile}, 0, 0
    for k, i in ((k, i) for k in code if k["name"] in times for i in k["instructions"]):
        n, words = times[k["name"]][i["block"]], i["text"].split()
        op = words[1 if words[0].startswith("@") else 0].split(".")
        all_ += n
        if op[0] not in NO_ARITHMETIC and any(t in ("f16", "f16x2", "bf16", "f32", "f64") for t in op):
            some += n
    return share(some, all_)


def code_size(code):
    """Instructions of the kernels, and of metadata for CORF and for CORF++."""
    return [sum(len(k["instructions"]) for k in code)] + [sum(len(k["corf"][w]["words"]) for k in code) for w in ("pairs", "alignment")]


# ---- the columns of each figure: title, value of an example, how to average, claim, its metric and configuration ----
GROUPS = ("integer", "float", "all")
MIX = {"integer": 0.75, "float": 0.25}  # of the paper's averages over all: those of its figures 14 and 15 are that mean of the two groups


def members(list_, group):
    return [e for e in list_ if group in (e.group, "all")]


class Column:
    def __init__(self, title, value, claim, metric, configuration, mean="arithmetic"):
        self.title, self.value, self.claim, self.metric, self.configuration, self.harmonic = title, value, claim, metric, configuration, mean == "harmonic"
        assert not claim or (claim, metric, configuration, "all") in CLAIMS, (claim, metric, configuration)

    def mean(self, list_):
        values = [self.value(e) for e in list_]
        if self.harmonic:       # of gains: that of the ratios
            return len(values) / sum(1 / (1 + v) for v in values) - 1
        return sum(values) / len(values)

    def mixed(self, list_):
        """The mean in the proportion of the paper's groups."""
        return sum(w * self.mean(members(list_, g)) for g, w in MIX.items())


def widths(*n):
    def value(e):
        c = e.c["first-fit", "static"]
        return share(sum(c[f"width{w}_operations"] for w in n), sum(c[f"width{w}_operations"] for w in (1, 2, 3, 4)))
    return value


def of(counter, whole, packing="first-fit", residency="static"):
    return lambda e: share(e.get(counter, packing, residency), e.get(whole, packing, residency))


def accesses(e, packing, residency="static"):
    return e.get("rf_reads", packing, residency) + e.get("rf_writes", packing, residency)


def fewer_accesses(packing, residency):
    return lambda e: 1 - share(accesses(e, packing, residency), accesses(e, "none"))


def gain(packing, residency):
    return lambda e: e.ratio("ipc", packing, residency) - 1


def techniques(claims):
    """Of a figure that has first-fit, CORF and CORF++: title, packing, residency, claim. The paper's CORF has virtualization (table 1)."""
    return ([(p, p, "static", c if p == "first-fit" else "") for p, c in zip(PACKINGS[1:], claims)] +
            [(f"{p}, rfv", p, "rfv", c if p != "first-fit" else "") for p, c in zip(PACKINGS[1:], claims)])


def fewer_registers(packing, residency):
    return lambda e: 1 - share(e.get("rf_powered_entries", packing, residency), e.get("rf_held_registers", packing, residency))


def fewer_than_written(packing, residency):
    """Than the registers that a lane has written by then: those that packing alone has mapped, over the time of each."""
    written = lambda e: share(e.get("rf_mapped_registers", "first-fit"), e.get("rf_held_registers", "first-fit"))
    return lambda e: 1 - share(share(e.get("rf_powered_entries", packing, residency), e.get("rf_held_registers", packing, residency)), written(e))


def saving(energy, packing, residency="static"):
    return lambda e: 1 - e.ratio(energy, packing, residency)


def dearer(e, packing):
    """Energy of the packing logic that it would not take if 57 mW were the whole chip's (docs/CORF.md#energy)."""
    return e.get("pack_logic_energy", packing, "rfv") * (1 - 1 / CLAIMS["CORF-C1", "sms", "", "machine"])


def overhead(packing, residency, *parts, whole, chip=False):
    return lambda e: share(sum(e.get(c, packing, residency) for c in parts) - (dearer(e, packing) if chip else 0), e.get(whole))


def chip_reading(packing):
    return lambda e: 1 - share(e.get("rf_dynamic_energy", packing, "rfv") - dearer(e, packing), e.get("rf_dynamic_energy"))


def figures():
    dynamic, leaks = ("rename_energy", "pack_logic_energy"), ("rename_leakage", "pack_leakage")
    return [
        ("Figure 2: widths of the values of register operations", [
            Column("1 byte", widths(1), "CORF-2", "one_byte_operations", "packing"), Column("2 bytes", widths(2), "", "", ""),
            Column("3 bytes", widths(3), "", "", ""), Column("below 4", widths(1, 2, 3), "CORF-1", "narrow_operations", "packing")]),
        ("Figure 4: instructions that read two registers or more (*multi*)", [
            Column("of instructions", of("multi_operand_instructions", "warp_instructions"), "CORF-3", "multi_operand_instructions", "baseline"),
            Column("of register reads", of("multi_operand_reads", "operand_reads"), "CORF-4", "multi_operand_reads", "baseline"),
            Column("two would fit one entry, of multi", of("coalescable_instructions", "multi_operand_instructions"), "CORF-5", "coalescable_instructions", "packing"),
            Column("first-fit coalesces, of multi", of("coalesced_instructions", "multi_operand_instructions"), "CORF-6", "coalesced_instructions", "first-fit")]),
        ("Figure 6: pairs of the compiler that came to lie in one entry, of those whose registers were both allocated", [
            Column("corf", of("pair_packed", "pair_allocations", "corf"), "", "", ""),
            Column("corf, rfv", of("pair_packed", "pair_allocations", "corf", "rfv"), "CORF-9", "pairs_packed", "corf")]),
        ("Figure 13: coalesced instructions, of multi", [
            Column(title, of("coalesced_instructions", "multi_operand_instructions", p, r), c, "coalesced_instructions", p)
            for title, p, r, c in techniques(("CORF-6", "CORF-7", "CORF-8"))]),
        ("Figure 14: fewer register-file accesses, reads and writes", [
            Column(title, fewer_accesses(p, r), c, "access_reduction", p) for title, p, r, c in techniques(("", "CORF-10", "CORF-11"))]),
        ("Figure 15: IPC gain; harmonic means; *no conflicts*: the baseline with 32 banks and no limit of ports, the most there is to gain", [
            Column(title, gain(p, r), c, "ipc_gain", p, "harmonic") for title, p, r, c in techniques(("", "CORF-12", "CORF-13"))] + [
            Column("no conflicts", gain(FREE, "static"), "", "", "", "harmonic")]),
        ("Figure 16: fewer physical registers than architected ones; *not written*: of these, those that no lane has written yet; *of the written*: fewer than the others", [
            Column("packing", fewer_registers("first-fit", "static"), "CORF-14", "register_reduction", "packing"),
            Column("rfv", fewer_registers("none", "rfv"), "CORF-14", "register_reduction", "rfv"),
            Column("both", fewer_registers("first-fit", "rfv"), "CORF-14", "register_reduction", "packing+rfv"),
            Column("corf, rfv", fewer_registers("corf", "rfv"), "", "", ""), Column("corf++, rfv", fewer_registers("corf++", "rfv"), "", "", ""),
            Column("not written", lambda e: 1 - share(e.get("rf_mapped_registers", "first-fit"), e.get("rf_held_registers", "first-fit")), "", "", ""),
            *(Column(f"of the written, {title}", fewer_than_written(p, r), "", "", "") for title, p, r in (("packing", "first-fit", "static"), ("rfv", "none", "rfv"), ("both", "first-fit", "rfv")))]),
        ("Figure 17: dynamic energy saved, overheads counted", [
            Column(title, saving("rf_dynamic_energy", p, r), c, "dynamic_saving", p) for title, p, r, c in techniques(("", "CORF-15", "CORF-15"))]),
        ("Figure 17: the same if 57 mW were the power of the chip's logic; the overhead of either reading over the baseline's energy", [
            Column(f"{p}, rfv", chip_reading(p), "CORF-15", "dynamic_saving", p) for p in ("corf", "corf++")] + [
            Column("overhead, an SM's", overhead("corf++", "rfv", *dynamic, whole="rf_dynamic_energy"), "CORF-15o", "dynamic_overhead", ""),
            Column("overhead, a chip's", overhead("corf++", "rfv", *dynamic, whole="rf_dynamic_energy", chip=True), "CORF-15o", "dynamic_overhead", "")]),
        ("Figure 18: leakage saved, overheads counted, unused entries switched off; *overhead*: over the baseline", [
            Column("packing", saving("rf_leakage_energy", "first-fit"), "CORF-16", "leakage_saving", "packing"),
            Column("packing, rfv", saving("rf_leakage_energy", "first-fit", "rfv"), "CORF-16", "leakage_saving", "packing+rfv"),
            Column("corf++, rfv", saving("rf_leakage_energy", "corf++", "rfv"), "CORF-16", "leakage_saving", "packing+rfv"),
            Column("overhead, packing", overhead("first-fit", "static", *leaks, whole="rf_leakage_energy"), "CORF-16o", "leakage_overhead", ""),
            Column("entries with an architected register, baseline", of("rf_held_registers", "rf_powered_entries", "none"), "", "", "")]),
        ("Section 6: writes placed anew since the value outgrew its slot", [
            Column("first-fit", of("reallocations", "packed_writes"), "", "", ""), Column("corf", of("reallocations", "packed_writes", "corf"), "", "", ""),
            Column("corf++", of("reallocations", "packed_writes", "corf++"), "", "", ""),
            Column("first-fit, rfv", of("reallocations", "packed_writes", "first-fit", "rfv"), "", "", ""),
            Column("corf, rfv", of("reallocations", "packed_writes", "corf", "rfv"), "CORF-22", "size_reallocations", "corf"),
            Column("number of instructions of a warp", lambda e: e.get("warp_instructions") / e.warps / 100, "", "", "")]),
        ("Figure 19: static code increase", [
            Column("corf", lambda e: e.code[1] / e.code[0], "CORF-17", "code_increase", "corf"), Column("corf++", lambda e: e.code[2] / e.code[0], "", "", "")]),
    ]


TABLE_1 = (("Register packing", "first-fit", "static", "CORF-18", "packing"), ("Packing, virtualization", "first-fit", "rfv", "CORF-19", "packing+rfv"),
           ("CORF", "corf", "rfv", "CORF-20", "corf"), ("CORF++", "corf++", "rfv", "CORF-21", "corf++"))


def ratio(metric, packing, residency):
    """A column of Table 1: over the baseline."""
    return {"ipc": lambda e: e.ratio("ipc", packing, residency), "register_reads": lambda e: e.ratio("rf_reads", packing, residency),
            "dynamic_energy": lambda e: e.ratio("rf_dynamic_energy", packing, residency),
            "register_file_size": lambda e: 1 - fewer_registers(packing, residency)(e)}[metric]


# ---- the paper ----
def read_claims():
    with open("docs/claims.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    bounds = {(r["id"], r["metric"], r["configuration"], r["scope"]): r["bound"] for r in rows}
    return {k: float(r["value"]) for k, r in zip(bounds, rows)}, bounds


CLAIMS, BOUNDS = read_claims()


def claimed(claim, metric, configuration, scope):
    """As text, or empty: the paper does not say."""
    key = claim, metric, configuration, scope
    return f"{dict(zip(('=', '<', '~', '>='), ('', 'below ', 'about ', 'at least ')))[BOUNDS[key]]}{CLAIMS[key]:g}" if key in CLAIMS else ""


# ---- what is written ----
def percent(v):
    return f"{100 * v:.1f}"


def table_1(list_):
    out = ["## Table 1: over the baseline: mean over all examples / 3 : 1 (the paper's)", "",
           line(["technique", "IPC", "register reads", "RF dynamic energy", "RF size", "claim"]), "|---" * 6 + "|"]
    for title, packing, residency, claim, configuration in TABLE_1:
        cells = [title]
        for m in ("ipc", "register_reads", "dynamic_energy", "register_file_size"):
            c = over_baseline(m, packing, residency)
            cells.append(f"{1 + c.mean(list_):.2f} / {1 + c.mixed(list_):.2f} ({claimed(claim, m, configuration, 'all')})")
        out.append(line(cells + [claim]))
    return out


VARIANTS = (
    Variant("as above"), Variant("pairs by matching", ["--pairs=matching", *PAPER]), Variant("alignment by local search (the default)", []),
    Variant("exact alignment", ["--align=exact"]), Variant("weights from a profile", profile=True),
    Variant("profile, matching, exact", ["--pairs=matching", "--align=exact"], profile=True),
    Variant("bytes shed are free at once", machine=["pack_shrink=1"]), Variant("searches begin in the own bank", machine=["pack_search=1"]),
    Variant("8 ports to each bank of the table", machine=["rename_ports=8"]),
    Variant("every fetch hits", machine=["icache_sets=0"]),
    Variant("collectors of the GTX 480: 6, 8 and 2", machine=["collectors=0", "collectors_sp=6", "collectors_sfu=8", "collectors_mem=2"]),
    Variant("16 shared collectors", machine=["collectors=16", "collectors_sp=16", "collectors_sfu=16", "collectors_mem=16"]))


def variant_columns():
    multi = "multi_operand_instructions"
    return [Column("could", of("coalescable_instructions", multi), "", "", ""), Column("first-fit", of("coalesced_instructions", multi), "", "", ""),
            Column("corf", of("coalesced_instructions", multi, "corf", "rfv"), "", "", ""),
            Column("corf++", of("coalesced_instructions", multi, "corf++", "rfv"), "", "", ""),
            Column("pairs packed", of("pair_packed", "pair_allocations", "corf", "rfv"), "", "", ""),
            Column("accesses, corf", fewer_accesses("corf", "rfv"), "", "", ""), Column("corf++", fewer_accesses("corf++", "rfv"), "", "", ""),
            Column("IPC, first-fit", gain("first-fit", "static"), "", "", "", "harmonic"), Column("corf", gain("corf", "rfv"), "", "", "", "harmonic"),
            Column("corf++", gain("corf++", "rfv"), "", "", "", "harmonic"), Column("no conflicts", gain(FREE, "static"), "", "", "", "harmonic")]


def variants(build, names, tmp):
    columns = variant_columns()
    out = ["# What choices change", "", "Written by `make study-corf VARIANTS=1`. Means over 21 examples, percent: instructions of several operands that could be",
           "coalesced, and are, by first-fit, and by CORF and CORF++ with virtualization; pairs packed together; fewer accesses; IPC gain",
           "over the baseline of the same machine ([the same of each example](corf.md)).", "",
           line(["variant", "examples"] + [c.title for c in columns]), "|---" * (len(columns) + 2) + "|"]
    for v in VARIANTS:
        list_ = [Example(build, n, tmp, v) for n in names]
        for group in GROUPS:
            out.append(line([v.title if group == "integer" else "", group] + [percent(c.mean(members(list_, group))) for c in columns]))
    return out


def by_addresses(column, list_, narrow):
    """Means in the paper's proportion over the examples that are there with addresses of 32 bits: with 64 bits, with 32. None: there are none, or not of these configurations."""
    if not narrow:
        return None
    wide = [e for e in list_ if e.name in {n.name for n in narrow}]
    try:
        return column.mixed(wide), column.mixed(narrow)
    except KeyError:
        return None


def narrow_figure(list_, narrow):
    out = ["", f"## Addresses of 32 bits: the {len(narrow)} examples in OpenCL C", "", "Compiled anew for them, as the paper does not say which its programs had; 3 : 1. With 64 bits an address is two registers that are read together,",
           "the upper one narrow.", "", line(["percent", "claim", "paper", "64 bits", "32 bits"]), "|---|---|--:|--:|--:|"]
    seen = set()
    for title, c in ((t, c) for t, columns in figures() for c in columns if c.claim):
        pair, key = by_addresses(c, list_, narrow), (c.claim, c.metric, c.configuration)
        if pair and key not in seen:
            seen.add(key)
            out.append(line([f"{title.split(':')[0]}, {c.title}", c.claim, claimed(*key, "all"), *map(percent, pair)]))
    return out


def say(list_, narrow):
    """What is measured for each claim."""
    said = Measured("corf")
    mixed = "integer and float examples 3 : 1"
    virtual = {"corf": "; with `residency=rfv`", "corf++": "; with `residency=rfv`"}
    bare = {"CORF-9": of("pair_packed", "pair_allocations", "corf"), "CORF-22": of("reallocations", "packed_writes", "corf")}

    def how(c):
        if c.claim in bare:
            return "; with `residency=rfv`, without " + percent(Column("", bare[c.claim], "", "", "").mixed(list_))
        return "" if c.claim == "CORF-17" else virtual.get(c.configuration, "")

    def with_narrow(c):
        pair = by_addresses(c, list_, narrow)
        return f"; the {len(narrow)} in OpenCL C {percent(pair[0])}, with addresses of 32 bits {percent(pair[1])}" if pair else ""
    for c in (c for _, columns in figures() for c in columns if c.claim):
        for group in GROUPS:
            some = members(list_, group)
            if (c.claim, c.metric, c.configuration, group) in CLAIMS and some and (group != "all" or all(members(list_, g) for g in MIX)):
                if (c.claim, c.metric, c.configuration, group) in said.rows:       # the first column of a claim is what stands beside it
                    continue
                number = lambda of: 100 * (c.mixed(of) if group == "all" else c.mean(members(of, group)))
                said.say(c.claim, c.metric, c.configuration, group, number(list_), len(some), (mixed + how(c) + with_narrow(c) if group == "all" else f"{group} examples" + how(c)),
                         of={e.name: 100 * c.value(e) for e in some}, seeds=[number(x) for x in under_seeds(list_)] if c.metric == "ipc_gain" else None)
    for title, packing, residency, claim, configuration in TABLE_1:
        for m in ("ipc", "register_reads", "dynamic_energy", "register_file_size"):
            column = over_baseline(m, packing, residency)
            said.say(claim, m, configuration, "all", 1 + column.mixed(list_), len(list_), mixed + virtual.get(configuration, ""), of={e.name: 1 + column.value(e) for e in list_},
                     seeds=[1 + column.mixed(x) for x in under_seeds(list_)] if m == "ipc" and (packing, residency) in JUDGED else None)
    return said


def over_baseline(metric, packing, residency):
    f = ratio(metric, packing, residency)
    return Column("", lambda e: f(e) - 1, "", "", "", "harmonic" if metric == "ipc" else "arithmetic")


def noise(list_):
    """IPC gains under random delays: mean and deviation of each example's, and of the averages; within the 95 % interval there is none."""
    columns, seeds = [Column(f"{p}, {r}", gain(p, r), "", "", "", "harmonic") for p, r in JUDGED[1:]], under_seeds(list_)

    def cell(values):
        m, h = mean(values), half_width(values)
        return f"{percent(m)} ({percent(stdev(values))})" + ("" if abs(m) > h else ", no change")
    rows = [(e.name, lambda c, n=n: [c.value(some[n]) for some in seeds]) for n, e in enumerate(list_)]
    rows += [(f"**{g}**", lambda c, g=g: [c.mean(members(some, g)) for some in seeds]) for g in GROUPS] + [("**all, 3 : 1**", lambda c: [c.mixed(some) for some in seeds])]
    return ["", f"## Figure 15 again, under random delays: IPC gain, mean (standard deviation) of {len(seeds)} runs", "", "*No change*: 0 lies in the 95 % interval of the mean ([noise](../SAMPLING.md#noise)).", "",
            line(["percent"] + [c.title for c in columns]), "|---" * (len(columns) + 1) + "|"] + [line([name] + [cell(of(c)) for c in columns]) for name, of in rows]


def figure(title, columns, list_):
    out = ["", f"## {title}", "", line(["percent"] + [c.title for c in columns]), "|---" * (len(columns) + 1) + "|"]
    for group in MIX:
        out += [line([e.name] + [percent(c.value(e)) for c in columns]) for e in members(list_, group)]
    for group in GROUPS:
        out.append(line([f"**{group}**"] + [f"**{percent(c.mean(members(list_, group)))}**" for c in columns]))
    out.append(line(["median"] + [percent(median(c.value(e) for e in list_)) for c in columns]))
    out.append(line(["outliers"] + [far({e.name: 100 * c.value(e) for e in list_}) for c in columns]))
    out.append(line(["**all, 3 : 1**"] + [f"**{percent(c.mixed(list_))}**" for c in columns]))
    for group in GROUPS:
        paper = [claimed(c.claim, c.metric, c.configuration, group) for c in columns]
        if any(paper):
            out.append(line([f"paper, {group}"] + paper))
    return out + [line(["claim"] + [c.claim for c in columns])]


HEAD = """# CORF and CORF++ on the examples

Written by `make study-corf` and `make papers`; what differs from the paper, and why, is in [CORF](../CORF_RESULTS.md#what-differs). The machine is `--machine corf`; the baseline
has neither packing nor virtualization. Integer examples come first: {integer}; then float ones, of which at least a tenth of the instructions
executed compute in floating point: {float}. CORF++ has the paper's heuristic (`--align=paper`). Means are over examples, unweighted; *3 : 1* weighs the means of the two groups as the paper's
averages do; *paper* is its average over twenty benchmarks ([claims.csv](../claims.csv)). The counters behind it are in [corf.csv](corf.csv).

![Register-file accesses](corf.svg)

"""


def write(path, lines):
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def write_csv(path, list_):
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["example", "group", "float_share", "packing", "residency", *COUNTERS])
        for e in list_:
            for (packing, residency), c in e.c.items():
                w.writerow([e.name, e.group, f"{e.float_share:.4f}", packing, residency] + [f"{c[k]:.10g}" for k in COUNTERS])


def draw(path, list_):
    """Register-file accesses of each example with virtualization, reads below and writes above, over the baseline's."""
    blocks, plots = [], []
    for i, (p, colour) in enumerate(zip(PACKINGS[1:], ("#9db8d9", "#1f5fa8", "#c8692b"))):
        blocks.append([f"{n + 0.27 * (i - 1):.2f} {share(e.get('rf_reads', p, 'rfv'), accesses(e, 'none')):.4f} "
                       f"{share(accesses(e, p, 'rfv'), accesses(e, 'none')):.4f}" for n, e in enumerate(list_)])
        plots.append(f"$d{i} using 1:3 with boxes fs solid 0.25 lc rgb '{colour}' title '{p}: reads and writes'")
        plots.append(f"$d{i} using 1:2 with boxes fs solid 1 lc rgb '{colour}' title '{p}: reads'")
    tics = ", ".join(f"'{e.name}' {n}" for n, e in enumerate(list_))
    gnuplot(path, "1000,420", ["set ylabel 'register-file accesses over the baseline'", "set boxwidth 0.25", f"set xtics ({tics}) rotate by -40 scale 0",
                               "set yrange [0:1.1]", f"set xrange [-0.6:{len(list_) - 0.4}]", "set grid ytics",
                               "set key outside top center horizontal"], blocks, plots)


def main():
    build, folder, flags = arguments("quick", "variants")
    quick, vary = "quick" in flags, "variants" in flags
    names = examples(build, QUICK if quick else None)
    with tempfile.TemporaryDirectory() as tmp:
        if vary:
            write(f"{folder}/corf_variants.md", variants(build, [n for n in names if n in VARIED], tmp))
            return
        found = measured(build, "corf quick" if quick else "corf", lambda: each(lambda job: Example(build, job[0], tmp, bits=job[1]), [(n, 64) for n in names] + [(n, 32) for n in names if in_opencl(n) and not quick]))
    list_, narrow = found[:len(names)], found[len(names):]
    for e in narrow:    # in the group that it has with 64 bits
        e.float_share = next(x.float_share for x in list_ if x.name == e.name)
    list_.sort(key=lambda e: (e.group != "integer", e.name))
    text = table_1(list_)
    for f in figures():
        text += figure(*f, list_)
    text += noise(list_)
    if narrow:
        text += narrow_figure(list_, narrow)
    if not folder:
        print("\n".join(text))
        return
    write(f"{folder}/corf.md", [HEAD.format(**{g: ", ".join(e.name for e in list_ if e.group == g) for g in ("integer", "float")})] + text)
    write_csv(f"{folder}/corf.csv", list_)
    draw(f"{folder}/corf.svg", list_)
    say(list_, narrow).write(folder, "corf")


if __name__ == "__main__":
    main()
