#!/bin/bash
# sm-model compare: each configuration counts what sm-model run counts for it alone; one that fails leaves the others alone;
# what is written fits its schema; wrong usage. QUICK=1: without the studies.
. "$(dirname "$0")/../lib.sh"
on() { echo "$tmp/$1.rlo" --launch "examples/$1/$1.yaml"; }
for k in saxpy bfs; do "$B/ptx-annotate" examples/$k/$k.ptx -q -o "$tmp/$k.rlo" || exit 1; done

alone() { # KERNEL: rows of CSV and JSON against runs of their own
	exits 0 "$M" compare $(on "$1") --rf baseline,issue=lrr --rf issue=lrr --config sms=2,rf_banks=4,issue=lrr,name=small --set l1_ways=2 \
		--csv "$tmp/c.csv" --json "$tmp/c.json" && grep -q PASS "$tmp/out" && test/tool/schema.py "$tmp/c.json" docs/compare.schema.json &&
	"$M" run $(on "$1") -q --rf baseline,issue=lrr --set l1_ways=2 --json "$tmp/0.json" &&
	"$M" run $(on "$1") -q --rf issue=lrr --set l1_ways=2 --set sms=2 --set rf_banks=4 --json "$tmp/2.json" &&
	python3 - "$tmp" <<-'PY'
		import csv, json, sys
		load = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
		both, rows = load("c"), list(csv.DictReader(open(sys.argv[1] + "/c.csv", newline="")))
		assert [c["name"] for c in both["configurations"]] == ["baseline,issue=lrr", "issue=lrr", "small"] == [r["configuration"] for r in rows]
		for i, name in (0, "0"), (1, "0"), (2, "2"):
		    c, run = both["configurations"][i], load(name)
		    assert c["metrics"] == run["metrics"] and c["config"] == run["config"] and c["rf"] == run["rf"], i
		    assert c["launch_cycles"] == [l["cycles"] for l in run["launches"]]
		    for metric, v in run["metrics"].items():
		        assert rows[i][metric] == "" if v["value"] is None else abs(float(rows[i][metric]) - v["value"]) <= 1e-9 * abs(v["value"]), (i, metric)
		assert both["configurations"][0]["metrics"] != both["configurations"][2]["metrics"]
	PY
}
t "saxpy: as each configuration alone" alone saxpy
t "bfs, which repeats launches: as each configuration alone" alone bfs
again() { exits 0 "$M" compare $(on bfs) -q --sweep rf_banks=16,4 --sweep issue=gto,lrr --json "$tmp/$1.json" --csv "$tmp/$1.csv"; }
t "the same bytes again" bash -c "$(declare -f again exits on); tmp=$tmp M=$M; again 1 && again 2 && cmp $tmp/1.json $tmp/2.json && cmp $tmp/1.csv $tmp/2.csv"
sweep() {
	exits 0 "$M" compare $(on saxpy) --rf baseline,issue=lrr --config name=big,sms=16 --sweep rf_banks=16,4 --metrics cycles,ipc --csv - &&
	python3 - "$tmp/out" <<-'PY' && grep -q '^  big,rf_banks=4 ' "$tmp/err"
		import csv, sys
		rows = list(csv.reader(open(sys.argv[1], newline="")))
		assert rows[0] == ["configuration", "machine", "rf", "failed", "partial", "cycles", "ipc"], rows[0]
		assert [r[0] for r in rows[1:]] == [c + ",rf_banks=" + b for c in ("baseline,issue=lrr", "big") for b in ("16", "4")], rows
	PY
}
t "--sweep, --metrics, CSV on standard output" sweep
beside() { # of two configurations swept, each ratio is to the first with the same values; of one, to the first of all
	exits 0 "$M" compare $(on saxpy) --rf baseline --config name=big,sms=30 --sweep rf_banks=16,1 --metrics cycles &&
	grep -Eq '^  baseline,rf_banks=1 +[0-9]+  1\.000$' "$tmp/out" && grep -Eq '^  big,rf_banks=16 +[0-9]+  0\.[0-9]+$' "$tmp/out" &&
	grep -q '^ratios are to the first of the configurations that were swept, with the same values: of baseline,rf_banks=1 to baseline,rf_banks=1$' "$tmp/out" &&
	exits 0 "$M" compare $(on saxpy) --sweep rf_banks=16,1 --sweep issue=gto,lrr --metrics cycles &&
	! grep -Eq '^  rf_banks=1,.* 1\.000$' "$tmp/out" && ! grep -q '^ratios are' "$tmp/out"
}
t "--sweep of several configurations: what ratios are to" beside
unseen() { # what a configuration does not look for has no value
	exits 0 "$M" compare $(on bfs) --machine g-scalar --rf baseline,g-scalar --metrics divergent_share,compression_ratio,divergent_scalar_share --json "$tmp/u.json" --csv "$tmp/u.csv" &&
	grep -Eq '^  baseline +- +- +- +- +- +-$' "$tmp/out" && grep -Eq '^  g-scalar +0\.[0-9]+ +- +[0-9.]+ +- +0\.[0-9]+ +-$' "$tmp/out" &&
	sed -n 2p "$tmp/u.csv" | grep -q '^baseline,g-scalar,baseline,0,,,,$' && test/tool/schema.py "$tmp/u.json" docs/compare.schema.json && python3 - "$tmp/u.json" <<-'PY'
		import json, sys
		none, some = (c["metrics"] for c in json.load(open(sys.argv[1]))["configurations"])
		assert none["compression_ratio"]["value"] is None and some["compression_ratio"]["value"] > 1 and some["divergent_share"]["value"] > 0
	PY
}
t "metrics that a configuration does not look for" unseen
unasked() { # where a configuration reuses, its rate stands behind the main metrics, and the energy of SMs where the table has it
	exits 0 "$M" compare $(on saxpy) --machine wir --rf baseline,wir-rlpv && grep -Eq '^  reuse_rate +ratio +0\.0000 +- +0\.[0-9]+ +-$' "$tmp/out" &&
	grep -Eq '^  sm_energy +uJ +[0-9.]+ +1\.000 +[0-9.]+ +[0-9.]+$' "$tmp/out" && exits 0 "$M" compare $(on saxpy) --machine corf --rf baseline,wir-rlpv &&
	grep -q ' reuse_rate ' "$tmp/out" && ! grep -q 'sm_energy' "$tmp/out" && exits 0 "$M" compare $(on saxpy) --machine wir --rf baseline,affine &&
	! grep -q 'reuse_rate\|sm_energy' "$tmp/out" && exits 0 "$M" compare $(on saxpy) --machine wir --rf baseline,wir-rlpv --metrics cycles && ! grep -q 'reuse_rate' "$tmp/out"
}
t "metrics unasked: reuse" unasked
misspelt() {
	exits 2 "$M" compare $(on saxpy) --rf baseline,corf --metrics cycels && says "no metric is called 'cycels'" && says "; did you mean cycles?"
}
t "a metric of another name" misspelt
fails() { # a machine on which a block does not fit, and one on which two warps do not
	exits 1 "$M" compare $(on saxpy) --config threads_per_sm=32,name=tiny --rf baseline --json "$tmp/f.json" && says "configuration tiny: " &&
	says "does not fit an SM" && grep -q 'tiny  *failed' "$tmp/out" && grep -q PASS "$tmp/out" && test/tool/schema.py "$tmp/f.json" docs/compare.schema.json &&
	exits 1 "$M" compare $(on saxpy) --config threads_per_sm=32,name=a --config threads_per_sm=64,name=b && says "configuration a: " && says "configuration b: "
}
t "a configuration that fails leaves the others alone" fails
stuck() { # one that gives up in the middle of a launch of many records: the others neither wait for it nor count anything else
	"$B/ptx-annotate" examples/nbody/nbody.ptx -q -o "$tmp/nbody.rlo" &&
	exits 1 timeout 60 "$M" compare $(on nbody) --rf baseline --config progress_cycles=1000,icnt_latency=1000,name=impatient --rf issue=lrr \
		--csv "$tmp/s.csv" && says "configuration impatient: " && says "the model makes no progress" && grep -q 'impatient  *failed' "$tmp/out" &&
	exits 0 "$M" compare $(on nbody) -q --rf baseline --rf issue=lrr --csv "$tmp/s2.csv" && grep -v impatient "$tmp/s.csv" | cmp - "$tmp/s2.csv"
}
t "a configuration that stops in the middle" stuck
all() { exits 0 "$M" compare $(on saxpy) --all --sweep rf_banks=1,2,4,8,16 && [ "$(grep -c '^  l1_reads ' "$tmp/out")" = 2 ]; }
t "--all: metrics are the rows" all
unpriced() { # a table of energies without renaming and packing: said once, of the configurations that have them
	exits 0 "$M" compare $(on saxpy) -q --rf baseline,first-fit,rfv --set energy=hrf &&
	says "configuration first-fit: the energy table hrf gives no rename_access, pack_operation, rf_leakage, rename_leakage, pack_leakage: " &&
	says "; so with 1 more" && [ "$(grep -c note "$tmp/err")" = 1 ] &&
	exits 0 "$M" run $(on saxpy) -q --rf rfv --set energy=hrf && says "gives no rename_access, rf_leakage, rename_leakage: " &&
	exits 0 "$M" run $(on saxpy) -q --set energy=hrf && [ ! -s "$tmp/err" ] && exits 0 "$M" run $(on saxpy) -q --rf first-fit && [ ! -s "$tmp/err" ]
}
t "costs that a table of energies lacks" unpriced
facts() { # storage and code of every preset, in all forms; the code is what is executed, and what tells hardware of it
	presets=$("$M" list rf | sed -n '/^axes/q; s/^  \([a-z][^ ]*\)  *[^ ].*/\1/p' | paste -sd,) &&
	exits 0 "$M" compare $(on bfs) --rf "$presets" --set energy=all --metrics storage_bits,code_bytes,sm_energy --per-kernel --csv "$tmp/facts.csv" --json "$tmp/facts.json" &&
	grep -Eq '^  added to an SM and to code +storage  of the registers +code  ratio$' "$tmp/out" && grep -Eq '^  corf\+\+ +47456 +4\.53 +[0-9]+  1\.[0-9]+$' "$tmp/out" &&
	test/tool/schema.py "$tmp/facts.json" docs/compare.schema.json && "$B/ptx-annotate" examples/bfs/bfs.ptx --emit=json > "$tmp/facts.k" &&
	python3 - "$tmp" <<-'PY'
		import csv, json, sys
		kernels = {k["name"]: k for k in json.load(open(sys.argv[1] + "/facts.k"))["kernels"]}
		rows = {(r["configuration"], r["kernel"]): r for r in csv.DictReader(open(sys.argv[1] + "/facts.csv", newline=""))}
		configs = {c["name"]: c for c in json.load(open(sys.argv[1] + "/facts.json"))["configurations"]}
		assert len(configs) > 30 and len(kernels) == 2
		code = lambda c, k="": int(rows[c, k]["code_bytes"])
		for name, c in configs.items():
		    of = c["registers"]
		    assert of["storage_bits"] == sum(of["storage"].values()) == int(rows[name, ""]["storage_bits"]) and float(rows[name, ""]["sm_energy"]) > 0, name
		    assert {k: code(name, k) for k in kernels} == of["code_bytes"] and sum(of["code_bytes"].values()) == code(name), name
		    assert (of["storage_bits"] > 0) == (name != "baseline" and not name.startswith("all-")), name
		for k, x in kernels.items():
		    n, dead = len(x["instructions"]), x["release_metadata"]
		    assert code("baseline", k) == code("g-scalar", k) == code("wir-rlpv", k) == 8 * n
		    assert code("orf", k) == code("split-lrf+orf", k) == 8 * n + (n + 7) // 8 and code("rfc", k) == 8 * n + (4 * n + 7) // 8 and code("rfc2", k) == 8 * n + (5 * n + 7) // 8
		    assert code("rfv", k) == 8 * (n + dead["flag_words"] + dead["register_words"]) > 8 * n
		assert code("corf") > code("baseline") and code("corf++") > code("baseline") and not (code("corf") - code("baseline")) % 8
	PY
}
t "storage and code of every preset" facts
limit() { exits 1 "$M" compare $(on bfs) --sweep rf_banks=1,2 --max-insns 1000 && grep -q "^result   PARTIAL: the limit of 1000" "$tmp/out"; }
t "--max-insns stops all configurations" limit
kernels() { # bfs has two: their counters sum to the run's, in every form
	exits 0 "$M" compare $(on bfs) --rf baseline --rf issue=lrr --per-kernel --csv "$tmp/p.csv" --json "$tmp/p.json" &&
	[ "$(grep -c '^kernel   ' "$tmp/out")" = 3 ] && [ "$(sed '/over kernels/,$d' "$tmp/out" | grep -c '^  issue=lrr ')" = 3 ] && test/tool/schema.py "$tmp/p.json" docs/compare.schema.json &&
	exits 0 "$M" run $(on bfs) --per-kernel --rf issue=lrr --json "$tmp/pr.json" && test/tool/schema.py "$tmp/pr.json" docs/run.schema.json &&
	[ "$(grep -c '^  l1_hit_rate ' "$tmp/out")" = 3 ] && [ "$(grep -c '^  rf_energy ' "$tmp/out")" = 3 ] &&
	python3 - "$tmp" <<-'PY'
		import csv, json, sys
		run, both = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("pr", "p"))
		rows = list(csv.DictReader(open(sys.argv[1] + "/p.csv", newline="")))
		assert len(run["kernels"]) == 2 and both["configurations"][1]["kernels"] == run["kernels"]
		for m, v in run["metrics"].items():
		    parts = [k["metrics"][m]["value"] for k in run["kernels"].values()]
		    assert not isinstance(v["value"], int) or sum(parts) == v["value"], m
		for name, k in run["kernels"].items():
		    cycles = sum(l["cycles"] for l in run["launches"] if l["kernel"] == name)
		    assert 0 < k["metrics"]["cycles"]["value"] == cycles < run["metrics"]["cycles"]["value"]
		assert [r["kernel"] for r in rows] == ["", *run["kernels"]] * 2
		for r, k in zip(rows[4:], run["kernels"].values()):
		    assert int(r["cycles"]) == k["metrics"]["cycles"]["value"] and r["configuration"] == "issue=lrr"
	PY
}
t "--per-kernel: the counters of kernels sum to those of the run" kernels
clocks() { # cycles of different lengths are not compared; seconds are, unasked
	exits 0 "$M" compare $(on saxpy) --sweep machine=gtx480,corf,hierarchical-rf --csv "$tmp/k.csv" --json "$tmp/k.json" &&
	grep -q '^  configuration  *seconds  ratio  cycles  ratio ' "$tmp/out" && grep -q '^SM clocks differ' "$tmp/out" &&
	grep -qE '^  machine=corf +[0-9.]+ +[0-9.]+ +[0-9]+  [0-9.]+ ' "$tmp/out" &&
	grep -qE '^  machine=hierarchical-rf +[0-9.]+ +[0-9.]+ +[0-9]+  {9}' "$tmp/out" &&
	exits 0 "$M" compare $(on saxpy) --sweep machine=gtx480,corf && ! grep -q 'seconds\|SM clocks' "$tmp/out" &&
	exits 0 "$M" compare $(on saxpy) --sweep sm_mhz=700,350 --metrics cycles && ! grep -q ' seconds ' "$tmp/out" && grep -qE '^  sm_mhz=350 +[0-9]+$' "$tmp/out"
}
t "machines of different clocks: seconds" clocks
two() { exits 2 "$M" compare $(on saxpy) --rf baseline --config rfc,orf && says "--rf: 'rfc' and 'orf' are two presets"; }
t "two presets in one configuration" two
idle() { # unless a configuration beside it that has it changed reads it
	exits 0 "$M" compare $(on saxpy) -q --sweep issue=gto,lrr --set active_warps=4 && says "note: configuration issue=gto: active_warps counts with" &&
	says "so with 1 more" && exits 0 "$M" compare $(on saxpy) -q --sweep issue=gto,two-level --set active_warps=4 && [ ! -s "$tmp/err" ] &&
	exits 0 "$M" compare $(on saxpy) -q --machine hierarchical-rf --rf baseline,rfc --sweep rf_l1_entries=3,4 && ! grep -q 'counts with' "$tmp/err" &&
	exits 0 "$M" compare $(on saxpy) -q --config active_warps=4 --config issue=two-level && says "configuration active_warps=4: active_warps counts with"
}
t "a parameter that changes nothing is noted" idle
checked() { # each configuration has delivered every operand that was read once written; nothing that is measured changes
	exits 0 "$M" compare $(on saxpy) --checked --sweep rf_banks=1,2 --csv "$tmp/k.csv" --json "$tmp/k.json" &&
	grep -q 'dead registers overwritten' "$tmp/out" && grep -q 'PASS  rf_banks=2 delivered [1-9][0-9]* operands with the right values' "$tmp/out" &&
	exits 0 "$M" compare $(on saxpy) -q --sweep rf_banks=1,2 --csv "$tmp/plain.csv" && cmp "$tmp/k.csv" "$tmp/plain.csv" &&
	python3 - "$tmp/k.json" <<-'PY'
		import json, sys
		r = json.load(open(sys.argv[1]))
		assert [d["configuration"] for d in r["delivered"]] == [c["name"] for c in r["configurations"]]
		assert all(d["operands"] > 0 and d["poisoned_bytes"] > 0 for d in r["delivered"])
	PY
}
t "--checked" checked
energies() { # components sum to their totals, of every configuration; only who has a table or packers pays for them
	exits 0 "$M" compare $(on saxpy) -q --machine corf --rf baseline,first-fit,corf,corf++ --sweep residency=static,rfv --json "$tmp/e.json" &&
	python3 - "$tmp/e.json" <<-'PY'
		import json, sys
		for c in json.load(open(sys.argv[1]))["configurations"]:
		    m = {k: v["value"] for k, v in c["metrics"].items()}
		    packs = c["axes"]["packing"] != "none"
		    renames = packs or c["axes"]["residency"] == "rfv"
		    dynamic = ("rf_read_energy", "rf_write_energy", "rename_energy", "pack_logic_energy")
		    leakage = ("rf_array_leakage", "rename_leakage", "pack_leakage")
		    for whole, parts in (("rf_dynamic_energy", dynamic), ("rf_leakage_energy", leakage), ("rf_energy", dynamic + leakage)):
		        assert abs(m[whole] - sum(m[p] for p in parts)) <= 1e-9 * m[whole], (c["name"], whole)
		    assert (m["rename_energy"] > 0) == (m["rename_leakage"] > 0) == renames, c["name"]
		    assert (m["pack_logic_energy"] > 0) == (m["pack_leakage"] > 0) == packs, c["name"]
	PY
}
t "energies sum over their components" energies
encoded() { # sections 4.7 and 7.9: deschedule bit, a last-read bit for each of three sources, one for results that shared units may read
	exits 0 "$M" compare $(on saxpy) --machine hierarchical-rf --rf baseline,rfc,rfc2,orf,lrf+orf,split-lrf+orf --json "$tmp/s.json" &&
	python3 - "$tmp/s.json" <<-'PY'
		import json, sys
		bits = [c["saved"]["encoding_bits"] for c in json.load(open(sys.argv[1]))["configurations"]]
		assert bits == [0, 4, 5, 1, 1, 1], bits
	PY
}
t "a hierarchy is charged the bits that its instructions need" encoded
saved() { # where a level is above the register file: its parts sum up, and what is saved of an SM and the chip is said
	exits 0 "$M" compare $(on saxpy) --machine hierarchical-rf --rf baseline --rf hierarchy=all-l0 --rf hierarchy=all-l1 --json "$tmp/s.json" &&
	grep -q '^  dynamic energy saved  *register file' "$tmp/out" && test/tool/schema.py "$tmp/s.json" docs/compare.schema.json && python3 - "$tmp/s.json" <<-'PY' &&
		import json, sys
		none, l0, l1 = json.load(open(sys.argv[1]))["configurations"]
		assert none["saved"]["register_file"] == none["saved"]["net"] == 0
		for c in (none, l0, l1):
		    m = {k: v["value"] for k, v in c["metrics"].items()}
		    access, wire = sum(m[f"rf_{k}_energy"] for k in ("read", "write", "l1_read", "l1_write", "l0_read", "l0_write")), sum(
		        m[f"rf_{k}_wire_energy"] for k in ("main", "l1", "l0"))
		    assert abs(m["rf_access_energy"] - access) <= 1e-9 * access and abs(m["rf_wire_energy"] - wire) <= 1e-9 * wire, c["name"]
		    assert abs(m["rf_dynamic_energy"] - access - wire) <= 1e-9 * access, c["name"]
		    s = c["saved"]
		    assert abs(s["chip"] - 0.105 * s["register_file"]) < 1e-12 and abs(s["net"] - s["chip"] + 0.003 * s["encoding_bits"]) < 1e-12, s
		assert 0.85 < l0["saved"]["register_file"] < 0.95 and 0.5 < l1["saved"]["register_file"] < l0["saved"]["register_file"]
	PY
	exits 0 "$M" compare $(on saxpy) --machine hierarchical-rf --sweep active_warps=4,8 --json "$tmp/s.json" &&
	! grep -q 'dynamic energy saved' "$tmp/out" && ! grep -q '"saved"' "$tmp/s.json" &&
	exits 0 "$M" compare $(on saxpy) --machine corf --rf baseline --rf hierarchy=all-l0 && grep -q '^  hierarchy=all-l0  *not known$' "$tmp/out" &&
	says 'gives no l0_read, l0_write, l0_wire' && says '--set energy=hrf gives them' && grep -q 'section 6.3: 130 W' "$tmp/out" &&
	exits 0 "$M" compare $(on saxpy) --rf baseline --rf hierarchy=all-l0 --csv "$tmp/s.csv" --json "$tmp/s.json" \
		--metrics cycles,rf_read_energy,rf_dynamic_energy,rf_leakage_energy && test/tool/schema.py "$tmp/s.json" docs/compare.schema.json &&
	grep -Eq '^  hierarchy=all-l0 .* not known  *-  ' "$tmp/out" && grep -Eq '^hierarchy=all-l0,gtx480,[^ ]*,0,,[0-9]+,[0-9.]+,,[0-9.e+]+$' "$tmp/s.csv" &&
	python3 - "$tmp/s.json" <<-'PY' &&
		import json, sys
		none, l0 = ({k: v["value"] for k, v in c["metrics"].items()} for c in json.load(open(sys.argv[1]))["configurations"])
		gpu = {"collect_energy", "integer_energy", "floating_energy", "special_energy", "address_energy", "exec_energy", "front_end_energy", "sm_memory_energy",
		    "sm_steady_energy", "sm_energy", "interconnect_energy", "l2_energy", "dram_energy", "uncore_steady_energy", "gpu_energy", "rest_energy",
		    "gpu_power", "ipc_per_watt"}        # of which a table of a register file knows nothing
		lacks = lambda c: {k for k, v in c.items() if v is None and k not in gpu}
		unseen = {"divergent_share", "divergent_scalar_share", "compression_ratio"}         # these look at no values
		assert lacks(none) == unseen and none["gpu_energy"] is None
		assert lacks(l0) - unseen == {"rf_l0_read_energy", "rf_l0_write_energy", "rf_l0_wire_energy",
		    "rf_access_energy", "rf_wire_energy", "rf_dynamic_energy", "rf_energy"}, l0
	PY
	exits 0 "$M" run $(on saxpy) --rf hierarchy=all-l0 --json "$tmp/s.json" --series "$tmp/s.csv" && test/tool/schema.py "$tmp/s.json" docs/run.schema.json &&
	grep -Eq '^  rf_dynamic_energy  *not known  *[0-9.]+  *- ' "$tmp/out"
}
t "a hierarchy's saving" saved
energy() { # parts add up to their sums, which are the metrics'; of the first configuration they are 100
	local e="$tmp/e"
	exits 0 "$M" compare $(on saxpy) --machine wir --rf baseline,g-scalar --energy --metrics sm_energy,gpu_energy --json "$e.json" && cp "$tmp/out" "$e.out" &&
	exits 0 "$M" compare $(on saxpy) --rf baseline,g-scalar --energy --metrics cycles && grep -q '^energy of the GPU: not known, as the energy table corf is of the register file alone' "$tmp/out" &&
	! grep -q 'interconnect' "$tmp/out" && exits 2 "$M" run $(on saxpy) --energy && python3 - "$e.out" "$e.json" <<-'PY'
		import json, re, sys
		metrics = [{k: v["value"] for k, v in c["metrics"].items()} for c in json.load(open(sys.argv[2]))["configurations"]]
		tables = open(sys.argv[1]).read().split("energy, % of ")[1:]
		assert len(tables) == 2
		for text, of, rows in zip(tables, ("gpu_energy", "sm_energy"), (15, 10)):
		    above, seen = [0.0, 0.0], 0
		    for line in text.splitlines()[1:]:
		        m = re.match(r"  (= )?(.*?)  +([0-9.]+)  +([0-9.]+)$", line)
		        if not m: break
		        seen += 1
		        now = [float(m[3]), float(m[4])]
		        if m[1]:        # rounded parts
		            assert all(abs(a - b) < 0.05 * 14 for a, b in zip(above, now)), (line, above)
		            whole = {"SMs": "sm_energy", "GPU": "gpu_energy"}[m[2]]
		            assert all(abs(n - 100 * x[whole] / metrics[0][of]) < 0.06 for n, x in zip(now, metrics)), line
		        else:
		            above = [a + b for a, b in zip(above, now)]
		    assert seen == rows and now[0] == 100.0, (seen, now)
	PY
}
t "where the energy goes" energy
shared() { # half of the register file, five ways: each as alone; variants count what they add, and the bits of an SM are said
	local o="$tmp/kmeans.rlo --launch examples/kmeans/kmeans.yaml -q --set rf_registers=16384"
	"$B/ptx-annotate" examples/kmeans/kmeans.ptx -q --set rf_registers=16384 --regmutex=8 --regmutex-kernel=kmeans_assign -o "$tmp/kmeans.rlo" &&
	exits 0 "$M" compare $o --rf baseline,regmutex,regmutex-paired,owf,rfv-shared --json "$tmp/r.json" --csv "$tmp/r.csv" &&
	test/tool/schema.py "$tmp/r.json" docs/compare.schema.json || return
	for rf in regmutex regmutex-paired owf rfv-shared; do "$M" run $o --rf $rf --json "$tmp/r-$rf.json" || return; done
	python3 - "$tmp" <<-'PY'
		import json, sys
		load = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
		base, *others = load("r")["configurations"]
		m = lambda c, x: c["metrics"][x]["value"]
		for c in others:
		    assert c["metrics"] == load("r-" + c["name"])["metrics"], c["name"]
		    variant = c["name"].startswith("regmutex")
		    assert (m(c, "rf_acquires") > 0) == (m(c, "rf_releases") > 0) == (m(c, "warp_instructions") > m(base, "warp_instructions")) == variant, c["name"]
		    assert (m(c, "rf_acquire_wait_cycles") > 0) == variant and m(c, "cycles") != m(base, "cycles"), c["name"]
	PY
}
t "registers shared between warps" shared
reuse_models() { # each model of WIR finds what its parts let it find; every instruction has one outcome
	"$A" examples/sobel/sobel.ptx -q -o "$tmp/sobel.rlo" &&
	exits 0 "$M" compare "$tmp/sobel.rlo" --launch examples/sobel/sobel.yaml --machine wir --rf baseline,wir-novsb,wir-r,wir-rl,wir-rlp,wir-rlpv,wir-rpv,wir-rlpvc \
		--config wir-rlpv,reuse_entries=0,name=none --config wir-rlpv,vsb_entries=0,name=unsigned --json "$tmp/reuse.json" && test/tool/schema.py "$tmp/reuse.json" docs/compare.schema.json && python3 - "$tmp/reuse.json" <<-'PY'
		import json, sys
		of = {c["name"]: {k: v["value"] for k, v in c["metrics"].items()} for c in json.load(open(sys.argv[1]))["configurations"]}
		base, outcomes = of.pop("baseline"), ("reused_instructions", "reuse_misses", "reuse_queue_full", "reuse_races", "reuse_reordered", "reuse_kind", "reuse_divergent", "reuse_pinned", "reuse_unmapped",
		                                      "reuse_store_flag", "reuse_barrier_count")
		for name, m in of.items():
		    assert m["warp_instructions"] == base["warp_instructions"] == sum(m[k] for k in outcomes), name
		    assert m["reused_instructions"] == m["reuse_hits_ready"] + m["reuse_hits_pending"], name
		    assert (m["reused_loads"] > 0) == name.startswith("wir-rl"), (name, m["reused_loads"])
		    assert (m["reuse_hits_pending"] > 0) == ("p" in name[4:]) or name in ("none", "unsigned"), name
		    assert (m["verify_cache_hits"] > 0) == (name.startswith(("wir-rlpv", "wir-rpv", "none"))), name
		    assert (m["vsb_hits"] == 0) == (name in ("wir-novsb", "unsigned")), name
		    assert (m["reuse_lookups"] == 0) == (m["reuse_buffer_energy"] == 0) == (name == "none") and m["reuse_misses"] > 0, name
		    assert m["reuse_races"] == 0 and m["rf_writes"] <= base["rf_writes"] + m["dummy_moves"], name
		reused = {name: m["reused_instructions"] for name, m in of.items()}
		assert 0 == reused["none"] < reused["wir-novsb"] < reused["wir-r"] < reused["wir-rl"] < reused["wir-rlp"] and reused["wir-rpv"] < reused["wir-rlpv"], reused
		assert base["mem_instructions"] - of["wir-rlpv"]["mem_instructions"] >= of["wir-rlpv"]["reused_loads"]
	PY
}
t "WIR's models, each part by what it finds" reuse_models
renaming_section() {
	exits 0 "$M" run $(on saxpy) && ! grep -q 'renaming and packing' "$tmp/out" &&
	exits 0 "$M" run $(on saxpy) --rf first-fit && grep -q 'renaming and packing' "$tmp/out" && grep -q '^  coalesced_instructions ' "$tmp/out"
}
t "the report of a run shows renaming where there is any" renaming_section
levels_section() {
	exits 0 "$M" run $(on saxpy) && ! grep -q 'upper levels' "$tmp/out" &&
	exits 0 "$M" run $(on saxpy) --machine hierarchical-rf --rf hierarchy=all-l1 && grep -q '^upper levels of the register file$' "$tmp/out" &&
	grep -q '^  rf_l1_reads  *[1-9]' "$tmp/out" && grep -q '^  rf_wire_energy  *[0-9.]*[1-9]' "$tmp/out"
}
t "and upper levels where there are any" levels_section
all_study() { # every technique runs and has a number everywhere; what two share they share; tables and chart are made of the counters alone
	exits 0 env EXAMPLES=saxpy test/study/all.py "$B" "$tmp" && cp "$tmp/all.md" "$tmp/first.md" && exits 0 test/study/all.py "$B" "$tmp" --tables && cmp "$tmp/first.md" "$tmp/all.md" &&
	python3 - "$tmp" <<-'PY'
		import sys, xml.etree.ElementTree as tree
		sys.path.insert(0, "test/study")
		from all_figures import TECHNIQUES
		page, text = open(sys.argv[1] + "/all.md").read(), " ".join(tree.parse(sys.argv[1] + "/all.svg").getroot().itertext())
		rows = {l.split("|")[1].strip(): l.split("|")[2:-1] for l in page.split("## Techniques")[1].split("\n## ")[0].splitlines() if l.startswith("| ") and l.split("|")[2].strip().replace(".", "").isdigit()}
		assert list(rows) == ["baseline", "baseline, gated", *list(TECHNIQUES)[1:]], set(TECHNIQUES) ^ set(rows)
		rows = {d: [float(c) for c in r] for d, r in rows.items()}       # "-" is no number
		assert all(d in text for d in TECHNIQUES if d != "baseline") and "RF reads" in text and "code" in text
		speed, reads, writes, dynamic, leaks, sm, gated, collectors, fetched, bits, percent, code = range(12)
		assert rows["baseline"] == [1] * 9 + [0, 0, 1] and 1 > rows["baseline, gated"][sm]
		assert rows["rfv"][gated] > rows["rfv"][sm] and rows["affine"][collectors] > rows["affine"][sm] == rows["affine"][fetched] and rows["rfc2"][fetched] > rows["rfc2"][sm]
		assert rows["regmutex (paper)"][bits] == rows["regmutex (auto)"][bits]
		assert rows["corf++ & rfv"][bits] == rows["corf++"][bits] and rows["split & rfv"][bits] == rows["split-lrf+orf"][bits] + rows["rfv"][bits]
		assert rows["corf++ & rfv"][leaks] <= rows["corf++"][leaks] < 1 and rows["split & rfv"][reads] == rows["split-lrf+orf"][reads] <= rows["orf"][reads] < 1
		assert rows["wir-rlpv & affine"][dynamic] < min(rows["wir-rlpv"][dynamic], rows["affine"][dynamic]) and rows["corf"][code] > 1 == rows["affine"][code]
	PY
}
if [ -n "${QUICK:-}" ]; then :; elif command -v gnuplot > /dev/null; then t "the study of all techniques runs" all_study; else skip "the study of all techniques" "needs gnuplot"; fi
wrong() {
	local c=("$M" compare $(on saxpy))
	exits 2 "${c[@]}" && says "which configurations" && exits 2 "${c[@]}" --rf baseline && says "nothing beside it" &&
	exits 2 "${c[@]}" --rf baseline,baseline && says "two configurations are called 'baseline'" &&
	exits 2 "${c[@]}" --rf baseline,nonsense && says nonsense && exits 2 "${c[@]}" --config rf_banks=0 --rf baseline && says "out of range" &&
	exits 2 "${c[@]}" --config sms=30,rf_banks=2,sms=20 --rf baseline && says "'sms' is given twice in 'sms=30,rf_banks=2,sms=20'" &&
	exits 2 "${c[@]}" --config sms=30,name=x --sweep sms=1,2 && says "'sms' is given twice" &&
	exits 2 "${c[@]}" --config machine=corf,machine=wir --rf baseline && exits 2 "${c[@]}" --config nonsense=1 --rf baseline && says "no parameter is called 'nonsense'" &&
	exits 2 "${c[@]}" --config machine=nonsense --rf baseline && says "no machine is called 'nonsense'" &&
	exits 2 "${c[@]}" --machine sm_86 --rf baseline && says "no machine is called 'sm_86'" && says "time is not modelled" &&
	exits 2 "${c[@]}" --sweep rf_banks --rf baseline && exits 2 "${c[@]}" --sweep rf_banks= --rf baseline && says "--sweep wants" &&
	exits 2 "${c[@]}" --rf baseline,issue=lrr,issue=gto --rf baseline && says "given twice" &&
	exits 2 "${c[@]}" --sweep rf_banks=1,2 --metrics cycles,nonsense && says "no metric is called 'nonsense'" &&
	exits 2 "${c[@]}" --sweep rf_banks=1,2 --metrics ipc,ipc && says "twice" && exits 2 "${c[@]}" --sweep rf_banks=1,2 --metrics ipc --all &&
	exits 2 "${c[@]}" --sweep rf_banks=1,2 --json - --csv - && exits 2 "$M" compare --rf baseline &&
	exits 1 "${c[@]}" --sweep rf_banks=1,2 --csv /nonexistent/x.csv && says 'cannot write' && [ ! -s "$tmp/out" ] &&
	exits 2 "${c[@]}" --sweep "cta_launch_cycles=$(seq -s, 1 300)" && says "more than 256 configurations"
}
t "wrong usage" wrong
alone() { # a script's one configuration is measured as beside others
	local c=("$M" compare $(on saxpy) --quiet --metrics cycles,rf_reads)
	exits 0 "${c[@]}" --rf corf --csv "$tmp/one.csv" && exits 0 "${c[@]}" --rf baseline,corf --csv "$tmp/two.csv" && [ "$(wc -l < "$tmp/one.csv")" = 2 ] &&
	[ "$(tail -1 "$tmp/one.csv")" = "$(tail -1 "$tmp/two.csv")" ] && exits 2 "${c[@]}" && says "which configurations"
}
means() { # over several kernels: each once
	exits 0 "$M" compare $(on bfs) --rf baseline --rf issue=lrr --metrics cycles --per-kernel --json "$tmp/means.json" && python3 - "$tmp/means.json" "$tmp/out" <<-'PY' &&
		import json, math, statistics, sys
		base, lrr = (c["kernels"] for c in json.load(open(sys.argv[1]))["configurations"])
		v = [lrr[k]["metrics"]["cycles"]["value"] / base[k]["metrics"]["cycles"]["value"] for k in base]
		row = [l.split() for l in open(sys.argv[2]).read().split("over kernels")[1].splitlines() if "issue=lrr" in l]
		assert row == [["issue=lrr", "cycles", str(len(v)), *(f"{x:.4f}" for x in (statistics.mean(v), statistics.median(v), statistics.geometric_mean(v)))]], row
	PY
	exits 0 "$M" compare $(on saxpy) --rf baseline --rf issue=lrr --per-kernel && ! grep -q 'over kernels' "$tmp/out"
}
t "--per-kernel: mean, median and geometric mean over kernels" means
noise() { # what --perturb adds: runs under seeds 1 to N, their ratios; the same on any number of threads
	local c=("$M" compare $(on bfs) --rf baseline --rf issue=lrr --config name=same --metrics cycles,warp_instructions)
	exits 0 "${c[@]}" --perturb 4 --per-kernel --threads 1 --json "$tmp/n1.json" && grep -q '^  means of 4 runs of each' "$tmp/out" &&
	grep -Eq '^  issue=lrr +cycles +[01][.0-9]+ +0[.0-9]+ +0[.0-9]+ +(no change|[+-][.0-9]+ %)$' "$tmp/out" &&
	grep -Eq '^  same +cycles +1.0000 +0.0000 +0.0000 +no change$' "$tmp/out" && ! grep -q 'warp_instructions  *1.0' "$tmp/out" &&
	exits 0 "${c[@]}" --perturb 4 --per-kernel --threads 5 --json "$tmp/n2.json" && cmp "$tmp/n1.json" "$tmp/n2.json" &&
	test/tool/schema.py "$tmp/n1.json" docs/compare.schema.json &&
	exits 0 "${c[@]}" --json "$tmp/n0.json" && exits 0 "${c[@]}" --set perturb=3 --json "$tmp/n3.json" && python3 - "$tmp" <<-'PY' &&
		import json, statistics, sys
		plain, noisy, third = ([c for c in json.load(open(f"{sys.argv[1]}/n{n}.json"))["configurations"]] for n in (0, 1, 3))
		for a, b, c in zip(plain, noisy, third):
		    assert a["metrics"] == b["metrics"] and "perturbed" not in a
		    p = b["perturbed"]
		    assert p["cycles"]["values"][2] == c["metrics"]["cycles"]["value"] != a["metrics"]["cycles"]["value"]
		    assert not set(p) & {"warp_instructions", "thread_instructions", "operand_reads", "rf_reads", "storage_bits", "ctas"}
		ratios = [x / y for x, y in zip(*(c["perturbed"]["cycles"]["values"] for c in (noisy[1], noisy[0])))]
		r = noisy[1]["perturbed"]["cycles"]["ratio"]
		assert abs(r["mean"] - statistics.mean(ratios)) < 1e-9 and abs(r["deviation"] - statistics.stdev(ratios)) < 1e-9
		assert r["changed"] == (abs(r["mean"] - 1) > r["half_width"]) and abs(r["half_width"] - 3.1824 * r["deviation"] / 2) < 1e-9
		assert all("cycles" in k["perturbed"] for c in noisy for k in c["kernels"].values())
	PY
	exits 0 "$M" run $(on bfs) --rf issue=lrr --perturb 3 --json "$tmp/nr.json" && grep -Eq '^  this run +cycles +[01][.0-9]+' "$tmp/out" &&
	test/tool/schema.py "$tmp/nr.json" docs/run.schema.json &&
	exits 2 "${c[@]}" --perturb 1 && says "2 to 100 runs" && exits 1 "${c[@]}" --perturb 100 && says "more than 256" && [ ! -s "$tmp/out" ]
}
t "--perturb: gains with their deviation" noise
t "one configuration, for a file" alone
finish
