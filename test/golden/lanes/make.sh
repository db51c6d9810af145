#!/bin/bash
# make.sh OUT: lanes.ptx as machine code, with ptxas 13.0; without it it says so.
set -eu
export PATH=$PATH:/usr/local/cuda/bin
command -v ptxas > /dev/null || { echo "make.sh: no ptxas here, nothing made"; exit 0; }
for t in 75 90a 120a; do ptxas -arch=sm_$t "$(dirname "$0")/lanes.ptx" -o "$1/lanes.sm_$t.cubin"; done
