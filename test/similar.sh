#!/bin/bash
# `sm-model values` over the examples: it counts what the timing model does under values=g-scalar, and two warps join into one of 64
# lanes whatever the kernel does. QUICK=1: without timing.
. "$(dirname "$0")/lib.sh"
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
alike() { # EXAMPLE
	local n=$1 launch="--launch examples/$1/$1.yaml"
	"$A" "$(input "$n")" -q -o "$tmp/$n.rlo" && exits 0 "$M" values "$tmp/$n.rlo" $launch -q --json "$tmp/$n.json" &&
	exits 0 "$M" values "$tmp/$n.rlo" $launch -q --warp 64 --json "$tmp/$n.wide.json" &&
	python3 - "$tmp/$n.json" "$tmp/$n.wide.json" <<-'PY' || return
		import json, sys
		v, w = (json.load(open(f))["total"] for f in sys.argv[1:])
		assert w["active_lanes"] == v["active_lanes"], "the same lanes execute"
		assert v["warp_instructions"] / 2 <= w["warp_instructions"] <= v["warp_instructions"], "in fewer instructions, half as many at best"
		assert v["needed_lanes"] <= v["active_lanes"] and w["needed_lanes"] <= w["active_lanes"]
	PY
	[ -n "${QUICK:-}" ] || { exits 0 "$M" run "$tmp/$n.rlo" $launch -q --rf g-scalar --json "$tmp/$n.run.json" && test/values_agree.py "$tmp/$n.json" "$tmp/$n.run.json"; }
}
for d in examples/*/; do
	n=$(basename "$d")
	[ "$n" = micro ] && continue
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	t "example $n: values as they are timed, and in warps of 64 lanes" alike "$n"
done
finish
