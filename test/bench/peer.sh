#!/bin/bash
# peer.sh BUILD: what moves the cycles of the peer kernels, as the ratio to the other simulator's (test/peer/gtx480.txt).
# Each row changes one thing: how the PTX is compiled, or a parameter of the machine. `make bench-peer`.
set -eu
cd "$(dirname "$0")/../.."
B=$1
kernels=(vecadd sgemm_tiled sgemm_naive reduce mandel bfs_simple)
declare -A peer
while read -r k cycles _; do peer[$k]=$cycles; done < <(grep -v '^#' test/peer/gtx480.txt)
test/peer/prepare.sh "$B"
mkdir -p "$B/peer/asis"
for k in "${kernels[@]}"; do
	"$B/ptx-annotate" "$B/peer/$k.ptx" -q -o "$B/peer/$k.rlo"
	"$B/ptx-annotate" "$B/peer/$k.ptx" -q --no-fold --no-schedule -o "$B/peer/asis/$k.rlo"
done
row() {         # row NAME FOLDER [sm-model options]
	local name=$1 dir=$2 k line=""
	shift 2
	for k in "${kernels[@]}"; do
		line+="$k ${peer[$k]} $("$B/sm-model" run "$dir/$k.rlo" --launch "$B/peer/$k.yaml" "$@" | awk '$1 == "cycles" { print $2 }')"$'\n'
	done
	printf '%s' "$line" | awk -v name="$name" '
		{ r = $3 / $2; cells = cells sprintf(" %12.3f", r); e = r - 1; s += e < 0 ? -e : e
		  x = log($2); y = log($3); sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y; n++ }
		END { printf "%-44s%s %7.1f %8.4f\n", name, cells, 100 * s / n,
		      (n * xy - sx * sy) / sqrt((n * xx - sx * sx) * (n * yy - sy * sy)) }'
}
printf '%-44s' "cycles / the other simulator's"
printf ' %12s' "${kernels[@]}"
printf ' %7s %8s\n' 'error %' correl.
row "as compiled" "$B/peer"
row "PTX as it stands (--no-fold --no-schedule)" "$B/peer/asis"
set_row() { row "--set ${*// / --set }" "$B/peer/asis" "${@/#/--set=}"; }
set_row reg_round=52
set_row icnt_mhz=500
set_row reg_round=52 icnt_mhz=500
set_row icnt_latency=4
set_row icnt_latency=16
set_row l1_hash=0
set_row l2_sectors=0
set_row l2_write_fetch=2
set_row l2_preload=0
set_row l2_keep=0
set_row l2_mshrs=4096
set_row l2_merges=255
set_row dram_latency=50
set_row dram_queue=0
set_row dram_rtw=0 dram_cdlr=0
set_row dram_wr=0
set_row dram_groups=16
set_row dram_ras=0 icache_sets=4096 const_sets=4096
set_row l2_sectors=0 l2_write_fetch=3 l2_preload=0 dram_queue=16 l2_mshrs=32
