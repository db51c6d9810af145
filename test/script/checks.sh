#!/bin/bash
# --oob=warn and --check: beside test/golden/checks/X.ptx, with its options in its first line, X.err is what is said, executed or timed; statuses; examples and kept
# machine code have no findings. BLESS=1 rewrites X.err. QUICK=1: every fifth example.
. "$(dirname "$0")/../lib.sh"
K=test/golden/checks
options() { sed -n '1s,^// check: ,,p' "$K/$1.ptx"; }
object() { "$A" "$K/$1.ptx" -q --no-fold -o "$tmp/$1.rlo"; }
# run STATUS NAME OPTIONS...
run() { exits "$1" "$M" run "$tmp/$2.rlo" --launch "$K/$2.yaml" -q "${@:3}"; }
# shellcheck disable=SC2046
golden() { # NAME; what a timed run notes besides is of its machine
	object "$1" && run 0 "$1" --functional $(options "$1") && same "$K/$1.err" "$tmp/err" &&
	run 0 "$1" $(options "$1") && diff "$K/$1.err" <(grep -E 'warning: (access|read|barrier|data)|note: (oob|init|sync|race)' "$tmp/err")
}
process() { # NAME: the same in a CUDA process, which says whose memory it is
	# shellcheck disable=SC2046
	exits 9 "$B/regloom-run" --quiet --no-cache --no-fold $(options "$1") --error-exitcode 9 "$B/test/cuda_replay" "$K/$1.ptx" "$K/$1.yaml" &&
		sed -i 's/, allocated by.*/, allocated by .../' "$tmp/err" && same "$K/$1.process" "$tmp/err"
}
stops() { run 1 oob --functional && says 'are outside memory' && run 1 oob --functional --oob=stop --check all; }
status() { run 7 race --functional --check all --error-exitcode 7 && run 0 race --functional --check sync --error-exitcode 7 && says 'sync none'; }
wrong() { run 2 race --check init,rase && says "not 'rase'" && run 2 race --oob=on && says "not 'on'"; }
several() { run 0 race --functional --check init,race --oob=warn && says 'note: oob none, init 1'; }
clean() { # OBJECT NAME; bfs writes levels that others read meanwhile, and any of these will do
	local race=none
	[ "$2" != bfs ] || race='[0-9]* times at 3 instructions'
	exits 0 "$M" run "$1" --launch "examples/$2/$2.yaml" -q --functional --oob=warn --check all && grep -q "note: oob none, init none, sync none, race $race\$" "$tmp/err"
}
compiled() { "$A" "$(find "examples/$1" -name "$1.ptx" -o -name "$1.ll" | head -1)" -q -o "$tmp/clean.rlo" && clean "$tmp/clean.rlo" "$1"; }
for f in "$K"/*.ptx; do
	n=$(basename "$f" .ptx)
	t "findings of $n" golden "$n"
	if [[ $B == */*san ]]; then skip "findings of $n in a process" "programs cannot load libraries with sanitizers"; else t "findings of $n in a process" process "$n"; fi
done
t "without --oob=warn the first access outside memory is the last" stops
t "the exit status of a run with findings" status
t "several checks at once" several
t "what is no check" wrong
tar -C "$tmp" -xJf test/sass/native/86-3.tar.xz 86-3/examples || exit 1
for d in examples/*/; do
	n=$(basename "$d")
	[ -e "$d$n.yaml" ] && taken 3 || continue
	[ -e "$d$n.ptx" ] || [ -x "$B/regloom-llvm" ] || { skip "example $n" "built without LLVM"; continue; }
	t "example $n has no findings" compiled "$n"
	[ ! -e "$tmp/86-3/examples/$n.cubin" ] || t "nor has its machine code: $n" clean "$tmp/86-3/examples/$n.cubin" "$n"
done
finish
