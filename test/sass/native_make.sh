#!/bin/bash
# native_make.sh FOLDER SM LEVEL [BUILD]: machine code that test/sass/native.sh executes, by ptxas -O LEVEL for SM, in FOLDER/SM-LEVEL: the
# examples, and the CUDA kernels as nvcc compiled them; with BUILD also what test/conform asks of every row of the PTX table.
# native_make.sh locks FOLDER SM LEVEL...: test/sass/locks.cu as FOLDER/SM-LEVEL.cubin, where there is an nvcc, for each SM and LEVEL.
# native_make.sh archives BUILD: the files of test/sass/native, of two targets and some of a third; what they hold of conformance is not made again, so for all of it remove them first.
set -eu
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/local/cuda/bin
command -v ptxas > /dev/null || { echo "native_make.sh: no ptxas here, nothing made"; exit 1; }
make_one() { # PTX CUBIN: what asks for more than the target has is left out
	sed "s/^\.target.*/.target sm_$sm/; s/^\.version.*/.version 8.8/" "$1" | ptxas "-arch=sm_$sm" "-O$level" - -o "$2" 2> /dev/null || true
}
export -f make_one
folder() { # FOLDER SM LEVEL [BUILD]
	export sm=$2 level=$3
	local out=$1/$2-$3
	mkdir -p "$out/examples" "$out/cuda" "$out/conform"
	{
		for p in examples/*/*.ptx; do echo "make_one $p $out/examples/$(basename "$p" .ptx).cubin"; done
		for p in test/cuda/ptx/*.O3.sm_80.ptx; do echo "make_one $p $out/cuda/$(basename "$p" .O3.sm_80.ptx).cubin"; done
	} | xargs -d '\n' -P"$(nproc)" -I{} bash -c '{}'
	[ -z "${4-}" ] || "$4/test/conform" --native "$sm:$level" "$out/conform" --quick --kernels test/conform/kernels > /dev/null || true
}
locks() { # FOLDER SM LEVEL...
	local out=$1; shift
	mkdir -p "$out"
	while [ $# -gt 0 ]; do
		nvcc -cubin -arch="sm_$1" -Xcicc "-O$2" -Xptxas "-O$2" test/sass/locks.cu -o "$out/$1-$2.cubin" 2> /dev/null
		shift 2
	done
}
pack() { # FOLDER NAME
	tar -C "$1" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c "$2" | xz -9e > "test/sass/native/$2.tar.xz"
}
if [ "$1" = locks ]; then
	shift
	locks "$@"
elif [ "$1" = archives ]; then
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	for t in '86 3' '120a 3'; do
		name=${t/ /-}
		[ ! -f "test/sass/native/$name.tar.xz" ] || tar -C "$tmp" -xJf "test/sass/native/$name.tar.xz"
		# shellcheck disable=SC2086
		folder "$tmp" $t "$2"
		pack "$tmp" "$name"
	done
	locks "$tmp/locks" 75 3 86 0 86 3 120a 3
	pack "$tmp" locks
	# what sm_75 has and no later target: products in steps, floats among halves; a folder for each TEXT of conform --only
	for only in mma.sync.aligned.m8n8k4 cvt.rz.f16.f32 pairs; do
		mkdir -p "$tmp/75-3-only/$only"
		"$2/test/conform" --native 75:3 "$tmp/75-3-only/$only" --quick --kernels test/conform/kernels --only "$only" > /dev/null || true
	done
	pack "$tmp" 75-3-only
	du -cb test/sass/native/* | tail -1
else
	folder "$@"
fi
