"""Kernels that wait for the ports of the register file, in PTX, as the examples do not: what Huerta et al. (MICRO 2025, table 6) show reuse cache and read ports on. flops is in the manner of MaxFlops of
Accel-Sim's microbenchmarks, chains of products of one accumulator each; tiles in that of Cutlass's sgemm, 8 x 8 elements of a product of matrices in the registers of each thread, operands from shared
memory."""

HEAD = ".version 7.5\n.target sm_80\n.address_size 64\n"
FLOPS_UNROLLED, FLOPS_LOOPS, FLOPS_CTAS, FLOPS_THREADS = 32, 16, 8, 1024
TILE, DEPTH, STEP, TILES_CTAS = 8, 64, 8, 8     # STEP rows of each matrix are in shared memory at a time, 128 wide


def flops():
    return HEAD + """.visible .entry flops(.param .u64 X, .param .u64 Y)
{
	.reg .pred %p<2>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<6>;
	ld.param.u64 %d1, [X]; ld.param.u64 %d2, [Y];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
	mul.wide.u32 %d3, %r1, 4; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
	ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d2]; mov.f32 %f3, 0f00000000; mov.u32 %r4, 0;
L:
""" + "\tfma.rn.f32 %f3, %f1, %f2, %f3;\n" * FLOPS_UNROLLED + f"""	add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, {FLOPS_LOOPS}; @%p1 bra L;
	st.global.f32 [%d2], %f3; ret;
}}
"""


def vector(name, first):
    return "{" + ", ".join(f"%{name}{first + i}" for i in range(4)) + "}"


def tiles():
    """Each CTA of 16 x 16 threads makes the same 128 x 128 elements, of A^T (DEPTH x 128) and B."""
    row, halves = 128 * 4, range(0, TILE, 4)
    lines = [HEAD + f""".visible .entry tiles(.param .u64 A, .param .u64 B, .param .u64 C)
{{
	.reg .pred %p<2>; .reg .b32 %r<13>; .reg .f32 %c<{TILE * TILE}>, %a<{TILE}>, %b<{TILE}>, %g<8>; .reg .b64 %d<8>;
	.shared .align 16 .f32 sa[{STEP * 128}]; .shared .align 16 .f32 sb[{STEP * 128}];
	ld.param.u64 %d1, [A]; ld.param.u64 %d2, [B]; ld.param.u64 %d3, [C];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; shl.b32 %r4, %r2, 4; or.b32 %r4, %r4, %r1;
	mul.wide.u32 %d4, %r4, 16; add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4;
	shl.b32 %r5, %r4, 4; mov.u32 %r6, sa; mov.u32 %r7, sb; add.u32 %r8, %r6, %r5; add.u32 %r9, %r7, %r5;
	shl.b32 %r10, %r2, 5; add.u32 %r6, %r6, %r10; shl.b32 %r11, %r1, 5; add.u32 %r7, %r7, %r11; mov.u32 %r12, 0;"""]
    lines += [f"\tmov.f32 %c{i}, 0f00000000;" for i in range(TILE * TILE)]
    lines += [f"L:\n\tld.global.v4.f32 {vector('g', 0)}, [%d1]; ld.global.v4.f32 {vector('g', 4)}, [%d2]; bar.sync 0;",
              f"\tst.shared.v4.f32 [%r8], {vector('g', 0)}; st.shared.v4.f32 [%r9], {vector('g', 4)}; bar.sync 0;",
              f"\tadd.u64 %d1, %d1, {STEP * row}; add.u64 %d2, %d2, {STEP * row};"]
    for k in range(STEP):
        lines += [f"\tld.shared.v4.f32 {vector(name, h)}, [{base}+{k * row + h * 4}];" for name, base in (("a", "%r6"), ("b", "%r7")) for h in halves]
        lines += [f"\tfma.rn.f32 %c{i * TILE + j}, %a{i}, %b{j}, %c{i * TILE + j};" for i in range(TILE) for j in range(TILE)]
    lines += [f"\tadd.u32 %r12, %r12, {STEP}; setp.lt.u32 %p1, %r12, {DEPTH}; @%p1 bra L;",
              f"\tmul.wide.u32 %d5, %r3, {128 * row}; add.u64 %d3, %d3, %d5; mul.wide.u32 %d6, %r2, {TILE * row}; add.u64 %d3, %d3, %d6; mul.wide.u32 %d7, %r1, {TILE * 4}; add.u64 %d3, %d3, %d7;"]
    lines += [f"\tst.global.v4.f32 [%d3+{i * row + h * 4}], {vector('c', i * TILE + h)};" for i in range(TILE) for h in halves]
    return "\n".join([*lines, "\tret;", "}", ""])


def launch_of(kernel, buffers, grid, block):
    """buffers: {name: elements}, of random numbers."""
    return "\n".join(["buffers:", *(f"  - {{name: {name}, type: f32, count: {n}, fill: random, seed: {i + 1}, low: -1, high: 1}}" for i, (name, n) in enumerate(buffers.items())),
                      f"launches:\n  - kernel: {kernel}\n    grid: {[grid]}\n    block: {block}\n    args: [{', '.join(f'{{buffer: {name}}}' for name in buffers)}]", ""])


# name: (PTX, launch)
KERNELS = {"flops": (flops(), launch_of("flops", dict.fromkeys("XY", FLOPS_CTAS * FLOPS_THREADS), FLOPS_CTAS, [FLOPS_THREADS])),
           "tiles": (tiles(), launch_of("tiles", {"A": DEPTH * 128, "B": DEPTH * 128, "C": TILES_CTAS * 128 * 128}, TILES_CTAS, [16, 16]))}


def write(folder):
    """Those two, as NAME.ptx and NAME.yaml."""
    for name, (ptx, launch) in KERNELS.items():
        for path, text in ((f"{folder}/{name}.ptx", ptx), (f"{folder}/{name}.yaml", launch)):
            with open(path, "w") as f:
                f.write(text)
