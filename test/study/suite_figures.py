"""What suite.py has timed, and its tables: each claim that needs no more than counters, for the programs of the suite beside the paper's number and our examples'. The figures of a program are
those functions that give our examples' too. Averages are arithmetic over programs, but CORF's over all, which are the paper's mixture of its two groups (corf.py)."""
import csv, math
import corf, gscalar_figures as gs, hierarchy_figures as hrf, wir_figures as wir
from papers import verdict
from tables import line, mean, number

GROUPS = {"corf": "CORF", "hierarchical-rf": "Hierarchical register file", "regmutex": "RegMutex", "g-scalar": "G-Scalar", "wir": "WIR"}
HALF = "rf_registers=16384"
RM = {"static": "baseline", "owf": "owf", "rfv": "rfv-shared", "regmutex": "regmutex", "regmutex-paired": "regmutex-paired"}
ON = lambda machine, designs: {f"{machine}: {name}": f"{text},machine={machine}" for name, text in designs.items()}
# Executions of a program: options, {configuration: text}. Each claim as of our examples: CORF++'s alignment by the paper's heuristic, the hierarchy on the PTX as it is, RegMutex's sizes by the paper's rule.
PASSES = (
    (corf.PAPER, {**ON("corf", {**{f"{p} {r}": f"packing={p},residency={r}" for p in corf.PACKINGS for r in corf.RESIDENCIES}, corf.FREE: "rf_banks=32,oc_ports=0"}),
          **ON("g-scalar", {"baseline": "baseline", "alu-scalar": "alu-scalar", "g-scalar": "g-scalar"}),
          **ON("wir", {"base": "baseline", "novsb": "wir-novsb", "rl": "wir-rl", "rlp": "wir-rlp", "rlpv": "wir-rlpv", "rpv": "wir-rpv", "affine": "affine", "affine+rlpv": "affine+wir-rlpv",
                       wir.NARROW: "wir-rlpv,reuse_field_bits=10"})}),
    (("--machine", "hierarchical-rf", *hrf.FORMS[hrf.PTX]), ON("hierarchical-rf", {"none": "hierarchy=none", **{f"{d} {n}": f"hierarchy={d},rf_l1_entries={n}" for d, n in hrf.BEST.items()}})),
    (("--machine", "regmutex", "--regmutex=paper"), ON("regmutex", {f"full {d}": c for d, c in RM.items()})),
    (("--machine", "regmutex", "--set", HALF, "--regmutex=paper"), ON("regmutex", {f"half {d}": f"{c},{HALF}" for d, c in RM.items()})))


# ---- what was measured ----
class View:
    """A program under the configurations of one machine, all its kernels together, or one of them."""

    def __init__(self, name, kernels, machine):
        self.name, self.by = name, {}
        of = [{n[len(machine) + 2:]: c for n, c in k["c"].items() if n.startswith(f"{machine}: ")} for k in kernels]
        of = [k for k in of if k]        # without those that the machine has no room for
        for design in of[0] if of else ():
            if all(design in k for k in of):
                self.by[design] = {m: sum(k[design][m] or 0 for k in of) for m in of[0][design]}

    def get(self, counter, design="none"):
        return self.by[design][counter]

    def has(self, design):
        return design in self.by


class Packed:
    """As corf.py's columns want it."""

    def __init__(self, view):
        self.c = {(p, r): view.by[f"{p} {r}"] for p in corf.PACKINGS for r in corf.RESIDENCIES if view.has(f"{p} {r}")}
        of = self.c["none", "static"]
        self.float_share = sum(of[f"lanes_{u}"] for u in ("fp", "fmul", "fdiv", "dp", "ddiv", "sfu")) / of["thread_instructions"]

    group = corf.Example.group
    get, ratio = corf.Example.get, corf.Example.ratio


def per_watt(view):
    """Sums have no rates: of one the other."""
    for c in view.by.values():
        c["ipc_per_watt"] = c["warp_instructions"] / c["gpu_energy"]
    return view


class Program:
    """corf, hierarchy, gscalar, wir: what their figures want; limited[file]: kernels whose CTAs registers alone keep off an SM."""

    def __init__(self, name, what, result):
        self.name, self.papers, self.judged = name, what["papers"], result["judged"]
        self.counted = result.get("counted", "")
        first, ordered, full, half = ({k: v for k, v in p.items() if v["c"]} for p in result["passes"])
        every = lambda p, machine: View(name, list(p.values()), machine)
        packed = every(first, "corf")
        for c in packed.by.values():
            c["ipc"] = c["warp_instructions"] / c["cycles"]
        self.corf, self.wir, self.gscalar, self.hierarchy = Packed(packed), every(first, "wir"), per_watt(every(first, "g-scalar")), every(ordered, "hierarchical-rf")
        self.launches = sum(len(k["launches"]) for k in first.values())
        self.instructions = self.wir.get("warp_instructions", "base")
        self.limited = {"full": [], "half": []}
        for k in full:
            file = next((f for f, n in (("full", 32768), ("half", 16384)) if limited(full[k]["launches"], n)), None)
            if file and k in half:
                both = View(k, [{"c": {**full[k]["c"], **half[k]["c"]}}], "regmutex")
                self.limited[file].append(both)


def limited(launches, file):
    """Do registers let fewer CTAs onto an SM of --machine regmutex than threads, CTAs and shared memory do, in a launch that has more than 15 SMs take?"""
    for ctas, threads, registers, shared in launches:
        warps = -(-threads // 32)
        others = min(8, 48 // warps, 49152 // shared if shared else 8)
        room = file // (-(-registers // 4) * 4 * 32 * warps)
        if room < others and ctas > 15 * room:
            return True
    return False


# ---- figures ----
class Figure:
    """A claim, its value of a program (None: it has none) and how programs are averaged."""

    def __init__(self, paper, key, value, average=mean):
        self.paper, self.key, self.value, self.average = paper, key, value, average

    def of(self, program):
        try:
            return self.value(program)
        except (KeyError, ZeroDivisionError):
            return None


def corf_figures():
    seen = set()
    for _, columns in corf.figures():
        for c in columns:
            key = c.claim, c.metric, c.configuration, "all"
            if not c.claim or key in seen or c.metric == "code_increase":
                continue
            seen.add(key)
            groups = {"all": lambda ps, c=c: 100 * c.mixed([p.corf for p in ps])} if c.claim not in ("CORF-10", "CORF-11", "CORF-12", "CORF-13") else {
                "all": lambda ps, c=c: 100 * c.mixed([p.corf for p in ps]), **{g: lambda ps, c=c, g=g: 100 * c.mean([p.corf for p in ps if p.corf.group == g]) for g in ("integer", "float")}}
            for scope, average in groups.items():
                yield Figure("corf", (*key[:3], scope), lambda p, c=c, g=scope: 100 * c.value(p.corf) if g in ("all", p.corf.group) else None, average)


def regmutex_figure(id_, metric, configuration, scope, file, sign, design):
    def value(p):
        ks = [k for k in p.limited[file] if k.has("full static") and k.has(design)]
        return mean([sign * 100 * (1 - k.get("cycles", design) / k.get("cycles", "full static")) for k in ks]) if ks else None
    return Figure("regmutex", (id_, metric, configuration, scope), value)


def others():
    best = {d: f"{d} {n}" for d, n in hrf.BEST.items()}
    share = lambda a, b="none": lambda p: hrf.share(p.hierarchy.get(a, b), p.hierarchy.get("warp_instructions"))
    yield Figure("hierarchical-rf", ("HRF-9", "operand_reads", "", "all"), share("operand_reads"))
    yield Figure("hierarchical-rf", ("HRF-9", "operand_writes", "", "all"), share("operand_writes"))
    for id_, d in (("HRF-7", "rfc"), ("HRF-7", "orf"), ("HRF-8", "rfc2"), ("HRF-8", "split-lrf+orf")):
        yield Figure("hierarchical-rf", (id_, "energy_saving", d, "all"), lambda p, d=d: 100 * hrf.saving(best[d])(p.hierarchy))
    yield Figure("hierarchical-rf", ("HRF-12", "l0_reads", "lrf+orf", "all"), lambda p: 100 * hrf.reads(p.hierarchy, best["lrf+orf"])[2])
    for id_, d in (("RM-1", "regmutex"), ("RM-3", "owf"), ("RM-3", "rfv"), ("RM-3", "regmutex"), ("RM-5", "regmutex-paired")):
        yield regmutex_figure(id_, "cycle_reduction", d, "average" if id_ == "RM-1" else "full", "full", 1, f"full {d}")
    for id_, d in (("RM-2", "static"), ("RM-2", "regmutex"), ("RM-4", "static"), ("RM-4", "owf"), ("RM-4", "rfv"), ("RM-4", "regmutex"), ("RM-6", "regmutex-paired")):
        yield regmutex_figure(id_, "cycle_increase", d, "half", "half", -1, f"half {d}")
    g = lambda id_, metric, configuration, value, scope="average", of=None: Figure("g-scalar", (id_, metric, configuration, scope), lambda p: value(p.gscalar) if of in (None, p.name) else None)
    part = lambda c, of, d="g-scalar": lambda x: 100 * x.get(c, d) / x.get(of, d)
    yield g("GS-1", "divergent_share", "baseline", part("divergent_instructions", "warp_instructions"))
    yield g("GS-1", "divergent_scalar_share", "g-scalar", part("scalar_divergent", "divergent_instructions"))
    for n in (4, 3, 2, 1):
        yield g("GS-2", f"read_same{n}", "baseline", part(f"read_same{n}", "rf_operand_reads"))
    yield g("GS-3", "eligible", "alu-scalar", lambda x: gs.eligible(x, "alu-scalar"))
    yield g("GS-3", "eligible_sfu_mem", "g-scalar", lambda x: gs.shares(x)[1] + gs.shares(x)[2])
    yield g("GS-3", "eligible_half", "g-scalar", lambda x: gs.shares(x)[3])
    yield g("GS-3", "eligible_divergent", "g-scalar", lambda x: gs.shares(x)[4])
    yield g("GS-3", "eligible", "g-scalar", lambda x: gs.eligible(x, "g-scalar"))
    yield g("GS-3", "eligible_half", "g-scalar", lambda x: gs.shares(x)[3], "BP", "backprop")
    yield g("GS-5", "efficiency", "g-scalar", lambda x: gs.gain(x, "g-scalar"), "baseline")
    yield g("GS-5", "efficiency", "g-scalar", lambda x: gs.gain(x, "g-scalar", "alu-scalar"), "alu-scalar")
    for scope, name in (("BP", "backprop"), ("LBM", "lbm")):
        yield g("GS-6", "efficiency", "g-scalar", lambda x: gs.gain(x, "g-scalar"), scope, name)
    for d in ("alu-scalar", "g-scalar"):
        yield g("GS-7", "rf_power_reduction", d, lambda x, d=d: 100 * (1 - gs.rf_power(x, d)))
    yield g("GS-9", "ipc_loss", "g-scalar", lambda x: gs.loss(x, "g-scalar"))
    yield g("GS-10", "moves", "g-scalar", lambda x: gs.moves(x, "g-scalar"))
    for scope, name in (("HS", "hotspot"), ("LBM", "lbm")):
        yield g("GS-11", "eligible_divergent", "g-scalar", lambda x: gs.shares(x)[4], scope, name)
    w = lambda id_, metric, configuration, value: Figure("wir", (id_, metric, configuration, "average"), lambda p: value(p.wir))
    yield w("WIR-3", "reused", "wir-rlpv", lambda x: wir.reused(x, wir.NARROW))
    yield w("WIR-4", "dummy_moves", "wir-rlpv", lambda x: wir.moves(x, wir.NARROW))
    for c, d in (("wir-rlpv", wir.NARROW), ("affine", "affine"), ("affine+wir-rlpv", "affine+rlpv")):
        yield w("WIR-5", "sm_saving", c, lambda x, d=d: wir.saving(x, d, "sm_energy"))
    for c, d in (("wir-rpv", "rpv"), ("wir-rlpv", wir.NARROW)):
        yield w("WIR-6", "gpu_saving", c, lambda x, d=d: wir.saving(x, d, "gpu_energy"))
    yield w("WIR-7", "reused", "wir-novsb", lambda x: wir.reused(x, "novsb"))
    yield Figure("wir", ("WIR-8", "memory_removed", "wir-rlpv", "best"), lambda p: wir.fewer(p.wir, "mem_instructions", "rlpv", "rpv") or 0, lambda ps: max(wir.fewer(p.wir, "mem_instructions", "rlpv", "rpv") or 0 for p in ps))
    yield Figure("wir", ("WIR-9", "more_hits", "wir-rlp", "average"), lambda p: 100 * (wir.reused(p.wir, "rlp") / wir.reused(p.wir, "rl") - 1), lambda ps: wir.ratio_of_means([p.wir for p in ps], "rlp", "rl", wir.reused))
    yield w("WIR-11", "verified_writes", "wir-rlp", lambda x: wir.verified(x, "rlp"))
    yield w("WIR-14", "reused", "256 entries", lambda x: wir.reused(x, wir.NARROW))


FIGURES = [*corf_figures(), *others()]


def averaged(figure, programs):
    """Over programs, and of how many; None: of none."""
    some = [p for p in programs if figure.of(p) is not None]
    if not some:
        return None, 0
    try:
        return (mean([figure.of(p) for p in some]) if figure.average is mean else figure.average(some)), len(some)
    except ZeroDivisionError:           # one of CORF's groups is empty
        return mean([figure.of(p) for p in some]), len(some)


# ---- the page ----
HEAD = """# The papers' own programs

Written by `make study-suite SUITE="RODINIA PARBOIL"` ([how](README.md#the-papers-own-programs)): {n} programs of Rodinia 3.1 and Parboil, compiled by nvcc for compute capability 7.5, as they are but for their sizes, on inputs
that `test/study/suite/inputs.py` makes. Neither their sources nor their data are in this repository. Each row of the tables below is a claim of a paper ([claims.csv](../claims.csv)) that counters of a timed run can answer;
*examples*: our examples, from [papers](papers.md); *suite*: the mean over the programs that have a value; *the paper's own*: over those of them that the paper measured too. Behind them: [suite.csv](suite.csv).
A **bold** number has another verdict than the examples' ([by the rule of papers](papers.md)). CORF++ has the paper's alignment (`--align=paper`), the hierarchy the PTX as it is (`{ptx}`), RegMutex the paper's rule for its extended sets (`--regmutex=paper`).

"""


def digits(v):
    return number(v, 2 if v is not None and abs(v) < 10 else 1)


def programs_table(programs):
    rows = [line(["program", "measured by", "launches", "warp instructions", "results judged by", "counted anew from records"]), "|---|---|--:|--:|---|---|"]
    return rows + [line([p.name, ", ".join(GROUPS[x] for x in p.papers), str(p.launches), f"{p.instructions / 1e6:.2f} M", p.judged, p.counted]) for p in programs] + [""]


def each_program(programs):
    chosen = {"eligible, %": ("GS-3", "eligible", "g-scalar", "average"), "of these divergent": ("GS-3", "eligible_divergent", "g-scalar", "average"), "RF power saved, G-Scalar": ("GS-7", "rf_power_reduction", "g-scalar", "average"),
              "reused, %": ("WIR-3", "reused", "wir-rlpv", "average"), "SM energy saved, WIR": ("WIR-5", "sm_saving", "wir-rlpv", "average"), "energy saved: RFC": ("HRF-7", "energy_saving", "rfc", "all"),
              "ORF": ("HRF-7", "energy_saving", "orf", "all"), "split LRF": ("HRF-8", "energy_saving", "split-lrf+orf", "all"), "coalesced, CORF++": ("CORF-8", "coalesced_instructions", "corf++", "all"),
              "accesses fewer": ("CORF-11", "access_reduction", "corf++", "all"), "IPC gain": ("CORF-13", "ipc_gain", "corf++", "all"), "cycles fewer, RegMutex": ("RM-3", "cycle_reduction", "regmutex", "full")}
    of = {f.key: f for f in FIGURES}
    rows = [line(["program", *chosen]), "|---" + "|--:" * len(chosen) + "|"]
    return rows + [line([p.name] + [number(of[k].of(p)) for k in chosen.values()]) for p in programs] + [""]


def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def write(programs, folder):
    import glob
    claims = {tuple(r[k] for k in ("id", "metric", "configuration", "scope")): r for r in rows_of("docs/claims.csv")}
    examples = {tuple(r[k] for k in ("id", "metric", "configuration", "scope")): float(r["ours"]) for path in glob.glob("docs/results/*.claims.csv") for r in rows_of(path)}
    text, table, moved, counted = [], [], [], 0
    for paper, title in GROUPS.items():
        text += [f"## {title}", "", line(["claim", "what", "configuration", "the paper", "examples", "suite", "programs", "the paper's own", "programs", "verdict: examples", "suite"]), "|---|---|---|" + "--:|" * 6 + "---|---|"]
        for f in (f for f in FIGURES if f.paper == paper):
            c = {**claims[f.key], "most": ""}
            value, n = averaged(f, programs)
            own, m = averaged(f, [p for p in programs if paper in p.papers])
            table += [[*f.key, p.name, f"{f.of(p):.6g}"] for p in programs if f.of(p) is not None]
            if value is None:
                continue
            table += [[*f.key, which, f"{v:.6g}"] for which, v in (("mean", value), ("mean of the paper's own", own)) if v is not None]
            judged = [verdict(c, v) if v is not None else "" for v in (examples.get(f.key), value)]
            counted += 1
            if judged[0] and judged[0] != judged[1]:
                moved.append(f"{f.key[0]} {f.key[1].replace('_', ' ')} ({', '.join(x for x in f.key[2:] if x)}): {judged[0]} -> {judged[1]}")
            mark = "**" if judged[0] and judged[0] != judged[1] else ""
            text.append(line([f.key[0], f.key[1].replace("_", " "), ", ".join(x for x in f.key[2:] if x not in ("", "all", "average")), f"{c['bound'] if c['bound'] != '=' else ''}{c['value']}", digits(examples.get(f.key)),
                              f"{mark}{digits(value)}{mark}", str(n), digits(own), str(m) if m else "", *judged]))
        text.append("")
    text += [f"## Verdicts that move: {len(moved)} of {counted}", "", *(f"- {m}" for m in moved), ""]
    head = HEAD.format(n=len(programs), ptx=" ".join(hrf.FORMS[hrf.PTX]))
    with open(f"{folder}/suite.md", "w") as f:
        f.write(head + "\n".join(["## Programs", "", *programs_table(programs), "## Each program", "", *each_program(programs), *text]))
    with open(f"{folder}/suite.csv", "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([["id", "metric", "configuration", "scope", "program", "value"], *table])
