#!/bin/bash
# regloom-gpu with the model as its device: verify finds no difference and sees each that is made, predict agrees, calibrate recovers the model's own
# parameters; and what it says where the device is none, too old, in use, idle or hung (driver.c is such a driver).
. "$(dirname "$0")/../lib.sh"
G=$B/regloom-gpu
export XDG_CACHE_HOME=$tmp/cache
device() { "$B/regloom-run" --machine rtx3080 --rf baseline --sm 86 --quiet "$G" "$@"; }
mkdir -p "$tmp/driver" "$tmp/broken" && "${host_cc:-cc}" -shared -fPIC -I. test/script/driver.c -o "$tmp/driver/libcuda.so.1" -lm && : > "$tmp/broken/libcuda.so.1"
idle() { LD_LIBRARY_PATH=$tmp/driver "$G" "$@"; } # on a device that executes nothing
one() { grep -qxF -- "$1" "$tmp/out" || { echo "no line '$1':"; cat "$tmp/out"; return 1; }; }
has() { grep -qF -- "$1" "$tmp/out" || { echo "no '$1' in:"; cat "$tmp/out"; return 1; }; }

# ---- verify ----
suite=$tmp/suite
mkdir -p "$suite/rows" "$suite/random" "$suite/code"
cp examples/saxpy/saxpy.* examples/bfs/bfs.* examples/histogram/histogram.* "$suite"
cp test/conform/kernels/texture_query.* test/conform/kernels/atomics.* "$suite"
"$B/test/conform" --write "$suite/rows" --only mul24.lo > /dev/null && "$B/test/native_random" "$suite/random" --write 86 4 3
kernels=$(find "$suite" -name '*.yaml' | wc -l)
no_difference() {
	[ "$kernels" -gt 8 ] && exits 0 device verify --suite "$suite" --json "$tmp/golden.json" && one "equal     saxpy: 1 launch" && has "equal     bfs: 26 launches" &&
	[ "$(grep -c '^[eur]' "$tmp/out")" = "$kernels" ] && [ "$(grep -c '^equal' "$tmp/out")" -ge $((kernels * 2 / 3)) ] && python3 - "$tmp/golden.json" <<-'EOF'
	import json, sys
	o = json.load(open(sys.argv[1]))
	assert o["format"] == 2 and o["compute_capability"] == 86 and o["sm_mhz"] == 1710 and o["driver"].startswith("CUDA") and o["date"], o
	bfs = {a["name"]: a for a in o["answers"]}["bfs"]
	assert bfs["result"] == "equal" and len(bfs["memory"]) == 26 and len({tuple(m) for m in bfs["memory"]}) > 20 and len(bfs["places"]) == 4, bfs
	EOF
}
t "verify finds no difference" no_difference
replays() { exits 0 "$G" verify --suite "$suite" --replay "$tmp/golden.json" && has "regloom rtx3080, CUDA" && one "equal     bfs: 26 launches"; }
t "golden answers are replayed without a device" replays
machine_code() {
	cp test/golden/native/{conv.sm_75,calls.sm_86,packed.sm_120a}.cubin "$suite/code" && for c in conv.sm_75 calls.sm_86 packed.sm_120a; do cp "test/golden/native/${c%%.*}.yaml" "$suite/code/$c.yaml"; done
	exits 0 "$G" verify --model rtx3080 --suite "$suite/code" && one "3 equal"
}
t "machine code, in this process" machine_code
annotated() { # of PTX and of a cubin
	mkdir "$tmp/annotated" && cp examples/sgemm/sgemm.yaml "$tmp/annotated/ptx.yaml" && cp examples/sgemm/sgemm.yaml "$tmp/annotated/cubin.yaml" && cp examples/sgemm/sgemm.expect "$tmp/annotated" &&
	exits 0 "$A" examples/sgemm/sgemm.ptx -q --emit=ptx -o "$tmp/annotated/ptx.ptx" && exits 0 "$A" test/sass/cubin/sgemm.sm_86.cubin -q -o "$tmp/annotated/cubin.cubin" &&
	exits 0 device verify --suite "$tmp/annotated" && one "2 equal"
}
t "annotated kernels load, and do the same" annotated
one_bit() { # of what the device left after the third launch
	python3 - "$tmp/golden.json" "$tmp/bit.json" <<-'EOF'
	import json, sys
	o = json.load(open(sys.argv[1]))
	memory = {a["name"]: a for a in o["answers"]}["bfs"]["memory"]
	memory[2][-1] = f"{int(memory[2][-1], 16) ^ 1:016x}"
	json.dump(o, open(sys.argv[2], "w"))
	EOF
	exits 1 "$G" verify --suite "$suite" --replay "$tmp/bit.json" && one "differs   bfs: launch 3, bfs_step; memory is not what the device left"
}
t "an answer with another bit differs" one_bit
other_input() { # the graph has another edge
	cp -r "$suite" "$tmp/other" && printf '\001' | dd of="$tmp/other/bfs.column" bs=1 seek=400 conv=notrunc status=none && exits 1 "$G" verify --suite "$tmp/other" --replay "$tmp/golden.json" &&
	has "differs   bfs: launch" && one "equal     saxpy: 1 launch"
}
t "another input differs" other_input
other_kernel() {
	cp -r "$suite" "$tmp/kernel" && echo "// " >> "$tmp/kernel/saxpy.ptx" && rm "$tmp/kernel/bfs.yaml" && exits 1 "$G" verify --suite "$tmp/kernel" --replay "$tmp/golden.json" &&
	one "differs   saxpy: it is another kernel or launch file than the device was asked" && one "differs   bfs: its kernel or launch file is not there"
}
t "answers of other kernels are no answers" other_kernel
damaged() {
	sed 's/"format": 2/"format": 9/' "$tmp/golden.json" > "$tmp/format.json" && exits 1 "$G" verify --suite "$suite" --replay "$tmp/format.json" && says "is of format 9, and this program reads format 2" &&
	echo '{' > "$tmp/no.json" && exits 1 "$G" verify --suite "$suite" --replay "$tmp/no.json" && says "is no JSON: line 2" &&
	sed 's/"0x7e/"7e/' "$tmp/golden.json" > "$tmp/place.json" && exits 1 "$G" verify --suite "$suite" --replay "$tmp/place.json" && says "is damaged"
}
t "golden answers that are none" damaged

saves() { "$B/regloom-run" --machine rtx3080 --rf baseline --sm 86 --quiet --launches "$1" --save-launch "$tmp/$2" "$B/test/cuda_replay" "$3" "$4" > "$tmp/out"; }
saved() { # machine code, as it was saved; its time is that of the saved launch
	saves 1 sgemm test/sass/cubin/sgemm.sm_86.cubin examples/sgemm/sgemm.yaml && local d=$tmp/sgemm/launch-1 &&
	exits 0 "$G" verify "$d/kernel.cubin" --launch "$d/launch.yaml" --model rtx3080 --sm 86 && one "equal     kernel: 1 launch" &&
	exits 0 "$G" predict "$d/kernel.cubin" --launch "$d/launch.yaml" --model rtx3080 --sm 86 && has "+0.0%" &&
	: > "$d/memory.zst" && exits 1 "$G" predict "$d/kernel.cubin" --launch "$d/launch.yaml" --model rtx3080 --sm 86 && says "memory.zst"
}
elsewhere() { # the second launch finds its own address in memory, which lies behind another buffer when it is repeated
	printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry own(.param .u64 x)\n{ .reg .b64 %%d; ld.param.u64 %%d, [x]; st.global.u64 [%%d+8], %%d; ret; }\n' > "$tmp/own.ptx"
	printf 'buffers: [{name: x, type: u64, count: 64}]\nlaunches:\n%s\n%s\n' "- {kernel: own, grid: [1], block: [1], args: [{buffer: x}]}"{,} > "$tmp/own.yaml"
	saves 2 own "$tmp/own.ptx" "$tmp/own.yaml" && local y=$tmp/own/launch-2/launch.yaml && sed -i '/sha256/d' "$y" && exits 0 "$G" verify "$tmp/own.ptx" --launch "$y" --model rtx3080 --sm 86 &&
	sed -i 's/^buffers:/&\n  - {name: other, type: b8, count: 4096}/' "$y" && exits 1 "$G" verify "$tmp/own.ptx" --launch "$y" --model rtx3080 --sm 86 &&
	says "buffer m0 was saved with addresses in it, which are others on the device"
}
t "a saved launch" saved
t "a saved launch whose memory holds addresses" elsewhere

# ---- what PTX leaves open ----
kernel() { # NAME BODY: thread i of 64 stores %r9 to out[i]; total is a counter
	cat > "$tmp/$1.ptx" <<-EOF
	.version 7.0
	.target sm_80
	.address_size 64
	.visible .entry k(.param .u64 out, .param .u64 total)
	{
		.reg .b32 %r<10>;
		.reg .b64 %d<4>;
		.reg .f32 %f<4>;
		.reg .pred %p<2>;
		ld.param.u64 %d1, [out];
		ld.param.u64 %d2, [total];
		mov.u32 %r1, %tid.x;
		mul.wide.u32 %d3, %r1, 4;
		add.u64 %d1, %d1, %d3;
		$2
		st.global.u32 [%d1], %r9;
		ret;
	}
	EOF
	cat > "$tmp/$1.yaml" <<-EOF
	buffers:
	  - {name: out, type: u32, count: 64}
	  - {name: total, type: u32, count: 1}
	  - {name: zero, type: u32, count: 64}
	launches:
	  - {kernel: k, grid: [1], block: [64], args: [{buffer: out}, {buffer: total}]}
	EOF
}
clocks() {
	kernel clocks "mov.u32 %r9, %clock;" && exits 0 "$G" verify --model rtx3080 "$tmp/clocks.ptx" --launch "$tmp/clocks.yaml" &&
	has "excluded  clocks: launch 1, k: 64 of 64 elements differ; out[0] is " && has "a clock, or what each device numbers as it likes; the launch file expects nothing" && one "1 excluded"
}
t "clocks are excluded" clocks
judged() { # by what the launch file expects: the clocks are not all zero
	echo 'expect: [{buffer: out, other: zero}]' >> "$tmp/clocks.yaml" && exits 1 "$G" verify --model rtx3080 "$tmp/clocks.ptx" --launch "$tmp/clocks.yaml" &&
	has "differs   clocks: launch 1" && has "the device does not give what the launch file expects" &&
	sed -i 's/other: zero}/other: zero, allow_mismatch: 1}/' "$tmp/clocks.yaml" && exits 0 "$G" verify --model rtx3080 "$tmp/clocks.ptx" --launch "$tmp/clocks.yaml" && has "the device gives what the launch file expects"
}
t "what is excluded is judged by the launch file" judged

follows() { # NAME BODY CODE TEXT
	kernel "$1" "$2" && exits "$3" idle verify "$tmp/$1.ptx" --launch "$tmp/$1.yaml" && has "$4"
}
flows() { # what a clock cannot reach must be the same
	follows exact "mov.u32 %r9, %clock; st.global.u32 [%d2], %r1;" 1 "differs   exact: launch 1, k: 1 of 65 elements differ; total[0] is 0 on the device, 63 here" &&
	follows through ".shared .align 4 .b32 s[64]; mov.u32 %r2, %clock; st.shared.u32 [s], %r2; ld.shared.u32 %r3, [s]; st.global.u32 [%d2], %r3; mov.u32 %r9, 1;" 1 \
		"64 of 128 elements differ; out[0] is 0 on the device, 1 here" &&
	follows back "mov.u32 %r2, %clock; st.global.u32 [%d2], %r2; ld.global.u32 %r9, [%d2];" 0 "65 of 65 elements differ; out[0] is 0 on the device" &&
	follows again "mov.u32 %r2, %clock; xor.b32 %r2, %r1, 3; mov.u32 %r9, %r2;" 1 "differs   again: launch 1, k: 63 of 129 elements differ; out[0] is 0 on the device, 3 here"
}
decides() { # a branch, a guard, an address
	local all="it decides what is executed or where memory is written"
	follows branch "mov.u32 %r2, %clock; setp.lt.u32 %p1, %r2, 7; @%p1 bra around; ld.global.u32 %r3, [%d1]; st.global.u32 [%d2], %r1; around: mov.u32 %r9, 1;" 0 "$all" &&
	follows guard "mov.u32 %r2, %clock; setp.gt.u32 %p1, %r2, 7; mov.u32 %r9, 1; @%p1 st.global.u32 [%d2], %r1;" 0 "$all" &&
	follows address "mov.u32 %r2, %clock; and.b32 %r2, %r2, 60; cvt.u64.u32 %d3, %r2; ld.param.u64 %d1, [out]; add.u64 %d1, %d1, %d3; mov.u32 %r9, 1;" 0 "$all"
}
kept() { # golden answers of what is excluded are compared where it must be the same
	kernel kept "mov.u32 %r9, %clock; st.global.u32 [%d2], %r1;" && exits 0 "$G" verify --model rtx3080 "$tmp/kept.ptx" --launch "$tmp/kept.yaml" --json "$tmp/kept.json" && has "excluded  kept" &&
	exits 0 "$G" verify "$tmp/kept.ptx" --launch "$tmp/kept.yaml" --replay "$tmp/kept.json" && has "excluded  kept: launch 1, k; " && python3 - "$tmp/kept.json" "$tmp/other.json" <<-'EOF'
	import json, sys
	o = json.load(open(sys.argv[1]))
	memory = o["answers"][0]["memory"]
	assert len(memory) == 1 and len(memory[0]) == 3, memory
	memory[0][1] = memory[0][2]
	json.dump(o, open(sys.argv[2], "w"))
	EOF
	exits 1 "$G" verify "$tmp/kept.ptx" --launch "$tmp/kept.yaml" --replay "$tmp/other.json" && one "differs   kept: launch 1, k; memory is not what the device left"
}

# ---- predict ----
cp -r examples/saxpy "$tmp/few" && cp examples/kmeans/kmeans.* "$tmp/few" && rm "$tmp/few/"*.cl
agrees() { # RUNS COMMAND...: what the device took, by events in whole ns, is what the model takes
	local runs=$1; shift
	exits 0 "$@" predict --suite "$tmp/few" --machine rtx3080 --runs "$runs" --json "$tmp/predict.json" && has "kmeans_assign" && python3 - "$tmp/predict.json" <<-'EOF'
	import json, sys
	o = json.load(open(sys.argv[1]))
	assert len(o["predictions"]) == 3, o
	for p in o["predictions"]:
	    ns = p["model_cycles"] * 1000 / o["sm_mhz"]
	    assert p["registers"] == p["model_registers"] > 0 and p["model_warp_instructions"] > 0 and -1e-3 <= p["ns"] - ns <= p["launches"] * 1.01, (p, ns)
	EOF
}
in_process() { "$G" "$1" --model rtx3080 "${@:2}"; }
t "predict agrees, launches that find cold caches" agrees 1 device
t "predict agrees, launches that are repeated" agrees 3 device
t "predict agrees, in this process" agrees 2 in_process
another() { exits 0 "$G" predict --model rtx3080 --machine rtx3080 --set l1_latency=90 --suite "$tmp/few" --runs 1 --json "$tmp/predict.json" && python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["all"]["error"] > 0.01' "$tmp/predict.json"; }
t "predict sees another latency" another

# ---- calibrate ----
value() { "$M" list machines "$1" | awk -v p="$2" '$1 == p { print $2 } $2 == p { print $3 }'; } # of a parameter; a guess has a mark before it
recovers() { # MACHINE PARAMETER=VALUE...: from those, and others that are all wrong, the machine's own
	local machine=$1 options=() s; shift
	local set="fma_cycles=3 alu_cycles=5 half_cycles=3 xu_cycles=3 xu_latency=30 fp64_cycles=3 mma_macs=64 rf_read_ports=3 reuse_cache=0 agu_cycles=2 mio_cycles=6 mem_queue=9 shuffle_latency=9 shared_latency=50 shared_bytes_cycle=32 l1_latency=60 l1_bytes_cycle=256 const_latency=50 l15_cycles=20 l1i_cycles=20 prefetch_lines=4 icache_sets=2 l1i_sets=16 icnt_mhz=1500 l2_latency=90 dram_latency=90 $*"
	for s in $set; do options+=(--set "$s"); done
	exits 0 "${calibrate[@]}" --from "$machine" "${options[@]}" --runs 1 -o "$tmp/mine.txt" && ! has "not met" 2> "$tmp/none" > "$tmp/none" || { grep "not met" "$tmp/out"; return 1; }
	for s in $set; do
		[ -n "$(value "$machine" "${s%=*}")" ] && [ "$(value "$machine" "${s%=*}")" = "$(value "$tmp/mine.txt" "${s%=*}")" ] || { echo "${s%=*} is not recovered"; grep "${s%=*}" "$tmp/mine.txt"; return 1; }
	done
}
calibrate=(device calibrate)
t "calibrate recovers a machine" recovers rtx3080 fp64_shared=0 fp64_latency=20 l2_slices=4 dram_mhz=700
calibrate=("$G" calibrate --model a100)
t "calibrate recovers a machine with double precision in each sub-core" recovers a100 fp64_shared=1
printf '%s\n' "machine: h100" "sms 33 SMs" > "$tmp/quarter.txt" # all of its SMs take long
calibrate=("$G" calibrate --model "$tmp/quarter.txt" --sm 90)
t "calibrate recovers a machine of Hopper" recovers h100 fp64_shared=1
told() { # SMs, their clock and the size of the L2 are the device's, not those of the machine from which it starts
	printf '%s\n' "machine: rtx3080" "sms 4 SMs" "sm_mhz 1500 MHz" "icnt_mhz 3000 MHz" "l2_mhz 1500 MHz" "l2_sets 32 sets" > "$tmp/small.txt" &&
	exits 0 "$G" calibrate --model "$tmp/small.txt" --sm 86 --from rtx3080 --runs 1 -o "$tmp/mine.txt" && ! grep "not met" "$tmp/out" && has "by what the driver tells" || return
	for s in sms sm_mhz icnt_mhz l2_mhz l2_sets l2_slices dram_mhz; do
		[ "$(value "$tmp/small.txt" $s)" = "$(value "$tmp/mine.txt" $s)" ] || { echo "$s is not that of the device"; grep "$s" "$tmp/mine.txt"; return 1; }
	done
	has "launch of a kernel that does nothing, ns, by events" && grep -q "^# launch of a kernel that does nothing: [1-9]" "$tmp/mine.txt"
}
t "calibrate takes what the driver tells" told

# ---- devices that are none ----
hung() {
	kernel hung "loop: add.u32 %r9, %r9, 1; st.volatile.global.u32 [%d1], %r9; setp.ne.u32 %p1, %r9, 0; @%p1 bra loop;" && rm -f "$tmp/hung.json" &&
	exits 1 device verify "$tmp/hung.ptx" --launch "$tmp/hung.yaml" --seconds 2 --json "$tmp/hung.json" && says "kernel k runs longer than 2 seconds: it is given up, and nothing is written" && leaves_nothing "$tmp/hung.json"
}
t "a kernel that hangs" hung
model_hung() { exits 1 "$G" verify --model rtx3080 "$tmp/hung.ptx" --launch "$tmp/hung.yaml" --seconds 2 --json "$tmp/hung.json" && says "kernel k runs longer than 2 seconds" && leaves_nothing "$tmp/hung.json"; }
t "a kernel that hangs, in this process" model_hung
t "values of clocks are followed" flows
t "values that decide excuse all" decides
t "golden answers of what is excluded" kept
matrix() { # as published measurements have Volta, Ampere and Hopper
	DRIVER_MATRIX=$1 exits 0 idle matrix && one "f16, sums in f32   $(printf '%-52s %-18s %s' "terms are added" "$2" "one by one")" && has "$(printf '%-52s %-18s %s' "C is added" "$3" "with the first")" &&
	has "$(printf '%-52s %-18s %s' "fraction bits kept of terms that are added together" "$4" "28 or more")" && has "$(printf '%-52s %-18s %s' "sums are rounded" "towards zero" "nearest even")"
}
matrices() {
	matrix 4,23 "4 at a time" "with the first" 23 && matrix 8,24 "8 at a time" "with the first" 24 && matrix 16,25 "16 at a time" "with all" 25 &&
	exits 0 "$G" matrix --model rtx2080ti --sm 75 && [ "$(wc -l < "$tmp/out")" = 11 ] && exits 0 device matrix && [ "$(awk '/sums are rounded +nearest even +nearest even$/' "$tmp/out" | wc -l)" = 4 ]
}
t "matrix units are described" matrices
saxpy=(verify examples/saxpy/saxpy.ptx --launch examples/saxpy/saxpy.yaml)
no_driver() { LD_LIBRARY_PATH=$tmp/broken exits 1 "$G" "${saxpy[@]}" && says "libcuda.so.1: error: there is no NVIDIA driver here"; }
t "no driver" no_driver
no_device() { DRIVER_SAYS=cuInit=100 exits 1 idle "${saxpy[@]}" && says "the driver finds no device" && exits 1 idle "${saxpy[@]}" --device 1 && says "there is no device 1: the driver has 1"; }
t "no device" no_device
in_use() { DRIVER_SAYS=cuDevicePrimaryCtxRetain=46 exits 1 idle "${saxpy[@]}" && says "idle device: error: is in use by another process, which has it for itself"; }
t "a device in use" in_use
too_old() { DRIVER_MAJOR=6 exits 1 idle "${saxpy[@]}" && says "idle device: error: is too old: compute capability 6.6, and 7.5 is the least"; }
t "a device that is too old" too_old
differs() { # a device that executes nothing: y stays as it was
	exits 1 idle "${saxpy[@]}" --json "$tmp/differs.json" && has "differs   saxpy: launch 1, saxpy: " && has " elements differ; y[" && has " on the device, " && has " ulp at most" && one "1 differs" && grep -q '"ulps"' "$tmp/differs.json"
}
t "a device that executes nothing" differs
refuses() { DRIVER_SAYS=cuModuleLoadDataEx=218 exits 1 idle "${saxpy[@]}" && one "refused   saxpy: examples/saxpy/saxpy.ptx: the driver says CUDA_ERROR_OF_A_TEST" && one "1 refused"; }
t "code that the driver does not take" refuses
rounds() { # what names no rounding, and nothing else, is sent with one
	kernel rounds "cvt.rn.f32.u32 %f1, %r1; mul.f32 %f2, %f1, %f1; add.ftz.f32 %f3, %f2, %f1; sub.rz.f32 %f3, %f3, %f1; add.u32 %r2, %r1, %r1; st.global.u32 [%d1], %r2;" &&
	DRIVER_KEEPS=$tmp/kept.ptx exits 0 idle verify "$tmp/rounds.ptx" --launch "$tmp/rounds.yaml" && sed 's/mul\.rn\.f32/mul.f32/; s/add\.rn\.ftz\.f32/add.ftz.f32/' "$tmp/kept.ptx" | cmp - "$tmp/rounds.ptx" && [ "$(grep -o '\.rn\.f' "$tmp/kept.ptx" | wc -l)" = 3 ]
}
t "sums and products are sent with their rounding" rounds
lost() { # what follows is not asked, and no answers are written
	rm -f "$tmp/lost.json"
	DRIVER_SAYS=cuEventSynchronize=700 exits 1 idle verify --suite "$tmp/few" --json "$tmp/lost.json" && says "does nothing more in this process; 1 kernels were not asked" && leaves_nothing "$tmp/lost.json"
}
t "a device that is lost" lost

# ---- wrong usage ----
usage() {
	exits 2 "$G" verify && says "wants a kernel and --launch FILE, or --suite DIR alone" && exits 2 "$G" verify k.ptx && exits 2 "$G" verify k.ptx --launch l.yaml --suite d && exits 2 "$G" predict --suite d --replay x &&
	mkdir "$tmp/empty" && exits 1 "$G" verify --model rtx3080 --suite "$tmp/empty" && says "has no kernel" && exits 1 "$G" verify --model rtx3080 --suite "$tmp/none" && says "cannot be read" &&
	exits 1 "$G" predict --model rtx3080 --machine gtx480 --suite "$tmp/few" && says "has no sub-cores" && for c in verify predict calibrate; do exits 0 "$G" $c --help && has "examples:" || return; done
}
t "wrong usage" usage
finish
