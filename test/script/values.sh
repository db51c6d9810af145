#!/bin/bash
# Every example under one value of the values axis, in checked mode: what the register file decompresses is what was executed, wherever and
# however it is stored, what one lane computes for others is theirs, and the results are right. The values take turns, as do two machines; two
# examples run under all values and their variants. QUICK=1: without those two.
. "$(dirname "$0")/../lib.sh"
all=($(axis values))
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
values() { # EXAMPLE MACHINE VALUES [OPTION...]: none fails, and each that is known does what it is for
	local n=$1 machine=$2 rf; local -a rfs; IFS=, read -ra rfs <<< "$3"; shift 3
	[ -e "$tmp/$n.rlo" ] || "$A" "$(input "$n")" -q -o "$tmp/$n.rlo" || return
	for rf in "${rfs[@]}"; do
		exits 0 "$M" run "$tmp/$n.rlo" --launch "examples/$n/$n.yaml" -q --checked --machine "$machine" --rf "baseline,values=$rf" "$@" --json "$tmp/$n.json" || return
		python3 - "$tmp/$n.json" "$rf" <<-'PY' || return
			import json, sys
			run, rf = json.load(open(sys.argv[1])), sys.argv[2]
			m = {k: x["value"] for k, x in run["metrics"].items()}
			how = [m["scalar_" + x] for x in ("alu", "sfu", "mem", "half", "divergent")]
			assert run["check"] == "pass", run["check"]
			known = "alu-scalar bdi compress g-scalar-nodiv g-scalar static-scalar".split()
			if rf not in known:
			    sys.exit()
			assert rf == "static-scalar" or 0 < m["stored_bytes"] < 128 * m["rf_operand_writes"], m
			assert how[0] > 0 or rf in ("bdi", "compress"), how
			assert not any(how) or rf not in ("bdi", "compress"), how
			assert not any(how[1:]) or rf != "alu-scalar", how
			assert not any(how[3:]) or rf in ("g-scalar", "static-scalar"), how
		PY
	done
}
variants() { # whole registers, every move, many banks for scalars, registers that warps share
	values "$1" g-scalar "$(IFS=,; echo "${all[*]}")" &&
	values "$1" g-scalar compress,g-scalar-nodiv,g-scalar --set gs_half=0 --set gs_moves=1 &&
	values "$1" g-scalar alu-scalar,static-scalar,bdi,g-scalar --set gs_moves=1 &&
	values "$1" g-scalar alu-scalar,static-scalar --set scalar_banks=16 &&
	exits 0 "$M" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" -q --checked --machine g-scalar --rf "g-scalar,residency=regmutex"
}
machines=(gtx480 g-scalar) turn=0
for d in examples/*/; do
	n=$(basename "$d")
	[ -e "$d$n.yaml" ] || continue               # micro and build-systems are no programs
	taken 2 || continue
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	m=${machines[turn % 2]} rf=${all[turn % ${#all[@]}]}
	t "example $n on $m: $rf, checked" values "$n" "$m" "$rf"
	[ -z "${QUICK:-}" ] && [ $((turn % 29)) = 8 ] && t "example $n: variants, checked" variants "$n"
	turn=$((turn + 1))
done
finish
