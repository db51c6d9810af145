#!/bin/bash
# ptx-annotate --check and --diff, remarks and SARIF: what they say and exit with, against --emit=json and against each other.
# BLESS=1 rewrites the golden texts in test/golden/gate.
. "$(dirname "$0")/../lib.sh"
G=test/golden/gate sgemm=examples/sgemm/sgemm.ptx lud=examples/lud/lud.ptx

# ---- --check ----
holds() {
	exits 0 "$A" --check max-live=17,max-spill=0,min-occupancy=50 $sgemm --block 16,16 && [ ! -s "$tmp/err" ] && same $G/holds.txt "$tmp/out" &&
	exits 0 "$A" --check=max-live=17 --check max-spill=0 $sgemm -q && [ ! -s "$tmp/out" ]
}
t "limits that hold" holds
breaks() {
	exits 1 "$A" --check max-live=16,max-registers=16,max-spill=0,max-shared=1024,min-occupancy=80,min-pairs=50,max-code=100 $sgemm --block 16,16 --set rf_registers=16384 &&
	[ ! -s "$tmp/err" ] && same $G/breaks.txt "$tmp/out" || return
	exits 1 "$A" --check max-spill=0,max-local=4 $sgemm --maxreg=12 && same $G/spills.txt "$tmp/out" &&
	exits 1 "$A" --check max-live=20,lud_rest:max-live=8,lud_edges:max-live=30 $lud && same $G/kernels.txt "$tmp/out"
}
t "limits that are broken, where, and what would help" breaks
most_spilled() { # of 81 values the one that takes most loads and stores, at its first; by the JSON of the same kernel
	local ptx=docs/tutorial/spread.ptx
	exits 1 "$A" --check max-spill=0 $ptx --json && cp "$tmp/out" "$tmp/c.json" && "$A" $ptx --emit=json > "$tmp/k.json" && python3 - "$tmp" <<'P'
import json, sys
from collections import defaultdict
d = sys.argv[1]
k, = json.load(open(d + "/k.json"))["kernels"]
times, where = defaultdict(int), {}
for s in k["spills"]:
    value = f"{s['register']} at local+{s['local_offset']} "
    times[value] += next(b["executions"] for b in k["blocks"] if 0 <= s["instruction"] - b["first"] < b["instructions"])
    where[value] = min(where.get(value, s["instruction"]), s["instruction"])
first = min(times, key=lambda v: (-times[v], where[v]))
l, = json.load(open(d + "/c.json"))["kernels"][0]["limits"]
assert first in l["help"] + " " and l["where"]["line"] == k["instructions"][where[first]]["source"]["line"] == 12, (first, l)
P
}
t "the value that is spilled worst" most_spilled
# Every figure of every kernel keeps a limit of just its value, and breaks the next one.
bounds() {
	"$A" --diff "$1" "$1" --json --block 64 > "$tmp/d.json" && python3 - "$A" "$1" "$tmp/d.json" <<'P'
import json, math, subprocess, sys
annotate, ptx = sys.argv[1:3]
for k in json.load(open(sys.argv[3]))["kernels"][:2]:
    exact, beyond = [], []
    for f in k["figures"]:
        if f["new"] is None:
            continue
        less = f["better"] == "less"
        name = f"{k['name']}:{'max' if less else 'min'}-{f['name']}"
        exact.append(f"{name}={f['new'] if f['unit'] == '%' else int(f['new'])}")
        worse = (f["new"] - 1) if less else (math.floor(f["new"]) + 1)
        if worse >= 0 and not (f["unit"] == "%" and worse > 100):
            beyond.append(f"{name}={worse:.0f}")
    run = lambda limits: subprocess.run([annotate, "--check", ",".join(limits), ptx, "--kernel", k["name"], "--block", "64", "--json"], capture_output=True, text=True)
    r = run(exact)
    assert r.returncode == 0, (r.stdout, r.stderr)
    r = run(beyond)
    assert r.returncode == 1 and not r.stderr, r.stderr
    limits = json.loads(r.stdout)["kernels"][0]["limits"]
    assert len(limits) == len(beyond) and not any(l["holds"] for l in limits), limits
P
}
for e in sgemm bfs histogram lavamd; do ! taken 0 || t "limits at their bounds: $e" bounds "examples/$e/$e.ptx"; done
check_json() {
	exits 1 "$A" --check max-live=10,min-aligned=1 $sgemm $lud --json && cp "$tmp/out" "$tmp/c.json" && test/tool/schema.py "$tmp/c.json" docs/check.schema.json &&
	"$A" $lud --emit=json > "$tmp/lud.json" && python3 - "$tmp" <<'P'
import json, sys
d = sys.argv[1]
c = json.load(open(d + "/c.json"))
assert not c["holds"] and c["broken"] == sum(not l["holds"] for k in c["kernels"] for l in k["limits"]) > 1
assert [k["name"] for k in c["kernels"]][1:] == [k["name"] for k in json.load(open(d + "/lud.json"))["kernels"]]
for k in c["kernels"]:
    for l in k["limits"]:
        assert l["holds"] == (l["value"] <= l["bound"] if l["limit"][:3] == "max" else l["value"] >= l["bound"]) and ("where" in l) == (not l["holds"])
P
}
t "limits as JSON" check_json
wrong_checks() {
	local w
	for w in 'max-liv=4|did you mean max-live' 'min-live=4|of live less is better, max-live' 'max-live|is no limit' 'max-live=|is no limit' 'max-live=x|is not a number of registers' \
	         'max-live=-1|is not a number' 'min-occupancy=101|0 to 100' 'max-live=4,max-live=5|is given twice' 'k:max-live=4,k:max-live=5|is given twice' \
	         '|an empty limit' 'max-live=4,|an empty limit' ',max-live=4|an empty limit' ':max-live=4|names no kernel' 'max-live=1e3|is not a number' 'max-live=nan|is not a number'; do
		exits 2 "$A" --check "${w%|*}" $sgemm && says "${w##*|}" && [ ! -s "$tmp/out" ] || return
	done
	exits 2 "$A" --check max-live=4 && says 'which file?' && exits 2 "$A" --check $sgemm && says "--check max-live=64 $sgemm" && exits 2 "$A" --check max-live=40 $sgemm -o "$tmp/no.json" && says '--emit=json' && exits 2 "$A" --check max-live=4 $sgemm --list && exits 2 "$A" --check max-live=4 $sgemm --emit=json &&
	exits 2 "$A" --check max-live=40 $sgemm $lud -o "$tmp/no.rlo" && exits 2 "$A" $sgemm $lud && says 'one input at a time' && exits 2 "$A" $sgemm --json &&
	exits 2 "$A" --check max-live=40 - - && exits 2 "$A" --check max-live=4 $sgemm --emit=sarif --json && [ ! -e "$tmp/no.rlo" ] || return
	exits 1 "$A" --check min-occupancy=50 $sgemm && says 'error: kernel sgemm: min-occupancy=50 needs the block size' && [ ! -s "$tmp/out" ] &&
	exits 1 "$A" --check lud_res:max-live=40 $lud $sgemm && says 'there is no kernel of that name; did you mean lud_rest?' && [ ! -s "$tmp/out" ] &&
	exits 1 "$A" --check max-live=40 $sgemm "$tmp/none.ptx" && says 'cannot open' && [ ! -s "$tmp/out" ] &&
	exits 0 "$A" --check sgemm:max-live=40 $lud $sgemm
}
t "checks that are refused" wrong_checks
check_file() {
	printf '# of CI\nmax-live=40, # all kernels\n' > "$tmp/bad" && exits 1 "$A" --check-file "$tmp/bad" $sgemm && says "$tmp/bad:2:1: error: an empty limit" || return
	printf '# of CI\n\n  max-live=16,max-spill=0\r\nlud_rest:max-live=30 # one\n' > "$tmp/good" && exits 1 "$A" --check-file "$tmp/good" $sgemm $lud --json && cp "$tmp/out" "$tmp/1" &&
	exits 1 "$A" --check max-live=16,max-spill=0,lud_rest:max-live=30 $sgemm $lud --json && cmp "$tmp/1" "$tmp/out" &&
	: > "$tmp/empty" && exits 2 "$A" --check-file "$tmp/empty" $sgemm && says 'holds no limit' && exits 1 "$A" --check-file "$tmp/none" $sgemm
}
t "limits from a file" check_file
check_objects() {
	local here=$PWD a; a=$(realpath "$A")
	mkdir -p "$tmp/here" && (cd "$tmp/here" && exits 0 "$a" --check max-live=40 "$here/$sgemm" && [ -z "$(ls)" ]) || return
	"$A" $sgemm -q -o "$tmp/plain.rlo" && exits 0 "$A" --check max-live=40 $sgemm -o "$tmp/gated.rlo" && cmp "$tmp/plain.rlo" "$tmp/gated.rlo" && grep -q '1 limit holds' "$tmp/out" &&
	echo old > "$tmp/gated.rlo" && exits 1 "$A" --check max-live=4 $sgemm -o "$tmp/gated.rlo" && [ "$(cat "$tmp/gated.rlo")" = old ] &&
	exits 0 "$A" --check max-live=40 $sgemm --emit=summary -o "$tmp/summary" && grep -q '^kernel sgemm' "$tmp/summary" &&
	exits 0 "$A" --check min-occupancy=100 "$tmp/plain.rlo" --block 16,16 && exits 1 "$A" --check min-occupancy=100 "$tmp/plain.rlo" --block 16,16 --set rf_registers=8192
}
t "an object is written if its kernels keep their limits" check_objects

# ---- --diff ----
# An object holds all that its PTX came to.
unchanged() {
	"$A" "$1" --block 64 -q -o "$tmp/k.rlo" && exits 0 "$A" --diff "$1" "$tmp/k.rlo" --block 64 --json && cp "$tmp/out" "$tmp/d.json" && test/tool/schema.py "$tmp/d.json" docs/diff.schema.json &&
	! grep -qE '"state": "(differs|added|removed)"' "$tmp/d.json" && exits 0 "$A" --diff "$1" "$tmp/k.rlo" --block 64 && [ "$(wc -l < "$tmp/out")" = 1 ]
}
for ptx in examples/*/*.ptx; do ! taken 1 || t "as PTX and as an object: $(basename "$ptx" .ptx)" unchanged "$ptx"; done
diffs() {
	"$A" $sgemm --maxreg=12 -q -o "$tmp/small.rlo" && "$A" $sgemm -q -o "$tmp/plain.rlo" || return
	exits 1 "$A" --diff "$tmp/plain.rlo" "$tmp/small.rlo" --block 16,16 && [ ! -s "$tmp/err" ] && same $G/diff.txt "$tmp/out" &&
	exits 1 "$A" --diff "$tmp/small.rlo" "$tmp/plain.rlo" --all && same $G/diff_all.txt "$tmp/out" || return
	exits 0 "$A" --diff "$tmp/plain.rlo" "$tmp/small.rlo" --diff-fail none && exits 0 "$A" --diff "$tmp/plain.rlo" "$tmp/small.rlo" --diff-fail live,pairs &&
	exits 1 "$A" --diff "$tmp/plain.rlo" "$tmp/small.rlo" --diff-fail live,code && exits 1 "$A" --diff "$tmp/plain.rlo" "$tmp/small.rlo" --diff-fail=all -q && [ ! -s "$tmp/out" ] || return
	exits 1 "$A" --diff "$tmp/plain.rlo" "$tmp/small.rlo" --json && cp "$tmp/out" "$tmp/1.json" && exits 1 "$A" --diff "$tmp/small.rlo" "$tmp/plain.rlo" --json -o "$tmp/2.json" &&
	[ ! -s "$tmp/out" ] && test/tool/schema.py "$tmp/2.json" docs/diff.schema.json && python3 - "$tmp" <<'P'
import json, sys
there, back = (json.load(open(f"{sys.argv[1]}/{n}.json"))["kernels"][0]["figures"] for n in "12")
other = {"better": "worse", "worse": "better", "same": "same"}
for a, b in zip(there, back, strict=True):
    assert (a["name"], a["old"], a["new"], a["verdict"]) == (b["name"], b["new"], b["old"], other.get(b["verdict"], "unknown")), (a, b)
    assert a["verdict"] in ("same", "unknown") or (a["verdict"] == "better") == ((a["new"] < a["old"]) == (a["better"] == "less")), a
P
}
t "two versions of a kernel" diffs
which_kernels() {
	"$A" $lud --kernel lud_rest -q -o "$tmp/rest.rlo" && exits 0 "$A" --diff "$tmp/rest.rlo" $lud --block 64 && same $G/added.txt "$tmp/out" &&
	exits 0 "$A" --diff $lud "$tmp/rest.rlo" --block 64 --json && [ "$(grep -c '"state": "removed"' "$tmp/out")" = 3 ] &&
	exits 0 "$A" --diff $lud $lud --launch examples/lud/lud.yaml --kernel lud_rest --json && [ "$(grep -c '"state": "same"' "$tmp/out")" = 1 ] && grep -q '"block_threads"' "$tmp/out"
}
t "kernels that one version has" which_kernels
nothing_common() {
	exits 1 "$A" --diff $sgemm $lud && says "$sgemm and $lud have no kernel in common" && grep -q '4 added, 1 removed' "$tmp/out" &&
	exits 1 "$A" --diff $sgemm $lud --diff-fail upper -q && exits 0 "$A" --diff $sgemm $lud --diff-fail none && [ ! -s "$tmp/err" ] && exits 0 "$A" --diff $sgemm $sgemm
}
t "versions without a kernel in common" nothing_common
wrong_diffs() {
	exits 2 "$A" --diff $sgemm && says '--diff OLD NEW' && exits 2 "$A" --diff $sgemm $sgemm $sgemm && exits 2 "$A" --diff $sgemm $sgemm --diff-fail liv && says 'did you mean live?' &&
	exits 2 "$A" --diff $sgemm $sgemm --diff-fail= && exits 2 "$A" --diff $sgemm $sgemm --check max-live=4 && exits 2 "$A" $sgemm --diff-fail live && exits 2 "$A" $sgemm --all &&
	exits 2 "$A" --diff $sgemm $sgemm --emit=json && exits 2 "$A" --diff - - && cp $sgemm "$tmp/k.ptx" && exits 2 "$A" --diff "$tmp/k.ptx" $sgemm -o "$tmp/k.ptx" && cmp $sgemm "$tmp/k.ptx" &&
	exits 1 "$A" --diff $sgemm "$tmp/none.ptx" && says 'cannot open' && exits 1 "$A" --diff $sgemm README.md -o "$tmp/none.txt" && [ ! -e "$tmp/none.txt" ]
}
t "comparisons that are refused" wrong_diffs

# Figures beside what --emit=json says of the same kernel, found in another way where there is one.
figures() {
	"$A" --diff "$1" "$1" --json --block 64 "${@:2}" > "$tmp/d.json" && "$A" "$1" --emit=json --block 64 "${@:2}" > "$tmp/k.json" && python3 - "$tmp" <<'P'
import json, sys
d = sys.argv[1]
for k, j in zip(json.load(open(d + "/d.json"))["kernels"], json.load(open(d + "/k.json"))["kernels"], strict=True):
    f = {x["name"]: x["new"] for x in k["figures"]}
    insns, o = j["instructions"], j["occupancy"]
    assert f["live"] == j["max_live"]["registers"] == max(i["live"]["registers"] for i in insns)
    assert f["instructions"] == len(insns) and f["code"] == 8 * len(insns)
    assert f["spill-instructions"] == len(j["spills"]) and (f["spill"] > 0) == (len(j["spills"]) > 0), (f, len(j["spills"]))
    assert f["allocated"] == o["allocated"] >= f["registers"]
    assert f["moves"] == sum(len(w := i["text"].replace(",", "").split()) > 2 and any(x.startswith("mov.") for x in w) and w[-1][0] == "R" and w[-1] != "RZ" for i in insns)
    r = j["orf"]["split-lrf+orf"]
    assert abs(f["upper"] - 100 * (1 - r["reads"]["mrf"] / r["operands_read"])) < 1e-9
    b = o["blocks"][0]
    assert abs(f["occupancy"] - 100 * b["warps"] / o["warp_slots"]) < 1e-9 and b["threads"] == 64
    e = j["corf"]["affinity"]
    total = sum(x["weight"] for x in e)
    if total:
        pairs = {frozenset(p) for p in j["corf"]["pairs"]["registers"]}
        kept = sum(x["weight"] for x in e if frozenset((x["a"], x["b"])) in pairs)
        assert abs(f["pairs"] - 100 * kept / total) < 1e-9, (f["pairs"], kept, total)
        left = set(j["corf"]["alignment"]["left"])
        kept = sum(x["weight"] for x in e if (x["a"] in left) != (x["b"] in left))
        assert abs(f["aligned"] - 100 * kept / total) < 1e-9, (f["aligned"], kept, total)
    else:
        assert f["pairs"] is None
P
}
for e in sgemm lud bfs dct8x8; do ! taken 2 || t "figures as JSON has them: $e" figures "examples/$e/$e.ptx" --maxreg=16; done

# ---- remarks, with LLVM's own parser ----
remarks() { # PTX OPTION...
	"$A" "$@" --emit=remarks --block 64 > "$tmp/r.yaml" && "$B/test/remarks" < "$tmp/r.yaml" > "$tmp/r.lines" && "$A" "$@" --emit=json --block 64 > "$tmp/k.json" && python3 - "$tmp" <<'P'
import json, sys
d = sys.argv[1]
remarks = [json.loads(l) for l in open(d + "/r.lines")]
yaml = open(d + "/r.yaml").read()
assert len(remarks) == yaml.count("\n--- !") + yaml.startswith("--- !")
for k in json.load(open(d + "/k.json"))["kernels"]:
    mine = [r for r in remarks if r["function"] == k["name"]]
    args = lambda r: dict(r["args"])
    peak, = [r for r in mine if r["name"] == "PeakPressure"] or [None]
    assert int(args(peak)["LiveRegisters"]) == k["max_live"]["registers"] and peak["type"] == "Analysis"
    spilled = [r for r in mine if r["name"] == "SpilledValue"]
    assert sum(int(args(r)["Stores"]) + int(args(r)["Loads"]) for r in spilled) == len(k["spills"]), (spilled, k["spills"])
    assert sum(int(args(r)["Stores"]) for r in spilled) == sum(s["kind"] == "store" for s in k["spills"])
    assert all(r["type"] == "Missed" and r["pass"] == "regloom-allocate" for r in spilled)
    limits, = [r for r in mine if r["pass"] == "regloom-occupancy"]
    b = k["occupancy"]["blocks"][0]
    assert int(args(limits)["Warps"]) == b["warps"] and (limits["type"] == "Passed") == (b["warps"] == k["occupancy"]["warp_slots"])
    assert sum(r["name"] == "LostPair" for r in mine) <= 5
    places = {(p["file"], p["line"]) for i in k["instructions"] for p in [i.get("place") or i.get("source")] if p}
    for r in mine:
        assert "file" not in r or d + "/it's" in r["file"] or (r["file"], r["line"]) in places, (r, sorted(places)[:9])
        counted = k["block_weights"] == "profile"
        assert counted or r["hotness"] == 0
    if k["block_weights"] == "profile":
        assert any(r["hotness"] for r in mine)
        assert all(r["hotness"] in [b["executions"] for b in k["blocks"]] for r in mine)
assert {r["function"] for r in remarks} == {k["name"] for k in json.load(open(d + "/k.json"))["kernels"]}
P
}
strange_names() {
	local name=$'it\'s: "a"\n- b: \'c\' # \xc3\xa9 \xff\ttab.ptx'
	grep -v '^[[:space:]]*\.loc' $sgemm > "$tmp/$name" && remarks "$tmp/$name" && python3 - "$tmp" "$name" <<'P'
import json, os, sys
want = os.path.join(sys.argv[1], os.fsencode(sys.argv[2]).decode("utf-8", "replace").replace("\ufffd", "?").replace("\t", "?"))
files = {json.loads(l)["file"] for l in open(sys.argv[1] + "/r.lines")}
assert files == {want}, files
P
}
if [ -x "$B/test/remarks" ]; then
	for e in sgemm lud dwt2d; do ! taken 3 || t "remarks that LLVM reads: $e" remarks "examples/$e/$e.ptx" --maxreg=16; done
	"$A" $sgemm -q -o "$tmp/p.rlo" && "$M" run "$tmp/p.rlo" --launch examples/sgemm/sgemm.yaml --functional -q --profile "$tmp/p.prof" > "$tmp/out" 2>&1
	t "remarks with counted hotness" remarks $sgemm --profile "$tmp/p.prof"
	t "remarks of a file with a strange name" strange_names
else
	skip "remarks that LLVM reads" "LLVM is not here"
fi

# ---- SARIF ----
sarif() { "$A" "$@" --emit=sarif --block 64 > "$tmp/s.sarif" && test/script/sarif.py "$tmp/s.sarif" > "$tmp/counts" && grep -q 'error 0 .* note [1-9]' "$tmp/counts"; }
for e in sgemm lud spmv; do ! taken 4 || t "SARIF of findings: $e" sarif "examples/$e/$e.ptx" --maxreg=16; done
sarif_columns() { # in UTF-16 code units: of e with an accent, 2 bytes, one; of a clef, 4 bytes, two
	grep -v '^[[:space:]]*\.loc' $sgemm > "$tmp/c.ptx" && sarif "$tmp/c.ptx" --maxreg=12 && cp "$tmp/s.sarif" "$tmp/c1.sarif" &&
	sed $'s,^\t\\([a-z@]\\),\t/*\xc3\xa9\xf0\x9d\x84\x9e*/\\1,' "$tmp/c.ptx" > "$tmp/c2.ptx" && sarif "$tmp/c2.ptx" --maxreg=12 && python3 - "$tmp" <<'P'
import json, sys
def columns(name):
    found = [r["locations"][0]["physicalLocation"].get("region") for r in json.load(open(f"{sys.argv[1]}/{name}"))["runs"][0]["results"]]
    return [(r["startLine"], r["startColumn"]) for r in found if r]
a, b = columns("c1.sarif"), columns("s.sarif")
assert len(a) > 5 and [(l, c + 7) for l, c in a] == b, (a, b)
P
}
t "SARIF: columns in UTF-16 code units" sarif_columns
sarif_check() {
	exits 1 "$A" --check max-live=10,min-pairs=99,max-spill=0 $sgemm $lud --emit=sarif -o "$tmp/s.sarif" && test/script/sarif.py "$tmp/s.sarif" > "$tmp/counts" &&
	grep -q "^error $(grep -c BROKEN "$tmp/out") " "$tmp/counts" && grep -q '"exitCode": 1' "$tmp/s.sarif" && grep -q '"id": "limit-max-live"' "$tmp/s.sarif" &&
	exits 0 "$A" --check max-live=100 $sgemm --emit=sarif && cp "$tmp/out" "$tmp/s.sarif" && test/script/sarif.py "$tmp/s.sarif" | grep -q '^error 0' && grep -q '"exitCode": 0' "$tmp/s.sarif"
}
t "SARIF of broken limits" sarif_check
sarif_places() {
	local name=$'a b%20#é\'?.ptx'
	sarif docs/../$sgemm && grep -q '"uri": "examples/sgemm/sgemm.ptx"' "$tmp/s.sarif" || return
	grep -v '^[[:space:]]*\.loc' $sgemm > "$tmp/$name" && sarif "$tmp/$name" --maxreg=12 && grep -qF 'a%20b%2520%23%C3%A9%27%3F.ptx' "$tmp/s.sarif" || return
	# sources that are not here: the PTX text stands for them; of standard input there is no place at all
	sed 's,/sgemm\.cl,/gone.cl,' $sgemm > "$tmp/gone.ptx" && sarif "$tmp/gone.ptx" && grep -q 'gone\.ptx' "$tmp/s.sarif" && ! grep -q '"uri".*gone\.cl' "$tmp/s.sarif" && grep -q startLine "$tmp/s.sarif" || return
	"$A" "$tmp/gone.ptx" -q -o "$tmp/gone.rlo" && sarif "$tmp/gone.rlo" && sarif - < $sgemm && sarif - < "$tmp/gone.ptx" && ! grep -q physicalLocation "$tmp/s.sarif" &&
	{ [ ! -x "$B/regloom-llvm" ] || sarif test/golden/llvm/scale.ll; }
}
t "SARIF points into files that there are" sarif_places
# A result has the level of its rule, and points at the line that the remark of the same finding names.
sarif_lines() {
	sarif $sgemm --maxreg=12 && "$A" $sgemm --maxreg=12 --block 64 --emit=remarks > "$tmp/r.yaml" && python3 - "$tmp" <<'P'
import collections, json, re, sys
d = sys.argv[1]
run, = json.load(open(d + "/s.sarif"))["runs"]
rules = {r["id"]: r["defaultConfiguration"]["level"] for r in run["tool"]["driver"]["rules"]}
assert rules["spilled-value"] == "warning" and rules["lost-pair"] == "note", rules
assert all(r["level"] == rules[r["ruleId"]] for r in run["results"])
names = {r["id"]: r["name"] for r in run["tool"]["driver"]["rules"]}
place = lambda r: r["locations"][0]["physicalLocation"]
got = collections.Counter((names[r["ruleId"]], place(r)["artifactLocation"]["uri"], place(r)["region"]["startLine"]) for r in run["results"])
want = collections.Counter((n, f.removeprefix("./"), int(l)) for n, f, l in re.findall(r"^Name: +'(\w+)'\nDebugLoc:\n  File: +'(.*)'\n  Line: +(\d+)$", open(d + "/r.yaml").read(), re.M) if n in names.values())
assert got == want and len(got) > 5, (got - want, want - got)
P
}
t "SARIF: levels and lines, by the remarks" sarif_lines
one_sided() { # a figure that one version alone has is neither the same nor worse
	sed 's/^)$/)\n.reqntid 256/' $sgemm > "$tmp/sized.ptx" && exits 0 "$A" --diff $sgemm "$tmp/sized.ptx" --json && python3 - "$tmp/out" <<'P'
import json, sys
k, = json.load(open(sys.argv[1]))["kernels"]
f, = [f for f in k["figures"] if f["name"] == "occupancy"]
assert k["state"] == "differs" and (f["old"], f["verdict"]) == (None, "unknown") and f["new"] > 0, f
P
}
t "a figure that one version alone has" one_sided
prints() { grep -o 'regloomFinding/v1": "[^"]*' "$1" | sort; }
sarif_prints() {
	grep -v '^[[:space:]]*\.loc' $sgemm > "$tmp/k.ptx" && sarif "$tmp/k.ptx" --maxreg=12 && prints "$tmp/s.sarif" > "$tmp/1" && [ "$(wc -l < "$tmp/1")" -gt 5 ] &&
	{ printf '// one\n// two\n'; sed 's,^\(\.version.*\),\1 // more,' "$tmp/k.ptx"; } > "$tmp/k2.ptx" && sarif "$tmp/k2.ptx" --maxreg=12 && prints "$tmp/s.sarif" | cmp - "$tmp/1" &&
	sarif "$tmp/k2.ptx" --maxreg=14 && prints "$tmp/s.sarif" > "$tmp/2" && ! cmp -s "$tmp/1" "$tmp/2"
}
t "SARIF: fingerprints stay where lines move" sarif_prints
recursion() { # of a stack without bound no limit holds, and none is better than any
	local f more
	for more in 'call (%o), f, (%m);' ''; do
		printf '%s\n' '.version 7.0' '.target sm_50' '.address_size 64' ".func (.reg .u32 %o) f(.reg .u32 %n) { .local .b32 w[4]; .reg .pred %p; .reg .b32 %m; st.local.u32 [w+4], %n; setp.eq.u32 %p, %n, 0; @%p bra Z; sub.u32 %m, %n, 1;
			mov.u32 %o, 5; $more ld.local.u32 %m, [w+4]; add.u32 %o, %o, %m; Z: ret; }" '.visible .entry k(.param .u64 a) { .local .b32 v[2]; .reg .b64 %d; .reg .b32 %r<3>; ld.param.u64 %d, [a]; ld.global.u32 %r1, [%d]; st.local.u32 [v], %r1;
			call (%r2), f, (%r1); ld.local.u32 %r1, [v]; add.u32 %r2, %r2, %r1; st.global.u32 [%d], %r2; ret; }' > "$tmp/${more:+r}f.ptx"
	done
	exits 1 "$A" --check max-local=99999 "$tmp/rf.ptx" && grep -qE '^  max-local  +-  +99999 bytes  +UNKNOWN; functions that it calls recurse$' "$tmp/out" && grep -qx 'check: 0 of 1 limit broken, 1 cannot be told, in 1 of 1 kernel' "$tmp/out" &&
	exits 0 "$A" --check max-local=32 "$tmp/f.ptx" && exits 1 "$A" --check max-local=31 "$tmp/f.ptx" -q || return
	exits 0 "$A" "$tmp/rf.ptx" --emit=summary && grep -qF 'local no bound (functions that it calls recurse), ' "$tmp/out" && exits 0 "$A" "$tmp/f.ptx" --emit=summary && grep -qF 'local 32 B a thread, ' "$tmp/out" &&
	exits 0 "$A" "$tmp/rf.ptx" --emit=json && test/tool/schema.py "$tmp/out" docs/annotate.schema.json && grep -q '"local_bytes":null,.*"local_unbounded":"functions that it calls recurse"' "$tmp/out" || return
	for f in r ''; do "$A" "$tmp/${f}f.ptx" -q -o "$tmp/${f}f.rlo" || return; done
	exits 1 "$A" --check max-local=99999 "$tmp/rf.rlo" && exits 1 "$A" --diff "$tmp/f.rlo" "$tmp/rf.rlo" --diff-fail=local && grep -qE '^  local  +32  +-  +- bytes  +worse; functions that it calls recurse$' "$tmp/out" &&
	exits 0 "$A" --diff "$tmp/rf.rlo" "$tmp/f.rlo" --diff-fail=local && grep -qE '^  local .* better; functions that it calls recurse$' "$tmp/out" && exits 0 "$A" --diff "$tmp/rf.rlo" "$tmp/rf.rlo" --diff-fail=local
}
t "a stack without bound" recursion
finish
