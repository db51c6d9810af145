#!/usr/bin/env python3
"""read_annotated.py CUBIN: reads an annotated cubin (docs/ANNOTATED_CUBIN.md) by its ELF sections alone. Prints, for each instruction of each annotated
kernel, its place, how many general registers are live before it, which registers it reads for the last time, and which hold nothing any more behind it."""
import hashlib, signal, struct, sys

def need(ok, what):
    if not ok:
        sys.exit(f"{sys.argv[1]}: {what}")

signal.signal(signal.SIGPIPE, signal.SIG_DFL)   # | head ends it quietly
data = open(sys.argv[1], "rb").read()
need(data[:6] == b"\x7fELF\2\1" and len(data) >= 64, "is no cubin")
(shoff,), (shnum, shstrndx) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 60)
if not shnum:                                   # too many for the ELF header
    shnum, shstrndx = struct.unpack_from("<QI", data, shoff + 32)
headers = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * s) for s in range(shnum)]
section = [b"" if h[1] == 8 else data[h[4]:h[4] + h[5]] for h in headers]       # 8: NOBITS
text = lambda strings, at: strings[at:strings.index(0, at)].decode()
number = {text(section[shstrndx], h[0]): s for s, h in enumerate(headers) if s}
need(".regloom.kernels" in number, "is not annotated")

def table(name, magic, version, record):
    """The records of a table as tuples; none if it is absent."""
    raw = section[number[name]] if name in number else b""
    if not raw:
        return []
    head = struct.unpack_from("<4sHHQ", raw)
    need(head[:3] == (magic, version, struct.calcsize("<" + record)), f"{name} is of another version: {head}")
    return list(struct.iter_unpack("<" + record, raw[16:]))

def register(r):
    for first, zero, prefix in (528, 544, "B"), (520, 527, "UP"), (264, 519, "UR"), (256, 263, "P"), (0, 255, "R"):
        if r >= first:
            return prefix + ("T" if r == zero and "P" in prefix else "Z" if r == zero else str(r - first))

strings, symbols = section[number[".regloom.strings"]], section[number[".symtab"]]
names = section[headers[number[".symtab"]][6]]
for shndx, name, size, digest in table(".regloom.code", b"RLcs", 1, "IIQ32s"):
    need(hashlib.sha256(section[shndx]).digest() == digest, f"{text(strings, name)} is not the code that was annotated")
for (symbol,) in table(".regloom.kernels", b"RLke", 1, "I"):
    kernel = text(names, struct.unpack_from("<I", symbols, 24 * symbol)[0])
    last = iter(table(".regloom.lastread." + kernel, b"RLlr", 1, "H"))
    release = iter(table(".regloom.release." + kernel, b"RLrl", 1, "H"))
    print(kernel)
    for point in table(".regloom.points." + kernel, b"RLnp", 1, "IIHHHHHHBB"):
        shndx, address, live, _, _, _, nlast, nrelease, _, _ = point
        take = lambda n, of: " ".join(register(next(of)[0]) for _ in range(n))
        print(f"{text(section[shstrndx], headers[shndx][0])}+{address:#06x}  {live:3} live  last read: {take(nlast, last) or '-'}  released: {take(nrelease, release) or '-'}")
