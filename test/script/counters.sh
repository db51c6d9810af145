#!/bin/bash
# Every counter of stats.def and every kind of slot is moved by a kernel that runs: the examples, two small kernels for what they
# lack, on the machines and schedulers there are. The unit tests move them once more, each by records written out for it
# (test/unit/t_stats.c, a_run_moves_every_counter).
. "$(dirname "$0")/../lib.sh"

by_stopping="unstarted_instructions"

special() { # spills and fences, a texture, constants of many lines, a load past the L1, a register of which some lanes are written, divisions, a matrix product
	cat > "$tmp/special.ptx" <<-'PTX'
		.version 7.0
		.target sm_80
		.address_size 64
		.const .align 4 .u32 table[1024];
		.global .texref picture;
		.visible .entry special(.param .u64 x)
		{
		.reg .pred %p<3>;
		.reg .b32 %r<24>;
		.reg .f32 %f<16>;
		.reg .f64 %g<3>;
		.reg .b64 %d<12>;
		.local .align 4 .b8 scratch[4096];
		ld.param.u64 %d1, [x];
		mov.u32 %r1, %tid.x;
		mul.wide.u32 %d2, %r1, 4;
		add.s64 %d3, %d1, %d2;
		ld.global.cg.u32 %r2, [%d3];
		mul.wide.u32 %d4, %r1, 128;
		mov.u64 %d5, table;
		and.b64 %d4, %d4, 4092;
		add.s64 %d5, %d5, %d4;
		ld.const.u32 %r3, [%d5];
		mov.u64 %d6, scratch;
		mov.u32 %r4, 0;
		STORE:
		cvt.u64.u32 %d7, %r4;
		add.s64 %d8, %d6, %d7;
		st.local.u32 [%d8], %r3;
		add.s32 %r4, %r4, 4;
		setp.lt.u32 %p1, %r4, 4096;
		@%p1 bra STORE;
		and.b32 %r5, %r2, 1023;
		shl.b32 %r5, %r5, 2;
		cvt.u64.u32 %d9, %r5;
		add.s64 %d10, %d6, %d9;
		ld.local.u32 %r6, [%d10];
		cvt.rn.f32.u32 %f1, %r1;
		tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [picture, {%f1}];
		sin.approx.f32 %f6, %f2;
		cvt.rzi.u32.f32 %r7, %f6;
		membar.gl;
		setp.lt.u32 %p2, %r1, 13;
		@%p2 xor.b32 %r6, %r6, %r1;
		add.s32 %r8, %r6, %r7;
		st.global.u32 [%d3], %r8;
		rem.u32 %r9, %r1, 7;
		div.rn.f32 %f7, %f6, %f2;
		cvt.f64.f32 %g1, %f7;
		add.f64 %g1, %g1, %g1;
		div.rn.f64 %g2, %g1, %g1;
		cvt.rn.f32.f64 %f7, %g2;
		mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f8,%f9,%f10,%f11}, {%r1,%r2,%r3,%r9}, {%r1,%r2}, {%f7,%f7,%f7,%f7};
		cvt.rzi.u32.f32 %r10, %f8;
		st.global.u32 [%d3], %r10;
		ret;
		}
	PTX
	cat > "$tmp/special.yaml" <<-'YAML'
		buffers:
		  - {name: x, type: u32, count: 256, fill: ramp}
		  - {name: texels, type: f32, count: 4096, fill: ramp}
		textures:
		  - {name: picture, buffer: texels, width: 4096}
		launches:
		  - {kernel: special, grid: [60], block: [256], args: [{buffer: x}]}
	YAML
	"$B/ptx-annotate" "$tmp/special.ptx" -q -o "$tmp/special.rlo"
}
again() { # for reuse: a load of what other warps store meanwhile, registers never written or twice in one lane, a value whose hash is that of zero
	cat > "$tmp/again.ptx" <<-'PTX'
		.version 7.0
		.target sm_80
		.address_size 64
		.visible .entry again(.param .u64 x)
		{
		.reg .pred %p<3>;
		.reg .b32 %r<16>;
		.reg .b64 %d<4>;
		ld.param.u64 %d1, [x];
		mov.u32 %r1, %tid.x;
		and.b32 %r2, %r1, 31;
		mul.wide.u32 %d2, %r2, 4;
		add.s64 %d3, %d1, %d2;
		ld.global.u32 %r3, [%d3];
		shr.u32 %r4, %r1, 5;
		add.s32 %r4, %r4, %r3;
		st.global.u32 [%d3], %r4;
		and.b32 %r5, %r1, 4096;
		add.s32 %r6, %r5, %r9;
		setp.eq.u32 %p1, %r2, 0;
		selp.u32 %r10, 880716362, 0, %p1;
		setp.eq.u32 %p2, %r2, 1;
		selp.u32 %r11, 1, 0, %p2;
		or.b32 %r12, %r10, %r11;
		add.s32 %r13, %r12, %r6;
		@%p1 add.s32 %r13, %r13, %r1;
		@%p1 xor.b32 %r13, %r13, %r4;
		st.global.u32 [%d3+128], %r13;
		ret;
		}
	PTX
	cat > "$tmp/again.yaml" <<-'YAML'
		buffers:
		  - {name: x, type: u32, count: 256, fill: ramp}
		launches:
		  - {kernel: again, grid: [2], block: [256], args: [{buffer: x}]}
	YAML
	"$B/ptx-annotate" "$tmp/again.ptx" -q -o "$tmp/again.rlo"
}
collect() { # OBJECT LAUNCH [OPTION...]: every metric under every machine, and with the other schedulers
	local machines
	machines=$("$M" list machines | sed -nE 's/^  ([^ ]+) .*/\1/p' | while read -r m; do "$M" list machines "$m" | grep -q '^  core  *0 ' && echo "--config machine=$m"; done) # of a core of sub-cores: one of them
	# shellcheck disable=SC2086
	"$M" compare "$1" --launch "$2" -q $machines --config issue=lrr --config issue=cggty --config issue=two-level,active_warps=2 --config first-fit --config corf --config corf++ \
		--config rfc,machine=hierarchical-rf --config orf --config split-lrf+orf,machine=hierarchical-rf --config rfc2,rf_l1_entries=2,rfc_sources=1,machine=hierarchical-rf \
		--config owf,rf_registers=6144,name=owf --config rfv-shared,rf_registers=6144,name=throttled \
		--config wir-rlpv,reuse_queue=2,reuse_barrier_bits=1,machine=wir --config wir-rlpvc,reuse_entries=64,machine=wir,name=capped \
		--config machine=rtx3080,sms=8,name=subcore --config machine=rtx2080ti,sms=2,icache_sets=1,icache_ways=2,l1i_sets=1,l1i_ways=4,mem_queue=1,rf_read_ports=1,name=turing \
		--config rf_banks=1,collectors_mem=1,l1_mshrs=1,l2_sets=1,l2_ways=1,ex_wb=1,name=small --csv "$tmp/$(basename "$1").csv" "${@:3}"
}
run_all() {
	again && collect "$tmp/again.rlo" "$tmp/again.yaml" || return
	"$B/ptx-annotate" test/race/last.ptx -q -o "$tmp/last.rlo" && collect "$tmp/last.rlo" test/race/last.yaml --config wir-rl,machine=wir || return
	special && collect "$tmp/special.rlo" "$tmp/special.yaml" || return
	for k in sgemm histogram; do
		"$B/ptx-annotate" examples/$k/$k.ptx -q -o "$tmp/$k.rlo" && collect "$tmp/$k.rlo" "examples/$k/$k.yaml" || return
	done
	for k in lud kmeans; do
		case $k in lud) kernel=lud_diagonal size=10 ;; *) kernel=kmeans_assign size=8 ;; esac
		"$B/ptx-annotate" examples/$k/$k.ptx -q --regmutex=$size --regmutex-kernel=$kernel --regmutex-place=paper -o "$tmp/$k.rlo" &&
		"$M" compare "$tmp/$k.rlo" --launch examples/$k/$k.yaml -q --rf regmutex,regmutex-paired --csv "$tmp/$k.csv" || return
	done
	# machine code: uniform registers, and registers that warps share
	tar -C "$tmp" -xJf test/sass/native/86-3.tar.xz 86-3/examples/conv.cubin &&
	"$M" compare "$tmp/86-3/examples/conv.cubin" --launch examples/conv/conv.yaml -q --machine regmutex-half --rf baseline,regmutex --csv "$tmp/native.csv" || return
	"$M" compare "$tmp/86-3/examples/conv.cubin" --launch examples/conv/conv.yaml -q --config machine=rtx3080,sms=8 --csv "$tmp/subcore.csv" || return
	k=leukocyte
	"$B/ptx-annotate" examples/$k/$k.ptx -q -o "$tmp/$k.rlo" &&
	"$M" compare "$tmp/$k.rlo" --launch examples/$k/$k.yaml -q --machine g-scalar --rf baseline,g-scalar,static-scalar,warped-compression,affine --csv "$tmp/$k.csv" &&
	"$B/ptx-annotate" examples/kmeans/kmeans.ptx -q -o "$tmp/loads.rlo" &&            # loads behind stores
	"$M" compare "$tmp/loads.rlo" --launch examples/kmeans/kmeans.yaml -q --machine wir --rf baseline,wir-rlpv --csv "$tmp/loads.csv"
}
t "kernels over machines and schedulers" run_all
moved() {
	python3 - "$by_stopping" "$tmp"/*.csv <<-'PY'
		import csv, sys
		listed, still, moved = set(sys.argv[1].split()), set(), set()
		for name in sys.argv[2:]:
		    for row in csv.DictReader(open(name, newline="")):
		        for metric in list(row)[5:]:     # nothing stands for what is not known
		            (moved if float(row[metric] or 0) != 0 else still).add(metric)
		still -= moved
		for m in sorted(still - listed): print(m, "stays 0 in all runs")
		for m in sorted(listed & moved): print(m, "is moved by a kernel: take it off the list")
		for m in sorted(listed - still - moved): print(m, "is on the list and is no metric")
		sys.exit(still != listed)
	PY
}
t "every counter is moved" moved
stopped() { # --max-cycles in the middle
	exits 1 "$M" compare "$tmp/sgemm.rlo" --launch examples/sgemm/sgemm.yaml -q --sweep rf_banks=1,2 --max-cycles 5000 --metrics unstarted_instructions \
		--csv "$tmp/stopped" && tail -1 "$tmp/stopped" | grep -q ',[1-9][0-9]*$'
}
t "stopping leaves instructions unstarted" stopped
finish
