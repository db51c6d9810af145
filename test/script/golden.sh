#!/bin/bash
# Golden tests: beside X.ptx in test/golden/views/, the extension of another file names the view and holds the expected output
# (X.listing, X.json, X.dot, X.summary, X.live = --dump=live); a first line "// flags: ..." in X.ptx gives options.
# test/golden/stuck/X.ptx is a kernel that cannot end; X.err is what running it with X.yaml says.
# BLESS=1 rewrites them: review the diff like code.
. "$(dirname "$0")/../lib.sh"
golden() { # PTX EXPECTED
	local ptx=$1 want=$2 view=${2##*.} flags
	flags=$(sed -n '1s,^// flags: ,,p' "$ptx")
	# shellcheck disable=SC2086
	"$B/ptx-annotate" $flags --emit="$view" -q -o - "$ptx" > "$tmp/out" || return 1
	same "$want" "$tmp/out"
}
for ptx in test/golden/views/*.ptx; do
	for want in "${ptx%.ptx}".*; do
		[ "$want" = "$ptx" ] || t "golden ${want#test/golden/views/}" golden "$ptx" "$want"
	done
done
stuck() { # NAME
	"$A" "$1.ptx" -q -o "$tmp/stuck.rlo" && exits 1 timeout 60 "$M" run "$tmp/stuck.rlo" --launch "$1.yaml" --functional -q && same "$1.err" "$tmp/err"
}
for ptx in test/golden/stuck/*.ptx; do
	t "golden ${ptx#test/golden/}" stuck "${ptx%.ptx}"
done
finish
