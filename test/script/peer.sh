#!/bin/bash
# The peer kernels: six kernels as nvcc compiled them, run with the launches that the GTX 480 simulator was given
# (docs/PERFORMANCE.md has its cycles beside ours). Results are checked against a plain C computation.
. "$(dirname "$0")/../lib.sh"
test/peer/prepare.sh "$B" || { echo "0 passed, 1 failed"; exit 1; }
run() {
	"$B/ptx-annotate" "$B/peer/$1.ptx" -o "$B/peer/$1.rlo" &&
	"$B/sm-model" run "$B/peer/$1.rlo" --launch "$B/peer/$1.yaml" --json "$B/peer/$1.json" ${QUICK:+--functional} | tee "$B/peer/$1.txt" &&
	grep -q PASS "$B/peer/$1.txt"
}
for k in vecadd sgemm_tiled sgemm_naive reduce mandel bfs_simple; do
	t "peer $k" run "$k"
done
finish
