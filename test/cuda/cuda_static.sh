#!/bin/bash
# Programs and libraries that carry NVIDIA's runtime inside, as nvcc links them. Without nvcc: an archive that is nothing but the runtime's names, under all programs
# of the runtime's interface (test/cuda_api), both versions. With it: libraries with runtimes of their own. Whole programs: cuda_ways.sh.
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/usr/local/cuda/bin
here=$PWD R=$PWD/$B/regloom-run
export XDG_CACHE_HOME=$tmp/cache TMPDIR=$tmp
sanitized
within=
[ -z "$preload" ] || within="env LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0:handle_segv=0"
if [ ! -f "$B/cuda/libregloom-static.so" ]; then
	skip "runtimes that are linked in" "they are replaced on x86-64 alone"
	finish
	exit
fi

# ---- an archive of names ----
archive() { # VERSION FLAGS...
	for part in 1 2; do gcc -O1 -fPIC -fno-toplevel-reorder -DCUDART="$1" "${@:2}" -DPART=$part -I. -c test/cuda_static/archive.c -o "$tmp/archive$1.$part.o" || return; done
}
carries() { # VERSION NAME FLAGS... SOURCES...: a program that does
	local v=$1 out=$tmp/$2; shift 2
	gcc -std=c11 -D_GNU_SOURCE -DCUDART="$v" -Wall -Wextra -Werror -Wno-cast-function-type -g -rdynamic -I. -I"$tmp" "$@" "$tmp/archive$v.1.o" "$tmp/archive$v.2.o" -o "$out" -llz4 -lzstd -ldl -pthread
}
runs() { exits 0 "$R" --quiet $within "$@"; }
which_runtime() { # VERSION FLAGS...
	carries "$1" program "${@:2}" test/cuda_static/program.c && runs "$tmp/program" && grep -qx "$1 $1 801 801 7" "$tmp/out" &&
	[ "$(grep -o 'cuda.* is not there yet' "$tmp/err")" = "cudaBindTexture is not there yet" ] || { cat "$tmp/out" "$tmp/err"; return 1; }
}
api() { runs "$tmp/api$1" "$here/test/cuda_api" "$2" && tail -1 "$tmp/out" | grep -qE '^[0-9]{2,} checks, 0 wrong$'; }
named() { runs "$tmp/api$1" "$here/test/cuda_api" missing && grep -c 'is not there yet' "$tmp/err" | grep -qE '^[0-9]{2,}$' && says "cudaGetExportTable is not there yet"; }
cases=$(sed -n '/^#define CASES/,/^$/p' test/cuda_api/api.h | grep -oE 'CASE\([a-z]+\)' | sed 's/CASE(//; s/)//' | grep -vE '^(name|nothing|missing|refusals|endless)$' | sort -u)
for v in 12 13; do
	t "an archive of the names of $v" archive $v
	t "a program that carries $v is given $v, missing names by name" which_runtime $v
	t "at fixed addresses too" which_runtime $v -no-pie -fno-pie
	t "programs in C that carry $v" carries $v api$v test/cuda_api/*.c
	for c in $cases; do t "carried $v: $c" api $v "$c"; done
	t "carried $v: missing names" named $v
done
of_11() { exits 0 "$R" --quiet $within "$tmp/$1" && grep -qx '10 of 10' "$tmp/out" || { cat "$tmp/out" "$tmp/err"; return 1; }; }
carries_11() { # its archive lacks a name that 12 has
	archive 12 -DcudaGetDeviceProperties_v2=cudaBefore12 && carries 12 eleven test/cuda_static/eleven.c -fno-builtin && of_11 eleven; }
shares_11() { gcc -std=c11 -Wall -Wextra -Werror -g test/cuda_static/eleven.c -o "$tmp/shared11" -L"$B/cuda" -l:libcudart.so.11.0 && of_11 shared11; }
t "a program that carries 11" carries_11
t "a program that shares 11" shares_11
stripped() {
	echo 'const int image[4] __attribute__((section(".nv_fatbin"), used)) = { 1 };' > "$tmp/image.c" && carries 13 whole test/cuda_static/program.c "$tmp/image.c" && runs "$tmp/whole" && strip -g "$tmp/whole" && runs "$tmp/whole" &&
	strip "$tmp/whole" && exits 1 "$R" "$tmp/whole" && says "is stripped of the names by which it is found: link it with nvcc -cudart shared, or do not strip it"; }
t "a program that is stripped" stripped
restored() { # its code is no longer writable when it runs
	echo '#include <stdio.h>
	int main(void) { char line[512]; FILE *f = fopen("/proc/self/maps", "r"); while (fgets(line, sizeof line, f)) fputs(line, stdout); return 0; }' > "$tmp/maps.c" && carries 13 maps "$tmp/maps.c" && runs "$tmp/maps" &&
	grep -q 'r-xp.*/maps$' "$tmp/out" && ! grep -q ' .wx' "$tmp/out"; }
t "code is writable for that moment only" restored
damaged() { # the header of its table of symbols, or where headers are, names what is not there: it is left alone
	local at field
	at=$(readelf -SW "$tmp/program" | sed -nE 's/^ *\[ *([0-9]+)\] \.symtab .*/\1/p') && at=$(($(readelf -hW "$tmp/program" | sed -nE 's/.*Start of section headers: *([0-9]+).*/\1/p') + 64 * at)) || return
	for field in $((at + 24)) $((at + 32)) $((at + 40)) 40; do
		cp "$tmp/program" "$tmp/cut" && printf '\377\377\377\377' | dd of="$tmp/cut" bs=1 seek=$field conv=notrunc status=none && exits 99 "$R" --quiet $within "$tmp/cut" && says "cudaRuntimeGetVersion of the archive ran" || return
	done
}
t "tables of symbols that are damaged" damaged
if [ -n "$host_flags" ]; then skip "under valgrind" "sanitizers are at work"
elif command -v valgrind > /dev/null; then t "under valgrind it is refused" exits 1 valgrind -q --trace-children=yes "$R" "$(carries 13 image test/cuda_static/program.c "$tmp/image.c" && echo "$tmp/image")"
else skip "under valgrind" "it is not installed"; fi

# ---- what nvcc links ----
libraries() { # one of them twice, one with the other runtime, and all again after they have gone
	cd "$tmp" && nvcc -arch=compute_80 -Xcompiler -fPIC -shared "$here/test/cuda_static/part.cu" -o part1.so && cp part1.so part2.so &&
	nvcc -cudart shared -arch=compute_80 -Xcompiler -fPIC -shared "$here/test/cuda_static/part.cu" -o part3.so && gcc "$here/test/cuda_static/loads.c" -o loads -ldl && runs ./loads ./part3.so && grep -qx '10 20 30 ' out &&
	runs ./loads ./part1.so ./part2.so ./part3.so && grep -qx '10 20 30 20 40 60 30 60 90 ' out; }
needed() { cd "$tmp" && nvcc -arch=compute_80 "$here/test/cuda_static/needs.cu" ./part1.so -o needs && runs ./needs && grep -qx '5 50' out && says "cudaGetExportTable is not there yet"; }
if [ -z "$(command -v nvcc)" ]; then
	skip "libraries that carry a runtime" "no nvcc"
else
	t "libraries that carry a runtime each, loaded and unloaded" libraries
	t "a library that carries one, needed by a program that does" needed
fi
finish
