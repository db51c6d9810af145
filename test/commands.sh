#!/bin/bash
# The commands as a user meets them: help, exit codes, pipes, one clear error for bad input and nothing written.
. "$(dirname "$0")/lib.sh"
leaves_nothing() { [ -z "$(find "$(dirname "$1")" -name "$(basename "$1")*")" ]; }

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
	local pid code=0 i
	"$M" run "$tmp/spin.rlo" --launch "$tmp/spin.yaml" --max-insns 0 $3 --json "$tmp/int.json" > "$tmp/out" 2> "$tmp/err" & pid=$!
	for i in $(seq 50); do grep -q "^SigCgt:.*4...$" /proc/$pid/status && break; sleep 0.1; done
	sleep 0.2; kill -"$1" $pid; wait $pid || code=$?
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
readme() { # the kernel and launch file of the README, as they stand there
	python3 - "$tmp" <<-'PY' && "$A" "$tmp/scale.ptx" -q -o "$tmp/scale.rlo" && exits 0 "$M" run "$tmp/scale.rlo" --launch "$tmp/scale.yaml" && grep -q PASS "$tmp/out"
		import re, sys
		for block in re.findall(r"((?:^    .*\n|^\n)+)", open("README.md").read(), re.M):
		    text = re.sub(r"^    ", "", block, flags=re.M).strip("\n") + "\n"
		    for start, name in ((".version", "scale.ptx"), ("buffers:", "scale.yaml")):
		        if text.startswith(start): open(sys.argv[1] + "/" + name, "w").write(text)
	PY
}
t "the README's kernel runs" readme
links() { # every file that README and docs link to exists
	for f in README.md docs/*.md examples/*.md; do
		for l in $(grep -oE '\]\([^)#]+' "$f" | cut -c3- | grep -v '^http'); do
			[ -e "$(dirname "$f")/$l" ] || { echo "$f links to $l"; return 1; }
		done
	done
}
t "links in the documentation" links
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
t "the schemas of a usage and a comparison agree" test/schema.py --same docs/usage.schema.json docs/compare.schema.json
usage_sums() { # the kernels sum to the total, values to writes; the instructions are those of a run
	"$A" examples/lud/lud.ptx -q -o "$tmp/lud.rlo" && exits 0 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --per-kernel --json "$tmp/usage.json" &&
	grep -q '^result   PASS' "$tmp/out" && [ "$(grep -c 'read never' "$tmp/out")" = 5 ] && test/schema.py "$tmp/usage.json" docs/usage.schema.json &&
	"$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml -q --json - > "$tmp/usage2.json" && cmp "$tmp/usage.json" "$tmp/usage2.json" &&
	"$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml -q --json "$tmp/run.json" && python3 - "$tmp/usage.json" "$tmp/run.json" <<-'PY'
		import json, sys
		u, run = (json.load(open(f)) for f in sys.argv[1:])
		t, metrics = u["total"], {m: v["value"] for m, v in run["metrics"].items()}
		flat = lambda x: [n for v in x.values() for n in (v.values() if isinstance(v, dict) else [v])]
		assert flat(t) == [sum(c) for c in zip(*(flat(k) for k in u["kernels"].values()))] and len(u["kernels"]) == 4
		for k in u["kernels"].values():
		    assert sum(k["by_reads"].values()) == k["values"] == k["operand_writes"] > 0
		    assert sum(k["once_by_lifetime"].values()) == k["by_reads"]["once"]
		    assert 0 < k["by_shared_units_of_private"] <= k["by_shared_units"] <= k["values"]
		assert t["warp_instructions"] == metrics["warp_instructions"] and t["thread_instructions"] == metrics["thread_instructions"]
	PY
}
t "usage: sums, the schema, the same again" usage_sums
t "the schemas of values and a comparison agree" test/schema.py --same docs/values.schema.json docs/compare.schema.json
values_sums() { # the kernels sum to the total; what is found is of what was executed; 64 lanes; again the same
	"$A" examples/lud/lud.ptx -q -o "$tmp/lud.rlo" && exits 0 "$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml --per-kernel --by-line --proofs --json "$tmp/values.json" &&
	grep -q '^result   PASS' "$tmp/out" && [ "$(grep -c 'no byte alike' "$tmp/out")" = 5 ] && grep -q 'lud.cl:96 ' "$tmp/out" && test/schema.py "$tmp/values.json" docs/values.schema.json &&
	"$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml --by-line --proofs -q --json - > "$tmp/values2.json" && cmp "$tmp/values.json" "$tmp/values2.json" &&
	"$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml -q --warp 64 --proofs --json "$tmp/wide.json" && test/schema.py "$tmp/wide.json" docs/values.schema.json &&
	python3 - "$tmp/values.json" "$tmp/wide.json" <<-'PY'
		import json, sys
		v, w = (json.load(open(f)) for f in sys.argv[1:])
		def flat(x): return [n for k, y in x.items() if k not in ("lines", "lanes_of_warp") for n in (flat(y) if isinstance(y, dict) else [y])]
		for x in (v, w):
		    t = x["total"]
		    assert flat(t) == [sum(c) for c in zip(*(flat(k) for k in x["kernels"].values()))] and len(x["kernels"]) == 4
		    assert 0 < t["scalar"]["divergent"] <= t["divergent"] and sum(t["scalar"].values()) < t["warp_instructions"]
		    assert all(p["both"] <= min(p["found"], p["proven"]) for p in t["proofs"].values() if isinstance(p, dict)) and t["proofs"]["compared"] > t["proofs"]["launches_apart"] == 0 and t["proofs"]["alu"]["both"] > 0
		    assert t["needed_lanes"] < t["active_lanes"] and 0 < t["stored"]["parts"]["bytes"] < 4 * t["lanes_of_warp"] * t["writes"]
		for k in v["kernels"].values():
		    for column, of in (("issued", "warp_instructions"), ("divergent", "divergent"), ("active_lanes", "active_lanes"), ("needed_lanes", "needed_lanes")):
		        assert sum(l[column] for l in k["lines"]) == k[of], column
		    assert sum(l["proven"] for l in k["lines"]) == sum(p["both"] for p in k["proofs"].values() if isinstance(p, dict))
		assert v["total"]["active_lanes"] == w["total"]["active_lanes"] and w["total"]["warp_instructions"] < v["total"]["warp_instructions"]
	PY
}
t "values: sums, lines, the schema, the same again" values_sums
values_text() {
	exits 0 "$M" values "$tmp/lud.rlo" --launch examples/lud/lud.yaml --by-line && same test/golden/values.txt "$tmp/out"
}
t "values: the report" values_text
values_races() { # two warps that read one address at different times are no error as one of 64 lanes
	cat > "$tmp/race.ptx" <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry k(.param .u64 out)
		{
		.reg .b32 %r<9>; .reg .b64 %d<3>; .shared .align 4 .b32 sh[1];
		ld.param.u64 %d0, [out];
		mov.u32 %r0, sh;
		mov.u32 %r4, %warpid;
		ld.volatile.shared.u32 %r1, [%r0];
		add.u32 %r2, %r1, %r4;
		add.u32 %r2, %r2, 1;
		st.volatile.shared.u32 [%r0], %r2;
		ld.volatile.shared.u32 %r3, [%r0];
		mov.u32 %r5, %tid.x;
		mul.wide.u32 %d1, %r5, 4;
		add.u64 %d2, %d0, %d1;
		st.global.u32 [%d2], %r3;
		exit;
		}
	PTX
	printf 'buffers:\n  - {name: o, type: u32, count: 128}\nlaunches:\n  - {kernel: k, grid: [3], block: [128], args: [{buffer: o}]}\n  - {kernel: k, grid: [3], block: [16,3], args: [{buffer: o}]}\n' > "$tmp/race.yaml"
	exits 0 "$A" "$tmp/race.ptx" -q -o "$tmp/race.rlo" --block=128 && exits 0 "$M" values "$tmp/race.rlo" --launch "$tmp/race.yaml" --warp 64 --proofs &&
	grep -q 'all lanes that execute; [1-9][0-9]* values compared$' "$tmp/out" &&
	[ "$(grep -c 'annotated for blocks of' "$tmp/out")" = 1 ] && grep -q '^  launch 1, k in blocks of 16,3,1: annotated for blocks of 128,1,1, so nothing of this launch is compared$' "$tmp/out"
}
t "values: two warps of different times as one, launches in other blocks" values_races
values_errors() {
	local lud="$tmp/lud.rlo --launch examples/lud/lud.yaml"
	exits 2 "$M" values && exits 2 "$M" values $lud --warp 16 && says "--warp wants 32 or 64, not '16'" && exits 2 "$M" values $lud --rf g-scalar && says "unknown option" &&
	exits 2 "$M" values $lud --json "$tmp/lud.rlo" && says "would overwrite" && exits 0 "$M" values --help &&
	exits 0 "$M" values $lud --max-insns 1000 --json "$tmp/part.json" && says "the limit of 1000 warp instructions" &&
	test/schema.py "$tmp/part.json" docs/values.schema.json && grep -q '"warp_instructions": 1000' "$tmp/part.json" && grep -q '"check": "partial"' "$tmp/part.json"
}
t "values: wrong use, a limit" values_errors
path() { # the thread's instructions are those that the profile counts, of a kernel of one warp; a thread that is not there has none
	"$A" examples/reduction/reduction.ptx -q -o "$tmp/reduction.rlo" &&
	exits 0 "$M" usage "$tmp/reduction.rlo" --launch examples/reduction/reduction.yaml -q --path "$tmp/path.csv" --path-thread 300 &&
	exits 0 "$M" usage "$tmp/reduction.rlo" --launch examples/reduction/reduction.yaml -q --path "$tmp/far.csv" --path-thread 99999999 &&
	[ "$(wc -l < "$tmp/far.csv")" = 1 ] && "$A" examples/reduction/reduction.ptx -q --emit=json > "$tmp/reduction.json" &&
	python3 - "$tmp/path.csv" "$tmp/reduction.json" <<-'PY'
		import csv, json, sys
		of = {k["name"]: k["instructions"] for k in json.load(open(sys.argv[2]))["kernels"]}
		rows = list(csv.DictReader(open(sys.argv[1], newline="")))
		assert len(rows) > 50 and int(rows[0]["instruction"]) == 0, rows[:3]
		for a, b in zip(rows, rows[1:]):        # goes on with the next one, or to the begin of a block
		    if (a["launch"], a["round"]) != (b["launch"], b["round"]):
		        assert b["instruction"] == "0" and a["kernel"] in of, (a, b)
		        continue
		    i, j, insn = int(a["instruction"]), int(b["instruction"]), of[a["kernel"]]
		    begins = j == 0 or insn[j]["block"] != insn[j - 1]["block"]
		    assert begins or all(insn[x]["text"].startswith("@") for x in range(i + 1, j)) and j > i, (a, b)
	PY
}
t "usage --path: what one thread executes" path
usage_errors() {
	exits 2 "$M" usage && exits 2 "$M" usage "$tmp/lud.rlo" && exits 2 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --rf issue=lrr && says "unknown option" &&
	exits 1 "$M" usage "$tmp/none.rlo" --launch examples/lud/lud.yaml && says "cannot open" &&
	exits 2 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --json "$tmp/lud.rlo" && says "would overwrite" &&
	exits 1 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --json "$tmp/none/u.json" &&
	exits 0 "$M" usage "$tmp/lud.rlo" --launch examples/lud/lud.yaml --max-insns 1000 --json "$tmp/part.json" && says "the limit of 1000 warp instructions" &&
	test/schema.py "$tmp/part.json" docs/usage.schema.json && grep -q '"warp_instructions": 1000' "$tmp/part.json" && grep -q '"check": "partial"' "$tmp/part.json" &&
	exits 0 "$M" usage --help
}
t "usage: errors and limits" usage_errors
series() { # the intervals sum to the metrics, and are the same in both forms
	"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml -q --interval 300 --json "$tmp/run.json" --series "$tmp/run.csv" &&
	test/schema.py "$tmp/run.json" docs/run.schema.json && python3 - "$tmp/run.json" "$tmp/run.csv" <<-'PY'
		import csv, json, sys
		run, rows = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))
		t = run["intervals"]
		assert t["interval"] == 300 and len(t["rows"]) == len(rows) > 3 and len(t["units"]) == len(t["columns"])
		for c, name in enumerate(t["columns"]):
		    for x, y in zip(t["rows"], rows):
		        assert str(x[c]) == y[name] or (x[c] is None and y[name] == "") or abs(float(x[c]) - float(y[name])) <= 1e-8 * abs(float(x[c])), (name, x[c], y[name])
		counters = [m for m, v in run["metrics"].items() if isinstance(v["value"], int)]
		assert "cycles" in counters and "dram_reads" in counters and "slots_memory" in counters
		for m in counters:
		    assert sum(int(r[m]) for r in rows) == run["metrics"][m]["value"], m
	PY
}
t "the metrics of the intervals sum to those of the run" series
series_usage() {
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --interval 0 --json - && says "1 cycle or more" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --interval 10 && says "--series or --json" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --functional --series "$tmp/no.csv" && says "--functional" &&
	leaves_nothing "$tmp/no.csv" &&
	exits 1 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --series /nonexistent/x.csv && says "/nonexistent/x.csv"
}
t "--interval and --series are refused where they mean nothing" series_usage
explained() { # everything sums to the slots; the same at any number of threads, and of a run that stops
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml)
	"${run[@]}" --explain=all --threads 1 --json "$tmp/e1.json" > "$tmp/e1.txt" && "${run[@]}" --explain=all --threads 3 --json "$tmp/e3.json" > "$tmp/e3.txt" &&
	cmp "$tmp/e1.json" "$tmp/e3.json" && cmp "$tmp/e1.txt" "$tmp/e3.txt" && test/schema.py "$tmp/e1.json" docs/run.schema.json &&
	for w in 'where issue slots went' 'saxpy.ptx:' 'mad.lo.s32' 'results waited for most' 'memory instructions, by cycles' 'lines 1.0/1.0' 'register-file banks' 'occupancy: blocks of'; do
		grep -qF -- "$w" "$tmp/e1.txt" || { echo "no '$w'"; return 1; }
	done
	"${run[@]}" --explain --max-cycles 700 --json "$tmp/e0.json" > "$tmp/e0.txt" && grep -q 'where issue slots went' "$tmp/e0.txt" &&
	python3 - "$tmp/e1.json" "$tmp/e0.json" <<-'PY'
		import collections, json, sys
		def total(list, key):
		    sum = collections.Counter()
		    for x in list: sum.update(x[key])
		    return sum
		for run in (json.load(open(f)) for f in sys.argv[1:]):
		    k, m = run["explain"]["kernels"][0], {n: v["value"] for n, v in run["metrics"].items()}
		    assert k["cycles"] == m["cycles"] and all(m["slots_" + r] == n for r, n in k["slots"].items())
		    assert sum(k["slots"].values()) == m["issue_slots"] and sum(k["warp_cycles"].values()) == m["resident_warp_cycles"]
		    here = collections.Counter(k["slots"])
		    assert total(k["sms"], "slots") == here
		    here.pop("empty", 0)
		    for part in "lines instructions warps warp_slots".split():
		        assert total(k[part], "slots") == here, part
		        assert total(k[part], "warp_cycles") == collections.Counter(k["warp_cycles"]), part
		    waited = sum(here[r] for r in ("scoreboard", "memory", "drain"))
		    for part in "lines instructions".split():
		        assert sum(x["slots_for"] for x in k[part]) + k["slots_for_none"] == waited, part
		        lines = sum((collections.Counter(x["memory"]) for x in k[part] if "memory" in x), collections.Counter())
		        assert lines["times"] == m["mem_instructions"] and lines["stores"] == m["l1_writes"] and lines["lines"] > 0
		        assert sum(x["bank_cycles"] for x in k[part]) == sum(b["read_cycles"] + b["write_cycles"] for b in k["banks"])
		    assert sum(b["reads"] for b in k["banks"]) == m["rf_reads"] and sum(b["reads_delayed"] for b in k["banks"]) == m["rf_bank_conflicts"]
	PY
}
t "--explain adds up to the counters, at any number of threads" explained
explained_stopped() { # wherever it is stopped: accesses that wait then are counted, though their bank has not taken them
	local rf n
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/sgemm.rlo" || return 1
	for rf in baseline corf++ wir-rlpv; do
		for n in 777 5000 9999 12345; do
			exits 0 "$M" run "$tmp/sgemm.rlo" --launch examples/sgemm/sgemm.yaml --rf "$rf" --max-cycles "$n" --explain --quiet --json "$tmp/stopped.json" && grep -q '"check": "partial"' "$tmp/stopped.json" || return 1
		done
	done
}
t "--explain of a run that is stopped" explained_stopped
explained_reuse() { # repeats by reason, line and instruction sum; a page for people; not part of what --explain prints by itself
	local e
	for e in sobel kmeans; do
		"$A" "examples/$e/$e.ptx" -q -o "$tmp/r.rlo" &&
		"$M" run "$tmp/r.rlo" --launch "examples/$e/$e.yaml" --explain=reuse --json "$tmp/r.json" > "$tmp/r.txt" && test/schema.py "$tmp/r.json" docs/run.schema.json &&
		sed -n '/^explain/,$p' "$tmp/r.txt" > "$tmp/out" && same "test/golden/reuse/$e.txt" "$tmp/out" && python3 - "$tmp/r.json" <<-'PY' || return 1
			import collections, json, sys
			run = json.load(open(sys.argv[1]))
			for k in run["explain"]["kernels"]:
			    total = k["repeats"]
			    assert total["issued"] == run["kernels"][k["kernel"]]["metrics"]["warp_instructions"]["value"]
			    for part in "lines instructions".split():
			        some = [x["repeats"] for x in k[part] if "repeats" in x]
			        for c in "issued repeated often".split():
			            assert sum(x[c] for x in some) == total[c], (part, c)
			        assert total["why"] == sum((collections.Counter(x["why"]) for x in some), collections.Counter())
			        assert len(some) and all(x["repeated"] == sum(x["why"].values()) and x["often"] <= x["repeated"] <= x["issued"] for x in some)
			    assert k["sampled_repeats"]["repeated"] >= k["sampled_repeats"]["often"] and k["sampled_repeats"]["repeated"] <= total["repeated"]
		PY
	done
	"$M" run "$tmp/r.rlo" --launch examples/kmeans/kmeans.yaml --explain --json "$tmp/r.json" > "$tmp/out" && ! grep -q 'repeated comp' "$tmp/out" && ! grep -q '"repeats"' "$tmp/r.json"
}
t "--explain=reuse: repeats sum, and the page" explained_reuse
became() { # under each reuse: what became of repeats sums to them, and to what was reused
	local rf
	"$A" examples/hotspot/hotspot.ptx -q -o "$tmp/r.rlo" || return 1
	for rf in wir-r wir-rlpv wir-novsb; do
		"$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf "$rf" --explain=reuse,listing --json "$tmp/r.json" > "$tmp/r.txt" &&
		grep -q 'what the register file made of them' "$tmp/r.txt" && grep -q 'else mostly' "$tmp/r.txt" && grep -q 'reads or writes predicates' "$tmp/r.txt" &&
		test/schema.py "$tmp/r.json" docs/run.schema.json && python3 - "$tmp/r.json" "$rf" <<-'PY' || return 1
			import collections, json, sys
			run = json.load(open(sys.argv[1]))
			k = run["explain"]["kernels"][0]
			total = k["became"]
			for part in "lines instructions".split():
			    some = [x for x in k[part] if "became" in x]
			    assert total["repeated"] == sum((collections.Counter(x["became"]["repeated"]) for x in some), collections.Counter())
			    assert total["reused_beyond"] == sum(x["became"]["reused_beyond"] for x in some)
			    assert all(sum(x["became"]["repeated"].values()) == x["repeats"]["repeated"] for x in some)
			kinds = k["became_kinds"]
			assert sum(kinds.values()) == total["repeated"]["kind"] and {"predicate", "special_register"} <= set(kinds), kinds
			assert ("load" in kinds) == ("rlpv" not in sys.argv[2]), kinds
			assert sum(total["repeated"].values()) == k["repeats"]["repeated"] and "open" not in total["repeated"]
			found = sum(total["repeated"].get(n, 0) for n in ("reused", "reused_late")) + total["reused_beyond"]
			assert found == run["metrics"]["reused_instructions"]["value"] > 0
		PY
	done
	exits 0 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf wir-rlpv --explain=reuse --max-cycles 2000 && grep -q 'the run was stopped before' "$tmp/out"
}
t "--explain=reuse: what became of repeats" became
reuse_section() { # the page says unasked what was reused; without reuse it has no such section. Names in another order are found
	exits 0 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf wir-rlpv && grep -Eq '^  reuse_rate +0\.0[0-9]+ +0\.0000 +- ratio ' "$tmp/out" &&
	grep -Eq '^  dummy_moves +0 +0 ' "$tmp/out" && grep -Eq '^  verify_reads +[1-9]' "$tmp/out" && grep -Eq '^  reuse_races +0 +0 ' "$tmp/out" &&
	[ "$(grep -c '^reuse$' "$tmp/out")" = 1 ] && exits 0 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --machine wir --rf affine &&
	! grep -q '^reuse$\|reuse_rate' "$tmp/out" && exits 2 "$M" run "$tmp/r.rlo" --launch examples/hotspot/hotspot.yaml --rf wir-rlpv+affine &&
	says "did you mean affine+wir-rlpv?" && exits 0 "$M" run --help && grep -q -- '--rf CONFIG .*sm-model list rf' "$tmp/out"
}
t "what was reused, unasked" reuse_section
explained_levels() { # the listing has the shares that the JSON has, and no column for them where there is no hierarchy
	local run=("$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --machine hierarchical-rf --explain=listing)
	exits 0 "${run[@]}" && ! grep -q 'upper   memory' "$tmp/out" && exits 0 "${run[@]}" --rf rfc --json "$tmp/e.json" && grep -q 'waited for  upper   memory$' "$tmp/out" &&
	python3 - "$tmp/e.json" "$tmp/out" <<-'PY'
		import json, re, sys
		want = {i["index"]: i.get("operands_from") for i in json.load(open(sys.argv[1]))["explain"]["kernels"][0]["instructions"]}
		lines = [(m[1], int(m[2])) for m in (re.match(r"(.*?)\[(\d{4})\]  ", l) for l in open(sys.argv[2])) if m]
		assert len(lines) == len(want) and any(want.values())
		for text, i in lines:
		    from_, shown = want[i], text[69:78].strip()
		    assert shown == (f"{100 * (from_['l1'] + from_['l0']) / sum(from_.values()):.2f}%" if from_ else ""), (i, text, from_)
	PY
}
t "the listing of --explain has the share of upper levels" explained_levels
explain_usage() {
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain=nonsense && says "there is no 'nonsense'" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain --functional && says "--functional" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain --explain=sms && says "twice" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain slot && says "'slot'; a value of --explain follows an equals sign" &&
	exits 2 "$M" run --explain slot "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml && says "a value of --explain follows" &&
	exits 2 "$M" run --explain reuse,nonsense "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml && says "there is no 'nonsense'" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain nonsense,reuse && says "there is no 'nonsense'" &&
	exits 0 "$M" run --help && grep -q -- '--explain\[=LIST\].*next word' "$tmp/out" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain= && says "lacks what follows" &&
	exits 2 "$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain=all -q && says "--json"
}
t "--explain is refused where it means nothing" explain_usage
explain_word() { # sections as the next word, before and behind the object
	"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain=sms,banks > "$tmp/e.equals" &&
		"$M" run "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml --explain sms,banks | cmp - "$tmp/e.equals" &&
		"$M" run --explain sms,banks "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml | cmp - "$tmp/e.equals" &&
		cp "$tmp/file.rlo" "$tmp/sms,rlo" && (m=$(realpath "$M"); cd "$tmp" && "$m" run --explain sms,rlo --launch "$OLDPWD/examples/saxpy/saxpy.yaml") > "$tmp/e.named" && grep -q '^explain' "$tmp/e.named" &&
		"$M" run --explain "$tmp/file.rlo" --launch examples/saxpy/saxpy.yaml > "$tmp/e.bare" && ! cmp -s "$tmp/e.bare" "$tmp/e.equals"
}
t "--explain takes names of sections as the next word" explain_word
hints() { # ways to choose, what they say, and that an object keeps it
	for way in paper default exact; do
		"$A" examples/btree/btree.ptx --kernel=btree_count --align=$way --pairs=matching -q -o "$tmp/h.rlo" &&
			"$A" "$tmp/h.rlo" --emit=json > "$tmp/h.$way.json" && test/schema.py "$tmp/h.$way.json" docs/annotate.schema.json || return 1
	done
	"$A" "$tmp/h.rlo" --emit=listing | grep -q '/\*corf++\*/' && "$A" "$tmp/h.rlo" --emit=dot --graph=affinity | grep -q 'R0 -- R1 ' &&
	python3 - "$tmp" <<-'PY'
		import json, sys
		h = {w: json.load(open(f"{sys.argv[1]}/h.{w}.json"))["kernels"][0]["corf"] for w in ("paper", "default", "exact")}
		for w, x in h.items():
		    a, p = x["alignment"], x["pairs"]
		    assert a["method"] == w and p["method"] == "matching" and p["kept"] == p["matching_kept"] > p["greedy_kept"]
		    assert a["kept"] + a["lost"] == x["total"] == sum(e["weight"] for e in x["affinity"])
		    assert a["gap"] == a["lost"] - a["bound"] and a["bound"] <= h["exact"]["alignment"]["lost"] <= a["lost"]
		assert h["exact"]["alignment"]["gap"] == 0
	PY
}
t "CORF's hints, by each way to choose them" hints
hints_usage() {
	for wrong in --pairs=best --align=left --align-time=3 "--align=exact --align-time=0" --graph=affinity "--emit=dot --graph=calls"; do
		# shellcheck disable=SC2086
		exits 2 "$A" examples/saxpy/saxpy.ptx $wrong -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" || return 1
	done
	exits 1 "$A" "$tmp/h.rlo" --pairs=greedy --emit=summary && says "its code is compiled"
}
t "options of the hints are refused where they mean nothing" hints_usage
# ---- the register-file hierarchy of the compiler ----
orf_views() { # an object keeps the places; the best allocation is at least as good; pictures are graphs
	for way in "" --orf-exact=20; do
		# shellcheck disable=SC2086
		"$A" examples/dct8x8/dct8x8.ptx --orf-entries=2 $way -q -o "$tmp/orf.rlo" && "$A" "$tmp/orf.rlo" --emit=json > "$tmp/orf$way.json" &&
			test/schema.py "$tmp/orf$way.json" docs/annotate.schema.json || return 1
	done
	"$A" "$tmp/orf.rlo" --emit=listing --orf=orf | grep -q 'R[0-9]*->ORF[01]' && ! "$A" "$tmp/orf.rlo" --emit=listing --orf=orf | grep -q '[->]LRF[0-9]' &&
	"$A" "$tmp/orf.rlo" --emit=listing | grep -q 'R[0-9]*<-LRF[0-2]' && "$A" "$tmp/orf.rlo" --emit=summary | grep -q 'the best allocation saves' &&
	"$A" "$tmp/orf.rlo" --emit=dot --graph=orf --orf=lrf+orf | grep -q '<b>LRF</b>' &&
	{ ! command -v dot > /dev/null || "$A" "$tmp/orf.rlo" --emit=dot --graph=orf | dot -Tsvg > "$tmp/orf.svg" 2> "$tmp/err"; } && [ ! -s "$tmp/err" ] &&
	python3 - "$tmp" <<-'PY'
		import json, sys
		greedy, exact = (json.load(open(f"{sys.argv[1]}/orf{w}.json"))["kernels"][0] for w in ("", "--orf-exact=20"))
		for org in ("orf", "lrf+orf", "split-lrf+orf"):
		    x = exact["orf"][org]
		    assert 0 < x["greedy_pj"] <= x["saved_pj"] <= x["bound_pj"] and "greedy_pj" not in greedy["orf"][org]
		    for k in greedy, exact:
		        t = k["orf"][org]
		        names = [n for i in k["instructions"] for n in i["places"][org]]
		        assert sum(t["reads"].values()) == t["operands_read"] and t["access_pj"] + t["wire_pj"] < t["without_pj"]
		        assert sum(t["writes"].values()) == t["operands_written"] + t["fills"] + t["both"]
		        assert t["encoding"]["second_sources"] == sum("=>" in n for n in names)
		        assert t["encoding"]["second_results"] == sum("+MRF" in n for n in names)
		    for k in (greedy, exact):
		        for i in k["instructions"]:
		            p = i["places"]
		            assert len(p[org]) == len(p["reads"]) + len(p["writes"]) == len(p["why_mrf"][org])
		            assert all((x == "MRF") == (y is not None) for x, y in zip(p[org], p["why_mrf"][org]))
		assert greedy["orf"]["entries"] == 2 and greedy["orf"]["cost_entries"] == 2
	PY
}
t "places of operands: object, listing, JSON, picture" orf_views
orf_usage() {
	for wrong in --orf-entries=0 --orf-entries=9 --orf-warps=65 --orf-cost-entries=x --orf-writes=two --orf-ranges=long --orf-weights=most \
	             --orf-exact=0 --orf-exact=x "--emit=listing --orf=lru" --orf=lrf --orf=split-lrf+orf "--emit=dot --orf=lrf" --no-orf-partial=1; do
		# shellcheck disable=SC2086
		exits 2 "$A" examples/saxpy/saxpy.ptx $wrong -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" || return 1
	done
	exits 1 "$A" "$tmp/orf.rlo" --orf-entries=4 --emit=summary && says "its code is compiled"
}
t "options of the hierarchy are refused where they mean nothing" orf_usage
# ---- occupancy, and the machine that it is for ----
occupancy() {
	exits 0 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --block 16,16 && "$A" examples/sgemm/sgemm.ptx --emit=occupancy | grep -q 'sgemm on gtx480: 17 registers a thread (20 allocated)' &&
	"$A" examples/sgemm/sgemm.ptx --emit=occupancy --block 16,16 --set rf_registers=16384 > "$tmp/half" &&
	grep -q '^ *256 *3 *24 *50%  registers .*at most 16 registers a thread (17 now)' "$tmp/half" &&
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/occ.rlo" && "$A" "$tmp/occ.rlo" --emit=occupancy --block 16,16 --set rf_registers=16384 > "$tmp/object" &&
	[ "$(head -6 "$tmp/object")" = "$(head -6 "$tmp/half")" ] &&
	exits 1 "$A" "$tmp/occ.rlo" --emit=summary --machine regmutex && says 'is an object' &&
	"$A" examples/lavamd/lavamd.ptx --emit=json --block 128 --machine regmutex > "$tmp/occ.json" && test/schema.py "$tmp/occ.json" docs/annotate.schema.json &&
	python3 - "$tmp/occ.json" <<-'PY'
		import json, sys
		o = json.load(open(sys.argv[1]))["kernels"][0]["occupancy"]
		assert o["machine"] == "regmutex" and [b["threads"] for b in o["blocks"]] == [128]
		b = o["blocks"][0]
		assert len(b["sizes"]) >= 2 and sum(s["chosen"] for s in b["sizes"]) <= 1
		for s in b["sizes"]:
		    assert s["base"] + s["extended"] == o["allocated"] and s["warps"] == 4 * s["ctas"]
		    assert s["warps"] * s["base"] + s["sections"] * s["extended"] <= o["rf_registers"] // 32 and s["sections"] >= 1
		    assert s["warps"] >= b["warps"] and (not s["chosen"] or s["legal"])
	PY
}
t "occupancy of a kernel and a machine, of an object too" occupancy
machine_usage() {
	for wrong in --machine=gtx48 --set=rf_register=1 --set=rf_registers=5 --set=rf_registers --regmutex=0 --regmutex=254 --regmutex=some --regmutex-place=past \
	             --regmutex-liveness=war --regmutex-rules=no; do
		exits 2 "$A" examples/saxpy/saxpy.ptx "$wrong" -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" || return 1
	done
	exits 2 "$A" examples/saxpy/saxpy.ptx --machine=gtx48 && says 'did you mean gtx480?' &&
	exits 2 "$A" examples/lud/lud.ptx --regmutex-kernel=lud_rest --emit=summary && says 'give N' &&
	exits 1 "$A" examples/lud/lud.ptx --regmutex=4 --regmutex-kernel=lud --emit=summary && says 'there is no kernel of that name' &&
	exits 1 "$A" examples/lud/lud.ptx --regmutex=60 --regmutex-kernel=lud_rest --emit=summary && says 'lud_rest: error: --regmutex=60 is not legal' &&
	exits 0 "$A" examples/lud/lud.ptx --regmutex=8 --regmutex-kernel=lud_diagonal --emit=summary || return 1
	exits 2 "$A" examples/saxpy/saxpy.ptx --regmutex-place=past && says 'did you mean cost?' || return 1
	exits 0 "$A" examples/saxpy/saxpy.ptx --set=sms=1 --emit=summary -o "$tmp/sum" && says 'changes nothing here' && exits 1 "$A" "$tmp/orf.rlo" --regmutex=off --emit=summary
}
t "machines, parameters and ways to share registers are known by name" machine_usage
# ---- block weights: facts about a launch, and profiles ----
trip_counts() {
	"$A" examples/sgemm/sgemm.ptx --emit=summary | grep -q 'loops .*BB0_2, sgemm.cl:15: 8 iterations (assumed)' &&
	"$A" examples/sgemm/sgemm.ptx --emit=summary --param sgemm_param_4=0x200 | grep -q ': 32 iterations (static)' &&
	"$A" examples/sgemm/sgemm.ptx --emit=listing --param=sgemm_param_4=512 | grep -q 'BB0_2:  // loop depth 1, 32 iterations (static)' &&
	"$A" examples/histogram/histogram.ptx --emit=summary --block 128 --grid 2,1 --param histogram_param_2=1000 | grep -q '3.91 iterations (mean)' &&
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/plain.rlo" && "$A" examples/sgemm/sgemm.ptx --emit=json --param sgemm_param_4=512 > "$tmp/trip.json" &&
	test/schema.py "$tmp/trip.json" docs/annotate.schema.json && grep -q '"iterations":32.0,"source":"static"' "$tmp/trip.json" &&
	"$A" examples/sgemm/sgemm.ptx -q -o "$tmp/told.rlo" --param sgemm_param_4=512 --block 16,16 --grid 8,8 &&
	objdump -s -j .text.sgemm "$tmp/plain.rlo" | tail -n +4 > "$tmp/plain.text" && objdump -s -j .text.sgemm "$tmp/told.rlo" | tail -n +4 | cmp - "$tmp/plain.text"
}
t "what is known of a launch gives trip counts, and the same code" trip_counts
launched() { # of each kernel its own block; the run that the object was made for has nothing to remark, another has
	local on="--launch examples/dwt2d/dwt2d.yaml" of="examples/dwt2d/dwt2d.ptx --machine regmutex --regmutex=paper"
	# shellcheck disable=SC2086
	"$A" $of $on --emit=json > "$tmp/dwt.json" && python3 - "$tmp/dwt.json" <<-'PY' &&
		import json, sys
		k = {k["name"]: k for k in json.load(open(sys.argv[1]))["kernels"]}
		assert {n: [b["threads"] for b in x["occupancy"]["blocks"]] for n, x in k.items()} == {"dwt_rows": [128], "dwt_columns": [192]}
		assert [l["source"] for l in k["dwt_rows"]["loops"]] == ["static"] and k["dwt_columns"]["regmutex"]["threads"] == 192
	PY
	exits 0 "$A" $of $on -o "$tmp/dwt.rlo" && grep -qF 'in turn 14 of 40' "$tmp/out" &&
	exits 0 "$M" run "$tmp/dwt.rlo" $on --machine regmutex --rf regmutex -q && [ ! -s "$tmp/err" ] &&
	exits 0 "$A" $of -q -o "$tmp/dwt.rlo" && exits 0 "$M" run "$tmp/dwt.rlo" $on --machine regmutex --rf regmutex -q &&
	says 'dwt_columns share, 14 registers, was chosen for CTAs of one warp, and those launched are of 192 threads: annotate with the same --launch' || return 1
	# what is said goes first; dynamic shared memory counts, of an object too
	# shellcheck disable=SC2086
	exits 0 "$A" $of $on --block 64 --emit=occupancy && grep -qF 'in CTAs of 64 threads' "$tmp/out" && ! grep -q 'CTAs of 1' "$tmp/out" &&
	sed 's/^    block: \[32, 6\]/&\n    shared_bytes: 24000/' examples/dwt2d/dwt2d.yaml > "$tmp/dynamic.yaml" &&
	exits 0 "$A" $of --launch "$tmp/dynamic.yaml" --emit=occupancy && grep -qF '24768 bytes of shared memory a CTA (24000 of them by the launch)' "$tmp/out" &&
	grep -q '^ *192 *1 *6 *12%  shared memory' "$tmp/out" && exits 0 "$A" "$tmp/dwt.rlo" --machine regmutex --launch "$tmp/dynamic.yaml" --emit=occupancy && grep -qF '24000 of them' "$tmp/out" || return 1
	# one of the kernels alone; wrong launch files; not for objects
	# shellcheck disable=SC2086
	exits 0 "$A" $of $on --kernel dwt_rows --emit=occupancy && grep -qF 'CTAs of 128 threads' "$tmp/out" &&
	exits 1 "$A" examples/saxpy/saxpy.ptx $on -o "$tmp/no.rlo" && says "dwt2d.yaml:9:14: error: the module has no kernel 'dwt_rows'; it has saxpy" &&
	leaves_nothing "$tmp/no.rlo" && exits 1 "$A" examples/saxpy/saxpy.ptx --launch README.md -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" &&
	exits 1 "$A" examples/saxpy/saxpy.ptx --launch "$tmp/none.yaml" -o "$tmp/no.rlo" && leaves_nothing "$tmp/no.rlo" &&
	exits 1 "$A" "$tmp/dwt.rlo" $on --emit=summary && says 'come too late' && exits 2 "$A" - --launch - --emit=summary < /dev/null && says 'cannot both' &&
	cp "$tmp/dynamic.yaml" "$tmp/same.yaml" && exits 2 "$A" $of --launch "$tmp/same.yaml" -o "$tmp/same.yaml" && says 'would be overwritten' && cmp -s "$tmp/dynamic.yaml" "$tmp/same.yaml" &&
	sed -i '0,/block: \[128\]/s//block: [64]/' "$tmp/same.yaml" && exits 0 "$A" $of --launch "$tmp/same.yaml" --emit=occupancy &&
	says 'note: kernel dwt_rows is launched with blocks of 64,1,1, later of 128,1,1; it is annotated for the first'
}
t "a launch file says what is known of each kernel's launches" launched
trip_usage() {
	for o in --block=0 --block=x --block=16,16,16 --block=1,2,3,4 --grid=1,70000 --grid= --param=n --param==3 --param=n=x --param=n=3.5 --param=n=99999999999999999999; do
		exits 2 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" "$o" && says "${o%%=*}" && leaves_nothing "$tmp/x.rlo" || return 1
	done
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_44=3 && says "did you mean sgemm_param_4?" && leaves_nothing "$tmp/x.rlo" &&
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_5=3 && says "is no integer (f32)" &&
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_4=4294967296 && says "does not fit" &&
	exits 1 "$A" examples/sgemm/sgemm.ptx -o "$tmp/x.rlo" --param sgemm_param_4=1 --param sgemm_param_4=2 && says "given twice"
}
t "facts about a launch that cannot be are refused" trip_usage
facts_of_an_object() { # its hints are chosen already
	for o in --block=32 --grid=2 --param=sgemm_param_4=3 --profile=README.md; do
		exits 1 "$A" "$tmp/plain.rlo" "$o" --emit=summary && says "come too late" && exits 1 "$A" "$tmp/plain.rlo" "$o" -o "$tmp/x.rlo" &&
			leaves_nothing "$tmp/x.rlo" || return 1
	done
}
t "facts about a launch and profiles are refused of an object" facts_of_an_object
profiled() { # annotate, run, annotate with what the run counted
	local on="--launch examples/lud/lud.yaml"
	"$A" examples/lud/lud.ptx -q -o "$tmp/lud.rlo" && "$M" run "$tmp/lud.rlo" $on --functional --quiet --profile "$tmp/f.prof" &&
	exits 0 "$M" run "$tmp/lud.rlo" $on --quiet --profile "$tmp/t.prof" && cmp "$tmp/f.prof" "$tmp/t.prof" &&
	test/schema.py "$tmp/f.prof" docs/profile.schema.json &&
	exits 0 "$A" examples/lud/lud.ptx -o "$tmp/lud2.rlo" --profile "$tmp/f.prof" && grep -q 'block weights *counted by the profile' "$tmp/out" &&
	grep -q '15 iterations (profile)' "$tmp/out" && exits 0 "$M" run "$tmp/lud2.rlo" $on --functional --quiet --profile "$tmp/again.prof" &&
	cmp "$tmp/f.prof" "$tmp/again.prof" &&
	"$A" examples/lud/lud.ptx --emit=json --profile "$tmp/f.prof" > "$tmp/lud.json" && test/schema.py "$tmp/lud.json" docs/annotate.schema.json &&
	python3 - "$tmp/lud.json" "$tmp/f.prof" <<-'PY'
		import json, sys
		view, prof = (json.load(open(f)) for f in sys.argv[1:3])
		by = {k["name"]: k for k in view["kernels"]}
		for k in prof["kernels"]:
		    assert by[k["name"]]["block_weights"] == "profile"
		    assert [b["executions"] for b in by[k["name"]]["blocks"]] == k["executions"]
	PY
}
t "annotate, run --profile, annotate --profile" profiled
profile_sums() { # blocks times their instructions are the instructions that ran
	"$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml --functional --json "$tmp/lud.run" --quiet && "$A" "$tmp/lud.rlo" --emit=json > "$tmp/lud.json" &&
	python3 - "$tmp/lud.json" "$tmp/f.prof" "$tmp/lud.run" <<-'PY'
		import json, sys
		view, prof, run = (json.load(open(f)) for f in sys.argv[1:4])
		by = {k["name"]: k for k in view["kernels"]}
		n = sum(b["instructions"] * e for k in prof["kernels"] for b, e in zip(by[k["name"]]["blocks"], k["executions"]))
		assert n == run["metrics"]["warp_instructions"]["value"], n
	PY
}
t "a profile adds up to the instructions that were executed" profile_sums
schedules() { # three ways; none is --no-schedule
	for way in latency orf none; do exits 0 "$A" examples/sgemm/sgemm.ptx --schedule=$way -o "$tmp/$way.rlo" || return 1; done
	exits 0 "$A" examples/sgemm/sgemm.ptx --no-schedule -o "$tmp/no.rlo" && cmp "$tmp/no.rlo" "$tmp/none.rlo" &&
	exits 0 "$A" examples/sgemm/sgemm.ptx -o "$tmp/no.rlo" && cmp "$tmp/no.rlo" "$tmp/latency.rlo" && ! cmp -s "$tmp/no.rlo" "$tmp/orf.rlo" &&
	exits 2 "$A" examples/sgemm/sgemm.ptx --schedule=fast && says "--schedule=fast is no order of instructions: none, latency or orf" &&
	exits 2 "$A" examples/sgemm/sgemm.ptx --schedule=orf --no-schedule && says "contradicts --schedule=orf" &&
	exits 0 "$M" run "$tmp/orf.rlo" --checked --machine hierarchical-rf --rf issue=two-level,hierarchy=split-lrf+orf --launch examples/sgemm/sgemm.yaml
}
t "instructions are reordered for latency, for an ORF, or not" schedules
proved_for() {
	local run=("$M" run "$tmp/proved.rlo" --launch examples/saxpy/saxpy.yaml --machine g-scalar --rf static-scalar)
	exits 0 "$A" examples/saxpy/saxpy.ptx -o "$tmp/proved.rlo" --block=48 && grep -q 'in blocks of 48,1,1' "$tmp/out" &&
	exits 1 "${run[@]}" && says "values=static-scalar takes what the object proves of lanes, of blocks of 48,1,1 threads, and this launch has" &&
	exits 0 "$A" examples/saxpy/saxpy.ptx -q -o "$tmp/proved.rlo" --launch examples/saxpy/saxpy.yaml && exits 0 "${run[@]}" --checked &&
	exits 0 "$A" examples/saxpy/saxpy.ptx -q -o "$tmp/proved.rlo" && exits 0 "${run[@]}"
}
t "what is proved of lanes is for blocks of one size, or any" proved_for
profile_usage() {
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/f.prof" --no-schedule && says "had other code" && leaves_nothing "$tmp/x.rlo" &&
	exits 0 "$A" examples/saxpy/saxpy.ptx -o "$tmp/x.rlo" --profile "$tmp/f.prof" && says "note: kernel saxpy is not in it" && rm "$tmp/x.rlo" &&
	exits 0 "$A" examples/lud/lud.ptx --emit=summary --profile "$tmp/f.prof" --block=16 && says "note: kernel lud_edges is in it; what was said of a launch" &&
	exits 0 "$A" examples/lud/lud.ptx --emit=summary --profile "$tmp/f.prof" && ! grep -q note: "$tmp/err" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile README.md && says "is not JSON" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile docs/profile.schema.json && says "is no profile" &&
	sed 's/"version": 1/"version": 2/' "$tmp/f.prof" > "$tmp/two.prof" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/two.prof" && says "version 2" &&
	while IFS='|' read -r edit message; do
		sed "$edit" "$tmp/f.prof" > "$tmp/bad.prof" && ! cmp -s "$tmp/f.prof" "$tmp/bad.prof" &&
		exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/bad.prof" && says "$message" || return 1
	done <<-'END' &&
		s/"version": 1/"version": "1"/|its version is no whole number
		s/"version": 1/"version": 1.0/|its version is no whole number
		s/"version": 1/"version": 1, "executed": 3/|unknown key "executed"
		s/"code":/"cod": 3, "code":/|unknown key "cod"
		s/"object": "[^"]*"/"object": 3/|its object is no name
	END
	sed 's/\("code": "\)./\1z/' "$tmp/f.prof" > "$tmp/bad.prof" &&
	exits 1 "$A" examples/lud/lud.ptx -o "$tmp/x.rlo" --profile "$tmp/bad.prof" && says "16 digits" && leaves_nothing "$tmp/x.rlo" &&
	exits 2 "$A" examples/lud/lud.ptx -o "$tmp/f.prof" --profile "$tmp/f.prof" && says "would be overwritten" &&
	exits 2 "$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml --profile "$tmp/lud.rlo" && says "would overwrite" &&
	exits 1 "$M" run "$tmp/lud.rlo" --launch examples/lud/lud.yaml --profile "$tmp/none/f.prof"
}
t "profiles of other code, and files that are none, are refused" profile_usage
t "the JSON of an annotation is JSON" bash -c "'$A' examples/sgemm/sgemm.ptx -q --emit=json -o - | python3 -m json.tool"
for m in docs/man/*.[1-9]; do
	if command -v man >/dev/null 2>&1; then
		t "man ${m##*/}" bash -c "MANROFFSEQ= LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 '$m' 2>&1 >/dev/null | (! grep .)"
	else
		skip "man ${m##*/}" "no man"
	fi
done
finish
