#!/bin/bash
# Control codes made wrong one by one (controls.py): sm-model run --check-controls finds those that matter, with both instructions, the register and
# what is missing. That it finds nothing where ptxas made them is what native.sh asks of all programs, and test/conform of every row.
. "$(dirname "$0")/../lib.sh"
D=$B/test/cuda_kernels_native
mkdir -p "$D" && "$B/test/cuda_reference" "$D" && cp test/cuda/*.yaml "$D" || { echo "0 passed, 1 failed"; exit 1; }
check_one() { # CUBIN LAUNCH: "NAME caught: REPORT", "NAME passed", or "NAME FAIL"
	local log=$1.log name=${1##*/}
	if "$M" run "$1" --launch "$2" --functional --check-controls --quiet > "$log" 2>&1; then
		echo "$name passed"
	elif grep -qE ': (reads|writes) U?[RP][0-9]+.*`.*` at 0x[0-9a-f]+.*(takes [0-9]+|was not waited for|no barrier of its queue was waited for|too soon|too near)|its LDGDEPBAR.s barrier SB[0-5] was not' "$log"; then
		echo "$name caught: $(grep -o 'at 0x.*' "$log" | head -1)"
	else
		echo "$name FAIL $(head -1 "$log")"
	fi
}
export -f check_one
export M
changed() { # CUBIN LAUNCH: its control codes one by one, into $tmp/list
	rm -rf "$tmp/changed" && mkdir "$tmp/changed"
	python3 test/sass/controls.py "$1" "$tmp/changed"
	find "$tmp/changed" -name '*.cubin' | sort | xargs -P2 -I{} bash -c "check_one '{}' '$2'" > "$tmp/list"
}
count() { grep -c "^$1.* $2" "$tmp/list"; } # KIND WHAT
at_least() { [ "$(count "$1" caught)" -ge "$2" ] || { grep "^$1.*passed" "$tmp/list"; return 1; }; } # KIND NUMBER
none_fails() { ! grep FAIL "$tmp/list"; }
kernel() { # TARGET KIND NAME LAUNCH STALLS WAITS DEPBARS: how many are to be caught
	changed "$tmp/$1/$2/$3.cubin" "$4"
	echo "      $1 $3: caught $(count stall caught) of $(count stall '') stall counts, $(count wait caught) of $(count wait '') waits, $(count depbar caught) of $(count depbar '') DEPBARs"
	t "$1 $3: $5 stall counts lowered by one are caught" at_least stall "$5"
	t "$1 $3: $6 waits left out are caught" at_least wait "$6"
	t "$1 $3: $7 DEPBARs that wait for one less are caught" at_least depbar "$7"
	t "$1 $3: every report names both instructions and what is missing" none_fails
}
# What is not caught is longer than a result needs, or waits for what the order of a queue gives by itself.
for target in 86-3 120a-3; do
	tar -C "$tmp" -xJf test/sass/native/$target.tar.xz "$target/examples" "$target/cuda/cp_async.cubin" || exit 1
	case $target in 86-3) numbers=(4 2 24 13 63 49 55 9 5) ;; *) numbers=(5 6 24 18 60 64 45 20 5) ;; esac
	kernel $target examples saxpy examples/saxpy/saxpy.yaml "${numbers[@]:0:2}" 0
	[ -z "${QUICK:-}" ] || continue
	kernel $target examples reduction examples/reduction/reduction.yaml "${numbers[@]:2:2}" 0
	kernel $target examples scan examples/scan/scan.yaml "${numbers[@]:4:2}" 0
	kernel $target cuda cp_async "$D/cp_async.yaml" "${numbers[@]:6:3}"
done
# Of an object they are found when it is read.
t "an object has control codes" bash -c "'$A' examples/saxpy/saxpy.ptx -q -o '$tmp/saxpy.rlo' && '$M' run '$tmp/saxpy.rlo' --launch examples/saxpy/saxpy.yaml --functional --check-controls > '$tmp/out' 2>&1"
timed() { "$M" run "$tmp/86-3/examples/saxpy.cubin" --launch examples/saxpy/saxpy.yaml --check-controls --quiet && "$M" compare "$tmp/86-3/examples/saxpy.cubin" --launch examples/saxpy/saxpy.yaml --rf baseline --rf rfv --check-controls --quiet; }
t "timed runs and comparisons take it" timed
finish
