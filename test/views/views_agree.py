#!/usr/bin/env python3
"""views_agree.py ANNOTATE CUBIN...: the listing and the JSON of machine code against the bytes of the file, read here: addresses, encodings, control
fields, the guard, registers occupied and live, every register that an operand names in its column. Says how much was compared."""
import json, re, struct, subprocess, sys

annotate, files = sys.argv[1], sys.argv[2:]


def sections(path):
    """Name to bytes, of an ELF64 file."""
    b = open(path, "rb").read()
    shoff, = struct.unpack_from("<Q", b, 40)
    size, n, names = struct.unpack_from("<HHH", b, 58)
    heads = [struct.unpack_from("<IIQQQQ", b, shoff + i * size) for i in range(n)]
    table = heads[names]
    text = b[table[4]:table[4] + table[5]]
    return {text[h[0]:text.index(b"\0", h[0])].decode("utf-8", "replace"): b[h[4]:h[4] + h[5]] for h in heads if h[1] != 8}


def run(path, view):
    r = subprocess.run([annotate, path, f"--emit={view}"], capture_output=True, text=True)
    assert r.returncode == 0, (path, view, r.stderr)
    return r.stdout


def bits(word, high, low):
    return word >> low & (1 << high - low + 1) - 1


LINE = re.compile(r"^\[B([-0-5]{6}):R([-0-5]):W([-0-5]):([Y-]):S(\d\d)\] [ |]/\*([0-9a-f]+)\*/ +(.*?) *;")
def waits(where, k, insns, notes):
    """What each instruction waits for: whose barriers it names and nothing has waited for since, along straight code."""
    n = 0
    blocks = k["blocks"]
    for b in blocks:
        if not (b["index"] and b["predecessors"] == [b["index"] - 1]):
            pending = {bar: set() for bar in range(6)}
        for i in insns[b["first"]:b["first"] + b["instructions"]]:
            want = set().union(*(pending[bar] for bar in i["control"]["wait"]))
            said = re.search(r"waits for((?: 0x[0-9a-f]+(?: of [^ ,]+)?)*)(?: and (\d+) more)?", notes[i["index"]])
            got = [int(x, 16) for x in re.findall(r"0x[0-9a-f]+", said[1])] if said else []
            at = (where, hex(i["address"]), sorted(want), got)
            assert got == sorted(set(got)), at
            assert len(got) + int(said and said[2] or 0) == len(want) and {insns[w]["address"] for w in want} >= set(got), at
            n += len(got)
            for bar in i["control"]["wait"]:
                pending[bar] = set()
            for bar in (i["control"]["write_barrier"], i["control"]["read_barrier"]):
                if bar is not None:
                    pending[bar].add(i["index"])
    return n


compared = columns = waited = 0
for path in files:
    code = sections(path)
    listing = run(path, "listing").split("\n")
    rows = [(m, l) for l in listing if (m := LINE.match(l))]
    tails = []
    for n, l in enumerate(listing):         # a long instruction has its columns on the next line
        if LINE.match(l):
            tails.append(l if " // |" in l else listing[n + 1])
    at = 0
    for k in json.loads(run(path, "json"))["kernels"]:
        code_of = k["machine_code"]
        assert code_of["code_bytes"] == 16 * len(k["instructions"]) and sum(s["instructions"] for s in code_of["sections"]) == len(k["instructions"])
        top = 0
        waited += waits((path, k["name"]), k, k["instructions"], tails[at:])
        for s in code_of["sections"]:
            for i in k["instructions"][s["first"]:s["first"] + s["instructions"]]:
                where = (path, k["name"], i["index"])
                row, tail = rows[at][0], tails[at]
                at += 1
                assert i["address"] == s["offset"] + 16 * (i["index"] - s["first"]) == int(row[6], 16), where
                word = int.from_bytes(code[s["name"]][i["address"]:i["address"] + 16], "little")
                assert int(i["encoding"], 16) == word and len(i["encoding"]) == 34, where
                c = i["control"]
                none = lambda v: None if v > 5 else v
                assert c == {"stall": bits(word, 108, 105), "yield": not bits(word, 109, 109), "write_barrier": none(bits(word, 112, 110)),
                             "read_barrier": none(bits(word, 115, 113)), "wait": [b for b in range(6) if bits(word, 116 + b, 116 + b)],
                             "reuse": [b for b in range(4) if bits(word, 122 + b, 122 + b)]}, where
                dash = lambda v: "-" if v is None else str(v)
                assert row[1] == "".join(str(b) if b in c["wait"] else "-" for b in range(6)) and row[2] == dash(c["read_barrier"]), where
                assert row[3] == dash(c["write_barrier"]) and row[4] == ("Y" if c["yield"] else "-") and int(row[5]) == c["stall"], where
                assert re.sub(" +", " ", row[7]) == re.sub(" +", " ", i["text"]), (where, row[7], i["text"])
                column = [x for x in tail.split(" // |", 1)[1].split("|")]
                for what, x in zip(("registers", "predicates"), column):
                    assert int(x.split()[0]) == i["occupied"][what], (where, what, x)
                marks = column[0][5:]        # "  12 ^v:"
                if i["opcode"]:
                    for o in i["operands"]:
                        for r in o.get("registers", []):
                            if o["kind"] != "register" or r == "RZ":
                                continue
                            n = int(r[1:])
                            top = max(top, n)
                            assert marks[n] in ("^x" if o["written"] else "vx"), (where, r, marks)
                            columns += 1
                for key, file in (("registers", "R"), ("uniform_registers", "UR")):
                    assert i["live"][key] <= i["occupied"][key] <= k["max_live"][key] + 128, where
                compared += 1
        assert top < k["resources"]["registers"], (path, k["name"], top)
        assert k["max_live"]["registers"] == max(i["live"]["registers"] for i in k["instructions"]) <= k["resources"]["registers"], path
    assert at == len(rows), (path, at, len(rows))
print(compared, "instructions,", columns, "operands,", waited, "waited for")
assert compared > 100 and waited > 100
