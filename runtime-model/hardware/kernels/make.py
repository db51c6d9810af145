#!/usr/bin/env python3
"""Writes the kernels that measure a GPU: machine code for each target, by ptxas, beside this file; with --ptx their PTX to standard output.

    runtime-model/hardware/kernels/make.py [--ptx]

A kernel of a chain goes so many rounds through a loop that holds two chains of the same elements, `short` and `long` of them, with a read of the
clock before, between and behind. The last round counts; those before fill caches. Lane 0 of each warp stores what the clock said. A branch that is never taken
stands behind each chain and needs its result, so that no compiler moves a read of the clock past it. What all elements made is stored, so
that none can be left out. ../probes.def says what each kernel is for."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = ("75", "80", "86", "89", "90", "100", "120")
NEVER = 0x5eed1e55      # no result is this
CTA_BYTES = 1024        # of what a CTA stores
STREAM_BYTES = 1 << 15  # that a CTA of `stream` reads in a round
CODE_KB = (12, 24, 40, 112, 144)
LINES = 80              # of 64 bytes, of a table of constants: those of a round
MOVE = {"b32": "mov.b32 %x, {v};", "f32": "mov.b32 %x, {v};", "f64": "mov.b64 {{%x, %h}}, {v};", "b64": "mov.b64 {{%x, %h}}, {v};"}


def chain(name, element, decls=(), setup=(), last=None, sink=(), short=8, long=72, variables=(), before=(), behind=()):
    """element(i): the instructions of element i; last(i): those that move what it made to %x, unless that is there; sink: those that add
    what else was made to %x in the end; before and behind: those at the start and at the end of a round."""
    text = ["ld.param.u64 %out, [out];", "ld.param.u64 %in, [in];", "ld.param.u32 %rounds, [rounds];", "ld.param.u32 %step, [step];", "mov.u32 %t, %tid.x;",
            "and.b32 %lane, %t, 31;", "mov.u32 %cta, %ctaid.x;", f"mul.wide.u32 %at, %cta, {CTA_BYTES};", "add.u64 %out, %out, %at;", *setup,
            "ROUND:", *before, "bar.sync 0;", "mov.u64 %c0, %clock64;"]
    for k, first, n in ((1, 0, short), (2, short, long)):
        text += [line for i in range(first, first + n) for line in element(i)]
        text += [*(last(first + n - 1) if last else ()), f"setp.eq.u32 %never, %x, {NEVER};", "@%never bra.uni LAST;", f"mov.u64 %c{k}, %clock64;"]
    text += [*behind, "sub.u32 %rounds, %rounds, 1;", "setp.ne.u32 %again, %rounds, 0;", "@%again bra.uni ROUND;", "LAST:", *sink,
             "shr.u32 %warp, %t, 5;", "mul.wide.u32 %at, %warp, 32;", "add.u64 %at, %out, %at;",
             "setp.eq.u32 %first, %lane, 0;", "@%first st.global.v2.u64 [%at], {%c0, %c1};", "@%first st.global.u64 [%at+16], %c2;",
             "mul.wide.u32 %at, %t, 4;", "add.u64 %at, %out, %at;", "st.global.u32 [%at+512], %x;", "ret;"]
    return [*variables, f".visible .entry {name}(.param .u64 out, .param .u64 in, .param .u32 rounds, .param .u32 step)", "{",
            "\t.reg .pred %never, %again, %first; .reg .b32 %x, %h, %t, %lane, %warp, %cta, %rounds, %step; .reg .b64 %c0, %c1, %c2, %out, %in, %at;",
            *(f"\t{d}" for d in decls), *((l if l.endswith(":") else "\t" + l) for l in text), "}"]


def streams(kind, n):
    """n registers %v0 .. of a kind, read from memory, and what adds them all to %x."""
    size = 8 if kind.endswith("64") else 4
    return dict(decls=[f".reg .{kind} %v<{n}>; .reg .b32 %y;"], setup=[f"ld.global.{kind} %v{i}, [%in+{size * i}];" for i in range(n)],
                sink=["mov.u32 %y, 0;", *(l for i in range(n) for l in (MOVE[kind].format(v=f"%v{i}"), "xor.b32 %y, %y, %x;")), "mov.u32 %x, %y;"],
                last=lambda i: [MOVE[kind].format(v=f"%v{i % n}")])


def each(kind, op, n=8):
    """Element i is of stream i modulo n: with one stream each needs the one before."""
    return dict(element=lambda i: [op.format(v=f"%v{i % n}")], **streams(kind, n))


def kernels(sm):
    few = dict(short=4, long=20)
    held = 6            # values that nothing in a chain writes
    of = streams("f32", 8 + held)
    for name in ("fma", "fma_bank", "fma_reuse"):       # alike until they are changed
        yield chain(name, lambda i: [f"fma.rn.f32 %v{i % 8}, %v{i % 8}, %v{8 + i % held}, %v{8 + (i + 1) % held};"], **dict(of, last=lambda i: [f"mov.b32 %x, %v{i % 8};"]))
    yield chain("fma_chain", lambda i: ["fma.rn.f32 %v0, %v0, %v1, %v2;"], **dict(streams("f32", 3), last=lambda i: ["mov.b32 %x, %v0;"]))
    yield chain("alu", lambda i: [f"xor.b32 %v{i % 8}, %v{i % 8}, %t;" if i // 8 % 2 else f"shf.l.wrap.b32 %v{i % 8}, %v{i % 8}, %v{i % 8}, 7;"], **streams("b32", 8))
    yield chain("mufu", **each("f32", "ex2.approx.ftz.f32 {v}, {v};"))
    yield chain("mufu_chain", **each("f32", "ex2.approx.ftz.f32 {v}, {v};", 1), **few)
    yield chain("fp64", **each("f64", "add.rn.f64 {v}, {v}, {v};"), long=40)
    # Between loads that need the one before, arithmetic whose results may be written in the same cycles as theirs.
    own = ["shl.b32 %a, %t, 2;", "mov.u32 %x, words;", "add.u32 %x, %x, %a;", "st.shared.u32 [%x], %x;", "bar.sync 0;"]
    for name, n in (("results_11", 11), ("results_11_bank", 11), ("results_20", 20), ("results_20_bank", 20)):
        yield chain(name, lambda i: ["ld.shared.u32 %x, [%x];", *(f"fma.rn.f32 %v{j % 8}, %v{j % 8}, %v{8 + j % held}, %v{8 + (j + 1) % held};" for j in range(n))],
                    **dict(of, decls=[*of["decls"], ".shared .align 128 .b8 words[4096]; .reg .b32 %a;"], setup=[*of["setup"], *own], last=None,
                           sink=[*(s.replace("mov.u32 %y, 0", "mov.u32 %y, %x") for s in of["sink"])]), **few)
    yield chain("fp64_chain", **each("f64", "add.rn.f64 {v}, {v}, {v};", 1), **few)
    yield chain("half", **each("b32", "fma.rn.f16x2 {v}, {v}, %t, %rounds;"))
    lanes = each("b32", "shfl.sync.idx.b32 {v}, {v}, %h, 31, -1;", 1)      # of one value in all lanes none would be left
    yield chain("shuffle_chain", **dict(lanes, setup=[*lanes["setup"], "add.u32 %v0, %v0, %t;", "mad.lo.u32 %h, %t, 5, %rounds;"]), **few)
    d = lambda i: "{" + ", ".join(f"%v{i % 4 * 4 + j}" for j in range(4)) + "}"
    shape, a, b = ("m16n8k16", "%t, %t, %rounds, %t", "%t, %rounds") if sm >= 80 else ("m16n8k8", "%t, %rounds", "%t")
    yield chain("mma", lambda i: [f"mma.sync.aligned.{shape}.row.col.f32.f16.f16.f32 {d(i)}, {{{a}}}, {{{b}}}, {d(i)};"],
                **dict(streams("f32", 16), last=lambda i: [f"mov.b32 %x, %v{i % 4 * 4};"]), long=40)
    # Memory. In a chain each load gives the address of the next.
    yield chain("shared_chain", lambda i: ["ld.shared.u32 %x, [%x];"], [".shared .align 128 .b8 words[4096]; .reg .b32 %a;"], own, **few)
    for name, short, long in (("shared_burst", 3, 8), ("shared", 8, 24)):
        n = short + long
        yield chain(name, lambda i: [f"ld.volatile.shared.u32 %v{i}, [%a+{128 * i}];"], [f".shared .align 128 .b8 words[16384]; .reg .b32 %a, %v<{n}>;"],
                    [own[0], own[1], "add.u32 %a, %x, %a;", *(f"st.shared.u32 [%a+{128 * i}], %t;" for i in range(n)), "bar.sync 0;"],
                    last=lambda i: ["mov.u32 %x, %rounds;"], sink=[f"xor.b32 %x, %x, %v{i};" for i in range(n)], short=short, long=long)
    # Lane i reads at i x the low half of `step`; groups of 1, 2, 4 ... lanes read the same if its upper half is 0, 1, 2 ...
    apart = ["mov.u32 %a, words;", "shr.u32 %o, %step, 16;", "shr.u32 %o, %lane, %o;", "and.b32 %step, %step, 65535;", "mad.lo.u32 %a, %o, %step, %a;"]
    for bits, n in ((32, 1), (64, 2), (128, 4)):
        to = lambda i: "{" + ", ".join(f"%v{n * i + j}" for j in range(n)) + "}" if n > 1 else f"%v{i}"
        yield chain(f"shared_{bits}", lambda i: [f"ld.volatile.shared.{'' if n == 1 else f'v{n}.'}u32 {to(i)}, [%a];"],
                    [f".shared .align 128 .b8 words[8192]; .reg .b32 %a, %o, %v<{32 * n}>;"], apart, last=lambda i: ["mov.u32 %x, %rounds;"],
                    sink=[f"xor.b32 %x, %x, %v{i};" for i in range(32 * n)], short=8, long=24)
    # 16 loads of 512 bytes by each of four warps; with a step of 1 each round reads elsewhere.
    last = lambda i: [f"xor.b32 %x, %x, %v{4 * j};" for j in range(16)] if i == 15 else ["mov.u32 %x, %rounds;"]
    yield chain("stream", lambda i: [f"ld.global.cg.v4.u32 {{{', '.join(f'%v{4 * i + j}' for j in range(4))}}}, [%a+{2048 * i}];"],
                [".reg .b32 %o, %v<64>; .reg .b64 %a, %more;"],
                ["mov.u32 %o, %nctaid.x;", "mul.lo.u32 %o, %o, %step;", f"mul.wide.u32 %more, %o, {STREAM_BYTES};", f"mul.wide.u32 %a, %cta, {STREAM_BYTES};", "add.u64 %a, %in, %a;",
                 "mul.wide.u32 %at, %t, 16;", "add.u64 %a, %a, %at;"], last=last, behind=["add.u64 %a, %a, %more;"],
                sink=[f"xor.b32 %x, %x, %v{i};" for i in range(64)], short=4, long=12)
    for level, how in (("l1", ".ca"), ("l2", ".cg")):
        yield chain(level + "_chain", lambda i: [f"ld.global{how}.u64 %p, [%p];"], [".reg .b64 %p;"], ["ld.global.u64 %p, [%in];"],
                    last=lambda i: ["mov.b64 {%x, %h}, %p;"], **few)
    yield chain("l1_wide", lambda i: [f"ld.global.ca.v4.u32 {{%v{4 * i}, %v{4 * i + 1}, %v{4 * i + 2}, %v{4 * i + 3}}}, [%a+{512 * i}];"],
                [".reg .b32 %o, %v<128>; .reg .b64 %a;"], ["and.b32 %o, %t, 31;", "shl.b32 %o, %o, 4;", "cvt.u64.u32 %a, %o;", "add.u64 %a, %in, %a;"],
                last=lambda i: [f"xor.b32 %x, %v{4 * i}, %v{4 * i + 3};"], sink=[f"xor.b32 %x, %x, %v{i};" for i in range(128)], short=8, long=24)
    table = lambda name, step: [f".const .align 64 .u32 {name}[{16 * LINES}] = {{{', '.join(str((i // 16 + 1) % LINES * 64 if i % 16 == 0 and step else 0) for i in range(16 * LINES))}}};"]
    for name, where, step, lengths in (("const_chain", "one_line", 0, few), ("const_miss", "lines", 1, dict(short=8, long=72))):
        yield chain(name, lambda i: ["add.u32 %o, %base, %x;", "ld.const.u32 %x, [%o];"], [".reg .b32 %o, %base;"],
                    [f"mov.u32 %base, {where};", "ld.global.u32 %x, [%in];", "and.b32 %x, %x, 0;"], variables=table(where, step), **lengths)
    # Code, so many KB of it, of two units in turn: an instruction a cycle.
    both = streams("f32", 8 + held)
    both = dict(both, decls=[*both["decls"], ".reg .b32 %i<8>;"], setup=[*both["setup"], *(f"add.u32 %i{i}, %t, {i};" for i in range(8))],
                sink=[*both["sink"], *(f"xor.b32 %x, %x, %i{i};" for i in range(8))], last=lambda i: [f"mov.b32 %x, %v{i % 8};"])
    for kb in CODE_KB:
        yield chain(f"code_{kb}", lambda i: [f"fma.rn.f32 %v{i % 8}, %v{i % 8}, %v{8 + i % held}, %v{8 + (i + 1) % held};", f"xor.b32 %i{i % 8}, %i{i % 8}, %t;"
                    if i // 8 % 2 else f"shf.l.wrap.b32 %i{i % 8}, %i{i % 8}, %i{i % 8}, 7;"], **both, short=4, long=kb * 32 - 4)
    # Lines of code of which each jumps to the tenth behind it. Nothing but those who measure knows that the branch is taken, and a line that
    # nobody executes stands behind each, since a front end may go on straight.
    def line(i):
        first, n = (0, 40) if i < 40 else (40, 248)
        order = [k for start in range(5) for k in range(start, n, 5)]
        to = order.index(i - first) + 1
        fma = [f"fma.rn.f32 %v{j}, %v{j}, %v8, %v9;" for j in range(8)]
        return [f"TO{i}:", *fma[:7], f"@%yes bra.uni {f'TO{first + order[to]}' if to < n else f'END{first}'};", *fma, *([f"END{first}:"] if i == first + n - 1 else [])]
    yield chain("code_jumps", line, **dict(both, decls=[*both["decls"], ".reg .pred %yes;"], setup=[*both["setup"], "setp.ne.u32 %yes, %rounds, 0;"]), short=40, long=248)
    yield chain("nothing", lambda i: [], setup=["mov.u32 %x, %t;"], **few)


def function():
    """out[i] = ex2(in[i]), i below n: regloom-gpu mufu makes other functions of it."""
    return [".visible .entry function(.param .u64 out, .param .u64 in, .param .u32 n)", "{",
            "\t.reg .pred %beyond; .reg .b32 %i, %n, %c, %t; .reg .f32 %x; .reg .b64 %out, %in, %at;",
            *("\t" + l for l in ("ld.param.u64 %out, [out];", "ld.param.u64 %in, [in];", "ld.param.u32 %n, [n];", "mov.u32 %c, %ctaid.x;", "mov.u32 %i, %ntid.x;",
                                 "mov.u32 %t, %tid.x;", "mad.lo.u32 %i, %i, %c, %t;", "setp.ge.u32 %beyond, %i, %n;", "@%beyond ret;", "mul.wide.u32 %at, %i, 4;",
                                 "add.u64 %in, %in, %at;", "add.u64 %out, %out, %at;", "ld.global.f32 %x, [%in];", "ex2.approx.ftz.f32 %x, %x;",
                                 "st.global.f32 [%out], %x;", "ret;")), "}"]


def matrix(name, shape, types, registers):
    """D = A * B + C of one warp, whose registers lie behind each other, 10 words of in for a lane, of which D takes the first 4 in out."""
    nd, na, nb, nc = registers
    group = lambda letter, n: "{" + ", ".join(f"%{letter}{i}" for i in range(n)) + "}"
    at = lambda which, step: [f"mul.wide.u32 %at, %t, {step};", f"add.u64 %{which}, %{which}, %at;"]
    kind = lambda letter: "f32" if letter in "cd" and types.startswith("f32") else "b32"
    loads = [f"ld.global.{kind(letter)} %{letter}{i}, [%in+{4 * (first + i)}];" for letter, first, n in (("a", 0, na), ("b", 4, nb), ("c", 6, nc)) for i in range(n)]
    return [f".visible .entry matrix_{name}(.param .u64 out, .param .u64 in)", "{", "\t.reg .b32 %t; .reg .b64 %out, %in, %at;",
            "\t" + " ".join(f".reg .{kind(l)} %{l}<4>;" for l in "abcd"),
            *("\t" + l for l in ("ld.param.u64 %out, [out];", "ld.param.u64 %in, [in];", "mov.u32 %t, %tid.x;", *at("in", 40), *at("out", 16), *loads,
                                 f"mma.sync.aligned.{shape}.row.col.{types} {group('d', nd)}, {group('a', na)}, {group('b', nb)}, {group('c', nc)};",
                                 *(f"st.global.{kind('d')} [%out+{4 * i}], %d{i};" for i in range(nd)), "ret;")), "}"]


def matrices(sm):
    if sm < 80:
        yield matrix("f16", "m16n8k8", "f32.f16.f16.f32", (4, 2, 1, 4))
        yield matrix("f16_f16", "m16n8k8", "f16.f16.f16.f16", (2, 2, 1, 2))
        return
    yield matrix("f16", "m16n8k16", "f32.f16.f16.f32", (4, 4, 2, 4))
    yield matrix("f16_f16", "m16n8k16", "f16.f16.f16.f16", (2, 4, 2, 2))
    yield matrix("bf16", "m16n8k16", "f32.bf16.bf16.f32", (4, 4, 2, 4))
    yield matrix("tf32", "m16n8k8", "f32.tf32.tf32.f32", (4, 4, 2, 4))


def text(sm):
    kernel = [k for k in (*kernels(sm), *matrices(sm), function())]
    return "\n".join(["// Kernels that measure a GPU. Written by make.py.", ".version 8.8", f".target sm_{sm}", ".address_size 64", *(l for k in kernel for l in ("", *k)), ""])


def main():
    if sys.argv[1:] == ["--ptx"]:
        sys.stdout.write(text(80))
        return
    ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    for sm in TARGETS:
        with tempfile.NamedTemporaryFile() as cubin:
            subprocess.run([ptxas, f"-arch=sm_{sm}", "-O3", "-", "-o", cubin.name], input=text(int(sm)).encode(), check=True)
            subprocess.run(["zstd", "-q", "-19", "-f", cubin.name, "-o", os.path.join(HERE, f"sm_{sm}.cubin.zst")], check=True)


main()
