#!/bin/bash
# Views of machine code: listing, JSON, summary, --check and --diff of cubins. BLESS=1 rewrites the golden texts.
. "$(dirname "$0")/lib.sh"

# ---- occupancy of real GPUs ----
header() { for h in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda-*; do [ -e "$h/include/cuda_occupancy.h" ] && echo "$h/include" && return; done; return 1; }
if include=$(header); then
	occupancy() {
		${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -isystem "$include" test/views/occupancy.c passes/occupancy.c analyzer/base/arena.c -o "$tmp/occupancy" && "$tmp/occupancy"
	}
	t "occupancy of real GPUs, by NVIDIA's calculator" occupancy
else
	skip "occupancy of real GPUs" "cuda_occupancy.h is not here"
fi
real_machine() { # of PTX: the limits of sm_80, which --set cannot change
	exits 0 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --block 16,16 --machine sm_80 && grep -q '^kernel sgemm on sm_80' "$tmp/out" &&
	exits 0 "$A" --check min-occupancy=100 examples/sgemm/sgemm.ptx --block 16,16 --machine sm_80 && exits 1 "$A" --check min-occupancy=99 examples/sgemm/sgemm.ptx --block 96 --machine sm_80 &&
	exits 2 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --machine sm_80 --set rf_registers=8192 && says 'sm_80 is a real one' && exits 2 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --machine sm_8
}
t "--machine of a real GPU" real_machine

finish
