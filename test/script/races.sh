#!/bin/bash
# Data races that a reuse of loads finds: a kernel that has some, with both accesses, and the same kernel mended; and what only looks like one.
# Examples whose CTAs hand data on behind barriers have none, at the ends of every parameter's range either.
. "$(dirname "$0")/../lib.sh"
for k in poll last; do "$A" test/race/$k.ptx -q -o "$tmp/$k.rlo" || exit 1; done
run() { exits 0 "$M" run "$tmp/poll.rlo" --launch "test/race/$1.yaml" --machine wir --rf "$2" -q --json "$tmp/$1.json" "${@:3}"; }
racy() { # RF [OPTION...]: the polling load is named twice, with its place, as are the numbers of what there is
	run racy "$@" && says "sm-model: warning: reuse: the load at test/race/poll.ptx:20:2 of CTA 0 warp 0 would have got in cycle " &&
	says " what the one at test/race/poll.ptx:20:2 of CTA 0 warp 0 loaded in cycle " && says ", and something was stored between them: a data race of racy" &&
	python3 - "$tmp/racy.json" <<-'PY'
		import json, sys
		r = json.load(open(sys.argv[1]))
		races, n = r["reuse_races"], r["metrics"]["reuse_races"]["value"]
		assert r["check"] == "pass", r["check"]
		assert n == sum(x["times"] for x in races) > 0 == r["metrics"]["reuse_reordered"]["value"], (n, races)
		assert all(x["kind"] == "race" for x in races), races
		assert all(x["kernel"] == "racy" and x["launch"] == 0 for x in races), races
		assert all(x["earlier"]["cycle"] < x["load"]["cycle"] <= r["metrics"]["cycles"]["value"] for x in races), races
		assert all(x["load"]["source"].startswith("test/race/poll.ptx:") for x in races), races
		assert races[0]["earlier"]["instruction"] == races[0]["load"]["instruction"], races[0]
	PY
}
silent() { # LAUNCH RF: no race, and no word of one
	run "$1" "$2" && { ! grep -q race "$tmp/err" || { cat "$tmp/err"; return 1; }; } &&
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(r["metrics"]["reuse_races"]["value"] or r["metrics"]["reuse_reordered"]["value"] or r.get("reuse_races", []) != [])' "$tmp/$1.json"
}
compared() {
	exits 0 "$M" compare "$tmp/poll.rlo" --launch test/race/racy.yaml --machine wir --rf wir-rpv,wir-rl,wir-rlpv -q &&
	says "note: configuration wir-rl: reuse: the load at test/race/poll.ptx:20" && says "; so with 1 more"
}
raceless() { # EXAMPLE LOADS OPTION...: right, without a race; LOADS is some: and loads are reused
	[ -e "$tmp/$1.rlo" ] || "$A" "examples/$1/$1.ptx" -q -o "$tmp/$1.rlo" || return 1
	exits 0 "$M" run "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --machine wir -q --json "$tmp/r.json" "${@:3}" && python3 - "$tmp/r.json" "$2" <<-'PY'
		import json, sys
		r = json.load(open(sys.argv[1]))
		races, loads = (r["metrics"][k]["value"] for k in ("reuse_races", "reused_loads"))
		assert r["check"] == "pass" and races == 0, (r["check"], races)
		assert loads > 0 or sys.argv[2] != "some", loads
	PY
}
reordered() { # RF: a kernel without a race, whose warps wait for each other and are replayed in another order than executed: no warning, and counted apart
	exits 0 "$M" run "$tmp/last.rlo" --launch test/race/last.yaml --machine wir --rf "$1" -q --json "$tmp/last.json" &&
	says "sm-model: note: reuse: the load at test/race/last.ptx:37:2 of CTA 0 warp 0 would have got in cycle " &&
	says " what the one at test/race/last.ptx:49:2 of CTA 0 warp 1 loaded in cycle " && says "replays them in another order than they were executed in" &&
	{ ! grep -q "warning\|a data race of" "$tmp/err" || { cat "$tmp/err"; return 1; }; } && test/tool/schema.py "$tmp/last.json" docs/run.schema.json &&
	python3 - "$tmp/last.json" <<-'PY'
		import json, sys
		r = json.load(open(sys.argv[1]))
		found = r["reuse_races"]
		assert r["check"] == "pass", r["check"]
		assert r["metrics"]["reuse_races"]["value"] == 0 < r["metrics"]["reuse_reordered"]["value"] == sum(x["times"] for x in found), found
		assert all(x["kind"] == "order" for x in found), found
	PY
}
also() { # a comparison says so too
	exits 0 "$M" compare "$tmp/last.rlo" --launch test/race/last.yaml --machine wir --rf wir-rpv,wir-rl -q && says "note: configuration wir-rl: reuse: the load at test/race/last.ptx:37" &&
	{ ! grep -q "a data race of" "$tmp/err" || { cat "$tmp/err"; return 1; }; }
}
for rf in wir-rl wir-rlp wir-rlpv; do t "$rf calls another order what it is" reordered $rf; done
t "a comparison calls it so too" also
for rf in wir-rl wir-rlp wir-rlpv wir-rlpvc; do t "$rf finds the race" racy $rf; done
t "found in checked mode too" racy wir-rlpv --checked
for rf in wir-rlpv wir-rl; do t "$rf finds none where there is a fence" silent mended $rf; done
for rf in wir-rpv baseline; do t "$rf reuses no load and says nothing" silent racy $rf; done
t "a comparison says it once" compared
for rf in wir-rl wir-rlpv; do
	for e in scan sobel backprop; do t "$rf: $e reuses loads and has no race" raceless $e some --rf $rf; done
	for e in reduction bitonic; do t "$rf: $e has no race" raceless $e any --rf $rf; done
done
ends=$(sed -nE 's/^PARAM\(((reuse|vsb|verify)_[a-z_]+),[^,]*,[^,]*,[^,]*, *([0-9]+), *([0-9]+),.*/\1=\3 \1=\4/p' runtime-model/core/params.def | grep -v '^reuse_cache=')  # the last is of a core's operands
t "every parameter of reuse has two ends" test "$(wc -w <<< "$ends")" = 14
for p in $ends; do t "no race with $p" raceless scan any --rf wir-rlpv --set "$p"; done
finish
