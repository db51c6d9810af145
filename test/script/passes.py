#!/usr/bin/env python3
"""Passes over the banks of shared memory, and lines and sectors of the L1, of warps that access memory in all widths and strides, on a core of today, beside
the published rules (docs/MEMORY.md), which this script counts by itself.

    test/script/passes.py BUILD MACHINE

Each case is a kernel of one warp and one access: width, stride, lanes that share an address, lanes that take part. Prints what differs; exit status 1 if anything does."""
import itertools, json, subprocess, sys, tempfile

WIDTHS = {4: "u32", 8: "v2.u32", 16: "v4.u32"}
STRIDES = (*range(0, 18), 31, 32, 33)                                   # in accesses
SHARE = (0, 1, 2, 5)                                                    # lanes >> this are numbered: pairs, fours, all at one place
LANES = {"all": 0xffffffff, "odd": 0xaaaaaaaa, "first": 0x000fffff, "ends": 0xff0000ff}
BANKS, WORD, LINE, SECTOR, LOCAL = 32, 4, 128, 32, 16384 * 2


def cases():
    for space, op, width, stride, share in itertools.product(("shared", "global"), ("ld", "st"), WIDTHS, STRIDES, SHARE):
        if space == "shared" or share < 2:
            for lanes in LANES if stride < 5 else ("all",):
                yield space, op, width, stride, share, lanes, 0
    for op, width, stride, base in itertools.product(("ld", "st"), WIDTHS, (0, 1, 2, 3), (16, 48, 112)):
        yield "global", op, width, stride, 0, "all", base


def kernel(n, case):
    space, op, width, stride, share, lanes, base = case
    values = ", ".join(f"%v{i}" for i in range(width // 4))
    values = values if width == 4 else f"{{{values}}}"
    access = f"{op}.{space}.{WIDTHS[width]} " + (f"{values}, [%a+{base}]" if op == "ld" else f"[%a+{base}], {values}")
    start = "mov.u64 %b, memory;" if space == "shared" else "ld.param.u64 %b, [in];"
    shared = f".shared .align 16 .b8 memory[{LOCAL}];" if space == "shared" else ""
    use = "".join(f"\tadd.u32 %s, %s, %v{i};\n" for i in range(width // 4)) if op == "ld" else ""
    return f"""
.visible .entry k{n}(.param .u64 in, .param .u64 out)
{{
	.reg .pred %p; .reg .b32 %t, %o, %m, %s, %v<4>; .reg .b64 %a, %b, %w; {shared}
	mov.u32 %t, %tid.x;
	{start}
	shr.u32 %o, %t, {share};
	mul.lo.u32 %o, %o, {stride * width};
	cvt.u64.u32 %w, %o;
	add.u64 %a, %b, %w;
	mov.u32 %v0, 1; mov.u32 %v1, 1; mov.u32 %v2, 1; mov.u32 %v3, 1; mov.u32 %s, 0;
	mov.u32 %m, {lanes};
	shr.u32 %m, %m, %t;
	and.b32 %m, %m, 1;
	setp.eq.u32 %p, %m, 1;
	@%p {access};
{use}	setp.eq.u32 %p, %s, 12345;
	ld.param.u64 %b, [out];
	@%p st.global.u32 [%b], %s;
	ret;
}}
""".replace(f"%m, {lanes};", f"%m, {LANES[lanes]};")


def places(case):
    """{lane: first byte} of those that take part."""
    _, _, width, stride, share, lanes, base = case
    return {l: (l >> share) * stride * width + base for l in range(32) if LANES[lanes] >> l & 1}


def most_words(at, width):
    """Over the banks, the most different words that are wanted of one."""
    words = {(a + i) // WORD for a in at for i in range(0, width, WORD)}
    return max((sum(w % BANKS == b for w in words) for b in range(BANKS)), default=0)


def shared_passes(case):
    op, width, at = case[1], case[2], places(case)
    group = 32 * WORD // width
    served = lambda size: [most_words([a for l, a in at.items() if l // size == g], width) for g in range(32 // size)]
    wide = [n for n in served(min(32, 2 * group)) if n]
    if op == "ld" and width > WORD and all(at[l] == at.get(l ^ 1, at[l]) for l in at) and max(wide) == 1:
        return len(wide)                                                # blocks of lanes share their words and nobody is in another's way
    return sum(served(group))


def lines_and_sectors(case):
    width, at = case[2], places(case)
    touched = {a + i for a in at.values() for i in range(width)}
    return len({b // LINE for b in touched}), len({b // SECTOR for b in touched})


def main():
    build, machine = sys.argv[1:]
    todo = list(cases())
    with tempfile.TemporaryDirectory() as tmp:
        with open(f"{tmp}/k.ptx", "w") as f:
            f.write(".version 7.0\n.target sm_80\n.address_size 64\n" + "".join(kernel(n, c) for n, c in enumerate(todo)))
        with open(f"{tmp}/k.yaml", "w") as f:
            f.write(f"buffers:\n  - {{name: in, type: u32, count: {LOCAL // 4}}}\n  - {{name: out, type: u32, count: 1}}\nlaunches:\n")
            f.write("".join(f"  - {{kernel: k{n}, grid: [1], block: [32], args: [{{buffer: in}}, {{buffer: out}}]}}\n" for n in range(len(todo))))
        subprocess.run([f"{build}/ptx-annotate", f"{tmp}/k.ptx", "-q", "-o", f"{tmp}/k.rlo"], check=True)
        # Nothing but the accesses goes to the L2.
        quiet = [a for p in ("icache_sets", "l0c_sets", "const_sets") for a in ("--set", f"{p}=0")]
        run = subprocess.run([f"{build}/sm-model", "run", f"{tmp}/k.rlo", "--launch", f"{tmp}/k.yaml", "--machine", machine, "--set", "sms=1", *quiet, "--quiet", "--json", "-"],
                             check=True, capture_output=True, text=True)
    kernels, wrong = json.loads(run.stdout)["kernels"], 0
    for n, c in enumerate(todo):
        m = {k: v["value"] for k, v in kernels[f"k{n}"]["metrics"].items()}
        if c[0] == "shared":
            want, got = shared_passes(c), m["shared_passes"]
        elif c[1] == "ld":
            want, got = lines_and_sectors(c), (m["l1_reads"], m["icnt_flits_down"])         # a flit brings a sector
        else:
            want, got = lines_and_sectors(c), (m["l1_writes"], m["icnt_flits_up"])
        if want != got:
            wrong += 1
            if wrong <= 20:
                print("%s.%s, %d bytes, stride %d, lanes / %d, %s of them, from byte %d:" % (c[1], c[0], c[2], c[3], 1 << c[4], c[5], c[6]), "by the rules", want, "counted", got)
    print(f"{len(todo) - wrong} of {len(todo)} agree")
    return wrong != 0


sys.exit(main())
