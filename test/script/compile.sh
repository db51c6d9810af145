#!/bin/bash
# What a kernel is compiled for: hints of CORF, places in an ORF, a machine and its occupancy, launches and profiles, an order of instructions.
. "$(dirname "$0")/../lib.sh"
hints() { # ways to choose, what they say, and that an object keeps it
	for way in paper default exact; do
		"$A" examples/btree/btree.ptx --kernel=btree_count --align=$way --pairs=matching -q -o "$tmp/h.rlo" &&
			"$A" "$tmp/h.rlo" --emit=json > "$tmp/h.$way.json" && test/tool/schema.py "$tmp/h.$way.json" docs/annotate.schema.json || return 1
	done
	"$A" "$tmp/h.rlo" --emit=listing | grep -q '/\*corf++\*/' && "$A" "$tmp/h.rlo" --emit=dot --graph=affinity | grep -q 'R0 -- R1 ' &&
	python3 - "$tmp" <<-'PY'
		import json, sys
		h = {w: json.load(open(f"{sys.argv[1]}/h.{w}.json"))["kernels"][0]["corf"] for w in ("paper", "default", "exact")}
		for w, x in h.items():
		    a, p = x["alignment"], x["pairs"]
		    assert a["method"] == w and p["method"] == "matching" and p["kept"] == p["matching_kept"] > p["greedy_kept"]
		    assert a["kept"] + a["lost"] == x["total"] == sum(e["weight"] for e in x["affinity"])
		    assert a["gap"] == a["lost"] - a["bound"] and a["bound"] <= h["exact"]["alignment"]["lost"] <= a["lost"]
		assert h["exact"]["alignment"]["gap"] == 0
	PY
}
t "CORF's hints, by each way to choose them" hints
hints_usage() {
	for wrong in --pairs=best --align=left --align-time=3 "--align=exact --align-time=0" --graph=affinity "--emit=dot --graph=calls"; do
		# shellcheck disable=SC2086
		exits 2 "$A" examples/saxpy/saxpy.ptx $wrong -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" || return 1
	done
	exits 1 "$A" "$tmp/h.rlo" --pairs=greedy --emit=summary && says "its code is compiled"
}
t "options of the hints are refused where they mean nothing" hints_usage
least() { # EXAMPLE: nothing is spilled with so many registers, something with one less
	local s=(examples/"$1/$1.ptx" --regmutex=off) n
	n=$("$A" "${s[@]}" --maxreg=least --emit=json | python3 -c 'import json, sys; print(max(k["resources"]["registers"] for k in json.load(sys.stdin)["kernels"]))') &&
		! "$A" "${s[@]}" --maxreg=least --emit=summary | grep -q '^  spills  *[1-9]' && "$A" "${s[@]}" --maxreg=$((n - 1)) --emit=summary | grep -q '^  spills  *[1-9]'
}
for n in sgemm radixsort motion; do t "$n: the least registers without spills" least $n; done
# ---- the register-file hierarchy of the compiler ----
orf_views() { # an object keeps the places; the best allocation is at least as good; pictures are graphs
	for way in "" --orf-exact=20; do
		# shellcheck disable=SC2086
		"$A" examples/dct8x8/dct8x8.ptx --orf-entries=2 $way -q -o "$tmp/orf.rlo" && "$A" "$tmp/orf.rlo" --emit=json > "$tmp/orf$way.json" &&
			test/tool/schema.py "$tmp/orf$way.json" docs/annotate.schema.json || return 1
	done
	"$A" "$tmp/orf.rlo" --emit=listing --orf=orf | grep -q 'R[0-9]*->ORF[01]' && ! "$A" "$tmp/orf.rlo" --emit=listing --orf=orf | grep -q '[->]LRF[0-9]' &&
	"$A" "$tmp/orf.rlo" --emit=listing | grep -q 'R[0-9]*<-LRF[0-2]' && "$A" "$tmp/orf.rlo" --emit=summary | grep -q 'the best allocation saves' &&
	"$A" "$tmp/orf.rlo" --emit=dot --graph=orf --orf=lrf+orf | grep -q '<b>LRF</b>' &&
	{ ! command -v dot > /dev/null || "$A" "$tmp/orf.rlo" --emit=dot --graph=orf | dot -Tsvg > "$tmp/orf.svg" 2> "$tmp/err"; } && [ ! -s "$tmp/err" ] &&
	python3 - "$tmp" <<-'PY'
		import json, sys
		greedy, exact = (json.load(open(f"{sys.argv[1]}/orf{w}.json"))["kernels"][0] for w in ("", "--orf-exact=20"))
		for org in ("orf", "lrf+orf", "split-lrf+orf"):
		    x = exact["orf"][org]
		    assert 0 < x["greedy_pj"] <= x["saved_pj"] <= x["bound_pj"] and "greedy_pj" not in greedy["orf"][org]
		    for k in greedy, exact:
		        t = k["orf"][org]
		        names = [n for i in k["instructions"] for n in i["places"][org]]
		        assert sum(t["reads"].values()) == t["operands_read"] and t["access_pj"] + t["wire_pj"] < t["without_pj"]
		        assert sum(t["writes"].values()) == t["operands_written"] + t["fills"] + t["both"]
		        assert t["encoding"]["second_sources"] == sum("=>" in n for n in names)
		        assert t["encoding"]["second_results"] == sum("+MRF" in n for n in names)
		    for k in (greedy, exact):
		        for i in k["instructions"]:
		            p = i["places"]
		            assert len(p[org]) == len(p["reads"]) + len(p["writes"]) == len(p["why_mrf"][org])
		            assert all((x == "MRF") == (y is not None) for x, y in zip(p[org], p["why_mrf"][org]))
		assert greedy["orf"]["entries"] == 2 and greedy["orf"]["cost_entries"] == 2
	PY
}
t "places of operands: object, listing, JSON, picture" orf_views
orf_usage() {
	for wrong in --orf-entries=0 --orf-entries=9 --orf-warps=65 --orf-cost-entries=x --orf-writes=two --orf-ranges=long --orf-weights=most \
	             --orf-exact=0 --orf-exact=x "--emit=listing --orf=lru" --orf=lrf --orf=split-lrf+orf "--emit=dot --orf=lrf" --no-orf-partial=1; do
		# shellcheck disable=SC2086
		exits 2 "$A" examples/saxpy/saxpy.ptx $wrong -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" || return 1
	done
	exits 1 "$A" "$tmp/orf.rlo" --orf-entries=4 --emit=summary && says "its code is compiled"
}
t "options of the hierarchy are refused where they mean nothing" orf_usage
# ---- occupancy, and the machine that it is for ----
occupancy() {
	exits 0 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --block 16,16 && "$A" examples/sgemm/sgemm.ptx --emit=occupancy | grep -q 'sgemm on gtx480: 17 registers a thread (20 allocated)' &&
	"$A" examples/sgemm/sgemm.ptx --emit=occupancy --block 16,16 --set rf_registers=16384 > "$tmp/half" &&
	grep -q '^ *256 *3 *24 *50%  registers .*at most 16 registers a thread (17 now)' "$tmp/half" &&
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/occ.rlo" && "$A" "$tmp/occ.rlo" --emit=occupancy --block 16,16 --set rf_registers=16384 > "$tmp/object" &&
	[ "$(head -6 "$tmp/object")" = "$(head -6 "$tmp/half")" ] &&
	exits 1 "$A" "$tmp/occ.rlo" --emit=summary --machine regmutex && says 'is an object' &&
	"$A" examples/lavamd/lavamd.ptx --emit=json --block 128 --machine regmutex > "$tmp/occ.json" && test/tool/schema.py "$tmp/occ.json" docs/annotate.schema.json &&
	python3 - "$tmp/occ.json" <<-'PY'
		import json, sys
		o = json.load(open(sys.argv[1]))["kernels"][0]["occupancy"]
		assert o["machine"] == "regmutex" and [b["threads"] for b in o["blocks"]] == [128]
		b = o["blocks"][0]
		assert len(b["sizes"]) >= 2 and sum(s["chosen"] for s in b["sizes"]) <= 1
		for s in b["sizes"]:
		    assert s["base"] + s["extended"] == o["allocated"] and s["warps"] == 4 * s["ctas"]
		    assert s["warps"] * s["base"] + s["sections"] * s["extended"] <= o["rf_registers"] // 32 and s["sections"] >= 1
		    assert s["warps"] >= b["warps"] and (not s["chosen"] or s["legal"])
	PY
}
t "occupancy of a kernel and a machine, of an object too" occupancy
machine_usage() {
	for wrong in --machine=gtx48 --set=rf_register=1 --set=rf_registers=5 --set=rf_registers --regmutex=0 --regmutex=254 --regmutex=some --regmutex-place=past \
	             --regmutex-liveness=war --regmutex-rules=no; do
		exits 2 "$A" examples/saxpy/saxpy.ptx "$wrong" -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" || return 1
	done
	exits 2 "$A" examples/saxpy/saxpy.ptx --machine=gtx48 && says 'did you mean gtx480?' &&
	exits 2 "$A" examples/lud/lud.ptx --regmutex-kernel=lud_rest --emit=summary && says 'give N' &&
	exits 1 "$A" examples/lud/lud.ptx --regmutex=4 --regmutex-kernel=lud --emit=summary && says 'there is no kernel of that name' &&
	exits 1 "$A" examples/lud/lud.ptx --regmutex=60 --regmutex-kernel=lud_rest --emit=summary && says 'lud_rest: error: --regmutex=60 is not legal' &&
	exits 0 "$A" examples/lud/lud.ptx --regmutex=8 --regmutex-kernel=lud_diagonal --emit=summary || return 1
	exits 2 "$A" examples/saxpy/saxpy.ptx --regmutex-place=past && says 'did you mean cost?' || return 1
	exits 0 "$A" examples/saxpy/saxpy.ptx --set=sms=1 --emit=summary -o "$tmp/sum" && says 'changes nothing here' && exits 1 "$A" "$tmp/orf.rlo" --regmutex=off --emit=summary
}
t "machines, parameters and ways to share registers are known by name" machine_usage
# ---- block weights: facts about a launch, and profiles ----
trip_counts() {
	"$A" examples/sgemm/sgemm.ptx --emit=summary | grep -q 'loops .*BB0_2, sgemm.cl:15: 8 iterations (assumed)' &&
	"$A" examples/sgemm/sgemm.ptx --emit=summary --param sgemm_param_4=0x200 | grep -q ': 32 iterations (static)' &&
	"$A" examples/sgemm/sgemm.ptx --emit=listing --param=sgemm_param_4=512 | grep -q 'BB0_2:  // loop depth 1, 32 iterations (static)' &&
	"$A" examples/histogram/histogram.ptx --emit=summary --block 128 --grid 2,1 --param histogram_param_2=1000 | grep -q '3.91 iterations (mean)' &&
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/plain.rlo" && "$A" examples/sgemm/sgemm.ptx --emit=json --param sgemm_param_4=512 > "$tmp/trip.json" &&
	test/tool/schema.py "$tmp/trip.json" docs/annotate.schema.json && grep -q '"iterations":32.0,"source":"static"' "$tmp/trip.json" &&
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/told.rlo" --param sgemm_param_4=512 --block 16,16 --grid 8,8 &&
	objdump -s -j .text.sgemm "$tmp/plain.rlo" | tail -n +4 > "$tmp/plain.text" && objdump -s -j .text.sgemm "$tmp/told.rlo" | tail -n +4 | cmp - "$tmp/plain.text"
}
t "what is known of a launch gives trip counts, and the same code" trip_counts
launched() { # of each kernel its own block; the run that the object was made for has nothing to remark, another has
	local on="--launch examples/dwt2d/dwt2d.yaml" of="examples/dwt2d/dwt2d.ptx --machine regmutex --regmutex=paper"
	# shellcheck disable=SC2086
	"$A" $of $on --emit=json > "$tmp/dwt.json" && python3 - "$tmp/dwt.json" <<-'PY' &&
		import json, sys
		k = {k["name"]: k for k in json.load(open(sys.argv[1]))["kernels"]}
		assert {n: [b["threads"] for b in x["occupancy"]["blocks"]] for n, x in k.items()} == {"dwt_rows": [128], "dwt_columns": [192]}
		assert [l["source"] for l in k["dwt_rows"]["loops"]] == ["static"] and k["dwt_columns"]["regmutex"]["threads"] == 192
	PY
	exits 0 "$A" $of $on -o "$tmp/dwt.rlo" && grep -qF 'in turn 14 of 40' "$tmp/out" &&
	exits 0 "$M" run "$tmp/dwt.rlo" $on --machine regmutex --rf regmutex -q && [ ! -s "$tmp/err" ] &&
	exits 0 "$A" $of -q -o "$tmp/dwt.rlo" && exits 0 "$M" run "$tmp/dwt.rlo" $on --machine regmutex --rf regmutex -q &&
	says 'dwt_columns share, 14 registers, was chosen for CTAs of one warp, and those launched are of 192 threads: annotate with the same --launch' || return 1
	# what is said goes first; dynamic shared memory counts, of an object too
	# shellcheck disable=SC2086
	exits 0 "$A" $of $on --block 64 --emit=occupancy && grep -qF 'in CTAs of 64 threads' "$tmp/out" && ! grep -q 'CTAs of 1' "$tmp/out" &&
	sed 's/^    block: \[32, 6\]/&\n    shared_bytes: 24000/' examples/dwt2d/dwt2d.yaml > "$tmp/dynamic.yaml" &&
	exits 0 "$A" $of --launch "$tmp/dynamic.yaml" --emit=occupancy && grep -qF '24768 bytes of shared memory a CTA (24000 of them by the launch)' "$tmp/out" &&
	grep -q '^ *192 *1 *6 *12%  shared memory' "$tmp/out" && exits 0 "$A" "$tmp/dwt.rlo" --machine regmutex --launch "$tmp/dynamic.yaml" --emit=occupancy && grep -qF '24000 of them' "$tmp/out" || return 1
	# one of the kernels alone; wrong launch files; not for objects
	# shellcheck disable=SC2086
	exits 0 "$A" $of $on --kernel dwt_rows --emit=occupancy && grep -qF 'CTAs of 128 threads' "$tmp/out" &&
	exits 1 "$A" examples/saxpy/saxpy.ptx $on -o "$tmp/no.rlo" && says "dwt2d.yaml:9:14: error: the module has no kernel 'dwt_rows'; it has saxpy" &&
	leaves_nothing "$tmp/no.rlo" && exits 1 "$A" examples/saxpy/saxpy.ptx --launch README.md -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" &&
	exits 1 "$A" examples/saxpy/saxpy.ptx --launch "$tmp/none.yaml" -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" &&
	exits 1 "$A" "$tmp/dwt.rlo" $on --emit=summary && says 'come too late' && exits 2 "$A" - --launch - --emit=summary < /dev/null && says 'cannot both' &&
	cp "$tmp/dynamic.yaml" "$tmp/same.yaml" && exits 2 "$A" $of --launch "$tmp/same.yaml" -o "$tmp/same.yaml" && says 'would be overwritten' && cmp -s "$tmp/dynamic.yaml" "$tmp/same.yaml" &&
	sed -i '0,/block: \[128\]/s//block: [64]/' "$tmp/same.yaml" && exits 0 "$A" $of --launch "$tmp/same.yaml" --emit=occupancy &&
	says 'note: kernel dwt_rows is launched with blocks of 64,1,1, later of 128,1,1; it is annotated for the first'
}
t "a launch file says what is known of each kernel's launches" launched
trip_usage() {
	for o in --block=0 --block=x --block=16,16,16 --block=1,2,3,4 --grid=1,70000 --grid= --param=n --param==3 --param=n=x --param=n=3.5 --param=n=99999999999999999999; do
		exits 2 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" "$o" && says "${o%%=*}" && leaves_nothing "$tmp/x.rlo" || return 1
	done
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_44=3 && says "did you mean sgemm_param_4?" && leaves_nothing "$tmp/x.rlo" &&
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_5=3 && says "is no integer (f32)" &&
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_4=4294967296 && says "does not fit" &&
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_4=1 --param sgemm_param_4=2 && says "given twice"
}
t "facts about a launch that cannot be are refused" trip_usage
facts_of_an_object() { # its hints are chosen already
	for o in --block=32 --grid=2 --param=sgemm_param_4=3 --profile=README.md; do
		exits 1 "$A" "$tmp/plain.rlo" "$o" --emit=summary && says "come too late" && exits 1 "$A" "$tmp/plain.rlo" "$o" -o "$tmp/x.rlo" &&
			leaves_nothing "$tmp/x.rlo" || return 1
	done
}
t "facts about a launch and profiles are refused of an object" facts_of_an_object
profiled() { # annotate, run, annotate with what the run counted
	local on="--launch examples/lud/lud.yaml"
	"$A" examples/lud/lud.ptx -q -o "$tmp/lud.rlo" && "$M" run "$tmp/lud.rlo" $on --functional --quiet --profile "$tmp/f.prof" &&
	exits 0 "$M" run "$tmp/lud.rlo" $on --quiet --profile "$tmp/t.prof" && cmp "$tmp/f.prof" "$tmp/t.prof" &&
	test/tool/schema.py "$tmp/f.prof" docs/profile.schema.json &&
	exits 0 "$A" examples/lud/lud.ptx -o "$tmp/lud2.rlo" --profile "$tmp/f.prof" && grep -q 'block weights *counted by the profile' "$tmp/out" &&
	grep -q '15 iterations (profile)' "$tmp/out" && exits 0 "$M" run "$tmp/lud2.rlo" $on --functional --quiet --profile "$tmp/again.prof" &&
	cmp "$tmp/f.prof" "$tmp/again.prof" &&
	"$A" examples/lud/lud.ptx --emit=json --profile "$tmp/f.prof" > "$tmp/lud.json" && test/tool/schema.py "$tmp/lud.json" docs/annotate.schema.json &&
	python3 - "$tmp/lud.json" "$tmp/f.prof" <<-'PY'
		import json, sys
		view, prof = (json.load(open(f)) for f in sys.argv[1:3])
		by = {k["name"]: k for k in view["kernels"]}
		for k in prof["kernels"]:
		    assert by[k["name"]]["block_weights"] == "profile"
		    assert [b["executions"] for b in by[k["name"]]["blocks"]] == k["executions"]
	PY
}
t "annotate, run --profile, annotate --profile" profiled
profile_sums() { # blocks times their instructions are the instructions that ran
	"$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml --functional --json "$tmp/lud.run" --quiet && "$A" "$tmp/lud.rlo" --emit=json > "$tmp/lud.json" &&
	python3 - "$tmp/lud.json" "$tmp/f.prof" "$tmp/lud.run" <<-'PY'
		import json, sys
		view, prof, run = (json.load(open(f)) for f in sys.argv[1:4])
		by = {k["name"]: k for k in view["kernels"]}
		n = sum(b["instructions"] * e for k in prof["kernels"] for b, e in zip(by[k["name"]]["blocks"], k["executions"]))
		assert n == run["metrics"]["warp_instructions"]["value"], n
	PY
}
t "a profile adds up to the instructions that were executed" profile_sums
schedules() { # three ways; none is --no-schedule
	for way in latency orf none; do exits 0 "$A" examples/sgemm/sgemm.ptx --schedule=$way -o "$tmp/$way.rlo" || return 1; done
	exits 0 "$A" examples/sgemm/sgemm.ptx --no-schedule -o "$tmp/no.rlo" && cmp "$tmp/no.rlo" "$tmp/none.rlo" &&
	exits 0 "$A" examples/sgemm/sgemm.ptx -o "$tmp/no.rlo" && cmp "$tmp/no.rlo" "$tmp/latency.rlo" && ! cmp -s "$tmp/no.rlo" "$tmp/orf.rlo" &&
	exits 2 "$A" examples/sgemm/sgemm.ptx --schedule=fast && says "--schedule=fast is no order of instructions: none, latency or orf" &&
	exits 2 "$A" examples/sgemm/sgemm.ptx --schedule=orf --no-schedule && says "contradicts --schedule=orf" &&
	exits 0 "$M" run "$tmp/orf.rlo" --checked --machine hierarchical-rf --rf issue=two-level,hierarchy=split-lrf+orf --launch examples/sgemm/sgemm.yaml
}
t "instructions are reordered for latency, for an ORF, or not" schedules
proved_for() {
	local run=("$M" run "$tmp/proved.rlo" --launch examples/saxpy/saxpy.yaml --machine g-scalar --rf static-scalar)
	exits 0 "$A" examples/saxpy/saxpy.ptx -o "$tmp/proved.rlo" --block=48 && grep -q 'in blocks of 48,1,1' "$tmp/out" &&
	exits 1 "${run[@]}" && says "values=static-scalar takes what the object proves of lanes, of blocks of 48,1,1 threads, and this launch has" &&
	exits 0 "$A" examples/saxpy/saxpy.ptx -q -o "$tmp/proved.rlo" --launch examples/saxpy/saxpy.yaml && exits 0 "${run[@]}" --checked &&
	exits 0 "$A" examples/saxpy/saxpy.ptx -q -o "$tmp/proved.rlo" && exits 0 "${run[@]}"
}
t "what is proved of lanes is for blocks of one size, or any" proved_for
profile_usage() {
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/f.prof" --no-schedule && says "had other code" && leaves_nothing "$tmp/x.rlo" &&
	exits 0 "$A" examples/saxpy/saxpy.ptx -o "$tmp/x.rlo" --profile "$tmp/f.prof" && says "note: kernel saxpy is not in it" && rm "$tmp/x.rlo" &&
	exits 0 "$A" examples/lud/lud.ptx --emit=summary --profile "$tmp/f.prof" --block=16 && says "note: kernel lud_edges is in it; what was said of a launch" &&
	exits 0 "$A" examples/lud/lud.ptx --emit=summary --profile "$tmp/f.prof" && ! grep -q note: "$tmp/err" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile README.md && says "is not JSON" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile docs/profile.schema.json && says "is no profile" &&
	sed 's/"version": 1/"version": 2/' "$tmp/f.prof" > "$tmp/two.prof" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/two.prof" && says "version 2" &&
	while IFS='|' read -r edit message; do
		sed "$edit" "$tmp/f.prof" > "$tmp/bad.prof" && ! cmp -s "$tmp/f.prof" "$tmp/bad.prof" &&
		exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/bad.prof" && says "$message" || return 1
	done <<-'END' &&
		s/"version": 1/"version": "1"/|its version is no whole number
		s/"version": 1/"version": 1.0/|its version is no whole number
		s/"version": 1/"version": 1, "executed": 3/|unknown key "executed"
		s/"code":/"cod": 3, "code":/|unknown key "cod"
		s/"object": "[^"]*"/"object": 3/|its object is no name
	END
	sed 's/\("code": "\)./\1z/' "$tmp/f.prof" > "$tmp/bad.prof" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/bad.prof" && says "16 digits" && leaves_nothing "$tmp/x.rlo" &&
	exits 2 "$A" examples/lud/lud.ptx -o "$tmp/f.prof" --profile "$tmp/f.prof" && says "would be overwritten" &&
	exits 2 "$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml --profile "$tmp/lud.rlo" && says "would overwrite" &&
	exits 1 "$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml --profile "$tmp/none/f.prof"
}
t "profiles of other code, and files that are none, are refused" profile_usage
t "the JSON of an annotation is JSON" bash -c "'$A' examples/sgemm/sgemm.ptx -q --emit=json -o - | python3 -m json.tool"
finish
