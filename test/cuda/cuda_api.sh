#!/bin/bash
# The interface of the CUDA runtime from plain C, both versions, both default streams: every function that is there with right and wrong arguments, every
# name that is missing, under valgrind too. Needs no nvcc. CASES="memory graphs": those alone. QUICK=1: each version with one default stream.
. "$(dirname "$0")/../lib.sh"
here=$PWD
export XDG_CACHE_HOME=$tmp/cache TMPDIR=$tmp
export LD_LIBRARY_PATH=$here/$B/cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}        # it goes before a program's run path, and may lead to NVIDIA's
unset REGLOOM_CUDA
sanitized
cases=${CASES:-$(sed -n '/^#define CASES/,/^$/p' test/cuda_api/api.h | grep -oE 'CASE\([a-z]+\)' | tr -d '()' | sed 's/CASE//' | grep -vE '^(name|nothing|endless)$' | sort -u)}
# What --default-stream per-thread makes of a program.
sed -nE 's/^(FN|FX)\([A-Z0-9]+, "[^"]*", ([^,(]+, )?(\w+)_(pts[z]|ptds), .*/#define \3 \3_\4/p' runtime-model/cuda/runtime/cudart.def | sort -u > "$tmp/per_thread.h"
builds() { # VERSION NAME FLAGS...
	local v=$1 out=$tmp/$2; shift 2
	# shellcheck disable=SC2086
	$host_cc -std=c11 -D_GNU_SOURCE -DCUDART="$v" -Wall -Wextra -Werror -Wno-cast-function-type -g $host_flags "$@" -I. -I"$tmp" test/cuda_api/*.c -o "$out" \
	  -L"$B/cuda" -l:libcudart.so."$v" -Wl,-rpath,"$here/$B/cuda" -llz4 -lzstd -ldl -pthread
}
api() { # PROGRAM CASE: its own count of checks
	exits 0 "$tmp/$1" "$here/test/cuda_api" "$2" && tail -1 "$tmp/out" | grep -qE '^[0-9]{2,} checks, 0 wrong$'
}
named() { # each missing name is said, once
	api "$1" missing && ! diff <(sed -n 's/^called //p' "$tmp/err" | sort) <(grep -v '^called' "$tmp/err" | grep -oE '\b(__)?cuda[A-Z]\w+' | sort) | head -20 | grep .
}
covered() { # what is there is called by the programs
	nm -u "$tmp"/v12 "$tmp"/v13 "$tmp"/v12_thread "$tmp"/v13_thread | grep -oE '(__)?cuda[A-Z]\w+' | sort -u > "$tmp/called"
	sed -nE 's/^F[NX]\([A-Z0-9]+, "[^"]*", ([^,(]+, )?(\w+), \(.*/\2/p' runtime-model/cuda/runtime/cudart.def | sort -u > "$tmp/there"
	comm -13 "$tmp/called" "$tmp/there" | tee "$tmp/uncalled"
	[ "$(wc -l < "$tmp/there")" -gt 350 ] && [ ! -s "$tmp/uncalled" ]
}
memcheck() { # CASE
	exits 0 valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
	  "$tmp/v13" "$here/test/cuda_api" "$1" && tail -1 "$tmp/out" | grep -q ', 0 wrong$'
}
place() { api v13 faults && says " of the PTX of v13, instruction " && says "nvcc -lineinfo gives the line of the source"; }
refused() { # those that were asked for
	exits 9 "$B/regloom-run" --error-exitcode 9 "$tmp/v13" "$here/test/cuda_api" refusals && says 'absent: 2 launches refused before they began: ' && says '?: 2 launches refused before they began: ' && says 'axpy: 1 launch refused before it began: invalid argument: one of its attributes' && says ': 8 launches in '; }
packings() { for p in 0 1 2; do PACKING=$p api v13 symbols || return; done; }
programs="v12_thread v13"
t "programs in C against version 13" builds 13 v13
t "12, the default stream being the thread's own" builds 12 v12_thread -DPER_THREAD
if [ -z "${QUICK:-}" ]; then
	programs="$programs v12 v13_thread"
	t "against version 12" builds 12 v12
	t "13, the default stream being the thread's own" builds 13 v13_thread -DPER_THREAD
	t "every function that is there is called" covered
fi
for c in $cases; do
	for p in $programs; do
		if [ "$c" = missing ]; then t "$p missing names are said" named $p; else t "$p $c" api $p "$c"; fi
	done
done
without() { REGLOOM_CUDA='["' api "$1" nothing && says "there is no device"; }
hidden() { CUDA_VISIBLE_DEVICES=$2 api "$1" nothing && ! CUDA_VISIBLE_DEVICES=3 api "$1" nothing > /dev/null; }
t "v13 with its device hidden" hidden v13 -1
t "v12_thread with no device named" hidden v12_thread ''
t "v12_thread without a device" without v12_thread
t "v13 without a device" without v13
t "where a kernel failed, of PTX in an image" place
t "launches that are refused" refused
stopped() { # OPTION NUMBER ROUNDS LIMIT: of a loop of a graph
	exits 1 "$B/regloom-run" "--$1" "$2" "$tmp/v13" "$here/test/cuda_api" endless && grep -q '^23 checks, 0 wrong$' "$tmp/out" && says "error: a WHILE node of a graph is stopped after $3" &&
	says " rounds: the limit of $4 for a launch is reached; --$1 N sets another"; }
t "a loop of a graph at the limit of instructions" stopped max-launch-insns 170 14 '170 warp instructions'
t "a loop of a graph at the limit of time" stopped max-launch-seconds 1 "" '1 s'
t "images that are raw, LZ4 and zstd" packings
if [ -n "$host_flags" ]; then skip "under valgrind" "sanitizers are at work"
elif command -v valgrind > /dev/null; then for c in ${VALGRIND:-registration graphs conditions memory libraries}; do t "$c under valgrind" memcheck "$c"; done
else skip "under valgrind" "it is not installed"; fi
finish
