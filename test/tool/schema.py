#!/usr/bin/env python3
"""schema.py FILE SCHEMA: does the JSON in FILE fit the schema? Knows the keywords that docs/*.schema.json use. Says where it does not.
schema.py --same SCHEMA SCHEMA: all that they refer to is there, and what both define, they define alike."""
import functools, json, os, sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}


def is_a(x, name):
    return isinstance(x, TYPES[name]) and not (isinstance(x, bool) and name in ("integer", "number"))


@functools.cache
def load(name):
    with open(os.path.join(folder, name)) as f:
        return json.load(f)


def target(ref, root):
    """What a reference is to, and the schema that this is in: of a file beside the first one, if it names one."""
    file, _, path = ref.partition("#/")
    root = s = load(file) if file else root
    for part in path.split("/") if path else []:
        s = s[part]
    return s, root


def check(x, s, root, at):
    if "$ref" in s:
        return check(x, *target(s["$ref"], root), at)
    want = s.get("type", [])
    want = want if isinstance(want, list) else [want]
    assert not want or any(is_a(x, t) for t in want), (at, want, x)
    assert "enum" not in s or x in s["enum"], (at, x)
    assert "const" not in s or x == s["const"], (at, x)
    assert "minimum" not in s or not is_a(x, "number") or x >= s["minimum"], (at, x)
    assert "minItems" not in s or len(x) >= s["minItems"], (at, len(x))
    assert "maxItems" not in s or len(x) <= s["maxItems"], (at, len(x))
    for k in s.get("required", []) if isinstance(x, dict) else []:
        assert k in x, (at, "lacks", k)
    if "if" in s:
        try:
            check(x, s["if"], root, at)
            branch = "then"
        except AssertionError:
            branch = "else"
        check(x, s.get(branch, {}), root, at)
    if isinstance(x, dict):
        for k, v in x.items():
            if k in s.get("properties", {}):
                check(v, s["properties"][k], root, at + "." + k)
            elif isinstance(s.get("additionalProperties"), dict):
                check(v, s["additionalProperties"], root, at + "." + k)
            else:
                assert s.get("additionalProperties") is not False, (at, "must not have", k)
    if isinstance(x, list) and "items" in s:
        for i, v in enumerate(x):
            check(v, s["items"], root, f"{at}[{i}]")


def refs(x):
    if isinstance(x, dict):
        return [v for k, v in x.items() if k == "$ref"] + [r for v in x.values() for r in refs(v)]
    return [r for v in x for r in refs(v)] if isinstance(x, list) else []


def same(a, b):
    for s in a, b:
        for r in refs(s):
            target(r, s)
    for kind in "properties", "$defs":
        for name, v in a[kind].items():
            other = b[kind].get(name, b["properties"].get(name))
            assert other is None or name == "schema" or other == v, (name, "differs", v, other)


folder = os.path.dirname(sys.argv[-1])
first, second = (json.load(open(f)) for f in sys.argv[-2:])
same(first, second) if sys.argv[1] == "--same" else check(first, second, second, "")
