#!/bin/bash
# CUDA programs (test/cuda_programs/README.md), built by nvcc and run by regloom-run as they are, each to its own verdict, as PTX and as machine code
# alone; some timed under three register files as well. Built once for each content, in build/cuda_programs, whichever variant of regloom runs them. PROGRAMS="a b": only those.
# QUICK=1, EVERY=N: every fifth, every Nth. MUTANTS=1: instead, each with the mistake that it names, which its own verification must notice.
# SMALL=1: instead, a small run of each; what a build under sanitizers does. VALGRIND=1: likewise, under valgrind, which must find nothing.
# TABLE=FILE: writes docs/results/cuda_programs.md.
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/usr/local/cuda/bin
here() { mkdir -p "$1" && cd "$1" && pwd; }
sanitized
export XDG_CACHE_HOME=$tmp/cache          # entries of another build of the same version are not meant
top=$B
[ -z "$preload" ] || top=${B%/*}
src=$PWD/test/cuda_programs built=$(here "$top/cuda_programs") D=$(here "$B/cuda_programs") run=$(here "$B")/regloom-run
if [ -z "$(command -v nvcc)" ]; then
	skip "$(cd "$src" && echo ./*.cu */*.h | wc -w) CUDA programs" "no nvcc"
	finish
	exit
fi
directives() { sed -n "s|^// $2: *||p" "$1"; } # SOURCE WHAT: the rest of its lines
main_of() { if [ -d "$src/$1" ]; then echo "$src/$1/$1.cu"; else echo "$src/$1.cu"; fi; }
sources() { if [ -d "$1/$2" ]; then echo "$1/$2"/*.cu; else echo "$1/$2.cu"; fi; } # FOLDER NAME

# build NAME FOLDER PROGRAM ARCH: unless it has been, of the same text by the same compiler. ARCH: instead of what it says itself; or nothing.
build() {
	local flags key
	flags=$(directives "$(main_of "$1")" build)
	[ -z "${4:-}" ] || flags="$(sed -E 's/-(gencode|arch)[ =][^ ]*//g' <<< "$flags") -gencode arch=$4"
	[[ $flags == *arch* ]] || flags="-arch=compute_80 $flags"
	[[ $flags == *-O* ]] || flags="-O2 $flags"
	key=$({ nvcc --version; echo "$flags"; cat "$src/program.h" "$2/$1"/*.h $(sources "$2" "$1"); } 2> /dev/null | sha256sum)
	[ "$(cat "$3.key" 2> /dev/null)" = "$key" ] && [ -x "$3" ] && return
	rm -f "$3.key"
	# shellcheck disable=SC2086
	nvcc -std=c++17 -cudart shared $flags $(sources "$2" "$1") -o "$3.$$" && mv "$3.$$" "$3" && echo "$key" > "$3.key"
}
# passes NAME OPTIONS ARGUMENTS: its verdict is PASS, on its last line, and its status 0.
passes() {
	local status
	# shellcheck disable=SC2086
	$under "$run" $2 $within "$built/$1${code:-}" $3 > out 2> err; status=$?
	[ "$(tail -1 out)" = "$1: PASS" ] && [ $status = 0 ] && ! grep -q 'is not there yet' err && return
	echo "status $status: ${under%% *} regloom-run $2 $within $1 $3"; tail -4 out; head -40 err
	return 1
}

# prepare NAME: builds it and enters a folder with what its runs read.
prepare() {
	local args
	build "$1" "$src" "$built/$1" || { echo "nvcc refuses it"; return 1; }
	rm -rf "$D/$1.d" && mkdir "$D/$1.d" && cd "$D/$1.d" || return
	while read -r args; do
		# shellcheck disable=SC2086
		"$run" --quiet $within "$built/$1" $args > out 2>&1 < /dev/null || { echo "before: $args"; cat out; return 1; }
	done < <(directives "$(main_of "$1")" before)
}
# The numbers that depend on the code, and on the device that it is for, are no result.
printed() { sed -E 's,[0-9.]+ (ms|s|GB/s|GFlop/s|billion|registers)\b,? \1,g; s/capability [0-9.]+/capability ?/' out; }
# native NAME ARGUMENTS: machine code alone prints what PTX has printed.
native() {
	local to=sm_86 from=compute_80 code=.sass
	! grep -q '^// build:.*compute_90' "$(main_of "$1")" || to=sm_90 from=compute_90
	printed > ptx.out
	build "$1" "$src" "$built/$1$code" "$from,code=$to" || { echo "nvcc refuses $to"; return 1; }
	passes "$1" "--quiet --sm ${to#sm_}" "$2" < /dev/null && printed | diff ptx.out -
}
# one NAME
one() {
	local main args start n=0
	main=$(main_of "$1")
	prepare "$1" || return
	while IFS= read -r args; do
		start=${EPOCHREALTIME/[.,]/}
		passes "$1" "--quiet --report report.$n.json" "$args" < /dev/null || return
		[ $n != 0 ] || printf '%d.%06d\n' $(((${EPOCHREALTIME/[.,]/} - start) / 1000000)) $(((${EPOCHREALTIME/[.,]/} - start) % 1000000)) > seconds
		[ $((n++)) != 0 ] || native "$1" "$args" || return
	done < <(directives "$main" run)
	[ -n "${QUICK:-}" ] || ! grep -q '^// timed:' "$main" && return
	args=$(directives "$main" timed)
	passes "$1" "--quiet --report plain.json" "$args" && passes "$1" "--rf baseline --rf corf++ --rf regmutex --set shared_bytes=233472 --sample 4 --report timed.json" "$args" || return
	grep -q regmutex err || { echo "no table of kernels"; cat err; return 1; }
}
small() { # NAME: its timed run, or its first one, functionally
	local args
	prepare "$1" || return
	args=$(directives "$(main_of "$1")" timed)
	[ -n "$args" ] || args=$(directives "$(main_of "$1")" run | head -1)
	passes "$1" --quiet "$args"
}
mutant() {
	local main mistake args status same found= dir=$built/mutants/$1
	main=$(main_of "$1")
	mistake=$(directives "$main" mutant)
	[ -n "$mistake" ] || { echo "names no mistake"; return 1; }
	mkdir -p "$dir" && find "$dir" -mindepth 1 ! -name 'program*' -delete && cp -r "$src/program.h" "$(if [ -d "$src/$1" ]; then echo "$src/$1"; else echo "$main"; fi)" "$dir" || return
	# shellcheck disable=SC2046
	sed -i '/^\/\/ mutant:/d' $(sources "$dir" "$1") && same=$(cat $(sources "$dir" "$1") | sha256sum) && sed -i "$mistake" $(sources "$dir" "$1")
	[ "$same" != "$(cat $(sources "$dir" "$1") | sha256sum)" ] || { echo "its mistake changes nothing: $mistake"; return 1; }
	build "$1" "$dir" "$dir/program" && cd "$dir" || return
	while read -r args; do
		# shellcheck disable=SC2086
		"$run" --quiet "$dir/program" $args > out 2>&1 < /dev/null
	done < <(directives "$main" before)
	while read -r args; do
		# shellcheck disable=SC2086
		"$run" --quiet "$dir/program" $args > out 2> err < /dev/null; status=$?
		if [ $status = 1 ] && grep -q "^$1: FAIL$" out; then found=1; fi
	done < <(directives "$main" run)
	[ -n "$found" ] || { echo "not noticed: $mistake"; tail -3 out; return 1; }
}
report() { # NAME: one of them, as a line of its own
	local what=one start=$SECONDS
	[ -z "${SMALL:-}" ] || what=small
	[ -z "${MUTANTS:-}" ] || what=mutant
	if ("$what" "$1") > "$tmp/$1.log" 2>&1; then
		echo "ok    CUDA program $1${TIMES:+, $((SECONDS - start)) s}"
	else
		echo "FAIL  CUDA program $1"; sed 's/^/      /' "$tmp/$1.log" | head -24
	fi > "$tmp/$1.line"
}
export -f directives main_of sources build passes prepare printed native one small mutant report
under= within= SMALL=${SMALL:-$preload}
if [ -n "${VALGRIND:-}" ]; then
	SMALL=1 under="valgrind -q --trace-children=yes --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=99"
elif [ -n "$preload" ]; then     # the programs have no sanitizer of their own; what they and NVIDIA's headers leak is not ours to say
	within="env LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0:handle_segv=0"
fi
export src built D run tmp under within QUICK=${QUICK:-} MUTANTS=${MUTANTS:-} SMALL TIMES=${TIMES:-}

names=()
for f in ${PROGRAMS:-$(cd "$src" && ls -d -- *.cu */ | sed 's/\.cu$//; s|/$||')}; do
	[ -n "${PROGRAMS:-}" ] || { { [ "$every" = 1 ] || ! grep -q '^// slow:' "$(main_of "$f")"; } && taken 1; } || continue
	names+=("$f")
done
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I {} bash -c 'report {}'
cat "$tmp"/*.line
passed=$(cat "$tmp"/*.line | grep -c '^ok')
failed=$((${#names[@]} - passed))
[ -z "${TABLE:-}" ] || python3 test/cuda_programs/table.py "$src" "$D" > "$TABLE"
finish
