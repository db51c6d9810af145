#!/bin/bash
# `make bench`: speed (bench.c), how annotating scales (scale.c), then cycles of the peer kernels beside the other
# simulator's. Figures of one run compare as ratios; machines are noisy.
set -eu
cd "$(dirname "$0")/../.."
B=$1
"$B/test/bench/bench" examples "$B/reference"
echo
"$B/test/bench/scale" "$B/ptx-annotate" "$B"
printf '\npeer kernel    cycles      peer  ratio   warp instructions      peer\n'
test/peer/prepare.sh "$B"
grep -v '^#' test/peer/gtx480.txt | while read -r k cycles insns; do
	"$B/ptx-annotate" "$B/peer/$k.ptx" -q -o "$B/peer/$k.rlo"
	"$B/sm-model" run "$B/peer/$k.rlo" --launch "$B/peer/$k.yaml" |
	awk -v k="$k" -v pc="$cycles" -v pi="$insns" '
		$1 == "cycles" { c = $2 } $1 == "warp_instructions" { i = $2 }
		END { printf "%-12s %8d  %8d  %5.2f   %17d  %8d\n", k, c, pc, c / pc, i, pi }'
done | tee "$B/peer/table.txt"
awk '{ e = $4 - 1; s += e < 0 ? -e : e; x = log($2); y = log($3); sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y; n++ }
     END { printf "mean absolute error %.1f %%, correlation of log cycles %.4f\n", 100 * s / n,
           (n * xy - sx * sy) / sqrt((n * xx - sx * sx) * (n * yy - sy * sy)) }' "$B/peer/table.txt"
