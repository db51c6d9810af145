#!/bin/bash
# Machine code in fatbins and executables (test/golden/fatbin), executed: which of it is taken, and what is said where that is not clear.
. "$(dirname "$0")/../lib.sh"
F=test/golden/fatbin L=$F/axpy.yaml
runs() { # OPTION...: the launch passes
	exits 0 "$M" run "$@" --launch $L --functional && grep -q '^result *PASS' "$tmp/out"
}
no() { # TEXT OPTION...: one error, with this text
	exits 1 "$M" run "${@:2}" --launch $L --functional && says "$1" && [ "$(grep -c error: "$tmp/err")" = 1 ]
}
t "the only machine code of a fatbin" runs $F/sass.fatbin
t "machine code beside PTX" runs $F/raw.fatbin --code=sass
for sm in 75 86 sm_89; do t "of a fatbin for $sm" runs $F/many.fatbin --sm=$sm; done
for sm in 80 86; do t "of an executable for $sm" runs $F/app --code=sass --sm=$sm; done
for n in 6 7; do t "module $n of an executable" runs $F/app --module=$n; done
stdin() { "$M" run - --launch $L --functional --code=sass --sm=86 < $F/app > "$tmp/out" && grep -q '^result *PASS' "$tmp/out"; }
t "from standard input" stdin
# The GPU that is named, not the newest that there is: code of the one is not that of the other.
which() { # OPTION...: the listing that an explanation shows
	exits 0 "$M" run "$@" --launch $L --explain=listing && cp "$tmp/out" "$tmp/which"
}
other() {
	"$A" $F/many.fatbin --sm=75 --emit=listing > "$tmp/75" && "$A" $F/many.fatbin --sm=86 --emit=listing > "$tmp/86" || return
	! cmp -s "$tmp/75" "$tmp/86" && which $F/many.fatbin --sm=75 && cp "$tmp/which" "$tmp/a" && which $F/many.fatbin --sm=86 && ! cmp -s "$tmp/a" "$tmp/which"
}
t "the code of the GPU that is named" other
t "compared" exits 0 "$M" compare $F/many.fatbin --sm=86 --launch $L --rf baseline --rf corf --rf rfv
for c in usage values; do t "$c" exits 0 "$M" $c $F/app --code=sass --sm=80 --launch $L; done
page() { exits 0 "$M" report $F/app --code=sass --sm=80 --launch $L -o "$tmp/page.html" && grep -q axpy "$tmp/page.html"; }
t "a report" page
t "code for several GPUs" no "many.fatbin: error: has machine code for sm_75, sm_86; choose one with --sm" $F/many.fatbin
t "code for several GPUs beside PTX" no "has machine code for sm_80, sm_86; choose one with --sm" $F/app --code=sass
t "PTX stays what an object is made of" no "holds PTX: ptx-annotate makes an object of it, which is executed here; there is also machine code for sm_75 (--code=sass)" $F/raw.fatbin
t "PTX alone" no "has PTX for sm_80, sm_90 and no machine code (SASS)" $F/two.o --code=sass
t "no code for this GPU" no "has no code for sm_90; it has machine code (SASS) for sm_75, sm_86" $F/many.fatbin --sm=90
t "a module without the kernel" no "the module has no kernel 'axpy'; it has fill" $F/app --module=3
t "a program without GPU code" no "without GPU code" "$M"
t "nothing to choose from" no "other.cubin: error: is no fatbin and no executable" $F/other.cubin --sm=80
for o in code=x sm=x module=0; do t "--$o" exits 2 "$M" run $F/app --launch $L --$o; done
finish
