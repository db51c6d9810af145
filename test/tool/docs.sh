#!/bin/bash
# The pages agree with the tree and with each other: links, the index, the tests, the glossary, the drawing, the manual.
. "$(dirname "$0")/../lib.sh"
lint() { mandoc -T lint -W warning docs/man/*.[1-9]; }
drawn() { # what is committed comes of the same picture; other versions of Graphviz place it otherwise
	local f
	for f in docs/*.dot; do
		f=${f%.dot}
		dot -Tsvg "$f.dot" > "$tmp/new.svg" && sed '/<!-- Generated/d' "$f.svg" > "$tmp/old" && sed '/<!-- Generated/d' "$tmp/new.svg" | diff "$tmp/old" - > "$tmp/out" && continue
		[ "$(grep -o 'graphviz version [0-9.]*' "$f.svg")" != "$(grep -o 'graphviz version [0-9.]*' "$tmp/new.svg")" ] || { echo "$f"; head -5 "$tmp/out"; return 1; }
	done
}
forgets() { # a row that is gone, another unit, a metric that is none: each is named
	sed "$2" docs/GLOSSARY.md > "$tmp/glossary.md" && ! test/tool/glossary.py "$B" "$tmp/glossary.md" > "$tmp/out" && grep -q "$1" "$tmp/out"
}
lies() { # SECTION, FROM TO: a page that shows another number is found out
	sed "s/$2/$3/" "docs/${1%%#*}" > "$tmp/${1%%#*}" && ! cmp -s "docs/${1%%#*}" "$tmp/${1%%#*}" && ! test/tool/readme.py "$B" "$tmp/$1" > "$tmp/out" 2>&1 && grep -q "did not come: $4" "$tmp/out"
}
t "links" test/tool/docs.py links
t "the index" test/tool/docs.py index
t "folders" test/tool/docs.py folders
t "options of the manual pages" test/tool/docs.py options "$B"
t "drawings say what their sources say" test/tool/docs.py picture
table_lacks() { # SAYS, SED: the table of tests without a test, with another room, with a test that is none
	sed "$2" test/tests.txt > "$tmp/tests.txt" && ! test/tool/tests.py "$tmp/tests.txt" > "$tmp/out" && grep -q "^$1" "$tmp/out"
}
t "the table of tests" test/tool/tests.py
t "a suite without a row" table_lacks "unit live: has no row" '/^unit live /d'
t "a script without a row" table_lacks "test/script.gate.sh: neither a test" '/^script script.gate.sh /d'
t "a room without a test" table_lacks "\`runtime-model\/trace\`: no test" 's#runtime-model/trace##'
t "a row without a test" table_lacks "property orff: there is none" 's/^property orf /property orff /'
t "the glossary" test/tool/glossary.py "$B"
t "a metric left out of the glossary" forgets "^ipc: is not in" '/^| `ipc` |/d'
t "another unit in the glossary" forgets "^ipc: .* and it is" '/^| `ipc` |/s/instructions.cycle/ratio/'
t "a metric that is gone" forgets "^old: .* no metric" 's/^| `ipc` |.*/&\n| `old` | x | y | z |/'
t "a number that a page shows wrongly" lies HIERARCHY.md#try-it "41018  0.458" "41018  0.459" "orf 0.8284"
t "a row that a page invents" lies HIERARCHY.md#try-it "      rfc2  .*" "&\n      rfc3 1.0" "rfc3"
leaves_out() { # what a command would have made that is left out for want of nvcc is not asked for
	test/tool/readme.py "$B" --without nvcc docs/CUDA.md#try-it > "$tmp/out" && grep -q "regloom-run .*(no build/matmul)" "$tmp/out"
}
t "a page's commands without nvcc" leaves_out
if command -v mandoc > /dev/null; then t "manual pages" lint; else skip "manual pages" "no mandoc"; fi
if command -v dot > /dev/null; then t "drawings are of their sources" drawn; else skip "drawings are of their sources" "no Graphviz"; fi
finish
