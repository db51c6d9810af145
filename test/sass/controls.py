#!/usr/bin/env python3
"""controls.py CUBIN OUT: the cubin with one control code made wrong, once for each stall count above 1 (lowered by one), each barrier that is waited
for (its bit cleared) and each DEPBAR (which leaves one more), as OUT/KIND-KERNEL-ADDRESS.cubin; KIND is stall, wait0 to wait5, depbar.
For controls.sh."""
import os
import struct
import sys

STALL, WAIT, LEFT = 105, 116, 38  # lowest bits of an instruction's 128
DEPBAR = 0x91A


def sections(b):
    at, = struct.unpack_from("<Q", b, 0x28)
    size, n, names = struct.unpack_from("<HHH", b, 0x3A)
    of = [struct.unpack_from("<IIQQQQ", b, at + i * size) for i in range(n)]
    for name, kind, _, _, first, bytes_ in of:
        start = of[names][4] + name
        yield b[start:b.index(b"\0", start)].decode(), kind, first, bytes_


def changed(b, at, word):
    return b[:at] + word.to_bytes(16, "little") + b[at + 16:]


def main(path, out):
    with open(path, "rb") as f:
        b = f.read()
    for name, kind, first, size in sections(b):
        if kind != 1 or not name.startswith(".text."):
            continue
        for at in range(first, first + size, 16):
            word = int.from_bytes(b[at:at + 16], "little")
            made = []
            if word >> STALL & 15 > 1:
                made.append(("stall", word - (1 << STALL)))
            made += [("wait%d" % s, word & ~(1 << WAIT + s)) for s in range(6) if word >> WAIT + s & 1]
            if word & 0xFFF == DEPBAR:
                made.append(("depbar", word + (1 << LEFT)))
            for what, w in made:
                with open(os.path.join(out, "%s-%s-%x.cubin" % (what, name[6:], at - first)), "wb") as f:
                    f.write(changed(b, at, w))


main(*sys.argv[1:])
