#!/usr/bin/env python3
"""layers.py [BUILD] [--write]: rooms include and link one way, as docs/rooms.txt says.

Every folder of sources has a row there; a row uses rooms of earlier rows alone; no file includes, and with BUILD no object links, what its row does
not name; docs/ARCHITECTURE.md has the same table, docs/rooms.dot the same edges.  --write makes the last two so.  ROOT: another tree."""
import collections, glob, os, re, subprocess, sys

WRITE = "--write" in sys.argv
BUILD = next((a for a in sys.argv[1:] if a != "--write"), None)
ROOTS = "analyzer", "passes", "runtime-model"
wrong = []


def read_table():
    """[(room or pattern of files, [what it uses], what it holds)]"""
    rows = []
    for number, line in enumerate(open("docs/rooms.txt"), 1):
        if not line.startswith("#"):
            name, uses, what = (cell.strip() for cell in line.split("|"))
            rows.append((name, uses.split(), what))
            for used in uses.split():
                if room_of(used) not in [r[0] for r in rows[:-1]] and used not in [r[0] for r in rows[:-1]]:
                    wrong.append(f"docs/rooms.txt:{number}: {name} uses {used}, which is in no earlier row")
    return rows


def room_of(file):
    """The room of a file or header: its folder; tables of a folder inside a room are the room's."""
    folder = os.path.dirname(file)
    return os.path.dirname(folder) if os.path.basename(folder) == "ops" else folder


def files_of(name):
    """Of a row that names files: these."""
    folder, names = re.fullmatch(r"(.*)/\{(.*)\}", name).groups()
    return [f"{folder}/{n}" for n in names.split(",")]


def allowed(row, header):
    name, uses, _ = row
    room = room_of(files_of(name)[0]) if "{" in name else name
    return room_of(header) == room or header in uses or room_of(header) in uses


def check_includes(rows):
    rooms = {r[0]: r for r in rows if "{" not in r[0]}
    strict = {f: r for r in rows if "{" in r[0] for f in files_of(r[0])}
    sources = [f for root in ROOTS for f in glob.glob(f"{root}/**/*.[ch]", recursive=True) + glob.glob(f"{root}/**/*.def", recursive=True)]
    for file in sorted(sources):
        if room_of(file) not in rooms:
            wrong.append(f"{file}: its folder has no row in docs/rooms.txt")
            continue
        for number, line in enumerate(open(file), 1):
            found = re.match(r'#include "((?:%s)/[^"]+)"' % "|".join(ROOTS), line)
            for row in (rooms[room_of(file)], strict.get(file)):
                if found and row and not allowed(row, found[1]):
                    wrong.append(f"{file}:{number}: {row[0]} may not include {found[1]}")


def check_links(rows):
    """What an object leaves undefined is defined in its room, or in one that it may use."""
    uses = {name: set(map(lambda u: room_of(u) if u.endswith((".h", ".def")) else u, used)) for name, used, _ in rows}
    objects = [o for root in ROOTS for o in glob.glob(f"{BUILD}/{root}/**/*.o", recursive=True)]
    sources = {o: o[len(BUILD) + 1:-2] for o in objects}
    objects = [o for o in objects if os.path.exists(sources[o] + ".c") or "/lanes_" in o]
    defined, undefined = {}, collections.defaultdict(list)
    for line in subprocess.run(["nm", "-A", *objects], text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines():
        at, _, symbol = line.rpartition(" ")
        file, kind = at.split(":")[0], at[-1]
        if kind == "U":
            undefined[file].append(symbol)
        elif kind.isupper():
            defined[symbol] = file
    if len(defined) < 1000:
        wrong.append(f"{BUILD}: only {len(defined)} symbols; build it first")
    for file, symbols in sorted(undefined.items()):
        room = room_of(sources[file])
        for symbol in symbols:
            other = room_of(sources[defined[symbol]]) if symbol in defined else room
            if other != room and other not in uses.get(room, ()):
                wrong.append(f"{sources[file]}.c: {room} may not link {other}: {symbol}")


def keep_equal(file, begin, end, text):
    """The part of a file between the two lines is `text`."""
    old = open(file).read() if os.path.exists(file) else begin + end
    head, rest = old.split(begin, 1)
    new = head + begin + text + end + rest.split(end, 1)[1]
    if new != old and WRITE:
        open(file, "w").write(new)
    elif new != old:
        wrong.append(f"{file} is not as docs/rooms.txt has it: make rooms")


def check_pages(rows):
    table = "".join(f"| `{name}` | {what} |\n" for name, uses, what in rows if "{" not in name)
    keep_equal("docs/ARCHITECTURE.md", "| room | what it holds |\n|---|---|\n", "\n## Three ideas", table)
    nodes = "".join(f'\t"{name}" [label="{name}"];\n' for name, _, _ in rows if "{" not in name)
    edges = {(name, room_of(u) if u.endswith((".h", ".def")) else u) for name, uses, _ in rows if "{" not in name for u in uses}
    # What everything uses is not drawn, and no edge that a longer way implies.
    edges = {e for e in edges if e[1] not in ("analyzer/base", "analyzer/ir")}
    above = collections.defaultdict(set)
    for name, _, _ in rows:
        for a, b in edges:
            if a == name:
                above[a] |= {b} | above[b]
    edges = sorted(e for e in edges if not any(e[1] in above[m] for n, m in edges if n == e[0] and m != e[1]))
    keep_equal("docs/rooms.dot", "digraph rooms {\n\trankdir=TB;\n\tnode [shape=box, fontname=\"sans-serif\", fontsize=11];\n", "}\n",
               nodes + "".join(f'\t"{a}" -> "{b}";\n' for a, b in edges))


os.chdir(os.environ.get("ROOT") or os.path.join(os.path.dirname(__file__), "../.."))
rows = read_table()
check_includes(rows)
if BUILD:
    check_links(rows)
check_pages(rows)
for line in wrong:
    print("layer violation:", line)
sys.exit(1 if wrong else 0)
