#!/bin/bash
# Traces as a user makes them: read by strict readers of both formats, the same bytes again, and no other result than without.
. "$(dirname "$0")/../lib.sh"
object() { [ -e "$tmp/$1.rlo" ] || "$A" "examples/$1/$1.ptx" -q -o "$tmp/$1.rlo"; }
traced() { # EXAMPLE NAME OPTION...
	local e=$1 n=$2; shift 2
	object "$e" && "$M" run "$tmp/$e.rlo" --launch "examples/$e/$e.yaml" -q --trace "$tmp/$n.trace" --pipeview "$tmp/$n.log" "$@"
}
window() { # EXAMPLE FROM CYCLES OPTION...
	local e=$1 from=$2 n=$3; shift 3
	traced "$e" "$e" --trace-from "$from" --trace-cycles "$n" "$@" &&
	test/script/trace.py chrome "$tmp/$e.trace" "$from" $((from + n)) && test/script/trace.py kanata "$tmp/$e.log" "$from" $((from + n))
}
for e in saxpy reduction bfs; do
	t "$e: the first 2000 cycles" window $e 0 2000 --trace-sm all
	t "$e: 700 cycles in its middle" window $e 600 700 --trace-sm 3
done
t "another scheduler, other banks" window reduction 1000 500 --rf issue=lrr --set rf_banks=2
subcores() { # allocate stage or queue, unit or memory, each instruction; a track for each sub-core
	window reduction 1000 500 --machine rtx3080 --trace-sm 0 "$@" && for s in Al Qu Ex Mem; do grep -q "^S.*	0	$s\$" "$tmp/reduction.log" || return; done &&
	for s in 0 1 2 3; do grep -q "\"sub-core $s SP\"" "$tmp/reduction.trace" || return; done
}
t "a core of sub-cores" subcores
t "a core of sub-cores, with a scoreboard" subcores --set dependences=scoreboard --rf rfc
whole() {
	object saxpy && traced saxpy whole --trace-cycles 0 --trace-sm all && test/script/trace.py chrome "$tmp/whole.trace" && test/script/trace.py kanata "$tmp/whole.log"
}
t "to the end" whole
again() { # on one thread, on several
	traced bfs one --trace-cycles 3000 --trace-sm all --threads 1 && traced bfs two --trace-cycles 3000 --trace-sm all --threads 5 &&
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
	traced reduction all --trace-cycles 1000 --trace-sm all && traced reduction own --trace-cycles 1000 --trace-sm 4 &&
	traced reduction first --trace-cycles 1000 && traced reduction zero --trace-cycles 1000 --trace-sm 0 && cmp "$tmp/first.trace" "$tmp/zero.trace" &&
	diff <(grep '"pid":6,' "$tmp/all.trace" | sed 's/,$//') <(grep '"pid":6,' "$tmp/own.trace" | sed 's/,$//') && ! grep -q '"pid":7,' "$tmp/own.trace"
}
t "--trace-sm leaves out the other SMs and nothing else; without it, SM 0" one_sm
short() { # a launch of 14,000 cycles: what is written stands in the window and just after it
	traced reduction short --trace-cycles 100 &&
	awk '$1 == "C=" { at = $2 } $1 == "C" { at += $2; if (next_is_c) exit 1 } { next_is_c = $1 == "C" } END { exit at > 2000 || next_is_c }' "$tmp/short.log"
}
t "a Kanata log ends with its window" short
killed() { # two signals: no file, and none that was begun
	local dir=$tmp/killed pid i
	cat > "$tmp/spin.ptx" <<-'PTX'
		.version 6.0
		.target sm_50
		.address_size 64
		.visible .entry spin()
		{
		.reg .b32 %a;
		mov.u32 %a, 1;
		L:
		add.u32 %a, %a, 1;
		bra L;
		}
	PTX
	printf '%s\n' 'launches: [{kernel: spin, grid: [60], block: [256]}]' > "$tmp/spin.yaml"
	mkdir -p "$dir" && "$A" "$tmp/spin.ptx" -q -o "$tmp/spin.rlo" || return
	# a shell in the background, and nohup, hand on an INT that is ignored
	env --default-signal=INT,TERM "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-insns 0 --trace "$dir/a.trace" --pipeview "$dir/a.log" --trace-cycles 0 2> /dev/null & pid=$!
	for i in $(seq 600); do [ "$(find /proc/$pid/fd -lname "$dir/*" 2> /dev/null | wc -l)" -ge 2 ] && break; sleep 0.1; done
	[ "$i" != 600 ] || { echo "no files are open"; kill -KILL $pid; return 1; }
	kill -STOP $pid                 # each thread stops when it next can
	for i in $(seq 600); do grep -qv ') T ' /proc/$pid/task/*/stat || break; sleep 0.1; done
	kill -TERM $pid; kill -INT $pid; kill -CONT $pid        # both are there when it goes on
	wait $pid; i=$?
	[ -z "$(find "$dir" -name 'a.*.*')" ] || { echo "status $i, left:"; ls "$dir"; return 1; }
	[ -z "$(find "$dir" -type f)" ] && { [ $i = 143 ] || [ $i = 130 ]; } && return
	echo "status $i"; ls "$dir"
	return 2
}
# Two threads may handle the signals, and the run that the first one asked to end may end before the second is handled: again.
killed_at_once() {
	local again
	for _ in 1 2 3 4 5; do rm -rf "$tmp/killed"; killed; again=$?; [ $again = 2 ] || break; done
	return $again
}
t "a second signal leaves no temporary file" killed_at_once
refused() { # EXPECTED OPTION...
	local says=$1; shift
	object saxpy && ! "$M" run "$tmp/saxpy.rlo" --launch examples/saxpy/saxpy.yaml -q "$@" 2> "$tmp/err" && grep -qF -- "$says" "$tmp/err" &&
	[ -z "$(find "$tmp" -name 'no.*')" ]
}
t "an SM that is not there" refused "15 SMs" --trace "$tmp/no.trace" --trace-sm 15
t "an SM that is no number" refused "wants a whole number" --trace "$tmp/no.trace" --trace-sm some
t "a window without a file" refused "--trace or --pipeview" --trace-from 5
t "a trace without timing" refused "--functional" --trace "$tmp/no.trace" --functional
t "two files on standard output" refused "only one" --trace - --pipeview -
t "a path that cannot be written" refused "cannot write" --trace "$tmp/no.trace" --pipeview /nonexistent/x
t "a full disk" refused "cannot write" --trace /dev/full
stdout() { object saxpy && "$M" run "$tmp/saxpy.rlo" --launch examples/saxpy/saxpy.yaml --pipeview - 2>"$tmp/err" > "$tmp/stdout.log" && test/script/trace.py kanata "$tmp/stdout.log" && grep -q PASS "$tmp/err"; }
t "a log on standard output, the report beside it" stdout
finish
