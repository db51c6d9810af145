#!/bin/bash
# Where ptxas is present: annotated PTX assembles, and to the same machine code as its input. Skipped, and counted, elsewhere.
. "$(dirname "$0")/../lib.sh"
# The oldest target that the assembler still takes stands in for an older one of the file.
assemble() { # IN OUT
	local arch
	arch=$(sed -n 's/^[^/]*\.target *\(sm_[0-9a-z]*\).*/\1/p' "$1" | head -1)
	ptxas -arch="$arch" "$1" -o "$2" 2>"$tmp/err" && return
	sed "s/^\.target.*/.target sm_75/; s/^\.version.*/.version 8.0/" "$1" > "$1.75.ptx" && ptxas -arch=sm_75 "$1.75.ptx" -o "$2"
}
code() { # CUBIN: the bytes of every .text section
	local s
	for s in $(readelf -SW "$1" | grep -o '\.text\.[^ ]*'); do
		echo "$s"; objcopy -I elf64-little -O binary --only-section="$s" "$1" "$tmp/sec" 2>/dev/null && od -An -tx1 "$tmp/sec"
	done
}
same_code() { # PTX
	"$B/ptx-annotate" "$1" -q --emit=ptx -o "$tmp/annotated.ptx" && cp "$1" "$tmp/input.ptx" &&
	grep -q '\.pragma "regloom' "$tmp/annotated.ptx" &&
	assemble "$tmp/input.ptx" "$tmp/input.cubin" && assemble "$tmp/annotated.ptx" "$tmp/annotated.cubin" &&
	code "$tmp/input.cubin" > "$tmp/input.hex" && code "$tmp/annotated.cubin" > "$tmp/annotated.hex" &&
	[ "$(wc -l < "$tmp/input.hex")" -gt 4 ] && cmp "$tmp/input.hex" "$tmp/annotated.hex"
}
for ptx in examples/*/*.ptx test/peer/*.ptx test/golden/views/*.ptx; do
	if command -v ptxas >/dev/null 2>&1; then
		t "same machine code: $ptx" same_code "$ptx"
	else
		skip "same machine code: $ptx" "no ptxas"
	fi
done
finish
