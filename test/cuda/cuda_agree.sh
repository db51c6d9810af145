#!/bin/bash
# A launch file and the host program that it stands for (test/cuda_core/replay.c) are the same launches: for each example sm-model and regloom-run must
# count the same, kernel by kernel, in every metric of three configurations, others for each example, of PTX and of what ptxas makes of it. Needs no nvcc. Every sixth example, others for each DRAW (test/run.sh); EVERY=1: all; EXAMPLES="a b": those.
. "$(dirname "$0")/../lib.sh"
every=${EVERY:-6}
export XDG_CACHE_HOME=$tmp/cache
R=$B/regloom-run
others=(corf++ split-lrf+orf regmutex g-scalar wir-rlpv)
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
both() { # NUMBER OBJECT KERNELS LAUNCH OPTION...: what sm-model runs, what the process loads
	local report=$tmp/report.json rf=baseline,${others[$1 % 5]},${others[($1 + 2) % 5]}
	shift
	rm -f "$report"
	exits 0 "$M" compare "$1" --launch "$3" --rf $rf --all --json "$tmp/compare.json" -q &&
	exits 0 "$R" "${@:4}" --rf $rf --all --report "$report" --quiet "$B/test/cuda_replay" "$2" "$3" && differ "$tmp/compare.json" "$report"
}
agrees() { exits 0 "$A" "$1" --launch "$2" -q -o "$tmp/k.rlo" && both "$3" "$tmp/k.rlo" "$1" "$2"; } # PTX LAUNCH NUMBER
# A process tells the passes of machine code what it launches; a launch file does if it names the object, as that of a saved launch.
likewise() { # NUMBER CUBIN LAUNCH
	local copy=$tmp/likewise/${3##*/}
	rm -rf "$tmp/likewise" && cp -r "${3%/*}" "$tmp/likewise" && echo "object_sha256: $(sha256sum < "$2" | cut -d' ' -f1)" >> "$copy" && both "$1" "$2" "$2" "$copy" --sm 86
}
tar -C "$tmp" -xJf test/sass/native/86-3.tar.xz 86-3/examples || exit 1
n=${DRAW:-0}
for launch in examples/*/*.yaml; do
	name=${launch##*/} name=${name%.yaml} ptx=${launch%.yaml}.ptx
	[ -e "$ptx" ] || continue
	if [ -n "${EXAMPLES:-}" ]; then
		[[ " $EXAMPLES " == *" $name "* ]] || continue
	else
		taken 3 || continue
	fi
	t "a process counts what a launch file does: $name" agrees "$ptx" "$launch" $n
	cubin=$tmp/86-3/examples/$name.cubin
	[ ! -e "$cubin" ] || t "machine code likewise: $name" likewise $n "$cubin" "$launch"
	n=$((n + 1))
done
finish
