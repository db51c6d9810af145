#!/bin/bash
# Small inputs that stand for much, and inputs that never end: 100 KB take at most 10 s and 2 GiB, or are refused by the name of a limit;
# a FIFO is read or refused.
. "$(dirname "$0")/../lib.sh"

case $B in */san | */tsan) seconds=120 few=120 kib=unlimited ;; *) seconds=${BOUNDS_SECONDS:-6} few=${BOUNDS_SECONDS:-4} kib=2097152 ;; esac
part=${QUICK:+4} part=${part:-1}        # QUICK=1: what is below a limit is smaller, which sanitizers take the square of it less long for
bounded() { # CODE COMMAND...: of one core
	local code=$1; shift
	exits "$code" bash -c 'ulimit -v "$0"; ulimit -t "$1"; shift; exec "$@"' "$kib" "$seconds" "$@"
}
ptx() { # KIND N: in $tmp/k.ptx
	python3 - "$@" > "$tmp/k.ptx" <<'PY'
import sys
kind, n = sys.argv[1], int(sys.argv[2])
rows = range(n)
head = ".version 7.8\n.target sm_80\n.address_size 64\n"
kernel = lambda body: ".entry k(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%d<9>;\n%sret;\n}\n" % body
labels = "T: .branchtargets " + ", ".join("L%d" % i for i in rows) + ";\n"
text = {
    "tables": lambda: kernel(labels + "".join("L%d: brx.idx %%r1, T;\n" % i for i in rows)),
    "labels": lambda: kernel("T: .branchtargets " + ",".join("A" for i in rows) + ";\n" + "brx.idx %r1,T;\n" * n + "A:\n"),
    "inlined": lambda: ".func f(.reg .b32 %a){ T: .branchtargets " + ",".join("A" for i in rows) + ";\nbrx.idx %a,T;\nA: ret; }\n" +
               kernel("mov.u32 %r1, 0;\n" + "call f,(%r1);\n" * 300),
    "calls": lambda: "".join(".func f%d(){ret;}\n" % i for i in rows) +
             kernel("P: .calltargets " + ",".join("f%d" % i for i in rows) + ";\nmov.u64 %d1, f0;\n" + "call %d1, P;\n" * n),
    "chain": lambda: ".func f0(){ret;}\n" + "".join(".func f%d(){call f%d; call f%d; ret;}\n" % (i, i - 1, i - 1) for i in rows if i) + kernel("call f%d;\n" % (n - 1)),
    "returns": lambda: ".func f(.reg .b32 %a){ .reg .pred %p;\n" + "@%p ret;\n" * n + "ret;}\n" + kernel("mov.u32 %r1, 0;\n" + "call f,(%r1);\n" * n),
}[kind]()
sys.stdout.write(head + text)
PY
	[ "$(stat -c %s "$tmp/k.ptx")" -lt 120000 ]
}
said() { grep 'error: ' "$tmp/err" | sed "s,$tmp/,,g" >> "$tmp/all"; } # joins the golden
annotates() { ptx "$1" "$(($2 / part))" && bounded 0 "$A" "$tmp/k.ptx" -q -o "$tmp/k.rlo"; } # KIND N
refused() { # KIND N WORDS: in one error
	ptx "$1" "$2" && bounded 1 "$A" "$tmp/k.ptx" -q -o "$tmp/no.rlo" && says "$3" && says ', the limit' && [ "$(grep -c 'error: ' "$tmp/err")" = 1 ] && [ ! -e "$tmp/no.rlo" ] && said
}
t "tables of branches below the limit" annotates tables 700
t "tables of branches above it" refused tables 3800 'the branches of this kernel through tables have more than 524288 labels in all'
t "tables of one label above it" refused labels 5000 'the branches of this kernel through tables have more than 524288 labels in all'
t "a table in a function, above it" refused inlined 2000 'the branches of kernel k through tables have more than 524288 labels in all'
t "calls through registers below the limit" annotates calls 700
t "calls through registers above it" refused calls 2800 'the calls of kernel k through registers may lead to more than 524288 functions in all'
t "functions that call the one before twice" annotates chain 2700
t "returns of a function below the limit" annotates returns 1000
t "returns of a function above it" refused returns 4500 'there are more than 2097152 edges between the blocks of the kernel'

# ---- files in YAML ----
"$A" examples/saxpy/saxpy.ptx -q -o "$tmp/saxpy.rlo" && cp examples/saxpy/saxpy.{yaml,expect} "$tmp/"
nested() { # TEXT: 30,000 times; in a sweep file and in a launch file
	python3 -c 'import sys; print("kernels: " + sys.argv[1] * 30000)' "$1" > "$tmp/deep.yaml" && bounded 1 "$M" sweep "$tmp/deep.yaml" --dry-run && says ': error: lists and mappings nest deeper than 9, the limit' &&
	bounded 1 "$M" run "$tmp/saxpy.rlo" --launch "$tmp/deep.yaml" && says ': error: lists and mappings nest deeper than 16, the limit' && said
}
for text in '[' '{a: ' '[a, {b: '; do t "30,000 times '$text'" nested "$text"; done
excludes() { # 65,536 points, 2,300 exclusions
	python3 > "$tmp/many.yaml" <<'PY'
print("kernels: [{name: k, object: saxpy.rlo, launch: saxpy.yaml}]\nset:")
for name in ("sm_mhz", "icnt_mhz", "l2_mhz", "dram_mhz"):
    print("  %s: [%s]" % (name, ", ".join(str(400 + i) for i in range(16))))
print("exclude:")
for i in range(2300):
    print("  - {sm_mhz: %d, icnt_mhz: %d, l2_mhz: %d}" % (400 + i % 15, 400 + i // 16 % 16, 400 + i // 256 % 16))
PY
	seconds=$few bounded 0 "$M" sweep "$tmp/many.yaml" --dry-run && grep -q '^31024 points: 0 finished, 0 refused, 31024 to do; 34512 more are excluded$' "$tmp/out"
}
t "65,536 points with exclusions" excludes
one_line() { # each value's column
	python3 -c 'print("{launches: [{kernel: saxpy, grid: [1], block: [1], args: [%s]}]}" % ",".join("{value: 1, type: u32}" for i in range(60000)))' > "$tmp/line.yaml" &&
	bounded 1 "$M" run "$tmp/saxpy.rlo" --launch "$tmp/line.yaml" && says 'line.yaml:1:'
}
t "60,000 values in a line" one_line

# ---- sizes ----
larger() { # FILE'S-NAME MIB WORDS COMMAND...: a file of zeros, behind what is there
	local f=$tmp/$1 mib=$2 words=$3; shift 3
	truncate -s "$((mib + 1))M" "$f" && bounded 1 "$@" && says "is larger than $mib MiB, the limit for $words" && rm "$f"
}
t "too much PTX" larger big.ptx 256 'text, LLVM bitcode' "$A" "$tmp/big.ptx" -o "$tmp/no.rlo"
code() { printf '\177ELF' > "$tmp/big.cubin" && larger big.cubin 1024 'a file with machine code' "$A" "$tmp/big.cubin" --emit=summary; }
t "too large a cubin" code
object() { printf '\177ELF' > "$tmp/big.rlo" && larger big.rlo 1024 'a file with machine code' "$M" run "$tmp/big.rlo" --launch "$tmp/saxpy.yaml"; }
t "too large an object" object
t "too large a launch file" larger big.yaml 16 'a launch file' "$M" run "$tmp/saxpy.rlo" --launch "$tmp/big.yaml"
t "too large a sweep file" larger big.yaml 16 'a sweep file' "$M" sweep "$tmp/big.yaml" --dry-run
t "too large a file of limits" larger big.txt 1 'a file of limits' "$A" --check-file="$tmp/big.txt" examples/saxpy/saxpy.ptx
t "too large a machine's file" larger big.machine 1 "a machine's file" "$M" run --machine="$tmp/big.machine" --dump-config
t "too large a profile" larger big.json 64 'a JSON file' "$A" --profile="$tmp/big.json" examples/saxpy/saxpy.ptx -o "$tmp/no.rlo"
t "too large a result" larger big.json 64 'a JSON file' "$M" report "$tmp/big.json" -o "$tmp/no.html"
endless() { bounded 1 "$A" /dev/zero -o "$tmp/no.rlo" && says '/dev/zero: error: is larger than 256 MiB'; }
t "a file without an end" endless
bomb() { # modules that say that they unpack to 100 MiB: listed by their headers alone before any is unpacked
	python3 - "$tmp/bomb.fatbin" <<'PY'
import struct, sys
entry = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, 64, 64, 0, 8, 7, 80, 0, 0, 1 << 15, 0, 25 << 20) + b"\0" * 64
open(sys.argv[1], "wb").write(struct.pack("<IHHQ", 0xba55ed50, 1, 16, 4 * len(entry)) + 4 * entry)
PY
	bounded 1 "$A" "$tmp/bomb.fatbin" --list && says 'bomb.fatbin: file+0xc8: error: what is packed up to here unpacks to more than 32 MiB and 64 times the size of the file, the limit' && said
}
t "a fatbin that unpacks to much" bomb

# ---- pipes ----
mkfifo "$tmp/fifo"
silent() { # N COMMAND...: refused; the Nth of those at work
	local err=$tmp/silent.$1; shift
	timeout 40 "$@" > /dev/null 2> "$err"; [ $? = 1 ] && grep -q "$waits\|regular file" "$err" || { echo "$*:"; cat "$err"; return 1; }
}
waits='is a FIFO that nobody has opened for writing within 10 s'
nobody() { # all at once: each waits for ten seconds
	local p bad=0 pids=()
	sed 's/fill: ramp.*}/fill: file, file: fifo}/' examples/saxpy/saxpy.yaml > "$tmp/init.yaml"
	sed 's/saxpy.expect/fifo/' examples/saxpy/saxpy.yaml > "$tmp/expect.yaml"
	printf 'kernels: [{object: fifo, launch: saxpy.yaml}]\n' > "$tmp/object.yaml"
	printf 'kernels: [{object: saxpy.rlo, launch: fifo}]\n' > "$tmp/launch.yaml"
	silent 1 "$A" "$tmp/fifo" -o "$tmp/no.rlo" & pids+=($!)
	silent 2 "$A" --check-file="$tmp/fifo" examples/saxpy/saxpy.ptx & pids+=($!)
	silent 3 "$A" --profile="$tmp/fifo" examples/saxpy/saxpy.ptx -o "$tmp/no.rlo" & pids+=($!)
	silent 4 "$A" --diff "$tmp/fifo" examples/saxpy/saxpy.ptx & pids+=($!)
	silent 5 "$M" run "$tmp/fifo" --launch "$tmp/saxpy.yaml" & pids+=($!)
	silent 6 "$M" run "$tmp/saxpy.rlo" --launch "$tmp/fifo" & pids+=($!)
	silent 7 "$M" run "$tmp/saxpy.rlo" --launch "$tmp/init.yaml" & pids+=($!)
	silent 8 "$M" run "$tmp/saxpy.rlo" --launch "$tmp/expect.yaml" & pids+=($!)
	silent 9 "$M" sweep "$tmp/fifo" --dry-run & pids+=($!)
	silent 10 "$M" sweep "$tmp/object.yaml" --dry-run & pids+=($!)
	silent 11 "$M" sweep "$tmp/launch.yaml" --dry-run & pids+=($!)
	silent 12 "$M" report "$tmp/fifo" -o "$tmp/no.html" & pids+=($!)
	for p in "${pids[@]}"; do wait "$p" || bad=1; done
	[ $bad = 0 ]
}
t "FIFOs that nobody writes into" nobody
program() { [ ! -x "$B/regloom-run" ] || { timeout 20 "$B/regloom-run" "$tmp/fifo" 2> "$tmp/err"; [ $? = 126 ]; }; }
t "a FIFO as a program" program
late() { # a writer that comes later, and one that is slow
	(sleep 1; exec > "$tmp/fifo"; head -c 100 examples/saxpy/saxpy.ptx; sleep 1; tail -c +101 examples/saxpy/saxpy.ptx) &
	exits 0 timeout 40 "$A" "$tmp/fifo" -q -o "$tmp/late.rlo" && exits 0 "$M" run "$tmp/late.rlo" --launch "$tmp/saxpy.yaml" && grep -q PASS "$tmp/out"
}
t "a FIFO whose writer is late and slow" late
substituted() { # what a shell makes of <(command); of an empty one
	exits 0 "$A" <(cat examples/saxpy/saxpy.ptx) -q -o "$tmp/s.rlo" && sed "s|saxpy.expect|$tmp/saxpy.expect|" examples/saxpy/saxpy.yaml > "$tmp/abs.yaml" &&
	exits 0 "$M" run <(cat "$tmp/s.rlo") --launch <(cat "$tmp/abs.yaml") && grep -q PASS "$tmp/out" && exits 0 "$A" --check-file=<(echo max-live=40) <(cat examples/saxpy/saxpy.ptx) &&
	exits 0 "$A" <(cat test/sass/cubin/sgemm.sm_86.cubin) --emit=summary && exits 1 timeout 20 "$A" <(true) -o "$tmp/no.rlo" && says 'is empty'
}
t "pipes of the shell" substituted
t "what the limits say" same test/golden/refused/bounds.err "$tmp/all"
finish
