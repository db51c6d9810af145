#!/usr/bin/env python3
"""The metrics of docs/GLOSSARY.md: every one that `sm-model list metrics` prints, with its unit, its meaning and where it is counted.
Usage: glossary.py BUILD [PAGE] [--write]: says what is missing, gone or different in the page, or writes that part of it anew (make glossary)."""
import glob, re, subprocess, sys

PAGE = next((a for a in sys.argv[2:] if a.endswith(".md")), "docs/GLOSSARY.md")
BEGIN, END = "<!-- metrics: `make glossary` writes what follows -->\n", "<!-- end of metrics -->\n"
STATS, STALLS, LANES = "runtime-model/core/stats.def", "runtime-model/core/stall.def", "runtime-model/core/lanes.def"


def listed(build):
    """Name, meaning and unit of each, in order, and what stands above it if they are not of every run."""
    out = subprocess.run([f"{build}/sm-model", "list", "metrics"], capture_output=True, text=True, check=True).stdout
    rows, above = [], None
    for line in out.splitlines()[1:]:
        row = re.fullmatch(r"  (\S+)\s+(.*) \(([^()]+)\)", line)
        assert row or line[0] != " ", f"sm-model list metrics prints another form: {line}"
        above = above if row else line
        rows += [row.groups() + (above,)] if row else []
    return rows


def readable(c):
    """An expression of stats.def in the names of metrics and parameters."""
    c = re.sub(r"\(double\)|s->|p->", "", c.strip())
    c = re.sub(r"params_warps\(p\)", "warp slots of an SM", c)
    for _ in range(3):
        c = re.sub(r"\b(?:seen_)?ratio\(((?:[^(),]|\([^()]*\))+), ((?:[^(),]|\([^()]*\))+)(?:, [^()]+)?\)",
                   lambda m: " / ".join(f"({x})" if re.search(r"[-+] ", x) else x for x in m.groups()[:2]), c)
    return c


def formulas():
    """What each FORMULA row computes."""
    text = re.sub(r"\s+", " ", open(STATS).read())
    rows = re.findall(r'FORMULA\((\w+), "[^"]*", (.*?), "', text)
    return {name: readable(value) for name, value in rows}


def counting():
    """For each name that the sources of the model count up, the files that do; of what sums up or shows what was counted, nothing."""
    shows = r"/(stats\w*|energy|compare\w*|\w*report|sample)\.c$|/(cli|explain|similar|trace|usage|html|sweep)/"
    strict, loose = {}, {}
    for f in sorted(glob.glob("runtime-model/**/*.[ch]", recursive=True)):
        if re.search(shows, f):
            continue
        text = open(f).read()
        for found, owner in (strict, r"\b(?:st|stats)"), (loose, ""):
            for name in re.findall(owner + r"(?:->|\.)(\w+)\s*(?:\+\+|\+=|-=|=[^=])", text) + re.findall(r"(?:\+\+|&)(?:\w+(?:->|\.))*?" + (owner or r"\w+") + r"(?:->|\.)(\w+)\b", text):
                found.setdefault(name, set()).add(f.removeprefix("runtime-model/"))
    return {name: sorted(strict.get(name) or loose[name]) for name in loose.keys() | strict.keys()}


def table(build):
    text, files, how = open(STATS).read(), counting(), formulas()
    titles, title, lanes = {}, "run", set(re.findall(r"LANES\(\w+,\s*(\w+)", open(LANES).read()))
    for line in text.splitlines():
        heading, row = re.match(r"/\* ([^:*]*?)(?::| \*/).*", line), re.match(r"(?:COUNT|FORMULA)\((\w+)", line)
        if heading and not line.startswith("/* COUNT"):
            title = heading[1].strip().removesuffix(" */")
        if row:
            titles[row[1]] = title if line.startswith("COUNT") else "computed from these"
    slots = set(re.findall(r"STALL\(\w+,\s*(\w+)", open(STALLS).read()))
    out, last = [], None
    for name, what, unit, above in listed(build):
        title = above or "issue slots" if above or name in slots else "lanes that executed" if name in lanes else "reuse" if re.match("reuse(?!_cache_[rw])", name) and name not in how else titles.get(name)
        if title != last:
            out.append(f"\n### Metrics: {title}\n\n| metric | unit | what | where |\n|---|---|---|---|\n")
            last = title
        if name in how:
            parts = re.findall(r"ENERGY_(\w+)", how[name])
            place = "energy.def: " + ", ".join(f"`{p}`" + (" in all" if p.isupper() else "") for p in parts) if parts else f"`{how[name]}`"
        elif above:
            place = "run_facts.c"
        elif name in slots:
            place = "sm/schedule.c, by stall.def"
        elif name in lanes:
            place = "sm/execute.c, by lanes.def"
        else:
            place = ", ".join(files.get(name, []))
        assert place, f"nobody counts {name}"
        out.append(f"| `{name}` | {unit} | {what.replace('|', '/')} | {place} |\n")
    return "".join(out)


def main():
    build, page = sys.argv[1], open(PAGE).read()
    head, rest = page.split(BEGIN)
    old, tail = rest.split(END)
    new = table(build)
    if "--write" in sys.argv:
        open(PAGE, "w").write(head + BEGIN + new + END + tail)
        return 0
    row = re.compile(r"^\| `(\w+)` \|.*$", re.M)
    was, now = ({m[1]: m[0] for m in row.finditer(t)} for t in (old, new))
    bad = [f"{n}: is not in {PAGE}" for n in now if n not in was] + [f"{n}: is in {PAGE}, and no metric" for n in was if n not in now]
    bad += [f"{n}: {PAGE} says {was[n]}, and it is {now[n]}" for n in now if n in was and was[n] != now[n]]
    bad += [f"{PAGE}: the tables of metrics are not those that `make glossary` writes"] if not bad and old != new else []
    print("\n".join(bad) if bad else f"{len(now)} metrics")
    return bool(bad)


sys.exit(main())
