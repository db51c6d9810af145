#!/bin/bash
# Every example under each way to pack registers, with and without releases, in checked mode: what the register file delivers is what
# was executed, and the results are right. On the default machine and on CORF's in turn; QUICK=1: without releases, every fifth example.
. "$(dirname "$0")/../lib.sh"
residency=static,rfv
packings=$(axis packing baseline,packing= | tr '\n' ' ')
[ -n "${QUICK:-}" ] && residency=static
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
packed() { # EXAMPLE MACHINE: none fails, and each packs and renames
	"$A" "$(input "$1")" -q -o "$tmp/$1.rlo" &&
	exits 0 "$M" compare "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --checked --machine "$2" $(printf -- '--rf %s ' $packings) \
		--sweep "residency=$residency" --metrics packed_writes,rename_lookups --csv "$tmp/$1.csv" &&
	grep -q PASS "$tmp/out" && python3 - "$tmp/$1.csv" "$residency" "$packings" <<-'PY'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		assert len(rows) == len(sys.argv[2].split(",")) * len(sys.argv[3].split()) > 0, rows
		for r in rows:
		    assert r["failed"] == "0" and int(r["packed_writes"]) and int(r["rename_lookups"]), r
	PY
}
machines=(gtx480 corf) turn=0
for d in examples/*/; do
	n=$(basename "$d")
	[ -e "$d$n.yaml" ] || continue               # micro and build-systems are no programs
	taken 1 || continue
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	m=${machines[turn++ % 2]}
	t "example $n on $m: packed, checked" packed "$n" "$m"
done
finish
