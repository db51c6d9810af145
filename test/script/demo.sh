#!/bin/bash
# `make demo`: the main job, on real kernels, as a user would do it.
set -eu
cd "$(dirname "$0")/../.."
B=$1
say() { printf '\n$ %s\n' "$*"; "$@"; }
say "$B/ptx-annotate" examples/sgemm/sgemm.ptx -o "$B/sgemm.rlo"
say "$B/sm-model" run "$B/sgemm.rlo" --launch examples/sgemm/sgemm.yaml --json "$B/sgemm.json"
printf '\nThe other examples:\n'
for d in examples/*/; do
	[ -e "$d$(basename "$d").yaml" ] || continue    # micro and build-systems are no programs
	n=$(basename "$d")
	for f in "$d$n".{ptx,ll}; do [ ! -e "$f" ] || input=$f; done
	[[ $input != *.ll || -x $B/regloom-llvm ]] || continue         # built without LLVM
	"$B/ptx-annotate" "$input" -q -o "$B/$n.rlo"
	"$B/sm-model" run "$B/$n.rlo" --launch "$d$n.yaml" --json "$B/$n.json" > "$B/$n.txt" || { cat "$B/$n.txt"; exit 1; }
	awk -v n="$n" '/^result/ { r = $2 } $1 == "cycles" { c = $2 } $1 == "warp_instructions" { w = $2 }
	               END { printf "  %-14s %s  %9d cycles  %9d warp instructions\n", n, r, c, w }' "$B/$n.txt"
done
printf '\nMore: %s examples/sgemm/sgemm.ptx --emit=listing -o - | less -S\n' "$B/ptx-annotate"
