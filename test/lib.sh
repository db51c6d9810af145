# shellcheck shell=bash
# Sourced by test scripts, SCRIPT BUILD: the repository's root, the commands, a folder of their own, and what several of them ask;
# counts and names what passed, failed and was skipped.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${1-}
A=$B/ptx-annotate M=$B/sm-model
passed=0 failed=0 skipped=0
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
says() { grep -qF -- "$1" "$tmp/err" || { echo "did not say '$1':"; cat "$tmp/err"; return 1; }; }
same() { # EXPECTED GOT: a golden text, or its new version if BLESS is set
	if [ -n "${BLESS:-}" ]; then cp "$2" "$1"; else diff -u "$1" "$2"; fi
}
# check_suites PROGRAM: Check's own counts are ours.
check_suites() {
	local line
	# Under sanitizers a fork for each test is slow, and a crash is reported anyway.
	[[ $1 == */san/* ]] && export CK_FORK=no
	CK_VERBOSITY=normal "$1" >"$log" 2>&1
	line=$(grep -E '^[0-9]+%: Checks: ' "$log" | tail -1)
	if [ -z "$line" ]; then
		failed=$((failed + 1)); echo "FAIL  unit tests did not finish"; tail -20 "$log"; return
	fi
	read -r n f e < <(echo "$line" | sed -E 's/.*Checks: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+).*/\1 \2 \3/')
	passed=$((passed + n - f - e)); failed=$((failed + f + e))
	[ $((f + e)) = 0 ] && echo "ok    $n unit tests" || { echo "FAIL  $((f + e)) of $n unit tests"; grep -E ':[FE]:' "$log"; }
}
finish() {
	if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
	[ "$failed" = 0 ]
}
