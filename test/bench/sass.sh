#!/bin/bash
# `make bench-sass`: how fast a cubin with 10 MiB of code is read: all examples in one file if ptxas is here, and a kernel of the test set
# otherwise, grown by copies.
set -eu
cd "$(dirname "$0")/../.."
B=$1 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export PATH=$PATH:/usr/local/cuda/bin
one() { # CUBIN NAME
	"$B/test/bench/sass" grow "$1" "$tmp/large.cubin" 10
	echo "$2"
	"$B/test/bench/sass" time "$tmp/large.cubin" 5
	echo
}
if command -v ptxas > /dev/null; then
	{
		printf '.version 8.0\n.target sm_75\n.address_size 64\n'
		for p in examples/*/*.ptx; do grep -vE '^[[:space:]]*\.(version|target|address_size|file|loc)[[:space:]]' "$p" | sed '/\.section/,$d'; done
	} > "$tmp/all.ptx"
	for t in 80 90; do
		ptxas -arch=sm_$t "$tmp/all.ptx" -o "$tmp/all.cubin" 2> "$tmp/log" || { head -3 "$tmp/log"; break; }
		one "$tmp/all.cubin" "all examples, sm_$t"
	done
fi
one test/sass/cubin/lavamd.sm_80.cubin "lavamd, sm_80"
