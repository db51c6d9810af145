#!/bin/bash
# The commands as a user meets them: help, exit codes, pipes, one clear error for bad input and nothing written.
. "$(dirname "$0")/../lib.sh"

for c in "$A" "$M"; do
	t "${c##*/} --help" bash -c "'$c' --help | grep -qi example"
	t "${c##*/} --version" bash -c "'$c' --version | grep -q '[0-9]\.[0-9]'"
done
unknown_option() { exits 2 "$A" --nonsense x.ptx && exits 2 "$M" run --nonsense && exits 2 "$M" nonsense; }
t "usage errors exit 2" unknown_option
full() { # whatever is asked for, and cannot be written: one message, exit status 1
	local c
	for c in "$A --help" "$A -h" "$A --isa" "$A --version" "$M --help" "$M --version" "$M list" "$M list machines" "$M list machines gtx480" "$M list rf" "$M list parameters" "$M list energy" "$M list metrics" \
		"$M run --help" "$M run --dump-config" "$M compare --help" "$M sweep --help" "$M usage --help" "$M values --help" "$M report --help" "$M list --help" \
		"$B/regloom-run --help" "$B/regloom-run --version" "share/nvcc/regloom-nvcc --regloom-help" "share/nvcc/regloom-ptxas --help"; do
		$c > /dev/full 2> "$tmp/err"; [ $? = 1 ] && [ "$(wc -l < "$tmp/err")" = 1 ] && grep -qE 'cannot write to standard output$|^cat: ' "$tmp/err" || { echo "$c:"; cat "$tmp/err"; return 1; }
	done
}
if [ -w /dev/full ]; then t "standard output that is full" full; else skip "standard output that is full" "no /dev/full"; fi
meant() { # WRONG RIGHT: an option or a name that there is none of, and what may be meant
	# shellcheck disable=SC2086
	exits 2 "$A" examples/saxpy/saxpy.ptx $1 -o "$tmp/no.rlo" && says "did you mean $2?" && [ ! -e "$tmp/no.rlo" ]
}
suggestions() {
	meant --emt=json --emit && meant -emit=json --emit && meant --emit=bank banks && meant --emit=lst listing && meant --input=ptxx ptx && meant --dump=lives live && meant --machine=gtx48 gtx480 &&
	meant --schedule=latncy latency && meant --graph=cfgg cfg && meant --orf=split-orf split-lrf+orf && meant --pairs=match matching && meant --align=exakt exact && meant --code=ptz ptx &&
	meant --regmutex-place=papr paper && meant --check=max-regs=40 max-registers && meant --check=live=40 max-live || return
	# all the names that there are
	exits 2 "$A" examples/saxpy/saxpy.ptx --emit=zzzzz && says "there is no view 'zzzzz': obj, cubin, ptx, listing, json, dot, occupancy, pressure, banks, summary, remarks or sarif; see" &&
	exits 2 "$A" examples/saxpy/saxpy.ptx --machine sm_70 && says 'GPUs: sm_75, ' && says 'sm_121; modelled: gtx480, ' && exits 2 "$A" examples/saxpy/saxpy.ptx --orf-warps 65 && says '1 to 64' &&
	exits 0 "$A" examples/saxpy/saxpy.ptx --orf-warps 64 --emit=summary && "$A" --help | grep -q 'orf-warps.*1 to 64' &&
	exits 2 "$M" runn && says 'run, compare, sweep, usage, values, report or list; did you mean run?' && exits 2 "$M" list machine && says 'did you mean machines?' && exits 2 "$M" sweep --dry-rn && says 'did you mean --dry-run'
}
t "what may be meant, and what there is" suggestions
sources() { # what is no PTX yet, and how it becomes PTX; PTX of any name is PTX
	exits 1 "$A" docs/tutorial/spread.cu && says 'spread.cu: error: is CUDA C++: nvcc -ptx -lineinfo makes the PTX' && [ "$(wc -l < "$tmp/err")" = 1 ] && [ ! -e spread.rlo ] &&
	exits 1 "$A" examples/sgemm/sgemm.cl -o "$tmp/no.rlo" && says 'sgemm.cl: error: is OpenCL C: clang -x cl' && [ ! -e "$tmp/no.rlo" ] &&
	exits 1 "$A" --check max-live=40 examples/sgemm/sgemm.cl && says 'is OpenCL C' && cp examples/sgemm/sgemm.ptx "$tmp/k.cu" && exits 0 "$A" "$tmp/k.cu" -q -o "$tmp/k.rlo"
}
t "sources that are no PTX" sources
shown() { ! LC_ALL=C grep -q "[^[:print:][:space:]]" "$1" || { cat -v "$1"; return 1; }; } # no control character, and no byte beyond ASCII in these
not_ptx() { # what it is not; and no byte of it reaches the terminal
	: > "$tmp/e.cubin" && exits 1 "$A" "$tmp/e.cubin" && says 'e.cubin: error: is empty' && [ ! -e e.annotated.cubin ] || return
	printf '\001\033[31m\377\000noise' > "$tmp/r.cubin" && exits 1 "$A" --check max-live=4 "$tmp/r.cubin" && says 'is nothing that is read here: it begins with 01 1b 5b 33, not with 7f 45 4c 46' && shown "$tmp/err" &&
	echo text > "$tmp/t.cubin" && exits 1 "$A" "$tmp/t.cubin" -o "$tmp/no" && says 'is text without .version, so no PTX, and not what its name says' && [ ! -e "$tmp/no" ] &&
	printf '\177ELF\002\001' > "$tmp/s.cubin" && exits 1 "$A" "$tmp/s.cubin" && says 's.cubin: file+0x6: error: the ELF header is cut' &&
	echo text > "$tmp/t.txt" && exits 1 "$A" "$tmp/t.txt" && says 'there is no .version: this is not PTX' || return
	printf '.version 8.0\n.target sm_50\n\033[31mred\200\377 x\n' > "$tmp/$(printf 'a\033[1m').ptx" && exits 1 "$A" "$tmp/$(printf 'a\033[1m').ptx" && shown "$tmp/err" && says 'a\x1b[1m.ptx:3:1: error: ' && says '?[31mred?? x' &&
	exits 2 "$A" "--emit=$(printf '\033[31m')" x.ptx && shown "$tmp/err" && exits 2 "$M" "$(printf '\r\033[2K')" && shown "$tmp/err" &&
	python3 -c 'import sys; sys.stdout.buffer.write(open("test/golden/fatbin/lz4.fatbin", "rb").read().replace(b"--generate", b"\x1b[31m\x9b2J\r\n"))' > "$tmp/o.fatbin" &&
	exits 0 "$A" --list "$tmp/o.fatbin" && shown "$tmp/out" && grep -qF '\x1b[31m\x9b2J\x0d\x0a-line-info' "$tmp/out"
}
t "inputs that are no PTX, and bytes of theirs" not_ptx
views_by_name() { # an object under the name of a view was not meant
	local v
	for v in ptx json dot sarif; do exits 2 "$A" examples/saxpy/saxpy.ptx -o "$tmp/named.$v" && says "named.$v would be an object: --emit=$v" && [ ! -e "$tmp/named.$v" ] || return; done
	exits 0 "$A" examples/saxpy/saxpy.ptx -q --emit=obj -o "$tmp/named.ptx" && exits 0 "$A" examples/saxpy/saxpy.ptx -q -o "$tmp/named.rlo" && cmp "$tmp/named.ptx" "$tmp/named.rlo" &&
	exits 0 "$A" examples/saxpy/saxpy.ptx --emit=summary -o "$tmp/named.json"
}
t "objects under the names of views" views_by_name
pipe() {
	"$A" examples/saxpy/saxpy.ptx -o "$tmp/file.rlo" -q && "$A" - -o - < examples/saxpy/saxpy.ptx > "$tmp/pipe.rlo" 2>/dev/null &&
	"$M" run - --launch examples/saxpy/saxpy.yaml < "$tmp/pipe.rlo" | grep -q PASS
}
t "ptx-annotate - | sm-model run -" pipe
bad_ptx() {
	sed 's/mad\.lo\.s32/mad.low.s32/' examples/saxpy/saxpy.ptx > "$tmp/bad.ptx"
	exits 1 "$A" "$tmp/bad.ptx" -o "$tmp/bad.rlo" && says "bad.ptx:" && says "mad.low.s32" && says "^" && leaves_nothing "$tmp/bad.rlo"
}
t "an unknown instruction: line, text, caret, nothing written" bad_ptx
other_kernel() { # what cannot be read in one kernel does not stand in the way of another
	printf '%s\n' '.version 8.0' '.target sm_90a' '.address_size 64' '.entry a() { wgmma.fence.sync.aligned; ret; }' \
		'.entry b() { { // }' 'ret; } }' > "$tmp/two.ptx"
	exits 1 "$A" "$tmp/two.ptx" -o "$tmp/two.rlo" && says "two.ptx:4:14" && says "is not supported:" &&
	exits 0 "$A" "$tmp/two.ptx" --kernel=b -q -o "$tmp/two.rlo" && exits 1 "$A" "$tmp/two.ptx" --kernel=a -q -o "$tmp/two.rlo"
}
t "--kernel passes over other kernels" other_kernel
t "--isa lists what is supported and what is not" bash -c "'$A' --isa | grep -q '^  mad .*\.lo\.s32' && '$A' --isa | grep -q '^  wgmma  '"
refused_documented() { # docs/PTX.md has each refusal of --isa
	"$A" --isa | sed -n '/^Not supported:/,$p' | sed -nE 's/^  ([^ ]+) +(.*)/| `\1` | \2 |/p' > "$tmp/refused" && [ -s "$tmp/refused" ] &&
	while read -r line; do grep -qxF -- "$line" docs/PTX.md || { echo "docs/PTX.md lacks: $line"; return 1; }; done < "$tmp/refused"
}
t "docs/PTX.md lists what --isa refuses" refused_documented
keep_old() { # a failing run leaves the old output alone
	echo old > "$tmp/old.rlo"
	exits 1 "$A" "$tmp/bad.ptx" -o "$tmp/old.rlo" && [ "$(cat "$tmp/old.rlo")" = old ]
}
t "bad input leaves the old output" keep_old
t "a missing file" bash -c "! '$A' /nonexistent.ptx -o '$tmp/x' 2>&1 | grep -v 'cannot open'"
truncated() {
	head -c 1000 "$tmp/file.rlo" > "$tmp/cut.rlo"
	exits 1 "$M" run "$tmp/cut.rlo" --launch examples/saxpy/saxpy.yaml && says "cut.rlo"
}
t "a truncated object" truncated
wrong_kernel() {
	sed 's/kernel: saxpy/kernel: saxpie/' examples/saxpy/saxpy.yaml > "$tmp/k.yaml"
	exits 1 "$M" run "$tmp/file.rlo" --launch "$tmp/k.yaml" && says "saxpie" && says "k.yaml:"
}
t "a launch file that names no kernel of the object" wrong_kernel
fails() { # a wrong expectation: FAIL, exit 1
	cp examples/saxpy/saxpy.yaml "$tmp/f.yaml"
	head -c "$(stat -c %s examples/saxpy/saxpy.expect)" /dev/zero > "$tmp/saxpy.expect"
	exits 1 "$M" run "$tmp/file.rlo" --launch "$tmp/f.yaml" && grep -q FAIL "$tmp/out" || return
	for c in "run --functional" run "compare --rf baseline" values usage; do # an error is never quiet
		# shellcheck disable=SC2086
		exits 1 "$M" ${c%% *} "$tmp/file.rlo" --launch "$tmp/f.yaml" --quiet $([[ $c != *\ * ]] || echo "${c#* }") && [ ! -s "$tmp/out" ] && says '  FAIL  ' && says ' is ' || return
	done
}
t "a wrong expectation fails" fails
dump() {
	exits 0 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --dump "y=$tmp/y.bin" && cmp "$tmp/y.bin" examples/saxpy/saxpy.expect
}
t "--dump writes a buffer" dump
starved() { # WAY COMMAND...: without memory it says why, exits 4 and leaves nothing; WAY is what it says
	local way=$1; shift
	exits 4 "$@" && says "$way" && [ "$(grep -c error "$tmp/err")" -ge 1 ] && [ ! -e "$tmp/starved" ] && ! ls "$tmp"/starved.* 2> /dev/null
}
memory() { # a limit of ours, and one of the system's
	local limit='MiB is reached; --max-memory MIB sets another, 0 none' system='the system gives no more beside '
	python3 -c 'n = 4000
print(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) {\n.reg .u32 %r<2>;\n.reg .pred %p<2>;\n.reg .u64 %rd<2>;\nld.param.u64 %rd1, [x];\nld.global.u32 %r1, [%rd1];")
for i in range(n): print(f"setp.eq.u32 %p1, %r1, {i};\n@%p1 bra L{i};\nadd.u32 %r1, %r1, {i};\nL{i}:")
print("st.global.u32 [%rd1], %r1;\nret;\n}")' > "$tmp/blocks.ptx"
	starved "limit of 8 $limit" "$A" "$tmp/blocks.ptx" --max-memory 8 -q -o "$tmp/starved" && starved "limit of 8 $limit" "$A" "$tmp/blocks.ptx" --max-memory=8 --emit=json -o "$tmp/starved" &&
	starved "limit of 4 $limit" "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --max-memory 4 -q --json "$tmp/starved" &&
	starved "limit of 4 $limit" "$M" compare "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --rf baseline,corf++ --max-memory 4 -q --csv "$tmp/starved" &&
	sed 's/count: [0-9]*/count: 300000000/' examples/saxpy/saxpy.yaml > "$tmp/wide.yaml" && starved "limit of 900 $limit" "$M" run "$tmp/file.rlo" --launch "$tmp/wide.yaml" --max-memory 900 --json "$tmp/starved" &&
	says "wide.yaml:" && exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --max-memory 1g && exits 2 "$A" examples/saxpy/saxpy.ptx --max-memory -1 &&
	exits 0 "$A" "$tmp/blocks.ptx" --max-memory 0 -q -o "$tmp/fed.rlo" || return
	[[ $B != */*san ]] || return 0         # whose shadows are of no such size
	starved "$system" bash -c 'ulimit -v 40000; exec "$@"' - "$A" "$tmp/blocks.ptx" -q -o "$tmp/starved" &&
	starved "$system" bash -c 'ulimit -v 900000; exec "$@"' - "$M" run "$tmp/file.rlo" --launch "$tmp/wide.yaml" -q --json "$tmp/starved"
}
t "exhausted memory: which limit, exit status 4, nothing left" memory
small_stacks() { # of 64 KiB, where recursions and large frames would end; a chain of calls as deep as a file can have
	python3 -c 'print(".version 8.0\n.target sm_80\n.address_size 64\n.func (.reg .u32 r) f0(.reg .u32 a) { add.u32 r, a, 1; ret; }")
for i in range(1, 4000): print(f".func (.reg .u32 r) f{i}(.reg .u32 a) {{ call (r), f{i - 1}, (a); ret; }}")
print(".visible .entry k(.param .u64 x) { .reg .u32 %r<3>; .reg .u64 %rd<2>; ld.param.u64 %rd1, [x]; mov.u32 %r1, 5; call (%r2), f3999, (%r1); st.global.u32 [%rd1], %r2; ret; }")' > "$tmp/chain.ptx"
	exits 0 "$A" "$tmp/chain.ptx" -q -o "$tmp/chain.rlo" && printf '%s\n' 'buffers: [{name: x, type: u32, count: 1}]' 'launches: [{kernel: k, grid: [1], block: [32], args: [{buffer: x}]}]' > "$tmp/chain.yaml" &&
	exits 0 "$M" run "$tmp/chain.rlo" --launch "$tmp/chain.yaml" --functional -q --dump "x=$tmp/chain.bin" && [ "$(od -An -tu4 "$tmp/chain.bin" | tr -d " ")" = 6 ] || return
	[[ $B != */*san ]] || return 0         # whose frames are larger than that
	for c in "$A $tmp/chain.ptx -q -o $tmp/chain2.rlo" "$A examples/sgemm/sgemm.ptx -q -o $tmp/small.rlo" "$M run $tmp/file.rlo --launch examples/saxpy/saxpy.yaml -q --json $tmp/small.json --detail" \
		"$M compare $tmp/file.rlo --launch examples/saxpy/saxpy.yaml --rf baseline,regmutex,corf++ -q" "${A%/*}/regloom-run --version"; do
		exits 0 bash -c 'ulimit -s 64; exec $1' - "$c" || return
	done
	cmp "$tmp/chain.rlo" "$tmp/chain2.rlo"
}
t "small stacks" small_stacks
endless() { # a kernel that never ends, stopped at a limit, timed and not; all that was found so far is there
	cat > "$tmp/spin.ptx" <<-'PTX'
		.version 7.0
		.target sm_50
		.address_size 64
		.visible .entry spin(.param .u64 x)
		{
		.reg .b32 %r<2>;
		.reg .b64 %rd<2>;
		ld.param.u64 %rd1, [x];
		L:
		atom.global.add.u32 %r1, [%rd1], 1;
		bra L;
		}
	PTX
	printf '%s\n' 'buffers: [{name: x, type: u32, count: 1}]' 'launches: [{kernel: spin, grid: [2], block: [64], args: [{buffer: x}]}]' > "$tmp/spin.yaml"
	exits 0 "$A" "$tmp/spin.ptx" -o "$tmp/spin.rlo" -q || return
	for mode in --quiet --functional; do
		exits 1 timeout 60 "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-insns 9000 $mode || return
		says "spin.ptx:" && says "launch 1, spin" && says "limit of 9000 warp instructions" &&  [ "$(awk 'length > 400' "$tmp/err")" = "" ] || return
		if [ $mode = --quiet ]; then says "SM 1 warp 0 (CTA 1, its warp 0), instruction "; else says "CTA (0,0,0) warp 1 is at instruction"; fi || return
	done
	exits 1 "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-cycles 1 -q && says "SM 0 warp 0 (CTA 0, its warp 0), instruction 0 " &&
	says "waits for instruction fetch at 0" && [ "$(grep -c '^  SM ' "$tmp/err")" = 4 ] || return
	exits 1 timeout 60 "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-cycles=5000 --json "$tmp/spin.json" && says "limit of 5000 cycles" &&
	grep -q 'PARTIAL: the limit of 5000 cycles' "$tmp/out" && grep -q '"check": "partial"' "$tmp/spin.json" && grep -q '"why": "max_cycles"' "$tmp/spin.json"
}
t "--max-insns, --max-cycles end an endless kernel" endless
sample() {
	local run=("$M" run "$tmp/file.rlo" --launch "$tmp/many.yaml" --set sms=1 --json "$tmp/sample.json")
	printf '%s\n' 'buffers: [{name: x, type: f32, count: 131072}, {name: y, type: f32, count: 131072}]' 'launches: [{kernel: saxpy, grid: [512],' \
		'block: [256], args: [{buffer: y}, {buffer: x}, {value: 2, type: f32}, {value: 131072, type: u32}]}]' > "$tmp/many.yaml"
	exits 2 "${run[@]}" --sample 3 && says "4 to 1000" && exits 0 "${run[@]}" --sample 4 && grep -q 'ESTIMATED  this run from 168 of 512 CTAs' "$tmp/out" &&
	grep -q '"cycles_error"' "$tmp/sample.json" && test/tool/schema.py "$tmp/sample.json" docs/run.schema.json &&
	exits 0 "${run[@]}" --sample 4 --explain && grep -q 'cycles of the 168 CTAs that were timed of 512' "$tmp/out" &&
	exits 0 "${run[@]}" --sample 20 && grep -q 'NOT SAMPLED  this run: 1 launch timed whole; the largest has 512 CTAs, and a sample needs at least 1488' "$tmp/out" &&
	grep -q '"whole_needs": 1488' "$tmp/sample.json" && test/tool/schema.py "$tmp/sample.json" docs/run.schema.json
}
t "--sample estimates from some CTAs" sample
interrupted() { # SIGNAL OPTION...: sm-model in the middle of a run; if the signal ends it, the run had not begun, and the next one gets more time
	local code ticks
	for ticks in 30 100 300 1000; do
		code=0
		env --default-signal=INT,TERM,HUP "$M" "${@:2}" > "$tmp/out" 2> "$tmp/err" &
		computes $! $ticks && kill -"$1" $! || return
		wait $! || code=$?
		[ $code -gt 128 ] || break
	done
	[ $code = 1 ] || { echo "exit code $code, not 1"; cat "$tmp/err"; return 1; }
}
partial() { # every output of a run that is stopped, by each of what stops one, says so; the exit status is 1
	local d=$tmp/partial why every on=("$tmp/spin.rlo" --launch "$tmp/spin.yaml")
	mkdir "$d" || return
	stops() { # WHY COMMAND OPTION...
		local why=$1; shift
		case $why in
		max_cycles) exits 1 timeout 60 "$M" "$@" --max-cycles 3000 ;;
		max_insns) exits 1 timeout 60 "$M" "$@" --max-insns 3000 ;;
		asked) interrupted INT "$@" --max-insns 0 ;;
		esac && { [ ! -s "$tmp/out" ] || [ "$1" = report ] || grep -q '^result   PARTIAL: ' "$tmp/out"; } && says "sm-model: stopped: "
	}
	for why in max_cycles max_insns asked; do
		rm -rf "$d"/*
		every=100
		[ $why != asked ] || every=100000        # it has run for millions of cycles by then
		stops $why run "${on[@]}" --dump "x=$d/none.bin" --json "$d/r.json" --detail --series "$d/s.csv" --interval $every --trace "$d/t.json" --trace-cycles 200 --pipeview "$d/k.log" &&
		stops $why compare "${on[@]}" --rf baseline,corf --csv "$d/c.csv" --json "$d/c.json" --per-kernel &&
		stops $why report "${on[@]}" --rf baseline,corf -o "$d/page.html" --pictures "$d/pic" --format txt || { cat "$tmp/err"; return 1; }
		if [ $why != max_cycles ]; then
			stops $why usage "${on[@]}" --json "$d/u.json" --path "$d/path.csv" && stops $why values "${on[@]}" --json "$d/v.json" &&
			stops $why run "${on[@]}" --functional --profile "$d/p.json" && test/tool/schema.py "$d/p.json" docs/profile.schema.json && exits 0 "$A" "$tmp/spin.ptx" --profile "$d/p.json" -q -o "$d/p.rlo" &&
			[ "$(tail -1 "$d/path.csv")" = "partial,,$why," ] && test/tool/schema.py "$d/u.json" docs/usage.schema.json && test/tool/schema.py "$d/v.json" docs/values.schema.json || return
		fi
		[ ! -e "$d/none.bin" ] && test/tool/schema.py "$d/r.json" docs/run.schema.json && test/tool/schema.py "$d/c.json" docs/compare.schema.json &&
		grep -qP "\tpartial: $why\$" "$d/k.log" || return
		python3 - $why "$d" <<-'PY' || return
			import csv, glob, json, re, sys
			why, d = sys.argv[1:]
			for f in glob.glob(d + "/[rcuvp].json"): assert json.load(open(f))["partial"]["why"] == why, f
			assert json.load(open(d + "/t.json"))["otherData"]["partial"] == why
			for f in "s", "c":
			    rows = list(csv.DictReader(open(f"{d}/{f}.csv")))
			    assert rows and all(r["partial"] == why for r in rows), f
			page = json.loads(re.search(r'id="?data"?>(.*?)</script>', open(d + "/page.html").read(), re.S)[1])
			assert page["files"][0]["result"]["partial"]["why"] == why
			pictures = glob.glob(d + "/pic/*.gp") + glob.glob(d + "/pic/*.dot") + glob.glob(d + "/pic/*.txt")
			assert len(pictures) > 2 and all(f"partial: {why}" in open(f).read() for f in pictures), pictures
		PY
	done
	exits 0 "$M" compare "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --rf baseline,corf -q --csv "$d/c.csv" && [ "$(cut -d, -f4,5 "$d/c.csv" | sort -u | tr '\n' ' ')" = '0, failed,partial ' ]
}
if command -v gnuplot > /dev/null && command -v dot > /dev/null; then t "what is partial says so everywhere" partial; else skip "what is partial says so everywhere" "no gnuplot or Graphviz"; fi
stopped() { # SIGNAL OPTION...
	interrupted "$1" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-insns 0 "${@:2}" --json "$tmp/int.json" &&
	says "stopped: interrupted, in launch 1, spin" && grep -q 'PARTIAL: interrupted' "$tmp/out" && grep -q '"why": "asked"' "$tmp/int.json"
}
t "SIGTERM stops a timed run with what it has" stopped TERM
t "SIGHUP stops an execution with what it has" stopped HUP --functional
ended() { # each signal while an output is open: the process ends by it and leaves nothing; likewise while it waits for LLVM, which ends too
	mkdir "$tmp/ended" && printf '#!/bin/sh\nexec sleep 600\n' > "$tmp/slow" && chmod +x "$tmp/slow"
	REGLOOM_LLVM="$tmp/slow" timeout 100 python3 - "$A" "$tmp/ended" <<-'PY'
		import os, signal, subprocess, sys
		tool, folder = sys.argv[1:]
		with open(folder + "/in.ptx", "w") as f:
		    f.write(".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n.reg .b32 %r<9>;\n.reg .b64 %p;\nld.param.u64 %p, [x];\nld.global.u32 %r1, [%p];\n"
		            + "mad.lo.s32 %r1, %r1, %r1, 5;\n" * 100000 + "st.global.u32 [%p], %r1;\nret;\n}\n")
		def start(source, out):
		    def default():
		        for s in signal.SIGINT, signal.SIGQUIT: signal.signal(s, signal.SIG_DFL)
		    return subprocess.Popen([tool, source, "-q", "-o", out], preexec_fn=default)
		def writes(p):  # in the folder
		    names = [os.readlink(f"/proc/{p.pid}/fd/{n}") for n in os.listdir(f"/proc/{p.pid}/fd")]
		    return any(n.startswith(folder + "/") and not n.endswith("in.ptx") for n in names)
		def children(p): return open(f"/proc/{p.pid}/task/{p.pid}/children").read().split()
		for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
		    for attempt in range(50):
		        p = start(folder + "/in.ptx", folder + "/out.rlo")
		        try:
		            while p.poll() is None and not writes(p): pass
		        except OSError: pass    # it has just ended
		        p.send_signal(sig)
		        if p.wait() != 0: break
		        os.remove(folder + "/out.rlo")
		    assert p.returncode == -sig and os.listdir(folder) == ["in.ptx"], (sig, p.returncode, os.listdir(folder))
		for sig in signal.SIGTERM, signal.SIGHUP:
		    p = start("test/golden/llvm/scale.ll", folder + "/out.rlo")
		    while not children(p): pass
		    child = int(children(p)[0])
		    p.send_signal(sig)
		    assert p.wait() == -sig and os.listdir(folder) == ["in.ptx"]
		    try:
		        while open(f"/proc/{child}/stat").read().split()[2] not in "ZX": pass
		    except (FileNotFoundError, ProcessLookupError): pass
	PY
}
t "ptx-annotate ends by a signal and leaves nothing" ended
in_place() { # an output that was there keeps its mode and its link; a pipe, a device and a descriptor are written in place
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml -q) d=$tmp/place
	mkdir "$d" "$d/sub" && echo old > "$d/sub/x.json" && chmod 604 "$d/sub/x.json" && ln -s sub/x.json "$d/link" && exits 0 "${run[@]}" --json "$d/link" &&
	[ -L "$d/link" ] && [ "$(stat -c %a "$d/sub/x.json")" = 604 ] && grep -q '"check": "pass"' "$d/sub/x.json" && [ "$(find "$d" | wc -l)" = 4 ] || return
	cp "$d/sub/x.json" "$d/want.json" && mkfifo "$d/fifo" && { timeout 60 cat "$d/fifo" > "$d/got.json" & } && exits 0 timeout 60 "${run[@]}" --json "$d/fifo" && wait $! && cmp "$d/got.json" "$d/want.json" || return
	{ timeout 60 cat "$d/fifo" > "$d/got.csv" & } && exits 0 timeout 60 "$M" compare "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --rf baseline -q --csv "$d/fifo" && wait $! && grep -q '^baseline,' "$d/got.csv" || return
	{ echo first; "${run[@]}" --json /dev/stdout; echo last; } > "$d/log" && [ "$(head -1 "$d/log")" = first ] && [ "$(tail -1 "$d/log")" = last ] && sed '1d;$d' "$d/log" | cmp - "$d/want.json" &&
	"${run[@]}" --json /dev/stdout | cmp - "$d/want.json" && exits 0 "${run[@]}" --json /dev/null && [ -c /dev/null ] && [ -L /dev/stdout ]
}
t "outputs that are there: modes, links, pipes, descriptors" in_place
narrow() { # COLUMNS PATTERN: the line of progress fits, and has what matters most
	timeout 60 python3 - "$1" "$2" "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-insns 0 -q --functional <<-'PY'
		import fcntl, os, pty, re, signal, struct, sys, termios
		columns, pattern, *command = sys.argv[1:]
		pid, fd = pty.fork()
		if pid == 0:
		    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
		    os.execv(command[0], command)
		text = b""
		try:
		    while part := os.read(fd, 4096):
		        text += part
		        if text.count(b"\033[K") >= 3:
		            os.kill(pid, signal.SIGKILL)
		except OSError:         # the other side is closed
		    pass
		os.waitpid(pid, 0)
		lines = re.findall(r"\r([^\r\n]+)\033\[K", text.decode())
		print(lines)
		sys.exit(not lines or any(len(l) >= int(columns) or not re.search(pattern, l) for l in lines))
	PY
}
t "progress on 100 columns has all" narrow 100 '^spin: 0% of its CTAs, .* M instructions, .* M/s$'
t "progress on 40 columns keeps the rate" narrow 40 '^spin: 0% of its CTAs, [0-9.]* M/s$'
t "progress on 20 columns keeps the share" narrow 20 '^0% of its CTAs$'
limit() {
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --functional)
	exits 2 "${run[@]}" --max-insns=1k && says 1k && exits 2 "${run[@]}" --max-insns -1 && exits 2 "${run[@]}" --max-insns 99999999999999999999 &&
	exits 0 "${run[@]}" --max-insns 0 && exits 1 "${run[@]}" --max-insns=10 && says "launch 1, saxpy" && exits 2 "${run[@]}" --max-cycles x
}
t "--max-insns: wrong numbers, no limit, too few" limit
threads() {
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml)
	exits 2 "${run[@]}" --threads=two && exits 2 "${run[@]}" --threads 1025 && says 1025 || return
	for n in 1 3; do exits 0 "${run[@]}" --threads $n --json "$tmp/threads$n.json" || return; done
	cmp "$tmp/threads1.json" "$tmp/threads3.json"
}
t "--threads: wrong numbers; the same bytes on one and on three" threads
unwritable() { exits 1 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --json /nonexistent/x.json && says 'cannot write' && [ ! -s "$tmp/out" ]; }
t "an unwritable --json path is said before the run" unwritable
rf() { exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --rf packing=nonsense && says nonsense; }
t "an unknown register-file configuration" rf
set_range() { exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --set rf_banks=0 && says rf_banks; }
t "a parameter out of range" set_range
set_hints() { # what is wrong with each
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml -q)
	exits 2 "${run[@]}" --set issue=lrr && says "no parameter is called 'issue', but an axis of the register file: --rf issue=lrr" &&
	exits 2 "${run[@]}" --set rf_bank=4 && says "did you mean rf_banks?" && exits 2 "${run[@]}" --set fp_mad_latncy=4 && says "did you mean fp_mad_latency?" &&
	exits 2 "${run[@]}" --set rf_banks=-1 && says "rf_banks=-1 is out of range: 1 .. 32 banks" && exits 2 "${run[@]}" --set zzzzzz=1 && ! says "did you mean" > /dev/null &&
	exits 2 "${run[@]}" --set rf_banks=99999999999999999999 && says "rf_banks=99999999999999999999 is out of range" &&
	exits 2 "${run[@]}" --set rf_banks=4x && says "'4x' is not a whole number" && exits 2 "${run[@]}" --set rf_banks=- && says "'-' is not a whole number" &&
	exits 2 "${run[@]}" --rf sms=3 && says "--set sms=3" && exits 2 "${run[@]}" --rf baselin && says "did you mean baseline?" &&
	exits 2 "${run[@]}" --machine gtx48 && says "did you mean gtx480?" && exits 2 "${run[@]}" --jsn x && says "did you mean --json" &&
	exits 0 "${run[@]}" --set active_warps=2 && says "sm-model: note: active_warps counts with issue=two-level or issue=two-level-rr only, and this is issue=gto" &&
	exits 0 "${run[@]}" --set rf_gate_slices=1 --rf first-fit && says "rf_gate_slices counts with packing=corf++ only, and this is packing=first-fit" &&
	exits 0 "${run[@]}" --set rf_partial_writes=1 --rf first-fit && says "rf_partial_writes counts with packing=none only, and this is packing=first-fit" &&
	exits 0 "${run[@]}" --set rf_partial_writes=1 && [ ! -s "$tmp/err" ] &&
	exits 0 "${run[@]}" --set active_warps=2 --rf issue=two-level && [ ! -s "$tmp/err" ] && exits 0 "${run[@]}" --machine corf && [ ! -s "$tmp/err" ]
}
t "--set and names that are nearly right: hints" set_hints
one_form() { # every usage error begins alike
	for wrong in "--nonsense" "--set nonsense=1" "--rf nonsense" "--machine nonsense" "--explain=nonsense" "--sample 1" "--trace-sm 99 --trace /dev/null"; do
		# shellcheck disable=SC2086
		exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml $wrong && [ "$(grep -c '^sm-model: error: ' "$tmp/err")" = 1 ] || { echo "$wrong"; return 1; }
	done
	exits 2 "$A" --nonsense && [ "$(grep -c '^ptx-annotate: error: ' "$tmp/err")" = 1 ]
}
t "every usage error begins alike" one_form
one_file() { # no two outputs are one file, by whatever path, or an input
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml -q)
	exits 2 "${run[@]}" --trace "$tmp/no.x" --pipeview "$tmp/no.x" && says "--pipeview would overwrite what is written by --trace" &&
	exits 2 "${run[@]}" --json "$tmp/no.x" --series "$tmp/../${tmp##*/}/no.x" && says "--series would overwrite" &&
	exits 2 "${run[@]}" --dump "x=$tmp/no.x" --dump "y=$tmp/no.x" && exits 2 "${run[@]}" --json "$tmp/file.rlo" && says "would overwrite the object" &&
	exits 2 "${run[@]}" --dump y=examples/saxpy/saxpy.yaml && says "--launch" && exits 2 "${run[@]}" --json - --dump y=- && says "only one file" &&
	exits 2 "$M" compare "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --sweep sms=1,2 --json "$tmp/no.x" --csv "$tmp/no.x" &&
	leaves_nothing "$tmp/no.x" && exits 0 "${run[@]}" --json /dev/null --series /dev/null
}
t "no two outputs are one file" one_file
untimed() {
	for o in --per-kernel "--rf rfc" "--sample 4" --max-cycles=5 --explain --clocks "--interval 100 --json $tmp/no.json" "--trace $tmp/no.json"; do
		# shellcheck disable=SC2086
		exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --functional $o && says "needs timing, which --functional leaves out" &&
		leaves_nothing "$tmp/no.json" || return
	done
}
t "--functional refuses what needs timing" untimed
variant_refused() { # without --functional; with a profile
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --variant && says "--variant says what --functional executes" &&
	exits 2 "$M" compare "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --rf baseline --rf rfv --variant && says "unknown option '--variant'" &&
	"$A" examples/saxpy/saxpy.ptx --regmutex=off -q -o "$tmp/off.rlo" &&
	exits 1 "$M" run "$tmp/off.rlo" --launch examples/saxpy/saxpy.yaml --functional --variant && says "has no variants of kernels: it was made with --regmutex=off"
}
t "variants are executed only where there are some, and without timing" variant_refused
set_shown() { exits 0 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --set rf_banks=4 --set sms=2 && grep -q 'gtx480 with rf_banks=4, sms=2' "$tmp/out"; }
t "changed parameters are named in the report" set_shown
lrr() { exits 0 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --rf issue=lrr && grep -q PASS "$tmp/out"; }
t "the other scheduler" lrr
machines() { # each runs, with its own scheduler and its numbers' sources; --set is seen
	for m in gtx480 regmutex regmutex-half corf hierarchical-rf g-scalar wir; do
		exits 0 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --machine $m && grep -q PASS "$tmp/out" && grep -q "machine  $m, register file baseline$" "$tmp/out" || return
		exits 0 "$M" list machines $m && grep -q "^machine $m: " "$tmp/out" || return
	done
	for m in $("$M" list machines | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p'); do # every number has a source, not that of a table of defaults
		exits 0 "$M" run --machine $m --dump-config && grep -q 'oc_ports  *[0-9]* a cycle  *[^ ]' "$tmp/out" &&
		! grep -E '(^|[ :])default$' "$tmp/out" || return
	done
	exits 0 "$M" run --machine corf --set rf_banks=2 --dump-config && grep -q 'rf_banks  *2 banks  *--set$' "$tmp/out" &&
	grep -q 'sm_mhz .*inherited from gtx480: GPGPU-Sim' "$tmp/out" && grep -q 'issue  *two-level-rr' "$tmp/out" &&
	exits 0 "$M" run --machine corf --rf issue=gto --dump-config && grep -q '  issue  *gto' "$tmp/out" &&
	exits 0 "$M" list energy hrf && grep -q "^  hrf " "$tmp/out" && ! grep -q "^  corf " "$tmp/out" && exits 2 "$M" list energy hfr && says "did you mean hrf?" &&
	exits 2 "$M" list machines gtx1 && says "there is: gtx480, regmutex, regmutex-half, corf, hierarchical-rf, g-scalar, wir" && exits 2 "$M" list rf gtx480
}
t "the machines of the papers" machines
timed_on() { # MACHINE: the results of a run, without what differs between two
	"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --machine "$1" -q --json "$tmp/on.json" && python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(r["machine"], r["metrics"], r["config"])' "$tmp/on.json"
}
machine_files() { # what is printed reads back, everywhere, and gives the same results
	local m f
	for m in $("$M" list machines | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p'); do
		f=$tmp/$m.txt
		"$M" run --machine $m --dump-config > "$f" && "$M" run --machine="$f" --dump-config | cmp - "$f" &&
		"$A" examples/saxpy/saxpy.ptx --emit=occupancy --machine=$m > "$tmp/a" && "$A" examples/saxpy/saxpy.ptx --emit=occupancy --machine="$f" | cmp - "$tmp/a" || return
		if grep -q '^  core  *0 ' "$f"; then # sub-cores time machine code alone
			timed_on $m > "$tmp/a" && [ -s "$tmp/a" ] && timed_on "$f" | cmp - "$tmp/a" || return
		fi
	done
	printf '%s\n' 'machine: corf' 'machine mine: four banks, two SMs' 'sms 2 SMs own' > "$tmp/mine.txt" &&
	exits 0 "$M" compare "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --config machine="$tmp/mine.txt",name=file --config machine=corf,sms=2,name=set --metrics cycles --csv "$tmp/a.csv" -q &&
	[ "$(tail -2 "$tmp/a.csv" | sed 's/.*,//' | sort -u | wc -l)" = 1 ] && exits 0 "$M" list machines "$tmp/mine.txt" && grep -q '^machine mine: four banks' "$tmp/out" && grep -q '^  sms  *2 SMs  *own$' "$tmp/out"
}
t "machines in files" machine_files
two_level() { # Gebhart et al. 2012, section 7.2: 8 active warps of 32 do as well as all, 2 do not
	exits 0 "$M" compare "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --machine hierarchical-rf --sweep active_warps=32,8,2 --metrics ipc --csv "$tmp/a.csv" -q &&
	awk -F, 'NR > 1 { v[NR - 1] = $NF } END { exit !(v[2] > 0.98 * v[1] && v[3] < 0.9 * v[1]) }' "$tmp/a.csv"
}
t "8 active warps of 32 are enough" two_level
t "sm-model list" bash -c "'$M' list | grep -q gtx480 && '$M' list | grep -q gto"
schema() { # names, once given, stay
	"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --json "$tmp/run.json" >/dev/null &&
	python3 - "$tmp/run.json" <<-'PY' &&
		import json, sys
		run = json.load(open(sys.argv[1]))
		assert run["check"] in ("pass", "fail", "none", "partial") and run["machine"] == "gtx480" and run["kernel"] and run["rf"]
		for m in "cycles warp_instructions thread_instructions ipc rf_reads rf_writes rf_dynamic_energy".split():
		    v = run["metrics"][m]
		    assert isinstance(v["value"], (int, float)) and v["value"] > 0 and isinstance(v["unit"], str), m
	PY
	test/tool/schema.py "$tmp/run.json" docs/run.schema.json
}
t "the JSON of a run fits its schema" schema
t "the schemas of a run and a comparison agree" test/tool/schema.py --same docs/compare.schema.json docs/run.schema.json
for m in docs/man/*.[1-9]; do
	if command -v man >/dev/null 2>&1; then
		t "man ${m##*/}" bash -c "MANROFFSEQ= LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 '$m' 2>&1 >/dev/null | (! grep .)"
	else
		skip "man ${m##*/}" "no man"
	fi
done

# ---- source files of somebody else's kernel ----
away=$(mktemp -d /tmp/regloom-srcs.XXX) # as long as the folder that test/sass/cubin/debug.lines.* name
trap 'rm -rf "$tmp" "$log" "$away"' EXIT
seq -f 'the secret of line %g' 40 > "$away/debug.cu"
mkdir "$tmp/kernel" "$tmp/kernel/.hidden" && cp "$away/debug.cu" "$tmp/kernel/.hidden"
ln -s "$away/debug.cu" "$tmp/kernel/link.cu"
echo 'launches: [{kernel: k, grid: [1], block: [32]}]' > "$tmp/kernel/k.yaml"
named() { # FILE: a kernel whose lines are FILE's
	printf '.version 7.0\n.target sm_80\n.address_size 64\n.file 1 "%s"\n.visible .entry k() {\n.reg .u32 %%r<5>; .reg .u64 %%d; .reg .pred %%p;\n.shared .u32 s[64];\n.loc 1 4 0\nmov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0;\n' "$1"
	printf 'L:\n.loc 1 5 0\nadd.u32 %%r2, %%r2, %%r1; st.shared.u32 [s], %%r2; ld.shared.u32 %%r3, [s];\n.loc 1 6 0\nadd.u32 %%r4, %%r4, 1; setp.lt.u32 %%p, %%r4, 9; @%%p bra L;\nst.shared.u32 [s], %%r3; ret; }\n'
}
all_views() { # INPUT OPTION...: whatever can show a line of source, and all that is said, into $tmp/views
	local v; rm -rf "$tmp/views"; mkdir "$tmp/views"
	for v in ptx listing json dot occupancy pressure banks summary remarks sarif; do "$A" "$1" --emit=$v -o "$tmp/views/$v" "${@:2}" >> "$tmp/views/said" 2>&1; done
	exits 0 "$A" --check max-live=99 "$1" --emit=sarif -o "$tmp/views/check" "${@:2}" && cat "$tmp/err" >> "$tmp/views/said"
}
all_runs() { # OBJECT OPTION...
	exits 0 "$M" run "$1" --launch "$tmp/kernel/k.yaml" --explain=all --json "$tmp/views/run.json" --detail "${@:2}" && cat "$tmp/out" "$tmp/err" >> "$tmp/views/said" &&
	exits 0 "$M" values "$1" --launch "$tmp/kernel/k.yaml" --by-line "${@:2}" && cat "$tmp/out" "$tmp/err" >> "$tmp/views/said" &&
	exits 0 "$M" compare "$1" --launch "$tmp/kernel/k.yaml" --rf baseline,corf --json "$tmp/views/compare.json" --detail "${@:2}" && cat "$tmp/err" >> "$tmp/views/said" &&
	exits 0 "$M" report "$1" --launch "$tmp/kernel/k.yaml" -o "$tmp/views/page.html" "${@:2}" && cat "$tmp/err" >> "$tmp/views/said"
}
secret() { ! grep -rl 'secret of line' "$tmp/views"; }
elsewhere() { # files under the input's folder and the current one are shown, others if --source-dir says so; links are followed first
	local f
	for f in "$away/debug.cu" "$(realpath --relative-to=. "$away")/debug.cu" link.cu ../kernel/link.cu .hidden/debug.cu; do
		named "$f" > "$tmp/kernel/k.ptx" && all_views "$tmp/kernel/k.ptx" && exits 0 "$A" "$tmp/kernel/k.ptx" -q -o "$tmp/kernel/k.rlo" && all_views "$tmp/kernel/k.rlo" && all_runs "$tmp/kernel/k.rlo" && secret || { echo "named $f"; return 1; }
	done
	[ "$(grep -c ': note: lines of .*/debug.cu are not shown, which is neither in the folder of the input nor in the current one; --source-dir=.* shows them$' "$tmp/err")" = 1 ] &&
	named "$away/debug.cu" > "$tmp/kernel/k.ptx" && exits 0 "$A" "$tmp/kernel/k.ptx" -q -o "$tmp/kernel/k.rlo" && all_views "$tmp/kernel/k.ptx" --source-dir "$away" && all_runs "$tmp/kernel/k.rlo" --source-dir="$tmp" --source-dir="$away" || return
	for f in listing run.json compare.json page.html said; do grep -q 'secret of line 5' "$tmp/views/$f" || { echo "$f: no line"; return 1; }; done
	! grep ': note: lines' "$tmp/views/said" && named k.cu > "$tmp/kernel/k.ptx" && cp "$away/debug.cu" "$tmp/kernel/k.cu" && all_views "$tmp/kernel/k.ptx" && grep -q 'secret of line 5' "$tmp/views/listing" &&
	sed "s|/var/tmp/regloom-sass|$away|" test/sass/cubin/debug.lines.sm_80.cubin > "$tmp/kernel/debug.cubin" && all_views "$tmp/kernel/debug.cubin" && secret && all_views "$tmp/kernel/debug.cubin" --source-dir="$away" && ! secret > /dev/null &&
	exits 2 "$A" x.ptx --source-dir="$tmp/none" && says "--source-dir=$tmp/none is no folder, or the 65th" && exits 2 "$M" run x.rlo --source-dir "$tmp/none" && says "--source-dir '$tmp/none' is no folder"
}
t "source files elsewhere" elsewhere
finish
