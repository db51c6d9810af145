#!/bin/bash
# sm-model sweep on one machine: a row is what sm-model run measures; killed at any moment it goes on and ends with the same bytes, and
# times nothing twice; a unit that dies, a kernel that fails, a full disk cost nothing else; broken files. QUICK=1: fewer interruptions.
. "$(dirname "$0")/../lib.sh"
M=$(realpath "$M")
for k in saxpy reduction; do "$A" examples/$k/$k.ptx -q -o "$tmp/$k.rlo" || exit 1; done
for k in saxpy reduction; do cp examples/$k/$k.yaml examples/$k/*.expect "$tmp" || exit 1; done
cat > "$tmp/forever.ptx" <<'PTX'
.version 7.0
.target sm_80
.address_size 64
.visible .entry forever() { .reg .u64 %c; .reg .pred %p; mov.u64 %c, 0; L: add.u64 %c, %c, 1; setp.ne.u64 %p, %c, 0; @%p bra L; ret; }
.visible .entry wild() { .reg .u64 %a; .reg .u32 %v; mov.u64 %a, 0; st.global.u32 [%a], 1; ret; }
PTX
"$A" "$tmp/forever.ptx" -q -o "$tmp/forever.rlo" || exit 1
echo 'launches: [{kernel: forever, grid: [1], block: [32]}]' > "$tmp/forever.yaml"
echo 'launches: [{kernel: wild, grid: [1], block: [32]}]' > "$tmp/wild.yaml"
two="kernels:
  - {object: saxpy.rlo, launch: saxpy.yaml}
  - {object: reduction.rlo, launch: reduction.yaml}"
file() { printf '%s\n' "${@:2}" > "$tmp/$1.yaml"; } # NAME LINE...
sweep() { local code=$1 name=$2; shift 2; exits "$code" "$M" sweep "$tmp/$name.yaml" "$@"; } # CODE NAME OPTION...
same_rows() { cmp "$tmp/$1.csv" "$tmp/$2.csv" && cmp "$tmp/$1.jsonl" "$tmp/$2.jsonl"; }
results() { grep -c '"id"' "$tmp/$1.journal"; } # lines of the journal that are results
once() { # NAME N: N results, of N points
	[ "$(results "$1")" = "$2" ] && [ "$(grep -o '"id":"[0-9a-f]*"' "$tmp/$1.journal" | sort -u | wc -l)" = "$2" ] ||
		{ echo "$(results "$1") results in the journal, not $2 of as many points"; return 1; }
}

file ref "$two" 'rf: [baseline, corf++, regmutex]' 'set:' '  issue: [gto, lrr]' '  rf_banks: {from: 4, to: 16, factor: 2}' \
	'exclude: [{rf: regmutex, rf_banks: [4, 8]}, {kernel: saxpy, rf: corf++, issue: lrr}]'
reference() {
	sweep 0 ref && grep -q '^25 points: 25 timed' "$tmp/out" && [ ! -e "$tmp/ref.d" ] && once ref 25 && [ "$(wc -l < "$tmp/ref.csv")" = 26 ]
}
t "every combination but the excluded ones" reference
cp test/sass/cubin/sgemm.sm_86.cubin "$tmp" && cp examples/sgemm/sgemm.yaml examples/sgemm/*.expect "$tmp" || exit 1
file native 'kernels: [{object: sgemm.sm_86.cubin, launch: sgemm.yaml}]' 'rf: [baseline, regmutex, wir-rlpv]' 'metrics: [cycles]'
native() { # machine code: what a run says, and no tool but this one
	sweep 0 native && grep -q '^3 points: 3 timed' "$tmp/out" && for rf in baseline regmutex wir-rlpv; do
		exits 0 "$M" run "$tmp/sgemm.sm_86.cubin" --launch "$tmp/sgemm.yaml" --rf $rf -q --json "$tmp/native.run" &&
		grep -q ",$rf,done,pass,,$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["metrics"]["cycles"]["value"])' "$tmp/native.run")$" "$tmp/native.csv" || return 1
	done
}
t "a cubin" native
alone() { # each metric of some points against a run; every row against the schema
	mkdir "$tmp/run" "$tmp/row" && for i in 0 1 2; do
		local k=saxpy set; [ $i = 0 ] || k=reduction
		case $i in 0) set=(--rf corf++,issue=gto --set rf_banks=8);; 1) set=(--rf regmutex,issue=lrr --set rf_banks=16);; 2) set=(--rf baseline,issue=lrr --set rf_banks=4);; esac
		exits 0 "$M" run "$tmp/$k.rlo" --launch "$tmp/$k.yaml" -q "${set[@]}" --json "$tmp/run/$i.json" || return 1
	done
	python3 - "$tmp" <<-'PY' || return 1
		import csv, json, sys
		tmp = sys.argv[1]
		rows = [json.loads(l) for l in open(tmp + "/ref.jsonl")]
		table = list(csv.DictReader(open(tmp + "/ref.csv", newline="")))
		assert [r["point"] for r in rows] == list(range(1, 26)) == [int(r["point"]) for r in table]
		order = [(r["kernel"], r["rf"], r["set"]["issue"], int(r["set"]["rf_banks"])) for r in rows]
		key = lambda o: (["saxpy", "reduction"].index(o[0]), ["baseline", "corf++", "regmutex"].index(o[1]), ["gto", "lrr"].index(o[2]), o[3])
		assert order == sorted(order, key=key) and len(set(order)) == 25
		assert not [o for o in order if (o[1] == "regmutex" and o[3] < 16) or (o[0] == "saxpy" and o[1:3] == ("corf++", "lrr"))]
		for i, want in enumerate([("saxpy", "corf++", "gto", 8), ("reduction", "regmutex", "lrr", 16), ("reduction", "baseline", "lrr", 4)]):
		    at = order.index(want)
		    run, row = json.load(open(f"{tmp}/run/{i}.json")), rows[at]
		    assert row["status"] == "done" and row["check"] == run["check"] == "pass" and row["reason"] is None
		    size = run["registers"]
		    assert row["metrics"] == {m: v["value"] for m, v in run["metrics"].items()} | {"storage_bits": size["storage_bits"], "code_bytes": row["metrics"]["code_bytes"]}, want
		    assert row["metrics"]["code_bytes"] > 0 and list(table[at])[-2:] == ["storage_bits", "code_bytes"]
		    for m, v in row["metrics"].items():
		        cell = table[at][m]
		        assert cell == "" if v is None else abs(float(cell) - v) <= 1e-9 * abs(v), (m, cell, v)
		for i, r in enumerate(rows[::6]):
		    json.dump(r, open(f"{tmp}/row/{i}", "w"))
	PY
	for i in "$tmp"/row/*; do test/tool/schema.py "$i" docs/sweep.schema.json || return 1; done
}
t "a row is what sm-model run measures" alone
again() { # nothing is timed, nothing changes; another choice of metrics neither
	cp "$tmp/ref.csv" "$tmp/before.csv" && cp "$tmp/ref.jsonl" "$tmp/before.jsonl" && sweep 0 ref && once ref 25 && same_rows before ref && grep -q '; 0 run now' "$tmp/out" &&
	cp "$tmp/ref.journal" "$tmp/few.journal" && { cat "$tmp/ref.yaml"; echo 'metrics: [ipc, cycles]'; } > "$tmp/few.yaml" && sweep 0 few && once few 25 &&
	head -1 "$tmp/few.csv" | grep -q '^point,kernel,launch,machine,rf,issue,rf_banks,status,check,reason,ipc,cycles$' && cp "$tmp/few.csv" "$tmp/names.csv" &&
	echo 'units: true' >> "$tmp/few.yaml" && sweep 0 few && once few 25 && head -1 "$tmp/few.csv" | grep -q ',reason,ipc \[instructions/cycle\],cycles \[cycles\]$' && cmp <(tail -n +2 "$tmp/names.csv") <(tail -n +2 "$tmp/few.csv")
}
t "a second time nothing is timed again" again
shape() { # neither the number of processes nor who is timed together shows
	{ cat "$tmp/ref.yaml"; echo 'together: 1'; } > "$tmp/one.yaml" && sweep 0 one --jobs 4 && same_rows ref one && once one 25 &&
	{ cat "$tmp/ref.yaml"; echo 'together: 256'; } > "$tmp/all.yaml" && sweep 0 all --jobs=1 -q && [ ! -s "$tmp/out" ] && same_rows ref all
}
t "the same bytes with other units and processes" shape

# ---- interruptions ----
start() { # NAME OPTION...: in the background, its process in $front
	"$M" sweep "$tmp/$1.yaml" "${@:2}" > "$tmp/bg.out" 2> "$tmp/bg.err" &
	front=$!
}
killed() { # kill -9 of the sweep at random moments until one comes through
	{ cat "$tmp/ref.yaml"; echo 'together: 2'; } > "$tmp/kill.yaml"
	local kills=0 i last=0 worker
	for ((i = 0; i < (${QUICK:-0} ? 3 : 12); i++)); do
		start kill --jobs 2
		sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
		worker=$(pgrep -P $front | head -1)
		if kill -9 $front 2> /dev/null; then kills=$((kills + 1)); fi
		wait $front 2> /dev/null
		[ -z "$worker" ] || for _ in $(seq 100); do [ -e /proc/"$worker" ] || break; sleep 0.05; done
		[ -z "$worker" ] || [ ! -e /proc/"$worker" ] || { echo "its process $worker lives on"; return 1; }
		[ -e "$tmp/kill.csv" ] && { [ "$last" -gt 0 ] && break; rm -f "$tmp"/kill.{csv,jsonl,journal}; continue; } # too fast: from the beginning
		[ ! -e "$tmp/kill.journal" ] || { last=$(results kill); echo "killed with $last results"; }
	done
	[ $kills -gt 0 ] || { echo "it was never killed"; return 1; }
	sweep 0 kill && same_rows ref kill && once kill 25 && [ ! -e "$tmp/kill.d" ]
}
t "kill -9 at random moments: the same bytes, nothing timed twice" killed
worker_of() { # PROCESS: a unit that it has started
	local i worker
	for i in $(seq 1200); do worker=$(pgrep -P "$1" -f -- --unit | head -1); [ -n "$worker" ] && break; sleep 0.05; done
	echo "$worker"
}
orphans() { # a sweep that is killed takes along what it has started
	file orphan 'kernels: [{object: forever.rlo, launch: forever.yaml}]'
	start orphan --jobs 1
	local worker= i
	worker=$(worker_of $front)
	local groups; groups=$(cut -d' ' -f5 "/proc/$front/stat" "/proc/$worker/stat" | sort -u | wc -l)
	kill -9 $front; wait $front 2> /dev/null
	[ -n "$worker" ] || { echo "it has started nothing"; return 1; }
	[ "$groups" = 2 ] || { echo "a terminal's Ctrl-C would reach $worker"; return 1; }
	for i in $(seq 100); do [ -e "/proc/$worker" ] || return 0; sleep 0.05; done
	kill -9 "$worker"; echo "its process $worker lives on"; return 1
}
t "kill -9 ends what it has started" orphans
torn() { # half a line at the end; a line that is no JSON; a line of another sweep
	{ head -1 "$tmp/ref.journal"; echo 'not json'; sed -n '2,9p' "$tmp/ref.journal"; echo '{"id":"0000","status":"done"}'; sed -n 10p "$tmp/ref.journal" | head -c 100; } > "$tmp/torn.journal" &&
	cp "$tmp/ref.yaml" "$tmp/torn.yaml" && sweep 0 torn && same_rows ref torn && grep -q '; 17 run now' "$tmp/out"
}
t "a torn journal loses what was torn, and no more" torn
parts() { # lines of the right name that are no results
	local id; id() { sed -n "$1s/.*\"id\":\"\([0-9a-f]*\)\".*/\1/p" "$tmp/ref.journal"; }
	{ sed -n 1p "$tmp/ref.journal"; echo "{\"id\":\"$(id 2)\",\"status\":\"done\"}"; echo "{\"id\":\"$(id 3)\",\"status\":\"done\",\"check\":\"pass\",\"reason\":null,\"metrics\":[1]}"
	  echo "{\"id\":\"$(id 4)\",\"status\":\"over\",\"check\":\"pass\",\"reason\":null,\"metrics\":{}}"; sed 1,4d "$tmp/ref.journal"; } > "$tmp/parts.journal"
	[ "$(id 4 | wc -c)" = 65 ] && cp "$tmp/ref.yaml" "$tmp/parts.yaml" && sweep 0 parts && same_rows ref parts && grep -q '; 3 run now' "$tmp/out"
}
t "a line of a journal that is no whole result" parts
leftover() { # rows that a unit has written and nobody took
	head -5 "$tmp/ref.journal" > "$tmp/left.journal" && mkdir "$tmp/left.d" && sed -n 6,11p "$tmp/ref.journal" > "$tmp/left.d/u1a-0-1.rows" && cp "$tmp/ref.yaml" "$tmp/left.yaml" &&
	sweep 0 left && once left 25 && same_rows ref left && grep -q '; 15 run now' "$tmp/out" && [ ! -e "$tmp/left.d" ]
}
t "what a unit has written is not timed again" leftover
twice() { # and what it has is not taken again
	cp "$tmp/ref.journal" "$tmp/twice.journal" && mkdir "$tmp/twice.d" && sed -n 6,11p "$tmp/ref.journal" > "$tmp/twice.d/u1a-0-1.rows" && cp "$tmp/ref.yaml" "$tmp/twice.yaml" &&
	sweep 0 twice && once twice 25 && same_rows ref twice
}
t "what the journal has is not taken again" twice
remains() { # of sweeps before this one, killed at any moment: objects, scripts, files that were written
	mkdir "$tmp/rest.d" && touch "$tmp/rest.d/object-gone.rlo" "$tmp/rest.d/u1a-parallel.list" "$tmp/rest.d/u1a-0-1.rows.regloom-abcdef" "$tmp/rest.d/slurm.jobs" "$tmp/rest.csv.regloom-abcdef" &&
	file rest 'kernels: [{object: saxpy.rlo, launch: saxpy.yaml}]' && sweep 0 rest && [ ! -e "$tmp/rest.d" ] && [ "$(cd "$tmp" && echo rest.*)" = "rest.csv rest.journal rest.jsonl rest.yaml" ]
}
t "what killed sweeps left goes with the next one" remains
dry_killed() { # while it makes an object of a source; its program goes too
	mkdir "$tmp/dry_tmp" "$tmp/dry_bin" && cp "$M" "$tmp/dry_bin" && printf '#!/bin/sh\nexec sleep 600\n' > "$tmp/dry_bin/ptx-annotate" && chmod +x "$tmp/dry_bin/ptx-annotate" &&
	cp examples/saxpy/saxpy.ptx "$tmp" && file dead 'kernels: [{source: saxpy.ptx, launch: saxpy.yaml}]' || return
	TMPDIR=$tmp/dry_tmp "$tmp/dry_bin/sm-model" sweep "$tmp/dead.yaml" --dry-run > /dev/null 2>&1 &
	local front=$! child= i
	for i in $(seq 1200); do child=$(pgrep -P $front) && break; sleep 0.05; done
	kill -9 $front; wait $front 2> /dev/null
	for i in $(seq 100); do [ -e "/proc/$child" ] || break; sleep 0.05; done
	[ -n "$child" ] && [ ! -e "/proc/$child" ] && [ -z "$(ls "$tmp/dry_tmp")" ] && ! ls "$tmp"/dead.[cdj]* 2> /dev/null
}
t "a dry run that is killed leaves nothing" dry_killed
interrupt() { # SIGNAL CODE
	rm -f "$tmp"/int.{csv,jsonl,journal}; { cat "$tmp/ref.yaml"; echo 'together: 1'; } > "$tmp/int.yaml"
	start int --jobs 1; for _ in $(seq 1200); do [ "$(results int 2> /dev/null || true)" -gt 0 ] 2> /dev/null && break; sleep 0.05; done
	kill -"$1" $front; wait $front; local code=$?
	[ $code = "$2" ] && grep -q 'stopped with .* points to do; the same command goes on' "$tmp/bg.err" && [ ! -e "$tmp/int.csv" ] && [ ! -e "$tmp/int.d" ] &&
		! pgrep -P $front > /dev/null && sweep 0 int && same_rows ref int && once int 25
}
t "SIGTERM" interrupt TERM 143
t "SIGINT" interrupt INT 130
t "SIGHUP" interrupt HUP 129
two_at_once() { # under flock(1), as another sweep holds it
	cp "$tmp/ref.journal" "$tmp/lock.journal" && cp "$tmp/ref.yaml" "$tmp/lock.yaml" &&
	exits 1 flock "$tmp/lock.journal" "$M" sweep "$tmp/lock.yaml" && says "another sweep is at work on it" && [ ! -e "$tmp/lock.csv" ] && sweep 0 lock
}
t "two sweeps of one name" two_at_once
second() { # touches nothing of the first: neither its objects, nor what it times
	cp examples/saxpy/saxpy.ptx "$tmp" && file second 'kernels:' '  - {source: saxpy.ptx, launch: saxpy.yaml}' '  - {source: forever.ptx, launch: forever.yaml}' 'together: 1' 'retry: 0'
	start second --jobs 1
	local had; for _ in $(seq 1200); do [ "$(results second)" = 1 ] && break; sleep 0.05; done
	stat -c '%i %y' "$tmp"/second.d/*.rlo > "$tmp/before"
	exits 1 timeout -s KILL 60 "$M" sweep "$tmp/second.yaml" && says "another sweep is at work on it" && stat -c '%i %y' "$tmp"/second.d/*.rlo | cmp - "$tmp/before" && sweep 0 second --dry-run &&
	grep -q '^2 points: 1 finished, 0 refused, 1 to do' "$tmp/out" && kill -TERM $front; had=$?
	kill -9 $front 2> /dev/null; wait $front 2> /dev/null; return $had
}
t "a second sweep touches nothing of the first; a dry run may look" second
ignored() { # who starts it ignores signals that it needs: it ends all the same
	file ign 'kernels:' '  - {source: saxpy.ptx, launch: saxpy.yaml}' '  - {object: forever.rlo, launch: forever.yaml}' 'timeout: 3' 'retry: 0' 'metrics: [cycles]'
	exits 1 timeout -s KILL 60 python3 -c 'import os, signal, sys
for s in signal.SIGCHLD, signal.SIGALRM: signal.signal(s, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$M" sweep "$tmp/ign.yaml" && grep -q '^1,saxpy,.*,done,pass,,' "$tmp/ign.csv" && grep -q '^2,forever,.*,failed,none,it took more than 3 s,' "$tmp/ign.csv"
}
t "SIGCHLD and SIGALRM ignored by whoever starts it" ignored
large() { # a journal beyond a gigabyte, nearly all of it a hole
	head -1 "$tmp/ref.journal" > "$tmp/large.journal" && truncate -s 1100M "$tmp/large.journal" && { echo; sed 1d "$tmp/ref.journal"; } >> "$tmp/large.journal" && cp "$tmp/ref.yaml" "$tmp/large.yaml" &&
	sweep 0 large && same_rows ref large && grep -q '; 0 run now' "$tmp/out"; local had=$?; rm -f "$tmp/large.journal"; return $had
}
[ -n "${QUICK:-}" ] || t "a journal larger than memory need be" large

# ---- failures ----
crash() { # a unit dies by a signal: its points are timed alone
	{ cat "$tmp/ref.yaml"; echo 'together: 256'; } > "$tmp/crash.yaml"
	start crash --jobs 1
	local worker=
	while kill -0 $front 2> /dev/null; do worker=$(pgrep -P $front -f -- --unit | head -1); [ -n "$worker" ] && kill -SEGV "$worker" 2> /dev/null && break; worker=; done
	[ -n "$worker" ] || { echo "it has started nothing"; return 1; }
	wait $front || { cat "$tmp/bg.err"; return 1; }
	[ ! -s "$tmp/bg.err" ] && same_rows ref crash && once crash 25
}
t "a unit that crashes costs nothing" crash
failing() { # a kernel that writes to address 0, one that never ends, beside one that is fine; then again
	file fail 'kernels:' '  - {object: saxpy.rlo, launch: saxpy.yaml}' '  - {object: forever.rlo, launches: [wild.yaml, forever.yaml]}' \
		'set: {rf_banks: [4, 8]}' 'exclude: [{launch: forever, rf_banks: 4}]' 'timeout: 4' 'retry: 0' 'metrics: [cycles]'
	sweep 1 fail && [ "$(grep -c 'failed: ' "$tmp/err")" = 3 ] && says 'point 5 failed: it took more than 4 s' && grep -q '^5 points: 2 timed, 3 failed; 5 run now' "$tmp/out" &&
	grep -q '^3,forever,wild,gtx480,baseline,4,failed,none,.*global' "$tmp/fail.csv" && grep -q '^5,forever,forever,gtx480,baseline,8,failed,none,it took more than 4 s,$' "$tmp/fail.csv" &&
	[ "$(grep -c ',done,pass,,[0-9]*$' "$tmp/fail.csv")" = 2 ] && sed -n 3p "$tmp/fail.jsonl" > "$tmp/row/f" && test/tool/schema.py "$tmp/row/f" docs/sweep.schema.json &&
	cp "$tmp/fail.csv" "$tmp/fail1.csv" && cp "$tmp/fail.jsonl" "$tmp/fail1.jsonl" && sweep 1 fail --points 3 && grep -q '; 1 run now' "$tmp/out" && same_rows fail fail1 && [ "$(results fail)" = 6 ]
}
t "points that fail are reported, and leave the others alone" failing
retried() { # alone, as often as the file says: 1 + 2 times
	file retry 'kernels: [{object: forever.rlo, launch: wild.yaml}]' 'retry: 2' && mkdir -p "$tmp/bin" && sweep 1 retry && [ "$(results retry)" = 1 ] &&
	exits 1 strace -f -qq -e trace=execve -o "$tmp/strace" "$M" sweep "$tmp/retry.yaml" && [ "$(grep -c -- '--unit' "$tmp/strace")" = 3 ]
}
if command -v strace > /dev/null && strace -qq -o /dev/null true 2> /dev/null; then t "a failed point is tried again" retried; else skip "a failed point is tried again" "strace is absent or may not trace"; fi
refused() { # by its parts, by the size of an SM, by what the object was made for: rows, and no failure
	file no 'kernels: [{object: saxpy.rlo, launch: saxpy.yaml}]' 'machines: [hierarchical-rf]' 'rf: [baseline, orf, "corf,reuse=wir-rlpv"]' 'set: {threads_per_sm: [64, 1024], rf_l1_entries: [1, 3]}' \
		'metrics: [cycles]' && sweep 0 no && grep -q '^12 points: 3 timed, 9 refused by the model' "$tmp/out" && [ "$(grep -c ',refused,none,' "$tmp/no.csv")" = 9 ] &&
	grep -q 'does not fit an SM' "$tmp/no.csv" && grep -q 'each rename the registers' "$tmp/no.csv" && grep -q 'the object uses 3 ORF entries a thread, and the machine has 1' "$tmp/no.csv" &&
	sed -n 2p "$tmp/no.jsonl" > "$tmp/row/n" && test/tool/schema.py "$tmp/row/n" docs/sweep.schema.json && sweep 0 no && grep -q '; 0 run now' "$tmp/out"
}
t "combinations that the model refuses are rows" refused
wrong() { # an expectation that fails: timed, and said
	sed 's/value: 2.5/value: 2/' "$tmp/saxpy.yaml" > "$tmp/bad.yaml" && file wrong 'kernels: [{object: saxpy.rlo, launch: bad.yaml}]' 'metrics: [cycles]' &&
	sweep 1 wrong && grep -q '^1,saxpy,bad,gtx480,baseline,done,fail,,[0-9]' "$tmp/wrong.csv" && grep -q 'in 1 an expectation failed' "$tmp/out"
}
t "a failed expectation" wrong
limits() { # stops each point alone, where run does
	file limit 'kernels: [{object: reduction.rlo, launch: reduction.yaml}]' 'set: {issue: [gto, lrr]}' 'options: {max-cycles: 500}' 'metrics: [cycles]' && sweep 1 limit &&
	[ "$(grep -c ',stopped,partial,"the limit of 500 cycles is reached' "$tmp/limit.csv")" = 2 ] && grep -q 'stopped at a limit' "$tmp/out" &&
	exits 1 "$M" run "$tmp/reduction.rlo" --launch "$tmp/reduction.yaml" -q --max-cycles 500 --json "$tmp/run/l.json" &&
	python3 -c 'import json, sys; a = json.loads(open(sys.argv[1]).readline()); b = json.load(open(sys.argv[2])); assert a["metrics"]["cycles"] == b["metrics"]["cycles"]["value"]' "$tmp/limit.jsonl" "$tmp/run/l.json"
}
t "limits" limits
quotes() { # in names: CSV doubles them
	file quote "kernels: [{name: 'a\"b, c', object: saxpy.rlo, launch: saxpy.yaml}]" 'metrics: [cycles]' && sweep 0 quote &&
	python3 -c 'import csv, sys; r, = csv.DictReader(open(sys.argv[1], newline="")); assert r["kernel"] == "a\"b, c" and r["cycles"].isdigit(), r' "$tmp/quote.csv"
}
t "names with quotes and commas" quotes
energies() { # that a table lacks: the row says so, if they are asked for
	file gives 'kernels: [{object: saxpy.rlo, launch: saxpy.yaml}]' 'rf: [baseline, g-scalar]' 'metrics: [cycles, rf_energy]' && sweep 0 gives && [ "$(wc -l < "$tmp/err")" = 1 ] &&
	says "note: energies of 1 of 2 points are not known, 'reason' says why; the first: the energy table " && grep -q '^2,.*,g-scalar,done,pass,"*the energy table .* gives no .*,[0-9]*,$' "$tmp/gives.csv" &&
	grep -q '^1,.*,baseline,done,pass,,[0-9]*,[0-9.]*$' "$tmp/gives.csv" && sed -n 2p "$tmp/gives.jsonl" > "$tmp/row/e" && test/tool/schema.py "$tmp/row/e" docs/sweep.schema.json &&
	sed -i 's/, rf_energy//' "$tmp/gives.yaml" && sweep 0 gives && [ ! -s "$tmp/err" ] && grep -q '^2,.*,done,pass,,[0-9]*$' "$tmp/gives.csv"
}
t "an energy that is not known" energies
rebuilt() { # another program without a build-id
	objcopy --remove-section .note.gnu.build-id "$M" "$tmp/sm-model" && file own 'kernels: [{object: saxpy.rlo, launch: saxpy.yaml}]' && exits 0 "$tmp/sm-model" sweep "$tmp/own.yaml" &&
	exits 0 "$tmp/sm-model" sweep "$tmp/own.yaml" && grep -q '; 0 run now, 1 known before' "$tmp/out" && echo >> "$tmp/sm-model" && exits 0 "$tmp/sm-model" sweep "$tmp/own.yaml" && grep -q '; 1 run now, 0 known before' "$tmp/out"
}
[ -n "${QUICK:-}" ] || t "a program without a build-id is known by its bytes" rebuilt
options() { # are part of what a point is
	local o n=0
	for o in 'max-cycles: 500' 'max-cycles: 600' 'max-insns: 500' 'max-insns: 600' 'sample: 4' 'sample: 5' 'checked: true'; do
		file option 'kernels: [{object: reduction.rlo, launch: reduction.yaml}]' "options: {$o}" 'metrics: [cycles]' && sweep "$([[ $o == max* ]] && echo 1 || echo 0)" option && n=$((n + 1)) && once option $n || return 1
	done
}
t "another option is another point" options
# What a unit is: all of them are written before the first begins, which never ends.
unit() { # NAME: of its first unit, the folder's path without the number in $unit
	start "$1" --jobs 1
	local i; for i in $(seq 1200); do unit=$(ls "$tmp/$1.d"/u*-0-1.unit 2> /dev/null) && [ -n "$(worker_of $front)" ] && break; sleep 0.05; done
	unit=${unit%1.unit}
}
times() { # of a point, and of a unit of several
	file times 'kernels:' '  - {object: forever.rlo, launch: forever.yaml}' '  - {object: saxpy.rlo, launch: saxpy.yaml}' 'set: {rf_banks: [4, 8, 16]}' 'exclude: [{kernel: saxpy, rf_banks: [8, 16]}]' 'timeout: 500'
	unit times; python3 -c 'import json, sys
for i, t in ("1", 1500), ("2", 500): assert json.load(open(sys.argv[1] + i + ".unit"))["timeout"] == t' "$unit"; local had=$?
	kill -TERM $front; wait $front; return $had
}
t "a unit may take as long as its points" times
replaced() { # an object that changes while the sweep is at work: no result under the old one's name
	cp "$tmp/saxpy.rlo" "$tmp/swap.rlo"
	file swap 'kernels:' '  - {object: forever.rlo, launch: forever.yaml}' '  - {object: swap.rlo, launch: saxpy.yaml}' 'retry: 0' 'metrics: [cycles]'
	unit swap; "$A" examples/saxpy/saxpy.ptx -q --orf-entries=1 -o "$tmp/swap.rlo" && kill -9 "$(worker_of $front)"; wait $front
	grep -q 'point 1 failed: killed by signal 9' "$tmp/bg.err" && grep -q 'point 2 failed: this object, its launch file or this program are not those that the sweep began with' "$tmp/bg.err" &&
	! grep -q '"status":"done"' "$tmp/swap.journal"
}
t "an object that is replaced meanwhile" replaced
full() { # a journal that cannot grow: one error, then the same command with room
	cp "$tmp/ref.yaml" "$tmp/full.yaml"
	exits 1 bash -c 'trap "" XFSZ; ulimit -f 100; exec "$@"' - "$M" sweep "$tmp/full.yaml" && says "full.journal: error: cannot write: " && [ "$(grep -c error "$tmp/err")" = 1 ] &&
	[ ! -e "$tmp/full.csv" ] && [ "$(tail -c 1 "$tmp/full.journal" | od -An -c | tr -d ' ')" = '\n' ] && sweep 0 full && same_rows ref full && once full 25
}
t "a full disk" full
unwritable() {
	cp "$tmp/ref.yaml" "$tmp/un.yaml"
	sweep 1 un --out "$tmp/nowhere/x" && says "nowhere/x.csv: error: cannot write" && [ ! -e "$tmp/nowhere" ] && mkdir "$tmp/dir.csv" && sweep 1 un --out "$tmp/dir" && says "is a directory" &&
	[ ! -e "$tmp/dir.journal" ] && echo mine > "$tmp/mine.journal" && sweep 1 un --out "$tmp/mine" && says "is not the journal of a sweep" && [ "$(cat "$tmp/mine.journal")" = mine ]
}
t "outputs that cannot be written" unwritable

# ---- what a point is ----
changed() { # another object: its points alone are timed again; the same configuration in other words: one measurement
	"$A" examples/saxpy/saxpy.ptx -q -o "$tmp/obj.rlo" && file obj 'kernels:' '  - {object: obj.rlo, launch: saxpy.yaml}' '  - {object: reduction.rlo, launch: reduction.yaml}' 'set: {rf_banks: [4, 8]}' &&
	sweep 0 obj && once obj 4 && "$A" examples/saxpy/saxpy.ptx -q --orf-entries=1 -o "$tmp/obj.rlo" && sweep 0 obj && once obj 6 && grep -q '; 2 run now' "$tmp/out" &&
	sed -i '1s/^/# another text\n/' "$tmp/reduction.yaml" && sweep 0 obj && once obj 8 && cp "$tmp/reduction.expect" "$tmp/kept" && printf abcd > "$tmp/reduction.expect" && sweep 1 obj && once obj 10 &&
	mv "$tmp/kept" "$tmp/reduction.expect" && sweep 0 obj && once obj 10 && grep -q '; 0 run now' "$tmp/out" &&
	file words 'kernels: [{object: saxpy.rlo, launch: saxpy.yaml}]' 'rf: [baseline, issue=gto]' 'set: {rf_banks: [16, 8]}' 'metrics: [cycles]' && sweep 0 words && once words 2 &&
	[ "$(cut -d, -f10 "$tmp/words.csv" | sed 1d | sort -u | wc -l)" = 2 ] && exits 0 "$M" sweep "$tmp/words.yaml" --dry-run && grep -q '(as point 1)' "$tmp/out" &&
	rm "$tmp/words.journal" && sweep 0 words --points 3 && once words 1 && grep -q '^2 of 4 points are to do' "$tmp/out"
}
t "what is timed again when something changes" changed
source_of() { # compiled by ptx-annotate with options, in a folder that goes; another option is another object
	mkdir "$tmp/my folder" && cp examples/sobel/sobel.* "$tmp/my folder"
	printf '%s\n' 'kernels:' '  - {source: sobel.ptx, launch: sobel.yaml}' '  - {name: few, source: sobel.ptx, launch: sobel.yaml, annotate: [--maxreg=10]}' 'metrics: [cycles, loads]' > "$tmp/my folder/it's.yaml"
	exits 0 "$M" sweep "$tmp/my folder/it's.yaml" && [ ! -e "$tmp/my folder/it's.d" ] && [ "$(cut -d, -f9 "$tmp/my folder/it's.csv" | sort -u | wc -l)" = 3 ] &&
	sed -i 's/maxreg=10/maxreg=none/' "$tmp/my folder/it's.yaml" && exits 1 "$M" sweep "$tmp/my folder/it's.yaml" && says "ptx-annotate could not make an object of sobel.ptx" && [ ! -e "$tmp/my folder/it's.d" ]
}
t "sources, options, odd names" source_of
dry() { # writes nothing
	file dry "$two" 'set: {rf_banks: [4, 8]}' && sweep 0 dry --dry-run && grep -q '^4 points: 0 finished, 0 refused, 4 to do$' "$tmp/out" && ! ls "$tmp"/dry.[cdj]* 2> /dev/null &&
	sweep 0 dry --points 2-3 && grep -q '^2 of 4 points are to do' "$tmp/out" && [ ! -e "$tmp/dry.csv" ] && sweep 0 dry --dry-run && grep -q '^     3  finished  reduction reduction gtx480 baseline rf_banks=4$' "$tmp/out" &&
	grep -q '^4 points: 2 finished, 0 refused, 2 to do$' "$tmp/out" && sweep 0 dry --points 1 && sweep 0 dry && once dry 4 && sweep 1 dry --points 5 && says "there are 4 points, not 5"
}
t "--dry-run, --points" dry

# ---- a file from somebody else ----
foreign() { # writes in its folder alone, nothing under --dry-run, and starts nothing; the name of a source is no option
	local o in="$tmp/theirs/in" out="$tmp/theirs/out"
	mkdir -p "$in" "$out" && cp examples/saxpy/saxpy.* "$in" && cp examples/saxpy/saxpy.ptx "$in/--save-ptx=x.ptx" && ln -s "$out" "$in/link" && ln -s "$out/none" "$in/dead.csv" || return
	theirs() { printf '%s\n' "kernels: [{source: '${1:-saxpy.ptx}', launch: saxpy.yaml, annotate: ['${2:---maxreg=20}']}]" 'metrics: [cycles]' "${@:3}" > "$in/s.yaml"; }
	untouched() { [ -z "$(ls "$out")" ] && ! ls "$in"/[sx].[cjdp]* "$in"/F 2> /dev/null; }
	for o in $("$A" --help | sed -nE '/^  (-., )?--help/q; s/^  (-., )?--([a-z-]+).*/\2/p') help; do # a new one is refused until somebody says here what it is
		theirs '' "--$o=F" && "$M" sweep "$in/s.yaml" --dry-run > "$tmp/out" 2> "$tmp/err"
		case $o in
		output | emit | save-ptx | list | json | graph | techniques | dump | check | check-file | diff | diff-fail | all | time-passes | max-memory | quiet | isa | version | help | source-dir)
			says "s.yaml:1:64: error: '--$o' is no option of ptx-annotate that a sweep takes" || return ;;
		*) ! grep 'that a sweep takes' "$tmp/err" || return ;;
		esac
		untouched || { echo "--$o: wrote"; return 1; }
	done
	[ "$o" = help ] && theirs '--save-ptx=x.ptx' && exits 0 "$M" sweep "$in/s.yaml" --dry-run && untouched &&
	for o in ../out/x "$out/x" link/x ../out/none/x dead; do theirs '' '' "out: $o" && exits 1 "$M" sweep "$in/s.yaml" && says 's.yaml:3:6: error: ' && says ' is not in the folder of this file: ' && untouched || return; done &&
	theirs '' '' 'out: ../out/x' 'hosts: [far]' 'slurm: [--wrap=true]' && exits 0 "$M" sweep "$in/s.yaml" --trust && [ -s "$out/x.csv" ] && exits 0 "$M" sweep "$in/s.yaml" --out "$out/y" && [ -s "$out/y.csv" ] &&
	exits 1 "$M" sweep "$in/s.yaml" --out "$out/z" --engine=parallel && says "s.yaml:4:8: error: machines to log in to are the command line's to name: --hosts, or --trust takes those of the file" &&
	exits 1 "$M" sweep "$in/s.yaml" --out "$out/z" --engine=slurm && says 's.yaml:5:8: error: arguments of sbatch can run commands and write files: --trust takes those of the file' && ! ls "$out"/z* 2> /dev/null
}
t "a file from somebody else" foreign

planted() { # what lies among results is not written through, and ends no jobs of anybody
	local in="$tmp/planted"
	mkdir -p "$in/s.d" "$tmp/fake" && cp examples/saxpy/saxpy.* "$in" && echo mine > "$tmp/victim" && ln -s "$tmp/victim" "$in/s.d/object-saxpy.rlo" &&
	printf -- '--user=root\n' > "$in/s.d/slurm.jobs" && printf '#!/bin/sh\necho "$@" >> "%s/cancelled"\n' "$tmp" > "$tmp/fake/scancel" && chmod +x "$tmp/fake/scancel" &&
	printf '%s\n' 'kernels: [{source: saxpy.ptx, launch: saxpy.yaml}]' 'metrics: [cycles]' > "$in/s.yaml" &&
	PATH="$tmp/fake:$PATH" exits 0 "$M" sweep "$in/s.yaml" && [ ! -e "$tmp/cancelled" ] && [ "$(cat "$tmp/victim")" = mine ]
}
t "links and jobs among the results" planted
making() { # a signal while an object is made of a source ends what makes it, here of a pipe in which nothing comes
	local in="$tmp/making" pid
	mkdir -p "$in" && cp examples/saxpy/saxpy.* "$in" && mkfifo "$in/slow.ptx" && exec 8<> "$in/slow.ptx" || return
	printf '%s\n' 'kernels: [{source: slow.ptx, launch: saxpy.yaml}]' 'metrics: [cycles]' > "$in/s.yaml"
	"$M" sweep "$in/s.yaml" 8>&- 2> "$tmp/err" & pid=$!
	until grep -q . /proc/$pid/task/*/children 2> /dev/null || ! kill -0 $pid; do sleep 0.1; done
	kill -TERM $pid
	timeout 60 tail --pid=$pid -f /dev/null || kill -KILL $pid
	wait $pid; [ $? = 143 ] && says "stopped before the first point"; local had=$?
	exec 8>&-
	return $had
}
t "a signal while objects are made" making

# ---- broken files ----
broken() { # TEXT LINE:COLUMN MESSAGE: nothing is written
	rm -f "$tmp"/b.*; printf '%b' "${1/LONG/$long}" > "$tmp/b.yaml"
	sweep 1 b && says "b.yaml:$2: error: ${3/TMP/$tmp}" && [ "$(grep -c 'error: ' "$tmp/err")" = 1 ] && [ "$(ls "$tmp"/b.* | wc -l)" = 1 ]
}
K='kernels: [{object: saxpy.rlo, launch: saxpy.yaml}]\n'
n=0 long=$(seq -s, 5000)
while IFS='|' read -r text at message; do
	n=$((n + 1))
	t "broken $n: ${message:0:60}" broken "${text//@/$K}" "$at" "$message"
done <<'LIST'
|1:1|the file says nothing: 'kernels' is missing
out: x\n|1:1|'kernels' is missing
[1]\n|1:1|a sweep is a mapping of keys and values, not a list
@kernel: 1\n|2:1|a sweep has no key 'kernel'; did you mean kernels?
@@|2:1|the key 'kernels' is given twice
@rf: [baseline\n|3:1|not YAML: did not find expected ',' or ']'
@---\nrf: x\n|3:1|a second document begins here; one is read
@? [1]\n: 2\n|2:3|a key must be a single value
kernels: &a [*a]\n|1:10|nested too deep
kernels: {}\n|1:10|'kernels' is a list of one kernel or more
kernels: [{launch: x}]\n|1:11|a kernel has one of 'object', an annotated object, and 'source', what ptx-annotate reads
kernels: [{object: x}]\n|1:11|a kernel has one of 'launch' and 'launches', the launch files that it runs by
kernels: [{object: a, launch: [x]}]\n|1:31|'launch' names one file; 'launches' is a list
kernels: [{object: a, launches: []}]\n|1:33|a launch file: the list is empty
kernels: [{object: a, launches: [x.yaml, d/x.yaml]}]\n|1:42|two launch files are called 'x'
kernels: [{object: a, launch: x, annotate: [-q]}]\n|1:44|options of ptx-annotate belong to a 'source'; this is an object
kernels: [{object: a, launch: x}, {object: b/a, launch: x}]\n|1:35|two kernels are called 'a'; 'name' tells them apart
kernels: [{name: a/b, object: a, launch: x}]\n|1:18|the name 'a/b' has a '/'
@machines: [gtx48]\n|2:12|no machine is called 'gtx48'
@machines: [wir, wir]\n|2:17|the machine 'wir' is given twice
@rf: [corff]\n|2:6|--rf: no preset is called 'corff'
@rf: ['baseline,machine=wir']\n|2:6|'machine' has no place in a register file's text
@rf: [{a: b}]\n|2:6|the register file is a single value
@set: [a]\n|2:6|'set' is a mapping of parameters or axes to values
@set: {rf_bank: 4}\n|2:7|no parameter is called 'rf_bank'
@set: {rf_banks: [4, 5000]}\n|2:21|rf_banks
@set: {rf_banks: [4, 4]}\n|2:21|the value '4' is given twice
@set: {rf_banks: []}\n|2:17|rf_banks: the list is empty
@set: {issue: [gto, gtoo]}\n|2:20|--rf: issue=gtoo is unknown
@rf: ['issue=lrr']\nset: {issue: [gto]}\n|3:7|'issue' is swept here, and the register file 'issue=lrr' sets it too
@set: {rf_banks: {from: 4}}\n|2:17|a range has 'from' and 'to'
@set: {rf_banks: {from: 4, to: 8, step: 1, factor: 2}}\n|2:17|a range has 'step' or 'factor', not both
@set: {rf_banks: {from: 4, to: 2}}\n|2:31|the range ends before it begins
@set: {rf_banks: {from: 4, to: 8, step: 0}}\n|2:40|a step is above 0
@set: {rf_banks: {from: 4, to: 8, factor: 1}}\n|2:42|a factor is above 1, and begins above 0
@set: {rf_banks: {from: 4, until: 8}}\n|2:27|a range has no key 'until'
@set: {rf_banks: {from: x, to: 8}}\n|2:24|'from' is a number, not 'x'
@set: {rf_registers: {from: 1, to: 32768}}\n|2:21|more than 4096 values
@rf: [LONG]\n|2:5|a list of 5000; 4096 are the most
@exclude: {rf: baseline}\n|2:10|'exclude' is a list
@exclude: [{}]\n|2:11|this excludes every point
@exclude: [{rf: corf}]\n|2:16|no point has rf 'corf'
@exclude: [{rf_bank: 4}]\n|2:12|an exclusion has no key 'rf_bank'
@metrics: [cycels]\n|2:11|no metric is called 'cycels'
@metrics: [ipc, ipc]\n|2:16|the metric 'ipc' is given twice
@options: {max-cycles: 0}\n|2:23|'max-cycles' is a whole number from 1 to
@options: {checked: maybe}\n|2:20|'checked' is true or false, not 'maybe'
@options: {sampel: 4}\n|2:11|'options' has no key 'sampel'; did you mean sample?
@retry: -1\n|2:8|retry is a whole number from 0 to 100, not '-1'
@together: 257\n|2:11|together is a whole number from 1 to 256, not '257'
@out: ''\n|2:6|'out' is empty
@out: x/\n|2:6|'out' is the beginning of names of files, not a folder
@out: ../x\n|2:6|TMP/../x.csv is not in the folder of this file: --out says where results go, or --trust takes what the file says
kernels: [{source: a, launch: x, annotate: [--maxreg=8, --save-ptx=F]}]\n|1:57|'--save-ptx' is no option of ptx-annotate that a sweep takes: those that say how an object is made
kernels: [{source: a, launch: x, annotate: [--kernel, k, --maxregs=8]}]\n|1:58|'--maxregs' is no option of ptx-annotate that a sweep takes: those that say how an object is made; did you mean maxreg?
LIST
files() { # what the file names
	file b "kernels: [{object: none.rlo, launch: saxpy.yaml}]" && sweep 1 b && says "none.rlo: error: " && says "b.yaml:1:11: error: " && cp examples/saxpy/saxpy.ptx "$tmp/plain.ptx" &&
	file b "kernels: [{object: plain.ptx, launch: saxpy.yaml}]" && sweep 1 b && says "it is 'source'" && head -c 1000 "$tmp/saxpy.rlo" > "$tmp/cut.rlo" &&
	file b "kernels: [{object: cut.rlo, launch: saxpy.yaml}]" && sweep 1 b && says "cut.rlo: " && file b "kernels: [{object: saxpy.rlo, launch: none.yaml}]" && sweep 1 b && says "none.yaml: error: " &&
	file b "kernels: [{object: saxpy.rlo, launch: reduction.yaml}]" && sweep 1 b && says "reduction.yaml:" && [ "$(ls "$tmp"/b.* | wc -l)" = 1 ] && exits 1 "$M" sweep "$tmp/none.yaml" && says "none.yaml: error: cannot"  &&
	file b "$two" 'exclude: [{kernel: [saxpy, reduction]}]' && sweep 1 b && says "every point is excluded" &&
	file b "$two" 'set: {rf_banks: {from: 1, to: 32}, collectors_sp: {from: 1, to: 16}, sms: {from: 1, to: 32}, rf_entries: {from: 1, to: 64}}' && exits 1 "$M" sweep "$tmp/b.yaml"
}
t "files that are absent or wrong" files
usage_errors() {
	exits 2 "$M" sweep && says "which file?" && exits 2 "$M" sweep a b && says "one file at a time" && exits 2 "$M" sweep a --engin=local && says "did you mean --engine" &&
	exits 2 "$M" sweep a --engine=pbs && says "not 'pbs'" && exits 2 "$M" sweep a --jobs 0 && exits 2 "$M" sweep a --points 3-2 && exits 2 "$M" sweep a --points x && exits 2 "$M" sweep a --jobs &&
	exits 2 "$M" sweep a --hosts : && says "belongs to --engine=parallel" && exits 2 "$M" sweep a --quiet=1 && exits 2 "$M" sweep a --out x --out y && exits 0 "$M" sweep --help && grep -q 'OUT.journal' "$tmp/out" &&
	echo '{}' > "$tmp/u.unit" && exits 1 "$M" sweep --unit "$tmp/u" && says "is not a unit of a sweep" && exits 1 "$M" sweep --unit "$tmp/none" && says "none.unit: error: cannot read" &&
	echo "{\"object\":\"a\",\"launch\":\"b\",\"points\":[{\"id\":\"$(printf %064d 0)\",\"config\":\"machIne=gtx480,baseline\"}]}" > "$tmp/u.unit" && exits 1 "$M" sweep --unit "$tmp/u" && says "machIne"
}
t "wrong usage" usage_errors

short_of_memory() { # what a machine may have is shared by what runs at once there; a point that has too little fails and says why, and is timed where there is more
	file hungry "kernels: [{object: saxpy.rlo, launch: saxpy.yaml}]" 'rf: [baseline]' && sweep 1 hungry --jobs 2 --max-memory 8 && says 'point 1 failed: out of memory: the limit of 4 MiB is reached; --max-memory MIB sets another' &&
	sweep 0 hungry --max-memory 0 && exits 2 "$M" sweep a --max-memory x && says "wants a whole number of MiB, at most 1073741824, not 'x'"
}
t "--max-memory" short_of_memory

# ---- GNU parallel on this machine ----
parallel_here() {
	cp "$tmp/ref.yaml" "$tmp/par.yaml" && sed -i 's/^kernels/together: 4\nkernels/' "$tmp/par.yaml" && cp examples/reduction/reduction.yaml "$tmp" && sweep 0 par --engine=parallel --hosts : --jobs 2 && same_rows ref par && once par 25 &&
	[ ! -e "$tmp/par.d" ] && rm "$tmp/par.journal" && sed -i 's/retry.*//; s/^kernels/retry: 0\nkernels/' "$tmp/par.yaml" && PATH=/nonexistent exits 1 "$M" sweep "$tmp/par.yaml" --engine=parallel && says "parallel: error: cannot start"
}
if command -v parallel > /dev/null && parallel --version 2> /dev/null | grep -q '^GNU parallel'; then t "--engine=parallel" parallel_here; else skip "--engine=parallel" "GNU parallel is not installed"; fi
finish
