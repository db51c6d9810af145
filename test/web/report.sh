#!/bin/bash
# sm-model report, and --detail of run and compare, which it draws. Nothing measured depends on --detail, it fits its schema, agrees
# with what was measured, and is the same again; the page holds the data and nothing of them is markup; pictures are well-formed;
# broken and odd results are one error each.
. "$(dirname "$0")/../lib.sh"
on() { echo "$tmp/$1.rlo" --launch "examples/$1/$1.yaml"; }
for k in saxpy dwt2d; do "$A" examples/$k/$k.ptx -q -o "$tmp/$k.rlo" || exit 1; done
"$A" examples/particlefilter/particlefilter.ptx --machine regmutex --launch examples/particlefilter/particlefilter.yaml -q -o "$tmp/particlefilter.rlo" || exit 1

cat > "$tmp/detail.py" <<'PY'
"""detail.py BARE DETAILED: a result without --detail, and with it: nothing but "detail" is more, and it agrees with the rest."""
import json, sys
bare, full = (json.load(open(f)) for f in sys.argv[1:3])
detail = full.pop("detail")
assert full == bare, "--detail changes a number"
measured = full["configurations"] if "configurations" in full else [full] + ([full["baseline"]] if "baseline" in full else [])
assert len(measured) == len(detail["configurations"])
files = {s["file"]: s["lines"] for s in detail["sources"]}
assert len(files) == len(detail["sources"]), "a file stands there twice"
programs = {"plain": detail["annotations"], "variant": detail.get("variants")}
for program, lines in ("plain", "lines"), ("variant", "variant_lines"):
    document = programs[program]
    assert (document is None) == (lines not in detail["ptx"])
    if document is None:
        continue
    assert sorted(k["name"] for k in document["kernels"]) == sorted(full["kernel"].split(","))
    for k in document["kernels"]:
        at = detail["ptx"][lines][k["name"]]
        assert len(at) == len(k["instructions"]) and sum(map(bool, at)) > len(at) / 2
        assert all(0 <= n <= len(files[detail["ptx"]["file"]]) for n in at)
        for i in k["instructions"]:
            s = i.get("source")
            assert not s or 0 < s["line"] <= len(files[s["file"]]), s
            assert i["block"] < len(k["blocks"])
for m, c in zip(measured, detail["configurations"]):
    if m.get("failed"):
        assert c["explain"] is None and c["energy"] is None
        continue
    sums = {}
    for k in c["explain"]["kernels"]:
        document = next(x for x in programs[c["program"]]["kernels"] if x["name"] == k["kernel"])
        assert [i["text"] for i in k["instructions"]] == [i["text"] for i in document["instructions"]]
        for name, n in k["slots"].items():
            sums[name] = sums.get(name, 0) + n
        for b in k["banks"]:
            for what in "reads", "writes", "reads_delayed", "writes_delayed":
                assert sum(sm[what][b["bank"]] for sm in k["banks_by_sm"]) == b[what], (what, b)
        for line in k["lines"]:
            have = files.get(line["file"])
            assert not have or not line["text"] or have[line["line"] - 1].replace("\t", " ").strip() == line["text"], line
    for name, n in sums.items():
        assert m["metrics"]["slots_" + name]["value"] == n, name
    parts = c["energy"]["parts"]
    def total(of): return None if any(p["uJ"] is None for p in parts if p["of"] == of) else sum(p["uJ"] for p in parts if p["of"] == of)
    def same(of, metric):
        pj, uj = m["metrics"][metric]["value"], total(of)
        assert (pj is None) == (uj is None) and (pj is None or abs(pj * 1e-6 - uj) <= 1e-6 * uj), (of, pj, uj)
    same("rf", "rf_energy")
    if any(p["of"] == "sm" for p in parts):
        same("sm", "sm_energy")
PY
detail() { # SCHEMA ARGUMENTS...: with and without --detail
	local schema=$1; shift
	exits 0 "$M" "$schema" "$@" -q --json "$tmp/bare.json" && cp "$tmp/err" "$tmp/bare.err" && exits 0 "$M" "$schema" "$@" -q --json "$tmp/full.json" --detail &&
	diff "$tmp/bare.err" "$tmp/err" && test/tool/schema.py "$tmp/full.json" "docs/$schema.schema.json" && python3 "$tmp/detail.py" "$tmp/bare.json" "$tmp/full.json"
}
t "--detail of a run" detail run $(on saxpy)
t "--detail of a run beside the baseline, with energies of a GPU" detail run $(on saxpy) --machine wir --rf wir-rlpv
t "--detail of a run that explains and looks for repeats itself" detail run $(on saxpy) --machine wir --rf wir-rlpv --explain=reuse
t "--detail of a comparison" detail compare $(on dwt2d) --rf baseline,corf++,residency=rfv,split-lrf+orf --machine hierarchical-rf
t "--detail of variants" detail compare $(on particlefilter) --machine regmutex --rf regmutex,baseline,owf
t "--detail of a run of variants" detail run $(on particlefilter) --machine regmutex --rf regmutex
failed() { # a configuration on which no block fits: the others have theirs
	"$M" compare $(on saxpy) -q --config threads_per_sm=32,name=tiny --rf baseline --json "$tmp/f0.json" 2> "$tmp/err"
	exits 1 "$M" compare $(on saxpy) -q --config threads_per_sm=32,name=tiny --rf baseline --json "$tmp/f1.json" --detail && says "configuration tiny: " &&
	test/tool/schema.py "$tmp/f1.json" docs/compare.schema.json && python3 "$tmp/detail.py" "$tmp/f0.json" "$tmp/f1.json"
}
t "--detail: a configuration that fails" failed
again() {
	"$M" compare $(on dwt2d) -q --rf baseline,orf --machine hierarchical-rf --threads 1 --json "$tmp/1.json" --detail &&
	"$M" compare $(on dwt2d) -q --rf baseline,orf --machine hierarchical-rf --threads 3 --json "$tmp/2.json" --detail && cmp "$tmp/1.json" "$tmp/2.json"
}
t "--detail: the same bytes again, at any number of threads" again
lost() { # a source that is gone, and one that is no text: the rest is there
	mkdir -p "$tmp/gone" && sed 's|examples/saxpy/saxpy.cl|gone/saxpy.cl|' examples/saxpy/saxpy.ptx > "$tmp/gone/s.ptx" && "$A" "$tmp/gone/s.ptx" -q -o "$tmp/gone/s.rlo" &&
	exits 0 "$M" run "$tmp/gone/s.rlo" --launch examples/saxpy/saxpy.yaml -q --json "$tmp/gone.json" --detail && test/tool/schema.py "$tmp/gone.json" docs/run.schema.json &&
	mkdir -p "$tmp/gone/gone" && printf 'a\0b\n\377\376 \303\244 \342\200\250\ttab </script>\r\n\n' > "$tmp/gone/gone/saxpy.cl" &&
	exits 0 "$M" run "$tmp/gone/s.rlo" --launch examples/saxpy/saxpy.yaml -q --json "$tmp/odd.json" --detail && test/tool/schema.py "$tmp/odd.json" docs/run.schema.json &&
	python3 - "$tmp" <<-'PY'
		import json, sys
		gone, odd = (next(s for s in json.load(open(f"{sys.argv[1]}/{f}.json"))["detail"]["sources"] if s["file"].endswith("gone/saxpy.cl")) for f in ("gone", "odd"))
		assert gone["lines"] is None and odd["lines"] == ["a?b", "?? ?? ???\ttab </script>", ""], (gone, odd)
	PY
}
t "--detail: a source that is gone, or is no text" lost
wrong() {
	exits 2 "$M" run $(on saxpy) --detail && says "--detail wants --json" && exits 2 "$M" compare $(on saxpy) --rf baseline,orf --detail && says "--detail wants --json" &&
	exits 2 "$M" run $(on saxpy) --functional --detail --json "$tmp/x.json" && says "--detail needs timing" && [ ! -e "$tmp/x.json" ]
}
t "--detail: wrong usage" wrong

# ---- the report ----
cat > "$tmp/page.py" <<'PY'
"""page.py PAGE TITLE RESULT...: the page holds exactly these results, and is otherwise the page that is committed."""
import html, json, sys
page, title, results = open(sys.argv[1]).read(), sys.argv[2], sys.argv[3:]
template = open("runtime-model/html/web/dist/page.html").read()
before, rest = template.split("<!--regloom:title-->")
between, after = rest.split("<!--regloom:data-->")
assert page.startswith(before) and page.endswith(after)
head, data = page[len(before):len(page) - len(after)].split(between)
assert html.unescape(head) == title and "<" not in head, head
assert not set(data) & set("<>&") and data.isascii(), "the data hold a character with a meaning in HTML"
data = json.loads(data)
assert data["schema"] == "regloom-report-1" and data["title"] == title
assert [f["name"] for f in data["files"]] == results and [f["result"] for f in data["files"]] == [json.load(open(r)) for r in results]
PY
"$M" run $(on saxpy) -q --json "$tmp/run.json" --detail && "$M" compare $(on dwt2d) -q --machine hierarchical-rf --rf baseline,rfc,split-lrf+orf --json "$tmp/compare.json" --detail || exit 1
page() { # TITLE RESULT...
	local title=$1; shift
	exits 0 "$M" report "$@" -o "$tmp/page.html" --title "$title" && [ ! -s "$tmp/err" ] && python3 "$tmp/page.py" "$tmp/page.html" "$title" "$@"
}
t "a page of a run and a comparison" page 'two <of> "them" & more' "$tmp/run.json" "$tmp/compare.json"
titled() { exits 0 "$M" report "$tmp/run.json" "$tmp/compare.json" -o "$tmp/page.html" && python3 "$tmp/page.py" "$tmp/page.html" "saxpy on gtx480, and 1 more" "$tmp/run.json" "$tmp/compare.json"; }
t "a page with the title that nobody gave" titled
hostile() { # what a source line may hold
	printf '</script><script>alert(1)</script>\n<!-- <img src=x onerror=alert(1)> ]]>\n\342\200\250\342\200\251 & \\u003c "\n' > "$tmp/gone/gone/saxpy.cl" &&
	"$M" run "$tmp/gone/s.rlo" --launch examples/saxpy/saxpy.yaml -q --json "$tmp/hostile.json" --detail && page '</title><script>' "$tmp/hostile.json"
}
t "a page of source that looks like markup" hostile
named() { # symbols of C++, but those whose name another has, or something else
	local other
	sed 's/"saxpy"/"_Z5scaleILi3EEvPf"/g' "$tmp/run.json" > "$tmp/mangled.json" && sed 's/"saxpy"/"scale<3>"/g' "$tmp/run.json" > "$tmp/named.json" &&
	exits 0 "$M" report "$tmp/mangled.json" -o "$tmp/page.html" && sed -i "s|$tmp/mangled.json|$tmp/named.json|" "$tmp/page.html" &&
	python3 "$tmp/page.py" "$tmp/page.html" "scale<3> on gtx480" "$tmp/named.json" || return
	for other in '_Z5scaleILi3EEvPi' 'scale<3>'; do
		sed -E "s/\"text\": ?\"mad/\"text\": \"$other\", \"was\": \"mad/" "$tmp/mangled.json" > "$tmp/two.json" && ! cmp -s "$tmp/two.json" "$tmp/mangled.json" &&
		exits 0 "$M" report "$tmp/two.json" -o "$tmp/page.html" && python3 "$tmp/page.py" "$tmp/page.html" "_Z5scaleILi3EEvPf on gtx480" "$tmp/two.json" || return
	done
}
t "a page names kernels as people do" named
plain() { # without --detail, and of a run without times
	"$M" run $(on saxpy) -q --json "$tmp/plain.json" && exits 0 "$M" report "$tmp/plain.json" -o "$tmp/page.html" && says "plain.json was written without --detail: " &&
	python3 "$tmp/page.py" "$tmp/page.html" "saxpy on gtx480" "$tmp/plain.json" &&
	"$M" run $(on saxpy) -q --functional --json "$tmp/plain.json" && exits 0 "$M" report "$tmp/plain.json" -o "$tmp/page.html" &&
	python3 "$tmp/page.py" "$tmp/page.html" "saxpy" "$tmp/plain.json" && exits 1 "$M" report "$tmp/plain.json" --pictures "$tmp/none" && says "nothing to draw" && [ ! -e "$tmp/none" ]
}
t "a page of results without --detail" plain
short() { # runs of its own are what compare and run write
	exits 0 "$M" report $(on dwt2d) --machine hierarchical-rf --rf baseline,rfc --config split-lrf+orf -o "$tmp/short.html" && grep -q 'dwt_columns on hierarchical-rf$' "$tmp/out" &&
	sed -n 's/.*id="data">//;s/<\/script>.*//;/^{"schema":"regloom-report-1"/p' "$tmp/short.html" > "$tmp/short.json" &&
	exits 0 "$M" report $(on saxpy) -q -o - && sed -n 's/.*id="data">//;s/<\/script>.*//;/^{"schema":"regloom-report-1"/p' "$tmp/out" > "$tmp/one.json" && python3 - "$tmp" <<-'PY'
		import json, sys
		load = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
		assert load("short")["files"][0]["result"] == load("compare")
		one, run = load("one")["files"][0]["result"], load("run")
		for c in one["detail"]["configurations"] + run["detail"]["configurations"]:
		    del c["name"]
		assert one == run
	PY
}
t "a page in one step" short
failing() { # an expectation that does not hold: the page is there, and the exit status says so
	sed 's/start: [-0-9.]*/start: 7/' examples/saxpy/saxpy.yaml > "$tmp/bad.yaml" && ! cmp -s "$tmp/bad.yaml" examples/saxpy/saxpy.yaml && cp examples/saxpy/saxpy.expect "$tmp" &&
	exits 1 "$M" report "$tmp/saxpy.rlo" --launch "$tmp/bad.yaml" -o "$tmp/bad.html" && grep -q '"check":"fail"' "$tmp/bad.html"
}
t "a page of a run that fails" failing
svg=svg; command -v gnuplot > /dev/null && command -v dot > /dev/null || svg=
pictures() {
	exits 0 "$M" report "$tmp/run.json" "$tmp/compare.json" --pictures "$tmp/p" --format svg,png,txt && exits 0 "$M" report "$tmp/run.json" "$tmp/compare.json" --pictures "$tmp/q" --format txt,svg,png &&
	diff -r "$tmp/p" "$tmp/q" && python3 - "$tmp/p" <<-'PY'
		import os, struct, sys, xml.etree.ElementTree as xml
		files = set(os.listdir(sys.argv[1]))
		plots = {"run-slots", "run-energy", "run-saxpy-pressure", "run-saxpy-code", "run-saxpy-banks"}
		plots |= {"compare-" + n for n in ("comparison", "slots", "energy")} | {f"compare-{k}-{n}" for k in ("dwt_rows", "dwt_columns") for n in ("pressure", "code", "banks")}
		graphs = {"run-saxpy-affinity", "compare-dwt_rows-affinity", "compare-dwt_columns-affinity"}
		assert files == {f"{p}.{e}" for p in plots for e in ("gp", "svg", "png", "txt")} | {f"{g}.{e}" for g in graphs for e in ("dot", "svg", "png")}, files ^ plots
		read = lambda n: open(os.path.join(sys.argv[1], n), "rb").read()
		for p in plots | graphs:
		    root = xml.fromstring(read(p + ".svg"))
		    assert root.tag == "{http://www.w3.org/2000/svg}svg" and len(list(root.iter())) > 20, p
		    png = read(p + ".png")
		    assert png[:8] == b"\x89PNG\r\n\x1a\n" and png[-8:-4] == b"IEND" and min(struct.unpack(">II", png[16:24])) > 100, p
		for p in plots:
		    assert len(read(p + ".txt").splitlines()) > 1, p
		row = next(l for l in read("compare-comparison.txt").decode().splitlines() if l.split()[0] == "rf_reads").split()
		assert row[1] == "1" and 0 < float(row[3]) < float(row[2]) < 1, row
		slots = [l.split() for l in read("compare-slots.txt").decode().splitlines()]
		assert [r[0] for r in slots[1:]] == ["baseline", "rfc", "split-lrf+orf"] and all(abs(sum(map(float, r[1:])) - 100) < 0.01 for r in slots[1:]), slots
	PY
}
[ -z "$svg" ] && skip "pictures" "gnuplot or dot is not installed" || t "pictures: all of them, well-formed, the same again" pictures
mkdir "$tmp/fake" "$tmp/fail" && ln -s /bin/true "$tmp/fake/gnuplot" && ln -s /bin/true "$tmp/fake/dot" && printf '#!/bin/sh\necho "line 3: no such thing" >&2\nexit 4\n' > "$tmp/fail/gnuplot" && chmod +x "$tmp/fail/gnuplot"
drawn() { # what draws is not there, or fails
	exits 1 env PATH=/nonexistent "$M" report "$tmp/run.json" --pictures "$tmp/x" && says "gnuplot is not there; the package gnuplot-nox has it" && [ "$(wc -l < "$tmp/err")" = 1 ] &&
	exits 1 env PATH="$tmp/fail" "$M" report "$tmp/run.json" --pictures "$tmp/x" && says "gnuplot failed (exit status 4): line 3: no such thing" && [ -z "$(ls "$tmp/x" | grep -v 'gp$')" ] &&
	exits 1 "$M" report "$tmp/run.json" --pictures "$tmp/run.json" && exits 1 "$M" report "$tmp/run.json" --pictures "$tmp/no/such/folder" && says "cannot be made"
}
t "pictures: a program that is missing or fails" drawn
killed() { # while gnuplot draws: it ends too, and of its picture nothing is left
	local pid child= code i
	mkdir "$tmp/slow" && printf '#!/bin/sh\nexec /bin/sleep 600\n' > "$tmp/slow/gnuplot" && chmod +x "$tmp/slow/gnuplot" || return
	PATH=$tmp/slow "$M" report "$tmp/run.json" --pictures "$tmp/killed" > /dev/null 2>&1 & pid=$!
	for i in $(seq 1200); do child=$(pgrep -P $pid) && break; sleep 0.05; done
	kill -TERM $pid; wait $pid 2> /dev/null; code=$?
	for i in $(seq 100); do [ -e "/proc/$child" ] || break; sleep 0.05; done
	[ $code = 143 ] && [ -n "$child" ] && [ ! -e "/proc/$child" ] && [ -z "$(ls "$tmp/killed" | grep -v 'gp$')" ] || { ls "$tmp/killed"; kill "$child"; return 1; }
}
t "pictures: SIGTERM while one is drawn" killed
model=$(realpath "$M")
names() { # names that mean something to gnuplot, Graphviz or the file system are labels, and a name in the folder
	python3 - "$tmp" <<-'PY' &&
		import json, sys
		d = json.load(open(sys.argv[1] + "/compare.json"))
		names = ["../../x'; system(\"touch owned\"); '", "`touch owned`", "EOD\n\"]; \\ <b>$0"]
		for n, c, x in zip(names, d["configurations"], d["detail"]["configurations"]):
		    c["name"] = x["name"] = n
		old = [k["name"] for k in d["detail"]["annotations"]["kernels"]]
		for n, k in zip(names, old):
		    for a in d["detail"]["annotations"]["kernels"]:
		        a["name"] = n if a["name"] == k else a["name"]
		    for c in d["detail"]["configurations"]:
		        for e in c["explain"]["kernels"]:
		            e["kernel"] = n if e["kernel"] == k else e["kernel"]
		json.dump(d, open(sys.argv[1] + "/names.json", "w"))
	PY
	page "names" "$tmp/names.json" && mkdir -p "$tmp/deep/in" && (cd "$tmp/deep/in" && PATH="${svg:+$PATH}${svg:-$tmp/fake}" "$model" report "$tmp/names.json" --pictures here -q) &&
	[ "$(find "$tmp" -name owned | wc -l)" = 0 ] && [ "$(ls "$tmp/deep" "$tmp" | grep -c "x.*system")" = 0 ] && [ "$(ls "$tmp/deep/in/here" | grep -c 'pressure.svg')" = 2 ]
}
t "names of kernels and configurations that are programs" names
folders() { # a folder's name is neither a command of gnuplot's nor an option
	local d
	mkdir -p "$tmp/folders" && for d in '<touch ran;' '|touch ran;' -d --help '$(touch ran)' 'a b'; do
		(cd "$tmp/folders" && exits 0 "$model" report "$tmp/run.json" "--pictures=$d" --format svg,txt) && [ "$(ls "$tmp/folders/$d" | grep -c 'svg$')" = 6 ] &&
		[ "$(find "$tmp/folders" -size 0 | wc -l)" = 0 ] || return
	done
	[ ! -e "$tmp/folders/ran" ]
}
[ -z "$svg" ] || t "pictures: in folders with names of commands and options" folders
broken() { # BYTES WHAT: one error, no page
	printf '%b' "$1" > "$tmp/b.json"
	rm -f "$tmp/b.html"
	exits 1 "$M" report "$tmp/b.json" -o "$tmp/b.html" && says "b.json: error: " && says "$2" && [ "$(wc -l < "$tmp/err")" = 1 ] && [ ! -e "$tmp/b.html" ] && [ ! -s "$tmp/out" ]
}
breaks() {
	broken '' 'is no JSON' && broken '{' 'is no JSON: line 1, column 1' && broken '[]' 'is no result of sm-model run' && broken '3' 'is no ' && broken '{"schema":"regloom-run-1","schema":""}' 'duplicate' &&
	broken '{"schema":"regloom-usage-1"}' 'sm-model usage prints it' && broken '{"schema":"regloom-run-1"}' 'it lacks "kernel"' && broken '{"schema":3}' 'is no result' &&
	broken '{"a":"\0377"}' 'is no JSON: line 1, column 6' && broken "$(printf '[%.0s' $(seq 5000))" 'is no JSON' && broken '\0177ELF' 'is an object, no result' || return 1
	while IFS='|' read -r change what; do
		python3 -c "import json, sys; d = json.load(open('$tmp/run.json')); $change; json.dump(d, open('$tmp/changed.json', 'w'))" || return 1
		exits 1 "$M" report "$tmp/changed.json" -o "$tmp/b.html" && says "$what" && [ "$(wc -l < "$tmp/err")" = 1 ] && [ ! -e "$tmp/b.html" ] || { echo "$change"; return 1; }
	done <<-'END'
		d["launches"] = []|launches has the wrong number of elements
		d["check"] = "perhaps"|check has a value that it cannot have
		d["metrics"] = 3|metrics is no object
		d["metrics"]["cycles"]["value"] = "many"|metrics.cycles.value has the wrong type
		del d["detail"]["sources"]|detail lacks "sources"
		d["detail"]["sources"][0]["lines"][1] = None|detail.sources[0].lines[1] is no string
		d["detail"]["annotations"]["kernels"][0]["instructions"][2]["live"]["registers"] = -1|detail.annotations.kernels[0].instructions[2].live.registers is too small
		d["detail"]["configurations"][0]["explain"]["kernels"][0]["lines"][0]["slots"] = []|detail.configurations[0].explain.kernels[0].lines[0].slots is no object
		d["detail"]["configurations"][0]["energy"]["parts"][0]["of"] = "all"|detail.configurations[0].energy.parts[0].of has a value that it cannot have
	END
	python3 -c "import json; d = json.load(open('$tmp/compare.json')); del d['configurations'][1]['metrics']; json.dump(d, open('$tmp/changed.json', 'w'))"
	exits 1 "$M" report "$tmp/run.json" "$tmp/changed.json" -o "$tmp/b.html" && says 'changed.json: error: ' && says 'configurations[1] lacks "metrics"' && [ ! -e "$tmp/b.html" ] &&
	python3 -c "import json; d = json.load(open('$tmp/run.json')); d['new'] = 1; d['detail']['new'] = [2]; json.dump(d, open('$tmp/changed.json', 'w'))" &&
	exits 0 "$M" report "$tmp/changed.json" -o "$tmp/b.html" && rm "$tmp/b.html" && exits 1 "$M" report "$tmp/none.json" -o "$tmp/b.html" && exits 1 "$M" report "$tmp" -o "$tmp/b.html" && [ ! -e "$tmp/b.html" ]
}
t "broken results: one error each, and no page" breaks
damaged() { # cut short, bits flipped, members taken away or of another kind: never more than an error
	PATH=$tmp/fake:$PATH python3 - "$M" "$tmp" "${QUICK:+12}" <<-'PY'
		import copy, json, os, random, subprocess, sys
		model, tmp, few = sys.argv[1:]
		rng, fine = random.Random(10), 0
		whole = {n: open(f"{tmp}/{n}.json", "rb").read() for n in ("run", "compare")}
		def places(x, at=()):
		    yield at
		    for k, v in x.items() if isinstance(x, dict) else enumerate(x[:3]) if isinstance(x, list) else ():
		        yield from places(v, at + (k,))
		parsed = {n: json.loads(b) for n, b in whole.items()}
		where = {n: [p for p in places(d) if p] for n, d in parsed.items()}
		for i in range(int(few or 48)):
		    name = ("run", "compare")[i % 2]
		    if i % 3 == 0:
		        data = whole[name][:rng.randrange(len(whole[name]))]
		    elif i % 3 == 1:
		        data = bytearray(whole[name])
		        for _ in range(rng.choice((1, 1, 8))):
		            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
		    else:
		        d = copy.deepcopy(parsed[name])
		        path = rng.choice(where[name])
		        x = d
		        for k in path[:-1]:
		            x = x[k]
		        if isinstance(x, dict) and rng.random() < 0.3:
		            del x[path[-1]]
		        else:
		            x[path[-1]] = rng.choice((None, 0, -1, 1e300, 2 ** 62, "", "x" * 5000, [], {}, [[]], {"value": 1, "unit": ""}, x[path[-1]] and 3))
		        data = json.dumps(d).encode()
		    open(f"{tmp}/damaged.json", "wb").write(data)
		    p = subprocess.run([model, "report", f"{tmp}/damaged.json", "-o", f"{tmp}/damaged.html", "--pictures", f"{tmp}/dp", "-q"], capture_output=True, text=True)
		    assert p.returncode in (0, 1) and (p.returncode == 0 or p.stderr.count("error: ") == 1), (i, p)
		    fine += p.returncode == 0
		    os.path.exists(f"{tmp}/damaged.html") and os.remove(f"{tmp}/damaged.html")
		assert few or 0 < fine < 48, fine
	PY
}
t "damaged results" damaged
usage_of() {
	exits 2 "$M" report && says "of what?" && exits 2 "$M" report "$tmp/run.json" && says "where to?" && exits 2 "$M" report "$tmp/run.json" -o "$tmp/x.html" --rf orf && says "configurations and limits" &&
	exits 2 "$M" report "$tmp/run.json" -o "$tmp/x.html" --format svg && says "--format is of --pictures" && exits 2 "$M" report "$tmp/run.json" --pictures "$tmp/x" --format svg,gif && says "svg,gif is not" &&
	exits 2 "$M" report $(on saxpy) "$tmp/run.json" -o "$tmp/x.html" && says "one object" && exits 2 "$M" report "$tmp/run.json" -o "$tmp/run.json" && says "would overwrite" &&
	exits 1 "$M" report "$tmp/saxpy.rlo" -o "$tmp/x.html" && says "is an object, no result: --launch FILE" &&
	exits 2 "$M" report $(on saxpy) -o "$tmp/saxpy.rlo" && says "would overwrite the object" && exits 2 "$M" report $(on saxpy) --rf nonsense -o "$tmp/x.html" && says nonsense &&
	exits 1 "$M" report "$tmp/run.json" -o /nonexistent/x.html && says "cannot write" && exits 1 "$M" report "$tmp/saxpy.rlo" -o "$tmp/x.html" && says "is an object, no result: --launch FILE" &&
	exits 2 "$M" run $(on saxpy) -o x.html && [ ! -e "$tmp/x.html" ] && exits 0 "$M" report --help && grep -q -- '--pictures DIR' "$tmp/out"
}
t "wrong usage of report" usage_of
finish
