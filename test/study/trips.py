#!/usr/bin/env python3
"""Trip counts from machine code beside those from PTX: each example compiled by ptxas, both with what the kernel's first launch says. An instruction of the
machine code names the line of PTX that it was made from, and the branch that closes a loop so names the loop of the PTX. Verdicts:
  same        as often
  peeled      the body is also there outside of the loop: the iterations that the loop lacks are no more than these copies
  unrolled    it is there several times in the loop: iterations times copies, of all loops that the loop has become, lack no more than the copies outside
  PTX alone, machine code alone, neither   where the count is known
  of ptxas    the PTX has no such loop: in divisions, in atomics of shared memory
  other       none of these: counted wrongly, or made anew by ptxas
Prints a Markdown table of totals for each target and one of the loops for sm_80 that are not the same; with FILE writes a page of them.
Needs ptxas; without it, it says so and does nothing.  Usage: trips.py BUILD [FILE]"""
import collections, json, os, re, shutil, statistics, subprocess, sys, tempfile
from common import each, examples, launch, source_of

TARGETS = (75, 80, 86, 90, 120)
SHOWN = 80
VERDICTS = ("same", "peeled", "unrolled", "PTX alone", "machine code alone", "neither", "of ptxas", "other")
ONCE = re.compile(r"(@!?U?P\w+ )?(LD|ST|ATOM|RED|BAR|SHFL|TEX|TLD|MUFU|FFMA|FMUL|FADD|DFMA|DADD|DMUL|[HI]MMA)")


HEAD = """# Trip counts from machine code beside those from PTX

Written by `make study-trips`: each example compiled by ptxas 13.0 for five targets, machine code and PTX both annotated with `--launch`. An instruction of the
machine code names the line of PTX that it was made from, so that the branch that closes a loop names the loop of the PTX.

- *same*: as often; of loops with code behind the test that leaves them, the header.
- *peeled*: the body is also there outside of the loop; the iterations that the loop lacks are no more than these copies.
- *unrolled*: it is there several times in the loop; iterations times copies, of all loops that the loop has become, lack no more than the copies outside. A loop that is never
  entered with this launch leaves all to them.
- *of ptxas*: the PTX has no such loop (divisions, atomics in shared memory).
- *other*: none of these. Each was looked at. In lud_diagonal ptxas keeps a 16-bit counter in one half of a register (`PRMT R32, R39, 0x7610, R32`), of which the other half comes
  from memory, for sm_86: nothing is known of the whole, `counter & 7` counts as any of 0 to 7, and what begins where that loop stopped is not known.

Copies are counted in loads, stores, floating-point operations and others that become one instruction each. Of means those with few iterations are in one and not in the other, so that they
are compared within the number of copies.

"""


def numbered(ptx):
    """The PTX with its own lines as source lines, for ptxas of a target that it still knows."""
    out, inside = [], 0
    for n, line in enumerate(ptx.splitlines(), 1):
        code = line.split("//")[0].strip()
        if re.match(r"\.(loc|file|section)\b", code) and inside == 0 and code.startswith(".section"):
            break           # debug sections are the last ones
        if re.match(r"\.(loc|file)\b", code):
            continue
        line = re.sub(r"^\.version.*", ".version 8.5", re.sub(r"^(\.target\s+sm_)\d+.*", r"\g<1>75", line))
        if inside and re.match(r"(@|[a-z])", code) and code.endswith(";") and not code.startswith("."):
            out.append(f"\t.loc 1 {n} 0")
        out.append(line)
        if line.startswith(".address_size"):
            out.append('.file 1 "k.ptx"')
        inside += code.count("{") - code.count("}")
    return "\n".join(out) + "\n"


class Code:
    """The loops of a kernel: their blocks, and the source lines of their instructions."""

    def __init__(self, kernel):
        self.kernel, blocks = kernel, kernel["blocks"]
        self.loops, insns = kernel["loops"], kernel["instructions"]
        dominator = [b["immediate_dominator"] for b in blocks]

        def dominates(a, b):
            while b is not None and b != a:
                b = dominator[b] if dominator[b] != b else None
            return b == a
        self.line = [i.get("source", {}).get("line") for i in insns]
        self.text = [i["text"] for i in insns]
        of = lambda b: range(blocks[b]["first"], blocks[b]["first"] + blocks[b]["instructions"])
        self.blocks, self.closing = [], []
        for loop in self.loops:
            ends = [p for p in blocks[loop["header"]]["predecessors"] if dominates(loop["header"], p)]
            body, todo = {loop["header"]}, list(ends)
            while todo:
                b = todo.pop()
                if b not in body:
                    body.add(b)
                    todo += blocks[b]["predecessors"]
            self.blocks.append(body)
            self.closing.append([self.line[of(p)[-1]] for p in ends if len(of(p))])
        self.insns = [[i for b in sorted(body) for i in of(b)] for body in self.blocks]

    def innermost(self, line):
        """Index of the smallest loop with an instruction of that line."""
        return min((l for l in range(len(self.loops)) if any(self.line[i] == line for i in self.insns[l])), key=lambda l: len(self.blocks[l]), default=None)

    def copies(self, lines, insns):
        """How often those instructions have the body: its loads, stores, floating-point operations and the like, which become one instruction each."""
        count = collections.Counter(self.line[i] for i in insns if self.line[i] in lines and ONCE.match(self.text[i]))
        return round(statistics.median_high(count.values())) if count else 0


def verdict(n, turns, found, outside):
    """Of a loop; n: in the PTX, None if there is none; found: (turns, copies) of all that the same loop of the PTX has become; outside: copies of its body in none of them."""
    if n is None:
        return "of ptxas"
    if n["source"] == "assumed" or turns["source"] == "assumed":
        return "neither" if n["source"] == turns["source"] else "PTX alone" if turns["source"] == "assumed" else "machine code alone"
    close = 0.05 if "sampled" in (n["source"], turns["source"]) else 0.005
    if any(abs(n[x] - turns[x]) <= close * n[x] for x in ("iterations", "header_executions")):
        return "same"
    most = max(copies for _, copies in found)
    if n["source"] != "static" or turns["source"] != "static":       # those that go round less often than there are copies are in one mean and not in the other
        slack_of_means = most if most > 1 else outside
    else:
        slack_of_means = 0
    rest, slack = n["iterations"] - sum(t["iterations"] * max(copies, 1) for t, copies in found), close * n["iterations"]
    if any(t["source"] == "assumed" for t, _ in found) or not -slack - slack_of_means <= rest <= outside + slack + slack_of_means:
        return "other"
    return "unrolled" if most > 1 else "peeled"


def emit(build, path, name):
    done = subprocess.run([f"{build}/ptx-annotate", path, "--emit=json", "--launch", launch(name), "-q", "-o", "-"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr}")
    return {k["name"]: Code(k) for k in json.loads(done.stdout)["kernels"]}


def study(build, name, tmp):
    """[(target, kernel, line, (n, source), (turns, source), copies, verdict)]"""
    source, rows = source_of(name), []
    text = open(source).read() if source.endswith(".ptx") else subprocess.run([f"{build}/ptx-annotate", source, "--emit=ptx", "-q", "-o", "-"], check=True, capture_output=True, text=True).stdout
    ptx = f"{tmp}/{name}.ptx"
    with open(ptx, "w") as f:
        f.write(numbered(text))
    before = emit(build, ptx, name)
    for target in TARGETS:
        cubin = f"{tmp}/{name}.{target}.cubin"
        done = subprocess.run(["ptxas", f"-arch=sm_{target}", "-lineinfo", ptx, "-o", cubin], capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: ptxas for sm_{target}: {done.stdout.splitlines()[0] if done.stdout else done.stderr.splitlines()[0]}", file=sys.stderr)
            continue
        for kernel, code in emit(build, cubin, name).items():
            p, found = before[kernel], collections.defaultdict(list)
            of = []
            for l, loop in enumerate(code.loops):
                x = next((y for y in (p.innermost(line) for line in code.closing[l] if line) if y is not None), None)
                of.append(None if loop["outer"] is not None and of[loop["outer"]] == x else x)          # in itself: a loop of ptxas's own
                found[of[l]].append(l)
            for x, ls in found.items():
                own = set() if x is None else {p.line[i] for i in p.insns[x]} - {p.line[i] for y in range(len(p.loops)) if p.blocks[y] < p.blocks[x] for i in p.insns[y]}
                inside = {i for l in ls for i in code.insns[l]}
                around = set.intersection(*(set(code.insns[o]) for o in {code.loops[l]["outer"] for l in ls} if o is not None), *[set(range(len(code.text)))])
                outside = code.copies(own, around - inside)
                copies = {l: code.copies(own, code.insns[l]) for l in ls}
                n = None if x is None else p.loops[x]
                line = None if x is None else min(p.line[i] for i in p.insns[x] if p.line[i])
                for l in ls:
                    rows.append((target, name, kernel, line, n, code.loops[l], copies[l], outside,
                                 verdict(n, code.loops[l], [(code.loops[y], copies[y]) for y in ls], outside)))
    return rows


def tables(rows):
    out = ["| target | loops | " + " | ".join(VERDICTS) + " |", "|---|--:|" + "--:|" * len(VERDICTS)]
    for target in TARGETS:
        mine = [r[-1] for r in rows if r[0] == target]
        out.append(f"| sm_{target} | {len(mine)} | " + " | ".join(str(mine.count(v)) for v in VERDICTS) + " |")
    out += ["", f"Those for sm_{SHOWN} that are not the same, and known on either side:", "",
            "| example | kernel | in the PTX | in the machine code | copies of the body in it | outside | |", "|---|---|--:|--:|--:|--:|---|"]
    say = lambda x: "not known" if x["source"] == "assumed" else "never entered" if x["header_executions"] == 0 else f"{x['iterations']:.4g} ({x['source']})"
    out += [f"| {name} | {kernel} | {say(n)} | {say(turns)} | {copies} | {outside} | {v} |"
            for target, name, kernel, _, n, turns, copies, outside, v in rows if target == SHOWN and v not in ("same", "neither", "of ptxas")]
    odd = [r for r in rows if r[-1] in ("PTX alone", "machine code alone", "other")]
    if odd:
        out += ["", "Of all targets those that are known on one side alone, or other:", "", "| target | kernel | PTX line | in the PTX | in the machine code | |", "|---|---|--:|--:|--:|---|"]
        out += [f"| sm_{target} | {kernel} | {line} | {say(n)} | {say(turns)} | {v} |" for target, _, kernel, line, n, turns, _, _, v in odd]
    return out


def main():
    if not shutil.which("ptxas"):
        os.environ["PATH"] += ":/usr/local/cuda/bin"
    if not shutil.which("ptxas"):
        print("trips.py: no ptxas here, nothing compared")
        return
    build = sys.argv[1]
    with tempfile.TemporaryDirectory() as tmp:
        rows = [r for rs in each(lambda name: study(build, name, tmp), examples(build)) for r in rs]
    if os.environ.get("ROWS"):
        for target, name, kernel, line, n, turns, copies, outside, v in rows:
            print(target, name, kernel, line, n and n["iterations"], n and n["source"], turns["iterations"], turns["source"], copies, outside, v, sep="\t", file=sys.stderr)
    text = tables(rows)
    print(*text, sep="\n")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as f:
            f.write(HEAD + "\n".join(text) + "\n")


main()
