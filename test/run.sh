#!/bin/bash
# `make check`: every test there is, counted. QUICK=1 leaves out what takes long (CI's round under sanitizers).
# One more runs at once than there are cores, since some wait; they are reported in the order in which they begin. TIMES=1: with seconds.
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
	printf '%s\n' "$@" | xargs -P "$(($(nproc) + 1))" -I {} bash -c 'TIMEFORMAT="%R %U %S"; { time bash "$1.job" > "$1.log" 2>&1 < /dev/null; s=$?; } 2> "$1.time"; echo $s $(cat "$1.time") > "$1.new"; mv "$1.new" "$1.status"' - "$tmp/{}" &
}
report() { # NUMBER, when it has ended
	local name=${names[$1]} n f e
	until [ -e "$tmp/$1.status" ]; do sleep 0.2; done
	cp "$tmp/$1.log" "$log"
	[ -z "${TIMES:-}" ] || awk '{ printf "%10.1f s, %.1f s of a core\n", $2, $3 + $4 }' "$tmp/$1.status"
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

# The tests of test/tests.txt, the longest first; `alone` are last, when nothing else runs. Kernels are shared out so that no property takes much longer than
# others; with SEEDS each has so many. Under sanitizers properties, units and fuzz corpora execute the code of the techniques that `full` scripts run over
# and over, on examples.
rows() { # WHEN...: those, as SECONDS, KIND, NAME, PARAMETER and what it is called
	awk -F ' *[|] *' -v OFS='\t' -v quick="${QUICK:-}" -v when=" $* " '
		/^#/ { next }
		{ kind = name = $1; sub(/ .*/, "", kind); sub(/^[a-z]* /, "", name); split($3, s, "/"); cost = quick && s[2] != "" ? s[2] : s[1] }
		kind == "unit" { units += cost; next }
		index(when, kind ~ /property|fuzz/ ? " check " : " " $4 " ") { print cost, kind, name, $4 == "" ? "-" : $4, $5 }
		END { if (when ~ /check/) print units, "unit", "-", "-" }' test/tests.txt | sort -rn
}
jobs_of() { # WHEN...
	local kind name parameter what
	while IFS=$'\t' read -r _ kind name parameter what; do
		case $kind in
		unit) job suites "unit tests" "$B/test/unit/run" ;;
		property) job test "property $name" "$B/test/p_$name" "${SEEDS:-$((seeds / parameter + 4))}" "$first" ;;
		fuzz) job test "fuzz corpus $name" "$B/test/replay_f_$name" "test/fuzz/corpus/$name"/* ;;
		program) job sub "$what" "$B/test/${name%% *}" ${name#"${name%% *}"} ${QUICK:+--quick} ;;
		script)
			if [[ $B == */san* && ${CC:-} == *clang* && $name == cuda/cuda_@(r|a|saved)* ]]; then
				skip "$what" "programs cannot load libraries with clang's sanitizers"
			else
				job sub "$what" "test/$name" "$B"
			fi ;;
		esac
	done < <(rows "$@")
}
jobs_of check ${QUICK:-full}
# Kernels that once showed a mistake.
while read -r n seed _; do
	[[ $n == '#'* ]] || job test "property $n, seed $seed" "$B/test/p_$n" 1 "$seed"
done < test/prop/kept.txt
alone=${#names[@]}
[ -n "${QUICK:-}" ] || jobs_of alone

j=0
for until in "$alone" "${#names[@]}"; do
	[ "$j" = "$until" ] || start $(seq "$j" $((until - 1)))
	for ((; j < until; j++)); do report "$j"; done
	wait
done
finish
