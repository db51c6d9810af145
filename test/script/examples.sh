#!/bin/bash
# Every example: its reference makes the committed expectation again, byte for byte; it annotates, runs, and passes. QUICK=1: every fourth.
. "$(dirname "$0")/../lib.sh"
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
reference() {
	mkdir -p "$tmp/$1" && "$B/reference/$1" "$tmp/$1" || return 1
	[ -n "$(ls "$tmp/$1")" ] || return 1
	for f in "$tmp/$1"/*; do cmp "$f" "examples/$1/${f##*/}" || return 1; done
}
run() {
	"$B/ptx-annotate" "$(input "$1")" -o "$tmp/$1.rlo" &&
	"$B/sm-model" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --json "$tmp/$1.json" | tee "$tmp/$1.txt" &&
	grep -q PASS "$tmp/$1.txt" && grep -q '"check": *"pass"' "$tmp/$1.json"
}
again() { # the same run once more: the same bytes
	"$B/ptx-annotate" "$(input "$1")" -q -o "$tmp/$1.2.rlo" && cmp "$tmp/$1.rlo" "$tmp/$1.2.rlo" &&
	"$B/sm-model" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --json "$tmp/$1.2.json" >/dev/null &&
	cmp "$tmp/$1.json" "$tmp/$1.2.json"
}
fewer() { # 16 registers: spills, the same results; dead registers overwritten, control codes proven
	"$B/ptx-annotate" "$(input "$1")" -q --maxreg=16 -o "$tmp/$1.16.rlo" &&
	"$B/sm-model" run "$tmp/$1.16.rlo" --launch "examples/$1/$1.yaml" --functional --checked --check-controls &&
	"$B/sm-model" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --functional --checked --check-controls
}
turn=0
for d in examples/*/; do
	[ -e "$d$(basename "$d").yaml" ] || continue    # micro and build-systems are no programs
	n=$(basename "$d")
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	[ -z "${QUICK:-}" ] || [ $((turn++ % 4)) = 0 ] || continue
	t "example $n: reference" reference "$n"
	t "example $n: runs and passes" run "$n"
	[ -n "${QUICK:-}" ] || t "example $n: same bytes again" again "$n"
	t "example $n: at 16 registers, poisoned, control codes" fewer "$n"
	for v in listing json dot ptx summary; do
		t "example $n: --emit=$v" bash -c "'$B/ptx-annotate' '$(input "$n")' -q --emit=$v -o '$tmp/$n.$v' && [ -s '$tmp/$n.$v' ]"
	done
	t "example $n: readelf has no complaint" bash -c "readelf -a -W '$tmp/$n.rlo' 2>&1 >/dev/null | (! grep .)"
done
finish
