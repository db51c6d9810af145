#!/bin/bash
# CUDA kernels as nvcc compiled them (test/cuda/README.md): each variant of each is parsed, lowered and allocated with every
# check on, executed, and compared with what test/cuda/reference computed; -O3 for sm_80 also on the timing model.
# KERNELS="a b": only those. QUICK=1: every second file, none timed.
. "$(dirname "$0")/../lib.sh"
D=$B/test/cuda_kernels
rm -rf "$D" && mkdir -p "$D" && "$B/test/cuda_reference" "$D" && cp test/cuda/*.yaml "$D" || { echo "0 passed, 1 failed"; exit 1; }

# one FILE.ptx: "ok NAME", or "FAIL NAME" with what went wrong after it.
one() {
	local n=${1##*/} k
	n=${n%.ptx} k=${n%%.*}
	if {
		"$B/ptx-annotate" "$1" --verify-passes -q -o "$D/$n.rlo" &&
		"$B/sm-model" run "$D/$n.rlo" --launch "$D/$k.yaml" --functional --checked > "$D/$n.txt" && grep -q PASS "$D/$n.txt" &&
		{ [[ $n != *.O3.sm_80 || -n $QUICK ]] || { "$B/sm-model" run "$D/$n.rlo" --launch "$D/$k.yaml" > "$D/$n.time" && grep -q PASS "$D/$n.time"; }; }
	} 2> "$D/$n.err"; then
		echo "ok    cuda $n"
	else
		{ echo "FAIL  cuda $n"; head -4 "$D/$n.err"; grep -A7 FAIL "$D/$n.txt" "$D/$n.time" 2>/dev/null; } | sed '2,$s/^/      /'
	fi
	rm -f "$D/$n.rlo"
}
export -f one
export B D QUICK=${QUICK:-}
files=()
for k in ${KERNELS:-$(cd test/cuda && echo *.cu)}; do files+=(test/cuda/ptx/"${k%.cu}".*.ptx); done
half=()
if [ -n "$QUICK" ]; then
	for ((i = 1; i < ${#files[@]}; i += 2)); do half+=("${files[i]}"); done
	files=("${half[@]}")
fi
printf '%s\n' "${files[@]}" | xargs -P2 -I{} bash -c 'one {} > "$D/$(basename {}).line"'
cat "$D"/*.line
passed=$(cat "$D"/*.line | grep -c '^ok')
failed=$(( ${#files[@]} - passed ))
finish
