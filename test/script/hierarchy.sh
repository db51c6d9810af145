#!/bin/bash
# Every example under each hierarchy of the register file, in checked mode: what every level delivers is what was executed, and the
# results are right. On two machines in turn; some also with the objects of the limit studies. QUICK=1: two hierarchies alone, every fifth example.
. "$(dirname "$0")/../lib.sh"
# All but the pool, which wants other annotations (limits).
all=$(axis hierarchy baseline,issue=two-level,hierarchy= | grep -v orf-variable | tr '\n' ' ')
[ -n "${QUICK:-}" ] && all="rfc2 split-lrf+orf"
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
levels() { # EXAMPLE MACHINE "RF..." ANNOTATE-OPTION...: none fails, and each level that a hierarchy is known to have delivers
	local n=$1 machine=$2 rf=$3; shift 3
	"$A" "$(input "$n")" -q "$@" -o "$tmp/$n.rlo" || return
	exits 0 "$M" compare "$tmp/$n.rlo" --launch "examples/$n/$n.yaml" --checked --machine "$machine" --rf baseline $(printf -- '--rf %s ' $rf) \
		--metrics rf_l1_reads,rf_l0_reads,rf_dropped_writes --csv "$tmp/$n.csv" &&
	grep -q PASS "$tmp/out" && python3 - "$tmp/$n.csv" <<-'PY'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		assert len(rows) > 1 and all(r["failed"] == "0" for r in rows), rows
		for r in rows[1:]:
		    upper = r["rf"].split("hierarchy=")[-1].split(",")[0]
		    known = {"rfc": "1", "rfc2": "10", "orf": "1", "lrf+orf": "10", "split-lrf+orf": "10", "orf-variable": "1", "all-l0": "0", "all-l1": "1"}
		    for level in "10" if upper in known else "":
		        assert (int(r[f"rf_l{level}_reads"]) > 0) == (level in known[upper]), r
	PY
}
limits() { # a pool for strands; entries that are kept
	levels "$1" hierarchical-rf "orf-variable orf-variable,issue=two-level-rr" --orf-entries=8 --orf-cost-entries=3 || return
	exits 0 "$M" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" -q --checked --rf orf-variable --set orf_pool=5 --set orf_price=10 || return
	"$A" "$(input "$1")" -q --orf-never-flush -o "$tmp/$1.rlo" || return
	for rf in orf split-lrf+orf,issue=gto; do
		exits 0 "$M" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" -q --checked --rf $rf --set rf_flush=0 || return
	done
}
bounds() { # EXAMPLE: what a limit has more of costs nothing, for the blocks as a run counted them, in any organisation
	local a=("$A" "$(input "$1")" -q --profile "$tmp/$1.profile" --emit=json) limit
	"$A" "$(input "$1")" -q -o "$tmp/$1.rlo" && "$M" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" -q --functional --profile "$tmp/$1.profile" > /dev/null &&
		"${a[@]}" -o "$tmp/design.json" || return
	for limit in --orf-never-flush "--orf-entries=8 --orf-cost-entries=3" "--orf-entries=5 --orf-cost-entries=3" "--orf-never-flush --orf-entries=4 --orf-cost-entries=3"; do
		"${a[@]}" $limit -o "$tmp/limit.json" && python3 - "$tmp/design.json" "$tmp/limit.json" <<-'PY' || { echo "$limit is no bound"; return 1; }
			import json, sys
			cost = [{(k["name"], o): k["orf"][o]["access_pj"] + k["orf"][o]["wire_pj"] for k in json.load(open(p))["kernels"] for o in ("orf", "lrf+orf", "split-lrf+orf")} for p in sys.argv[1:]]
			more = {k: (cost[0][k], cost[1][k]) for k in cost[0] if cost[1][k] > cost[0][k] * (1 + 1e-9)}
			assert cost[0] and not more, more
		PY
	done
}
no() { # TEXT COMMAND...: is refused, for that reason
	local why=$1; shift
	exits 1 "$@" && says "$why"
}
refusals() {
	local run="--launch examples/saxpy/saxpy.yaml -q" s=examples/saxpy/saxpy.ptx
	"$A" $s -q --orf-entries=5 -o "$tmp/five.rlo" && "$A" $s -q --orf-never-flush -o "$tmp/keep.rlo" && "$A" $s -q -o "$tmp/saxpy.rlo" || return
	no "the object uses 5 ORF entries a thread, and the machine has 3: annotate the PTX again with --orf-entries=3, or --set rf_l1_entries=5" \
		"$M" run "$tmp/five.rlo" $run --rf orf &&
	no "the object uses 3 ORF entries a thread, and the machine has 6: annotate the PTX again with --orf-entries=6, or --set rf_l1_entries=3" \
		"$M" run "$tmp/saxpy.rlo" $run --rf orf --set rf_l1_entries=6 &&
	exits 0 "$M" run "$tmp/five.rlo" $run --rf orf --set rf_l1_entries=5 --set active_warps=4 && says "by the energy of 5 ORF entries and 8 active warps, and here it is that of 5 and 4: annotate with --orf-entries=5 --orf-warps=4" &&
	exits 0 "$M" run "$tmp/saxpy.rlo" $run --rf orf && ! says "have their places" > /dev/null &&
	exits 0 "$M" run "$tmp/saxpy.rlo" $run --rf orf-variable --set active_warps=12 && says "here it is that of 3 and 12: annotate with --orf-cost-entries=3 --orf-warps=12" &&
	exits 0 "$M" run "$tmp/saxpy.rlo" $run --rf lrf+orf --set rf_cost_entries=2 --set active_warps=12 && says "here it is that of 2 and 12" &&
	exits 0 "$M" compare "$tmp/saxpy.rlo" $run --rf orf,rfc,lrf+orf --set active_warps=4 && says "note: configuration orf: the operands of saxpy have" && says "; so with 1 more" &&
	no "annotate with neither --orf-never-flush nor --orf-past-barriers, or --set rf_flush=0" "$M" run "$tmp/keep.rlo" $run --rf orf &&
	no "annotate with --orf-never-flush" "$M" run "$tmp/saxpy.rlo" $run --rf orf --set rf_flush=0 &&
	no "add issue=two-level" "$M" run "$tmp/saxpy.rlo" $run --rf baseline,hierarchy=split-lrf+orf
}
machines=(gtx480 hierarchical-rf) turn=0
for d in examples/*/; do
	n=$(basename "$d")
	[ -e "$d$n.yaml" ] || continue               # micro and build-systems are no programs
	taken 0 || continue
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	m=${machines[turn % 2]}
	t "example $n on $m: every level, checked" levels "$n" "$m" "$all"
	[ -z "${QUICK:-}" ] && t "example $n: limit studies bound what they are limits of" bounds "$n"
	[ -z "${QUICK:-}" ] && [ $((turn % 10)) = 5 ] && t "example $n: limit studies, checked" limits "$n"
	turn=$((turn + 1))
done
t "what an object or a machine lacks is refused, and what it was not made for is noted" refusals
finish
