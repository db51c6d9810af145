#!/usr/bin/env python3
"""web.py BUILD [--screenshot DIR]: reports of a small and of large kernels, as `sm-model report` writes them, in Chromium without a window. What each
chart holds is compared with what Python finds in the JSON of the page; nothing may be logged or fetched; pointer, clicks and keys must reach the right
lines. With --screenshot only pictures are made, for people to look at."""
import copy, json, os, re, shutil, subprocess, sys, tempfile
from browser import Browser
from report_data import EVIL, annotations, code_of, configurations, expected, explain, hostile

MARK = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.S)
CHART_SIZE = 300
passed = failed = 0


def data_of(page):
    with open(page, encoding="utf-8") as f:
        return json.loads(MARK.search(f.read()).group(2))


def with_data(page, data, to):
    text = json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    with open(page, encoding="utf-8") as f:
        whole = MARK.sub(lambda m: m.group(1) + text + m.group(3), f.read())
    with open(to, "w", encoding="utf-8") as f:
        f.write(whole)
    return to


def test(name, problems):
    global passed, failed
    if problems:
        failed += 1
        print(f"FAIL  {name}")
        for p in problems[:12]:
            print("      " + str(p)[:600])
    else:
        passed += 1
        print(f"ok    {name}")
    sys.stdout.flush()


def near(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= 1e-9 * max(abs(a), abs(b)))


def differences(got, want, at=""):
    if isinstance(want, dict) and isinstance(got, dict):
        if set(got) != set(want):
            return [f"{at}: has {sorted(got)}, not {sorted(want)}"]
        return [d for k in want for d in differences(got[k], want[k], f"{at} {k}")]
    if isinstance(want, list) and isinstance(got, list):
        if len(got) != len(want):
            return [f"{at}: {len(got)} values, not {len(want)}"]
        return [d for i, (g, w) in enumerate(zip(got, want)) for d in differences(g, w, f"{at}[{i}]")]
    return [] if near(got, want) else [f"{at}: {got!r}, not {want!r}"]


def load(b, page):
    b.open(page)
    b.until("Boolean(window.regloom && (window.regloom.ready || window.regloom.error))")
    error = b.js("return window.regloom.error")
    assert not error, error
    b.frame()


def quiet(b, page):
    """What was logged or fetched since the last call."""
    bad = [f"{x['level']}: {x['message']}" for x in b.log_of("browser")]
    own = "file://" + os.path.abspath(page)
    for x in b.log_of("performance"):
        m = json.loads(x["message"])["message"]
        if m["method"] == "Network.requestWillBeSent":
            url = m["params"]["request"]["url"]
            if url.split("#")[0] != own and not url.startswith("data:"):
                bad.append("fetched " + url)
    return bad


# What the chart's own option holds, in the shape of report_data.expected().
SERIES = """
const out = {};
for (const id of Object.keys(window.regloom.charts)) {
    out[id] = { points: window.regloom.charts[id], series: {} };
    for (const s of window.regloom.series(id)) {
        const value = (d) => (d !== null && typeof d === 'object' && !Array.isArray(d) ? (d.count !== undefined ? d.count : d.value) : d);
        if (s.type === 'graph') {
            out[id].series.nodes = s.data.map((n) => n.name).sort();
            out[id].series.edges = s.links.filter((l) => !l.pair).map((l) => [l.source, l.target, l.value, l.lineStyle.type === 'solid']);
            out[id].series.pairs = s.links.filter((l) => l.pair).map((l) => l.pair);
        } else
            out[id].series[s.name] = s.data.map(value);
    }
}
return out;"""


def charts(b, want):
    got = b.js(SERIES)
    problems = [f"no chart {c}: {b.js('return window.regloom.missing()').get(c)}" for c in want if c not in got] + [f"an unexpected chart {c}" for c in got if c not in want]
    for c in want:
        if c in got:
            problems += differences(got[c], want[c], c)
    return problems


def ratios(b):
    """Each bar of energies ends with one number: its ratio to the first bar, if all of both is known."""
    series = b.js("return 'energy' in window.regloom.charts ? window.regloom.series('energy').map((s) => [s.data, s.labels]) : []")
    bars = list(zip(*[data for data, _ in series]))
    whole, bad = [sum(v or 0 for v in bar) for bar in bars], []
    for i, bar in enumerate(bars):
        shown = [labels[i] for data, labels in series if data[i] is not None and labels[i]]
        allowed = [f"{whole[i] / whole[0]:.3f}"] if None not in bar + bars[0] else [f"{whole[i] / whole[0]:.3f}", "-"]
        if any(v is not None for v in bar) and (len(shown) != 1 or shown[0] not in allowed):
            bad.append(f"energy: bar {i} ends with {shown}, not with one of {allowed}")
    return bad


def painted(b):
    """Each chart's canvas has some size and several colours."""
    return b.js("""const bad = [];
for (const id of Object.keys(window.regloom.charts)) {
    const c = document.querySelector('#chart-' + id + ' canvas'), colours = new Set();
    if (!c || c.clientWidth < arguments[0]) { bad.push(id + ' is small'); continue; }
    const copy = document.createElement('canvas'), x = copy.getContext('2d', { willReadFrequently: true });
    copy.width = c.width; copy.height = c.height;
    x.drawImage(c, 0, 0);
    const p = new Uint32Array(x.getImageData(0, 0, c.width, c.height).data.buffer);
    for (let i = 0; i < p.length && colours.size < 4; i += 7) colours.add(p[i]);
    if (colours.size < 4) bad.push(id + ' is empty');
}
return bad;""", CHART_SIZE)


def into_view(b, chart):
    b.js("document.getElementById('chart-' + arguments[0]).scrollIntoView({ block: 'center', behavior: 'instant' })", chart)
    b.frame()


def rows(b, list_id, kind):
    """The rows in sight of a list that are marked or chosen: [text, inside the list's box]."""
    return b.js("""const box = document.getElementById(arguments[0]).getBoundingClientRect();
return [...document.querySelectorAll('#' + arguments[0] + ' .row.' + arguments[1])].map((e) => {
    const r = e.getBoundingClientRect();
    return [e.querySelector('.no') ? e.querySelector('.no').textContent : '', e.querySelector('code').textContent, r.top >= box.top - 1 && r.bottom <= box.bottom + 1]; });""", list_id, kind)


def link(b, data, kernel, asked):
    """Pointing at an instruction in a chart marks it and its line; a click brings both into sight, and a click on the line goes the other way."""
    code, bad = code_of(data, kernel, 0), []
    for chart in "pressure", "slots-code", "entries":
        into_view(b, chart)
        b.pointer(3, 3)
        (x, y), (right, _) = (b.js("return window.regloom.pixel(arguments[0], arguments[1], 0)", chart, at) for at in (asked, asked + 1))
        b.pointer(x, y - 3)
        hover = b.js("return window.regloom.state().hover") or {"insns": [-1], "line": None}
        # Pixels are whole: where an instruction has less than two of them, it may be a neighbour.
        index = hover["insns"][0]
        i = code[index]
        if len(hover["insns"]) != 1 or abs(index - asked) > (1 / (right - x) if right - x < 2 else 0) or hover["line"] != i["source"]["line"]:
            bad.append(f"{chart}: over instruction {asked}, but told {hover}")
        b.pointer(x, y - 3, click=True)
        machine, source = rows(b, "machine", "chosen"), rows(b, "source", "chosen")
        if [m[:2] for m in machine] != [[str(index), i["text"]]] or not machine[0][2]:
            bad.append(f"{chart}: clicked instruction {index}, and the list shows {machine}")
        if [int(s[0]) for s in source] != [i["source"]["line"]] or not source[0][2]:
            bad.append(f"{chart}: clicked instruction {index} of line {i['source']['line']}, and the source shows {source}")
        b.js("document.getElementById('machine').scrollTop = document.getElementById('source').scrollTop = 0")
    own = [x["index"] for x in code if x["source"] and (x["source"]["file"], x["source"]["line"]) == (i["source"]["file"], i["source"]["line"])]
    b.js("window.scrollTo(0, 0); document.getElementById('source').scrollTop = 20 * (arguments[0] - 3)", i["source"]["line"])
    b.frame()
    row = b.js("""const e = document.querySelector('#source .row.chosen'), r = e.getBoundingClientRect(); return [r.left + 60, r.top + r.height / 2];""")
    b.pointer(*row)
    b.pointer(*row, click=True)
    chosen = b.js("return window.regloom.state().selected.insns")
    if sorted(chosen) != own:
        bad.append(f"clicked line {i['source']['line']}: chose {chosen}, not {own}")
    marks = b.js("return document.querySelectorAll('#panel-pressure .mark.selected').length")
    if marks != min(200, len(own)):
        bad.append(f"line {i['source']['line']} has {len(own)} instructions, the chart marks {marks}")
    first = rows(b, "machine", "chosen")
    if not first or not any(r[2] for r in first):
        bad.append(f"the instructions of line {i['source']['line']} are not in sight")
    return bad


def lines_chart(b, data, kernel):
    """A click on the uppermost bar of the chart by source line goes to that line."""
    top = max((x for x in explain(data, kernel, 0)["lines"] if x["file"] is not None), key=lambda x: sum(x["slots"].values()))
    into_view(b, "slots-lines")
    b.pointer(*b.js("return window.regloom.pixel('slots-lines', 1, 0)"), click=True)
    s = b.js("return window.regloom.state().selected")
    return [] if s and (s["file"], s["line"]) == (top["file"], top["line"]) else [f"chose {s}, not {top['file']}:{top['line']}"]


def graph_edge(b, data, kernel):
    """Pointing at a register in the graph marks the instructions that use it."""
    k, code = annotations(data, kernel, 0), code_of(data, kernel, 0)
    name = k["corf"]["alignment"]["left"][0]
    into_view(b, "graph")
    at = b.js("const n = window.regloom.series('graph')[0].data.find((n) => n.name === arguments[0]); return window.regloom.pixel('graph', n.value[0], n.value[1])", name)
    b.pointer(3, 3)
    b.pointer(*at)
    hover, want = b.js("return window.regloom.state().hover"), [i["index"] for i in code if name in i["places"]["reads"] + i["places"]["writes"]]
    return [] if hover and hover["insns"] == want else [f"over {name}: {hover}, not {want}"]


def keyboard(b, data, kernel):
    bad, code = [], code_of(data, kernel, 0)
    b.js("window.scrollTo(0, 0); document.getElementById('machine').focus()")
    b.keys("\ue011")                                         # Home
    b.keys(*["\ue015"] * 3, "\ue007")                        # three times down, Enter; the first row may be a label
    s = b.js("return window.regloom.state().selected")
    if not s or len(s["insns"]) != 1 or s["insns"][0] not in (2, 3):
        bad.append(f"keys in the list chose {s}")
    b.keys("\ue010", "\ue007")                               # End
    s = b.js("return window.regloom.state().selected")
    if not s or s["insns"] != [code[-1]["index"]]:
        bad.append(f"End and Enter chose {s}, not {code[-1]['index']}")
    b.js("const d = document.querySelector('#panel-pressure details'); d.open = true; d.dispatchEvent(new Event('toggle'));")
    b.frame()
    b.js("document.querySelectorAll('#panel-pressure button.to')[1].focus()")
    b.keys("\ue007")
    s = b.js("return window.regloom.state().selected")
    if not s or s["insns"] != [1]:
        bad.append(f"a number's button chose {s}")
    b.js("document.querySelector('#panel-pressure details').open = false")
    return bad


def choose(b, label, text):
    done = b.js("""for (const l of document.querySelectorAll('label.picker'))
    if (l.querySelector('span').textContent === arguments[0])
        for (const o of l.querySelectorAll('option'))
            if (o.textContent === arguments[1]) { const s = l.querySelector('select'); s.value = o.value; s.dispatchEvent(new Event('change')); return true; }
return false;""", label, text)
    assert done, (label, text)
    b.frame()


def sizes(b):
    bad = []
    for width in 900, 1280, 1920, 2500:
        b.size(width, 1100)
        b.frame()
        over = b.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if over > 0:
            bad.append(f"at {width} pixels the page is {over} wider")
        bad += [f"at {width} pixels {x}" for x in painted(b)]
    b.size(1400, 1100)
    b.frame()
    return bad


def printed(b, data, kernel):
    """On paper the lists are whole and the colours light; afterwards all is as before."""
    count = "return [document.querySelectorAll('#machine code').length, document.querySelectorAll('#machine .label').length, document.documentElement.dataset.theme || 'auto']"
    before = b.js(count)
    b.js("dispatchEvent(new Event('beforeprint'))")
    rows, labels, theme = b.js(count)
    b.js("dispatchEvent(new Event('afterprint'))")
    bad = [] if rows - labels == len(code_of(data, kernel, 0)) and theme == "light" else [f"{rows} rows with {labels} labels, {theme}"]
    return bad + ([] if b.js(count) == before else [f"afterwards {b.js(count)}, not {before}"])


def whole(b, name, page, full):
    """All that is asked of every page; of one with full, of every configuration too."""
    data = data_of(page)
    load(b, page)
    kernels = list(dict.fromkeys(l["kernel"] for f in data["files"] for l in f["result"]["launches"]))
    for kernel in kernels:
        if len(kernels) > 1:
            choose(b, "Kernel", kernel)
        configs = configurations(data, kernel)
        for c, (label, _) in enumerate(configs):
            if c and not full:
                break
            if len(configs) > 1:
                choose(b, "Configuration", label)
            test(f"{name}: {kernel}, {label}: charts have their data", charts(b, expected(data, kernel, c)) + ratios(b) + painted(b))
    if len(kernels) > 1:
        choose(b, "Kernel", kernels[0])
    if len(configurations(data, kernels[0])) > 1:
        choose(b, "Configuration", configurations(data, kernels[0])[0][0])
    test(f"{name}: nothing logged, nothing fetched", quiet(b, page))
    return data, kernels[0]


def controls(b, page):
    """Would the log show what must not be there?"""
    bad = []
    b.js("console.error('planted')")
    if not any("planted" in x for x in quiet(b, page)):
        bad.append("an error on the console is not seen")
    b.js("fetch('http://127.0.0.1:9/planted').catch(() => 0)")
    b.frame()
    if not any("planted" in x for x in quiet(b, page)):
        bad.append("a request is not seen")
    return bad


def planted(b, page, tmp):
    """Faults in the data of the page, which only the comparison can tell: it must name each of these charts, and no other."""
    data = data_of(page)
    kernel = data["files"][0]["result"]["launches"][0]["kernel"]
    wrong = copy.deepcopy(data)
    a, e = annotations(wrong, kernel, 0), explain(wrong, kernel, 0)
    a["instructions"][2]["live"]["registers"] += 1
    a["corf"]["affinity"].pop()
    e["banks"][1]["reads"] += 1
    del e["instructions"][1]["slots"]["issued"]
    e["sms"].pop()
    load(b, with_data(page, wrong, os.path.join(tmp, "wrong.html")))
    named = {p.split(":")[0].split()[0].split("[")[0] for p in charts(b, expected(data, kernel, 0))}
    want = {"pressure", "graph", "banks", "slots-code", "slots-sms"}
    return [] if named == want else [f"named {named}, not {want}"]


def evil(b, page, tmp):
    data = data_of(page)
    kernel = hostile(data)
    at = with_data(page, data, os.path.join(tmp, "hostile.html"))
    quiet(b, page)
    load(b, at)
    bad = [] if b.js("return window.evil === undefined && document.querySelectorAll('img, #app script, iframe').length === 0") else ["text became markup"]
    shown = b.js("return document.getElementById('app').textContent")
    bad += [f"the text is shown {shown.count(EVIL)} times only"] if shown.count(EVIL) < 12 else []
    for chart in "pressure", "slots-lines", "graph", "entries", "compare", "energy", "slots":
        into_view(b, chart)
        box = b.js("const r = document.getElementById('chart-' + arguments[0]).getBoundingClientRect(); return [r.left, r.top, r.width, r.height]", chart)
        for part in (0.3, 0.45), (0.5, 0.5), (0.2, 0.35), (0.18, 0.3):
            b.pointer(box[0] + part[0] * box[2], box[1] + part[1] * box[3])
    tips = b.js("return [...document.querySelectorAll('.tip')].map((t) => t.textContent).join()")
    bad += [] if EVIL in tips else ["no tooltip shows the text"]
    for d in range(b.js("return document.querySelectorAll('details.numbers').length")):
        b.js("document.querySelectorAll('details.numbers')[arguments[0]].open = true", d)
    b.frame()
    bad += [] if b.js("return window.evil === undefined && document.querySelectorAll('img').length === 0") else ["text of a tooltip or table became markup"]
    return bad + charts(b, expected(data, kernel, 0)) + quiet(b, at)


def bare(b, page, tmp):
    """Without --detail: charts of metrics are there, the others say what adds them."""
    data = data_of(page)
    for f in data["files"]:
        f["result"].pop("detail", None)
        f["result"].pop("explain", None)
    at = with_data(page, data, os.path.join(tmp, "bare.html"))
    quiet(b, page)
    load(b, at)
    there, missing = b.js("return Object.keys(window.regloom.charts).sort()"), b.js("return window.regloom.missing()")
    bad = [] if there == ["compare", "slots"] else [f"there are {there}"]
    bad += [f"{c} says only: {t}" for c, t in missing.items() if "--detail" not in t]
    bad += [] if len(missing) == 10 else [f"{len(missing)} charts say that they are missing"]
    return bad + quiet(b, at)


def sampled(data):
    """Kernel and an instruction in its middle, on a line, for pointing at."""
    kernel = data["files"][0]["result"]["launches"][0]["kernel"]
    code = code_of(data, kernel, 0)
    return kernel, next(i["index"] for i in code[len(code) // 2:] + code if i["source"])


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)


def pages(build, tmp):
    """[name, page, all configurations too]"""
    def path(name):
        return os.path.join(tmp, name)

    def example(name, *options):
        run([f"{build}/ptx-annotate", f"examples/{name}/{name}.ptx", "-o", path(name + ".rlo"), *options])
        return [path(name + ".rlo"), "--launch", f"examples/{name}/{name}.yaml"]

    def report(name, *files):
        run([f"{build}/sm-model", "report", *files, "-o", path(name + ".html"), "--title", f"{name} <&> report"])
        return path(name + ".html")

    run([f"{build}/sm-model", "run", *example("saxpy"), "--rf", "corf++", "--detail", "--quiet", "--json", path("saxpy.json")])
    run([f"{build}/sm-model", "compare", *example("sha256"), "--machine", "wir", "--rf", "baseline,split-lrf+orf,wir-rlpv,g-scalar", "--detail", "--quiet", "--json", path("sha256.json")])
    launch = ["--machine", "regmutex", "--launch", "examples/particlefilter/particlefilter.yaml"]
    run([f"{build}/sm-model", "compare", *example("particlefilter", *launch), "--machine", "regmutex", "--rf", "baseline,regmutex", "--detail", "--quiet", "--json", path("particlefilter.json")])
    return [("small", report("saxpy", path("saxpy.json")), True), ("large", report("sha256", path("sha256.json")), True), ("kernels", report("particlefilter", path("particlefilter.json")), True)]


def screenshots(made, folder):
    os.makedirs(folder, exist_ok=True)
    with Browser(1500, 1200) as b:
        for name, page, _ in made:
            for width, scheme in ((900, "light"), (1500, "light"), (1500, "dark"), (2400, "light")):
                b.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                b.size(width, 1200)
                load(b, page)
                at, end = os.path.join(folder, f"{name}-{width}-{scheme}"), b.js("return document.documentElement.scrollHeight")
                for n, y in enumerate(range(0, end, 1150) if width == 1500 else [0]):
                    b.js("window.scrollTo(0, arguments[0])", y)
                    b.frame()
                    b.picture(f"{at}-{n + 1}.png")


def main(build, folder):
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skip  reports in a browser (packages chromium and chromium-driver)\n0 passed, 0 failed, 1 skipped")
        return 0
    tmp = tempfile.mkdtemp()
    try:
        made = pages(build, tmp)
        if folder:
            return screenshots(made, folder)
        with Browser(1400, 1100) as b:
            b.size(1400, 1100)
            b.open(os.devnull)
            quiet(b, os.devnull)                             # what the browser's own first page asks for
            for name, page, full in made:
                data, kernel = whole(b, name, page, full)
                kernel, index = sampled(data)
                test(f"{name}: pointer and click go from charts to lines and back", link(b, data, kernel, index))
                test(f"{name}: the longest line", lines_chart(b, data, kernel))
                test(f"{name}: a register of the graph", graph_edge(b, data, kernel))
                test(f"{name}: by keyboard", keyboard(b, data, kernel))
                test(f"{name}: from 900 to 2500 pixels", sizes(b))
                test(f"{name}: on paper", printed(b, data, kernel))
                choose(b, "Colours", "dark")
                test(f"{name}: dark", charts(b, expected(data, kernel, 0)) + painted(b) + quiet(b, page))
            small, large = made[0][1], made[1][1]
            two = data_of(small)                             # kernels of two files, of which only one has the energy of the GPU
            two["files"] += data_of(large)["files"]
            whole(b, "two files", with_data(small, two, os.path.join(tmp, "two.html")), False)
            load(b, large)
            choose(b, "Metric", "rf_reads")
            test("another metric", charts(b, expected(data_of(large), sampled(data_of(large))[0], 0, metric="rf_reads")))
            choose(b, "Organisation", "ORF")
            test("another organisation", charts(b, expected(data_of(large), sampled(data_of(large))[0], 0, metric="rf_reads", organisation="orf")))
            test("errors and requests would be seen", controls(b, large))
            test("faults in the data are noticed", planted(b, small, tmp))
            test("hostile text stays text", evil(b, small, tmp))
            test("a file without details says what adds them", bare(b, small, tmp))
    finally:
        shutil.rmtree(tmp)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--screenshot"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[3] if len(sys.argv) == 4 else None))
