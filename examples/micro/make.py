#!/usr/bin/env python3
"""Writes the microbenchmarks of this folder: PTX, launch files, and micro.json, which says what each kernel should measure.

    examples/micro/make.py [DIRECTORY]

A kernel goes round a loop that holds three chains of elements, `counts` of them, with a read of %clock behind each. From
`sm-model run --clocks`, which reports the modelled cycles between the reads, comes the cost of one element: the difference of
the last two chains over the difference of their lengths, so that what the reads themselves cost cancels. The first pass, which
misses the instruction cache, is not measured: there the reads have no active lanes. Kernels that measure throughput are launched for few rounds and for many; theirs is the difference of
the cycles of the launches.

`expect` is what the model should say, a formula over the machine's parameters, spelled out so that it can be compared with
docs/TIMING.md; test/script/micro.py evaluates it. Every kernel stores its result, which the launch file checks."""
import json
import os
import sys

SHORT, LONG = 3, 11
LEAD = 17               # crosses a line of the instruction cache, behind which fetches are aligned
PASSES = 4              # of which the first is not measured: it misses the instruction cache
ADD = "int_add_latency + 6"


class File:
    def __init__(self, name, what, variables=()):
        self.name, self.what, self.variables = name, what, variables
        self.text, self.benches, self.buffers, self.launches, self.expect = [], [], [], [], []
        self.buffer("reads", "u32", 3)

    def buffer(self, name, type, count, value=None):
        self.buffers.append(f"  - {{name: {name}, type: {type}, count: {count}" + ("}" if value is None else f", fill: constant, value: {value}}}"))

    def kernel(self, name, chain, decls, setup, result, want, what, expect, counts=(LEAD, SHORT, LONG), passes=PASSES, params="", args="",
               block=32, out="u32", barrier=False, **bench):
        """chain(k, first, n): the instructions of chain k, elements first .. first + n - 1; want(n): the result after n elements.
        barrier: the warps meet before each read."""
        text, first, rounds = [], 0, 1
        for k, n in enumerate(counts):
            segment = [*chain(k, first, n), *["bar.sync 0;"] * barrier, f"@%warm mov.u32 %c{k}, %clock;"]
            if len([t for t in segment if not t.endswith(":")]) % 2:         # reads stand at the same place of a fetch
                segment.insert(-1, "add.u32 %n, %n, 1;")
                rounds += 1
            text += segment
            first += n
        text = ["ld.param.u64 %out, [out];", "mov.u32 %t, %tid.x;", *setup, "mov.u32 %n, 0;",
                *(f"mov.u32 %c{k}, 0;" for k in range(3)), "LOOP:", "setp.ne.u32 %warm, %n, 0;", *text,
                "add.u32 %n, %n, 1;", f"setp.lt.u32 %p, %n, {passes * rounds};", "@%p bra LOOP;",
                "ld.param.u64 %at, [reads];", *(f"st.global.u32 [%at+{4 * k}], %c{k};" for k in range(3)),        # so that they are read
                f"mul.wide.u32 %at, %t, {8 if out.endswith('64') else 4};", "add.u64 %at, %out, %at;", f"st.global.{out} [%at], {result};", "ret;"]
        self.add(name, ".param .u64 out, .param .u64 reads" + params, [".reg .pred %p, %warm; .reg .b32 %c0, %c1, %c2, %n, %t; .reg .b64 %out, %at;", *decls], text)
        self.check(name, block, out, want(passes * sum(counts)))
        self.launch(name, block, ", {buffer: reads}" + args)
        self.benches.append(dict(file=self.name, kernel=name, elements=counts[2] - counts[1], what=what, expect=expect, **bench))

    def add(self, name, params, decls, text):
        self.text += ["", f".visible .entry {name}({params})", "{", *("\t" + d for d in decls), *(t if t.endswith(":") else "\t" + t for t in text), "}"]

    def check(self, name, count, out, want):
        self.buffer(name, out, count)
        self.buffer("want_" + name, out, count, want)
        self.expect.append(f"  - {{buffer: {name}, other: want_{name}}}")

    def launch(self, name, block, args, grid=1):
        self.launches.append(f"  - {{kernel: {name}, grid: [{grid}], block: [{block}], args: [{{buffer: {name}}}{args}]}}")

    def write(self, folder):
        comment = f"{self.what}. Written by examples/micro/make.py."
        save(folder, self.name + ".ptx", [f"// {comment}", ".version 6.0", ".target sm_50", ".address_size 64", *self.variables, *self.text])
        save(folder, self.name + ".yaml", [f"# {comment}", "buffers:", *self.buffers, "launches:", *self.launches, "expect:", *self.expect])


def save(folder, name, lines):
    with open(os.path.join(folder, name), "w") as f:
        f.write("\n".join(lines) + "\n")


def repeat(*ops):
    """A chain whose element is these instructions; {i}: its number."""
    return lambda k, first, n: [op.format(i=i) for i in range(first, first + n) for op in ops]


def latency():
    f = File("latency", "Latency of each class of functional unit: one warp, each instruction needs the one before")
    for t in ("u32", "f32", "f64"):
        f.buffer("one_" + t, t, 2, 1)
    for name, t, op, grows in (
            ("int_add", "u32", "add.s32 %x, %x, %y;", 1), ("int_minmax", "u32", "max.s32 %x, %x, %y;", 0),
            ("int_mul", "u32", "mul.lo.s32 %x, %x, %y;", 0), ("int_mad", "u32", "mad.lo.s32 %x, %x, %y, %y;", 1),
            ("int_div", "u32", "div.u32 %x, %x, %y;", 0), ("fp_add", "f32", "add.f32 %x, %x, %y;", 1),
            ("fp_minmax", "f32", "max.f32 %x, %x, %y;", 0), ("fp_mul", "f32", "mul.f32 %x, %x, %y;", 0),
            ("fp_mad", "f32", "fma.rn.f32 %x, %x, %y, %y;", 1), ("fp_div", "f32", "div.rn.f32 %x, %x, %y;", 0),
            ("dp_add", "f64", "add.f64 %x, %x, %y;", 1), ("dp_minmax", "f64", "max.f64 %x, %x, %y;", 0),
            ("dp_mul", "f64", "mul.f64 %x, %x, %y;", 0), ("dp_mad", "f64", "fma.rn.f64 %x, %x, %y, %y;", 1),
            ("dp_div", "f64", "div.rn.f64 %x, %x, %y;", 0), ("other", "u32", "popc.b32 %x, %x;", 0),
            ("sfu", "f32", "sqrt.approx.f32 %x, %x;", 0), ("shfl", "u32", "shfl.sync.bfly.b32 %x, %x, 1, 31, -1;", 0)):
        f.kernel(name, repeat(op), [f".reg .{t} %x, %y; .reg .b64 %one;"],
                 ["ld.param.u64 %one, [one];", f"ld.global.{t} %x, [%one];", f"ld.global.{t} %y, [%one+{8 if t == 'f64' else 4}];"],
                 "%x", lambda n, grows=grows: 1 + n * grows, f"latency of {op.split()[0]}", f"{name}_latency + 6",
                 params=", .param .u64 one", args=f", {{buffer: one_{t}}}", out=t)
    return f


def throughput():
    warps, apart, chain = 16, 8, 128
    f = File("throughput", f"Throughput of units: {warps} warps, instructions that do not need those before")
    for t in ("u32", "f32"):
        f.buffer("one_" + t, t, apart, 1)
    xs = [f"%x{i}" for i in range(apart)]
    for name, t, pipe, op, grows in (
            ("int_add", "u32", "sp", "add.s32 {x}, {x}, 1;", 1), ("int_minmax", "u32", "sp", "max.s32 {x}, {x}, 1;", 0),
            ("int_mul", "u32", "sp", "mul.lo.s32 {x}, {x}, {x};", 0), ("fp_mad", "f32", "sp", "fma.rn.f32 {x}, {x}, 0f3f800000, 0f3f800000;", 1),
            ("other", "u32", "sp", "popc.b32 {x}, {x};", 0), ("shfl", "u32", "sp", "shfl.sync.bfly.b32 {x}, {x}, 1, 31, -1;", 0),
            ("fp_div", "f32", "sfu", "div.rn.f32 {x}, {x}, 0f3f800000;", 0), ("sfu", "f32", "sfu", "sqrt.approx.f32 {x}, {x};", 0)):
        kernel, few, many = "many_" + name, 4, 12
        f.add(kernel, ".param .u64 out, .param .u64 one, .param .u32 rounds",
              [".reg .pred %p; .reg .b32 %n, %t, %rounds; .reg .b64 %out, %at, %one;", f".reg .{t} {', '.join(xs)};"],
              ["ld.param.u64 %out, [out];", "ld.param.u64 %one, [one];", "ld.param.u32 %rounds, [rounds];", "mov.u32 %t, %tid.x;",
               *(f"ld.global.{t} {x}, [%one+{4 * i}];" for i, x in enumerate(xs)), "mov.u32 %n, 0;", "LOOP:",
               *(op.format(x=xs[i % apart]) for i in range(chain)), "add.u32 %n, %n, 1;", "setp.lt.u32 %p, %n, %rounds;", "@%p bra LOOP;",
               *(f"max.{t} %x0, %x0, {x};" for x in xs[1:]), "mul.wide.u32 %at, %t, 4;", "add.u64 %at, %out, %at;", f"st.global.{t} [%at], %x0;", "ret;"])
        f.check(kernel, 32 * warps, t, 1 + many * chain // apart * grows)
        for rounds in (few, few, many):          # the first fills the L2
            f.launch(kernel, 32 * warps, f", {{buffer: one_{t}}}, {{value: {rounds}, type: u32}}")
        expect = f"{warps} * max(1 / schedulers, 1 / ibuffer_entries, 1 / ex_wb, 2 / rf_banks, {name}_interval{' * ceil(32 / simt_lanes)' if pipe == 'sp' else ''} / units_{pipe})"
        units = f"(min(collectors, collectors_{pipe}) if collectors else collectors_{pipe})"
        turns = f"(rf_banks - 1) / {units} if {warps} * 2 / rf_banks >= expect else 0"
        # Measured where the instructions of 4 of the warps hide the latency: greedy schedulers leave the youngest warps to end alone.
        f.benches.append(dict(file=f.name, kernel=kernel, elements=(many - few) * chain, launches=True, what=f"throughput of {op.split()[0]}, {warps} warps",
                              expect=expect,
                              bound=f"({0.15 if name in ('int_add', 'fp_mad', 'other') else 0.05} + max(1 / rf_banks, {turns})) * expect", below="0.005 * expect",
                              why="the loop's own three instructions for 128 and its jump; turns at register banks, which if they are the limit are busy for "
                                  "M of M + B - 1 cycles with M collectors and B banks (Reiser and Lavenberg, 1980); the launches start within some cycles of each other",
                              when=f"(icache_sets == 0 or icache_sets * icache_ways * 128 // insn_bytes >= 160) and {name}_latency + 6 <= {4 * apart} / {warps} * {expect}"))
    return f


def banks():
    live = 24
    f = File("banks", f"Reads of register banks: mad with operands out of {live} live registers")
    f.buffer("one_u32", "u32", live + 1, 1)
    xs = [f"%v{i}" for i in range(live)]
    for step in (1, 8, 16):
        f.kernel(f"operands_{step}", lambda k, first, n, s=step: [f"mad.lo.s32 %x, %x, {xs[i % live]}, {xs[(i + s) % live]};" for i in range(first, first + n)],
                 [f".reg .b32 %x, %s, {', '.join(xs)}; .reg .b64 %one;"],
                 ["ld.param.u64 %one, [one];", "ld.global.u32 %x, [%one];", *(f"ld.global.u32 {x}, [%one+{4 * i + 4}];" for i, x in enumerate(xs))],
                 "%x", lambda n: 1 + n, f"mad of three operands, {step} apart", "int_mad_latency + 6", counts=(LEAD, SHORT, SHORT + live),
                 params=", .param .u64 one", args=", {buffer: one_u32}")
    return f


def passes():
    f = File("passes", "Passes of shared and constant memory: strides, broadcast, divergent addresses", [".const .align 4 .b8 table[128];"])
    for stride in (0, 1, 2, 3, 4, 8, 16, 31, 32):
        f.kernel(f"shared_{stride}", repeat("ld.shared.u32 %v, [%a];", "add.u32 %a, %a, %v;"),
                 [".reg .b32 %a, %v, %x; .shared .align 128 .b8 words[4096];"],
                 ["mov.u32 %a, words;", f"mul.lo.u32 %x, %t, {4 * stride};", "add.u32 %a, %a, %x;", "mov.u32 %v, 0;", "st.shared.u32 [%a], %v;", "bar.sync 0;"],
                 "%v", lambda n: 0, f"shared memory, stride of {stride} words" if stride else "shared memory, one word for all lanes",
                 "4 + mem_latency + shared_latency + " + (f"max(gcd({stride}, 32), ceil(32 * 4 / shared_bytes_cycle))" if stride else "1") + f" - 1 + {ADD}")
    for stride in (0, 1):
        f.kernel(f"const_{stride}", repeat("ld.const.u32 %v, [%a];", "add.u32 %a, %a, %v;"), [".reg .b32 %a, %v, %x;"],
                 ["mov.u32 %a, table;", f"mul.lo.u32 %x, %t, {4 * stride};", "add.u32 %a, %a, %x;"], "%v", lambda n: 0,
                 f"constant memory, {'32 addresses' if stride else 'one address for all lanes'}",
                 f"4 + mem_latency + const_latency + {32 if stride else 1} - 1 + {ADD}")
    return f


# A request's way: both crossings of the network, its flit into the slice, the slice's latency. Then the data port, until the reply
# can begin to leave, and the reply's flits.
WAY = "2 * up(icnt_latency, icnt_mhz) + up(flits(0), icnt_mhz) + up(l2_latency, l2_mhz)"
SECTOR = "port(32) + up(flits(32), icnt_mhz)"
LINE = "port(128) + up(line_flits(), icnt_mhz)"
FIXED = "4 + mem_latency + ceil(32 / memory_bytes_cycle) + memory_fixed"        # of a machine whose memory has no caches
ROW = 60 * 65536        # another row of the same bank and partition, if the partitions divide 60


def memory():
    f = File("memory", "Latency of L1, L2, atomics and DRAM: one lane, the address of a load needs the load before")
    decls = [".reg .b64 %a, %v, %step; .reg .b32 %w;"]
    setup = ["ld.param.u64 %a, [in];", "ld.param.u64 %step, [step];", "mov.u64 %v, 0;"]
    common = dict(decls=decls, setup=setup, result="%v", want=lambda n: 0, counts=(8, SHORT, LONG), params=", .param .u64 in, .param .u64 step", block=1, out="u64")
    f.buffer("line", "u64", 16)
    f.buffer("rows", "u64", 2 * (8 + SHORT + LONG) * ROW // 8 + 16)
    here, rows = ", {buffer: line}, {value: 0, type: u64}", f", {{buffer: rows}}, {{value: {ROW}, type: u64}}"
    f.kernel("l1", repeat("ld.global.u64 %v, [%a];", "add.u64 %a, %a, %v;"), what="L1 hit, add", expect=f"4 + mem_latency + l1_latency + {ADD}",
             fixed=f"{FIXED} + {ADD}", args=here, **common)
    f.kernel("l2", repeat("ld.global.cg.u64 %v, [%a];", "add.u64 %a, %a, %v;"), what="L2 hit past the L1 (.cg), add",
             expect=f"4 + mem_latency + {WAY} + {SECTOR} + {ADD}", fixed=f"{FIXED} + {ADD}", args=here, **common)
    f.kernel("atomic", repeat("atom.global.add.u32 %w, [%a], 0;", "cvt.u64.u32 %v, %w;", "add.u64 %a, %a, %v;"), what="atomic in the L2, cvt, add",
             expect=f"4 + mem_latency + {WAY.replace('flits(0)', 'flits(32)')} + port(32, 2) + up(flits(32), icnt_mhz) + other_latency + 6 + {ADD}",
             fixed=f"{FIXED.replace('(32', '(2 * 32')} + other_latency + 6 + {ADD}", args=here, **common)
    f.kernel("dram", repeat("ld.global.cg.u64 %v, [%a];", "add.u64 %a, %a, %v;", "add.u64 %a, %a, %step;"), what="DRAM, another row each time, add, add",
             expect=f"4 + mem_latency + {WAY} + (dram_rp + dram_rcd + dram_cl + burst_cycles()) * sm_mhz / dram_mhz + dram_latency + up(flits(32), icnt_mhz) + 2 * ({ADD})",
             fixed=f"{FIXED} + 2 * ({ADD})", args=rows, passes=2, bound="1 + sm_mhz / dram_mhz", when="60 % partitions == 0",
             why="times are rounded up to a DRAM cycle on the way in and to an SM cycle on the way out", **common)
    return f


def streaming():
    """Warps that load one line after another and need none of them soon: what a level delivers, not how late."""
    f = File("streaming", "Bandwidth of L1, L2 and DRAM: loads of whole lines that do not need those before")
    unroll, ctas, threads = 8, 90, 256
    fixed = "max(128 / memory_bytes_cycle, {issue})"
    issue = "max(mem_interval, 2 / schedulers, int_add_interval * ceil(32 / simt_lanes) / units_sp)"       # a load and an add for each line
    for name, cop, lines, grid, block, apart, step, expect, more in (
            # four lines each, so that the load-store unit has more to do than the register banks
            ("stream_l1", "", 64, 1, 512, 4, 0, "(mem_latency - 1 + 4) / 4", dict(bound="0.1 * expect", why="the loop's own instructions, turns at register banks")),
            ("stream_l2", ".cg", 1024, 1, 1024, 1, 0, f"max(up(line_flits(), icnt_mhz), {issue})", dict(bound="0.1 * expect", when="memory_fixed == 0", why="slices that serve several lines at once, the loop's start and end")),
            ("stream_dram", ".cg", 12 * unroll * ctas * threads // 32, ctas, threads, 1, ctas * threads * 4 * unroll, "dram_line()",
             dict(bound="0.35 * expect", when="memory_fixed or 1.5 * up(line_flits(), icnt_mhz) / min(sms, partitions * l2_slices) <= dram_line()", why="rows are opened, column commands to one bank group stand further apart, the loop's start and end"))):
        words, few, many = lines * 32, 4, 12
        here = grid * block * apart             # words of a load of all warps
        f.buffer("in_" + name, "u32", words)
        f.add(name, ".param .u64 out, .param .u64 in, .param .u32 rounds",
              [f".reg .pred %p; .reg .b32 %n, %t, %c, %d, %rounds, {', '.join(f'%v{i}, %s{i}' for i in range(unroll))}; .reg .b64 %out, %at, %in;"],
              ["ld.param.u64 %out, [out];", "ld.param.u64 %in, [in];", "ld.param.u32 %rounds, [rounds];", "mov.u32 %t, %tid.x;", "mov.u32 %c, %ctaid.x;",
               "mov.u32 %d, %ntid.x;", "mad.lo.u32 %d, %c, %d, %t;", f"mul.wide.u32 %at, %d, {4 * apart};", "add.u64 %in, %in, %at;", *(f"mov.u32 %s{i}, 0;" for i in range(unroll)), "mov.u32 %n, 0;", "LOOP:",
               *(f"ld.global{cop}.u32 %v{i}, [%in+{i * here * 4 % (words * 4)}];" for i in range(unroll)), *(f"add.u32 %s{i}, %s{i}, %v{i};" for i in range(unroll)),
               *([f"add.u64 %in, %in, {step};"] if step else []), "add.u32 %n, %n, 1;", "setp.lt.u32 %p, %n, %rounds;", "@%p bra LOOP;",
               *(f"or.b32 %s0, %s0, %s{i};" for i in range(1, unroll)), "mul.wide.u32 %at, %t, 4;", "add.u64 %at, %out, %at;", "st.global.u32 [%at], %s0;", "ret;"])
        f.check(name, block, "u32", 0)
        for rounds in (few, few, many):
            f.launch(name, block, f", {{buffer: in_{name}}}, {{value: {rounds}, type: u32}}", grid)
        f.benches.append(dict(file=f.name, kernel=name, elements=(many - few) * unroll * here // 32, launches=True, expect=expect,
                              what={"stream_l1": "a line out of the L1", "stream_l2": "a line out of the L2 (.cg) to one SM", "stream_dram": "a line out of DRAM, all SMs"}[name],
                              below="0.01 * expect", fixed=fixed.format(issue=issue) + (f" / min(sms, {ctas})" if grid > 1 else ""), **more))
    return f


def control():
    f = File("control", "Misses of the instruction cache; waiting at a barrier")
    line = 16           # instructions of 8 bytes
    decls, setup = [".reg .pred %q; .reg .b32 %x, %y;"], ["mov.u32 %x, 1;", "mov.u32 %y, %ntid.y;"]
    f.kernel("icache", repeat("add.s32 %x, %x, %y;"), decls, setup, "%x", lambda n: 1 + n, "a line of 16 dependent adds that is not in the instruction cache",
             f"15 * ({ADD}) + max({ADD}, 2 + {WAY} + {LINE})", counts=(line, 2 * line - 1, 19 * line - 1), unit=line,
             when="insn_bytes == 8 and 0 < icache_sets * icache_ways * 16 < 340")
    f.kernel("barrier", lambda k, first, n: [f"@%q bra LATE{k};", *["add.s32 %x, %x, %y;"] * n, f"bra.uni MEET{k};", f"LATE{k}:",
                                             f"mad.lo.s32 %x, %y, {n}, %x;", f"MEET{k}:"], decls, [*setup, "setp.ge.u32 %q, %t, 32;"],
             "%x", lambda n: 1 + n, "two warps at a barrier, the last comes later by an add", ADD, barrier=True, block=64)
    return f


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    benches = []
    for f in (latency(), throughput(), banks(), passes(), memory(), streaming(), control()):
        f.write(folder)
        benches += f.benches
    with open(os.path.join(folder, "micro.json"), "w") as out:
        json.dump(benches, out, indent=1)
        out.write("\n")


main()
