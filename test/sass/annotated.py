#!/usr/bin/env python3
"""For test/sass/annotated.sh. file OLD NEW: every byte of cubin OLD and every section of it are in NEW as they were, new sections are not loaded.
damage FILE SECTION OFFSET NEW: a copy with one bit changed. points CUBIN JSON: acquire and release are where the JSON says, of kernels that call nothing. seen TEXT JSON: what the page's program printed is what the JSON says."""
import json, re, struct, sys

def sections(b):
    shoff, (n, names) = struct.unpack_from("<Q", b, 40)[0], struct.unpack_from("<HH", b, 60)
    h = [struct.unpack_from("<IIQQQQIIQQ", b, shoff + 64 * s) for s in range(n)]
    text = b[h[names][4]:h[names][4] + h[names][5]]
    return h, [text[x[0]:text.index(0, x[0])].decode() for x in h]

def read(path): return open(path, "rb").read()

def file(old, new):
    a, b = read(old), read(new)
    assert a[:40] == b[:40] and a[48:60] == b[48:60] and a[64:] == b[64:len(a)], "bytes differ"
    (x, names), (y, more) = sections(a), sections(b)
    assert x == y[:len(x)] and names == more[:len(names)], "section headers differ"
    assert len(y) > len(x) + 20, "nothing was added"
    for h, name in zip(y[len(x):], more[len(x):]):
        assert h[2] == 0 and h[3] == 0 and h[4] >= len(a) and name.startswith(".regloom."), (name, h)
    assert struct.unpack_from("<Q", b, 40)[0] + 64 * len(y) == len(b), "section headers are not last"

def damage(path, section, offset, new):
    b = bytearray(read(path))
    h, names = sections(b)
    b[h[names.index(section)][4] + int(offset, 0)] ^= 4
    open(new, "wb").write(b)

def seen(text, path):
    kernels, at = {}, None
    for line in open(text):
        if not line.startswith("."):
            at = kernels.setdefault(line.strip(), [])
        else:
            m = re.fullmatch(r"(\S+)\+0x([0-9a-f]+) +(\d+) live  last read: (.*)  released: (.*)\n", line)
            at.append((int(m[3]), *([] if m[x] == "-" else m[x].split() for x in (4, 5))))
    n = 0
    for k in json.load(open(path))["kernels"]:
        points = kernels.pop(k["name"])
        insns = k["instructions"]
        assert len(points) == len(insns), (k["name"], len(points), len(insns))
        for p, i in zip(points, insns):
            assert p[0] <= i["alive"] and p[2] == i["release"] and set(i["last_read"]) <= set(p[1]), (k["name"], p, i)
            n += 1
    assert n > 20 and not kernels, n

def points(cubin, path):
    b = read(cubin)
    h, names = sections(b)
    n = releases = 0
    for k in json.load(open(path))["kernels"]:
        name = ".regloom.acquire." + k["name"]
        got = []
        if name in names:
            s = h[names.index(name)]
            got = list(struct.iter_unpack("<5I", b[s[4] + 16:s[4] + s[5]]))
        want = [(16 * p["instruction"], 16 * p["from"] if "from" in p else 0xffffffff, p["what"] == "acquire") for p in k["regmutex"].get("points", [])]
        assert [(g[1], g[3], g[4] == 1) for g in got] == want, (k["name"], got, want)
        assert all(names[g[0]] == ".text." + k["name"] and g[2] in (g[0], 0xffffffff) for g in got), got
        n += len(got)
        releases += sum(g[4] != 1 for g in got)
    assert n >= 2 and releases, (n, releases)

if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
