#!/bin/bash
# `make check`: every test there is, counted. QUICK=1 leaves out what takes long (CI's second round, under sanitizers).
# One more runs at once than there are cores, since some wait; long ones first; they are reported in that order. TIMES=1: with seconds.
# Random kernels and every EVERYth example are drawn by the commit, so that each commit tries others; DRAW=N repeats those of another one.
# `make check-long` takes SEEDS=20000 kernels for each property and all examples.
. "$(dirname "$0")/lib.sh"
seeds=$([ -n "${QUICK:-}" ] && echo 8 || echo 64)
commit=$(git rev-parse --short=7 HEAD 2> /dev/null)
export DRAW=${DRAW:-$((16#${commit:-0}))} EVERY=${EVERY:-8}
first=$((DRAW * 1000 + 1))
echo "random kernels from seed $first on, every ${EVERY}th example; the same again: make check DRAW=$DRAW"
export CK_VERBOSITY=normal CK_DEFAULT_TIMEOUT=120       # of seconds: a test that hangs is found, one on a busy machine is not
# Under sanitizers a fork for each test is slow, and a crash is reported anyway.
[[ $B == */san* ]] && export CK_FORK=no

# job KIND NAME COMMAND...: `test` passes or fails as a whole, `suites` is a program of Check's, `sub` a script whose last line counts.
kinds=() names=()
trap 'trap - TERM; kill 0' INT TERM      # what runs besides, too
job() {
	local kind=$1 name=$2; shift 2
	printf '%q ' "$@" > "$tmp/${#names[@]}.job"
	kinds+=("$kind") names+=("$name")
}
start() { # NUMBER... of jobs
	printf '%s\n' "$@" | xargs -P "$(($(nproc) + 1))" -I {} bash -c 'TIMEFORMAT="%R %U"; { time bash "$1.job" > "$1.log" 2>&1 < /dev/null; s=$?; } 2> "$1.time"; echo $s $(cat "$1.time") > "$1.new"; mv "$1.new" "$1.status"' - "$tmp/{}" &
}
report() { # NUMBER, when it has ended
	local name=${names[$1]} n f e
	until [ -e "$tmp/$1.status" ]; do sleep 0.2; done
	cp "$tmp/$1.log" "$log"
	[ -z "${TIMES:-}" ] || printf '%10.1f s, %.1f s of a core\n' $(cut -d' ' -f2- "$tmp/$1.status")
	case ${kinds[$1]} in
	test) t "$name" bash -c 'cat "$1.log"; exit "$(cut -d" " -f1 "$1.status")"' - "$tmp/$1" ;;
	suites)
		read -r n f e < <(sed -nE 's/^[0-9]+%: Checks: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+).*/\1 \2 \3/p' "$log" | tail -1)
		if [ -z "$n" ]; then
			failed=$((failed + 1)); echo "FAIL  $name did not finish"; tail -20 "$log"; return
		fi
		passed=$((passed + n - f - e)); failed=$((failed + f + e))
		[ $((f + e)) = 0 ] && echo "ok    $n $name" || { echo "FAIL  $((f + e)) of $n $name"; grep -E ':[FE]:' "$log"; } ;;
	sub)
		grep -E '^(FAIL|skip|rows covered|      )' "$log"
		if [[ $(tail -1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
			n=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} e=${BASH_REMATCH[4]:-0}
			passed=$((passed + n)) failed=$((failed + f)) skipped=$((skipped + e))
			if [ "$f" = 0 ]; then
				if [ "$n" = 0 ]; then echo "skipped $name ($e)"; else echo "ok    $name ($n$([ "$e" = 0 ] || echo ", $e skipped"))"; fi
			fi
		else
			failed=$((failed + 1)); echo "FAIL  $name did not finish"; tail -20 "$log"
		fi ;;
	esac
}

job sub "rooms" test/tool/layers.sh "$B"
job suites "unit tests" "$B/test/unit/run"
# Kernels are shared out so that no property takes much longer than others: what one kernel costs, by the cheapest ones. With SEEDS each has so many.
declare -A seen=() cost=([compile]=10 [regmutex]=14 [compact]=5 [model]=5 [corf]=4 [parse]=4 [values]=4 [call]=3 [share]=3 [stress]=2 [hierarchy]=4 [reuse]=4 [progress]=15)
for p in $(printf "$B/test/p_%s\n" "${!cost[@]}" | sort) "$B"/test/p_*; do
	n=${p##*/p_}
	[[ $p != *.o && -z ${seen[$n]:-} ]] || continue
	seen[$n]=1
	job test "property $n" "$p" "${SEEDS:-$((seeds / ${cost[$n]:-1} + 4))}" "$first"
done
# Kernels that once showed a mistake.
while read -r n seed _; do
	[[ $n == '#'* ]] || job test "property $n, seed $seed" "$B/test/p_$n" 1 "$seed"
done < test/prop/kept.txt
# Techniques on examples, over and over, and scripts that start many processes: under sanitizers properties, units and fuzz corpora execute the same code.
if [ -z "${QUICK:-}" ]; then
	job sub "registers shared between warps" test/script/regmutex.sh "$B"
	job sub "examples with encoded registers" test/script/values.sh "$B"
	job sub "values alike, as timed and in wide warps" test/script/similar.sh "$B"
	job sub "examples under hierarchies" test/script/hierarchy.sh "$B"
	job sub "packed examples" test/script/packing.sh "$B"
	job sub "comparing" test/script/compare.sh "$B"
	job sub "microbenchmarks" test/script/micro.sh "$B"
	job sub "proof by a model" test/script/model.sh "$B"
	job sub "counters" test/script/counters.sh "$B"
	job sub "reports" test/web/report.sh "$B"
	job sub "sweeps" test/script/sweep.sh "$B"
fi
job sub "races that reuse finds" test/script/races.sh "$B"
job sub "examples" test/script/examples.sh "$B"
job sub "commands" test/script/commands.sh "$B"
job sub "what a run says" test/script/explain.sh "$B"
job sub "what a kernel is compiled for" test/script/compile.sh "$B"
job sub "limits, comparisons, remarks and SARIF" test/script/gate.sh "$B"
job sub "annotated cubins" test/sass/annotated.sh "$B"
job sub "views of machine code" test/sass/cubin_views.sh "$B"
job sub "register banks of machine code" test/sass/banks.sh "$B"
job sub "evidence of machine code" test/sass/sass.sh "$B"
job sub "peer kernels" test/script/peer.sh "$B"
job sub "CUDA kernels" test/cuda/cuda.sh "$B"
if [[ $B == */san* && ${CC:-} == *clang* ]]; then
	skip "CUDA processes, interface and functions of the CUDA runtime" "programs cannot load libraries with clang's sanitizers"
else
	job sub "CUDA processes" test/cuda/cuda_run.sh "$B"
	job sub "interface of the CUDA runtime" test/cuda/cuda_abi.py "$B"
	job sub "functions of the CUDA runtime" test/cuda/cuda_api.sh "$B"
fi
job sub "traces" test/script/trace.sh "$B"
job sub "inputs" test/script/inputs.sh "$B"
job sub "refused inputs" test/script/refused.sh "$B"
job sub "small inputs that stand for much" test/script/bounds.sh "$B"
job sub "every error has its golden text" test/tool/diagnostics.py
job sub "golden views" test/script/golden.sh "$B"
job sub "conformance" "$B/test/conform" --all ${QUICK:+--quick}
job sub "approximate functions" "$B/test/approx" ${QUICK:+--quick}
for r in "$B"/test/replay_f_*; do
	n=${r##*/replay_f_}
	job test "fuzz corpus $n" "$r" test/fuzz/corpus/"$n"/*
done
if [ -z "${QUICK:-}" ]; then
	job sub "page of the report" test/web/web.sh "$B"
	job sub "reports in a browser" test/web/web.py "$B"
	job sub "papers" test/script/papers.sh "$B"
	job sub "ptxas oracle" test/conform/oracle.sh "$B"
	job sub "sweeps on a cluster" test/script/slurm.sh "$B"
	job sub "forms of instructions, against ptxas" test/conform/forms.py "$B"
	job sub "pages" test/tool/docs.sh "$B"
	job sub "commands of README, tutorial and pages" test/tool/readme.py "$B"
	job sub "a technique is added, as the page says" test/tool/toy.sh "$B"
	job sub "CUDA programs" test/cuda/cuda_programs.sh "$B"
	job sub "nvcc and ptxas wrapped" test/packaging/nvcc.sh "$B"
	alone=${#names[@]}
	job sub "Debian packages" test/packaging/deb.sh "$B"               # it builds and installs, as the next two do: nothing else runs then
	job sub "build systems" test/packaging/build_systems.sh "$B"
	job sub "installation" test/packaging/install.sh "$B"
fi
: "${alone:=${#names[@]}}"

j=0
for until in "$alone" "${#names[@]}"; do
	[ "$j" = "$until" ] || start $(seq "$j" $((until - 1)))
	for ((; j < until; j++)); do report "$j"; done
	wait
done
finish
