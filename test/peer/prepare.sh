#!/bin/sh
# Puts the peer kernels, their launch files and the data these name into BUILD/peer: prepare.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
out=$1/peer
mkdir -p "$out"
"$1/reference/peer" "$out" > /dev/null
cp test/peer/*.ptx test/peer/*.yaml "$out"
