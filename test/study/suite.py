#!/usr/bin/env python3
"""The five papers' figures for programs that they measured: those of a Rodinia and a Parboil tree (suite/programs.toml), unchanged but for their sizes, built by nvcc and run under regloom-run.
TREEs are recognised by their folders. What is built and measured is kept in BUILD/suite/NAME, and not made anew while the program's table, the configurations and regloom are the same; a
run may be cut short and started again. Writes FOLDER/suite.csv (a row for each claim of docs/claims.csv and program) and FOLDER/suite.md (beside the papers and our examples).
PROGRAMS in the environment: these alone, and nothing is written.
Usage: suite.py BUILD FOLDER [TREE...]"""
import array, concurrent.futures, hashlib, json, os, re, shlex, shutil, subprocess, sys, time, tomllib
from suite_figures import PASSES, Program, write

HERE = f"{os.path.dirname(os.path.abspath(__file__))}/suite"
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
CUDA = f"{NVCC} -O2 -w -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 -include {HERE}/include/compat.h -I{HERE}/include -Xcompiler -w,-fcommon"
HOST = f"gcc -O2 -w -fcommon -fopenmp -include {HERE}/include/compat.h -I{HERE}/include"
MARKS = {"rodinia": "cuda/hotspot", "parboil": "benchmarks/sgemm"}
COMMON = {("parboil", True): "-I{tree}/common/include {tree}/common/src/parboil_cuda.c {tree}/common/src/args.c",
          ("parboil", False): "-I{tree}/common/include {tree}/common/src/parboil.c {tree}/common/src/args.c"}
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|-?nan|-?inf")


class Failed(Exception):
    pass


def run(command, folder, timeout=1800):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
    return done.returncode, done.stdout.decode(errors="replace")


# ---- building ----
def build(what, tree, suite, program, to, cuda):
    """One program of a tree, in a copy of its folder."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(f"{tree}/{what['folder']}", to)
    for old, new in what.get("edit", {}).items():
        files = [p for p in (os.path.join(d, f) for d, _, fs in os.walk(to) for f in fs) if p.endswith((".c", ".cc", ".cpp", ".cu", ".h"))]
        having = {p: t for p in files for t in [open(p, encoding="latin-1").read()] if old in t}
        if not having:
            raise Failed(f"no source has {old!r}")
        for p, t in having.items():
            with open(p, "w", encoding="latin-1") as f:
                f.write(t.replace(old, new))
    args = " ".join([CUDA if cuda else HOST, what.get("flags", ""), what["sources"], COMMON.get((suite, cuda), ""), "-o", program, "-lstdc++ -lm"]).replace("{tree}", tree)
    code, said = run(shlex.split(args), f"{to}/{what.get('cd', '.')}")
    if code:
        raise Failed("does not build: " + next((l for l in said.splitlines() if "error" in l or "undefined" in l), said[-200:]))


# ---- judging ----
def numbers(said, path, what):
    """Those of a file, or of what was printed."""
    if what.get("binary") == "f32":
        found = array.array("f")
        with open(path, "rb") as f:
            data = f.read()
        found.frombytes(data[:len(data) // found.itemsize * found.itemsize])
        return found
    if what.get("file"):
        with open(path, encoding="latin-1") as f:
            said = f.read()
    wanted = re.compile(what["lines"] if "lines" in what else r"^[-+\d\s.:,()eEnainf]*\d[-+\d\s.:,()eEnainf]*$")
    return [float(n) for line in said.splitlines() if wanted.search(line) for n in NUMBER.findall(line)]


def judge(what, said, ours, theirs):
    """What is said of its results; raises if they are wrong."""
    if "says" in what and not re.search(what["says"], said):
        raise Failed(f"it does not say {what['says']!r}: ...{said[-300:]}")
    if "never" in what and re.search(what["never"], said):
        raise Failed(f"it says {what['never']!r}")
    if theirs is None:
        return "its own check" if "says" in what else "nothing: it ends without an error"
    if len(ours) != len(theirs) or not len(ours):
        raise Failed(f"{len(ours)} numbers, the CPU's {len(theirs)}")
    most = max(max(abs(v) for v in theirs), 1e-30)
    worst = max(abs(a - b) / most if a == a and b == b else 0 if a != a and b != b else 9 for a, b in zip(ours, theirs))
    if worst > what.get("tolerance", 0):
        raise Failed(f"differs from the CPU's by {worst:.3g} of the largest number")
    return f"as the CPU's program: {len(ours)} numbers" + (f" within {worst:.1g} of the largest" if worst else "")


# ---- one program ----
def made_with():
    """What programs and inputs depend on, beside their tables."""
    for d, _, files in os.walk(HERE):
        for f in sorted(files):
            if f.endswith((".py", ".h")):
                with open(f"{d}/{f}") as g:
                    yield g.read()


def prepare(base, here, what, tree):
    """The program built, its input made and the CPU's program run, once: its numbers, or None."""
    stamp, cpu = hashlib.sha256("\n".join([json.dumps(what, sort_keys=True), CUDA, HOST, *made_with()]).encode()).hexdigest(), what.get("cpu")
    if os.path.exists(f"{base}/prepared.json"):
        with open(f"{base}/prepared.json") as f:
            known = json.load(f)
        if known["stamp"] == stamp:
            return known["cpu"]
    theirs = None
    os.makedirs(here, exist_ok=True)
    build(what, tree, what["tree"], f"{base}/program", f"{base}/src", True)
    code, said = run([sys.executable, f"{HERE}/inputs.py", *what.get("input", ())], here)
    if code:
        raise Failed(f"its input: {said[-300:]}")
    path = f"{here}/{what.get('file', '')}"
    if cpu:
        build(cpu, tree, what["tree"], f"{base}/cpu", f"{base}/cpu_src", False)
        code, said = run([f"{base}/cpu", *shlex.split(cpu["run"])], here)
        theirs = numbers(said, path, what)
        if what.get("file"):
            os.remove(path)
    with open(f"{base}/prepared.json", "w") as f:
        json.dump({"stamp": stamp, "cpu": theirs and list(theirs)}, f)
    return theirs


def measure(build_dir, name, what, tree):
    base = os.path.abspath(f"{build_dir}/suite/{name}")
    here = f"{base}/run/in/it"          # some read ../../../data
    theirs = prepare(base, here, what, tree)
    path = f"{here}/{what.get('file', '')}"
    out = {"judged": None, "passes": []}
    for i, (more, configs) in enumerate(PASSES):
        report = f"{base}/report{i}.json"
        command = [os.path.abspath(f"{build_dir}/regloom-run"), "--quiet", "--error-exitcode", "99", "--all", "--report", report, *more]
        command += [x for label, text in configs.items() for x in ("--config", f"{text},name={label}")]
        code, said = run([*command, f"{base}/program", *shlex.split(what["run"])], here)
        halved = "--set" in more        # a register file of which some CTAs have no room
        if (code == 99 and not halved) or not os.path.exists(report):
            raise Failed(f"status {code}: {said[-300:]}")
        if not i:
            out["judged"] = judge(what, said, None if theirs is None else numbers(said, path, what), theirs)
        out["passes"].append(condensed(report, halved))
        os.remove(report)
    if not out["passes"][0]:
        raise Failed(f"it launched no kernel: {said[-300:]}")
    if "count" in what:
        out["counted"] = counted(build_dir, base, here, what)
    return out


def counted(build_dir, base, here, what):
    """Counters of one launch under G-Scalar, counted anew from its records (test/script/count.py)."""
    records, report = f"{base}/records", f"{base}/counted.json"
    code, said = run([os.path.abspath(f"{build_dir}/regloom-run"), "--quiet", "--launches", str(what["count"]), "--config", "g-scalar,machine=g-scalar,gs_moves=1", "--records", records, "--all", "--report", report,
                      f"{base}/program", *shlex.split(what["run"])], here)
    with open(records) as f:
        kernel = f.readline().split()[1]
    code, said = run([sys.executable, os.path.abspath(f"{HERE}/../../script/count.py"), records, report, kernel], here)
    os.remove(records)
    if code:
        raise Failed(f"launch {what['count']}, counted anew: {said}")
    return f"launch {what['count']}: {said.strip()}"


def condensed(report, halved):
    """halved: kernels that could not be launched are left out. {kernel: {"launches": [CTAs, threads, registers, shared bytes], "c": {configuration: {counter: value}}}}"""
    out = {}
    with open(report) as f:
        for l in map(json.loads, f):
            k = out.setdefault(l.get("kernel"), {"launches": [], "c": {}})
            size = lambda x: x[0] * x[1] * x[2]
            if l["type"] == "launch":
                k["launches"].append([size(l["grid"]), size(l["block"]), l["registers"], l["shared_bytes"] + l["dynamic_shared_bytes"]])
            elif l["type"] == "kernel":
                k["c"] = {c["name"]: {m: v["value"] for m, v in c["metrics"].items()} for c in l["configurations"] if c.get("launches") and not c.get("refused")}
            elif l["type"] == "fault" and not (halved and l["fault"] == "refused"):
                raise Failed(f"{l['kernel']}: {l['text']}")
    return {k: v for k, v in out.items() if v["launches"]}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.splitlines()[-1])
    build_dir, folder, *given = sys.argv[1:]
    trees = {kind: os.path.abspath(t) for t in given for kind, mark in MARKS.items() if os.path.exists(f"{t}/{mark}")}
    with open(f"{HERE}/programs.toml", "rb") as f:
        programs = tomllib.load(f)
    some = os.environ.get("PROGRAMS", "").split()
    with open(f"{build_dir}/cuda/libregloom-cuda.so", "rb") as f:
        model = hashlib.sha256(f.read()).hexdigest()
    begun, found, failed = time.time(), {}, {}

    def one(name):
        what, path, start = programs[name], f"{build_dir}/suite/{name}/result.json", time.time()
        key = hashlib.sha256(json.dumps([what, PASSES, model], sort_keys=True).encode()).hexdigest()
        result = json.load(open(path)) if os.path.exists(path) else {}
        try:
            if result.get("key") != key:
                if what["tree"] not in trees:
                    return
                result = {"key": key, **measure(build_dir, name, what, trees[what["tree"]])}
                with open(f"{path}.new", "w") as f:
                    json.dump(result, f)
                os.replace(f"{path}.new", path)
            found[name] = Program(name, what, result)
            print(f"{time.time() - begun:5.0f} s  {name:15} {time.time() - start:5.0f} s  {result['judged']}", file=sys.stderr, flush=True)
        except (Failed, subprocess.TimeoutExpired, OSError) as e:
            failed[name] = str(e)
            print(f"{time.time() - begun:5.0f} s  {name:15} FAILED: {e}", file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        list(pool.map(one, some or programs))
    if not some:
        write([found[n] for n in programs if n in found], folder)
    print(f"{len(found)} programs, {len(failed)} failed", file=sys.stderr)
    sys.exit(1 if failed or not found else 0)


if __name__ == "__main__":
    main()
