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
	exits 1 "$B/regloom-gpu" verify $golden/approx.ptx --launch $golden/approx.yaml --model rtx3080 --mufu $golden/approx.yaml && says "is no table" || return
	exits 2 "$B/regloom-gpu" mufu --mufu "$tmp/table" && says "--mufu goes with --model" || return
	exits 1 "$B/regloom-gpu" mufu --model rtx3080 --sm 86 -q --functions ex2.bf16 -o "$tmp/none" && says "has no function ex2.bf16" && leaves_nothing "$tmp/none"
}
two() { # a kernel of two functions that the table has, and of an exact product, which goes to a buffer of its own
	cat > "$tmp/two.ptx" <<-'EOF'
	.version 7.0
	.target sm_80
	.address_size 64
	.visible .entry two(.param .u64 out, .param .u64 exact)
	{
		.reg .b32 %t;
		.reg .b64 %d<4>;
		.reg .f32 %f<4>;
		ld.param.u64 %d1, [out];
		ld.param.u64 %d2, [exact];
		mov.u32 %t, %tid.x;
		mul.wide.u32 %d3, %t, 4;
		add.u64 %d1, %d1, %d3;
		add.u64 %d2, %d2, %d3;
		cvt.rn.f32.u32 %f1, %t;
		ex2.approx.f32 %f2, %f1;
		rcp.approx.f32 %f3, %f1;
		add.rn.f32 %f2, %f2, %f3;
		st.global.f32 [%d1], %f2;
		mul.rn.f32 %f3, %f1, %f1;
		st.global.f32 [%d2], %f3;
		ret;
	}
	EOF
	printf '%s\n' "buffers: [{name: out, type: f32, count: 64}, {name: exact, type: f32, count: 64}]" \
		"launches: [{kernel: two, grid: [1], block: [64], args: [{buffer: out}, {buffer: exact}]}]" > "$tmp/two.yaml"
}
# verify DEVICE'S-TABLE CODE LINE OPTION...: on a device that approximates as its table says, or as the model does
verify() {
	local device=("$B/regloom-run" --machine rtx3080 --sm 86 --rf baseline -q) code=$2 line=$3
	[ "$1" = none ] || device+=(--mufu "$1")
	shift 3
	exits "$code" "${device[@]}" "$B/regloom-gpu" verify "$tmp/two.ptx" --launch "$tmp/two.yaml" "$@" && grep -q "$line" "$tmp/out" || { cat "$tmp/out"; return 1; }
}
replay() { # LINE OPTION...
	local line=$1; shift
	exits 0 "$B/regloom-gpu" verify "$tmp/two.ptx" --launch "$tmp/two.yaml" --replay "$tmp/golden.json" "$@" && grep -q "$line" "$tmp/out"
}
judged() { # by the device's table approximations must be the same; without it they are excluded
	two && verify "$tmp/table" 0 "^excluded  two: .* 63 of 64 elements differ; out.1. is .*an approximation, of which PTX has a bound and no value" &&
	verify "$tmp/table" 0 "^equal     two: 1 launch" --mufu "$tmp/table" --json "$tmp/golden.json" && verify none 1 "^differs   two: launch 1, two: 63 of 128 elements differ; out" --mufu "$tmp/table" &&
	replay "^equal " --mufu "$tmp/table" && replay "^excluded "
}
doubtful() { # where the table does not hold everywhere, what it says excuses
	sed '/^function rcp /s/ 0$/ 1/' "$tmp/table" > "$tmp/doubt" && python3 - "$tmp/doubt" <<-'EOF'
	import hashlib, sys
	text = open(sys.argv[1], "rb").read()
	at = text.index(b"sha256 ")
	end = text.index(b"\n", at) + 1
	open(sys.argv[1], "wb").write(text[:at] + b"sha256 " + hashlib.sha256(text[:at] + text[end:]).hexdigest().encode() + b"\n" + text[end:])
	EOF
	verify none 0 "^excluded  two: .*rcp.approx.f32 R" --mufu "$tmp/doubt"
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
t "verify asks approximations for the table's bits" judged
t "a table that does not hold everywhere excuses" doubtful
t "files that are no such tables are refused" wrong
t "functions that are not there are refused" asked_wrong
finish
