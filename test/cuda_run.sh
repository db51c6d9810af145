#!/bin/bash
# CUDA processes on the model: the core's interface from plain C, its cache, and regloom-run around a program. Needs no nvcc.
. "$(dirname "$0")/lib.sh"
here=$PWD
export XDG_CACHE_HOME=$tmp/cache
case $B in */san) flags="-fsanitize=address,undefined" ;; */tsan) flags="-fsanitize=thread" ;; *) flags= ;; esac
# shellcheck disable=SC2086
builds() { gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g $flags -I. test/cuda_core/core.c -o "$tmp/core" -L"$B/cuda" -lregloom-cuda -Wl,-rpath,"$here/$B/cuda" -pthread; }
core() { "$tmp/core" "$here/test/cuda_core" "$@"; }
passes() { exits 0 core "$1" && grep -q ' 0 wrong' "$tmp/out"; }
says_error() { passes "$1" && says "$2"; }
isolated() { # SIGSEGV; the sanitizer's handler ends with 1
	core touch > "$tmp/out" 2> "$tmp/err"; got=$?
	[ $got != 0 ] && says 'host code touched device memory at 0x' && says '0x8 into an allocation of 0x40 bytes'
}
in_order() { passes print && sed '$d' "$tmp/out" | diff <(printf 'before\nissued\ncta 0\ncta 1\ncta 2\nafter\n') -; }
entries() { find "$tmp/cache/regloom" -type f -name '????????????????????????????????????????????????????????????????'; }
race() { # eight at once make one entry, whole, and leave nothing else
	rm -rf "$tmp/cache"
	for i in 1 2 3 4 5 6 7 8; do core run > "$tmp/race$i" 2>&1 & done
	wait
	[ "$(grep -l ' 0 wrong' "$tmp"/race? | wc -l)" = 8 ] && [ "$(entries | wc -l)" = 1 ] && [ -z "$(find "$tmp/cache" -name 'new-*')" ]
}
damaged() { # HOW: an entry that is cut, changed or empty is made again
	passes run || return
	local e before; e=$(entries | head -1); before=$(sha256sum < "$e")
	case $1 in
	cut) truncate -s 1000 "$e" ;;
	changed) printf 'x' | dd of="$e" bs=1 seek=2000 conv=notrunc status=none ;;
	empty) : > "$e" ;;
	esac
	[ "$(sha256sum < "$e")" != "$before" ] && passes run && [ "$(sha256sum < "$e")" = "$before" ]
}
used() { # the entry is used: with other contents that are whole, other code runs
	passes variables && passes bad || return
	local a b; a=$(entries | xargs grep -l saxpy) b=$(entries | xargs grep -L saxpy)
	cp "$a" "$tmp/keep" && cp "$b" "$a" && { core run > "$tmp/out" 2> "$tmp/err" && return 1; cp "$tmp/keep" "$a"; passes run; }
}
unwritable() { XDG_CACHE_HOME=/proc/nothing passes run; }
t "a program in C against the core" builds
t "launches and copies" passes run
t "variables of modules" passes variables
t "allocations, managed, pinned and registered memory; limits of launches" passes memory
t "boxes" passes boxes
t "clocks of streams and events" passes clocks
t "one bad kernel spoils no other" says_error bad "test/cuda_core/bad.ptx:14:14: error: '%undeclared' is not declared"
t "faults, and what every later call says" says_error faults "100 bytes after the start of device memory"
t "host code that touches device memory" isolated
t "a forked child has no device" passes fork
t "what kernels print, when the host waits" in_order
t "threads" passes threads
t "eight starts at once, one compilation" race
t "an entry that was cut" damaged cut
t "an entry that was changed" damaged changed
t "an empty entry" damaged empty
t "an entry is used" used
t "no folder for the cache" unwritable
finish
