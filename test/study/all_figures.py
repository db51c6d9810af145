"""The tables and the chart of all.py. xs: {example: {technique: {counter: value}}}. Averages are geometric, of ratios to the same example's baseline,
unless a table says otherwise."""
import collections, math, subprocess
from statistics import mean as arithmetic_mean, median
from tables import far, line, table

Technique = collections.namedtuple("Technique", "rf group parts options", defaults=[()])         # options: of ptx-annotate
BASE = "baseline"
one = lambda rf, group, *options: Technique(rf, group, (), options)
PAPER = "--regmutex=paper"
joint = lambda rf, *parts: Technique(rf, "joint", parts)
# A name has no comma. parts of a joint one: the two whose product it is compared with.
TECHNIQUES = {
    BASE: one("baseline", "issue"),
    "two-level": one("baseline,issue=two-level", "issue"),
    "rfv": one("rfv", "residency"),
    "rfv-shared": one("rfv-shared", "residency"),
    "regmutex (auto)": one("regmutex", "residency"),
    "regmutex (paper)": one("regmutex", "residency", PAPER),
    "regmutex-paired (auto)": one("regmutex-paired", "residency"),
    "regmutex-paired (paper)": one("regmutex-paired", "residency", PAPER),
    "owf": one("owf", "residency"),
    "first-fit": one("first-fit", "packing"),
    "corf": one("corf", "packing"),
    "corf++": one("corf++", "packing"),
    "rfc": one("rfc", "hierarchy"),
    "rfc2": one("rfc2", "hierarchy"),
    "orf": one("orf", "hierarchy"),
    "lrf+orf": one("lrf+orf", "hierarchy"),
    "split-lrf+orf": one("split-lrf+orf", "hierarchy"),
    "bdi": one("warped-compression", "values"),
    "alu-scalar": one("alu-scalar", "values"),
    "static-scalar": one("static-scalar", "values"),
    "g-scalar-nodiv": one("g-scalar-nodiv", "values"),
    "g-scalar": one("g-scalar", "values"),
    "affine": one("affine", "values"),
    "wir-novsb": one("wir-novsb", "reuse"),
    "wir-r": one("wir-r", "reuse"),
    "wir-rl": one("wir-rl", "reuse"),
    "wir-rlp": one("wir-rlp", "reuse"),
    "wir-rpv": one("wir-rpv", "reuse"),
    "wir-rlpv": one("wir-rlpv", "reuse"),
    "wir-rlpvc": one("wir-rlpvc", "reuse"),
    "corf & rfv": joint("corf,residency=rfv", "corf", "rfv"),
    "corf++ & rfv": joint("corf++,residency=rfv", "corf++", "rfv"),
    "corf++ & rfv & two-level": joint("corf++,residency=rfv,issue=two-level", "corf++ & rfv", "two-level"),
    "split & rfv": joint("split-lrf+orf,residency=rfv", "split-lrf+orf", "rfv"),
    "split & corf++ & rfv": joint("split-lrf+orf,packing=corf++,residency=rfv", "split & rfv", "corf++"),
    "orf & regmutex": joint("orf,residency=regmutex", "orf", "regmutex (auto)"),
    "split & regmutex": joint("split-lrf+orf,residency=regmutex", "split-lrf+orf", "regmutex (auto)"),
    "g-scalar & regmutex": joint("g-scalar,residency=regmutex", "g-scalar", "regmutex (auto)"),
    "wir-rlpv & two-level": joint("wir-rlpv,issue=two-level", "wir-rlpv", "two-level"),
    "wir-rlpv & bdi": joint("wir-rlpv,values=bdi", "wir-rlpv", "bdi"),
    "wir-rlpv & affine": joint("affine+wir-rlpv", "wir-rlpv", "affine"),
    "wir-rlpv & g-scalar": joint("wir-rlpv,values=g-scalar", "wir-rlpv", "g-scalar"),
}
QUICK = (BASE, "two-level", "rfv", "corf++", "split-lrf+orf", "regmutex (auto)", "affine", "wir-rlpv", "corf++ & rfv", "split & rfv", "split & regmutex", "wir-rlpv & affine")
TITLES = {"issue": "schedulers", "residency": "which registers a warp holds", "packing": "registers packed together", "hierarchy": "levels", "values": "values that are alike",
          "reuse": "results used again", "joint": "joint"}
COLOURS = {"issue": "#777777", "residency": "#2f7d4f", "packing": "#b5478f", "hierarchy": "#123f78", "values": "#c96a1b", "reuse": "#8a1c1c", "joint": "#000000"}
ENERGIES = {"front end": ("front_end_energy",), "register file": ("rf_dynamic_energy",), "its leakage": ("rf_leakage_energy",), "collectors": ("collect_energy",), "execution": ("exec_energy",),
            "reuse logic": ("reuse_logic_energy",), "L1, shared": ("sm_memory_energy",), "rest, by time": ("sm_steady_energy",)}
REGISTER_FILE_BITS = 1024 * 1024
GATED = "baseline, gated"       # not a configuration: the baseline, had it switched off the entries that no resident warp holds
SMS = 15                        # of the GTX 480, CORF-C1
FETCH_PER_BIT = 2 / 3 / 32      # Hierarchical RF 6: of 15 % for fetch, decoding and scheduling 10 are the first two's, and grow in proportion to an instruction's bits, of 32
BITS = {"rfc": 4, "rfc2": 5, "orf": 1, "lrf+orf": 1, "split-lrf+orf": 1}      # that a hierarchy adds to an instruction (4.7)

HEAD = """# All techniques on the same work

Written by `make study-all`: {n} examples, {m} configurations, on `--machine gtx480` with `--set energy=all` ([ENERGY](../ENERGY.md#one-table-for-all)). What combines and why is in [COMBINATIONS](../COMBINATIONS.md).
Every number is the geometric mean over the examples of the ratio to the same example's baseline, unless it says otherwise; an example is all its launches together. *Speed* is the
baseline's cycles over the technique's: IPC for the same work, since code with acquires and releases has more instructions. Counters of every example are in [all.csv](all.csv).

`regmutex (auto)` has sections of the size that this compiler's [own rule](../REGMUTEX.md#size-by-what-progresses) takes, and none where it expects a loss; so have the pairs with it. `regmutex (paper)` has the size of the
[paper's rule](../REGMUTEX.md#size) (`ptx-annotate --regmutex=paper`), as has `regmutex` in [papers.md](papers.md).

![Energy against speed; energy of the register file and of the SMs, reads and code; storage](all.svg)

"""


# ---- numbers ----
def value(x, design, counter):
    """None: the design did not run the example, or an energy is not known."""
    return x[design][counter] if design in x else None


def ratio(x, design, counter):
    a, b = value(x, design, counter), value(x, BASE, counter)
    return None if a is None or not b else a / b


def speed(x, design):
    r = ratio(x, design, "cycles")
    return None if r is None else 1 / r


def of_all(xs, f):
    """{example: f}, of those where it is known."""
    got = {n: f(x) for n, x in xs.items()}
    return {n: v for n, v in got.items() if v is not None}


def geometric(values):
    """Of those that are there; 0 if one is."""
    values = [v for v in values if v is not None]
    return None if not values else 0.0 if min(values) <= 0 else math.exp(sum(map(math.log, values)) / len(values))


def mean_of(xs, design, counter):
    return geometric([speed(x, design) if counter == "speed" else ratio(x, design, counter) for x in xs.values()])


def share(xs, design, counter, of):
    """Percent, of sums over a mean example: the arithmetic mean of shares."""
    shares = [100 * x[design][counter] / x[design][of] for x in xs.values() if design in x and x[design][of]]
    return sum(shares) / len(shares) if shares else None


def energy_of(x, design, counters):
    parts = [value(x, design, c) for c in counters]
    return None if None in parts else sum(parts)


def gates(design):
    """Whether what no warp holds is off."""
    return any(w in TECHNIQUES[design].rf for w in ("rfv", "first-fit", "corf"))


def idle(c):
    """Leakage of the entries that no resident warp holds."""
    return c["rf_leakage_energy"] * (1 - c["rf_held_registers"] / c["rf_powered_entries"])


def fetched(x, design):
    """Energy to fetch and decode what a design adds to the code and the model does not fetch: bits of instructions, of which the source has an upper bound, and what tells where registers die."""
    rf = TECHNIQUES[design].rf
    bits = BITS.get(rf.split(",")[0], 0) * FETCH_PER_BIT
    metadata = 2 / 3 * (x["rfv"]["code_bytes"] / x[BASE]["code_bytes"] - 1) if "rfv" in rf else 0
    return x[design]["front_end_energy"] * (bits + metadata)


def chip_logic(x, design):
    """What packing logic would take less if 57 mW were a chip's (docs/CORF.md#logic)."""
    return x[design]["pack_logic_energy"] * (1 - 1 / SMS)


# The same energy of the SMs under other assumptions: of the technique, of the baseline.
OTHERWISE = {
    "gated": (lambda x, d: x[d]["sm_energy"] - (0 if gates(d) else idle(x[d])), lambda x: x[BASE]["sm_energy"] - idle(x[BASE])),
    "collectors": (lambda x, d: x[d]["sm_energy"] - x[d]["collect_energy"] + x[BASE]["collect_energy"], lambda x: x[BASE]["sm_energy"]),
    "fetched": (lambda x, d: x[d]["sm_energy"] + fetched(x, d), lambda x: x[BASE]["sm_energy"]),
    "chip": (lambda x, d: x[d]["sm_energy"] - chip_logic(x, d), lambda x: x[BASE]["sm_energy"]),
}


def otherwise(xs, design, how):
    of, base = OTHERWISE[how]
    return geometric([of(x, design) / base(x) for x in xs.values() if design in x and x[BASE]["sm_energy"] and x[design]["sm_energy"] is not None])


def storage(xs, design):
    return max(x[design]["storage_bits"] for x in xs.values() if design in x)


def text(v, digits=3):
    return "-" if v is None else f"{v:.{digits}f}"


def designs_of(xs):
    return [d for d in TECHNIQUES if any(d in x for x in xs.values())]


# ---- tables ----
def main_table(xs):
    head = ["", "speed", "bank reads", "bank writes", "RF dynamic", "RF leakage", "SM energy", "over the gated", "collectors as the baseline's", "with bits fetched", "storage, bits", "of the RF, %", "code"]
    rows, group = [], None
    for d in designs_of(xs):
        if TECHNIQUES[d].group != group:
            group = TECHNIQUES[d].group
            rows.append([f"**{TITLES[group]}**"] + [""] * (len(head) - 1))
        bits = storage(xs, d)
        rows.append([d] + [text(mean_of(xs, d, m)) for m in ("speed", "rf_reads", "rf_writes", "rf_dynamic_energy", "rf_leakage_energy", "sm_energy")] +
                    [text(otherwise(xs, d, how)) for how in ("gated", "collectors", "fetched")] +
                    [f"{bits:.0f}", text(100 * bits / REGISTER_FILE_BITS, 2), text(mean_of(xs, d, "code_bytes"))])
        if d == BASE:
            known = [x[BASE] for x in xs.values() if BASE in x]
            leaks, sm = (geometric([1 - idle(c) / c[e] for c in known if c[e]]) for e in ("rf_leakage_energy", "sm_energy"))
            rows.append([GATED, *["1.000"] * 4, text(leaks), text(sm), "1.000", text(sm), text(sm), "0", "0.00", "1.000"])
    unknown = [n for n, x in xs.items() if value(x, BASE, "sm_energy") is None]
    absent = [f"{d} {', '.join(n for n, x in xs.items() if d not in x)}" for d in designs_of(xs) if any(d not in x for x in xs.values())]
    out = ["## Techniques", ""] + table(head, rows)
    out += ["*Not priced* ([more](../ENERGY.md#one-table-for-all)): leakage of levels, base values and tables of reuse; tags of a cache; comparators of `affine`; what a two-level scheduler saves; a scalar's collector is as wide as "
            "its bank access; reuse compares 1024 bits at 45 nm, not scaled to 40.", "",
            f"The energy of the SMs under other assumptions. *Over the gated*: the baseline, and every technique that does not do so itself, switch off the entries that no resident warp holds; the rest of *{GATED}* stands in its row. "
            "*Collectors as the baseline's*: they take what they take there, whatever the banks deliver; the table `all` has them in proportion to it. Instructions that are reused read no operand, so of `wir` a part of the credit is real. "
            "*With bits fetched*: what the model does not fetch is charged as Hierarchical RF section 6 charges it, an upper bound: 3 % of fetch and decoding for each bit of an instruction (rfc 4, rfc2 5, ORF 1), and in proportion to the code for what tells rfv where "
            "registers die. CORF's metadata are instructions, in all columns.", ""]
    out += [f"SM energy is not known, and left out, of {', '.join(unknown)}: matrix products have no source." if unknown else "SM energy is known of every example.", ""]
    return out + ([f"Did not run: {'; '.join(absent)}.", ""] if absent else [])


def means_table(xs):
    """Arithmetic mean, median and geometric mean side by side, and who moves them."""
    rows, what = [], {"speed": speed, "RF dynamic": lambda x, d: ratio(x, d, "rf_dynamic_energy"), "SM energy": lambda x, d: ratio(x, d, "sm_energy")}
    for d in (d for d in designs_of(xs) if d != BASE):
        of = [of_all(xs, lambda x: f(x, d)) for f in what.values()]
        rows.append([d] + [" / ".join(text(mean(v.values())) for mean in (arithmetic_mean, median, geometric)) if v else "-" for v in of] + ["; ".join(f"{name} {t}" for name, v in zip(what, of) for t in [far(v, 3)] if t)])
    return ["## Other means", "", "Arithmetic mean / median / geometric mean of the ratios to the baseline. *Outliers*: beyond Tukey's outer fences, and the arithmetic mean without them, if it is another by a hundredth.", ""] + \
        table(["", *what, "outliers"], rows)


def logic_table(xs):
    """Packing, by both readings of what its logic takes."""
    rows = []
    for d in designs_of(xs):
        if any(x[d]["pack_logic_energy"] for x in xs.values() if d in x):
            dynamic = geometric([(x[d]["rf_dynamic_energy"] - chip_logic(x, d)) / x[BASE]["rf_dynamic_energy"] for x in xs.values() if d in x])
            rows.append([d, text(mean_of(xs, d, "rf_dynamic_energy")), text(dynamic), text(mean_of(xs, d, "sm_energy")), text(otherwise(xs, d, "chip"))])
    return ["## Packing logic of a chip, not of an SM", "", "CORF gives 57 mW and does not say of what. The tables read them as [an SM's](../CORF.md#logic); as the chip's, packing takes a fifteenth of that.", ""] + \
        table(["", "RF dynamic", "the chip's", "SM energy", "the chip's"], rows)


def spread_table(xs):
    """What the worst and the best example get."""
    rows = []
    for d in designs_of(xs):
        if d == BASE:
            continue
        cells = [d]
        for f, better in ((lambda x: speed(x, d), 1), (lambda x: ratio(x, d, "sm_energy"), -1), (lambda x: ratio(x, d, "rf_dynamic_energy"), -1)):
            order = sorted(of_all(xs, f).items(), key=lambda v: -better * v[1])
            cells += [f"{order[-1][1]:.2f} {order[-1][0]}", ", ".join(f"{v:.2f} {n}" for n, v in order[:3])] if order else ["-", "-"]
        rows.append(cells)
    return ["## Which programs", "", "Ratios to the baseline: the worst example, then the three best.", ""] + \
        table(["", "speed, worst", "best", "SM energy, worst", "best", "RF dynamic, worst", "best"], rows)


def joint_table(xs):
    """Of each pair, what it gives against the product of what its parts give."""
    metrics = [lambda d, m=m: mean_of(xs, d, m) for m in ("speed", "rf_reads", "rf_dynamic_energy", "rf_leakage_energy", "sm_energy")] + [lambda d, h=h: otherwise(xs, d, h) for h in ("gated", "collectors")]
    rows = []
    for d in designs_of(xs):
        parts = TECHNIQUES[d].parts
        if not parts or any(p not in designs_of(xs) for p in parts):
            continue
        cells = [d, " x ".join(parts)]
        for m in metrics:
            got, alone = m(d), [m(p) for p in parts]
            cells.append("-" if None in (got, *alone) else f"{got:.3f} / {alone[0] * alone[1]:.3f}")
        rows.append(cells)
    return ["## Joint, beside the product of the parts", "", "measured / product: if both techniques saved different things, each would save its share of what the other leaves. The last two columns are those of the first table.", ""] + \
        table(["", "parts", "speed", "bank reads", "RF dynamic", "RF leakage", "SM energy", "over the gated", "collectors as the baseline's"], rows)


def why_table(xs):
    """Counters that say why."""
    rows = []
    for d in designs_of(xs):
        rows.append([d, text(share(xs, d, "rf_operand_reads", "operand_reads"), 1), text(share(xs, d, "rf_operand_writes", "operand_writes"), 1),
                     text(share(xs, d, "coalesced_instructions", "warp_instructions"), 1), text(share(xs, d, "reused_instructions", "warp_instructions"), 1),
                     text(share(xs, d, "executed_lanes", "thread_instructions"), 1), text(arrays(xs, d), 2), text(mean_of(xs, d, "rf_powered_entries")), text(entries_on(xs, d), 1),
                     text(arithmetic(xs, d, "resident_warps"), 1), text(mean_of(xs, d, "rf_bank_conflicts"))])
    held = [x[BASE]["rf_held_registers"] / x[BASE]["rf_powered_entries"] for x in xs.values() if BASE in x]
    return ["## Counters behind it", "", f"Of the baseline's entries, which are all on in all SMs for all the time, {100 * sum(held) / len(held):.1f} % belong to a resident warp, arithmetic mean (geometric: {100 * geometric(held):.1f}).", "",
            "Of the operands that instructions read and write, the percent that the banks deliver and take; of instructions, the percent of which two operands came in one access, and that were not executed "
            "but reused; lanes that executed, percent of those that were active (reused ones are among the active); arrays a bank access activates, of 8, mean; entries switched on over time, of the baseline's, and their percent of all entries in a mean cycle, arithmetic; bank conflicts, of the baseline's; warps of a busy SM, mean.", ""] + \
        table(["", "reads from banks", "writes to banks", "coalesced", "reused", "lanes", "arrays", "entries on", "on, %", "warps", "conflicts"], rows)


def entries_on(xs, design):
    """Percent of all entries, in a mean cycle of its own: arithmetic mean over the examples."""
    per_cycle = lambda c: c["rf_powered_entries"] / c["cycles"]
    shares = [100 * per_cycle(x[design]) / per_cycle(x[BASE]) for x in xs.values() if design in x]
    return sum(shares) / len(shares)


def arithmetic(xs, design, counter):
    values = [x[design][counter] for x in xs.values() if design in x]
    return sum(values) / len(values)


def arrays(xs, design):
    values = [(c["rf_read_arrays"] + c["rf_write_arrays"]) / (c["rf_reads"] + c["rf_writes"]) for c in (x[design] for x in xs.values() if design in x) if c["rf_reads"] + c["rf_writes"]]
    return sum(values) / len(values) if values else None


def gains_table(xs):
    """What each saves of the energy of the SMs, by part: the difference to the baseline."""
    rows = []
    for d in designs_of(xs):
        if d == BASE:
            continue
        cells = [d]
        for counters in (*ENERGIES.values(), ("sm_energy",)):
            less = [100 * (energy_of(x, BASE, counters) - energy_of(x, d, counters)) / x[BASE]["sm_energy"] for x in xs.values() if d in x and x[BASE]["sm_energy"] and energy_of(x, d, counters) is not None]
            cells.append(text(sum(less) / len(less) + 0.0 if less else None, 1))
        rows.append(cells)
    base = {k: [100 * energy_of(x, BASE, c) / x[BASE]["sm_energy"] for x in xs.values() if x[BASE]["sm_energy"]] for k, c in (*ENERGIES.items(), ("sum", ("sm_energy",)))}
    rows.insert(0, ["*there is*"] + [text(sum(v) / len(v) if v else None, 1) for v in base.values()])
    return ["## Where energy is saved", "", "Percent of what the baseline's SMs take: what of it there is, and what each saves (below 0: what it adds), arithmetic mean over the examples.", ""] + table(["", *ENERGIES, "sum"], rows)


FRONTS = {      # title: (what counts, less is better; whether affine is among them)
    "all three": (("sm", "speed", "storage"), True),
    "gated": (("gated", "speed", "storage"), True),
    "no affine": (("sm", "speed", "storage"), False),
    "no affine, gated": (("gated", "speed", "storage"), False),
    "no affine, collectors": (("collectors", "speed", "storage"), False),
    "energy, speed": (("sm", "speed"), False),
    "energy, storage": (("sm", "storage"), False),
    "RF, speed": (("rf", "speed"), False),
    "RF, storage": (("rf", "storage"), False),
}


def front(xs):
    score = {d: {"sm": mean_of(xs, d, "sm_energy"), "gated": otherwise(xs, d, "gated"), "collectors": otherwise(xs, d, "collectors"), "rf": mean_of(xs, d, "rf_dynamic_energy"), "speed": mean_of(xs, d, "speed"),
                 "storage": storage(xs, d)} for d in designs_of(xs)}
    less = {d: {k: math.inf if v is None else -v if k == "speed" else v for k, v in s.items()} for d, s in score.items()}
    beats = lambda e, d, by: all(less[e][k] <= less[d][k] for k in by) and any(less[e][k] < less[d][k] for k in by)
    best = {}
    for title, (by, affine) in FRONTS.items():
        among = [d for d in score if affine or "affine" not in TECHNIQUES[d].rf]
        best[title] = [d for d in among if not any(beats(e, d, by) for e in among)]
    rows = [[d, *(text(score[d][k]) for k in ("sm", "gated", "collectors", "rf", "speed")), f"{score[d]['storage']:.0f}", *("x" if d in b else "" for b in best.values())]
            for d in sorted(score, key=lambda d: less[d]["sm"]) if any(d in b for b in best.values())]
    return ["## None better", "", "Those that no other beats in SM energy, speed and storage at once; *gated* and *collectors*: with that column of the first table in place of SM energy. *No affine*: without it and its pairs, as no comparator of it is "
            "charged; so are the last four, of two things each.", ""] + table(["", "SM energy", "over the gated", "collectors as the baseline's", "RF dynamic", "speed", "storage, bits", *FRONTS], rows)


def report(xs):
    return "\n".join(main_table(xs) + means_table(xs) + front(xs) + joint_table(xs) + logic_table(xs) + why_table(xs) + gains_table(xs) + spread_table(xs))


# ---- the chart ----
WIDE, HIGH, LETTER, LINE = 1090, 560, 5.2, 11          # pixels of the scatter's area, and of a label


def free_place(x, y, width, taken):
    """Where a label of that width may stand beside a point, in pixels: its left end and its middle, the nearest of some that overlap nothing."""
    ways = [(dx, dy * LINE) for dy in (0, -0.8, 0.8, -1.6, 1.6, -2.4, 2.4, -3.2, 3.2, -4.2, 4.2, -5.2, 5.2, -6.5, 6.5, -8, 8) for dx in (7, -width - 7)]
    for dx, dy in sorted(ways, key=lambda w: abs(w[1]) + (w[0] < 0)):
        left, middle = x + dx, y + dy
        if 0 <= left <= WIDE - width and not any(left < r and left + width > l and middle - LINE / 2 < b and middle + LINE / 2 > a for l, r, a, b in taken):
            return left, middle
    return x + 7, y


def scatter(xs):
    """Energy of the SMs against speed, a point a technique, each with its name."""
    points = {d: (mean_of(xs, d, "speed"), mean_of(xs, d, "sm_energy")) for d in designs_of(xs)}
    points = {d: p for d, p in points.items() if None not in p}
    limits = [(min(v) - 0.03 * (max(v) - min(v)) - 0.001, max(v) + 0.06 * (max(v) - min(v)) + 0.001) for v in zip(*points.values())]
    pixel = lambda p: ((p[0] - limits[0][0]) / (limits[0][1] - limits[0][0]) * WIDE, (p[1] - limits[1][0]) / (limits[1][1] - limits[1][0]) * HIGH)
    back = lambda x, y: (limits[0][0] + x / WIDE * (limits[0][1] - limits[0][0]), limits[1][0] + y / HIGH * (limits[1][1] - limits[1][0]))
    taken = [(x - 5, x + 5, y - 5, y + 5) for x, y in map(pixel, points.values())]
    commands, blocks, plots = [], [], []
    for d, p in points.items():
        x, y = pixel(p)
        left, middle = free_place(x, y, LETTER * len(d), taken)
        taken.append((left, left + LETTER * len(d), middle - LINE / 2, middle + LINE / 2))
        colour = COLOURS[TECHNIQUES[d].group]
        if abs(middle - y) > LINE:
            commands.append("set arrow from {:.5f},{:.5f} to {:.5f},{:.5f} nohead lw 0.4 lc rgb '{}'".format(*p, *back(left if left > x else left + LETTER * len(d), middle), colour))
        commands.append("set label \"{}\" at {:.5f},{:.5f} left font ',8' tc rgb '{}'".format(d, *back(left, middle), colour))
    for group in TITLES:
        mine = [f"{p[0]:.5f} {p[1]:.5f}" for d, p in points.items() if TECHNIQUES[d].group == group]
        if mine:
            plots.append(f"$d{len(blocks)} using 1:2 with points pt {5 if group == 'joint' else 7} ps 0.7 lc rgb '{COLOURS[group]}' title '{TITLES[group]}'")
            blocks.append(mine)
    return (["set title 'Energy of the SMs against speed, baseline 1: lower right is better'", "set xlabel 'speed'", "set ylabel 'SM energy'", "set key outside bottom center horizontal", "set xtics",
             "set xrange [{:.5f}:{:.5f}]".format(*limits[0]), "set yrange [{:.5f}:{:.5f}]".format(*limits[1]), *commands], blocks, plots)


def bars(title, designs, series, log=False):
    blocks, plots, width = [], [], 0.8 / len(series)
    for i, (label, f, colour) in enumerate(series):
        blocks.append([f"{n + (i - (len(series) - 1) / 2) * width:.3f} {f(d)}" for n, d in enumerate(designs) if f(d) is not None])
        plots.append(f"$d{i} using 1:2 with boxes fs solid 1 lc rgb '{colour}' title '{label}'")
    tics = ", ".join(f"'{d}' {n}" for n, d in enumerate(designs))
    return (["unset label", "unset arrow", "set tmargin 3.5", "set bmargin 6.5", f"set title '{title}' offset 0,1", "unset xlabel", "set ylabel ''", f"set boxwidth {width:.3f}", f"set xtics ({tics}) rotate by -50 scale 0 font ',8'", f"set xrange [-0.6:{len(designs) - 0.4}]",
             "set logscale y" if log else "unset logscale y", "set yrange [10:*]" if log else "set yrange [0:*]", "set key at graph 1,1.02 right bottom horizontal samplen 1.5"], blocks, plots)


def draw(path, xs):
    of = lambda counter: lambda d: mean_of(xs, d, counter)
    single, joints = ([d for d in designs_of(xs) if d != BASE and (TECHNIQUES[d].group == "joint") == j] for j in (False, True))
    energies = [("RF dynamic", of("rf_dynamic_energy"), "#7fa7d6"), ("RF leakage", of("rf_leakage_energy"), "#bbbbbb"), ("SMs", of("sm_energy"), "#123f78"), ("SMs over gated", lambda d: otherwise(xs, d, "gated"), "#2f7d4f"),
                ("speed", of("speed"), "#e0a678")]
    work = [("RF reads", of("rf_reads"), "#7fa7d6"), ("code", of("code_bytes"), "#b5478f")]
    bits = [("bits", lambda d: storage(xs, d) or None, "#2f7d4f")]
    pictures = [(0, 0.66, 1, 0.34, scatter(xs)),
                (0, 0.50, 1, 0.16, bars("Energy and speed, of the baseline: techniques", single, energies)),
                (0, 0.33, 1, 0.17, bars("the same: joint", joints, energies)),
                (0, 0.165, 0.62, 0.165, bars("Reads from banks and code size, of the baseline", single, work)),
                (0.62, 0.165, 0.38, 0.165, bars("the same: joint", joints, work)),
                (0, 0.0, 0.62, 0.165, bars("Bits added to an SM, logarithmic; no bar: none", single, bits, log=True)),
                (0.62, 0.0, 0.38, 0.165, bars("the same: joint", joints, bits, log=True))]
    text = f"set terminal svg noenhanced size 1200,2000 font 'sans,11'\nset output '{path}'\nset grid ytics\nset multiplot\n"
    for left, bottom, width, height, (commands, blocks, plots) in pictures:
        text += f"set origin {left},{bottom}\nset size {width},{height}\n" + "".join(c + "\n" for c in commands)
        text += "".join(f"$d{i} << EOD\n" + "".join(l + "\n" for l in b) + "EOD\n" for i, b in enumerate(blocks)) + "plot " + ", ".join(plots) + "\n"
    subprocess.run(["gnuplot"], input=text, text=True, check=True)
