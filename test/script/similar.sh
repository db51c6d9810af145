#!/bin/bash
# `sm-model values` over the examples: it counts what the timing model does under values=g-scalar, and two warps join into one of 64
# lanes whatever the kernel does. QUICK=1: without timing.
. "$(dirname "$0")/../lib.sh"
input() { for f in "examples/$1/$1".{ptx,ll}; do [ -e "$f" ] && echo "$f"; done; }
alike() { # NAME SOURCE LAUNCH
	local n=$1 launch="--launch $3"
	"$A" "$2" -q -o "$tmp/$n.rlo" && exits 0 "$M" values "$tmp/$n.rlo" $launch -q --json "$tmp/$n.json" &&
	exits 0 "$M" values "$tmp/$n.rlo" $launch -q --warp 64 --json "$tmp/$n.wide.json" &&
	python3 - "$tmp/$n.json" "$tmp/$n.wide.json" <<-'PY' || return
		import json, sys
		v, w = (json.load(open(f))["total"] for f in sys.argv[1:])
		assert w["active_lanes"] == v["active_lanes"], "the same lanes execute"
		assert v["warp_instructions"] / 2 <= w["warp_instructions"] <= v["warp_instructions"], "in fewer instructions, half as many at best"
		assert v["needed_lanes"] <= v["active_lanes"] and w["needed_lanes"] <= w["active_lanes"]
	PY
	[ -n "${QUICK:-}" ] || { exits 0 "$M" run "$tmp/$n.rlo" $launch -q --rf g-scalar --json "$tmp/$n.run.json" && test/script/values_agree.py "$tmp/$n.json" "$tmp/$n.run.json" "$3"; }
}
for d in examples/*/; do
	n=$(basename "$d")
	[ -e "$d$n.yaml" ] || continue               # micro and build-systems are no programs
	[[ $(input "$n") == *.ll && ! -x $B/regloom-llvm ]] && { skip "example $n" "built without LLVM"; continue; }
	taken 3 || continue
	t "example $n: values as they are timed, and in warps of 64 lanes" alike "$n" "$(input "$n")" "examples/$n/$n.yaml"
done
# Guards that hold in no lane, of reads of registers of every kind; predicates that each half computes by one lane of its own.
cat > "$tmp/nobody.ptx" <<'PTX'
.version 7.0
.target sm_50
.address_size 64
.visible .entry nobody(.param .u64 in, .param .u64 out)
{
	.reg .b64 %d<3>; .reg .b32 %r<9>; .reg .pred %p<4>;
	ld.param.u64 %d1, [in];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	ld.global.u32 %r2, [%d1];
	add.u64 %d1, %d1, %d2;
	ld.global.u32 %r3, [%d1];
	setp.eq.u32 %p1, %r2, 77;
	@%p1 add.u32 %r3, %r3, %r2;
	@%p1 add.u32 %r3, %r2, %r2;
	setp.lt.u32 %p2, %r1, 9;
	@%p2 add.u32 %r3, %r3, 5;
	@%p1 add.u32 %r1, %r3, %r3;
	and.b32 %r4, %r1, 16;
	setp.gt.u32 %p3, %r4, %r2;
	selp.u32 %r5, %r4, %r2, %p3;
	add.u32 %r3, %r3, %r5;
	add.u32 %r3, %r3, %r1;
	ld.param.u64 %d1, [out];
	add.u64 %d1, %d1, %d2;
	st.global.u32 [%d1], %r3;
	ret;
}
PTX
printf 'buffers:\n  - {name: in, type: u32, count: 96}\n  - {name: out, type: u32, count: 96}\nlaunches:\n  - {kernel: nobody, grid: [2], block: [96], args: [{buffer: in}, {buffer: out}]}\n' > "$tmp/nobody.yaml"
t "guards that hold in no lane: values as they are timed" alike nobody "$tmp/nobody.ptx" "$tmp/nobody.yaml"
finish
