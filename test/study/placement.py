#!/usr/bin/env python3
"""placement.py BUILD TABLE: what it costs to hold the extended set where `--regmutex-place=cost` and `paper` put it, at the size of the paper's rule, and what
that size and the one of `--regmutex=auto` are worth, for all kernels of the examples that run a variant on the paper's machine (docs/REGMUTEX.md#size,
REGMUTEX_CODE.md#placement). Writes two tables in Markdown."""
import concurrent.futures, json, math, os, re, subprocess, sys, tempfile
from common import annotate, examples, launch, source_of

MACHINE, PLACES = "regmutex", ("paper", "cost")
WAYS = {"paper": ("--regmutex=paper", "--regmutex-place=paper"), "cost": ("--regmutex=paper",), "auto": ()}


def blocks_of(name):
    """{kernel: threads of its largest block in the launch file}"""
    found = {}
    text = open(launch(name)).read()
    for kernel, shape in re.findall(r"kernel:\s*(\w+).*?block:\s*\[([^\]]*)\]", text, re.S):
        found[kernel] = max(found.get(kernel, 0), math.prod(int(x, 0) for x in shape.split(",")))
    return found


def rows(build, name):
    blocks, found, plain = blocks_of(name), {}, {}
    with tempfile.TemporaryDirectory() as tmp:
        for block in sorted(set(blocks.values())):
            for way, more in WAYS.items():
                options = ("--machine", MACHINE, f"--block={block}", *more)
                out = subprocess.run([f"{build}/ptx-annotate", source_of(name), "-q", *options, "--emit=json", "-o", "-"], check=True, capture_output=True, text=True)
                here = [k for k in json.loads(out.stdout)["kernels"] if blocks.get(k["name"]) == block and k.get("regmutex", {}).get("variant")]
                if not here:
                    continue
                rlo, result = annotate(build, name, tmp, *options), f"{tmp}/{name}.json"
                for design in (["baseline"] if not plain else []) + ["regmutex"]:
                    subprocess.run([f"{build}/sm-model", "run", rlo, "--launch", launch(name), "--machine", MACHINE, "--rf", design, "--quiet", "--json", result],
                                   check=True)
                    kernels = json.load(open(result))["kernels"]
                    got = {k: {c: v["value"] for c, v in kernels[k]["metrics"].items()} for k in kernels}
                    if design == "baseline":
                        plain = got
                for k in here:
                    c = next(c for c in k["regmutex"]["candidates"] if c["chosen"])
                    found.setdefault(k["name"], {"warps": k["regmutex"]["warps_before"]})[way] = {
                        "size": f'{c["base"]} + {c["extended"]}', "sections": f'{c["sections"]} of {c["warps"]}', "progress": c.get("progress"),
                        "moves": k["regmutex"]["moves"], "acquires": k["regmutex"]["acquires"], "held": k["regmutex"]["held_percent"],
                        "more": 100 * (got[k["name"]]["warp_instructions"] / plain[k["name"]]["warp_instructions"] - 1),
                        "cycles": 100 * (got[k["name"]]["cycles"] / plain[k["name"]]["cycles"] - 1)}
    return [(name, kernel, f) for kernel, f in found.items()]


def main(build, path):
    names = [n for n in examples(build) if n != "micro"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        table = [r for of in pool.map(lambda n: rows(build, n), names) for r in of]
    with open(path + ".new", "w") as f:
        f.write("# What it costs to hold the extended set, by placement\n\n`make study-placement` writes this: kernels with a variant on machine `regmutex`. MOVs and "
                "acquires in the code; more warp\ninstructions executed than by the plain kernel, and more cycles, in percent; the share of instructions executed while the set is held (estimated).\n\n"
                "| example | kernel | registers | sections |" + "".join(f" {p}: MOVs | acquires | executed | held | cycles |" for p in PLACES) + "\n|---|---|--:|--:|" +
                "--:|" * 5 * len(PLACES) + "\n")
        placed = [t for t in table if "cost" in t[2]]
        for name, kernel, r in placed:
            f.write(f"| {name} | {kernel} | {r['cost']['size']} | {r['cost']['sections']} |" + "".join(
                " {moves} | {acquires} | {more:+.1f} | {held:.0f} | {cycles:+.1f} |".format(**r[p]) if p in r else " | | | | |" for p in PLACES) + "\n")
        for p in PLACES:
            here = [r[p] for _, _, r in placed if p in r]
            f.write(f"\n`{p}`: {len(here)} kernels, means {sum(h['more'] for h in here) / len(here):+.1f} % executed, {sum(h['held'] for h in here) / len(here):.0f} % held, "
                    f"{sum(h['cycles'] for h in here) / len(here):+.1f} % cycles.\n")
        f.write("\n## By rule for the size\n\n`--regmutex=paper`, the paper's rule, and `auto`: warps that the rule takes to progress at a time, of the plain kernel all; "
                "more cycles than the plain kernel, in percent\n(0: `auto` makes no variant).\n\n| example | kernel | plain: warps | paper: registers | sections | cycles | auto: registers | "
                "sections | progress | cycles |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
        for name, kernel, r in table:
            p, a = r.get("cost"), r.get("auto")
            f.write(f"| {name} | {kernel} | {r['warps']} |" + (" {size} | {sections} | {cycles:+.1f} |".format(**p) if p else " - | - | 0 |") +
                    (" {size} | {sections} | {progress:.1f} | {cycles:+.1f} |\n".format(**a) if a else " - | - | - | 0 |\n"))
        for rule, way in (("paper", "cost"), ("auto", "auto")):
            all_of = [r[way]["cycles"] if way in r else 0 for _, _, r in table]
            f.write(f"\n`{rule}`: means {sum(all_of) / len(all_of):+.1f} % cycles over {len(all_of)} kernels, at worst {max(all_of):+.1f}.\n")
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main(*sys.argv[1:3])
