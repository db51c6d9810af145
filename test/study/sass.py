#!/usr/bin/env python3
"""sass.py BUILD TABLE: the cubins of test/sass: registers live beside registers declared, and what the decoder left open, by kernel and by target.
Writes tables in Markdown."""
import csv, glob, os, subprocess, sys, tempfile

HEAD = """# Machine code: live registers beside declared ones

Written by `make study-sass`, of every kernel in `test/sass/cubin` (own kernels, compiled with nvcc and ptxas 13.0; [what they are](../../test/sass/README.md)).
`test/sass/evidence` makes the figures. "Declared" is what the file asks of the GPU for each thread (EIATTR_REGCOUNT); ptxas declares the
highest register that it names, plus 1, plus 2. "Live" is the most 32-bit general registers that are live at one point,
by the liveness of [docs/PASSES.md](../PASSES.md), over the kernel and the functions that it calls. A tuple must begin at an
even register or at a multiple of four, and calls keep values in fixed places: so a kernel may need more than are ever live.
More are live than declared where warps take registers from others while they run (`more_registers`, setmaxnreg).
"""
MANY = "## And of many more"


def table(heads, rows):
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for r in rows:
        yield "| " + " | ".join(str(c) for c in r) + " |"


def main(build, path):
    with tempfile.TemporaryDirectory() as tmp:
        run = subprocess.run([f"{build}/test/evidence", "--csv", f"{tmp}/rows.csv", "--allow", "test/sass/explained.txt"] + sorted(glob.glob("test/sass/cubin/*.cubin")),
                             capture_output=True, text=True)
        rows = [{k: int(v) if v.isdigit() else v for k, v in r.items()} for r in csv.DictReader(open(f"{tmp}/rows.csv"))]
    if run.returncode:
        sys.exit(run.stdout)
    sms = sorted({r["sm"] for r in rows})
    out = [HEAD, "## By target", ""]

    def of(rows, key):
        return sum(r[key] for r in rows)

    def summary(sm):
        mine = [r for r in rows if r["sm"] == sm]
        ratio = [r["peak"] / r["declared"] for r in mine]
        return (f"sm_{sm}", len(mine), f"{of(mine, 'instructions'):,}", of(mine, "declared"), of(mine, "peak"), f"{100 * sum(ratio) / len(ratio):.0f} %",
                f"{100 * min(ratio):.0f} - {100 * max(ratio):.0f} %", of(mine, "unknown"), of(mine, "unclaimed"), of(mine, "unwritten"))

    out += table(("target", "kernels", "instructions", "declared, sum", "live, sum", "live of declared, mean", "least and most", "unknown opcodes",
                  "bits unexplained", "reads of what nobody wrote"), [summary(sm) for sm in sms])
    out += ["", "## By kernel", "", "Declared and most live registers; `-`: not made for that target.", ""]
    names = sorted({(r["cubin"].split(".sm_")[0], r["kernel"]) for r in rows})
    cell = {(r["cubin"].split(".sm_")[0], r["kernel"], r["sm"]): f"{r['declared']} {r['peak']}" for r in rows}
    size = {}
    for r in rows:
        size.setdefault((r["cubin"].split(".sm_")[0], r["kernel"]), []).append(r["instructions"])
    out += table(("file", "kernel", "instructions") + tuple(f"sm_{sm}" for sm in sms),
                 [(f, k, f"{min(size[f, k])} - {max(size[f, k])}" if len(size[f, k]) > 1 else size[f, k][0]) + tuple(cell.get((f, k, sm), "-") for sm in sms) for f, k in names])
    power = subprocess.run([f"{build}/test/evidence", "--forget", "--open", "--allow", "test/sass/explained.txt"] + sorted(glob.glob("test/sass/cubin/*.cubin")),
                           capture_output=True, text=True).stdout.split("\n")
    missed = [l.split() for l in power if l.startswith("forget ") and " in 0 of " in l]
    noticed = next(l for l in power if l.startswith("reads forgotten"))
    explained = [l.rstrip("\n") for l in open("test/sass/explained.txt")]
    out += ["", "## What is explained, one by one", "", "Results that nobody reads, registers that are read although nothing on the way writes them, or live where a kernel "
            "begins (`test/sass/explained.txt`):", "", "```"] + explained + ["```", "", "## What was checked", "", "```"] + run.stdout.rstrip().split("\n") + ["```"]
    out += ["", "## What a forgotten read looks like", "", "A decoder that does not know that an instruction reads a register leaves a result behind that nobody reads. Of each operand of each "
            "mnemonic in turn the last register was taken out of what is read (`evidence --forget`):", "", "```", noticed, "```", "",
            "The others are operands whose registers other instructions read too, or come from an instruction that is explained above: "
            + ", ".join(f"{l[1]} {l[2]}" for l in missed) + ".", "",
            "## Not understood", "", "Instructions with a field set whose meaning is not known, by row ([docs/SASS_SOURCES.md](../SASS_SOURCES.md#not-understood)):", "", "```"]
    out += [l for l in power if l.startswith("open ")] + ["```"]
    large = sorted(glob.glob("build/sass-corpus/*.cubin"))
    if large:
        run = subprocess.run([f"{build}/test/evidence", "--allow", "test/sass/explained.txt", "--allow", "test/sass/corpus.txt"] + large, capture_output=True, text=True)
        said = [l for l in run.stdout.rstrip().split("\n") if not l.startswith("note ")]
        out += ["", MANY, "", f"The same for the {len(large):,} cubins of `make sass-corpus`, which are not committed: every example, every kernel of `test/cuda` and "
                "those above, for all targets, at several levels of optimisation, with few registers and with -G (`test/sass/corpus.txt` is what is explained there):",
                "", "```"] + said + ["```"]
    elif MANY in (before := open(path).read()):
        print(f"sass.py: build/sass-corpus is not here, so what {path} says of it stays as it was", file=sys.stderr)
        out += ["", MANY + before.split(MANY)[1].rstrip()]
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    main(sys.argv[1], sys.argv[2])
