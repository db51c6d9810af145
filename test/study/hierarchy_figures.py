"""The tables of hierarchy.py: what they show of an example, and of all of them beside the paper's claims. An example is its name and
get(counter, configuration). Averages are arithmetic, over examples, of what is normalised to the example's run without a
hierarchy. Lists of examples come by the form of their code, FORMS."""
from common import Measured, read_claims
from statistics import median
from tables import Mean, far, line

BASE, SOFTWARE = "none", ("orf", "lrf+orf", "split-lrf+orf")
DESIGNS = ("rfc", "rfc2") + SOFTWARE
BEST = {"rfc": 3, "rfc2": 6, "orf": 3, "lrf+orf": 3, "split-lrf+orf": 3}     # the paper's best numbers of entries (section 7.8)
CLAIMED_VARIANTS = {"basic": ("orf",), "blocks alone": ("orf",), "one level": ("split-lrf+orf",), "L0 and MRF": ("split-lrf+orf",), "8 at 3": ("split-lrf+orf",), "5 at 3": ("split-lrf+orf",),
                    "never flush": ("split-lrf+orf",)}
SM_SHARE, CHIP_SHARE = 0.15, 0.15 * 0.7        # of the register file, in their dynamic energy (section 6.3)

# Forms of the code: options of ptx-annotate. The paper's sections 4.1 and 7.1 to 7.4 are of traces "in NVIDIA's native ISA" from "a production NVIDIA compiler" (6.1, 7.1), what follows
# is of PTX as Ocelot reads it (6.2, 7.5).
PTX, CODE = "PTX", "machine code"
FORMS = {PTX: ("--no-fold", "--schedule=none"), "folded": ("--schedule=none",), CODE: ("--schedule=latency",), "for the ORF": ("--schedule=orf",)}

CLAIMS = read_claims("hierarchical-rf")


# ---- of one example ----
def share(a, b):
    return a / b if b else 0.0


def reads(e, c):
    """By level, and those of evictions, over the operands that the example reads: MRF, L1, L0, write-backs."""
    g = lambda k: share(e.get(k, c), e.get("operand_reads"))
    return g("rf_reads"), g("rf_l1_reads"), g("rf_l0_reads"), g("rf_l1_evictions") + g("rf_l0_evictions") + g("rf_l0_flushes")


def writes(e, c):
    """By level, with those of evictions: MRF, L1, L0."""
    g = lambda k: share(e.get(k, c), e.get("operand_writes"))
    return g("rf_writes"), g("rf_l1_writes") + g("rf_l0_evictions"), g("rf_l0_writes")


def all_reads(e, c):
    return sum(reads(e, c))


def energy(e, c, counter="rf_dynamic_energy"):
    """Over that of all of the baseline's register file."""
    return share(e.get(counter, c), e.get("rf_dynamic_energy"))


def saving(c):
    return lambda e: 1 - energy(e, c)


def access_saving(c):
    return lambda e: 1 - share(e.get("rf_access_energy", c), e.get("rf_access_energy"))


def avoided(counter, c):
    return lambda e: 1 - share(e.get(counter, c), e.get(counter))


def mrf_accesses(e, c):
    return share(e.get("rf_reads", c) + e.get("rf_writes", c), e.get("rf_reads") + e.get("rf_writes"))


def mrf_reads(e, c):
    return reads(e, c)[0]


def mrf_writes(e, c):
    return writes(e, c)[0]


def ipc(c, than=BASE):
    return lambda e: share(e.get("cycles", than), e.get("cycles", c))


def mean(list_, value):
    return sum(value(e) for e in list_) / len(list_)


def ratio(list_, value, c, than, of=None):
    """Of two bars of a figure: means of what is normalised to the baseline."""
    return mean(list_, lambda e: value(e, c)) / mean(list_, lambda e: (of or value)(e, than))


def best(list_, design, sizes):
    """Number of entries with the least energy, of those that were measured."""
    return min((n for n in sizes if f"{design} {n}" in list_[0].c), key=lambda n: mean(list_, lambda e: energy(e, f"{design} {n}")))


# ---- text ----
def table(head, rows):
    return [line(head), "|---" * len(head) + "|"] + [line(r) for r in rows] + [""]


def percent(v):
    return f"{100 * v:.1f}"


def spread(list_, value):
    """Mean, then the least and the most of an example."""
    v = [value(e) for e in list_]
    return f"{percent(sum(v) / len(v))} ({percent(min(v))} to {percent(max(v))})"


def claimed(id_, metric, configuration, scopes):
    words = {"=": "", "<": "below ", "<=": "up to ", "~": "about ", ">=": "at least "}
    rows = [CLAIMS[id_, metric, configuration, s] for s in scopes.split("-")]
    return words[rows[0][1]] + " to ".join(f"{r[0]:g}" for r in rows)


# ---- the claims ----
class Row:
    """What is measured for one claim. of: {example: value} of what is a mean over examples; form: of the code that the paper's number is of; aside: beside the number that is the claim's."""

    def __init__(self, keys, value, of, programs, second, form, aside):
        self.keys, self.value, self.of, self.programs, self.second, self.form, self.aside = keys, value, of, programs, second, form, aside

    def __str__(self):
        return f"{self.value:.1f}" + (f" ({self.second})" if self.second else "")


def claims(list_, sizes):
    """{(claim, what, paper): row}, in order; None: it needs configurations that were not measured."""
    out = {}

    def row(id_, metric, configuration, text, value, scopes="all", scale=100, second="", aside=False, form=PTX):
        key = id_, text, claimed(id_, metric, configuration, scopes)
        try:
            v = value()
            of, v = {k: scale * x for k, x in getattr(v, "of", {}).items()}, scale * v
        except KeyError:
            out[key] = None
            return
        programs = 1 if scopes in {e.name for e in list_} else len(list_)
        out[key] = Row([(id_, metric, configuration, s) for s in scopes.split("-")], v, of, programs, second, form, aside)

    def average(value):
        return Mean({e.name: value(e) for e in list_})

    def less(value, c, than):
        return 1 - ratio(list_, value, c, than)

    def l1_writes(e, c):
        return writes(e, c)[1]

    def most(d):
        n = best(list_, d, sizes)
        return f"{percent(average(saving(f'{d} {n}')))} with {n}"

    at = {d: f"{d} {n}" for d, n in BEST.items()}
    lrf, split = "lrf+orf 3", "split-lrf+orf 3"
    row("HRF-9", "operand_reads", "", "register operands that an instruction reads, count",
        lambda: average(lambda e: share(e.get("operand_reads"), e.get("warp_instructions"))), scale=1)
    row("HRF-9", "operand_writes", "", "register operands that it writes, count",
        lambda: average(lambda e: share(e.get("operand_writes"), e.get("warp_instructions"))), scale=1)
    plain = "rfc 6, no hints, free"
    row("HRF-3", "mrf_reads_avoided", "rfc 6", "MRF reads avoided by a cache of 6 entries, no flushes",
        lambda: average(avoided("rf_reads", plain)), "least-most", form=CODE)
    row("HRF-3", "mrf_writes_avoided", "rfc 6", "MRF writes avoided by it, no hints", lambda: average(avoided("rf_writes", plain)), "least-most", form=CODE)
    row("HRF-4", "hints_avoid", "rfc 6", "more MRF writes avoided with hints, of the baseline's",
        lambda: average(avoided("rf_writes", "rfc 6, free")) - average(avoided("rf_writes", plain)), "least-most", form=CODE)
    free = "rfc 8, no hints, free"
    row("HRF-19", "lru_accesses", "rfc", "fewer MRF accesses with LRU, 6 entries", lambda: less(mrf_accesses, f"{plain}, LRU", plain), "least-most", form=CODE)
    row("HRF-20", "sources_reads", "rfc", "fewer MRF reads if sources are allocated too, 8 entries", lambda: less(mrf_reads, f"{free}, sources", free), form=CODE)
    row("HRF-20", "sources_writes", "rfc", "more MRF writes then", lambda: -less(mrf_writes, f"{free}, sources", free), "least-most", form=CODE)
    row("HRF-21", "flush_accesses", "rfc", "more MRF accesses since suspended warps flush, 6 entries", lambda: -less(mrf_accesses, "rfc 6", "rfc 6, free"), form=CODE)
    for id_, d in (("HRF-7", "rfc"), ("HRF-7", "orf"), ("HRF-8", "rfc2"), ("HRF-8", "split-lrf+orf")):
        row(id_, "energy_saving", d, f"energy saved by {at[d]}, the paper's best number of entries", lambda: average(saving(at[d])), second=most(d))
    for configuration, c, form in (("rfc", "rfc 6", CODE), ("best", split, PTX)):        # section 7.4: 6 entries are the most efficient of the traces
        row("HRF-25", "sm_saving", configuration, f"0.15 times what {c} saves, of an SM's dynamic energy", lambda: SM_SHARE * average(saving(c)), form=form)
        row("HRF-25", "chip_saving", configuration, f"0.105 times that, of the chip's: {c}", lambda: CHIP_SHARE * average(saving(c)), form=form)
    for configuration, a, b in (("orf below rfc", "orf", "rfc"), ("split below rfc2", "split-lrf+orf", "rfc2")):
        row("HRF-23", "more_saving", configuration, f"energy of {at[b]} over that of {at[a]}, less one",
            lambda: ratio(list_, energy, at[b], at[a]) - 1)
    basic, blocks = "orf 3, basic", "orf 3, blocks alone"
    row("HRF-10", "more_reads", "rfc over orf", "more reads of all levels, rfc 3 over orf 3 without partial ranges and read operands", lambda: ratio(list_, all_reads, "rfc 3", basic) - 1)
    row("HRF-22", "fewer_writes", "orf below rfc", "fewer writes of the L1, that orf 3 below rfc 3", lambda: less(l1_writes, basic, "rfc 3"))
    row("HRF-11", "mrf_reads_removed", "orf", "MRF reads removed by partial ranges and read operands, orf 3", lambda: less(mrf_reads, "orf 3", basic))
    row("HRF-11", "orf_writes_added", "orf", "ORF writes added by them", lambda: -less(l1_writes, "orf 3", basic))
    row("HRF-28", "optimisations", "orf", "less energy by them", lambda: less(energy, "orf 3", basic), "least-most")
    row("HRF-15", "forward_branches", "orf", "less energy by values that cross forward branches, orf 3", lambda: less(energy, "orf 3", blocks))
    row("HRF-12", "l0_reads", "lrf+orf", "of all reads, those of the L0, lrf+orf 3", lambda: average(lambda e: reads(e, lrf)[2]))
    row("HRF-13", "more_l0_reads", "split-lrf+orf", "more reads of the L0, split over unified",
        lambda: ratio(list_, lambda e, c: reads(e, c)[2], split, lrf) - 1)
    row("HRF-13", "energy_reduction", "split-lrf+orf", "less energy, split below unified", lambda: less(energy, split, lrf))
    row("HRF-24", "mrf_share", "best", f"of the energy of {split}, the MRF's",
        lambda: ratio(list_, mrf_energy, at["split-lrf+orf"], at["split-lrf+orf"], energy))
    row("HRF-24", "l0_wire", "best", "of the baseline's energy, the wires of its L0",
        lambda: average(lambda e: energy(e, at["split-lrf+orf"], "rf_l0_wire_energy")))
    for e in list_:
        if ("HRF-14", "energy_saving", "best", e.name) in CLAIMS:
            row("HRF-14", "energy_saving", "best", f"energy saved by {split}, {e.name}", lambda: saving(split)(e), e.name)
        if e.name == "dgemm":
            row("HRF-27", "energy_saving", "7 entries", "energy saved by split-lrf+orf 7, dgemm", lambda: saving("split-lrf+orf 7")(e), "dgemm")
    row("HRF-26", "energy_saving", "one-level writes", f"less energy by writes to two levels, {split}",
        lambda: less(energy, split, f"{split}, one level"))
    row("HRF-26", "energy_saving", "L0 writes", "less energy by these than by writes to two levels with the L0 alone",
        lambda: less(energy, split, f"{split}, L0 and MRF"))
    row("HRF-16", "ideal", "all-l0", "less access energy if all were in the L0", lambda: average(access_saving("all-l0")))
    row("HRF-16", "ideal", "all-l1", "less access energy if all were in an L1 of 5 entries", lambda: average(access_saving("all-l1 5")))
    row("HRF-17", "extra_saving", "backward branches", "less energy of a cache that keeps values past backward branches, rfc 3",
        lambda: less(energy, "rfc 3", "rfc 3, flushed at branches"))
    row("HRF-17", "extra_saving", "orf-variable", "less energy if strands take what they need of a pool of 3 entries a warp, over orf 3",
        lambda: less(energy, "orf-variable", "orf 3"))
    row("HRF-17", "extra_saving", "orf-variable", "the same if the pool never ran out: a bound",
        lambda: less(energy, "orf-variable, no end", "orf 3"), aside=True)
    for variant, n in (("8 at 3", 8), ("5 at 3", 5), ("never flush", 3)):
        row("HRF-17", "extra_saving", variant, f"less energy, split-lrf+orf, {variant}", lambda: less(energy, f"split-lrf+orf {n}, {variant}", split))
    return out


# ---- the figures ----
def mrf_energy(e, c):
    return sum(energy(e, c, k) for k in ("rf_read_energy", "rf_write_energy", "rf_main_wire_energy"))


PARTS = (("MRF access", ("rf_read_energy", "rf_write_energy")), ("MRF wires", ("rf_main_wire_energy",)),
         ("L1 access", ("rf_l1_read_energy", "rf_l1_write_energy")), ("L1 wires", ("rf_l1_wire_energy",)),
         ("L0 access", ("rf_l0_read_energy", "rf_l0_write_energy")), ("L0 wires", ("rf_l0_wire_energy",)))


def part(e, c, counters):
    return sum(energy(e, c, k) for k in counters)


def cache_figure(list_, sizes, free):
    end = ", free" if free else ""
    rows = [[str(n), spread(list_, avoided("rf_reads", f"rfc {n}{end}")), spread(list_, avoided("rf_writes", f"rfc {n}, no hints{end}")),
             spread(list_, avoided("rf_writes", f"rfc {n}{end}"))] for n in sizes]
    return table(["entries", "MRF reads avoided", "MRF writes avoided, no hints", "with hints"], rows)


def level_figure(list_, sizes, designs):
    """Reads and writes by level, percent of the operands that are read and written."""
    head = ["entries"] + [f"{d}: {what}" for d in designs for what in ("reads of MRF / L1 / L0 / for write-backs", "writes of MRF / L1 / L0")]
    rows = []
    for n in sizes:
        cells = [str(n)]
        for d in designs:
            for f in (reads, writes):
                parts = [mean(list_, lambda e: f(e, f"{d} {n}")[i]) for i in range(4 if f is reads else 3)]
                cells.append(" / ".join(percent(p) for p in parts) + f" = {percent(sum(parts))}")
        rows.append(cells)
    return table(head, rows)


def energy_figure(list_, sizes):
    values = {d: {n: mean(list_, lambda e: energy(e, f"{d} {n}")) for n in sizes} for d in DESIGNS}
    least = {d: min(v, key=v.get) for d, v in values.items()}
    return table(["entries"] + list(DESIGNS), [[str(n)] + [f"**{v[n]:.3f}**" if least[d] == n else f"{v[n]:.3f}" for d, v in values.items()] for n in sizes])


def kernel_figure(orders, c):
    list_ = orders[PTX]
    by_name = {way: {e.name: e for e in l} for way, l in orders.items()}
    rows = [[e.name] + [percent(saving(c)(by_name[way][e.name])) for way in orders] + [percent(part(e, c, k)) for _, k in PARTS] + [f"{strand(e):.1f}"]
            for e in sorted(list_, key=saving(c))]
    rows.append([f"**{x}**" for x in ["mean"] + [percent(mean(l, saving(c))) for l in orders.values()] +
                 [percent(mean(list_, lambda e: part(e, c, k))) for _, k in PARTS]] + [""])
    rows.append(["median"] + [percent(median(saving(c)(e) for e in l)) for l in orders.values()] + [percent(median(part(e, c, k) for e in list_)) for _, k in PARTS] + [""])
    rows.append(["outliers"] + [far({e.name: 100 * saving(c)(e) for e in l}) for l in orders.values()] + [""] * (len(PARTS) + 1))
    return table(["example"] + [f"saved, {way}" for way in orders] + [t for t, _ in PARTS] + ["strand"], rows)


def strand(e):
    """Instructions that a warp executes in one, on average."""
    return share(e.get("warp_instructions"), e.get("strands", "orf 3"))


def strand_figure(orders):
    """Energy saved with 3 entries by how long strands are, for each form of the code."""
    rows = []
    for low, high, what in ((0, 6, "below 6"), (6, 12, "6 to 12"), (12, 1e9, "12 or more")):
        for way, list_ in orders.items():
            group = [e for e in list_ if low <= strand(e) < high]
            rows.append([what, way, str(len(group))] + [percent(mean(group, saving(f"{d} 3"))) if group else "" for d in DESIGNS])
    return table(["instructions of a strand", "form", "examples"] + list(DESIGNS), rows)


def say(lists, sizes):
    """What is measured for each claim: of the form of the code that the paper's number is of, with that of the other form beside it."""
    said, found = Measured("hierarchical-rf"), {form: claims(l, sizes) for form, l in lists.items()}
    for key in found[PTX]:
        rows = {form: rows[key] for form, rows in found.items() if rows[key]}
        form = next((r.form for r in rows.values()), None)
        if form not in rows or rows[form].aside:
            continue
        others = [f"{other} {r}" for other, r in rows.items() if other != form]
        for claim in rows[form].keys:
            said.say(*claim, rows[form].value, rows[form].programs, "; ".join([f"{key[1]}; {form}" + (f": best {rows[form].second}" if rows[form].second else ""), *others]), of=rows[form].of)
    return said


def everything(list_, others, sizes):
    """The examples of the sweeps beside the others."""
    columns = {f"{d} {n}": saving(f"{d} {n}") for n in sizes for d in DESIGNS}
    rows = [[e.name] + [percent(f(e)) for f in columns.values()] for e in sorted(list_ + others, key=lambda e: e.name)]
    for what, some in ((f"the {len(list_)} of the sweeps", list_), (f"the other {len(others)}", others), (f"all {len(list_ + others)}", list_ + others)):
        rows += [[f"**mean of {what}**"] + [f"**{percent(mean(some, f))}**" for f in columns.values()], [f"median of {what}"] + [percent(median(map(f, some))) for f in columns.values()]] if some else []
    return table(["example", *columns], rows)


def beside(lists, sizes):
    """Claims, of each form of the code; in bold that which the paper's number is of."""
    measured = {form: claims(l, sizes) for form, l in lists.items()}
    cell = lambda form, r: "" if r is None else f"**{r}**" if r.form == form else str(r)
    return table(["claim", "what", "paper", *lists], [[*k] + [cell(form, m[k]) for form, m in measured.items()] for k in next(iter(measured.values()))])


def variants_table(orders, variants):
    rows = [[v] + [f"{mean(l, lambda e: energy(e, c)):.3f} ({ratio(l, energy, c, f'{d} 3'):.3f})" for l in orders.values() for d in SOFTWARE for c in [f"{d} {n}, {v}"]]
            for v, n in variants]
    return table(["variant"] + [f"{way}: {d}" for way in orders for d in SOFTWARE], rows)


def report(lists, sizes):
    """Markdown."""
    list_, code = lists[PTX], lists[CODE]
    out = ["## Beside the claims", "", "Percent, means over the examples. In bold: of the form of the code that the paper's number is of. In brackets: the best number of entries of those measured.", ""] + beside(lists, sizes)
    out += ["## Figure 15: a cache of one level without flushes", "", "Independent of two-level scheduling; machine code, as figures 20 and 21. Percent: mean (least to most of an example).", ""]
    out += cache_figure(code, sizes, True)
    out += ["## Figure 20: the same under two-level scheduling, 8 active warps", ""] + cache_figure(code, sizes, False)
    out += ["## Figure 21: energy of the cache over that of the baseline", ""]
    out += table(["entries", "no hints", "hints"],
                 [[str(n)] + [f"{mean(code, lambda e: energy(e, f'rfc {n}{h}')):.3f}" for h in (", no hints", "")] for n in sizes])
    what = "Percent of the operands that are read, and of those that are written."
    out += ["## Figure 22: reads and writes of two levels", "", f"{what} PTX, as in all figures below.", ""] + level_figure(list_, sizes, ("rfc", "orf"))
    out += ["## Figure 23: reads and writes of three levels", "", what, ""] + level_figure(list_, sizes, ("rfc2", "lrf+orf", "split-lrf+orf"))
    c = "rfc2 6, flushed at branches"
    out += ["## Figure 24: energy of each organisation over that of the baseline", ""] + energy_figure(list_, sizes)
    out += [f"`rfc2` with 6 entries that flushes at backward branches too: {mean(list_, lambda e: energy(e, c)):.3f}.", ""]
    d = SOFTWARE[-1]
    rows = [[str(n)] + [percent(mean(list_, lambda e: part(e, f"{d} {n}", k))) for _, k in PARTS] for n in sizes]
    out += [f"## Figure 25: where the energy of {d} goes", "", "Percent of the baseline's energy.", ""] + table(["entries"] + [t for t, _ in PARTS], rows)
    out += [f"## Figure 26: {d} with 3 entries, by example", "",
            "Percent of the baseline's energy. *Strand*: instructions that a warp executes in one, on average.", ""]
    out += kernel_figure(lists, f"{d} 3")
    out += ["## Strands", "", "Means of energy saved, percent, with 3 entries, by the length of strands.", ""] + strand_figure(lists)
    out += ["## Performance", "", "IPC over that without a hierarchy: mean, and of the example that loses most.", ""]
    out += table(["configuration", *(x for form in lists for x in (f"{form}: mean", "least"))],
                 [[c] + [x for l in lists.values() for x in (f"{mean(l, ipc(c)):.3f}", f"{min(ipc(c)(e) for e in l):.3f} ({min(l, key=ipc(c)).name})")] for c in [f"{d} 3" for d in DESIGNS]])
    return "\n".join(out)


def report_all(forms, others, sizes, variants):
    """Markdown. forms: examples of the sweeps by the form of their code; others: those that are in no sweep, as PTX."""
    list_, d = forms[PTX], SOFTWARE[-1]
    out = ["## All examples", "", "Energy of the register file saved, percent; PTX.", ""] + everything(list_, others, sizes)
    out += ["## Forms of the code, beside the claims", "", f"Percent, means over the {len(list_)} examples of the sweeps. In brackets: the better of 3 and 6 entries, which alone are measured.", ""] + beside(forms, sizes)
    out += ["## Figure 24 by form", ""]
    for form, l in forms.items():
        out += [f"{form[0].upper()}{form[1:]} (`{' '.join(FORMS[form])}`):", ""] + energy_figure(l, sizes)
    out += [f"## Figure 26 by form: {d} with 3 entries", "",
            "Percent of the baseline's energy. *Strand*: instructions that a warp executes in one, on average.", ""]
    out += kernel_figure(forms, f"{d} 3")
    out += ["## Variants of the allocation", "", "Energy over that of the baseline; in brackets: over the same organisation and form with 3 entries and all",
            "optimisations.", ""] + variants_table({form: forms[form] for form in (PTX, CODE)}, variants)
    return "\n".join(out)
