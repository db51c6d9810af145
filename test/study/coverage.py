#!/usr/bin/env python3
"""coverage.py BUILD PAGE [LIBRARIES] [MOST]: how much of the machine code in CUDA's libraries can be executed, by target. Writes tables in Markdown.
LIBRARIES: the folder, /usr/local/cuda/lib64 if not given; MOST: so many cubins of a library and a target are read, evenly of all."""
import collections, glob, os, subprocess, sys

ASYNCHRONOUS = "it belongs to the asynchronous units of Hopper and Blackwell"
SHOWN = 40


def table(heads, rows):
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" + "--:|" * (len(heads) - 1)
    for r in rows:
        yield "| " + " | ".join(str(c) for c in r) + " |"


def libraries(folder):
    """One path of each library with machine code: links to it, and parts of it that have none, are left out."""
    known = {}
    for path in sorted(glob.glob(os.path.join(folder, "lib*.so"))):
        known.setdefault(os.path.realpath(path), path)
    return [p for p in known.values() if b".nv_fatbin" in subprocess.run(["readelf", "-SW", p], capture_output=True).stdout]


def share(executed, of):
    """Rounded down: 100 is all."""
    return f"{int(100000 * executed / of) / 1000:.3f}" if of else "-"


def main(build, page, folder="/usr/local/cuda/lib64", most="60"):
    lines = []
    read = libraries(folder)
    if not read:
        sys.exit(f"coverage.py: no library in {folder} has machine code")
    for path in read:
        run = subprocess.run([f"{build}/test/coverage", most, path], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"coverage.py: {path}: {run.stderr}")
        lines += [l.split("\t") for l in run.stdout.splitlines()]
    total, refused, library = collections.defaultdict(lambda: [0] * 5), collections.Counter(), collections.defaultdict(lambda: [0] * 6)
    asynchronous = collections.Counter()
    for what, name, sm, *rest in lines:
        sm = int(sm)
        if what == "file":
            for n, v in enumerate(rest):
                total[sm][n] += int(v)
                library[name][n] += int(v)
            continue
        mnemonic, n, why = rest[0], int(rest[1]), rest[2]
        if why == ASYNCHRONOUS:
            asynchronous[sm] += n
            library[name][5] += n
        else:
            refused[mnemonic, why, sm] += n

    def row(name, cubins, seen, kernels, insns, bad, units):
        return (name, f"{seen:,} of {cubins:,}", f"{kernels:,}", f"{insns:,}", f"{units:,}", f"{bad - units:,}", share(insns - bad, insns - units))

    heads = ("kernels", "instructions", "of asynchronous units", "refused besides", "executed of all others, %")
    targets = [row(f"sm_{sm}", *total[sm], asynchronous[sm]) for sm in sorted(total)]
    everything = [sum(t[n] for t in total.values()) for n in range(5)]
    out = ["# How much of CUDA's libraries can be executed?", "",
           f"Written by `make study-coverage`, of {len(read)} libraries of CUDA 13.0 in `{folder}`: every kernel, with the functions that it calls, of at most {most} cubins of a library for "
           "a target, evenly of all that it holds. Static instructions, padding included; an instruction is executed if all that it does is "
           "known in steps ([NATIVE](../NATIVE.md#steps)). The asynchronous units are SYNCS, UBLKCP, UTMA*, HGMMA, UTC* and the others that `semantics.def` names so.", "",
           "## By target", ""]
    out += table(("target", "cubins read") + heads, targets + [row("all", *everything, sum(asynchronous.values()))])
    out += ["", "## By library", ""]
    out += table(("library", "cubins read") + heads, [row(name, *library[name]) for name in sorted(library)])
    by = collections.Counter()
    for (mnemonic, why, _), n in refused.items():
        by[mnemonic, why] += n
    order = sorted(by, key=lambda k: (-by[k], k))
    out += ["", "## What is refused besides", "", f"The {min(SHOWN, len(order))} most frequent of {len(order)}, by mnemonic and reason.", ""]
    out += table(("mnemonic", "instructions", "targets", "reason"),
                 [(k[0], f"{by[k]:,}", " ".join(str(sm) for sm in sorted(total) if refused[k + (sm,)]), k[1]) for k in order[:SHOWN]])
    with open(page, "w") as f:
        f.write("\n".join(out).replace("\n|---|--:|--:|--:|\n", "\n|---|--:|---|---|\n") + "\n")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    main(*sys.argv[1:])
