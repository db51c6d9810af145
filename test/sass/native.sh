#!/bin/bash
# ptxas's machine code, executed: the examples and the CUDA kernels compute what they are expected to, their control codes let no result be late, and every row of the PTX table, as ptxas
# compiles it, what test/conform's own arithmetic says. The cubins are those of test/sass/native, so that no ptxas is needed (native_make.sh makes
# them); where there is one, also those of one more target and level, another for each DRAW, or with EVERY=1 of all. QUICK=1: of one target, every second
# program and one cubin of locks.
. "$(dirname "$0")/../lib.sh"
D=$B/test/cuda_kernels_native
rm -rf "$D" && mkdir -p "$D" && "$B/test/cuda_reference" "$D" && cp test/cuda/*.yaml "$D" || { echo "0 passed, 1 failed"; exit 1; }
run_one() { # NAME CUBIN LAUNCH: "ok NAME", "refused NAME" where a unit that is not executed says so, or "FAIL NAME" with what went wrong
	local log=$tmp/${1//[\/ ]/_}
	if "$M" run "$2" --launch "$3" --functional --check-controls --quiet > "$log" 2>&1; then
		echo "ok    $1"
	elif grep -q 'it belongs to the asynchronous units of Hopper and Blackwell' "$log"; then
		echo "refused $1"
	else
		echo "FAIL  $1"; head -4 "$log" | sed 's/^/      /'
	fi
}
export -f run_one
export M tmp
runs() { # FOLDER NAME
	local c k
	{
		for c in "$1"/examples/*.cubin; do
			k=$(basename "$c" .cubin)
			for l in examples/"$k"/"$k".yaml examples/micro/"$k".yaml; do [ ! -f "$l" ] || echo "run_one '$2 examples $k' '$c' '$l'"; done
		done
		for c in "$1"/cuda/*.cubin; do
			k=$(basename "$c" .cubin)
			echo "run_one '$2 cuda $k' '$c' '$D/$k.yaml'"
		done
	} > "$tmp/list"
	awk -v by="${QUICK:+2}" -v draw="${DRAW:-0}" 'by == "" || (NR + draw) % by == 0' "$tmp/list" | xargs -d '\n' -P2 -I{} bash -c '{}' > "$tmp/done"
	grep -v '^refused' "$tmp/done"
	passed=$((passed + $(grep -c '^ok' "$tmp/done"))) failed=$((failed + $(grep -c '^FAIL' "$tmp/done")))
	t "$2: 120 programs or more, of which at most 6 are refused" few_refused
}
few_refused() { [ "$(wc -l < "$tmp/list")" -ge 120 ] && [ "$(grep -c '^refused' "$tmp/done")" -le 6 ]; }
# What is refused by name is no wrong value: it is counted, and may not grow.
conforms() { # FOLDER NAME REFUSED
	local none=$(find "$1/conform" -name '*.no' | wc -l)
	PTXAS=false "$B/test/conform" --native "${2/-/:}" "$1/conform" --quick --kernels test/conform/kernels > "$tmp/conform" || true
	echo "      $2: $(tail -1 "$tmp/conform"); $(sed -n 's/.*\(rightly differs in .*\)/\1/p' "$tmp/conform")"
	awk '/^FAIL/ && before !~ /cannot be executed/ { print before; print } { before = $0 }' "$tmp/conform"
	refused=$(awk '/^FAIL/ && before ~ /cannot be executed/ { n++ } { before = $0 } END { print n + 0 }' "$tmp/conform")
	passed=$((passed + $(sed -n 's/^\([0-9]*\) passed.*/\1/p' "$tmp/conform")))
	failed=$((failed + $(sed -n 's/.* \([0-9]*\) failed.*/\1/p' "$tmp/conform") - refused))
	# another compiler draws other texts: QUICK=1 is for clang with its sanitizers
	[ -n "${QUICK:-}" ] || t "$2: of the texts at most a twentieth is not in the archive" [ $(($(find "$1/conform" -name '*.no' | wc -l) - none)) -lt $((passed / 20)) ]
	t "$2: $refused rows and kernels refused, at most $3" [ "$refused" -le "$3" ]
}
only() { # FOLDER NAME: the texts of conform --only that the folder is called by
	PTXAS=false "$B/test/conform" --native "${2/-/:}" "$1" --quick --kernels test/conform/kernels --only "$(basename "$1")"
}
for archive in test/sass/native/[0-9]*.tar.xz; do
	name=$(basename "$archive" .tar.xz)
	[ -z "${QUICK:-}" ] || [ "$name" = 86-3 ] || continue
	tar -C "$tmp" -xJf "$archive" || exit 1
	if [[ $name = *-only ]]; then
		for folder in "$tmp/$name"/*; do t "$name $(basename "$folder")" only "$folder" "${name%-only}"; done
		continue
	fi
	runs "$tmp/$name" "$name"
	case $name in 86-3) conforms "$tmp/$name" "$name" 0 ;; *) conforms "$tmp/$name" "$name" 2 ;; esac
done
# Calls whose lanes come back apart, calls through registers, of functions of the driver.
called() { # KERNEL OPTION...
	"$M" run "$tmp/86-3/cuda/$1.cubin" --launch "$D/$1.yaml" --checked --quiet "${@:2}"
}
for k in recursion virtual_calls function_pointers heap printf_calls assert_true; do
	[ -f "test/cuda/$k.cu" ] || continue
	for rf in rfv rfc2; do t "86-3 cuda $k timed with $rf" called "$k" --rf "$rf"; done
	t "86-3 cuda $k, dead registers overwritten" called "$k" --functional
done
# Lanes that meet from several places: what is live where some of them wait, or go on from there, is kept.
meets() { # NAME KERNEL OPTION...
	"$M" run "$tmp/$1/cuda/$2.cubin" --launch "$D/$2.yaml" --checked --quiet "${@:3}"
}
guests() { # lanes for which another path executes a region read behind it what is dead on that path, a register of the region: ptxas's own code copies it
	sed '/^expect/,$d' "$D/sync_sides.yaml" > "$tmp/guests.yaml"
	python3 - "$tmp/120a-3/cuda/sync_sides.cubin" "$tmp/guests.cubin" <<- 'EOF' &&
		import sys
		code = open(sys.argv[1], 'rb').read()
		result = bytes([0x02, 0x72, 0x05, 0x00, 0x04, 0x00, 0x00, 0x00])  # MOV R5, R4
		assert code.count(result) == 1
		open(sys.argv[2], 'wb').write(code.replace(result, result[:4] + bytes([9]) + result[5:]))
	EOF
	"$M" run "$tmp/guests.cubin" --launch "$tmp/guests.yaml" --functional --checked --quiet
}
for name in 86-3 120a-3; do
	[ -d "$tmp/$name" ] || continue
	for k in sync_sides sync_groups; do
		t "$name cuda $k, dead registers overwritten" meets "$name" $k --functional
		t "$name cuda $k timed with rfv" meets "$name" $k --rf rfv
	done
done
[ -n "${QUICK:-}" ] || t "120a-3 cuda sync_sides, guests of a region keep what it reads" guests
# Half a register file, where sharing lets more warps in.
half() { # EXAMPLE
	"$M" run "$tmp/86-3/examples/$1.cubin" --launch "examples/$1/$1.yaml" --rf regmutex-paired --machine regmutex-half --checked --json "$tmp/half" --quiet &&
	python3 -c 'import json, sys; m = json.load(open(sys.argv[1]))["metrics"]; assert m["rf_points"]["value"] >= m["rf_acquires"]["value"] > 0' "$tmp/half"
}
# What warps share is chosen for one register file.
two_files() {
	exits 1 "$M" compare "$tmp/86-3/examples/conv.cubin" --launch examples/conv/conv.yaml -q --config regmutex --config regmutex,rf_registers=16384,name=half && says 'regmutex and half: machine code gets its extended sets for' &&
	"$M" compare "$tmp/86-3/examples/conv.cubin" --launch examples/conv/conv.yaml -q --set rf_registers=16384 --rf regmutex,regmutex-paired > "$tmp/two"
}
t "86-3 conv is not asked to share two register files" two_files
for k in mergesort conv; do t "86-3 $k timed with pairs of warps on half a register file" half $k; done
# Lanes of a warp that wait for each other: locks taken in loops, in functions, inside each other, flags between lanes.
waiting=("lock_plain 64 0" "lock_sleep 64 0" "lock_loop 192 3" "lock_list 192 3" "lock_called 128 0" "lock_deep 179 3" "lock_shared 64 0" "lanes_chain 64 0" "lanes_pairs 320 5")
launch() { # KERNEL OUT N [THREADS]: of 64 threads
	cat > "$tmp/$1.yaml" <<- EOF
		buffers:
		  - {name: out, type: s32, count: 1}
		  - {name: want, type: s32, count: 1, fill: constant, value: $2}
		launches:
		  - {kernel: $1, grid: [1], block: [${4:-64}], args: [{buffer: out}, {value: $3, type: s32}]}
		expect:
		  - {buffer: out, other: want}
	EOF
}
on() { # CUBIN OPTION...: each kernel
	local k c=$1; shift
	for k in "${waiting[@]}"; do "$M" run "$c" --launch "$tmp/${k%% *}.yaml" --quiet "$@" || { echo "${k%% *} of $c with $*"; return 1; }; done
}
kept() { # CUBIN OPTION...: a lock that nobody gives back
	exits 1 "$M" run "$1" --launch "$tmp/lock_kept.yaml" --quiet "${@:2}" && says 'kernel lock_kept: livelock'
}
prints() { # CUBIN: what the host sees is a change, however often; one thread, as writing the lines of 64 takes ten times as long as all else
	exits 1 "$M" run "$1" --launch "$tmp/prints_on.yaml" --quiet --functional --max-insns 5000000 && says 'instructions' && ! says livelock > /dev/null
}
lanes() { # FOLDER
	local c name
	local all=("$1"/*.cubin)
	for c in "${all[@]}"; do
		[ -z "${QUICK:-}" ] || [ "$c" = "${all[${DRAW:-0} % ${#all[@]}]}" ] || continue
		name="locks $(basename "$c" .cubin)"
		t "$name: the lanes get on" on "$c" --functional
		t "$name: and with dead registers overwritten" on "$c" --functional --checked
		t "$name: timed with rfv, all operands compared" on "$c" --rf rfv --checked
		t "$name: a lock that is kept is a livelock" kept "$c" --functional
		t "$name: timed as well" kept "$c"
		t "$name: who prints for ever does not repeat himself" prints "$c"
	done
}
for k in "${waiting[@]}" "lock_kept 0 0" "prints_on 0 1 1"; do
	# shellcheck disable=SC2086
	launch $k
done
tar -C "$tmp" -xJf test/sass/native/locks.tar.xz || exit 1
lanes "$tmp/locks"
PATH=$PATH:/usr/local/cuda/bin
more=()
for sm in 75 80 86 89 90a 100a 103a 120a 121a; do for level in 0 1 3; do more+=("$sm $level"); done; done
if ! command -v ptxas > /dev/null; then
	skip "machine code of ${#more[@]} targets and levels" "no ptxas"
elif [ -z "${QUICK:-}" ]; then
	conform=
	[ "${EVERY:-}" != 1 ] || conform=$B
	[ -n "$conform" ] || more=("${more[$((${DRAW:-0} % ${#more[@]}))]}")
	for t in "${more[@]}"; do
		# shellcheck disable=SC2086
		test/sass/native_make.sh "$tmp/more" $t $conform && runs "$tmp/more/${t/ /-}" "${t/ /-}"
		[ -z "$conform" ] || conforms "$tmp/more/${t/ /-}" "${t/ /-}" 2
		# shellcheck disable=SC2086
		! command -v nvcc > /dev/null || { rm -rf "$tmp/locks"; test/sass/native_make.sh locks "$tmp/locks" $t && lanes "$tmp/locks"; }
	done
fi
finish
