#!/bin/bash
# Tables of approximate functions: one that no GPU has, written by mufu.py, comes back whole when a device that follows it is asked
# (the model, in the program and by the CUDA libraries), and kernels give what it says, PTX as machine code. Files that are none are
# refused.
. "$(dirname "$0")/../lib.sh"
sanitized
golden=test/golden/mufu
py() { test/script/mufu.py "$@"; }
# run CODE FILE OPTION...: the words that approx.ptx leaves
run() { local code=$1 out=$2; shift 2; "$M" run "$code" --launch $golden/approx.yaml -q --functional --dump "out=$tmp/$out" "$@"; }
back() {
	"$B/regloom-gpu" mufu --model rtx3080 --sm 86 -q --functions rcp,ex2,rcp64h,ex2.f16,tanh.f16 -o "$tmp/back" --mufu "$tmp/table" && py same "$tmp/table" "$tmp/back"
}
process() { # the same by the CUDA libraries, of what takes little time
	"${wrapped[@]}" -o "$tmp/process" && grep "^function" "$tmp/back" | grep "f16 " | cmp - <(grep "^function" "$tmp/process")
}
follows() { run "$1" "$2" --mufu "$tmp/table" && py check $golden/approx.in "$tmp/$2"; }
both() { py equal "$tmp/ptx" "$tmp/native" 0-14,16-18; } # but rcp.rn, of which machine code makes steps from MUFU.RCP
others() { # what the table lacks, and what is no approximation, stays as it is
	run "$tmp/o" plain && py equal "$tmp/ptx" "$tmp/plain" 4-5,12-15 && ! py equal "$tmp/ptx" "$tmp/plain" 0 > "$tmp/differ" && [ -s "$tmp/differ" ]
}
threads() { run "$tmp/o" one --mufu "$tmp/table" --threads 1 && cmp "$tmp/ptx" "$tmp/one"; }
timed() { "$M" run "$tmp/o" --launch $golden/approx.yaml -q --dump "out=$tmp/timed" --mufu "$tmp/table" && cmp "$tmp/ptx" "$tmp/timed"; }
refused() { # FILE TEXT: by both programs, with one line
	exits 1 run "$tmp/o" none --mufu "$1" && says "$2" && [ "$(wc -l < "$tmp/err")" = 1 ] && exits 2 "$B/regloom-run" --mufu "$1" true && says "$2"
}
wrong() {
	local n; n=$(wc -c < "$tmp/table")
	head -c $((n - 1)) "$tmp/table" > "$tmp/short" && refused "$tmp/short" "is damaged: its SHA-256 is not the one that it names" || return
	cp "$tmp/table" "$tmp/flipped" && printf x | dd of="$tmp/flipped" bs=1 seek=$((n / 2)) conv=notrunc 2> /dev/null && refused "$tmp/flipped" "is damaged" || return
	refused $golden/approx.yaml "is no table of approximate functions" && refused "$tmp/none" "No such file" || return
	sed '1s/1$/2/' "$tmp/table" > "$tmp/later" && refused "$tmp/later" "in format 2; 1 is known" || return
	: > "$tmp/empty" && refused "$tmp/empty" "is no table"
}
asked_wrong() {
	exits 2 "$B/regloom-gpu" mufu --functions rcp,exp && says "there is no function 'exp'" || return
	exits 2 "$B/regloom-gpu" mufu --mufu "$tmp/table" && says "--mufu goes with --model" || return
	exits 1 "$B/regloom-gpu" mufu --model rtx3080 --sm 86 -q --functions ex2.bf16 -o "$tmp/none" && says "has no function ex2.bf16" && leaves_nothing "$tmp/none"
}
py table "$tmp/table" && "$A" $golden/approx.ptx -q -o "$tmp/o" || exit 1
t "a table comes back from a device that follows it" back
wrapped=("$B/regloom-run" --machine rtx3080 --sm 86 -q --mufu "$tmp/table" "$B/regloom-gpu" mufu -q --functions ex2.f16,tanh.f16)
t "the same by the CUDA libraries" process
t "PTX gives what the table says" follows "$tmp/o" ptx
t "machine code gives what the table says" follows $golden/approx.sm_86.cubin native
t "PTX and machine code agree by a table" both
t "other functions stay as they are" others
t "one thread gives the same" threads
t "a timed run gives the same" timed
t "files that are no such tables are refused" wrong
t "functions that are not there are refused" asked_wrong
finish
