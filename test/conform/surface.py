#!/usr/bin/env python3
"""Writes test/conform/kernels/surface_*: every form of suld, sust and sured on surfaces of every shape, and what must come out. Run it
in this folder when forms are added; its output is committed."""
import random, struct

LANES = 8
SHAPES = {"1d": ((8,), 0), "a1d": ((8,), 3), "2d": ((8, 3), 0), "a2d": ((8, 2), 2), "3d": ((8, 2, 2), 0)}
TEXEL = 4
OUTSIDE = ["trap", "clamp", "zero"]
random.seed(5)

def cells(shape):
    size, layers = SHAPES[shape]
    n = max(layers, 1)
    for s in size: n *= s
    return n

class Surface:
    def __init__(self, name, shape, kind):
        self.name, self.shape, self.kind = name, shape, kind
        self.size, self.layers = SHAPES[shape]
        self.handle = name if shape == "a1d" else "%t" + name        # those of one shape are named by the module
        self.data = bytearray((i * 37 + 11) % 251 for i in range(128))

    def place(self, c, unit, formatted, outside):
        """Byte offset of the access, or None."""
        v = list(c)
        limit = ([self.layers] if self.layers else []) + [self.size[0] * TEXEL // unit] + list(self.size[1:])
        first = 1 if self.layers else 0
        for d in range(len(v)):
            if not 0 <= v[d] < limit[d]:
                assert outside != "trap"
                if outside == "zero": return None
                v[d] = min(max(v[d], 0), limit[d] - 1)
        at = v[0] if first else 0
        for d in reversed(range(1, len(self.size))): at = at * self.size[d] + v[first + d]
        return at * self.size[0] * TEXEL + v[first] * unit

    def yaml(self):
        keys = ["width: 8"] + ["%s: %d" % kv for kv in zip(("height", "depth"), self.size[1:])]
        if self.layers: keys.append("layers: %d" % self.layers)
        f = {"u": "u32", "s": "s32", "b": "s8, channels: 4", "h": "f16, channels: 2"}[self.kind]
        return "  - {name: %s, buffer: B%s, %s, format: %s}\n" % (self.name, self.name, ", ".join(keys), f)

class Kernel:
    def __init__(self, name):
        self.name, self.body, self.want, self.surfaces = name, [], b"", {}
        self.ncoord = 0
        self.coords = []

    def surface(self, shape, kind="u"):
        key = "S%s_%s" % (shape, kind)
        return self.surfaces.setdefault(key, Surface(key, shape, kind))

    def draw(self, s, unit, formatted, outside):
        """Coordinates of each lane, as they are written (x in bytes unless formatted)."""
        limit = ([s.layers] if s.layers else []) + [s.size[0] * TEXEL // unit] + list(s.size[1:])
        low, high = (0, 0) if outside == "trap" else (-1, 1)
        out = [[random.randint(low, n - 1 + high) for n in limit] for _ in range(LANES)]
        first = 1 if s.layers else 0
        at = self.ncoord
        self.ncoord += 1
        for c in out:
            w = list(c)
            if not formatted: w[first] *= unit
            self.coords.append((w + [0, 0, 0])[:4] if len(w) < 4 else w)
        return at, out

    def load_coords(self, at, n):
        return "".join("\tld.global.u32 %%c%d, [%%coords+%d];\n" % (d, at * LANES * 16 + 4 * d) for d in range(n))

    def vec(self, n):
        return "{%s}" % ", ".join(["%%c%d" % d for d in range(n)] + (["%c0"] if n == 3 else []))

    def suld(self, shape, bits, n, outside):
        s = self.surface(shape)
        unit = bits * n // 8
        at, c = self.draw(s, unit, False, outside)
        reg = {8: "h", 16: "h", 32: "r", 64: "d"}[bits]
        regs = ", ".join("%%%s%d" % (reg, i) for i in range(n))
        v = ".v%d" % n if n > 1 else ""
        self.body.append(self.load_coords(at, len(c[0])) + "\tsuld.b.%s%s.b%d.%s %s, [%s, %s];\n\tst.global%s.b%d [%%out+%d], %s;\n" % (
            shape, v, bits, outside, "{%s}" % regs if n > 1 else regs, s.handle, self.vec(len(c[0])), v, bits, len(self.want),
            "{%s}" % regs if n > 1 else regs))
        for l in range(LANES):
            p = s.place(c[l], unit, False, outside)
            got = s.data[p:p + unit] if p is not None else bytes(unit)
            self.want += bytes(got) + bytes(16 - unit)

    def dump(self, s):
        """Lane l copies 16 bytes of the surface's buffer to the output. Without the fence ptxas reads them first."""
        self.body.append("\tmembar.gl;\n\tld.global.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%m%s];\n\tst.global.v4.b32 [%%out+%d], {%%r0, %%r1, %%r2, %%r3};\n" % (s.name, len(self.want)))
        self.want += bytes(s.data)

    def values(self, bits, n):
        """Registers of lane l: l * 0x01234567 + constants, cut to the width."""
        text, v = "", [[0] * n for _ in range(LANES)]
        for i in range(n):
            k, add = random.getrandbits(31) | 1, random.getrandbits(32)
            if bits == 64:
                k, add = k << 32 | random.getrandbits(32), random.getrandbits(64)
                text += "\tmad.lo.s64 %%d%d, %%wide, %d, %d;\n" % (i, k, add - (1 << 64) if add >> 63 else add)
            else:
                text += "\tmad.lo.s32 %%r%d, %%thread, %d, %d;\n" % (i, k, add - (1 << 32) if add >> 31 else add)
            for l in range(LANES): v[l][i] = (l * k + add) & (2 ** (64 if bits == 64 else 32) - 1)
        return text, v

    def sust(self, shape, bits, n, outside, p=None):
        s = self.surface(shape, p or "u")
        unit = TEXEL if p else bits * n // 8
        at, c = self.draw(s, unit, bool(p), outside)
        text, v = self.values(bits, n)
        reg = "d" if bits == 64 else "r"
        regs = ", ".join("%%%s%d" % (reg, i) for i in range(n))
        self.body.append(self.load_coords(at, len(c[0])) + text + "\tsust.%s.%s%s.b%d.%s [%s, %s], %s;\n" % (
            "p" if p else "b", shape, ".v%d" % n if n > 1 else "", bits, outside, s.handle, self.vec(len(c[0])), "{%s}" % regs if n > 1 else regs))
        for l in range(LANES):
            at = s.place(c[l], unit, bool(p), outside)
            if at is None: continue
            if p == "b":
                for i in range(n):
                    x = v[l][i] - (1 << 32) if v[l][i] >> 31 else v[l][i]
                    s.data[at + i] = max(-128, min(127, x)) & 255
            elif p:
                s.data[at:at + 4] = struct.pack("<I", v[l][0])
            else:
                s.data[at:at + unit] = b"".join((x & (1 << bits) - 1).to_bytes(bits // 8, "little") for x in v[l])
        self.dump(s)

    def sured(self, shape, op, t, outside, p=None):
        s = self.surface(shape, p or "u")
        bits = int(t[1:])
        unit = bits // 8
        at, c = self.draw(s, unit, bool(p), outside)
        text, v = self.values(bits, 1)
        self.body.append(self.load_coords(at, len(c[0])) + text + "\tsured.%s.%s.%s.%s.%s [%s, %s], %%%s0;\n" % (
            "p" if p else "b", op, shape, t, outside, s.handle, self.vec(len(c[0])), "d" if bits == 64 else "r"))
        sign = t[0] == "s" or p == "s"
        for l in range(LANES):
            at = s.place(c[l], unit, bool(p), outside)
            if at is None: continue
            num = lambda x: x - (1 << bits) if sign and x >> bits - 1 else x
            a, b = num(int.from_bytes(s.data[at:at + unit], "little")), num(v[l][0])
            r = {"add": a + b, "min": min(a, b), "max": max(a, b), "and": a & b, "or": a | b}[op]
            s.data[at:at + unit] = (r & (1 << bits) - 1).to_bytes(unit, "little")
        self.dump(s)

    def write(self):
        used = list(self.surfaces.values())
        ptx = ".version 8.1\n.target sm_80\n.address_size 64\n\n// written by surface.py\n%s.visible .entry %s(.param .u64 out, .param .u64 coords%s)\n{\n" % (
            "".join(".global .surfref %s;\n" % s.name for s in used if s.handle == s.name), self.name, "".join(", .param .u64 p%s, .param .u64 q%s" % (s.name, s.name) for s in used))
        ptx += "\t.reg .b16 %h<4>;\n\t.reg .b32 %r<4>, %c<4>, %thread;\n\t.reg .b64 %d<4>, %out, %coords, %step, %wide" + "".join(", %%t%s, %%m%s" % (s.name, s.name) for s in used) + ";\n"
        ptx += "\tmov.u32 %thread, %tid.x;\n\tcvt.u64.u32 %wide, %thread;\n\tshl.b64 %step, %wide, 4;\n\tld.param.u64 %out, [out];\n\tadd.s64 %out, %out, %step;\n"
        ptx += "\tld.param.u64 %coords, [coords];\n\tadd.s64 %coords, %coords, %step;\n"
        ptx += "".join("\tld.param.u64 %%t%s, [p%s];\n\tld.param.u64 %%m%s, [q%s];\n\tadd.s64 %%m%s, %%m%s, %%step;\n" % ((s.name,) * 6) for s in used)
        open("kernels/%s.ptx" % self.name, "w").write(ptx + "".join(self.body) + "\tret;\n}\n")
        open("kernels/%s.coords" % self.name, "wb").write(b"".join(struct.pack("<4i", *c) for c in self.coords))
        words = struct.unpack("<%dI" % (len(self.want) // 4), self.want)
        y = "# written by surface.py\nbuffers:\n  - {name: out, type: b32, count: %d}\n  - {name: coords, type: s32, count: %d, fill: file, file: %s.coords}\n" % (
            len(words), len(self.coords) * 4, self.name)
        y += "".join("  - {name: B%s, type: u8, count: 128, fill: file, file: surface.bytes}\n" % s.name for s in used)
        y += "surfaces:\n" + "".join(s.yaml() for s in used)
        y += "launches:\n  - kernel: %s\n    grid: [1]\n    block: [%d]\n    args: [{buffer: out}, {buffer: coords}%s]\n" % (
            self.name, LANES, "".join(", {surface: %s}, {buffer: B%s}" % (s.name, s.name) for s in used))
        open("kernels/%s.yaml" % self.name, "w").write(y)
        open("kernels/%s.want" % self.name, "w").write("# written by surface.py: 16 bytes of each of %d lanes, for each instruction\nout:\n" % LANES +
            "".join(" ".join("0x%x" % v for v in words[i:i + 32]) + "\n" for i in range(0, len(words), 32)))

open("kernels/surface.bytes", "wb").write(bytes((i * 37 + 11) % 251 for i in range(128)))
DATA = [(b, n) for b in (8, 16, 32, 64) for n in (1, 2, 4) if b * n <= 128]
turn = 0
def outside():
    global turn
    turn += 1
    return OUTSIDE[turn % 3]

k = Kernel("surface_load")
for shape in SHAPES:
    for b, n in DATA: k.suld(shape, b, n, outside())
k.write()
k = Kernel("surface_store")
for shape in SHAPES:
    for b, n in DATA: k.sust(shape, b, n, outside())
    k.sust(shape, 32, 1, outside(), "s")
    for n in (2, 4): k.sust(shape, 32, n, outside(), "b")
k.write()
k = Kernel("surface_reduce")
for shape in ("1d", "2d", "3d"):
    for op, ts in (("add", ("u32", "s32", "u64")), ("min", ("u32", "s32", "u64", "s64")), ("max", ("u32", "s32", "u64", "s64")), ("and", ("b32",)), ("or", ("b32",))):
        for t in ts: k.sured(shape, op, t, outside())
        k.sured(shape, op, "b32", outside(), "s" if turn % 2 else "u")
k.write()
