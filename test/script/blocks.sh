#!/bin/bash
# Blocks whose last warp has fewer threads than lanes, under every register file: lanes that no thread has are missed by no instruction. A kernel
# without branches diverges nowhere, copies and decompresses nothing, is reused, and executes in one lane, in blocks of 1, 16, 33 and 48 as in
# whole warps; checked, and with missing_diverge=1 as if these lanes were there and waited.
. "$(dirname "$0")/../lib.sh"
cat > "$tmp/k.ptx" <<'PTX'
.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b64 %d<6>; .reg .b32 %r<20>; .reg .f32 %f<4>; .reg .pred %p<2>;
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, %r3, %r1;
	ld.global.u32 %r5, [%d1];
	add.u32 %r6, %r5, 7;
	mul.lo.u32 %r7, %r6, %r5;
	xor.b32 %r8, %r7, %r6;
	cvt.rn.f32.u32 %f1, %r8;
	sqrt.approx.f32 %f2, %f1;
	cvt.rzi.u32.f32 %r9, %f2;
	and.b32 %r10, %r1, 3;
	shl.b32 %r11, %r10, 20;
	add.u32 %r12, %r11, %r9;
	mul.lo.u32 %r13, %r12, %r10;
	setp.gt.u32 %p1, %r13, %r9;
	selp.u32 %r14, %r13, %r12, %p1;
	add.u32 %r14, %r14, %r8;
	mul.wide.u32 %d3, %r4, 4;
	add.u64 %d4, %d2, %d3;
	st.global.u32 [%d4], %r14;
	ret;
}
PTX
"$A" "$tmp/k.ptx" -q -o "$tmp/k.rlo" || exit
presets=$("$M" list rf | sed -nE 's/^  ([a-z][^ ]*) +[^ ].*/\1/p' | grep -v = | paste -sd,)
block() { # THREADS NAME [OPTION...]: all presets side by side, checked, in $tmp/NAME.json
	local n=$1 name=$2; shift 2
	printf 'buffers:\n  - {name: in, type: u32, count: 1, fill: constant, value: 11}\n  - {name: out, type: u32, count: 512}\nlaunches:\n  - {kernel: k, grid: [8], block: [%d], args: [{buffer: in}, {buffer: out}]}\n' "$n" > "$tmp/k.yaml"
	exits 0 "$M" compare "$tmp/k.rlo" --launch "$tmp/k.yaml" -q --checked --set sms=1 --rf "$presets" "$@" --all --json "$tmp/$name.json"
}
agree() {
	python3 - "$tmp" <<-'PY'
		import json, sys
		def metrics(name):
		    j = json.load(open(f"{sys.argv[1]}/{name}.json"))
		    return {c["name"]: {k: v["value"] for k, v in c["metrics"].items()} for c in j["configurations"]}
		m = {n: metrics(n) for n in (1, 16, 32, 33, 48, 64)}
		scalar = [f"scalar_{x}" for x in ("alu", "sfu", "mem")]
		assert len(m[16]) > 25, "every preset"
		for n in (1, 16, 33, 48):
		    for rf, x in m[n].items():
		        for k in "divergent_instructions injected_moves dummy_moves pinned_writes merge_reads reuse_divergent scalar_divergent".split():
		            assert x[k] == 0, (n, rf, k, x[k])
		        last = m[n % 32][rf] if n > 32 else m[32][rf]
		        for k in scalar if not x["reused_instructions"] else []: # of one thread all is, unless its own number is an operand
		            assert x[k] >= last[k] if n == 1 else x[k] == last[k] + (m[32][rf][k] if n > 32 else 0), (n, rf, k, x[k])
		    for rf in ("wir-r", "wir-rlpv", "wir-rlpvc", "wir-rpv"):
		        assert m[n][rf]["reuse_rate"] > 0.7 * m[32][rf]["reuse_rate"] > 0.05, (n, rf, m[n][rf]["reuse_rate"], m[32][rf]["reuse_rate"])
		    assert m[n]["g-scalar"]["scalar_alu"] and m[n]["g-scalar"]["scalar_sfu"]
		old = metrics("old")
		assert old["g-scalar"]["divergent_instructions"] == old["g-scalar"]["valued_instructions"] > old["g-scalar"]["scalar_divergent"] > 0
		assert old["wir-rlpv"]["reused_instructions"] == 0 < old["wir-rlpv"]["reuse_divergent"]
	PY
}
for n in 1 16 32 33 48 64; do t "blocks of $n under every preset, checked" block $n $n; done
t "the same of 16, as if 16 lanes waited" block 16 old --set missing_diverge=1
t "a warp of fewer threads diverges nowhere" agree
finish
