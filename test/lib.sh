# shellcheck shell=bash
# Sourced by test scripts, SCRIPT BUILD: the repository's root, the commands, a folder of their own, and what several of them ask;
# counts and names what passed, failed and was skipped.
set -u
cd "${BASH_SOURCE%/*}/.." || exit 1
B=${1-}
A=$B/ptx-annotate M=$B/sm-model
passed=0 failed=0 skipped=0
[[ ${TMPDIR:-} != *[[:space:]]* ]] || export TMPDIR=/tmp        # $tmp is part of lists of options that are split at blanks
log=$(mktemp)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp" "$log"' EXIT
# t NAME COMMAND...: one test; its output is shown only when it fails.
t() {
	local name=$1; shift
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1)); echo "ok    $name"
	else
		failed=$((failed + 1)); echo "FAIL  $name"; sed 's/^/      /' "$log" | head -40
	fi
}
skip() { skipped=$((skipped + 1)); echo "skip  $1 ($2)"; }
exits() { # CODE COMMAND...: its output stays in $tmp/out and $tmp/err
	local want=$1 got; shift
	"$@" > "$tmp/out" 2> "$tmp/err"; got=$?
	[ $got = "$want" ] || { echo "exit code $got, not $want: $*"; cat "$tmp/out" "$tmp/err"; return 1; }
}
# computes PROCESS [TICKS]: until it catches SIGINT or SIGTERM, and has then computed for 0.3 s (30 of the kernel's ticks), however little of a core it gets: what
# it does between that and an endless kernel takes less on most machines.
computes() {
	local i ticks caught from=
	for i in $(seq 1200); do
		caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$1/status") && ticks=$(sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f12) && [ -n "$ticks" ] || return
		[ $((16#${caught:-0} & 0x4002)) = 0 ] || : "${from:=$ticks}"
		[ $((ticks - ${from:-$ticks})) -lt "${2:-30}" ] || return 0
		sleep 0.05
	done
	return 1
}
says() { grep -qF -- "$1" "$tmp/err" || { echo "did not say '$1':"; cat "$tmp/err"; return 1; }; }
leaves_nothing() { [ -z "$(find "$(dirname "$1")" -name "$(basename "$1")*")" ]; } # FILE, nor a temporary one of that name
# With QUICK=1 a script over all examples takes every fifth, with EVERY=N every Nth; others in each script, and for each DRAW (test/run.sh).
examples_seen=0
every=${EVERY:-${QUICK:+5}} every=${every:-1}
taken() { [ $((examples_seen++ % every)) = $((($1 + ${DRAW:-0}) % every)) ]; } # NUMBER of the script
# For programs that load CUDA's libraries of a build under sanitizers: their compiler and its flags, and what a program without them preloads.
sanitized() {
	local rt
	host_cc=gcc host_flags= preload=
	case $B in
	*/san) host_flags=-fsanitize=address,undefined rt=asan ;;
	*/tsan) host_flags=-fsanitize=thread rt=tsan ;;
	*) return ;;
	esac
	preload=$(readelf -d "$B/cuda/libregloom-cuda.so" | sed -nE "s/.*NEEDED.*\[(libclang_rt\.$rt.*)\]/\1/p")
	if [ -n "$preload" ]; then
		host_cc=clang-19
		[[ ${CC:-} != *clang* ]] || host_cc=$CC
		preload=$($host_cc -print-file-name="$preload") host_flags="$host_flags -shared-libsan -Wl,-rpath,${preload%/*}"
	else
		preload=$(realpath "$(gcc -print-file-name=lib$rt.so)")
	fi
}
# A folder, to be LOCPATH, of a locale that writes 0,5, LC_ALL=de_DE.UTF-8; false: it cannot be made
comma_locale() { mkdir -p "$tmp/comma" && localedef -i de_DE -f UTF-8 "$tmp/comma/de_DE.UTF-8" 2> /dev/null; }
# The values of an axis, as sm-model has them, but for the plain one, each with PREFIX before it: `axis values values=`.
axis() { "$M" list rf | sed -nE "s/^  $1=([^ ]+) .*/${2-}\1/p" | tail -n +2; }
same() { # EXPECTED GOT: a golden text, or its new version if BLESS is set
	if [ -n "${BLESS:-}" ]; then cp "$2" "$1"; else diff -u "$1" "$2"; fi
}
finish() {
	if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
	[ "$failed" = 0 ]
}
