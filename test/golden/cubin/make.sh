#!/bin/sh
# Compiles the cubins of this folder again, with nvcc 13.0. Line tables hold the folder: always the same one.
to=$(cd "$(dirname "$0")" && pwd) && mkdir -p /tmp/cubin && cp "$to"/*.cu /tmp/cubin && cd /tmp/cubin || exit 1
nvcc -cubin -arch=sm_75 calls.cu -o "$to/calls_75.cubin"
nvcc -cubin -arch=sm_80 -lineinfo calls.cu -o "$to/calls_80.cubin"
nvcc -cubin -arch=sm_80 -rdc=true calls.cu -o "$to/calls_80_rdc.cubin"
nvcc -cubin -arch=sm_90 -rdc=true -lineinfo calls.cu -o "$to/calls_90_rdc.cubin"
nvcc -cubin -arch=sm_90a large.cu -o "$to/large_90a.cubin"
nvcc -cubin -arch=sm_120 calls.cu -o "$to/calls_120.cubin"
nvcc -cubin -arch=sm_90a -Xptxas -O1 held.cu -o "$to/held_90a.cubin"
for part in 1 2; do nvcc -cubin -arch=sm_80 -rdc=true -lineinfo -DPART=$part inlined.cu -o inlined_$part.cubin; done
nvlink -arch=sm_80 inlined_1.cubin inlined_2.cubin -o "$to/inlined_80_linked.cubin"
