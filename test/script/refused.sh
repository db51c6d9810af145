#!/bin/bash
# What is refused beyond the text of PTX: fatbins, LLVM IR, launches, kernels that do not fit. The errors of each group are one
# golden, test/golden/refused/GROUP.err; BLESS=1 rewrites them.
. "$(dirname "$0")/../lib.sh"
B=$(cd "$B" && pwd) A=$B/ptx-annotate M=$B/sm-model F=test/golden/fatbin
no() { # COMMAND...: exits with 1 and one error, which joins the group's
	"$@" > "$tmp/out" 2> "$tmp/err"; local got=$?
	[ $got = 1 ] && [ "$(grep -c 'error: ' "$tmp/err")" = 1 ] || { echo "exit code $got: $*"; cat "$tmp/err"; return 1; }
	grep -A2 'error: ' "$tmp/err" | sed "s,$tmp/,,g;s,$B/,,g" >> "$tmp/all"
}
group() { # GROUP FUNCTION
	: > "$tmp/all"
	"$2" || return 1
	same "test/golden/refused/$1.err" "$tmp/all"
}
bytes() { # FROM TO [OFFSET BYTES]...: a copy with other bytes
	cp "$1" "$2"; local to=$2; shift 2
	while [ $# -gt 0 ]; do printf "$2" | dd of="$to" bs=1 seek="$(($1))" conv=notrunc status=none; shift 2; done
}

# ---- fatbins ----
damaged() { # NAME FROM [OFFSET BYTES]...
	local to=$tmp/$1; bytes "$2" "$to" "${@:3}"; no "$A" "$to" --input=fatbin --list
}
fatbins() {
	no "$A" $F/zstd.fatbin --sm=70 -o "$tmp/o" && no "$A" $F/zstd.fatbin --module=1 --code=ptx -o "$tmp/o" && no "$A" $F/zstd.fatbin --module=9 -o "$tmp/o" &&
	no "$A" $F/sass.fatbin --code=ptx -o "$tmp/o" && no "$A" $F/sass.fatbin --sm=75 -o "$tmp/o" && no "$A" $F/rdc.o --code=sass -o "$tmp/o" && no "$A" $F/lto.fatbin -o "$tmp/o" && no "$A" $F/lto.fatbin --module=1 -o "$tmp/o" && no "$A" $F/other.cubin --input=fatbin -o "$tmp/o" &&
	no "$A" $F/two.o -o "$tmp/o" && no "$A" $F/two.o --kernel=none -o "$tmp/o" && no "$A" $F/data.o -o "$tmp/o" || return
	local z=$F/zstd.fatbin
	damaged magic.fatbin $z 0 '\x51' && damaged version.fatbin $z 4 '\x02' && damaged header.fatbin $z 6 '\x08' && damaged larger.fatbin $z 0xa '\x01' &&
	damaged entry_header.fatbin $z 0x14 '\x20' && damaged entry.fatbin $z 0x1a '\x01' && damaged packed.fatbin $z 0x22 '\x01' && damaged huge.fatbin $z 0x4b '\xff' || return
	cp $z "$tmp/second.fatbin" && printf 'not a container, but long' >> "$tmp/second.fatbin" && no "$A" "$tmp/second.fatbin" --list || return
	cp $z "$tmp/cut.fatbin" && printf '\x50\xed\x55\xba' >> "$tmp/cut.fatbin" && no "$A" "$tmp/cut.fatbin" --list || return
	head -c 16 $z > "$tmp/16" && damaged empty.fatbin "$tmp/16" 8 '\0\0' && head -c 40 $z > "$tmp/40" && damaged short.fatbin "$tmp/40" 8 '\x18\0' || return
	python3 - "$tmp" <<'P' || return
import struct, sys
d, read = sys.argv[1], lambda n: bytearray(open(f"test/golden/fatbin/{n}.fatbin", "rb").read())
def entries(b):         # offsets of the entries' headers
	at = 16
	while at < len(b):
		yield at
		at += struct.unpack_from("<I", b, at + 4)[0] + struct.unpack_from("<Q", b, at + 8)[0]
for name in "lz4", "zstd":
	b = read(name)
	at = [e for e in entries(b) if struct.unpack_from("<H", b, e)[0] == 1][1]
	head = struct.unpack_from("<I", b, at + 4)[0]
	good = bytes(b)
	b[at + head + 40 : at + head + 60] = b"\xff" * 20
	open(f"{d}/{name}_damaged.fatbin", "wb").write(b)
	b = bytearray(good)
	size = struct.unpack_from("<Q", b, at + 56)[0]
	struct.pack_into("<Q", b, at + 56, 1 << 27 if name == "lz4" else size + 1)
	open(f"{d}/{name}_size.fatbin", "wb").write(b)
entry = struct.pack("<HHIQ", 1, 0, 64, 0) + bytes(48)
open(f"{d}/many.fatbin", "wb").write(struct.pack("<IHHQ", 0xba55ed50, 1, 16, 64 * 65537) + entry * 65537)
o = bytearray(open("test/golden/fatbin/two.o", "rb").read())
shoff, = struct.unpack_from("<Q", o, 40)
size, n, names = struct.unpack_from("<HHH", o, 58)
for s in range(n):
	h = shoff + s * size
	x = bytearray(o)
	struct.pack_into("<Q", x, h + 32, 1 << 30)
	strings = struct.unpack_from("<Q", o, shoff + names * size + 24)[0] + struct.unpack_from("<I", o, h)[0]
	if o[strings:].startswith(b".nv_fatbin\0"):
		open(f"{d}/section.o", "wb").write(x)
		x = bytearray(o)
		struct.pack_into("<I", x, h, 1 << 30)
		open(f"{d}/section_name.o", "wb").write(x)
x = bytearray(o)
struct.pack_into("<Q", x, 40, 0)
struct.pack_into("<H", x, 62, 0xffff)
open(f"{d}/no_sections.o", "wb").write(x)
open(f"{d}/cut.o", "wb").write(o[:-1])
x = bytearray(o.replace(b".nv_fatbin\0", b".nv_wrong_\0"))
struct.pack_into("<Q", x, shoff + 2 * size + 32, len(x))
open(f"{d}/cut_section.o", "wb").write(x)
P
	for f in many lz4_damaged zstd_damaged lz4_size zstd_size; do no "$A" "$tmp/$f.fatbin" --list || return; done
	for f in section section_name no_sections cut cut_section; do no "$A" "$tmp/$f.o" --input=fatbin --list || return; done
	head -c 30 $F/two.o > "$tmp/whole.o" && no "$A" "$tmp/whole.o" --list && bytes $F/two.o "$tmp/class.o" 4 '\x09' && no "$A" "$tmp/class.o" --list && no "$A" "$B/sm-model" -o "$tmp/o"
}
mkdir -p test/golden/refused
t "fatbins that are refused" group fatbin fatbins

# ---- cubins; more in test/unit/t_cubin.c ----
cubins() {
	local c=test/golden/cubin/calls_80.cubin X=test/sass/cubin/saxpy.sm_75.cubin
	head -c 9000 $c > "$tmp/cut.cubin" && no "$A" "$tmp/cut.cubin" --emit=summary && head -c 64 $c > "$tmp/64.cubin" && no "$A" "$tmp/64.cubin" --list || return
	bytes $c "$tmp/abi.cubin" 7 '\x09' && no "$A" "$tmp/abi.cubin" --list && bytes $c "$tmp/length.cubin" $(($(at $c .nv.info) + 2)) '\xff' && no "$A" "$tmp/length.cubin" --list &&
	no "$A" $c --sm=80 && no "$A" $c --module=1 && no "$A" $c --code=ptx && no "$A" $c --save-ptx="$tmp/p" && no "$A" $c -O2 && no "$A" $c --input=fatbin --list &&
	no "$A" $c --maxreg=32 --emit=summary -o "$tmp/p" && no "$A" $c --emit=obj -o "$tmp/p" && no "$A" $c --emit=ptx -o "$tmp/p" &&
	no "$A" $c --no-schedule --emit=summary -o "$tmp/p" && no "$A" test/golden/fatbin/two.o --input=cubin --list && no "$A" examples/saxpy/saxpy.ptx --input=cubin --list && [ ! -e "$tmp/p" ] &&
	no "$M" run $c --launch examples/saxpy/saxpy.yaml && no "$M" run test/golden/fatbin/many.fatbin --launch test/golden/fatbin/axpy.yaml && no "$M" run $X --launch examples/saxpy/saxpy.yaml --functional --variant
}
at() { "$A" --list --json "$1" | python3 -c 'import json, sys; print(next(s["offset"] for s in json.load(sys.stdin)["sections"] if s["name"] == sys.argv[1]))' "$2"; }
t "cubins that are refused" group cubin cubins

# ---- LLVM IR: programs that do as regloom-llvm might ----
instead() { # NAME SHELL-TEXT
	printf '#!/bin/sh\n%s\n' "$2" > "$tmp/$1" && chmod +x "$tmp/$1" && no env REGLOOM_LLVM="$tmp/$1" "$A" test/golden/llvm/scale.ll -o "$tmp/o"
}
llvm() {
	no env REGLOOM_LLVM=/nonexistent "$A" test/golden/llvm/scale.ll -o "$tmp/o" &&
	instead silent 'exit 1' && instead slow 'kill -XCPU $$' && instead crash 'kill -SEGV $$' && instead library 'exit 127' &&
	instead other 'echo "it is 0.1" >&2; exit 2' && instead large 'exec truncate -s 1073741825 /proc/self/fd/1' &&
	mkdir -p "$tmp/alone" && cp "$A" "$tmp/alone/" && no "$tmp/alone/ptx-annotate" test/golden/llvm/scale.ll -o "$tmp/o"
}
t "LLVM: a program that fails" group llvm llvm

# ---- launches ----
launch() { # NAME YAML-LINE...: of k (p: u64, n: u32, s: 8 bytes, h: f16, b: b32, f: f32)
	printf '%s\n' 'buffers:' '  - {name: A, type: f32, count: 4}' "${@:2}" > "$tmp/$1.yaml"; no "$M" run "$tmp/k.rlo" --launch "$tmp/$1.yaml" --functional
}
call() { launch "$1" 'launches:' "  - {kernel: k, grid: [1], block: [${3:-32}], args: [$2]}"; }
launches() {
	printf '%s\n' '.version 8.0' '.target sm_80' '.address_size 64' \
	  '.entry k(.param .u64 p, .param .u32 n, .param .align 4 .b8 s[8], .param .f16 h, .param .b32 b) .maxntid 64 { ret; }' \
	  '.entry g() .reqnctapercluster 2 { ret; }' '.entry x() .explicitcluster { ret; }' '.entry y() .maxclusterrank 4 { ret; }' \
	  '.entry w(.param .u16 n) { ret; }' '.entry c(.param .u64 n) { ret; }' '.entry _Z1tIiEvT_(.param .u32 n) { ret; }' '.entry _Z1tIfEvT_(.param .f32 n) { ret; }' '.global .u64 v[2];' '.entry r(.param .u64 p) .reqntid 32 { .reg .b64 %d; ld.param.u64 %d, [p]; st.global.u32 [%d], 1; ret; }' > "$tmp/k.ptx" && "$A" "$tmp/k.ptx" -q -o "$tmp/k.rlo" || return
	local p='{buffer: A}' n='{value: 1}' s='{fields: [{value: 1, type: u32}, {value: 2, type: u32}]}' h='{value: 15360, type: b16}' b='{value: 1, type: u32}'
	call few "$p" && call address "$p, $p, $s, $h, $b" && call struct "$p, $n, $n, $h, $b" && call untyped "$p, $n, $s, $h, $n" && call half "$p, $n, $s, {value: 1.5}, $b" &&
	call bytes "$p, {value: 1, type: u64}, $s, $h, $b" && call kind "$p, {value: 1, type: f32}, $s, $h, $b" && call range "$p, {value: 5000000000}, $s, $h, $b" &&
	call integer "$p, {value: 1.5}, $s, $h, $b" && call beyond "$p, $n, {fields: [{value: 1, type: u64}, {value: 2, type: u32}]}, $h, $b" &&
	call fields "$p, $n, {fields: [{value: 1, type: u32}]}, $h, $b" && call maxntid "$p, $n, $s, $h, $b" 128 && call block "$p, $n, $s, $h, $b" '1024, 2' &&
	launch reqntid 'launches:' '  - {kernel: r, grid: [1], block: [64], args: [{buffer: A}]}' &&
	launch required 'launches:' '  - {kernel: g, grid: [4], block: [32], cluster: [4]}' &&
	launch odd 'launches:' '  - {kernel: g, grid: [3], block: [32]}' && launch explicit 'launches:' '  - {kernel: x, grid: [4], block: [32]}' &&
	launch most 'launches:' '  - {kernel: y, grid: [8], block: [32], cluster: [8]}' && launch many 'launches:' '  - {kernel: y, grid: [64], block: [32], cluster: [17]}' &&
	launch kernel 'launches:' '  - {kernel: q, grid: [1], block: [64]}' && launch two 'launches:' '  - {kernel: t, grid: [1], block: [64], args: [{value: 1}]}' || return
	launch while '  - {name: W, type: u32, count: 1}' 'launches:' '  - {kernel: r, grid: [1], block: [32], args: [{buffer: W}]}' 'repeats:' '  - {first: 0, while: W, max_rounds: 3}' &&
	launch rounds 'launches:' '  - {kernel: r, grid: [1], block: [32], args: [{buffer: A}]}' 'repeats:' '  - {first: 0, rounds: 3, max_rounds: 3}' &&
	launch memory '  - {name: H, type: f64, count: 1000000000000}' 'launches:' '  - {kernel: r, grid: [1], block: [32], args: [{buffer: A}]}' &&
	printf 'launches:\0' > "$tmp/nul.yaml" && no "$M" run "$tmp/k.rlo" --launch "$tmp/nul.yaml" || return
	launch shape 'textures:' '  - {name: T, buffer: A, format: f32, width: 64}' 'launches:' '  - {kernel: r, grid: [1], block: [32], args: [{buffer: A}]}' &&
	launch handle 'textures:' '  - {name: T, buffer: A, format: f32, width: 4}' 'launches:' '  - {kernel: w, grid: [1], block: [32], args: [{texture: T}]}' || return
	launch counter 'launches:' '  - {kernel: c, grid: [1], block: [32], args: [{value: 18446744073709551610}]}' 'repeats:' '  - {first: 0, rounds: 9, counter_arg: 0}' || return
	mkdir -p "$tmp/folder" && printf 'abc' > "$tmp/three" || return
	for f in none folder three; do
		launch "file_$f" "  - {name: X, type: f32, count: 4, fill: file, file: $f}" 'launches:' '  - {kernel: r, grid: [1], block: [32], args: [{buffer: A}]}' || return
	done
	printf '%s\n' 'buffers:' '  - {name: A, type: f32, count: 4}' 'launches:' '  - {kernel: r, grid: [1], block: [32], args: [{buffer: A}]}' > "$tmp/dump.yaml"
	no "$M" run "$tmp/k.rlo" --launch "$tmp/dump.yaml" --functional --dump Z="$tmp/z"
}
t "launches that are refused" group launch launches
saved() { # NAME YAML-LINE...: as --save-launch writes them, but that something does not fit
	launch "$@" 'launches:' '  - {kernel: r, grid: [1], block: [32], args: [{buffer: A}]}'
}
saved_launches() {
	printf '\x28\xb5\x2f\xfd\xe0\x07\0\0\0\0\0\0\0' > "$tmp/seven.zst" && printf '\x28\xb5\x2f\xfd\xe0\x01\0\0\x40\0\0\0\0' > "$tmp/large.zst" || return
	saved saved_variable '  - {name: V, variable: w, type: u64, count: 2}' && saved saved_size '  - {name: V, variable: v, type: u64, count: 3}' &&
	saved saved_memory '  - {name: B, type: u8, count: 8, fill: memory}' 'memory: seven.zst' && saved saved_object "object_sha256: $(printf '%064d' 0)" || return
	printf '%s\n' 'l2: large.zst' | cat "$tmp/dump.yaml" - > "$tmp/saved_l2.yaml" && no "$M" run "$tmp/k.rlo" --launch "$tmp/saved_l2.yaml" --machine=a100
}
t "saved launches that are refused" group saved saved_launches

# ---- machines ----
machines() {
	no "$M" run "$tmp/k.rlo" --launch "$tmp/dump.yaml" --set l2_sets=65536 --set l2_ways=64 --set partitions=64 &&
	no "$M" compare "$tmp/k.rlo" --launch "$tmp/dump.yaml" --config name=small --config name=big,l1_ways=64,l1_sets=4096,sms=256
}
t "machines too big to model" group machine machines
wrong() { # LINE...: a machine's file
	printf '%s\n' "$@" > "$tmp/mine.txt" && no "$M" run --machine="$tmp/mine.txt" --dump-config
}
machine_files() {
	wrong 'machine: a100' '  smss 3' && wrong 'machine: a100' sms && wrong 'machine: a100' 'sms many' && wrong 'machine: a100' 'sms 999 SMs' &&
	wrong 'machine: a100' 'l2_latency 200 ns' && wrong 'machine: a100' 'sms 3' 'sms 3' && wrong 'machine: a100' 'sfu 3' && wrong 'machine: a100' 'sfu 3 1 XU' &&
	wrong 'machine: a1000' && wrong 'machine:' && wrong 'machine: a100' 'machine: h100' && wrong 'machine a: b' 'machine b: c' && wrong 'sms 3' 'machine: h100' &&
	wrong 'machine: a100' 'energy free' && wrong 'machine: a100' energy && wrong 'machine: a100' scheduler && wrong 'sms 3' &&
	no "$A" test/golden/ptx/saxpy.ptx --machine="$tmp/mine.txt" --emit=occupancy && no "$M" compare "$tmp/k.rlo" --launch "$tmp/dump.yaml" --rf baseline,corf --machine="$tmp/mine.txt" &&
	no "$M" list machines "$tmp/mine.txt" && no "$M" run --machine=./none --dump-config && no "$M" run --machine="$tmp/." --dump-config
}
t "machines in files that are refused" group machine_file machine_files

# ---- kernels that do not fit ----
module() { # NAME LINE...
	printf '%s\n' '.version 8.0' '.target sm_80' '.address_size 64' "${@:2}" > "$tmp/$1.ptx"
}
kernels() {
	module registers '.entry k(.param .u64 p) {' '.reg .b64 %d<9>; ld.param.u64 %d1, [p];' \
	  'ld.global.v2.u64 {%d2, %d3}, [%d1]; ld.global.v2.u64 {%d4, %d5}, [%d1+16];' 'st.global.v4.u64 [%d1], {%d2, %d3, %d4, %d5}; ret; }' &&
	no "$A" "$tmp/registers.ptx" --maxreg=8 -q -o "$tmp/o" || return
	module frames '.func f(.param .b32 n) { .local .align 4 .b8 a[12000000]; .reg .b32 %r<4>; .reg .b64 %d<4>; mov.u64 %d1, a; cvta.local.u64 %d2, %d1; st.u32 [%d2], 1; ret; }' \
	  '.func g(.param .b32 n) { .local .align 4 .b8 a[12000000]; .reg .b32 %r<4>; .reg .b64 %d<4>; mov.u64 %d1, a; cvta.local.u64 %d2, %d1; st.u32 [%d2], 1; call f, (%r1); ret; }' \
	  '.entry k() { .reg .b32 %r<4>; mov.u32 %r1, 1; call g, (%r1); ret; }' && no "$A" "$tmp/frames.ptx" --inline=0 -q -o "$tmp/o" || return
	local loads='' stores='' r
	for r in {1..16}; do loads+="ld.global.u32 %r$r, [%d1+$((4 * r))]; " stores+="st.volatile.global.u32 [%d1+$((4 * r))], %r$r; "; done
	module spills '.entry k(.param .u64 p) {' '.local .align 4 .b8 a[16777216]; .reg .b32 %r<20>; .reg .b64 %d<9>; ld.param.u64 %d1, [p];' "$loads" \
	  'mov.u64 %d2, a; st.local.u32 [%d2], %r1;' "$stores ret; }" && no "$A" "$tmp/spills.ptx" --maxreg=8 -q -o "$tmp/o" || return
	call() { # NAME LINE...: the last line is what the kernel does
		module "$1" "${@:2:$#-2}" ".entry k() { .reg .b32 %r<4>; .reg .b64 %d<4>; mov.u32 %r1, 1; mov.u64 %d1, 1; ${*: -1} ret; }" && no "$A" "$tmp/$1.ptx" -q -o "$tmp/o"
	}
	call elsewhere '.extern .func f(.param .b32 x);' 'call f, (%r1);' &&
	call launch '.extern .func __cudaCDP2LaunchDevice(.param .b32 x);' 'call __cudaCDP2LaunchDevice, (%r1);' &&
	call print '.extern .func (.param .b32 r) vprintf(.param .b32 x);' 'call (%r2), vprintf, (%r1);' &&
	call through 'P: .callprototype _ (.param .b32 _); call %d1, (%r1), P;' &&
	call listed '.extern .func f(.param .b32 x);' 'T: .calltargets f; call %d1, (%r1), T;'
}
t "kernels that do not fit" group passes kernels
finish
