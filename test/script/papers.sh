#!/bin/bash
# make papers with few examples: every page is written, every claim of the papers is measured or says why not, and each study finds the order of its designs.
# Usage: test/script/papers.sh BUILD
. "$(dirname "$0")/../lib.sh"

command -v gnuplot > /dev/null || { skip "the papers' studies" "no gnuplot"; finish; exit; }
P=test/study/papers.py
pages=$tmp/papers
short() { # what the checks below look at
	EXAMPLES="backprop bfs fwt lud radixsort reduction saxpy scalarprod" exits 0 "$P" "$B" "$pages" --quick &&
	for page in papers all hierarchy wir regmutex gscalar corf two_level usage live_registers machines; do
		[ -s "$pages/$page.md" ] || { echo "no $page.md"; return 1; }
		head -12 "$pages/$page.md" | grep -q 'make papers\|make study' || { echo "$page.md names no command"; return 1; }
	done
	grep -qF "$(wc -l < docs/claims.csv | awk '{ print $1 - 1 }') claims in " "$tmp/out"
}
t "the papers' studies run, with few examples" short

noise() { # what is within noise is no change, whatever the paper says but for that; and claims of IPC say how far noise reaches
	python3 - "$pages" <<-'PY'
		import csv, sys
		sys.path.insert(0, "test/study")
		from papers import verdict
		claim = lambda value, noise: {"value": value, "most": "", "bound": "=", "kind": "change", "unit": "percent", "what": "fewer cycles", "metric": "cycle_reduction", "noise": noise}
		assert verdict(claim("1.9", "5"), 1.7) == "no change" == verdict(claim("9", "2"), 1.9) == verdict(claim("-9", "2"), 1.9)
		assert verdict(claim("1.9", ""), 1.7) == "agrees" == verdict(claim("1.9", "1.6"), 1.7) and verdict(claim("-9", "1"), 1.9) == "differs"
		rows = {tuple(r[k] for k in ("id", "configuration", "scope")): r for s in ("corf", "regmutex", "gscalar") for r in csv.DictReader(open(f"{sys.argv[1]}/{s}.claims.csv", newline=""))}
		for key in ("CORF-12", "corf", "all"), ("CORF-13", "corf++", "all"), ("RM-1", "regmutex", "average"), ("GS-9", "g-scalar", "average"):
		    assert float(rows[key]["noise"]) > 0 and rows[key]["median"], (key, rows[key])
		unfitted, fitted, dynamic = (float(rows["GS-5", "g-scalar", "baseline"][k]) for k in ("unfitted", "fitted", "dynamic"))
		assert unfitted < fitted and unfitted < dynamic and abs(fitted - float(rows["GS-5", "g-scalar", "baseline"]["ours"])) < 0.01 * abs(fitted)
	PY
}
t "noise, and readings of the energies" noise

corf_study() { # first-fit coalesces less than CORF, and that less than CORF++
	python3 - "$pages/corf.md" <<-'PY'
		import sys
		figure = open(sys.argv[1]).read().split("## Figure 13")[1].split("##")[0].replace("*", "")
		row = next(l for l in figure.splitlines() if "3 : 1" in l)
		first_fit, _, _, _, corf, corf_pp = map(float, row.split("|")[2:8])
		assert 0 < first_fit < corf < corf_pp, row
	PY
}
t "CORF's study" corf_study
corf_narrow() { # addresses of 32 bits change what is read together; CORF++ is annotated as the paper has it
	EXAMPLES="lud pathfinder" exits 0 test/study/corf.py "$B" "$tmp/narrow" || return 1
	python3 - "$tmp/narrow/corf.md" "$tmp/narrow/corf.claims.csv" <<-'PY'
		import csv, sys
		table = open(sys.argv[1]).read().split("## Addresses of 32 bits: the 2 examples")[1]
		rows = {l.split("|")[2].strip(): [float(v) for v in l.split("|")[4:6]] for l in table.splitlines() if "CORF-" in l}
		assert rows["CORF-4"][0] > rows["CORF-4"][1] > 0 and all(v > 0 for v in rows["CORF-7"] + rows["CORF-8"] + rows["CORF-10"]), rows
		of = {r["id"]: r["of"] for r in csv.DictReader(open(sys.argv[2]))}
		assert f"with addresses of 32 bits {rows['CORF-10'][1]:.1f}" in of["CORF-10"], of["CORF-10"]
	PY
}
if command -v "${CLANG:-clang-19}" > /dev/null; then
	t "CORF's study, with addresses of 32 bits" corf_narrow
else
	skip "CORF's study, with addresses of 32 bits" "no clang"
fi
hierarchy_study() { # each level more, and the compiler instead of hardware, takes less energy
	python3 - "$pages/hierarchy.md" "$pages/hierarchy.claims.csv" <<-'PY'
		import csv, sys
		text = open(sys.argv[1]).read()
		figure = text.split("## Figure 24")[1].replace("*", "")
		rfc, rfc2, orf, lrf, split = map(float, next(l for l in figure.splitlines() if l.startswith("| 3 |")).split("|")[2:7])
		assert 0 < split <= lrf < orf < 1 and lrf < rfc2 < rfc < 1, (rfc, rfc2, orf, lrf, split)
		# what the paper has of PTX is measured of PTX, what it has of traces of machine code
		said = {r["id"]: r for r in csv.DictReader(open(sys.argv[2]))}
		row = lambda id_: next(l for l in text.splitlines() if l.startswith(f"| {id_} ")).split("|")[4:6]
		ptx, code = row("HRF-8")
		assert "**" in ptx and "**" not in code and ptx.replace("*", "").split()[0] != code.split()[0], (ptx, code)
		assert "PTX: best" in said["HRF-8"]["of"] and "; machine code " in said["HRF-8"]["of"], said["HRF-8"]
		assert "**" in row("HRF-21")[1] and said["HRF-21"]["of"].endswith("; machine code"), said["HRF-21"]
	PY
}
t "the hierarchy's study" hierarchy_study
regmutex_study() { # what lets more warps in saves cycles where they are wanted, and no more than twice the registers
	python3 - "$pages/regmutex.md" <<-'PY'
		import sys
		text = open(sys.argv[1]).read()
		row = next(l for l in text.split("## Figure 9a")[1].splitlines() if l.startswith("| radixsort"))
		owf, rfv, regmutex, paired, least, bound = map(float, row.split("|")[2:8])
		assert 0 < owf < rfv < bound and 0 < paired <= regmutex < bound and 0 < least < bound, row
		bits = {l.split("|")[1].strip(): l.split("|")[2].strip() for l in text.split("## Section III-B")[1].splitlines() if l.startswith("| ")}
		assert bits["RegMutex"] == "384" and bits["paired"] == "24", bits
		half = next(l for l in text.split("## Figure 8")[1].splitlines() if l.startswith("| **mean of 1**")).replace("*", "").split("|")
		assert float(half[4]) and float(half[5]), half
	PY
}
t "RegMutex's study" regmutex_study
gscalar_study() { # each design executes more in fewer lanes than the one before, and what is stored takes less power
	python3 - "$pages/gscalar.md" <<-'PY'
		import sys
		text = open(sys.argv[1]).read()
		def row(title):
		    body = text.split("## " + title)[1].split("\n## ")[0]
		    return [float(v) for v in next(l for l in body.splitlines() if l.startswith("| BP backprop")).split("|")[2:-1]]
		alu, sfu, mem, half, divergent, all_, alu_scalar, nodiv = row("Figure 9")
		assert 0 < alu_scalar == alu < nodiv < all_ and half > 0 and sfu > 0 and divergent > 0, row("Figure 9")
		assert abs(alu + sfu + mem + half + divergent - all_) < 0.3, row("Figure 9")
		scalar, bdi, compress, nodiv, g_scalar, whole, proofs, bare, _ = row("Figure 12")
		assert 0 < scalar < compress and 0 < bdi and 0 < whole < g_scalar < bare < 100 and 0 < proofs, row("Figure 12")
		assert row("Figure 11")[2] > row("Figure 11")[0], row("Figure 11")
		every, needed = row("Section 3.3")[:2]
		assert 0 <= needed < every, row("Section 3.3")
	PY
}
t "G-Scalar's study" gscalar_study
wir_study() { # what is reused repeats, each part of the technique finds more, and takes energy from where it is saved
	python3 - "$pages/wir.md" <<-'PY'
		import sys
		text = open(sys.argv[1]).read()
		def rows(title):
		    body = text.split("## " + title)[1].split("\n## ")[0]
		    return {l.split("|")[1].strip(): [float(v.strip() or "nan") for v in l.split("|")[2:-1]] for l in body.splitlines()
		            if l.startswith("| ") and all(v.strip().replace(".", "").replace("-", "").isdigit() or not v.strip() for v in l.split("|")[2:-1])}
		repeated, with_first, back, _, _, reuse = rows("Figure 2")["BP backprop"]
		assert 0 < reuse < repeated < back <= with_first, rows("Figure 2")
		novsb, r, rl, rlp, rlpv, rpv, rlpvc, _ = rows("Figure 13: instructions reused by model")["BP backprop"]
		assert 0 < novsb < r <= rl < rlp and 0 < rpv < rlpv and 0 < rlpvc, rows("Figure 13: instructions reused by model")
		assert abs(sum(rows("What becomes")["BP backprop"]) - 100) < 0.6, rows("What becomes")
		assert abs(rows("Section 7.5")["entries of 59 bits, the paper's"][0] - 9.9) < 0.05, rows("Section 7.5")
		vsb, buffer = rows("Figure 20"), rows("Figure 21")
		assert vsb["0"][1] < vsb["128"][1] < vsb["256"][1] and buffer["64"][1] < buffer["256"][1], (vsb, buffer)
	PY
}
t "WIR's study" wir_study

suite_study() { # the papers' own programs are measured in the form that our examples are judged in
	python3 - <<-'PY'
		import sys
		sys.path.insert(0, "test/study")
		import corf, hierarchy_figures as hrf, wir_figures as wir
		from suite_figures import FIGURES, PASSES
		(packed, _), (hierarchy, _), *_ = PASSES
		assert set(corf.PAPER) <= set(packed) and set(hrf.FORMS[hrf.PTX]) <= set(hierarchy), (packed, hierarchy)
		class Wir:                                          # reuse with entries of another width is another number
		    get = staticmethod(lambda counter, design: {("reused_instructions", wir.NARROW): 1, ("reused_instructions", "rlpv"): 2}.get((counter, design), 10))
		class Program:
		    wir = Wir
		reused = {f.key[0]: f.of(Program) for f in FIGURES if f.key[0] in ("WIR-3", "WIR-14")}
		assert reused["WIR-3"] == reused["WIR-14"] == 10, reused        # of 256 entries, both
	PY
}
t "the suite's study" suite_study

all_examples() { # the pages that no claim needs: two examples each, with the mean of all where only one is after the paper's
	EXAMPLES="fwt srad1" exits 0 test/study/hierarchy.py "$B" "$pages" --quick --all && grep -q '^| \*\*mean of the other 1\*\* |' "$pages/hierarchy_all.md" &&
	grep -q '^| by frequency | [01][.0-9]* (' "$pages/hierarchy_all.md" && EXAMPLES="saxpy srad1" exits 0 test/study/gscalar.py "$B" "$pages" --all && grep -q '^| all 2 |' "$pages/gscalar_all.md" &&
	EXAMPLES="saxpy fwt" exits 0 test/study/wir.py "$B" "$pages" --all && grep -q '^| all 2 |' "$pages/wir_all.md" && grep -q '^| WT fwt | [-.0-9]* | [-.0-9]* | [-.0-9]* |' "$pages/wir_all.md"
}
t "pages of all examples" all_examples

nothing() { # a study of no example, and a mean of no row, fail
	EXAMPLES=saxpy exits 1 test/study/gscalar.py "$B" --quick && says 'no example is left to study, of backprop lud srad1' &&
	exits 0 python3 -c 'import sys; sys.path.insert(0, "test/study"); from tables import mean; assert mean([None, 3]) == 3 and mean([None]) is None' &&
	exits 1 python3 -c 'import sys; sys.path.insert(0, "test/study"); from tables import mean; mean([])' && says 'a mean of nothing'
}
t "nothing to study is an error" nothing

# Pages are judged from what studies wrote, so this needs no study: the committed ones, and the same with a claim or a reason less.
full=$tmp/full
judged() { # EXIT CODE: of $full
	exits "$1" "$P" "$B" "$full" --pages
}
mkdir -p "$full" && cp docs/results/*.claims.csv "$full"
committed() {
	judged 0 && { ! grep -q 'no claim needs' "$tmp/err" || { cat "$tmp/err"; return 1; }; } && diff -u docs/results/papers.md "$full/papers.md"
}
t "the committed page of claims is what the studies' numbers give" committed
unmeasured() {
	grep -v '^CORF-8,' docs/results/corf.claims.csv > "$full/corf.claims.csv" && judged 1 && says 'CORF-8 coalesced_instructions corf++ all: no study measures it' &&
	cp docs/results/corf.claims.csv "$full"
}
t "a claim without a number and a reason is refused" unmeasured
differs() {
	sed -i 's/^\(WIR-4,.*average,\)[^,]*/\199/' "$full/wir.claims.csv" && judged 1 && says 'WIR-4 dummy_moves wir-rlpv average: differs (the paper 1.6, ours 99)' && cp docs/results/wir.claims.csv "$full"
}
t "one that differs and has no reason, too" differs
needless() { # repeated as often as the paper says: cause 1 is not needed
	sed -i 's/^\(WIR-1,.*average,\)[^,]*/\131.4/' "$full/wir.claims.csv" && judged 0 && says 'no claim needs this reason any more: WIR-1' && cp docs/results/wir.claims.csv "$full"
}
t "a reason that no claim needs is told" needless
stranger() {
	echo 'WIR-4,dummy_moves,nothing,average,1.6,1,' >> "$full/wir.claims.csv" && judged 1 && says 'WIR-4 dummy_moves nothing average is measured and no claim' && cp docs/results/wir.claims.csv "$full"
}
t "a number that is no claim's is refused" stranger
claimed() { # what the papers' texts were read for
	for range in CORF-:22 CORF-E:3 CORF-C:2 HRF-:18 HRF-E:5 HRF-C:1 GS-:11 GS-E:2 GS-C:1 RM-:9 RM-C:1 WIR-:15 WIR-E:1 WIR-C:1; do
		for i in $(seq "${range#*:}"); do
			grep -q "^${range%:*}$i," docs/claims.csv || { echo "no ${range%:*}$i"; return 1; }
		done
	done
}
t "every claim has its rows" claimed
listed() {
	for page in docs/results/*.md; do
		page=${page##*/}
		[ "$page" = README.md ] || grep -qF "]($page)" docs/results/README.md || { echo "README.md does not list $page"; return 1; }
	done
}
t "every page of results is listed" listed
linked() { # reasons lead to sections that there are
	python3 - <<-'PY'
		import csv, re
		for r in csv.DictReader(open("docs/reasons.csv")):
		    path, _, anchor = r["link"].partition("#")
		    text = open("docs/" + path).read()
		    anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)} | set(re.findall(r'<a id="([^"]+)"', text))
		    assert not anchor or anchor in anchors, r["link"]
	PY
}
t "reasons lead where they say" linked
finish
