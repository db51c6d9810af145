#!/bin/bash
# lint.sh BUILD: clang-tidy over the C of this repository, as .clang-tidy says, and cppcheck, as test/tool/cppcheck.txt does; nothing may be found.
# cppcheck takes minutes: of the rooms that it reads, the files that the last commit changed and an EVERYth of the others, drawn by the commit, DRAW=N
# for those of another one. ALL=1: it reads all C, and clang's analyzer runs too; what these find is not sorted. FLAGS: the compiler's. FILES: these alone.
. "$(dirname "$0")/../lib.sh"
commit=$(git rev-parse --short=7 HEAD 2> /dev/null)
export DRAW=${DRAW:-$((16#${commit:-0}))} FLAGS
every=${EVERY:-4}
[ -z "${ALL:-}" ] || every=1
read -ra flags <<< "$FLAGS"
# Not those that need headers of LLVM or CUDA, nor sass/table.c: thousands of initialisers, on which clang-tidy spends as long as on all others.
others='analyzer/llvm/main|analyzer/sass/table|test/script/remarks|test/views/.*|test/packaging/.*|test/cuda_core/inlined'
git ls-files '*.c' ':!examples' | grep -Ev "^($others)\.c$" > "$tmp/all"
[ -z "${FILES:-}" ] || printf '%s\n' $FILES > "$tmp/all"
# The rooms in which all that cppcheck found is mended or in cppcheck.txt.
checked='analyzer/(base|elf)|passes|runtime-model/(config|core|gpu|hierarchy|issue|launch|memory|packing|residency|reuse|repeat|run|sm|usage|values)'
[ -n "${ALL:-}${FILES:-}" ] && cp "$tmp/all" "$tmp/checked" || grep -E "^($checked)/[^/]*$" "$tmp/all" > "$tmp/checked"
while read -r f; do
	taken 0 && echo "$f"
done < "$tmp/checked" > "$tmp/some"
git diff --name-only HEAD~1 -- '*.c' 2> /dev/null | grep -xFf "$tmp/checked" >> "$tmp/some"
sort -u "$tmp/some" -o "$tmp/some"
tidy() { xargs -P "$(nproc)" -n 20 sh -c 'clang-tidy --quiet '"${ALL:+--checks=clang-analyzer-*}"' "$@" -- $FLAGS 2> /dev/null' - < "$tmp/all"; }
check() {
	cppcheck -q -j "$(nproc)" --error-exitcode=1 --std=c11 --platform=unix64 --enable=style,warning,performance,portability --inline-suppr \
		--suppressions-list=test/tool/cppcheck.txt --template='{file}:{line}: {message} [{id}]' $(printf '%s\n' "${flags[@]}" | grep '^-[ID]') \
		--file-list="$tmp/some"
}
t "clang-tidy finds nothing in $(wc -l < "$tmp/all") files" tidy
t "cppcheck finds nothing in $(wc -l < "$tmp/some") files (DRAW=$DRAW)" check
finish
