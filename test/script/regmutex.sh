#!/bin/bash
# RegMutex on real kernels: for every example of which a kernel has a variant, in both ways of placement and of liveness, the variant leaves
# the memory of the plain kernel, byte for byte, in checked mode, where what is released is overwritten and out of reach; timed, the file
# delivers what was executed under every residency in which warps share registers. Some kernels with every size of the extended set: legal ones
# run, others are refused with a reason. And the report of a deadlock. FULL=1: every size of every kernel of the examples; QUICK=1: fewer.
. "$(dirname "$0")/../lib.sh"
# All but rfv, which shares nothing; owf with the scheduler that it is made for.
residencies=$(axis residency baseline,residency= | sed '/=rfv$/d; s/.*=owf$/owf/' | tr '\n' ' ')
[ -n "${QUICK:-}" ] && residencies="regmutex owf"      # with one that runs plain kernels
small="kmeans kmeans_assign scan scan_strips"
[ -z "${QUICK:-}" ] && small="$small lud lud_diagonal nw nw_trace sha256 sha256 octree octree_render"
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
executes() { # EXAMPLE OBJECT PREFIX OPTION...: in checked mode; its buffers go to PREFIX.NAME
	local n=$1 o=$2 p=$3 b dump=(); shift 3
	for b in $(sed -nE '/^buffers:/,/^[a-z]/s/^ *- *\{name: *([A-Za-z0-9_]+).*/\1/p' "examples/$n/$n.yaml"); do dump+=(--dump "$b=$p.$b"); done
	[ ${#dump[@]} -gt 0 ] && "$M" run "$o" --launch "examples/$n/$n.yaml" -q --functional --checked "$@" "${dump[@]}"
}
plain() { # EXAMPLE: what its kernels leave
	[ -n "$(ls "$tmp/$1.plain".* 2>/dev/null)" ] && return
	"$A" "$(input "$1")" -q --regmutex=off -o "$tmp/off.rlo" && executes "$1" "$tmp/off.rlo" "$tmp/$1.plain"
}
same_memory() { # EXAMPLE OBJECT: the variants leave what the plain kernels leave
	local f
	plain "$1" && executes "$1" "$2" "$tmp/$1.variant" --variant || return
	for f in "$tmp/$1.plain".*; do cmp "$f" "${f/.plain./.variant.}" || return; done
}
ways() {
	local p l
	for p in cost paper; do for l in warp paper; do
		"$A" "$(input "$1")" -q --verify-passes --regmutex=paper --regmutex-place=$p --regmutex-liveness=$l -o "$tmp/$1.rlo" && same_memory "$1" "$tmp/$1.rlo" || { echo "$p placement, $l liveness"; return 1; }
		[ -z "${QUICK:-}" ] || return 0
	done; done
}
timed() {
	"$A" "$(input "$1")" -q --regmutex=paper -o "$tmp/$1.rlo" && exits 0 "$M" compare "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --checked $(printf -- '--rf %s ' $residencies) --csv "$tmp/$1.csv" &&
	grep -q 'PASS  variants of .* leave the same memory' "$tmp/out" && ! grep -qw FAIL "$tmp/out" && python3 - "$tmp/$1.csv" "$residencies" <<-'PY'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		assert [r["rf"] for r in rows] and len(rows) == len(sys.argv[2].split()) and all(r["failed"] == "0" for r in rows), rows
	PY
}
sizes() { # EXAMPLE KERNEL WAY...: every extended set from 1 register on; $tmp/all sums up
	local n=$1 k=$2 size legal=0 refused=0 way; shift 2
	for ((size = 1; ; size++)); do
		way=$(echo "$@" | cut -d' ' -f$((size % $# + 1)))
		if "$A" "$(input "$n")" -q --verify-passes --regmutex=$size --regmutex-kernel="$k" --regmutex-place="$way" -o "$tmp/size.rlo" 2> "$tmp/err"; then
			same_memory "$n" "$tmp/size.rlo" || { echo "$k with $size registers shared, $way placement"; return 1; }
			legal=$((legal + 1))
		elif grep -q 'is not legal: the kernel has .* registers a thread in all' "$tmp/err"; then
			break
		elif [ "$(grep -c 'error: ' "$tmp/err")" = 1 ] && grep -qE "is not legal: an extended set of $size registers leaves [0-9]+ of [0-9]+ in the base set(, but|, and|:) " "$tmp/err"; then
			refused=$((refused + 1))
		else
			cat "$tmp/err"; return 1
		fi
	done
	echo "$k: $legal sizes run, $refused are refused" >> "$tmp/all"
	[ $((legal + refused)) = $((size - 1)) ] && [ "$size" -gt 1 ]
}
kernels() { "$A" "$(input "$1")" -q --emit=json -o - | python3 -c 'import json, sys; [print(k["name"]) for k in json.load(sys.stdin)["kernels"]]'; }

: > "$tmp/all"
if [ -n "${FULL:-}" ]; then
	for d in examples/*/; do
		n=$(basename "$d")
		[ -e "$d$n.yaml" ] || continue       # micro and build-systems are no programs
		[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && continue
		for k in $(kernels "$n"); do t "$n: every size of $k" sizes "$n" "$k" cost paper; done
		rm -f "$tmp/$n".*
	done
	cat "$tmp/all"; finish; exit
fi

count=0
for d in examples/*/; do
	n=$(basename "$d")
	[ -e "$d$n.yaml" ] || continue               # micro and build-systems are no programs
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	"$A" "$(input "$n")" -q --regmutex=paper --emit=summary -o - | grep -q '^  shared in turn [0-9]' || continue
	count=$((count + 1))
	taken 0 || continue
	t "example $n: both placements and livenesses" ways "$n"
	t "example $n: timed, checked" timed "$n"
done
t "eight examples or more have variants" [ "$count" -ge 8 ]
set -- $small
while [ $# -gt 0 ]; do
	t "example $1: every size of $2" sizes "$1" "$2" cost paper
	shift 2
done
t "sizes that run and sizes that are refused" awk '{ run += $2; refused += $5 } END { exit !(run > 20 && refused > 5) }' "$tmp/all"

# Values live over a barrier, more than the base set has: a warp that holds its section there waits for one that waits for it.
pressure() {
	printf '.version 7.0\n.target sm_50\n.address_size 64\n.visible .entry pressure(.param .u64 x)\n.reqntid 64\n{\n.reg .b32 %%r<37>;\n.reg .b64 %%d<4>;\n'
	printf 'ld.param.u64 %%d0, [x];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%d1, %%r0, 4;\nadd.s64 %%d2, %%d0, %%d1;\n'
	for i in {1..24}; do printf 'ld.global.u32 %%r%d, [%%d2+%d];\n' "$i" $((256 * i)); done
	printf 'bar.sync 0;\n'
	for i in {25..36}; do printf 'ld.global.u32 %%r%d, [%%d2+%d];\n' "$i" $((256 * i)); done
	for i in {36..1}; do printf 'mad.lo.u32 %%r0, %%r0, 3, %%r%d;\n' "$i"; done
	printf 'st.global.u32 [%%d2], %%r0;\nret;\n}\n'
}
deadlock() {
	local set="--set rf_registers=3072" run
	pressure > "$tmp/pressure.ptx"
	printf 'buffers:\n  - {name: x, type: u32, count: 4096, fill: ramp}\nlaunches:\n  - {kernel: pressure, grid: [1], block: [64], args: [{buffer: x}]}\n' > "$tmp/pressure.yaml"
	run="--launch $tmp/pressure.yaml -q --rf regmutex $set"
	exits 1 "$A" "$tmp/pressure.ptx" -q $set --regmutex=16 -o "$tmp/pressure.rlo" && says "are alive at bar.sync 0, 0" && says "might wait for its extended set" &&
	exits 0 "$A" "$tmp/pressure.ptx" -q $set --regmutex=16 --regmutex-rules=off -o "$tmp/pressure.rlo" &&
	exits 1 "$M" run "$tmp/pressure.rlo" $run && sed "s,$tmp/,,g" "$tmp/err" > "$tmp/report" && same test/golden/refused/deadlock.err "$tmp/report" &&
	exits 0 "$A" "$tmp/pressure.ptx" -q $set --regmutex=8 -o "$tmp/pressure.rlo" && exits 0 "$M" run "$tmp/pressure.rlo" $run --checked
}
t "a deadlock is reported, and the rules rule it out" deadlock
finish
