#!/bin/bash
# Every example under values of the values axis, in checked mode: what the register file decompresses is what was executed, wherever and
# however it is stored, what one lane computes for others is theirs, and the results are right. G-Scalar, and one of the others in turn, on two
# machines in turn; every tenth under all of them and their variants. QUICK=1: one value each.
. "$(dirname "$0")/lib.sh"
others=(alu-scalar warped-compression compress g-scalar-nodiv)
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
values() { # EXAMPLE MACHINE RF [OPTION...]: none fails, and each stores some registers in fewer bytes
	local n=$1 machine=$2 rf=$3; shift 3
	[ -e "$tmp/$n.rlo" ] || "$A" "$(input "$n")" -q -o "$tmp/$n.rlo" || return
	exits 0 "$M" compare "$tmp/$n.rlo" --launch "examples/$n/$n.yaml" --checked --machine "$machine" --rf "$rf" "$@" \
		--metrics warp_instructions,stored_bytes,rf_operand_writes,scalar_alu,scalar_sfu,scalar_mem,scalar_half,scalar_divergent --csv "$tmp/$n.csv" &&
	grep -q PASS "$tmp/out" && python3 - "$tmp/$n.csv" <<-'PY'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		assert rows and all(r["failed"] == "0" for r in rows), rows
		assert len({r["warp_instructions"] for r in rows}) == 1, rows
		for r in rows:
		    assert 0 < int(r["stored_bytes"]) < 128 * int(r["rf_operand_writes"]), r
		    how = [int(r["scalar_" + x]) for x in ("alu", "sfu", "mem", "half", "divergent")]
		    rf = r["rf"]
		    assert how[0] > 0 or rf in ("warped-compression", "compress"), r
		    assert not any(how) or rf not in ("warped-compression", "compress"), r
		    assert not any(how[1:]) or rf != "alu-scalar", r
		    assert not any(how[3:]) or rf == "g-scalar", r
	PY
}
variants() { # whole registers, every move, many banks for scalars, registers that warps share
	values "$1" g-scalar alu-scalar,warped-compression,compress,g-scalar-nodiv,g-scalar &&
	values "$1" g-scalar compress,g-scalar-nodiv,g-scalar --set gs_half=0 --set gs_moves=1 &&
	values "$1" g-scalar alu-scalar,warped-compression,g-scalar --set gs_moves=1 &&
	values "$1" g-scalar alu-scalar --set scalar_banks=16 &&
	exits 0 "$M" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" -q --checked --machine g-scalar --rf "g-scalar,residency=regmutex"
}
machines=(gtx480 g-scalar) turn=0
for d in examples/*/; do
	n=$(basename "$d")
	[ "$n" = micro ] && continue                   # test/micro.sh
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	m=${machines[turn % 2]} rf=${others[turn / 2 % 4]},g-scalar
	[ -n "${QUICK:-}" ] && rf=${rf#*,}
	t "example $n on $m: $rf, checked" values "$n" "$m" "$rf"
	[ -z "${QUICK:-}" ] && [ $((turn % 10)) = 5 ] && t "example $n: variants, checked" variants "$n"
	turn=$((turn + 1))
done
finish
