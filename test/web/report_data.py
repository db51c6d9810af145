"""What each chart of a report must hold, found in its JSON: written apart from the page's JavaScript, for test/web/web.py to compare."""

REASONS = "issued collector residency reuse pending scoreboard memory barrier fetch drain empty not_chosen".split()
BANK_ROWS = "reads reads_delayed read_cycles writes writes_delayed write_cycles".split()
EVIL = "</script><img src=x onerror=\"window.evil=1\">{evil|\\u003c&amp;}"


def configurations(data, kernel):
    """[label, what its file says of it]: each configuration that ran the kernel, in order, one of each name."""
    found = []
    for f in data["files"]:
        r = f["result"]
        if kernel not in [l["kernel"] for l in r["launches"]]:
            continue
        details = r.get("detail", {}).get("configurations", [])
        if "configurations" in r:
            list_ = [(c["name"], c) for c in r["configurations"]]
        else:
            list_ = [(r["rf"], r)] + ([("baseline", dict(r["baseline"], program="plain"))] if "baseline" in r else [])
        for i, (name, c) in enumerate(list_):
            found.append((name, dict(c, file=r, detail_of=details[i] if i < len(details) else {})))
    return found


def explain(data, kernel, c):
    e = configurations(data, kernel)[c][1]["detail_of"]["explain"]
    return e and next(k for k in e["kernels"] if k["kernel"] == kernel)


def annotations(data, kernel, c):
    one = configurations(data, kernel)[c][1]
    d = one["file"]["detail"]
    return next(k for k in (d["variants"] if one["program"] == "variant" else d["annotations"])["kernels"] if k["name"] == kernel)


def code_of(data, kernel, c):
    """Each instruction: index, text, source, places."""
    return [dict(index=i["index"], text=i["text"], source=i.get("source"), places=i["places"]) for i in annotations(data, kernel, c)["instructions"]]


def metrics(one, kernel):
    if one.get("failed"):
        return None
    own = one.get("kernels", {}).get(kernel)
    return own["metrics"] if own else one["metrics"] if len({l["kernel"] for l in one["file"]["launches"]}) == 1 else None


def reasons(list_):
    return [r for r in REASONS if any(counts.get(r) for counts in list_)]


def stacked(list_):
    return {r: [counts.get(r, 0) for counts in list_] for r in reasons(list_)}


def values(code, organisation):
    """Values above the main register file: [first instruction, last, entry, register], in the order in which they get there."""
    out, now = [], None
    for i in code:
        p = i["places"]
        if i["strand"] != now:
            now, held = i["strand"], {}
        for n, (register, place) in enumerate(zip(p["reads"] + p["writes"], p[organisation])):
            reading = n < len(p["reads"])
            for entry in [w for w in place.replace("=>", "+").split("+") if w != "MRF"]:
                if reading and "=>" not in place and entry in held and held[entry][3] == register:
                    held[entry][1] = i["index"]
                else:
                    held[entry] = [i["index"], i["index"], entry, register]
                    out.append(held[entry])
    return out


def energy(list_):
    parts = {p["name"]: p["of"] for one in list_ for p in (one["detail_of"].get("energy") or {"parts": []})["parts"]}
    scope = next((s for s in ("gpu", "sm", "rf") if s in parts.values()), None)
    taken = [n for n, of in parts.items() if of == scope or (scope == "gpu" and of == "sm")]
    by = {n: [next((p["uJ"] for p in (one["detail_of"].get("energy") or {"parts": []})["parts"] if p["name"] == n), None) for one in list_] for n in taken}
    return {n: v for n, v in by.items() if any(v)}


def chart(series):
    return {"points": sum(len([x for x in v if x is not None]) for v in series.values()), "series": series}


def expected(data, kernel, c, metric="cycles", organisation="split-lrf+orf"):
    """{chart: {points, series}} of configuration number c."""
    all_ = [one for _, one in configurations(data, kernel)]
    k, e, out = annotations(data, kernel, c), explain(data, kernel, c), {}
    code = k["instructions"]
    out["pressure"] = chart({"live before": [i["live"]["registers"] for i in code], "held during": [i["occupied"]["registers"] for i in code]})
    if "orf" in k:
        stays = values(code, organisation)
        names = sorted({s[2] for s in stays}, key=lambda n: (not n.startswith("L"), n))
        if stays:
            out["entries"] = chart({"values": [[a, b, names.index(entry), register] for a, b, entry, register in stays]})
        levels = {"main register file": "mrf", "ORF": "orf", "LRF": "lrf"}
        out["levels"] = chart({name: [k["orf"][o][w][level] for o in ("orf", "lrf+orf", "split-lrf+orf") for w in ("reads", "writes")] for name, level in levels.items()})
    if "corf" in k:
        g, side = k["corf"], {}
        for s in "left", "right":
            side.update({r: s for r in g["alignment"][s]})
        edges = [[x["a"], x["b"], x["weight"], {side.get(x["a"]), side.get(x["b"])} == {"left", "right"}] for x in g["affinity"]]
        nodes = {f"R{r}" for r in range(k["resources"]["registers"])} | {r for x in g["affinity"] for r in (x["a"], x["b"])} | set(side) | {r for p in g["pairs"]["registers"] for r in p}
        out["graph"] = chart({"nodes": sorted(nodes), "edges": edges, "pairs": g["pairs"]["registers"]})
    if e:
        by_index = {i["index"]: i["slots"] for i in e["instructions"]}
        out["slots-code"] = chart(stacked([by_index.get(i["index"], {}) for i in code]))
        lines = sorted([l["slots"] for l in e["lines"] if sum(l["slots"].values())], key=lambda s: -sum(s.values()))
        out["slots-lines"] = chart(stacked(lines))
        out["slots-sms"] = chart(stacked([s["slots"] for s in e["sms"]]))
        out["warps"] = chart(stacked([w["warp_cycles"] for w in e["warps"]]))
        out["banks"] = chart({"banks": [b[m] for m in BANK_ROWS for b in e["banks"]]})
    timed = [m for m in (metrics(one, kernel) for one in all_) if m]
    slots = [{n[6:]: v["value"] for n, v in m.items() if n.startswith("slots_")} for m in timed]
    out["slots"] = chart(stacked(slots))
    if any(one["detail_of"].get("energy") for one in all_):
        out["energy"] = chart(energy([one for one in all_ if not one.get("failed")]))
    out["compare"] = chart({metric: [(metrics(one, kernel) or {}).get(metric, {}).get("value") for one in all_]})
    return out


def hostile(data):
    """Puts markup into every name and text that may be the user's; returns the kernel's new name."""
    name = EVIL + " kernel"
    data["title"] = EVIL
    for f in data["files"]:
        f["name"] = EVIL
        r = f["result"]
        d = r["detail"]
        r["kernel"] = name
        r["rf"] = EVIL + " rf"
        r["machine"] = EVIL
        for l in r["launches"]:
            l["kernel"] = name
        r["kernels"] = {name: v for v in r["kernels"].values()}
        for x in r["expect"]:
            x.update(buffer=EVIL, **{"pass": False}, mismatches=3)
        for s in d["sources"]:
            s["file"] = EVIL + s["file"]
            s["lines"] = [EVIL + (line or "") for line in s["lines"] or []]
        if "ptx" in d:
            d["ptx"]["file"] = EVIL + d["ptx"]["file"]
            d["ptx"]["lines"] = {name: v for v in d["ptx"]["lines"].values()}
        for k in d["annotations"]["kernels"]:
            k["name"] = name
            for b in k["blocks"]:
                b["label"] = EVIL
            for i in k["instructions"]:
                i["text"] = EVIL + i["text"]
                if i.get("source"):
                    i["source"]["file"] = EVIL + i["source"]["file"]
        for c in d["configurations"]:
            c["name"] = EVIL
            for p in (c["energy"] or {"parts": []})["parts"]:
                p["name"] = EVIL + p["name"]
            for e in (c["explain"] or {"kernels": []})["kernels"]:
                e["kernel"] = name
                for l in e["lines"]:
                    l["text"] = EVIL + (l["text"] or "")
                    l["file"] = l["file"] and EVIL + l["file"]
                for i in e["instructions"]:
                    i["text"] = EVIL + i["text"]
    return name
