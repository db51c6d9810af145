#!/bin/bash
# Random kernels as PTX and as ptxas's machine code leave the same memory (test/prop/native_random.c). COUNT=5000 SEED=1: so many, from that one on; EVERY=1:
# each for all targets and levels. KEEP=FOLDER: what differs, as few lines as still do, stays there.
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/usr/local/cuda/bin
count=${COUNT:-24} seed=${SEED:-1} folder=${KEEP:-$tmp}
if ! command -v ptxas > /dev/null; then
	skip "$count random kernels against ptxas" "no ptxas"
else
	mkdir -p "$folder"
	t "$count random kernels from seed $seed on" "$B/test/native_random" "$folder" "$count" "$seed"
	tail -1 "$log"
	# What differs is found: a compiler that compiles another kernel, whose last sum has another summand.
	printf '#!/bin/bash\nsed "s/^\\tst.global.u32 \\[%%own+256\\], %%r0;/\\tadd.u32 %%r0, %%r0, 1;\\n&/" "${@: -3:1}" > "%s/other.ptx" && exec ptxas "${@:1:3}" "%s/other.ptx" "${@: -2}"\n' "$tmp" "$tmp" > "$tmp/wrong"
	chmod +x "$tmp/wrong"
	wrong() { ! PTXAS=$tmp/wrong "$B/test/native_random" "$tmp" 1 2 > "$tmp/out" && grep -q 'FAIL.*byte 256 of thread' "$tmp/out"; }
	t "a kernel that is compiled wrongly is found" wrong
fi
finish
