#!/bin/bash
# CUDA processes on the model: the core's interface from plain C, its cache, and regloom-run around a program. Needs no nvcc.
. "$(dirname "$0")/../lib.sh"
here=$PWD
export XDG_CACHE_HOME=$tmp/cache TMPDIR=$tmp
export LD_LIBRARY_PATH=$here/$B/cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}        # it goes before a program's run path, and may lead to NVIDIA's
unset REGLOOM_CUDA
sanitized
# shellcheck disable=SC2086
builds() { $host_cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g $host_flags -I. "test/cuda_core/$1.c" -o "$tmp/$1" -L"$B/cuda" -lregloom-cuda -Wl,-rpath,"$here/$B/cuda" -pthread -lm; }
program() { case $1 in images | linked | lines | namesakes | deep | together) echo "$tmp/images" ;; *) echo "$tmp/core" ;; esac; } # that has CASE
core() { "$(program "$1")" "$here/test/cuda_core" "$@"; }
passes() { exits 0 core "$1" && grep -q ' 0 wrong' "$tmp/out"; }
says_error() { passes "$1" && says "$2"; }
taken_away() { core unmapped > "$tmp/out" 2> "$tmp/err"; got=$?; [ $got != 0 ] && says 'memory that was registered (cudaHostRegister), at 0x' && says 'was it unmapped or freed'; }
unwritten() { REGLOOM_CUDA='["--check","init"]' says_error unwritten "19996 bytes into device memory (20000 bytes" && says 'regloom: init 2 times at 1 instruction'; }
linked_lines() { says_error lines "second.cu:7" && says "first.cu:5"; }
isolated() { # SIGSEGV; the sanitizer's handler ends with 1
	core touch > "$tmp/out" 2> "$tmp/err"; got=$?
	[ $got != 0 ] && says 'host code touched device memory at 0x' && says '0x8 into an allocation of 0x40 bytes'
}
in_order() { passes print && sed '$d' "$tmp/out" | diff <(printf 'before\nissued\ncta 0\ncta 1\ncta 2\nafter\n') -; }
entries() { find "$tmp/cache/regloom" -type f -name '????????????????????????????????????????????????????????????????'; }
asked_for() { # the variables and the kernels that are used have entries, the others and the bad ones none; all at once, and one by one
	rm -rf "$tmp/cache" && says_error lazy "'%nothing' is not declared" && says "kernel outside cannot be run:" && says "'absent' is used but this module does not define it" &&
	[ "$(entries | wc -l)" = 5 ] && [ "$(says_error lazy "kernel wrong cannot be run:" > /dev/null; grep -c 'kernel wrong cannot' "$tmp/err")" = 1 ] && [ "$(entries | wc -l)" = 5 ]; }
race() { # eight at once make an entry of the variables and one of the kernel, whole, and leave nothing else
	rm -rf "$tmp/cache"
	for i in 1 2 3 4 5 6 7 8; do core run > "$tmp/race$i" 2>&1 & done
	wait
	[ "$(grep -l ' 0 wrong' "$tmp"/race? | wc -l)" = 8 ] && [ "$(entries | wc -l)" = 2 ] && [ -z "$(find "$tmp/cache" -name 'new-*')" ]
}
damaged() { # HOW: entries that are cut, changed or empty are made again
	local e before; passes run || return
	for e in $(entries); do
		before=$(sha256sum < "$e")
		case $1 in
		cut) truncate -s 1000 "$e" ;;
		changed) printf 'x' | dd of="$e" bs=1 seek=1200 conv=notrunc status=none ;;
		empty) : > "$e" ;;
		esac
		[ "$(sha256sum < "$e")" != "$before" ] && passes run && [ "$(sha256sum < "$e")" = "$before" ] || return
	done
}
used() { # an entry that is there is read, not made again
	local e before; passes run || return
	e=$(entries | head -1) && touch -d '2 days ago' "$e" && before=$(stat -c %i "$e") && passes run && [ "$(stat -c %i "$e")" = "$before" ] && [ "$(find "$e" -mtime -1)" = "$e" ]
}
another() { # HOW: what lies in the place of an entry and is none of ours is not read, and does not stop the program
	local a b before; rm -rf "$tmp/cache"; passes variables && passes run || return
	a=$(entries | xargs grep -l saxpy | xargs grep -L reverse) b=$(entries | xargs grep -L saxpy) before=$(sha256sum < "$a")
	[ "$(wc -w <<< "$a $b")" = 2 ] || return
	case $1 in
	copied) cp "$b" "$a" ;;
	open) chmod go+w "$a" ;;
	link) mv "$a" "$tmp/elsewhere" && ln -s "$tmp/elsewhere" "$a" ;;
	pipe) rm "$a" && mkfifo "$a" ;;
	esac
	timeout 60 "$tmp/core" "$here/test/cuda_core" run > "$tmp/out" && grep -q ' 0 wrong' "$tmp/out" && [ -f "$a" ] && [ ! -L "$a" ] && [ "$(stat -c %a "$a")" = 600 ] && [ "$(sha256sum < "$a")" = "$before" ]
}
locked() { # locks that are none: nothing is kept
	local l; rm -rf "$tmp/cache"; passes run || return
	for l in "$tmp"/cache/regloom/lock-*; do rm "$l" && mkfifo "$l"; done
	rm $(entries) && timeout 60 "$tmp/core" "$here/test/cuda_core" run > "$tmp/out" && grep -q ' 0 wrong' "$tmp/out" && [ -z "$(entries)" ]
}
rebuilt() { # another compiler, told by its build id, has entries of its own
	rm -rf "$tmp/cache" && passes run && [ "$(entries | wc -l)" = 2 ] && mkdir -p "$tmp/rebuilt" && cp "$B/cuda/libregloom-cuda.so" "$tmp/rebuilt" &&
	objcopy --dump-section .note.gnu.build-id="$tmp/id" "$tmp/rebuilt/libregloom-cuda.so" && printf '\0\1\2\3' | dd of="$tmp/id" bs=1 seek=16 conv=notrunc status=none &&
	objcopy --update-section .note.gnu.build-id="$tmp/id" "$tmp/rebuilt/libregloom-cuda.so" && LD_LIBRARY_PATH=$tmp/rebuilt passes run && [ "$(entries | wc -l)" = 4 ]
}
unwritable() { XDG_CACHE_HOME=/proc/nothing passes run; }
at_home() ( # where there is no folder of caches, and no home either
	unset XDG_CACHE_HOME; export HOME=$tmp/home
	passes run && [ "$(find "$HOME/.cache/regloom" -type f -name '????????????????????????????????????????????????????????????????' | wc -l)" = 2 ] && unset HOME && passes run
)
t "a program in C against the core" builds core
t "another, of variants" builds variant
t "another, of images" builds images
t "launches and copies" passes run
t "variables of modules" passes variables
t "what the host has written, copied or not" unwritten
t "allocations, managed, pinned and registered memory; limits of launches" passes memory
t "boxes" passes boxes
t "clocks of streams and events" passes clocks
t "one bad kernel spoils no other" says_error bad "test/cuda_core/bad.ptx:14:14: error: '%undeclared' is not declared"
t "kernels are compiled when they are asked for" asked_for
t "faults, and what every later call says" says_error faults "  memory  0 bytes behind 100 bytes of device memory at 0x"
for line in "kernel poke, launch 1: access outside memory" "test/cuda_core/kernels.ptx:109:2, instruction 1" "outside memory, 100 bytes after the start of device memory" "in CTA (0,0,0), thread (0,0,0)" \
  "allocated by faults, test/cuda_core/core.c:" "misaligned access" "access of host memory, which the device does not see" "access of memory that was freed"; do
	t "a fault says: $line" says "$line"
done
t "an assertion of a kernel" says_error asserts "assertion 'n == 0' failed in check, app.cu:77 in CTA (0,0,0), thread (1,0,0)"
t "host code that touches device memory" isolated
t "registered memory that was unmapped" taken_away
t "a forked child has no device" passes fork
t "a child that was forked before the device was used has one" passes fork_early
t "what kernels print, when the host waits" in_order
t "threads" passes threads
t "fatbins, and what is none" says_error images "newer: has PTX for sm_100, and the device is sm_90a"
t "machine code alone" says "error: "
t "modules that are linked" says_error linked "several of its modules define"
t "lines of modules that are linked" linked_lines
t "a stack that overflows, and what sets its size" says_error deep "of stack (cudaDeviceSetLimit(cudaLimitStackSize, BYTES) or cuCtxSetLimit() gives more)"
t "eight starts at once, one compilation of each" race
t "an entry that was cut" damaged cut
t "an entry that was changed" damaged changed
t "an empty entry" damaged empty
t "an entry is used" used
t "an entry under another's name" another copied
t "an entry that others may write" another open
t "a link in the place of an entry" another link
t "a pipe in the place of an entry" another pipe
t "pipes in the place of locks" locked
t "a compiler that was built anew" rebuilt
little() { ( ulimit -v 4000000; passes run ); }
options() { REGLOOM_CUDA=$1 exits 1 core run && says "$2" && grep -q 'no CUDA-capable device' "$tmp/out"; }
t "no folder for the cache" unwritable
t "the cache of who has a home, and of who has none" at_home
if [ -z "$host_flags" ]; then t "a limit of addresses" little; else skip "a limit of addresses" "sanitizers"; fi
t "an environment that is damaged" options '[' "is no JSON array of options"
t "an environment with a wrong kind of code" options '["--code","cubin"]' "--code=cubin is no kind of code: auto, ptx or sass"
t "machine code, and how PTX is compiled" options '["--code","sass","--maxreg","24"]' "--maxreg says how PTX is compiled, and --code=sass takes machine code"
t "an environment with a wrong option" options '["--rf","corff"]' "no preset is called 'corff'"

# ---- the driver interface ----
# shellcheck disable=SC2086
builds_driver() { $host_cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g $host_flags -I. test/cuda_core/driver*.c -o "$tmp/driver" -L"$B/cuda" -l:libcuda.so.1 -Wl,-rpath,"$here/$B/cuda" -ldl; }
driver() { exits 0 "$tmp/driver" "$here/test/cuda_core" "$1" && grep -q ' 0 wrong' "$tmp/out"; }
all_missing() { driver missing && says 'a library of NVIDIA'"'"'s (cuBLAS, cuFFT,' && [ "$(grep -c 'is not there yet' "$tmp/err")" = "$(grep -c '^NO' runtime-model/cuda/driver/missing.def)" ]; }
names() { diff <(nm -D --defined-only "$B/cuda/libcuda.so.1" | awk '$2 == "T" { print $3 }' | sort) <(nm -D --defined-only "$stub" | awk '$2 == "T" { print $3 }' | sort); }
t "a program in C against libcuda" builds_driver
t "libcuda: initialisation, devices, contexts" driver contexts
t "libcuda: modules, functions, launches" driver launches
t "libcuda: memory" driver memory
t "libcuda: what contexts own goes with them" driver ownership
t "libcuda: logs of the compiler, files that are cut" driver images
t "libcuda: libraries and their kernels" driver libraries
t "libcuda: linking" driver linking
t "libcuda: arrays, textures, surfaces" driver textures
t "libcuda: hints" driver hints
t "libcuda: capture" driver captures
t "libcuda: graphs" driver graphs
t "libcuda: pools, also of the runtime" driver pools
t "libcuda: reserved addresses and what is mapped there" driver mappings
t "libcuda: memory and events of another process" driver processes
t "libcuda: memory and pools of another process, by files" driver by_files
unmapped() { # each fault by its name
	driver unmapped && [ "$(grep -c 'launch [15]: access of reserved addresses where no memory is mapped (cuMemMap)' "$tmp/err")" = 2 ] && [ "$(grep -c 'launch [23]: access that was not allowed (cuMemSetAccess)' "$tmp/err")" = 2 ] &&
	says 'are 2097152 bytes into reserved addresses (4194304 bytes at 0x' && says ', where nothing is mapped in CTA (0,0,0), thread (32,0,0)' && says 'where memory is mapped that nobody may access' &&
	says 'where memory is mapped that may be read, not written' && says 'reserved addresses at 0x7e90d2200000, allocated by unmapped, test/cuda_core/driver_memory.c:' && [ "$(grep -c 'error: ' "$tmp/err")" = 4 ]; }
t "libcuda: kernels that leave what is mapped or allowed" unmapped
t "libcuda: arrays with levels of detail" driver mipmaps
printed() { driver clusters && [ "$(grep -cx there "$tmp/out")" = 1 ]; }
given() { REGLOOM_CUDA=$2 driver "$1"; }
t "libcuda: clusters, of kernels, functions and launches" printed
t "libcuda: clusters, which there are not before 9.0" given no_clusters '["--sm","80"]'
t "libcuda: clusters that the device has no room for" given room_of_clusters '["--set","sms=1"]'
on_75() { REGLOOM_CUDA='["--sm","75"'${2:+,$2}']' driver "$1"; } # CASE OPTIONS
taken() { on_75 versions "$2" && grep -qx "registers $1" "$tmp/out"; } # REGISTERS OPTIONS: those of the version that is taken
t "libcuda: machine code, with its variables and functions" on_75 native
t "libcuda: machine code for another device" says "sgemm.sm_86.cubin: is machine code for sm_86, and the device is sm_75: run it with regloom-run --sm 86"
t "libcuda: of a fatbin machine code is taken" taken 10 ''
t "libcuda: machine code that is asked for" taken 10 '"--code","sass"'
t "libcuda: PTX that is asked for" taken 4 '"--code=ptx"'
t "libcuda: PTX, where it is said how it is compiled" taken 4 '"--no-schedule"'
t "libcuda: images that are damaged" on_75 damaged
t "libcuda: what is missing says so" all_missing
stub=/usr/local/cuda/lib/stubs/libcuda.so
if [ -e $stub ]; then t "libcuda: every name of NVIDIA's" names; else skip "libcuda: every name of NVIDIA's" "no stub of it"; fi

# ---- regloom-run ----
R=$B/regloom-run
wrapped() { "$R" "${@:2}" "$(program "$1")" "$here/test/cuda_core" "$1"; } # CASE OPTION...
ends() { exits 0 wrapped "$@" && grep -q ' 0 wrong' "$tmp/out"; }
varies() { exits 0 "$R" "${@:2}" "$tmp/variant" "$here/test/cuda_core" "$1" && grep -q ' 0 wrong' "$tmp/out"; } # CASE OPTION...
rows() { # PYTHON: holds of l, the launches, k, the kernels, and f, the faults, of the report, which fits its schema
	python3 - "$tmp/r.json" "$1" <<-'EOF'
	import json, math, subprocess, sys
	lines = open(sys.argv[1]).read().splitlines()
	for line in lines:
	    open(sys.argv[1] + ".1", "w").write(line)
	    subprocess.run(["test/tool/schema.py", sys.argv[1] + ".1", "docs/cuda_run.schema.json"], check=True)
	rows = [json.loads(line) for line in lines]
	l, k, f = ([r for r in rows if r["type"] == t] for t in ("launch", "kernel", "fault"))
	cycles = lambda r, c=0: r["configurations"][c]["metrics"]["cycles"]["value"]
	assert eval(sys.argv[2]), str(rows)[:2000]
	EOF
}
table() { grep -Eq "$1" "$tmp/err" || { cat "$tmp/err"; return 1; }; }
# Annotations, of the program that a launch file stands for (cuda_agree.sh has what it counts)
replays() { exits 0 "$R" "${@:2}" "$B/test/cuda_replay" "examples/$1/$1.ptx" "examples/$1/$1.yaml"; } # EXAMPLE OPTION...
same_options() { # each row of the passes is an option of both commands
	local n; [ "$(grep -c '^OPTION(' passes/options.def)" -gt 20 ] || return
	for n in $(sed -nE 's/^OPTION\([A-Z_]+, "([^"]+)".*/\1/p' passes/options.def); do
		"$R" --help | grep -q -- "^  --$n\b" && "$A" --help | grep -q -- "^  --$n\b" || { echo "--$n"; return 1; }
	done
}
for_launch() { # without the CTA's threads no size is chosen for this kernel
	replays particlefilter --rf regmutex --machine regmutex --kernels weigh --report "$tmp/r.json" && says 'particle_weigh, regmutex: a base set of ' && says ' acquires: ' &&
	rows 'any(n.startswith("a base set of ") for r in l for c in r["configurations"] for n in c["notes"])'
}
given_size() { replays saxpy --rf baseline,regmutex --regmutex=4 && says 'saxpy, regmutex: a base set of 4 registers, an extended set of 4;'; }
illegal_size() { replays saxpy --rf baseline,regmutex --regmutex 60 && table '^ +regmutex +0 +refused' && says '--regmutex=60 is not legal' && table '^  saxpy +baseline +1 '; }
mismatch() { replays saxpy --rf split-lrf+orf --set rf_l1_entries=6 && says 'executed and not timed: the object uses 3 ORF entries a thread, and the machine has 6:' &&
	replays saxpy --rf split-lrf+orf --set rf_l1_entries=6 --orf-entries=6 && table '^  saxpy +split-lrf.orf +1 '; }
noted() { replays saxpy --rf orf --set active_warps=4 && says 'saxpy, orf: the operands of saxpy have their places by the energy of 3 ORF entries and 8 active warps' &&
	replays saxpy --rf baseline --set active_warps=4 && says 'note: configuration baseline: active_warps counts with'; }
few_registers() { replays sgemm --maxreg=12 --report "$tmp/r.json" && grep -q '"registers":12,' "$tmp/r.json" && replays sgemm --report "$tmp/r.json" && ! grep -q '"registers":12,' "$tmp/r.json"; }
untimed() { exits 2 "$R" --orf-entries=4 true && says '--orf-entries says how what is timed is annotated: give the register files by --rf'; }
t "annotation: one option set in both commands" same_options
t "annotation: registers that warps share, for the CTAs of the launch" for_launch
t "annotation: a size that is given" given_size
t "annotation: a size that is not legal" illegal_size
t "annotation: another ORF than the machine's is refused" mismatch
t "annotation: what sm-model notes" noted
t "annotation: code with few registers" few_registers
t "annotation: of nothing that is timed" untimed
alone() { ends run --report "$tmp/r.json" && rows 'len(l) == 3 and all(r["mode"] == "functional" and r["estimated"] and not r["configurations"] for r in l) and k[0]["launches"] == 3' &&
	rows 'k[0]["threads"] == sum(math.prod(r["grid"] + r["block"]) for r in l) > 0 and k[0]["modelled_ns"] == sum(r["modelled_ns"] for r in l) > 0' &&
	rows 'all(k[0][n] == sum(r[n] for r in l) > max(r[n] for r in l) for n in ("warp_instructions", "thread_instructions"))' && table '^  saxpy +3 +0 '; }
on_threads() { # what is computed, printed and reported is the same on any number of them; with --any-order what adds up is
	local c n
	for c in run variables print; do
		for n in 1 2 5; do
			rm -f "$tmp/r.json"; ends "$c" --threads $n --report "$tmp/r.json" && cat "$tmp/out" <(sed -E 's/"(pid|host_seconds)":[0-9.e-]+,//g' "$tmp/r.json") > "$tmp/on$n" || return
		done
		[ -s "$tmp/r.json" ] && diff "$tmp/on1" "$tmp/on2" && diff "$tmp/on1" "$tmp/on5" && ends "$c" --threads 5 --any-order || return
	done
}
two() { # the second column of cycles is smaller or larger, and the counts of instructions are the same
	ends run --rf baseline --rf corf++ --report "$tmp/r.json" &&
	rows 'all(c["metrics"]["warp_instructions"]["value"] == r["warp_instructions"] for r in l for c in r["configurations"]) and [c["name"] for c in l[0]["configurations"]] == ["baseline", "corf++"]' &&
	rows 'k[0]["configurations"][1]["metrics"]["cycles"]["value"] == sum(cycles(r, 1) for r in l) and not l[0]["estimated"] and l[0]["modelled_ns"] == -(-cycles(l[0]) * 10 // 7)' && table '^ +corf\+\+ +3 '; }
alike() { # the numbers are those of sm-model, where it does not matter at which addresses memory lies
	"$A" test/cuda_core/peak.ptx -q -o "$tmp/peak.rlo" && cat > "$tmp/peak.yaml" <<-'EOF' &&
	buffers:
	  - {name: x, type: f32, count: 8192, fill: ramp, start: 0, step: 0.015625, modulo: 17}
	launches:
	  - {kernel: peak, grid: [64], block: [128], args: [{buffer: x}, {buffer: x}, {value: 3, type: u32}]}
	EOF
	"$M" run "$tmp/peak.rlo" --launch "$tmp/peak.yaml" --set memory_fixed=300 --rf "$1" --quiet --json "$tmp/peak.json" && varies peak --set memory_fixed=300 --rf "$1" --report "$tmp/r.json" --all &&
	python3 - "$tmp/peak.json" "$tmp/r.json" <<-'EOF'
	import json, sys
	a, b = json.load(open(sys.argv[1])), next(r for r in map(json.loads, open(sys.argv[2])) if r["type"] == "launch")["configurations"][0]["metrics"]
	a = a.get("metrics") or a["configurations"][0]["metrics"]
	n = sum(1 for name in b if name in a)
	wrong = {name: (a[name]["value"], b[name]["value"]) for name in b if name in a and abs((a[name]["value"] or 0) - (b[name]["value"] or 0)) > 1e-9 * abs(a[name]["value"] or 0)}
	assert n > 100 and not wrong, (n, str(wrong)[:1000])
	EOF
}
variant() { # what it leaves is compared where all of it was executed
	varies peak --rf baseline,regmutex --report "$tmp/r.json" --all && rows 'l[0]["configurations"][1]["metrics"]["rf_acquires"]["value"] > 0 and l[0]["configurations"][0]["metrics"]["rf_acquires"]["value"] == 0' && ! grep -q warning "$tmp/err" &&
	varies peak --rf baseline,regmutex --set sms=1 --max-cycles 600 && table '^ +regmutex +1[*] +600 ' && ! grep -q warning "$tmp/err"; }
compiled_with() { # what is compiled with other options is not used; machines, and what is known of a launch, make no other code
	local o n
	rm -rf "$tmp/cache"
	while read -r n o; do
		# shellcheck disable=SC2086
		ends run -q --rf baseline $o && [ "$(entries | wc -l)" = "$n" ] || return
	done <<< $'2\n2 --machine regmutex\n4 --maxreg 20\n6 --no-fold\n6 --orf-entries=3 --regmutex=paper\n6'; }
estimated() { # the one CTA that copies is on one SM, of 2 schedulers
	varies heap --report "$tmp/r.json" && rows '[r for r in l if r["kernel"] == "fetch"][0]["modelled_ns"] >= [r for r in l if r["kernel"] == "fetch"][0]["warp_instructions"] / 2 / 0.7'; }
preloaded() { # what is copied to the device lies in the L2
	ends run --rf baseline --set l2_preload=0 --report "$tmp/r.json" && cp "$tmp/r.json" "$tmp/cold.json" && ends run --rf baseline --report "$tmp/r.json" && cat "$tmp/cold.json" >> "$tmp/r.json" && rows 'cycles(l[0]) < cycles(l[3])'; }
namesakes() { # one row for each image, whatever number of times it is loaded
	ends namesakes --report "$tmp/r.json" && rows 'sorted((r["name"], r["launches"]) for r in k) == [("saxpy", 2), ("saxpy (2)", 1)] and [r["name"] for r in l] == ["saxpy", "saxpy (2)", "saxpy"]' && table '^  saxpy [(]2[)] +1 '; }
selected() { ends run --rf baseline --launches 2 --kernels '^saxpy$' --report "$tmp/r.json" && rows '[r["mode"] for r in l] == ["functional", "timed", "functional"]' && ends variables --rf baseline --kernels axp --report "$tmp/r.json" && rows 'len(l) == 4 and all(r["mode"] == "functional" for r in l)'; }
partly() { # a sum is estimated if a part of it is
	ends run --rf baseline --launches 2- --report "$tmp/r.json" && rows '[r["estimated"] for r in l] == [True, False, False] and k[0]["estimated"]'; }
exhausted() { # what one configuration has used up the other has not
	local n
	ends run --rf baseline,corf++ --report "$tmp/r.json" && n=$(head -2 "$tmp/r.json" | python3 -c 'import json, sys; print(max(map(sum, zip(*([c["metrics"]["cycles"]["value"] for c in json.loads(r)["configurations"]] for r in sys.stdin)))))') &&
	ends run --rf baseline,corf++ --max-cycles "$n" --report "$tmp/r.json" && rows 'sorted(cycles(l[2], c) <= 1 for c in (0, 1)) == [False, True] and all((cycles(l[0], c) + cycles(l[1], c) == '"$n"') == (cycles(l[2], c) <= 1) for c in (0, 1))'; }
limited() { # what is not timed is executed
	ends run --rf baseline --max-insns 100 --report "$tmp/r.json" && rows '[r["mode"] for r in l] == ["timed", "functional", "functional"] and l[0]["configurations"][0]["status"] == "stopped" and k[0]["configurations"][0]["stopped"] == 1 and l[0]["warp_instructions"] == l[1]["warp_instructions"] and l[0]["estimated"] and abs(l[0]["modelled_ns"] - -(-cycles(l[0]) * 10 // 7) * l[0]["warp_instructions"] / l[0]["configurations"][0]["metrics"]["warp_instructions"]["value"]) < 2 and l[0]["modelled_ns"] > 1.5 * cycles(l[0])' && table '^  saxpy +3 +1\* ' &&
	ends run --rf baseline,corf --max-cycles 50 --report "$tmp/r.json" && rows '[c["status"] for c in l[0]["configurations"]] == ["stopped"] * 2 and cycles(l[0]) <= 50' && table '^ +corf +1[*] +50 +- +' &&
	varies peak --rf baseline,corf --max-cycles 600 --report "$tmp/r.json" && rows 'cycles(l[0]) == cycles(l[0], 1) and l[0]["configurations"][0]["metrics"]["warp_instructions"] != l[0]["configurations"][1]["metrics"]["warp_instructions"]' && table '^ +corf +1[*] +600 +- +' &&
	varies peak --rf baseline,corf && table '^ +corf +1 +[0-9]+ +[01][.][0-9]+ +' && ! grep -q 'energy is not known' "$tmp/err"; }
unpriced() { ends run --rf baseline,orf,corf,rfc && table '^  orf, rfc: the energy table corf gives no [a-z0-9_, ]*: .* --set energy=hrf gives them' && ! grep -q '^  rfc: ' "$tmp/err"; }
refused() { # a configuration that cannot run the kernel
	ends run --rf baseline --config baseline,threads_per_sm=128,name=small --report "$tmp/r.json" && rows '[c["status"] for c in l[0]["configurations"]] == ["timed", "refused"] and "does not fit an SM" in l[0]["configurations"][1]["why"]' && table 'saxpy, small: 3 launches executed and not timed: a CTA of' &&
	ends run --config baseline,threads_per_sm=128,name=small --report "$tmp/r.json" && rows 'all(r["mode"] == "functional" and r["estimated"] and r["configurations"][0]["status"] == "refused" for r in l) and k[0]["timed_launches"] == 0 and k[0]["configurations"][0]["refused"] == 3' && table '^  saxpy +3 +0 ' && table '^  saxpy +small +0 +refused'; }
sampled() { varies peak --rf baseline --set sms=1 --set ctas_per_sm=1 --sample 4 --report "$tmp/r.json" && rows 'l[0]["configurations"][0]["status"] == "sampled"'; }
sampled_unasked() { # no sample where all is wanted, or shown
	local one='--rf baseline --set sms=1 --set ctas_per_sm=1' estimate
	ends wide $one --report "$tmp/r.json" && rows '[r["configurations"][0]["status"] for r in l] == ["sampled", "timed", "timed"]' && table 'counts, baseline: 1 launch estimated from a sample of CTAs, cycles \+- [0-9.]+ % \(--exact times all\)' &&
	estimate=$(python3 -c 'import json, sys; c = json.loads(sys.stdin.readline())["configurations"][0]; print(c["metrics"]["cycles"]["value"], c["cycles_error"])' < "$tmp/r.json") &&
	ends wide $one --exact --report "$tmp/r.json" && rows "all(r['configurations'][0]['status'] == 'timed' for r in l) and (lambda cycles, error: abs(cycles - l[0]['configurations'][0]['metrics']['cycles']['value']) <= error)(*map(float, '$estimate'.split()))" &&
	ends wide $one --sample 4 --launches 3 --report "$tmp/r.json" && rows 'l[2]["configurations"][0]["status"] == "sampled"' && table 'reads_clock, baseline: its clocks count instructions in CTAs that are not in the sample' &&
	ends wide $one --sample 0 --report "$tmp/r.json" && rows 'all(r["configurations"][0]["status"] == "timed" for r in l)' &&
	ends wide $one --explain --report "$tmp/r.json" && rows 'all(r["configurations"][0]["status"] == "timed" for r in l)'; }
wrong_use() { # MESSAGE ARGUMENT...: said before the program starts
	local m=$1; shift
	exits 2 "$R" "$@" "$tmp/core" "$here/test/cuda_core" run && says "$m" && [ ! -s "$tmp/out" ]; }
t "executed alone" alone
t "executed on one thread and on several" on_threads
t "two register files side by side" two
t "an energy that is not known, and why" unpriced
t "the numbers of sm-model" alike baseline
t "the numbers of sm-model, of a variant" alike regmutex
t "a variant that shares registers, beside the kernel" variant
t "a variant, and memory of the device's heap" varies heap --rf baseline,regmutex
uncopied() { varies reserved --rf baseline,regmutex --report "$tmp/r.json" && rows '"mapped by hand" in l[0]["configurations"][1]["why"] and l[0]["configurations"][0]["status"] == "timed"'; }
outside() { varies beyond && says 'kernel fetch, launch 2: access outside memory' && ! grep -q '^  memory ' "$tmp/err"; } # all is said
t "a variant, and addresses that are reserved" uncopied
t "a fault beyond what malloc gave" outside
if [[ $B != */tsan ]]; then t "a variant, and what the host writes meanwhile" varies host_writes --rf baseline,regmutex; else skip "a variant, and what the host writes meanwhile" "it races on purpose"; fi
t "compiled kernels, by the options that decide their code" compiled_with
t "the time of a CTA alone is estimated" estimated
t "copies to the device fill the L2" preloaded
t "kernels of one name in two images" namesakes
t "launches and kernels that are chosen" selected
t "limits of what is timed" limited
t "a limit that one configuration has reached" exhausted
t "launches of which some are timed" partly
t "a configuration that refuses" refused
t "a sample" sampled
t "a sample that nobody asked for" sampled_unasked
bounded() { # what was used longest ago goes; what was just made stays, and so does what is no entry
	local i
	rm -rf "$tmp/cache" && mkdir -p "$tmp/cache/regloom" && : > "$tmp/cache/regloom/note"
	for i in 1 2 3; do head -c 500000 /dev/zero > "$tmp/cache/regloom/$(printf '%064d' $i)" && touch -d "$((4 - i)) days ago" "$tmp/cache/regloom/$(printf '%064d' $i)"; done
	ends run --cache-mib 1 && [ ! -e "$tmp/cache/regloom/$(printf '%064d' 1)" ] && [ -e "$tmp/cache/regloom/$(printf '%064d' 3)" ] && [ -e "$tmp/cache/regloom/note" ] && [ "$(entries | wc -l)" = 4 ]; }
uncached() { rm -rf "$tmp/cache"; ends run --no-cache && [ ! -e "$tmp/cache" ] && ends run --cache "$tmp/other/place" && [ -n "$(ls "$tmp/other/place")" ] && [ ! -e "$tmp/cache" ]; }
files() { # what the program has under the numbers of regloom's files is its own
	rm -f "$tmp/r.json" && OWN=$tmp/own ends closes --report "$tmp/r.json" && rows 'len(l) == 3 and k[0]["launches"] == 3' && [ "$(cat "$tmp/own")" = mine ] &&
	GONE=$tmp/r.json OWN=$tmp/own exits 1 wrapped closes --report "$tmp/r.json" && says 'the report cannot be written: No such file or directory'; }
processes() { ends fork_early --report "$tmp/r.json" && rows 'len({r["pid"] for r in l}) == 2 and len(l) == 4'; }
summary() { ends run --rf baseline --summary "$tmp/table" && grep -q '^  saxpy  *3  *3 ' "$tmp/table" && [ ! -s "$tmp/err" ] && ends run -q && [ ! -s "$tmp/err" ]; }
foreign() { # a runtime that is not ours, found by an RPATH, or before all others
	mkdir -p "$tmp/fake" && echo 'int cudaFake(void) { return 0; }' | gcc -shared -fPIC -x c - -o "$tmp/fake/libcudart.so.12" -Wl,-soname,libcudart.so.12 &&
	gcc -std=c11 -D_GNU_SOURCE -g -I. test/cuda_core/core.c -o "$tmp/mixed" -Wl,--no-as-needed -Wl,--disable-new-dtags -L"$tmp/fake" -l:libcudart.so.12 -Wl,-rpath,"$tmp/fake" -L"$B/cuda" -lregloom-cuda -pthread -lm -Wl,--allow-shlib-undefined &&
	exits 0 "$R" "$tmp/mixed" "$here/test/cuda_core" run && says "fake/libcudart.so.12 was loaded, which is not regloom's" && says 'an RPATH of the program comes before' &&
	LD_PRELOAD=$tmp/fake/libcudart.so.12 ends run && says 'LD_PRELOAD names it'; }
bus() { # copies take their bytes over so many a second
	ends run --copy-gbs 24 --report "$tmp/r.json" && cp "$tmp/r.json" "$tmp/fast.json" && ends run --report "$tmp/r.json" && cat "$tmp/fast.json" >> "$tmp/r.json" && rows 'abs(l[0]["start_ns"] - 2 * l[3]["start_ns"]) <= 2 and l[3]["start_ns"] > 100'; }

untouched() { # OPTION FILE: what is no report is not written over, least of all the program
	cp "$tmp/core" "$tmp/copy" && printf 'notes\n' > "$tmp/notes" && exits 1 "$R" "--$1" "$2" "$tmp/copy" "$here/test/cuda_core" run && says 'is not written over' && [ ! -s "$tmp/out" ] && cmp "$tmp/core" "$tmp/copy" && [ "$(cat "$tmp/notes")" = notes ]; }
failed() { # a line for each launch that fails, and a status
	exits 9 wrapped faults --error-exitcode 9 --report "$tmp/r.json" && grep -q ' 0 wrong' "$tmp/out" && table '^  launch 1 of poke failed: access outside memory, .*kernels.ptx:109:2, instruction 1$' && table '^  poke +0 +0 .* - +ptx +[0-9]+$' &&
	rows 'f[0]["fault"] == "bounds" and f[0]["launch"] == 1 and f[0]["status"] == 700 and int(f[0]["address"], 16) % 4096 == 100 and f[0]["address"] in f[0]["text"] and f[0]["thread"] == [0, 0, 0] and "allocated by faults" in f[0]["memory"] and {"misaligned", "freed", "host"} <= {r["fault"] for r in f} and sum(r["failed_launches"] for r in k) == len(f)' &&
	ends run --error-exitcode 9; }
none_chosen() { ends run --rf baseline --kernels zzz --launches 2- && says 'warning: no launch was timed: --kernels zzz with --launches 2- is true of none of 3, the first of which is of saxpy' && ends run --rf baseline --launches 1 && ! grep -q warning "$tmp/err" &&
	ends run --save-launch "$tmp/none" --launches 9 && says 'warning: no launch was saved: --launches 9 is true of none of 3' && [ ! -e "$tmp/none" ]; }
full() { exits 1 wrapped run --report /dev/full && says 'the report cannot be written: No space left' && grep -q ' 0 wrong' "$tmp/out"; }
t "the bound of the cache" bounded
told() { ends device "${@:2}" && grep -qx "shared $1" "$tmp/out" || { cat "$tmp/out"; return 1; }; } # NUMBERS OPTION...
interrupted() { # OPTION...: on a terminal, where it shows how far it is; Ctrl-C ends it, and what is known is kept
	python3 - "$tmp" "$R" --report "$tmp/r.json" "$@" "$tmp/core" "$here/test/cuda_core" forever <<-'EOF'
	import os, pty, select, signal, sys, time
	tmp, argv = sys.argv[1], sys.argv[2:]
	pid, tty = pty.fork()
	if not pid:
	    signal.signal(signal.SIGINT, signal.SIG_DFL)         # a job in the background has it ignored
	    os.execv(argv[0], argv)
	text, sent, end = b"", False, time.time() + 60
	while time.time() < end and select.select([tty], [], [], 60)[0]:
	    try:
	        part = os.read(tty, 4096)
	    except OSError:
	        break
	    text += part
	    if not part:
	        break
	    if b"of its CTAs" in text and not sent:
	        sent = os.write(tty, b"\x03")
	open(tmp + "/err", "wb").write(text.replace(b"\r", b"\n"))
	if not sent or time.time() >= end:
	    os.kill(pid, 9)
	status = os.waitpid(pid, 0)[1]
	assert sent and os.WIFSIGNALED(status) and os.WTERMSIG(status) == 2, (status, text)
	EOF
	[ $? = 0 ] && says 'counts (launch 2): 0% of its CTAs, ' && says 'stopped by SIGINT in launch 2, of counts, which had run for ' && table '^  counts +1 +' && rows 'len(l) == 1 and k[0]["launches"] == 1' &&
	grep -q '^{"type":"interrupted".*"launch":2,.*"signal":2}$' "$tmp/r.json"; }
ended() { # SIGNAL STATUS, without a terminal: when the second launch has begun
	rm -f "$tmp/r.json"; ( env --default-signal="$1" "$R" --summary "$tmp/table" --report "$tmp/r.json" "$tmp/core" "$here/test/cuda_core" forever & p=$!
	for _ in $(seq 600); do grep -q '"launch":1,' "$tmp/r.json" && break; sleep 0.1; done
	computes $p; kill -"$1" $p; wait $p ) > "$tmp/out" 2> "$tmp/err"; [ $? = "$2" ] && grep -q "stopped by SIG$1 in launch 2, of counts" "$tmp/table"; }
inlined() { # SANITIZED programs have frames of their own
	printf '#include <stdint.h>\nstatic inline __attribute__((always_inline)) int inlined_malloc(uint64_t *p, uint64_t n)\n{\n\treturn cu_alloc(p, n, 0, CU_DEVICE, 0);\n}\n' > "$tmp/cuda_runtime.h" &&
	gcc -std=c11 -O2 -g -I. -I"$tmp" test/cuda_core/inlined.c -o "$tmp/inlined" -L"$B/cuda" -lregloom-cuda -Wl,-rpath,"$here/$B/cuda" && exits 0 "$R" "$tmp/inlined" test/cuda_core/kernels.ptx &&
	says "allocated by main, test/cuda_core/inlined.c:$(grep -n '/\* here \*/' test/cuda_core/inlined.c | cut -d: -f1)"; }
stops() { # CASE OPTION N ...: a limit stops a launch, is named, and is the program's error, the report's and, as the program ends well, the exit status
	exits 1 wrapped "$1" "$2" "$3" --report "$tmp/r.json" "${@:4}" && grep -q ' 0 wrong' "$tmp/out" && says 'it was stopped at a limit' && says "the limit of $3 " && says "; $2 N sets another, 0 none" &&
	table 'failed: it was stopped at a limit' && rows 'f[0]["fault"] == "timeout" and f[0]["status"] == 702 and "'"$2"'" in f[0]["text"] and k[0]["failed_launches"] == len(f)'; }
stops_all() { stops often --max-total-insns 1000000 && grep -qx '4 launches' "$tmp/out" && says 'for all launches of a process is reached' && [ "$(grep -c '"fault":"timeout"' "$tmp/r.json")" = 2 ] && ends often && exits 7 wrapped often --max-total-insns 1000000 --error-exitcode 7; }
printed() { # much, and not more than is allowed
	ends prints -q && [ "$(grep -cx x "$tmp/out")" = 768000 ] && [ ! -s "$tmp/err" ] && exits 1 wrapped prints -q --max-printf 1 && [ "$(grep -cx x "$tmp/out")" = 524288 ] &&
	says 'warning: kernels have printed more than 1 MiB, and the rest is lost; --max-printf MIB sets another limit, 0 none' && [ "$(grep -c warning "$tmp/err")" = 1 ]; }
starved() { # by calls that allocate, which fail as on a GPU, and by the model itself
	ends starved --max-memory 64 && says 'there is no room for 104857600 bytes of device memory: the limit of 64 MiB is reached; --max-memory MIB sets another, 0 none' &&
	exits 4 wrapped run --max-memory 1 && says 'out of memory: the limit of 1 MiB is reached; --max-memory MIB' &&
	exits 4 timeout 60 "$R" --max-memory 1 "$(program farewell)" "$here/test/cuda_core" farewell && exits 2 "$R" --max-memory 2000000000 true; }
cramped() { ends little --no-cache -q && ( ulimit -s 64; ends run --no-cache -q --rf baseline,regmutex ); } # a thread, and a program, of little stack
lost() { ends lost && says '  memory  16 bytes behind a null pointer' && says '  memory  40 bytes into 3000 bytes of managed memory at 0x' && says ', allocated by lost, test/cuda_core/core.c:' && says ', freed by lost, test/cuda_core/core.c:'; }
t "a limit of instructions of a launch" stops endless --max-launch-insns 1000000
t "of one that is timed, and of what is executed behind it" stops endless --max-launch-insns 1000000 --rf baseline,regmutex --max-insns 1000
t "of one that asks for memory that there is not" stops hungry --max-launch-insns 1000000
t "a limit of seconds of a launch" stops endless --max-launch-seconds 1
t "a limit of seconds of all launches" stops endless --max-total-seconds 1
t "a limit of instructions of all launches" stops_all
t "what kernels print is bounded" printed
t "memory is bounded" starved
if [ -z "$host_flags" ]; then t "small stacks" cramped; else skip "small stacks" "sanitizers"; fi
t "the device, executed alone: limits of its compute capability" told "233472 49152 232448 1024 registers 65536 65536"
t "the device, executed alone, as 8.0" told "167936 49152 166912 1024 registers 65536 65536" --sm 80
sized() { ends device "${@:2}" && grep -qx "memory $1" "$tmp/out"; } # MIB OPTION...
t "the device's memory" sized 16384
t "the device's memory, as is asked for" sized 96 --memory 96
t "copies take their time" bus
t "the device that times: what the machine has" told "49152 49152 49152 0 registers 32768 32768" --rf baseline
t "the device that times, with more" told "200000 49152 166912 0 registers 32768 32768" --rf baseline --set shared_bytes=200000 --sm 80
if [ -z "$host_flags" ]; then t "Ctrl-C on a terminal" interrupted; t "Ctrl-C while a launch is timed" interrupted --rf baseline; t "SIGTERM" ended TERM 143; t "SIGHUP" ended HUP 129; t "who allocates through an inlined function of CUDA's" inlined
else skip "signals, inlined functions" "sanitizers"; fi
t "null pointers, and who freed what" lost
names() { ends names --rf baseline --kernels 'transpose<float' --report "$tmp/r.json" && rows '[r["name"] for r in l] == ["ns::transpose<float, 32, 8>", "outer::inner::wide<" + "float, " * 15 + "double>"] and [r["mode"] for r in l] == ["timed", "functional"]' &&
	table '^  ns::transpose<float, 32, 8> +1 +1 ' && table '^  wide<float, float, float, .*\.\.\..* float, double> +1 +0 '; }
explained() { # each kind once
	ends explained --report "$tmp/r.json" && [ "$(grep -c '^regloom: note: ' "$tmp/err")" = 5 ] && says 'a launch of counts is refused (invalid configuration argument): 1025 threads of a block in dimension x, 1 to 1024 can be' &&
	says 'counts cannot have 1048576 bytes of dynamic shared memory: a block has 232448 at most' && says 'a copy or fill of 101 bytes from byte 0 on does not fit device memory of 100 bytes' &&
	table 'note: 0x[0-9a-f]+ cannot be freed: it was, by explained, .*core.c' && says '--memory N gives the device N MiB' && says '  counts: 2 launches refused before they began: invalid argument: 60000 bytes of' &&
	rows 'len(f) == 4 and {r["fault"] for r in f} == {"refused"} and f[1]["text"].startswith("60000 bytes of dynamic shared memory, 49152 are allowed to it") and [r["launch"] for r in f] == [1, 2, 3, 4] and k[0]["refused_launches"] == 4 and not l' &&
	ends explained -q && [ ! -s "$tmp/err" ] && exits 4 wrapped explained -q --error-exitcode 4; }
uncompiled() { # launches of kernels that cannot be had count, have numbers and reasons, and fit the schema whatever their dimensions are
	exits 9 wrapped uncompiled --error-exitcode 9 --report "$tmp/r.json" && grep -q ' 0 wrong' "$tmp/out" && rows '[r["launch"] for r in f] == list(range(1, 11)) and not l and sum(r["launches"] + r["failed_launches"] + r["refused_launches"] for r in k) == 10' &&
	rows '[(r["kernel"], r["status"]) for r in f] == [("wrong", 218)] * 2 + [("elsewhere", 98), ("k", 209), ("?", 98), ("apply", 9), ("apply", 9), ("apply", 400), ("apply", 400), ("apply", 715)]' &&
	rows '"lazy.ptx" in f[0]["text"] and f[0]["text"].endswith("'"'%nothing'"' is not declared") and f[0]["text"] == f[1]["text"] and "no kernel of that name" in f[2]["text"] and f[3]["text"].startswith("is machine code for sm_75, and the device is sm_90a: run it with regloom-run --sm 75") and f[6]["grid"] == [4294967295, 1, 1] and f[5]["grid"][0] == 0' &&
	table '^  wrong: 2 launches refused before they began: .*it cannot be compiled: .*lazy.ptx:' && table '^  k: 1 launch refused before it began: no kernel image' && table '^  apply: 2 launches refused before they began: .*destroyed$' && table ': 10 launches in '; }
not_sampled() { # the most that one of them would have needed: 28 waves, twice
	ends run --rf baseline --sample 4 && table 'saxpy, baseline: 3 launches timed whole: --sample 4 takes of those that have [0-9]+ CTAs or more' &&
	ends sizes --rf baseline --sample 4 --set sms=1 --set ctas_per_sm=8 && table 'counts, baseline: 2 launches timed whole: --sample 4 takes of those that have 448 CTAs or more'; }
with_comma() { # the table is ours
	LOCPATH=$tmp/comma LC_ALL=de_DE.UTF-8 ends comma --rf baseline --report "$tmp/r.json" --no-cache && rows 'len(l) == 2 and cycles(l[0]) > 0' && table '^  half +2 +2 .* 0[.][0-9]+ +ptx +[0-9]+$' ; }
processes_named() { ends fork_early && [ "$(grep -c '^regloom  core (process [0-9]*) on ' "$tmp/err")" = 1 ] && ends run && table '^regloom  core on regloom gtx480 '; }
rights() { cp "$tmp/core" "$tmp/rights" && chown 65534 "$tmp/rights" && chmod u+s "$tmp/rights" && exits 1 "$R" "$tmp/rights" "$here/test/cuda_core" run && says 'starts with the rights of another user'; }
interpreter() { printf '#!/nothing/sh\n' > "$tmp/script" && chmod +x "$tmp/script" && exits 127 "$R" "$tmp/script" && says 'the interpreter that it names'; }
empty() { : > "$tmp/empty" && chmod +x "$tmp/empty" && exits 126 "$R" "$tmp/empty" && says 'is empty'; }
t "names of templates" names
t "calls that fail say why" explained
crowd() { ends together --set "sms=$1" && says "1000 blocks that wait for each other, and $2"; }
t "blocks that one SM has no room for" crowd 1 "1 SM has room for 8"
t "blocks that several SMs have no room for" crowd 3 "3 SMs have room for 8 each"
t "launches of kernels that cannot be had" uncompiled
t "launches that are too small for a sample" not_sampled
if comma_locale; then t "a program that writes numbers with a comma" with_comma; else skip "a program that writes numbers with a comma" "no locale of that kind can be made"; fi
t "tables of several processes" processes_named
if [ "$(id -u)" = 0 ]; then t "a program with another's rights" rights; else skip "a program with another's rights" "not root"; fi
t "an interpreter that is not there" interpreter
t "an empty program" empty
t "which version" exits 0 "$R" --quiet --version
t "a report that is the program" untouched report "$tmp/copy"
t "a summary that is the program" untouched summary "$tmp/copy"
t "a report that is another file" untouched report "$tmp/notes"
t "a summary that is another file" untouched summary "$tmp/notes"
t "launches that fail, in the report and the status" failed
t "nothing is chosen" none_chosen
if [ -w /dev/full ]; then t "a report that there is no room for" full; else skip "a report that there is no room for" "no /dev/full"; fi
t "no cache, another cache" uncached
t "two processes, one report" processes
t "a program that closes files it does not know" files
t "where the table goes" summary
if [ -z "$host_flags" ]; then t "another runtime is loaded" foreign; else skip "another runtime is loaded" "sanitizers"; fi
t "an unknown option" wrong_use "unknown option '--rff'; did you mean rf?" --rff baseline
t "an unknown register file" wrong_use "no preset is called 'corff'" --rf corff
t "a compute capability that is none" wrong_use "--sm 999 is no compute capability" --sm 999
t "no register file" wrong_use "--rf wants register files" --rf ''
t "every metric of no report" wrong_use "--all says what is in the report" --all
t "an unknown machine" wrong_use "gtx999" --machine gtx999
machine_file() { # what was dumped has the cycles of its machine, one SM takes longer; and what is wrong in a file is said before the program starts
	"$B/sm-model" run --machine corf --dump-config > "$tmp/corf.txt" && printf '%s\n' 'machine: corf' 'sms 1' > "$tmp/mine.txt" &&
	ends run --machine="$tmp/mine.txt" --config baseline --config machine=corf,name=corf --config machine="$tmp/corf.txt",name=again --report "$tmp/r.json" &&
	rows '[c["machine"].split("/")[-1] for c in l[0]["configurations"]] == ["mine.txt", "corf", "corf"] and all(cycles(r, 2) == cycles(r, 1) for r in l) and cycles(l[0]) > 2 * cycles(l[0], 1)' &&
	echo 'sms 999' > "$tmp/mine.txt" && exits 1 "$R" --machine "$tmp/mine.txt" "$tmp/core" "$here/test/cuda_core" run && says 'mine.txt:1:5: error: sms=999 is out of range' && [ ! -s "$tmp/out" ]
}
t "a machine in a file" machine_file
t "launches that are none" wrong_use "--launches wants" --rf baseline --launches 3-1
t "no regular expression" wrong_use "is no regular expression" --rf baseline --kernels '('
t "all CTAs, and a part" wrong_use '--exact times all CTAs, and --sample a part of them' --rf baseline --exact --sample 8
t "an option that needs timing" wrong_use "give the register files by --rf" --launches 1
t "a report to no file" wrong_use "--report wants a file" --report -
t "a report and a table in one file" wrong_use "are the same file" --report "$tmp/same" --summary "$tmp/same"
t "a status that is none" wrong_use "--error-exitcode wants 1 to 255" --error-exitcode 0
t "a report that cannot be written" exits 1 "$R" --report /proc/none/x "$tmp/core" "$here/test/cuda_core" run
t "the program's status" exits 2 "$R" "$tmp/core"
t "a program that is not there" exits 127 "$R" ./nothing
t "a folder" exits 126 "$R" "$tmp"
t "a script" exits 7 "$R" sh -c 'exit 7'
static_runtime() { # a program with images, and no runtime beside it nor names of one
	echo 'const int image[4] __attribute__((section(".nv_fatbin"), used)) = { 1 }; int main(void) { return 0; }' > "$tmp/static.c" && gcc -s "$tmp/static.c" -o "$tmp/static" && exits 1 "$R" "$tmp/static" && says "-cudart shared"; }
t "a program that carries its runtime, stripped" static_runtime
not_linked() { # what is no program yet is named, also where it has images
	printf '__attribute__((section(".nv_fatbin"), used)) const int image[4] = { 1 }; int f(void) { return 0; }\n' > "$tmp/part.c" && gcc -c -fPIC "$tmp/part.c" -o "$tmp/part.o" && ar rcs "$tmp/part.a" "$tmp/part.o" &&
	gcc -shared "$tmp/part.o" -o "$tmp/part.so" && chmod +x "$tmp"/part.* && exits 126 "$R" "$tmp/part.o" && says 'part.o is an object file, no program yet: link it with nvcc' &&
	exits 126 "$R" "$tmp/part.a" && says 'part.a is a library of object files (an archive)' && exits 126 "$R" "$tmp/part.so" && says 'part.so is a shared library, no program' &&
	echo 'int main(void) { return 7; }' > "$tmp/alone.c" && for how in -static -static-pie -no-pie -pie; do gcc $how "$tmp/alone.c" -o "$tmp/alone" && exits 7 "$R" "$tmp/alone" || return; done; }
other_machine() { # its ELF header says so, at byte 18
	cp "$tmp/static" "$tmp/$2" && printf "$1" | dd of="$tmp/$2" bs=1 seek=18 conv=notrunc status=none && exits 1 "$R" "$tmp/$2" && says "$3"; }
t "what is not linked, or is no program" not_linked
t "a program for another processor" other_machine '\x08\x00' mips "is a program for another kind of processor"
t "a cubin" other_machine '\xbe\x00' cubin "is machine code of a GPU (a cubin), no program"
finish
