#!/usr/bin/env python3
"""Writes test/conform/kernels/texture_*: every form of tex and tld4 on textures of every shape, and what must come out, computed
here in exact fractions from the CUDA guide's formulas. Run it in this folder when forms are added; its output is committed."""
import math, random, struct
from fractions import Fraction as Fr

LANES = 8
random.seed(11)
def f32(x): return struct.unpack("<f", struct.pack("<f", x))[0]
def fbits(x): return struct.unpack("<I", struct.pack("<f", x))[0]

# shape: dims, array, cube
SHAPES = {"1d": (1, 0, 0), "a1d": (1, 1, 0), "2d": (2, 0, 0), "a2d": (2, 1, 0), "3d": (3, 0, 0), "cube": (2, 0, 1), "acube": (2, 1, 1)}
MODES = ["wrap", "mirror", "clamp", "border"]

class Texture:
    def __init__(self, name, shape, dtype, n):
        self.name, self.shape, self.dtype = name, shape, dtype
        self.dims, self.array, self.cube = SHAPES[shape]
        self.size = [4, 4] if self.cube else [(6, 5, 3)[(n + d) % 3] for d in range(self.dims)]
        self.layers = 3 if self.array else 1
        self.type, self.channels = {"f32": [("f32", 1), ("u8", 4), ("s16", 2)][n % 3], "s32": ("s16", 2), "u32": ("u8", 4)}[dtype]
        self.linear = dtype == "f32"
        self.as_float = dtype == "f32" and self.type != "f32"
        self.normalized = n % 2 == 0 or bool(self.cube)
        self.mode = [MODES[(n + d) % 4] for d in range(3)]
        count = math.prod(self.size) * self.layers * (6 if self.cube else 1) * self.channels
        self.start, self.step, self.modulo = {"f32": (-1.5, 0.375, 7), "u8": (3, 37, 251), "s16": (-30000, 7919, 60000)}[self.type]
        self.data = [self.start + math.fmod(i * self.step, self.modulo) for i in range(count)]
        self.data = [v if self.type == "f32" else int(v) for v in self.data]

    def address(self, i, d):
        n, mode = self.size[d], self.mode[d]
        if self.cube or (not self.normalized and mode in ("wrap", "mirror")):
            mode = "clamp"
        if 0 <= i < n:
            return i
        if mode == "border":
            return None
        if mode == "wrap":
            return i % n
        return 0 if i < 0 else n - 1

    def texel(self, idx, layer, modes=None):
        at = layer
        for d in reversed(range(self.dims)):
            i = (idx[d] if 0 <= idx[d] < self.size[d] else None) if modes == "zero" else self.address(idx[d], d)
            if i is None:
                return [0] * self.channels
            at = at * self.size[d] + i
        return self.data[at * self.channels:(at + 1) * self.channels]

    def value(self, v):
        if self.type == "u8": return Fr(v, 255)
        if self.type == "s16": return max(Fr(v, 32767), Fr(-1))
        return Fr(v)

    def bits(self, v):
        if self.as_float: return fbits(float(self.value(v)))
        return fbits(v) if self.type == "f32" else v & 0xffffffff

    def fill(self, t):
        one = 0x3f800000 if self.dtype == "f32" else 1
        return t + [0, 0, 0, one][len(t):]

    def position(self, c):
        out = []
        for d in range(self.dims):
            v = Fr(c[d])
            if self.normalized:
                if not self.cube and self.mode[d] == "wrap": v -= math.floor(v)
                if not self.cube and self.mode[d] == "mirror":
                    w = math.floor(v)
                    v = 1 - (v - w) if w % 2 else v - w
                v *= self.size[d]
            out.append(v)
        return out

    def around(self, v):
        b = v - Fr(1, 2)
        i = math.floor(b)
        return i, Fr(math.floor((b - i) * 256 + Fr(1, 2)), 256)

    def sample(self, c, layer):
        at = self.position(c)
        if not self.linear:
            return self.fill([self.bits(v) for v in self.texel([math.floor(v) for v in at], layer)])
        corner = [([], Fr(1))]
        for v in at:
            i, a = self.around(v)
            corner = [(x + [i + k], w * (a if k else 1 - a)) for x, w in corner for k in (0, 1)]
        total = [sum(w * self.value(self.texel(x, layer)[c]) for x, w in corner) for c in range(self.channels)]
        return self.fill([fbits(float(v)) for v in total])

    def gather(self, c, layer, comp):
        (i, _), (j, _) = [self.around(v) for v in self.position(c)]
        out = []
        for x, y in ((i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j)):
            out.append(self.fill([self.bits(v) for v in self.texel([x, y], layer)])[comp])
        return out

    def yaml(self):
        keys = ["name: " + self.name, "buffer: B" + self.name] + ["%s: %d" % (k, v) for k, v in zip(("width", "height", "depth"), self.size)]
        keys += ["layers: 3"] * self.array + ["cube: 1"] * self.cube + ["channels: %d" % self.channels, "filter: %s" % ("linear" if self.linear else "point")]
        keys += ["normalized: %d" % self.normalized, "address: [%s]" % ", ".join(self.mode[:self.dims])]
        return "  - {%s%s}\n" % (", ".join(keys), ", read: normalized" if self.as_float else "")

def face(x, y, z):
    ax, ay, az = abs(x), abs(y), abs(z)
    if ax >= ay and ax >= az: f, m, s, t = (0, x, -z, -y) if x >= 0 else (1, -x, z, -y)
    elif ay >= az: f, m, s, t = (2, y, x, z) if y >= 0 else (3, -y, x, -z)
    else: f, m, s, t = (4, z, x, -y) if z >= 0 else (5, -z, -x, -y)
    # the division is rounded to double, as any machine does
    return f, [Fr((float(Fr(s)) / float(Fr(m)) + 1) / 2), Fr((float(Fr(t)) / float(Fr(m)) + 1) / 2)]

def write(name, forms, textures):
    rows, want = [], []
    coords = [[f32(random.uniform(-1.7, 1.7)) for _ in range(3)] for _ in range(LANES)]
    ints = [[random.randint(-2, 7) for _ in range(3)] for _ in range(LANES)]
    layer = [random.randint(0, 4) for _ in range(LANES)]
    scale = 4.0      # of coordinates that are in texels
    for kind, shape, dtype, ctype, comp in forms:
        t = textures[shape, dtype]
        vec, dims = [], 3 if t.cube else t.dims
        if ctype == "f32":
            names = ["%n" if t.normalized else "%u"] * dims
            vec = ["%s%d" % (n, d) for d, n in enumerate(names)]
        else:
            vec = ["%%i%d" % d for d in range(dims)]
        vec = (["%layer"] if t.array else []) + vec
        if len(vec) == 3: vec.append(vec[-1])
        base = "tex." if kind != "tld4" else "tld4.%s." % "rgba"[comp]
        base += {"level": "level.", "grad": "grad.", "base": "base."}.get(kind, "")
        tail = ""
        if kind == "level": tail = ", %u0" if ctype == "f32" else ", %i0"
        if kind == "grad":
            g = "{%s}" % ", ".join(["%n0", "%n1", "%n2", "%n2"][:4 if dims == 3 else dims])
            tail = ", %s, %s" % (g, g)
        reg = "%a" if dtype == "f32" else "%b"
        rows.append("\t%s%s.v4.%s.%s {%s}, [%%t%s, {%s}]%s;\n\tst.global.v4.b32 [%%out+%d], {%s};\n" % (
            base, shape, dtype, ctype, ", ".join("%s%d" % (reg, k) for k in range(4)), t.name, ", ".join(vec), tail,
            len(rows) * LANES * 16, ", ".join("%s%d" % (reg, k) for k in range(4))))
        for l in range(LANES):
            at = layer[l] if t.array else 0
            at = min(at, t.layers - 1)
            if ctype == "s32":
                modes = "zero" if shape == "1d" else None
                save, t.normalized = t.normalized, False
                v = t.fill([t.bits(x) for x in t.texel(ints[l], at, modes)])
                t.normalized = save
            else:
                c = [Fr(x) if t.normalized else Fr(f32(x * scale)) for x in coords[l]]
                if t.cube:
                    f, c = face(*c)
                    at = at * 6 + f
                v = t.gather(c, at, comp) if kind == "tld4" else t.sample(c, at)
            want.append(v)
    used = list(textures.values())
    ptx = ".version 8.0\n.target sm_80\n.address_size 64\n\n// written by texture.py\n.visible .entry %s(.param .u64 out, .param .u64 coords, .param .u64 ints%s)\n{\n" % (
        name, "".join(", .param .u64 p%s" % t.name for t in used))
    ptx += "\t.reg .f32 %a<4>, %n<3>, %u<3>;\n\t.reg .b32 %b<4>, %i<3>, %layer, %tid, %at;\n\t.reg .b64 %out, %from, %step, %t<1>" + "".join(", %%t%s" % t.name for t in used) + ";\n"
    ptx += "\tmov.u32 %tid, %tid.x;\n\tld.param.u64 %out, [out];\n\tmul.wide.u32 %step, %tid, 16;\n\tadd.s64 %out, %out, %step;\n"
    ptx += "\tld.param.u64 %from, [coords];\n\tadd.s64 %from, %from, %step;\n" + "".join("\tld.global.f32 %%n%d, [%%from+%d];\n\tmul.f32 %%u%d, %%n%d, 0f40800000;\n" % (d, 4 * d, d, d) for d in range(3))
    ptx += "\tld.param.u64 %from, [ints];\n\tadd.s64 %from, %from, %step;\n" + "".join("\tld.global.u32 %%i%d, [%%from+%d];\n" % (d, 4 * d) for d in range(3)) + "\tld.global.u32 %layer, [%from+12];\n"
    ptx += "".join("\tld.param.u64 %%t%s, [p%s];\n" % (t.name, t.name) for t in used)
    ptx = ptx.replace("%tid;", "%thread;").replace("%tid,", "%thread,").replace("%layer, %thread, %at", "%layer, %thread").replace(", %t<1>", "")
    open("kernels/%s.ptx" % name, "w").write(ptx + "".join(rows) + "\tret;\n}\n")
    blob = b"".join(struct.pack("<4f", *c, 0) for c in coords)
    open("kernels/%s.coords" % name, "wb").write(blob)
    open("kernels/%s.ints" % name, "wb").write(b"".join(struct.pack("<3iI", *i, k) for i, k in zip(ints, layer)))
    y = "# written by texture.py\nbuffers:\n  - {name: out, type: b32, count: %d}\n" % (len(want) * 4)
    y += "  - {name: coords, type: f32, count: %d, fill: file, file: %s.coords}\n  - {name: ints, type: s32, count: %d, fill: file, file: %s.ints}\n" % (LANES * 4, name, LANES * 4, name)
    y += "".join("  - {name: B%s, type: %s, count: %d, fill: ramp, start: %s, step: %s, modulo: %s}\n" % (t.name, t.type, len(t.data), t.start, t.step, t.modulo) for t in used)
    y += "textures:\n" + "".join(t.yaml() for t in used)
    y += "launches:\n  - kernel: %s\n    grid: [1]\n    block: [%d]\n    args: [{buffer: out}, {buffer: coords}, {buffer: ints}%s]\n" % (
        name, LANES, "".join(", {texture: %s}" % t.name for t in used))
    open("kernels/%s.yaml" % name, "w").write(y)
    open("kernels/%s.want" % name, "w").write("# written by texture.py: 4 values of each of %d lanes, for each instruction\nout:\n" % LANES +
        "".join(" ".join("0x%x" % v for v in w) + "\n" for w in want))

for kind in ("tex", "level", "grad", "tld4"):
    textures = {(s, d): Texture("%s_%s" % (s, d), s, d, n) for n, (s, d) in enumerate((s, d) for s in SHAPES for d in ("f32", "s32", "u32"))}
    if kind == "tld4":
        forms = [("tld4", s, d, "f32", c) for s in ("2d", "a2d", "cube", "acube") for d in ("f32", "s32", "u32") for c in range(4)]
        textures = {k: t for k, t in textures.items() if k[0] in ("2d", "a2d", "cube", "acube")}
    else:
        forms = [(kind, s, d, c, 0) for s in SHAPES for d in ("f32", "s32", "u32") for c in ("f32", "s32") if c == "f32" or "cube" not in s]
        if kind == "tex": forms += [("base", "2d", "f32", "f32", 0), ("base", "a1d", "u32", "s32", 0)]
    write("texture_" + kind, forms, textures)
