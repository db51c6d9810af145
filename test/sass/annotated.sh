#!/bin/bash
# The annotated cubin: what was in the file stays, all views read it again, damage is refused, what is said can be read without us. With NVIDIA's
# nvlink and fatbinary, if they are there: they take it.
. "$(dirname "$0")/../lib.sh"
C=test/sass/cubin
file() { echo "$C/$1.cubin"; }
annotated() { # NAME: made once, in $tmp
	[ -e "$tmp/$1.cubin" ] || "$A" "$(file "$1")" -q -o "$tmp/$1.cubin"
}

# ---- the file ----
stays() { # NAME
	annotated "$1" || return
	test/sass/annotated.py file "$(file "$1")" "$tmp/$1.cubin" || return
	readelf -W -l -s -r -n "$(file "$1")" > "$tmp/old" 2> "$tmp/old.err"
	readelf -W -l -s -r -n "$tmp/$1.cubin" > "$tmp/new" 2> "$tmp/new.err"
	diff "$tmp/old" "$tmp/new" && diff "$tmp/old.err" "$tmp/new.err" && readelf -W -S "$tmp/$1.cubin" 2>&1 > "$tmp/out" | diff - <(readelf -W -S "$(file "$1")" 2>&1 > /dev/null) &&
	grep -q '\.regloom\.code *LOUSER+0x524c' "$tmp/out"
}
reads() { # NAME: the same views, and the same bytes once more
	annotated "$1" && "$A" "$tmp/$1.cubin" -q -o "$tmp/again.cubin" && cmp "$tmp/$1.cubin" "$tmp/again.cubin" || return
	"$A" "$tmp/$1.cubin" --fresh -q -o "$tmp/again.cubin" && cmp "$tmp/$1.cubin" "$tmp/again.cubin" || return
	cp "$(file "$1")" "$tmp/k.cubin"
	(cd "$tmp" && "$OLDPWD/$A" k.cubin --emit=json | sha256sum > json && "$OLDPWD/$A" k.cubin --emit=listing --techniques | sha256sum > listing && cp "$1.cubin" k.cubin &&
	"$OLDPWD/$A" k.cubin --emit=json | sha256sum | diff json - && "$OLDPWD/$A" k.cubin --emit=listing --techniques | sha256sum | diff listing -)
}
outside() { # NAME: examples/read_annotated.py finds what the JSON says
	annotated "$1" && python3 examples/read_annotated.py "$tmp/$1.cubin" > "$tmp/seen" &&
	"$A" "$tmp/$1.cubin" --emit=json -o "$tmp/json" && test/sass/annotated.py seen "$tmp/seen" "$tmp/json"
}
for n in saxpy.sm_75 sgemm.sm_86 debug.lines.sm_80 debug.G.sm_90a separate.rdc.sm_80 hopper.sm_100a; do
	t "$n: nothing moves or changes" stays $n
	t "$n: read again" reads $n
done
for n in sgemm.sm_86 separate.rdc.sm_80; do t "$n: read by read_annotated.py" outside $n; done
outside_wrong() { # one line, no traceback; a pipe that is closed ends it quietly
	python3 examples/read_annotated.py "$tmp/sgemm.sm_86.cubin" 2> "$tmp/err" | head -1 | grep -q . && [ ! -s "$tmp/err" ] &&
	test/sass/annotated.py damage "$tmp/sgemm.sm_86.cubin" .text.sgemm 0x40 "$tmp/w.cubin" && exits 1 python3 examples/read_annotated.py "$tmp/w.cubin" && says 'w.cubin: .text.sgemm is not the code that was annotated' && [ "$(wc -l < "$tmp/err")" = 1 ] &&
	exits 1 python3 examples/read_annotated.py "$(file sgemm.sm_86)" && says 'is not annotated' && exits 1 python3 examples/read_annotated.py README.md && says 'README.md: is no cubin' && [ "$(wc -l < "$tmp/err")" = 1 ]
}
t "what the program in the page refuses" outside_wrong

mutex() { # NAME SIZE: acquire and release by address, in the file and the views; a set that costs less to hold to the end has no release
	"$A" "$(file "$1")" --regmutex="$2" -q -o "$tmp/m.cubin" && "$A" "$tmp/m.cubin" --emit=json -o "$tmp/m.json" && test/tool/schema.py "$tmp/m.json" docs/annotate.schema.json &&
	test/sass/annotated.py points "$tmp/m.cubin" "$tmp/m.json" && "$A" "$tmp/m.cubin" --emit=listing --techniques > "$tmp/m.listing" && grep -q 'acquires R' "$tmp/m.listing" &&
	"$A" "$tmp/m.cubin" --emit=summary --techniques | grep -q ' would stand in the code'
}
for n in "matrix.sm_90a paper" "matrix.sm_100a auto" "matrix.sm_100a paper"; do t "$n: acquire and release by address" mutex $n; done

held() { # every size that is written is read again: a function holds registers over a call that the kernel makes too, without them
	local n written=0
	for n in 1 2 3 4 auto paper; do
		"$A" test/golden/cubin/held_90a.cubin --regmutex=$n -q -o "$tmp/h.cubin" 2> "$tmp/err" || { says 'is not legal' || return; continue; }
		exits 0 "$A" "$tmp/h.cubin" --emit=summary || return
		written=$((written + 1))
	done
	[ $written -ge 4 ]
}
t "what is written is read again, with functions that hold registers over calls" held

# ---- damage ----
damaged() { # PATTERN OFFSET WHAT...: saxpy.sm_75 with a changed byte that far behind a text or section; all WHATs are said, once, and nothing is written
	annotated saxpy.sm_75 && test/sass/annotated.py damage "$tmp/saxpy.sm_75.cubin" "$1" "$2" "$tmp/bad.cubin" && exits 1 "$A" "$tmp/bad.cubin" -o "$tmp/none.cubin" || return
	[ "$(grep -c 'error: ' "$tmp/err")" = 1 ] && [ ! -e "$tmp/none.cubin" ] || { cat "$tmp/err"; return 1; }
	local w; for w in "${@:3}"; do says "$w" || return; done
}
t "a changed byte of code is refused" damaged .text.saxpy 0x21 '.text.saxpy+0x0: error: is not the code that was annotated' '(record 0); --fresh analyses the code as it is'
t "a changed fact is refused" damaged .regloom.points.saxpy 0x38 '.regloom.points.saxpy+0x' 'not that of the code'
t "a changed block is refused" damaged .regloom.blocks.saxpy 0x14 '.regloom.blocks.saxpy+0x10' 'not that of the code'
t "a changed set is refused" damaged .regloom.live.saxpy 0x10 '.regloom.live.saxpy+0x10' 'liveness is not that of the code'
t "a changed weight is refused" damaged .regloom.affinity.saxpy 0x14 '.regloom.corf.saxpy'
t "a changed rank is refused" damaged .regloom.owf.saxpy 0x10 '.regloom.owf.saxpy'
t "a newer table is refused" damaged .regloom.live.saxpy 4 'this program reads version 1'
t "a changed container is refused" damaged .regloom.container 0x10 '.regloom.container+0x10: error: is not as this program wrote it'
cut_file() {
	annotated saxpy.sm_75 && head -c -100 "$tmp/saxpy.sm_75.cubin" > "$tmp/cut.cubin" && exits 1 "$A" "$tmp/cut.cubin" --emit=summary && says 'is it cut?'
}
t "a file that was cut is refused" cut_file
again() { # changed code is annotated anew
	annotated saxpy.sm_75 && test/sass/annotated.py damage "$tmp/saxpy.sm_75.cubin" .text.saxpy 0x6e "$tmp/bad.cubin" && "$A" "$tmp/bad.cubin" --fresh -q -o "$tmp/new.cubin" &&
	"$A" "$tmp/new.cubin" --emit=summary > /dev/null && ! cmp -s "$tmp/new.cubin" "$tmp/bad.cubin"
}
t "--fresh annotates changed code" again
late() {
	annotated saxpy.sm_75 && exits 1 "$A" "$tmp/saxpy.sm_75.cubin" --pairs=matching --emit=summary && says '--fresh analyses its code anew' &&
	exits 0 "$A" "$tmp/saxpy.sm_75.cubin" --pairs=matching --fresh --emit=summary
}
t "options come too late, and not with --fresh" late

# ---- the command ----
names() {
	cp "$(file saxpy.sm_75)" "$tmp/k.cubin" && (cd "$tmp" && "$OLDPWD/$A" k.cubin > summary && [ -e k.annotated.cubin ] && grep -q '^kernel saxpy' summary &&
	exits 2 "$OLDPWD/$A" k.annotated.cubin && says 'would be overwritten' && exits 2 "$OLDPWD/$A" - < k.cubin && says 'an object, or an annotated cubin, needs -o FILE; --emit=summary shows what was found' && exits 0 "$OLDPWD/$A" - --emit=summary < k.cubin &&
	"$OLDPWD/$A" - -q -o piped.cubin < k.cubin && cmp piped.cubin k.annotated.cubin && "$OLDPWD/$A" k.cubin --emit=cubin -o - > piped.cubin && cmp piped.cubin k.annotated.cubin)
}
t "names of outputs" names
kinds() {
	exits 1 "$A" examples/saxpy/saxpy.ptx --emit=cubin -o "$tmp/o" && says 'is PTX: a cubin is not made of it' && exits 1 "$A" examples/saxpy/saxpy.ptx --fresh -o "$tmp/o" && says '--fresh is for annotated cubins' &&
	exits 1 "$A" "$(file saxpy.sm_75)" --emit=obj -o "$tmp/o" && says 'is machine code' && [ ! -e "$tmp/o" ] &&
	"$A" test/golden/fatbin/raw.fatbin --code=sass -q -o "$tmp/f.cubin" && "$A" "$tmp/f.cubin" --emit=summary | grep -q sm_75
}
t "what is not machine code makes no cubin; of a fatbin it is chosen" kinds
one_kernel() {
	"$A" "$(file warp.sm_80)" --kernel lanes -q -o "$tmp/one.cubin" && readelf -W -S "$tmp/one.cubin" 2> /dev/null | grep -c '\.regloom\.points\.' | grep -qx 1 &&
	"$A" "$tmp/one.cubin" -q -o "$tmp/all.cubin" && "$A" "$(file warp.sm_80)" -q -o "$tmp/want.cubin" && cmp "$tmp/all.cubin" "$tmp/want.cubin"
}
t "one kernel, and then the others" one_kernel

# ---- NVIDIA's tools ----
links() { # annotated relocatable cubins make the same program
	annotated separate.rdc.sm_80 && nvcc -rdc=true -cubin -arch=sm_80 test/sass/elsewhere.cu -o "$tmp/elsewhere.cubin" &&
	nvlink -arch=sm_80 "$(file separate.rdc.sm_80)" "$tmp/elsewhere.cubin" -o "$tmp/plain.cubin" &&
	nvlink -arch=sm_80 "$tmp/separate.rdc.sm_80.cubin" "$tmp/elsewhere.cubin" -o "$tmp/linked.cubin" && cmp "$tmp/plain.cubin" "$tmp/linked.cubin"
}
packs() {
	annotated sgemm.sm_86 && fatbinary --create="$tmp/f.fatbin" -64 --image3=kind=elf,sm=86,file="$tmp/sgemm.sm_86.cubin" && "$A" "$tmp/f.fatbin" -q -o "$tmp/unpacked.cubin" &&
	cmp "$tmp/unpacked.cubin" "$tmp/sgemm.sm_86.cubin"
}
if command -v nvlink nvcc > /dev/null; then t "nvlink makes the same of annotated cubins" links; else skip "nvlink" "not installed"; fi
if command -v fatbinary > /dev/null; then t "fatbinary packs one, and it comes out as it was" packs; else skip "fatbinary" "not installed"; fi
finish
