#!/bin/bash
# Machine code that was once executed wrongly, beside its PTX: short kernels, for all that they do.
. "$(dirname "$0")/../lib.sh"
as_ptx() { # NAME.TARGET
	local of=test/golden/native/${1%%.*}
	"$A" "$of.ptx" -q -o "$tmp/of.rlo" && "$M" run "$tmp/of.rlo" --launch "$of.yaml" --functional --quiet --dump "out=$tmp/want" &&
	"$M" run "test/golden/native/$1.cubin" --launch "$of.yaml" --functional --checked --quiet --dump "out=$tmp/got" && cmp "$tmp/want" "$tmp/got"
}
for c in test/golden/native/*.cubin; do c=$(basename "$c" .cubin); t "$c as its PTX" as_ptx "$c"; done
finish
