#!/usr/bin/env python3
"""make papers: runs the studies of all five papers, and writes FOLDER/papers.md and papers.svg: every claim of docs/claims.csv with the paper's number, ours
(from the studies' FOLDER/*.claims.csv), a verdict by one rule, and why it differs (docs/reasons.csv). Fails if a claim has neither a number nor a reason
for having none, or differs without a reason; tells reasons that no claim needs any more.
--quick: few examples; a claim that these do not reach must have been measured in docs/results. --pages: no study is run, the page alone is written.
Usage: papers.py BUILD FOLDER [--quick] [--pages]"""
import concurrent.futures, csv, glob, os, resource, subprocess, sys, threading, time
from common import READINGS, arguments, gnuplot_all
from tables import line

HERE = os.path.dirname(os.path.abspath(__file__))
STUDIES = ("all", "hierarchy", "wir", "regmutex", "corf", "gscalar", "two_level", "usage", "live_registers", "machines")        # longest first
PAPERS = {"corf": ("CORF", "ASPLOS 2019", "CORF.md", ("corf", "machines")), "hierarchical-rf": ("Hierarchical register file", "TOCS 2012", "HIERARCHY.md", ("hierarchy", "hierarchy_all", "usage", "two_level", "machines")),
          "regmutex": ("RegMutex", "ISCA 2018", "REGMUTEX.md", ("regmutex", "live_registers", "machines")), "g-scalar": ("G-Scalar", "HPCA 2017", "GSCALAR.md", ("gscalar", "gscalar_all", "machines")),
          "wir": ("WIR", "HPCA 2018", "WIR.md", ("wir", "wir_all", "machines"))}
COMMANDS = {"corf": "make study-corf", "hierarchy": "make study-hierarchy", "usage": "make study-usage", "two_level": "make study-two-level", "regmutex": "make study-regmutex",
            "gscalar": "make study-gscalar", "wir": "make study-wir", "machines": "make papers"}
VERDICTS = ("agrees", "same direction", "near", "same sign, far", "no change", "differs", "not measured")
COLOURS = {"agrees": "#2f7d4f", "same direction": "#3f78bd", "near": "#3f78bd", "same sign, far": "#8c8c8c", "no change": "#8c8c8c", "differs": "#c8692b"}
COUNTED = ("change", "share")           # kinds of claim that are measured behaviour
NUMBERS = ("number", "input")           # that are no behaviour, and so are to be the same
SIGNS = {"=": "", "<": "below ", "<=": "up to ", "~": "about ", ">=": "at least ", ">": "above "}
UNITS = {"percent": " %", "ratio": "", "count": ""}
KEY = ("id", "metric", "configuration", "scope")

HEAD = """# What the papers claim, and what we measure

Written by `make papers`, which runs the studies of all papers; of one paper: the command in its table's last column. Each row is a number of a paper ([claims.csv](../claims.csv)) beside the same
of our programs and machines. *Programs*: how many ours is taken over; *ours is*: in which sense, with second numbers; *suite*: the mean over programs of Rodinia and Parboil, by `make study-suite`.

- **agrees**: within 10 % of the paper's number; of percentages also within 1 point, if that is at most a fifth of the number. Of a ratio to the baseline, and of performance that is kept, the number is
  the change (1.04: 4 points); of no change it is within 1 point. *Above*, and the ends of a range, hold within as much; *up to* and *below* too, but only from a quarter of the number on.
- **same direction**, of changes against a baseline: on the same side of no change, and half to twice as far from it. **same sign, far**: on the same side, and less or more than that.
- **near**, of shares and counts: half to twice the number.
- **no change**: ours does not agree, and is within noise: no change lies in the 95 % interval of its mean over runs under random delays ([noise](../SAMPLING.md#noise)), whose half-width stands behind *+-*.
  Claims of cycles and IPC alone are of such runs.
- **differs**: none of these. Each row that does not agree has its reason, which is measured where the link goes.
- **not measured**: what the model has no number for, with the reason.

*Median*, *geometric*: the other means of the same programs, of percentages as of the ratios that they change; the geometric one only where all are above 0. *Ours is* names outliers, beyond Tukey's outer fences.

Kinds of claim (column *kind* of [claims.csv](../claims.csv)): *change* and *share* are measured behaviour, and alone are counted as such. *number*: parameters of machines, energies, formats, and formulas of the papers
with our parameters; there *agrees* is within 1 %. *input*: what a paper's costs or our own were made from, in other units (57 mW of logic; every access at the price of one level), also within 1 %. *program*: registers that a compiler gives to a program (RM-8). *derived*: a constant of the paper times another claim (HRF-25). Each number of a paper is one row; a range is one.

"""


# What each paper's numbers are taken from: programs, machine and options, what was made for it.
ABOUT = {
    "corf": ["All 59 examples on `--machine corf`, compiled for it; averages over all are 3/4 of the mean of 21 integer examples and 1/4 of that of 38 float ones, the proportion of the paper's benchmarks (*3 : 1*); plain",
             "means are in [corf](corf.md), with those of addresses of 32 bits. CORF++ has the paper's heuristic, `--align=paper`. `corf` and `corf++` are with register virtualization (`residency=rfv`); in [all](all.md) they are without."],
    "hierarchical-rf": ["29 short examples (`SWEPT` in `test/study/common.py`) on `--machine hierarchical-rf`, two-level scheduling with 8 active warps, at the paper's best numbers of entries (3, of the two-level cache 6): of PTX as",
                        "it is (`--no-fold --schedule=none`) what the paper has of PTX, from section 7.5 on, and of machine code what it has of traces ([why](../HIERARCHY.md#forms)); the other form beside it. The other 30 examples are in",
                        "[hierarchy_all](hierarchy_all.md)."],
    "regmutex": ["On `--machine regmutex`, a GTX 480, and on the same with half the register file: 8 and 9 kernels that [stand for those](../REGMUTEX_RESULTS.md#what-is-measured) of Table I, with the paper's rule for the size (`--regmutex=paper`);",
                 "[all](all.md) has our rule, `--regmutex=auto`. `rfv` is `rfv-shared`. For RM-8 programs of Table I's names were written anew from the algorithms."],
    "g-scalar": ["17 examples after the paper's benchmarks on `--machine g-scalar`, written anew from the algorithms and with far smaller inputs; `channel` stands for LBM and `leukocyte` for LC. All 59 are in [gscalar_all](gscalar_all.md)."],
    "wir": ["32 examples after the paper's benchmarks on `--machine wir`, written anew and with far smaller inputs; four of them (`dxtc`, `fdtd3d`, `streamcluster`, `blackscholes`) have inputs that were written to show computations that",
            "repeat: the means without these stand beside; all 59 are in [wir_all](wir_all.md). Entries of the reuse buffer have the paper's 59 bits (`reuse_field_bits=10`, 9.9 KB) where a row does not say 135, our default (12.3 KB)."]}


def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


# ---- running the studies ----
class Progress:
    """On a terminal a line that changes; elsewhere a line for each study that ends."""

    def __init__(self, names):
        self.start, self.left, self.now, self.lock = time.time(), len(names), [], threading.Lock()

    def show(self, text=""):
        with self.lock:
            if text:
                print(f"\r\033[K{text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)
            if sys.stderr.isatty():
                print(f"\r\033[K{time.time() - self.start:4.0f} s  {self.left} to go: {', '.join(self.now)}", end="\n" if not self.left else "", file=sys.stderr, flush=True)


def run_studies(build, folder, quick):
    """Names of those that failed."""
    names = [n for n in STUDIES if os.path.exists(f"{HERE}/{n}.py")]
    progress, failed = Progress(names), []

    def one(name):
        progress.now.append(name)
        progress.show()
        begun = time.time()
        done = subprocess.run([f"{HERE}/{name}.py", build, folder] + ["--quick"] * quick, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        progress.now.remove(name)
        progress.left -= 1
        if done.returncode:
            failed.append(name)
        progress.show(f"{name:15} {time.time() - begun:6.1f} s" + (f"  FAILED\n{done.stderr}" if done.returncode else ""))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:        # each has as many workers as there are cores; the second fills what the end of one leaves
        list(pool.map(one, names))
    of = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(names)} studies in {time.time() - progress.start:.0f} s, {of.ru_utime + of.ru_stime:.0f} s of a core", file=sys.stderr)
    return failed


# ---- judging ----
def unchanged(claim):
    """What a number that is kept, in percent or as a ratio to the baseline's, is if nothing changes; of others 0."""
    return 1 if claim["what"].startswith("over the baseline") and claim["unit"] == "ratio" else 100 if (claim["metric"], claim["unit"]) == ("ipc", "percent") else 0


def slack(claim, change, point):
    """By how much ours may lie beside a change against what is unchanged, or a number."""
    if claim["kind"] in NUMBERS + ("derived",):
        return abs(change) * (0.01 if claim["kind"] in NUMBERS else 0.1)
    return max(abs(change) / 10, min(point, abs(change) / 5) if change else point)


def verdict(claim, ours):
    none, points = unchanged(claim), claim["unit"] == "percent" or claim["unit"] == "ratio" and unchanged(claim)
    point = (0.01 if claim["unit"] == "ratio" else 1) if points else 0
    low, mine = float(claim["value"]) - none, ours - none
    high = float(claim["most"]) - none if claim["most"] else low
    within = claim["kind"] == "change" and abs(mine) <= float(claim.get("noise") or 0)
    mine = 0 if within else mine        # what is within noise agrees with claims of no change alone
    beside = {"<": 0.25 * low <= mine, "<=": 0.25 * low <= mine, ">": True, ">=": True}
    under, over = mine >= low - slack(claim, low, point) - 1e-9, mine <= high + slack(claim, high, point) + 1e-9
    if beside[claim["bound"]] and (over if claim["bound"][0] == "<" else under) if claim["bound"] in beside else under and over:
        return "agrees"
    if within:
        return "no change"
    nearest = high if abs(mine) > abs(high) else low
    if claim["kind"] in ("share", "program"):
        return "near" if nearest and 0.5 <= mine / nearest <= 2 else "differs"
    if claim["kind"] in NUMBERS or nearest * mine <= 0:
        return "differs"
    return "same direction" if 0.5 <= mine / nearest <= 2 else "same sign, far"


def ranges_as_one(claims):
    """The lowest and the highest average that a paper has are one row: value to most."""
    by, out = {tuple(c[k] for k in KEY): c for c in claims}, []
    for c in claims:
        other = {"least": "most", "most": "least"}.get(c["scope"])
        pair = by.get((*(c[k] for k in KEY[:3]), other)) if other else None
        c["most"] = ""
        if pair and c["scope"] == "least":
            c["most"] = pair["value"]
        if not pair or c["scope"] == "least":
            out.append(c)
    return out


def matches(reason, claim):
    return all(reason[k] in ("*", claim[k]) for k in KEY)


def judge(folder, quick):
    """Claims with what is measured and the reason, and everything that is wrong with them."""
    claims, reasons, wrong = rows_of("docs/claims.csv"), rows_of("docs/reasons.csv"), []
    measured, elsewhere = {}, set()
    for path in sorted(glob.glob(f"{folder}/*.claims.csv")):
        for r in rows_of(path):
            measured.setdefault(tuple(r[k] for k in KEY), {**r, "study": os.path.basename(path)[:-len(".claims.csv")]})
    if quick:
        elsewhere = {tuple(r[k] for k in KEY) for path in glob.glob("docs/results/*.claims.csv") for r in rows_of(path)}
    keys = [tuple(c[k] for k in KEY) for c in claims]
    wrong += [f"claim {' '.join(k)} stands twice in docs/claims.csv" for k in {k for k in keys if keys.count(k) > 1}]
    wrong += [f"{' '.join(k)} is measured and no claim" for k in measured if k not in keys]
    needed, claims = set(), ranges_as_one(claims)
    for c in claims:
        key = tuple(c[k] for k in KEY)
        m = measured.get(key)
        c["ours"], c["study"] = (float(m["ours"]), m["study"]) if m else (None, "")
        c |= {k: m.get(k, "") if m else "" for k in ("programs", "of", "noise", "median", "geometric", "outliers", "without", *READINGS, "few warps", "many warps")}
        c["verdict"] = verdict(c, c["ours"]) if m else "not measured"
        kind = "differs" if m else "unmeasured"
        found = [i for i, r in enumerate(reasons) if r["kind"] == kind and matches(r, c)]
        c["reason"] = reasons[found[0]] if found and c["verdict"] != "agrees" else None
        if quick and not m and not found:
            c["reason"] = {"reason": "no example of the few reaches it; measured in docs/results", "link": ""}
        if c["verdict"] != "agrees":
            needed.update(found[:1])
        name = " ".join(k for k in key if k)
        if not m and not found and key not in elsewhere:
            wrong.append(f"{name}: no study measures it, and docs/reasons.csv does not say why")
        if m and not quick and c["verdict"] != "agrees" and not found:
            wrong.append(f"{name}: {c['verdict']} (the paper {c['value']}, ours {c['ours']:.4g}), and docs/reasons.csv does not say why")
    stale = [] if quick else [" ".join(reasons[i][k] for k in KEY) for i in range(len(reasons)) if i not in needed]
    return claims, wrong, stale


# ---- the page ----
def figure(v, unit):
    digits = 0 if v == int(v) and abs(v) >= 100 else 2 if unit in ("ratio", "pJ", "mW", "GHz", "mm") or abs(v) < 1 else 1
    text = f"{v:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_unit(text, unit):
    return text + UNITS.get(unit, f" {unit}")


def why(c):
    r = c["reason"]
    if not r:
        return ""
    return r["reason"] + (f" ([more](../{r['link']}))" if r["link"] else "")


def what(c):
    where = [x for x in (c["configuration"], c["scope"]) if x and x not in ("all", "average", "machine", "format") and not c["most"]]
    text = c["what"].replace("the lowest average", "the lowest and the highest average") if c["most"] else c["what"]
    return c["metric"].replace("_", " ") + (f": {text}" if text else "") + (f" ({', '.join(where)})" if where else "")


def suite_means():
    """Over the programs of the suite (suite.py), where it was run."""
    path = "docs/results/suite.csv"
    return {tuple(r[k] for k in KEY): float(r["value"]) for r in rows_of(path) if r["program"] == "mean"} if os.path.exists(path) else {}


def page(claims):
    suite = suite_means()
    out = [line(["paper", "claims", *VERDICTS]), "|---" + "|--:" * (1 + len(VERDICTS)) + "|"]
    count = lambda some: [str(len(some))] + [str(sum(c["verdict"] == v for c in some)) for v in VERDICTS]
    for paper, (title, venue, doc, _) in PAPERS.items():
        out.append(line([f"[{title}](#{title.lower().replace(' ', '-')}-{venue.lower().replace(' ', '-')}), {venue}", *count([c for c in claims if c["paper"] == paper and c["kind"] in COUNTED])]))
    out.append(line(["**measured behaviour**", *(f"**{n}**" for n in count([c for c in claims if c["kind"] in COUNTED]))]))
    for title, kinds in (("registers of other programs (RM-8)", ("program",)), ("derived (HRF-25)", ("derived",)), ("inputs (CORF-E3, HRF-16)", ("input",)), ("machines, energies, formats, formulas", ("number",))):
        out.append(line([title, *count([c for c in claims if c["kind"] in kinds])]))
    out += ["", "![Ours over the paper's number](papers.svg)", "",
            "Ours over the paper's number, of ratios to a baseline our change over the paper's; a point for each claim about behaviour, by the number of its id. Open points at the edges: triangles lie beyond, crosses at the lower edge have the "
            "other sign or show no change.", ""]
    for paper, (title, venue, doc, pages) in PAPERS.items():
        out += [f"## {title}, {venue}", "", f"Tables and figures: {', '.join(f'[{p}]({p}.md)' for p in pages)}; what was built, and what differs: [{doc[:-3]}](../{doc}).", "", *ABOUT[paper], "",
                line(["claim", "what", "the paper", "ours", "median", "geometric", *["suite"] * bool(suite), "programs", "ours is", "verdict", "why", "command"]), "|---|---|--:|--:|--:|--:|" + "--:|" * bool(suite) + "--:|---|---|---|---|"]
        for c in (c for c in claims if c["paper"] == paper):
            mine = lambda k: figure(float(c[k]), c["unit"]) if c[k] else ""
            without = f"{'; ' if c['of'] else ''}without {c['outliers'].replace(' ', ', ')} {mine('without')}" if c["outliers"] else ""
            out.append(line([c["id"], what(c), SIGNS[c["bound"]] + with_unit(f"{float(c['value']):g}" + (f" to {float(c['most']):g}" if c["most"] else ""), c["unit"]), (with_unit(figure(c["ours"], c["unit"]), c["unit"]) if c["ours"] is not None else "") + (f" +- {mine('noise')}" if c["noise"] else ""),
                             mine("median"), mine("geometric"), *[with_unit(figure(suite[k], c["unit"]), c["unit"]) if k in suite else "" for k in [tuple(c[x] for x in KEY)] * bool(suite)],
                             c["programs"], c["of"] + without, c["verdict"] if c["verdict"] != "differs" else "**differs**", why(c), f"`{COMMANDS[c['study']]}`" if c["study"] else ""]))
        out.append("")
    return HEAD + "\n".join(out + energies(claims))


def energies(claims):
    """Claims of energy by three readings of what no source gives, without outliers, and by how many warps an SM has."""
    mine = [c for c in claims if c["fitted"]]
    cells = lambda c, keys: [f"{figure(float(c[k]), c['unit'])}" if c[k] else "" for k in keys]
    return ["## What hangs on two fitted factors", "", "Claims of the energy of SMs and of GPUs by [three readings](../ENERGY_SOURCES.md#two-factors). *Unfitted*: collectors by entry and width as GPUWattch has them, and the published power of leakage and clock, though much of our GPU is idle. "
            "*Fitted*: as the model has both. *Dynamic*: those collectors, and no energy that goes by time. With *few warps*, *many warps*: the two halves of the programs, by warps resident on an SM, fitted.", "",
            line(["claim", "what", "the paper", *(x for r in READINGS for x in (r, "verdict")), "fitted, without outliers", "outliers", "few warps", "many warps"]), "|---|---|--:" + "|--:|---" * len(READINGS) + "|--:|---|--:|--:|"] + [
            line([c["id"], what(c), SIGNS[c["bound"]] + f"{float(c['value']):g}", *(x for r in READINGS for x in (*cells(c, (r,)), verdict(c, float(c[r])))), *cells(c, ("without",)), c["outliers"], *cells(c, ("few warps", "many warps"))])
            for c in mine] + [""]


def factor(c):
    """Ours over the paper's; of what has a change, its change over the paper's. None: the paper has no change."""
    none, ends = unchanged(c), [float(v) for v in (c["value"], c["most"]) if v]
    if ends[0] == none:
        return None
    inside = len(ends) == 2 and ends[0] <= c["ours"] <= ends[1]
    nearest = c["ours"] if inside else min(ends, key=lambda v: abs(v - c["ours"]))
    return (c["ours"] - none) / (nearest - none)


def draw(path, claims):
    """Ours over the paper's, a picture for each paper and a column for each id, on a scale of factors; the edges: beyond, or the other sign."""
    low, high, pictures = 0.1, 10, []
    for paper, (title, _, _, _) in PAPERS.items():
        mine = [(c, factor(c)) for c in claims if c["paper"] == paper and c["ours"] is not None and c["kind"] in COUNTED and factor(c) is not None]
        if not mine:
            continue
        blocks, at, tics = {(v, s): [] for v in COLOURS for s in (7, 8, 2)}, -1.0, {}
        for c, f in mine:
            id_ = c["id"].split("-")[1]
            at += 1 if id_ in tics else 1.6         # ids with a gap between them
            tics.setdefault(id_, []).append(at)
            shape = 2 if f <= 0 else 7 if low <= f <= high else 8
            blocks[c["verdict"], shape].append(f"{at:.2f} {min(max(f, low), high):.4f}")
        shown, marks = {k: b for k, b in blocks.items() if b}, ", ".join(f"'{t}' {sum(xs) / len(xs):.2f}" for t, xs in tics.items())
        plots = [f"$d{i} with points pt {s} ps 0.8 lw 1.5 lc rgb '{COLOURS[v]}' notitle" for i, (v, s) in enumerate(shown)]
        plots += [f"NaN with points pt {s} ps 0.8 lw 1.5 lc rgb '{colour}' title '{t}'" for t, s, colour in (
            ("agrees", 7, COLOURS["agrees"]), ("same direction, near", 7, COLOURS["near"]), ("same sign, far", 7, COLOURS["same sign, far"]), ("differs", 7, COLOURS["differs"]),
            ("beyond the edge", 8, "black"), ("other sign, or none", 2, "black"))] if not pictures else []
        pictures.append(([f"set title '{title}' offset 0,-0.7", f"set xrange [-0.5:{at + 1:.2f}]", f"set xtics ({marks}) scale 0 font ',9'", "set key outside top center horizontal" if plots[-1].startswith("NaN") else "unset key"], list(shown.values()), plots))
    gnuplot_all(path, "1000,1250", (len(pictures), 1), ["set logscale y", f"set yrange [{low * 0.85}:{high * 1.18}]", "set ytics ('1/10' 0.1, '1/4' 0.25, '1/2' 0.5, '1' 1, '2' 2, '4' 4, '10' 10)",
                "set grid ytics", "set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb 'black'"], pictures)


def main():
    build, folder, flags = arguments("quick", "pages")
    if not folder:
        sys.exit("usage: papers.py BUILD FOLDER [--quick] [--pages]")
    quick = "quick" in flags
    failed = [] if "pages" in flags else run_studies(build, folder, quick)
    if failed:
        sys.exit(f"papers: not written, as these failed: {', '.join(failed)}")
    claims, wrong, stale = judge(folder, quick)
    with open(f"{folder}/papers.md.new", "w") as f:
        f.write(page(claims))
    os.replace(f"{folder}/papers.md.new", f"{folder}/papers.md")
    draw(f"{folder}/papers.svg", claims)
    for s in stale:
        print(f"papers: no claim needs this reason any more: {s}", file=sys.stderr)
    for w in wrong:
        print(f"papers: {w}", file=sys.stderr)
    print(f"{len(claims) + sum(c['most'] != '' for c in claims)} claims in {len(claims)} rows: " + ", ".join(f"{sum(c['verdict'] == v for c in claims)} {v}" for v in VERDICTS) + f"; {folder}/papers.md")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
