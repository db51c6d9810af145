#!/bin/bash
# What a run is asked to say besides: how values are used and how alike they are, metrics by interval, where the time went.
. "$(dirname "$0")/../lib.sh"
"$A" examples/saxpy/saxpy.ptx -q -o "$tmp/file.rlo"
t "the schemas of a usage and a comparison agree" test/tool/schema.py --same docs/usage.schema.json docs/compare.schema.json
usage_sums() { # the kernels sum to the total, values to writes; the instructions are those of a run
	"$A" examples/lud/lud.ptx -q -o "$tmp/lud.rlo" && exits 0 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --per-kernel --json "$tmp/usage.json" &&
	grep -q '^result   PASS' "$tmp/out" && [ "$(grep -c 'read never' "$tmp/out")" = 5 ] && test/tool/schema.py "$tmp/usage.json" docs/usage.schema.json &&
	"$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml -q --json - > "$tmp/usage2.json" && cmp "$tmp/usage.json" "$tmp/usage2.json" &&
	"$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml -q --json "$tmp/run.json" && python3 - "$tmp/usage.json" "$tmp/run.json" <<-'PY'
		import json, sys
		u, run = (json.load(open(f)) for f in sys.argv[1:])
		t, metrics = u["total"], {m: v["value"] for m, v in run["metrics"].items()}
		flat = lambda x: [n for v in x.values() for n in (v.values() if isinstance(v, dict) else [v])]
		assert flat(t) == [sum(c) for c in zip(*(flat(k) for k in u["kernels"].values()))] and len(u["kernels"]) == 4
		for k in u["kernels"].values():
		    assert sum(k["by_reads"].values()) == k["values"] == k["operand_writes"] > 0
		    assert sum(k["once_by_lifetime"].values()) == k["by_reads"]["once"]
		    assert 0 < k["by_shared_units_of_private"] <= k["by_shared_units"] <= k["values"]
		assert t["warp_instructions"] == metrics["warp_instructions"] and t["thread_instructions"] == metrics["thread_instructions"]
	PY
}
t "usage: sums, the schema, the same again" usage_sums
t "the schemas of values and a comparison agree" test/tool/schema.py --same docs/values.schema.json docs/compare.schema.json
values_sums() { # the kernels sum to the total; what is found is of what was executed; 64 lanes; again the same
	"$A" examples/lud/lud.ptx -q -o "$tmp/lud.rlo" && exits 0 "$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml --per-kernel --by-line --proofs --json "$tmp/values.json" &&
	grep -q '^result   PASS' "$tmp/out" && [ "$(grep -c 'no byte alike' "$tmp/out")" = 5 ] && grep -q 'lud.cl:96 ' "$tmp/out" && test/tool/schema.py "$tmp/values.json" docs/values.schema.json &&
	"$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml --by-line --proofs -q --json - > "$tmp/values2.json" && cmp "$tmp/values.json" "$tmp/values2.json" &&
	"$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml -q --warp 64 --proofs --json "$tmp/wide.json" && test/tool/schema.py "$tmp/wide.json" docs/values.schema.json &&
	python3 - "$tmp/values.json" "$tmp/wide.json" <<-'PY'
		import json, sys
		v, w = (json.load(open(f)) for f in sys.argv[1:])
		def flat(x): return [n for k, y in x.items() if k not in ("lines", "lanes_of_warp") for n in (flat(y) if isinstance(y, dict) else [y])]
		for x in (v, w):
		    t = x["total"]
		    assert flat(t) == [sum(c) for c in zip(*(flat(k) for k in x["kernels"].values()))] and len(x["kernels"]) == 4
		    assert 0 < t["scalar"]["divergent"] <= t["divergent"] and sum(t["scalar"].values()) < t["warp_instructions"]
		    assert all(p["both"] <= min(p["found"], p["proven"]) for p in t["proofs"].values() if isinstance(p, dict)) and t["proofs"]["compared"] > t["proofs"]["launches_apart"] == 0 and t["proofs"]["alu"]["both"] > 0
		    assert t["needed_lanes"] < t["active_lanes"] and 0 < t["stored"]["parts"]["bytes"] < 4 * t["lanes_of_warp"] * t["writes"]
		for k in v["kernels"].values():
		    for column, of in (("issued", "warp_instructions"), ("divergent", "divergent"), ("active_lanes", "active_lanes"), ("needed_lanes", "needed_lanes")):
		        assert sum(l[column] for l in k["lines"]) == k[of], column
		    assert sum(l["proven"] for l in k["lines"]) == sum(p["both"] for p in k["proofs"].values() if isinstance(p, dict))
		assert v["total"]["active_lanes"] == w["total"]["active_lanes"] and w["total"]["warp_instructions"] < v["total"]["warp_instructions"]
	PY
}
t "values: sums, lines, the schema, the same again" values_sums
values_text() {
	exits 0 "$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml --by-line && same test/golden/values.txt "$tmp/out"
}
t "values: the report" values_text
values_races() { # two warps that read one address at different times are no error as one of 64 lanes
	cat > "$tmp/race.ptx" <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry k(.param .u64 out)
		{
		.reg .b32 %r<9>; .reg .b64 %d<3>; .shared .align 4 .b32 sh[1];
		ld.param.u64 %d0, [out];
		mov.u32 %r0, sh;
		mov.u32 %r4, %warpid;
		ld.volatile.shared.u32 %r1, [%r0];
		add.u32 %r2, %r1, %r4;
		add.u32 %r2, %r2, 1;
		st.volatile.shared.u32 [%r0], %r2;
		ld.volatile.shared.u32 %r3, [%r0];
		mov.u32 %r5, %tid.x;
		mul.wide.u32 %d1, %r5, 4;
		add.u64 %d2, %d0, %d1;
		st.global.u32 [%d2], %r3;
		exit;
		}
	PTX
	printf 'buffers:\n  - {name: o, type: u32, count: 128}\nlaunches:\n  - {kernel: k, grid: [3], block: [128], args: [{buffer: o}]}\n  - {kernel: k, grid: [3], block: [16,3], args: [{buffer: o}]}\n' > "$tmp/race.yaml"
	exits 0 "$A" "$tmp/race.ptx" -q -o "$tmp/race.rlo" --block=128 && exits 0 "$M" values "$tmp/race.rlo" --launch "$tmp/race.yaml" --warp 64 --proofs &&
	grep -q 'all lanes that execute; [1-9][0-9]* values compared$' "$tmp/out" &&
	[ "$(grep -c 'annotated for blocks of' "$tmp/out")" = 1 ] && grep -q '^  launch 1, k in blocks of 16,3,1: annotated for blocks of 128,1,1, so nothing of this launch is compared$' "$tmp/out"
}
t "values: two warps of different times as one, launches in other blocks" values_races
values_errors() {
	local lud="$tmp/lud.rlo --launch examples/lud/lud.yaml"
	exits 2 "$M" values && exits 2 "$M" values $lud --warp 16 && says "--warp wants 32 or 64, not '16'" && exits 2 "$M" values $lud --rf g-scalar && says "unknown option" &&
	exits 2 "$M" values $lud --json "$tmp/lud.rlo" && says "would overwrite" && exits 0 "$M" values --help &&
	exits 1 "$M" values $lud --max-insns 1000 --json "$tmp/part.json" && says "the limit of 1000 warp instructions" &&
	test/tool/schema.py "$tmp/part.json" docs/values.schema.json && grep -q '"warp_instructions": 1000' "$tmp/part.json" && grep -q '"check": "partial"' "$tmp/part.json"
}
t "values: wrong use, a limit" values_errors
path() { # the thread's instructions are those that the profile counts, of a kernel of one warp; a thread that is not there has none
	"$A" examples/reduction/reduction.ptx -q -o "$tmp/reduction.rlo" &&
	exits 0 "$M" usage "$tmp/reduction.rlo" --launch examples/reduction/reduction.yaml -q --path "$tmp/path.csv" --path-thread 300 &&
	exits 0 "$M" usage "$tmp/reduction.rlo" --launch examples/reduction/reduction.yaml -q --path "$tmp/far.csv" --path-thread 99999999 &&
	[ "$(wc -l < "$tmp/far.csv")" = 1 ] && "$A" examples/reduction/reduction.ptx -q --emit=json > "$tmp/reduction.json" &&
	python3 - "$tmp/path.csv" "$tmp/reduction.json" <<-'PY'
		import csv, json, sys
		of = {k["name"]: k["instructions"] for k in json.load(open(sys.argv[2]))["kernels"]}
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		assert len(rows) > 50 and int(rows[0]["instruction"]) == 0, rows[:3]
		for a, b in zip(rows, rows[1:]):        # goes on with the next one, or to the begin of a block
		    if (a["launch"], a["round"]) != (b["launch"], b["round"]):
		        assert b["instruction"] == "0" and a["kernel"] in of, (a, b)
		        continue
		    i, j, insn = int(a["instruction"]), int(b["instruction"]), of[a["kernel"]]
		    begins = j == 0 or insn[j]["block"] != insn[j - 1]["block"]
		    assert begins or all(insn[x]["text"].startswith("@") for x in range(i + 1, j)) and j > i, (a, b)
	PY
}
t "usage --path: what one thread executes" path
usage_errors() {
	exits 2 "$M" usage && exits 2 "$M" usage "$tmp/lud.rlo" && exits 2 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --rf issue=lrr && says "unknown option" &&
	exits 1 "$M" usage "$tmp/none.rlo" --launch examples/lud/lud.yaml && says "cannot open" &&
	exits 2 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --json "$tmp/lud.rlo" && says "would overwrite" &&
	exits 1 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --json "$tmp/none/u.json" &&
	exits 1 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --max-insns 1000 --json "$tmp/part.json" && says "the limit of 1000 warp instructions" &&
	test/tool/schema.py "$tmp/part.json" docs/usage.schema.json && grep -q '"warp_instructions": 1000' "$tmp/part.json" && grep -q '"check": "partial"' "$tmp/part.json" &&
	exits 0 "$M" usage --help
}
t "usage: errors and limits" usage_errors
series() { # the intervals sum to the metrics, and are the same in both forms
	"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml -q --interval 300 --json "$tmp/run.json" --series "$tmp/run.csv" &&
	test/tool/schema.py "$tmp/run.json" docs/run.schema.json && python3 - "$tmp/run.json" "$tmp/run.csv" <<-'PY'
		import csv, json, sys
		run, rows = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))
		t = run["intervals"]
		assert t["interval"] == 300 and len(t["rows"]) == len(rows) > 3 and len(t["units"]) == len(t["columns"])
		for c, name in enumerate(t["columns"]):
		    for x, y in zip(t["rows"], rows):
		        assert str(x[c]) == y[name] or (x[c] is None and y[name] == "") or abs(float(x[c]) - float(y[name])) <= 1e-8 * abs(float(x[c])), (name, x[c], y[name])
		counters = [m for m, v in run["metrics"].items() if isinstance(v["value"], int)]
		assert "cycles" in counters and "dram_reads" in counters and "slots_memory" in counters
		for m in counters:
		    assert sum(int(r[m]) for r in rows) == run["metrics"][m]["value"], m
	PY
}
t "the metrics of the intervals sum to those of the run" series
series_usage() {
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --interval 0 --json - && says "1 cycle or more" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --interval 10 && says "--series or --json" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --functional --series "$tmp/no.csv" && says "--functional" &&
	leaves_nothing "$tmp/no.csv" &&
	exits 1 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --series /nonexistent/x.csv && says "/nonexistent/x.csv"
}
t "--interval and --series are refused where they mean nothing" series_usage
explained() { # everything sums to the slots; the same at any number of threads, and of a run that stops
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml)
	"${run[@]}" --explain=all --threads 1 --json "$tmp/e1.json" > "$tmp/e1.txt" && "${run[@]}" --explain=all --threads 3 --json "$tmp/e3.json" > "$tmp/e3.txt" &&
	cmp "$tmp/e1.json" "$tmp/e3.json" && cmp "$tmp/e1.txt" "$tmp/e3.txt" && test/tool/schema.py "$tmp/e1.json" docs/run.schema.json &&
	for w in 'where issue slots went' 'saxpy.ptx:' 'mad.lo.s32' 'results waited for most' 'memory instructions, by cycles' 'lines 1.0/1.0' 'register-file banks' 'occupancy: blocks of'; do
		grep -qF -- "$w" "$tmp/e1.txt" || { echo "no '$w'"; return 1; }
	done
	exits 1 "${run[@]}" --explain --max-cycles 700 --json "$tmp/e0.json" && grep -q 'where issue slots went' "$tmp/out" &&
	python3 - "$tmp/e1.json" "$tmp/e0.json" <<-'PY'
		import collections, json, sys
		def total(list, key):
		    sum = collections.Counter()
		    for x in list: sum.update(x[key])
		    return sum
		for run in (json.load(open(f)) for f in sys.argv[1:]):
		    k, m = run["explain"]["kernels"][0], {n: v["value"] for n, v in run["metrics"].items()}
		    assert k["cycles"] == m["cycles"] and all(m["slots_" + r] == n for r, n in k["slots"].items())
		    assert sum(k["slots"].values()) == m["issue_slots"] and sum(k["warp_cycles"].values()) == m["resident_warp_cycles"]
		    here = collections.Counter(k["slots"])
		    assert total(k["sms"], "slots") == here
		    here.pop("empty", 0)
		    for part in "lines instructions warps warp_slots".split():
		        assert total(k[part], "slots") == here, part
		        assert total(k[part], "warp_cycles") == collections.Counter(k["warp_cycles"]), part
		    waited = sum(here[r] for r in ("scoreboard", "memory", "drain"))
		    for part in "lines instructions".split():
		        assert sum(x["slots_for"] for x in k[part]) + k["slots_for_none"] == waited, part
		        lines = sum((collections.Counter(x["memory"]) for x in k[part] if "memory" in x), collections.Counter())
		        assert lines["times"] == m["mem_instructions"] and lines["stores"] == m["l1_writes"] and lines["lines"] > 0
		        assert sum(x["bank_cycles"] for x in k[part]) == sum(b["read_cycles"] + b["write_cycles"] for b in k["banks"])
		    assert sum(b["reads"] for b in k["banks"]) == m["rf_reads"] and sum(b["reads_delayed"] for b in k["banks"]) == m["rf_bank_conflicts"]
	PY
}
t "--explain adds up to the counters, at any number of threads" explained
native_memory() { # machine code on sub-cores: what each access would need at best is known, and what it takes of the unit that all share
	exits 0 "$M" run test/sass/cubin/lavamd.sm_90a.cubin --launch examples/lavamd/lavamd.yaml --machine rtx3080 --quiet --explain=memory --json "$tmp/n.json" &&
	python3 - "$tmp/n.json" <<-'PY'
		import json, re, sys
		seen = 0
		for i in json.load(open(sys.argv[1]))["explain"]["kernels"][0]["instructions"]:
		    m = i.get("memory")
		    if not m: continue
		    assert m["unit_cycles"] >= max(2 * m["times"], m["passes"]), i["text"]
		    of = re.match(r"(LDG|STG|LDS|STS)(?:\.E)?(?:\.(64|128))? ", i["text"])
		    if not of: continue
		    seen += 1
		    assert m["ideal_lines" if of[1][2] == "G" else "ideal_passes"] == m["times"] * int(of[2] or 32) // 32, i["text"]
		    assert of[1] != "STS" or m["passes"] == 8 * m["ideal_passes"] # lanes in steps of 128 bytes
		assert seen == 19, seen
	PY
}
t "memory instructions of machine code, and their unit on sub-cores" native_memory
explained_stopped() { # wherever it is stopped: accesses that wait then are counted, though their bank has not taken them
	local rf n
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/sgemm.rlo" || return 1
	for rf in baseline corf++ wir-rlpv; do
		for n in 777 5000 9999 12345; do
			exits 1 "$M" run "$tmp/sgemm.rlo" --launch examples/sgemm/sgemm.yaml --rf "$rf" --max-cycles "$n" --explain --quiet --json "$tmp/stopped.json" && grep -q '"check": "partial"' "$tmp/stopped.json" || return 1
		done
	done
}
t "--explain of a run that is stopped" explained_stopped
explained_reuse() { # repeats by reason, line and instruction sum; a page for people; not part of what --explain prints by itself
	local e
	for e in sobel kmeans; do
		"$A" "examples/$e/$e.ptx" -q -o "$tmp/r.rlo" &&
		"$M" run "$tmp/r.rlo" --launch "examples/$e/$e.yaml" --explain=reuse --json "$tmp/r.json" > "$tmp/r.txt" && test/tool/schema.py "$tmp/r.json" docs/run.schema.json &&
		sed -n '/^explain/,$p' "$tmp/r.txt" > "$tmp/out" && same "test/golden/reuse/$e.txt" "$tmp/out" && python3 - "$tmp/r.json" <<-'PY' || return 1
			import collections, json, sys
			run = json.load(open(sys.argv[1]))
			for k in run["explain"]["kernels"]:
			    total = k["repeats"]
			    assert total["issued"] == run["kernels"][k["kernel"]]["metrics"]["warp_instructions"]["value"]
			    for part in "lines instructions".split():
			        some = [x["repeats"] for x in k[part] if "repeats" in x]
			        for c in "issued repeated often".split():
			            assert sum(x[c] for x in some) == total[c], (part, c)
			        assert total["why"] == sum((collections.Counter(x["why"]) for x in some), collections.Counter())
			        assert len(some) and all(x["repeated"] == sum(x["why"].values()) and x["often"] <= x["repeated"] <= x["issued"] for x in some)
			    assert k["sampled_repeats"]["repeated"] >= k["sampled_repeats"]["often"] and k["sampled_repeats"]["repeated"] <= total["repeated"]
		PY
	done
	"$M" run "$tmp/r.rlo" --launch examples/kmeans/kmeans.yaml --explain --json "$tmp/r.json" > "$tmp/out" && ! grep -q 'repeated comp' "$tmp/out" && ! grep -q '"repeats"' "$tmp/r.json"
}
t "--explain=reuse: repeats sum, and the page" explained_reuse
became() { # under each reuse: what became of repeats sums to them, and to what was reused
	local rf
	"$A" examples/hotspot/hotspot.ptx -q -o "$tmp/r.rlo" || return 1
	for rf in wir-r wir-rlpv wir-novsb; do
		"$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf "$rf" --explain=reuse,listing --json "$tmp/r.json" > "$tmp/r.txt" &&
		grep -q 'what the register file made of them' "$tmp/r.txt" && grep -q 'else mostly' "$tmp/r.txt" && grep -q 'reads or writes predicates' "$tmp/r.txt" &&
		test/tool/schema.py "$tmp/r.json" docs/run.schema.json && python3 - "$tmp/r.json" "$rf" <<-'PY' || return 1
			import collections, json, sys
			run = json.load(open(sys.argv[1]))
			k = run["explain"]["kernels"][0]
			total = k["became"]
			for part in "lines instructions".split():
			    some = [x for x in k[part] if "became" in x]
			    assert total["repeated"] == sum((collections.Counter(x["became"]["repeated"]) for x in some), collections.Counter())
			    assert total["reused_beyond"] == sum(x["became"]["reused_beyond"] for x in some)
			    assert all(sum(x["became"]["repeated"].values()) == x["repeats"]["repeated"] for x in some)
			kinds = k["became_kinds"]
			assert sum(kinds.values()) == total["repeated"]["kind"] and {"predicate", "special_register"} <= set(kinds), kinds
			assert ("load" in kinds) == ("rlpv" not in sys.argv[2]), kinds
			assert sum(total["repeated"].values()) == k["repeats"]["repeated"] and "open" not in total["repeated"]
			found = sum(total["repeated"].get(n, 0) for n in ("reused", "reused_late")) + total["reused_beyond"]
			assert found == run["metrics"]["reused_instructions"]["value"] > 0
		PY
	done
	exits 1 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf wir-rlpv --explain=reuse --max-cycles 2000 && grep -q 'the run was stopped before' "$tmp/out"
}
t "--explain=reuse: what became of repeats" became
reuse_section() { # the page says unasked what was reused; without reuse it has no such section. Names in another order are found
	exits 0 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf wir-rlpv && grep -Eq '^  reuse_rate +0\.0[0-9]+ +0\.0000 +- ratio ' "$tmp/out" &&
	grep -Eq '^  dummy_moves +0 +0 ' "$tmp/out" && grep -Eq '^  verify_reads +[1-9]' "$tmp/out" && grep -Eq '^  reuse_races +0 +0 ' "$tmp/out" &&
	[ "$(grep -c '^reuse$' "$tmp/out")" = 1 ] && exits 0 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf affine &&
	! grep -q '^reuse$\|reuse_rate' "$tmp/out" && exits 2 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --rf wir-rlpv+affine &&
	says "did you mean affine+wir-rlpv?" && exits 0 "$M" run --help && grep -q -- '--rf CONFIG .*sm-model list rf' "$tmp/out"
}
t "what was reused, unasked" reuse_section
explained_levels() { # the listing has the shares that the JSON has, and no column for them where there is no hierarchy
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --machine hierarchical-rf --explain=listing)
	exits 0 "${run[@]}" && ! grep -q 'upper   memory' "$tmp/out" && exits 0 "${run[@]}" --rf rfc --json "$tmp/e.json" && grep -q 'waited for  upper   memory$' "$tmp/out" &&
	python3 - "$tmp/e.json" "$tmp/out" <<-'PY'
		import json, re, sys
		want = {i["index"]: i.get("operands_from") for i in json.load(open(sys.argv[1]))["explain"]["kernels"][0]["instructions"]}
		lines = [(m[1], int(m[2])) for m in (re.match(r"(.*?)\[(\d{4})\]  ", l) for l in open(sys.argv[2])) if m]
		assert len(lines) == len(want) and any(want.values())
		for text, i in lines:
		    from_, shown = want[i], text[69:78].strip()
		    assert shown == (f"{100 * (from_['l1'] + from_['l0']) / sum(from_.values()):.2f}%" if from_ else ""), (i, text, from_)
	PY
}
t "the listing of --explain has the share of upper levels" explained_levels
explain_usage() {
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain=nonsense && says "there is no 'nonsense'" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain --functional && says "--functional" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain --explain=sms && says "twice" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain slot && says "'slot'; a value of --explain follows an equals sign" &&
	exits 2 "$M" run --explain slot "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml && says "a value of --explain follows" &&
	exits 2 "$M" run --explain reuse,nonsense "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml && says "there is no 'nonsense'" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain nonsense,reuse && says "there is no 'nonsense'" &&
	exits 0 "$M" run --help && grep -q -- '--explain\[=LIST\].*next word' "$tmp/out" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain= && says "lacks what follows" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain=all -q && says "--json"
}
t "--explain is refused where it means nothing" explain_usage
explain_word() { # sections as the next word, before and behind the object
	"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain=sms,banks > "$tmp/e.equals" &&
		"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain sms,banks | cmp - "$tmp/e.equals" &&
		"$M" run --explain sms,banks "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml | cmp - "$tmp/e.equals" &&
		cp "$tmp/file.rlo" "$tmp/sms,rlo" && (m=$(realpath "$M"); cd "$tmp" && "$m" run --explain sms,rlo --launch "$OLDPWD/examples/saxpy/saxpy.yaml") > "$tmp/e.named" && grep -q '^explain' "$tmp/e.named" &&
		"$M" run --explain "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml > "$tmp/e.bare" && ! cmp -s "$tmp/e.bare" "$tmp/e.equals"
}
t "--explain takes names of sections as the next word" explain_word
on_sub_cores() { # OBJECT LAUNCH: what watchers count is what the model counts
	exits 0 "$M" run "$1" --launch "$2" --machine rtx3080 --set sms=4 --explain && grep -q 'long_scoreboard' "$tmp/out"
}
for n in sgemm conv reduction; do
	"$A" "examples/$n/$n.ptx" -q -o "$tmp/$n.rlo"
	t "$n on sub-cores adds up" on_sub_cores "$tmp/$n.rlo" "examples/$n/$n.yaml"
done
t "machine code on sub-cores adds up" on_sub_cores test/sass/cubin/sgemm.sm_86.cubin examples/sgemm/sgemm.yaml
finish
