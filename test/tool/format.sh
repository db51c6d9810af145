#!/bin/bash
# format.sh [--write]: the C of this repository is as .clang-format has it (version 14), in at most 120 columns; --write makes it so.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
git ls-files "*.c" "*.h" > "$tmp/files"
# `new` is a macro of analyzer/base/arena.h, not C++'s operator.
format() { clang-format "$1" | sed -E 's/\bnew \(/new(/g'; }
export -f format
if [ "${1:-}" = --write ]; then
	xargs -P "$(nproc)" -I {} bash -c 'format {} > "$1/$$" && { cmp -s "$1/$$" {} || cat "$1/$$" > {}; }' - "$tmp" < "$tmp/files"
else
	xargs -P "$(nproc)" -I {} bash -c 'format {} | diff -u --label {} --label "{} as make format has it" {} -' < "$tmp/files" > "$tmp/diff"
	head -60 "$tmp/diff"
	xargs awk '{ line = $0; gsub(/\t/, "        ", line) } length(line) > 120 && !/^#include/ { print FILENAME ":" FNR ": more than 120 columns"; bad = 1 }
		END { exit bad }' < "$tmp/files" && [ ! -s "$tmp/diff" ]
fi
