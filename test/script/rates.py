#!/usr/bin/env python3
"""Bytes a cycle that streams get of L1, L2 and DRAM on GPUs of sub-cores, all SMs at once, beside published ones (docs/MACHINES.md).

    test/script/rates.py BUILD MACHINE...

Each thread reads 16 bytes (of the L1: 8), eight loads (24) that need none before, so many rounds; two launches differ in their number. Exit status 1 if one is more than 10 % off, or more than FAR says."""
import json, subprocess, sys, tempfile

# Of an SM. An A40 has 48 slices of L2 for 84 SMs, where an RTX 3080 has 40 for 68; an L40 has an RTX 4090's for 142 SMs, here of 128.
L1 = {"rtx3080": 64, "rtx4090": 64, "a100": 126, "h100": 126, "h200": 126}
L2 = {"rtx3080": 17 * (40 / 68) / (48 / 84), "rtx4090": 16 * 142 / 128, "a100": 30, "h200": 38}
DRAM = (0.85, 0.93)     # of the data sheet's, on all GPUs
NEAR = 0.10
FAR = {("rtx3080", "L1"): 0.15, ("rtx4090", "L1"): 0.15, ("a100", "L2"): 0.11}        # not met: docs/MACHINES.md
LOADS, THREADS = 8, 1024
ROUND_L1 = 3            # times the eight loads of the L1, so that their latency hides behind others of the warp


def kernel(level):
    """L1: eight places of its own, again and again. L2, DRAM: the next piece of a window each time, past the L1."""
    own = level == "L1"
    bytes_, loads = (8, LOADS * ROUND_L1) if own else (16, LOADS)
    at = "" if own else "".join(f"\tand.b32 %m, %o, %mask;\n\tadd.u32 %o, %o, %step;\n\tcvt.u64.u32 %w, %m;\n\tadd.u64 %a{i}, %in, %w;\n" for i in range(loads))
    load = "".join(f"\tld.global.v2.u32 {{%v{4 * i}, %v{4 * i + 1}}}, [%w+{i % LOADS * THREADS * 8}];\n" if own else
                   f"\tld.global.cg.v4.u32 {{%v{4 * i}, %v{4 * i + 1}, %v{4 * i + 2}, %v{4 * i + 3}}}, [%a{i}];\n" for i in range(loads))
    use = "".join(f"\tor.b32 %s, %s, %v{4 * i};\n" for i in range(loads))
    return f"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry stream(.param .u64 out, .param .u64 in, .param .u32 step, .param .u32 mask, .param .u32 rounds)
{{
	.reg .pred %p; .reg .b32 %t, %c, %d, %o, %m, %step, %mask, %n, %rounds, %s, %v<{4 * loads}>; .reg .b64 %a<{LOADS}>, %out, %in, %w;
	ld.param.u64 %out, [out];
	ld.param.u64 %in, [in];
	ld.param.u32 %step, [step];
	ld.param.u32 %mask, [mask];
	ld.param.u32 %rounds, [rounds];
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	mov.u32 %d, %ntid.x;
	mad.lo.u32 %t, %c, %d, %t;
	mul.lo.u32 %o, %t, {bytes_};
	cvt.u64.u32 %w, %o;
	add.u64 %w, %in, %w;
	mov.u32 %s, 0;
	mov.u32 %n, 0;
LOOP:
{at}{load}{use}	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, %rounds;
	@%p bra LOOP;
	setp.eq.u32 %p, %s, 12345;
	@%p st.global.u32 [%out], %s;
	ret;
}}
"""


def say(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def measure(build, machine, level, tmp):
    """Bytes a cycle, the configuration."""
    config = json.loads(say(f"{build}/sm-model", "run", f"{tmp}/L1.rlo", "--launch", f"{tmp}/none.yaml", "--machine", machine, "--set", "sms=1", "--quiet", "--json", "-"))["config"]
    sms = 1 if level == "L1" else SMS[machine]
    window, rounds = {"L1": (LOADS * THREADS * 8, (2, 8)), "L2": (1 << 20, (1, 3)), "DRAM": (1 << 26, (1, 3))}[level]
    bytes_ = 8 if level == "L1" else 16
    value = lambda v: f"{{value: {v}, type: u32}}"
    with open(f"{tmp}/{level}.yaml", "w") as f:
        f.write(f"buffers:\n  - {{name: in, type: u32, count: {window // 4}}}\n  - {{name: out, type: u32, count: 1}}\nlaunches:\n")
        for n in (rounds[0], *rounds):         # the first one warms the caches
            f.write(f"  - {{kernel: stream, grid: [{sms}], block: [{THREADS}], args: [{{buffer: out}}, {{buffer: in}}, {value(sms * THREADS * 16)}, {value(window - 1)}, {value(n)}]}}\n")
    small = ("--set", "l2_sets=4") if level == "DRAM" else ()        # an L2 that holds nothing of the window
    run = json.loads(say(f"{build}/sm-model", "run", f"{tmp}/{level}.rlo", "--launch", f"{tmp}/{level}.yaml", "--machine", machine, "--set", f"sms={sms}", *small, "--quiet", "--json", "-"))
    short, long = (l["cycles"] for l in run["launches"][1:])
    moved = (rounds[1] - rounds[0]) * LOADS * (ROUND_L1 if level == "L1" else 1) * sms * THREADS * bytes_
    return moved / (long - short), config


def sms_of(build, machine):
    return next(int(l.split()[1]) for l in say(f"{build}/sm-model", "run", "--machine", machine, "--dump-config").splitlines() if l.split()[:1] == ["sms"])


def main():
    build, *machines = sys.argv[1:]
    wrong = 0
    global SMS
    SMS = {m: sms_of(build, m) for m in machines}
    with tempfile.TemporaryDirectory() as tmp:
        for level in ("L1", "L2", "DRAM"):
            with open(f"{tmp}/{level}.ptx", "w") as f:
                f.write(kernel(level))
            say(f"{build}/ptx-annotate", f"{tmp}/{level}.ptx", "-q", "-o", f"{tmp}/{level}.rlo")
        with open(f"{tmp}/none.yaml", "w") as f:
            f.write("buffers:\n  - {name: b, type: u32, count: 16384}\nlaunches:\n  - {kernel: stream, grid: [1], block: [32], args: [{buffer: b}, {buffer: b}, {value: 0, type: u32}, {value: 0, type: u32}, {value: 1, type: u32}]}\n")
        for m in machines:
            for level in ("L1", "L2", "DRAM"):
                if level == "L1" and m not in L1 or level == "L2" and m not in L2:
                    continue
                rate, p = measure(build, m, level, tmp)
                low, high = (DRAM if level == "DRAM" else (L1[m],) * 2 if level == "L1" else (L2[m],) * 2)
                peak = p["dram_bytes_cycle"] * p["partitions"] * p["dram_mhz"] / p["sm_mhz"]
                got = rate / peak if level == "DRAM" else rate / (SMS[m] if level == "L2" else 1)
                near = FAR.get((m, level), NEAR)
                ok = low * (1 - near) <= got <= high * (1 + near)
                wrong += not ok
                print(f"{m:10} {level:5} {got:8.2f} {'of the peak' if level == 'DRAM' else 'bytes a cycle and SM'}, published {low:.2f}{f' to {high:.2f}' if high > low else ''}{'' if ok else '  NO'}", flush=True)
    return wrong != 0


sys.exit(main())
