#!/bin/bash
# `make bench`: speed (bench.c), execution alone on threads (functional.c), several cores and configurations (together.c), how annotating scales (scale.c), CUDA programs beside plain C++ (programs.sh), then cycles of the peer kernels beside the other
# simulator's. Figures of one run compare as ratios; machines are noisy. BEFORE=BUILD: first, the speed of another build (its
# folder) beside this one's, each the best of turns that alternate.
set -eu
cd "$(dirname "$0")/../.."
B=$1
if [ -n "${BEFORE:-}" ]; then
	[ -x "$BEFORE/test/bench/bench" ] || { echo "BEFORE=$BEFORE: there is no test/bench/bench; in its tree: make bench, or make $(basename "$BEFORE")/test/bench/bench"; exit 1; }
	for _ in 1 2 3; do
		"$BEFORE/test/bench/bench" examples "$BEFORE/reference" | sed 's/^/old /'
		"$B/test/bench/bench" examples "$B/reference" | sed 's/^/new /'
	done | awk '
		$2 == "annotate" { v[$1, $2, 1] = $5 > v[$1, $2, 1] ? $5 : v[$1, $2, 1]; next }
		$3 ~ /^[0-9]+$/ && NF > 9 {
			if (!($2 in seen)) { seen[$2] = 1; name[n++] = $2 }
			for (c = 1; c <= 3; c++) v[$1, $2, c] = $(3 + c) > v[$1, $2, c] ? $(3 + c) : v[$1, $2, c]
		}
		function pair(k, c) { return sprintf("%9.2f %8.2f %6.2f", v["old", k, c], v["new", k, c], v["new", k, c] / v["old", k, c]) }
		END {
			print "million warp instructions/s: before, now, ratio"
			printf "%-10s %25s %25s %25s\n", "kernel", "engine", "records", "model, 1 core"
			for (i = 0; i < n; i++) printf "%-10s %s %s %s\n", name[i], pair(name[i], 1), pair(name[i], 2), pair(name[i], 3)
			printf "annotate: %d instructions/s before, %d now, %.2f\n\n", v["old", "annotate", 1], v["new", "annotate", 1],
				v["new", "annotate", 1] / v["old", "annotate", 1]
		}'
fi
"$B/test/bench/bench" examples "$B/reference"
echo
mkdir -p "$B/bench" && tar -C "$B/bench" -xJf test/sass/native/86-3.tar.xz 86-3/examples
"$B/test/bench/functional" examples "$B/reference" "$B/bench/86-3/examples"
echo
"$B/test/bench/together" examples
echo
"$B/test/bench/scale" "$B/ptx-annotate" "$B"
echo
test/bench/programs.sh "$B"
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
