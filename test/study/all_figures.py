"""The tables and the chart of all.py. xs: {example: {technique: {counter: value}}}. Every average is geometric, of ratios to the same example's baseline."""
import collections, math, subprocess
from tables import line, table

Technique = collections.namedtuple("Technique", "rf group parts")
BASE = "baseline"
one = lambda rf, group: Technique(rf, group, ())
joint = lambda rf, *parts: Technique(rf, "joint", parts)
# A name has no comma. parts of a joint one: the two whose product it is compared with.
TECHNIQUES = {
    BASE: one("baseline", "issue"),
    "two-level": one("baseline,issue=two-level", "issue"),
    "rfv": one("rfv", "residency"),
    "rfv-shared": one("rfv-shared", "residency"),
    "regmutex": one("regmutex", "residency"),
    "regmutex-paired": one("regmutex-paired", "residency"),
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
    "orf & regmutex": joint("orf,residency=regmutex", "orf", "regmutex"),
    "split & regmutex": joint("split-lrf+orf,residency=regmutex", "split-lrf+orf", "regmutex"),
    "g-scalar & regmutex": joint("g-scalar,residency=regmutex", "g-scalar", "regmutex"),
    "wir-rlpv & two-level": joint("wir-rlpv,issue=two-level", "wir-rlpv", "two-level"),
    "wir-rlpv & bdi": joint("wir-rlpv,values=bdi", "wir-rlpv", "bdi"),
    "wir-rlpv & affine": joint("affine+wir-rlpv", "wir-rlpv", "affine"),
    "wir-rlpv & g-scalar": joint("wir-rlpv,values=g-scalar", "wir-rlpv", "g-scalar"),
}
QUICK = (BASE, "two-level", "rfv", "corf++", "split-lrf+orf", "regmutex", "affine", "wir-rlpv", "corf++ & rfv", "split & rfv", "split & regmutex", "wir-rlpv & affine")
TITLES = {"issue": "schedulers", "residency": "which registers a warp holds", "packing": "registers packed together", "hierarchy": "levels", "values": "values that are alike",
          "reuse": "results used again", "joint": "joint"}
COLOURS = {"issue": "#777777", "residency": "#2f7d4f", "packing": "#b5478f", "hierarchy": "#123f78", "values": "#c96a1b", "reuse": "#8a1c1c", "joint": "#000000"}
ENERGIES = {"front end": ("front_end_energy",), "register file": ("rf_dynamic_energy",), "its leakage": ("rf_leakage_energy",), "collectors": ("collect_energy",), "execution": ("exec_energy",),
            "reuse logic": ("reuse_logic_energy",), "L1, shared": ("sm_memory_energy",), "rest, by time": ("sm_steady_energy",)}
REGISTER_FILE_BITS = 1024 * 1024

HEAD = """# All techniques on the same work

Written by `make study-all`: {n} examples, {m} configurations, on `--machine gtx480` with `--set energy=all` ([ENERGY](../ENERGY.md#one-table-for-all)). What combines and why is in [COMPARISON](../COMPARISON.md).
Every number is the geometric mean over the examples of the ratio to the same example's baseline, unless it says otherwise; an example is all its launches together. *Speed* is the
baseline's cycles over the technique's: IPC for the same work, since code with acquires and releases has more instructions. Counters of every example are in [all.csv](all.csv).

![Energy against speed; energy of the register file and of the SMs; storage](all.svg)

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


def text(v, digits=3):
    return "-" if v is None else f"{v:.{digits}f}"


def designs_of(xs):
    return [d for d in TECHNIQUES if any(d in x for x in xs.values())]


# ---- tables ----
def main_table(xs):
    head = ["", "speed", "bank reads", "bank writes", "RF dynamic", "RF leakage", "SM energy", "storage, bits", "of the RF, %", "code"]
    rows, group = [], None
    for d in designs_of(xs):
        if TECHNIQUES[d].group != group:
            group = TECHNIQUES[d].group
            rows.append([f"**{TITLES[group]}**"] + [""] * 9)
        bits = max(x[d]["storage_bits"] for x in xs.values() if d in x)
        rows.append([d] + [text(mean_of(xs, d, m)) for m in ("speed", "rf_reads", "rf_writes", "rf_dynamic_energy", "rf_leakage_energy", "sm_energy")] +
                    [f"{bits:.0f}", text(100 * bits / REGISTER_FILE_BITS, 2), text(mean_of(xs, d, "code_bytes"))])
    unknown = [n for n, x in xs.items() if value(x, BASE, "sm_energy") is None]
    absent = [f"{d} {', '.join(n for n, x in xs.items() if d not in x)}" for d in designs_of(xs) if any(d not in x for x in xs.values())]
    out = ["## Techniques", ""] + table(head, rows)
    out += [f"SM energy is not known, and left out, of {', '.join(unknown)}: matrix products have no source." if unknown else "SM energy is known of every example.", ""]
    return out + ([f"Did not run: {'; '.join(absent)}.", ""] if absent else [])


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
    metrics = ("speed", "rf_reads", "rf_dynamic_energy", "rf_leakage_energy", "sm_energy")
    rows = []
    for d in designs_of(xs):
        parts = TECHNIQUES[d].parts
        if not parts or any(p not in designs_of(xs) for p in parts):
            continue
        cells = [d, " x ".join(parts)]
        for m in metrics:
            got, alone = mean_of(xs, d, m), [mean_of(xs, p, m) for p in parts]
            cells.append("-" if None in (got, *alone) else f"{got:.3f} / {alone[0] * alone[1]:.3f}")
        rows.append(cells)
    return ["## Joint, beside the product of the parts", "", "measured / product: if both techniques saved different things, each would save its share of what the other leaves.", ""] + \
        table(["", "parts", "speed", "bank reads", "RF dynamic", "RF leakage", "SM energy"], rows)


def why_table(xs):
    """Counters that say why."""
    rows = []
    for d in designs_of(xs):
        rows.append([d, text(share(xs, d, "rf_operand_reads", "operand_reads"), 1), text(share(xs, d, "rf_operand_writes", "operand_writes"), 1),
                     text(share(xs, d, "coalesced_instructions", "warp_instructions"), 1), text(share(xs, d, "reused_instructions", "warp_instructions"), 1),
                     text(share(xs, d, "executed_lanes", "thread_instructions"), 1), text(arrays(xs, d), 2), text(mean_of(xs, d, "rf_powered_entries")),
                     text(arithmetic(xs, d, "resident_warps"), 1), text(mean_of(xs, d, "rf_bank_conflicts"))])
    held = [100 * x[BASE]["rf_held_registers"] / x[BASE]["rf_powered_entries"] for x in xs.values() if BASE in x]
    return ["## Counters behind it", "", f"Of the baseline's entries, which are all on in all SMs for all the time, {sum(held) / len(held):.1f} % belong to a resident warp, mean.", "",
            "Of the operands that instructions read and write, the percent that the banks deliver and take; of instructions, the percent of which two operands came in one access, and that were not executed "
            "but reused; lanes that executed, percent of those that were active (reused ones are among the active); arrays a bank access activates, of 8, mean; entries switched on over time, and bank conflicts, of the baseline's; warps of a busy SM, mean.", ""] + \
        table(["", "reads from banks", "writes to banks", "coalesced", "reused", "lanes", "arrays", "entries on", "warps", "conflicts"], rows)


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


def dominated(xs, d, designs):
    """By one that is as fast, takes as little energy and stores as little, and is better in one of them."""
    score = lambda e: (-mean_of(xs, e, "speed"), mean_of(xs, e, "sm_energy") or math.inf, max(x[e]["storage_bits"] for x in xs.values() if e in x))
    mine = score(d)
    return any(all(a <= b for a, b in zip(score(e), mine)) and score(e) != mine for e in designs)


def front(xs):
    designs = designs_of(xs)
    best = sorted((d for d in designs if not dominated(xs, d, designs)), key=lambda d: mean_of(xs, d, "sm_energy") or math.inf)
    rows = [[d, text(mean_of(xs, d, "sm_energy")), text(mean_of(xs, d, "speed")), f"{max(x[d]['storage_bits'] for x in xs.values() if d in x):.0f}"] for d in best]
    return ["## None better", "", "Those that no other beats in all three of SM energy, speed and storage.", ""] + table(["", "SM energy", "speed", "storage, bits"], rows)


def report(xs):
    return "\n".join(main_table(xs) + front(xs) + joint_table(xs) + why_table(xs) + gains_table(xs) + spread_table(xs))


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


def bars(xs, title, series, log=False):
    designs = designs_of(xs)
    blocks, plots, width = [], [], 0.8 / len(series)
    for i, (label, f, colour) in enumerate(series):
        blocks.append([f"{n + (i - (len(series) - 1) / 2) * width:.3f} {f(d)}" for n, d in enumerate(designs) if f(d) is not None])
        plots.append(f"$d{i} using 1:2 with boxes fs solid 1 lc rgb '{colour}' title '{label}'")
    tics = ", ".join(f"'{d}' {n}" for n, d in enumerate(designs))
    return (["unset label", "unset arrow", f"set title '{title}'", "unset xlabel", "set ylabel ''", f"set boxwidth {width:.3f}", f"set xtics ({tics}) rotate by -50 scale 0 font ',8'", f"set xrange [-0.6:{len(designs) - 0.4}]",
             "set logscale y" if log else "unset logscale y", "set yrange [10:*]" if log else "set yrange [0:*]", "set key outside top right horizontal"], blocks, plots)


def draw(path, xs):
    of = lambda counter: lambda d: mean_of(xs, d, counter)
    pictures = [(0.52, 0.48, scatter(xs)),
                (0.24, 0.28, bars(xs, "Energy of the register file and of the SMs, and speed, of the baseline", [("RF dynamic", of("rf_dynamic_energy"), "#7fa7d6"), ("RF leakage", of("rf_leakage_energy"), "#bbbbbb"),
                             ("SMs", of("sm_energy"), "#123f78"), ("speed", of("speed"), "#e0a678")])),
                (0.0, 0.24, bars(xs, "Bits added to an SM", [("bits", lambda d: max(x[d]["storage_bits"] for x in xs.values() if d in x) or None, "#2f7d4f")], log=True))]
    text = f"set terminal svg noenhanced size 1200,1500 font 'sans,11'\nset output '{path}'\nset grid ytics\nset multiplot\n"
    for bottom, height, (commands, blocks, plots) in pictures:
        text += f"set origin 0,{bottom}\nset size 1,{height}\n" + "".join(c + "\n" for c in commands)
        text += "".join(f"$d{i} << EOD\n" + "".join(l + "\n" for l in b) + "EOD\n" for i, b in enumerate(blocks)) + "plot " + ", ".join(plots) + "\n"
    subprocess.run(["gnuplot"], input=text, text=True, check=True)
