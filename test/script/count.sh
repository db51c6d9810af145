#!/bin/bash
# Counters of a run, counted anew from its records by a script that knows nothing of the model.
. "$(dirname "$0")/../lib.sh"
again() { # EXAMPLE: under G-Scalar, values by their reads, computations that repeat
	local run=("$tmp/$1.rlo" --launch "examples/$1/$1.yaml" -q)
	"$A" "examples/$1/$1.ptx" -q -o "$tmp/$1.rlo" &&
	"$M" run "${run[@]}" --machine g-scalar --rf g-scalar --set gs_moves=1 --records "$tmp/$1.records" --json "$tmp/$1.json" &&
	test/script/count.py "$tmp/$1.records" "$tmp/$1.json" && "$M" usage "${run[@]}" --json "$tmp/$1.json" && test/script/count.py "$tmp/$1.records" "$tmp/$1.json" &&
	"$M" run "${run[@]}" --machine wir --explain=reuse --records "$tmp/$1.records" --json "$tmp/$1.json" && test/script/count.py "$tmp/$1.records" "$tmp/$1.json"
}
for e in saxpy blackscholes scan; do
	t "$e" again $e
done
threads() { # the same bytes at any number of threads
	for n in 1 3; do
		"$M" run "$tmp/scan.rlo" --launch examples/scan/scan.yaml -q --records "$tmp/$n.records" --threads $n || return
	done
	cmp "$tmp/1.records" "$tmp/3.records"
}
t "at any number of threads" threads
wrong() { # a value that is not what was read
	sed '0,/ >R1=0,/s// >R1=1,/' "$tmp/saxpy.records" > "$tmp/wrong.records" && ! cmp -s "$tmp/saxpy.records" "$tmp/wrong.records" && ! test/script/count.py "$tmp/wrong.records" "$tmp/saxpy.json"
}
t "a record that is wrong is noticed" wrong
finish
