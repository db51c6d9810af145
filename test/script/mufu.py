#!/usr/bin/env python3
"""A table of approximate functions that no GPU has, written without regloom, and what kernels must make of it.

    mufu.py table FILE              rcp, ex2, rcp64h, ex2.f16 and tanh.f16, off by pseudo-random numbers from -3 to 3; sin, by a step each 2^17
    mufu.py same FILE FILE          the second has the numbers of the first, and all that was tried elsewhere follows
    mufu.py check IN OUT            words of ../golden/mufu/approx.ptx that follow from the table, by whole numbers and decimals
    mufu.py equal OUT OUT WORDS     two runs of it have the same words, "0-3,8" of each row"""
import hashlib
import random
import struct
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

FUNCTIONS = {"rcp": 1 << 23, "ex2": 1 << 23, "rcp64h": 1 << 20, "ex2.f16": 1 << 16, "tanh.f16": 1 << 16, "sin": 1 << 24}
BLOCK = 1 << 17
ROW = 20
NAN = 0x7fffffff


def numbers(name):
    """One byte each. Not of NaNs."""
    if name == "sin":
        return b"".join(bytes([step % 7]) * BLOCK for step in range(FUNCTIONS[name] // BLOCK))
    data = random.Random(name).randbytes(FUNCTIONS[name]).translate(bytes((v % 7 - 3) & 255 for v in range(256)))
    if name.endswith("f16"):
        data = bytearray(data)
        for sign in (0, 0x8000):
            data[sign + 0x7c01:sign + 0x8000] = bytes(0x3ff)
    return bytes(data)


def frame(data):
    """zstd (RFC 8878) without compression: a frame of blocks as they are, or of one byte repeated."""
    out, at = [b"\x28\xb5\x2f\xfd\xa0", struct.pack("<I", len(data))], 0
    while at < len(data):
        n = min(BLOCK, len(data) - at)
        alike = data.count(data[at], at, at + n) == n
        out += [(n << 3 | alike << 1 | (at + n == len(data))).to_bytes(3, "little"), data[at:at + (1 if alike else n)]]
        at += n
    return b"".join(out)


def write_table(path):
    head, body = "regloom-mufu 1\n# of no GPU\n", b""
    for name, n in FUNCTIONS.items():
        data = numbers(name)
        packed = frame(data)
        head += f"function {name} {n} 1 {len(packed)} {hashlib.sha256(data).hexdigest()} 0 0\n"
        body += packed
    total = hashlib.sha256(head.encode() + body).hexdigest()
    with open(path, "wb") as f:
        f.write(head.encode() + f"sha256 {total}\n".encode() + body)


def functions(path):
    lines = open(path, "rb").read().split(b"sha256 ")[0].decode().splitlines()
    words = [l.split() for l in lines if l.startswith("function ")]
    assert words and all(w[7] == "0" for w in words), words
    return {w[1]: (w[2], w[3], w[5]) for w in words}


# ---- floats as whole numbers ----
def bits(x):
    """The float nearest to a fraction, to even."""
    if x == 0:
        return 0
    sign, x, e = (0x80000000, -x, 0) if x < 0 else (0, x, 0)
    while x >= Fraction(2) ** (e + 1):
        e += 1
    while x < Fraction(2) ** e:
        e -= 1
    e = max(e, -126)
    n = round(x / Fraction(2) ** (e - 23))
    u = n if e == -126 else n + (e + 126 << 23)
    return sign | min(u, 0x7f800000)


def value(u):
    u, sign = u & 0x7fffffff, -1 if u >> 31 else 1
    e = max(u >> 23, 1)
    return sign * Fraction(u & 0x7fffff | (0x800000 if u >> 23 else 0)) * Fraction(2) ** (e - 150)


def flush(u):
    return u if u & 0x7f800000 else u & 0x80000000


def is_nan(u):
    return u & 0x7fffffff > 0x7f800000


def is_inf(u):
    return u & 0x7fffffff == 0x7f800000


def times(u, v):
    if is_nan(u) or is_nan(v):
        return NAN
    sign, zero = (u ^ v) & 0x80000000, not u & 0x7fffffff or not v & 0x7fffffff
    if is_inf(u) or is_inf(v):
        return NAN if zero else sign | 0x7f800000
    return sign if zero else bits(value(u) * value(v)) & 0x7fffffff | sign


def signed(data, i):
    return data[i] - 256 if data[i] > 127 else data[i]


class Raw:
    def __init__(self):
        self.rcp_off, self.ex2_off = numbers("rcp"), numbers("ex2")

    def rcp(self, u):
        u, sign = flush(u), u & 0x80000000
        if is_nan(u):
            return NAN
        if is_inf(u) or not u & 0x7fffffff:
            return sign | (0 if is_inf(u) else 0x7f800000)
        m, e = u & 0x7fffff, (u >> 23 & 255) - 127
        near = bits(1 / value(0x3f800000 | m)) + signed(self.rcp_off, m)
        return flush(bits(value(near) * Fraction(2) ** -e)) | sign

    def ex2(self, u):
        u = flush(u)
        if is_nan(u):
            return NAN
        if u & 0x7fffffff >= 0x43800000:
            return 0 if u >> 31 else 0x7f800000
        if not u & 0x7fffffff:
            return 0x3f800000
        steps = round(value(u) * 2 ** 23)
        f = steps % 2 ** 23
        near = bits(Fraction(2 * Decimal(2) ** (Decimal(f) / 2 ** 23))) + signed(self.ex2_off, f)
        return flush(bits(value(near) * Fraction(2) ** ((steps >> 23) - 1)))


def power(n):
    return n + 127 << 23


def row(raw, x, z):
    """The words that follow from the table alone, by place."""
    size = x & 0x7fffffff
    small, large = size < 0x800000, 0x7e800000 < size and not is_nan(x)
    by = power(24) if small else power(-2) if large else power(0)
    down = bool(x >> 31) and 0x42fc0000 < size <= 0x7f800000
    half = raw.ex2(times(x, power(-1) if down else power(0)))
    yield 0, raw.rcp(x)
    yield 1, times(raw.rcp(times(x, by)), by)
    yield 2, raw.ex2(x)
    yield 3, times(half, half) if down else half
    yield 8, flush(times(flush(z), raw.rcp(x)))
    up = power(24) if small else power(0)
    yield 9, times(times(z, up), raw.rcp(times(x, up)))
    by = power(-2) if large else power(0)
    yield 10, flush(times(flush(times(flush(z), by)), raw.rcp(flush(times(flush(x), by)))))
    by = power(24) if small else by
    yield 11, times(times(z, by), raw.rcp(times(x, by)))


def words(path):
    data = open(path, "rb").read()
    return struct.unpack(f"<{len(data) // 4}I", data)


def check(given, got):
    x, out, raw, wrong, off = words(given), words(got), Raw(), 0, 0
    getcontext().prec = 60
    for i in range(len(x) - 1):
        for place, want in row(raw, x[i], x[i + 1]):
            if out[ROW * i + place] != want:
                wrong += 1
                print(f"word {place} of 0x{x[i]:08x}, 0x{x[i + 1]:08x} is 0x{out[ROW * i + place]:08x}, not 0x{want:08x}")
    return wrong == 0


def equal(one, other, places):
    a, b = words(one), words(other)
    want = {p for part in places.split(",") for p in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}
    for i in range(len(a)):
        if i % ROW in want and a[i] != b[i]:
            print(f"row {i // ROW}, word {i % ROW}: 0x{a[i]:08x} and 0x{b[i]:08x}")
            return False
    return len(a) == len(b) > 0


what, *rest = sys.argv[1:]
if what == "table":
    write_table(*rest)
elif what == "same":
    one, other = functions(rest[0]), functions(rest[1])
    assert other == {name: one[name] for name in other}, (one, other)
else:
    sys.exit(0 if (check(*rest) if what == "check" else equal(*rest)) else 1)
