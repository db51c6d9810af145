#!/bin/bash
# What sm-model report draws: --detail of run and compare. Nothing measured depends on it, it fits its schema, agrees with what
# was measured, and is the same again.
. "$(dirname "$0")/lib.sh"
on() { echo "$tmp/$1.rlo" --launch "examples/$1/$1.yaml"; }
for k in saxpy dwt2d; do "$A" examples/$k/$k.ptx -q -o "$tmp/$k.rlo" || exit 1; done
"$A" examples/particlefilter/particlefilter.ptx --machine regmutex --launch examples/particlefilter/particlefilter.yaml -q -o "$tmp/particlefilter.rlo" || exit 1

cat > "$tmp/detail.py" <<'PY'
"""detail.py BARE DETAILED: a result without --detail, and with it: nothing but "detail" is more, and it agrees with the rest."""
import json, sys
bare, full = (json.load(open(f)) for f in sys.argv[1:3])
detail = full.pop("detail")
assert full == bare, "--detail changes a number"
measured = full["configurations"] if "configurations" in full else [full] + ([full["baseline"]] if "baseline" in full else [])
assert len(measured) == len(detail["configurations"])
files = {s["file"]: s["lines"] for s in detail["sources"]}
assert len(files) == len(detail["sources"]), "a file stands there twice"
programs = {"plain": detail["annotations"], "variant": detail.get("variants")}
for program, lines in ("plain", "lines"), ("variant", "variant_lines"):
    document = programs[program]
    assert (document is None) == (lines not in detail["ptx"])
    if document is None:
        continue
    assert sorted(k["name"] for k in document["kernels"]) == sorted(full["kernel"].split(","))
    for k in document["kernels"]:
        at = detail["ptx"][lines][k["name"]]
        assert len(at) == len(k["instructions"]) and sum(map(bool, at)) > len(at) / 2
        assert all(0 <= n <= len(files[detail["ptx"]["file"]]) for n in at)
        for i in k["instructions"]:
            s = i.get("source")
            assert not s or 0 < s["line"] <= len(files[s["file"]]), s
            assert i["block"] < len(k["blocks"])
for m, c in zip(measured, detail["configurations"]):
    if m.get("failed"):
        assert c["explain"] is None and c["energy"] is None
        continue
    sums = {}
    for k in c["explain"]["kernels"]:
        document = next(x for x in programs[c["program"]]["kernels"] if x["name"] == k["kernel"])
        assert [i["text"] for i in k["instructions"]] == [i["text"] for i in document["instructions"]]
        for name, n in k["slots"].items():
            sums[name] = sums.get(name, 0) + n
        for b in k["banks"]:
            for what in "reads", "writes", "reads_delayed", "writes_delayed":
                assert sum(sm[what][b["bank"]] for sm in k["banks_by_sm"]) == b[what], (what, b)
        for line in k["lines"]:
            have = files.get(line["file"])
            assert not have or not line["text"] or have[line["line"] - 1].replace("\t", " ").strip() == line["text"], line
    for name, n in sums.items():
        assert m["metrics"]["slots_" + name]["value"] == n, name
    parts = c["energy"]["parts"]
    def total(of): return None if any(p["uJ"] is None for p in parts if p["of"] == of) else sum(p["uJ"] for p in parts if p["of"] == of)
    def same(of, metric):
        pj, uj = m["metrics"][metric]["value"], total(of)
        assert (pj is None) == (uj is None) and (pj is None or abs(pj * 1e-6 - uj) <= 1e-6 * uj), (of, pj, uj)
    same("rf", "rf_energy")
    if any(p["of"] == "sm" for p in parts):
        same("sm", "sm_energy")
PY
detail() { # SCHEMA ARGUMENTS...: with and without --detail
	local schema=$1; shift
	exits 0 "$M" "$schema" "$@" -q --json "$tmp/bare.json" && cp "$tmp/err" "$tmp/bare.err" && exits 0 "$M" "$schema" "$@" -q --json "$tmp/full.json" --detail &&
	diff "$tmp/bare.err" "$tmp/err" && test/schema.py "$tmp/full.json" "docs/$schema.schema.json" && python3 "$tmp/detail.py" "$tmp/bare.json" "$tmp/full.json"
}
t "--detail of a run" detail run $(on saxpy)
t "--detail of a run beside the baseline, with energies of a GPU" detail run $(on saxpy) --machine wir --rf wir-rlpv
t "--detail of a run that explains and looks for repeats itself" detail run $(on saxpy) --machine wir --rf wir-rlpv --explain=reuse
t "--detail of a comparison" detail compare $(on dwt2d) --rf baseline,corf++,residency=rfv,split-lrf+orf --machine hierarchical-rf
t "--detail of variants" detail compare $(on particlefilter) --machine regmutex --rf regmutex,baseline,owf
t "--detail of a run of variants" detail run $(on particlefilter) --machine regmutex --rf regmutex
failed() { # a configuration on which no block fits: the others have theirs
	"$M" compare $(on saxpy) -q --config threads_per_sm=32,name=tiny --rf baseline --json "$tmp/f0.json" 2> "$tmp/err"
	exits 1 "$M" compare $(on saxpy) -q --config threads_per_sm=32,name=tiny --rf baseline --json "$tmp/f1.json" --detail && says "configuration tiny: " &&
	test/schema.py "$tmp/f1.json" docs/compare.schema.json && python3 "$tmp/detail.py" "$tmp/f0.json" "$tmp/f1.json"
}
t "--detail: a configuration that fails" failed
again() {
	"$M" compare $(on dwt2d) -q --rf baseline,orf --machine hierarchical-rf --threads 1 --json "$tmp/1.json" --detail &&
	"$M" compare $(on dwt2d) -q --rf baseline,orf --machine hierarchical-rf --threads 3 --json "$tmp/2.json" --detail && cmp "$tmp/1.json" "$tmp/2.json"
}
t "--detail: the same bytes again, at any number of threads" again
lost() { # a source that is gone, and one that is no text: the rest is there
	mkdir -p "$tmp/gone" && sed 's|examples/saxpy/saxpy.cl|gone/saxpy.cl|' examples/saxpy/saxpy.ptx > "$tmp/gone/s.ptx" && "$A" "$tmp/gone/s.ptx" -q -o "$tmp/gone/s.rlo" &&
	exits 0 "$M" run "$tmp/gone/s.rlo" --launch examples/saxpy/saxpy.yaml -q --json "$tmp/gone.json" --detail && test/schema.py "$tmp/gone.json" docs/run.schema.json &&
	mkdir -p "$tmp/gone/gone" && printf 'a\0b\n\377\376 \303\244 \342\200\250\ttab </script>\r\n\n' > "$tmp/gone/gone/saxpy.cl" &&
	exits 0 "$M" run "$tmp/gone/s.rlo" --launch examples/saxpy/saxpy.yaml -q --json "$tmp/odd.json" --detail && test/schema.py "$tmp/odd.json" docs/run.schema.json &&
	python3 - "$tmp" <<-'PY'
		import json, sys
		gone, odd = (next(s for s in json.load(open(f"{sys.argv[1]}/{f}.json"))["detail"]["sources"] if s["file"].endswith("gone/saxpy.cl")) for f in ("gone", "odd"))
		assert gone["lines"] is None and odd["lines"] == ["a?b", "?? ?? ???\ttab </script>", ""], (gone, odd)
	PY
}
t "--detail: a source that is gone, or is no text" lost
wrong() {
	exits 2 "$M" run $(on saxpy) --detail && says "--detail wants --json" && exits 2 "$M" compare $(on saxpy) --rf baseline,orf --detail && says "--detail wants --json" &&
	exits 2 "$M" run $(on saxpy) --functional --detail --json "$tmp/x.json" && says "--detail needs timing" && [ ! -e "$tmp/x.json" ]
}
t "--detail: wrong usage" wrong
finish
