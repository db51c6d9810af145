#!/bin/bash
# Inputs other than PTX: LLVM IR as text and as bitcode, fatbins, host objects. test/golden/llvm/X.ll has X.err beside it, the
# diagnostics, or compiles; BLESS=1 rewrites them. test/golden/fatbin/X has X.list and X.json; test/golden/cubin/X has X.list.
. "$(dirname "$0")/../lib.sh"

# ---- LLVM IR ----
refused() { # X.ll X.err: exit 1, these words, one error, nothing written
	exits 1 "$A" "$1" -o "$tmp/refused.rlo" && [ ! -e "$tmp/refused.rlo" ] && [ "$(grep -c ': error: ' "$tmp/err")" = 1 ] && same "$2" "$tmp/err"
}
elsewhere() { # found by the reader of PTX: the text is LLVM's, its place is in that
	exits 1 "$A" test/golden/llvm/other/extern.ll -o "$tmp/e.rlo" && says "extern.ll (PTX):" && says "'elsewhere' is called but this module does not define it" &&
	exits 1 "$A" test/golden/llvm/other/extern.ll -o "$tmp/e.rlo" --save-ptx "$tmp/e.ptx" && says "$tmp/e.ptx:" && [ -s "$tmp/e.ptx" ] && [ ! -e "$tmp/e.rlo" ]
}
crashes() { # arithmetic that LLVM's NVPTX target has not: whatever LLVM does of it is one error
	exits 1 "$A" test/golden/llvm/other/select.ll -o "$tmp/e.rlo" && [ "$(grep -c ': error: ' "$tmp/err")" = 1 ] && [ ! -e "$tmp/e.rlo" ]
}
no_cosine() { # no addresses of LLVM's in the message, and what helps
	exits 1 "$A" test/golden/llvm/other/cosine.ll -o "$tmp/e.rlo" && says "Cannot select: f32 = fcos" && says "compile with -ffast-math" && (! grep 0x "$tmp/err") &&
	sed 's/%y) {/%y) "unsafe-fp-math"="true" {/' test/golden/llvm/other/cosine.ll | exits 0 "$A" - -q -o "$tmp/e.rlo"
}
ignored() { exits 0 env --ignore-signal=CHLD "$A" test/golden/llvm/scale.ll -q -o "$tmp/ignored.rlo"; }
compiles() { exits 0 "$A" "$1" -q -o "$tmp/$(basename "$1").rlo"; }
without() { # the program missing, of another version, crashing, not a program
	exits 1 env REGLOOM_LLVM=/nonexistent "$A" test/golden/llvm/scale.ll -o "$tmp/none.rlo" && says "cannot be started" && [ ! -e "$tmp/none.rlo" ] || return
	printf '#!/bin/sh\nkill -SEGV $$\n' > "$tmp/crash" && chmod +x "$tmp/crash"
	exits 1 env REGLOOM_LLVM="$tmp/crash" "$A" test/golden/llvm/scale.ll -o "$tmp/none.rlo" && says "it crashed" || return
	printf '#!/bin/sh\nexit 2\n' > "$tmp/other" && chmod +x "$tmp/other"
	exits 1 env REGLOOM_LLVM="$tmp/other" "$A" test/golden/llvm/scale.ll -o "$tmp/none.rlo" && says "another version" || return
	mkdir -p "$tmp/alone" && cp "$A" "$tmp/alone/" || return
	exits 1 "$tmp/alone/ptx-annotate" test/golden/llvm/scale.ll -o "$tmp/none.rlo" && says "built without LLVM"
}
same_from() { # the same kernel from text, bitcode, a pipe
	"$A" test/golden/llvm/scale.ll --emit=ptx -o - | grep -v '^$' > "$tmp/ll.ptx" &&
	"$A" test/golden/llvm/scale.bc --emit=ptx -o - | grep -v '^$' > "$tmp/bc.ptx" && cmp "$tmp/ll.ptx" "$tmp/bc.ptx" &&
	"$A" - --input=bc --emit=ptx -o - < test/golden/llvm/scale.bc | grep -v '^$' | cmp - "$tmp/bc.ptx" &&
	"$A" - --emit=ptx -o - < test/golden/llvm/scale.ll | grep -v '^$' | cmp - "$tmp/ll.ptx"
}
pipe() { "$A" - -q -o - < examples/collatz/collatz.ll | "$M" run - --launch "$PWD/examples/collatz/collatz.yaml" --functional | grep -q PASS; }
levels() { # fewer instructions with -O2 than with -O0; the same results
	for l in 0 1 2 3; do
		"$A" examples/mandel/mandel.ll -O$l -q -o "$tmp/m$l.rlo" --save-ptx "$tmp/m$l.ptx" &&
		"$M" run "$tmp/m$l.rlo" --launch examples/mandel/mandel.yaml --functional | grep -q PASS || return
	done
	[ "$(grep -c ';' "$tmp/m0.ptx")" -gt "$(grep -c ';' "$tmp/m2.ptx")" ]
}
arch() {
	"$A" test/golden/llvm/scale.ll --sm=sm_90 --save-ptx "$tmp/a.ptx" -q -o "$tmp/a.rlo" && grep -q '^\.target sm_90$' "$tmp/a.ptx" &&
	"$A" examples/mandel/mandel.ll --save-ptx "$tmp/b.ptx" -q -o "$tmp/a.rlo" && grep -q '^\.target sm_80' "$tmp/b.ptx" &&
	exits 1 "$A" test/golden/llvm/scale.ll --sm 999 -o "$tmp/c.rlo" && says "cannot compile for sm_999" && [ ! -e "$tmp/c.rlo" ]
}
lines() { "$A" examples/mandel/mandel.ll --emit=listing -o - | grep -q 'mandel.c:13: .*float next' && "$A" examples/options/options.ll --emit=summary -o - | grep -q 'options.cl:'; }
garbage() { # bitcode cut and damaged at many places: one error and exit 1, or it compiles
	local n; n=$(stat -c %s test/golden/llvm/scale.bc)
	for ((at = 5; at < n; at += n / 12)); do
		head -c "$at" test/golden/llvm/scale.bc > "$tmp/cut.bc"
		exits 1 "$A" "$tmp/cut.bc" -o "$tmp/cut.rlo" && [ "$(grep -c ': error: ' "$tmp/err")" = 1 ] || return
		cp test/golden/llvm/scale.bc "$tmp/bad.bc"; printf '\377\125' | dd of="$tmp/bad.bc" bs=1 seek="$at" conv=notrunc status=none
		"$A" "$tmp/bad.bc" -q -o "$tmp/bad.rlo" 2> "$tmp/err"; [ $? -le 1 ] || { cat "$tmp/err"; return 1; }
	done
}
if [ -x "$B/regloom-llvm" ]; then
	for f in test/golden/llvm/*.ll; do
		if [ -e "${f%.ll}.err" ]; then t "llvm ${f##*/} is refused" refused "$f" "${f%.ll}.err"; else t "llvm ${f##*/} compiles" compiles "$f"; fi
	done
	t "llvm: a function that is nowhere" elsewhere
	t "llvm: fp128, which LLVM crashes on" crashes
	t "llvm: a cosine that may not be approximate" no_cosine
	t "llvm: text, bitcode and pipes give the same" same_from
	t "llvm: ptx-annotate - | sm-model run -" pipe
	t "llvm: -O0 to -O3" levels
	t "llvm: --sm, the module's own architecture, an unknown one" arch
	t "llvm: source lines" lines
	t "llvm: damaged bitcode" garbage
	t "llvm: regloom-llvm missing, crashing, of another version" without
	t "llvm: SIGCHLD ignored by whoever starts it" ignored
else
	skip "LLVM IR" "built without LLVM"
fi
if [ -x "$B/regloom-llvm" ] && command -v "${CLANG:-clang-19}" >/dev/null 2>&1; then
	clang_pipe() {
		"${CLANG:-clang-19}" --target=nvptx64-nvidia-cuda -O2 -ffp-contract=off -emit-llvm -c examples/mandel/mandel.c -o - | "$A" - --input=bc -q -o "$tmp/k.rlo" &&
		"$M" run "$tmp/k.rlo" --launch examples/mandel/mandel.yaml --functional | grep -q PASS
	}
	t "llvm: clang -emit-llvm | ptx-annotate -" clang_pipe
else
	skip "llvm: clang -emit-llvm | ptx-annotate -" "no clang"
fi

# ---- cubins: the text of two, the JSON of all ----
cubin() { "$A" --list "$1" > "$tmp/list" && same "$1.list" "$tmp/list"; }
for f in calls_80 calls_90_rdc; do t "list $f.cubin" cubin test/golden/cubin/$f.cubin; done
cubin_json() {
	for f in test/golden/cubin/*.cubin; do "$A" --list --json "$f" > "$tmp/json" && test/tool/schema.py "$tmp/json" docs/cubin.schema.json || return; done
	grep -q '"arch": "sm_90a"' "$tmp/json" && "$A" - --list < test/golden/cubin/large_90a.cubin | grep -q '8008  *384  -  *0  large'
}
t "lists of cubins as JSON fit the schema" cubin_json

driver() { # from sm_90 on the driver has the first bytes of shared memory
	"$A" --list test/sass/cubin/sgemm.sm_86.cubin | grep -c "are the driver's" | grep -qx 0 && "$A" --list test/sass/cubin/lavamd.sm_90a.cubin > "$tmp/list" && grep -qx "shared \[B\]: the first 1024 B of it are the driver's, where there is any" "$tmp/list"
}
t "lists of cubins: shared memory of the driver" driver

# ---- fatbins ----
list() {
	"$A" "$1" --list > "$tmp/list" && same "$1.list" "$tmp/list" && "$A" "$1" --list --json > "$tmp/json" && same "$1.json" "$tmp/json" &&
	python3 -m json.tool "$tmp/json" > "$tmp/out"
}
for f in test/golden/fatbin/*.fatbin test/golden/fatbin/{two,rdc}.o; do t "list ${f##*/}" list "$f"; done
kernel() { # FILE OPTION...: what it annotates and runs
	printf '%s\n' 'buffers:' '  - {name: y, type: f32, count: 64, fill: constant, value: 1}' '  - {name: x, type: f32, count: 64, fill: constant, value: 3}' \
	  '  - {name: z, type: f32, count: 64, fill: constant, value: 7}' 'launches:' \
	  '  - {kernel: axpy, grid: [2], block: [32], args: [{buffer: y}, {buffer: x}, {value: 2, type: f32}, {value: 64, type: u32}]}' \
	  'expect:' '  - {buffer: y, other: z, abs: 0}' > "$tmp/axpy.yaml"
	"$A" "$@" --kernel=axpy -q -o "$tmp/axpy.rlo" && "$M" run "$tmp/axpy.rlo" --launch "$tmp/axpy.yaml" | grep -q PASS
}
for f in raw lz4 zstd; do t "run a kernel of $f.fatbin" kernel test/golden/fatbin/$f.fatbin; done
t "run a kernel of a host object" kernel test/golden/fatbin/two.o
t "run a kernel of a fatbin, --sm" kernel test/golden/fatbin/lz4.fatbin --sm=86
t "run a kernel of a fatbin, --module" kernel test/golden/fatbin/lz4.fatbin --module=3
stdin() { "$A" - --kernel=axpy -q -o "$tmp/s.rlo" < test/golden/fatbin/zstd.fatbin && "$A" - --input=fatbin --list < test/golden/fatbin/two.o | grep -q axpy; }
t "a fatbin from standard input" stdin
cxx_name() { exits 0 "$A" test/golden/fatbin/zstd.fatbin --kernel=fill --emit=summary && grep -q "fill<float>" "$tmp/out"; }
t "a kernel by its C++ name" cxx_name
no_ptx() {
	exits 1 "$A" test/golden/fatbin/other.cubin --input=fatbin -o "$tmp/n.rlo" && says "is a cubin, not a fatbin" &&
	exits 1 "$A" test/golden/fatbin/sass.fatbin --code=ptx -o "$tmp/n.rlo" && says "no PTX" && exits 1 "$A" "$B/sm-model" -o "$tmp/n.rlo" && says "without GPU code" && [ ! -e "$tmp/n.rlo" ]
}
t "code that is not asked for and host code alone are refused" no_ptx
cut() { head -c 700 test/golden/fatbin/zstd.fatbin > "$tmp/cut.fatbin"; exits 1 "$A" "$tmp/cut.fatbin" -o "$tmp/n.rlo" && says "cut.fatbin: file+0x8: error: "; }
t "a cut fatbin" cut
empty() { # is no PTX, whatever is asked of it; nor is text without .version
	: > "$tmp/empty.fatbin" && exits 1 "$A" "$tmp/empty.fatbin" --list && says 'empty.fatbin: error: is empty' && exits 1 "$A" - --list < /dev/null && says '<stdin>: error: is empty' &&
	echo text > "$tmp/text.cubin" && exits 1 "$A" "$tmp/text.cubin" --list && says 'is text without .version, so no PTX'
}
t "--list of an empty file, of other text" empty
misfit() { # options that mean nothing for this input
	for o in -O2 --sm=80 --module=1 --code=sass --list --save-ptx="$tmp/p"; do exits 1 "$A" examples/saxpy/saxpy.ptx "$o" -o "$tmp/n.rlo" && says "is PTX text" || return; done
	exits 1 "$A" test/golden/llvm/scale.ll --module 1 -o "$tmp/n.rlo" && exits 1 "$A" examples/saxpy/saxpy.ptx --input=bc -o "$tmp/n.rlo" && says "is not LLVM bitcode" &&
	exits 1 "$A" examples/saxpy/saxpy.ptx --input=fatbin -o "$tmp/n.rlo" && says "neither a fatbin" && exits 2 "$A" x.ll -O4 && exits 2 "$A" x.ll --sm=x &&
	exits 2 "$A" x.ll --input=nonsense && exits 2 "$A" x.ll --module=0 && exits 2 "$A" x.fatbin --code=ll && exits 2 "$A" x.fatbin --code=sass --save-ptx=p && exits 2 "$A" x.fatbin --json && exits 2 "$A" x.fatbin --list --kernel=k && [ ! -e "$tmp/n.rlo" ]
}
t "options that do not fit the input" misfit
finish
