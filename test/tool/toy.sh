#!/bin/bash
# docs/ADDING.md, done: its C is of the files of test/toy, and a copy of the tree with these added builds what is new alone, lists the
# technique, runs it, keeps what programs do, refuses what it must; and what the page says is found out when the technique is broken.
. "$(dirname "$0")/../lib.sh"
tree=$tmp/tree
[ "$B" = build ] || { skip "the worked example" "another build than build/"; finish; exit; }
page() { # its blocks of C are parts of the technique, in order; its rows are there as they are added
	python3 - <<-'PY'
		import re
		page = open("docs/ADDING.md").read()
		code, at = open("test/toy/tiny.c").read(), 0
		for block in re.findall(r"```c\n(.*?)```\n", page, re.S):
		    assert block in code[at:], "not in test/toy/tiny.c, or elsewhere there: " + block
		    at = code.index(block, at) + len(block)
		assert at == len(code), "the last block of C is not the end of test/toy/tiny.c"
		for row in "values", "presets", "window":
		    assert "    " + open(f"test/toy/{row}.row").read() in page + open("docs/ADDING_MORE.md").read(), row
	PY
}
copy() { # the sources, and what was built of them: make finds nothing else to do
	mkdir -p "$tree/build/test/prop" && tar -c --exclude=./build --exclude=./.git --exclude=./test/peer --exclude=./docs/results . | tar -x -C "$tree" &&
	cp -a build/{analyzer,passes,runtime-model,libregloom.a,libregloom.so,regloom.pc,ptx-annotate,sm-model} "$tree/build/" && cp -a build/test/prop/*.[od] "$tree/build/test/prop/"
}
mk() { env -u MAKEFLAGS -u MAKELEVEL -u BUILD -u SAN -u TSAN -u CFLAGS make -s -C "$tree" LLVM_CONFIG= WERROR=1 OPT_release=-O1 NO_INSTALL=1 "$@"; }
add() { # as the page says
	cp test/toy/tiny.c "$tree/runtime-model/values/tiny.c" && cat test/toy/values.row >> "$tree/runtime-model/values/list.def" &&
	cp test/toy/window.c "$tree/runtime-model/hierarchy/window.c" && cat test/toy/window.row >> "$tree/runtime-model/hierarchy/list.def" &&
	cat test/toy/presets.row >> "$tree/runtime-model/config/presets.def" && [ "$(wc -l < test/toy/window.c)" -lt 120 ] &&
	mk build/sm-model && [ "$(find "$tree/build" -name '*.o' -newer "$tree/runtime-model/config/presets.def" | wc -l)" -le 4 ]
}
toy() { "$tree/build/sm-model" "$@"; }
listed() { toy list rf > "$tmp/list" && grep -q '^ *tiny .*a byte and a bit' "$tmp/list" && grep -q 'values=tiny .*; 9216 bits more in an SM' "$tmp/list" && ! "$M" list rf | grep tiny; }
rlo() { "$A" "examples/$1/$1.ptx" -q -o "$tmp/$1.rlo"; }
same_work() { # EXAMPLE PAYS: as fast, to the cycle, in as many accesses; with fewer arrays and less energy for these, for all accesses if it PAYS; every
	# operand that is delivered is the right one. In bfs, where lanes diverge, one in twenty arrays is saved, which does not pay for looking.
	rlo "$1" && exits 0 toy compare "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --checked --machine g-scalar --rf baseline,tiny --all --csv "$tmp/$1.csv" && grep -q PASS "$tmp/out" &&
	python3 - "$tmp/$1.csv" "$2" <<-'PY'
		import csv, sys
		base, tiny = csv.DictReader(open(sys.argv[1], newline=""))
		for name in "cycles", "rf_reads", "rf_writes", "rf_bank_conflicts", "dram_reads", "thread_instructions":
		    assert base[name] == tiny[name], (name, base[name], tiny[name])
		assert 0 < int(tiny["rf_read_arrays"]) < int(base["rf_read_arrays"]), tiny["rf_read_arrays"]
		for name in ["rf_read_energy", "rf_write_energy"] + ["rf_dynamic_energy"] * (sys.argv[2] == "pays"):
		    assert float(tiny[name]) < float(base[name]), (name, base[name], tiny[name])
	PY
}
property() { # random kernels, under every preset, the new one too
	grep -q tiny "$tree/runtime-model/config/presets.def" && mk build/test/p_model && "$tree/build/test/p_model" 3
}
refused() { # CONFIGURATION SAYS
	rlo saxpy && exits "$3" toy run "$tmp/saxpy.rlo" --launch examples/saxpy/saxpy.yaml --rf "$1" --machine corf && says "$2"
}
broken() { # FILE OF-AXIS FROM TO RF: checked mode finds it
	sed "s/$3/$4/" "test/toy/$1.c" > "$tree/runtime-model/$2/$1.c" && ! cmp -s "test/toy/$1.c" "$tree/runtime-model/$2/$1.c" && mk build/sm-model &&
	rlo sobel && exits 1 toy run "$tmp/sobel.rlo" --launch examples/sobel/sobel.yaml --rf "$5" --checked && says "delivers a wrong operand" &&
	cp "test/toy/$1.c" "$tree/runtime-model/$2/$1.c"
}
bypassed() { # EXAMPLE: every read comes from the window or a bank, every write goes to its bank, and the window's price is its own
	rlo "$1" && exits 0 toy compare "$tmp/$1.rlo" --launch "examples/$1/$1.yaml" --checked --set energy=hrf --config name=base --config hierarchy=window,name=window --all --csv "$tmp/$1.csv" && grep -q PASS "$tmp/out" &&
	python3 - "$tmp/$1.csv" <<-'PY'
		import csv, sys
		base, window = csv.DictReader(open(sys.argv[1], newline=""))
		of = lambda row, name: float(row[name])
		assert of(window, "rf_l1_reads") > of(base, "rf_reads") / 3 and of(window, "rf_reads") < of(base, "rf_reads") * 2 / 3
		assert window["rf_writes"] == base["rf_writes"] == window["rf_both_writes"] or of(window, "rf_both_writes") <= of(window, "rf_writes")
		# Hierarchical RF, Table IV: an entry of 12 is half way between 8, 0.7 pJ for 128 bits, and 16, 1.2 pJ; eight of these.
		assert abs(of(window, "rf_l1_read_energy") - 8 * 0.95 * of(window, "rf_l1_reads")) < 1, window["rf_l1_read_energy"]
	PY
}
shown() { # what the page prints is what comes
	rlo sobel && exits 0 toy compare "$tmp/sobel.rlo" --launch examples/sobel/sobel.yaml --machine g-scalar --rf baseline,tiny,g-scalar --checked \
		--metrics cycles,rf_reads,rf_read_arrays,rf_dynamic_energy &&
	sed -n '/^      PASS  tiny delivered/,/^      g-scalar  .*75776/{s/^    //;/./p}' docs/ADDING.md > "$tmp/want" && [ "$(wc -l < "$tmp/want")" = 11 ] &&
	grep -E '^  (PASS  tiny|configuration|added| {10,}|baseline|tiny|g-scalar)' "$tmp/out" | grep -v 'PASS  [bg]' | diff - "$tmp/want"
}
t "the page shows the files" page
t "a copy of the tree" copy
t "adding it compiles what is new" add
t "sm-model list rf names it" listed
t "sobel does what it did" same_work sobel pays
t "bfs does what it did, lanes diverging" same_work bfs costs
t "the numbers of the page" shown
t "random kernels do" property
t "refused: packing" refused tiny,packing=corf "values=tiny and packing=corf each decide" 1
t "refused: a hierarchy" refused tiny,hierarchy=rfc "hierarchy=rfc keeps some elsewhere" 1
t "broken: other lanes forgotten" broken tiny values 'is_tiny(v, u, u->dst\[d\])' false tiny
t "broken: too wide for a byte" broken tiny values ' && u->sig\[d\].width == 1' '' tiny
t "a window of operands: sobel" bypassed sobel
t "a window of operands: bfs" bypassed bfs
t "broken: another register's entry" broken window hierarchy 'ENTRIES, reg)' 'ENTRIES, reg ^ 1)' hierarchy=window
t "broken: results in the window alone" broken window hierarchy 'return dsts;' 'return u->move ? dsts : 0;' hierarchy=window
finish
