#!/bin/bash
# `make check`: every test there is, counted. QUICK=1 leaves out what takes long (CI's second round, under sanitizers).
. "$(dirname "$0")/lib.sh"
seeds=${SEEDS:-$([ -n "${QUICK:-}" ] && echo 60 || echo 400)}

# A script of its own ends with "N passed, N failed[, N skipped]": its counts are ours.
sub() {
	local name=$1 line; shift
	"$@" > "$log" 2>&1
	grep -E '^(FAIL|skip|rows covered|      )' "$log"
	line=$(tail -1 "$log")
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		passed=$((passed + BASH_REMATCH[1])); failed=$((failed + BASH_REMATCH[2])); skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
		[ "${BASH_REMATCH[2]}" = 0 ] && echo "ok    $name (${BASH_REMATCH[1]})"
	else
		failed=$((failed + 1)); echo "FAIL  $name did not finish"; tail -20 "$log"
	fi
}

t "layers" test/layers.sh
check_suites "$B/test/unit/run"
# Most of the time goes to the properties: as many at once as there are cores. One that tries many variants of each kernel gets fewer kernels.
properties=$(for p in "$B"/test/p_*; do [ -x "$p" ] && [[ $p != *.o ]] && echo "$p"; done)
echo "$properties" | sort -r | xargs -P "$(nproc)" -I {} bash -c 'n=$2; [ "${1##*/}" = p_regmutex ] && n=$(($2 / 10 + 14)); "$1" "$n" > "$3/${1##*/}" 2>&1; echo $? > "$3/${1##*/}.status"' - {} "$seeds" "$tmp"
ended() { cat "$tmp/${1##*/}"; return "$(cat "$tmp/${1##*/}.status")"; }
for p in $properties; do
	t "property ${p##*/p_}" ended "$p"
done
for r in "$B"/test/replay_f_*; do
	n=${r##*/replay_f_}
	t "fuzz corpus $n" bash -c "$r test/fuzz/corpus/$n/*"
done
sub "conformance" "$B/test/conform" --all ${QUICK:+--quick}
sub "approximate functions" "$B/test/approx" ${QUICK:+--quick}
sub "golden views" test/golden.sh "$B"
sub "every error has its golden text" test/diagnostics.py
sub "examples" test/examples.sh "$B"
sub "packed examples" test/packing.sh "$B"
sub "examples under hierarchies" test/hierarchy.sh "$B"
sub "values alike, as timed and in wide warps" test/similar.sh "$B"
sub "examples with encoded registers" test/values.sh "$B"
sub "registers shared between warps" test/regmutex.sh "$B"
sub "peer kernels" test/peer.sh "$B"
sub "CUDA kernels" test/cuda.sh "$B"
sub "commands" test/commands.sh "$B"
sub "comparing" test/compare.sh "$B"
sub "counters" test/counters.sh "$B"
sub "traces" test/trace.sh "$B"
sub "proof by a model" test/model.sh "$B"
sub "microbenchmarks" test/micro.sh "$B"
sub "inputs" test/inputs.sh "$B"
sub "refused inputs" test/refused.sh "$B"
if [ -z "${QUICK:-}" ]; then
	sub "installation" test/install.sh "$B"
	sub "ptxas oracle" test/oracle.sh "$B"
	sub "forms of instructions, against ptxas" test/forms.py "$B"
fi
finish
