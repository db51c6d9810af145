#!/bin/bash
# Traces as a user makes them: read by strict readers of both formats, the same bytes again, and no other result than without.
set -u
cd "$(dirname "$0")/.." || exit 1
. test/lib.sh
B=$1
A=$B/ptx-annotate M=$B/sm-model
tmp=$(mktemp -d)
trap 'rm -rf "$tmp" "$log"' EXIT
object() { [ -e "$tmp/$1.rlo" ] || "$A" "examples/$1/$1.ptx" -q -o "$tmp/$1.rlo"; }
traced() { # EXAMPLE NAME OPTION...
	local e=$1 n=$2; shift 2
	object "$e" && "$M" run "$tmp/$e.rlo" --launch "examples/$e/$e.yaml" -q --trace "$tmp/$n.trace" --pipeview "$tmp/$n.log" "$@"
}
window() { # EXAMPLE FROM CYCLES OPTION...
	local e=$1 from=$2 n=$3; shift 3
	traced "$e" "$e" --trace-from "$from" --trace-cycles "$n" "$@" &&
	test/trace.py chrome "$tmp/$e.trace" "$from" $((from + n)) && test/trace.py kanata "$tmp/$e.log" "$from" $((from + n))
}
for e in saxpy reduction bfs; do
	t "$e: the first 2000 cycles" window $e 0 2000
	t "$e: 700 cycles in its middle" window $e 600 700 --trace-sm 3
done
t "another scheduler, other banks" window reduction 1000 500 --rf issue=lrr --set rf_banks=2
whole() {
	object saxpy && traced saxpy whole --trace-cycles 0 && test/trace.py chrome "$tmp/whole.trace" && test/trace.py kanata "$tmp/whole.log"
}
t "to the end" whole
again() { # on one thread, on several
	traced bfs one --trace-cycles 3000 --threads 1 && traced bfs two --trace-cycles 3000 --threads 5 &&
	cmp "$tmp/one.trace" "$tmp/two.trace" && cmp "$tmp/one.log" "$tmp/two.log"
}
t "the same bytes at any number of threads" again
unchanged() { # watching changes nothing
	traced bfs json --trace-cycles 3000 --clocks --json "$tmp/with.json" && object bfs &&
	"$M" run "$tmp/bfs.rlo" --launch examples/bfs/bfs.yaml -q --json "$tmp/without.json" &&
	python3 -c 'import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a.pop("clocks") == [] and a == b' "$tmp/with.json" "$tmp/without.json"
}
t "a run that is watched has the same results" unchanged
one_sm() { # the rows of an SM of its own trace are those of the trace of all
	traced reduction all --trace-cycles 1000 && traced reduction own --trace-cycles 1000 --trace-sm 4 &&
	diff <(grep '"pid":6,' "$tmp/all.trace" | sed 's/,$//') <(grep '"pid":6,' "$tmp/own.trace" | sed 's/,$//') && ! grep -q '"pid":7,' "$tmp/own.trace"
}
t "--trace-sm leaves out the other SMs and nothing else" one_sm
refused() { # EXPECTED OPTION...
	local says=$1; shift
	object saxpy && ! "$M" run "$tmp/saxpy.rlo" --launch examples/saxpy/saxpy.yaml -q "$@" 2> "$tmp/err" && grep -qF -- "$says" "$tmp/err" &&
	[ -z "$(find "$tmp" -name 'no.*')" ]
}
t "an SM that is not there" refused "15 SMs" --trace "$tmp/no.trace" --trace-sm 15
t "a window without a file" refused "--trace or --pipeview" --trace-from 5
t "a trace without timing" refused "--functional" --trace "$tmp/no.trace" --functional
t "two files on standard output" refused "only one" --trace - --pipeview -
t "a path that cannot be written" refused "cannot write" --trace "$tmp/no.trace" --pipeview /nonexistent/x
t "a full disk" refused "cannot write" --trace /dev/full
stdout() { object saxpy && "$M" run "$tmp/saxpy.rlo" --launch examples/saxpy/saxpy.yaml --pipeview - 2>"$tmp/err" > "$tmp/stdout.log" && test/trace.py kanata "$tmp/stdout.log" && grep -q PASS "$tmp/err"; }
t "a log on standard output, the report beside it" stdout
finish
