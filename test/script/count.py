#!/usr/bin/env python3
"""Counts what a run says of itself anew, from its records alone (--records, docs/TRACE.md#--records): instructions, operands, divergence, what G-Scalar executes in fewer lanes and reads
alike (docs/GSCALAR_HARDWARE.md#hardware, every decompression move made), values by how often they are read, computations that repeat within 1000 instructions of an SM (docs/WIR_REPEATS.md#why-it-repeats).
Nothing of the model's code is used, nor its value signatures; classes of instructions are taken from their text. Warps have 32 threads. RESULTS: JSON of sm-model run under
g-scalar,gs_moves=1 or with --explain=reuse, or of sm-model usage, or a report of regloom-run under g-scalar,gs_moves=1, of which KERNEL is meant; each counter must be equal.
Usage: count.py RECORDS [RESULTS [KERNEL]]"""
import collections, json, re, sys

COUNTERS = ("warp_instructions thread_instructions operand_reads operand_writes injected_moves divergent_instructions read_same4 read_same3 read_same2 read_same1 read_same0 read_divergent "
            "scalar_alu scalar_sfu scalar_mem scalar_half scalar_divergent").split()
FULL, LOW, HIGH = 0xffffffff, 0xffff, 0xffff0000
SFU = "sin cos ex2 lg2 rcp rsqrt sqrt tanh".split()
MEMORY = "ld ldu st tex tld4 txq suld sust suq ldc".split()
NEVER = ("bra brx exit ret call bar barrier membar fence atom red vote match redux shfl activemask mma wmma ldmatrix stmatrix movmatrix cp trap brkpt nanosleep griddepcontrol elect "
         "mbarrier prefetch prefetchu discard applypriority isspacep_ acquire release").split()
LANES_DIFFER = re.compile(r"%(tid\.|laneid|lanemask)")


class Insn:
    def __init__(self, text):
        self.guard = text.split()[0] if text.startswith("@") else ""
        body = text[len(self.guard):].strip()
        self.op, _, rest = body.partition(" ")
        parts = self.op.split(".")
        self.name = parts[0]
        self.kind = "never" if parts[0] in NEVER or "local" in parts else "sfu" if parts[0] in SFU and "f64" not in parts else "mem" if parts[0] in MEMORY else "alu"
        self.control = parts[0] in ("bra", "brx", "exit", "ret", "call")
        self.vector = bool(LANES_DIFFER.search(rest))
        first, _, others = rest.partition(",")
        if parts[0] in ("st", "bra", "exit", "bar"):
            first, others = "", rest
        self.writes, self.reads = (set(re.findall(r"\bP[0-6]\b", s)) for s in (first, others))
        self.again = parts[0] not in ("st", "bra", "brx", "exit", "ret", "call", "bar", "barrier", "membar", "fence", "atom", "red", "vote") or "P" in first
        self.loads = parts[0] in ("ld", "ldu", "tex")
        self.special = re.findall(r"%\w+", rest)
        self.shape = self.op + " " + re.sub(r"\b[RP]\d+\b", "?", rest)


def lanes(text):
    out = []
    for piece in text.split(",") if text else ():
        value, _, n = piece.partition("*")
        out += [int(value, 16)] * int(n or 1)
    return out


def alike(values):
    """Bytes that they share, from the top."""
    first, n = values[0], 4
    for v in values:
        while n and (v ^ first) >> (32 - 8 * n):
            n -= 1
    return n


class Register:
    """As G-Scalar's encoding has it: never written, or plain; of all lanes; or of some."""
    plain, divergent, same, lanes = True, False, False, 0
    all = low = high = 0

    def __init__(self, values=None, active=0):
        if values is None:
            return
        self.plain, self.lanes = False, active
        if active == FULL:
            self.all, self.low, self.high = alike(values), alike(values[:16]), alike(values[16:])
        else:
            self.divergent, self.same = True, alike([v for l, v in enumerate(values) if active >> l & 1]) == 4


class Warp:
    def __init__(self, cta=0, place=0):
        self.cta, self.place = cta, place
        self.regs, self.same, self.parts, self.diverged = collections.defaultdict(Register), collections.Counter(), collections.Counter(), False
        self.values = {}                # register: [reads by lane]; None: the lane has no value in it
        self.preds = collections.defaultdict(object)      # by what they were computed



def eligible(w, i, active, sources):
    """How many lanes' groups: what a scalar unit does with it."""
    known = lambda preds, mask: not i.vector and all(mask & ~preds[p] == 0 for p in i.reads)
    if i.kind == "never" or not active:
        return ""
    if active != FULL:
        ok = known(w.same, active) and all(r.same and r.lanes == active if r.divergent else r.all == 4 for r in sources)
        return "divergent" if ok else ""
    if known(w.same, FULL) and all(not r.divergent and r.all == 4 for r in sources):
        return "scalar"
    low = known(w.parts, LOW) and all(not r.divergent and r.low == 4 for r in sources)
    high = known(w.parts, HIGH) and all(not r.divergent and r.high == 4 for r in sources)
    return {(True, True): "halves", (True, False): "low", (False, True): "high"}.get((low, high), "")


def step(n, w, i, active, sources, written):
    """One instruction: sources, written: {register: values of its lanes}."""
    n["warp_instructions"] += 1
    n["thread_instructions"] += bin(active).count("1")
    n["operand_reads"] += len(sources)
    n["operand_writes"] += len(written) if active else 0
    for r in written:                   # a compressed register is moved before some of its lanes are written
        x = w.regs[r]
        if active not in (0, FULL) and not x.divergent and (x.low or x.high):
            w.regs[r] = Register()
            for counter in ("injected_moves", "operand_reads", "operand_writes", f"read_same{x.all}"):
                n[counter] += 1
    divergent = w.diverged if i.control and i.guard else active not in (0, FULL)
    n["divergent_instructions"] += divergent
    how = eligible(w, i, active, [w.regs[r] for r in sources])
    for r in sources:
        x = w.regs[r]
        n["read_divergent" if divergent else f"read_same{0 if x.divergent else x.all}"] += 1
    if how in ("scalar",):
        n[f"scalar_{i.kind}"] += 1
    elif how:
        n["scalar_divergent" if how == "divergent" else "scalar_half"] += 1
    if active:
        w.diverged = divergent
        one = {"scalar": active, "divergent": active, "low": LOW, "high": HIGH}.get(how, 0)
        for p in i.writes:
            w.same[p], w.parts[p] = one, active if how == "halves" else one
        for r, values in written.items():
            w.regs[r] = Register(values, active)


def repeats(window, w, i, active, sources, written):
    """Is this computation one of the last thousand of the SM? What was never written is like nothing else. Where predicates, special registers or memory go in, the results of all lanes
    say what they held, else they are named."""
    key = None
    if active and i.again and (written or i.writes):
        known = lambda r, v: v if r in w.values else (id(w), r)
        told, more = written and active == FULL, i.loads or i.special or i.reads
        place = (w.cta if any(s.startswith("%ctaid") for s in i.special) else 0, w.place if any(s in ("%tid", "%warpid") for s in i.special) else 0)
        key = hash((i.shape, active, tuple(known(r, tuple(v)) for r, v in sources.items()), () if told else tuple(w.preds[p] for p in sorted(i.reads)),
                    () if not more else tuple(map(tuple, written.values())) if told or i.loads else place))
        for p in i.writes:
            w.preds[p] = hash((key, w.preds[p] if active != FULL else 0))
    found = key is not None and window[key] > 0
    window.order.append(key)
    window[key] += 1
    if len(window.order) > 1000:
        window[window.order.popleft()] -= 1
    return found


class Window(collections.Counter):
    def __init__(self):
        super().__init__()
        self.order = collections.deque()


def read(path, only=""):
    """(counters, values by number of reads: never, once, twice, more)"""
    n, used, insns, warps, on, window = collections.Counter(), [0] * 4, [], {}, True, Window()

    def finish(w):
        for counts in w.values.values():
            for c in counts:
                if c is not None:
                    used[min(c, 3)] += 1
    with open(path) as f:
        for line in f:
            word = line.split()
            if word[0] == "launch":
                on, insns = only in ("", word[1]), []
                if on and int(word[3]) % 32:
                    sys.exit(f"{word[1]}: warps of {word[3]} threads are not all full")
            elif word[0] == "insn":
                insns.append(Insn(line.split(" ", 2)[2].strip()))
            elif word[0] == "sm":
                for w in warps.values():
                    finish(w)
                warps, window = {}, Window()
            elif word[0] == "cta":
                for s in range(int(word[2]), int(word[2]) + int(word[3])):
                    if s in warps:
                        finish(warps[s])
                    warps[s] = Warp(int(word[1]), s - int(word[2]))
            elif on:
                w, i, active = warps[int(word[0])], insns[int(word[1])], int(word[2], 16)
                sources, written = ({r.lstrip(">"): lanes(v) for r, _, v in (x.partition("=") for x in word[3:]) if r.startswith(">") == out} for out in (False, True))
                step(n, w, i, active, sources, written)
                n["repeated"] += repeats(window, w, i, active, sources, written)
                for r in sources:
                    counts = w.values.get(r)
                    for l in range(32) if counts else ():
                        if active >> l & 1 and counts[l] is not None:
                            counts[l] += 1
                for r in written if active else ():
                    counts = w.values.setdefault(r, [None] * 32)
                    for l in range(32):
                        if active >> l & 1:
                            if counts[l] is not None:
                                used[min(counts[l], 3)] += 1
                            counts[l] = 0
    for w in warps.values():
        finish(w)
    return n, used


def results(path, kernel):
    """{counter: value} of what can be counted anew."""
    with open(path) as f:
        text = f.read()
    if text.startswith('{"type"'):
        rows = [json.loads(l) for l in text.splitlines()]
        m = next(r["configurations"][0]["metrics"] for r in rows if r["type"] == "kernel" and r["kernel"] == kernel)
        return {k: m[k]["value"] for k in COUNTERS}
    d = json.loads(text)
    if "explain" in d:
        return {k: sum(x["repeats"][of] for x in d["explain"]["kernels"]) for k, of in (("warp_instructions", "issued"), ("repeated", "repeated"))}
    if "total" in d:
        return {"thread_instructions": d["total"]["thread_instructions"], **{f"read {k}": v for k, v in d["total"]["by_reads"].items()}}
    return {k: d["metrics"][k]["value"] for k in COUNTERS}


def main():
    n, used = read(sys.argv[1], *sys.argv[3:4])
    if len(sys.argv) < 3:
        print(json.dumps({**n, "values": used}, indent=1))
        return
    n.update({f"read {k}": v for k, v in zip(("never", "once", "twice", "more"), used)})
    of = results(sys.argv[2], sys.argv[3] if sys.argv[3:] else "")
    wrong = [f"{k}: counted {n[k]}, the run says {v:g}" for k, v in of.items() if n[k] != v]
    print("\n".join(wrong) or f"{len(of)} counters are equal, of {n['warp_instructions']} instructions")
    sys.exit(1 if wrong else 0)


main()
