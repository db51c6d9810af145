#!/usr/bin/env python3
"""Runs the microbenchmarks of examples/micro and compares what they measure with what the parameters in force say.

    test/script/micro.py BUILD [-q | -v] [sm-model's --machine, --set and --rf options]

One line for each: what is measured, modelled cycles of an element, those of the formula of docs/TIMING.md, whether they agree.
The modelled value must equal the formula's, or lie within the stated bound above it. Formulas of chains assume that operands lie
in banks of their own; where the allocated registers do not, the cycles lost to that are added. Exit status 1 if one does not.
-v: the formulas too, which stand below a line that does not agree in any case. -q: only those lines."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
MICRO = os.environ.get("MICRO") or os.path.join(ROOT, "examples", "micro")


def run(*command):
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"{' '.join(command)}:\n{r.stdout}{r.stderr}")
    return r.stdout


class Formula:
    """Evaluates `expect` of micro.json over the parameters of a run."""

    def __init__(self, config):
        p = self.p = config
        flits = lambda data: math.ceil((p["packet_bytes"] + data) / p["flit_bytes"])
        sectors = bool(p.get("l2_sectors"))
        self.names = dict(
            p, max=max, min=min, ceil=math.ceil, gcd=math.gcd,
            up=lambda n, mhz: math.ceil(n * p["sm_mhz"] / mhz),                  # cycles of another clock in those of the SM
            flits=flits, line_flits=lambda: 4 * flits(32) if sectors else flits(128),
            port=self.port, burst_cycles=self.burst_cycles, dram_line=self.dram_line)

    def port(self, n, times=1):
        """Cycles of a slice's data port until the reply of n bytes can begin to leave: with its first sector, if the L2 has sectors."""
        p = self.p
        moves = math.ceil(n / p["l2_port_bytes"])
        if not p.get("l2_sectors"):
            return self.names["up"](moves, p["l2_mhz"]) * times
        return self.names["up"](max(moves, n // 32), p["l2_mhz"]) * times // (n // 32)

    def burst_cycles(self):
        """DRAM cycles that the data of a request of one sector take: of a whole line, if the L2 has no sectors."""
        p = self.p
        wanted = 32 if p.get("l2_sectors") else 128
        burst = math.ceil(p["dram_burst_bytes"] / p["dram_bytes_cycle"])
        return (math.ceil(wanted / p["dram_burst_bytes"]) - 1) * max(burst, p["dram_ccdl"]) + burst

    def dram_line(self):
        """SM cycles in which the data pins of all partitions together move a line."""
        p = self.p
        requests, wanted = (4, 32) if p.get("l2_sectors") else (1, 128)
        bursts = requests * math.ceil(wanted / p["dram_burst_bytes"])
        return bursts * math.ceil(p["dram_burst_bytes"] / p["dram_bytes_cycle"]) * p["sm_mhz"] / p["dram_mhz"] / p["partitions"]

    def __call__(self, text, **more):
        return eval(text, {"__builtins__": {}}, dict(self.names, **more))


def waits(text, p):
    """Cycles that a dependent instruction of warp 0 loses to the register file: reads and writes of one bank take turns."""
    op, _, operands = re.sub(r"^@!?P\d ", "", text).partition(" ")
    wide = "64" in op
    regs = [[int(r[1:]) + i for i in range(2 if wide and op != "cvt.u64.u32" else 1)] for r in re.findall(r"\bR\d+\b", operands)]
    if op == "cvt.u64.u32":
        regs = [[regs[0][0], regs[0][0] + 1], *regs[1:]]
    if op.startswith(("ld.", "atom.")):
        regs = [regs[0] if wide else regs[0][:1], *([r[0], r[0] + 1] if "global" in op else r for r in regs[1:])]

    def turns(of):
        bank = [r % p["rf_banks"] for r in set(of)]
        return max(map(bank.count, bank), default=1)

    reads = {r for one in regs[1:] for r in one}
    ports = math.ceil(len(reads) / p["oc_ports"]) if p.get("oc_ports") else 1
    return max(turns(reads), ports, 1) - 1 + turns(regs[0]) - 1


def segments(texts):
    """What stands between the reads of %clock: of the second and the last chain."""
    at = [i for i, t in enumerate(texts) if "%clock" in t]
    return texts[at[0] + 1:at[1]], texts[at[1] + 1:at[2]]


def lost(bench, texts, p):
    if bench.get("launches") or p["rf_banks"] >= 32:
        return 0
    keep = lambda part: [t for t in part if re.match(bench.get("critical", "(?!bra|bar|mad.lo.s32 R\\d+, R\\d+, \\d|@)"), t) and ", 1" not in t[-3:]]
    short, long = (sum(waits(t, p) for t in keep(part)) for part in segments(texts))
    return (long - short) / bench["elements"]


def main():
    build, *options = sys.argv[1:] or sys.exit(__doc__)
    quiet, all_of_it = "-q" in options, "-v" in options
    options = [o for o in options if o not in ("-q", "-v")]
    with open(os.path.join(MICRO, "micro.json")) as f:
        benches = json.load(f)
    failed, left, results, last = 0, 0, {}, None
    with tempfile.TemporaryDirectory() as tmp:
        for name in dict.fromkeys(b["file"] for b in benches):
            ptx, rlo, out = os.path.join(MICRO, name + ".ptx"), os.path.join(tmp, name + ".rlo"), os.path.join(tmp, name + ".json")
            run(build + "/ptx-annotate", ptx, "-q", "-o", rlo)
            kernels = json.loads(run(build + "/ptx-annotate", ptx, "-q", "--emit=json", "-o", "-"))["kernels"]
            run(build + "/sm-model", "run", rlo, "--launch", os.path.join(MICRO, name + ".yaml"), "-q", "--clocks", "--json", out, *options)
            with open(out) as f:
                results[name] = json.load(f), {k["name"]: [i["text"] for i in k["instructions"]] for k in kernels}
    for b in benches:
        result, texts = results[b["file"]]
        formula = Formula(result["config"])
        if b["file"] != last and not quiet:
            last = b["file"]
            print(f"\n{last}\n{'':2}{'':58} {'modelled':>9} {'configured':>10}  agree")
        if "when" in b and not formula(b["when"]):
            left += 1
            if not quiet:
                print(f"  {b['what']:58} {'':9} {'':10}  not measured here")
                if all_of_it:
                    print(f"      {b['when']} does not hold")
            continue
        if b.get("launches"):
            short, long = [l["cycles"] for l in result["launches"] if l["kernel"] == b["kernel"]][-2:]
        else:
            pairs = [c for c in result["clocks"] if c["kernel"] == b["kernel"]]
            short, long = (c["mean"] for c in pairs[:2])
        modelled = (long - short) / b["elements"] * b.get("unit", 1)
        b["expect"] = b["fixed"] if "fixed" in b and result["config"].get("memory_fixed") else b["expect"]
        expect = formula(b["expect"]) + lost(b, texts[b["kernel"]], result["config"]) * b.get("unit", 1)
        bound = formula(b["bound"], expect=expect) if "bound" in b else 0
        below = formula(b["below"], expect=expect) if "below" in b else 0
        if result["config"]["rf_banks"] < 16 and not bound:      # a read of %clock writes to a bank that an element wants, or the other way round
            bound = below = 2 / b["elements"] * b.get("unit", 1)
        ok = expect - below - 1e-9 <= modelled <= expect + bound + 1e-9
        failed += not ok
        if not quiet or not ok:
            print(f"  {b['what']:58} {modelled:9.2f} {expect:10.2f}  {'yes' if ok else 'NO'}" + (f", within {bound:.2f}" if bound else ""))
            if all_of_it or not ok:
                print(f"      {b['expect']}" + (f"\n      at most {bound:.2f} more: {b.get('why', 'reads of %clock share banks with elements')}" if bound else ""))
    print(f"{'' if quiet else chr(10)}{len(benches) - failed - left} of {len(benches) - left} agree" + (f", {left} cannot be measured on this machine" if left else ""))
    return failed != 0


sys.exit(main())
