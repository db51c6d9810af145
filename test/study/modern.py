#!/usr/bin/env python3
"""What the five papers' techniques are worth on machine code and a core of today, beside the papers' GTX 480 with our code of the same PTX; what the reuse cache takes away; and the directions of
Huerta et al.'s tables (MICRO 2025): prefetcher, reuse cache, read ports, scoreboards, also of two kernels that wait for ports. What a core refuses is asked of the program, and stands in the table with its sentence. Machine code is made with
ptxas; without it those columns are left out, and it is said. All SMs but SMS are left out, so that there are CTAs enough for each. Writes FOLDER/modern.md, modern.csv (the counters behind it) and
modern.svg; docs/MODERN.md says what it means. --quick: two examples on one SM. Without a folder the tables are printed. Usage: modern.py BUILD [FOLDER] [--quick]"""
import json, math, os, re, shutil, subprocess, sys, tempfile
import common, ports
from common import annotate, arguments, each, examples, gnuplot, measured, source_of, write_csv
from tables import geometric, line, mean, number, percent

EXAMPLES = "blackscholes dct8x8 dgemm fwt hotspot lud nw pathfinder reduction scalarprod scan sgemm sobel spmv".split()
QUICK_EXAMPLES = ("saxpy", "scan")
SMS, QUICK_SMS = 4, 1
PTXAS = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")

# column: machine, architecture of the machine code (None: our code of the PTX)
COLUMNS = {"GTX 480, PTX": ("gtx480", None), "GTX 480, sm_86": ("gtx480", "sm_86"), "RTX 3080, sm_86": ("rtx3080", "sm_86"), "H100, sm_90": ("h100", "sm_90")}
ENERGY = {"gtx480": "energy=all"}       # as docs/COMPARISON.md; the others' own table has every technique
OF_TODAY, FIRST, DIRECTIONS_ON = ("RTX 3080, sm_86", "H100, sm_90"), "GTX 480, PTX", "RTX 3080, sm_86"
COUNTERS = ("cycles", "warp_instructions", "resident_warps", "operand_reads", "operand_writes", "uniform_reads", "uniform_writes", "rf_operand_reads", "rf_operand_writes", "reuse_cache_reads",
            "rf_l0_reads", "rf_l1_reads", "multi_operand_instructions", "multi_operand_reads", "coalesced_instructions", "coalesced_operands", "valued_instructions", "scalar_alu", "scalar_sfu",
            "scalar_mem", "scalar_half", "reused_instructions", "reused_loads", "rf_reads", "rf_bank_conflicts", "rf_dynamic_energy", "rf_leakage_energy", "rf_energy", "sm_energy")

share = lambda n, of: lambda b, d: percent(d[n], d[of])
less = lambda n: lambda b, d: percent(b[n] - d[n], b[n]) if d[n] is not None else None
more = lambda n: lambda b, d: percent(d[n] - b[n], b[n])
scalar = lambda b, d: percent(sum(d[f"scalar_{k}"] for k in ("alu", "sfu", "mem", "half")), d["valued_instructions"])
# WIR's tables, so many times what they are: those of an SM in each of four sub-cores, those of a sub-core in an SM. Not its verify cache, which saves reads alone
tables = lambda times: ",".join(f"{name}={int(n * times)}" for name, n in (("reuse_entries", 256), ("vsb_entries", 256), ("reuse_queue", 16)))
# technique: configuration, {figure: value of the counters of the baseline and of the design}
TECHNIQUES = {
    "CORF": ("corf", {"instructions coalesced, of those that read several": share("coalesced_instructions", "multi_operand_instructions"), "RF energy saved": less("rf_energy"), "cycles saved": less("cycles")}),
    "CORF++": ("corf++", {"instructions coalesced, of those that read several": share("coalesced_instructions", "multi_operand_instructions"), "RF energy saved": less("rf_energy")}),
    "RFV": ("rfv", {"RF energy saved": less("rf_energy")}),
    "RegMutex": ("regmutex,rf_registers={full}", {"cycles saved": less("cycles"), "more resident warps": more("resident_warps")}),
    "RegMutex, half the file": ("regmutex,rf_registers={half}", {"cycles saved": less("cycles"), "more resident warps": more("resident_warps")}),
    "G-Scalar": ("g-scalar", {"scalar instructions": scalar, "dynamic RF energy saved": less("rf_dynamic_energy"), "cycles saved": less("cycles")}),
    "split LRF and ORF": ("split-lrf+orf", {"operands not read from the main file": lambda b, d: percent(b["operand_reads"] - d["rf_operand_reads"], b["operand_reads"]),
                                            "dynamic RF energy saved": less("rf_dynamic_energy"), "cycles saved": less("cycles")}),
    "WIR": ("wir-rlpv", {"instructions reused": share("reused_instructions", "warp_instructions"), "dynamic RF energy saved": less("rf_dynamic_energy"), "cycles saved": less("cycles"),
                         "reads that wait": lambda b, d: percent(d["rf_bank_conflicts"], d["rf_reads"])}),
    "WIR, four times its tables": ("wir-rlpv," + tables(4), {"instructions reused": share("reused_instructions", "warp_instructions")}),
    "WIR, a quarter of its tables": ("wir-rlpv," + tables(0.25), {"instructions reused": share("reused_instructions", "warp_instructions")}),
    "NoVSB": ("wir-novsb", {"cycles saved": less("cycles")}),
}
FULL = {"gtx480": 32768, "rtx3080": 65536, "h100": 65536}      # registers of an SM; what warps share is chosen for them
HALF = {machine: n // 2 for machine, n in FULL.items()}
CHART = (("CORF++", "instructions coalesced, of those that read several", "coalesced"), ("RegMutex, half the file", "cycles saved", "cycles saved"), ("G-Scalar", "scalar instructions", "scalar"),
         ("G-Scalar", "dynamic RF energy saved", "RF energy saved"), ("split LRF and ORF", "operands not read from the main file", "not from main file"),
         ("split LRF and ORF", "dynamic RF energy saved", "RF energy saved"), ("WIR", "instructions reused", "reused"))
COLOURS = dict(zip(COLUMNS, ("#888888", "#c0a040", "#4477aa", "#cc6677")))

# (what, parameters, beside which, table of Huerta et al., their speeds over that: of all their programs, of MaxFlops, of Cutlass's sgemm). Of table 6 those of CUDA 12.8; that all operands are read in
# a cycle is eight ports here
NO_PREFETCH = "prefetch_lines=0"
DIRECTIONS = [(f"prefetcher of {n} line{'s' if n > 1 else ''}", f"prefetch_lines={n}", NO_PREFETCH, 5, (v, None, None))
              for n, v in ((1, 1.08), (2, 1.19), (4, 1.29), (8, 1.37), (16, 1.40), (32, 1.40))]
DIRECTIONS += [("every instruction at hand", "icache_sets=0", NO_PREFETCH, 5, (1.50, None, None)), ("no reuse cache", "reuse_cache=0", "", 6, (0.974, 1.00, 0.69)),
               ("no reuse cache, two read ports", "reuse_cache=0,rf_read_ports=2", "", 6, (1.006, 1.45, 1.02)), ("no reuse cache, all operands in a cycle", "reuse_cache=0,rf_read_ports=8", "", 6, (1.008, 1.45, 1.02)),
               ("two read ports, reuse cache", "rf_read_ports=2", "", None, (None, None, None)),
               *((f"scoreboard, {what}", f"dependences=scoreboard,scoreboard_readers={n}", "", 7, theirs) for what, n, theirs in
                 (("1 reader", 1, (0.95, None, 0.62)), ("3 readers", 3, (0.98, None, None)), ("63 readers", 63, (0.98, None, 0.96)), ("no limit of readers", 0, (0.98, None, None))))]


def code_of(build, name, arch, tmp, *options):
    """The program to run: our object, made with these options, or machine code; None: there is no ptxas, or it refuses."""
    if arch is None:
        return annotate(build, name, tmp, *options)
    out = f"{tmp}/{name}.{arch}.cubin"
    if PTXAS and not os.path.exists(out):
        subprocess.run([PTXAS, "-O3", f"-arch={arch}", f"{tmp}/{name}.ptx" if name in ports.KERNELS else source_of(name), "-o", out], stderr=subprocess.DEVNULL)
    return out if os.path.exists(out) else None


def launch(name, tmp):
    return f"{tmp}/{name}.yaml" if name in ports.KERNELS else common.launch(name)


def compared(build, name, machine, arch, sms, designs, tmp):
    """{design: {counter: value}}; a design that cannot run this program is not there. designs: configurations; that of no text is the machine as it is. Those with one register file run together, with
    code for it."""
    out, files = {}, {}
    for d in designs:
        files.setdefault("".join(re.findall(r"rf_registers=\d+", d)), []).append(d)
    for file, of in files.items():
        at = ["--machine", machine, *(["--set", file] if file else [])]
        code, found = code_of(build, name, arch, tmp, *(at + ["--launch", launch(name, tmp)] if file else [])), f"{tmp}/out.json"
        if not code:
            return {}
        if os.path.exists(found):
            os.remove(found)
        configs = [",".join(x for x in d.split(",") if x and x != file) or "baseline" for d in of]
        more_ = [a for i, text in enumerate(configs) for a in ("--config", ",".join(filter(None, (text, ENERGY.get(machine), f"sms={sms},name={i}"))))]
        done = subprocess.run([f"{build}/sm-model", "compare", code, "--launch", launch(name, tmp), *at, *more_, "--quiet", "--json", found], stderr=subprocess.PIPE, text=True)
        if not os.path.exists(found):
            sys.exit(f"{name}, {machine}: {done.stderr}")
        with open(found) as f:
            out.update({d: {m: c["metrics"][m]["value"] for m in COUNTERS} for d, c in zip(of, json.load(f)["configurations"]) if not c["failed"]})
    return out


def asked(build, tmp):
    """{column: {technique: (configuration, what is beside it) or the sentence of refusal}}, from the program, of a small example."""
    out = {}
    for column, (machine, arch) in COLUMNS.items():
        code, out[column] = code_of(build, "saxpy", arch, tmp), {}
        for t, (text, _) in TECHNIQUES.items() if code else ():
            text = text.format(full=FULL[machine], half=HALF[machine])
            under = "".join(re.findall(r"rf_registers=\d+", text))
            for extra in ("", "dependences=scoreboard"):
                config = ",".join(filter(None, (text, extra)))
                done = subprocess.run([f"{build}/sm-model", "compare", code, "--launch", launch("saxpy", tmp), "--machine", machine, "--config", config + ",sms=1", "--quiet",
                                       "--json", f"{tmp}/asked.json"], capture_output=True, text=True)
                if not done.returncode:
                    out[column][t] = config, ",".join(filter(None, (under, extra)))
                    break
                if extra == "" or "dependences" in out[column].get(t, ""):
                    out[column][t] = re.sub(r"^sm-model: error: ", "", (done.stderr.splitlines() or ["failed"])[0])
                if "dependences=scoreboard" not in done.stderr:
                    break
    return out


class Example:
    """c[column; design][counter]"""

    def __init__(self, build, name, tmp, sms, plan):
        self.name, self.c = name, {}
        tmp = f"{tmp}/{name}"
        os.makedirs(tmp, exist_ok=True)
        if name in ports.KERNELS:
            ports.write(tmp)
        for column, designs in plan.items():
            machine, arch = COLUMNS[column]
            self.c.update({f"{column}; {d}": v for d, v in compared(build, name, machine, arch, sms, designs, tmp).items()})

    def get(self, column, design):
        return self.c.get(f"{column}; {design}")


def plan_of(answers):
    """{column: configurations that its figures need}, each once, the machine as it is first."""
    plan = {}
    for column, techniques in answers.items():
        of = ["", *(x for a in techniques.values() if isinstance(a, tuple) for x in (a[1], a[0]))]
        if column in OF_TODAY:
            of += ["reuse_cache=0", *(f"{x},reuse_cache=0".lstrip(",") for a in techniques.values() if isinstance(a, tuple) for x in (a[1], a[0]))]
        if column == DIRECTIONS_ON:
            of += [NO_PREFETCH, *(d[1] for d in DIRECTIONS)]
        if techniques:
            plan[column] = list(dict.fromkeys(of))
    return plan


def figure(xs, column, answer, value, without=""):
    """Mean of value(baseline, design) over the examples that have both; None if none has."""
    if not isinstance(answer, tuple):
        return None
    pairs = [(x.get(column, (answer[1] + without).lstrip(",")), x.get(column, answer[0] + without)) for x in xs]
    pairs = [p for p in pairs if p[0] and p[1]]
    return mean([value(*p) for p in pairs]) if pairs else None


def speed(xs, column, design, beside):
    pairs = [(x.get(column, beside), x.get(column, design)) for x in xs]
    return geometric([b["cycles"] / d["cycles"] for b, d in pairs if b and d]) if any(b and d for b, d in pairs) else None


def reuse_table(xs):
    """What the reuse cache alone takes away."""
    out = [line(["example", *(f"{c}: {t}" for c in OF_TODAY for t in ("reads of banks without, with", "of operands", "speed"))]), "|---|" + "--:|" * (3 * len(OF_TODAY))]
    sums = {c: [] for c in OF_TODAY}
    for x in xs:
        row = [x.name]
        for c in OF_TODAY:
            off, on = x.get(c, "reuse_cache=0"), x.get(c, "")
            if not off or not on:
                row += ["", "", ""]
                continue
            of = percent(on["reuse_cache_reads"], on["operand_reads"])
            sums[c].append((of, off["cycles"] / on["cycles"]))
            row += [f"{off['rf_operand_reads']:,.0f}, {on['rf_operand_reads']:,.0f}", f"{of:.1f}", f"{off['cycles'] / on['cycles']:.3f}"]
        out.append(line(row))
    tail = ["mean"]
    for c in OF_TODAY:
        tail += ["", number(mean([a for a, _ in sums[c]]) if sums[c] else None), number(geometric([b for _, b in sums[c]]) if sums[c] else None, 3)]
    return out + [line(tail)]


def technique_table(xs, answers):
    out = [line(["technique", "figure, %", *COLUMNS, *(f"{c}, no reuse cache" for c in OF_TODAY)]), "|---|---|" + "--:|" * (len(COLUMNS) + len(OF_TODAY))]
    for t, (_, figures) in TECHNIQUES.items():
        for name, value in figures.items():
            row = [t, name]
            for c in COLUMNS:
                a = answers[c].get(t)
                row.append("" if a is None else "refused" if isinstance(a, str) else number(figure(xs, c, a, value)))
            out.append(line(row + [number(figure(xs, c, answers[c].get(t), value, ",reuse_cache=0")) for c in OF_TODAY]))
    return out


def refusals(answers):
    out = []
    for c, techniques in answers.items():
        for t, a in techniques.items():
            if isinstance(a, str):
                out.append(f"- {t} on {c}: *{a}*")
    return out


def uniform_table(xs):
    out = [line(["code", "registers read: uniform, of all", "written: uniform, of all", "warp instructions, of our code's"]), "|---|--:|--:|--:|"]
    for c in COLUMNS:
        have = [(x.get(FIRST, ""), x.get(c, "")) for x in xs if x.get(c, "") and x.get(FIRST, "")]
        if have:
            out.append(line([c, number(mean([percent(d["uniform_reads"], d["uniform_reads"] + d["operand_reads"]) for _, d in have])),
                             number(mean([percent(d["uniform_writes"], d["uniform_writes"] + d["operand_writes"]) for _, d in have])),
                             number(geometric([d["warp_instructions"] / b["warp_instructions"] for b, d in have]), 2)]))
    return out


def direction_table(xs, bound):
    """bound: the kernels of ports.py."""
    of = lambda name, some: [x for x in some if x.name == name]
    out = [line(["", "beside", "ours, examples", "ours, sgemm", "ours, flops", "ours, tiles", "theirs, all", "theirs, MaxFlops", "theirs, Cutlass", "their table"]), "|---|---|" + "--:|" * 8]
    for what, design, beside, table, theirs in DIRECTIONS:
        ours = [speed(some, DIRECTIONS_ON, design, beside) for some in (xs, of("sgemm", xs), of("flops", bound), of("tiles", bound))]
        out.append(line([what, "no prefetcher" if beside else "the machine as it is", *(number(v, 3) for v in ours), *(number(v, 2) for v in theirs), str(table or "")]))
    return out


HEAD = """# The five techniques on a core of today

Written by `{given}make study-modern` (`test/study/modern.py`); what it means is in [MODERN](../MODERN.md). {count} examples, {sms} SMs of each machine; the counters are in [modern.csv](modern.csv).
*PTX*: our code of it; *sm_86*, *sm_90*: machine code of ptxas -O3. Values and hierarchies run beside a baseline with a scoreboard (`dependences=scoreboard`) where they need one. Means over the examples that a
configuration can run; speeds are geometric means.{left}

![The techniques' figures on four pairs of code and machine](modern.svg)
"""


def report(xs, bound, answers, sms, names):
    missing = [c for c, (_, arch) in COLUMNS.items() if arch and not any(x.get(c, "") for x in xs)]
    left = f" **Left out, as there is no ptxas: {', '.join(missing)}.**" if missing else ""
    text = [HEAD.format(given=f'EXAMPLES="{os.environ["EXAMPLES"]}" ' if os.environ.get("EXAMPLES") else "", count=len(names), sms=sms, left=left), "## What the reuse cache takes away", "",
            "Operands read from the banks without and with it, what share of all operands it delivers in percent, and speed with it over without.", "", *reuse_table(xs), "",
            "## The techniques", "", "Percent. The last columns: the same with `reuse_cache=0` on both sides.", "", *technique_table(xs, answers), ""]
    said = refusals(answers)
    if said:
        text += ["Refused, as the program says:", "", *said, ""]
    text += ["## What the code has already done", "", *uniform_table(xs), "", "## Directions of published tables", "",
             f"Speed on {DIRECTIONS_ON}, beside Huerta et al. on an RTX A6000 with 128 programs. *flops* and *tiles* are kernels that wait for ports of registers (`test/study/ports.py`), in the manner of "
             "MaxFlops and of Cutlass's sgemm.", "", *direction_table(xs, bound), ""]
    return "\n".join(text)


def draw(path, xs, answers):
    """What is refused has a word in place of its bar."""
    blocks, plots, refused, width = [], [], [], 0.8 / len(COLUMNS)
    for i, c in enumerate(COLUMNS):
        values = [figure(xs, c, answers[c].get(t), TECHNIQUES[t][1][name]) for t, name, _ in CHART]
        at = [n + (i - (len(COLUMNS) - 1) / 2) * width for n in range(len(CHART))]
        blocks.append([f"{x:.3f} {v:.3f}" for x, v in zip(at, values) if v is not None] or ["0 0"])
        refused += [f'set label "refused" at {x:.3f},1 rotate font "sans,9"' for x, (t, _, _) in zip(at, CHART) if isinstance(answers[c].get(t), str)]
        plots.append(f"$d{i} using 1:2 with boxes fs solid 1 lc rgb '{COLOURS[c]}' title '{c}' noenhanced")
    tics = ", ".join(f'"{t}\\n{short}" {n}' for n, (t, _, short) in enumerate(CHART))
    gnuplot(path, "1200,480", ["set ylabel 'percent'", f"set boxwidth {width:.3f}", f"set xtics ({tics}) scale 0 font 'sans,9'", f"set xrange [-0.6:{len(CHART) - 0.4}]", "set grid ytics",
                               "set bmargin 4", "set key outside top horizontal", *refused], blocks, plots)


def main():
    build, folder, flags = arguments("quick")
    quick = "quick" in flags
    names, sms = examples(build, QUICK_EXAMPLES if quick else EXAMPLES), QUICK_SMS if quick else SMS

    def measure():
        with tempfile.TemporaryDirectory() as tmp:
            answers = asked(build, tmp)
            plan = plan_of(answers)
            wide = {DIRECTIONS_ON: ["", NO_PREFETCH, *(d[1] for d in DIRECTIONS)]}
            xs = each(lambda name: Example(build, name, tmp, sms, wide if name in ports.KERNELS else plan), [*ports.KERNELS, *names])
            return answers, xs[len(ports.KERNELS):], xs[:len(ports.KERNELS)]
    answers, xs, bound = measured(build, "modern", measure)
    text = report(xs, bound, answers, sms, names)
    if not folder:
        print(text)
        return
    with open(f"{folder}/modern.md", "w") as f:
        f.write(text)
    draw(f"{folder}/modern.svg", xs, answers)
    for x in (*xs, *bound):
        x.c = {d.rstrip("; "): {m: math.nan if v is None else v for m, v in c.items()} for d, c in x.c.items()}
    write_csv(f"{folder}/modern.csv", [*xs, *bound], COUNTERS)


main()
