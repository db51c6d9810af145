#!/usr/bin/env python3
"""tests.py [TABLE] [--write]: every test is in test/tests.txt, every room of docs/rooms.txt has one, and every name there is real; --write writes the table
of test/README.md, which is checked otherwise. A script that is no test is one that another, or the README.md beside it, names."""
import glob, os, re, subprocess, sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
KINDS = ["unit", "property", "fuzz", "program", "script"]
FOLDERS = ["script", "sass", "cuda", "conform", "web", "packaging", "tool"]
MARK = "<!-- table: make tests-table -->\n"
write = "--write" in sys.argv
path = ([a for a in sys.argv[1:] if a != "--write"] or ["test/tests.txt"])[0]
bad = []


def fields(file):
    return [[f.strip() for f in line.split("|")] for line in open(file) if line.strip() and not line.startswith("#")]


def names(pattern, begin, end):
    return {f[len(begin):-len(end)] for f in glob.glob(pattern)}


rooms = [f[0] for f in fields("docs/rooms.txt") if "{" not in f[0]]
tests = {kind: {} for kind in KINDS}
for first, where, seconds, *rest in fields(path):
    kind, name = first.split(" ")[:2]
    if name in tests[kind]:
        bad.append(f"{kind} {name}: two rows")
    tests[kind][name] = where.split(), 0 if rest[:1] == ["hand"] else float(seconds.split("/")[0])
    bad += [f"{kind} {name}: no room {room}" for room in where.split() if room not in rooms]
    wanted = {"property": r"\d+", "program": "check|full|alone|hand", "script": "check|full|alone|hand"}.get(kind)
    if wanted and not (rest and re.fullmatch(wanted, rest[0])):
        bad.append(f"{kind} {name}: {wanted} is wanted behind the seconds")

found = {"unit": names("test/unit/t_*.c", "test/unit/t_", ".c"), "property": names("test/prop/p_*.c", "test/prop/p_", ".c"),
         "fuzz": names("test/fuzz/f_*.c", "test/fuzz/f_", ".c"), "program": {"conform", "approx", "exact"}}
for kind in found:
    bad += [f"{kind} {name}: has no row" for name in sorted(found[kind] - tests[kind].keys())]
    bad += [f"{kind} {name}: there is none" for name in sorted(tests[kind].keys() - found[kind])]
bad += [f"script {name}: there is none" for name in tests["script"] if not os.access("test/" + name, os.X_OK)]
files = subprocess.run(["git", "ls-files", "test", "Makefile", "*.mk"], capture_output=True, text=True).stdout.split()
code = {f: re.sub(r"^ *#.*", "", open(f).read(), flags=re.M) for f in files if re.search(r"(\.sh|\.py|\.mk|^Makefile)$", f) and os.path.exists(f)}
for f in sorted(sum([glob.glob(f"test/{folder}/*.{end}") for folder in FOLDERS for end in ("sh", "py")], [])):
    base, page = os.path.basename(f), os.path.dirname(f) + "/README.md"
    named = any(f in text or f"from {base[:-3]} import" in text for other, text in code.items() if other != f)
    if f[5:] not in tests["script"] and not named and not (os.path.exists(page) and f"`{base}`" in open(page).read()):
        bad.append(f"{f}: neither a test of {path} nor named by any, nor by {page}")
bad += [f"{f}: lies loose in test/" for f in sorted(os.listdir("test")) if os.path.isfile("test/" + f) and f not in ("README.md", "tests.txt", "test.mk", "run.sh", "lib.sh", ".clang-tidy")]
short = [os.path.basename(name).rsplit(".", 1)[0] for name in tests["script"]]
bad += [f"script {name}: two of that name" for name in sorted({n for n in short if short.count(n) > 1})]


def row(title, has):
    def those(*kinds):
        return [(kind, name, s) for kind in kinds for name, (where, s) in tests[kind].items() if has(where)]
    unit, random, scripts = those("unit"), those("property", "fuzz"), those("program", "script")
    shown = [", ".join(n for _, n, _ in unit), ", ".join(("corpus " if k == "fuzz" else "") + n for k, n, _ in random),
             ", ".join(os.path.basename(n).rsplit(".", 1)[0] for _, n, _ in scripts)]
    if not unit + random + scripts:
        bad.append(f"{title}: no test")
    return f"| {title} | {' | '.join(shown)} | {sum(s for _, _, s in unit + random + scripts):.0f} |\n"


table = "| Room | Unit suites | Properties, fuzz corpora | Scripts | Seconds |\n|---|---|---|---|---|\n"
table += "".join(row(f"`{room}`", lambda where: room in where) for room in rooms) + row("the repository", lambda where: not where)
page = open("test/README.md").read()
before, old, after = page.split(MARK)
if write:
    open("test/README.md", "w").write(before + MARK + table + MARK + after)
elif old != table:
    bad.append("test/README.md: its table is not that of test/tests.txt (make tests-table)")
print("\n".join(bad) or f"{sum(len(t) for t in tests.values())} tests, {len(rooms)} rooms")
sys.exit(bool(bad))
