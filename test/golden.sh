#!/bin/bash
# Golden tests: beside X.ptx in test/golden/views/, the extension of another file names the view and holds the expected output
# (X.listing, X.json, X.dot, X.summary, X.live = --dump=live); a first line "// flags: ..." in X.ptx gives options.
# test/golden/stuck/X.ptx is a kernel that cannot end; X.err is what running it with X.yaml says.
# BLESS=1 rewrites them: review the diff like code.
set -u
cd "$(dirname "$0")/.." || exit 1
. test/lib.sh
B=$1
golden() { # PTX EXPECTED
	local ptx=$1 want=$2 view=${2##*.} flags
	flags=$(sed -n '1s,^// flags: ,,p' "$ptx")
	# shellcheck disable=SC2086
	"$B/ptx-annotate" $flags --emit="$view" -q -o - "$ptx" > "$log.out" || return 1
	if [ -n "${BLESS:-}" ]; then cp "$log.out" "$want"; else diff -u "$want" "$log.out"; fi
}
for ptx in test/golden/views/*.ptx; do
	for want in "${ptx%.ptx}".*; do
		[ "$want" = "$ptx" ] || t "golden ${want#test/golden/views/}" golden "$ptx" "$want"
	done
done
stuck() { # NAME
	local want=$1.err code=0
	"$B/ptx-annotate" "$1.ptx" -q -o "$log.out" || return 1
	timeout 60 "$B/sm-model" run "$log.out" --launch "$1.yaml" --functional -q 2> "$log.err" || code=$?
	[ $code = 1 ] || { echo "exit code $code, not 1"; cat "$log.err"; return 1; }
	if [ -n "${BLESS:-}" ]; then cp "$log.err" "$want"; else diff -u "$want" "$log.err"; fi
}
for ptx in test/golden/stuck/*.ptx; do
	t "golden ${ptx#test/golden/}" stuck "${ptx%.ptx}"
done
rm -f "$log.out" "$log.err"
finish
