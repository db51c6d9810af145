#!/usr/bin/env python3
"""Checks traces against the published formats, more strictly than the programs that show them.

    trace.py chrome FILE [FROM TO]   Chrome trace event format: slices of a track nest, B and E pair, tracks have names
    trace.py kanata FILE [FROM TO]   Kanata log 0004: order of commands, stages begin and end, dependencies of living rows

Both print what the file holds; exit status 1 with the first fault. FROM, TO: the window that was asked for."""
import json
import sys
from collections import Counter, defaultdict


def fault(text):
    sys.exit(f"{sys.argv[2]}: {text}")


def check(ok, text):
    if not ok:
        fault(text)


def chrome(path, low, high):
    with open(path) as f:
        trace = json.load(f)
    check(trace["displayTimeUnit"] in ("ms", "ns"), "displayTimeUnit is ms or ns")
    slices, named, processes, counts = defaultdict(list), set(), set(), Counter()
    opened = defaultdict(list)
    last_counter = {}
    for n, e in enumerate(trace["traceEvents"]):
        ph = e["ph"]
        check(ph in "MXBECi", f"event {n}: phase {ph}")
        counts[ph] += 1
        if ph == "M":
            if e["name"] == "thread_name":
                check((e["pid"], e["tid"]) not in named, f"event {n}: a second name of a track")
                named.add((e["pid"], e["tid"]))
            elif e["name"] == "process_name":
                check(e["pid"] not in processes, f"event {n}: a second name of a process")
                processes.add(e["pid"])
            continue
        check(isinstance(e["ts"], int) and low <= e["ts"], f"event {n}: ts {e['ts']} is not in the window")
        if ph == "C":
            key = e["pid"], e["name"]
            check(last_counter.get(key, -1) <= e["ts"], f"event {n}: counter {key} goes back in time")
            last_counter[key] = e["ts"]
            check(e["args"]["value"] >= 0, f"event {n}: a negative counter")
            continue
        track = e["pid"], e["tid"]
        if ph == "X":
            check(e["dur"] > 0, f"event {n}: no duration")
            check(e["name"], f"event {n}: no name")
            slices[track].append((e["ts"], e["ts"] + e["dur"], n))
        elif ph == "i":
            check(e["s"] == "t" and e["name"], f"event {n}: a moment of a track has a name")
        elif ph == "B":
            opened[track].append((e["ts"], n))
        else:
            check(opened[track], f"event {n}: E without B")
            begin, at = opened[track].pop()
            check(begin <= e["ts"], f"event {n}: ends before it begins")
            slices[track].append((begin, e["ts"], at))
    for track, left in opened.items():
        check(not left, f"track {track}: B without E")
    for track, all_of in slices.items():
        check(track in named, f"track {track} has no name")
        check(track[0] in processes, f"process {track[0]} has no name")
        stack = []
        # as a reader sorts: by time, and in the order of the file where times are equal, so a parent must come first
        for begin, end, n in sorted(all_of, key=lambda s: (s[0], s[2])):
            check(begin < high or track[1] % 100 or track[1] < 1000, f"event {n}: a warp's slice begins after the window")
            while stack and stack[-1] <= begin:
                stack.pop()
            check(not stack or end <= stack[-1], f"event {n}: slice {begin}..{end} of track {track} overlaps another that ends at {stack and stack[-1]}")
            stack.append(end)
    check(counts["X"] > 0 and counts["C"] > 0, "nothing happens")
    print(f"{counts['X']} slices, {counts['C']} points of counters, {len(named)} tracks, {len(processes)} processes")


def kanata(path, low, high):
    with open(path) as f:
        lines = f.read().split("\n")
    check(lines[0] == "Kanata\t0004", "the first line is the header")
    check(lines.pop() == "", "the last line ends")
    now, rows, next_id, retired, counts = None, {}, 0, 0, Counter()
    for number, line in enumerate(lines[1:], 2):
        def need(ok, text):
            check(ok, f"line {number}: {text}: {line}")

        c, *a = line.split("\t")
        counts[c] += 1
        if c == "C=":
            need(now is None and len(a) == 1, "the start stands once")
            now = int(a[0])
            need(low <= now < high, "the start is not in the window")
            continue
        need(now is not None, "no command before the start")
        if c == "C":
            need(len(a) == 1 and int(a[0]) > 0, "time goes on")
            now += int(a[0])
            continue
        row_id = int(a[0])
        if c == "I":
            need(len(a) == 3 and row_id == next_id, "rows are numbered in order")
            need(now < high, "a row begins after the window")
            next_id += 1
            rows[row_id] = {"lane": {}, "label": False, "thread": int(a[2]), "stages": []}
            continue
        if c == "W":
            need(len(a) == 3 and row_id in rows, "a dependency of a row that does not live")
            need(int(a[1]) < row_id, "the producer comes first")
            continue
        need(row_id in rows, "a command of a row that does not live")
        row = rows[row_id]
        if c == "L":
            need(len(a) == 3 and a[1] in ("0", "1"), "a label has a type and a text")
            row["label"] |= a[1] == "0"
        elif c == "S":
            need(len(a) == 3 and a[1] in ("0", "1"), "a stage has a lane and a name")
            need(a[1] not in row["lane"], "the lane's stage before has not ended")
            row["lane"][a[1]] = a[2]
            if a[1] == "0":
                row["stages"].append(a[2])
        elif c == "E":
            need(row["lane"].pop(a[1], None) == a[2], "a stage ends that has not begun")
        elif c == "R":
            need(len(a) == 3 and a[2] in ("0", "1"), "a row retires or is flushed")
            need(row["label"], "a row without a label")
            if a[2] == "0":
                need(int(a[1]) == retired, "retired rows are numbered in order")
                need(not row["lane"], "a stage is open when its row retires")
                order = [s for s in ("F", "D", "Is", "Oc", "Al", "Qu", "Wu", "Ex", "Mem", "Wb") if s in row["stages"]]
                need(order == row["stages"], f"stages out of order: {row['stages']}")
                retired += 1
            counts["flushed" if a[2] == "1" else "retired"] += 1
            del rows[row_id]
        else:
            need(False, "no such command")
    check(not rows, f"{len(rows)} rows never retire")
    print(f"{counts['retired']} retired, {counts['flushed']} flushed, {counts['W']} dependencies")


if len(sys.argv) not in (3, 5) or sys.argv[1] not in ("chrome", "kanata"):
    sys.exit(__doc__)
window = (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) == 5 else (0, 1 << 62)
{"chrome": chrome, "kanata": kanata}[sys.argv[1]](sys.argv[2], *window)
