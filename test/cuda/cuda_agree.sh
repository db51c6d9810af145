#!/bin/bash
# A launch file and the host program that it stands for (test/cuda_core/replay.c) are the same launches: for each example sm-model and regloom-run must
# count the same, kernel by kernel, in every metric of every configuration. Needs no nvcc. Every sixth example, others for each DRAW (test/run.sh); EVERY=1: all; EXAMPLES="a b": those.
. "$(dirname "$0")/../lib.sh"
every=${EVERY:-6}
export XDG_CACHE_HOME=$tmp/cache
R=$B/regloom-run
rf=baseline,corf++,split-lrf+orf,regmutex,g-scalar,wir-rlpv
differ() { # COMPARISON REPORT
	python3 - "$@" <<-'EOF'
	import json, math, sys
	def same(x, y): return x == y or (None not in (x, y) and math.isclose(x, y, rel_tol=1e-10))  # sm-model rounds
	compared = json.load(open(sys.argv[1]))
	kernels = {r["kernel"]: r for r in map(json.loads, open(sys.argv[2])) if r["type"] == "kernel"}
	assert compared["check"] in ("pass", "none") and kernels, compared["check"]
	wrong, seen = [], 0
	for i, c in enumerate(compared["configurations"]):
	    for name, kernel in c.get("kernels", {}).items():
	        metrics = kernel["metrics"]
	        other = kernels[name]["configurations"][i]
	        assert other["name"] == c["name"] and "metrics" in other, (name, other["name"])
	        for m, x in other["metrics"].items():
	            seen += 1
	            if not same(x["value"], metrics[m]["value"]):
	                wrong.append(f"{name}, {c['name']}: {m} is {metrics[m]['value']} in a launch file, {x['value']} in a process")
	print("\n".join(wrong[:20]), f"{len(wrong)} of {seen} differ", sep="\n")
	sys.exit(not seen or bool(wrong))
	EOF
}
agrees() { # PTX LAUNCH
	local report=$tmp/report.json
	rm -f "$report"
	exits 0 "$A" "$1" --launch "$2" -q -o "$tmp/k.rlo" && exits 0 "$M" compare "$tmp/k.rlo" --launch "$2" --rf $rf --all --json "$tmp/compare.json" -q &&
	exits 0 "$R" --rf $rf --all --report "$report" --quiet "$B/test/cuda_replay" "$1" "$2" && differ "$tmp/compare.json" "$report"
}
for launch in examples/*/*.yaml; do
	name=${launch##*/} name=${name%.yaml} ptx=${launch%.yaml}.ptx
	[ -e "$ptx" ] || continue
	if [ -n "${EXAMPLES:-}" ]; then
		[[ " $EXAMPLES " == *" $name "* ]] || continue
	else
		taken 3 || continue
	fi
	t "a process counts what a launch file does: $name" agrees "$ptx" "$launch"
done
finish
