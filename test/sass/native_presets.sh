#!/bin/bash
# ptxas's machine code under all register files: the examples, from cubins of two targets (test/sass/native), with each preset pass their expectations, every operand that a register file
# delivers compared, dead registers overwritten, control codes proven. With EVERY=1 all with all; else some of them, drawn by DRAW, each with other EVERYth presets, so that each preset has its turn. QUICK=1: half as many examples.
# Two SMs: what is compared is within one SM, and of a GPU with 15 the SMs that hold little, set up anew for each launch, take up to two fifths of the time.
. "$(dirname "$0")/../lib.sh"
mapfile -t presets < <("$M" list rf | awk '/^  [a-z]/ && $1 !~ /=/ { print $1 }')
nth=$every every=$((2 * every - 1)) # of the presets, of the examples
[ -z "${QUICK:-}" ] || every=$((2 * every + 1))
turn() { # NUMBER: every nth preset from there on, with a comma between them
	local p
	rf=
	for ((p = $1 % nth; p < ${#presets[@]}; p += nth)); do rf+=${rf:+,}${presets[p]}; done
}
holds() { # CUBIN LAUNCH PRESETS
	"$M" compare "$1" --launch "$2" --rf "$3" --set sms=2 --checked --check-controls --quiet
}
n=${DRAW:-0}
for name in 86-3 120a-3; do
	tar -C "$tmp" -xJf "test/sass/native/$name.tar.xz" "$name/examples" || exit 1
	for c in "$tmp/$name"/examples/*.cubin; do
		k=$(basename "$c" .cubin)
		taken 5 || continue
		launch=$(ls "examples/$k/$k.yaml" "examples/micro/$k.yaml" 2> /dev/null)
		turn $((n++))
		t "$name $k with $rf" holds "$c" "$launch" "$rf"
	done
done
t "there are presets and examples" [ ${#presets[@]} -ge 30 -a $((examples_seen)) -ge 120 ]
finish
