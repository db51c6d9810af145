#!/bin/bash
# Programs of test/cuda_programs built every way that nvcc has: with the runtime shared (also stripped), linked in (also at fixed addresses), relocatable, and as
# machine code alone for some architectures. All print the same; those that are the same PTX report the same, too. PROGRAMS="a b": those; ALL=1: all programs, all ways;
# otherwise some, each as machine code of one architecture, another for each DRAW. What nvcc refuses for an architecture is skipped, and said.
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/usr/local/cuda/bin
R=$PWD/$B/regloom-run src=$PWD/test/cuda_programs
export XDG_CACHE_HOME=$tmp/cache TMPDIR=$tmp
sanitized
within=
[ -z "$preload" ] || within="env LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0:handle_segv=0"
linked="shared static fixed stripped relocatable" machine=(sm_75 sm_86 sm_90 sm_120)
all() { (cd "$src" && ls -d -- *.cu */ | sed 's/\.cu$//; s|/$||'); }
if [ -n "${ALL:-}" ]; then programs=${PROGRAMS:-$(all)}; else programs=${PROGRAMS:-streams texture_rotate graphs managed virtual_memory library}; fi
if [ ! -f "$B/cuda/libregloom-static.so" ] || [ -z "$(command -v nvcc)" ]; then
	skip "$(wc -w <<< "$programs") CUDA programs, built other ways" "$([ -n "$(command -v nvcc)" ] && echo 'runtimes are replaced on x86-64 alone' || echo 'no nvcc')"
	finish
	exit
fi

directives() { sed -n "s|^// $2: *||p" "$1"; } # SOURCE WHAT: the rest of its lines
main_of() { if [ -d "$src/$1" ]; then echo "$src/$1/$1.cu"; else echo "$src/$1.cu"; fi; }
# The numbers that depend on the code, and on the device that it is for, are no result.
printed() { sed -E 's,[0-9.]+ (ms|s|GB/s|GFlop/s|billion|registers)\b,? \1,g; s/capability [0-9.]+/capability ?/' "$tmp/out"; }
reported() { sed -E 's/"(pid|host_seconds|module)":("[^"]*"|[0-9.e+-]+)//g; s/ of the PTX of [a-z_.]+//g' "$1"; }
# passes OPTIONS NAME WAY ARGUMENTS: its verdict is PASS
passes() {
	rm -f report.json
	# shellcheck disable=SC2086
	exits 0 "$R" --quiet --report report.json $1 $within "./$2.$3" $4 && grep -qx "$2: PASS" "$tmp/out"
}
# What threads of the host launch is reported in their order, which is another each time; what processes launch has its own in each. Of what is stripped,
# the function that allocated has no name.
same_report() { # NAME WAY
	local order=cat nameless=
	[ "$1" != threads ] || return 0
	[ "$1" != processes ] || order=sort
	[ "$2" != stripped ] || nameless='s/, allocated by [^"]+//g'
	diff <(sed -E "$nameless" reported | $order) <(reported report.json | sed -E "$nameless" | $order)
}

# compile NAME RELOCATABLE FLAGS...: $objects
compile() {
	local name=$1 relocatable=$2 source; shift 2
	objects=
	for source in "$src/$name.cu" "$src/$name"/*.cu; do
		[ -f "$source" ] || continue
		nvcc -std=c++17 "$@" -rdc="$relocatable" -c "$source" -o "$(basename "$source").o" && objects="$objects $(basename "$source").o" || return
	done
}
# begin NAME: in an empty folder; its $flags, $target, $needs and $args
begin() {
	local main
	main=$(main_of "$1")
	rm -rf "$tmp/p" && mkdir "$tmp/p" && cd "$tmp/p" || return
	flags=$(directives "$main" build) needs=false
	[[ $flags == *arch* ]] || flags="-arch=compute_80 $flags"
	[[ $flags == *-O* ]] || flags="-O2 $flags"
	[[ $flags != *-rdc=true* && ! -d "$src/$1" ]] || needs=true
	target=$(grep -oE -- '(-arch=|-gencode )[^ ]+' <<< "$flags" | tr '\n' ' ')
	flags=$(sed -E 's/-(gencode|arch)[ =][^ ]*//g; s/-rdc=true//' <<< "$flags")
	args=$(directives "$main" timed)
	[ -n "$args" ] || args=$(directives "$main" run | head -1)
}
# before NAME WAY: the runs that make its input files
before() {
	local line
	while read -r line; do "$R" --quiet $within "./$1.$2" $line > /dev/null 2>&1 < /dev/null; done < <(directives "$(main_of "$1")" before)
}
# linked NAME WAY: of $objects, built as $relocatable; what it prints and reports
linked() {
	local options=-cudart\ shared
	case $2 in static) options= ;; fixed) options="-Xlinker -no-pie" ;; stripped) options="$options -Xlinker -s" ;; esac
	# shellcheck disable=SC2086
	nvcc $target $flags -rdc=$relocatable $options $objects -o "$1.$2" || return
	[ "$2" != shared ] || before "$1" shared
	passes "" "$1" "$2" "$args" < /dev/null || { echo "$2"; return 1; }
	if [ "$2" = shared ]; then printed > printed && reported report.json > reported; return; fi
	printed | diff printed - && { [ "$2" = relocatable ] || same_report "$1" "$2"; } || { echo "$2"; return 1; }
}
program() {
	local flags target needs args objects relocatable way
	begin "$1" && relocatable=$needs && compile "$1" $needs $target $flags || return
	for way in $linked; do
		if [ $way = relocatable ]; then
			[ $needs = false ] || continue
			relocatable=true && compile "$1" true $target $flags || return
		fi
		linked "$1" $way || return
	done
	mkdir -p "$tmp/kept" && cp printed "$tmp/kept/$1"
}
# as_machine_code NAME sm_N
as_machine_code() {
	local flags target needs args objects from=compute_75
	begin "$1" || return
	case $target in *90*) from=compute_90 ;; *80*) from=compute_80 ;; esac
	[ "$2" != sm_75 ] || from=compute_75
	[ "$2" = sm_75 ] || [ "$from" != compute_75 ] || from=compute_80
	# shellcheck disable=SC2086
	compile "$1" $needs $flags -gencode "arch=$from,code=$2" && nvcc -cudart shared $flags -rdc=$needs -gencode "arch=$from,code=$2" $objects -o "$1.$2" || return
	before "$1" "$2"
	passes "--sm ${2#sm_}" "$1" "$2" "$args" < /dev/null && diff <(sed -E 's/PTX [0-9.]+/PTX ?/' "$tmp/kept/$1") <(printed | sed -E 's/PTX [0-9.]+/PTX ?/')
}
lacks() { # NAME sm_N: why it does not go: of nvcc, what the program is about is not in the architecture; or of regloom
	case $2 in
	sm_75 | sm_86) ! grep -q '^// build:.*compute_90' "$(main_of "$1")" || echo 'needs what that has not' ;;
	sm_90 | sm_120) [ "$1" != pipeline_copy ] || echo 'its SYNCS is not executed' ;;
	esac
	[ "$2" != sm_75 ] || [[ " half_dot monte_carlo pipeline_copy warp_intrinsics " != *" $1 "* ]] || echo 'needs what that has not'
}
n=0
for p in $programs; do
	t "CUDA program $p, linked in every way" program "$p"
	for m in "${!machine[@]}"; do
		if [ -z "${ALL:-}" ] && [ $(((n + ${DRAW:-0}) % ${#machine[@]})) != "$m" ]; then continue; fi
		why=$(lacks "$p" "${machine[$m]}")
		if [ -n "$why" ]; then skip "CUDA program $p, ${machine[$m]}" "$why"; else t "CUDA program $p, machine code of ${machine[$m]}" as_machine_code "$p" "${machine[$m]}"; fi
	done
	n=$((n + 1))
done
elsewhere() { # PTX for the device, machine code for another
	cd "$tmp" && nvcc -std=c++17 -cudart shared -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=compute_80 "$src/matmul.cu" -o elsewhere || return
	exits 0 "$R" $within ./elsewhere && says 'the program has machine code of ptxas for sm_75: --sm 75' && exits 0 "$R" --code ptx $within ./elsewhere && ! says ptxas > /dev/null &&
	exits 0 "$R" --sm 75 $within ./elsewhere && ! says ptxas > /dev/null && says ' sass '; }
t "machine code for another GPU is named where PTX is taken" elsewhere
finish
