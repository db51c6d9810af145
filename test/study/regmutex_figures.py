"""The tables of regmutex.py: what they show of a kernel, and of all of them beside the paper's claims. A kernel has get(counter,
configuration), facts[file] and sized[size], what annotating says. Averages are arithmetic over kernels, as the paper's."""
from common import Measured, read_claims, under_seeds
from tables import far, geometric, line, mean, median, number, table

CLAIMS = read_claims("regmutex")
NAMES = {"static": "none", "owf": "OWF", "rfv": "RFV", "regmutex": "RegMutex", "paired": "paired", "bound": "twice the registers", "least": "least registers"}
CLAIMED = {"static": "static", "owf": "owf", "rfv": "rfv", "regmutex": "regmutex", "paired": "regmutex-paired"}
BASE = "full static"
BFS = "octree"
EIGHT = {"full": "octree cutcp dwt2d hotspot3d normals particlefilter radixsort motion".split(),         # that stand for Table I's (docs/REGMUTEX.md)
         "half": "mergesort spmv srad tridiagonal sobel conv lud sad".split()}

HEAD = """# Registers shared between warps, on the examples

Written by `make study-regmutex` and `make papers`; rules and choices are in [RegMutex](../REGMUTEX.md), what differs from the paper and why [there](../REGMUTEX_RESULTS.md#what-differs). The machine is
`--machine regmutex`, a GTX 480 with 32768 registers of 32 bits an SM, and for *half* the same with `rf_registers=16384`; kernels are annotated for it and for their CTAs. Rows are the kernels whose
occupancy registers limit, and whose launch has more CTAs than they let in: with the whole file (the paper's first eight; ours {full}), or with half of it alone (the paper's other eight; ours {half}). Every average is the arithmetic
mean over those rows of what is normalised to the kernel on the whole file with nothing shared, as in the paper; *claim* is the paper's number, from [claims.csv](../claims.csv). *Least registers* is the fair baseline: nothing shared, but as few registers as nothing is spilled
with (`ptx-annotate --maxreg=least`); our scheduler takes more where that lets loads stand further from their uses. Counters behind
the tables are in [regmutex.csv](regmutex.csv).

![What sharing changes](regmutex.svg)

Bars are cut at 50 % fewer and 100 % more.

"""


# ---- of one kernel ----
def label(k):
    return f"{k.example}, `{k.name}`"


def shorter(k, c):
    """Cycles that c saves, in percent of the baseline's; below 0: it takes more."""
    return 100 * (1 - k.get("cycles", c) / k.get("cycles", BASE))


def success(k, c):
    """In percent; None: nothing is acquired."""
    tries = k.get("rf_acquires", c) - k.get("rf_acquires_held", c)
    return 100 * k.get("rf_acquires_first", c) / tries if tries else None


def waited(k, c):
    """Of the time that warps are resident."""
    return 100 * k.get("rf_acquire_wait_cycles", c) / k.get("resident_warp_cycles", c)


def shared(k, file):
    return k.facts[file]["extended"] > 0


def warps(k, file, paired=False):
    """Warps of an SM by the compiler: before, with RegMutex."""
    f = k.facts[file]
    return f["warps"], f["chosen"]["paired_warps" if paired else "warps"] if f["chosen"] else f["warps"]


# ---- text ----
def claim(id_, metric, configuration, scope):
    return f"{CLAIMS[id_, metric, configuration, scope][0]:g}"


def means(ks, file):
    """What averages are of: all, and parts of them if there are any."""
    some, eight = [k for k in ks if shared(k, file)], [k for k in ks if k.example in EIGHT[file]]
    acquire = [k for k in ks if k.has(f"{file} regmutex") and k.get("rf_acquires", f"{file} regmutex")]
    return [(f"mean of {len(ks)}", ks)] + [(f"of the {len(part)} {what}", part) for what, part in (("with an extended set", some), ("that acquire", acquire), ("that stand for Table I's", eight)) if part]


# ---- figures ----
def table_one(ks):
    rows = []
    for k in ks:
        for file in ("full", "half"):
            f = k.facts[file]
            if f["limit"] != "registers":
                continue
            sizes = ", ".join(f"{s['extended']}: {s['warps']} warps, {s['sections']} sections" + ("" if s["legal"] else f" ({s['why']})") for s in f["sizes"])
            rows.append([label(k), file, str(k.block), f"{f['asked']} ({f['registers']})", str(k.least) if k.limited == file else "", str(f["base"]), str(f["warps"]),
                         str(warps(k, file)[1]), sizes or f["reason"]])
    return table(["kernel", "file", "threads of a CTA", "registers (rounded)", "least without spills", "base set", "warps before", "after", "candidates: extended set"], rows)


def figure_7_8(ks, file):
    mine = [k for k in ks if k.limited == file]
    c, rows = f"{file} regmutex", []
    sign = 1 if file == "full" else -1
    for k in mine:
        before, after = warps(k, file)
        rows.append([label(k), f"{before} / {after}", f"{k.get('resident_warps', f'{file} static'):.1f} / {k.get('resident_warps', c):.1f}"]
                    + ([number(-shorter(k, "half static"))] if file == "half" else []) + [number(sign * shorter(k, c)), number(success(k, c)), number(waited(k, c)),
                    f"{100 * k.get('l1_hit_rate', f'{file} static'):.0f} / {100 * k.get('l1_hit_rate', c):.0f}"])
    for what, some in means(mine, file):
        rows.append([f"**{what}**", "", ""] + ([number(mean([-shorter(k, "half static") for k in some]))] if file == "half" else [])
                    + [f"**{number(mean([sign * shorter(k, c) for k in some]))}**", number(mean([success(k, c) for k in some])), number(mean([waited(k, c) for k in some])), ""])
    if file == "full":
        rows.append(["claim", "", "", f"{claim('RM-1', 'cycle_reduction', 'regmutex', 'average')}, best {claim('RM-1', 'cycle_reduction', 'regmutex', 'most')}", "", "", ""])
    else:
        rows.append(["claim", "", "", claim("RM-2", "cycle_increase", "static", "half"), claim("RM-2", "cycle_increase", "regmutex", "half"), "", "", ""])
    return table(["kernel", "warps by the compiler", "resident, mean"] + (["more cycles, nothing shared, %", "more cycles, RegMutex, %"] if file == "half" else ["fewer cycles, %"])
                 + ["acquires that succeed at once, %", "resident time spent waiting, %", "L1 hits, %"], rows)


def figure_9(ks, file):
    mine = [k for k in ks if k.limited == file]
    sign, designs = (1, ("owf", "rfv", "regmutex", "paired")) if file == "full" else (-1, ("static", "owf", "rfv", "regmutex", "paired"))
    id_, metric = ("RM-3", "cycle_reduction") if file == "full" else ("RM-4", "cycle_increase")
    cell = lambda k, d: sign * shorter(k, f"{file} {d}") if k.has(f"{file} {d}") else None
    designs += ("least", "bound") if file == "full" else ("least",)
    rows = [[label(k)] + [number(cell(k, d)) for d in designs] for k in mine]
    rows += [[f"**{what}**"] + [f"**{number(mean([cell(k, d) for k in some]))}**" for d in designs] for what, some in means(mine, file)]
    for what, some in dict(means(mine, file)[i] for i in (0, -1)).items():
        kept = lambda d: [100 - sign * v for v in (cell(k, d) for k in some) if v is not None]         # cycles, percent of the baseline's
        rows += [[f"median {what.removeprefix('mean ')}"] + [number(median([cell(k, d) for k in some])) for d in designs],
                 [f"geometric mean, {what.removeprefix('mean ')}"] + [number(sign * (100 - geometric(kept(d)))) if kept(d) else "" for d in designs],
                 [f"outliers {what.removeprefix('mean ')}"] + [far({k.example: cell(k, d) for k in some}) for d in designs]]
    paired = claim("RM-5" if file == "full" else "RM-6", metric, "regmutex-paired", file)
    rows.append(["claim"] + [paired if d == "paired" else claim(id_, metric, CLAIMED[d], file) if d in CLAIMED else "" for d in designs])
    return table(["kernel"] + [NAMES[d] for d in designs], rows)


def sizes_table(ks, sizes, cell):
    rows = []
    for k in ks:
        picked = k.facts["full"]["extended"]
        rows.append([label(k)] + [("**" if s == picked else "") + cell(k, s) + ("**" if s == picked else "") if s in k.sized else "-" for s in sizes]
                    + [f"{picked}: {cell(k, None)}" if picked and picked not in sizes else ""])
    return table(["kernel"] + [str(s) for s in sizes] + ["chosen, if another"], rows)


def figures_10_11(ks, sizes):
    mine = [k for k in ks if k.limited == "full"]
    at = lambda s: f"full regmutex {s}" if s else "full regmutex"
    facts = lambda k, s: (k.sized[s] if s else k.facts["full"])["chosen"]
    out = ["Fewer cycles, %; the chosen size in bold; -: not legal, or no more than the kernel has.", ""] + sizes_table(mine, sizes, lambda k, s: number(shorter(k, at(s))))
    out += ["Occupancy: warps of 48, by the compiler.", ""] + sizes_table(mine, sizes, lambda k, s: str(facts(k, s)["warps"]))
    out += ["Acquires that succeed at once, %; none: all values have room in the base set, and nothing is acquired.", ""] + sizes_table(mine, sizes, lambda k, s: number(success(k, at(s))) or "none")
    best = [(k, max([(shorter(k, at(s)), s) for s in k.sized] + ([(shorter(k, at(None)), k.facts["full"]["extended"])] if shared(k, "full") else [(0.0, 0)]))) for k in mine]
    hit = sum(b[1] == k.facts["full"]["extended"] for k, b in best)
    lost = mean([b[0] - shorter(k, at(None)) for k, b in best])
    return out + [f"The chosen size is the best of those for {hit} of {len(mine)} kernels; on average the best one saves {number(lost)} % of the cycles more.", ""]


def figures_12_13(ks):
    rows = []
    for file in ("full", "half"):
        for k in (k for k in ks if k.limited == file and shared(k, file)):
            c, p = f"{file} regmutex", f"{file} paired"
            sign = 1 if file == "full" else -1
            rows.append([label(k), file, " / ".join(map(str, warps(k, file))), str(warps(k, file, True)[1]), number(sign * shorter(k, c)), number(sign * shorter(k, p)),
                         number(success(k, c)), number(success(k, p)), number(waited(k, c)), number(waited(k, p))])
    for file in ("full", "half"):
        some = [k for k in ks if k.limited == file and shared(k, file)]
        sign = 1 if file == "full" else -1
        v = lambda f, d: number(mean([f(k, f"{file} {d}") for k in some]))
        rows.append([f"**mean of {len(some)}**", file, "", "", number(mean([sign * shorter(k, f"{file} regmutex") for k in some])),
                     number(mean([sign * shorter(k, f"{file} paired") for k in some])), v(success, "regmutex"), v(success, "paired"), v(waited, "regmutex"), v(waited, "paired")])
    rows.append(["claim", "full", "", "", claim("RM-1", "cycle_reduction", "regmutex", "average"), claim("RM-5", "cycle_reduction", "regmutex-paired", "full")] + [""] * 4)
    rows.append(["claim", "half", "", "", claim("RM-2", "cycle_increase", "regmutex", "half"), claim("RM-6", "cycle_increase", "regmutex-paired", "half")] + [""] * 4)
    return ["Full: fewer cycles, half: more.", ""] + table(["kernel", "file", "warps", "paired", "cycles, RegMutex, %", "paired", "acquires at once, RegMutex, %", "paired",
                                                             "waiting, RegMutex, %", "paired"], rows)


def overhead(ks):
    rows, all_ = [], []
    for k in ks:
        file = k.limited
        if not shared(k, file):
            continue
        f, c = k.facts[file], f"{file} regmutex"
        more = 100 * (k.get("warp_instructions", c) / k.get("warp_instructions", BASE) - 1)
        others = [(shorter(k, f"{file} regmutex {o}") - shorter(k, c), 100 * (k.get("warp_instructions", f"{file} regmutex {o}") / k.get("warp_instructions", BASE) - 1),
                   success(k, f"{file} regmutex {o}")) for o in ("place=paper", "liveness=paper")]
        energy = 100 * (k.get("rf_dynamic_energy", c) / k.get("rf_dynamic_energy", BASE) - 1)
        leakage = 100 * (k.get("rf_leakage_energy", c) / k.get("rf_leakage_energy", BASE) - 1)
        static = f["variant"]
        all_.append((more, *[x for o in others for x in o[:2]], energy, leakage))
        rows.append([label(k), file, f"{static['acquires']} / {static['releases']} / {static['moves']}", f"{more:.2f}"]
                    + [x for o in others for x in (f"{o[1]:.2f}", f"{o[0]:+.1f}")] + [f"{energy:+.1f}", f"{leakage:+.1f}"])
    if all_:
        m = [sum(a[i] for a in all_) / len(all_) for i in range(len(all_[0]))]
        rows.append(["**mean**", "", "", f"**{m[0]:.2f}**", f"{m[2]:.2f}", f"{m[1]:+.1f}", f"{m[4]:.2f}", f"{m[3]:+.1f}", f"{m[5]:+.1f}", f"{m[6]:+.1f}"])
    return ["Instructions put in (static: acquires / releases / moves; executed: percent more), and what the paper's own ways change: placement right around each region, and liveness that is "
            "conservative about branches, in points of the cycles saved. Energy of the register file, percent more than with nothing shared on the whole file.", ""] + \
        table(["kernel", "file", "static", "executed, %", "place=paper: executed", "cycles", "liveness=paper: executed", "cycles", "dynamic energy, %", "leakage, %"], rows)


def say(ks, bits, named, example):
    """What is measured for each claim. named: {kernel of Table I: facts of the one of ours with its name}; example: {extended set: sections} of section III-A2."""
    said = Measured("regmutex")
    for file, sign in (("full", 1), ("half", -1)):
        mine = [k for k in ks if k.limited == file]
        eight = [k for k in mine if k.example in EIGHT[file]]
        named_as = lambda k: k.example if sum(o.example == k.example for o in mine) == 1 else f"{k.example} {k.name}"
        value = lambda d, some=eight: {named_as(k): sign * shorter(k, f"{file} {d}") for k in some if k.has(f"{file} {d}")}
        average = lambda d, some=eight: mean(value(d, some).values())
        judged = lambda d: {"n": len(value(d)), "what": what, "of": value(d), "seeds": [average(d, some) for some in under_seeds(eight)] if value(d) else None}
        what = "kernels that stand for Table I's (`--regmutex=paper`)"
        metric = "cycle_reduction" if file == "full" else "cycle_increase"
        for id_, designs in (("RM-3", ("owf", "rfv", "regmutex")), ("RM-5", ("paired",))) if file == "full" else (("RM-2", ("static", "regmutex")), ("RM-4", ("static", "owf", "rfv", "regmutex")), ("RM-6", ("paired",))):
            for d in designs:
                said.say(id_, metric, CLAIMED[d], file, average(d), **judged(d))
        if file == "full":
            acquire = [k for k in eight if k.has("full regmutex") and k.get("rf_acquires", "full regmutex")]
            about = judged("regmutex")
            about["what"] += f"; of the {len(acquire)} that acquire {number(average('regmutex', acquire))}" if acquire else ""
            about["what"] += f"; of all {len(mine)} whose occupancy registers limit {number(average('regmutex', mine))}"
            said.say("RM-1", metric, "regmutex", "average", average("regmutex"), **about)
            of = {k.example: shorter(k, "full regmutex") for k in eight if k.has("full regmutex")}
            best = max(of, key=of.get, default="")
            said.say("RM-1", metric, "regmutex", "most", of.get(BFS), 1, f"{BFS}, which stands for BFS" + (f"; the best of these kernels is {best}, {of[best]:.1f}" if best else ""))
    for d in ("regmutex", "rfv", "paired"):
        said.say("RM-7", "storage_bits", CLAIMED[d], "", bits.get(d), 1, "with a pool that warps share (`rfv-shared`); plain `rfv` adds 31264" if d == "rfv" else "")
    if bits.get("regmutex"):
        said.say("RM-7", "storage_ratio", "rfv over regmutex", "", bits["rfv"] / bits["regmutex"])
    for name, (kernel, registers, rounded, base) in named.items():
        said.say("RM-8", "registers", "", name, registers, 1, kernel)
        said.say("RM-8", "rounded_registers", "", name, rounded, 1, kernel)
        said.say("RM-8", "base_registers", "regmutex", name, base, 1, kernel)
    for extended, sections in example["sections"].items():
        said.say("RM-9", "sections", f"{extended} extended", "example", sections, 1, example["of"])
    said.say("RM-9", "extended_registers", "regmutex", "example", example["chosen"], 1, example["of"])
    return said


def storage(bits):
    rows = [[NAMES[d], str(b), f"{CLAIMS['RM-7', 'storage_bits', CLAIMED[d], ''][0]:g}" if ("RM-7", "storage_bits", CLAIMED[d], "") in CLAIMS else ""] for d, b in bits.items() if b is not None]
    return table(["design", "bits added to an SM", "claim"], rows)


def report(ks, sizes, bits):
    parts = (("Table I: registers and base sets (RM-8)", table_one(ks)),
             ("Figure 7: cycles with the whole register file (RM-1)", figure_7_8(ks, "full")),
             ("Figure 8: cycles with half of it (RM-2)", figure_7_8(ks, "half")),
             ("Figure 9a: designs beside each other, whole register file (RM-3, RM-5): fewer cycles, %", figure_9(ks, "full")),
             ("Figure 9b: with half of it (RM-4, RM-6): more cycles, %", figure_9(ks, "half")),
             ("Figures 10 and 11: size of the extended set", figures_10_11(ks, sizes)),
             ("Figures 12 and 13: paired warps", figures_12_13(ks)),
             ("Section III-B: storage (RM-7)", storage(bits)),
             ("Overhead, placement, liveness, energy", overhead(ks)))
    return "\n".join(f"## {title}\n\n" + "\n".join(lines) for title, lines in parts)
