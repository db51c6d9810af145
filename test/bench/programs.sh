#!/bin/bash
# Functional speed of CUDA programs beside plain C++ for the same computation, which each does to verify itself (one core, -O2). Part of `make bench`;
# said and left out where there is no nvcc. test/cuda/cuda_programs.sh builds the programs.
set -eu
cd "$(dirname "$0")/../.."
B=$1
PATH=$PATH:/usr/local/cuda/bin
if [ -z "$(command -v nvcc)" ]; then echo "CUDA programs: no nvcc here"; exit; fi
PROGRAMS="matmul nbody mandelbrot sha256sum" QUICK=1 test/cuda/cuda_programs.sh "$B" > /dev/null
printf '%-12s %8s %16s %24s %24s %9s\n' "program" "threads" "million warp" "functional, seconds" "plain C++, one core," "slower by"
printf '%-12s %8s %16s %24s %24s\n' "" "" "instructions/s" "in kernels" "seconds"
while read -r name args; do
	for threads in 1 2; do
		# shellcheck disable=SC2086
		"$B/regloom-run" --quiet --threads "$threads" --report "$B/cuda_programs/bench.json" "$B/cuda_programs/$name" $args > "$B/cuda_programs/bench.out"
		grep -q "^$name: PASS" "$B/cuda_programs/bench.out"
		python3 - "$name" "$threads" "$B/cuda_programs/bench" <<'PY'
import json, sys
name, threads, at = sys.argv[1:]
launches = [r for r in map(json.loads, open(at + ".json")) if r["type"] == "launch"]
seconds, warps = (sum(r[k] for r in launches) for k in ("host_seconds", "warp_instructions"))
host = next(float(line.split()[3]) for line in open(at + ".out") if line.startswith("on the host:"))
print(f"{name:12} {threads:>8} {warps / seconds / 1e6:16.2f} {seconds:24.3f} {host:24.3f} {seconds / host:9.1f}")
PY
	done
	rm -f "$B/cuda_programs/bench.json"
done <<'LIST'
matmul -wA=256 -hA=256 -wB=256 -repeat=1
nbody -bodies=1024 -steps=2
mandelbrot 320 200 /dev/null 200
sha256sum -messages=2000
LIST
