#!/usr/bin/env python3
"""Runs every command of README.md and other pages, in order, in a scratch copy, and compares what the page shows with what comes.
Usage: readme.py BUILD [--without PROGRAM] [PAGE...], PAGE#HEADING: that section; --without: as if there were no such program

An indented block whose lines begin as commands do is run by bash, in a folder with the sources and build/. An indented block behind it, with words
between or not, is what it printed: each of its lines must come, in that order (others may come between; `...` stands for such), as they are but
for how far they are indented and trailing `# remarks` of commands. A block behind "this as `FILE`" is written to that file, or is that file, if it is one
of the tree's. Fenced blocks are left alone."""
import os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
COMMAND = re.compile(r"(?:[A-Z_]+=\S* )*(build/[\w-]+ |make |nvcc |clang|test/|man |cmake |meson |gnuplot |python3 )")
LATER = re.compile(r"make (demo|check|examples|papers|study|deb|install|bench)\b")      # tests of their own, or long
NEEDS = {"clang-19", "nvcc", "dot", "less", "man", "cmake", "meson", "gnuplot", "readelf"}
PAGES = ["README.md", "docs/TUTORIAL.md", "docs/TUTORIAL_NEXT.md", "docs/RUNNING.md"] + [f"docs/{p}.md#try-it" for p in ("CORF", "HIERARCHY", "GSCALAR", "WIR")] + ["docs/REGMUTEX.md#how-to-use", "docs/CUDA.md#try-it"]
counts = {"passed": 0, "failed": 0, "skipped": 0}
without = set()
unmade = set()          # files that commands which were left out would have made


def blocks(text):
    """The indented blocks, each with the words before it and its first line number."""
    words, block, start, fenced, before_blank = [], [], 0, False, True
    for n, line in enumerate(text.splitlines() + ["end"], 1):
        if line.startswith("```"):
            fenced = not fenced
        indented = line.startswith("    ") and not fenced and (block or before_blank)
        if indented:
            start = start or n
            block.append(line[4:])
        elif block and not line.strip() and not fenced:
            block.append("")
        else:
            if block:
                yield "\n".join(words), "\n".join(block).rstrip("\n"), start
                words, block, start = [], [], 0
            words.append(line)
        before_blank = not line.strip()


def parts(block):
    """A block, where a blank line divides commands from what they print, or another command."""
    out = []
    for p in re.split(r"\n\n", block):
        if out and not COMMAND.match(p.strip()) and not COMMAND.match(out[-1]):
            out[-1] += "\n\n" + p
        else:
            out.append(p)
    return out


def commands(block):
    return re.split(r"(?<!\\)(?<!&&)\n", block)


def absent(program):
    return program in without or not shutil.which(program)


def missing(command):
    """What it needs and is not there: programs, and files that a command made which was left out."""
    command = re.sub(r"#.*", "", command)
    words, made = set(re.findall(r"[\w./-]+", command)), set(re.findall(r"(?:-o |> ?)([\w./-]+)", command))
    lacks = [w for w in NEEDS & words if absent(w)] + (["regloom-llvm"] if needs_llvm(command) else []) + \
            (["nvcc"] if "regloom-nvcc" in command and absent("nvcc") else [])
    lacks += sorted(w for w in words & unmade - made if not os.path.exists(w))
    if lacks:
        unmade.update(made)
    return lacks


def needs_llvm(command):
    return re.search(r"\.ll\b|clang", command) and not os.path.exists("build/regloom-llvm")


def shown(want, got):
    """The first line of want that does not come in got in its turn, or None."""
    lines = iter([" ".join(x.split()) for x in got.splitlines()])
    for line in want.splitlines():
        line = " ".join(line.split())
        if line and line != "..." and not any(line == x for x in lines):
            return line
    return None


def verdict(how, what, why=""):
    counts[how] += 1
    print({"passed": "ok   ", "failed": "FAIL ", "skipped": "skip "}[how], what + (f" ({why})" if how == "skipped" else ""))
    if how == "failed":
        print("\n".join("      " + x for x in why.splitlines()[:40]))


def run(page, number, block):
    """What its commands print; None if one was left out or failed."""
    printed = ""
    for c in commands(block):
        name = f"{page}:{number}: {c.splitlines()[0].strip()[:90]}"
        if LATER.match(c):
            verdict("skipped", name, "long, or a test of its own") if not re.match(r"make (demo|check)\b", c) else None
            return None
        lacks = missing(c)
        if lacks:
            verdict("skipped", name, f"no {' '.join(lacks)}")
            return None
        p = subprocess.run(["bash", "-o", "pipefail", "-c", c], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        printed += p.stdout
        if p.returncode:
            verdict("failed", name, f"exit code {p.returncode}\n{p.stdout}")
            return None
        verdict("passed", name)
    return printed


def text_of(path, heading):
    """The page with all lines outside of the section blank."""
    lines, inside, out = open(os.path.join(ROOT, path)).read().splitlines(), not heading, []
    for line in lines:
        if heading and line.startswith("## "):
            inside = line[3:].strip().lower().replace(" ", "-") == heading
        out.append(line if inside else "")
    assert any(out), f"{path} has no section {heading}"
    return "\n".join(out)


def page(name):
    path, _, heading = name.partition("#")
    printed = None
    for words, block, number in blocks(text_of(path, heading)):
        file = re.findall(r"[Tt]his as `(\w[^`]*)`", words)
        if file and not COMMAND.match(block):
            if os.path.exists(file[-1]) and not file[-1].startswith("build/"):
                same = open(file[-1]).read().rstrip("\n") == block
                verdict("passed" if same else "failed", f"{path}:{number}: {file[-1]}", "the page shows another text")
            else:
                open(file[-1], "w").write(block + "\n")
            continue
        for p in parts(block):
            if COMMAND.match(p):
                printed = run(path, number, p)
            elif printed is not None:
                line = shown(p, printed)
                verdict("failed" if line else "passed", f"{path}:{number}: what it prints", f"did not come: {line}\nof:\n{printed}")
            number += p.count("\n") + 2


def main():
    build, pages = os.path.abspath(sys.argv[1]), sys.argv[2:]
    while pages[:1] == ["--without"]:
        without.add(pages[1])
        pages = pages[2:]
    with tempfile.TemporaryDirectory() as scratch:
        for f in os.listdir(ROOT):
            if f in ("docs", "examples"):    # what lies beside it is reached from there, too; sources are in the folder itself
                shutil.copytree(os.path.join(ROOT, f), os.path.join(scratch, f))
            elif f not in ("build", ".git"):
                os.symlink(os.path.join(ROOT, f), os.path.join(scratch, f))
        os.mkdir(os.path.join(scratch, "build"))
        for f in "ptx-annotate", "sm-model", "regloom-llvm", "regloom-nvcc", "regloom-ptxas", "regloom-run":
            if os.path.exists(os.path.join(build, f)):
                os.symlink(os.path.join(build, f), os.path.join(scratch, "build", f))
        os.chdir(scratch)
        for name in pages or PAGES:
            page(name)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return counts["failed"] > 0


sys.exit(main())
