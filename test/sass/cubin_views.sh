#!/bin/bash
# Views of machine code: listing, JSON, summary, --check and --diff of cubins. BLESS=1 rewrites the golden texts.
. "$(dirname "$0")/../lib.sh"

# ---- occupancy of real GPUs ----
header() { for h in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda-*; do [ -e "$h/include/cuda_occupancy.h" ] && echo "$h/include" && return; done; return 1; }
if include=$(header); then
	occupancy() {
		${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -isystem "$include" test/views/occupancy.c passes/occupancy.c analyzer/base/arena.c analyzer/base/near.c analyzer/base/ram.c -o "$tmp/occupancy" && "$tmp/occupancy"
	}
	t "occupancy of real GPUs, by NVIDIA's calculator" occupancy
else
	skip "occupancy of real GPUs" "cuda_occupancy.h is not here"
fi
real_machine() { # of PTX: the limits of sm_80, which --set cannot change
	exits 0 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --block 16,16 --machine sm_80 && grep -q '^kernel sgemm on sm_80' "$tmp/out" &&
	exits 0 "$A" --check min-occupancy=100 examples/sgemm/sgemm.ptx --block 16,16 --machine sm_80 && exits 1 "$A" --check min-occupancy=99 examples/sgemm/sgemm.ptx --block 96 --machine sm_80 &&
	exits 2 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --machine sm_80 --set rf_registers=8192 && says 'sm_80 is a real one' && exits 2 "$A" examples/sgemm/sgemm.ptx --emit=occupancy --machine sm_8
}
t "--machine of a real GPU" real_machine

# ---- views ----
C=test/sass/cubin G=test/golden/sass
golden() { # CUBIN VIEW OPTION...
	local f=$1 view=$2; shift 2
	exits 0 "$A" "$C/$f.cubin" --emit="$view" "$@" && same "$G/$f.$view" "$tmp/out"
}
golden_lines() { # its source is where nothing is, whatever lies in the folder where the cubin was made
	LC_ALL=C sed "s,/var/tmp/regloom-sass,/nowhere/regloom-sass,g" "$C/debug.lines.sm_90a.cubin" > "$tmp/debug.cubin" && exits 0 "$A" "$tmp/debug.cubin" --emit=listing && same $G/debug.lines.sm_90a.listing "$tmp/out"
}
t "golden listing: saxpy for sm_75" golden saxpy.sm_75 listing
t "golden listing: functions that are called, with source lines" golden_lines
t "golden summary: for sm_120" golden uniform.sm_120a summary
t "golden JSON: saxpy for sm_75" golden saxpy.sm_75 json
t "golden graph: saxpy for sm_75" golden saxpy.sm_75 dot
t "listing and JSON against the bytes" timeout 100 test/views/views_agree.py "$A" $C/{saxpy.sm_75,control.sm_75,memory.sm_80,separate.rdc.sm_80,sgemm.sm_86,float.sm_89,lavamd.sm_90a,warp.sm_100a,uniform.sm_120a}.cubin
unclaimed() { # a bit of FFMA that no field has: listing and summary say so, and that it is not executed
	python3 - "$C/saxpy.sm_75.cubin" "$tmp/bit.cubin" <<-'END' || return 1
		import struct, sys
		b = bytearray(open(sys.argv[1], "rb").read())
		at = [o for o in range(0, len(b) - 15, 16) if struct.unpack_from("<Q", b, o)[0] & 0x1ff == 0x23 and b[o + 15] == 0]
		assert len(at) == 1
		b[at[0] + 11] |= 4
		open(sys.argv[2], "wb").write(b)
	END
	exits 0 "$A" "$tmp/bit.cubin" --emit=listing && grep -q 'FFMA .*bits 0x00000000040000000000000000000000 not known' "$tmp/out" &&
	exits 0 "$A" "$tmp/bit.cubin" --emit=summary && grep -q '^  not executed   1 FFMA, from 0x00[0-9a-f]* on: bits 0x0000000004' "$tmp/out" && grep -q '^  uncertain      1 instruction ' "$tmp/out" &&
	exits 0 "$A" "$tmp/bit.cubin" --emit=json && grep -q '"not_executed":\[{"mnemonic":"FFMA","why":"bits ' "$tmp/out" &&
	exits 0 "$A" "$C/saxpy.sm_75.cubin" --emit=json && grep -q '"not_executed":\[\]' "$tmp/out"
}
t "bits that no field claims" unclaimed
coverage() { # of a fatbin with a cubin for sm_75, and with that bit
	"$B/test/coverage" 9 test/golden/fatbin/raw.fatbin > "$tmp/out" && printf 'file\traw.fatbin\t75\t1\t1\t2\t25\t0\n' | cmp - "$tmp/out" || return 1
	python3 - <<-'END' > "$tmp/bit.fatbin" || return 1
		import struct, sys
		b = bytearray(open("test/golden/fatbin/raw.fatbin", "rb").read())
		at = [o for o in range(0, len(b) - 15, 8) if struct.unpack_from("<Q", b, o)[0] & 0x1ff == 0x23 and b[o + 8 + 7] == 0]
		b[at[0] + 11] |= 4
		sys.stdout.buffer.write(b)
	END
	"$B/test/coverage" 9 "$tmp/bit.fatbin" > "$tmp/out" && grep -qP '^file\tbit.fatbin\t75\t1\t1\t2\t25\t1$' "$tmp/out" && grep -qP '^refused\tbit.fatbin\t75\tFFMA\t1\tbits 0x0000000004' "$tmp/out"
}
t "what can be executed of a fatbin" coverage
golden_techniques() { exits 0 "$A" $C/saxpy.sm_75.cubin --emit=listing --techniques && same $G/saxpy.sm_75.techniques "$tmp/out"; }
t "golden listing: with what register files of papers would do" golden_techniques
techniques() { # options of theirs ask for them as well; PTX shows them in any case
	exits 0 "$A" $C/saxpy.sm_75.cubin --emit=listing --orf=orf && grep -q '\->ORF' "$tmp/out" && exits 0 "$A" $C/saxpy.sm_75.cubin --emit=listing --pairs=matching && grep -q '/\*corf\*/' "$tmp/out" &&
	exits 0 "$A" $C/saxpy.sm_75.cubin --emit=listing && ! grep -qE 'ORF|strand|corf|warp frees|RegMutex' "$tmp/out" && grep -q '^  not shown .*--techniques$' "$tmp/out" &&
	exits 0 "$A" examples/saxpy/saxpy.ptx --emit=listing && grep -q '\->ORF' "$tmp/out" && exits 2 "$A" $C/saxpy.sm_75.cubin --emit=json --techniques && says '--techniques goes with listing, summary, dot and occupancy, and --diff only' || return
	local view word
	for view in summary:'shared in turn' dot:'---- strand' occupancy:'sections  .*shared  ' ; do      # with it and without it; of PTX in any case
		word=${view#*:} view=${view%%:*}
		exits 0 "$A" $C/saxpy.sm_75.cubin --emit=$view && ! grep -q -e "$word" "$tmp/out" && exits 0 "$A" $C/saxpy.sm_75.cubin --emit=$view --techniques && grep -q -e "$word" "$tmp/out" &&
		exits 0 "$A" examples/saxpy/saxpy.ptx --emit=$view && grep -q -e "$word" "$tmp/out" || return
	done
	exits 0 "$A" $C/saxpy.sm_75.cubin --emit=occupancy && grep -q 'RegMutex.*not shown: --techniques$' "$tmp/out" && exits 0 "$A" $C/saxpy.sm_75.cubin -o "$tmp/t.cubin" && ! grep -q 'shared in turn' "$tmp/out" &&
	exits 0 "$A" $C/saxpy.sm_75.cubin --techniques -o "$tmp/t.cubin" && grep -q 'shared in turn' "$tmp/out"
}
t "techniques in the listing of machine code" techniques
# What --emit=pressure and --emit=remarks say of the peak, beside what each instruction reads and writes, found in another way: paths over the edges between blocks.
pressure() {
	exits 0 "$A" "$@" --emit=pressure && cp "$tmp/out" "$tmp/p.txt" && "$A" "$@" --emit=json > "$tmp/k.json" && "$A" "$@" --emit=remarks > "$tmp/r.yaml" && python3 - "$tmp" <<'P'
import json, re, sys
text, kernels = open(sys.argv[1] + "/p.txt").read().strip().split("\n\nkernel "), json.load(open(sys.argv[1] + "/k.json"))["kernels"]
remarks = dict(re.findall(r"Name: +'PeakPressure'\n.*?^Function: +'(.*?)'\n(.*?)^\.\.\.", open(sys.argv[1] + "/r.yaml").read(), re.S | re.M))
ends = waits = 0
for k, page in zip(kernels, text, strict=True):
    lines = page.split("\n")
    insns = k["instructions"]
    name = (lambda i: "0x%04x" % insns[i]["address"]) if "machine_code" in k else (lambda i: "instruction %d" % i)
    uses = []
    for i in insns:
        uses.append((set(i["places"]["reads"]), set(i["places"]["writes"]), "@" in i["text"]))
    succ = {n: [] for n in range(len(insns))}
    for b in k["blocks"]:
        last = b["first"] + b["instructions"] - 1
        for n in range(b["first"], last):
            succ[n].append(n + 1)
        succ[last] = [k["blocks"][s]["first"] for s in b["successors"]]
    pred = {n: [m for m in succ if n in succ[m]] for n in succ}
    at, = [n for n in succ if re.search(r"live before %s(,| )" % name(n), lines[1])]
    def found(reg, back):
        out, todo, seen = set(), [at] if not back else list(pred[at]), set()
        while todo:
            n = todo.pop()
            if n in seen:
                continue
            seen.add(n)
            reads, writes, guarded = uses[n]
            if reg in (writes if back else reads):
                out.add(n)
            if (reg in writes and not guarded) or (not back and reg in reads):
                continue
            todo += pred[n] if back else succ[n]
        return out
    listed = []
    for l in lines[4:]:
        m = re.match(r"  (R\d+)(?:-R(\d+))? +(\S.*?)  +(\S.*?)  +((?:0x|instr|nowhere).*)$", l)
        assert m, l
        for r in range(int(m[1][1:]), int(m[2] or m[1][1:]) + 1):
            listed.append("R%d" % r)
            for said, back in ((m[3], True), (m[5], False)):
                want = found("R%d" % r, back)
                got = re.match(r"(0x\w+|instruction \d+)", said)
                more = re.search(r"and at (\d+) more", l[l.index(said):l.index(said) + len(said) + 40] if back else said)
                assert (got[1] if got else None) == (name(min(want)) if want else None), (k["name"], l, r, back, sorted(want))
                ends += len(want)
    of = None                   # a register that the remark names: where it is made and read, "" and a later turn of the loop left out
    for key, value in re.findall(r"- (\w+): +'(.*)'", remarks[k["name"]]):
        if key == "Register":
            of = value
        if key in ("MadeAt", "ReadAt"):
            places = {name(n) if not insns[n].get("source") else "%s:%d" % (insns[n]["source"]["file"].split("/")[-1], insns[n]["source"]["line"]) for n in found(of, key == "MadeAt")}
            assert value in places, (k["name"], of, key, value, places)
            waits += 1
        if key == "String" and "next turn of the loop" in value:
            assert max(found(of, False)) < at, (k["name"], of, value)
    assert len(listed) == len(set(listed)) == k["max_live"]["registers"], (listed, k["max_live"])
assert ends > 20 and waits >= 3, (ends, waits)
P
}
for f in lavamd.sm_90a debug.lines.sm_80 uniform.sm_120a; do t "registers live at the peak: $f" pressure $C/$f.cubin; done
t "registers live at the peak: of PTX" pressure examples/sgemm/sgemm.ptx
asked() { # PASS... -- ARGUMENT...: of the passes that take long those alone
	local want="" ran
	while [ "$1" != -- ]; do want="$want$1 "; shift; done
	exits 0 "$A" "${@:2}" --time-passes && ran=$(awk '$1 ~ /^(live|loop|freq|wlive|dlive|release|corf|strand|rfc|orf|owf|uniform)$/ { printf "%s ", $1 }' "$tmp/err") && [ "$ran" = "$want" ] || { echo "ran $ran, not $want"; return 1; }
}
only_what_is_shown() {
	asked live -- $C/saxpy.sm_75.cubin --emit=pressure && asked loop live -- $C/saxpy.sm_75.cubin --check max-registers=99 && asked loop live -- examples/saxpy/saxpy.ptx --check max-live=99 &&
	asked loop live freq -- $C/saxpy.sm_75.cubin --emit=banks && asked loop live freq corf -- $C/saxpy.sm_75.cubin --check min-pairs=0 && asked loop live freq strand orf -- $C/saxpy.sm_75.cubin --check min-upper=0 &&
	asked loop live wlive dlive release freq corf strand rfc orf owf uniform -- $C/saxpy.sm_75.cubin --emit=json
}
if [[ $B == */san* ]]; then skip "passes that are asked for" "a build with sanitizers runs and checks all of them"
else t "passes that are asked for" only_what_is_shown; fi
schema() {
	for f in $C/{saxpy.sm_75,separate.rdc.sm_75,lavamd.sm_90a,tensor.sm_100a}.cubin; do "$A" "$f" --emit=json > "$tmp/k.json" && test/tool/schema.py "$tmp/k.json" docs/annotate.schema.json || return; done
}
t "JSON fits its schema" schema
unbounded() { # a function with a section of its own has a frame, which is none of the kernel's; where calls come back to it, there is no bound
	"$A" --list "$C/linked.sm_80.cubin" | grep -qE '^ +26 +1 +16 +16 +no bound +20 .* separate$' && "$A" --list --json "$C/linked.sm_80.cubin" > "$tmp/list.json" &&
	test/tool/schema.py "$tmp/list.json" docs/cubin.schema.json && grep -q '"stack_bytes": null' "$tmp/list.json" || return
	exits 1 "$A" --check max-local=99999 "$C/linked.sm_80.cubin" --json && test/tool/schema.py "$tmp/out" docs/check.schema.json && grep -q '"verdict": "unknown"' "$tmp/out" && grep -q '"missing": "functions that it calls recurse"' "$tmp/out" &&
	exits 0 "$A" "$C/linked.sm_80.cubin" --emit=json && test/tool/schema.py "$tmp/out" docs/annotate.schema.json && grep -q '"local_bytes":null' "$tmp/out" && exits 0 "$A" --check max-local=16 $C/debug.G.sm_75.cubin && exits 1 "$A" --check max-local=15 $C/debug.G.sm_75.cubin -q
}
t "a stack without a bound" unbounded
elsewhere() { # what is live in a function of another file is not known; what is linked has them all, those whose address is in data alone too
	exits 1 "$A" --check max-live=255 "$C/separate.rdc.sm_80.cubin" && grep -q '^  max-live  *-  *255 registers  *UNKNOWN; it may call functions of other files$' "$tmp/out" && grep -q 'would help: what is linked has all of them' "$tmp/out" &&
	exits 0 "$A" "$C/separate.rdc.sm_80.cubin" --emit=summary && grep -q '^  most live  *at most 19 registers before .*, functions of other files not counted; ' "$tmp/out" &&
	exits 0 "$A" "$C/separate.rdc.sm_80.cubin" --emit=pressure && grep -q ', functions of other files not counted; a thread has ' "$tmp/out" && exits 0 "$A" "$C/separate.rdc.sm_80.cubin" --emit=json && grep -q '"unbounded":"it may call functions of other files"' "$tmp/out" || return
	exits 0 "$A" --check max-live=255 "$C/linked.sm_80.cubin" && exits 0 "$A" "$C/linked.sm_80.cubin" --emit=summary && grep -q '^  *_ZNK6circle4areaEi at 0x0000 of .text._ZNK6circle4areaEi$' "$tmp/out" && grep -q "of the kernel's 4, 3 have their address taken" "$tmp/out"
}
t "functions of other files" elsewhere

# ---- damaged on purpose ----
patch() { # IN OUT BYTE-EXPRESSION...: Python with b, the bytes, and section(name), its offset
	python3 - "$@" <<'P'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
def section(name):
    shoff, = struct.unpack_from("<Q", b, 40)
    size, n, names = struct.unpack_from("<HHH", b, 58)
    heads = [struct.unpack_from("<IIQQQQ", b, shoff + i * size) for i in range(n)]
    text = bytes(b[heads[names][4]:])
    return next(h[4] for h in heads if text[h[0]:].startswith(name.encode() + b"\0"))
for line in sys.argv[3:]:
    exec(line)
open(sys.argv[2], "wb").write(b)
P
}
unknown() { # an opcode that there is none of: shown, counted, "at most", and no limit on it is silent
	patch $C/saxpy.sm_75.cubin "$tmp/u.cubin" 'at = section(".text.saxpy") + 16 * 4' 'b[at] = 0xff; b[at + 1] |= 1' &&
	exits 0 "$A" "$tmp/u.cubin" --emit=listing && grep -q '/\*0040\*/ .*unknown 0x[0-9a-f]\{32\} .* not known: taken to read and write every register that others name' "$tmp/out" &&
	grep -q '^  taken at worst 1 instruction is not known, at 0x0040$' "$tmp/out" && grep -q '^  most live  *at most ' "$tmp/out" &&
	exits 0 "$A" "$tmp/u.cubin" --emit=json && test/tool/schema.py "$tmp/out" docs/annotate.schema.json && grep -q '"unknown_instructions":1' "$tmp/out" && grep -q '"opcode":null' "$tmp/out" &&
	exits 0 "$A" --check max-live=99 "$tmp/u.cubin" && grep -q '; 1 instruction is taken at worst: registers at most' "$tmp/out" &&
	exits 0 "$A" --check max-live=99 "$tmp/u.cubin" --json && test/tool/schema.py "$tmp/out" docs/check.schema.json && grep -q '"unknown_instructions": 1' "$tmp/out" &&
	exits 0 "$A" "$tmp/u.cubin" --emit=remarks && grep -q "Name:            'UnknownInstructions'" "$tmp/out" && exits 0 "$A" "$tmp/u.cubin" --emit=sarif && grep -q unknown-instructions "$tmp/out"
}
t "an instruction that is not known" unknown
left() { # a branch out of the code, of which the guard is not the same in all lanes: nothing is said of it that is not so
	patch $C/warp.sm_75.cubin "$tmp/left.cubin" 'b[section(".text.blocks") + 0x336] = 0x2f' && exits 0 "$A" "$tmp/left.cubin" --emit=summary --verify-passes && grep -q '^  taken at worst 1: branches to 0x' "$tmp/out"
}
t "a guarded branch out of the code" left
any_of() { # a changed byte after which a call may be of several functions: the oracle of liveness returns to the call that it came by there, too
	patch test/golden/cubin/calls_120.cubin "$tmp/any.cubin" 'b[section(".text.calls") + 0xa52] = 72' && exits 0 "$A" "$tmp/any.cubin" --emit=summary --verify-passes && grep -q '^  taken at worst 1: is given another return address' "$tmp/out"
}
t "a call of one of several functions" any_of
nothing() { # no instruction is known: no number, and no limit on it holds
	patch $C/saxpy.sm_75.cubin "$tmp/none.cubin" 'at = section(".text.saxpy")' 'for n in range(14): b[at + 16 * n] = 0xff; b[at + 16 * n + 1] |= 1' &&
	exits 0 "$A" "$tmp/none.cubin" --emit=summary && grep -q '^  taken at worst 14 instructions are not known' "$tmp/out" && grep -qx '  most live      unknown: no instruction that is known names a register' "$tmp/out" &&
	exits 0 "$A" "$tmp/none.cubin" --emit=pressure && grep -qx '  no instruction that is known names a register' "$tmp/out" &&
	exits 1 "$A" --check max-live=0,max-registers=99 "$tmp/none.cubin" && grep -q '^  max-live .* - .* UNKNOWN; no instruction that is known' "$tmp/out" && grep -q '^check: 0 of 2 limits broken, 1 cannot be told' "$tmp/out" &&
	exits 1 "$A" --check max-live=0 "$tmp/none.cubin" --json && test/tool/schema.py "$tmp/out" docs/check.schema.json
}
t "no instruction is known" nothing
nowhere() { # calls through registers: known, but not where they go
	exits 0 "$A" $C/control.sm_75.cubin --emit=summary && grep -q '^  taken at worst [0-9]*: calls a function that a register names (of .*), at 0x' "$tmp/out" && grep -q '^  most live  *at most ' "$tmp/out" &&
	exits 0 "$A" $C/control.sm_75.cubin --emit=listing && grep -q 'CALL.REL.NOINC R6 calls ;.* calls a function that a register names (of .*): taken to read and write' "$tmp/out" &&
	exits 0 "$A" --diff $C/control.sm_75.cubin $C/control.sm_80.cubin --diff-fail=none && grep -q '; instructions taken at worst, old [1-9]' "$tmp/out"
}
t "calls that go where nothing is known" nowhere
runtime() { # what printf and malloc read is known: their kernel has no figure that is "at most"
	local cubin
	for cubin in $C/control.sm_{75,100a}.cubin; do
		exits 0 "$A" "$cubin" --emit=listing && sed -n '/^kernel runtime/,/^kernel spills/p' "$tmp/out" > "$tmp/runtime" &&
		grep -q 'CALL.ABS.NOINC R2 ;.* calls malloc of the runtime, with arguments in R4 to R5: taken to write every register' "$tmp/runtime" &&
		[ "$(grep -c ' of the runtime, with arguments in R4 to R' "$tmp/runtime")" = 4 ] && ! grep -q 'taken at worst\|at most [0-9]' "$tmp/runtime" || return 1
	done
}
t "calls of the runtime" runtime
names() { # of symbols: bytes that are no text reach no view
	patch $C/saxpy.sm_75.cubin "$tmp/n.cubin" 'b[:] = b.replace(b"saxpy\0", b"s\xff\x1b\n\"\0")' || return
	for v in listing summary json dot occupancy remarks sarif; do
		exits 0 "$A" "$tmp/n.cubin" --emit=$v && python3 - "$tmp/out" <<'P' || return
import sys
text = open(sys.argv[1], "rb").read().decode("utf-8")
assert not [c for c in text if c != "\n" and (c < " " or c == "\x7f")], "a control character"
P
	done
	exits 0 "$A" "$tmp/n.cubin" --list && [ "$(grep -cF 's\xff\x1b\x0a"' "$tmp/out")" -gt 1 ] && ! LC_ALL=C grep -q '[^[:print:][:space:]]' "$tmp/out" &&
	"$A" "$tmp/n.cubin" --emit=json > "$tmp/k.json" && python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/k.json" && exits 0 "$A" --check max-live=99 "$tmp/n.cubin" && exits 0 "$A" --diff "$tmp/n.cubin" "$tmp/n.cubin"
}
t "names that are no text" names

# ---- limits and comparisons ----
gate() {
	exits 1 "$A" --check max-live=30,max-spill=0,min-occupancy=50,max-registers=40,max-uniform=4,max-local=0,max-code=9999 $C/lavamd.sm_90a.cubin --block 128 && same $G/lavamd.sm_90a.check "$tmp/out" &&
	exits 0 "$A" --check max-live=38,max-registers=44,max-uniform=18,max-instructions=326 $C/lavamd.sm_90a.cubin && exits 1 "$A" --check max-live=37 $C/lavamd.sm_90a.cubin -q &&
	exits 1 "$A" --check min-occupancy=63 $C/lavamd.sm_90a.cubin --block 128 -q && exits 0 "$A" --check min-occupancy=62.5 $C/lavamd.sm_90a.cubin --block 128 -q
}
t "limits" gate
spills() { # what the code does not say is no limit that holds
	local f
	for f in $C/memory.sm_*.cubin; do "$A" "$f" --emit=json | python3 -c 'import json, sys; sys.exit(not any(k["machine_code"]["local_stores"] for k in json.load(sys.stdin)["kernels"]))' && break; done
	exits 1 "$A" --check max-spill=0,max-live=255 "$f" && [ ! -s "$tmp/err" ] && grep -q 'max-spill .* - .* UNKNOWN; machine code does not say which local memory is spilled values$' "$tmp/out" &&
	grep -q 'would help: max-local=N limits all of it, [1-9][0-9]* bytes' "$tmp/out" && grep -q 'max-spill  *0  *0 bytes  *holds' "$tmp/out" && grep -q '^check: 0 of [0-9]* limits broken, 1 cannot be told, in 1 of [2-9] kernels$' "$tmp/out" || return
	exits 1 "$A" --check max-spill=0,max-live=255 "$f" --json && test/tool/schema.py "$tmp/out" docs/check.schema.json && python3 - "$tmp/out" <<'P' || return
import json, sys
r = json.load(open(sys.argv[1]))
told = {k["name"]: (k["holds"], {l["limit"]: (l["verdict"], l["holds"], l["value"]) for l in k["limits"]}) for k in r["kernels"]}
assert (r["holds"], r["broken"], r["unknown"]) == (False, 0, 1), r
assert sorted(h for h, _ in told.values()).count(False) == 1
for holds, l in told.values():
    assert l["max-live"][:2] == ("holds", True) and l["max-spill"] == (("holds", True, 0) if holds else ("unknown", False, None)), l
P
	exits 1 "$A" --check max-spill=0 "$f" --emit=sarif && cp "$tmp/out" "$tmp/s.sarif" && test/script/sarif.py "$tmp/s.sarif" | grep -q '^error 1 ' && grep -q 'may break max-spill=0' "$tmp/s.sarif" && grep -q '"exitCode": 1' "$tmp/s.sarif" &&
	exits 1 "$A" --check max-spill=0 "$f" -o "$tmp/no.cubin" && [ ! -e "$tmp/no.cubin" ] && exits 0 "$A" --check max-local=65536 "$f"
}
t "spills cannot be told" spills
parameters() { # have no names in machine code; which there are is said
	exits 1 "$A" $C/saxpy.sm_75.cubin --param n=5 --emit=summary && says 'no kernel has a parameter n; machine code numbers them, in saxpy: param_0 (8 bytes at 0), param_1 (8 bytes at 8), param_2 (4 bytes at 16), param_3 (4 bytes at 20)' &&
	exits 0 "$A" $C/saxpy.sm_75.cubin --param param_3=5 --emit=summary && exits 1 "$A" examples/saxpy/saxpy.ptx --param m=5 --emit=summary && ! grep -q 'machine code' "$tmp/err"
}
t "parameters of machine code" parameters
kinds() { # what was judged is said, and what else the file holds; of two kinds of code, or two GPUs, that they are compared
	local f=test/golden/fatbin/zstd.fatbin
	exits 0 "$A" --check max-live=9 $f --kernel axpy && grep -qx "kernel axpy of $f (PTX for sm_100f) on gtx480" "$tmp/out" && grep -qx '  also there: machine code for sm_75 (--code=sass)' "$tmp/out" &&
	exits 0 "$A" --check max-live=9 $f --kernel axpy --code=sass && grep -qx "kernel axpy of $f (machine code for sm_75) on sm_75" "$tmp/out" && ! grep -q 'also there' "$tmp/out" &&
	exits 0 "$A" $f --emit=summary && grep -qx 'kernel axpy (PTX for sm_100f)' "$tmp/out" && [ "$(grep -cx '  also there     machine code for sm_75 (--code=sass)' "$tmp/out")" = 1 ] &&
	exits 0 "$A" test/golden/fatbin/sass.fatbin --emit=summary && grep -qx 'kernel axpy (machine code for sm_80)' "$tmp/out" && ! grep -q 'also there' "$tmp/out" || return
	exits 0 "$A" --check max-live=9 $f --json && test/tool/schema.py "$tmp/out" docs/check.schema.json && [ "$(grep -c '"also_there": "machine code for sm_75 (--code=sass)"' "$tmp/out")" = 2 ] && grep -q '"code": "PTX for sm_100f"' "$tmp/out" &&
	exits 0 "$A" --diff $f test/golden/fatbin/sass.fatbin && [ "$(head -2 "$tmp/out")" = 'old: PTX for sm_100f, compiled here; new: machine code for sm_80: code of two compilers
also there in old: machine code for sm_75 (--code=sass)' ] && grep -q '^kernel axpy, old on gtx480, new on sm_80$' "$tmp/out" &&
	exits 0 "$A" --diff $f test/golden/fatbin/sass.fatbin --json && test/tool/schema.py "$tmp/out" docs/diff.schema.json && grep -q '"old_code": "PTX for sm_100f"' "$tmp/out" && grep -q '"new_code": "machine code for sm_80"' "$tmp/out" && grep -q '"old_machine": "gtx480"' "$tmp/out" &&
	exits 0 "$A" --diff $f test/golden/fatbin/sass.fatbin --code=sass && [ "$(head -1 "$tmp/out")" = 'old: machine code for sm_75; new: machine code for sm_80: code for two GPUs' ] &&
	exits 1 "$A" --diff $f $C/saxpy.sm_75.cubin --code=sass && says 'no kernel in common' && exits 1 "$A" examples/saxpy/saxpy.ptx --code=sass -o "$tmp/no" && says 'is PTX text: --code=sass chooses among what a fatbin holds' &&
	exits 1 "$A" $f --emit=banks && says 'for cubins; there is machine code for sm_75 (--code=sass)' && exits 0 "$A" $f --code=sass --emit=banks && exits 1 "$A" examples/saxpy/saxpy.ptx --emit=banks && ! grep -q 'there is' "$tmp/err" &&
	exits 1 "$A" $C/saxpy.sm_75.cubin --code=ptx --emit=summary && exits 0 "$A" $C/saxpy.sm_75.cubin --code=sass --emit=summary || return
	exits 0 "$A" --diff $C/lavamd.sm_75.cubin $C/lavamd.sm_90a.cubin && [ "$(head -1 "$tmp/out")" = 'old: machine code for sm_75; new: machine code for sm_90a: code for two GPUs' ] &&
	exits 0 "$A" --diff $C/lavamd.sm_75.cubin $C/lavamd.sm_75.cubin && [ "$(wc -l < "$tmp/out")" = 1 ]
}
t "what was judged, and what else is there" kinds
compares() {
	exits 1 "$A" --diff examples/sgemm/sgemm.ptx $C/sgemm.sm_86.cubin --block 16,16 --machine sm_86 --all && same $G/sgemm.diff "$tmp/out" && ! grep -qE '^  (pairs|aligned|upper) ' "$tmp/out" &&
	exits 1 "$A" --diff examples/sgemm/sgemm.ptx $C/sgemm.sm_86.cubin --block 16,16 --machine sm_86 --techniques && [ "$(grep -cE '^  (pairs|aligned|upper) ' "$tmp/out")" = 3 ] &&
	exits 1 "$A" --diff examples/sgemm/sgemm.ptx $C/sgemm.sm_86.cubin --diff-fail=pairs && [ "$(grep -cE '^  (pairs|aligned|upper) ' "$tmp/out")" = 1 ] &&
	exits 0 "$A" --diff $C/lavamd.sm_75.cubin $C/lavamd.sm_90a.cubin --block 128 && grep -q 'occupancy .* of sm_75 and sm_90: --machine says one' "$tmp/out" &&
	exits 0 "$A" --diff $C/lavamd.sm_75.cubin $C/lavamd.sm_75.cubin --diff-fail=all && exits 1 "$A" --diff $C/lavamd.sm_90a.cubin $C/lavamd.sm_75.cubin &&
	exits 0 "$A" --diff $C/lavamd.sm_75.cubin $C/lavamd.sm_90a.cubin --json && test/tool/schema.py "$tmp/out" docs/diff.schema.json
}
t "comparisons, with PTX too" compares

finish
