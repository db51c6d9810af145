#!/usr/bin/env python3
"""sarif.py FILE: is it SARIF 2.1.0, by the OASIS standard's text (section numbers below), and does every result point into a file that
there is, and a line and column that it has? Relative URIs are looked for in the current folder. Prints results by level; says where not."""
import json, os, re, sys
from urllib.parse import unquote, urlsplit

OBJECTS = {  # what each object may have, and must ("!")
    "log": "$schema version! runs!",                                                                    # 3.13
    "run": "tool! invocations artifacts columnKind results",                                            # 3.14
    "tool": "driver!",                                                                                  # 3.18
    "driver": "name! version rules",                                                                    # 3.19
    "rule": "id! name shortDescription help defaultConfiguration",                                      # 3.49
    "configuration": "level",                                                                           # 3.50
    "text": "text!",                                                                                    # 3.11, 3.12
    "invocation": "executionSuccessful! exitCode",                                                      # 3.20
    "artifact": "location roles",                                                                       # 3.24
    "artifactLocation": "uri",                                                                          # 3.4
    "result": "ruleId ruleIndex level message! locations partialFingerprints",                          # 3.27
    "location": "physicalLocation logicalLocations",                                                    # 3.28
    "physicalLocation": "artifactLocation region",                                                      # 3.29
    "region": "startLine startColumn",                                                                  # 3.30
    "logicalLocation": "name kind",                                                                     # 3.33
}
LEVELS = {"none", "note", "warning", "error"}                                                           # 3.27.10
URI = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+")             # RFC 3986: no query, no fragment


def object_of(kind, x, at):
    assert isinstance(x, dict), (at, "is no object")
    names = OBJECTS[kind].split()
    for n in names:
        assert not n.endswith("!") or n[:-1] in x, (at, "lacks", n)
    for k in x:
        assert k in [n.rstrip("!") for n in names], (at, "must not have", k)
    return x


def text(x, at):
    s = object_of("text", x, at)["text"]
    assert isinstance(s, str) and s.strip(), (at, "is empty")


def path_of(x, at):
    uri = object_of("artifactLocation", x, at)["uri"]
    assert URI.fullmatch(uri), (at, "is no URI", uri)
    assert not {".", ".."} & set(uri.split("/")), (at, "is not normal", uri)
    parts = urlsplit(uri)
    assert parts.scheme in ("", "file") and not parts.netloc and (parts.scheme == "file") == uri.startswith("file:///"), (at, uri)
    path = os.fsdecode(unquote(parts.path, errors="surrogateescape").encode("utf-8", "surrogateescape"))
    assert os.path.isfile(path), (at, "there is no file", path)
    return path


def location(x, at):
    object_of("location", x, at)
    for l in x.get("logicalLocations", []):
        assert object_of("logicalLocation", l, at)["kind"] == "function" and l["name"], at
    if "physicalLocation" not in x:
        return
    p = object_of("physicalLocation", x["physicalLocation"], at)
    lines = open(path_of(p["artifactLocation"], at), "rb").read().split(b"\n")
    if "region" not in p:
        return
    r = object_of("region", p["region"], at)
    assert 1 <= r["startLine"] <= len(lines), (at, "has no such line", r)
    assert 1 <= r.get("startColumn", 1) <= len(lines[r["startLine"] - 1]) + 1, (at, "has no such column", r)


def check(log):
    count = dict.fromkeys(sorted(LEVELS), 0)
    assert object_of("log", log, "log")["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    for run in log["runs"]:
        object_of("run", run, "run")
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")                              # 3.14.17
        driver = object_of("driver", object_of("tool", run["tool"], "tool")["driver"], "driver")
        assert driver["name"] and driver["version"]
        rules = driver["rules"]
        for n, rule in enumerate(rules):
            at = f"rules[{n}]"
            object_of("rule", rule, at)
            text(rule["shortDescription"], at)
            text(rule["help"], at)
            assert object_of("configuration", rule["defaultConfiguration"], at)["level"] in LEVELS, at
        ids = [r["id"] for r in rules]
        assert len(set(ids)) == len(ids), ids
        for i in run["invocations"]:
            assert isinstance(object_of("invocation", i, "invocation")["executionSuccessful"], bool)
        for a in run["artifacts"]:
            path_of(object_of("artifact", a, "artifact")["location"], "artifact")
            assert set(a["roles"]) <= {"analysisTarget"}
        prints = []
        for n, r in enumerate(run["results"]):
            at = f"results[{n}]"
            object_of("result", r, at)
            assert rules[r["ruleIndex"]]["id"] == r["ruleId"], (at, "names another rule")                 # 3.27.6
            assert r["level"] in LEVELS, at
            count[r["level"]] += 1
            text(r["message"], at)
            assert len(r["locations"]) == 1, at
            location(r["locations"][0], at)
            assert r["partialFingerprints"] and all(isinstance(v, str) and v for v in r["partialFingerprints"].values()), at    # 3.27.17
            prints.append(str(r["partialFingerprints"]))
        assert len(set(prints)) == len(prints), "two results have the same fingerprint"
        assert set(ids) == {r["ruleId"] for r in run["results"]}, "a rule without results"
    return count


data = open(sys.argv[1], "rb").read()
assert not data.startswith(b"\xef\xbb\xbf")                                                               # 3.1: UTF-8, no byte order mark
print(" ".join(f"{k} {v}" for k, v in check(json.loads(data.decode("utf-8"))).items()))
