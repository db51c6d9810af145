#!/usr/bin/env python3
"""Every error that users can provoke has a golden text: each format handed to parse_error(), diag_error() and the like, or to a
helper that makes it part of its own (HELPERS), in the files below must match a line of a .err file under test/golden, or stand in
test/golden/unreachable.txt with the reason why no input shows it. Prints what does not; ends as test scripts do."""
import glob, os, re, sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FILES = ["analyzer/ptx", "analyzer/fatbin", "analyzer/llvm/llvm.c", "runtime-model/launch", "runtime-model/core/machine_file.c", "passes/link.c", "passes/link_call.c",
         "passes/scan.c", "passes/spill.c"]
REPORT = ["parse_error", "diag_error", "diag_error_plain", "diag_error_bin", "lex_error", "bad_expr"]
HELPERS = {  # where: helper: the format; {} is what the helper is handed
    "analyzer/ptx": {"parse_expect": "expected {}", "parse_u32": "{} is out of range"},
    "analyzer/ptx/sync.c": {"missing": "'%s' needs {}%s"},
    "analyzer/ptx/mnemonic.c": {"twice": "'%s' gives the {} twice"},
    "analyzer/ptx/video.c": {"bad_selector": "'.%s' selects no part here; {}"},
    "analyzer/fatbin/read.c": {"bad": "{}"},
    "analyzer/fatbin/unpack.c": {"bad": "module %u: {}"},
    "runtime-model/launch/params.c": {"bad_arg": "argument %u of %s (%s): {}"},
    "passes/link": {"link_refuse": "{}", "arena_printf": "{}"},
}


def formats_of_call(text, at):
    """The formats of the call whose '(' is at `at`: literals that follow each other are one, those of a ?: are two."""
    depth, i, out, last = 0, at, [], None
    while i < len(text):
        c = text[i]
        if c == '"':
            j = i + 1
            while text[j] != '"':
                j += 2 if text[j] == "\\" else 1
            if depth == 1 and last is not None and not text[last:i].strip():
                out[-1] += text[i + 1 : j]
            elif depth == 1:
                out.append(text[i + 1 : j])
            i = j
            last = j + 1
        elif c == "'":
            i = text.index("'", i + (2 if text[i + 1] == "\\" else 1) + 1)
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif c == "," and depth == 1 and out:
            break
        i += 1
    return out


def pattern(fmt):
    fmt = fmt.replace('\\"', '"').replace("\\\\", "\\")
    parts = re.split(r"(%(?:[-+ #0]*[0-9*]*(?:\.[0-9*]+)?(?:hh|h|ll|l|z|j)?[diouxXcsfgpe]|%))", fmt)
    return "".join("%" if p == "%%" else ".*" if p.startswith("%") and len(p) > 1 else re.escape(p) for p in parts)


def helpers_of(name):
    out = {call: "{}" for call in REPORT}
    for where, more in HELPERS.items():
        if name.startswith(where):
            out.update(more)
    return out


def files():
    for f in FILES:
        yield from sorted(glob.glob(f + "/*.c")) if os.path.isdir(f) else [f]


golden = "\n".join(open(f, errors="replace").read() for f in glob.glob("test/golden/**/*.err", recursive=True))
lines = [l for l in golden.split("\n") if "error:" in l]
known = {}
if os.path.exists("test/golden/unreachable.txt"):
    for l in open("test/golden/unreachable.txt"):
        if l.strip() and not l.startswith("#"):
            text, _, reason = l.rstrip("\n").partition("\t")
            known[text] = reason
passed = failed = 0
used = set()
for name in files():
    text = open(name).read()
    for word, value in re.findall(r'#define (\w+) ("[^"]*")', text):      # a literal that is part of others
        text = re.sub(r"(?<=[ ,(])" + word + r"(?= \"|[,)])|(?<=\" )" + word + r"\b", value, text)
    helper = helpers_of(name)
    for m in re.finditer(r"\b(" + "|".join(helper) + r")\s*\(", text):
        line = text.count("\n", 0, m.start()) + 1
        if re.match(r"\s*(static |bool |void |#define)", text[text.rfind("\n", 0, m.start()) + 1 : m.start() + 1]):
            continue
        for fmt in formats_of_call(text, m.end() - 1):
            fmt = helper[m[1]].replace("{}", fmt)
            if fmt in known:
                used.add(fmt)
                passed += 1
            elif any(re.search("error: " + pattern(fmt) + "$", l) for l in lines):
                passed += 1
            else:
                failed += 1
                print(f"FAIL  {name}:{line}: no golden text for \"{fmt}\"")
for text in sorted(set(known) - used):
    failed += 1
    print(f"FAIL  test/golden/unreachable.txt: nothing reports \"{text}\"")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
