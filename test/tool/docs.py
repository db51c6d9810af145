#!/usr/bin/env python3
"""The pages agree with the tree. Usage: docs.py links | index | picture | folders | options BUILD
links: every relative link of a page leads to a file that exists, and to a heading there. index: docs/README.md names every page and schema, and the
manual every command. picture: docs/*.svg show what docs/*.dot say. folders: docs/ARCHITECTURE.md names every folder of sources. options: the manual page of a
command has the options that its --help shows, and no others."""
import glob, html, os, re, subprocess, sys

PAGES = [p for p in subprocess.run(["find", ".", "-name", "*.md", "-not", "-path", "./build/*", "-not", "-path", "*/node_modules/*"],
                                   capture_output=True, text=True).stdout.split()]


def prose(text):
    return re.sub(r"```.*?```", "", text, flags=re.S)


def anchors(path):
    """Those it names, and of its headings as GitHub makes them."""
    seen, out = {}, set(re.findall(r'<a id="([^"]+)"', open(path).read()))
    for title in re.findall(r"^#{1,6} +(.*?) *#*$", prose(open(path).read()), re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").strip().lower()
        name = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        n = seen[name] = seen.get(name, -1) + 1
        out.add(f"{name}-{n}" if n else name)
    return out


def links():
    bad = n = 0
    for page in PAGES:
        text = re.sub(r"`[^`\n]*`", "", prose(re.sub(r"^(?:    |\t).*$", "", open(page).read(), flags=re.M)))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"\w+:", target):
                continue
            path, _, name = target.partition("#")
            path, n = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page, n + 1
            if not os.path.exists(path):
                bad, _ = bad + 1, print(f"{page}: {target}: no such file")
            elif name and path.endswith(".md") and name not in anchors(path):
                bad, _ = bad + 1, print(f"{page}: {target}: no such heading")
    assert n > 100 and not bad, f"{bad} of {n} links"


def index():
    text = open("docs/README.md").read()
    for page in glob.glob("docs/*.md"):
        assert page == "docs/README.md" or f"]({os.path.basename(page)})" in text, f"{page} is not in docs/README.md"
    formats = open("docs/FORMATS.md").read()
    for schema in glob.glob("docs/*.schema.json"):
        assert f"({os.path.basename(schema)})" in formats, f"{schema} is not in docs/FORMATS.md"
    manual = open("docs/man/regloom.7").read()
    for page in glob.glob("docs/man/*.[1-9]"):
        name, section = os.path.basename(page).rsplit(".", 1)
        assert name == "regloom" and section == "7" or f".Xr {name} {section}" in manual, f"{page} is not in docs/man/regloom.7"


def picture():
    for source in glob.glob("docs/*.dot"):
        dot, svg = open(source).read(), html.unescape(open(source[:-3] + "svg").read())
        words = {w.strip() for label in re.findall(r'label="([^"]*)"', dot) for w in label.split("\\n")}
        shown = {w.strip() for w in re.findall(r"<text[^>]*>([^<]*)</text>", svg)}
        assert words == shown, f"{source}, make pictures: {sorted(words ^ shown)}"
        edges = re.sub(r"\[[^]]*style=invis[^]]*\]|\[[^]]*\]|^\s*//.*$", lambda m: "INVISIBLE" if "invis" in m[0] else "", dot, flags=re.M)
        edges = re.sub(r"\w+ -> \w+ INVISIBLE", "", edges)
        assert svg.count('class="edge"') == edges.count("->"), f"{source}, make pictures: other arrows"


def folders():
    table = open("docs/ARCHITECTURE.md").read()
    for path in sorted({os.path.dirname(f) for top in ("analyzer", "passes", "runtime-model") for f in glob.glob(f"{top}/**/*.c", recursive=True)}):
        axis = re.fullmatch(r"runtime-model/(issue|residency|packing|hierarchy|values|reuse)", path)
        assert axis or path == "analyzer" or re.search(rf"`{path}/?[`/]", table), f"{path} is not in docs/ARCHITECTURE.md"


def options():
    sm_model = [f"sm-model {c}" for c in ("run", "compare", "sweep", "usage", "values", "report")]
    for commands in ["ptx-annotate"], sm_model, ["regloom-run"]:
        shown, page = set(), f"docs/man/{commands[0].split()[0]}.1"
        for c in commands:
            text = subprocess.run(f"{sys.argv[2]}/{c} --help", shell=True, capture_output=True, text=True, check=True).stdout
            shown |= set(re.findall(r"^  (?:-\w, )?--([\w-]+)", text, flags=re.M))
        text = open(page).read().replace("\\-", "-")
        named, listed = (set(re.findall(r"Fl -([\w-]+)", "\n".join(re.findall(lines, text, flags=re.M)))) for lines in (r"^\..*Fl .*", r"^\.It .*"))
        assert len(shown) > 20 and shown <= named and listed <= shown, f"{page}: {sorted(shown - named | listed - shown)}"


globals()[sys.argv[1]]()
