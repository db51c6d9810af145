#!/bin/bash
# checksums.sh BUILD: a checksum of everything that the commands write for what the repository holds: every view and object of the examples, of the
# CUDA kernels and of the cubins; the JSON of the examples' runs; comparisons of all presets on a few of them.  A change that should change nothing
# is shown by two of these (make checksums > before; ...; make checksums | diff before -).
. "$(dirname "$0")/../lib.sh"
export A M tmp
of_input() { # FILE
	local f=$1 v views='obj ptx listing json dot occupancy summary remarks sarif'
	[[ $f != *.cubin ]] || views='cubin listing json dot occupancy pressure banks summary remarks sarif'
	for v in $views; do "$A" "$f" -q --emit="$v" -o - 2>&1 | sha256sum | sed "s|-\$|$f $v|"; done
	[[ $f != examples/* ]] || "$A" "$f" -q --dump=kills -o - 2>&1 | sha256sum | sed "s|-\$|$f kills|"
}
of_run() { # FOLDER
	local n f
	n=$(basename "$1")
	for f in "$1/$n".{ptx,ll}; do
		[ -e "$f" ] && "$A" "$f" -q -o "$tmp/$n.rlo" 2> "$tmp/$n.err" || continue
		"$M" run "$tmp/$n.rlo" --launch "$1/$n.yaml" --json - 2>&1 | sha256sum | sed "s|-\$|$n run|"
		"$M" run "$tmp/$n.rlo" --launch "$1/$n.yaml" 2>&1 | sha256sum | sed "s|-\$|$n text|"
	done
}
of_comparison() { # EXAMPLE MACHINE
	local o presets
	o=$tmp/$1-$2.rlo
	presets=$("$M" list rf | sed -nE 's/^  ([a-z0-9+-]+) .*/--rf=\1/p')
	"$A" "examples/$1/$1.ptx" -q -o "$o"
	# shellcheck disable=SC2086
	"$M" compare "$o" --launch "examples/$1/$1.yaml" --machine "$2" $presets --json - 2>&1 | sha256sum | sed "s|-\$|$1 $2 compared|"
}
export -f of_input of_run of_comparison
each() { xargs -P "$(nproc)" -L 1 bash -c "$1 \"\$@\"" -; }
{
	printf '%s\n' examples/*/*.ptx examples/*/*.ll test/golden/*/*.ptx test/cuda/ptx/*.O3.sm_80.ptx test/sass/cubin/*.cubin | grep -v '\*' | each of_input
	for d in examples/*/; do [ -e "$d$(basename "$d").yaml" ] && echo "${d%/}"; done | each of_run
	for m in gtx480 corf hierarchical-rf g-scalar wir regmutex; do printf '%s\n' {saxpy,reduction,bitonic,bfs,srad1,kmeans}" $m"; done | each of_comparison
} | sort -k2
