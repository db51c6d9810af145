#!/bin/bash
# format.sh [--write]: the C of this repository is as .clang-format has it (version 14), in at most 120 columns; --write makes it so.
# No ?: stands in an operand of another: an if, or a name for the inner value, is read once.
. "$(dirname "$0")/../lib.sh"
git ls-files "*.c" "*.h" > "$tmp/files"
# A formatted copy. `new` is a macro of analyzer/base/arena.h, not C++'s operator.
formatted() {
	mkdir "$tmp/tree" && tar -c -T "$tmp/files" .clang-format | tar -x -C "$tmp/tree" &&
	(cd "$tmp/tree" && xargs -P "$(nproc)" -n 50 clang-format -i < ../files && xargs sed -i -E 's/\bnew \(/new(/g' < ../files)
}
differing() { while read -r f; do cmp -s "$f" "$tmp/tree/$f" || echo "$f"; done < "$tmp/files" > "$tmp/differing"; }
same_text() {
	formatted && differing || return
	while read -r f; do diff -u --label "$f" --label "$f as make format has it" "$f" "$tmp/tree/$f"; done < "$tmp/differing"
	[ ! -s "$tmp/differing" ]
}
narrow() {
	xargs awk '{ line = $0; gsub(/\t/, "        ", line) } length(line) > 120 && !/^#include/ { print FILENAME ":" FNR ": more than 120 columns"; bad = 1 }
		END { exit bad }' < "$tmp/files"
}
if [ "$B" = --write ]; then
	formatted && differing && while read -r f; do cat "$tmp/tree/$f" > "$f"; done < "$tmp/differing"
	exit
fi
if [[ $(clang-format --version 2> /dev/null) == *"version 14."* ]]; then
	t "C is as make format has it" same_text
else
	skip "C is as make format has it" "no clang-format 14"
fi
t "lines of C have at most 120 columns" narrow
t "no ?: stands in an operand of another" sh -c 'git ls-files "*.c" "*.h" "*.def" | xargs test/tool/nested.py'
printf 'int f(int a, int b) { return a ? %s : 3; }\n' '(b ? 1 : 2)' > "$tmp/nested.c"
t "and one that does is found" exits 1 test/tool/nested.py "$tmp/nested.c"
finish
