#!/bin/bash
# Register banks of machine code: the view, JSON, limits and remarks. BLESS=1 rewrites the golden text.
. "$(dirname "$0")/../lib.sh"
C=test/sass/cubin

view() { # in a matrix product every FFMA of three registers takes two cycles of two banks: no other numbers make less of it
	"$A" $C/sgemm.sm_86.cubin --emit=banks > "$tmp/view" && same test/golden/banks/sgemm.sm_86.txt "$tmp/view"
}
t "view of a matrix product" view
advice() {
	"$A" $C/integer.sm_75.cubin --emit=banks > "$tmp/view" && grep -qE '\|.* LOP3\.LUT .*// R[0-9]+\.reuse at 0x[0-9a-f]+$' "$tmp/view" && grep -qE '// exchange a/[bc]$' "$tmp/view"
}
t "what would make less of a conflict" advice
json() { # totals are sums over instructions, once and by the executions of their block; each flag is used or useless
	"$A" $C/lavamd.sm_120a.cubin --emit=json > "$tmp/k.json" && python3 - "$tmp/k.json" <<-'P'
		import json, sys
		for k in json.load(open(sys.argv[1]))["kernels"]:
		    runs = {b["index"]: b["executions"] for b in k["blocks"]}
		    of = [(i["banks"], runs[i["block"]]) for i in k["instructions"]]
		    value = {"insns": lambda u: 1, "read": lambda u: u["even"] + u["odd"], "conflicts": lambda u: u["conflict"], "conflicted": lambda u: u["conflict"] > 0,
		             "delay": lambda u: u["put_back"], "bound": lambda u: u["bound"], **{n: lambda u, n=n: len(u[n]) for n in ("hits", "flags", "useless", "missed")}}
		    for name, get in value.items():
		        assert k["banks"]["code"][name] == sum(get(u) for u, _ in of), name
		        assert k["banks"]["run"][name] == sum(n * get(u) for u, n in of), name
		    assert k["banks"]["weighted"] and k["banks"]["code"]["conflicts"] and k["banks"]["code"]["hits"]
	P
}
t "totals are sums" json
gate() {
	exits 1 "$A" --check max-bank-conflicts=127,max-reuse-missed=0 $C/sgemm.sm_86.cubin && grep -q 'max-bank-conflicts.*128' "$tmp/out" && grep -q 'no register numbers leave less than 128' "$tmp/out" &&
	exits 0 "$A" --check max-bank-conflicts=128,max-reuse-missed=0 $C/sgemm.sm_86.cubin && exits 0 "$A" --check max-reuse-missed=3 $C/integer.sm_75.cubin && exits 1 "$A" --check max-reuse-missed=2 $C/integer.sm_75.cubin &&
	exits 0 "$A" --check max-bank-conflicts=0 examples/saxpy/saxpy.ptx      # what is compiled here has none
}
t "limits" gate
remark() {
	"$A" $C/lavamd.sm_120a.cubin --emit=remarks > "$tmp/r" && [ "$(grep -c "^Name: *'BankConflict'" "$tmp/r")" = 5 ] && grep -q 'from the even bank' "$tmp/r" && grep -q 'less with other register numbers' "$tmp/r"
}
t "remarks of conflicts in loops" remark
loops() { # a line for each loop, and what is in none: together all
	"$A" $C/lavamd.sm_90a.cubin --emit=banks > "$tmp/view" && python3 - "$tmp/view" <<'P'
import re, sys
text = open(sys.argv[1]).read()
assert "register banks, not those of shared memory" in text.split("\n")[0]
total = {n: tuple(map(int, re.search(rf"^  {re.escape(n)} +(\d+) +(\d+)", text, re.M).groups())) for n in ("instructions", "conflicts [cycles]", "operands from the reuse cache", "  missed")}
rows = [tuple(map(int, m.groups()[:5])) + (m[6],) for m in re.finditer(r"^ +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)  (\.L_x_\d+, depth [123], lavamd\.cl:\d+, 8 iterations \(assumed\)|outside of loops)$", text, re.M)]
assert [r[5].split(",")[0] for r in rows] == [".L_x_3", ".L_x_1", ".L_x_2", "outside of loops"], rows
assert sum(r[0] for r in rows) == total["conflicts [cycles]"][0] and sum(r[1] for r in rows) == total["conflicts [cycles]"][1] > rows[0][1] > 1000, (rows, total)
assert sum(r[2] for r in rows) == total["instructions"][0] and sum(r[3] for r in rows) == total["operands from the reuse cache"][0] and sum(r[4] for r in rows) == total["  missed"][0]
P
}
t "banks by loop" loops
refused() {
	exits 1 "$A" examples/saxpy/saxpy.ptx --emit=banks -o "$tmp/none" && says 'saxpy.ptx: error: is no machine code' && [ ! -e "$tmp/none" ]
}
t "PTX has no such banks" refused
finish
