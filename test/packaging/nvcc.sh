#!/bin/bash
# regloom-ptxas and regloom-nvcc: first with an nvcc and a ptxas of the test's own, which do what the real ones do to files and arguments,
# then with the real ones where they are.
. "$(dirname "$0")/../lib.sh"
root=$PWD work=$tmp/work
mkdir "$tmp/bin" "$work"
cp share/nvcc/regloom-nvcc share/nvcc/regloom-ptxas "$B/ptx-annotate" "$tmp/bin"
export REGLOOM_NVCC=$tmp/bin/nvcc PATH=$tmp/bin:$PATH
unset REGLOOM_OUT REGLOOM_NAME REGLOOM_EMIT REGLOOM_FLAGS REGLOOM_STRICT REGLOOM_CHECK REGLOOM_ANNOTATE REGLOOM_PTXAS
# Each ".cu" is PTX. It becomes tmpxft_..._NAME.ptx, then what ptxas makes; the prefix is text for the shell, as with nvcc.
cat > "$tmp/bin/nvcc" <<'SH'
#!/bin/bash
prefix='' out='' sources=() more=()
while [ $# -gt 0 ]; do
	case $1 in
	--ptxas-prefix) prefix=$2; shift ;;
	-o) out=$2; shift ;;
	-c) ;;
	-Xptxas) more+=("$2"); shift ;;
	*.cu) sources+=("$1") ;;
	*) echo "nvcc: unknown $1" >&2; exit 9 ;;
	esac
	shift
done
d=$(mktemp -d) objects=()
trap 'rm -rf "$d"' EXIT
for s in "${sources[@]}"; do
	n=$(basename "$s" .cu) f=$d/tmpxft_0000540f_00000000-6_$n.compute_80.ptx
	cp "$s" "$f"
	sh -c "$prefix ptxas -arch=sm_80 -m64 ${more[*]} \"$f\"  -o \"$d/$n.cubin\"" || exit
	objects+=("$d/$n.cubin")
done
cat "${objects[@]}" > "${out:-a.o}"
SH
# "Machine code" is the text without comments and pragmas. A warning for each pragma, errors with file and line.
cat > "$tmp/bin/ptxas" <<'SH'
#!/bin/bash
printf '%s|' "$@" >> "$PTXAS_LOG"; echo >> "$PTXAS_LOG"
in='' out='' werror=''
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	-Werror) werror=1 ;;
	--version) echo "ptxas of the test"; exit 0 ;;
	-*) ;;
	*) in=$1 ;;
	esac
	shift
done
echo "ptxas info: to stdout"
if [ -n "${PTXAS_HATES_PRAGMAS:-}" ] && grep -q '\.pragma' "$in"; then echo "ptxas fatal: pragma" >&2; exit 255; fi
if grep -n 'nonsense' "$in" > /dev/null; then echo "$in, line 5; error : nonsense" >&2; exit 255; fi
echo "$in, line 1; warning : something else" >&2
sed -nE "s/.*\.pragma \"(.*)\";/ptxas warning : Pragma '\1' unsupported/p" "$in" >&2
if [ -n "$werror" ] && grep -q '\.pragma' "$in"; then exit 255; fi
sed -E '/\.pragma/d; s|[ \t]*//.*||; /^[ \t]*$/d' "$in" > "$out"
SH
chmod +x "$tmp/bin/nvcc" "$tmp/bin/ptxas"
export PTXAS_LOG=$tmp/ptxas.log
cp examples/build-systems/kernels/scale.ptx "$work/a.cu"
sed 's/scale/other/' "$work/a.cu" > "$work/b.cu"
mkdir "$work/sub"; sed 's/scale/third/' "$work/a.cu" > "$work/sub/a.cu"
echo '.version 7.0 nonsense' > "$work/bad.cu"
sed 's/mul\.f32/strange.f32/' "$work/a.cu" > "$work/strange.cu"      # ptxas takes it, regloom does not
cd "$work" || exit 1
wrapped() { : > "$PTXAS_LOG"; regloom-nvcc "$@" > "$tmp/out" 2> "$tmp/err"; }
kernel() { ptx-annotate "$1" --emit=json | grep -q "\"name\": *\"$2\""; } # OBJECT NAME
plain_same() {
	nvcc -c a.cu -o plain.o > /dev/null 2>&1 && wrapped -c a.cu -o a.o && cmp plain.o a.o && kernel a.sm_80.rlo scale &&
	grep -q 'to stdout' "$tmp/out" && grep -q 'something else' "$tmp/err" && ! grep -q 'Pragma' "$tmp/err" &&
	[ "$(wc -l < "$PTXAS_LOG")" = 1 ] && grep -q '^-arch=sm_80|-m64|.*regloom.*/tmpxft_0000540f_00000000-6_a.compute_80.ptx|-o|.*/a.cubin|$' "$PTXAS_LOG" &&
	! grep -q '/regloom\.' "$tmp/err"
}
annotated_text() { # ptxas got the annotated one
	printf '#!/bin/sh\nfor f; do case $f in *.ptx) cp "$f" "%s/seen.ptx";; esac; done; exec "%s/bin/ptxas" "$@"\n' "$tmp" "$tmp" > "$tmp/spy"; chmod +x "$tmp/spy"
	REGLOOM_PTXAS=$tmp/spy wrapped -c a.cu -o a.o && grep -q '\.pragma "regloom version=1' "$tmp/seen.ptx"
}
names() { # a source of the same name elsewhere; several sources for one program; a folder for all; names with blanks
	mkdir -p obj && wrapped -c a.cu -o obj/x.o && wrapped -c sub/a.cu -o obj/y.cu.o && kernel obj/x.sm_80.rlo scale && kernel obj/y.cu.sm_80.rlo third &&
	wrapped a.cu b.cu -o obj/program && kernel obj/a.sm_80.rlo scale && kernel obj/b.sm_80.rlo other &&
	REGLOOM_OUT=$work/all wrapped -c a.cu -o obj/x.o && kernel all/obj/x.sm_80.rlo scale &&
	(cd sub && REGLOOM_OUT=$work/all wrapped -c a.cu -o ../obj/z.o) && kernel all/__/obj/z.sm_80.rlo third &&
	mkdir -p "with blank" && cp a.cu "with blank/k n.cu" && wrapped -c "with blank/k n.cu" -o "with blank/k n.o" && kernel "with blank/k n.sm_80.rlo" scale &&
	wrapped a.cu && kernel a.sm_80.rlo scale
}
views() { REGLOOM_EMIT="summary listing" REGLOOM_FLAGS="--maxreg=24 --no-schedule" wrapped -c a.cu -o v.o && grep -q scale v.sm_80.summary && [ -s v.sm_80.listing ] && [ -s v.sm_80.rlo ]; }
registers() { # what ptxas may use; REGLOOM_FLAGS goes before it
	printf '#!/bin/sh\necho "$@" >> "%s/flags"; exec "%s/bin/ptx-annotate" "$@"\n' "$tmp" "$tmp" > "$tmp/spy"; chmod +x "$tmp/spy"
	export REGLOOM_ANNOTATE=$tmp/spy
	: > "$tmp/flags"; wrapped -Xptxas -maxrregcount=24 -c a.cu -o r.o && grep -q -- '--maxreg=24' "$tmp/flags" &&
	{ : > "$tmp/flags"; wrapped -Xptxas '-maxrregcount 32' -c a.cu -o r.o; } && grep -q -- '--maxreg=32' "$tmp/flags" && grep -q '|-maxrregcount|32|' "$PTXAS_LOG" &&
	{ : > "$tmp/flags"; REGLOOM_FLAGS=--maxreg=40 wrapped -Xptxas -maxrregcount=24 -c a.cu -o r.o; } && ! grep -q -- '=24' "$tmp/flags" && grep -q -- '=40' "$tmp/flags" &&
	{ : > "$tmp/flags"; wrapped -Xptxas -maxrregcount=255 -c a.cu -o r.o; } && ! grep -q maxreg "$tmp/flags"
	local status=$?
	unset REGLOOM_ANNOTATE
	return $status
}
status_kept() { # a mistake in the PTX: ptxas's own message and status, nothing left
	wrapped -c bad.cu -o bad.o; [ $? = 255 ] && grep -q 'bad.compute_80.ptx, line 5; error : nonsense' "$tmp/err" && [ ! -e bad.o ] && [ ! -e bad.sm_80.rlo ]
}
handed_on() { # what regloom cannot read reaches ptxas, with a message; strictly: stops
	nvcc -c strange.cu -o plain.o > /dev/null 2>&1 && wrapped -c strange.cu -o strange.o && cmp plain.o strange.o && says "strange.sm_80 is not annotated" && says "error:" && [ ! -e strange.sm_80.rlo ] &&
	rm strange.o && ! REGLOOM_STRICT=1 wrapped -c strange.cu -o strange.o && [ ! -e strange.o ] && [ ! -s "$PTXAS_LOG" ]
}
refused_pragmas() { # an assembler that does not take the pragma gets the original
	nvcc -c a.cu -o plain.o > /dev/null 2>&1 && PTXAS_HATES_PRAGMAS=1 wrapped -c a.cu -o p.o && cmp plain.o p.o && says "does not take the annotated PTX" &&
	! PTXAS_HATES_PRAGMAS=1 REGLOOM_STRICT=1 wrapped -c a.cu -o p2.o && wrapped -Xptxas -Werror -c a.cu -o w.o && cmp plain.o w.o && [ -s w.sm_80.rlo ]
}
limits() { # that hold, that are broken, that are none
	REGLOOM_CHECK=max-live=40,max-spill=0 wrapped -c a.cu -o c.o && cmp plain.o c.o && rm c.o &&
	! REGLOOM_CHECK=max-live=2 wrapped -c a.cu -o c.o && says "REGLOOM_CHECK=max-live=2" && says BROKEN && [ ! -e c.o ] && [ ! -s "$PTXAS_LOG" ] &&
	! REGLOOM_CHECK=max-nothing=2 wrapped -c a.cu -o c.o && says "there is no limit" && [ ! -e c.o ]
}
no_folder() { # nowhere to write: said, and the build goes on
	: > file && REGLOOM_OUT=$work/file/below wrapped -c a.cu -o n.o && cmp plain.o n.o && says "is not annotated" || return
	cp a.cu t.ptx && ptxas -arch=sm_80 t.ptx -o plain.cubin > /dev/null 2>&1 && TMPDIR=$work/none exits 0 regloom-ptxas ptxas -arch=sm_80 t.ptx -o t.cubin && cmp plain.cubin t.cubin &&
	says "t.ptx is not annotated" && rm t.cubin && [ ! -e t.sm_80.rlo ] && TMPDIR=$work/none REGLOOM_STRICT=1 exits 1 regloom-ptxas ptxas -arch=sm_80 t.ptx -o t.cubin &&
	TMPDIR=$work/none REGLOOM_CHECK=max-live=2 exits 1 regloom-ptxas ptxas -arch=sm_80 t.ptx -o t.cubin && [ ! -e t.cubin ]
}
in_place() { # where a tool names ptxas itself
	cp a.cu k.ptx && regloom-ptxas -arch sm_75 k.ptx -o k.cubin > /dev/null 2>&1 && kernel k.sm_75.rlo scale && [ "$(regloom-ptxas --version)" = "ptxas of the test" ] &&
	mkdir -p alias && ln -sf "$tmp/bin/regloom-ptxas" alias/ptxas && PATH=$work/alias:$PATH ptxas -arch sm_70 k.ptx -o k2.cubin > /dev/null 2>&1 && kernel k.sm_70.rlo scale && cmp k.cubin k2.cubin &&
	exits 0 regloom-ptxas --help && grep -q REGLOOM_OUT "$tmp/out" && exits 1 regloom-ptxas && exits 0 regloom-nvcc --regloom-help
}
passes_through() { : > "$PTXAS_LOG"; echo x > x.cubin; regloom-ptxas ptxas -m64 x.cubin '-a b' -o y > /dev/null 2>&1; grep -qF -- '-m64|x.cubin|-a b|-o|y|' "$PTXAS_LOG"; }
parallel() { # 12 compilations at once into one folder, among them the same one: whole files, nothing forgotten in TMPDIR
	mkdir -p many "$tmp/tmpdir" && export TMPDIR=$tmp/tmpdir
	for i in 1 2 3 4 5 6; do for s in a.cu sub/a.cu; do echo "$s" "$i"; done; done |
		xargs -P 6 -L 1 bash -c 'regloom-nvcc -c "$0" -o "many/$(echo "$0" | tr / _)$(($1 % 3)).o" > /dev/null 2>&1 || echo failed' > "$tmp/out"
	unset TMPDIR
	[ ! -s "$tmp/out" ] && [ "$(ls many/*.rlo | wc -l)" = 6 ] && for i in 0 1 2; do kernel many/a.cu$i.sm_80.rlo scale && kernel many/sub_a.cu$i.sm_80.rlo third || return 1; done &&
	[ -z "$(ls "$tmp/tmpdir")" ] && [ -z "$(find many -name '*.tmp*' -o -name '.*' -type f)" ]
}
killed() { # SIGNAL: what runs ends too, and nothing is left; SIGKILL: nothing by the next one
	mkdir -p k_tmp && printf '#!/bin/sh\necho $$ > "%s/k_pid"; exec sleep 600\n' "$work" > "$tmp/sleeper" && chmod +x "$tmp/sleeper" && cp a.cu t.ptx || return
	local pid i code
	rm -f k_pid; TMPDIR=$work/k_tmp REGLOOM_PTXAS=$tmp/sleeper env --default-signal regloom-ptxas ptxas -arch=sm_80 t.ptx -o t.cubin 2> /dev/null & pid=$!
	for i in $(seq 1200); do [ -s k_pid ] && break; sleep 0.05; done
	kill -"$1" $pid; for i in $(seq 200); do [ "$(ps -o stat= $pid)" != Z ] && [ -e /proc/$pid ] || break; sleep 0.05; done
	[ $i -lt 200 ] || { kill -9 "$(cat k_pid)"; rm k_pid; } # it waits for it
	wait $pid 2> /dev/null; code=$?
	if [ "$1" = KILL ]; then
		[ -n "$(ls k_tmp)" ] && TMPDIR=$work/k_tmp exits 0 regloom-ptxas ptxas -arch=sm_80 t.ptx -o t.cubin && [ -n "$(ls k_tmp)" ] || return  # that of a program that runs
		kill "$(cat k_pid)"; for i in $(seq 100); do [ -e "/proc/$(cat k_pid)" ] || break; sleep 0.05; done
		TMPDIR=$work/k_tmp exits 0 regloom-ptxas ptxas -arch=sm_80 t.ptx -o t.cubin || return
	fi
	for i in $(seq 100); do [ -e "/proc/$(cat k_pid)" ] || break; sleep 0.05; done
	[ $code = "$2" ] && [ -z "$(ls k_tmp)" ] && [ ! -e "/proc/$(cat k_pid)" ]
}
t "the same machine code, its messages, and an object beside it" plain_same
t "ptxas gets the annotated text" annotated_text
t "names and folders of objects" names
t "views and options" views
t "as many registers as ptxas may use" registers
t "a mistake has ptxas's message and status" status_kept
t "what cannot be annotated is handed on" handed_on
t "an assembler that refuses pragmas" refused_pragmas
t "limits" limits
t "a folder that cannot be made" no_folder
t "in ptxas's place" in_place
t "other arguments pass through" passes_through
t "compilations at once" parallel
for s in INT:130 TERM:143 HUP:129 QUIT:131 KILL:137; do t "SIG${s%:*} leaves nothing" killed "${s%:*}" "${s#*:}"; done

unset REGLOOM_NVCC
rm "$tmp/bin/nvcc" "$tmp/bin/ptxas"; hash -r
code() { # CUBIN: the bytes of every .text section
	local s
	for s in $(readelf -SW "$1" 2>/dev/null | grep -o '\.text\.[^ ]*'); do
		echo "$s"; objcopy -I elf64-little -O binary --only-section="$s" "$1" "$tmp/sec" 2>/dev/null && od -An -tx1 "$tmp/sec"
	done
}
real() { # NVCC-OPTION...: the same cubin, to the byte unless it holds the PTX's lines
	nvcc -arch=sm_80 "$@" -I "$root/examples/build-systems/kernels" -cubin "$kernel" -o real.cubin && mkdir -p real &&
	wrapped -arch=sm_80 "$@" -I "$root/examples/build-systems/kernels" -cubin "$kernel" -o real/k.cubin &&
	if [ $# = 0 ]; then cmp real.cubin real/k.cubin; else code real.cubin > r1 && code real/k.cubin > r2 && [ "$(wc -l < r1)" -gt 4 ] && cmp r1 r2; fi &&
	"$tmp/bin/ptx-annotate" real/k.sm_80.rlo --emit=summary | grep -q registers && ! grep -q . "$tmp/err"
}
both() { # two architectures, relocatable, and a program of them
	wrapped -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90,code=sm_90 -rdc=true -I "$root/examples/build-systems/kernels" -c "$kernel" -o real/add.o &&
	[ -s real/add.sm_80.rlo ] && [ -s real/add.sm_90.rlo ] && wrapped -arch=sm_80 -rdc=true real/add.o -o real/program && real/program
}
example() {
	cp -r "$root/examples/build-systems" "$work/examples" && cd "$work/examples/nvcc" && make WRAPPER="$tmp/bin/regloom-nvcc" && ./add &&
	grep -q add kernels/add.sm_80.summary && kernel kernels/add.sm_80.rlo _Z3addPfPKfi
}
if command -v nvcc > /dev/null; then
	kernel=$root/examples/build-systems/kernels/add.cu
	t "nvcc: the same cubin, to the byte" real
	t "nvcc -lineinfo: the same machine code" real -lineinfo
	t "nvcc -G: the same machine code" real -G
	t "nvcc: architectures, relocatable code, a program" both
	t "the example" example
else
	skip "nvcc" "no nvcc"
fi
finish
