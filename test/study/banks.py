#!/usr/bin/env python3
"""banks.py BUILD TABLE: register banks and reuse flags of machine code (docs/BANKS.md): the test cubins, and the examples (not the microbenchmarks) as ptxas makes them for seven
targets (without ptxas, the test cubins alone). Writes tables in Markdown. --jobs=N: so many at once."""
import collections, concurrent.futures, glob, json, os, re, shutil, subprocess, sys, tempfile

TARGETS = ("75", "80", "86", "89", "90a", "100a", "120a")
HEAD = ("sm", "kernels", "instructions", "registers read", "from banks [%]", "flags", "useless", "missed", "conflicts", "with missed flags", "and exchanged", "best numbers",
        "of a run", "best numbers")
WORST = 12


def analyse(build, path):
    done = subprocess.run([f"{build}/ptx-annotate", path, "--emit=json", "-q"], check=True, capture_output=True, text=True, timeout=120)
    kernels = json.loads(done.stdout)["kernels"]
    return [(os.path.basename(path), k["name"], k["machine_code"]["sm"], k["banks"]) for k in kernels]


def row(label, of):
    code, run = collections.Counter(), collections.Counter()
    for _, _, _, b in of:
        code.update(b["code"])
        # Each kernel weighs the same: conflicts of a thousand instructions that a thread executes.
        run.update({n: 1000 * b["run"][n] / max(b["run"]["insns"], 1) / len(of) for n in ("conflicts", "bound")})
    k = 1000 / code["insns"]
    return [label, len(of), code["insns"], f"{code['wanted'] / code['insns']:.2f}", f"{100 * code['read'] / code['wanted']:.1f}", f"{k * code['flags']:.1f}", code["useless"],
            f"{k * code['missed']:.1f}", *(f"{k * code[n]:.1f}" for n in ("conflicts", "flagged", "swapped", "bound")), f"{run['conflicts']:.1f}", f"{run['bound']:.1f}"]


def table(head, rows, out):
    print("| " + " | ".join(head) + " |\n|" + "--:|" * len(head), file=out)
    for r in rows:
        print("| " + " | ".join(str(x) for x in r) + " |", file=out)


def main():
    jobs = next((int(a.split("=")[1]) for a in sys.argv if a.startswith("--jobs=")), os.cpu_count())
    build, target = [a for a in sys.argv[1:] if not a.startswith("--")]
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        sets = {"test cubins": sorted(glob.glob("test/sass/cubin/*.cubin"))}
        if shutil.which("ptxas"):
            made = {}
            for ptx in sorted(glob.glob("examples/[!m]*/*.ptx") + glob.glob("examples/m[!i]*/*.ptx")):
                for sm in TARGETS:
                    out = f"{tmp}/{os.path.basename(ptx)[:-4]}.sm_{sm}.cubin"
                    made[out] = pool.submit(subprocess.run, ["ptxas", f"-arch=sm_{sm}", "-lineinfo", ptx, "-o", out], capture_output=True)
            sets["examples"] = [out for out, job in made.items() if job.result().returncode == 0]
        found = {name: [k for ks in pool.map(lambda p: analyse(build, p), paths) for k in ks] for name, paths in sets.items()}
    with open(target, "w") as f:
        print("# Register banks and reuse flags\n\nWritten by `make study-banks` (`test/study/banks.py`); [BANKS](../BANKS.md) says what the numbers are. Flags, missed flags and conflicts (cycles) are of "
              "1000\ninstructions of the code; *of a run*, conflicts of 1000 instructions that a thread executes by the estimated executions of blocks, the mean over kernels.", file=f)
        for name, kernels in found.items():
            print(f"\n## {name.capitalize()}\n", file=f)
            table(HEAD, [row(sm, [k for k in kernels if k[2] == sm]) for sm in sorted({k[2] for k in kernels})], f)
        kernels = [k for k in found.get("examples", found["test cubins"]) if k[2] == 86 and k[3]["run"]["insns"] >= 1000]
        kernels.sort(key=lambda k: -k[3]["run"]["conflicts"] / k[3]["run"]["insns"])
        print(f"\n## Kernels that wait most, sm_86\n\nConflicts of 1000 executed instructions, the {WORST} kernels with most of them.\n", file=f)
        rate = lambda b, n: f"{1000 * b['run'][n] / b['run']['insns']:.1f}"
        table(("kernel", "instructions of a run", "conflicts", "with missed flags", "and exchanged", "best numbers", "issue put back"),
              [(k[1], k[3]["run"]["insns"], *(rate(k[3], n) for n in ("conflicts", "flagged", "swapped", "bound", "delay"))) for k in kernels[:WORST]], f)


if __name__ == "__main__":
    main()
