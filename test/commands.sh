#!/bin/bash
# The commands as a user meets them: help, exit codes, pipes, one clear error for bad input and nothing written.
. "$(dirname "$0")/lib.sh"

for c in "$A" "$M"; do
	t "${c##*/} --help" bash -c "'$c' --help | grep -qi example"
	t "${c##*/} --version" bash -c "'$c' --version | grep -q '[0-9]\.[0-9]'"
done
unknown_option() { exits 2 "$A" --nonsense x.ptx && exits 2 "$M" run --nonsense && exits 2 "$M" nonsense; }
t "usage errors exit 2" unknown_option
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
	exits 1 "$M" run "$tmp/file.rlo" --launch "$tmp/f.yaml" && grep -q FAIL "$tmp/out"
}
t "a wrong expectation fails" fails
dump() {
	exits 0 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --dump "y=$tmp/y.bin" && cmp "$tmp/y.bin" examples/saxpy/saxpy.expect
}
t "--dump writes a buffer" dump
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
		exits 0 timeout 60 "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-insns 9000 $mode || return
		says "spin.ptx:" && says "launch 1, spin" && says "limit of 9000 warp instructions" &&  [ "$(awk 'length > 400' "$tmp/err")" = "" ] || return
		if [ $mode = --quiet ]; then says "SM 1 warp 0 (CTA 1, its warp 0), instruction "; else says "CTA (0,0,0) warp 1 is at instruction"; fi || return
	done
	exits 0 "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-cycles 1 -q && says "SM 0 warp 0 (CTA 0, its warp 0), instruction 0 " &&
	says "waits for instruction fetch at 0" && [ "$(grep -c '^  SM ' "$tmp/err")" = 4 ] || return
	exits 0 timeout 60 "$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-cycles=5000 --json "$tmp/spin.json" && says "limit of 5000 cycles" &&
	grep -q 'PARTIAL: the limit of 5000 cycles' "$tmp/out" && grep -q '"check": "partial"' "$tmp/spin.json" && grep -q '"why": "max_cycles"' "$tmp/spin.json"
}
t "--max-insns, --max-cycles end an endless kernel" endless
sample() {
	local run=("$M" run "$tmp/file.rlo" --launch "$tmp/many.yaml" --set sms=1 --json "$tmp/sample.json")
	printf '%s\n' 'buffers: [{name: x, type: f32, count: 131072}, {name: y, type: f32, count: 131072}]' 'launches: [{kernel: saxpy, grid: [512],' \
		'block: [256], args: [{buffer: y}, {buffer: x}, {value: 2, type: f32}, {value: 131072, type: u32}]}]' > "$tmp/many.yaml"
	exits 2 "${run[@]}" --sample 3 && says "4 to 1000" && exits 0 "${run[@]}" --sample 4 && grep -q 'ESTIMATED  this run from 168 of 512 CTAs' "$tmp/out" &&
	grep -q '"cycles_error"' "$tmp/sample.json" && test/schema.py "$tmp/sample.json" docs/run.schema.json &&
	exits 0 "${run[@]}" --sample 4 --explain && grep -q 'cycles of the 168 CTAs that were timed of 512' "$tmp/out" &&
	exits 0 "${run[@]}" --sample 20 && grep -q 'NOT SAMPLED  this run: 1 launch timed whole; the largest has 512 CTAs, and a sample needs at least 1488' "$tmp/out" &&
	grep -q '"whole_needs": 1488' "$tmp/sample.json" && test/schema.py "$tmp/sample.json" docs/run.schema.json
}
t "--sample estimates from some CTAs" sample
interrupted() { # SIGNAL CODE MODE: in the middle of it
	local pid code=0
	"$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-insns 0 $3 --json "$tmp/int.json" > "$tmp/out" 2> "$tmp/err" & pid=$!
	computes $pid; kill -"$1" $pid; wait $pid || code=$?
	[ $code = "$2" ] || { echo "exit code $code, not $2"; cat "$tmp/err"; return 1; }
	says "stopped: interrupted, in launch 1, spin" && grep -q 'PARTIAL: interrupted' "$tmp/out" && grep -q '"why": "asked"' "$tmp/int.json"
}
t "SIGTERM stops a timed run with what it has" interrupted TERM 143 ""
t "SIGTERM stops an execution with what it has" interrupted TERM 143 --functional
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
	exits 0 "${run[@]}" --max-insns 0 && exits 0 "${run[@]}" --max-insns=10 && says "launch 1, saxpy" && exits 2 "${run[@]}" --max-cycles x
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
	test/schema.py "$tmp/run.json" docs/run.schema.json
}
t "the JSON of a run fits its schema" schema
t "the schemas of a run and a comparison agree" test/schema.py --same docs/compare.schema.json docs/run.schema.json
for m in docs/man/*.[1-9]; do
	if command -v man >/dev/null 2>&1; then
		t "man ${m##*/}" bash -c "MANROFFSEQ= LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 '$m' 2>&1 >/dev/null | (! grep .)"
	else
		skip "man ${m##*/}" "no man"
	fi
done
finish
