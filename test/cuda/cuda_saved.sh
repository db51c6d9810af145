#!/bin/bash
# Launches that regloom-run saves (docs/SAVED.md): sm-model repeats them to the same counters, and refuses what is damaged. And what sm-model says of a run,
# said of the launches of a program. Needs no nvcc: the programs stand for launch files (test/cuda_replay), or are C against the core.
. "$(dirname "$0")/../lib.sh"
here=$PWD R=$B/regloom-run
export XDG_CACHE_HOME=$tmp/cache TMPDIR=$tmp
unset REGLOOM_CUDA
sanitized
# saves EXAMPLE OPTION...: into $tmp/saved, with a report of all metrics
saves() { rm -rf "$tmp/saved" && exits 0 "$R" --save-launch "$tmp/saved" --report "$tmp/r.json" --all "${@:2}" "$B/test/cuda_replay" "examples/$1/$1.ptx" "examples/$1/$1.yaml"; }
# same LAUNCH MACHINE RF: of the report and of sm-model, all metrics; at least 100 of them
same() {
	exits 0 "$M" run "$tmp/saved/launch-$1"/kernel.* --launch "$tmp/saved/launch-$1/launch.yaml" --machine "$2" --rf "$3" --quiet --json "$tmp/run.json" &&
	python3 - "$tmp/r.json" "$tmp/run.json" "$1" "$3" <<-'EOF'
	import json, sys
	report, run, launch, rf = sys.argv[1:]
	rows = [r for r in map(json.loads, open(report)) if r["type"] == "launch" and r["launch"] == int(launch)]
	a = next(c for c in rows[0]["configurations"] if c["name"] == rf)["metrics"]
	b = json.load(open(run))["metrics"]
	number = lambda x: x if x is None else float("%.12g" % x)
	wrong = {n: (a[n]["value"], b[n]["value"]) for n in a if number(a[n]["value"]) != number(b[n]["value"])}
	assert len(a) > 100 and set(a) == set(b) and not wrong, str(wrong)[:1000]
	EOF
}
repeats() { # EXAMPLE LAUNCHES MACHINE RF: each of them; later ones find what those before left in memory and in the L2
	local n; saves "$1" --machine "$3" --rf "$4" --launches "1-$2" && [ "$(find "$tmp/saved" -mindepth 1 -maxdepth 1 | wc -l)" = "$2" ] || return
	for n in $(seq "$2"); do same "$n" "$3" "$4" || return; done
}
t "one launch" repeats sgemm 1 gtx480 baseline
t "several, which share memory and an L2 that keeps its lines" repeats bfs 6 gtx480 baseline
t "under a register file that takes annotations" repeats lud 3 corf corf++
t "under variants that share registers between warps" repeats particlefilter 2 regmutex regmutex
t "on a machine of today" repeats reduction 2 rtx3080 baseline
first_only() { saves lud && [ "$(find "$tmp/saved" -name kernel.rlo | wc -l)" = "$(grep -c '"type":"kernel"' "$tmp/r.json")" ]; }
t "without --launches the first launch of each kernel, without timing" first_only
small() { # what is zero takes nothing
	cat > "$tmp/big.yaml" <<-'EOF' &&
	buffers:
	  - {name: x, type: f32, count: 64000000}
	  - {name: y, type: f32, count: 64000000, fill: constant, value: 1.5}
	launches:
	  - {kernel: saxpy, grid: [4], block: [256], args: [{buffer: y}, {buffer: x}, {value: 2.5, type: f32}, {value: 1024, type: u32}]}
	EOF
	rm -rf "$tmp/saved" && exits 0 "$R" --save-launch "$tmp/saved" "$B/test/cuda_replay" examples/saxpy/saxpy.ptx "$tmp/big.yaml" && [ "$(du -sb "$tmp/saved" | cut -f1)" -lt 100000 ] &&
	exits 0 "$M" run "$tmp/saved/launch-1/kernel.rlo" --launch "$tmp/saved/launch-1/launch.yaml" --functional; }
t "a saved launch is small" small

# ---- damage ----
# damaged HOW FILE: refused with one error, and nothing else is said
damaged() {
	rm -rf "$tmp/hurt" && cp -r "$tmp/saved/launch-1" "$tmp/hurt" || return
	case $1 in
	cut) truncate -s $(($(stat -c %s "$tmp/hurt/$2") * 2 / 3)) "$tmp/hurt/$2" ;;
	empty) : > "$tmp/hurt/$2" ;;
	longer) printf x >> "$tmp/hurt/$2" ;;
	gone) rm "$tmp/hurt/$2" ;;
	*) python3 -c 'import sys; p, at = sys.argv[1], float(sys.argv[2]); b = bytearray(open(p, "rb").read()); b[int(at * len(b))] ^= 4; open(p, "wb").write(b)' "$tmp/hurt/$2" "$1" ;;
	esac
	exits 1 "$M" run "$tmp/hurt/kernel.rlo" --launch "$tmp/hurt/launch.yaml" --rf baseline && [ "$(grep -c 'error: ' "$tmp/err")" = 1 ] && [ ! -s "$tmp/out" ]
}
each_damage() { local how; for how in cut empty longer gone 0.1 0.3 0.5 0.7 0.9; do damaged "$how" "$1" || { echo "$how $1"; return 1; }; done; }
saves bfs --rf baseline --launches 1
for file in kernel.rlo launch.yaml memory.zst l2.zst; do t "damage: $file" each_damage $file; done
other() { saves bfs --rf baseline --launches 1-2 && cp "$tmp/saved/launch-2/kernel.rlo" "$tmp/saved/launch-1/" && exits 1 "$M" run "$tmp/saved/launch-1/kernel.rlo" --launch "$tmp/saved/launch-1/launch.yaml" && says 'is not the file that this launch was saved with'; }
t "the object of another launch" other
edited() { saves sgemm --launches 1 && sed -i 's/grid: .*/grid: [1]/' "$tmp/saved/launch-1/launch.yaml" && exits 1 "$M" run "$tmp/saved/launch-1/kernel.rlo" --launch "$tmp/saved/launch-1/launch.yaml" && says 'whoever has edited it removes this line' &&
	sed -i '/^sha256/d' "$tmp/saved/launch-1/launch.yaml" && exits 0 "$M" run "$tmp/saved/launch-1/kernel.rlo" --launch "$tmp/saved/launch-1/launch.yaml"; }
t "a launch file that was edited" edited

# ---- what is in the way ----
in_the_way() { rm -rf "$tmp/saved" && mkdir -p "$tmp/saved/launch-1" && echo mine > "$tmp/saved/launch-1/notes" &&
	exits 1 "$R" --save-launch "$tmp/saved" "$B/test/cuda_replay" examples/saxpy/saxpy.ptx examples/saxpy/saxpy.yaml && says 'launch-1: is there, and no launch was saved in it' && [ "$(ls "$tmp/saved/launch-1")" = notes ]; }
again() { saves saxpy && exits 0 "$R" --save-launch "$tmp/saved" "$B/test/cuda_replay" examples/saxpy/saxpy.ptx examples/saxpy/saxpy.yaml && same_files; }
same_files() { [ "$(ls "$tmp/saved")" = launch-1 ] && [ "$(ls "$tmp/saved/launch-1" | wc -l)" = 3 ]; }
nowhere() { exits 1 "$R" --save-launch /proc/nothing "$B/test/cuda_replay" examples/saxpy/saxpy.ptx examples/saxpy/saxpy.yaml && says 'is not saved: /proc/nothing'; }
t "a folder with something else in it is left alone" in_the_way
t "a launch that was saved there before is written over" again
t "a folder that cannot be made" nowhere

# ---- variables, constants, and what cannot be saved ----
# shellcheck disable=SC2086
builds() { $host_cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g $host_flags -I. test/cuda_core/core.c -o "$tmp/core" -L"$B/cuda" -lregloom-cuda -Wl,-rpath,"$here/$B/cuda" -pthread -lm; }
core() { rm -rf "$tmp/saved"; exits "$1" "$R" --save-launch "$tmp/saved" --report "$tmp/r.json" --all "${@:3}" "$tmp/core" "$here/test/cuda_core" "$2"; } # STATUS CASE OPTION...
variables() { local n; core 0 variables --rf baseline --launches 1- || return; for n in $(seq "$(find "$tmp/saved" -mindepth 1 -maxdepth 1 | wc -l)"); do same "$n" gtx480 baseline || return; done; [ "$n" -gt 1 ]; }
t "a program in C against the core" builds
t "variables and constants that were written" variables
# shellcheck disable=SC2086
builds_driver() { $host_cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g $host_flags -I. test/cuda_core/driver*.c -o "$tmp/driver" -L"$B/cuda" -l:libcuda.so.1 -Wl,-rpath,"$here/$B/cuda" -ldl; }
by_driver() { # CASE: each of its launches
	local n d; rm -rf "$tmp/saved"; exits 0 "$R" --rf baseline --launches 1- --save-launch "$tmp/saved" --report "$tmp/r.json" --all "$tmp/driver" "$here/test/cuda_core" "$1" || return
	for d in "$tmp"/saved/launch-*; do n=${d##*-} && same "$n" gtx480 baseline || return; done; [ "$n" -gt 0 ]
}
t "a program in C against libcuda" builds_driver
t "textures and surfaces" by_driver textures
t "textures with levels of detail" by_driver mipmaps

# ---- what sm-model says of a run, of a program's launches ----
replays() { exits 0 "$R" "${@:2}" "$B/test/cuda_replay" "examples/$1/$1.ptx" "examples/$1/$1.yaml"; } # EXAMPLE OPTION...
told_alike() { # COMMAND OPTION...: behind the table stands what sm-model says of the same launch, saved
	saves sgemm --launches 1 --rf baseline && replays sgemm "${@:2}" && sed -n '/^explain\|^values\|^warps/,$p' "$tmp/err" > "$tmp/one" &&
	exits 0 "$M" "$1" "$tmp/saved/launch-1/kernel.rlo" --launch "$tmp/saved/launch-1/launch.yaml" $(sed 's/--usage\|--values//' <<< "${@:2}") && sed -n '/^explain\|^values\|^warps/,$p' "$tmp/out" > "$tmp/two" &&
	[ "$(wc -l < "$tmp/one")" -gt 9 ] && diff "$tmp/one" "$tmp/two"
}
t "where issue slots went" told_alike run --explain
t "where issue slots went, all of it" told_alike run --explain=all
t "how values are used" told_alike usage --usage
t "how alike values are, by line" told_alike values --values --by-line
traced() { replays bfs --trace "$tmp/t.json" --pipeview "$tmp/p.log" --series "$tmp/s.csv" --trace-cycles 500 --launches 1-3 && test/script/trace.py chrome "$tmp/t.json" && test/script/trace.py kanata "$tmp/p.log" &&
	[ "$(cut -d, -f1 "$tmp/s.csv" | sort -u | wc -l)" -gt 2 ] && says 'trace     ' && says 'pipeview'; }
t "what happened in each cycle" traced
pages() { # all kernels on one page; of the report too
	rm -f "$tmp/r.json"; replays lud --rf baseline,corf++ --machine corf --html "$tmp/a.html" --report "$tmp/r.json" && exits 0 "$M" report "$tmp/r.json" -o "$tmp/b.html" &&
	python3 - "$tmp/a.html" "$tmp/b.html" <<-'EOF'
	import json, re, sys
	for path, detailed in zip(sys.argv[1:], (True, False)):
	    data = json.loads(re.search(r'<script[^>]*application/json[^>]*>(.*?)</script>', open(path).read(), re.S).group(1))
	    results = [f["result"] for f in data["files"]]
	    assert {r["kernel"] for r in results} == {"lud_shift", "lud_diagonal", "lud_edges", "lud_rest"}, [r["kernel"] for r in results]
	    assert all(len(r["configurations"]) == 2 and ("detail" in r) == detailed for r in results)
	EOF
}
t "a page, of the launches and of their report" pages
no_page() { printf '{"point":1,"kernel":"a"}\n{"point":2}\n' > "$tmp/s.jsonl" && exits 1 "$M" report "$tmp/s.jsonl" -o "$tmp/x.html" && says 'the .csv beside it is their table' &&
	exits 0 "$M" usage "$tmp/saved/launch-1/kernel.rlo" --launch "$tmp/saved/launch-1/launch.yaml" --json "$tmp/u.json" && exits 1 "$M" report "$tmp/u.json" -o "$tmp/x.html" && says 'sm-model usage prints it' && [ ! -e "$tmp/x.html" ]; }
t "of what there is no page it is said who shows it" no_page
together() { exits 2 "$R" --usage --rf baseline true && says '--usage executes without timing' && exits 2 "$R" --usage --values true && says 'are two runs' && exits 2 "$R" --by-line true && says '--by-line belongs to --values' &&
	exits 2 "$R" --explain --quiet true && exits 2 "$R" --trace-from 3 true && says 'need --trace or --pipeview'; }
t "what does not go together" together
sm_of() { REGLOOM_CUDA= exits 0 "$R" --machine "$1" "$B/test/cuda_replay" examples/saxpy/saxpy.ptx examples/saxpy/saxpy.yaml && says "(sm_$2)"; }
t "the compute capability is the machine's" sm_of rtx3080 86
t "and of one that has none the newest of Hopper" sm_of gtx480 90a
finish
