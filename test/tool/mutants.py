#!/usr/bin/env python3
"""What the tests notice: draws changes of one place of the C code, and runs the tests of its room on each.

mutants.py BUILD [COUNT [SEED [ROOM...]]], from the root of the tree, as `make mutants` does, which has the compiler, libraries and flags in
the environment; a ROOM is a folder, FILE or FILE:LINE, and as many are drawn of each. No file of the tree is written: the changed file is
compiled from memory and linked before the library, which then keeps its own to itself. BUILD/mutants/log.txt says what came of each; a
mutant that died is not run again, one that survived is. test/tool/mutants.txt lists those that change nothing, with the reason.
"""
import concurrent.futures, glob, itertools, os, random, re, resource, shlex, shutil, signal, subprocess, sys, threading, time

ROOMS = ("passes passes/graph runtime-model/engine runtime-model/core runtime-model/sm runtime-model/issue runtime-model/residency "
         "runtime-model/packing runtime-model/hierarchy runtime-model/values runtime-model/reuse analyzer/sass").split()
SEEDS = 4                                       # random kernels of a property that takes long; of others as many as `make check` has
SECONDS = float(os.environ.get("MUTANT_SECONDS", 20))  # of each kind of test, that a mutant must pass
IDLE = 15                                       # seconds without use of a core, in which a test hangs
BYTES = 8 << 30                                 # of address space for a test
TOKEN = re.compile(r"[A-Za-z_]\w*|0[xX]\w+|\d[\w.]*|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\s+|.", re.S)
SWAP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+", "&": "|", "|": "&",
        "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=", "|=": "=", "&=": "=", "true": "false", "false": "true"}
UNARY = {"!", "~"}
DECLARATION = re.compile(r"\s*(?:static |const |struct |enum |unsigned |uint\d+_t |int |bool |char |[a-z]\w* [*a-z])")
STATEMENT = re.compile(r"\s*(?:(?:\+\+|--)?\*?[a-z][\w.>*&+()\[\]-]*(?:\(.*\)|(?:\+\+|--)| [-+*/|&^]?= .*|(?:<<|>>)= .*)?|break|continue|return);$")
SPARE = re.compile(r"(new_array\w*\(.*) \+ \d+u?\)")   # an element that arrays have so that none is empty
WATCHED = re.compile(r"if \((probing\(s, \w+\)|1)\)")  # who watches nothing is told, and does not listen


def blank(text):
    """The text with spaces for comments, strings, directives and assertions."""
    space = lambda m: re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r"(?s:/\*.*?\*/)|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?m:^#(?:\\\n|[^\n])*)", space, text)
    return re.sub(r"(?s:\b(?:_Static_)?assert\(.*?\);)", space, text)


def bodies(text):
    """From where to where functions and constants of enumerations are."""
    for m in re.finditer(r"(?ms:^\{$.*?^\}$)|(?m:^\w.*\) \{ .* \}$)|(?m:^enum \w* ?\{ .*= .* \};$)", text):
        yield m.start(), m.end()


def matching(tokens, i):
    """The parenthesis that closes that of token i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j][0] in "([{") - (tokens[j][0] in ")]}")
        if not depth:
            return j
    return None


def operand(tokens, i, step):
    """The last token of what stands on that side of the && or || at i."""
    ends = {"?", ":", ";", ",", "return", "=", "||", *(["&&"] if tokens[i][0] == "&&" else [])}
    into, out = ("([{", ")]}") if step > 0 else (")]}", "([{")
    depth, j = 0, i + step
    while 0 <= j < len(tokens):
        t = tokens[j][0]
        if not depth and (t in ends or t in out):
            break
        depth += (t in into) - (t in out)
        j += step
    return j - step


def mutants(path):
    """Each a tuple: path, from, to, what stands there instead."""
    text = open(path).read()
    code, found = blank(text), set()
    for first, last in bodies(code):
        tokens = [(m[0], m.start(), m.end()) for m in TOKEN.finditer(code, first, last) if not m[0].isspace()]
        for i, (t, a, b) in enumerate(tokens):
            line = code[code.rfind("\n", 0, a) + 1:code.find("\n", a)]
            binary = code[a - 1].isspace() and code[b].isspace()
            if t in SWAP and (binary or t.isalpha()):
                found.add((a, b, SWAP[t]))
            if t in UNARY and not binary:
                found.add((a, b, ""))
            m = re.fullmatch(r"(\d+)([uUlL]*)", t)
            if m and not (code[a - 1] == "[" and DECLARATION.match(line)):
                found.add((a, b, ("0" if m[1] == "1" else str(int(m[1]) + 1)) + m[2]))
            if t in ("&&", "||"):
                for step in (-1, 1):
                    j = operand(tokens, i, step)
                    at = (tokens[j][1], tokens[i - 1][2]) if step < 0 else (tokens[i + 1][1], tokens[j][2])
                    found.add((*at, "10"[t == "||"]))
            if t in ("if", "while") and tokens[i + 1][0] == "(" and (j := matching(tokens, i + 1)):
                at = tokens[i + 2][1], tokens[j - 1][2]
                found.add((*at, "!(" + text[at[0]:at[1]] + ")"))
                if t == "if":
                    found.add((*at, "1"))
        for m in re.finditer(r"(?m)^(\t+)(\S.*;)$", code[first:last]):
            before = code[:first + m.start()].rstrip()
            if STATEMENT.match(m[2]) and not DECLARATION.match(m[2]) and m[2].count("(") == m[2].count(")") and \
                    (before[-1] in ";{})" or before.endswith("else")):
                found.add((first + m.start(2), first + m.end(2), ";"))
    return [(path, a, b, to + "\n" * (text.count("\n", a, b) - to.count("\n"))) for a, b, to in sorted(found) if to != text[a:b]]


def changed(text, mutant):
    return text[:mutant[1]] + mutant[3] + text[mutant[2]:]


def lines(text, mutant):
    """Its line, and what stands there before and after."""
    n, new = text.count("\n", 0, mutant[1]), changed(text, mutant)
    more = text.count("\n", mutant[1], mutant[2])
    return n + 1, *(" ".join(" ".join(t.split("\n")[n:n + more + 1]).split()) for t in (text, new))


class Tests:
    """What test/tests.txt has for a room: suites, properties, and programs and scripts that need no more than this build."""

    def __init__(self, build):
        self.build = build
        self.link = [*os.environ["MUTANT_LIBS"].split(), "-lmpfr", "-lgmp", "-Wl,-S", *(["-fuse-ld=lld"] if shutil.which("ld.lld") else [])]
        objects = lambda folder, name="*": sorted(glob.glob(f"{build}/{folder}/{name}.o"))
        props, approx = objects("test/prop", "p_*"), objects("test/conform.o", "approx")
        self.objects = {"run": objects("test/unit"), "approx": approx, "conform": [o for o in objects("test/conform.o") if o not in approx],
                        "ptx-annotate": objects("analyzer/cli"), "sm-model": [*objects("runtime-model/cli"), *objects("runtime-model/html")],
                        **{os.path.basename(p)[:-2]: [p, *(o for o in objects("test/prop") if o not in props and not o.endswith("/native_random.o"))] for p in props}}
        self.rows = []
        for row in open("test/tests.txt"):
            if not row.startswith("#"):
                test, rooms, seconds, *when = (f.strip() for f in row.split("|"))
                kind, name = test.split(" ", 1)
                if kind in ("unit", "property") or (when and when[0] != "hand" and not name.startswith(("cuda/cuda_", "packaging/", "web/"))):
                    seconds = float(seconds.split("/")[0])
                    if kind == "property":      # test/run.sh: 64 kernels for the cheapest
                        name += f" {64 // int(when[0]) + 4 if seconds < 3 else SEEDS}"
                    self.rows.append((kind, name, rooms.split(), seconds))

    def of_file(self, path):
        """Commands, each a program to link or none, its arguments and the seconds that it takes: suites named like the file, the others of the
        room, then properties, then programs and scripts, of each kind the shorter ones first and together no more than SECONDS."""
        room, stem = os.path.dirname(path), os.path.basename(path)[:-2]
        near = lambda kind, name: kind == "unit" and (stem.startswith(name) or name.startswith(stem))
        for kinds in (("unit",), ("property",), ("program", "script")):
            left = SECONDS
            for kind, name, rooms, seconds in sorted(self.rows, key=lambda r: (not near(*r[:2]), r[3])):
                if kind in kinds and room in rooms and seconds <= left:
                    left -= seconds
                    first, *arguments = name.split()
                    if kind == "unit":
                        yield "run", [name], seconds
                    elif kind == "property":
                        yield f"p_{first}", [*arguments, "1"], seconds
                    else:
                        yield first if first in self.objects else None, arguments or [name], seconds

    def program(self, name, made, to):
        subprocess.run([*shlex.split(os.environ["MUTANT_CC"]), "-o", to, *made, *self.objects[name], f"{self.build}/libregloom.a", *self.link],
                       check=True, capture_output=True)
        return to

    def folder(self, made, to):
        """A build folder of its own, with links to what the mutant does not change: commands are linked with it."""
        os.makedirs(f"{to}/test", exist_ok=True)
        for f in [*glob.glob(f"{self.build}/*"), *glob.glob(f"{self.build}/test/*")]:
            at = f"{to}/" + os.path.relpath(f, self.build)
            if not f.endswith(("mutants", "/test", "ptx-annotate", "sm-model")) and not os.path.exists(at):
                os.symlink(os.path.abspath(f), at)
        for name in ("ptx-annotate", "sm-model"):
            self.program(name, made, f"{to}/{name}")
        return to

    def run(self, command, limit, tmp):
        """Whether it passes, in so many seconds of a core: a busy machine may take ten times as long, but what stands still for IDLE hangs."""
        def child():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        environment = {"TMPDIR": os.path.abspath(tmp), "CK_FORK": "no", "CK_VERBOSITY": "silent", "EVERY": "8", "DRAW": "0"}
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=child,
                             env=os.environ | environment)
        end, used, since = time.time() + 10 * limit, None, time.time()
        try:
            while time.time() < end and (command[0].endswith((".sh", ".py")) or time.time() < since + IDLE):
                try:
                    return p.wait(1) == 0
                except subprocess.TimeoutExpired:
                    now = open(f"/proc/{p.pid}/stat").read().rpartition(")")[2].split()[11:13]
                    used, since = now, since if now == used else time.time()
            return False
        finally:
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            p.wait()

    def kills(self, path, made, to):
        """The test that fails with these objects, or None."""
        try:
            for name, arguments, seconds in self.of_file(path):
                if name:
                    command = [f"{to}/{name}", *arguments]
                    os.path.exists(command[0]) or self.program(name, made, command[0])
                else:
                    command = [f"test/{arguments[0]}", self.folder(made, f"{to}/build")]
                if not self.run(command, 10 + 10 * seconds, to):
                    return " ".join([name or "", *arguments])
        finally:
            shutil.rmtree(to)


def compiled(path, text, to):
    """Compiles the text as if it stood at path: the objects, and their code without what names the file; None: it is not C."""
    objects, code = [], b""
    variants = os.environ["MUTANT_LANES"].rstrip(";").split(";") if path.endswith("engine/lanes.c") else [""]
    for n, flags in enumerate(variants):
        out = f"{to}.{n}.o"
        p = subprocess.run([*shlex.split(os.environ["MUTANT_CC"]), *flags.split(), "-w", "-g0", f"-I{os.path.dirname(path)}", "-x", "c", "-c", "-o", out, "-"],
                           input=f'# 1 "{path}"\n{text}', text=True, capture_output=True)
        if p.returncode:
            return None
        objects.append(out)
        code += open(out, "rb").read()
    return objects, code


def listed():
    """The mutants that are known to change nothing."""
    for text in open("test/tool/mutants.txt"):
        if text.strip() and not text.startswith("#"):
            path, before, after, why = (" ".join(f.replace("\\|", "|").split()) for f in text.split(" | "))
            yield path, before, after


def main():
    build, count, seed = sys.argv[1], int((sys.argv[2:] or ["300"])[0]), int((sys.argv[3:] or ["1"])[0])
    rooms = sys.argv[4:] or ROOMS
    shutil.rmtree(f"{build}/mutants/made", ignore_errors=True)
    os.makedirs(f"{build}/mutants/made")
    tests, equal, lock = Tests(build), set(listed()), threading.Lock()
    of_room = []
    for room in rooms:
        path, _, line = room.partition(":")
        files = [path] if path.endswith(".c") else sorted(glob.glob(path + ("/lift*.c" if path == "analyzer/sass" else "/*.c")))
        of_room.append([m for f in files for m in mutants(f) if not line or lines(open(f).read(), m)[0] == int(line)])
        random.Random(seed).shuffle(of_room[-1])
    drawn = [m for some in itertools.zip_longest(*of_room) for m in some if m]      # as many of each room
    log = f"{build}/mutants/log.txt"
    died = {}
    for verdict, how, *key in (l.rstrip("\n").split("\t") for l in (open(log) if os.path.exists(log) else [])):
        died.pop(tuple(key), None)
        if verdict != "SURVIVED":
            died[tuple(key)] = verdict, how
    plain = {}

    def one(mutant):
        path, text = mutant[0], open(mutant[0]).read()
        line, before, after = lines(text, mutant)
        key = f"{path}:{line}", before, after
        if (path, before, after) in equal:
            return key, "equal", "listed"
        if SPARE.sub(r"\1)", before) == SPARE.sub(r"\1)", after):
            return key, "equal", "spare element"
        if WATCHED.fullmatch(before) and WATCHED.fullmatch(after):
            return key, "equal", "nobody listens"
        if key in died:
            return key, *died[key]
        to = f"{build}/mutants/made/{threading.get_ident()}"
        if path not in plain:
            plain[path] = compiled(path, text, to)[1]
        made = compiled(path, changed(text, mutant), to)
        if not made:
            return key, "equal", "is not C"
        if made[1] == plain[path]:
            return key, "equal", "same code"
        os.makedirs(f"{to}.tmp")
        by = tests.kills(path, made[0], f"{to}.tmp")
        for f in made[0]:
            os.remove(f)
        return key, *(("KILLED", by) if by else ("SURVIVED", "all pass"))

    score = {}                                  # by room: drawn, equal, killed
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 2))) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(one, m) for m in drawn[:count]]):
                key, verdict, how = done.result()
                if died.get(key) != (verdict, how) and how != "listed":
                    with open(log, "a") as f:
                        print(verdict, how, *key, sep="\t", file=f)
                if verdict == "SURVIVED" or (died.get(key) is None and how != "listed"):
                    print(f"{verdict:8} {key[0]}: {key[1]}  ==>  {key[2]}  ({how})", flush=True)
                of = score.setdefault(os.path.dirname(key[0]), [0, 0, 0])
                for n, counts in enumerate((True, verdict == "equal", verdict == "KILLED")):
                    of[n] += counts
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            print("interrupted; the same command goes on")
    for room, (n, same, killed) in [*sorted(score.items()), ("all", [sum(c) for c in zip(*score.values())])]:
        print(f"{room:26} {n:4} mutants, {same:3} of them equal, {killed:4} killed, {n - same - killed:3} survive: {killed / max(1, n - same):.1%}")


if __name__ == "__main__":
    main()
