#!/bin/bash
# make.sh OUT [large]: the cubins of the machine-code tests, with nvcc and ptxas 13.0; without them it says so. Plain: the files of
# test/sass/cubin, from the kernels in this folder and one example. large: every example, every CUDA kernel and every kernel here for all
# targets, optimised differently, with few registers and with -G, which takes many minutes and is not committed.
set -eu
cd "$(dirname "$0")/../.."
out=$(realpath -m "$1") large=${2-}
export PATH=$PATH:/usr/local/cuda/bin
command -v nvcc ptxas nvlink > /dev/null || { echo "make.sh: no nvcc here, nothing made"; exit 0; }
targets='75 80 86 89 90a 100a 120a'
export out
mkdir -p "$out" && rm -f "$out"/*.cubin "$out"/*.log
# Debug sections hold the folder's name: one that is the same everywhere.
same=/var/tmp/regloom-sass
rm -rf $same && mkdir -p $same && trap 'rm -rf $same' EXIT
cp test/sass/*.cu test/sass/*.ptx $same && ln -s "$PWD" $same/tree && cd $same
cu() { # NAME TARGET VARIANT OPTION...
	local name=$1 t=$2 variant=$3 a=0; shift 3
	[[ $t != *a ]] || a=1
	nvcc -cubin -std=c++17 "-arch=sm_$t" -DARCH_A=$a "$@" "$name.cu" -o "$out/$name$variant.sm_$t.cubin" > "$out/$name$variant.$t.log" 2>&1 && rm "$out/$name$variant.$t.log" ||
		{ [ -n "${LARGE:-}" ] || { cat "$out/$name$variant.$t.log"; return 1; }; echo "not made: $name$variant.sm_$t"; rm "$out/$name$variant.$t.log"; }
}
ptx() { # PTX NAME TARGET OPTION...: what names a newer target than that is left out
	local ptx=$1 name=$2 t=$3 of; shift 3
	of=$(sed -n 's/^\.target *sm_\([0-9]*\).*/\1/p' "$ptx" | head -1)
	[ "$of" -le "${t%a}" ] || return 0
	if [ "$of" -lt 75 ]; then
		sed 's/^\.target.*/.target sm_75/; s/^\.version.*/.version 8.0/' "$ptx" | ptxas "-arch=sm_$t" "$@" - -o "$out/$name.sm_$t.cubin"
	else
		ptxas "-arch=sm_$t" "$@" "$ptx" -o "$out/$name.sm_$t.cubin"
	fi 2> "$out/$name.$t.log" && rm "$out/$name.$t.log" || { [ -n "${LARGE:-}" ] || cat "$out/$name.$t.log"; rm "$out/$name.$t.log"; return 0; }
}
export -f cu ptx
run() { xargs -d '\n' -P"$(nproc)" -I{} nice -n 5 bash -ec '{}'; }
{
	for t in $targets; do
		for k in integer float half matrix memory atomics warp control uniform; do echo "cu $k $t '' -O3"; done
		echo "ptx tree/examples/lavamd/lavamd.ptx lavamd $t"
	done
	for t in 90a 100a 120a; do echo "cu hopper $t '' -O3"; done
	echo "cu tensor 100a '' -O3"
	echo "cu wide 120a '' -Xptxas -O1"
	echo "ptx warpgroup.ptx warpgroup 90a"
	echo "ptx blackwell.ptx blackwell 100a"
	for t in 90a 100a; do echo "cu operands $t '' -O3"; done
	for t in 75 120a; do echo "cu pointers $t '' -O3"; done
	for t in 80 90a; do echo "cu debug $t .lines -O3 -lineinfo"; done
	for t in 75 80 120a; do echo "cu separate $t .rdc -rdc=true -diag-suppress=20054"; done
	for t in 75 90a; do echo "cu debug $t .G -G"; done
	echo "cu elsewhere 80 .rdc -rdc=true"
	echo "ptx tree/examples/saxpy/saxpy.ptx saxpy 75"
	echo "ptx tree/examples/sgemm/sgemm.ptx sgemm 86"
} | run
nvlink -arch=sm_80 "$out/separate.rdc.sm_80.cubin" "$out/elsewhere.rdc.sm_80.cubin" -o "$out/linked.sm_80.cubin" 2> "$out/nvlink.log" || { cat "$out/nvlink.log"; exit 1; }
rm -f "$out/nvlink.log" "$out/elsewhere.rdc.sm_80.cubin"
[ -n "$large" ] || { du -cb "$out"/*.cubin | tail -1; exit 0; }

export LARGE=1
{
	for t in $targets; do
		for k in integer float half matrix memory atomics warp control uniform pointers; do
			for o in 0 1 2; do echo "cu $k $t .O$o -Xptxas -O$o"; done
			echo "cu $k $t .r32 -O3 -maxrregcount=32"
			echo "cu $k $t .G -G"
		done
		for p in tree/examples/*/*.ptx; do
			n=$(basename "$p" .ptx)
			echo "ptx $p example.$n $t"
			case $t in 75|80|90a|120a) echo "ptx $p example.$n.r24 $t -maxrregcount=24"; echo "ptx $p example.$n.O1 $t -O1" ;; esac
			case $t in 86|100a) echo "ptx $p example.$n.O0 $t -O0" ;; esac
		done
		for p in tree/test/cuda/ptx/*.sm_80.ptx; do echo "ptx $p cuda.$(basename "$p" .sm_80.ptx) $t"; done
		for p in tree/test/cuda/ptx/*.O3.sm_90.ptx; do echo "ptx $p cuda90.$(basename "$p" .O3.sm_90.ptx) $t"; done
	done
} | run
du -cb "$out"/*.cubin | tail -1
