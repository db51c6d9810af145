#!/usr/bin/env python3
"""Are the forms of instructions that we read those that ptxas reads, and does each need the same PTX version and target?

    test/conform/forms.py BUILD-DIR [--harvest]         EVERY=N: every Nth batch of statements

Takes every statement of the conformance suite (conform --print and the kernels in test/conform/kernels). ptxas must accept
each under its newest version and target; under an old version, then an old target, it names what the statement needs, and so
must we. --harvest prints what ptxas wants of each mnemonic instead, for REQUIRES in analyzer/ptx/isa.def. Ends as test
scripts do."""
import glob, os, re, shutil, subprocess, sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
B, harvest = sys.argv[1], "--harvest" in sys.argv
os.environ["PATH"] += ":/usr/local/cuda/bin"
if not shutil.which("ptxas"):
    print("skip  forms of instructions (no ptxas)\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)
BATCH = 15                              # kernels: our reader stops after 20 errors
OLD = {"version": ("2.3", "sm_100a"), "target": ("9.0", "sm_20")}
WANTS = {"version": r"requires PTX ISA \.version (\d+)\.(\d+)", "target": r"requires \.target sm_(\d+)"}
# Clusters are read for every target: what their statements need is left to ptxas.
LENIENT = re.compile(r"mapa\b|getctarank\b|%\w*cluster|shared::cluster|\.cluster\b|multicast")
OURS = {"version": r"needs PTX ISA (\d+)\.(\d+)", "target": r"needs sm_(\d+)"}


def number(m):
    return int(m.group(1)) if m.lastindex == 1 else int(m.group(1)) * 10 + int(m.group(2))


def modules():
    text = subprocess.run([B + "/test/conform", "--quick", "--print", "--kernels", "/nonexistent"], capture_output=True, text=True).stdout
    for m in re.split(r"\n(?=\.version )", text):
        if ".entry" in m:
            yield m[m.index(".visible .entry") : m.rindex("}") + 1].split("\n"), "mov.b64 y1, 0;"
    for f in sorted(glob.glob("test/conform/kernels/*.ptx")):
        t = re.sub(r"//[^\n]*", "", open(f).read())
        if not re.search(r"\.version [1-4]\.", t):     # old PTX has defaults that new PTX lacks
            yield re.sub(r"\.(version|target|address_size)[^\n]*", "", t).split("\n"), None


def batches(all_modules):
    batch = []
    for m in all_modules:
        batch.append(m)
        if len(batch) == BATCH or m[1] is None:
            yield batch
            batch = []
    if batch:
        yield batch


def write(batch, version, target):
    """The module's text, and its statements by line."""
    lines, where = [".version " + version, ".target " + target, ".address_size 64"], {}
    for i, (body, _) in enumerate(batch):
        for l in body:
            lines.append(l.replace(".entry k(", ".entry k%d(" % i) if len(batch) > 1 else l)
            where[len(lines)] = l.strip()
    return "\n".join(lines) + "\n", where


def run(command, text):
    with open(B + "/forms.ptx", "w") as f:
        f.write(text)
    r = subprocess.run(command, capture_output=True, text=True)
    return r.stderr + r.stdout


passed = failed = 0
shown, wants = set(), {}
every = 1 if harvest else int(os.environ.get("EVERY") or 1)
for batch in list(batches(list(modules())))[int(os.environ.get("DRAW") or 0) % every :: every]:
    text, where = write(batch, "9.0", "sm_100a")
    for m in re.finditer(r"line (\d+); error\s*: (.*)", run(["ptxas", "-arch=sm_100a", B + "/forms.ptx", "-o", "/dev/null"], text)):
        failed += 1
        print(f"FAIL  ptxas refuses '{where.get(int(m.group(1)), '?')}': {m.group(2)}")
    for kind, (version, target) in OLD.items():
        text, where = write(batch, version, target)
        theirs, ours, special = {}, {}, set()
        for m in re.finditer(r"line (\d+); error\s*: (.*)", run(["ptxas", "-arch=sm_100a", B + "/forms.ptx", "-o", "/dev/null"], text)):
            line, want = int(m.group(1)), re.search(WANTS[kind], m.group(2))
            if line in where and (want or "not supported on .target" in m.group(2)):    # the latter: sm_100a or a kin of it
                theirs[line] = max(number(want) if want else 100, theirs.get(line, 0))
                special |= set() if want else {line}
        for line, statement in where.items():
            for mnemonic in re.findall(r"(?:^|[;{}] *|@!?%?\w+ +)([a-z]\w*(?:[.:]+\w+)*) ?[^;]*;", statement):
                old = wants.setdefault(mnemonic, {"version": None, "target": None})
                want = theirs.get(line, 0) if statement.count(";") == 1 else 0
                old[kind] = want if old[kind] is None else min(old[kind], want)
        said = run([B + "/ptx-annotate", B + "/forms.ptx", "-q", "-o", "/dev/null"], text)
        last = max(where)
        for m in re.finditer(r"forms\.ptx:(\d+):\d+: error: (.*)", said):
            if "too many errors" in said:               # we stop after twenty
                last = int(m.group(1))
            want = re.search(OURS[kind], m.group(2))
            if want:
                ours[int(m.group(1))] = number(want)
        for line in sorted(set(theirs) | set(ours)):
            if re.match(r"(\w+:)? *\.", where.get(line, ".")):    # types of declarations: nothing can be done with them without the rest
                continue
            if line > last:
                continue
            if theirs.get(line, 0) == ours.get(line, 0) or (line not in ours and LENIENT.search(where.get(line, ""))) or (line in special and ours.get(line, 0) > 70):
                passed += 1
                continue
            key = (re.sub(r" .*", "", where.get(line, "?")), kind)
            if key in shown:
                continue
            shown.add(key)
            failed += 1
            print(f"FAIL  {where.get(line, '?')} needs {kind} {theirs.get(line, 'any')}; we say {ours.get(line, 'any')}")
if harvest:
    for mnemonic, w in sorted(wants.items()):
        print("WANTS", mnemonic, w["version"] or 0, w["target"] or 0)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
