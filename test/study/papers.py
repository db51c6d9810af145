#!/usr/bin/env python3
"""make papers: runs the studies of all five papers, and writes FOLDER/papers.md and papers.svg: every claim of docs/claims.csv with the paper's number, ours
(from the studies' FOLDER/*.claims.csv), a verdict by one rule, and why it differs (docs/reasons.csv). Fails if a claim has neither a number nor a reason
for having none, or differs without a reason; tells reasons that no claim needs any more.
--quick: few examples; a claim that these do not reach must have been measured in docs/results. --pages: no study is run, the page alone is written.
Usage: papers.py BUILD FOLDER [--quick] [--pages]"""
import concurrent.futures, csv, glob, os, resource, subprocess, sys, threading, time
from common import arguments, gnuplot_all
from tables import line

HERE = os.path.dirname(os.path.abspath(__file__))
STUDIES = ("hierarchy", "all", "wir", "regmutex", "gscalar", "corf", "two_level", "usage", "live_registers", "machines")        # longest first
PAPERS = {"corf": ("CORF", "ASPLOS 2019", "CORF.md", ("corf", "machines")), "hierarchical-rf": ("Hierarchical register file", "TOCS 2012", "HIERARCHY.md", ("hierarchy", "usage", "two_level", "machines")),
          "regmutex": ("RegMutex", "ISCA 2018", "REGMUTEX.md", ("regmutex", "live_registers", "machines")), "g-scalar": ("G-Scalar", "HPCA 2017", "GSCALAR.md", ("gscalar", "machines")),
          "wir": ("WIR", "HPCA 2018", "WIR.md", ("wir", "machines"))}
COMMANDS = {"corf": "make study-corf", "hierarchy": "make study-hierarchy", "usage": "make study-usage", "two_level": "make study-two-level", "regmutex": "make study-regmutex",
            "gscalar": "make study-gscalar", "wir": "make study-wir", "machines": "make papers"}
VERDICTS = ("agrees", "same direction", "differs", "not measured")
COLOURS = {"agrees": "#2f7d4f", "same direction": "#3f78bd", "differs": "#c8692b"}
SIGNS = {"=": "", "<": "below ", "<=": "up to ", "~": "about ", ">=": "at least ", ">": "above "}
UNITS = {"percent": " %", "ratio": "", "count": ""}
KEY = ("id", "metric", "configuration", "scope")

HEAD = """# What the papers claim, and what we measure

Written by `make papers`, which runs the studies of all papers; of one paper: the command in its table's last column. Each row is a number of a paper ([claims.csv](../claims.csv)) beside the same
of our programs and machines. *Of*: how many programs ours is the mean of.

- **agrees**: within 10 % of the paper's number, or within 2 points of a percentage if that is at most half of it; of ratios to the baseline and of performance that is kept, within 2 points of them.
  *Up to*, *above* and the like hold within as much; so do the ends of a range.
- **same direction**: on the same side of no change (0; of ratios to the baseline 1, of performance that is kept 100 %), and a quarter to four times as far from it.
- **differs**: neither. Each row that does not agree has its reason, which is measured where the link goes.
- **not measured**: what the model has no number for, with the reason.

"""


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
def bound(claim):
    """Of a range's ends, which a mean is to lie between, too."""
    if claim["paper"] == "hierarchical-rf" and claim["scope"] in ("least", "most"):
        return ">=" if claim["scope"] == "least" else "<="
    return claim["bound"]


def unchanged(claim):
    """What a number that is kept, in percent or as a ratio to the baseline's, is if nothing changes; of others 0."""
    return 1 if claim["what"].startswith("over the baseline") and claim["unit"] == "ratio" else 100 if (claim["metric"], claim["unit"]) == ("ipc", "percent") else 0


def verdict(claim, ours):
    paper, b, none = float(claim["value"]), bound(claim), unchanged(claim)
    if none:
        slack = none / 50
    else:
        slack = max(abs(paper) / 10, min(2, abs(paper) / 2) if claim["unit"] == "percent" else 0)
    slack += 1e-9
    if {"<": ours <= paper + slack, "<=": ours <= paper + slack, ">": ours >= paper - slack, ">=": ours >= paper - slack}.get(b, abs(ours - paper) <= slack):
        return "agrees"
    far, ours_far = paper - none, ours - none
    return "same direction" if far * ours_far > 0 and 0.25 <= ours_far / far <= 4 else "differs"


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
    needed = set()
    for c, key in zip(claims, keys):
        m = measured.get(key)
        c["ours"], c["study"] = (float(m["ours"]), m["study"]) if m else (None, "")
        c["programs"], c["of"] = (m["programs"], m["of"]) if m else ("", "")
        c["verdict"] = verdict(c, c["ours"]) if m else "not measured"
        kind = "differs" if m else "unmeasured"
        found = [i for i, r in enumerate(reasons) if r["kind"] == kind and matches(r, c)]
        c["reason"] = reasons[found[0]] if found and c["verdict"] != "agrees" else None
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
    where = [x for x in (c["configuration"], c["scope"]) if x and x not in ("all", "average", "machine")]
    return c["metric"].replace("_", " ") + (f": {c['what']}" if c["what"] else "") + (f" ({', '.join(where)})" if where else "")


def page(claims):
    out = [line(["paper", "claims", *VERDICTS]), "|---" + "|--:" * 5 + "|"]
    count = lambda some: [str(len(some))] + [str(sum(c["verdict"] == v for c in some)) for v in VERDICTS]
    constant = lambda c: c["study"] == "machines" or c["scope"] in ("machine", "format")
    for paper, (title, venue, doc, _) in PAPERS.items():
        out.append(line([f"[{title}](#{title.lower().replace(' ', '-')}-{venue.lower().replace(' ', '-')}), {venue}", *count([c for c in claims if c["paper"] == paper and not constant(c)])]))
    out.append(line(["**measured behaviour**", *(f"**{n}**" for n in count([c for c in claims if not constant(c)]))]))
    out.append(line(["machines, energies and formats", *count([c for c in claims if constant(c)])]))
    out += ["", "![Ours over the paper's number](papers.svg)", "",
            "Ours over the paper's number, a point for each claim about behaviour (but RM-8, registers of other programs), by the number of its id. Points at the edges lie beyond, or have the other sign.", ""]
    for paper, (title, venue, doc, pages) in PAPERS.items():
        out += [f"## {title}, {venue}", "", f"Tables and figures: {', '.join(f'[{p}]({p}.md)' for p in pages)}; what was built, and what differs: [{doc[:-3]}](../{doc}).", "",
                line(["claim", "what", "the paper", "ours", "of", "verdict", "why", "command"]), "|---|---|--:|--:|--:|---|---|---|"]
        for c in (c for c in claims if c["paper"] == paper):
            out.append(line([c["id"], what(c), SIGNS[c["bound"]] + with_unit(f"{float(c['value']):g}", c["unit"]), with_unit(figure(c["ours"], c["unit"]), c["unit"]) if c["ours"] is not None else "",
                             c["programs"], c["verdict"] if c["verdict"] != "differs" else "**differs**", why(c), f"`{COMMANDS[c['study']]}`" if c["study"] else ""]))
        out.append("")
    return HEAD + "\n".join(out)


def draw(path, claims):
    """Ours over the paper's, a picture for each paper and a column for each claim, on a scale of factors; the edge: beyond, or the other sign."""
    low, high, pictures = 0.1, 10, []
    for paper, (title, _, _, _) in PAPERS.items():
        mine = [c for c in claims if c["paper"] == paper and c["ours"] is not None and c["study"] != "machines" and float(c["value"]) and c["id"] != "RM-8"]
        if not mine:
            continue
        blocks, tics = {v: [] for v in COLOURS}, {}
        for n, c in enumerate(mine):
            blocks[c["verdict"]].append(f"{n} {min(max(c['ours'] / float(c['value']), low), high):.4f}")
            tics.setdefault(c["id"].split("-")[1], n)
        shown, marks = {v: b for v, b in blocks.items() if b}, ", ".join(f"'{t}' {n}" for t, n in tics.items())
        pictures.append(([f"set title '{title}' offset 0,-0.7", f"set xrange [-1:{len(mine)}]", f"set xtics ({marks}) scale 0.4 font ',8'"], list(shown.values()),
                         [f"$d{i} with points pt 7 ps 0.7 lc rgb '{COLOURS[v]}' title '{v}'" for i, v in enumerate(shown)]))
    gnuplot_all(path, "1000,1150", (len(pictures), 1), ["set logscale y", f"set yrange [{low * 0.9}:{high * 1.1}]", "set ytics ('1/10' 0.1, '1/4' 0.25, '1/2' 0.5, '1' 1, '2' 2, '4' 4, '10' 10)",
                "set grid ytics", "set key outside right center vertical", "set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb 'black'"], pictures)


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
    print(f"{len(claims)} claims: " + ", ".join(f"{sum(c['verdict'] == v for c in claims)} {v}" for v in VERDICTS) + f"; {folder}/papers.md")
    sys.exit(1 if wrong else 0)


main()
